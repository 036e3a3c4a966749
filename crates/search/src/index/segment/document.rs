//! The serialised form of a card: all its data, for tests of texts and for merging segments.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Number, Value};

use super::super::record::{CardContent, EffectTags, PrintingRecord};
use super::lists::place;
use super::vocabulary::{Vocabulary, VocabularyBuilder};
use crate::Words;

/// Most short texts that are stored as numbers; others are stored as text.
const MAX_SYMBOLS: usize = 4_096;
/// Most bytes of a text that is stored as a number.
const MAX_SYMBOL: usize = 40;

/// Codes and values that many cards share, by number.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    ids: FxHashMap<Box<str>, u32>,
    texts: Vec<Box<str>>,
}

impl Symbols {
    fn id(&mut self, text: &str) -> Option<u32> {
        if let Some(id) = self.ids.get(text) {
            return Some(*id);
        }
        if self.texts.len() >= MAX_SYMBOLS || text.len() > MAX_SYMBOL {
            return None;
        }
        let id = place(self.texts.len());
        self.ids.insert(text.into(), id);
        self.texts.push(text.into());
        Some(id)
    }

    pub(super) fn bytes(&self) -> usize {
        self.texts.iter().map(|text| text.len() * 2 + 64).sum()
    }
}

/// The token between two parts of a folded text.
const BETWEEN: u32 = 0;

/// Serialises cards.
#[derive(Debug, Default)]
pub(super) struct Writer {
    pub(super) words: VocabularyBuilder,
    pub(super) symbols: Symbols,
    /// Folded forms of short attribute texts: most cards have one of a few.
    folded: FxHashMap<Box<str>, Box<str>>,
    /// Short texts of printings whose words have numbers.
    numbered: FxHashSet<Box<str>>,
    /// Buffer for the words of one text.
    tokens: Vec<u8>,
}

impl Writer {
    /// Appends a card to `out`.
    pub(super) fn write(&mut self, content: &CardContent, out: &mut Vec<u8>) {
        let CardContent { name, kind, attributes, effects, has_lore, words, printings } = content;
        write_text(name, out);
        let mut tokens = std::mem::take(&mut self.tokens);
        for text in [&*words.name, &words.effects, &words.lore, emoji_part(words)] {
            tokens.clear();
            self.write_words(text, &mut tokens);
            write_number(tokens.len() as u64, out);
            out.extend(&tokens);
        }
        self.tokens = tokens;
        self.write_symbol(kind, out);
        out.push(u8::from(*has_lore));
        write_number(effects.len() as u64, out);
        for EffectTags { style, slot } in effects {
            for tag in [style, slot] {
                out.push(u8::from(tag.is_some()));
                if let Some(tag) = tag {
                    self.write_symbol(tag, out);
                }
            }
        }
        self.write_attributes(attributes, out);
        write_number(words.attributes.len() as u64, out);
        for (code, text) in &words.attributes {
            let own = attributes.get(code).and_then(Value::as_str);
            let text = text.as_str().unwrap_or_default();
            self.write_symbol(code, out);
            // The bytes do not contain the words of this text, but the index of the attribute only has words with
            // numbers.
            for word in text.split(' ').skip(1) {
                self.words.id(word);
            }
            // A text that can be folded again need not be stored.
            let is_known = own.is_some_and(|own| self.folds_into(own, text));
            out.push(u8::from(is_known));
            if !is_known {
                self.write_symbol(text, out);
            }
        }
        write_number(printings.len() as u64, out);
        for PrintingRecord { rarity, tier, attributes } in printings {
            for text in attributes.values().filter_map(Value::as_str) {
                self.number_words(text);
            }
            self.write_symbol(rarity, out);
            write_signed((*tier).into(), out);
            self.write_attributes(attributes, out);
        }
    }

    /// Gives numbers to the words of a text that the bytes contain only as the printing has it.
    fn number_words(&mut self, text: &str) {
        if self.numbered.contains(text) {
            return;
        }
        for word in crate::folded(text).split(' ').skip(1) {
            self.words.id(word);
        }
        if text.len() <= MAX_SYMBOL && self.numbered.len() < MAX_SYMBOLS {
            self.numbered.insert(text.into());
        }
    }

    /// Whether `folded` is the folded form of the text.
    fn folds_into(&mut self, text: &str, folded: &str) -> bool {
        if let Some(known) = self.folded.get(text) {
            return **known == *folded;
        }
        let own = crate::folded(text);
        let is_same = own == folded;
        if text.len() <= MAX_SYMBOL && self.folded.len() < MAX_SYMBOLS {
            self.folded.insert(text.into(), own.into());
        }
        is_same
    }

    fn write_words(&mut self, folded: &str, out: &mut Vec<u8>) {
        for word in folded.split(' ').skip(1) {
            let token = if word == "|" { BETWEEN } else { self.words.id(word) + 1 };
            write_number(token.into(), out);
        }
    }

