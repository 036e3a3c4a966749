//! The cards that a report on a deck needs, as the viewer sees them: only the cards that the deck names and, for a
//! fixed box, the cards that belong in it, never the whole catalogue.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Duration;

use cardscape_engine::{
    CardReference, Catalogue, DeckCheck, Format, Game, KnownSet, KnownSets, PoolCard, PreparedCard,
    name_key, search_key,
};
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;

use crate::auth::permission::Viewer;
use crate::domain::ids::{AccountId, CardId};
use crate::domain::network::Network;
use crate::store::card_content::identifier::CardIdentifier;
pub use crate::store::card_content::pool::SeenPlace;
use crate::store::card_content::pool::{self, PoolHit};
use crate::store::card_content::suggestions::{Misspelt, suggest_near_names};
use crate::store::catalogue::card_migrations;
use crate::store::db::schema::{cards, sets};
use crate::store::db::search_queue::SearchQueue;
use crate::store::{Connection, StoreError, StoreResult};

/// Similar names that are requested for each unknown name: the engine picks the best of them.
pub const NEAR_NAMES: usize = 8;

/// The cards with which decks of a game are judged.
#[derive(Clone, Debug)]
pub struct DeckPool {
    game: Game,
    cards: Vec<Arc<PreparedCard>>,
    /// All sets of the game, if a report needs them.
    sets: Option<Arc<KnownSets>>,
    /// Sets and numbers that lead to cards which have another place now.
    old_places: Vec<(String, String, CardId)>,
    /// Sets and numbers that lead to cards which the viewer may not see.
    unseen_places: Vec<(String, String)>,
    /// References that mean cards which have another name now.
    meanings: Vec<(CardReference, CardId)>,
}

/// Whether a card has a place now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceUse {
    /// A card has it with exactly this number.
    Exact,
    /// A card has it with a number that is the same but for case and leading zeros.
    Alike,
    /// No card has it.
    Free,
}

impl PlaceUse {
    /// Whether a place with this number may lead to a card that had it before. A number with zeros before it is written in full, so a card that had exactly this
    /// number goes before others. A number without them may be short for that of another card.
    pub fn may_be_old(self, number: &str) -> bool {
        match self {
            Self::Exact => false,
            Self::Alike => number.trim().starts_with('0'),
            Self::Free => true,
        }
    }

    /// Whether a place that may be old leads to this card, which had it before.
    fn leads_to(self, successor: Successor) -> bool {
        self == Self::Free || successor.is_exact
    }

    /// The card that a place leads to which may be old.
    pub fn successor(self, successor: Option<Successor>) -> Option<CardId> {
        successor.filter(|successor| self.leads_to(*successor)).map(|successor| successor.card)
    }
}

/// A card that had a place before it was moved or merged.
#[derive(Clone, Copy, Debug)]
pub struct Successor {
    pub card: CardId,
    /// Whether it had exactly this number, and not one that is the same but for case and leading zeros.
    is_exact: bool,
}

/// Sets and numbers of cards.
pub struct PoolPlaces(HashSet<(String, String)>);

impl PoolPlaces {
    /// Whether a card has this place with exactly this number.
    pub fn contain(&self, (set, number): (&str, &str)) -> bool {
        self.0.contains(&(code_of(set), number.trim().to_owned()))
    }
}

impl DeckPool {
    /// A pool of a game, without cards.
    pub fn new(game: &Game) -> Self {
        Self {
            game: game.clone(),
            cards: Vec::new(),
            sets: None,
            old_places: Vec::new(),
            unseen_places: Vec::new(),
            meanings: Vec::new(),
        }
    }

    /// Adds all sets of the game, each with whether it has cards, in this pool or not.
    pub fn part_of(&mut self, sets: Arc<KnownSets>) {
        self.sets = Some(sets);
    }

    /// Whether the sets of the game were added.
    pub fn has_sets(&self) -> bool {
        self.sets.is_some()
    }

