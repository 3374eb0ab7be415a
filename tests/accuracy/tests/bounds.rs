//! Every function within its bound: a sample in the normal suite, every input in the long one.

use oxicl_accuracy::document::{bound, rows};
use oxicl_accuracy::format::Format;
use oxicl_accuracy::kernel::{Kernels, Machine};
use oxicl_accuracy::measure::{Inputs, Subject, countable};
use oxicl_accuracy::table::{Bound, Function, functions};

fn exists(function: &Function, format: Format, relaxed: bool) -> bool {
    function.relaxed == relaxed && !matches!(function.bound(format), Bound::None)
}

/// Measures the functions of a format, `inputs` of each.
fn hold(format: Format, relaxed: bool, machine: Machine, inputs: impl Fn(&Subject<'_>) -> Inputs) {
    let all: Vec<Function> = functions().into_iter().filter(|f| exists(f, format, relaxed)).collect();
    let pairs: Vec<(&Function, Format)> = all.iter().map(|f| (f, format)).collect();
    let kernels = Kernels::compile(&pairs, machine).expect("the kernels compile");
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut failures = Vec::new();
    for (number, function) in all.iter().enumerate() {
        let subject = Subject { function, format, kernels: &kernels, number };
        let found = subject.measure(inputs(&subject), threads).expect("the kernel runs");
        assert!(found.count > 0, "{} was not measured", function.key(format));
        println!("{}: {} over {}, {}", function.key(format), found.worst, found.count, found.text);
        if found.wrong > 0 {
            failures.push(format!(
                "{}: {} wrong\n  {}",
                function.key(format),
                found.wrong,
                found.examples.join("\n  ")
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn some(count: u64) -> impl Fn(&Subject<'_>) -> Inputs {
    move |_| Inputs::Samples(count)
}

#[test]
fn half_functions_of_one_operand_are_within_their_bounds_for_every_half() {
    hold(Format::Half, false, Machine::Host, |subject| {
        if subject.function.arity == 1 { Inputs::All } else { Inputs::Samples(4096) }
    });
}

#[test]
fn float_functions_are_within_their_bounds() {
    hold(Format::Float, false, Machine::Host, some(4096));
}

#[test]
fn float_functions_of_unsafe_builds_are_within_their_relaxed_bounds() {
    hold(Format::Float, true, Machine::Host, some(4096));
}

#[test]
fn double_functions_are_within_their_bounds() {
    hold(Format::Double, false, Machine::Host, some(2048));
}

#[test]
fn float_functions_are_within_their_bounds_without_fused_operations() {
    hold(Format::Float, false, Machine::Oldest, some(1024));
}

#[test]
fn double_functions_are_within_their_bounds_without_fused_operations() {
    hold(Format::Double, false, Machine::Oldest, some(1024));
}

/// What the compiler is held against: no result is further from the exact one than half a unit.
fn rounds_correctly(format: Format) {
    let mut failures = Vec::new();
    let all: Vec<Function> = functions().into_iter().filter(|f| exists(f, format, false)).collect();
    let pairs: Vec<(&Function, Format)> = all.iter().map(|f| (f, format)).collect();
    let kernels = Kernels::interpret(&pairs).expect("the kernels are valid");
    for (number, function) in all.iter().enumerate() {
        let subject = Subject { function, format, kernels: &kernels, number };
        let found = subject.measure(Inputs::Samples(64), 1);
        let found = found.unwrap_or_else(|fault| panic!("{}: {fault}", function.key(format)));
        let rounded = !matches!(function.bound(format), Bound::Ulps(_) | Bound::Flushed(_)) || found.worst <= 0.5;
        if found.wrong > 0 || !rounded {
            let (key, worst, text) = (function.key(format), found.worst, &found.text);
            failures.push(format!("{key}: {worst}, {} wrong: {text}\n  {}", found.wrong, found.examples.join("\n  ")));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_reference_device_rounds_every_function_of_floats_correctly() {
    rounds_correctly(Format::Float);
}

#[test]
#[ignore = "a minute: the reference device is slow"]
fn the_reference_device_rounds_every_function_of_halves_correctly() {
    rounds_correctly(Format::Half);
}

#[test]
#[ignore = "a minute: the reference device is slow"]
fn the_reference_device_rounds_every_function_of_doubles_correctly() {
    rounds_correctly(Format::Double);
}

#[test]
#[ignore = "hours: every float of every function of one operand, every pair of halves, a million samples of all others"]
fn every_input_that_can_be_tried_is_within_the_bounds() {
    for format in Format::ALL {
        for relaxed in [false, true] {
            hold(format, relaxed, Machine::Host, |subject| {
                if countable(subject.function, format) { Inputs::All } else { Inputs::Samples(1 << 20) }
            });
        }
    }
}

/// The document is what the command writes; its numbers come from long runs, everything else from the table.
#[test]
fn the_document_has_a_row_with_its_bound_for_every_function() {
    let text = include_str!("../../../docs/accuracy.md");
    let mut wanted = Vec::new();
    for format in Format::ALL {
        for function in functions() {
            if !matches!(function.bound(format), Bound::None) {
                wanted.push((function.name.clone(), bound(function.bound(format))));
            }
        }
    }
    assert_eq!(rows(text), wanted, "`cargo xtask accuracy` writes docs/accuracy.md");
}
