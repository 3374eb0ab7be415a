//! Calls of functions of the application, which may never return.
//!
//! `pthread_exit` in a callback unwinds the stack by force, from the callback up to the start of its thread. That is
//! sound through Rust frames only if none of them has anything to drop or catches panics. So what a call needs is not
//! on the stack: it is kept where the thread that replaces an ended one finds it.
#![allow(unsafe_code, reason = "calls through a pointer to what is kept elsewhere")]

/// Keeps what a call needs until it is over.
type Kept = Box<dyn Send>;

/// A call of a function of the application, with everything that it needs.
pub struct Foreign {
    run: Run,
    /// The closure that `run` calls: of the type that it was made for, and never moved out of the box.
    call: Kept,
    kept: Vec<Kept>,
}

/// Calls the closure at an address.
type Run = unsafe extern "C-unwind" fn(*const ());

impl Foreign {
    /// A call that `call` makes. As it is `Copy`, it has nothing to drop; nor may its body have anything to drop where
    /// it calls the function.
    pub fn new<F: FnOnce() + Copy + Send + 'static>(call: F) -> Foreign {
        unsafe extern "C-unwind" fn run<F: FnOnce() + Copy>(call: *const ()) {
            // SAFETY: the caller passes the address of an `F`, which lives as long as this reads it.
            let call = unsafe { *call.cast::<F>() };
            call();
        }
        Foreign { run: run::<F>, call: Box::new(call), kept: Vec::new() }
    }

    /// Drops something when the call is over, whether or not it returned.
    #[must_use]
    pub fn keeping(mut self, value: impl Send + 'static) -> Foreign {
        self.kept.push(Box::new(value));
        self
    }

    /// The same call without what it needs, for the stack of the thread that makes it.
    pub(crate) fn bare(&self) -> Bare {
        Bare { run: self.run, call: (&raw const *self.call).cast() }
    }
}

/// A [`Foreign`] that is kept elsewhere. It has nothing to drop.
#[derive(Clone, Copy)]
pub(crate) struct Bare {
    run: Run,
    call: *const (),
}

impl Bare {
    /// Makes the call.
    ///
    /// # Safety
    /// The [`Foreign`] that it was made from lives until the call is over. No frame up to the start of the thread has
    /// anything to drop, or else the function returns.
    pub(crate) unsafe fn run(self) {
        // SAFETY: `call` is the address of the closure that `run` was made for, and the caller keeps it.
        unsafe { (self.run)(self.call) }
    }
}

/// For tests: a call of a closure that has something to drop, which is sound because it returns. It is leaked if it is
/// never called.
pub fn returning(call: impl FnOnce() + Send + 'static) -> Foreign {
    use parking_lot::Mutex;
    let call: &'static Mutex<Option<_>> = Box::leak(Box::new(Mutex::new(Some(call))));
    Foreign::new(move || {
        let call = call.lock().take();
        call.into_iter().for_each(|call| call());
    })
}
