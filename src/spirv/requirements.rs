//! What instructions, enumerants and mask bits need: a capability, an extension, a version.
//!
//! Capabilities and extensions are rspirv's; the versions, which it does not have, are here.

use rspirv::dr::Operand;
use rspirv::grammar::OperandKind;
use spirv::{
    AccessQualifier, AddressingModel, BuiltIn, Capability, Decoration, Dim, ExecutionMode, ExecutionModel, FPEncoding,
    FPFastMathMode, FPRoundingMode, FunctionControl, FunctionParameterAttribute, GroupOperation, HostAccessQualifier,
    ImageFormat, ImageOperands, LinkageType, LoopControl, MemoryAccess, MemoryModel, MemorySemantics, Op,
    PackedVectorFormat, SamplerAddressingMode, SamplerFilterMode, Scope, SelectionControl, StorageClass,
};

use crate::module::Module;
use crate::parse::parse_with_kinds;
use crate::physical::RawInstruction;
use crate::syntax;

/// What the grammar says that something needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requirement {
    /// Needs one of these, unless there are none.
    pub capabilities: Vec<Capability>,
    /// Needs one of these where the module's version is smaller than `version`.
    pub extensions: Vec<&'static str>,
    /// The version that has it without an extension; `None` if no version has.
    pub version: Option<(u8, u8)>,
}

/// A kind of operand whose values have requirements of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EnumKind(OperandKind);

impl EnumKind {
    /// The kind of OpCapability's operand.
    pub const CAPABILITY: EnumKind = EnumKind(OperandKind::Capability);
    /// The kind of OpDecorate's second operand.
    pub const DECORATION: EnumKind = EnumKind(OperandKind::Decoration);
    /// The kind of memory operands.
    pub const MEMORY_ACCESS: EnumKind = EnumKind(OperandKind::MemoryAccess);
    /// The kind of scopes, which are ids of constants.
    pub const SCOPE: EnumKind = EnumKind(OperandKind::Scope);
    /// The kind of memory semantics, which are ids of constants.
    pub const MEMORY_SEMANTICS: EnumKind = EnumKind(OperandKind::MemorySemantics);

    /// Values are masks, each bit of which has its requirements.
    pub fn is_mask(self) -> bool {
        matches!(
            self.0,
            OperandKind::ImageOperands
                | OperandKind::FPFastMathMode
                | OperandKind::SelectionControl
                | OperandKind::LoopControl
                | OperandKind::FunctionControl
                | OperandKind::MemorySemantics
                | OperandKind::MemoryAccess
        )
    }

    /// The value (one bit, of masks) as an operand; `None` if it is unknown.
    fn operand(self, word: u32) -> Option<Operand> {
        Some(match self.0 {
            OperandKind::ImageOperands => Operand::ImageOperands(ImageOperands::from_bits(word)?),
            OperandKind::FPFastMathMode => Operand::FPFastMathMode(FPFastMathMode::from_bits(word)?),
            OperandKind::SelectionControl => Operand::SelectionControl(SelectionControl::from_bits(word)?),
            OperandKind::LoopControl => Operand::LoopControl(LoopControl::from_bits(word)?),
            OperandKind::FunctionControl => Operand::FunctionControl(FunctionControl::from_bits(word)?),
            OperandKind::MemorySemantics => Operand::MemorySemantics(MemorySemantics::from_bits(word)?),
            OperandKind::MemoryAccess => Operand::MemoryAccess(MemoryAccess::from_bits(word)?),
            OperandKind::ExecutionModel => Operand::ExecutionModel(ExecutionModel::from_u32(word)?),
            OperandKind::AddressingModel => Operand::AddressingModel(AddressingModel::from_u32(word)?),
            OperandKind::MemoryModel => Operand::MemoryModel(MemoryModel::from_u32(word)?),
            OperandKind::ExecutionMode => Operand::ExecutionMode(ExecutionMode::from_u32(word)?),
            OperandKind::StorageClass => Operand::StorageClass(StorageClass::from_u32(word)?),
            OperandKind::Dim => Operand::Dim(Dim::from_u32(word)?),
            OperandKind::SamplerAddressingMode => {
                Operand::SamplerAddressingMode(SamplerAddressingMode::from_u32(word)?)
            }
            OperandKind::SamplerFilterMode => Operand::SamplerFilterMode(SamplerFilterMode::from_u32(word)?),
            OperandKind::ImageFormat => Operand::ImageFormat(ImageFormat::from_u32(word)?),
            OperandKind::FPRoundingMode => Operand::FPRoundingMode(FPRoundingMode::from_u32(word)?),
            OperandKind::LinkageType => Operand::LinkageType(LinkageType::from_u32(word)?),
            OperandKind::AccessQualifier => Operand::AccessQualifier(AccessQualifier::from_u32(word)?),
            OperandKind::HostAccessQualifier => Operand::HostAccessQualifier(HostAccessQualifier::from_u32(word)?),
            OperandKind::FunctionParameterAttribute => {
                Operand::FunctionParameterAttribute(FunctionParameterAttribute::from_u32(word)?)
            }
            OperandKind::Decoration => Operand::Decoration(Decoration::from_u32(word)?),
            OperandKind::BuiltIn => Operand::BuiltIn(BuiltIn::from_u32(word)?),
            OperandKind::Scope => Operand::Scope(Scope::from_u32(word)?),
            OperandKind::GroupOperation => Operand::GroupOperation(GroupOperation::from_u32(word)?),
            OperandKind::Capability => Operand::Capability(Capability::from_u32(word)?),
            OperandKind::PackedVectorFormat => Operand::PackedVectorFormat(PackedVectorFormat::from_u32(word)?),
            OperandKind::FPEncoding => Operand::FPEncoding(FPEncoding::from_u32(word)?),
            _ => return None,
        })
    }

