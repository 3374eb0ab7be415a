//! Reads what the head of a file says of its launch.

use std::path::Path;

use super::fill::Fill;
use super::scalar::Scalar;
use super::signature::{Signature, kernels};

/// The kernel that makes data.
pub const PREPARE: &str = "prepare";

/// What a file says.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// The measured kernel.
    pub kernel: String,
    pub global: Vec<usize>,
    /// None if the driver chooses.
    pub local: Option<Vec<usize>>,
    /// In the kernel's order.
    pub arguments: Vec<Argument>,
    /// Of the build.
    pub options: String,
    pub prepare: Option<Prepare>,
    /// By how much floating-point numbers may differ; none if that depends on their type.
    pub tolerance: Option<f64>,
}

/// A file that has been read.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    pub header: Header,
    pub text: String,
}

/// An argument of the measured kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    pub name: String,
    pub kind: Kind,
}

/// What is passed.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Buffer(Content),
    /// A scalar's bytes.
    Value(Vec<u8>),
    /// Bytes of local memory.
    Local(usize),
}

/// A buffer before the first kernel runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Content {
    pub scalar: Scalar,
    pub count: usize,
    pub fill: Fill,
}

impl Content {
    /// Its size.
    pub fn bytes(&self) -> usize {
        self.count * self.scalar.bytes()
    }
}

/// The launch of the kernel `prepare`.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepare {
    pub global: Vec<usize>,
    /// Which arguments of the measured kernel it has.
    pub arguments: Vec<usize>,
}

impl Header {
    /// Of a file, with its text.
    pub fn read(path: &Path) -> Result<Source, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let header = Header::parse(&path.display().to_string(), &text)?;
        Ok(Source { header, text })
    }

    /// Of the text of a file; errors begin with its name and the line.
    fn parse(file: &str, text: &str) -> Result<Header, String> {
        let mut draft = Draft::default();
        let mut head = true;
        for (number, line) in (1..).zip(text.lines()) {
            let at = |error: String| format!("{file}:{number}: {error}");
            let line = line.trim();
            if let Some(directive) = line.strip_prefix("//!") {
                if !head {
                    return Err(at("a directive below the first line of code".to_owned()));
                }
                draft.read(number, directive.trim()).map_err(at)?;
            } else if head && !line.is_empty() && !line.starts_with("//") {
                head = false;
                draft.end = number;
            }
        }
        draft.finish(text).map_err(|fault| format!("{file}:{}: {}", fault.line, fault.what))
    }

    /// The buffers among the arguments, and their names.
    pub fn buffers(&self) -> impl Iterator<Item = (&str, &Content)> {
        self.arguments.iter().filter_map(|argument| match &argument.kind {
            Kind::Buffer(content) => Some((argument.name.as_str(), content)),
            _ => None,
        })
    }
}

/// What is wrong in which line.
struct Fault {
    line: usize,
    what: String,
}

/// A directive's value and its line.
#[derive(Debug)]
struct At<T> {
    line: usize,
    value: T,
}

impl<T> At<T> {
    fn fault(&self, what: String) -> Fault {
        Fault { line: self.line, what }
    }
}

/// What has been read of a header.
#[derive(Debug, Default)]
struct Draft {
    kernel: Option<At<String>>,
    global: Option<At<Vec<usize>>>,
    local: Option<At<Vec<usize>>>,
    arguments: Vec<At<Argument>>,
    options: Option<At<String>>,
    /// Sizes, and names of arguments.
    prepare: Option<At<Written>>,
    tolerance: Option<At<f64>>,
    /// The first line of code.
    end: usize,
}

/// A launch of `prepare` as it is written.
#[derive(Debug)]
struct Written {
    global: Vec<usize>,
    arguments: Vec<String>,
}

impl Draft {
    fn read(&mut self, line: usize, directive: &str) -> Result<(), String> {
        let (word, rest) = directive.split_once(char::is_whitespace).unwrap_or((directive, ""));
        let rest = rest.trim();
        match word {
            "kernel" => once(&mut self.kernel, word, line, identifier(rest)?),
            "global" => once(&mut self.global, word, line, sizes(rest)?),
            "local" => once(&mut self.local, word, line, sizes(rest)?),
            "options" => once(&mut self.options, word, line, rest.to_owned()),
            "prepare" => once(&mut self.prepare, word, line, launch(rest)?),
            "tolerance" => {
                let value = rest.parse().ok().filter(|value| *value >= 0.0);
                once(&mut self.tolerance, word, line, value.ok_or_else(|| format!("'{rest}' is no tolerance"))?)
            }
            "arg" => {
                let value = argument(rest)?;
                if self.arguments.iter().any(|other| other.value.name == value.name) {
                    return Err(format!("a second argument {}", value.name));
                }
                self.arguments.push(At { line, value });
                Ok(())
            }
            _ => Err(format!("no directive '{word}'")),
        }
    }

