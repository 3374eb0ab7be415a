//! The operations, as IR. `^V` stands for the type, `^I` for integers of its width, `^L` for its length and `^S` for a number;
//! `^M` and `^U` for which elements a shuffle takes: those of one vector in any order, or the lower halves of each 128 bits of
//! two in turn.

/// A number, or a register of them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ty {
    Scalar(&'static str),
    Vector(&'static str),
}

/// Operations that do not depend on each other: `%r` of `%a` and `%b`, or at `%p`, with a temporary `%t`.
pub struct Many {
    pub name: &'static str,
    pub types: &'static [Ty],
    pub code: &'static str,
}

/// Operations that wait for each other: `%r` of `%a`, which is the `%r` before, and of `%b` and `%k`, which are no results;
/// `links` in each code, beside `others` that take a cycle each.
pub struct Chain {
    pub name: &'static str,
    pub types: &'static [Ty],
    pub links: u32,
    pub others: u32,
    pub code: &'static str,
}

use Ty::{Scalar, Vector};

const FLOATS: &[Ty] = &[Vector("float"), Vector("double"), Scalar("float"), Scalar("double")];
const INTEGERS: &[Ty] = &[Vector("i32"), Vector("i64"), Scalar("i32"), Scalar("i64")];
const NUMBERS: &[Ty] = &[Scalar("i32"), Scalar("i64")];

pub const MANY: &[Many] = &[
    Many { name: "add", types: &[Vector("i32"), Scalar("i32")], code: "%r = add ^V %a, %b" },
    Many { name: "fadd", types: &[Vector("float"), Scalar("float")], code: "%r = fadd ^V %a, %b" },
    Many { name: "fmul", types: &[Vector("float"), Scalar("float")], code: "%r = fmul ^V %a, %b" },
    Many { name: "load", types: &[Vector("float"), Scalar("i32")], code: "%r = load ^V, ptr %p, align 4" },
    Many { name: "store", types: &[Vector("float"), Scalar("i32")], code: "store ^V %a, ptr %p, align 4" },
    Many { name: "permute", types: &[Vector("float")], code: "%r = shufflevector ^V %a, ^V poison, ^M" },
    Many { name: "unpack", types: &[Vector("float")], code: "%r = shufflevector ^V %a, ^V %b, ^U" },
    Many { name: "mul", types: INTEGERS, code: "%r = mul ^V %a, %b" },
    Many { name: "shl", types: INTEGERS, code: "%r = shl ^V %a, %b" },
    Many { name: "rotate", types: INTEGERS, code: "%r = call ^V @llvm.fshl(^V %a, ^V %a, ^V %b)" },
    Many { name: "udiv", types: NUMBERS, code: "%r = udiv ^V %a, %b" },
    Many { name: "sdiv", types: NUMBERS, code: "%r = sdiv ^V %a, %b" },
    Many { name: "fdiv", types: FLOATS, code: "%r = fdiv ^V %a, %b" },
    Many { name: "sqrt", types: FLOATS, code: "%r = call ^V @llvm.sqrt(^V %a)" },
    Many {
        name: "masked store",
        types: &[Vector("i8"), Vector("i16"), Vector("i32"), Vector("i64")],
        code: "%t = icmp slt ^V %b, zeroinitializer\n  \
               call void @llvm.masked.store(^V %a, ptr align ^B %p, <^L x i1> %t)",
    },
];

pub const CHAINS: &[Chain] = &[
    Chain { name: "fadd", types: FLOATS, links: 1, others: 0, code: "%r = fadd ^V %a, %b" },
    Chain { name: "fmul", types: FLOATS, links: 1, others: 0, code: "%r = fmul ^V %a, %b" },
    Chain { name: "fdiv", types: FLOATS, links: 1, others: 0, code: "%r = fdiv ^V %a, %b" },
    Chain { name: "sqrt", types: FLOATS, links: 1, others: 0, code: "%r = call ^V @llvm.sqrt(^V %a)" },
    Chain { name: "fma", types: FLOATS, links: 1, others: 0, code: "%r = call ^V @llvm.fmuladd(^V %a, ^V %b, ^V %b)" },
    Chain { name: "minnum", types: FLOATS, links: 1, others: 0, code: "%r = call ^V @llvm.minnum(^V %a, ^V %b)" },
    Chain { name: "floor", types: FLOATS, links: 1, others: 0, code: "%r = call ^V @llvm.floor(^V %a)" },
    Chain {
        name: "fcmp",
        types: FLOATS,
        links: 1,
        others: 1,
        code: "%t = fcmp olt ^V %a, %b\n  %r = select ^C %t, ^V %k, ^V %a",
    },
    Chain {
        name: "icmp",
        types: INTEGERS,
        links: 1,
        others: 1,
        code: "%t = icmp eq ^V %a, %b\n  %r = select ^C %t, ^V %k, ^V %a",
    },
    Chain { name: "mul", types: INTEGERS, links: 1, others: 0, code: "%r = mul ^V %a, %a" },
    Chain { name: "shl", types: INTEGERS, links: 1, others: 0, code: "%r = shl ^V %a, %b" },
    Chain { name: "udiv", types: NUMBERS, links: 1, others: 0, code: "%r = udiv ^V %a, %b" },
    Chain { name: "sdiv", types: NUMBERS, links: 1, others: 0, code: "%r = sdiv ^V %a, %b" },
    Chain {
        name: "convert",
        types: &[Vector("i32"), Vector("i64"), Scalar("i32"), Scalar("i64")],
        links: 2,
        others: 1,
        // The exclusive or keeps LLVM from rounding in place of converting there and back.
        code: "%t = sitofp ^V %a to ^F\n  %u = fptosi ^F %t to ^V\n  %r = xor ^V %u, %k",
    },
    Chain { name: "load", types: &[Scalar("ptr")], links: 1, others: 0, code: "%r = load ptr, ptr %a" },
];

impl Ty {
    fn number(self) -> &'static str {
        match self {
            Ty::Scalar(name) | Ty::Vector(name) => name,
        }
    }

    /// What the row says.
    pub fn name(self) -> String {
        match self {
            Ty::Scalar(name) => name.to_owned(),
            Ty::Vector(name) => format!("vector {name}"),
        }
    }

    fn bits(self) -> u32 {
        match self.number() {
            "i8" => 8,
            "i16" => 16,
            "i32" | "float" => 32,
            _ => 64,
        }
    }

    fn lanes(self, bits: u32) -> u32 {
        bits / self.bits()
    }

    /// The type as IR has it, on registers of so many bits.
    pub fn text(self, bits: u32) -> String {
        self.of(self.number(), bits)
    }

    /// As many of another type.
    fn of(self, number: &str, bits: u32) -> String {
        match self {
            Ty::Scalar(_) => number.to_owned(),
            Ty::Vector(_) => format!("<{} x {number}>", self.lanes(bits)),
        }
    }

    /// Code with its placeholders filled.
    pub fn filled(self, code: &str, bits: u32) -> String {
        let lanes = self.lanes(bits);
        let places = |of: &dyn Fn(u32) -> u32| {
            let places: Vec<String> = (0..lanes).map(|lane| format!("i32 {}", of(lane))).collect();
            format!("<{lanes} x i32> <{}>", places.join(", "))
        };
        let part = 128 / self.bits();
        let unpacked = |lane: u32| lane / part * part + lane % part / 2 + lane % 2 * lanes;
        let float = if self.bits() == 64 { "double" } else { "float" };
        code.replace("^V", &self.text(bits))
            .replace("^F", &self.of(float, bits))
            .replace("^C", &self.of("i1", bits))
            .replace("^M", &places(&|lane| (lane * 5 + 3) % lanes))
            .replace("^U", &places(&unpacked))
            .replace("^L", &lanes.to_string())
            .replace("^B", &(self.bits() / 8).to_string())
    }
}
