//! How many CPUs this process may use.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The number of CPUs that the process may run on: its affinity mask, cut by the CPU quota of its control groups.
/// Read once; at least 1.
pub fn cpu_count() -> u32 {
    static COUNT: OnceLock<u32> = OnceLock::new();
    *COUNT.get_or_init(|| {
        // The standard library honours the affinity mask, and some quotas.
        let affine = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let affine = u32::try_from(affine).unwrap_or(u32::MAX);
        let quota =
            fs::read_to_string("/proc/self/cgroup").ok().and_then(|groups| quota(&groups, Path::new("/sys/fs/cgroup")));
        affine.min(quota.unwrap_or(u32::MAX)).clamp(1, MOST)
    })
}

/// Beyond any machine of today: bounds what a strange system can make us allocate.
const MOST: u32 = 4096;

/// The smallest quota, in CPUs rounded up, of the groups that `groups` (the text of `/proc/self/cgroup`) names and of
/// those above them.
fn quota(groups: &str, root: &Path) -> Option<u32> {
    let mut least = None;
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (fields.next(), fields.next(), fields.next()) else { continue };
        let base = match controllers {
            "" => root.to_path_buf(),
            list if list.split(',').any(|name| name == "cpu") => root.join("cpu"),
            _ => continue,
        };
        for group in ancestors(&base, path) {
            let found = unified(&group).or_else(|| legacy(&group));
            least = match (least, found) {
                (Some(a), Some(b)) => Some(u32::min(a, b)),
                (a, b) => a.or(b),
            };
        }
    }
    least
}

/// The folder of a group and of every group above it. In a container the path may not exist below the mount; then only
/// those parts that do count.
fn ancestors(base: &Path, group: &str) -> Vec<PathBuf> {
    let mut folders = vec![base.to_path_buf()];
    let mut folder = base.to_path_buf();
    for part in group.split('/').filter(|part| !part.is_empty() && *part != "..") {
        folder.push(part);
        folders.push(folder.clone());
    }
    folders
}

/// `cpu.max` of version 2: "quota period" or "max period".
fn unified(group: &Path) -> Option<u32> {
    let text = fs::read_to_string(group.join("cpu.max")).ok()?;
    let mut fields = text.split_whitespace();
    let quota = fields.next()?.parse().ok()?;
    let period = fields.next()?.parse().ok()?;
    in_cpus(quota, period)
}

/// `cpu.cfs_quota_us` (-1: none) and `cpu.cfs_period_us` of version 1.
fn legacy(group: &Path) -> Option<u32> {
    let read = |name: &str| fs::read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
    in_cpus(read("cpu.cfs_quota_us")?, read("cpu.cfs_period_us")?)
}

fn in_cpus(quota: u64, period: u64) -> Option<u32> {
    if quota == 0 || period == 0 {
        return None;
    }
    u32::try_from(quota.div_ceil(period)).ok()
}

#[cfg(test)]
mod tests {
    use super::{cpu_count, quota};
    use std::fs;

    #[test]
    fn the_smallest_quota_up_the_hierarchy_counts() {
        let root = std::env::temp_dir().join(format!("oxicl-cpus-{}", std::process::id()));
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/cpu.max"), "150000 100000\n").unwrap();
        fs::write(root.join("a/b/cpu.max"), "max 100000\n").unwrap();
        assert_eq!(quota("0::/a/b\n", &root), Some(2));
        fs::write(root.join("a/b/cpu.max"), "50000 100000\n").unwrap();
        assert_eq!(quota("0::/a/b\n", &root), Some(1));
        assert_eq!(quota("0::/\n", &root), None);
        fs::create_dir_all(root.join("cpu/x")).unwrap();
        fs::write(root.join("cpu/x/cpu.cfs_quota_us"), "300000\n").unwrap();
        fs::write(root.join("cpu/x/cpu.cfs_period_us"), "100000\n").unwrap();
        assert_eq!(quota("4:cpu,cpuacct:/x\n3:memory:/a\nnonsense\n", &root), Some(3));
        fs::write(root.join("cpu/x/cpu.cfs_quota_us"), "-1\n").unwrap();
        assert_eq!(quota("4:cpu,cpuacct:/x\n", &root), None);
        fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn there_is_a_cpu() {
        assert!(cpu_count() >= 1);
    }
}
