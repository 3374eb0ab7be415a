//! Which function lowers which instruction of OpenCL.std. Operands start at 2.

use oxicl_spirv::{Instruction, opencl_std_name};

use super::{common, geometric, integer, math, printf, vector_data};
use crate::body::Body;
use crate::refusal::{Refusal, Result};

/// Lowers an instruction of OpenCL.std.
pub(super) fn instruction(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let number = body.word(i, 1)?;
    let name =
        opencl_std_name(number).ok_or_else(|| Refusal::new(format!("OpenCL.std has no instruction {number}")))?;
    match name {
        // Mathematical functions of the library, of one, two and three operands.
        "acos" | "acosh" | "acospi" | "asin" | "asinh" | "asinpi" | "atan" | "atanh" | "atanpi" | "cbrt" | "cos"
        | "cosh" | "cospi" | "erf" | "erfc" | "exp" | "exp2" | "exp10" | "expm1" | "lgamma" | "log" | "log2"
        | "log10" | "log1p" | "logb" | "sin" | "sinh" | "sinpi" | "tan" | "tanh" | "tanpi" | "tgamma" | "atan2"
        | "atan2pi" | "fdim" | "fmod" | "hypot" | "pow" | "powr" | "remainder" | "ldexp" | "pown" | "rootn" => {
            math::library_function(body, i, name)
        }
        "nextafter" => math::nextafter(body, i),
        "ilogb" => math::ilogb(body, i),
        "frexp" => math::frexp(body, i),
        "modf" => math::modf(body, i),
        "fract" => math::fract(body, i),
        "sincos" => math::sincos(body, i),
        "lgamma_r" => math::lgamma_r(body, i),
        "remquo" => math::remquo(body, i),
        "nan" => math::nan(body, i),
        "maxmag" => math::magnitude(body, i, true),
        "minmag" => math::magnitude(body, i, false),
        "rsqrt" => math::rsqrt(body, i),
        "half_rsqrt" | "native_rsqrt" => math::rsqrt_estimate(body, i),
        // Mathematical functions that LLVM has.
        "ceil" => math::intrinsic(body, i, "llvm.ceil"),
        "copysign" => math::intrinsic(body, i, "llvm.copysign"),
        "fabs" => math::intrinsic(body, i, "llvm.fabs"),
        "floor" => math::intrinsic(body, i, "llvm.floor"),
        "fma" => math::fma(body, i),
        "fmax" => math::intrinsic(body, i, "llvm.maxnum"),
        "fmin" => math::intrinsic(body, i, "llvm.minnum"),
        "mad" => math::mad(body, i),
        "rint" => math::intrinsic(body, i, "llvm.rint"),
        "round" => math::intrinsic(body, i, "llvm.round"),
        "sqrt" | "half_sqrt" | "native_sqrt" => math::intrinsic(body, i, "llvm.sqrt"),
        "trunc" => math::intrinsic(body, i, "llvm.trunc"),
        "half_cos" | "half_exp" | "half_exp2" | "half_exp10" | "half_log" | "half_log2" | "half_log10"
        | "half_powr" | "half_sin" | "half_tan" | "native_cos" | "native_exp" | "native_exp2" | "native_exp10"
        | "native_log" | "native_log2" | "native_log10" | "native_powr" | "native_sin" | "native_tan" => {
            math::library_function(body, i, name)
        }
        "half_divide" | "native_divide" => math::divide(body, i),
        "half_recip" | "native_recip" => math::recip(body, i),
        _ => others(body, i, name),
    }
}

