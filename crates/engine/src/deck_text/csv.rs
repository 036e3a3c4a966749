//! Tables: a header names the columns, with the words that several programs use; fields are separated by commas, semicolons or tabs.

use std::borrow::Cow;

use super::draft::{Content, Draft, DraftEntry, Parts, Source};
use super::own::DeckTextFault;
use super::read_deck::{IgnoredReason, MalformedText};
use super::writing::{DeckWriter, Rarities, WritableParts};
use crate::schema::word_key;

/// Maximum number of fields of a record.
const FIELDS_MAX: usize = 100;

/// The separator, and which column holds which part of an entry.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Columns {
    separator: char,
    quantity: Option<usize>,
    name: Option<usize>,
    set: Option<usize>,
    set_name: Option<usize>,
    number: Option<usize>,
    rarity: Option<usize>,
    finish: Option<usize>,
    zone: Option<usize>,
    id: Option<usize>,
}

impl Columns {
    /// The columns of a header; `None` if the line is not a header. A header names the card and at least one other column.
    pub(super) fn of(line: &str) -> Option<Self> {
        let separator =
            [',', ';', '\t'].into_iter().max_by_key(|mark| line.matches(*mark).count())?;
        if !line.contains(separator) {
            return None;
        }
        let mut columns = Self { separator, ..Self::default() };
        let mut known = 0;
        for (at, field) in fields(line, separator).into_iter().enumerate() {
            let column = match word_key(&field).as_str() {
                "quantity" | "qty" | "count" | "copies" | "amount" => &mut columns.quantity,
                "name" | "card" | "cardname" | "title" => &mut columns.name,
                "set" | "setcode" | "edition" | "editioncode" => &mut columns.set,
                "setname" | "editionname" => &mut columns.set_name,
                "number" | "collectornumber" | "cardnumber" | "no" => &mut columns.number,
                "rarity" => &mut columns.rarity,
                "foil" | "finish" | "printing" => &mut columns.finish,
                "zone" | "board" | "section" | "deckzone" => &mut columns.zone,
                "id" | "cardid" | "passcode" | "externalid" => &mut columns.id,
                _ => continue,
            };
            known += usize::from(column.is_none());
            column.get_or_insert(at);
        }
        (known >= 2 && (columns.name.is_some() || columns.id.is_some())).then_some(columns)
    }

    fn entry<'a>(&self, record: Vec<Cow<'a, str>>) -> Content<'a> {
        let field = |column: Option<usize>| -> Option<Cow<'a, str>> {
            let field = record.get(column?)?;
            (!field.trim().is_empty()).then(|| trimmed(field.clone()))
        };
        let quantity = match field(self.quantity) {
            None => None,
            Some(text) => {
                let digits = text.trim_start_matches(['x', 'X']).trim_end_matches(['x', 'X']);
                match digits.parse() {
                    Ok(quantity) => Some(quantity),
                    Err(_) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                        return DeckTextFault::QuantityTooLarge.into();
                    }
                    Err(_) => return DeckTextFault::QuantityInvalid.into(),
                }
            }
        };
        let is_plain = |finish: &str| {
            ["no", "false", "0", "normal", "nonfoil", "regular"]
                .contains(&word_key(finish).as_str())
        };
        let finish = field(self.finish).filter(|finish| !is_plain(finish)).map(|finish| {
            let is_yes = ["yes", "true", "1"].contains(&word_key(&finish).as_str());
            if is_yes { Cow::Borrowed("foil") } else { finish }
        });
        let name = field(self.name);
        let external_id = match (&name, field(self.id)) {
            (None, Some(id)) => id.parse().ok(),
            _ => None,
        };
        if name.is_none() && external_id.is_none() && field(self.number).is_none() {
            return DeckTextFault::NameMissing.into();
        }
        Content::Entry(Box::new(DraftEntry {
            quantity,
            card: Parts {
                name: name.unwrap_or_default(),
                set: field(self.set).or_else(|| field(self.set_name)),
                number: field(self.number),
                rarity: field(self.rarity).or(finish),
                tags: Vec::new(),
                category: None,
            },
            external_id,
            zone: field(self.zone),
            zone_is_code: true,
            ..DraftEntry::default()
        }))
    }
}

