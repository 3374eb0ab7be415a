//! Every instruction of OpenCL.std but printf, for every type and vector length, through every storage class that it can
//! have a pointer to: executed, the components of vectors held against the scalar form, and what has one right result
//! against the reference device. How exact the others are is measured in `tests/accuracy`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use oxicl_protocol::Tier;
use oxicl_spirv::opencl_std_name;

use crate::harness::{Random, SAMPLES, build, run};
use crate::reference::Reference;

/// A number: whether it is floating-point, and its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Element {
    float: bool,
    bits: u32,
}

const fn int(bits: u32) -> Element {
    Element { float: false, bits }
}

const fn float(bits: u32) -> Element {
    Element { float: true, bits }
}

/// A vector, or a number where there is one.
type Shape = (Element, u32);

fn name((element, count): Shape) -> String {
    let letter = if element.float { 'f' } else { 'i' };
    if count == 1 { format!("%{letter}{}", element.bits) } else { format!("%{letter}{}x{count}", element.bits) }
}

/// What a kernel gets for an operand.
#[derive(Clone, Copy, Debug)]
enum Operand {
    /// A value of its own for each work-item.
    Value(Shape),
    /// A pointer in a storage class to so many numbers for each work-item.
    Pointer(&'static str, Element, u32),
}

/// A kernel around one instruction.
struct Row {
    name: String,
    operands: Vec<Operand>,
    result: Shape,
    /// Declarations at the function's start.
    variables: String,
    /// Defines `%r` from `%a`, `%b`, `%c`, or from the pointers `%pa`, `%pb`, `%pc` and the work-item `%i`.
    body: String,
    /// Whether `%r` is to be stored; otherwise the body writes through `%po`.
    stored: bool,
    /// Whether components depend on the same components of the operands.
    elementwise: bool,
    /// Whether there is one right result.
    exact: bool,
}

impl Row {
    fn new(name: &str, operands: &[Shape], result: Shape, elementwise: bool, exact: bool) -> Row {
        let letters: String = operands.iter().zip(["%a", "%b", "%c"]).map(|(_, letter)| format!(" {letter}")).collect();
        let body = format!("%r = OpExtInst {} %std {name}{letters}", self::name(result));
        let operands = operands.iter().map(|shape| Operand::Value(*shape)).collect();
        Row {
            name: name.to_owned(),
            operands,
            result,
            variables: String::new(),
            body,
            stored: true,
            elementwise,
            exact,
        }
    }
}

/// Instructions with one right result: what remains is measured.
const EXACT: &str = "ceil fabs floor rint round trunc sign logb ilogb fract modf frexp copysign fmax fmin fmod remainder remquo nextafter \
    fdim fma nan maxmag minmag step sqrt";

/// Instructions in the order of their numbers; printf has tests of its own.
fn names() -> Vec<&'static str> {
    (0..400).filter_map(opencl_std_name).filter(|name| *name != "printf").collect()
}

fn rows(element: Element, count: u32) -> Vec<Row> {
    names().into_iter().flat_map(|name| forms(name, element, count)).collect()
}

