//! Vectors of the language that lanes keep in AoS layout, as they lie in memory.

use super::*;

/// Numbers of so many bits, so many in a vector.
const TYPES: [(usize, usize); 10] =
    [(32, 4), (32, 2), (8, 4), (16, 2), (64, 2), (8, 16), (32, 8), (64, 4), (16, 16), (32, 16)];

/// Vectors that a kernel finds in its buffer, and where its work-items leave theirs.
const ITEMS: usize = 1024;
const RESULTS: usize = 600;

/// What a kernel finds.
struct Found<'f> {
    bits: usize,
    count: usize,
    bytes: &'f [u8],
}

impl Found<'_> {
    fn at(&self, item: usize, part: usize) -> u64 {
        let bytes = self.bits / 8;
        let at = (item * self.count + part) * bytes;
        (0..bytes).fold(0u64, |all, byte| all | u64::from(self.bytes[at + byte]) << (8 * byte))
    }

    /// A number's bits that the type has.
    fn cut(&self, number: u64) -> u64 {
        number & (u64::MAX >> (64 - self.bits))
    }
}

/// What a work-item leaves in a part of its vector, if it does.
type Expected = fn(found: &Found<'_>, item: usize, part: usize) -> Option<u64>;

/// The kernel for one type. `TY` is that of the vector and `EL` of its numbers, `ONES` has a one in each part, `SPLAT` picks
/// the first number for all, `TURNED` has the parts in the reverse order, `LAST` is the last one's number, `TRUTHS` the type of
/// a comparison, `OWN` the work-item's number.
fn of_type(body: &str, (bits, count): (usize, usize)) -> String {
    let turned: Vec<String> = (0..count).rev().map(|index| format!("i32 {index}")).collect();
    let own = if bits == 64 { "add i64 %i, 0".to_owned() } else { format!("trunc i64 %i to i{bits}") };
    let body = body
        .replace("ONES", &format!("<{}>", vec![format!("i{bits} 1"); count].join(", ")))
        .replace("SPLAT", &format!("<{count} x i32> zeroinitializer"))
        .replace("TURNED", &format!("<{count} x i32> <{}>", turned.join(", ")))
        .replace("LAST", &(count - 1).to_string())
        .replace("TRUTHS", &format!("<{count} x i1>"))
        .replace("OWN", &own)
        .replace("TY", &format!("<{count} x i{bits}>"))
        .replace("EL", &format!("i{bits}"));
    format!(
        "define void @k(ptr addrspace(1) %out, i32 %n) {{
        start:
        %i = call i64 @oxicl.global_id(i32 0)
        {body}"
    )
}

/// The lines that load a vector from a place, and those that store one where the work-item leaves it.
fn load(name: &str, at: &str) -> String {
    format!(
        "%{name}.p = getelementptr TY, ptr addrspace(1) %out, i64 {at}
        %{name} = load TY, ptr addrspace(1) %{name}.p, align 1\n"
    )
}

fn store(name: &str) -> String {
    format!(
        "%{name}.to = add i64 %i, {RESULTS}
        %{name}.q = getelementptr TY, ptr addrspace(1) %out, i64 %{name}.to
        store TY %{name}, ptr addrspace(1) %{name}.q, align 1\n"
    )
}

/// Runs a kernel for vectors of each type, and holds it against what is expected. Those of `least` parts are kept in AoS layout.
fn assert_gives(body: &str, least: usize, expected: Expected) {
    for (bits, count) in TYPES {
        let text = of_type(body, (bits, count));
        let total = ITEMS * bits / 8 * count;
        let old: Vec<u8> = (0..total as u32).map(|n| (n.wrapping_mul(0x9e37_79b9) >> 17) as u8).collect();
        let found = Found { bits, count, bytes: &old };
        for mode in MODES.into_iter().chain(GANGS) {
            let library = build(&text, &[global(), argument(ArgumentKind::Value, 4, 8)], mode);
            let remarks = library.facts[0].remarks.join("\n");
            let is_kept = mode.1 > 1 && count >= least;
            assert!(is_kept == remarks.contains("kept in AoS layout"), "{bits} {count} {mode:?}: {remarks}");
            for length in [1, 16, 37, 300usize] {
                let out =
                    run_from(&library, line(length as u64, length.min(100) as u64), old.clone(), &7u32.to_le_bytes());
                let mut wanted = old.clone();
                for (item, part) in (0..length).flat_map(|item| (0..count).map(move |part| (item, part))) {
                    let Some(value) = expected(&found, item, part) else { continue };
                    let at = ((RESULTS + item) * count + part) * bits / 8;
                    wanted[at..at + bits / 8].copy_from_slice(&value.to_le_bytes()[..bits / 8]);
                }
                assert!(out == wanted, "{bits} {count} {length} {mode:?}");
            }
        }
    }
}

#[test]
fn sums_and_products_of_whole_vectors() {
    let body = [
        &load("v", "%i"),
        "%next = add i64 %i, 1\n",
        &load("w", "%next"),
        &load("shared", "5"),
        "%product = mul TY %v, %w
        %sum = add TY %product, %shared
        %more = add TY %sum, ONES
        %less = icmp ult TY %more, %w
        %chosen = select TRUTHS %less, TY %more, TY %v\n",
        &store("chosen"),
        "ret void }",
    ];
    assert_gives(&body.concat(), 2, |found, item, part| {
        let (v, w) = (found.at(item, part), found.at(item + 1, part));
        let more = found.cut(v.wrapping_mul(w).wrapping_add(found.at(5, part)).wrapping_add(1));
        Some(if more < w { more } else { v })
    });
}

#[test]
fn numbers_of_each_lane_and_of_all_meet_whole_vectors() {
    // Four are loaded side by side, so that one part asked for by itself does not weigh.
    let body = [
        &load("v", "%i"),
        "%i1 = add i64 %i, 1\n",
        &load("v1", "%i1"),
        "%i2 = add i64 %i, 2\n",
        &load("v2", "%i2"),
        "%i3 = add i64 %i, 3\n",
        &load("v3", "%i3"),
        "%own = OWN
        %one = insertelement TY poison, EL %own, i64 0
        %own.all = shufflevector TY %one, TY poison, SPLAT
        %s1 = add TY %v, %v1
        %s2 = mul TY %v2, %own.all
        %s3 = xor TY %s1, %s2
        %s4 = add TY %s3, %v3
        %turned = shufflevector TY %v3, TY poison, TURNED
        %s5 = sub TY %s4, %turned
        %firsts = shufflevector TY %v2, TY poison, SPLAT
        %s6 = add TY %s5, %firsts
        %part = extractelement TY %s6, i64 LAST
        %mine = mul EL %part, %own
        %odd = and i64 %i, 1
        %is.odd = icmp ne i64 %odd, 0
        %put = insertelement TY %s6, EL %mine, i64 0
        %r = select i1 %is.odd, TY %put, TY %s4\n",
        &store("r"),
        "ret void }",
    ];
    assert_gives(&body.concat(), 4, |found, item, part| {
        let v = |next: usize, part: usize| found.at(item + next, part);
        let s4 = |part: usize| {
            let s2 = v(2, part).wrapping_mul(item as u64);
            (v(0, part).wrapping_add(v(1, part)) ^ s2).wrapping_add(v(3, part))
        };
        let s6 = |part: usize| s4(part).wrapping_sub(v(3, found.count - 1 - part)).wrapping_add(v(2, 0));
        let put = if part == 0 { s6(found.count - 1).wrapping_mul(item as u64) } else { s6(part) };
        Some(if item % 2 == 1 { put } else { s4(part) })
    });
}

#[test]
fn vectors_of_which_each_lane_asks_for_another_part_are_taken_apart() {
    let body = [
        &load("v", "%i"),
        "%k64 = and i64 %i, LAST
        %k = trunc i64 %k64 to i32
        %part = extractelement TY %v, i32 %k
        %own = OWN
        %sum = add EL %part, %own
        %r = insertelement TY %v, EL %sum, i32 %k\n",
        &store("r"),
        "ret void }",
    ];
    assert_gives(&body.concat(), usize::MAX, |found, item, part| {
        let added = if part == item & (found.count - 1) { item as u64 } else { 0 };
        Some(found.at(item, part).wrapping_add(added))
    });
}

#[test]
fn loops_carry_whole_vectors_and_lanes_leave_them_in_any_turn() {
    // As many turns as all say, or as each says.
    let loop_of = |turns: &str| {
        [
            turns,
            "br label %turn
            turn: %j = phi i64 [ 0, %start ], [ %j.next, %turn ]
            %all = phi TY [ ONES, %start ], [ %all.next, %turn ]
            %at = add i64 %i, %j\n",
            &load("v", "%at"),
            "%times = mul TY %all, %v
            %all.next = add TY %times, %v
            %j.next = add i64 %j, 1
            %again = icmp ult i64 %j.next, %turns
            br i1 %again, label %turn, label %end
            end: %r = phi TY [ %all.next, %turn ]\n",
            &store("r"),
            "ret void }",
        ]
        .concat()
    };
    fn expected(found: &Found<'_>, (item, part): (usize, usize), turns: usize) -> Option<u64> {
        Some((0..turns).fold(1u64, |all, j| {
            let v = found.at(item + j, part);
            all.wrapping_mul(v).wrapping_add(v)
        }))
    }
    let shared = loop_of("%turns = zext i32 %n to i64\n");
    assert_gives(&shared, 2, |found, item, part| expected(found, (item, part), 7));
    let own = loop_of("%less = and i64 %i, 3\n%turns = add i64 %less, 1\n");
    assert_gives(&own, 2, |found, item, part| expected(found, (item, part), item % 4 + 1));
}

#[test]
fn lanes_that_part_keep_whole_vectors_apart() {
    let body = [
        &load("v", "%i"),
        "%third = urem i64 %i, 3
        %some = icmp ne i64 %third, 1
        br i1 %some, label %then, label %meet
        then: %i1 = add i64 %i, 1\n",
        &load("w", "%i1"),
        "%sum = add TY %v, %w
        br label %meet
        meet: %x = phi TY [ %v, %start ], [ %sum, %then ]
        %low = icmp ult i64 %i, 41
        br i1 %low, label %write, label %done
        write: %y = xor TY %x, ONES\n",
        &store("y"),
        "br label %done
        done: ret void }",
    ];
    assert_gives(&body.concat(), 2, |found, item, part| {
        let v = found.at(item, part);
        let x = if item % 3 == 1 { v } else { v.wrapping_add(found.at(item + 1, part)) };
        (item < 41).then_some(x ^ 1)
    });
}

