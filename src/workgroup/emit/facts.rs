//! The facts about a kernel that are known before the code generator runs.

use oxicl_abi::{GroupStyle, KernelFacts};

use crate::plan::gangs::Gangs;
use crate::plan::{Plan, Planned};

/// What is known of a kernel once it is written.
pub(crate) struct Emitted {
    pub(super) style: GroupStyle,
    pub(super) local_bytes: u64,
    /// The kernel, or what it calls, prints.
    pub(super) prints: bool,
}

impl Emitted {
    /// The facts about the kernel `name` with this plan.
    pub(crate) fn facts(
        &self,
        name: &str,
        Planned { plans, turns, disjoint, scalar_rows, narrow_rows, .. }: &Planned<'_>,
    ) -> KernelFacts {
        let most = |of: fn(&Plan) -> u64| plans.iter().map(of).max().unwrap_or(0);
        let gangs = plans.iter().filter_map(|plan| plan.gangs.as_ref().ok());
        let lanes = gangs.map(Gangs::most).max().map_or(1, u64::from);
        let item_bytes = most(|plan| plan.item_bytes);
        // A partial gang may read and write slots of lanes behind the last work-item.
        let behind_the_last = lanes.saturating_sub(1).saturating_mul(most(|plan| plan.longest_slot));
        let objects = most(|plan| plan.objects.iter().map(|o| o.bytes).sum());
        KernelFacts {
            name: name.to_owned(),
            entry: 0,
            style: self.style,
            local_bytes: self.local_bytes,
            state_bytes_per_group: most(|plan| plan.group_bytes).saturating_add(behind_the_last),
            state_bytes_per_gang: item_bytes.saturating_mul(lanes),
            private_bytes: objects.max(item_bytes),
            stack_bytes: 0,
            columns: plans[0].columns,
            turns: *turns,
            disjoint: *disjoint,
            streamed_bytes: plans.iter().map(|plan| plan.streams.bytes).max().unwrap_or(0),
            scalar_rows: *scalar_rows,
            narrow_rows: *narrow_rows,
            lanes: lanes as u32,
            sub_group_size: plans[0].shapes.sub_group_size,
            prints: self.prints,
            remarks: plans[0].remarks.clone(),
        }
    }
}
