//! Programs of several modules: libraries, choices between definitions, addresses across modules, specialisation.

use std::ffi::CStr;
use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::sources::{assembled, build, build_number, build_text, program, program_bytes, result};
use crate::support::{Setup, call, create, ok};

/// What every module here starts with, up to its declarations; `DECORATE` has the linkage.
fn module(capabilities: &str, decorations: &str, rest: &str) -> Vec<u8> {
    assembled(&format!(
        "OpCapability Addresses\nOpCapability Kernel\nOpCapability Linkage\nOpCapability Int64\n{capabilities}\n\
         OpMemoryModel Physical64 OpenCL\n{decorations}\n%void = OpTypeVoid\n%uint = OpTypeInt 32 0\n\
         %three = OpConstant %uint 3\n%pointer = OpTypePointer CrossWorkgroup %uint\n\
         %fn = OpTypeFunction %uint %uint\n%kernel_fn = OpTypeFunction %void %pointer\n{rest}"
    ))
}

/// A function `name` of one number that is `body`, which gives `%r` from `%x`.
fn function(name: &str, linkage: &str, body: &str) -> Vec<u8> {
    module(
        "OpExtension \"SPV_KHR_linkonce_odr\"",
        &format!("OpDecorate %f LinkageAttributes \"{name}\" {linkage}"),
        &format!(
            "%f = OpFunction %uint None %fn\n%x = OpFunctionParameter %uint\n%l = OpLabel\n{body}\nOpReturnValue %r\n\
             OpFunctionEnd\n"
        ),
    )
}

/// A kernel `main` that stores `name(3)`.
fn caller(name: &str) -> Vec<u8> {
    module(
        "",
        &format!("OpEntryPoint Kernel %main \"main\"\nOpDecorate %f LinkageAttributes \"{name}\" Import"),
        "%f = OpFunction %uint None %fn\n%fx = OpFunctionParameter %uint\nOpFunctionEnd\n\
         %main = OpFunction %void None %kernel_fn\n%out = OpFunctionParameter %pointer\n%l = OpLabel\n\
         %r = OpFunctionCall %uint %f %three\nOpStore %out %r Aligned 4\nOpReturn\nOpFunctionEnd\n",
    )
}

fn compiled(s: &Setup, il: &[u8]) -> cl::cl_program {
    let p = program(s, il);
    let code = call!(clCompileProgram(p, 0, null(), null(), 0, null(), null_mut(), None, null_mut()));
    assert_eq!(code, cl::CL_SUCCESS, "{}", build_text(s, p, cl::CL_PROGRAM_BUILD_LOG));
    p
}

/// Links; gives the program, the error code and the log.
fn link(s: &Setup, options: &CStr, inputs: &[cl::cl_program]) -> (cl::cl_program, cl::cl_int, String) {
    let (mut code, count) = (1, inputs.len() as u32);
    let (list, options) = (inputs.as_ptr(), options.as_ptr());
    let linked = call!(clLinkProgram(s.context, 0, null(), options, count, list, None, null_mut(), &mut code));
    assert!(!linked.is_null(), "a program that cannot be linked is there for its log: {code}");
    let log = build_text(s, linked, cl::CL_PROGRAM_BUILD_LOG);
    (linked, code, log)
}

/// Links as an executable, and gives what `main` stores.
fn linked_result(s: &Setup, inputs: &[&[u8]]) -> Result<i32, String> {
    let inputs: Vec<_> = inputs.iter().map(|il| compiled(s, il)).collect();
    let (linked, code, log) = link(s, c"", &inputs);
    let found = if code == cl::CL_SUCCESS { Ok(result(s, linked, "main")) } else { Err(log) };
    for program in inputs.into_iter().chain([linked]) {
        ok!(clReleaseProgram(program));
    }
    found
}

const TWICE: &str = "%r = OpIAdd %uint %x %x";
const SQUARE: &str = "%r = OpIMul %uint %x %x";

