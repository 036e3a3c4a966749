//! Collections and trade lists as a viewer may see them. For a card that the viewer may not see they show its place,
//! and nothing that depends on its content: neither its rarities nor their number.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Int4, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use serde::Deserialize;

use crate::auth::permission::Viewer;
use crate::domain::collection::resolve::{FormerCard, KnownCard, KnownPrinting};
use crate::domain::collection::{Condition, TradeListKind};
use crate::domain::ids::{AccountId, CardId, PrintingId};
use crate::store::db::codecs::json::Json;
use crate::store::db::statement::{Statement, sql};
use crate::store::{Connection, StoreResult};

/// Most names, places or ids in one statement.
const CHUNK: usize = 2_000;

/// A card in lists: its place, and its name and kind if visible.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub struct CardLine {
    #[diesel(sql_type = SqlUuid)]
    pub id: CardId,
    #[diesel(sql_type = Text)]
    pub game_code: String,
    #[diesel(sql_type = Text)]
    pub set_code: String,
    /// Collector number.
    #[diesel(sql_type = Text)]
    pub number: String,
    /// Whether it is hidden from the public.
    #[diesel(sql_type = Bool)]
    pub hidden: bool,
    /// Name; `None`: hidden from the viewer.
    #[diesel(sql_type = Nullable<Text>)]
    pub name: Option<String>,
    /// Kind code; `None`: hidden from the viewer.
    #[diesel(sql_type = Nullable<Text>)]
    pub kind: Option<String>,
}

const LINE_COLUMNS: &str = "SELECT c.id, c.game_code, c.set_code, c.number, \
    (u.card_id IS NOT NULL AND u.unlocked_at IS NULL) AS hidden, content.name, content.kind, \
    CASE WHEN content.card_id IS NOT NULL THEN p.rarity END AS rarity";

/// Adds the joins that [`LINE_COLUMNS`] needs beside cards (`c`) and printings (`p`).
fn push_content(sql: Statement<'_>, viewer: Viewer) -> Statement<'_> {
    sql.push(" LEFT JOIN unlocks u ON u.card_id = c.id LEFT JOIN card_content content ON content.card_id = c.id AND ")
        .push_is_visible(viewer)
}

/// An entry of a collection.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub struct EntryView {
    #[diesel(embed)]
    pub card: CardLine,
    #[diesel(sql_type = SqlUuid)]
    pub printing_id: PrintingId,
    /// Rarity; `None`: the card is hidden from the viewer.
    #[diesel(sql_type = Nullable<Text>)]
    pub rarity: Option<String>,
    /// In which condition.
    #[diesel(sql_type = Text)]
    pub condition: Condition,
    /// Number of cards.
    #[diesel(sql_type = Int4)]
    pub quantity: i32,
    /// When it was changed last.
    #[diesel(sql_type = Timestamptz)]
    pub updated_at: DateTime<Utc>,
}

impl EntryView {
    /// Its position in the list.
    pub fn position(&self) -> EntryPosition {
        let CardLine { game_code, set_code, number, .. } = &self.card;
        let condition = self.condition.as_str().to_owned();
        (game_code.clone(), set_code.clone(), number.clone(), self.printing_id, condition)
    }
}

/// Game, set, number, printing and condition.
pub type EntryPosition = (String, String, String, PrintingId, String);

/// Filter of collection entries.
#[derive(Clone, Debug, Default)]
pub struct EntryFilter<'a> {
    pub game: Option<&'a str>,
    pub set: Option<&'a str>,
    /// Only this card, or the one that it was merged into.
    pub card: Option<CardId>,
    /// Rarity code: only of cards that the viewer may see.
    pub rarity: Option<&'a str>,
    /// Only these printings.
    pub printings: Option<Vec<PrintingId>>,
}

