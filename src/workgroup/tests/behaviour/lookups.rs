//! Lanes that each load at a place of their own: from small tables, from private objects by bytes and by words, two numbers
//! at once, and from where they turn out to be side by side.

use super::*;

/// Runs a kernel over 200 work-items of groups of several lengths, on buffers of numbers below 16.
fn assert_gives(text: &str, arguments: &[Argument], expected: impl Fn(u32, &[u32]) -> u32) {
    let old: Vec<u32> = (0..1300u32).map(|n| n.wrapping_mul(0x9e37_79b9) >> 28).collect();
    for mode in MODES.into_iter().chain(GANGS).chain([(Mode::Full, 32), (Mode::Full, 64)]) {
        let library = build(text, arguments, mode);
        for length in [1, 5, 40, 100, 200] {
            let out = run_from(&library, line(200, length), old.clone(), &[]);
            for item in 0..200 {
                assert_eq!(out[item as usize], expected(item, &old), "{item} of {length}, {mode:?}");
            }
        }
    }
}

#[test]
fn private_objects_are_accessed_by_bytes_and_by_words() {
    let text = "define void @k(ptr addrspace(1) %out) {
        start: %a = alloca [4 x i64], align 1
        %i = call i64 @oxicl.global_id(i32 0)
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        %h = load i32, ptr addrspace(1) %p
        %wide = zext i32 %h to i64
        %long = mul i64 %wide, 72623859790382857
        store i64 %long, ptr %a, align 8
        %a1 = getelementptr i64, ptr %a, i64 1
        store i64 81985529216486895, ptr %a1, align 8
        %a2 = getelementptr i64, ptr %a, i64 2
        store i64 %wide, ptr %a2, align 8
        %a3 = getelementptr i64, ptr %a, i64 3
        store i64 -1, ptr %a3, align 8
        %byte = trunc i32 %h to i8
        %own = getelementptr i8, ptr %a, i64 %wide
        store i8 %byte, ptr %own, align 1
        %fixed = getelementptr i8, ptr %a, i64 6
        %short = trunc i64 %long to i16
        store i16 %short, ptr %fixed, align 2
        %odd = trunc i32 %h to i1
        br i1 %odd, label %more, label %loop
        more: %ninth = getelementptr i8, ptr %a, i64 9
        store i8 77, ptr %ninth, align 1
        %real = uitofp i32 %h to float
        %last = getelementptr i8, ptr %a, i64 28
        store float %real, ptr %last, align 4
        br label %loop
        loop: %n = phi i64 [0, %start], [0, %more], [%next, %loop]
        %sum = phi i32 [0, %start], [0, %more], [%total, %loop]
        %q = getelementptr i8, ptr %a, i64 %n
        %x = load i8, ptr %q, align 1
        %new = add i8 %x, 3
        store i8 %new, ptr %q, align 1
        %x32 = zext i8 %x to i32
        %turned = mul i32 %sum, 31
        %total = add i32 %turned, %x32
        %next = add i64 %n, 1
        %go = icmp ult i64 %next, 21
        br i1 %go, label %loop, label %end
        end: %at = and i64 %wide, 7
        %r = getelementptr i32, ptr %a, i64 %at
        %word = load i32, ptr %r, align 4
        %z0 = load i64, ptr %a, align 8
        %z1 = load i64, ptr %a1, align 8
        %z2 = load i64, ptr %a2, align 8
        %z3 = load i64, ptr %a3, align 8
        %z01 = xor i64 %z0, %z1
        %z23 = sub i64 %z2, %z3
        %z = mul i64 %z01, %z23
        %high = lshr i64 %z, 32
        %folded = trunc i64 %high to i32
        %w = add i32 %word, %folded
        %result = add i32 %w, %total
        store i32 %result, ptr addrspace(1) %p
        ret void }";
    assert_gives(text, &[global()], |item, old| {
        let h = old[item as usize];
        let long = u64::from(h).wrapping_mul(72_623_859_790_382_857);
        let mut bytes = [0; 32];
        for (place, word) in [long, 81_985_529_216_486_895, u64::from(h), u64::MAX].into_iter().enumerate() {
            bytes[8 * place..8 * place + 8].copy_from_slice(&word.to_le_bytes());
        }
        bytes[h as usize] = h as u8;
        bytes[6..8].copy_from_slice(&(long as u16).to_le_bytes());
        if h % 2 == 1 {
            bytes[9] = 77;
            bytes[28..32].copy_from_slice(&(h as f32).to_le_bytes());
        }
        let mut total = 0_u32;
        for byte in &mut bytes[..21] {
            total = total.wrapping_mul(31).wrapping_add(u32::from(*byte));
            *byte = byte.wrapping_add(3);
        }
        let at = 4 * (h as usize & 7);
        let word = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let long = |place: usize| u64::from_le_bytes(bytes[8 * place..8 * place + 8].try_into().unwrap());
        let folded = (long(0) ^ long(1)).wrapping_mul(long(2).wrapping_sub(long(3))) >> 32;
        word.wrapping_add(folded as u32).wrapping_add(total)
    });
}

