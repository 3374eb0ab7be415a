//! Constants that are addresses of module-scope variables.

use std::collections::HashMap;

use oxicl_spirv::grammar::Op;
use oxicl_spirv::{Constant, ConstantKind, Def, Id, Layouts, Module, Operand, Type, TypeRef};

/// An address known at build time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// The module-scope variable.
    pub variable: Id,
    /// Distance from its start, in bytes; wraps like addresses do.
    pub offset: u64,
}

/// What an operation on addresses gives.
#[derive(Clone, Copy, Debug)]
enum Known {
    Address(Address),
    /// The low bits of an address, as an integer. No operation on it is evaluated.
    Low(Address),
    /// A pointer, or an integer made of one, that no variable has a part in.
    Number(u64),
}

/// The addresses among a module's constants, and which constants hold some.
#[derive(Clone, Debug, Default)]
pub struct Addresses {
    known: HashMap<Id, Address>,
    low: HashMap<Id, Address>,
    numbers: HashMap<Id, u64>,
    holding: Vec<bool>,
}

impl Addresses {
    /// Evaluates the address operations of `module` in order; an operation only has operands declared before.
    pub(crate) fn of(module: &Module, layouts: &Layouts) -> Addresses {
        let mut addresses = Addresses { holding: Vec::with_capacity(module.constants.len()), ..Addresses::default() };
        for constant in &module.constants {
            let holds = match &constant.kind {
                ConstantKind::Operation { op, operands } => {
                    let operands =
                        module.operands.get(operands.start as usize..(operands.start + operands.len) as usize);
                    let operands = operands.unwrap_or_default();
                    match addresses.operation(module, layouts, constant, *op, operands) {
                        Some(Known::Address(address)) => {
                            addresses.known.insert(constant.id, address);
                            true
                        }
                        Some(Known::Low(address)) => {
                            addresses.low.insert(constant.id, address);
                            true
                        }
                        Some(Known::Number(number)) => {
                            addresses.numbers.insert(constant.id, number);
                            false
                        }
                        None => false,
                    }
                }
                ConstantKind::Composite(parts) => parts.iter().any(|part| addresses.holds(module, *part)),
                _ => false,
            };
            addresses.holding.push(holds);
        }
        addresses
    }

    /// The address that the constant `id` is.
    pub fn of_constant(&self, id: Id) -> Option<Address> {
        self.known.get(&id).copied()
    }

    /// `id` is the low bits of an address, which only a kernel has.
    pub(crate) fn is_low(&self, id: Id) -> bool {
        self.low.contains_key(&id)
    }

    /// The variable whose address, or the low bits of it, the constant `id` is.
    pub(crate) fn variable_of(&self, id: Id) -> Option<Id> {
        self.known.get(&id).or_else(|| self.low.get(&id)).map(|address| address.variable)
    }

    /// The address that `id`, a variable or a constant, is.
    pub fn of_value(&self, module: &Module, id: Id) -> Option<Address> {
        match module.def(id) {
            Def::Global(_) => Some(Address { variable: id, offset: 0 }),
            _ => self.of_constant(id),
        }
    }

    /// The bits of `id`, an operation on addresses that are numbers.
    pub fn number(&self, id: Id) -> Option<u64> {
        self.numbers.get(&id).copied()
    }

    /// `id` is an operation on addresses that is evaluated.
    pub(crate) fn is_known(&self, id: Id) -> bool {
        self.known.contains_key(&id) || self.low.contains_key(&id) || self.numbers.contains_key(&id)
    }

    /// `id` is an address, or a composite with one in it.
    pub(crate) fn holds(&self, module: &Module, id: Id) -> bool {
        match module.def(id) {
            Def::Global(_) => true,
            Def::Constant(constant) => self.holding.get(constant.0 as usize).copied().unwrap_or_default(),
            _ => false,
        }
    }

    /// What an operand is.
    fn operand(&self, module: &Module, constant: &Constant, operand: Option<&Operand>) -> Option<Known> {
        let Some(Operand::Id(id)) = operand else { return None };
        match module.def(*id) {
            Def::Global(_) => module.global(*id).filter(|global| global.offset < constant.offset)?,
            _ => return self.of_constant_operand(module, *id),
        };
        Some(Known::Address(Address { variable: *id, offset: 0 }))
    }

    fn of_constant_operand(&self, module: &Module, id: Id) -> Option<Known> {
        if let Some(address) = self.known.get(&id) {
            return Some(Known::Address(*address));
        }
        let number = self.numbers.get(&id).copied().or_else(|| match module.constant(id)?.kind {
            ConstantKind::Scalar(bits) => Some(bits),
            ConstantKind::Null | ConstantKind::Undef => width(module, module.type_of(id)?).map(|_| 0),
            _ => None,
        });
        number.map(Known::Number)
    }

