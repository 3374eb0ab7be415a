//! Full unrolling of four kinds of short loops:
//!
//! - Loops that walk private arrays, so that the arrays become values in registers. As loops, each iteration would have
//!   to load what the previous one stored. Unrolling pays even for many iterations, but only if it makes all accesses
//!   to an array constant, or those in the loops, if each byte is accessed often there: indices are computed from
//!   constants and the counters of such loops, and the array's address is used for nothing else.
//! - Loops that walk the fields of each work-item's record: `a[n * i + iteration]`. Unrolled, neighbouring work-items
//!   load whole records, which are contiguous; as a loop, each iteration would gather one field of each.
//! - Loops that wait at a barrier, or that work-items leave in different iterations. Unrolled, the counter tells which
//!   work-items go on in each iteration, and lanes that have left skip what follows. As loops, each iteration would
//!   test which lanes are still in it.
//! - Loops that run once, which programs have where a macro gives the trip count. As loops they would have induction
//!   variables of unknown step.

use std::collections::{HashMap, HashSet};

use oxicl_llvm::{Block, IntPredicate, Module, Opcode, Place, Type, Value, ValueKind};
use oxicl_ops::{Operation, REGIONS};

use crate::copies::{is, length};

/// Bounds on compile time: the most bytes of an array, iterations of a loop, and instructions of a function's loops
/// once unrolled.
const BYTES: u64 = 512;
const ITERATIONS: u64 = 64;
const INSTRUCTIONS: u64 = 6_000;
/// The same for loops that do not walk arrays: the most iterations, or fields of a record, and instructions of one loop
/// once unrolled.
const FEW: u64 = 16;
const FEW_INSTRUCTIONS: u64 = 400;
/// Bounds on compile time: how many arrays and loops of a function, addresses into an array, and values that an index
/// is computed from are looked at.
const ARRAYS: usize = 64;
const LOOPS: usize = 64;
const USES: usize = 200;
const FAR: usize = 32;

/// A cost: more often than this, on average, loops have to access each byte of an array that others access at places
/// which are not constant. What is stored and loaded once or twice needs no registers in between: with 2 in place of 4,
/// a counting sort takes 2.6 times as long, and no other of 281 programs gains but a Reed-Solomon code.
const PASSED: u64 = 4;

/// A loop that is unrolled, or kept from it.
struct Loop<'m> {
    latch: Block<'m>,
    blocks: HashSet<Block<'m>>,
    iterations: u64,
    /// The last iteration only finds, in the loop header, that the loop ends.
    has_empty_iteration: bool,
    /// It is to stay a loop, whatever LLVM thinks of it.
    stays: bool,
}

impl Loop<'_> {
    /// The most times that its body runs.
    fn runs(&self) -> u64 {
        self.iterations - u64::from(self.has_empty_iteration)
    }

    /// Does it contain convergent operations? A kernel is cut at each barrier, so copies of one would be more regions.
    fn meets(&self) -> bool {
        self.blocks.iter().any(|block| is_convergent(*block))
    }
}

/// Marks the loops to be unrolled. True if there are any.
pub(crate) fn mark(module: &Module<'_>) -> bool {
    let context = module.context();
    let kind = context.metadata_kind("llvm.loop");
    let [full, disable] = ["llvm.loop.unroll.full", "llvm.loop.unroll.disable"].map(|name| context.loop_property(name));
    let mut any = false;
    for function in module.functions() {
        for l in loops_of(module, function) {
            let Some(end) = l.latch.terminator().filter(|end| !end.has_metadata(kind)) else { continue };
            context.set_loop_properties(end, &[if l.stays { disable } else { full }]);
            any |= !l.stays;
        }
    }
    any
}

