//! Streaming stores, which bypass the caches. `workgroup` calls a function for each; it is defined and inlined after LLVM's
//! other passes, as these would merge its two stores into one.

use oxicl_llvm::{Builder, IntPredicate, Linkage, Metadata, Module, Place, Value};
use oxicl_ops::symbol::parse_streaming_store;
use oxicl_target::LINE;

/// A frequency: how many ordinary stores there are to a streaming one. Launches that touch less memory than the caches hold
/// are the usual ones, and the others wait for memory anyway.
const OFTEN_ORDINARY: u32 = 31;

/// Defines the functions for streaming stores, to be inlined. Is there one?
pub(crate) fn define(module: &Module<'_>) -> bool {
    let functions = module.functions().into_iter();
    let stores: Vec<_> =
        functions.filter_map(|function| Some((function, parse_streaming_store(&function.name())?))).collect();
    for (function, align) in &stores {
        define_one(module, *function, *align);
    }
    !stores.is_empty()
}

fn define_one<'m>(module: &'m Module<'_>, function: Value<'m>, align: u32) {
    let context = module.context();
    let [value, address, mask] = function.parameters()[..] else { return };
    let b = Builder::new(context);
    let [entry, streaming, ordinary] = ["", "streaming", "ordinary"].map(|name| function.append_block(context, name));
    b.position_at_end(entry);
    let masked = b.and(b.ptr_to_int(address, mask.ty()), mask);
    let branch = b.cond_br(b.icmp(IntPredicate::Eq, masked, mask.ty().zero()), streaming, ordinary);
    branch.set_branch_weights(context, &[1, OFTEN_ORDINARY]);
    b.position_at_end(streaming);
    let store = b.store(value, address, LINE as u32);
    let one = Metadata::from_constant(context.int_type(32).const_int(1));
    store.set_metadata(context, context.metadata_kind("nontemporal"), context.metadata_node(&[one]));
    b.ret_void();
    b.position_at_end(ordinary);
    b.store(value, address, align);
    b.ret_void();
    function.set_linkage(Linkage::Internal);
    if let Some(attribute) = context.attribute("alwaysinline", 0) {
        function.add_attribute(Place::Function, attribute);
    }
}
