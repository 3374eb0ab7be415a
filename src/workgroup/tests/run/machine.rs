//! Makes machine code of textual IR and runs it as the scheduler would.

use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use oxicl_abi::{Argument, ArgumentKind, Entry, KernelFacts, KernelSignature, LaunchRecord, Services};
use oxicl_llvm::{CodegenLevel, Context, MachineOptions, Module, TargetMachine};
use oxicl_protocol::{CompileOptions, Decision, Tier};
use oxicl_schedule::{Order, fibers};
use oxicl_target::{Limits, Target, Vectors};
use oxicl_workgroup::Kernel;

/// How much is optimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nothing before, the least behind.
    Bare,
    Cheap,
    Full,
}

/// A library of compiled kernels.
pub struct Library {
    library: libloading::Library,
    path: PathBuf,
    pub facts: Vec<KernelFacts>,
}

impl Drop for Library {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

pub fn argument(kind: ArgumentKind, size: u32, offset: u32) -> Argument {
    Argument { kind, size, align: size.min(8), offset }
}

pub fn signature(arguments: Vec<Argument>) -> KernelSignature {
    KernelSignature::new(oxicl_spirv::Id(std::num::NonZeroU32::MIN), "", arguments)
}

pub fn machine() -> TargetMachine {
    let options = MachineOptions {
        triple: target().triple.clone(),
        cpu: String::new(),
        features: target().features.clone(),
        level: CodegenLevel::Default,
    };
    TargetMachine::new(&options).expect("the host's target exists")
}

/// The machine that we run on, as the environment wants it to be taken.
pub fn target() -> &'static Target {
    static TARGET: LazyLock<Target> = LazyLock::new(Target::host);
    &TARGET
}

/// This machine with these registers, where sub-groups have so many work-items if a kernel asks for no size.
fn for_sub_groups(vectors: Vectors, sub_group_size: u32) -> Target {
    let Target { limits, .. } = *target();
    Target { vectors, limits: Limits { sub_group_size, ..limits }, ..target().clone() }
}

/// The work-group functions of a module as textual IR, and what is known of the kernels.
pub fn transform<'c>(
    context: &'c Context,
    text: &str,
    kernels: &[(&str, KernelSignature)],
    mode: Mode,
    (lanes, sub_group_size): (u32, u32),
) -> (Module<'c>, Vec<KernelFacts>) {
    let mut module = Module::parse_text(context, text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let machine = machine();
    machine.prepare(&module);
    let mut options = CompileOptions { lanes, ..CompileOptions::default() };
    let tier = if mode == Mode::Full { Tier::Full } else { Tier::Cheap };
    if mode == Mode::Bare {
        module.run_passes("always-inline", None, oxicl_llvm::PassOptions::default()).expect("a valid pipeline");
        // `for_codegen` writes their code.
        options.switches.disabled.insert(Decision::Streams);
    } else {
        oxicl_prepare::for_workgroup(&mut module, &machine, &options, tier).unwrap_or_else(|e| panic!("{e}"));
    }
    let kernels: Vec<_> = kernels.iter().map(|(name, signature)| Kernel { name, function: name, signature }).collect();
    // How many lanes there are is ours to say, or left open by 0.
    let target = for_sub_groups(if lanes == 1 { Vectors::NONE } else { target().vectors }, sub_group_size);
    let facts =
        oxicl_workgroup::build(&mut module, &kernels, &options, &target).unwrap_or_else(|e| panic!("{e}\n{text}"));
    module.verify().unwrap_or_else(|e| panic!("{e}\n{}", module.to_text()));
    if mode != Mode::Bare {
        oxicl_prepare::for_codegen(&mut module, &machine, &target, &options, tier).unwrap_or_else(|e| panic!("{e}"));
    }
    (module, facts)
}

/// Compiles for gangs of `lanes` work-items, and loads.
pub fn compile(text: &str, kernels: &[(&str, KernelSignature)], mode: Mode, lanes: u32) -> Library {
    compile_for(text, kernels, mode, lanes, 1)
}

/// The same, for a machine whose sub-groups have so many work-items where a kernel asks for no size.
pub fn compile_for(
    text: &str,
    kernels: &[(&str, KernelSignature)],
    mode: Mode,
    lanes: u32,
    sub_group_size: u32,
) -> Library {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let context = Context::new();
    let (mut module, facts) = transform(&context, text, kernels, mode, (lanes, sub_group_size));
    let object = machine().emit_object(&mut module).expect("code").bytes;
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let base = std::env::temp_dir().join(format!("oxicl-workgroup-{}-{number}", std::process::id()));
    let (object_path, path) = (base.with_extension("o"), base.with_extension("so"));
    std::fs::write(&object_path, object).expect("a temporary folder");
    let status =
        Command::new("cc").arg("-shared").arg("-o").arg(&path).arg(&object_path).status().expect("a C compiler");
    assert!(status.success());
    std::fs::remove_file(&object_path).expect("it was written");
    // SAFETY: the library is ours and has no initialisers.
    let library = unsafe { libloading::Library::new(&path) }.expect("it was linked");
    Library { library, path, facts }
}

/// An ND-range.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    pub dimensions: u64,
    pub offset: [u64; 3],
    pub global: [u64; 3],
    pub local: [u64; 3],
}

