//! Reads instructions.

use std::rc::Rc;

use crate::ir::callee::{Call, Callee};
use crate::ir::instruction::{Detail, Handle, Inst, Kind, Memory, Operand, Promises};
use crate::ir::names::{FAST_MATH, int_predicate_of, opcode_of, ordering_of, real_predicate_of, rmw_op_of};
use crate::ir::parse::cursor::{Cursor, Wrong};
use crate::ir::parse::value::Typed;
use crate::ir::parse::{Parser, block, label};
use crate::ir::read::{Class, class_of_call, of_fibers};
use crate::ir::types::{Scalar, Struct, Type};
use crate::ir::{BlockId, FastMath, GepFlags, Label, Opcode, StateId};

/// What was read of an instruction behind its opcode.
struct Found {
    kind: Kind,
    detail: Detail,
    operands: Vec<Operand>,
    ty: Type,
}

impl Found {
    fn plain(detail: Detail, operands: Vec<Operand>, ty: Type) -> Found {
        Found { kind: Kind::Plain, detail, operands, ty }
    }
}

impl Parser {
    pub(super) fn inst(&mut self, cursor: &mut Cursor<'_>, block: BlockId) -> Wrong<Inst<'static>> {
        let mut own = Label::None;
        if cursor.eat("%") {
            own = label(&cursor.name()?);
            cursor.expect("=")?;
        }
        let word = cursor.word()?;
        if word == "gathered" {
            let ty = cursor.ty()?;
            cursor.expect("of")?;
            cursor.expect("state")?;
            let kind = Kind::Gathered(StateId(cursor.number()?));
            let (operands, detail) = (Vec::new(), Detail::None);
            let (opcode, llvm) = (Opcode::Call, Handle::NONE);
            return Ok(Inst { opcode, kind, block, operands, ty, detail, label: own, llvm });
        }
        let opcode = opcode_of(word).ok_or(format!("there is no instruction `{word}`"))?;
        let Found { kind, detail, operands, ty } = self.found(cursor, opcode)?;
        Ok(Inst { opcode, kind, block, operands, ty, detail, label: own, llvm: Handle::NONE })
    }

    fn found(&mut self, cursor: &mut Cursor<'_>, opcode: Opcode) -> Wrong<Found> {
        use Opcode::{
            AddrSpaceCast, Alloca, AtomicCmpXchg, AtomicRmw, BitCast, ExtractElement, ExtractValue, FCmp, FNeg, FPExt,
            FPToSI, FPToUI, FPTrunc, Fence, Freeze, GetElementPtr, ICmp, InsertElement, InsertValue, IntToPtr, Load,
            Phi, PtrToAddr, PtrToInt, SExt, SIToFP, Select, ShuffleVector, Store, Trunc, UIToFP, ZExt,
        };
        match opcode {
            Opcode::Call => self.call(cursor),
            Phi => self.phi(cursor),
            Alloca => self.alloca(cursor),
            Load | Store | Fence | AtomicRmw | AtomicCmpXchg => self.access(cursor, opcode),
            GetElementPtr => self.address(cursor),
            ICmp | FCmp => self.compare(cursor, opcode),
            ExtractValue | InsertValue => self.member(cursor, opcode),
            ShuffleVector => self.shuffle(cursor),
            Select | InsertElement | ExtractElement | FNeg | Freeze => {
                let detail = promises(cursor, opcode)?;
                let given = self.some(cursor)?;
                let ty = match opcode {
                    Select => given.get(1).map(|typed| typed.ty.clone()),
                    ExtractElement => given[0].ty.element(),
                    _ => Some(given[0].ty.clone()),
                };
                Ok(Found::plain(detail, operands(given), ty.ok_or("operands are missing")?))
            }
            Trunc | ZExt | SExt | FPToUI | FPToSI | UIToFP | SIToFP | FPTrunc | FPExt | PtrToInt | PtrToAddr
            | IntToPtr | BitCast | AddrSpaceCast => {
                let detail = promises(cursor, opcode)?;
                let operands = vec![self.typed(cursor)?];
                cursor.expect("to")?;
                Ok(Found::plain(detail, operands, cursor.ty()?))
            }
            _ => {
                let detail = promises(cursor, opcode)?;
                let (ty, operands) = self.two(cursor)?;
                Ok(Found::plain(detail, operands, ty))
            }
        }
    }

    /// Values with their types.
    fn some(&mut self, cursor: &mut Cursor<'_>) -> Wrong<Vec<Typed>> {
        let mut found = vec![self.with_type(cursor)?];
        while cursor.eat(",") {
            found.push(self.with_type(cursor)?);
        }
        Ok(found)
    }

    /// `TYPE VALUE, VALUE`
    fn two(&mut self, cursor: &mut Cursor<'_>) -> Wrong<(Type, Vec<Operand>)> {
        let ty = cursor.ty()?;
        let first = self.value(cursor, &ty)?;
        cursor.expect(",")?;
        let operands = vec![first, self.value(cursor, &ty)?];
        Ok((ty, operands))
    }

    fn phi(&mut self, cursor: &mut Cursor<'_>) -> Wrong<Found> {
        let ty = cursor.ty()?;
        let (mut operands, mut blocks) = (Vec::new(), Vec::new());
        loop {
            cursor.expect("[")?;
            operands.push(self.value(cursor, &ty)?);
            cursor.expect(",")?;
            blocks.push(block(cursor)?);
            cursor.expect("]")?;
            if !cursor.eat(",") {
                return Ok(Found { kind: Kind::Phi(blocks), detail: Detail::None, operands, ty });
            }
        }
    }

    /// `TYPE[, TYPE COUNT], align NUMBER[, addrspace(NUMBER)]`
    fn alloca(&mut self, cursor: &mut Cursor<'_>) -> Wrong<Found> {
        let ty = cursor.ty()?;
        cursor.expect(",")?;
        let count = if cursor.peek() == "align" {
            let one = crate::ir::constant::ConstantKind::Int(1);
            Operand::Constant(self.constant(Type::int(32), one))
        } else {
            let count = self.typed(cursor)?;
            cursor.expect(",")?;
            count
        };
        cursor.expect("align")?;
        let align = cursor.number()?;
        let mut space = 0;
        if cursor.eat(",") {
            cursor.expect("addrspace")?;
            space = cursor.within(Cursor::number)?;
        }
        let pointer = Type::Scalar(Scalar::Pointer(space));
        Ok(Found { kind: Kind::Alloca, detail: Detail::Alloca(ty, align), operands: vec![count], ty: pointer })
    }

    fn access(&mut self, cursor: &mut Cursor<'_>, opcode: Opcode) -> Wrong<Found> {
        let is_atomic = cursor.eat("atomic") || !matches!(opcode, Opcode::Load | Opcode::Store);
        let mut memory = Memory { is_volatile: cursor.eat("volatile"), ..Memory::ORDINARY };
        let mut ty = Type::Void;
        if opcode == Opcode::Load {
            ty = cursor.ty()?;
            cursor.expect(",")?;
        }
        if opcode == Opcode::AtomicRmw {
            memory.operation = Some(rmw_op_of(cursor.word()?).ok_or("there is no such operation")?);
        }
        let count = match opcode {
            Opcode::Fence => 0,
            Opcode::Load => 1,
            Opcode::AtomicCmpXchg => 3,
            _ => 2,
        };
        let mut given = Vec::new();
        for number in 0..count {
            if number > 0 {
                cursor.expect(",")?;
            }
            given.push(self.with_type(cursor)?);
        }
        if is_atomic {
            memory.ordering = ordering_of(cursor.word()?).ok_or("there is no such ordering")?;
        }
        if opcode == Opcode::AtomicCmpXchg {
            memory.of_failure = ordering_of(cursor.word()?).ok_or("there is no such ordering")?;
            let members = vec![given[1].ty.clone(), Type::int(1)];
            ty = Type::Struct(Rc::new(Struct { members, is_packed: false }));
        }
        if opcode == Opcode::AtomicRmw {
            ty = given[1].ty.clone();
        }
        if cursor.eat(",") {
            cursor.expect("align")?;
            memory.align = cursor.number()?;
        }
        Ok(Found::plain(Detail::Access(memory), operands(given), ty))
    }

    fn address(&mut self, cursor: &mut Cursor<'_>) -> Wrong<Found> {
        let mut flags = 0;
        for (word, bits) in [("inbounds", GepFlags::IN_BOUNDS), ("nusw", GepFlags::NUSW), ("nuw", GepFlags::NUW)] {
            flags |= if cursor.eat(word) { bits.0 } else { 0 };
        }
        let source = cursor.ty()?;
        cursor.expect(",")?;
        let given = self.some(cursor)?;
        // One vector among them makes it a vector of addresses.
        let vector = given.iter().find(|typed| typed.ty.is_vector());
        let ty = match (given[0].ty.single(), vector) {
            (Some(base), Some(vector)) => Type::Vector(base, vector.ty.parts()),
            _ => given[0].ty.clone(),
        };
        Ok(Found::plain(Detail::Address(source, GepFlags(flags)), operands(given), ty))
    }

    fn compare(&mut self, cursor: &mut Cursor<'_>, opcode: Opcode) -> Wrong<Found> {
        let flags = fast_math(cursor);
        let word = cursor.word()?;
        let detail = match opcode {
            Opcode::ICmp => int_predicate_of(word).map(Detail::ICmp),
            _ => real_predicate_of(word).map(|predicate| Detail::FCmp(predicate, flags)),
        };
        let (of, operands) = self.two(cursor)?;
        let truth = Scalar::Int(1);
        let ty = if of.is_vector() { Type::Vector(truth, of.parts()) } else { Type::Scalar(truth) };
        Ok(Found::plain(detail.ok_or(format!("there is no predicate `{word}`"))?, operands, ty))
    }

    fn member(&mut self, cursor: &mut Cursor<'_>, opcode: Opcode) -> Wrong<Found> {
        let Typed { operand, mut ty } = self.with_type(cursor)?;
        let mut operands = vec![operand];
        cursor.expect(",")?;
        if opcode == Opcode::InsertValue {
            operands.push(self.typed(cursor)?);
            cursor.expect(",")?;
        }
        let mut indices = vec![cursor.number::<u32>()?];
        while cursor.eat(",") {
            indices.push(cursor.number()?);
        }
        if opcode == Opcode::ExtractValue {
            for index in &indices {
                ty = ty.member(u64::from(*index)).ok_or("there is no such member")?;
            }
        }
        Ok(Found::plain(Detail::Indices(indices), operands, ty))
    }

    fn shuffle(&mut self, cursor: &mut Cursor<'_>) -> Wrong<Found> {
        let Typed { operand: first, ty } = self.with_type(cursor)?;
        cursor.expect(",")?;
        let operands = vec![first, self.typed(cursor)?];
        cursor.expect(",")?;
        let length = cursor.ty()?.parts();
        cursor.expect("<")?;
        let mask = cursor.list(">", |cursor| {
            cursor.expect("i32")?;
            if cursor.eat("poison") { Ok(None) } else { cursor.number().map(Some) }
        })?;
        let element = ty.scalar().ok_or("no vector is shuffled")?;
        Ok(Found::plain(Detail::Shuffle(mask), operands, Type::Vector(element, length)))
    }

    /// `[FLAGS] TYPE CALLEE(ARGUMENTS) [pure] [declared]`
    fn call(&mut self, cursor: &mut Cursor<'_>) -> Wrong<Found> {
        let fast_math = fast_math(cursor);
        let ty = cursor.ty()?;
        let address = Type::Scalar(Scalar::Pointer(0));
        let (mut callee, mut name) = (Callee::Unknown, String::new());
        let called = if cursor.eat("@") {
            name = cursor.name()?;
            callee = Callee::of_name(&name);
            let kind = self.named(name.clone());
            Operand::Constant(self.constant(address, kind))
        } else {
            self.value(cursor, &address)?
        };
        cursor.expect("(")?;
        let mut operands = cursor.list(")", |cursor| self.typed(cursor))?;
        let (is_pure, is_declared) = (cursor.eat("pure"), cursor.eat("declared"));
        let argument = operands.first().and_then(|first| self.function.as_u64(*first));
        let arguments = operands.len();
        let has_body = callee == Callee::Function && !is_declared;
        let kind = match class_of_call(&name, argument, !has_body).map_err(|failure| failure.0)? {
            Class::Keep(kind) => kind,
            Class::Cut(collective) if self.function.in_fibers => of_fibers(collective, &mut self.collectives),
            Class::Cut(_) | Class::Drop => return Err(format!("a call of {name} is none")),
        };
        if !matches!(kind, Kind::Collective(..)) {
            operands.push(called);
        }
        let call = Call { callee, name, arguments, is_pure, fast_math };
        Ok(Found { kind, detail: Detail::Call(Box::new(call)), operands, ty })
    }
}

fn operands(given: Vec<Typed>) -> Vec<Operand> {
    given.into_iter().map(|typed| typed.operand).collect()
}

/// The flags of an operation.
fn promises(cursor: &mut Cursor<'_>, opcode: Opcode) -> Wrong<Detail> {
    use Opcode::{AShr, Add, FAdd, FDiv, FMul, FNeg, FRem, FSub, LShr, Mul, Or, SDiv, Shl, Sub, UDiv, ZExt};
    if matches!(opcode, FNeg | FAdd | FSub | FMul | FDiv | FRem) {
        return Ok(Detail::FastMath(fast_math(cursor)));
    }
    if !matches!(opcode, Add | Sub | Mul | Shl | UDiv | SDiv | LShr | AShr | Or | ZExt) {
        return Ok(Detail::None);
    }
    let no_unsigned_wrap = cursor.eat("nuw");
    Ok(Detail::Promises(Promises {
        no_signed_wrap: cursor.eat("nsw"),
        no_unsigned_wrap,
        exact: cursor.eat("exact"),
        disjoint: cursor.eat("disjoint"),
        nonnegative: cursor.eat("nneg"),
    }))
}

fn fast_math(cursor: &mut Cursor<'_>) -> FastMath {
    if cursor.eat("fast") {
        return FastMath::ALL;
    }
    let flags = FAST_MATH.iter().enumerate().map(|(bit, word)| if cursor.eat(word) { 1 << bit } else { 0 });
    FastMath(flags.fold(0, |all, flag| all | flag))
}