#[test]
fn whole_vectors_outlive_barriers() {
    // One is carried by a loop around a barrier, the other lives through it.
    let body = [
        &load("v", "%i"),
        "br label %turn
        turn: %j = phi i64 [ 0, %start ], [ %j.next, %behind ]
        %all = phi TY [ %v, %start ], [ %all.next, %behind ]
        %at = add i64 %i, %j\n",
        &load("w", "%at"),
        BARRIER,
        "\nbr label %behind
        behind: %times = mul TY %all, %w
        %all.next = add TY %times, %v
        %j.next = add i64 %j, 1
        %again = icmp ult i64 %j.next, 3
        br i1 %again, label %turn, label %end
        end:\n",
        &store("all.next"),
        "ret void }",
    ];
    assert_gives(&body.concat(), 2, |found, item, part| {
        let v = found.at(item, part);
        Some((0..3).fold(v, |all, j| all.wrapping_mul(found.at(item + j, part)).wrapping_add(v)))
    });
}

#[test]
fn a_part_that_was_put_in_before_a_barrier_is_repeated_behind_it() {
    let body = [
        &load("v", "%i"),
        "%own = OWN
        %with = insertelement TY %v, EL %own, i32 0\n",
        BARRIER,
        "\n%all = shufflevector TY %with, TY poison, SPLAT
        %sum = add TY %all, %with\n",
        &store("sum"),
        "ret void }",
    ];
    assert_gives(&body.concat(), 2, |found, item, part| {
        let own = item as u64;
        Some(own.wrapping_add(if part == 0 { own } else { found.at(item, part) }))
    });
}

