//! Which CPUs share memory and caches, as the system reports it.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use crate::worker_slot::WorkerSlots;

/// Something that CPUs share, from the farthest from them to the nearest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The memory of a NUMA node.
    Numa,
    /// A data cache of this level, 1 to 4.
    Cache(u8),
}

impl Level {
    /// All levels, the farthest first.
    pub const ALL: [Level; 5] = [Level::Numa, Level::Cache(4), Level::Cache(3), Level::Cache(2), Level::Cache(1)];
}

/// A CPU, and what it shares: for each of [`Level::ALL`], a name that all CPUs sharing it have in common, if it is
/// known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cpu {
    shared: [Option<String>; 5],
    number: usize,
}

/// The CPUs that the worker slots stand for, sorted so that those that share something are adjacent. Empty where a CPU
/// quota leaves fewer slots than CPUs: then no slot stands for a particular CPU.
fn cpus() -> &'static [Cpu] {
    static CPUS: OnceLock<Vec<Cpu>> = OnceLock::new();
    CPUS.get_or_init(|| {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        let mut cpus = read(&numbers(allowed.unwrap_or_default()), Path::new("/sys/devices/system"));
        if cpus.len() != crate::cpu_count() as usize {
            cpus.clear();
        }
        cpus
    })
}

/// CPU numbers as the system lists them: `0-3,8`.
fn numbers(list: &str) -> Vec<usize> {
    /// More than any machine has today.
    const MOST: usize = 1 << 16;
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse::<usize>().ok()?..=last.parse::<usize>().ok()?.min(MOST))
    };
    list.trim().split(',').filter_map(range).flatten().collect()
}

/// The allowed CPUs, sorted by what they share.
fn read(allowed: &[usize], system: &Path) -> Vec<Cpu> {
    let nodes: Vec<Vec<usize>> = fs::read_dir(system.join("node"))
        .into_iter()
        .flatten()
        .filter_map(|entry| fs::read_to_string(entry.ok()?.path().join("cpulist")).ok())
        .map(|list| numbers(&list))
        .collect();
    let node = |cpu: usize| nodes.iter().find(|node| node.contains(&cpu))?.first().map(|first| format!("{first:06}"));
    let mut cpus: Vec<Cpu> = allowed
        .iter()
        .map(|&number| {
            let folder = system.join(format!("cpu/cpu{number}/cache"));
            let shared = Level::ALL.map(|level| match level {
                Level::Numa => node(number),
                Level::Cache(level) => cache(&folder, level),
            });
            Cpu { shared, number }
        })
        .collect();
    cpus.sort();
    cpus
}

/// The first of the CPUs that share the data cache of a level, as a text that sorts by number.
fn cache(folder: &Path, level: u8) -> Option<String> {
    let has = |path: &Path, name: &str| fs::read_to_string(path.join(name)).ok().map(|text| text.trim().to_owned());
    fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).find_map(|path| {
        let wanted = has(&path, "level")? == level.to_string() && has(&path, "type")? != "Instruction";
        let first = *numbers(&has(&path, "shared_cpu_list")?).first()?;
        wanted.then(|| format!("{first:06}"))
    })
}

/// The lengths of runs of CPUs that share something of a level; none if that is unknown for any of them.
fn runs(cpus: &[Cpu], level: Level) -> Option<Vec<u32>> {
    let index = Level::ALL.iter().position(|other| *other == level)?;
    let name = |cpu: &Cpu| cpu.shared.get(index).cloned().flatten();
    if cpus.is_empty() || cpus.iter().any(|cpu| name(cpu).is_none()) {
        return None;
    }
    Some(cpus.chunk_by(|one, other| name(one) == name(other)).map(|run| run.len() as u32).collect())
}

impl WorkerSlots {
    fn cpus(self) -> &'static [Cpu] {
        let range = self.first as usize..(self.first as usize + self.count as usize);
        cpus().get(range).unwrap_or_default()
    }

    /// Divides the slots into parts whose CPUs share something of `level`; their threads keep to these CPUs. None if it
    /// is unknown which CPUs share it. There may be only one part.
    pub fn sharing(self, level: Level) -> Option<Vec<WorkerSlots>> {
        let mut first = 0;
        let part = |count| {
            let part = self.split(first, count)?;
            first += count;
            Some(WorkerSlots { bound: true, ..part })
        };
        runs(self.cpus(), level)?.into_iter().map(part).collect()
    }

    /// The CPUs that threads have to keep to; none if they are not bound.
    pub(crate) fn bound_to(self) -> Option<impl Iterator<Item = usize>> {
        self.bound.then(|| self.cpus().iter().map(|cpu| cpu.number))
    }
}

