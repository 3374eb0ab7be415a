//! Several modules as one: ids renumbered, types and constants unified, imports joined to exports.

mod merge;
mod symbols;

use std::collections::HashMap;
use std::fmt;

use crate::module::{Id, Module};
use merge::Merge;
use symbols::Symbols;

/// Why modules could not be linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkError {
    /// One sentence.
    pub message: String,
}

impl LinkError {
    fn new(message: impl Into<String>) -> Self {
        LinkError { message: message.into() }
    }
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LinkError {}

/// The largest id bound of a module.
const MAX_BOUND: u32 = 4_194_304;

/// Links `modules`, which are free of specialisation constants and were valid each for itself. With `library`, imports
/// that no module gives may stay.
///
/// Debug information is left out.
///
/// # Errors
/// Names that are missing, given twice or of different types; memory models or entry points that collide.
pub fn link(modules: &[&Module], library: bool) -> Result<Vec<u32>, Vec<LinkError>> {
    let mut ids = Ids::new(modules).map_err(|error| vec![error])?;
    let (symbols, mut errors) = Symbols::resolve(modules, library);
    for (module, id, target) in &symbols.aliases {
        let target = ids.get(target.0, target.1);
        ids.alias(*module, *id, target);
    }
    let merge = Merge::new(modules, &mut ids, &symbols);
    match merge.run() {
        Ok((words, mut found)) => {
            found.extend(symbols.check_types(modules, &ids));
            errors.append(&mut found);
            if errors.is_empty() { Ok(words) } else { Err(errors) }
        }
        Err(error) => {
            errors.push(error);
            Err(errors)
        }
    }
}

/// Which id of the result stands for an id of a module.
struct Ids {
    /// What is added to the ids of each module.
    base: Vec<u32>,
    /// Ids that stand for another module's, or for an equal declaration before.
    aliases: Vec<HashMap<Id, u32>>,
    bound: u32,
}

impl Ids {
    fn new(modules: &[&Module]) -> Result<Ids, LinkError> {
        let mut base = Vec::with_capacity(modules.len());
        let mut bound = 1u32;
        for module in modules {
            // Ids begin at 1, and so does the bound.
            base.push(bound - 1);
            bound = bound.saturating_add(module.bound - 1);
        }
        if bound > MAX_BOUND {
            return Err(LinkError::new(format!("the modules have more than {MAX_BOUND} ids together")));
        }
        Ok(Ids { base, aliases: vec![HashMap::new(); modules.len()], bound })
    }

    fn get(&self, module: usize, id: Id) -> u32 {
        match self.aliases.get(module).and_then(|aliases| aliases.get(&id)) {
            Some(alias) => *alias,
            None => self.base.get(module).copied().unwrap_or_default() + id.number(),
        }
    }

    fn alias(&mut self, module: usize, id: Id, target: u32) {
        if let Some(aliases) = self.aliases.get_mut(module) {
            aliases.insert(id, target);
        }
    }

    /// `id` is declared by the result itself, not replaced by another.
    fn is_own(&self, module: usize, id: Id) -> bool {
        self.aliases.get(module).is_some_and(|aliases| !aliases.contains_key(&id))
    }
}
