//! The cards that decks are judged by: from the cache, or from the database when the cache is behind the change feed.
//!
//! The cache contains only open cards, prepared for the engine. They are shared, never copied, and dropped when an event of the feed names them. Hidden
//! cards that the caller holds are read from the database for each request, and only those whose names the request contains.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cardscape_engine::{
    AttributeValue, CardReference, Catalogue, Deck, DeckEntry, DeckMentions, Format, Game,
    KnownSets, PoolCard, PreparedCard, Resolution, SUGGESTED_NAMES_MAX, has_name_key, is_emoji,
    name_key, search_key,
};
use uuid::Uuid;

use crate::app::catalogue::card_search::{
    MAX_INLINE_TESTS, find_cards_index, find_ids_in_memory, find_in_database,
};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::auth::keys::KeyRing;
use crate::auth::permission::Viewer;
use crate::domain::decks::content::DeckContent;
use crate::domain::ids::CardId;
use crate::domain::network::Network;
use crate::memory::deck_cards::NameState;
use crate::search::index::{CardRecord, NamePlace, NameQuery, Snapshot};
use crate::search::{
    CardQuery, Comparison, KnownTest, Operator, Predicate, SortKey, Test, Unique, folded,
};
use crate::store::decks::deck_pool::{self, DeckPool, NEAR_NAMES, PlaceUse};

/// The viewer who sent the request, and the client's network.
pub(super) type Requester = (Viewer, Network);

/// The names of all open cards, for a viewer who sees these cards and perhaps some hidden ones.
pub(super) struct Names {
    all: Arc<Snapshot>,
}

/// Finds the mentioned cards and the cards that the boxes of `formats` need, as far as the viewer may see them. Also returns the names of open cards, if
/// they are in memory.
pub(super) async fn find(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    requester: Requester,
    game: &Game,
    formats: &[Arc<Format>],
    mentions: &DeckMentions,
) -> Result<(DeckPool, Option<Names>), Problem> {
    if mentions.are_names() {
        return find_named(app, conn, requester, game, formats, &names_of(mentions)).await;
    }
    let (viewer, _) = requester;
    let names = names_in_memory(app, viewer);
    let mut found = DeckPool::new(game);
    let sets = known_sets(app, conn, game).await?;
    found.part_of(Arc::clone(&sets));
    conn.give_back();
    add_mentioned(app, conn, requester, game, (mentions, &sets), names.as_ref(), &mut found)
        .await?;
    add_boxes(conn, viewer, formats, &mut found).await?;
    Ok((found, names))
}

/// Like [`find`], for cards that are mentioned only by names. Each of the names is there once.
pub(super) async fn find_named(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    (viewer, _): Requester,
    game: &Game,
    formats: &[Arc<Format>],
    mentioned: &[&str],
) -> Result<(DeckPool, Option<Names>), Problem> {
    let names = names_in_memory(app, viewer);
    let mut found = DeckPool::new(game);
    if let Some(sets) = cached_sets(app, game) {
        found.part_of(sets);
    }
    add_named(app, conn, viewer, game, mentioned, names.as_ref(), &mut found).await?;
    add_boxes(conn, viewer, formats, &mut found).await?;
    Ok((found, names))
}

fn names_of(mentions: &DeckMentions) -> Vec<&str> {
    mentions.names.iter().map(String::as_str).collect()
}

/// Finds the cards of the entries of a deck and those that the boxes of `formats` need, as far as the viewer may see them. Old places of cards lead to the cards.
pub(super) async fn find_of_deck(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    requester: Requester,
    game: &Game,
    formats: &[Arc<Format>],
    deck: &Deck,
) -> Result<(DeckPool, Catalogue), Problem> {
    let mentions = DeckMentions::of_deck(deck);
    let (mut found, names) = find(app, conn, requester, game, formats, &mentions).await?;
    let catalogue = found.catalogue();
    // Places without a name were looked up with the mentions.
    let is_elsewhere =
        |card: &CardReference| matches!(catalogue.find(card), Resolution::OtherPrinting(_));
    let named = deck.entries.iter().map(|entry| &entry.card).filter(|card| !card.name.is_empty());
    let places: BTreeSet<(&str, &str)> = named
        .filter_map(|card| Some((card.set.as_deref()?, card.number.as_deref()?, card)))
        .filter(|(_, _, card)| is_elsewhere(card))
        .map(|(set, number, _)| (set, number))
        .collect();
    let have_moved = add_moved(conn, requester.0, game, places, names.as_ref(), &mut found).await?;
    let catalogue = if have_moved { found.catalogue() } else { catalogue };
    Ok((found, catalogue))
}

/// The cards of the entries of a deck that the viewer may see. `bound`: the cards that the entries are bound to, in their order.
pub(super) async fn catalogue_of(
    app: &AppState,
    requester: Requester,
    game: &Game,
    deck: &Deck,
    bound: &[Option<CardId>],
) -> Result<Catalogue, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let (mut found, catalogue) = find_of_deck(app, &mut conn, requester, game, &[], deck).await?;
    let entries = deck.entries.iter().zip(bound.iter().copied());
    let are_renamed = add_renamed(&mut conn, requester.0, entries, &catalogue, &mut found).await?;
    Ok(if are_renamed { found.catalogue() } else { catalogue })
}

