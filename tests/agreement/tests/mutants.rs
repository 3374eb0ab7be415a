//! Damaged modules are judged as spirv-val judges them, but for what `docs/spirv-val.md` explains.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use oxicl_agreement::{Judge, document};
use oxicl_generator::kernel;
use oxicl_mutator::{Random, mutate};
use oxicl_offline::{Level, assemble, compile};
use oxicl_spirv::words_from_bytes;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Modules of clang and of the cases' template that spirv-val accepts, and `kernels` random ones.
fn seeds(judge: &Judge, kernels: u64) -> Vec<Vec<u32>> {
    let folder = root().join("src/validate/tests");
    let sources = std::fs::read_dir(folder.join("corpus")).expect("the corpus").map(|entry| entry.expect("an entry"));
    let mut paths: Vec<PathBuf> = sources.map(|entry| entry.path()).collect();
    paths.sort();
    let read = |path: &Path| std::fs::read_to_string(path).expect("a source");
    let sources = paths.iter().map(|path| read(path)).chain((0..kernels).map(kernel));
    let compiled = sources.flat_map(|text| [Level::Plain, Level::Optimised].map(|level| compile(&text, level)));
    let template = read(&folder.join("cases/kernel.template"));
    let template: Vec<&str> = template.lines().filter(|line| !line.starts_with('@')).collect();
    let modules = compiled.chain([assemble(&template.join("\n"))]);
    let words = modules.map(|bytes| words_from_bytes(&bytes.expect("a module")).expect("words"));
    words.filter(|words| judge.theirs(words).is_none()).collect()
}

fn compare(count: u64, kernels: u64) {
    let spirv_val = std::env::var_os("OXICL_TEST_SPIRV_VAL").unwrap_or_else(|| "spirv-val".into());
    let judge = Judge::new(spirv_val);
    let seeds = seeds(&judge, kernels);
    let mut open: BTreeMap<String, (u64, usize)> = BTreeMap::new();
    for seed in 0..count {
        let mut random = Random::new(seed);
        let parent: &Vec<u32> = random.pick(&seeds);
        let donor: &Vec<u32> = random.pick(&seeds);
        let mutant = mutate(parent, donor, &mut random);
        if let Some(disagreement) = judge.compare(&mutant).filter(|found| found.explanation().is_none()) {
            open.entry(disagreement.subject()).or_insert((seed, 0)).1 += 1;
        }
    }
    let lines: Vec<String> =
        open.iter().map(|(subject, (seed, count))| format!("{count} x {subject} (seed {seed})")).collect();
    assert!(lines.is_empty(), "disagreements that nothing explains:\n{}", lines.join("\n"));
}

#[test]
fn mutants_are_judged_as_by_spirv_val() {
    compare(400, 2);
}

#[test]
#[ignore = "takes minutes"]
fn ten_thousand_mutants_are_judged_as_by_spirv_val() {
    compare(10_000, 20);
}

#[test]
fn the_list_of_explanations_is_that_of_the_documentation() {
    let path = root().join("docs/spirv-val.md");
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let Some((before, _)) = text.split_once("\n- ") else { panic!("{} has no list", path.display()) };
    let wanted = format!("{before}\n{}", document());
    if text != wanted {
        std::fs::write(&path, wanted).expect("the file is written");
        panic!("{} was not up to date and has been written anew", path.display());
    }
}
