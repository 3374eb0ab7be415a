//! Which machine operations instructions are.

use oxicl_target::Target;

use super::operation::operation;
use crate::ir::{Function, Opcode, parse};
use crate::prices::{Number, Operation, Prices};

/// A function with one block.
fn function(body: &str) -> Function<'static> {
    let prices = Prices::of(&Target::named("x86-64-v3").expect("a machine"));
    let text = format!("function @k(ptr addrspace(1) %p, i32 %a, i32 %b, i8 %c) {{\nblock 0:\n{body}\nret void\n}}");
    parse(&text, &prices).unwrap_or_else(|why| panic!("{why}:\n{text}"))
}

#[test]
fn extending_a_truth_is_one_operation_of_the_result() {
    for (word, opcode) in [("zext", Opcode::ZExt), ("sext", Opcode::SExt)] {
        for bits in [8, 16, 32, 64] {
            let function = function(&format!("%t = icmp ult i32 %a, %b\n%x = {word} i1 %t to i{bits}"));
            let done = operation(&function, &function.insts[1]).expect("an operation");
            let one = (Operation::Arithmetic(Opcode::And), Number::Int(bits), 1.0);
            assert_eq!((done.operation, done.number, done.times), one, "{word} to {bits}");
        }
        // A number is moved to another place.
        let function = function(&format!("%x = {word} i8 %c to i32"));
        let done = operation(&function, &function.insts[0]).expect("an operation");
        assert_eq!((done.operation, done.number), (Operation::Cast(opcode, Number::Int(32)), Number::Int(8)));
    }
}
