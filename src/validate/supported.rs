//! What the compiler can lower: one table. An instruction that is not in it is refused by name.

use oxicl_caps::{DeviceCaps, Feature};
use oxicl_spirv::grammar::Op;
use oxicl_spirv::{InstructionSet, Type};

use crate::at::At;
use crate::opencl::opencl_std;
use crate::rule::Rule;
use crate::universal::{
    arithmetic, asynchronous, atomic, barrier, bit, composite, control_flow, conversion, extension, group, image,
    memory, non_uniform, relational,
};
use crate::violation::Check;

/// A check of an instruction's operands.
pub(crate) type OperandCheck = fn(&At<'_>) -> Check;

/// The rule and the check of an instruction in a function body; `None` if the compiler cannot lower it.
pub(crate) fn instruction(op: Op) -> Option<(Rule, OperandCheck)> {
    body(op).or_else(|| computation(op)).or_else(|| groups(op)).or_else(|| images(op))
}

/// Images; that the device has them is a matter of their types.
pub(crate) fn images(op: Op) -> Option<(Rule, OperandCheck)> {
    let check: OperandCheck = match op {
        Op::SampledImage => image::sampled_image,
        Op::Image => image::image_of_sampled,
        Op::ImageSampleExplicitLod => image::sample,
        Op::ImageRead => image::read,
        Op::ImageWrite => image::write,
        Op::ImageQuerySizeLod => image::query_size_lod,
        Op::ImageQuerySize => image::query_size,
        Op::ImageQueryFormat | Op::ImageQueryOrder => image::query_format,
        Op::ImageQueryLevels => image::query_levels,
        Op::SubgroupImageBlockReadINTEL => image::block_read,
        Op::SubgroupImageBlockWriteINTEL => image::block_write,
        _ => return None,
    };
    Some((Rule::Image, check))
}

/// Control flow, memory, functions, barriers, atomics.
fn body(op: Op) -> Option<(Rule, OperandCheck)> {
    Some(match op {
        Op::Phi => (Rule::Phi, control_flow::phi),
        Op::LoopMerge => (Rule::LoopControl, control_flow::loop_merge),
        Op::SelectionMerge | Op::LoopControlINTEL => (Rule::MergePlacement, nothing),
        Op::Branch | Op::Unreachable => (Rule::BranchTarget, nothing),
        Op::Return | Op::ReturnValue => (Rule::Return, nothing),
        Op::BranchConditional => (Rule::BranchCondition, control_flow::branch_conditional),
        Op::Switch => (Rule::Switch, control_flow::switch),
        Op::LifetimeStart | Op::LifetimeStop => (Rule::Lifetime, memory::lifetime),
        Op::FunctionCall => (Rule::FunctionCall, control_flow::call),
        Op::Undef => (Rule::NullConstant, undef),
        Op::ExtInst => (Rule::ExtendedInstruction, extended),
        Op::Variable => (Rule::VariableType, memory::variable),
        Op::Load => (Rule::MemoryAccess, memory::load),
        Op::Store => (Rule::MemoryAccess, memory::store),
        Op::CopyMemory => (Rule::CopyMemory, memory::copy),
        Op::CopyMemorySized => (Rule::CopyMemory, memory::copy_sized),
        Op::AccessChain | Op::InBoundsAccessChain => (Rule::AccessChain, |at| memory::access_chain(at, false)),
        Op::PtrAccessChain | Op::InBoundsPtrAccessChain => (Rule::AccessChain, |at| memory::access_chain(at, true)),
        Op::VariableLengthArrayINTEL => (Rule::VariableType, memory::variable_length_array),
        Op::SaveMemoryINTEL => (Rule::MemoryAccess, memory::save_memory),
        Op::RestoreMemoryINTEL => (Rule::MemoryAccess, memory::restore_memory),
        Op::MaskedGatherINTEL => (Rule::MemoryAccess, memory::gather),
        Op::MaskedScatterINTEL => (Rule::MemoryAccess, memory::scatter),
        Op::SizeOf => (Rule::PointerQuery, memory::size_of),
        Op::GenericPtrMemSemantics => (Rule::PointerQuery, memory::generic_semantics),
        Op::AtomicLoad => (Rule::Atomic, atomic::load),
        Op::AtomicStore => (Rule::Atomic, atomic::store),
        Op::AtomicExchange => (Rule::Atomic, atomic::exchange),
        Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => (Rule::Atomic, atomic::compare_exchange),
        Op::AtomicIIncrement | Op::AtomicIDecrement => (Rule::Atomic, atomic::step),
        Op::AtomicIAdd
        | Op::AtomicISub
        | Op::AtomicSMin
        | Op::AtomicUMin
        | Op::AtomicSMax
        | Op::AtomicUMax
        | Op::AtomicAnd
        | Op::AtomicOr
        | Op::AtomicXor => (Rule::Atomic, atomic::arithmetic),
        Op::AtomicFAddEXT => (Rule::Atomic, atomic::add_float),
        Op::AtomicFMinEXT | Op::AtomicFMaxEXT => (Rule::Atomic, atomic::extreme_float),
        Op::AtomicFlagTestAndSet | Op::AtomicFlagClear => (Rule::Atomic, atomic::flag),
        Op::ControlBarrier => (Rule::Barrier, barrier::control),
        Op::MemoryBarrier => (Rule::Barrier, barrier::memory),
        Op::ExpectKHR => (Rule::Composite, composite::expect),
        Op::AssumeTrueKHR => (Rule::Composite, assume),
        _ => return None,
    })
}

/// Values out of values.
fn computation(op: Op) -> Option<(Rule, OperandCheck)> {
    Some(match op {
        Op::SNegate | Op::IAdd | Op::ISub | Op::IMul | Op::UDiv | Op::SDiv | Op::UMod | Op::SRem | Op::SMod => {
            (Rule::Arithmetic, arithmetic::integer)
        }
        Op::FNegate | Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem | Op::FMod => {
            (Rule::Arithmetic, arithmetic::float)
        }
        Op::VectorTimesScalar => (Rule::Arithmetic, arithmetic::vector_times_scalar),
        Op::Dot => (Rule::DotProduct, arithmetic::dot),
        Op::SDot | Op::UDot | Op::SUDot => (Rule::DotProduct, |at| arithmetic::integer_dot(at, false)),
        Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => (Rule::DotProduct, |at| arithmetic::integer_dot(at, true)),
        Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => {
            (Rule::WideArithmetic, arithmetic::extended)
        }
        Op::ShiftLeftLogical => (Rule::Bit, bit::shift_left),
        Op::ShiftRightLogical | Op::ShiftRightArithmetic => (Rule::Bit, bit::shift),
        Op::BitwiseAnd => (Rule::Bit, bit::and),
        Op::BitwiseOr | Op::BitwiseXor | Op::Not | Op::BitReverse => (Rule::Bit, arithmetic::integer),
        Op::BitFieldInsert => (Rule::Bit, |at| bit::bit_field(at, 2)),
        Op::BitFieldSExtract | Op::BitFieldUExtract => (Rule::Bit, |at| bit::bit_field(at, 1)),
        Op::BitCount => (Rule::Bit, bit::bit_count),
        Op::Any | Op::All => (Rule::Relational, relational::reduction),
        Op::IsNan
        | Op::IsInf
        | Op::IsFinite
        | Op::IsNormal
        | Op::SignBitSet
        | Op::LessOrGreater
        | Op::Ordered
        | Op::Unordered
        | Op::FOrdEqual
        | Op::FUnordEqual
        | Op::FOrdNotEqual
        | Op::FUnordNotEqual
        | Op::FOrdLessThan
        | Op::FUnordLessThan
        | Op::FOrdGreaterThan
        | Op::FUnordGreaterThan
        | Op::FOrdLessThanEqual
        | Op::FUnordLessThanEqual
        | Op::FOrdGreaterThanEqual
        | Op::FUnordGreaterThanEqual => (Rule::Relational, relational::floats),
        Op::LogicalEqual | Op::LogicalNotEqual | Op::LogicalOr | Op::LogicalAnd | Op::LogicalNot => {
            (Rule::Relational, relational::logical)
        }
        Op::Select => (Rule::Select, relational::select),
        Op::IEqual
        | Op::INotEqual
        | Op::UGreaterThan
        | Op::SGreaterThan
        | Op::UGreaterThanEqual
        | Op::SGreaterThanEqual
        | Op::ULessThan
        | Op::SLessThan
        | Op::ULessThanEqual
        | Op::SLessThanEqual => (Rule::Relational, relational::integers),
        Op::PtrEqual | Op::PtrNotEqual => (Rule::PointerComparison, relational::pointers),
        Op::PtrDiff => (Rule::PointerComparison, relational::pointer_difference),
        Op::ConvertFToU | Op::ConvertFToS => (Rule::Conversion, conversion::float_to_int),
        Op::ConvertSToF | Op::ConvertUToF => (Rule::Conversion, conversion::int_to_float),
        Op::UConvert | Op::SConvert => (Rule::Conversion, conversion::int_to_int),
        Op::SatConvertSToU | Op::SatConvertUToS => (Rule::Conversion, conversion::int_to_int),
        Op::FConvert => (Rule::Conversion, conversion::float_to_float),
        Op::ConvertPtrToU => (Rule::PointerConversion, conversion::pointer_to_int),
        Op::ConvertUToPtr => (Rule::PointerConversion, conversion::int_to_pointer),
        Op::PtrCastToGeneric => (Rule::PointerConversion, conversion::to_generic),
        Op::GenericCastToPtr | Op::GenericCastToPtrExplicit => (Rule::PointerConversion, conversion::from_generic),
        Op::Bitcast => (Rule::Bitcast, conversion::bitcast),
        Op::PtrCastToCrossWorkgroupALTERA => (Rule::PointerConversion, extension::to_global),
        Op::CrossWorkgroupCastToPtrALTERA => (Rule::PointerConversion, extension::from_global),
        Op::ConvertFToBF16INTEL => (Rule::Conversion, extension::to_bfloat16),
        Op::ConvertBF16ToFINTEL => (Rule::Conversion, extension::from_bfloat16),
        Op::BitwiseFunctionINTEL => (Rule::Bit, extension::ternary),
        Op::ArithmeticFenceEXT => (Rule::Arithmetic, extension::arithmetic_fence),
        Op::FPGARegALTERA => (Rule::CopyObject, extension::register),
        Op::VectorExtractDynamic => (Rule::VectorIndex, composite::extract_dynamic),
        Op::VectorInsertDynamic => (Rule::VectorIndex, composite::insert_dynamic),
        Op::VectorShuffle => (Rule::VectorShuffle, composite::shuffle),
        Op::CompositeConstruct => (Rule::Composite, composite::construct),
        Op::CompositeExtract => (Rule::Composite, composite::extract),
        Op::CompositeInsert => (Rule::Composite, composite::insert),
        Op::CopyObject => (Rule::CopyObject, composite::copy_object),
        Op::CopyLogical => (Rule::CopyObject, composite::copy_logical),
        _ => return None,
    })
}

/// What work-items of a group do together.
fn groups(op: Op) -> Option<(Rule, OperandCheck)> {
    Some(match op {
        Op::GroupAsyncCopy => (Rule::Group, asynchronous::copy),
        Op::GroupWaitEvents => (Rule::Group, asynchronous::wait),
        Op::ControlBarrierArriveINTEL | Op::ControlBarrierWaitINTEL => (Rule::Barrier, barrier::split),
        Op::NamedBarrierInitialize => (Rule::Barrier, barrier::initialize_named),
        Op::MemoryNamedBarrier => (Rule::Barrier, barrier::named),
        Op::ReadClockKHR => (Rule::Barrier, barrier::read_clock),
        Op::GroupAll | Op::GroupAny => (Rule::Group, group::vote),
        Op::GroupBroadcast => (Rule::Group, group::broadcast),
        Op::GroupIAdd | Op::GroupUMin | Op::GroupSMin | Op::GroupUMax | Op::GroupSMax => {
            (Rule::Group, |at| group::arithmetic(at, group::integer))
        }
        Op::GroupFAdd | Op::GroupFMin | Op::GroupFMax => (Rule::Group, |at| group::arithmetic(at, group::float)),
        Op::GroupIMulKHR | Op::GroupBitwiseAndKHR | Op::GroupBitwiseOrKHR | Op::GroupBitwiseXorKHR => {
            (Rule::Group, |at| group::uniform_arithmetic(at, group::integer))
        }
        Op::GroupFMulKHR => (Rule::Group, |at| group::uniform_arithmetic(at, group::float)),
        Op::GroupLogicalAndKHR | Op::GroupLogicalOrKHR | Op::GroupLogicalXorKHR => {
            (Rule::Group, |at| group::uniform_arithmetic(at, group::boolean))
        }
        Op::SubgroupShuffleINTEL | Op::SubgroupShuffleXorINTEL => (Rule::Group, |at| group::shuffle_intel(at, 1)),
        Op::SubgroupShuffleDownINTEL | Op::SubgroupShuffleUpINTEL => (Rule::Group, |at| group::shuffle_intel(at, 2)),
        Op::SubgroupBlockReadINTEL => (Rule::Group, group::block_read),
        Op::SubgroupBlockWriteINTEL => (Rule::Group, group::block_write),
        Op::GroupNonUniformElect => (Rule::NonUniform, non_uniform::elect),
        Op::GroupNonUniformAll | Op::GroupNonUniformAny => (Rule::NonUniform, non_uniform::vote),
        Op::GroupNonUniformAllEqual => (Rule::NonUniform, non_uniform::all_equal),
        Op::GroupNonUniformBroadcast => (Rule::NonUniform, non_uniform::broadcast),
        Op::GroupNonUniformBroadcastFirst => (Rule::NonUniform, non_uniform::broadcast_first),
        Op::GroupNonUniformBallot => (Rule::NonUniform, non_uniform::ballot),
        Op::GroupNonUniformInverseBallot => (Rule::NonUniform, non_uniform::inverse_ballot),
        Op::GroupNonUniformBallotBitExtract => (Rule::NonUniform, non_uniform::ballot_bit_extract),
        Op::GroupNonUniformBallotBitCount => (Rule::NonUniform, non_uniform::ballot_bit_count),
        Op::GroupNonUniformBallotFindLSB | Op::GroupNonUniformBallotFindMSB => {
            (Rule::NonUniform, non_uniform::ballot_find)
        }
        Op::GroupNonUniformShuffle
        | Op::GroupNonUniformShuffleXor
        | Op::GroupNonUniformShuffleUp
        | Op::GroupNonUniformShuffleDown => (Rule::NonUniform, non_uniform::shuffle),
        Op::GroupNonUniformRotateKHR => (Rule::NonUniform, non_uniform::rotate),
        Op::GroupNonUniformIAdd
        | Op::GroupNonUniformIMul
        | Op::GroupNonUniformSMin
        | Op::GroupNonUniformUMin
        | Op::GroupNonUniformSMax
        | Op::GroupNonUniformUMax
        | Op::GroupNonUniformBitwiseAnd
        | Op::GroupNonUniformBitwiseOr
        | Op::GroupNonUniformBitwiseXor => (Rule::NonUniform, |at| non_uniform::arithmetic(at, group::integer)),
        Op::GroupNonUniformFAdd | Op::GroupNonUniformFMul | Op::GroupNonUniformFMin | Op::GroupNonUniformFMax => {
            (Rule::NonUniform, |at| non_uniform::arithmetic(at, group::float))
        }
        Op::GroupNonUniformLogicalAnd | Op::GroupNonUniformLogicalOr | Op::GroupNonUniformLogicalXor => {
            (Rule::NonUniform, |at| non_uniform::arithmetic(at, group::boolean))
        }
        _ => return None,
    })
}

/// Why a type is not supported, if it is not.
pub(crate) fn type_lacking(caps: &DeviceCaps, ty: &Type) -> Option<&'static str> {
    match ty {
        Type::Image { .. } | Type::SampledImage { .. } | Type::Sampler if caps.has(Feature::Images) => None,
        Type::Image { .. } => Some("OpTypeImage: the device offers no images (capability ImageBasic)"),
        Type::SampledImage { .. } => Some("OpTypeSampledImage: the device offers no images (capability ImageBasic)"),
        Type::Sampler => Some("OpTypeSampler: the device offers no images (capability ImageBasic)"),
        Type::Pipe { .. } => Some("OpTypePipe: the device offers no pipes (capability Pipes)"),
        Type::ReserveId => Some("OpTypeReserveId: the device offers no pipes (capability Pipes)"),
        Type::PipeStorage => Some("OpTypePipeStorage: the device offers no pipes (capability PipeStorage)"),
        Type::Queue => Some("OpTypeQueue: the device offers no device queues (capability DeviceEnqueue)"),
        Type::DeviceEvent => Some("OpTypeDeviceEvent: the device offers no device queues (capability DeviceEnqueue)"),
        Type::NamedBarrier if caps.has(Feature::NamedBarriers) => None,
        Type::NamedBarrier => Some("OpTypeNamedBarrier: the device offers no named barriers (capability NamedBarrier)"),
        _ => None,
    }
}

fn nothing(_: &At<'_>) -> Check {
    Ok(())
}

fn undef(at: &At<'_>) -> Check {
    let ty = at.result()?;
    let is_there = at.subject.layouts.get(ty).is_some() && !at.subject.is_opaque(ty);
    at.require(is_there, || format!("gives a {}, of which no value is undefined", at.subject.describe(ty)))
}

fn assume(at: &At<'_>) -> Check {
    let shape = at.shape(0)?;
    at.require(shape == crate::at::Shape { scalar: crate::at::Scalar::Bool, count: 1 }, || "has no boolean".to_owned())
}

/// OpExtInst: debug information says nothing; OpenCL.std is checked by its table.
fn extended(at: &At<'_>) -> Check {
    let set = at.module().instruction_sets.get(&at.id(0)?).map(|(set, _)| set);
    match set {
        Some(InstructionSet::OpenClStd) => opencl_std::check(at),
        Some(_) => Ok(()),
        None => at.fault("names no instruction set"),
    }
}
