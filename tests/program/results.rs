//! What kernels compute with their arguments, constants and variables.

use std::ptr::null;

use khronos_headers as cl;
use oxicl_tests::offline::{Level, compile};

use crate::sources::{COUNTER, IL, SPECIALISED, assembled, build, built, kernel, numbers, program, run, set};
use crate::support::{Setup, call, ok};

#[test]
fn every_kind_of_argument_reaches_the_kernel() {
    #[repr(C)]
    struct Record(i32, f32, [i32; 3]);
    let s = Setup::new();
    let p = built(&s, &IL);
    let k = kernel(p, "all");
    let out = s.buffer(cl::CL_MEM_READ_WRITE, 4 * 8);
    let table: Vec<u8> = [1_i32, 2, 3, 4].iter().flat_map(|n| n.to_ne_bytes()).collect();
    let table = s.filled(&table);
    let codes = [
        set(k, 0, &out),
        set(k, 1, &table),
        call!(clSetKernelArg(k, 2, 16, null())),
        set(k, 3, &[0_i32, 100, 0, 10_000]),
        set(k, 4, &7.5_f32),
        set(k, 5, &Record(10, 20.0, [0, 0, 3000])),
    ];
    assert_eq!(codes, [cl::CL_SUCCESS; 6]);
    run(&s, k, 8, 4);
    let expected: Vec<i32> = (0..8).map(|i| (4 - i % 4) * 100 + 7 + 10 + 20 + 3000 + 10_000).collect();
    assert_eq!(numbers(&s, out), expected);
    ok!(clReleaseKernel(k));
    ok!(clReleaseMemObject(out));
    ok!(clReleaseMemObject(table));
    ok!(clReleaseProgram(p));
}

#[test]
fn what_aligns_arguments_is_not_counted_among_their_bytes() {
    const PAIRS: usize = 15;
    let s = Setup::new();
    let most: usize = s.device_number(cl::CL_DEVICE_MAX_PARAMETER_SIZE);
    let (counted, taken) = (8 + PAIRS * (1 + 128), PAIRS * 256);
    assert!((counted..taken).contains(&most), "{most}");
    let parameters: String = (0..PAIRS).map(|n| format!(", char a{n}, long16 b{n}")).collect();
    let sum: String = (0..PAIRS).map(|n| format!(" + a{n} + b{n}.sF")).collect();
    let source = format!("kernel void k(global int *out{parameters}) {{ *out = (int)(0{sum}); }}");
    let words = compile(&source, Level::Plain).unwrap();
    let p = built(&s, &words);
    let k = kernel(p, "k");
    let out = s.filled(&[0; 4]);
    assert_eq!(set(k, 0, &out), cl::CL_SUCCESS);
    #[repr(C, align(128))]
    struct Long16([i64; 16]);
    for pair in 0..PAIRS as u32 {
        assert_eq!(set(k, 1 + 2 * pair, &(pair as i8)), cl::CL_SUCCESS);
        assert_eq!(set(k, 2 + 2 * pair, &Long16([1000; 16])), cl::CL_SUCCESS);
    }
    run(&s, k, 1, 1);
    assert_eq!(numbers(&s, out), [(0..PAIRS as i32).sum::<i32>() + 1000 * PAIRS as i32]);
    ok!(clReleaseKernel(k));
    ok!(clReleaseMemObject(out));
    ok!(clReleaseProgram(p));
}

