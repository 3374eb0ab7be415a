//! What `doctor` makes of systems that are made up: those that a test cannot set up.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use oxicl_cli::doctor::{CHECKS, Finding, Level, examine};
use oxicl_cli::icd::{Kind, Vendors};
use oxicl_cli::loader::{Loader, Origin};
use oxicl_cli::locate::{NotRun, Version};
use oxicl_cli::machine::{Limit, Machine};
use oxicl_cli::opencl::Platform;
use oxicl_cli::probe::Opened;
use oxicl_cli::system::{Compiler, System};

fn opened(name: &str, is_oxicl: bool) -> Opened {
    let platform = Platform { name: name.into(), is_oxicl, driver: "0.1.0+abc".into(), ..Platform::default() };
    Opened { name: "ocl-icd".into(), version: "2.3.1".into(), is_driver: false, platforms: vec![platform] }
}

fn loader(path: &str, origin: Origin, is_oxicl: bool) -> Loader {
    Loader { path: path.into(), origin, opened: Ok(opened("some platform", is_oxicl)) }
}

/// A system on which all is well.
fn whole() -> System {
    let version = Version { build: "0.1.0+abc".into(), llvm: "22.1.0".into() };
    System {
        loaders: vec![loader("/usr/lib/libOpenCL.so.1", Origin::System, true)],
        vendors: Vendors {
            place: "/etc/OpenCL/vendors".into(),
            named: vec![oxicl_cli::icd::Named {
                by: "/etc/OpenCL/vendors/oxicl.icd".into(),
                is_variable: false,
                library: Ok("/usr/lib/oxicl/liboxicl.so".into()),
                opened: Ok(opened("oxicl", true)),
            }],
            ..Vendors::default()
        },
        library: Some("/usr/lib/oxicl/liboxicl.so".into()),
        driver: Some(Ok(opened("oxicl", true))),
        compiler: Some(Compiler { path: "/usr/lib/oxicl/oxicl-compiler".into(), version: Ok(version) }),
        build: Some(Ok(80)),
        cache: Some("/home/user/.cache/oxicl".into()),
        cache_usable: Some(Ok(())),
        executable_memory: Some(Ok(())),
        machine: Machine {
            cpu: "A processor".into(),
            level: 3,
            vector_bits: 256,
            online: 8,
            allowed: 8,
            memory: 16 << 30,
            huge_pages: Some("madvise".into()),
            ..Machine::default()
        },
        ..System::default()
    }
}

fn findings(system: &System) -> Vec<Finding> {
    CHECKS.iter().flat_map(|check| check(system)).collect()
}

/// Holds that one finding is worse than ok, and that it has a level, words and a mend.
fn only(system: &System, level: Level, words: &str, mend: &str) {
    let bad: Vec<Finding> = findings(system).into_iter().filter(|finding| finding.level != Level::Ok).collect();
    let [finding] = bad.as_slice() else { panic!("not one finding: {bad:#?}") };
    assert!(finding.level == level && finding.sentence.contains(words), "{finding:?}");
    assert!(finding.mend.as_deref().unwrap_or_default().contains(mend), "{finding:?}");
}

#[test]
fn nothing_is_wrong_with_a_whole_system() {
    let report = examine(&whole());
    assert!(report.seen && report.builds);
    assert!(report.findings.iter().all(|finding| finding.level == Level::Ok && finding.mend.is_none()), "{report:#?}");
    assert!(report.findings.iter().all(|finding| finding.sentence.ends_with('.')), "each is a sentence");
}

/// The whole system with one limit.
fn limited(name: &str, limit: Limit) -> System {
    let mut system = whole();
    system.machine.limits = BTreeMap::from([(name.to_owned(), limit)]);
    system
}

#[test]
fn limits_that_are_too_low_are_told() {
    for (name, least, level, mend) in [
        ("Max open files", 16, Level::Note, "--nofile="),
        ("Max stack size", 64 << 10, Level::Problem, "--stack="),
        ("Max processes", 8, Level::Problem, "--nproc="),
    ] {
        let both = Limit { soft: Some(least), hard: Some(least) };
        only(&limited(name, both), level, &least.to_string(), mend);
    }
    let addresses = Limit { soft: Some(2 << 30), hard: None };
    only(&limited("Max address space", addresses), Level::Note, "2.0 GiB of addresses", "ulimit -v unlimited");
}

