//! Share codes: a deck as one word that is safe in URLs, by set and number of its cards. `docs/DECK_TEXT.md` describes them bit by bit.
//!
//! A code is the version, a stream of bits as base64url digits, and four check digits. It is self-contained: reading it needs no list that may
//! change.

mod bits;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use thiserror::Error;

use super::draft::{Content, DECK_LINES_MAX, Draft, DraftEntry, Source};
use super::read_deck::{IgnoredReason, MalformedText};
use super::writing::{DeckWriter, LossKind};
use super::{DeckDialect, read_deck};
use crate::catalogue::same_number;
use crate::deck::{CardReference, Deck, DeckEntry, MAIN_ZONE};
use bits::{BitReader, BitWriter, check_digits};

/// Maximum number of characters of a code.
pub const SHARE_CODE_MAX: usize = 1 << 20;
/// The first character of a code.
const VERSION: char = '1';
/// Largest collector number that is written as a number; larger ones, and those with letters, are written as words.
const NUMBER_MAX: u32 = 65_535;

/// The content of a share code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SharedDeck {
    /// Code of the game.
    pub game: String,
    /// The deck. Cards have set and number, and no name; cards that the deck named without set and number have only their name.
    pub deck: Deck,
}

/// Why a text is not a share code, or a deck cannot be written as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Error)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ShareCodeError {
    /// It begins with another version.
    #[error("the code is of a version that is not known here")]
    Version,
    /// Something of it was mistyped or cut off.
    #[error("the code is mistyped or incomplete: its check digits do not fit")]
    CheckDigits,
    /// The check digits are right, but the code does not hold a deck.
    #[error("the code does not hold a deck")]
    Malformed,
    /// It has more than [`SHARE_CODE_MAX`] characters or [`DECK_LINES_MAX`] entries, or a name or code of more than 1,000 bytes.
    #[error("the deck is too large for a code")]
    TooLarge,
}

/// Writes a deck as a share code. Cards without set and number are written by name, which takes more room; entries without copies are left out.
///
/// Numbers lose leading zeros and case, the entries of a zone are sorted, and ids of copies are left out, as is the name of a card that has set and number.
/// [`write_deck`](super::write_deck), which knows the cards, keeps zeros and case where several numbers of a set differ only in these.
///
/// ```
/// # use cardscape_engine::*;
/// let deck = parse_deck_text("2 Old Pike (shore) 001\n1 Carp (shore) 002").deck;
/// let code = encode_share_code("pond", &deck)?;
/// assert_eq!(code, "1PONDmAiSHOREmSpgIZZk");
/// let shared = decode_share_code(&code)?;
/// assert_eq!(shared.game, "pond");
/// assert_eq!(shared.deck.entries[0].card.number.as_deref(), Some("1"));
/// # Ok::<(), ShareCodeError>(())
/// ```
pub fn encode_share_code(game: &str, deck: &Deck) -> Result<String, ShareCodeError> {
    encode(game, deck, &|_, _| false)
}

/// Writes a code. `is_exact` says of which sets and numbers the code must have the number as it is written, because others are the same but for case and zeros.
fn encode(
    game: &str,
    deck: &Deck,
    is_exact: &dyn Fn(&str, &str) -> bool,
) -> Result<String, ShareCodeError> {
    let mut zones: Vec<ZoneCards<'_>> = Vec::new();
    let mut rarities: Vec<&str> = Vec::new();
    let entries = deck.entries.iter().filter(|entry| entry.quantity > 0);
    if entries.clone().count() > DECK_LINES_MAX {
        return Err(ShareCodeError::TooLarge);
    }
    for DeckEntry { zone, quantity, card, .. } in entries {
        let at = zones.iter().position(|known| known.zone == zone).unwrap_or_else(|| {
            zones.push(ZoneCards { zone, sets: BTreeMap::new(), named: Vec::new() });
            zones.len() - 1
        });
        let rarity = card.rarity.as_deref().map(|rarity| {
            rarities.iter().position(|known| *known == rarity).unwrap_or_else(|| {
                rarities.push(rarity);
                rarities.len() - 1
            })
        });
        let copies = Copies { quantity: *quantity, rarity };
        match (&card.set, &card.number) {
            (Some(set), Some(number)) => {
                let written = number.trim();
                let keeps_spelling = is_exact(set, written);
                let set = zones[at].sets.entry(set.trim().to_lowercase()).or_default();
                match plain_number(written) {
                    Some(number) if !keeps_spelling || number.to_string() == written => {
                        set.numbers.push((number, copies));
                    }
                    _ if keeps_spelling => set.words.push((written.to_owned(), copies)),
                    _ => set.words.push((written.to_lowercase(), copies)),
                }
            }
            _ => zones[at].named.push((card, copies)),
        }
    }
    for set in zones.iter_mut().flat_map(|zone| zone.sets.values_mut()) {
        set.numbers.sort_by_key(|(number, _)| *number);
    }
    write_code(game, &zones, &rarities)
}