#[test]
fn a_library_is_linked_into_a_library_and_that_into_an_executable() {
    let s = Setup::new();
    let inner = compiled(&s, &function("inner", "Export", TWICE));
    let outer = compiled(
        &s,
        &module(
            "",
            "OpDecorate %f LinkageAttributes \"outer\" Export\nOpDecorate %g LinkageAttributes \"inner\" Import",
            "%g = OpFunction %uint None %fn\n%gx = OpFunctionParameter %uint\nOpFunctionEnd\n\
             %f = OpFunction %uint None %fn\n%x = OpFunctionParameter %uint\n%l = OpLabel\n\
             %y = OpFunctionCall %uint %g %x\n%r = OpIAdd %uint %y %three\nOpReturnValue %r\nOpFunctionEnd\n",
        ),
    );
    let main = compiled(&s, &caller("outer"));
    // The library keeps its import open.
    let (library, code, log) = link(&s, c"-create-library -enable-link-options -cl-no-signed-zeros", &[outer]);
    assert_eq!(code, cl::CL_SUCCESS, "{log}");
    let (both, code, log) = link(&s, c"-create-library", &[inner, library]);
    assert_eq!(code, cl::CL_SUCCESS, "{log}");
    assert_eq!(build_number(&s, both, cl::CL_PROGRAM_BINARY_TYPE), cl::CL_PROGRAM_BINARY_TYPE_LIBRARY);
    // Through a binary, too.
    let bytes = &program_bytes(both, cl::CL_PROGRAM_BINARY_SIZES)[..8];
    let mut binary = vec![0u8; usize::from_ne_bytes(bytes.try_into().expect("eight bytes"))];
    let mut list = [binary.as_mut_ptr()];
    ok!(clGetProgramInfo(both, cl::CL_PROGRAM_BINARIES, 8, list.as_mut_ptr().cast(), null_mut()));
    let (lengths, bytes) = ([binary.len()], [binary.as_ptr()]);
    let devices = [s.device];
    let again = create!(clCreateProgramWithBinary(
        s.context,
        1,
        devices.as_ptr(),
        lengths.as_ptr(),
        bytes.as_ptr().cast_mut(),
        null_mut()
    ));
    for library in [both, again] {
        let (linked, code, log) = link(&s, c"", &[main, library]);
        assert_eq!(code, cl::CL_SUCCESS, "{log}");
        assert_eq!(result(&s, linked, "main"), 9);
        ok!(clReleaseProgram(linked));
    }
    let (alone, code, log) = link(&s, c"", &[main, library]);
    assert_eq!(code, cl::CL_LINK_PROGRAM_FAILURE);
    assert!(log.contains("`inner`") && !log.contains("`outer`"), "{log}");
    for program in [inner, outer, main, library, both, again, alone] {
        ok!(clReleaseProgram(program));
    }
}

#[test]
fn an_export_goes_before_definitions_that_are_equal_by_promise_and_of_these_the_first_is_taken() {
    let s = Setup::new();
    let main = caller("f");
    let (odr, other) = (function("f", "LinkOnceODR", TWICE), function("f", "LinkOnceODR", SQUARE));
    let export = function("f", "Export", "%r = OpISub %uint %x %three");
    assert_eq!(linked_result(&s, &[&main, &odr, &other]), Ok(6));
    assert_eq!(linked_result(&s, &[&other, &main, &odr]), Ok(9));
    assert_eq!(linked_result(&s, &[&odr, &main, &export, &other]), Ok(0));
    let log = linked_result(&s, &[&main, &export, &export]).expect_err("defined twice");
    assert!(log.contains("`f`") && log.contains("more than one module"), "{log}");
}

#[test]
fn what_is_imported_with_another_type_is_named() {
    let s = Setup::new();
    let other = module(
        "",
        "OpDecorate %f LinkageAttributes \"f\" Export",
        "%ulong = OpTypeInt 64 0\n%fn2 = OpTypeFunction %uint %ulong\n%f = OpFunction %uint None %fn2\n\
         %x = OpFunctionParameter %ulong\n%l = OpLabel\nOpReturnValue %three\nOpFunctionEnd\n",
    );
    let variable =
        module("", "OpDecorate %f LinkageAttributes \"f\" Export", "%f = OpVariable %pointer CrossWorkgroup %three\n");
    for wrong in [other, variable] {
        let log = linked_result(&s, &[&caller("f"), &wrong]).expect_err("another type");
        assert!(log.contains("`f`") && log.contains("different types"), "{log}");
    }
}

#[test]
fn an_initialiser_points_to_a_variable_of_a_module_that_comes_later() {
    let s = Setup::new();
    let main = module(
        "",
        "OpEntryPoint Kernel %main \"main\" %at\nOpDecorate %x LinkageAttributes \"x\" Import",
        "%pp = OpTypePointer CrossWorkgroup %pointer\n%x = OpVariable %pointer CrossWorkgroup\n\
         %at = OpVariable %pp CrossWorkgroup %x\n%main = OpFunction %void None %kernel_fn\n\
         %out = OpFunctionParameter %pointer\n%l = OpLabel\n%p = OpLoad %pointer %at Aligned 8\n\
         %r = OpLoad %uint %p Aligned 4\nOpStore %out %r Aligned 4\nOpReturn\nOpFunctionEnd\n",
    );
    let defines = module(
        "",
        "OpDecorate %x LinkageAttributes \"x\" Export",
        "%value = OpConstant %uint 77\n%x = OpVariable %pointer CrossWorkgroup %value\n",
    );
    assert_eq!(linked_result(&s, &[&main, &defines]), Ok(77));
    assert_eq!(linked_result(&s, &[&defines, &main]), Ok(77));
}

