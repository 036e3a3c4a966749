//! Reads cards with everything that the index in memory searches, in batches and by ids.
//!
//! Shared data is read as an anonymous viewer sees it: of a hidden card only its place and progress. The hidden cards
//! that a holder of copies may see are read again for each request of that holder.

use chrono::{DateTime, NaiveDate, Utc};
use diesel::prelude::*;
use diesel::sql_types::{
    Array, Bool, Date, Int2, Jsonb, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid,
};
use diesel_async::RunQueryDsl;
use serde_json::{Map, Value};
use uuid::Uuid;

use cardscape_engine::Effect;

use super::HELD_CARDS;
use crate::auth::permission::Viewer;
use crate::domain::ids::{AccountId, CardId};
use crate::search::index::{CardContent, CardRecord, EffectTags, PrintingRecord, Unlock};
use crate::search::{WORDS_VERSION, Words, remove_printing_words};
use crate::store::db::codecs::json::Json;
use crate::store::db::schema::sets;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// The columns that a card is searched by, without its printings.
const SEARCH_COLUMNS: &str = "SELECT c.id, c.game_code, c.set_code, c.number, u.card_id IS NOT NULL AS started_hidden, u.unlocked_at, \
    content.name, content.kind, content.attributes, content.effects, content.lore, content.words_version, \
    content.words, content.name_words, content.effect_words, content.lore_words, content.attribute_words \
    FROM cards c LEFT JOIN unlocks u ON u.card_id = c.id LEFT JOIN card_content content ON content.card_id = c.id AND ";

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    id: CardId,
    #[diesel(sql_type = Text)]
    game_code: String,
    #[diesel(sql_type = Text)]
    set_code: String,
    #[diesel(sql_type = Text)]
    number: String,
    #[diesel(sql_type = Bool)]
    started_hidden: bool,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    unlocked_at: Option<DateTime<Utc>>,
    #[diesel(embed)]
    content: ContentRow,
}

/// The content of a card; empty if the viewer may not see it.
#[derive(QueryableByName)]
struct ContentRow {
    #[diesel(sql_type = Nullable<Text>)]
    name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    kind: Option<String>,
    #[diesel(sql_type = Nullable<Jsonb>)]
    attributes: Option<Json<Map<String, Value>>>,
    #[diesel(sql_type = Nullable<Jsonb>)]
    effects: Option<Json<Vec<Effect>>>,
    #[diesel(sql_type = Nullable<Text>)]
    lore: Option<String>,
    #[diesel(sql_type = Nullable<SmallInt>)]
    words_version: Option<i16>,
    #[diesel(sql_type = Nullable<Text>)]
    words: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    name_words: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    effect_words: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    lore_words: Option<String>,
    #[diesel(sql_type = Nullable<Jsonb>)]
    attribute_words: Option<Json<Map<String, Value>>>,
}

impl ContentRow {
    fn into_content(self) -> Option<CardContent> {
        let (name, effects) = (self.name?, self.effects?.0);
        let attributes = self.attributes?.0;
        let mut words = if self.words_version? >= WORDS_VERSION {
            Words {
                all: self.words?,
                name: self.name_words?,
                effects: self.effect_words?,
                lore: self.lore_words?,
                attributes: self.attribute_words?.0,
            }
        } else {
            // An older program wrote this row. Updating the row later would be no event of the change feed, so the
            // index would never read it again: the words are derived here.
            Words::of(&name, &effects, self.lore.as_deref(), &attributes)
        };
        // The index folds the texts of printings itself.
        remove_printing_words(&mut words.attributes);
        let tags = |effect: Effect| EffectTags { style: effect.style, slot: effect.slot };
        Some(CardContent {
            name,
            kind: self.kind?,
            attributes,
            effects: effects.into_iter().map(tags).collect(),
            has_lore: self.lore.is_some_and(|lore| !lore.is_empty()),
            words,
            printings: Vec::new(),
        })
    }
}

/// The printings of a card, in any order.
#[derive(QueryableByName)]
struct PrintingsRow {
    #[diesel(sql_type = SqlUuid)]
    card_id: CardId,
    #[diesel(sql_type = Array<Text>)]
    rarities: Vec<String>,
    #[diesel(sql_type = Array<Int2>)]
    tiers: Vec<i16>,
    #[diesel(sql_type = Array<Jsonb>)]
    attributes: Vec<Json<Map<String, Value>>>,
}

impl Row {
    fn into_record(self) -> CardRecord {
        let unlock = match (self.started_hidden, self.unlocked_at) {
            (false, _) => Unlock::Never,
            (true, None) => Unlock::Hidden,
            (true, Some(at)) => Unlock::At(at),
        };
        CardRecord {
            id: self.id.0.as_u128(),
            game: self.game_code,
            set: self.set_code,
            number: self.number,
            unlock,
            content: self.content.into_content(),
        }
    }
}

/// A range of card ids: after the first, up to and including the second.
pub(in crate::store) type IdRange = (CardId, CardId);

/// Splits all possible ids into ranges with `cards` cards each.
pub async fn split_ids(conn: &mut Connection, cards: i64) -> StoreResult<Vec<IdRange>> {
    let ends: Vec<IdRow> = sql(
        "SELECT id AS card_id FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM cards) placed WHERE place % $cards = 0 ORDER BY id",
    )
    .bind("cards", cards)
    .load(conn)
    .await?;
    let ends = ends.into_iter().map(|row| row.card_id).chain([CardId(Uuid::max())]);
    let mut after = CardId(Uuid::nil());
    Ok(ends.map(|end| (std::mem::replace(&mut after, end), end)).collect())
}

