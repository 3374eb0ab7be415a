//! The option strings of `clBuildProgram`, `clCompileProgram` and `clLinkProgram`.

use oxicl_caps::Switches;
use oxicl_protocol::{CompileOptions, SourceOptions};

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
    /// What matters to source text.
    pub source: SourceOptions,
    /// `-create-library`.
    pub create_library: bool,
    /// `-enable-link-options`.
    pub enable_link_options: bool,
}

/// An option string that is not valid: which word, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadOption(pub String);

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
                Purpose::Link => options.library(word) || options.math(word) || word == "-cl-no-subgroup-ifp",
                Purpose::Build | Purpose::Compile => {
                    // Some words are for both; what source text sees may take the next word, too.
                    let code = options.math(word) || options.code(word);
                    let source = options.source.take(word, &mut words).map_err(BadOption)?;
                    code || source || is_ignored(word) || spir(word, &mut words)?
                }
            };
            if !known {
                return Err(BadOption(format!("'{word}' is not an option here")));
            }
        }
        for define in &mut options.source.defines {
            // "The definition will be truncated by embedded newline characters."
            define.truncate(define.find(['\n', '\r']).unwrap_or(define.len()));
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
            _ => match word.strip_prefix("-oxicl-lanes=").and_then(|lanes| lanes.parse().ok()) {
                Some(lanes @ (1 | 2 | 4 | 8 | 16 | 32 | 64)) => self.compile.lanes = lanes,
                _ => return false,
            },
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

/// Options that are valid and change nothing, because what they ask for is always so or is allowed, not demanded.
fn is_ignored(word: &str) -> bool {
    matches!(word, "-cl-fp32-correctly-rounded-divide-sqrt" | "-cl-strict-aliasing" | "-cl-no-subgroup-ifp")
}

/// `-x spir` and `-spir-std=`, which clients of older drivers give with binaries.
fn spir<'w>(word: &str, rest: &mut impl Iterator<Item = &'w str>) -> Result<bool, BadOption> {
    let good = match (word, word.strip_prefix("-spir-std=")) {
        (_, Some(version)) => !version.is_empty(),
        ("-x", _) => rest.next() == Some("spir"),
        _ => return Ok(false),
    };
    if good { Ok(true) } else { Err(BadOption(format!("'{word}' has no value that is known"))) }
}

/// What a module that is linked of others may be compiled with: what the options of all of them allow, and what those of
/// the link itself do. "The linker may apply these options only to libraries which were created with the option
/// -enable-link-options."
pub fn linked(inputs: &[Options], link: &Options) -> CompileOptions {
    let apply = inputs.iter().all(|input| !input.create_library || input.enable_link_options);
    let allowed = |flag: fn(&CompileOptions) -> bool| {
        (apply && flag(&link.compile)) || (!inputs.is_empty() && inputs.iter().all(|input| flag(&input.compile)))
    };
    let asked = |flag: fn(&CompileOptions) -> bool| inputs.iter().any(|input| flag(&input.compile));
    CompileOptions {
        opt_disable: asked(|options| options.opt_disable),
        mad_enable: allowed(|options| options.mad_enable),
        no_signed_zeros: allowed(|options| options.no_signed_zeros),
        unsafe_math: allowed(|options| options.unsafe_math),
        finite_math: allowed(|options| options.finite_math),
        fast_relaxed_math: allowed(|options| options.fast_relaxed_math),
        denorms_are_zero: allowed(|options| options.denorms_are_zero),
        uniform_work_group_size: allowed(|options| options.uniform_work_group_size),
        verbose: asked(|options| options.verbose),
        lanes: inputs.iter().map(|input| input.compile.lanes).fold(link.compile.lanes, u32::max),
        turned: false,
        disjoint: false,
        zero_private: false,
        switches: Switches::default(),
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
    use oxicl_protocol::Standard;

    use super::*;

    fn built(text: &str) -> Options {
        Options::parse(text, Purpose::Build).expect(text)
    }

    #[test]
    fn every_option_of_the_specification_is_accepted_where_it_belongs() {
        let math = [
            "-cl-denorms-are-zero",
            "-cl-no-signed-zeros",
            "-cl-unsafe-math-optimizations",
            "-cl-finite-math-only",
            "-cl-fast-relaxed-math",
            "-cl-no-subgroup-ifp",
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
            "-cl-mad-enable",
            "-w",
            "-Werror",
            "-cl-std=CL1.1",
            "-cl-std=CL1.2",
            "-cl-std=CL2.0",
            "-cl-std=CL3.0",
            "-cl-std=CL3.1",
            "-cl-std=CLC++",
            "-cl-std=CLC++2021",
            "-cl-kernel-arg-info",
            "-g",
            "-x spir",
            "-oxicl-lanes=16",
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
            "-oxicl-lanes=3",
            "-oxicl-lanes=",
            "-x cl",
            "-x",
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
    fn source_text_sees_definitions_and_folders_in_order() {
        let options = built("-DA -I one -D 'B=x y' -cl-std=CL3.0 -DC=\\\"q\\\" -I\"two words\" -D \"E=1\n2\" -w");
        assert_eq!(options.source.defines, ["A", "B=x y", "C=\"q\"", "E=1"]);
        assert_eq!(options.source.include_folders, ["one", "two words"]);
        assert_eq!(options.source.standard, Some(Standard::C30));
        assert!(options.source.no_warnings);
    }

    #[test]
    fn options_of_code_and_source_reach_both() {
        let options = built("-cl-mad-enable -cl-opt-disable -cl-fast-relaxed-math");
        assert!(options.compile.mad_enable && options.source.mad_enable);
        assert!(options.compile.opt_disable && options.source.opt_disable);
        assert!(options.compile.fast_relaxed_math && options.source.fast_relaxed_math);
    }

    #[test]
    fn relaxed_options_include_what_the_specification_says() {
        let fast = built("-cl-fast-relaxed-math").compile;
        assert!(fast.unsafe_math && fast.no_signed_zeros && fast.mad_enable && fast.finite_math);
        let unsafe_math = built("-cl-unsafe-math-optimizations").compile;
        assert!(unsafe_math.no_signed_zeros && unsafe_math.mad_enable && !unsafe_math.finite_math);
        assert_eq!(built("  ").compile, CompileOptions::default());
    }

    #[test]
    fn a_link_allows_what_all_its_inputs_do_and_what_it_says_itself() {
        let link = |text: &str| Options::parse(text, Purpose::Link).expect(text);
        let inputs = [built("-cl-mad-enable -cl-finite-math-only"), built("-cl-mad-enable -cl-opt-disable")];
        let both = linked(&inputs, &link(""));
        assert!(both.mad_enable && both.opt_disable && !both.finite_math);
        assert!(linked(&inputs, &link("-cl-finite-math-only")).finite_math);
        let closed = [link("-create-library")];
        assert!(!linked(&closed, &link("-cl-finite-math-only")).finite_math, "the library does not ask for it");
        let open = [link("-create-library -enable-link-options")];
        assert!(linked(&open, &link("-cl-finite-math-only")).finite_math);
    }
}
