//! Decks as other readers may see them: an entry whose card is hidden from the reader has a place (set and number) and no name.
//!
//! An entry is masked only if it was bound, when it was saved, to a card that its owner could see at that time. Any other text is shown as it was typed,
//! even if a hidden card has that name: masking it would confirm a guess at the name.

use std::collections::{BTreeMap, BTreeSet};

use cardscape_engine::{CardReference, Deck, DeckEntry, Game};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::deck_cards::may_have_left;
use super::deck_input::is_false;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::auth::permission::Viewer;
use crate::domain::decks::content::DeckContent;
use crate::domain::decks::rarities::with_codes;
use crate::domain::decks::zones::with_zone_codes;
use crate::domain::ids::{AccountId, CardId};
use crate::store::decks::deck_pool::{self, SeenPlace};
use crate::store::decks::deck_rows::BoundCards;

/// The differences between a stored deck and what a reader sees of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Masks {
    /// Cards that are hidden from the reader, by the positions of their entries.
    pub hidden: BTreeMap<usize, CardId>,
    /// Positions of entries that are stored without a name, and have that of their card.
    pub named: BTreeSet<usize>,
    /// A hash of all differences; 0: the reader sees the deck as it is stored.
    digest: i64,
}

/// Which card an entry or another part of an answer about a deck means. If the card is hidden from you, this is all that is shown of it.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct EntryCardResponse {
    /// Code of the set, if the entry names one. An answer that adds up the entries of each card has it only for hidden cards.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "hearth")]
    pub set: Option<String>,
    /// Number in the set, if the entry names one. An answer that adds up the entries of each card has it only for hidden cards.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "001")]
    pub number: Option<String>,
    /// Id of the card; absent: no card that you can see is meant, or it is not known which. A pick list and a sample hand have it only for hidden cards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_id: Option<Uuid>,
    /// Whether the card is hidden from you; its name is then empty, and `card_id` is its id.
    #[serde(skip_serializing_if = "is_false")]
    #[schema(default = false, example = false)]
    pub hidden: bool,
}

impl EntryCardResponse {
    /// A card that is not hidden from the reader, at its place, if the answer names the place.
    pub(super) fn open((set, number): Place, card_id: Option<Uuid>) -> Self {
        Self { set, number, card_id, hidden: false }
    }

    /// The same with the id of an open card, unless the card is hidden.
    pub(super) fn or_id(self, find: impl FnOnce() -> Option<Uuid>) -> Self {
        Self { card_id: self.card_id.or_else(find), ..self }
    }

    /// The same as a hidden card, if `card` is the id of one.
    pub(super) fn or_hidden(self, card: Option<CardId>) -> Self {
        match card {
            Some(card) => Self { card_id: Some(card.0), hidden: true, ..self },
            None => self,
        }
    }
}

/// Set and number of a card, as an entry has them.
pub(super) type Place = (Option<String>, Option<String>);

impl Masks {
    /// Masks of these entries, for tests.
    #[cfg(test)]
    pub(super) fn of_hidden(hidden: impl IntoIterator<Item = (usize, CardId)>) -> Self {
        Self { hidden: hidden.into_iter().collect(), digest: 1, ..Self::default() }
    }

    /// A number for the ETag, which differs between readers who see one revision differently; empty: the reader sees the deck as it is stored.
    pub(super) fn counts(&self) -> Vec<i64> {
        if self.digest == 0 { Vec::new() } else { vec![self.digest] }
    }

    /// The card of the entry at this position, which names this place.
    pub(super) fn card_at(&self, at: usize, place: Place) -> EntryCardResponse {
        EntryCardResponse::open(place, None).or_hidden(self.hidden.get(&at).copied())
    }

    /// The card of the entry at this position if it is hidden from the reader; nothing for other entries.
    pub(super) fn hidden_card_at(&self, deck: &Deck, at: usize) -> EntryCardResponse {
        match deck.entries.get(at).filter(|_| self.hidden.contains_key(&at)) {
            Some(entry) => {
                let CardReference { set, number, .. } = &entry.card;
                self.card_at(at, (set.clone(), number.clone()))
            }
            None => EntryCardResponse::default(),
        }
    }