/// The loops of a function that are to be unrolled, within the bounds above, or kept from it.
fn loops_of<'m>(module: &Module<'m>, function: Value<'m>) -> Vec<Loop<'m>> {
    let blocks = function.blocks();
    let Some(entry) = blocks.first() else { return Vec::new() };
    let small = |value: &Value<'m>| value.allocated_type().is_some_and(|ty| module.size_of(ty) <= BYTES);
    let arrays: Vec<_> = entry.instructions().filter(small).take(ARRAYS).collect();
    let is_phi = |value: &Value<'m>| value.opcode() == Some(Opcode::Phi);
    let phis = blocks.iter().flat_map(|block| block.instructions().take_while(is_phi));
    let counters: Vec<_> = phis.filter(|phi| counts(*phi)).take(LOOPS).collect();
    if counters.is_empty() {
        return Vec::new();
    }
    let mut before: HashMap<Block<'m>, Vec<Block<'m>>> = HashMap::new();
    for block in &blocks {
        for next in block.successors() {
            before.entry(next).or_default().push(*block);
        }
    }
    let mut loops = loops_of_arrays(module, &arrays, &blocks, &before);
    let of = |phi| loop_of(phi, &before).or_else(|| loop_of_constants(phi, &before));
    let walks = |l: &Loop<'m>, phi| !l.meets() && (l.runs() <= 1 || walks_records(module, l, phi));
    let waits =
        |blocks: &mut dyn Iterator<Item = Block<'m>>| blocks.map(|block| convergent(block).count() as u64).sum::<u64>();
    // The regions that `workgroup` makes, one for each barrier, and one in front.
    let mut regions = 1 + waits(&mut blocks.iter().copied());
    for l in counters.into_iter().filter_map(|phi| of(phi).filter(|l| walks(l, phi) || waits_or_is_left(l, phi))) {
        if loops.iter().all(|other| other.latch != l.latch) {
            let more = l.runs().saturating_sub(1) * waits(&mut l.blocks.iter().copied());
            let stays = more > 0 && regions + more > REGIONS as u64;
            regions += if stays { 0 } else { more };
            loops.push(Loop { stays, ..l });
        }
    }
    loops
}

/// How a counter advances: by adding a constant, or by shifting by a constant number of bits.
#[derive(Clone, Copy)]
enum Step {
    Add(u64),
    Shl(u64),
    LShr(u64),
}

impl Step {
    fn behind(self, counter: u64, bits: u32) -> u64 {
        let next = match self {
            Step::Add(by) => counter.wrapping_add(by),
            Step::Shl(by) => counter.checked_shl(by as u32).unwrap_or(0),
            Step::LShr(by) => counter.checked_shr(by as u32).unwrap_or(0),
        };
        next & (u64::MAX >> (64 - bits))
    }
}

/// The step from a counter to `next`, its value in the next iteration.
fn step_of(phi: Value<'_>, next: Value<'_>) -> Option<Step> {
    let by = next.operand(1).filter(|_| next.operand(0) == Some(phi))?.as_u64()?;
    match next.opcode()? {
        Opcode::Add => Some(Step::Add(by)),
        Opcode::Shl => Some(Step::Shl(by)),
        Opcode::LShr => Some(Step::LShr(by)),
        _ => None,
    }
}

/// Can a phi count iterations: does it begin with a constant and advance by constant steps, or is it one constant in
/// the first iteration and another in all others?
fn counts(phi: Value<'_>) -> bool {
    let incoming = phi.incoming();
    let [(a, _), (b, _)] = incoming[..] else { return false };
    let steps = |first: Value<'_>, next: Value<'_>| {
        phi.ty().is_int() && first.is_constant() && (step_of(phi, next).is_some() || next.is_constant())
    };
    steps(a, b) || steps(b, a)
}

/// The loops of a function that walk arrays, of as many arrays as the bounds above allow.
fn loops_of_arrays<'m>(
    module: &Module<'m>,
    arrays: &[Value<'m>],
    blocks: &[Block<'m>],
    before: &HashMap<Block<'m>, Vec<Block<'m>>>,
) -> Vec<Loop<'m>> {
    let mut found: HashMap<Block<'m>, Loop<'m>> = HashMap::new();
    for array in arrays {
        let Some(accesses) = accesses_of(*array) else { continue };
        let loops = loops_of_accesses(module, *array, &accesses, before);
        let headers: Vec<_> = loops.keys().copied().filter(|header| !found.contains_key(header)).collect();
        for (header, l) in loops {
            let iterations = found.get(&header).map_or(0, |before| before.iterations).max(l.iterations);
            found.insert(header, Loop { iterations, ..l });
        }
        if found.len() > LOOPS || unrolled(found.values()) > INSTRUCTIONS {
            headers.iter().for_each(|header| _ = found.remove(header));
        }
    }
    if found.values().any(Loop::meets) {
        return Vec::new();
    }
    blocks.iter().filter_map(|header| found.remove(header)).collect()
}

