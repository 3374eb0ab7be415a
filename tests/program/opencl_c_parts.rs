//! OpenCL C in parts: headers, objects, libraries, binaries of them, and what may be done with each.

use std::ffi::{CStr, CString, c_char};
use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::opencl_c::Folder;
use crate::sources::{
    IL, build, build_number, build_text, built_from_source, from_source, program, program_bytes, result_of,
};
use crate::support::{Setup, call, create, ok, table};

const MAIN: &str = "uint twice(uint); extern constant uint table[3];
    kernel void k(global uint *out) { *out = twice(table[1]) + BASE; }";
const TWICE: &str = "static uint helper(uint x) { return 2 * x; } uint twice(uint x) { return helper(x); }";
const TABLE: &str = "static uint helper(uint x) { return x; } constant uint table[] = { 1, 20, 3 };
    uint unused(uint x) { return helper(x); }";

/// Compiles with headers.
fn compile(program: cl::cl_program, options: &CStr, headers: &[(&str, cl::cl_program)]) -> cl::cl_int {
    let names: Vec<CString> = headers.iter().map(|(name, _)| CString::new(*name).expect("a name")).collect();
    let mut names: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
    let programs: Vec<cl::cl_program> = headers.iter().map(|(_, program)| *program).collect();
    let count = u32::try_from(headers.len()).expect("few");
    let (programs, names) =
        if headers.is_empty() { (null(), null_mut()) } else { (programs.as_ptr(), names.as_mut_ptr()) };
    call!(clCompileProgram(program, 0, null(), options.as_ptr(), count, programs, names, None, null_mut()))
}

fn compiled(s: &Setup, source: &str, options: &CStr) -> cl::cl_program {
    let p = from_source(s, source);
    assert_eq!(compile(p, options, &[]), cl::CL_SUCCESS, "{}", build_text(s, p, cl::CL_PROGRAM_BUILD_LOG));
    p
}

fn link(s: &Setup, options: &CStr, inputs: &[cl::cl_program]) -> (cl::cl_program, cl::cl_int) {
    let mut code = 1;
    let count = u32::try_from(inputs.len()).expect("few");
    let options = options.as_ptr();
    let linked =
        call!(clLinkProgram(s.context, 0, null(), options, count, inputs.as_ptr(), None, null_mut(), &mut code));
    (linked, code)
}

fn linked(s: &Setup, options: &CStr, inputs: &[cl::cl_program]) -> cl::cl_program {
    let (p, code) = link(s, options, inputs);
    assert_eq!(code, cl::CL_SUCCESS, "{}", build_text(s, p, cl::CL_PROGRAM_BUILD_LOG));
    p
}

/// The program that the binary of another makes.
fn reloaded(s: &Setup, p: cl::cl_program) -> cl::cl_program {
    let size = program_bytes(p, cl::CL_PROGRAM_BINARY_SIZES);
    let mut bytes = vec![0_u8; usize::from_ne_bytes(size.try_into().expect("one size"))];
    let mut places = [bytes.as_mut_ptr()];
    ok!(clGetProgramInfo(p, cl::CL_PROGRAM_BINARIES, 8, places.as_mut_ptr().cast(), null_mut()));
    let mut list = [bytes.as_ptr()];
    create!(clCreateProgramWithBinary(s.context, 1, &s.device, &bytes.len(), list.as_mut_ptr(), null_mut()))
}

fn release(programs: &[cl::cl_program]) {
    for program in programs {
        ok!(clReleaseProgram(*program));
    }
}

