//! Constant operations give what the same instructions give when a kernel runs.

use std::collections::HashMap;

use oxicl_spirv::{decode, specialise, words_from_bytes};

use crate::harness::execute_module;

/// A scalar type: its name, its width in bits, and how it is told from others.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Int(u32),
    Float(u32),
    Bool,
}

const KINDS: [(&str, Kind); 8] = [
    ("uchar", Kind::Int(8)),
    ("ushort", Kind::Int(16)),
    ("uint", Kind::Int(32)),
    ("ulong", Kind::Int(64)),
    ("half", Kind::Float(16)),
    ("float", Kind::Float(32)),
    ("double", Kind::Float(64)),
    ("bool", Kind::Bool),
];

const INT: &str = "IAdd ISub IMul UDiv SDiv UMod SRem SMod BitwiseOr BitwiseXor BitwiseAnd";
const SHIFT: &str = "ShiftRightLogical ShiftRightArithmetic ShiftLeftLogical";
const INT_COMPARISON: &str = "IEqual INotEqual ULessThan SLessThan UGreaterThan SGreaterThan ULessThanEqual \
                              SLessThanEqual UGreaterThanEqual SGreaterThanEqual";
const FLOAT: &str = "FAdd FSub FMul FDiv FRem FMod";
const LOGICAL: &str = "LogicalOr LogicalAnd LogicalEqual LogicalNotEqual";

/// The operations on a type: result type, opcode, operands.
fn operations(name: &str, kind: Kind) -> Vec<(String, String, String)> {
    let mut all = Vec::new();
    let mut add = |ty: &str, ops: &str, operands: &str| {
        for op in ops.split_whitespace() {
            all.push((ty.to_owned(), op.to_owned(), operands.to_owned()));
        }
    };
    match kind {
        Kind::Int(_) => {
            add(name, INT, "%a %b");
            add(name, SHIFT, "%a %three");
            add(name, "SNegate Not", "%a");
            add("bool", INT_COMPARISON, "%a %b");
            add("bool", INT_COMPARISON, "%a %a");
            for (other, to) in KINDS {
                match to {
                    Kind::Int(_) if other != name => add(other, "UConvert SConvert", "%a"),
                    Kind::Float(_) => add(other, "ConvertSToF ConvertUToF", "%a"),
                    _ => {}
                }
            }
        }
        Kind::Float(_) => {
            add(name, FLOAT, "%a %b");
            add(name, "FNegate", "%a");
            for (other, to) in KINDS {
                match to {
                    // Values that fit into every integer.
                    Kind::Int(_) => add(other, "ConvertFToS", "%a"),
                    Kind::Float(_) if other != name => add(other, "FConvert", "%a"),
                    _ => {}
                }
            }
        }
        Kind::Bool => {
            add(name, LOGICAL, "%a %b");
            add(name, "LogicalNot", "%a");
        }
    }
    add(name, "Select", "%a_is_set %a %b");
    for (other, to) in KINDS {
        let width = |kind| match kind {
            Kind::Int(width) | Kind::Float(width) => width,
            Kind::Bool => 0,
        };
        if kind != Kind::Bool && other != name && width(to) == width(kind) {
            add(other, "Bitcast", "%a");
        }
    }
    all
}

/// The bits of `%value` of a type, as `%bits` of 64.
fn to_bits(ty: &str, value: &str, bits: &str) -> String {
    match KINDS.iter().find(|kind| kind.0 == ty).map(|kind| kind.1) {
        Some(Kind::Int(64)) => format!("%{bits} = OpCopyObject %ulong %{value}\n"),
        Some(Kind::Int(_)) => format!("%{bits} = OpUConvert %ulong %{value}\n"),
        Some(Kind::Float(64)) => format!("%{bits} = OpBitcast %ulong %{value}\n"),
        Some(Kind::Float(width)) => {
            let int = if width == 16 { "ushort" } else { "uint" };
            format!("%{bits}_i = OpBitcast %{int} %{value}\n%{bits} = OpUConvert %ulong %{bits}_i\n")
        }
        _ => format!("%{bits} = OpSelect %ulong %{value} %l1 %l0\n"),
    }
}

