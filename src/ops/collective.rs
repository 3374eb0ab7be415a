//! What work-items do together.

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
    /// The lesser integer with a sign.
    SMin,
    /// The lesser integer without a sign.
    UMin,
    /// The lesser float.
    FMin,
    /// The greater integer with a sign.
    SMax,
    /// The greater integer without a sign.
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

    /// The part of a function's name that says it.
    fn word(self) -> &'static str {
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

    /// Does it round, so that the order of values matters? Of minima and maxima it matters too, but any of the neighbours first
    /// will do.
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

    /// The operation of these parts of a name; what follows them is a type.
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

/// What is done with a barrier for some of the sub-groups of a work-group, which is a number of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedBarrier {
    /// All sub-groups come together and get one, for as many of them as the operand says.
    Make,
    /// The sub-group waits at it until as many have come: the barrier, memory scope and semantics as SPIR-V numbers them.
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

    /// The parts of the name that say which operation it is.
    pub(crate) fn words(self) -> String {
        match self {
            Collective::Broadcast => BROADCAST.to_owned(),
            Collective::Reduce(combine) => format!("{REDUCE}.{}", combine.word()),
            Collective::Inclusive(combine) => format!("{INCLUSIVE}.{}", combine.word()),
            Collective::Exclusive(combine) => format!("{EXCLUSIVE}.{}", combine.word()),
        }
    }

    /// The operation of these parts of a name; what follows them is a type.
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
