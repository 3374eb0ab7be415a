//! The library as a file: what it needs, what it exports, what it weighs; and what clinfo says of it.

use std::process::Command;

fn output(command: &mut Command) -> String {
    let shown = format!("{command:?}");
    let output = command.output().unwrap_or_else(|error| panic!("{shown}: {error}"));
    assert!(output.status.success(), "{shown}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn needs_no_llvm_no_cpp_and_no_opencl_library() {
    let text = output(Command::new("readelf").arg("--dynamic").arg("--wide").arg(oxicl_tests::library()));
    let needed: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("(NEEDED)"))
        .filter_map(|line| line.split_once('[')?.1.strip_suffix(']'))
        .collect();
    assert!(!needed.is_empty(), "readelf shows no needed library:\n{text}");
    for name in &needed {
        let allowed = ["libc.so.", "libm.so.", "libgcc_s.so.", "libdl.so.", "libpthread.so.", "ld-linux"];
        assert!(allowed.iter().any(|prefix| name.starts_with(prefix)), "{name} is needed");
    }
    assert!(text.contains("NODELETE"), "the library can be unloaded under its threads");
}

#[test]
fn exports_the_loader_interface_and_nothing_else() {
    let text = output(
        Command::new("nm")
            .args(["--dynamic", "--defined-only", "--extern-only", "--format=posix"])
            .arg(oxicl_tests::library()),
    );
    let exported: Vec<&str> = text.lines().filter_map(|line| line.split(' ').next()).collect();
    for name in ["clGetExtensionFunctionAddress", "clGetPlatformInfo", "clIcdGetPlatformIDsKHR"] {
        assert!(exported.contains(&name), "{name} is not exported");
    }
    let foreign: Vec<&&str> = exported.iter().filter(|name| !name.starts_with("cl")).collect();
    assert!(foreign.is_empty(), "exported besides the API: {foreign:?}");
}

#[test]
fn weighs_less_than_12_and_a_half_mb_stripped() {
    let stripped = std::env::temp_dir().join(format!("oxicl-stripped-{}", std::process::id()));
    output(Command::new("strip").arg("-o").arg(&stripped).arg(oxicl_tests::library()));
    let bytes = std::fs::metadata(&stripped).map(|data| data.len());
    std::fs::remove_file(&stripped).unwrap_or_else(|error| panic!("{}: {error}", stripped.display()));
    let bytes = bytes.unwrap_or_else(|error| panic!("{}: {error}", stripped.display()));
    assert!(bytes < 12_500_000, "{bytes} bytes");
}

#[test]
fn clinfo_is_complete_and_has_no_error_line() {
    let text = output(Command::new("clinfo").env("OCL_ICD_VENDORS", oxicl_tests::driver()));
    assert!(text.contains("Number of platforms                               1"), "no platform:\n{text}");
    assert!(text.contains("oxicl"), "another platform:\n{text}");
    let wrong: Vec<&str> = text
        .lines()
        .filter(|line| {
            let line = line.to_lowercase();
            ["error", "<get", "invalid", "failed", "unavailable"].iter().any(|sign| line.contains(sign))
                // Properties whose names have the word.
                && !line.contains("error correction")
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
