//! What the front end promises of any program.

mod apart;

use std::path::PathBuf;

use oxicl_caps::DeviceCaps;
use oxicl_protocol::{SourceModule, SourceOptions, SourceRequest, Standard};
use oxicl_spirv::grammar::Op;

fn request(text: &str) -> SourceRequest {
    SourceRequest { text: text.into(), folder: std::env::temp_dir(), ..SourceRequest::default() }
}

fn module(request: &SourceRequest) -> SourceModule {
    let module = apart::compile(request).unwrap_or_else(|failure| panic!("{failure}"));
    let decoded = oxicl_spirv::decode(&module.spirv).expect("decodes");
    if let Err(violations) = oxicl_validate::validate(decoded, DeviceCaps::host()) {
        panic!("{}", violations.iter().map(|violation| format!("{violation}\n")).collect::<String>());
    }
    module
}

fn failure(request: &SourceRequest) -> String {
    apart::compile(request).expect_err("a failure").to_string()
}

/// The strings of the module that begin so.
fn strings(module: &SourceModule, prefix: &str) -> Vec<String> {
    let bytes: Vec<u8> = module.spirv.iter().flat_map(|word| word.to_le_bytes()).collect();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    text.match_indices(prefix).map(|(at, _)| text[at..].split('\0').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn every_version_compiles_and_says_which_it_is() {
    for (standard, number) in [
        (None, 120),
        (Some(Standard::C10), 100),
        (Some(Standard::C11), 110),
        (Some(Standard::C12), 120),
        (Some(Standard::C20), 200),
        (Some(Standard::C30), 300),
        (Some(Standard::C31), 310),
    ] {
        let text = format!(
            "#if __OPENCL_C_VERSION__ != {number}\n#error another version\n#endif\n
             kernel void k(global int *a) {{ a[get_global_id(0)] = get_local_size(0); }}"
        );
        let options = SourceOptions { standard, ..SourceOptions::default() };
        module(&SourceRequest { options, ..request(&text) });
    }
    for standard in [Standard::Cpp10, Standard::Cpp2021] {
        let text = "template <typename T> T twice(T x) { return x + x; }
                    kernel void k(global int *a) { a[get_global_id(0)] = twice(a[0]); }";
        let options = SourceOptions { standard: Some(standard), ..SourceOptions::default() };
        module(&SourceRequest { options, ..request(text) });
    }
}

#[test]
fn diagnostics_have_the_lines_of_the_user() {
    let log = failure(&request("kernel void k(global int *a) {\n  a[0] = b;\n}\n"));
    assert!(log.starts_with("<source>:2:10: error: use of undeclared identifier 'b'"), "{log}");
    let text = "#warning first\nkernel void k() {}\n";
    let warned = module(&request(text));
    assert!(warned.log.contains("<source>:1:2: warning: first"), "{}", warned.log);
    assert!(!warned.log.contains("generated"), "{}", warned.log);
    let quiet = SourceOptions { no_warnings: true, ..SourceOptions::default() };
    assert_eq!(module(&SourceRequest { options: quiet, ..request(text) }).log, "");
    let strict = SourceOptions { warnings_are_errors: true, ..SourceOptions::default() };
    assert!(failure(&SourceRequest { options: strict, ..request(text) }).contains("error: first"));
}

#[test]
fn pointers_of_other_types_are_taken_with_a_warning() {
    let text = "kernel void k(global float *a) {\n  global float4 *v = a;\n  v[get_global_id(0)] = 1.0f;\n}\n";
    let warned = module(&request(text));
    assert!(warned.log.contains("<source>:2:18: warning: incompatible pointer types"), "{}", warned.log);
    let strict = SourceOptions { warnings_are_errors: true, ..SourceOptions::default() };
    assert!(failure(&SourceRequest { options: strict, ..request(text) }).contains("error: incompatible pointer types"));
    // An address space is another matter: the access would go elsewhere.
    let log = failure(&request("kernel void k(global float *a) { local float *v = a; v[0] = 1.0f; }"));
    assert!(log.contains("changes address space"), "{log}");
}

#[test]
fn embedded_headers_win_over_files_and_files_are_told() {
    let folder = std::env::temp_dir().join(format!("oxicl-opencl-c-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("deep")).expect("a folder");
    for (name, value) in [("one.h", 1), ("deep/two.h", 2), ("three.h", 3)] {
        std::fs::write(folder.join(name), format!("#define FOUND_{value} {value}\n")).expect("written");
    }
    let text = "#include \"one.h\"\n#include <two.h>\n#include \"sub/three.h\"\n
                #if FOUND_1 != 1 || FOUND_2 != 2 || FOUND_3 != 30\n#error wrong files\n#endif\nkernel void k() {}\n";
    let options = SourceOptions { include_folders: vec!["absent".into(), "deep".into()], ..SourceOptions::default() };
    let headers = vec![("sub/three.h".to_owned(), b"#define FOUND_3 30\n".to_vec())];
    let module = module(&SourceRequest { options, headers, folder: folder.clone(), ..request(text) });
    let seen = |name: &str| {
        let path = folder.join(name);
        module.files.iter().find(|file| file.path == path || file.path == PathBuf::from(".").join(&path))
    };
    let content = std::fs::read(folder.join("deep/two.h")).expect("read");
    std::fs::remove_dir_all(&folder).expect("removed");
    let names: Vec<_> = module.files.iter().map(|file| file.path.clone()).collect();
    assert!(seen("one.h").or(seen("./one.h")).is_some(), "{names:?}");
    assert_eq!(
        seen("deep/two.h").map(|file| file.content),
        Some(Some(*blake3::hash(&content).as_bytes())),
        "{names:?}"
    );
    assert!(seen("absent").is_some_and(|file| file.content.is_none()), "{names:?}");
    assert!(!names.iter().any(|name| name.ends_with("three.h")), "{names:?}");
}

#[test]
fn arguments_and_attributes_are_told() {
    let text = "typedef struct { int a; } pair;
        kernel __attribute__((reqd_work_group_size(4, 2, 1))) __attribute__((vec_type_hint(uchar4)))
        void k(global const float *restrict in, local volatile uint2 *scratch, constant pair *p, float16 v, ulong n) {}";
    let module = module(&request(text));
    assert_eq!(strings(&module, "kernel_arg_type."), ["kernel_arg_type.k.float*,uint2*,pair*,float16,ulong,"]);
    assert_eq!(strings(&module, "kernel_arg_type_qual."), ["kernel_arg_type_qual.k.restrict const,volatile,const,,,"]);
    let attributes = ["kernel_attributes.k.vec_type_hint(uchar4) reqd_work_group_size(4,2,1)"];
    assert_eq!(strings(&module, "kernel_attributes."), attributes);
    assert_eq!(strings(&module, "scratch"), ["scratch"]);
}

#[test]
fn nothing_but_arguments_of_kernels_is_named() {
    let text = "int twice(int number) { int result = number; return result * 2; }
        kernel void k(global int *input, int) { int local_value = twice(input[0]); input[1] = local_value; }";
    let module = module(&request(text));
    assert_eq!(strings(&module, "input"), ["input"]);
    for name in ["number", "result", "local_value"] {
        assert!(strings(&module, name).is_empty(), "{name}");
    }
}

#[test]
fn assembly_without_text_is_a_fence_if_it_names_memory() {
    let barriers = |statement: &str| {
        let text = format!("kernel void k(global int *a) {{ int x = a[0]; {statement} a[1] = x; }}");
        let module = module(&SourceRequest { whole: true, ..request(&text) });
        let decoded = oxicl_spirv::decode(&module.spirv).expect("decodes");
        let instructions = decoded.functions.iter().flat_map(|f| &f.blocks).flat_map(|block| &block.instructions);
        instructions.filter(|instruction| instruction.op == Op::MemoryBarrier).count()
    };
    assert_eq!(barriers("__asm__ volatile(\"\" ::: \"memory\");"), 1);
    assert_eq!(barriers("__asm__ volatile(\"\" : \"+r\"(x));"), 0);
    assert_eq!(barriers("__asm__ volatile(\"\");"), 0);
}

#[test]
fn inline_functions_and_kernels_that_call_kernels_have_their_bodies() {
    let text = "inline int one(void) { return 1; }
        static inline int two(void) { return 2; }
        int three(void) { return one() + two(); }
        kernel void inner(global int *a) { a[0] = three(); }
        kernel void outer(global int *a) { inner(a + 1); }";
    let module = module(&request(text));
    let imports = oxicl_spirv::decode(&module.spirv).expect("decodes");
    let valid = oxicl_validate::validate_specialised(imports, &Default::default(), DeviceCaps::host()).expect("valid");
    assert!(valid.complete().is_ok(), "something is imported");
    assert!(strings(&module, "DontInline").is_empty());
}

#[test]
fn kernels_that_enqueue_kernels_are_refused_in_words() {
    let text = "kernel void k(global int *a) {
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ a[0] = 1; });
    }";
    let options = SourceOptions { standard: Some(Standard::C20), ..SourceOptions::default() };
    let log = failure(&SourceRequest { options, ..request(text) });
    assert!(log.contains("error"), "{log}");
}

#[test]
fn built_in_functions_that_clang_leaves_undefined_are_translated() {
    let options = SourceOptions { standard: Some(Standard::C30), ..SourceOptions::default() };
    let module = module(&SourceRequest { options, ..request(include_str!("builtins.cl")) });
    assert_eq!(module.log, "");
}

/// The call stays as it is: somebody else has to define the function.
#[test]
fn functions_with_the_names_of_built_in_functions_and_other_types_are_not_these() {
    for (declared, called, symbol) in [
        // The number of operands.
        ("int atomic_inc()", "atomic_inc()", "_Z10atomic_incv"),
        ("int atomic_xchg(global int *)", "atomic_xchg(a)", "_Z11atomic_xchgPU3AS1i"),
        ("int atomic_min(global int *, int, int)", "atomic_min(a, 1, 2)", "_Z10atomic_minPU3AS1iii"),
        // What should be a pointer, or point to another number.
        ("int atomic_dec(float)", "atomic_dec(1.0f)", "_Z10atomic_decf"),
        ("int atomic_inc(global float *)", "atomic_inc(f)", "_Z10atomic_incPU3AS1f"),
        // The types of operands and results.
        ("int atomic_xchg(global int *, float)", "atomic_xchg(a, 1.0f)", "_Z11atomic_xchgPU3AS1if"),
        ("float atomic_min(global float *, float)", "atomic_min(f, 1.0f)", "_Z10atomic_minPU3AS1ff"),
        ("float atomic_dec(global int *)", "atomic_dec(a)", "_Z10atomic_decPU3AS1i"),
        ("int mem_fence(float)", "mem_fence(1.0f)", "_Z9mem_fencef"),
        ("int sub_group_barrier(float)", "sub_group_barrier(1.0f)", "_Z17sub_group_barrierf"),
        ("int read_imageh(float)", "read_imageh(1.0f)", "_Z11read_imagehf"),
        // Names that only begin as those of conversions.
        ("int convert_index(int)", "convert_index(1)", "_Z13convert_indexi"),
        ("float convert_half_life(int)", "convert_half_life(1)", "_Z17convert_half_lifei"),
    ] {
        let text = format!(
            "__attribute__((overloadable)) {declared};
             kernel void k(global int *a, global float *f) {{ a[0] = {called}; }}"
        );
        let compiled = apart::compile(&request(&text)).unwrap_or_else(|failure| panic!("{declared}: {failure}"));
        let decoded = oxicl_spirv::decode(&compiled.spirv).expect("decodes");
        let object = oxicl_validate::validate_object(decoded, DeviceCaps::host());
        let object = object.unwrap_or_else(|violations| panic!("{declared}: {violations:?}"));
        assert_eq!(object.complete().err().map(<[String]>::to_vec), Some(vec![symbol.to_owned()]), "{declared}");
    }
}

/// LLVM's SPIR-V target would extend by the sign of the result.
#[test]
fn conversions_between_integers_extend_by_the_sign_of_the_operand() {
    for (from, to, wanted) in [
        ("char", "short", Op::SConvert),
        ("char", "int", Op::SConvert),
        ("char", "uint", Op::SConvert),
        ("uchar", "ushort", Op::UConvert),
        ("uint", "long", Op::UConvert),
        ("int4", "ulong4", Op::SConvert),
        ("uchar16", "short16", Op::UConvert),
    ] {
        for mode in ["", "_rtz"] {
            let text = format!("kernel void k(global {from} *i, global {to} *o) {{ *o = convert_{to}{mode}(*i); }}");
            let decoded = oxicl_spirv::decode(&module(&request(&text)).spirv).expect("decodes");
            let all = decoded.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.instructions);
            let found: Vec<Op> = all.map(|i| i.op).filter(|op| matches!(op, Op::SConvert | Op::UConvert)).collect();
            assert!(!found.is_empty() && found.iter().all(|op| *op == wanted), "{text}: {found:?}");
        }
    }
}

