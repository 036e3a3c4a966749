//! From templates to finished sentences, within a memory budget.

use std::io::IsTerminal as _;
use std::path::PathBuf;

use anyhow::Context as _;
use cardscape_engine::effect_text::{Effects, PhraseRules};
use cardscape_engine::rng::{RandomNumbers as _, SplitMix64};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

use super::super::{ExitError, say};
use super::sorter::Sorter;
use super::{Amount, warn};

/// Memory for remembering one sentence, in bytes: up to two and a half slots of the table.
const SENTENCE_COST: u128 = 20;
/// Memory for a drawn number: an entry in the list, and one in the set that prevents duplicates.
const DRAW_COST: u128 = 64;
/// With fewer combinations than this, no progress is shown.
const PROGRESS_FROM: u128 = 1_000_000;

/// The numbers of combinations by result.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Tally {
    /// Combinations that were expanded.
    pub(super) expanded: u64,
    /// Those equal to an earlier one.
    pub(super) duplicates: u64,
    /// Those removed by a phrase.
    pub(super) removed: u64,
    /// Sentences that remain.
    pub(super) results: u64,
}

impl Tally {
    /// A summary such as `9 effects from 12 combinations: 1 duplicate, 2 removed`.
    pub(super) fn in_words(&self) -> String {
        let Self { expanded, duplicates, removed, results } = *self;
        let counted = |number: u64, noun: &str| {
            let ending = if number == 1 { "" } else { "s" };
            format!("{number} {noun}{ending}")
        };
        let (results, expanded) = (counted(results, "effect"), counted(expanded, "combination"));
        let duplicates = counted(duplicates, "duplicate");
        format!("{results} from {expanded}: {duplicates}, {removed} removed")
    }
}

/// Expands the combinations that [`Amount`] selects, removes duplicates and finishes the sentences. `each` gets every
/// finished sentence, which is UTF-8, and may use half of the memory from then on. Temporary files are created in
/// `folder`.
pub(super) fn run(
    effects: &Effects,
    rules: &PhraseRules,
    amount: &Amount,
    folder: PathBuf,
    mut each: impl FnMut(&[u8]) -> anyhow::Result<()>,
) -> anyhow::Result<Tally> {
    let mut tally = Tally::default();
    let raw = Raw::new(effects, amount)?;
    let mut renderer = rules.renderer();
    let fits = raw.count <= SentenceSet::MOST
        && raw.count.saturating_mul(SENTENCE_COST) <= (amount.memory / 2) as u128;
    let mut seen = SentenceSet::with_room(if fits { raw.count } else { 0 })?;
    if amount.unsorted {
        if !fits {
            warn("the sentences do not fit into --memory: duplicates stay");
        }
        raw.for_each(amount.quiet, |sentence| {
            let number = tally.expanded;
            tally.expanded += 1;
            if fits && !seen.insert(number, sentence, |number| raw.nth(number))? {
                tally.duplicates += 1;
                return Ok(());
            }
            match renderer.render(sentence) {
                None => tally.removed += 1,
                Some(finished) => {
                    tally.results += 1;
                    each(finished.as_bytes())?;
                }
            }
            Ok(())
        })?;
        return Ok(tally);
    }
    let mut sorted = Sorter::new(amount.memory / 2, folder.clone(), false);
    sorted.reserve(raw.count);
    let mut finish = |sentence: &str, tally: &mut Tally| {
        let Some(finished) = renderer.render(sentence) else {
            tally.removed += 1;
            return Ok(());
        };
        tally.results += 1;
        sorted.push(finished.as_bytes())
    };
    if fits {
        raw.for_each(amount.quiet, |sentence| {
            let number = tally.expanded;
            tally.expanded += 1;
            if seen.insert(number, sentence, |number| raw.nth(number))? {
                return finish(sentence, &mut tally);
            }
            tally.duplicates += 1;
            Ok(())
        })?;
    } else {
        // Equal sentences are interchangeable once they are sorted.
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
    // Frees the table: `each` may use its memory now.
    drop(seen);
    sorted.drain(each)?;
    Ok(tally)
}

pub(super) fn text(line: &[u8]) -> anyhow::Result<&str> {
    std::str::from_utf8(line).context("a temporary file was changed by somebody else")
}

/// The selected combinations.
struct Raw<'a> {
    effects: &'a Effects,
    /// The number of combinations, saturated.
    count: u128,
    drawn: Option<Vec<u128>>,
}

