//! Every built-in function that clang's header declares, for all types: each is translated, and what comes out is valid.

mod apart;
mod header;

use std::fmt::Write as _;

use oxicl_caps::DeviceCaps;
use oxicl_protocol::{SourceOptions, SourceRequest, Standard};

/// Declarations that are compiled at a time.
const AT_A_TIME: usize = 400;

/// What is wrong with a program that calls these: every function that is still imported, every rule that is broken.
fn faults(text: &str) -> Vec<String> {
    let options = SourceOptions { standard: Some(Standard::C31), ..SourceOptions::default() };
    let request = SourceRequest { text: text.into(), options, folder: "/".into(), ..SourceRequest::default() };
    let module = match apart::compile(&request) {
        Ok(module) => module,
        Err(failure) => {
            return failure.to_string().lines().filter(|l| l.contains("error")).map(str::to_owned).collect();
        }
    };
    let decoded = oxicl_spirv::decode(&module.spirv).expect("decodes");
    match oxicl_validate::validate_object(decoded, DeviceCaps::host()) {
        Err(violations) => violations.iter().map(|violation| violation.to_string()).collect(),
        Ok(object) => object.complete().err().map(<[String]>::to_vec).unwrap_or_default(),
    }
}

#[test]
fn every_built_in_function_is_translated() {
    let declarations = header::declarations();
    assert!(declarations.len() > 12_000, "{} declarations", declarations.len());
    let of_images = declarations.iter().filter(|declaration| declaration.name.contains("_image")).count();
    assert!(of_images > 150, "{of_images} declarations of images");
    let mut report = String::new();
    for part in declarations.chunks(AT_A_TIME) {
        let text: String =
            part.iter().enumerate().map(|(number, declaration)| header::caller(declaration, number)).collect();
        for fault in faults(&text) {
            let _ = writeln!(report, "{fault}");
        }
    }
    assert!(report.is_empty(), "{} faults:\n{report}", report.lines().count());
}