/// Most cards that are looked up because they may have been moved or renamed.
const CHANGED_MAX: usize = 500;

/// Adds the cards that had these places before they were moved or merged, as far as the viewer may see them, and notes which places lead to others: that a hidden card
/// left a place is public. Returns whether there are any. Most lists have only places that cards have now, for which nothing is looked up: with exactly these numbers,
/// or with short ones, without the zeros before them.
async fn add_moved(
    conn: &mut StepConnection<'_>,
    viewer: Viewer,
    game: &Game,
    places: BTreeSet<(&str, &str)>,
    names: Option<&Names>,
    found: &mut DeckPool,
) -> Result<bool, Problem> {
    let places: Vec<(Place<'_>, PlaceUse)> = match names {
        Some(names) => {
            let place_use = |place| (place, place_use(&names.all, game.code(), place));
            places.into_iter().map(place_use).collect()
        }
        None => read_place_uses(conn, game, places, found).await?,
    };
    let (places, uses): (Vec<(&str, &str)>, Vec<PlaceUse>) = places
        .into_iter()
        .filter(|((_, number), place_use)| place_use.may_be_old(number))
        .take(CHANGED_MAX)
        .unzip();
    if places.is_empty() {
        return Ok(false);
    }
    let successors = deck_pool::successors_at(conn.get().await?, game.code(), &places).await?;
    let successors: Vec<Option<CardId>> =
        uses.into_iter().zip(successors).map(|(place_use, old)| place_use.successor(old)).collect();
    let ids: BTreeSet<CardId> = successors.iter().flatten().copied().collect();
    let ids: Vec<CardId> = ids.into_iter().collect();
    let cards = deck_pool::by_ids(conn.get().await?, viewer, game, &ids).await?;
    let old_places = places.into_iter().zip(successors);
    for (place, successor) in old_places.filter_map(|(place, old)| Some((place, old?))) {
        match cards.iter().find(|(id, _)| *id == successor) {
            Some((id, card)) => found.add_moved(place, *id, Arc::clone(card)),
            None => found.add_unseen(place),
        }
    }
    Ok(!ids.is_empty())
}

/// Set and number, as a deck has them.
type Place<'a> = (&'a str, &'a str);

/// Which of these places cards have now, from the database; those that cards of the pool have with exactly these numbers are left out.
async fn read_place_uses<'p>(
    conn: &mut StepConnection<'_>,
    game: &Game,
    places: BTreeSet<Place<'p>>,
    found: &DeckPool,
) -> Result<Vec<(Place<'p>, PlaceUse)>, Problem> {
    let in_pool = found.places();
    let others = places.into_iter().filter(|place| !in_pool.contain(*place)).take(CHANGED_MAX);
    let others: Vec<Place<'p>> = others.collect();
    if others.is_empty() {
        return Ok(Vec::new());
    }
    let uses = deck_pool::place_uses(conn.get().await?, game.code(), &others).await?;
    Ok(others.into_iter().zip(uses).collect())
}

/// Whether a card of a game, hidden or not, has this place.
fn place_use(all: &Snapshot, game: &str, (set, number): (&str, &str)) -> PlaceUse {
    let set = set.trim().to_ascii_lowercase();
    if all.at(game, &set, number.trim()).is_some() {
        PlaceUse::Exact
    } else if deck_pool::spellings(number).any(|number| all.at(game, &set, &number).is_some()) {
        PlaceUse::Alike
    } else {
        PlaceUse::Free
    }
}

/// Whether an entry that is bound to a card may have an old place of this card: no card has exactly this place, and the card does not have it in another spelling.
pub(super) fn may_have_left(
    all: &Snapshot,
    game: &str,
    (set, number): (&str, &str),
    card: CardId,
) -> bool {
    let set = set.trim().to_ascii_lowercase();
    let is_at = |number: &str| all.at(game, &set, number) == Some(card.0.as_u128());
    all.at(game, &set, number.trim()).is_none()
        && !deck_pool::spellings(number).any(|number| is_at(&number))
}

/// Adds the cards that these entries are bound to and that no card has as its name any more, because the cards were renamed, as far as the viewer may see them.
/// Returns whether there are any. The entries mean these cards, as if they had their present names: renaming a card must not break a stored deck.
pub(super) async fn add_renamed<'a>(
    conn: &mut StepConnection<'_>,
    viewer: Viewer,
    entries: impl Iterator<Item = (&'a DeckEntry, Option<CardId>)>,
    catalogue: &Catalogue,
    found: &mut DeckPool,
) -> Result<bool, Problem> {
    let renamed = renamed(entries, catalogue).take(CHANGED_MAX);
    let renamed: Vec<(&CardReference, CardId)> = renamed.collect();
    if renamed.is_empty() {
        return Ok(false);
    }
    let ids: BTreeSet<CardId> = renamed.iter().map(|(_, card)| *card).collect();
    let ids: Vec<CardId> = ids.into_iter().collect();
    let game = catalogue.game();
    let cards = deck_pool::present_cards(conn.get().await?, viewer, game, &ids).await?;
    for (reference, card) in renamed {
        if let Some((id, card)) = cards.get(&card) {
            found.add_meaning(reference.clone(), *id, Arc::clone(card));
        }
    }
    Ok(!cards.is_empty())
}

