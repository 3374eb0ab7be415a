//! Guards: branches on comparisons of places, by which gangs whose work-items agree run without masks.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use super::*;

/// With as many lanes as pay, with fewer and more, and one by one.
const WAYS: [How; 4] = [(Mode::Full, 0), (Mode::Bare, 4), (Mode::Full, 8), (Mode::Bare, 1)];

/// A work-item: ids along x and y, the local id along x, and the size of the range.
#[derive(Clone, Copy)]
struct Item {
    x: u64,
    y: u64,
    own: u64,
    width: u64,
}

impl Item {
    /// The id along x in 32 bits.
    fn low(self) -> i32 {
        self.x as i32
    }
}

/// A guard: the code that computes `%in`, from 64-bit `%x`, `%y`, `%own`, `%w`, 32-bit `%i`, `%n` and the address `%bounds` of
/// numbers of 32 bits; whether a region behind it has a body for those that agree; and who passes.
struct Guard {
    code: &'static str,
    agrees: bool,
    passes: fn(Item, i32, &[i32]) -> bool,
}

const fn guard(code: &'static str, passes: fn(Item, i32, &[i32]) -> bool) -> Guard {
    Guard { code, agrees: true, passes }
}

const GUARDS: &[Guard] = &[
    // Signed and unsigned, in either order, on either side.
    guard("%in = icmp slt i32 %i, %n", |at, n, _| at.low() < n),
    guard("%in = icmp sge i32 %n, %i", |at, n, _| n >= at.low()),
    guard("%in = icmp ult i32 %i, %n", |at, n, _| (at.low() as u32) < n as u32),
    guard("%in = icmp ugt i32 %i, %n", |at, n, _| at.low() as u32 > n as u32),
    guard("%m = sext i32 %n to i64\n%in = icmp sle i64 %x, %m", |at, n, _| at.x as i64 <= i64::from(n)),
    guard("%m = sext i32 %n to i64\n%in = icmp ule i64 %x, %m", |at, n, _| at.x <= i64::from(n) as u64),
    // One work-item, all but one.
    guard("%in = icmp eq i32 %i, %n", |at, n, _| at.low() == n),
    guard("%in = icmp ne i32 %i, %n", |at, n, _| at.low() != n),
    guard("%twice = shl i32 %i, 1\n%in = icmp ne i32 %twice, %n", |at, n, _| at.low().wrapping_mul(2) != n),
    // A range, from below and from above, and by one comparison.
    guard("%e = add i32 %n, -2\n%a = icmp sgt i32 %i, 2\n%b = icmp slt i32 %i, %e\n%in = and i1 %a, %b", |at, n, _| {
        at.low() > 2 && at.low() < n.wrapping_sub(2)
    }),
    guard("%s = add i32 %i, -1\n%e = add i32 %n, -2\n%in = icmp ult i32 %s, %e", |at, n, _| {
        (at.low().wrapping_sub(1) as u32) < n.wrapping_sub(2) as u32
    }),
    // What rows share beside it.
    guard(
        "%r = trunc i64 %y to i32\n%a = icmp slt i32 %i, %n\n%b = icmp slt i32 %r, 3\n%in = and i1 %a, %b",
        |at, n, _| at.low() < n && at.y < 3,
    ),
    guard("%r = trunc i64 %y to i32\n%in = icmp sgt i32 %i, %r", |at, _, _| at.low() > at.y as i32),
    // Strides of two, three and back.
    guard("%twice = shl i32 %i, 1\n%in = icmp slt i32 %twice, %n", |at, n, _| at.low().wrapping_mul(2) < n),
    guard("%three = mul i64 %x, 3\n%m = sext i32 %n to i64\n%in = icmp sgt i64 %three, %m", |at, n, _| {
        at.x as i64 * 3 > i64::from(n)
    }),
    guard("%back = sub i32 %n, %i\n%in = icmp sgt i32 %back, 4", |at, n, _| n.wrapping_sub(at.low()) > 4),
    guard("%back = sub i32 0, %i\n%in = icmp uge i32 %back, %n", |at, n, _| {
        0i32.wrapping_sub(at.low()) as u32 >= n as u32
    }),
    // Both sides go on, at the same pace and at another.
    guard("%twice = shl i32 %i, 1\n%far = add i32 %i, %n\n%in = icmp slt i32 %twice, %far", |at, n, _| {
        at.low().wrapping_mul(2) < at.low().wrapping_add(n)
    }),
    guard("%far = add i32 %i, %n\n%in = icmp slt i32 %i, %far", |at, n, _| at.low() < at.low().wrapping_add(n)),
    // Numbers that wrap within a row.
    guard("%s = add i32 %i, 2147483630\n%in = icmp slt i32 %s, %n", |at, n, _| {
        at.low().wrapping_add(2_147_483_630) < n
    }),
    guard("%s = add i32 %i, 1\n%in = icmp sgt i32 %s, %n", |at, n, _| at.low().wrapping_add(1) > n),
    guard("%s = add i32 %i, -20\n%in = icmp ult i32 %s, %n", |at, n, _| (at.low().wrapping_sub(20) as u32) < n as u32),
    guard("%s = shl i32 %i, 27\n%in = icmp slt i32 %s, %n", |at, n, _| (at.low() << 27) < n),
    guard("%s = mul i64 %x, 1152921504606846976\n%m = sext i32 %n to i64\n%in = icmp slt i64 %s, %m", |at, n, _| {
        (at.x.wrapping_mul(1 << 60) as i64) < i64::from(n)
    }),
    guard(
        "%t = trunc i64 %x to i16\n%s = add i16 %t, 32750\n%m = trunc i32 %n to i16\n%in = icmp sgt i16 %s, %m",
        |at, n, _| (at.x as i16).wrapping_add(32_750) > n as i16,
    ),
    // The same, extended to more bits.
    guard("%s = add i32 %i, 2147483630\n%l = sext i32 %s to i64\n%in = icmp sgt i64 %l, 5", |at, _, _| {
        i64::from(at.low().wrapping_add(2_147_483_630)) > 5
    }),
    guard(
        "%s = add i32 %i, -20\n%l = zext i32 %s to i64\n%m = zext i32 %n to i64\n%in = icmp ult i64 %l, %m",
        |at, n, _| at.low().wrapping_sub(20) as u32 <= n as u32 && at.low().wrapping_sub(20) != n,
    ),
    // Several, put together in other ways.
    guard("%a = icmp slt i32 %i, 9\n%b = icmp sgt i32 %i, %n\n%in = or i1 %a, %b", |at, n, _| {
        at.low() < 9 || at.low() > n
    }),
    guard("%a = icmp slt i32 %i, 40\n%b = icmp slt i32 %i, %n\n%in = xor i1 %a, %b", |at, n, _| {
        (at.low() < 40) != (at.low() < n)
    }),
    guard(
        "%a = icmp slt i32 %i, 30\n%b = icmp sgt i32 %i, 3\n%c = icmp slt i32 %i, %n\n%d = freeze i1 %c\n\
         %in = select i1 %a, i1 %b, i1 %d",
        |at, n, _| if at.low() < 30 { at.low() > 3 } else { at.low() < n },
    ),
    // Other places.
    guard("%m = sext i32 %n to i64\n%in = icmp ult i64 %own, %m", |at, n, _| at.own < i64::from(n) as u64),
    guard("%e = add i64 %w, -3\n%in = icmp ult i64 %x, %e", |at, _, _| at.x < at.width.wrapping_sub(3)),
    // A bound that is computed: by a division, the less of two, and from memory that nobody writes.
    guard("%e = sdiv i32 %n, 3\n%in = icmp slt i32 %i, %e", |at, n, _| at.low() < n / 3),
    guard("%e = call i32 @llvm.smin.i32(i32 %n, i32 50)\n%in = icmp slt i32 %i, %e", |at, n, _| at.low() < n.min(50)),
    guard(
        "%p = getelementptr i32, ptr addrspace(1) %bounds, i64 1\n%e = load i32, ptr addrspace(1) %p\n\
         %in = icmp slt i32 %i, %e",
        |at, _, bounds| at.low() < bounds[1],
    ),
    guard(
        "%p = getelementptr i32, ptr addrspace(1) %bounds, i64 %y\n%e = load i32, ptr addrspace(1) %p\n\
         %in = icmp slt i32 %i, %e",
        |at, _, bounds| at.low() < bounds[at.y as usize],
    ),
    // What is none: a number of each work-item's own, and memory that the kernel may write, or that others may order.
    Guard {
        code: "%p = getelementptr i32, ptr addrspace(1) %bounds, i64 %x\n%e = load i32, ptr addrspace(1) %p\n\
               %in = icmp slt i32 %e, %n",
        agrees: false,
        passes: |at, n, bounds| bounds[at.x as usize] < n,
    },
    Guard { code: "%odd = and i32 %i, 1\n%in = icmp eq i32 %odd, 0", agrees: false, passes: |at, _, _| at.x & 1 == 0 },
    Guard {
        code: "%e = load volatile i32, ptr addrspace(1) %bounds\n%in = icmp slt i32 %i, %e",
        agrees: false,
        passes: |at, _, bounds| at.low() < bounds[0],
    },
    Guard {
        code: "%p = getelementptr i32, ptr addrspace(1) %out, i64 8190\n%e = load i32, ptr addrspace(1) %p\n\
               %in = icmp slt i32 %i, %e",
        agrees: false,
        passes: |at, _, _| at.low() < 33,
    },
];

