//! Kernels of the CPU, whose code may still be on its way.
//!
//! A kernel is proved, planned and coded, in this order. Once it is proved, its program is no reason to refuse it; once
//! it is planned, everything that the API asks about is known; once it is coded, it can run. Whoever needs one of these
//! steps before it is done moves the kernel to the front of the queue. Calls wait for the plan at most; commands wait
//! for the code as they wait for other commands.
//!
//! The first code may be of the baseline tier. If the kernel runs again or for long, code of the full tier is made
//! while nobody waits, and takes over: each launch, and each new range of work-groups of a launch under way, runs the
//! best code there is. What callers were told holds for both.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::thread::{self, Thread};
use std::time::Instant;

#[cfg(test)]
use oxicl_abi::Entry;
use oxicl_abi::{Image, KernelFacts};
use oxicl_compiler_client::{COMPILER, Step, Urgency};
use oxicl_device::{ApiError, Arguments, NdRange, Pending, Waiter, log};
use oxicl_protocol::{BuildFailure, Decision, Stage, Tier};
use oxicl_schedule::{cpu_count, fork, worthwhile_threads};
use parking_lot::Mutex;

use super::ProgramMemory;
use super::generate::{self, Level, Place};
use super::product::{Code, Form, Origin, Recipe, Which};

/// The total time that a kernel's code runs, in nanoseconds, after which better code is made: of the full tier, even if
/// the kernel runs for the first time, or for short rows. A cost: what the full tier takes for a kernel of middling
/// size.
const LONG: u64 = 10_000_000;

/// A kernel, and what its launches need to stay alive.
pub struct CpuKernel {
    pub(super) name: String,
    pub(super) variables: Option<Arc<dyn ProgramMemory>>,
    /// The tier of the first code.
    pub(super) tier: Tier,
    /// What callers are told. Code that was made in a simpler way may have other sizes where callers cannot tell.
    plan: OnceLock<KernelFacts>,
    /// The first code.
    code: OnceLock<Result<Code, BuildFailure>>,
    /// The code that takes over; none if the first code is the last.
    successor: OnceLock<Option<Code>>,
    /// The first code has run.
    has_run: AtomicBool,
    /// How long the first code has run, in nanoseconds.
    ran: AtomicU64,
    /// How long its last code has run rows that are too short for its gangs, estimated in nanoseconds.
    ran_short: AtomicU64,
    /// It runs often or long enough to get a successor.
    is_busy: AtomicBool,
    is_proved: AtomicBool,
    /// What it is compiled from; none once there is nothing left to compile.
    recipe: Mutex<Option<Arc<Recipe>>>,
    /// What its other forms are compiled from; none for these forms themselves.
    origin: Option<Arc<Origin>>,
    /// Its other forms, by their numbers; none for a form that cannot be made.
    forms: [OnceLock<Option<Arc<CpuKernel>>>; Form::OTHERS],
    pub(super) urgency: Urgency,
    /// The urgency of the successor, which nobody waits for.
    pub(super) leisure: Urgency,
    /// Where it stands among the kernels to compile.
    pub(super) place: Mutex<Place>,
    waiting: Mutex<Waiting>,
    opened: Instant,
    own: Weak<CpuKernel>,
}

/// Who waits for a kernel.
#[derive(Default)]
struct Waiting {
    /// Threads that wait for the next step.
    sleepers: Vec<Thread>,
    /// Commands that are blocked until the code is there.
    commands: Vec<Arc<dyn Waiter>>,
}

impl fmt::Debug for CpuKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CpuKernel").field("name", &self.name).field("plan", &self.plan).finish_non_exhaustive()
    }
}

impl CpuKernel {
    fn new(
        name: String,
        variables: Option<Arc<dyn ProgramMemory>>,
        recipe: Option<Arc<Recipe>>,
        origin: Option<Arc<Origin>>,
        tier: Tier,
    ) -> Arc<CpuKernel> {
        Arc::new_cyclic(|own| CpuKernel {
            name,
            variables,
            tier,
            plan: OnceLock::new(),
            code: OnceLock::new(),
            successor: OnceLock::new(),
            has_run: AtomicBool::new(false),
            ran: AtomicU64::new(0),
            ran_short: AtomicU64::new(0),
            is_busy: AtomicBool::new(false),
            is_proved: AtomicBool::new(false),
            recipe: Mutex::new(recipe),
            origin,
            forms: Default::default(),
            urgency: Urgency::default(),
            leisure: Urgency::default(),
            place: Mutex::default(),
            waiting: Mutex::default(),
            opened: Instant::now(),
            own: own.clone(),
        })
    }

