//! Which function lowers which instruction. What has no line here is refused by name.

use oxicl_llvm::{IntPredicate as Int, RealPredicate as Real, RmwOp};
use oxicl_spirv::{Instruction, op_name};
use spirv::Op;

use crate::body::Body;
use crate::refusal::{Refusal, Result};
use crate::sub_group::Whose;
use crate::{
    arithmetic, array, asynchronous, atomic, barrier, bit, composite, control_flow, conversion, ext_inst, extension,
    function, group, image, memory, named_barrier, pointer, relational, sub_group,
};

/// Lowers one instruction.
pub(crate) fn instruction(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    match i.op {
        // 3.49.1, miscellaneous; 3.49.2, debug; 3.49.17, structure that we do not need.
        Op::Nop
        | Op::Line
        | Op::NoLine
        | Op::LoopMerge
        | Op::SelectionMerge
        | Op::LoopControlINTEL
        | Op::AssumeTrueKHR => Ok(()),
        Op::Undef => undef(body, i),
        Op::SizeOf => size_of(body, i),
        Op::ExpectKHR => composite::op_copy_object(body, i),
        // 3.49.5, extension.
        Op::ExtInst => ext_inst::op_ext_inst(body, i),
        // 3.49.8, memory.
        Op::Variable => memory::op_variable(body, i),
        Op::Load => memory::op_load(body, i),
        Op::Store => memory::op_store(body, i),
        Op::CopyMemory => memory::op_copy_memory(body, i),
        Op::CopyMemorySized => memory::op_copy_memory_sized(body, i),
        Op::AccessChain => pointer::op_access_chain(body, i),
        Op::InBoundsAccessChain => pointer::op_in_bounds_access_chain(body, i),
        Op::PtrAccessChain => pointer::op_ptr_access_chain(body, i),
        Op::InBoundsPtrAccessChain => pointer::op_in_bounds_ptr_access_chain(body, i),
        Op::VariableLengthArrayINTEL => array::op_variable_length_array(body, i),
        Op::SaveMemoryINTEL => array::op_save_memory(body, i),
        Op::RestoreMemoryINTEL => array::op_restore_memory(body, i),
        Op::MaskedGatherINTEL => memory::op_masked_gather(body, i),
        Op::MaskedScatterINTEL => memory::op_masked_scatter(body, i),
        Op::GenericPtrMemSemantics => pointer::op_generic_ptr_mem_semantics(body, i),
        Op::PtrEqual => pointer::op_ptr_equal(body, i),
        Op::PtrNotEqual => pointer::op_ptr_not_equal(body, i),
        Op::PtrDiff => pointer::op_ptr_diff(body, i),
        Op::LifetimeStart | Op::LifetimeStop => memory::op_lifetime(body, i),
        // 3.49.9, functions.
        Op::FunctionCall => function::op_function_call(body, i),
        // 3.49.10, images.
        Op::SampledImage => image::op_sampled_image(body, i),
        Op::Image => image::op_image(body, i),
        Op::ImageSampleExplicitLod => image::op_image_sample_explicit_lod(body, i),
        Op::ImageRead => image::op_image_read(body, i),
        Op::ImageWrite => image::op_image_write(body, i),
        Op::ImageQuerySizeLod | Op::ImageQuerySize => image::op_image_query_size(body, i),
        Op::ImageQueryFormat => image::op_image_query_format(body, i),
        Op::ImageQueryOrder => image::op_image_query_order(body, i),
        Op::ImageQueryLevels => image::op_image_query_levels(body, i),
        // 3.49.11, conversions.
        Op::ConvertFToU => conversion::op_convert_f_to_u(body, i),
        Op::ConvertFToS => conversion::op_convert_f_to_s(body, i),
        Op::ConvertSToF => conversion::op_convert_s_to_f(body, i),
        Op::ConvertUToF => conversion::op_convert_u_to_f(body, i),
        Op::UConvert => conversion::op_u_convert(body, i),
        Op::SConvert => conversion::op_s_convert(body, i),
        Op::FConvert => conversion::op_f_convert(body, i),
        Op::QuantizeToF16 => conversion::op_quantize_to_f16(body, i),
        Op::SatConvertSToU => conversion::op_sat_convert_s_to_u(body, i),
        Op::SatConvertUToS => conversion::op_sat_convert_u_to_s(body, i),
        Op::Bitcast => conversion::op_bitcast(body, i),
        Op::ConvertPtrToU => pointer::op_convert_ptr_to_u(body, i),
        Op::ConvertUToPtr => pointer::op_convert_u_to_ptr(body, i),
        Op::PtrCastToGeneric => pointer::op_ptr_cast_to_generic(body, i),
        Op::GenericCastToPtr => pointer::op_generic_cast_to_ptr(body, i),
        Op::GenericCastToPtrExplicit => pointer::op_generic_cast_to_ptr_explicit(body, i),
        // 3.49.12, composites.
        Op::VectorExtractDynamic => composite::op_vector_extract_dynamic(body, i),
        Op::VectorInsertDynamic => composite::op_vector_insert_dynamic(body, i),
        Op::VectorShuffle => composite::op_vector_shuffle(body, i),
        Op::CompositeConstruct => composite::op_composite_construct(body, i),
        Op::CompositeExtract => composite::op_composite_extract(body, i),
        Op::CompositeInsert => composite::op_composite_insert(body, i),
        Op::CopyObject | Op::CopyLogical | Op::FPGARegALTERA => composite::op_copy_object(body, i),
        // USM storage classes are parts of CrossWorkgroup.
        Op::PtrCastToCrossWorkgroupALTERA | Op::CrossWorkgroupCastToPtrALTERA => composite::op_copy_object(body, i),
        // 3.49.15, relations.
        Op::IEqual | Op::LogicalEqual => relational::integer(body, i, Int::Eq),
        Op::INotEqual | Op::LogicalNotEqual => relational::integer(body, i, Int::Ne),
        Op::UGreaterThan => relational::integer(body, i, Int::Ugt),
        Op::SGreaterThan => relational::integer(body, i, Int::Sgt),
        Op::UGreaterThanEqual => relational::integer(body, i, Int::Uge),
        Op::SGreaterThanEqual => relational::integer(body, i, Int::Sge),
        Op::ULessThan => relational::integer(body, i, Int::Ult),
        Op::SLessThan => relational::integer(body, i, Int::Slt),
        Op::ULessThanEqual => relational::integer(body, i, Int::Ule),
        Op::SLessThanEqual => relational::integer(body, i, Int::Sle),
        Op::FOrdEqual => relational::float(body, i, Real::Oeq),
        Op::FUnordEqual => relational::float(body, i, Real::Ueq),
        Op::FOrdNotEqual | Op::LessOrGreater => relational::float(body, i, Real::One),
        Op::FUnordNotEqual => relational::float(body, i, Real::Une),
        Op::FOrdLessThan => relational::float(body, i, Real::Olt),
        Op::FUnordLessThan => relational::float(body, i, Real::Ult),
        Op::FOrdGreaterThan => relational::float(body, i, Real::Ogt),
        Op::FUnordGreaterThan => relational::float(body, i, Real::Ugt),
        Op::FOrdLessThanEqual => relational::float(body, i, Real::Ole),
        Op::FUnordLessThanEqual => relational::float(body, i, Real::Ule),
        Op::FOrdGreaterThanEqual => relational::float(body, i, Real::Oge),
        Op::FUnordGreaterThanEqual => relational::float(body, i, Real::Uge),
        Op::Ordered => relational::float(body, i, Real::Ord),
        Op::Unordered => relational::float(body, i, Real::Uno),
        _ => more(body, i),
    }
}

