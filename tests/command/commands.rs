//! What the other commands do.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Command;

use crate::{Folder, loader, oxicl, run, text};

const SOURCE: &str = "kernel void add(global float *a, global const float *b) { a[get_global_id(0)] += b[SHIFT]; }\n";

#[test]
fn a_program_sees_oxicl_alone_and_nothing_is_left_behind() {
    let folder = Folder::new("run");
    let temporary = folder.path("temporary");
    fs::create_dir(&temporary).expect("made");
    // Whatever the environment names before.
    for vendors in ["/nowhere", "/etc/OpenCL/vendors"] {
        let mut command = oxicl(&folder);
        command.env("OCL_ICD_VENDORS", vendors).env("OCL_ICD_FILENAMES", "/nowhere.so").env("TMPDIR", &temporary);
        let output = run(command.args(["run", "--", "clinfo", "-l"]));
        let listed = text(&output.stdout);
        assert!(listed.contains("Platform #0: oxicl") && !listed.contains("Platform #1"), "{vendors}: {listed}");
    }
    assert_eq!(fs::read_dir(&temporary).expect("a folder").count(), 0);
}

#[test]
fn any_loader_gives_a_program_oxicl_alone() {
    let folder = Folder::new("any-loader");
    let loader = std::env::var_os("OXICL_TEST_LOADER").map_or_else(loader, PathBuf::from);
    let mut command = oxicl(&folder);
    if let Some(search) = std::env::var_os("LD_LIBRARY_PATH") {
        command.env("LD_LIBRARY_PATH", search);
    }
    let own = oxicl_tests::library().with_file_name("oxicl");
    let output = text(&run(command.arg("run").arg(own).args(["probe", "loader"]).arg(loader)).stdout);
    assert!(output.matches("\"is_oxicl\"").count() == 1 && output.contains("\"is_oxicl\":true"), "{output}");
}

#[test]
fn a_program_keeps_its_status_its_signals_and_its_arguments() {
    let folder = Folder::new("status");
    let shell = |script: &str| run(oxicl(&folder).args(["run", "sh", "-c", script, "name", "--json", "-x"]));
    assert_eq!(shell("exit 7").status.code(), Some(7));
    assert_eq!(shell("kill -TERM $$").status.signal(), Some(15));
    assert_eq!(text(&shell("echo $0 $*").stdout), "name --json -x\n");
    assert_eq!(run(oxicl(&folder).args(["run", "no-such-program"])).status.code(), Some(127));
}

#[test]
fn a_program_runs_on_the_reference_device_if_that_is_asked_for() {
    let folder = Folder::new("reference");
    let device = |option: &[&str]| {
        text(&run(oxicl(&folder).arg("run").args(option).args(["--", "sh", "-c", "echo $OXICL_DEVICE"])).stdout)
    };
    assert_eq!((device(&["--device", "reference"]), device(&[])), ("reference\n".into(), "\n".into()));
    for unknown in [["--device", "gpu"], ["--gpu", "v2"]] {
        let output = run(oxicl(&folder).arg("run").args(unknown).args(["--", "true"]));
        assert_eq!(output.status.code(), Some(2), "{unknown:?}");
    }
}

#[test]
fn a_program_runs_as_on_another_processor_if_the_machine_has_all_of_it() {
    let folder = Folder::new("cpu");
    let taken = |cpu: &str| {
        let own = oxicl_tests::library().with_file_name("oxicl");
        run(oxicl(&folder).args(["run", "--cpu", cpu, "--"]).arg(own).arg("info"))
    };
    let info = text(&taken("v2").stdout);
    assert!(info.contains("x86-64-v2 (OXICL_CPU=x86-64-v2)") && info.contains("(oxicl, x86-64-v2)"), "{info}");
    let none = taken("core2");
    assert_eq!(none.status.code(), Some(2));
    assert!(text(&none.stderr).contains("`core2` has no sse4.1, sse4.2, popcnt"), "{}", text(&none.stderr));
}

