//! What a work-item may ask about its place.

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

impl Query {
    /// All queries; those that have a dimension ask about x.
    pub const ALL: [Query; 18] = [
        Query::GlobalId(0),
        Query::GlobalSize(0),
        Query::GlobalOffset(0),
        Query::LocalId(0),
        Query::LocalSize(0),
        Query::EnqueuedLocalSize(0),
        Query::GroupId(0),
        Query::NumGroups(0),
        Query::WorkDim,
        Query::GlobalLinearId,
        Query::LocalLinearId,
        Query::SubGroupSize,
        Query::SubGroupMaxSize,
        Query::NumSubGroups,
        Query::NumEnqueuedSubGroups,
        Query::SubGroupId,
        Query::SubGroupLocalId,
        Query::ProgramBlock,
    ];

    /// The part of the function's name that says which query it is.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Query::GlobalId(_) => "global_id",
            Query::GlobalSize(_) => "global_size",
            Query::GlobalOffset(_) => "global_offset",
            Query::LocalId(_) => "local_id",
            Query::LocalSize(_) => "local_size",
            Query::EnqueuedLocalSize(_) => "enqueued_local_size",
            Query::GroupId(_) => "group_id",
            Query::NumGroups(_) => "num_groups",
            Query::WorkDim => "work_dim",
            Query::GlobalLinearId => "global_linear_id",
            Query::LocalLinearId => "local_linear_id",
            Query::SubGroupSize => "sub_group_size",
            Query::SubGroupMaxSize => "sub_group_max_size",
            Query::NumSubGroups => "num_sub_groups",
            Query::NumEnqueuedSubGroups => "num_enqueued_sub_groups",
            Query::SubGroupId => "sub_group_id",
            Query::SubGroupLocalId => "sub_group_local_id",
            Query::ProgramBlock => "program_block",
        }
    }

    /// The query of this part of a name, about x if it has a dimension.
    pub(crate) fn parse(word: &str) -> Option<Query> {
        Query::ALL.into_iter().find(|query| query.word() == word)
    }

    /// The same query with the first two dimensions swapped.
    #[must_use]
    pub fn turned(self) -> Query {
        let turned = |dimension: u8| if dimension < 2 { 1 - dimension } else { dimension };
        match self {
            Query::GlobalId(dimension) => Query::GlobalId(turned(dimension)),
            Query::GlobalSize(dimension) => Query::GlobalSize(turned(dimension)),
            Query::GlobalOffset(dimension) => Query::GlobalOffset(turned(dimension)),
            Query::LocalId(dimension) => Query::LocalId(turned(dimension)),
            Query::LocalSize(dimension) => Query::LocalSize(turned(dimension)),
            Query::EnqueuedLocalSize(dimension) => Query::EnqueuedLocalSize(turned(dimension)),
            Query::GroupId(dimension) => Query::GroupId(turned(dimension)),
            Query::NumGroups(dimension) => Query::NumGroups(turned(dimension)),
            other => other,
        }
    }

    /// Its dimension, which is an argument of the call and not in the name.
    pub fn dimension(self) -> Option<u8> {
        match self {
            Query::GlobalId(dimension)
            | Query::GlobalSize(dimension)
            | Query::GlobalOffset(dimension)
            | Query::LocalId(dimension)
            | Query::LocalSize(dimension)
            | Query::EnqueuedLocalSize(dimension)
            | Query::GroupId(dimension)
            | Query::NumGroups(dimension) => Some(dimension),
            _ => None,
        }
    }

    /// The same query about another dimension, if it has one.
    pub fn along(self, dimension: u8) -> Query {
        match self {
            Query::GlobalId(_) => Query::GlobalId(dimension),
            Query::GlobalSize(_) => Query::GlobalSize(dimension),
            Query::GlobalOffset(_) => Query::GlobalOffset(dimension),
            Query::LocalId(_) => Query::LocalId(dimension),
            Query::LocalSize(_) => Query::LocalSize(dimension),
            Query::EnqueuedLocalSize(_) => Query::EnqueuedLocalSize(dimension),
            Query::GroupId(_) => Query::GroupId(dimension),
            Query::NumGroups(_) => Query::NumGroups(dimension),
            other => other,
        }
    }

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

    /// Does the answer grow by one from each work-item of a row along x to the next?
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

    /// May the answer differ between work-items at the same place along x in different rows?
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

    /// If several work-groups in a row along x run as one, does the answer depend on the work-item's own one, beyond
    /// its global id?
    pub fn tells_groups_apart(self) -> bool {
        matches!(self, Query::GroupId(0) | Query::LocalId(0) | Query::LocalSize(0) | Query::LocalLinearId)
    }

    /// Does the answer depend on how the work-group is divided into sub-groups?
    pub fn counts_sub_groups(self) -> bool {
        self.is_of_sub_group() || self == Query::NumSubGroups
    }
}
