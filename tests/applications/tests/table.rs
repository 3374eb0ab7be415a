//! What holds of the table of programs and of the results that are kept.

use oxicl_applications::document::page;
use oxicl_applications::here;
use oxicl_applications::program::{absent, programs};
use oxicl_applications::results::results;

#[test]
fn every_program_has_a_package_a_command_and_a_word_on_devices() {
    let all = programs().expect("the table");
    for program in &all {
        let packages = &program.packages;
        let lists = [&packages.apt, &packages.pip, &packages.sources, &packages.crates];
        assert!(lists.iter().any(|list| !list.is_empty()), "{}: no package", program.name);
        assert!(!program.command.is_empty() && !program.device.is_empty(), "{}", program.name);
        for word in &program.command {
            if let Some(script) = word.strip_prefix("{scripts}/") {
                assert!(here().join("scripts").join(script).is_file(), "{}: there is no {script}", program.name);
            }
        }
    }
}

#[test]
fn results_are_of_programs_and_the_page_is_written_from_them() {
    let (all, found) = (programs().expect("the table"), results().expect("the results"));
    for name in found.keys() {
        assert!(all.iter().any(|program| program.name == *name), "results/{name}.toml is of no program");
    }
    let committed = here().join("../../docs/applications.md");
    let committed = std::fs::read_to_string(committed).expect("docs/applications.md");
    assert!(
        committed == page(&all, &found, &absent().expect("absent.toml")),
        "docs/applications.md is not what `--page --write` writes"
    );
}
