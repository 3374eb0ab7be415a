//! Each operation has one name, and no other crate writes one out.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use oxicl_ops::{
    Collective, Combine, MachineOperation, NamedBarrier, NotAnOperation, Operation, Query, SubGroup, is_collective,
    library,
};

/// Every operation; queries about a dimension are about each.
fn operations() -> Vec<Operation> {
    let queries = Query::ALL.into_iter().flat_map(|query| match query.dimension() {
        Some(_) => (0..3).map(|dimension| query.along(dimension)).collect(),
        None => vec![query],
    });
    let combined = Combine::ALL.into_iter().flat_map(|combine| {
        let collective = [Collective::Reduce, Collective::Inclusive, Collective::Exclusive];
        let sub_group = [SubGroup::Reduce, SubGroup::Inclusive, SubGroup::Exclusive, SubGroup::Clustered];
        let collective = collective.map(|kind| Operation::Collective(kind(combine)));
        collective.into_iter().chain(sub_group.map(|kind| Operation::SubGroup(kind(combine)))).collect::<Vec<_>>()
    });
    let sub_group = [SubGroup::Barrier, SubGroup::Ballot, SubGroup::Shuffle, SubGroup::Broadcast];
    let others =
        [Operation::StorageClass, Operation::Barrier, Operation::Print, Operation::Collective(Collective::Broadcast)];
    let named_barriers = NamedBarrier::ALL.map(Operation::NamedBarrier);
    let sub_group = sub_group.map(Operation::SubGroup);
    queries.map(Operation::Query).chain(combined).chain(sub_group).chain(named_barriers).chain(others).collect()
}

fn dimension(operation: Operation) -> Option<u64> {
    match operation {
        Operation::Query(query) => query.dimension().map(u64::from),
        _ => None,
    }
}

#[test]
fn an_operation_is_what_its_name_says() {
    let operations = operations();
    for operation in &operations {
        assert_eq!(Operation::parse(&operation.name(), dimension(*operation)), Ok(*operation));
    }
    let names: HashSet<_> = operations.iter().map(|operation| (operation.name(), dimension(*operation))).collect();
    assert_eq!(names.len(), operations.len(), "no two have one name");
}

#[test]
fn the_type_of_values_is_no_part_of_an_operation() {
    for operation in operations() {
        let typed = Operation::parse(&operation.name_for("v4i32"), dimension(operation));
        match operation {
            Operation::Collective(_) | Operation::SubGroup(_) => assert_eq!(typed, Ok(operation)),
            Operation::NamedBarrier(_) => assert_eq!(typed, Err(NotAnOperation::Unknown), "{operation:?}"),
            _ => assert_eq!(typed, Err(NotAnOperation::Other), "{operation:?} takes no values of any type"),
        }
    }
}

#[test]
fn operations_are_told_from_library_functions() {
    assert_eq!(Operation::parse("oxicl.global_id", Some(1)), Ok(Operation::Query(Query::GlobalId(1))));
    assert_eq!(Operation::parse("oxicl.global_id", Some(3)), Err(NotAnOperation::WithoutDimension));
    assert_eq!(Operation::parse("oxicl.local_size", None), Err(NotAnOperation::WithoutDimension));
    let sum = Operation::Collective(Collective::Reduce(Combine::Add));
    assert_eq!(Operation::parse("oxicl.group.reduce.add.i32", None), Ok(sum));
    let scan = Operation::SubGroup(SubGroup::Exclusive(Combine::FMin));
    assert_eq!(Operation::parse("oxicl.sub_group.scan_exclusive.fmin.f32", None), Ok(scan));
    assert_eq!(Operation::parse("oxicl.sub_group.elect", None), Err(NotAnOperation::Unknown));
    assert_eq!(Operation::parse("oxicl.sub_group_size", None), Ok(Operation::Query(Query::SubGroupSize)));
    assert_eq!(Operation::parse("oxicl.group.add.i32", None), Err(NotAnOperation::Unknown));
    assert_eq!(Operation::parse("oxicl.named_barrier.open", None), Err(NotAnOperation::Unknown));
    assert_eq!(Operation::parse("oxicl.exp.f32", None), Err(NotAnOperation::Other));
    assert_eq!(Operation::parse("global_id", Some(0)), Err(NotAnOperation::Other));
    assert!(library::is_of_library("oxicl.exp.f32") && !library::is_of_library("oxicl.local_linear_id"));
}

#[test]
fn work_items_meet_in_collective_operations_and_in_no_others() {
    for operation in operations() {
        let meets = match operation {
            Operation::Barrier | Operation::Collective(_) | Operation::SubGroup(_) | Operation::NamedBarrier(_) => true,
            Operation::Query(_) | Operation::StorageClass | Operation::Print => false,
        };
        assert_eq!(is_collective(&operation.name()), meets, "{operation:?}");
    }
    assert!(
        is_collective("oxicl.sub_group.elect"),
        "what is refused later is not left in a function that is not inlined"
    );
    assert!(!is_collective("oxicl.exp.f32") && !is_collective("barrier"));
}

#[test]
fn instructions_of_the_machine_are_told_from_the_functions_that_they_stand_for() {
    for (name, library) in MachineOperation::names().zip(MachineOperation::library_names()) {
        assert!(MachineOperation::parse(&name).is_some() && library::is_of_library(&library), "{name}");
        assert_eq!(MachineOperation::parse(&library), None, "{library} has a body");
    }
    let scale = MachineOperation::names().filter(|name| MachineOperation::parse(name) == Some(MachineOperation::Scale));
    assert_eq!(scale.collect::<Vec<_>>(), ["oxicl.machine.scale.f32", "oxicl.machine.scale.f64"]);
}

/// The Rust files at or below a folder, but for tests and examples.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("readable").path());
    let is_test = |path: &Path| ["tests", "examples"].iter().any(|name| path.ends_with(name));
    let found = paths.filter(|path| !is_test(path)).flat_map(|path| match path.is_dir() {
        true => sources(&path),
        false => vec![path],
    });
    found.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

#[test]
fn no_other_crate_writes_a_name_out() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders =
        ["src/lower", "src/prepare", "src/optimize", "src/workgroup", "src/compiler", "src/builtins", "xtask/mca"];
    let files: Vec<_> = folders.iter().flat_map(|folder| sources(&root.join(folder))).collect();
    assert!(files.len() > 150, "the sources are there: {} files", files.len());
    for path in files {
        let text = fs::read_to_string(&path).expect("readable");
        // Tests write out what they expect.
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (line, number) in code.lines().zip(1..) {
            let is_comment = line.trim_start().starts_with("//");
            assert!(is_comment || !line.contains("\"oxicl."), "{}:{number}: {line}", path.display());
        }
    }
}
