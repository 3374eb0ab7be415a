//! The compiled kernel against the reference device: equal bits, no tolerance.
//!
//! - **Takes**: the seed of a random kernel.
//! - **Gives**: nothing if all ways of executing it agree, else a [`Difference`] with the source.
//! - **Never**: goes through the API, or through the compiler process unless `OXICL_COMPILER` names one: what is compared is the
//!   compiler.

mod compiled;
mod compiler;
mod flow;
mod instructions;
mod rounding;
pub mod shapes;

use std::fmt;
use std::sync::Arc;

use compiled::Told;
use oxicl_caps::DeviceCaps;
use oxicl_generator::{INPUT_WORDS, Random, SHARED_WORDS, WORDS_PER_ITEM};
use oxicl_interpret::{FlatMemory, Launch, NdRange, Program};
use oxicl_offline::Level;
use oxicl_protocol::{CompileOptions, Decision, SourceOptions, SourceRequest, Standard, Switches, Tier};
use oxicl_validate::ValidModule;

pub use instructions::{check_file, check_flow, check_large_switch, check_long_chain};

/// A kernel of which two executions disagree, or one failed.
#[derive(Debug)]
pub struct Difference {
    /// Seed of the kernel.
    pub seed: u64,
    /// What was found.
    pub what: String,
    /// Source of the kernel.
    pub source: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seed {}: {}\n{}", self.seed, self.what, self.source)
    }
}

/// The input of one execution.
pub(crate) struct Case {
    pub(crate) range: NdRange,
    pub(crate) input: Vec<u8>,
    pub(crate) n: u32,
    /// What is in the output buffer before.
    pub(crate) output: Vec<u8>,
    /// So many bytes behind the beginning of the output buffer, the second argument leads into it; else to the input.
    pub(crate) overlap: Option<u64>,
    /// Bytes of the local argument.
    pub(crate) scratch: u64,
}

impl Case {
    fn new(random: &mut Random) -> Self {
        let local = [1 + random.below(9), 1 + random.below(3), 1 + random.below(2)];
        let groups = [1 + random.below(3), 1 + random.below(2), 1 + random.below(2)];
        // Half of the ranges end in smaller groups.
        let short = random.chance(50);
        let global = [0, 1, 2].map(|d| {
            let whole = local[d] * groups[d];
            if short { whole - random.below(local[d]) } else { whole }
        });
        Case::of(random, (global, local))
    }

    fn of(random: &mut Random, (global, local): ([u64; 3], [u64; 3])) -> Self {
        let items = global.iter().product::<u64>() as usize;
        let offset = if random.chance(20) { [3, 1, 0] } else { [0; 3] };
        Case {
            range: NdRange { work_dim: 3, global_offset: offset, global_size: global, local_size: local },
            input: (0..INPUT_WORDS).flat_map(|_| (random.bits() as u32).to_le_bytes()).collect(),
            n: random.bits() as u32,
            output: vec![0; (items * WORDS_PER_ITEM + SHARED_WORDS) * 4],
            overlap: None,
            scratch: local.iter().product::<u64>() * 4,
        }
    }
}

/// Executes a kernel of a difficult shape, as clang's front end leaves it and optimised, and compares.
///
/// # Errors
/// What does not compile, and the first difference.
pub fn check_shape(shape: &shapes::Shape) -> Result<(), String> {
    let (items, local) = shape.items;
    let mut random = Random::new(items);
    let case = Case {
        range: NdRange { work_dim: 1, global_offset: [0; 3], global_size: [items, 1, 1], local_size: [local, 1, 1] },
        input: (0..items + 4).flat_map(|_| (random.bits() as u32).to_le_bytes()).collect(),
        n: shape.n,
        output: vec![0; items as usize * WORDS_PER_ITEM * 4],
        overlap: None,
        scratch: local * 4,
    };
    let ways: [(_, &[_]); 2] =
        [(Level::Plain, &[(0, Tier::Full), (0, Tier::Cheap)]), (Level::Optimised, &[(4, Tier::Full)])];
    for (level, ways) in ways {
        let failed = |what: String| format!("{}, {level:?}: {what}", shape.name);
        let valid = module(&shape.source(), level).map_err(failed)?;
        let expected = reference(&valid, &case).map_err(failed)?;
        for (lanes, tier) in ways.iter().copied() {
            let options = CompileOptions { lanes, ..Default::default() };
            let got = compiled::run(&valid, &case, options, tier).map_err(failed)?;
            if let Some(word) = expected.chunks(4).zip(got.chunks(4)).position(|(a, b)| a != b) {
                return Err(failed(format!("{lanes} lanes, {tier:?}: word {word} differs from the reference's")));
            }
        }
    }
    Ok(())
}

