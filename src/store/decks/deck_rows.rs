//! The public decks of a game with their content, for bulk files.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cardscape_engine::{CardReference, DeckEntry};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Bool, Jsonb, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::deck_pool::{self, SeenPlace};
use super::deck_records::{COLUMNS, DeckRow};
use super::stored_content::StoredContent;
use super::{IS_PUBLIC, TELLS_SOURCE};
use crate::auth::permission::Viewer;
use crate::domain::catalogue::bulk::BulkKind;
use crate::domain::decks::content::DeckContent;
use crate::domain::ids::{CardId, DeckId};
use crate::store::catalogue::bulk_files::RowSource;
use crate::store::db::codecs::json::Json;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// Decks per read.
const BATCH: i64 = 200;

/// A public deck, with the public data of the cards that its entries are bound to.
pub struct BulkDeck {
    /// The deck itself.
    pub deck: DeckRow,
    /// Name of its owner.
    pub author: String,
    /// When it was public for the first time.
    pub published_at: DateTime<Utc>,
    /// Whether the deck that it was cloned from is public.
    pub shows_source: bool,
    /// The content, as its owner wrote it.
    pub content: DeckContent,
    /// The public data of the cards that the entries of all decks in the same batch are bound to.
    pub cards: Arc<BoundCards>,
}

/// The public data of cards that entries are bound to.
#[derive(Default)]
pub struct BoundCards {
    /// Their places, and whether they are hidden from the public.
    pub places: BTreeMap<CardId, SeenPlace>,
    /// Names of open cards that are bound to an entry with a place and without a name.
    pub names: BTreeMap<CardId, String>,
    /// The present places of cards by the places that they had before they were moved or merged, if entries with a name have these.
    moved: BTreeMap<(String, String), SeenPlace>,
}

impl BoundCards {
    /// The present place of the card that had this set and number, as an entry has them.
    pub fn moved_from(&self, (set, number): (&str, &str)) -> Option<&SeenPlace> {
        self.moved.get(&(set.to_owned(), number.to_owned()))
    }
}

#[derive(QueryableByName)]
struct StoredRow {
    #[diesel(embed)]
    deck: DeckRow,
    #[diesel(sql_type = Text)]
    author: String,
    #[diesel(sql_type = Timestamptz)]
    published_at: DateTime<Utc>,
    #[diesel(sql_type = Bool)]
    shows_source: bool,
    #[diesel(sql_type = Jsonb)]
    content: Json<StoredContent>,
}

impl StoredRow {
    /// The deck, without the data of its cards.
    fn read(self) -> StoreResult<BulkDeck> {
        Ok(BulkDeck {
            content: self.content.0.read()?,
            deck: self.deck,
            author: self.author,
            published_at: self.published_at,
            shows_source: self.shows_source,
            cards: Arc::default(),
        })
    }
}

/// The card of an entry counts only if the program that last saved the deck has bound it.
const SELECT: &str = "a.name AS author, coalesce(d.published_at, d.created_at) AS published_at, \
    jsonb_build_object('name', d.name, 'game', d.game_code, 'format', d.format_code, 'description', d.description, 'tags', to_jsonb(d.tags), \
     'unread_lines', '[]'::jsonb, 'entries', (SELECT coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('position', e.position, 'zone', e.zone, \
      'quantity', e.quantity, 'name', e.name, 'set_code', e.set_code, 'number', e.number, 'rarity', e.rarity, 'copies', to_jsonb(e.copies), \
      'card_id', CASE WHEN d.bound_revision = d.revision THEN d.card_ids[e.position + 1] END)) ORDER BY e.position), '[]') \
      FROM deck_entries e WHERE e.deck_id = d.id)) AS content \
    FROM decks d JOIN accounts a ON a.id = d.account_id";

/// The public decks of a game by id, without those of banned owners.
pub struct DeckRows {
    game: String,
    /// The last deck that was read.
    after: DeckId,
}

impl RowSource for DeckRows {
    type Row = BulkDeck;
    const KINDS: &'static [BulkKind] = &[BulkKind::Decks];
    // Events of cards are included: when a card is unlocked, entries that mean it are no longer masked.
    const EVENTS: &'static str = "e.kind NOT LIKE 'design.%'";
    // Older instances of the program ban owners without an event.
    const CHANGE_DAILY: bool = true;
    const LOCK: i64 = 7_233_172_079;

    fn of_game(game: &str) -> Self {
        Self { game: game.to_owned(), after: DeckId(Uuid::nil()) }
    }