    /// What a value (one bit, of masks) needs; `None` if it is unknown.
    pub fn requirement(self, word: u32) -> Option<Requirement> {
        let operand = self.operand(word)?;
        // Of a capability, these are what it declares with it.
        let capabilities = match self.0 {
            OperandKind::Capability => Vec::new(),
            _ => operand.required_capabilities(),
        };
        let extensions = operand.required_extensions();
        let version = enumerant_version(self.0, word).or(extensions.is_empty().then_some((1, 0)));
        // Groups is of 1.0; the extension adds nothing to it.
        let version = if operand == Operand::Capability(Capability::Groups) { Some((1, 0)) } else { version };
        Some(Requirement { capabilities, extensions, version })
    }

    /// A value's name.
    pub fn name(self, word: u32) -> String {
        match self.operand(word) {
            Some(Operand::Capability(value)) => format!("{value:?}"),
            Some(operand) => operand.to_string(),
            None => word.to_string(),
        }
    }
}

/// Which parameters a decoration has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DecorationTakes {
    /// Some are ids.
    pub ids: bool,
    /// Some are strings.
    pub strings: bool,
}

/// Which parameters a decoration has.
pub fn decoration_takes(decoration: Decoration) -> DecorationTakes {
    let parameters = Operand::Decoration(decoration).additional_operands();
    let any = |kinds: &[OperandKind]| parameters.iter().any(|parameter| kinds.contains(&parameter.kind));
    DecorationTakes {
        ids: any(&[OperandKind::IdRef, OperandKind::IdScope, OperandKind::IdMemorySemantics]),
        strings: any(&[OperandKind::LiteralString]),
    }
}

/// The capabilities that another one declares with it.
pub fn implied_capabilities(capability: Capability) -> Vec<Capability> {
    Operand::Capability(capability).required_capabilities()
}

/// What an instruction needs.
pub fn instruction_requirement(op: Op) -> Requirement {
    let Some(entry) = syntax::entry(op as u32) else { return Requirement::default() };
    let extensions = entry.grammar.extensions.to_vec();
    let version = instruction_version(op).or(extensions.is_empty().then_some((1, 0)));
    Requirement { capabilities: entry.grammar.capabilities.to_vec(), extensions, version }
}

/// Calls `visit` with each enumerant and mask among the operands of an instruction of `module`.
pub fn enumerants(module: &Module, raw: RawInstruction<'_>, mut visit: impl FnMut(EnumKind, u32)) {
    if !syntax::entry(raw.opcode).is_some_and(|entry| entry.enumerants) {
        return;
    }
    let (mut operands, mut kinds) = (Vec::new(), Vec::new());
    if parse_with_kinds(raw, module.bound, module, &mut operands, Some(&mut kinds)).is_err() {
        return;
    }
    for (operand, kind) in operands.iter().zip(kinds) {
        if let (crate::instruction::Operand::Word(word), true) = (operand, is_enumerant(kind)) {
            visit(EnumKind(kind), *word);
        }
    }
}

/// Operands of this kind are enumerants or masks.
pub(crate) fn is_enumerant(kind: OperandKind) -> bool {
    !matches!(
        kind,
        OperandKind::IdResultType
            | OperandKind::IdResult
            | OperandKind::IdMemorySemantics
            | OperandKind::IdScope
            | OperandKind::IdRef
            | OperandKind::LiteralInteger
            | OperandKind::LiteralString
            | OperandKind::LiteralFloat
            | OperandKind::LiteralContextDependentNumber
            | OperandKind::LiteralExtInstInteger
            | OperandKind::LiteralSpecConstantOpInteger
            | OperandKind::PairLiteralIntegerIdRef
            | OperandKind::PairIdRefLiteralInteger
            | OperandKind::PairIdRefIdRef
    )
}

