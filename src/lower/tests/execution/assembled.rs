//! Instructions that clang does not make from OpenCL C, in modules written as SPIR-V.

use crate::harness::{Cell, Random, SAMPLES, execute_module};

/// A kernel `k(a, b, c, out)` of `uint` (or `float`, `ulong`) buffers whose body computes `%result` from `%a`, `%b`, `%c`.
fn module(scalar: &str, declarations: &str, body: &str) -> String {
    format!(
        "OpCapability Addresses
         OpCapability Linkage
         OpCapability Kernel
         OpCapability Int8
         OpCapability Int16
         OpCapability Int64
         OpCapability Float64
         OpCapability Vector16
         OpMemoryModel Physical64 OpenCL
         OpEntryPoint Kernel %k \"k\" %gid
         OpDecorate %gid BuiltIn GlobalInvocationId
         OpDecorate %gid Constant
         %void = OpTypeVoid
         %bool = OpTypeBool
         %uchar = OpTypeInt 8 0
         %ushort = OpTypeInt 16 0
         %uint = OpTypeInt 32 0
         %ulong = OpTypeInt 64 0
         %float = OpTypeFloat 32
         %ulong3 = OpTypeVector %ulong 3
         %uint3 = OpTypeVector %uint 3
         %pair = OpTypeStruct %uint %uint
         %in_gid = OpTypePointer Input %ulong3
         %ptr = OpTypePointer CrossWorkgroup {scalar}
         %ty = OpTypeFunction %void %ptr %ptr %ptr %ptr
         %u0 = OpConstant %uint 0
         %u5 = OpConstant %uint 5
         {declarations}
         %gid = OpVariable %in_gid Input
         %k = OpFunction %void None %ty
         %pa = OpFunctionParameter %ptr
         %pb = OpFunctionParameter %ptr
         %pc = OpFunctionParameter %ptr
         %po = OpFunctionParameter %ptr
         %entry = OpLabel
         %ids = OpLoad %ulong3 %gid
         %i = OpCompositeExtract %ulong %ids 0
         %ppa = OpInBoundsPtrAccessChain %ptr %pa %i
         %ppb = OpInBoundsPtrAccessChain %ptr %pb %i
         %ppc = OpInBoundsPtrAccessChain %ptr %pc %i
         %ppo = OpInBoundsPtrAccessChain %ptr %po %i
         %a = OpLoad {scalar} %ppa
         %b = OpLoad {scalar} %ppb
         %c = OpLoad {scalar} %ppc
         {body}
         OpStore %ppo %result
         OpReturn
         OpFunctionEnd\n"
    )
}

fn check<T: Cell>(scalar: &str, declarations: &str, body: &str, host: impl Fn(T, T, T) -> T) {
    let bytes = oxicl_offline::assemble(&module(scalar, declarations, body)).expect("spirv-as takes the module");
    let mut random = Random::new(body.len() as u64);
    let inputs: Vec<[T; 3]> = (0..SAMPLES).map(|_| std::array::from_fn(|_| T::sample(&mut random))).collect();
    let mut buffers = [Vec::new(), Vec::new(), Vec::new()];
    for input in &inputs {
        input.iter().zip(&mut buffers).for_each(|(x, buffer)| x.put(buffer));
    }
    let [a, b, c] = &buffers;
    let output = execute_module::<T>(&bytes, "k", &[a, b, c], T::SIZE * SAMPLES);
    for ([a, b, c], bytes) in inputs.into_iter().zip(output.chunks(T::SIZE)) {
        let (got, want) = (T::get(bytes), host(a, b, c));
        assert!(got.close(want, 0.0), "{body}: a = {a:?}, b = {b:?}, c = {c:?} gives {got:?}, not {want:?}");
    }
}

fn check_u32(body: &str, host: impl Fn(u32, u32, u32) -> u32) {
    check("%uint", "", body, host);
}

#[test]
fn remainders_have_the_sign_that_they_should() {
    check_u32("%result = OpSMod %uint %a %b", |a, b, _| {
        let (a, b) = (i64::from(a as i32), i64::from(b as i32));
        if b == 0 { 0 } else { (((a % b) + b) % b) as u32 }
    });
    check_u32("%result = OpSRem %uint %a %b", |a, b, _| {
        let (a, b) = (a as i32, b as i32);
        if b == 0 { 0 } else { a.wrapping_rem(b) as u32 }
    });
    check("%float", "", "%result = OpFRem %float %a %b", |a: f32, b: f32, _: f32| a % b);
    check("%float", "", "%result = OpFMod %float %a %b", |a: f32, b: f32, _: f32| {
        let rest = a % b;
        let moved = if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest };
        moved.copysign(b)
    });
}