/// The loops, by their headers, that once unrolled make all accesses to an array constant; or those in them, where others
/// lie outside of the loops, if the loops go through the array often.
fn loops_of_accesses<'m>(
    module: &Module<'m>,
    array: Value<'m>,
    accesses: &[Access<'m>],
    before: &HashMap<Block<'m>, Vec<Block<'m>>>,
) -> HashMap<Block<'m>, Loop<'m>> {
    let mut loops: HashMap<Block<'m>, Loop<'m>> = HashMap::new();
    let mut headers: HashMap<Value<'m>, Option<Block<'m>>> = HashMap::new();
    for counter in accesses.iter().flat_map(|access| access.counters.iter().flatten()) {
        headers.entry(*counter).or_insert_with(|| {
            let (header, l) = (counter.block()?, loop_of(*counter, before)?);
            let iterations = loops.get(&header).map_or(0, |other| other.iterations).max(l.iterations);
            loops.insert(header, Loop { iterations, ..l });
            Some(header)
        });
    }
    let (mut constant, mut others): (Vec<_>, Vec<_>) = (accesses.iter().collect(), Vec::new());
    loop {
        let is_known = |counter: &Value<'m>| headers[counter].is_some_and(|header| loops.contains_key(&header));
        let is_constant = |access: &&Access<'m>| access.counters.as_ref().is_some_and(|all| all.iter().all(is_known));
        let (stay, leave): (Vec<_>, Vec<_>) = constant.into_iter().partition(is_constant);
        constant = stay;
        if leave.is_empty() {
            break;
        }
        others.extend(leave);
        loops.retain(|_, l| !others.iter().any(|other| l.blocks.contains(&other.block)));
    }
    if others.is_empty() {
        return loops;
    }
    let accessed = |access: &Access<'m>| {
        let around = loops.values().filter(|l| l.blocks.contains(&access.block));
        around.map(Loop::runs).fold(module.size_of(access.ty), u64::saturating_mul)
    };
    let in_loops = constant.into_iter().filter(|access| access.counters.as_ref().is_some_and(|all| !all.is_empty()));
    let bytes = in_loops.map(accessed).fold(0, u64::saturating_add);
    let size = array.allocated_type().map_or(0, |ty| module.size_of(ty));
    let pays = bytes > PASSED * size && !loops.values().any(Loop::meets);
    if pays { loops } else { HashMap::new() }
}

/// How many instructions some loops have once unrolled.
fn unrolled<'l, 'm: 'l>(loops: impl Iterator<Item = &'l Loop<'m>>) -> u64 {
    let mut times: HashMap<Block<'m>, u64> = HashMap::new();
    for l in loops {
        for block in &l.blocks {
            let times = times.entry(*block).or_insert(1);
            *times = times.saturating_mul(l.iterations);
        }
    }
    let instructions = times.iter().map(|(block, times)| (block.instructions().count() as u64).saturating_mul(*times));
    instructions.fold(0, u64::saturating_add)
}

/// Is this a short innermost loop that waits at a barrier in each iteration, or that may be left before its counter
/// ends it? Not one that does both, or that waits in some iterations only: most of the regions between the barriers of
/// its copies would hardly run. Nor one with other convergent operations, each copy of which is much code.
fn waits_or_is_left(l: &Loop<'_>, counter: Value<'_>) -> bool {
    let is_barrier = |call: Value<'_>| {
        let name = call.called_function().map(|function| function.name());
        name.is_some_and(|name| Operation::parse(&name, None) == Ok(Operation::Barrier))
    };
    let leaves = |block: &&Block<'_>| block.successors().iter().any(|next| !l.blocks.contains(next));
    let ways_out = l.blocks.iter().filter(leaves).count();
    let is_meant = if l.meets() { ways_out == 1 && waits_each_time(l, counter) } else { ways_out > 1 };
    is_meant && is_short(l, counter) && l.blocks.iter().all(|block| convergent(*block).all(is_barrier))
}

/// Does each iteration of a loop that only its counter ends reach a convergent operation?
fn waits_each_time(l: &Loop<'_>, counter: Value<'_>) -> bool {
    let (mut work, mut seen): (Vec<_>, HashSet<_>) = (counter.block().into_iter().collect(), HashSet::new());
    while let Some(block) = work.pop() {
        if is_convergent(block) || !l.blocks.contains(&block) || !seen.insert(block) {
            continue;
        }
        if block == l.latch {
            return false;
        }
        work.extend(block.successors());
    }
    true
}