/// The kernels of an instruction for a type; none if it does not have that type.
fn forms(name: &str, element: Element, count: u32) -> Vec<Row> {
    let shape = (element, count);
    let ints = (int(32), count);
    let exact = EXACT.split_whitespace().any(|e| e == name);
    let floats = |operands: usize| {
        if element.float { vec![Row::new(name, &vec![shape; operands], shape, true, exact)] } else { Vec::new() }
    };
    let single = |operands: usize| if element == float(32) { floats(operands) } else { Vec::new() };
    let integers = |operands: usize, width: Option<u32>| {
        let fits = !element.float && width.is_none_or(|width| width == element.bits);
        if fits { vec![Row::new(name, &vec![shape; operands], shape, true, true)] } else { Vec::new() }
    };
    let only = |wanted: bool, row: Row| if wanted { vec![row] } else { Vec::new() };
    match name {
        "atan2" | "atan2pi" | "copysign" | "fdim" | "fmax" | "fmin" | "fmod" | "hypot" | "maxmag" | "minmag"
        | "nextafter" | "pow" | "powr" | "remainder" | "fmax_common" | "fmin_common" | "step" => floats(2),
        "fma" | "mad" | "fclamp" | "mix" | "smoothstep" => floats(3),
        "half_divide" | "half_powr" | "native_divide" | "native_powr" => single(2),
        _ if name.starts_with("half_") || name.starts_with("native_") => single(1),
        "ldexp" | "pown" | "rootn" => only(element.float, Row::new(name, &[shape, ints], shape, true, exact)),
        "ilogb" => only(element.float, Row::new(name, &[shape], ints, true, true)),
        "nan" => only(element.float, Row::new(name, &[(int(element.bits), count)], shape, true, true)),
        "fract" | "modf" | "sincos" => second(name, element, count, shape, exact),
        "frexp" | "lgamma_r" | "remquo" => second(name, element, count, ints, exact),
        "cross" => only(element.float && matches!(count, 3 | 4), Row::new(name, &[shape; 2], shape, false, false)),
        "distance" | "fast_distance" => {
            only(element.float && count <= 4, Row::new(name, &[shape; 2], (element, 1), false, false))
        }
        "length" | "fast_length" => {
            only(element.float && count <= 4, Row::new(name, &[shape], (element, 1), false, false))
        }
        "normalize" | "fast_normalize" => {
            only(element.float && count <= 4, Row::new(name, &[shape], shape, false, false))
        }
        "s_abs" | "u_abs" | "clz" | "ctz" | "popcount" => integers(1, None),
        "s_clamp" | "u_clamp" | "s_mad_hi" | "u_mad_hi" | "u_mad_sat" | "s_mad_sat" => integers(3, None),
        "s_mad24" | "u_mad24" => integers(3, Some(32)),
        "s_mul24" | "u_mul24" => integers(2, Some(32)),
        "s_upsample" | "u_upsample" => {
            let wide = (int(2 * element.bits), count);
            only(!element.float && element.bits < 64, Row::new(name, &[shape; 2], wide, true, true))
        }
        "bitselect" => vec![Row::new(name, &[shape; 3], shape, true, true)],
        // Scalars and vectors choose by different bits: see the reference device.
        "select" => vec![Row::new(name, &[shape, shape, (int(element.bits), count)], shape, false, true)],
        "vloadn" | "vstoren" => vectors_in_memory(name, element, count),
        _ if name.starts_with("vload") => halves_loaded(name, element, count),
        _ if name.starts_with("vstore") => halves_stored(name, element, count),
        "shuffle" | "shuffle2" => shuffles(name, element, count),
        "prefetch" => prefetch(element, count),
        // What is left are functions of one float, and of two integers.
        _ if names().iter().position(|n| *n == name) < names().iter().position(|n| *n == "s_abs") => floats(1),
        _ => integers(2, None),
    }
}

/// Instructions with a second result, through every storage class: both results.
fn second(name: &str, element: Element, count: u32, other: Shape, exact: bool) -> Vec<Row> {
    if !element.float {
        return Vec::new();
    }
    let (shape, operands) = ((element, count), if name == "remquo" { 2 } else { 1 });
    let (own, ty) = (self::name(shape), self::name(other));
    let letters = if operands == 2 { "%a %b" } else { "%a" };
    let mut rows = Vec::new();
    for storage in ["Function", "Workgroup", "CrossWorkgroup", "Generic"] {
        let (mut variables, pointer) = place(storage, &ty);
        for (which, result) in [("first", shape), ("second", other)] {
            if storage == "CrossWorkgroup" && which == "first" {
                continue;
            }
            let mut body = pointer.clone();
            let _ = writeln!(body, "%x = OpExtInst {own} %std {name} {letters} %p");
            if storage != "CrossWorkgroup" {
                let kept = if which == "first" { &own } else { &ty };
                let source = if which == "first" {
                    format!("%r = OpCopyObject {kept} %x")
                } else {
                    format!("%r = OpLoad {kept} %p")
                };
                let _ = writeln!(body, "{source}");
            }
            rows.push(Row {
                name: format!("{name}_{which}_{storage}"),
                operands: vec![Operand::Value(shape); operands],
                result,
                variables: std::mem::take(&mut variables),
                body,
                stored: storage != "CrossWorkgroup",
                elementwise: true,
                exact,
            });
            variables = place(storage, &ty).0;
        }
    }
    rows
}

