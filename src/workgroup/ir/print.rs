//! Writes a function as text: instructions in LLVM's syntax, blocks by their numbers, and cuts.

use std::fmt::Write;

use oxicl_ops::Operation;

use crate::ir::constant::{Constant, ConstantKind};
use crate::ir::instruction::{Detail, Inst, Kind, Memory, Operand, Promises};
use crate::ir::names::{FAST_MATH, int_predicate, listed, opcode, ordering, real_predicate, rmw_op};
use crate::ir::types::{Scalar, Type};
use crate::ir::{BlockId, Call, Callee, ConstantId, FastMath, Function, GepFlags, InstId, Label, Opcode, Terminator};

impl Function<'_> {
    /// The function as text.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for constant in &self.constants {
            if let ConstantKind::Global(global) = &constant.kind
                && let Some(content) = &global.content
            {
                let _ = writeln!(text, "@{} = constant {content}", name(&global.name));
            }
        }
        let parameters = listed(self.parameters.iter().map(|parameter| self.parameter(parameter)));
        let fibers = if self.in_fibers { " in fibers" } else { "" };
        let asks = if self.asks_storage_class { " asks_storage_class" } else { "" };
        let _ = writeln!(text, "function @{}({}){fibers}{asks} {{", name(&self.name), parameters);
        for (number, block) in self.block_ids().zip(&self.blocks) {
            match self.states.iter().position(|first| *first == number).filter(|state| *state > 0) {
                Some(state) => writeln!(text, "block {} of state {state}:", number.0),
                None => writeln!(text, "block {}:", number.0),
            }
            .unwrap_or_default();
            for id in &block.insts {
                let _ = writeln!(text, "  {}{}", self.inst_text(*id), called(self.inst(*id)));
            }
            let _ = writeln!(text, "  {}", self.terminator_text(number));
        }
        text + "}\n"
    }

    /// An instruction as text.
    pub(crate) fn inst_text(&self, id: InstId) -> String {
        let inst = self.inst(id);
        let text = match &inst.kind {
            Kind::Gathered(state) => format!("gathered {} of state {}", inst.ty, state.0),
            Kind::Phi(blocks) => {
                let each = blocks.iter().zip(&inst.operands);
                let each = each.map(|(block, operand)| format!("[ {}, block {} ]", self.value(*operand), block.0));
                format!("phi {} {}", inst.ty, listed(each))
            }
            _ => self.operation(inst),
        };
        match inst.label {
            Label::None => text,
            _ => format!("{} = {text}", label(&inst.label)),
        }
    }

    /// The value that an instruction gives as text; nothing if it gives none.
    pub(crate) fn value_text(&self, id: InstId) -> String {
        label(&self.inst(id).label)
    }

    /// The end of a block as text.
    pub(crate) fn terminator_text(&self, block: BlockId) -> String {
        match &self.block(block).terminator {
            Terminator::Branch { condition: None, successors, .. } => {
                format!("br block {}", successors.first().map_or(0, |block| block.0))
            }
            Terminator::Branch { condition: Some(condition), successors, cases, weights, .. } => {
                let to: Vec<String> = successors.iter().map(|block| format!("block {}", block.0)).collect();
                let condition = self.typed(*condition);
                let weights =
                    if weights.is_empty() { String::new() } else { format!(" weights [{}]", listed(weights)) };
                if cases.is_empty() && to.len() == 2 {
                    return format!("br {condition}, {}{weights}", listed(to));
                }
                let cases = cases.iter().zip(&to[1..]);
                let cases = cases.map(|(case, to)| format!("{}: {to}", self.typed(Operand::Constant(*case))));
                format!("switch {condition}, {} [{}]{weights}", to[0], listed(cases))
            }
            Terminator::Return(None) => "ret void".to_owned(),
            Terminator::Return(Some(operand)) => format!("ret {}", self.typed(*operand)),
            Terminator::Unreachable => "unreachable".to_owned(),
            Terminator::Cut { state, gather: None, .. } => format!("barrier, on to state {}", state.0),
            Terminator::Cut { state, gather: Some(gather), .. } => {
                let operation = Operation::Collective(gather.collective).name();
                format!("gather @{operation}({}), on to state {}", self.list(&gather.operands), state.0)
            }
        }
    }

    fn parameter(&self, parameter: &crate::ir::Parameter<'_>) -> String {
        let mut text = parameter.ty.to_string();
        if parameter.is_noalias {
            text += " noalias";
        }
        if let Some(ty) = &parameter.by_value {
            let _ = write!(text, " byval({ty})");
        }
        if parameter.is_result {
            text += " sret";
        }
        if parameter.align > 0 {
            let _ = write!(text, " align {}", parameter.align);
        }
        if parameter.dereferenceable > 0 {
            let _ = write!(text, " dereferenceable({})", parameter.dereferenceable);
        }
        format!("{text} {}", label(&parameter.label))
    }

    /// An instruction without the name of its value.
    fn operation(&self, inst: &Inst<'_>) -> String {
        let word = opcode(inst.opcode);
        let operands = &inst.operands[..];
        match (&inst.detail, operands) {
            (Detail::Call(call), _) => self.call(inst, call),
            (Detail::Alloca(ty, align), [count, ..]) => {
                let many = self.as_u64(*count) != Some(1);
                let count = if many { format!(", {}", self.typed(*count)) } else { String::new() };
                let space = inst.ty.address_space();
                let space = if space > 0 { format!(", addrspace({space})") } else { String::new() };
                format!("alloca {ty}{count}, align {align}{space}")
            }
            (Detail::Access(memory), _) => self.access(inst, *memory),
            (Detail::Address(source, flags), _) => {
                format!("getelementptr {}{source}, {}", address_flags(*flags), self.list(operands))
            }
            (Detail::ICmp(predicate), _) => format!("icmp {} {}", int_predicate(*predicate), self.same(operands)),
            (Detail::FCmp(predicate, flags), _) => {
                format!("fcmp {}{} {}", fast_math(*flags), real_predicate(*predicate), self.same(operands))
            }
            (Detail::Shuffle(mask), _) => {
                let each = |index: &Option<u32>| index.map_or("i32 poison".into(), |index| format!("i32 {index}"));
                let picked = listed(mask.iter().map(each));
                format!("shufflevector {}, <{} x i32> <{picked}>", self.list(operands), mask.len())
            }
            (Detail::Indices(indices), _) => format!("{word} {}, {}", self.list(operands), listed(indices)),
            (detail, [from]) if inst.opcode != Opcode::FNeg && inst.opcode != Opcode::Freeze => {
                format!("{word} {}{} to {}", promises(detail), self.typed(*from), inst.ty)
            }
            (detail, [_, _]) if !matches!(inst.opcode, Opcode::ExtractElement) => {
                format!("{word} {}{}", promises(detail), self.same(operands))
            }
            (detail, _) => format!("{word} {}{}", promises(detail), self.list(operands)),
        }
    }

    fn access(&self, inst: &Inst<'_>, memory: Memory) -> String {
        let volatile = if memory.is_volatile { "volatile " } else { "" };
        let atomic =
            if inst.is_atomic() && matches!(inst.opcode, Opcode::Load | Opcode::Store) { "atomic " } else { "" };
        let order = if inst.is_atomic() { format!(" {}", ordering(memory.ordering)) } else { String::new() };
        let operands = self.list(&inst.operands);
        let align = memory.align;
        match inst.opcode {
            Opcode::Load => format!("load {atomic}{volatile}{}, {operands}{order}, align {align}", inst.ty),
            Opcode::Store => format!("store {atomic}{volatile}{operands}{order}, align {align}"),
            Opcode::Fence => format!("fence{order}"),
            Opcode::AtomicRmw => {
                let operation = memory.operation.map_or("other", rmw_op);
                format!("atomicrmw {volatile}{operation} {operands}{order}, align {align}")
            }
            _ => {
                let failure = ordering(memory.of_failure);
                format!("cmpxchg {volatile}{operands}{order} {failure}, align {align}")
            }
        }
    }

    fn call(&self, inst: &Inst<'_>, call: &Call) -> String {
        let arguments = self.list(inst.arguments());
        let flags = fast_math(call.fast_math);
        let callee = match (call.callee, inst.operands.get(call.arguments)) {
            (Callee::Unknown, Some(callee)) => self.value(*callee),
            _ => format!("@{}", name(&call.name)),
        };
        format!("call {flags}{} {callee}({arguments})", inst.ty)
    }

    /// Operands, each with its type.
    fn list(&self, operands: &[Operand]) -> String {
        listed(operands.iter().map(|operand| self.typed(*operand)))
    }

    /// Operands of one type.
    fn same(&self, operands: &[Operand]) -> String {
        let ty = operands.first().map_or(&Type::Void, |first| self.type_of(*first));
        format!("{ty} {}", listed(operands.iter().map(|operand| self.value(*operand))))
    }

    fn typed(&self, operand: Operand) -> String {
        format!("{} {}", self.type_of(operand), self.value(operand))
    }

    fn value(&self, operand: Operand) -> String {
        match operand {
            Operand::Inst(id) => self.value_text(id),
            Operand::Parameter(index) => label(&self.parameters[index as usize].label),
            Operand::Constant(id) => self.constant_text(id),
            Operand::Opaque => "opaque".to_owned(),
        }
    }

    fn constant_text(&self, id: ConstantId) -> String {
        let Constant { ty, kind } = self.constant(id);
        let typed = |id: &ConstantId| self.typed(Operand::Constant(*id));
        match kind {
            ConstantKind::Int(value) => int(ty.int_width(), *value),
            ConstantKind::Float(bits) => float(ty.scalar(), *bits),
            ConstantKind::Zero if ty.is_pointer() => "null".to_owned(),
            ConstantKind::Zero => "zeroinitializer".to_owned(),
            ConstantKind::Undef => "undef".to_owned(),
            ConstantKind::Poison => "poison".to_owned(),
            ConstantKind::Unknown(number) => format!("unknown({number})"),
            ConstantKind::Global(global) => format!("@{}", name(&global.name)),
            ConstantKind::Aggregate(elements) => {
                let is_splat = ty.is_vector() && elements.iter().all(|element| *element == elements[0]);
                let text = listed(elements.iter().map(typed));
                match ty {
                    Type::Vector(..) if is_splat => format!("splat ({})", typed(&elements[0])),
                    Type::Vector(..) => format!("<{text}>"),
                    Type::Array(..) => format!("[{text}]"),
                    _ => format!("{{ {text} }}"),
                }
            }
            ConstantKind::Expression(expression) => {
                let operands = listed(expression.operands.iter().map(typed));
                let source = expression.source.as_ref().map(|ty| format!("{ty}, ")).unwrap_or_default();
                format!("{} ({source}{operands})", opcode(expression.opcode))
            }
        }
    }
}

