//! Calls of LLVM's intrinsics, which some producers leave as imports.

use oxicl_spirv::Intrinsic;

use crate::Fault;
use crate::value::{Value, sign_extend, truncate};

/// What an intrinsic makes of its operands, whose components have `width` bits.
pub(crate) fn call(intrinsic: Intrinsic, arguments: &[Value], width: u32) -> Result<Value, Fault> {
    let first = arguments.first().ok_or(Fault::Malformed("an intrinsic without operands"))?;
    let mut results = Vec::new();
    for lane in 0..first.lanes()?.len() {
        let mut row = [0; 3];
        for (place, argument) in row.iter_mut().zip(arguments) {
            *place = *argument.lanes()?.get(lane).ok_or(Fault::Malformed("operands differ in component count"))?;
        }
        results.push(component(intrinsic, row, width));
    }
    Ok(first.with_lanes(results))
}

fn component(intrinsic: Intrinsic, [a, b, c]: [u64; 3], width: u32) -> u64 {
    let signed = |bits| i128::from(sign_extend(bits, width));
    let (low, high) = (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1);
    // Both operands of a funnel shift, the first above the second.
    let funnel = (u128::from(a) << width) | u128::from(b);
    let by = c % u64::from(width);
    let result = match intrinsic {
        Intrinsic::UAddSat => (u128::from(a) + u128::from(b)).min((1 << width) - 1) as u64,
        Intrinsic::SAddSat => (signed(a) + signed(b)).clamp(low, high) as u64,
        Intrinsic::USubSat => a.saturating_sub(b),
        Intrinsic::SSubSat => (signed(a) - signed(b)).clamp(low, high) as u64,
        Intrinsic::UMin => a.min(b),
        Intrinsic::UMax => a.max(b),
        Intrinsic::SMin => signed(a).min(signed(b)) as u64,
        Intrinsic::SMax => signed(a).max(signed(b)) as u64,
        Intrinsic::BitReverse => a.reverse_bits() >> (64 - width),
        Intrinsic::ByteSwap => a.swap_bytes() >> (64 - width),
        Intrinsic::CountOnes => u64::from(a.count_ones()),
        Intrinsic::FunnelShiftLeft => ((funnel << by) >> width) as u64,
        Intrinsic::FunnelShiftRight => (funnel >> by) as u64,
    };
    truncate(result, width)
}

#[cfg(test)]
mod tests {
    use super::component;
    use oxicl_spirv::Intrinsic;

    #[test]
    fn funnel_shifts_take_the_upper_and_the_lower_half() {
        for width in [8, 16, 32, 64] {
            let top = 1u64 << (width - 1);
            assert_eq!(component(Intrinsic::FunnelShiftLeft, [1, top, 1], width), 3);
            assert_eq!(component(Intrinsic::FunnelShiftLeft, [5, 9, u64::from(width)], width), 5);
            assert_eq!(component(Intrinsic::FunnelShiftRight, [1, top, 1], width), top | top >> 1);
            assert_eq!(component(Intrinsic::FunnelShiftRight, [5, 9, 0], width), 9);
            assert_eq!(component(Intrinsic::SAddSat, [top - 1, 1, 0], width), top - 1);
            assert_eq!(component(Intrinsic::UAddSat, [top, top, 0], width), top | (top - 1));
        }
    }
}