    /// A kernel with its code.
    pub(super) fn coded(
        code: Code,
        variables: Option<Arc<dyn ProgramMemory>>,
        origin: Option<Arc<Origin>>,
    ) -> Arc<CpuKernel> {
        let kernel = CpuKernel::new(code.facts.name.clone(), variables, None, origin, code.tier);
        kernel.settle(Ok(code));
        kernel
    }

    /// A kernel without code, which nobody makes yet. Its first code will be of this tier.
    pub(super) fn open(
        name: String,
        variables: Option<Arc<dyn ProgramMemory>>,
        recipe: &Arc<Recipe>,
        origin: Option<Arc<Origin>>,
        tier: Tier,
    ) -> Arc<CpuKernel> {
        CpuKernel::new(name, variables, Some(Arc::clone(recipe)), origin, tier)
    }

    /// The best form that is ready for a launch, and the kernel that has its code; none for the usual form. The form
    /// that suits the launch is requested if it is missing and the kernel has its last code.
    pub(super) fn form_for(&self, range: &NdRange, arguments: &Arguments) -> Option<(Form, &Arc<CpuKernel>)> {
        let last = self.last()?;
        let facts = &last.facts;
        let usual = self.form_that_suits(facts, range, arguments);
        let lies = if usual.turned { &range.turned() } else { range };
        let lanes = self.lanes_for_short_rows(last, lies);
        let suits = if lanes.is_some() { Form { lanes, ..Form::default() } } else { usual };
        let number = suits.number()?;
        self.forms[number].get_or_init(|| {
            let recipe = Arc::new(self.origin.as_ref()?.recipe_in(suits)?);
            let form = CpuKernel::open(self.name.clone(), self.variables.clone(), &recipe, None, Tier::Full);
            form.is_proved.store(true, Ordering::Release);
            // While launches keep all CPUs busy, code that nobody waits for would never be made.
            form.demand();
            Some(form)
        });
        // Callers were told the facts of the usual form.
        let may_stand = |code: &Code| code.facts.keeps(facts);
        let of = |form: Form| {
            let found = self.forms[form.number()?].get()?.as_ref()?;
            found.last().is_some_and(may_stand).then_some((form, found))
        };
        let best_first = [suits, usual, Form { disjoint: false, ..usual }, Form { turned: false, ..usual }];
        let (form, found) = best_first.into_iter().find_map(of)?;
        if !found.has_run.swap(true, Ordering::Relaxed) {
            log(&format!("kernel {}: a launch is {form}", self.name));
        }
        Some((form, found))
    }

    /// The form that suits a launch of a kernel with these facts best, short rows aside. Gangs lie along y only if the
    /// kernel cannot observe the order of work-groups, and then in two cases: work-groups have one work-item along x
    /// and are not coalesced, so that gangs along x would have one lane; or the plan says that gangs along y are
    /// cheaper, and work-groups are long enough along y. The form relies on buffers that do not overlap where the plan
    /// says that this pays and the launch has such buffers.
    fn form_that_suits(&self, facts: &KernelFacts, range: &NdRange, arguments: &Arguments) -> Form {
        let [x, y, _] = range.local;
        let style = facts.style;
        let is_column = x == 1 && y > 1 && facts.lanes > 1 && style.most_coalesced == 0;
        let is_long = facts.turns && y >= u64::from(facts.sub_group_size);
        let allows = |decision| self.origin.as_ref().is_some_and(|origin| origin.allows(decision));
        Form {
            turned: style.any_order && (is_column || is_long) && allows(Decision::Turns),
            disjoint: facts.disjoint && arguments.disjoint && allows(Decision::Disjoint),
            lanes: None,
        }
    }

    /// The number of lanes for a launch whose rows are too short for the usual gangs; none for the usual form. Such
    /// lanes need code of their own, which is made once such launches have taken as long as making it does.
    fn lanes_for_short_rows(&self, Code { facts, cost, .. }: &Code, range: &NdRange) -> Option<u32> {
        // Most launches have long rows.
        if range.local[0] > u64::from(facts.scalar_rows.max(facts.narrow_rows)) {
            return None;
        }
        let items = range.global.into_iter().fold(1, u64::saturating_mul);
        let time = cost.estimate(items).unwrap_or(0);
        let threads = u64::from(worthwhile_threads(time).min(cpu_count()));
        let lanes = narrow_lanes(facts, range, items.div_ceil(threads))?;
        let is_time = self.origin.as_ref().is_some_and(|origin| origin.allows(Decision::ShortRows))
            && self.ran_short.fetch_add(time, Ordering::Relaxed).saturating_add(time) >= LONG;
        is_time.then_some(lanes)
    }

