//! Kernels of the CPU, whose code may still be on its way.
//!
//! A kernel is proved, planned and coded, in this order: from the first on its program is no reason to refuse it, with the
//! second all is known that the API asks about, and with the third it can run. Whoever needs one of these before it is there
//! makes the kernel's turn come first. Calls wait for the plan at most; commands wait for the code as they wait for other
//! commands.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::thread::{self, Thread};
use std::time::Instant;

use oxicl_abi::{Entry, Image, KernelFacts};
use oxicl_compiler_client::{SharedModule, Step, Unit, Urgency};
use oxicl_device::ApiError;
use oxicl_device::log;
use oxicl_device::{Pending, Waiter};
use oxicl_load::LoadedImage;
use oxicl_protocol::{BuildFailure, CompileOptions, Stage, Tier};
use oxicl_schedule::{CostHint, fork};
use oxicl_spirv::Fingerprint;
use oxicl_target::Target;
use parking_lot::Mutex;

use super::ProgramMemory;
use super::generate::{self, Level, Place};

/// What the kernels of a program are compiled from.
pub(super) struct Recipe {
    pub(super) module: SharedModule,
    pub(super) options: CompileOptions,
    pub(super) target: Target,
    /// What each kernel depends on, as far as that is to be known.
    pub(super) fingerprints: HashMap<String, Fingerprint>,
}

impl Recipe {
    /// What asks for kernels, or for all if none are named.
    pub(super) fn unit(&self, kernels: &[String]) -> Result<Unit, BuildFailure> {
        self.of(kernels, &self.options, Tier::Full)
    }

    /// What asks for them without optimisation.
    pub(super) fn plain_unit(&self, kernels: &[String]) -> Result<Unit, BuildFailure> {
        let options = CompileOptions { opt_disable: true, ..self.options.clone() };
        self.of(kernels, &options, Tier::Cheap)
    }

    fn of(&self, kernels: &[String], options: &CompileOptions, tier: Tier) -> Result<Unit, BuildFailure> {
        let unit = Unit::new(&self.module, kernels, options, &self.target, tier)?;
        let [kernel] = kernels else { return Ok(unit) };
        Ok(unit.depending_on(self.fingerprints.get(kernel).copied()))
    }
}

/// Machine code of a kernel.
pub(super) struct Code {
    pub(super) entry: Entry,
    pub(super) facts: KernelFacts,
    /// What `entry` is in; none for a function of a test.
    _image: Option<Arc<LoadedImage>>,
}

impl Code {
    /// The kernels of an image.
    ///
    /// # Errors
    /// The image is not what it has to be, or cannot be loaded.
    pub(super) fn load(image: Image) -> Result<Vec<Code>, BuildFailure> {
        let loaded = oxicl_load::load(&image).map_err(|error| BuildFailure::new(Stage::Load, error.to_string()))?;
        let loaded = Arc::new(loaded);
        let code = |facts: KernelFacts| {
            let entry = loaded.entry(facts.entry);
            let entry = entry.ok_or_else(|| BuildFailure::new(Stage::Load, "a kernel has no entry point"))?;
            Ok(Code { entry, facts, _image: Some(Arc::clone(&loaded)) })
        };
        image.kernels.into_iter().map(code).collect()
    }
}

/// A kernel, and what its launches need to stay alive.
pub struct CpuKernel {
    pub(super) name: String,
    pub(super) variables: Option<Arc<dyn ProgramMemory>>,
    pub(super) cost: CostHint,
    /// What callers are told. The code may have other sizes, if it could be made in a slower way only, where nobody can tell.
    plan: OnceLock<KernelFacts>,
    code: OnceLock<Result<Code, BuildFailure>>,
    is_proved: AtomicBool,
    /// None as soon as there is nothing to compile.
    recipe: Mutex<Option<Arc<Recipe>>>,
    pub(super) urgency: Urgency,
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
    fn new(name: String, variables: Option<Arc<dyn ProgramMemory>>, recipe: Option<Arc<Recipe>>) -> Arc<CpuKernel> {
        Arc::new_cyclic(|own| CpuKernel {
            name,
            variables,
            cost: CostHint::default(),
            plan: OnceLock::new(),
            code: OnceLock::new(),
            is_proved: AtomicBool::new(false),
            recipe: Mutex::new(recipe),
            urgency: Urgency::default(),
            place: Mutex::default(),
            waiting: Mutex::default(),
            opened: Instant::now(),
            own: own.clone(),
        })
    }

