//! Effect texts: sentence templates with placeholders, the sentences that they make, and the search for the template of a sentence.
//!
//! This module reads no files and knows no games. A caller provides three kinds of text:
//!
//! | Text | Type | What it says |
//! |---|---|---|
//! | templates, one on a line | [`Template`], [`read_templates`] | `Draw <number> cards` |
//! | values, one file for each name | [`Placeholders`] | `number`: `1`, `2`, `3` |
//! | phrases to remove, and to replace | [`PhraseRules`] | `1 cards: 1 card` |
//!
//! and gets:
//!
//! | Question | Answer |
//! |---|---|
//! | Which sentences can be made, how many are there, which is the *n*th? | [`Effects`]: [`expand`](Effects::expand), [`expand_from`](Effects::expand_from), [`count`](Effects::count), [`nth`](Effects::nth) |
//! | How is a sentence made choice by choice? | [`Effects::step`], [`step_choices`](Effects::step_choices), and back: [`picks_of`](Effects::picks_of) |
//! | Some of them at random, by a seed | [`Effects::sample`] |
//! | What do the phrase rules make of a sentence? | [`PhraseRules::render`], [`Renderer`] |
//! | All finished sentences, sorted | [`finished`] |
//! | Which template made this sentence, with which values? | [`Matcher::find`] |
//! | Which templates make it? | [`Matcher::makers`] |
//! | Which categories is it in? | [`Tagger`] |
//!
//! Numbers of combinations count *raw* sentences, before duplicates are removed and before the phrase rules. `docs/EFFECTS.md` in the repository has
//! the formats and their semantics for those who write the files.

mod cascade;
mod cursor;
mod decimal;
mod effects;
mod grammar;
mod lines;
mod loops;
mod matcher;
mod phrase_rules;
mod placeholders;
mod sample;
mod scanner;
mod steps;
mod tagger;
mod template;

use std::collections::BTreeSet;

use thiserror::Error;

pub use effects::{
    Binding, Effects, EffectsError, Expansion, Expansions, MAX_CHOICES, MAX_DEPTH, MAX_SENTENCE,
    MAX_SLOTS, Unresolved,
};
pub use matcher::{Makers, Match, Matcher, Matches};
pub use phrase_rules::{IgnoredRule, PhraseRules, Renderer};
pub use placeholders::Placeholders;
pub use sample::Repeats;
pub use steps::{MAX_PICKS, OpenPlace, PickError, Step, StepChoice};
pub use tagger::{Tagger, TaggerError};
pub use template::{Offset, Piece, Placeholder, Template, TemplateError};

/// A line of a file of templates that cannot be read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{line}: {error}")]
pub struct TemplateFault {
    /// From 1.
    pub line: usize,
    /// What is wrong.
    pub error: TemplateError,
}

/// Reads a file of templates: one on a line; blank lines are ignored. `#` does not begin a comment. Lines end in LF, CRLF or CR; a byte order mark is
/// ignored. Reports all faults.
pub fn read_templates(text: &str) -> Result<Vec<Template>, Vec<TemplateFault>> {
    let (mut templates, mut faults) = (Vec::new(), Vec::new());
    for (number, line) in lines::numbered_lines(text) {
        match Template::parse(line) {
            Ok(template) if template.source().is_empty() => {}
            Ok(template) => templates.push(template),
            Err(error) => faults.push(TemplateFault { line: number, error }),
        }
    }
    if faults.is_empty() { Ok(templates) } else { Err(faults) }
}

/// All finished sentences, sorted by code points: repeated raw sentences are removed, then the phrase rules are applied. If rules make two raw
/// sentences equal, both stay. All sentences are in memory at once: look at [`Effects::count`] first.
///
/// ```
/// use cardscape_engine::effect_text::{Effects, PhraseRules, Placeholders, finished, read_templates};
///
/// let placeholders = Placeholders::new([("number", "1\n2\n3\n")]);
/// let effects = Effects::new(read_templates("Draw <number> card\n").unwrap(), &placeholders)?;
/// let rules = PhraseRules::parse("# Exclude invalid draw\nDraw 1\n", "two card: two cards\n");
/// assert_eq!(finished(&effects, &rules), ["Draw 2 card", "Draw 3 card"]);
/// # Ok::<(), cardscape_engine::effect_text::EffectsError>(())
/// ```
pub fn finished(effects: &Effects, rules: &PhraseRules) -> Vec<String> {
    let raw: BTreeSet<String> = effects.expand().map(|expansion| expansion.text).collect();
    let mut renderer = rules.renderer();
    let mut sentences: Vec<String> =
        raw.iter().filter_map(|raw| renderer.render(raw).map(str::to_owned)).collect();
    sentences.sort_unstable();
    sentences
}