    /// The code that nothing replaces any more, once it is there.
    pub(super) fn last(&self) -> Option<&Code> {
        match self.successor.get()? {
            Some(code) => Some(code),
            None => self.code.get()?.as_ref().ok(),
        }
    }

    /// One of its codes, once that is there. Each launch asks several times.
    #[inline]
    pub(super) fn present(&self, which: Which) -> Option<&Code> {
        match (which, self.successor.get()) {
            (Which::Last, Some(Some(code))) => Some(code),
            _ => self.code.get()?.as_ref().ok(),
        }
    }

    /// One of its codes, once that is there.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn code(&self, which: Which) -> Result<&Code, String> {
        self.present(which).ok_or_else(|| match self.failure() {
            Some(failure) => failure.to_string().trim_end().to_owned(),
            None => "its code is not there".to_owned(),
        })
    }

    /// Why there never will be code.
    pub(super) fn failure(&self) -> Option<&BuildFailure> {
        self.code.get()?.as_ref().err()
    }

    pub(super) fn is_settled(&self) -> bool {
        self.code.get().is_some()
    }

    /// Whether its program is no longer a reason to refuse it.
    pub(super) fn is_proved(&self) -> bool {
        self.is_proved.load(Ordering::Acquire)
    }

    /// What the API asks about. Waits until it is known.
    pub(super) fn planned(&self) -> Result<&KernelFacts, ApiError> {
        if let Some(plan) = self.plan.get() {
            return Ok(plan);
        }
        self.wait(CpuKernel::planned_or_settled);
        self.plan.get().ok_or_else(|| {
            let why = self.code(Which::First).err().unwrap_or_default();
            ApiError::OutOfResources.because(format!("kernel {} cannot be compiled: {why}", self.name))
        })
    }

    pub(super) fn planned_or_settled(&self) -> bool {
        self.plan.get().is_some() || self.is_settled()
    }

    /// Marks its program as no reason to refuse it. It is compiled when nothing else is to be done.
    pub(super) fn prove(&self) {
        self.is_proved.store(true, Ordering::Release);
        generate::want(&self.own, Level::Listed);
    }

    /// There is a kernel object of it, so it will be wanted.
    pub(super) fn expect(&self) {
        generate::want(&self.own, Level::Created);
    }

    /// Somebody waits for it, or is about to.
    pub(super) fn demand(&self) {
        generate::want(&self.own, Level::Wanted);
    }

    /// Takes its code, which was found in the cache.
    ///
    /// # Errors
    /// The code is not the kernel's, or cannot be loaded.
    pub(super) fn take(&self, image: Image) -> Result<(), BuildFailure> {
        self.settle(Ok(Code::of(&self.name, image)?));
        Ok(())
    }

    /// This kernel, if its code is not there yet.
    pub(super) fn missing(&self) -> Option<Arc<CpuKernel>> {
        if self.is_settled() { None } else { self.own.upgrade() }
    }

    /// Moves it to the front of the queue and waits until `is_over`, which is asked again after each step of the
    /// compiler.
    pub(super) fn wait(&self, is_over: impl Fn(&CpuKernel) -> bool) {
        let begun = Instant::now();
        if is_over(self) {
            return;
        }
        self.demand();
        loop {
            {
                let mut waiting = self.waiting.lock();
                if is_over(self) {
                    break;
                }
                let this = thread::current();
                if !waiting.sleepers.iter().any(|sleeper| sleeper.id() == this.id()) {
                    waiting.sleepers.push(this);
                }
            }
            fork::outside(thread::park);
        }
        log(&format!("a call waited {} us for kernel {}", begun.elapsed().as_micros(), self.name));
    }

    /// The compiler has done a step.
    pub(super) fn told(&self, step: Step) {
        match step {
            Step::Proved => self.is_proved.store(true, Ordering::Release),
            Step::Planned(facts) => {
                // Later facts are those of another try.
                if let Some(facts) = facts.into_iter().find(|facts| facts.name == self.name) {
                    let _ = self.plan.set(facts);
                }
            }
        }
        self.wake();
    }

    /// What it is compiled from.
    pub(super) fn recipe(&self) -> Option<Arc<Recipe>> {
        self.recipe.lock().clone()
    }

    /// Accepts code that agrees with what callers were told.
    ///
    /// # Errors
    /// The code differs from what callers were told.
    pub(super) fn accept(&self, code: Code) -> Result<Code, BuildFailure> {
        match self.plan.get() {
            Some(plan) if !code.facts.keeps(plan) => {
                let message = format!(
                    "kernel {} could be compiled only with other local memory or sub-groups than it was said to have",
                    self.name
                );
                Err(BuildFailure::new(Stage::CompilerProcess, message))
            }
            _ => Ok(code),
        }
    }

    /// Its code is there, or never will be. Only the first call counts.
    pub(super) fn settle(&self, code: Result<Code, BuildFailure>) {
        let has_successor = code.as_ref().is_ok_and(|code| code.tier == Tier::Baseline);
        if let Ok(code) = &code {
            let _ = self.plan.set(code.planned.clone());
            self.is_proved.store(true, Ordering::Release);
        }
        if self.code.set(code).is_err() {
            return;
        }
        let commands = std::mem::take(&mut self.waiting.lock().commands);
        let has_recipe = self.recipe.lock().is_some();
        if !has_successor {
            self.succeed(None);
        }
        if has_recipe {
            let what = match self.code.get() {
                Some(Ok(code)) => format!("has its code ({} tier)", code.tier),
                _ => "has no code".to_owned(),
            };
            let time = self.opened.elapsed().as_micros();
            log(&format!("kernel {} {what} after {time} us; {} commands wait for it", self.name, commands.len()));
        }
        self.wake();
        for command in commands {
            // This undoes the block of `hold`.
            command.armed();
        }
    }

    /// Whether code that takes over is to be made, if the kernel runs often or long enough.
    pub(super) fn wants_successor(&self) -> bool {
        self.is_settled() && self.successor.get().is_none() && self.recipe.lock().is_some()
    }

    /// The code that takes over is there, or never will be. Only the first call counts.
    pub(super) fn succeed(&self, code: Option<Code>) {
        let _ = self.successor.set(code);
        *self.recipe.lock() = None;
    }

    /// A launch begins with the first code.
    pub(super) fn begins(&self) {
        if self.has_run.swap(true, Ordering::Relaxed) {
            self.is_busy.store(true, Ordering::Relaxed);
            self.seek_successor();
        }
    }

    /// The first code ran for some nanoseconds.
    pub(super) fn ran_for(&self, nanoseconds: u64) {
        let before = self.ran.fetch_add(nanoseconds, Ordering::Relaxed);
        if before.saturating_add(nanoseconds) < LONG {
            return;
        }
        self.is_busy.store(true, Ordering::Relaxed);
        self.seek_successor();
        if before < LONG {
            // By now, making the better code would have cost less than doing without it. While the first code keeps all
            // CPUs busy, code that nobody waits for would never be made.
            COMPILER.urge(&self.leisure);
        }
    }

    /// Has code made that takes over, if the kernel has run often or long enough.
    pub(super) fn seek_successor(&self) {
        if self.is_busy.load(Ordering::Relaxed) {
            generate::want(&self.own, Level::Busy);
        }
    }

    fn wake(&self) {
        let sleepers = std::mem::take(&mut self.waiting.lock().sleepers);
        sleepers.iter().for_each(Thread::unpark);
    }
}

