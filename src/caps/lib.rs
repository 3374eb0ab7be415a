//! The one truth on what the device can do.
//!
//! - **Takes**: the processor's feature bits and what the process may use of the machine, read once.
//! - **Gives**: an immutable [`DeviceCaps`]: the answer to every `CL_DEVICE_*` query that is the same for all parts of
//!   the device, the extension strings, what `validate` accepts, the target features for the compiler; and [`config`],
//!   the environment variables.
//! - **Never**: knows an object, or changes its answer.
//! - **Spec**: OpenCL API, platform layer, device queries; the SPIR-V environment, required capabilities.
#![forbid(unsafe_code)]

mod choice;
/// The environment variables.
pub mod config;
mod cpu;
mod decision;
mod document;
mod dump;
mod extensions;
mod features;
mod identity;
mod limits;
mod lists;
mod machine;
mod query;
mod svm;
mod value;
mod variables;

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

pub use choice::{Chosen, LEVELS, choose, chosen};
use config::Config;
pub use cpu::{Cpu, CpuFeature};
pub use decision::{Decision, Limit, Switches};
pub use document::{capabilities_document, describe_queries, device_queries};
pub use dump::{Dump, DumpPart};
pub use extensions::{SPIRV_EXTENSIONS, SpirvExtension, Support, extensions_document, spirv_extension_row};
pub use features::{CFeature, Extension, FEATURES, Feature, Needs, Row, Version};
pub use identity::{DRIVER_VERSION, PLATFORM_NAME, PLATFORM_VENDOR};
pub use limits::{CONTEXT_LIMIT, ImageLimits, Limits, MAX_WORK_GROUP_SIZE};
pub use machine::Machine;
pub use svm::{SVM_TYPES, SvmType};
pub use value::Value;
pub use variables::{VARIABLES, meant, misunderstood};

/// Version of OpenCL that the platform and the device report: major, minor.
pub const OPENCL_VERSION: (u32, u32) = (3, 1);
/// Suffix of extension functions of the platform.
pub const ICD_SUFFIX: &str = "OXICL";

/// What the device can do. Equal machines and environments give equal values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceCaps {
    /// The processor.
    pub cpu: Cpu,
    /// What the process may use of the machine.
    pub machine: Machine,
    /// Sizes and counts.
    pub limits: Limits,
    identity: identity::Identity,
    features: Vec<Feature>,
    hidden: Vec<&'static str>,
    /// The same device with what is hidden.
    whole: Option<Arc<DeviceCaps>>,
    lists: lists::Lists,
}

impl DeviceCaps {
    /// The device of this machine, as the environment wants it to be seen.
    pub fn host() -> &'static DeviceCaps {
        static HOST: LazyLock<DeviceCaps> =
            LazyLock::new(|| DeviceCaps::configured(Cpu::host(), Machine::host(), Config::get()));
        &HOST
    }

    /// The device that a machine makes.
    pub fn new(cpu: Cpu, machine: Machine) -> Self {
        DeviceCaps::configured(cpu, machine, &Config::default())
    }

    /// The device that a machine makes, as a configuration wants it to be seen.
    pub fn configured(cpu: Cpu, machine: Machine, config: &Config) -> Self {
        let cpu = cpu.taken_for(config.cpu.as_ref());
        let hidden = config.hidden.clone();
        let features: Vec<Feature> =
            FEATURES.iter().map(|row| row.feature).filter(|feature| feature.is_supported(&hidden)).collect();
        let limits = Limits::new(&machine, &cpu);
        let lists = lists::Lists::new(&features, &hidden);
        let identity = identity::Identity::new(&cpu, &config.names, "");
        let whole = (!hidden.is_empty()).then(|| Arc::new(DeviceCaps::new(cpu.clone(), machine.clone())));
        DeviceCaps { cpu, machine, limits, identity, features, hidden, whole, lists }
    }

    /// The same device, driven by a build of the library that has this name.
    pub fn of_build(&self, build: &str) -> Self {
        let identity = identity::Identity::new(&self.cpu, &Config::get().names, build);
        DeviceCaps { identity, ..self.clone() }
    }

    /// The device of a machine of which only the processor's features are known.
    pub fn of_features(features: Vec<CpuFeature>) -> Self {
        DeviceCaps::new(Cpu::of_features(features), Machine { cpus: 1, memory_bytes: 1 << 30 })
    }

    /// The device as sources and modules see it, for whose sake nothing is asked of the machine: no feature of theirs follows
    /// from it.
    pub fn anywhere() -> &'static DeviceCaps {
        static ANYWHERE: LazyLock<DeviceCaps> = LazyLock::new(|| DeviceCaps::of_features(Vec::new()));
        &ANYWHERE
    }

    /// The same, as it is seen in a process that hides extensions with these names.
    pub fn anywhere_hiding(hidden: &[String]) -> &'static DeviceCaps {
        // A compiler has one application, and that one environment: only one is kept, and none is freed.
        static LAST: Mutex<Option<&'static DeviceCaps>> = Mutex::new(None);
        let anywhere = DeviceCaps::anywhere();
        let hidden: Vec<&str> = hidden.iter().filter_map(|name| features::hideable(name)).collect();
        if hidden.is_empty() {
            return anywhere;
        }
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        match *last {
            Some(caps) if hidden == caps.hidden => caps,
            _ => {
                let config = Config { hidden, ..Config::default() };
                let caps = DeviceCaps::configured(anywhere.cpu.clone(), anywhere.machine.clone(), &config);
                last.insert(Box::leak(Box::new(caps)))
            }
        }
    }

    /// Version and build of the library that drives the device, whatever names the environment asks for.
    pub fn built_version(&self) -> &str {
        &self.identity.built_version
    }

    /// The device with what the environment hides. What the library makes for itself may use all of it: the SPIR-V of OpenCL C
    /// needs things that the program does not name.
    pub fn whole(&self) -> &DeviceCaps {
        self.whole.as_deref().unwrap_or(self)
    }

    /// Extensions that the environment hides, as an application cannot tell that the library has them.
    pub fn hidden(&self) -> &[&'static str] {
        &self.hidden
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
