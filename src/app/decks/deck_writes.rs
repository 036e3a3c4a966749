//! Writing decks: creating and replacing them.

use std::collections::{BTreeMap, BTreeSet};

use cardscape_engine::{CardReference, DeckEntry};

use super::deck_cards::Requester;
use super::deck_lists::see;
use super::deck_requests::{DeckRequest, ParsedDeck, parse};
use super::deck_responses::{DeckResponse, VersionedDeck};
use super::deck_search;
use super::list_reading::ListReadingResponse;
use super::masks::{Masks, mask};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::app::versions::{IfMatch, Version};
use crate::auth::permission::{Granted, Viewer, WriteOwnDecks};
use crate::domain::decks::content::{DeckContent, NameAndPlace, name_and_place};
use crate::domain::decks::named_copies::take_over_copies;
use crate::domain::ids::{AccountId, CardId, DeckId};
use crate::store::decks::deck_lists;
use crate::store::decks::deck_records::{DeckChanges, DeckRow, StoredDeck};
use crate::store::decks::deck_writes::{self, DeckCreated, Edited};
use crate::store::operations::idempotency::{self, IdempotencyClaim};

/// Stores a deck, whether it is legal or not.
pub async fn create(
    app: &AppState,
    by: &Granted<WriteOwnDecks>,
    requester: Requester,
    request: DeckRequest,
    key: Option<&IdempotencyClaim>,
) -> Result<VersionedDeck, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let parsed = match parse(app, &mut conn, requester, request).await {
        Ok(parsed) => parsed,
        // A repeated request gets the deck of the first one, whatever happened to its format and its cards since.
        Err(problem) => {
            // Perhaps the connection is the cause.
            conn.give_back();
            let answered = find_answered(app, &mut conn, by, requester.0, key).await?;
            return answered.ok_or(problem);
        }
    };
    let changes = parsed.changes(app.clock.now());
    let created = store_new(app, &mut conn, by, requester.0, &changes, key).await?;
    Ok(with_reading(created, parsed.reading))
}

fn with_reading(versioned: VersionedDeck, reading: Option<ListReadingResponse>) -> VersionedDeck {
    let deck = DeckResponse { reading, ..versioned.deck };
    VersionedDeck { deck, ..versioned }
}

/// The deck that an earlier request with this key created, as it is now; `None`: there was no such request. 410 if the deck was deleted since.
pub(super) async fn find_answered(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    by: &Granted<WriteOwnDecks>,
    viewer: Viewer,
    key: Option<&IdempotencyClaim>,
) -> Result<Option<VersionedDeck>, Problem> {
    let Some(key) = key else { return Ok(None) };
    let answered = idempotency::answered(conn.get().await?, key).await?;
    let Some(earlier) = answered else { return Ok(None) };
    let stored = deck_lists::find_own(conn.get().await?, by, DeckId(earlier)).await?;
    let stored = stored.ok_or_else(|| Problem::new(ProblemCode::Gone))?;
    Ok(Some(see(app, conn, (viewer, Some(by.account())), stored).await?.into()))
}

/// Stores a new deck. `conn`: the connection for the steps before and after the transaction.
pub(super) async fn store_new(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    by: &Granted<WriteOwnDecks>,
    viewer: Viewer,
    changes: &DeckChanges<'_>,
    key: Option<&IdempotencyClaim>,
) -> Result<VersionedDeck, Problem> {
    let id = DeckId::generate();
    conn.give_back();
    let stored = match deck_writes::create(&app.store, by, id, changes, key).await? {
        DeckCreated::New(stored) => {
            tracing::info!(account = %by.account(), deck = %id, format = %changes.content.format, "deck stored");
            stored
        }
        DeckCreated::Repeat(Some(stored)) => stored,
        DeckCreated::Repeat(None) => return Err(Problem::new(ProblemCode::Gone)),
        DeckCreated::TooMany => return Err(Problem::new(ProblemCode::TooManyDecks)),
    };
    deck_search::publish(app, conn, &stored).await;
    Ok(see(app, conn, (viewer, Some(by.account())), stored).await?.into())
}

/// Replaces one of the caller's decks with its folder, if the client's version is current. A share code does not change the name of the deck.
pub async fn replace(
    app: &AppState,
    by: &Granted<WriteOwnDecks>,
    requester: Requester,
    id: DeckId,
    if_match: &IfMatch,
    mut request: DeckRequest,
) -> Result<VersionedDeck, Problem> {
    let if_match = &if_match.with_folder();
    let conn = &mut StepConnection::new(&app.store);
    if request.name.is_some() || request.list.is_none() {
        let mut parsed = parse(app, conn, requester, request).await?;
        keep_references_of(app, conn, by, requester.0, id, &mut parsed).await?;
        return store_changed(app, conn, by, requester.0, (id, if_match), parsed).await;
    }
    let (stored, read) = find_replaced(conn, by, id, if_match).await?;
    request.replaced_name = Some(stored.row.name.clone());
    let mut parsed = parse(app, conn, requester, request).await?;
    parsed.require_publishable(&stored)?;
    let owner = (requester.0, by.account());
    keep_references(app, conn, owner, &stored.content, &mut parsed).await?;
    // Only a name that is taken over must be that of the version that was read.
    let meant = if parsed.keeps_name { &read } else { if_match };
    store_changed(app, conn, by, requester.0, (id, meant), parsed).await
}

