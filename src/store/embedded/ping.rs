//! Whether a Postgres server accepts connections, asked over its own protocol.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use super::SUPERUSER;

/// How long a server may take to answer before it counts as silent.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether the server behind a socket accepts connections now (a full one counts).
pub(super) fn answers(socket: &Path) -> bool {
    ask(socket).unwrap_or(false)
}

fn ask(socket: &Path) -> io::Result<bool> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(&startup_message())?;
    loop {
        let mut head = [0; 5];
        stream.read_exact(&mut head)?;
        let [kind, length @ ..] = head;
        // The length counts itself.
        let length = u32::from_be_bytes(length).saturating_sub(4);
        let mut body = Vec::new();
        (&mut stream).take(u64::from(length.min(64 << 10))).read_to_end(&mut body)?;
        match kind {
            b'Z' => {
                // Terminate, or the server would note a lost connection.
                let _ = stream.write_all(&[b'X', 0, 0, 0, 4]);
                return Ok(true);
            }
            b'E' => return Ok(sql_state(&body) == Some(b"53300")), // too_many_connections
            _ => {}
        }
    }
}

/// Protocol 3.0, the superuser, the database that every cluster has.
fn startup_message() -> Vec<u8> {
    let mut body = 196_608_u32.to_be_bytes().to_vec();
    for text in ["user", SUPERUSER, "database", "postgres", "application_name", "cardscape ping"] {
        body.extend_from_slice(text.as_bytes());
        body.push(0);
    }
    body.push(0);
    let length = u32::try_from(body.len() + 4).unwrap_or(u32::MAX);
    [length.to_be_bytes().as_slice(), &body].concat()
}

/// The code of an error message: a list of fields, each a letter and a text that ends with zero.
fn sql_state(body: &[u8]) -> Option<&[u8]> {
    body.split(|byte| *byte == 0).find_map(|field| field.strip_prefix(b"C"))
}

#[cfg(test)]
mod tests {
    use super::{sql_state, startup_message};

    #[test]
    fn the_startup_message_states_its_own_length() {
        let message = startup_message();
        let stated = u32::from_be_bytes(message[..4].try_into().unwrap());
        assert_eq!(stated as usize, message.len());
    }

    #[test]
    fn the_code_of_an_error_is_found_among_its_fields() {
        let body = b"SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0";
        assert_eq!(sql_state(body), Some(b"57P03".as_slice()));
        assert_eq!(sql_state(b""), None);
    }
}