    /// The hidden cards by the places of their entries. A deleted card has a place only in entries that have no name.
    pub(super) fn hidden_places(&self, deck: &Deck) -> BTreeMap<Place, CardId> {
        let place = |(at, card): (&usize, &CardId)| {
            let CardReference { set, number, .. } = &deck.entries.get(*at)?.card;
            set.is_some().then(|| ((set.clone(), number.clone()), *card))
        };
        self.hidden.iter().filter_map(place).collect()
    }

    /// Adds a difference to the hash.
    pub(super) fn add_difference(&mut self, what: &str) {
        let before = self.digest.to_be_bytes();
        let seen = before.iter().copied().chain(what.bytes());
        // FNV-1a: the hash only has to differ; it protects no secret.
        let hash = seen.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        self.digest = (hash >> 1).max(1).cast_signed();
    }
}

/// Masks the entries of a deck of `owner` whose cards the reader may not see. The owner always reads the names in the deck, but not with a token that may not
/// read cards as the owner: the service may have added a name to a set and a number. Zones and rarities are read by their codes; older versions stored them as
/// they were written. Set and number beside a name are those that the card has now, if it had the written ones before it was moved or merged.
pub(super) async fn mask(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    (viewer, reader): (Viewer, Option<AccountId>),
    owner: AccountId,
    content: &mut DeckContent,
) -> Result<Masks, Problem> {
    let is_own = reader == Some(owner);
    let reads_names = is_own && !viewer.is_stranger();
    let mut masks = Masks::default();
    write_words_by_code(app, conn, content, &mut masks).await?;
    if !is_own && !content.unread_lines.is_empty() {
        // These lines may contain names of hidden cards that the owner could see.
        content.unread_lines.clear();
        masks.add_difference("lines");
    }
    follow_moves(app, conn, content, &mut masks).await?;
    let mut bound: BTreeMap<usize, CardId> = BTreeMap::new();
    for (at, (entry, card)) in content.bound_entries().enumerate() {
        if let Some(card) = card.filter(|_| !reads_names || entry.card.name.is_empty()) {
            bound.insert(at, card);
        }
    }
    if bound.is_empty() {
        return Ok(masks);
    }
    if are_open(app, bound.values()) {
        bound.retain(|at, _| content.deck.entries[*at].card.name.is_empty());
        if let Some((places, names)) = open_cards(app, bound.values()) {
            mask_bound(content, bound, &places, &names, &mut masks);
            return Ok(masks);
        }
    }
    let is_nameless = bound.keys().any(|at| content.deck.entries[*at].card.name.is_empty());
    let ids: Vec<CardId> = bound.values().copied().collect();
    let places = deck_pool::places(conn.get().await?, viewer, &ids).await?;
    let names = if is_nameless {
        deck_pool::names(conn.get().await?, viewer, &ids).await?
    } else {
        BTreeMap::new()
    };
    mask_bound(content, bound, &places, &names, &mut masks);
    Ok(masks)
}

/// Places and names of cards.
type SeenCards = (BTreeMap<CardId, SeenPlace>, BTreeMap<CardId, String>);

/// Places and names of open cards, according to the cards in memory. `None`: one of them is not there, or is hidden.
fn open_cards<'a>(
    app: &AppState,
    cards: impl IntoIterator<Item = &'a CardId>,
) -> Option<SeenCards> {
    let all = app.catalogue.cards()?;
    let mut seen = SeenCards::default();
    for id in cards {
        let card = all.open_card(id.0.as_u128())?;
        let (set, number) = (card.set().to_owned(), card.number().to_owned());
        seen.0.insert(*id, SeenPlace { set, number, hidden: false });
        seen.1.insert(*id, card.name.to_owned());
    }
    Some(seen)
}

/// Set and number of an entry that has a name.
fn place_beside_name(entry: &DeckEntry) -> Option<(&str, &str)> {
    let CardReference { name, set, number, .. } = &entry.card;
    set.as_deref().zip(number.as_deref()).filter(|_| !name.is_empty())
}

