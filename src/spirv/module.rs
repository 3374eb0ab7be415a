//! The module: arenas for types, constants, variables and functions, and what the header sections say.

use std::collections::HashMap;
use std::num::NonZeroU32;

use spirv::{AddressingModel, Capability, ExecutionMode as Mode, ExecutionModel, MemoryModel, StorageClass};

use crate::definitions::Definitions;
use crate::instruction::{Instruction, Operand, OperandRange};
use crate::strings::decode_string;
use crate::types::{ConstantRef, Type, TypeRef};

/// A SPIR-V id, smaller than the module's bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(pub NonZeroU32);

impl Id {
    /// The number.
    pub fn number(self) -> u32 {
        self.0.get()
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "%{}", self.0)
    }
}

/// The largest alignment that a decoration can ask for, in bytes.
pub const MAX_ALIGNMENT: u32 = 4096;

/// What an id stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the arenas")]
pub enum Def {
    /// Not defined in this module.
    #[default]
    None,
    Type(TypeRef),
    Constant(ConstantRef),
    /// Index into [`Module::globals`].
    Global(u32),
    /// Index into [`Module::functions`].
    Function(u32),
    Parameter {
        function: u32,
        index: u32,
    },
    Block(BlockRef),
    /// Result of instruction `index` of the block's `instructions`.
    Instruction {
        block: BlockRef,
        index: u32,
    },
    /// OpExtInstImport.
    InstructionSet,
    /// OpString.
    String,
    /// OpDecorationGroup.
    DecorationGroup,
    /// Index into [`Module::aliases`].
    Alias(u32),
    /// A module-level instruction without semantics (debug information, non-semantic OpExtInst).
    Debug,
}

/// A block, by function and position in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockRef {
    /// Index into [`Module::functions`].
    pub function: u32,
    /// Index into [`Function::blocks`].
    pub block: u32,
}

/// A known extended instruction set.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the sets")]
pub enum InstructionSet {
    OpenClStd,
    OpenClDebugInfo100,
    /// `NonSemantic.*`, any of them.
    NonSemantic(String),
    /// `validate` refuses it by name.
    Unknown(String),
}

/// A constant declaration, specialisation constants included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Result id.
    pub id: Id,
    /// Type.
    pub ty: TypeRef,
    /// Value.
    pub kind: ConstantKind,
    /// True for the OpSpecConstant forms; `specialise` leaves none.
    pub spec: bool,
    /// Word offset of its instruction.
    pub offset: u32,
}

/// The value of a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the OpConstant instructions")]
pub enum ConstantKind {
    Bool(bool),
    /// Integer or floating-point bits, zero-extended to 64 bits from the type's width.
    Scalar(u64),
    Null,
    Undef,
    Composite(Vec<Id>),
    /// Operand words of OpConstantSampler.
    Sampler {
        addressing: u32,
        normalized: bool,
        filter: u32,
    },
    /// OpSpecConstantOp not folded yet (or, after `specialise`, one that names addresses, which `lower` evaluates).
    Operation {
        op: spirv::Op,
        operands: OperandRange,
    },
    /// Any other OpConstant instruction; `validate` refuses it by name.
    Other {
        op: spirv::Op,
        operands: OperandRange,
    },
}

/// A decoration of an id, or of a member of a structure type. Decoration groups are already applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoration {
    /// What it says.
    pub decoration: spirv::Decoration,
    /// Its operand words (ids as their numbers).
    pub operands: Vec<u32>,
    /// Member of the structure, for OpMemberDecorate.
    pub member: Option<u32>,
    /// Word offset of its instruction.
    pub offset: u32,
}

/// A declaration of SPV_INTEL_memory_access_aliasing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    /// Result id.
    pub id: Id,
    /// What it declares.
    pub kind: AliasKind,
    /// Word offset of its instruction.
    pub offset: u32,
}

/// What groups memory accesses of which is known that they do not overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AliasKind {
    /// Scopes of different domains say nothing of each other.
    Domain,
    /// A scope of this domain.
    Scope(Id),
    /// A list of scopes, which accesses name.
    List(Vec<Id>),
}

/// OpEntryPoint.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the operands")]
pub struct EntryPoint {
    pub model: ExecutionModel,
    pub function: Id,
    pub name: String,
    pub interface: Vec<Id>,
    /// Word offset of its instruction.
    pub offset: u32,
}

