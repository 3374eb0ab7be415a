//! SPV_INTEL_memory_access_aliasing: accesses that do not overlap, as LLVM's scopes.

use std::collections::HashMap;

use oxicl_llvm::{Context, Metadata, Value};
use oxicl_spirv::{AliasKind, Id, Instruction, Module};
use spirv::Decoration;

use crate::body::Body;

/// The module's lists of scopes as metadata.
#[derive(Default)]
pub(crate) struct Lists<'a>(HashMap<Id, Metadata<'a>>);

impl<'a> Lists<'a> {
    /// Declarations only name earlier ones, so one pass in order does it. Ids make the names unique.
    pub fn of(context: &'a Context, module: &Module) -> Self {
        let name = |id: Id| context.metadata_string(&format!("alias.{}", id.number()));
        let mut all = HashMap::new();
        for alias in &module.aliases {
            let node = match &alias.kind {
                AliasKind::Domain => context.metadata_node(&[name(alias.id)]),
                AliasKind::Scope(domain) => match all.get(domain) {
                    Some(domain) => context.metadata_node(&[name(alias.id), *domain]),
                    None => continue,
                },
                AliasKind::List(scopes) => {
                    let scopes: Vec<_> = scopes.iter().filter_map(|scope| all.get(scope).copied()).collect();
                    context.metadata_node(&scopes)
                }
            };
            all.insert(alias.id, node);
        }
        Lists(all)
    }
}

/// Says of an access in which scopes it is, and of which it stays apart.
pub(crate) fn mark<'a>(body: &Body<'_, 'a>, access: Value<'a>, scopes: Option<Id>, apart: Option<Id>) {
    let context = body.unit.context;
    for (kind, list) in [("alias.scope", scopes), ("noalias", apart)] {
        if let Some(list) = list.and_then(|list| body.unit.aliases.0.get(&list)) {
            access.set_metadata(context, context.metadata_kind(kind), *list);
        }
    }
}

/// The same for what says it by decorations: calls and atomics.
pub(crate) fn mark_decorated<'a>(body: &Body<'_, 'a>, instruction: &Instruction, access: Value<'a>) {
    let list = |kind| {
        let decoration = body.unit.module.decoration(instruction.result?, kind)?;
        decoration.operands.first().copied().and_then(std::num::NonZeroU32::new).map(Id)
    };
    mark(body, access, list(Decoration::AliasScopeINTEL), list(Decoration::NoAliasINTEL));
}
