//! What holds of the manual without running anything: pages are listed, links lead somewhere, variables have their rows.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::process::{Outcome, root};

/// All checks; one sentence for each thing that is wrong.
pub fn check() -> Outcome {
    let mut wrong = unlisted(&root().join("docs/manual/src"))?;
    for page in pages(root())? {
        wrong.extend(dead_links(&page)?);
    }
    for page in files(&root().join("docs/manual/src"), ".md")? {
        wrong.extend(leaving(&page)?);
    }
    wrong.extend(unnamed_variables(root())?);
    wrong.extend(unnamed_options(root())?);
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n       ")) }
}

fn read(path: &Path) -> Outcome<String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// All files below a folder whose names end with `ending`, but what is built or hidden.
fn files(folder: &Path, ending: &str) -> Outcome<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                folders.push(path);
            } else if name.ends_with(ending) && path.is_file() {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The pages that someone reads: those of the manual, those of `docs`, and those at the top.
fn pages(root: &Path) -> Outcome<Vec<PathBuf>> {
    let top = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"].map(|name| root.join(name));
    let mut pages: Vec<PathBuf> = top.into_iter().filter(|page| page.is_file()).collect();
    pages.extend(files(&root.join("docs"), ".md")?);
    Ok(pages)
}

/// Pages of the book that SUMMARY.md does not name: mdBook leaves these out without a word.
fn unlisted(book: &Path) -> Outcome<Vec<String>> {
    let summary = read(&book.join("SUMMARY.md"))?;
    let listed: BTreeSet<&str> = links(&summary).collect();
    let is_listed = |page: &PathBuf| {
        let name = page.strip_prefix(book).unwrap_or(page).to_string_lossy().into_owned();
        name == "SUMMARY.md" || listed.contains(name.as_str())
    };
    let missing = files(book, ".md")?.into_iter().filter(|page| !is_listed(page));
    Ok(missing.map(|page| format!("SUMMARY.md does not name {}", page.display())).collect())
}

/// Links of a page of the book that leave it: the book is read without the repository around it.
fn leaving(page: &Path) -> Outcome<Vec<String>> {
    let text = read(page)?;
    let out = links(&text).filter(|link| link.starts_with("../"));
    Ok(out.map(|link| format!("{} links out of the book: {link}", page.display())).collect())
}

/// Targets of `[text](target)` outside of code.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    let prose = text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        !fence && !in_code
    });
    // Every second part between backticks is code.
    let parts = prose.flat_map(|line| line.split('`').step_by(2));
    parts.flat_map(|part| part.split("](").skip(1)).filter_map(|rest| rest.split(')').next())
}

/// Links and included files of a page that lead to no file, and those to a heading that its page does not have.
fn dead_links(page: &Path) -> Outcome<Vec<String>> {
    let text = read(page)?;
    let folder = page.parent().unwrap_or(page);
    let mut dead = Vec::new();
    for link in links(&text).filter(|link| !link.contains("://") && !link.starts_with("mailto:")) {
        let (file, heading) = link.split_once('#').unwrap_or((link, ""));
        let target = if file.is_empty() { page.to_owned() } else { folder.join(file) };
        let leads = target.exists() && (heading.is_empty() || headings(&read(&target)?).contains(heading));
        if !leads {
            dead.push(format!("{} has a link that leads nowhere: {link}", page.display()));
        }
    }
    let included = text.split("{{#include ").skip(1).filter_map(|rest| rest.split("}}").next());
    for file in included.filter(|file| !folder.join(file).is_file()) {
        dead.push(format!("{} includes what is not there: {file}", page.display()));
    }
    Ok(dead)
}

/// The anchors of a page's headings, as mdBook makes them.
fn headings(text: &str) -> BTreeSet<String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix('#'));
    lines.map(|line| anchor(line.trim_start_matches('#').trim())).collect()
}

fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// Files with names that are no variables: they say, or test, what is said of such names.
const MISSPELT: [&str; 4] =
    ["xtask/manual.rs", "src/caps/variables.rs", "src/cli/doctor/variables.rs", "tests/command/setups.rs"];

/// Variables that the library reads and the manual's table has no row for, rows of variables that it does not read, and
/// variables of builds and tests that CONTRIBUTING.md does not name.
fn unnamed_variables(root: &Path) -> Outcome<Vec<String>> {
    let config = read(&root.join("src/caps/config.rs"))?;
    let obeyed: BTreeSet<String> = variables(&config).collect();
    let table = read(&root.join("docs/manual/src/environment.md"))?;
    // A row is its first variable's.
    let rows = table.lines().filter(|line| line.starts_with("| `OXICL_"));
    let rows: BTreeSet<String> = rows.filter_map(|line| variables(line).next()).collect();
    let contributing = read(&root.join("CONTRIBUTING.md"))?;
    let contributing: BTreeSet<String> = variables(&contributing).collect();
    let mut wrong: Vec<String> =
        obeyed.difference(&rows).map(|name| format!("docs/manual/src/environment.md has no row for {name}")).collect();
    wrong.extend(rows.difference(&obeyed).map(|name| format!("docs/manual/src/environment.md: nothing reads {name}")));
    let mut others = BTreeSet::new();
    for file in files(root, ".rs")?.iter().filter(|file| !MISSPELT.iter().any(|other| file.ends_with(other))) {
        others.extend(variables(&read(file)?).filter(|name| !obeyed.contains(name)));
    }
    wrong.extend(others.difference(&contributing).map(|name| format!("CONTRIBUTING.md does not name {name}")));
    Ok(wrong)
}