    /// The catalogue for the engine. Cards with the same name are sorted by set and number; the engine takes the first
    /// of them if a deck does not choose.
    pub fn catalogue(&mut self) -> Catalogue {
        fn place(card: &PreparedCard) -> (&str, &str, &str) {
            let pool = card.card();
            (card.name_key(), &pool.set, &pool.definition.number)
        }
        self.cards.sort_by(|one, other| place(one).cmp(&place(other)));
        self.cards.dedup_by(|one, other| one.card().key == other.card().key);
        let cards = Catalogue::builder(&self.game).extend_prepared(self.cards.iter().cloned());
        let cards = match &self.sets {
            Some(sets) => cards.part_of(Arc::clone(sets)),
            None => cards,
        };
        let cards = self.old_places.iter().fold(cards, |cards, (set, number, card)| {
            cards.old_place(set, number, &card.to_string())
        });
        let cards = self
            .unseen_places
            .iter()
            .fold(cards, |cards, (set, number)| cards.unseen_place(set, number));
        let cards = self.meanings.iter().fold(cards, |cards, (reference, card)| {
            cards.meaning(reference.clone(), &card.to_string())
        });
        cards.build()
    }

    /// The places of the cards of the pool.
    pub fn places(&self) -> PoolPlaces {
        let place = |card: &PoolCard| (card.set.clone(), card.definition.number.clone());
        PoolPlaces(self.cards.iter().map(|card| place(card.card())).collect())
    }

    /// Adds a card that had this place before it was moved or merged.
    pub fn add_moved(&mut self, (set, number): (&str, &str), id: CardId, card: Arc<PreparedCard>) {
        self.old_places.push((set.to_owned(), number.to_owned(), id));
        self.cards.push(card);
    }

    /// Adds a place that leads to a card which the viewer may not see.
    pub fn add_unseen(&mut self, (set, number): (&str, &str)) {
        self.unseen_places.push((set.to_owned(), number.to_owned()));
    }

    /// Adds the card that a reference means, although the card has another name now.
    pub fn add_meaning(&mut self, reference: CardReference, id: CardId, card: Arc<PreparedCard>) {
        self.meanings.push((reference, id));
        self.cards.push(card);
    }

    /// Adds cards; some of them may be in the pool already.
    pub fn extend(&mut self, cards: impl IntoIterator<Item = Arc<PreparedCard>>) {
        self.cards.extend(cards);
    }

    fn prepare_hits(&mut self, hits: Vec<PoolHit>) {
        let Self { game, cards, .. } = self;
        cards.extend(hits.into_iter().map(|hit| PreparedCard::new(game, hit.card).into()));
    }

    /// The [`name_key`] of each card.
    fn name_keys(&self) -> HashSet<&str> {
        self.cards.iter().map(|card| card.name_key()).collect()
    }
}

/// Adds the cards with these names that `viewer` may see; for a name that none of them has, the open cards whose names differ only in accents.
pub async fn add_named(
    conn: &mut Connection,
    viewer: Viewer,
    names: &[&str],
    found: &mut DeckPool,
) -> StoreResult<()> {
    let keys: BTreeSet<String> = names.iter().map(|name| name_key(name)).collect();
    let keys: Vec<String> = keys.into_iter().collect();
    let game = found.game.clone();
    found.prepare_hits(pool::find_by_names(conn, viewer, game.code(), &keys).await?);
    let missing: BTreeSet<String> = {
        let known = found.name_keys();
        let missing = names.iter().filter(|name| !known.contains(name_key(name).as_str()));
        missing.map(|name| search_key(name)).collect()
    };
    if !missing.is_empty() {
        let keys: Vec<String> = missing.into_iter().collect();
        found.prepare_hits(pool::find_open_by_search_keys(conn, game.code(), &keys).await?);
    }
    Ok(())
}

/// The cards of a game with this name that `viewer` may see, in no particular order.
pub async fn namesakes(
    conn: &mut Connection,
    viewer: Viewer,
    game: &str,
    name: &str,
) -> StoreResult<Vec<CardId>> {
    pool::find_ids_by_name(conn, viewer, game, &name_key(name)).await
}

