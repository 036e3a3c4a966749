//! Cards as a viewer sees them.

use chrono::{DateTime, Utc};
use diesel::deserialize::{self, QueryableByName};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::row::NamedRow;
use diesel::sql_types::{Binary, Int2, Int4, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use serde_json::{Map, Value};

use cardscape_engine::Effect;

use super::artworks::ARTWORK_OF_CARD;
use crate::auth::permission::Viewer;
use crate::domain::code::Code;
use crate::domain::designs::artwork::ArtworkId;
use crate::domain::designs::release::DesignCredit;
use crate::domain::ids::{CardId, PrintingId};
use crate::store::db::codecs::json::{Json, JsonText};
use crate::store::db::schema;
use crate::store::db::statement::{Statement, sql};
use crate::store::{Connection, StoreResult};

/// Unlock progress of a card that started hidden. Public.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnlockProgress {
    /// Number of submissions that count.
    pub submissions: i32,
    /// Number of submissions that unlock it.
    pub threshold: i32,
    /// When it was unlocked; `None`: it is hidden.
    pub unlocked_at: Option<DateTime<Utc>>,
}

/// The public part of a card: its id, game, set and number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardPlace {
    pub id: CardId,
    pub game: Code,
    pub set: Code,
    /// Collector number.
    pub number: Code,
}

/// A card as a viewer sees it.
#[derive(Clone, Debug, PartialEq)]
pub enum CardView {
    /// The viewer may see the whole card.
    Open(OpenCard),
    /// The viewer may see only its place and its unlock progress.
    Hidden(HiddenCard),
}

/// A card with its content.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenCard {
    pub place: CardPlace,
    /// Its unlock progress, if it started hidden.
    pub unlock: Option<UnlockProgress>,
    pub name: String,
    pub kind: Code,
    /// Attributes of the base printing.
    pub attributes: JsonText<Map<String, Value>>,
    /// Effects, in printed order.
    pub effects: JsonText<Vec<Effect>>,
    /// Background text.
    pub lore: Option<String>,
    /// The player who designed it, if one did who is not banned, unless the design is taken down.
    pub designed_by: Option<JsonText<DesignCredit>>,
    /// The artwork of the design, as it was released, unless it was taken down.
    pub artwork: Option<ArtworkId>,
    /// The rarity of its most common printing.
    pub lowest_rarity: Option<String>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
}

impl OpenCard {
    /// Whether the card is still hidden from the public, and the viewer sees it as a holder or a moderator.
    pub fn is_hidden(&self) -> bool {
        self.unlock.is_some_and(|unlock| unlock.unlocked_at.is_none())
    }

    /// When the card last changed for the public: its unlock counts as a change, earlier changes do not.
    pub fn public_updated_at(&self) -> DateTime<Utc> {
        let unlocked_at = self.unlock.and_then(|unlock| unlock.unlocked_at);
        unlocked_at.map_or(self.updated_at, |at| at.max(self.updated_at))
    }
}

/// A card without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenCard {
    pub place: CardPlace,
    pub unlock: UnlockProgress,
}

impl CardView {
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
    pub id: PrintingId,
    pub rarity: String,
    /// Place of the rarity in its game's list, from 1.
    pub tier: i16,
    /// The attributes of this printing that may differ by rarity.
    pub attributes: Map<String, Value>,
}

const COLUMNS: &str = "c.id, c.game_code, c.set_code, c.number, c.updated_at, u.submissions, u.threshold, \
    u.unlocked_at, content.name, content.kind, content.attributes, content.effects, content.lore, ";
/// Who designed the card `content`; NULL while the author is banned or the design is taken down: then nobody can read
/// the design, and the account is not named for it. Looked up only if a player designed the card.
const CREDIT_OF_CARD: &str = "CASE WHEN content.designed_by IS NOT NULL AND NOT EXISTS (SELECT FROM accounts author \
    WHERE author.id = (content.designed_by ->> 'account_id')::uuid AND author.banned_at IS NOT NULL) \
    AND NOT EXISTS (SELECT FROM designs design WHERE design.code = content.designed_by ->> 'design' AND design.taken_down_at IS NOT NULL) THEN content.designed_by END AS designed_by, ";
/// `content` is null in the rows of cards that the viewer may not see.
const LOWEST_RARITY: &str = ", (SELECT lowest.rarity FROM printings lowest WHERE lowest.card_id = content.card_id ORDER BY lowest.tier LIMIT 1) \
    AS lowest_rarity";

impl Statement<'_> {
    /// Adds the columns that every read of a card selects: a [`Row`].
    pub(super) fn push_card_columns(self) -> Self {
        self.push(COLUMNS)
            .push(CREDIT_OF_CARD)
            .push(ARTWORK_OF_CARD)
            .push(" AS artwork")
            .push(LOWEST_RARITY)
    }
}