#[test]
fn objects_and_libraries_are_linked() {
    let s = Setup::new();
    let main = compiled(&s, MAIN, c"-DBASE=1");
    assert_eq!(build_number(&s, main, cl::CL_PROGRAM_BINARY_TYPE), cl::CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    let twice = compiled(&s, TWICE, c"-cl-std=CL3.0");
    let table = compiled(&s, TABLE, c"");
    let all = linked(&s, c"", &[main, twice, table]);
    assert_eq!(result_of(&s, all, "k"), 41);
    let library = linked(&s, c"-create-library -enable-link-options -cl-finite-math-only", &[twice, table]);
    assert_eq!(build_number(&s, library, cl::CL_PROGRAM_BINARY_TYPE), cl::CL_PROGRAM_BINARY_TYPE_LIBRARY);
    let with_library = linked(&s, c"-cl-fast-relaxed-math", &[main, library]);
    assert_eq!(result_of(&s, with_library, "k"), 41);
    // The parts are not needed any more.
    release(&[main, twice, table, library]);
    assert_eq!(result_of(&s, all, "k"), 41);
    release(&[all, with_library]);
}

#[test]
fn what_is_missing_or_there_twice_is_named_in_the_log() {
    let s = Setup::new();
    let main = compiled(&s, MAIN, c"-DBASE=1");
    let twice = compiled(&s, TWICE, c"");
    for (inputs, name) in [(&[main, twice][..], "table"), (&[main, twice, twice], "twice")] {
        let (p, code) = link(&s, c"", inputs);
        assert_eq!(code, cl::CL_LINK_PROGRAM_FAILURE);
        assert_eq!(build_number(&s, p, cl::CL_PROGRAM_BUILD_STATUS).cast_signed(), cl::CL_BUILD_ERROR);
        let log = build_text(&s, p, cl::CL_PROGRAM_BUILD_LOG);
        assert!(log.contains(name), "{log}");
        release(&[p]);
    }
    let p = from_source(&s, MAIN);
    assert_eq!(build(p, c"-DBASE=1"), cl::CL_BUILD_PROGRAM_FAILURE, "a whole program imports nothing");
    let log = build_text(&s, p, cl::CL_PROGRAM_BUILD_LOG);
    assert!(log.contains("twice") && log.contains("table"), "{log}");
    release(&[p, main, twice]);
}

#[test]
fn functions_with_the_names_of_built_in_functions_and_other_types_are_called() {
    let s = Setup::new();
    let declared = "#define OTHER __attribute__((overloadable))
        OTHER uint atomic_dec(uint); OTHER uint atomic_inc(global float *); OTHER uint convert_index(uint);";
    let text = "kernel void k(global uint *out) {
        *out = 1;
        *out = atomic_dec(*out) + atomic_inc((global float *)out) + convert_index(*out);
    }";
    let main = compiled(&s, &format!("{declared} {text}"), c"");
    let text = "OTHER uint atomic_dec(uint x) { return x + 1; } OTHER uint atomic_inc(global float *x) { return 10; }
        OTHER uint convert_index(uint x) { return x * 30; }";
    let others = compiled(&s, &format!("{declared} {text}"), c"");
    let p = linked(&s, c"", &[main, others]);
    assert_eq!(result_of(&s, p, "k"), 42);
    release(&[main, others, p]);
}

#[test]
fn a_kernel_calls_kernels_of_its_own_program_and_of_another() {
    let s = Setup::new();
    let main = compiled(
        &s,
        "extern kernel void other(global uint *out, uint x); kernel void here(global uint *out) { *out *= 2; }
         kernel void k(global uint *out) { other(out, 20); here(out); }",
        c"",
    );
    let other = compiled(&s, "kernel void other(global uint *out, uint x) { *out = x + 1; }", c"");
    let p = linked(&s, c"", &[main, other]);
    assert_eq!(result_of(&s, p, "k"), 42);
    let (failed, code) = link(&s, c"", &[main]);
    assert_eq!(code, cl::CL_LINK_PROGRAM_FAILURE);
    assert!(build_text(&s, failed, cl::CL_PROGRAM_BUILD_LOG).contains("other"));
    release(&[main, other, p, failed]);
}