/// Like [`replace`], with a list that was written from the deck. A list cannot contain the named copies, so unchanged entries keep their copies.
pub async fn replace_by_list(
    app: &AppState,
    by: &Granted<WriteOwnDecks>,
    requester: Requester,
    id: DeckId,
    if_match: &IfMatch,
    request: DeckRequest,
) -> Result<VersionedDeck, Problem> {
    let conn = &mut StepConnection::new(&app.store);
    let mut parsed = parse(app, conn, requester, request).await?;
    let (stored, read) = find_replaced(conn, by, id, if_match).await?;
    let owner = (requester.0, by.account());
    take_over_entries(app, conn, owner, &stored.content, &mut parsed).await?;
    store_changed(app, conn, by, requester.0, (id, &read), parsed).await
}

/// Whether one of the caller's decks is already what [`replace_by_list`] would make of it, because the same form was sent before.
pub async fn is_replaced_by_list(
    app: &AppState,
    by: &Granted<WriteOwnDecks>,
    requester: Requester,
    id: DeckId,
    request: DeckRequest,
) -> Result<bool, Problem> {
    let conn = &mut StepConnection::new(&app.store);
    let mut parsed = parse(app, conn, requester, request).await?;
    let stored = deck_lists::find_own(conn.get().await?, by, id).await?;
    let stored = stored.ok_or_else(Problem::not_found)?;
    let owner = (requester.0, by.account());
    take_over_entries(app, conn, owner, &stored.content, &mut parsed).await?;
    Ok(parsed.is_written_as(&stored))
}

/// Like [`replace_by_list`], with a list as the body: also what neither the list nor a parameter states stays as it is.
pub async fn replace_by_upload(
    app: &AppState,
    by: &Granted<WriteOwnDecks>,
    requester: Requester,
    id: DeckId,
    if_match: &IfMatch,
    mut request: DeckRequest,
) -> Result<VersionedDeck, Problem> {
    let conn = &mut StepConnection::new(&app.store);
    let (stored, read) = find_replaced(conn, by, id, if_match).await?;
    request.default_name = Some(stored.row.name.clone());
    request.replaced_name = Some(stored.row.name.clone());
    let missing = request.missing_details();
    let mut parsed = parse(app, conn, requester, request).await?;
    parsed.take_over_details(&stored, &missing);
    parsed.require_publishable(&stored)?;
    let owner = (requester.0, by.account());
    take_over_entries(app, conn, owner, &stored.content, &mut parsed).await?;
    store_changed(app, conn, by, requester.0, (id, &read), parsed).await
}

/// The deck that a list replaces, and the version that was read. The transaction that writes the deck requires exactly this version, also if the client accepts
/// any: what the list does not state is taken over from this version, and must not revert a later change, such as one that makes the deck private.
async fn find_replaced(
    conn: &mut StepConnection<'_>,
    by: &Granted<WriteOwnDecks>,
    id: DeckId,
    if_match: &IfMatch,
) -> Result<(StoredDeck, IfMatch), Problem> {
    let stored = deck_lists::find_own(conn.get().await?, by, id).await?;
    let stored = stored.ok_or_else(Problem::not_found)?;
    let read = Version::from(&stored.row);
    if_match.check(read)?;
    Ok((stored, read.if_match()))
}

/// Gives unchanged entries of a list the named copies and the references that they have in the deck.
async fn take_over_entries(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    owner: (Viewer, AccountId),
    before: &DeckContent,
    parsed: &mut ParsedDeck,
) -> Result<(), Problem> {
    // Cards of different games are different cards, even with the same name.
    if before.format.game() == parsed.content.format.game() {
        let (listed, _) = entries_as_listed(app, conn, owner, before.clone()).await?;
        take_over_copies(&listed, &mut parsed.content.deck.entries);
    }
    keep_references(app, conn, owner, before, parsed).await
}

/// The entries of a deck as its owner reads them in a list, with their named copies, and what is masked in them. An entry that is stored only with a place has the
/// name of its card, if the owner may see it.
async fn entries_as_listed(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    (viewer, owner): (Viewer, AccountId),
    mut content: DeckContent,
) -> Result<(Vec<DeckEntry>, Masks), Problem> {
    let copies: Vec<Vec<String>> =
        content.deck.entries.iter().map(|entry| entry.copies.clone()).collect();
    let masks = mask(app, conn, (viewer, Some(owner)), owner, &mut content).await?;
    let listed = content.deck.entries.into_iter().zip(copies);
    Ok((listed.map(|(entry, copies)| DeckEntry { copies, ..entry }).collect(), masks))
}

