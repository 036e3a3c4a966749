//! Revisions of decks: listing, reading, comparing and restoring them; and cloning of decks.

use std::collections::{BTreeMap, BTreeSet};

use cardscape_engine::{CardReference, DeckEntry, Game};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::deck_cards::Requester;
use super::deck_input::DeckEntryBody;
use super::deck_lists::{find_seen, see};
use super::deck_requests::{bind_entries, require_restorable};
use super::deck_responses::{SeenDeck, VersionedDeck, entry_bodies, shows_owner};
use super::deck_search;
use super::deck_writes::{check_edit, find_answered, store_new};
use super::masks::{EntryCardResponse, Masks, are_open, hidden_cards, mask};
use crate::app::page::{Page, PageLimit, paged};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::app::versions::IfMatch;
use crate::auth::permission::{Granted, ReadOwnDecks, Viewer, WriteOwnDecks};
use crate::domain::decks::content::DeckContent;
use crate::domain::decks::deck::DeckName;
use crate::domain::decks::details::{DeckFolder, DeckVisibility};
use crate::domain::decks::diff::{CardDifference, differences};
use crate::domain::decks::rarities::with_codes;
use crate::domain::decks::zones::with_zone_codes;
use crate::domain::ids::{CardId, DeckId};
use crate::store::decks::deck_records::{CloneSource, DeckChanges, DeckRow};
use crate::store::decks::deck_revisions::{self, RevisionRow};
use crate::store::decks::{deck_lists, deck_pool};
use crate::store::operations::idempotency::IdempotencyClaim;

/// The reader: which cards the reader sees, and the permission to read the account's own decks.
type Reader<'a> = (Viewer, Option<&'a Granted<ReadOwnDecks>>);

/// A revision of a deck without its content.
#[derive(Serialize, ToSchema)]
pub struct DeckRevisionSummary {
    /// Number of the revision, from 1.
    #[schema(example = 3, minimum = 1)]
    pub revision: i64,
    /// Name of the deck in this revision.
    #[schema(example = "Embers and Bones")]
    pub name: String,
    /// Who could read the deck: `private`, `unlisted` or `public`.
    #[schema(example = "public")]
    pub visibility: String,
    /// Number of cards in all zones together.
    #[schema(example = 50)]
    pub card_count: i64,
    /// When the revision was saved.
    pub created_at: DateTime<Utc>,
}

impl From<RevisionRow> for DeckRevisionSummary {
    fn from(RevisionRow { revision, name, visibility, cards, created_at }: RevisionRow) -> Self {
        Self { revision, name, visibility, card_count: cards, created_at }
    }
}

/// A revision of a deck.
#[derive(Serialize, ToSchema)]
pub struct DeckRevisionResponse {
    /// Number of the revision, from 1.
    #[schema(example = 2, minimum = 1)]
    pub revision: i64,
    /// Name of the deck in this revision.
    #[schema(example = "Embers and Bones")]
    pub name: String,
    /// Format of the deck in this revision.
    #[schema(example = "ttcg/standard")]
    pub format: String,
    /// Description of the deck in this revision, in the markup of lore and comments.
    #[schema(example = "Goes *fast*.")]
    pub description: String,
    /// Tags of the deck in this revision.
    #[schema(example = json!(["aggro"]))]
    pub tags: Vec<String>,
    /// Entries of the deck in this revision.
    pub entries: Vec<DeckEntryBody>,
    /// When the revision was saved.
    pub created_at: DateTime<Utc>,
}

/// Lists the revisions of a deck that the reader may see, the newest first.
pub async fn list(
    app: &AppState,
    reader: Option<&Granted<ReadOwnDecks>>,
    id: DeckId,
    before: Option<i64>,
    limit: PageLimit,
) -> Result<Page<DeckRevisionSummary>, Problem> {
    let mut conn = app.store.connection().await?;
    let rows = deck_revisions::list(&mut conn, reader, id, before, limit.rows()).await?;
    // A deck that was only written by older releases of the service has no revisions.
    if rows.is_empty() {
        deck_lists::find(&mut conn, reader, id).await?.ok_or_else(Problem::not_found)?;
    }
    Ok(paged(rows, limit, |row| row.revision, Into::into))
}

/// A revision as a reader sees it.
pub(super) struct SeenRevision {
    pub revision: i64,
    pub content: DeckContent,
    pub masks: Masks,
    pub created_at: DateTime<Utc>,
}