#[test]
fn a_module_is_specialised_when_it_is_compiled() {
    let s = Setup::new();
    let body = "%r = OpIAdd %uint %x %own";
    let il = module(
        "",
        "OpDecorate %f LinkageAttributes \"f\" Export\nOpDecorate %own SpecId 5",
        &format!(
            "%own = OpSpecConstant %uint 10\n%f = OpFunction %uint None %fn\n%x = OpFunctionParameter %uint\n\
             %l = OpLabel\n{body}\nOpReturnValue %r\nOpFunctionEnd\n"
        ),
    );
    let main = compiled(&s, &caller("f"));
    let library = program(&s, &il);
    for (value, expected) in [(None, 13), (Some(100_u32), 103), (Some(7), 10)] {
        if let Some(value) = value {
            ok!(clSetProgramSpecializationConstant(library, 5, 4, (&raw const value).cast()));
        }
        ok!(clCompileProgram(library, 0, null(), null(), 0, null(), null_mut(), None, null_mut()));
        let (linked, code, log) = link(&s, c"", &[main, library]);
        assert_eq!(code, cl::CL_SUCCESS, "{log}");
        assert_eq!(result(&s, linked, "main"), expected);
        ok!(clReleaseProgram(linked));
    }
    // A module with an import is an object: it compiles, and does not build.
    assert_eq!(build(main, c""), cl::CL_BUILD_PROGRAM_FAILURE);
    ok!(clReleaseProgram(main));
    ok!(clReleaseProgram(library));
}

/// A kernel `main` that counts in its first number by a function that compilers leave to whoever links.
fn counter() -> Vec<u8> {
    module(
        "OpCapability Int8",
        "OpEntryPoint Kernel %main \"main\"\nOpDecorate %inc LinkageAttributes \"_Z10atomic_incPU3AS1Vj\" Import",
        "%uchar = OpTypeInt 8 0\n%bytes = OpTypePointer CrossWorkgroup %uchar\n\
         %inc_fn = OpTypeFunction %uint %bytes\n%inc = OpFunction %uint None %inc_fn\n\
         %ip = OpFunctionParameter %bytes\nOpFunctionEnd\n\
         %main = OpFunction %void None %kernel_fn\n%out = OpFunctionParameter %pointer\n%l = OpLabel\n\
         %b = OpBitcast %bytes %out\n%r = OpFunctionCall %uint %inc %b\nOpReturn\nOpFunctionEnd\n",
    )
}

#[test]
fn functions_of_opencl_c_stay_open_in_a_library_and_are_given_in_an_executable() {
    let s = Setup::new();
    let il = counter();
    let built = program(&s, &il);
    assert_eq!(build(built, c""), cl::CL_SUCCESS, "{}", build_text(&s, built, cl::CL_PROGRAM_BUILD_LOG));
    assert_eq!(result(&s, built, "main"), 1);
    // What the build was given stands in nobody's way.
    ok!(clCompileProgram(built, 0, null(), null(), 0, null(), null_mut(), None, null_mut()));
    let helper = compiled(&s, &function("f", "Export", TWICE));
    for inputs in [&[built][..], &[built, helper], &[compiled(&s, &il), helper]] {
        let (linked, code, log) = link(&s, c"", inputs);
        assert_eq!(code, cl::CL_SUCCESS, "{log}");
        assert_eq!(result(&s, linked, "main"), 1);
        ok!(clReleaseProgram(linked));
    }
    // The application's own goes before that of the language, also in a library.
    let own = module(
        "OpCapability Int8",
        "OpDecorate %f LinkageAttributes \"_Z10atomic_incPU3AS1Vj\" Export",
        "%f_type = OpTypeFunction %uint %pointer\n%f = OpFunction %uint None %f_type\n\
         %x = OpFunctionParameter %pointer\n%l = OpLabel\nOpStore %x %three Aligned 4\nOpReturnValue %three\n\
         OpFunctionEnd\n",
    );
    assert_eq!(linked_result(&s, &[&il, &own]), Ok(3));
    let (library, code, log) = link(&s, c"-create-library", &[compiled(&s, &il), helper]);
    assert_eq!(code, cl::CL_SUCCESS, "{log}");
    for (inputs, expected) in [(&[library][..], 1), (&[library, compiled(&s, &own)], 3)] {
        let (linked, code, log) = link(&s, c"", inputs);
        assert_eq!(code, cl::CL_SUCCESS, "{log}");
        assert_eq!(result(&s, linked, "main"), expected);
        ok!(clReleaseProgram(linked));
    }
}
