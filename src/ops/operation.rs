//! The named operations: functions without a body that `lower` calls and `workgroup` implements.

use crate::PREFIX;
use crate::collective::{Collective, NamedBarrier, SubGroup};
use crate::query::Query;

const BARRIER: &str = "barrier";
const PRINT: &str = "printf";
const STORAGE_CLASS: &str = "storage_class";
/// Prefixes of the names of operations of the work-group, of the sub-group, and on named barriers. The dot at the end
/// tells them from queries about sub-groups.
const OF_WORK_GROUP: &str = "group.";
const OF_SUB_GROUP: &str = "sub_group.";
const OF_NAMED_BARRIER: &str = "named_barrier.";

/// What a call asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A query about the work-item's place: `query(dimension)`, or `query()` if it has no dimension.
    Query(Query),
    /// Which storage class a generic pointer points to, as SPIR-V numbers them.
    StorageClass,
    /// The work-group barrier, with scopes and semantics as SPIR-V numbers them.
    Barrier,
    /// A collective operation of all work-items of a work-group.
    Collective(Collective),
    /// An operation of the work-items of a sub-group.
    SubGroup(SubGroup),
    /// An operation of sub-groups on a named barrier.
    NamedBarrier(NamedBarrier),
    /// Printing, a service of the process that the kernel runs in.
    Print,
}

/// Why a call is not of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAnOperation {
    /// The name is no operation's: the function is the device library's, LLVM's or the module's own.
    Other,
    /// The name has the prefix of collective, sub-group or named-barrier operations, but there is no such operation.
    Unknown,
    /// The query has a dimension, and the call's argument is no constant from 0 to 2.
    WithoutDimension,
}

impl Operation {
    /// The name of its function. Operations on values of any type have a function for each type:
    /// [`Operation::name_for`].
    pub fn name(self) -> String {
        match self {
            Operation::Query(query) => format!("{PREFIX}{}", query.word()),
            Operation::StorageClass => format!("{PREFIX}{STORAGE_CLASS}"),
            Operation::Barrier => format!("{PREFIX}{BARRIER}"),
            Operation::Print => format!("{PREFIX}{PRINT}"),
            Operation::Collective(collective) => format!("{PREFIX}{OF_WORK_GROUP}{}", collective.words()),
            Operation::SubGroup(operation) => format!("{PREFIX}{OF_SUB_GROUP}{}", operation.words()),
            Operation::NamedBarrier(operation) => format!("{PREFIX}{OF_NAMED_BARRIER}{}", operation.word()),
        }
    }

    /// The name of its function for values of a type.
    pub fn name_for(self, ty: &str) -> String {
        format!("{}.{ty}", self.name())
    }

    /// What a call of the function `name` asks for. `argument` is the call's first argument, if that is a constant.
    ///
    /// # Errors
    /// Why it asks for no operation.
    pub fn parse(name: &str, argument: Option<u64>) -> Result<Operation, NotAnOperation> {
        let name = name.strip_prefix(PREFIX).ok_or(NotAnOperation::Other)?;
        if let Some(words) = name.strip_prefix(OF_WORK_GROUP) {
            return Collective::parse(words).map(Operation::Collective).ok_or(NotAnOperation::Unknown);
        }
        if let Some(words) = name.strip_prefix(OF_SUB_GROUP) {
            return SubGroup::parse(words).map(Operation::SubGroup).ok_or(NotAnOperation::Unknown);
        }
        if let Some(word) = name.strip_prefix(OF_NAMED_BARRIER) {
            return NamedBarrier::parse(word).map(Operation::NamedBarrier).ok_or(NotAnOperation::Unknown);
        }
        match name {
            BARRIER => return Ok(Operation::Barrier),
            PRINT => return Ok(Operation::Print),
            STORAGE_CLASS => return Ok(Operation::StorageClass),
            _ => {}
        }
        let query = Query::parse(name).ok_or(NotAnOperation::Other)?;
        if query.dimension().is_none() {
            return Ok(Operation::Query(query));
        }
        let dimension = argument.and_then(|dimension| u8::try_from(dimension).ok()).filter(|dimension| *dimension < 3);
        dimension.map(|dimension| Operation::Query(query.along(dimension))).ok_or(NotAnOperation::WithoutDimension)
    }
}

/// Is this the name of a barrier or of a collective, sub-group or named-barrier operation, even of one that there is
/// not?
pub fn is_collective(name: &str) -> bool {
    match Operation::parse(name, None) {
        Ok(Operation::Barrier | Operation::Collective(_) | Operation::SubGroup(_) | Operation::NamedBarrier(_)) => true,
        Ok(_) => false,
        Err(reason) => reason == NotAnOperation::Unknown,
    }
}
