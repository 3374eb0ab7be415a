//! The lists that follow from the features: extensions, feature macros, and what SPIR-V modules may use.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString};

use spirv::Capability;

use crate::extensions::{SPIRV_EXTENSIONS, Support, spirv_extension_row};
use crate::features::{CFeature, Extension, Feature};
use crate::{DeviceCaps, Version};

/// What the present features make up together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lists {
    extensions: Vec<Extension>,
    c_features: Vec<CFeature>,
    spirv_versions: Vec<(u8, u8)>,
    spirv_capabilities: Vec<Capability>,
    spirv_extensions: Vec<&'static str>,
    spirv_sets: Vec<&'static str>,
    /// Names as C strings, for the queries that answer with pointers; they live as long as the process.
    spirv_extension_names: &'static [&'static CStr],
    spirv_set_names: &'static [&'static CStr],
}

impl Lists {
    /// Without the extensions that are `hidden`.
    pub(crate) fn new(features: &[Feature], hidden: &[&str]) -> Self {
        let rows = || features.iter().map(|feature| feature.row());
        let mut extensions: Vec<_> = rows().flat_map(|row| row.extensions).copied().collect();
        extensions.retain(|extension| !hidden.contains(&extension.name));
        extensions.sort_by_key(|extension| extension.name);
        let capabilities: BTreeSet<_> =
            rows().flat_map(|row| row.spirv_capabilities).map(|capability| *capability as u32).collect();
        let mut versions: Vec<_> = rows().flat_map(|row| row.spirv_versions).copied().collect();
        versions.sort_unstable();
        let spirv_extensions: Vec<_> = rows().flat_map(|row| row.spirv_extensions).copied().collect();
        let spirv_sets: Vec<_> = rows().flat_map(|row| row.spirv_sets).copied().collect();
        Lists {
            extensions,
            c_features: rows().flat_map(|row| row.c_features).copied().collect(),
            spirv_versions: versions,
            spirv_capabilities: capabilities.into_iter().filter_map(Capability::from_u32).collect(),
            spirv_extension_names: leak(&spirv_extensions),
            spirv_set_names: leak(&spirv_sets),
            spirv_extensions,
            spirv_sets,
        }
    }
}

/// The names as C strings that are never freed: `DeviceCaps` is made once per process.
fn leak(names: &[&str]) -> &'static [&'static CStr] {
    let strings = names.iter().map(|name| &*Box::leak(CString::new(*name).unwrap_or_default().into_boxed_c_str()));
    Box::leak(strings.collect())
}

impl DeviceCaps {
    /// Extensions that the device lists, in alphabetical order.
    pub fn device_extensions(&self) -> impl Iterator<Item = Extension> + '_ {
        self.lists.extensions.iter().copied().filter(|extension| !extension.platform_only)
    }

    /// Extensions that the platform lists: its own, and those of its only root device.
    pub fn platform_extensions(&self) -> impl Iterator<Item = Extension> + '_ {
        self.lists.extensions.iter().copied()
    }

    /// Feature macros of OpenCL C.
    pub fn c_features(&self) -> &[CFeature] {
        &self.lists.c_features
    }

    /// Versions of OpenCL C that kernels may be written in, newest first. Of OpenCL C 2.0, what is optional before and behind
    /// it is there as far as the device has it.
    pub fn c_versions(&self) -> &'static [Version] {
        &[Version(3, 1, 0), Version(3, 0, 0), Version(2, 0, 0), Version(1, 2, 0), Version(1, 1, 0), Version(1, 0, 0)]
    }

    /// The newest version of OpenCL C of which everything is there. OpenCL C 3.0 counts only with all its optional
    /// features.
    pub fn whole_c_version(&self) -> Version {
        Version(1, 2, 0)
    }

    /// SPIR-V versions, oldest first.
    pub fn spirv_versions(&self) -> &[(u8, u8)] {
        &self.lists.spirv_versions
    }

    /// Whether modules of a SPIR-V version are accepted.
    pub fn spirv_version(&self, major: u8, minor: u8) -> bool {
        self.lists.spirv_versions.contains(&(major, minor))
    }

    /// SPIR-V capabilities, by number.
    pub fn spirv_capabilities(&self) -> &[Capability] {
        &self.lists.spirv_capabilities
    }

    /// Whether modules may declare a capability: one that is offered, or one of which nothing is offered because it
    /// changes nothing.
    pub fn spirv_capability(&self, capability: Capability) -> bool {
        self.lists.spirv_capabilities.contains(&capability)
            || SPIRV_EXTENSIONS.iter().any(|row| row.capabilities.contains(&capability))
    }

    /// SPIR-V extensions.
    pub fn spirv_extensions(&self) -> &[&'static str] {
        &self.lists.spirv_extensions
    }

    /// Whether modules may name an extension: one that is offered, or one that changes nothing.
    pub fn spirv_extension(&self, name: &str) -> bool {
        self.lists.spirv_extensions.contains(&name)
            || spirv_extension_row(name).is_some_and(|row| row.support == Support::Ignored)
    }

    /// Whether modules may import an instruction set. Sets that mean nothing for execution are always accepted.
    pub fn spirv_instruction_set(&self, name: &str) -> bool {
        name.starts_with("NonSemantic.") || self.lists.spirv_sets.contains(&name)
    }

    pub(crate) fn spirv_extension_names(&self) -> &'static [&'static CStr] {
        self.lists.spirv_extension_names
    }

    pub(crate) fn spirv_set_names(&self) -> &'static [&'static CStr] {
        self.lists.spirv_set_names
    }
}