    fn write_attributes(&mut self, attributes: &Map<String, Value>, out: &mut Vec<u8>) {
        write_number(attributes.len() as u64, out);
        for (code, value) in attributes {
            self.write_symbol(code, out);
            self.write_value(value, out);
        }
    }

    fn write_value(&mut self, value: &Value, out: &mut Vec<u8>) {
        match value {
            Value::Null => out.push(0),
            Value::Bool(is) => out.push(1 + u8::from(*is)),
            Value::Number(number) => match number.as_i64() {
                Some(number) => {
                    out.push(3);
                    write_signed(number, out);
                }
                None => {
                    out.push(4);
                    write_text(&value.to_string(), out);
                }
            },
            Value::String(text) => {
                out.push(5);
                self.write_symbol(text, out);
            }
            Value::Array(list) => {
                out.push(6);
                write_number(list.len() as u64, out);
                for value in list {
                    self.write_value(value, out);
                }
            }
            Value::Object(_) => {
                out.push(4);
                write_text(&value.to_string(), out);
            }
        }
    }

    /// Writes the number of a symbol, from 1, or 0 followed by the text.
    fn write_symbol(&mut self, text: &str, out: &mut Vec<u8>) {
        match self.symbols.id(text) {
            Some(id) => write_number(u64::from(id) + 1, out),
            None => {
                out.push(0);
                write_text(text, out);
            }
        }
    }
}

/// The part of `words.all` that contains the emoji of the attributes: what follows name, effects and lore.
fn emoji_part(words: &Words) -> &str {
    let mut rest = &*words.all;
    let mut is_first = true;
    for part in [&words.name, &words.effects, &words.lore] {
        if part.is_empty() {
            continue;
        }
        let after = if is_first { Some(rest) } else { rest.strip_prefix(" |") };
        let Some(after) = after.and_then(|rest| rest.strip_prefix(part.as_str())) else {
            return "";
        };
        (rest, is_first) = (after, false);
    }
    rest.strip_prefix(" |").unwrap_or(if is_first { rest } else { "" })
}

#[expect(clippy::cast_possible_truncation, reason = "seven bits at a time")]
fn write_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 128 {
        out.push((number & 127) as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

#[expect(clippy::cast_sign_loss, reason = "the sign is in the lowest bit")]
fn write_signed(number: i64, out: &mut Vec<u8>) {
    write_number(((number << 1) ^ (number >> 63)) as u64, out);
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    write_number(text.len() as u64, out);
    out.extend(text.as_bytes());
}

/// Which folded texts of a card are decoded: these take the longest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Texts {
    All,
    Few,
}

/// The tables that are needed to decode a card.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) words: &'a Vocabulary,
    pub(super) symbols: &'a Symbols,
}

/// The texts of a card, as encoded word numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Document<'a> {
    pub(super) name: &'a str,
    /// Name, effects, lore, emoji.
    pub(super) texts: [&'a [u8]; 4],
    /// Everything except the texts.
    pub(super) rest: &'a [u8],
}

impl<'a> Document<'a> {
    /// Splits the bytes into texts and the rest.
    pub(super) fn new(mut bytes: &'a [u8]) -> Self {
        let name = read_text(&mut bytes);
        let texts = [(); 4].map(|()| read_bytes(&mut bytes));
        Self { name, texts, rest: bytes }
    }
}

/// Encodes word numbers as in texts.
pub(super) fn as_tokens(ids: &[u32]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for id in ids {
        write_number(u64::from(*id) + 1, &mut bytes);
    }
    bytes
}

/// Decodes the word numbers of a text; `None` between two parts.
pub(super) fn tokens(mut bytes: &[u8]) -> impl Iterator<Item = Option<u32>> + Clone {
    std::iter::from_fn(move || {
        if bytes.is_empty() {
            return None;
        }
        let token = read_number(&mut bytes);
        Some(u32::try_from(token).ok().and_then(|token| token.checked_sub(BETWEEN + 1)))
    })
}

