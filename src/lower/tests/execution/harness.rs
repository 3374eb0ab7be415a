//! Kernels made of one expression each, executed over samples and compared with the host.

use crate::reference::Reference;
use oxicl_abi::LaunchRecord;
use oxicl_compiler::flow::{Observer, compile};
use oxicl_offline::Level;
use oxicl_protocol::{CompileOptions, CompileRequest, Progress, Tier};
use oxicl_schedule::Order;
use oxicl_target::Target;

/// A type that OpenCL C and the host both have.
pub trait Cell: Copy + std::fmt::Debug {
    /// Name in OpenCL C.
    const NAME: &'static str;
    /// Bytes in memory.
    const SIZE: usize;
    /// A value for the n-th sample.
    fn sample(random: &mut Random) -> Self;
    /// Appends the value to a buffer.
    fn put(self, buffer: &mut Vec<u8>);
    /// Reads a value.
    fn get(bytes: &[u8]) -> Self;
    /// Whether the two are the same number: any NaN is any other, and floats may differ by `ulps`.
    fn close(self, other: Self, ulps: f64) -> bool;
}

/// A reproducible source of numbers (xorshift).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

macro_rules! integer {
    ($($t:ident $name:literal),*) => {$(
        impl Cell for $t {
            const NAME: &'static str = $name;
            const SIZE: usize = size_of::<$t>();
            fn sample(random: &mut Random) -> Self {
                let special = [0, 1, 2, 7, $t::MAX, $t::MIN, $t::MAX - 1, $t::MIN + 1, !0, $t::MAX / 2 + 1];
                let choice = random.next() % 16;
                let bits = random.next() >> (random.next() % 64);
                let sign = if random.next() % 2 == 0 { 0 } else { !0 };
                special.get(choice as usize).copied().unwrap_or(bits as $t ^ sign)
            }
            fn put(self, buffer: &mut Vec<u8>) {
                buffer.extend(self.to_le_bytes());
            }
            fn get(bytes: &[u8]) -> Self {
                $t::from_le_bytes(bytes[..Self::SIZE].try_into().expect("as many bytes"))
            }
            fn close(self, other: Self, _: f64) -> bool {
                self == other
            }
        }
    )*};
}
integer!(i8 "char", u8 "uchar", i16 "short", u16 "ushort", i32 "int", u32 "uint", i64 "long", u64 "ulong");

macro_rules! float {
    ($t:ident $name:literal $bits:ident $digits:literal $least:literal) => {
        impl Cell for $t {
            const NAME: &'static str = $name;
            const SIZE: usize = size_of::<$t>();
            fn sample(random: &mut Random) -> Self {
                let special = [
                    0.0,
                    -0.0,
                    1.0,
                    -1.0,
                    0.5,
                    -0.5,
                    1.5,
                    2.5,
                    -2.5,
                    $t::MAX,
                    $t::MIN,
                    $t::MIN_POSITIVE,
                    $t::from_bits(1),
                    $t::INFINITY,
                    $t::NEG_INFINITY,
                    $t::NAN,
                    2147483648.0,
                    -2147483648.0,
                    4294967296.0,
                    255.5,
                ];
                match random.next() % 3 {
                    0 => special[random.next() as usize % special.len()],
                    1 => $t::from_bits(random.next() as $bits),
                    _ => ((random.next() as i64) >> (random.next() % 63)) as $t / 64.0,
                }
            }
            fn put(self, buffer: &mut Vec<u8>) {
                buffer.extend(self.to_le_bytes());
            }
            fn get(bytes: &[u8]) -> Self {
                $t::from_le_bytes(bytes[..Self::SIZE].try_into().expect("as many bytes"))
            }
            #[allow(clippy::float_cmp, reason = "the point is whether the bits agree")]
            fn close(self, other: Self, ulps: f64) -> bool {
                if self.is_nan() || other.is_nan() || self == other {
                    let signs = self != 0.0 || ulps > 0.0 || self.is_sign_negative() == other.is_sign_negative();
                    return self.is_nan() == other.is_nan() && (self.is_nan() || signs);
                }
                let exponent = other.abs().max($t::MIN_POSITIVE).log2().floor() as i32;
                let unit = 2f64.powi(exponent - $digits).max($least);
                (f64::from(self) - f64::from(other)).abs() <= ulps * unit
            }
        }
    };
}
float!(f32 "float" u32 23 1.4e-45);
float!(f64 "double" u64 52 5e-324);