/// Like [`keep_references`], for a deck that was not read yet. Most decks name no places, and then it is not read here.
async fn keep_references_of(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    by: &Granted<WriteOwnDecks>,
    viewer: Viewer,
    id: DeckId,
    parsed: &mut ParsedDeck,
) -> Result<(), Problem> {
    if !parsed.content.deck.entries.iter().any(has_name_and_place) {
        return Ok(());
    }
    let stored = deck_lists::find_own(conn.get().await?, by, id).await?;
    let Some(stored) = stored else { return Ok(()) };
    keep_references(app, conn, (viewer, by.account()), &stored.content, parsed).await
}

fn has_name_and_place(entry: &DeckEntry) -> bool {
    let CardReference { name, set, number, .. } = &entry.card;
    !name.is_empty() && set.is_some() && number.is_some()
}

/// Entries that are those of `before` as its owner reads them stay as they are stored, without a name or with an old place, and stay bound to their cards, even if
/// other cards have their names now: a deck that is sent back as it was read is not changed. Entries that are stored as they are read are left to
/// [`deck_writes::replace`].
async fn keep_references(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    owner: (Viewer, AccountId),
    before: &DeckContent,
    parsed: &mut ParsedDeck,
) -> Result<(), Problem> {
    let stored: Vec<BoundEntry<'_>> = before.bound_entries().collect();
    let known: BTreeSet<(NameAndPlace<'_>, Option<CardId>)> =
        stored.iter().map(|(entry, card)| (name_and_place(entry), *card)).collect();
    let content = &mut parsed.content;
    // Only an entry with a name and a place may be stored otherwise than it is read.
    let is_written_otherwise = |(entry, card): BoundEntry<'_>| {
        has_name_and_place(entry) && !known.contains(&(name_and_place(entry), card))
    };
    let is_other = content.bound_entries().any(is_written_otherwise);
    if before.format.game() != content.format.game() || !is_other {
        return Ok(());
    }
    let (listed, masks) = entries_as_listed(app, conn, owner, before.clone()).await?;
    // What is hidden from the owner now is as it was sent.
    let is_kept = |at: usize| stored[at].1.is_some() && !masks.hidden.contains_key(&at);
    // Another rarity is no other card.
    let mut first: BTreeMap<NameAndPlace<'_>, usize> = BTreeMap::new();
    for (at, entry) in listed.iter().enumerate().filter(|(at, _)| is_kept(*at)) {
        first.entry(name_and_place(entry)).or_insert(at);
    }
    content.cards.resize(content.deck.entries.len(), None);
    for (at, (entry, bound)) in content.deck.entries.iter_mut().zip(&mut content.cards).enumerate()
    {
        let written = name_and_place(entry);
        let is_same = listed.get(at).is_some_and(|listed| name_and_place(listed) == written);
        let same = if is_same && is_kept(at) { Some(at) } else { first.get(&written).copied() };
        if let Some((stored, card)) = same.and_then(|at| stored.get(at)) {
            // It may have another rarity; older versions stored rarities as they were written.
            let rarity = entry.card.rarity.take();
            entry.card = CardReference { rarity, ..stored.card.clone() };
            *bound = *card;
        }
    }
    parsed.find_hidden(app, conn).await
}

/// An entry, and the card that it is bound to.
type BoundEntry<'a> = (&'a DeckEntry, Option<CardId>);

async fn store_changed(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    by: &Granted<WriteOwnDecks>,
    viewer: Viewer,
    (id, if_match): (DeckId, &IfMatch),
    parsed: ParsedDeck,
) -> Result<VersionedDeck, Problem> {
    let changes = parsed.changes(app.clock.now());
    let is_current = |row: &DeckRow| if_match.check(row).is_ok();
    conn.give_back();
    let edited = deck_writes::replace(&app.store, by, id, is_current, &changes).await?;
    let stored = check_edit(edited)?;
    tracing::info!(account = %by.account(), deck = %id, revision = stored.row.revision, "deck replaced");
    deck_search::publish(app, conn, &stored).await;
    let replaced = see(app, conn, (viewer, Some(by.account())), stored).await?.into();
    Ok(with_reading(replaced, parsed.reading))
}

pub(super) fn check_edit<T>(edited: Edited<T>) -> Result<T, Problem> {
    match edited {
        Edited::Done(value) => Ok(value),
        Edited::Stale => Err(Problem::new(ProblemCode::PreconditionFailed)),
        Edited::Missing => Err(Problem::not_found()),
        Edited::TakenDown => Err(Problem::new(ProblemCode::DeckTakenDown)),
    }
}