/// Finds a revision as the reader sees it; 404 when the reader may not see it.
pub(super) async fn find_seen_revision(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    (viewer, reader): Reader<'_>,
    id: DeckId,
    revision: i64,
) -> Result<SeenRevision, Problem> {
    let found = deck_revisions::find(conn.get().await?, reader, id, revision).await?;
    let mut stored = found.ok_or_else(Problem::not_found)?;
    let eyes = (viewer, reader.map(Granted::account));
    let masks = mask(app, conn, eyes, stored.account, &mut stored.content).await?;
    let (content, created_at) = (stored.content, stored.created_at);
    Ok(SeenRevision { revision, content, masks, created_at })
}

/// Finds a revision of a deck that the reader may see.
pub async fn find(
    app: &AppState,
    reader: Reader<'_>,
    id: DeckId,
    revision: i64,
) -> Result<DeckRevisionResponse, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let found = find_seen_revision(app, &mut conn, reader, id, revision).await?;
    let SeenRevision { revision, content, masks, created_at } = found;
    Ok(DeckRevisionResponse {
        revision,
        name: content.name.as_str().to_owned(),
        format: content.format.to_string(),
        description: content.description.as_str().to_owned(),
        tags: content.tags.iter().map(|tag| tag.as_str().to_owned()).collect(),
        entries: entry_bodies(content.deck, &masks),
        created_at,
    })
}

/// A card whose number of copies in a zone differs.
#[derive(Serialize, ToSchema)]
pub struct DeckDifferenceResponse {
    /// Code of the zone; a word that means no zone of the game, as the deck has it.
    #[schema(example = "main")]
    pub zone: String,
    /// Name of the card; empty: the card is hidden from you.
    #[schema(example = "Kettle Imp")]
    pub name: String,
    /// The card; `card_id` is absent if the entry is bound to no card.
    #[serde(flatten)]
    pub card: EntryCardResponse,
    /// Code of the rarity, if the deck names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "rare")]
    pub rarity: Option<String>,
    /// Number of copies in the first revision.
    #[schema(example = 1)]
    pub before: u64,
    /// Number of copies in the second revision.
    #[schema(example = 3)]
    pub after: u64,
}

impl DeckDifferenceResponse {
    /// `masked`: the cards that are hidden from the reader in one of the decks.
    fn new(difference: CardDifference, masked: &BTreeSet<CardId>) -> Self {
        let CardDifference { zone, card, card_id, before, after } = difference;
        let CardReference { name, set, number, rarity } = card;
        let hidden = card_id.filter(|card| name.is_empty() && masked.contains(card));
        let card = EntryCardResponse::open((set, number), card_id.map(|card| card.0));
        Self { zone, name, card: card.or_hidden(hidden), rarity, before, after }
    }
}

/// The differences between two revisions of a deck, or between two decks.
#[derive(Serialize, ToSchema)]
pub struct DeckDiffResponse {
    /// Number of the first revision.
    #[schema(example = 1, minimum = 1)]
    pub from: i64,
    /// Number of the second revision.
    #[schema(example = 3, minimum = 1)]
    pub to: i64,
    /// Id of the deck to which the second revision belongs; absent: both belong to the same deck.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<Uuid>,
    /// The cards whose numbers of copies differ. Order, splitting and spelling of entries do not matter; a merged card is the card that it was merged into.
    pub cards: Vec<DeckDifferenceResponse>,
}

/// Which revisions or decks to compare.
pub struct DiffRequest {
    /// Revision of the deck; `None`: the newest one if there is another deck, otherwise the one before `to`.
    pub from: Option<i64>,
    /// Revision of the other deck, or the later revision of the same deck; `None`: the newest.
    pub to: Option<i64>,
    /// The other deck; `None`: the same deck.
    pub with: Option<DeckId>,
}

/// One side of a comparison, as the reader sees it.
struct Side {
    revision: i64,
    content: DeckContent,
    masks: Masks,
}

impl Side {
    async fn entries(
        &self,
        app: &AppState,
        conn: &mut StepConnection<'_>,
        merged: &BTreeMap<CardId, CardId>,
    ) -> Result<Vec<(DeckEntry, Option<CardId>)>, Problem> {
        let loaded = app.named_game_on(conn, self.content.format.game()).await?;
        let loaded = loaded.map_err(Problem::internal)?;
        Ok(comparable_entries(&loaded.game, &self.content, merged))
    }
}

/// The cards that cards of these decks were merged into, by the ids of the merged ones.
pub(super) async fn find_merged<'a>(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    contents: impl IntoIterator<Item = &'a DeckContent>,
) -> Result<BTreeMap<CardId, CardId>, Problem> {
    let cards = contents.into_iter().flat_map(|content| &content.cards);
    let ids: BTreeSet<CardId> = cards.flatten().copied().collect();
    // Most decks have only cards that still exist, so they are compared without a query.
    if ids.is_empty() || are_open(app, &ids) {
        return Ok(BTreeMap::new());
    }
    let ids: Vec<CardId> = ids.into_iter().collect();
    Ok(deck_pool::merged_into(conn.get().await?, &ids).await?)
}