#[test]
fn limits_that_are_raised_for_the_compiler_are_not_too_low() {
    let soft = Limit { soft: Some(16), hard: None };
    for name in ["Max open files", "Max stack size"] {
        assert!(findings(&limited(name, soft)).iter().all(|finding| finding.level == Level::Ok), "{name}");
    }
}

#[test]
fn what_makes_kernels_slow_is_noted() {
    let with = |change: fn(&mut Machine)| {
        let mut system = whole();
        change(&mut system.machine);
        system
    };
    only(&with(|machine| machine.level = 2), Level::Note, "x86-64-v2", "");
    let taken = with(|machine| (machine.taken_for, machine.vector_bits) = (Some("x86-64-v2".into()), 128));
    only(
        &taken,
        Level::Note,
        "is taken for x86-64-v2, as OXICL_CPU asks: vectors have 128 bits, 4 floats",
        "unset OXICL_CPU",
    );
    only(&with(|machine| machine.allowed = 2), Level::Note, "affinity mask", "taskset -c 0-7");
    only(&with(|machine| machine.quota = Some(2.5)), Level::Note, "run on 2 CPUs, as the cgroup", "--cpus=8");
    only(&with(|machine| machine.quota = Some(0.5)), Level::Note, "run on 1 CPU, as the cgroup", "--cpus=8");
    only(&with(|machine| machine.memory_limit = Some(1 << 30)), Level::Note, "1.0 GiB of 16.0 GiB", "");
    only(&with(|machine| machine.huge_pages = Some("never".into())), Level::Note, "huge pages are off", "madvise");
    only(&System { build: Some(Ok(5000)), ..whole() }, Level::Note, "5000 ms", "");
}

#[test]
fn a_quota_of_more_than_there_is_limits_nothing() {
    let mut system = whole();
    system.machine.quota = Some(8.0);
    assert!(findings(&system).iter().all(|finding| finding.level == Level::Ok));
}

#[test]
fn memory_that_may_not_be_executable_is_a_problem() {
    let system = System { executable_memory: Some(Err("mprotect: Permission denied".into())), ..whole() };
    only(&system, Level::Problem, "no compiled kernel can run", "setsebool");
}

#[test]
fn compilers_that_do_not_fit_are_told_with_their_mend() {
    let with = |version| {
        let compiler = Compiler { path: "/usr/lib/oxicl/oxicl-compiler".into(), version };
        System { compiler: Some(compiler), ..whole() }
    };
    let other = |build: &str| Ok(Version { build: build.into(), llvm: "22.1.0".into() });
    for build in ["0.1.0+def", "0.2.0+abc"] {
        only(&with(other(build)), Level::Problem, build, "apt install --reinstall ./oxicl-icd_*.deb");
    }
    for (place, mend) in [
        ("/venv/lib/python3.11/site-packages/oxicl/lib/oxicl-compiler", "pip install --force-reinstall ./oxicl-*.whl"),
        ("/usr/local/lib/oxicl/oxicl-compiler", "cargo xtask install"),
    ] {
        let compiler = Compiler { path: place.into(), version: other("0.1.0+def") };
        only(&System { compiler: Some(compiler), ..whole() }, Level::Problem, "serves no other", mend);
    }
    only(&with(Err(NotRun::Missing)), Level::Problem, "is not there", "install -m 755");
    let libraries = "error while loading shared libraries: libLLVM.so.22.1: cannot open shared object file";
    only(&with(Err(NotRun::Failed(libraries.into()))), Level::Problem, "libLLVM.so.22.1", "apt install libllvm22");
}

#[test]
fn a_loader_of_a_python_environment_is_told_with_what_it_sees() {
    let mut system = whole();
    system.loaders.push(loader("/venv/pyopencl.libs/libOpenCL-1.so.1", Origin::Python, false));
    only(&system, Level::Note, "do not see oxicl", "oxicl run");
    assert!(examine(&system).seen, "programs have the system's");
}

