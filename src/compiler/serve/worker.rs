//! A worker: compiles one request after another and says what it is doing.

use std::os::unix::net::UnixStream;

use oxicl_protocol::{
    BuildFailure, CompileRequest, CompileResponse, FrameHeader, FrameKind, Progress, Stage, Tier, decode, encode,
};

use super::{Fault, channel, system};
use crate::flow::{self, Observer};

/// Tells the supervisor what begins, so that it can say where a worker died.
struct Reporter<'a> {
    socket: &'a UnixStream,
    header: FrameHeader,
    request: &'a CompileRequest,
    fault: Option<&'a Fault>,
}

impl Observer for Reporter<'_> {
    fn begin(&mut self, progress: Progress) {
        if let Ok(bytes) = encode(&progress) {
            // If the supervisor is gone, so is this process in a moment.
            let _ = channel::send(self.socket, channel::answer(&self.header, FrameKind::Progress), &bytes);
        }
        if let Some(fault) = self.fault {
            fault.strike(self.request, &progress);
        }
    }
}

/// Serves requests until the supervisor closes the socket; never returns, because the stack above is the supervisor's.
///
/// A panic ends the process like any crash: the supervisor sees how, keeps what was printed, and tries once more.
pub(crate) fn run(socket: &UnixStream, fault: Option<&Fault>) -> ! {
    let mut gather = channel::Gather::default();
    loop {
        let Ok(Some(frame)) = channel::receive(socket, &mut gather) else { system::exit(0) };
        let header = frame.header;
        let response = match decode::<CompileRequest>(&frame.payload) {
            Ok(mut request) => {
                if header.kind == FrameKind::CheapRequest {
                    request.tier = Tier::Cheap;
                }
                let mut reporter = Reporter { socket, header, request: &request, fault };
                match flow::compile(&request, &mut reporter) {
                    Ok(image) => CompileResponse::Image(image),
                    Err(failure) => CompileResponse::Failure(failure),
                }
            }
            Err(message) => CompileResponse::Failure(BuildFailure::new(Stage::CompilerProcess, message)),
        };
        let sent = encode(&response)
            .map(|bytes| channel::send(socket, channel::answer(&header, FrameKind::Response), &bytes).is_ok());
        if sent != Ok(true) {
            system::exit(1);
        }
    }
}
