//! The pool of cards that a deck is judged against.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use crate::card::CardDefinition;
use crate::date::Date;
use crate::deck::CardReference;
use crate::hash::{FixedMap, HashIndex, fingerprint, key_hash};
use crate::known_sets::KnownSets;
use crate::manifest::Game;
use crate::name::{name_key, name_key_into, search_key};
use crate::rule::DeckCheck;
use crate::selector::Selector;
use crate::violation::CardMention;

#[derive(Debug, Clone, PartialEq)]
pub struct PoolCard {
    /// The caller's own id; opaque to the engine.
    pub key: String,
    /// Code of the set.
    pub set: String,
    /// Day on which the set was released, for [`Selector::released`]; `None`: unknown.
    pub released_on: Option<Date>,
    pub definition: CardDefinition,
}

impl PoolCard {
    fn is_selected_by(&self, selector: &Selector) -> bool {
        selector.matches(&self.definition, &self.set, self.released_on)
    }
}

/// A card with all values that catalogues of its game derive from it. In an [`Arc`] it can be in any number of catalogues without being copied.
#[derive(Debug)]
pub struct PreparedCard {
    card: PoolCard,
    /// Fingerprint of the game that it was prepared for.
    fingerprint: u64,
    name_key: Box<str>,
    search_key: Box<str>,
    number_key: Box<[u8]>,
    /// The hashes of its keys, so that a catalogue of prepared cards is built without computing any.
    hashes: Hashes,
    /// Its external id (the id that other programs use).
    external_id: Option<u64>,
    /// One bit for each selector of the game: whether it selects this card.
    selected: Box<[u64]>,
    /// Group and step on each of the game's ladders.
    rungs: Box<[Option<Rung>]>,
}

/// The hashes of a card's keys.
#[derive(Debug, Clone, Copy)]
struct Hashes {
    name_key: u32,
    /// Of the name as it is written.
    spelling: u32,
    number_key: u32,
}

impl PreparedCard {
    /// Derives all values that depend only on the game and the card.
    pub fn new(game: &Game, mut card: PoolCard) -> Self {
        card.definition.share_codes(game.attribute_codes());
        let mut key = Vec::new();
        number_key(&card.set, &card.definition.number, &mut key);
        let selectors = game.selectors();
        let mut selected = vec![0_u64; selectors.len().div_ceil(64)].into_boxed_slice();
        for (at, selector) in selectors.iter().enumerate() {
            if card.is_selected_by(selector) {
                selected[at / 64] |= 1 << (at % 64);
            }
        }
        let name_key = name_key(&card.definition.name);
        let hashes = Hashes {
            name_key: key_hash(name_key.as_bytes()),
            spelling: key_hash(card.definition.name.as_bytes()),
            number_key: key_hash(&key),
        };
        Self {
            fingerprint: game.fingerprint(),
            name_key: name_key.into(),
            search_key: search_key(&card.definition.name).into(),
            number_key: key.into(),
            hashes,
            external_id: external_id(game, &card.definition),
            selected,
            rungs: game.ladders().iter().map(|rule| rung(&rule.check, &card)).collect(),
            card,
        }
    }

    pub fn card(&self) -> &PoolCard {
        &self.card
    }

    /// The identity of its name ([`name_key`]).
    pub fn name_key(&self) -> &str {
        &self.name_key
    }

    /// Whether it was prepared for exactly this manifest.
    pub fn is_for(&self, game: &Game) -> bool {
        self.fingerprint == game.fingerprint()
    }
}

