//! Processor time of the processes that a driver runs in, its compiler's among them.
#![allow(unsafe_code, reason = "prctl and clocks of processes have no safe interface in the standard library")]

use std::collections::HashMap;
use std::fs;
use std::time::Duration;

/// The processes that descend from this one.
pub struct Processor {
    /// Nanoseconds that each had used when it was last looked at.
    seen: HashMap<u32, u64>,
}

impl Processor {
    /// Makes this process the parent of its descendants' orphans: a driver may start processes whose own parent ends.
    pub fn new() -> Result<Processor, String> {
        // SAFETY: sets a flag of this process; the other arguments are not used.
        if unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) } != 0 {
            return Err(format!("prctl: {}", std::io::Error::last_os_error()));
        }
        Ok(Processor { seen: HashMap::new() })
    }

    /// What they have used since the last call. What a process used since then and before it ended is lost.
    pub fn spent(&mut self) -> Duration {
        let mut now = HashMap::new();
        let mut spent = 0;
        let mut waiting = children(std::process::id());
        while let Some(process) = waiting.pop() {
            let used = used(process);
            spent += used.saturating_sub(self.seen.get(&process).copied().unwrap_or(0));
            now.insert(process, used);
            waiting.extend(children(process));
        }
        self.seen = now;
        Duration::from_nanos(spent)
    }
}

/// The children of a process, which the system lists by the thread that started them.
fn children(process: u32) -> Vec<u32> {
    let mut children = Vec::new();
    for thread in tasks(process) {
        let text = fs::read_to_string(format!("{thread}/children")).unwrap_or_default();
        children.extend(text.split_whitespace().filter_map(|word| word.parse::<u32>().ok()));
    }
    children
}

/// Nanoseconds that the threads of a process have used. The clock is exact; what `/proc` says of a thread that runs is as
/// old as the last tick.
pub fn used(process: u32) -> u64 {
    let (mut clock, mut time) = (0, libc::timespec { tv_sec: 0, tv_nsec: 0 });
    // SAFETY: both write to the places given.
    let read = unsafe {
        libc::clock_getcpuclockid(process.cast_signed(), &raw mut clock) == 0
            && libc::clock_gettime(clock, &raw mut time) == 0
    };
    if read { time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs() } else { 0 }
}

fn tasks(process: u32) -> Vec<String> {
    let entries = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    entries.map(|entry| entry.path().display().to_string()).collect()
}
