//! Accesses to global, to constant and to local memory do not overlap, in LLVM's terms: it has address spaces, but for these machines
//! does not know what they mean.
//!
//! So a sum in global memory that a loop forms of numbers in local memory is kept in a register, and lanes access it once.
//!
//! **Spec**: OpenCL C 3.0, 6.7 (the named address spaces are disjoint); OpenCL API 3.0, 3.3.1 (constant memory stays as it is while a
//! kernel runs).

use oxicl_llvm::{Context, Metadata, Module, Opcode, Value};

/// The address spaces, with the name of each one's scope.
const SPACES: [(u32, &str); 3] = [(1, "global"), (2, "constant"), (3, "local")];

/// Marks the accesses of all functions, if they are to several of the address spaces.
pub(crate) fn mark<'m>(module: &'m Module<'_>, context: &'m Context) {
    let accesses: Vec<_> = module
        .functions()
        .into_iter()
        .flat_map(|function| function.blocks())
        .flat_map(|block| block.instructions())
        .filter_map(|inst| Some((inst, space(inst)?)))
        .collect();
    let is_used = |space: &usize| accesses.iter().any(|(_, of)| of == space);
    if (0..SPACES.len()).filter(is_used).count() < 2 {
        return;
    }
    let [scope, apart] = ["alias.scope", "noalias"].map(|kind| context.metadata_kind(kind));
    let domain = context.metadata_node(&[context.metadata_string("address spaces")]);
    let scopes = SPACES.map(|(_, name)| context.metadata_node(&[context.metadata_string(name), domain]));
    let list = |is_in: &dyn Fn(usize) -> bool| {
        let scopes: Vec<Metadata<'_>> = (0..scopes.len()).filter(|n| is_in(*n)).map(|n| scopes[n]).collect();
        context.metadata_node(&scopes)
    };
    // What the module says of an access itself stays.
    for (inst, space) in accesses.iter().filter(|(inst, _)| !inst.has_metadata(scope) && !inst.has_metadata(apart)) {
        inst.set_metadata(context, scope, list(&|other| other == *space));
        inst.set_metadata(context, apart, list(&|other| other != *space));
    }
}

/// Which of the address spaces an instruction accesses one place of.
fn space(inst: Value<'_>) -> Option<usize> {
    let address = match inst.opcode() {
        Some(Opcode::Load | Opcode::AtomicRmw | Opcode::AtomicCmpXchg) => inst.operand(0)?,
        Some(Opcode::Store) => inst.operand(1)?,
        _ => return None,
    };
    SPACES.iter().position(|(space, _)| *space == address.ty().address_space())
}