macro_rules! vector {
    ($($t:ident $n:literal $name:literal),*) => {$(
        impl Cell for [$t; $n] {
            const NAME: &'static str = $name;
            const SIZE: usize = size_of::<$t>() * ($n as usize).next_power_of_two();
            fn sample(random: &mut Random) -> Self {
                std::array::from_fn(|_| $t::sample(random))
            }
            fn put(self, buffer: &mut Vec<u8>) {
                let end = buffer.len() + Self::SIZE;
                self.into_iter().for_each(|x| x.put(buffer));
                buffer.resize(end, 0xcd);
            }
            fn get(bytes: &[u8]) -> Self {
                std::array::from_fn(|i| $t::get(&bytes[i * size_of::<$t>()..]))
            }
            fn close(self, other: Self, ulps: f64) -> bool {
                self.iter().zip(other).all(|(x, y)| x.close(y, ulps))
            }
        }
    )*};
}
vector!(
    i8 4 "char4", u8 4 "uchar4", u8 8 "uchar8", i16 4 "short4", i32 2 "int2", i32 3 "int3", i32 4 "int4",
    i32 8 "int8", u32 2 "uint2", u32 3 "uint3", u32 4 "uint4", u32 8 "uint8", u32 16 "uint16", i64 2 "long2", i64 4 "long4", u64 2 "ulong2",
    f32 2 "float2", f32 3 "float3", f32 4 "float4", f32 8 "float8", f32 16 "float16", f64 2 "double2", f64 3 "double3",
    f64 4 "double4"
);

/// Executes the kernel of a name on buffers and gives the last one's content.
type Execute<'a> = dyn Fn(&str, &[&[u8]], usize) -> Vec<u8> + 'a;

/// Executes a row's kernel and compares.
type Check = dyn Fn(&Execute<'_>) -> Result<(), String>;

/// A kernel and what is expected of it.
pub struct Row {
    name: String,
    source: String,
    check: Box<Check>,
}

/// Work-items of every kernel.
pub const SAMPLES: usize = 3000;

/// `expression` of `a`, `b` and `c` against a function on the host, to `ulps`. `prelude` are statements before it.
pub fn row<A: Cell, B: Cell, C: Cell, R: Cell>(
    name: &str,
    prelude: &str,
    expression: &str,
    ulps: f64,
    host: impl Fn(A, B, C) -> R + 'static,
) -> Row {
    // Rows are named after what they test, which OpenCL C may have a meaning for.
    let name = &format!("t_{name}");
    let (a, b, c, r) = (A::NAME, B::NAME, C::NAME, R::NAME);
    let source = format!(
        "kernel void {name}(global const {a} *pa, global const {b} *pb, global const {c} *pc, global {r} *out) {{
           size_t i = get_global_id(0); {a} a = pa[i]; {b} b = pb[i]; {c} c = pc[i]; {prelude} out[i] = {expression}; }}\n"
    );
    let label = format!("{expression} on {a}, {b}, {c}");
    let kernel = name.to_owned();
    let check = move |execute: &Execute<'_>| {
        let mut random = Random::new(kernel.len() as u64 + 11);
        let inputs: Vec<(A, B, C)> =
            (0..SAMPLES).map(|_| (A::sample(&mut random), B::sample(&mut random), C::sample(&mut random))).collect();
        let mut buffers = [Vec::new(), Vec::new(), Vec::new()];
        for (a, b, c) in &inputs {
            a.put(&mut buffers[0]);
            b.put(&mut buffers[1]);
            c.put(&mut buffers[2]);
        }
        let [x, y, z] = &buffers;
        let output = execute(&kernel, &[x, y, z], R::SIZE * SAMPLES);
        for ((a, b, c), bytes) in inputs.into_iter().zip(output.chunks(R::SIZE)) {
            let (got, want) = (R::get(bytes), host(a, b, c));
            if !got.close(want, ulps) {
                return Err(format!("{label}: a = {a:?}, b = {b:?}, c = {c:?} gives {got:?}, not {want:?}"));
            }
        }
        Ok(())
    };
    Row { name: name.to_owned(), source, check: Box::new(check) }
}

/// Watches nothing.
pub struct Silent;

impl Observer for Silent {
    fn begin(&mut self, _: Progress) {}
}

