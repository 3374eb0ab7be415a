//! Lane by lane: what has no vector form is done for each lane of the mask in turn.

use oxicl_llvm::{GepFlags, IntPredicate, Type, Value};

use crate::analyse::shape::Shape;
use crate::arena::{BlockId, InstId, Kind, Operand, StateId};
use crate::emit::collective::{self, Outcome};
use crate::emit::copy::{Copier, Mapped};
use crate::emit::places::no_wrap;
use crate::failure::{Failure, failure};
use crate::widen::access::Address;
use crate::widen::leaf::{leaves_of, put_together, take_apart};
use crate::widen::piece::Widener;

impl<'m> Widener<'_, '_, 'm> {
    /// Copies an instruction for each lane; gives the leaves of the results.
    pub(crate) fn by_lane(&mut self, id: InstId, mask: Option<Value<'m>>) -> Result<Vec<Value<'m>>, Failure> {
        let inst = self.function.inst(id);
        let types = leaves_of(inst.value.ty())?;
        let vectors: Vec<_> = types.iter().map(|ty| self.vector(*ty)).collect();
        let operands = inst.operands.clone();
        let is_call = matches!(inst.kind, Kind::Call);
        self.each_lane(mask, &vectors, |widener, lane| {
            let mut copier = widener.lane_copier(lane, &operands)?;
            if let Some(hidden) = copier.hidden.filter(|_| is_call) {
                copier.places.store_item(widener.b, hidden);
            }
            let value = copier.copy(id)?;
            take_apart(widener.b, value)
        })
    }

    /// Each lane of the mask arrives at the collective operation at the end of a block, in order.
    pub(crate) fn arrive(&mut self, block: BlockId, mask: Option<Value<'m>>) -> Result<(), Failure> {
        let operands = self.function.gathered(block).to_vec();
        if !matches!(&self.function.block(block).terminator, crate::arena::Terminator::Cut { gather: Some(_), .. }) {
            return Ok(());
        }
        self.each_lane(mask, &[], |widener, lane| {
            let copier = widener.lane_copier(lane, &operands)?;
            collective::arrive(widener.e, &copier, block)?;
            Ok(Vec::new())
        })?;
        Ok(())
    }

    /// What the collective operation before a state gave to each lane.
    pub(crate) fn gathered(&self, state: StateId, ty: Type<'m>) -> Result<Vec<Value<'m>>, Failure> {
        match self.scalar.outcomes.get(&state) {
            Some(Outcome::Array(array)) => {
                let first = self.b.gep(ty, *array, &[self.scalar.places.linear], GepFlags::IN_BOUNDS);
                let bytes = self.e.module.size_of(ty) as i64;
                self.load(ty, Address::Steps(first, bytes), self.entry, self.e.module.align_of(ty))
            }
            Some(Outcome::Value(value)) => Ok(take_apart(self.b, *value)?.into_iter().map(|v| self.splat(v)).collect()),
            None => failure("the result of a collective operation where there was none"),
        }
    }

    /// Loads what has no vector form; gives the leaves.
    pub(crate) fn load_by_lane(
        &mut self,
        ty: Type<'m>,
        address: Address<'m>,
        mask: Option<Value<'m>>,
    ) -> Result<Vec<Value<'m>>, Failure> {
        let vectors: Vec<_> = leaves_of(ty)?.into_iter().map(|leaf| self.vector(leaf)).collect();
        self.each_lane(mask, &vectors, |widener, lane| {
            let place = widener.lane_address(address, lane);
            take_apart(widener.b, widener.b.load(ty, place, 0))
        })
    }

    /// Stores what has no vector form.
    pub(crate) fn store_by_lane(
        &mut self,
        ty: Type<'m>,
        leaves: &[Value<'m>],
        address: Address<'m>,
        mask: Option<Value<'m>>,
    ) -> Result<(), Failure> {
        self.each_lane(mask, &[], |widener, lane| {
            let b = widener.b;
            let mut parts = leaves.iter().map(|leaf| b.extract_element(*leaf, lane));
            let value = put_together(b, ty, &mut parts)?;
            b.store(value, widener.lane_address(address, lane), 0);
            Ok(Vec::new())
        })?;
        Ok(())
    }

    fn lane_address(&self, address: Address<'m>, lane: Value<'m>) -> Value<'m> {
        let b = self.b;
        match address {
            Address::One(pointer) => pointer,
            Address::Each(pointers) => b.extract_element(pointers, lane),
            Address::Steps(first, stride) => {
                let offset = b.mul(lane, b.context().int_type(64).const_signed(stride));
                b.gep(b.context().int_type(8), first, &[offset], GepFlags::NONE)
            }
        }
    }

    /// A loop over the lanes of the mask. What `body` gives for each lane becomes vectors of the given types.
    fn each_lane(
        &mut self,
        mask: Option<Value<'m>>,
        vectors: &[Type<'m>],
        body: impl FnOnce(&mut Self, Value<'m>) -> Result<Vec<Value<'m>>, Failure>,
    ) -> Result<Vec<Value<'m>>, Failure> {
        let b = self.b;
        let i64_type = b.context().int_type(64);
        let Some(before) = b.block() else { return failure("no place to write to") };
        let (start, next, done) = (self.e.block("lane"), self.e.block("lane.next"), self.e.block(""));
        b.br(start);
        b.position_at_end(start);
        let lane = b.phi(i64_type);
        let so_far: Vec<_> = vectors.iter().map(|ty| b.phi(*ty)).collect();
        if let Some(mask) = mask {
            let work = self.e.block("");
            b.cond_br(b.extract_element(mask, lane), work, next);
            b.position_at_end(work);
        }
        let values = body(self, lane)?;
        if values.len() < vectors.len() {
            return failure("a lane has too few results");
        }
        let new: Vec<_> = so_far.iter().zip(&values).map(|(old, v)| b.insert_element(*old, *v, lane)).collect();
        let Some(end) = b.block() else { return failure("no place to write to") };
        b.br(next);
        b.position_at_end(next);
        let mut results = Vec::with_capacity(vectors.len());
        for (old, new) in so_far.iter().zip(&new) {
            let merged = b.phi(old.ty());
            merged.add_incoming(*new, end);
            if mask.is_some() {
                merged.add_incoming(*old, start);
            }
            results.push(merged);
        }
        let following = no_wrap(b.add(lane, i64_type.const_int(1)));
        lane.add_incoming(i64_type.zero(), before);
        lane.add_incoming(following, next);
        for (old, merged) in so_far.iter().zip(&results) {
            old.add_incoming(old.ty().poison(), before);
            old.add_incoming(*merged, next);
        }
        let more = b.icmp(IntPredicate::Ult, following, i64_type.const_int(u64::from(self.lanes)));
        b.cond_br(more, start, done);
        b.position_at_end(done);
        Ok(results)
    }

    /// A copier for one lane that knows the values of some operands.
    fn lane_copier(&self, lane: Value<'m>, operands: &[Operand<'m>]) -> Result<Copier<'_, 'm>, Failure> {
        let scalar = &self.scalar;
        let mut places = scalar.places;
        places.local_id[0] = no_wrap(self.b.add(places.local_id[0], lane));
        places.linear = no_wrap(self.b.add(places.linear, lane));
        let mut copier = Copier {
            b: self.b,
            function: scalar.function,
            around: scalar.around,
            places,
            parameters: scalar.parameters.clone(),
            hidden: scalar.hidden,
            values: std::collections::HashMap::new(),
            blocks: std::collections::HashMap::new(),
            phis: Vec::new(),
            access_group: None,
            outcomes: std::collections::HashMap::new(),
        };
        for operand in operands {
            if let Operand::Inst(id) = operand {
                let value = self.lane_value(*operand, lane)?;
                copier.values.insert(*id, Mapped::Value(value));
            }
        }
        Ok(copier)
    }

    /// An operand's value in one lane.
    fn lane_value(&self, operand: Operand<'m>, lane: Value<'m>) -> Result<Value<'m>, Failure> {
        let b = self.b;
        match self.shape(operand) {
            Shape::Uniform | Shape::Row => self.first(operand),
            Shape::Affine(stride) => {
                let first = self.first(operand)?;
                if first.ty().is_pointer() {
                    return Ok(self.lane_address(Address::Steps(first, stride), lane));
                }
                let ty = first.ty();
                let lane = match ty.int_width() {
                    64 => lane,
                    width if width < 64 => b.trunc(lane, ty),
                    _ => b.zext(lane, ty),
                };
                Ok(b.add(first, b.mul(lane, ty.const_signed(stride))))
            }
            Shape::Varying => {
                let leaves = self.leaves(operand)?;
                let mut parts = leaves.into_iter().map(|leaf| b.extract_element(leaf, lane));
                put_together(b, self.type_of(operand)?, &mut parts)
            }
        }
    }
}