/// The references of entries whose cards may have been renamed, with the cards that they are bound to.
fn renamed<'a>(
    entries: impl Iterator<Item = (&'a DeckEntry, Option<CardId>)>,
    catalogue: &Catalogue,
) -> impl Iterator<Item = (&'a CardReference, CardId)> {
    let bound = entries.filter_map(|(entry, card)| Some((&entry.card, card?)));
    bound.filter(move |(reference, card)| may_be_renamed(reference, *card, catalogue))
}

/// Whether the card that an entry with this reference is bound to may have been renamed.
fn may_be_renamed(reference: &CardReference, card: CardId, catalogue: &Catalogue) -> bool {
    // Also if it is another card with this name than the first one.
    let has_name = |name: &str| {
        let (id, name) = (card.to_string(), name_key(name));
        catalogue.iter().any(|card| card.key == id && has_name_key(&card.definition.name, &name))
    };
    if reference.name.is_empty() {
        return false;
    }
    match catalogue.find(reference) {
        Resolution::Card(_) => false,
        // Another card may have the name now; then the place shows which one is meant.
        Resolution::OtherPrinting(other) => {
            reference.set.is_some()
                && reference.number.is_some()
                && other.key != card.to_string()
                && !has_name(&reference.name)
        }
        _ => true,
    }
}

/// The cards that the viewer may see whose names are a name of the deck and what follows it in our own text, such as a rarity: a text that is written with them has
/// the shorter name in quotes there. Also those with a name of the deck that would be in quotes if no card had it. If there are no such
/// names, nothing is looked up.
pub(super) async fn find_longer_names(
    app: &AppState,
    viewer: Viewer,
    game: &Game,
    deck: &Deck,
) -> Result<Catalogue, Problem> {
    let mentions = DeckMentions::of_own_text(deck);
    let mut found = DeckPool::new(game);
    if !mentions.names.is_empty() {
        let mut conn = StepConnection::new(&app.store);
        let (names, in_memory) = (names_of(&mentions), names_in_memory(app, viewer));
        add_named(app, &mut conn, viewer, game, &names, in_memory.as_ref(), &mut found).await?;
    }
    Ok(found.catalogue())
}

/// The cards that the viewer may see and that are not in the catalogue, whose numbers differ only in case or leading zeros from those of cards in it. There are
/// hardly ever any. A share code must tell them apart.
pub(super) async fn find_numbers_alike(
    app: &AppState,
    viewer: Viewer,
    catalogue: &Catalogue,
) -> Result<Vec<Arc<PreparedCard>>, Problem> {
    let game = catalogue.game();
    let place = |card: &PoolCard| (card.set.clone(), card.definition.number.clone());
    let places: Vec<(String, String)> = catalogue.iter().map(place).collect();
    let mut conn = StepConnection::new(&app.store);
    let mut ids: BTreeSet<CardId> = match app.catalogue.cards() {
        Some(all) => {
            let spelled = places.iter().flat_map(|(set, number)| {
                let numbers: BTreeSet<String> = deck_pool::spellings(number).collect();
                numbers.into_iter().map(move |number| (set, number))
            });
            let found = spelled.filter_map(|(set, number)| all.at(game.code(), set, &number));
            found.map(|id| CardId(Uuid::from_u128(id))).collect()
        }
        None if places.is_empty() => BTreeSet::new(),
        None => {
            let places: Vec<(&str, &str)> =
                places.iter().map(|(set, number)| (set.as_str(), number.as_str())).collect();
            let alike = deck_pool::ids_alike(conn.get().await?, game.code(), &places).await?;
            alike.into_iter().collect()
        }
    };
    for id in catalogue.iter().filter_map(|card| card.key.parse().ok()) {
        ids.remove(&CardId(id));
    }
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<CardId> = ids.into_iter().collect();
    let read = deck_pool::by_ids(conn.get().await?, viewer, game, &ids).await?;
    Ok(read.into_iter().map(|(_, card)| card).collect())
}

/// The cards that the viewer may see and that are not in the catalogue, but have the external id of a card in it. Most of them are reprints; cards of other names
/// should not share an id. A list of ids must tell them apart, but if a search is refused, the list is written without it.
pub(super) async fn find_sharing_ids(
    app: &AppState,
    requester: Requester,
    catalogue: &Catalogue,
) -> Result<Vec<Arc<PreparedCard>>, Problem> {
    let (viewer, _) = requester;
    let game = catalogue.game();
    let external_ids: Vec<u64> = catalogue.external_ids().into_iter().collect();
    let searches = with_external_ids(game, &external_ids);
    let mut found: BTreeSet<CardId> =
        find_each(app, requester, searches).await.into_iter().collect();
    for id in catalogue.iter().filter_map(|card| card.key.parse().ok()) {
        found.remove(&CardId(id));
    }
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let found: Vec<CardId> = found.into_iter().collect();
    let mut conn = StepConnection::new(&app.store);
    let read = deck_pool::by_ids(conn.get().await?, viewer, game, &found).await?;
    Ok(read.into_iter().map(|(_, card)| card).collect())
}