/// An indexed pool of cards of one game.
///
/// The time of a look-up does not depend on the size of the pool. Share the pool in an [`Arc`] and add the few extra cards of a viewer as a layer
/// with [`Catalogue::with_extra`]; the pool is not copied.
#[derive(Debug)]
pub struct Catalogue {
    game: Game,
    base: Option<Arc<Catalogue>>,
    /// Cards and names of this layer; their ids continue those of the base.
    cards: Vec<Entry>,
    names: Vec<NameCards>,
    /// Names by their key ([`name_key`]).
    by_key: HashIndex,
    /// A card for every spelling of a name in the pool: a deck that spells a name as its card does needs no normalisation.
    by_spelling: HashIndex,
    /// Cards by set and number without case and leading zeros; several cards may have the same key.
    by_number: HashIndex,
    /// Cards by external id; if several share an id, the first that was added.
    by_external_id: FixedMap<u64, u32>,
    /// The cards of this layer whose external id an earlier card has: reprints, as a rule.
    sharing_external_id: BTreeMap<u64, Vec<u32>>,
    /// The sets of this layer's cards.
    sets: BTreeSet<Box<str>>,
    /// The sets of the pool that this is a part of: see [`CatalogueBuilder::part_of`].
    pool_sets: Option<Arc<KnownSets>>,
    /// Cards of this layer whose name the base has, too.
    cards_of_base_names: BTreeMap<u32, Vec<u32>>,
    /// Places that cards had before they were moved or merged; hardly ever any.
    old_places: Vec<OldPlace>,
    /// Old places of cards that are not here: keys like those of [`OldPlace`], with the numbers as they were printed.
    unseen_places: Vec<(Vec<u8>, String)>,
    /// The cards of references that have another name than their cards have now: see [`CatalogueBuilder::meaning`].
    meanings: BTreeMap<CardReference, u32>,
    first_card: u32,
    first_name: u32,
}

#[derive(Debug)]
struct Entry {
    prepared: Arc<PreparedCard>,
    name: u32,
}

/// A place that leads to a card, although the card has another one now.
#[derive(Debug)]
struct OldPlace {
    /// Set and number, without case and leading zeros.
    key: Vec<u8>,
    /// The number as it was printed.
    number: String,
    card: u32,
}

#[derive(Debug)]
struct NameCards {
    first: u32,
    /// Most names have none.
    others: Vec<u32>,
}

impl NameCards {
    fn iter(&self) -> impl Iterator<Item = u32> {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }
}

/// The position of a card on a ladder of [`DeckCheck::AdviseLadder`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rung {
    pub(crate) group: u64,
    pub(crate) step: i64,
}

impl Rung {
    /// One number to sort by: groups together, and within a group from the lowest step up.
    pub(crate) fn order(self) -> u128 {
        (u128::from(self.group) << 64) | u128::from(self.step.cast_unsigned() ^ (1 << 63))
    }
}

/// Which card a reference in a deck means.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Resolution<'a> {
    /// This card, in a printing that exists.
    Card(&'a PoolCard),
    /// A card of this name exists, but not in the set, number or rarity that the reference asks for.
    OtherPrinting(&'a PoolCard),
    /// No card has this name.
    Unknown,
}

/// A resolved card, by number within the catalogue.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    pub(crate) card: u32,
    pub(crate) name: u32,
    pub(crate) exact: bool,
}

/// Collects the cards of a [`Catalogue`].
#[derive(Debug)]
pub struct CatalogueBuilder {
    catalogue: Catalogue,
}

impl CatalogueBuilder {
    /// Adds a card, unless there is already one of the same set and number.
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "a builder's step, not arithmetic")]
    pub fn add(mut self, card: PoolCard) -> Self {
        let card = PreparedCard::new(&self.catalogue.game, card);
        self.catalogue.insert(card.into());
        self
    }

    #[must_use]
    pub fn extend(self, cards: impl IntoIterator<Item = PoolCard>) -> Self {
        cards.into_iter().fold(self, Self::add)
    }

    /// Adds many prepared cards without copying them. A card that was prepared for another manifest is prepared again.
    #[must_use]
    pub fn extend_prepared(mut self, cards: impl IntoIterator<Item = Arc<PreparedCard>>) -> Self {
        let cards = cards.into_iter();
        self.catalogue.reserve(cards.size_hint().0);
        for card in cards {
            let card = if card.is_for(&self.catalogue.game) {
                card
            } else {
                PreparedCard::new(&self.catalogue.game, card.card.clone()).into()
            };
            self.catalogue.insert(card);
        }
        self
    }

    /// Declares that these cards are a part of a larger pool, which has cards of some of these sets. Without it, a report says of every other set that no
    /// cards of it are loaded.
    #[must_use]
    pub fn part_of(mut self, sets: Arc<KnownSets>) -> Self {
        self.catalogue.pool_sets = Some(sets);
        self
    }

    /// Declares that a set and a number lead to a card that was moved away from them, or whose place took that of a merged card. `key` is that of the card
    /// ([`PoolCard::key`]); without this card, nothing changes. A card that has the place now has precedence, but if the number has zeros before it, only one that
    /// has it with the same zeros.
    #[must_use]
    pub fn old_place(mut self, set: &str, number: &str, key: &str) -> Self {
        if let Some(card) = self.catalogue.with_key(key) {
            let number = number.trim().to_owned();
            let mut place = OldPlace { key: Vec::new(), number, card };
            number_key(set, &place.number, &mut place.key);
            self.catalogue.old_places.push(place);
        }
        self
    }

    /// Declares that a set and a number lead to a card that is not here. If the number has zeros before it, cards here whose numbers are the same but for case and
    /// leading zeros are not meant, as with [`Self::old_place`].
    #[must_use]
    pub fn unseen_place(mut self, set: &str, number: &str) -> Self {
        let number = number.trim().to_owned();
        let mut key = Vec::new();
        number_key(set, &number, &mut key);
        self.catalogue.unseen_places.push((key, number));
        self
    }

    /// Declares which card a reference means that no card, or none with its set and number, has as its name: the name of the card was changed after the reference
    /// was written. `key` is that of the card ([`PoolCard::key`]); without this card, nothing changes.
    #[must_use]
    pub fn meaning(mut self, reference: CardReference, key: &str) -> Self {
        if let Some(card) = self.catalogue.with_key(key) {
            self.catalogue.meanings.insert(reference, card);
        }
        self
    }

    pub fn build(self) -> Catalogue {
        self.catalogue
    }
}

