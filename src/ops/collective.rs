//! What work-items do together.

/// How many partial results a reduction that rounds has: as many as the widest registers have 32-bit numbers.
pub const PARTS: u32 = 16;

/// How two values are combined.
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
    /// The lesser signed integer.
    SMin,
    /// The lesser unsigned integer.
    UMin,
    /// The lesser float.
    FMin,
    /// The greater signed integer.
    SMax,
    /// The greater unsigned integer.
    UMax,
    /// The greater float.
    FMax,
    /// The bits that both have.
    And,
    /// The bits that either has.
    Or,
    /// The bits that one of them has.
    Xor,
}

impl Combine {
    /// All of them.
    pub const ALL: [Combine; 13] = [
        Combine::Add,
        Combine::FAdd,
        Combine::Mul,
        Combine::FMul,
        Combine::SMin,
        Combine::UMin,
        Combine::FMin,
        Combine::SMax,
        Combine::UMax,
        Combine::FMax,
        Combine::And,
        Combine::Or,
        Combine::Xor,
    ];

    /// Its part of a function's name, in which LLVM's intrinsics agree with us.
    pub fn word(self) -> &'static str {
        match self {
            Combine::Add => "add",
            Combine::FAdd => "fadd",
            Combine::Mul => "mul",
            Combine::FMul => "fmul",
            Combine::SMin => "smin",
            Combine::UMin => "umin",
            Combine::FMin => "fmin",
            Combine::SMax => "smax",
            Combine::UMax => "umax",
            Combine::FMax => "fmax",
            Combine::And => "and",
            Combine::Or => "or",
            Combine::Xor => "xor",
        }
    }

    fn parse(word: &str) -> Option<Combine> {
        Combine::ALL.into_iter().find(|combine| combine.word() == word)
    }

    /// Does it round, so that the order of values matters? It matters for minima and maxima, too, but there any
    /// neighbours may be combined first.
    pub fn rounds(self) -> bool {
        matches!(self, Combine::FAdd | Combine::FMul)
    }
}

const BARRIER: &str = "barrier";
const BALLOT: &str = "ballot";
const SHUFFLE: &str = "shuffle";
const BROADCAST: &str = "broadcast";
const REDUCE: &str = "reduce";
const INCLUSIVE: &str = "scan_inclusive";
const EXCLUSIVE: &str = "scan_exclusive";
const CLUSTERED: &str = "clustered_reduce";

/// Operations of the work-items of a sub-group that come to the call together. Values are combined in the order of
/// sub-group local ids, except by what rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubGroup {
    /// After it, all read what each wrote before it.
    Barrier,
    /// The bits of the work-items for which the operand is true.
    Ballot,
    /// The value of the work-item whose sub-group local id is the other operand.
    Shuffle,
    /// The same, where the id is uniform.
    Broadcast,
    /// All values combined.
    Reduce(Combine),
    /// The values up to the work-item's own, combined.
    Inclusive(Combine),
    /// The values before the work-item's own, combined; the identity for the first.
    Exclusive(Combine),
    /// The values of a cluster of neighbours, combined. The other operand, a constant, is the size of clusters.
    Clustered(Combine),
}

impl SubGroup {
    /// Is the result the same for all work-items of the sub-group?
    pub fn is_uniform(self) -> bool {
        matches!(self, SubGroup::Ballot | SubGroup::Broadcast | SubGroup::Reduce(_))
    }

    /// The parts of the name that say which operation it is.
    pub(crate) fn words(self) -> String {
        match self {
            SubGroup::Barrier => BARRIER.to_owned(),
            SubGroup::Ballot => BALLOT.to_owned(),
            SubGroup::Shuffle => SHUFFLE.to_owned(),
            SubGroup::Broadcast => BROADCAST.to_owned(),
            SubGroup::Reduce(combine) => format!("{REDUCE}.{}", combine.word()),
            SubGroup::Inclusive(combine) => format!("{INCLUSIVE}.{}", combine.word()),
            SubGroup::Exclusive(combine) => format!("{EXCLUSIVE}.{}", combine.word()),
            SubGroup::Clustered(combine) => format!("{CLUSTERED}.{}", combine.word()),
        }
    }

