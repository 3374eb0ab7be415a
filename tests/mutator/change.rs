//! The changes, one function each.

use crate::Random;
use crate::shape::{Sketch, Slot, grammar, mend_count, opcode, slots};

/// A change: to a module, with another one at hand.
pub(crate) type Change = fn(&mut Sketch, &[u32], &mut Random);

/// All changes, those that keep the structure more often.
pub(crate) const CHANGES: &[Change] = &[
    flip_bit,
    change_word,
    truncate,
    cut_instruction,
    delete,
    delete_many,
    duplicate,
    swap_neighbours,
    swap_any,
    move_any,
    exchange_id,
    exchange_id,
    exchange_id,
    exchange_id_of_kind,
    exchange_id_of_kind,
    exchange_type,
    exchange_type,
    change_result,
    change_opcode,
    change_opcode,
    change_enumerant,
    change_enumerant,
    change_literal,
    change_literal,
    change_count,
    add_operand,
    remove_operand,
    transplant,
    transplant,
    change_header,
];

/// Numbers at which something changes.
const EDGES: &[u32] = &[
    0,
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    15,
    16,
    17,
    31,
    32,
    33,
    63,
    64,
    127,
    128,
    255,
    256,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    u32::MAX,
];

/// A random index below `length`; `None` if there is none.
fn index(length: usize, random: &mut Random) -> Option<usize> {
    (length > 0).then(|| random.below(length as u64) as usize)
}

/// A random instruction.
fn any<'s>(sketch: &'s mut Sketch, random: &mut Random) -> Option<&'s mut Vec<u32>> {
    let at = index(sketch.instructions.len(), random)?;
    sketch.instructions.get_mut(at)
}

/// A random word that satisfies `wanted`; tries some instructions.
fn slot<'s>(sketch: &'s mut Sketch, random: &mut Random, wanted: fn(Slot) -> bool) -> Option<&'s mut u32> {
    for _ in 0..30 {
        let at = index(sketch.instructions.len(), random)?;
        let places: Vec<usize> = slots(&sketch.instructions[at])
            .into_iter()
            .enumerate()
            .filter(|&(_, slot)| wanted(slot))
            .map(|(place, _)| place)
            .collect();
        if let Some(chosen) = index(places.len(), random) {
            return sketch.instructions[at].get_mut(places[chosen]);
        }
    }
    None
}

/// The results of all instructions for which `wanted` holds.
fn results(sketch: &Sketch, wanted: impl Fn(&[u32]) -> bool) -> Vec<u32> {
    let result = |words: &Vec<u32>| {
        let place = slots(words).iter().position(|slot| *slot == Slot::Result)?;
        words.get(place).copied()
    };
    sketch.instructions.iter().filter(|words| wanted(words)).filter_map(result).collect()
}

fn declares_type(words: &[u32]) -> bool {
    grammar(opcode(words)).is_some_and(|grammar| grammar.opname.starts_with("Type"))
}

fn flip_bit(sketch: &mut Sketch, _: &[u32], random: &mut Random) {
    let bit = random.below(32);
    if let Some(words) = any(sketch, random)
        && let Some(at) = index(words.len(), random)
    {
        words[at] ^= 1 << bit;
    }
}

fn change_word(sketch: &mut Sketch, _: &[u32], random: &mut Random) {
    let word = if random.chance(50) { random.bits() as u32 } else { random.below(600) as u32 };
    if let Some(words) = any(sketch, random)
        && let Some(at) = index(words.len(), random)
    {
        words[at] = word;
    }
}

/// The module ends early, inside an instruction or between two.
fn truncate(sketch: &mut Sketch, _: &[u32], random: &mut Random) {
    let Some(at) = index(sketch.instructions.len(), random) else { return };
    let mut last = sketch.instructions.swap_remove(at);
    sketch.instructions.truncate(at);
    sketch.tail.clear();
    if random.chance(50) {
        last.truncate(random.below(last.len() as u64) as usize);
        sketch.tail = last;
    }
}

