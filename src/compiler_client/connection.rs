//! One socket to a supervisor, shared by threads.
//!
//! There is no thread of ours: of those that wait for an answer, one reads for all. The locks are the standard library's:
//! they have no state outside themselves, so a forked child, which opens a connection of its own, cannot meet one that a
//! thread of its parent held.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use oxicl_protocol::{FrameHeader, FrameKind, LARGEST_FRAME};

use crate::socket::{End, Socket};

/// A bound, in bytes, on what a compiler of another build says of its version.
const LONGEST_VERSION: u32 = 256;

/// A connection. Once broken it stays so.
pub(crate) struct Connection {
    socket: Socket,
    next: AtomicU64,
    writing: Mutex<()>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Answers that arrived for threads that do not read.
    answers: HashMap<u64, Vec<u8>>,
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

    /// Sends a request and gives the number to wait for.
    ///
    /// # Errors
    /// Why there is nobody to send it to.
    pub(crate) fn send(&self, kind: FrameKind, instructions: u32, payload: &[u8]) -> Result<u64, End> {
        let length = u32::try_from(payload.len()).ok().filter(|length| *length <= LARGEST_FRAME).ok_or(End::Gone)?;
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let header = FrameHeader { kind, id, length, instructions };
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        match self.socket.send(&header.to_bytes()).and_then(|()| self.socket.send(payload)) {
            Ok(()) => Ok(id),
            Err(end) => Err(self.give_up(&mut self.lock(), end)),
        }
    }

    /// Waits for the answer to a request.
    ///
    /// # Errors
    /// Why there will be none.
    pub(crate) fn wait(&self, id: u64) -> Result<Vec<u8>, End> {
        let mut state = self.lock();
        loop {
            if let Some(answer) = state.answers.remove(&id) {
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
                Ok((answered, payload)) => {
                    state.answers.insert(answered, payload);
                    self.changed.notify_all();
                }
                Err(end) => {
                    self.give_up(&mut state, end);
                }
            }
        }
    }

    /// Reads one answer. What only says that the supervisor is there is passed over.
    fn read(&self) -> Result<(u64, Vec<u8>), End> {
        let mut header = [0; FrameHeader::BYTES];
        let header = loop {
            self.socket.receive(&mut header)?;
            match FrameHeader::from_bytes(&header) {
                Some(header) if header.kind == FrameKind::Response => break header,
                Some(FrameHeader { kind: FrameKind::Alive, length: 0, .. }) => {}
                Some(header) if header.kind == FrameKind::OtherBuild => return Err(self.other_build(header.length)?),
                _ => return Err(End::Gone),
            }
        };
        Ok((header.id, self.payload(header.length)?))
    }

    fn payload(&self, length: u32) -> Result<Vec<u8>, End> {
        let mut payload = Vec::new();
        payload.try_reserve_exact(length as usize).map_err(|_| End::Gone)?;
        payload.resize(length as usize, 0);
        self.socket.receive(&mut payload)?;
        Ok(payload)
    }

    /// Reads which build the compiler is of, instead of the library's.
    fn other_build(&self, length: u32) -> Result<End, End> {
        if length > LONGEST_VERSION {
            return Err(End::Gone);
        }
        Ok(End::OtherBuild(String::from_utf8_lossy(&self.payload(length)?).into_owned()))
    }

    /// Breaks the connection, for everyone who waits; the reason that came first is everyone's.
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