fn others(body: &mut Body<'_, '_>, i: &Instruction, name: &str) -> Result<()> {
    match name {
        // Common functions.
        "fclamp" => common::fclamp(body, i),
        "degrees" => common::scale(body, i, 180.0 / std::f64::consts::PI),
        "radians" => common::scale(body, i, std::f64::consts::PI / 180.0),
        "fmax_common" => common::extreme(body, i, true),
        "fmin_common" => common::extreme(body, i, false),
        "mix" => common::mix(body, i),
        "step" => common::step(body, i),
        "smoothstep" => common::smoothstep(body, i),
        "sign" => common::sign(body, i),
        // Geometric functions.
        "cross" => geometric::cross(body, i),
        "distance" => geometric::distance(body, i),
        "length" => geometric::length(body, i),
        "normalize" => geometric::normalize(body, i),
        "fast_distance" => geometric::fast_distance(body, i),
        "fast_length" => geometric::fast_length(body, i),
        "fast_normalize" => geometric::fast_normalize(body, i),
        // Integer functions.
        "s_abs" => integer::abs(body, i),
        "u_abs" => integer::identity(body, i),
        "s_abs_diff" => integer::abs_diff(body, i, true),
        "u_abs_diff" => integer::abs_diff(body, i, false),
        "s_add_sat" => integer::intrinsic(body, i, "llvm.sadd.sat"),
        "u_add_sat" => integer::intrinsic(body, i, "llvm.uadd.sat"),
        "s_sub_sat" => integer::intrinsic(body, i, "llvm.ssub.sat"),
        "u_sub_sat" => integer::intrinsic(body, i, "llvm.usub.sat"),
        "s_hadd" => integer::hadd(body, i, true),
        "u_hadd" => integer::hadd(body, i, false),
        "s_rhadd" => integer::rhadd(body, i, true),
        "u_rhadd" => integer::rhadd(body, i, false),
        "s_clamp" => integer::clamp(body, i, true),
        "u_clamp" => integer::clamp(body, i, false),
        "clz" => integer::zeros(body, i, "llvm.ctlz"),
        "ctz" => integer::zeros(body, i, "llvm.cttz"),
        "popcount" => integer::intrinsic(body, i, "llvm.ctpop"),
        "s_max" => integer::intrinsic(body, i, "llvm.smax"),
        "u_max" => integer::intrinsic(body, i, "llvm.umax"),
        "s_min" => integer::intrinsic(body, i, "llvm.smin"),
        "u_min" => integer::intrinsic(body, i, "llvm.umin"),
        "s_mul_hi" => integer::mul_hi(body, i, true),
        "u_mul_hi" => integer::mul_hi(body, i, false),
        "s_mad_hi" => integer::mad_hi(body, i, true),
        "u_mad_hi" => integer::mad_hi(body, i, false),
        "s_mad_sat" => integer::mad_sat(body, i, true),
        "u_mad_sat" => integer::mad_sat(body, i, false),
        "s_mul24" => integer::mul24(body, i, true),
        "u_mul24" => integer::mul24(body, i, false),
        "s_mad24" => integer::mad24(body, i, true),
        "u_mad24" => integer::mad24(body, i, false),
        "rotate" => integer::rotate(body, i),
        "s_upsample" | "u_upsample" => integer::upsample(body, i),
        // Relational functions.
        "bitselect" => integer::bitselect(body, i),
        "select" => integer::select(body, i),
        // Vectors in memory, shuffles, and the rest.
        "vloadn" => vector_data::vloadn(body, i),
        "vstoren" => vector_data::vstoren(body, i),
        "vload_half" | "vload_halfn" => vector_data::vload_half(body, i, false),
        "vloada_halfn" => vector_data::vload_half(body, i, true),
        "vstore_half" | "vstore_halfn" => vector_data::vstore_half(body, i, false, false),
        "vstore_half_r" | "vstore_halfn_r" => vector_data::vstore_half(body, i, false, true),
        "vstorea_halfn" => vector_data::vstore_half(body, i, true, false),
        "vstorea_halfn_r" => vector_data::vstore_half(body, i, true, true),
        "shuffle" => vector_data::shuffle(body, i),
        "shuffle2" => vector_data::shuffle2(body, i),
        "prefetch" => Ok(()),
        "printf" => printf::printf(body, i),
        _ => Err(Refusal::new(format!("{name} of OpenCL.std is not supported"))),
    }
}
