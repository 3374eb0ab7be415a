//! Recipes in words.

use oxicl_ops::NamedBarrier;

use crate::analyse::shape::Shape;
use crate::ir::{Elementwise, InstId};
use crate::recipe::memory::{Access, Form, Interleaved, Scattered, UnitAccess, Way};
use crate::recipe::phrase::Phrase;
use crate::recipe::{Aos, Atomic, Division, Permutes, Places, Quotient, Recipe, Recipes, Why};

impl<'m> Recipes<'_, 'm> {
    /// The recipe of an instruction in words.
    pub(crate) fn words(&self, id: InstId) -> String {
        match &*self.of(id) {
            Recipe::With(leader) => {
                let text = self.function.value_text(*leader);
                let name = text.strip_prefix('%');
                name.map_or_else(|| Phrase::WithStore.to_string(), |name| format!("{}{name}", Phrase::With))
            }
            Recipe::Shared => Phrase::Once.to_string(),
            Recipe::Linear(stride) => format!("{} {stride}", Phrase::Linear),
            Recipe::UnlessWrapped => Phrase::UnlessWrapped.to_string(),
            Recipe::PlaceInRow => Phrase::PlaceInRow.to_string(),
            Recipe::PrivateAddress { shared: true } => Phrase::PrivateShared.to_string(),
            Recipe::PrivateAddress { shared: false } => Phrase::PrivateEach.to_string(),
            Recipe::Phi if self.shape_of(id) != Shape::Varying => Phrase::Once.to_string(),
            Recipe::Phi => Phrase::Phi.to_string(),
            Recipe::Vector => Phrase::Vector.to_string(),
            Recipe::Aos(Aos::Operation) => Phrase::Aos.to_string(),
            Recipe::Aos(Aos::Intrinsic(row)) => named(Phrase::AosIntrinsic, row),
            Recipe::Aos(Aos::Number(_) | Aos::Part(..)) => Phrase::AosNumber.to_string(),
            Recipe::Elementwise(row) => named(Phrase::Elementwise, row),
            Recipe::HighProduct(_) => Phrase::HighProduct.to_string(),
            Recipe::ShortComparison(_) => Phrase::ShortComparison.to_string(),
            Recipe::Division(division) => divided(division),
            Recipe::Access(access) => accessed(access),
            Recipe::Record(record) => {
                let whole =
                    format!("{} {}, {}", record.record.members.len(), Phrase::Record, formed(record.form, false));
                record.wrapped.map_or_else(|| whole.clone(), |apart| unless_wrapped(&whole, apart))
            }
            Recipe::Pair(pair) => format!("{}, {}", Phrase::Pair, scattered(pair.scattered)),
            Recipe::LookUp(_, Permutes::Words) => Phrase::LookUp.to_string(),
            Recipe::LookUp(_, Permutes::Bytes) => Phrase::LookUpBytes.to_string(),
            Recipe::LookUp(_, Permutes::Sixteen) => Phrase::LookUpSixteen.to_string(),
            Recipe::Atomic(Atomic { places: Places::One, change }) => change.phrase().to_string(),
            Recipe::Atomic(Atomic { places: Places::MaybeOne, change }) => {
                format!("{} {}, else {}", Phrase::IfOnePlace, change.phrase(), Phrase::Replicate)
            }
            Recipe::PlaceInSubGroup(_) => Phrase::PlaceInSubGroup.to_string(),
            Recipe::PlaceInGroup(_) => Phrase::PlaceInGroup.to_string(),
            Recipe::SubGroup(recipe) => recipe.how.phrase().to_string(),
            Recipe::Collective(_, arrival) => format!("{}: {}", Phrase::ByWorkGroup, arrival.phrase()),
            Recipe::Gathered(_) => Phrase::Gathered.to_string(),
            Recipe::Barrier => Phrase::Barrier.to_string(),
            Recipe::NamedBarrier(NamedBarrier::Make, _) => Phrase::MakeNamedBarrier.to_string(),
            Recipe::NamedBarrier(NamedBarrier::Wait, _) => Phrase::WaitAtNamedBarrier.to_string(),
            Recipe::Call(version) => {
                let number = version.map_or_else(|| "that is not planned".to_owned(), |version| version.0.to_string());
                format!("{} {number}", Phrase::Call)
            }
            Recipe::Replicate(Why::NoForm(why)) => format!("{}: {why}", Phrase::Replicate),
            Recipe::Replicate(Why::NoVersion(why)) => format!("{}: {}", Phrase::Replicate, why.words()),
        }
    }
}

