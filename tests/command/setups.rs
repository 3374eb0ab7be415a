//! `oxicl doctor` in set-ups that are broken in one way: it names the way, and what mends it.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::{Folder, loader, oxicl, run, text};

/// What `doctor` said.
struct Said {
    text: String,
    status: Option<i32>,
}

impl Said {
    /// Holds that a line of a level has all words, and that the line below it mends it by `mend`.
    fn has(&self, level: &str, words: &[&str], mend: &str) {
        let lines: Vec<&str> = self.text.lines().collect();
        let line =
            lines.iter().position(|line| line.starts_with(level) && words.iter().all(|word| line.contains(word)));
        let line = line.unwrap_or_else(|| panic!("no {level} with {words:?}:\n{}", self.text));
        let below = lines.get(line + 1).copied().unwrap_or_default().trim();
        assert!(below.starts_with("mend: ") && below.contains(mend), "not mended by {mend}:\n{}", self.text);
    }
}

fn doctor(command: &mut Command) -> Said {
    let output = run(command);
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    Said { text: text(&output.stdout), status: output.status.code() }
}

#[test]
fn a_whole_set_up_has_no_problem() {
    let folder = Folder::new("whole");
    let said = doctor(oxicl(&folder).arg("doctor"));
    assert_eq!(said.status, Some(0), "{}", said.text);
    assert!(
        said.text.contains("\n0 problems") && said.text.contains("A program sees oxicl and can build"),
        "{}",
        said.text
    );
    let json = text(&run(oxicl(&folder).args(["doctor", "--json"])).stdout);
    assert!(json.contains("\"seen\": true") && json.contains("\"level\": \"ok\""), "{json}");
}

#[test]
fn no_loader() {
    let folder = Folder::new("no-loader");
    let root = folder.file("root/etc/empty", "");
    let root = root.ancestors().nth(2).expect("a folder");
    let said = doctor(oxicl(&folder).arg("doctor").arg("--root").arg(root));
    said.has("PROBLEM", &["loader", "There is no OpenCL loader"], "apt install ocl-icd-libopencl1");
    assert_eq!(said.status, Some(1));
}

#[test]
fn two_loaders() {
    let folder = Folder::new("two-loaders");
    let other = folder.file("other/libOpenCL.so.1", "");
    fs::copy(loader(), &other).expect("copied");
    let said = doctor(oxicl(&folder).arg("doctor").env("LD_LIBRARY_PATH", other.parent().expect("a folder")));
    assert!(said.text.contains(&format!("Programs get {}", other.display())), "{}", said.text);
    said.has("note", &["second loader", "libOpenCL.so.1"], "unset LD_LIBRARY_PATH");
    assert_eq!(said.status, Some(0), "{}", said.text);
}

#[test]
fn a_loader_that_is_none() {
    let folder = Folder::new("bad-loader");
    let other = folder.file("other/libOpenCL.so.1", "this is no library");
    let said = doctor(oxicl(&folder).arg("doctor").env("LD_LIBRARY_PATH", other.parent().expect("a folder")));
    said.has("PROBLEM", &["loader", "does not open"], "unset LD_LIBRARY_PATH");
    assert_eq!(said.status, Some(1));
}

#[test]
fn wrong_content_of_an_icd_file() {
    let folder = Folder::new("wrong-icd");
    for (content, words) in [
        ("this is oxicl\n", "names no library"),
        ("\n/usr/lib/liboxicl.so\n", "first line is empty"),
        ("\x7fELF", "is a library itself"),
    ] {
        let vendors = folder.vendors(content);
        let said = doctor(oxicl(&folder).arg("doctor").env("OCL_ICD_VENDORS", &vendors));
        said.has("PROBLEM", &["oxicl.icd", words], &format!("echo {}", oxicl_tests::library().display()));
        assert_eq!(said.status, Some(1));
    }
}

#[test]
fn an_icd_file_that_names_a_missing_library() {
    let folder = Folder::new("missing");
    let vendors = folder.vendors("/nowhere/liboxicl.so\n");
    let said = doctor(oxicl(&folder).arg("doctor").env("OCL_ICD_VENDORS", &vendors));
    said.has(
        "PROBLEM",
        &["/nowhere/liboxicl.so", "no such file"],
        &format!("echo {}", oxicl_tests::library().display()),
    );
    assert_eq!(said.status, Some(1));
}

