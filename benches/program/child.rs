//! A driver's side: builds a file, runs it once and keeps it to run again.

use std::path::Path;

use oxicl_benches::{Failure, Session};
use oxicl_client::{Buffer, Kernel, Program, code_name};

use super::fill;
use super::header::{Argument, Header, Kind, PREPARE, Source};

/// A program that has run once.
pub struct Launch {
    kernel: Kernel,
    global: Vec<usize>,
    local: Option<Vec<usize>>,
    arguments: Vec<Passed>,
}

/// An argument with its memory.
enum Passed {
    Buffer(Buffer<u8>),
    Value(Vec<u8>),
    Local(usize),
}

impl Launch {
    /// Builds the file, makes its data, runs its kernel once and writes what all buffers hold then.
    pub fn first(session: &Session, path: &Path, results: &Path) -> Result<Launch, String> {
        let source = Header::read(path)?;
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let launch = Launch::new(session, &source, &file)?;
        run(session, &launch.kernel, &launch.global, launch.local.as_deref())?;
        let mut bytes = Vec::new();
        for argument in &launch.arguments {
            if let Passed::Buffer(buffer) = argument {
                bytes.extend(session.queue.read(buffer).map_err(|error| error.to_string())?);
            }
        }
        std::fs::write(results, bytes).map_err(|error| format!("{}: {error}", results.display()))?;
        Ok(launch)
    }

    fn new(session: &Session, source: &Source, file: &str) -> Result<Launch, String> {
        let Source { header, text } = source;
        let options = format!("{} {}", header.options, session.options);
        let built = Program::build_source(&session.context, text, options.trim());
        let program = built.map_err(|error| error.to_string())?;
        let kernel = kernel_of(&program, &header.kernel)?;
        let pass = |argument| Passed::new(session, argument, file);
        let arguments: Vec<Passed> = header.arguments.iter().map(pass).collect::<Result<_, String>>()?;
        set(&kernel, arguments.iter())?;
        if let Some(prepare) = &header.prepare {
            let kernel = kernel_of(&program, PREPARE)?;
            set(&kernel, prepare.arguments.iter().map(|index| &arguments[*index]))?;
            run(session, &kernel, &prepare.global, None).map_err(|error| format!("{PREPARE}: {error}"))?;
        }
        Ok(Launch { kernel, global: header.global.clone(), local: header.local.clone(), arguments })
    }

    /// Enqueues one run.
    pub fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        Ok(session.queue.launch_over(&self.kernel, &self.global, self.local.as_deref())?)
    }
}

impl Passed {
    fn new(session: &Session, argument: &Argument, file: &str) -> Result<Passed, String> {
        Ok(match &argument.kind {
            Kind::Buffer(content) => {
                let bytes = fill::bytes(content, file, &argument.name);
                let buffer = Buffer::from_slice(&session.context, &bytes);
                Passed::Buffer(buffer.map_err(|error| format!("{}: {error}", argument.name))?)
            }
            Kind::Value(bytes) => Passed::Value(bytes.clone()),
            Kind::Local(bytes) => Passed::Local(*bytes),
        })
    }
}

fn kernel_of(program: &Program, name: &str) -> Result<Kernel, String> {
    program.kernel(name).map_err(|error| format!("{name}: {error}"))
}

/// Sets all arguments of a kernel.
fn set<'a>(kernel: &Kernel, arguments: impl Iterator<Item = &'a Passed>) -> Result<(), String> {
    for (index, argument) in (0..).zip(arguments) {
        let done = match argument {
            Passed::Buffer(buffer) => kernel.set_buffer(index, buffer),
            Passed::Value(bytes) => kernel.set_bytes(index, bytes),
            Passed::Local(bytes) => kernel.set_local(index, *bytes),
        };
        done.map_err(|error| format!("parameter {}: {error}", index + 1))?;
    }
    Ok(())
}

/// Runs a kernel to its end. Its event tells what went wrong; a queue that is finished need not.
fn run(session: &Session, kernel: &Kernel, global: &[usize], local: Option<&[usize]>) -> Result<(), String> {
    let event = session.queue.launch_over_with_event(kernel, global, local).map_err(|error| error.to_string())?;
    session.queue.finish().map_err(|error| error.to_string())?;
    match event.status().map_err(|error| error.to_string())? {
        status if status < 0 => Err(format!("the kernel ended with {}", code_name(status))),
        _ => Ok(()),
    }
}