/// LLVM's SPIR-V target would give a variable the type that a built-in function or an atomic instruction has it as.
#[test]
fn variables_in_local_memory_keep_their_size() {
    use oxicl_spirv::Type;
    use oxicl_spirv::grammar::StorageClass;
    for (variable, size, statement) in [
        ("ushort a[4096]", 8192, "vstore_half4((float4)(1), 2, (local half *)a); async_work_group_copy(a, b, 9, 0);"),
        ("float a[4096]", 16384, "vstore4((float4)(1), 2, a);"),
        ("float4 a[512]", 8192, "vstore4((float4)(1), 2, (local float *)a);"),
        ("int2 a[4]", 32, "atomic_inc((local int *)a);"),
        ("long a", 8, "atomic_max((local uint *)&a, 2u); atomic_cmpxchg((local int *)&a, 1, 2);"),
        ("struct { int n; float x[8]; } a", 36, "atomic_xchg(&a.n, 1);"),
    ] {
        let text = format!("kernel void k(global ushort *b) {{ local {variable}; {statement} }}");
        for standard in [Standard::C12, Standard::C30] {
            let options = SourceOptions { standard: Some(standard), ..SourceOptions::default() };
            let module = module(&SourceRequest { options, ..request(&text) });
            let decoded = oxicl_spirv::decode(&module.spirv).expect("decodes");
            let layouts = oxicl_spirv::Layouts::of(&decoded);
            let local = decoded.globals.iter().filter(|variable| variable.storage == StorageClass::Workgroup);
            let sizes: Vec<_> = local
                .map(|variable| match decoded.ty(variable.ty) {
                    Type::Pointer { pointee, .. } => layouts.size_of(*pointee),
                    other => panic!("{other:?}"),
                })
                .collect();
            assert_eq!(sizes, [Some(size)], "{text}");
        }
    }
}