/// A place for one value in a storage class, as `%p`: declarations, and instructions.
fn place(storage: &str, ty: &str) -> (String, String) {
    let short = ty.trim_start_matches('%');
    match storage {
        "Function" => (String::new() + &format!("%p = OpVariable %pFunction_{short} Function\n"), String::new()),
        "Generic" => (
            format!("%v = OpVariable %pFunction_{short} Function\n"),
            format!("%p = OpPtrCastToGeneric %pGeneric_{short} %v\n"),
        ),
        "Workgroup" => (
            String::new(),
            format!(
                "%lid = OpLoad %i64x3 %local\n%l = OpCompositeExtract %i64 %lid 0\n%p = OpInBoundsAccessChain %pWorkgroup_{short} %shared_{short} %l\n"
            ),
        ),
        _ => (String::new(), "%p = OpCopyObject %TO %to\n".to_owned()),
    }
}

fn vectors_in_memory(name: &str, element: Element, count: u32) -> Vec<Row> {
    if count == 1 {
        return Vec::new();
    }
    let (shape, ty) = ((element, count), self::name((element, count)));
    let short = self::name((element, 1)).trim_start_matches('%').to_owned();
    let row = |storage: &str, operand: Operand, variables: String, body: String, stored: bool| Row {
        name: format!("{name}_{storage}"),
        operands: vec![operand],
        result: shape,
        variables,
        body,
        stored,
        elementwise: false,
        exact: true,
    };
    let load = |pointer: &str| format!("%r = OpExtInst {ty} %std vloadn %i {pointer} {count}\n");
    if name == "vloadn" {
        let pointer = |storage| Operand::Pointer(storage, element, count);
        return vec![
            row("CrossWorkgroup", pointer("CrossWorkgroup"), String::new(), load("%pa"), true),
            row("UniformConstant", pointer("UniformConstant"), String::new(), load("%pa"), true),
            row(
                "Generic",
                pointer("CrossWorkgroup"),
                String::new(),
                format!("%p = OpPtrCastToGeneric %pGeneric_{short} %pa\n") + &load("%p"),
                true,
            ),
        ];
    }
    let store = |offset: &str, pointer: &str| format!("%s = OpExtInst %void %std vstoren %a {offset} {pointer}\n");
    let back = |offset: &str, pointer: &str| {
        store(offset, pointer) + &format!("%r = OpExtInst {ty} %std vloadn {offset} {pointer} {count}\n")
    };
    let value = Operand::Value(shape);
    let out = format!("%p = OpBitcast %pCrossWorkgroup_{short} %po0\n");
    let generic = format!("%q = OpPtrCastToGeneric %pGeneric_{short} %p\n");
    let array = format!("%v = OpVariable %pFunction_array_{short} Function\n");
    let first = format!("%p = OpInBoundsAccessChain %pFunction_{short} %v %zero\n");
    let shared = format!(
        "%lid = OpLoad %i64x3 %local\n%l = OpCompositeExtract %i64 %lid 0\n%p = OpInBoundsAccessChain %pWorkgroup_{short} %sharedarray_{short} %zero\n"
    );
    let mut rows = vec![
        row("Function", value, array, first + &back("%one", "%p"), true),
        row("Workgroup", value, String::new(), shared + &back("%l", "%p"), true),
    ];
    if count != 3 {
        // Three components have no room for a fourth in this form: the result's array would be one of vectors of four.
        rows.push(row("CrossWorkgroup", value, String::new(), out.clone() + &store("%i", "%p"), false));
        rows.push(row("Generic", value, String::new(), out + &generic + &store("%i", "%q"), false));
    }
    rows
}

