//! Libraries of other builds are told so and not served: their messages could mean something else.

use std::io::Read;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use oxicl_protocol::{FrameHeader, FrameKind};

use super::{channel, system};

/// A bound: how long a library that sends nothing may take to leave, as applications may be suspended.
const PATIENCE: Duration = Duration::from_secs(10);

/// Tells the library at the inherited socket, which is of the build `library`, that this compiler is of the build
/// `own`. Gives the sentence for people who started the compiler by hand.
pub fn refuse(own: &str, library: &str) -> String {
    let library = if library.is_empty() { "a build that does not name itself" } else { library };
    let sentence = format!("this compiler is of oxicl {own} and serves no library of {library}");
    match system::adopt_socket() {
        Ok(application) => {
            tell(&application, own);
            sentence
        }
        Err(error) => format!("{sentence}; there is nobody to tell it, either: {error}"),
    }
}

/// Says which compiler this is, and reads until the library has taken that and left: while it is sending a request, it
/// would see the end of the connection first.
fn tell(mut application: &UnixStream, own: &str) {
    let header = FrameHeader { kind: FrameKind::OtherBuild, id: 0, length: 0, instructions: 0 };
    let told = channel::send(application, header, own.as_bytes())
        .and_then(|()| application.set_read_timeout(Some(PATIENCE)))
        .and_then(|()| application.shutdown(Shutdown::Write));
    let mut piece = [0; 16 * 1024];
    while told.is_ok() && application.read(&mut piece).is_ok_and(|count| count > 0) {}
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_library_that_sends_much_before_it_reads_gets_the_answer() {
        let (library, compiler) = UnixStream::pair().expect("a pair");
        let teller = std::thread::spawn(move || tell(&compiler, "1.2.3+abc"));
        (&library).write_all(&vec![7; 4 << 20]).expect("all is taken");
        let mut answer = Vec::new();
        (&library).read_to_end(&mut answer).expect("read");
        drop(library);
        teller.join().expect("it ends when the library has left");
        let (header, text) = answer.split_first_chunk().expect("a frame");
        let header = FrameHeader::from_bytes(header).expect("a header");
        assert_eq!((header.kind, text), (FrameKind::OtherBuild, b"1.2.3+abc".as_slice()));
    }
}
