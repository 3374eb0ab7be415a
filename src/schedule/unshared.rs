//! Single-threaded tests of the files that the model checker's test compiles a second time; that test cannot run these.

use crate::gate::{Gate, GateState};
use crate::progress::Progress;

#[test]
fn opens_once_when_the_last_of_blockers_and_hold_goes() {
    let gate = Gate::new();
    gate.block();
    assert!(!gate.release());
    assert!(!gate.unblock());
    assert_eq!(gate.state(), GateState::Blocked);
    assert!(gate.unblock());
    assert_eq!(gate.state(), GateState::Open);
    assert!(!gate.take());
    assert!(!gate.release());
}

#[test]
fn a_held_gate_can_be_taken_only_without_blockers() {
    let gate = Gate::new();
    assert!(!gate.take());
    assert!(!gate.unblock());
    assert_eq!(gate.state(), GateState::Held);
    assert!(gate.take());
    assert!(!gate.take());
}

#[test]
fn chunks_are_increasing_and_cover_everything() {
    for (total, threads, smallest) in [(1, 1, 1), (7, 1, 1), (1000, 4, 1), (1000, 4, 300), (5, 16, 1), (u64::MAX, 3, 1)]
    {
        let progress = Progress::new(total, threads, smallest);
        let mut at = 0;
        let mut finished = false;
        while let Some(chunk) = progress.take() {
            assert_eq!(chunk.start, at);
            assert!(chunk.end > chunk.start);
            assert!(!finished);
            at = chunk.end;
            finished = progress.done(chunk.end - chunk.start);
        }
        assert_eq!(at, total);
        assert!(finished);
        assert!(!progress.more());
    }
}
