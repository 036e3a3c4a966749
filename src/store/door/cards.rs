//! Cards as a viewer sees them.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{
    BigInt, Bool, Int2, Int4, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid,
};
use diesel_async::RunQueryDsl;
use serde_json::{Map, Value};
use uuid::Uuid;

use cardscape_engine::Effect;

use super::Sql;
use super::pool::stored;
use crate::auth::permission::Viewer;
use crate::domain::ids::{CardId, PrintingId};
use crate::search::{CardFilter, NamePattern};
use crate::store::{Connection, StoreResult};

/// How far a card that started hidden is from being unlocked. Everybody may know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnlockProgress {
    /// Submissions that count.
    pub submissions: i32,
    /// How many are needed.
    pub threshold: i32,
    /// When it was unlocked; `None`: it is hidden.
    pub unlocked_at: Option<DateTime<Utc>>,
}

/// Where a card stands: what everybody may know of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardPlace {
    /// Id.
    pub id: CardId,
    /// Game code.
    pub game: String,
    /// Set code.
    pub set: String,
    /// Collector number.
    pub number: String,
}

/// A card as a viewer sees it.
#[derive(Clone, Debug, PartialEq)]
pub enum CardView {
    /// The viewer may see all of it.
    Open(Box<OpenCard>),
    /// The viewer may know that it exists, and how far it is from being unlocked.
    Hidden(HiddenCard),
}

/// A card with its content.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenCard {
    /// Where it stands.
    pub place: CardPlace,
    /// Its progress, when it started hidden.
    pub unlock: Option<UnlockProgress>,
    /// Name.
    pub name: String,
    /// Kind code.
    pub kind: String,
    /// Attributes of the base printing.
    pub attributes: Map<String, Value>,
    /// Effects, in printed order.
    pub effects: Vec<Effect>,
    /// Background text.
    pub lore: Option<String>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
}

impl OpenCard {
    /// Whether it is still hidden from the public: the viewer sees it as a holder or a moderator.
    pub fn is_hidden(&self) -> bool {
        self.unlock.is_some_and(|unlock| unlock.unlocked_at.is_none())
    }
}

/// A card without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenCard {
    /// Where it stands.
    pub place: CardPlace,
    /// How far it is from being unlocked.
    pub unlock: UnlockProgress,
}

impl CardView {
    /// Where the card stands.
    pub fn place(&self) -> &CardPlace {
        match self {
            Self::Open(card) => &card.place,
            Self::Hidden(card) => &card.place,
        }
    }

    /// Whether it is hidden from the public.
    pub fn is_hidden(&self) -> bool {
        match self {
            Self::Open(card) => card.is_hidden(),
            Self::Hidden(_) => true,
        }
    }
}

/// A printing of a card that the viewer may see.
#[derive(Clone, Debug, PartialEq)]
pub struct Printing {
    /// Id.
    pub id: PrintingId,
    /// Rarity code.
    pub rarity: String,
    /// Place of the rarity in its game's list, from 1.
    pub tier: i16,
    /// The attributes of this printing that may differ by rarity.
    pub attributes: Map<String, Value>,
}

/// Position in a list of cards: game, set, number.
pub type CardKey = (String, String, String);

pub(super) const COLUMNS: &str = "SELECT c.id, c.game_code, c.set_code, c.number, c.updated_at, u.submissions, u.threshold, \
    u.unlocked_at, content.name, content.kind, content.attributes, content.effects, content.lore FROM ";

#[derive(QueryableByName)]
pub(super) struct Row {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    game_code: String,
    #[diesel(sql_type = Text)]
    set_code: String,
    #[diesel(sql_type = Text)]
    number: String,
    #[diesel(sql_type = Timestamptz)]
    updated_at: DateTime<Utc>,
    #[diesel(sql_type = Nullable<Int4>)]
    submissions: Option<i32>,
    #[diesel(sql_type = Nullable<Int4>)]
    threshold: Option<i32>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    unlocked_at: Option<DateTime<Utc>>,
    #[diesel(sql_type = Nullable<Text>)]
    name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    kind: Option<String>,
    #[diesel(sql_type = Nullable<Jsonb>)]
    attributes: Option<Value>,
    #[diesel(sql_type = Nullable<Jsonb>)]
    effects: Option<Value>,
    #[diesel(sql_type = Nullable<Text>)]
    lore: Option<String>,
}

impl Row {
    pub(super) fn view(self) -> StoreResult<CardView> {
        let place = CardPlace {
            id: CardId(self.id),
            game: self.game_code,
            set: self.set_code,
            number: self.number,
        };
        let unlock = match (self.submissions, self.threshold) {
            (Some(submissions), Some(threshold)) => {
                Some(UnlockProgress { submissions, threshold, unlocked_at: self.unlocked_at })
            }
            _ => None,
        };
        let (Some(name), Some(kind), Some(attributes), Some(effects)) =
            (self.name, self.kind, self.attributes, self.effects)
        else {
            let unlock = unlock.unwrap_or(UnlockProgress {
                submissions: 0,
                threshold: 1,
                unlocked_at: None,
            });
            return Ok(CardView::Hidden(HiddenCard { place, unlock }));
        };
        Ok(CardView::Open(Box::new(OpenCard {
            place,
            unlock,
            name,
            kind,
            attributes: stored(attributes)?,
            effects: stored(effects)?,
            lore: self.lore,
            updated_at: self.updated_at,
        })))
    }
}

/// Rows of all cards; the content of those that the viewer may see.
pub(super) fn cards_and_content<'a>(columns: &str, viewer: Viewer) -> Sql<'a> {
    Sql::new(columns)
        .push("cards c LEFT JOIN unlocks u ON u.card_id = c.id LEFT JOIN card_content content ON content.card_id = c.id AND ")
        .sight(viewer)
        .push(" WHERE true")
}

