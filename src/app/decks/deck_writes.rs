//! Writing decks: creating and replacing them.

use cardscape_engine::DeckEntry;

use super::deck_cards::Requester;
use super::deck_lists::see;
use super::deck_requests::{DeckRequest, ParsedDeck, parse};
use super::deck_responses::{DeckResponse, VersionedDeck};
use super::deck_search;
use super::list_reading::ListReadingResponse;
use super::masks::mask;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::{IfMatch, Version};
use crate::auth::permission::{Granted, Viewer, WriteOwnDecks};
use crate::domain::decks::content::DeckContent;
use crate::domain::decks::named_copies::take_over_copies;
use crate::domain::ids::{AccountId, DeckId};
use crate::store::decks::deck_lists;
use crate::store::decks::deck_records::{DeckChanges, DeckRow, StoredDeck};
use crate::store::decks::deck_writes::{self, DeckCreated, Edited};
use crate::store::operations::idempotency::IdempotencyClaim;

/// Stores a deck, whether it is legal or not.
pub async fn create(
    app: &AppState,
    by: &Granted<WriteOwnDecks>,
    requester: Requester,
    request: DeckRequest,
    key: Option<&IdempotencyClaim>,
) -> Result<VersionedDeck, Problem> {
    let parsed = parse(app, requester, request).await?;
    let changes = parsed.changes(app.clock.now());
    let created = store_new(app, by, requester.0, &changes, key).await?;
    Ok(with_reading(created, parsed.reading))
}

fn with_reading(versioned: VersionedDeck, reading: Option<ListReadingResponse>) -> VersionedDeck {
    let deck = DeckResponse { reading, ..versioned.deck };
    VersionedDeck { deck, ..versioned }
}

/// Stores a new deck.
pub(super) async fn store_new(
    app: &AppState,
    by: &Granted<WriteOwnDecks>,
    viewer: Viewer,
    changes: &DeckChanges<'_>,
    key: Option<&IdempotencyClaim>,
) -> Result<VersionedDeck, Problem> {
    let id = DeckId::generate();
    let stored = match deck_writes::create(&app.store, by, id, changes, key).await? {
        DeckCreated::New(stored) => {
            tracing::info!(account = %by.account(), deck = %id, format = %changes.content.format, "deck stored");
            stored
        }
        DeckCreated::Repeat(Some(stored)) => stored,
        DeckCreated::Repeat(None) => return Err(Problem::new(ProblemCode::Gone)),
        DeckCreated::TooMany => return Err(Problem::new(ProblemCode::TooManyDecks)),
    };
    deck_search::publish(app, &stored).await;
    Ok(see(app, (viewer, Some(by.account())), stored).await?.into())
}

/// Replaces one of the caller's decks, if the client's version is current. A share code does not change the name of the deck.
pub async fn replace(
    app: &AppState,
    by: &Granted<WriteOwnDecks>,
    requester: Requester,
    id: DeckId,
    if_match: &IfMatch,
    mut request: DeckRequest,
) -> Result<VersionedDeck, Problem> {
    if request.name.is_some() || request.list.is_none() {
        let parsed = parse(app, requester, request).await?;
        return store_changed(app, by, requester.0, (id, if_match), parsed).await;
    }
    let (stored, read) = find_replaced(app, by, id, if_match).await?;
    request.replaced_name = Some(stored.row.name.clone());
    let parsed = parse(app, requester, request).await?;
    parsed.require_publishable(&stored)?;
    // Only a name that is taken over must be that of the version that was read.
    let meant = if parsed.keeps_name { &read } else { if_match };
    store_changed(app, by, requester.0, (id, meant), parsed).await
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
    let mut parsed = parse(app, requester, request).await?;
    let (stored, read) = find_replaced(app, by, id, if_match).await?;
    take_over_named_copies(app, (requester.0, by.account()), stored, &mut parsed.content).await?;
    store_changed(app, by, requester.0, (id, &read), parsed).await
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
    let (stored, read) = find_replaced(app, by, id, if_match).await?;
    request.default_name = Some(stored.row.name.clone());
    request.replaced_name = Some(stored.row.name.clone());
    let missing = request.missing_details();
    let mut parsed = parse(app, requester, request).await?;
    parsed.take_over_details(&stored, &missing);
    parsed.require_publishable(&stored)?;
    take_over_named_copies(app, (requester.0, by.account()), stored, &mut parsed.content).await?;
    store_changed(app, by, requester.0, (id, &read), parsed).await
}

/// The deck that a list replaces, and the version that was read. The transaction that writes the deck requires exactly this version, also if the client accepts
/// any: what the list does not state is taken over from this version, and must not revert a later change, such as one that makes the deck private.
async fn find_replaced(
    app: &AppState,
    by: &Granted<WriteOwnDecks>,
    id: DeckId,
    if_match: &IfMatch,
) -> Result<(StoredDeck, IfMatch), Problem> {
    let mut conn = app.store.connection().await?;
    let stored = deck_lists::find_own(&mut conn, by, id).await?.ok_or_else(Problem::not_found)?;
    let read = Version::from(&stored.row);
    if_match.check(read)?;
    Ok((stored, read.meant()))
}

/// Gives unchanged entries of a list the named copies that they have in the deck.
async fn take_over_named_copies(
    app: &AppState,
    owner: (Viewer, AccountId),
    stored: StoredDeck,
    content: &mut DeckContent,
) -> Result<(), Problem> {
    // Cards of different games are different cards, even with the same name.
    if stored.content.format.game() == content.format.game() {
        let before = entries_as_listed(app, owner, stored.content).await?;
        take_over_copies(&before, &mut content.deck.entries);
    }
    Ok(())
}

/// The entries of a deck as its owner reads them in a list, with their named copies. An entry that is stored only with a place has the name of its card, if the
/// owner may see it.
async fn entries_as_listed(
    app: &AppState,
    (viewer, owner): (Viewer, AccountId),
    mut content: DeckContent,
) -> Result<Vec<DeckEntry>, Problem> {
    let copies: Vec<Vec<String>> =
        content.deck.entries.iter().map(|entry| entry.copies.clone()).collect();
    mask(app, (viewer, Some(owner)), owner, &mut content).await?;
    let listed = content.deck.entries.into_iter().zip(copies);
    Ok(listed.map(|(entry, copies)| DeckEntry { copies, ..entry }).collect())
}

async fn store_changed(
    app: &AppState,
    by: &Granted<WriteOwnDecks>,
    viewer: Viewer,
    (id, if_match): (DeckId, &IfMatch),
    parsed: ParsedDeck,
) -> Result<VersionedDeck, Problem> {
    let changes = parsed.changes(app.clock.now());
    let is_current = |row: &DeckRow| if_match.check(row).is_ok();
    let edited = deck_writes::replace(&app.store, by, id, is_current, &changes).await?;
    let stored = check_edit(edited)?;
    tracing::info!(account = %by.account(), deck = %id, revision = stored.row.revision, "deck replaced");
    deck_search::publish(app, &stored).await;
    let replaced = see(app, (viewer, Some(by.account())), stored).await?.into();
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
