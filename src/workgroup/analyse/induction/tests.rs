//! What is found of small kernels: text, and what the analysis says of it.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{Bound, Step, Steps, Wrap, counter, next, recurrence, wrap};
use oxicl_target::Target;

use crate::analyse::graph::{Graph, graph};
use crate::analyse::regions::region;
use crate::analyse::shape::{Given, Layout, Shape, Shapes, shapes};
use crate::ir::{Function, InstId, IntPredicate, Kind, Label, Operand, StateId, parse};
use crate::prices::Prices;

/// A function that was read, and its blocks.
struct Case {
    function: Function<'static>,
    graph: Graph,
}

/// A loop, block 1, with `body`, which begins with phis of the blocks 0 and 1 and ends with a truth `%more`.
fn looped(body: &str) -> String {
    format!(
        "function @k(ptr addrspace(1) %p, i64 %n, i32 %m) {{\nblock 0:\n\
         %id = call i64 @oxicl.global_id(i32 0) pure\n%size = call i64 @oxicl.global_size(i32 0) pure\nbr block 1\n\
         block 1:\n{body}\nbr i1 %more, block 1, block 2\nblock 2:\nret void\n}}"
    )
}

/// Looks at the function of a text.
fn with<T>(text: &str, look: impl FnOnce(&Case) -> T) -> T {
    let prices = Prices::of(&Target::named("x86-64-v3").expect("a machine"));
    let function = parse(text, &prices).unwrap_or_else(|why| panic!("{why}:\n{text}"));
    let graph = graph(&function, &region(&function, vec![StateId(0)])).expect("a graph");
    look(&Case { function, graph })
}

impl Case {
    fn named(&self, name: &str) -> InstId {
        let place = self.function.insts.iter().position(|inst| inst.label == Label::Name(name.into()));
        InstId(place.unwrap_or_else(|| panic!("there is no %{name}")) as u32)
    }

    fn operand(&self, name: &str) -> Operand {
        Operand::Inst(self.named(name))
    }

    fn shapes(&self) -> Shapes {
        let given = Given {
            parameters: &vec![Shape::Uniform; self.function.parameters.len()],
            strides: &HashMap::new(),
            interleaved: &HashMap::new(),
            read_only: &HashSet::new(),
            layout: Layout::Rows,
            sub_group_size: 16,
            coalescing: None,
            checks_rows: false,
            apart: &BTreeSet::new(),
        };
        shapes(&self.function, given)
    }
}

#[test]
fn a_step_is_what_a_value_goes_on_by_in_each_iteration() {
    let phis = "%i = phi i64 [0, block 0], [%j, block 1]\n%t = phi i64 [%id, block 0], [%u, block 1]\n\
                %o = phi i64 [1, block 0], [%q, block 1]\n%c = phi i32 [0, block 0], [%d, block 1]\n\
                %j = add i64 %i, 3\n%u = add i64 %t, %size\n%q = mul i64 %o, 3\n%d = add i32 %c, -1\n\
                %more = icmp ult i64 %j, %n\n";
    for (body, step) in [
        ("%v = add i64 %i, %id", Step::By(3)),
        ("%v = add i64 %id, 7", Step::By(0)),
        ("%v = sub i64 %n, %i", Step::By(-3)),
        ("%w = mul i64 %i, 5\n%v = sub i64 %w, %i", Step::By(12)),
        ("%v = shl i64 %i, 4", Step::By(48)),
        ("%v = mul i64 %n, %i", Step::Evenly),
        ("%v = mul i64 %i, %i", Step::Anyhow),
        ("%v = add i64 %t, %i", Step::Evenly),
        ("%v = add i64 %o, %i", Step::Anyhow),
        ("%v = or i64 %i, 1", Step::Anyhow),
        ("%v = or disjoint i64 %i, 1", Step::By(3)),
        ("%v = and i64 %i, 255", Step::Anyhow),
        ("%v = sext i32 %c to i64", Step::By(-1)),
        ("%v = freeze i64 %i", Step::By(3)),
        ("%v = getelementptr float, ptr addrspace(1) %p, i64 %i", Step::By(12)),
        ("%v = getelementptr {i64, [4 x i16]}, ptr addrspace(1) %p, i64 %i, i32 1, i64 %i", Step::By(54)),
        ("%v = getelementptr float, ptr addrspace(1) %p, i64 %t", Step::Evenly),
        ("%w = getelementptr i64, ptr addrspace(1) %p, i64 %i\n%v = load i64, ptr addrspace(1) %w", Step::Anyhow),
        ("%v = load i64, ptr addrspace(1) %p", Step::Anyhow),
        ("%v = call i64 @oxicl.global_id(i32 0)", Step::By(0)),
        ("%v = mul i64 %i, 9223372036854775807", Step::Anyhow),
    ] {
        with(&looped(&format!("{phis}{body}")), |case| {
            let steps = Steps::new(&case.function, &case.graph, 0);
            assert_eq!(steps.of(case.operand("v")), step, "{body}");
        });
    }
}

