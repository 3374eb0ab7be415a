//! Every kernel of the benches right at odd sizes, as clang's front end leaves it and optimised.

mod demo;
mod streams;
mod strict;

use oxicl_benches::{EDGES, GUARDS, Row, TABLE};
use oxicl_tests::offline::Level;

macro_rules! rows {
    ($($test:ident: $row:literal,)*) => {
        $(#[test]
        fn $test() {
            right_at_odd_sizes($row);
        })*

        #[test]
        fn every_row_of_the_table_is_tested() {
            let tested = [$($row),*];
            for row in TABLE {
                assert!(tested.contains(&row.name), "{} has no test", row.name);
            }
        }
    };
}

rows! {
    stream_triad: "stream triad",
    naive_matrix_product: "matrix product, naive",
    tiled_matrix_product: "matrix product, tiled",
    n_body: "n-body",
    half_precision_chain: "half-precision chain",
    mandelbrot: "mandelbrot",
    black_scholes: "black-scholes",
    reduction_with_a_barrier_loop: "reduction",
    histogram_with_local_atomics: "histogram",
    five_point_stencil: "5-point stencil",
    local_transpose: "transpose",
    bitonic_sort: "bitonic sort",
    sha_256: "sha-256",
    sparse_matrix_vector: "sparse matrix-vector",
    monte_carlo_in_double: "monte carlo, double",
    fft_in_local_memory: "fft, local memory",
    ray_marcher: "ray marcher",
    bilinear_resize: "resize, bilinear RGBA8",
    blur_by_nearest_texels: "blur 3x3, RGBA8",
    trilinear_samples: "trilinear, 3D float",
    images_copied_by_a_kernel: "image copy, kernel",
    images_to_buffers_by_a_kernel: "image to buffer, kernel",
    copy_image: "image copy",
    copy_image_to_buffer: "image to buffer",
    copy_buffer: "copy buffer",
    fill_buffer: "fill buffer",
    batched_launches: "empty, batched launch",
    waited_launches: "empty, launch and wait",
    work_groups_of_one: "empty, work-group of one",
    work_groups_of_one_with_a_barrier: "work-group of one, barrier",
    work_groups_of_four: "work-group of four",
}

#[test]
fn other_processors_agree() {
    oxicl_tests::again_on_other_processors();
}

#[test]
fn kernels_with_guards_and_without() {
    GUARDS.iter().for_each(right);
}

#[test]
fn kernels_that_treat_edges_apart() {
    EDGES.iter().for_each(right);
}

#[test]
fn the_reference_device_agrees() {
    oxicl_tests::again_on_the_reference_device(&[]);
}

#[test]
fn stacks_are_as_deep_as_the_compiler_says() {
    oxicl_tests::again_with_checked_stacks();
}

fn right_at_odd_sizes(name: &str) {
    right(TABLE.iter().find(|row| row.name == name).unwrap_or_else(|| panic!("no row {name}")));
}

/// Is a row right at sizes that are no multiple of anything?
fn right(row: &Row) {
    let (name, mut session) = (row.name, oxicl_tests::session());
    // The reference device is slow: there the largest size is left out, and what clang's optimiser makes.
    let (sizes, levels): (_, &[Level]) = match row.odd_sizes {
        [smaller @ .., _] if oxicl_tests::is_reference() && !smaller.is_empty() => (smaller, &[Level::Plain]),
        sizes => (sizes, &[Level::Plain, Level::Optimised]),
    };
    let cases = sizes.iter().flat_map(|size| levels.iter().map(move |level| (size, *level)));
    for (size, level) in cases {
        session.level = level;
        let workload =
            (row.make)(&session, *size).unwrap_or_else(|failure| panic!("{name}, {size}, {level:?}: {failure}"));
        // Twice: a launch must not depend on what an earlier one left behind.
        for _ in 0..2 {
            workload
                .enqueue(&session)
                .and_then(|()| workload.check(&session))
                .unwrap_or_else(|failure| panic!("{name}, {size}, {level:?}: {failure}"));
        }
    }
}
