//! Images of every format and kind, sampled in every way, read and written: compiled kernels against the reference device,
//! bit for bit.
#![allow(unsafe_code, reason = "the tests call what they compiled")]

use std::sync::Arc;

use oxicl_abi::{Addressing, ImageDescriptor, LaunchRecord, SamplerBits};
use oxicl_caps::DeviceCaps;
use oxicl_compiler::flow::{Observer, compile};
use oxicl_interpret::{FlatMemory, Launch, NdRange, Program};
use oxicl_offline::Level;
use oxicl_protocol::{CompileOptions, CompileRequest, Progress, Tier};
use oxicl_schedule::Order;
use oxicl_target::Target;
use oxicl_texel::{Encoding, Format, Kind};

/// Work-items of every kernel.
const ITEMS: u64 = 60;
/// Bytes of the largest image.
const TEXELS: usize = 16 * 8 * 6 * 5;
/// What a work-item reads: at a number between texels, at a texel with the sampler, at a texel that is there.
const READS: usize = 3;

/// A kind of image: its name, the components of a coordinate, and its sizes.
struct Shape {
    name: &'static str,
    coordinate: &'static str,
    size: [u32; 4],
    depth: bool,
}

const SHAPES: [Shape; 6] = [
    Shape { name: "image1d", coordinate: "x", size: [7, 1, 1, 1], depth: false },
    Shape { name: "image1d_array", coordinate: "xy", size: [7, 1, 1, 3], depth: false },
    Shape { name: "image2d", coordinate: "xy", size: [7, 5, 1, 1], depth: false },
    Shape { name: "image2d_array", coordinate: "xyzw", size: [7, 5, 1, 3], depth: false },
    Shape { name: "image3d", coordinate: "xyzw", size: [7, 5, 4, 1], depth: false },
    Shape { name: "image2d_depth", coordinate: "xy", size: [7, 5, 1, 1], depth: true },
];

impl Shape {
    /// Sizes along the components of a coordinate.
    fn along(&self) -> [u32; 3] {
        let [width, height, depth, layers] = self.size;
        match self.name {
            "image1d_array" => [width, layers, 1],
            "image2d_array" => [width, height, layers],
            _ => [width, height, depth],
        }
    }
}

/// Kernels that read and write images of each kind, and ask for what they are.
fn source() -> String {
    let mut source = "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n".to_owned();
    for Shape { name, coordinate: c, depth, .. } in SHAPES {
        for (suffix, vector) in [("f", "float4"), ("i", "int4"), ("ui", "uint4")] {
            if depth && suffix != "f" {
                continue;
            }
            let vector = if depth { "float" } else { vector };
            let last = if depth { "o[3 * i + 2] = 0;" } else { "" };
            source += &format!(
                "kernel void read_{name}_{suffix}(read_only {name}_t im, sampler_t s, global const float4 *f, \
                   global const int4 *n, global {vector} *o) {{
                   size_t i = get_global_id(0); {last}
                   o[3 * i] = read_image{suffix}(im, s, f[i].{c}); o[3 * i + 1] = read_image{suffix}(im, s, n[2 * i].{c});
                   o[3 * i + 2] = read_image{suffix}(im, n[2 * i + 1].{c}); }}
                 kernel void write_{name}_{suffix}(write_only {name}_t im, ulong unused, global const {vector} *f, \
                   global const int4 *n, global int *o) {{
                   size_t i = get_global_id(0); o[i] = 7;
                   if (i % 5 != 3) write_image{suffix}(im, n[i].{c}, f[i]); }}\n"
            );
        }
    }
    for (name, addressing, normalized, filter) in [
        ("edge", "CLAMP_TO_EDGE", "FALSE", "NEAREST"),
        ("border", "CLAMP", "FALSE", "LINEAR"),
        ("repeat", "REPEAT", "TRUE", "LINEAR"),
    ] {
        source += &format!(
            "constant sampler_t {name} = CLK_ADDRESS_{addressing} | CLK_NORMALIZED_COORDS_{normalized} | CLK_FILTER_{filter};
             kernel void literal_{name}(read_only image2d_t im, sampler_t s, global const float4 *f, global const int4 *n, \
               global float4 *o) {{
               size_t i = get_global_id(0);
               for (int turn = 0; turn < 3; ++turn)
                 if (turn != (i & 3)) o[3 * i + turn] = read_imagef(im, {name}, f[i].xy + turn * 0.125f); else o[3 * i + turn] = 0; }}\n"
        );
    }
    source
        + "kernel void ask(read_only image3d_t im, sampler_t s, global const float4 *f, global const int4 *n, global int4 *o) {
             size_t i = get_global_id(0); o[3 * i] = (int4)(get_image_dim(im).xyz, 0); o[3 * i + 1] = get_image_width(im) + n[i];
             o[3 * i + 2] = (int4)(get_image_height(im), get_image_depth(im), get_image_channel_data_type(im), 0); }\n"
}

