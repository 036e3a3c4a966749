//! What the writers share: the order of entries, the losses, and a check that the text reads back as the same deck.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;

use super::draft::{DraftEntry, Source};
use super::recognise::shows_dialect;
use super::several;
use super::text::tidy;
use super::zones::{Place, Role, place, zone_code};
use super::{DeckDialect, DeckReading, DeckText, DialectMark, read_deck};
use crate::catalogue::{Catalogue, same_number};
use crate::deck::{CardReference, Deck, DeckEntry};
use crate::known_sets::KnownSets;
use crate::manifest::Game;
use crate::name::name_key;
use crate::schema::word_key;

/// Maximum number of copies that are written in dialects with a line or number for each copy.
pub const WRITTEN_COPIES_MAX: u64 = 10_000;

/// A deck as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WrittenDeck {
    pub dialect: DeckDialect,
    pub text: String,
    /// What the text does not hold, in the order of the entries. Losses of the whole deck come first.
    pub losses: Vec<DeckLoss>,
}

/// Something that a dialect cannot hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct DeckLoss {
    /// Position of the entry in the deck, from 0; `None`: the whole deck.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<usize>,
    /// What is lost.
    pub kind: LossKind,
}

/// What can be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LossKind {
    /// The order of the entries, or the fact that several entries had the same card.
    Order,
    /// The set of the card. For set, number and rarity: also one that the card does not have; readers of the text leave it out.
    Set,
    /// Its collector number.
    Number,
    /// Its rarity.
    Rarity,
    /// Ids of physical copies, which must not be passed on.
    Copies,
    /// The spelling of the name. The name that is written means the same card.
    Spelling,
    /// The name: the text means another card, or none; or only a reader that knows the card finds it, because its marks mean something else in the dialect; or
    /// the dialect has only the external id of the card, which is also that of a card with another name.
    Name,
    /// That any printing is meant: the text names the set and the number of one.
    AnyPrinting,
    /// The entry is left out: the dialect has no such zone.
    Zone,
    /// The entry is left out: the dialect needs the name or the external id of the card, which is not known.
    Card,
    /// The entry is left out: the external id of the card is larger than the ids of the dialect.
    IdTooLarge,
    /// All entries are left out: the deck is too large for the dialect.
    Size,
    /// The entry is left out: it has no copies, or the dialect writes each copy and there are too many.
    Quantity,
}

/// The loss in words, as they follow "lost: ".
impl fmt::Display for LossKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Order => "the order of the entries",
            Self::Set => "the set",
            Self::Number => "the collector number",
            Self::Rarity => "the rarity",
            Self::Copies => "the ids of copies",
            Self::Spelling => "the spelling of the name",
            Self::Name => "the name; what is written may be read as another card, or as none",
            Self::AnyPrinting => "that any printing will do; the text names one",
            Self::Zone => "the entry; the dialect has no such zone",
            Self::Card => "the entry; the dialect needs the name or the external id of the card, which is not known",
            Self::IdTooLarge => "the entry; the external id of the card is too large for the dialect",
            Self::Size => "all entries; the deck is too large for the dialect",
            Self::Quantity => "the entry; it has no copies, or too many to write each",
        })
    }
}

impl LossKind {
    /// Whether the whole entry is left out.
    pub fn leaves_out(self) -> bool {
        matches!(self, Self::Zone | Self::Card | Self::IdTooLarge | Self::Size | Self::Quantity)
    }
}

/// Which parts of an entry a dialect can write.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WritableParts {
    pub(super) set: bool,
    /// Only together with a set.
    pub(super) number: bool,
    pub(super) rarity: Rarities,
    /// Whether a set and a number can be written without a name, if the name is not known.
    pub(super) place_alone: bool,
}

/// Which rarities a dialect can write.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Rarities {
    #[default]
    None,
    /// Only the rarity that has the alias `foil`.
    Foil,
    All,
}

/// A deck that is being written.
#[derive(Debug)]
pub(super) struct DeckWriter<'a> {
    /// Name of the deck, in one line.
    pub(super) name: String,
    pub(super) deck: &'a Deck,
    pub(super) catalogue: &'a Catalogue,
    pub(super) text: String,
    dialect: DeckDialect,
    sets: Option<&'a KnownSets>,
    losses: BTreeSet<DeckLoss>,
    /// Positions of the entries in the order in which they are written.
    written: Vec<usize>,
    /// The names among them that may be read in several ways, by their places in `written`.
    marked: BTreeMap<usize, String>,
}