/// The id that a card has now: after a merge, that of the card in `merged`.
fn present_id(card: CardId, merged: &BTreeMap<CardId, CardId>) -> CardId {
    merged.get(&card).copied().unwrap_or(card)
}

/// The entries of a deck with the cards that they are bound to; for a merged card, the one in `merged`. Their zones have the codes of the game: stored entries may
/// have any word for a zone, and `main` for the first one.
pub(super) fn comparable_entries(
    game: &Game,
    content: &DeckContent,
    merged: &BTreeMap<CardId, CardId>,
) -> Vec<(DeckEntry, Option<CardId>)> {
    let comparable = |(entry, card): (&DeckEntry, Option<CardId>)| {
        let mut entry = entry.clone();
        with_zone_codes(game, [&mut entry]);
        (entry, card.map(|card| present_id(card, merged)))
    };
    content.bound_entries().map(comparable).collect()
}

async fn find_side(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    reader: Reader<'_>,
    id: DeckId,
    revision: Option<i64>,
) -> Result<Side, Problem> {
    match revision {
        Some(revision) => {
            let found = find_seen_revision(app, conn, reader, id, revision).await?;
            Ok(Side { revision, content: found.content, masks: found.masks })
        }
        None => {
            let SeenDeck { row, content, masks, .. } = find_seen(app, conn, reader, id).await?;
            Ok(Side { revision: row.revision, content, masks })
        }
    }
}

/// Compares two revisions of a deck, or two decks, card by card.
pub async fn compare(
    app: &AppState,
    reader: Reader<'_>,
    id: DeckId,
    request: &DiffRequest,
) -> Result<DeckDiffResponse, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let compared = request.with.unwrap_or(id);
    let after = find_side(app, &mut conn, reader, compared, request.to).await?;
    let from = match (request.from, request.with) {
        (None, None) => {
            let conn = conn.get().await?;
            let found = deck_revisions::previous(conn, reader.1, id, after.revision).await?;
            // If the reader may see no earlier revision, the revision is compared with itself.
            found.or(request.to)
        }
        (from, _) => from,
    };
    let before = find_side(app, &mut conn, reader, id, from).await?;
    let merged = find_merged(app, &mut conn, [&before.content, &after.content]).await?;
    let earlier = before.entries(app, &mut conn, &merged).await?;
    let later = after.entries(app, &mut conn, &merged).await?;
    drop(conn);
    let cards = if before.content.format.game() == after.content.format.game() {
        differences(&earlier, &later)
    } else {
        // Cards of different games are different cards, even with the same name.
        [differences(&[], &later), differences(&earlier, &[])].concat()
    };
    let masked = before.masks.hidden.values().chain(after.masks.hidden.values());
    let masked: BTreeSet<CardId> = masked.map(|card| present_id(*card, &merged)).collect();
    let cards = cards.into_iter().map(|one| DeckDifferenceResponse::new(one, &masked));
    Ok(DeckDiffResponse {
        from: before.revision,
        to: after.revision,
        with: request.with.map(|deck| deck.0),
        cards: cards.collect(),
    })
}

/// The revision to which a deck is reset.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RestoreDeckRequest {
    /// Number of the revision.
    #[schema(example = 1, minimum = 1)]
    pub revision: i64,
}

/// Restores an earlier revision of one of the caller's decks, as a new revision. Visibility and folder do not change. Entries are bound as in a deck that is
/// replaced.
pub async fn restore(
    app: &AppState,
    by: &Granted<WriteOwnDecks>,
    requester: Requester,
    (id, revision): (DeckId, i64),
    if_match: &IfMatch,
) -> Result<VersionedDeck, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let content = find_to_restore(app, &mut conn, by, requester, (id, revision)).await?;
    let stored = deck_lists::find_own(conn.get().await?, by, id).await?;
    let stored = stored.ok_or_else(Problem::not_found)?;
    if_match.check(&stored.row)?;
    let visibility = stored.row.visibility();
    require_restorable(&content, visibility)?;
    let hidden = hidden_cards(app, &mut conn, &content.cards).await?;
    conn.give_back();
    // The content was checked for these readers, also if the client accepts any version.
    let is_current = |row: &DeckRow| if_match.check(row).is_ok() && row.visibility() == visibility;
    let at = app.clock.now();
    let edited = app
        .write(by, async |conn, by| {
            deck_revisions::restore(conn, by, id, (&content, &hidden), is_current, at).await
        })
        .await?;
    let stored = check_edit(edited)?;
    tracing::info!(account = %by.account(), deck = %id, revision, "revision of a deck restored");
    deck_search::publish(app, &mut conn, &stored).await;
    Ok(see(app, &mut conn, (requester.0, Some(by.account())), stored).await?.into())
}