/// Adds the hidden cards with these names ([`name_key`]) of which an account holds a copy. If `decoys` has a hidden
/// card for each name, the time does not depend on whether a hidden card has the name.
pub async fn add_held_hidden(
    conn: &mut Connection,
    account: AccountId,
    name_keys: &[&str],
    decoys: &[CardId],
    found: &mut DeckPool,
) -> StoreResult<()> {
    let game = found.game.clone();
    let code = game.code();
    let hits = pool::find_held_hidden_by_names(conn, account, code, name_keys, decoys).await?;
    found.prepare_hits(hits);
    Ok(())
}

/// The places of the cards with these ids, by id; for a merged card, the place of the card that it was merged into. Ids
/// of no card are left out.
pub async fn places(
    conn: &mut Connection,
    viewer: Viewer,
    ids: &[CardId],
) -> StoreResult<BTreeMap<CardId, SeenPlace>> {
    let mut places = pool::find_places(conn, viewer, ids).await?;
    let gone: Vec<CardId> = ids.iter().copied().filter(|id| !places.contains_key(id)).collect();
    let merged = merged_into(conn, &gone).await?;
    if merged.is_empty() {
        return Ok(places);
    }
    let successors: Vec<CardId> = merged.values().copied().collect();
    let known = pool::find_places(conn, viewer, &successors).await?;
    for (old, successor) in merged {
        if let Some(place) = known.get(&successor) {
            places.insert(old, place.clone());
        }
    }
    Ok(places)
}

/// Those of the cards with these ids that are hidden from the public; a merged card counts as the card that it was merged into. A card that does not exist counts as
/// hidden.
pub(super) async fn find_hidden(
    conn: &Connection,
    ids: &BTreeSet<CardId>,
) -> StoreResult<BTreeSet<CardId>> {
    let listed: Vec<CardId> = ids.iter().copied().collect();
    let merged = card_migrations::merged_cards(conn, &listed).await?;
    let present = |id: &CardId| merged.get(id).copied().unwrap_or(*id);
    let listed: Vec<CardId> = ids.iter().map(present).collect();
    let places = pool::find_places(conn, Viewer::stranger(), &listed).await?;
    let is_hidden = |id: &&CardId| places.get(&present(id)).is_none_or(|place| place.hidden);
    Ok(ids.iter().filter(is_hidden).copied().collect())
}

/// The cards that these cards were merged into, by the ids of the merged ones. Cards that were not merged are left out.
pub async fn merged_into(
    conn: &mut Connection,
    ids: &[CardId],
) -> StoreResult<BTreeMap<CardId, CardId>> {
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let identifiers: Vec<CardIdentifier> = ids.iter().copied().map(CardIdentifier::Id).collect();
    let identifiers: Vec<&CardIdentifier> = identifiers.iter().collect();
    let merged = card_migrations::successors(conn, &identifiers).await?;
    Ok(merged.into_iter().filter_map(|(at, card)| Some((*ids.get(at)?, card))).collect())
}

/// The cards that had these places of a game before they were moved or merged, hidden or not: old numbers are as public as present ones. `None`: no card had the
/// place. Exactly this number goes before one that is the same but for case and leading zeros. A card that has the place now is not looked for.
pub async fn successors_at(
    conn: &mut Connection,
    game: &str,
    places: &[(&str, &str)],
) -> StoreResult<Vec<Option<Successor>>> {
    if places.is_empty() {
        return Ok(Vec::new());
    }
    let sets: BTreeSet<String> = places.iter().map(|(set, _)| code_of(set)).collect();
    let numbers: BTreeSet<String> =
        places.iter().flat_map(|(_, number)| spellings(number)).collect();
    let old = CardsByPlace::of(card_migrations::find_vacated(conn, game, (sets, numbers)).await?);
    let find = |(set, number): &(&str, &str)| {
        let (set, number) = (code_of(set), number.trim());
        let card = old.find(&set, number)?;
        Some(Successor { card, is_exact: old.find_exact(&set, number).is_some() })
    };
    Ok(places.iter().map(find).collect())
}