#[test]
fn constant_tables_give_what_they_hold_whatever_their_numbers() {
    for (ty, count) in
        [("i8", 16), ("i16", 16), ("i32", 16), ("float", 16), ("i8", 31), ("i16", 32), ("float", 20), ("i64", 16)]
    {
        let held = |n: u32| n * 7 + 3;
        let element = |n: u32| if ty == "float" { format!("float {}.0", held(n)) } else { format!("{ty} {}", held(n)) };
        let elements: Vec<String> = (0..count).map(element).collect();
        let cast = match ty {
            "i32" => "bitcast i32 %v to i32".to_owned(),
            "float" => "fptoui float %v to i32".to_owned(),
            "i64" => "trunc i64 %v to i32".to_owned(),
            _ => format!("zext {ty} %v to i32"),
        };
        // An address in bytes, and one in elements; the second of what some work-items do.
        let bytes = match ty {
            "i8" => 0,
            "i16" => 1,
            "i64" => 3,
            _ => 2,
        };
        let text = format!(
            "@table = internal addrspace(2) constant [{count} x {ty}] [{}]
            define void @k(ptr addrspace(1) %out) {{
            start: %i = call i64 @oxicl.global_id(i32 0)
            %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
            %h = load i32, ptr addrspace(1) %p
            %wide = zext i32 %h to i64
            %far = shl i64 %wide, {bytes}
            %a = getelementptr i8, ptr addrspace(2) @table, i64 %far
            %v = load {ty}, ptr addrspace(2) %a
            %x = {cast}
            %odd = and i32 %h, 1
            %is = icmp eq i32 %odd, 1
            br i1 %is, label %more, label %end
            more: %other = xor i32 %h, 5
            %b = getelementptr [{count} x {ty}], ptr addrspace(2) @table, i64 0, i32 %other
            %v2 = load {ty}, ptr addrspace(2) %b
            %y = {}
            %sum = add i32 %x, %y
            br label %end
            end: %r = phi i32 [ %x, %start ], [ %sum, %more ]
            store i32 %r, ptr addrspace(1) %p
            ret void }}",
            elements.join(", "),
            cast.replace("%v", "%v2"),
        );
        assert_gives(&text, &[global()], |item, old| {
            let h = old[item as usize];
            held(h) + if h % 2 == 1 { held(h ^ 5) } else { 0 }
        });
    }
}

