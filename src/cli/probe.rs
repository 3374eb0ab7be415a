//! The questions that `doctor` asks in processes of their own: a driver that dies takes none but its own with it.
#![allow(unsafe_code, reason = "mmap and mprotect")]

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::arguments::{Probe, Question};
use crate::opencl::{OpenCl, Platform};

/// What stands in front of the answer, as drivers print, too.
pub const MARK: &str = "oxicl-answer:";

/// The kernel that is built.
const SOURCE: &str = "kernel void k(global int *p) { p[get_global_id(0)] += 1; }";

/// A loader or a driver that was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// What a loader calls itself; empty for those that do not.
    pub name: String,
    /// The loader's version.
    pub version: String,
    /// Whether it is a driver under the name of a loader.
    pub is_driver: bool,
    /// The platforms that it gives.
    pub platforms: Vec<Platform>,
}

impl Opened {
    /// Whether oxicl is among its platforms.
    pub fn has_oxicl(&self) -> bool {
        self.platforms.iter().any(|platform| platform.is_oxicl)
    }
}

/// Answers, as JSON on standard output.
pub fn probe(probe: &Probe) -> ExitCode {
    let library = probe.library.as_deref().unwrap_or(Path::new(""));
    let answer = match probe.question {
        Question::Loader => json(loader(library)),
        Question::Driver => {
            json(OpenCl::driver(library).map(|cl| Opened { platforms: cl.describe(), ..Opened::default() }))
        }
        Question::BuildDirectly => json(OpenCl::driver(library).and_then(|cl| build(&cl))),
        Question::BuildThrough => json(OpenCl::loader(library).and_then(|cl| build(&cl))),
        Question::Memory => json(executable_memory()),
    };
    println!("\n{MARK}{answer}");
    ExitCode::SUCCESS
}

fn json<T: Serialize>(result: Result<T, String>) -> String {
    serde_json::to_string(&result).unwrap_or_default()
}

fn loader(library: &Path) -> Result<Opened, String> {
    let cl = OpenCl::loader(library)?;
    let named = cl.loader_name();
    let is_driver = named.is_none() && cl.exports("clIcdGetPlatformIDsKHR");
    let (name, version) = named.unwrap_or_default();
    Ok(Opened { name, version, is_driver, platforms: cl.describe() })
}

/// How many milliseconds a build takes.
fn build(cl: &OpenCl) -> Result<u64, String> {
    let ours = cl.describe().iter().position(|platform| platform.is_oxicl).ok_or("oxicl is not among the platforms")?;
    let start = Instant::now();
    cl.build(ours, SOURCE)?;
    Ok(start.elapsed().as_millis() as u64)
}

/// Whether memory that was written may become executable, as compiled kernels have to.
fn executable_memory() -> Result<(), String> {
    /// A page of every machine that oxicl runs on, in bytes.
    const SIZE: usize = 4096;
    // SAFETY: the mapping is new, and nobody else's; it is not run.
    unsafe {
        let memory = libc::mmap(
            std::ptr::null_mut(),
            SIZE,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        );
        if memory == libc::MAP_FAILED {
            return Err(format!("mmap: {}", std::io::Error::last_os_error()));
        }
        // The first byte is written, as SELinux asks who makes memory executable only where it was.
        memory.cast::<u8>().write_volatile(0xc3);
        if libc::mprotect(memory, SIZE, libc::PROT_READ | libc::PROT_EXEC) != 0 {
            return Err(format!("mprotect: {}", std::io::Error::last_os_error()));
        }
    }
    Ok(())
}
