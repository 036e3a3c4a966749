//! Writes CSV records (RFC 4180) directly into the caller's buffer, so that no other buffer contains secrets.

use csv_core::{Terminator, Writer, WriterBuilder};

/// Most bytes of separators and quotation marks around a field.
const AROUND: usize = 4;

/// Writes records. Fields are quoted if needed and otherwise unchanged, even if a spreadsheet would take them for a formula.
#[derive(Debug)]
pub struct CsvLines(Writer);

impl CsvLines {
    /// Lines that end with CR and LF, as RFC 4180 requires.
    pub fn crlf() -> Self {
        Self(WriterBuilder::new().terminator(Terminator::CRLF).build())
    }

    /// Lines that end with LF.
    pub fn lf() -> Self {
        Self(WriterBuilder::new().terminator(Terminator::Any(b'\n')).build())
    }

    /// Adds a record. While it is written, the buffer temporarily grows by twice the longest field.
    pub fn push<F: AsRef<[u8]>>(&mut self, fields: impl IntoIterator<Item = F>, out: &mut Vec<u8>) {
        for (at, field) in fields.into_iter().enumerate() {
            if at > 0 {
                write(out, AROUND, |room| self.0.delimiter(room).1);
            }
            let field = field.as_ref();
            write(out, 2 * field.len() + AROUND, |room| self.0.field(field, room).2);
        }
        write(out, AROUND, |room| self.0.terminator(room).1);
    }
}

/// Extends the buffer by `most` bytes for `write`, and then cuts it to the bytes that were written.
fn write(out: &mut Vec<u8>, most: usize, write: impl FnOnce(&mut [u8]) -> usize) {
    let end = out.len();
    out.resize(end + most, 0);
    let written = write(&mut out[end..]);
    out.truncate(end + written);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fields_are_quoted_only_if_needed() {
        let mut out = Vec::new();
        let mut lines = CsvLines::crlf();
        lines.push(["a", "", "b c", "=1+1", "é"], &mut out);
        lines.push(["x,y", "say \"hi\"", "two\nlines"], &mut out);
        lines.push([""], &mut out);
        let expected = "a,,b c,=1+1,é\r\n\"x,y\",\"say \"\"hi\"\"\",\"two\nlines\"\r\n\"\"\r\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(
            records in prop::collection::vec(prop::collection::vec("[a,;\"\r\n \\\\é]{0,6}", 3), 0..6),
        ) {
            let mut out = Vec::new();
            let mut lines = CsvLines::lf();
            for record in &records {
                lines.push(record, &mut out);
            }
            let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(&out[..]);
            let read: Vec<Vec<String>> = reader
                .records()
                .map(|record| record.unwrap().iter().map(str::to_owned).collect())
                .collect();
            prop_assert_eq!(read, records);
        }
    }
}