    /// The header, if what the lines say fits together and to the kernels of the text.
    fn finish(self, text: &str) -> Result<Header, Fault> {
        let end = self.end.max(1);
        let global = self.global.ok_or(Fault { line: end, what: "no `global` above the code".to_owned() })?.value;
        if let Some(local) = &self.local
            && local.value.len() != global.len()
        {
            return Err(local.fault(format!("{} local sizes for {} global ones", local.value.len(), global.len())));
        }
        let kernels = kernels(text);
        let kernel = match &self.kernel {
            Some(kernel) => kernel.value.clone(),
            None => only(&kernels).map_err(|what| Fault { line: end, what })?,
        };
        // Kernels that a macro makes are not found; the driver knows them.
        let signatures: Vec<&Signature> = kernels.iter().filter(|found| found.name == kernel).collect();
        if let [signature] = signatures[..] {
            check_order(&self.arguments, signature, end)?;
        }
        let prepare = match self.prepare {
            Some(prepare) => Some(resolve(prepare, &self.arguments, &kernels)?),
            None => None,
        };
        Ok(Header {
            kernel,
            global,
            local: self.local.map(|local| local.value),
            arguments: self.arguments.into_iter().map(|argument| argument.value).collect(),
            options: self.options.map(|options| options.value).unwrap_or_default(),
            prepare,
            tolerance: self.tolerance.map(|tolerance| tolerance.value),
        })
    }
}

/// The kernel beside `prepare`, if there is one.
fn only(kernels: &[Signature]) -> Result<String, String> {
    let mut names: Vec<&str> =
        kernels.iter().map(|kernel| kernel.name.as_str()).filter(|name| *name != PREPARE).collect();
    names.dedup();
    match names[..] {
        [name] => Ok(name.to_owned()),
        [] => Err("no kernel found: name it by `kernel`".to_owned()),
        _ => Err(format!("several kernels ({}): name the measured one by `kernel`", names.join(", "))),
    }
}

/// Whether the arguments are the kernel's parameters.
fn check_order(arguments: &[At<Argument>], signature: &Signature, end: usize) -> Result<(), Fault> {
    let Signature { name, parameters } = signature;
    for (number, argument) in (1..).zip(arguments) {
        match parameters.get(number - 1) {
            Some(parameter) if *parameter == argument.value.name => {}
            Some(parameter) => {
                let what = format!("parameter {number} of {name} is {parameter}, not {}", argument.value.name);
                return Err(argument.fault(what));
            }
            None => return Err(argument.fault(format!("{name} has only {} parameters", parameters.len()))),
        }
    }
    match parameters.get(arguments.len()) {
        None => Ok(()),
        Some(parameter) => Err(Fault { line: end, what: format!("no `arg` for {name}'s parameter {parameter}") }),
    }
}

/// Finds the arguments of `prepare` by their names.
fn resolve(prepare: At<Written>, arguments: &[At<Argument>], kernels: &[Signature]) -> Result<Prepare, Fault> {
    let mut indices = Vec::new();
    for name in &prepare.value.arguments {
        let index = arguments.iter().position(|argument| argument.value.name == *name);
        indices.push(index.ok_or_else(|| prepare.fault(format!("{PREPARE} names {name}, which is no argument")))?);
    }
    let signatures: Vec<&Signature> = kernels.iter().filter(|kernel| kernel.name == PREPARE).collect();
    if let [signature] = signatures[..]
        && signature.parameters.len() != indices.len()
    {
        let count = signature.parameters.len();
        return Err(prepare.fault(format!("{} arguments for {PREPARE}, which has {count} parameters", indices.len())));
    }
    Ok(Prepare { global: prepare.value.global, arguments: indices })
}

fn once<T>(place: &mut Option<At<T>>, word: &str, line: usize, value: T) -> Result<(), String> {
    match place.replace(At { line, value }) {
        None => Ok(()),
        Some(first) => Err(format!("a second `{word}`; the first is in line {}", first.line)),
    }
}

fn identifier(text: &str) -> Result<String, String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let good = text.chars().all(is_name) && text.starts_with(|c: char| !c.is_ascii_digit());
    if good { Ok(text.to_owned()) } else { Err(format!("'{text}' is no name")) }
}

