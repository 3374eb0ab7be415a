//! Rows that go through a region at once.

use super::*;

/// With as many lanes and rows as pay, and without.
const WAYS: [How; 4] = [(Mode::Full, 0), (Mode::Bare, 0), (Mode::Full, 16), (Mode::Bare, 1)];

/// Global and local sizes: rows that go by four at once and that do not, shorter than a gang and longer, several planes.
const SIZES: [([u64; 3], [u64; 3]); 9] = [
    ([64, 4, 1], [64, 4, 1]),
    ([32, 16, 1], [16, 16, 1]),
    ([100, 13, 1], [50, 5, 1]),
    ([70, 8, 1], [70, 8, 1]),
    ([33, 9, 2], [33, 4, 1]),
    ([20, 8, 3], [20, 8, 3]),
    ([20, 6, 3], [20, 6, 3]),
    ([3, 12, 2], [3, 12, 2]),
    ([40, 3, 2], [16, 2, 2]),
];

/// Where the kernels have what rows share, and what each has of its own.
const SHARED: usize = 8192;
const OWN: usize = 16384;

fn numbers() -> Vec<u32> {
    (0..24576u32).map(|n| n.wrapping_mul(0x9e37_79b9) >> 7).collect()
}

/// Do kernels go by rows here, if the number of lanes is left open?
fn expect_rows(library: &Library, (_, lanes): How) {
    let found = library.facts[0].remarks.iter().any(|remark| remark.contains("4 rows at once"));
    if lanes != 0 || machine::target().vectors.registers == 32 {
        assert_eq!(found, lanes == 0, "{:?}", library.facts[0].remarks);
    }
}

fn range((global, local): ([u64; 3], [u64; 3])) -> Range {
    Range { dimensions: 3, offset: [0; 3], global, local }
}

/// Who stores a result, by the place along x and the number of the row.
type Guard = (&'static str, fn(usize, usize) -> bool);

const GUARDS: [Guard; 4] = [
    ("%in = icmp ult i64 %x, %w", |_, _| true),
    ("%in = icmp ult i64 %r, 10", |_, r| r < 10),
    ("%right = icmp ult i64 %x, 37\n%top = icmp ult i64 %r, 6\n%in = and i1 %right, %top", |x, r| x < 37 && r < 6),
    ("%both = add i64 %x, %r\n%in = icmp ne i64 %both, 40", |x, r| x + r != 40),
];

#[test]
fn rows_that_share_what_they_load_have_each_its_own_result() {
    let old = numbers();
    for (guard, is_in) in GUARDS {
        let body = guarded(guard);
        for mode in WAYS {
            let library = build(&body, &[global()], mode);
            expect_rows(&library, mode);
            for (global, local) in SIZES {
                let out = run_from(&library, range((global, local)), old.clone(), &[]);
                let mut expected = old.clone();
                for (at, result) in expected.iter_mut().enumerate().take(global.iter().product::<u64>() as usize) {
                    let (id, size) = place(at, (global, local));
                    let row = id[2] * global[1] as usize + id[1];
                    let sum = (0..9).fold(1u32, |sum, n| {
                        let product = old[SHARED + n * 512 + id[0]].wrapping_mul(old[OWN + row * 16 + n]);
                        sum.wrapping_mul(3).wrapping_add(product)
                    });
                    let own = [0, 1, 2].map(|d| id[d] % local[d] as usize);
                    if is_in(id[0], row) {
                        *result = sum.wrapping_add(((own[2] * size[1] + own[1]) * size[0] + own[0]) as u32);
                    }
                }
                assert_eq!(out, expected, "{guard}: {global:?} {local:?} {mode:?}");
            }
        }
    }
}

/// A kernel whose work-items sum up products of what their column has and what their row has, behind a guard.
fn guarded(guard: &str) -> String {
    format!(
        "define void @k(ptr addrspace(1) %out) {{
        %x = call i64 @oxicl.global_id(i32 0)
        %y = call i64 @oxicl.global_id(i32 1)
        %z = call i64 @oxicl.global_id(i32 2)
        %w = call i64 @oxicl.global_size(i32 0)
        %h = call i64 @oxicl.global_size(i32 1)
        %l = call i64 @oxicl.local_linear_id()
        %planes = mul i64 %z, %h
        %r = add i64 %planes, %y
        {guard}
        br i1 %in, label %start, label %ended
        start: %rows = mul i64 %r, 16
        %own.first = add i64 %rows, {OWN}
        %shared.first = add i64 %x, {SHARED}
        br label %turn
        turn: %n = phi i64 [ 0, %start ], [ %next, %turn ]
        %sum = phi i32 [ 1, %start ], [ %more, %turn ]
        %before = mul i64 %n, 512
        %shared.at = add i64 %shared.first, %before
        %shared.p = getelementptr i32, ptr addrspace(1) %out, i64 %shared.at
        %shared = load i32, ptr addrspace(1) %shared.p
        %own.at = add i64 %own.first, %n
        %own.p = getelementptr i32, ptr addrspace(1) %out, i64 %own.at
        %own = load i32, ptr addrspace(1) %own.p
        %product = mul i32 %shared, %own
        %times = mul i32 %sum, 3
        %more = add i32 %times, %product
        %next = add i64 %n, 1
        %again = icmp ult i64 %next, 9
        br i1 %again, label %turn, label %end
        end: %line = mul i64 %r, %w
        %to.at = add i64 %line, %x
        %to = getelementptr i32, ptr addrspace(1) %out, i64 %to.at
        %l32 = trunc i64 %l to i32
        %result = add i32 %more, %l32
        store i32 %result, ptr addrspace(1) %to
        br label %ended
        ended: ret void }}"
    )
}

