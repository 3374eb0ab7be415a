//! What the machine and its limits leave a process.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use oxicl_caps::Cpu;

use crate::host::Host;

/// A limit of the process; `None` is unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limit {
    /// What holds.
    pub soft: Option<u64>,
    /// What the process may raise it to.
    pub hard: Option<u64>,
}

/// What a process may use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Machine {
    /// What the processor calls itself.
    pub cpu: String,
    /// The level of x86-64, 1 to 4, that code is generated for.
    pub level: u8,
    /// Bits of the vectors of that code.
    pub vector_bits: u32,
    /// The processor that it is taken for, if the environment chooses one.
    pub taken_for: Option<String>,
    /// CPUs that are online.
    pub online: usize,
    /// CPUs that the affinity mask leaves.
    pub allowed: usize,
    /// CPUs that the cgroup's quota is worth; `None` for no quota.
    pub quota: Option<f64>,
    /// Memory that the cgroup allows, in bytes; `None` for no limit.
    pub memory_limit: Option<u64>,
    /// Memory that is installed, in bytes.
    pub memory: u64,
    /// Limits of the process by their names in `/proc/self/limits`.
    pub limits: BTreeMap<String, Limit>,
    /// What is chosen in `transparent_hugepage/enabled`; `None` if the kernel has none.
    pub huge_pages: Option<String>,
}

impl Machine {
    /// The machine.
    pub fn look(host: &Host) -> Machine {
        let cpu = Cpu::host().taken_for(host.config().cpu.as_ref());
        let status = host.read("/proc/self/status").unwrap_or_default();
        let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).map_or(0, count);
        let online = host.read("/sys/devices/system/cpu/online").map_or(allowed, |list| count(&list));
        let meminfo = host.read("/proc/meminfo").unwrap_or_default();
        let kibibytes =
            meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:")?.split_whitespace().next()?.parse().ok());
        let memory = kibibytes.unwrap_or(0_u64) << 10;
        let huge = host.read("/sys/kernel/mm/transparent_hugepage/enabled");
        Machine {
            level: cpu.level(),
            vector_bits: cpu.vector_bytes() * 8,
            taken_for: cpu.taken_for,
            cpu: cpu.brand,
            online,
            allowed,
            quota: quota(host),
            memory_limit: memory_limit(host).filter(|limit| *limit < memory),
            memory,
            limits: limits(&host.read("/proc/self/limits").unwrap_or_default()),
            huge_pages: huge.and_then(|text| Some(text.split_once('[')?.1.split_once(']')?.0.to_owned())),
        }
    }

    /// CPUs that kernels run on.
    pub fn used(&self) -> usize {
        let quota = self.quota.map_or(usize::MAX, |quota| quota as usize);
        self.allowed.min(quota).max(1)
    }
}

/// How many CPUs a list such as `0-3,8` has.
fn count(list: &str) -> usize {
    let part = |part: &str| -> Option<usize> {
        let (first, last) = part.trim().split_once('-').unwrap_or((part.trim(), part.trim()));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        Some((last + 1).saturating_sub(first))
    };
    list.split(',').filter_map(part).sum()
}

/// The folders of the cgroup that has a controller, from its own to the root, with a flag for version 2.
fn cgroups(host: &Host, controller: &str) -> Vec<(PathBuf, bool)> {
    let mut folders = Vec::new();
    for line in host.read("/proc/self/cgroup").unwrap_or_default().lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let second = controllers.is_empty();
        if !second && !controllers.split(',').any(|name| name == controller) {
            continue;
        }
        let mount = if second { "/sys/fs/cgroup".to_owned() } else { format!("/sys/fs/cgroup/{controller}") };
        // In a container the path may be that of the outside, where nothing is mounted; the root then has the limit.
        let path = Path::new(path.trim_start_matches('/'));
        folders.extend(path.ancestors().map(|part| (Path::new(&mount).join(part), second)));
    }
    folders
}

fn quota(host: &Host) -> Option<f64> {
    let number = |text: Option<&str>| text?.trim().parse::<f64>().ok().filter(|number| *number > 0.0);
    let of = |(folder, second): (PathBuf, bool)| {
        if second {
            let text = host.read(folder.join("cpu.max"))?;
            let mut words = text.split_whitespace();
            return Some(number(words.next())? / number(words.next())?);
        }
        let quota = host.read(folder.join("cpu.cfs_quota_us"))?;
        let period = host.read(folder.join("cpu.cfs_period_us"))?;
        Some(number(Some(&quota))? / number(Some(&period))?)
    };
    cgroups(host, "cpu").into_iter().filter_map(of).min_by(f64::total_cmp)
}

fn memory_limit(host: &Host) -> Option<u64> {
    let of = |(folder, second): (PathBuf, bool)| {
        let name = if second { "memory.max" } else { "memory.limit_in_bytes" };
        host.read(folder.join(name))?.trim().parse::<u64>().ok()
    };
    cgroups(host, "memory").into_iter().filter_map(of).min()
}

/// The limits of `/proc/self/limits`, whose names have single spaces in them.
fn limits(text: &str) -> BTreeMap<String, Limit> {
    let limit = |line: &str| {
        let (name, values) = line.split_once("  ")?;
        let mut values = values.split_whitespace().map(|value| value.parse().ok());
        Some((name.to_owned(), Limit { soft: values.next()?, hard: values.next()? }))
    };
    text.lines().filter_map(limit).collect()
}

/// The mount that a path is on, if nothing on it may be run.
pub fn noexec_mount(host: &Host, path: &Path) -> Option<PathBuf> {
    let text = host.read("/proc/self/mountinfo")?;
    let mount = |line: &str| {
        let mut fields = line.split(' ').skip(4);
        let (point, options) = (fields.next()?, fields.next()?);
        // Spaces and the like are written as octal numbers.
        let point = PathBuf::from(point.replace("\\040", " "));
        path.starts_with(&point).then(|| (point, options.split(',').any(|option| option == "noexec")))
    };
    // The longest that fits; of several at one place, the last covers the others.
    let mounts = text.lines().filter_map(mount);
    let (point, noexec) = mounts.max_by_key(|(point, _)| point.components().count())?;
    noexec.then_some(point)
}

#[cfg(test)]
mod tests {
    use super::{Limit, count, limits};

    #[test]
    fn lists_of_cpus_are_counted() {
        assert_eq!((count("0-3,8\n"), count("\t5"), count(""), count("0-1,3-4")), (5, 1, 0, 4));
    }

    #[test]
    fn limits_are_read_and_unlimited_is_none() {
        let text = "Limit                     Soft Limit           Hard Limit           Units     \n\
                    Max stack size            8388608              unlimited            bytes     \n\
                    Max address space         unlimited            unlimited            bytes     \n\
                    Max open files            20000                20000                files     \n";
        let limits = limits(text);
        assert_eq!(limits["Max stack size"], Limit { soft: Some(8_388_608), hard: None });
        assert_eq!(limits["Max address space"], Limit::default());
        assert_eq!(limits["Max open files"], Limit { soft: Some(20_000), hard: Some(20_000) });
    }
}
