//! The block of program-scope variables.

use std::collections::{HashMap, HashSet};

use oxicl_abi::{ProgramBlock, behind};
use oxicl_spirv::grammar::{Op, StorageClass};
use oxicl_spirv::{ConstantKind, Def, Id, Type, TypeRef};

use super::addresses::Addresses;
use crate::at::Subject;
use crate::rule::Rule;
use crate::violation::{Check, Fault, Location, fault};

/// Lays out the block and writes its initial content. A fault comes with the variable whose initialiser it is in.
pub(crate) fn program_block(
    subject: Subject<'_>,
    addresses: &Addresses,
) -> Result<ProgramBlock, (Option<Location>, Fault)> {
    let members = members(subject, addresses);
    let mut block = ProgramBlock { align: 1, ..ProgramBlock::default() };
    let mut size = 0u64;
    for variable in subject.module.globals.iter().filter(|variable| members.contains(&variable.id)) {
        let Some((_, pointee)) = subject.pointer(variable.ty) else { continue };
        let Some(layout) = subject.layouts.get(pointee) else { continue };
        let align = layout.align.max(u64::from(subject.module.alignment(variable.id).unwrap_or(1))).next_power_of_two();
        let place = behind(size, layout.size, align);
        let Some(place) = place.filter(|place| place.end <= subject.caps.limits.max_global_variable_bytes) else {
            let most = subject.caps.limits.max_global_variable_bytes;
            let large = fault(Rule::DeviceLimit, format!("program-scope variables have more than {most} bytes"));
            return large.map_err(|fault| (None, fault));
        };
        block.offsets.insert(variable.id, place.start);
        block.align = block.align.max(u32::try_from(align).unwrap_or(u32::MAX));
        if variable.storage == StorageClass::CrossWorkgroup {
            block.global_bytes += layout.size;
        }
        size = place.end;
    }
    let length = usize::try_from(size).unwrap_or(usize::MAX);
    if block.initial.try_reserve_exact(length).is_err() {
        let none = fault(Rule::DeviceLimit, format!("there is no memory for {size} bytes of program-scope variables"));
        return none.map_err(|fault| (None, fault));
    }
    block.initial.resize(length, 0);
    let mut writer = Writer { subject, addresses, block };
    for variable in subject.module.globals.iter().filter(|variable| members.contains(&variable.id)) {
        if let (Some(initializer), Some((_, pointee))) = (variable.initializer, subject.pointer(variable.ty)) {
            let offset = writer.block.offsets.get(&variable.id).copied().unwrap_or_default();
            let place = Location { op: Some(Op::Variable), result: Some(variable.id), offset: variable.offset };
            writer.write(initializer, pointee, offset).map_err(|fault| (Some(place), fault))?;
        }
    }
    Ok(writer.block)
}

/// The variables of the block: CrossWorkgroup ones, and those that share an address with them, directly or through
/// others.
fn members(subject: Subject<'_>, addresses: &Addresses) -> HashSet<Id> {
    let module = subject.module;
    let mut neighbours: HashMap<Id, Vec<Id>> = HashMap::new();
    let mut link = |a: Id, b: Id| {
        neighbours.entry(a).or_default().push(b);
        neighbours.entry(b).or_default().push(a);
    };
    for variable in &module.globals {
        if let Some(initializer) = variable.initializer.filter(|initializer| addresses.holds(module, *initializer)) {
            link(variable.id, initializer);
        }
    }
    for constant in &module.constants {
        if let Some(address) = addresses.of_constant(constant.id) {
            link(constant.id, address.variable);
        }
        if let ConstantKind::Composite(parts) = &constant.kind {
            parts.iter().filter(|part| addresses.holds(module, **part)).for_each(|part| link(constant.id, *part));
        }
    }
    let mut found = HashSet::new();
    let mut queue: Vec<Id> = module
        .globals
        .iter()
        .filter(|variable| variable.storage == StorageClass::CrossWorkgroup)
        .map(|variable| variable.id)
        .collect();
    while let Some(id) = queue.pop() {
        // Pointers into local memory are refused below; they must not draw other variables in.
        let local = module.global(id).is_some_and(|variable| {
            !matches!(variable.storage, StorageClass::CrossWorkgroup | StorageClass::UniformConstant)
        });
        if !local && found.insert(id) {
            queue.extend(neighbours.get(&id).into_iter().flatten());
        }
    }
    found.retain(|id| matches!(module.def(*id), Def::Global(_)));
    found
}

struct Writer<'m> {
    subject: Subject<'m>,
    addresses: &'m Addresses,
    block: ProgramBlock,
}

impl Writer<'_> {
    /// Writes the constant `id` of type `ty` at `offset`, its parts from a stack.
    fn write(&mut self, id: Id, ty: TypeRef, offset: u64) -> Check {
        let mut stack = vec![(id, ty, offset)];
        while let Some((id, ty, offset)) = stack.pop() {
            let Some(size) = self.subject.layouts.size_of(ty).filter(|size| *size > 0) else { continue };
            if let Some(address) = self.addresses.of_value(self.subject.module, id) {
                let Some(target) = self.block.offsets.get(&address.variable) else {
                    return fault(
                        Rule::VariableInitializer,
                        format!(
                            "an initialiser holds the address of {}, which is no program-scope variable",
                            address.variable
                        ),
                    );
                };
                self.block.pointers.push((offset, target.wrapping_add(address.offset)));
                continue;
            }
            if self.addresses.is_low(id) {
                return fault(
                    Rule::VariableInitializer,
                    format!("an initialiser holds {id}, an address in fewer bits than addresses have"),
                );
            }
            let Some(constant) = self.subject.module.constant(id) else { continue };
            if let Some(number) = self.addresses.number(id) {
                let bytes = number.to_le_bytes();
                self.bytes(offset, bytes.get(..size as usize).unwrap_or(&bytes));
                continue;
            }
            match &constant.kind {
                ConstantKind::Bool(value) => self.bytes(offset, &[u8::from(*value)]),
                ConstantKind::Scalar(bits) => {
                    let bytes = bits.to_le_bytes();
                    self.bytes(offset, bytes.get(..size as usize).unwrap_or(&bytes));
                }
                ConstantKind::Composite(parts) => self.parts(&mut stack, ty, parts, offset),
                _ => {}
            }
        }
        Ok(())
    }

    fn parts(&self, stack: &mut Vec<(Id, TypeRef, u64)>, ty: TypeRef, parts: &[Id], offset: u64) {
        for (index, part) in parts.iter().enumerate() {
            let place = match self.subject.declaration(ty) {
                Some(Type::Struct { members }) => members
                    .get(index)
                    .and_then(|member| Some((*member, self.subject.layouts.member_offset(ty, index)?))),
                Some(Type::Array { element: part, .. } | Type::Vector { component: part, .. }) => {
                    self.subject.layouts.size_of(*part).map(|size| (*part, size * index as u64))
                }
                _ => None,
            };
            if let Some((part_ty, at)) = place {
                stack.push((*part, part_ty, offset + at));
            }
        }
    }

    fn bytes(&mut self, offset: u64, bytes: &[u8]) {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        if let Some(place) = self.block.initial.get_mut(start..start.saturating_add(bytes.len())) {
            place.copy_from_slice(bytes);
        }
    }
}