/// Adds the cards that the boxes of `formats` need, as far as `viewer` may see them. Returns whether there are boxes.
pub(super) async fn add_boxes(
    conn: &mut StepConnection<'_>,
    viewer: Viewer,
    formats: &[Arc<Format>],
    found: &mut DeckPool,
) -> Result<bool, Problem> {
    let have_boxes = deck_pool::have_boxes(formats);
    if have_boxes {
        deck_pool::add_boxes(conn.get().await?, viewer, formats, found).await?;
    }
    Ok(have_boxes)
}

/// The names of open cards; `None`: they are not in memory, or the viewer sees all cards.
fn names_in_memory(app: &AppState, viewer: Viewer) -> Option<Names> {
    let all = app.catalogue.cards().filter(|_| !viewer.sees_all())?;
    Some(Names { all })
}

/// The sets of a game, from the cache if possible. It is no secret that a set has cards, even if all of them are hidden.
pub(super) async fn known_sets(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    game: &Game,
) -> Result<Arc<KnownSets>, Problem> {
    if let Some(sets) = cached_sets(app, game) {
        return Ok(sets);
    }
    let kept = &app.deck_cards.sets;
    let ticket = kept.ticket();
    let sets = Arc::new(deck_pool::known_sets(conn.get().await?, game.code()).await?);
    kept.insert(ticket, game.code().to_owned(), Arc::clone(&sets));
    Ok(sets)
}

/// The sets of a game, if they are cached.
pub(super) fn cached_sets(app: &AppState, game: &Game) -> Option<Arc<KnownSets>> {
    let is_current = app.card_cache.clock().is_current();
    is_current.then(|| app.deck_cards.sets.find(game.code())).flatten()
}

/// Entries of a deck, each with the card that it is bound to.
#[derive(Default)]
pub(super) struct BoundEntries {
    pub deck: Deck,
    /// In the order of the entries.
    pub cards: Vec<Option<CardId>>,
}

impl BoundEntries {
    pub(super) fn push(&mut self, entry: DeckEntry, card: Option<CardId>) {
        self.deck.entries.push(entry);
        self.cards.push(card);
    }

    fn iter(&self) -> impl Iterator<Item = (&DeckEntry, Option<CardId>)> {
        self.deck.entries.iter().zip(self.cards.iter().copied())
    }
}

/// A deck whose entries have the present names of the cards that they are bound to, if these were renamed, and whole names in place of those in two parts: which
/// copies a player has is found by the names of cards.
pub(super) async fn with_present_names(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    requester: Requester,
    game: &Game,
    content: &DeckContent,
) -> Result<Deck, Problem> {
    let mut entries = BoundEntries::default();
    for (entry, card) in content.bound_entries() {
        entries.push(entry.clone(), card);
    }
    rename_entries(app, conn, requester, game, std::slice::from_mut(&mut entries)).await?;
    Ok(entries.deck)
}

/// Writes the present names of cards in the entries of decks of one game, as in [`with_present_names`]. The cards of all decks are looked up together.
pub(super) async fn rename_entries(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    requester: Requester,
    game: &Game,
    decks: &mut [BoundEntries],
) -> Result<(), Problem> {
    let names = names_in_memory(app, requester.0);
    let is_unclear = |(entry, card): (&DeckEntry, Option<CardId>)| {
        let card = card.filter(|_| !entry.card.name.is_empty());
        let is_clear =
            |card| names.as_ref().is_some_and(|names| names.mean(game, &entry.card, card));
        card.is_some_and(|card| !is_clear(card))
    };
    let mut looked_up = Deck::default();
    let mut changed = Vec::new();
    for deck in decks.iter_mut().filter(|deck| deck.iter().any(is_unclear)) {
        looked_up.entries.extend(deck.deck.entries.iter().cloned());
        changed.push(deck);
    }
    if changed.is_empty() {
        return Ok(());
    }
    let (_, catalogue) = find_of_deck(app, conn, requester, game, &[], &looked_up).await?;
    let mut renamed: Vec<(&mut CardReference, CardId)> = Vec::new();
    for BoundEntries { deck, cards } in changed {
        for (entry, card) in deck.entries.iter_mut().zip(cards) {
            match card.filter(|card| may_be_renamed(&entry.card, *card, &catalogue)) {
                Some(card) => renamed.push((&mut entry.card, card)),
                None => write_name_of_meant(&mut entry.card, &catalogue),
            }
        }
    }
    let ids: BTreeSet<CardId> = renamed.iter().map(|(_, card)| *card).collect();
    let ids: Vec<CardId> = ids.into_iter().take(CHANGED_MAX).collect();
    if !ids.is_empty() {
        let viewer = requester.0;
        let cards = deck_pool::present_cards(conn.get().await?, viewer, game, &ids).await?;
        // Decks may mean different cards by the same old name.
        for (reference, card) in renamed {
            if let Some((_, card)) = cards.get(&card) {
                write_present_name(reference, &card.card().definition.name);
            }
        }
    }
    Ok(())
}