/// The global id of the work-item that writes a place, and the size of its work-group.
fn place(at: usize, (global, local): ([u64; 3], [u64; 3])) -> ([usize; 3], [usize; 3]) {
    let [global, local] = [global, local].map(|all| all.map(|size| size as usize));
    let id = [at % global[0], at / global[0] % global[1], at / (global[0] * global[1])];
    let size = [0, 1, 2].map(|d| local[d].min(global[d] - id[d] / local[d] * local[d]));
    (id, size)
}

#[test]
fn rows_meet_at_barriers_with_what_each_has_kept() {
    // What is kept differs by the row because work-items have gone different ways, and not by what they have computed.
    let body = format!(
        "@tile = internal addrspace(3) global [1024 x i32] undef, align 4
        define void @k(ptr addrspace(1) %out) {{
        start: %x = call i64 @oxicl.global_id(i32 0)
        %y = call i64 @oxicl.global_id(i32 1)
        %z = call i64 @oxicl.global_id(i32 2)
        %w = call i64 @oxicl.global_size(i32 0)
        %h = call i64 @oxicl.global_size(i32 1)
        %planes = mul i64 %z, %h
        %r = add i64 %planes, %y
        %line = mul i64 %r, %w
        %at = add i64 %line, %x
        %to = getelementptr i32, ptr addrspace(1) %out, i64 %at
        %l = call i64 @oxicl.local_linear_id()
        %lx = call i64 @oxicl.local_id(i32 0)
        %ly = call i64 @oxicl.local_id(i32 1)
        %sx = call i64 @oxicl.local_size(i32 0)
        %sy = call i64 @oxicl.local_size(i32 1)
        %early = icmp ult i64 %ly, 3
        br i1 %early, label %a, label %b
        a: br label %c
        b: br label %c
        c: %which = phi i32 [ 5, %a ], [ 7, %b ]
        %own = load i32, ptr addrspace(1) %to
        %tile = getelementptr i32, ptr addrspace(3) @tile, i64 %l
        store i32 %own, ptr addrspace(3) %tile
        {BARRIER}
        br label %turn
        turn: %n = phi i64 [ 0, %c ], [ %next, %turn ]
        %sum = phi i32 [ 1, %c ], [ %more, %turn ]
        %nx = urem i64 %n, %sx
        %ny = urem i64 %n, %sy
        %column = mul i64 %ny, %sx
        %shared.at = add i64 %column, %lx
        %shared.p = getelementptr i32, ptr addrspace(3) @tile, i64 %shared.at
        %shared = load i32, ptr addrspace(3) %shared.p
        %row = mul i64 %ly, %sx
        %mine.at = add i64 %row, %nx
        %mine.p = getelementptr i32, ptr addrspace(3) @tile, i64 %mine.at
        %mine = load i32, ptr addrspace(3) %mine.p
        %product = mul i32 %shared, %mine
        %times = mul i32 %sum, %which
        %more = add i32 %times, %product
        %next = add i64 %n, 1
        %again = icmp ult i64 %next, 9
        br i1 %again, label %turn, label %end
        end: {BARRIER}
        store i32 %more, ptr addrspace(1) %to
        ret void }}"
    );
    let old = numbers();
    for mode in WAYS {
        let library = build(&body, &[global()], mode);
        expect_rows(&library, mode);
        for (global, local) in SIZES {
            let out = run_from(&library, range((global, local)), old.clone(), &[]);
            let mut expected = old.clone();
            for (at, result) in expected.iter_mut().enumerate().take(global.iter().product::<u64>() as usize) {
                let (id, size) = place(at, (global, local));
                let [local, global] = [local, global].map(|all| all.map(|size| size as usize));
                let (own, first) = ([0, 1].map(|d| id[d] % local[d]), [0, 1, 2].map(|d| id[d] / local[d] * local[d]));
                // What lies in local memory, in the plane that the group begins with.
                let tile = |x: usize, y: usize| old[(first[2] * global[1] + first[1] + y) * global[0] + first[0] + x];
                let which = if own[1] < 3 { 5u32 } else { 7 };
                *result = (0..9).fold(1u32, |sum, n| {
                    let product = tile(own[0], n % size[1]).wrapping_mul(tile(n % size[0], own[1]));
                    sum.wrapping_mul(which).wrapping_add(product)
                });
            }
            assert_eq!(out, expected, "{global:?} {local:?} {mode:?}");
        }
    }
}