fn push_filters<'a>(
    sql: Statement<'a>,
    viewer: Viewer,
    account: AccountId,
    filter: &EntryFilter<'a>,
) -> Statement<'a> {
    let mut sql = sql.push(" WHERE e.account_id = ").value(account);
    if let Some(game) = filter.game {
        sql = sql.push(" AND c.game_code = ").value(game);
    }
    if let Some(set) = filter.set {
        sql = sql.push(" AND c.set_code = ").value(set);
    }
    if let Some(card) = filter.card {
        // The id of a merged card means the card that it became.
        sql = sql
            .push(" AND c.id = coalesce((SELECT merged.card_id FROM card_migrations merged WHERE merged.kind = 'merge' AND merged.old_card_id = ")
            .value(card)
            .push("), ")
            .value(card)
            .push(")");
    }
    if let Some(rarity) = filter.rarity {
        sql = sql
            .push(" AND p.rarity = ")
            .value(rarity)
            .push(" AND EXISTS (SELECT FROM card_content content WHERE content.card_id = c.id AND ")
            .push_is_visible(viewer)
            .push(")");
    }
    match &filter.printings {
        Some(printings) => sql.push(" AND e.printing_id = ").any(printings.clone()),
        None => sql,
    }
}

/// Adds the condition that a row comes after a place, or is at the place and has `columns` greater than the value that
/// is pushed next. The place is also compared separately, because Postgres has an index and statistics for it.
fn push_after<'a>(
    sql: Statement<'a>,
    (game, set, number): (&'a str, &'a str, &'a str),
    columns: &str,
) -> Statement<'a> {
    let place = |sql: Statement<'a>| {
        let sql = sql.push("(").value(game).push(", ").value(set);
        sql.push(", ").value(number).push(")")
    };
    let sql = place(sql.push(" AND (c.game_code, c.set_code, c.number) >= "));
    let sql = place(sql.push(" AND ((c.game_code, c.set_code, c.number) <> "));
    sql.push(" OR ").push(columns).push(" > ")
}

const JOIN_CARDS: &str =
    " e JOIN printings p ON p.id = e.printing_id JOIN cards c ON c.id = p.card_id";
const ENTRY_COLUMNS: &str = ", e.printing_id, e.condition, e.quantity, e.updated_at FROM ";
const ENTRY_ORDER: &str = " ORDER BY c.game_code, c.set_code, c.number, e.printing_id, e.condition";

/// All entries of a collection by game, set, number, printing and condition.
pub(in crate::store) async fn list_entries(
    conn: &mut Connection,
    viewer: Viewer,
    account: AccountId,
    filter: &EntryFilter<'_>,
) -> StoreResult<Vec<EntryView>> {
    let sql = sql(LINE_COLUMNS).push(ENTRY_COLUMNS).push("collection_entries").push(JOIN_CARDS);
    let sql = push_filters(push_content(sql, viewer), viewer, account, filter).push(ENTRY_ORDER);
    Ok(sql.varies_with_filters().load(conn).await?)
}

/// One page of the entries, after a position.
///
/// The entries of the page are found first, and content is joined only to those. `MATERIALIZED` makes Postgres start
/// with the entries of the account; otherwise it would walk through all cards in order and expect to find enough
/// entries soon.
pub(in crate::store) async fn page_entries(
    conn: &mut Connection,
    viewer: Viewer,
    account: AccountId,
    filter: &EntryFilter<'_>,
    after: Option<&EntryPosition>,
    limit: i64,
) -> StoreResult<Vec<EntryView>> {
    let sql = sql(
        "WITH mine AS MATERIALIZED (SELECT c.game_code, c.set_code, c.number, e.* FROM collection_entries",
    );
    let mut sql = push_filters(sql.push(JOIN_CARDS), viewer, account, filter);
    if let Some((game, set, number, printing, condition)) = after {
        sql = push_after(sql, (game, set, number), "(e.printing_id, e.condition)")
            .push("(")
            .value(*printing)
            .push(", ")
            .value(condition)
            .push("))");
    }
    let sql = sql
        .push("), page AS (SELECT * FROM mine ORDER BY game_code, set_code, number, printing_id, condition LIMIT ")
        .value(limit)
        .push(") ")
        .push(LINE_COLUMNS)
        .push(ENTRY_COLUMNS)
        .push("page");
    let sql = push_content(sql.push(JOIN_CARDS), viewer).push(ENTRY_ORDER);
    Ok(sql.varies_with_filters().load(conn).await?)
}

