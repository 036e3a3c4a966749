//! Templates with their values: the sentences that they make, and how many there are.

use std::collections::{BTreeMap, BTreeSet};

use thiserror::Error;

use super::cursor::Cursor;
use super::decimal::Decimal;
use super::loops::cycles;
use super::placeholders::Placeholders;
use super::template::{Piece, Placeholder, Template, TemplateError};

/// Maximum depth of values within values.
pub const MAX_DEPTH: usize = 100;
/// Longest sentence before the phrase rules, in bytes.
pub const MAX_SENTENCE: usize = 1024 * 1024;
/// Maximum number of values, counted once for each placeholder that takes them.
pub const MAX_CHOICES: usize = 5_000_000;
/// Maximum number of placeholders. Different spellings count separately, and placeholders on cycles count once for each way to reach them.
pub const MAX_SLOTS: usize = 20_000;

/// A list of templates with the values of their placeholders: the sentences that they produce, before the phrase rules.
///
/// Every template has its own combinations, numbered from 0: the first placeholder changes slowest, the last fastest, values come in the order of
/// their file, and the combinations of a value that has places itself come in its own order. The list has the combinations of its templates one after
/// the other. Combinations are expanded only when they are asked for: memory grows with the files, never with the number of combinations.
///
/// A name that has no values, or that leads back to itself, stays as text, `<name>`: [`Effects::unresolved`] lists such names.
///
/// ```
/// use cardscape_engine::effect_text::{Effects, Placeholders, Template};
///
/// let placeholders = Placeholders::new([("n", "1\n2\n3\n"), ("act", "draw <n>\nrest\n")]);
/// let templates = vec![Template::parse("Pay <n>: <act>")?, Template::parse("Gain <n> or <n+10>, then <n>")?];
/// let effects = Effects::new(templates, &placeholders)?;
///
/// // 3 × (3 + 1), and 3 × 3: the same writing takes the same value, another offset does not.
/// assert_eq!((effects.count_of(0), effects.count_of(1), effects.count()), (Some(12), Some(9), Some(21)));
/// assert_eq!(effects.nth(5).unwrap().text, "Pay 2: draw 2");
/// assert_eq!(effects.nth(13).unwrap().text, "Gain 1 or 12, then 1");
/// assert_eq!(effects.nth(21), None);
/// let texts: Vec<String> = effects.expand().map(|effect| effect.text).collect();
/// assert_eq!(texts.len(), 21);
/// assert_eq!(texts[5], "Pay 2: draw 2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Effects {
    templates: Vec<Template>,
    /// The sequence of each template.
    roots: Vec<u32>,
    pub(super) sequences: Vec<Sequence>,
    pub(super) slots: Vec<Slot>,
    unresolved: BTreeSet<Unresolved>,
}

/// A sentence or value with its places.
#[derive(Debug, Default)]
pub(super) struct Sequence {
    pub(super) parts: Vec<Part>,
    /// Its places, each spelling once, as indices of [`Effects::slots`].
    pub(super) slots: Vec<u32>,
    /// For each place: how many combinations the places after it have; `None` is more than 2¹²⁸ − 1.
    pub(super) weights: Vec<Option<u128>>,
    pub(super) count: Option<u128>,
    /// Whether a place occurs twice.
    pub(super) linked: bool,
    /// Whether a combination may be an integer.
    numeric: bool,
    /// Bytes of the longest combination.
    longest: usize,
}

#[derive(Debug)]
pub(super) enum Part {
    Text(Box<str>),
    /// Index in [`Sequence::slots`].
    Slot(usize),
}

/// A place with its possible values.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) placeholder: Placeholder,
    pub(super) choices: Vec<Choice>,
    /// For each choice: how many combinations it and those before it have.
    pub(super) ends: Vec<Option<u128>>,
    /// Whether a value may be an integer or part of one.
    numeric: bool,
    longest: usize,
}