/// OpExecutionMode and OpExecutionModeId.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the operands")]
pub struct ExecutionMode {
    pub entry: Id,
    pub mode: Mode,
    pub operands: Vec<Operand>,
    /// Word offset of its instruction.
    pub offset: u32,
}

/// A module-scope OpVariable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalVariable {
    /// Result id.
    pub id: Id,
    /// Pointer type.
    pub ty: TypeRef,
    /// Storage class.
    pub storage: StorageClass,
    /// Initialiser: a constant or another module-scope variable.
    pub initializer: Option<Id>,
    /// Word offset of its instruction.
    pub offset: u32,
}

/// A function; without blocks it is a declaration (imported).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Result id.
    pub id: Id,
    /// Function control mask.
    pub control: u32,
    /// Type of the result.
    pub result: TypeRef,
    /// Function type.
    pub ty: TypeRef,
    /// Parameters.
    pub parameters: Vec<Parameter>,
    /// Blocks in module order; the first is the entry.
    pub blocks: Vec<Block>,
    /// Word offset of its OpFunction.
    pub offset: u32,
}

/// OpFunctionParameter.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the operands")]
pub struct Parameter {
    pub id: Id,
    pub ty: TypeRef,
    /// Word offset of its instruction.
    pub offset: u32,
}

/// A basic block. Its last instruction is its terminator; OpLine and OpNoLine are not among the instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Id of the OpLabel.
    pub label: Id,
    /// Instructions, terminator included; OpLabel excluded.
    pub instructions: Vec<Instruction>,
    /// Word offset of its OpLabel.
    pub offset: u32,
}

/// A decoded module.
#[derive(Clone, Debug)]
pub struct Module {
    /// The words that it was decoded from, in host byte order.
    pub words: Vec<u32>,
    /// Version as (major, minor).
    pub version: (u8, u8),
    /// Generator magic number.
    pub generator: u32,
    /// Ids are smaller than this.
    pub bound: u32,
    /// Capabilities with the word offsets of their instructions.
    pub capabilities: Vec<(Capability, u32)>,
    /// Extensions with the word offsets of their instructions.
    pub extensions: Vec<(String, u32)>,
    /// Imported extended instruction sets with the word offsets of their instructions.
    pub instruction_sets: HashMap<Id, (InstructionSet, u32)>,
    /// Addressing and memory model, if OpMemoryModel is there, and its word offset.
    pub memory_model: Option<(AddressingModel, MemoryModel, u32)>,
    /// Entry points.
    pub entry_points: Vec<EntryPoint>,
    /// Execution modes.
    pub execution_modes: Vec<ExecutionMode>,
    /// OpString, in module order.
    pub strings: Vec<(Id, String)>,
    /// OpName.
    pub names: HashMap<Id, String>,
    /// Decorations by target, in module order.
    pub decorations: HashMap<Id, Vec<Decoration>>,
    /// Alias domains, scopes and lists of scopes, in module order.
    pub aliases: Vec<Alias>,
    /// Types.
    pub types: Vec<Type>,
    /// Result id of each type, parallel to `types`.
    pub type_ids: Vec<Id>,
    /// Word offsets of the declarations, parallel to `types`.
    pub type_offsets: Vec<u32>,
    /// Constants.
    pub constants: Vec<Constant>,
    /// Module-scope variables.
    pub globals: Vec<GlobalVariable>,
    /// Functions.
    pub functions: Vec<Function>,
    /// What each id stands for; ask through [`Module::def`].
    pub definitions: Definitions,
    /// Module-level instructions that the model has no place for; `validate` refuses them by name.
    pub others: Vec<(spirv::Op, u32)>,
    /// Operands of all instructions.
    pub operands: Vec<Operand>,
}

impl Module {
    /// What `id` stands for.
    pub fn def(&self, id: Id) -> Def {
        self.definitions.get(id)
    }

    /// The type that `id` names.
    pub fn type_ref(&self, id: Id) -> Option<TypeRef> {
        match self.def(id) {
            Def::Type(ty) => Some(ty),
            _ => None,
        }
    }

    /// A type's declaration.
    pub fn ty(&self, ty: TypeRef) -> &Type {
        &self.types[ty.0 as usize]
    }

    /// The element of an array, of arrays too; any other type itself.
    pub fn innermost(&self, ty: TypeRef) -> TypeRef {
        let mut ty = ty;
        // An array names an earlier type, so this ends.
        while let Some(Type::Array { element, .. }) = self.types.get(ty.0 as usize)
            && element.0 < ty.0
        {
            ty = *element;
        }
        ty
    }

