//! The copies that a player has of the cards of a deck, and the other decks that contain these cards.

use cardscape_engine::{CardReference, DeckEntry};
use diesel::sql_types::{BigInt, Bool, Int4, Nullable, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use crate::auth::permission::{Granted, ReadOwnCollection, ReadOwnDecks};
use crate::domain::ids::{AccountId, CardId, DeckId, PrintingId};
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// Copies of a printing: counted and registered together.
#[derive(Clone, Debug, diesel::QueryableByName)]
pub struct OwnedRow {
    #[diesel(sql_type = SqlUuid)]
    pub printing_id: PrintingId,
    #[diesel(sql_type = SqlUuid)]
    pub card_id: CardId,
    /// Code of the rarity.
    #[diesel(sql_type = Text)]
    pub rarity: String,
    /// Number of copies.
    #[diesel(sql_type = BigInt)]
    pub copies: i64,
}

/// Whether the account has counted or registered anything.
pub async fn owns_anything(
    conn: &mut Connection,
    by: &Granted<ReadOwnCollection>,
) -> StoreResult<bool> {
    let row: OwnsRow =
        sql("SELECT EXISTS (SELECT FROM collection_entries WHERE account_id = $account) \
         OR EXISTS (SELECT FROM copies WHERE owner_id = $account AND voided_at IS NULL) AS owns")
        .bind("account", by.account())
        .get_result(conn)
        .await?;
    Ok(row.owns)
}

#[derive(diesel::QueryableByName)]
struct OwnsRow {
    #[diesel(sql_type = Bool)]
    owns: bool,
}

/// The copies that the account has of these cards; of each card, the most common rarity first. The caller must know
/// that the account may see the cards.
pub async fn owned(
    conn: &mut Connection,
    by: &Granted<ReadOwnCollection>,
    cards: &[CardId],
) -> StoreResult<Vec<OwnedRow>> {
    owned_by(conn, by.account(), cards).await
}

/// Like [`owned`], for callers that reveal the result to nobody.
pub(super) async fn owned_by(
    conn: &mut Connection,
    account: AccountId,
    cards: &[CardId],
) -> StoreResult<Vec<OwnedRow>> {
    let rows = sql("SELECT p.id AS printing_id, p.card_id, p.rarity, sum(one.copies)::bigint AS copies FROM printings p CROSS JOIN LATERAL (\
         SELECT e.quantity AS copies FROM collection_entries e WHERE e.account_id = $account AND e.printing_id = p.id \
         UNION ALL SELECT 1 FROM copies c WHERE c.voided_at IS NULL AND c.owner_id = $account AND c.printing_id = p.id) one WHERE p.card_id = ")
        .bind("account", account)
        .any(cards)
        .push(" GROUP BY p.id, p.card_id, p.rarity, p.tier ORDER BY p.card_id, p.tier")
        .load(conn)
        .await?;
    Ok(rows)
}

/// A card in one rarity.
#[derive(Clone, Debug, diesel::QueryableByName)]
pub struct PrintingRow {
    #[diesel(sql_type = SqlUuid)]
    pub id: PrintingId,
    #[diesel(sql_type = SqlUuid)]
    pub card_id: CardId,
    /// Code of the rarity.
    #[diesel(sql_type = Text)]
    pub rarity: String,
}

/// The printings of these cards. The caller must know that the account may see the cards.
pub async fn printings(conn: &mut Connection, cards: &[CardId]) -> StoreResult<Vec<PrintingRow>> {
    let printings = sql("SELECT id, card_id, rarity FROM printings WHERE card_id = ").any(cards);
    Ok(printings.load(conn).await?)
}

/// Most other decks that are listed for a name.
pub const HOLDERS_NAMED: i64 = 20;

/// Another deck that contains cards of a name.
#[derive(Clone, Debug, diesel::QueryableByName)]
pub struct HolderRow {
    /// The number of the name.
    #[diesel(sql_type = BigInt)]
    pub named: i64,
    #[diesel(sql_type = SqlUuid)]
    pub deck_id: DeckId,
    /// The name that its owner chose.
    #[diesel(sql_type = Text)]
    pub name: String,
    /// Copies in all zones of the deck.
    #[diesel(sql_type = BigInt)]
    pub copies: i64,
    /// Number of other decks that contain such cards, including those that are not listed.
    #[diesel(sql_type = BigInt)]
    pub decks: i64,
    /// Copies in all of these decks.
    #[diesel(sql_type = BigInt)]
    pub all_copies: i64,
}

/// The other decks of the account that contain one of these cards, by the cards that entries were bound to when the
/// decks were saved, or by those that they were merged into: for each name the first [`HOLDERS_NAMED`] decks, and those that
/// `reserving` has with the number of the name. `names` has the number of the name of each card: cards of several sets can have one name.
pub async fn holders(
    conn: &mut Connection,
    by: &Granted<ReadOwnDecks>,
    deck: DeckId,
    cards: &[CardId],
    names: &[i64],
    (reserving_names, reserving): (&[i64], &[DeckId]),
) -> StoreResult<Vec<HolderRow>> {
    // Materialised, so that Postgres joins these cards with the entries by a hash.
    let rows = sql("WITH wanted AS (SELECT card_id, named FROM unnest($cards, $names) AS one (card_id, named)), \
         meant AS MATERIALIZED (SELECT card_id, named FROM wanted UNION ALL \
          SELECT m.old_card_id, w.named FROM wanted w JOIN card_migrations m ON m.card_id = w.card_id WHERE m.kind = 'merge') \
         SELECT named, deck_id, name, copies, decks, all_copies FROM (\
         SELECT one.*, count(*) OVER of_name AS decks, (sum(one.copies) OVER of_name)::bigint AS all_copies, \
          row_number() OVER (PARTITION BY one.named ORDER BY one.deck_id) AS place FROM (\
           SELECT meant.named, d.id AS deck_id, d.name, sum(e.quantity)::bigint AS copies FROM decks d \
           CROSS JOIN LATERAL unnest(d.card_ids) WITH ORDINALITY AS bound (card_id, place) \
           JOIN meant ON meant.card_id = bound.card_id \
           JOIN deck_entries e ON e.deck_id = d.id AND e.position = bound.place - 1 \
           WHERE d.account_id = $account AND d.deleted_at IS NULL AND d.id <> $deck AND d.bound_revision = d.revision \
           GROUP BY meant.named, d.id, d.name) one WINDOW of_name AS (PARTITION BY one.named)) ranked \
         WHERE place <= $listed OR (named, deck_id) IN (SELECT one.named, one.deck_id FROM unnest($reserving_names, $reserving) AS one (named, deck_id)) \
         ORDER BY named, deck_id")
        .bind("account", by.account())
        .bind("deck", deck)
        .bind("cards", cards)
        .bind("names", names)
        .bind("listed", HOLDERS_NAMED)
        .bind("reserving_names", reserving_names)
        .bind("reserving", reserving)
        .load(conn)
        .await?;
    Ok(rows)
}

#[derive(diesel::QueryableByName)]
struct CountRow {
    #[diesel(sql_type = BigInt)]
    decks: i64,
}

/// Number of the account's decks, except `but`, that were last saved by a program that binds no cards.
pub async fn count_unbound(
    conn: &mut Connection,
    by: &Granted<ReadOwnDecks>,
    but: Option<DeckId>,
) -> StoreResult<i64> {
    let row: CountRow = sql("SELECT count(*) AS decks FROM decks WHERE account_id = $account AND deleted_at IS NULL AND id IS DISTINCT FROM $deck \
         AND bound_revision <> revision")
        .bind("account", by.account())
        .bind("deck", but)
        .get_result(conn)
        .await?;
    Ok(row.decks)
}

/// The copies of a card in a deck.
#[derive(Clone, Debug, diesel::QueryableByName)]
pub struct NeedRow {
    #[diesel(sql_type = SqlUuid)]
    pub deck_id: DeckId,
    /// The name that its owner chose.
    #[diesel(sql_type = Text)]
    pub name: String,
    #[diesel(sql_type = SqlUuid)]
    pub card_id: CardId,
    /// Copies in all zones of the deck.
    #[diesel(sql_type = BigInt)]
    pub copies: i64,
}

/// The copies of these cards in the decks of the account, by the cards that entries were bound to when the decks were
/// saved, or by those that they were merged into.
pub async fn needs(
    conn: &mut Connection,
    by: &Granted<ReadOwnDecks>,
    cards: &[CardId],
) -> StoreResult<Vec<NeedRow>> {
    // Materialised as in [`holders`].
    let rows = sql("WITH wanted AS (SELECT card_id FROM unnest($cards) AS one (card_id)), \
         meant AS MATERIALIZED (SELECT card_id AS bound_id, card_id FROM wanted UNION ALL \
          SELECT m.old_card_id, w.card_id FROM wanted w JOIN card_migrations m ON m.card_id = w.card_id WHERE m.kind = 'merge') \
         SELECT d.id AS deck_id, d.name, meant.card_id, sum(e.quantity)::bigint AS copies FROM decks d \
         CROSS JOIN LATERAL unnest(d.card_ids) WITH ORDINALITY AS bound (card_id, place) \
         JOIN meant ON meant.bound_id = bound.card_id \
         JOIN deck_entries e ON e.deck_id = d.id AND e.position = bound.place - 1 \
         WHERE d.account_id = $account AND d.deleted_at IS NULL AND d.bound_revision = d.revision \
         GROUP BY d.id, d.name, meant.card_id ORDER BY d.id, meant.card_id")
        .bind("account", by.account())
        .bind("cards", cards)
        .load(conn)
        .await?;
    Ok(rows)
}

/// An entry of a deck, reduced to its card and its quantity.
#[derive(Clone, Debug)]
pub struct HeldEntry {
    pub deck_id: DeckId,
    pub game_code: String,
    /// The card as it was written, without its rarity, and the number of copies; without its zone.
    pub entry: DeckEntry,
    /// The card that the entry was bound to when it was saved.
    pub card_id: Option<CardId>,
}

#[derive(diesel::QueryableByName)]
struct HeldEntryRow {
    #[diesel(sql_type = SqlUuid)]
    deck_id: DeckId,
    #[diesel(sql_type = Text)]
    game_code: String,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Nullable<Text>)]
    set_code: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    number: Option<String>,
    #[diesel(sql_type = Int4)]
    quantity: i32,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    card_id: Option<CardId>,
}

