//! Text through the pipeline.

use oxicl_llvm::{CodegenLevel, Context, MachineOptions, Module, TargetMachine, host_cpu_features, host_triple};
use oxicl_protocol::{CompileOptions, Tier};

/// A module as `workgroup` gets it.
pub fn optimised(text: &str) -> String {
    optimised_with(text, &CompileOptions::default())
}

/// The same by these options.
pub fn optimised_with(text: &str, options: &CompileOptions) -> String {
    let features = host_cpu_features();
    let wanted = MachineOptions { triple: host_triple(), cpu: String::new(), features, level: CodegenLevel::Default };
    let machine = TargetMachine::new(&wanted).expect("the host's target exists");
    let context = Context::new();
    let mut module = Module::parse_text(&context, text).expect("valid text");
    machine.prepare(&module);
    oxicl_prepare::for_workgroup(&mut module, &machine, options, Tier::Full).expect("a kernel");
    module.to_text()
}