#[test]
fn a_driver_that_dies_takes_nobody_with_it() {
    let folder = Folder::new("dying");
    let source = folder
        .file("dying.c", "#include <stdlib.h>\n__attribute__((constructor)) static void die(void) { abort(); }\n");
    let library = folder.path("libdying.so");
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status();
    assert!(built.is_ok_and(|status| status.success()), "cc");
    folder.file("whole/dying.icd", &format!("{}\n", library.display()));
    let said = doctor(oxicl(&folder).arg("doctor"));
    said.has("note", &["libdying.so", "does not open", "signal: 6"], "dying.icd.off");
    assert!(said.text.contains("which has the platform oxicl"), "the others are looked at:\n{}", said.text);
}

#[test]
fn no_compiler_beside_the_library() {
    let folder = Folder::new("no-compiler");
    let vendors = folder.vendors(&format!("{}\n", folder.lone_library().display()));
    let said = doctor(oxicl(&folder).arg("doctor").env("OCL_ICD_VENDORS", &vendors));
    said.has("PROBLEM", &["compiler", "oxicl-compiler is not there"], "install -m 755 oxicl-compiler");
    said.has("PROBLEM", &["does not build"], "OXICL_LOG=1");
    assert_eq!(said.status, Some(1));
}

#[test]
fn a_compiler_that_is_not_executable() {
    let folder = Folder::new("mode");
    let vendors = folder.vendors(&format!("{}\n", folder.lone_library().display()));
    let compiler = folder.file("lone/oxicl-compiler", "#!/bin/sh\n");
    let said = doctor(oxicl(&folder).arg("doctor").env("OCL_ICD_VENDORS", &vendors));
    said.has("PROBLEM", &["compiler", "is not executable"], &format!("chmod +x {}", compiler.display()));
    assert_eq!(said.status, Some(1));
}

#[test]
fn a_compiler_of_another_version() {
    let folder = Folder::new("version");
    let vendors = folder.vendors(&format!("{}\n", folder.lone_library().display()));
    let compiler = folder.file("lone/oxicl-compiler", "#!/bin/sh\necho 'oxicl-compiler 0.0.7+abc (LLVM 1.2.3)'\n");
    fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).expect("changed");
    let said = doctor(oxicl(&folder).arg("doctor").env("OCL_ICD_VENDORS", &vendors));
    said.has("PROBLEM", &["compiler", "0.0.7+abc", "the library of"], "cargo xtask install");
    let said = doctor(oxicl(&folder).arg("doctor").env("OXICL_COMPILER", &compiler));
    said.has("PROBLEM", &["compiler", "0.0.7+abc", "the library of"], "unset OXICL_COMPILER");
}

#[test]
fn a_version_that_the_environment_gives_the_driver_makes_no_other_build() {
    let said = doctor(oxicl(&Folder::new("given")).arg("doctor").env("OXICL_DRIVER_VERSION", "7.4"));
    let whole = |line: &str| line.starts_with("ok") && line.contains("The compiler is");
    assert!(said.text.lines().any(whole), "{}", said.text);
}

#[test]
fn a_cache_folder_that_is_read_only() {
    let folder = Folder::new("read-only");
    let cache = folder.path("cache");
    fs::create_dir(&cache).expect("made");
    fs::write(cache.join("key"), [7; 32]).expect("written");
    let mut command = oxicl(&folder);
    // Permissions do not bind the superuser, so another user looks.
    let (own, nobody) = (fs::metadata(&cache).expect("made"), 65534);
    if std::os::unix::fs::MetadataExt::uid(&own) == 0 {
        for path in [cache.join("key"), cache.clone()] {
            chown(path, Some(nobody), Some(nobody)).expect("given away");
        }
        command.uid(nobody).gid(nobody);
    }
    fs::set_permissions(cache.join("key"), fs::Permissions::from_mode(0o600)).expect("changed");
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o500)).expect("changed");
    let said = doctor(command.arg("doctor"));
    said.has("PROBLEM", &["cache", "is read-only (mode 500)"], &format!("chmod u+rwx {}", cache.display()));
    assert_eq!(said.status, Some(0), "builds do not need a cache:\n{}", said.text);
}