/// Work-items store words and bytes of their own behind a guard.
fn kernel(name: &str, guard: &str) -> String {
    format!(
        "define void @{name}(ptr addrspace(1) %out, i32 %n, ptr addrspace(1) noalias %bounds) {{
        start: %x = call i64 @oxicl.global_id(i32 0)
        %y = call i64 @oxicl.global_id(i32 1)
        %own = call i64 @oxicl.local_id(i32 0)
        %w = call i64 @oxicl.global_size(i32 0)
        %i = trunc i64 %x to i32
        {guard}
        br i1 %in, label %store, label %end
        store: %row = mul i64 %y, 512
        %at = add i64 %row, %x
        %word.at = getelementptr i32, ptr addrspace(1) %out, i64 %at
        %new = mul i32 %i, 77
        store i32 %new, ptr addrspace(1) %word.at
        %bytes = getelementptr i8, ptr addrspace(1) %out, i64 16384
        %byte.at = getelementptr i8, ptr addrspace(1) %bytes, i64 %at
        %byte = trunc i32 %new to i8
        store i8 %byte, ptr addrspace(1) %byte.at
        br label %end
        end: ret void }}\n"
    )
}

fn arguments() -> Vec<Argument> {
    vec![global(), argument(ArgumentKind::Value, 4, 8), argument(ArgumentKind::Global, 8, 16)]
}