fn halves_loaded(name: &str, element: Element, count: u32) -> Vec<Row> {
    let scalar = name == "vload_half";
    if element != float(32) || scalar != (count == 1) {
        return Vec::new();
    }
    let (ty, half) = (self::name((element, count)), float(16));
    let literal = if scalar { String::new() } else { format!(" {count}") };
    let padded = if name == "vloada_halfn" && count == 3 { 4 } else { count };
    let row = |storage: &'static str, cast: &str, pointer: &str| Row {
        name: format!("{name}_{}", if cast.is_empty() { storage } else { "Generic" }),
        operands: vec![Operand::Pointer(storage, half, padded)],
        result: (element, count),
        variables: String::new(),
        body: format!("{cast}%r = OpExtInst {ty} %std {name} %i {pointer}{literal}\n"),
        stored: true,
        elementwise: false,
        exact: true,
    };
    vec![
        row("CrossWorkgroup", "", "%pa"),
        row("UniformConstant", "", "%pa"),
        row("CrossWorkgroup", "%p = OpPtrCastToGeneric %pGeneric_f16 %pa\n", "%p"),
    ]
}

fn halves_stored(name: &str, element: Element, count: u32) -> Vec<Row> {
    let scalar = name.starts_with("vstore_half") && !name.contains("halfn");
    if !element.float || element.bits == 16 || scalar != (count == 1) {
        return Vec::new();
    }
    let modes: &[&str] = if name.ends_with("_r") { &[" RTE", " RTZ", " RTP", " RTN"] } else { &[""] };
    let padded = if name.starts_with("vstorea") && count == 3 { 4 } else { count };
    let mut rows = Vec::new();
    for mode in modes {
        for storage in ["CrossWorkgroup", "Generic"] {
            let mut body = "%p = OpBitcast %pCrossWorkgroup_f16 %po0\n".to_owned();
            let pointer = if storage == "Generic" { "%q" } else { "%p" };
            if storage == "Generic" {
                body += "%q = OpPtrCastToGeneric %pGeneric_f16 %p\n";
            }
            body += &format!("%s = OpExtInst %void %std {name} %a %i {pointer}{mode}\n");
            rows.push(Row {
                name: format!("{name}_{storage}_{}", mode.trim()),
                operands: vec![Operand::Value((element, count))],
                result: (float(16), if count == 3 && padded == 3 { 3 } else { padded }),
                variables: String::new(),
                body,
                stored: false,
                elementwise: false,
                exact: true,
            });
        }
    }
    rows
}

fn shuffles(name: &str, element: Element, count: u32) -> Vec<Row> {
    if !matches!(count, 2 | 4 | 8 | 16) {
        return Vec::new();
    }
    let mut rows = Vec::new();
    for to in [2, 4, 8, 16] {
        let mut operands = vec![(element, count); if name == "shuffle" { 1 } else { 2 }];
        operands.push((int(element.bits), to));
        let mut row = Row::new(name, &operands, (element, to), false, true);
        row.name = format!("{name}_to_{to}");
        rows.push(row);
    }
    rows
}

fn prefetch(element: Element, count: u32) -> Vec<Row> {
    let mut row = Row::new("prefetch", &[(element, count)], (element, count), true, true);
    row.body = format!("%s = OpExtInst %void %std prefetch %ppa %one\n%r = OpCopyObject {} %a", name((element, count)));
    vec![row]
}