/// An instruction loses its last words, but not the count of them.
fn cut_instruction(sketch: &mut Sketch, _: &[u32], random: &mut Random) {
    let keep = random.bits();
    if let Some(words) = any(sketch, random) {
        words.truncate(1 + (keep % words.len().max(1) as u64) as usize);
    }
}

fn delete(sketch: &mut Sketch, _: &[u32], random: &mut Random) {
    if let Some(at) = index(sketch.instructions.len(), random) {
        sketch.instructions.remove(at);
    }
}

fn delete_many(sketch: &mut Sketch, _: &[u32], random: &mut Random) {
    if let Some(at) = index(sketch.instructions.len(), random) {
        let end = (at + 1 + random.below(12) as usize).min(sketch.instructions.len());
        sketch.instructions.drain(at..end);
    }
}

fn duplicate(sketch: &mut Sketch, _: &[u32], random: &mut Random) {
    if let Some(from) = index(sketch.instructions.len(), random) {
        let to = if random.chance(50) { from } else { random.below(sketch.instructions.len() as u64) as usize };
        let copy = sketch.instructions[from].clone();
        sketch.instructions.insert(to, copy);
    }
}

fn swap_neighbours(sketch: &mut Sketch, _: &[u32], random: &mut Random) {
    if let Some(at) = index(sketch.instructions.len().saturating_sub(1), random) {
        sketch.instructions.swap(at, at + 1);
    }
}

fn swap_any(sketch: &mut Sketch, _: &[u32], random: &mut Random) {
    let length = sketch.instructions.len();
    if let (Some(a), Some(b)) = (index(length, random), index(length, random)) {
        sketch.instructions.swap(a, b);
    }
}

fn move_any(sketch: &mut Sketch, _: &[u32], random: &mut Random) {
    if let Some(from) = index(sketch.instructions.len(), random) {
        let words = sketch.instructions.remove(from);
        let to = random.below(sketch.instructions.len() as u64 + 1) as usize;
        sketch.instructions.insert(to, words);
    }
}

/// An operand names any id below the bound.
fn exchange_id(sketch: &mut Sketch, _: &[u32], random: &mut Random) {
    let id = 1 + random.below(u64::from(sketch.bound())) as u32;
    if let Some(word) = slot(sketch, random, |slot| matches!(slot, Slot::Id)) {
        *word = id;
    }
}

/// An operand names another value of its own type, or another result of its own opcode.
fn exchange_id_of_kind(sketch: &mut Sketch, _: &[u32], random: &mut Random) {
    let Some(old) = slot(sketch, random, |slot| matches!(slot, Slot::Id)).map(|word| *word) else { return };
    let Some(definition) = sketch
        .instructions
        .iter()
        .find(|words| slots(words).iter().zip(*words).any(|(slot, &word)| *slot == Slot::Result && word == old))
    else {
        return;
    };
    let typed = slots(definition).get(1) == Some(&Slot::Type);
    let key = if typed { definition.get(1).copied() } else { None };
    let code = opcode(definition);
    let alike = results(sketch, |words| match key {
        Some(ty) => slots(words).get(1) == Some(&Slot::Type) && words.get(1) == Some(&ty),
        None => opcode(words) == code,
    });
    let Some(at) = index(alike.len(), random) else { return };
    // Any one use of the old id.
    let uses: Vec<(usize, usize)> = sketch
        .instructions
        .iter()
        .enumerate()
        .flat_map(|(at, words)| {
            let places: Vec<usize> = slots(words)
                .iter()
                .zip(words)
                .enumerate()
                .filter(|(_, (slot, word))| **slot == Slot::Id && **word == old)
                .map(|(place, _)| place)
                .collect();
            places.into_iter().map(move |place| (at, place))
        })
        .collect();
    if let Some(chosen) = index(uses.len(), random) {
        let (instruction, place) = uses[chosen];
        sketch.instructions[instruction][place] = alike[at];
    }
}

/// A result has another type.
fn exchange_type(sketch: &mut Sketch, _: &[u32], random: &mut Random) {
    let types = results(sketch, declares_type);
    if let Some(at) = index(types.len(), random)
        && let Some(word) = slot(sketch, random, |slot| matches!(slot, Slot::Type))
    {
        *word = types[at];
    }
}