pub(super) fn draft(source: Source<'_>) -> Draft<'_> {
    let mut draft = Draft::default();
    let mut columns = None;
    let mut line = 1;
    let mut rest = source.raw;
    while !rest.is_empty() {
        let end = record_end(rest);
        let record = rest[..end].trim_matches(['\r', '\n']);
        let content = match columns {
            _ if record.trim().is_empty() => Content::Blank,
            None => {
                columns = Columns::of(record);
                Content::Ignored(match columns {
                    Some(_) => IgnoredReason::Heading,
                    None => IgnoredReason::Malformed { detail: MalformedText::NoColumns },
                })
            }
            Some(columns) => columns.entry(fields(record, columns.separator)),
        };
        draft.push(line, Cow::Borrowed(record), content);
        line += rest[..end].matches('\n').count();
        rest = &rest[end..];
    }
    draft
}

/// End of the first record, including its line feed. A line feed inside quotation marks does not end it.
fn record_end(text: &str) -> usize {
    let mut quoted = false;
    // A quotation mark in the middle of an unquoted field has no special meaning.
    let mut may_begin = true;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' if quoted || may_begin => {
                quoted = !quoted;
                // A second quotation mark directly after it is an escaped one.
                may_begin = !quoted;
                continue;
            }
            b'\n' if !quoted => return at + 1,
            _ => {}
        }
        may_begin = !quoted && (b",;\t".contains(&byte) || (may_begin && byte == b' '));
    }
    // A missing closing quotation mark must not make the lines below part of the field.
    if quoted { text.find('\n').map_or(text.len(), |at| at + 1) } else { text.len() }
}

fn fields(record: &str, separator: char) -> Vec<Cow<'_, str>> {
    let mut fields = Vec::new();
    let mut rest = record;
    while fields.len() < FIELDS_MAX {
        let (field, after) = match rest.trim_start_matches(' ').strip_prefix('"') {
            Some(inner) => quoted(inner),
            None => {
                let end = rest.find(separator).unwrap_or(rest.len());
                (Cow::Borrowed(&rest[..end]), &rest[end..])
            }
        };
        fields.push(field);
        // Text between a closing quotation mark and the separator is ignored.
        match after.split_once(separator) {
            Some((_, next)) => rest = next,
            None => break,
        }
    }
    fields
}

/// A quoted field without its quotation marks, and the rest of the record; `""` is an escaped quotation mark.
fn quoted(inner: &str) -> (Cow<'_, str>, &str) {
    let mut from = 0;
    while let Some(at) = inner[from..].find('"').map(|at| from + at) {
        if inner[at + 1..].starts_with('"') {
            from = at + 2;
            continue;
        }
        let field = &inner[..at];
        let field =
            if field.contains('"') { field.replace("\"\"", "\"").into() } else { field.into() };
        return (field, &inner[at + 1..]);
    }
    (inner.into(), "")
}

fn trimmed(field: Cow<'_, str>) -> Cow<'_, str> {
    match field {
        Cow::Borrowed(field) => Cow::Borrowed(field.trim()),
        Cow::Owned(field) => Cow::Owned(field.trim().to_owned()),
    }
}

pub(super) fn write(writer: &mut DeckWriter<'_>) {
    let writable = WritableParts { set: true, number: true, rarity: Rarities::All };
    writer.text.push_str("Quantity,Name,Set,Number,Rarity,Zone\n");
    for at in 0..writer.deck.entries.len() {
        let Some(line) = writer.line(at, writable) else { continue };
        let zone = writer.deck.entries[at].zone.clone();
        let parts = [
            line.name.as_str(),
            line.set.unwrap_or_default(),
            line.number.unwrap_or_default(),
            line.rarity.unwrap_or_default(),
            &zone,
        ];
        writer.text.push_str(&line.quantity.to_string());
        for part in parts {
            writer.text.push(',');
            writer.text.push_str(&field(part));
        }
        writer.text.push('\n');
    }
}

fn field(text: &str) -> String {
    let plain = !text.contains([',', ';', '\t', '"', '\n', '\r']) && text.trim() == text;
    if plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}