#[test]
fn a_cache_folder_that_others_may_write_to() {
    let folder = Folder::new("open");
    let cache = folder.path("cache");
    fs::create_dir(&cache).expect("made");
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o775)).expect("changed");
    let said = doctor(oxicl(&folder).arg("doctor"));
    said.has("PROBLEM", &["cache", "written by others", "775"], &format!("chmod go-w {}", cache.display()));
}

#[test]
fn a_home_that_cannot_be_written() {
    let folder = Folder::new("home");
    let mut command = oxicl(&folder);
    // Not even the superuser makes a folder there.
    command.env_remove("OXICL_CACHE_DIR").env_remove("XDG_CACHE_HOME").env("HOME", "/proc/self/fdinfo");
    let said = doctor(command.arg("doctor"));
    said.has("PROBLEM", &["/proc/self/fdinfo/.cache/oxicl", "cannot be made"], "export OXICL_CACHE_DIR=");
    assert_eq!(said.status, Some(0), "builds do not need a cache:\n{}", said.text);
}

/// `doctor` with files of the system of our own, and the loader that there is.
fn in_root(folder: &Folder) -> Command {
    let mut command = oxicl(folder);
    command.env("LD_LIBRARY_PATH", loader().parent().expect("a folder"));
    command.arg("doctor").arg("--root").arg(folder.path("root"));
    command
}

#[test]
fn a_library_on_a_mount_without_execution() {
    let folder = Folder::new("noexec");
    let mount = oxicl_tests::library().parent().expect("a folder").canonicalize().expect("a folder");
    let table = format!(
        "20 1 8:1 / / rw,relatime - ext4 /dev/root rw\n21 20 8:2 / {} rw,nosuid,noexec - ext4 /dev/home rw\n",
        mount.display()
    );
    folder.file("root/proc/self/mountinfo", &table);
    let said = doctor(&mut in_root(&folder));
    said.has("PROBLEM", &["library", "mounted noexec"], &format!("mount -o remount,exec {}", mount.display()));
}

#[test]
fn a_quota_of_one_core() {
    let folder = Folder::new("quota");
    folder.file("root/proc/self/cgroup", "0::/box/inner\n");
    folder.file("root/proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-3\n");
    folder.file("root/sys/devices/system/cpu/online", "0-3\n");
    folder.file("root/sys/fs/cgroup/box/inner/cpu.max", "max 100000\n");
    folder.file("root/sys/fs/cgroup/box/cpu.max", "100000 100000\n");
    let said = doctor(&mut in_root(&folder));
    said.has("note", &["Kernels run on 1 CPU,", "quota of 1.0 CPUs", "there are 4"], "--cpus=4");
}

#[test]
fn vendors_that_are_elsewhere() {
    let folder = Folder::new("elsewhere");
    let empty = folder.path("empty");
    fs::create_dir(&empty).expect("made");
    for place in [empty, folder.path("nowhere")] {
        let said = doctor(oxicl(&folder).arg("doctor").env("OCL_ICD_VENDORS", &place));
        said.has("PROBLEM", &["OCL_ICD_VENDORS is", &place.display().to_string()], "unset OCL_ICD_VENDORS");
        said.has("PROBLEM", &["A program sees no platform"], "oxicl run -- PROGRAM");
        assert_eq!(said.status, Some(1));
    }
}

#[test]
fn variables_that_are_misspelt_or_misunderstood() {
    let folder = Folder::new("variables");
    let mut command = oxicl(&folder);
    command.env("OXICL_CACHEDIR", "/c").env("OXICL_DEVICE", "gpu").env("OXICL_HIDE", "cl_khr_nothing");
    let said = doctor(command.arg("doctor"));
    said.has("PROBLEM", &["OXICL_CACHEDIR is no variable", "OXICL_CACHE_DIR"], "export OXICL_CACHE_DIR='/c'");
    said.has("PROBLEM", &["OXICL_DEVICE=gpu", "ignored"], "unset OXICL_DEVICE");
    assert!(said.text.contains("OXICL_HIDE does not hide `cl_khr_nothing`"), "{}", said.text);
}