/// Writes the names that cards have now in entries that mean these cards by other names.
pub(super) fn write_present_names(deck: &mut Deck, catalogue: &Catalogue) {
    for entry in &mut deck.entries {
        write_name_of_meant(&mut entry.card, catalogue);
    }
}

/// Writes the name of the card that a reference means by another name.
fn write_name_of_meant(reference: &mut CardReference, catalogue: &Catalogue) {
    if let Resolution::Card(card) | Resolution::OtherPrinting(card) = catalogue.find(reference) {
        write_present_name(reference, &card.definition.name);
    }
}

/// Writes the name that a card has now in a reference that means this card, unless the name is the same.
fn write_present_name(reference: &mut CardReference, present: &str) {
    let CardReference { name, set, .. } = &*reference;
    let key = name_key(present);
    if name.is_empty() || name_key(name) == key {
        return;
    }
    // "Fox (Winter)" may be a name as a whole; then the set is a part of it.
    if set.as_ref().is_some_and(|set| name_key(&format!("{name} ({set})")) == key) {
        reference.set = None;
    }
    present.clone_into(&mut reference.name);
}

/// Adds the cards with these names that `viewer` may see.
async fn add_named(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    viewer: Viewer,
    game: &Game,
    mentioned: &[&str],
    names: Option<&Names>,
    found: &mut DeckPool,
) -> Result<(), Problem> {
    let Some(names) = names else {
        return Ok(deck_pool::add_named(conn.get().await?, viewer, mentioned, found).await?);
    };
    let cache = &app.deck_cards;
    let state = names.state(app);
    let mentioned = mentioned.iter().copied();
    // In a game with unique names, a hidden card never has the name of an open card, so that nothing else is looked up for the names of these cards.
    let are_found_at_once = game.unique_names() && app.card_cache.clock().is_current();
    let (spelled, others) = if are_found_at_once {
        cache.spelled.find(state, game, mentioned)
    } else {
        (Vec::new(), mentioned.collect())
    };
    cache.hits.increment(u64::try_from(spelled.len()).unwrap_or_default());
    found.extend(spelled);
    if others.is_empty() {
        return Ok(());
    }
    let keys = each_once(others.into_iter().map(NameKeys::of).collect());
    names.add(app, conn, viewer, game, (&keys, state), found).await
}

/// Adds the cards that are mentioned by name, number, external id or symbol, as far as the viewer may see them. `conn` must not hold a connection,
/// because the searches wait for connections of their own.
pub(super) async fn add_mentioned(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    requester: Requester,
    game: &Game,
    (mentions, sets): (&DeckMentions, &KnownSets),
    names: Option<&Names>,
    found: &mut DeckPool,
) -> Result<(), Problem> {
    let (viewer, _) = requester;
    let ids = find_each(app, requester, mentioned_cards(game, mentions, sets)).await;
    if !ids.is_empty() {
        let read = deck_pool::by_ids(conn.get().await?, viewer, game, &ids).await?;
        found.extend(read.into_iter().map(|(_, card)| card));
    }
    let of_known_set =
        |(set, number): &(String, String)| Some((sets.find(set)?, number.trim().to_owned()));
    let places: Vec<_> =
        mentions.numbered.iter().filter_map(of_known_set).take(MENTIONED_MAX).collect();
    let places = places.iter().map(|(set, number)| (set.code.as_str(), number.as_str()));
    add_moved(conn, viewer, game, places.collect(), names, found).await?;
    add_named(app, conn, viewer, game, &names_of(mentions), names, found).await
}

/// A query, and the most cards that it returns.
type Search = (CardQuery, usize);

/// The cards that these searches find, one search after the other. The cards of a search that fails count as unknown.
async fn find_each(app: &AppState, requester: Requester, searches: Vec<Search>) -> Vec<CardId> {
    let mut ids = Vec::new();
    for search in searches {
        match find_ids(app, requester, &search).await {
            Ok(found) => ids.extend(found),
            Err(problem) => {
                tracing::debug!(code = ?problem.code(), "cards of a list are not looked up");
            }
        }
    }
    ids
}

async fn find_ids(
    app: &AppState,
    (viewer, network): Requester,
    (query, most): &Search,
) -> Result<Vec<CardId>, Problem> {
    if let Some(ids) = find_ids_in_memory(app, network, viewer, query, *most).await? {
        return Ok(ids);
    }
    let views = find_in_database(app, network, viewer, query, *most).await?;
    Ok(views.iter().map(|view| view.place().id).collect())
}

/// Most mentions of one kind (other than names) that are looked up, and most cards that one query for numbers or symbols returns.
const MENTIONED_MAX: usize = 500;
/// Most cards that one query for external ids returns: many reprints may share an id.
const WITH_IDS_MAX: usize = 6_000;
/// Most symbols that are looked up: each is compared with the texts of many cards.
const SYMBOLS_MAX: usize = 60;