/// Rows of the cards whose content the viewer may see.
fn cards_with_content<'a>(columns: &str, viewer: Viewer) -> Sql<'a> {
    Sql::new(columns)
        .content_seen_by(viewer)
        .push(" JOIN cards c ON c.id = content.card_id LEFT JOIN unlocks u ON u.card_id = c.id WHERE true")
}

/// The card with that id.
pub async fn find(
    conn: &mut Connection,
    viewer: Viewer,
    id: CardId,
) -> StoreResult<Option<CardView>> {
    let sql = cards_and_content(COLUMNS, viewer).push(" AND c.id = ").bind::<SqlUuid, _>(id.0);
    one(conn, sql).await
}

/// The card with that number.
pub async fn find_by_number(
    conn: &mut Connection,
    viewer: Viewer,
    game: &str,
    set: &str,
    number: &str,
) -> StoreResult<Option<CardView>> {
    let sql = cards_and_content(COLUMNS, viewer)
        .push(" AND c.game_code = ")
        .bind::<Text, _>(game)
        .push(" AND c.set_code = ")
        .bind::<Text, _>(set)
        .push(" AND c.number = ")
        .bind::<Text, _>(number);
    one(conn, sql).await
}

async fn one(conn: &mut Connection, sql: Sql<'_>) -> StoreResult<Option<CardView>> {
    let row: Option<Row> = sql.query.get_result(conn).await.optional()?;
    row.map(Row::view).transpose()
}

/// Cards by game, set and number, after the position `after`.
pub async fn list(
    conn: &mut Connection,
    viewer: Viewer,
    filter: &CardFilter,
    after: Option<&CardKey>,
    limit: i64,
) -> StoreResult<Vec<CardView>> {
    let mut sql = filtered(COLUMNS, viewer, filter);
    if let Some((game, set, number)) = after {
        sql = sql
            .push(" AND (c.game_code, c.set_code, c.number) > (")
            .bind::<Text, _>(game)
            .push(", ")
            .bind::<Text, _>(set)
            .push(", ")
            .bind::<Text, _>(number)
            .push(")");
    }
    sql = sql.push(" ORDER BY c.game_code, c.set_code, c.number LIMIT ").bind::<BigInt, _>(limit);
    let rows: Vec<Row> = sql.query.load(conn).await?;
    rows.into_iter().map(Row::view).collect()
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// How many cards the whole list has.
pub async fn count(conn: &mut Connection, viewer: Viewer, filter: &CardFilter) -> StoreResult<i64> {
    let sql = filtered("SELECT count(*) FROM ", viewer, filter);
    let Count { count } = sql.query.get_result(conn).await?;
    Ok(count)
}

fn filtered<'a>(columns: &str, viewer: Viewer, filter: &'a CardFilter) -> Sql<'a> {
    let CardFilter { game, set, number, hidden, kind, name, rarity } = filter;
    let sql = if filter.asks_for_content() {
        cards_with_content(columns, viewer)
    } else {
        cards_and_content(columns, viewer)
    };
    let sql = sql
        .bind_some::<Text, _>(" AND c.game_code = ", game.as_ref())
        .bind_some::<Text, _>(" AND c.set_code = ", set.as_ref())
        .bind_some::<Text, _>(" AND c.number = ", number.as_ref())
        .bind_some::<Bool, _>(" AND (u.card_id IS NOT NULL AND u.unlocked_at IS NULL) = ", *hidden)
        .bind_some::<Text, _>(" AND content.kind = ", kind.as_ref());
    let sql = match name {
        None => sql,
        Some(NamePattern::Exact(key)) => {
            sql.push(" AND content.search_key = ").bind::<Text, _>(key)
        }
        Some(NamePattern::Prefix(key)) => {
            sql.push(" AND content.search_key LIKE ").bind::<Text, _>(starting_with(key))
        }
    };
    match rarity {
        None => sql,
        Some(rarity) => sql
            .push(" AND EXISTS (SELECT FROM printings p WHERE p.card_id = c.id AND p.rarity = ")
            .bind::<Text, _>(rarity)
            .push(")"),
    }
}

/// A LIKE pattern for texts that begin with `prefix`.
fn starting_with(prefix: &str) -> String {
    let mut pattern = String::with_capacity(prefix.len() + 1);
    for letter in prefix.chars() {
        if matches!(letter, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}

#[derive(QueryableByName)]
struct PrintingRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    rarity: String,
    #[diesel(sql_type = Int2)]
    tier: i16,
    #[diesel(sql_type = Jsonb)]
    attributes: Value,
}

/// The printings of a card, the most common first; none when the viewer may not see it.
pub async fn printings(
    conn: &mut Connection,
    viewer: Viewer,
    card: CardId,
) -> StoreResult<Vec<Printing>> {
    let sql = Sql::new(
        "SELECT p.id, p.rarity, p.tier, own.attributes FROM printings p \
         JOIN printing_content own ON own.printing_id = p.id \
         JOIN card_content content ON content.card_id = p.card_id AND ",
    )
    .sight(viewer)
    .push(" WHERE p.card_id = ")
    .bind::<SqlUuid, _>(card.0)
    .push(" ORDER BY p.tier");
    let rows: Vec<PrintingRow> = sql.query.load(conn).await?;
    let printing = |row: PrintingRow| {
        let attributes = stored(row.attributes)?;
        Ok(Printing { id: PrintingId(row.id), rarity: row.rarity, tier: row.tier, attributes })
    };
    rows.into_iter().map(printing).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_taken_literally() {
        assert_eq!(starting_with("ember"), "ember%");
        assert_eq!(starting_with(r"50%_\"), r"50\%\_\\%");
    }
}