    /// A kernel with its code.
    pub(super) fn coded(code: Code, variables: Option<Arc<dyn ProgramMemory>>) -> Arc<CpuKernel> {
        let kernel = CpuKernel::new(code.facts.name.clone(), variables, None);
        kernel.settle(Ok(code));
        kernel
    }

    /// A kernel without code, which nobody makes yet.
    pub(super) fn open(
        name: String,
        variables: Option<Arc<dyn ProgramMemory>>,
        recipe: &Arc<Recipe>,
    ) -> Arc<CpuKernel> {
        CpuKernel::new(name, variables, Some(Arc::clone(recipe)))
    }

    /// Its code, once it is there.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn code(&self) -> Result<&Code, String> {
        match self.code.get() {
            Some(Ok(code)) => Ok(code),
            Some(Err(failure)) => Err(failure.to_string().trim_end().to_owned()),
            None => Err("its code is not there".to_owned()),
        }
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
            let why = self.code().err().unwrap_or_default();
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
        let code = Code::load(image)?.into_iter().find(|code| code.facts.name == self.name);
        let code = code.ok_or_else(|| BuildFailure::new(Stage::Load, format!("there is no kernel {}", self.name)))?;
        self.settle(Ok(code));
        Ok(())
    }

    /// It, if its code is not there.
    pub(super) fn missing(&self) -> Option<Arc<CpuKernel>> {
        if self.is_settled() { None } else { self.own.upgrade() }
    }

    /// Has its turn come first, and waits until something has come about. The compiler brings that about, or the end of all hope.
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
        if let Ok(code) = &code {
            let _ = self.plan.set(code.facts.planned());
            self.is_proved.store(true, Ordering::Release);
        }
        if self.code.set(code).is_err() {
            return;
        }
        let commands = std::mem::take(&mut self.waiting.lock().commands);
        let recipe = self.recipe.lock().take();
        if recipe.is_some() {
            let what = if self.failure().is_some() { "has no code" } else { "has its code" };
            let time = self.opened.elapsed().as_micros();
            log(&format!("kernel {} {what} after {time} us; {} commands wait for it", self.name, commands.len()));
        }
        self.wake();
        for command in commands {
            // In the place of what `hold` blocked it by.
            command.armed();
        }
    }

    fn wake(&self) {
        let sleepers = std::mem::take(&mut self.waiting.lock().sleepers);
        sleepers.iter().for_each(Thread::unpark);
    }
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
        CpuKernel::coded(Code { entry, facts, _image: None }, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    extern "C" fn nothing(_: *const oxicl_abi::LaunchRecord, _: *mut u8, _: *const oxicl_abi::GroupRecord) {}

    fn facts() -> KernelFacts {
        KernelFacts { name: "k".into(), sub_group_size: 16, local_bytes: 8, lanes: 64, ..KernelFacts::default() }
    }

    fn code(facts: KernelFacts) -> Code {
        Code { entry: nothing, facts, _image: None }
    }

    /// A kernel that was planned.
    fn planned() -> Arc<CpuKernel> {
        let kernel = CpuKernel::new("k".into(), None, None);
        kernel.told(Step::Planned(vec![KernelFacts { name: "other".into(), ..facts() }, facts()]));
        kernel
    }

    #[test]
    fn code_of_another_try_is_taken_only_if_nobody_can_tell() {
        assert!(planned().accept(code(KernelFacts { lanes: 1, stack_bytes: 100, ..facts() })).is_ok());
        for other in [KernelFacts { sub_group_size: 1, ..facts() }, KernelFacts { local_bytes: 16, ..facts() }] {
            let failure = planned().accept(code(other)).err().expect("refused");
            assert!(failure.to_string().contains("other local memory or sub-groups"), "{failure}");
        }
    }

    #[test]
    fn what_was_told_first_is_what_is_told() {
        let kernel = planned();
        kernel.told(Step::Planned(vec![KernelFacts { lanes: 1, ..facts() }]));
        kernel.settle(Ok(code(KernelFacts { lanes: 1, ..facts() })));
        assert_eq!(kernel.planned().expect("planned"), &facts());
        assert_eq!(kernel.code().expect("there").facts.lanes, 1);
        kernel.settle(Err(BuildFailure::new(Stage::Load, "too late")));
        assert!(kernel.is_proved() && kernel.code().is_ok());
    }
}
