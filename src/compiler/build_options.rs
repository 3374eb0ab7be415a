//! Build options of `clBuildProgram`, as the command line takes them.

use oxicl_protocol::{CompileOptions, SourceOptions};

/// Build options, parsed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildOptions {
    /// Options for source text.
    pub source: SourceOptions,
    denorms_are_zero: bool,
    uniform_work_group_size: bool,
    lanes: u32,
}

impl BuildOptions {
    /// Options for code, added to those of `other`. An option that implies others sets all of them.
    pub fn code(&self, other: &CompileOptions) -> CompileOptions {
        let source = &self.source;
        let fast = source.fast_relaxed_math;
        let unsafe_math = fast || source.unsafe_math;
        CompileOptions {
            opt_disable: other.opt_disable || source.opt_disable,
            mad_enable: other.mad_enable || unsafe_math || source.mad_enable,
            no_signed_zeros: other.no_signed_zeros || unsafe_math || source.no_signed_zeros,
            unsafe_math: other.unsafe_math || unsafe_math,
            finite_math: other.finite_math || fast || source.finite_math,
            fast_relaxed_math: other.fast_relaxed_math || fast,
            denorms_are_zero: other.denorms_are_zero || self.denorms_are_zero,
            uniform_work_group_size: other.uniform_work_group_size || self.uniform_work_group_size,
            lanes: if self.lanes == 0 { other.lanes } else { self.lanes },
            ..other.clone()
        }
    }
}

/// Parses build options. `-cl-` options that change nothing here are accepted.
///
/// # Errors
/// One sentence that names the word.
pub fn build_options(words: &[String]) -> Result<BuildOptions, String> {
    let mut options = BuildOptions::default();
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if options.source.take(word, &mut words)? {
            continue;
        }
        match word {
            "-cl-denorms-are-zero" => options.denorms_are_zero = true,
            "-cl-uniform-work-group-size" => options.uniform_work_group_size = true,
            "-oxicl-remarks" => {}
            _ => match word.strip_prefix("-oxicl-lanes=").map(str::parse) {
                Some(Ok(lanes @ (1 | 2 | 4 | 8 | 16 | 32 | 64))) => options.lanes = lanes,
                None if word.starts_with("-cl-") => {}
                _ => return Err(format!("'{word}' is no build option")),
            },
        }
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<BuildOptions, String> {
        build_options(&words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn options_reach_the_code_with_all_that_they_include() {
        let options = read(&["-cl-fast-relaxed-math", "-DA", "-oxicl-lanes=8", "-cl-denorms-are-zero"]).expect("valid");
        let code = options.code(&CompileOptions::default());
        assert!(code.fast_relaxed_math && code.unsafe_math && code.finite_math && code.mad_enable);
        assert!(code.no_signed_zeros && code.denorms_are_zero && !code.opt_disable);
        assert_eq!((code.lanes, options.source.defines.as_slice()), (8, ["A".to_owned()].as_slice()));
    }

    #[test]
    fn what_the_command_line_asked_for_stays() {
        let other = CompileOptions { lanes: 4, opt_disable: true, verbose: true, ..CompileOptions::default() };
        assert_eq!(BuildOptions::default().code(&other), other);
    }

    #[test]
    fn what_is_no_option_is_named() {
        for bad in ["word", "-oxicl-lanes=3", "-oxicl-lanes=x", "--define"] {
            assert!(read(&[bad]).expect_err(bad).contains(bad), "{bad}");
        }
    }
}