/// An intrinsic, by its name without `llvm.`.
fn named(phrase: Phrase, row: &Elementwise) -> String {
    format!("{phrase}{}", row.name.trim_start_matches("llvm."))
}

fn divided(division: &Division) -> String {
    match division {
        Division::Shared(_, quotient) => format!("{}, {}", Phrase::SharedInverse, by(*quotient)),
        Division::Each { is_constant: true, .. } => Phrase::Constant.to_string(),
        Division::Each { quotient, .. } => format!("{}, {}", Phrase::OwnDivisor, by(*quotient)),
    }
}

fn by(quotient: Quotient) -> Phrase {
    match quotient {
        Quotient::Float => Phrase::AsFloats,
        Quotient::Double => Phrase::AsDoubles,
        Quotient::DoubleUnlessLarge { estimates: true } => Phrase::AsDoublesOrEstimates,
        Quotient::DoubleUnlessLarge { estimates: false } => Phrase::AsDoublesOrByLane,
        Quotient::Estimate => Phrase::ByEstimates,
        Quotient::ByLane => Phrase::DividedByLane,
    }
}

fn accessed(access: &Access) -> String {
    let as_aos = access.request.as_aos;
    let words = match &access.way {
        Way::Plain(form) => formed(*form, as_aos),
        Way::Private(Interleaved { units, access }) => {
            let words = format!("{} {}, ", Phrase::Interleaved, units.bytes);
            match access {
                UnitAccess::Placed { form, blends: true } => {
                    format!("{words}{}, {}", formed(*form, as_aos), Phrase::Blended)
                }
                UnitAccess::Placed { form, blends: false } => words + &formed(*form, as_aos),
                UnitAccess::Chosen { step } => format!("{words}{} {}", Phrase::Chosen, units.count.div_ceil(*step)),
                UnitAccess::Shifted => format!("{words}{}", Phrase::Shifted),
                UnitAccess::Within(way) => format!("{words}{}, {}", Phrase::Within, scattered(*way)),
            }
        }
        Way::UnlessWrapped { form, wrapped } => unless_wrapped(&formed(*form, as_aos), *wrapped),
        Way::Speculated { form, apart, index, .. } => {
            let condition = if index.is_some() { Phrase::IfIndices } else { Phrase::IfAddresses };
            format!("{} {condition}, else {}", formed(*form, as_aos), scattered(*apart))
        }
    };
    match (access.prefetch.is_some(), access.request.streams && is_contiguous(&access.way)) {
        (true, _) => format!("{words}, {}", Phrase::Prefetched),
        (_, true) => format!("{words}, {}", Phrase::Streamed),
        _ => words,
    }
}

/// May the access be one vector?
fn is_contiguous(way: &Way) -> bool {
    let (Way::Plain(form) | Way::UnlessWrapped { form, .. } | Way::Speculated { form, .. }) = way else { return false };
    matches!(form, Form::Contiguous | Form::ContiguousOrByLane)
}

fn unless_wrapped(words: &str, apart: Scattered) -> String {
    format!("{words}; {}, {}", Phrase::IfWrapped, scattered(apart))
}

fn formed(form: Form, as_aos: bool) -> String {
    match form {
        Form::Once => Phrase::OnePlace.to_string(),
        Form::Contiguous if as_aos => Phrase::ContiguousAos.to_string(),
        Form::Contiguous => Phrase::Contiguous.to_string(),
        Form::ContiguousOrByLane => format!("{}, {}", formed(Form::Contiguous, as_aos), Phrase::ByLaneIfMissing),
        Form::ContiguousWords => Phrase::ContiguousWords.to_string(),
        Form::Reversed => Phrase::Reversed.to_string(),
        Form::Strided { stride, factor, walks, scattered: apart } => {
            let mut words = format!("{} {stride}, ", Phrase::Strided);
            if factor.is_some() {
                words += &format!("{}, ", Phrase::Picked);
            }
            if walks {
                words += &format!("{}, ", Phrase::Walked);
            }
            words + &scattered(apart)
        }
        Form::Scattered(apart) => scattered(apart),
    }
}

fn scattered(scattered: Scattered) -> String {
    match scattered {
        Scattered::ByLane => Phrase::ScatteredByLane.to_string(),
        Scattered::Words(word) => format!("{} {word} bytes", Phrase::ScatteredWords),
        Scattered::Elements => Phrase::Scattered.to_string(),
    }
}
