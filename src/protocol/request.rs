//! Requests to the compiler process and its answers.

use oxicl_abi::{Image, Tier};
use oxicl_caps::Switches;
use oxicl_target::Target;
use serde::{Deserialize, Serialize};

use crate::{BuildFailure, encode};

/// Build options that change generated code. Names follow the OpenCL build options.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompileOptions {
    /// `-cl-opt-disable`.
    pub opt_disable: bool,
    /// `-cl-mad-enable`.
    pub mad_enable: bool,
    /// `-cl-no-signed-zeros`.
    pub no_signed_zeros: bool,
    /// `-cl-unsafe-math-optimizations`.
    pub unsafe_math: bool,
    /// `-cl-finite-math-only`.
    pub finite_math: bool,
    /// `-cl-fast-relaxed-math`; implies the four above.
    pub fast_relaxed_math: bool,
    /// `-cl-denorms-are-zero`: single-precision denormals may be flushed.
    pub denorms_are_zero: bool,
    /// `-cl-uniform-work-group-size`: the global size is a multiple of the local size.
    pub uniform_work_group_size: bool,
    /// Remarks about each decision are wanted.
    pub verbose: bool,
    /// `-oxicl-lanes=`: how many work-items of a row make a gang, a power of two up to 64; 0 leaves it to the compiler,
    /// which takes as many as pay.
    pub lanes: u32,
    /// The first two dimensions are swapped, in the kernel's queries and in its launches: for work-groups of one
    /// work-item along x, and where gangs are cheaper along y. Set by the launch, not by an option.
    pub turned: bool,
    /// What different parameters of a kernel point to does not overlap. Set by the launch, not by an option.
    pub disjoint: bool,
    /// Private memory begins as zeros. Set by the context, not by an option.
    pub zero_private: bool,
    /// Which decisions the work-group compiler may take. Set by the environment, not by an option.
    pub switches: Switches,
}

/// One unit of compilation: kernels of a program with their call trees.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompileRequest {
    /// The linked, specialised module. The compiler decodes and validates it again.
    pub spirv: Vec<u32>,
    /// Names of the entry points to compile; empty for all.
    pub kernels: Vec<String>,
    /// Options.
    pub options: CompileOptions,
    /// The machine.
    pub target: Target,
    /// Effort.
    pub tier: Tier,
}

impl CompileRequest {
    /// The first part of a serialised request: the module, which is the same in all requests for its code.
    ///
    /// # Errors
    /// Those of [`encode`].
    pub fn encode_module(words: &[u32]) -> Result<Vec<u8>, String> {
        encode(&words)
    }

    /// The second part of a serialised request.
    ///
    /// # Errors
    /// Those of [`encode`].
    pub fn encode_rest(
        kernels: &[String],
        options: &CompileOptions,
        target: &Target,
        tier: Tier,
    ) -> Result<Vec<u8>, String> {
        encode(&(kernels, options, target, tier))
    }

    /// Instructions in the module, which decide how much processor time the request may use. A malformed module gives
    /// some number.
    pub fn instruction_count(&self) -> u32 {
        instruction_count(&self.spirv)
    }
}

/// Instructions in a module. A malformed one gives some number.
pub fn instruction_count(words: &[u32]) -> u32 {
    const HEADER_WORDS: usize = 5;
    let mut at = HEADER_WORDS;
    let mut count = 0_u32;
    while let Some(word) = words.get(at) {
        at = at.saturating_add(((word >> 16) as usize).max(1));
        count = count.saturating_add(1);
    }
    count
}

/// The compiler's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CompileResponse {
    /// Success.
    Image(Image),
    /// The build failed; this is the build log.
    Failure(BuildFailure),
    /// What a [`FrameKind::Prove`](crate::FrameKind::Prove) found.
    Proved(Proof),
}

/// What is known of the kernels of a module before LLVM's passes run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// Kernels that a later stage may still refuse for a reason of the program. A request for their code says
    /// [`FrameKind::Proved`](crate::FrameKind::Proved) once that is ruled out; else its answer tells the reason.
    pub undecided: Vec<String>,
}

#[cfg(test)]
mod tests {
    use oxicl_caps::Limit;

    use super::*;

    #[test]
    fn requests_with_other_switches_are_others() {
        let rest = |switches: Switches| {
            let options = CompileOptions { switches, ..CompileOptions::default() };
            CompileRequest::encode_rest(&[], &options, &Target::default(), Tier::Full).expect("encodes")
        };
        let mut disabled = Switches::default();
        assert!(disabled.disable("guards").is_empty());
        let limited = Switches { limit: Limit::parse("3"), ..Switches::default() };
        let with_all_passes = Switches { all_passes: true, ..Switches::default() };
        let all = [Switches::default(), disabled, limited, with_all_passes].map(rest);
        for (place, one) in all.iter().enumerate() {
            assert!(!all[place + 1..].contains(one), "{place}");
        }
    }

    #[test]
    fn a_request_is_its_module_and_the_rest() {
        let request = CompileRequest {
            spirv: vec![1, u32::MAX, 3],
            kernels: vec!["one".into(), "two".into()],
            options: CompileOptions { lanes: 8, verbose: true, ..CompileOptions::default() },
            target: Target::host(),
            tier: Tier::Cheap,
        };
        let CompileRequest { spirv, kernels, options, target, tier } = &request;
        let rest = CompileRequest::encode_rest(kernels, options, target, *tier).expect("encodes");
        let parts = [CompileRequest::encode_module(spirv).expect("encodes"), rest].concat();
        assert_eq!(encode(&request), Ok(parts));
    }
}
