//! The public decks of a game with what they hold, for bulk files.

use std::collections::{BTreeMap, BTreeSet};

use cardscape_engine::DeckEntry;
use chrono::{DateTime, NaiveDate, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Array, Bool, Date, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::deck_lists::{COLUMNS, DeckRow};
use super::deck_pool::{self, SeenPlace};
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

/// Decks that are read at once.
const STRETCH: i64 = 200;

/// A public deck, and what everybody may know of the cards that its entries are bound to.
pub struct BulkDeck {
    /// The deck itself.
    pub deck: DeckRow,
    /// Name of its owner.
    pub author: String,
    /// When it was public for the first time.
    pub published_at: DateTime<Utc>,
    /// The formats in which it is legal for who sees no hidden card, and the day by whose rules; `None`: it was not judged yet.
    pub judged: Option<(Vec<String>, NaiveDate)>,
    /// Whether everybody may read the deck that it was made of.
    pub tells_source: bool,
    /// What it holds, as its owner wrote it.
    pub content: DeckContent,
    /// Where the cards are that its entries are bound to, and whether they are hidden from everybody.
    pub places: BTreeMap<CardId, SeenPlace>,
    /// The names of the open ones, if an entry has a place and no name.
    pub names: BTreeMap<CardId, String>,
}

#[derive(QueryableByName)]
struct StoredRow {
    #[diesel(embed)]
    deck: DeckRow,
    #[diesel(sql_type = Text)]
    author: String,
    #[diesel(sql_type = Timestamptz)]
    published_at: DateTime<Utc>,
    #[diesel(sql_type = Nullable<Array<Text>>)]
    legal_in: Option<Vec<String>>,
    #[diesel(sql_type = Nullable<Date>)]
    judged_on: Option<NaiveDate>,
    #[diesel(sql_type = Bool)]
    tells_source: bool,
    #[diesel(sql_type = Jsonb)]
    content: Json<StoredContent>,
}

impl StoredRow {
    /// The deck without what is known of its cards.
    fn read(self) -> StoreResult<BulkDeck> {
        Ok(BulkDeck {
            content: self.content.0.read()?,
            deck: self.deck,
            author: self.author,
            published_at: self.published_at,
            judged: self.legal_in.zip(self.judged_on),
            tells_source: self.tells_source,
            places: BTreeMap::new(),
            names: BTreeMap::new(),
        })
    }
}

/// A trigger writes the row of `deck_judgements` with the deck, so that no deck is missing whose event has a number; what is known of it may follow.
/// Cards of entries count only if the last program that saved the deck has bound them.
const SELECT: &str = "a.name AS author, coalesce(d.published_at, d.created_at) AS published_at, s.legal_in, j.judged_on, \
    jsonb_build_object('name', d.name, 'game', d.game_code, 'format', d.format_code, 'description', d.description, 'tags', to_jsonb(d.tags), \
     'unread_lines', '[]'::jsonb, 'entries', (SELECT coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('position', e.position, 'zone', e.zone, \
      'quantity', e.quantity, 'name', e.name, 'set_code', e.set_code, 'number', e.number, 'rarity', e.rarity, 'copies', to_jsonb(e.copies), \
      'card_id', CASE WHEN d.bound_revision = d.revision THEN d.card_ids[e.position + 1] END)) ORDER BY e.position), '[]') \
      FROM deck_entries e WHERE e.deck_id = d.id)) AS content \
    FROM (SELECT deck_id, judged_on FROM deck_judgements WHERE game_code = $game AND deck_id > $after ORDER BY deck_id LIMIT $limit) j \
    JOIN decks d ON d.id = j.deck_id JOIN accounts a ON a.id = d.account_id \
    LEFT JOIN deck_search s ON s.deck_id = d.id AND s.revision = d.revision";

/// The public decks of a game by their ids. Those of banned owners are left out.
pub struct DeckRows {
    game: String,
    /// The last one that was read.
    after: DeckId,
}

impl RowSource for DeckRows {
    type Row = BulkDeck;
    const KINDS: &'static [BulkKind] = &[BulkKind::Decks];
    // Cards are among them: an unlock takes the mask off entries.
    const EVENTS: &'static str = "e.kind NOT LIKE 'design.%'";
    const CHANGE_DAILY: bool = true;

    fn of_game(game: &str) -> Self {
        Self { game: game.to_owned(), after: DeckId(Uuid::nil()) }
    }

    async fn next(&mut self, conn: &mut Connection) -> StoreResult<Vec<BulkDeck>> {
        loop {
            let Some(last) = last_of_stretch(conn, &self.game, self.after).await? else {
                return Ok(Vec::new());
            };
            let decks = load(conn, &self.game, self.after).await?;
            self.after = last;
            // None of them may be shown: go on to the next.
            if !decks.is_empty() {
                return Ok(decks);
            }
        }
    }
}

/// The last of the next decks, be they shown or not.
async fn last_of_stretch(
    conn: &mut Connection,
    game: &str,
    after: DeckId,
) -> StoreResult<Option<DeckId>> {
    #[derive(QueryableByName)]
    struct Last {
        #[diesel(sql_type = SqlUuid)]
        deck_id: DeckId,
    }
    let last: Option<Last> = sql("SELECT deck_id FROM (SELECT deck_id FROM deck_judgements WHERE game_code = $game AND deck_id > $after ORDER BY deck_id LIMIT $limit) j \
         ORDER BY deck_id DESC LIMIT 1")
        .bind("game", game)
        .bind("after", after)
        .bind("limit", STRETCH)
        .custom_plan(SMALL_GAMES)
        .get_result(conn)
        .await
        .optional()?;
    Ok(last.map(|last| last.deck_id))
}

/// Why statements over the decks of a game are planned for their values.
const SMALL_GAMES: &str =
    "of a game with few decks the index of the game is read, of one with many that of the ids";

async fn load(conn: &mut Connection, game: &str, after: DeckId) -> StoreResult<Vec<BulkDeck>> {
    let statement = sql(format!(
        "SELECT {COLUMNS}, {TELLS_SOURCE}, {SELECT} WHERE {IS_PUBLIC} AND a.banned_at IS NULL ORDER BY d.id"
    ));
    let rows: Vec<StoredRow> = statement
        .bind("game", game)
        .bind("after", after)
        .bind("limit", STRETCH)
        .custom_plan(SMALL_GAMES)
        .load(conn)
        .await?;
    let mut decks = Vec::new();
    for row in rows {
        let id = row.deck.id;
        match row.read() {
            Ok(deck) => decks.push(deck),
            // One that something else wrote keeps no other out of the file.
            Err(error) => {
                tracing::error!(deck = %id, %error, "a public deck cannot be read for the bulk file");
            }
        }
    }
    add_cards(conn, &mut decks).await?;
    Ok(decks)
}

/// Adds what everybody may know of the cards that entries are bound to.
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
    for BulkDeck { content, places: of_deck, names: named, .. } in decks {
        for card in content.bound_entries().filter_map(|(_, card)| card) {
            of_deck.extend(places.get(&card).map(|place| (card, place.clone())));
            named.extend(names.get(&card).map(|name| (card, name.clone())));
        }
    }
    Ok(())
}