struct ZoneCards<'a> {
    zone: &'a str,
    sets: BTreeMap<String, SetCards>,
    named: Vec<(&'a CardReference, Copies)>,
}

#[derive(Default)]
struct SetCards {
    numbers: Vec<(u32, Copies)>,
    words: Vec<(String, Copies)>,
}

#[derive(Clone, Copy)]
struct Copies {
    quantity: u32,
    /// Position in the list of rarities.
    rarity: Option<usize>,
}

impl SetCards {
    /// The difference of each number to the one before it.
    fn steps(&self) -> impl Iterator<Item = u32> {
        let before = std::iter::once(0).chain(self.numbers.iter().map(|(number, _)| *number));
        self.numbers.iter().zip(before).map(|((number, _), before)| number - before)
    }
}

/// The value of a collector number that consists of digits.
fn plain_number(number: &str) -> Option<u32> {
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    number.parse().ok().filter(|number| digits && *number <= NUMBER_MAX)
}

fn write_code(
    game: &str,
    zones: &[ZoneCards<'_>],
    rarities: &[&str],
) -> Result<String, ShareCodeError> {
    let mut bits = BitWriter::default();
    bits.word(game);
    bits.flag(!rarities.is_empty());
    if !rarities.is_empty() {
        bits.count(rarities.len());
        for rarity in rarities {
            bits.word(rarity);
        }
    }
    let sets = || zones.iter().flat_map(|zone| zone.sets.values());
    let length = |lower_bits: u32| -> u64 {
        let steps = sets().flat_map(SetCards::steps);
        steps.map(|step| u64::from(step >> lower_bits) + 1 + u64::from(lower_bits)).sum()
    };
    let lower_bits = (0..16).min_by_key(|lower_bits| length(*lower_bits)).unwrap_or(0);
    bits.bits(u64::from(lower_bits), 4);
    bits.count(zones.len());
    let copies = |bits: &mut BitWriter, copies: &Copies| {
        bits.copies(copies.quantity);
        if !rarities.is_empty() {
            bits.count(copies.rarity.map_or(0, |at| at + 1));
        }
    };
    for zone in zones {
        bits.flag(zone.zone != MAIN_ZONE);
        if zone.zone != MAIN_ZONE {
            bits.word(zone.zone);
        }
        bits.count(zone.sets.len());
        for (code, set) in &zone.sets {
            bits.word(code);
            bits.count_from_one(set.numbers.len() + set.words.len());
            bits.flag(!set.words.is_empty());
            if !set.words.is_empty() {
                bits.count_from_one(set.words.len());
            }
            for (step, (_, card_copies)) in set.steps().zip(&set.numbers) {
                bits.step(step, lower_bits);
                copies(&mut bits, card_copies);
            }
            for (number, card_copies) in &set.words {
                bits.word(number);
                copies(&mut bits, card_copies);
            }
        }
        bits.count(zone.named.len());
        for (card, card_copies) in &zone.named {
            bits.word(&card.name);
            for part in [&card.set, &card.number] {
                bits.flag(part.is_some());
                if let Some(part) = part {
                    bits.word(part);
                }
            }
            copies(&mut bits, card_copies);
        }
    }
    let digits = bits.into_digits().ok_or(ShareCodeError::TooLarge)?;
    let mut code = format!("{VERSION}{digits}");
    code.push_str(&check_digits(&code));
    if code.len() > SHARE_CODE_MAX { Err(ShareCodeError::TooLarge) } else { Ok(code) }
}

/// Reads a share code. Only the code is needed.
pub fn decode_share_code(code: &str) -> Result<SharedDeck, ShareCodeError> {
    if code.len() > SHARE_CODE_MAX {
        return Err(ShareCodeError::TooLarge);
    }
    if !code.starts_with(VERSION) {
        return Err(ShareCodeError::Version);
    }
    let (body, check) = code
        .len()
        .checked_sub(4)
        .and_then(|at| code.split_at_checked(at))
        .ok_or(ShareCodeError::CheckDigits)?;
    if body.is_empty() || check_digits(body) != check {
        return Err(ShareCodeError::CheckDigits);
    }
    let mut bits = BitReader::new(&body[VERSION.len_utf8()..]);
    let mut entries = Vec::new();
    let game = read_code(&mut bits, &mut entries);
    if entries.len() > DECK_LINES_MAX {
        return Err(ShareCodeError::TooLarge);
    }
    let game = game.ok_or(ShareCodeError::Malformed)?;
    Ok(SharedDeck { game, deck: Deck { entries } })
}

/// Reads the content of a code: returns its game, and adds its entries. `None`: the code is not valid, or has more than [`DECK_LINES_MAX`] entries, of which
/// one more than these is added. Every entry takes at least three bits, so that a code cannot hold many more entries than characters.
fn read_code(bits: &mut BitReader<'_>, entries: &mut Vec<DeckEntry>) -> Option<String> {
    let game = bits.word()?;
    let mut rarities = Vec::new();
    let has_rarities = bits.flag()?;
    if has_rarities {
        for _ in 0..bits.count()? {
            rarities.push(bits.word()?);
        }
    }
    let lower_bits = u32::try_from(bits.bits(4)?).ok()?;
    let card_copies = |bits: &mut BitReader<'_>| -> Option<(u32, Option<String>)> {
        let quantity = bits.copies()?;
        let rarity = if has_rarities { bits.count()?.checked_sub(1) } else { None };
        let rarity = rarity.map(|at| rarities.get(at).cloned().ok_or(()));
        Some((quantity, rarity.transpose().ok()?))
    };
    for _ in 0..bits.count()? {
        let zone = if bits.flag()? { bits.word()? } else { MAIN_ZONE.to_owned() };
        let mut add = |quantity, card| {
            entries.push(DeckEntry { zone: zone.clone(), quantity, card, copies: Vec::new() });
            // The rest of a code with too many entries is not read.
            (entries.len() <= DECK_LINES_MAX).then_some(())
        };
        for _ in 0..bits.count()? {
            let set = bits.word()?;
            let mut numbered = |number: String, quantity, rarity| {
                let (set, number) = (Some(set.clone()), Some(number));
                add(quantity, CardReference { name: String::new(), set, number, rarity })
            };
            let all = bits.count_from_one()?;
            let words = if bits.flag()? { bits.count_from_one()? } else { 0 };
            let mut number = 0_u32;
            for _ in 0..all.checked_sub(words)? {
                number = number.checked_add(bits.step(lower_bits)?)?;
                let (quantity, rarity) = card_copies(bits)?;
                numbered(number.to_string(), quantity, rarity)?;
            }
            for _ in 0..words {
                let number = bits.word()?;
                let (quantity, rarity) = card_copies(bits)?;
                numbered(number, quantity, rarity)?;
            }
        }
        for _ in 0..bits.count()? {
            let name = bits.word()?;
            let set = if bits.flag()? { Some(bits.word()?) } else { None };
            let number = if bits.flag()? { Some(bits.word()?) } else { None };
            let (quantity, rarity) = card_copies(bits)?;
            add(quantity, CardReference { name, set, number, rarity })?;
        }
    }
    bits.is_at_end().then_some(game)
}