/// A result gets another name, often one that is taken.
fn change_result(sketch: &mut Sketch, _: &[u32], random: &mut Random) {
    let id = random.below(u64::from(sketch.bound()) + 2) as u32;
    if let Some(word) = slot(sketch, random, |slot| matches!(slot, Slot::Result)) {
        *word = id;
    }
}

/// Another opcode: a near one, which often has the same operands.
fn change_opcode(sketch: &mut Sketch, _: &[u32], random: &mut Random) {
    let near = random.chance(80);
    let step = random.below(12) as u32;
    let other = random.below(450) as u32;
    if let Some(words) = any(sketch, random)
        && let Some(first) = words.first_mut()
    {
        let code = if near { (*first & 0xffff).wrapping_add(step).wrapping_sub(5) } else { other };
        *first = *first & 0xffff_0000 | code & 0xffff;
    }
}

fn change_enumerant(sketch: &mut Sketch, _: &[u32], random: &mut Random) {
    let value = if random.chance(80) { random.below(48) as u32 } else { random.below(6500) as u32 };
    if let Some(word) = slot(sketch, random, |slot| matches!(slot, Slot::Enumerant)) {
        *word = value;
    }
}

fn change_literal(sketch: &mut Sketch, _: &[u32], random: &mut Random) {
    let value = if random.chance(70) { *random.pick(EDGES) } else { random.bits() as u32 };
    if let Some(word) = slot(sketch, random, |slot| matches!(slot, Slot::Literal)) {
        *word = value;
    }
}

/// The word count lies.
fn change_count(sketch: &mut Sketch, _: &[u32], random: &mut Random) {
    let by = random.below(5) as u32;
    if let Some(words) = any(sketch, random)
        && let Some(first) = words.first_mut()
    {
        *first = first.wrapping_add(by << 16).wrapping_sub(2 << 16);
    }
}

fn add_operand(sketch: &mut Sketch, _: &[u32], random: &mut Random) {
    let word = random.below(u64::from(sketch.bound()) + 4) as u32;
    let place = random.bits();
    if let Some(words) = any(sketch, random)
        && !words.is_empty()
        && words.len() < 0xffff
    {
        words.insert(1 + (place % words.len() as u64) as usize, word);
        mend_count(words);
    }
}

fn remove_operand(sketch: &mut Sketch, _: &[u32], random: &mut Random) {
    let place = random.bits();
    if let Some(words) = any(sketch, random)
        && words.len() > 1
    {
        words.remove(1 + (place % (words.len() as u64 - 1)) as usize);
        mend_count(words);
    }
}

/// An instruction of the donor, its ids brought below the bound; its result gets a new id half the times.
fn transplant(sketch: &mut Sketch, donor: &[u32], random: &mut Random) {
    let donor = Sketch::of(donor);
    let Some(from) = index(donor.instructions.len(), random) else { return };
    let mut words = donor.instructions[from].clone();
    let bound = sketch.bound();
    for (slot, word) in slots(&words.clone()).into_iter().zip(&mut words) {
        match slot {
            Slot::Type | Slot::Id => *word = 1 + *word % bound,
            Slot::Result if random.chance(50) => {
                *word = bound;
                if let Some(header) = sketch.header.get_mut(3) {
                    *header = bound + 1;
                }
            }
            _ => {}
        }
    }
    let to = random.below(sketch.instructions.len() as u64 + 1) as usize;
    sketch.instructions.insert(to, words);
}

fn change_header(sketch: &mut Sketch, _: &[u32], random: &mut Random) {
    let value = match random.below(3) {
        0 => *random.pick(EDGES),
        1 => (random.below(9) as u32) << 8 | 0x0001_0000,
        _ => random.below(100) as u32,
    };
    // The magic number is left alone: without it there is nothing to see.
    if let Some(at) = index(sketch.header.len().saturating_sub(1), random) {
        sketch.header[at + 1] = value;
    }
}
