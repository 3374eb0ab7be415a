//! Version, capabilities, extensions, instruction sets and models: what the device offers.

use oxicl_caps::spirv_extension_row;
use oxicl_spirv::InstructionSet;
use oxicl_spirv::grammar::{AddressingModel, Capability, MemoryModel, Op};

use crate::at::Subject;
use crate::rule::Rule;
use crate::violation::{Location, Report, fault};

/// Checks the sections before the entry points.
pub(crate) fn check(subject: Subject<'_>, report: &mut Report) {
    let module = subject.module;
    let at = |op, offset| Location { op, result: None, offset };
    let (major, minor) = module.version;
    if !subject.caps.spirv_version(major, minor) {
        let detail = format!("SPIR-V {major}.{minor} is not offered by this device");
        report.check(at(None, 1), fault(Rule::EnvironmentVersion, detail));
    }
    for (capability, offset) in &module.capabilities {
        if !subject.caps.spirv_capability(*capability) {
            let detail = format!("the capability {capability:?} is not offered by this device");
            report.check(at(Some(Op::Capability), *offset), fault(Rule::EnvironmentCapability, detail));
        }
    }
    for (extension, offset) in &module.extensions {
        if !subject.caps.spirv_extension(extension) {
            let reason = match spirv_extension_row(extension) {
                Some(row) => row.note,
                None => "it does not know it",
            };
            let detail = format!("the extension `{extension}` is not offered by this device: {reason}");
            report.check(at(Some(Op::Extension), *offset), fault(Rule::EnvironmentExtension, detail));
        }
    }
    let mut sets: Vec<_> = module.instruction_sets.values().collect();
    sets.sort_by_key(|(_, offset)| *offset);
    for (set, offset) in sets {
        let name = match set {
            InstructionSet::OpenClStd => "OpenCL.std",
            InstructionSet::OpenClDebugInfo100 => "OpenCL.DebugInfo.100",
            InstructionSet::NonSemantic(_) => continue,
            InstructionSet::Unknown(name) => name.as_str(),
        };
        if !subject.caps.spirv_instruction_set(name) {
            let detail = format!("the instruction set `{name}` is not offered by this device");
            report.check(at(Some(Op::ExtInstImport), *offset), fault(Rule::EnvironmentInstructionSet, detail));
        }
    }
    for (op, offset) in &module.others {
        let detail = format!("{} is not supported by this device at module level", oxicl_spirv::op_name(*op));
        report.check(at(Some(*op), *offset), fault(Rule::NotSupported, detail));
    }
    models(subject, report);
}

fn models(subject: Subject<'_>, report: &mut Report) {
    let Some((addressing, memory, offset)) = subject.module.memory_model else {
        let location = Location { op: None, result: None, offset: 0 };
        report.check(location, fault(Rule::MemoryModelDeclared, "there is no OpMemoryModel"));
        return;
    };
    let location = Location { op: Some(Op::MemoryModel), result: None, offset };
    report.check(location, subject.declared.needs(&[Capability::Kernel], "the memory model OpenCL"));
    report.check(location, subject.declared.needs(&[Capability::Addresses], "the addressing model Physical64"));
    if addressing != AddressingModel::Physical64 {
        let detail = format!("the addressing model is {addressing:?}; this device has 64-bit addresses (Physical64)");
        report.check(location, fault(Rule::EnvironmentModel, detail));
    }
    if memory != MemoryModel::OpenCL {
        let detail = format!("the memory model is {memory:?}, not OpenCL");
        report.check(location, fault(Rule::EnvironmentModel, detail));
    }
}
