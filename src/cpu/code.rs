//! Kernels of the CPU, whose code may still be on its way.
//!
//! A kernel is proved, planned and coded, in this order: from the first on its program is no reason to refuse it, with the
//! second all is known that the API asks about, and with the third it can run. Whoever needs one of these before it is there
//! moves the kernel to the front of the queue. Calls wait for the plan at most; commands wait for the code as they wait for other
//! commands.
//!
//! The first code may be of the baseline tier. If the kernel runs again or runs long, that of the full tier is made while nobody
//! waits, and takes over: each launch, and each range of work-groups of a launch that is under way, runs the best code there is.
//! What callers were told holds for both.

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

/// The time that a kernel's code runs in all, in nanoseconds, after which better code is made: of the full tier although the kernel runs
/// for the first time, or for short rows. A cost: what the full tier takes for a middling kernel.
const LONG: u64 = 10_000_000;

/// A kernel, and what its launches need to stay alive.
pub struct CpuKernel {
    pub(super) name: String,
    pub(super) variables: Option<Arc<dyn ProgramMemory>>,
    /// The tier of the first code.
    pub(super) tier: Tier,
    /// What callers are told. The code may have other sizes, if it was made in a simpler way, where nobody can tell.
    plan: OnceLock<KernelFacts>,
    /// The first code.
    code: OnceLock<Result<Code, BuildFailure>>,
    /// The code that takes over; none if the first is the last.
    successor: OnceLock<Option<Code>>,
    /// The first code has run.
    has_run: AtomicBool,
    /// For how long, in nanoseconds.
    ran: AtomicU64,
    /// For how long its last code ran rows that are too short for gangs, in nanoseconds.
    ran_short: AtomicU64,
    /// It runs often or long enough to have a successor.
    is_busy: AtomicBool,
    is_proved: AtomicBool,
    /// None as soon as there is nothing to compile.
    recipe: Mutex<Option<Arc<Recipe>>>,
    /// What its other forms are compiled from; none of these themselves.
    origin: Option<Arc<Origin>>,
    /// Its other forms, by their numbers; none where there can be none.
    forms: [OnceLock<Option<Arc<CpuKernel>>>; Form::OTHERS],
    pub(super) urgency: Urgency,
    /// Nobody waits for the successor.
    pub(super) leisure: Urgency,
    /// Where it stands among those that are to be compiled.
    pub(super) place: Mutex<Place>,
    waiting: Mutex<Waiting>,
    opened: Instant,
    own: Weak<CpuKernel>,
}

/// Who waits for a kernel.
#[derive(Default)]
struct Waiting {
    /// Threads, for whatever comes next.
    sleepers: Vec<Thread>,
    /// Commands, for the code; each is blocked by that.
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

    /// A kernel without code, which nobody makes yet. The first will be of a tier.
    pub(super) fn open(
        name: String,
        variables: Option<Arc<dyn ProgramMemory>>,
        recipe: &Arc<Recipe>,
        origin: Option<Arc<Origin>>,
        tier: Tier,
    ) -> Arc<CpuKernel> {
        CpuKernel::new(name, variables, Some(Arc::clone(recipe)), origin, tier)
    }

    /// The kernel by whose code a launch is run, and its form, if that is another one: the best that is there. The form that suits the
    /// launch is made once there is such a launch of a kernel that has its last code.
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
            // While launches have all CPUs, who does what nobody waits for would never come to it.
            form.demand();
            Some(form)
        });
        // Callers were told of this one.
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

    /// The form that suits a launch best of a kernel with these facts. Its gangs lie along y if it cannot tell in which order work-groups
    /// start: where work-groups have one work-item along x, and its code runs one lane, and not several work-groups as one; and where
    /// these are long enough along y, if its plan says that gangs are cheaper so. It relies on buffers that do not overlap if its plan
    /// says so, too.
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

    /// With how many lanes a launch is to be run whose gangs would lack many otherwise. That needs code of its own, which is made once
    /// such launches have taken as long as that does.
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

    /// The code that nothing takes the place of, once it is there.
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

    /// Whether its program is no reason to refuse it any more.
    pub(super) fn is_proved(&self) -> bool {
        self.is_proved.load(Ordering::Acquire)
    }

    /// What the API asks about. Waits for it.
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

    /// Its program is no reason to refuse it: it is compiled when nothing else is to be done.
    pub(super) fn prove(&self) {
        self.is_proved.store(true, Ordering::Release);
        generate::want(&self.own, Level::Listed);
    }

    /// There is a kernel object of it, so that it will be wanted.
    pub(super) fn expect(&self) {
        generate::want(&self.own, Level::Created);
    }

    /// Somebody waits for it, or is about to.
    pub(super) fn demand(&self) {
        generate::want(&self.own, Level::Wanted);
    }

    /// Its code was found.
    ///
    /// # Errors
    /// It is not the kernel's, or cannot be loaded.
    pub(super) fn take(&self, image: Image) -> Result<(), BuildFailure> {
        self.settle(Ok(Code::of(&self.name, image)?));
        Ok(())
    }

    /// It, if its code is not there.
    pub(super) fn missing(&self) -> Option<Arc<CpuKernel>> {
        if self.is_settled() { None } else { self.own.upgrade() }
    }

    /// Moves it to the front of the queue, and waits until the compiler has got it to the next of these steps, or has failed.
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

    /// Something has become known.
    pub(super) fn told(&self, step: Step) {
        match step {
            Step::Proved => self.is_proved.store(true, Ordering::Release),
            Step::Planned(facts) => {
                // What comes later is of another try.
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

    /// Code that may stand for the kernel.
    ///
    /// # Errors
    /// It is not what callers were told.
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

    /// Its code is there, or never will be. Once.
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
            // In the place of what `hold` blocked it by.
            command.armed();
        }
    }

    /// Whether code is to be made that takes over, if the kernel runs for it.
    pub(super) fn wants_successor(&self) -> bool {
        self.is_settled() && self.successor.get().is_none() && self.recipe.lock().is_some()
    }

    /// What takes over is there, or never will be. Once.
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
            // By now the better code has cost less than doing without it. While the first one has all CPUs, who does what
            // nobody waits for would never come to it.
            COMPILER.urge(&self.leisure);
        }
    }

    /// Has code made that takes over, if the kernel has run for it.
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

/// How many lanes suit the rows of a launch, of which each thread runs so many work-items, if these are too short for the usual gangs. Where
/// work-groups run as one, rows are as long as these make them.
fn narrow_lanes(facts: &KernelFacts, range: &NdRange, of_thread: u64) -> Option<u32> {
    let joined = if facts.style.joins(range.local) { range.global[0].min(of_thread) } else { 0 };
    let row = u32::try_from(range.local[0].max(joined)).ok()?;
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
