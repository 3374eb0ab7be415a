//! Holds the crate against the C headers of the system: sizes, alignments, offsets, values and signatures of everything
//! that both have. `CFLAGS=-I<folder> cargo test -p khronos-headers` compares with other headers.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use khronos_headers::describe::{AREAS, Area, FLOATS, Function};
use khronos_headers::{DISPATCH_OFFSETS, DISPATCH_SLOTS, HANDLES, cl_icd_dispatch};

const PRELUDE: &str = r#"
#define CL_TARGET_OPENCL_VERSION 310
#define CL_ENABLE_BETA_EXTENSIONS
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <stddef.h>
#include <stdio.h>
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>
"#;

/// Core names that are younger than the headers of supported systems. Every other core name has to be compared.
const YOUNGER_THAN_SYSTEM_HEADERS: &[&str] = &[
    "cl_device_integer_dot_product_capabilities",
    "cl_device_integer_dot_product_acceleration_properties",
    "clGetKernelSuggestedLocalWorkSize",
];

/// Areas that changed while their extension was provisional: compared only if the headers tell our version.
const PROVISIONAL_AREAS: &[&str] = &["khronos_headers::extensions::khr_command_buffer"];
const PROVISIONAL_CONDITION: &str =
    "#if defined CL_KHR_COMMAND_BUFFER_EXTENSION_VERSION && CL_KHR_COMMAND_BUFFER_EXTENSION_VERSION == 0x9008";

fn compiler() -> Command {
    let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let mut build = cc::Build::new();
    build.target(&triple).host(&triple).opt_level(0).cargo_metadata(false).out_dir(scratch());
    let mut command = build.get_compiler().to_command();
    command.args(["-std=gnu11", "-w"]);
    command
}

fn scratch() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn write_source(name: &str, text: &str) -> PathBuf {
    let path = scratch().join(name);
    std::fs::write(&path, text).expect("writing the generated C");
    path
}

/// The C spelling of a Rust type of this crate.
fn c_type(rust: &str) -> String {
    let rust = rust.trim();
    if let Some(target) = rust.strip_prefix("*mut ") {
        return c_type(target) + "*";
    }
    if let Some(target) = rust.strip_prefix("*const ") {
        return c_type(target) + " const*";
    }
    match rust {
        "" | "c_void" => "void",
        "usize" => "size_t",
        "isize" => "intptr_t",
        "c_char" => "char",
        "c_int" => "int",
        "u8" => "unsigned char",
        other => other,
    }
    .to_owned()
}

fn c_pointer_to(function: &Function, name: &str) -> String {
    let mut parameters: Vec<String> = function.parameters.iter().map(|p| c_type(p)).collect();
    if parameters.is_empty() {
        parameters.push("void".to_owned());
    }
    format!("{} (CL_CALLBACK *{name})({})", c_type(function.result), parameters.join(", "))
}

fn declare_callbacks(text: &mut String) {
    for callback in AREAS.iter().flat_map(|area| area.callbacks) {
        writeln!(text, "typedef {};", c_pointer_to(callback, callback.name)).expect("writing to a string");
    }
}

/// Compiles one declaration per name and reads from the compiler's errors which names the headers do not know.
fn unknown_names<'a>(probes: &[(&'a str, String)]) -> BTreeSet<&'a str> {
    let mut text = PRELUDE.to_owned();
    declare_callbacks(&mut text);
    let first_line = text.lines().count() + 1;
    for (_, probe) in probes {
        writeln!(text, "{probe}").expect("writing to a string");
    }
    let path = write_source("probe.c", &text);
    let output =
        compiler().args(["-fsyntax-only", "-fmax-errors=0"]).arg(&path).output().expect("running the compiler");
    let report = String::from_utf8_lossy(&output.stderr);
    let mut unknown = BTreeSet::new();
    for line in report.lines().filter(|line| line.contains("error:")) {
        let number = line
            .strip_prefix(&format!("{}:", path.display()))
            .and_then(|rest| rest.split(':').next())
            .and_then(|number| number.parse::<usize>().ok())
            .and_then(|number| number.checked_sub(first_line))
            .unwrap_or_else(|| panic!("the headers do not compile: {line}"));
        unknown.insert(probes[number].0);
    }
    unknown
}