#[test]
fn a_variable_with_gaps_is_the_same_in_every_program() {
    let s = Setup::new();
    let pair = "typedef struct { uchar c; uint i; ushort s; ulong l; } Pair;";
    let text = "global Pair pair = { 1, 20, 3, 400 }; uint get(void) { return pair.i; }";
    let there = compiled(&s, &format!("{pair} {text}"), c"-cl-std=CL3.0");
    let text = "extern global Pair pair;
        kernel void k(global uint *out) { *out = pair.c + pair.i + pair.s + (uint)pair.l; }";
    let here = compiled(&s, &format!("{pair} {text}"), c"-cl-std=CL3.0");
    let p = linked(&s, c"", &[here, there]);
    assert_eq!(result_of(&s, p, "k"), 424);
    release(&[here, there, p]);
}

#[test]
fn headers_are_found_by_name_before_files() {
    let s = Setup::new();
    let folder = Folder::new("headers");
    folder.write("base.h", "#define BASE 1000\n");
    folder.write("file.h", "#define FROM_FILE 300\n");
    let options = CString::new(folder.option()).expect("options");
    let base = from_source(&s, "#include \"inner/deep.h\"\n#define BASE (1 + DEEP)\n");
    let deep = from_source(&s, "#define DEEP 4\n");
    let other = from_source(&s, "#define DEEP 50\n");
    let main = from_source(
        &s,
        "#include \"base.h\"\n#include <file.h>\nkernel void k(global uint *out) { *out = BASE + FROM_FILE; }",
    );
    // "If multiple entries in header_include_names refer to the same header name, the first one encountered will be used."
    let headers = [("base.h", base), ("inner/deep.h", deep), ("inner/deep.h", other)];
    assert_eq!(compile(main, &options, &headers), cl::CL_SUCCESS, "{}", build_text(&s, main, cl::CL_PROGRAM_BUILD_LOG));
    let p = linked(&s, c"", &[main]);
    assert_eq!(result_of(&s, p, "k"), 305);
    release(&[p]);
    assert_eq!(compile(main, &options, &headers[..1]), cl::CL_COMPILE_PROGRAM_FAILURE);
    let log = build_text(&s, main, cl::CL_PROGRAM_BUILD_LOG);
    assert!(log.contains("inner/deep.h"), "{log}");
    release(&[base, deep, other, main]);
}

