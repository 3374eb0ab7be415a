//! Atomic operations on integers, in global and in local memory. In SPIR-V, because clang leaves most of the functions
//! of OpenCL C 1.x undefined.

use std::fmt::Write;

use oxicl_tests::client::{Buffer, Plain, Program};
use oxicl_tests::offline::assemble;

/// Work-items of the one work-group.
const ITEMS: u64 = 64;

/// An operation: its instruction, whether a value is its operand, and the result of all work-items together, from the
/// initial value and an integer's number of bits.
struct Operation {
    instruction: &'static str,
    operand: bool,
    initial: u64,
    expected: fn(u64) -> u64,
}

const fn operation(instruction: &'static str, operand: bool, initial: u64, expected: fn(u64) -> u64) -> Operation {
    Operation { instruction, operand, initial, expected }
}

/// The base operations. Work-item i has the operand i.
const BASE: &[Operation] = &[
    operation("OpAtomicIIncrement", false, 5, |initial| initial + ITEMS),
    operation("OpAtomicIDecrement", false, 5, |initial| initial.wrapping_sub(ITEMS)),
    operation("OpAtomicIAdd", true, 5, |initial| initial + ITEMS * (ITEMS - 1) / 2),
    operation("OpAtomicISub", true, 5, |initial| initial.wrapping_sub(ITEMS * (ITEMS - 1) / 2)),
];

/// The extended operations.
const EXTENDED: &[Operation] = &[
    operation("OpAtomicUMin", true, u64::MAX, |_| 0),
    operation("OpAtomicUMax", true, 7, |_| ITEMS - 1),
    operation("OpAtomicSMin", true, u64::MAX, |initial| initial),
    operation("OpAtomicSMax", true, u64::MAX, |_| ITEMS - 1),
    operation("OpAtomicAnd", true, u64::MAX, |_| 0),
    operation("OpAtomicOr", true, 0x100, |initial| initial | (ITEMS - 1)),
    operation("OpAtomicXor", true, 0x55, |initial| (0..ITEMS).fold(initial, |all, item| all ^ item)),
];

