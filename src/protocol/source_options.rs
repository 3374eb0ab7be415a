//! Build options that matter to source text.

use serde::{Deserialize, Serialize};

/// A version of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are those of the versions")]
pub enum Standard {
    C10,
    C11,
    C12,
    C20,
    C30,
    C31,
    Cpp10,
    Cpp2021,
}

impl Standard {
    /// Each version with its values of `-cl-std=`.
    const NAMES: &[(&str, Standard)] = &[
        ("CL1.0", Standard::C10),
        ("CL1.1", Standard::C11),
        ("CL1.2", Standard::C12),
        ("CL2.0", Standard::C20),
        ("CL3.0", Standard::C30),
        ("CL3.1", Standard::C31),
        ("CLC++", Standard::Cpp10),
        ("CLC++1.0", Standard::Cpp10),
        ("CLC++2021", Standard::Cpp2021),
    ];

    /// The version that a value of `-cl-std=` names.
    pub fn from_name(name: &str) -> Option<Standard> {
        Standard::NAMES.iter().find(|(known, _)| *known == name).map(|(_, standard)| *standard)
    }
}

/// Options of `clBuildProgram` and `clCompileProgram` that source text, or what the front end makes of it, depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SourceOptions {
    /// `-cl-std=`; `None` is the newest OpenCL C 1.x.
    pub standard: Option<Standard>,
    /// Values of `-D`, in order: `name` or `name=definition`.
    pub defines: Vec<String>,
    /// Values of `-I`, in order.
    pub include_folders: Vec<String>,
    /// `-w`.
    pub no_warnings: bool,
    /// `-Werror`.
    pub warnings_are_errors: bool,
    /// `-g`: instructions know their lines.
    pub debug: bool,
    /// `-cl-opt-disable`.
    pub opt_disable: bool,
    /// `-cl-single-precision-constant`.
    pub single_precision_constant: bool,
    /// `-cl-mad-enable`.
    pub mad_enable: bool,
    /// `-cl-no-signed-zeros`.
    pub no_signed_zeros: bool,
    /// `-cl-unsafe-math-optimizations`.
    pub unsafe_math: bool,
    /// `-cl-finite-math-only`.
    pub finite_math: bool,
    /// `-cl-fast-relaxed-math`.
    pub fast_relaxed_math: bool,
}

impl SourceOptions {
    /// Takes `word`, one word of an option string, and its value out of `rest` if that is another word. False if it is
    /// no option that matters here; nothing was taken then.
    ///
    /// # Errors
    /// One sentence: the option has no value, or none that it can have.
    pub fn take<'w>(&mut self, word: &'w str, rest: &mut impl Iterator<Item = &'w str>) -> Result<bool, String> {
        if let Some(name) = word.strip_prefix("-cl-std=") {
            let standard = Standard::from_name(name).ok_or_else(|| format!("'{name}' is no version of OpenCL C"))?;
            self.standard = Some(standard);
            return Ok(true);
        }
        if let Some(option) = ["-D", "-I"].into_iter().find(|option| word.starts_with(option)) {
            let value = match &word[option.len()..] {
                "" => rest.next().ok_or_else(|| format!("'{option}' has no value"))?,
                value => value,
            };
            return self.take_value(option, value).map(|()| true);
        }
        match word {
            "-w" => self.no_warnings = true,
            "-Werror" => self.warnings_are_errors = true,
            // Information about arguments is always kept.
            "-cl-kernel-arg-info" => {}
            "-g" => self.debug = true,
            "-cl-opt-disable" => self.opt_disable = true,
            "-cl-single-precision-constant" => self.single_precision_constant = true,
            "-cl-mad-enable" => self.mad_enable = true,
            "-cl-no-signed-zeros" => self.no_signed_zeros = true,
            "-cl-unsafe-math-optimizations" => self.unsafe_math = true,
            "-cl-finite-math-only" => self.finite_math = true,
            "-cl-fast-relaxed-math" => self.fast_relaxed_math = true,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn take_value(&mut self, option: &str, value: &str) -> Result<(), String> {
        let (good, list) = match option {
            "-D" => (is_macro(value), &mut self.defines),
            _ => (!value.is_empty(), &mut self.include_folders),
        };
        if !good {
            return Err(format!("'{value}' is no value of '{option}'"));
        }
        list.push(value.to_owned());
        Ok(())
    }
}

/// `name`, `name=definition` or `name(arguments)=definition`.
fn is_macro(value: &str) -> bool {
    let name = value.split(['=', '(']).next().unwrap_or_default();
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<SourceOptions, String> {
        let mut options = SourceOptions::default();
        let mut rest = words.iter().copied();
        while let Some(word) = rest.next() {
            assert!(options.take(word, &mut rest)?, "{word}");
        }
        Ok(options)
    }

    #[test]
    fn values_stand_behind_their_option_or_are_the_next_word() {
        let options = read(&["-DA", "-D", "B=1", "-DF(x)=x", "-I", "one", "-Itwo", "-cl-std=CLC++"]).expect("valid");
        assert_eq!(options.defines, ["A", "B=1", "F(x)=x"]);
        assert_eq!(options.include_folders, ["one", "two"]);
        assert_eq!(options.standard, Some(Standard::Cpp10));
    }

    #[test]
    fn what_has_no_value_or_a_wrong_one_is_refused() {
        for bad in [&["-D"][..], &["-D", "1A"], &["-D="], &["-I"], &["-cl-std="], &["-cl-std=CL4.0"]] {
            assert!(read(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn options_of_others_are_left_alone() {
        let mut options = SourceOptions::default();
        for word in ["-create-library", "-cl-uniform-work-group-size", "kernel.cl", ""] {
            assert_eq!(options.take(word, &mut std::iter::empty()), Ok(false), "{word}");
        }
        assert_eq!(options, SourceOptions::default());
    }
}