#[test]
fn rows_do_not_begin_again_where_they_have_filled_memory() {
    // What is filled is what was loaded before, and rows part behind it.
    let body = "define void @k(ptr addrspace(1) %out) {
        %x = call i64 @oxicl.global_id(i32 0)
        %y = call i64 @oxicl.global_id(i32 1)
        %w = call i64 @oxicl.global_size(i32 0)
        %line = mul i64 %y, %w
        %at = add i64 %line, %x
        %to = getelementptr i32, ptr addrspace(1) %out, i64 %at
        %first = load i32, ptr addrspace(1) %to
        call void @llvm.memset.p1.i64(ptr addrspace(1) %to, i8 0, i64 4, i1 false)
        %shared.first = add i64 %x, 8192
        %in = icmp ult i64 %y, 10
        br i1 %in, label %turn, label %ended
        turn: %n = phi i64 [ 0, %0 ], [ %next, %turn ]
        %sum = phi i32 [ %first, %0 ], [ %more, %turn ]
        %before = mul i64 %n, 512
        %shared.at = add i64 %shared.first, %before
        %shared.p = getelementptr i32, ptr addrspace(1) %out, i64 %shared.at
        %shared = load i32, ptr addrspace(1) %shared.p
        %times = mul i32 %sum, 3
        %more = add i32 %times, %shared
        %next = add i64 %n, 1
        %again = icmp ult i64 %next, 9
        br i1 %again, label %turn, label %end
        end: store i32 %more, ptr addrspace(1) %to
        br label %ended
        ended: ret void }
        declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)";
    let old = numbers();
    for mode in WAYS {
        let library = build(body, &[global()], mode);
        for (global, local) in SIZES.into_iter().filter(|(global, _)| global[2] == 1) {
            let out = run_from(&library, range((global, local)), old.clone(), &[]);
            let mut expected = old.clone();
            for (at, result) in expected.iter_mut().enumerate().take((global[0] * global[1]) as usize) {
                let (x, y) = (at % global[0] as usize, at / global[0] as usize);
                let sum = (0..9).fold(*result, |sum, n| sum.wrapping_mul(3).wrapping_add(old[SHARED + n * 512 + x]));
                *result = if y < 10 { sum } else { 0 };
            }
            assert_eq!(out, expected, "{global:?} {local:?} {mode:?}");
        }
    }
}

