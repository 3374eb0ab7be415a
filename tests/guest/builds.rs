//! Library and compiler of different builds, as an upgrade leaves them to an application that goes on running.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::{said, scenario};

/// A build that is none.
const OTHER: &str = "0123456789ab";

/// A folder that is removed at the end, with the library and a compiler of another build beside it.
struct Upgraded {
    folder: PathBuf,
    /// Version and build of the library, and those of the compiler.
    versions: [String; 2],
}

impl Upgraded {
    fn new(name: &str) -> Upgraded {
        let folder = std::env::temp_dir().join(format!("oxicl-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("made");
        let library = folder.join("liboxicl.so");
        fs::copy(oxicl_tests::library(), &library).expect("copied");
        fs::write(folder.join("oxicl.icd"), format!("{}\n", library.display())).expect("written");
        let own = said(&scenario("tells-who-it-is", 30, |_| ()), "driver").to_owned();
        let (version, build) = own.split_once('+').expect("a build");
        let compiler = folder.join("oxicl-compiler");
        let mut bytes = fs::read(oxicl_tests::built_folder().join("oxicl-compiler")).expect("read");
        let renamed = rename(&mut bytes, build);
        assert!(renamed > 0, "the compiler does not know its build {build}");
        fs::write(&compiler, bytes).expect("written");
        fs::set_permissions(&compiler, fs::Permissions::from_mode(0o700)).expect("executable");
        let versions = [own.clone(), format!("{version}+{OTHER}")];
        Upgraded { folder, versions }
    }

    fn compiler(&self) -> PathBuf {
        self.folder.join("oxicl-compiler")
    }

    /// Holds that each build failed with a sentence that names both versions.
    fn is_told(&self, log: &str, builds: usize, words: &str) {
        let [library, compiler] = &self.versions;
        let sentence = format!("the library of oxicl {library}, but the compiler is of oxicl {compiler}: ");
        let told = log.lines().filter(|line| line.contains(&sentence) && line.contains(words)).count();
        assert_eq!(told, builds, "{log}");
    }
}

impl Drop for Upgraded {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Makes a compiler one of another build; gives how often it named its own.
fn rename(compiler: &mut [u8], build: &str) -> usize {
    let length = build.len();
    let mut count = 0;
    for at in 0..compiler.len() - length {
        if &compiler[at..at + length] == build.as_bytes() {
            compiler[at..at + length].copy_from_slice(OTHER.as_bytes());
            count += 1;
        }
    }
    count
}

#[test]
fn after_an_upgrade_an_application_is_told_to_restart() {
    let upgraded = Upgraded::new("upgraded");
    let log = scenario("compiler-of-another-build", 60, |command| {
        command.env("OCL_ICD_VENDORS", &upgraded.folder).env_remove("OXICL_COMPILER");
    });
    upgraded.is_told(&log, 2, "so restart the application");
    assert!(log.contains(&upgraded.compiler().display().to_string()), "{log}");
}

#[test]
fn a_chosen_compiler_of_another_build_is_told_with_the_variable() {
    let upgraded = Upgraded::new("chosen");
    let log = scenario("compiler-of-another-build", 60, |command| {
        command.env("OXICL_COMPILER", upgraded.compiler());
    });
    upgraded.is_told(&log, 2, "OXICL_COMPILER has to name");
}

#[test]
fn the_log_on_standard_error_says_so_too() {
    let upgraded = Upgraded::new("logged");
    let output = oxicl_tests::guest(env!("CARGO_BIN_EXE_oxicl-guest"), "compiler-of-another-build")
        .envs([("OXICL_COMPILER", upgraded.compiler().as_os_str()), ("OXICL_LOG", "1".as_ref())])
        .output()
        .expect("run");
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{log}");
    upgraded.is_told(&log, 2, "OXICL_COMPILER has to name");
}
