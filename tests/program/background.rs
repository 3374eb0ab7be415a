//! Builds with a callback: they go on while the application does something else.

use std::ptr::{null, null_mut};
use std::sync::mpsc::Receiver;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use khronos_headers as cl;

use crate::sources::{build_number, build_text, from_source, kernel, result_of, tell, told};
use crate::support::{Setup, call, ok};

/// Builds that a test begins. Each takes milliseconds, so that some are seen on their way by any thread that is not asleep
/// all the time.
const BUILDS: u32 = 12;

/// Waits for the callback.
fn wait(receiver: &Receiver<usize>, program: cl::cl_program) {
    assert_eq!(receiver.recv_timeout(Duration::from_secs(120)), Ok(program.addr()));
}

fn status(s: &Setup, program: cl::cl_program) -> i32 {
    build_number(s, program, cl::CL_PROGRAM_BUILD_STATUS).cast_signed()
}

/// A source that no cache has.
fn source(value: u32) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time").as_nanos();
    format!("constant ulong when = {now}; kernel void k(global uint *out) {{ *out = when ? {value} : 0; }}")
}

/// The outcome of `call` if the program was being built all the time; none if that cannot be said.
fn meanwhile(s: &Setup, program: cl::cl_program, call: impl FnOnce() -> cl::cl_int) -> Option<cl::cl_int> {
    let before = status(s, program);
    let code = call();
    (before == cl::CL_BUILD_IN_PROGRESS && status(s, program) == cl::CL_BUILD_IN_PROGRESS).then_some(code)
}

#[test]
fn a_build_with_a_callback_goes_on_while_the_program_says_so_and_refuses_another() {
    let s = Setup::new();
    let mut seen = 0;
    for value in 0..BUILDS {
        let p = from_source(&s, &source(value));
        let (word, receiver) = told();
        ok!(clBuildProgram(p, 0, null(), null(), Some(tell), word));
        let again = || call!(clBuildProgram(p, 0, null(), null(), None, null_mut()));
        // A build that was refused left the first alone; one that was not has ended by now.
        let code = meanwhile(&s, p, again);
        assert!(code.is_none_or(|code| code == cl::CL_INVALID_OPERATION), "{code:?}");
        seen += u32::from(code.is_some());
        let mut created = cl::CL_SUCCESS;
        let create = || {
            call!(clCreateKernel(p, c"k".as_ptr(), &mut created));
            created
        };
        let code = meanwhile(&s, p, create);
        assert!(code.is_none_or(|code| code == cl::CL_INVALID_PROGRAM_EXECUTABLE), "{code:?}");
        wait(&receiver, p);
        assert_eq!(status(&s, p), cl::CL_BUILD_SUCCESS);
        assert_eq!(result_of(&s, p, "k"), value);
        ok!(clReleaseProgram(p));
    }
    assert!(seen > 0, "no build went on behind its call");
}

#[test]
fn builds_go_on_side_by_side_and_all_end() {
    let s = Setup::new();
    let begin = |value: u32| {
        // Every third has an error.
        let text = if value.is_multiple_of(3) { source(value).replace("when ?", "where ?") } else { source(value) };
        let p = from_source(&s, &text);
        let (word, receiver) = told();
        ok!(clBuildProgram(p, 0, null(), null(), Some(tell), word));
        (value, p, receiver)
    };
    let begun: Vec<_> = (0..BUILDS).map(begin).collect();
    for (value, p, receiver) in begun {
        wait(&receiver, p);
        if value.is_multiple_of(3) {
            assert_eq!(status(&s, p), cl::CL_BUILD_ERROR);
            assert!(build_text(&s, p, cl::CL_PROGRAM_BUILD_LOG).contains("where"));
        } else {
            assert_eq!(result_of(&s, p, "k"), value);
        }
        ok!(clReleaseProgram(p));
    }
}

#[test]
fn what_is_compiled_in_the_background_is_linked_when_it_is_done() {
    let s = Setup::new();
    let (mut refused, mut seen) = (0, 0);
    for value in 0..BUILDS {
        let p = from_source(&s, &source(value));
        let (word, receiver) = told();
        ok!(clCompileProgram(p, 0, null(), null(), 0, null(), null_mut(), Some(tell), word));
        let mut code = 1;
        let early = || {
            call!(clLinkProgram(s.context, 0, null(), null(), 1, &p, None, null_mut(), &mut code));
            code
        };
        let code = meanwhile(&s, p, early);
        assert!(code.is_none_or(|code| code == cl::CL_INVALID_OPERATION), "{code:?}");
        refused += u32::from(code.is_some());
        wait(&receiver, p);
        let (word, receiver) = told();
        let mut code = 1;
        let linked = call!(clLinkProgram(s.context, 0, null(), null(), 1, &p, Some(tell), word, &mut code));
        assert_eq!(code, cl::CL_SUCCESS);
        seen += u32::from(status(&s, linked) == cl::CL_BUILD_IN_PROGRESS);
        wait(&receiver, linked);
        assert_eq!(result_of(&s, linked, "k"), value);
        for program in [p, linked] {
            ok!(clReleaseProgram(program));
        }
    }
    assert!(refused > 0 && seen > 0, "compiled behind the call: {refused}, linked behind it: {seen}");
}

#[test]
fn a_link_in_the_background_that_fails_leaves_its_log() {
    let s = Setup::new();
    let p = from_source(&s, "uint missing(void); kernel void k(global uint *out) { *out = missing(); }");
    ok!(clCompileProgram(p, 0, null(), null(), 0, null(), null_mut(), None, null_mut()));
    let (word, receiver) = told();
    let mut code = 1;
    let linked = call!(clLinkProgram(s.context, 0, null(), null(), 1, &p, Some(tell), word, &mut code));
    assert_eq!(code, cl::CL_SUCCESS);
    wait(&receiver, linked);
    assert_eq!(status(&s, linked), cl::CL_BUILD_ERROR);
    assert!(build_text(&s, linked, cl::CL_PROGRAM_BUILD_LOG).contains("missing"));
    for program in [p, linked] {
        ok!(clReleaseProgram(program));
    }
}

#[test]
fn a_program_may_be_released_while_it_is_built() {
    let s = Setup::new();
    let receivers: Vec<Receiver<usize>> = (0..BUILDS)
        .map(|value| {
            let p = from_source(&s, &source(value));
            let (word, receiver) = told();
            ok!(clBuildProgram(p, 0, null(), null(), Some(tell), word));
            ok!(clReleaseProgram(p));
            receiver
        })
        .collect();
    for receiver in receivers {
        assert!(receiver.recv_timeout(Duration::from_secs(120)).is_ok());
    }
    let p = from_source(&s, &source(1));
    ok!(clBuildProgram(p, 0, null(), null(), None, null_mut()));
    ok!(clReleaseKernel(kernel(p, "k")));
    ok!(clReleaseProgram(p));
}