/// A kernel `k(global T *data)` in which every work-item applies each operation to its own place, in global memory, or
/// in a copy of it in local memory.
fn module(operations: &[Operation], bits: u32, local: bool) -> Vec<u8> {
    let count = operations.len();
    let (class, scope) = if local { ("Workgroup", "%c2") } else { ("CrossWorkgroup", "%c1") };
    let mut text = String::from("OpCapability Addresses\nOpCapability Kernel\nOpCapability Int64\n");
    let _ = write!(
        text,
        "{}OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\" %gid %loc\n\
         OpDecorate %gid BuiltIn GlobalInvocationId\nOpDecorate %gid Constant\n\
         %void = OpTypeVoid\n%bool = OpTypeBool\n%uint = OpTypeInt 32 0\n%ulong = OpTypeInt 64 0\n\
         %v3 = OpTypeVector %ulong 3\n%pv3 = OpTypePointer Input %v3\n%gid = OpVariable %pv3 Input\n\
         %c1 = OpConstant %uint 1\n%c2 = OpConstant %uint 2\n%sem = OpConstant %uint 784\n%relaxed = OpConstant %uint 0\n\
         %zero = OpConstant %ulong 0\n",
        if bits == 64 { "OpCapability Int64Atomics\n" } else { "" }
    );
    let ty = if bits == 64 { "%ulong" } else { "%uint" };
    for index in 0..count {
        let _ = writeln!(text, "%at{index} = OpConstant %ulong {}", index + 1);
    }
    let _ = write!(
        text,
        "%n = OpConstant %uint {count}\n%array = OpTypeArray {ty} %n\n%parray = OpTypePointer Workgroup %array\n\
         %loc = OpVariable %parray Workgroup\n%pg = OpTypePointer CrossWorkgroup {ty}\n\
         %pl = OpTypePointer Workgroup {ty}\n%kt = OpTypeFunction %void %pg\n\
         %k = OpFunction %void None %kt\n%p = OpFunctionParameter %pg\n%entry = OpLabel\n\
         %id3 = OpLoad %v3 %gid Aligned 32\n%id = OpCompositeExtract %ulong %id3 0\n{}\n\
         %first = OpIEqual %bool %id %zero\n",
        if bits == 64 { "%i = OpCopyObject %ulong %id" } else { "%i = OpUConvert %uint %id" }
    );
    // Addresses in global memory start with `data[1]`, so that the chain has something to do; `data[0]` stays.
    for index in 0..count {
        let _ = writeln!(text, "%g{index} = OpInBoundsPtrAccessChain %pg %p %at{index}");
        let _ = writeln!(text, "%k{index} = OpISub %ulong %at{index} %at0");
        let _ = writeln!(text, "%l{index} = OpInBoundsAccessChain %pl %loc %k{index}");
    }
    let copy = |text: &mut String, from: &str, to: &str, label: &str| {
        let _ = write!(text, "OpBranchConditional %first %{label}a %{label}b\n%{label}a = OpLabel\n");
        for index in 0..count {
            let _ = writeln!(text, "%{label}v{index} = OpLoad {ty} %{from}{index} Aligned {}", bits / 8);
            let _ = writeln!(text, "OpStore %{to}{index} %{label}v{index} Aligned {}", bits / 8);
        }
        let _ = write!(text, "OpBranch %{label}b\n%{label}b = OpLabel\nOpControlBarrier %c2 %c2 %sem\n");
    };
    if local {
        copy(&mut text, "g", "l", "in");
    }
    for (index, operation) in operations.iter().enumerate() {
        let pointer = if class == "Workgroup" { 'l' } else { 'g' };
        let operand = if operation.operand { " %i" } else { "" };
        let _ =
            writeln!(text, "%r{index} = {} {ty} %{pointer}{index} {scope} %relaxed{operand}", operation.instruction);
    }
    if local {
        text.push_str("OpControlBarrier %c2 %c2 %sem\n");
        copy(&mut text, "l", "g", "out");
    }
    text.push_str("OpReturn\nOpFunctionEnd\n");
    assemble(&text).unwrap_or_else(|log| panic!("{log}\n{text}"))
}

fn assert_results<T: Plain + Default + PartialEq + std::fmt::Debug>(
    operations: &[Operation],
    local: bool,
    cut: fn(u64) -> T,
) {
    let session = oxicl_tests::session();
    let words = module(operations, 8 * size_of::<T>() as u32, local);
    let program = Program::build(&session.context, &words, "").unwrap_or_else(|error| panic!("{error}"));
    let kernel = program.kernel("k").unwrap();
    let values =
        |of: fn(&Operation) -> u64| -> Vec<T> { [3].into_iter().chain(operations.iter().map(of)).map(cut).collect() };
    let buffer = Buffer::from_slice(&session.context, &values(|operation| operation.initial)).unwrap();
    kernel.set_buffer(0, &buffer).unwrap();
    session.queue.launch(&kernel, [ITEMS as usize], Some([ITEMS as usize])).unwrap();
    let expected = values(|operation| (operation.expected)(operation.initial));
    assert_eq!(session.queue.read(&buffer).unwrap(), expected);
}

#[test]
pub fn global_atomics_count() {
    assert_results(BASE, false, |value| value as u32);
}

#[test]
pub fn global_atomics_find_extremes() {
    assert_results(EXTENDED, false, |value| value as u32);
}

#[test]
pub fn local_atomics_count() {
    assert_results(BASE, true, |value| value as u32);
}

#[test]
pub fn local_atomics_find_extremes() {
    assert_results(EXTENDED, true, |value| value as u32);
}

#[test]
pub fn long_atomics_count() {
    assert_results(BASE, false, |value| value);
    assert_results(BASE, true, |value| value);
}

#[test]
pub fn long_atomics_find_extremes() {
    assert_results(EXTENDED, false, |value| value);
    assert_results(EXTENDED, true, |value| value);
}
