//! A process with a limit on its time, read line by line, and ended with everything that it started.

use std::io::{BufRead, BufReader, PipeReader};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::{Fallible, about};

/// How often a silent process is looked at.
const TICK: Duration = Duration::from_millis(50);

/// How long output may still come after a process ended, while another holds its pipe.
const LINGER: Duration = Duration::from_millis(500);

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with a status.
    Exit(i32),
    /// By a signal.
    Signal(i32),
    /// It was ended, because it had had enough time.
    Late,
    /// It was ended, because the whole run was interrupted.
    Interrupted,
}

/// Runs a command, in a process group of its own, to its end. `step` is given each line that it writes to either stream, and nothing
/// while it is silent; it says whether the process has had enough time.
pub fn run(
    mut command: Command,
    interrupted: &AtomicBool,
    mut step: impl FnMut(Option<&[u8]>) -> bool,
) -> Fallible<End> {
    let (reader, writer) = about(std::io::pipe(), "pipe")?;
    let second = about(writer.try_clone(), "pipe")?;
    command.stdin(Stdio::null()).stdout(writer).stderr(second).process_group(0);
    let mut child = about(command.spawn(), command.get_program().display())?;
    // The command holds the pipe's writing ends, without which reading would never end.
    drop(command);
    let lines = lines(reader);
    let end = loop {
        let late = match lines.recv_timeout(TICK) {
            Ok(line) => step(Some(&line)),
            Err(RecvTimeoutError::Timeout) => {
                if let Some(status) = about(child.try_wait(), "wait")? {
                    drain(&lines, &mut step);
                    break end_of(status);
                }
                step(None)
            }
            Err(RecvTimeoutError::Disconnected) => match about(child.try_wait(), "wait")? {
                Some(status) => break end_of(status),
                // It closed its output and goes on.
                None => {
                    std::thread::sleep(TICK);
                    step(None)
                }
            },
        };
        if interrupted.load(Ordering::Relaxed) {
            break stop(&mut child, &lines, &mut step, End::Interrupted)?;
        }
        if late {
            break stop(&mut child, &lines, &mut step, End::Late)?;
        }
    };
    // Whatever it started and left behind.
    kill(&child);
    Ok(end)
}

fn stop(
    child: &mut Child,
    lines: &Receiver<Vec<u8>>,
    step: &mut impl FnMut(Option<&[u8]>) -> bool,
    end: End,
) -> Fallible<End> {
    kill(child);
    about(child.wait(), "wait")?;
    // Its last lines say where it was.
    drain(lines, step);
    Ok(end)
}

fn kill(child: &Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // Nothing is left of the group in most cases, which is what is wanted.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

fn end_of(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exit(code),
        (None, signal) => End::Signal(signal.unwrap_or_default()),
    }
}

/// Reads in a thread of its own, so that silence can be timed.
fn lines(reader: PipeReader) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut reader = BufReader::new(reader);
        let mut bytes = Vec::new();
        while reader.read_until(b'\n', &mut bytes).is_ok_and(|count| count > 0) {
            if sender.send(std::mem::take(&mut bytes)).is_err() {
                break;
            }
        }
    });
    receiver
}

fn drain(lines: &Receiver<Vec<u8>>, step: &mut impl FnMut(Option<&[u8]>) -> bool) {
    let until = Instant::now() + LINGER;
    while let Ok(line) = lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
        step(Some(&line));
    }
}
