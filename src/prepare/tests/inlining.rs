//! Inlining keeps to its budget, and what must be inlined is.

use oxicl_llvm::{CodegenLevel, Context, MachineOptions, Module, TargetMachine, host_cpu_features, host_triple};
use oxicl_protocol::{CompileOptions, Tier};

fn machine() -> TargetMachine {
    let features = host_cpu_features();
    let options = MachineOptions { triple: host_triple(), cpu: String::new(), features, level: CodegenLevel::Default };
    TargetMachine::new(&options).expect("the host's target exists")
}

/// Functions that each call the one before twice.
fn doubling(depth: u32, innermost: &str) -> String {
    let mut text = String::from("declare void @oxicl.barrier(i32, i32, i32) convergent nounwind\n");
    text += &format!(
        "define internal void @f0(ptr addrspace(1) %p) {{\n{innermost}\n%v = load volatile i32, ptr addrspace(1) %p\n\
         store volatile i32 %v, ptr addrspace(1) %p\nret void }}\n"
    );
    for i in 1..=depth {
        let call = format!("call void @f{}(ptr addrspace(1) %p)", i - 1);
        text += &format!("define internal void @f{i}(ptr addrspace(1) %p) {{\n{call}\n{call}\nret void }}\n");
    }
    text + &format!("define void @k(ptr addrspace(1) %p) {{\ncall void @f{depth}(ptr addrspace(1) %p)\nret void }}\n")
}

fn instructions(module: &Module<'_>) -> usize {
    module.functions().iter().flat_map(|f| f.blocks()).map(|b| b.instructions().count()).sum()
}

fn prepare<'c>(context: &'c Context, text: &str) -> Result<Module<'c>, oxicl_protocol::BuildFailure> {
    let mut module = Module::parse_text(context, text).expect("valid text");
    let machine = machine();
    machine.prepare(&module);
    oxicl_prepare::for_workgroup(&mut module, &machine, &CompileOptions::default(), Tier::Full).map(|()| module)
}

#[test]
fn small_calls_are_inlined() {
    let context = Context::new();
    let module = prepare(&context, &doubling(2, "")).expect("it is small");
    assert_eq!(module.functions().iter().filter(|f| !f.is_declaration()).count(), 1);
}

#[test]
fn a_chain_of_doubling_calls_grows_eightfold_at_most() {
    let context = Context::new();
    let module = prepare(&context, &doubling(20, "")).expect("calls may stay");
    assert!(instructions(&module) < 500 * 8, "{}", instructions(&module));
    assert!(module.function("f20").is_some() || module.functions().len() > 2, "something stays a function");
}

#[test]
fn what_reaches_a_barrier_is_inlined_whatever_it_costs() {
    let context = Context::new();
    let barrier = "call void @oxicl.barrier(i32 2, i32 2, i32 272)";
    let module = prepare(&context, &doubling(10, barrier)).expect("it is within the limit");
    assert_eq!(module.functions().iter().filter(|f| !f.is_declaration()).count(), 1);
    let calls = module.to_text().matches("call void @oxicl.barrier").count();
    assert_eq!(calls, 1 << 10);
}

#[test]
fn what_reaches_a_barrier_too_often_fails_and_is_named() {
    let context = Context::new();
    let barrier = "call void @oxicl.barrier(i32 2, i32 2, i32 272)";
    let failure = prepare(&context, &doubling(40, barrier)).err().expect("it has 2^40 barriers");
    assert!(failure.to_string().contains("the function f"), "{failure}");
}
