//! Functions of the device library that the machine has instructions for.

use oxicl_llvm::{Module, Place};
use oxicl_ops::MachineOperation;

/// Makes calls of the device library's functions that AVX-512 has instructions for call functions without a body.
/// `workgroup` replaces the calls by these instructions. It writes bodies for functions that are still called then.
pub fn use_instructions(module: &Module<'_>) {
    let context = module.context();
    for (library, name) in MachineOperation::library_names().zip(MachineOperation::names()) {
        let Some(function) = module.function(&library) else { continue };
        let Some(ty) = function.value_type() else { continue };
        let declared = module.declare(&name, ty);
        for attribute in ["memory", "nounwind", "willreturn", "speculatable", "nocallback", "nofree", "nosync"] {
            if let Some(attribute) = context.attribute(attribute, 0) {
                declared.add_attribute(Place::Function, attribute);
            }
        }
        function.replace_uses_with(declared);
    }
}

/// Lets these functions of the device library be inlined, where the machine has no such instructions.
pub fn use_no_instructions(module: &Module<'_>) {
    for function in MachineOperation::library_names().filter_map(|name| module.function(&name)) {
        function.remove_attribute(Place::Function, "noinline");
    }
}
