//! The named operations that `lower` leaves for `workgroup`, recognised by name.

/// What a work-item may ask about its place. Dimensions are 0 to 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Query {
    /// The global id.
    GlobalId(u8),
    /// Work-items of the launch.
    GlobalSize(u8),
    /// The offset of global ids.
    GlobalOffset(u8),
    /// The id in the work-group.
    LocalId(u8),
    /// Work-items of the work-group.
    LocalSize(u8),
    /// Work-items of a work-group that is not cut off at the end of the launch.
    EnqueuedLocalSize(u8),
    /// The id of the work-group.
    GroupId(u8),
    /// Work-groups of the launch.
    NumGroups(u8),
    /// Dimensions of the launch.
    WorkDim,
    /// The number of the work-item in the launch.
    GlobalLinearId,
    /// The number of the work-item in its work-group.
    LocalLinearId,
    /// Work-items of the sub-group.
    SubGroupSize,
    /// Work-items of a full sub-group.
    SubGroupMaxSize,
    /// Sub-groups of the work-group.
    NumSubGroups,
    /// Sub-groups of a work-group that is not cut off.
    NumEnqueuedSubGroups,
    /// The number of the sub-group in its work-group.
    SubGroupId,
    /// The number of the work-item in its sub-group.
    SubGroupLocalId,
    /// The address of the block of program-scope variables.
    ProgramBlock,
}

/// How a function of the scalar module is to be understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A question with a constant dimension where it takes one.
    Query(Query),
    /// A question that takes a dimension, with a dimension that is not 0 to 2.
    QueryOutOfRange,
    /// Which storage class a generic pointer points to, as SPIR-V numbers them.
    StorageClass,
    /// The work-group barrier.
    Barrier,
    /// What all work-items of the work-group find out together.
    Collective(Collective),
    /// What those of a sub-group do together.
    SubGroup(SubGroup),
    /// Printing, a service of the process that the kernel runs in.
    Print,
    /// A name of a collective or sub-group operation that there is not.
    Unknown,
}

/// The parts in which a reduction that rounds is gathered. It is as many numbers of 32 bits as the widest registers have.
pub const PARTS: u32 = 16;

/// What two values become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// The sum of integers.
    Add,
    /// The sum of floats.
    FAdd,
    /// The product of integers.
    Mul,
    /// The product of floats.
    FMul,
    /// The least integer with a sign.
    SMin,
    /// The least integer without a sign.
    UMin,
    /// The least float.
    FMin,
    /// The greatest integer with a sign.
    SMax,
    /// The greatest integer without a sign.
    UMax,
    /// The greatest float.
    FMax,
    /// The bits that all have.
    And,
    /// The bits that any has.
    Or,
    /// The bits that an odd number of them has.
    Xor,
}

impl Combine {
    fn named(name: &str) -> Option<Combine> {
        Some(match name {
            "add" => Combine::Add,
            "fadd" => Combine::FAdd,
            "mul" => Combine::Mul,
            "fmul" => Combine::FMul,
            "smin" => Combine::SMin,
            "umin" => Combine::UMin,
            "fmin" => Combine::FMin,
            "smax" => Combine::SMax,
            "umax" => Combine::UMax,
            "fmax" => Combine::FMax,
            "and" => Combine::And,
            "or" => Combine::Or,
            "xor" => Combine::Xor,
            _ => return None,
        })
    }

    /// Does it round, so that the order of values matters? Of minima and maxima it matters too, but any of the neighbours first
    /// will do.
    pub fn rounds(self) -> bool {
        matches!(self, Combine::FAdd | Combine::FMul)
    }
}

/// What those work-items of a sub-group do together that come to it together. Values are combined in the order of their
/// numbers in it, but for what rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubGroup {
    /// What each wrote before it, all read behind it.
    Barrier,
    /// The bits of those for which the operand holds.
    Ballot,
    /// The value of the work-item whose number is the other operand.
    Shuffle,
    /// The same, where all name one number.
    Broadcast,
    /// All values combined.
    Reduce(Combine),
    /// The values up to the work-item's own, combined.
    Inclusive(Combine),
    /// The values before the work-item's own, combined; for the first the value that changes no other.
    Exclusive(Combine),
    /// The values of as many neighbours as the other operand says, a constant, combined.
    Clustered(Combine),
}

impl SubGroup {
    /// Does it give all work-items of the sub-group the same?
    pub fn is_uniform(self) -> bool {
        matches!(self, SubGroup::Ballot | SubGroup::Broadcast | SubGroup::Reduce(_))
    }

