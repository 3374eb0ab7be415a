//! SPIR-V 3.3.20, barriers; 3.3.21, group instructions; 3.3.24, non-uniform instructions; and the uniform arithmetic of
//! SPV_KHR_uniform_group_instructions, and the shuffles of SPV_INTEL_subgroups.
//!
//! Reductions and scans go in linear local id, from the first work-item's value on, but for those that round. Sums and products
//! of floats are gathered in [`PARTS`] parts, and in the end those of the upper half come to those of the lower one until there
//! is one. Scans of them in a sub-group take in what is one, two, four and so on work-items before.

use oxicl_spirv::grammar::{GroupOperation, Op, Scope};
use oxicl_spirv::{BlockRef, ConstantKind, Instruction, Module, Operand, Type, TypeRef};

use crate::Fault;
use crate::float::{decode, encode};
use crate::machine::{Machine, NamedBarrier, State};
use crate::value::{Value, sign_extend, truncate};

/// Whether a group meets at an instruction. Operand 0 is the scope.
pub(crate) fn meets(op: Op) -> bool {
    use Op::{ControlBarrier, GroupAsyncCopy, GroupWaitEvents, MemoryNamedBarrier, NamedBarrierInitialize};
    matches!(op, ControlBarrier | NamedBarrierInitialize | MemoryNamedBarrier | GroupAsyncCopy | GroupWaitEvents)
        || is_vote(op)
        || is_intel_shuffle(op)
        || combination(op).is_some()
}

/// Has a module an instruction at which sub-groups meet?
pub(crate) fn has_sub_group_operations(module: &Module) -> bool {
    let other = [Scope::CrossDevice, Scope::Device, Scope::Workgroup].map(|scope| u64::from(scope as u32));
    let of_sub_group = |inst: &Instruction| {
        let scope = inst.id(module, 0).and_then(|id| module.constant(id)).map(|constant| &constant.kind);
        let wide = matches!(scope, Some(ConstantKind::Scalar(scope)) if other.contains(scope));
        is_intel_shuffle(inst.op) || (meets(inst.op) && !wide)
    };
    module.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.instructions).any(of_sub_group)
}

/// Shuffles without a scope, as they are of sub-groups always.
fn is_intel_shuffle(op: Op) -> bool {
    matches!(
        op,
        Op::SubgroupShuffleINTEL
            | Op::SubgroupShuffleDownINTEL
            | Op::SubgroupShuffleUpINTEL
            | Op::SubgroupShuffleXorINTEL
    )
}

/// Instructions that are neither reductions nor scans.
fn is_vote(op: Op) -> bool {
    matches!(
        op,
        Op::GroupAll
            | Op::GroupAny
            | Op::GroupBroadcast
            | Op::GroupNonUniformElect
            | Op::GroupNonUniformAll
            | Op::GroupNonUniformAny
            | Op::GroupNonUniformAllEqual
            | Op::GroupNonUniformBroadcast
            | Op::GroupNonUniformBroadcastFirst
            | Op::GroupNonUniformBallot
            | Op::GroupNonUniformInverseBallot
            | Op::GroupNonUniformBallotBitExtract
            | Op::GroupNonUniformBallotBitCount
            | Op::GroupNonUniformBallotFindLSB
            | Op::GroupNonUniformBallotFindMSB
            | Op::GroupNonUniformShuffle
            | Op::GroupNonUniformShuffleXor
            | Op::GroupNonUniformShuffleUp
            | Op::GroupNonUniformShuffleDown
            | Op::GroupNonUniformRotateKHR
    )
}

/// How a reduction combines two values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Combine {
    IAdd,
    FAdd,
    IMul,
    FMul,
    SMin,
    UMin,
    FMin,
    SMax,
    UMax,
    FMax,
    And,
    Or,
    Xor,
}

