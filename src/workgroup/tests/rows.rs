//! Gathers along rows cost more: processors fetch ahead for a load that advances by a stride, but not for the lanes of a
//! gather.

mod written;

use written::written_for;

/// Does a loop gather numbers that are `bytes` from each other, in a row of each work-item's own?
fn gathers(level: &str, bytes: u64) -> bool {
    let (remarks, code) = written_for(
        level,
        "",
        &format!(
            "  %wide = zext i32 %n to i64\n  %row = mul nsw i64 %gid, %wide\n  br label %loop\n\
             loop:\n  %k = phi i64 [ 0, %entry ], [ %k2, %loop ]\n  %sum = phi float [ 0.0, %entry ], [ %sum2, %loop ]\n\
             %far = mul nuw nsw i64 %k, {}\n  %at = add nsw i64 %row, %far\n\
             %p = getelementptr inbounds float, ptr addrspace(1) %out, i64 %at\n\
             %v = load float, ptr addrspace(1) %p, align 4\n  %square = fmul float %v, %v\n\
             %sum2 = fadd float %sum, %square\n  %k2 = add nuw nsw i64 %k, 1\n  %more = icmp slt i64 %k2, %wide\n\
             br i1 %more, label %loop, label %end\n\
             end:\n  %all = phi float [ %sum2, %loop ]\n  store float %all, ptr addrspace(1) %place\n  ret void",
            bytes / 4
        ),
    );
    assert!(remarks.contains("gangs of"), "{remarks}");
    code.contains("@llvm.masked.gather")
}

#[test]
fn lanes_load_one_by_one_along_rows_and_are_gathered_from_line_to_line() {
    assert_eq!([8, 32, 60].map(|bytes| gathers("x86-64-v4", bytes)), [false; 3]);
    assert_eq!([64, 128, 4096].map(|bytes| gathers("x86-64-v4", bytes)), [true; 3]);
    // There are no gathers.
    assert_eq!([8, 128].map(|bytes| gathers("x86-64-v3", bytes)), [false; 2]);
}
