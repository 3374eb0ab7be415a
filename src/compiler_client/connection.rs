//! One socket to a supervisor, shared by threads.
//!
//! No thread is started for it: of the threads that wait for an answer, one reads for all. The locks are the standard
//! library's: they have no state outside themselves, so a forked child, which opens a connection of its own, cannot
//! meet one that a thread of its parent held.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use oxicl_protocol::{FrameHeader, FrameKind, LARGEST_FRAME};

use crate::socket::{End, Socket};

/// A bound, in bytes, on the version that a compiler of another build sends.
const LONGEST_VERSION: u32 = 256;

/// A connection. Once broken it stays so.
pub(crate) struct Connection {
    socket: Socket,
    next: AtomicU64,
    writing: Mutex<()>,
    state: Mutex<State>,
    changed: Condvar,
}

/// A frame in answer to a request: what it is, and its payload.
pub(crate) type Answer = (FrameKind, Vec<u8>);

#[derive(Default)]
struct State {
    /// Answers, and steps before them, that arrived for threads that were not reading.
    answers: HashMap<u64, VecDeque<Answer>>,
    /// Some thread reads.
    reading: bool,
    /// Why it is broken.
    end: Option<End>,
}

impl Connection {
    pub(crate) fn new(socket: Socket) -> Self {
        Connection {
            socket,
            next: AtomicU64::new(0),
            writing: Mutex::new(()),
            state: Mutex::new(State::default()),
            changed: Condvar::new(),
        }
    }

    /// A number for a request.
    pub(crate) fn number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Sends a request whose payload is the parts, one after the other.
    ///
    /// # Errors
    /// Why there is nobody to send it to.
    pub(crate) fn send(&self, id: u64, kind: FrameKind, instructions: u32, parts: [&[u8]; 2]) -> Result<(), End> {
        let length = u32::try_from(parts[0].len() + parts[1].len()).ok();
        let length = length.filter(|length| *length <= LARGEST_FRAME).ok_or(End::Gone)?;
        let header = FrameHeader { kind, id, length, instructions };
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = self.socket.send(&header.to_bytes());
        let sent = parts.iter().fold(sent, |sent, part| sent.and_then(|()| self.socket.send(part)));
        sent.map_err(|end| self.give_up(&mut self.lock(), end))
    }

    /// Waits for the answer to a request, and skips the steps before it.
    ///
    /// # Errors
    /// Why there will be none.
    pub(crate) fn wait(&self, id: u64) -> Result<Vec<u8>, End> {
        loop {
            if let (FrameKind::Response, answer) = self.next_answer(id)? {
                return Ok(answer);
            }
        }
    }

    /// Waits for the next step or answer to a request.
    ///
    /// # Errors
    /// Why there will be nothing.
    pub(crate) fn next_answer(&self, id: u64) -> Result<Answer, End> {
        let mut state = self.lock();
        loop {
            if let Some(answers) = state.answers.get_mut(&id)
                && let Some(answer) = answers.pop_front()
            {
                if answer.0 == FrameKind::Response {
                    state.answers.remove(&id);
                }
                return Ok(answer);
            }
            if let Some(end) = &state.end {
                return Err(end.clone());
            }
            if state.reading {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            state.reading = true;
            drop(state);
            let frame = self.read();
            state = self.lock();
            state.reading = false;
            match frame {
                Ok((answered, answer)) => {
                    state.answers.entry(answered).or_default().push_back(answer);
                    self.changed.notify_all();
                }
                Err(end) => {
                    self.give_up(&mut state, end);
                }
            }
        }
    }

    /// Reads one step or answer. Frames that only say that the supervisor is there are skipped.
    fn read(&self) -> Result<(u64, Answer), End> {
        let mut header = [0; FrameHeader::BYTES];
        let header = loop {
            self.socket.receive(&mut header)?;
            match FrameHeader::from_bytes(&header) {
                Some(header) if is_answer(header.kind) => break header,
                Some(FrameHeader { kind: FrameKind::Alive, length: 0, .. }) => {}
                Some(header) if header.kind == FrameKind::OtherBuild => return Err(self.other_build(header.length)?),
                _ => return Err(End::Gone),
            }
        };
        Ok((header.id, (header.kind, self.payload(header.length)?)))
    }

    fn payload(&self, length: u32) -> Result<Vec<u8>, End> {
        let mut payload = Vec::new();
        payload.try_reserve_exact(length as usize).map_err(|_| End::Gone)?;
        payload.resize(length as usize, 0);
        self.socket.receive(&mut payload)?;
        Ok(payload)
    }

    /// Reads the build of a compiler that is not of the library's build.
    fn other_build(&self, length: u32) -> Result<End, End> {
        if length > LONGEST_VERSION {
            return Err(End::Gone);
        }
        Ok(End::OtherBuild(String::from_utf8_lossy(&self.payload(length)?).into_owned()))
    }

    /// Breaks the connection for everyone who waits. All get the reason that came first.
    fn give_up(&self, state: &mut State, end: End) -> End {
        let end = state.end.get_or_insert(end).clone();
        if end == End::Silent {
            self.socket.give_up();
        }
        self.changed.notify_all();
        end
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_answer(kind: FrameKind) -> bool {
    matches!(kind, FrameKind::Response | FrameKind::Proved | FrameKind::Planned)
}
