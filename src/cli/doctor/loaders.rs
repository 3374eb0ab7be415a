//! Loaders: which there are, and which one a program gets.

use crate::doctor::Finding;
use crate::loader::{Loader, Origin};
use crate::probe::Opened;
use crate::system::System;

const ABOUT: &str = "loader";

/// The loaders that programs and Python packages find.
pub fn loaders(system: &System) -> Vec<Finding> {
    let mut linked = system.loaders.iter().filter(|loader| loader.origin != Origin::Python);
    let mut findings = Vec::new();
    let first = linked.next();
    match first {
        Some(first) => findings.push(the_first(first)),
        None => findings.push(none(system)),
    }
    for other in linked {
        findings.push(another(other, first));
    }
    let python = system.loaders.iter().filter(|loader| loader.origin == Origin::Python);
    findings.extend(python.map(|loader| {
        let (path, kind) = (loader.path.display(), loader.kind());
        let sentence = format!("The Python environment has {path}, which {kind}");
        if loader.opened.as_ref().is_ok_and(Opened::has_oxicl) {
            Finding::ok(ABOUT, format!("{sentence}; packages that use it see oxicl."))
        } else {
            Finding::note(ABOUT, format!("{sentence}; packages that use it do not see oxicl."))
                .mend("oxicl run -- python3")
        }
    }));
    findings
}

fn none(system: &System) -> Finding {
    let others = if system.loaders.is_empty() { "" } else { " but those of Python packages" };
    Finding::problem(
        ABOUT,
        format!("There is no OpenCL loader{others}: no libOpenCL.so.1 in LD_LIBRARY_PATH or the system."),
    )
    .mend("sudo apt install ocl-icd-libopencl1")
}

fn the_first(loader: &Loader) -> Finding {
    let (path, kind) = (loader.path.display(), loader.kind());
    let sentence = format!("Programs get {path}, which {kind}.");
    let search = loader.origin == Origin::SearchPath;
    match &loader.opened {
        Ok(opened) if !opened.is_driver => Finding::ok(ABOUT, sentence),
        _ if search => Finding::problem(ABOUT, sentence).mend("unset LD_LIBRARY_PATH"),
        _ => Finding::problem(ABOUT, sentence).mend("sudo apt install --reinstall ocl-icd-libopencl1"),
    }
}

fn another(loader: &Loader, first: Option<&Loader>) -> Finding {
    let (path, kind) = (loader.path.display(), loader.kind());
    let sentence = format!("There is a second loader, {path}, which {kind}; programs get it only by its path.");
    let finding = Finding::note(ABOUT, sentence);
    match first {
        Some(first) if first.origin == Origin::SearchPath => finding.mend("unset LD_LIBRARY_PATH"),
        _ => finding,
    }
}