/// Executes the kernel of `seed` in every way and compares.
///
/// # Errors
/// The first difference.
pub fn check(seed: u64) -> Result<(), Box<Difference>> {
    let source = oxicl_generator::kernel(seed);
    let difference = |what: String| Box::new(Difference { seed, what, source: source.clone() });
    let case = Case::new(&mut Random::new(!seed));
    // Both shapes of SPIR-V that clang makes occur in applications; the reference need only run one.
    let plain = module(&source, Level::Plain).map_err(&difference)?;
    let expected = reference(&plain, &case).map_err(&difference)?;
    let unoptimised = CompileOptions { opt_disable: true, ..Default::default() };
    let ways = [
        ("without optimisation", unoptimised, Tier::Full),
        ("cheap tier", CompileOptions::default(), Tier::Cheap),
        ("baseline tier", CompileOptions::default(), Tier::Baseline),
        ("full tier", CompileOptions::default(), Tier::Full),
        ("cheap tier, gangs of 4", lanes(4), Tier::Cheap),
        ("full tier, gangs of 8", lanes(8), Tier::Full),
    ];
    for (name, options, tier) in ways {
        compare(name, &plain, &case, &expected, options, tier).map_err(&difference)?;
    }
    // What clang's optimiser made is held against the reference's execution of the same module. Of few kernels it makes integers of
    // 128 bits, which its SPIR-V target cannot write.
    let optimised = match oxicl_offline::compile(&source, Level::Optimised) {
        Err(error) if error.contains("OpTypeInt type with a width other than") => return Ok(()),
        optimised => decoded(&optimised.map_err(&difference)?).map_err(&difference)?,
    };
    let expected = reference(&optimised, &case).map_err(&difference)?;
    let name = "full tier, from optimised SPIR-V";
    compare(name, &optimised, &case, &expected, CompileOptions::default(), Tier::Full).map_err(&difference)
}

/// Executes the kernel of `seed` at the baseline and the full tier in turns, and compares with the reference; then once more where it
/// is left open which products and sums are rounded once, and compares both tiers with each other and with what they do in turns.
/// Half of the kernels ask for a size of sub-groups.
///
/// # Errors
/// The first difference.
pub fn check_tiers(seed: u64) -> Result<(), Box<Difference>> {
    const TIERS: [Tier; 2] = [Tier::Baseline, Tier::Full];
    let mut random = Random::new(seed ^ 0xd1d1);
    let case = Case::new(&mut Random::new(!seed));
    let mut source = oxicl_generator::kernel(seed);
    if random.chance(50) {
        source = with_attribute(&source, &format!("intel_reqd_sub_group_size({})", 4 << random.below(5)));
    }
    let difference = |what: String| Box::new(Difference { seed, what, source: source.clone() });
    let options = CompileOptions::default();
    let module = own_module(&source).map_err(&difference)?;
    let expected = reference(&module, &case).map_err(&difference)?;
    let got = compiled::run_in_turns(&module, &case, &options, TIERS).map_err(&difference)?;
    hold("tiers in turns", &case, &expected, &got).map_err(&difference)?;

    let source = rounding::with_open(&source, &mut random);
    let difference = |what: String| Box::new(Difference { seed, what, source: source.clone() });
    let closed = own_module(&source).map_err(&difference)?;
    let open = validated(rounding::opened(&closed.module().words)).map_err(&difference)?;
    let [first, second] = TIERS.map(|tier| compiled::run(&open, &case, options.clone(), tier));
    let first = first.map_err(&difference)?;
    hold("contracted, full tier", &case, &first, &second.map_err(&difference)?).map_err(&difference)?;
    let got = compiled::run_in_turns(&open, &case, &options, TIERS).map_err(&difference)?;
    hold("contracted, tiers in turns", &case, &first, &got).map_err(&difference)
}

