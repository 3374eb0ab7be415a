//! Which kernel is compiled next, and by which thread.
//!
//! Kernels stand in a queue. First come those that somebody waits for; then those whose first code runs often or long,
//! to get the code that takes over; then those that the application has created; then the others of built programs.
//! Threads take kernels from the queue, each with one request to the compiler at a time, so that neither our memory nor
//! the compiler's holds more than a few. The queue does not keep kernels alive: a kernel that nobody holds any more is
//! not compiled.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};

use oxicl_abi::KernelFacts;
use oxicl_compiler_client::{COMPILER, Step};
use oxicl_device::log;
use oxicl_protocol::{BuildFailure, Diagnostic, Severity, Stage, Tier};
use oxicl_schedule::{cpu_count, fork, start_apart};
use parking_lot::Mutex;

use super::code::CpuKernel;
use super::product::Code;

/// How much a kernel is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// Its program was built.
    #[default]
    Listed,
    /// There is a kernel object of it.
    Created,
    /// Its first code runs often or long: better code is to take over.
    Busy,
    /// A call waits for it to be planned, or a command for its code.
    Wanted,
    /// A thread waits for such a command.
    Awaited,
}

impl Level {
    /// Whether a kernel that is wanted at this level has something left to compile.
    fn is_of(self, kernel: &CpuKernel) -> bool {
        if self == Level::Busy { kernel.wants_successor() } else { !kernel.is_settled() }
    }
}

/// Number of levels.
const LEVELS: usize = Level::Awaited as usize + 1;

/// Where a kernel stands. Changes under the queue's lock.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Place {
    /// In no queue.
    #[default]
    Nowhere,
    /// In the queue of the process of a generation ([`fork::generation`]), at a level.
    Queued(u32, Level),
    /// A thread of such a process compiles it.
    Begun(u32),
}

/// The queue of a process.
#[derive(Default)]
struct Queue {
    generation: u32,
    /// Kernels of each level, in the order in which they came. Those that have another level by now, or are gone, are
    /// passed over.
    waiting: [VecDeque<Weak<CpuKernel>>; LEVELS],
    /// Threads that work, or are about to.
    threads: usize,
    /// How many kernels are being compiled that somebody waits for, and how many others.
    wanted: usize,
    others: usize,
}

static QUEUE: Mutex<Queue> =
    Mutex::new(Queue { generation: 0, waiting: [const { VecDeque::new() }; LEVELS], threads: 0, wanted: 0, others: 0 });

impl Queue {
    /// The queue of this process: a child has none of its parent's threads.
    fn of_process(&mut self) -> &mut Queue {
        if self.generation != fork::generation() {
            *self = Queue { generation: fork::generation(), ..Queue::default() };
        }
        self
    }

    /// The first kernel that waits.
    fn first(&mut self) -> Option<(Arc<CpuKernel>, Level)> {
        for level in [Level::Awaited, Level::Wanted, Level::Busy, Level::Created, Level::Listed] {
            let waiting = &mut self.waiting[level as usize];
            while let Some(kernel) = waiting.front() {
                match kernel.upgrade() {
                    Some(kernel) if *kernel.place.lock() == Place::Queued(self.generation, level) => {
                        if level.is_of(&kernel) {
                            return Some((kernel, level));
                        }
                        *kernel.place.lock() = Place::Nowhere;
                        waiting.pop_front();
                    }
                    _ => drop(waiting.pop_front()),
                }
            }
        }
        None
    }

    /// The first kernel, if it may be begun. Kernels that somebody waits for and other kernels each take up to as many
    /// threads as there are CPUs, so the former never wait for the latter.
    fn next(&mut self) -> Option<(Arc<CpuKernel>, Level)> {
        let most = cpu_count().max(1) as usize;
        self.first().filter(|(_, level)| *self.count(*level) < most)
    }

    fn count(&mut self, level: Level) -> &mut usize {
        if level >= Level::Wanted { &mut self.wanted } else { &mut self.others }
    }

    fn add(&mut self, kernel: &Weak<CpuKernel>, level: Level) -> Place {
        self.waiting[level as usize].push_back(kernel.clone());
        Place::Queued(self.generation, level)
    }
}

/// Has a kernel compiled, before those that are less wanted.
pub(super) fn want(kernel: &Weak<CpuKernel>, level: Level) {
    let Some(this) = kernel.upgrade().filter(|kernel| level.is_of(kernel)) else { return };
    let is_begun = {
        let mut queue = QUEUE.lock();
        let queue = queue.of_process();
        let mut place = this.place.lock();
        match *place {
            Place::Begun(generation) if generation == queue.generation => true,
            Place::Queued(generation, before) if generation == queue.generation && before >= level => false,
            _ => {
                *place = queue.add(kernel, level);
                false
            }
        }
    };
    if level >= Level::Wanted {
        COMPILER.urge(&this.urgency);
    }
    if !is_begun {
        start();
    }
}