    /// Recognises `barrier`, `ballot`, `shuffle.<type>`, `<kind>.<operation>.<type>`.
    fn recognise(name: &str) -> Option<SubGroup> {
        let mut parts = name.split('.');
        let kind = parts.next()?;
        let mut combine = || parts.next().and_then(Combine::named);
        Some(match kind {
            "barrier" => SubGroup::Barrier,
            "ballot" => SubGroup::Ballot,
            "shuffle" => SubGroup::Shuffle,
            "broadcast" => SubGroup::Broadcast,
            "reduce" => SubGroup::Reduce(combine()?),
            "scan_inclusive" => SubGroup::Inclusive(combine()?),
            "scan_exclusive" => SubGroup::Exclusive(combine()?),
            "clustered_reduce" => SubGroup::Clustered(combine()?),
            _ => return None,
        })
    }
}

/// What the work-items of a work-group find out together. Values are combined in the order of linear local ids, those of
/// reductions that round in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collective {
    /// The value of the work-item whose local id is the other three operands.
    Broadcast,
    /// All values combined.
    Reduce(Combine),
    /// The values up to the work-item's own, combined.
    Inclusive(Combine),
    /// The values before the work-item's own, combined; for the first the value that changes no other.
    Exclusive(Combine),
}

impl Collective {
    /// Does it give all work-items the same?
    pub fn is_uniform(self) -> bool {
        matches!(self, Collective::Broadcast | Collective::Reduce(_))
    }

    /// How many parts are gathered for themselves.
    pub fn parts(self) -> u32 {
        match self {
            Collective::Reduce(combine) if combine.rounds() => PARTS,
            _ => 1,
        }
    }

    /// Recognises `broadcast.<type>`, `<kind>.<operation>.<type>`.
    fn recognise(name: &str) -> Option<Collective> {
        let mut parts = name.split('.');
        let kind = parts.next()?;
        if kind == "broadcast" {
            return Some(Collective::Broadcast);
        }
        let combine = Combine::named(parts.next()?)?;
        Some(match kind {
            "reduce" => Collective::Reduce(combine),
            "scan_inclusive" => Collective::Inclusive(combine),
            "scan_exclusive" => Collective::Exclusive(combine),
            _ => return None,
        })
    }
}

impl Query {
    /// Is the answer the same for all work-items of a work-group?
    pub fn is_uniform(self) -> bool {
        !matches!(
            self,
            Query::GlobalId(_)
                | Query::LocalId(_)
                | Query::GlobalLinearId
                | Query::LocalLinearId
                | Query::SubGroupSize
                | Query::SubGroupId
                | Query::SubGroupLocalId
        )
    }

    /// Does the answer differ from work-item to work-item by one along x, and is it otherwise the same in a row?
    pub fn has_unit_stride(self) -> bool {
        matches!(self, Query::GlobalId(0) | Query::LocalId(0) | Query::GlobalLinearId | Query::LocalLinearId)
    }

    /// Is the answer the same for all work-items of a row along x?
    pub fn is_same_in_a_row(self) -> bool {
        self.is_uniform() || matches!(self, Query::GlobalId(1 | 2) | Query::LocalId(1 | 2))
    }

    /// Does the answer depend on the place in a sub-group, or on which sub-group it is?
    pub fn is_of_sub_group(self) -> bool {
        matches!(self, Query::SubGroupSize | Query::SubGroupId | Query::SubGroupLocalId)
    }

    /// May the answer differ from row to row for work-items of one place along x?
    pub fn tells_rows_apart(self) -> bool {
        matches!(
            self,
            Query::GlobalId(1 | 2)
                | Query::LocalId(1 | 2)
                | Query::GroupId(1 | 2)
                | Query::GlobalLinearId
                | Query::LocalLinearId
        )
    }

    /// Does the answer depend on which of several work-groups in a row along x the work-item is in, beyond its global id?
    pub fn tells_groups_apart(self) -> bool {
        matches!(self, Query::GroupId(0) | Query::LocalId(0) | Query::LocalSize(0) | Query::LocalLinearId)
    }

    /// Does the answer depend on what the work-group's sub-groups are?
    pub fn counts_sub_groups(self) -> bool {
        self.is_of_sub_group() || self == Query::NumSubGroups
    }

