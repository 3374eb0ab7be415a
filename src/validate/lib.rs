//! Proves a [`Module`] valid against the universal rules and the OpenCL environment.
//!
//! - **Takes**: a decoded module and the device's capabilities. Specialisation constants have been folded.
//! - **Gives**: a [`ValidModule`] with the facts learned on the way, or every [`Violation`] found.
//! - **Never**: panics; lets anything pass that a later stage cannot compile or would have to refuse.
//! - **Spec**: SPIR-V 1.6 section 2.16 (universal/), OpenCL SPIR-V environment specification (opencl/).
#![forbid(unsafe_code)]

mod at;
pub mod command;
mod facts;
mod object;
mod opencl;
mod quirk;
mod rule;
mod supported;
mod universal;
mod violation;
mod words;

use std::collections::HashMap;

use oxicl_caps::DeviceCaps;
use oxicl_spirv::grammar::Op;
use oxicl_spirv::{DecodeError, Layouts, Module, Specialised};

use at::Subject;
pub use facts::Facts;
pub use facts::addresses::{Address, Addresses};
use facts::block::program_block;
use facts::calls::Calls;
pub use object::ValidObject;
pub use opencl::scopes::order_as_scope;
pub use quirk::Quirk;
pub use rule::Rule;
use universal::capabilities::Declared;
use violation::{Fault, Report, Warnings};
pub use violation::{Location, Violation, Warning};

/// A module that broke no rule, and what was learned of it. Only [`validate`] makes one,
/// or [`validate_object`] where nothing is imported.
#[derive(Clone, Debug)]
pub struct ValidModule {
    module: Module,
    layouts: Layouts,
    addresses: Addresses,
    facts: Facts,
    warnings: Vec<Warning>,
}

impl ValidModule {
    /// The module.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Sizes, alignments and member offsets of its types.
    pub fn layouts(&self) -> &Layouts {
        &self.layouts
    }

    /// Its constants that are addresses.
    pub fn addresses(&self) -> &Addresses {
        &self.addresses
    }

    /// What was learned of it.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// What was accepted although the specifications do not allow it, in module order.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}

/// Is `op`, in a function, an instruction that needs nothing but numbers and memory? Its operands are another matter.
/// Images and samplers come from the host, so a module alone cannot show instructions that take them.
pub fn supports(op: Op) -> bool {
    accepts(op) && supported::images(op).is_none()
}

/// Holds `module` against all rules.
///
/// # Errors
/// The rules it breaks, in module order; the search ends after a hundred.
pub fn validate(module: Module, caps: &DeviceCaps) -> Result<ValidModule, Vec<Violation>> {
    check_all(module, caps, false, None)
}

/// Whether bodies of functions may have an instruction, given the capabilities that it needs.
pub fn accepts(op: Op) -> bool {
    supported::instruction(op).is_some()
}

/// As [`validate`], for a module that is yet to be linked: it may import functions and variables.
///
/// # Errors
/// As [`validate`].
pub fn validate_object(module: Module, caps: &DeviceCaps) -> Result<ValidObject, Vec<Violation>> {
    check_all(module, caps, true, None).map(ValidObject::new)
}

/// As [`validate_object`], for a module whose specialisation constants are yet to get their values: those that `constants`
/// has by `SpecId`, else their defaults.
///
/// # Errors
/// As [`validate`]; places are those in `module`.
pub fn validate_specialised(
    module: Module,
    constants: &HashMap<u32, u64>,
    caps: &DeviceCaps,
) -> Result<ValidObject, Vec<Violation>> {
    if !module.constants.iter().any(|constant| constant.spec) {
        return validate_object(module, caps);
    }
    check_unspecialised(&module, caps)?;
    let not_folded = |error: &DecodeError, offset| {
        let mut report = Report::default();
        let op = module.words.get(offset as usize).and_then(|word| Op::from_u32(word & 0xffff));
        let fault = Fault { rule: Rule::Specialisation, detail: error.message.clone() };
        report.add(Location { op, result: None, offset }, fault);
        report.in_words(&module, None)
    };
    let specialised =
        oxicl_spirv::specialise(&module, constants).map_err(|error| not_folded(&error, error.word_offset))?;
    let folded = oxicl_spirv::decode(&specialised.words)
        .map_err(|error| not_folded(&error, specialised.origin(error.word_offset)))?;
    check_all(folded, caps, true, Some((&module, &specialised))).map(ValidObject::new)
}

/// Holds constants and decorations against the rules that specialisation relies on, or leaves no trace of.
fn check_unspecialised(module: &Module, caps: &DeviceCaps) -> Result<(), Vec<Violation>> {
    let layouts = Layouts::of(module);
    let declared = Declared::of(module);
    let holders = opencl::images::holders(module);
    let warnings = Warnings::default();
    let subject = Subject {
        module,
        layouts: &layouts,
        declared: &declared,
        holders: &holders,
        caps,
        warnings: &warnings,
        is_object: true,
        folded: false,
        unspecialised: true,
    };
    let mut report = Report::default();
    universal::requirements::check(subject, &mut report);
    universal::logical_layout::check(subject, &mut report);
    universal::annotations::check(subject, &mut report);
    universal::constants::check_unspecialised(subject, &mut report);
    if report.is_empty() { Ok(()) } else { Err(report.in_words(module, None)) }
}

/// What a module was made of by specialisation, where it was: places are told in that one.
type Before<'m> = Option<(&'m Module, &'m Specialised)>;

fn check_all(
    module: Module,
    caps: &DeviceCaps,
    is_object: bool,
    before: Before<'_>,
) -> Result<ValidModule, Vec<Violation>> {
    let layouts = Layouts::of(&module);
    let addresses = Addresses::of(&module, &layouts);
    let declared = Declared::of(&module);
    let holders = opencl::images::holders(&module);
    let warnings = Warnings::default();
    let subject = Subject {
        module: &module,
        layouts: &layouts,
        declared: &declared,
        holders: &holders,
        caps,
        warnings: &warnings,
        is_object,
        folded: before.is_some(),
        unspecialised: false,
    };
    let mut report = Report::default();
    let facts = check(subject, &addresses, &mut report);
    let (told, specialised) = match before {
        Some((told, specialised)) => (told, Some(specialised)),
        None => (&module, None),
    };
    if report.is_empty() {
        let warnings = warnings.in_words(told, specialised);
        Ok(ValidModule { module, layouts, addresses, facts, warnings })
    } else {
        Err(report.in_words(told, specialised))
    }
}

/// All checks, from the header to the bodies.
fn check(subject: Subject<'_>, addresses: &Addresses, report: &mut Report) -> Facts {
    universal::requirements::check(subject, report);
    universal::logical_layout::check(subject, report);
    opencl::offers::check(subject, report);
    universal::debug::check(subject, report);
    universal::annotations::check(subject, report);
    universal::aliasing::check(subject, report);
    universal::types::check(subject, report);
    universal::constants::check(subject, addresses, report);
    universal::variables::check(subject, report);
    opencl::built_ins::check(subject, report);
    opencl::linkage::check(subject, report);
    let calls = Calls::of(subject.module, addresses);
    let kernels = opencl::entry_points::check(subject, &calls, report);
    universal::interface::check(subject, &calls, addresses, report);
    opencl::recursion::check(subject, &calls, report);
    universal::functions::check(subject, report);
    let program_block = match program_block(subject, addresses) {
        Ok(block) => block,
        Err((place, fault)) => {
            report.add(place.unwrap_or(Location { op: None, result: None, offset: 0 }), fault);
            oxicl_abi::ProgramBlock::default()
        }
    };
    Facts { kernels, program_block }
}