/// The text without line breaks and other control characters.
fn in_one_line(text: &str) -> String {
    let spaced: String = text
        .chars()
        .map(|character| if character.is_control() { ' ' } else { character })
        .collect();
    spaced.trim().to_owned()
}

/// The parts of an entry to be written.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub(super) quantity: u32,
    pub(super) name: String,
    pub(super) set: Option<&'a str>,
    pub(super) number: Option<&'a str>,
    pub(super) rarity: Option<&'a str>,
}

impl<'a> DeckWriter<'a> {
    pub(super) fn new(
        name: &str,
        deck: &'a Deck,
        dialect: DeckDialect,
        catalogue: &'a Catalogue,
        sets: Option<&'a KnownSets>,
    ) -> Self {
        let (text, losses, written) = (String::new(), BTreeSet::new(), Vec::new());
        let (name, marked) = (in_one_line(name), BTreeMap::new());
        let mut writer =
            Self { name, deck, catalogue, text, dialect, sets, losses, written, marked };
        if dialect != DeckDialect::Json {
            for (at, entry) in deck.entries.iter().enumerate() {
                if !entry.copies.is_empty() {
                    writer.record_loss(at, LossKind::Copies);
                }
            }
        }
        writer
    }

    pub(super) fn game(&self) -> &'a Game {
        self.catalogue.game()
    }

    pub(super) fn record_loss(&mut self, entry: usize, kind: LossKind) {
        self.losses.insert(DeckLoss { entry: Some(entry), kind });
    }

    pub(super) fn record_order_loss(&mut self) {
        self.losses.insert(DeckLoss { entry: None, kind: LossKind::Order });
    }

    pub(super) fn record_size_loss(&mut self) {
        self.losses.insert(DeckLoss { entry: None, kind: LossKind::Size });
    }

    /// The zones of the deck that lists can name: code, name, and the positions of their entries. Entries of other zones are recorded as lost.
    pub(super) fn named_zones(&mut self) -> Vec<(String, String, Vec<usize>)> {
        let game = self.game();
        let mut found = Vec::new();
        for (code, entries) in self.zones() {
            let zone = game.zones().iter().find(|zone| *zone.code == *code);
            let name = zone.map_or(code.as_str(), |zone| &zone.name).to_owned();
            match place(game, &name) {
                Place::Zone { code: meant, .. } if meant == code => {
                    found.push((code, name, entries));
                }
                _ => entries.into_iter().for_each(|at| self.record_loss(at, LossKind::Zone)),
            }
        }
        found
    }

    /// The zones of the deck, in the order of the game and then of the deck, with the positions of their entries.
    fn zones(&self) -> Vec<(String, Vec<usize>)> {
        let game = self.game();
        let own = game.zones().iter().map(|zone| zone.code.to_string());
        let mut zones: Vec<(String, Vec<usize>)> = own.map(|code| (code, Vec::new())).collect();
        for (at, entry) in self.deck.entries.iter().enumerate() {
            let meant = zone_code(game, &entry.zone);
            match zones.iter_mut().find(|(code, _)| *code == meant) {
                Some((_, entries)) => entries.push(at),
                None => zones.push((meant, vec![at])),
            }
        }
        zones.retain(|(_, entries)| !entries.is_empty());
        zones
    }

    /// The entries in the zones of these roles, in the order of the roles. Entries of other zones are recorded as lost.
    pub(super) fn zones_of(&mut self, roles: &[Role]) -> Vec<(Role, Vec<usize>)> {
        let mut found: Vec<(Role, Vec<usize>)> =
            roles.iter().map(|role| (*role, Vec::new())).collect();
        for (code, entries) in self.zones() {
            let role = Role::of_zone(self.game().zones(), &code);
            match found.iter_mut().find(|(known, _)| Some(*known) == role) {
                Some((_, list)) => list.extend(entries),
                None => entries.into_iter().for_each(|at| self.record_loss(at, LossKind::Zone)),
            }
        }
        found.retain(|(_, entries)| !entries.is_empty());
        found
    }

    /// The parts of an entry to be written, if the dialect can write these; `None`: its name is not known and the dialect needs one, and the entry is
    /// recorded as lost.
    pub(super) fn line(&mut self, at: usize, writable: WritableParts) -> Option<Line<'a>> {
        let deck = self.deck;
        let catalogue = self.catalogue;
        let DeckEntry { quantity, card, .. } = &deck.entries[at];
        // Other programs find a card only by its own set and number; decks may have them in another case, or without leading zeros.
        let found = catalogue.resolve(card, &mut Vec::new()).filter(|found| found.exact);
        let known = found.map(|found| catalogue.card(found.card));
        let name = match &*card.name {
            "" => match self.catalogue.resolve(card, &mut Vec::new()) {
                Some(found) => {
                    self.record_loss(at, LossKind::Spelling);
                    self.catalogue.card(found.card).definition.name.clone()
                }
                None if writable.place_alone && has_place(card) => String::new(),
                None => {
                    self.record_loss(at, LossKind::Card);
                    return None;
                }
            },
            name => name.to_owned(),
        };
        let tidy = in_one_line(&name);
        if tidy != name {
            self.record_loss(at, LossKind::Spelling);
        }
        let mut line =
            Line { quantity: *quantity, name: tidy, set: None, number: None, rarity: None };
        match &card.set {
            Some(set) if writable.set && is_word(set) => {
                let own = known.filter(|known| set.trim().eq_ignore_ascii_case(&known.set));
                line.set = Some(own.map_or(set, |known| &known.set));
            }
            Some(_) => self.record_loss(at, LossKind::Set),
            None => {}
        }
        match &card.number {
            Some(number) if writable.number && line.set.is_some() && is_word(number) => {
                let own = known.map(|known| known.definition.number.as_str());
                line.number = Some(own.filter(|own| same_number(own, number)).unwrap_or(number));
            }
            Some(_) => self.record_loss(at, LossKind::Number),
            None => {}
        }
        match &card.rarity {
            Some(rarity) if self.can_write_rarity(rarity, writable.rarity) => {
                let own = self.game().rarity_called(rarity);
                line.rarity = Some(own.map_or(rarity, |own| &own.code));
            }
            Some(_) => self.record_loss(at, LossKind::Rarity),
            None => {}
        }
        if may_be_misread(&line.name) {
            self.marked.insert(self.written.len(), line.name.clone());
        }
        self.written.push(at);
        Some(line)
    }

    fn can_write_rarity(&self, rarity: &str, writable: Rarities) -> bool {
        match writable {
            Rarities::None => false,
            Rarities::All => true,
            Rarities::Foil => self
                .game()
                .rarity_called(rarity)
                .is_some_and(|known| known.aliases.iter().any(|alias| word_key(alias) == "foil")),
        }
    }

    /// The name of a set, or its code if the name is not known.
    pub(super) fn set_name(&self, code: &str) -> String {
        let known = self.sets.and_then(|sets| sets.with_code(code));
        known.map_or(code, |set| &set.name).to_owned()
    }

    /// The external id of each copy of the entries, for dialects that write each copy by its id. Entries whose ids do not fit the type of the dialect's ids are
    /// recorded as lost.
    pub(super) fn ids<Id>(&mut self, entries: &[usize]) -> Vec<Id>
    where
        Id: Copy + PartialEq + TryFrom<u64>,
    {
        let deck = self.deck;
        let mut ids = Vec::new();
        for at in entries.iter().copied() {
            let entry = &deck.entries[at];
            let found = self.catalogue.resolve(&entry.card, &mut Vec::new());
            let Some((card, external_id)) =
                found.and_then(|found| Some((found.card, self.catalogue.external_id(found.card)?)))
            else {
                self.record_loss(at, LossKind::Card);
                continue;
            };
            let Ok(id) = Id::try_from(external_id) else {
                self.record_loss(at, LossKind::IdTooLarge);
                continue;
            };
            let copies = u64::from(entry.quantity);
            if copies == 0 || copies + ids.len() as u64 > WRITTEN_COPIES_MAX {
                self.record_loss(at, LossKind::Quantity);
                continue;
            }
            if entry.card.rarity.is_some() {
                self.record_loss(at, LossKind::Rarity);
            }
            // An id stands for all reprints of a card, and is read back as the first. If cards of several names share it, it stands for none.
            let sharing = self.catalogue.with_external_id(external_id);
            if !self.catalogue.have_one_name(&sharing) {
                self.record_loss(at, LossKind::Name);
            } else if sharing.first() != Some(&card) {
                self.record_loss(at, LossKind::Set);
                self.record_loss(at, LossKind::Number);
            }
            if ids.last() == Some(&id) {
                self.record_order_loss();
            }
            ids.extend((0..copies).map(|_| id));
            self.written.push(at);
        }
        ids
    }

    /// Whether an entry or the whole deck is left out, as far as it is written.
    pub(super) fn leaves_out_any(&self) -> bool {
        self.losses.iter().any(|loss| loss.kind.leaves_out())
    }

    /// The finished text. An entry that reads back differently, apart from its recorded losses, has lost its name.
    pub(super) fn finish(mut self) -> WrittenDeck {
        if !self.written.is_sorted() {
            self.record_order_loss();
        }
        let by_name = !matches!(
            self.dialect,
            DeckDialect::Own
                | DeckDialect::Json
                | DeckDialect::ShareCode
                | DeckDialect::Ydk
                | DeckDialect::Ydke
        );
        if by_name {
            // Before the text is read back, the losses are exactly the parts that it does not have.
            let mut misread = self.not_literal();
            self.read_back();
            misread.extend(self.misread_if_recognised());
            for at in misread {
                self.record_loss(at, LossKind::Name);
            }
        }
        let losses = self.losses.into_iter().collect();
        WrittenDeck { dialect: self.dialect, text: self.text, losses }
    }

    /// The reading in which the text is read back.
    pub(super) fn reading(&self) -> DeckReading<'a> {
        let reading = DeckReading::new(self.catalogue);
        self.sets.map_or(reading, |sets| reading.with_sets(sets))
    }

    /// The entries that are lost because marks in names decide which dialect is recognised. Most decks have no name with marks, and are not read again.
    fn misread_if_recognised(&self) -> Vec<usize> {
        let marked = (!self.marked.is_empty()).then(|| self.read_recognised());
        marked.flatten().map_or_else(Vec::new, |read| self.differing(&read))
    }

    /// The entries with marks in their names that are read as something else if no card is known, as another program may read them.
    fn not_literal(&self) -> Vec<usize> {
        if self.marked.is_empty() {
            return Vec::new();
        }
        let tidied = tidy(&self.text);
        let draft = self.dialect.draft(Source { raw: &self.text, tidy: &tidied }, self.game());
        let entries: Vec<&DraftEntry<'_>> =
            draft.entries().filter(|entry| entry.quantity.is_some()).collect();
        let is_literal = |position: usize, name: &str| {
            let at = self.written[position];
            let DeckEntry { quantity, card, .. } = &self.deck.entries[at];
            let is_written = |part: &Option<String>, kind| part.is_some() && !self.lost(at, kind);
            entries.get(position).is_some_and(|read| {
                read.quantity == Some(*quantity)
                    && name_key(&read.card.name) == name_key(name)
                    && (read.card.set.is_none() || is_written(&card.set, LossKind::Set))
                    && (read.card.number.is_none() || is_written(&card.number, LossKind::Number))
                    && (read.card.rarity.is_none() || is_written(&card.rarity, LossKind::Rarity))
                    && several::entry_count(read) == 1
            })
        };
        let same_length = entries.len() == self.written.len();
        let misread = self
            .marked
            .iter()
            .filter(|(position, name)| !same_length || !is_literal(**position, name));
        misread.map(|(position, _)| self.written[*position]).collect()
    }

    /// The entries of the text as they are read in the dialect that is recognised; `None`: it is the dialect in which the text was read back. Many dialects have no mark
    /// in every text, so that a mark in a name decides which dialect is recognised.
    fn read_recognised(&self) -> Option<Vec<DeckEntry>> {
        let text = DeckText::new(&self.text, None);
        let is_same =
            text.dialect == self.dialect && text.recognised_by != Some(DialectMark::JsonLines);
        (!is_same).then(|| text.read(&self.reading()).deck.entries)
    }

    fn read_back(&mut self) {
        let reading = self.reading().in_dialect(self.dialect);
        let read = read_deck(&self.text, &reading).deck.entries;
        if read.len() != self.written.len() {
            for at in self.differing(&read) {
                self.record_loss(at, LossKind::Name);
            }
            return;
        }
        let deck = self.deck;
        for (position, read) in read.iter().enumerate() {
            let at = self.written[position];
            self.record_misread(at, &deck.entries[at], read);
        }
    }

    /// Records what an entry loses when it is read: set, number and rarity, if its card is found but does not have them, otherwise its name.
    pub(super) fn record_misread(&mut self, at: usize, written: &DeckEntry, read: &DeckEntry) {
        if self.agrees(at, written, read) {
            return;
        }
        let (card, other) = (&written.card, &read.card);
        if self.is_same_card(card, other) {
            for (kind, written, read) in [
                (LossKind::Set, &card.set, &other.set),
                (LossKind::Number, &card.number, &other.number),
                (LossKind::Rarity, &card.rarity, &other.rarity),
            ] {
                if written.is_some() && read.is_none() {
                    self.record_loss(at, kind);
                }
            }
        }
        if !self.agrees(at, written, read) {
            self.record_loss(at, LossKind::Name);
        }
    }

    /// The written entries that do not agree with those that were read. If one of them is read as several entries or as none, it is among those between the entries
    /// that agree from the first on and those that agree up to the last.
    fn differing(&self, read: &[DeckEntry]) -> Vec<usize> {
        let written = &self.written;
        let agrees = |position: usize, read: &DeckEntry| {
            let at = written[position];
            self.agrees(at, &self.deck.entries[at], read)
        };
        if read.len() == written.len() {
            let differing =
                read.iter().enumerate().filter(|(position, read)| !agrees(*position, read));
            return differing.map(|(position, _)| written[position]).collect();
        }
        let most = read.len().min(written.len());
        let first = (0..most).take_while(|at| agrees(*at, &read[*at])).count();
        let last = (1..=most - first)
            .take_while(|back| agrees(written.len() - back, &read[read.len() - back]))
            .count();
        let between = &written[first..written.len() - last];
        // Entries that were not written are none of a known place.
        if between.is_empty() { written.clone() } else { between.to_vec() }
    }

    /// Whether this was recorded as lost.
    fn lost(&self, at: usize, kind: LossKind) -> bool {
        self.losses.contains(&DeckLoss { entry: Some(at), kind })
    }

    /// Whether the entry that was read is equal to the one that was written, apart from its recorded losses.
    fn agrees(&self, at: usize, written: &DeckEntry, read: &DeckEntry) -> bool {
        let lost = |kind| self.lost(at, kind);
        let same = |kind,
                    written: &Option<String>,
                    read: &Option<String>,
                    same: &dyn Fn(&str, &str) -> bool| {
            lost(kind)
                || match (written, read) {
                    (Some(written), Some(read)) => same(written, read),
                    (written, read) => written.is_none() && read.is_none(),
                }
        };
        let (card, other) = (&written.card, &read.card);
        zone_code(self.game(), &written.zone) == zone_code(self.game(), &read.zone)
            && written.quantity == read.quantity
            && self.is_same_card(card, other)
            && same(LossKind::Set, &card.set, &other.set, &|left: &str, right: &str| {
                left.trim().eq_ignore_ascii_case(right.trim())
            })
            && same(LossKind::Number, &card.number, &other.number, &same_number)
            && same(LossKind::Rarity, &card.rarity, &other.rarity, &|left: &str, right: &str| {
                let code = |written| self.catalogue.rarity_meant(written);
                code(left) == code(right)
            })
    }

    /// Whether two references have one name, or mean cards of one name.
    fn is_same_card(&self, card: &CardReference, other: &CardReference) -> bool {
        let same_name = name_key(&card.name) == name_key(&other.name);
        same_name || self.card_of(card).is_some_and(|meant| self.card_of(other) == Some(meant))
    }

    /// The name of the card that a reference means.
    fn card_of(&self, card: &CardReference) -> Option<String> {
        let found = self.catalogue.resolve(card, &mut Vec::new())?;
        Some(name_key(&self.catalogue.card(found.card).definition.name))
    }
}

/// Whether a name has anything but letters and the punctuation of names, so that a part of it may be read as a quantity, a set, a tag or a remark; or words that show
/// another dialect.
fn may_be_misread(name: &str) -> bool {
    !name.chars().all(|character| character.is_alphabetic() || " -'’,.!?&".contains(character))
        || shows_dialect(name)
}

/// Whether a card has a set and a number that can be written.
fn has_place(card: &CardReference) -> bool {
    [&card.set, &card.number].iter().all(|part| part.as_deref().is_some_and(is_word))
}

/// Whether a text can be written between spaces or in brackets.
fn is_word(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|character| character.is_alphanumeric() || "-_.+★†".contains(character))
}
