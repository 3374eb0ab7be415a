//! Counters of loops that lanes leave in different turns, as each lane has them when it leaves.

use super::*;

/// What comes behind the loading of a work-item's number `%own`, up to the block `end` with its `%result`; and what that is.
type Form = (&'static str, fn(u32, u32) -> u32);

/// The next number of a chain.
fn next(v: u32) -> u32 {
    v.wrapping_mul(5).wrapping_add(1) & 1023
}

/// `%v.next`, the next number of `%v`.
const NEXT: &str = "%five = mul i32 %v, 5
        %one = add i32 %five, 1
        %v.next = and i32 %one, 1023";

const FORMS: [Form; 10] = [
    // Left in the header, with the counter of this turn.
    (
        "br label %loop
        loop: %n = phi i32 [ 4, %0 ], [ %n.next, %turn ]
        %v = phi i32 [ %own, %0 ], [ %v.next, %turn ]
        %low = and i32 %v, 31
        %done = icmp eq i32 %low, 3
        br i1 %done, label %end, label %turn
        turn: NEXT
        %n.next = add i32 %n, 3
        br label %loop
        end: %result = phi i32 [ %n, %loop ]",
        |own, _| 4 + 3 * turns_to(own, 31, 3),
    ),
    // In the middle, beside a limit that all reach at once.
    (
        "br label %loop
        loop: %n = phi i32 [ 0, %0 ], [ %n.next, %turn ]
        %v = phi i32 [ %own, %0 ], [ %v.next, %turn ]
        %more = icmp ult i32 %n, 20
        br i1 %more, label %test, label %end
        test: %low = and i32 %v, 31
        %done = icmp eq i32 %low, 3
        br i1 %done, label %end, label %turn
        turn: NEXT
        %n.next = add i32 %n, 1
        br label %loop
        end: %result = phi i32 [ 777, %loop ], [ %n, %test ]",
        |own, _| Some(turns_to(own, 31, 3)).filter(|turns| *turns < 20).unwrap_or(777),
    ),
    // At the end, with the counter of the next turn.
    (
        "br label %loop
        loop: %n = phi i32 [ 10, %0 ], [ %n.next, %loop ]
        %v = phi i32 [ %own, %0 ], [ %v.next, %loop ]
        NEXT
        %n.next = add i32 %n, -2
        %low = and i32 %v.next, 15
        %done = icmp eq i32 %low, 3
        br i1 %done, label %end, label %loop
        end: %result = phi i32 [ %n.next, %loop ]",
        |own, _| 8u32.wrapping_sub(2 * turns_to(next(own), 15, 3)),
    ),
    // Each lane counts from its own place on; and a number of 64 bits.
    (
        "%from = mul i64 %i, 2
        br label %loop
        loop: %n = phi i64 [ %from, %0 ], [ %n.next, %loop ]
        %v = phi i32 [ %own, %0 ], [ %v.next, %loop ]
        NEXT
        %n.next = add i64 %n, 7
        %low = and i32 %v.next, 15
        %done = icmp eq i32 %low, 3
        br i1 %done, label %left, label %loop
        left: %last = phi i64 [ %n, %loop ]
        br label %end
        end: %result = trunc i64 %last to i32",
        |own, i| 2 * i + 7 * turns_to(next(own), 15, 3),
    ),
    // A vector of the language advances by a constant: it is no counter.
    (
        "br label %loop
        loop: %n = phi <2 x i32> [ <i32 4, i32 9>, %0 ], [ %n.next, %loop ]
        %v = phi i32 [ %own, %0 ], [ %v.next, %loop ]
        NEXT
        %n.next = add <2 x i32> %n, <i32 3, i32 100>
        %low = and i32 %v.next, 15
        %done = icmp eq i32 %low, 3
        br i1 %done, label %left, label %loop
        left: %last = phi <2 x i32> [ %n, %loop ]
        %first = extractelement <2 x i32> %last, i32 0
        %second = extractelement <2 x i32> %last, i32 1
        br label %end
        end: %result = add i32 %first, %second",
        |own, _| 13 + 103 * turns_to(next(own), 15, 3),
    ),
    // Some lanes do not come to the loop, and others have come by a way that does not go through it.
    (
        "%odd = trunc i32 %own to i1
        br i1 %odd, label %end, label %loop
        loop: %n = phi i32 [ 0, %0 ], [ %n.next, %turn ]
        %v = phi i32 [ %own, %0 ], [ %v.next, %turn ]
        %low = and i32 %v, 31
        %done = icmp eq i32 %low, 3
        br i1 %done, label %end, label %turn
        turn: NEXT
        %n.next = add i32 %n, 1
        br label %loop
        end: %result = phi i32 [ 999, %0 ], [ %n, %loop ]",
        |own, _| if own & 1 == 1 { 999 } else { turns_to(own, 31, 3) },
    ),
    // A loop in a loop: lanes come to it in some turns, and leave both at once.
    (
        "br label %outer
        outer: %m = phi i32 [ 0, %0 ], [ %m.next, %again ]
        %u = phi i32 [ %own, %0 ], [ %u.next, %again ]
        %odd = trunc i32 %u to i1
        br i1 %odd, label %again, label %loop
        loop: %n = phi i32 [ %m, %outer ], [ %n.next, %turn ]
        %v = phi i32 [ %u, %outer ], [ %v.next, %turn ]
        %low = and i32 %v, 31
        %done = icmp eq i32 %low, 3
        br i1 %done, label %end, label %turn
        turn: NEXT
        %n.next = add i32 %n, 1
        %stay = and i32 %n.next, 7
        %tired = icmp eq i32 %stay, 7
        br i1 %tired, label %again, label %loop
        again: %w = phi i32 [ %u, %outer ], [ %v.next, %turn ]
        %w.five = mul i32 %w, 5
        %w.one = add i32 %w.five, 1
        %u.next = and i32 %w.one, 1023
        %m.next = add i32 %m, 1
        br label %outer
        end: %result = phi i32 [ %n, %loop ]",
        |own, _| {
            let (mut m, mut u) = (0u32, own);
            loop {
                let (mut n, mut v) = (m, u);
                // Nobody comes to the loop within whose number is odd.
                let mut comes = u & 1 == 0;
                while comes {
                    if v & 31 == 3 {
                        return n;
                    }
                    (v, n) = (next(v), n + 1);
                    comes = n & 7 != 7;
                }
                (u, m) = (next(v), m + 1);
            }
        },
    ),
    // Who leaves was asked in some turns only.
    (
        "br label %loop
        loop: %n = phi i32 [ 0, %0 ], [ %n.next, %turn ]
        %v = phi i32 [ %own, %0 ], [ %v.next, %turn ]
        %high = icmp ugt i32 %v, 300
        br i1 %high, label %turn, label %test
        test: %low = and i32 %v, 15
        %done = icmp eq i32 %low, 3
        br i1 %done, label %end, label %turn
        turn: NEXT
        %n.next = add i32 %n, 1
        br label %loop
        end: %result = phi i32 [ %n, %test ]",
        |own, _| {
            let (mut n, mut v) = (0, own);
            while v > 300 || v & 15 != 3 {
                (v, n) = (next(v), n + 1);
            }
            n
        },
    ),
    // Left at two places in a turn.
    (
        "br label %loop
        loop: %n = phi i32 [ 5, %0 ], [ %n.next, %turn ]
        %v = phi i32 [ %own, %0 ], [ %v.next, %turn ]
        %high = icmp ugt i32 %v, 1000
        br i1 %high, label %end, label %test
        test: %low = and i32 %v, 31
        %done = icmp eq i32 %low, 3
        %n.next = add i32 %n, 1
        br i1 %done, label %end, label %turn
        turn: NEXT
        br label %loop
        end: %result = phi i32 [ %n, %loop ], [ %n.next, %test ]",
        |own, _| {
            let (mut n, mut v) = (5, own);
            while v <= 1000 && v & 31 != 3 {
                (v, n) = (next(v), n + 1);
            }
            if v > 1000 { n } else { n + 1 }
        },
    ),
    // The loop around runs it again, with what it had the last time.
    (
        "br label %outer
        outer: %m = phi i32 [ 0, %0 ], [ %m.next, %left ]
        %sum = phi i32 [ 0, %0 ], [ %sum.next, %left ]
        %u = phi i32 [ %own, %0 ], [ %u.next, %left ]
        br label %loop
        loop: %n = phi i32 [ %m, %outer ], [ %n.next, %turn ]
        %v = phi i32 [ %u, %outer ], [ %v.next, %turn ]
        %low = and i32 %v, 31
        %done = icmp eq i32 %low, 3
        br i1 %done, label %left, label %turn
        turn: NEXT
        %n.next = add i32 %n, 1
        br label %loop
        left: %n.last = phi i32 [ %n, %loop ]
        %v.last = phi i32 [ %v, %loop ]
        %thrice = mul i32 %sum, 3
        %sum.next = add i32 %thrice, %n.last
        %u.next = add i32 %v.last, 5
        %m.next = add i32 %m, 1
        %more = icmp ult i32 %m.next, 4
        br i1 %more, label %outer, label %end
        end: %result = phi i32 [ %sum.next, %left ]",
        |own, _| {
            let (mut sum, mut u) = (0, own);
            for m in 0..4 {
                let turns = turns_to(u, 31, 3);
                sum = sum * 3 + m + turns;
                u = (0..turns).fold(u, |v, _| next(v)) + 5;
            }
            sum
        },
    ),
];

/// How many turns a chain takes until its lowest bits are these.
fn turns_to(mut v: u32, bits: u32, end: u32) -> u32 {
    let mut turns = 0;
    while v & bits != end {
        (v, turns) = (next(v), turns + 1);
    }
    turns
}

#[test]
fn lanes_leave_with_the_counter_of_their_own_turn() {
    let old: Vec<u32> = (0..150u32).map(|n| n.wrapping_mul(0x9e37_79b9) >> 22).collect();
    for (number, (form, expected)) in FORMS.into_iter().enumerate() {
        let form = form.replace("NEXT", NEXT);
        let body = format!(
            "define void @k(ptr addrspace(1) %out) {{
            %i = call i64 @oxicl.global_id(i32 0)
            %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
            %own = load i32, ptr addrspace(1) %p
            {form}
            store i32 %result, ptr addrspace(1) %p
            ret void }}"
        );
        let expected: Vec<u32> = (0..).zip(&old).map(|(i, own)| expected(*own, i)).collect();
        for mode in GANGS.into_iter().chain([(Mode::Bare, 0), (Mode::Full, 0)]) {
            let library = build(&body, &[global()], mode);
            let out = run_from(&library, line(150, 75), old.clone(), &[]);
            assert_eq!(out, expected, "{number}: {mode:?}");
        }
    }
}