/// Compiles the rows as one module at both levels, and checks each, on both devices.
pub fn check(prelude: &str, rows: Vec<Row>) {
    let mut failures = Vec::new();
    for (level, tier) in [(Level::Plain, Tier::Full), (Level::Optimised, Tier::Cheap)] {
        let source: String = std::iter::once(prelude).chain(rows.iter().map(|r| r.source.as_str())).collect();
        let bytes = oxicl_offline::compile(&source, level).expect("clang compiles the kernels");
        let (image, loaded) = build(&bytes, tier);
        let reference = Reference::new(&bytes);
        for row in &rows {
            let execute = |name: &str, inputs: &[&[u8]], size: usize| run(&image, &loaded, name, inputs, size);
            failures.extend((row.check)(&execute).err().map(|e| format!("{level:?}: {}: {e}", row.name)));
            let execute = |name: &str, inputs: &[&[u8]], size: usize| reference.run(name, inputs, size);
            failures.extend((row.check)(&execute).err().map(|e| format!("reference, {level:?}: {}: {e}", row.name)));
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// Compiles a module for this machine and loads it.
pub fn build(bytes: &[u8], tier: Tier) -> (oxicl_abi::Image, oxicl_load::LoadedImage) {
    let target = Target::host();
    let request = CompileRequest {
        spirv: oxicl_spirv::words_from_bytes(bytes).expect("whole words"),
        kernels: Vec::new(),
        options: CompileOptions::default(),
        target,
        tier,
    };
    let image = compile(&request, &mut Silent).unwrap_or_else(|failure| panic!("{failure}"));
    let loaded = oxicl_load::load(&image).expect("the image loads");
    (image, loaded)
}

/// Runs a kernel of a module on buffers, on both devices, and gives the output's content, which must be the same, where
/// it is made of `T`.
pub fn execute_module<T: Cell>(bytes: &[u8], name: &str, inputs: &[&[u8]], size: usize) -> Vec<u8> {
    let (image, loaded) = build(bytes, Tier::Full);
    let output = run(&image, &loaded, name, inputs, size);
    let expected = Reference::new(bytes).run(name, inputs, size);
    for (at, (got, want)) in output.chunks(T::SIZE).zip(expected.chunks(T::SIZE)).enumerate() {
        let (got, want) = (T::get(got), T::get(want));
        assert!(got.close(want, 0.0), "{name}: {at} is {got:?}, the reference device has {want:?}");
    }
    output
}

/// Runs a kernel whose arguments are buffers, the last of them for output, over the samples.
pub fn run(
    image: &oxicl_abi::Image,
    loaded: &oxicl_load::LoadedImage,
    name: &str,
    inputs: &[&[u8]],
    size: usize,
) -> Vec<u8> {
    let facts = image.kernels.iter().find(|k| k.name == name).expect("the kernel is in the image");
    let entry = loaded.entry(facts.entry).expect("the entry is in the image");
    let mut output = vec![0xab_u8; size + 64];
    let mut addresses: Vec<u64> = inputs.iter().map(|b| b.as_ptr() as u64).collect();
    addresses.push(output.as_mut_ptr() as u64);
    let local = [50, 1, 1];
    let groups = SAMPLES as u64 / local[0];
    let mut block = vec![[0u64; 16]; 4];
    block[0][..addresses.len()].copy_from_slice(&addresses);
    let record = LaunchRecord {
        work_dim: 1,
        global_offset: [0; 3],
        global_size: [SAMPLES as u64, 1, 1],
        local_size: local,
        num_groups: [groups, 1, 1],
        arguments: block.as_ptr() as u64,
        program_block: 0,
        services: 0,
        state_offset: facts.local_area(0).expect("little local memory"),
        streams: 0,
    };
    let context_bytes = facts.context_bytes(local, 0).expect("little context") as usize;
    let mut context = vec![0u8; context_bytes + 128];
    let skip = context.as_ptr().align_offset(128);
    Order::new(facts.style, 0).each(&record, 0, groups, |group| {
        // SAFETY: arguments, context and buffers are as large as the kernel's facts and the samples ask, and outlive the call.
        unsafe { entry(&record, context[skip..].as_mut_ptr(), group) };
    });
    assert!(output[size..].iter().all(|b| *b == 0xab), "{name} writes beyond its buffer");
    output.truncate(size);
    output
}