/// Logic, arithmetic and bits.
fn more(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    match i.op {
        Op::Any => relational::op_any(body, i),
        Op::All => relational::op_all(body, i),
        Op::IsNan => relational::op_is_nan(body, i),
        Op::IsInf => relational::op_is_inf(body, i),
        Op::IsFinite => relational::op_is_finite(body, i),
        Op::IsNormal => relational::op_is_normal(body, i),
        Op::SignBitSet => relational::op_sign_bit_set(body, i),
        Op::LogicalOr => relational::op_logical_or(body, i),
        Op::LogicalAnd => relational::op_logical_and(body, i),
        Op::LogicalNot => relational::op_logical_not(body, i),
        Op::Select => relational::op_select(body, i),
        // 3.49.13, arithmetic.
        Op::SNegate => arithmetic::op_s_negate(body, i),
        Op::FNegate => arithmetic::op_f_negate(body, i),
        Op::IAdd => arithmetic::op_i_add(body, i),
        Op::FAdd => arithmetic::op_f_add(body, i),
        Op::ISub => arithmetic::op_i_sub(body, i),
        Op::FSub => arithmetic::op_f_sub(body, i),
        Op::IMul => arithmetic::op_i_mul(body, i),
        Op::FMul => arithmetic::op_f_mul(body, i),
        Op::UDiv => arithmetic::op_u_div(body, i),
        Op::SDiv => arithmetic::op_s_div(body, i),
        Op::FDiv => arithmetic::op_f_div(body, i),
        Op::UMod => arithmetic::op_u_mod(body, i),
        Op::SRem => arithmetic::op_s_rem(body, i),
        Op::SMod => arithmetic::op_s_mod(body, i),
        Op::FRem => arithmetic::op_f_rem(body, i),
        Op::FMod => arithmetic::op_f_mod(body, i),
        Op::VectorTimesScalar => arithmetic::op_vector_times_scalar(body, i),
        Op::Dot => arithmetic::op_dot(body, i),
        Op::IAddCarry => arithmetic::op_i_add_carry(body, i),
        Op::ISubBorrow => arithmetic::op_i_sub_borrow(body, i),
        Op::UMulExtended => arithmetic::op_u_mul_extended(body, i),
        Op::SMulExtended => arithmetic::op_s_mul_extended(body, i),
        Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => {
            arithmetic::op_integer_dot(body, i)
        }
        // 3.49.14, bits.
        Op::ShiftRightLogical => bit::op_shift_right_logical(body, i),
        Op::ShiftRightArithmetic => bit::op_shift_right_arithmetic(body, i),
        Op::ShiftLeftLogical => bit::op_shift_left_logical(body, i),
        Op::BitwiseOr => bit::op_bitwise_or(body, i),
        Op::BitwiseXor => bit::op_bitwise_xor(body, i),
        Op::BitwiseAnd => bit::op_bitwise_and(body, i),
        Op::Not => bit::op_not(body, i),
        Op::BitFieldInsert => bit::op_bit_field_insert(body, i),
        Op::BitFieldSExtract => bit::op_bit_field_s_extract(body, i),
        Op::BitFieldUExtract => bit::op_bit_field_u_extract(body, i),
        Op::BitReverse => bit::op_bit_reverse(body, i),
        Op::BitCount => bit::op_bit_count(body, i),
        Op::BitwiseFunctionINTEL => extension::op_bitwise_function(body, i),
        Op::ArithmeticFenceEXT => extension::op_arithmetic_fence(body, i),
        Op::ConvertFToBF16INTEL => extension::op_convert_f_to_bf16(body, i),
        Op::ConvertBF16ToFINTEL => extension::op_convert_bf16_to_f(body, i),
        _ => flow(body, i),
    }
}