pub(super) fn draft(source: Source<'_>) -> Draft<'_> {
    let mut draft = Draft::default();
    let code = source.tidy.trim();
    match decode_share_code(code) {
        Ok(shared) => {
            for DeckEntry { zone, quantity, card, .. } in shared.deck.entries {
                let part = |part: &Option<String>| part.clone().unwrap_or_default();
                let text = match &*card.name {
                    "" => format!("{quantity} ({}) {}", part(&card.set), part(&card.number)),
                    name => format!("{quantity} {name}"),
                };
                let entry = DraftEntry {
                    quantity: Some(quantity),
                    card: card.into(),
                    zone: Some(Cow::Owned(zone)),
                    zone_is_code: true,
                    ..DraftEntry::default()
                };
                draft.push(1, Cow::Owned(text), Content::Entry(Box::new(entry)));
            }
        }
        Err(error) => {
            let reason = IgnoredReason::Malformed { detail: MalformedText::ShareCode(error) };
            draft.push(1, Cow::Borrowed(code), Content::Ignored(reason));
        }
    }
    draft
}

/// Writes known cards by set and number, the others by name.
pub(super) fn write(writer: &mut DeckWriter<'_>) {
    let mut deck = Deck::default();
    let catalogue = writer.catalogue;
    let is_exact = |set: &str, number: &str| catalogue.has_numbers_alike(set, number);
    for (at, entry) in writer.deck.entries.iter().enumerate() {
        if entry.quantity == 0 {
            writer.record_loss(at, LossKind::Quantity);
            continue;
        }
        if entry.card.name.is_empty() && (entry.card.set.is_none() || entry.card.number.is_none()) {
            writer.record_loss(at, LossKind::Card);
            continue;
        }
        let mut entry = DeckEntry { copies: Vec::new(), ..entry.clone() };
        let found = catalogue.resolve(&entry.card, &mut Vec::new());
        if let Some(found) = found.filter(|found| found.exact) {
            let known = catalogue.card(found.card);
            if !entry.card.name.is_empty() && entry.card.name != known.definition.name {
                writer.record_loss(at, LossKind::Spelling);
            }
            if entry.card.set.is_none() || entry.card.number.is_none() {
                writer.record_loss(at, LossKind::AnyPrinting);
            }
            entry.card.set = Some(known.set.clone());
            entry.card.number = Some(known.definition.number.clone());
        } else if found.is_some() {
            record_misread(writer, (at, &entry), &is_exact);
        } else if entry.card.set.is_some()
            && entry.card.number.is_some()
            && !entry.card.name.is_empty()
        {
            writer.record_loss(at, LossKind::Name);
        }
        deck.entries.push(entry);
    }
    let Ok(code) = encode(writer.game().code(), &deck, &is_exact) else {
        writer.record_size_loss();
        return;
    };
    let in_order = decode_share_code(&code).is_ok_and(|shared| {
        let pairs = shared.deck.entries.iter().zip(&deck.entries);
        pairs.into_iter().all(|(read, written)| is_same(read, written, &is_exact))
    });
    if !in_order {
        writer.record_order_loss();
    }
    writer.text = code;
}

/// Records what is lost of an entry whose card does not exist in this printing: what a reader of the code leaves out.
fn record_misread(
    writer: &mut DeckWriter<'_>,
    (at, entry): (usize, &DeckEntry),
    is_exact: &dyn Fn(&str, &str) -> bool,
) {
    // Codes are read entry by entry. Only the card matters here, not its zone.
    let written = DeckEntry { zone: MAIN_ZONE.to_owned(), ..entry.clone() };
    let deck = Deck { entries: vec![written.clone()] };
    // A deck with an entry that is too large is too large itself.
    let Ok(code) = encode(writer.game().code(), &deck, is_exact) else { return };
    let reading = writer.reading().in_dialect(DeckDialect::ShareCode);
    match &read_deck(&code, &reading).deck.entries[..] {
        [read] => writer.record_misread(at, &written, read),
        _ => writer.record_loss(at, LossKind::Name),
    }
}

fn is_same(read: &DeckEntry, written: &DeckEntry, is_exact: &dyn Fn(&str, &str) -> bool) -> bool {
    let (card, other) = (&read.card, &written.card);
    let same = |left: &Option<String>, right: &Option<String>| {
        left.as_deref().map(str::to_lowercase)
            == right.as_deref().map(|set| set.trim().to_lowercase())
    };
    let numbers = match (&card.number, &other.number) {
        (Some(left), Some(right)) => {
            let keeps_spelling = other.set.as_deref().is_some_and(|set| is_exact(set, right));
            left == right.trim() || (!keeps_spelling && same_number(left, right))
        }
        (left, right) => left == right,
    };
    let same_name = card.name.is_empty() || card.name == other.name;
    read.zone == written.zone
        && read.quantity == written.quantity
        && same_name
        && same(&card.set, &other.set)
        && numbers
        && card.rarity == other.rarity
}