impl Range {
    pub fn groups(&self) -> [u64; 3] {
        [0, 1, 2].map(|d| self.global[d].div_ceil(self.local[d]))
    }
}

/// 128 bytes with the alignment of context and argument blocks.
#[repr(C, align(128))]
#[derive(Clone, Copy)]
struct Line([u8; 128]);

fn lines(bytes: u64, fill: u8) -> Vec<Line> {
    vec![Line([fill; 128]); bytes.div_ceil(128) as usize + 1]
}

/// What kernels may ask for: nobody prints here.
static SERVICES: Services = fibers::services(print_nothing);

unsafe extern "C" fn print_nothing(_: *const u8, _: *const u32, _: *const u64) -> i32 {
    -1
}

/// Runs a kernel over a range, `chunk` work-groups a call. What lies behind the context block must stay untouched.
pub fn run(library: &Library, kernel: usize, range: Range, arguments: &[u8], dynamic_local: u64, chunk: u64) {
    let facts = &library.facts[kernel];
    let mut block = lines(arguments.len() as u64, 0);
    for (i, byte) in arguments.iter().enumerate() {
        block[i / 128].0[i % 128] = *byte;
    }
    let groups = range.groups();
    let record = LaunchRecord {
        work_dim: range.dimensions,
        global_offset: range.offset,
        global_size: range.global,
        local_size: range.local,
        num_groups: groups,
        arguments: block.as_ptr() as u64,
        program_block: 0,
        services: &raw const SERVICES as u64,
        state_offset: facts.local_area(dynamic_local).expect("small"),
        // Addresses of cache lines are written by streaming stores, others by ordinary ones.
        streams: u64::MAX,
    };
    let bytes = facts.context_bytes(range.local, dynamic_local).expect("small");
    let mut context = lines(bytes, 0xa5);
    let name = format!("oxicl.entry.{kernel}");
    // SAFETY: the symbol is a function of this type, as `build` says.
    let entry = unsafe { library.library.get::<Entry>(name.as_bytes()) }.expect("the entry is there");
    let total = groups.iter().product::<u64>();
    let mut first = 0;
    while first < total {
        let count = chunk.min(total - first);
        Order::new(facts.style, 0).each(&record, first, count, |group| {
            // SAFETY: records, arguments and context are as `Entry` wants them.
            unsafe { entry(&record, context.as_mut_ptr().cast(), group) };
        });
        first += count;
    }
    let end = context.len() - 1;
    assert!(context[end].0.iter().all(|b| *b == 0xa5), "{name} wrote behind its context of {bytes} bytes");
}