fn size(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|size| *size > 0).ok_or_else(|| format!("'{text}' is no size"))
}

/// One to three sizes.
fn sizes(text: &str) -> Result<Vec<usize>, String> {
    let sizes: Vec<usize> = text.split_whitespace().map(size).collect::<Result<_, String>>()?;
    if (1..=3).contains(&sizes.len()) {
        Ok(sizes)
    } else {
        Err(format!("{} sizes instead of one to three", sizes.len()))
    }
}

/// `SIZES: ARGUMENTS`.
fn launch(text: &str) -> Result<Written, String> {
    let (global, names) = text.split_once(':').ok_or("`prepare` needs sizes, a colon and names of arguments")?;
    let arguments = names.split_whitespace().map(identifier).collect::<Result<_, String>>()?;
    Ok(Written { global: sizes(global)?, arguments })
}

/// `NAME: buffer TYPE COUNT FILL`, `NAME: local BYTES` or `NAME: TYPE VALUE`.
fn argument(text: &str) -> Result<Argument, String> {
    let (name, what) = text.split_once(':').ok_or("`arg` needs a name, a colon and what it is")?;
    let words: Vec<&str> = what.split_whitespace().collect();
    let kind = match words[..] {
        ["buffer", scalar, count, ref fill @ ..] => {
            let (scalar, count) = (scalar_named(scalar)?, size(count)?);
            count.checked_mul(scalar.bytes()).ok_or("the buffer is too large")?;
            Kind::Buffer(Content { scalar, count, fill: Fill::parse(scalar, fill)? })
        }
        ["buffer", ..] => return Err("`buffer` needs a type, a number of scalars and how it is filled".to_owned()),
        ["local", bytes] => Kind::Local(size(bytes)?),
        [scalar, value] => {
            let scalar = scalar_named(scalar)?;
            let number = scalar.parse(value).ok_or_else(|| format!("'{value}' is no {}", words[0]))?;
            let mut bytes = Vec::new();
            scalar.append(number, &mut bytes);
            Kind::Value(bytes)
        }
        _ => return Err(format!("'{}' is no argument: a buffer, `local BYTES`, or a type and a value", what.trim())),
    };
    Ok(Argument { name: identifier(name.trim())?, kind })
}