/// Whether no kernel is being compiled, nor waits for it.
pub(super) fn is_idle() -> bool {
    let mut queue = QUEUE.lock();
    let queue = queue.of_process();
    queue.wanted + queue.others == 0 && queue.first().is_none()
}

/// Forgets kernels that nobody waits for. They are compiled when somebody does.
pub(crate) fn forget_unwanted() {
    let mut queue = QUEUE.lock();
    let queue = queue.of_process();
    for level in [Level::Listed, Level::Created, Level::Busy] {
        let forgotten = std::mem::take(&mut queue.waiting[level as usize]);
        for kernel in forgotten.iter().filter_map(Weak::upgrade) {
            let mut place = kernel.place.lock();
            if *place == Place::Queued(queue.generation, level) {
                *place = Place::Nowhere;
            }
        }
    }
}

/// Starts a thread if there is something for it to do.
fn start() {
    {
        let mut queue = QUEUE.lock();
        let queue = queue.of_process();
        let working = queue.wanted + queue.others;
        if queue.threads > working || queue.next().is_none() {
            return;
        }
        queue.threads += 1;
    }
    start_apart("oxicl-code", work);
}

/// Compiles kernels until there is none that may be begun.
fn work() {
    loop {
        let begun = {
            let mut queue = QUEUE.lock();
            let queue = queue.of_process();
            let next = queue.next();
            match &next {
                Some((kernel, level)) => {
                    *kernel.place.lock() = Place::Begun(queue.generation);
                    *queue.count(*level) += 1;
                }
                None => queue.threads -= 1,
            }
            next
        };
        let Some((kernel, level)) = begun else { return };
        start();
        if level == Level::Busy {
            let code = catch_unwind(AssertUnwindSafe(|| make_successor(&kernel)));
            kernel.succeed(code.unwrap_or_default());
        } else {
            let code = catch_unwind(AssertUnwindSafe(|| make(&kernel)));
            let unexpected = || Err(BuildFailure::new(Stage::CompilerProcess, "the build ended in an unexpected way"));
            kernel.settle(code.unwrap_or_else(|_| unexpected()));
        }
        {
            let mut queue = QUEUE.lock();
            let queue = queue.of_process();
            *queue.count(level) -= 1;
            *kernel.place.lock() = Place::Nowhere;
        }
        // Requests for a successor were ignored while the kernel was `Begun`.
        kernel.seek_successor();
    }
}

/// Makes the code of a kernel. If that fails although the kernel is proved, the program is not at fault: then the code
/// is made without optimisation, if possible.
fn make(kernel: &CpuKernel) -> Result<Code, BuildFailure> {
    let Some(recipe) = kernel.recipe() else {
        return Err(BuildFailure::new(Stage::CompilerProcess, "there is nothing to compile"));
    };
    let names = [kernel.name.clone()];
    let failure = match attempt(kernel, &recipe.unit(&names, kernel.tier)?) {
        Err(failure) if kernel.is_proved() => failure,
        done => return done,
    };
    log(&format!("kernel {} is compiled without optimisation: {failure}", kernel.name));
    attempt(kernel, &recipe.plain_unit(&names)?).map_err(|second| {
        let note = |diagnostic: Diagnostic| Diagnostic {
            severity: Severity::Note,
            ..Diagnostic::error(format!("without optimisation: {}", diagnostic.message))
        };
        let mut failure = failure;
        failure.diagnostics.extend(second.diagnostics.into_iter().map(note));
        failure
    })
}

fn attempt(kernel: &CpuKernel, unit: &oxicl_compiler_client::Unit) -> Result<Code, BuildFailure> {
    let mut planned: Option<KernelFacts> = None;
    let image = COMPILER.generate(unit, &kernel.urgency, &mut |step| {
        if let Step::Planned(facts) = &step {
            planned = facts.iter().find(|facts| facts.name == kernel.name).cloned();
        }
        kernel.told(step);
    })?;
    let code = Code::of(&kernel.name, image)?;
    debug_assert!(
        planned.is_none_or(|planned| planned == code.planned),
        "kernel {} has other code than was planned",
        kernel.name
    );
    kernel.accept(code)
}

/// Makes the code that takes over. If it cannot be made at the full tier, the first code stays.
fn make_successor(kernel: &CpuKernel) -> Option<Code> {
    let code = kernel.recipe().map(|recipe| {
        let unit = recipe.unit(std::slice::from_ref(&kernel.name), Tier::Full)?;
        let image = COMPILER.generate(&unit, &kernel.leisure, &mut |_| ())?;
        kernel.accept(Code::of(&kernel.name, image)?)
    });
    match code? {
        Ok(code) if code.tier == Tier::Full => {
            log(&format!("kernel {} was compiled at the full tier", kernel.name));
            Some(code)
        }
        Ok(_) => {
            log(&format!("kernel {} keeps its first code: it could not be compiled at the full tier", kernel.name));
            None
        }
        Err(failure) => {
            log(&format!("kernel {} keeps its first code: {failure}", kernel.name));
            None
        }
    }
}