/// Is this an innermost loop that is short once unrolled?
fn is_short(l: &Loop<'_>, counter: Value<'_>) -> bool {
    let instructions = || l.blocks.iter().flat_map(|block| block.instructions());
    let phis = instructions().filter(|inst| inst.opcode() == Some(Opcode::Phi));
    let in_head = |phi: &Value<'_>| phi.block() == counter.block();
    // A phi of the body that counts is in the header of an inner loop; one that joins branches does not count.
    let has_inner = phis.filter(|phi| !in_head(phi)).any(counts);
    let size = (instructions().count() as u64).saturating_mul(l.runs());
    !has_inner && l.runs() <= FEW && size <= FEW_INSTRUCTIONS
}

/// Does a short innermost loop walk the fields of records that have at least as many fields as it has iterations?
fn walks_records(module: &Module<'_>, l: &Loop<'_>, counter: Value<'_>) -> bool {
    is_short(l, counter)
        && l.blocks.iter().flat_map(|block| block.instructions()).any(|inst| {
            let (ty, address) = match inst.opcode() {
                Some(Opcode::Load) => (Some(inst.ty()), inst.operand(0)),
                Some(Opcode::Store) => (inst.operand(0).map(|value| value.ty()), inst.operand(1)),
                _ => return false,
            };
            let walks = |(ty, address)| is_field(module, address, module.size_of(ty), counter, l.runs());
            ty.zip(address).is_some_and(walks)
        })
}

/// Is this the address of a field of `bytes` bytes in one of many records: is `counter` the index of the field, and a
/// number that depends on the id along x the index of the record? Records have from `fields` to [`FEW`] fields.
fn is_field(module: &Module<'_>, address: Value<'_>, bytes: u64, counter: Value<'_>, fields: u64) -> bool {
    let record = fields * bytes..=FEW * bytes;
    let (mut has_counter, mut has_record, mut left) = (false, false, FAR);
    let mut at = address;
    while let (Some(Opcode::GetElementPtr), Some(ty)) = (at.opcode(), at.gep_source_type()) {
        let operands = at.operands();
        // The first index counts objects of the source type; others are indices into an array in it, whose elements are
        // fields.
        let indices = operands.iter().skip(1).enumerate();
        for (index, unit) in indices.map(|(i, index)| (*index, if i == 0 { module.size_of(ty) } else { bytes })) {
            let mut terms = vec![(index, unit)];
            while let (Some((term, unit)), true) = (terms.pop(), left > 0) {
                left -= 1;
                let by = || term.operand(1).and_then(|by| by.as_u64());
                match term.opcode() {
                    _ if term == counter => has_counter |= unit == bytes,
                    Some(Opcode::Add | Opcode::Or) => {
                        terms.extend(term.operands().into_iter().map(|term| (term, unit)))
                    }
                    Some(Opcode::SExt | Opcode::ZExt | Opcode::Trunc) => {
                        terms.extend(term.operand(0).map(|term| (term, unit)));
                    }
                    _ if !goes_along_row(term) => {}
                    Some(Opcode::Mul) => has_record |= by().is_some_and(|by| record.contains(&unit.saturating_mul(by))),
                    Some(Opcode::Shl) => {
                        has_record |=
                            by().is_some_and(|by| by < 32 && record.contains(&(unit.saturating_mul(1 << by))));
                    }
                    _ => has_record |= record.contains(&unit),
                }
            }
        }
        let Some(base) = operands.first() else { break };
        at = *base;
    }
    has_counter && has_record
}

/// Is a number computed from an id along x?
fn goes_along_row(number: Value<'_>) -> bool {
    let (mut values, mut next) = (vec![number], 0);
    while let Some(value) = values.get(next).copied().filter(|_| next < FAR) {
        next += 1;
        let Some(called) = value.called_function().filter(|_| value.is_call()) else {
            values.extend(value.opcode().map(|_| value.operands()).unwrap_or_default());
            continue;
        };
        let dimension = value.operand(0).and_then(|dimension| dimension.as_u64());
        if let Ok(Operation::Query(query)) = Operation::parse(&called.name(), dimension)
            && query.has_unit_stride()
        {
            return true;
        }
    }
    false
}