/// Kernels whose lanes leave a loop apart: what comes before it with the guard, and whom that lets in; what a turn does besides.
type Tile = (&'static str, fn(usize, usize) -> bool, &'static str, fn([f32; 2], [usize; 2], u32) -> f32);

const TILES: [Tile; 6] = [
    ("br label %start", |_, _| true, "%d = fadd float %z.x, 0.0", |z, _, _| z[0]),
    (
        "%in = icmp ult i64 %r, 10\nbr i1 %in, label %start, label %ended",
        |_, r| r < 10,
        SHARED_IN_TURN,
        |z, own, _| z[0] + own[0] as f32 * 0.01,
    ),
    (
        "%right = icmp ult i64 %x, 37\n%top = icmp ult i64 %r, 6\n%in = and i1 %right, %top\n\
         br i1 %in, label %start, label %ended",
        |x, r| x < 37 && r < 6,
        "%d = fadd float %z.x, 0.0",
        |z, _, _| z[0],
    ),
    (
        "%both = add i64 %x, %r\n%in = icmp ne i64 %both, 40\nbr i1 %in, label %start, label %ended",
        |x, r| x + r != 40,
        ROW_IN_TURN,
        |z, own, _| z[0] - own[1] as f32 * 0.02,
    ),
    ("br label %start", |_, _| true, PARTS_IN_TURN, |z, own, _| if z[1] < 0.25 { z[0] } else { z[0] + own[1] as f32 }),
    ("br label %start", |_, _| true, COUNTED_IN_TURN, |z, _, n| z[0] + n as f32 * 0.03),
];

const SHARED_IN_TURN: &str = "%x.f = uitofp i64 %x to float\n%s = fmul float %x.f, 0x3F847AE140000000\n\
    %d = fadd float %z.x, %s";
const ROW_IN_TURN: &str = "%r.f = uitofp i64 %r to float\n%s = fmul float %r.f, 0x3F947AE140000000\n\
    %d = fsub float %z.x, %s";
const PARTS_IN_TURN: &str = "%low = fcmp olt float %z.y, 0.25\nbr i1 %low, label %joined, label %high\n\
    high: %r.f = uitofp i64 %r to float\n%more = fadd float %z.x, %r.f\nbr label %joined\n\
    joined: %d = phi float [ %z.x, %test ], [ %more, %high ]";
const COUNTED_IN_TURN: &str = "%n.f = uitofp i32 %n to float\n%s = fmul float %n.f, 0x3F9EB851E0000000\n\
    %d = fadd float %z.x, %s";

#[test]
fn rows_of_a_tile_leave_a_loop_lane_by_lane() {
    let wide = machine::target().vectors.registers == 32;
    let old = numbers();
    for (number, (guard, is_in, turn, what)) in TILES.into_iter().enumerate() {
        let body = tile(guard, turn);
        for mode in WAYS {
            let library = build(&body, &[global()], mode);
            let remarks = &library.facts[0].remarks;
            let found = remarks.iter().any(|remark| remark.contains("lanes leave a loop apart"));
            assert!(if mode.1 == 0 { found || !wide } else { !found }, "{number}: {remarks:?}");
            for (global, local) in SIZES {
                let out = run_from(&library, range((global, local)), old.clone(), &[]);
                let mut expected = old.clone();
                for (at, result) in expected.iter_mut().enumerate().take(global.iter().product::<u64>() as usize) {
                    let (id, _) = place(at, (global, local));
                    let row = id[2] * global[1] as usize + id[1];
                    if is_in(id[0], row) {
                        *result = turns_until_left(*result, [id[0], row], what);
                    }
                }
                assert_eq!(out, expected, "{number}: {global:?} {local:?} {mode:?}");
            }
        }
    }
}

