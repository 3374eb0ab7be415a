//! Where an index of 32 bits goes on in a loop, LLVM extends it in front of the loop, and goes on with a number of 64. Such a number
//! differs from lane to lane, as the index may wrap in front of the loop, and no work-item tells how the others' go on. So it is made of
//! two: of the extended index, of which it is known whether it wraps within a gang, and of how far the loop has come since, which
//! lanes share.

use oxicl_llvm::{Builder, Context, Module, Opcode, Value};

/// Bounds on compile time: operations that an index is looked for what may wrap through, one behind the other.
const DEEP: usize = 8;

/// Splits the indices of all functions that go on so. Does it split any?
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

/// An index that goes on in a loop.
struct Index<'m> {
    phi: Value<'m>,
    /// Extended in front of the loop.
    begin: Value<'m>,
    /// What the next iteration has, and by how much it is more.
    next: Value<'m>,
    step: Value<'m>,
}

impl<'m> Index<'m> {
    /// The index that a phi is, if it may wrap in front of the loop, and is part of addresses only.
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

    /// Writes the two; the sum before the first instruction of the loop.
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

/// May the number that is extended wrap on the way there? Ids do not, nor do operations that promise not to, of numbers that do not.
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