impl<'a> Reader<'a> {
    /// Decodes the content, with only the requested folded texts.
    pub(super) fn content(self, document: &Document<'_>, wanted: Texts) -> CardContent {
        let read = |text| if wanted == Texts::All { self.folded(text) } else { String::new() };
        let [name, effects, lore, emoji] = document.texts.map(read);
        let bytes = &mut &*document.rest;
        let kind = self.symbol(bytes).to_owned();
        let has_lore = read_byte(bytes) == 1;
        let tags = (0..read_number(bytes)).map(|_| {
            let mut tag = || (read_byte(bytes) == 1).then(|| self.symbol(bytes).to_owned());
            EffectTags { style: tag(), slot: tag() }
        });
        let tags: Vec<EffectTags> = tags.collect();
        let attributes = self.attributes(bytes);
        let mut texts = Map::new();
        for _ in 0..read_number(bytes) {
            let code = self.symbol(bytes).to_owned();
            let text = if read_byte(bytes) == 1 {
                if wanted == Texts::Few {
                    continue;
                }
                attributes.get(&code).and_then(Value::as_str).map(crate::folded).unwrap_or_default()
            } else {
                self.symbol(bytes).to_owned()
            };
            texts.insert(code, text.into());
        }
        let printings = (0..read_number(bytes)).map(|_| PrintingRecord {
            rarity: self.symbol(bytes).to_owned(),
            tier: read_signed(bytes).try_into().unwrap_or_default(),
            attributes: self.attributes(bytes),
        });
        let printings: Vec<PrintingRecord> = printings.collect();
        let parts = [&name, &effects, &lore, &emoji];
        let parts: Vec<&str> =
            parts.into_iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        let words = Words { all: parts.join(" |"), name, effects, lore, attributes: texts };
        CardContent {
            name: document.name.to_owned(),
            kind,
            attributes,
            effects: tags,
            has_lore,
            words,
            printings,
        }
    }

    fn folded(self, text: &[u8]) -> String {
        let mut folded = String::new();
        for token in tokens(text) {
            folded.push(' ');
            folded.push_str(token.map_or("|", |id| self.words.word(id)));
        }
        folded
    }

    fn attributes<'b>(self, bytes: &mut &'b [u8]) -> Map<String, Value>
    where
        'a: 'b,
    {
        let many = read_number(bytes);
        (0..many).map(|_| (self.symbol(bytes).to_owned(), self.value(bytes))).collect()
    }

    fn value<'b>(self, bytes: &mut &'b [u8]) -> Value
    where
        'a: 'b,
    {
        match read_byte(bytes) {
            1 => Value::Bool(false),
            2 => Value::Bool(true),
            3 => Value::Number(Number::from(read_signed(bytes))),
            4 => read_text(bytes).parse().unwrap_or_default(),
            5 => Value::from(self.symbol(bytes)),
            6 => (0..read_number(bytes)).map(|_| self.value(bytes)).collect(),
            _ => Value::Null,
        }
    }

    pub(super) fn symbol<'b>(self, bytes: &mut &'b [u8]) -> &'b str
    where
        'a: 'b,
    {
        match read_number(bytes) {
            0 => read_text(bytes),
            id => usize::try_from(id - 1)
                .ok()
                .and_then(|id| self.symbols.texts.get(id))
                .map_or("", AsRef::as_ref),
        }
    }
}

pub(super) fn read_byte(bytes: &mut &[u8]) -> u8 {
    let Some((first, rest)) = bytes.split_first() else { return 0 };
    *bytes = rest;
    *first
}

pub(super) fn read_number(bytes: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0_u64, 0_u32);
    loop {
        let byte = read_byte(bytes);
        number |= u64::from(byte & 127) << shift;
        shift += 7;
        if byte < 128 || shift >= 64 {
            return number;
        }
    }
}

#[expect(clippy::cast_possible_wrap, reason = "the sign is in the lowest bit")]
pub(super) fn read_signed(bytes: &mut &[u8]) -> i64 {
    let number = read_number(bytes);
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

fn read_bytes<'a>(bytes: &mut &'a [u8]) -> &'a [u8] {
    let length = usize::try_from(read_number(bytes)).unwrap_or(usize::MAX).min(bytes.len());
    let (read, rest) = bytes.split_at(length);
    *bytes = rest;
    read
}

pub(super) fn read_text<'a>(bytes: &mut &'a [u8]) -> &'a str {
    str::from_utf8(read_bytes(bytes)).unwrap_or_default()
}

/// A value for facets and tests.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Scalar {
    Null,
    Bool(bool),
    Number(i64),
    Text(Box<str>),
    /// A fraction or an object, as JSON.
    Other(Box<str>),
    /// An element of a list.
    InList(Box<Self>),
}

impl Scalar {
    /// The form of a value that is not in a list.
    pub(super) fn one(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(is) => Self::Bool(*is),
            Value::String(text) => Self::Text(text.as_str().into()),
            other => match other.as_i64() {
                Some(number) => Self::Number(number),
                None => Self::Other(other.to_string().into()),
            },
        }
    }

    /// The value as JSON; for an element of a list, the element alone.
    pub(super) fn value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(is) => Value::Bool(*is),
            Self::Number(number) => Value::from(*number),
            Self::Text(text) => Value::from(&**text),
            Self::Other(json) => json.parse().unwrap_or_default(),
            Self::InList(one) => one.value(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Text(text) | Self::Other(text) => text.len() + 16,
            Self::InList(one) => size_of::<Self>() + one.bytes(),
            _ => 0,
        }
    }
}

/// The values of a card's printings, by code.
pub(super) type ByCode<T> = BTreeMap<String, T>;
