//! Which functions have a mask a register.

use oxicl_llvm::{Module, Place, Value};
use oxicl_ops::attribute;
use oxicl_target::{Ability, Target};

/// Gives functions that want it a mask a register. With instructions for masks of 64 lanes LLVM keeps those of several
/// registers in one, and takes it apart at each use, which takes longer than the use: such functions have to do
/// without.
pub(crate) fn choose(module: &Module<'_>, target: &Target) {
    if !target.can(Ability::LongMasks) {
        return;
    }
    let wants = |function: &Value<'_>| function.attribute_text(Place::Function, attribute::MASK_A_REGISTER).is_some();
    for function in module.functions().into_iter().filter(wants) {
        let features = format!("{},-avx512bw", target.features.join(","));
        function.add_attribute(Place::Function, module.context().text_attribute("target-features", &features));
    }
}