    fn with_dimension(name: &str, dimension: u8) -> Option<Query> {
        Some(match name {
            "global_id" => Query::GlobalId(dimension),
            "global_size" => Query::GlobalSize(dimension),
            "global_offset" => Query::GlobalOffset(dimension),
            "local_id" => Query::LocalId(dimension),
            "local_size" => Query::LocalSize(dimension),
            "enqueued_local_size" => Query::EnqueuedLocalSize(dimension),
            "group_id" => Query::GroupId(dimension),
            "num_groups" => Query::NumGroups(dimension),
            _ => return None,
        })
    }

    fn without_dimension(name: &str) -> Option<Query> {
        Some(match name {
            "work_dim" => Query::WorkDim,
            "global_linear_id" => Query::GlobalLinearId,
            "local_linear_id" => Query::LocalLinearId,
            "sub_group_size" => Query::SubGroupSize,
            "sub_group_max_size" => Query::SubGroupMaxSize,
            "num_sub_groups" => Query::NumSubGroups,
            "num_enqueued_sub_groups" => Query::NumEnqueuedSubGroups,
            "sub_group_id" => Query::SubGroupId,
            "sub_group_local_id" => Query::SubGroupLocalId,
            "program_block" => Query::ProgramBlock,
            _ => return None,
        })
    }
}

/// Recognises a call of `callee` whose first argument, if it is a constant, is `argument`. `None` for functions that
/// are no operation of ours: library functions have a type in their name after a second dot.
pub fn recognise(callee: &str, argument: Option<u64>) -> Option<Operation> {
    let name = callee.strip_prefix("oxicl.")?;
    if name == "barrier" {
        return Some(Operation::Barrier);
    }
    if name == "printf" {
        return Some(Operation::Print);
    }
    if name == "storage_class" {
        return Some(Operation::StorageClass);
    }
    if let Some(collective) = name.strip_prefix("group.").and_then(Collective::recognise) {
        return Some(Operation::Collective(collective));
    }
    if let Some(operation) = name.strip_prefix("sub_group.").and_then(SubGroup::recognise) {
        return Some(Operation::SubGroup(operation));
    }
    if name.starts_with("group.") || name.starts_with("sub_group.") {
        return Some(Operation::Unknown);
    }
    if let Some(query) = Query::without_dimension(name) {
        return Some(Operation::Query(query));
    }
    Query::with_dimension(name, 0)?;
    let dimension = argument.and_then(|a| u8::try_from(a).ok()).filter(|d| *d < 3);
    Some(match dimension.and_then(|d| Query::with_dimension(name, d)) {
        Some(query) => Operation::Query(query),
        None => Operation::QueryOutOfRange,
    })
}

#[cfg(test)]
mod tests {
    use super::{Collective, Combine, Operation, Query, SubGroup, recognise};

    #[test]
    fn operations_are_told_from_library_functions() {
        assert_eq!(recognise("oxicl.global_id", Some(1)), Some(Operation::Query(Query::GlobalId(1))));
        assert_eq!(recognise("oxicl.global_id", Some(3)), Some(Operation::QueryOutOfRange));
        assert_eq!(recognise("oxicl.local_size", None), Some(Operation::QueryOutOfRange));
        assert_eq!(recognise("oxicl.work_dim", None), Some(Operation::Query(Query::WorkDim)));
        assert_eq!(recognise("oxicl.barrier", Some(2)), Some(Operation::Barrier));
        assert_eq!(recognise("oxicl.printf", None), Some(Operation::Print));
        let sum = Operation::Collective(Collective::Reduce(Combine::Add));
        assert_eq!(recognise("oxicl.group.reduce.add.i32", None), Some(sum));
        let shuffle = Operation::SubGroup(SubGroup::Shuffle);
        assert_eq!(recognise("oxicl.sub_group.shuffle.i32", None), Some(shuffle));
        let scan = Operation::SubGroup(SubGroup::Exclusive(Combine::FMin));
        assert_eq!(recognise("oxicl.sub_group.scan_exclusive.fmin.f32", None), Some(scan));
        assert_eq!(recognise("oxicl.sub_group.elect", None), Some(Operation::Unknown));
        assert_eq!(recognise("oxicl.sub_group_size", None), Some(Operation::Query(Query::SubGroupSize)));
        assert_eq!(recognise("oxicl.group.add.i32", None), Some(Operation::Unknown));
        assert_eq!(recognise("oxicl.exp.f32", None), None);
        assert_eq!(recognise("global_id", Some(0)), None);
    }
}