#[test]
fn a_file_is_compiled_to_each_form() {
    let folder = Folder::new("compile");
    let source = folder.file("add.cl", SOURCE);
    let emit = |form: &str| {
        let output = run(oxicl(&folder).arg("compile").arg(&source).args(["--emit", form, "--", "-D", "SHIFT=3"]));
        assert!(output.status.success(), "{form}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    assert!(emit("ir").contains("define") && emit("ir").contains("target triple"));
    let assembly = emit("asm");
    assert!(assembly.contains(".text") && assembly.contains("\tret"), "{assembly}");
    let remarks = emit("remarks");
    assert!(remarks.contains("add: entry") && remarks.contains("V ="), "{remarks}");
}

#[test]
fn a_module_that_was_emitted_is_valid_and_compiles_further() {
    let folder = Folder::new("module");
    let source = folder.file("add.cl", SOURCE);
    let module = folder.path("here/add.spv");
    fs::create_dir(folder.path("here")).expect("made");
    let mut command = oxicl(&folder);
    command.current_dir(folder.path("here")).arg("compile").arg(&source).args(["--emit", "spirv", "--", "-DSHIFT=0"]);
    assert!(run(&mut command).status.success());
    assert!(run(oxicl(&folder).arg("validate").arg(&module)).status.success(), "its name is the source's");
    let output = run(oxicl(&folder).arg("compile").arg(&module).args(["--emit", "asm"]));
    assert!(text(&output.stdout).contains("\tret"), "{}", text(&output.stderr));
    let again = run(oxicl(&folder).arg("compile").arg(&module).args(["--emit", "spirv"]));
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("is no OpenCL C"), "{}", text(&again.stderr));
}

#[test]
fn build_options_reach_the_code() {
    let folder = Folder::new("options");
    let source = folder.file("add.cl", SOURCE);
    let remarks = |lanes: &str| {
        let mut command = oxicl(&folder);
        text(&run(command.arg("compile").arg(&source).args(["--emit", "remarks", "--", "-DSHIFT=0", lanes])).stdout)
    };
    assert!(remarks("-oxicl-lanes=8").contains("V = 8") && remarks("-oxicl-lanes=1").contains("V = 1"));
}

#[test]
fn a_file_is_compiled_for_another_machine() {
    let folder = Folder::new("target");
    let source = folder.file("add.cl", SOURCE);
    let code = |target: &str| {
        let mut command = oxicl(&folder);
        run(command.arg("compile").arg(&source).args(["--emit", "asm", "--target", target, "--", "-DSHIFT=0"]))
    };
    let (short, long) = (text(&code("x86-64-v2").stdout), text(&code("diamondrapids").stdout));
    assert!(short.contains("%xmm") && !short.contains("%ymm") && long.contains("%zmm"), "{short}\n{long}");
    let none = code("z80");
    assert!(none.status.code() == Some(1) && text(&none.stderr).contains("`z80` is none of"), "{}", text(&none.stderr));
}

#[test]
fn what_does_not_build_has_its_log() {
    let folder = Folder::new("log");
    let source = folder.file("bad.cl", "kernel void k() { nothing(); }\n");
    for form in ["spirv", "ir"] {
        let output = run(oxicl(&folder).current_dir(&folder.0).arg("compile").arg(&source).args(["--emit", form]));
        assert_eq!(output.status.code(), Some(1), "{form}");
        assert!(text(&output.stderr).contains("nothing"), "{form}: {}", text(&output.stderr));
    }
}

#[test]
fn validation_is_that_of_the_validator() {
    let folder = Folder::new("validate");
    let bad = folder.file("bad.spv", "no module at all");
    let own = Command::new(oxicl_tests::library().with_file_name("oxicl-validate")).arg("--json").arg(&bad).output();
    let output = run(oxicl(&folder).args(["validate", "--json"]).arg(&bad));
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("\"valid\": false"), "{}", text(&output.stdout));
    // The old command is there only if it was built.
    if let Ok(own) = own {
        assert_eq!(text(&output.stdout), text(&own.stdout));
    }
    assert_eq!(run(oxicl(&folder).args(["validate", "/nowhere.spv"])).status.code(), Some(2));
}

#[test]
fn information_is_of_the_platform_and_its_compiler() {
    let folder = Folder::new("info");
    let shown = text(&run(oxicl(&folder).arg("info")).stdout);
    for word in ["CL_PLATFORM_NAME", "CL_DEVICE_MAX_COMPUTE_UNITS", "LLVM", "liboxicl.so", "x86-64-v"] {
        assert!(shown.contains(word), "{word}:\n{shown}");
    }
    let json = text(&run(oxicl(&folder).args(["info", "--json"])).stdout);
    assert!(json.contains("\"CL_DEVICE_NUMERIC_VERSION\": \"3.1.0\""), "{json}");
}

#[test]
fn the_cache_is_shown_and_cleared() {
    let folder = Folder::new("cache");
    let shown = |arguments: &[&str]| text(&run(oxicl(&folder).arg("cache").args(arguments)).stdout);
    assert!(shown(&[]).contains(": 0 entries, 0 B"));
    let hash = "0123456789abcdef".repeat(4);
    folder.file(&format!("cache/{hash}.entry"), "an entry");
    let foreign = folder.file("cache/mine.entry", "no hash has this name");
    assert!(shown(&["show"]).contains(": 1 entry, 8 B"));
    assert!(shown(&["clear"]).contains(": 1 entry removed"));
    assert!(shown(&[]).contains(": 0 entries") && foreign.exists());
}

#[test]
fn completions_and_the_manual_have_every_command() {
    let folder = Folder::new("generate");
    for what in ["bash", "fish", "zsh", "man"] {
        let shown = text(&run(oxicl(&folder).args(["generate", what])).stdout);
        for command in ["doctor", "run", "compile", "validate", "info", "cache"] {
            assert!(shown.contains(command), "{what}: {command}");
        }
    }
    let manual = text(&run(oxicl(&folder).args(["generate", "man"])).stdout);
    assert!(manual.contains("OCL_ICD_FILENAMES") && manual.contains("emit"), "{manual}");
    let validator = text(&run(oxicl(&folder).args(["generate", "man-validate"])).stdout);
    assert!(validator.contains(".TH oxicl-validate 1"), "{validator}");
    assert!(validator.contains("json") && validator.contains("Exit status"), "{validator}");
}