#[test]
fn a_counter_goes_on_evenly_only_by_what_stays() {
    for (by, step) in [
        ("%by = mul i64 %n, 2", Step::Evenly),
        ("%by = call i64 @oxicl.global_size(i32 0)", Step::Evenly),
        ("%by = mul i64 %i, 2", Step::Anyhow),
        ("%by = load i64, ptr addrspace(1) %p", Step::Anyhow),
    ] {
        let body = format!(
            "%i = phi i64 [0, block 0], [%j, block 1]\n{by}\n%j = add i64 %i, %by\n%more = icmp ult i64 %j, %n"
        );
        with(&looped(&body), |case| {
            let steps = Steps::new(&case.function, &case.graph, 0);
            assert_eq!((steps.of(case.operand("i")), steps.of(case.operand("j"))), (step, step), "{by}");
        });
    }
}

#[test]
fn what_an_inner_loop_counts_goes_on_as_it_begins() {
    let text = "function @k(ptr addrspace(1) %p, i64 %n) {\nblock 0:\nbr block 1\n\
         block 1:\n%i = phi i64 [0, block 0], [%next, block 3]\n%first = mul i64 %i, 10\nbr block 2\n\
         block 2:\n%k = phi i64 [%first, block 1], [%l, block 2]\n%c = phi i64 [%i, block 1], [%d, block 2]\n\
         %at = getelementptr i32, ptr addrspace(1) %p, i64 %k\nstore i32 0, ptr addrspace(1) %at\n\
         %l = add i64 %k, 1\n%d = add i64 %c, %i\n%more = icmp ult i64 %l, %n\n\
         br i1 %more, block 2, block 3\n\
         block 3:\n%next = add i64 %i, 1\n%again = icmp ult i64 %next, %n\n\
         br i1 %again, block 1, block 4\nblock 4:\nret void\n}";
    with(text, |case| {
        let steps = |number| Steps::new(&case.function, &case.graph, number);
        let (outer, inner) = (steps(0), steps(1));
        assert_eq!(case.graph.loops[1].parent, Some(0));
        assert_eq!([outer.of(case.operand("at")), inner.of(case.operand("at"))], [Step::By(40), Step::By(4)]);
        // By another number in each iteration around it.
        assert_eq!([outer.of(case.operand("c")), inner.of(case.operand("c"))], [Step::Anyhow, Step::Evenly]);
        assert_eq!([outer.of(case.operand("i")), inner.of(case.operand("i"))], [Step::By(1), Step::By(0)]);
    });
}

#[test]
fn a_recurrence_is_a_phi_that_is_added_to() {
    for (body, found) in [
        // The sum, what is added, and whether to the phi as it is.
        ("%i = phi i64 [0, block 0], [%j, block 1]\n%j = add i64 %i, 4", Some((Some(4), true))),
        ("%i = phi i64 [0, block 0], [%j, block 1]\n%j = add i64 %size, %i", Some((None, true))),
        (
            "%i = phi i64 [0, block 0], [%j, block 1]\n%s = shl i64 %i, 32\n%t = ashr i64 %s, 32\n%j = add i64 %t, 4",
            Some((None, false)),
        ),
        ("%i = phi i64 [0, block 0], [%j, block 1]\n%j = add i64 %i, %i", None),
        ("%i = phi i64 [0, block 0], [%j, block 1]\n%j = mul i64 %i, 4", None),
        ("%i = phi i64 [0, block 0], [%id, block 1]\n%j = add i64 %i, 4", None),
        (
            "%i = phi <2 x i64> [zeroinitializer, block 0], [%v, block 1]\n%v = add <2 x i64> %i, splat (i64 4)\n\
             %j = extractelement <2 x i64> %v, i32 0",
            None,
        ),
    ] {
        with(&looped(&format!("{body}\n%more = icmp ult i64 %j, %n")), |case| {
            let recurrence = recurrence(&case.function, case.named("i"));
            assert_eq!(recurrence.as_ref().map(|r| (r.step(), r.is_whole)), found, "{body}");
            if let Some(recurrence) = recurrence {
                let latch = case.graph.blocks[case.graph.loops[0].latch];
                assert_eq!(next(&case.function, recurrence.phi, latch), Some(Operand::Inst(recurrence.next)), "{body}");
                assert!(matches!(recurrence.starts[..], [start] if case.function.as_u64(start) == Some(0)));
            }
        });
    }
}

