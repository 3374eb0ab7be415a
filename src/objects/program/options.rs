//! The option strings of `clBuildProgram`, `clCompileProgram` and `clLinkProgram`.

use oxicl_protocol::CompileOptions;

/// Which function an option string is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// `clBuildProgram`.
    Build,
    /// `clCompileProgram`.
    Compile,
    /// `clLinkProgram`.
    Link,
}

/// Options, understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// As the application gave them.
    pub text: String,
    /// What matters to generated code.
    pub compile: CompileOptions,
    /// `-create-library`.
    pub create_library: bool,
    /// `-enable-link-options`.
    pub enable_link_options: bool,
}

/// An option string that is not valid: which word, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadOption(pub String);

/// Versions of `-cl-std`.
const STANDARDS: &[&str] = &["CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0", "CLC++", "CLC++1.0", "CLC++2021"];

impl Options {
    /// Reads an option string.
    ///
    /// # Errors
    /// The first option that does not exist, has no or a bad value, or is for another function.
    pub fn parse(text: &str, purpose: Purpose) -> Result<Options, BadOption> {
        let mut options = Options { text: text.to_owned(), ..Options::default() };
        let words = split(text)?;
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            let known = match purpose {
                Purpose::Link => options.library(word) || options.math(word),
                Purpose::Build | Purpose::Compile => {
                    options.math(word)
                        || options.code(word)
                        || is_ignored(word)
                        || with_value(word, &mut words)?
                        || standard(word)?
                }
            };
            if !known {
                return Err(BadOption(format!("'{word}' is not an option here")));
            }
        }
        if options.enable_link_options && !options.create_library {
            return Err(BadOption("-enable-link-options needs -create-library".into()));
        }
        Ok(options)
    }

    /// Options for mathematics, which the linker takes, too.
    fn math(&mut self, word: &str) -> bool {
        let compile = &mut self.compile;
        match word {
            "-cl-denorms-are-zero" => compile.denorms_are_zero = true,
            "-cl-no-signed-zeros" => compile.no_signed_zeros = true,
            "-cl-finite-math-only" => compile.finite_math = true,
            "-cl-unsafe-math-optimizations" => {
                // It includes -cl-no-signed-zeros and -cl-mad-enable.
                compile.unsafe_math = true;
                compile.no_signed_zeros = true;
                compile.mad_enable = true;
            }
            "-cl-fast-relaxed-math" => {
                compile.fast_relaxed_math = true;
                compile.unsafe_math = true;
                compile.no_signed_zeros = true;
                compile.mad_enable = true;
                compile.finite_math = true;
            }
            _ => return false,
        }
        true
    }

    /// Other options that change code.
    fn code(&mut self, word: &str) -> bool {
        match word {
            "-cl-opt-disable" => self.compile.opt_disable = true,
            "-cl-mad-enable" => self.compile.mad_enable = true,
            "-cl-uniform-work-group-size" => self.compile.uniform_work_group_size = true,
            "-oxicl-remarks" => self.compile.verbose = true,
            _ => return false,
        }
        true
    }

    /// Options of the linker alone.
    fn library(&mut self, word: &str) -> bool {
        match word {
            "-create-library" => self.create_library = true,
            "-enable-link-options" => self.enable_link_options = true,
            _ => return false,
        }
        true
    }
}

/// Options that are valid and change nothing, because what they ask for is always so or is about source text.
fn is_ignored(word: &str) -> bool {
    matches!(
        word,
        "-cl-single-precision-constant"
            | "-cl-fp32-correctly-rounded-divide-sqrt"
            | "-cl-strict-aliasing"
            | "-cl-no-subgroup-ifp"
            | "-cl-kernel-arg-info"
            | "-w"
            | "-Werror"
            | "-g"
    )
}

/// `-D`, `-I` and `-x`, whose value may be the next word, and `-spir-std=`.
fn with_value<'w>(word: &str, rest: &mut impl Iterator<Item = &'w str>) -> Result<bool, BadOption> {
    if let Some(version) = word.strip_prefix("-spir-std=") {
        return if version.is_empty() { Err(BadOption(format!("'{word}' has no value"))) } else { Ok(true) };
    }
    let Some(option) = ["-D", "-I", "-x"].into_iter().find(|option| word.starts_with(option)) else {
        return Ok(false);
    };
    let value = match &word[option.len()..] {
        "" => rest.next().ok_or_else(|| BadOption(format!("'{option}' has no value")))?,
        value => value,
    };
    let good = match option {
        "-D" => is_macro(value),
        "-x" => value == "spir",
        _ => !value.is_empty(),
    };
    if good { Ok(true) } else { Err(BadOption(format!("'{value}' is no value of '{option}'"))) }
}