/// Whether cards of a game, hidden or not, have these places now.
pub async fn place_uses(
    conn: &mut Connection,
    game: &str,
    places: &[(&str, &str)],
) -> StoreResult<Vec<PlaceUse>> {
    let known = CardsByPlace::of(rows_at(conn, game, places).await?);
    let place_use = |(set, number): &(&str, &str)| known.place_use(&code_of(set), number.trim());
    Ok(places.iter().map(place_use).collect())
}

/// The cards at these places of a game, hidden or not: set and number are public. Case and leading zeros of a number do not count, unless the set has several numbers
/// that differ only in these and none is exactly the given one: that is no card. A place that no card has leads to the card that had it before it was moved or merged,
/// and so does one whose number has zeros before it that no card has.
pub async fn ids_at(
    conn: &mut Connection,
    game: &str,
    places: &[(&str, &str)],
) -> StoreResult<Vec<Option<CardId>>> {
    let known = CardsByPlace::of(rows_at(conn, game, places).await?);
    let find = |(set, number): &(&str, &str)| known.find(&code_of(set), number.trim());
    let mut found: Vec<Option<CardId>> = places.iter().map(find).collect();
    let place_use = |(set, number): (&str, &str)| known.place_use(&code_of(set), number.trim());
    let (left, old): (Vec<usize>, Vec<(&str, &str)>) = places
        .iter()
        .copied()
        .enumerate()
        .filter(|(_, place)| place_use(*place).may_be_old(place.1))
        .unzip();
    let successors = successors_at(conn, game, &old).await?;
    for ((at, place), successor) in left.into_iter().zip(old).zip(successors) {
        found[at] = place_use(place).successor(successor).or(found[at]);
    }
    Ok(found)
}

/// The cards of a game, hidden or not, at these places and at those whose numbers are the same but for case and leading zeros.
pub async fn ids_alike(
    conn: &mut Connection,
    game: &str,
    places: &[(&str, &str)],
) -> StoreResult<Vec<CardId>> {
    let wanted: BTreeSet<(String, String)> =
        places.iter().map(|(set, number)| (code_of(set), bare(number))).collect();
    let rows = rows_at(conn, game, places).await?.into_iter();
    let alike = rows.filter(|(_, set, number)| wanted.contains(&(set.clone(), bare(number))));
    Ok(alike.map(|(id, ..)| id).collect())
}

fn code_of(set: &str) -> String {
    set.trim().to_ascii_lowercase()
}

/// The cards of these sets that have one of these numbers in any spelling: id, set and number.
async fn rows_at(
    conn: &mut Connection,
    game: &str,
    places: &[(&str, &str)],
) -> StoreResult<Vec<(CardId, String, String)>> {
    let sets: BTreeSet<String> = places.iter().map(|(set, _)| code_of(set)).collect();
    let numbers: BTreeSet<String> =
        places.iter().flat_map(|(_, number)| spellings(number)).collect();
    let at = cards::game_code.eq(game).and(cards::set_code.eq_any(sets));
    let rows = cards::table
        .filter(at.and(cards::number.eq_any(numbers)))
        .select((cards::id, cards::set_code, cards::number))
        .load(conn)
        .await?;
    Ok(rows)
}

/// Cards by their sets and numbers.
struct CardsByPlace {
    as_written: BTreeMap<(String, String), CardId>,
    /// `None`: there are several.
    without_case_and_zeros: BTreeMap<(String, String), Option<CardId>>,
}

impl CardsByPlace {
    fn of(rows: Vec<(CardId, String, String)>) -> Self {
        let mut without_case_and_zeros: BTreeMap<_, Option<CardId>> = BTreeMap::new();
        for (id, set, number) in &rows {
            let same = without_case_and_zeros.entry((set.clone(), bare(number)));
            // A card may have had several numbers that differ only in these.
            same.and_modify(|only| *only = only.filter(|known| known == id)).or_insert(Some(*id));
        }
        let as_written = rows.into_iter().map(|(id, set, number)| ((set, number), id)).collect();
        Self { as_written, without_case_and_zeros }
    }

