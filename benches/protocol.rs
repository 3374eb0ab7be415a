//! Lines between the parent and a driver's child: one request, one answer.
//!
//! `prepare <seconds> <row>` makes a row's workload, checks a run of it and finds how many runs take that long; `program
//! <seconds> <results><tab><file>` does the same with a program of a file, but leaves what its buffers hold after one run
//! in `results`, for the parent to check. `turn` measures once by the clock, `processor` in processor time; `drop`
//! releases the workload. A child for a corpus takes paths. Answers start with `ok` or `failed`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The driver's answer to a request, without its first word.
pub type Answer = Result<String, String>;

/// Writes an answer as one line.
pub fn write_answer(out: &mut impl Write, answer: &Answer) -> Result<(), String> {
    let (word, text) = match answer {
        Ok(text) => ("ok", text),
        Err(text) => ("failed", text),
    };
    let text = text.trim_end().replace('\n', "\u{1f}");
    writeln!(out, "{word} {text}").and_then(|()| out.flush()).map_err(|error| error.to_string())
}

/// A running child.
pub struct Peer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Peer {
    /// Starts it. Its first line is an answer.
    pub fn start(command: &mut Command) -> Result<(Peer, String), String> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start a child: {error}"))?;
        let input = child.stdin.take().ok_or("a child without input")?;
        let output = BufReader::new(child.stdout.take().ok_or("a child without output")?);
        let mut peer = Peer { child, input, output };
        let greeting = peer.answer()?;
        Ok((peer, greeting))
    }

    /// Sends a request and waits for the answer.
    pub fn ask(&mut self, request: &str) -> Answer {
        writeln!(self.input, "{request}").and_then(|()| self.input.flush()).map_err(|_| self.ending())?;
        self.answer()
    }

    fn answer(&mut self) -> Answer {
        let mut line = String::new();
        loop {
            line.clear();
            if self.output.read_line(&mut line).map_err(|error| error.to_string())? == 0 {
                return Err(self.ending());
            }
            // Other lines are skipped: a driver may print to standard output.
            if let Some((word @ ("ok" | "failed"), text)) = line.trim_end_matches('\n').split_once(' ') {
                let text = text.replace('\u{1f}', "\n");
                return if word == "ok" { Ok(text) } else { Err(text) };
            }
        }
    }

    /// Whether it has ended, and so cannot be asked again.
    pub fn ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    fn ending(&mut self) -> String {
        match self.child.wait() {
            Ok(status) => format!("the driver's process ended: {status}"),
            Err(error) => format!("the driver's process is lost: {error}"),
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // Its work is done or it is stuck; either way nothing of it is wanted any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
