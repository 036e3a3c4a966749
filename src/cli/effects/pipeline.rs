//! From templates to finished sentences, within a memory budget.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::io::IsTerminal as _;
use std::path::PathBuf;

use anyhow::Context as _;
use cardscape_engine::effect_text::{Draws, Effects, PhraseRules, Repeats};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::super::{Exit, say};
use super::sorter::Sorter;
use super::{Amount, warn};

/// What a sentence costs in memory beside its bytes.
const SENTENCE_COST: u128 = 64;
/// Below so many combinations nobody waits.
const PROGRESS_FROM: u128 = 1_000_000;

/// What became of the combinations.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Tally {
    /// Combinations that were expanded.
    pub(super) expanded: u64,
    /// Those that were the same as one before.
    pub(super) duplicates: u64,
    /// Those that a phrase removed.
    pub(super) removed: u64,
    /// Sentences that are left.
    pub(super) results: u64,
}

impl Tally {
    /// For people: `9 effects from 12 combinations: 1 duplicate, 2 removed`.
    pub(super) fn in_words(&self) -> String {
        let Self { expanded, duplicates, removed, results } = self;
        format!(
            "{results} effects from {expanded} combinations: {duplicates} duplicates, {removed} removed"
        )
    }
}

/// Expands, removes duplicates and finishes, as [`Amount`] says; `each` gets every finished sentence. Temporary files go to `folder`.
pub(super) fn run(
    effects: &Effects,
    rules: &PhraseRules,
    amount: &Amount,
    folder: PathBuf,
    mut each: impl FnMut(&str) -> anyhow::Result<()>,
) -> anyhow::Result<Tally> {
    let mut tally = Tally::default();
    let raw = Raw::new(effects, amount)?;
    let mut renderer = rules.renderer();
    let cost = effects.longest() as u128 + SENTENCE_COST;
    let fits = raw.count.saturating_mul(cost) <= (amount.memory / 2) as u128;
    if amount.unsorted {
        let mut seen = SentenceSet::default();
        if !fits {
            warn("the sentences do not fit into --memory: duplicates stay");
        }
        raw.for_each(amount.quiet, |sentence| {
            tally.expanded += 1;
            if fits && !remember(&mut seen, sentence) {
                tally.duplicates += 1;
                return Ok(());
            }
            match renderer.render(sentence) {
                None => tally.removed += 1,
                Some(finished) => {
                    tally.results += 1;
                    each(finished)?;
                }
            }
            Ok(())
        })?;
        return Ok(tally);
    }
    let mut sorted = Sorter::new(amount.memory / 2, folder.clone(), false);
    let mut finish = |sentence: &str, tally: &mut Tally| {
        let Some(finished) = renderer.render(sentence) else {
            tally.removed += 1;
            return Ok(());
        };
        tally.results += 1;
        sorted.push(finished.as_bytes())
    };
    if fits {
        let mut seen = SentenceSet::default();
        raw.for_each(amount.quiet, |sentence| {
            tally.expanded += 1;
            if remember(&mut seen, sentence) {
                return finish(sentence, &mut tally);
            }
            tally.duplicates += 1;
            Ok(())
        })?;
    } else {
        // Which of several equal sentences is the first does not matter once they are sorted.
        let mut distinct = Sorter::new(amount.memory / 2, folder, true);
        raw.for_each(amount.quiet, |sentence| {
            tally.expanded += 1;
            distinct.push(sentence.as_bytes())
        })?;
        let mut kept = 0;
        distinct.drain(|sentence| {
            kept += 1;
            finish(text(sentence)?, &mut tally)
        })?;
        tally.duplicates = tally.expanded - kept;
    }
    sorted.drain(|finished| each(text(finished)?))?;
    Ok(tally)
}

fn text(line: &[u8]) -> anyhow::Result<&str> {
    std::str::from_utf8(line).context("a temporary file was changed by somebody else")
}

/// The combinations that were asked for.
struct Raw<'a> {
    effects: &'a Effects,
    /// How many there are; as many as can be counted when there are more.
    count: u128,
    drawn: Option<Vec<u128>>,
}

