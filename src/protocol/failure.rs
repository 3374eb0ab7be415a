//! Why a build failed: the build log in structured form.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The stage that a diagnostic comes from, in flow order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are those of the stages")]
pub enum Stage {
    Decode,
    Specialise,
    Link,
    Validate,
    OpenclC,
    Lower,
    Optimize,
    Workgroup,
    Codegen,
    Load,
    /// The compiler process itself: it could not be started, died or ran into a limit.
    CompilerProcess,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stage::Decode => "decode",
            Stage::Specialise => "specialise",
            Stage::Link => "link",
            Stage::Validate => "validate",
            Stage::OpenclC => "opencl_c",
            Stage::Lower => "lower",
            Stage::Optimize => "optimize",
            Stage::Workgroup => "workgroup",
            Stage::Codegen => "codegen",
            Stage::Load => "load",
            Stage::CompilerProcess => "compiler process",
        })
    }
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are those of compiler output")]
pub enum Severity {
    Error,
    Warning,
    Note,
    /// The message consists of lines of a log, and is printed unchanged.
    Verbatim,
}

/// One entry of the build log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Severity.
    pub severity: Severity,
    /// One sentence.
    pub message: String,
    /// Name of the instruction, such as `OpIAdd`.
    pub instruction: Option<String>,
    /// Result id of the instruction.
    pub id: Option<u32>,
    /// The whole instruction in text, with names for ids.
    pub text: Option<String>,
    /// Its place in source code, as the module's debug information has it.
    pub source: Option<String>,
    /// Offset of the instruction in the module, in 32-bit words.
    pub word_offset: Option<u32>,
    /// Name of the violated rule.
    pub rule: Option<String>,
    /// Section of the specification that has the rule.
    pub section: Option<String>,
}

impl Diagnostic {
    /// An error without a place.
    pub fn error(message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            instruction: None,
            id: None,
            text: None,
            source: None,
            word_offset: None,
            rule: None,
            section: None,
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
            Severity::Verbatim => return f.write_str(self.message.trim_end()),
        };
        write!(f, "{severity}: {}", self.message)?;
        if let Some(text) = &self.text {
            write!(f, "\n  in {text}")?;
        } else if let Some(instruction) = &self.instruction {
            write!(f, "\n  in {instruction}")?;
            if let Some(id) = self.id {
                write!(f, " %{id}")?;
            }
        }
        if let Some(source) = &self.source {
            write!(f, "\n  from {source}")?;
        }
        if let Some(offset) = self.word_offset {
            write!(f, "\n  at word {offset}")?;
        }
        if let Some(rule) = &self.rule {
            write!(f, "\n  rule: {rule}")?;
        }
        if let Some(section) = &self.section {
            write!(f, "\n  specification: {section}")?;
        }
        Ok(())
    }
}

/// A failed build. `Display` writes the build log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildFailure {
    /// Where it failed.
    pub stage: Stage,
    /// At least one error.
    pub diagnostics: Vec<Diagnostic>,
}

impl BuildFailure {
    /// A failure with one message.
    pub fn new(stage: Stage, message: impl Into<String>) -> Self {
        BuildFailure { stage, diagnostics: vec![Diagnostic::error(message)] }
    }

    /// A failure whose build log is `log`, word for word.
    pub fn verbatim(stage: Stage, log: impl Into<String>) -> Self {
        let diagnostic = Diagnostic { severity: Severity::Verbatim, ..Diagnostic::error(log) };
        BuildFailure { stage, diagnostics: vec![diagnostic] }
    }
}

impl fmt::Display for BuildFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for diagnostic in &self.diagnostics {
            writeln!(f, "{diagnostic}")?;
        }
        Ok(())
    }
}

impl std::error::Error for BuildFailure {}