#[test]
fn truths_of_whole_vectors_outlive_a_barrier() {
    let body = [
        &load("v", "%i"),
        "%next = add i64 %i, 1\n",
        &load("w", "%next"),
        "%less = icmp ult TY %v, %w\n",
        BARRIER,
        "\n%chosen = select TRUTHS %less, TY %v, TY ONES\n",
        &store("chosen"),
        "ret void }",
    ];
    assert_gives(&body.concat(), 2, |found, item, part| {
        let v = found.at(item, part);
        Some(if v < found.at(item + 1, part) { v } else { 1 })
    });
}

#[test]
fn places_that_may_lie_side_by_side_are_asked() {
    // Kept within bounds, and numbers of 32 bits that may wrap.
    let body = [
        "%short = trunc i64 %i to i32
        %on = add i32 %short, %n
        %kept = call i32 @llvm.smin.i32(i32 %on, i32 40)
        %index = sext i32 %kept to i64\n",
        &load("v", "%index"),
        "%wide = sext i32 %on to i64\n",
        &load("w", "%wide"),
        "%r = mul TY %v, %w\n",
        &store("r"),
        "ret void }
        declare i32 @llvm.smin.i32(i32, i32)",
    ];
    assert_gives(&body.concat(), 2, |found, item, part| {
        Some(found.at((item + 7).min(40), part).wrapping_mul(found.at(item + 7, part)))
    });
}

