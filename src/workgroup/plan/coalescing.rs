//! Whether, and up to which size, short work-groups run as one.

use oxicl_protocol::Decision;

use crate::analyse::coalescing::{Coalescing, asks_for_group, may_share_a_gang};
use crate::analyse::shape::Layout;
use crate::bounds::twice::LONGEST;
use crate::ir::Function;
use crate::plan::wanted::Wanted;
use crate::switches::Subject;

/// A cost: what it takes to run a work-group, beside what its gang does.
const ALONE: f64 = 12.0;

/// The most work-items along x of a work-group that are few for gangs of so many lanes. Their places are computed by a product
/// that is right up to 32.
pub(crate) fn most_coalesced(lanes: u32) -> u32 {
    (lanes / 2).min(32)
}

/// The most for which it pays that several work-groups run as one, if a gang of these costs `coalesced`, and one of a work-group by
/// itself `alone`.
pub(crate) fn most_paying(lanes: u32, coalesced: f64, alone: f64) -> u32 {
    let most = f64::from(lanes) * (alone + ALONE) / coalesced.max(1.0);
    most_coalesced(lanes).min(most as u32)
}

/// Whether a kernel has a body for short work-groups that run as one, in which each lane has ids of its own; `None` if it has no
/// use for one, as it does not tell them apart. `required` is the size that they have to have. The kernel may call no function and use
/// no variable in local memory.
pub(crate) fn coalescing(function: &Function<'_>, wanted: Wanted, required: Option<[u32; 3]>) -> Option<Coalescing> {
    let lanes = Wanted { row: None, ..wanted }.lanes();
    let may = lanes > 1 && wanted.layout == Layout::Rows && may_share_a_gang(function) && asks_for_group(function);
    let most = most_coalesced(lanes);
    let is_short = |[x, y, z]: [u32; 3]| x <= if y > 1 || z > 1 { most / 2 } else { most };
    let fits = match required {
        Some(size) => is_short(size),
        None => function.insts.len() <= LONGEST,
    };
    let of_one = required.is_some_and(|size| size[0] == 1);
    (may && fits && function.allows(Decision::Coalescing, Subject::Function))
        .then_some(Coalescing { of_one, is_aside: required.is_none() })
}