/// The module of all rows: declarations made as they are needed.
fn module(rows: &[Row]) -> String {
    let (mut functions, mut entries, mut kinds) = (String::new(), String::new(), BTreeSet::new());
    for (number, row) in rows.iter().enumerate() {
        let text = kernel(number, row);
        let shared: BTreeSet<&str> = text.split_whitespace().filter(|word| word.starts_with("%shared")).collect();
        let shared: Vec<&str> = shared.into_iter().collect();
        let _ = writeln!(entries, "OpEntryPoint Kernel %k{number} \"k{number}\" %gid %local {}", shared.join(" "));
        functions += &text;
    }
    let used = |id: &str| functions.contains(id);
    let mut types = String::new();
    for element in [int(8), int(16), int(32), int(64), float(16), float(32), float(64)] {
        let ty = name((element, 1));
        let _ = match element.float {
            true => writeln!(types, "{ty} = OpTypeFloat {}", element.bits),
            false => writeln!(types, "{ty} = OpTypeInt {} 0", element.bits),
        };
        for count in [2, 3, 4, 8, 16] {
            let _ = writeln!(types, "{} = OpTypeVector {ty} {count}", name((element, count)));
        }
    }
    types += "%zero = OpConstant %i64 0\n%one = OpConstant %i64 1\n%c32 = OpConstant %i64 32\n%c64 = OpConstant %i64 64\n%c1024 = OpConstant %i64 1024\n";
    types += "%pids = OpTypePointer Input %i64x3\n%gid = OpVariable %pids Input\n%local = OpVariable %pids Input\n";
    for element in [int(8), int(16), int(32), int(64), float(16), float(32), float(64)] {
        for count in [1, 2, 3, 4, 8, 16] {
            let ty = name((element, count));
            let short = ty.trim_start_matches('%');
            for storage in ["Function", "Workgroup", "CrossWorkgroup", "Generic", "UniformConstant"] {
                let _ = writeln!(types, "%p{storage}_{short} = OpTypePointer {storage} {ty}");
            }
            if used(&format!("%shared_{short} ")) {
                let _ = writeln!(
                    types,
                    "%many_{short} = OpTypeArray {ty} %c64\n%pmany_{short} = OpTypePointer Workgroup %many_{short}\n\
                     %shared_{short} = OpVariable %pmany_{short} Workgroup"
                );
            }
            if used(&format!("%sharedarray_{short} ")) {
                let _ = writeln!(
                    types,
                    "%array_{short} = OpTypeArray {ty} %c32\n%pFunction_array_{short} = OpTypePointer Function %array_{short}\n\
                     %large_{short} = OpTypeArray {ty} %c1024\n%plarge_{short} = OpTypePointer Workgroup %large_{short}\n\
                     %sharedarray_{short} = OpVariable %plarge_{short} Workgroup"
                );
            }
        }
    }
    for row in rows {
        let (kind, parameters) = signature(row);
        if kinds.insert(kind.clone()) {
            let _ = writeln!(types, "{kind} = OpTypeFunction %void {}", parameters.join(" "));
        }
    }
    format!(
        "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\nOpCapability Int8\nOpCapability Int16\nOpCapability Int64\n\
         OpCapability Float16\nOpCapability Float64\nOpCapability Vector16\nOpCapability GenericPointer\n\
         %std = OpExtInstImport \"OpenCL.std\"\nOpMemoryModel Physical64 OpenCL\n{entries}\
         OpDecorate %gid BuiltIn GlobalInvocationId\nOpDecorate %gid Constant\nOpDecorate %local BuiltIn LocalInvocationId\n\
         OpDecorate %local Constant\n%void = OpTypeVoid\n{types}{functions}"
    )
}

fn signature(row: &Row) -> (String, Vec<String>) {
    let parameter = |operand: &Operand| match operand {
        Operand::Value(shape) => format!("%pCrossWorkgroup_{}", name(*shape).trim_start_matches('%')),
        Operand::Pointer(storage, element, _) => format!("%p{storage}_{}", name((*element, 1)).trim_start_matches('%')),
    };
    let mut parameters: Vec<String> = row.operands.iter().map(parameter).collect();
    parameters.push(format!("%pCrossWorkgroup_{}", name(row.result).trim_start_matches('%')));
    (format!("%t{}", parameters.concat().replace('%', "_")), parameters)
}