#[test]
fn numbers_of_other_widths_and_bits_of_whole_vectors() {
    // Bytes as words and back, with the saturation of OpenCL C; and eight bytes as one number.
    let body = "define void @k(ptr addrspace(1) %out, i32 %n) {
        %i = call i64 @oxicl.global_id(i32 0)
        %p = getelementptr <8 x i8>, ptr addrspace(1) %out, i64 %i
        %a = load <8 x i8>, ptr addrspace(1) %p
        %ad = uitofp <8 x i8> %a to <8 x double>
        %af = fptrunc <8 x double> %ad to <8 x float>
        %scaled = fmul <8 x float> %af, splat (float 1.5)
        %square = call <8 x float> @llvm.fma.v8f32(<8 x float> %scaled, <8 x float> %af, <8 x float> splat (float -40.0))
        %bytes = call <8 x i8> @llvm.fptoui.sat.v8i8.v8f32(<8 x float> %square)
        %b = bitcast <8 x i8> %a to i64
        %times = mul i64 %b, 5
        %c = bitcast i64 %times to <8 x i8>
        %wide = sext <8 x i8> %c to <8 x i64>
        %product = mul <8 x i64> %wide, %wide
        %narrow = trunc <8 x i64> %product to <8 x i8>
        %sum = add <8 x i8> %bytes, %narrow
        %pairs = bitcast <8 x i8> %sum to <4 x i16>
        %swapped = call <4 x i16> @llvm.bswap.v4i16(<4 x i16> %pairs)
        %r = bitcast <4 x i16> %swapped to <8 x i8>
        %to = add i64 %i, 400
        %q = getelementptr <8 x i8>, ptr addrspace(1) %out, i64 %to
        store <8 x i8> %r, ptr addrspace(1) %q
        ret void }
        declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
        declare <8 x i8> @llvm.fptoui.sat.v8i8.v8f32(<8 x float>)
        declare <4 x i16> @llvm.bswap.v4i16(<4 x i16>)";
    let old: Vec<u64> = (0..800u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    for mode in MODES.into_iter().chain(GANGS) {
        let library = build(body, &[global(), argument(ArgumentKind::Value, 4, 8)], mode);
        let remarks = library.facts[0].remarks.join("\n");
        assert!(mode.1 == 1 || remarks.contains("kept in AoS layout"), "{mode:?}: {remarks}");
        for length in [1, 37, 300usize] {
            let mut out = old.clone();
            run_on(&library, line(length as u64, length.min(100) as u64), &mut out, &[0; 4]);
            let mut expected = old.clone();
            for i in 0..length {
                let (a, c) = (old[i].to_le_bytes(), old[i].wrapping_mul(5).to_le_bytes());
                let mut sum = [0; 8];
                for part in 0..8 {
                    let a = f32::from(a[part]);
                    // Saturating, as conversions of Rust are.
                    let bytes = (a * 1.5).mul_add(a, -40.0) as u8;
                    sum[part ^ 1] = bytes.wrapping_add(c[part].wrapping_mul(c[part]));
                }
                expected[400 + i] = u64::from_le_bytes(sum);
            }
            assert_eq!(out, expected, "{length} {mode:?}");
        }
    }
}
