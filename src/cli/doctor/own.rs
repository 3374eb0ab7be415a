//! What is oxicl's own: library, compiler, cache, and the memory that compiled kernels run from.

use std::path::Path;

use oxicl_compiler_client::Unusable;

use crate::doctor::Finding;
use crate::locate::{COMPILER, NO_LIBRARY, NotRun};
use crate::system::{NoExec, System};

/// A build that takes longer, in milliseconds, is told of. A cost: a compiler that is in the page cache takes a tenth of it.
const SLOW_BUILD: u64 = 2000;

/// The library: found, whole, and the one that this command belongs to.
pub fn library(system: &System) -> Vec<Finding> {
    const ABOUT: &str = "library";
    let Some(library) = &system.library else {
        return vec![Finding::problem(ABOUT, format!("{NO_LIBRARY}.")).mend("cargo xtask install")];
    };
    let shown = library.display();
    let mut findings = vec![match &system.driver {
        Some(Err(why)) => Finding::problem(ABOUT, format!("oxicl's library {shown} does not open: {why}."))
            .mend("cargo xtask install"),
        _ => Finding::ok(
            ABOUT,
            format!(
                "oxicl's library is {shown}{}.",
                version(system).map_or(String::new(), |v| format!(", version {v}"))
            ),
        ),
    }];
    let real = |path: &std::path::PathBuf| path.canonicalize().ok();
    if let Some(own) = system.own.as_ref().filter(|own| real(own) != real(library)) {
        let sentence = format!("This command belongs to another library, {}, than programs see.", own.display());
        findings.push(Finding::note(ABOUT, sentence));
    }
    findings
}

/// Version and build of the library.
fn version(system: &System) -> Option<&str> {
    let opened = system.driver.as_ref()?.as_ref().ok()?;
    opened.platforms.iter().find(|platform| platform.is_oxicl).map(|platform| platform.driver.as_str())
}

/// What brings library and compiler of one build to where `path` is.
fn reinstall(path: &Path) -> &'static str {
    let is_below = |folder: &str| path.components().any(|part| part.as_os_str() == folder);
    if is_below("site-packages") || is_below("dist-packages") {
        "pip install --force-reinstall ./oxicl-*.whl"
    } else if path.starts_with("/usr/lib") {
        "sudo apt install --reinstall ./oxicl-icd_*.deb"
    } else {
        "cargo xtask install"
    }
}

/// The compiler: found, runs, and of the same build as the library.
pub fn compiler(system: &System) -> Vec<Finding> {
    const ABOUT: &str = "compiler";
    let Some(compiler) = &system.compiler else { return Vec::new() };
    let path = compiler.path.display();
    let chosen = system.variables.contains_key("OXICL_COMPILER");
    let found = match (&compiler.version, version(system)) {
        (Err(why), _) => {
            let finding = Finding::problem(ABOUT, format!("The compiler {path} {why}."));
            match why {
                NotRun::NotExecutable => finding.mend(format!("sudo chmod +x {path}")),
                _ if chosen => finding.mend("unset OXICL_COMPILER"),
                NotRun::Failed(why) if why.contains("shared librar") => {
                    finding.mend("sudo apt install libllvm22 libclang-cpp22")
                }
                _ => {
                    let folder = compiler.path.parent().unwrap_or(&compiler.path).display();
                    finding.mend(format!("sudo install -m 755 {COMPILER} {folder}/"))
                }
            }
        }
        (Ok(version), Some(library)) if version.build != library => {
            let sentence = format!(
                "The compiler {path} is of version {}, and the library of {library}: it serves no other build's.",
                version.build
            );
            let finding = Finding::problem(ABOUT, sentence);
            if chosen { finding.mend("unset OXICL_COMPILER") } else { finding.mend(reinstall(&compiler.path)) }
        }
        (Ok(version), _) => Finding::ok(
            ABOUT,
            format!("The compiler is {path}, version {}, with LLVM {}.", version.build, version.llvm),
        ),
    };
    vec![found]
}

/// Whether a kernel of one line builds.
pub fn build(system: &System) -> Vec<Finding> {
    const ABOUT: &str = "build";
    let how = if system.is_seen() { "through the loader" } else { "through the library itself" };
    let finding = match &system.build {
        None => return Vec::new(),
        Some(Ok(time)) if *time < SLOW_BUILD => {
            Finding::ok(ABOUT, format!("A kernel of one line builds in {time} ms, {how} and without the cache."))
        }
        Some(Ok(time)) => {
            Finding::note(ABOUT, format!("A kernel of one line takes {time} ms to build, {how} and without the cache."))
        }
        Some(Err(why)) => {
            Finding::problem(ABOUT, format!("A kernel of one line does not build: {}.", why.trim_end_matches('.')))
                .mend("OXICL_LOG=1 oxicl doctor")
        }
    };
    vec![finding]
}

/// The cache of compiled kernels: writable, and by its user alone.
pub fn cache(system: &System) -> Vec<Finding> {
    const ABOUT: &str = "cache";
    const COSTS: &str = "every process builds its kernels anew";
    let finding = match (&system.cache, &system.cache_usable) {
        (Some(folder), Some(Err(why))) => {
            let folder = folder.display();
            let finding = Finding::problem(ABOUT, format!("The cache folder {folder} {why}; {COSTS}."));
            match why {
                Unusable::WritableByOthers(_) => finding.mend(format!("chmod go-w {folder}")),
                Unusable::ReadOnly(_) => finding.mend(format!("chmod u+rwx {folder}")),
                _ => finding.mend("export OXICL_CACHE_DIR=/var/tmp/oxicl-$(id -u)"),
            }
        }
        (Some(folder), _) => {
            Finding::ok(ABOUT, format!("The cache is {}, and only its user can write to it.", folder.display()))
        }
        (None, _) => {
            let why = match system.variables.get("OXICL_CACHE") {
                Some(_) => "OXICL_CACHE says so",
                None if system.config.dump.is_some() => "OXICL_DUMP is set",
                None => "neither OXICL_CACHE_DIR, XDG_CACHE_HOME nor HOME is an absolute path",
            };
            Finding::note(ABOUT, format!("There is no cache, as {why}; {COSTS}."))
        }
    };
    vec![finding]
}

/// Whether memory may become executable.
pub fn executable_memory(system: &System) -> Vec<Finding> {
    const ABOUT: &str = "memory";
    let finding = match &system.executable_memory {
        None => return Vec::new(),
        Some(Ok(())) => Finding::ok(ABOUT, "Memory may be made executable, as compiled kernels need it."),
        Some(Err(why)) => {
            let sentence = format!(
                "Memory may not be made executable, so no compiled kernel can run ({why}); SELinux or systemd's MemoryDenyWriteExecute= may forbid it."
            );
            Finding::problem(ABOUT, sentence).mend("sudo setsebool -P deny_execmem 0")
        }
    };
    vec![finding]
}

/// Libraries that are where nothing may be run.
pub fn noexec(system: &System) -> Vec<Finding> {
    let told = |found: &NoExec| {
        let (library, mount) = (found.library.display(), found.mount.display());
        let sentence = format!(
            "{library} is on {mount}, which is mounted noexec: neither it nor the compiler beside it can be run."
        );
        Finding::problem("library", sentence).mend(format!("sudo mount -o remount,exec {mount}"))
    };
    system.noexec.iter().map(told).collect()
}
