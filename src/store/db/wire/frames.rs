//! Parses the messages of Postgres's protocol (version 3) as they pass by: counts pending responses and finds errors.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

/// Bytes of a message before its content: its type and its length, which includes itself but not the type.
const HEAD: usize = 5;

/// The position in a stream of messages.
#[derive(Default)]
struct Place {
    head: [u8; HEAD],
    /// Bytes of `head` that have arrived.
    have: usize,
    /// Bytes of the message's content that have not arrived yet.
    rest: usize,
}

impl Place {
    /// Processes `bytes`; returns how many it consumed, and the type of the message whose head is complete then.
    fn step(&mut self, bytes: &[u8]) -> (usize, Option<u8>) {
        if self.rest > 0 {
            let taken = self.rest.min(bytes.len());
            self.rest -= taken;
            return (taken, None);
        }
        let taken = (HEAD - self.have).min(bytes.len());
        self.head[self.have..self.have + taken].copy_from_slice(&bytes[..taken]);
        self.have += taken;
        if self.have < HEAD {
            return (taken, None);
        }
        let [kind, length @ ..] = self.head;
        self.have = 0;
        self.rest = (u32::from_be_bytes(length) as usize).saturating_sub(HEAD - 1);
        (taken, Some(kind))
    }

    fn is_between_messages(&self) -> bool {
        self.rest == 0 && self.have == 0
    }
}

/// Messages from the client.
pub(super) struct Outgoing {
    place: Place,
    /// Whether the last message ended the rows of a COPY.
    after_copy: bool,
}

impl Default for Outgoing {
    fn default() -> Self {
        // The first message, the startup, has no type byte: one is inserted.
        let place = Place { head: [b'Q', 0, 0, 0, 0], have: 1, rest: 0 };
        Self { place, after_copy: false }
    }
}

impl Outgoing {
    /// How many of the messages that begin in `bytes` request a response that ends with "ready for query".
    ///
    /// A COPY of rows to the server has two "sync" and one response. The first "sync" is sent with the statement: the
    /// server has begun to read rows by then, and ignores it. The second follows the end of the rows ("copy done" or
    /// "copy fail"); it also ends what the server skips after an error. It does not count, because the first already
    /// has: the time limit applies from the statement on. If the statement fails before the server reads rows, both
    /// are answered, and there is one more response than was counted.
    pub(super) fn count_requests(&mut self, mut bytes: &[u8]) -> u32 {
        let mut requested = 0;
        while !bytes.is_empty() {
            let (taken, kind) = self.place.step(bytes);
            bytes = &bytes[taken..];
            if let Some(kind) = kind {
                let is_end_of_copy = kind == b'S' && self.after_copy;
                requested += u32::from(matches!(kind, b'Q' | b'S') && !is_end_of_copy);
                self.after_copy = matches!(kind, b'c' | b'f');
            }
        }
        requested
    }
}

/// Information in some bytes from the server.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Received {
    /// Number of complete responses ("ready for query").
    pub answers: u32,
    /// SQLSTATEs of errors.
    pub errors: Vec<String>,
    /// The server process that serves this connection, as the server reports it.
    pub process: Option<i32>,
}

/// Messages from the server. The driver (diesel) keeps the text of an error and drops its SQLSTATE, so the SQLSTATE is
/// also written into a field that the driver keeps: the hint, which this program never shows. Errors during the login
/// are left unchanged, because they do not come through diesel.
#[derive(Default)]
pub(super) struct Incoming {
    place: Place,
    /// Whether the login is complete.
    is_open: bool,
    /// The beginning of a message that is needed completely.
    pending: Vec<u8>,
    /// Bytes that can be delivered, from index `handed`.
    ready: Vec<u8>,
    handed: usize,
}

impl Incoming {
    /// Whether everything was delivered, so that new bytes may go directly to the reader.
    pub(super) fn is_clear(&self) -> bool {
        self.pending.is_empty() && self.ready().is_empty()
    }

    /// The bytes that can be delivered.
    pub(super) fn ready(&self) -> &[u8] {
        &self.ready[self.handed..]
    }

    /// Records that `count` bytes of [`Self::ready`] were delivered.
    pub(super) fn hand_on(&mut self, count: usize) {
        self.handed += count;
        if self.handed == self.ready.len() {
            self.ready.clear();
            self.handed = 0;
        }
    }

