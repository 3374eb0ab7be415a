//! In which order the work-groups of a launch start, and which of them run as one.

use oxicl_abi::{AlongY, GroupRecord, GroupStyle, LaunchRecord};

/// Bytes of a page. Pages lie anywhere in physical memory. Of lines that have the same offset in their pages, a cache
/// therefore holds only as many as it holds pages.
const PAGE: u64 = 4096;
/// Bytes of a cache line.
const LINE: u64 = 64;
/// A cost: the lines of one array may take one part in so many of the L2 cache. Other arrays need room, too, and so do
/// prefetched lines.
const SHARE: u64 = 16;
/// Bytes of the L2 cache where the system does not report them: no processor with AVX has less.
const SMALLEST_SECOND_CACHE: u64 = 256 << 10;

/// The order in which the work-groups of a kernel start: x fastest; or, where they have several rows and the kernel
/// cannot observe the order, one column of work-groups after the other.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    style: GroupStyle,
    /// The style by which work-groups are numbered: that of the code that began the launch.
    numbering: GroupStyle,
    /// Bytes of the L2 cache.
    cache: u64,
}

impl Order {
    /// The order for a kernel on a processor whose L2 cache has `second_cache` bytes, 0 if that is not known.
    pub fn new(style: GroupStyle, second_cache: u64) -> Self {
        Order { style, numbering: style, cache: second_cache.max(SMALLEST_SECOND_CACHE) }
    }

    /// This order with the numbering of `began`, whose code began the launch and may be for work-groups of another
    /// style. The two codes together then run each work-group once.
    #[must_use]
    pub fn numbered_as(self, began: Order) -> Self {
        Order { numbering: began.numbering, ..self }
    }

    /// The width of a column of work-groups, in work-items along x. It is chosen so that the lines that one row
    /// accesses are still in the L2 cache when the next row along y needs them.
    ///
    /// In an array that is accessed along x, a work-item uses less than a line. In one that is accessed along y, it
    /// uses a line of its own, and the lines of neighbours lie a row of the array apart. Such a row is about as long as
    /// the range along y: if that is a power of two, many of the lines have the same offset in their pages, and lines
    /// that are read are evicted before they are used again.
    ///
    /// Measured with an L2 cache of 1 MiB. Where floats are read along y, columns of 256 take a third of the time of
    /// columns of 1024 with rows of 8 or 16 KiB, and up to 1.4 times the time with rows of 8000 bytes; where floats are
    /// written along y, up to twice the time with rows of any length. Copies and stencils of bytes take half as long in
    /// columns of 4096 and more as in columns of 1024, since the processor prefetches within a page only.
    fn column(self, launch: &LaunchRecord) -> u64 {
        match self.numbering.along_y {
            AlongY::Nothing => self.cache / LINE,
            AlongY::Stores => self.cache / (LINE * SHARE),
            AlongY::Loads(bytes) => {
                let row = launch.global_size[1].wrapping_mul(u64::from(bytes));
                let in_step = 1 << row.trailing_zeros().min(PAGE.ilog2());
                self.cache / in_step.max(LINE * SHARE)
            }
        }
    }

    /// How work-groups are given to the kernel.
    pub(crate) fn style(self) -> GroupStyle {
        self.style
    }

    /// Calls `run` for `count` work-groups from number `first` on: in linear order (x fastest), or one column of
    /// work-groups after the other, if any order will do and uncoalesced work-groups have several rows.
    ///
    /// Only the number of the first work-group is divided into coordinates. The others follow by addition along a row,
    /// and by carry from row to row.
    #[inline]
    pub fn each(self, launch: &LaunchRecord, first: u64, count: u64, run: impl FnMut(&GroupRecord)) {
        if self.numbering.groups_coalesced(launch.local_size) == 1
            && self.numbering.any_order
            && launch.local_size[1] > 1
            && launch.num_groups[1] > 1
        {
            self.each_in_columns(launch, first, count, run);
        } else {
            self.each_in_line(launch, first, count, run);
        }
    }

