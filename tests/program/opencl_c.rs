//! Programs from OpenCL C: texts, options, logs, files.

use std::ffi::{CStr, c_void};
use std::path::PathBuf;
use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::sources::{build, build_number, build_text, built_from_source, from_source, program_bytes, result_of, text};
use crate::support::{Setup, call, create, ok};

/// Stores `VALUE`.
const STORE: &str = "kernel void k(global uint *out) { *out = VALUE; }";

/// A folder of a test's own, which goes with it.
pub struct Folder(pub PathBuf);

impl Folder {
    /// New and empty.
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("oxicl-source-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    /// Writes a file of it.
    pub fn write(&self, name: &str, content: &str) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder above")).expect("created");
        std::fs::write(path, content).expect("written");
    }

    /// The option that searches it.
    pub fn option(&self) -> String {
        format!("-I \"{}\"", self.0.display())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Builds; the result of kernel `k`, or the log.
fn outcome(s: &Setup, source: &str, options: &CStr) -> Result<u32, String> {
    let p = from_source(s, source);
    let code = build(p, options);
    let log = build_text(s, p, cl::CL_PROGRAM_BUILD_LOG);
    let status = build_number(s, p, cl::CL_PROGRAM_BUILD_STATUS).cast_signed();
    let result = match code {
        cl::CL_SUCCESS => {
            assert_eq!(status, cl::CL_BUILD_SUCCESS);
            Ok(result_of(s, p, "k"))
        }
        code => {
            assert_eq!((code, status), (cl::CL_BUILD_PROGRAM_FAILURE, cl::CL_BUILD_ERROR), "{log}");
            Err(log)
        }
    };
    ok!(clReleaseProgram(p));
    result
}

#[test]
fn strings_make_one_text_without_zeros() {
    let s = Setup::new();
    let parts = [c"kernel void ".to_bytes(), b"k(glo", b"bal uint *out) {\0\0 *out", c" = 7; }".to_bytes_with_nul()];
    // The first and the last end with a zero.
    let lengths = [0, parts[1].len(), parts[2].len(), 0];
    let first = [parts[0], b"\0"].concat();
    let mut strings = [first.as_ptr(), parts[1].as_ptr(), parts[2].as_ptr(), parts[3].as_ptr()].map(<*const u8>::cast);
    let p = create!(clCreateProgramWithSource(s.context, 4, strings.as_mut_ptr(), lengths.as_ptr()));
    let whole = "kernel void k(global uint *out) { *out = 7; }";
    assert_eq!(text(program_bytes(p, cl::CL_PROGRAM_SOURCE)), whole);
    assert_eq!(program_bytes(p, cl::CL_PROGRAM_IL), b"");
    assert_eq!(build(p, c""), cl::CL_SUCCESS);
    assert_eq!(result_of(&s, p, "k"), 7);
    assert_eq!(text(program_bytes(p, cl::CL_PROGRAM_SOURCE)), whole);
    assert_eq!(text(program_bytes(p, cl::CL_PROGRAM_KERNEL_NAMES)), "k");
    ok!(clReleaseProgram(p));
}

#[test]
fn a_log_names_what_is_wrong_and_its_line() {
    let s = Setup::new();
    let log = outcome(&s, "kernel void k(global uint *out)\n{\n  *out = none;\n}\n", c"").expect_err("no such name");
    assert!(log.contains(":3:") && log.contains("none"), "{log}");
    let log = outcome(&s, "#line 124 \"made/up.c\"\n#error stop here\n", c"").expect_err("an error");
    assert!(log.contains("made/up.c:124") && log.contains("stop here"), "{log}");
    let log = outcome(&s, "kernel void k(global uint *out) { \u{1}\u{7f}\u{ff} }", c"").expect_err("no text");
    assert!(log.contains("error"), "{log}");
}

#[test]
fn a_byte_order_mark_and_the_name_of_the_program_are_as_in_a_file() {
    let s = Setup::new();
    let source =
        "\u{feff}kernel void k(global uint *out) { constant char *n = __FILE__; *out = n[1] == 's' ? __LINE__ : 0; }";
    assert_eq!(outcome(&s, source, c""), Ok(1));
    let log = outcome(&s, "\u{feff}#error stop here", c"").expect_err("an error");
    assert!(log.starts_with("<source>:1:"), "{log}");
}

#[test]
fn warnings_stay_in_the_log_of_a_build_that_succeeds() {
    let s = Setup::new();
    let source = "#warning careful\nkernel void k(global uint *out) { *out = 1; }";
    let p = from_source(&s, source);
    assert_eq!(build(p, c""), cl::CL_SUCCESS);
    let log = build_text(&s, p, cl::CL_PROGRAM_BUILD_LOG);
    assert!(log.contains("careful") && log.contains("warning"), "{log}");
    assert_eq!(build(p, c"-w"), cl::CL_SUCCESS);
    assert_eq!(build_text(&s, p, cl::CL_PROGRAM_BUILD_LOG), "");
    assert_eq!(build(p, c"-Werror"), cl::CL_BUILD_PROGRAM_FAILURE);
    assert!(build_text(&s, p, cl::CL_PROGRAM_BUILD_LOG).contains("careful"));
    // What a failed build leaves is the log, and no kernels of the builds before.
    let mut code = 1;
    assert!(call!(clCreateKernel(p, c"k".as_ptr(), &mut code)).is_null());
    assert_eq!(code, cl::CL_INVALID_PROGRAM_EXECUTABLE);
    ok!(clReleaseProgram(p));
}

#[test]
fn a_pointer_to_scalars_initialises_one_to_vectors_as_in_older_compilers() {
    let s = Setup::new();
    let source =
        "kernel void k(global uint *out) { global uint2 *pairs = out; out[0] = 7 * (pairs == (global uint2 *)out); }";
    let p = from_source(&s, source);
    assert_eq!(build(p, c""), cl::CL_SUCCESS, "{}", build_text(&s, p, cl::CL_PROGRAM_BUILD_LOG));
    assert!(build_text(&s, p, cl::CL_PROGRAM_BUILD_LOG).contains("warning: incompatible pointer types"));
    ok!(clReleaseProgram(p));
    assert_eq!(outcome(&s, source, c""), Ok(7));
}

#[test]
fn definitions_are_seen_as_they_are_given() {
    let s = Setup::new();
    let values: &[(&CStr, u32)] = &[
        (c"-D VALUE", 1),
        (c"-DVALUE=5", 5),
        (c"-D VALUE=4 -DVALUE2=3", 4),
        (c"-DA=2 -DVALUE=A*3", 6),
        (c"-D \"VALUE=1 + 8\"", 9),
        (c"-D 'F(x)=(x)+2' -DVALUE=F(9)", 11),
        (c"-DVALUE=sizeof(\\\"abc\\\")", 4),
        (c"-DVALUE=3\\ +\\ 4", 7),
        (c"\t -DVALUE=12  -w ", 12),
        (c"-D \"VALUE=13\nnonsense\"", 13),
    ];
    for (options, value) in values {
        assert_eq!(outcome(&s, STORE, options), Ok(*value), "{options:?}");
    }
    assert!(outcome(&s, STORE, c"").is_err());
}

#[test]
fn a_program_is_built_again_with_other_options() {
    let s = Setup::new();
    let p = from_source(&s, STORE);
    for (options, value) in [(c"-DVALUE=1", 1), (c"-DVALUE=2", 2), (c"-DVALUE=1", 1)] {
        assert_eq!(build(p, options), cl::CL_SUCCESS);
        assert_eq!(build_text(&s, p, cl::CL_PROGRAM_BUILD_OPTIONS), options.to_str().expect("text"));
        assert_eq!(result_of(&s, p, "k"), value);
        let mut platform = null_mut();
        ok!(clGetPlatformIDs(1, &mut platform, null_mut()));
        ok!(clUnloadPlatformCompiler(platform));
    }
    ok!(clReleaseProgram(p));
}

#[test]
fn options_that_are_not_valid_are_explained_in_the_log() {
    let s = Setup::new();
    let p = from_source(&s, STORE);
    assert_eq!(build(p, c"-DVALUE=1 -cl-nonsense"), cl::CL_INVALID_BUILD_OPTIONS);
    assert!(build_text(&s, p, cl::CL_PROGRAM_BUILD_LOG).contains("-cl-nonsense"));
    assert_eq!(build(p, c"-DVALUE=1"), cl::CL_SUCCESS);
    assert_eq!(build(p, c"-DVALUE=1 -cl-nonsense"), cl::CL_INVALID_BUILD_OPTIONS);
    assert_eq!(result_of(&s, p, "k"), 1, "the good build is still there");
    ok!(clReleaseProgram(p));
}

#[test]
fn options_for_mathematics_define_macros() {
    let s = Setup::new();
    let source = "kernel void k(global uint *out) {
        #ifdef __FAST_RELAXED_MATH__
        *out = 1;
        #else
        *out = sizeof(1.0) == 4 ? 2 : 3;
        #endif
    }";
    assert_eq!(outcome(&s, source, c""), Ok(3));
    assert_eq!(outcome(&s, source, c"-cl-fast-relaxed-math"), Ok(1));
    assert_eq!(outcome(&s, source, c"-cl-single-precision-constant"), Ok(2));
    let all = c"-cl-denorms-are-zero -cl-fp32-correctly-rounded-divide-sqrt -cl-opt-disable -cl-strict-aliasing \
        -cl-uniform-work-group-size -cl-no-subgroup-ifp -cl-mad-enable -cl-no-signed-zeros -cl-finite-math-only \
        -cl-unsafe-math-optimizations -cl-kernel-arg-info -g";
    assert_eq!(outcome(&s, source, all), Ok(3));
}

#[test]
fn the_language_is_that_of_the_option_or_the_newest_of_1_x() {
    let s = Setup::new();
    let source = "kernel void k(global uint *out) { *out = __OPENCL_C_VERSION__; }";
    assert_eq!(outcome(&s, source, c""), Ok(120));
    let mut size = 0;
    ok!(clGetDeviceInfo(s.device, cl::CL_DEVICE_OPENCL_C_ALL_VERSIONS, 0, null_mut(), &mut size));
    let mut list = vec![0_u8; size];
    ok!(clGetDeviceInfo(s.device, cl::CL_DEVICE_OPENCL_C_ALL_VERSIONS, size, list.as_mut_ptr().cast(), null_mut()));
    let versions = list.chunks_exact(4 + cl::CL_NAME_VERSION_MAX_NAME_SIZE).map(|entry| {
        let number = u32::from_ne_bytes(entry[..4].try_into().expect("a number"));
        (number >> 22, number >> 12 & 0x3FF)
    });
    let versions: Vec<(u32, u32)> = versions.collect();
    for (options, version) in [
        (c"-cl-std=CL1.1", (1, 1)),
        (c"-cl-std=CL1.2", (1, 2)),
        (c"-cl-std=CL2.0", (2, 0)),
        (c"-cl-std=CL3.0", (3, 0)),
        (c"-cl-std=CL3.1", (3, 1)),
    ] {
        let outcome = outcome(&s, source, options);
        if versions.contains(&version) {
            assert_eq!(outcome, Ok(version.0 * 100 + version.1 * 10), "{options:?}");
        } else {
            let log = outcome.expect_err("a version that the device does not list");
            assert!(log.contains(&format!("OpenCL C {}.{}", version.0, version.1)), "{log}");
        }
    }
}

/// What the device has not is named in the log.
#[test]
fn opencl_c_2_0_has_all_but_pipes_and_queues() {
    let s = Setup::new();
    let source = "global uint kept = 3; global uint *global place = &kept; global atomic_uint count;
        uint twice(uint *any) { return 2 * *any; }
        kernel void k(global uint *out) {
            uint (^more)(uint) = ^(uint x) { return x + 1; };
            uint own = 5;
            atomic_fetch_add_explicit(&count, twice(&own) + twice(place), memory_order_acq_rel, memory_scope_device);
            *out = work_group_reduce_add(more(atomic_load(&count)));
        }";
    assert_eq!(outcome(&s, source, c"-cl-std=CL2.0"), Ok(17));
    for (source, name) in [
        ("kernel void k(read_only pipe uint p, global uint *out) { read_pipe(p, out); }", "Pipes"),
        ("kernel void k(queue_t q, global uint *out) { *out = 1; }", "DeviceEnqueue"),
        ("kernel void k(global uint *out) { queue_t q = get_default_queue(); }", "get_default_queue"),
    ] {
        let log = outcome(&s, source, c"-cl-std=CL2.0").expect_err(name);
        assert!(log.contains(name), "no '{name}' in {log}");
    }
}

#[test]
fn files_are_included_from_folders_in_order_and_as_they_are_now() {
    let s = Setup::new();
    let (one, two) = (Folder::new("one"), Folder::new("two words"));
    let source = "#include \"value.h\"\n#include <deep/more.h>\n\
        kernel void k(global uint *out) { *out = VALUE + MORE; }";
    two.write("value.h", "#define VALUE 1\n");
    two.write("deep/more.h", "#include \"beside.h\"\n");
    two.write("deep/beside.h", "#define MORE 10\n");
    let options = std::ffi::CString::new(format!("{} {}", one.option(), two.option())).expect("options");
    assert_eq!(outcome(&s, source, &options), Ok(11));
    assert_eq!(outcome(&s, source, &options), Ok(11), "a second time");
    two.write("value.h", "#define VALUE 2\n");
    assert_eq!(outcome(&s, source, &options), Ok(12), "the file has changed");
    two.write("deep/beside.h", "#define MORE 20\n");
    assert_eq!(outcome(&s, source, &options), Ok(22), "a file that a file includes has changed");
    one.write("value.h", "#define VALUE 3\n");
    assert_eq!(outcome(&s, source, &options), Ok(23), "a folder that is searched before has the file now");
    std::fs::remove_file(one.0.join("value.h")).expect("removed");
    std::fs::remove_file(two.0.join("value.h")).expect("removed");
    let log = outcome(&s, source, &options).expect_err("no file");
    assert!(log.contains("value.h"), "{log}");
}

#[test]
fn callbacks_come_for_builds_that_fail_too_when_their_log_is_there() {
    extern "C-unwind" fn tell(program: cl::cl_program, word: *mut c_void) {
        // SAFETY: the word is the sender that the test gave away.
        let sender = unsafe { Box::from_raw(word.cast::<std::sync::mpsc::Sender<usize>>()) };
        sender.send(program.addr()).expect("the test waits");
    }
    let s = Setup::new();
    for source in [STORE, "kernel void k(global uint *out) { *out = 1; }"] {
        let p = from_source(&s, source);
        let (sender, receiver) = std::sync::mpsc::channel::<usize>();
        let word = Box::into_raw(Box::new(sender)).cast();
        call!(clBuildProgram(p, 0, null(), null(), Some(tell), word));
        assert_eq!(receiver.recv_timeout(std::time::Duration::from_secs(60)), Ok(p.addr()));
        let status = build_number(&s, p, cl::CL_PROGRAM_BUILD_STATUS).cast_signed();
        assert_eq!(status == cl::CL_BUILD_SUCCESS, source != STORE);
        assert_eq!(build_text(&s, p, cl::CL_PROGRAM_BUILD_LOG).contains("VALUE"), source == STORE);
        ok!(clReleaseProgram(p));
    }
}

#[test]
fn threads_build_different_programs_at_once() {
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                let s = Setup::new();
                for round in 0..3 {
                    let value = thread * 10 + round;
                    let p = built_from_source(&s, STORE, &format!("-DVALUE={value}"));
                    assert_eq!(result_of(&s, p, "k"), value);
                    ok!(clReleaseProgram(p));
                }
            });
        }
    });
}

