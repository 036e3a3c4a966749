//! Collections as CSV. Only one record is in memory at a time, and its size is limited: a record beyond the limits is skipped and reported as
//! invalid.

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

/// The delimiter that gives the most known headings in the first line; among equals, the most fields.
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
    /// The line at which the record begins, from 1.
    line: u64,
    /// How many lines the record spans.
    spans: u64,
    /// The fields; `None`: the record has more fields or more bytes than allowed.
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

/// Reads the records of a text one after the other, with a fixed amount of memory.
struct Records<'t> {
    reader: Reader,
    text: &'t [u8],
    /// Number of bytes that were read.
    at: usize,
    /// The line of the next byte, from 1.
    line: u64,
    output: Box<[u8]>,
    ends: Box<[usize]>,
}

impl<'t> Records<'t> {
    /// Reads from the byte `at`, which must be in the first line of the text.
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

    /// Reads the first record. If it is too large, the rest of the record is not read.
    fn read_headings(&mut self) -> Result<Columns, TableError> {
        let headings = self.read(false).ok_or(TableError::Empty)?;
        let fields = headings.fields.ok_or(TableError::TooWide)?;
        Ok(Columns::new(fields.iter()))
    }

    fn next(&mut self) -> Option<Record<'_>> {
        self.read(true)
    }

    /// Reads a record. If it is too large, it is read to its end only if `to_end` is set.
    fn read(&mut self, to_end: bool) -> Option<Record<'_>> {
        // Empty lines are not records.
        let rest = self.text[self.at..].iter();
        self.advance(rest.take_while(|byte| matches!(byte, b'\r' | b'\n')).count());
        let line = self.line;
        let (mut bytes, mut count, mut fits) = (0, 0, true);
        loop {
            let (result, read, written, fields) = self.reader.read_record(
                &self.text[self.at..],
                &mut self.output[bytes..],
                &mut self.ends[count..],
            );
            self.advance(read);
            (bytes, count) = (bytes + written, count + fields);
            match result {
                ReadRecordResult::End => return None,
                ReadRecordResult::Record => {
                    // The line end after the record belongs to the record; the last record of the text may have none.
                    let ending = u64::from(read > 0 && ends_line(self.text, self.at - 1));
                    let spans = self.line - line - ending + 1;
                    // A part between ASCII delimiters of a UTF-8 text is valid UTF-8.
                    let text = std::str::from_utf8(&self.output[..bytes]).unwrap_or_default();
                    let fields = Fields { text, ends: &self.ends[..count] };
                    return Some(Record { line, spans, fields: fits.then_some(fields) });
                }
                // The next call passes an empty slice: for the reader, this is the end of the text.
                ReadRecordResult::InputEmpty => {}
                // The record is too large: the rest of it is skipped.
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {
                    (bytes, count, fits) = (0, 0, false);
                    if !to_end {
                        return Some(Record { line, spans: 1, fields: None });
                    }
                }
            }
        }
    }

    /// Counts `bytes` as read.
    fn advance(&mut self, bytes: usize) {
        let range = self.at..self.at + bytes;
        self.line += range.map(|at| u64::from(ends_line(self.text, at))).sum::<u64>();
        self.at += bytes;
    }
}

/// Whether a line ends with this byte: lines end with LF, CR or both.
pub(super) fn ends_line(text: &[u8], at: usize) -> bool {
    match text[at] {
        b'\n' => true,
        b'\r' => text.get(at + 1) != Some(&b'\n'),
        _ => false,
    }
}