/// Build options that the library knows and the manual does not name.
fn unnamed_options(root: &Path) -> Outcome<Vec<String>> {
    let page = read(&root.join("docs/manual/src/options.md"))?;
    let mut wrong = Vec::new();
    for file in ["src/objects/program/options.rs", "src/protocol/source_options.rs"] {
        let source = read(&root.join(file))?;
        let code = source.split("#[cfg(test)]").next().unwrap_or_default();
        // Every second part between quotation marks is a literal.
        let literals = code.lines().flat_map(|line| line.split('"').skip(1).step_by(2));
        let options = literals.filter(|literal| literal.starts_with('-') && !literal.contains(' '));
        let unnamed = options.filter(|option| !page.contains(&format!("`{option}")));
        wrong.extend(unnamed.map(|option| format!("docs/manual/src/options.md does not name {option}")));
    }
    Ok(wrong)
}

/// Every `OXICL_...` of a text.
fn variables(text: &str) -> impl Iterator<Item = String> {
    let ends = |c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let names = text.split("OXICL_").skip(1).map(move |rest| rest.split(ends).next().unwrap_or_default());
    names.filter(|name| !name.is_empty()).map(|name| format!("OXICL_{}", name.trim_end_matches('_')))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repository of a few files, removed at the end.
    struct Tree(PathBuf);

    impl Tree {
        fn new(name: &str, files: &[(&str, &str)]) -> Tree {
            let tree = Tree(std::env::temp_dir().join(format!("oxicl-manual-{name}-{}", std::process::id())));
            for (path, text) in files {
                let path = tree.0.join(path);
                std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
                std::fs::write(path, text).expect("written");
            }
            tree
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn the_manual_of_this_repository_is_in_order() {
        assert_eq!(check(), Ok(()));
    }

    #[test]
    fn a_page_that_the_summary_does_not_name_is_told() {
        let tree = Tree::new("pages", &[("SUMMARY.md", "- [One](one.md)"), ("one.md", ""), ("two.md", "")]);
        let wrong = unlisted(&tree.0).expect("read");
        assert!(wrong.len() == 1 && wrong[0].ends_with("two.md"), "{wrong:?}");
    }

    #[test]
    fn links_to_missing_files_headings_and_programs_are_told() {
        let page = "# A page\n[a](other.md#second-heading) [b](#a-page) [c](https://x.y/z) `[d](code.md)`\n\
                    [e](gone.md) [f](other.md#third) {{#include other.md}} {{#include gone.c}}";
        let tree = Tree::new("links", &[("page.md", page), ("other.md", "text\n## Second heading\n")]);
        let wrong = dead_links(&tree.0.join("page.md")).expect("read");
        let told: Vec<&str> = wrong.iter().filter_map(|sentence| sentence.rsplit(' ').next()).collect();
        assert_eq!(told, ["gone.md", "other.md#third", "gone.c"]);
    }

    #[test]
    fn links_out_of_the_book_are_told() {
        let tree = Tree::new("leaving", &[("page.md", "[a](../../b.md) [c](d.md)")]);
        let wrong = leaving(&tree.0.join("page.md")).expect("read");
        assert!(wrong.len() == 1 && wrong[0].ends_with("../../b.md"), "{wrong:?}");
    }

    #[test]
    fn options_that_the_manual_does_not_name_are_told() {
        let source = "match word { \"-cl-one\" => {} \"-two=\" => {} _ => \"a word\" }\n#[cfg(test)] \"-bad\"";
        let tree = Tree::new(
            "options",
            &[
                ("src/objects/program/options.rs", source),
                ("src/protocol/source_options.rs", "\"-w\""),
                ("docs/manual/src/options.md", "| `-cl-one`, `-w` |"),
            ],
        );
        let wrong = unnamed_options(&tree.0).expect("read");
        assert_eq!(wrong, ["docs/manual/src/options.md does not name -two="]);
    }

    #[test]
    fn variables_without_a_row_and_rows_without_a_variable_are_told() {
        let tree = Tree::new(
            "variables",
            &[
                ("src/caps/config.rs", "\"OXICL_ONE\" \"OXICL_TWO\""),
                ("docs/manual/src/environment.md", "| `OXICL_ONE` | not `OXICL_TWO` |\n| `OXICL_OLD` | |"),
                ("CONTRIBUTING.md", "`OXICL_TEST_ONE`"),
                ("tests/a.rs", "OXICL_TEST_ONE OXICL_TEST_TWO OXICL_ONE"),
            ],
        );
        let wrong = unnamed_variables(&tree.0).expect("read");
        for name in ["no row for OXICL_TWO", "nothing reads OXICL_OLD", "does not name OXICL_TEST_TWO"] {
            assert!(wrong.iter().any(|sentence| sentence.ends_with(name)), "{name}: {wrong:?}");
        }
        assert_eq!(wrong.len(), 3, "{wrong:?}");
    }
}