#[test]
fn tables_of_all_lengths_are_looked_up_at_all_indices() {
    for (ty, bytes) in [("i8", 1), ("i16", 2), ("i32", 4), ("i64", 8)] {
        for count in [17, 64, 100, 128, 130, 256, 257] {
            let held = |n: u32| (n.wrapping_mul(0x9e37_79b9) >> 7) & (u32::MAX >> (32 - 8 * bytes.min(4)));
            let elements: Vec<String> = (0..count).map(|n| format!("{ty} {}", held(n))).collect();
            let cast = match bytes {
                8 => "trunc i64 %v to i32",
                4 => "bitcast i32 %v to i32",
                _ => &format!("zext {ty} %v to i32"),
            };
            let text = format!(
                "@table = internal addrspace(2) constant [{count} x {ty}] [{}]
                define void @k(ptr addrspace(1) %out) {{
                %i = call i64 @oxicl.global_id(i32 0)
                %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
                %h = load i32, ptr addrspace(1) %p
                %low = trunc i64 %i to i32
                %many = mul i32 %h, 37
                %sum = add i32 %many, %low
                %at = urem i32 %sum, {count}
                %short = trunc i32 %at to i16
                %index = zext i16 %short to i64
                %a = getelementptr {ty}, ptr addrspace(2) @table, i64 %index
                %v = load {ty}, ptr addrspace(2) %a
                %r = {cast}
                store i32 %r, ptr addrspace(1) %p
                ret void }}",
                elements.join(", "),
            );
            assert_gives(&text, &[global()], |item, old| held((old[item as usize] * 37 + item) % count));
        }
    }
}

#[test]
fn numbers_side_by_side_that_lanes_load_apart_keep_their_order() {
    for (first, second) in [("%lower", "%upper"), ("%upper", "%lower")] {
        let text = format!(
            "define void @k(ptr addrspace(1) %out) {{
            start: %i = call i64 @oxicl.global_id(i32 0)
            %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
            %h = load i32, ptr addrspace(1) %p
            %odd = and i32 %h, 1
            %is = icmp eq i32 %odd, 1
            br i1 %is, label %go, label %end
            go: %j = mul i64 %i, 5
            %k = zext i32 %h to i64
            %far = add i64 %j, %k
            %place = add i64 %far, 220
            %lower = getelementptr i32, ptr addrspace(1) %out, i64 %place
            %upper = getelementptr i8, ptr addrspace(1) %lower, i64 4
            %a = load i32, ptr addrspace(1) {first}
            %b = load i32, ptr addrspace(1) {second}
            %b3 = mul i32 %b, 100
            %sum = add i32 %a, %b3
            br label %end
            end: %r = phi i32 [ 7, %start ], [ %sum, %go ]
            store i32 %r, ptr addrspace(1) %p
            ret void }}"
        );
        assert_gives(&text, &[global()], |item, old| {
            let h = old[item as usize];
            let place = (item * 5 + h + 220) as usize;
            let (a, b) = if first == "%lower" { (place, place + 1) } else { (place + 1, place) };
            if h % 2 == 1 { old[a] + 100 * old[b] } else { 7 }
        });
    }
}

#[test]
fn lanes_that_count_on_load_the_same_though_some_have_left() {
    // From an index of 32 bits that may wrap, as a row of a sparse matrix begins, in steps of the work-group.
    let text = "define void @k(ptr addrspace(1) %out) {
        start: %i = call i64 @oxicl.global_id(i32 0)
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        %h = load i32, ptr addrspace(1) %p
        %low = trunc i64 %i to i32
        %start32 = add i32 %low, 210
        %wide = sext i32 %start32 to i64
        %h64 = zext i32 %h to i64
        %twice = mul i64 %h64, 60
        %last = add i64 %twice, 200
        br label %loop
        loop: %at = phi i64 [ %wide, %start ], [ %at2, %turn ]
        %sum = phi i32 [ 0, %start ], [ %sum2, %turn ]
        %more = icmp slt i64 %at, %last
        br i1 %more, label %turn, label %end
        turn: %q = getelementptr i32, ptr addrspace(1) %out, i64 %at
        %v = load i32, ptr addrspace(1) %q
        %three = mul i32 %sum, 3
        %sum2 = add i32 %three, %v
        %at2 = add i64 %at, 201
        br label %loop
        end: store i32 %sum, ptr addrspace(1) %p
        ret void }";
    assert_gives(text, &[global()], |item, old| {
        let last = old[item as usize] * 60 + 200;
        let places = (item + 210..last).step_by(201);
        places.fold(0u32, |sum, at| sum.wrapping_mul(3).wrapping_add(old[at as usize]))
    });
}

