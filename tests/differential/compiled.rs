//! Compiles, loads, and calls the entry function as a worker would: first on a stack that is looked at.
#![allow(unsafe_code, reason = "generated code is called through its entry address")]

use oxicl_abi::{Entry, KernelFacts, LaunchRecord, Services};
use oxicl_load::LoadedImage;
use oxicl_protocol::{CompileOptions, CompileRequest, Tier};
use oxicl_schedule::{Launch, Order, WorkerSlot, fibers};
use oxicl_target::Target;
use oxicl_validate::ValidModule;

use crate::{Case, argument_block, compiler};

/// What kernels may ask for: nobody prints here.
static SERVICES: Services = fibers::services(print_nothing);

unsafe extern "C" fn print_nothing(_: *const u8, _: *const u32, _: *const u64) -> i32 {
    -1
}

/// Content of the output buffer after the kernel ran.
pub(crate) fn run(valid: &ValidModule, case: &Case, options: CompileOptions, tier: Tier) -> Result<Vec<u8>, String> {
    run_and_tell(valid, case, options, tier).map(|(output, _)| output)
}

/// How a kernel ran.
#[derive(Default)]
pub(crate) struct Told {
    /// Several work-groups ran as one that the kernel knows apart.
    pub(crate) packed: bool,
    /// Rows whose lanes leave a loop apart go through it together.
    pub(crate) tile: bool,
    /// Gangs whose work-items agree on guards have a body of their own.
    pub(crate) agreed: bool,
    /// It would gain if its buffers did not overlap.
    pub(crate) gains: bool,
}

/// The same, and how it ran.
pub(crate) fn run_and_tell(
    valid: &ValidModule,
    case: &Case,
    options: CompileOptions,
    tier: Tier,
) -> Result<(Vec<u8>, Told), String> {
    let code = Code::new(valid, options, tier)?;
    let (output, packed) = execute(valid, case, &[&code])?;
    let says = |what: &str| code.facts.remarks.iter().any(|remark| remark.contains(what));
    let (tile, agreed) = (says("lanes leave a loop apart"), says("agree on guards"));
    Ok((output, Told { packed, tile, agreed, gains: code.facts.disjoint }))
}

/// Content of the output buffer after two tiers ran the kernel in turns, a few work-groups each, numbered as the first has them.
pub(crate) fn run_in_turns(
    valid: &ValidModule,
    case: &Case,
    options: &CompileOptions,
    tiers: [Tier; 2],
) -> Result<Vec<u8>, String> {
    let [first, second] = tiers.map(|tier| Code::new(valid, options.clone(), tier));
    let (first, second) = (first?, second?);
    if !first.facts.keeps(&second.facts) {
        return Err(format!("{:?} is not what {:?} has", first.facts, second.facts));
    }
    execute(valid, case, &[&first, &second]).map(|(output, _)| output)
}

/// A kernel compiled and loaded.
struct Code {
    facts: KernelFacts,
    entry: Entry,
    _loaded: LoadedImage,
}

impl Code {
    fn new(valid: &ValidModule, options: CompileOptions, tier: Tier) -> Result<Code, String> {
        let (spirv, target) = (valid.module().words.clone(), Target::host());
        let request = CompileRequest { spirv, kernels: Vec::new(), options, target, tier };
        let image = compiler::image(&request)?;
        if image.tier != tier {
            return Err(format!("asked for tier {tier:?}, the compiler made {:?}", image.tier));
        }
        let facts = image.kernels.iter().find(|facts| facts.name == "k").ok_or("no kernel k in the image")?.clone();
        let loaded = oxicl_load::load(&image).map_err(|error| error.to_string())?;
        let entry = loaded.entry(facts.entry).ok_or("the entry lies outside the image")?;
        Ok(Code { facts, entry, _loaded: loaded })
    }
}

/// Content of the output buffer after each code has run the kernel on a stack that is looked at, and then, with the output as it was,
/// all in turns. Says, too, whether several work-groups ran as one that the kernel knows apart.
fn execute(valid: &ValidModule, case: &Case, codes: &[&Code]) -> Result<(Vec<u8>, bool), String> {
    let mut output = case.output.clone();
    let input = case.input.clone();
    let local_bytes = codes[0].facts.local_bytes;
    let scratch = local_bytes.next_multiple_of(128);
    let dynamic = scratch + case.scratch - local_bytes;
    let address = |bytes: &[u8]| bytes.as_ptr() as u64;
    let out = output.as_mut_ptr() as u64;
    let second = case.overlap.map_or(address(&input), |distance| out + distance);
    let arguments = Aligned::new(&argument_block(valid, out, second, case.n, scratch)?);
    let range = &case.range;
    let record = LaunchRecord {
        work_dim: u64::from(range.work_dim),
        global_offset: range.global_offset,
        global_size: range.global_size,
        local_size: range.local_size,
        num_groups: range.num_groups(),
        arguments: arguments.address(),
        program_block: 0,
        services: &raw const SERVICES as u64,
        state_offset: codes[0].facts.local_area(dynamic).ok_or("too much local memory")?,
        // Addresses of cache lines are written by streaming stores, others by ordinary ones.
        streams: u64::MAX,
    };
    let groups = range.num_groups().iter().product::<u64>();
    let numbering = Order::new(codes[0].facts.style, 0);
    let mut largest = 0;
    for Code { facts, entry, .. } in codes.iter().copied() {
        let size = facts.context_bytes(range.local_size, dynamic).ok_or("too much context")?;
        largest = size.max(largest);
        let order = Order::new(facts.style, 0).numbered_as(numbering);
        // SAFETY: the record, argument block and sizes are as the kernel's facts ask, and what they point to outlives the launch.
        let launch = unsafe { Launch::new((*entry, order), record.clone(), size, facts.stack_bytes, ()) };
        let launch = launch.ok_or("too many groups")?.watched(facts.prints || facts.style.fiber > 0);
        output.copy_from_slice(&case.output);
        launch.run(0..groups, &mut WorkerSlot::default()).map_err(|_| "it took more stack than it is said to")?;
    }
    output.copy_from_slice(&case.output);
    // Content is arbitrary by contract; a pattern shows who relies on zeros.
    let mut context = Aligned::new(&vec![0xA5; largest as usize]);
    let mut packed = false;
    // As ranges of a launch.
    let (mut start, range_groups) = (0, groups.div_ceil(2 * codes.len() as u64).max(1));
    for Code { facts, entry, .. } in codes.iter().copied().cycle() {
        let count = range_groups.min(groups - start);
        let order = Order::new(facts.style, 0).numbered_as(numbering);
        order.each(&record, start, count, |group| {
            packed |= !facts.style.merge && group.size[0] > range.local_size[0];
            // SAFETY: the record, argument block and context are laid out and sized as the kernel's facts ask, the buffers
            // outlive the call, and the image stays loaded.
            unsafe { entry(&record, context.pointer(), group) };
        });
        start += count;
        if start == groups {
            break;
        }
    }
    drop(input);
    Ok((output, packed))
}

/// Bytes at an address that is a multiple of 128.
struct Aligned {
    bytes: Vec<u8>,
    start: usize,
}

impl Aligned {
    fn new(content: &[u8]) -> Self {
        let mut bytes = vec![0; content.len() + 128];
        let start = bytes.as_ptr().align_offset(128);
        bytes[start..start + content.len()].copy_from_slice(content);
        Aligned { bytes, start }
    }

    fn pointer(&mut self) -> *mut u8 {
        self.bytes[self.start..].as_mut_ptr()
    }

    fn address(&self) -> u64 {
        self.bytes[self.start..].as_ptr() as u64
    }
}