#[test]
fn wide_results_have_both_halves() {
    let half = |op: &str, n: u32| format!("%both = {op} %pair %a %b\n %result = OpCompositeExtract %uint %both {n}");
    check_u32(&half("OpIAddCarry", 0), |a, b, _| a.wrapping_add(b));
    check_u32(&half("OpIAddCarry", 1), |a, b, _| u32::from(a.checked_add(b).is_none()));
    check_u32(&half("OpISubBorrow", 1), |a, b, _| u32::from(a < b));
    check_u32(&half("OpUMulExtended", 1), |a, b, _| ((u64::from(a) * u64::from(b)) >> 32) as u32);
    check_u32(&half("OpSMulExtended", 1), |a, b, _| ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32);
    check_u32(&half("OpSMulExtended", 0), |a, b, _| a.wrapping_mul(b));
}

#[test]
fn shifts_count_modulo_the_width() {
    check_u32("%result = OpShiftLeftLogical %uint %a %b", |a, b, _| a.wrapping_shl(b));
    check_u32("%result = OpShiftRightLogical %uint %a %b", |a, b, _| a.wrapping_shr(b));
    check_u32("%result = OpShiftRightArithmetic %uint %a %b", |a, b, _| (a as i32).wrapping_shr(b) as u32);
    check("%ulong", "", "%result = OpShiftLeftLogical %ulong %a %b", |a: u64, b: u64, _: u64| a.wrapping_shl(b as u32));
}

#[test]
fn any_and_all_of_integers_ask_for_the_highest_bits() {
    let body = |op: &str| {
        format!(
            "%v = OpCompositeConstruct %uint3 %a %b %c
             %vector = {op} %bool %v
             %scalar = {op} %bool %a
             %one = OpSelect %uint %vector %u5 %u0
             %two = OpSelect %uint %scalar %one %u0
             %three = OpIAdd %uint %one %two
             %result = OpCopyObject %uint %three"
        )
    };
    let answer = |vector: bool, scalar: bool| u32::from(vector) * 5 + u32::from(vector && scalar) * 5;
    let set = |number: u32| number >> 31 != 0;
    check_u32(&body("OpAny"), |a, b, c| answer(set(a | b | c), set(a)));
    check_u32(&body("OpAll"), |a, b, c| answer(set(a & b & c), set(a)));
}

#[test]
fn indices_of_vectors_stay_inside() {
    let vector = "%v = OpCompositeConstruct %uint3 %a %b %c\n";
    check_u32(&format!("{vector} %result = OpVectorExtractDynamic %uint %v %c"), |a, b, c| [a, b, c][(c % 3) as usize]);
    let insert = "%w = OpVectorInsertDynamic %uint3 %v %u5 %b\n %result = OpCompositeExtract %uint %w 0";
    check_u32(&format!("{vector} {insert}"), |a, b, _| if b % 3 == 0 { 5 } else { a });
}

#[test]
fn saturating_conversions_keep_to_the_limits() {
    check_u32("%n = OpSatConvertSToU %uchar %a\n %result = OpUConvert %uint %n", |a, _, _| {
        (a as i32).clamp(0, 255) as u32
    });
    check_u32("%n = OpSatConvertUToS %uchar %a\n %result = OpSConvert %uint %n", |a, _, _| a.min(127));
    check_u32("%n = OpSConvert %ushort %a\n %result = OpSConvert %uint %n", |a, _, _| i32::from(a as i16) as u32);
}

#[test]
fn values_that_may_be_anything_are_something() {
    check_u32("%x = OpUndef %uint\n %y = OpBitwiseXor %uint %x %x\n %result = OpIAdd %uint %a %y", |a, _, _| a);
    check_u32(
        "%f = OpConvertUToF %float %a\n %x = OpConvertFToU %uint %f\n %y = OpBitwiseAnd %uint %x %u0\n %result = OpIAdd %uint %b %y",
        |_, b, _| b,
    );
}

#[test]
fn null_and_composite_constants_are_values() {
    let declarations = "%zero = OpConstantNull %pair
         %c9 = OpConstant %uint 9
         %nine = OpConstantComposite %pair %c9 %u5
         %many = OpConstantComposite %uint3 %c9 %u5 %u0";
    let body = "%x = OpCompositeInsert %pair %a %zero 1
         %y = OpCompositeExtract %uint %x 1
         %z = OpCompositeExtract %uint %nine 0
         %w = OpCompositeExtract %uint %many 1
         %s = OpIAdd %uint %y %z
         %result = OpIMul %uint %s %w";
    check("%uint", declarations, body, |a: u32, _, _| a.wrapping_add(9).wrapping_mul(5));
}