#[test]
fn what_a_short_loop_loads_in_each_turn_of_another_is_loaded_once() {
    let text = "
        declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
        define void @k(ptr addrspace(1) %out, ptr addrspace(2) %c) {
        start: %i = call i64 @oxicl.global_id(i32 0)
        br label %outer
        outer: %j = phi i64 [ 0, %start ], [ %j2, %next ]
        %best = phi float [ 0.0, %start ], [ %better, %next ]
        %again = icmp ult i64 %j, 1000
        br i1 %again, label %inner, label %end
        inner: %t = phi i64 [ 0, %outer ], [ %t2, %turn ]
        %d = phi float [ 0.0, %outer ], [ %d2, %turn ]
        %more = icmp ult i64 %t, 8
        br i1 %more, label %turn, label %next
        turn: %row = mul i64 %t, 4096
        %at = add i64 %row, %i
        %p = getelementptr float, ptr addrspace(1) %out, i64 %at
        %v = load float, ptr addrspace(1) %p
        %eight = shl i64 %j, 3
        %which = add i64 %eight, %t
        %q = getelementptr float, ptr addrspace(2) %c, i64 %which
        %w = load float, ptr addrspace(2) %q
        %e = fsub float %v, %w
        %f = fmul float %e, %e
        %d2 = fadd float %d, %f
        %t2 = add i64 %t, 1
        br label %inner
        next: %sum = phi float [ %d, %inner ]
        %is = fcmp olt float %sum, %best
        %better = select i1 %is, float %sum, float %best
        %j2 = add i64 %j, 1
        br label %outer
        end: %last = phi float [ %best, %outer ]
        %place = getelementptr float, ptr addrspace(1) %out, i64 %i
        store float %last, ptr addrspace(1) %place
        ret void }";
    let context = oxicl_llvm::Context::new();
    let kernels = [("k", signature(vec![global(), argument(ArgumentKind::Constant, 8, 0)]))];
    let (module, _) = machine::transform(&context, text, &kernels, Mode::Full, (8, 1));
    let code = module.to_text();
    let turns: Vec<&str> = code.split("\n\n").filter(|block| block.contains("fcmp olt <8 x float>")).collect();
    assert!(!turns.is_empty(), "{code}");
    assert!(turns.iter().all(|block| !block.contains("load <8 x float>")), "{code}");
}

#[test]
fn behind_a_barrier_nothing_is_asked_of_what_an_address_was_made_of_before() {
    // A place in a table, one by a sum with what all share, and one from a base that all share.
    let table = "%wide = zext i32 %h to i64
        %a = getelementptr [16 x i32], ptr addrspace(2) @table, i64 0, i64 %wide";
    let sum = "%kept = call i32 @llvm.umin.i32(i32 %low, i32 77)
        %on = add i32 %kept, %shared
        %wide = zext i32 %on to i64
        %a = getelementptr i32, ptr addrspace(1) %out, i64 %wide";
    let base = "%half = lshr i32 %low, 1
        %wide = zext i32 %half to i64
        %more = zext i32 %shared to i64
        %base = getelementptr i32, ptr addrspace(1) %out, i64 %more
        %a = getelementptr i32, ptr addrspace(1) %base, i64 %wide";
    for (number, address) in [table, sum, base].into_iter().enumerate() {
        let space = if number == 0 { 2 } else { 1 };
        let elements: Vec<String> = (0..16).map(|n| format!("i32 {}", n * 7 + 3)).collect();
        let text = format!(
            "@table = internal addrspace(2) constant [16 x i32] [{}]
            declare i32 @llvm.umin.i32(i32, i32)
            define void @k(ptr addrspace(1) %out) {{
            start: %i = call i64 @oxicl.global_id(i32 0)
            %low = trunc i64 %i to i32
            %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
            %h = load i32, ptr addrspace(1) %p
            %s = getelementptr i32, ptr addrspace(1) %out, i64 1000
            %shared.high = load i32, ptr addrspace(1) %s
            %shared = add i32 %shared.high, 400
            {address}
            {BARRIER}
            %v = load i32, ptr addrspace({space}) %a
            store i32 %v, ptr addrspace(1) %p
            ret void }}",
            elements.join(", ")
        );
        assert_gives(&text, &[global()], |item, old| {
            let shared = old[1000] as usize + 400;
            match number {
                0 => old[item as usize] * 7 + 3,
                1 => old[item.min(77) as usize + shared],
                _ => old[item as usize / 2 + shared],
            }
        });
    }
}

