//! Builds for the reference device: a module is kept as it is.

use std::collections::HashMap;
use std::sync::Arc;

use oxicl_caps::DeviceCaps;
use oxicl_device::{Backend, DeviceKernel, Executable, Variables};
use oxicl_interpret::Program;
use oxicl_protocol::{BuildFailure, CompileOptions, Stage};
use oxicl_validate::ValidModule;

use super::launch::ReferenceKernel;

/// The reference device.
pub struct ReferenceBackend;

struct ReferenceProgram {
    kernels: HashMap<String, Arc<ReferenceKernel>>,
    verbose: bool,
}

impl Executable for ReferenceProgram {
    fn kernel(&self, name: &str) -> Option<Arc<dyn DeviceKernel>> {
        self.kernels.get(name).map(|kernel| Arc::clone(kernel) as Arc<dyn DeviceKernel>)
    }

    fn remarks(&self) -> String {
        if self.verbose { "kernels are interpreted\n".to_owned() } else { String::new() }
    }
}

impl Backend for ReferenceBackend {
    fn build(
        &self,
        module: &Arc<ValidModule>,
        caps: &DeviceCaps,
        options: &CompileOptions,
    ) -> Result<Arc<dyn Executable>, BuildFailure> {
        let failure = |what: String| BuildFailure::new(Stage::Load, what);
        let Some(variables) = Variables::new(&module.facts().program_block) else {
            return Err(failure("there is no memory for the program-scope variables".to_owned()));
        };
        let variables = variables.map(Arc::new);
        let program = Arc::new(Program::new(Arc::clone(module)).map_err(|fault| failure(fault.to_string()))?);
        let print_limit = usize::try_from(caps.limits.printf_bytes).unwrap_or(usize::MAX);
        let mut kernels = HashMap::new();
        for signature in &module.facts().kernels {
            let kernel = program.kernel(&signature.name).map_err(|fault| failure(fault.to_string()))?;
            let kernel = ReferenceKernel::new(
                &program,
                kernel,
                &signature.name,
                variables.clone(),
                print_limit,
                caps.limits.sub_group_size,
            );
            kernels.insert(signature.name.clone(), Arc::new(kernel));
        }
        Ok(Arc::new(ReferenceProgram { kernels, verbose: options.verbose }))
    }
}