/// Writes the present places of cards that were moved or merged. Entries without a name have them anyway. A place that the card of the entry never had stays as it
/// was typed.
async fn follow_moves(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    content: &mut DeckContent,
    masks: &mut Masks,
) -> Result<(), Problem> {
    let has_place = |(entry, card): (&DeckEntry, Option<CardId>)| {
        card.is_some() && place_beside_name(entry).is_some()
    };
    if !content.bound_entries().any(has_place) {
        return Ok(());
    }
    let game = content.format.game().to_owned();
    let is_current = app.card_cache.clock().is_current();
    let all = app.catalogue.cards().filter(|_| is_current);
    // Most cards have the place of their entry, so most decks are read without a query.
    let may_have_left = |place: (&str, &str), card| {
        all.as_deref().is_none_or(|all| may_have_left(all, &game, place, card))
    };
    let mut moved = Vec::new();
    for (at, (entry, card)) in content.bound_entries().enumerate() {
        if let (Some(place), Some(card)) = (place_beside_name(entry), card)
            && may_have_left(place, card)
        {
            moved.push((at, card, place));
        }
    }
    if moved.is_empty() {
        return Ok(());
    }
    let written: Vec<(&str, &str)> = moved.iter().map(|(.., place)| *place).collect();
    let successors = deck_pool::successors_at(conn.get().await?, &game, &written).await?;
    let moved: Vec<(usize, CardId, CardId)> = moved
        .into_iter()
        .zip(successors)
        .filter_map(|((at, card, _), successor)| Some((at, card, successor?.card)))
        .collect();
    if moved.is_empty() {
        return Ok(());
    }
    let ids: Vec<CardId> = moved.iter().flat_map(|(_, card, heir)| [*card, *heir]).collect();
    // Places are public.
    let places = deck_pool::places(conn.get().await?, Viewer::stranger(), &ids).await?;
    for (at, card, successor) in moved {
        if let (Some(place), Some(present)) = (places.get(&card), places.get(&successor))
            && place == present
        {
            write_place(&mut content.deck.entries[at], place);
            masks.add_difference(&format!("{at} {} {}", place.set, place.number));
        }
    }
    Ok(())
}

fn write_place(entry: &mut DeckEntry, place: &SeenPlace) {
    entry.card.set = Some(place.set.clone());
    entry.card.number = Some(place.number.clone());
}

/// Writes zones and rarities by their codes.
async fn write_words_by_code(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    content: &mut DeckContent,
    masks: &mut Masks,
) -> Result<(), Problem> {
    let entries = &mut content.deck.entries;
    if !entries.is_empty()
        && let Ok(loaded) = app.named_game_on(conn, content.format.game()).await?
    {
        write_entries_by_code(&loaded.game, entries, masks);
    }
    Ok(())
}

/// Each word that changes is a difference: the revision is stored, but what its words mean depends on the manifest.
fn write_entries_by_code(game: &Game, entries: &mut [DeckEntry], masks: &mut Masks) {
    for (at, entry) in entries.iter_mut().enumerate() {
        let stored = (entry.zone.clone(), entry.card.rarity.clone());
        with_zone_codes(game, [&mut *entry]);
        with_codes(game, [&mut *entry]);
        let (zone, rarity) = (&entry.zone, &entry.card.rarity);
        if (zone, rarity) != (&stored.0, &stored.1) {
            masks.add_difference(&format!("{at} {zone} {rarity:?}"));
        }
    }
}

/// Masks a public deck for anonymous clients. `cards`: what anonymous clients may see of the cards that the entries are bound to.
pub(super) fn mask_for_everybody(content: &mut DeckContent, cards: &BoundCards) -> Masks {
    let mut masks = Masks::default();
    content.unread_lines.clear();
    let bound = content.bound_entries().enumerate();
    let bound: BTreeMap<usize, CardId> =
        bound.filter_map(|(at, (_, card))| Some((at, card?))).collect();
    for (at, card) in &bound {
        let entry = &mut content.deck.entries[*at];
        let present = place_beside_name(entry).and_then(|place| cards.moved_from(place));
        if let Some(place) = present.filter(|place| cards.places.get(card) == Some(*place)) {
            write_place(entry, place);
        }
    }
    mask_bound(content, bound, &cards.places, &cards.names, &mut masks);
    masks
}

