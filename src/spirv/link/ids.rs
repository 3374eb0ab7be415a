//! Which id of the result stands for an id of a module.

use std::collections::HashMap;

use super::LinkError;
use crate::module::{Id, Module};
use crate::types::TypeRef;

/// The largest id bound of a module.
const MAX_BOUND: u32 = 4_194_304;

/// Ids of all modules, by module and id.
pub(super) struct Ids {
    /// What is added to the ids of each module.
    base: Vec<u32>,
    /// Ids that stand for another module's, or for an equal declaration before.
    aliases: Vec<HashMap<Id, u32>>,
    pub(super) bound: u32,
}

impl Ids {
    pub(super) fn new(modules: &[&Module]) -> Result<Ids, LinkError> {
        let mut base = Vec::with_capacity(modules.len());
        let mut bound = 1u32;
        for module in modules {
            // Ids begin at 1, and so does the bound.
            base.push(bound - 1);
            bound = bound.saturating_add(module.bound.saturating_sub(1));
        }
        let ids = Ids { base, aliases: vec![HashMap::new(); modules.len()], bound };
        ids.check_bound().map(|()| ids)
    }

    /// Are there no more ids than a module may have?
    pub(super) fn check_bound(&self) -> Result<(), LinkError> {
        match self.bound {
            ..=MAX_BOUND => Ok(()),
            _ => Err(LinkError::new(format!("the modules have more than {MAX_BOUND} ids together"))),
        }
    }

    pub(super) fn get(&self, module: usize, id: Id) -> u32 {
        match self.aliases.get(module).and_then(|aliases| aliases.get(&id)) {
            Some(alias) => *alias,
            None => self.base.get(module).copied().unwrap_or_default() + id.number(),
        }
    }

    /// The id in the result of a type of `of`, which is module number `module`.
    pub(super) fn of_type(&self, module: usize, of: &Module, ty: TypeRef) -> Option<u32> {
        of.type_ids.get(ty.0 as usize).map(|id| self.get(module, *id))
    }

    pub(super) fn alias(&mut self, module: usize, id: Id, target: u32) {
        if let Some(aliases) = self.aliases.get_mut(module) {
            aliases.insert(id, target);
        }
    }

    /// An id that no module has.
    pub(super) fn fresh(&mut self) -> u32 {
        self.bound += 1;
        self.bound - 1
    }

    /// `id` is declared by the result itself, not replaced by another.
    pub(super) fn is_own(&self, module: usize, id: Id) -> bool {
        self.aliases.get(module).is_some_and(|aliases| !aliases.contains_key(&id))
    }
}