    /// The card at a place. A set may have two numbers that differ only in case or leading zeros: then only the number as it is written is meant.
    fn find(&self, set: &str, number: &str) -> Option<CardId> {
        let same = || self.without_case_and_zeros.get(&(set.to_owned(), bare(number)));
        self.find_exact(set, number).or_else(|| same().copied().flatten())
    }

    /// The card with exactly this number.
    fn find_exact(&self, set: &str, number: &str) -> Option<CardId> {
        self.as_written.get(&(set.to_owned(), number.to_owned())).copied()
    }

    /// Whether one or several cards have this place.
    fn place_use(&self, set: &str, number: &str) -> PlaceUse {
        if self.find_exact(set, number).is_some() {
            PlaceUse::Exact
        } else if self.without_case_and_zeros.contains_key(&(set.to_owned(), bare(number))) {
            PlaceUse::Alike
        } else {
            PlaceUse::Free
        }
    }
}

/// A collector number without what does not count.
fn bare(number: &str) -> String {
    number.trim().trim_start_matches('0').to_ascii_lowercase()
}

/// Longest number that is looked up with added zeros.
const PADDED: usize = 6;

/// Most letters of a number that is looked up in every mixture of capital and small letters.
const MIXED: usize = 3;

/// How a card may have this collector number: an index has numbers as they are printed. Some are there twice.
pub fn spellings(number: &str) -> impl Iterator<Item = String> {
    let bare = bare(number);
    let widths = bare.len()..=PADDED.max(bare.len());
    let cases = in_all_cases(&bare);
    widths
        .flat_map(move |width| {
            cases.iter().map(|bare| format!("{bare:0>width$}")).collect::<Vec<_>>()
        })
        .chain([number.trim().to_owned()])
}

/// A bare number with small letters, with capital letters, and with a capital letter at its beginning; all mixtures of them if it has few letters.
fn in_all_cases(bare: &str) -> Vec<String> {
    let letters = bare.bytes().filter(u8::is_ascii_lowercase).count();
    if letters > MIXED {
        let mut letters = bare.chars();
        let capitalised = letters.next().map(|first| first.to_ascii_uppercase());
        let capitalised = capitalised.into_iter().chain(letters).collect();
        return vec![bare.to_owned(), bare.to_ascii_uppercase(), capitalised];
    }
    let mut cases = vec![String::new()];
    for letter in bare.chars() {
        let capital = letter.is_ascii_lowercase().then(|| letter.to_ascii_uppercase());
        let with_capital = capital
            .map(|capital| cases.iter().map(|case| format!("{case}{capital}")).collect::<Vec<_>>());
        for case in &mut cases {
            case.push(letter);
        }
        cases.extend(with_capital.into_iter().flatten());
    }
    cases
}

/// The names of the cards with these ids that `viewer` may see, by id; for a merged card, the name of the card that it was merged into, as in [`places`].
pub async fn names(
    conn: &mut Connection,
    viewer: Viewer,
    ids: &[CardId],
) -> StoreResult<BTreeMap<CardId, String>> {
    let mut names = pool::find_names(conn, viewer, ids).await?;
    let unnamed: Vec<CardId> = ids.iter().copied().filter(|id| !names.contains_key(id)).collect();
    let merged = merged_into(conn, &unnamed).await?;
    if merged.is_empty() {
        return Ok(names);
    }
    let successors: Vec<CardId> = merged.values().copied().collect();
    let known = pool::find_names(conn, viewer, &successors).await?;
    for (old, successor) in merged {
        if let Some(name) = known.get(&successor) {
            names.insert(old, name.clone());
        }
    }
    Ok(names)
}

/// Whether a format has a fixed box, which needs cards that no deck names.
pub fn have_boxes(formats: &[Arc<Format>]) -> bool {
    let mut checks = formats.iter().flat_map(|format| &format.rules).map(|rule| &rule.check);
    checks.any(|check| matches!(check, DeckCheck::FixedBox { .. }))
}

