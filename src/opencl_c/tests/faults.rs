//! Faults of LLVM's SPIR-V target that the front end works around, shown by the clang and the llc of the same version, which have no
//! work-around. A test that fails says that the fault is gone, and the work-around may go: `docs/llvm.md` says where it is.

use std::io::Write;
use std::process::{Command, Stdio};

use oxicl_spirv::grammar::Op;

/// Words of the header, and of the operands in front of those that matter.
const HEADER: usize = 5;

/// A module, an instruction each.
struct Words(Vec<Vec<u32>>);

impl Words {
    /// What a tool makes of a text on its standard input.
    fn made(tool: &str, arguments: &[&str], text: &str) -> Words {
        let mut command = Command::new(tool);
        command.args(arguments).args(["-", "-o", "-"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{tool} does not start: {error}"));
        child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{tool}: {}", String::from_utf8_lossy(&output.stderr));
        let words: Vec<u32> = output.stdout.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let mut rest = words.get(HEADER..).expect("a header");
        let mut instructions = Vec::new();
        while let Some(first) = rest.first() {
            let (instruction, behind) = rest.split_at((*first >> 16) as usize);
            instructions.push(instruction.to_vec());
            rest = behind;
        }
        Words(instructions)
    }

    fn of_source(text: &str) -> Words {
        Words::of_source_with(text, &[])
    }

    fn of_source_with(text: &str, more: &[&str]) -> Words {
        let arguments = ["-c", "-target", "spirv64v1.4", "-x", "cl", "-cl-std=CL3.0", "-O1"];
        let header = ["-Xclang", "-finclude-default-header"];
        Words::made("clang-22", &[&arguments[..], &header, more].concat(), text)
    }

    fn of_ir(text: &str) -> Words {
        let arguments = ["-O0", "-mtriple=spirv64v1.4-unknown-unknown", "-filetype=obj"];
        Words::made("llc-22", &arguments, text)
    }

    /// The operands of each instruction of a kind, results and their types among them.
    fn all(&self, op: Op) -> impl Iterator<Item = &[u32]> {
        self.0.iter().filter(move |words| words[0] & 0xffff == op as u32).map(|words| &words[1..])
    }

    fn first(&self, op: Op) -> &[u32] {
        self.all(op).next().unwrap_or_else(|| panic!("no {op:?}"))
    }

    /// The number of a constant.
    fn number(&self, id: u32) -> Option<u32> {
        self.all(Op::Constant).find(|constant| constant[1] == id).map(|constant| constant[2])
    }

    /// Is a type one of these?
    fn is_type(&self, id: u32, op: Op) -> bool {
        self.all(op).any(|ty| ty[0] == id)
    }

    /// The type of a result of one of these instructions.
    fn type_of(&self, id: u32, ops: &[Op]) -> u32 {
        let mut results = ops.iter().flat_map(|op| self.all(*op));
        results.find(|result| result[1] == id).unwrap_or_else(|| panic!("no result {id}"))[0]
    }

    /// Is there an instruction of OpenCL.std of this number?
    fn calls(&self, number: u32) -> bool {
        self.all(Op::ExtInst).any(|call| call[3] == number)
    }

    /// Is it imported, so that somebody else has to define it?
    fn imports(&self, name: &str) -> bool {
        let text = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        self.all(Op::Decorate).any(|decoration| text(decoration).windows(name.len()).any(|w| w == name.as_bytes()))
    }
}

#[test]
fn conversions_of_integers_extend_by_a_sign_where_the_result_has_none() {
    let words = Words::of_source("kernel void k(global ushort *a, global uchar *b) { a[0] = convert_ushort(b[0]); }");
    assert!(words.all(Op::SConvert).next().is_some());
}

#[test]
fn saturated_conversions_take_signed_for_unsigned() {
    let words = Words::of_source("kernel void k(global char *a, global int *b) { a[0] = convert_char_sat(b[0]); }");
    assert!(words.all(Op::SatConvertUToS).next().is_some());
}

#[test]
fn three_aligned_halves_are_read_as_if_they_were_three_apart() {
    const VLOAD_HALFN: u32 = 174;
    let words = Words::of_source(
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable
         kernel void k(global float3 *a, global half *b) { a[0] = vloada_half3(1, b); }",
    );
    assert!(words.calls(VLOAD_HALFN));
}

#[test]
fn floating_point_numbers_are_compared_and_exchanged_as_such() {
    let words = Words::of_source(
        "kernel void k(global atomic_float *a, global float *b) { atomic_compare_exchange_strong(a, b, 2.0f); }",
    );
    let [ty, ..] = words.first(Op::AtomicCompareExchange) else { panic!("no operands") };
    assert!(words.is_type(*ty, Op::TypeFloat), "it takes integers alone");
}

#[test]
fn orders_of_atomic_loads_are_not_translated() {
    const ACQUIRE: u32 = 2;
    let words = Words::of_source(
        "kernel void k(global atomic_int *a, global int *b)
         { b[0] = atomic_load_explicit(a, memory_order_acquire, memory_scope_work_group); }",
    );
    let [_, _, _, _, semantics] = words.first(Op::AtomicLoad) else { panic!("no operands") };
    assert_ne!(words.number(*semantics).map(|number| number & 0xf), Some(ACQUIRE));
}

#[test]
fn the_memory_scope_of_a_barrier_becomes_its_own() {
    const DEVICE: u32 = 1;
    let words = Words::of_source(
        "kernel void k(global int *a) { work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device); a[0] = 1; }",
    );
    let [execution, ..] = words.first(Op::ControlBarrier) else { panic!("no operands") };
    assert_eq!(words.number(*execution), Some(DEVICE));
}

#[test]
fn functions_that_the_target_does_not_know() {
    const HALF: &str = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
    for (name, text) in [
        (
            "__to_global",
            "kernel void k(global int *a, local int *l) { int *p = a[0] ? (int *)a : (int *)l; a[1] = to_global(p) != 0; }",
        ),
        ("convert_half_rtz", "kernel void k(global half *a, global int *b) { a[0] = convert_half_rtz(b[0]); }"),
        (
            "read_imageh",
            "kernel void k(read_only image2d_t i, sampler_t s, global half4 *a) { a[0] = read_imageh(i, s, (float2)(0.5f)); }",
        ),
        (
            "atomic_fetch_min_explicit",
            "kernel void k(global atomic_uint *a) { atomic_fetch_min_explicit(a, 3u, memory_order_relaxed, memory_scope_device); }",
        ),
        ("atomic_min", "kernel void k(volatile global int *a) { atomic_min(a, -3); }"),
        ("atomic_xchg", "kernel void k(volatile global float *a) { atomic_xchg(a, 2.0f); }"),
        (
            "get_image_channel_order",
            "kernel void k(read_only image2d_t i, global int *a) { a[0] = get_image_channel_order(i); }",
        ),
    ] {
        assert!(Words::of_source(&format!("{HALF}{text}")).imports(name), "{name}");
    }
}

#[test]
fn levels_of_detail_are_forgotten() {
    let words = Words::of_source(
        "#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable
         kernel void k(read_only image2d_t i, sampler_t s, global float4 *a) { a[0] = read_imagef(i, s, (float2)(0.5f), 1.5f); }",
    );
    let [.., level] = words.first(Op::ImageSampleExplicitLod) else { panic!("no operands") };
    assert_ne!(words.number(*level), Some(1.5_f32.to_bits()));
}

#[test]
fn a_level_that_is_written_is_taken_for_the_texel() {
    let words = Words::of_source(
        "#pragma OPENCL EXTENSION cl_khr_mipmap_image_writes : enable
         kernel void k(write_only image2d_t i, global float4 *a) { write_imagef(i, (int2)(1, 2), 3, a[0]); }",
    );
    let [_, _, texel, ..] = words.first(Op::ImageWrite) else { panic!("no operands") };
    assert_eq!(words.number(*texel), Some(3));
}

#[test]
fn what_may_be_contracted_is_fused_at_any_price() {
    const FMA: u32 = 26;
    let words = Words::of_source("kernel void k(global float *a) { a[0] = a[1] * a[2] + a[3]; }");
    assert!(words.calls(FMA));
}

#[test]
fn lines_are_not_written() {
    let words = Words::of_source_with("kernel void k(global int *a) { a[0] = 1; }", &["-g"]);
    assert!(words.all(Op::Line).next().is_none());
}

#[test]
fn variables_are_not_written_where_there_is_no_function() {
    assert!(Words::of_source("global int x = 7;").all(Op::Variable).next().is_none());
}

#[test]
fn a_number_that_is_truncated_and_extended_is_masked_in_its_old_width() {
    let words = Words::of_ir(
        "define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b) {
           %v = load i64, ptr addrspace(1) %b
           %n = trunc i64 %v to i8
           %w = zext i8 %n to i32
           store i32 %w, ptr addrspace(1) %a
           ret void
         }",
    );
    let [ty, _, masked, _] = words.first(Op::BitwiseAnd) else { panic!("no operands") };
    assert_ne!(*ty, words.type_of(*masked, &[Op::Load, Op::UConvert]));
}

#[test]
fn null_of_another_address_space_is_a_number() {
    let words = Words::of_ir(
        "@g = addrspace(1) global [2 x ptr addrspace(4)]
              [ptr addrspace(4) addrspacecast (ptr addrspace(1) null to ptr addrspace(4)), ptr addrspace(4) null]
         define spir_kernel void @k(ptr addrspace(1) %a) {
           %p = load ptr addrspace(4), ptr addrspace(1) @g
           store ptr addrspace(4) %p, ptr addrspace(1) %a
           ret void
         }",
    );
    let [_, _, member, _] = words.first(Op::ConstantComposite) else { panic!("no operands") };
    assert!(words.is_type(words.type_of(*member, &[Op::ConstantNull, Op::Constant]), Op::TypeInt));
}

#[test]
fn a_variable_is_as_small_as_what_a_function_does_to_it() {
    let words = Words::of_ir(
        "@s = addrspace(3) global [16 x i32] poison
         declare spir_func i32 @_Z10atomic_addPU3AS3Vii(ptr addrspace(3), i32)
         define spir_kernel void @k(ptr addrspace(1) %a) {
           %r = call spir_func i32 @_Z10atomic_addPU3AS3Vii(ptr addrspace(3) @s, i32 1)
           store i32 %r, ptr addrspace(1) %a
           ret void
         }",
    );
    let [pointer, ..] = words.first(Op::Variable) else { panic!("no operands") };
    let pointee = words.all(Op::TypePointer).find(|ty| ty[0] == *pointer).expect("a pointer")[2];
    assert!(words.is_type(pointee, Op::TypeInt));
}
