//! Prices of a few dozen operations on every machine, which follow from LLVM and the tables alone: they are the same wherever this
//! runs. `OXICL_BLESS` writes `golden.tsv` anew.

use std::fmt::Write as _;
use std::path::Path;

use oxicl_llvm::{Access, Opcode};
use oxicl_target::Target;

use crate::prices::models::Table;
use crate::prices::{Latency, Move, Number, Operation, Prices, overrides};

const MACHINES: [&str; 4] = ["x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64"];

const GOLDEN: &str = include_str!("golden.tsv");

fn prices(machine: &str) -> Prices {
    Prices::new(&Target::named(machine).expect(machine))
}

/// What is asked of each machine.
fn questions() -> Vec<(Operation, Number, u32)> {
    use Number::{Double, Float, Half, Int};
    use Operation::{
        Arithmetic, ByConstant, Cast, Compare, Contiguous, Interleaved, Intrinsic, Masked, Scattered, Select,
    };
    let three = |access| Interleaved { access, factor: 3, used: 3 };
    vec![
        (Arithmetic(Opcode::Add), Int(32), 1),
        (Arithmetic(Opcode::Add), Int(8), 16),
        (Arithmetic(Opcode::Add), Int(32), 16),
        (Arithmetic(Opcode::Mul), Int(16), 16),
        (Arithmetic(Opcode::Mul), Int(64), 16),
        (Arithmetic(Opcode::Shl), Int(32), 16),
        (ByConstant(Opcode::Shl), Int(16), 16),
        (ByConstant(Opcode::UDiv), Int(16), 16),
        (Arithmetic(Opcode::UDiv), Int(32), 1),
        (Arithmetic(Opcode::FAdd), Float, 1),
        (Arithmetic(Opcode::FAdd), Float, 16),
        (Arithmetic(Opcode::FMul), Half, 16),
        (Arithmetic(Opcode::FDiv), Float, 16),
        (Arithmetic(Opcode::FDiv), Double, 16),
        (Cast(Opcode::SExt, Int(32)), Int(8), 16),
        (Cast(Opcode::Trunc, Int(8)), Int(32), 16),
        (Cast(Opcode::SIToFP, Float), Int(32), 16),
        (Cast(Opcode::SIToFP, Double), Int(64), 16),
        (Cast(Opcode::FPToSI, Int(64)), Double, 16),
        (Cast(Opcode::FPExt, Float), Half, 16),
        (Compare, Float, 16),
        (Select, Float, 16),
        (Intrinsic("llvm.fma", 3), Float, 16),
        (Intrinsic("llvm.sqrt", 1), Double, 16),
        (Intrinsic("llvm.minnum", 2), Float, 16),
        (Intrinsic("llvm.ctpop", 1), Int(32), 16),
        (Intrinsic("llvm.ctlz", 2), Int(32), 16),
        (Intrinsic("llvm.fshl", 3), Int(32), 16),
        (Contiguous(Access::Load), Float, 16),
        (Contiguous(Access::Store), Float, 16),
        (Masked(Access::Load), Float, 16),
        (Masked(Access::Store), Float, 16),
        (Masked(Access::Store), Int(8), 16),
        (Scattered(Access::Load), Float, 16),
        (Scattered(Access::Store), Int(8), 16),
        (three(Access::Load), Float, 16),
        (three(Access::Store), Int(8), 16),
        (Interleaved { access: Access::Load, factor: 4, used: 1 }, Float, 16),
        (Operation::Move(Move::Permute), Int(16), 16),
        (Operation::Move(Move::PermuteTwo), Int(32), 16),
        (Operation::Move(Move::Unpack), Float, 16),
        (Operation::Move(Move::Extract), Float, 16),
    ]
}

#[test]
fn prices_are_as_written_down() {
    let machines = MACHINES.map(prices);
    let mut text = format!("operation\tnumber\tlanes\t{}\n", MACHINES.join("\t"));
    for (operation, number, lanes) in questions() {
        _ = write!(text, "{operation:?}\t{number:?}\t{lanes}");
        machines.iter().for_each(|prices| _ = write!(text, "\t{:.2}", prices.of_lanes(operation, number, lanes)));
        text.push('\n');
    }
    for (of, number) in [
        (Latency::Add, Number::Float),
        (Latency::Fma, Number::Float),
        (Latency::Division, Number::Double),
        (Latency::SquareRoot, Number::Float),
        (Latency::Mul, Number::Int(32)),
        (Latency::Convert, Number::Int(32)),
    ] {
        for is_vector in [false, true] {
            _ = write!(text, "latency of {of:?}\t{number:?}\t{}", if is_vector { "many" } else { "1" });
            machines.iter().for_each(|prices| _ = write!(text, "\t{:.2}", prices.latency(of, number, is_vector)));
            text.push('\n');
        }
    }
    if std::env::var_os("OXICL_BLESS").is_some() {
        std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("prices/golden.tsv"), text).expect("writable");
        return;
    }
    assert_eq!(text, GOLDEN);
}

