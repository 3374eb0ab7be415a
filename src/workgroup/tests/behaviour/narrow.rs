//! Gangs of more lanes than a register has numbers of 32 bits, for bytes and shorts: rows of every length, barriers, private
//! arrays and guards.

use oxicl_abi::ArgumentKind;

use super::machine::{self, Mode, Range, argument};
use super::{BARRIER, How, build, global, line, run_from};

/// As many lanes as pay, with all and with no passes behind.
const AS_PAYS: [How; 2] = [(Mode::Full, 0), (Mode::Bare, 0)];

/// Bytes of the part of a buffer that is read; what is written lies behind.
const READ: usize = 512;

fn old() -> Vec<u8> {
    (0..2 * READ as u32).map(|n| (n.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect()
}

/// The lanes of a register of numbers of so many bits.
fn lanes_of(bits: u32) -> u32 {
    (machine::target().vectors.bits / bits).max(1)
}

/// Do bytes have the lanes that are expected of them? Gangs of two registers may cost as little as those of one.
fn are_of_bytes(lanes: u32) -> bool {
    [1, 2].map(|registers| registers * lanes_of(8)).contains(&lanes)
}

#[test]
fn rows_of_every_length_are_done_to_the_last_byte() {
    let body = format!(
        "declare i8 @llvm.umax.i8(i8, i8)
        declare i8 @llvm.umin.i8(i8, i8)
        define void @k(ptr addrspace(1) %out) {{
        %i = call i64 @oxicl.global_id(i32 0)
        %p = getelementptr i8, ptr addrspace(1) %out, i64 %i
        %a = load i8, ptr addrspace(1) %p
        %p1 = getelementptr i8, ptr addrspace(1) %p, i64 1
        %b = load i8, ptr addrspace(1) %p1
        %p2 = getelementptr i8, ptr addrspace(1) %p, i64 2
        %c = load i8, ptr addrspace(1) %p2
        %low = call i8 @llvm.umin.i8(i8 %a, i8 %b)
        %high = call i8 @llvm.umax.i8(i8 %a, i8 %b)
        %below = call i8 @llvm.umin.i8(i8 %high, i8 %c)
        %middle = call i8 @llvm.umax.i8(i8 %low, i8 %below)
        %to = getelementptr i8, ptr addrspace(1) %p, i64 {READ}
        store i8 %middle, ptr addrspace(1) %to
        ret void }}"
    );
    for mode in AS_PAYS {
        let library = build(&body, &[global()], mode);
        assert!(are_of_bytes(library.facts[0].lanes), "{:?}", library.facts[0].remarks);
        for length in (1..=140).chain([255, 256]) {
            let out = run_from(&library, line(length, length), old(), &[]);
            let mut expected = old();
            for at in 0..length as usize {
                let mut three = [expected[at], expected[at + 1], expected[at + 2]];
                three.sort_unstable();
                expected[READ + at] = three[1];
            }
            assert_eq!(out, expected, "{length} {mode:?}");
        }
    }
}

#[test]
fn bytes_that_are_kept_across_a_barrier_are_those_of_their_work_items() {
    let body = format!(
        "@tile = internal addrspace(3) global [260 x i8] undef, align 1
        define void @k(ptr addrspace(1) %out) {{
        %i = call i64 @oxicl.global_id(i32 0)
        %l = call i64 @oxicl.local_id(i32 0)
        %n = call i64 @oxicl.local_size(i32 0)
        %p = getelementptr i8, ptr addrspace(1) %out, i64 %i
        %a = load i8, ptr addrspace(1) %p
        %own = xor i8 %a, 85
        %t = getelementptr i8, ptr addrspace(3) @tile, i64 %l
        store i8 %a, ptr addrspace(3) %t
        %last = sub i64 %n, 1
        %is.last = icmp eq i64 %l, %last
        br i1 %is.last, label %behind, label %wait
        behind: %t0 = getelementptr i8, ptr addrspace(3) %t, i64 1
        store i8 7, ptr addrspace(3) %t0
        br label %wait
        wait: {BARRIER}
        %t1 = getelementptr i8, ptr addrspace(3) %t, i64 1
        %b = load i8, ptr addrspace(3) %t1
        %sum = add i8 %own, %b
        %more = mul i8 %sum, 3
        %all = xor i8 %more, %b
        %to = getelementptr i8, ptr addrspace(1) %p, i64 {READ}
        store i8 %all, ptr addrspace(1) %to
        ret void }}"
    );
    for mode in AS_PAYS {
        let library = build(&body, &[global()], mode);
        assert!(are_of_bytes(library.facts[0].lanes), "{:?}", library.facts[0].remarks);
        for (global, local) in [(1, 1), (40, 40), (100, 100), (131, 131), (256, 64), (96, 24), (200, 8)] {
            let out = run_from(&library, line(global, local), old(), &[]);
            let mut expected = old();
            for at in 0..global as usize {
                let is_last = (at + 1).is_multiple_of(local as usize);
                let b = if is_last { 7 } else { expected[at + 1] };
                let sum = (expected[at] ^ 85).wrapping_add(b);
                expected[READ + at] = sum.wrapping_mul(3) ^ b;
            }
            assert_eq!(out, expected, "{global} {local} {mode:?}");
        }
    }
}

#[test]
fn guarded_rows_of_shorts_have_private_arrays_of_their_own() {
    let body = "define void @k(ptr addrspace(1) %out, i32 %n) {
        %a = alloca [4 x i16], align 2
        %i = call i64 @oxicl.global_id(i32 0)
        %y = call i64 @oxicl.global_id(i32 1)
        %x = trunc i64 %i to i32
        %inside = icmp slt i32 %x, %n
        br i1 %inside, label %do, label %end
        do: %row = mul i64 %y, 64
        %at = add i64 %row, %i
        %p = getelementptr i16, ptr addrspace(1) %out, i64 %at
        %v = load i16, ptr addrspace(1) %p
        %twice = add i16 %v, %v
        %odd = xor i16 %v, 257
        %third = sub i16 %twice, %odd
        store i16 %v, ptr %a
        %a1 = getelementptr i16, ptr %a, i64 1
        store i16 %twice, ptr %a1
        %a2 = getelementptr i16, ptr %a, i64 2
        store i16 %odd, ptr %a2
        %a3 = getelementptr i16, ptr %a, i64 3
        store i16 %third, ptr %a3
        br label %turn
        turn: %k = phi i64 [ 0, %do ], [ %next, %turn ]
        %sum = phi i16 [ 0, %do ], [ %more, %turn ]
        %slot = and i64 %k, 3
        %q = getelementptr i16, ptr %a, i64 %slot
        %w = load i16, ptr %q
        %up = shl i16 %sum, 1
        %more = xor i16 %up, %w
        store i16 %more, ptr %q
        %next = add i64 %k, 1
        %again = icmp ult i64 %next, 7
        br i1 %again, label %turn, label %store
        store: store i16 %more, ptr addrspace(1) %p
        br label %end
        end: ret void }";
    let value = |v: u16| {
        let (twice, odd) = (v.wrapping_add(v), v ^ 257);
        let (mut array, mut sum) = ([v, twice, odd, twice.wrapping_sub(odd)], 0u16);
        for k in 0..7 {
            sum = (sum << 1) ^ array[k % 4];
            array[k % 4] = sum;
        }
        sum
    };
    let old: Vec<u16> = (0..64 * 8u32).map(|n| (n.wrapping_mul(0x9e37_79b9) >> 16) as u16).collect();
    for mode in AS_PAYS {
        let library = build(body, &[global(), argument(ArgumentKind::Value, 4, 8)], mode);
        assert!(library.facts[0].lanes >= lanes_of(16), "{:?}", library.facts[0].remarks);
        for (n, width, local) in
            [(64i32, 64, [16, 4]), (40, 48, [48, 2]), (17, 64, [64, 8]), (3, 40, [40, 1]), (0, 8, [8, 8])]
        {
            let range = Range { dimensions: 2, offset: [0; 3], global: [width, 8, 1], local: [local[0], local[1], 1] };
            let out = run_from(&library, range, old.clone(), &n.to_le_bytes());
            let is_done = |at: usize| ((at % 64) as i64) < i64::from(n).min(width as i64);
            let expected: Vec<u16> =
                old.iter().enumerate().map(|(at, v)| if is_done(at) { value(*v) } else { *v }).collect();
            assert_eq!(out, expected, "{n} {width} {local:?} {mode:?}");
        }
    }
}
