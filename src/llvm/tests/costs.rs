//! Costs differ between machines as their instructions do.

use oxicl_llvm::{
    Access, Address, CodegenLevel, Context, Costs, IntPredicate, MachineOptions, Opcode, OwnedCosts, RealPredicate,
    Shuffle, TargetMachine, VectorRegisters,
};

const PLACE: Address = Address { align: 4, space: 0 };

/// A machine by LLVM's name of it.
fn machine(cpu: &str) -> TargetMachine {
    let options = MachineOptions {
        triple: "x86_64-unknown-linux-gnu".into(),
        cpu: cpu.into(),
        features: Vec::new(),
        level: CodegenLevel::Default,
    };
    TargetMachine::new(&options).expect("x86-64 is there")
}

#[test]
fn machines_have_their_registers() {
    let context = Context::new();
    for (cpu, count, bits) in [("x86-64-v2", 16, 128), ("x86-64-v3", 16, 256), ("znver4", 32, 512)] {
        let found = machine(cpu).costs(&context, "").vector_registers();
        assert_eq!(found, VectorRegisters { count, bits }, "{cpu}");
    }
}

#[test]
fn what_fills_two_registers_costs_twice() {
    let context = Context::new();
    let float = context.float_type();
    for (cpu, lanes) in [("x86-64-v2", 4), ("x86-64-v3", 8), ("znver4", 16)] {
        let machine = machine(cpu);
        let costs = machine.costs(&context, "");
        let cost = |lanes| costs.arithmetic(Opcode::FMul, float.vector(lanes));
        let one = cost(lanes).expect("a product");
        assert!(one > 0, "{cpu}");
        assert_eq!(cost(2 * lanes), Some(2 * one), "{cpu}");
    }
}

/// What operations cost that some machines have no instruction for.
fn rare<'a>(costs: &Costs<'a>, context: &'a Context) -> Vec<(&'static str, Option<u64>)> {
    let vector = |bits: u32, lanes| context.int_type(bits).vector(lanes);
    let floats = |lanes| context.float_type().vector(lanes);
    let bytes = Address { align: 1, space: 1 };
    vec![
        ("conversions", costs.cast(Opcode::SIToFP, vector(64, 8), context.double_type().vector(8))),
        ("products", costs.arithmetic(Opcode::Mul, vector(64, 8))),
        ("the least", costs.intrinsic("llvm.umin", vector(64, 8), &[vector(64, 8); 2])),
        ("shuffles", costs.shuffle(Shuffle::PermuteTwo, vector(16, 32))),
        ("masked bytes", costs.masked(Access::Store, vector(8, 32), bytes)),
        ("records of three", costs.interleaved(Access::Load, floats(24), 3, PLACE)),
        ("gathers", costs.scattered(Access::Load, floats(8), PLACE, true)),
    ]
}

#[test]
fn what_a_machine_has_an_instruction_for_costs_less_than_what_it_has_none_for() {
    let context = Context::new();
    let (new, old) = (machine("znver4"), machine("x86-64-v2"));
    let (new, old) = (rare(&new.costs(&context, ""), &context), rare(&old.costs(&context, ""), &context));
    for ((name, with), (_, without)) in new.into_iter().zip(old) {
        assert!(with.is_some() && with < without, "{name}: {with:?}, {without:?}");
    }
}

#[test]
fn every_question_has_an_answer() {
    let context = Context::new();
    let (float, int) = (context.float_type().vector(8), context.int_type(32).vector(8));
    let half = context.float_type().vector(4);
    let machine = machine("x86-64-v3");
    let costs = machine.costs(&context, "");
    let answers = [
        costs.compare_int(IntPredicate::Slt, int),
        costs.compare_float(RealPredicate::Olt, float),
        costs.select(float),
        costs.memory(Access::Load, float, PLACE),
        costs.memory(Access::Store, float, PLACE),
        costs.masked(Access::Load, float, PLACE),
        costs.scattered(Access::Store, float, PLACE, false),
        costs.shuffle(Shuffle::Broadcast, float),
        costs.shuffle(Shuffle::Reverse, float),
        costs.shuffle(Shuffle::Select, float),
        costs.shuffle(Shuffle::Permute, float),
        costs.shuffle(Shuffle::Extract(half), float),
        costs.shuffle(Shuffle::Insert(half), float),
        costs.intrinsic("llvm.fma", float, &[float, float, float]),
    ];
    assert!(answers.iter().all(|cost| cost.is_some_and(|cost| cost > 0)), "{answers:?}");
}