/// Control flow, atomics, barriers.
fn flow(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    match i.op {
        // 3.49.17, control flow.
        Op::Phi => control_flow::op_phi(body, i),
        Op::Branch => control_flow::op_branch(body, i),
        Op::BranchConditional => control_flow::op_branch_conditional(body, i),
        Op::Switch => control_flow::op_switch(body, i),
        Op::Return => control_flow::op_return(body, i),
        Op::ReturnValue => control_flow::op_return_value(body, i),
        Op::Unreachable => control_flow::op_unreachable(body, i),
        // 3.49.18, atomics.
        Op::AtomicLoad => atomic::op_atomic_load(body, i),
        Op::AtomicStore => atomic::op_atomic_store(body, i),
        Op::AtomicExchange => atomic::op_atomic_rmw(body, i, RmwOp::Xchg),
        Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => atomic::op_atomic_compare_exchange(body, i),
        Op::AtomicIIncrement => atomic::op_atomic_i_increment(body, i),
        Op::AtomicIDecrement => atomic::op_atomic_i_decrement(body, i),
        Op::AtomicIAdd => atomic::op_atomic_rmw(body, i, RmwOp::Add),
        Op::AtomicISub => atomic::op_atomic_rmw(body, i, RmwOp::Sub),
        Op::AtomicSMin => atomic::op_atomic_rmw(body, i, RmwOp::Min),
        Op::AtomicUMin => atomic::op_atomic_rmw(body, i, RmwOp::UMin),
        Op::AtomicSMax => atomic::op_atomic_rmw(body, i, RmwOp::Max),
        Op::AtomicUMax => atomic::op_atomic_rmw(body, i, RmwOp::UMax),
        Op::AtomicAnd => atomic::op_atomic_rmw(body, i, RmwOp::And),
        Op::AtomicOr => atomic::op_atomic_rmw(body, i, RmwOp::Or),
        Op::AtomicXor => atomic::op_atomic_rmw(body, i, RmwOp::Xor),
        Op::AtomicFAddEXT => atomic::op_atomic_rmw(body, i, RmwOp::FAdd),
        Op::AtomicFMinEXT => atomic::op_atomic_rmw(body, i, RmwOp::FMin),
        Op::AtomicFMaxEXT => atomic::op_atomic_rmw(body, i, RmwOp::FMax),
        Op::AtomicFlagTestAndSet => atomic::op_atomic_flag_test_and_set(body, i),
        Op::AtomicFlagClear => atomic::op_atomic_flag_clear(body, i),
        // 3.49.20, barriers.
        Op::ControlBarrier => barrier::op_control_barrier(body, i),
        Op::MemoryBarrier => barrier::op_memory_barrier(body, i),
        Op::ControlBarrierArriveINTEL => barrier::op_control_barrier_arrive(body, i),
        Op::ControlBarrierWaitINTEL => barrier::op_control_barrier(body, i),
        Op::NamedBarrierInitialize => named_barrier::op_named_barrier_initialize(body, i),
        Op::MemoryNamedBarrier => named_barrier::op_memory_named_barrier(body, i),
        Op::ReadClockKHR => barrier::op_read_clock(body, i),
        _ => groups(body, i),
    }
}