impl<'a> Raw<'a> {
    fn new(effects: &'a Effects, amount: &Amount) -> anyhow::Result<Self> {
        let all = effects.count();
        let drawn = match (amount.sample, all) {
            (None, _) => None,
            (Some(draws), Some(all)) => {
                let cost = all.min(draws as u128).saturating_mul(DRAW_COST);
                if cost > amount.memory as u128 {
                    let needed = cost.div_ceil(1 << 20);
                    return Err(ExitError::usage(format!(
                        "--sample {draws} does not fit into --memory: it needs {needed}M"
                    ))
                    .into());
                }
                Some(SplitMix64::new(amount.seed).distinct_below(all, draws))
            }
            (Some(_), None) => {
                return Err(ExitError::no("there are too many combinations to draw from").into());
            }
        };
        let count = match (&drawn, amount.limit) {
            (Some(drawn), _) => drawn.len() as u128,
            (None, limit) => all.unwrap_or(u128::MAX).min(limit.map_or(u128::MAX, u128::from)),
        };
        Ok(Self { effects, count, drawn })
    }

    /// The selected combination with this number, from 0.
    fn nth(&self, number: u64) -> Option<String> {
        let index = match &self.drawn {
            Some(drawn) => *drawn.get(usize::try_from(number).ok()?)?,
            None => number.into(),
        };
        Some(self.effects.nth(index)?.text)
    }

    fn for_each(
        &self,
        quiet: bool,
        mut each: impl FnMut(&str) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        if let Some(drawn) = &self.drawn {
            return drawn
                .iter()
                .filter_map(|&index| self.effects.nth(index))
                .try_for_each(|drawn| each(&drawn.text));
        }
        let shows = !quiet && self.count >= PROGRESS_FROM && std::io::stderr().is_terminal();
        let bar = shows.then(|| progress_bar(self.count)).transpose()?;
        let mut expansions = self.effects.expand();
        let mut left = self.count;
        while left > 0
            && let Some((_, sentence)) = expansions.next_text()
        {
            each(sentence)?;
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

/// The set of sentences seen so far, by hash and number: a table with open addressing. When hashes are equal, the
/// sentence with the stored number is rendered again and compared, so that no text has to be stored.
struct SentenceSet {
    /// The upper half of a sentence's hash and its number, from 1, in the slot that the lower half gives or in the next
    /// free one; 0 is free.
    places: Vec<u64>,
}

impl SentenceSet {
    /// Most sentences whose numbers fit.
    const MOST: u128 = u32::MAX as u128;

    /// A set with room for `count` sentences.
    fn with_room(count: u128) -> anyhow::Result<Self> {
        let places = usize::try_from(count + count / 4 + 1)?.next_power_of_two();
        Ok(Self { places: vec![0; places] })
    }

    /// Adds the sentence with this number, from 0. Returns whether it is new.
    fn insert(
        &mut self,
        number: u64,
        sentence: &str,
        again: impl Fn(u64) -> Option<String>,
    ) -> anyhow::Result<bool> {
        const NUMBER: u64 = u32::MAX as u64;
        let hash = xxh3_64(sentence.as_bytes());
        let mask = self.places.len() - 1;
        let mut place = usize::try_from(hash & mask as u64)?;
        while let Some(seen) = (self.places[place] & NUMBER).checked_sub(1) {
            let alike = (self.places[place] ^ hash) & !NUMBER == 0;
            if alike && again(seen).as_deref() == Some(sentence) {
                return Ok(false);
            }
            place = (place + 1) & mask;
        }
        self.places[place] = hash & !NUMBER | u64::from(u32::try_from(number + 1)?);
        Ok(true)
    }
}

/// How many combinations a template has.
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

/// Prints how many combinations each template has; `null` for more than 2¹²⁸ − 1.
pub(super) fn print_counts(effects: &Effects, json: bool) -> anyhow::Result<()> {
    let templates: Vec<TemplateCount<'_>> = (0..)
        .zip(effects.templates())
        .map(|(at, template)| TemplateCount {
            template: template.source(),
            combinations: effects.count_of(at),
        })
        .collect();
    let counts = Counts { combinations: effects.count(), templates };
    if json {
        return say(serde_json::to_string_pretty(&counts)?);
    }
    let number =
        |count: Option<u128>| count.map_or("more than 2^128".to_owned(), |n| n.to_string());
    for template in &counts.templates {
        say(format_args!("{}\t{}", number(template.combinations), template.template))?;
    }
    say(format_args!(
        "Total combinations before duplicates and phrase rules: {}",
        number(counts.combinations)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        let some = Tally { expanded: 12, duplicates: 1, removed: 2, results: 9 };
        assert_eq!(some.in_words(), "9 effects from 12 combinations: 1 duplicate, 2 removed");
        let one = Tally { expanded: 1, results: 1, ..Tally::default() };
        assert_eq!(one.in_words(), "1 effect from 1 combination: 0 duplicates, 0 removed");
    }
}
