//! Our end of the connection to a compiler: sends and receives without signals, and notices when the other side is
//! gone.

use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use oxicl_protocol::Standstill;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, Shutdown, recv, send, shutdown};
use rustix::process::{Signal, pidfd_send_signal};

use crate::spawn::Started;

/// How often the other side is checked while it is waited for. A cost: each check takes a few system calls.
const LOOK_EVERY: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

/// A process that says nothing for so many times the patience is given up even if it uses the processor: it is no
/// compiler.
const BUSY_SILENCE: u32 = 10;

/// Why the connection came to an end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The compiler closed it, or says what no compiler does.
    Gone,
    /// The compiler was silent for longer than anyone should wait.
    Silent,
    /// It is a compiler of another build, which has this version.
    OtherBuild(String),
}

impl From<io::Error> for End {
    fn from(_: io::Error) -> Self {
        End::Gone
    }
}

/// A connection's descriptor, and the process at its other end.
pub(crate) struct Socket {
    compiler: Started,
    /// How long the other side may stand still.
    patience: Duration,
}

impl Socket {
    pub(crate) fn new(compiler: Started, patience: Duration) -> Self {
        Socket { compiler, patience }
    }

    /// Sends all of `bytes`.
    ///
    /// # Errors
    /// Why that is impossible.
    pub(crate) fn send(&self, mut bytes: &[u8]) -> Result<(), End> {
        let mut watch = Watch::new(self);
        while !bytes.is_empty() {
            match send(self.descriptor(), bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
                Ok(sent) => {
                    bytes = bytes.get(sent..).unwrap_or_default();
                    watch = Watch::new(self);
                }
                Err(Errno::AGAIN) => watch.wait(PollFlags::OUT)?,
                Err(Errno::INTR) => {}
                Err(_) => return Err(End::Gone),
            }
        }
        Ok(())
    }

    /// Fills `bytes`.
    ///
    /// # Errors
    /// Why that is impossible.
    pub(crate) fn receive(&self, mut bytes: &mut [u8]) -> Result<(), End> {
        let mut watch = Watch::new(self);
        while !bytes.is_empty() {
            match recv(self.descriptor(), &mut *bytes, RecvFlags::DONTWAIT) {
                Ok((0, _)) => return Err(End::Gone),
                Ok((received, _)) => {
                    bytes = bytes.get_mut(received..).unwrap_or_default();
                    watch = Watch::new(self);
                }
                Err(Errno::AGAIN) => watch.wait(PollFlags::IN)?,
                Err(Errno::INTR) => {}
                Err(_) => return Err(End::Gone),
            }
        }
        Ok(())
    }

    /// Ends the connection for everyone who waits on it, and kills the process at its other end, which would not notice
    /// if it is stopped. Its workers end with it.
    pub(crate) fn give_up(&self) {
        let _ = shutdown(self.descriptor(), Shutdown::Both);
        if let Some(process) = &self.compiler.process {
            let _ = pidfd_send_signal(process, Signal::KILL);
        }
    }

    fn descriptor(&self) -> &OwnedFd {
        &self.compiler.socket
    }
}

/// Waits for the other side, as long as there is hope.
struct Watch<'a> {
    socket: &'a Socket,
    /// How long there was neither a word nor use of processor time.
    standstill: Standstill,
    /// How long there was not a word.
    silence: Standstill,
}

impl<'a> Watch<'a> {
    fn new(socket: &'a Socket) -> Self {
        let now = Instant::now();
        Watch { socket, standstill: Standstill::new(now), silence: Standstill::new(now) }
    }

    /// Waits a while for `what`.
    ///
    /// # Errors
    /// There is no hope left.
    fn wait(&mut self, what: PollFlags) -> Result<(), End> {
        match poll(&mut [PollFd::new(self.socket.descriptor(), what)], Some(&LOOK_EVERY)) {
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(io::Error::from(error).into()),
        }
        let (now, patience) = (Instant::now(), self.socket.patience);
        let still = self.standstill.look(now, self.socket.compiler.processor_time());
        let silent = self.silence.look(now, None);
        if still >= patience || silent >= patience * BUSY_SILENCE { Err(End::Silent) } else { Ok(()) }
    }
}