fn combination(op: Op) -> Option<Combine> {
    Some(match op {
        Op::GroupIAdd | Op::GroupNonUniformIAdd => Combine::IAdd,
        Op::GroupFAdd | Op::GroupNonUniformFAdd => Combine::FAdd,
        Op::GroupIMulKHR | Op::GroupNonUniformIMul => Combine::IMul,
        Op::GroupFMulKHR | Op::GroupNonUniformFMul => Combine::FMul,
        Op::GroupSMin | Op::GroupNonUniformSMin => Combine::SMin,
        Op::GroupUMin | Op::GroupNonUniformUMin => Combine::UMin,
        Op::GroupFMin | Op::GroupNonUniformFMin => Combine::FMin,
        Op::GroupSMax | Op::GroupNonUniformSMax => Combine::SMax,
        Op::GroupUMax | Op::GroupNonUniformUMax => Combine::UMax,
        Op::GroupFMax | Op::GroupNonUniformFMax => Combine::FMax,
        Op::GroupBitwiseAndKHR
        | Op::GroupLogicalAndKHR
        | Op::GroupNonUniformBitwiseAnd
        | Op::GroupNonUniformLogicalAnd => Combine::And,
        Op::GroupBitwiseOrKHR | Op::GroupLogicalOrKHR | Op::GroupNonUniformBitwiseOr | Op::GroupNonUniformLogicalOr => {
            Combine::Or
        }
        Op::GroupBitwiseXorKHR
        | Op::GroupLogicalXorKHR
        | Op::GroupNonUniformBitwiseXor
        | Op::GroupNonUniformLogicalXor => Combine::Xor,
        _ => return None,
    })
}

/// The parts of a reduction that rounds: a value belongs to that of its local id along x, or its number in the sub-group or
/// cluster, modulo their number.
const PARTS: usize = 16;

impl Combine {
    fn rounds(self) -> bool {
        matches!(self, Combine::FAdd | Combine::FMul)
    }

    fn of(self, a: u64, b: u64, width: u32) -> u64 {
        let signed = |bits| sign_extend(bits, width);
        let float = |f: fn(f64, f64) -> f64| encode(f(decode(a, width), decode(b, width)), width);
        match self {
            Combine::IAdd => truncate(a.wrapping_add(b), width),
            Combine::FAdd => float(|a, b| a + b),
            Combine::IMul => truncate(a.wrapping_mul(b), width),
            Combine::FMul => float(|a, b| a * b),
            Combine::SMin if signed(b) < signed(a) => b,
            Combine::SMax if signed(b) > signed(a) => b,
            Combine::SMin | Combine::SMax => a,
            Combine::UMin => a.min(b),
            Combine::UMax => a.max(b),
            // The older one where neither is less: of zeros the first; a NaN gives way.
            Combine::FMin if decode(b, width) < decode(a, width) || decode(a, width).is_nan() => b,
            Combine::FMax if decode(b, width) > decode(a, width) || decode(a, width).is_nan() => b,
            Combine::FMin | Combine::FMax => a,
            Combine::And => a & b,
            Combine::Or => a | b,
            Combine::Xor => a ^ b,
        }
    }

    /// What changes no value.
    fn identity(self, width: u32) -> u64 {
        let all = truncate(u64::MAX, width);
        match self {
            Combine::IAdd | Combine::FAdd | Combine::UMax | Combine::Or | Combine::Xor => 0,
            Combine::IMul => 1,
            Combine::FMul => encode(1.0, width),
            Combine::SMin => all >> 1,
            Combine::SMax => all ^ (all >> 1),
            Combine::UMin | Combine::And => all,
            Combine::FMin => encode(f64::INFINITY, width),
            Combine::FMax => encode(f64::NEG_INFINITY, width),
        }
    }
}

/// Two values combined, of which either may be none.
fn combined(combine: Combine, width: u32, first: Option<Value>, second: Option<Value>) -> Result<Option<Value>, Fault> {
    Ok(match (first, second) {
        (Some(first), Some(second)) => Some(first.zip(&second, |a, b| combine.of(a, b, width))?),
        (first, second) => first.or(second),
    })
}

impl<'p> Machine<'p> {
    /// The current work-item comes to an instruction at which its group meets: it waits, unless it is a group by itself.
    pub(crate) fn arrive(&mut self, inst: &'p Instruction, block: BlockRef, index: usize) -> Result<(), Fault> {
        let operands = inst.operands(self.module());
        let values = operands.iter().map(|operand| match operand {
            Operand::Id(id) => self.value(*id),
            Operand::Word(word) => Ok(Value::Scalar(u64::from(*word))),
        });
        let offer = values.collect::<Result<Vec<_>, _>>()?;
        let current = self.current;
        let scope = match inst.op {
            Op::NamedBarrierInitialize => u64::from(Scope::Workgroup as u32),
            op if op == Op::MemoryNamedBarrier || is_intel_shuffle(op) => u64::from(Scope::Subgroup as u32),
            _ => offer.first().ok_or(Fault::Malformed("a group without a scope"))?.scalar()?,
        };
        self.items[current].offer = offer;
        // A barrier of more than a work-group is a habit of clang's, which means the work-group.
        let wide = inst.op == Op::ControlBarrier && scope != u64::from(Scope::Subgroup as u32);
        if wide || scope == u64::from(Scope::Workgroup as u32) {
            self.items[current].state = State::Waiting { block, index };
            return Ok(());
        }
        if self.group.sub_group_size > 1 {
            self.wait_for_sub_group(Some((block, index)), index);
            return Ok(());
        }
        self.act(inst, &[current])
    }