/// Masks of a deck that is not stored. `unseen`: the cards at the places of entries that have no name and match no card that the reader may see. A deck that
/// is masked for its reader has such entries, and they can be sent back as they were read. Entries with a name are never masked here: nobody has bound them.
/// Masked entries get set and number as the card has them, like those of a stored deck, so that entries that write them differently are counted as one card.
pub(super) async fn mask_unsaved(
    conn: &mut StepConnection<'_>,
    viewer: Viewer,
    deck: &mut Deck,
    mut unseen: BTreeMap<usize, CardId>,
) -> Result<Masks, Problem> {
    let mut masks = Masks::default();
    if unseen.is_empty() {
        return Ok(masks);
    }
    let ids: Vec<CardId> = unseen.values().copied().collect();
    let places = deck_pool::places(conn.get().await?, viewer, &ids).await?;
    unseen.retain(|_, card| places.get(card).is_some_and(|place| place.hidden));
    for (at, card) in &unseen {
        if let Some((entry, place)) = deck.entries.get_mut(*at).zip(places.get(card)) {
            write_place(entry, place);
        }
        masks.add_difference(&format!("{at} {card}"));
    }
    masks.hidden = unseen;
    Ok(masks)
}

/// Masks the entries at these positions. `places` and `names` are those of the cards that the reader may see.
fn mask_bound(
    content: &mut DeckContent,
    bound: BTreeMap<usize, CardId>,
    places: &BTreeMap<CardId, SeenPlace>,
    names: &BTreeMap<CardId, String>,
    masks: &mut Masks,
) {
    for (at, card) in bound {
        let entry = &mut content.deck.entries[at];
        match places.get(&card) {
            Some(SeenPlace { hidden: false, set, number }) if entry.card.name.is_empty() => {
                if let Some(name) = names.get(&card) {
                    let CardReference { rarity, .. } = std::mem::take(&mut entry.card);
                    entry.card = CardReference {
                        name: name.clone(),
                        set: Some(set.clone()),
                        number: Some(number.clone()),
                        rarity,
                    };
                    masks.named.insert(at);
                    masks.add_difference(&format!("{at} {name} {set} {number}"));
                }
            }
            Some(SeenPlace { hidden: false, .. }) => {}
            found => {
                // The card is hidden, or was deleted; a deleted card may have been hidden. An entry of a deleted card that has only a place was bound by it; what
                // stands beside a name may be any text.
                let written = std::mem::take(&mut entry.card);
                let place = match found {
                    Some(place) => (Some(place.set.clone()), Some(place.number.clone())),
                    None if written.name.is_empty() => (written.set, written.number),
                    None => (None, None),
                };
                let (set, number) = place;
                entry.card = CardReference { name: String::new(), set, number, rarity: None };
                entry.copies.clear();
                masks.add_difference(&format!("{at} {:?} {:?}", entry.card.set, entry.card.number));
                masks.hidden.insert(at, card);
            }
        }
    }
}

/// Those of the cards that are not open.
pub(super) async fn hidden_cards(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    cards: &[Option<CardId>],
) -> Result<BTreeSet<CardId>, Problem> {
    if are_open(app, cards.iter().flatten()) {
        return Ok(BTreeSet::new());
    }
    let ids: BTreeSet<CardId> = cards.iter().flatten().copied().collect();
    let ids: Vec<CardId> = ids.into_iter().collect();
    let places = deck_pool::places(conn.get().await?, Viewer::stranger(), &ids).await?;
    let is_open = |card: &CardId| places.get(card).is_some_and(|place| !place.hidden);
    Ok(ids.into_iter().filter(|card| !is_open(card)).collect())
}

/// Whether all these cards are open, according to the cards in memory. `false`: a card is hidden, or the memory is not up to date.
pub(super) fn are_open<'a>(app: &AppState, cards: impl IntoIterator<Item = &'a CardId>) -> bool {
    if !app.card_cache.clock().is_current() {
        return false;
    }
    let Some(all) = app.catalogue.cards() else { return false };
    cards.into_iter().all(|card| all.is_hidden(card.0.as_u128()) == Some(false))
}