#[test]
fn a_variable_of_a_program_keeps_its_value_between_launches() {
    let s = Setup::new();
    let source = "global uint counter = 5; kernel void k(global uint *out) { *out = ++counter; }";
    let p = built_from_source(&s, source, "-cl-std=CL3.0");
    assert_eq!([result_of(&s, p, "k"), result_of(&s, p, "k")], [6, 7]);
    ok!(clReleaseProgram(p));
}

#[test]
fn variables_of_a_program_start_as_the_source_says() {
    let s = Setup::new();
    let source = "typedef struct { uchar c; uint i; } Pair;
        global short2 pairs[3] = { (short2)(1, 2), (short2)(3, 4), (short2)(5, 6) };
        global short2 *third = &pairs[2];
        global Pair pair = { 7, 8 };
        global uint *inside = &pair.i;
        global uint *none;
        global atomic_int *empty[2];
        kernel void k(global uint *out) {
            *out = third->y * 100 + *inside * 10 + (none == 0 && empty[1] == 0);
        }";
    assert_eq!(outcome(&s, source, c"-cl-std=CL3.0"), Ok(681));
}

#[test]
fn addresses_may_be_told_in_32_bits() {
    let s = Setup::new();
    let source = "typedef struct { char a; int4 b; } Two; global int g;
        kernel void k(global uint *out) {
            local Two two; local int x; x = 1;
            *out = (uint)((local uchar *)&two.b) - (uint)&two + (uint)&x % 4 + (uint)&g % 4;
        }";
    assert_eq!(outcome(&s, source, c"-w -cl-std=CL3.0"), Ok(16));
}

#[test]
fn a_weak_exchange_of_64_bits_may_be_the_only_one() {
    let s = Setup::new();
    let source = "kernel void k(global uint *out) {
            local atomic_ulong place; ulong expected = 7;
            *(local volatile ulong *)&place = 7;
            *out = atomic_compare_exchange_weak_explicit(&place, &expected, 9UL, memory_order_relaxed,
                memory_order_relaxed, memory_scope_work_group) && *(local volatile ulong *)&place == 9;
        }";
    assert_eq!(outcome(&s, source, c"-w -cl-std=CL3.0"), Ok(1));
}
