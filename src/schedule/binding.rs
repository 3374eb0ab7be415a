//! Binds threads to some CPUs while they run something.
#![allow(unsafe_code, reason = "the standard library has no affinity of threads")]

use std::cell::Cell;
use std::mem::{MaybeUninit, size_of};

use crate::worker_slot::WorkerSlots;

thread_local! {
    /// While the thread is bound: the CPUs that it may use otherwise.
    static OUTSIDE: Cell<Option<libc::cpu_set_t>> = const { Cell::new(None) };
}

/// Keeps this thread on some CPUs until it is dropped.
pub(crate) struct Binding(());

impl Binding {
    /// Binds this thread to the CPUs of `slots`. None if it need not be bound, is bound already, or the system refuses:
    /// then it runs anywhere, only slower.
    pub(crate) fn to(slots: WorkerSlots) -> Option<Binding> {
        let cpus = slots.bound_to()?;
        if OUTSIDE.get().is_some() {
            return None;
        }
        let outside = current()?;
        // SAFETY: a set of zeros is an empty one, and the macro checks the number against the size.
        let mut set: libc::cpu_set_t = unsafe { MaybeUninit::zeroed().assume_init() };
        for cpu in cpus.filter(|cpu| *cpu < libc::CPU_SETSIZE as usize) {
            // SAFETY: as above.
            unsafe { libc::CPU_SET(cpu, &mut set) };
        }
        apply(&set).then(|| {
            OUTSIDE.set(Some(outside));
            Binding(())
        })
    }
}

impl Drop for Binding {
    fn drop(&mut self) {
        if let Some(outside) = OUTSIDE.take() {
            apply(&outside);
        }
    }
}

/// What a thread that this one starts has to run first: it inherits the CPUs that this one is bound to.
pub(crate) fn for_new_thread() -> impl FnOnce() + Send {
    let outside = OUTSIDE.get();
    move || {
        if let Some(outside) = outside {
            apply(&outside);
        }
    }
}

fn current() -> Option<libc::cpu_set_t> {
    let mut set = MaybeUninit::<libc::cpu_set_t>::zeroed();
    // SAFETY: asks for the set of this thread, into one of the size that is given.
    let result = unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), set.as_mut_ptr()) };
    // SAFETY: it was zeroed before, which is a valid set.
    (result == 0).then(|| unsafe { set.assume_init() })
}

fn apply(set: &libc::cpu_set_t) -> bool {
    // SAFETY: sets the affinity of this thread from a set of the size that is given.
    unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), set) == 0 }
}

#[cfg(test)]
mod tests {
    use super::{Binding, current, for_new_thread};
    use crate::topology::Level;
    use crate::{WorkerSlots, cpu_count};

    fn count() -> i32 {
        let set = current().unwrap();
        // SAFETY: a valid set.
        unsafe { libc::CPU_COUNT(&set) }
    }

    #[test]
    fn a_thread_is_bound_for_a_while_and_those_that_it_starts_are_not() {
        let before = count();
        let Some(parts) = WorkerSlots::all().sharing(Level::Cache(1)) else { return };
        {
            let _binding = Binding::to(parts[0]).expect("a binding");
            assert_eq!(count(), parts[0].len().cast_signed());
            assert!(Binding::to(parts[0]).is_none(), "it is already");
            let begin = for_new_thread();
            let other = std::thread::spawn(move || {
                begin();
                count()
            });
            assert_eq!(other.join().unwrap(), before);
        }
        assert_eq!(count(), before);
        assert!(Binding::to(WorkerSlots::all()).is_none());
        assert!(before >= cpu_count().cast_signed());
    }
}
