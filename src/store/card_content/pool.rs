//! Card definitions for the engine: those that a report needs, if the viewer may see them. Also names and places of cards by their ids.

use std::collections::BTreeMap;

use cardscape_engine::{Attributes, CardDefinition, PoolCard, PrintingDefinition};
use chrono::NaiveDate;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Date, Jsonb, Nullable, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use crate::auth::permission::Viewer;
use crate::domain::clock::engine_date;
use crate::domain::ids::{AccountId, CardId};
use crate::store::db::codecs::json::Json;
use crate::store::db::statement::{Statement, sql};
use crate::store::{Connection, StoreResult};

/// The columns with which decks are judged: without effects and background text.
const DEFINITION_COLUMNS: &str = "SELECT c.id, c.set_code, c.number, \
    (SELECT released_on FROM sets WHERE sets.game_code = c.game_code AND sets.code = c.set_code) AS released_on, content.name, content.kind, content.attributes, \
    (SELECT coalesce(jsonb_agg(jsonb_build_object('rarity', p.rarity, 'attributes', own.attributes) ORDER BY p.tier), '[]') \
     FROM printings p JOIN printing_content own ON own.printing_id = p.id WHERE p.card_id = c.id) AS printings FROM ";

#[derive(QueryableByName)]
struct DefinitionRow {
    #[diesel(sql_type = SqlUuid)]
    id: CardId,
    #[diesel(sql_type = Text)]
    set_code: String,
    #[diesel(sql_type = Text)]
    number: String,
    #[diesel(sql_type = Nullable<Date>)]
    released_on: Option<NaiveDate>,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Jsonb)]
    attributes: Json<Attributes>,
    #[diesel(sql_type = Jsonb)]
    printings: Json<Vec<PrintingDefinition>>,
}

/// The place of a card, and whether the viewer may see only that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenPlace {
    /// Code of the set.
    pub set: String,
    /// Number in the set.
    pub number: String,
    /// Whether it is hidden from the viewer.
    pub hidden: bool,
}

/// A card for decks.
pub(in crate::store) struct PoolHit {
    pub id: CardId,
    pub card: PoolCard,
}

impl From<DefinitionRow> for PoolHit {
    fn from(row: DefinitionRow) -> Self {
        let definition = CardDefinition {
            number: row.number,
            name: row.name,
            kind: row.kind,
            attributes: row.attributes.0,
            effects: Vec::new(),
            lore: None,
            printings: row.printings.0,
        };
        let card = PoolCard {
            key: row.id.to_string(),
            set: row.set_code,
            released_on: row.released_on.as_ref().and_then(engine_date),
            definition,
        };
        Self { id: row.id, card }
    }
}

/// The cards of a game that have one of these names ([`cardscape_engine::name_key`]), by set and number.
pub(in crate::store) async fn find_by_names(
    conn: &mut Connection,
    viewer: Viewer,
    game: &str,
    name_keys: &[String],
) -> StoreResult<Vec<PoolHit>> {
    let sql = sql(DEFINITION_COLUMNS)
        .push_visible_content(viewer)
        .push(" JOIN cards c ON c.id = content.card_id WHERE content.game_code = ")
        .value(game)
        .push(" AND content.name_key = ")
        .any(name_keys)
        .push(" ORDER BY c.set_code, c.number");
    load(conn, sql).await
}

#[derive(QueryableByName)]
struct IdRow {
    #[diesel(sql_type = SqlUuid)]
    id: CardId,
}

/// The ids of the cards of a game that have this name ([`cardscape_engine::name_key`]).
pub(in crate::store) async fn find_ids_by_name(
    conn: &mut Connection,
    viewer: Viewer,
    game: &str,
    name_key: &str,
) -> StoreResult<Vec<CardId>> {
    let rows: Vec<IdRow> = sql("SELECT content.card_id AS id FROM ")
        .push_visible_content(viewer)
        .push(" WHERE content.game_code = ")
        .value(game)
        .push(" AND content.name_key = ")
        .value(name_key)
        .load(conn)
        .await?;
    Ok(rows.into_iter().map(|IdRow { id }| id).collect())
}

/// The open cards of a game that have one of these names without regard to accents ([`cardscape_engine::search_key`]), by set and number.
pub(in crate::store) async fn find_open_by_search_keys(
    conn: &mut Connection,
    game: &str,
    search_keys: &[String],
) -> StoreResult<Vec<PoolHit>> {
    let sql = sql(DEFINITION_COLUMNS)
        .push("card_content content JOIN cards c ON c.id = content.card_id WHERE content.open AND content.game_code = ")
        .value(game)
        .push(" AND content.search_key = ")
        .any(search_keys)
        .push(" ORDER BY c.set_code, c.number");
    load(conn, sql).await
}

