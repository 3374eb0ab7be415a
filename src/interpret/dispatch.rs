//! Which function executes an instruction.

use oxicl_spirv::Instruction;
use oxicl_spirv::grammar::Op;

use crate::Fault;
use crate::machine::Machine;
use crate::value::Value;

impl Machine<'_> {
    /// The result of an instruction that computes one.
    pub(crate) fn evaluate(&mut self, inst: &Instruction) -> Result<Value, Fault> {
        match inst.op {
            Op::IAdd | Op::ISub | Op::IMul | Op::UDiv | Op::SDiv | Op::UMod | Op::SRem | Op::SMod => {
                self.integer_binary(inst)
            }
            Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem | Op::FMod => self.float_binary(inst),
            Op::SNegate => self.s_negate(inst),
            Op::FNegate => self.f_negate(inst),
            Op::VectorTimesScalar => self.vector_times_scalar(inst),
            Op::Dot => self.dot(inst),
            Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => self.extended(inst),
            Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => self.shift(inst),
            Op::BitwiseOr | Op::BitwiseXor | Op::BitwiseAnd => self.bitwise(inst),
            Op::Not => self.not(inst),
            Op::BitCount | Op::BitReverse => self.bit_unary(inst),
            Op::BitFieldInsert => self.bit_field_insert(inst),
            Op::BitFieldSExtract | Op::BitFieldUExtract => self.bit_field_extract(inst),
            Op::ConvertFToU | Op::ConvertFToS => self.convert_float_to_integer(inst),
            Op::ConvertSToF | Op::ConvertUToF => self.convert_integer_to_float(inst),
            Op::FConvert => self.convert_float(inst),
            Op::UConvert | Op::SConvert => self.convert_integer(inst),
            Op::SatConvertSToU | Op::SatConvertUToS => self.convert_saturated(inst),
            Op::Bitcast => self.bitcast(inst),
            Op::ConvertPtrToU
            | Op::ConvertUToPtr
            | Op::PtrCastToGeneric
            | Op::GenericCastToPtr
            | Op::GenericCastToPtrExplicit
            | Op::GenericPtrMemSemantics => self.convert_pointer(inst),
            Op::Any | Op::All => self.any_all(inst),
            Op::IsNan | Op::IsInf | Op::IsFinite | Op::IsNormal | Op::SignBitSet => self.classify(inst),
            Op::LogicalEqual | Op::LogicalNotEqual | Op::LogicalOr | Op::LogicalAnd => self.logical(inst),
            Op::LogicalNot => self.logical_not(inst),
            Op::Select => self.select(inst),
            Op::IEqual
            | Op::INotEqual
            | Op::UGreaterThan
            | Op::UGreaterThanEqual
            | Op::ULessThan
            | Op::ULessThanEqual
            | Op::SGreaterThan
            | Op::SGreaterThanEqual
            | Op::SLessThan
            | Op::SLessThanEqual
            | Op::PtrEqual
            | Op::PtrNotEqual => self.compare_integers(inst),
            Op::FOrdEqual
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
            | Op::FUnordGreaterThanEqual
            | Op::LessOrGreater
            | Op::Ordered
            | Op::Unordered => self.compare_floats(inst),
            Op::VectorExtractDynamic => self.vector_extract_dynamic(inst),
            Op::VectorInsertDynamic => self.vector_insert_dynamic(inst),
            Op::VectorShuffle => self.vector_shuffle(inst),
            Op::CompositeConstruct => self.composite_construct(inst),
            Op::CompositeExtract => self.composite_extract(inst),
            Op::CompositeInsert => self.composite_insert(inst),
            Op::CopyObject
            | Op::CopyLogical
            | Op::ExpectKHR
            | Op::ArithmeticFenceEXT
            | Op::FPGARegALTERA
            | Op::PtrCastToCrossWorkgroupALTERA
            | Op::CrossWorkgroupCastToPtrALTERA => self.operand(inst, 0),
            Op::Undef => self.program.zero(self.result_type_ref(inst)?),
            Op::Variable => self.variable(inst),
            Op::Load => self.load(inst),
            Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                self.access_chain(inst)
            }
            Op::PtrDiff => self.pointer_difference(inst),
            Op::SizeOf => self.size_of(inst),
            Op::ExtInst => self.library_call(inst),
            Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => {
                self.integer_dot(inst)
            }
            Op::BitwiseFunctionINTEL => self.bitwise_function(inst),
            Op::ConvertFToBF16INTEL | Op::ConvertBF16ToFINTEL => self.convert_bfloat16(inst),
            Op::QuantizeToF16 => self.quantize(inst),
            Op::MaskedGatherINTEL => self.masked_gather(inst),
            Op::VariableLengthArrayINTEL => self.variable_length_array(inst),
            Op::SaveMemoryINTEL => Ok(self.save_memory()),
            Op::SubgroupBlockReadINTEL => self.block_read(inst),
            Op::ReadClockKHR => self.read_clock(inst),
            Op::AtomicLoad
            | Op::AtomicExchange
            | Op::AtomicCompareExchange
            | Op::AtomicCompareExchangeWeak
            | Op::AtomicIIncrement
            | Op::AtomicIDecrement
            | Op::AtomicIAdd
            | Op::AtomicISub
            | Op::AtomicSMin
            | Op::AtomicUMin
            | Op::AtomicSMax
            | Op::AtomicUMax
            | Op::AtomicAnd
            | Op::AtomicOr
            | Op::AtomicXor
            | Op::AtomicFlagTestAndSet
            | Op::AtomicFAddEXT
            | Op::AtomicFMinEXT
            | Op::AtomicFMaxEXT => self.atomic(inst),
            Op::SubgroupImageBlockReadINTEL => self.image_block_read(inst),
            Op::SampledImage
            | Op::Image
            | Op::ImageSampleExplicitLod
            | Op::ImageRead
            | Op::ImageQuerySize
            | Op::ImageQuerySizeLod
            | Op::ImageQueryFormat
            | Op::ImageQueryOrder
            | Op::ImageQueryLevels => self.image(inst),
            op => Err(Fault::Instruction(op)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use oxicl_caps::DeviceCaps;
    use oxicl_spirv::grammar::Op;
    use oxicl_spirv::{BlockRef, Instruction, OperandRange};

    use crate::group::{Group, NdRange};
    use crate::machine::{Item, Machine};
    use crate::{Fault, FlatMemory, Program};

    const EMPTY: &str = "OpCapability Addresses\nOpCapability Kernel\nOpMemoryModel Physical64 OpenCL\n\
        OpEntryPoint Kernel %f \"k\"\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n\
        %f = OpFunction %void None %fn\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n";

    #[test]
    fn every_instruction_that_a_valid_module_may_have_is_executed() {
        let bytes = oxicl_offline::assemble(EMPTY).expect("assembled");
        let words = oxicl_spirv::words_from_bytes(&bytes).expect("words");
        let module = oxicl_spirv::decode(&words).expect("decoded");
        let valid = oxicl_validate::validate(module, DeviceCaps::host()).expect("valid");
        let program = Program::new(Arc::new(valid)).expect("prepared");
        let kernel = program.kernel("k").expect("the kernel");
        let constants = program.constants(&kernel, 0).expect("constants");
        let range = NdRange { work_dim: 1, global_offset: [0; 3], global_size: [1; 3], local_size: [1; 3] };
        let mut unknown = Vec::new();
        for op in (0..8000).filter_map(Op::from_u32).filter(|op| oxicl_validate::accepts(*op)) {
            let mut memory = FlatMemory::default();
            let mut machine = Machine {
                program: &program,
                kernel: &kernel,
                constants: &constants,
                memory: &mut memory,
                group: Group { range, id: [0; 3], size: [1; 3], program_block: 0, sub_group_size: 1 },
                local: Vec::new(),
                items: vec![Item::new(Vec::new())],
                named_barriers: Vec::new(),
                current: 0,
                steps: 1,
                clock: 0,
                print_limit: 0,
            };
            machine.enter(0, Vec::new(), None).expect("entered");
            // Without operands none gets far, but what is not known at all says so first.
            let inst =
                Instruction { op, result_type: None, result: None, operands: OperandRange::default(), offset: 0 };
            if matches!(machine.step(&inst, BlockRef { function: 0, block: 0 }, 0), Err(Fault::Instruction(_))) {
                unknown.push(op);
            }
        }
        assert!(unknown.is_empty(), "not executed: {unknown:?}");
    }
}