#[test]
fn the_loader_of_pyopencl_is_tried_as_pyopencl_does() {
    let home = |path: &str, origin| loader(path, origin, true).variables().pop().map(|(_, home)| home);
    let inside = "/venv/lib/python3.11/site-packages/pyopencl/.libs/libOpenCL-1.so.1";
    let beside = "/venv/lib/python3.11/site-packages/pyopencl.libs/libOpenCL-1.so.1";
    let package = Some(PathBuf::from("/venv/lib/python3.11/site-packages/pyopencl"));
    assert_eq!((home(inside, Origin::Python), home(beside, Origin::Python)), (package.clone(), package));
    assert_eq!(home("/usr/lib/libOpenCL.so.1", Origin::System), None);
}

#[test]
fn a_variable_that_the_loader_does_not_obey_is_told() {
    let mut system = whole();
    system.vendors.named[0].by = "OCL_ICD_FILENAMES".into();
    system.vendors.named[0].is_variable = true;
    system.loaders[0].opened = Ok(opened("another platform", false));
    let all = findings(&system);
    let has = |level, words: &str, mend: &str| {
        let fits = |f: &&Finding| f.level == level && f.sentence.contains(words);
        let found = all.iter().find(fits).unwrap_or_else(|| panic!("no {words}: {all:#?}"));
        assert!(found.mend.as_deref().unwrap_or_default().contains(mend), "{found:?}");
    };
    has(Level::Note, "ocl-icd does not obey OCL_ICD_FILENAMES", "OCL_ICD_VENDORS=/usr/lib/oxicl/liboxicl.so");
    has(Level::Problem, "leads to oxicl", "tee /etc/OpenCL/vendors/oxicl.icd");
    has(Level::Problem, "none of them is oxicl: another platform", "oxicl run");
}

#[test]
fn a_variable_that_names_no_driver_is_unset() {
    let mut system = whole();
    let mut named = system.vendors.named[0].clone();
    named.by = "OCL_ICD_VENDORS".into();
    named.is_variable = true;
    named.opened = Err("it is no OpenCL driver".into());
    system.vendors.named.push(named);
    only(
        &system,
        Level::Problem,
        "OCL_ICD_VENDORS names /usr/lib/oxicl/liboxicl.so, which does not open",
        "unset OCL_ICD_VENDORS",
    );
}

#[test]
fn a_folder_of_drivers_that_is_not_there_is_made() {
    let mut system = whole();
    system.vendors = Vendors { place: "/etc/OpenCL/vendors".into(), kind: Kind::Missing, ..Vendors::default() };
    only(
        &system,
        Level::Problem,
        "which is not there",
        "mkdir -p /etc/OpenCL/vendors && echo /usr/lib/oxicl/liboxicl.so",
    );
}

#[test]
fn a_command_that_belongs_to_another_library_says_so() {
    let system = System { own: Some(PathBuf::from("/opt/liboxicl.so")), ..whole() };
    // Files that are not there are no other files.
    assert!(!Path::new("/opt/liboxicl.so").exists());
    assert!(findings(&system).iter().all(|finding| finding.level == Level::Ok));
    let system = System { own: std::env::current_exe().ok(), ..whole() };
    only(&system, Level::Note, "belongs to another library", "");
}

#[test]
fn nothing_at_all_is_not_seen_and_has_a_library_to_install() {
    let report = examine(&System::default());
    assert!(!report.seen && !report.builds);
    for words in ["There is no OpenCL loader", "liboxicl.so is neither beside"] {
        let told = |finding: &Finding| finding.level == Level::Problem && finding.sentence.contains(words);
        assert!(report.findings.iter().any(told), "{words}: {report:#?}");
    }
}

#[test]
fn the_command_line_is_consistent_and_every_option_has_help() {
    use clap::CommandFactory;

    let mut command = oxicl_cli::arguments::Arguments::command();
    command.clone().debug_assert();
    command.build();
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        assert!(sub.get_about().is_some(), "{}", sub.get_name());
        let bare = sub.get_arguments().find(|argument| argument.get_help().is_none());
        assert!(bare.is_none(), "{}: {bare:?}", sub.get_name());
    }
}