/// Adds the cards that belong in the boxes of `formats`.
pub async fn add_boxes(
    conn: &mut Connection,
    viewer: Viewer,
    formats: &[Arc<Format>],
    found: &mut DeckPool,
) -> StoreResult<()> {
    let game = found.game.clone();
    for set in box_sets(conn, &game, formats).await? {
        found.prepare_hits(pool::find_by_set(conn, viewer, game.code(), &set).await?);
    }
    Ok(())
}

/// The cards with these ids that `viewer` may see, prepared for a game; cards of other games are left out.
pub async fn by_ids(
    conn: &mut Connection,
    viewer: Viewer,
    game: &Game,
    ids: &[CardId],
) -> StoreResult<Vec<(CardId, Arc<PreparedCard>)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let hits = pool::find_by_ids(conn, viewer, game.code(), ids).await?;
    let prepare = |hit: PoolHit| (hit.id, PreparedCard::new(game, hit.card).into());
    Ok(hits.into_iter().map(prepare).collect())
}

/// A card by the id that it was asked for, with the id that it has.
pub type PresentCard = (CardId, Arc<PreparedCard>);

/// Like [`by_ids`], by the ids that were asked for; for a merged card, the card that it was merged into.
pub async fn present_cards(
    conn: &mut Connection,
    viewer: Viewer,
    game: &Game,
    ids: &[CardId],
) -> StoreResult<BTreeMap<CardId, PresentCard>> {
    let found = by_ids(conn, viewer, game, ids).await?.into_iter();
    let mut cards: BTreeMap<CardId, PresentCard> =
        found.map(|(id, card)| (id, (id, card))).collect();
    let gone: Vec<CardId> = ids.iter().copied().filter(|id| !cards.contains_key(id)).collect();
    let merged = merged_into(conn, &gone).await?;
    let successors: Vec<CardId> = merged.values().copied().collect();
    let known: BTreeMap<CardId, Arc<PreparedCard>> =
        by_ids(conn, viewer, game, &successors).await?.into_iter().collect();
    for (old, successor) in merged {
        if let Some(card) = known.get(&successor) {
            cards.insert(old, (successor, Arc::clone(card)));
        }
    }
    Ok(cards)
}

/// The sets of a game, by code.
pub async fn known_sets(conn: &mut Connection, game: &str) -> StoreResult<KnownSets> {
    let of_set = cards::game_code.eq(sets::game_code).and(cards::set_code.eq(sets::code));
    let rows: Vec<(String, String, bool)> = sets::table
        .filter(sets::game_code.eq(game))
        .order(sets::code)
        .select((sets::code, sets::name, exists(cards::table.filter(of_set))))
        .load(conn)
        .await?;
    let known = |(code, name, has_cards)| KnownSet { code, name, has_cards };
    Ok(KnownSets::new(rows.into_iter().map(known)))
}

/// The sets from which fixed boxes select cards: the sets that they name, or all sets of the game.
async fn box_sets(
    conn: &mut Connection,
    game: &Game,
    formats: &[Arc<Format>],
) -> StoreResult<BTreeSet<String>> {
    let checks = formats.iter().flat_map(|format| &format.rules).map(|rule| &rule.check);
    let mut named = BTreeSet::new();
    let mut any_set = false;
    for check in checks {
        if let DeckCheck::FixedBox { contents, .. } = check {
            for line in contents {
                any_set |= line.select.sets.is_empty();
                named.extend(line.select.sets.iter().cloned());
            }
        }
    }
    if any_set {
        let all = sets::table.filter(sets::game_code.eq(game.code())).select(sets::code);
        named.extend(all.load::<String>(conn).await?);
    }
    Ok(named)
}