    /// The operation that these parts of a name stand for; what follows them is a type.
    pub(crate) fn parse(words: &str) -> Option<SubGroup> {
        let mut parts = words.split('.');
        let kind = parts.next()?;
        let mut combine = || parts.next().and_then(Combine::parse);
        Some(match kind {
            BARRIER => SubGroup::Barrier,
            BALLOT => SubGroup::Ballot,
            SHUFFLE => SubGroup::Shuffle,
            BROADCAST => SubGroup::Broadcast,
            REDUCE => SubGroup::Reduce(combine()?),
            INCLUSIVE => SubGroup::Inclusive(combine()?),
            EXCLUSIVE => SubGroup::Exclusive(combine()?),
            CLUSTERED => SubGroup::Clustered(combine()?),
            _ => return None,
        })
    }
}

const MAKE: &str = "make";
const WAIT: &str = "wait";

/// Operations on a named barrier, which is for some of the sub-groups of a work-group. The barrier is a number of 64
/// bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedBarrier {
    /// All sub-groups come together and make one. The operand says for how many of them it is.
    Make,
    /// The sub-group waits until as many have come as the barrier is for. The operands are the barrier, and memory
    /// scope and semantics as SPIR-V numbers them.
    Wait,
}

impl NamedBarrier {
    /// Both of them.
    pub const ALL: [NamedBarrier; 2] = [NamedBarrier::Make, NamedBarrier::Wait];

    /// The part of the name that says which it is.
    pub(crate) fn word(self) -> &'static str {
        match self {
            NamedBarrier::Make => MAKE,
            NamedBarrier::Wait => WAIT,
        }
    }

    pub(crate) fn parse(word: &str) -> Option<NamedBarrier> {
        NamedBarrier::ALL.into_iter().find(|operation| operation.word() == word)
    }
}

/// Collective operations of a work-group. Values are combined in the order of linear local ids, or in [`PARTS`] partial
/// results by reductions that round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collective {
    /// The value of the work-item whose local id is the other three operands.
    Broadcast,
    /// All values combined.
    Reduce(Combine),
    /// The values up to the work-item's own, combined.
    Inclusive(Combine),
    /// The values before the work-item's own, combined; the identity for the first.
    Exclusive(Combine),
}

impl Collective {
    /// Is the result the same for all work-items?
    pub fn is_uniform(self) -> bool {
        matches!(self, Collective::Broadcast | Collective::Reduce(_))
    }

    /// How many partial results it has.
    pub fn parts(self) -> u32 {
        match self {
            Collective::Reduce(combine) if combine.rounds() => PARTS,
            _ => 1,
        }
    }

    /// The parts of the name that say which operation it is.
    pub(crate) fn words(self) -> String {
        match self {
            Collective::Broadcast => BROADCAST.to_owned(),
            Collective::Reduce(combine) => format!("{REDUCE}.{}", combine.word()),
            Collective::Inclusive(combine) => format!("{INCLUSIVE}.{}", combine.word()),
            Collective::Exclusive(combine) => format!("{EXCLUSIVE}.{}", combine.word()),
        }
    }

    /// The operation that these parts of a name stand for; what follows them is a type.
    pub(crate) fn parse(words: &str) -> Option<Collective> {
        let mut parts = words.split('.');
        let kind = parts.next()?;
        if kind == BROADCAST {
            return Some(Collective::Broadcast);
        }
        let combine = Combine::parse(parts.next()?)?;
        Some(match kind {
            REDUCE => Collective::Reduce(combine),
            INCLUSIVE => Collective::Inclusive(combine),
            EXCLUSIVE => Collective::Exclusive(combine),
            _ => return None,
        })
    }
}
