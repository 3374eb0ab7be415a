//! The table of processors against clang's.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use oxicl_caps::{CpuFeature, LEVELS};

/// The features that clang generates code with, of those that oxicl knows; `None` if it does not know the arguments.
fn features(arguments: &[&str]) -> Option<BTreeSet<&'static str>> {
    let clang = std::env::var("OXICL_CLANG").unwrap_or_else(|_| "clang-22".to_owned());
    let mut command = Command::new(clang);
    command.args(["--target=x86_64-unknown-linux-gnu", "-w", "-S", "-emit-llvm", "-o", "-", "-x", "c"]).args(arguments);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = command.arg(folder.join("tests/function.c")).output().expect("clang runs");
    let text = output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())?;
    let list =
        text.split_once("\"target-features\"=\"").and_then(|(_, rest)| rest.split('"').next()).unwrap_or_default();
    let known = |feature: &str| Some(CpuFeature::named(feature.strip_prefix('+')?)?.llvm_name());
    Some(list.split(',').filter_map(known).collect())
}

/// A row of the table: the highest level that a processor has all of, and the rest.
fn row(name: &str, features: &BTreeSet<&'static str>, levels: &[BTreeSet<&str>]) -> String {
    let level = levels.iter().take_while(|level| level.is_subset(features)).count();
    let of_level = |feature: &str| level > 0 && levels[level - 1].contains(feature);
    let rest = CpuFeature::ALL.iter().map(|feature| feature.llvm_name());
    let rest = rest.filter(|name| features.contains(name) && !of_level(name));
    let words = [name.to_owned(), format!("v{}", level + 1)].into_iter().chain(rest.map(str::to_owned));
    words.collect::<Vec<_>>().join(" ")
}

/// Names that clang lists are not all ones that it takes for a processor of 64 bits.
#[test]
fn the_table_is_what_clang_knows() {
    let clang = std::env::var("OXICL_CLANG").unwrap_or_else(|_| "clang-22".to_owned());
    let listed = Command::new(clang).args(["--target=x86_64-unknown-linux-gnu", "--print-supported-cpus"]).output();
    let listed = String::from_utf8(listed.expect("clang runs").stderr).expect("text");
    let names = listed.lines().filter_map(|line| line.strip_prefix('\t'));
    let of = |name: &str| features(&[&format!("-march={name}")]);
    let levels: Vec<_> = LEVELS.iter().map(|level| of(level.name).expect(level.name)).collect();
    let rows = names.filter_map(|name| Some(row(name, &of(name)?, &levels)));
    let table = format!("{}\n", rows.collect::<Vec<_>>().join("\n"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("processors.txt");
    if std::env::var_os("OXICL_BLESS").is_some() {
        fs::write(&path, &table).expect("written");
    }
    assert_eq!(fs::read_to_string(&path).expect("a table"), table);
}

#[test]
fn features_need_what_clang_says() {
    let none = features(&["-march=x86-64"]).expect("features");
    for feature in CpuFeature::ALL {
        let mut expected: BTreeSet<&str> = none.clone();
        let mut open = vec![*feature];
        while let Some(next) = open.pop() {
            expected.insert(next.llvm_name());
            open.extend(next.needs());
        }
        // That is a habit of the front end's, and nothing that the instructions need.
        if expected.contains("sse4.2") {
            expected.insert("popcnt");
        }
        let name = format!("+{}", feature.llvm_name());
        let arguments = ["-march=x86-64", "-Xclang", "-target-feature", "-Xclang", &name];
        assert_eq!(features(&arguments).expect("features"), expected, "{name}");
    }
}
