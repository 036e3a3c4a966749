//! External sorting: sorted runs in temporary files are merged at the end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Seek as _, Write as _};
use std::path::PathBuf;

use anyhow::Context as _;

use super::output::temporary;

/// Most runs that one merge reads.
const RUNS: usize = 64;
/// Length of a typical sentence, in bytes; most are not longer.
const MIDDLING: usize = 96;
/// Memory for a line beside its bytes. During the sort, at most one [`EqualPrefix`] for every two lines is waiting, in a list
/// that doubles its capacity when it is full.
const LINE_COST: usize = size_of::<Line>() + size_of::<EqualPrefix>() * 3 / 2;

/// Sorts lines by code point (the byte order of UTF-8) within a memory budget. Lines must not contain line feeds.
pub(super) struct Sorter {
    budget: usize,
    /// Folder of the temporary files.
    folder: PathBuf,
    /// Whether equal lines are output only once.
    unique: bool,
    text: Vec<u8>,
    lines: Vec<Line>,
    runs: Vec<File>,
}

/// The position of a line in the text.
struct Line {
    begin: u32,
    end: u32,
    /// The next part of the sort key.
    key: u64,
}

impl Line {
    /// Bytes of the line in one key.
    const STEP: u32 = 7;

    fn of<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        &text[self.begin as usize..self.end as usize]
    }

    /// The key of the bytes after `depth`: the next bytes, and how many follow if no more than fit. Lines with equal
    /// keys are equal so far; either all of them end here, or all go on.
    fn key_at(&self, depth: usize, text: &[u8]) -> u64 {
        let rest = &self.of(text)[depth..];
        if let Some(next) = rest.first_chunk::<8>() {
            return u64::from_be_bytes(*next) | 0xff;
        }
        let mut next = [0; 8];
        next[..rest.len()].copy_from_slice(rest);
        u64::from_be_bytes(next) | rest.len() as u64
    }

    /// Whether lines with this key continue after it.
    fn has_more(&self) -> bool {
        self.key & 0xff == 0xff
    }
}

/// Lines with an equal beginning that must be sorted by the following bytes.
struct EqualPrefix {
    begin: u32,
    end: u32,
    /// Number of equal bytes.
    depth: u32,
}

impl Sorter {
    pub(super) fn new(budget: usize, folder: PathBuf, unique: bool) -> Self {
        // Positions have 32 bits.
        let budget = budget.min(u32::MAX as usize / 2);
        Self { budget, folder, unique, text: Vec::new(), lines: Vec::new(), runs: Vec::new() }
    }

    /// Reserves room for lines of typical length. Unused room costs no memory.
    pub(super) fn reserve(&mut self, lines: u128) {
        let lines = usize::try_from(lines).unwrap_or(usize::MAX);
        let lines = lines.min(self.budget / (MIDDLING + LINE_COST));
        self.lines.reserve(lines);
        self.text.reserve(lines * MIDDLING);
    }

    pub(super) fn push(&mut self, line: &[u8]) -> anyhow::Result<()> {
        let cost = self.text.len() + line.len() + (self.lines.len() + 1) * LINE_COST;
        if cost > self.budget && !self.lines.is_empty() {
            self.spill().context("cannot write a temporary file")?;
        }
        let begin = self.text.len();
        self.text.extend_from_slice(line);
        let place = |at: usize| u32::try_from(at).context("a line is too long to be sorted");
        self.lines.push(Line { begin: place(begin)?, end: place(self.text.len())?, key: 0 });
        Ok(())
    }

    /// Passes all lines in order to `each`.
    pub(super) fn drain(
        mut self,
        mut each: impl FnMut(&[u8]) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        if self.runs.is_empty() {
            self.sort();
            for line in &self.lines {
                each(line.of(&self.text))?;
            }
            return Ok(());
        }
        self.spill().context("cannot write a temporary file")?;
        // Frees the memory for the receiver of the lines.
        (self.text, self.lines) = (Vec::new(), Vec::new());
        merge(self.runs, self.unique, each)
    }

    /// Sorts by the next bytes, then sorts groups of equal lines by the bytes after that. Many sentences have equal
    /// beginnings, which would otherwise be compared again for each pair.
    fn sort(&mut self) {
        let Self { text, lines, .. } = self;
        let whole = u32::try_from(lines.len()).unwrap_or(u32::MAX);
        let mut waiting = vec![EqualPrefix { begin: 0, end: whole, depth: 0 }];
        while let Some(EqualPrefix { mut begin, end, mut depth }) = waiting.pop() {
            let lines = &mut lines[begin as usize..end as usize];
            while key_all(lines, depth as usize, text) {
                depth += Line::STEP;
            }
            lines.sort_unstable_by_key(|line| line.key);
            for alike in lines.chunk_by(|one, other| one.key == other.key) {
                let end = begin + u32::try_from(alike.len()).unwrap_or(u32::MAX);
                if alike.len() > 1 && alike[0].has_more() {
                    waiting.push(EqualPrefix { begin, end, depth: depth + Line::STEP });
                }
                begin = end;
            }
        }
        if self.unique {
            lines.dedup_by(|left, right| left.of(text) == right.of(text));
        }
    }