#[derive(QueryableByName)]
struct CountRow {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// How many entries there are.
pub(in crate::store) async fn count_entries(
    conn: &mut Connection,
    viewer: Viewer,
    account: AccountId,
    filter: &EntryFilter<'_>,
) -> StoreResult<i64> {
    let sql = sql("SELECT count(*) AS count FROM collection_entries").push(JOIN_CARDS);
    let sql = push_filters(sql, viewer, account, filter);
    let row: CountRow = sql.varies_with_filters().get_result(conn).await?;
    Ok(row.count)
}

/// A printing that a player has several times.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub struct DuplicateView {
    #[diesel(embed)]
    pub card: CardLine,
    #[diesel(sql_type = SqlUuid)]
    pub printing_id: PrintingId,
    /// Rarity; `None`: the card is hidden from the viewer.
    #[diesel(sql_type = Nullable<Text>)]
    pub rarity: Option<String>,
    /// Number of counted cards, in all conditions.
    #[diesel(sql_type = BigInt)]
    pub counted: i64,
    /// Number of registered copies that are not void.
    #[diesel(sql_type = BigInt)]
    pub registered: i64,
}

impl DuplicateView {
    /// Its position in the list.
    pub fn position(&self) -> DuplicatePosition {
        let CardLine { game_code, set_code, number, .. } = &self.card;
        (game_code.clone(), set_code.clone(), number.clone(), self.printing_id)
    }
}

/// Game, set, number and printing.
pub type DuplicatePosition = (String, String, String, PrintingId);

/// Printings of which the account has more than `over`, counted and registered together.
pub(in crate::store) async fn list_duplicates(
    conn: &mut Connection,
    viewer: Viewer,
    account: AccountId,
    game: Option<&str>,
    over: i64,
    after: Option<&DuplicatePosition>,
    limit: i64,
) -> StoreResult<Vec<DuplicateView>> {
    let mut sql = sql(LINE_COLUMNS)
        .push(", n.printing_id, n.counted, n.registered FROM (SELECT n.* FROM (SELECT one.printing_id, \
               sum(one.counted)::bigint AS counted, sum(one.registered)::bigint AS registered FROM (\
               SELECT printing_id, quantity AS counted, 0 AS registered FROM collection_entries WHERE account_id = ")
        .value(account)
        .push(" UNION ALL SELECT printing_id, 0, 1 FROM copies WHERE voided_at IS NULL AND owner_id = ")
        .value(account)
        .push(") one GROUP BY one.printing_id HAVING sum(one.counted + one.registered) > ")
        .value(over)
        .push(") n JOIN printings p ON p.id = n.printing_id JOIN cards c ON c.id = p.card_id WHERE true");
    if let Some(game) = game {
        sql = sql.push(" AND c.game_code = ").value(game);
    }
    if let Some((game, set, number, printing)) = after {
        sql = push_after(sql, (game, set, number), "n.printing_id").value(*printing).push(")");
    }
    let order = " ORDER BY c.game_code, c.set_code, c.number, n.printing_id";
    let sql = sql.push(order).push(" LIMIT ").value(limit);
    let sql =
        sql.push(") n JOIN printings p ON p.id = n.printing_id JOIN cards c ON c.id = p.card_id");
    Ok(push_content(sql, viewer).push(order).varies_with_filters().load(conn).await?)
}

/// An item of a list of wants or haves.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub struct TradeItemView {
    #[diesel(embed)]
    pub card: CardLine,
    /// Its printing; `None`: any rarity.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub printing_id: Option<PrintingId>,
    /// Rarity of the printing; `None`: any rarity, or the card is hidden from the viewer.
    #[diesel(sql_type = Nullable<Text>)]
    pub rarity: Option<String>,
    /// The number wanted or offered.
    #[diesel(sql_type = Int4)]
    pub quantity: i32,
}