#[test]
fn shifts_by_constants_cost_less_where_lanes_have_no_shifts_of_their_own() {
    let context = Context::new();
    let words = context.int_type(16).vector(8);
    let machine = machine("x86-64-v2");
    let costs = machine.costs(&context, "");
    let (any, constant) = (costs.arithmetic(Opcode::Shl, words), costs.arithmetic_by_constant(Opcode::Shl, words));
    assert!(constant.is_some() && constant < any, "{constant:?}, {any:?}");
}

#[test]
fn a_part_of_a_record_costs_no_more_than_the_whole() {
    let context = Context::new();
    let floats = context.float_type().vector(32);
    for cpu in ["x86-64-v2", "x86-64-v3", "znver4"] {
        let machine = machine(cpu);
        let costs = machine.costs(&context, "");
        let of = |used| costs.interleaved_part(Access::Load, floats, 4, used, PLACE);
        let (one, all) = (of(1), of(4));
        assert!(one.is_some() && one <= all, "{cpu}: {one:?}, {all:?}");
        assert_eq!(all, costs.interleaved(Access::Load, floats, 4, PLACE), "{cpu}");
        assert_eq!((of(0), of(5)), (None, None), "{cpu}");
    }
}

#[test]
fn costs_with_their_machine_are_those_of_the_machine() {
    let context = Context::new();
    let owned = OwnedCosts::new(machine("x86-64-v3"), "");
    let borrowed = machine("x86-64-v3");
    let costs = borrowed.costs(&context, "");
    let float = context.float_type().vector(8);
    assert_eq!(owned.ask(|costs, _| costs.vector_registers()), costs.vector_registers());
    let asked = owned.ask(|costs, context| costs.arithmetic(Opcode::FDiv, context.float_type().vector(8)));
    assert_eq!(asked, costs.arithmetic(Opcode::FDiv, float));
}

#[test]
fn lanes_are_put_in_and_taken_out_at_a_cost() {
    let context = Context::new();
    let float = context.float_type();
    let machine = machine("x86-64-v3");
    let costs = machine.costs(&context, "");
    for ty in [float.vector(8), context.int_type(64).vector(4)] {
        assert!(costs.insert_element(ty).is_some_and(|cost| cost > 0));
        assert!(costs.extract_element(ty).is_some_and(|cost| cost > 0));
    }
    assert_eq!((costs.insert_element(float), costs.extract_element(float)), (None, None));
}

#[test]
fn what_cannot_be_done_has_no_cost() {
    let context = Context::new();
    let (float, int) = (context.float_type().vector(8), context.int_type(32).vector(8));
    let machine = machine("x86-64-v3");
    let costs = machine.costs(&context, "");
    // LLVM's Invalid: a histogram of places that are no vector.
    let answers = [
        costs.intrinsic(
            "llvm.experimental.vector.histogram.add",
            context.void_type(),
            &[context.pointer_type(0), int, int],
        ),
        costs.intrinsic("llvm.none.of.that.name", float, &[float]),
        costs.arithmetic(Opcode::FAdd, int),
        costs.arithmetic(Opcode::Load, float),
        costs.cast(Opcode::Trunc, int, int),
        costs.cast(Opcode::SIToFP, int, context.float_type().vector(4)),
        costs.compare_int(IntPredicate::Eq, float),
        costs.compare_float(RealPredicate::Oeq, int),
        costs.memory(Access::Load, float, Address { align: 3, space: 0 }),
        costs.masked(Access::Load, context.float_type(), PLACE),
        costs.scattered(Access::Load, context.float_type(), PLACE, true),
        costs.interleaved(Access::Load, float, 3, PLACE),
        costs.shuffle(Shuffle::Reverse, context.float_type()),
        costs.shuffle(Shuffle::Extract(int), float),
        costs.shuffle(Shuffle::Extract(context.float_type().vector(5)), float),
    ];
    assert_eq!(answers, [None; 15]);
}

#[test]
fn costs_are_asked_for_a_processor_that_code_is_tuned_for() {
    let context = Context::new();
    let float = context.float_type().vector(8);
    let machine = machine("x86-64-v3");
    let cost = |tune| machine.costs(&context, tune).scattered(Access::Load, float, PLACE, true);
    // Skylake's gathers are quick, and those of Zen 3 are not.
    assert!(cost("skylake") < cost("znver3"), "{:?}, {:?}", cost("skylake"), cost("znver3"));
}
