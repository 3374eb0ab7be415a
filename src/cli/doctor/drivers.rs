//! Drivers: what loaders are told of, and what becomes of it.

use std::path::Path;

use crate::doctor::{Finding, counted};
use crate::icd::{FILENAMES, FOLDER, Kind, Named, Vendors};
use crate::system::System;

const ABOUT: &str = "driver";

/// A command that makes an `.icd` file for the library in the folder where loaders look.
fn register(library: Option<&Path>, place: &Path) -> String {
    let library = library.map_or("/path/to/liboxicl.so".into(), |library| library.display().to_string());
    format!("sudo mkdir -p {0} && echo {library} | sudo tee {0}/oxicl.icd", place.display())
}

/// Whether the loader that programs get does not obey the variable that names a driver.
fn is_ignored(system: &System, named: &Named) -> bool {
    is_ocl_icd(system) && named.by == Path::new(FILENAMES)
}

/// Whether programs get ocl-icd.
fn is_ocl_icd(system: &System) -> bool {
    system.loader().and_then(|loader| loader.opened.as_ref().ok()).is_some_and(|opened| opened.name == "ocl-icd")
}

/// Where loaders look.
pub fn vendors(system: &System) -> Vec<Finding> {
    let vendors = &system.vendors;
    let place = vendors.place.display();
    let of = vendors.variable.map_or(String::new(), |variable| format!(", as {variable} says"));
    let has_oxicl = vendors.named.iter().any(|named| named.is_oxicl() && !is_ignored(system, named));
    let finding = match (vendors.kind, vendors.variable) {
        (Kind::Missing, None) => {
            Finding::problem(ABOUT, format!("Loaders look for .icd files in {place}, which is not there."))
                .mend(register(system.library.as_deref(), Path::new(FOLDER)))
        }
        (Kind::Missing, Some(variable)) => {
            Finding::problem(ABOUT, format!("{variable} is {place}, which is not there, so loaders find no driver."))
                .mend(format!("unset {variable}"))
        }
        (_, Some(variable)) if !has_oxicl => {
            Finding::problem(ABOUT, format!("{variable} is {place}, which does not lead to oxicl."))
                .mend(format!("unset {variable}"))
        }
        (Kind::Folder, _) => Finding::ok(ABOUT, format!("Loaders look for .icd files in {place}{of}.")),
        (Kind::File | Kind::Library, _) if is_ocl_icd(system) => {
            Finding::ok(ABOUT, format!("Loaders are told of {place} alone{of}."))
        }
        (Kind::File | Kind::Library, _) => {
            Finding::note(ABOUT, format!("Loaders are told of {place} alone{of}; only ocl-icd takes a file there."))
        }
    };
    let mut findings = vec![finding];
    if !has_oxicl && vendors.variable.is_none() && vendors.kind != Kind::Missing {
        let sentence = format!("No .icd file in {place} leads to oxicl.");
        findings.push(Finding::problem(ABOUT, sentence).mend(register(system.library.as_deref(), Path::new(FOLDER))));
    }
    findings
}

/// What names a driver, one by one.
pub fn named(system: &System) -> Vec<Finding> {
    let all = &system.vendors.named;
    // What is told twice is told once where both loaders are meant to understand.
    let again = |named: &&Named| {
        let same = |other: &Named| !is_ignored(system, other) && other.library == named.library;
        is_ignored(system, named) && all.iter().any(same)
    };
    all.iter().filter(|named| !again(named)).map(|named| one(system, named)).collect()
}

fn one(system: &System, named: &Named) -> Finding {
    let by = named.by.display();
    // What a broken file of oxicl's should have in it; those of others are their packages' to mend.
    let own = system.own.as_ref().or(system.library.as_ref());
    let about_oxicl = named.by.file_name().is_some_and(|name| name.to_string_lossy().contains("oxicl"))
        || named.library.as_ref().is_ok_and(|library| library.to_string_lossy().contains("oxicl"));
    let mend = |finding: Finding| match own {
        _ if named.is_variable => finding.mend(format!("unset {by}")),
        Some(own) if about_oxicl => finding.mend(format!("echo {} | sudo tee {by}", own.display())),
        _ => finding.mend(format!("sudo mv {by} {by}.off")),
    };
    match (&named.library, &named.opened) {
        (Err(why), _) => mend(Finding::problem(ABOUT, format!("{by} is no .icd file: {why}."))),
        (Ok(library), Err(why)) => {
            let sentence = format!("{by} names {}, which does not open: {why}.", library.display());
            if about_oxicl { mend(Finding::problem(ABOUT, sentence)) } else { mend(Finding::note(ABOUT, sentence)) }
        }
        (Ok(library), Ok(_)) if is_ignored(system, named) => {
            let library = library.display();
            Finding::note(ABOUT, format!("{by} names {library}, but ocl-icd does not obey {by}."))
                .mend(format!("export OCL_ICD_VENDORS={library}"))
        }
        (Ok(library), Ok(opened)) => {
            let names: Vec<&str> = opened.platforms.iter().map(|platform| platform.name.as_str()).collect();
            let library = library.display();
            let platforms = match names.as_slice() {
                [] => "which has no platform".to_owned(),
                names => format!("which has the platform {}", names.join(", ")),
            };
            Finding::ok(ABOUT, format!("{by} names {library}, {platforms}."))
        }
    }
}

/// Vendors folders of Python environments: only the loaders of some packages look there.
pub fn environments(system: &System) -> Vec<Finding> {
    let describe = |vendors: &Vendors| {
        let has = if vendors.named.iter().any(Named::is_oxicl) { "leads" } else { "does not lead" };
        let place = vendors.place.display();
        Finding::note(ABOUT, format!("{place} {has} to oxicl; only loaders of that Python environment look there."))
    };
    system.environments.iter().map(describe).collect()
}

/// What a program sees through its loader.
pub fn seen(system: &System) -> Vec<Finding> {
    const ABOUT: &str = "platforms";
    let Some(Ok(opened)) = system.loader().map(|loader| &loader.opened) else { return Vec::new() };
    let names: Vec<&str> = opened.platforms.iter().map(|platform| platform.name.as_str()).collect();
    let finding = match (names.as_slice(), opened.has_oxicl()) {
        ([], _) => Finding::problem(ABOUT, "A program sees no platform at all.").mend("oxicl run -- PROGRAM"),
        (names, true) => Finding::ok(
            ABOUT,
            format!("A program sees {}: {}.", counted(names.len() as u64, "platform"), names.join(", ")),
        ),
        (names, false) => {
            let sentence = format!(
                "A program sees {} and none of them is oxicl: {}.",
                counted(names.len() as u64, "platform"),
                names.join(", ")
            );
            Finding::problem(ABOUT, sentence).mend("oxicl run -- PROGRAM")
        }
    };
    vec![finding]
}