fn kernel(number: usize, row: &Row) -> String {
    let (kind, parameters) = signature(row);
    let local = |text: &str| {
        // Ids of a function's own get its number.
        let mut text = text.to_owned();
        for id in [
            "%r", "%x", "%p", "%q", "%v", "%s", "%l", "%lid", "%a", "%b", "%c", "%pa", "%ppa", "%po", "%po0", "%i",
            "%to",
        ] {
            let mut out = String::new();
            for word in text.split_inclusive([' ', '\n']) {
                let bare = word.trim_end();
                out += &if bare == id { word.replacen(id, &format!("{id}_{number}"), 1) } else { word.to_owned() };
            }
            text = out;
        }
        text
    };
    let result = parameters.last().map_or("", String::as_str);
    let mut text = format!("%k{number} = OpFunction %void None {kind}\n");
    for (letter, parameter) in ["a", "b", "c"].iter().zip(&parameters[..parameters.len() - 1]) {
        let _ = writeln!(text, "%p{letter}_{number} = OpFunctionParameter {parameter}");
    }
    let _ = writeln!(text, "%po0_{number} = OpFunctionParameter {result}\n%e{number} = OpLabel");
    text += &local(&row.variables);
    let _ = writeln!(text, "%ids{number} = OpLoad %i64x3 %gid\n%i_{number} = OpCompositeExtract %i64 %ids{number} 0");
    for (letter, (operand, parameter)) in ["a", "b", "c"].iter().zip(row.operands.iter().zip(&parameters)) {
        if let Operand::Value(shape) = operand {
            let _ = writeln!(
                text,
                "%pp{letter}_{number} = OpInBoundsPtrAccessChain {parameter} %p{letter}_{number} %i_{number}\n\
                 %{letter}_{number} = OpLoad {} %pp{letter}_{number}",
                name(*shape)
            );
        }
    }
    let _ = writeln!(text, "%to_{number} = OpInBoundsPtrAccessChain {result} %po0_{number} %i_{number}");
    text += &local(&row.body.replace("%TO", result));
    if row.stored {
        let _ = write!(text, "\nOpStore %to_{number} %r_{number}");
    }
    text + "\nOpReturn\nOpFunctionEnd\n"
}

/// Scalars of a type, whose values every buffer repeats.
fn scalars(element: Element, operand: usize) -> Vec<Vec<u8>> {
    let mut random = Random::new(u64::from(element.bits) + 100 * operand as u64);
    let mut scalar = |_: usize| {
        let bits = match random.next() % 4 {
            0 => random.next(),
            1 if element.float => ordinary(element.bits, &mut random),
            1 => random.next() >> (random.next() % 64),
            2 => [0, 1, u64::MAX, 1 << (element.bits - 1), (1 << (element.bits - 1)) - 1, 3, 8]
                [random.next() as usize % 7],
            _ if element.float => ordinary(element.bits, &mut random),
            _ => random.next() % 70,
        };
        quiet(element, bits).to_le_bytes()[..element.bits as usize / 8].to_vec()
    };
    (0..SAMPLES).map(&mut scalar).collect()
}

/// A number between 1/64 and 64.
fn ordinary(bits: u32, random: &mut Random) -> u64 {
    let sign = random.next() % 2;
    let (fraction, bias) = match bits {
        16 => (10, 15),
        32 => (23, 127),
        _ => (52, 1023),
    };
    let exponent = bias - 6 + random.next() % 12;
    sign << (bits - 1) | exponent << fraction | random.next() & ((1 << fraction) - 1)
}

/// Signalling NaNs are none of what these tests are about.
fn quiet(element: Element, bits: u64) -> u64 {
    let (fraction, infinity) = match (element.float, element.bits) {
        (false, _) => return bits,
        (_, 16) => (10, 0x7c00),
        (_, 32) => (23, 0x7f80_0000),
        _ => (52, 0x7ff0_0000_0000_0000_u64),
    };
    let nan = bits & infinity == infinity && bits & ((1 << fraction) - 1) != 0;
    if nan { bits | 1 << (fraction - 1) } else { bits }
}

/// Component `at` of work-item `item` is this scalar.
fn index(item: usize, at: usize) -> usize {
    (item + 997 * at) % SAMPLES
}

fn buffer(operand: &Operand, number: usize) -> Vec<u8> {
    let (element, count, padded) = match operand {
        Operand::Value((element, count)) => (*element, *count, count.next_power_of_two()),
        Operand::Pointer(_, element, count) => (*element, *count, *count),
    };
    let scalars = scalars(element, number);
    let mut bytes = Vec::new();
    for item in 0..SAMPLES {
        for at in 0..padded as usize {
            let source = if at < count as usize { index(item, at) } else { 0 };
            bytes.extend(&scalars[source]);
        }
    }
    bytes
}

fn is_nan(element: Element, bytes: &[u8]) -> bool {
    let mut bits = [0u8; 8];
    bits[..bytes.len()].copy_from_slice(bytes);
    let bits = u64::from_le_bytes(bits) & (u64::MAX >> (64 - element.bits + 1));
    let infinity = match element.bits {
        16 => 0x7c00,
        32 => 0x7f80_0000,
        _ => 0x7ff0_0000_0000_0000,
    };
    element.float && bits > infinity
}

