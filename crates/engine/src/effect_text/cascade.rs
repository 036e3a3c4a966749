//! The phrase rules as a stream: what a begin of a raw sentence says about the begin of the finished one.
//!
//! Every replacement of a literal phrase reads its input once from left to right and holds back at most a begin of its phrase. All of them
//! in a row still do. So a raw sentence that is put together piece by piece can be held against a finished one, and given up at the
//! first letter that differs. The grammar fixes only take an `s` from some plurals; here both sides lose it everywhere, which lets a
//! few more through: whoever asks renders what is found and compares it.

use super::grammar::PLURALS;
use super::phrase_rules::PhraseRules;

/// All replacements in a row, and the plurals.
#[derive(Debug)]
pub(super) struct Cascade {
    stages: Vec<Stage>,
    /// Bytes that no stage holds back when it waits for nothing.
    passing: [bool; 256],
}

/// One literal replacement, as Knuth, Morris and Pratt search.
#[derive(Debug)]
struct Stage {
    old: Vec<u8>,
    new: Vec<u8>,
    /// For so many bytes found: how many of them would be the begin of another place.
    fallback: Vec<usize>,
}

/// How far a sentence has come.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Flow {
    /// A space that may be the first of two.
    space: bool,
    /// Something other than white space has come.
    begun: bool,
    /// White space that may be the last of the sentence.
    trailing: String,
    /// How many bytes of its phrase each stage holds back.
    held: Vec<usize>,
}

impl Cascade {
    pub(super) fn new(rules: &PhraseRules) -> Self {
        let replacements = rules.replacements().iter().map(|(old, new)| Stage::new(old, new));
        let stages: Vec<Stage> = replacements.chain(plurals()).collect();
        let mut passing = [true; 256];
        for stage in &stages {
            passing[usize::from(stage.old[0])] = false;
        }
        // White space is more than ASCII: what is no letter of plain text is looked at closely.
        for (byte, passes) in passing.iter_mut().enumerate() {
            *passes &= u8::try_from(byte).is_ok_and(|byte| byte.is_ascii_graphic());
        }
        Self { stages, passing }
    }

    pub(super) fn begin(&self) -> Flow {
        Flow {
            space: false,
            begun: false,
            trailing: String::new(),
            held: vec![0; self.stages.len()],
        }
    }

    /// Takes a piece of a raw sentence in; `output` is then what it adds to the finished one.
    pub(super) fn push(&self, flow: &mut Flow, piece: &str, output: &mut Buffers) {
        output.now.clear();
        for character in piece.chars() {
            flow.take(character, &mut output.now);
        }
        self.run(flow, output, false);
    }

    /// Ends a sentence; `output` is then what was held back.
    pub(super) fn finish(&self, flow: &mut Flow, output: &mut Buffers) {
        // A space at the end is trimmed.
        output.now.clear();
        self.run(flow, output, true);
    }

    fn run(&self, flow: &mut Flow, output: &mut Buffers, end: bool) {
        for (stage, held) in self.stages.iter().zip(&mut flow.held) {
            if output.now.is_empty() && !end {
                return;
            }
            if *held == 0 && !output.now.contains(&stage.old[0]) {
                continue;
            }
            output.next.clear();
            for &byte in &output.now {
                stage.take(held, byte, &mut output.next);
            }
            if end {
                output.next.extend_from_slice(&stage.old[..*held]);
                *held = 0;
            }
            std::mem::swap(&mut output.now, &mut output.next);
        }
    }

    /// Whether a piece that begins with this byte is sure to show it as the next byte of the finished sentence.
    pub(super) fn passes(&self, flow: &Flow, byte: u8) -> bool {
        self.passing[usize::from(byte)]
            && !flow.space
            && flow.trailing.is_empty()
            && flow.held.iter().all(|&held| held == 0)
    }
}

/// What a step adds, and room to work.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    pub(super) now: Vec<u8>,
    next: Vec<u8>,
}

/// A finished sentence as it compares: without the `s` of the plurals that the grammar fixes may mend.
pub(super) fn comparable(sentence: &str) -> Vec<u8> {
    PLURALS
        .iter()
        .fold(sentence.to_owned(), |text, plural| text.replace(plural, singular(plural)))
        .into_bytes()
}

fn plurals() -> impl Iterator<Item = Stage> {
    PLURALS.iter().map(|plural| Stage::new(plural, singular(plural)))
}

fn singular(plural: &str) -> &str {
    plural.strip_suffix('s').unwrap_or(plural)
}

impl Flow {
    /// Collapses double spaces and trims, character by character.
    fn take(&mut self, character: char, output: &mut Vec<u8>) {
        if character == ' ' {
            self.space = !self.space;
            if self.space {
                return;
            }
            // Two have become one.
            self.trim(' ', output);
            return;
        }
        if std::mem::take(&mut self.space) {
            self.trim(' ', output);
        }
        self.trim(character, output);
    }

    fn trim(&mut self, character: char, output: &mut Vec<u8>) {
        if character.is_whitespace() {
            if self.begun {
                self.trailing.push(character);
            }
            return;
        }
        self.begun = true;
        output.extend_from_slice(self.trailing.as_bytes());
        self.trailing.clear();
        output.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

impl Stage {
    fn new(old: &str, new: &str) -> Self {
        let old = old.as_bytes().to_vec();
        let mut fallback = vec![0; old.len() + 1];
        let mut length = 0;
        for at in 1..old.len() {
            while length > 0 && old[at] != old[length] {
                length = fallback[length];
            }
            if old[at] == old[length] {
                length += 1;
            }
            fallback[at + 1] = length;
        }
        Self { old, new: new.as_bytes().to_vec(), fallback }
    }

    fn take(&self, held: &mut usize, byte: u8, output: &mut Vec<u8>) {
        while *held > 0 && self.old[*held] != byte {
            let shorter = self.fallback[*held];
            output.extend_from_slice(&self.old[..*held - shorter]);
            *held = shorter;
        }
        if self.old[*held] != byte {
            output.push(byte);
            return;
        }
        *held += 1;
        if *held == self.old.len() {
            output.extend_from_slice(&self.new);
            *held = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2048))]
        /// Piece by piece as in one go, whatever the pieces and the rules.
        #[test]
        fn a_stream_says_what_rendering_says(
            pieces in prop::collection::vec("( |  |a|b|ab|ba|s| cards| one |\u{3000}|é|x){0,4}", 0..6),
            rules in prop::collection::vec(("[abxé]{1,3}( [ab])?", "[abx ]{0,3}"), 0..6),
        ) {
            let file: String = rules.iter().map(|(old, new)| format!("{old}: {new}\n")).collect();
            let rules = PhraseRules::parse("", &file);
            let cascade = Cascade::new(&rules);
            let (mut flow, mut output, mut told) = (cascade.begin(), Buffers::default(), Vec::new());
            for piece in &pieces {
                if let Some(first) = piece.bytes().next() && cascade.passes(&flow, first) {
                    let (mut ahead, mut seen) = (flow.clone(), Buffers::default());
                    cascade.push(&mut ahead, piece, &mut seen);
                    prop_assert_eq!(seen.now.first(), Some(&first));
                }
                cascade.push(&mut flow, piece, &mut output);
                told.extend_from_slice(&output.now);
            }
            cascade.finish(&mut flow, &mut output);
            told.extend_from_slice(&output.now);
            let rendered = rules.render(&pieces.concat()).unwrap();
            prop_assert_eq!(String::from_utf8(told), String::from_utf8(comparable(&rendered)));
        }
    }
}
