//! The IR of each module in `cases/` against the `.ll` beside it. To accept what comes out now, remove the `.ll` and run the
//! test twice: a missing one is written, and fails the test once.

use std::fs;
use std::path::Path;

use oxicl_caps::DeviceCaps;
use oxicl_llvm::Context;
use oxicl_protocol::CompileOptions;
use oxicl_target::Target;

fn lower(text: &str) -> String {
    let bytes = oxicl_offline::assemble(text).expect("spirv-as takes the case");
    let words = oxicl_spirv::words_from_bytes(&bytes).expect("whole words");
    let module = oxicl_spirv::decode(&words).expect("a module");
    let valid = oxicl_validate::validate(module, DeviceCaps::host()).unwrap_or_else(|v| panic!("{v:#?}"));
    let target = Target::with_features("x86_64-unknown-linux-gnu", Vec::new());
    let context = Context::new();
    let lowered = oxicl_lower::lower(&context, &valid, &[], &CompileOptions::default(), &target);
    let lowered = lowered.unwrap_or_else(|failure| panic!("{failure}"));
    lowered.module.verify().expect("valid IR");
    lowered.module.to_text()
}

#[test]
fn the_ir_of_every_case_is_as_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let mut differences = Vec::new();
    let mut cases = 0;
    for entry in fs::read_dir(&folder).expect("the folder of cases") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|extension| extension != "spvasm") {
            continue;
        }
        cases += 1;
        let got = lower(&fs::read_to_string(&path).expect("a text"));
        let golden = path.with_extension("ll");
        match fs::read_to_string(&golden) {
            Ok(expected) if expected == got => {}
            Ok(expected) => {
                let line = expected.lines().zip(got.lines()).position(|(a, b)| a != b).unwrap_or(0);
                let (old, new) = (expected.lines().nth(line), got.lines().nth(line));
                differences.push(format!("{}:{}: {old:?} is now {new:?}", golden.display(), line + 1));
            }
            Err(_) => {
                fs::write(&golden, got).expect("the folder is writable");
                differences.push(format!("{} was missing and is written", golden.display()));
            }
        }
    }
    assert!(cases >= 5, "only {cases} cases");
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
