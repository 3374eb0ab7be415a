//! SPIR-V words as a [`Module`]: decode, specialise, link, disassemble.
//!
//! - **Takes**: SPIR-V words in either byte order.
//! - **Gives**: a [`Module`] with typed ids and arenas; every instruction matches the grammar, every id that is
//!   defined is defined once. Nothing else is promised: that is `validate`'s work.
//! - **Never**: panics, recurses on the shape of its input, or allocates by an unchecked number.
//! - **Spec**: SPIR-V 1.6, section 2 (physical layout) and section 3 (grammar), through rspirv's tables.
#![forbid(unsafe_code)]

mod built_in;
mod decode;
mod definitions;
mod disassemble;
mod error;
mod fingerprint;
mod instruction;
mod intrinsic;
mod layout;
mod link;
mod module;
mod names;
mod parse;
mod physical;
mod requirements;
mod source;
mod specialise;
mod strings;
mod syntax;
mod types;

pub use decode::{decode, is_constant};
pub use definitions::Definitions;
pub use disassemble::{disassemble, disassemble_at};
pub use error::{DecodeError, DecodeFault};
pub use fingerprint::{Fingerprint, fingerprints};
pub use instruction::{Instruction, Operand, OperandRange};
pub use intrinsic::{IntegerOperation, Intrinsic};
pub use layout::{Layout, Layouts};
pub use link::{LinkError, is_imported_printf, link, with_printf, with_weak_exports};
pub use module::{
    Alias, AliasKind, Block, BlockRef, Constant, ConstantKind, Decoration, Def, EntryPoint, ExecutionMode, Function,
    GlobalVariable, Id, InstructionSet, MAX_ALIGNMENT, Module, Parameter,
};
pub use names::Names;
pub use physical::{RawInstruction, raw_instructions, words_from_bytes};
pub use requirements::{
    DecorationTakes, EnumKind, Requirement, decoration_takes, enumerants, implied_capabilities, instruction_requirement,
};
pub use source::{SourcePlace, source_places};
pub use specialise::{SpecConstant, Specialised, spec_constants, specialise};
pub use spirv as grammar;
pub use strings::{decode_string, encode_string, string_bytes};
pub use syntax::{is_type_declaration, op_name, opencl_std_name};
pub use types::{ConstantRef, ImageType, Type, TypeRef};