    async fn next(&mut self, conn: &mut Connection) -> StoreResult<Vec<BulkDeck>> {
        loop {
            let ids = ids_after(conn, &self.game, self.after).await?;
            let Some(last) = ids.last().copied() else { return Ok(Vec::new()) };
            let decks = load(conn, &ids).await?;
            self.after = last;
            // No deck of this batch may be shown: read the next batch.
            if !decks.is_empty() {
                return Ok(decks);
            }
        }
    }
}

/// The ids of the next public decks of a game. A trigger writes these rows together with the decks, whatever program
/// stores them, so that every deck whose event has a number is included.
async fn ids_after(conn: &mut Connection, game: &str, after: DeckId) -> StoreResult<Vec<DeckId>> {
    #[derive(QueryableByName)]
    struct Id {
        #[diesel(sql_type = SqlUuid)]
        deck_id: DeckId,
    }
    let ids: Vec<Id> = sql("SELECT deck_id FROM deck_judgements WHERE game_code = $game AND deck_id > $after ORDER BY deck_id LIMIT $limit")
        .bind("game", game)
        .bind("after", after)
        .bind("limit", BATCH)
        .load(conn)
        .await?;
    Ok(ids.into_iter().map(|id| id.deck_id).collect())
}

async fn load(conn: &mut Connection, ids: &[DeckId]) -> StoreResult<Vec<BulkDeck>> {
    let statement = sql(format!(
        "SELECT {COLUMNS}, {TELLS_SOURCE}, {SELECT} WHERE {IS_PUBLIC} AND a.banned_at IS NULL AND d.id = "
    ));
    let rows: Vec<StoredRow> = statement.any(ids).push(" ORDER BY d.id").load(conn).await?;
    let mut decks = Vec::new();
    for row in rows {
        let id = row.deck.id;
        match row.read() {
            Ok(deck) => decks.push(deck),
            // A row that another program wrote must not keep the other decks out of the file.
            Err(error) => {
                tracing::error!(deck = %id, %error, "a public deck cannot be read for the bulk file");
            }
        }
    }
    add_cards(conn, &mut decks).await?;
    Ok(decks)
}

/// Adds the public data of the cards that entries are bound to.
async fn add_cards(conn: &mut Connection, decks: &mut [BulkDeck]) -> StoreResult<()> {
    let stranger = Viewer::stranger();
    let ids = |is_wanted: fn(&DeckEntry) -> bool| {
        let entries = decks.iter().flat_map(|deck| deck.content.bound_entries());
        let bound = entries.filter(|(entry, _)| is_wanted(entry)).filter_map(|(_, card)| card);
        bound.collect::<BTreeSet<CardId>>().into_iter().collect::<Vec<CardId>>()
    };
    let (all, nameless) = (ids(|_| true), ids(|entry| entry.card.name.is_empty()));
    let places = deck_pool::places(conn, stranger, &all).await?;
    let names = if nameless.is_empty() {
        BTreeMap::new()
    } else {
        deck_pool::names(conn, stranger, &nameless).await?
    };
    let moved = find_moved(conn, decks, &places).await?;
    let cards = Arc::new(BoundCards { places, names, moved });
    for deck in decks {
        deck.cards = Arc::clone(&cards);
    }
    Ok(())
}

/// The present places of cards, by other places that entries with a name have.
async fn find_moved(
    conn: &mut Connection,
    decks: &[BulkDeck],
    places: &BTreeMap<CardId, SeenPlace>,
) -> StoreResult<BTreeMap<(String, String), SeenPlace>> {
    let is_there = |card: &CardId, set: &str, number: &str| {
        places.get(card).is_some_and(|place| place.set == set && place.number == number)
    };
    let entries = decks.iter().flat_map(|deck| deck.content.bound_entries());
    let written: BTreeSet<(&str, &str)> = entries
        .filter_map(|(entry, card)| {
            let CardReference { name, set, number, .. } = &entry.card;
            let (set, number) = (set.as_deref()?, number.as_deref()?);
            let is_elsewhere = !name.is_empty() && !is_there(&card?, set, number);
            is_elsewhere.then_some((set, number))
        })
        .collect();
    // All of them are decks of one game.
    let Some(game) = decks.first().map(|deck| deck.deck.game()) else {
        return Ok(BTreeMap::new());
    };
    let written: Vec<(&str, &str)> = written.into_iter().collect();
    let successors = deck_pool::successors_at(conn, game, &written).await?;
    let ids: Vec<CardId> = successors.iter().flatten().map(|old| old.card).collect();
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let present = deck_pool::places(conn, Viewer::stranger(), &ids).await?;
    let moved = written.into_iter().zip(successors).filter_map(|((set, number), successor)| {
        let place = present.get(&successor?.card)?;
        Some(((set.to_owned(), number.to_owned()), place.clone()))
    });
    Ok(moved.collect())
}