#[test]
fn binaries_of_all_kinds_are_what_they_were() {
    let s = Setup::new();
    let main = compiled(&s, MAIN, c"-DBASE=2");
    let twice = compiled(&s, TWICE, c"");
    let table = compiled(&s, TABLE, c"");
    let library = linked(&s, c"-create-library", &[twice, table]);
    let parts = [reloaded(&s, main), reloaded(&s, library)];
    assert_eq!(build_number(&s, parts[0], cl::CL_PROGRAM_BINARY_TYPE), cl::CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    assert_eq!(build_number(&s, parts[1], cl::CL_PROGRAM_BINARY_TYPE), cl::CL_PROGRAM_BINARY_TYPE_LIBRARY);
    assert_eq!(program_bytes(parts[0], cl::CL_PROGRAM_SOURCE), b"\0");
    let p = linked(&s, c"-cl-no-signed-zeros", &parts);
    assert_eq!(result_of(&s, p, "k"), 42);
    let again = reloaded(&s, p);
    assert_eq!(build_number(&s, again, cl::CL_PROGRAM_BINARY_TYPE), cl::CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    ok!(clBuildProgram(again, 0, null(), null(), None, null_mut()));
    assert_eq!(result_of(&s, again, "k"), 42);
    let whole = built_from_source(&s, "kernel void k(global uint *out) { *out = V; }", "-DV=9");
    let whole_again = reloaded(&s, whole);
    ok!(clBuildProgram(whole_again, 0, null(), null(), None, null_mut()));
    assert_eq!(result_of(&s, whole_again, "k"), 9);
    table! {
        "build an object" => CL_INVALID_BINARY, build(parts[0], c"");
        "build a library" => CL_INVALID_BINARY, build(parts[1], c"");
        "build what was linked" => CL_INVALID_OPERATION, build(p, c"");
        "compile a binary" => CL_INVALID_OPERATION, compile(again, c"", &[]);
        "compile what was linked" => CL_INVALID_OPERATION, compile(p, c"", &[]);
        "link an executable" => CL_INVALID_OPERATION, link(&s, c"", &[p]).1;
        "link an executable and an object" => CL_INVALID_OPERATION, link(&s, c"", &[p, main]).1;
    }
    release(&[main, twice, table, library, parts[0], parts[1], p, again, whole, whole_again]);
}

#[test]
fn errors_of_compiling_with_headers_and_linking() {
    let s = Setup::new();
    let other = Setup::new();
    let main = from_source(&s, "#include \"h.h\"\nkernel void k(global uint *out) { *out = 1; }");
    let header = from_source(&s, "");
    let foreign = from_source(&other, "");
    let il = program(&s, &IL);
    let with = |count, headers: *const cl::cl_program, names: *mut *const c_char| {
        call!(clCompileProgram(main, 0, null(), null(), count, headers, names, None, null_mut()))
    };
    let mut name = [c"h.h".as_ptr()];
    let mut no_name: [*const c_char; 1] = [null()];
    let bad = null_mut();
    table! {
        "headers without a count" => CL_INVALID_VALUE, with(0, &header, null_mut());
        "names without a count" => CL_INVALID_VALUE, with(0, null(), name.as_mut_ptr());
        "no headers" => CL_INVALID_VALUE, with(1, null(), name.as_mut_ptr());
        "no names" => CL_INVALID_VALUE, with(1, &header, null_mut());
        "a null name" => CL_INVALID_VALUE, with(1, &header, no_name.as_mut_ptr());
        "a null header" => CL_INVALID_PROGRAM, with(1, &bad, name.as_mut_ptr());
        "a header of another context" => CL_INVALID_CONTEXT, with(1, &foreign, name.as_mut_ptr());
        "a header that is no source" => CL_INVALID_OPERATION, with(1, &il, name.as_mut_ptr());
        "the linker's option" => CL_INVALID_COMPILER_OPTIONS, compile(main, c"-create-library", &[("h.h", header)]);
        "link what is not compiled" => CL_INVALID_OPERATION, link(&s, c"", &[main]).1;
        "good" => CL_SUCCESS, compile(main, c"", &[("h.h", header)]);
        "the compiler's option" => CL_INVALID_LINKER_OPTIONS, link(&s, c"-w", &[main]).1;
        "link options without a library" => CL_INVALID_LINKER_OPTIONS, link(&s, c"-enable-link-options", &[main]).1;
        "a program of another context" => CL_INVALID_CONTEXT, link(&s, c"", &[foreign]).1;
        "a compiled program and one that is not" => CL_INVALID_OPERATION, link(&s, c"", &[main, header]).1;
    }
    release(&[main, header, foreign, il]);
}

/// What exports them has nothing else.
#[test]
fn an_array_is_imported_without_its_length() {
    let s = Setup::new();
    let main = "extern constant uint numbers[]; extern global uint sums[];
        kernel void k(global uint *out) {
            uint i = *out & 1;
            sums[i + 1] += numbers[i + 3] - numbers[2];
            global uint *second = &sums[1];
            *out = numbers[i] + *second + (i ? numbers + 2 : numbers + 1)[1];
        }";
    let table = "constant uint numbers[4] = {1, 20, 300, 4000}; global uint sums[2] = {7, 50000};";
    let main = compiled(&s, main, c"-cl-std=CL3.0");
    let table = compiled(&s, table, c"-cl-std=CL3.0");
    let all = linked(&s, c"", &[main, table]);
    assert_eq!(result_of(&s, all, "k"), 54_001);
    let wrong = compiled(
        &s,
        "constant float numbers = 1; global uint sums[2]; float first(void) { return numbers; }",
        c"-cl-std=CL3.0",
    );
    let (p, code) = link(&s, c"", &[main, wrong]);
    assert_eq!(code, cl::CL_LINK_PROGRAM_FAILURE);
    let log = build_text(&s, p, cl::CL_PROGRAM_BUILD_LOG);
    assert!(log.contains("`numbers` has different types"), "{log}");
    release(&[main, table, all, wrong, p]);
}