/// The convergent operations of a block.
fn convergent(block: Block<'_>) -> impl Iterator<Item = Value<'_>> {
    let is_meant = |function: Value<'_>| function.attribute(Place::Function, "convergent").is_some();
    block.instructions().filter(move |inst| inst.is_call() && inst.called_function().is_none_or(is_meant))
}

/// Does a block contain a convergent operation?
fn is_convergent(block: Block<'_>) -> bool {
    convergent(block).next().is_some()
}

/// A load or store of a part of an array.
struct Access<'m> {
    block: Block<'m>,
    /// The type of what is loaded or stored.
    ty: Type<'m>,
    /// The phis that its index is computed from; `None` if anything but phis and constants decides the index.
    counters: Option<HashSet<Value<'m>>>,
}

/// The accesses to an array; `None` if its address escapes.
fn accesses_of<'m>(array: Value<'m>) -> Option<Vec<Access<'m>>> {
    let mut accesses = Vec::new();
    let mut addresses = vec![(array, Some(HashSet::new()))];
    let mut next = 0;
    while let Some((address, counters)) = addresses.get(next).cloned() {
        next += 1;
        for user in address.users() {
            let ty = match user.opcode()? {
                Opcode::GetElementPtr if user.operand(0) == Some(address) && user.ty().is_pointer() => {
                    let all = user.operands().into_iter().skip(1).try_fold(counters.clone(), |counters, index| {
                        counters.map(|mut counters| counters_behind(index, &mut counters).map(|()| counters))
                    });
                    addresses.push((user, all.flatten()));
                    continue;
                }
                Opcode::Load if !user.is_volatile() => user.ty(),
                Opcode::Store if !user.is_volatile() && user.operand(0) != Some(address) => user.operand(0)?.ty(),
                // SROA splits a fill or copy of the array into a load or store of each element.
                Opcode::Call if length(user).is_some_and(|bytes| bytes <= BYTES) || is(user, &["llvm.lifetime."]) => {
                    continue;
                }
                _ => return None,
            };
            accesses.push(Access { block: user.block()?, ty, counters: counters.clone() });
        }
        if addresses.len() > USES {
            return None;
        }
    }
    Some(accesses)
}

/// Adds the phis that an index is computed from. `None` if anything but phis and constants decides the index.
fn counters_behind<'m>(index: Value<'m>, counters: &mut HashSet<Value<'m>>) -> Option<()> {
    let mut values = vec![index];
    let mut next = 0;
    while let Some(value) = values.get(next).copied() {
        next += 1;
        if value.is_constant() {
            continue;
        }
        match value.opcode()? {
            Opcode::Phi => {
                counters.insert(value);
            }
            Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Shl | Opcode::LShr | Opcode::Or | Opcode::And => {
                values.extend(value.operands());
            }
            Opcode::SExt | Opcode::ZExt | Opcode::Trunc => values.extend(value.operand(0)),
            // An element of a constant table is known where its index is.
            Opcode::Load if !value.is_volatile() => values.extend(indices_into_constant(value.operand(0)?)?),
            _ => return None,
        }
        if values.len() > FAR {
            return None;
        }
    }
    Some(())
}

/// The indices of an address into a global constant that has an initialiser; `None` for other addresses.
fn indices_into_constant<'m>(address: Value<'m>) -> Option<Vec<Value<'m>>> {
    let (mut indices, mut base) = (Vec::new(), address);
    while base.opcode() == Some(Opcode::GetElementPtr) && indices.len() < FAR {
        indices.extend(base.operands().into_iter().skip(1));
        base = base.operand(0)?;
    }
    let is_known =
        base.kind() == ValueKind::GlobalVariable && base.is_global_constant() && base.initializer().is_some();
    is_known.then_some(indices)
}

/// The loop whose iterations a phi counts, from a constant to a constant.
fn loop_of<'m>(phi: Value<'m>, before: &HashMap<Block<'m>, Vec<Block<'m>>>) -> Option<Loop<'m>> {
    let header = phi.block()?;
    let incoming = phi.incoming();
    let [(a, from_a), (b, from_b)] = incoming[..] else { return None };
    let (first, next, latch) = if a.is_constant() { (a, b, from_b) } else { (b, a, from_a) };
    let step = step_of(phi, next)?;
    let blocks = blocks_of(header, latch, before)?;
    let exit = |block: Block<'m>| exit_of(block, &blocks, (phi, next));
    let ahead = exit(header);
    // If the loop header has the exit, the last iteration does not run the body.
    let has_empty_iteration = ahead.is_some() && header != latch;
    let exit = ahead.or_else(|| exit(latch))?;
    let iterations = exit.iterations(first.as_u64()?, step, phi.ty().int_width())?;
    Some(Loop { latch, blocks, iterations, has_empty_iteration, stays: false })
}