#[test]
fn a_number_is_followed_to_its_counter_through_casts_and_a_constant() {
    let phi = "%i = phi i64 [0, block 0], [%j, block 1]\n%j = add i64 %i, %size\n%more = icmp ult i64 %j, %n\n";
    for (body, is_counted) in [
        ("%v = freeze i64 %i", true),
        ("%w = trunc i64 %i to i32\n%v = sext i32 %w to i64", true),
        ("%v = and i64 %i, 4294967295", true),
        ("%w = add i64 %i, -1\n%v = and i64 %w, 4294967295", true),
        ("%v = add i64 %i, %id", false),
        ("%v = mul i64 %i, 2", false),
    ] {
        with(&looped(&format!("{phi}{body}")), |case| {
            let found = counter(&case.function, case.operand("v")).map(|counter| counter.phi);
            assert_eq!(found, is_counted.then(|| case.named("i")), "{body}");
        });
    }
}

#[test]
fn bounds_are_what_branches_compare_counters_with() {
    let phi = |step: &str| format!("%i = phi i32 [0, block 0], [%j, block 1]\n%j = add i32 %i, {step}\n");
    for (step, compare, predicate, most) in [
        ("8", "%more = icmp ult i32 %j, 60", IntPredicate::Ult, Some(8)),
        ("8", "%more = icmp slt i32 %i, %m", IntPredicate::Slt, None),
        ("-8", "%more = icmp sgt i32 %j, 60", IntPredicate::Sgt, None),
        ("%m", "%more = icmp ult i32 %j, 60", IntPredicate::Ult, None),
        ("1", "%w = zext i32 %j to i64\n%more = icmp ne i64 %w, 16", IntPredicate::Ne, Some(16)),
    ] {
        with(&looped(&format!("{}{compare}", phi(step))), |case| {
            let [bound] = &case.graph.loops[0].bounds[..] else { panic!("no bound: {compare}") };
            assert_eq!((bound.counter.phi, bound.predicate), (case.named("i"), predicate), "{compare}");
            assert!(bound.leaves, "{compare}");
            assert_eq!(bound.most_iterations(), most, "{compare}");
        });
    }
    with(&looped(&format!("{}%more = icmp ult i32 %m, 60", phi("1"))), |case| {
        assert_eq!(case.graph.loops[0].bounds, []);
    });
    let both = "%few = icmp ult i32 %i, 5\n%on = icmp ne i32 %m, %j\n%more = select i1 %few, i1 %on, i1 false";
    with(&looped(&format!("{}{both}", phi("1"))), |case| {
        let found = &case.graph.loops[0].bounds;
        assert_eq!(found.iter().map(Bound::most_iterations).collect::<Vec<_>>(), [Some(5), None]);
    });
}

#[test]
fn a_window_at_an_edge_has_as_many_iterations_as_it_is_wide() {
    let clamped = |start: &str, end: &str, compare: &str| {
        format!(
            "function @k(ptr addrspace(1) %p, i64 %n, i32 %m) {{\nblock 0:\n\
             %id = call i64 @oxicl.global_id(i32 0) pure\n%x = trunc i64 %id to i32\n\
             %low = call i32 @llvm.smax.i32(i32 %x, i32 2) pure\n%from = add i32 %low, {start}\n\
             %far = add i32 %x, {end}\n%high = call i32 @llvm.smin.i32(i32 %far, i32 %m) pure\nbr block 1\n\
             block 1:\n%i = phi i32 [%from, block 0], [%j, block 1]\n%j = add nsw i32 %i, 1\n\
             %more = icmp {compare} i32 %i, %high\nbr i1 %more, block 1, block 2\nblock 2:\nret void\n}}"
        )
    };
    for (start, end, compare, most) in
        [("-2", "2", "sle", Some(5)), ("-1", "1", "slt", Some(2)), ("-1", "1", "sgt", Some(3)), ("3", "1", "slt", None)]
    {
        with(&clamped(start, end, compare), |case| {
            let [bound] = &case.graph.loops[0].bounds[..] else { panic!("no bound") };
            assert_eq!(bound.most_iterations(), most, "{start} {compare} {end}");
        });
    }
}