/// A reproducible source of numbers (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 8
    }

    fn below(&mut self, count: u64) -> u64 {
        self.next() % count
    }
}

/// What a kernel gets.
struct Case<'a> {
    kernel: String,
    shape: &'a Shape,
    format: Format,
    sampler: SamplerBits,
    texels: Vec<u8>,
    floats: Vec<u8>,
    ints: Vec<u8>,
    output: usize,
    /// Levels of detail.
    levels: u32,
}

impl Case<'_> {
    /// The descriptors of all levels, each half as large as the one before, one behind the other in memory.
    fn descriptors(&self, mut base: u64) -> Vec<ImageDescriptor> {
        let mut levels = Vec::new();
        for level in 0..self.levels {
            let image = self.descriptor(base, level);
            base += image.slice_pitch * u64::from(image.depth.max(image.layers));
            levels.push(image);
        }
        levels
    }

    fn descriptor(&self, base: u64, level: u32) -> ImageDescriptor {
        let [width, height, depth, layers] = self.shape.size;
        let [width, height, depth] = [width, height, depth].map(|side| (side >> level).max(1));
        let bytes = self.format.bytes() as u64;
        // Rows and slices have gaps between them.
        let row_pitch = (u64::from(width) + 1) * bytes;
        ImageDescriptor {
            base,
            row_pitch,
            slice_pitch: row_pitch * (u64::from(height) + 1),
            width,
            height,
            depth,
            layers,
            order: self.format.order(),
            data_type: self.format.data_type(),
            texel_bytes: bytes as u32,
            levels: self.levels,
        }
    }

    /// Texels and output of the reference device.
    fn interpret(&self, program: &Program) -> (Vec<u8>, Vec<u8>) {
        let kernel = program.kernel(&self.kernel).expect("the kernel is in the module");
        let mut memory = FlatMemory::default();
        let texels = memory.add(self.texels.clone());
        let image = memory.add(self.descriptors(texels).iter().flat_map(ImageDescriptor::to_bytes).collect());
        let (floats, ints) = (memory.add(self.floats.clone()), memory.add(self.ints.clone()));
        let output = memory.add(vec![0; self.output]);
        let block: Vec<u8> =
            [image, self.sampler.bits(), floats, ints, output].into_iter().flat_map(u64::to_le_bytes).collect();
        let range = NdRange { work_dim: 1, global_offset: [0; 3], global_size: [ITEMS, 1, 1], local_size: [30, 1, 1] };
        let launch = Launch {
            arguments: &block,
            dynamic_local: 0,
            program_block: 0,
            steps: 10_000_000,
            print_limit: 0,
            sub_group_size: DeviceCaps::host().limits.sub_group_size,
        };
        program.run(&kernel, &range, &launch, &mut memory).unwrap_or_else(|fault| panic!("{}: {fault}", self.kernel));
        (memory.object(texels).expect("texels").to_vec(), memory.object(output).expect("the output").to_vec())
    }

    /// Texels and output of a compiled kernel.
    fn run(&self, image: &oxicl_abi::Image, loaded: &oxicl_load::LoadedImage) -> (Vec<u8>, Vec<u8>) {
        let facts = image.kernels.iter().find(|k| k.name == self.kernel).expect("the kernel is in the image");
        let entry = loaded.entry(facts.entry).expect("the entry is in the image");
        let (mut texels, mut output) = (self.texels.clone(), vec![0u8; self.output]);
        let descriptors = self.descriptors(texels.as_mut_ptr() as u64);
        let block = [[
            descriptors.as_ptr() as u64,
            self.sampler.bits(),
            self.floats.as_ptr() as u64,
            self.ints.as_ptr() as u64,
            output.as_mut_ptr() as u64,
            0,
            0,
            0,
        ]; 2];
        let local = [30, 1, 1];
        let record = LaunchRecord {
            work_dim: 1,
            global_offset: [0; 3],
            global_size: [ITEMS, 1, 1],
            local_size: local,
            num_groups: [ITEMS / 30, 1, 1],
            arguments: block.as_ptr() as u64,
            program_block: 0,
            services: 0,
            state_offset: facts.local_area(0).expect("little local memory"),
            streams: 0,
        };
        let mut context = vec![0u8; facts.context_bytes(local, 0).expect("little context") as usize + 128];
        let skip = context.as_ptr().align_offset(128);
        Order::new(facts.style, 0).each(&record, 0, ITEMS / 30, |group| {
            // SAFETY: arguments, context, image and buffers are as large as the kernel asks, and outlive the call.
            unsafe { entry(&record, context[skip..].as_mut_ptr(), group) };
        });
        (texels, output)
    }
}