impl<'a> Raw<'a> {
    fn new(effects: &'a Effects, amount: &Amount) -> anyhow::Result<Self> {
        let all = effects.count();
        let drawn = match (amount.sample, all) {
            (None, _) => None,
            (Some(draws), Some(all)) => {
                Some(Draws::new(amount.seed).numbers(all, draws, Repeats::Refused))
            }
            (Some(_), None) => {
                return Err(Exit::no("there are too many combinations to draw from").into());
            }
        };
        let count = match (&drawn, amount.limit) {
            (Some(drawn), _) => drawn.len() as u128,
            (None, limit) => all.unwrap_or(u128::MAX).min(limit.map_or(u128::MAX, u128::from)),
        };
        Ok(Self { effects, count, drawn })
    }

    fn for_each(
        self,
        quiet: bool,
        mut each: impl FnMut(&str) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        if let Some(drawn) = self.drawn {
            return drawn
                .into_iter()
                .filter_map(|index| self.effects.nth(index))
                .try_for_each(|drawn| each(&drawn.text));
        }
        let shows = !quiet && self.count >= PROGRESS_FROM && std::io::stderr().is_terminal();
        let bar = shows.then(|| progress_bar(self.count)).transpose()?;
        let mut expansions = self.effects.expand();
        let mut sentence = String::new();
        let mut left = self.count;
        while left > 0 && expansions.next_into(&mut sentence).is_some() {
            each(&sentence)?;
            left -= 1;
            if let Some(bar) = &bar
                && left.is_multiple_of(1 << 14)
            {
                bar.set_position(u64::try_from(self.count - left).unwrap_or(u64::MAX));
            }
        }
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        Ok(())
    }
}

fn progress_bar(count: u128) -> anyhow::Result<ProgressBar> {
    let style = ProgressStyle::with_template("{bar:40} {percent}% {elapsed}, {eta} left")?;
    Ok(ProgressBar::new(u64::try_from(count).unwrap_or(u64::MAX)).with_style(style))
}

/// Sentences that have been seen.
type SentenceSet = HashSet<Box<str>, BuildHasherDefault<WordHasher>>;

/// Whether a sentence is new.
fn remember(seen: &mut SentenceSet, sentence: &str) -> bool {
    !seen.contains(sentence) && seen.insert(sentence.into())
}

/// Takes in eight bytes at a time. The sentences come from the user's own files: nobody makes them collide on purpose.
#[derive(Default)]
struct WordHasher(u64);

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        for word in words.iter().chain([&last]) {
            let mixed = (self.0.rotate_left(5) ^ u64::from_le_bytes(*word))
                .wrapping_mul(0x517c_c1b7_2722_0a95);
            self.0 = mixed ^ (mixed >> 32);
        }
    }

    fn write_u8(&mut self, byte: u8) {
        self.0 ^= u64::from(byte);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// What a template has to give.
#[derive(Serialize)]
struct TemplateCount<'a> {
    template: &'a str,
    combinations: Option<u128>,
}

#[derive(Serialize)]
struct Counts<'a> {
    combinations: Option<u128>,
    templates: Vec<TemplateCount<'a>>,
}

/// Tells how many combinations each template has, `null` for more than 2¹²⁸ − 1.
pub(super) fn tell_counts(effects: &Effects, json: bool) -> anyhow::Result<()> {
    let templates: Vec<TemplateCount<'_>> = (0..)
        .zip(effects.templates())
        .map(|(at, template)| TemplateCount {
            template: template.source(),
            combinations: effects.count_of(at),
        })
        .collect();
    let counts = Counts { combinations: effects.count(), templates };
    if json {
        say(serde_json::to_string_pretty(&counts)?);
        return Ok(());
    }
    let number =
        |count: Option<u128>| count.map_or("more than 2^128".to_owned(), |n| n.to_string());
    for template in &counts.templates {
        say(format_args!("{}\t{}", number(template.combinations), template.template));
    }
    say(format_args!(
        "Total combinations before duplicates and phrase rules: {}",
        number(counts.combinations)
    ));
    Ok(())
}