    fn each_in_columns(self, launch: &LaunchRecord, first: u64, count: u64, mut run: impl FnMut(&GroupRecord)) {
        let [groups_x, groups_y, _] = launch.num_groups.map(|groups| groups.max(1));
        let (mut z, in_plane) = (first / (groups_x * groups_y), first % (groups_x * groups_y));
        let most = (self.column(launch) / launch.local_size[0].max(1)).clamp(1, groups_x);
        let mut start = in_plane / (most * groups_y) * most;
        let in_column = in_plane - start * groups_y;
        let mut end = groups_x.min(start + most);
        let (mut x, mut y) = (start + in_column % (end - start), in_column / (end - start));
        let in_a_row = self.style.groups_in_a_row(launch.local_size);
        let mut group = GroupRecord::default();
        let mut left = count;
        while left > 0 {
            let step = in_a_row.min(left).min(end - x);
            extend(&mut group, launch, 0, x, step);
            extend(&mut group, launch, 1, y, 1);
            extend(&mut group, launch, 2, z, 1);
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
        if !self.style.planes {
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
        let merges = self.style.merge && launch.local_size[1..] == [1, 1];
        let most = if merges { groups_x } else { self.style.groups_coalesced(launch.local_size) };
        let knows = !self.style.merge;
        let whole_groups = launch.global_size[0] / launch.local_size[0].max(1);
        let row = first / groups_x;
        let (mut x, mut y, mut z) = (first % groups_x, row % groups_y, row / groups_y);
        let mut group = GroupRecord::default();
        let mut left = count;
        while left > 0 {
            let end = x.saturating_add(left).min(groups_x);
            left -= end - x;
            extend(&mut group, launch, 1, y, 1);
            extend(&mut group, launch, 2, z, 1);
            while x < end {
                // Code that tells work-groups apart runs the last one of a row by itself if it is smaller.
                let whole = if knows { (whole_groups - x.min(whole_groups)).max(1) } else { u64::MAX };
                let step = most.min(end - x).min(whole);
                extend(&mut group, launch, 0, x, step);
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

/// Sets `group` to `step` work-groups from id `first` on along a dimension. The last work-group may be smaller.
#[inline]
fn extend(group: &mut GroupRecord, launch: &LaunchRecord, dimension: usize, first: u64, step: u64) {
    let size = launch.local_size[dimension];
    let start = first.wrapping_mul(size);
    group.id[dimension] = first;
    group.base[dimension] = start.wrapping_add(launch.global_offset[dimension]);
    group.size[dimension] = size.wrapping_mul(step).min(launch.global_size[dimension].wrapping_sub(start));
}

#[cfg(test)]
mod tests {
    use oxicl_abi::COALESCED_ITEMS;

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

    /// Runs all work-groups, checks that each work-item runs once, and gives the linear ids of the work-groups in their
    /// order.
    fn run(style: GroupStyle, launch: &LaunchRecord, chunk: u64) -> Vec<u64> {
        let [nx, ny, nz] = launch.num_groups;
        let [gx, gy, gz] = launch.global_size;
        let mut seen = vec![0; (gx * gy * gz) as usize];
        let mut order = Vec::new();
        let mut first = 0;
        while first < nx * ny * nz {
            let count = chunk.min(nx * ny * nz - first);
            Order::new(style, 1 << 20).each(launch, first, count, |group| {
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
        let style = GroupStyle { merge: true, any_order: true, along_y: AlongY::Stores, ..GroupStyle::default() };
        assert_eq!(run(style, &launch([1500, 4, 1], [512, 2, 1]), 100), [0, 1, 3, 4, 2, 5]);
        assert_eq!(run(style, &launch([4, 4, 1], [2, 1, 1]), 100), [0, 2, 4, 6], "rows merge");
        for (global, local) in [([2100, 7, 3], [200, 2, 2]), ([2050, 9, 2], [1, 2, 1]), ([1200, 16, 1], [700, 2, 1])] {
            let launch = launch(global, local);
            let whole = run(style, &launch, 1_000_000);
            for chunk in [1, 3, 7, 50] {
                assert_eq!(run(style, &launch, chunk), whole, "{launch:?} by {chunk}");
            }
        }
        // As many work-groups as a launch may have.
        let wide = launch([1 << 61, 4, 1], [1, 2, 1]);
        let mut order = Vec::new();
        Order::new(style, 1 << 20).each(&wide, (1 << 62) - 2, 2, |group| order.push(group.id));
        assert_eq!(order, [[(1 << 61) - 2, 1, 0], [(1 << 61) - 1, 1, 0]]);
        let mut order = Vec::new();
        Order::new(style, 1 << 20).each(&wide, 1023, 2, |group| order.push(group.id));
        assert_eq!(order, [[1023, 0, 0], [0, 1, 0]]);
    }

    #[test]
    fn what_takes_over_runs_the_groups_that_are_left() {
        let styles = [
            GroupStyle::default(),
            GroupStyle { any_order: true, merge: true, along_y: AlongY::Stores, ..GroupStyle::default() },
            GroupStyle { any_order: true, merge_rows: true, along_y: AlongY::Loads(4), ..GroupStyle::default() },
            GroupStyle { any_order: true, most_coalesced: 8, ..GroupStyle::default() },
            GroupStyle { any_order: true, merge: true, most_coalesced: 32, ..GroupStyle::default() },
        ];
        for (global, local) in
            [([2100, 7, 3], [200, 2, 2]), ([50, 9, 2], [4, 2, 1]), ([60, 4, 1], [7, 1, 1]), ([90, 8, 1], [20, 2, 1])]
        {
            let launch = launch(global, local);
            let groups: u64 = launch.num_groups.iter().product();
            for (first, other) in styles.iter().flat_map(|first| styles.iter().map(move |other| (*first, *other))) {
                let began = Order::new(first, 1 << 20);
                let orders = [began, Order::new(other, 1 << 20).numbered_as(began)];
                let mut seen = vec![0; groups as usize];
                for (at, order) in (0..groups).step_by(5).zip(orders.into_iter().cycle()) {
                    order.each(&launch, at, 5.min(groups - at), |group| {
                        let items = group.size[0].div_ceil(local[0]);
                        let row = launch.num_groups[0] * (group.id[1] + launch.num_groups[1] * group.id[2]);
                        (0..items).for_each(|number| seen[(row + group.id[0] + number) as usize] += 1);
                    });
                }
                assert!(seen.iter().all(|times| *times == 1), "{first:?}, {other:?}, {launch:?}: {seen:?}");
            }
        }
    }

    #[test]
    fn columns_are_as_wide_as_the_second_cache_allows() {
        let width = |along_y, height, cache| {
            let style = GroupStyle { along_y, ..GroupStyle::default() };
            Order::new(style, cache).column(&launch([1 << 20, height, 1], [16, 16, 1]))
        };
        assert_eq!(width(AlongY::Nothing, 2048, 1 << 20), 16384);
        assert_eq!(width(AlongY::Stores, 2048, 1 << 20), 1024);
        let read = [2048, 1024, 512, 2000, 1080].map(|height| width(AlongY::Loads(4), height, 1 << 20));
        assert_eq!(read, [256, 256, 512, 1024, 1024]);
        assert_eq!([4, 8, 2].map(|bytes| width(AlongY::Loads(bytes), 1024, 512 << 10)), [128, 128, 256]);
        assert_eq!(width(AlongY::Loads(4), 2048, 0), 64, "unknown");
    }

    #[test]
    fn rows_of_groups_merge_within_columns() {
        let style = GroupStyle {
            merge: true,
            merge_rows: true,
            any_order: true,
            along_y: AlongY::Stores,
            ..GroupStyle::default()
        };
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
        let style = GroupStyle { most_coalesced: 8, any_order: true, ..GroupStyle::default() };
        assert_eq!(run(style, &launch([40, 2, 1], [3, 1, 1]), 100), [0, 13, 14, 27], "the smaller is by itself");
        assert_eq!(run(style, &launch([40, 2, 1], [3, 1, 1]), 10), [0, 10, 13, 14, 20, 27]);
        assert_eq!(run(style, &launch([40, 4, 1], [4, 2, 1]), 100), [0, 10], "so are those of several rows");
        assert_eq!(run(style, &launch([10, 4, 1], [5, 2, 1]), 100), [0, 1, 2, 3], "which have to be shorter");
        assert_eq!(run(style, &launch([18, 1, 1], [9, 1, 1]), 100), [0, 1], "too long");
        let most = COALESCED_ITEMS / 3;
        assert_eq!(run(style, &launch([6 * most, 1, 1], [3, 1, 1]), 1 << 20), [0, most], "as many as there may be");
    }

    #[test]
    fn short_groups_of_several_rows_fill_a_gang() {
        let style = GroupStyle { merge: true, any_order: true, most_coalesced: 8, ..GroupStyle::default() };
        assert_eq!(run(style, &launch([40, 4, 1], [5, 2, 1]), 100), [0, 3, 6, 8, 11, 14]);
        assert_eq!(run(style, &launch([40, 4, 1], [10, 2, 1]), 100), [0, 1, 2, 3, 4, 5, 6, 7], "too long");
    }

    #[test]
    fn only_rows_of_one_work_item_across_merge() {
        let style = GroupStyle { merge: true, ..GroupStyle::default() };
        assert_eq!(run(style, &launch([10, 2, 1], [3, 1, 1]), 100), [0, 4]);
        assert_eq!(run(style, &launch([10, 2, 1], [3, 1, 1]), 3), [0, 3, 4, 6]);
        assert_eq!(run(style, &launch([4, 2, 1], [2, 2, 1]), 100), [0, 1]);
    }
}
