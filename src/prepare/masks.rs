//! Keeps masks as words, on machines without mask registers.

use std::collections::{BTreeMap, HashMap, HashSet};

use oxicl_llvm::{Block, Builder, IntPredicate, Module, Opcode, Type, TypeKind, Value};
use oxicl_ops::attribute;
use oxicl_target::{Ability, Target};

use crate::functions_with;

/// Keeps masks that are live across basic blocks as words, as wide as the numbers that are compared, with the masks
/// that are computed from them. Without mask registers a comparison gives such words, and x86's blends, masked accesses
/// and branches read their signs. LLVM's code generator does so within a block if the words fill one register. Else it
/// makes vectors of 128 bits of masks (`<8 x i16>` for eight lanes), and words again at each use.
pub(crate) fn keep_as_words<'m>(module: &'m Module<'m>, target: &Target) {
    if target.can(Ability::Masks) || !target.can(Ability::ChooseBySign) {
        return;
    }
    for function in functions_with(module, attribute::GANGS) {
        let kept = masks_across_blocks(function);
        let mut words = Words {
            b: Builder::new(module.context()),
            target,
            kept: kept.iter().copied().collect(),
            rare: rare_blocks(function),
            words: HashMap::new(),
        };
        words.keep(&kept);
    }
}

/// The masks that are phis or used in another block, and the mask logic that they are computed from or used in. In the
/// function's order.
fn masks_across_blocks(function: Value<'_>) -> Vec<Value<'_>> {
    let instructions = || function.blocks().into_iter().flat_map(|block| block.instructions());
    let leaves = |mask: Value<'_>, user: Value<'_>| is_phi(user) || user.block() != mask.block();
    let goes_on = |mask: Value<'_>| is_phi(mask) || mask.users().into_iter().any(|user| leaves(mask, user));
    let masks: Vec<_> = instructions().filter(|value| is_mask(*value)).collect();
    let mut open: Vec<_> = masks.iter().copied().filter(|mask| goes_on(*mask)).collect();
    let mut kept: HashSet<_> = open.iter().copied().collect();
    while let Some(mask) = open.pop() {
        let made_of = if is_logic(mask) { mask.operands() } else { Vec::new() };
        let logic = mask.users().into_iter().chain(made_of).filter(|value| is_logic(*value));
        open.extend(logic.filter(|value| kept.insert(*value)));
    }
    masks.into_iter().filter(|mask| kept.contains(mask)).collect()
}

fn is_mask(value: Value<'_>) -> bool {
    value.ty().is_vector() && value.ty().scalar().int_width() == 1
}

fn is_phi(value: Value<'_>) -> bool {
    value.opcode() == Some(Opcode::Phi)
}

/// Is this a lane-wise operation on masks alone?
fn is_logic(value: Value<'_>) -> bool {
    let is_meant =
        matches!(value.opcode(), Some(Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Select | Opcode::Freeze));
    is_meant && value.operands().into_iter().all(is_mask)
}

/// The blocks that are reached only by branches that their weights call rare.
fn rare_blocks(function: Value<'_>) -> HashSet<Block<'_>> {
    /// Rare is less often than once in so many times. What uses a mask in a rare block takes longer, and nothing else
    /// comes of it.
    const RARE: u32 = 32;
    let blocks = function.blocks();
    let (mut work, mut usual): (Vec<_>, HashSet<_>) = (blocks.iter().copied().take(1).collect(), HashSet::new());
    while let Some(block) = work.pop() {
        let Some(end) = block.terminator().filter(|_| usual.insert(block)) else { continue };
        let weights = end.branch_weights();
        let all = weights.iter().fold(0, |all: u32, weight| all.saturating_add(*weight));
        let is_rare = |index: usize| weights.get(index).is_some_and(|weight| *weight < all / RARE);
        work.extend(block.successors().into_iter().enumerate().filter(|(index, _)| !is_rare(*index)).map(|(_, to)| to));
    }
    blocks.into_iter().filter(|block| !usual.contains(block)).collect()
}

/// The width of a mask's words, in bits: that of most numbers that the mask is computed from, or used with outside rare
/// blocks. The words fill at least a register of 128 bits, and at most two of the machine's registers.
fn word_bits(mask: Value<'_>, rare: &HashSet<Block<'_>>, target: &Target) -> u32 {
    let mut votes = BTreeMap::<u32, usize>::new();
    let mut vote = |ty: Type<'_>| *votes.entry(bits_of(ty)).or_default() += 1;
    let made_of = if is_phi(mask) { mask.operands() } else { vec![mask] };
    made_of.into_iter().for_each(|value| compared(value, LOGIC, &mut vote));
    let is_rare = |user: &Value<'_>| user.block().is_some_and(|block| rare.contains(&block));
    for user in mask.users().into_iter().filter(|user| !is_rare(user)) {
        match user.opcode() {
            _ if is_logic(user) => {
                let others = user.operands().into_iter().filter(|other| *other != mask);
                others.for_each(|other| compared(other, LOGIC, &mut vote));
            }
            Some(Opcode::Select) => vote(user.ty()),
            Some(Opcode::Call) => {
                let moved = [user.ty()].into_iter().chain(user.operand(0).map(Value::ty)).find(|ty| ty.is_vector());
                moved.into_iter().for_each(&mut vote);
            }
            _ => {}
        }
    }
    let most = votes.into_iter().max_by_key(|(_, count)| *count).map_or(32, |(bits, _)| bits);
    let of_lane = |register: u32| register / (mask.ty().length() as u32).next_power_of_two();
    most.min(2 * of_lane(target.vectors.bits)).max(of_lane(128)).clamp(8, 64)
}

/// A bound on compile time: how many mask operations deep comparisons are searched for.
const LOGIC: u32 = 3;

/// Votes with the types of the numbers whose comparisons a mask is computed from.
fn compared(mask: Value<'_>, depth: u32, vote: &mut dyn FnMut(Type<'_>)) {
    match mask.opcode() {
        Some(Opcode::ICmp | Opcode::FCmp) => mask.operand(0).into_iter().for_each(|number| vote(number.ty())),
        _ if depth > 0 && is_logic(mask) => {
            mask.operands().into_iter().for_each(|operand| compared(operand, depth - 1, vote));
        }
        _ => {}
    }
}

/// The width of a vector's elements, in bits, rounded up to a power of two.
fn bits_of(ty: Type<'_>) -> u32 {
    let ty = ty.scalar();
    match ty.kind() {
        TypeKind::Integer => ty.int_width().next_power_of_two(),
        TypeKind::Half => 16,
        TypeKind::Float => 32,
        _ => 64,
    }
}

/// Rewrites masks as words.
struct Words<'t, 'm> {
    b: Builder<'m>,
    target: &'t Target,
    kept: HashSet<Value<'m>>,
    rare: HashSet<Block<'m>>,
    words: HashMap<Value<'m>, Value<'m>>,
}

impl<'m> Words<'_, 'm> {
    fn keep(&mut self, masks: &[Value<'m>]) {
        masks.iter().for_each(|mask| {
            self.of(*mask);
        });
        let phis = || masks.iter().copied().filter(|mask| is_phi(*mask));
        phis().for_each(|mask| self.come_in(mask));
        masks.iter().for_each(|mask| self.use_words(*mask));
        for mask in masks.iter().filter(|mask| is_phi(**mask) || is_logic(**mask)) {
            (0..mask.operand_count()).for_each(|index| mask.set_operand(index, mask.ty().poison()));
        }
    }

    /// The words of a mask that is kept as words.
    fn of(&mut self, mask: Value<'m>) -> Value<'m> {
        if let Some(words) = self.words.get(&mask) {
            return *words;
        }
        let ty = self.b.context().int_type(word_bits(mask, &self.rare, self.target)).vector(mask.ty().length() as u32);
        let words = if is_phi(mask) {
            self.b.position_before(mask);
            self.b.phi(ty)
        } else if is_logic(mask) {
            let operands: Vec<_> =
                mask.operands().into_iter().map(|operand| (operand, self.of_kept(operand))).collect();
            self.b.position_before(mask);
            let given: Vec<_> =
                operands.into_iter().map(|(operand, words)| self.as_words(operand, words, ty)).collect();
            match (mask.opcode(), &given[..]) {
                (Some(Opcode::And), [a, b]) => self.b.and(*a, *b),
                (Some(Opcode::Or), [a, b]) => self.b.or(*a, *b),
                (Some(Opcode::Xor), [a, b]) => self.b.xor(*a, *b),
                (Some(Opcode::Freeze), [a]) => self.b.freeze(*a),
                (_, [of, a, b]) if *b == ty.zero() => self.b.and(*of, self.b.freeze(*a)),
                (_, [of, a, b]) => self.b.select(self.truth(*of), *a, *b),
                _ => ty.poison(),
            }
        } else {
            if let Some(next) = mask.next_instruction() {
                self.b.position_before(next);
            }
            self.extended(mask, ty)
        };
        self.words.insert(mask, words);
        words
    }

    fn of_kept(&mut self, mask: Value<'m>) -> Option<Value<'m>> {
        self.kept.contains(&mask).then(|| self.of(mask))
    }

    /// A mask as words of type `ty`, written where the builder is. `words` are the words that it is kept as, if any.
    fn as_words(&self, mask: Value<'m>, words: Option<Value<'m>>, ty: Type<'m>) -> Value<'m> {
        match words {
            Some(words) if words.ty() == ty => words,
            // Only the sign counts: the other bits of a frozen word may be anything.
            Some(words) if words.ty().scalar().int_width() > ty.scalar().int_width() => {
                self.b.sext(self.truth(words), ty)
            }
            Some(words) => self.b.sext(words, ty),
            None => self.extended(mask, ty),
        }
    }

    /// A mask extended to words. A uniform mask is extended before it is broadcast.
    fn extended(&self, mask: Value<'m>, ty: Type<'m>) -> Value<'m> {
        let first = mask.operand(0).filter(|first| mask.is_spread() && first.opcode() == Some(Opcode::InsertElement));
        let truth = first.and_then(|first| first.operand(1)).filter(|truth| !truth.is_constant());
        let Some(truth) = truth else { return self.b.sext(mask, ty) };
        let word = self.b.sext(truth, ty.scalar());
        let first = self.b.insert_element(ty.poison(), word, self.b.context().int_type(64).zero());
        self.b.shuffle(first, ty.poison(), &mask.shuffle_mask())
    }

    fn truth(&self, words: Value<'m>) -> Value<'m> {
        self.b.icmp(IntPredicate::Slt, words, words.ty().zero())
    }

    /// Gives the phi of words what the phi of the mask is given.
    fn come_in(&mut self, mask: Value<'m>) {
        let words = self.of(mask);
        let mut coming = HashMap::<Block<'m>, Value<'m>>::new();
        for (value, block) in mask.incoming() {
            let given = self.of_kept(value);
            // A block that has several edges to the phi has to give the same value on each.
            let word = *coming.entry(block).or_insert_with(|| {
                block.terminator().into_iter().for_each(|end| self.b.position_before(end));
                self.as_words(value, given, words.ty())
            });
            words.add_incoming(word, block);
        }
    }

    /// Makes users outside the mask's own block compare its words, once in each block. Users that are kept as words
    /// need no mask.
    fn use_words(&mut self, mask: Value<'m>) {
        let words = self.of(mask);
        let own = mask.block().filter(|_| !is_phi(mask) && !is_logic(mask));
        let mut truths = HashMap::<Block<'m>, Value<'m>>::new();
        for user in mask.users() {
            let Some(block) = user.block().filter(|block| Some(*block) != own) else { continue };
            if self.kept.contains(&user) && (is_phi(user) || is_logic(user)) {
                continue;
            }
            let truth = *truths.entry(block).or_insert_with(|| {
                let first = block.instructions().find(|first| !is_phi(*first));
                let place = if Some(block) == mask.block() {
                    words.next_instruction().filter(|next| !is_phi(*next)).or(first)
                } else {
                    first
                };
                place.into_iter().for_each(|place| self.b.position_before(place));
                self.truth(words)
            });
            for index in 0..user.operand_count() {
                if user.operand(index) == Some(mask) {
                    user.set_operand(index, truth);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use oxicl_ops::attribute;
    use oxicl_target::Target;

    use super::keep_as_words;
    use crate::rewritten;

    /// The code of a loop that lanes leave in different iterations, by a comparison of doubles or floats.
    fn kept(number: &str, machine: &str) -> String {
        let text = format!(
            "define <8 x i32> @k(ptr %a, <8 x {number}> %limit, <8 x i32> %x, <8 x i32> %n) \"{}\" {{
            entry:
                %here = icmp slt <8 x i32> %x, %n
                br label %loop
            loop:
                %mask = phi <8 x i1> [ %here, %entry ], [ %more, %loop ]
                %count = phi <8 x i32> [ zeroinitializer, %entry ], [ %next, %loop ]
                %one = select <8 x i1> %mask, <8 x i32> splat (i32 1), <8 x i32> zeroinitializer
                %next = add <8 x i32> %count, %one
                %value = load <8 x {number}>, ptr %a
                %below = fcmp olt <8 x {number}> %value, %limit
                %more = select <8 x i1> %mask, <8 x i1> %below, <8 x i1> zeroinitializer
                %bits = bitcast <8 x i1> %more to i8
                %any = icmp ne i8 %bits, 0
                br i1 %any, label %loop, label %done
            done:
                ret <8 x i32> %next }}",
            attribute::GANGS
        );
        rewritten(&text, |module| keep_as_words(module, &Target::named(machine).expect("known")))
    }

    #[test]
    fn what_hardly_ever_runs_does_not_make_words_longer() {
        let kept = |weights: &str| {
            let text = format!(
                "define <8 x i64> @k(<8 x i64> %a, <8 x float> %x, <8 x float> %y) \"{}\" {{
                entry:
                    %mask = fcmp olt <8 x float> %x, %y
                    %bits = bitcast <8 x i1> %mask to i8
                    %none = icmp eq i8 %bits, 0
                    br i1 %none, label %done, label %some{weights}
                some:
                    %b = select <8 x i1> %mask, <8 x i64> %a, <8 x i64> zeroinitializer
                    %c = select <8 x i1> %mask, <8 x i64> zeroinitializer, <8 x i64> %b
                    br label %done
                done:
                    %r = phi <8 x i64> [ %a, %entry ], [ %c, %some ]
                    ret <8 x i64> %r }}
                !0 = !{{!\"branch_weights\", i32 2000, i32 16}}",
                attribute::GANGS
            );
            rewritten(&text, |module| keep_as_words(module, &Target::named("x86-64-v3").expect("known")))
        };
        assert!(kept("").contains("sext <8 x i1> %mask to <8 x i64>"));
        assert!(kept(", !prof !0").contains("sext <8 x i1> %mask to <8 x i32>"));
    }

    #[test]
    fn masks_are_words_as_long_as_what_is_compared_on_machines_without_masks() {
        for (number, words) in [("float", "<8 x i32>"), ("double", "<8 x i64>")] {
            let text = kept(number, "x86-64-v3");
            assert!(text.contains(&format!("phi {words}")), "{text}");
            assert!(text.contains(&format!("sext <8 x i1> %below to {words}")), "{text}");
            assert!(text.contains(&format!("and {words}")) && !text.contains("select <8 x i1> %mask"), "{text}");
        }
        for machine in ["x86-64-v4", "aarch64"] {
            assert!(!kept("float", machine).contains("sext"), "{machine}");
        }
    }
}
