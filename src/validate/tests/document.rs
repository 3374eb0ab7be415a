//! `docs/validation.md` lists every quirk.

use std::path::Path;

use oxicl_validate::Quirk;

#[test]
fn the_documentation_lists_the_quirks() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/validation.md");
    let text = std::fs::read_to_string(&path).expect("the documentation");
    let head = "| Quirk | Against | Who, and why it is accepted |\n|---|---|---|\n";
    let (before, after) = text.split_once(head).expect("the table's head");
    let rest = after.split_once("\n\n").map_or("", |(_, rest)| rest);
    let rows: String = Quirk::ALL
        .iter()
        .map(|quirk| format!("| {} | {} | {} |\n", quirk.name(), quirk.section(), quirk.reason()))
        .collect();
    let end = if rest.is_empty() { String::new() } else { format!("\n{rest}") };
    let wanted = format!("{before}{head}{rows}{end}");
    if text != wanted {
        std::fs::write(&path, wanted).expect("the file is written");
        panic!("{} was not up to date and has been written anew", path.display());
    }
}
