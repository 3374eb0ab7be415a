//! Calls of functions: once for all lanes, of a version of the function for gangs, or lane by lane.

use std::collections::HashMap;

use crate::analyse::shape::Shape;
use crate::declined::Declined;
use crate::ir::InstId;
use crate::recipe::{Recipe, Recipes, Why};

/// What the lanes of an argument have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Argument {
    Same,
    /// Each lane's is that of the lane before plus this.
    Steps(i64),
    Varies,
}

impl Argument {
    /// The shape of the parameter in the version.
    pub(crate) fn shape(self) -> Shape {
        match self {
            Argument::Same => Shape::Uniform,
            Argument::Steps(stride) => Shape::Affine(stride),
            Argument::Varies => Shape::Varying,
        }
    }

    /// In words.
    pub(crate) fn words(self) -> String {
        match self {
            Argument::Same => "the same in all lanes".to_owned(),
            Argument::Steps(stride) => format!("advancing by {stride}"),
            Argument::Varies => "each lane's own".to_owned(),
        }
    }
}

/// A version of a function, by its number among those that a kernel's gangs call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct VersionId(pub(crate) u32);

impl VersionId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A call in a body for so many lanes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CallOfGang {
    pub(crate) lanes: u32,
    pub(crate) call: InstId,
    /// What lanes have in common of each argument.
    pub(crate) arguments: Vec<Argument>,
}

/// The version that each call uses, or why there can be none.
pub(crate) type Calls = HashMap<CallOfGang, Result<VersionId, Declined>>;

impl<'m> Recipes<'_, 'm> {
    /// What lanes have in common of the arguments of a call.
    fn arguments(&self, id: InstId) -> Vec<Argument> {
        let inst = self.function.inst(id);
        let count = inst.arguments().len();
        let argument = |index: usize| match self.shape(inst.operands[index]) {
            Shape::Uniform | Shape::Row => Argument::Same,
            Shape::Affine(stride) => {
                let ty = self.function.type_at(inst, index);
                let is_wide = ty.is_some_and(|ty| ty.is_pointer() || ty.is_int_of(64));
                if is_wide { Argument::Steps(stride) } else { Argument::Varies }
            }
            Shape::Wrapping(_) | Shape::Varying => Argument::Varies,
        };
        (0..count).map(argument).collect()
    }

    /// A call as the gangs of these recipes make it.
    pub(crate) fn call_of_gang(&self, call: InstId) -> CallOfGang {
        CallOfGang { lanes: self.lanes, call, arguments: self.arguments(call) }
    }

    /// The recipe of a call.
    pub(super) fn call(&self, id: InstId) -> Recipe {
        match self.calls.and_then(|calls| calls.get(&self.call_of_gang(id))) {
            Some(Ok(version)) => Recipe::Call(Some(*version)),
            Some(Err(why)) => Recipe::Replicate(Why::NoVersion(*why)),
            None => Recipe::Call(None),
        }
    }
}
