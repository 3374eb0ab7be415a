//! Features that single functions are compiled with, or without.

use oxicl_llvm::{Module, Place, Value};
use oxicl_ops::attribute;
use oxicl_target::{Ability, Target};

use crate::functions_with;

/// Makes functions with [`attribute::MASK_A_REGISTER`] keep each mask in a register of its own. With AVX-512 BW, which
/// has masks of 64 lanes, LLVM joins the masks of several vectors in one register and splits it at each use, which
/// takes longer than the use. So these functions are compiled without AVX-512 BW.
pub(crate) fn keep_masks_apart(module: &Module<'_>, target: &Target) {
    if target.can(Ability::LongMasks) {
        change(module, functions_with(module, attribute::MASK_A_REGISTER), target, "-avx512bw");
    }
}

/// Keeps LLVM's vectorisers from gathers and scatters in functions without gangs, where these are no faster than
/// accesses one by one, and slower if what was stored is loaded again soon, which LLVM's costs do not know. (In gangs
/// `workgroup` decides on gathers.)
pub(crate) fn access_one_by_one(module: &Module<'_>, target: &Target) {
    if !target.can(Ability::Gather) || target.can(Ability::FastGather) {
        return;
    }
    let has_gangs = |function: &Value<'_>| function.attribute_text(Place::Function, attribute::GANGS).is_some();
    let without_gangs = module.functions().into_iter().filter(|function| !has_gangs(function));
    change(module, without_gangs, target, "+prefer-no-gather,+prefer-no-scatter");
}

/// Adds features to those that functions are compiled with, or takes some away.
fn change<'m>(module: &'m Module<'_>, functions: impl Iterator<Item = Value<'m>>, target: &Target, changes: &str) {
    let features = format!("{},{changes}", target.features.join(","));
    let attribute = module.context().text_attribute("target-features", &features);
    functions.for_each(|function| function.add_attribute(Place::Function, attribute));
}