/// The blocks of a loop; `None` if it has an entry besides its header.
fn blocks_of<'m>(
    header: Block<'m>,
    latch: Block<'m>,
    before: &HashMap<Block<'m>, Vec<Block<'m>>>,
) -> Option<HashSet<Block<'m>>> {
    let mut blocks = HashSet::from([header]);
    let mut work = vec![latch];
    while let Some(block) = work.pop() {
        if blocks.insert(block) {
            work.extend(before.get(&block)?.iter().copied());
        }
    }
    Some(blocks)
}

/// The loop that ends in its second iteration, as a phi of its header is one constant in the first and another one in
/// all others.
fn loop_of_constants<'m>(phi: Value<'m>, before: &HashMap<Block<'m>, Vec<Block<'m>>>) -> Option<Loop<'m>> {
    let header = phi.block()?;
    let incoming = phi.incoming();
    let [(a, from_a), (b, from_b)] = incoming[..] else { return None };
    let ways = [(b, from_b), (a, from_a)];
    let (later, latch, blocks) =
        ways.into_iter().find_map(|(later, latch)| Some((later, latch, blocks_of(header, latch, before)?)))?;
    let exit = exit_of(header, &blocks, (phi, phi)).filter(|_| header != latch)?;
    let ends =
        Exit { behind: false, ..exit }.iterations(later.as_u64()?, Step::Add(0), phi.ty().int_width()) == Some(1);
    ends.then_some(Loop { latch, blocks, iterations: 2, has_empty_iteration: true, stays: false })
}

/// When a loop ends: its counter, before or behind the step of the iteration, compares so with a constant.
struct Exit {
    behind: bool,
    predicate: IntPredicate,
    end: u64,
    /// The result of the comparison that ends the loop.
    given: bool,
}

/// The exit at the end of `block` from a loop of these `blocks`, if the loop's counter decides it.
fn exit_of<'m>(block: Block<'m>, blocks: &HashSet<Block<'m>>, (phi, next): (Value<'m>, Value<'m>)) -> Option<Exit> {
    let condition = block.terminator().filter(|end| end.opcode() == Some(Opcode::Br))?.operand(0)?;
    let [then, otherwise] = block.successors()[..] else { return None };
    let given = match (blocks.contains(&then), blocks.contains(&otherwise)) {
        (false, true) => true,
        (true, false) => false,
        _ => return None,
    };
    let compared = condition.operand(0).filter(|counter| *counter == phi || *counter == next)?;
    let predicate = condition.int_predicate()?;
    Some(Exit { behind: compared == next, predicate, end: condition.operand(1)?.as_u64()?, given })
}

impl Exit {
    /// The iterations of a loop whose counter has `bits` bits and starts at `first`; `None` if there are more than
    /// [`ITERATIONS`].
    fn iterations(&self, first: u64, step: Step, bits: u32) -> Option<u64> {
        let unused = 64_u32.checked_sub(bits)?;
        let mut counter = first;
        (1..=ITERATIONS).find(|_| {
            let next = step.behind(counter, bits);
            let compared = if self.behind { next } else { counter };
            let (a, b) = (compared << unused, self.end << unused);
            let (signed_a, signed_b) = (a.cast_signed(), b.cast_signed());
            counter = next;
            let found = match self.predicate {
                IntPredicate::Eq => a == b,
                IntPredicate::Ne => a != b,
                IntPredicate::Ugt => a > b,
                IntPredicate::Uge => a >= b,
                IntPredicate::Ult => a < b,
                IntPredicate::Ule => a <= b,
                IntPredicate::Sgt => signed_a > signed_b,
                IntPredicate::Sge => signed_a >= signed_b,
                IntPredicate::Slt => signed_a < signed_b,
                IntPredicate::Sle => signed_a <= signed_b,
            };
            found == self.given
        })
    }
}
