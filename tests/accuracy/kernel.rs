//! Kernels of one expression each: compiled as a build would, and run over arrays.
#![allow(unsafe_code, reason = "generated code is called through its entry address")]

use std::sync::Arc;

use oxicl_abi::{KernelFacts, LaunchRecord};
use oxicl_compiler::flow::{Observer, compile};
use oxicl_interpret::{FlatMemory, Launch, NdRange, Program};
use oxicl_load::LoadedImage;
use oxicl_offline::Level;
use oxicl_protocol::{CompileOptions, CompileRequest, Progress, Tier};
use oxicl_schedule::Order;
use oxicl_target::Target;

use crate::format::Format;
use crate::table::{Function, Second};

struct Silent;

impl Observer for Silent {
    fn begin(&mut self, _: Progress) {}
}

/// Work-items of a work-group. Counts are multiples of it.
pub const GROUP: usize = 1024;

/// Functions with a second result, as functions of one result each.
const PRELUDE: &str = "
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define BOTH(T) \\
  T __attribute__((overloadable)) sine_of(T x) { T c; return sincos(x, &c); } \\
  T __attribute__((overloadable)) cosine_of(T x) { T c; sincos(x, &c); return c; } \\
  T __attribute__((overloadable)) lgamma_of(T x) { int s; return lgamma_r(x, &s); } \\
  int __attribute__((overloadable)) lgamma_sign_of(T x) { int s; lgamma_r(x, &s); return s; } \\
  T __attribute__((overloadable)) fract_of(T x) { T w; return fract(x, &w); } \\
  T __attribute__((overloadable)) fract_whole_of(T x) { T w; fract(x, &w); return w; } \\
  T __attribute__((overloadable)) modf_of(T x) { T w; return modf(x, &w); } \\
  T __attribute__((overloadable)) modf_whole_of(T x) { T w; modf(x, &w); return w; } \\
  T __attribute__((overloadable)) frexp_of(T x) { int e; return frexp(x, &e); } \\
  int __attribute__((overloadable)) frexp_exponent_of(T x) { int e; frexp(x, &e); return e; } \\
  T __attribute__((overloadable)) remquo_of(T x, T y) { int q; return remquo(x, y, &q); } \\
  int __attribute__((overloadable)) remquo_quotient_of(T x, T y) { int q; remquo(x, y, &q); return q; }
BOTH(half) BOTH(float) BOTH(double)
";

fn source(number: usize, function: &Function, format: Format) -> String {
    let ty = format.name();
    let mut parameters = String::new();
    let mut loads = String::new();
    for operand in 0..function.arity {
        let name = char::from(b'a' + operand as u8);
        let integer = operand == 1 && function.second == Second::Integer;
        let ty = if integer { "int" } else { ty };
        parameters += &format!("global const {ty} *p{name}, ");
        loads += &format!("{ty} {name} = p{name}[i]; ");
    }
    let result = if function.integer { "int" } else { ty };
    let mut expression = function.expression.clone();
    for n in 2..=4 {
        expression = expression.replace(&format!("(T{n})"), &format!("({ty}{n})"));
    }
    format!(
        "kernel void k{number}({parameters}global {result} *r) {{ size_t i = get_global_id(0); {loads}r[i] = {expression}; }}\n"
    )
}

/// A machine to compile for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// This one.
    Host,
    /// The oldest that is supported: no fused operation.
    Oldest,
}

/// Functions that can be run.
pub struct Kernels(Code);

enum Code {
    Compiled(LoadedImage, Vec<KernelFacts>),
    /// On the reference device.
    Interpreted(Program),
}

/// The kernels' source as a module.
fn module(functions: &[(&Function, Format)]) -> Result<Vec<u32>, String> {
    let mut text = PRELUDE.to_owned();
    for (number, (function, format)) in functions.iter().enumerate() {
        text += &source(number, function, *format);
    }
    let bytes = oxicl_offline::compile(&text, Level::Plain)?;
    oxicl_spirv::words_from_bytes(&bytes).map_err(|error| format!("{error:?}"))
}

impl Kernels {
    /// Functions for the reference device.
    ///
    /// # Errors
    /// What clang or the validator has to say.
    pub fn interpret(functions: &[(&Function, Format)]) -> Result<Kernels, String> {
        let module = oxicl_spirv::decode(&module(functions)?).map_err(|error| error.to_string())?;
        let valid = oxicl_validate::validate(module, oxicl_caps::DeviceCaps::host())
            .map_err(|violations| format!("{violations:?}"))?;
        Ok(Kernels(Code::Interpreted(Program::new(Arc::new(valid)).map_err(|fault| fault.to_string())?)))
    }