/// The searches for cards that are mentioned by number, external id or symbol.
fn mentioned_cards(game: &Game, mentions: &DeckMentions, sets: &KnownSets) -> Vec<Search> {
    let mut parts = Vec::new();
    // Mentions that can match no card are left out first: they must not take the place of others.
    let in_known_sets = mentions.numbered.iter();
    let in_known_sets =
        in_known_sets.filter_map(|(set, number)| Some((sets.find(set)?, number.trim())));
    for (known, number) in in_known_sets.take(MENTIONED_MAX) {
        let numbered = Predicate::known(KnownTest::number(number));
        let in_set = Predicate::known(KnownTest::Set(known.code.clone()));
        parts.push(Predicate::All(vec![in_set, numbered]));
    }
    let ids: Vec<u64> = mentions.external_ids.iter().copied().take(MENTIONED_MAX).collect();
    let of_ids = with_external_ids(game, &ids);
    let texts: BTreeSet<&str> = game
        .kinds()
        .iter()
        .flat_map(|kind| &kind.attributes)
        .filter(|(_, attribute)| matches!(attribute.value, AttributeValue::Text { .. }))
        .map(|(code, _)| &**code)
        .collect();
    let in_a_text = |folded: &str| -> Vec<Predicate> {
        texts.iter().map(|attribute| Predicate::content(text_is(attribute, folded))).collect()
    };
    let symbols = mentions.symbols.iter().map(|symbol| folded(symbol));
    for symbol in symbols.filter(|symbol| !symbol.is_empty()).take(SYMBOLS_MAX) {
        parts.extend(in_a_text(&symbol));
    }
    // Some emoji, such as `™️`, have no word. All texts without words are then found, and the reader compares their symbols. They have a query of their own,
    // because there may be many: they must not take the place of others.
    let is_wordless = |symbol: &String| is_emoji(symbol) && folded(symbol).is_empty();
    let wordless =
        if mentions.symbols.iter().any(is_wordless) { in_a_text("") } else { Vec::new() };
    let groups = in_small_groups(parts).into_iter().chain(in_small_groups(wordless));
    groups.map(|parts| (query_of(game, parts), MENTIONED_MAX)).chain(of_ids).collect()
}

/// The query for the cards of a game to which one of these conditions applies.
fn query_of(game: &Game, parts: Vec<Predicate>) -> CardQuery {
    let of_game = Predicate::known(KnownTest::Game(game.code().to_owned()));
    CardQuery {
        predicate: Predicate::All(vec![of_game, Predicate::Any(parts)]),
        sort: SortKey::Place,
        descending: false,
        unique: Unique::Cards,
    }
}

/// Most digits of an id that is looked up with zeros before it, where ids are texts.
const ID_DIGITS: usize = 10;

/// The searches for the cards with these external ids; none, if the game declares no such ids.
fn with_external_ids(game: &Game, ids: &[u64]) -> Vec<Search> {
    let Some(attribute) = game.external_id() else { return Vec::new() };
    let parts = ids.iter().flat_map(|id| has_external_id(game, attribute, *id));
    let groups = in_small_groups(parts.collect()).into_iter();
    groups.map(|parts| (query_of(game, parts), WITH_IDS_MAX)).collect()
}

/// The conditions of which one applies to each card with an external id. The attribute is a number in some kinds of cards, a text in others, or both.
fn has_external_id(game: &Game, attribute: &str, id: u64) -> Vec<Predicate> {
    let values = || game.kinds().iter().filter_map(|kind| kind.attributes.get(attribute));
    let is_number = values().any(|own| matches!(own.value, AttributeValue::Integer { .. }));
    let is_text = values().any(|own| matches!(own.value, AttributeValue::Text { .. }));
    let number = i64::try_from(id).ok().filter(|_| is_number).map(|id| Test::Number {
        sum: vec![attribute.to_owned()],
        per_printing: false,
        compared: Comparison::Is(Operator::Equal, id),
    });
    let widths = (1..=ID_DIGITS).filter(|_| is_text);
    let spellings: BTreeSet<String> =
        widths.map(|width| folded(&format!("{id:0>width$}"))).collect();
    let texts = spellings.iter().map(|text| text_is(attribute, text));
    number.into_iter().chain(texts).map(Predicate::content).collect()
}

/// The test that a text of a card itself is this folded text. Decks name cards by what the cards have, not by what only a printing has.
fn text_is(attribute: &str, folded: &str) -> Test {
    Test::TextIs { attribute: attribute.to_owned(), per_printing: false, folded: folded.to_owned() }
}

/// Divides conditions so that the query of each group runs in memory at once, without waiting for the network's turn, unless its tests are costly (texts).
fn in_small_groups(parts: Vec<Predicate>) -> Vec<Vec<Predicate>> {
    // The query has another condition for the game.
    const MOST: usize = MAX_INLINE_TESTS - 1;
    let (mut groups, mut size) = (Vec::new(), MOST);
    for part in parts {
        size += part.size();
        if size > MOST {
            groups.push(Vec::new());
            size = part.size();
        }
        if let Some(group) = groups.last_mut() {
            group.push(part);
        }
    }
    groups
}