/// As loops over bytes, nobody would see what an array begins with.
#[test]
fn long_arrays_begin_with_copies() {
    for (array, read) in [
        ("const float4 a[5] = {(float4)1, (float4)2, (float4)3, (float4)4, (float4)5}", "a[n % 5].x"),
        ("float a[64] = {0}; a[n] = 1", "a[n / 2]"),
        ("struct { float x[40]; } a, b = {{1, 2, 3}}; a = b; b.x[n] = 4", "a.x[n] + b.x[n]"),
    ] {
        let module = module(&request(&format!("kernel void k(global float *to, uint n) {{ {array}; *to = {read}; }}")));
        let decoded = oxicl_spirv::decode(&module.spirv).expect("decodes");
        let instructions = || {
            let blocks = decoded.functions.iter().flat_map(|function| &function.blocks);
            blocks.flat_map(|block| &block.instructions).map(|instruction| instruction.op)
        };
        assert!(instructions().any(|op| op == Op::CopyMemorySized), "{array}");
        assert!(!instructions().any(|op| matches!(op, Op::Phi | Op::BranchConditional)), "{array}");
    }
}

/// LLVM's SPIR-V target would mask the wide number itself, or one without a type.
#[test]
fn numbers_that_pass_through_a_narrower_type_are_masked_in_the_width_of_the_result() {
    for (from, through, to) in [
        ("uint", "uchar", "ushort"),
        ("ulong", "uchar", "short"),
        ("ulong", "ushort", "uint"),
        ("long", "uchar", "int"),
        ("uint4", "uchar4", "ushort4"),
        ("ulong16", "ushort16", "int16"),
        ("ushort", "uchar", "uint"),
        ("ushort4", "uchar4", "int4"),
        ("uint2", "ushort2", "ulong2"),
    ] {
        let convert = |ty: &str, value: &str| match ty.ends_with(char::is_numeric) {
            true => format!("convert_{ty}({value})"),
            false => format!("({ty})({value})"),
        };
        let value = convert(to, &convert(through, "*i"));
        let text = format!("kernel void k(global {from} *i, global {to} *o) {{ *o = {value}; }}");
        let decoded = oxicl_spirv::decode(&module(&request(&text)).spirv).expect("decodes");
        let valid = oxicl_validate::validate(decoded, DeviceCaps::host()).expect("valid");
        assert!(valid.warnings().is_empty(), "{text}: {:?}", valid.warnings());
    }
}

