//! Holds our verdicts on SPIR-V modules against those of Khronos' validator.
//!
//! - **Takes**: the words of modules, valid or damaged, and a `spirv-val`.
//! - **Gives**: the disagreements, each with the [`Explanation`] that covers it, if one does.
//! - **Never**: decides who is right. What is explained stands in `docs/spirv-val.md`; what is not is a mistake of ours, or
//!   one of theirs that is yet to be described there.
#![forbid(unsafe_code)]

mod explained;

use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use oxicl_caps::DeviceCaps;
use oxicl_validate::{Violation, validate_specialised};

pub use explained::{EXPLANATIONS, Explanation, document};

/// A module on which the validators disagree.
#[derive(Debug)]
pub enum Disagreement {
    /// We reject it for these violations.
    OnlyWeReject(Vec<Violation>),
    /// They reject it, with this message, or die.
    OnlyTheyReject(String),
}

impl Disagreement {
    /// What explains it.
    pub fn explanation(&self) -> Option<&'static Explanation> {
        EXPLANATIONS.iter().find(|explanation| explanation.covers(self))
    }

    /// What it is about, without what differs from module to module.
    pub fn subject(&self) -> String {
        match self {
            Disagreement::OnlyWeReject(violations) => violations.first().map_or_else(String::new, |first| {
                format!("only we: {}: {}", first.rule.name(), without_names(&first.detail))
            }),
            Disagreement::OnlyTheyReject(message) => format!("only they: {}", without_names(message)),
        }
    }
}

/// The first line of a message, without ids, names and numbers.
fn without_names(message: &str) -> String {
    let first = message.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let mut text = String::new();
    let mut depth = 0;
    for word in first.split(' ') {
        let names_something = depth > 0 || word.contains('%') || word.contains('[');
        depth += word.matches('[').count();
        depth -= word.matches(']').count().min(depth);
        if !names_something {
            text.extend(word.chars().filter(|c| !c.is_ascii_digit()));
        }
        text.push(' ');
    }
    text.chars().take(200).collect()
}

/// The two validators.
#[derive(Debug)]
pub struct Judge {
    spirv_val: PathBuf,
    caps: DeviceCaps,
}

impl Judge {
    /// With this `spirv-val`.
    pub fn new(spirv_val: impl Into<PathBuf>) -> Self {
        Judge { spirv_val: spirv_val.into(), caps: DeviceCaps::example() }
    }

    /// The violations that we find.
    pub fn ours(&self, words: &[u32]) -> Vec<Violation> {
        match oxicl_spirv::decode(words) {
            Ok(module) => validate_specialised(module, &HashMap::new(), &self.caps).err().unwrap_or_default(),
            Err(error) => vec![Violation::from(&error)],
        }
    }

    /// The message of `spirv-val`, if it rejects the module: in the environment of OpenCL where that knows the version of
    /// SPIR-V, else by the universal rules alone.
    ///
    /// # Panics
    /// If `spirv-val` cannot be run.
    pub fn theirs(&self, words: &[u32]) -> Option<String> {
        let environment = match words.get(1).map_or(0, |version| version >> 8 & 0xff) {
            0..=2 => "opencl2.2".to_owned(),
            minor @ 3..=6 => format!("spv1.{minor}"),
            _ => "spv1.6".to_owned(),
        };
        let mut child = Command::new(&self.spirv_val)
            .args(["--target-env", &environment, "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{} does not start: {error}", self.spirv_val.display()));
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        // One that ends before it has read all says why.
        let _ = child.stdin.take().map(|mut input| input.write_all(&bytes));
        let output = child.wait_with_output().expect("the end of spirv-val");
        if output.status.success() {
            return None;
        }
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        Some(if output.status.code().is_none() { format!("died: {message}") } else { message })
    }

    /// How the verdicts on a module differ, if they do.
    pub fn compare(&self, words: &[u32]) -> Option<Disagreement> {
        let ours = self.ours(words);
        match (ours.is_empty(), self.theirs(words)) {
            (true, Some(message)) => Some(Disagreement::OnlyTheyReject(message)),
            (false, None) => Some(Disagreement::OnlyWeReject(ours)),
            _ => None,
        }
    }
}
