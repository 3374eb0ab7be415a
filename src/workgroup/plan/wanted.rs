//! What a build asks of a plan, and what it leaves open.

use oxicl_abi::KernelSignature;
use oxicl_protocol::{CompileOptions, Decision};
use oxicl_target::{Target, Vectors};

use crate::analyse::coalescing::Coalescing;
use crate::analyse::shape::Layout;
use crate::bounds::WORTH_IN_BASELINE;
use crate::ir::{Function, Inst, Kind};
use crate::plan::rows::{may_join_rows, tells_rows_of_group_apart};
use crate::switches::Subject;

/// The least number of 32-bit lanes in a register for which several rows may go through a region at once. A cost: with
/// fewer, rows share so little that nobody has measured a gain.
const FEWEST_OF_ROW: u32 = 8;

/// The assumed length of a row, in work-items, of kernels that wait at barriers and ask for two dimensions. A cost:
/// their tiles are mostly 16 wide, so that gangs of more lanes would find no row that is long enough.
pub(super) const TILE: u32 = 16;

/// What a kernel is built for.
#[derive(Clone, Copy)]
pub(crate) struct Build<'b> {
    pub(crate) signature: &'b KernelSignature,
    pub(crate) options: &'b CompileOptions,
    pub(crate) target: &'b Target,
}

/// What the planner may choose from, and what is given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// The lanes of a gang; 0 leaves them to the planner.
    pub(crate) lanes: u32,
    /// The machine's vector registers.
    pub(crate) vectors: Vectors,
    /// The length of a row in work-items, where it is known.
    pub(crate) row: Option<u32>,
    /// Which work-items form a gang.
    pub(crate) layout: Layout,
    /// S: work-items of a full sub-group.
    pub(crate) sub_group_size: u32,
    /// Does the kernel require that size?
    pub(crate) is_required: bool,
    /// How several work-groups of a row run as one, if they do.
    pub(crate) coalescing: Option<Coalescing>,
    /// The baseline tier, which writes little code: gangs of one register a value, and each region once.
    pub(crate) is_plain: bool,
    /// May it call functions of the program?
    pub(crate) calls_functions: bool,
    /// Is it for a kernel, and not for a function that one calls?
    pub(crate) is_kernel: bool,
}

/// The registers that gangs may use.
pub(crate) fn vectors(options: &CompileOptions, target: &Target) -> Vectors {
    if options.opt_disable { Vectors::NONE } else { target.vectors }
}

impl Wanted {
    /// What the build of a kernel asks for, if its gangs are neighbours in a row.
    pub(super) fn of(Build { signature, options, target }: Build<'_>, is_plain: bool) -> Wanted {
        let size = signature.required_sub_group_size;
        Wanted {
            lanes: options.lanes,
            row: signature.required_work_group_size.map(|size| size[0]),
            is_required: size.is_some(),
            is_plain,
            is_kernel: true,
            ..Wanted::of_callee(
                vectors(options, target),
                Layout::Rows,
                size.unwrap_or(target.limits.sub_group_size).max(1),
            )
        }
    }

    /// What gangs ask of the functions that they call, but for the lanes.
    pub(super) fn of_callee(vectors: Vectors, layout: Layout, sub_group_size: u32) -> Wanted {
        let (row, coalescing) = (None, None);
        Wanted {
            lanes: 0,
            vectors,
            row,
            layout,
            sub_group_size,
            is_required: false,
            coalescing,
            is_plain: false,
            calls_functions: true,
            is_kernel: false,
        }
    }

    /// The usual number of lanes: 32-bit numbers in a register, up to a row's length, unless options or sub-groups say
    /// it.
    pub(crate) fn lanes(self) -> u32 {
        let natural = self.vectors.lanes();
        match self.lanes {
            _ if self.layout != Layout::Rows => self.sub_group_size,
            0 => self.row.map_or(natural, |row| natural.min(1 << row.max(1).ilog2())),
            lanes => lanes,
        }
    }

    /// The same with one lane where a switch forbids gangs. Lanes that options or sub-groups ask for are no decision.
    pub(super) fn allowed(self, function: &Function<'_>) -> Wanted {
        let is_choice = self.lanes == 0 && self.layout == Layout::Rows && !function.has_sub_group_operations();
        match is_choice && self.lanes() > 1 && !function.allows(Decision::Gangs, Subject::Function) {
            true => Wanted { lanes: 1, ..self },
            false => self,
        }
    }

    /// May work-items run one after the other where gangs do not pay?
    pub(super) fn may_decline(self, function: &Function<'_>) -> bool {
        self.lanes == 0 && !function.has_sub_group_operations()
    }

    /// Gangs pay if their price is at most this part of that of one work-item after the other.
    pub(super) fn worth(self) -> f64 {
        if self.is_plain { WORTH_IN_BASELINE } else { 1.0 }
    }

    /// An upper bound on the lanes of a whole gang: the usual number where options say it, where short work-groups run
    /// as one, and, to bound compile time, where functions of the program are called.
    pub(super) fn most_lanes(self, function: &Function<'_>, lanes: u32) -> u32 {
        let is_call = |inst: &Inst<'_>| match inst.kind {
            Kind::Call => self.calls_functions,
            _ => matches!(inst.kind, Kind::Print),
        };
        let calls = || function.insts.iter().any(is_call);
        match self.row {
            _ if !self.chooses() || self.coalescing.is_some() || calls() => lanes,
            Some(row) => row.max(lanes),
            None if function.has_cuts() && asks_for_rows(function) => TILE.max(lanes),
            None => u32::MAX,
        }
    }

    /// May the planner choose gangs of several lengths, and run several rows together?
    fn chooses(self) -> bool {
        self.lanes == 0 && !self.is_plain && self.layout == Layout::Rows
    }

    /// May several rows of a work-group go through some regions at once?
    pub(super) fn may_join_rows(self, function: &Function<'_>) -> bool {
        self.chooses()
            && self.vectors.lanes() >= FEWEST_OF_ROW
            && self.coalescing.is_none()
            && asks_for_rows(function)
            && may_join_rows(function)
    }

    /// May gangs whose lanes agree on guards have a body of their own? Not where all gangs run under masks anyway: in
    /// fibers, in lines of several rows, and in the second body, for several work-groups that run as one.
    pub(super) fn may_agree(self, function: &Function<'_>) -> bool {
        !self.is_plain
            && self.layout != Layout::Line
            && !function.in_fibers
            && !self.coalescing.is_some_and(|coalescing| coalescing.is_aside)
    }
}

/// May a work-group have several rows? If nothing differs between the rows of one, it has one: a kernel that asks for
/// `get_group_id(1)` alone works on a row with a work-group.
pub(super) fn asks_for_rows(function: &Function<'_>) -> bool {
    function.asks(tells_rows_of_group_apart)
}
