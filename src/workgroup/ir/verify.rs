//! Checks a function: operands come before their users, types agree, and phis have one operand for each edge into their
//! block.

use crate::ir::instruction::{Detail, Inst, Kind, Operand};
use crate::ir::order::{dominators, reverse_post_order, turned_round};
use crate::ir::types::{Scalar, Type};
use crate::ir::{BlockId, Function, InstId, Opcode, Terminator};

impl Function<'_> {
    /// Is the function well-formed?
    ///
    /// # Errors
    /// The first thing that is not, as a sentence.
    pub(crate) fn verify(&self) -> Result<(), String> {
        let check = Check::new(self)?;
        for (number, block) in self.block_ids().zip(&self.blocks) {
            let mut is_begin = true;
            for (place, id) in block.insts.iter().enumerate() {
                let inst =
                    self.insts.get(id.index()).ok_or(format!("block {} has no instruction {}", number.0, id.0))?;
                let wrong = |why: &str| Err(format!("`{}` {why}", self.inst_text(*id)));
                let is_phi = matches!(inst.kind, Kind::Phi(_));
                is_begin &= is_phi;
                if is_phi && !is_begin {
                    return wrong("is a phi behind what is none");
                }
                if inst.block != number {
                    return wrong("is in another block than it says");
                }
                check.operands(inst, place).or_else(|why| wrong(&why))?;
                if let Some(why) = self.wrong_types(inst) {
                    return wrong(why);
                }
            }
            check.end(number).map_err(|why| format!("`{}` {why}", self.terminator_text(number)))?;
        }
        Ok(())
    }

    /// What is wrong with the types of an instruction.
    fn wrong_types(&self, inst: &Inst<'_>) -> Option<&'static str> {
        use Opcode::{
            AShr, Add, And, ExtractElement, FAdd, FCmp, FDiv, FMul, FNeg, FRem, FSub, Freeze, GetElementPtr, ICmp,
            InsertElement, LShr, Load, Mul, Or, Phi, SDiv, SExt, SRem, Select, Shl, Store, Sub, Trunc, UDiv, URem, Xor,
            ZExt,
        };
        let of = |number: usize| self.type_at(inst, number);
        let all_are = |ty: &Type| (0..inst.operands.len()).all(|number| of(number) == Some(ty));
        let width = |ty: Option<&Type>| match ty.and_then(Type::scalar) {
            Some(Scalar::Int(bits)) => bits,
            _ => 0,
        };
        let as_long = |other: Option<&Type>| other.is_some_and(|other| other.parts() == inst.ty.parts());
        let (from, to) = (width(of(0)), width(Some(&inst.ty)));
        let is_right = match inst.opcode {
            _ if matches!(inst.kind, Kind::Gathered(_)) => true,
            Add | Sub | Mul | UDiv | SDiv | URem | SRem | Shl | LShr | AShr | And | Or | Xor => {
                inst.operands.len() == 2 && to > 0 && all_are(&inst.ty)
            }
            FAdd | FSub | FMul | FDiv | FRem => inst.operands.len() == 2 && to == 0 && all_are(&inst.ty),
            FNeg | Freeze | Phi => all_are(&inst.ty),
            ICmp | FCmp => to == 1 && of(0) == of(1) && as_long(of(0)),
            Trunc => to < from && to > 0 && as_long(of(0)),
            ZExt | SExt => from < to && from > 0 && as_long(of(0)),
            Select => of(1) == Some(&inst.ty) && of(2) == Some(&inst.ty) && from == 1,
            Load => of(0).is_some_and(Type::is_pointer),
            Store => of(1).is_some_and(Type::is_pointer) && inst.ty == Type::Void,
            GetElementPtr => {
                of(0).and_then(Type::scalar).is_some_and(|base| matches!(base, Scalar::Pointer(_)))
                    && (1..inst.operands.len()).all(|number| width(of(number)) > 0)
                    && matches!(inst.detail, Detail::Address(..))
            }
            ExtractElement => of(0).and_then(Type::element).as_ref() == Some(&inst.ty),
            InsertElement => of(0) == Some(&inst.ty) && inst.ty.element().as_ref() == of(1),
            _ => true,
        };
        (!is_right).then_some("has operands of types that it does not take")
    }
}

/// What the checks of all instructions share.
struct Check<'f, 'm> {
    function: &'f Function<'m>,
    /// The predecessors of each block, once for each edge.
    predecessors: Vec<Vec<usize>>,
    /// The immediate dominator of each reachable block.
    dominators: Vec<Option<usize>>,
    /// The place of each instruction in its block.
    places: Vec<usize>,
}

