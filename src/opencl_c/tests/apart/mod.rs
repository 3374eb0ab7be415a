//! Compilations in processes of their own.
#![allow(unsafe_code, reason = "forks a process for each compilation")]

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

use oxicl_caps::DeviceCaps;
use oxicl_protocol::{BuildFailure, SourceModule, SourceRequest, SourceResponse, decode, encode};

/// Compiles in a process of its own: one compiles once.
pub fn compile(request: &SourceRequest) -> Result<SourceModule, BuildFailure> {
    let (mut here, mut there) = UnixStream::pair().expect("a pair");
    // SAFETY: the child compiles, which no thread of the parent ever does, and leaves by `_exit`.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let bytes = encode(&match oxicl_opencl_c::compile(request, DeviceCaps::host()) {
            Ok(module) => SourceResponse::Module(module),
            Err(failure) => SourceResponse::Failure(failure),
        });
        let sent = bytes.is_ok_and(|bytes| there.write_all(&bytes).is_ok());
        // SAFETY: `_exit` never returns and touches nothing.
        unsafe { libc::_exit(i32::from(!sent)) };
    }
    drop(there);
    let mut bytes = Vec::new();
    here.read_to_end(&mut bytes).expect("an answer");
    let mut status = 0;
    // SAFETY: the process is a child that nobody else waits for.
    unsafe { libc::waitpid(child, &mut status, 0) };
    assert_eq!(status, 0, "the process died");
    match decode(&bytes).expect("an answer") {
        SourceResponse::Module(module) => Ok(module),
        SourceResponse::Failure(failure) => Err(failure),
    }
}
