//! The library under test and the processes that use it.
#![allow(unsafe_code, reason = "the loader reads its vendors folder from the environment")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use oxicl_benches::Session;

/// The vendors folder that the tests were started with, before [`driver`] chose one.
fn given() -> Option<&'static Path> {
    static GIVEN: OnceLock<Option<PathBuf>> = OnceLock::new();
    GIVEN.get_or_init(|| std::env::var_os("OCL_ICD_VENDORS").map(PathBuf::from)).as_deref()
}

/// Makes sure that the loader finds the library; the value of `OCL_ICD_VENDORS`. Call it before any OpenCL call.
pub fn driver() -> &'static Path {
    static VENDORS: OnceLock<PathBuf> = OnceLock::new();
    VENDORS.get_or_init(|| {
        if let Some(given) = given() {
            return given.to_owned();
        }
        let vendors = vendors_of(library());
        // SAFETY: every test calls this before it starts threads or uses the loader, which alone reads the variable.
        unsafe { std::env::set_var("OCL_ICD_VENDORS", &vendors) };
        vendors
    })
}

/// A context and a queue on the library.
pub fn session() -> Session {
    driver();
    match Session::first() {
        Ok(session) => session,
        Err(failure) => panic!("no session: {failure}"),
    }
}

/// The built `liboxicl.so`.
pub fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let folder = built_folder();
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args([
            "build",
            "--quiet",
            "--package",
            "oxicl",
            "--package",
            "oxicl-compiler",
            "--package",
            "oxicl-cli",
        ]);
        if let Some(profile) = folder.file_name().filter(|name| *name != "debug") {
            command.arg("--profile").arg(profile);
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let status = command.current_dir(root).status();
        assert!(status.is_ok_and(|status| status.success()), "the library does not build");
        folder.join("liboxicl.so")
    })
}

/// Where cargo puts libraries and programs of this profile.
pub fn built_folder() -> PathBuf {
    let test = std::env::current_exe().unwrap_or_default();
    let folder = test.parent().unwrap_or(Path::new("."));
    let folder = if folder.ends_with("deps") { folder.parent().unwrap_or(folder) } else { folder };
    folder.to_path_buf()
}

/// A vendors folder beside the library.
fn vendors_of(library: &Path) -> PathBuf {
    let folder = library.with_file_name("vendors");
    let file = folder.join("oxicl.icd");
    let text = format!("{}\n", library.display());
    // Test processes run side by side: one that finds the right file leaves it, and a new one appears whole.
    if std::fs::read_to_string(&file).ok().as_ref() != Some(&text) {
        let temporary = folder.join(format!("{}.new", std::process::id()));
        std::fs::create_dir_all(&folder)
            .and_then(|()| std::fs::write(&temporary, text))
            .and_then(|()| std::fs::rename(&temporary, &file))
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
    folder
}

/// Whether the library under test runs kernels on the reference device.
pub fn is_reference() -> bool {
    std::env::var_os("OXICL_DEVICE").is_some_and(|device| device == "reference")
}

/// Runs the tests of this program once more, in a process whose library has the reference device, unless they are for another
/// library than the one that is built here. The test that calls this is called `the_reference_device_agrees`; tests whose
/// names have one of the words in `without` are left out.
pub fn again_on_the_reference_device(without: &[&str]) {
    again("OXICL_DEVICE", "reference", without);
}

/// The same in a process whose library looks at the stacks of kernels, which fail if they go deeper than the compiler said. The
/// test that calls this is called `stacks_are_as_deep_as_the_compiler_says`.
pub fn again_with_checked_stacks() {
    again("OXICL_CHECK_STACKS", "on", &[]);
}

/// The same in processes whose library takes the machine for ones of the lower levels, as far as it has all of these. The test
/// that calls this is called `other_processors_agree`.
pub fn again_on_other_processors() {
    if std::env::var_os("OXICL_CPU").is_some() {
        return;
    }
    again("OXICL_CPU", "x86-64-v2", &[]);
    if std::arch::is_x86_feature_detected!("avx2") {
        again("OXICL_CPU", "x86-64-v3", &[]);
    }
}

/// Runs the tests of this program once more with a variable, but those that do so.
fn again(name: &str, value: &str, without: &[&str]) {
    let own = built_folder().join("vendors");
    if is_reference() || given().is_some_and(|given| given != own) {
        return;
    }
    driver();
    let program = std::env::current_exe().unwrap_or_else(|error| panic!("this program's path: {error}"));
    let mut command = Command::new(program);
    command.env(name, value);
    let again = ["the_reference_device_agrees", "stacks_are_as_deep_as_the_compiler_says", "other_processors_agree"];
    for word in again.iter().chain(without) {
        command.args(["--skip", word]);
    }
    let output = command.output().unwrap_or_else(|error| panic!("this program again: {error}"));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "with {name}={value}:\n{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(!text.contains("running 0 tests"), "nothing ran:\n{text}");
}

/// The program `oxicl-guest` with a scenario, in a process of its own, with the library under test and no cache.
pub fn guest(program: &str, scenario: &str) -> Command {
    let mut command = Command::new(program);
    command.arg(scenario).env("OCL_ICD_VENDORS", driver()).env("OXICL_CACHE", "off");
    command
}