/// A kernel that stores what each operation gives, as a constant and when it runs, one after the other.
fn module(name: &str, kind: Kind, operations: &[(String, String, String)]) -> String {
    let literal = match kind {
        Kind::Bool => "OpSpecConstantTrue %bool".to_owned(),
        Kind::Float(_) => format!("OpSpecConstant %{name} 1.5"),
        Kind::Int(_) => format!("OpSpecConstant %{name} 1"),
    };
    let (mut constants, mut body) = (String::new(), String::new());
    for (index, (ty, op, operands)) in operations.iter().enumerate() {
        let at_run = operands.replace("%a_is_set", "%ra_is_set").replace("%a ", "%ra ").replace("%b", "%rb");
        let at_run = if at_run.ends_with("%a") { at_run.replace("%a", "%ra") } else { at_run };
        constants += &format!("%c{index} = OpSpecConstantOp %{ty} {op} {operands}\n");
        body += &format!("%r{index} = Op{op} %{ty} {at_run}\n");
        for (place, value) in [(2 * index, format!("c{index}")), (2 * index + 1, format!("r{index}"))] {
            body += &to_bits(ty, &value, &format!("bits{place}"));
            constants += &format!("%at{place} = OpConstant %ulong {place}\n");
            body += &format!(
                "%p{place} = OpInBoundsPtrAccessChain %ptr %out %at{place}\nOpStore %p{place} %bits{place} Aligned 8\n"
            );
        }
    }
    // What runs gets its operands through volatile memory, so that nothing is known of them.
    let (three, cell) = if let Kind::Int(_) = kind {
        (format!("%three = OpConstant %{name} 3\n"), name)
    } else {
        (String::new(), if kind == Kind::Bool { "uchar" } else { name })
    };
    let load = |to: &str, from: &str| match kind {
        Kind::Bool => format!(
            "%{from}_byte = OpSelect %uchar %{from} %ch1 %ch0\nOpStore %v %{from}_byte Volatile\n\
             %{to}_byte = OpLoad %uchar %v Volatile\n%{to} = OpINotEqual %bool %{to}_byte %ch0\n"
        ),
        _ => format!("OpStore %v %{from} Volatile\n%{to} = OpLoad %{cell} %v Volatile\n"),
    };
    format!(
        "OpCapability Addresses\nOpCapability Kernel\nOpCapability Int8\nOpCapability Int16\nOpCapability Int64\n\
         OpCapability Float16\nOpCapability Float64\nOpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\"\n\
         OpExecutionMode %k ContractionOff\n\
         OpDecorate %a SpecId 1\nOpDecorate %b SpecId 2\nOpDecorate %a_is_set SpecId 3\n\
         %void = OpTypeVoid\n%bool = OpTypeBool\n%uchar = OpTypeInt 8 0\n%ushort = OpTypeInt 16 0\n\
         %uint = OpTypeInt 32 0\n%ulong = OpTypeInt 64 0\n%half = OpTypeFloat 16\n%float = OpTypeFloat 32\n\
         %double = OpTypeFloat 64\n%ptr = OpTypePointer CrossWorkgroup %ulong\n\
         %own = OpTypePointer Function %{cell}\n%flag = OpTypePointer Function %uchar\n\
         %fn = OpTypeFunction %void %ptr\n%l0 = OpConstant %ulong 0\n%l1 = OpConstant %ulong 1\n\
         %ch0 = OpConstant %uchar 0\n%ch1 = OpConstant %uchar 1\n{three}\
         %a = {literal}\n%b = {literal}\n%a_is_set = OpSpecConstantFalse %bool\n{constants}\
         %k = OpFunction %void None %fn\n%out = OpFunctionParameter %ptr\n%entry = OpLabel\n\
         %v = OpVariable %own Function\n%f = OpVariable %flag Function\n{}{}\
         %set_byte = OpSelect %uchar %a_is_set %ch1 %ch0\nOpStore %f %set_byte Volatile\n\
         %ra_set_byte = OpLoad %uchar %f Volatile\n%ra_is_set = OpINotEqual %bool %ra_set_byte %ch0\n\
         {body}OpReturn\nOpFunctionEnd\n",
        load("ra", "a"),
        load("rb", "b"),
    )
}

fn half_bits(value: f32) -> u64 {
    // Small integers and quarters only.
    let bits = value.to_bits();
    let exponent = (bits >> 23 & 0xff) as i32 - 127 + 15;
    u64::from(bits >> 31) << 15 | (exponent as u64) << 10 | u64::from(bits >> 13 & 0x3ff)
}

/// Values whose results are defined for every operation.
fn values(kind: Kind) -> Vec<(u64, u64)> {
    match kind {
        Kind::Int(width) => {
            let mask = u64::MAX >> (64 - width);
            vec![
                (7, 3),
                (mask - 4, 3),
                (5, mask - 1),
                ((1 << (width - 1)) + 1, 11),
                (0x1234_5678_9abc_def1 & mask, 0x0fed_cba9_8765_4321 & mask | 1),
            ]
        }
        Kind::Float(width) => [(1.5f32, 0.25f32), (7.0, 2.5), (100.75, -3.0), (-5.0, 3.0), (1.0, 3.0)]
            .into_iter()
            .map(|(a, b)| {
                let bits = |value: f32| match width {
                    16 => half_bits(value),
                    32 => u64::from(value.to_bits()),
                    _ => f64::from(value).to_bits(),
                };
                (bits(a), bits(b))
            })
            .collect(),
        Kind::Bool => vec![(0, 0), (0, 1), (1, 0), (1, 1)],
    }
}

#[test]
fn constant_operations_give_what_instructions_give() {
    let mut wrong = Vec::new();
    for (name, kind) in KINDS {
        let operations = operations(name, kind);
        let text = module(name, kind, &operations);
        let bytes = oxicl_offline::assemble(&text).unwrap_or_else(|log| panic!("{log}\n{text}"));
        let words = words_from_bytes(&bytes).expect("words");
        let decoded = decode(&words).expect("decodes");
        for (number, (a, b)) in values(kind).into_iter().enumerate() {
            let given = HashMap::from([(1, a), (2, b), (3, number as u64 & 1)]);
            let special = specialise(&decoded, &given).unwrap_or_else(|error| panic!("{name}: {error}")).words;
            let bytes: Vec<u8> = special.iter().flat_map(|word| word.to_le_bytes()).collect();
            let out = execute_module::<u32>(&bytes, "k", &[], operations.len() * 16);
            let (found, _) = out.as_chunks::<8>();
            for ((ty, op, operands), pair) in operations.iter().zip(found.chunks(2)) {
                if pair[0] != pair[1] {
                    let [constant, ran] = [0, 1].map(|at| u64::from_le_bytes(pair[at]));
                    wrong.push(format!("{op} {operands} of {name} {a:#x} {b:#x} to {ty}: {constant:#x}, not {ran:#x}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