/// Executes the kernel of `seed` as this library's own front end has it, in two ways that the seed chooses, and compares:
/// a tenth of the time of [`check`], for very many kernels. Half of them ask for a size of sub-groups.
///
/// # Errors
/// The first difference.
pub fn check_quickly(seed: u64) -> Result<(), Box<Difference>> {
    let mut random = Random::new(seed ^ 0x5151);
    let mut source = oxicl_generator::kernel(seed);
    if random.chance(50) {
        source = with_attribute(&source, &format!("intel_reqd_sub_group_size({})", 4 << random.below(5)));
    }
    run_quickly(seed, source, &mut random)
}

/// Executes a kernel in the ways and with the input that [`check_quickly`] takes for `seed`, and compares.
///
/// # Errors
/// The first difference.
pub fn check_source(seed: u64, source: &str) -> Result<(), Box<Difference>> {
    let mut random = Random::new(seed ^ 0x5151);
    if random.chance(50) {
        random.below(5);
    }
    run_quickly(seed, source.to_owned(), &mut random)
}

/// Global sizes of so many groups, of which the last are up to half empty.
fn sizes(random: &mut Random, local: [u64; 3], groups: [u64; 3]) -> [u64; 3] {
    [0, 1, 2].map(|d| local[d] * groups[d] - random.below(local[d].div_ceil(2)))
}

/// Options that ask for so many lanes.
fn lanes(lanes: u32) -> CompileOptions {
    CompileOptions { lanes, ..Default::default() }
}

fn run_quickly(seed: u64, source: String, random: &mut Random) -> Result<(), Box<Difference>> {
    let difference = |what: String| Box::new(Difference { seed, what, source: source.clone() });
    let case = Case::new(&mut Random::new(!seed));
    let module = own_module(&source).map_err(&difference)?;
    let expected = reference(&module, &case).map_err(&difference)?;
    // Most of the time is LLVM's, of which the cheap tier takes little; what this library does is the same.
    let tier = if seed.is_multiple_of(4) { Tier::Full } else { Tier::Cheap };
    let ways = [
        ("gangs of 4, full tier", lanes(4), Tier::Full),
        ("gangs of 8", lanes(8), Tier::Cheap),
        ("gangs of 16", lanes(16), Tier::Cheap),
        ("gangs of 16, full tier", lanes(16), Tier::Full),
        ("without optimisation", CompileOptions { opt_disable: true, ..Default::default() }, Tier::Full),
    ];
    for (name, options, tier) in [("as usual", CompileOptions::default(), tier), random.pick(&ways).clone()] {
        compare(name, &module, &case, &expected, options, tier).map_err(&difference)?;
    }
    // Kernels are right without any decision that is for speed. The cheap tier has lanes where they are asked for.
    let lanes = if tier == Tier::Full { 0 } else { 8 };
    // The buffers do not overlap.
    let (switches, disjoint) = (some_decisions(seed), seed % 3 == 1);
    let options = CompileOptions { lanes, switches, disjoint, ..Default::default() };
    let name = format!("disjoint: {disjoint}, without {:?}", options.switches.disabled);
    compare(&name, &module, &case, &expected, options, tier).map_err(&difference)
}

/// Switches that leave out about half of all decisions.
fn some_decisions(seed: u64) -> Switches {
    let mut random = Random::new(seed ^ 0x9191);
    Switches { disabled: Decision::all().filter(|_| random.chance(50)).collect(), ..Switches::default() }
}

/// Executes the kernel of `seed` whose work-items do not share anything in work-groups that are short along x, and compares.
/// Half of them require the size. Says whether several work-groups ran as one.
///
/// # Errors
/// The first difference.
pub fn check_short_groups(seed: u64) -> Result<bool, Box<Difference>> {
    let mut random = Random::new(seed ^ 0x7171);
    let local = [1 + random.below(8), 1 + random.below(10) / 8, 1 + random.below(10) / 8];
    let groups = [1 + random.below(40), 1 + random.below(2), 1 + random.below(2)];
    let global = [local[0] * groups[0] - random.below(local[0]), local[1] * groups[1], local[2] * groups[2]];
    let case = Case::of(&mut random, (global, local));
    let mut source = oxicl_generator::kernel_apart(seed);
    if random.chance(50) {
        let [x, y, z] = local;
        source = with_attribute(&source, &format!("reqd_work_group_size({x}, {y}, {z})"));
    }
    Ok(hold_ways(seed, &source, &case, &[(lanes(0), Tier::Full), (lanes(16), Tier::Cheap)])?.packed)
}

