//! One instruction: its words told apart by the grammar.

use rspirv::grammar::{LogicalOperand, OperandKind, OperandQuantifier};
use spirv::{MemoryAccess, Op};

use crate::error::{DecodeError, DecodeFault};
use crate::instruction::Operand;
use crate::module::{Id, InstructionSet};
use crate::physical::RawInstruction;
use crate::strings::string_words;
use crate::syntax::{self, Entry, enumerant_parameters};

/// What the module says so far that the meaning of an instruction's words depends on.
pub(crate) trait Surroundings {
    /// Words of a literal of the type with this id; `None` if it is no numerical type.
    fn literal_words_of_type(&self, ty: Id) -> Option<usize>;
    /// Words of a literal of the type of this value.
    fn literal_words_of_value(&self, value: Id) -> Option<usize>;
    /// The instruction set that an id imports.
    fn instruction_set(&self, id: Id) -> Option<&InstructionSet>;
}

/// An instruction's fixed parts; its operands go into a buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parsed {
    pub(crate) op: Op,
    pub(crate) result_type: Option<Id>,
    pub(crate) result: Option<Id>,
    pub(crate) offset: u32,
}

/// Reads the words of one instruction.
struct Reader<'a> {
    raw: RawInstruction<'a>,
    entry: Entry,
    /// Index of the next word in `raw.words`.
    next: usize,
    bound: u32,
    out: &'a mut Vec<Operand>,
    /// Kinds of the operands in `out`, where the caller wants them.
    kinds: Option<&'a mut Vec<OperandKind>>,
}

/// Parses `raw`, appending its operands to `out`.
pub(crate) fn parse(
    raw: RawInstruction<'_>,
    bound: u32,
    surroundings: &impl Surroundings,
    out: &mut Vec<Operand>,
) -> Result<Parsed, DecodeError> {
    parse_with_kinds(raw, bound, surroundings, out, None)
}

/// As [`parse`], and appends the kind of each operand to `kinds`.
pub(crate) fn parse_with_kinds<'a>(
    raw: RawInstruction<'a>,
    bound: u32,
    surroundings: &impl Surroundings,
    out: &'a mut Vec<Operand>,
    kinds: Option<&'a mut Vec<OperandKind>>,
) -> Result<Parsed, DecodeError> {
    let Some(entry) = syntax::entry(raw.opcode) else {
        return Err(DecodeError::grammar(raw.offset as usize, format!("opcode {} is unknown", raw.opcode)));
    };
    let start = out.len();
    let mut reader = Reader { raw, entry, next: 1, bound, out, kinds };
    let mut parsed = Parsed { op: entry.grammar.opcode, result_type: None, result: None, offset: raw.offset };
    for operand in entry.grammar.operands {
        match operand.kind {
            OperandKind::IdResultType => parsed.result_type = Some(reader.id()?),
            OperandKind::IdResult => parsed.result = Some(reader.id()?),
            _ => reader.logical_operand(operand, &parsed, start, surroundings)?,
        }
    }
    if reader.left() > 0 && !repeats_type(raw) {
        let message = format!("{} has {} words too many", reader.name(), reader.left());
        return Err(reader.error(message));
    }
    Ok(parsed)
}

/// Whether an instruction is a null constant that clang 22 made and gave its type again for each use of it; `validate`
/// warns of it. The further words mean nothing.
fn repeats_type(raw: RawInstruction<'_>) -> bool {
    match raw.words {
        [_, ty, _, more @ ..] => raw.op() == Some(Op::ConstantNull) && more.iter().all(|word| word == ty),
        _ => false,
    }
}

