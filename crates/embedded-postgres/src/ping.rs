//! Checks over the Postgres protocol whether a server accepts connections.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use bytes::BytesMut;
use fallible_iterator::FallibleIterator as _;
use postgres_protocol::message::backend::{ErrorResponseBody, Message};
use postgres_protocol::message::frontend;

/// How long a server may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// Longest answer that is read.
const MAX_ANSWER: usize = 64 * 1024;

/// SQLSTATE `too_many_connections`.
const FULL: &[u8] = b"53300";

/// Whether the server at a socket accepts connections of this user now, even if all connections are in use.
pub(crate) fn answers(socket: &Path, user: &str) -> bool {
    ask(socket, user).unwrap_or(false)
}

fn ask(socket: &Path, user: &str) -> io::Result<bool> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(ANSWER_TIMEOUT))?;
    stream.set_write_timeout(Some(ANSWER_TIMEOUT))?;
    let mut sent = BytesMut::new();
    // The database that exists in every cluster.
    let application = format!("{user} ping");
    let parameters = [("user", user), ("database", "postgres"), ("application_name", &application)];
    frontend::startup_message(parameters, &mut sent)?;
    stream.write_all(&sent)?;
    let mut answer = BytesMut::new();
    loop {
        while let Some(message) = Message::parse(&mut answer)? {
            match message {
                Message::ReadyForQuery(_) => {
                    // Without a termination message, the server would log a lost connection.
                    sent.clear();
                    frontend::terminate(&mut sent);
                    let _ = stream.write_all(&sent);
                    return Ok(true);
                }
                Message::ErrorResponse(error) => return is_full(&error),
                _ => {}
            }
        }
        let mut piece = [0; 1024];
        let read = stream.read(&mut piece)?;
        if read == 0 || answer.len() > MAX_ANSWER {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        answer.extend_from_slice(&piece[..read]);
    }
}

fn is_full(error: &ErrorResponseBody) -> io::Result<bool> {
    error.fields().any(|field| Ok(field.type_() == b'C' && field.value_bytes() == FULL))
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    /// Whether a server with this answer counts as accepting connections.
    fn answers_with(answer: &'static [u8]) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("socket");
        let listener = UnixListener::bind(&socket).unwrap();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut length = [0; 4];
            stream.read_exact(&mut length).unwrap();
            let mut rest = vec![0; u32::from_be_bytes(length) as usize - 4];
            stream.read_exact(&mut rest).unwrap();
            assert!(rest.starts_with(&[0, 3, 0, 0]), "protocol 3.0");
            for piece in answer.chunks(3) {
                stream.write_all(piece).unwrap();
            }
        });
        let answers = answers(&socket, "notes");
        server.join().unwrap();
        answers
    }

    #[test]
    fn a_server_that_is_ready_or_full_accepts_connections_and_others_do_not() {
        assert!(answers_with(b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I"));
        assert!(answers_with(b"E\0\0\0\x17SFATAL\0C53300\0Mno\0\0"));
        assert!(!answers_with(b"E\0\0\0\x17SFATAL\0C57P03\0Mno\0\0"));
        assert!(!answers_with(b"R\0\0\0\x08\0\0"));
    }
}