/// The cards of a game with these ids that the viewer may see, in any order.
pub(in crate::store) async fn find_by_ids(
    conn: &mut Connection,
    viewer: Viewer,
    game: &str,
    ids: &[CardId],
) -> StoreResult<Vec<PoolHit>> {
    let sql = sql(DEFINITION_COLUMNS)
        .push("cards c JOIN card_content content ON content.card_id = c.id WHERE c.id = ")
        .any(ids)
        .push(" AND c.game_code = ")
        .value(game)
        .push(" AND ")
        .push_is_visible(viewer);
    let rows: Vec<DefinitionRow> = sql.load(conn).await?;
    Ok(rows.into_iter().map(PoolHit::from).collect())
}

/// The hidden cards of a game that have one of these names and of which an account holds a copy, by set and number.
///
/// The names are looked up, and for each card that is found it is tested whether the account holds it, because the
/// account may hold far more cards. A guessed name of a hidden card must not take longer than any other name. So for a
/// name that no hidden card has, the card at the same index in `decoys` is tested: a hidden card that is as likely to
/// be in the memory of Postgres as the card whose name was guessed.
pub(in crate::store) async fn find_held_hidden_by_names(
    conn: &mut Connection,
    account: AccountId,
    game: &str,
    name_keys: &[&str],
    decoys: &[CardId],
) -> StoreResult<Vec<PoolHit>> {
    // `MATERIALIZED` keeps the two steps apart: otherwise Postgres would test only the names that were found.
    let sql = sql("WITH tested AS MATERIALIZED (\
         SELECT closed.card_id, EXISTS (SELECT FROM copies held WHERE held.voided_at IS NULL AND held.owner_id = $account AND held.printing_id = ANY(ARRAY(\
          SELECT held_as.id FROM printings held_as WHERE held_as.card_id = coalesce(closed.card_id, asked.decoy)))) AS is_held, \
         (SELECT NOT one.open FROM card_content one WHERE one.card_id = coalesce(closed.card_id, asked.decoy)) AS is_hidden \
         FROM unnest($names, $decoys) AS asked (name_key, decoy) \
         LEFT JOIN card_content closed ON closed.game_code = $game AND closed.name_key = asked.name_key AND NOT closed.open) ")
        .bind("account", account)
        .bind("names", name_keys)
        .bind("decoys", decoys)
        .bind("game", game)
        .push(DEFINITION_COLUMNS)
        .push("tested JOIN card_content content ON content.card_id = tested.card_id JOIN cards c ON c.id = content.card_id \
         WHERE tested.is_held AND tested.is_hidden ORDER BY c.set_code, c.number");
    load(conn, sql).await
}

/// The cards of a set, by number.
pub(in crate::store) async fn find_by_set(
    conn: &mut Connection,
    viewer: Viewer,
    game: &str,
    set: &str,
) -> StoreResult<Vec<PoolHit>> {
    let sql = sql(DEFINITION_COLUMNS)
        .push("cards c JOIN card_content content ON content.card_id = c.id WHERE c.game_code = ")
        .value(game)
        .push(" AND c.set_code = ")
        .value(set)
        .push(" AND ")
        .push_is_visible(viewer)
        .push(" ORDER BY c.number");
    load(conn, sql).await
}

#[derive(QueryableByName)]
struct PlaceRow {
    #[diesel(sql_type = SqlUuid)]
    id: CardId,
    #[diesel(sql_type = Text)]
    set_code: String,
    #[diesel(sql_type = Text)]
    number: String,
    #[diesel(sql_type = Bool)]
    hidden: bool,
}

/// The places of the cards with these ids, and whether the viewer may see only that.
pub(in crate::store) async fn find_places(
    mut conn: &Connection,
    viewer: Viewer,
    ids: &[CardId],
) -> StoreResult<BTreeMap<CardId, SeenPlace>> {
    let rows: Vec<PlaceRow> = sql("SELECT c.id, c.set_code, c.number, NOT ")
        .push_is_visible(viewer)
        .push(" AS hidden FROM cards c JOIN card_content content ON content.card_id = c.id WHERE c.id = ")
        .any(ids)
        .load(&mut conn)
        .await?;
    let place =
        |PlaceRow { id, set_code: set, number, hidden }| (id, SeenPlace { set, number, hidden });
    Ok(rows.into_iter().map(place).collect())
}

#[derive(QueryableByName)]
struct NameRow {
    #[diesel(sql_type = SqlUuid)]
    id: CardId,
    #[diesel(sql_type = Text)]
    name: String,
}

/// The names of the cards with these ids that the viewer may see.
pub(in crate::store) async fn find_names(
    conn: &mut Connection,
    viewer: Viewer,
    ids: &[CardId],
) -> StoreResult<BTreeMap<CardId, String>> {
    let rows: Vec<NameRow> =
        sql("SELECT content.card_id AS id, content.name FROM card_content content WHERE content.card_id = ")
            .any(ids)
            .push(" AND ")
            .push_is_visible(viewer)
            .load(conn)
            .await?;
    Ok(rows.into_iter().map(|NameRow { id, name }| (id, name)).collect())
}

async fn load(conn: &mut Connection, sql: Statement<'_>) -> StoreResult<Vec<PoolHit>> {
    let rows: Vec<DefinitionRow> = sql.load(conn).await?;
    Ok(rows.into_iter().map(PoolHit::from).collect())
}
