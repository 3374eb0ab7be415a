//! Calls of functions that some producers leave as imports: LLVM's intrinsics, and functions of OpenCL C.

use oxicl_spirv::{IntegerOperation, Intrinsic};

use crate::Fault;
use crate::float::{decode, encode_integer, encode_rounded};
use crate::value::{Value, sign_extend, truncate};

/// What an intrinsic makes of its operands, whose components have `from` bits, those of the result `to`. Fences
/// have nothing to do here: all is done in order.
pub(crate) fn call(intrinsic: Intrinsic, arguments: &[Value], from: u32, to: u32) -> Result<Value, Fault> {
    let first = arguments.first().ok_or(Fault::Malformed("an intrinsic without operands"))?;
    match intrinsic {
        Intrinsic::Integer(operation) => integers(operation, first, arguments, to),
        Intrinsic::IntegerToFloat(signed, mode) => first.map(|bits| {
            let integer = if signed { i128::from(sign_extend(bits, from)) } else { i128::from(bits) };
            encode_integer(integer, to, mode)
        }),
        Intrinsic::FloatToFloat(mode) => first.map(|bits| encode_rounded(decode(bits, from), to, mode)),
        Intrinsic::Fence => Err(Fault::Malformed("a fence with a result")),
    }
}

fn integers(operation: IntegerOperation, first: &Value, arguments: &[Value], width: u32) -> Result<Value, Fault> {
    let mut results = Vec::new();
    for lane in 0..first.lanes()?.len() {
        let mut row = [0; 3];
        for (place, argument) in row.iter_mut().zip(arguments) {
            *place = *argument.lanes()?.get(lane).ok_or(Fault::Malformed("operands differ in component count"))?;
        }
        results.push(component(operation, row, width));
    }
    Ok(first.with_lanes(results))
}

fn component(operation: IntegerOperation, [a, b, c]: [u64; 3], width: u32) -> u64 {
    let signed = |bits| i128::from(sign_extend(bits, width));
    let (low, high) = (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1);
    // Both operands of a funnel shift, the first above the second.
    let funnel = (u128::from(a) << width) | u128::from(b);
    let by = c % u64::from(width);
    let result = match operation {
        IntegerOperation::UAddSat => (u128::from(a) + u128::from(b)).min((1 << width) - 1) as u64,
        IntegerOperation::SAddSat => (signed(a) + signed(b)).clamp(low, high) as u64,
        IntegerOperation::USubSat => a.saturating_sub(b),
        IntegerOperation::SSubSat => (signed(a) - signed(b)).clamp(low, high) as u64,
        IntegerOperation::UMin => a.min(b),
        IntegerOperation::UMax => a.max(b),
        IntegerOperation::SMin => signed(a).min(signed(b)) as u64,
        IntegerOperation::SMax => signed(a).max(signed(b)) as u64,
        IntegerOperation::BitReverse => a.reverse_bits() >> (64 - width),
        IntegerOperation::ByteSwap => a.swap_bytes() >> (64 - width),
        IntegerOperation::CountOnes => u64::from(a.count_ones()),
        IntegerOperation::FunnelShiftLeft => ((funnel << by) >> width) as u64,
        IntegerOperation::FunnelShiftRight => (funnel >> by) as u64,
    };
    truncate(result, width)
}

#[cfg(test)]
mod tests {
    use super::component;
    use oxicl_spirv::IntegerOperation;

    #[test]
    fn funnel_shifts_take_the_upper_and_the_lower_half() {
        for width in [8, 16, 32, 64] {
            let top = 1u64 << (width - 1);
            assert_eq!(component(IntegerOperation::FunnelShiftLeft, [1, top, 1], width), 3);
            assert_eq!(component(IntegerOperation::FunnelShiftLeft, [5, 9, u64::from(width)], width), 5);
            assert_eq!(component(IntegerOperation::FunnelShiftRight, [1, top, 1], width), top | top >> 1);
            assert_eq!(component(IntegerOperation::FunnelShiftRight, [5, 9, 0], width), 9);
            assert_eq!(component(IntegerOperation::SAddSat, [top - 1, 1, 0], width), top - 1);
            assert_eq!(component(IntegerOperation::UAddSat, [top, top, 0], width), top | (top - 1));
        }
    }
}
