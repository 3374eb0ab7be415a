//! Compilations in processes of their own.
#![allow(unsafe_code, reason = "forks processes")]

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

use oxicl_caps::DeviceCaps;
use oxicl_protocol::{BuildFailure, SourceModule, SourceRequest, SourceResponse, decode, encode};

/// Compiles in a process that compiles nothing else.
pub fn compile(request: &SourceRequest) -> Result<SourceModule, BuildFailure> {
    one_by_one(std::slice::from_ref(request)).remove(0)
}

/// Compiles one by one in a process that compiles nothing else.
pub fn one_by_one(requests: &[SourceRequest]) -> Vec<Result<SourceModule, BuildFailure>> {
    let (mut here, mut there) = UnixStream::pair().expect("a pair");
    // SAFETY: the child compiles, which no thread of the parent ever does, and leaves by `_exit`.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let sent = requests.iter().all(|request| send(&mut there, &answer(request)).is_some());
        // SAFETY: `_exit` never returns and touches nothing.
        unsafe { libc::_exit(i32::from(!sent)) };
    }
    drop(there);
    let mut bytes = Vec::new();
    here.read_to_end(&mut bytes).expect("answers");
    let mut status = 0;
    // SAFETY: the process is a child that nobody else waits for.
    unsafe { libc::waitpid(child, &mut status, 0) };
    assert_eq!(status, 0, "the process died");
    let mut rest = bytes.as_slice();
    let mut answers = Vec::new();
    while let Some((length, behind)) = rest.split_first_chunk() {
        let (answer, behind) = behind.split_at(usize::from_le_bytes(*length));
        rest = behind;
        answers.push(match decode(answer).expect("an answer") {
            SourceResponse::Module(module) => Ok(module),
            SourceResponse::Failure(failure) => Err(failure),
        });
    }
    assert_eq!(answers.len(), requests.len());
    answers
}

fn answer(request: &SourceRequest) -> SourceResponse {
    match oxicl_opencl_c::compile(request, DeviceCaps::host()) {
        Ok(module) => SourceResponse::Module(module),
        Err(failure) => SourceResponse::Failure(failure),
    }
}

/// Sends the length, then the answer.
fn send(there: &mut UnixStream, answer: &SourceResponse) -> Option<()> {
    let bytes = encode(answer).ok()?;
    there.write_all(&bytes.len().to_le_bytes()).ok()?;
    there.write_all(&bytes).ok()
}