/// Functions that kernels reach are called kept, others unused.
const REACHED: &str = r#"
    uint kept_later(uint x);
    uint unused_declared(uint x);
    static uint kept_static(uint x) { return x + 1; }
    uint kept_plain(uint x) { return kept_static(x) + kept_later(x); }
    inline uint kept_inline(uint x) { return x * 3; }
    uint __attribute__((overloadable)) kept_overloaded(uint x) { return x * 5; }
    uint __attribute__((overloadable)) unused_overloaded(float x) { return (uint)x; }
    static uint unused_static(uint x) { return x + 2; }
    uint unused_plain(uint x) { printf("unused_text %u", x); return unused_static(x) + unused_overloaded(2.0f); }
    inline uint unused_inline(uint x) { return unused_plain(x); }
    kernel void kept_called(global uint *p) { *p += kept_plain(1); }
    kernel void k(global uint *p) { kept_called(p); printf("kept_text"); *p += kept_inline(2) + kept_overloaded(3u); }
    uint kept_later(uint x) { return x ^ 1; }
    global uint seen_later;
"#;
const REACHED_CPP: &str = r#"
    namespace outer { namespace inner {
        uint kept_deep(uint x) { return x + 1; }
        uint unused_deep(uint x) { return x + 2; }
        uint kept_declared(uint x);
    } }
    extern "C" { uint kept_c(uint x) { return x + 3; } uint unused_c(uint x) { return x + 4; } }
    uint outer::inner::kept_declared(uint x) { return x * 7; }
    template <typename T> T kept_template(T x) { return x + x; }
    template <typename T> T unused_template(T x) { return x - x; }
    template uint unused_template<uint>(uint);
    struct box {
        uint value;
        uint kept_method(uint x) const { return value + x; }
        uint kept_outside(uint x) const;
        uint unused_method(uint x) const { return value - x; }
        uint unused_outside(uint x) const;
    };
    uint box::kept_outside(uint x) const { return value * x; }
    uint box::unused_outside(uint x) const { return value / x; }
    kernel void k(global uint *p) {
        auto kept = [](uint x) { return outer::inner::kept_declared(x); };
        box b = { 3 };
        *p = outer::inner::kept_deep(1) + kept_c(2) + kept_template(3u) + b.kept_method(4) + b.kept_outside(5) + kept(6);
    }
