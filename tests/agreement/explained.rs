//! Why the validators may disagree: one table, from which `docs/spirv-val.md` is written.

use crate::Disagreement;

/// A kind of disagreement, and why it is none of our mistakes.
#[derive(Debug)]
pub struct Explanation {
    /// How it is recognised.
    pub pattern: Pattern,
    /// One sentence or two.
    pub reason: &'static str,
}

/// How a disagreement is recognised.
#[derive(Debug)]
pub enum Pattern {
    /// We reject for one of these rules.
    Rules(&'static [&'static str]),
    /// We reject for this rule with a sentence that contains this.
    Detail(&'static str, &'static str),
    /// They reject with a message that contains this.
    Message(&'static str),
}

/// The table.
pub const EXPLANATIONS: &[Explanation] = &[Explanation {
    pattern: Pattern::Rules(&[
        "NotSupported",
        "DeviceLimit",
        "EnvironmentCapability",
        "EnvironmentExtension",
        "EnvironmentInstructionSet",
    ]),
    reason: "What this device does not have, and says so.",
}];

impl Explanation {
    /// Whether it explains a disagreement. Of what we reject, one violation that they do not see is enough.
    pub fn covers(&self, disagreement: &Disagreement) -> bool {
        match (&self.pattern, disagreement) {
            (Pattern::Rules(rules), Disagreement::OnlyWeReject(violations)) => {
                violations.iter().any(|violation| rules.contains(&violation.rule.name()))
            }
            (Pattern::Detail(rule, part), Disagreement::OnlyWeReject(violations)) => {
                violations.iter().any(|violation| violation.rule.name() == *rule && violation.detail.contains(part))
            }
            (Pattern::Message(part), Disagreement::OnlyTheyReject(message)) => message.contains(part),
            _ => false,
        }
    }
}

/// The list in `docs/spirv-val.md`.
pub fn document() -> String {
    let mut text = String::new();
    for explanation in EXPLANATIONS {
        let pattern = match &explanation.pattern {
            Pattern::Rules(rules) => format!("only we, {}", rules.join(", ")),
            Pattern::Detail(rule, part) => format!("only we, {rule}: \"... {part} ...\""),
            Pattern::Message(part) => format!("only spirv-val: \"... {part} ...\""),
        };
        text.push_str(&format!("- {pattern}\n  {}\n", explanation.reason));
    }
    text
}
