//! Private objects: how each is used, and so where it lives.

use crate::bounds::{FRAME_OBJECT, OBJECT_STEPS};
use crate::ir::{BlockId, Detail, Function, Inst, InstId, Intrinsic, Kind, Opcode, Operand, Terminator};

/// What names a private object: a function's variable, or an argument by value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Name {
    Alloca(InstId),
    Parameter(u32),
}

/// Where an object lives in code that has one work-item at a time in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// In the frame: no work-item needs it beyond a barrier, so all share one.
    Frame,
    /// In the work-group's state, one for all, as it is large.
    Group,
    /// In the state, one for each work-item.
    Item,
    /// In the argument block: an argument by value that nobody writes.
    Arguments,
}

/// A private object and its home.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) name: Name,
    pub(crate) bytes: u64,
    pub(crate) align: u64,
    pub(crate) home: Home,
    /// Why it lives there, for the remarks.
    pub(crate) reason: &'static str,
}

impl Object {
    /// Bytes from one work-item's object to the next one's.
    pub(crate) fn stride(&self) -> u64 {
        self.bytes.max(1).next_multiple_of(self.align)
    }
}

/// What is done with an object's address.
#[derive(Default)]
struct Uses {
    blocks: Vec<BlockId>,
    written: bool,
    escapes: bool,
}

/// Finds the private objects of a function and gives each a home.
pub(crate) fn objects(function: &Function<'_>) -> Vec<Object> {
    let users = users(function);
    let mut budget = OBJECT_STEPS;
    // A kernel that asks where a pointer points must find the object in the context, whose extent is known.
    let asks = function.asks_storage_class;
    let mut objects = Vec::new();
    for (index, parameter) in (0u32..).zip(&function.parameters) {
        let Some(ty) = &parameter.by_value else { continue };
        let mut uses = uses(function, &users, Name::Parameter(index));
        let align = parameter.align.max(ty.align());
        let mut object =
            Object { name: Name::Parameter(index), bytes: ty.size(), align, home: Home::Arguments, reason: "" };
        if uses.written || uses.escapes {
            // Each work-item's own copy is made where the kernel begins.
            uses.blocks.push(BlockId(0));
            settle(&mut object, function, &uses, asks, &mut budget);
        } else {
            object.reason = "only read";
        }
        objects.push(object);
    }
    for (id, inst) in function.numbered() {
        if !matches!(inst.kind, Kind::Alloca) || !function.reachable[inst.block.index()] {
            continue;
        }
        let name = Name::Alloca(id);
        let (bytes, align) = extent(function, inst);
        let mut object = Object { name, bytes, align, home: Home::Frame, reason: "" };
        settle(&mut object, function, &uses(function, &users, name), asks, &mut budget);
        objects.push(object);
    }
    objects
}

/// Bytes and alignment of the object of an alloca.
fn extent(function: &Function<'_>, alloca: &Inst<'_>) -> (u64, u64) {
    let size = if let Detail::Alloca(ty, _) = &alloca.detail { ty.size() } else { 0 };
    let count = function.u64_at(alloca, 0).unwrap_or(1);
    (size.saturating_mul(count), u64::from(alloca.alignment()).max(1))
}

/// Chooses between frame, group and work-item.
fn settle(object: &mut Object, function: &Function<'_>, uses: &Uses, asks: bool, budget: &mut usize) {
    let crosses = function.has_cuts() && (uses.escapes || crosses_cut(function, &uses.blocks, budget));
    // Fibers share no object.
    let shared = if function.in_fibers { Home::Item } else { Home::Group };
    (object.home, object.reason) = if crosses {
        (Home::Item, if uses.escapes { "its address is stored or passed" } else { "it is alive across a barrier" })
    } else if asks && uses.escapes {
        (shared, "its storage class may be asked for")
    } else if object.bytes > FRAME_OBJECT {
        (shared, "it is large")
    } else {
        (Home::Frame, "no barrier lies between its uses")
    };
}

/// The users of each instruction, and of each parameter.
pub(crate) struct Users {
    pub(super) of_insts: Vec<Vec<InstId>>,
    of_parameters: Vec<Vec<InstId>>,
}

/// Finds the users.
pub(crate) fn users(function: &Function<'_>) -> Users {
    let mut of_insts = vec![Vec::new(); function.insts.len()];
    let mut of_parameters = vec![Vec::new(); function.parameters.len()];
    for (id, inst) in function.numbered() {
        for operand in &inst.operands {
            match operand {
                Operand::Inst(used) => of_insts[used.index()].push(id),
                Operand::Parameter(used) => of_parameters[*used as usize].push(id),
                _ => {}
            }
        }
    }
    Users { of_insts, of_parameters }
}

/// Follows an address through everything that is computed from it.
fn uses(function: &Function<'_>, users: &Users, name: Name) -> Uses {
    let mut result = Uses::default();
    let mut seen = std::collections::HashSet::new();
    let mut work: Vec<(Operand, InstId)> = match name {
        Name::Alloca(id) => users.of_insts[id.index()].iter().map(|u| (Operand::Inst(id), *u)).collect(),
        Name::Parameter(i) => users.of_parameters[i as usize].iter().map(|u| (Operand::Parameter(i), *u)).collect(),
    };
    while let Some((address, user)) = work.pop() {
        let inst = function.inst(user);
        match inst.opcode {
            Opcode::GetElementPtr | Opcode::BitCast | Opcode::AddrSpaceCast | Opcode::Phi | Opcode::Select => {
                if seen.insert(user) {
                    work.extend(users.of_insts[user.index()].iter().map(|u| (Operand::Inst(user), *u)));
                }
            }
            Opcode::Load => result.blocks.push(inst.block),
            Opcode::Store if inst.operands.first() != Some(&address) => {
                result.written = true;
                result.blocks.push(inst.block);
            }
            Opcode::Call if inst.calls(Intrinsic::is_of_memory) => {
                // All of these write to their first operand.
                result.written |= inst.operands.first() == Some(&address);
                result.blocks.push(inst.block);
            }
            // Printing reads its arguments at once, and keeps none.
            Opcode::Call if matches!(inst.kind, Kind::Print) => result.blocks.push(inst.block),
            Opcode::ICmp => {}
            _ => result.escapes = true,
        }
    }
    result
}

/// Does a path lead from one use across a barrier to another? Also true once the budget is spent.
fn crosses_cut(function: &Function<'_>, uses: &[BlockId], budget: &mut usize) -> bool {
    if *budget < function.blocks.len() {
        return true;
    }
    *budget -= function.blocks.len();
    let count = function.blocks.len();
    let mut is_use = vec![false; count];
    for block in uses {
        is_use[block.index()] = true;
    }
    // The first half is for blocks that are reached before a cut, the second for those reached after one.
    let mut seen = vec![false; count * 2];
    let mut work = Vec::new();
    for block in uses {
        if !std::mem::replace(&mut seen[block.index()], true) {
            work.push((*block, false));
        }
    }
    while let Some((block, behind)) = work.pop() {
        let cut = matches!(function.block(block).terminator, Terminator::Cut { .. });
        for next in function.successors_through_cuts(block) {
            let behind = behind || cut;
            if behind && is_use[next.index()] {
                return true;
            }
            let slot = next.index() + if behind { count } else { 0 };
            if !std::mem::replace(&mut seen[slot], true) {
                work.push((next, behind));
            }
        }
    }
    false
}