/// Executes the kernel of `seed` whose work-items leave loops in different turns, in two dimensions, and compares. Says whether
/// rows went through it together.
///
/// # Errors
/// The first difference.
pub fn check_tiles(seed: u64) -> Result<bool, Box<Difference>> {
    let mut random = Random::new(seed ^ 0x9191);
    let local = [1 + random.below(70), 1 + random.below(9), 1 + random.below(12) / 11];
    let groups = [1 + random.below(2), 1 + random.below(3), 1 + random.below(2)];
    let global = sizes(&mut random, local, groups);
    let case = Case::of(&mut random, (global, local));
    let source = oxicl_generator::kernel_tile(seed);
    Ok(hold_ways(seed, &source, &case, &[(lanes(0), Tier::Full), (lanes(0), Tier::Cheap)])?.tile)
}

/// Executes the kernel of `seed` whose work-items leave by comparisons of their places, and compares. Says whether gangs whose
/// work-items agree on these had a body of their own.
///
/// # Errors
/// The first difference.
pub fn check_guards(seed: u64) -> Result<bool, Box<Difference>> {
    let mut random = Random::new(seed ^ 0xb1b1);
    let local = [1 + random.below(70), 1 + random.below(5), 1 + random.below(12) / 11];
    let groups = [1 + random.below(3), 1 + random.below(2), 1 + random.below(2)];
    let global = sizes(&mut random, local, groups);
    let case = Case::of(&mut random, (global, local));
    let mut source = oxicl_generator::kernel_guards(seed);
    if random.chance(20) {
        let [x, y, z] = local;
        source = with_attribute(&source, &format!("reqd_work_group_size({x}, {y}, {z})"));
    }
    // The cheap tier has lanes only where the options ask for them.
    let ways = [(lanes(0), Tier::Full), (lanes(*random.pick(&[4, 8, 16])), Tier::Cheap)];
    Ok(hold_ways(seed, &source, &case, &ways)?.agreed)
}

/// Executes the kernel of `seed` whose two pointers may lead to one place, and compares; a third of the kernels as code that relies on
/// buffers that do not overlap, too, and with such. Says whether a kernel would gain by that.
///
/// # Errors
/// The first difference.
pub fn check_overlap(seed: u64) -> Result<bool, Box<Difference>> {
    let mut random = Random::new(seed ^ 0xc1c1);
    let disjoint = random.chance(33);
    let local = [1 + random.below(70), 1 + random.below(3), 1 + random.below(12) / 11];
    let groups = [1 + random.below(3), 1 + random.below(2), 1];
    let global = sizes(&mut random, local, groups);
    let kernel = oxicl_generator::kernel_overlap(seed, disjoint);
    let mut case = Case::of(&mut random, (global, local));
    case.overlap = Some(kernel.distance(&mut random, global.iter().product(), disjoint));
    case.output.fill_with(|| random.bits() as u8);
    let with = |options| CompileOptions { disjoint, ..options };
    let some = CompileOptions { switches: some_decisions(seed), ..Default::default() };
    let ways = [
        (CompileOptions::default(), Tier::Full),
        (with(lanes(*random.pick(&[0, 4, 8, 16]))), Tier::Full),
        (with(lanes(*random.pick(&[4, 8, 16]))), Tier::Cheap),
        (with(some), Tier::Full),
    ];
    Ok(hold_ways(seed, &kernel.source, &case, &ways)?.gains)
}

/// The source of a kernel that asks for something.
fn with_attribute(source: &str, attribute: &str) -> String {
    source.replacen("kernel void k(", &format!("__attribute__(({attribute})) kernel void k("), 1)
}

/// Executes a kernel as this library's own front end has it, with some options at each of some tiers, and compares. Says how it ran in
/// any of these ways.
fn hold_ways(seed: u64, source: &str, case: &Case, ways: &[(CompileOptions, Tier)]) -> Result<Told, Box<Difference>> {
    let difference = |what: String| Box::new(Difference { seed, what, source: source.to_owned() });
    let module = own_module(source).map_err(&difference)?;
    let expected = reference(&module, case).map_err(&difference)?;
    let mut all = Told::default();
    for (options, tier) in ways {
        let (lanes, apart, left_out) = (options.lanes, options.disjoint, &options.switches.disabled);
        let name = format!("{lanes} lanes, {tier:?}, disjoint: {apart}, without {left_out:?}");
        let found = compiled::run_and_tell(&module, case, options.clone(), *tier);
        let (got, told) = found.map_err(|what| difference(format!("{name}: {what}")))?;
        hold(&name, case, &expected, &got).map_err(&difference)?;
        all.gains |= told.gains;
        all.packed |= told.packed;
        all.tile |= told.tile;
        all.agreed |= told.agreed;
    }
    Ok(all)
}