#[test]
fn what_fills_more_registers_costs_more() {
    for machine in MACHINES {
        let prices = prices(machine);
        for (operation, number, _) in questions() {
            let of = |lanes| prices.of_lanes(operation, number, lanes);
            let (few, many) = (of(16), of(128));
            assert!(few.is_finite() && few > 0.0, "{machine}: {operation:?} of {number:?}: {few}");
            let is_moved = matches!(operation, Operation::Move(Move::Extract));
            assert!(is_moved || few < many, "{machine}: {operation:?} of {number:?}: {few}, {many}");
        }
    }
}

#[test]
fn what_a_machine_cannot_do_costs_infinitely_much() {
    let prices = prices("x86-64-v3");
    // Floating-point sums are none of integers, and there is no intrinsic function of that name.
    assert_eq!(prices.of_lanes(Operation::Arithmetic(Opcode::FAdd), Number::Int(32), 8), f64::INFINITY);
    assert_eq!(prices.of_lanes(Operation::Intrinsic("llvm.none.of.that.name", 1), Number::Float, 8), f64::INFINITY);
}

#[test]
fn a_machine_that_llvm_does_not_have_has_no_prices_but_those_of_the_table() {
    let target = Target { triple: "no-such-machine".into(), ..Target::named("x86-64-v3").expect("a machine") };
    let prices = Prices::new(&target);
    assert_eq!(prices.of_lanes(Operation::Select, Number::Float, 8), f64::INFINITY);
    assert!(prices.of_lanes(Operation::Arithmetic(Opcode::FDiv), Number::Float, 8).is_finite());
}

#[test]
fn a_thread_asks_once_for_each_machine() {
    let target = Target::named("x86-64-v3").expect("a machine");
    let (one, other) = (Prices::of(&target), Prices::of(&target));
    assert!(std::rc::Rc::ptr_eq(&one, &other));
    one.of_lanes(Operation::Select, Number::Float, 8);
    assert_eq!(other.known.borrow().len(), 1);
    let without = Prices::of(&Target::named("x86-64-v2").expect("a machine"));
    assert!(!std::rc::Rc::ptr_eq(&one, &without));
    assert!(std::rc::Rc::ptr_eq(&one, &Prices::of(&target)));
}

#[test]
fn every_machine_has_all_rows_of_the_models() {
    let all = ["mul", "shl", "rotate"];
    for machine in MACHINES {
        let table = Table::of(&Target::named(machine).expect(machine));
        let has = |model, number, is_vector| {
            let cycles = table.cycles(model, number, is_vector);
            assert!(cycles.is_some_and(|cycles| cycles > 0.0), "{machine}: {model:?} of {number:?}");
        };
        for is_vector in [false, true] {
            for model in all {
                has(model, Number::Int(32), is_vector);
                has(model, Number::Int(64), is_vector);
            }
            for model in ["fdiv", "sqrt"] {
                has(model, Number::Float, is_vector);
                has(model, Number::Double, is_vector);
            }
            has("add", Number::Int(32), is_vector);
            has("fadd", Number::Float, is_vector);
            has("fmul", Number::Float, is_vector);
            has("load", if is_vector { Number::Float } else { Number::Int(32) }, is_vector);
            has("store", if is_vector { Number::Float } else { Number::Int(32) }, is_vector);
        }
        [8, 16, 32, 64].into_iter().for_each(|bits| has("masked store", Number::Int(bits), true));
        [32, 64].into_iter().for_each(|bits| has("udiv", Number::Int(bits), false));
        [32, 64].into_iter().for_each(|bits| has("sdiv", Number::Int(bits), false));
        has("permute", Number::Float, true);
        assert!(table.latency(Latency::Load, Number::Int(64), false) > 1.0, "{machine}");
    }
}

#[test]
fn overrides_are_few_and_documented() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/costs.md");
    let page = std::fs::read_to_string(page).expect("docs/costs.md");
    assert!(overrides::ALL.len() <= overrides::MOST, "{} overrides", overrides::ALL.len());
    for row in overrides::ALL {
        let line = format!("| {} | {} | {} | `{}` | {} |", row.of, row.cycles, row.processor, row.command, row.figure);
        assert!(page.contains(&line), "docs/costs.md lacks the row\n{line}");
    }
}