    /// These work-items of a group meet at an instruction.
    pub(crate) fn meet(&mut self, block: BlockRef, index: usize, members: &[usize]) -> Result<(), Fault> {
        let inst = self.module().block(block).and_then(|block| block.instructions.get(index));
        let inst = inst.ok_or(Fault::Malformed("no such instruction"))?;
        self.act(inst, members)
    }

    /// What an instruction does for the work-items of a group.
    fn act(&mut self, inst: &Instruction, members: &[usize]) -> Result<(), Fault> {
        let offers: Vec<Vec<Value>> =
            members.iter().map(|member| std::mem::take(&mut self.items[*member].offer)).collect();
        let results = match inst.op {
            Op::ControlBarrier | Op::GroupWaitEvents => return Ok(()),
            Op::MemoryNamedBarrier => return self.wait_at(operand(&offers[0], 0)?.scalar()?, members),
            Op::NamedBarrierInitialize => {
                let wanted = operand(&offers[0], 0)?.scalar()?;
                self.named_barriers.push(NamedBarrier { wanted, arrived: 0, opened: 0 });
                vec![Value::Scalar(self.named_barriers.len() as u64 - 1); members.len()]
            }
            Op::GroupAsyncCopy => self.async_copy(inst, &offers)?,
            op if is_intel_shuffle(op) => self.intel_shuffle(inst, members, &offers)?,
            op => match combination(op) {
                Some(combine) => self.combine(inst, combine, members, &offers)?,
                None => self.vote(inst, members, &offers)?,
            },
        };
        let current = self.current;
        for (member, value) in members.iter().zip(results) {
            self.current = *member;
            self.define(inst.result.ok_or(Fault::Malformed("a group operation without result"))?, value)?;
        }
        self.current = current;
        Ok(())
    }

    /// A sub-group comes to a named barrier, and waits there unless it is the last.
    fn wait_at(&mut self, number: u64, members: &[usize]) -> Result<(), Fault> {
        let barrier = number as usize;
        let named = self.named_barriers.get_mut(barrier).ok_or(Fault::Malformed("no such barrier"))?;
        named.arrived += 1;
        if named.arrived >= named.wanted {
            named.arrived = 0;
            named.opened += 1;
            return Ok(());
        }
        let opened = named.opened;
        for member in members {
            self.items[*member].state = State::Named { barrier, opened };
        }
        Ok(())
    }

    /// The number of a work-item in its sub-group.
    fn lane(&self, member: usize) -> usize {
        member % self.group.sub_group_size as usize
    }

