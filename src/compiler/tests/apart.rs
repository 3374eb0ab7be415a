//! Functions of images are compiled apart from kernels, once in a worker, and kept: what is made of a kernel is the same whatever
//! was compiled before.

use std::thread;

use oxicl_abi::Image;
use oxicl_caps::{DeviceCaps, DumpPart};
use oxicl_compiler::apart::compiled;
use oxicl_compiler::flow::{Observer, compile};
use oxicl_protocol::{CompileOptions, CompileRequest, Progress, SourceRequest, Tier};
use oxicl_target::Target;

const COPY: &str = "kernel void copy(read_only image2d_t from, write_only image2d_t to) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, at, read_imagef(from, at));
}";

/// Details are added to the rest of a picture as far as a third one says.
const DETAILS: &str =
    "kernel void details(read_only image2d_t rest, read_only image2d_t details, read_only image2d_t share,
    write_only image2d_t to, int width, int height) {
    const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    if (at.x >= width || at.y >= height)
        return;
    float4 sum = read_imagef(rest, nearest, at) + read_imagef(share, nearest, at) * read_imagef(details, nearest, at);
    write_imagef(to, at, sum);
}";

/// Other code, that calls the same functions.
const NEGATE: &str = "kernel void negate(write_only image2d_t to, float most, read_only image2d_t from) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, at, most - read_imagef(from, at));
}";

/// Integers, of which one each is read at a place of its own.
const SCATTER: &str =
    "kernel void scatter(read_only image2d_t from, write_only image2d_t to, global const int *places) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagei(to, (int2)(places[at.x], at.y), read_imagei(from, at) + read_imagei(from, (int2)(places[at.y], at.x)));
}";

struct Nobody;

impl Observer for Nobody {
    fn begin(&mut self, _: Progress) {}
}

/// Keeps what the code generator is given to make code of.
#[derive(Default)]
struct Code(String);

impl Observer for Code {
    fn begin(&mut self, _: Progress) {}

    fn wants(&self, part: DumpPart) -> bool {
        part == DumpPart::Codegen
    }

    fn made(&mut self, _: DumpPart, text: &dyn Fn() -> String) {
        self.0 = text();
    }
}

/// What the code generator is given for a request.
fn code(request: &CompileRequest) -> String {
    let mut code = Code::default();
    compile(request, &mut code).expect("an image");
    code.0
}

fn request(source: &str, machine: &str) -> CompileRequest {
    let source = SourceRequest { text: source.into(), folder: "/".into(), ..SourceRequest::default() };
    let spirv = oxicl_opencl_c::compile(&source, DeviceCaps::anywhere()).expect("a module").spirv;
    CompileRequest { spirv, target: Target::named(machine).expect(machine), ..CompileRequest::default() }
}

fn image(request: &CompileRequest) -> Image {
    compile(request, &mut Nobody).expect("an image")
}

/// What a worker makes of a request that has compiled nothing before, and how many functions it compiles apart.
fn alone(request: &CompileRequest) -> (Image, u64) {
    let request = request.clone();
    thread::spawn(move || (image(&request), compiled())).join().expect("it ends")
}

#[test]
fn the_second_module_makes_no_function_of_images_anew() {
    for machine in ["x86-64-v2", "x86-64-v3", "x86-64-v4"] {
        let (first, second) = (request(COPY, machine), request(NEGATE, machine));
        let (expected, anew) = alone(&second);
        assert!(anew >= 2, "{machine}: texels are read and written by {anew} functions");
        let (found, before, after) = thread::spawn(move || {
            image(&first);
            let before = compiled();
            (image(&second), before, compiled())
        })
        .join()
        .expect("it ends");
        assert_eq!((before, after), (anew, anew), "{machine}");
        assert!(found == expected, "{machine}: what was compiled before changes a kernel");
    }
}

#[test]
fn the_module_of_a_kernel_has_no_code_for_all_formats() {
    for source in [COPY, SCATTER] {
        let code = code(&request(source, "x86-64-v4"));
        let defined: Vec<_> = code.lines().filter(|line| line.starts_with("define")).collect();
        let of_formats = |line: &&str| ["image_texel", "image_put"].iter().any(|name| line.contains(name));
        assert!(!defined.is_empty() && !defined.iter().any(of_formats), "{defined:?}");
    }
}

/// And for gangs that are inside of both images without a mask.
#[test]
fn texels_of_four_numbers_are_loaded_and_stored_where_a_kernel_uses_them() {
    let code = code(&request(COPY, "x86-64-v3"));
    for access in ["load <32 x i32>, ptr addrspace(1)", "store <32 x float> "] {
        assert!(code.contains(access), "no {access} in {code}");
    }
}

/// Where a kernel reads several images, each read asks once whether it is inside, whatever the format is: so the code stays short
/// enough to be there once more, for gangs whose work-items all are.
#[test]
fn texels_of_several_images_are_loaded_and_stored_without_masks() {
    let code = code(&request(DETAILS, "x86-64-v3"));
    let loads = code.lines().filter(|line| line.contains(" load <32 x i32>, ptr addrspace(1)")).count();
    assert!(loads >= 3, "{loads} loads of whole texels in {code}");
    assert!(code.contains("store <32 x float> "), "no store of whole texels in {code}");
}

#[test]
fn only_functions_of_the_same_machine_tier_and_optimisation_are_joined() {
    let request = |source: &str, machine: &str, tier, opt_disable, lanes| {
        let options = CompileOptions { opt_disable, lanes, ..CompileOptions::default() };
        CompileRequest { options, tier, ..request(source, machine) }
    };
    let mut requests = Vec::new();
    for machine in ["x86-64-v2", "x86-64-v3", "x86-64-v4"] {
        for (tier, opt_disable, lanes) in
            [(Tier::Full, false, 0), (Tier::Full, false, 2), (Tier::Full, true, 2), (Tier::Cheap, false, 4)]
        {
            for source in [COPY, SCATTER] {
                requests.push(request(source, machine, tier, opt_disable, lanes));
            }
        }
    }
    let expected: Vec<_> = requests.iter().map(|request| alone(request).0).collect();
    for (number, image) in expected.iter().enumerate() {
        assert!(!expected[..number].contains(image), "{number} is one of those before, and tells nothing");
    }
    let found = thread::spawn(move || requests.iter().map(image).collect::<Vec<_>>()).join().expect("it ends");
    for (number, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert!(found == expected, "{number} has parts of another machine, tier or optimisation");
    }
}