struct NameKeys {
    /// Its [`name_key`].
    name: String,
    /// Its [`search_key`], if it is another: that of a name with accents.
    search: Option<String>,
}

impl NameKeys {
    fn of(name: &str) -> Self {
        let key = name_key(name);
        let search = (!key.is_ascii()).then(|| search_key(name));
        Self { name: key, search }
    }
}

/// Sorts the keys of names, and leaves out those that are there more than once.
fn each_once(mut keys: Vec<NameKeys>) -> Vec<NameKeys> {
    keys.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    keys.dedup_by(|one, other| one.name == other.name);
    keys
}

impl Names {
    /// The state in which names are looked up. Its ticket is taken before that: cards that change afterwards are not cached.
    fn state(&self, app: &AppState) -> NameState<'_> {
        NameState { cards: &self.all, ticket: app.deck_cards.cards.ticket() }
    }

    /// Whether the name of a reference shows which card it means: an open card is called exactly so. If the reference has set and number, too, that card must be the
    /// one that it is bound to: this card may have been renamed, and another one may have its old name.
    fn mean(&self, game: &Game, reference: &CardReference, bound: CardId) -> bool {
        let CardReference { name, set, number, .. } = reference;
        let has_place = set.is_some() && number.is_some();
        let key = name_key(name);
        let mut alike = self.all.open_with_name(game.code(), &search_key(name)).into_iter();
        alike.any(|card| {
            has_name_key(card.name, &key) && (!has_place || card.id == bound.0.as_u128())
        })
    }

    /// Adds the cards with these names, each of which is there once. Hidden cards that the viewer holds are looked up by these names only: the
    /// viewer may hold hundreds of hidden cards, and reading all of them takes longer than storing a deck.
    async fn add(
        &self,
        app: &AppState,
        conn: &mut StepConnection<'_>,
        viewer: Viewer,
        game: &Game,
        (keys, state): (&[NameKeys], NameState<'_>),
        found: &mut DeckPool,
    ) -> Result<(), Problem> {
        let is_current = app.card_cache.clock().is_current();
        let cache = &app.deck_cards;
        let (mut open, mut closed) = (Vec::new(), Vec::new());
        let (mut hits, mut alone) = (0, Vec::new());
        for NameKeys { name, search } in keys {
            let key = search.as_deref().unwrap_or(name);
            let (mut same, mut cached) = (0, None);
            // Cards whose names differ in accents: only if no card has the name as it is written.
            let mut alike = Vec::new();
            for card in self.all.open_with_name(game.code(), key) {
                let id = CardId(Uuid::from_u128(card.id));
                if !has_name_key(card.name, name) {
                    alike.push(id);
                    continue;
                }
                same += 1;
                if let Some(card) = is_current.then(|| cache.find(game, id)).flatten() {
                    hits += 1;
                    cached = Some(Arc::clone(&card));
                    found.extend([card]);
                } else {
                    open.push(id);
                }
            }
            if same == 0 {
                for id in alike {
                    match is_current.then(|| cache.find(game, id)).flatten() {
                        Some(card) => {
                            hits += 1;
                            found.extend([card]);
                        }
                        None => open.push(id),
                    }
                }
            }
            // In a game with unique names, a hidden card never has the name of an open card.
            if same == 0 || !game.unique_names() {
                closed.push(name.as_str());
            }
            alone.extend(cached.filter(|_| same == 1));
        }
        // In other games they are never looked for.
        if game.unique_names() {
            cache.spelled.insert(state, &alone);
        }
        cache.hits.increment(hits);
        cache.misses.increment(u64::try_from(open.len()).unwrap_or_default());
        if !open.is_empty() {
            let read = deck_pool::by_ids(conn.get().await?, Viewer::stranger(), game, &open);
            for (id, card) in read.await? {
                cache.cards.insert(state.ticket, id, card.clone());
                found.extend([card]);
            }
        }
        let Some(account) = viewer.holder() else { return Ok(()) };
        let decoys = self.decoys(&app.keys, game, &closed);
        if !decoys.is_empty() {
            let conn = conn.get().await?;
            deck_pool::add_held_hidden(conn, account, &closed, &decoys, found).await?;
        }
        Ok(())
    }

    /// A decoy for each name: a hidden card that is read whether or not a hidden card has the name, so that the time reveals nothing. A name always gets the
    /// same decoy, as a right guess always tests the same card. Empty: no card is hidden.
    fn decoys(&self, keys: &KeyRing, game: &Game, names: &[&str]) -> Vec<CardId> {
        if self.all.hidden() == 0 {
            return Vec::new();
        }
        let drawn: Vec<u64> = names
            .iter()
            .map(|name| {
                let hash = keys.lookup("decoy", &[game.code().as_bytes(), name.as_bytes()]);
                hash.iter().take(8).fold(0, |drawn, byte| drawn << 8 | u64::from(*byte))
            })
            .collect();
        let cards = self.all.hidden_cards(&drawn);
        cards.into_iter().map(|card| CardId(Uuid::from_u128(card))).collect()
    }
}