/// What the generated program prints: one `kind name value` per line.
fn facts_of_the_headers(known: &dyn Fn(&str) -> bool) -> BTreeMap<String, String> {
    let mut text = PRELUDE.to_owned();
    declare_callbacks(&mut text);
    text.push_str("int main(void) {\n");
    for area in AREAS {
        let provisional = PROVISIONAL_AREAS.contains(&area.module);
        if provisional {
            writeln!(text, "{PROVISIONAL_CONDITION}").expect("writing to a string");
        }
        print_area(&mut text, area, known);
        if provisional {
            text.push_str("#endif\n");
        }
    }
    for (name, _) in FLOATS {
        writeln!(text, "#ifdef {name}\nprintf(\"float {name} %.17g\\n\", (double)({name}));\n#endif").expect("string");
    }
    for slot in DISPATCH_SLOTS {
        if known(slot) {
            writeln!(text, "printf(\"slot {slot} %zu\\n\", offsetof(cl_icd_dispatch, {slot}));").expect("string");
        }
    }
    if DISPATCH_SLOTS.last().is_some_and(|slot| known(slot)) {
        text.push_str("printf(\"size cl_icd_dispatch %zu\\n\", sizeof(cl_icd_dispatch));\n");
    }
    for handle in HANDLES.iter().filter(|handle| known(handle)) {
        writeln!(text, "printf(\"size {handle} %zu\\n\", sizeof({handle}));").expect("writing to a string");
    }
    text.push_str("return 0; }\n");
    let source = write_source("facts.c", &text);
    let program = scratch().join("facts");
    let status = compiler().arg(&source).arg("-o").arg(&program).status().expect("running the compiler");
    assert!(status.success(), "the generated program {} does not compile", source.display());
    let output = Command::new(&program).output().expect("running the generated program");
    String::from_utf8(output.stdout)
        .expect("plain text")
        .lines()
        .filter_map(|line| line.rsplit_once(' '))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

fn print_area(text: &mut String, area: &Area, known: &dyn Fn(&str) -> bool) {
    for constant in area.constants {
        let name = constant.name;
        writeln!(text, "#ifdef {name}\nprintf(\"constant {name} %llx\\n\", (unsigned long long)({name}));\n#endif")
            .expect("writing to a string");
    }
    let aliases = area.types.iter().map(|t| t.name);
    for name in aliases.chain(area.structs.iter().map(|s| s.name)).filter(|name| known(name)) {
        writeln!(text, "printf(\"size {name} %zu\\nalign {name} %zu\\n\", sizeof({name}), _Alignof({name}));")
            .expect("writing to a string");
    }
    for structure in area.structs.iter().filter(|s| known(s.name)) {
        for field in structure.fields {
            let (name, member) = (structure.name, field.name.trim_start_matches("r#"));
            writeln!(
                text,
                "printf(\"offset {name}.{member} %zu\\nsize {name}.{member} %zu\\n\", offsetof({name}, {member}), \
                 sizeof((({name}*)0)->{member}));"
            )
            .expect("writing to a string");
        }
    }
    for function in area.functions.iter().filter(|f| known(f.name)) {
        let (name, ours) = (function.name, c_pointer_to(function, ""));
        writeln!(
            text,
            "printf(\"signature {name} %d\\n\", __builtin_types_compatible_p(__typeof__(&{name}), {ours}));"
        )
        .expect("writing to a string");
    }
}

/// The same facts as this crate has them.
fn facts_of_the_crate() -> BTreeMap<String, String> {
    let mut facts = BTreeMap::new();
    let mut put = |key: String, value: String| assert!(facts.insert(key.clone(), value).is_none(), "{key} twice");
    for area in AREAS {
        for constant in area.constants {
            put(format!("constant {}", constant.name), format!("{:x}", constant.value as u64));
        }
        for ty in area.types {
            put(format!("size {}", ty.name), ty.size.to_string());
            put(format!("align {}", ty.name), ty.align.to_string());
        }
        for structure in area.structs {
            put(format!("size {}", structure.name), structure.size.to_string());
            put(format!("align {}", structure.name), structure.align.to_string());
            for field in structure.fields {
                let name = format!("{}.{}", structure.name, field.name.trim_start_matches("r#"));
                put(format!("offset {name}"), field.offset.to_string());
                put(format!("size {name}"), field.size.to_string());
            }
        }
        for function in area.functions {
            put(format!("signature {}", function.name), "1".to_owned());
        }
    }
    for (slot, offset) in DISPATCH_SLOTS.iter().zip(DISPATCH_OFFSETS) {
        put(format!("slot {slot}"), offset.to_string());
    }
    for (name, value) in FLOATS {
        put(format!("float {name}"), value.to_string());
    }
    put("size cl_icd_dispatch".to_owned(), size_of::<cl_icd_dispatch>().to_string());
    for handle in HANDLES {
        put(format!("size {handle}"), size_of::<*mut u8>().to_string());
    }
    facts
}

/// Declarations that compile only where the headers know the name. A signature is probed too: it may need younger types.
fn probes() -> Vec<(&'static str, String)> {
    let mut probes = Vec::new();
    let mut probe = |name: &'static str, declared: String| {
        probes.push((name, format!("void probe_{}(void) {{ {declared} }}", probes.len())));
    };
    for area in AREAS {
        for name in area.types.iter().map(|t| t.name).chain(area.structs.iter().map(|s| s.name)) {
            probe(name, format!("(void)sizeof({name});"));
        }
        for function in area.functions {
            let (name, pointer) = (function.name, c_pointer_to(function, "pointer"));
            probe(name, format!("{pointer}; (void)&{name};"));
        }
    }
    for name in HANDLES {
        probe(name, format!("(void)sizeof({name});"));
    }
    for slot in DISPATCH_SLOTS {
        probe(slot, format!("(void)((cl_icd_dispatch*)0)->{slot};"));
    }
    probes
}