/// What a kernel of a tile stores: in how many turns its point left, and how far it had come.
fn turns_until_left(own: u32, place: [usize; 2], what: fn([f32; 2], [usize; 2], u32) -> f32) -> u32 {
    let c = [place[0] as f32 * 0.05 - 1.5, place[1] as f32 * 0.125 - 1.0];
    let (mut z, mut n) = ([(own & 7) as f32 * 0.01, 0.0f32], 0u32);
    while n != 50 {
        let squares = [z[0] * z[0], z[1] * z[1]];
        if squares[0] + squares[1] > 4.0 {
            break;
        }
        let d = what(z, place, n);
        z = [squares[0] - squares[1] + c[0], d * z[1] * 2.0 + c[1]];
        n += 1;
    }
    n ^ z[0].to_bits()
}

/// A kernel that goes on until a point is far, behind a guard.
fn tile(guard: &str, turn: &str) -> String {
    let test = if turn.contains("joined:") { "%joined" } else { "%test" };
    format!(
        "define void @k(ptr addrspace(1) %out) {{
        %x = call i64 @oxicl.global_id(i32 0)
        %y = call i64 @oxicl.global_id(i32 1)
        %z = call i64 @oxicl.global_id(i32 2)
        %w = call i64 @oxicl.global_size(i32 0)
        %h = call i64 @oxicl.global_size(i32 1)
        %planes = mul i64 %z, %h
        %r = add i64 %planes, %y
        {guard}
        start: %line = mul i64 %r, %w
        %at = add i64 %line, %x
        %to = getelementptr i32, ptr addrspace(1) %out, i64 %at
        %own = load i32, ptr addrspace(1) %to
        %own.low = and i32 %own, 7
        %own.f = uitofp i32 %own.low to float
        %first = fmul float %own.f, 0x3F847AE140000000
        %c.x.f = uitofp i64 %x to float
        %c.x.s = fmul float %c.x.f, 0x3FA99999A0000000
        %c.x = fsub float %c.x.s, 1.5
        %c.y.f = uitofp i64 %r to float
        %c.y.s = fmul float %c.y.f, 0.125
        %c.y = fsub float %c.y.s, 1.0
        br label %loop
        loop: %n = phi i32 [ 0, %start ], [ %n.next, {test} ]
        %z.x = phi float [ %first, %start ], [ %x.next, {test} ]
        %z.y = phi float [ 0.0, %start ], [ %y.next, {test} ]
        %more.turns = icmp ne i32 %n, 50
        br i1 %more.turns, label %far, label %left
        far: %xx = fmul float %z.x, %z.x
        %yy = fmul float %z.y, %z.y
        %length = fadd float %xx, %yy
        %is.far = fcmp ogt float %length, 4.0
        br i1 %is.far, label %left, label %test
        test: {turn}
        %product = fmul float %d, %z.y
        %twice = fmul float %product, 2.0
        %y.next = fadd float %twice, %c.y
        %difference = fsub float %xx, %yy
        %x.next = fadd float %difference, %c.x
        %n.next = add i32 %n, 1
        br label %loop
        left: %z.last = phi float [ %z.x, %loop ], [ %z.x, %far ]
        %n.last = phi i32 [ 50, %loop ], [ %n, %far ]
        %bits = bitcast float %z.last to i32
        %result = xor i32 %n.last, %bits
        store i32 %result, ptr addrspace(1) %to
        br label %ended
        ended: ret void }}"
    )
}
