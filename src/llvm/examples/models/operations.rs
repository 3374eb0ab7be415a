//! The operations, as IR. `^V` stands for the type, `^I` for integers of its width, `^L` for its length and `^S` for a number;
//! `^W` for a register of bytes and `^8` for as many bytes as the type has numbers; `^M`, `^U`, `^A` and `^Z` for which elements
//! a shuffle takes: those of one vector in any order, the lower halves of each 128 bits of two in turn, the first ones of a
//! register of bytes, or these in such a register.

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
    /// The types of operands and of the result, as placeholders.
    pub from: &'static str,
    pub to: &'static str,
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

impl Many {
    /// With operands and a result of the same type.
    const fn new(name: &'static str, types: &'static [Ty], code: &'static str) -> Many {
        Many { name, types, from: "^V", to: "^V", code }
    }
}

pub const MANY: &[Many] = &[
    Many::new("add", &[Vector("i32"), Scalar("i32")], "%r = add ^V %a, %b"),
    Many::new("fadd", &[Vector("float"), Scalar("float")], "%r = fadd ^V %a, %b"),
    Many::new("fmul", &[Vector("float"), Scalar("float")], "%r = fmul ^V %a, %b"),
    Many::new("load", &[Vector("float"), Scalar("i32")], "%r = load ^V, ptr %p, align 4"),
    Many::new("store", &[Vector("float"), Scalar("i32")], "store ^V %a, ptr %p, align 4"),
    Many::new("permute", &[Vector("float"), Vector("i16"), Vector("i8")], "%r = shufflevector ^V %a, ^V poison, ^M"),
    Many::new("unpack", &[Vector("float")], "%r = shufflevector ^V %a, ^V %b, ^U"),
    Many {
        name: "trunc",
        types: &[Vector("i32")],
        from: "^V",
        to: "^W",
        code: "%t = trunc ^V %a to ^8\n  %r = shufflevector ^8 %t, ^8 poison, ^Z",
    },
    Many {
        name: "zext",
        types: &[Vector("i32")],
        from: "^W",
        to: "^V",
        code: "%t = shufflevector ^W %a, ^W poison, ^A\n  %r = zext ^8 %t to ^V",
    },
    Many::new("mul", INTEGERS, "%r = mul ^V %a, %b"),
    Many::new("shl", INTEGERS, "%r = shl ^V %a, %b"),
    Many::new("rotate", INTEGERS, "%r = call ^V @llvm.fshl(^V %a, ^V %a, ^V %b)"),
    Many::new("udiv", NUMBERS, "%r = udiv ^V %a, %b"),
    Many::new("sdiv", NUMBERS, "%r = sdiv ^V %a, %b"),
    Many::new("fdiv", FLOATS, "%r = fdiv ^V %a, %b"),
    Many::new("sqrt", FLOATS, "%r = call ^V @llvm.sqrt(^V %a)"),
    Many::new(
        "masked store",
        &[Vector("i8"), Vector("i16"), Vector("i32"), Vector("i64")],
        "%t = icmp slt ^V %b, zeroinitializer\n  \
               call void @llvm.masked.store(^V %a, ptr align ^B %p, <^L x i1> %t)",
    ),
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
        let bytes = bits / 8;
        let first = |lane: u32| if lane < lanes { format!("i32 {lane}") } else { "i32 poison".to_owned() };
        let firsts = |count: u32| {
            let places: Vec<String> = (0..count).map(first).collect();
            format!("<{count} x i32> <{}>", places.join(", "))
        };
        code.replace("^V", &self.text(bits))
            .replace("^W", &format!("<{bytes} x i8>"))
            .replace("^8", &self.of("i8", bits))
            .replace("^A", &firsts(lanes))
            .replace("^Z", &firsts(bytes))
            .replace("^F", &self.of(float, bits))
            .replace("^C", &self.of("i1", bits))
            .replace("^M", &places(&|lane| (lane * 5 + 3) % lanes))
            .replace("^U", &places(&unpacked))
            .replace("^L", &lanes.to_string())
            .replace("^B", &(self.bits() / 8).to_string())
    }
}