/// The cards of a range of ids, as an anonymous viewer sees them.
///
/// Each range is read in its own snapshot. A reader that reads all ranges, and then again the cards that the change
/// feed names since before the first range, misses nothing: ids never change, earlier commits are in the ranges, and
/// later ones in the feed.
pub async fn load_range(
    conn: &mut Connection,
    (after, to): IdRange,
) -> StoreResult<Vec<CardRecord>> {
    let viewer = Viewer::stranger();
    let sql = sql(SEARCH_COLUMNS).push_is_visible(viewer);
    let sql = sql.push(" WHERE c.id > ").value(after);
    let sql = sql.push(" AND c.id <= ").value(to);
    let rows: Vec<Row> = sql.load(conn).await?;
    add_printings(conn, viewer, rows).await
}

/// The cards with these ids, as the viewer may see them, in any order; ids of no card are skipped.
pub async fn load_records(
    conn: &mut Connection,
    viewer: Viewer,
    ids: &[CardId],
) -> StoreResult<Vec<CardRecord>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let sql = sql(SEARCH_COLUMNS).push_is_visible(viewer).push(" WHERE c.id = ").any(ids);
    let rows: Vec<Row> = sql.load(conn).await?;
    add_printings(conn, viewer, rows).await
}

/// Adds the printings of the cards whose content the viewer may see.
async fn add_printings(
    conn: &mut Connection,
    viewer: Viewer,
    rows: Vec<Row>,
) -> StoreResult<Vec<CardRecord>> {
    let mut records: Vec<CardRecord> = rows.into_iter().map(Row::into_record).collect();
    records.sort_unstable_by_key(|record| record.id);
    let seen = records.iter().filter(|record| record.content.is_some());
    let seen: Vec<Uuid> = seen.map(|record| Uuid::from_u128(record.id)).collect();
    if seen.is_empty() {
        return Ok(records);
    }
    let sql = sql(
        "SELECT p.card_id, array_agg(p.rarity) AS rarities, array_agg(p.tier) AS tiers, array_agg(own.attributes) AS attributes \
         FROM printings p JOIN printing_content own ON own.printing_id = p.id \
         JOIN card_content content ON content.card_id = p.card_id AND ",
    )
    .push_is_visible(viewer)
    .push(" WHERE p.card_id = ")
    .any(seen)
    .push(" GROUP BY p.card_id");
    let rows: Vec<PrintingsRow> = sql.load(conn).await?;
    for row in rows {
        let card = row.card_id.0.as_u128();
        let at = records.binary_search_by_key(&card, |record| record.id);
        let content = at.ok().and_then(|at| records[at].content.as_mut());
        if let Some(content) = content {
            let printings = row.rarities.into_iter().zip(row.tiers).zip(row.attributes);
            content.printings.extend(printings.map(|((rarity, tier), Json(attributes))| {
                PrintingRecord { rarity, tier, attributes }
            }));
        }
    }
    Ok(records)
}

#[derive(QueryableByName)]
struct IdRow {
    #[diesel(sql_type = SqlUuid)]
    card_id: CardId,
}

/// The hidden cards of which an account holds a registered copy; at most `limit`.
pub async fn list_held_hidden(
    mut conn: &Connection,
    account: AccountId,
    limit: i64,
) -> StoreResult<Vec<CardId>> {
    // The cards of the account are found first, and each of them is looked up. Without `MATERIALIZED`, Postgres, which
    // does not know the limit when it plans, would join all hidden cards with all of the account's cards and expect to
    // stop early.
    let sql = sql("WITH mine AS MATERIALIZED (SELECT DISTINCT one.card_id FROM (")
        .push(HELD_CARDS)
        .value(account)
        .push(
            ") one) SELECT mine.card_id FROM mine WHERE (SELECT u.unlocked_at IS NULL FROM unlocks u WHERE u.card_id = mine.card_id) LIMIT ",
        )
        .value(limit);
    let rows: Vec<IdRow> = sql.load(&mut conn).await?;
    Ok(rows.into_iter().map(|row| row.card_id).collect())
}

/// The release day of a set.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub struct Release {
    #[diesel(sql_type = Text)]
    pub game_code: String,
    /// Set code.
    #[diesel(sql_type = Text)]
    pub code: String,
    /// The day; `None`: unknown.
    #[diesel(sql_type = Nullable<Date>)]
    pub released_on: Option<NaiveDate>,
}

/// The release days of all sets, or only of these, by game and code.
pub async fn load_releases(
    conn: &mut Connection,
    only: Option<&[(String, String)]>,
) -> StoreResult<Vec<Release>> {
    let Some(only) = only else {
        let rows: Vec<(String, String, Option<NaiveDate>)> =
            sets::table.select((sets::game_code, sets::code, sets::released_on)).load(conn).await?;
        let release = |(game_code, code, released_on)| Release { game_code, code, released_on };
        return Ok(rows.into_iter().map(release).collect());
    };
    let (games, codes): (Vec<&str>, Vec<&str>) =
        only.iter().map(|(game, code)| (game.as_str(), code.as_str())).unzip();
    let query = sql(
        "SELECT s.game_code, s.code, s.released_on FROM unnest($games, $codes) AS named (game, code) \
         JOIN sets s ON s.game_code = named.game AND s.code = named.code",
    );
    Ok(query.bind("games", games).bind("codes", codes).load(conn).await?)
}
