//! The binary interface between the scheduler and a compiled kernel.

use core::ffi::c_void;

use serde::{Deserialize, Serialize};

/// Alignment, in bytes, of the context block and of the parts inside it.
pub const CONTEXT_ALIGN: u64 = 128;

/// What every work-group of one launch has in common. Generated code reads it by field offset, so the order is fixed;
/// `workgroup` takes the offsets from `core::mem::offset_of!`.
#[repr(C)]
#[derive(Clone, Debug, Default)]
pub struct LaunchRecord {
    /// Number of dimensions as enqueued, 1 to 3. Sizes of absent dimensions are 1, offsets 0.
    pub work_dim: u64,
    /// Offset of the global ids, in work-items.
    pub global_offset: [u64; 3],
    /// Global size, in work-items.
    pub global_size: [u64; 3],
    /// Enqueued work-group size, in work-items. The last group of a dimension is smaller if this does not divide
    /// `global_size`.
    pub local_size: [u64; 3],
    /// Number of work-groups.
    pub num_groups: [u64; 3],
    /// Address of the argument block, laid out as `KernelSignature` of `oxicl-validate` says. A pointer to local memory
    /// is in it as the offset, in bytes, from the start of the context block.
    pub arguments: u64,
    /// Address of the program's block of program-scope variables; 0 if it has none.
    pub program_block: u64,
    /// Offset, in bytes, of the state area in the context block: local memory lies before it.
    pub state_offset: u64,
    /// Address of the [`Services`]; they live as long as the process.
    pub services: u64,
}

/// What a kernel may ask of the process that it runs in: functions that it calls on its own stack. They catch their own
/// panics, and keep no address that they are given.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Services {
    /// Prints a text at once.
    pub printf: Printf,
    /// Runs the fibers of a work-group.
    pub run_fibers: RunFibers,
    /// A fiber waits.
    pub pause: Pause,
}

/// A part of a work-group, a sub-group or a work-item, that may wait for other parts: it has a stack of its own. Takes what
/// its kernel's [`Entry`] was given, the number of the part, and what is to be given to [`Pause`].
pub type Fiber = unsafe extern "C" fn(
    launch: LaunchAddress,
    context: *mut u8,
    group: *const GroupRecord,
    number: u64,
    fibers: *mut c_void,
);

/// Address of a launch record.
pub type LaunchAddress = *const LaunchRecord;

/// Runs `fiber` for the numbers below `count` until all have returned. They begin in this order.
pub type RunFibers =
    unsafe extern "C" fn(fiber: Fiber, launch: LaunchAddress, context: *mut u8, group: *const GroupRecord, count: u64);

/// Called by a fiber. If `barrier` is 0, others go on for a while: what the fiber waits for has not come about. Else all
/// that have not returned come to a barrier before any goes on, and then do so in order, up to where they call again.
pub type Pause = unsafe extern "C" fn(fibers: *mut c_void, barrier: u32);

/// Prints. `format` ends with a null character. `shapes` is the number of arguments and then, for each, the word that
/// `oxicl-printf` makes of its type. `values` has the bits of all their components, one after the other. The result is 0,
/// or -1 if nothing was printed.
pub type Printf = unsafe extern "C" fn(format: *const u8, shapes: *const u32, values: *const u64) -> i32;

/// Which work-items a compiled kernel is to run: those of one work-group, or of several in a row along x that run as one.
/// Generated code reads it by field offset.
#[repr(C)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupRecord {
    /// Group id; of the first, if there are several.
    pub id: [u64; 3],
    /// Global id of the first work-item.
    pub base: [u64; 3],
    /// Work-items along each dimension.
    pub size: [u64; 3],
    /// The local id along z that is to be run, for a kernel that runs plane by plane.
    pub plane: u64,
}

/// A compiled kernel. Runs the work-items that `group` names to their end on the calling thread. `context` is a block of at
/// least [`KernelFacts::context_bytes`](crate::KernelFacts::context_bytes) bytes, aligned to [`CONTEXT_ALIGN`], that nobody
/// else uses meanwhile; its content need not be initialised.
pub type Entry = unsafe extern "C" fn(launch: *const LaunchRecord, context: *mut u8, group: *const GroupRecord);