    fn spill(&mut self) -> anyhow::Result<()> {
        self.sort();
        let mut run = BufWriter::with_capacity(1 << 16, temporary(&self.folder)?);
        for line in &self.lines {
            run.write_all(line.of(&self.text))?;
            run.write_all(b"\n")?;
        }
        self.text.clear();
        self.lines.clear();
        self.runs.push(rewound(run)?);
        if self.runs.len() == RUNS {
            let mut longer = BufWriter::with_capacity(1 << 16, temporary(&self.folder)?);
            merge(std::mem::take(&mut self.runs), self.unique, |line| {
                longer.write_all(line)?;
                Ok(longer.write_all(b"\n")?)
            })?;
            self.runs.push(rewound(longer)?);
        }
        Ok(())
    }
}

/// Sets the keys at a depth. Returns whether all are equal and the lines continue.
fn key_all(lines: &mut [Line], depth: usize, text: &[u8]) -> bool {
    let mut differing = 0;
    let Some(first) = lines.first().map(|line| line.key_at(depth, text)) else { return false };
    for line in &mut *lines {
        line.key = line.key_at(depth, text);
        differing |= line.key ^ first;
    }
    differing == 0 && lines[0].has_more()
}

fn rewound(run: BufWriter<File>) -> io::Result<File> {
    let mut file = run.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.rewind()?;
    Ok(file)
}

fn merge(
    runs: Vec<File>,
    unique: bool,
    mut each: impl FnMut(&[u8]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut runs: Vec<_> =
        runs.into_iter().map(|run| BufReader::with_capacity(1 << 15, run)).collect();
    let mut heap = BinaryHeap::new();
    for (at, run) in runs.iter_mut().enumerate() {
        let mut line = Vec::new();
        if next(run, &mut line)? {
            heap.push(Reverse((line, at)));
        }
    }
    let mut last: Option<Vec<u8>> = None;
    while let Some(Reverse((mut line, at))) = heap.pop() {
        if !unique || last.as_ref() != Some(&line) {
            each(&line)?;
        }
        if unique {
            // The two buffers are swapped.
            line = last.replace(line).unwrap_or_default();
        }
        if next(&mut runs[at], &mut line)? {
            heap.push(Reverse((line, at)));
        }
    }
    Ok(())
}

/// Reads the next line of a run into `line`.
fn next(run: &mut BufReader<File>, line: &mut Vec<u8>) -> anyhow::Result<bool> {
    line.clear();
    let read = run.read_until(b'\n', line).context("cannot read a temporary file")?;
    line.pop();
    Ok(read > 0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Lines that are prefixes of others, that are longer than a key, and that contain the padding byte of keys.
        #[test]
        fn sorts_as_bytes_compare(
            lines in prop::collection::vec("(\0|a|b|aaaaaaa|é|abcdefgh){0,6}", 0..200),
            budget in prop::sample::select(vec![usize::MAX, 500]),
            unique in any::<bool>(),
        ) {
            let mut expected: Vec<&[u8]> = lines.iter().map(String::as_bytes).collect();
            expected.sort_unstable();
            if unique {
                expected.dedup();
            }
            let mut sorter = Sorter::new(budget, std::env::temp_dir(), unique);
            for line in &lines {
                sorter.push(line.as_bytes()).unwrap();
            }
            let mut sorted = Vec::new();
            sorter.drain(|line| { sorted.push(line.to_vec()); Ok(()) }).unwrap();
            prop_assert_eq!(sorted, expected);
        }
    }

    /// A budget of a few hundred bytes makes hundreds of runs, which are merged in several steps.
    #[test]
    fn sorts_through_files_as_in_memory() {
        let lines: Vec<String> = (0..20_000_u64)
            .map(|at| format!("line {}", at.wrapping_mul(0x9E37_79B9_7F4A_7C15) % 7_000))
            .collect();
        for unique in [false, true] {
            let mut expected = lines.clone();
            expected.sort();
            if unique {
                expected.dedup();
            }
            for budget in [usize::MAX, 1_000, 0] {
                let few = if budget == 0 { 300 } else { lines.len() };
                let mut expected = expected.clone();
                if budget == 0 {
                    expected = lines[..few].to_vec();
                    expected.sort();
                    if unique {
                        expected.dedup();
                    }
                }
                let mut sorter = Sorter::new(budget, std::env::temp_dir(), unique);
                for line in &lines[..few] {
                    sorter.push(line.as_bytes()).unwrap();
                }
                let mut sorted = Vec::new();
                sorter
                    .drain(|line| {
                        sorted.push(String::from_utf8(line.to_vec())?);
                        Ok(())
                    })
                    .unwrap();
                assert_eq!(sorted, expected, "{unique} {budget}");
            }
        }
    }
}
