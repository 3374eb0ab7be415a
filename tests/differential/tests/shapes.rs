//! Kernels of shapes that blow compilers up build, and are right.

use oxicl_differential::check_shape;
use oxicl_differential::shapes::SHAPES;

fn check(name: &str) {
    let shape = SHAPES.iter().find(|shape| shape.name == name).expect("a shape of that name");
    check_shape(shape).unwrap_or_else(|failure| panic!("{failure}"));
}

macro_rules! shapes {
    ($($test:ident: $name:literal,)*) => {
        $(#[test]
        fn $test() {
            check($name);
        })*

        #[test]
        fn every_shape_is_tested() {
            let tested = [$($name),*];
            for shape in SHAPES {
                assert!(tested.contains(&shape.name), "{} has no test", shape.name);
            }
        }
    };
}

shapes! {
    four_hundred_barriers: "four-hundred-barriers",
    four_thousand_barriers: "four-thousand-barriers",
    hundreds_of_barriers_in_branches: "three-hundred-barriers-in-branches",
    a_straight_line_of_ten_thousand_instructions: "straight-line-of-10000",
    sixty_four_nested_ifs: "sixty-four-nested-ifs",
    a_switch_of_a_thousand_cases: "switch-of-a-thousand-cases",
    a_chain_of_functions_that_call_the_former_twice: "chain-of-25-that-call-twice",
    five_hundred_calls_of_a_large_function: "five-hundred-calls-of-a-large-function",
}