/// A kernel with a private object of `count` vectors of `lanes` numbers, which are computed from a work-item's own. A
/// third of the work-items does nothing; another stores a vector of its own at a place of its own. Vectors lie `first`
/// bytes and a multiple of `step` bytes behind the object's begin.
fn with_vectors(number: &str, (lanes, count): (u32, u32), first: u32, step: u32, aligns: [u32; 2]) -> String {
    let size = if number == "i8" { 1 } else { 4 };
    let total = count * lanes + first / size;
    let [object, access] = aligns;
    let vector = format!("<{lanes} x {number}>");
    let mut text = format!(
        "define void @k(ptr addrspace(1) %out) {{
        start: %a = alloca [{total} x {number}], align {object}
        %i = call i64 @oxicl.global_id(i32 0)
        %own = getelementptr i32, ptr addrspace(1) %out, i64 %i
        %h = load i32, ptr addrspace(1) %own
        %third = urem i32 %h, 3
        %some = icmp ne i32 %third, 1
        br i1 %some, label %go, label %gone
        go: %small = {narrow}\n",
        narrow = if size == 1 { "trunc i32 %h to i8" } else { "or i32 %h, 0" },
    );
    for n in 0..total {
        text += &format!(
            "%v{n} = add {number} %small, {}
            %q{n} = getelementptr {number}, ptr %a, i64 {n}
            store {number} %v{n}, ptr %q{n}, align {size}\n",
            n * 7
        );
    }
    // The second place differs from the first, and both from lane to lane.
    text += &format!(
        "%mixed = mul i32 %h, 5
        %turned = add i32 %mixed, 3
        %n0 = urem i32 %h, {places}
        %n1 = urem i32 %turned, {places}
        %o0 = mul i32 %n0, {step}
        %o1 = mul i32 %n1, {step}
        %b0 = add i32 %o0, {first}
        %b1 = add i32 %o1, {first}
        %w0 = zext i32 %b0 to i64
        %w1 = zext i32 %b1 to i64
        %p0 = getelementptr i8, ptr %a, i64 %w0
        %p1 = getelementptr i8, ptr %a, i64 %w1
        %odd = icmp eq i32 %third, 2
        br i1 %odd, label %change, label %changed
        change: %e0 = insertelement {vector} poison, {number} %small, i64 0\n",
        places = (count - 1) * lanes * size / step + 1,
    );
    for n in 1..lanes {
        text += &format!("%e{n} = insertelement {vector} %e{}, {number} {}, i64 {n}\n", n - 1, 90 + n);
    }
    text += &format!(
        "store {vector} %e{}, ptr %p0, align {access}
        br label %changed
        changed: %x = load {vector}, ptr %p1, align {access}
        %y = load {vector}, ptr %p0, align {access}\n%s0 = or i32 0, 0\n",
        lanes - 1
    );
    for n in 0..lanes {
        text += &format!(
            "%x{n} = extractelement {vector} %x, i64 {n}
            %y{n} = extractelement {vector} %y, i64 {n}
            %z{n} = {}
            %u{n} = {}
            %t{n} = mul i32 %s{n}, 31
            %f{n} = xor i32 %z{n}, %t{n}
            %m{n} = mul i32 %u{n}, 17
            %s{} = add i32 %f{n}, %m{n}\n",
            if size == 1 { format!("zext i8 %x{n} to i32") } else { format!("or i32 %x{n}, 0") },
            if size == 1 { format!("zext i8 %y{n} to i32") } else { format!("or i32 %y{n}, 0") },
            n + 1
        );
    }
    // All that is left of the object counts as well.
    text += &format!("%r0 = or i32 %s{lanes}, 0\n");
    for n in 0..total {
        text += &format!(
            "%l{n} = load {number}, ptr %q{n}, align {size}
            %k{n} = {}
            %c{n} = mul i32 %r{n}, 13
            %r{} = add i32 %c{n}, %k{n}\n",
            if size == 1 { format!("zext i8 %l{n} to i32") } else { format!("or i32 %l{n}, 0") },
            n + 1
        );
    }
    text + &format!("store i32 %r{total}, ptr addrspace(1) %own\nbr label %gone\ngone: ret void }}")
}

