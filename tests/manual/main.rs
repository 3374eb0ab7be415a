//! The programs that the manual shows, run as its readers run them: each in a process of its own, through the loader.
//!
//! Those in Python run where their packages are installed, on the interpreter that `OXICL_TEST_PYTHON` names or on `python3`;
//! `cargo xtask test` makes one.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use oxicl_tests::{built_folder, driver};

/// What links to the loader by the crate `opencl3`.
#[path = "../../docs/manual/examples/first.rs"]
#[allow(unsafe_code, reason = "the crate's launches and transfers are unsafe")]
mod first;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/manual/examples")
}

/// `command` with the built library and no cache, to its end.
fn finished(command: &mut Command) -> Output {
    let shown = format!("{command:?}");
    command.env("OCL_ICD_VENDORS", driver()).env("OXICL_CACHE", "off").env_remove("OXICL_DEVICE");
    command.output().unwrap_or_else(|error| panic!("{shown}: {error}"))
}

/// What `command` prints, if it succeeds.
fn printed(command: &mut Command) -> String {
    let output = finished(command);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{errors}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Says why a program is not run. The test harness keeps to itself what a test that passes prints by macros.
fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

/// The interpreter, if it has all of `modules`.
fn python(modules: &str) -> Option<PathBuf> {
    let interpreter = std::env::var_os("OXICL_TEST_PYTHON").map_or_else(|| PathBuf::from("python3"), PathBuf::from);
    let imports = Command::new(&interpreter).args(["-c", &format!("import {modules}")]).output();
    let found = imports.is_ok_and(|output| output.status.success());
    if !found {
        skipped(&format!("{} has not all of {modules}", interpreter.display()));
    }
    found.then_some(interpreter)
}

/// A program of the manual on the interpreter, if that has all of `modules`.
fn script(name: &str, modules: &str) -> Option<Command> {
    let mut command = Command::new(python(modules)?);
    // The packages of PyOpenCL keep a cache of their own, by which a program would not be built here.
    command.arg(examples().join(name)).env("PYOPENCL_NO_CACHE", "1");
    Some(command)
}

/// Did a first program add, on this platform? `OXICL_CPU` puts the processor into the device's name.
fn adds(text: &str) -> bool {
    text.contains("(oxicl") && text.trim().ends_with("): 1048576 sums, 0 wrong")
}

#[test]
fn the_first_program_in_c_builds_without_a_warning_and_adds() {
    let program = built_folder().join("manual-first");
    let mut compiler = Command::new("cc");
    compiler.args(["-O2", "-Wall", "-Wextra", "-Werror"]).arg(examples().join("first.c"));
    printed(compiler.arg("-o").arg(&program).arg("-lOpenCL"));
    let text = printed(&mut Command::new(program));
    assert!(adds(&text), "{text}");
}

#[test]
fn the_first_program_in_rust_adds() {
    driver();
    first::main().unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn the_first_program_in_python_adds() {
    if let Some(mut command) = script("first.py", "numpy, pyopencl") {
        let text = printed(&mut command);
        assert!(adds(&text), "{text}");
    }
}

#[test]
fn the_runtime_of_sycl_adds() {
    if let Some(mut command) = script("sycl.py", "numpy, dpctl") {
        let text = printed(command.env("ONEAPI_DEVICE_SELECTOR", "opencl:cpu"));
        assert!(adds(&text), "{text}");
    }
}

#[test]
fn kernels_that_are_compared_in_speed_do_the_same() {
    if let Some(mut command) = script("speed.py", "numpy, pyopencl") {
        let text = printed(command.arg("--quick"));
        let last = text.lines().last().unwrap_or_default();
        assert!(last.starts_with("counter: each work-item / each work-group"), "{text}");
    }
}

#[test]
fn the_manual_has_a_row_for_every_remark() {
    let page = std::fs::read_to_string(examples().join("../src/remarks.md")).expect("the page on remarks");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let starts: Vec<&str> = rows.flat_map(|row| row.split(" | ").next().unwrap_or_default().split('`')).collect();
    let explained = |remark: &str| starts.iter().any(|start| start.len() > 2 && remark.starts_with(start));
    if let Some(mut command) = script("remarks.py", "pyopencl") {
        let text = printed(command.arg(examples().join("remarks.cl")));
        let remarks: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("kernel ")?.split_once(": "))
            .map(|(_, remark)| remark)
            .collect();
        assert!(remarks.len() >= 6, "{text}");
        for remark in remarks {
            assert!(explained(remark), "no row explains: {remark}");
        }
    }
}

#[test]
fn the_reference_device_tells_of_the_access_outside_memory() {
    if let Some(mut command) = script("wrong.py", "numpy, pyopencl") {
        let text = printed(&mut command);
        assert!(text.contains("1.000e+00"), "the compiled kernel gives no error: {text}");
    }
    if let Some(mut command) = script("wrong.py", "numpy, pyopencl") {
        let failure = checked_device(&mut command);
        let sentence = "kernel differences on the reference device: access of 4 bytes at 0x";
        assert!(failure.contains(sentence) && failure.contains("is outside memory"), "{failure}");
    }
}

/// What a program that fails on the reference device says.
fn checked_device(command: &mut Command) -> String {
    command.env("OCL_ICD_VENDORS", driver()).env("OXICL_CACHE", "off");
    let output = command
        .env("OXICL_DEVICE", "reference")
        .env("OXICL_LOG", "1")
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(!output.status.success(), "the mistake was not found: {}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A launcher of Open MPI beside the interpreter, where pip puts it, or on the path. Others have other options for binding.
fn open_mpi(interpreter: &Path) -> Option<PathBuf> {
    let launchers = [interpreter.with_file_name("mpirun"), PathBuf::from("mpirun")];
    let found = launchers.into_iter().find(|launcher| {
        let version = Command::new(launcher).arg("--version").output();
        version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("Open MPI"))
    });
    if found.is_none() {
        skipped("there is no mpirun of Open MPI");
    }
    found
}

/// The CPUs that a rank says it has.
fn cpus_of(rank: usize, text: &str) -> BTreeSet<u32> {
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("rank {rank}: CPUs [")));
    let list = line.and_then(|line| line.split_once(']')).unwrap_or_else(|| panic!("no rank {rank}: {text}")).0;
    list.split(", ").map(|cpu| cpu.parse().expect("a number")).collect()
}