/// Adds the cards whose names are similar to these unknown names, as far as `viewer` may see them. Returns how many
/// names were not looked up, because there are more than
/// [`SUGGESTED_NAMES_MAX`](cardscape_engine::SUGGESTED_NAMES_MAX), because the search took longer than `time_limit`, or
/// because the search queue was full: the report is complete without them. The result does not depend on whether a
/// hidden card has one of the names.
pub async fn add_near(
    searches: (&SearchQueue, Network),
    viewer: Viewer,
    unknown: &BTreeSet<String>,
    found: &mut DeckPool,
    time_limit: Duration,
) -> usize {
    let game = found.game.clone();
    let names: Vec<_> = unknown.iter().map(|name| Misspelt::of_game(game.code(), name)).collect();
    let near = suggest_near_names(searches, viewer, &names, time_limit).await;
    let keys: BTreeSet<String> = {
        let known = found.name_keys();
        let keys = near.iter().flat_map(|cards| cards.iter().take(NEAR_NAMES));
        let keys = keys.map(|card| name_key(&card.name));
        keys.filter(|key| !known.contains(key.as_str())).collect()
    };
    let keys: Vec<String> = keys.into_iter().collect();
    let add = async {
        let mut conn = searches.0.connection(searches.1).await?;
        found.prepare_hits(pool::find_by_names(&mut conn, viewer, game.code(), &keys).await?);
        Ok::<(), StoreError>(())
    };
    if !keys.is_empty()
        && let Err(error) = add.await
    {
        tracing::debug!(%error, "suggestions are left out");
        return unknown.len();
    }
    unknown.len() - near.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_every_spelling_that_a_card_may_have() {
        let found: BTreeSet<String> = spellings("0xY7").collect();
        for number in ["0xY7", "xY7", "xy7", "XY7", "Xy7", "000xY7"] {
            assert!(found.contains(number), "{number}");
        }
        assert_eq!(spellings("12").collect::<BTreeSet<_>>().len(), 5);
        let long: BTreeSet<String> = spellings("promo").collect();
        let all = ["0PROMO", "0Promo", "0promo", "PROMO", "Promo", "promo"];
        assert_eq!(long, all.map(String::from).into());
    }

    #[test]
    fn the_number_as_it_is_written_comes_first() {
        let card = |id: u128, number: &str| {
            (CardId(uuid::Uuid::from_u128(id)), "veil".to_owned(), number.to_owned())
        };
        let cards = [card(1, "003"), card(2, "3"), card(3, "A1"), card(4, "a1"), card(5, "007")];
        let cards = CardsByPlace::of(cards.into());
        let at = |number| cards.find("veil", number).map(|id| id.0.as_u128());
        assert_eq!(["003", "3", "A1", "a1", "7", "0007"].map(at), [1, 2, 3, 4, 5, 5].map(Some));
        assert_eq!((at("0003"), at("0A1")), (None, None), "several could be meant");
        assert_eq!((at("8"), cards.find("dusk", "3")), (None, None));
        let twice = CardsByPlace::of([card(1, "003"), card(1, "03")].into());
        assert_eq!(twice.find("veil", "3").map(|id| id.0.as_u128()), Some(1));
        let place_use = |number| cards.place_use("veil", number);
        assert_eq!(place_use("003"), PlaceUse::Exact);
        assert_eq!((place_use("0003"), place_use("8")), (PlaceUse::Alike, PlaceUse::Free));
    }

    /// A number with zeros before it is written in full, others may be short.
    #[test]
    fn an_old_number_with_zeros_goes_before_numbers_alike() {
        let card = CardId(uuid::Uuid::from_u128(1));
        let leads = |place_use: PlaceUse, number: &str, is_exact| {
            let successor = Some(Successor { card, is_exact });
            place_use.may_be_old(number) && place_use.successor(successor).is_some()
        };
        for (place_use, number, is_exact, expected) in [
            (PlaceUse::Free, "2", false, true),
            (PlaceUse::Free, "002", true, true),
            (PlaceUse::Alike, "002", true, true),
            (PlaceUse::Alike, "002", false, false),
            (PlaceUse::Alike, "2", true, false),
            (PlaceUse::Exact, "002", true, false),
        ] {
            assert_eq!(leads(place_use, number, is_exact), expected, "{place_use:?} {number}");
        }
    }
}