    fn operation(
        &self,
        module: &Module,
        layouts: &Layouts,
        constant: &Constant,
        op: Op,
        operands: &[Operand],
    ) -> Option<Known> {
        let first = self.operand(module, constant, operands.first())?;
        let width = width(module, constant.ty)?;
        let is_pointer = matches!(module.types.get(constant.ty.0 as usize), Some(Type::Pointer { .. }));
        // What is of numbers alone has been folded.
        let from_addresses = operands.iter().any(|operand| match operand {
            Operand::Id(id) => {
                let pointer = module.type_of(*id).and_then(|ty| module.types.get(ty.0 as usize));
                self.is_known(*id) || matches!(pointer, Some(Type::Pointer { .. }))
            }
            Operand::Word(_) => false,
        });
        if !is_pointer && !from_addresses {
            return None;
        }
        let known = match op {
            Op::Bitcast | Op::PtrCastToGeneric | Op::GenericCastToPtr | Op::CopyObject | Op::ConvertUToPtr
                if is_pointer =>
            {
                first
            }
            Op::ConvertPtrToU | Op::Bitcast => first,
            Op::IAdd | Op::ISub => {
                match (first, self.operand(module, constant, operands.get(1))?, op) {
                    (Known::Address(address), Known::Number(number), Op::ISub) => moved(address, number.wrapping_neg()),
                    (Known::Address(address), Known::Number(number), _) => moved(address, number),
                    (Known::Number(number), Known::Address(address), Op::IAdd) => moved(address, number),
                    (Known::Number(one), Known::Number(other), Op::IAdd) => Known::Number(one.wrapping_add(other)),
                    (Known::Number(one), Known::Number(other), _) => Known::Number(one.wrapping_sub(other)),
                    // Two places of one variable are as far apart as they are.
                    (Known::Address(one), Known::Address(other), Op::ISub) if one.variable == other.variable => {
                        Known::Number(one.offset.wrapping_sub(other.offset))
                    }
                    _ => return None,
                }
            }
            Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                let Some((Operand::Id(base), indices)) = operands.split_first() else { return None };
                let element = matches!(op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain);
                let offset = match module.bytes_into_variable(constant.ty, op, operands) {
                    Some(bytes) => bytes as u64,
                    None => chain(module, layouts, *base, indices, element)?,
                };
                match first {
                    Known::Address(address) => moved(address, offset),
                    Known::Number(number) => Known::Number(number.wrapping_add(offset)),
                    Known::Low(_) => return None,
                }
            }
            _ => return None,
        };
        match known {
            Known::Address(address) if width < 64 => (op == Op::ConvertPtrToU).then_some(Known::Low(address)),
            Known::Number(number) if width < 64 => Some(Known::Number(number & ((1 << width) - 1))),
            known => Some(known),
        }
    }
}

fn moved(address: Address, by: u64) -> Known {
    Known::Address(Address { offset: address.offset.wrapping_add(by), ..address })
}

/// Bits of a pointer or an integer.
fn width(module: &Module, ty: TypeRef) -> Option<u32> {
    match module.types.get(ty.0 as usize)? {
        Type::Pointer { .. } => Some(64),
        Type::Int { width, .. } => Some(*width),
        _ => None,
    }
}

/// How far indices lead from the pointer `base`.
fn chain(module: &Module, layouts: &Layouts, base: Id, indices: &[Operand], element: bool) -> Option<u64> {
    let Type::Pointer { pointee, .. } = module.types.get(module.type_of(base)?.0 as usize)? else { return None };
    let mut ty: TypeRef = *pointee;
    let mut offset = 0u64;
    for (position, index) in indices.iter().enumerate() {
        let Operand::Id(index) = index else { return None };
        let index = module.constant_signed(*index)?;
        let step = if element && position == 0 {
            (index as u64).wrapping_mul(layouts.size_of(ty)?)
        } else {
            let (part, step) = match module.types.get(ty.0 as usize)? {
                Type::Array { element, .. } => (*element, (index as u64).wrapping_mul(layouts.size_of(*element)?)),
                Type::Vector { component, .. } => {
                    (*component, (index as u64).wrapping_mul(layouts.size_of(*component)?))
                }
                Type::Struct { members } => {
                    let member = usize::try_from(index).ok()?;
                    (*members.get(member)?, layouts.member_offset(ty, member)?)
                }
                _ => return None,
            };
            ty = part;
            step
        };
        offset = offset.wrapping_add(step);
    }
    Some(offset)
}