/// How the work-groups of a kernel are given to its [`Entry`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupStyle {
    /// Work-groups in a row along x may run as one, if they have one work-item along y and z: the kernel cannot tell.
    pub merge: bool,
    /// Work-groups of several rows may, too, and should: all that work-items use lies side by side in memory for those along x.
    pub merge_rows: bool,
    /// One plane of a work-group a call.
    pub planes: bool,
    /// Work-items of a fiber, if a call runs these; else 0.
    pub fiber: u32,
    /// Work-groups may start in any order: the kernel does nothing by which they could find out.
    pub any_order: bool,
    /// Work-groups in a row along x may run as one, if they have no more than so many work-items along x and all as many: they
    /// are short for its gangs, and its code knows them apart. At most 32.
    pub most_packed: u32,
}

/// Work-items along x of work-groups that run as one, though the kernel knows them apart: the most.
pub const PACKED_ITEMS: u64 = 4096;

/// Work-items along x of a column of work-groups, about: a page of numbers of four bytes, so that memory is gone through as it
/// lies. What neighbours along y share is still in the caches when they come.
const COLUMN: u64 = 1024;

impl GroupStyle {
    /// Calls `run` for `count` work-groups from the one numbered `first`: in linear order (x fastest), or where any order will
    /// do and work-groups have several rows, so in one column of work-groups after the other.
    ///
    /// The range's start is divided up once. From there it goes along a row by addition, and from row to row by carry.
    #[inline]
    pub fn each(self, launch: &LaunchRecord, first: u64, count: u64, run: impl FnMut(&GroupRecord)) {
        if self.packed(launch) == 1 && self.any_order && launch.local_size[1] > 1 && launch.num_groups[1] > 1 {
            self.each_in_columns(launch, first, count, run);
        } else {
            self.each_in_line(launch, first, count, run);
        }
    }

    /// How many work-groups along x run as one, because they are short. Those of several rows have to be shorter: what these
    /// have side by side in memory is not far away.
    fn packed(self, launch: &LaunchRecord) -> u64 {
        let [x, y, z] = launch.local_size;
        let most = u64::from(if y > 1 || z > 1 { self.most_packed / 2 } else { self.most_packed });
        if x > 0 && x <= most { PACKED_ITEMS / x } else { 1 }
    }

    fn each_in_columns(self, launch: &LaunchRecord, first: u64, count: u64, mut run: impl FnMut(&GroupRecord)) {
        let [groups_x, groups_y, _] = launch.num_groups.map(|groups| groups.max(1));
        let (mut z, in_plane) = (first / (groups_x * groups_y), first % (groups_x * groups_y));
        let most = (COLUMN / launch.local_size[0].max(1)).clamp(1, groups_x);
        let mut start = in_plane / (most * groups_y) * most;
        let in_column = in_plane - start * groups_y;
        let mut end = groups_x.min(start + most);
        let (mut x, mut y) = (start + in_column % (end - start), in_column / (end - start));
        let mut group = GroupRecord::default();
        let mut left = count;
        while left > 0 {
            let step = if self.merge_rows { left.min(end - x) } else { 1 };
            group.extend(launch, 0, x, step);
            group.extend(launch, 1, y, 1);
            group.extend(launch, 2, z, 1);
            self.planes_of(&mut group, &mut run);
            left -= step;
            x += step;
            if x == end {
                y += 1;
                if y == groups_y {
                    (y, start) = (0, end);
                    if start == groups_x {
                        (start, z) = (0, z.wrapping_add(1));
                    }
                    end = groups_x.min(start + most);
                }
                x = start;
            }
        }
    }

    /// Runs a work-group, or each of its planes.
    #[inline]
    fn planes_of(self, group: &mut GroupRecord, run: &mut impl FnMut(&GroupRecord)) {
        if !self.planes {
            return run(group);
        }
        for plane in 0..group.size[2] {
            group.plane = plane;
            run(group);
        }
    }