#[test]
fn ranks_that_are_bound_have_halves_of_the_cpus() {
    let Some(interpreter) = python("numpy, pyopencl, mpi4py.MPI") else { return };
    let Some(launcher) = open_mpi(&interpreter) else { return };
    let cpus = std::thread::available_parallelism().expect("CPUs").get();
    let half = (cpus / 2).max(1);
    let mut command = Command::new(launcher);
    command.args(["--allow-run-as-root", "--use-hwthread-cpus", "-n", "2", "--map-by"]);
    // Without the latter, a machine of one CPU has no place for two ranks.
    command.arg(format!("slot:PE={half}:oversubscribe")).args(["--bind-to", "hwthread:overload-allowed"]);
    let text = printed(command.arg(interpreter).arg(examples().join("ranks.py")));
    let (first, second) = (cpus_of(0, &text), cpus_of(1, &text));
    assert_eq!((first.len(), second.len()), (half, half), "{text}");
    assert!(cpus == 1 || first.is_disjoint(&second), "{text}");
    assert!(text.contains("sum 1.644934, limit 1.644934"), "{text}");
}

#[test]
fn workers_have_their_own_cpus() {
    if let Some(mut command) = script("workers.py", "numpy, pyopencl, dask.distributed") {
        let text = printed(&mut command);
        assert!(text.starts_with("sum 33333283333350"), "{text}");
    }
}