/// Executes a kernel in one way, and compares with what the reference has.
fn compare(
    name: &str,
    module: &ValidModule,
    case: &Case,
    expected: &[u8],
    options: CompileOptions,
    tier: Tier,
) -> Result<(), String> {
    let got = compiled::run(module, case, options, tier).map_err(|what| format!("{name}: {what}"))?;
    hold(name, case, expected, &got)
}

/// Compares what one way gave with what the reference has.
fn hold(name: &str, case: &Case, expected: &[u8], got: &[u8]) -> Result<(), String> {
    let Some(word) = expected.chunks(4).zip(got.chunks(4)).position(|(a, b)| a != b) else { return Ok(()) };
    let (item, place) = (word / WORDS_PER_ITEM, word % WORDS_PER_ITEM);
    let at = |bytes: &[u8]| bytes[word * 4..].iter().take(4).rev().fold(0u32, |w, b| (w << 8) | u32::from(*b));
    Err(format!(
        "{name}: {:?}: work-item {item}, word {place}: {:#x}, the reference has {:#x}",
        case.range,
        at(got),
        at(expected)
    ))
}

fn module(source: &str, level: Level) -> Result<Arc<ValidModule>, String> {
    decoded(&oxicl_offline::compile(source, level)?)
}

fn decoded(bytes: &[u8]) -> Result<Arc<ValidModule>, String> {
    validated(oxicl_spirv::words_from_bytes(bytes).map_err(|error| error.to_string())?)
}

/// What this library's own front end makes of a source.
fn own_module(source: &str) -> Result<Arc<ValidModule>, String> {
    let request = SourceRequest {
        text: source.as_bytes().to_vec(),
        options: SourceOptions { standard: Some(Standard::C30), ..SourceOptions::default() },
        folder: "/".into(),
        whole: true,
        ..SourceRequest::default()
    };
    validated(compiler::module(&request)?)
}

fn validated(words: Vec<u32>) -> Result<Arc<ValidModule>, String> {
    let module = oxicl_spirv::decode(&words).map_err(|error| error.to_string())?;
    oxicl_validate::validate(module, DeviceCaps::host()).map(Arc::new).map_err(|violations| format!("{violations:?}"))
}

fn reference(valid: &Arc<ValidModule>, case: &Case) -> Result<Vec<u8>, String> {
    let program = Program::new(Arc::clone(valid)).map_err(|fault| fault.to_string())?;
    let kernel = program.kernel("k").map_err(|fault| fault.to_string())?;
    let mut memory = FlatMemory::default();
    let out = memory.add(case.output.clone());
    let input = case.overlap.map_or_else(|| memory.add(case.input.clone()), |distance| out + distance);
    let arguments = argument_block(valid, out, input, case.n, kernel.local_bytes().next_multiple_of(128))?;
    let launch = Launch {
        arguments: &arguments,
        dynamic_local: case.scratch + 128,
        program_block: 0,
        steps: 50_000_000,
        print_limit: 0,
        sub_group_size: oxicl_caps::DeviceCaps::host().limits.sub_group_size,
    };
    program.run(&kernel, &case.range, &launch, &mut memory).map_err(|fault| format!("reference: {fault}"))?;
    Ok(memory.object(out).unwrap_or_default().to_vec())
}

/// The argument block of the kernel `k`.
pub(crate) fn argument_block(
    valid: &ValidModule,
    out: u64,
    input: u64,
    n: u32,
    scratch: u64,
) -> Result<Vec<u8>, String> {
    let signature = valid.facts().kernels.first().ok_or("no kernel")?;
    let mut block = vec![0; signature.argument_bytes as usize];
    let values = [out.to_le_bytes(), input.to_le_bytes(), u64::from(n).to_le_bytes(), scratch.to_le_bytes()];
    for (argument, value) in signature.arguments.iter().zip(values) {
        let (start, size) = (argument.offset as usize, argument.size.min(8) as usize);
        block[start..start + size].copy_from_slice(&value[..size]);
    }
    Ok(block)
}
