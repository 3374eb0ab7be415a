//! Builds a module for the CPU: requests to the compiler, images back, loaded.

use std::collections::HashMap;
use std::sync::Arc;

use oxicl_caps::DeviceCaps;
use oxicl_load::LoadedImage;
use oxicl_protocol::{BuildFailure, CompileOptions, CompileRequest, Image, Stage, Tier};
use oxicl_target::Target;
use oxicl_validate::ValidModule;

use super::variables::Variables;
use super::{CpuKernel, ProgramMemory};
use crate::backend::{Backend, DeviceKernel, Executable};
use crate::compiler::COMPILER;

/// The CPU as a device.
pub struct CpuBackend;

/// A module is split into images of about this many instructions, so that they compile side by side; below it the
/// fixed cost of a request would show.
const INSTRUCTIONS_PER_IMAGE: usize = 300;

/// The kernels of a built module.
struct CpuProgram {
    kernels: HashMap<String, Arc<CpuKernel>>,
    /// Remarks are wanted.
    verbose: bool,
}

impl Executable for CpuProgram {
    fn kernel(&self, name: &str) -> Option<Arc<dyn DeviceKernel>> {
        self.kernels.get(name).map(|kernel| Arc::clone(kernel) as Arc<dyn DeviceKernel>)
    }

    fn remarks(&self) -> String {
        if !self.verbose {
            return String::new();
        }
        let mut kernels: Vec<_> = self.kernels.values().map(|kernel| kernel.facts()).collect();
        kernels.sort_by(|one, other| one.name.cmp(&other.name));
        let lines = kernels
            .iter()
            .flat_map(|facts| facts.remarks.iter().map(|remark| format!("kernel {}: {remark}\n", facts.name)));
        lines.collect()
    }
}

impl Backend for CpuBackend {
    fn build(
        &self,
        module: &Arc<ValidModule>,
        caps: &DeviceCaps,
        options: &CompileOptions,
    ) -> Result<Arc<dyn Executable>, BuildFailure> {
        let requests: Vec<CompileRequest> = partition(module, caps.limits.compute_units as usize)
            .into_iter()
            .map(|kernels| CompileRequest {
                spirv: module.module().words.clone(),
                kernels,
                options: options.clone(),
                target: Target::of(caps),
                tier: Tier::Full,
            })
            .collect();
        let variables = match Variables::new(&module.facts().program_block) {
            Some(variables) => variables.map(|variables| Arc::new(variables) as Arc<dyn ProgramMemory>),
            None => return Err(load_failure("there is no memory for the program-scope variables")),
        };
        let mut kernels = HashMap::new();
        let mut failures: Option<BuildFailure> = None;
        for result in COMPILER.compile_all(&requests) {
            match result.and_then(|compiled| load(compiled.image, variables.as_ref())) {
                Ok(loaded) => kernels.extend(loaded.into_iter().map(|k| (k.facts().name.clone(), Arc::new(k)))),
                // The log has what is wrong in all images.
                Err(failure) => match &mut failures {
                    Some(first) => first.diagnostics.extend(failure.diagnostics),
                    None => failures = Some(failure),
                },
            }
        }
        if let Some(failure) = failures {
            return Err(failure);
        }
        match module.facts().kernels.iter().find(|kernel| !kernels.contains_key(&kernel.name)) {
            Some(missing) => Err(load_failure(format!("the compiler left out kernel {}", missing.name))),
            None => Ok(Arc::new(CpuProgram { kernels, verbose: options.verbose })),
        }
    }
}

fn load_failure(message: impl Into<String>) -> BuildFailure {
    BuildFailure::new(Stage::Load, message)
}

/// Loads an image and takes its kernels.
fn load(image: Image, variables: Option<&Arc<dyn ProgramMemory>>) -> Result<Vec<CpuKernel>, BuildFailure> {
    let loaded: Arc<LoadedImage> = Arc::new(oxicl_load::load(&image).map_err(|error| load_failure(error.to_string()))?);
    let kernels = image.kernels.into_iter().map(|facts| {
        CpuKernel::new(Arc::clone(&loaded), facts, variables.cloned())
            .ok_or_else(|| load_failure("a kernel has no entry point"))
    });
    kernels.collect()
}

/// Kernels in groups of about the same number of instructions, at most `most` groups. What kernels call is not counted:
/// groups that share callees compile them again, which is what running side by side costs.
fn partition(module: &ValidModule, most: usize) -> Vec<Vec<String>> {
    let mut kernels: Vec<(usize, &str)> = Vec::new();
    for kernel in &module.facts().kernels {
        let function = module.module().function(kernel.function);
        let size = function.map_or(0, |function| function.blocks.iter().map(|block| block.instructions.len()).sum());
        // An entry point may be listed twice.
        if !kernels.iter().any(|(_, name)| *name == kernel.name) {
            kernels.push((size, &kernel.name));
        }
    }
    balance(kernels, most)
}

/// The largest first, each to the group that is smallest so far.
fn balance(mut kernels: Vec<(usize, &str)>, most: usize) -> Vec<Vec<String>> {
    let total: usize = kernels.iter().map(|kernel| kernel.0).sum();
    let count = total.div_ceil(INSTRUCTIONS_PER_IMAGE).clamp(1, most.max(1)).min(kernels.len());
    let mut groups = vec![(0, Vec::new()); count];
    // Sorted by name, too, so that the same module always makes the same requests: the cache depends on it.
    kernels.sort_by(|one, other| other.cmp(one));
    for (size, name) in kernels {
        if let Some(group) = groups.iter_mut().min_by_key(|group| group.0) {
            group.0 += size;
            group.1.push(name.to_owned());
        }
    }
    groups.into_iter().map(|group| group.1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_modules_are_split_evenly_and_small_ones_not_at_all() {
        assert_eq!(balance(vec![(10, "a"), (20, "b")], 8).len(), 1);
        let groups = balance(vec![(900, "a"), (300, "b"), (300, "c"), (300, "d")], 2);
        assert_eq!(groups, [vec!["a"], vec!["d", "c", "b"]]);
        assert_eq!(balance(vec![(10_000, "a")], 8).len(), 1);
        assert!(balance(Vec::new(), 8).is_empty());
    }
}
