//! A sample of the random kernels; the command `oxicl-differential` runs as many as wanted.

#[test]
fn random_kernels_give_the_same_bits_however_they_are_executed() {
    let differences: Vec<String> =
        (0..30).filter_map(|seed| oxicl_differential::check(seed).err()).map(|found| found.to_string()).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn random_kernels_of_the_own_front_end_give_the_same_bits_in_ways_that_change() {
    // The last differed on machines without AVX-512.
    let differences: Vec<String> = (1000..1040)
        .chain([3_040_074])
        .filter_map(|seed| oxicl_differential::check_quickly(seed).err())
        .map(|found| found.to_string())
        .collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn random_kernels_in_short_work_groups_give_the_same_bits() {
    let (packed, different): (Vec<_>, Vec<_>) =
        (0..60).map(oxicl_differential::check_short_groups).partition(Result::is_ok);
    let differences: Vec<String> =
        different.into_iter().filter_map(Result::err).map(|found| found.to_string()).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    let packed = packed.into_iter().filter(|packed| matches!(packed, Ok(true))).count();
    assert!(packed >= 10, "in {packed} kernels of 60 work-groups ran as one");
}

#[test]
fn random_kernels_whose_work_items_leave_loops_apart_give_the_same_bits_in_tiles() {
    let (tiles, different): (Vec<_>, Vec<_>) = (0..60).map(oxicl_differential::check_tiles).partition(Result::is_ok);
    let differences: Vec<String> =
        different.into_iter().filter_map(Result::err).map(|found| found.to_string()).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    let tiles = tiles.into_iter().filter(|tile| matches!(tile, Ok(true))).count();
    let has_tiles = oxicl_target::Target::host().vectors.registers >= 32;
    assert!(tiles >= if has_tiles { 10 } else { 0 }, "{tiles} kernels of 60 ran in tiles");
}

#[test]
fn random_kernels_whose_work_items_leave_by_their_places_give_the_same_bits() {
    let (agreed, different): (Vec<_>, Vec<_>) = (0..100).map(oxicl_differential::check_guards).partition(Result::is_ok);
    let differences: Vec<String> =
        different.into_iter().filter_map(Result::err).map(|found| found.to_string()).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    let agreed = agreed.into_iter().filter(|agreed| matches!(agreed, Ok(true))).count();
    assert!(agreed >= 20, "{agreed} kernels of 100 have a body for gangs whose work-items agree");
}

#[test]
fn random_kernels_give_the_same_bits_when_another_tier_takes_over() {
    let differences: Vec<String> = (2000..2040)
        .filter_map(|seed| oxicl_differential::check_tiers(seed).err())
        .map(|found| found.to_string())
        .collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn random_kernels_whose_pointers_may_lead_to_one_place_give_the_same_bits() {
    let (gains, different): (Vec<_>, Vec<_>) = (0..40).map(oxicl_differential::check_overlap).partition(Result::is_ok);
    let differences: Vec<String> =
        different.into_iter().filter_map(Result::err).map(|found| found.to_string()).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    let gains = gains.into_iter().filter(|gains| matches!(gains, Ok(true))).count();
    assert!(gains >= 8, "{gains} kernels of 40 would gain if their buffers did not overlap");
}
