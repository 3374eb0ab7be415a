//! Every instruction that the device accepts is executed, and gives the same wherever it is.

use std::collections::BTreeSet;
use std::path::Path;

use oxicl_spirv::grammar::Op;

#[test]
fn every_supported_instruction_is_executed_and_agrees_with_the_reference() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("instructions");
    let mut files: Vec<_> =
        std::fs::read_dir(&folder).expect("the folder").map(|entry| entry.expect("a file").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "spvasm"));
    files.sort();
    let (mut executed, mut failures) = (BTreeSet::new(), Vec::new());
    for file in files {
        match oxicl_differential::check_file(&file) {
            Ok(instructions) => executed.extend(instructions),
            Err(failure) => failures.push(failure),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let all = (0..=u32::from(u16::MAX)).filter_map(Op::from_u32).filter(|op| *op != Op::ExtInst);
    let missing: Vec<String> = all
        .filter(|op| oxicl_validate::supports(*op))
        .map(oxicl_spirv::op_name)
        .filter(|name| !executed.contains(name))
        .collect();
    assert!(missing.is_empty(), "no module executes {missing:?}");
}

#[test]
fn random_control_flow_agrees_with_the_reference() {
    let failures: Vec<String> = (0..30).filter_map(|seed| oxicl_differential::check_flow(seed).err()).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
#[ignore = "long: 3,000 kernels"]
fn much_random_control_flow_agrees_with_the_reference() {
    let failures: Vec<String> = (1000..4000).filter_map(|seed| oxicl_differential::check_flow(seed).err()).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn large_control_flow_agrees_with_the_reference() {
    let large = [
        oxicl_differential::check_large_switch(1000, 16),
        oxicl_differential::check_large_switch(1000, 32),
        oxicl_differential::check_large_switch(1000, 64),
        oxicl_differential::check_long_chain(600),
    ];
    let failures: Vec<String> = large.into_iter().filter_map(Result::err).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
