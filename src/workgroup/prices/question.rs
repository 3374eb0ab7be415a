//! The operations that have prices, without LLVM's values, so that answers are kept for all kernels of a machine.

use oxicl_llvm::{Access, Address, Context, Costs, IntPredicate, Opcode, RealPredicate, Shuffle, Type};

/// What a vector register has several of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Number {
    /// An integer, boolean or address of this many bits: 8, 16, 32 or 64.
    Int(u32),
    Half,
    Bfloat,
    Float,
    Double,
}

impl Number {
    pub(crate) fn bits(self) -> u32 {
        match self {
            Number::Int(bits) => bits,
            Number::Half | Number::Bfloat => 16,
            Number::Float => 32,
            Number::Double => 64,
        }
    }

    pub(crate) fn is_int(self) -> bool {
        matches!(self, Number::Int(_))
    }

    /// LLVM's type of a vector of `lanes` numbers; that of the number itself for one lane.
    fn ty(self, context: &Context, lanes: u32) -> Type<'_> {
        let number = match self {
            Number::Int(bits) => context.int_type(bits),
            Number::Half => context.half_type(),
            Number::Bfloat => context.bfloat_type(),
            Number::Float => context.float_type(),
            Number::Double => context.double_type(),
        };
        if lanes > 1 { number.vector(lanes) } else { number }
    }
}

/// How numbers are moved between lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Move {
    /// From anywhere in a vector.
    Permute,
    /// From anywhere in two vectors.
    PermuteTwo,
    /// From half of each 128 bits of two vectors, in turn.
    Unpack,
    /// A number into a lane, or out of one.
    Insert,
    Extract,
}

/// An operation on one number per lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    /// On two numbers, or on one.
    Arithmetic(Opcode),
    /// The same with a constant as the second.
    ByConstant(Opcode),
    /// A conversion to another number.
    Cast(Opcode, Number),
    Compare,
    Select,
    /// One of LLVM's intrinsics, by its name and number of arguments.
    Intrinsic(&'static str, usize),
    /// A load or store of lanes side by side.
    Contiguous(Access),
    /// The same under a mask.
    Masked(Access),
    /// A gather or scatter.
    Scattered(Access),
    /// `used` numbers of each lane's record of `factor` numbers, where records lie side by side.
    Interleaved {
        access: Access,
        factor: u32,
        used: u32,
    },
    Move(Move),
}

/// An operation, on one number in each of `lanes` lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Question {
    pub(crate) operation: Operation,
    pub(crate) number: Number,
    pub(crate) lanes: u32,
}

impl Question {
    /// Does it make integers narrower?
    pub(super) fn narrows(&self) -> bool {
        matches!(self.operation, Operation::Cast(Opcode::Trunc, _))
    }

    /// What LLVM's TargetTransformInfo says, in its units; `None` if the machine cannot do it.
    pub(super) fn ask<'a>(&self, costs: &Costs<'a>, context: &'a Context) -> Option<u64> {
        let Question { operation, number, lanes } = *self;
        let ty = number.ty(context, lanes);
        let place = Address { align: number.bits() / 8, space: 0 };
        match operation {
            Operation::Arithmetic(opcode) => costs.arithmetic(opcode, ty),
            Operation::ByConstant(opcode) => costs.arithmetic_by_constant(opcode, ty),
            Operation::Cast(opcode, to) => costs.cast(opcode, ty, to.ty(context, lanes)),
            Operation::Compare if number.is_int() => costs.compare_int(IntPredicate::Slt, ty),
            Operation::Compare => costs.compare_float(RealPredicate::Olt, ty),
            Operation::Select => costs.select(ty),
            Operation::Intrinsic(name, count) => intrinsic(costs, context, name, ty, count),
            Operation::Contiguous(access) => costs.memory(access, ty, place),
            Operation::Masked(access) => costs.masked(access, ty, place),
            Operation::Scattered(access) => costs.scattered(access, ty, place, true),
            Operation::Interleaved { access, factor, used } => {
                costs.interleaved_part(access, number.ty(context, lanes * factor), factor, used, place)
            }
            Operation::Move(Move::Permute) => costs.shuffle(Shuffle::Permute, ty),
            Operation::Move(Move::PermuteTwo | Move::Unpack) => costs.shuffle(Shuffle::PermuteTwo, ty),
            Operation::Move(Move::Insert) => costs.insert_element(ty),
            Operation::Move(Move::Extract) => costs.extract_element(ty),
        }
    }
}

/// Intrinsics whose last argument is a boolean.
const WITH_FLAG: [&str; 3] = ["llvm.abs", "llvm.ctlz", "llvm.cttz"];

fn intrinsic<'a>(costs: &Costs<'a>, context: &'a Context, name: &str, ty: Type<'a>, count: usize) -> Option<u64> {
    let mut arguments = vec![ty; count];
    if WITH_FLAG.contains(&name) {
        arguments.truncate(1);
        arguments.push(context.int_type(1));
    }
    costs.intrinsic(name, ty, &arguments)
}
