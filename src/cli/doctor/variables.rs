//! Environment variables of oxicl.

use oxicl_caps::VARIABLES;

use crate::doctor::Finding;
use crate::system::System;

const ABOUT: &str = "variables";

/// Those that are set.
pub fn set(system: &System) -> Vec<Finding> {
    let is_set = |name: &&&str| system.variables.get(**name).is_some_and(|value| !value.is_empty());
    let shown = |name: &&str| format!("{name}={}", system.variables[*name].to_string_lossy());
    let set: Vec<String> = VARIABLES.iter().filter(is_set).map(shown).collect();
    let finding = match set.as_slice() {
        [] => Finding::ok(ABOUT, "No variable of oxicl is set."),
        set => Finding::note(ABOUT, format!("These variables of oxicl are set: {}.", set.join(", "))),
    };
    vec![finding]
}

/// Those that look like oxicl's and are not.
pub fn unknown(system: &System) -> Vec<Finding> {
    // Tests of oxicl have a name of their own.
    let looks = |name: &&String| name.starts_with("OXICL_") && !name.starts_with("OXICL_TEST_");
    let unknown = system.variables.keys().filter(looks).filter(|name| !VARIABLES.contains(&name.as_str()));
    let told = |name: &String| match oxicl_caps::meant(name) {
        Some(meant) => {
            let value = system.variables[name].to_string_lossy();
            Finding::problem(ABOUT, format!("{name} is no variable of oxicl, and is ignored; {meant} is one."))
                .mend(format!("unset {name}; export {meant}='{value}'"))
        }
        None => Finding::problem(ABOUT, format!("{name} is no variable of oxicl, and is ignored."))
            .mend(format!("unset {name}")),
    };
    unknown.map(told).collect()
}

/// Those whose values are not obeyed.
pub fn misunderstood(system: &System) -> Vec<Finding> {
    let wrong = VARIABLES.iter().filter_map(|name| {
        let sentence = oxicl_caps::misunderstood(name, system.variables.get(*name)?)?;
        Some(Finding::problem(ABOUT, format!("{sentence}.")).mend(format!("unset {name}")))
    });
    let refused = system.config.refused.iter().map(|sentence| Finding::problem(ABOUT, format!("{sentence}.")));
    wrong.chain(refused).collect()
}