/// Watches nothing.
struct Silent;

impl Observer for Silent {
    fn begin(&mut self, _: Progress) {}
}

fn build(bytes: &[u8], tier: Tier) -> (oxicl_abi::Image, oxicl_load::LoadedImage) {
    let target = Target::host();
    let spirv = oxicl_spirv::words_from_bytes(bytes).expect("whole words");
    let request = CompileRequest { spirv, kernels: Vec::new(), options: CompileOptions::default(), target, tier };
    let image = compile(&request, &mut Silent).unwrap_or_else(|failure| panic!("{failure}"));
    let loaded = oxicl_load::load(&image).expect("the image loads");
    (image, loaded)
}

fn samplers() -> Vec<SamplerBits> {
    let modes =
        [Addressing::None, Addressing::ClampToEdge, Addressing::Clamp, Addressing::Repeat, Addressing::MirroredRepeat];
    let flags = [(false, false), (false, true), (true, false), (true, true)];
    let all =
        modes.iter().flat_map(|mode| flags.map(|(normalized, linear)| SamplerBits::new(*mode, normalized, linear)));
    all.collect()
}

/// Numbers between texels and around the image, and texels: any, and those that are there.
fn coordinates(random: &mut Random, shape: &Shape, normalized: bool) -> (Vec<u8>, Vec<u8>) {
    let (mut floats, mut ints) = (Vec::new(), Vec::new());
    for _ in 0..ITEMS {
        for dimension in 0..4 {
            let size = shape.along().get(dimension).copied().unwrap_or(1);
            let texels = random.below(u64::from(size + 6) * 8) as f32 / 8.0 - 3.0;
            let number = if normalized { texels / size as f32 } else { texels };
            let far = [1e10, -1e10, 2147483648.0, -0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
            let far = far.get(random.below(100) as usize).copied();
            floats.extend(far.unwrap_or(number).to_le_bytes());
        }
        for any in [true, false] {
            for dimension in 0..4 {
                let size = u64::from(shape.along().get(dimension).copied().unwrap_or(1));
                let texel = if any { random.below(size + 4) as i32 - 2 } else { random.below(size) as i32 };
                let far = [i32::MIN, i32::MAX].get(random.below(50) as usize).copied().filter(|_| any);
                ints.extend(far.unwrap_or(texel).to_le_bytes());
            }
        }
    }
    (floats, ints)
}

/// Bytes of texels; of formats of floating-point numbers those are numbers.
fn texels(random: &mut Random, format: Format, bytes: usize) -> Vec<u8> {
    let mut texels: Vec<u8> = (0..bytes).map(|_| random.next() as u8).collect();
    let channel = format.layout().channels().next().expect("a channel");
    if channel.encoding == Encoding::Float {
        for number in texels.chunks_mut(usize::from(channel.bits / 8)) {
            // The highest bit of the exponent but one: neither infinite nor no number.
            *number.last_mut().expect("bytes") &= 0xdf;
        }
    }
    texels
}

fn suffix(format: Format) -> &'static str {
    match format.kind() {
        Kind::Float => "f",
        Kind::Signed => "i",
        Kind::Unsigned => "ui",
    }
}

fn shapes(format: Format) -> impl Iterator<Item = &'static Shape> {
    SHAPES.iter().filter(move |shape| shape.depth == format.is_depth())
}

/// A kernel that reads, at numbers that a sampler takes.
fn reading(
    random: &mut Random,
    kernel: &str,
    shape: &'static Shape,
    format: Format,
    sampler: SamplerBits,
) -> Case<'static> {
    reading_at(random, kernel, shape, format, (sampler, sampler.normalized()))
}