impl Catalogue {
    /// An empty pool of a game, to be filled.
    pub fn builder(game: &Game) -> CatalogueBuilder {
        CatalogueBuilder { catalogue: Self::layer(game.clone(), None) }
    }

    /// The pool of `base` and some more cards, without copying it. Cards that the base already has (same set and number)
    /// are left out.
    pub fn with_extra(base: Arc<Self>, extra: impl IntoIterator<Item = PoolCard>) -> Self {
        let mut layer = Self::layer(base.game.clone(), Some(base));
        for card in extra {
            let card = PreparedCard::new(&layer.game, card);
            layer.insert(card.into());
        }
        layer
    }

    fn layer(game: Game, base: Option<Arc<Self>>) -> Self {
        let (first_card, first_name) =
            base.as_ref().map_or((0, 0), |base| (base.end_card(), base.end_name()));
        Self {
            game,
            base,
            cards: Vec::new(),
            names: Vec::new(),
            by_key: HashIndex::default(),
            by_spelling: HashIndex::default(),
            by_number: HashIndex::default(),
            by_external_id: FixedMap::default(),
            sharing_external_id: BTreeMap::new(),
            sets: BTreeSet::new(),
            pool_sets: None,
            cards_of_base_names: BTreeMap::new(),
            old_places: Vec::new(),
            unseen_places: Vec::new(),
            meanings: BTreeMap::new(),
            first_card,
            first_name,
        }
    }

    /// Makes room for so many more cards.
    fn reserve(&mut self, more: usize) {
        self.cards.reserve(more);
        self.names.reserve(more);
        for index in [&mut self.by_key, &mut self.by_spelling, &mut self.by_number] {
            index.reserve(more);
        }
    }

    fn insert(&mut self, card: Arc<PreparedCard>) {
        let hashes = card.hashes;
        let is_same = |_: u32, known: &PoolCard| {
            known.set == card.card.set && known.definition.number == card.card.definition.number
        };
        if self.find_number(hashes.number_key, &card.number_key, &is_same).is_some() {
            return;
        }
        if !self.sets.contains(card.card.set.as_str()) {
            self.sets.insert(card.card.set.as_str().into());
        }
        let index = self.end_card();
        self.by_number.insert(hashes.number_key, index);
        match card.external_id {
            Some(id) if self.has_external_id(id) => {
                self.sharing_external_id.entry(id).or_default().push(index);
            }
            Some(id) => {
                self.by_external_id.insert(id, index);
            }
            None => {}
        }
        let name = match self.find_key(hashes.name_key, card.name_key.as_bytes()) {
            Some(name) if name >= self.first_name => {
                self.names[(name - self.first_name) as usize].others.push(index);
                name
            }
            Some(name) => {
                self.cards_of_base_names.entry(name).or_default().push(index);
                name
            }
            None => {
                let name = self.end_name();
                self.by_key.insert(hashes.name_key, name);
                self.names.push(NameCards { first: index, others: Vec::new() });
                name
            }
        };
        if self.find_spelling(hashes.spelling, &card.card.definition.name).is_none() {
            self.by_spelling.insert(hashes.spelling, index);
        }
        self.cards.push(Entry { prepared: card, name });
    }

    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Number of cards.
    pub fn len(&self) -> usize {
        self.end_card() as usize
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Codes of the sets that have cards here, or in the pool that this is a part of. A set that has them in several of these occurs several times.
    pub(crate) fn sets(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        let pool = self.pool_sets.iter().flat_map(|sets| sets.with_cards());
        let own = self.sets.iter().map(|set| &**set).chain(pool);
        match &self.base {
            Some(base) => Box::new(base.sets().chain(own)),
            None => Box::new(own),
        }
    }

    /// Whether there are cards of a set, as a deck writes its code.
    pub(crate) fn has_cards_of(&self, set: &str) -> bool {
        let set = set.trim();
        self.sets.iter().any(|known| known.eq_ignore_ascii_case(set))
            || self
                .pool_sets
                .iter()
                .any(|sets| sets.with_code(set).is_some_and(|set| set.has_cards))
            || self.base.as_ref().is_some_and(|base| base.has_cards_of(set))
    }

    /// All cards, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &PoolCard> {
        (0..self.end_card()).map(|index| self.card(index))
    }