impl Slot {
    pub(super) fn count(&self) -> Option<u128> {
        self.ends.last().copied().unwrap_or(Some(0))
    }
}

#[derive(Debug)]
pub(super) enum Choice {
    Text(Box<str>),
    /// Index in [`Effects::sequences`].
    Sequence(u32),
    /// A sequence that may give an integer, to which this is then added. The sum is written without leading zeros.
    Number(u32, Decimal),
}

impl Choice {
    /// The sequence of a value that has places itself.
    pub(super) fn within(&self) -> Option<u32> {
        match self {
            Self::Text(_) => None,
            Self::Sequence(within) | Self::Number(within, _) => Some(*within),
        }
    }
}

/// A name that stays as text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unresolved {
    /// It has no values.
    Missing(String),
    /// Its values lead back to it.
    Cycle(String),
}

/// Why templates cannot be combined with their values.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum EffectsError {
    /// A value cannot be read.
    #[error("{name}.txt:{line}: {error}")]
    Value {
        /// Name of the placeholder.
        name: String,
        /// Line of its file, from 1.
        line: usize,
        /// What is wrong.
        error: TemplateError,
    },
    /// Values are nested too deeply.
    #[error("the values of <{name}> are nested deeper than {MAX_DEPTH} levels")]
    TooDeep {
        /// The name that is one too deep.
        name: String,
    },
    /// There are too many values, or too many ways through cycles.
    #[error(
        "too many placeholders or values, or cycles that are too entangled: at most {MAX_SLOTS} places with \
         {MAX_CHOICES} values"
    )]
    TooMany,
    /// A sentence could be too long.
    #[error("{within}: a sentence could be longer than {MAX_SENTENCE} bytes")]
    TooLong {
        /// The template or value.
        within: String,
    },
}

/// A combination of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expansion {
    /// Place of the template in the list, from 0.
    pub template: usize,
    /// The sentence, before the phrase rules.
    pub text: String,
}

/// A place of a template and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The place as it is written: `<n+1>`.
    pub placeholder: String,
    /// What the place shows: the value with its own places filled; an integer with the offset added.
    pub value: String,
    /// The places of the value and their values.
    pub within: Vec<Binding>,
}

impl Effects {
    /// Combines templates with their values. Faulty values are an error only if a template leads to them.
    pub fn new(
        templates: Vec<Template>,
        placeholders: &Placeholders,
    ) -> Result<Self, EffectsError> {
        let mut compiler = Compiler {
            placeholders,
            cycles: cycles(&templates, placeholders),
            path: Vec::new(),
            choices: 0,
            sequences: Vec::new(),
            slots: Vec::new(),
            known_slots: BTreeMap::new(),
            known_values: BTreeMap::new(),
            unresolved: BTreeSet::new(),
        };
        let roots: Result<Vec<u32>, _> =
            templates.iter().map(|template| compiler.sequence(template)).collect();
        let Compiler { sequences, slots, unresolved, .. } = compiler;
        Ok(Self { roots: roots?, sequences, slots, unresolved, templates })
    }

    /// The templates, in the order given.
    pub fn templates(&self) -> &[Template] {
        &self.templates
    }

    /// Names that stay as text, in order.
    pub fn unresolved(&self) -> impl Iterator<Item = &Unresolved> {
        self.unresolved.iter()
    }

    /// How many combinations all templates have together, repeated ones counted each time; `None` is more than 2¹²⁸ − 1. Nothing is expanded: the
    /// numbers were computed when the list was made.
    pub fn count(&self) -> Option<u128> {
        (0..self.roots.len()).try_fold(0_u128, |sum, at| sum.checked_add(self.count_of(at)?))
    }

    /// How many combinations the template at this place has; 0 when there is none, `None` when it has more than 2¹²⁸ − 1.
    pub fn count_of(&self, template: usize) -> Option<u128> {
        self.roots.get(template).map_or(Some(0), |&root| self.sequence(root).count)
    }

