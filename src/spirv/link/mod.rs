//! Several modules as one: ids renumbered, types and constants unified, imports joined to exports.

mod declare;
mod ids;
mod merge;
mod reach;
mod recursive;
mod rewrite;
mod symbols;

use std::fmt;

use crate::module::Module;
use ids::Ids;
use merge::Merge;
pub(crate) use merge::is_debug;
pub use rewrite::{is_imported_printf, with_printf, with_weak_exports};
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

/// Links `modules`, which are free of specialisation constants and were valid each for itself. With `library`, imports
/// that no module gives may stay.
///
/// Debug information is kept, names of what was joined aside.
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
