//! Whether several short work-groups run as one, and up to which size.

use oxicl_protocol::Decision;

use crate::analyse::coalescing::{Coalescing, asks_for_group, may_share_a_gang};
use crate::analyse::shape::Layout;
use crate::bounds::WRITTEN_TWICE;
use crate::ir::Function;
use crate::plan::wanted::Wanted;
use crate::switches::Subject;

/// A cost: cycles to run a work-group, beside what its gang does.
const ALONE: f64 = 12.0;

/// The most work-items along x of a work-group that is short for gangs of so many lanes. At most 32 for correctness: a
/// lane's place in its work-group is computed by a product that is exact up to there.
pub(crate) fn most_coalesced(lanes: u32) -> u32 {
    (lanes / 2).min(32)
}

/// The most work-items along x of a work-group for which coalescing pays, if a gang of several work-groups costs
/// `coalesced`, and one of a single work-group costs `alone`.
pub(crate) fn most_paying(lanes: u32, coalesced: f64, alone: f64) -> u32 {
    let most = f64::from(lanes) * (alone + ALONE) / coalesced.max(1.0);
    most_coalesced(lanes).min(most as u32)
}

/// How a kernel coalesces short work-groups, in a body in which each lane has ids of its own; `None` if it may not, or
/// does not ask for its work-group and so needs no such body. `required` is the size that work-groups have to have. The
/// kernel may call no function and use no variable in local memory.
pub(crate) fn coalescing(function: &Function<'_>, wanted: Wanted, required: Option<[u32; 3]>) -> Option<Coalescing> {
    let lanes = Wanted { row: None, ..wanted }.lanes();
    let may = lanes > 1 && wanted.layout == Layout::Rows && may_share_a_gang(function) && asks_for_group(function);
    let most = most_coalesced(lanes);
    let is_short = |[x, y, z]: [u32; 3]| x <= if y > 1 || z > 1 { most / 2 } else { most };
    let fits = match required {
        Some(size) => is_short(size),
        None => function.insts.len() <= WRITTEN_TWICE,
    };
    let of_one = required.is_some_and(|size| size[0] == 1);
    (may && fits && function.allows(Decision::Coalescing, Subject::Function))
        .then_some(Coalescing { of_one, is_aside: required.is_none() })
}