/// The version that brought an instruction to the core, if that is later than 1.0.
fn instruction_version(op: Op) -> Option<(u8, u8)> {
    let number = op as u32;
    let minor = match op {
        Op::SizeOf
        | Op::TypePipeStorage
        | Op::ConstantPipeStorage
        | Op::CreatePipeFromPipeStorage
        | Op::GetKernelLocalSizeForSubgroupCount
        | Op::GetKernelMaxNumSubgroups
        | Op::TypeNamedBarrier
        | Op::NamedBarrierInitialize
        | Op::MemoryNamedBarrier
        | Op::ModuleProcessed => 1,
        Op::ExecutionModeId | Op::DecorateId => 2,
        _ if (Op::GroupNonUniformElect as u32..=Op::GroupNonUniformQuadSwap as u32).contains(&number) => 3,
        Op::CopyLogical | Op::PtrEqual | Op::PtrNotEqual | Op::PtrDiff => 4,
        Op::DecorateString | Op::MemberDecorateString => 4,
        Op::TerminateInvocation | Op::DemoteToHelperInvocation => 6,
        Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => 6,
        _ => return None,
    };
    Some((1, minor))
}

/// The version that brought an enumerant to the core, if that is later than 1.0.
fn enumerant_version(kind: OperandKind, word: u32) -> Option<(u8, u8)> {
    let minor = match kind {
        OperandKind::Capability => capability_version(Capability::from_u32(word)?)?,
        OperandKind::Decoration => match Decoration::from_u32(word)? {
            Decoration::MaxByteOffset => 1,
            Decoration::AlignmentId | Decoration::MaxByteOffsetId => 2,
            Decoration::UniformId
            | Decoration::NoSignedWrap
            | Decoration::NoUnsignedWrap
            | Decoration::CounterBuffer
            | Decoration::UserSemantic => 4,
            Decoration::NonUniform | Decoration::RestrictPointer | Decoration::AliasedPointer => 5,
            _ => return None,
        },
        OperandKind::ExecutionMode => match ExecutionMode::from_u32(word)? {
            ExecutionMode::Initializer
            | ExecutionMode::Finalizer
            | ExecutionMode::SubgroupSize
            | ExecutionMode::SubgroupsPerWorkgroup => 1,
            ExecutionMode::SubgroupsPerWorkgroupId | ExecutionMode::LocalSizeId | ExecutionMode::LocalSizeHintId => 2,
            ExecutionMode::DenormPreserve
            | ExecutionMode::DenormFlushToZero
            | ExecutionMode::SignedZeroInfNanPreserve
            | ExecutionMode::RoundingModeRTE
            | ExecutionMode::RoundingModeRTZ => 4,
            _ => return None,
        },
        OperandKind::BuiltIn => match BuiltIn::from_u32(word)? {
            BuiltIn::SubgroupEqMask
            | BuiltIn::SubgroupGeMask
            | BuiltIn::SubgroupGtMask
            | BuiltIn::SubgroupLeMask
            | BuiltIn::SubgroupLtMask
            | BuiltIn::BaseVertex
            | BuiltIn::BaseInstance
            | BuiltIn::DrawIndex
            | BuiltIn::DeviceIndex
            | BuiltIn::ViewIndex => 3,
            _ => return None,
        },
        OperandKind::LoopControl => match LoopControl::from_bits(word)? {
            LoopControl::DEPENDENCY_INFINITE | LoopControl::DEPENDENCY_LENGTH => 1,
            LoopControl::MIN_ITERATIONS
            | LoopControl::MAX_ITERATIONS
            | LoopControl::ITERATION_MULTIPLE
            | LoopControl::PEEL_COUNT
            | LoopControl::PARTIAL_COUNT => 4,
            _ => return None,
        },
        OperandKind::ImageOperands => match ImageOperands::from_bits(word)? {
            ImageOperands::SIGN_EXTEND | ImageOperands::ZERO_EXTEND => 4,
            ImageOperands::MAKE_TEXEL_AVAILABLE
            | ImageOperands::MAKE_TEXEL_VISIBLE
            | ImageOperands::NON_PRIVATE_TEXEL
            | ImageOperands::VOLATILE_TEXEL => 5,
            ImageOperands::NONTEMPORAL => 6,
            _ => return None,
        },
        OperandKind::MemoryAccess => match MemoryAccess::from_bits(word)? {
            MemoryAccess::MAKE_POINTER_AVAILABLE
            | MemoryAccess::MAKE_POINTER_VISIBLE
            | MemoryAccess::NON_PRIVATE_POINTER => 5,
            _ => return None,
        },
        OperandKind::MemorySemantics => match MemorySemantics::from_bits(word)? {
            MemorySemantics::OUTPUT_MEMORY
            | MemorySemantics::MAKE_AVAILABLE
            | MemorySemantics::MAKE_VISIBLE
            | MemorySemantics::VOLATILE => 5,
            _ => return None,
        },
        OperandKind::StorageClass => match StorageClass::from_u32(word)? {
            StorageClass::StorageBuffer => 3,
            StorageClass::TaskPayloadWorkgroupEXT => 4,
            StorageClass::PhysicalStorageBuffer => 5,
            _ => return None,
        },
        OperandKind::AddressingModel => match AddressingModel::from_u32(word)? {
            AddressingModel::PhysicalStorageBuffer64 => 5,
            _ => return None,
        },
        OperandKind::MemoryModel => match MemoryModel::from_u32(word)? {
            MemoryModel::Vulkan => 5,
            _ => return None,
        },
        OperandKind::Scope => match Scope::from_u32(word)? {
            Scope::QueueFamily => 5,
            _ => return None,
        },
        OperandKind::GroupOperation => match GroupOperation::from_u32(word)? {
            GroupOperation::ClusteredReduce => 3,
            _ => return None,
        },
        OperandKind::PackedVectorFormat => 6,
        _ => return None,
    };
    Some((1, minor))
}