    /// Processes bytes that are already in the reader's buffer, when everything [is delivered](Self::is_clear). Returns
    /// how many of them are valid there; the others must be taken from [`Self::ready`].
    pub(super) fn pass(&mut self, bytes: &[u8], received: &mut Received) -> usize {
        let kept = self.walk(bytes, received);
        self.pending.extend_from_slice(&bytes[kept..]);
        self.settle(received);
        kept
    }

    /// Processes bytes that are in no other buffer.
    pub(super) fn take(&mut self, bytes: &[u8], received: &mut Received) {
        self.pending.extend_from_slice(bytes);
        self.settle(received);
    }

    /// The server has closed the connection: an incomplete message is delivered unchanged.
    pub(super) fn end(&mut self) {
        self.ready.append(&mut self.pending);
    }

    /// Parses messages up to one that is needed completely; returns the number of bytes before it.
    fn walk(&mut self, bytes: &[u8], received: &mut Received) -> usize {
        let mut at = 0;
        while at < bytes.len() {
            if self.place.is_between_messages() && matches!(bytes[at], b'E' | b'K') {
                break;
            }
            let (taken, kind) = self.place.step(&bytes[at..]);
            at += taken;
            if kind == Some(b'Z') {
                received.answers += 1;
                self.is_open = true;
            }
        }
        at
    }

    /// Moves complete messages from `pending` to `ready`.
    fn settle(&mut self, received: &mut Received) {
        let pending = std::mem::take(&mut self.pending);
        let mut rest = &pending[..];
        while let Some((message, after)) = split(rest) {
            let (head, content) = message.split_at(HEAD);
            match (head[0], error_code(content)) {
                (b'E', Some(code)) => {
                    received.errors.push(code.to_owned());
                    if self.is_open {
                        self.ready.extend_from_slice(&with_hint(content, code));
                    } else {
                        self.ready.extend_from_slice(message);
                    }
                }
                (kind, _) => {
                    if kind == b'K' {
                        received.process = content.first_chunk().map(|id| i32::from_be_bytes(*id));
                    }
                    self.ready.extend_from_slice(message);
                }
            }
            let passed = self.walk(after, received);
            self.ready.extend_from_slice(&after[..passed]);
            rest = &after[passed..];
        }
        self.pending = rest.to_vec();
    }
}

/// Splits off the first message, if it is complete.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = u32::from_be_bytes(*bytes.get(1..)?.first_chunk()?) as usize;
    bytes.split_at_checked(length.max(HEAD - 1) + 1)
}

/// The SQLSTATE in the content of an error: a list of fields, each a letter and a zero-terminated text.
fn error_code(content: &[u8]) -> Option<&str> {
    let fields = content.split(|byte| *byte == 0);
    let code = fields.into_iter().find_map(|field| field.strip_prefix(b"C"))?;
    std::str::from_utf8(code).ok()
}

