//! The ids and sizes of a work-item, and the answers to its queries.

use oxicl_llvm::{Builder, GepFlags, IntPredicate, Opcode, Value};
use oxicl_ops::Query;

use crate::analyse::coalescing::Coalescing;

/// All that a query may be answered from. Values are 64-bit integers, except the four addresses.
#[derive(Clone, Copy)]
pub(crate) struct Places<'m> {
    pub(crate) work_dim: Value<'m>,
    pub(crate) global_offset: [Value<'m>; 3],
    pub(crate) global_size: [Value<'m>; 3],
    /// As enqueued.
    pub(crate) local_size: [Value<'m>; 3],
    pub(crate) num_groups: [Value<'m>; 3],
    /// Address of the program-scope variables.
    pub(crate) program_block: Value<'m>,
    /// Address of the context block.
    pub(crate) context: Value<'m>,
    /// Address of the services.
    pub(crate) services: Value<'m>,
    /// What a fiber gives the services when it waits; null where there are no fibers.
    pub(crate) fibers: Value<'m>,
    /// Offsets in the context block at which state, and so private objects, begin and end.
    pub(crate) state: [Value<'m>; 2],
    pub(crate) group_id: [Value<'m>; 3],
    /// Global id of the work-group's first work-item.
    pub(crate) base: [Value<'m>; 3],
    /// Size of this work-group.
    pub(crate) size: [Value<'m>; 3],
    pub(crate) local_id: [Value<'m>; 3],
    /// Linear local id.
    pub(crate) linear: Value<'m>,
    /// S: work-items of a full sub-group, a power of two.
    pub(crate) sub_group_size: u32,
    /// How several work-groups along x run as one, if they do: `local_id` and `size` along x then count all of them.
    pub(crate) coalescing: Option<Coalescing>,
    /// 0 if the launch writes with streaming stores, else all bits set; `None` in functions that have none.
    pub(crate) not_streaming: Option<Value<'m>>,
}

/// How many fields of the hidden block, from which called functions read places, are for the launch and the work-group.
const GROUP_FIELDS: usize = 28;
/// All fields of the hidden block, each of 8 bytes.
pub(crate) const FIELDS: usize = GROUP_FIELDS + 4;

impl<'m> Places<'m> {
    /// The answer to a query, computed where the builder is.
    pub(crate) fn answer(&self, b: &Builder<'m>, query: Query) -> Value<'m> {
        let i32_type = b.context().int_type(32);
        let narrow = |value: Value<'m>| b.trunc(value, i32_type);
        match query {
            query if self.coalescing.is_some() && query.tells_groups_apart() => self.answer_coalesced(b, query),
            Query::GlobalId(d) => no_wrap(b.add(self.base[d as usize], self.local_id[d as usize])),
            Query::GlobalSize(d) => self.global_size[d as usize],
            Query::GlobalOffset(d) => self.global_offset[d as usize],
            Query::LocalId(d) => self.local_id[d as usize],
            Query::LocalSize(d) => self.size[d as usize],
            Query::EnqueuedLocalSize(d) => self.local_size[d as usize],
            Query::GroupId(d) => self.group_id[d as usize],
            Query::NumGroups(d) => self.num_groups[d as usize],
            Query::WorkDim => narrow(self.work_dim),
            Query::GlobalLinearId => self.global_linear_id(b),
            Query::LocalLinearId => self.linear,
            Query::SubGroupMaxSize => i32_type.const_int(u64::from(self.sub_group_size)),
            Query::NumSubGroups => self.sub_groups(b, product(b, &self.size)),
            Query::NumEnqueuedSubGroups => self.sub_groups(b, product(b, &self.local_size)),
            Query::SubGroupSize if self.sub_group_size == 1 => i32_type.const_int(1),
            Query::SubGroupSize | Query::SubGroupId | Query::SubGroupLocalId => {
                self.in_sub_group(b, query, narrow(self.linear), |number| number)
            }
            Query::ProgramBlock => self.program_block,
        }
    }

    /// The answer where several work-groups along x run as one.
    fn answer_coalesced(&self, b: &Builder<'m>, query: Query) -> Value<'m> {
        let enqueued = self.local_size[0];
        let group = b.binary(Opcode::UDiv, self.local_id[0], enqueued);
        let before = no_wrap(b.mul(group, enqueued));
        let own = no_wrap(b.sub(self.local_id[0], before));
        match query {
            Query::GroupId(_) => no_wrap(b.add(self.group_id[0], group)),
            Query::LocalId(_) => own,
            Query::LocalSize(_) => self.coalesced_size(b),
            _ => no_wrap(b.add(no_wrap(b.mul(self.rows_before(b), self.coalesced_size(b))), own)),
        }
    }

    /// The size along x of each work-group that runs with others. A smaller one at the end of the range runs by itself.
    pub(crate) fn coalesced_size(&self, b: &Builder<'m>) -> Value<'m> {
        minimum(b, self.size[0], self.local_size[0])
    }

    /// The place of a work-item counted through all work-groups along x.
    pub(crate) fn place_in_row(&self, b: &Builder<'m>) -> Value<'m> {
        no_wrap(b.add(no_wrap(b.mul(self.group_id[0], self.coalesced_size(b))), self.local_id[0]))
    }

    /// The number of rows of the work-group before the work-item's own.
    pub(crate) fn rows_before(&self, b: &Builder<'m>) -> Value<'m> {
        no_wrap(b.add(no_wrap(b.mul(self.local_id[2], self.size[1])), self.local_id[1]))
    }

    /// The number of sub-groups that `items` work-items form.
    fn sub_groups(&self, b: &Builder<'m>, items: Value<'m>) -> Value<'m> {
        let i32_type = b.context().int_type(32);
        let up = b.add(b.trunc(items, i32_type), i32_type.const_int(u64::from(self.sub_group_size - 1)));
        b.lshr(up, i32_type.const_int(u64::from(self.sub_group_size.ilog2())))
    }

    /// The answer about the sub-group of the work-item with the linear local id `linear`, of 32 bits; or a vector of
    /// answers if `linear` is a vector and `splat` makes vectors. The last sub-group may be smaller.
    pub(crate) fn in_sub_group(
        &self,
        b: &Builder<'m>,
        query: Query,
        linear: Value<'m>,
        splat: impl Fn(Value<'m>) -> Value<'m>,
    ) -> Value<'m> {
        let (i32_type, size) = (b.context().int_type(32), self.sub_group_size);
        let number = |number: u32| splat(i32_type.const_int(u64::from(number)));
        match query {
            Query::SubGroupLocalId => b.and(linear, number(size - 1)),
            Query::SubGroupId => b.lshr(linear, number(size.ilog2())),
            _ => {
                let first = b.and(linear, number(size.wrapping_neg()));
                let left = b.sub(splat(b.trunc(product(b, &self.size), i32_type)), first);
                b.select(b.icmp(IntPredicate::Ult, left, number(size)), left, number(size))
            }
        }
    }

    /// The places of the work-item with a linear local id.
    pub(crate) fn at_linear(mut self, b: &Builder<'m>, linear: Value<'m>) -> Places<'m> {
        let [x, y, _] = self.size;
        let row = b.binary(Opcode::UDiv, linear, x);
        self.local_id =
            [b.binary(Opcode::URem, linear, x), b.binary(Opcode::URem, row, y), b.binary(Opcode::UDiv, row, y)];
        self.linear = linear;
        self
    }

    /// The storage class of what a generic pointer points to: local and private objects lie in the context block.
    pub(crate) fn storage_class(&self, b: &Builder<'m>, pointer: Value<'m>) -> Value<'m> {
        /// SPIR-V's storage classes.
        const WORKGROUP: u64 = 4;
        const CROSS_WORKGROUP: u64 = 5;
        const FUNCTION: u64 = 7;
        let (i32_type, i64_type) = (b.context().int_type(32), b.context().int_type(64));
        let start = b.ptr_to_int(self.context, i64_type);
        let offset = b.sub(b.ptr_to_int(pointer, i64_type), start);
        let [local_end, private_end] = self.state.map(|end| b.icmp(IntPredicate::Ult, offset, end));
        let inside = b.select(local_end, i32_type.const_int(WORKGROUP), i32_type.const_int(FUNCTION));
        b.select(private_end, inside, i32_type.const_int(CROSS_WORKGROUP))
    }

    /// The places of code that makes no queries.
    pub(crate) fn none(b: &Builder<'m>, sub_group_size: u32) -> Places<'m> {
        let number = b.context().int_type(64).zero();
        let address = |space| b.context().pointer_type(space).zero();
        Places {
            work_dim: number,
            global_offset: [number; 3],
            global_size: [number; 3],
            local_size: [number; 3],
            num_groups: [number; 3],
            program_block: address(1),
            context: address(0),
            services: address(0),
            fibers: address(0),
            state: [number; 2],
            group_id: [number; 3],
            base: [number; 3],
            size: [number; 3],
            local_id: [number; 3],
            linear: number,
            sub_group_size,
            coalescing: None,
            not_streaming: None,
        }
    }

    fn global_linear_id(&self, b: &Builder<'m>) -> Value<'m> {
        let id = [0, 1, 2].map(|d| b.sub(no_wrap(b.add(self.base[d], self.local_id[d])), self.global_offset[d]));
        linear(b, id, &self.global_size)
    }

    /// The fields of the hidden block, in order.
    fn fields(&mut self) -> Vec<&mut Value<'m>> {
        let mut fields = vec![&mut self.work_dim];
        fields.extend([&mut self.global_offset, &mut self.global_size].into_iter().flatten());
        fields.extend([&mut self.local_size, &mut self.num_groups].into_iter().flatten());
        fields.extend([&mut self.program_block, &mut self.context]);
        fields.extend([&mut self.group_id, &mut self.base, &mut self.size].into_iter().flatten());
        fields.extend(&mut self.state);
        fields.extend([&mut self.services, &mut self.fibers]);
        fields.extend(&mut self.local_id);
        fields.push(&mut self.linear);
        debug_assert_eq!(fields.len(), FIELDS);
        fields
    }

    /// Writes what belongs to the launch and the work-group into a hidden block.
    pub(crate) fn store_group(mut self, b: &Builder<'m>, block: Value<'m>) {
        for (index, value) in self.fields().into_iter().enumerate().take(GROUP_FIELDS) {
            b.store(*value, field(b, block, index), 8);
        }
    }

    /// Writes what belongs to the work-item into a hidden block.
    pub(crate) fn store_item(mut self, b: &Builder<'m>, block: Value<'m>) {
        for (index, value) in self.fields().into_iter().enumerate().skip(GROUP_FIELDS) {
            b.store(*value, field(b, block, index), 8);
        }
    }

    /// Reads places from a hidden block.
    pub(crate) fn load(b: &Builder<'m>, block: Value<'m>, sub_group_size: u32) -> Places<'m> {
        let mut places = Places::none(b, sub_group_size);
        for (index, value) in places.fields().into_iter().enumerate() {
            *value = b.load(value.ty(), field(b, block, index), 8);
        }
        places
    }
}

fn field<'m>(b: &Builder<'m>, block: Value<'m>, index: usize) -> Value<'m> {
    let i64_type = b.context().int_type(64);
    b.gep(i64_type, block, &[i64_type.const_int(index as u64)], GepFlags::IN_BOUNDS)
}

/// Marks a sum or product of ids and sizes, all far below 2^63, as one that does not wrap.
pub(crate) fn no_wrap(value: Value<'_>) -> Value<'_> {
    value.set_no_wrap(true, true);
    value
}

/// The lesser of two sizes.
pub(crate) fn minimum<'m>(b: &Builder<'m>, left: Value<'m>, right: Value<'m>) -> Value<'m> {
    b.select(b.icmp(IntPredicate::Ult, left, right), left, right)
}

/// A place along three dimensions of these sizes, counted along x first.
pub(crate) fn linear<'m>(b: &Builder<'m>, [x, y, z]: [Value<'m>; 3], size: &[Value<'m>; 3]) -> Value<'m> {
    b.add(b.mul(b.add(b.mul(z, size[1]), y), size[0]), x)
}

/// The product of three sizes.
pub(crate) fn product<'m>(b: &Builder<'m>, sizes: &[Value<'m>; 3]) -> Value<'m> {
    no_wrap(b.mul(no_wrap(b.mul(sizes[0], sizes[1])), sizes[2]))
}