/// What work-items do together.
fn groups(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    match i.op {
        // 3.49.21, groups.
        Op::GroupAsyncCopy => asynchronous::op_group_async_copy(body, i),
        Op::GroupWaitEvents => asynchronous::op_group_wait_events(body, i),
        Op::GroupAll => group::vote(body, i, "all"),
        Op::GroupAny => group::vote(body, i, "any"),
        Op::GroupBroadcast => group::op_broadcast(body, i),
        Op::GroupIAdd
        | Op::GroupFAdd
        | Op::GroupFMin
        | Op::GroupUMin
        | Op::GroupSMin
        | Op::GroupFMax
        | Op::GroupUMax
        | Op::GroupSMax
        | Op::GroupIMulKHR
        | Op::GroupFMulKHR
        | Op::GroupBitwiseAndKHR
        | Op::GroupBitwiseOrKHR
        | Op::GroupBitwiseXorKHR
        | Op::GroupLogicalAndKHR
        | Op::GroupLogicalOrKHR
        | Op::GroupLogicalXorKHR => group::arithmetic(body, i),
        Op::SubgroupShuffleINTEL => sub_group::shuffle(body, i, Whose::Given, 0),
        Op::SubgroupShuffleXorINTEL => sub_group::shuffle(body, i, Whose::Xor, 0),
        Op::SubgroupShuffleDownINTEL => sub_group::op_shuffle_two_intel(body, i, false),
        Op::SubgroupShuffleUpINTEL => sub_group::op_shuffle_two_intel(body, i, true),
        Op::SubgroupBlockReadINTEL => sub_group::op_block_read_intel(body, i),
        Op::SubgroupBlockWriteINTEL => sub_group::op_block_write_intel(body, i),
        Op::SubgroupImageBlockReadINTEL => image::op_block_read_intel(body, i),
        Op::SubgroupImageBlockWriteINTEL => image::op_block_write_intel(body, i),
        // 3.49.24, non-uniform groups.
        Op::GroupNonUniformElect => sub_group::op_elect(body, i),
        Op::GroupNonUniformAll => sub_group::vote(body, i, "all"),
        Op::GroupNonUniformAny => sub_group::vote(body, i, "any"),
        Op::GroupNonUniformAllEqual => sub_group::op_all_equal(body, i),
        Op::GroupNonUniformBroadcast => sub_group::op_broadcast(body, i),
        Op::GroupNonUniformBroadcastFirst => sub_group::op_broadcast_first(body, i),
        Op::GroupNonUniformBallot => sub_group::op_ballot(body, i),
        Op::GroupNonUniformInverseBallot => sub_group::op_inverse_ballot(body, i),
        Op::GroupNonUniformBallotBitExtract => sub_group::op_ballot_bit_extract(body, i),
        Op::GroupNonUniformBallotBitCount => sub_group::op_ballot_bit_count(body, i),
        Op::GroupNonUniformBallotFindLSB => sub_group::ballot_find(body, i, true),
        Op::GroupNonUniformBallotFindMSB => sub_group::ballot_find(body, i, false),
        Op::GroupNonUniformShuffle => sub_group::shuffle(body, i, Whose::Given, 1),
        Op::GroupNonUniformShuffleXor => sub_group::shuffle(body, i, Whose::Xor, 1),
        Op::GroupNonUniformShuffleUp => sub_group::shuffle(body, i, Whose::Up, 1),
        Op::GroupNonUniformShuffleDown => sub_group::shuffle(body, i, Whose::Down, 1),
        Op::GroupNonUniformRotateKHR => sub_group::op_rotate(body, i),
        op if group::combine_of(op).is_some() => sub_group::arithmetic(body, i),
        op => Err(Refusal::new(format!("{} is not supported", op_name(op)))),
    }
}

/// OpUndef: a value that may be any, but must be one, so that nothing done with it is undefined.
fn undef(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let zero = body.result_type(instruction)?.zero();
    body.define(instruction, zero)
}

/// OpSizeOf.
fn size_of(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let pointee = body.pointee(instruction, 0)?;
    let size = body.unit.layouts.size_of(pointee).ok_or_else(|| Refusal::new("the pointee has no size"))?;
    let value = body.result_type(instruction)?.const_int(size);
    body.define(instruction, value)
}