/// Global and local sizes, and what the global ids begin with.
const RANGES: [([u64; 3], [u64; 3], u64); 8] = [
    ([1, 1, 1], [1, 1, 1], 0),
    ([64, 1, 1], [64, 1, 1], 0),
    ([300, 1, 1], [300, 1, 1], 0),
    ([100, 1, 1], [37, 1, 1], 5),
    ([64, 5, 1], [16, 4, 1], 0),
    ([40, 6, 1], [8, 3, 1], 0),
    ([130, 3, 1], [64, 2, 1], 3),
    ([96, 1, 1], [32, 1, 1], 0),
];

const NUMBERS: [i32; 10] = [0, 1, 7, 16, 33, 64, 101, -3, i32::MAX, i32::MIN + 2];

/// The bounds in memory.
fn bounds() -> Vec<i32> {
    (0..512).map(|n| [20, 37, 64, 3, 500, -1][n % 6]).collect()
}

/// What is there before: the last but one word is a bound.
fn old() -> Vec<u32> {
    let mut old: Vec<u32> = (0..8192u32).map(|n| n.wrapping_mul(0x9e37_79b9)).collect();
    old[8190] = 33;
    old
}

/// What work-items that pass leave.
fn expected(guard: &Guard, (global, local, offset): ([u64; 3], [u64; 3], u64), n: i32, bounds: &[i32]) -> Vec<u32> {
    let mut bytes: Vec<u8> = old().iter().flat_map(|word| word.to_le_bytes()).collect();
    for place in 0..global[0] * global[1] {
        let (along, y) = (place % global[0], place / global[0]);
        let item = Item { x: along + offset, y, own: along % local[0], width: global[0] };
        if (guard.passes)(item, n, bounds) {
            let (at, new) = ((y * 512 + item.x) as usize, (item.x as u32).wrapping_mul(77));
            bytes[4 * at..4 * at + 4].copy_from_slice(&new.to_le_bytes());
            bytes[16384 + at] = new as u8;
        }
    }
    bytes.chunks(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

fn block_of(out: &mut [u32], n: i32, bounds: &[i32]) -> Vec<u8> {
    let mut block = (out.as_mut_ptr() as u64).to_le_bytes().to_vec();
    block.extend(n.to_le_bytes());
    block.extend([0; 4]);
    block.extend((bounds.as_ptr() as u64).to_le_bytes());
    block
}

/// Has a kernel a body for gangs whose work-items agree?
fn agrees(library: &Library, kernel: usize) -> bool {
    library.facts[kernel].remarks.iter().any(|remark| remark.contains("agree on guards"))
}

#[test]
fn guards_of_every_form_let_the_same_work_items_pass() {
    let names: Vec<String> = (0..GUARDS.len()).map(|number| format!("k{number}")).collect();
    let mut text = format!("{DECLARATIONS}declare i32 @llvm.smin.i32(i32, i32)\n");
    for (name, guard) in names.iter().zip(GUARDS) {
        text += &kernel(name, guard.code);
    }
    let kernels: Vec<_> = names.iter().map(|name| (name.as_str(), signature(arguments()))).collect();
    let bounds = bounds();
    for mode in WAYS {
        let library = compile(&text, &kernels, mode);
        for (number, guard) in GUARDS.iter().enumerate() {
            let remarks = &library.facts[number].remarks;
            assert_eq!(agrees(&library, number), guard.agrees && mode.1 != 1, "{}: {mode:?} {remarks:?}", guard.code);
            // Each range with half of the numbers, and the other half with the next kernel.
            let pairs = RANGES.iter().enumerate().flat_map(|(r, range)| {
                let half = NUMBERS.into_iter().enumerate().filter(move |(at, _)| (at + r + number).is_multiple_of(2));
                half.map(|(_, n)| (*range, n))
            });
            for (range, n) in pairs {
                let (global, local, offset) = range;
                let mut out = old();
                let block = block_of(&mut out, n, &bounds);
                let places = Range { dimensions: 2, offset: [offset, 0, 0], global, local };
                run(&library, number, places, &block, 256, 3);
                assert!(out == expected(guard, range, n, &bounds), "{}: {range:?} {n} {mode:?}", guard.code);
            }
        }
    }
}

#[test]
fn work_items_that_do_not_pass_a_barrier_have_masks_and_others_none() {
    // Each reads what its neighbour wrote, behind guards before, across and behind the barrier; some leave early.
    let body = format!(
        "@tile = internal addrspace(3) global [512 x i32] undef, align 4
        define void @k(ptr addrspace(1) %out, i32 %n, ptr addrspace(1) noalias %bounds) {{
        start: %x = call i64 @oxicl.global_id(i32 0)
        %l = call i64 @oxicl.local_id(i32 0)
        %s = call i64 @oxicl.local_size(i32 0)
        %i = trunc i64 %x to i32
        %mine = getelementptr i32, ptr addrspace(3) @tile, i64 %l
        store i32 7, ptr addrspace(3) %mine
        %in = icmp slt i32 %i, %n
        br i1 %in, label %write, label %wait
        write: %new = mul i32 %i, 3
        store i32 %new, ptr addrspace(3) %mine
        br label %wait
        wait: {BARRIER}
        %early = icmp eq i64 %x, 5
        br i1 %early, label %end, label %more
        more: %last = sub i64 %s, 1
        %other = sub i64 %last, %l
        %yours = getelementptr i32, ptr addrspace(3) @tile, i64 %other
        %v = load i32, ptr addrspace(3) %yours
        {BARRIER}
        %e = sub i32 %n, 2
        %low = icmp ugt i32 %i, 2
        %high = icmp slt i32 %i, %e
        %both = and i1 %low, %high
        br i1 %both, label %store, label %end
        store: %p = getelementptr i32, ptr addrspace(1) %out, i64 %x
        store i32 %v, ptr addrspace(1) %p
        br label %end
        end: ret void }}"
    );
    for mode in WAYS {
        let library = build(&body, &arguments(), mode);
        assert_eq!(agrees(&library, 0), library.facts[0].lanes > 1, "{mode:?}: {:?}", library.facts[0].remarks);
        for (length, local) in [(1, 1), (16, 16), (64, 64), (200, 50), (300, 300u64)] {
            for n in NUMBERS {
                let mut out = vec![1u32; 512];
                let block = block_of(&mut out, n, &[]);
                run(&library, 0, line(length, local), &block, 4096, 2);
                for (x, found) in out.iter().enumerate() {
                    let i = x as i32;
                    let group = x as u64 / local * local;
                    let other = (group + local - 1 - x as u64 % local) as i32;
                    let passes = (x as u64) < length && i > 2 && i < n.wrapping_sub(2) && i != 5;
                    let wrote = if other < n { 3 * other as u32 } else { 7 };
                    assert_eq!(*found, if passes { wrote } else { 1 }, "{x} of {length} by {local}, {n}: {mode:?}");
                }
            }
        }
    }
}

#[test]
fn sub_groups_hold_those_that_come_to_them_behind_a_guard() {
    let text = format!(
        "{DECLARATIONS}declare i64 @oxicl.sub_group.ballot(i1) convergent nounwind
        define void @k(ptr addrspace(1) %out, i32 %n, ptr addrspace(1) noalias %bounds) {{
        start: %x = call i64 @oxicl.global_id(i32 0)
        %i = trunc i64 %x to i32
        %p = getelementptr i64, ptr addrspace(1) %out, i64 %x
        %in = icmp slt i32 %i, %n
        br i1 %in, label %ask, label %end
        ask: %here = call i64 @oxicl.sub_group.ballot(i1 true)
        store i64 %here, ptr addrspace(1) %p
        br label %end
        end: ret void }}"
    );
    for (mode, size) in [(Mode::Bare, 8), (Mode::Full, 16), (Mode::Cheap, 4)] {
        let library = machine::compile_for(&text, &[("k", signature(arguments()))], mode, 0, size);
        assert!(agrees(&library, 0), "{:?}", library.facts[0].remarks);
        for (length, local) in [(64, 64), (200, 50), (96, 32u64)] {
            for n in [0, 1, 7, 16, 33, 64, 101, i32::MAX] {
                let mut out = vec![1u64 << 63; 256];
                let mut block = (out.as_mut_ptr() as u64).to_le_bytes().to_vec();
                block.extend(n.to_le_bytes());
                block.extend([0; 12]);
                run(&library, 0, line(length, local), &block, 256, 2);
                for (x, found) in out.iter().enumerate().take(length as usize) {
                    let own = x as u64 % local;
                    let first = x as u64 - own % u64::from(size);
                    let end = (x as u64 / local * local + local).min(length);
                    let here = (first..end.min(first + u64::from(size))).filter(|other| (*other as i64) < i64::from(n));
                    let bits = here.fold(0, |bits, other| bits | 1 << (other - first));
                    let expected = if (x as i64) < i64::from(n) { bits } else { 1 << 63 };
                    assert_eq!(*found, expected, "{x} of {length} by {local}, {n}, {size}: {mode:?}");
                }
            }
        }
    }
}

#[test]
fn work_groups_that_run_as_one_agree_across_their_bounds() {
    let guard = &GUARDS[9];
    let bounds = bounds();
    for required in [[1, 1, 1], [4, 1, 1], [3, 2, 1]] {
        let signature = KernelSignature { required_work_group_size: Some(required), ..signature(arguments()) };
        for mode in [(Mode::Full, 0), (Mode::Bare, 16)] {
            // What asks for its group is not run as if there were none.
            let code = format!("{}\n%g = call i64 @oxicl.group_id(i32 0)\n%known = freeze i64 %g", guard.code);
            let text = format!("{DECLARATIONS}{}", kernel("k", &code));
            let library = compile(&text, &[("k", signature.clone())], mode);
            let local = required.map(u64::from);
            for global in [[48, 2, 1], [102, 4, 1], [64, 2, 1u64]] {
                for n in NUMBERS {
                    let mut out = old();
                    let block = block_of(&mut out, n, &bounds);
                    let places = Range { dimensions: 2, offset: [0; 3], global, local };
                    run(&library, 0, places, &block, 256, 64);
                    assert!(
                        out == expected(guard, (global, local, 0), n, &bounds),
                        "{required:?} {global:?} {n} {mode:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_bound_that_the_kernel_writes_is_read_where_it_stands() {
    // Each row's bound is written by the work-item that reads it.
    let body = "define void @k(ptr addrspace(1) %out, i32 %n, ptr addrspace(1) %bounds) {
        start: %x = call i64 @oxicl.global_id(i32 0)
        %y = call i64 @oxicl.global_id(i32 1)
        %i = trunc i64 %x to i32
        %p = getelementptr i32, ptr addrspace(1) %bounds, i64 %y
        %wide = trunc i64 %y to i32
        %new = mul i32 %wide, 9
        store i32 %new, ptr addrspace(1) %p
        %e = load volatile i32, ptr addrspace(1) %p
        %f = load i32, ptr addrspace(1) %p
        %in = icmp slt i32 %i, %f
        br i1 %in, label %store, label %end
        store: %row = mul i64 %y, 512
        %at = add i64 %row, %x
        %q = getelementptr i32, ptr addrspace(1) %out, i64 %at
        store i32 5, ptr addrspace(1) %q
        br label %end
        end: ret void }";
    for mode in WAYS {
        let library = build(body, &arguments(), mode);
        let (mut out, bounds) = (vec![0u32; 4096], vec![1000i32; 8]);
        let block = block_of(&mut out, 0, &bounds);
        let places = Range { dimensions: 2, offset: [0; 3], global: [64, 5, 1], local: [64, 5, 1] };
        run(&library, 0, places, &block, 256, 1);
        for (at, found) in out.iter().enumerate() {
            let passes = at % 512 < 64 && at / 512 < 5 && at % 512 < at / 512 * 9;
            assert_eq!(*found, if passes { 5 } else { 0 }, "{at}: {mode:?}");
        }
    }
}

/// A row of bytes with a page before it and one behind it that nobody may touch.
struct Fenced {
    start: *mut u8,
    bytes: usize,
}

const PAGE: usize = 4096;

impl Fenced {
    fn new() -> Self {
        let (bytes, none) = (3 * PAGE, libc::PROT_NONE);
        // SAFETY: new pages of no file, of which the outer two are closed; they are given back when this goes.
        let start = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let all = libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
            assert!(all != libc::MAP_FAILED);
            assert_eq!((libc::mprotect(all, PAGE, none), libc::mprotect(all.byte_add(2 * PAGE), PAGE, none)), (0, 0));
            all.cast::<u8>()
        };
        Fenced { start, bytes }
    }

    /// The address of a byte of the open page.
    fn at(&self, byte: usize) -> *mut u8 {
        // SAFETY: it lies in the pages, or right behind the open one.
        unsafe { self.start.add(PAGE + byte) }
    }
}

impl Drop for Fenced {
    fn drop(&mut self) {
        // SAFETY: they were mapped so, and nobody has them any more.
        unsafe { libc::munmap(self.start.cast(), self.bytes) };
    }
}

/// Copies numbers of so many bytes, of the work-items from one on and up to one.
fn copy_of(bits: u32) -> String {
    format!(
        "define void @k{bits}(ptr addrspace(1) %to, ptr addrspace(1) %from, i32 %first, i32 %end) {{
        start: %x = call i64 @oxicl.global_id(i32 0)
        %i = trunc i64 %x to i32
        %a = icmp sge i32 %i, %first
        %b = icmp slt i32 %i, %end
        %in = and i1 %a, %b
        br i1 %in, label %store, label %done
        store: %p = getelementptr i{bits}, ptr addrspace(1) %from, i64 %x
        %v = load i{bits}, ptr addrspace(1) %p
        %q = getelementptr i{bits}, ptr addrspace(1) %to, i64 %x
        store i{bits} %v, ptr addrspace(1) %q
        br label %done
        done: ret void }}\n"
    )
}

#[test]
fn lanes_that_are_off_touch_no_byte_beside_those_that_are_on() {
    let arguments = vec![
        global(),
        argument(ArgumentKind::Global, 8, 8),
        argument(ArgumentKind::Value, 4, 16),
        argument(ArgumentKind::Value, 4, 20),
    ];
    let sizes = [8u32, 16, 32, 64];
    let text = format!("{DECLARATIONS}{}", sizes.map(copy_of).concat());
    let names = sizes.map(|bits| format!("k{bits}"));
    let kernels: Vec<_> = names.iter().map(|name| (name.as_str(), signature(arguments.clone()))).collect();
    for mode in [(Mode::Full, 0), (Mode::Bare, 4), (Mode::Full, 8), (Mode::Full, 16)] {
        let library = compile(&text, &kernels, mode);
        for (kernel, bits) in sizes.iter().enumerate() {
            assert!(agrees(&library, kernel));
            let (width, items) = (*bits as usize / 8, 160);
            let (from, to) = (Fenced::new(), Fenced::new());
            // At the end of a page, and at the start of one.
            for (first, end, at_end) in
                [(0, 150, true), (0, 129, true), (7, 160, false), (33, 160, false), (9, 97, true)]
            {
                let base = if at_end { PAGE as isize - (end * width) as isize } else { -((first * width) as isize) };
                for byte in 0..(end - first) * width {
                    let place = (base + (first * width + byte) as isize) as usize;
                    // SAFETY: bytes of the open pages.
                    unsafe { (*from.at(place), *to.at(place)) = (byte as u8 ^ 0x5a, 0) };
                }
                let address = |pages: &Fenced| (pages.at(0) as u64).wrapping_add_signed(base as i64);
                let mut block = [address(&to).to_le_bytes(), address(&from).to_le_bytes()].concat();
                block.extend([first as i32, end as i32].map(i32::to_le_bytes).concat());
                run(&library, kernel, line(items, items), &block, 256, 1);
                for byte in 0..(end - first) * width {
                    let place = (base + (first * width + byte) as isize) as usize;
                    // SAFETY: as above.
                    assert_eq!(unsafe { *to.at(place) }, byte as u8 ^ 0x5a, "{bits} bits: {first}..{end}, {mode:?}");
                }
            }
            count_beside((&library, kernel), width, mode);
        }
    }
}

/// Another thread counts in the bytes on both sides of those that are written: no count is lost.
fn count_beside((library, kernel): (&Library, usize), width: usize, mode: How) {
    let (first, end, items) = (5usize, 155usize, 160usize);
    let from = vec![0xffu8; items * width];
    let to: Vec<AtomicU8> = (0..items * width).map(|_| AtomicU8::new(0)).collect();
    let is_done = AtomicBool::new(false);
    let beside = [first * width - 1, end * width, first * width - width.min(2), end * width + 1];
    let counts = std::thread::scope(|scope| {
        let counter = scope.spawn(|| {
            let mut counts = 0u8;
            let mut lost = 0;
            while !is_done.load(Ordering::Relaxed) || counts == 0 {
                for place in beside {
                    // What it wrote itself it finds, whatever is written beside it.
                    to[place].store(counts, Ordering::Relaxed);
                    std::hint::spin_loop();
                    lost += usize::from(to[place].load(Ordering::Relaxed) != counts);
                }
                counts = counts.wrapping_add(1);
            }
            lost
        });
        let mut block = [to.as_ptr() as u64, from.as_ptr() as u64].map(u64::to_le_bytes).concat();
        block.extend([first as i32, end as i32].map(i32::to_le_bytes).concat());
        for _ in 0..4000 {
            run(library, kernel, line(items as u64, items as u64), &block, 256, 1);
        }
        is_done.store(true, Ordering::Relaxed);
        counter.join().expect("it counts")
    });
    assert_eq!(counts, 0, "{width} bytes: {mode:?}");
    let written = to[first * width..end * width].iter().all(|byte| byte.load(Ordering::Relaxed) == 0xff);
    assert!(written, "{width} bytes: {mode:?}");
}
