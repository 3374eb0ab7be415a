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

/// The addresses among a module's constants, and which constants hold some.
#[derive(Clone, Debug, Default)]
pub struct Addresses {
    known: HashMap<Id, Address>,
    holding: Vec<bool>,
}

impl Addresses {
    /// Evaluates the address operations of `module` in order; an operation only has operands declared before.
    pub(crate) fn of(module: &Module, layouts: &Layouts) -> Addresses {
        let mut addresses = Addresses { known: HashMap::new(), holding: Vec::with_capacity(module.constants.len()) };
        for constant in &module.constants {
            let holds = match &constant.kind {
                ConstantKind::Operation { op, operands } => {
                    let operands =
                        module.operands.get(operands.start as usize..(operands.start + operands.len) as usize);
                    let operands = operands.unwrap_or_default();
                    let address = addresses.operation(module, layouts, constant, *op, operands);
                    if let Some(address) = address {
                        addresses.known.insert(constant.id, address);
                    }
                    address.is_some()
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

    /// The address that `id`, a variable or a constant, is.
    pub fn of_value(&self, module: &Module, id: Id) -> Option<Address> {
        match module.def(id) {
            Def::Global(_) => Some(Address { variable: id, offset: 0 }),
            _ => self.of_constant(id),
        }
    }

    /// `id` is an address, or a composite with one in it.
    pub(crate) fn holds(&self, module: &Module, id: Id) -> bool {
        match module.def(id) {
            Def::Global(_) => true,
            Def::Constant(constant) => self.holding.get(constant.0 as usize).copied().unwrap_or_default(),
            _ => false,
        }
    }

    fn operation(
        &self,
        module: &Module,
        layouts: &Layouts,
        constant: &Constant,
        op: Op,
        operands: &[Operand],
    ) -> Option<Address> {
        let base = match operands.first() {
            Some(Operand::Id(base)) => *base,
            _ => return None,
        };
        let address = self.of_value(module, base)?;
        let declared_before = match module.def(base) {
            Def::Global(_) => module.global(base)?.offset < constant.offset,
            _ => true,
        };
        if !declared_before {
            return None;
        }
        let is_pointer = matches!(module.types.get(constant.ty.0 as usize), Some(Type::Pointer { .. }));
        match op {
            Op::Bitcast | Op::PtrCastToGeneric | Op::GenericCastToPtr | Op::CopyObject | Op::ConvertUToPtr
                if is_pointer =>
            {
                Some(address)
            }
            Op::ConvertPtrToU | Op::Bitcast => {
                matches!(module.types.get(constant.ty.0 as usize), Some(Type::Int { width: 64, .. })).then_some(address)
            }
            Op::AccessChain | Op::InBoundsAccessChain => chain(module, layouts, address, base, &operands[1..], false),
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                chain(module, layouts, address, base, &operands[1..], true)
            }
            _ => None,
        }
    }
}

/// The address that indices lead to.
fn chain(
    module: &Module,
    layouts: &Layouts,
    mut address: Address,
    base: Id,
    indices: &[Operand],
    element: bool,
) -> Option<Address> {
    let Type::Pointer { pointee, .. } = module.types.get(module.type_of(base)?.0 as usize)? else { return None };
    let mut ty: TypeRef = *pointee;
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
        address.offset = address.offset.wrapping_add(step);
    }
    Some(address)
}
