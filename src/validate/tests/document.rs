//! `docs/validation.md` lists every rule and every quirk.

use std::path::Path;

use oxicl_validate::{Quirk, Rule};

/// `text` with exactly `rows` in the table under `head`.
fn with_table<'r>(text: &str, head: &str, rows: impl Iterator<Item = [&'r str; 3]>) -> String {
    let (before, after) = text.split_once(head).expect("the table's head");
    let rest = after.split_once("\n\n").map_or("", |(_, rest)| rest);
    let rows: String = rows.map(|[a, b, c]| format!("| {a} | {b} | {c} |\n")).collect();
    let end = if rest.is_empty() { String::new() } else { format!("\n{rest}") };
    format!("{before}{head}{rows}{end}")
}

#[test]
fn the_documentation_lists_the_rules_and_the_quirks() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/validation.md");
    let text = std::fs::read_to_string(&path).expect("the documentation");
    let rules = Rule::ALL.iter().map(|rule| [rule.name(), rule.sentence(), rule.section()]);
    let wanted = with_table(&text, "| Rule | Says | Section |\n|---|---|---|\n", rules);
    let quirks = Quirk::ALL.iter().map(|quirk| [quirk.name(), quirk.section(), quirk.reason()]);
    let wanted = with_table(&wanted, "| Quirk | Against | Who, and why it is accepted |\n|---|---|---|\n", quirks);
    if text != wanted {
        std::fs::write(&path, wanted).expect("the file is written");
        panic!("{} was not up to date and has been written anew", path.display());
    }
}
