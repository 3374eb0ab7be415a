//! One socket to a supervisor, shared by threads.
//!
//! There is no thread of ours: of those that wait for an answer, one reads for all. The locks are the standard library's:
//! they have no state outside themselves, so a forked child, which opens a connection of its own, cannot meet one that a
//! thread of its parent held.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use oxicl_protocol::{FrameHeader, FrameKind, LARGEST_FRAME};

use crate::spawn::Socket;

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
    broken: bool,
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

    /// Sends a request and gives the number to wait for; `None` if the supervisor is gone.
    pub(crate) fn send(&self, kind: FrameKind, instructions: u32, payload: &[u8]) -> Option<u64> {
        let length = u32::try_from(payload.len()).ok().filter(|length| *length <= LARGEST_FRAME)?;
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let header = FrameHeader { kind, id, length, instructions };
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = self.socket.send(&header.to_bytes()).and_then(|()| self.socket.send(payload));
        if sent.is_err() {
            self.lock().broken = true;
            self.changed.notify_all();
            return None;
        }
        Some(id)
    }

    /// Waits for the answer to a request; `None` if the supervisor is gone.
    pub(crate) fn wait(&self, id: u64) -> Option<Vec<u8>> {
        let mut state = self.lock();
        loop {
            if let Some(answer) = state.answers.remove(&id) {
                return Some(answer);
            }
            if state.broken {
                return None;
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
                Some((answered, payload)) => {
                    state.answers.insert(answered, payload);
                }
                None => state.broken = true,
            }
            self.changed.notify_all();
        }
    }

    /// Reads one answer.
    fn read(&self) -> Option<(u64, Vec<u8>)> {
        let mut header = [0; FrameHeader::BYTES];
        self.socket.receive(&mut header).ok()?;
        let header = FrameHeader::from_bytes(&header).filter(|header| header.kind == FrameKind::Response)?;
        let mut payload = Vec::new();
        payload.try_reserve_exact(header.length as usize).ok()?;
        payload.resize(header.length as usize, 0);
        self.socket.receive(&mut payload).ok()?;
        Some((header.id, payload))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
