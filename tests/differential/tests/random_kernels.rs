//! A sample of the random kernels; the command `oxicl-differential` runs as many as wanted.

use oxicl_differential::Difference;

/// Checks the kernels of some seeds; gives what is said of each.
fn agree<T>(
    seeds: impl IntoIterator<Item = u64>,
    check: impl Fn(u64) -> Result<T, Box<Difference>>,
) -> impl Iterator<Item = T> {
    let (said, different): (Vec<_>, Vec<_>) = seeds.into_iter().map(check).partition(Result::is_ok);
    let differences: Vec<String> =
        different.into_iter().filter_map(Result::err).map(|found| found.to_string()).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    said.into_iter().flatten()
}

#[test]
fn random_kernels_give_the_same_bits_however_they_are_executed() {
    agree(0..30, oxicl_differential::check).for_each(drop);
}

#[test]
fn random_kernels_of_the_own_front_end_give_the_same_bits_in_ways_that_change() {
    // One differed on machines without AVX-512, and one by a masked load that LLVM moved behind a store.
    agree((1000..1040).chain([3_040_074, 7_000_977]), oxicl_differential::check_quickly).for_each(drop);
}

#[test]
fn random_kernels_in_short_work_groups_give_the_same_bits() {
    let packed = agree(0..60, oxicl_differential::check_short_groups).filter(|packed| *packed).count();
    assert!(packed >= 10, "in {packed} kernels of 60 work-groups ran as one");
}

#[test]
fn random_kernels_whose_work_items_leave_loops_apart_give_the_same_bits_in_tiles() {
    let tiles = agree(0..60, oxicl_differential::check_tiles).filter(|tile| *tile).count();
    let has_tiles = oxicl_target::Target::host().vectors.registers >= 32;
    assert!(tiles >= if has_tiles { 10 } else { 0 }, "{tiles} kernels of 60 ran in tiles");
}

#[test]
fn random_kernels_whose_work_items_leave_by_their_places_give_the_same_bits() {
    let agreed = agree(0..100, oxicl_differential::check_guards).filter(|agreed| *agreed).count();
    assert!(agreed >= 20, "{agreed} kernels of 100 have a body for gangs whose work-items agree");
}

#[test]
fn random_kernels_give_the_same_bits_when_another_tier_takes_over() {
    agree(2000..2040, oxicl_differential::check_tiers).for_each(drop);
}

#[test]
fn random_kernels_whose_pointers_may_lead_to_one_place_give_the_same_bits() {
    let gains = agree(0..40, oxicl_differential::check_overlap).filter(|gains| *gains).count();
    assert!(gains >= 8, "{gains} kernels of 40 would gain if their buffers did not overlap");
}
