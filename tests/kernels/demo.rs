//! The demo's jobs at odd sizes.

use oxicl_benches::{Failure, Session};
use oxicl_demo::{Filters, Job, Picture, matrix_product, n_body};

fn right(session: &Session, mut job: impl Job) -> Result<(), Failure> {
    job.on_host();
    job.enqueue(session)?;
    job.check(session)
}

/// The sizes, without the largest on the reference device, which is slow.
fn sizes<T: Copy>(all: &[T]) -> Vec<T> {
    all[..all.len() - usize::from(oxicl_tests::is_reference())].to_vec()
}

#[test]
fn filter_chain() {
    let session = oxicl_tests::session();
    for (width, height) in sizes(&[(1, 1), (2, 3), (5, 1), (101, 67), (333, 40)]) {
        let outcome =
            Filters::new(&session, Picture::generate(width, height)).and_then(|(filters, _)| right(&session, filters));
        assert_eq!(outcome, Ok(()), "{width}x{height}");
    }
}

#[test]
fn n_body_step() {
    let session = oxicl_tests::session();
    for count in sizes(&[1, 7, 301]) {
        assert_eq!(n_body(&session, count).and_then(|(job, _)| right(&session, job)), Ok(()), "{count}");
    }
}

#[test]
fn tiled_product() {
    let session = oxicl_tests::session();
    for side in sizes(&[1, 16, 33, 75]) {
        assert_eq!(matrix_product(&session, side).and_then(|(job, _)| right(&session, job)), Ok(()), "{side}");
    }
}