    #[inline]
    fn each_in_line(self, launch: &LaunchRecord, first: u64, count: u64, mut run: impl FnMut(&GroupRecord)) {
        let [groups_x, groups_y, _] = launch.num_groups.map(|groups| groups.max(1));
        let most = if self.merge && launch.local_size[1..] == [1, 1] { groups_x } else { self.packed(launch) };
        let knows = !self.merge;
        let whole_groups = launch.global_size[0] / launch.local_size[0].max(1);
        let row = first / groups_x;
        let (mut x, mut y, mut z) = (first % groups_x, row % groups_y, row / groups_y);
        let mut group = GroupRecord::default();
        let mut left = count;
        while left > 0 {
            let end = x.saturating_add(left).min(groups_x);
            left -= end - x;
            group.extend(launch, 1, y, 1);
            group.extend(launch, 2, z, 1);
            while x < end {
                // The last of the row, if it is smaller, is by itself where they are known apart.
                let whole = if knows { (whole_groups - x.min(whole_groups)).max(1) } else { u64::MAX };
                let step = most.min(end - x).min(whole);
                group.extend(launch, 0, x, step);
                self.planes_of(&mut group, &mut run);
                x += step;
            }
            x = 0;
            y += 1;
            if y == groups_y {
                (y, z) = (0, z.wrapping_add(1));
            }
        }
    }
}