    /// No combination is longer than this, in bytes.
    pub fn longest(&self) -> usize {
        self.roots.iter().map(|&root| self.sequence(root).longest).max().unwrap_or(0)
    }

    /// The combination of this number, from 0. Its cost does not grow with the number.
    pub fn nth(&self, index: u128) -> Option<Expansion> {
        let (template, cursor) = self.seek(index)?;
        Some(Expansion { template, text: self.text_of(&cursor) })
    }

    /// The combination of this number of one template, from 0.
    pub fn nth_of(&self, template: usize, index: u128) -> Option<String> {
        Some(self.text_of(&self.cursor_at(template, index)?))
    }

    /// The value of each place of a template in the combination of this number.
    pub fn bindings(&self, template: usize, index: u128) -> Option<Vec<Binding>> {
        Some(self.bindings_of(&self.cursor_at(template, index)?))
    }

    /// All combinations, in order, made one by one.
    pub fn expand(&self) -> Expansions<'_> {
        self.expand_from(0)
    }

    /// The combinations from this number on, in order: for reading a list in pages.
    pub fn expand_from(&self, index: u128) -> Expansions<'_> {
        let (template, cursor) = match self.seek(index) {
            Some((template, cursor)) => (template, Some(cursor)),
            None => (self.roots.len(), None),
        };
        Expansions::new(self, template, cursor, self.roots.len())
    }

    /// The combinations of the template at this place, in order.
    pub fn expand_of(&self, template: usize) -> Expansions<'_> {
        let cursor = self.cursor_at(template, 0);
        Expansions::new(self, template, cursor, template.saturating_add(1))
    }

    pub(super) fn sequence(&self, index: u32) -> &Sequence {
        &self.sequences[index as usize]
    }

    pub(super) fn slot(&self, index: u32) -> &Slot {
        &self.slots[index as usize]
    }

    pub(super) fn root(&self, template: usize) -> Option<u32> {
        self.roots.get(template).copied()
    }

    fn seek(&self, mut index: u128) -> Option<(usize, Cursor)> {
        for template in 0..self.roots.len() {
            match self.count_of(template) {
                Some(count) if count <= index => index -= count,
                _ => return Some((template, self.cursor_at(template, index)?)),
            }
        }
        None
    }
}

/// Combinations, one by one: see [`Effects::expand`].
#[derive(Debug)]
pub struct Expansions<'a> {
    effects: &'a Effects,
    template: usize,
    /// The next combination; `None` at the start of a template.
    cursor: Option<Cursor>,
    /// The previous combination as text, and the offset of each part in it: parts that do not change are kept.
    text: String,
    begins: Vec<usize>,
    /// The template before which the iterator ends.
    end: usize,
}

impl<'a> Expansions<'a> {
    fn new(effects: &'a Effects, template: usize, cursor: Option<Cursor>, end: usize) -> Self {
        Self { effects, template, cursor, text: String::new(), begins: Vec::new(), end }
    }

    /// The place of the next combination's template, and the combination as text; `None` when there are no more. Unlike the iterator it does not
    /// allocate a new text each time.
    pub fn next_text(&mut self) -> Option<(usize, &str)> {
        if self.template >= self.end {
            return None;
        }
        if self.cursor.is_none() {
            self.begins.clear();
            self.cursor = Some(self.effects.cursor_at(self.template, 0)?);
        }
        let cursor = self.cursor.as_mut()?;
        self.effects.render_rest(cursor, &mut self.text, &mut self.begins);
        let template = self.template;
        match self.effects.advance(cursor) {
            Some(changed) => self.effects.truncate_after(cursor, changed, &mut self.begins),
            None => {
                self.cursor = None;
                self.template += 1;
            }
        }
        Some((template, &self.text))
    }
}

