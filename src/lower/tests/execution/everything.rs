//! Every function of OpenCL C that clang knows, compiled for the oldest machine: nothing is refused, and nothing that the code
//! generator calls by name is missing.

use oxicl_compiler::flow::compile;
use oxicl_offline::Level;
use oxicl_protocol::{CompileOptions, CompileRequest, Tier};
use oxicl_target::Target;

use crate::harness::Silent;

const ONE: &str = "acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erfc erf exp exp2 exp10 \
    expm1 fabs floor lgamma log log2 log10 log1p logb rint round rsqrt sin sinh sinpi sqrt tan tanh tanpi tgamma trunc \
    sign degrees radians";
const TWO: &str =
    "atan2 atan2pi copysign fdim fmax fmin fmod hypot maxmag minmag nextafter pow powr remainder min max step";
const THREE: &str = "fma mad clamp mix smoothstep";
const FAST: &str = "cos exp exp2 exp10 log log2 log10 rsqrt sin sqrt tan recip";

fn calls(names: &str, prefix: &str, arguments: &str) -> String {
    names.split_whitespace().map(|f| format!("  o[i++] = {prefix}{f}({arguments});\n")).collect()
}

fn floats(ty: &str, ints: &str) -> String {
    let mut body = calls(ONE, "", "x") + &calls(TWO, "", "x, y") + &calls(THREE, "", "x, y, z");
    body += &format!(
        "{ints} e; {ty} w;
         o[i++] = frexp(x, &e); oi[i] = e; o[i++] = modf(x, &w); o[i++] = w; o[i++] = fract(x, &w); o[i++] = w;
         o[i++] = sincos(x, &w); o[i++] = w; o[i++] = lgamma_r(x, &e); oi[i] = e; o[i++] = remquo(x, y, &e); oi[i] = e;
         o[i++] = ldexp(x, e); o[i++] = pown(x, e); o[i++] = rootn(x, e); oi[i++] = ilogb(x);\n"
    );
    if ty.starts_with("float") {
        body += &(calls(FAST, "half_", "x") + &calls(FAST, "native_", "x"));
        body += &(calls("half_divide native_divide half_powr native_powr", "", "x, y"));
        body += "o[i++] = fast_length(x) + fast_distance(x, y) + fast_normalize(x); o[i++] = cross(x, y);\n";
    }
    body += "o[i++] = normalize(x) * (dot(x, y) + length(x) + distance(x, y));\n";
    format!(
        "kernel void k_{ty}(global {ty} *a, global {ty} *o, global {ints} *oi) {{ {ty} x = a[0], y = a[1], z = a[2]; int i = 0;\n{body} }}\n"
    )
}

fn integers(ty: &str, unsigned: &str) -> String {
    let mut body = calls("add_sat hadd max min mul_hi rhadd rotate sub_sat", "", "x, y")
        + &calls("clamp mad_hi mad_sat bitselect", "", "x, y, z")
        + &calls("clz ctz popcount", "", "x");
    body += "u[i++] = abs(x); u[i++] = abs_diff(x, y);\n";
    format!(
        "kernel void k_{ty}(global {ty} *a, global {ty} *o, global {unsigned} *u) {{ {ty} x = a[0], y = a[1], z = a[2]; int i = 0;\n{body} }}\n"
    )
}

#[test]
fn every_function_compiles_for_the_oldest_machine() {
    let mut source = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n".to_owned();
    for (ty, ints) in [("float3", "int3"), ("double2", "int2"), ("half4", "int4")] {
        source += &floats(ty, ints);
    }
    for (ty, unsigned) in [("char", "uchar"), ("short4", "ushort4"), ("uint3", "uint3"), ("long", "ulong")] {
        source += &integers(ty, unsigned);
    }
    let bytes = oxicl_offline::compile(&source, Level::Plain).expect("clang compiles the kernels");
    let request = CompileRequest {
        spirv: oxicl_spirv::words_from_bytes(&bytes).expect("whole words"),
        kernels: Vec::new(),
        options: CompileOptions::default(),
        target: Target::with_features(oxicl_llvm::host_triple(), Vec::new()),
        tier: Tier::Cheap,
    };
    let image = compile(&request, &mut Silent).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(image.kernels.len(), 7);
}
