//! Declared capabilities, those they imply, extensions, and what needs them.

use std::collections::HashSet;

use oxicl_spirv::grammar::Capability;
use oxicl_spirv::{Module, Requirement, implied_capabilities};

use crate::rule::Rule;
use crate::violation::{Check, fault};

/// What a module declares.
#[derive(Debug)]
pub(crate) struct Declared {
    /// Capabilities, and what these imply.
    capabilities: HashSet<Capability>,
    /// Extensions, without `SPV_` and the vendor.
    extensions: HashSet<String>,
    version: (u8, u8),
}

/// The name of an extension without `SPV_` and the vendor, which changes when an extension is taken over by others.
fn subject(extension: &str) -> &str {
    let rest = extension.strip_prefix("SPV_").unwrap_or(extension);
    rest.split_once('_').map_or(rest, |(_, subject)| subject)
}

impl Declared {
    pub(crate) fn of(module: &Module) -> Declared {
        let mut capabilities = HashSet::new();
        let mut queue: Vec<Capability> = module.capabilities.iter().map(|(capability, _)| *capability).collect();
        while let Some(capability) = queue.pop() {
            if capabilities.insert(capability) {
                queue.extend(implied_capabilities(capability));
            }
        }
        let extensions = module.extensions.iter().map(|(name, _)| subject(name).to_owned()).collect();
        Declared { capabilities, extensions, version: module.version }
    }

    pub(crate) fn has(&self, capability: Capability) -> bool {
        self.capabilities.contains(&capability)
    }

    /// `what` needs one of `any`.
    pub(crate) fn needs(&self, any: &[Capability], what: &str) -> Check {
        if any.is_empty() || any.iter().any(|capability| self.has(*capability)) {
            return Ok(());
        }
        let names: Vec<String> = any.iter().map(|capability| format!("{capability:?}")).collect();
        fault(Rule::CapabilityDeclared, format!("{what} needs the capability {}", names.join(" or ")))
    }

    /// The module has what the grammar says that `what` needs.
    pub(crate) fn meets(&self, requirement: &Requirement, what: &str) -> Check {
        self.needs(&requirement.capabilities, what)?;
        if requirement.version.is_some_and(|version| self.version >= version)
            || requirement.extensions.iter().any(|extension| self.extensions.contains(subject(extension)))
        {
            return Ok(());
        }
        let extensions = requirement.extensions.join(" or ");
        let (of_major, of_minor) = self.version;
        match requirement.version {
            Some((major, minor)) if extensions.is_empty() => fault(
                Rule::VersionReached,
                format!("{what} needs SPIR-V {major}.{minor}; the module is of SPIR-V {of_major}.{of_minor}"),
            ),
            Some((major, minor)) => fault(
                Rule::VersionReached,
                format!(
                    "{what} needs SPIR-V {major}.{minor}, or the extension {extensions}; the module is of SPIR-V \
                     {of_major}.{of_minor}"
                ),
            ),
            // What no version has and no extension brings is there by its capability alone.
            None if extensions.is_empty() => Ok(()),
            None => fault(Rule::ExtensionDeclared, format!("{what} needs the extension {extensions}")),
        }
    }
}