/// The same, where the kernel has a sampler of its own too, which may be for normalised numbers.
fn reading_at(
    random: &mut Random,
    kernel: &str,
    shape: &'static Shape,
    format: Format,
    (sampler, normalized): (SamplerBits, bool),
) -> Case<'static> {
    let (floats, ints) = coordinates(random, shape, normalized);
    let texels = texels(random, format, TEXELS);
    let output = ITEMS as usize * READS * if shape.depth { 4 } else { 16 };
    Case { kernel: kernel.to_owned(), shape, format, sampler, texels, floats, ints, output, levels: 1 }
}

/// A kernel that writes.
fn writing(random: &mut Random, kernel: &str, shape: &'static Shape, format: Format) -> Case<'static> {
    let mut floats: Vec<u8> = Vec::new();
    for _ in 0..ITEMS * 4 {
        let number = [f32::INFINITY, -f32::INFINITY, 1.0, -1.0, 0.0, -0.0, 1e-7, 65504.0, 2.5 / 255.0, 0.5];
        let number = number.get(random.below(20) as usize).copied();
        let number = number.unwrap_or((random.below(60_000) as f32 - 20_000.0) / 30_000.0);
        let integer = (random.next() as i64 >> random.below(32)) as i32;
        let bits = if format.kind() == Kind::Float { number.to_bits() } else { integer.cast_unsigned() };
        floats.extend(bits.to_le_bytes());
    }
    let (_, ints) = coordinates(random, shape, false);
    let texels = texels(random, format, TEXELS);
    let (sampler, output) = (SamplerBits::default(), ITEMS as usize * 4);
    Case { kernel: kernel.to_owned(), shape, format, sampler, texels, floats, ints, output, levels: 1 }
}

/// Cases for the kernels of [`source`].
fn cases() -> Vec<Case<'static>> {
    let random = &mut Random(0x1234_5678_9abc_def1);
    let mut cases = Vec::new();
    let samplers = samplers();
    for (number, format) in Format::all().enumerate() {
        for (turn, shape) in shapes(format).enumerate() {
            for sampler in samplers.iter().skip((number + turn) % 7).step_by(7) {
                let kernel = format!("read_{}_{}", shape.name, suffix(format));
                cases.push(reading(random, &kernel, shape, format, *sampler));
            }
            cases.push(writing(random, &format!("write_{}_{}", shape.name, suffix(format)), shape, format));
        }
    }
    for (kernel, shape, normalized) in [
        ("literal_edge", &SHAPES[2], false),
        ("literal_border", &SHAPES[2], false),
        ("literal_repeat", &SHAPES[2], true),
        ("ask", &SHAPES[4], false),
    ] {
        for format in of_floats().step_by(5) {
            cases.push(reading_at(random, kernel, shape, format, (SamplerBits::default(), normalized)));
        }
    }
    assert!(cases.len() > 500, "{} cases", cases.len());
    cases
}

/// Formats that are read as floating-point numbers, but for depths.
fn of_floats() -> impl Iterator<Item = Format> {
    Format::all().filter(|format| format.kind() == Kind::Float && !format.is_depth())
}

/// Cases for what clang does not write.
fn assembled_cases() -> Vec<Case<'static>> {
    let random = &mut Random(77);
    let mut cases = Vec::new();
    for (format, sampler) in of_floats().zip(samplers().into_iter().cycle()) {
        cases.push(reading(random, "spirv_read", &SHAPES[2], format, sampler));
        cases.push(writing(random, "spirv_write", &SHAPES[2], format));
    }
    cases
}

/// Cases for blocks, which are bytes to sub-groups whatever the format.
fn block_cases() -> Vec<Case<'static>> {
    let random = &mut Random(91);
    let mut cases = Vec::new();
    for format in Format::all().filter(|format| format.kind() == Kind::Unsigned) {
        for kernel in ["block_read", "block_read_narrow"] {
            cases.push(reading(random, kernel, &SHAPES[2], format, SamplerBits::default()));
        }
        cases.push(writing(random, "block_write", &SHAPES[2], format));
    }
    cases
}

/// Cases for images of several levels of detail, at levels that there are and others.
fn level_cases() -> Vec<Case<'static>> {
    let random = &mut Random(4711);
    let mut cases = Vec::new();
    let levels = [(false, 0.0, f32::MAX), (true, 0.0, f32::MAX), (true, 0.75, 1.5), (false, 1.0, 9.0)];
    let normalized = samplers().into_iter().filter(|sampler| sampler.normalized());
    for ((format, sampler), (number, (linear, least, most))) in
        of_floats().zip(normalized.cycle()).zip(levels.into_iter().enumerate().cycle())
    {
        let sampler = sampler.with_levels(linear, least, most);
        let levels = 1 + (number as u32 + format.bytes() as u32) % 3;
        cases.push(Case { levels, ..reading(random, "level_read", &SHAPES[2], format, sampler) });
        cases.push(Case { levels, ..reading(random, "level_of_array", &SHAPES[3], format, sampler) });
    }
    for (format, sampler) in
        Format::all().filter(|format| format.kind() == Kind::Signed).zip(samplers().into_iter().cycle())
    {
        let sampler = sampler.with_levels(true, 0.25, 7.0);
        cases.push(Case { levels: 3, ..reading(random, "level_of_integers", &SHAPES[2], format, sampler) });
    }
    cases
}

