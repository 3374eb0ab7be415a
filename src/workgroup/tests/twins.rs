//! Kernels on both sides of a length that once decided how they run. Nothing decides by length alone: the longer of two that are nearly
//! the same costs a little more, and runs in the same way, or where two ways cost the same in the other.

mod written;

use written::written_for;

/// So many operations on `ty`, from `%v0`; the last result has the next number.
fn chain(ty: &str, count: usize) -> String {
    let step = |n: usize| {
        let (opcode, by) = match (ty, n % 3) {
            ("float", 0) => ("fadd", "2.5"),
            ("float", 1) => ("fmul", "0.5"),
            ("float", _) => ("fsub", "0.25"),
            (_, 0) => ("add", "17"),
            (_, 1) => ("xor", "85"),
            _ => ("sub", "3"),
        };
        format!("  %v{} = {opcode} {ty} %v{n}, {by}\n", n + 1)
    };
    (0..count).map(step).collect()
}

/// Numbers that are loaded, changed and stored.
fn straight(ty: &str, count: usize) -> String {
    format!(
        "  %p = getelementptr inbounds {ty}, ptr addrspace(1) %out, i64 %gid\n  %v0 = load {ty}, ptr addrspace(1) %p\n{}\
         store {ty} %v{count}, ptr addrspace(1) %p\n  ret void",
        chain(ty, count)
    )
}

fn floats(count: usize) -> String {
    straight("float", count)
}

fn bytes(count: usize) -> String {
    straight("i8", count)
}

/// The same behind a guard.
fn guarded(count: usize) -> String {
    let body = floats(count).replace("ret void", "br label %off");
    format!("  %inside = icmp slt i32 %id, %n\n  br i1 %inside, label %on, label %off\non:\n{body}\noff:\n  ret void")
}

/// The same of numbers that lie 80 bytes apart.
fn strided(count: usize) -> String {
    apart("mul nsw i64 %gid, 20", count)
}

/// The same of numbers that may lie side by side.
fn masked(count: usize) -> String {
    apart("and i64 %gid, 1023", count)
}

fn apart(index: &str, count: usize) -> String {
    format!("  %at = {index}\n{}", floats(count).replacen("i64 %gid", "i64 %at", 1))
}

/// A loop that waits for its own results.
fn waits(count: usize) -> String {
    format!(
        "  %first = load float, ptr addrspace(1) %place\n  br label %loop\n\
         loop:\n  %c = phi i32 [ 0, %entry ], [ %c2, %loop ]\n\
         %v0 = phi float [ %first, %entry ], [ %v{count}, %loop ]\n{}\
         %c2 = add nuw nsw i32 %c, 1\n  %more = icmp ult i32 %c2, %n\n  br i1 %more, label %loop, label %end\n\
         end:\n  store float %v{count}, ptr addrspace(1) %place\n  ret void",
        chain("float", count)
    )
}

/// The lanes of a kernel's gangs, and its price.
fn plan(level: &str, body: &str) -> (f64, f64) {
    let (remarks, _) = written_for(level, "", body);
    let number = |from: &str, to: &str| -> f64 {
        let rest = remarks.split_once(from).map(|(_, rest)| rest);
        let number = rest.and_then(|rest| rest.split_once(to)).map(|(number, _)| number.parse());
        number.and_then(Result::ok).unwrap_or_else(|| panic!("no number behind {from:?} in {remarks}"))
    };
    (number("V = ", ":"), number("priced at ", " "))
}

#[test]
fn kernels_that_are_a_little_longer_run_in_the_same_way() {
    const SORTS: [fn(usize) -> String; 6] = [floats, bytes, guarded, strided, masked, waits];
    // Where regions were interleaved, and written for rows of all lengths, of some, and for whole gangs.
    const LENGTHS: [usize; 5] = [50, 80, 150, 200, 400];
    // What is around the chain has up to ten instructions, so that one lies on each side.
    const AROUND: usize = 10;
    for level in ["x86-64-v2", "x86-64-v3", "x86-64-v4"] {
        for (sort, kernel) in SORTS.iter().enumerate() {
            for length in LENGTHS {
                let (fewest, most) = (length - AROUND, length + 1);
                let (below, above) = (plan(level, &kernel(fewest)), plan(level, &kernel(most)));
                let what = format!("{level}, sort {sort}, {length}: {below:?} {above:?}");
                assert!((0.5..=2.0).contains(&(above.0 / below.0)) && below.0 > 1.0, "{what}");
                let longer = most as f64 / fewest as f64;
                assert!(above.1 > below.1 && above.1 < 1.1 * longer * below.1, "{what}");
            }
        }
    }
}