impl<'f, 'm> Check<'f, 'm> {
    fn new(function: &'f Function<'m>) -> Result<Self, String> {
        let count = function.blocks.len();
        let mut successors = Vec::with_capacity(count);
        let mut places = vec![usize::MAX; function.insts.len()];
        for number in function.block_ids() {
            let next = function.successors_through_cuts(number);
            if let Some(next) = next.iter().find(|next| next.index() >= count) {
                return Err(format!("there is no block {}", next.0));
            }
            successors.push(next.into_iter().map(BlockId::index).collect::<Vec<_>>());
            for (place, id) in function.block(number).insts.iter().enumerate() {
                if let Some(known) = places.get_mut(id.index()) {
                    *known = place;
                }
            }
        }
        let predecessors = turned_round(&successors);
        let order = reverse_post_order([0], count, |node| &successors[node]);
        Ok(Check { function, dominators: dominators(0, &order, &predecessors), predecessors, places })
    }

    fn dominates(&self, over: BlockId, block: BlockId) -> bool {
        let (over, mut block) = (over.index(), block.index());
        while block != over {
            match self.dominators[block] {
                Some(next) if next != block => block = next,
                _ => return false,
            }
        }
        true
    }

    /// Does an instruction give a result in front of a place in a block?
    fn is_before(&self, id: InstId, block: BlockId, place: usize) -> bool {
        let Some(inst) = self.function.insts.get(id.index()) else { return false };
        let own = self.places[id.index()];
        let is_there = own != usize::MAX && inst.ty != Type::Void;
        is_there && if inst.block == block { own < place } else { self.dominates(inst.block, block) }
    }

    /// Is an operand available at a place in a block?
    fn operand(&self, operand: Operand, block: BlockId, place: usize) -> Result<(), String> {
        let is_reachable = self.function.reachable[block.index()];
        match operand {
            Operand::Inst(id) if is_reachable && !self.is_before(id, block, place) => {
                Err(format!("uses instruction {}, which does not come before it", id.0))
            }
            Operand::Parameter(index) if index as usize >= self.function.parameters.len() => {
                Err(format!("uses parameter {index}, which there is not"))
            }
            Operand::Constant(id) if id.index() >= self.function.constants.len() => {
                Err(format!("uses constant {}, which there is not", id.0))
            }
            _ => Ok(()),
        }
    }

    fn operands(&self, inst: &Inst<'_>, place: usize) -> Result<(), String> {
        let Kind::Phi(blocks) = &inst.kind else {
            return inst.operands.iter().try_for_each(|operand| self.operand(*operand, inst.block, place));
        };
        let mut from: Vec<_> = blocks.iter().map(|block| block.index()).collect();
        let mut known = self.predecessors[inst.block.index()].clone();
        from.sort_unstable();
        known.sort_unstable();
        if from != known || from.len() != inst.operands.len() {
            return Err("does not have one operand for each way into its block".to_owned());
        }
        let each = blocks.iter().zip(&inst.operands);
        each.into_iter().try_for_each(|(block, operand)| self.operand(*operand, *block, usize::MAX))
    }

    /// Is the terminator of a block well-formed?
    fn end(&self, block: BlockId) -> Result<(), String> {
        let function = self.function;
        let operand = |operand: &Operand| self.operand(*operand, block, usize::MAX);
        match &function.block(block).terminator {
            Terminator::Branch { condition, successors, cases, weights, .. } => {
                condition.iter().try_for_each(operand)?;
                let many = if cases.is_empty() && condition.is_some() { 2 } else { cases.len() + 1 };
                let width = condition.map(|condition| function.type_of(condition).int_width());
                let is_truth = width.is_none_or(|bits| if cases.is_empty() { bits == 1 } else { bits > 0 });
                let counts = weights.is_empty() || weights.len() == successors.len();
                // A switch without cases goes to one block whatever its condition is.
                let is_counted = successors.len() == many || (cases.is_empty() && successors.len() == 1);
                if is_counted && counts && (is_truth || successors.len() == 1) {
                    Ok(())
                } else {
                    Err("does not say by its condition where it goes".to_owned())
                }
            }
            Terminator::Return(result) => result.iter().try_for_each(operand),
            Terminator::Unreachable => Ok(()),
            Terminator::Cut { gather, .. } => gather.iter().flat_map(|gather| &gather.operands).try_for_each(operand),
        }
    }
}
