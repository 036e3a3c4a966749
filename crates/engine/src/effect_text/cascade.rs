//! The phrase rules as a stream: computes from a prefix of a raw sentence a prefix of the finished one.
//!
//! A replacement of a literal phrase reads its input once from left to right and holds back at most a prefix of its phrase. The same is true of all
//! replacements in sequence. So a raw sentence that is built piece by piece can be compared with a finished one, and rejected at the first byte that
//! differs. The grammar fixes only remove the `s` of some plurals. Here both sides lose the `s` of all these plurals, which accepts a few sentences
//! too many: callers render what is found and compare it.

use super::grammar::PLURALS;
use super::phrase_rules::PhraseRules;

/// All replacements in sequence, and the plurals.
#[derive(Debug)]
pub(super) struct Cascade {
    stages: Vec<Stage>,
    /// The stage before which sentences are trimmed again; `None`: they are not.
    trimmed_before: Option<usize>,
    /// For each byte: whether no stage holds it back if the stages hold back nothing so far.
    passing: [bool; 256],
}

/// One literal replacement, by the search of Knuth, Morris and Pratt.
#[derive(Debug)]
struct Stage {
    old: Vec<u8>,
    new: Vec<u8>,
    /// For each number of matched bytes: the length of their longest proper suffix that is also a prefix of the phrase.
    fallback: Vec<usize>,
}

/// The state after a prefix of a raw sentence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StreamState {
    /// Whether a space is held back, which may be the first of two.
    space: bool,
    /// The ends of the raw sentence.
    raw: Ends,
    /// The ends of the sentence after the replacements, if it is trimmed again.
    replaced: Ends,
    /// How many bytes of its phrase each stage holds back.
    held_back: Vec<usize>,
}

/// The ends of a sentence that is trimmed, after a prefix of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Ends {
    /// Whether anything other than white space has come.
    started: bool,
    /// White space that is held back, because it may be the end of the sentence.
    trailing: String,
}

impl Cascade {
    pub(super) fn new(rules: &PhraseRules) -> Self {
        let replacements = rules.replacements().iter().map(|(old, new)| Stage::new(old, new));
        let stages: Vec<Stage> = replacements.chain(plurals()).collect();
        // The plurals come last: `comparable` looks for them in the trimmed sentence, in which the space before the first word is gone.
        let trimmed_before = rules.trims_after_replacing().then_some(rules.replacements().len());
        let mut passing = [true; 256];
        for stage in &stages {
            passing[usize::from(stage.old[0])] = false;
        }
        // White space is not only ASCII, so only visible ASCII characters pass.
        for (byte, passes) in passing.iter_mut().enumerate() {
            *passes &= u8::try_from(byte).is_ok_and(|byte| byte.is_ascii_graphic());
        }
        Self { stages, trimmed_before, passing }
    }

    pub(super) fn begin(&self) -> StreamState {
        StreamState {
            space: false,
            raw: Ends::default(),
            replaced: Ends::default(),
            held_back: vec![0; self.stages.len()],
        }
    }

    /// Processes a piece of a raw sentence. `output` then has the bytes that it adds to the finished one.
    pub(super) fn push(&self, state: &mut StreamState, piece: &str, output: &mut Buffers) {
        output.added.clear();
        for character in piece.chars() {
            state.take(character, &mut output.added);
        }
        self.run(state, output, false);
    }

    /// Ends a sentence. `output` then has the bytes that were held back.
    pub(super) fn finish(&self, state: &mut StreamState, output: &mut Buffers) {
        // A space at the end is trimmed.
        output.added.clear();
        self.run(state, output, true);
    }

    fn run(&self, state: &mut StreamState, output: &mut Buffers, end: bool) {
        for (at, (stage, held_back)) in self.stages.iter().zip(&mut state.held_back).enumerate() {
            if output.added.is_empty() && !end {
                return;
            }
            if self.trimmed_before == Some(at) {
                state.replaced.trim(output);
            }
            if *held_back == 0 && !output.added.contains(&stage.old[0]) {
                continue;
            }
            output.next.clear();
            for &byte in &output.added {
                stage.take(held_back, byte, &mut output.next);
            }
            if end {
                output.next.extend_from_slice(&stage.old[..*held_back]);
                *held_back = 0;
            }
            std::mem::swap(&mut output.added, &mut output.next);
        }
    }