    /// Compiles functions for formats; kernel n is the n-th of them.
    ///
    /// # Errors
    /// What clang or the compiler has to say.
    pub fn compile(functions: &[(&Function, Format)], machine: Machine) -> Result<Kernels, String> {
        let target = match machine {
            Machine::Host => Target::host(),
            Machine::Oldest => Target::with_features(oxicl_llvm::host_triple(), Vec::new()),
        };
        let relaxed = functions.iter().any(|(function, _)| function.relaxed);
        let request = CompileRequest {
            spirv: module(functions)?,
            kernels: Vec::new(),
            options: CompileOptions { unsafe_math: relaxed, ..CompileOptions::default() },
            target,
            tier: Tier::Full,
        };
        let image = compile(&request, &mut Silent).map_err(|failure| failure.to_string())?;
        let loaded = oxicl_load::load(&image).map_err(|error| error.to_string())?;
        let find = |number: usize| {
            let name = format!("k{number}");
            image.kernels.iter().find(|k| k.name == name).cloned().ok_or(format!("{name} is not in the image"))
        };
        let facts = (0..functions.len()).map(find).collect::<Result<Vec<_>, _>>()?;
        Ok(Kernels(Code::Compiled(loaded, facts)))
    }

    /// Runs kernel `number` of one float operand; counts are multiples of [`GROUP`].
    ///
    /// # Errors
    /// As [`Kernels::run`].
    pub fn run_floats(&self, number: usize, inputs: &[f32], output: &mut [f32]) -> Result<(), String> {
        let count = inputs.len();
        // SAFETY: floats are bytes, and any bytes are floats.
        let (inputs, output) = unsafe {
            let bytes = std::slice::from_raw_parts(inputs.as_ptr().cast(), 4 * count);
            (bytes, std::slice::from_raw_parts_mut(output.as_mut_ptr().cast(), 4 * output.len()))
        };
        self.run(number, &[inputs], output, count)
    }

    /// Runs kernel `number` of the bits of one half and another operand; counts are multiples of [`GROUP`].
    ///
    /// # Errors
    /// As [`Kernels::run`].
    pub fn run_halves(&self, number: usize, first: &[u16], second: &[u8], output: &mut [u8]) -> Result<(), String> {
        let count = first.len();
        // SAFETY: whole numbers are bytes.
        let first = unsafe { std::slice::from_raw_parts(first.as_ptr().cast(), 2 * count) };
        self.run(number, &[first, second], output, count)
    }

    /// Runs kernel `number` over `count` work-items.
    ///
    /// # Errors
    /// If the kernel is not in the image, or asks for memory beyond what fits.
    pub fn run(&self, number: usize, inputs: &[&[u8]], output: &mut [u8], count: usize) -> Result<(), String> {
        assert!(count.is_multiple_of(GROUP), "whole work-groups");
        let (loaded, facts) = match &self.0 {
            Code::Compiled(loaded, facts) => (loaded, facts),
            Code::Interpreted(program) => return interpret(program, number, inputs, output, count),
        };
        let facts = facts.get(number).ok_or("no such kernel")?;
        let entry = loaded.entry(facts.entry).ok_or("the entry lies outside the image")?;
        let mut block = [[0u64; 16]; 2];
        let addresses = inputs.iter().map(|b| b.as_ptr() as u64).chain([output.as_mut_ptr() as u64]);
        block.as_flattened_mut().iter_mut().zip(addresses).for_each(|(slot, address)| *slot = address);
        let local = [GROUP as u64, 1, 1];
        let groups = (count / GROUP) as u64;
        let record = LaunchRecord {
            work_dim: 1,
            global_offset: [0; 3],
            global_size: [count as u64, 1, 1],
            local_size: local,
            num_groups: [groups, 1, 1],
            arguments: block.as_ptr() as u64,
            program_block: 0,
            services: 0,
            state_offset: facts.local_area(0).ok_or("too much local memory")?,
            streams: 0,
        };
        let size = facts.context_bytes(local, 0).ok_or("too much context")?;
        let mut context = vec![0u8; size as usize + 128];
        let skip = context.as_ptr().align_offset(128);
        Order::new(facts.style, 0).each(&record, 0, groups, |group| {
            // SAFETY: the record, argument block and context are sized as the kernel's facts ask, the buffers hold `count`
            // numbers each, and the image stays loaded.
            unsafe { entry(&record, context[skip..].as_mut_ptr(), group) };
        });
        Ok(())
    }
}

/// Runs kernel `number` on the reference device.
fn interpret(
    program: &Program,
    number: usize,
    inputs: &[&[u8]],
    output: &mut [u8],
    count: usize,
) -> Result<(), String> {
    let kernel = program.kernel(&format!("k{number}")).map_err(|fault| fault.to_string())?;
    let mut memory = FlatMemory::default();
    let mut block: Vec<u8> = inputs.iter().flat_map(|input| memory.add(input.to_vec()).to_le_bytes()).collect();
    let result = memory.add(output.to_vec());
    block.extend(result.to_le_bytes());
    let range = NdRange {
        work_dim: 1,
        global_offset: [0; 3],
        global_size: [count as u64, 1, 1],
        local_size: [GROUP as u64, 1, 1],
    };
    let launch = Launch {
        arguments: &block,
        dynamic_local: 0,
        program_block: 0,
        steps: u64::MAX,
        print_limit: 0,
        sub_group_size: 1,
    };
    program.run(&kernel, &range, &launch, &mut memory).map_err(|fault| fault.to_string())?;
    output.copy_from_slice(memory.object(result).ok_or("the output is gone")?);
    Ok(())
}