    /// Looks up a reference. If several cards have the name and the reference does not choose one of them, it means the first that was added.
    pub fn find(&self, reference: &CardReference) -> Resolution<'_> {
        match self.resolve(reference, &mut Vec::new()) {
            Some(found) if found.exact => Resolution::Card(self.card(found.card)),
            Some(found) => Resolution::OtherPrinting(self.card(found.card)),
            None => Resolution::Unknown,
        }
    }

    fn end_card(&self) -> u32 {
        self.first_card + u32::try_from(self.cards.len()).unwrap_or(u32::MAX)
    }

    fn end_name(&self) -> u32 {
        self.first_name + u32::try_from(self.names.len()).unwrap_or(u32::MAX)
    }

    fn entry(&self, index: u32) -> &Entry {
        match &self.base {
            Some(base) if index < self.first_card => base.entry(index),
            _ => self.own(index),
        }
    }

    /// The name with a key, by its hash.
    fn find_key(&self, hash: u32, key: &[u8]) -> Option<u32> {
        let base = self.base.as_ref().and_then(|base| base.find_key(hash, key));
        base.or_else(|| {
            let key_of = |name: u32| {
                let first = self.names[(name - self.first_name) as usize].first;
                self.own(first).prepared.name_key.as_bytes()
            };
            self.by_key.find(hash, |name| key_of(name) == key)
        })
    }

    /// The name that a card spells like this, by the hash of the text. Its key is that of the text.
    fn find_spelling(&self, hash: u32, written: &str) -> Option<u32> {
        let base = self.base.as_ref().and_then(|base| base.find_spelling(hash, written));
        base.or_else(|| {
            let is_spelled = |card| self.own(card).prepared.card.definition.name == written;
            self.by_spelling.find(hash, is_spelled).map(|card| self.own(card).name)
        })
    }

    /// The first card with a key of set and number, by its hash, of which `is_meant` says that it is meant: a set may have several cards with the same key.
    fn find_number(
        &self,
        hash: u32,
        key: &[u8],
        is_meant: &dyn Fn(u32, &PoolCard) -> bool,
    ) -> Option<u32> {
        let base = self.base.as_ref().and_then(|base| base.find_number(hash, key, is_meant));
        base.or_else(|| {
            self.by_number.find(hash, |card| {
                let known = &self.own(card).prepared;
                *known.number_key == *key && is_meant(card, &known.card)
            })
        })
    }

    /// The card of a set with exactly this number, otherwise the one that had exactly this number with zeros before it (none, if that card is not here), otherwise the
    /// first one whose number is the same but for case and leading zeros; and whether no other card could be meant. `buffer` saves an allocation per look-up.
    fn find_place(&self, set: &str, number: &str, buffer: &mut Vec<u8>) -> Option<(u32, bool)> {
        number_key(set, number, buffer);
        let hash = key_hash(buffer);
        let is_exact = |_: u32, card: &PoolCard| card.definition.number == number.trim();
        if let Some(card) = self.find_number(hash, buffer, &is_exact) {
            return Some((card, true));
        }
        if let Some(card) = self.find_old_with_zeros(buffer, number) {
            return Some((card, true));
        }
        if self.has_unseen_with_zeros(buffer, number) {
            return None;
        }
        let Some(card) = self.find_number(hash, buffer, &|_, _| true) else {
            return self.find_old_place(buffer, number).map(|card| (card, true));
        };
        let other = self.find_number(hash, buffer, &|other, _| other != card);
        Some((card, other.is_none()))
    }

    /// The card that had a place, by the key of the place: with exactly this number, otherwise the only one whose number is the same but for case and leading zeros.
    fn find_old_place(&self, key: &[u8], number: &str) -> Option<u32> {
        let base = self.base.as_ref().and_then(|base| base.find_old_place(key, number));
        base.or_else(|| {
            let mut alike = self.old_places.iter().filter(|place| place.key == key);
            let exact = alike.clone().find(|place| place.number == number.trim());
            let only = alike.next().filter(|_| alike.next().is_none());
            exact.or(only).map(|place| place.card)
        })
    }

    /// The card that had exactly this number, if the number has zeros before it: so it is written in full. Without zeros, it may be short for that of another
    /// card, and is so in share codes.
    fn find_old_with_zeros(&self, key: &[u8], number: &str) -> Option<u32> {
        let number = number.trim();
        if !number.starts_with('0') {
            return None;
        }
        let base = self.base.as_ref().and_then(|base| base.find_old_with_zeros(key, number));
        base.or_else(|| {
            let mut exact = self.old_places.iter();
            let exact = exact.find(|place| place.key == key && place.number == number);
            exact.map(|place| place.card)
        })
    }

    /// Whether a card that is not here had exactly this number, as in [`Self::find_old_with_zeros`].
    fn has_unseen_with_zeros(&self, key: &[u8], number: &str) -> bool {
        let number = number.trim();
        let mut unseen = self.unseen_places.iter();
        number.starts_with('0') && unseen.any(|(place, own)| *place == *key && own == number)
            || self.base.as_ref().is_some_and(|base| base.has_unseen_with_zeros(key, number))
    }

    /// The card that had a set and a number before it was moved or merged; `None` if a card has them now, as in [`Self::find_place`].
    pub(crate) fn moved_from(&self, set: &str, number: &str) -> Option<u32> {
        let mut key = Vec::new();
        number_key(set, number, &mut key);
        let hash = key_hash(&key);
        let is_exact = |_: u32, card: &PoolCard| card.definition.number == number.trim();
        if self.find_number(hash, &key, &is_exact).is_some() {
            return None;
        }
        self.find_old_with_zeros(&key, number).or_else(|| {
            let has_card = self.find_number(hash, &key, &|_, _| true).is_some();
            if has_card { None } else { self.find_old_place(&key, number) }
        })
    }

    /// The card with this key of the caller.
    fn with_key(&self, key: &str) -> Option<u32> {
        self.indices().find(|card| self.card(*card).key == key)
    }

    /// The name that a text means. `buffer` saves an allocation per look-up.
    fn find_name(&self, written: &str, buffer: &mut Vec<u8>) -> Option<u32> {
        self.find_spelling(key_hash(written.as_bytes()), written).or_else(|| {
            name_key_into(written, buffer);
            self.find_key(key_hash(buffer), buffer)
        })
    }

    /// A card of this layer.
    fn own(&self, index: u32) -> &Entry {
        &self.cards[(index - self.first_card) as usize]
    }

    fn cards_named(&self, name: u32) -> Box<dyn Iterator<Item = u32> + '_> {
        match &self.base {
            Some(base) if name < self.first_name => {
                let cards_of_base_names =
                    self.cards_of_base_names.get(&name).into_iter().flatten().copied();
                Box::new(base.cards_named(name).chain(cards_of_base_names))
            }
            _ => Box::new(self.names[(name - self.first_name) as usize].iter()),
        }
    }

    fn first_named(&self, name: u32) -> u32 {
        match &self.base {
            Some(base) if name < self.first_name => base.first_named(name),
            _ => self.names[(name - self.first_name) as usize].first,
        }
    }

    /// Whether exactly one card has this name and spells it so. `false` also if the name is in a layer below, where it is not counted.
    pub(crate) fn has_one_spelled(&self, name: &str) -> bool {
        let found = self.find_spelling(key_hash(name.as_bytes()), name);
        let own = found.and_then(|name| name.checked_sub(self.first_name));
        own.is_some_and(|name| self.names[name as usize].others.is_empty())
    }

    pub(crate) fn card(&self, index: u32) -> &PoolCard {
        &self.entry(index).prepared.card
    }

    pub(crate) fn name_key(&self, name: u32) -> &str {
        &self.entry(self.first_named(name)).prepared.name_key
    }

    /// Every name with its search key, for suggestions.
    pub(crate) fn search_keys(&self) -> impl Iterator<Item = (&str, &str)> {
        (0..self.end_name()).map(|name| {
            let first = &self.entry(self.first_named(name)).prepared;
            (first.card.definition.name.as_str(), &*first.search_key)
        })
    }

    /// `buffer` saves an allocation per look-up.
    pub(crate) fn resolve(&self, reference: &CardReference, buffer: &mut Vec<u8>) -> Option<Found> {
        let found = self.resolve_as_written(reference, buffer);
        if found.is_some_and(|found| found.exact) {
            return found;
        }
        // If another card has the name now, set and number show which one is meant.
        let meaning = self.meaning_of(reference);
        let meaning = meaning.filter(|(_, is_at_its_place)| found.is_none() || *is_at_its_place);
        meaning.map(|(meant, _)| meant).or(found)
    }

    /// The card of a reference whose card has another name now, and whether the card has, or had, the set and the number of the reference.
    fn meaning_of(&self, reference: &CardReference) -> Option<(Found, bool)> {
        let Some(card) = self.meanings.get(reference).copied() else {
            return self.base.as_ref().and_then(|base| base.meaning_of(reference));
        };
        let CardReference { set, number, rarity, .. } = reference;
        let known = self.card(card);
        let is_in = |set: &str| set.trim().eq_ignore_ascii_case(&known.set);
        let has_place = set.as_deref().is_none_or(is_in)
            && number.as_deref().is_none_or(|own| same_number(own, &known.definition.number));
        let had_place = |(set, number)| self.moved_from(set, number) == Some(card);
        let place = set.as_deref().zip(number.as_deref());
        let is_at_place = has_place || place.is_some_and(had_place);
        let exact = is_at_place && self.has_rarity(card, rarity.as_deref());
        let found = Found { card, name: self.entry(card).name, exact };
        Some((found, place.is_some() && is_at_place))
    }

    fn resolve_as_written(&self, reference: &CardReference, buffer: &mut Vec<u8>) -> Option<Found> {
        if reference.name.is_empty() {
            let (set, number) = (reference.set.as_ref()?, reference.number.as_ref()?);
            let (card, is_only) = self.find_place(set, number, buffer)?;
            let exact = is_only && self.has_rarity(card, reference.rarity.as_deref());
            return Some(Found { card, name: self.entry(card).name, exact });
        }
        let by_name_alone =
            reference.set.is_none() && reference.number.is_none() && reference.rarity.is_none();
        let mut whole_name = false;
        let name = self.find_name(&reference.name, buffer).or_else(|| {
            // "Fox (Winter)" looks like a name and a set, but may be a name as a whole.
            let set = reference.set.as_ref()?;
            whole_name = true;
            self.find_name(&format!("{} ({set})", reference.name), buffer)
        })?;
        if by_name_alone {
            return Some(Found { card: self.first_named(name), name, exact: true });
        }
        let set = reference.set.as_deref().filter(|_| !whole_name).map(str::trim);
        Some(self.choose(name, set, reference))
    }

    /// The card of a name that a reference chooses by set, number and rarity. A card with exactly its number has precedence over one whose number is the same
    /// but for case and leading zeros.
    fn choose(&self, name: u32, set: Option<&str>, reference: &CardReference) -> Found {
        let number = reference.number.as_deref().map(str::trim);
        let (mut exact_number, mut alike, mut other_rarity) = (None, None, None);
        for card in self.cards_named(name) {
            let pool = self.card(card);
            let (own_set, own_number) = (&pool.set, &pool.definition.number);
            if !(set.is_none_or(|set| set.eq_ignore_ascii_case(own_set))
                && number.is_none_or(|number| same_number(number, own_number)))
            {
                continue;
            }
            let has_rarity = self.has_rarity(card, reference.rarity.as_deref());
            let is_exact = number.is_none_or(|number| number == own_number);
            if has_rarity && is_exact {
                return Found { card, name, exact: true };
            }
            let place = match (is_exact, has_rarity) {
                (true, _) => &mut exact_number,
                (false, true) => &mut alike,
                (false, false) => &mut other_rarity,
            };
            place.get_or_insert(card);
        }
        let exact = exact_number.is_none() && alike.is_some();
        let card = exact_number.or(alike).or(other_rarity);
        if card.is_none()
            && let (Some(set), Some(number)) = (set, number)
            && let Some(card) = self.moved_from(set, number)
            && self.entry(card).name == name
        {
            let exact = self.has_rarity(card, reference.rarity.as_deref());
            return Found { card, name, exact };
        }
        Found { card: card.unwrap_or_else(|| self.first_named(name)), name, exact }
    }

    /// The cards of a name, in the order in which they were added; empty if no card has the name.
    pub(crate) fn named(&self, name: &str) -> Vec<u32> {
        let name = if name.is_empty() { None } else { self.find_name(name, &mut Vec::new()) };
        name.map_or_else(Vec::new, |name| self.cards_named(name).collect())
    }

    /// The cards of the name that was found, in the order in which they were added; never empty.
    pub(crate) fn namesakes(&self, found: Found) -> Vec<u32> {
        self.cards_named(found.name).collect()
    }

    /// The cards that a set and a number can mean, in the order in which they were added: one, if it has exactly this number or is the only one whose number
    /// is the same but for case and leading zeros.
    pub(crate) fn numbered(&self, set: &str, number: &str) -> Vec<u32> {
        match self.find_place(set, number, &mut Vec::new()) {
            Some((card, true)) => vec![card],
            Some(_) => self.numbers_alike(set, number),
            None => Vec::new(),
        }
    }

    /// Whether a set and a number can mean several cards: none has exactly this number, and several have one that is the same but for case and leading zeros.
    pub fn is_unclear(&self, set: &str, number: &str) -> bool {
        matches!(self.find_place(set, number, &mut Vec::new()), Some((_, false)))
    }

    /// The cards of a set whose numbers are the same as this one but for case and leading zeros, in the order in which they were added.
    fn numbers_alike(&self, set: &str, number: &str) -> Vec<u32> {
        let mut key = Vec::new();
        number_key(set, number, &mut key);
        let hash = key_hash(&key);
        let mut found: Vec<u32> = Vec::new();
        while let Some(card) = self.find_number(hash, &key, &|card, _| !found.contains(&card)) {
            found.push(card);
        }
        found.sort_unstable();
        found
    }

    /// Whether the set has several cards whose numbers are the same as this one but for case and leading zeros.
    pub(crate) fn has_numbers_alike(&self, set: &str, number: &str) -> bool {
        self.numbers_alike(set, number).len() > 1
    }

    /// Those of these cards that a number means: with exactly this number, otherwise with numbers that are the same but for case and leading zeros.
    pub(crate) fn with_number(&self, cards: &[u32], number: &str) -> Vec<u32> {
        let filtered = |is_meant: &dyn Fn(&str) -> bool| -> Vec<u32> {
            let cards = cards.iter().copied();
            cards.filter(|card| is_meant(&self.card(*card).definition.number)).collect()
        };
        let exact = filtered(&|own| own == number.trim());
        if exact.is_empty() { filtered(&|own| same_number(own, number)) } else { exact }
    }

    fn has_external_id(&self, id: u64) -> bool {
        self.by_external_id.contains_key(&id)
            || self.base.as_ref().is_some_and(|base| base.has_external_id(id))
    }

    /// The cards with this external id, in the order in which they were added: several, if reprints share it.
    pub(crate) fn with_external_id(&self, id: u64) -> Vec<u32> {
        let mut cards = self.base.as_ref().map_or_else(Vec::new, |base| base.with_external_id(id));
        cards.extend(self.by_external_id.get(&id));
        cards.extend(self.sharing_external_id.get(&id).into_iter().flatten());
        cards
    }

    /// Whether these cards have the same name.
    pub(crate) fn have_one_name(&self, cards: &[u32]) -> bool {
        let mut names = cards.iter().map(|card| self.entry(*card).name);
        let first = names.next();
        names.all(|name| Some(name) == first)
    }

    /// The external ids of all cards: the ids that other programs use. Cards that are not here may have them, too.
    pub fn external_ids(&self) -> BTreeSet<u64> {
        self.indices().filter_map(|card| self.external_id(card)).collect()
    }

    /// The external id of a card.
    pub(crate) fn external_id(&self, card: u32) -> Option<u64> {
        self.entry(card).prepared.external_id
    }

    pub(crate) fn has_rarity(&self, card: u32, rarity: Option<&str>) -> bool {
        let Some(rarity) = rarity else { return true };
        let printings = &self.card(card).definition.printings;
        let exists = |code: &str| {
            if printings.is_empty() {
                return code == self.game.base_rarity().code;
            }
            printings.iter().any(|printing| printing.rarity == code)
        };
        // Most decks write the code.
        exists(rarity) || exists(&self.rarity_meant(rarity))
    }

    /// The code of the rarity that a deck writes, perhaps by its name or an alias.
    pub(crate) fn rarity_meant(&self, written: &str) -> String {
        match self.game.rarity_called(written) {
            Some(rarity) => rarity.code.clone(),
            None => rarity_code(written),
        }
    }

    /// The rarities in which a card exists.
    pub(crate) fn rarities(&self, card: u32) -> Vec<String> {
        let printings = &self.card(card).definition.printings;
        if printings.is_empty() {
            return vec![self.game.base_rarity().code.clone()];
        }
        printings.iter().map(|printing| printing.rarity.clone()).collect()
    }

    /// Whether the selector selects the card. `known` says that the selector belongs to this catalogue's game, so that the answer is known from
    /// [`PreparedCard::new`].
    pub(crate) fn selects(&self, selector: &Selector, card: u32, known: bool) -> bool {
        let card = &self.entry(card).prepared;
        if known {
            return card
                .selected
                .get(selector.index / 64)
                .is_some_and(|bits| bits & (1 << (selector.index % 64)) != 0);
        }
        card.card.is_selected_by(selector)
    }

    pub(crate) fn rung(&self, check: &DeckCheck, card: u32, known: bool) -> Option<Rung> {
        let DeckCheck::AdviseLadder { index, .. } = check else { return None };
        let card = &self.entry(card).prepared;
        if known {
            return card.rungs.get(*index).copied().flatten();
        }
        rung(check, &card.card)
    }

    pub(crate) fn indices(&self) -> std::ops::Range<u32> {
        0..self.end_card()
    }

    pub(crate) fn mention(&self, card: u32) -> CardMention {
        let pool = self.card(card);
        CardMention {
            set: Some(pool.set.clone()),
            number: Some(pool.definition.number.clone()),
            ..CardMention::named(&pool.definition.name)
        }
    }
}