/// An error message with this code as its hint: appended last, so that it replaces an earlier hint.
fn with_hint(content: &[u8], code: &str) -> Vec<u8> {
    let fields = content.strip_suffix(&[0]).unwrap_or(content);
    let length = HEAD - 1 + fields.len() + 1 + code.len() + 1 + 1;
    let length = u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes();
    [&b"E"[..], &length, fields, b"H", code.as_bytes(), &[0, 0]].concat()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn message(kind: u8, content: &[u8]) -> Vec<u8> {
        let length = u32::try_from(content.len() + 4).unwrap().to_be_bytes();
        [&[kind], &length[..], content].concat()
    }

    fn error(hint: &str) -> Vec<u8> {
        message(b'E', format!("SFEHLER\0VERROR\0C53100\0Mno space\0{hint}\0").as_bytes())
    }

    /// All output when the server's bytes arrive in pieces of this size.
    fn through(bytes: &[u8], piece: usize) -> (Vec<u8>, Received) {
        let (mut incoming, mut received, mut out) =
            (Incoming::default(), Received::default(), Vec::new());
        for piece in bytes.chunks(piece) {
            if incoming.is_clear() {
                let kept = incoming.pass(piece, &mut received);
                out.extend_from_slice(&piece[..kept]);
            } else {
                incoming.take(piece, &mut received);
            }
            // The reader takes half first.
            while !incoming.ready().is_empty() {
                let half = incoming.ready().len().div_ceil(2);
                out.extend_from_slice(&incoming.ready()[..half]);
                incoming.hand_on(half);
            }
        }
        incoming.end();
        out.extend_from_slice(incoming.ready());
        (out, received)
    }

    proptest! {
        #[test]
        fn only_errors_are_changed_for_any_split_of_the_bytes(piece in 1..80_usize) {
            let key = message(b'K', &[0, 0, 1, 2, 9, 9, 9, 9]);
            let row = message(b'D', b"EEEEZZZZKKKK");
            let ready = message(b'Z', b"I");
            let sent = [&key[..], &ready, &row, &error(""), &ready, &error("Hold\0"), &error(""), &row].concat();
            let (out, received) = through(&sent, piece);
            let coded = error("H53100\0");
            let again = error("Hold\0H53100\0");
            let expected = [&key[..], &ready, &row, &coded, &ready, &again, &coded, &row].concat();
            prop_assert_eq!(out, expected);
            let errors = vec!["53100".to_owned(); 3];
            prop_assert_eq!(received, Received { answers: 2, errors, process: Some(258) });
        }

        #[test]
        fn requests_are_counted_for_any_split_of_the_bytes(piece in 1..40_usize) {
            let startup = [&12_u32.to_be_bytes()[..], b"QQQQSSSS"].concat();
            let query = message(b'Q', b"SELECT 'QS'\0");
            let (parse, sync) = (message(b'P', b"s1\0SELECT 1\0\0\0"), message(b'S', b""));
            let sent = [startup, query, parse, sync].concat();
            let mut outgoing = Outgoing::default();
            let requested: u32 = sent.chunks(piece).map(|piece| outgoing.count_requests(piece)).sum();
            prop_assert_eq!(requested, 3);
        }
    }

    /// The requests that are counted, and the responses.
    fn exchange(sent: &[Vec<u8>], received: &[Vec<u8>]) -> (u32, u32) {
        let startup = [0, 0, 0, 8, 0, 3, 0, 0];
        let mut outgoing = Outgoing::default();
        assert_eq!(outgoing.count_requests(&startup), 1);
        let requested = outgoing.count_requests(&sent.concat());
        let (_, received) = through(&received.concat(), 80);
        (requested, received.answers)
    }

    #[test]
    fn a_copy_to_the_server_has_one_response() {
        let [bind, execute, sync, row, done, fail] = [b'B', b'E', b'S', b'd', b'c', b'f']
            .map(|kind| message(kind, if kind == b'd' { &b"SQcf"[..] } else { &[] }));
        let [bound, copying, complete, ready] =
            [b'2', b'G', b'C', b'Z'].map(|kind| message(kind, b"I"));
        for (end, answer) in [
            (&done, complete),
            // The client breaks off.
            (&fail, error("")),
            // The server refuses a row: it skips everything up to the last "sync".
            (&done, error("")),
        ] {
            let copy = [&bind, &execute, &sync, &row, &row, end, &sync].map(Vec::clone);
            let answers = [&bound, &copying, &answer, &ready].map(Vec::clone);
            assert_eq!(exchange(&copy, &answers), (1, 1));
            // Later requests are counted as before.
            let later = [&copy[..], &copy, &[bind.clone(), sync.clone(), sync.clone()]].concat();
            assert_eq!(exchange(&later, &[]), (4, 0));
        }
        // The statement fails before the server reads rows: both "sync" are answered.
        let refused = [&bind, &execute, &sync, &fail, &sync].map(Vec::clone);
        let answers = [&error(""), &ready, &ready].map(Vec::clone);
        assert_eq!(exchange(&refused, &answers), (1, 2));
    }

    #[test]
    fn a_copy_of_the_simple_protocol_has_one_response() {
        let copy = [message(b'Q', b"COPY"), message(b'd', b"S"), message(b'c', b"")];
        let next = [message(b'P', b""), message(b'S', b"")];
        assert_eq!(exchange(&[&copy[..], &next].concat(), &[]), (2, 0));
    }

    #[test]
    fn an_incomplete_error_is_delivered_unchanged() {
        let cut = &error("")[..12];
        let (out, received) = through(cut, 5);
        assert_eq!((out.as_slice(), received), (cut, Received::default()));
    }
}