/// A row of [`Statement::push_card_columns`]; other columns may follow.
pub(super) struct Row {
    id: CardId,
    game_code: Code,
    set_code: Code,
    number: Code,
    updated_at: DateTime<Utc>,
    submissions: Option<i32>,
    threshold: Option<i32>,
    unlocked_at: Option<DateTime<Utc>>,
    name: Option<String>,
    kind: Option<Code>,
    attributes: Option<JsonText<Map<String, Value>>>,
    effects: Option<JsonText<Vec<Effect>>>,
    lore: Option<String>,
    designed_by: Option<JsonText<DesignCredit>>,
    artwork: Option<ArtworkId>,
    lowest_rarity: Option<String>,
}

/// Reads columns by position: looking up each of them by name would be a twentieth of the cost of a page of cards.
impl QueryableByName<Pg> for Row {
    fn build<'a>(row: &impl NamedRow<'a, Pg>) -> deserialize::Result<Self> {
        Ok(Self {
            id: row.get_value::<SqlUuid, _, _>(0)?,
            game_code: row.get_value::<Text, _, _>(1)?,
            set_code: row.get_value::<Text, _, _>(2)?,
            number: row.get_value::<Text, _, _>(3)?,
            updated_at: row.get_value::<Timestamptz, _, _>(4)?,
            submissions: row.get_value::<Nullable<Int4>, _, _>(5)?,
            threshold: row.get_value::<Nullable<Int4>, _, _>(6)?,
            unlocked_at: row.get_value::<Nullable<Timestamptz>, _, _>(7)?,
            name: row.get_value::<Nullable<Text>, _, _>(8)?,
            kind: row.get_value::<Nullable<Text>, _, _>(9)?,
            attributes: row.get_value::<Nullable<Jsonb>, _, _>(10)?,
            effects: row.get_value::<Nullable<Jsonb>, _, _>(11)?,
            lore: row.get_value::<Nullable<Text>, _, _>(12)?,
            designed_by: row.get_value::<Nullable<Jsonb>, _, _>(13)?,
            artwork: row.get_value::<Nullable<Binary>, _, _>(14)?,
            lowest_rarity: row.get_value::<Nullable<Text>, _, _>(15)?,
        })
    }
}

impl Row {
    pub(super) fn into_view(self) -> CardView {
        let place = CardPlace {
            id: self.id,
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
            return CardView::Hidden(HiddenCard { place, unlock });
        };
        CardView::Open(OpenCard {
            place,
            unlock,
            name,
            kind,
            attributes,
            effects,
            lore: self.lore,
            designed_by: self.designed_by,
            artwork: self.artwork,
            lowest_rarity: self.lowest_rarity,
            updated_at: self.updated_at,
        })
    }
}

/// Selects all cards, with the content of those that the viewer may see.
pub(super) fn select_cards<'a>(viewer: Viewer) -> Statement<'a> {
    sql("SELECT ")
        .push_card_columns()
        .push(" FROM cards c LEFT JOIN unlocks u ON u.card_id = c.id LEFT JOIN card_content content ON content.card_id = c.id AND ")
        .push_is_visible(viewer)
        .push(" WHERE true")
}

/// The card with that id.
pub async fn find(conn: &Connection, viewer: Viewer, id: CardId) -> StoreResult<Option<CardView>> {
    let sql = select_cards(viewer).push(" AND c.id = ").value(id);
    load_one(conn, sql).await
}

/// The card with that number.
pub async fn find_by_number(
    conn: &Connection,
    viewer: Viewer,
    game: &str,
    set: &str,
    number: &str,
) -> StoreResult<Option<CardView>> {
    let sql = select_cards(viewer)
        .push(" AND c.game_code = ")
        .value(game)
        .push(" AND c.set_code = ")
        .value(set)
        .push(" AND c.number = ")
        .value(number);
    load_one(conn, sql).await
}

/// Most characters of a number.
const MAX_NUMBER_LENGTH: usize = 16;

/// The spellings of a number that differ only in leading zeros; empty for a text that is not a number.
pub(in crate::store) fn zero_padded_spellings(number: &str) -> Vec<String> {
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Vec::new();
    }
    let digits = number.trim_start_matches('0');
    (digits.len().max(1)..=MAX_NUMBER_LENGTH).map(|length| format!("{digits:0>length$}")).collect()
}

