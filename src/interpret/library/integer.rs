//! Integer functions.

use oxicl_spirv::grammar::OpenclStd100Op as Std;

use crate::value::{sign_extend, truncate};

/// The function of one component of each argument; `None` if it is no integer function.
pub(super) fn function(std: Std, row: &[u64], width: u32) -> Option<u64> {
    let s = |i: usize| i128::from(sign_extend(row[i], width));
    let u = |i: usize| i128::from(row[i]);
    let (s_low, s_high) = (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1);
    let u_high = (1i128 << width) - 1;
    let low24 = |i: usize| i128::from(truncate(row[i], 24));
    Some(match std {
        Std::s_abs => s(0).unsigned_abs() as i128,
        Std::u_abs => u(0),
        Std::s_abs_diff => (s(0) - s(1)).abs(),
        Std::u_abs_diff => (u(0) - u(1)).abs(),
        Std::s_add_sat => (s(0) + s(1)).clamp(s_low, s_high),
        Std::u_add_sat => (u(0) + u(1)).min(u_high),
        Std::s_sub_sat => (s(0) - s(1)).clamp(s_low, s_high),
        Std::u_sub_sat => (u(0) - u(1)).max(0),
        Std::s_hadd => (s(0) + s(1)) >> 1,
        Std::u_hadd => (u(0) + u(1)) >> 1,
        Std::s_rhadd => (s(0) + s(1) + 1) >> 1,
        Std::u_rhadd => (u(0) + u(1) + 1) >> 1,
        Std::s_clamp => s(0).max(s(1)).min(s(2)),
        Std::u_clamp => u(0).max(u(1)).min(u(2)),
        Std::s_max => s(0).max(s(1)),
        Std::u_max => u(0).max(u(1)),
        Std::s_min => s(0).min(s(1)),
        Std::u_min => u(0).min(u(1)),
        Std::clz => i128::from(row[0].leading_zeros() - (64 - width)),
        Std::ctz => i128::from(row[0].trailing_zeros().min(width)),
        Std::popcount => i128::from(row[0].count_ones()),
        Std::s_mul_hi => (s(0) * s(1)) >> width,
        Std::u_mul_hi => ((row[0] as u128 * row[1] as u128) >> width) as i128,
        Std::s_mad_hi => ((s(0) * s(1)) >> width) + s(2),
        Std::u_mad_hi => ((row[0] as u128 * row[1] as u128) >> width) as i128 + u(2),
        Std::s_mad_sat => (s(0) * s(1) + s(2)).clamp(s_low, s_high),
        Std::u_mad_sat => (row[0] as u128 * row[1] as u128 + row[2] as u128).min(u_high as u128) as i128,
        // Beyond 24 bits the specification leaves it open.
        Std::s_mul24 => s(0) * s(1),
        Std::u_mul24 => low24(0) * low24(1),
        Std::s_mad24 => s(0) * s(1) + s(2),
        Std::u_mad24 => low24(0) * low24(1) + u(2),
        Std::s_upsample | Std::u_upsample => (u(0) << width) | u(1),
        Std::rotate => {
            let by = (row[1] % u64::from(width)) as u32;
            let rotated = if by == 0 { row[0] } else { (row[0] << by) | (row[0] >> (width - by)) };
            i128::from(truncate(rotated, width))
        }
        _ => return None,
    } as u64)
}
