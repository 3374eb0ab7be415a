//! How much of the machine this process may use.

use std::fs;
use std::path::{Path, PathBuf};

/// What this process may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// CPUs: the affinity mask, cut down by the cgroup's quota.
    pub cpus: u32,
    /// Memory, in bytes: what is installed, cut down by the cgroup's limit.
    pub memory_bytes: u64,
}

impl Machine {
    /// This machine.
    pub fn host() -> Self {
        let cpus = std::thread::available_parallelism().map_or(1, |count| count.get());
        let installed = fs::read_to_string("/proc/meminfo").ok().and_then(|text| meminfo_total(&text));
        let installed = installed.unwrap_or(1 << 30);
        let cgroup = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let limits = limit_files(&cgroup).into_iter().filter_map(|file| limit(&fs::read_to_string(file).ok()?));
        Machine {
            cpus: u32::try_from(cpus).unwrap_or(u32::MAX),
            memory_bytes: limits.chain([installed]).min().unwrap_or(installed),
        }
    }
}

/// `MemTotal` of `/proc/meminfo`, in bytes.
fn meminfo_total(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// A memory limit of a cgroup, in bytes. Version 2 says `max` for none, version 1 a huge number, which the installed
/// memory undercuts.
fn limit(text: &str) -> Option<u64> {
    text.trim().parse::<u64>().ok().filter(|bytes| *bytes > 0)
}

/// Files with the limits of the process's cgroup and of those around it, from `/proc/self/cgroup`.
fn limit_files(cgroup: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for line in cgroup.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let (mount, file) = if controllers.is_empty() {
            ("/sys/fs/cgroup", "memory.max")
        } else if controllers.split(',').any(|name| name == "memory") {
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
        } else {
            continue;
        };
        // In a container the path may be that of the outside, where nothing is mounted; the root then has the limit.
        let path = Path::new(path.trim_start_matches('/'));
        files.extend(path.ancestors().map(|part| Path::new(mount).join(part).join(file)));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::{Machine, limit, limit_files, meminfo_total};
    use std::path::Path;

    #[test]
    fn meminfo_is_in_kibibytes() {
        assert_eq!(meminfo_total("MemTotal:       16316412 kB\nMemFree: 1 kB\n"), Some(16316412 * 1024));
        assert_eq!(meminfo_total("MemFree: 1 kB\n"), None);
    }

    #[test]
    fn every_cgroup_up_to_the_root_can_limit() {
        let files = limit_files("0::/user.slice/session\n");
        assert!(files.contains(&Path::new("/sys/fs/cgroup/user.slice/session/memory.max").to_path_buf()));
        assert!(files.contains(&Path::new("/sys/fs/cgroup/user.slice/memory.max").to_path_buf()));
        assert!(files.contains(&Path::new("/sys/fs/cgroup/memory.max").to_path_buf()));
        let old = limit_files("5:cpu,memory:/docker/1\n2:cpuset:/x\n");
        assert_eq!(old.len(), 3);
        assert!(old.contains(&Path::new("/sys/fs/cgroup/memory/docker/memory.limit_in_bytes").to_path_buf()));
    }

    #[test]
    fn no_limit_is_no_number() {
        assert_eq!(limit("max\n"), None);
        assert_eq!(limit("1048576\n"), Some(1 << 20));
    }

    #[test]
    fn the_host_has_a_cpu_and_memory() {
        let machine = Machine::host();
        assert!(machine.cpus >= 1 && machine.memory_bytes > 0);
    }
}