/// The numbers of a set that are equal to this one apart from leading zeros, at most two of them. Empty also if the text is
/// not a number.
pub async fn find_numbers_ignoring_zeros(
    mut conn: &Connection,
    game: &str,
    set: &str,
    number: &str,
) -> StoreResult<Vec<String>> {
    let spellings = zero_padded_spellings(number);
    if spellings.is_empty() {
        return Ok(Vec::new());
    }
    Ok(schema::cards::table
        .filter(schema::cards::game_code.eq(game).and(schema::cards::set_code.eq(set)))
        .filter(schema::cards::number.eq_any(spellings))
        .select(schema::cards::number)
        .limit(2)
        .load(&mut conn)
        .await?)
}

/// The numbers of the previous and next card of a position in a set, in list order; `None`: there is none. Hidden cards
/// count, because their numbers are public.
pub async fn find_numbers_beside(
    mut conn: &Connection,
    (game, set, number): (&str, &str, &str),
) -> StoreResult<(Option<String>, Option<String>)> {
    use schema::cards;
    let numbers = || {
        let of_set = cards::game_code.eq(game).and(cards::set_code.eq(set));
        cards::table.filter(of_set).select(cards::number)
    };
    let before = numbers().filter(cards::number.lt(number)).order(cards::number.desc());
    let after = numbers().filter(cards::number.gt(number)).order(cards::number.asc());
    let before: Option<String> = before.first(&mut conn).await.optional()?;
    Ok((before, after.first(&mut conn).await.optional()?))
}

/// The cards with these ids, in any order; ids of no card are skipped. A shared connection is enough.
pub async fn find_many(
    mut conn: &Connection,
    viewer: Viewer,
    ids: &[CardId],
) -> StoreResult<Vec<CardView>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let sql = select_cards(viewer).push(" AND c.id = ").any(ids);
    let rows: Vec<Row> = sql.load(&mut conn).await?;
    Ok(rows.into_iter().map(Row::into_view).collect())
}

/// The printings of these cards and tiers that the viewer may see, in any order. A shared connection is enough.
pub async fn find_printings(
    mut conn: &Connection,
    viewer: Viewer,
    wanted: &[(CardId, i16)],
) -> StoreResult<Vec<(CardId, Printing)>> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let (cards, tiers): (Vec<CardId>, Vec<i16>) =
        wanted.iter().map(|(card, tier)| (*card, *tier)).unzip();
    // Values are in sub-selects, so that a generic plan is used: see `Statement::any`.
    let sql = sql(
        "SELECT p.id, p.rarity, p.tier, own.attributes, p.card_id FROM unnest((SELECT ",
    )
    .value(cards)
    .push("), (SELECT ")
    .value(tiers)
    .push(
        ")) AS wanted (card, tier) JOIN printings p ON p.card_id = wanted.card AND p.tier = wanted.tier \
         JOIN printing_content own ON own.printing_id = p.id \
         JOIN card_content content ON content.card_id = p.card_id AND ",
    )
    .push_is_visible(viewer);
    let rows: Vec<PrintingOfRow> = sql.load(&mut conn).await?;
    Ok(rows.into_iter().map(|row| (row.card_id, row.printing.into_printing())).collect())
}

#[derive(QueryableByName)]
struct PrintingOfRow {
    #[diesel(embed)]
    printing: PrintingRow,
    #[diesel(sql_type = SqlUuid)]
    card_id: CardId,
}

async fn load_one(mut conn: &Connection, sql: Statement<'_>) -> StoreResult<Option<CardView>> {
    let row: Option<Row> = sql.get_result(&mut conn).await.optional()?;
    Ok(row.map(Row::into_view))
}

#[derive(QueryableByName)]
struct PrintingRow {
    #[diesel(sql_type = SqlUuid)]
    id: PrintingId,
    #[diesel(sql_type = Text)]
    rarity: String,
    #[diesel(sql_type = Int2)]
    tier: i16,
    #[diesel(sql_type = Jsonb)]
    attributes: Json<Map<String, Value>>,
}

impl PrintingRow {
    fn into_printing(self) -> Printing {
        Printing {
            id: self.id,
            rarity: self.rarity,
            tier: self.tier,
            attributes: self.attributes.0,
        }
    }
}

/// The printings of a card, the most common first; empty if the viewer may not see the card.
pub async fn list_printings(
    conn: &mut Connection,
    viewer: Viewer,
    card: CardId,
) -> StoreResult<Vec<Printing>> {
    let sql = sql("SELECT p.id, p.rarity, p.tier, own.attributes FROM printings p \
         JOIN printing_content own ON own.printing_id = p.id \
         JOIN card_content content ON content.card_id = p.card_id AND ")
    .push_is_visible(viewer)
    .push(" WHERE p.card_id = ")
    .value(card)
    .push(" ORDER BY p.tier");
    let rows: Vec<PrintingRow> = sql.load(conn).await?;
    Ok(rows.into_iter().map(PrintingRow::into_printing).collect())
}