impl Iterator for Expansions<'_> {
    type Item = Expansion;

    fn next(&mut self) -> Option<Expansion> {
        let (template, text) = self.next_text()?;
        Some(Expansion { template, text: text.to_owned() })
    }
}

/// A name, the names of its cycles that are being resolved, and what distinguishes the entries of this name.
type Key<'a, T> = (&'a str, Vec<&'a str>, T);

/// Builds sequences and slots. The meaning of a name depends on the names that are being resolved, but only on those on a cycle with it; so each name
/// is compiled once for each such context.
struct Compiler<'a> {
    placeholders: &'a Placeholders,
    /// For each name on a cycle: the number of its group.
    cycles: BTreeMap<&'a str, usize>,
    /// The names that are being resolved.
    path: Vec<&'a str>,
    choices: usize,
    sequences: Vec<Sequence>,
    slots: Vec<Slot>,
    known_slots: BTreeMap<Key<'a, Option<String>>, u32>,
    known_values: BTreeMap<Key<'a, usize>, u32>,
    unresolved: BTreeSet<Unresolved>,
}

/// What a placeholder becomes.
enum PlaceholderContent {
    Text(String),
    Slot(u32),
}

impl<'a> Compiler<'a> {
    fn sequence(&mut self, template: &Template) -> Result<u32, EffectsError> {
        let mut sequence = Sequence::default();
        let mut words = String::new();
        let mut places: BTreeMap<&Placeholder, usize> = BTreeMap::new();
        let mut longest = 0_usize;
        sequence.numeric = true;
        for piece in template.pieces() {
            let placeholder = match piece {
                Piece::Text(text) => {
                    words.push_str(text);
                    sequence.numeric &= is_numeric(text);
                    longest = longest.saturating_add(text.len());
                    continue;
                }
                Piece::Placeholder(placeholder) => placeholder,
            };
            let place = match places.get(placeholder) {
                Some(&place) => {
                    sequence.linked = true;
                    place
                }
                None => match self.filling(placeholder)? {
                    PlaceholderContent::Text(text) => {
                        longest = longest.saturating_add(text.len());
                        words.push_str(&text);
                        sequence.numeric = false;
                        continue;
                    }
                    PlaceholderContent::Slot(slot) => {
                        sequence.slots.push(slot);
                        *places.entry(placeholder).or_insert(sequence.slots.len() - 1)
                    }
                },
            };
            if !words.is_empty() {
                sequence.parts.push(Part::Text(std::mem::take(&mut words).into()));
            }
            let slot = &self.slots[sequence.slots[place] as usize];
            sequence.numeric &= slot.numeric;
            longest = longest.saturating_add(slot.longest);
            sequence.parts.push(Part::Slot(place));
        }
        if !words.is_empty() {
            sequence.parts.push(Part::Text(words.into()));
        }
        if longest > MAX_SENTENCE {
            let within = match self.path.last() {
                Some(name) => format!("a value of <{name}>"),
                None => template.source().chars().take(80).collect(),
            };
            return Err(EffectsError::TooLong { within });
        }
        sequence.longest = longest;
        let mut count = Some(1);
        for &slot in sequence.slots.iter().rev() {
            sequence.weights.push(count);
            count = product(count, self.slots[slot as usize].count());
        }
        sequence.weights.reverse();
        sequence.count = count;
        self.sequences.push(sequence);
        number(self.sequences.len())
    }