fn is_core(name: &str) -> bool {
    let declares = |area: &Area| {
        area.types.iter().any(|t| t.name == name)
            || area.structs.iter().any(|s| s.name == name)
            || area.functions.iter().any(|f| f.name == name)
    };
    let vendor = ["KHR", "EXT", "INTEL", "_khr", "_ext", "_intel"].iter().any(|suffix| name.ends_with(suffix));
    !vendor && AREAS.iter().any(declares)
}

#[test]
fn agrees_with_the_c_headers() {
    let probes = probes();
    let unknown = unknown_names(&probes);
    for name in unknown.iter().filter(|name| is_core(name)) {
        assert!(YOUNGER_THAN_SYSTEM_HEADERS.contains(name), "the headers do not know the core name {name}");
    }
    let theirs = facts_of_the_headers(&|name| !unknown.contains(name));
    let ours = facts_of_the_crate();
    let mut differences = Vec::new();
    let mut compared = 0;
    for (key, theirs) in &theirs {
        let Some(ours) = ours.get(key) else { continue };
        compared += 1;
        let same_number = || key.starts_with("float") && ours.parse::<f64>() == theirs.parse::<f64>();
        if ours != theirs && !same_number() {
            differences.push(format!("{key}: {ours} here, {theirs} in the headers"));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(compared > 1000, "only {compared} facts compared");
    println!("{compared} facts compared, {} names unknown to the headers", unknown.len());
}
