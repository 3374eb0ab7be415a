//! Loops over what is around each work-item's place: all of them go through it equally often.

use super::*;

/// Where the numbers begin that are summed up.
const TABLE: usize = 256;

fn numbers() -> Vec<u32> {
    (0..1024u32).map(|n| n.wrapping_mul(0x9e37_79b9) >> 11).collect()
}

/// A kernel that sums up the numbers from `%x - %r` to `%x + %r`, where `%in` is so, and stores 7 elsewhere. `begin` makes these, and
/// `more` and `step` say how the loop goes on.
fn window(begin: &str, more: &str, step: &str) -> String {
    format!(
        "define void @k(ptr addrspace(1) %out, i32 %given) {{
        entry: %i = call i64 @oxicl.global_id(i32 0)
        %x = trunc i64 %i to i32
        %own = getelementptr i32, ptr addrspace(1) %out, i64 %i
        {begin}
        br i1 %in, label %first, label %end
        first: br label %loop
        loop: %j = phi i32 [ %from, %first ], [ %next, %turn ]
        %sum = phi i32 [ 0, %first ], [ %total, %turn ]
        {more}
        br i1 %more, label %turn, label %summed
        turn: %wide = sext i32 %j to i64
        %at = add i64 %wide, {TABLE}
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %at
        %value = load i32, ptr addrspace(1) %p, align 4
        %times = mul i32 %sum, 3
        %total = add i32 %times, %value
        {step}
        br label %loop
        summed: br label %end
        end: %result = phi i32 [ 7, %entry ], [ %sum, %summed ]
        store i32 %result, ptr addrspace(1) %own, align 4
        ret void }}"
    )
}

/// The same from Rust.
fn expected(old: &[u32], count: usize, r: i64, is_in: impl Fn(i64) -> bool) -> Vec<u32> {
    let sum = |x: i64| {
        (x - r..=x + r).fold(0u32, |sum, j| sum.wrapping_mul(3).wrapping_add(old[(j + TABLE as i64) as usize]))
    };
    let mut all = old.to_vec();
    (0..count as i64).for_each(|x| all[x as usize] = if is_in(x) { sum(x) } else { 7 });
    all
}

/// Runs a window in work-groups of several sizes, one work-item at a time and in gangs.
fn compare(body: &str, radii: &[i32], is_in: impl Fn(i64, i64) -> bool) {
    let old = numbers();
    for mode in MODES.into_iter().chain(GANGS) {
        let library = build(body, &[global(), argument(ArgumentKind::Value, 4, 8)], mode);
        for (r, local) in radii.iter().flat_map(|r| [1, 5, 40, 100].map(|local| (*r, local))) {
            let mut start = old.clone();
            // For those that load it.
            start[200] = r as u32;
            let out = run_from(&library, line(200, local), start.clone(), &r.to_le_bytes());
            let r = i64::from(r);
            let expected = expected(&start, 200, r, |x| is_in(x, r));
            let wrong = (0..out.len()).find(|at| out[*at] != expected[*at]);
            assert_eq!(wrong, None, "{r}, {local}, {mode:?}\n{body}");
        }
    }
}

/// How a counter starts and ends, if `%r` is how far it goes.
fn around(flags: &str) -> String {
    format!("%from = sub {flags} i32 %x, %r\n%to = add {flags} i32 %x, %r")
}

const SIGNED: [&str; 2] = ["%more = icmp sle i32 %j, %to", "%next = add nsw i32 %j, 1"];

#[test]
fn windows_are_gone_through_alike_by_all_lanes() {
    let loaded = "%r.p = getelementptr i32, ptr addrspace(1) %out, i64 200\n%r = load i32, ptr addrspace(1) %r.p";
    for r in ["%r = add i32 %given, 0", loaded] {
        for flags in ["nsw", ""] {
            let begin = format!("{r}\n{}\n%in = icmp ult i32 %x, 1000", around(flags));
            compare(&window(&begin, SIGNED[0], SIGNED[1]), &[0, 1, 7, 40, -1], |_, _| true);
        }
    }
    // The loop may also be left where the counter is one further.
    let past = "%end.at = add nsw i32 %to, 1\n%more = icmp ne i32 %j, %end.at";
    let begin = format!("%r = add i32 %given, 0\n{}\n%in = icmp ult i32 %x, 1000", around("nsw"));
    compare(&window(&begin, past, SIGNED[1]), &[0, 1, 7, 40], |_, _| true);
}

#[test]
fn work_items_that_are_not_in_a_window_promise_nothing_about_it() {
    // Of the first ones `%from` would wrap. They are as far from the end of the window as the others, however that is found out.
    for more in [
        "%more = icmp ule i32 %j, %to",
        "%left = sub i32 %to, %j\n%more = icmp ne i32 %left, -1",
        "%past = add nuw i32 %to, 1\n%left = sub nuw i32 %past, %j\n%more = icmp ne i32 %left, 0",
    ] {
        let body = window("%r = add i32 %given, 0\n%in = icmp uge i32 %x, %r", more, "%next = add nuw i32 %j, 1");
        let body = body.replace("first: br", &format!("first: {}\nbr", around("nuw")));
        compare(&body, &[0, 1, 3, 17], |x, r| x >= r);
    }
}
