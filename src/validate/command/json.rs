//! Verdicts as JSON. Fields are only ever added.

use std::fmt::Write;

use super::{Outcome, Verdict};
use crate::{Location, Violation, Warning};
use oxicl_spirv::{SourcePlace, op_name};

/// An object: `file`, and `error` or `valid`, `violations`, `warnings`.
pub(crate) fn verdict(verdict: &Verdict) -> String {
    let mut object = Object::new();
    object.text("file", &verdict.name);
    let (violations, warnings) = match &verdict.outcome {
        Outcome::Unreadable(why) => {
            object.text("error", why);
            return object.end();
        }
        Outcome::Invalid(violations) => (violations.as_slice(), [].as_slice()),
        Outcome::Valid(warnings) => ([].as_slice(), warnings.as_slice()),
    };
    object.raw("valid", if violations.is_empty() { "true" } else { "false" });
    let list = |entries: Vec<String>| format!("[{}]", entries.join(", "));
    object.raw("violations", &list(violations.iter().map(violation).collect()));
    object.raw("warnings", &list(warnings.iter().map(warning).collect()));
    object.end()
}

fn violation(violation: &Violation) -> String {
    let mut object = Object::new();
    object.text("message", &violation.detail);
    object.text("rule", violation.rule.name());
    object.text("sentence", violation.rule.sentence());
    object.text("section", violation.rule.section());
    place(&mut object, violation.location, violation.text.as_deref(), violation.source.as_ref());
    object.end()
}

fn warning(warning: &Warning) -> String {
    let mut object = Object::new();
    object.text("message", &warning.detail);
    object.text("quirk", warning.quirk.name());
    object.text("reason", warning.quirk.reason());
    object.text("section", warning.quirk.section());
    place(&mut object, warning.location, warning.text.as_deref(), warning.source.as_ref());
    object.end()
}

/// `word_offset`, and what is known of `opcode`, `id`, `instruction` and `source`.
fn place(object: &mut Object, location: Location, text: Option<&str>, source: Option<&SourcePlace>) {
    object.raw("word_offset", &location.offset.to_string());
    if let Some(op) = location.op {
        object.text("opcode", &op_name(op));
    }
    if let Some(id) = location.result {
        object.raw("id", &id.number().to_string());
    }
    if let Some(text) = text {
        object.text("instruction", text);
    }
    if let Some(source) = source {
        let mut at = Object::new();
        at.text("file", &source.file);
        at.raw("line", &source.line.to_string());
        at.raw("column", &source.column.to_string());
        if let Some(function) = &source.function {
            at.text("function", function);
        }
        object.raw("source", &at.end());
    }
}

/// A JSON object that grows.
struct Object(String);

impl Object {
    fn new() -> Self {
        Object("{".to_owned())
    }

    fn raw(&mut self, name: &str, value: &str) {
        if self.0.len() > 1 {
            self.0.push_str(", ");
        }
        self.0.push_str(&quoted(name));
        self.0.push_str(": ");
        self.0.push_str(value);
    }

    fn text(&mut self, name: &str, value: &str) {
        self.raw(name, &quoted(value));
    }

    fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            c if c < ' ' => {
                // Writing to a string cannot fail.
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
