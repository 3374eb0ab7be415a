//! The machine that code is generated for.
//!
//! - **Takes**: what the device can do ([`DeviceCaps`]), or the name of a machine.
//! - **Gives**: a [`Target`], which is sent with every request: all that code generation knows of the machine.
//! - **Never**: asks the machine that it runs on, except through the device; decides what is worth its cost.
//! - **Spec**: System V ABI, x86-64 supplement, for the levels of x86-64; LLVM for the names.
#![forbid(unsafe_code)]

mod ability;
mod cross;

use oxicl_caps::{CpuFeature, DeviceCaps};
use serde::{Deserialize, Serialize};

pub use ability::{Ability, Vectors};
pub use oxicl_caps::MAX_WORK_GROUP_SIZE;

/// Bytes of a cache line.
pub const LINE: u64 = 64;
/// Bytes of a page. Processors prefetch within it, and lines at its multiples compete for the same places in a cache.
pub const PAGE: u64 = 4096;

/// The machine that code is generated for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Target {
    /// LLVM's target triple.
    pub triple: String,
    /// LLVM's target features as `+name` or `-name`, from CPUID bits or as the machine was chosen.
    pub features: Vec<String>,
    /// The vector registers, and what can be done in them.
    pub vectors: Vectors,
    /// Sizes that code depends on.
    pub limits: Limits,
}

/// Sizes of the device that code depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Limits {
    /// S: work-items of a sub-group of kernels that ask for no size, a power of two up to 64.
    pub sub_group_size: u32,
    /// Work-items of a work-group, in all and along each dimension.
    pub max_work_group_size: u64,
}

impl Target {
    /// The machine of a device, of the architecture that we run on.
    pub fn of(caps: &DeviceCaps) -> Target {
        let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
        Target::on(triple, caps.target_features(), caps)
    }

    /// The machine that we run on, as the environment configures it.
    pub fn host() -> Target {
        Target::of(DeviceCaps::host())
    }

    /// A machine with features as LLVM names them. Those that we do not know decide only which instructions LLVM takes.
    pub fn with_features(triple: impl Into<String>, features: Vec<String>) -> Target {
        let known = |feature: &String| CpuFeature::named(feature.strip_prefix('+')?);
        let caps = DeviceCaps::of_features(features.iter().filter_map(known).collect());
        Target::on(triple.into(), features, &caps)
    }

    fn on(triple: String, features: Vec<String>, caps: &DeviceCaps) -> Target {
        let vectors = if triple.starts_with("aarch64") { Vectors::neon() } else { Vectors::of(&caps.cpu) };
        let limits =
            Limits { sub_group_size: caps.limits.sub_group_size, max_work_group_size: caps.limits.max_work_group_size };
        Target { triple, features, vectors, limits }
    }

    /// Whether images are made for the machine. For others, code can only be looked at.
    pub fn has_images(&self) -> bool {
        self.triple.starts_with("x86_64")
    }

    /// Whether the machine has an ability.
    pub fn can(&self, ability: Ability) -> bool {
        self.vectors.can(ability)
    }
}