/// Code of a rarity that is written as people do (`Ultra Rare`, `ultra-rare`).
fn rarity_code(text: &str) -> String {
    text.trim()
        .chars()
        .map(|character| match character {
            ' ' | '-' => '_',
            other => other.to_ascii_lowercase(),
        })
        .collect()
}

/// The external id of a card: the value of the attribute that the game declares for it.
fn external_id(game: &Game, card: &CardDefinition) -> Option<u64> {
    match card.attributes.get(game.external_id()?)? {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// Whether two collector numbers are the same but for case and leading zeros.
pub(crate) fn same_number(left: &str, right: &str) -> bool {
    fn bare(number: &str) -> &str {
        number.trim().trim_start_matches('0')
    }
    bare(left).eq_ignore_ascii_case(bare(right))
}

fn number_key(set: &str, number: &str, key: &mut Vec<u8>) {
    key.clear();
    key.extend(set.trim().bytes());
    key.push(b'/');
    key.extend(number.trim().trim_start_matches('0').bytes());
    key.make_ascii_lowercase();
}

fn rung(check: &DeckCheck, card: &PoolCard) -> Option<Rung> {
    let DeckCheck::AdviseLadder { select, attribute, steps, same, .. } = check else { return None };
    if !card.is_selected_by(select) {
        return None;
    }
    let card = &card.definition;
    let step = match card.attributes.get(attribute)? {
        Value::Number(number) => number.as_i64()?,
        Value::String(text) => i64::try_from(steps.iter().position(|step| step == text)?).ok()?,
        _ => return None,
    };
    // A missing value keeps its place: otherwise cards that lack different attributes could seem to share them.
    let shared: Vec<Option<&Value>> = same.iter().map(|name| card.attributes.get(name)).collect();
    let group = fingerprint(&serde_json::to_string(&shared).ok()?);
    Some(Rung { group, step })
}