"#;

#[test]
fn what_no_kernel_of_a_whole_program_reaches_leaves_no_trace() {
    for (standard, text, kept) in [
        (Standard::C12, REACHED, &["later", "static", "plain", "inline", "overloaded", "called"][..]),
        (Standard::C30, REACHED, &["later", "static", "plain", "inline", "overloaded", "called"]),
        (Standard::Cpp2021, REACHED_CPP, &["deep", "declared", "c", "template", "method", "outside"]),
    ] {
        let options = SourceOptions { standard: Some(standard), ..SourceOptions::default() };
        let text =
            if standard == Standard::C12 { text.replace("    global uint seen_later;\n", "") } else { text.into() };
        let parts = SourceRequest { options, ..request(&text) };
        let whole = SourceRequest { whole: true, ..parts.clone() };
        let has = |module: &SourceModule, name: &str| !strings(module, name).is_empty();
        let (all, some) = (apart::compile(&parts).expect("compiles"), module(&whole));
        for name in kept {
            assert!(has(&some, &format!("kept_{name}")), "{standard:?}: kept_{name} is gone");
        }
        assert!(has(&all, "unused_"), "{standard:?}: a program to be linked has what others may call");
        assert_eq!(strings(&some, "unused_"), [""; 0], "{standard:?}");
        // The host may ask how large all variables are.
        assert_eq!(has(&some, "seen_later"), standard == Standard::C30, "{standard:?}");
    }
}

#[test]
fn what_no_kernel_reaches_has_to_be_right_all_the_same() {
    let kernel = "kernel void k(global uint *p) { *p = 1; }\n";
    for (wrong, error) in [
        ("uint unused(uint x) { return y; }\n", "<source>:2:30: error: use of undeclared identifier 'y'"),
        ("uint unused(uint);\nstatic uint unused(uint x) { return x; }\n", "static declaration of 'unused' follows"),
        ("uint unused(uint x) { return x; }\nuint unused(uint x) { return x; }\n", "redefinition of 'unused'"),
    ] {
        let whole = SourceRequest { whole: true, ..request(&format!("{kernel}{wrong}")) };
        let log = failure(&whole);
        assert!(log.contains(error), "{log}");
    }
}
