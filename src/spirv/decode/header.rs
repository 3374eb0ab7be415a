//! The sections before the types: capabilities to annotations.

use spirv::{AddressingModel, Capability, ExecutionMode as Mode, ExecutionModel, MemoryModel, Op};

use super::{Decoder, error, id_at, ids_of, index, string_at, word_at, words_of};
use crate::error::{DecodeError, DecodeFault};
use crate::instruction::Operand;
use crate::module::{Alias, AliasKind, Decoration, Def, EntryPoint, ExecutionMode, Id, InstructionSet};
use crate::parse::Parsed;

/// How many decorations OpGroupDecorate may make of few words, beyond one a word of the module.
const GROUP_DECORATIONS: usize = 1 << 20;

impl Decoder {
    pub(super) fn capability(&mut self, at: &Parsed, operands: &[Operand]) -> Result<(), DecodeError> {
        let word = word_at(at, operands, 0)?;
        let capability =
            Capability::from_u32(word).ok_or_else(|| error(at, format!("capability {word} is unknown")))?;
        self.module.capabilities.push((capability, at.offset));
        Ok(())
    }

    pub(super) fn extension(&mut self, at: &Parsed, operands: &[Operand]) -> Result<(), DecodeError> {
        let (name, _) = string_at(at, operands, 0)?;
        self.module.extensions.push((name, at.offset));
        Ok(())
    }

    pub(super) fn instruction_set_import(&mut self, at: &Parsed, operands: &[Operand]) -> Result<(), DecodeError> {
        let (name, _) = string_at(at, operands, 0)?;
        let set = match name.as_str() {
            "OpenCL.std" => InstructionSet::OpenClStd,
            "OpenCL.DebugInfo.100" => InstructionSet::OpenClDebugInfo100,
            _ if name.starts_with("NonSemantic.") => InstructionSet::NonSemantic(name),
            _ => InstructionSet::Unknown(name),
        };
        let id = Self::result(at)?;
        self.define(at, id, Def::InstructionSet)?;
        self.module.instruction_sets.insert(id, (set, at.offset));
        Ok(())
    }

    pub(super) fn memory_model(&mut self, at: &Parsed, operands: &[Operand]) -> Result<(), DecodeError> {
        let (addressing, memory) = (word_at(at, operands, 0)?, word_at(at, operands, 1)?);
        let addressing = AddressingModel::from_u32(addressing)
            .ok_or_else(|| error(at, format!("addressing model {addressing} is unknown")))?;
        let memory =
            MemoryModel::from_u32(memory).ok_or_else(|| error(at, format!("memory model {memory} is unknown")))?;
        if self.module.memory_model.is_some() {
            return Err(error(at, "the module has another one").of(DecodeFault::MemoryModelTwice));
        }
        self.module.memory_model = Some((addressing, memory, at.offset));
        Ok(())
    }

    pub(super) fn entry_point(&mut self, at: &Parsed, operands: &[Operand]) -> Result<(), DecodeError> {
        let model = word_at(at, operands, 0)?;
        let model =
            ExecutionModel::from_u32(model).ok_or_else(|| error(at, format!("execution model {model} is unknown")))?;
        let function = id_at(at, operands, 1)?;
        let (name, rest) = string_at(at, operands, 2)?;
        let interface = ids_of(operands.get(rest..).unwrap_or_default());
        self.module.entry_points.push(EntryPoint { model, function, name, interface, offset: at.offset });
        Ok(())
    }

    pub(super) fn execution_mode(&mut self, at: &Parsed, operands: &[Operand]) -> Result<(), DecodeError> {
        let entry = id_at(at, operands, 0)?;
        let mode = word_at(at, operands, 1)?;
        let mode = Mode::from_u32(mode).ok_or_else(|| error(at, format!("execution mode {mode} is unknown")))?;
        let operands = operands.get(2..).unwrap_or_default().to_vec();
        self.module.execution_modes.push(ExecutionMode { entry, mode, operands, offset: at.offset });
        Ok(())
    }

    pub(super) fn string(&mut self, at: &Parsed, operands: &[Operand]) -> Result<(), DecodeError> {
        let (text, _) = string_at(at, operands, 0)?;
        let id = Self::result(at)?;
        self.define(at, id, Def::String)?;
        self.module.strings.push((id, text));
        Ok(())
    }

    pub(super) fn name(&mut self, at: &Parsed, operands: &[Operand]) -> Result<(), DecodeError> {
        let target = id_at(at, operands, 0)?;
        let (text, _) = string_at(at, operands, 1)?;
        self.module.names.insert(target, text);
        Ok(())
    }