/// The first component in which two outputs differ; NaNs are one, and zeros where their sign is open.
fn difference(row: &Row, got: &[u8], want: impl Fn(usize, usize) -> Option<Vec<u8>>) -> Option<String> {
    let (element, count) = row.result;
    let size = element.bits as usize / 8;
    let zeros = ["fmax", "fmin", "maxmag", "minmag", "fclamp"].iter().any(|name| row.name.starts_with(name));
    let zero = |bytes: &[u8]| bytes[..size - 1].iter().all(|b| *b == 0) && bytes[size - 1] & 0x7f == 0;
    for (item, bytes) in got.chunks(size * count.next_power_of_two() as usize).enumerate() {
        for (at, component) in bytes.chunks(size).take(count as usize).enumerate() {
            let Some(want) = want(item, at) else { continue };
            let open = element.float && zeros && zero(component) && zero(&want);
            if component != want && !open && !(is_nan(element, component) && is_nan(element, &want)) {
                return Some(format!(
                    "{} of {:?}: item {item} component {at} is {component:x?}, not {want:x?}",
                    row.name, row.result
                ));
            }
        }
    }
    None
}

fn output_size(row: &Row) -> usize {
    SAMPLES * (row.result.0.bits as usize / 8) * row.result.1.next_power_of_two() as usize
}

fn inventory(element: Element) {
    let mut failures = Vec::new();
    let mut scalar: Vec<(String, Vec<u8>)> = Vec::new();
    for count in [1, 2, 3, 4, 8, 16] {
        let rows = rows(element, count);
        let text = module(&rows);
        let bytes = oxicl_offline::assemble(&text).unwrap_or_else(|log| panic!("{log}"));
        let (image, loaded) = build(&bytes, Tier::Cheap);
        let reference = Reference::new(&bytes);
        for (number, row) in rows.iter().enumerate() {
            let buffers: Vec<Vec<u8>> =
                row.operands.iter().enumerate().map(|(at, operand)| buffer(operand, at)).collect();
            let inputs: Vec<&[u8]> = buffers.iter().map(Vec::as_slice).collect();
            let (kernel, size) = (format!("k{number}"), output_size(row));
            let got = run(&image, &loaded, &kernel, &inputs, size);
            let width = row.result.0.bits as usize / 8;
            if count == 1 {
                scalar.push((row.name.clone(), got.clone()));
            } else if row.elementwise {
                let (_, own) = scalar.iter().find(|(name, _)| *name == row.name).expect("there is a scalar form");
                let want = |item, at| Some(own[index(item, at) * width..][..width].to_vec());
                failures.extend(difference(row, &got, want));
            }
            // Vectors that agree with their scalars need no second opinion, and the reference takes its time.
            if row.exact && (count == 1 || (!row.elementwise && count <= 4)) {
                let right = reference.run(&kernel, &inputs, size);
                let padded = row.result.1.next_power_of_two() as usize;
                let want = |item: usize, at: usize| Some(right[(item * padded + at) * width..][..width].to_vec());
                failures.extend(difference(row, &got, want).map(|text| format!("against the reference: {text}")));
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

macro_rules! inventories {
    ($($name:ident $element:expr;)*) => {$(
        #[test]
        fn $name() {
            inventory($element);
        }
    )*};
}
inventories! {
    every_instruction_of_halves float(16);
    every_instruction_of_floats float(32);
    every_instruction_of_doubles float(64);
    every_instruction_of_chars int(8);
    every_instruction_of_shorts int(16);
    every_instruction_of_ints int(32);
    every_instruction_of_longs int(64);
}

#[test]
fn every_instruction_has_a_type() {
    let elements = [int(8), int(16), int(32), int(64), float(16), float(32), float(64)];
    for name in names() {
        let found =
            elements.iter().any(|element| [1, 2, 3, 4].iter().any(|count| !forms(name, *element, *count).is_empty()));
        assert!(found, "{name} is not in the inventory");
    }
    assert_eq!(names().len(), 161, "instructions of OpenCL.std without printf");
}
