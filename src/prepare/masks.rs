//! Which functions keep each mask in a register of its own.

use oxicl_llvm::{Module, Place, Value};
use oxicl_ops::attribute;
use oxicl_target::{Ability, Target};

/// Has functions that want it keep each mask in a register of its own. With instructions for masks of 64 lanes LLVM joins the masks of
/// several vectors in one register and splits it at each use, which takes longer than the use: these functions are compiled without
/// such instructions.
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