/// How many lanes suit the rows of a launch, of which each thread runs `of_thread` work-items, if rows are too short
/// for the usual gangs. Where work-groups run as one, they form one long row.
fn narrow_lanes(facts: &KernelFacts, range: &NdRange, of_thread: u64) -> Option<u32> {
    let joined = range.local[0].saturating_mul(facts.style.groups_in_a_row(range.local));
    let row = u32::try_from(joined.min(range.global[0].min(of_thread)).max(range.local[0])).ok()?;
    let is_narrow = row.is_power_of_two() && facts.narrow_rows & row != 0;
    if is_narrow { Some(row) } else { (row <= facts.scalar_rows).then_some(1) }
}

impl Pending for CpuKernel {
    fn hold(&self, command: Arc<dyn Waiter>) {
        {
            let mut waiting = self.waiting.lock();
            if self.is_settled() {
                return;
            }
            command.block();
            waiting.commands.push(command);
        }
        self.demand();
    }

    fn hasten(&self) {
        generate::want(&self.own, Level::Awaited);
    }
}

#[cfg(test)]
impl CpuKernel {
    /// A kernel that is a function of a test.
    pub(crate) fn of_test(entry: Entry, facts: KernelFacts) -> Arc<Self> {
        CpuKernel::coded(Code::of_test(entry, facts, Tier::Full), None, None)
    }

    /// The same, of which the test says when other code takes over.
    pub(crate) fn of_test_at_baseline(entry: Entry, facts: KernelFacts) -> Arc<Self> {
        CpuKernel::coded(Code::of_test(entry, facts, Tier::Baseline), None, None)
    }

    /// Other code takes over.
    pub(crate) fn succeed_by(&self, entry: Entry, facts: KernelFacts) {
        self.succeed(Some(Code::of_test(entry, facts, Tier::Full)));
    }
}

#[cfg(test)]
mod tests;