/// What is known of the function that an instruction calls.
fn called(inst: &Inst<'_>) -> String {
    let Some(call) = inst.call().filter(|_| !matches!(inst.kind, Kind::Gathered(_))) else { return String::new() };
    let pure = if call.is_pure { " pure" } else { "" };
    // A plain call of a function is that of one without a body, unless its name says what it does.
    let is_plain = call.callee == Callee::Function && inst.kind == Kind::Plain;
    format!("{pure}{}", if is_plain { " declared" } else { "" })
}

/// What a value is called, as an operand.
fn label(label: &Label) -> String {
    match label {
        Label::Number(number) => format!("%{number}"),
        Label::Name(text) => format!("%{}", name(text)),
        Label::None => String::new(),
    }
}

/// A name, in quotation marks if it has other characters than a bare name may have.
fn name(text: &str) -> String {
    let is_usual = |c: char| c.is_ascii_alphanumeric() || "-$._".contains(c);
    if !text.is_empty() && text.chars().all(is_usual) && !text.starts_with(|c: char| c.is_ascii_digit()) {
        return text.to_owned();
    }
    let escaped = text.bytes().map(|byte| match byte {
        b'"' | b'\\' | 0..0x20 | 0x7f.. => format!("\\{byte:02X}"),
        _ => char::from(byte).to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

/// An integer of `bits` bits, with its sign.
fn int(bits: u32, value: u128) -> String {
    match bits {
        1 => (value != 0).to_string(),
        2..=128 => ((value << (128 - bits)) as i128 >> (128 - bits)).to_string(),
        _ => value.to_string(),
    }
}

/// A floating-point number: with six decimals if these are exact, else by its bits, those of 16 bits as they are.
fn float(ty: Option<Scalar>, bits: u64) -> String {
    let wide = match ty {
        Some(Scalar::Float) => widened(bits as u32),
        Some(Scalar::Double) => bits,
        Some(Scalar::Half) => return format!("0xH{bits:04X}"),
        _ => return format!("0xR{bits:04X}"),
    };
    let value = f64::from_bits(wide);
    let text = format!("{value:.6e}");
    if !value.is_finite() || text.parse() != Ok(value) {
        return format!("0x{wide:X}");
    }
    let (number, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let sign = if exponent.starts_with('-') { '-' } else { '+' };
    format!("{number}e{sign}{:0>2}", exponent.trim_start_matches('-'))
}

/// The bits of a float as those of a double; a NaN keeps all its bits.
pub(super) fn widened(bits: u32) -> u64 {
    let value = f32::from_bits(bits);
    if !value.is_nan() {
        return f64::from(value).to_bits();
    }
    u64::from(bits >> 31) << 63 | 0x7ff << 52 | u64::from(bits & 0x7f_ffff) << 29
}

/// The flags of an operation, each with a space behind it.
fn promises(detail: &Detail) -> String {
    match detail {
        Detail::FastMath(flags) => fast_math(*flags),
        Detail::Promises(Promises { no_signed_wrap, no_unsigned_wrap, exact, disjoint, nonnegative }) => {
            let words = [
                (*no_unsigned_wrap, "nuw "),
                (*no_signed_wrap, "nsw "),
                (*exact, "exact "),
                (*disjoint, "disjoint "),
                (*nonnegative, "nneg "),
            ];
            words.iter().filter(|(has, _)| *has).map(|(_, word)| *word).collect()
        }
        _ => String::new(),
    }
}

fn fast_math(flags: FastMath) -> String {
    if flags == FastMath::ALL {
        return "fast ".to_owned();
    }
    let words = FAST_MATH.iter().enumerate().filter(|(bit, _)| flags.0 >> bit & 1 == 1);
    words.map(|(_, word)| format!("{word} ")).collect()
}

fn address_flags(flags: GepFlags) -> String {
    let mut words = String::new();
    let has = |other: GepFlags| flags.0 & other.0 == other.0;
    match () {
        () if has(GepFlags::IN_BOUNDS) => words += "inbounds ",
        () if has(GepFlags::NUSW) => words += "nusw ",
        () => {}
    }
    if has(GepFlags::NUW) {
        words += "nuw ";
    }
    words
}
