//! Operations whose price is asked for, without LLVM's values: what is known of one is kept for all kernels of a machine.

use oxicl_llvm::{Access, Address, Context, Costs, IntPredicate, Opcode, RealPredicate, Shuffle, Type};

/// What a register has many of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Number {
    /// An integer, truth or address of so many bits: 8, 16, 32 or 64.
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

    /// As LLVM's type, of so many lanes; a number by itself if it is one.
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
    /// From anywhere in two.
    PermuteTwo,
    /// A number into a lane, or out of one.
    Insert,
    Extract,
}

/// An operation on a number of each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    /// One of two numbers, or of one.
    Arithmetic(Opcode),
    /// The same where the second is a constant.
    ByConstant(Opcode),
    /// A conversion to another number.
    Cast(Opcode, Number),
    Compare,
    Select,
    /// LLVM's intrinsic function, with so many arguments of the number.
    Intrinsic(&'static str, usize),
    /// Side by side, in each lane.
    Contiguous(Access),
    /// The same under a mask.
    Masked(Access),
    /// Each lane at its own place.
    Scattered(Access),
    /// So many of a record of so many numbers a lane, records side by side.
    Interleaved {
        access: Access,
        factor: u32,
        used: u32,
    },
    Move(Move),
}

/// An operation on so many lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Question {
    pub(crate) operation: Operation,
    pub(crate) number: Number,
    pub(crate) lanes: u32,
}

impl Question {
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
            Operation::Move(Move::PermuteTwo) => costs.shuffle(Shuffle::PermuteTwo, ty),
            Operation::Move(Move::Insert) => costs.insert_element(ty),
            Operation::Move(Move::Extract) => costs.extract_element(ty),
        }
    }
}

/// Intrinsics whose last argument is a truth.
const WITH_FLAG: [&str; 3] = ["llvm.abs", "llvm.ctlz", "llvm.cttz"];

fn intrinsic<'a>(costs: &Costs<'a>, context: &'a Context, name: &str, ty: Type<'a>, count: usize) -> Option<u64> {
    let mut arguments = vec![ty; count];
    if WITH_FLAG.contains(&name) {
        arguments.truncate(1);
        arguments.push(context.int_type(1));
    }
    costs.intrinsic(name, ty, &arguments)
}
