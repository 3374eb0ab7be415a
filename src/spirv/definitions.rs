//! What each id stands for.

use std::collections::HashMap;

use crate::module::{Def, Id};

/// Definitions by id. Ids of real modules are dense; a module whose ids are sparse must not cost memory in proportion
/// to its largest id, so it gets a map.
#[derive(Clone, Debug)]
pub struct Definitions(Storage);

#[derive(Clone, Debug)]
enum Storage {
    Dense(Vec<Def>),
    Sparse(HashMap<Id, Def>),
}

impl Definitions {
    /// An empty table for a module with `words` words whose ids are smaller than `bound`.
    pub(crate) fn new(bound: u32, words: usize) -> Self {
        let bound = bound as usize;
        if bound <= words.max(1024) {
            Definitions(Storage::Dense(vec![Def::None; bound]))
        } else {
            Definitions(Storage::Sparse(HashMap::new()))
        }
    }

    /// What `id` stands for.
    pub fn get(&self, id: Id) -> Def {
        match &self.0 {
            Storage::Dense(defs) => defs.get(id.number() as usize).copied().unwrap_or_default(),
            Storage::Sparse(defs) => defs.get(&id).copied().unwrap_or_default(),
        }
    }

    /// Defines `id`; the former definition, if there is one, comes back.
    pub(crate) fn set(&mut self, id: Id, def: Def) -> Def {
        match &mut self.0 {
            Storage::Dense(defs) => match defs.get_mut(id.number() as usize) {
                Some(slot) => std::mem::replace(slot, def),
                None => Def::None,
            },
            Storage::Sparse(defs) => defs.insert(id, def).unwrap_or_default(),
        }
    }
}