#[test]
fn a_remainder_is_shorter_than_what_it_is_left_of() {
    let left = |rounded: &str| {
        format!(
            "function @k(ptr addrspace(1) %p, i64 %n, i32 %m) {{\nblock 0:\n{rounded}\nbr block 1\n\
             block 1:\n%i = phi i32 [%from, block 0], [%j, block 1]\n%j = add nsw i32 %i, 1\n\
             %more = icmp slt i32 %j, %m\nbr i1 %more, block 1, block 2\nblock 2:\nret void\n}}"
        )
    };
    for (rounded, most) in [
        ("%from = and i32 %m, -4", Some(3)),
        ("%rest = srem i32 %m, 10\n%from = sub i32 %m, %rest", Some(9)),
        ("%more_than_m = add i32 %m, 2\n%from = and i32 %more_than_m, -8", Some(5)),
        ("%from = and i32 %m, -6", None),
        ("%from = and i32 %m, 4", None),
        ("%rest = srem i32 %m, 10\n%from = sub i32 %rest, %m", None),
    ] {
        with(&left(rounded), |case| {
            let [bound] = &case.graph.loops[0].bounds[..] else { panic!("no bound") };
            assert_eq!(bound.most_iterations(), most, "{rounded}");
        });
    }
}

#[test]
fn a_branch_within_a_loop_does_not_end_it() {
    let text = "function @k(ptr addrspace(1) %p, i64 %n) {\nblock 0:\nbr block 1\n\
         block 1:\n%i = phi i64 [0, block 0], [%j, block 3]\n%few = icmp ult i64 %i, 12\n\
         br i1 %few, block 2, block 3\nblock 2:\nstore i32 0, ptr addrspace(1) %p\nbr block 3\n\
         block 3:\n%j = add i64 %i, 4\n%more = icmp ult i64 %j, %n\nbr i1 %more, block 1, block 4\nblock 4:\nret void\n}";
    with(text, |case| {
        let found: Vec<_> = case.graph.loops[0].bounds.iter().map(|b| (b.leaves, b.most_iterations())).collect();
        assert_eq!(found, [(false, None), (true, None)]);
    });
}

#[test]
fn a_number_wraps_between_lanes_unless_something_keeps_it_from_that() {
    for (body, signed, unsigned) in [
        ("%v = freeze i64 %id", Wrap::Possible, Wrap::Possible),
        ("%v = add i64 %id, %n", Wrap::Possible, Wrap::Possible),
        ("%v = add nsw i64 %id, %n", Wrap::Promised, Wrap::Possible),
        ("%v = add nuw i64 %id, %n", Wrap::Possible, Wrap::Promised),
        ("%w = mul nuw nsw i64 %id, 3\n%v = sub nuw nsw i64 %w, %n", Wrap::Promised, Wrap::Promised),
        ("%w = mul i64 %id, 3\n%v = sub nuw nsw i64 %w, %n", Wrap::Possible, Wrap::Possible),
        ("%w = trunc i64 %id to i32\n%v = sext i32 %w to i64", Wrap::Never, Wrap::Possible),
        ("%w = trunc i64 %id to i32\n%v = zext i32 %w to i64", Wrap::Never, Wrap::Never),
        ("%w = trunc i64 %id to i32\n%x = add i32 %w, %m\n%v = zext i32 %x to i64", Wrap::Promised, Wrap::Promised),
    ] {
        with(&looped(&format!("{body}\n%more = icmp ult i64 %v, %n")), |case| {
            let (shapes, number) = (case.shapes(), case.operand("v"));
            let found = [true, false].map(|signed| wrap(&case.function, &shapes, number, signed));
            assert_eq!(found, [signed, unsigned], "{body}");
        });
    }
    with(&looped("%more = icmp ult i64 %id, %n"), |case| {
        let place = |inst: &crate::ir::Inst<'_>| matches!(inst.kind, Kind::Query(_));
        assert!(case.function.insts.iter().any(place));
        assert_eq!(wrap(&case.function, &case.shapes(), case.operand("id"), false), Wrap::Never);
    });
}