impl Reader<'_> {
    fn name(&self) -> String {
        format!("Op{}", self.entry.grammar.opname)
    }

    fn error(&self, message: String) -> DecodeError {
        DecodeError::grammar(self.raw.offset as usize, message)
    }

    fn left(&self) -> usize {
        self.raw.words.len().saturating_sub(self.next)
    }

    fn word(&mut self) -> Result<u32, DecodeError> {
        match self.raw.words.get(self.next) {
            Some(&word) => {
                self.next += 1;
                Ok(word)
            }
            None => Err(self.error(format!("{} ends before its last operand", self.name()))),
        }
    }

    fn id(&mut self) -> Result<Id, DecodeError> {
        let word = self.word()?;
        match std::num::NonZeroU32::new(word).filter(|_| word < self.bound) {
            Some(number) => Ok(Id(number)),
            None => Err(self
                .error(format!("{} names id {word}; the bound is {}", self.name(), self.bound))
                .of(DecodeFault::IdBound)),
        }
    }

    /// The operands that were appended last are of `kind`.
    fn mark(&mut self, kind: OperandKind) {
        if let Some(kinds) = &mut self.kinds {
            kinds.resize(self.out.len(), kind);
        }
    }

    fn push_id(&mut self) -> Result<(), DecodeError> {
        let id = self.id()?;
        self.out.push(Operand::Id(id));
        Ok(())
    }

    fn push_words(&mut self, count: usize) -> Result<(), DecodeError> {
        for _ in 0..count {
            let word = self.word()?;
            self.out.push(Operand::Word(word));
        }
        Ok(())
    }

    fn push_string(&mut self) -> Result<(), DecodeError> {
        let rest = self.raw.words.get(self.next..).unwrap_or_default();
        match string_words(rest) {
            Some(count) => self.push_words(count),
            None => Err(self.error(format!("a string of {} has no end", self.name())).of(DecodeFault::String)),
        }
    }

    /// Appends what a logical operand stands for, as often as its quantifier says.
    fn logical_operand(
        &mut self,
        operand: &LogicalOperand,
        parsed: &Parsed,
        start: usize,
        surroundings: &impl Surroundings,
    ) -> Result<(), DecodeError> {
        match operand.quantifier {
            OperandQuantifier::One => self.operand(operand.kind, parsed, start, surroundings),
            OperandQuantifier::ZeroOrOne if self.left() == 0 => Ok(()),
            OperandQuantifier::ZeroOrOne => self.operand(operand.kind, parsed, start, surroundings),
            OperandQuantifier::ZeroOrMore => {
                if parsed.op == Op::ExtInst {
                    self.extended_operands(start, surroundings)?;
                    self.mark(OperandKind::LiteralInteger);
                    return Ok(());
                }
                while self.left() > 0 {
                    self.operand(operand.kind, parsed, start, surroundings)?;
                }
                Ok(())
            }
        }
    }

    /// One operand, its kind noted.
    fn operand(
        &mut self,
        kind: OperandKind,
        parsed: &Parsed,
        start: usize,
        surroundings: &impl Surroundings,
    ) -> Result<(), DecodeError> {
        self.unmarked_operand(kind, parsed, start, surroundings)?;
        self.mark(kind);
        Ok(())
    }

    fn unmarked_operand(
        &mut self,
        kind: OperandKind,
        parsed: &Parsed,
        start: usize,
        surroundings: &impl Surroundings,
    ) -> Result<(), DecodeError> {
        match kind {
            OperandKind::IdRef | OperandKind::IdScope | OperandKind::IdMemorySemantics => self.push_id(),
            OperandKind::LiteralString => self.push_string(),
            OperandKind::PairIdRefIdRef => {
                self.push_id()?;
                self.push_id()
            }
            OperandKind::PairIdRefLiteralInteger => {
                self.push_id()?;
                self.push_words(1)
            }
            OperandKind::PairLiteralIntegerIdRef => {
                let selector = match self.out.get(start) {
                    Some(Operand::Id(id)) => surroundings.literal_words_of_value(*id),
                    _ => None,
                };
                self.literal(selector, DecodeFault::SwitchLiteral)?;
                self.push_id()
            }
            OperandKind::LiteralContextDependentNumber => self.literal(
                parsed.result_type.and_then(|ty| surroundings.literal_words_of_type(ty)),
                DecodeFault::Literal,
            ),
            OperandKind::LiteralSpecConstantOpInteger => self.constant_operation(parsed, start, surroundings),
            OperandKind::MemoryAccess => self.memory_access(),
            OperandKind::ImageOperands => self.words_then_ids(),
            OperandKind::TensorAddressingOperands | OperandKind::TensorOperands => {
                self.push_words(1)?;
                self.push_words(self.left())
            }
            _ => self.enumerant(kind),
        }
    }

    /// An enumerant or mask, and the parameters that it asks for.
    fn enumerant(&mut self, kind: OperandKind) -> Result<(), DecodeError> {
        let word = self.word()?;
        self.out.push(Operand::Word(word));
        self.mark(kind);
        let parameters = match enumerant_parameters(kind, word) {
            Some(parameters) => parameters,
            None => return Err(self.error(format!("{} has {word}, which is no {kind:?}", self.name()))),
        };
        for parameter in parameters {
            match parameter.quantifier {
                OperandQuantifier::ZeroOrMore => {
                    while self.left() > 0 {
                        self.enumerant_parameter(parameter.kind)?;
                    }
                }
                OperandQuantifier::ZeroOrOne if self.left() == 0 => {}
                OperandQuantifier::One | OperandQuantifier::ZeroOrOne => self.enumerant_parameter(parameter.kind)?,
            }
        }
        Ok(())
    }

    fn enumerant_parameter(&mut self, kind: OperandKind) -> Result<(), DecodeError> {
        self.unmarked_enumerant_parameter(kind)?;
        self.mark(kind);
        Ok(())
    }

    fn unmarked_enumerant_parameter(&mut self, kind: OperandKind) -> Result<(), DecodeError> {
        match kind {
            OperandKind::IdRef | OperandKind::IdScope | OperandKind::IdMemorySemantics => self.push_id(),
            OperandKind::LiteralString => self.push_string(),
            // No parameter has parameters of its own.
            _ => {
                let word = self.word()?;
                self.out.push(Operand::Word(word));
                match enumerant_parameters(kind, word) {
                    Some(_) => Ok(()),
                    None => Err(self.error(format!("{} has {word}, which is no {kind:?}", self.name()))),
                }
            }
        }
    }

    fn words_then_ids(&mut self) -> Result<(), DecodeError> {
        self.push_words(1)?;
        while self.left() > 0 {
            self.push_id()?;
        }
        Ok(())
    }

    fn literal(&mut self, words: Option<usize>, fault: DecodeFault) -> Result<(), DecodeError> {
        match words {
            Some(words) => self.push_words(words),
            None => Err(self
                .error(format!("the type of {}'s literal is no numerical type known here", self.name()))
                .of(fault)),
        }
    }

    fn memory_access(&mut self) -> Result<(), DecodeError> {
        let bits = self.word()?;
        self.out.push(Operand::Word(bits));
        self.mark(OperandKind::MemoryAccess);
        let Some(access) = MemoryAccess::from_bits(bits) else {
            return Err(self.error(format!("{} has unknown memory access bits {bits:#x}", self.name())));
        };
        if access.contains(MemoryAccess::ALIGNED) {
            self.push_words(1)?;
            self.mark(OperandKind::LiteralInteger);
        }
        let ids = [
            MemoryAccess::MAKE_POINTER_AVAILABLE,
            MemoryAccess::MAKE_POINTER_VISIBLE,
            MemoryAccess::ALIAS_SCOPE_INTEL_MASK,
            MemoryAccess::NO_ALIAS_INTEL_MASK,
        ];
        for _ in ids.iter().filter(|bit| access.contains(**bit)) {
            self.push_id()?;
        }
        Ok(())
    }

    /// The opcode and operands of OpSpecConstantOp.
    fn constant_operation(
        &mut self,
        parsed: &Parsed,
        start: usize,
        surroundings: &impl Surroundings,
    ) -> Result<(), DecodeError> {
        let opcode = self.word()?;
        self.out.push(Operand::Word(opcode));
        self.mark(OperandKind::LiteralSpecConstantOpInteger);
        let inner = syntax::entry(opcode).filter(|inner| inner.typed && inner.result).filter(|inner| {
            !matches!(inner.grammar.opcode, Op::SpecConstantOp | Op::Constant | Op::SpecConstant | Op::ExtInst)
        });
        let Some(inner) = inner else {
            let name = syntax::name_of_number(opcode);
            return Err(self
                .error(format!("OpSpecConstantOp cannot have the operation {name}"))
                .of(DecodeFault::ConstantOperation));
        };
        for operand in inner.grammar.operands {
            if !matches!(operand.kind, OperandKind::IdResultType | OperandKind::IdResult) {
                self.logical_operand(operand, parsed, start, surroundings)?;
            }
        }
        Ok(())
    }

    /// The operands of OpExtInst after the instruction number. Debug information is not interpreted: its operands stay
    /// words.
    fn extended_operands(&mut self, start: usize, surroundings: &impl Surroundings) -> Result<(), DecodeError> {
        let (set, number) = match self.out.get(start..) {
            Some([Operand::Id(set), Operand::Word(number)]) => (*set, *number),
            _ => return Err(self.error("OpExtInst has no instruction number".to_owned())),
        };
        match surroundings.instruction_set(set) {
            Some(InstructionSet::OpenClStd) => self.opencl_std_operands(number),
            Some(InstructionSet::OpenClDebugInfo100 | InstructionSet::Unknown(_)) => self.push_words(self.left()),
            Some(InstructionSet::NonSemantic(_)) => {
                while self.left() > 0 {
                    self.push_id()?;
                }
                Ok(())
            }
            None => Err(self
                .error(format!("OpExtInst names {set}, which imports no instruction set"))
                .of(DecodeFault::InstructionSet)),
        }
    }

    fn opencl_std_operands(&mut self, number: u32) -> Result<(), DecodeError> {
        let Some(entry) = syntax::opencl_std_entry(number) else {
            return Err(self.error(format!("OpenCL.std has no instruction {number}")));
        };
        for operand in entry.operands {
            match operand.quantifier {
                OperandQuantifier::ZeroOrOne if self.left() == 0 => {}
                OperandQuantifier::One | OperandQuantifier::ZeroOrOne => self.extended_operand(operand.kind)?,
                OperandQuantifier::ZeroOrMore => {
                    while self.left() > 0 {
                        self.extended_operand(operand.kind)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn extended_operand(&mut self, kind: OperandKind) -> Result<(), DecodeError> {
        match kind {
            OperandKind::IdRef => self.push_id(),
            _ => self.push_words(1),
        }
    }
}