    /// OpDecorate and its forms: target, decoration, parameters.
    pub(super) fn decorate(&mut self, at: &Parsed, operands: &[Operand]) -> Result<(), DecodeError> {
        let target = id_at(at, operands, 0)?;
        self.add_decoration(at, target, None, operands.get(1..).unwrap_or_default())
    }

    /// OpMemberDecorate and its form: target, member, decoration, parameters.
    pub(super) fn member_decorate(&mut self, at: &Parsed, operands: &[Operand]) -> Result<(), DecodeError> {
        let target = id_at(at, operands, 0)?;
        let member = word_at(at, operands, 1)?;
        self.add_decoration(at, target, Some(member), operands.get(2..).unwrap_or_default())
    }

    fn add_decoration(
        &mut self,
        at: &Parsed,
        target: Id,
        member: Option<u32>,
        operands: &[Operand],
    ) -> Result<(), DecodeError> {
        let word = word_at(at, operands, 0)?;
        let decoration =
            spirv::Decoration::from_u32(word).ok_or_else(|| error(at, format!("decoration {word} is unknown")))?;
        let operands = words_of(operands.get(1..).unwrap_or_default());
        let decoration = Decoration { decoration, operands, member, offset: at.offset };
        self.module.decorations.entry(target).or_default().push(decoration);
        Ok(())
    }

    pub(super) fn group_decorate(&mut self, at: &Parsed, operands: &[Operand]) -> Result<(), DecodeError> {
        let group = id_at(at, operands, 0)?;
        for target in ids_of(operands.get(1..).unwrap_or_default()) {
            self.group_applications.push((group, target, None, at.offset));
        }
        Ok(())
    }

    pub(super) fn group_member_decorate(&mut self, at: &Parsed, operands: &[Operand]) -> Result<(), DecodeError> {
        let group = id_at(at, operands, 0)?;
        for pair in operands.get(1..).unwrap_or_default().chunks(2) {
            if let [Operand::Id(target), Operand::Word(member)] = pair {
                self.group_applications.push((group, *target, Some(*member), at.offset));
            }
        }
        Ok(())
    }

    /// Gives the targets of decoration groups their decorations.
    pub(super) fn apply_groups(&mut self) -> Result<(), DecodeError> {
        let mut budget = GROUP_DECORATIONS;
        for (group, target, member, offset) in std::mem::take(&mut self.group_applications) {
            if self.module.def(group) != Def::DecorationGroup {
                return Err(DecodeError::grammar(offset as usize, format!("{group} is no decoration group"))
                    .of(DecodeFault::DecorationGroup));
            }
            let of_group = self.module.decorations.get(&group).cloned().unwrap_or_default();
            budget = budget.checked_sub(of_group.len() + 1).ok_or_else(|| {
                DecodeError::grammar(
                    offset as usize,
                    format!("decoration groups stand for more than {GROUP_DECORATIONS} decorations"),
                )
                .of(DecodeFault::Capacity)
            })?;
            let applied = of_group.into_iter().map(|decoration| Decoration { member, ..decoration });
            self.module.decorations.entry(target).or_default().extend(applied);
        }
        Ok(())
    }

    /// OpAliasDomainDeclINTEL, OpAliasScopeDeclINTEL, OpAliasScopeListDeclINTEL: a name, where there is one, says nothing.
    pub(super) fn alias(&mut self, at: &Parsed, operands: &[Operand]) -> Result<(), DecodeError> {
        let id = Self::result(at)?;
        let kind = match at.op {
            Op::AliasDomainDeclINTEL => AliasKind::Domain,
            Op::AliasScopeDeclINTEL => AliasKind::Scope(id_at(at, operands, 0)?),
            _ => AliasKind::List(ids_of(operands)),
        };
        self.define(at, id, Def::Alias(index(self.module.aliases.len())))?;
        self.module.aliases.push(Alias { id, kind, offset: at.offset });
        Ok(())
    }

    /// OpExtInst outside a function: debug information.
    pub(super) fn module_level_extended(&mut self, at: &Parsed, operands: &[Operand]) -> Result<(), DecodeError> {
        let set = id_at(at, operands, 0)?;
        let known = self.module.instruction_sets.get(&set).map(|(set, _)| set);
        match known {
            Some(InstructionSet::OpenClStd) | None => {
                Err(error(at, "stands outside a function").of(DecodeFault::Layout))
            }
            Some(_) => self.define(at, Self::result(at)?, Def::Debug),
        }
    }
}