    fn filling(&mut self, placeholder: &Placeholder) -> Result<PlaceholderContent, EffectsError> {
        let name = placeholder.name();
        let left = || format!("<{name}>");
        if self.path.contains(&name) {
            self.unresolved.insert(Unresolved::Cycle(name.to_owned()));
            return Ok(PlaceholderContent::Text(left()));
        }
        let Some((name, lines)) = self.placeholders.entry(name) else {
            self.unresolved.insert(Unresolved::Missing(name.to_owned()));
            return Ok(PlaceholderContent::Text(left()));
        };
        let context = self.context(name);
        let offset = placeholder.offset().map(|offset| offset.as_str().to_owned());
        let key = (name, context.clone(), offset);
        if let Some(&slot) = self.known_slots.get(&key) {
            return Ok(PlaceholderContent::Slot(slot));
        }
        if self.path.len() >= MAX_DEPTH {
            return Err(EffectsError::TooDeep { name: name.to_owned() });
        }
        let offset = placeholder.offset().map_or("0", |offset| offset.as_str());
        let added = Decimal::parse(offset).unwrap_or_default();
        self.path.push(name);
        let mut slot = Slot {
            placeholder: placeholder.clone(),
            choices: Vec::with_capacity(lines.len()),
            ends: Vec::with_capacity(lines.len()),
            numeric: false,
            longest: 0,
        };
        let mut end = Some(0_u128);
        for (at, line) in lines.iter().enumerate() {
            self.choices += 1;
            if self.choices > MAX_CHOICES {
                return Err(EffectsError::TooMany);
            }
            let value = line.value.as_ref().map_err(|error| EffectsError::Value {
                name: name.to_owned(),
                line: line.number,
                error: error.clone(),
            })?;
            let (choice, count, longest) = if value.placeholders().next().is_none() {
                let text = shifted(value.source(), &added);
                slot.numeric |= is_numeric(&text);
                let longest = text.len();
                (Choice::Text(text.into()), Some(1), longest)
            } else {
                let key = (name, context.clone(), at);
                let sequence = match self.known_values.get(&key) {
                    Some(&sequence) => sequence,
                    None => {
                        let sequence = self.sequence(value)?;
                        self.known_values.insert(key, sequence);
                        sequence
                    }
                };
                let Sequence { count, longest, numeric, .. } = self.sequences[sequence as usize];
                slot.numeric |= numeric;
                if numeric {
                    // A sum has at most one digit more than the longer of its parts.
                    let longest = longest.max(offset.len()) + 1;
                    (Choice::Number(sequence, added.clone()), count, longest)
                } else {
                    (Choice::Sequence(sequence), count, longest)
                }
            };
            if longest > MAX_SENTENCE {
                return Err(EffectsError::TooLong { within: format!("a value of <{name}>") });
            }
            end = end.zip(count).and_then(|(end, count)| end.checked_add(count));
            slot.longest = slot.longest.max(longest);
            slot.choices.push(choice);
            slot.ends.push(end);
        }
        self.path.pop();
        if self.slots.len() >= MAX_SLOTS {
            return Err(EffectsError::TooMany);
        }
        self.slots.push(slot);
        let slot = number(self.slots.len())?;
        self.known_slots.insert(key, slot);
        Ok(PlaceholderContent::Slot(slot))
    }

    /// The names that are being resolved and lie on a cycle with this one.
    fn context(&self, name: &str) -> Vec<&'a str> {
        let Some(cycle) = self.cycles.get(name) else { return Vec::new() };
        let mut context: Vec<&str> = self
            .path
            .iter()
            .copied()
            .filter(|other| self.cycles.get(other) == Some(cycle))
            .collect();
        context.sort_unstable();
        context
    }
}

/// Adds to an integer and writes the sum without leading zeros; any other text stays as it is.
pub(super) fn shifted(text: &str, added: &Decimal) -> String {
    Decimal::parse(text).map_or_else(|| text.to_owned(), |number| number.add(added).to_text())
}

/// Whether a text may be a part of an integer.
fn is_numeric(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-'))
}

/// The index of the last of `length` items.
fn number(length: usize) -> Result<u32, EffectsError> {
    u32::try_from(length - 1).map_err(|_| EffectsError::TooMany)
}

/// The product of two counts. `None` is too large to be counted, and so is its product with any count: no factor is 0, because a place without values
/// is text.
pub(super) fn product(left: Option<u128>, right: Option<u128>) -> Option<u128> {
    left?.checked_mul(right?)
}