/// Adds the cards whose names are similar to these unknown names, as far as the viewer may see them. Returns how many names were not searched, because
/// there are too many, the time is over, or the queue is full; the report is correct without them. The search may wait in the queue, so the caller must
/// not hold a connection.
pub(super) async fn add_near(
    app: &AppState,
    (viewer, network): Requester,
    game: &Game,
    unknown: &BTreeSet<String>,
    found: &mut DeckPool,
) -> usize {
    let time_limit = app.settings.suggestion_time;
    let (all, view) = match find_cards_index(app, viewer).await {
        Ok(Some(seen)) => seen,
        Ok(None) => {
            let searches = (&app.searches, network);
            return deck_pool::add_near(searches, viewer, unknown, found, time_limit).await;
        }
        Err(problem) => {
            tracing::debug!(code = ?problem.code(), "suggestions are left out");
            return unknown.len();
        }
    };
    let typed: Vec<String> = unknown.iter().take(SUGGESTED_NAMES_MAX).cloned().collect();
    let code = game.code().to_owned();
    // Many names may take long, so they are not searched on a thread that answers requests.
    let looked = app.near_names.run(move || {
        let (near, looked_up) = near_names((&all, &view), &code, &typed, time_limit);
        (Names { all }, near, looked_up)
    });
    let Ok((names, near, looked_up)) = looked.await else {
        tracing::debug!("suggestions are left out: too many requests search for similar names");
        return unknown.len();
    };
    let mut conn = StepConnection::new(&app.store);
    let (near, state) = (each_once(near), names.state(app));
    if let Err(error) = names.add(app, &mut conn, viewer, game, (&near, state), found).await {
        tracing::debug!(?error, "suggestions are left out");
        return unknown.len();
    }
    unknown.len() - looked_up
}

/// Names that are similar to the typed ones, and how many typed names were searched within the time limit.
fn near_names(
    (all, view): (&Snapshot, &[CardRecord]),
    game: &str,
    typed: &[String],
    time_limit: Duration,
) -> (Vec<NameKeys>, usize) {
    let started = Instant::now();
    let place = NamePlace { game: Some(game), set: None };
    let mut near = Vec::new();
    let mut looked_up = 0;
    for name in typed {
        if started.elapsed() > time_limit {
            break;
        }
        let query = NameQuery { search_key: search_key(name), words: Vec::new(), near: true };
        let cards = all.named(place, &query, view);
        near.extend(cards.iter().take(NEAR_NAMES).map(|card| NameKeys::of(&card.name)));
        looked_up += 1;
    }
    (near, looked_up)
}

#[cfg(test)]
mod tests {
    use cardscape_engine::KnownSet;

    use super::*;

    #[test]
    fn ids_are_looked_up_in_few_small_queries() {
        // A kind of cards for each type of ids.
        let game = |id_types: &[&str]| {
            let kind = |id_type: &&str| {
                format!(
                    "[[kinds]]\ncode='{id_type}'\nname='{id_type}'\nattributes.tag={{ type='{id_type}' }}\n"
                )
            };
            let kinds: Vec<String> = id_types.iter().map(kind).collect();
            let manifest = format!(
                "code='pond'\nname='Pond'\nrules_version='1'\n[cards]\nexternal_id='tag'\n{}",
                kinds.concat()
            );
            Game::from_toml(&manifest).unwrap()
        };
        // Three digits: a text has eight spellings.
        let ids: Vec<u64> = (100..600).collect();
        for (id_types, tests) in
            [(&["integer"][..], 1), (&["text"][..], 8), (&["integer", "text"][..], 9)]
        {
            let searches = with_external_ids(&game(id_types), &ids);
            let sizes: Vec<usize> =
                searches.iter().map(|(query, _)| query.predicate.size()).collect();
            assert!(sizes.iter().all(|size| *size <= MAX_INLINE_TESTS), "{id_types:?}: {sizes:?}");
            // Each query has another condition for the game.
            let all = ids.len() * tests;
            assert_eq!(sizes.iter().sum::<usize>(), all + sizes.len(), "{id_types:?}");
            assert_eq!(sizes.len(), all.div_ceil(MAX_INLINE_TESTS - 1), "{id_types:?}");
        }
        let texts = has_external_id(&game(&["text"]), "tag", 1_002);
        assert!(texts.contains(&Predicate::content(text_is("tag", &folded("01002")))));
    }

    #[test]
    fn mentions_of_unknown_sets_take_no_place_of_others() {
        let manifest =
            "code='pond'\nname='Pond'\nrules_version='1'\n[[kinds]]\ncode='fish'\nname='Fish'";
        let game = Game::from_toml(manifest).unwrap();
        let shore = KnownSet { code: "shore".into(), name: "The Shore".into(), has_cards: true };
        let sets = KnownSets::new([shore]);
        let mut mentions = DeckMentions::default();
        for number in 0..MENTIONED_MAX {
            mentions.numbered.insert(("nowhere".to_owned(), number.to_string()));
        }
        assert!(mentioned_cards(&game, &mentions, &sets).is_empty());
        mentions.numbered.insert(("shore".to_owned(), "1".to_owned()));
        assert_eq!(mentioned_cards(&game, &mentions, &sets).len(), 1);
    }
}
