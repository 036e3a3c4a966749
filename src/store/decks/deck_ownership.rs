//! What a player has of the cards of a deck, and which other decks want them.

use diesel::sql_types::{BigInt, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use crate::auth::permission::{Granted, ReadOwnCollection, ReadOwnDecks};
use crate::domain::ids::{CardId, DeckId};
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// Copies of a card in one rarity: counted and registered together.
#[derive(Clone, Debug, diesel::QueryableByName)]
pub struct OwnedRow {
    /// The card.
    #[diesel(sql_type = SqlUuid)]
    pub card_id: CardId,
    /// Code of the rarity.
    #[diesel(sql_type = Text)]
    pub rarity: String,
    /// How many.
    #[diesel(sql_type = BigInt)]
    pub copies: i64,
}

/// What the account has of these cards. The caller knows that it may see them.
pub async fn owned(
    conn: &mut Connection,
    by: &Granted<ReadOwnCollection>,
    cards: &[CardId],
) -> StoreResult<Vec<OwnedRow>> {
    let rows = sql("SELECT p.card_id, p.rarity, sum(one.copies)::bigint AS copies FROM printings p CROSS JOIN LATERAL (\
         SELECT e.quantity AS copies FROM collection_entries e WHERE e.account_id = $account AND e.printing_id = p.id \
         UNION ALL SELECT 1 FROM copies c WHERE c.voided_at IS NULL AND c.owner_id = $account AND c.printing_id = p.id) one WHERE p.card_id = ")
        .bind("account", by.account())
        .any(cards)
        .push(" GROUP BY p.card_id, p.rarity ORDER BY p.card_id, p.rarity")
        .load(conn)
        .await?;
    Ok(rows)
}

/// Most other decks that are named for a card.
pub const HOLDERS_NAMED: i64 = 20;

/// Another deck that holds a card.
#[derive(Clone, Debug, diesel::QueryableByName)]
pub struct HolderRow {
    /// The card.
    #[diesel(sql_type = SqlUuid)]
    pub card_id: CardId,
    /// The deck.
    #[diesel(sql_type = SqlUuid)]
    pub deck_id: DeckId,
    /// What its owner calls it.
    #[diesel(sql_type = Text)]
    pub name: String,
    /// Copies in all its zones.
    #[diesel(sql_type = BigInt)]
    pub copies: i64,
    /// Other decks that hold the card, those included that are not named.
    #[diesel(sql_type = BigInt)]
    pub decks: i64,
    /// Copies in all of them.
    #[diesel(sql_type = BigInt)]
    pub all_copies: i64,
}

/// The other decks of the account that hold one of these cards, as they were bound when they were saved: of each card the first
/// [`HOLDERS_NAMED`].
pub async fn holders(
    conn: &mut Connection,
    by: &Granted<ReadOwnDecks>,
    deck: DeckId,
    cards: &[CardId],
) -> StoreResult<Vec<HolderRow>> {
    let rows = sql("SELECT card_id, deck_id, name, copies, decks, all_copies FROM (\
         SELECT one.*, count(*) OVER of_card AS decks, (sum(one.copies) OVER of_card)::bigint AS all_copies, \
          row_number() OVER (PARTITION BY one.card_id ORDER BY one.deck_id) AS place FROM (\
           SELECT bound.card_id, d.id AS deck_id, d.name, sum(e.quantity)::bigint AS copies FROM decks d \
           CROSS JOIN LATERAL unnest(d.card_ids) WITH ORDINALITY AS bound (card_id, place) \
           JOIN unnest($cards) AS wanted (card_id) ON wanted.card_id = bound.card_id \
           JOIN deck_entries e ON e.deck_id = d.id AND e.position = bound.place - 1 \
           WHERE d.account_id = $account AND d.deleted_at IS NULL AND d.id <> $deck AND d.bound_revision = d.revision \
           GROUP BY bound.card_id, d.id, d.name) one WINDOW of_card AS (PARTITION BY one.card_id)) ranked \
         WHERE place <= $named ORDER BY card_id, deck_id")
        .bind("account", by.account())
        .bind("deck", deck)
        .bind("cards", cards)
        .bind("named", HOLDERS_NAMED)
        .load(conn)
        .await?;
    Ok(rows)
}

#[derive(diesel::QueryableByName)]
struct CountRow {
    #[diesel(sql_type = BigInt)]
    decks: i64,
}

/// How many other decks of the account a program has saved that binds no cards.
pub async fn count_unbound(
    conn: &mut Connection,
    by: &Granted<ReadOwnDecks>,
    deck: DeckId,
) -> StoreResult<i64> {
    let row: CountRow = sql("SELECT count(*) AS decks FROM decks WHERE account_id = $account AND deleted_at IS NULL AND id <> $deck \
         AND bound_revision <> revision")
        .bind("account", by.account())
        .bind("deck", deck)
        .get_result(conn)
        .await?;
    Ok(row.decks)
}
