//! Accesses by generic pointers that are known to point to one address space become accesses by pointers to it. Library
//! functions such as `vload4` and `vstore4` take generic pointers, so that what they access in a private array would else
//! look like accesses to any memory, by an address that has escaped.

use std::collections::HashMap;

use oxicl_llvm::{Builder, Context, Module, Opcode, Type, Value};
use oxicl_ops::space;

/// What the address space of a generic pointer may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    /// Nothing is known that says otherwise.
    Any,
    One(u32),
    Several,
}

impl Found {
    fn join(self, other: Found) -> Found {
        match (self, other) {
            (Found::Any, found) | (found, Found::Any) => found,
            _ if self == other => self,
            _ => Found::Several,
        }
    }
}

/// Rewrites the accesses of all functions. What was computed of generic addresses stays, for other users.
pub(crate) fn narrow<'m>(module: &'m Module<'_>, context: &'m Context) {
    let functions = module.functions().into_iter().filter(|function| !function.is_declaration());
    functions.for_each(|function| Pointers::of(function).rewrite(&Builder::new(context)));
}

/// The generic pointers that a function computes.
struct Pointers<'m> {
    /// Casts to generic pointers, and what is computed from pointers, in the function's order.
    all: Vec<Value<'m>>,
    /// Loads, stores and atomic operations, with the number of the operand that is the address.
    accesses: Vec<(Value<'m>, u32)>,
    found: HashMap<Value<'m>, Found>,
}

impl<'m> Pointers<'m> {
    fn of(function: Value<'m>) -> Pointers<'m> {
        let mut pointers = Pointers { all: Vec::new(), accesses: Vec::new(), found: HashMap::new() };
        for inst in function.blocks().into_iter().flat_map(|block| block.instructions()) {
            match inst.opcode() {
                Some(Opcode::AddrSpaceCast | Opcode::GetElementPtr | Opcode::Select | Opcode::Phi)
                    if is_generic(inst.ty()) =>
                {
                    pointers.all.push(inst);
                    pointers.found.insert(inst, Found::Any);
                }
                Some(Opcode::Load | Opcode::AtomicRmw | Opcode::AtomicCmpXchg) => pointers.accesses.push((inst, 0)),
                Some(Opcode::Store) => pointers.accesses.push((inst, 1)),
                _ => {}
            }
        }
        let mut changes = !pointers.all.is_empty();
        while changes {
            changes = false;
            for pointer in &pointers.all {
                let found =
                    sources(*pointer).into_iter().fold(Found::Any, |all, source| all.join(pointers.space(source)));
                changes |= pointers.found.insert(*pointer, found) != Some(found);
            }
        }
        pointers
    }

    /// The address space that a pointer points to.
    fn space(&self, pointer: Value<'m>) -> Found {
        match self.found.get(&pointer) {
            Some(found) => *found,
            None if is_generic(pointer.ty()) => behind_cast(pointer).map_or(Found::Several, |from| self.space(from)),
            None if pointer.ty().is_pointer() => Found::One(pointer.ty().address_space()),
            None => Found::Several,
        }
    }

    fn rewrite(self, b: &Builder<'m>) {
        let is_one = |pointer: &Value<'m>| matches!(self.found[pointer], Found::One(_));
        let mut work: Vec<_> = self.all.iter().copied().filter(is_one).collect();
        let mut narrow = Narrow::new();
        let phis: Vec<_> = work.iter().copied().filter(|pointer| pointer.opcode() == Some(Opcode::Phi)).collect();
        for phi in &phis {
            let Found::One(space) = self.found[phi] else { continue };
            b.position_before(*phi);
            narrow.insert(*phi, b.phi(b.context().pointer_type(space)));
        }
        // Each comes behind what it is computed from, but for phis.
        let mut left = usize::MAX;
        while work.len() < left {
            left = work.len();
            work.retain(|pointer| match narrowed(b, *pointer, &narrow) {
                Some(value) => narrow.insert(*pointer, value).is_some(),
                None => !narrow.contains_key(pointer),
            });
        }
        for phi in &phis {
            for (value, block) in phi.incoming() {
                // What is not known comes from code that nothing reaches.
                let value = in_own_space(value, &narrow).unwrap_or_else(|| narrow[phi].ty().poison());
                narrow[phi].add_incoming(value, block);
            }
        }
        for (access, address) in &self.accesses {
            let generic = access.operand(*address).filter(|it| is_generic(it.ty()));
            if let Some(pointer) = generic.and_then(|pointer| in_own_space(pointer, &narrow)) {
                access.set_operand(*address, pointer);
            }
        }
    }
}

/// The known pointers in their own address spaces, by the generic ones.
type Narrow<'m> = HashMap<Value<'m>, Value<'m>>;

/// A pointer in its own address space, if that is known by now.
fn in_own_space<'m>(pointer: Value<'m>, narrow: &Narrow<'m>) -> Option<Value<'m>> {
    narrow.get(&pointer).copied().or_else(|| behind_cast(pointer))
}

/// Writes a pointer in its own address space, if that of what it is computed from is known by now.
fn narrowed<'m>(b: &Builder<'m>, pointer: Value<'m>, narrow: &Narrow<'m>) -> Option<Value<'m>> {
    let of = |operand: u32| in_own_space(pointer.operand(operand)?, narrow);
    match pointer.opcode()? {
        Opcode::AddrSpaceCast => pointer.operand(0),
        Opcode::GetElementPtr => {
            let (base, source) = (of(0)?, pointer.gep_source_type()?);
            let indices: Vec<_> = (1..).map_while(|index| pointer.operand(index)).collect();
            b.position_before(pointer);
            Some(b.gep(source, base, &indices, pointer.gep_flags()))
        }
        Opcode::Select => {
            let (then, otherwise) = (of(1)?, of(2)?);
            b.position_before(pointer);
            Some(b.select(pointer.operand(0)?, then, otherwise))
        }
        _ => None,
    }
}

fn is_generic(ty: Type<'_>) -> bool {
    ty.is_pointer() && ty.address_space() == space::GENERIC
}

/// What a cast to a generic pointer is of, an instruction or a constant.
fn behind_cast(pointer: Value<'_>) -> Option<Value<'_>> {
    let opcode = pointer.opcode().or_else(|| pointer.expression_opcode());
    pointer.operand(0).filter(|_| opcode == Some(Opcode::AddrSpaceCast))
}

/// The pointers that a pointer is computed from.
fn sources(pointer: Value<'_>) -> Vec<Value<'_>> {
    match pointer.opcode() {
        Some(Opcode::Phi) => pointer.incoming().into_iter().map(|(value, _)| value).collect(),
        Some(Opcode::Select) => [1, 2].into_iter().filter_map(|operand| pointer.operand(operand)).collect(),
        _ => pointer.operand(0).into_iter().collect(),
    }
}