#[cfg(test)]
mod tests {
    use super::{Cpu, Level, numbers, read, runs};
    use crate::WorkerSlots;
    use std::fs;
    use std::path::PathBuf;

    #[test]
    fn lists_have_numbers_and_ranges() {
        assert_eq!(numbers("0-3,8\n"), [0, 1, 2, 3, 8]);
        assert_eq!(numbers(" 5"), [5]);
        assert_eq!(numbers(""), [] as [usize; 0]);
        assert_eq!(numbers("x,2-,3-1,4"), [4]);
    }

    /// A machine of two nodes with four CPUs each; pairs of CPUs whose numbers are not adjacent share a cache of level
    /// 2.
    fn machine(name: &str) -> PathBuf {
        let root = std::env::temp_dir().join(format!("oxicl-topology-{name}-{}", std::process::id()));
        let write = |path: String, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("node/node0/cpulist".into(), "0,2,4,6\n");
        write("node/node1/cpulist".into(), "1,3,5,7\n");
        write("node/online".into(), "0-1\n");
        for cpu in 0..8 {
            let caches = [
                (1, "Data", format!("{cpu}")),
                (1, "Instruction", "0-7".to_owned()),
                (2, "Unified", format!("{},{}", cpu % 4, cpu % 4 + 4)),
            ];
            for (index, (level, kind, shared)) in caches.into_iter().enumerate() {
                let folder = format!("cpu/cpu{cpu}/cache/index{index}");
                write(format!("{folder}/level"), &format!("{level}\n"));
                write(format!("{folder}/type"), &format!("{kind}\n"));
                write(format!("{folder}/shared_cpu_list"), &format!("{shared}\n"));
            }
        }
        root
    }

    #[test]
    fn cpus_that_share_something_are_neighbours() {
        let root = machine("neighbours");
        let order = |cpus: &[Cpu]| cpus.iter().map(|cpu| cpu.number).collect::<Vec<_>>();
        let all = read(&[0, 1, 2, 3, 4, 5, 6, 7], &root);
        assert_eq!(order(&all), [0, 4, 2, 6, 1, 5, 3, 7]);
        assert_eq!(runs(&all, Level::Numa), Some(vec![4, 4]));
        assert_eq!(runs(&all, Level::Cache(2)), Some(vec![2, 2, 2, 2]));
        assert_eq!(runs(&all, Level::Cache(1)), Some(vec![1; 8]));
        assert_eq!(runs(&all, Level::Cache(3)), None);
        assert_eq!(runs(&all[2..6], Level::Numa), Some(vec![2, 2]));
        let some = read(&[7, 2, 6], &root);
        assert_eq!(order(&some), [2, 6, 7]);
        assert_eq!(runs(&some, Level::Cache(2)), Some(vec![2, 1]));
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_machine_that_tells_nothing_has_no_levels() {
        let cpus = read(&[0, 1], &PathBuf::from("/nowhere"));
        assert_eq!(cpus.len(), 2);
        assert!(Level::ALL.iter().all(|level| runs(&cpus, *level).is_none()));
        assert_eq!(runs(&[], Level::Numa), None);
    }

    #[test]
    fn parts_of_this_machine_are_all_of_it_and_each_keeps_to_its_cpus() {
        for level in Level::ALL {
            let Some(parts) = WorkerSlots::all().sharing(level) else { continue };
            assert_eq!(parts.iter().map(|part| part.len()).sum::<u32>(), WorkerSlots::all().len());
            let cpus: Vec<usize> = parts.iter().flat_map(|part| part.bound_to().unwrap()).collect();
            assert!(cpus.iter().enumerate().all(|(at, cpu)| !cpus[..at].contains(cpu)), "{cpus:?}");
        }
        assert!(WorkerSlots::all().bound_to().is_none());
    }
}