impl GroupRecord {
    /// Covers `step` groups from the one with id `first` along a dimension. The last group may be smaller.
    #[inline]
    fn extend(&mut self, launch: &LaunchRecord, dimension: usize, first: u64, step: u64) {
        let size = launch.local_size[dimension];
        let start = first.wrapping_mul(size);
        self.id[dimension] = first;
        self.base[dimension] = start.wrapping_add(launch.global_offset[dimension]);
        self.size[dimension] = size.wrapping_mul(step).min(launch.global_size[dimension].wrapping_sub(start));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(global: [u64; 3], local: [u64; 3]) -> LaunchRecord {
        LaunchRecord {
            work_dim: 3,
            global_offset: [100, 200, 300],
            global_size: global,
            local_size: local,
            num_groups: [0, 1, 2].map(|d| global[d].div_ceil(local[d])),
            ..LaunchRecord::default()
        }
    }

    /// How often each work-item is run, and in which order their groups are, by linear id.
    fn run(style: GroupStyle, launch: &LaunchRecord, chunk: u64) -> Vec<u64> {
        let [nx, ny, nz] = launch.num_groups;
        let [gx, gy, gz] = launch.global_size;
        let mut seen = vec![0; (gx * gy * gz) as usize];
        let mut order = Vec::new();
        let mut first = 0;
        while first < nx * ny * nz {
            let count = chunk.min(nx * ny * nz - first);
            style.each(launch, first, count, |group| {
                order.push(group.id[0] + nx * (group.id[1] + ny * group.id[2]));
                let planes = if style.planes { group.plane..group.plane + 1 } else { 0..group.size[2] };
                for z in planes {
                    for y in 0..group.size[1] {
                        for x in 0..group.size[0] {
                            let [x, y, z] = [group.base[0] + x - 100, group.base[1] + y - 200, group.base[2] + z - 300];
                            seen[(x + gx * (y + gy * z)) as usize] += 1;
                        }
                    }
                }
            });
            first += count;
        }
        assert!(seen.iter().all(|times| *times == 1), "{style:?} {launch:?} by {chunk}: {seen:?}");
        order
    }

    #[test]
    fn every_work_item_runs_once_and_groups_in_linear_order() {
        let sizes = [([7, 5, 3], [2, 2, 2]), ([10, 1, 1], [3, 1, 1]), ([4, 6, 2], [4, 1, 1]), ([1, 9, 4], [1, 1, 4])];
        for (global, local) in sizes {
            let launch = launch(global, local);
            for (merge, planes) in [(false, false), (true, false), (false, true), (true, true)] {
                for chunk in [1, 2, 5, 1000] {
                    let order = run(GroupStyle { merge, planes, ..GroupStyle::default() }, &launch, chunk);
                    assert!(order.is_sorted(), "{order:?}");
                }
            }
        }
    }

    #[test]
    fn in_any_order_groups_run_in_columns() {
        let style = GroupStyle { merge: true, any_order: true, ..GroupStyle::default() };
        assert_eq!(run(style, &launch([1500, 4, 1], [512, 2, 1]), 100), [0, 1, 3, 4, 2, 5]);
        assert_eq!(run(style, &launch([4, 4, 1], [2, 1, 1]), 100), [0, 2, 4, 6], "rows merge");
        for (global, local) in [([2100, 7, 3], [200, 2, 2]), ([2050, 9, 2], [1, 2, 1]), ([1200, 16, 1], [700, 2, 1])] {
            let launch = launch(global, local);
            let whole = run(style, &launch, 1_000_000);
            for chunk in [1, 3, 7, 50] {
                assert_eq!(run(style, &launch, chunk), whole, "{launch:?} by {chunk}");
            }
        }
        // As many as a launch may have.
        let wide = launch([1 << 61, 4, 1], [1, 2, 1]);
        let mut order = Vec::new();
        style.each(&wide, (1 << 62) - 2, 2, |group| order.push(group.id));
        assert_eq!(order, [[(1 << 61) - 2, 1, 0], [(1 << 61) - 1, 1, 0]]);
        let mut order = Vec::new();
        style.each(&wide, 1023, 2, |group| order.push(group.id));
        assert_eq!(order, [[1023, 0, 0], [0, 1, 0]]);
    }

    #[test]
    fn rows_of_groups_merge_within_columns() {
        let style = GroupStyle { merge: true, merge_rows: true, any_order: true, ..GroupStyle::default() };
        let launch = launch([2500, 5, 2], [16, 2, 1]);
        let first_column = [0, 157, 314, 64, 221, 378, 128, 285, 442];
        let order: Vec<u64> = first_column.iter().flat_map(|group| [*group, group + 471]).collect();
        let mut all = run(style, &launch, 1_000_000);
        assert_eq!(all[..9], first_column);
        all.sort_unstable();
        let mut expected = order;
        expected.sort_unstable();
        assert_eq!(all, expected);
        for chunk in [1, 3, 50, 70] {
            run(style, &launch, chunk);
        }
    }

    #[test]
    fn short_groups_are_packed() {
        let style = GroupStyle { most_packed: 8, any_order: true, ..GroupStyle::default() };
        assert_eq!(run(style, &launch([40, 2, 1], [3, 1, 1]), 100), [0, 13, 14, 27], "the smaller is by itself");
        assert_eq!(run(style, &launch([40, 2, 1], [3, 1, 1]), 10), [0, 10, 13, 14, 20, 27]);
        assert_eq!(run(style, &launch([40, 4, 1], [4, 2, 1]), 100), [0, 10], "so are those of several rows");
        assert_eq!(run(style, &launch([10, 4, 1], [5, 2, 1]), 100), [0, 1, 2, 3], "which have to be shorter");
        assert_eq!(run(style, &launch([18, 1, 1], [9, 1, 1]), 100), [0, 1], "too long");
        let most = PACKED_ITEMS / 3;
        assert_eq!(run(style, &launch([6 * most, 1, 1], [3, 1, 1]), 1 << 20), [0, most], "as many as there may be");
    }

    #[test]
    fn only_rows_of_one_work_item_across_merge() {
        let style = GroupStyle { merge: true, ..GroupStyle::default() };
        assert_eq!(run(style, &launch([10, 2, 1], [3, 1, 1]), 100), [0, 4]);
        assert_eq!(run(style, &launch([10, 2, 1], [3, 1, 1]), 3), [0, 3, 4, 6]);
        assert_eq!(run(style, &launch([4, 2, 1], [2, 2, 1]), 100), [0, 1]);
    }
}
