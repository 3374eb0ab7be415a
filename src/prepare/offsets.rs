//! Splits 64-bit indices that loops advance from an extended 32-bit index.
//!
//! Where a loop advances a 32-bit index, LLVM extends the index in front of the loop and advances a 64-bit number. Such
//! a number is varying: the index may wrap in front of the loop, and nothing relates the numbers of different lanes. So
//! it is split in two: the extended index, of which it is known whether it wraps within a gang, and how far the loop
//! has advanced since, which is uniform.

use oxicl_llvm::{Builder, Context, Module, Opcode, Value};

/// A bound on compile time: how many operations deep an index is searched for one that may wrap.
const DEEP: usize = 8;

/// Splits such indices in all functions. True if there are any.
pub(crate) fn split<'m>(module: &'m Module<'_>, context: &'m Context) -> bool {
    let b = Builder::new(context);
    let mut splits = false;
    for block in module.functions().into_iter().flat_map(|function| function.blocks()) {
        let instructions: Vec<_> = block.instructions().collect();
        let Some(first) = instructions.iter().find(|inst| inst.opcode() != Some(Opcode::Phi)) else { continue };
        for index in instructions.iter().filter_map(|phi| Index::of(*phi)) {
            index.split(&b, *first);
            splits = true;
        }
    }
    splits
}

/// An index that a loop advances.
struct Index<'m> {
    phi: Value<'m>,
    /// Its first value, extended in front of the loop.
    begin: Value<'m>,
    /// Its value in the next iteration, and the step to it.
    next: Value<'m>,
    step: Value<'m>,
}

impl<'m> Index<'m> {
    /// The index that a phi is, if it may wrap in front of the loop and is used in addresses only.
    fn of(phi: Value<'m>) -> Option<Index<'m>> {
        if phi.opcode() != Some(Opcode::Phi) || !phi.ty().is_int() || phi.ty().int_width() != 64 {
            return None;
        }
        let incoming = phi.incoming();
        let [one, other] = incoming[..] else { return None };
        let step = |next: Value<'m>| match (next.opcode()?, next.operand(0)?, next.operand(1)?) {
            (Opcode::Add, base, step) | (Opcode::Add, step, base) if base == phi && step != phi => Some(step),
            _ => None,
        };
        let (begin, next, step) = match (step(one.0), step(other.0)) {
            (None, Some(step)) => (one.0, other.0, step),
            (Some(step), None) => (other.0, one.0, step),
            _ => return None,
        };
        let is_extended = matches!(begin.opcode()?, Opcode::SExt | Opcode::ZExt);
        let is_of_addresses =
            phi.users().iter().all(|user| *user == next || user.opcode() == Some(Opcode::GetElementPtr));
        let goes_on_only = next.users().iter().all(|user| *user == phi);
        (is_extended && is_of_addresses && goes_on_only && may_wrap(begin, DEEP)).then_some(Index {
            phi,
            begin,
            next,
            step,
        })
    }

    /// Replaces the index by the sum of both parts, which is computed before `first`, the first instruction of the
    /// header behind its phis.
    fn split(self, b: &Builder<'m>, first: Value<'m>) {
        let ty = self.phi.ty();
        b.position_before(self.phi);
        let come = b.phi(ty);
        b.position_before(self.next);
        let next = b.add(come, self.step);
        for (value, block) in self.phi.incoming() {
            come.add_incoming(if value == self.next { next } else { ty.zero() }, block);
        }
        b.position_before(first);
        let sum = b.add(self.begin, come);
        self.phi.replace_uses_with(sum);
    }
}

/// May the extended number have wrapped: is it computed by arithmetic without the no-wrap flag that the extension
/// needs? Ids do not wrap.
fn may_wrap(extension: Value<'_>, deep: usize) -> bool {
    let is_signed = extension.opcode() == Some(Opcode::SExt);
    let mut work = vec![(extension.operand(0), deep)];
    while let Some((number, deep)) = work.pop() {
        let Some(number) = number else { continue };
        let (signed, unsigned) = number.no_wrap();
        let promises = match number.opcode() {
            Some(Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Shl) => {
                if is_signed {
                    signed
                } else {
                    unsigned
                }
            }
            Some(Opcode::Or) => true,
            _ => continue,
        };
        if !promises || deep == 0 {
            return true;
        }
        work.extend([0, 1].map(|operand| (number.operand(operand), deep - 1)));
    }
    false
}