fn scalar_named(name: &str) -> Result<Scalar, String> {
    Scalar::named(name).ok_or_else(|| format!("no scalar type '{name}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kernel and lines above it; what is wrong with the file.
    fn fault(head: &str, code: &str) -> String {
        let text = format!("// What it does.\n{head}\n{code}\n");
        Header::parse("folder/it.cl", &text).expect_err(&text)
    }

    const COPY: &str = "kernel void copy(global int *from, global int *to) {}";
    const ARGS: &str = "//! arg from: buffer int 8 index\n//! arg to: buffer int 8 zero";

    #[test]
    fn the_example_is_read() {
        let header = Header::parse("blur.cl", include_str!("../programs/images/blur.cl")).unwrap();
        assert_eq!((header.kernel.as_str(), header.global.as_slice()), ("blur", [1024, 1024].as_slice()));
        assert_eq!((header.local, header.prepare, header.tolerance), (None, None, None));
        let names: Vec<&str> = header.arguments.iter().map(|argument| argument.name.as_str()).collect();
        assert_eq!(names, ["from", "to", "width", "height"]);
        let fill = Fill::Integers { low: 0, high: 255 };
        assert_eq!(header.arguments[0].kind, Kind::Buffer(Content { scalar: Scalar::Uchar, count: 1 << 20, fill }));
        assert_eq!(header.arguments[2].kind, Kind::Value(vec![0, 4, 0, 0]));
    }

    #[test]
    fn every_program_has_a_head() {
        let mut files = Vec::new();
        crate::program::find(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/programs")), &mut files).unwrap();
        assert!(files.len() > 200);
        for file in files {
            Header::read(&file).unwrap();
        }
    }

    #[test]
    fn every_directive_is_read() {
        let text = "
            // A sum.
            //! kernel sum
            //! global 64 2 1
            //! local 8 2 1
            //! arg table: buffer half 8 random -1 1
            //! arg scale: double -1e-3
            //! arg tile: local 256
            //! options -cl-fast-relaxed-math -DN=4
            //! prepare 16 2: tile table
            //! tolerance 1e-4
            kernel void prepare(local float *t, global half *out) {}
            kernel void sum(global half *table, double scale, local float *tile) {}
            kernel void other(int table) {}";
        let header = Header::parse("sum.cl", text).unwrap();
        assert_eq!((header.kernel.as_str(), header.local), ("sum", Some(vec![8, 2, 1])));
        assert_eq!(header.arguments[1].kind, Kind::Value((-1e-3_f64).to_le_bytes().to_vec()));
        assert_eq!(header.arguments[2].kind, Kind::Local(256));
        assert_eq!(header.options, "-cl-fast-relaxed-math -DN=4");
        assert_eq!(header.prepare, Some(Prepare { global: vec![16, 2], arguments: vec![2, 0] }));
        assert_eq!(header.tolerance, Some(1e-4));
    }

    #[test]
    fn a_kernel_that_a_macro_makes_is_not_checked() {
        let text =
            "//! kernel add_int\n//! global 1\n//! arg a: int 1\n#define K(t) \\\n kernel void add_##t(t b) {}\nK(int)";
        assert_eq!(Header::parse("add.cl", text).unwrap().kernel, "add_int");
    }

    #[test]
    fn faults_name_file_and_line() {
        let cases = [
            ("//! globl 4", "2: no directive 'globl'"),
            ("//! global", "2: 0 sizes instead of one to three"),
            ("//! global 1 2 3 4", "2: 4 sizes instead of one to three"),
            ("//! global 4 0", "2: '0' is no size"),
            ("//! global 4\n//! global 4", "3: a second `global`; the first is in line 2"),
            ("//! kernel 4", "2: '4' is no name"),
            ("//! tolerance -1", "2: '-1' is no tolerance"),
            ("//! arg from buffer int 8 zero", "2: `arg` needs a name, a colon and what it is"),
            ("//! arg from: buffer integer 8 zero", "2: no scalar type 'integer'"),
            ("//! arg from: float4 1", "2: no scalar type 'float4'"),
            ("//! arg from: buffer int", "2: `buffer` needs a type, a number of scalars and how it is filled"),
            ("//! arg from: buffer int 8 ones", "2: no fill 'ones': zero, index or random LOW HIGH"),
            ("//! arg from: buffer int 8 random 0 0.5", "2: '0.5' is no bound of the buffer's type"),
            ("//! arg from: buffer int 8 random 3 2", "2: 3 is above 2"),
            ("//! arg from: uchar 256", "2: '256' is no uchar"),
            ("//! arg from: local", "2: 'local' is no argument: a buffer, `local BYTES`, or a type and a value"),
            ("//! arg from: int 1\n//! arg from: int 2", "3: a second argument from"),
            ("//! prepare from", "2: `prepare` needs sizes, a colon and names of arguments"),
        ];
        for (head, expected) in cases {
            assert_eq!(fault(head, COPY), format!("folder/it.cl:{expected}"));
        }
    }

    #[test]
    fn what_does_not_fit_together_is_a_fault() {
        let global = "//! global 4";
        let cases = [
            (String::new(), COPY, "3: no `global` above the code"),
            (format!("{global}\n//! local 2 2\n{ARGS}"), COPY, "3: 2 local sizes for 1 global ones"),
            (format!("{global}\n//! prepare 1: from two\n{ARGS}"), COPY, "3: prepare names two, which is no argument"),
            (format!("{global}\n{ARGS}"), "int f();", "5: no kernel found: name it by `kernel`"),
            (
                global.to_owned(),
                "kernel void a() {} kernel void b() {}",
                "3: several kernels (a, b): name the measured one by `kernel`",
            ),
            (format!("{global}\n//! arg to: int 1"), COPY, "3: parameter 1 of copy is from, not to"),
            (format!("{global}\n//! arg from: int 1"), COPY, "4: no `arg` for copy's parameter to"),
            (format!("{global}\n{ARGS}\n//! arg more: int 1"), COPY, "5: copy has only 2 parameters"),
        ];
        for (head, code, expected) in cases {
            assert_eq!(fault(&head, code), format!("folder/it.cl:{expected}"));
        }
        let prepared = format!("{COPY} kernel void prepare(global int *a) {{}}");
        let head = format!("{global}\n{ARGS}\n//! prepare 1: from to");
        assert_eq!(fault(&head, &prepared), "folder/it.cl:5: 2 arguments for prepare, which has 1 parameters");
    }

    #[test]
    fn directives_below_the_code_are_faults() {
        assert_eq!(fault(COPY, "//! global 4"), "folder/it.cl:3: a directive below the first line of code");
    }
}