    /// The constant that `id` names.
    pub fn constant(&self, id: Id) -> Option<&Constant> {
        match self.def(id) {
            Def::Constant(constant) => self.constants.get(constant.0 as usize),
            _ => None,
        }
    }

    /// The module-scope variable that `id` names.
    pub fn global(&self, id: Id) -> Option<&GlobalVariable> {
        match self.def(id) {
            Def::Global(index) => self.globals.get(index as usize),
            _ => None,
        }
    }

    /// The function that `id` names.
    pub fn function(&self, id: Id) -> Option<&Function> {
        match self.def(id) {
            Def::Function(index) => self.functions.get(index as usize),
            _ => None,
        }
    }

    /// Decorations of `id`, those of its members included.
    pub fn decorations_of(&self, id: Id) -> &[Decoration] {
        self.decorations.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Type of the value that `id` names, if it names a value.
    pub fn type_of(&self, id: Id) -> Option<TypeRef> {
        match self.def(id) {
            Def::Constant(constant) => Some(self.constants[constant.0 as usize].ty),
            Def::Global(index) => Some(self.globals[index as usize].ty),
            Def::Function(index) => Some(self.functions[index as usize].ty),
            Def::Parameter { function, index } => Some(self.functions[function as usize].parameters[index as usize].ty),
            Def::Instruction { block, index } => {
                self.functions[block.function as usize].blocks[block.block as usize].instructions[index as usize]
                    .result_type
            }
            _ => None,
        }
    }

    /// The decoration `decoration` of `id` itself, not of a member.
    pub fn decoration(&self, id: Id, decoration: spirv::Decoration) -> Option<&Decoration> {
        self.decorations_of(id).iter().find(|found| found.decoration == decoration && found.member.is_none())
    }

    /// Whether `id` itself has `decoration`.
    pub fn has_decoration(&self, id: Id, decoration: spirv::Decoration) -> bool {
        self.decoration(id, decoration).is_some()
    }

    /// The `Alignment` decoration of a variable or pointer, in bytes, if it has one that can be kept: clang writes 128 as
    /// a negative 8-bit number, and beyond [`MAX_ALIGNMENT`] it would cost more than it is worth.
    pub fn alignment(&self, id: Id) -> Option<u32> {
        let align = self.decoration(id, spirv::Decoration::Alignment)?.operands.first().copied()?;
        (align.is_power_of_two() && align <= MAX_ALIGNMENT).then_some(align)
    }

    /// Whether `id` has a `FuncParamAttr` decoration that says `attribute`.
    pub fn has_parameter_attribute(&self, id: Id, attribute: spirv::FunctionParameterAttribute) -> bool {
        self.decorations_of(id).iter().any(|found| {
            found.decoration == spirv::Decoration::FuncParamAttr && found.operands.first() == Some(&(attribute as u32))
        })
    }

    /// The built-in that a variable is decorated as.
    pub fn built_in(&self, id: Id) -> Option<spirv::BuiltIn> {
        let number = *self.decoration(id, spirv::Decoration::BuiltIn)?.operands.first()?;
        spirv::BuiltIn::from_u32(number)
    }

    /// Name and linkage type of an id decorated with `LinkageAttributes`.
    pub fn linkage(&self, id: Id) -> Option<(String, spirv::LinkageType)> {
        let operands = &self.decoration(id, spirv::Decoration::LinkageAttributes)?.operands;
        let (name, words) = decode_string(operands)?;
        Some((name, spirv::LinkageType::from_u32(*operands.get(words)?)?))
    }

    /// The instruction that `id` is the result of.
    pub fn instruction(&self, id: Id) -> Option<&Instruction> {
        match self.def(id) {
            Def::Instruction { block, index } => self.block(block)?.instructions.get(index as usize),
            _ => None,
        }
    }

    /// The block that a reference names.
    pub fn block(&self, block: BlockRef) -> Option<&Block> {
        self.functions.get(block.function as usize)?.blocks.get(block.block as usize)
    }

    /// The declaration of aliasing that `id` names.
    pub fn alias(&self, id: Id) -> Option<&Alias> {
        match self.def(id) {
            Def::Alias(index) => self.aliases.get(index as usize),
            _ => None,
        }
    }

    /// The OpString that `id` names.
    pub fn string(&self, id: Id) -> Option<&str> {
        self.strings.iter().find(|(string, _)| *string == id).map(|(_, text)| text.as_str())
    }
}
