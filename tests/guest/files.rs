//! Files that are not what they were.

use std::ffi::CString;
use std::fs::Permissions;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::scenario;

/// The most seconds that a scenario of this file takes: it starts a compiler and builds a few kernels.
pub const LIMIT: u64 = 60;

/// A folder of a test's own, which goes with it.
pub struct Folder(pub PathBuf);

impl Folder {
    /// New and empty.
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("oxicl-files-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder");
        // As the system names it, without links.
        Folder(path.canonicalize().expect("a path"))
    }

    /// Writes a file of it.
    pub fn write(&self, name: &str, content: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder above")).expect("created");
        std::fs::write(&path, content).expect("written");
        path
    }

    /// The files of the cache in it whose names end with `end`.
    fn cached(&self, end: &str) -> Vec<PathBuf> {
        let listing = std::fs::read_dir(self.0.join("cache")).expect("a cache");
        let paths = listing.flatten().map(|file| file.path());
        paths.filter(|path| path.to_string_lossy().ends_with(end)).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Puts a pipe that nobody writes to where a file is.
#[allow(unsafe_code, reason = "the standard library makes no pipes with names")]
fn replace_by_pipe(path: &Path) {
    std::fs::remove_file(path).expect("removed");
    let name = CString::new(path.as_os_str().as_bytes()).expect("no zero");
    // SAFETY: the name ends with a zero.
    assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0, "{}", path.display());
}

/// Builds a file with a cache in `folder`.
fn build_cached(folder: &Folder, options: &str, source: &Path) -> String {
    scenario("build-sources", LIMIT, |command| {
        command.env("OXICL_CACHE_DIR", folder.0.join("cache")).env_remove("OXICL_CACHE").arg(options).arg(source);
    })
}

#[test]
fn a_header_that_became_a_pipe_fails_the_build_and_nothing_waits_for_it() {
    let folder = Folder::new("header");
    let header = folder.write("x.h", "#define X 7\n");
    let source = folder.write("k.cl", "#include \"x.h\"\nkernel void k(global uint *out) { *out = X; }\n");
    let options = format!("-I {}", folder.0.display());
    assert!(build_cached(&folder, &options, &source).contains("numbers [7,"));
    assert!(!folder.cached(".entry").is_empty(), "the build was not cached");
    replace_by_pipe(&header);
    let log = build_cached(&folder, &options, &source);
    assert!(log.contains("x.h") && !log.contains("numbers"), "{log}");
}

#[test]
fn pipes_in_the_cache_are_not_waited_for() {
    let folder = Folder::new("cache");
    let source = folder.write("k.cl", "kernel void k(global uint *out) { *out = 3; }\n");
    for end in [".entry", "key"] {
        assert!(build_cached(&folder, "", &source).contains("numbers [3,"));
        let files = folder.cached(end);
        assert!(!files.is_empty(), "{end}");
        files.iter().for_each(|path| replace_by_pipe(path));
        assert!(build_cached(&folder, "", &source).contains("numbers [3,"), "{end}");
    }
}

#[test]
fn a_cache_folder_is_used_unless_others_may_write_to_it() {
    for (mode, used) in [(0o755, true), (0o775, false)] {
        let folder = Folder::new(&format!("mode-{mode:o}"));
        let source = folder.write("k.cl", "kernel void k(global uint *out) { *out = 5; }\n");
        let cache = folder.0.join("cache");
        std::fs::create_dir(&cache).expect("created");
        std::fs::set_permissions(&cache, Permissions::from_mode(mode)).expect("changed");
        let output = oxicl_tests::guest(env!("CARGO_BIN_EXE_oxicl-guest"), "build-sources")
            .env_remove("OXICL_CACHE")
            .envs([("OXICL_CACHE_DIR", cache.as_os_str()), ("OXICL_LOG", "1".as_ref())])
            .arg("")
            .arg(&source)
            .output()
            .unwrap_or_else(|error| panic!("{error}"));
        let log = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && String::from_utf8_lossy(&output.stdout).contains("numbers [5,"), "{log}");
        assert_eq!(!folder.cached(".entry").is_empty(), used, "{mode:o}: {log}");
        let told = format!("the cache folder {} is not used", cache.display());
        assert_eq!(!log.contains(&told), used, "{mode:o}: {log}");
    }
}
