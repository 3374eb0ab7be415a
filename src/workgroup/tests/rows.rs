//! What gathers along rows cost: processors fetch ahead for a load that goes on by a stride, but not for the lanes of a gather.

mod written;

use written::written_for;

/// The price of a loop over numbers that are `bytes` from each other, in a row of each work-item's own.
fn price(level: &str, bytes: u64) -> f64 {
    let (remarks, _) = written_for(
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
    let price = remarks.split_once("priced at ").and_then(|(_, rest)| rest.split_once(' '));
    price.and_then(|(price, _)| price.parse().ok()).unwrap_or_else(|| panic!("no price in {remarks}"))
}

#[test]
fn gathers_cost_more_along_rows_than_from_line_to_line() {
    let prices = [8, 32, 60, 64, 128, 4096].map(|bytes| price("x86-64-v4", bytes));
    assert!(prices[1..3].iter().all(|price| *price == prices[0]), "{prices:?}");
    assert!(prices[4..].iter().all(|price| *price == prices[3]), "{prices:?}");
    assert!(prices[0] > 1.3 * prices[3], "{prices:?}");
    // Without gathers, each lane loads by itself.
    let [along, across] = [8, 128].map(|bytes| price("x86-64-v3", bytes));
    assert!((0.95..1.05).contains(&(along / across)), "{along} {across}");
}
