//! Text through the pipeline.

use oxicl_llvm::{CodegenLevel, Context, MachineOptions, Module, TargetMachine, host_cpu_features, host_triple};
use oxicl_protocol::{CompileOptions, Tier};

/// A module as `workgroup` gets it.
pub fn optimised(text: &str) -> String {
    let features = host_cpu_features();
    let options = MachineOptions { triple: host_triple(), cpu: String::new(), features, level: CodegenLevel::Default };
    let machine = TargetMachine::new(&options).expect("the host's target exists");
    let context = Context::new();
    let mut module = Module::parse_text(&context, text).expect("valid text");
    machine.prepare(&module);
    oxicl_prepare::for_workgroup(&mut module, &machine, &CompileOptions::default(), Tier::Full).expect("a kernel");
    module.to_text()
}