    /// Whether the first byte of a piece, if it is this one, is certainly the next byte of the finished sentence.
    pub(super) fn passes(&self, state: &StreamState, byte: u8) -> bool {
        self.passing[usize::from(byte)]
            && !state.space
            && state.raw.trailing.is_empty()
            && state.replaced.trailing.is_empty()
            && state.held_back.iter().all(|&held_back| held_back == 0)
    }
}

/// The bytes that a step adds, and a buffer to work with.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    pub(super) added: Vec<u8>,
    next: Vec<u8>,
}

/// A finished sentence in the form for comparisons: without the `s` of the plurals that the grammar fixes may change.
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

impl StreamState {
    /// Collapses double spaces and trims, character by character.
    fn take(&mut self, character: char, output: &mut Vec<u8>) {
        if character == ' ' {
            self.space = !self.space;
            if self.space {
                return;
            }
            // Two have become one.
            self.raw.take(' ', output);
            return;
        }
        if std::mem::take(&mut self.space) {
            self.raw.take(' ', output);
        }
        self.raw.take(character, output);
    }
}

impl Ends {
    /// Trims what a step adds. Pieces end with whole characters, and so do the bytes that stages hold back, so these bytes are text.
    fn trim(&mut self, output: &mut Buffers) {
        output.next.clear();
        for character in String::from_utf8_lossy(&output.added).chars() {
            self.take(character, &mut output.next);
        }
        std::mem::swap(&mut output.added, &mut output.next);
    }

    fn take(&mut self, character: char, output: &mut Vec<u8>) {
        if character.is_whitespace() {
            if self.started {
                self.trailing.push(character);
            }
            return;
        }
        self.started = true;
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

    fn take(&self, held_back: &mut usize, byte: u8, output: &mut Vec<u8>) {
        while *held_back > 0 && self.old[*held_back] != byte {
            let shorter = self.fallback[*held_back];
            output.extend_from_slice(&self.old[..*held_back - shorter]);
            *held_back = shorter;
        }
        if self.old[*held_back] != byte {
            output.push(byte);
            return;
        }
        *held_back += 1;
        if *held_back == self.old.len() {
            output.extend_from_slice(&self.new);
            *held_back = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2048))]
        /// Processing piece by piece gives the same as rendering the whole sentence, for all pieces and rules.
        #[test]
        fn the_stream_gives_the_same_as_rendering(
            pieces in prop::collection::vec("( |  |a|b|ab|ba|s| cards| one |\u{3000}|é|x){0,4}", 0..6),
            rules in prop::collection::vec(("[abxé]{1,3}( [ab])?", "[abx ]{0,3}"), 0..6),
            trims_ends in any::<bool>(),
        ) {
            let file: String = rules.iter().map(|(old, new)| format!("{old}: {new}\n")).collect();
            let rules = PhraseRules::parse("", &file).with_trimmed_ends(trims_ends);
            let cascade = Cascade::new(&rules);
            let (mut state, mut output, mut streamed) = (cascade.begin(), Buffers::default(), Vec::new());
            for piece in &pieces {
                if let Some(first) = piece.bytes().next() && cascade.passes(&state, first) {
                    let (mut ahead, mut seen) = (state.clone(), Buffers::default());
                    cascade.push(&mut ahead, piece, &mut seen);
                    prop_assert_eq!(seen.added.first(), Some(&first));
                }
                cascade.push(&mut state, piece, &mut output);
                streamed.extend_from_slice(&output.added);
            }
            cascade.finish(&mut state, &mut output);
            streamed.extend_from_slice(&output.added);
            // An empty sentence is dropped if ends are trimmed.
            let rendered = rules.render(&pieces.concat()).unwrap_or_default();
            prop_assert_eq!(String::from_utf8(streamed), String::from_utf8(comparable(&rendered)));
        }
    }
}