/// What it gives of a number.
fn of_vectors(h: u32, size: u32, (lanes, count): (u32, u32), first: u32, step: u32) -> u32 {
    if h % 3 == 1 {
        return h;
    }
    let cut = |x: u32| if size == 1 { x & 255 } else { x };
    let mut object: Vec<u32> = (0..count * lanes + first / size).map(|n| cut(h.wrapping_add(n * 7))).collect();
    let places = (count - 1) * lanes * size / step + 1;
    let at = |n: u32| ((n % places * step + first) / size) as usize;
    let (p0, p1) = (at(h), at(h.wrapping_mul(5).wrapping_add(3)));
    if h % 3 == 2 {
        (0..lanes).for_each(|n| object[p0 + n as usize] = if n == 0 { cut(h) } else { 90 + n });
    }
    let mut sum = 0u32;
    for n in 0..lanes as usize {
        sum = (object[p1 + n] ^ sum.wrapping_mul(31)).wrapping_add(object[p0 + n].wrapping_mul(17));
    }
    object.iter().fold(sum, |sum, x| sum.wrapping_mul(13).wrapping_add(*x))
}

#[test]
fn vectors_in_private_objects_are_accessed_where_each_lane_has_them() {
    // The type of a number, how many a vector has, how many vectors an object has, where the first one is, how many bytes
    // the places are apart, and how the object and an access are aligned.
    let cases = [
        ("i8", (4, 4), 0, 4, [4, 4]),
        ("i8", (4, 4), 0, 4, [16, 4]),
        // Not all are at a multiple of their size, or this is not said.
        ("i8", (4, 4), 0, 1, [4, 1]),
        ("i8", (4, 2), 0, 2, [8, 2]),
        ("i8", (4, 4), 0, 4, [4, 1]),
        ("i8", (4, 4), 0, 4, [1, 4]),
        ("i8", (2, 6), 0, 2, [2, 2]),
        ("i8", (2, 6), 0, 1, [2, 1]),
        ("i8", (8, 2), 0, 8, [8, 8]),
        ("i8", (3, 4), 0, 3, [4, 1]),
        ("i8", (3, 5), 0, 4, [4, 4]),
        ("i8", (4, 3), 4, 4, [4, 4]),
        ("i32", (4, 2), 0, 16, [16, 16]),
        ("i32", (4, 2), 0, 4, [16, 4]),
        ("i32", (2, 3), 0, 8, [8, 8]),
        ("i32", (2, 3), 0, 4, [8, 4]),
        ("i32", (2, 3), 8, 8, [8, 8]),
        ("i32", (2, 3), 4, 8, [8, 4]),
        ("i32", (2, 3), 0, 8, [4, 8]),
        ("i32", (3, 3), 0, 4, [16, 4]),
    ];
    for (number, counts, first, step, aligns) in cases {
        let text = with_vectors(number, counts, first, step, aligns);
        let size = if number == "i8" { 1 } else { 4 };
        assert_gives(&text, &[global()], |item, old| of_vectors(old[item as usize], size, counts, first, step));
    }
    // If an object may begin at any byte, so may an aligned access in it. LLVM would align the object.
    let text = with_vectors("i8", (4, 3), 1, 4, [1, 4]);
    for lanes in [1, 4, 8, 16] {
        let library = build(&text, &[global()], (Mode::Bare, lanes));
        let old: Vec<u32> = (0..100).map(|n: u32| n.wrapping_mul(0x9e37_79b9) >> 20).collect();
        let out = run_from(&library, line(100, 50), old.clone(), &[]);
        let expected: Vec<u32> = old.iter().map(|h| of_vectors(*h, 1, (4, 3), 1, 4)).collect();
        assert_eq!(out, expected, "{lanes}");
    }
}
