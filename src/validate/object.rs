//! Modules that are yet to be linked.

use std::sync::Arc;

use oxicl_spirv::grammar::LinkageType;
use oxicl_spirv::{Intrinsic, Module};

use crate::ValidModule;
use crate::violation::Warning;

/// A module that broke no rule, but may import functions and variables that others define. Only
/// [`validate_object`](crate::validate_object) makes one. It can be linked; what has no imports is a [`ValidModule`].
#[derive(Clone, Debug)]
pub struct ValidObject {
    module: Arc<ValidModule>,
    imports: Vec<String>,
}

impl ValidObject {
    pub(crate) fn new(module: ValidModule) -> Self {
        let imports = imports(module.module());
        ValidObject { module: Arc::new(module), imports }
    }

    /// The module.
    pub fn module(&self) -> &Module {
        self.module.module()
    }

    /// What was accepted although the specifications do not allow it, in module order.
    pub fn warnings(&self) -> &[Warning] {
        self.module.warnings()
    }

    /// Names that it imports.
    pub fn imports(&self) -> &[String] {
        &self.imports
    }

    /// The module, if it imports nothing.
    ///
    /// # Errors
    /// The names that it imports.
    pub fn complete(&self) -> Result<Arc<ValidModule>, &[String]> {
        if self.imports.is_empty() { Ok(Arc::clone(&self.module)) } else { Err(&self.imports) }
    }
}

/// Names of functions and variables that are declared only. Built-in variables and intrinsics are given by the device.
fn imports(module: &Module) -> Vec<String> {
    let variables = module.globals.iter().filter(|variable| module.built_in(variable.id).is_none());
    let functions = module.functions.iter().map(|function| function.id);
    let functions = functions.filter(|function| Intrinsic::of(module, *function).is_none());
    let ids = variables.map(|variable| variable.id).chain(functions);
    let imported = ids.filter_map(|id| module.linkage(id)).filter(|(_, linkage)| *linkage == LinkageType::Import);
    imported.map(|(name, _)| name).collect()
}