#[test]
fn local_arguments_do_not_overlap_and_are_aligned() {
    let s = Setup::new();
    let p = built(&s, &IL);
    let k = kernel(p, "two_locals");
    let out = s.filled(&[0; 24]);
    let local = |index, bytes| call!(clSetKernelArg(k, index, bytes, null()));
    assert_eq!([set(k, 0, &out), local(2, 8)], [cl::CL_SUCCESS; 2]);
    for bytes in [5, 17, 300] {
        assert_eq!(local(1, bytes), cl::CL_SUCCESS);
        run(&s, k, 1, 1);
        let words: Vec<u64> = s.read(out).as_chunks::<8>().0.iter().map(|bytes| u64::from_ne_bytes(*bytes)).collect();
        assert_eq!([words[0], words[2]], [0, 1], "the address of the second, modulo 8, and what the first holds");
        assert!(words[1] >= bytes as u64, "the second starts {} bytes behind the first of {bytes}", words[1]);
    }
    ok!(clReleaseKernel(k));
    ok!(clReleaseMemObject(out));
    ok!(clReleaseProgram(p));
}

#[test]
fn program_scope_variables_keep_their_values_between_launches_and_begin_afresh_in_another_program() {
    let s = Setup::new();
    let il = assembled(COUNTER);
    let out = s.filled(&[0; 4]);
    for _ in 0..2 {
        let p = built(&s, &il);
        let [one, two] = [kernel(p, "count"), kernel(p, "count")];
        assert_eq!([set(one, 0, &out), set(two, 0, &out)], [cl::CL_SUCCESS; 2]);
        for (kernel, expected) in [(one, 11), (two, 12), (one, 13)] {
            run(&s, kernel, 1, 1);
            assert_eq!(numbers(&s, out), [expected]);
        }
        ok!(clReleaseKernel(one));
        ok!(clReleaseProgram(p));
        run(&s, two, 1, 1);
        assert_eq!(numbers(&s, out), [14], "the kernel keeps the variables of its program");
        ok!(clReleaseKernel(two));
    }
    ok!(clReleaseMemObject(out));
}

#[test]
fn specialisation_constants_have_defaults_and_new_values_after_the_next_build() {
    let s = Setup::new();
    let p = program(&s, &assembled(SPECIALISED));
    let out = s.filled(&[0; 4]);
    let result = || {
        let k = kernel(p, "store");
        assert_eq!(set(k, 0, &out), cl::CL_SUCCESS);
        run(&s, k, 1, 1);
        ok!(clReleaseKernel(k));
        numbers(&s, out)
    };
    assert_eq!(build(p, c""), cl::CL_SUCCESS);
    assert_eq!(result(), [42]);
    let value = 100_u32;
    ok!(clSetProgramSpecializationConstant(p, 7, 4, (&raw const value).cast()));
    assert_eq!(result(), [42], "not before a build");
    assert_eq!(build(p, c""), cl::CL_SUCCESS);
    assert_eq!(result(), [200]);
    ok!(clReleaseMemObject(out));
    ok!(clReleaseProgram(p));
}

#[test]
fn a_kernel_keeps_no_buffer_alive() {
    static GONE: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
    extern "C-unwind" fn gone(_: cl::cl_mem, _: *mut std::ffi::c_void) {
        GONE.store(true, std::sync::atomic::Ordering::Release);
    }
    let s = Setup::new();
    let p = built(&s, &IL);
    let k = kernel(p, "two_locals");
    let out = s.filled(&[0; 24]);
    ok!(clSetMemObjectDestructorCallback(out, Some(gone), std::ptr::null_mut()));
    let local = |index, bytes| call!(clSetKernelArg(k, index, bytes, null()));
    assert_eq!([set(k, 0, &out), local(1, 8), local(2, 8)], [cl::CL_SUCCESS; 3]);
    run(&s, k, 1, 1);
    ok!(clReleaseMemObject(out));
    for _ in 0..1000 {
        if GONE.load(std::sync::atomic::Ordering::Acquire) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(GONE.load(std::sync::atomic::Ordering::Acquire), "the buffer outlived its last reference");
    let size = 1_usize;
    let launched = call!(clEnqueueNDRangeKernel(s.queue, k, 1, null(), &size, &size, 0, null(), std::ptr::null_mut()));
    assert_eq!(launched, cl::CL_INVALID_KERNEL_ARGS);
    ok!(clReleaseKernel(k));
    ok!(clReleaseProgram(p));
}
