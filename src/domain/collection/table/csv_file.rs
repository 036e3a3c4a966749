//! Collections as CSV. One record is in memory at a time, and of a record no more than a table of cards has: a line beyond the bounds is
//! skipped and reported as invalid.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use super::columns::{self, Columns};
use super::{Line, LineFault, MAX_FIELDS, MAX_LINES, MAX_RECORD, Table, TableError};
use crate::domain::catalogue::import::without_mark;

/// Reads a CSV file that is separated by commas, semicolons or tabs, whichever gives the most known headings.
pub(super) fn read(text: &str) -> Result<Table, TableError> {
    let byte_order_mark = text.starts_with('\u{feff}');
    if text.contains('\0') {
        return Err(TableError::Nul);
    }
    let text = without_mark(text);
    // Some spreadsheets declare the delimiter in a line before the headings (`sep=;`), some programs in quotation marks.
    let unquoted = text.strip_prefix('"').unwrap_or(text);
    let (declared, start) =
        match unquoted.strip_prefix("sep=").or_else(|| unquoted.strip_prefix("SEP=")) {
            Some(rest) => (rest.chars().next(), text.find(['\r', '\n']).unwrap_or(text.len())),
            None => (None, 0),
        };
    let declared =
        declared.filter(|declared| declared.is_ascii() && !matches!(declared, '\r' | '\n'));
    let delimiter = declared.unwrap_or_else(|| guess_delimiter(text, start));
    let mut records = Records::new(text, start, delimiter);
    let columns = records.read_headings()?;
    columns.check()?;
    let (mut lines, mut blank) = (Vec::new(), 0);
    while let Some(record) = records.next() {
        if record.fields.is_some_and(|fields| fields.iter().all(|field| field.trim().is_empty())) {
            blank += 1;
            continue;
        }
        if lines.len() == MAX_LINES {
            return Err(TableError::TooManyLines);
        }
        lines.push(read_line(&columns, &record));
    }
    Ok(Table { dialect: columns.dialect(Some(delimiter), byte_order_mark), lines, blank })
}

/// The delimiter that makes the most known headings of the first line, and then the most fields.
fn guess_delimiter(text: &str, start: usize) -> char {
    let known = |delimiter: &char| match Records::new(text, start, *delimiter).read_headings() {
        Ok(columns) => (columns.count_known(), columns.len()),
        Err(TableError::TooWide) => (0, usize::MAX),
        Err(_) => (0, 0),
    };
    [',', ';', '\t'].into_iter().rev().max_by_key(known).unwrap_or(',')
}

fn read_line(columns: &Columns, record: &Record<'_>) -> Line {
    let Record { line, spans, .. } = *record;
    let Some(fields) = record.fields else {
        let reason = if spans > 1 { LineFault::NotClosed(spans) } else { LineFault::TooWide };
        return Line { number: line, shown: String::new(), wanted: Err(reason) };
    };
    let headings = columns.len();
    let surplus = || fields.iter().skip(headings).any(|field| !field.trim().is_empty());
    let fault = if spans > 1 {
        Some(LineFault::NotClosed(spans))
    } else if fields.len() > headings && surplus() {
        Some(LineFault::Surplus { fields: fields.len(), headings })
    } else {
        None
    };
    columns::read_line(line, fault, |column| fields.get(columns.place_of(column)?))
}

/// A record of a CSV text.
struct Record<'r> {
    /// The line at which it begins, from 1.
    line: u64,
    /// Over how many lines it goes.
    spans: u64,
    /// `None`: it has more fields, or more bytes, than a record may have.
    fields: Option<Fields<'r>>,
}

/// The fields of a record, without the quotation marks around them.
#[derive(Clone, Copy)]
struct Fields<'r> {
    text: &'r str,
    ends: &'r [usize],
}

impl<'r> Fields<'r> {
    fn len(self) -> usize {
        self.ends.len()
    }

    fn get(self, at: usize) -> Option<&'r str> {
        let end = *self.ends.get(at)?;
        let begin = if at == 0 { 0 } else { self.ends[at - 1] };
        self.text.get(begin..end)
    }

    fn iter(self) -> impl Iterator<Item = &'r str> {
        (0..self.len()).filter_map(move |at| self.get(at))
    }
}

/// The records of a text one after the other, in memory that does not depend on the text.
struct Records<'t> {
    reader: Reader,
    text: &'t [u8],
    /// Bytes that were read.
    at: usize,
    /// The line of the next byte, from 1.
    line: u64,
    output: Box<[u8]>,
    ends: Box<[usize]>,
}

impl<'t> Records<'t> {
    /// Those from a byte of the text's first line on.
    fn new(text: &'t str, at: usize, delimiter: char) -> Self {
        let delimiter = u8::try_from(delimiter).unwrap_or(b',');
        Self {
            reader: ReaderBuilder::new().delimiter(delimiter).build(),
            text: text.as_bytes(),
            at,
            line: 1,
            output: vec![0; MAX_RECORD].into(),
            ends: vec![0; MAX_FIELDS].into(),
        }
    }

    /// Reads the first record; the rest of one that is too large is not looked at.
    fn read_headings(&mut self) -> Result<Columns, TableError> {
        let headings = self.read(false).ok_or(TableError::Empty)?;
        let fields = headings.fields.ok_or(TableError::TooWide)?;
        Ok(Columns::new(fields.iter()))
    }

    fn next(&mut self) -> Option<Record<'_>> {
        self.read(true)
    }

    /// Reads a record; one that is too large as far as its end, if that is wanted.
    fn read(&mut self, to_end: bool) -> Option<Record<'_>> {
        // Empty lines are no records.
        let rest = self.text[self.at..].iter();
        self.advance(rest.take_while(|byte| matches!(byte, b'\r' | b'\n')).count());
        let line = self.line;
        let (mut bytes, mut count, mut fits) = (0, 0, true);
        loop {
            let (result, read, written, ended) = self.reader.read_record(
                &self.text[self.at..],
                &mut self.output[bytes..],
                &mut self.ends[count..],
            );
            self.advance(read);
            (bytes, count) = (bytes + written, count + ended);
            match result {
                ReadRecordResult::End => return None,
                ReadRecordResult::Record => {
                    // The end of the line that ends the record belongs to it; at the end of the text there may be none.
                    let ending = u64::from(read > 0 && self.ends_line(self.at - 1));
                    let spans = self.line - line - ending + 1;
                    // What is between ASCII delimiters of a UTF-8 text is UTF-8.
                    let text = std::str::from_utf8(&self.output[..bytes]).unwrap_or_default();
                    let fields = Fields { text, ends: &self.ends[..count] };
                    return Some(Record { line, spans, fields: fits.then_some(fields) });
                }
                // The reader asks for the end of the text, which is an empty piece of it.
                ReadRecordResult::InputEmpty => {}
                // The rest of the record is passed over.
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {
                    (bytes, count, fits) = (0, 0, false);
                    if !to_end {
                        return Some(Record { line, spans: 1, fields: None });
                    }
                }
            }
        }
    }

    /// Notes that so many bytes were read.
    fn advance(&mut self, bytes: usize) {
        let range = self.at..self.at + bytes;
        self.line += range.map(|at| u64::from(self.ends_line(at))).sum::<u64>();
        self.at += bytes;
    }

    /// Whether a line ends with this byte: lines end with LF, CR or both.
    fn ends_line(&self, at: usize) -> bool {
        match self.text[at] {
            b'\n' => true,
            b'\r' => self.text.get(at + 1) != Some(&b'\n'),
            _ => false,
        }
    }
}
