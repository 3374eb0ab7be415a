//! Recipes in words.

use crate::analyse::shape::Shape;
use crate::ir::InstId;
use crate::recipe::memory::{Access, Form, Scattered, Way};
use crate::recipe::{Aos, Division, Places, Quotient, Recipe, Recipes};
use oxicl_ops::NamedBarrier;

impl<'m> Recipes<'_, 'm> {
    /// An instruction, and how it is written.
    pub(crate) fn describe(&self, id: InstId) -> String {
        format!("{}: {}", self.function.inst_text(id), self.words(id))
    }

    /// How an instruction is written.
    pub(crate) fn words(&self, id: InstId) -> String {
        match &*self.of(id) {
            Recipe::With(leader) => {
                let name = self.function.value_text(*leader);
                format!("with {}", if name.is_empty() { "the last store" } else { &name })
            }
            Recipe::Shared => "once".to_owned(),
            Recipe::Linear(stride) => format!("the first lane's, with a stride of {stride}"),
            Recipe::UnlessWrapped => "the first lane's, and whether it wraps".to_owned(),
            Recipe::PlaceInRow => "the first lane's place in a row of work-groups".to_owned(),
            Recipe::PrivateAddress { shared: true } => "in an interleaved object, the first lane's".to_owned(),
            Recipe::PrivateAddress { shared: false } => "in an interleaved object, each lane's".to_owned(),
            Recipe::Phi if self.shape_of(id) != Shape::Varying => "once".to_owned(),
            Recipe::Phi => "as lanes come".to_owned(),
            Recipe::Vector => "on vectors".to_owned(),
            Recipe::Aos(Aos::Operation) => "on one vector of all parts".to_owned(),
            Recipe::Aos(Aos::Intrinsic(row)) => format!("on one vector of all parts, {}", row.name),
            Recipe::Aos(Aos::Number(_) | Aos::Part(..)) => "one number in all parts".to_owned(),
            Recipe::Elementwise(row) => format!("on vectors, {}", row.name),
            Recipe::HighProduct(_) => "by products of halves".to_owned(),
            Recipe::ShortComparison(_) => "by distances of 32 bits".to_owned(),
            Recipe::Division(Division::Shared(_, quotient)) => format!("by a shared inverse, {}", by(*quotient)),
            Recipe::Division(Division::Each { is_constant: true, .. }) => "by a constant".to_owned(),
            Recipe::Division(Division::Each { quotient, .. }) => format!("by each lane's number, {}", by(*quotient)),
            Recipe::Access(access) => accessed(access),
            Recipe::Record(record) => {
                format!("{} numbers of a record at once, {}", record.record.members.len(), formed(record.form, false))
            }
            Recipe::Pair(pair) => format!("with the next number, {}", scattered(pair.scattered)),
            Recipe::LookUp(_) => "looked up in registers".to_owned(),
            Recipe::Atomic(Places::One) => "one change for all lanes".to_owned(),
            Recipe::Atomic(Places::MaybeOne) => "one change if lanes share the place, else lane by lane".to_owned(),
            Recipe::PlaceInSubGroup(_) => "the place in the sub-group".to_owned(),
            Recipe::PlaceInGroup(_) => "the place in one of several work-groups".to_owned(),
            Recipe::SubGroup(_) => "by the sub-group".to_owned(),
            Recipe::Collective(_) => "by the work-group".to_owned(),
            Recipe::Gathered(_) => "what the work-group gave".to_owned(),
            Recipe::Barrier => "a barrier".to_owned(),
            Recipe::NamedBarrier(NamedBarrier::Make) => "made by the work-group".to_owned(),
            Recipe::NamedBarrier(NamedBarrier::Wait) => "a barrier for some sub-groups".to_owned(),
            Recipe::Call => "a call for all lanes, or lane by lane".to_owned(),
            Recipe::Replicate => "lane by lane".to_owned(),
        }
    }
}

fn by(quotient: Quotient) -> &'static str {
    match quotient {
        Quotient::Float => "as floats",
        Quotient::Double => "as doubles",
        Quotient::DoubleUnlessLarge { estimates: true } => "as doubles, large ones by estimates",
        Quotient::DoubleUnlessLarge { estimates: false } => "as doubles, large ones lane by lane",
        Quotient::Estimate => "by estimates",
        Quotient::ByLane => "lane by lane",
    }
}

fn accessed(access: &Access) -> String {
    let as_aos = access.request.as_aos;
    let words = match &access.way {
        Way::Plain(form) => formed(*form, as_aos),
        Way::Private { unit, form } => format!("interleaved by {unit}, {}", formed(*form, as_aos)),
        Way::UnlessWrapped { form, wrapped } => {
            format!("{}; if the index wraps, {}", formed(*form, as_aos), scattered(*wrapped))
        }
        Way::Speculated { form, apart, index } => {
            let request = if index.is_some() { "indices of 32 bits" } else { "addresses" };
            format!("{} if {request} advance by one, else {}", formed(*form, as_aos), scattered(*apart))
        }
    };
    if access.prefetch.is_some() { format!("{words}, and prefetched") } else { words }
}

fn formed(form: Form, as_aos: bool) -> String {
    match form {
        Form::Once => "one place".to_owned(),
        Form::Contiguous if as_aos => "contiguous, in one vector of all parts".to_owned(),
        Form::Contiguous => "contiguous".to_owned(),
        Form::ContiguousWords => "contiguous words".to_owned(),
        Form::Strided { stride, factor, walks, scattered: apart } => {
            let picked = if factor.is_some() { "picked from a vector; under a mask, " } else { "" };
            let walked = if walks { "one by one; if lanes are missing, " } else { "" };
            format!("strided by {stride}, {picked}{walked}{}", scattered(apart))
        }
        Form::Scattered(apart) => scattered(apart),
    }
}

fn scattered(scattered: Scattered) -> String {
    match scattered {
        Scattered::Whole => "scattered, each lane's as one".to_owned(),
        Scattered::Words(word) => format!("scattered words of {word} bytes"),
        Scattered::AcrossWords { aligned: true } => "scattered, each lane in a word".to_owned(),
        Scattered::AcrossWords { aligned: false } => "scattered, each lane in two words".to_owned(),
        Scattered::InWord => "scattered, each number in a word".to_owned(),
        Scattered::Elements => "scattered".to_owned(),
        Scattered::Narrow => "scattered, in a loop under a mask".to_owned(),
    }
}