/// The items of a list, in their owner's order.
pub(in crate::store) async fn list_trade_items(
    conn: &mut Connection,
    viewer: Viewer,
    account: AccountId,
    kind: TradeListKind,
) -> StoreResult<Vec<TradeItemView>> {
    let sql = sql(LINE_COLUMNS).push(
        ", i.printing_id, i.quantity FROM trade_list_items i JOIN cards c ON c.id = i.card_id \
         LEFT JOIN printings p ON p.id = i.printing_id",
    );
    let sql = push_content(sql, viewer)
        .push(" WHERE i.account_id = ")
        .value(account)
        .push(" AND i.kind = ")
        .value(kind.as_str())
        .push(" ORDER BY i.position");
    Ok(sql.varies_with_filters().load(conn).await?)
}

/// A printing that the viewer may see.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub struct VisiblePrinting {
    #[diesel(sql_type = SqlUuid)]
    pub id: PrintingId,
    #[diesel(sql_type = SqlUuid)]
    pub card_id: CardId,
    #[diesel(sql_type = Text)]
    pub rarity: String,
}

/// Printings with these ids, or of these cards, if the viewer may see them.
pub(in crate::store) async fn find_visible_printings(
    conn: &mut Connection,
    viewer: Viewer,
    ids: &[PrintingId],
    cards: &[CardId],
) -> StoreResult<Vec<VisiblePrinting>> {
    let sql = sql(
        "SELECT p.id, p.card_id, p.rarity FROM printings p JOIN card_content content ON content.card_id = p.card_id AND ",
    )
    .push_is_visible(viewer)
    .push(" WHERE p.id = ").any(ids).push(" OR p.card_id = ").any(cards);
    Ok(sql.varies_with_filters().load(conn).await?)
}

#[derive(QueryableByName)]
struct KnownRow {
    #[diesel(sql_type = SqlUuid)]
    id: CardId,
    #[diesel(sql_type = Text)]
    game_code: String,
    #[diesel(sql_type = Text)]
    set_code: String,
    #[diesel(sql_type = Text)]
    number: String,
    #[diesel(sql_type = Nullable<Text>)]
    name: Option<String>,
    #[diesel(sql_type = Jsonb)]
    printings: Json<Vec<KnownPrintingRow>>,
}

#[derive(Deserialize)]
struct KnownPrintingRow {
    id: PrintingId,
    rarity: String,
}

impl KnownRow {
    fn into_card(self) -> KnownCard {
        let printing = |row: KnownPrintingRow| KnownPrinting { id: row.id, rarity: row.rarity };
        KnownCard {
            id: self.id,
            game: self.game_code,
            set: self.set_code,
            number: self.number,
            name: self.name,
            printings: self.printings.0.into_iter().map(printing).collect(),
        }
    }
}

const KNOWN_COLUMNS: &str = "SELECT c.id, c.game_code, c.set_code, c.number, content.name, \
    (SELECT coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'rarity', p.rarity) ORDER BY p.tier), '[]') \
     FROM printings p WHERE p.card_id = c.id) AS printings FROM ";

/// The values by which the lines of a file name their cards.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct CardReferences {
    /// Search keys of names.
    pub names: Vec<String>,
    /// Game, set, and number in every spelling.
    pub places: Vec<(String, String, String)>,
    /// The same for places that cards had before they were moved or merged.
    pub former_places: Vec<(String, String, String)>,
    /// Ids of printings.
    pub printings: Vec<PrintingId>,
}

const AT_PLACE: &str =
    "cards c ON c.game_code = place.game AND c.set_code = place.set AND c.number = place.number";
const ONCE_AT_PLACE: &str = "card_migrations m ON m.game_code = place.game AND m.old_set_code = place.set \
    AND m.old_number = place.number JOIN cards c ON c.id = m.card_id";

