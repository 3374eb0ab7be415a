//! The machine and its limits.

use crate::doctor::{Finding, Level, counted};
use crate::machine::Limit;
use crate::system::System;

const LIMITS: &str = "limits";

/// How many CPUs kernels run on, and why not on more.
pub fn cpus(system: &System) -> Vec<Finding> {
    const ABOUT: &str = "CPUs";
    let machine = &system.machine;
    let used = machine.used();
    let shown = |count: usize| counted(count as u64, "CPU");
    let finding = match machine.quota {
        Some(quota) if (quota as usize) < machine.allowed => {
            let sentence = format!(
                "Kernels run on {}, as the cgroup has a quota of {quota:.1} CPUs; there are {}.",
                shown(used),
                machine.allowed
            );
            Finding::note(ABOUT, sentence).mend(format!("docker run --cpus={} ...", machine.allowed))
        }
        _ if machine.allowed < machine.online => {
            let sentence =
                format!("Kernels run on {}, as the affinity mask leaves no more of {}.", shown(used), machine.online);
            Finding::note(ABOUT, sentence).mend(format!("taskset -c 0-{} PROGRAM", machine.online - 1))
        }
        _ => Finding::ok(ABOUT, format!("Kernels run on {}, all that there are.", shown(used))),
    };
    vec![finding]
}

/// What the processor's level means for speed.
pub fn level(system: &System) -> Vec<Finding> {
    const ABOUT: &str = "CPU level";
    let machine = &system.machine;
    let level = match machine.level {
        1 => String::from("x86-64"),
        level => format!("x86-64-v{level}"),
    };
    let name = &machine.cpu;
    let vectors = format!("vectors have {} bits, {} floats", machine.vector_bits, machine.vector_bits / 32);
    let finding = match (&machine.taken_for, machine.level) {
        (Some(other), _) => {
            let sentence = format!("{name} is taken for {other}, as OXICL_CPU asks: {vectors}.");
            Finding::note(ABOUT, sentence).mend("unset OXICL_CPU")
        }
        (None, 3 | 4) => Finding::ok(ABOUT, format!("{name} is {level}: {vectors}.")),
        (None, _) => Finding::note(ABOUT, format!("{name} is {level}: {vectors}, half of what x86-64-v3 has.")),
    };
    vec![finding]
}

/// Memory that kernels may use.
pub fn memory(system: &System) -> Vec<Finding> {
    const ABOUT: &str = "memory";
    let machine = &system.machine;
    let mut findings = vec![match machine.memory_limit {
        Some(limit) => {
            let sentence = format!("The cgroup allows {} of {} of memory.", size(limit), size(machine.memory));
            Finding::note(ABOUT, sentence)
        }
        None => Finding::ok(ABOUT, format!("There are {} of memory, and no limit of a cgroup.", size(machine.memory))),
    }];
    if let Some(limit) = machine.limits.get("Max address space").and_then(|limit| limit.soft) {
        let sentence = format!(
            "The process may have {} of addresses (ulimit -v): buffers, stacks and the compiler share them.",
            size(limit)
        );
        findings.push(Finding::note(ABOUT, sentence).mend("ulimit -v unlimited"));
    }
    findings
}

/// A limit that oxicl works with.
struct Wanted {
    name: &'static str,
    /// How much it wants.
    least: u64,
    /// What there is of the limit: oxicl raises for its compiler what it may, so that the hard one counts.
    of: fn(&Limit) -> Option<u64>,
    level: Level,
    sentence: &'static str,
    mend: &'static str,
}

const WANTED: &[Wanted] = &[
    // A cost.
    Wanted {
        name: "Max open files",
        least: 64,
        of: |limit| limit.hard,
        level: Level::Note,
        sentence: "files may be open: the compiler needs two for each of its workers, and runs fewer of them.",
        mend: "sudo prlimit --pid $$ --nofile=1024",
    },
    // A bound: the compiler's libraries are loaded on this stack.
    Wanted {
        name: "Max stack size",
        least: 128 << 10,
        of: |limit| limit.hard,
        level: Level::Problem,
        sentence: "bytes of stack may be used: the compiler does not start with less than 131072.",
        mend: "sudo prlimit --pid $$ --stack=8388608",
    },
    // A cost, which the compiler's process and the threads for CPUs may not fit in.
    Wanted {
        name: "Max processes",
        least: 64,
        of: |limit| limit.soft,
        level: Level::Problem,
        sentence: "processes and threads may run: oxicl starts a thread for each CPU, and the compiler its workers.",
        mend: "sudo prlimit --pid $$ --nproc=4096",
    },
];

/// Limits of the process.
pub fn limits(system: &System) -> Vec<Finding> {
    let limit = |wanted: &Wanted| system.machine.limits.get(wanted.name).and_then(wanted.of);
    let told = |wanted: &Wanted| {
        let limit = limit(wanted).filter(|limit| *limit < wanted.least)?;
        let sentence = format!("Only {limit} {}", wanted.sentence);
        Some(Finding { level: wanted.level, ..Finding::ok(LIMITS, sentence).mend(wanted.mend) })
    };
    let findings: Vec<Finding> = WANTED.iter().filter_map(told).collect();
    if !findings.is_empty() {
        return findings;
    }
    let shown = |wanted: &Wanted| {
        let limit = limit(wanted).map_or("unlimited".to_owned(), |limit| limit.to_string());
        format!("{} {limit}", wanted.name.trim_start_matches("Max "))
    };
    let all: Vec<String> = WANTED.iter().map(shown).collect();
    vec![Finding::ok(LIMITS, format!("Limits of the process are wide enough: {}.", all.join(", ")))]
}

/// Huge pages, which large buffers gain from.
pub fn huge_pages(system: &System) -> Vec<Finding> {
    const ABOUT: &str = "huge pages";
    let finding = match system.machine.huge_pages.as_deref() {
        Some("never") => {
            let sentence =
                "Transparent huge pages are off, so kernels that go through large buffers wait for the page tables.";
            Finding::note(ABOUT, sentence).mend("echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled")
        }
        Some(choice) => Finding::ok(ABOUT, format!("Transparent huge pages are on ({choice}).")),
        None => Finding::note(ABOUT, "The kernel has no transparent huge pages."),
    };
    vec![finding]
}

/// A size in the unit that fits.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["B", "KiB", "MiB", "GiB"];
    let fits = |unit: &usize| bytes >> (10 * unit) > 0;
    let unit = (1..UNITS.len()).rev().find(fits).unwrap_or(0);
    match unit {
        0 => format!("{bytes} B"),
        _ => format!("{:.1} {}", bytes as f64 / f64::powi(1024.0, unit as i32), UNITS[unit]),
    }
}