/// Whether four bytes are a float that is no number: which one, nothing says.
fn is_nan(bytes: &[u8]) -> bool {
    bytes.try_into().is_ok_and(|bytes| f32::from_le_bytes(bytes).is_nan())
}

/// Runs the cases on both devices, and compares what is written.
fn compare(bytes: &[u8], cases: &[Case<'_>]) {
    let words = oxicl_spirv::words_from_bytes(bytes).expect("whole words");
    let module = oxicl_spirv::decode(&words).expect("decoded");
    let valid = oxicl_validate::validate(module, DeviceCaps::host()).unwrap_or_else(|found| panic!("{found:?}"));
    let program = Program::new(Arc::new(valid)).expect("prepared");
    let wanted: Vec<_> = cases.iter().map(|case| case.interpret(&program)).collect();
    let mut failures = Vec::new();
    for tier in [Tier::Full, Tier::Cheap] {
        let (image, loaded) = build(bytes, tier);
        for (case, (texels, output)) in cases.iter().zip(&wanted) {
            let found = case.run(&image, &loaded);
            let differs = |found: &[u8], wanted: &[u8], floats: bool| {
                let mut words = found.chunks(4).zip(wanted.chunks(4));
                words.position(|(a, b)| a != b && !(floats && is_nan(a) && is_nan(b)))
            };
            let a = differs(&found.0, texels, false);
            let b = differs(&found.1, output, case.format.kind() == Kind::Float);
            if a.is_some() || b.is_some() {
                let at = b.map(|at| (&found.1[4 * at..4 * at + 4], &output[4 * at..4 * at + 4]));
                failures.push(format!(
                    "{tier:?}: {} of {:?} with {:?}: texel word {a:?}, output word {b:?}: {at:?}",
                    case.kernel, case.format, case.sampler
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures[..failures.len().min(40)].join("\n"));
}

#[test]
fn images_are_the_same_on_both_devices() {
    let bytes = oxicl_offline::compile(&source(), Level::Plain).expect("clang compiles the kernels");
    compare(&bytes, &cases());
}

#[test]
fn every_image_instruction_is_the_same_on_both_devices() {
    let bytes = oxicl_offline::assemble(include_str!("instructions.spvasm")).expect("assembled");
    compare(&bytes, &assembled_cases());
}

#[test]
fn blocks_of_images_are_the_same_on_both_devices() {
    let bytes = oxicl_offline::assemble(include_str!("blocks.spvasm")).expect("assembled");
    compare(&bytes, &block_cases());
}

#[test]
fn levels_of_detail_are_the_same_on_both_devices() {
    let bytes = oxicl_offline::assemble(include_str!("levels.spvasm")).expect("assembled");
    compare(&bytes, &level_cases());
}

#[test]
fn images_that_nobody_gave_have_no_texels() {
    let bytes = oxicl_offline::assemble(include_str!("nothing.spvasm")).expect("assembled");
    let format = Format::all().find(|format| format.kind() == Kind::Unsigned).expect("a format of integers");
    let case = reading(&mut Random(5), "nothing", &SHAPES[2], format, SamplerBits::default());
    for tier in [Tier::Full, Tier::Cheap] {
        let (image, loaded) = build(&bytes, tier);
        let (texels, output) = case.run(&image, &loaded);
        assert!(texels == case.texels, "{tier:?}: texels were written");
        let words: Vec<i32> =
            output.chunks(4).map(|word| i32::from_le_bytes(word.try_into().expect("four bytes"))).collect();
        for (item, found) in words.chunks(4 * READS).enumerate() {
            let of_variable = if item % 2 == 1 { [7, 5, 7, 5] } else { [0; 4] };
            // Two colours without red, green and blue are added.
            let wanted = [of_variable, [0; 4], [0, 0, 0, 2]].concat();
            assert_eq!(found, wanted, "{tier:?}: work-item {item}");
        }
    }
}
