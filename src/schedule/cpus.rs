//! How many CPUs this process may use.

use std::num::NonZero;
use std::sync::OnceLock;
use std::thread;

/// More than any machine has today. A bound on what we allocate where the system reports nonsense.
const MOST: u32 = 4096;

/// The number of CPUs that the process may use: the affinity mask, cut by the CPU quota of its control groups; the
/// standard library looks at both. Read once; at least 1.
pub fn cpu_count() -> u32 {
    static COUNT: OnceLock<u32> = OnceLock::new();
    *COUNT.get_or_init(|| {
        let count = thread::available_parallelism().map_or(1, NonZero::get);
        u32::try_from(count).unwrap_or(MOST).clamp(1, MOST)
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn there_is_a_cpu() {
        assert!(super::cpu_count() >= 1);
    }
}
