//! Machines by name, whether we run on one or not.

use oxicl_caps::{CpuFeature, DeviceCaps, chosen};

use crate::Target;

/// The triple of x86-64.
const X86_64: &str = "x86_64-unknown-linux-gnu";
/// The one name for all AArch64 machines, and their triple.
const AARCH64: &str = "aarch64";
const AARCH64_TRIPLE: &str = "aarch64-unknown-linux-gnu";

impl Target {
    /// A machine by a name that `OXICL_CPU` takes, or `aarch64`. It may have features that the machine that we run on
    /// lacks.
    ///
    /// # Errors
    /// There is no such machine: why, in a sentence.
    pub fn named(name: &str) -> Result<Target, String> {
        if name == AARCH64 {
            return Ok(Target::with_features(AARCH64_TRIPLE, Vec::new()));
        }
        let features = match chosen(name, &CpuFeature::of_host())? {
            Some(chosen) => chosen.features,
            None => CpuFeature::of_host(),
        };
        let caps = DeviceCaps::of_features(features);
        Ok(Target::on(X86_64.to_owned(), caps.target_features(), &caps))
    }
}

#[cfg(test)]
mod tests {
    use super::Target;

    #[test]
    fn machines_have_the_triple_of_their_kind_and_the_features_of_their_name() {
        let v2 = Target::named("x86-64-v2").expect("a level");
        assert_eq!((v2.triple.as_str(), v2.features.len()), ("x86_64-unknown-linux-gnu", 6));
        assert_eq!(v2, Target::with_features(v2.triple.clone(), v2.features.clone()));
        let arm = Target::named("aarch64").expect("an architecture");
        assert_eq!((arm.triple.as_str(), arm.features.len()), ("aarch64-unknown-linux-gnu", 0));
        assert!(Target::named("sapphirerapids").expect("a name").features.contains(&"+avx512fp16".to_owned()));
        for (name, why) in [("z80", "`z80` is none of"), ("core2", "`core2` has no sse4.1")] {
            assert!(Target::named(name).is_err_and(|told| told.contains(why)), "{name}");
        }
    }

    #[test]
    fn sub_groups_fill_a_register() {
        for (name, size) in [("x86-64-v2", 4), ("haswell", 8), ("x86-64-v4", 16), ("aarch64", 4)] {
            let target = Target::named(name).expect(name);
            assert_eq!(target.limits.sub_group_size, size, "{name}");
            assert!(target.limits.max_work_group_size >= 1024, "{name}");
        }
    }
}
