//! The content of a card's stored bytes, read without copying, because building a segment reads every card.

use std::ops::Range;

use serde_json::Value;

use super::document::{Document, Reader, read_byte, read_number, read_signed, read_text};

/// The content of a card without its texts. Reused for each card, so that its lists are allocated once.
#[derive(Debug, Default)]
pub(super) struct ContentRef<'a> {
    pub(super) kind: &'a str,
    pub(super) has_lore: bool,
    /// Style and slot of each effect.
    pub(super) effects: Vec<[Option<&'a str>; 2]>,
    pub(super) attributes: Vec<(&'a str, ValueRef<'a>)>,
    /// Attributes that are texts, by code.
    pub(super) texts: Vec<(&'a str, AttributeText<'a>)>,
    printings: Vec<PrintingRef<'a>>,
    /// Attributes of all printings, one after the other.
    own: Vec<(&'a str, ValueRef<'a>)>,
}

#[derive(Debug)]
struct PrintingRef<'a> {
    rarity: &'a str,
    tier: i16,
    /// Where its attributes are.
    own: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum AttributeText<'a> {
    /// As the card contains it, to be folded.
    Plain(&'a str),
    /// Folded by an older version.
    Folded(&'a str),
}

/// A value in the bytes of a card.
#[derive(Clone, Debug)]
pub(super) enum ValueRef<'a> {
    Null,
    Bool(bool),
    Number(i64),
    /// A fraction or an object, as JSON.
    Json(&'a str),
    Text(&'a str),
    List(Vec<Self>),
}

impl ValueRef<'_> {
    pub(super) fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(is) => Value::Bool(*is),
            Self::Number(number) => Value::from(*number),
            Self::Json(json) => json.parse().unwrap_or_default(),
            Self::Text(text) => Value::from(*text),
            Self::List(list) => list.iter().map(Self::to_value).collect(),
        }
    }

    /// As [`cardscape_engine::is_something`].
    pub(super) fn is_something(&self) -> bool {
        match self {
            Self::Text(text) => !text.is_empty(),
            Self::List(list) => !list.is_empty(),
            Self::Number(_) => true,
            other => cardscape_engine::is_something(&other.to_value()),
        }
    }

    /// The number, if it is one.
    pub(super) fn number(&self) -> Option<i128> {
        match self {
            Self::Number(number) => Some((*number).into()),
            _ => None,
        }
    }
}

/// The value of an attribute in a list of attributes.
pub(super) fn value_of<'g, 'a>(
    attributes: &'g [(&'a str, ValueRef<'a>)],
    code: &str,
) -> Option<&'g ValueRef<'a>> {
    attributes.iter().find(|(own, _)| *own == code).map(|(_, value)| value)
}

impl<'a> ContentRef<'a> {
    /// Reads another card.
    pub(super) fn read(&mut self, reader: Reader<'a>, document: &Document<'a>) {
        let Self { kind, has_lore, effects, attributes, texts, printings, own } = self;
        let bytes = &mut { document.rest };
        *kind = reader.symbol(bytes);
        *has_lore = read_byte(bytes) == 1;
        effects.clear();
        for _ in 0..read_number(bytes) {
            let mut tag = || (read_byte(bytes) == 1).then(|| reader.symbol(bytes));
            effects.push([tag(), tag()]);
        }
        attributes.clear();
        reader.attribute_refs(bytes, attributes);
        texts.clear();
        for _ in 0..read_number(bytes) {
            let code = reader.symbol(bytes);
            let text = if read_byte(bytes) == 1 {
                match value_of(attributes, code) {
                    Some(ValueRef::Text(text)) => AttributeText::Plain(text),
                    _ => AttributeText::Plain(""),
                }
            } else {
                AttributeText::Folded(reader.symbol(bytes))
            };
            texts.push((code, text));
        }
        printings.clear();
        own.clear();
        for _ in 0..read_number(bytes) {
            let (rarity, tier) = (reader.symbol(bytes), read_signed(bytes));
            let start = own.len();
            reader.attribute_refs(bytes, own);
            let tier = tier.try_into().unwrap_or_default();
            printings.push(PrintingRef { rarity, tier, own: start..own.len() });
        }
    }

    /// Rarity, tier and own attributes of each printing.
    pub(super) fn printings(
        &self,
    ) -> impl ExactSizeIterator<Item = (&'a str, i16, &[(&'a str, ValueRef<'a>)])> {
        let own = |one: &PrintingRef<'_>| &self.own[one.own.clone()];
        self.printings.iter().map(move |one| (one.rarity, one.tier, own(one)))
    }
}

impl<'a> Reader<'a> {
    fn attribute_refs<'b>(self, bytes: &mut &'b [u8], out: &mut Vec<(&'b str, ValueRef<'b>)>)
    where
        'a: 'b,
    {
        for _ in 0..read_number(bytes) {
            let code = self.symbol(bytes);
            out.push((code, self.value_ref(bytes)));
        }
    }

    /// The same as [`Reader::value`], without copying.
    fn value_ref<'b>(self, bytes: &mut &'b [u8]) -> ValueRef<'b>
    where
        'a: 'b,
    {
        match read_byte(bytes) {
            1 => ValueRef::Bool(false),
            2 => ValueRef::Bool(true),
            3 => ValueRef::Number(read_signed(bytes)),
            4 => ValueRef::Json(read_text(bytes)),
            5 => ValueRef::Text(self.symbol(bytes)),
            6 => ValueRef::List((0..read_number(bytes)).map(|_| self.value_ref(bytes)).collect()),
            _ => ValueRef::Null,
        }
    }
}