/// The minor version that brought a capability to the core, if that is later than 1.0.
fn capability_version(capability: Capability) -> Option<u8> {
    let number = capability as u32;
    let minor = match capability {
        Capability::SubgroupDispatch | Capability::NamedBarrier | Capability::PipeStorage => 1,
        Capability::DrawParameters
        | Capability::StorageBuffer16BitAccess
        | Capability::UniformAndStorageBuffer16BitAccess
        | Capability::StoragePushConstant16
        | Capability::StorageInputOutput16
        | Capability::DeviceGroup
        | Capability::MultiView
        | Capability::VariablePointersStorageBuffer
        | Capability::VariablePointers => 3,
        _ if (Capability::GroupNonUniform as u32..=Capability::GroupNonUniformQuad as u32).contains(&number) => 3,
        Capability::DenormPreserve
        | Capability::DenormFlushToZero
        | Capability::SignedZeroInfNanPreserve
        | Capability::RoundingModeRTE
        | Capability::RoundingModeRTZ => 4,
        Capability::ShaderLayer
        | Capability::ShaderViewportIndex
        | Capability::StorageBuffer8BitAccess
        | Capability::UniformAndStorageBuffer8BitAccess
        | Capability::StoragePushConstant8
        | Capability::VulkanMemoryModel
        | Capability::VulkanMemoryModelDeviceScope
        | Capability::PhysicalStorageBufferAddresses => 5,
        _ if (Capability::ShaderNonUniform as u32..=Capability::StorageTexelBufferArrayNonUniformIndexing as u32)
            .contains(&number) =>
        {
            5
        }
        Capability::UniformDecoration
        | Capability::DemoteToHelperInvocation
        | Capability::DotProductInputAll
        | Capability::DotProductInput4x8Bit
        | Capability::DotProductInput4x8BitPacked
        | Capability::DotProduct => 6,
        _ => return None,
    };
    Some(minor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_stand_in_for_versions() {
        let packed = EnumKind(OperandKind::PackedVectorFormat).requirement(0).expect("known");
        assert_eq!((packed.version, packed.extensions), (Some((1, 6)), vec!["SPV_KHR_integer_dot_product"]));
        let clock = EnumKind::CAPABILITY.requirement(Capability::ShaderClockKHR as u32).expect("known");
        assert_eq!((clock.version, clock.extensions), (None, vec!["SPV_KHR_shader_clock"]));
        assert_eq!(EnumKind::CAPABILITY.requirement(Capability::Groups as u32).expect("known").version, Some((1, 0)));
        assert_eq!(instruction_requirement(Op::SizeOf).version, Some((1, 1)));
        assert_eq!(instruction_requirement(Op::GroupNonUniformElect).version, Some((1, 3)));
        assert_eq!(instruction_requirement(Op::GroupNonUniformRotateKHR).version, Some((1, 0)));
        assert_eq!(instruction_requirement(Op::AssumeTrueKHR).version, None);
    }
}
