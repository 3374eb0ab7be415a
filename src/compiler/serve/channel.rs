//! Frames on a stream socket: blocking for workers, gathered piece by piece for the supervisor.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;

use oxicl_protocol::{FrameHeader, FrameKind};

/// A frame that has arrived.
pub(crate) struct Frame {
    /// Its header.
    pub(crate) header: FrameHeader,
    /// Its payload, `header.length` bytes.
    pub(crate) payload: Vec<u8>,
}

/// Sends a frame. `header.length` is set to the length of `payload`.
pub(crate) fn send(mut socket: &UnixStream, mut header: FrameHeader, payload: &[u8]) -> io::Result<()> {
    header.length = u32::try_from(payload.len())
        .ok()
        .filter(|length| *length <= oxicl_protocol::LARGEST_FRAME)
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "a message is larger than a frame may be"))?;
    socket.write_all(&header.to_bytes())?;
    socket.write_all(payload)
}

/// Waits for the next frame; `None` when the other side is gone.
pub(crate) fn receive(socket: &UnixStream, gather: &mut Gather) -> io::Result<Option<Frame>> {
    loop {
        if let Some(frame) = gather.next()? {
            return Ok(Some(frame));
        }
        if !gather.read_some(socket)? {
            return Ok(None);
        }
    }
}

/// Collects frames from whatever pieces the socket delivers.
#[derive(Default)]
pub(crate) struct Gather {
    bytes: Vec<u8>,
}

impl Gather {
    /// Reads once, blocking only if nothing is there; false at end of file.
    pub(crate) fn read_some(&mut self, mut socket: &UnixStream) -> io::Result<bool> {
        let mut piece = [0; 64 * 1024];
        loop {
            match socket.read(&mut piece) {
                Ok(0) => return Ok(false),
                Ok(count) => {
                    self.bytes.extend_from_slice(&piece[..count]);
                    return Ok(true);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Takes the next whole frame, if there is one.
    pub(crate) fn next(&mut self) -> io::Result<Option<Frame>> {
        let Some(header) = self.bytes.first_chunk() else { return Ok(None) };
        let header = FrameHeader::from_bytes(header)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "a message has no valid header"))?;
        let end = FrameHeader::BYTES + header.length as usize;
        let Some(payload) = self.bytes.get(FrameHeader::BYTES..end) else { return Ok(None) };
        let payload = payload.to_vec();
        self.bytes.drain(..end);
        Ok(Some(Frame { header, payload }))
    }
}

/// A header for `kind`, in answer to `request`.
pub(crate) fn answer(request: &FrameHeader, kind: FrameKind) -> FrameHeader {
    FrameHeader { kind, length: 0, ..*request }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: FrameHeader = FrameHeader { kind: FrameKind::Request, id: 5, length: 0, instructions: 9 };

    #[test]
    fn frames_arrive_whole_and_in_order_and_the_end_is_seen() {
        let (here, there) = UnixStream::pair().expect("a pair");
        let sender = std::thread::spawn(move || {
            for id in 0..3 {
                send(&there, FrameHeader { id, ..HEADER }, &vec![id as u8; 100_000 * id as usize]).expect("sent");
            }
        });
        let mut gather = Gather::default();
        for id in 0..3 {
            let frame = receive(&here, &mut gather).expect("no error").expect("a frame");
            assert_eq!(frame.header.id, id);
            assert_eq!(frame.payload, vec![id as u8; 100_000 * id as usize]);
        }
        sender.join().expect("sent all");
        assert!(receive(&here, &mut gather).expect("no error").is_none());
    }

    #[test]
    fn garbage_is_an_error() {
        let (here, mut there) = UnixStream::pair().expect("a pair");
        there.write_all(&[1; 64]).expect("written");
        assert!(receive(&here, &mut Gather::default()).is_err());
    }
}
