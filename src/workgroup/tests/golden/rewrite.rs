//! Makes the lines of a case that are marked so of what is written now.

use std::collections::BTreeMap;

use crate::case::{Case, Kind, Part};
use crate::machine::Output;

/// The text of a case with its parts made anew. `outputs` has what each of its machines gives.
///
/// # Errors
/// A part has no first or no last line in what is written.
pub fn rewritten(case: &Case, outputs: &[(&'static str, Output)]) -> Result<String, String> {
    let lines: Vec<&str> = case.text.lines().collect();
    let mut result = String::new();
    let mut next = 0;
    for part in &case.parts {
        let (begin, end) = part.lines;
        lines[next..begin].iter().for_each(|line| result += &format!("{line}\n"));
        let made = match part.machine {
            None => plans(outputs),
            Some(machine) => {
                let output = outputs.iter().find(|(name, _)| *name == machine).map(|(_, output)| output);
                let output =
                    output.ok_or_else(|| format!("cases/{}:{begin}: it is not built for {machine}", case.name))?;
                written(part, machine, output).map_err(|why| format!("cases/{}:{begin}: {why}", case.name))?
            }
        };
        made.iter().for_each(|line| result += &format!("; {line}\n"));
        next = end - 1;
    }
    lines[next..].iter().for_each(|line| result += &format!("{line}\n"));
    Ok(result)
}

/// The heads of the plans, up to the first region; machines with the same one have it together.
fn plans(outputs: &[(&'static str, Output)]) -> Vec<String> {
    let mut groups: Vec<(Vec<&str>, Vec<String>)> = Vec::new();
    for (machine, output) in outputs {
        let head = output.plan.lines().take_while(|line| !line.trim_start().starts_with("region"));
        let plan = head.map(|line| without_decimals(&line.trim().replace('$', "$$"))).collect();
        match groups.iter_mut().find(|(_, other)| *other == plan) {
            Some((machines, _)) => machines.push(machine),
            None => groups.push((vec![machine], plan)),
        }
    }
    let mut lines = Vec::new();
    for (machines, plan) in &groups {
        let names = if groups.len() == 1 { String::new() } else { format!("-{}", machines.join("-")) };
        for (number, line) in plan.iter().enumerate() {
            let next = if number == 0 { "" } else { "-NEXT" };
            lines.push(format!("PLAN{names}{next}: {line}"));
        }
    }
    lines
}

/// A line in which any number stands for each that has a fraction: estimates, which are no promise.
fn without_decimals(line: &str) -> String {
    let words = line.split(' ').map(|word| {
        let is_decimal = word.contains('.') && word.parse::<f64>().is_ok();
        if is_decimal { "$(=[0-9.]+)" } else { word }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The lines of a part of IR or machine code.
fn written(part: &Part, machine: &str, output: &Output) -> Result<Vec<String>, String> {
    let lines: Vec<&str> = output.text(part.kind).lines().collect();
    let first = lines.iter().position(|line| line.contains(&part.first));
    let first = first.ok_or_else(|| format!("`{}` is not in the {}", part.first, part.kind.text()))?;
    let last = lines[first..].iter().position(|line| line.contains(&part.last));
    let last = first + last.ok_or_else(|| format!("behind it, `{}` is not in the {}", part.last, part.kind.text()))?;
    let mut names = Names::default();
    let mut result = Vec::new();
    for line in lines[first..=last].iter().filter(|line| !line.trim().is_empty()) {
        let pattern = match part.kind {
            Kind::Ir => names.pattern(line),
            Kind::Plan => without_decimals(&line.trim().replace('$', "$$")),
            Kind::Assembly => mnemonic(line),
        };
        let next = if result.is_empty() { "" } else { "-NEXT" };
        result.push(format!("{}-{machine}{next}: {pattern}", part.kind.word()));
    }
    Ok(result)
}

/// A line of machine code without its registers, which tell nothing.
fn mnemonic(line: &str) -> String {
    line.split_whitespace().next().unwrap_or_default().replace('$', "$$")
}

/// Variables for values without names.
#[derive(Default)]
struct Names {
    variables: BTreeMap<String, usize>,
}

impl Names {
    /// A line of IR without comments and metadata. Values without names are variables: which numbers they have tells nothing.
    fn pattern(&mut self, line: &str) -> String {
        let line = line.split(" ; ").next().unwrap_or_default();
        let line = line.split(", !").next().unwrap_or_default().trim();
        let known: Vec<String> = self.variables.keys().cloned().collect();
        let mut seen = Vec::new();
        let mut pattern = String::new();
        let mut rest = line;
        while let Some(at) = rest.find('%') {
            pattern += &rest[..at].replace('$', "$$");
            let digits = rest[at + 1..].chars().take_while(char::is_ascii_digit).count();
            let value = &rest[at..=at + digits];
            rest = &rest[at + 1 + digits..];
            if digits == 0 {
                pattern.push('%');
                continue;
            }
            let count = self.variables.len();
            let number = *self.variables.entry(value.to_owned()).or_insert(count);
            // A pattern cannot refer to what it finds itself.
            pattern += &match (known.iter().any(|name| name == value), seen.contains(&value)) {
                (true, _) => format!("$(v{number})"),
                (false, true) => "$(=%\\d+)".to_owned(),
                (false, false) => format!("$(v{number}=%\\d+)"),
            };
            seen.push(value);
        }
        pattern + &rest.replace('$', "$$")
    }
}
