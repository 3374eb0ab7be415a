//! The one truth on what the device can do.
//!
//! - **Takes**: the processor's feature bits and what the process may use of the machine, read once.
//! - **Gives**: an immutable [`DeviceCaps`]: the answer to every `CL_DEVICE_*` query that is the same for all parts of
//!   the device, the extension strings, what `validate` accepts, the target features for the compiler; and [`config`],
//!   the environment variables.
//! - **Never**: knows an object, or changes its answer.
//! - **Spec**: OpenCL API, platform layer, device queries; the SPIR-V environment, required capabilities.
#![forbid(unsafe_code)]

/// The environment variables.
pub mod config;
mod cpu;
mod document;
mod extensions;
mod features;
mod limits;
mod lists;
mod machine;
mod query;
mod svm;
mod value;

use std::sync::LazyLock;

pub use cpu::{Cpu, CpuFeature};
pub use document::{capabilities_document, describe_queries, device_queries};
pub use extensions::{SPIRV_EXTENSIONS, SpirvExtension, Support, extensions_document, spirv_extension_row};
pub use features::{CFeature, Extension, FEATURES, Feature, Needs, Row, Version};
pub use limits::{ImageLimits, Limits};
pub use machine::Machine;
pub use svm::{SVM_TYPES, SvmType};
pub use value::Value;

/// Version of OpenCL that the platform and the device report: major, minor.
pub const OPENCL_VERSION: (u32, u32) = (3, 1);
/// Name of the platform.
pub const PLATFORM_NAME: &str = "oxicl";
/// Vendor of the platform.
pub const PLATFORM_VENDOR: &str = "oxicl";
/// Suffix of extension functions of the platform.
pub const ICD_SUFFIX: &str = "OXICL";
/// Version of the driver.
pub const DRIVER_VERSION: &str = env!("CARGO_PKG_VERSION");

/// What the device can do. Equal machines give equal values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceCaps {
    /// The processor.
    pub cpu: Cpu,
    /// What the process may use of the machine.
    pub machine: Machine,
    /// Sizes and counts.
    pub limits: Limits,
    features: Vec<Feature>,
    lists: lists::Lists,
}

impl DeviceCaps {
    /// The device of this machine.
    pub fn host() -> &'static DeviceCaps {
        static HOST: LazyLock<DeviceCaps> = LazyLock::new(|| DeviceCaps::new(Cpu::host(), Machine::host()));
        &HOST
    }

    /// The device that a machine makes.
    pub fn new(cpu: Cpu, machine: Machine) -> Self {
        let features: Vec<Feature> =
            FEATURES.iter().map(|row| row.feature).filter(|feature| feature.is_supported(&cpu)).collect();
        let limits = Limits::new(&machine, &cpu);
        let lists = lists::Lists::new(&features);
        DeviceCaps { cpu, machine, limits, features, lists }
    }

    /// Whether the device has a feature.
    pub fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }

    /// LLVM's target features, each as `+name`.
    pub fn target_features(&self) -> Vec<String> {
        self.cpu.target_features()
    }
}