/// Whether one of the caller's decks has the content of an earlier revision already, because [`restore`] was requested before.
pub async fn is_restored(
    app: &AppState,
    by: &Granted<WriteOwnDecks>,
    requester: Requester,
    (id, revision): (DeckId, i64),
) -> Result<bool, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let content = find_to_restore(app, &mut conn, by, requester, (id, revision)).await?;
    let stored = deck_lists::find_own(conn.get().await?, by, id).await?;
    let stored = stored.ok_or_else(Problem::not_found)?;
    Ok(content.is_written_as(&stored.content))
}

/// The content of an earlier revision. An entry that was bound to no card is bound if the caller sees its card now: perhaps nobody else could read that
/// revision, and others must not read the names of hidden cards in the restored one.
async fn find_to_restore(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    by: &Granted<WriteOwnDecks>,
    requester: Requester,
    (id, revision): (DeckId, i64),
) -> Result<DeckContent, Problem> {
    let found = deck_revisions::find_own(conn.get().await?, by, id, revision).await?;
    let mut content = found.ok_or_else(Problem::not_found)?;
    bind_unbound(app, conn, requester, &mut content).await?;
    Ok(content)
}

/// Binds the entries of stored content that are bound to no card, if the caller sees their cards now.
pub(super) async fn bind_unbound(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    requester: Requester,
    content: &mut DeckContent,
) -> Result<(), Problem> {
    let loaded = app.named_game_on(conn, content.format.game()).await?;
    let Ok(loaded) = loaded else { return Ok(()) };
    // Older versions stored zones and rarities as they were written.
    with_zone_codes(&loaded.game, &mut content.deck.entries);
    with_codes(&loaded.game, &mut content.deck.entries);
    if content.bound_entries().any(|(_, card)| card.is_none()) {
        let bound = bind_entries(app, conn, requester, &loaded.game, &content.deck).await?;
        content.cards.resize(bound.len(), None);
        for (card, found) in content.cards.iter_mut().zip(bound) {
            *card = card.or(found);
        }
    }
    Ok(())
}

/// Stores a private clone of a deck that the reader may see, with a reference to the source and, without another name, with its name. Cards that are hidden from
/// the reader are cloned without their names.
pub async fn clone(
    app: &AppState,
    by: &Granted<WriteOwnDecks>,
    reader: Reader<'_>,
    (id, name): (DeckId, Option<DeckName>),
    key: Option<&IdempotencyClaim>,
) -> Result<VersionedDeck, Problem> {
    // This comes first: the source may have been deleted since the first request.
    let mut conn = StepConnection::new(&app.store);
    if let Some(stored) = find_answered(app, &mut conn, by, reader.0, key).await? {
        return Ok(stored);
    }
    let seen = find_seen(app, &mut conn, reader, id).await?;
    let SeenDeck { row, mut content, masks, .. } = seen;
    if let Some(name) = name {
        content.name = name;
    }
    // The author of the source deck did not write these names.
    for at in masks.named {
        content.deck.entries[at].card.name.clear();
    }
    let is_own = row.account_id == by.account();
    // A masked entry of a deleted card that had a name has neither name nor number, so it is left out.
    let has_card = |entry: &DeckEntry| !entry.card.name.is_empty() || entry.card.number.is_some();
    let kept: Vec<bool> = content.deck.entries.iter().map(has_card).collect();
    let mut places = kept.iter();
    content.deck.entries.retain(|_| places.next().copied().unwrap_or_default());
    let mut places = kept.iter();
    content.cards.retain(|_| places.next().copied().unwrap_or_default());
    for entry in &mut content.deck.entries {
        if !is_own {
            // The named copies belong to the owner of the source deck.
            entry.copies.clear();
        }
    }
    let folder = row.folder.as_deref().filter(|_| is_own).map(DeckFolder::stored);
    let account = Some(row.account_id).filter(|_| shows_owner(&row, Some(by.account())));
    let source = CloneSource { deck: id, revision: row.revision, account };
    let changes = DeckChanges {
        content: &content,
        hidden: &BTreeSet::new(),
        visibility: Some(DeckVisibility::Private),
        folder: folder.as_ref(),
        cloned_from: Some(source),
        at: app.clock.now(),
    };
    store_new(app, &mut conn, by, reader.0, &changes, key).await
}
