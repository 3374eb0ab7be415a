//! What the kernels of a program are compiled from, and the resulting machine code.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use oxicl_abi::{Entry, Image, KernelFacts};
use oxicl_caps::config::Config;
use oxicl_compiler_client::{SharedModule, Unit};
use oxicl_load::LoadedImage;
use oxicl_protocol::{BuildFailure, CompileOptions, Decision, Stage, Tier};
use oxicl_schedule::CostHint;
use oxicl_spirv::{Fingerprint, Module as SpirvModule};
use oxicl_target::Target;
use oxicl_validate::ValidModule;

/// What the kernels of a program are compiled from.
pub(super) struct Recipe {
    pub(super) module: SharedModule,
    pub(super) options: CompileOptions,
    pub(super) target: Target,
    /// What each kernel's code depends on, where that is known.
    pub(super) fingerprints: HashMap<String, Fingerprint>,
}

impl Recipe {
    /// A request for these kernels, or for all if none are named, at a tier.
    pub(super) fn unit(&self, kernels: &[String], tier: Tier) -> Result<Unit, BuildFailure> {
        self.of(kernels, &self.options, tier)
    }

    /// A request for them without optimisation.
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

/// What the code of each kernel depends on, for the cache. Nothing is known where remarks are wanted: these name places
/// in the source, which fingerprints do not cover.
fn fingerprints(module: &SpirvModule, options: &CompileOptions) -> HashMap<String, Fingerprint> {
    let found = if options.verbose || Config::get().cache.is_none() { None } else { oxicl_spirv::fingerprints(module) };
    let named = |(name, fingerprint): (&str, Fingerprint)| (name.to_owned(), fingerprint);
    found.unwrap_or_default().into_iter().map(named).collect()
}

/// What a program is built from. It outlives recipes, for forms of the code that only some launches turn out to want.
pub(super) struct Origin {
    pub(super) module: Arc<ValidModule>,
    pub(super) options: CompileOptions,
    pub(super) target: Target,
}

impl Origin {
    /// What its kernels are compiled from.
    ///
    /// # Errors
    /// There is no memory for it.
    pub(super) fn recipe(&self) -> Result<Recipe, BuildFailure> {
        self.recipe_with(self.options.clone())
    }

    fn recipe_with(&self, options: CompileOptions) -> Result<Recipe, BuildFailure> {
        let module = self.module.module();
        let fingerprints = fingerprints(module, &options);
        Ok(Recipe { module: SharedModule::new(&module.words)?, options, target: self.target.clone(), fingerprints })
    }

    /// Whether a decision that launches take may be applied. Not where only the first decisions are taken: those of
    /// launches are none of these.
    pub(super) fn allows(&self, decision: Decision) -> bool {
        let switches = &self.options.switches;
        switches.limit.is_none() && !switches.disabled.contains(&decision)
    }

    /// What another form is compiled from; `None` if there is no memory for it.
    pub(super) fn recipe_in(&self, Form { turned, disjoint, lanes }: Form) -> Option<Recipe> {
        let lanes = lanes.unwrap_or(self.options.lanes);
        self.recipe_with(CompileOptions { turned, disjoint, lanes, ..self.options.clone() }).ok()
    }
}

/// A form of a kernel's code: what it relies on, which is true of some launches only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    /// The first two dimensions are swapped.
    pub(super) turned: bool,
    /// No two buffers overlap.
    pub(super) disjoint: bool,
    /// Rows are shorter than the usual gangs, and gangs have this many lanes, a power of two. It relies on nothing
    /// else.
    pub(super) lanes: Option<u32>,
}

impl Form {
    /// The number of forms besides the usual one. Those for short rows have up to eight lanes, half of what usual gangs
    /// have at most.
    pub(super) const OTHERS: usize = 7;

    /// The number of a form; none for the usual one.
    pub(super) fn number(self) -> Option<usize> {
        match self.lanes {
            Some(lanes) => Some(3 + lanes.ilog2() as usize).filter(|number| *number < Form::OTHERS),
            None => (usize::from(self.turned) + 2 * usize::from(self.disjoint)).checked_sub(1),
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let turned = self.turned.then_some("turned: its gangs lie along y");
        let disjoint = self.disjoint.then_some("disjoint: its code relies on buffers that do not overlap");
        let lanes = self.lanes.map(|lanes| format!("narrow: its short rows run {lanes} at a time"));
        let all = turned.into_iter().chain(disjoint).map(str::to_owned).chain(lanes);
        f.write_str(&all.collect::<Vec<_>>().join("; "))
    }
}

/// Machine code of a kernel.
pub(super) struct Code {
    pub(super) entry: Entry,
    pub(super) facts: KernelFacts,
    /// What callers are told if this is the first code.
    pub(super) planned: KernelFacts,
    pub(super) tier: Tier,
    /// What it costs to run.
    pub(super) cost: CostHint,
    /// The image that holds `entry`; none for a function of a test.
    _image: Option<Arc<LoadedImage>>,
}

impl Code {
    /// The kernels of an image.
    ///
    /// # Errors
    /// The image is malformed, or cannot be loaded.
    pub(super) fn load(image: Image) -> Result<Vec<Code>, BuildFailure> {
        let loaded = oxicl_load::load(&image).map_err(|error| BuildFailure::new(Stage::Load, error.to_string()))?;
        let loaded = Arc::new(loaded);
        let code = |facts: KernelFacts| {
            let entry = loaded.entry(facts.entry);
            let entry = entry.ok_or_else(|| BuildFailure::new(Stage::Load, "a kernel has no entry point"))?;
            let (planned, tier, cost) = (image.planned(&facts), image.tier, CostHint::default());
            Ok(Code { entry, facts, planned, tier, cost, _image: Some(Arc::clone(&loaded)) })
        };
        image.kernels.iter().cloned().map(code).collect()
    }

    /// The code of one of the kernels of an image.
    ///
    /// # Errors
    /// Those of [`Code::load`], or the image has no such kernel.
    pub(super) fn of(name: &str, image: Image) -> Result<Code, BuildFailure> {
        let code = Code::load(image)?.into_iter().find(|code| code.facts.name == name);
        code.ok_or_else(|| BuildFailure::new(Stage::Load, format!("the compiler left out kernel {name}")))
    }
}

/// One of a kernel's codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// The first code that it had.
    First,
    /// The code that nothing replaces any more. It may be the first.
    Last,
}

#[cfg(test)]
impl Code {
    /// A function of a test.
    pub(super) fn of_test(entry: Entry, facts: KernelFacts, tier: Tier) -> Code {
        Code { entry, planned: facts.planned(), facts, tier, cost: CostHint::default(), _image: None }
    }
}