    /// What the member with a number in its sub-group offers as operand `index`; of one that is not here, anything.
    fn offered<'o>(
        &self,
        lane: usize,
        members: &[usize],
        offers: &'o [Vec<Value>],
        index: usize,
    ) -> Result<&'o Value, Fault> {
        let at = members.iter().position(|member| self.lane(*member) == lane).unwrap_or(0);
        operand(offers.get(at).ok_or(Fault::Malformed("a group of nobody"))?, index)
    }

    /// Reductions and scans, of clusters too.
    fn combine(
        &self,
        inst: &Instruction,
        combine: Combine,
        members: &[usize],
        offers: &[Vec<Value>],
    ) -> Result<Vec<Value>, Fault> {
        let operation = u32::try_from(operand(&offers[0], 1)?.scalar()?).ok().and_then(GroupOperation::from_u32);
        if operation != Some(GroupOperation::ClusteredReduce) {
            return self.scan(inst, combine, operation, members, offers);
        }
        let size = operand(&offers[0], 3)?.scalar()?.max(1) as usize;
        let cluster = |index: usize| self.lane(members[index]) / size;
        let mut results = Vec::with_capacity(offers.len());
        while results.len() < offers.len() {
            let start = results.len();
            let end = (start..offers.len()).find(|index| cluster(*index) != cluster(start)).unwrap_or(offers.len());
            let (members, offers) = (&members[start..end], &offers[start..end]);
            results.extend(self.scan(inst, combine, Some(GroupOperation::Reduce), members, offers)?);
        }
        Ok(results)
    }

    /// Reductions and scans: operands are the scope, the operation and the value.
    fn scan(
        &self,
        inst: &Instruction,
        combine: Combine,
        operation: Option<GroupOperation>,
        members: &[usize],
        offers: &[Vec<Value>],
    ) -> Result<Vec<Value>, Fault> {
        let width = self.result_width(inst)?;
        if combine.rounds() {
            let in_work_group = operand(&offers[0], 0)?.scalar()? == u64::from(Scope::Workgroup as u32);
            if operation == Some(GroupOperation::Reduce) {
                return self.reduce_in_parts(combine, width, in_work_group, members, offers);
            }
            if !in_work_group {
                return self.scan_by_doubling(combine, width, operation, members, offers);
            }
        }
        let mut total: Option<Value> = None;
        let mut before = Vec::with_capacity(offers.len());
        let mut after = Vec::with_capacity(offers.len());
        for offer in offers {
            let value = operand(offer, 2)?;
            before.push(match &total {
                Some(total) => total.clone(),
                None => value.map(|_| combine.identity(width))?,
            });
            let next = match &total {
                Some(total) => total.zip(value, |a, b| combine.of(a, b, width))?,
                None => value.clone(),
            };
            after.push(next.clone());
            total = Some(next);
        }
        match (operation, total) {
            (Some(GroupOperation::Reduce), Some(total)) => Ok(vec![total; offers.len()]),
            (Some(GroupOperation::InclusiveScan), _) => Ok(after),
            (Some(GroupOperation::ExclusiveScan), _) => Ok(before),
            _ => Err(Fault::Instruction(inst.op)),
        }
    }

    /// Reductions that round.
    fn reduce_in_parts(
        &self,
        combine: Combine,
        width: u32,
        in_work_group: bool,
        members: &[usize],
        offers: &[Vec<Value>],
    ) -> Result<Vec<Value>, Fault> {
        let mut parts = vec![None; PARTS];
        for (member, offer) in members.iter().zip(offers) {
            let place = match in_work_group {
                true => self.group.local_id(*member as u64)[0] as usize,
                false => self.lane(*member),
            };
            let part = &mut parts[place % PARTS];
            *part = combined(combine, width, part.take(), Some(operand(offer, 2)?.clone()))?;
        }
        while parts.len() > 1 {
            let upper = parts.split_off(parts.len() / 2);
            let pairs = parts.into_iter().zip(upper);
            parts = pairs.map(|(low, high)| combined(combine, width, low, high)).collect::<Result<_, _>>()?;
        }
        let total = parts.pop().flatten().ok_or(Fault::Malformed("a group of nobody"))?;
        Ok(vec![total; offers.len()])
    }

    /// Scans of a sub-group that round.
    fn scan_by_doubling(
        &self,
        combine: Combine,
        width: u32,
        operation: Option<GroupOperation>,
        members: &[usize],
        offers: &[Vec<Value>],
    ) -> Result<Vec<Value>, Fault> {
        let lanes = self.group.sub_group_size as usize;
        let mut up_to = vec![None; lanes];
        for (member, offer) in members.iter().zip(offers) {
            up_to[self.lane(*member)] = Some(operand(offer, 2)?.clone());
        }
        let mut distance = 1;
        while distance < lanes {
            let before = |lane: usize| lane.checked_sub(distance).and_then(|lane| up_to[lane].clone());
            let next = (0..lanes).map(|lane| combined(combine, width, before(lane), up_to[lane].clone()));
            up_to = next.collect::<Result<_, _>>()?;
            distance *= 2;
        }
        let result = |(member, offer): (&usize, &Vec<Value>)| {
            let lane = self.lane(*member);
            let found = match operation {
                Some(GroupOperation::InclusiveScan) => up_to[lane].clone(),
                _ => lane.checked_sub(1).and_then(|lane| up_to[lane].clone()),
            };
            match found {
                Some(value) => Ok(value),
                None => operand(offer, 2)?.map(|_| combine.identity(width)),
            }
        };
        members.iter().zip(offers).map(result).collect()
    }

    fn vote(&self, inst: &Instruction, members: &[usize], offers: &[Vec<Value>]) -> Result<Vec<Value>, Fault> {
        let (count, size) = (offers.len(), self.group.sub_group_size as usize);
        let truth = |value: bool| Value::Scalar(u64::from(value));
        let ballot = |offer: &[Value]| operand(offer, 1).map(|value| bits_of(value, size));
        if matches!(inst.op, Op::GroupAll | Op::GroupNonUniformAll | Op::GroupAny | Op::GroupNonUniformAny) {
            let all = matches!(inst.op, Op::GroupAll | Op::GroupNonUniformAll);
            let mut votes = Vec::with_capacity(count);
            for offer in offers {
                votes.push(operand(offer, 1)?.scalar()? != 0);
            }
            return Ok(vec![truth(if all { votes.iter().all(|v| *v) } else { votes.iter().any(|v| *v) }); count]);
        }
        if inst.op == Op::GroupNonUniformAllEqual {
            let equal = self.all_equal(inst, offers)?;
            return Ok(vec![truth(equal); count]);
        }
        if inst.op == Op::GroupNonUniformBallot {
            let mut lanes = vec![0u64; 4];
            for (member, offer) in members.iter().zip(offers) {
                let index = self.lane(*member);
                lanes[index / 32] |= u64::from(operand(offer, 1)?.scalar()? != 0) << (index % 32);
            }
            return Ok(vec![Value::Vector(lanes); count]);
        }
        let mut results = Vec::with_capacity(count);
        for (member, offer) in members.iter().zip(offers) {
            let own = self.lane(*member);
            let from = |lane: usize| self.offered(lane, members, offers, 1).cloned();
            let second = || Ok::<usize, Fault>(operand(offer, 2)?.scalar()? as usize);
            results.push(match inst.op {
                Op::GroupNonUniformElect => truth(*member == members[0]),
                Op::GroupNonUniformBroadcastFirst => operand(&offers[0], 1)?.clone(),
                Op::GroupNonUniformBroadcast | Op::GroupNonUniformShuffle => from(second()?)?,
                Op::GroupNonUniformShuffleXor => from(own ^ second()?)?,
                Op::GroupNonUniformShuffleUp => from(own.wrapping_sub(second()?))?,
                Op::GroupNonUniformShuffleDown => from(own.wrapping_add(second()?))?,
                Op::GroupNonUniformRotateKHR => {
                    let within = match offer.get(3) {
                        Some(cluster) => cluster.scalar()? as usize,
                        None => size,
                    };
                    from(own - own % within.max(1) + own.wrapping_add(second()?) % within.max(1))?
                }
                Op::GroupBroadcast if operand(offer, 0)?.scalar()? == u64::from(Scope::Subgroup as u32) => {
                    from(operand(offer, 2)?.lanes()?.first().copied().unwrap_or(0) as usize)?
                }
                Op::GroupBroadcast => match self.member_at(operand(offer, 2)?, members)? {
                    None => operand(offer, 1)?.map(|_| 0)?,
                    Some(at) => operand(&offers[at], 1)?.clone(),
                },
                Op::GroupNonUniformInverseBallot => truth(ballot(offer)?.contains(&own)),
                Op::GroupNonUniformBallotBitExtract => {
                    truth(bits_of(operand(offer, 1)?, 128).contains(&(second()? % 128)))
                }
                Op::GroupNonUniformBallotBitCount => Value::Scalar(ballot_bit_count(offer, own, size)?),
                Op::GroupNonUniformBallotFindLSB => Value::Scalar(ballot(offer)?.first().copied().unwrap_or(0) as u64),
                Op::GroupNonUniformBallotFindMSB => Value::Scalar(ballot(offer)?.last().copied().unwrap_or(0) as u64),
                op => return Err(Fault::Instruction(op)),
            });
        }
        Ok(results)
    }

    /// Whether all values are equal; floating-point numbers compare as numbers.
    fn all_equal(&self, inst: &Instruction, offers: &[Vec<Value>]) -> Result<bool, Fault> {
        let ty = self.operand_type(inst, 1)?;
        let width = self.element_width(ty)?;
        let float = self.is_float(ty);
        let first = operand(&offers[0], 1)?;
        for offer in offers {
            let equal = first.zip(operand(offer, 1)?, |a, b| {
                u64::from(if float { decode(a, width) == decode(b, width) } else { a == b })
            })?;
            // A NaN is not even equal to itself.
            if equal.lanes()?.contains(&0) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(crate) fn is_float(&self, ty: TypeRef) -> bool {
        match self.module().ty(ty) {
            Type::Float { .. } => true,
            Type::Vector { component, .. } => self.is_float(*component),
            _ => false,
        }
    }

    /// The member with a local id, given as one number or as a vector of two or three.
    fn member_at(&self, id: &Value, members: &[usize]) -> Result<Option<usize>, Fault> {
        let lanes = id.lanes()?;
        let lane = |d: usize| lanes.get(d).copied().unwrap_or(0);
        let linear = self.group.linear([lane(0), lane(1), lane(2)]) as usize;
        Ok(members.binary_search(&linear).ok())
    }

    /// OpGroupAsyncCopy: operands are the scope, destination, source, number of elements, stride in elements of the
    /// global side, event. The copy is over when the group goes on.
    fn async_copy(&mut self, inst: &Instruction, offers: &[Vec<Value>]) -> Result<Vec<Value>, Fault> {
        let number = |index: usize| operand(&offers[0], index)?.scalar();
        let (to, from, count, stride) = (number(1)?, number(2)?, number(3)?, number(4)?);
        let target = self.operand_type(inst, 1)?;
        let size = self.program.size(self.module().innermost(self.program.pointee(target)?))?;
        let to_local = matches!(
            self.module().ty(target),
            Type::Pointer { storage: oxicl_spirv::grammar::StorageClass::Workgroup, .. }
        );
        // "A stride of 0 is undefined"; one element after the other is what its producers mean.
        let apart = size.wrapping_mul(stride.max(1));
        let (to_step, from_step) = if to_local { (size, apart) } else { (apart, size) };
        for element in 0..count {
            let (to_at, from_at) = (element.wrapping_mul(to_step), element.wrapping_mul(from_step));
            self.copy(to.wrapping_add(to_at), from.wrapping_add(from_at), size)?;
        }
        Ok(offers.iter().map(|offer| operand(offer, 5).cloned().unwrap_or(Value::Scalar(0))).collect())
    }

    /// Shuffles of SPV_INTEL_subgroups: operands are the value and whose; or current, next and how far; or previous, current
    /// and how far.
    fn intel_shuffle(&self, inst: &Instruction, members: &[usize], offers: &[Vec<Value>]) -> Result<Vec<Value>, Fault> {
        let size = self.group.sub_group_size as usize;
        let number = |offer: &[Value], index: usize| Ok::<usize, Fault>(operand(offer, index)?.scalar()? as usize);
        let mut results = Vec::with_capacity(offers.len());
        for (member, offer) in members.iter().zip(offers) {
            let own = self.lane(*member);
            let (lane, which) = match inst.op {
                Op::SubgroupShuffleINTEL => (number(offer, 1)?, 0),
                Op::SubgroupShuffleXorINTEL => (own ^ number(offer, 1)?, 0),
                Op::SubgroupShuffleDownINTEL => match own.wrapping_add(number(offer, 2)?) {
                    lane if lane < size => (lane, 0),
                    lane => (lane.wrapping_sub(size), 1),
                },
                _ => match own.wrapping_sub(number(offer, 2)?) {
                    lane if lane < size => (lane, 1),
                    lane => (lane.wrapping_add(size), 0),
                },
            };
            results.push(self.offered(lane, members, offers, which)?.clone());
        }
        Ok(results)
    }
}

fn operand(offer: &[Value], index: usize) -> Result<&Value, Fault> {
    offer.get(index).ok_or(Fault::Malformed("an operand is missing"))
}

/// Numbers of the bits that a ballot has, of the first `count`.
fn bits_of(ballot: &Value, count: usize) -> Vec<usize> {
    let lanes = ballot.lanes().unwrap_or_default();
    let set = |bit: &usize| lanes.get(bit / 32).is_some_and(|word| word >> (bit % 32) & 1 == 1);
    (0..count.min(128)).filter(set).collect()
}

/// OpGroupNonUniformBallotBitCount: operands are the scope, the operation and the ballot.
fn ballot_bit_count(offer: &[Value], own: usize, count: usize) -> Result<u64, Fault> {
    let bits = bits_of(operand(offer, 2)?, count);
    let operation = u32::try_from(operand(offer, 1)?.scalar()?).ok().and_then(GroupOperation::from_u32);
    let counted = match operation {
        Some(GroupOperation::Reduce) => bits.len(),
        Some(GroupOperation::InclusiveScan) => bits.iter().filter(|bit| **bit <= own).count(),
        Some(GroupOperation::ExclusiveScan) => bits.iter().filter(|bit| **bit < own).count(),
        _ => return Err(Fault::Instruction(Op::GroupNonUniformBallotBitCount)),
    };
    Ok(counted as u64)
}