/// The cards that these values may mean: cards that the viewer may see, and, by printing id, those that the account has
/// counted.
pub(in crate::store) async fn find_known_cards(
    conn: &mut Connection,
    viewer: Viewer,
    account: AccountId,
    references: &CardReferences,
) -> StoreResult<Vec<KnownCard>> {
    let mut rows: Vec<KnownRow> = Vec::new();
    for names in references.names.chunks(CHUNK) {
        let sql = sql(KNOWN_COLUMNS)
            .push_visible_content_by_name(viewer)
            .push(" JOIN cards c ON c.id = content.card_id WHERE content.search_key = ")
            .any(names)
            .push(" ORDER BY c.game_code, c.set_code, c.number");
        rows.extend(sql.load::<KnownRow>(conn).await?);
    }
    let places = references.places.chunks(CHUNK).map(|places| (places, AT_PLACE));
    let former = references.former_places.chunks(CHUNK).map(|places| (places, ONCE_AT_PLACE));
    for (places, join) in places.chain(former) {
        let part = |of: fn(&(String, String, String)) -> &String| -> Vec<&String> {
            places.iter().map(of).collect()
        };
        let sql = sql(KNOWN_COLUMNS)
            .push("unnest(")
            .value(part(|place| &place.0))
            .push(", ")
            .value(part(|place| &place.1))
            .push(", ")
            .value(part(|place| &place.2))
            .push(") AS place (game, set, number) JOIN ")
            .push(join)
            .push(" JOIN card_content content ON content.card_id = c.id AND ")
            .push_is_visible(viewer);
        rows.extend(sql.load::<KnownRow>(conn).await?);
    }
    for printings in references.printings.chunks(CHUNK) {
        let visible = sql(KNOWN_COLUMNS)
            .push("cards c JOIN card_content content ON content.card_id = c.id AND ")
            .push_is_visible(viewer)
            .push(" WHERE c.id IN (SELECT card_id FROM printings WHERE id = ")
            .any(printings)
            .push(")");
        rows.extend(visible.load::<KnownRow>(conn).await?);
        // Cards that the account has counted but may not see any more: only the counted printings.
        let hidden = sql(
            "SELECT c.id, c.game_code, c.set_code, c.number, NULL::text AS name, \
             jsonb_agg(DISTINCT jsonb_build_object('id', p.id, 'rarity', '')) AS printings \
             FROM collection_entries e JOIN printings p ON p.id = e.printing_id JOIN cards c ON c.id = p.card_id \
             LEFT JOIN card_content content ON content.card_id = c.id AND ",
        )
        .push_is_visible(viewer)
        .push(" WHERE content.card_id IS NULL AND e.account_id = ")
        .value(account)
        .push(" AND e.printing_id = ")
        .any(printings)
        .push(" GROUP BY c.id");
        rows.extend(hidden.load::<KnownRow>(conn).await?);
    }
    Ok(rows.into_iter().map(KnownRow::into_card).collect())
}

#[derive(QueryableByName)]
struct FormerRow {
    #[diesel(sql_type = SqlUuid)]
    card_id: CardId,
    #[diesel(sql_type = Nullable<Text>)]
    name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    set_code: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    number: Option<String>,
}

/// What these cards were before, as far as the viewer may read their history. Former places are public.
pub(in crate::store) async fn find_former_cards(
    conn: &mut Connection,
    viewer: Viewer,
    cards: &[CardId],
) -> StoreResult<BTreeMap<CardId, FormerCard>> {
    let mut found: BTreeMap<CardId, FormerCard> = BTreeMap::new();
    for cards in cards.chunks(CHUNK) {
        let sql = sql(
            "SELECT m.card_id, NULL::text AS name, m.old_set_code AS set_code, m.old_number AS number \
             FROM card_migrations m WHERE m.card_id = ",
        )
        .any(cards)
        .push(
            " UNION ALL SELECT h.card_id, coalesce(one.change ->> 'before', one.change #>> '{after,name}'), NULL, NULL \
             FROM card_history h JOIN card_content content ON content.card_id = h.card_id AND ",
        )
        .push_is_visible(viewer)
        .push(" CROSS JOIN LATERAL jsonb_array_elements(h.changes) AS one (change) WHERE (NOT h.early OR ")
        .push(if viewer.sees_all() { "true" } else { "false" })
        .push(") AND (h.change = 'merged' OR one.change ->> 'member' = '/name') AND h.card_id = ")
        .any(cards);
        for row in sql.load::<FormerRow>(conn).await? {
            let former = found.entry(row.card_id).or_default();
            former.names.extend(row.name);
            former.places.extend(row.set_code.zip(row.number));
        }
    }
    Ok(found)
}
