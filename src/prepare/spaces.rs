//! Accesses to global and to local memory do not overlap, and constant memory does not change while a kernel runs, in LLVM's terms: it
//! has address spaces, but for these machines does not know what they mean.
//!
//! So a sum in global memory that a loop forms of numbers in local memory is kept in a register, and lanes access it once.
//!
//! **Spec**: OpenCL C 3.0, 6.7 (the named address spaces are disjoint); OpenCL API 3.0, 3.3.1 (constant memory).

use oxicl_llvm::{Context, Module, Opcode, Value};

const GLOBAL: u32 = 1;
const CONSTANT: u32 = 2;
const LOCAL: u32 = 3;

/// Marks the accesses of all functions.
pub(crate) fn mark<'m>(module: &'m Module<'_>, context: &'m Context) {
    let accesses: Vec<_> = module
        .functions()
        .into_iter()
        .flat_map(|function| function.blocks())
        .flat_map(|block| block.instructions())
        .filter_map(|inst| Some((inst, space(inst)?)))
        .collect();
    for (load, _) in accesses.iter().filter(|(inst, space)| *space == CONSTANT && inst.opcode() == Some(Opcode::Load)) {
        load.set_metadata(context, context.metadata_kind("invariant.load"), context.metadata_node(&[]));
    }
    let has = |space: u32| accesses.iter().any(|(_, of)| *of == space);
    if !has(GLOBAL) || !has(LOCAL) {
        return;
    }
    let [scope, apart] = ["alias.scope", "noalias"].map(|kind| context.metadata_kind(kind));
    let domain = context.metadata_node(&[context.metadata_string("oxicl.spaces")]);
    let list = |name: &str| {
        let scope = context.metadata_node(&[context.metadata_string(name), domain]);
        context.metadata_node(&[scope])
    };
    let (global, local) = (list("oxicl.global"), list("oxicl.local"));
    // What the module says of an access itself stays.
    for (inst, space) in accesses.iter().filter(|(inst, _)| !inst.has_metadata(scope) && !inst.has_metadata(apart)) {
        let (own, other) = match *space {
            GLOBAL => (global, local),
            LOCAL => (local, global),
            _ => continue,
        };
        inst.set_metadata(context, scope, own);
        inst.set_metadata(context, apart, other);
    }
}

/// The address space that an instruction accesses one place of.
fn space(inst: Value<'_>) -> Option<u32> {
    let address = match inst.opcode() {
        Some(Opcode::Load | Opcode::AtomicRmw | Opcode::AtomicCmpXchg) => inst.operand(0),
        Some(Opcode::Store) => inst.operand(1),
        _ => None,
    };
    Some(address?.ty().address_space())
}
