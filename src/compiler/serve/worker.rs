//! A worker: compiles one request after another and says what it is doing.

use std::os::unix::net::UnixStream;

use oxicl_abi::KernelFacts;
use oxicl_caps::{DeviceCaps, DumpPart};
use oxicl_protocol::{
    BuildFailure, CompileRequest, CompileResponse, FrameHeader, FrameKind, Progress, SourceRequest, SourceResponse,
    Stage, Tier, decode, encode,
};

use super::channel::{self, Frame};
use super::dump::Dump;
use super::{Extras, Fault, system};
use crate::flow::{self, Observer};

/// Tells the supervisor what begins. If it is gone, so is this process in a moment.
fn report(socket: &UnixStream, header: &FrameHeader, progress: &Progress) {
    if let Ok(bytes) = encode(progress) {
        let _ = channel::send(socket, channel::answer(header, FrameKind::Progress), &bytes);
    }
}

/// Tells the supervisor what begins, so that it can say where a worker died.
struct Reporter<'a> {
    socket: &'a UnixStream,
    header: FrameHeader,
    request: &'a CompileRequest,
    fault: Option<&'a Fault>,
    dump: Option<Dump<'a>>,
}

impl Observer for Reporter<'_> {
    fn begin(&mut self, progress: Progress) {
        report(self.socket, &self.header, &progress);
        if let Some(fault) = self.fault {
            fault.strike(self.request, &progress);
        }
    }

    fn wants(&self, part: DumpPart) -> bool {
        self.dump.as_ref().is_some_and(|dump| dump.has(part))
    }

    fn proved(&mut self) {
        let _ = channel::send(self.socket, channel::answer(&self.header, FrameKind::Proved), &[]);
    }

    fn planned(&mut self, facts: &[KernelFacts]) {
        if let Ok(bytes) = encode(&facts) {
            let _ = channel::send(self.socket, channel::answer(&self.header, FrameKind::Planned), &bytes);
        }
    }

    fn made(&mut self, part: DumpPart, text: &dyn Fn() -> String) {
        if let Some(dump) = &mut self.dump {
            dump.made(part, &text());
        }
    }
}

/// Serves requests until the supervisor closes the socket; never returns, because the stack above is the supervisor's.
///
/// A panic ends the process like any crash: the supervisor sees how, keeps what was printed, and tries once more.
pub(crate) fn run(socket: &UnixStream, extras: &Extras) -> ! {
    let mut gather = channel::Gather::default();
    loop {
        let Ok(Some(frame)) = channel::receive(socket, &mut gather) else { system::exit(0) };
        let header = frame.header;
        let response = match header.kind {
            FrameKind::Source | FrameKind::SourceAgain => {
                encode(&compile_source(socket, &frame, extras.fault.as_ref()))
            }
            _ => encode(&compile(socket, &frame, extras)),
        };
        let sent =
            response.map(|bytes| channel::send(socket, channel::answer(&header, FrameKind::Response), &bytes).is_ok());
        if sent != Ok(true) {
            system::exit(1);
        }
    }
}

fn compile(socket: &UnixStream, frame: &Frame, extras: &Extras) -> CompileResponse {
    let result = decode::<CompileRequest>(&frame.payload).map_err(unreadable).and_then(|mut request| {
        match frame.header.kind {
            FrameKind::CheapRequest | FrameKind::ProveAgain => request.tier = Tier::Cheap,
            FrameKind::FullRequest => request.tier = Tier::Full,
            _ => {}
        }
        let fault = extras.fault.as_ref();
        if let Some(fault) = fault {
            fault.mislead(&mut request);
        }
        let dump = extras.dump.as_ref().map(|wanted| Dump::new(wanted, &request));
        let mut reporter = Reporter { socket, header: frame.header, request: &request, fault, dump };
        let response = match frame.header.kind {
            FrameKind::Prove | FrameKind::ProveAgain => {
                flow::prove(&request, &mut reporter).map(CompileResponse::Proved)?
            }
            _ => flow::compile(&request, &mut reporter).map(CompileResponse::Image)?,
        };
        reporter.dump.map_or(Ok(()), Dump::end).map(|()| response)
    });
    result.unwrap_or_else(CompileResponse::Failure)
}

fn compile_source(socket: &UnixStream, frame: &Frame, fault: Option<&Fault>) -> SourceResponse {
    let progress = Progress { stage: Stage::OpenclC, kernel: None, tier: Tier::Full };
    report(socket, &frame.header, &progress);
    let result = decode::<SourceRequest>(&frame.payload).map_err(unreadable).and_then(|request| {
        if let Some(fault) = fault {
            fault.strike_source(&request, frame.header.kind == FrameKind::SourceAgain);
        }
        let mut grown = |tokens| report(socket, &FrameHeader { instructions: tokens, ..frame.header }, &progress);
        oxicl_opencl_c::compile_and_tell(&request, DeviceCaps::anywhere_hiding(&request.hidden), &mut grown)
    });
    match result {
        Ok(module) => SourceResponse::Module(module),
        Err(failure) => SourceResponse::Failure(failure),
    }
}

fn unreadable(message: String) -> BuildFailure {
    BuildFailure::new(Stage::CompilerProcess, message)
}