impl From<HeldEntryRow> for HeldEntry {
    fn from(row: HeldEntryRow) -> Self {
        let HeldEntryRow { deck_id, game_code, name, set_code, number, quantity, card_id } = row;
        let card = CardReference { name, set: set_code, number, rarity: None };
        let (zone, quantity) = (String::new(), quantity.unsigned_abs());
        let entry = DeckEntry { zone, quantity, card, copies: Vec::new() };
        Self { deck_id, game_code, entry, card_id }
    }
}

/// The first `most` entries of these decks of the account, in the order of `decks`.
pub async fn entries(
    conn: &mut Connection,
    by: &Granted<ReadOwnDecks>,
    decks: &[DeckId],
    most: usize,
) -> StoreResult<Vec<HeldEntry>> {
    let rows: Vec<HeldEntryRow> = sql("SELECT e.deck_id, d.game_code, e.name, e.set_code, e.number, e.quantity, \
          CASE WHEN d.bound_revision = d.revision THEN d.card_ids[e.position + 1] END AS card_id \
         FROM unnest($decks) WITH ORDINALITY AS wanted (id, place) JOIN decks d ON d.id = wanted.id JOIN deck_entries e ON e.deck_id = d.id \
         WHERE d.account_id = $account AND d.deleted_at IS NULL ORDER BY wanted.place, e.position LIMIT $most")
        .bind("decks", decks)
        .bind("account", by.account())
        .bind("most", i64::try_from(most).unwrap_or(i64::MAX))
        .load(conn)
        .await?;
    Ok(rows.into_iter().map(HeldEntry::from).collect())
}
