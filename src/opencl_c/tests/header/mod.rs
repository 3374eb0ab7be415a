//! Clang's header of OpenCL C: its declarations of built-in functions, and functions that call them.

use std::path::Path;

/// Declarations under conditions with these words are of what the device does not have, or of other vendors.
const FOREIGN: &[&str] =
    &["cl_intel", "cl_amd", "cl_arm", "gl_msaa", "pipes", "device_enqueue", "named_barrier", "CPP_VERSION__\n"];
/// Types and names of what the device does not have.
const ABSENT: &[&str] = &["msaa", "pipe", "reserve_id", "clk_event", "queue_t", "ndrange", "..."];
/// A built-in function.
pub(crate) struct Declaration {
    result: String,
    /// Its name.
    pub(crate) name: String,
    parameters: Vec<String>,
}

/// The text without comments and continued lines.
fn plain(header: &str) -> String {
    let mut text = String::new();
    let mut rest = header;
    while let Some(at) = rest.find("/*") {
        text.push_str(&rest[..at]);
        rest = rest[at..].find("*/").map_or("", |end| &rest[at + end + 2..]);
    }
    text.push_str(rest);
    let lines = text.replace("\\\n", " ");
    lines.lines().map(|line| line.split("//").next().unwrap_or_default().trim_end().to_owned() + "\n").collect()
}

impl Declaration {
    /// A function of another name with the same type, and its declaration.
    #[allow(dead_code, reason = "the front end's own tests have no use for it")]
    pub(crate) fn named(&self, name: String) -> (Declaration, String) {
        let text = format!("{} __attribute__((overloadable)) {name}({});\n", self.result, self.parameters.join(", "));
        (Declaration { result: self.result.clone(), name, parameters: self.parameters.clone() }, text)
    }
}

/// The declarations that matter, in order, of the header of the clang that is installed.
pub(crate) fn declarations() -> Vec<Declaration> {
    let prefix = std::env::var("LLVM_SYS_221_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".into());
    let path = Path::new(&prefix).join("lib/clang/22/include/opencl-c.h");
    of_header(&std::fs::read_to_string(path).expect("clang's header"))
}

fn of_header(header: &str) -> Vec<Declaration> {
    let mut conditions: Vec<String> = Vec::new();
    let mut found = Vec::new();
    let mut statement = String::new();
    for line in plain(header).lines().map(str::trim) {
        if line.starts_with("#if") {
            conditions.push(format!("{line}\n"));
        } else if line.starts_with("#el") {
            if let Some(last) = conditions.last_mut() {
                last.push_str(line);
            }
        } else if line.starts_with("#endif") {
            conditions.pop();
        } else if !line.starts_with('#') {
            statement.push(' ');
            statement.push_str(line);
            if line.ends_with(';') {
                let of = |words: &[&str]| conditions.iter().any(|of| words.iter().any(|word| of.contains(word)));
                if !of(FOREIGN) {
                    found.extend(statement.split(';').filter_map(read));
                }
                statement.clear();
            }
        }
    }
    found
}

fn read(statement: &str) -> Option<Declaration> {
    let words = ["__ovld", "__cnfn", "__purefn", "__conv"];
    let text = words.iter().fold(statement.to_owned(), |text, word| text.replace(word, ""));
    let (before, rest) = text.split_once('(')?;
    let (parameters, _) = rest.split_once(')')?;
    let (result, name) = before.trim().rsplit_once(char::is_whitespace)?;
    let names = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if names(ABSENT) {
        return None;
    }
    let parameters: Vec<String> = match parameters.trim() {
        "" | "void" => Vec::new(),
        list => list.split(',').map(type_of).collect(),
    };
    // Images that are written too have no levels of detail; the header is alone with these.
    if parameters.len() > 3 && text.contains("read_write") && text.contains("sampler_t") {
        return None;
    }
    // Functions of OpenCL C 1.x have no form for generic pointers; the header is alone with these.
    let classic = name.starts_with("atom") && !name.starts_with("atomic_f") && result != "void";
    let generic = parameters.first().is_some_and(|first| first.contains('*') && !first.contains("__"));
    if classic && generic && !parameters[0].contains("atomic_") {
        return None;
    }
    Some(Declaration { result: result.trim().to_owned(), name: name.to_owned(), parameters })
}

/// A parameter without its name, if it has one.
fn type_of(parameter: &str) -> String {
    let parameter = parameter.trim().trim_end_matches("[]");
    let start = parameter.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1);
    let (before, last) = parameter.split_at(start);
    let base = last.trim_end_matches(|c: char| c.is_ascii_digit()).trim_start_matches('u');
    let known = [
        "char",
        "short",
        "int",
        "long",
        "float",
        "double",
        "half",
        "bool",
        "size_t",
        "ptrdiff_t",
        "intptr_t",
        "event_t",
        "cl_mem_fence_flags",
        "memory_order",
        "memory_scope",
        "void",
    ];
    let is_type = known.contains(&base) || last.starts_with("atomic_") || last.ends_with("_t");
    if is_type || before.trim().is_empty() { parameter.to_owned() } else { before.trim().to_owned() }
}

/// A function that calls the declared one with its own arguments; what has to be constant is.
pub(crate) fn caller(declaration: &Declaration, number: usize) -> String {
    let clustered = declaration.name.contains("clustered");
    let last = declaration.parameters.len().wrapping_sub(1);
    let mut own = Vec::new();
    let mut passed = Vec::new();
    for (index, kind) in declaration.parameters.iter().enumerate() {
        match kind.as_str() {
            "memory_order" => passed.push("memory_order_seq_cst".to_owned()),
            "memory_scope" => passed.push("memory_scope_work_group".to_owned()),
            "uint" if clustered && index == last => passed.push("4".to_owned()),
            "uint" if declaration.name == "sub_group_broadcast" && index == last => passed.push("0".to_owned()),
            _ => {
                own.push(format!("{kind} p{index}"));
                passed.push(format!("p{index}"));
            }
        }
    }
    let own = if own.is_empty() { "void".to_owned() } else { own.join(", ") };
    let back = if declaration.result == "void" { "" } else { "return " };
    format!("{} t{number}({own}) {{ {back}{}({}); }}\n", declaration.result, declaration.name, passed.join(", "))
}