/// `name` or `name=definition`.
fn is_macro(value: &str) -> bool {
    let name = value.split('=').next().unwrap_or_default();
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && name.split('(').next().unwrap_or_default().chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn standard(word: &str) -> Result<bool, BadOption> {
    match word.strip_prefix("-cl-std=") {
        None => Ok(false),
        Some(version) if STANDARDS.contains(&version) => Ok(true),
        Some(version) => Err(BadOption(format!("'{version}' is no version of OpenCL C"))),
    }
}

/// Words between spaces; quotes hold words with spaces together, and a backslash takes the next character as it is.
fn split(text: &str) -> Result<Vec<String>, BadOption> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (character, quote) {
            ('\\', _) => {
                let next = characters.next().ok_or_else(|| BadOption("a backslash ends the options".into()))?;
                word.get_or_insert_default().push(next);
            }
            (c, Some(open)) if c == open => quote = None,
            (c, Some(_)) => word.get_or_insert_default().push(c),
            ('"' | '\'', None) => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, None) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(BadOption("a quotation is not closed".into()));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_of_the_specification_is_accepted_where_it_belongs() {
        let math = [
            "-cl-denorms-are-zero",
            "-cl-no-signed-zeros",
            "-cl-unsafe-math-optimizations",
            "-cl-finite-math-only",
            "-cl-fast-relaxed-math",
        ];
        let compile = [
            "-D NAME",
            "-DNAME",
            "-D NAME=1",
            "-DNAME='a b'",
            "-D \"NAME=a b\"",
            "-DF(x)=x",
            "-I folder",
            "-Ifolder",
            "-I \"a folder\"",
            "-cl-single-precision-constant",
            "-cl-fp32-correctly-rounded-divide-sqrt",
            "-cl-opt-disable",
            "-cl-strict-aliasing",
            "-cl-uniform-work-group-size",
            "-cl-no-subgroup-ifp",
            "-cl-mad-enable",
            "-w",
            "-Werror",
            "-cl-std=CL1.2",
            "-cl-std=CL3.0",
            "-cl-kernel-arg-info",
            "-g",
            "-x spir",
            "-spir-std=1.2",
        ];
        let link = ["-create-library", "-create-library -enable-link-options"];
        for option in math {
            for purpose in [Purpose::Build, Purpose::Compile, Purpose::Link] {
                assert!(Options::parse(option, purpose).is_ok(), "{option} {purpose:?}");
            }
        }
        for option in compile {
            assert!(Options::parse(option, Purpose::Build).is_ok(), "{option}");
            assert!(Options::parse(option, Purpose::Compile).is_ok(), "{option}");
            assert!(Options::parse(option, Purpose::Link).is_err(), "{option}");
        }
        for option in link {
            assert!(Options::parse(option, Purpose::Link).is_ok(), "{option}");
            assert!(Options::parse(option, Purpose::Build).is_err(), "{option}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for bad in [
            "-cl-invalid",
            "word",
            "-D",
            "-D 1NAME",
            "-D =x",
            "-I",
            "-x cl",
            "-cl-std=CL9.9",
            "-cl-std=",
            "-spir-std=",
            "-D \"NAME",
            "-w\\",
        ] {
            assert!(Options::parse(bad, Purpose::Build).is_err(), "{bad}");
        }
        assert!(Options::parse("-enable-link-options", Purpose::Link).is_err());
    }

    #[test]
    fn relaxed_options_include_what_the_specification_says() {
        let fast = Options::parse("-cl-fast-relaxed-math", Purpose::Build).unwrap().compile;
        assert!(fast.unsafe_math && fast.no_signed_zeros && fast.mad_enable && fast.finite_math);
        let unsafe_math = Options::parse("-cl-unsafe-math-optimizations", Purpose::Build).unwrap().compile;
        assert!(unsafe_math.no_signed_zeros && unsafe_math.mad_enable && !unsafe_math.finite_math);
        assert_eq!(Options::parse("  ", Purpose::Build).unwrap().compile, CompileOptions::default());
    }
}
