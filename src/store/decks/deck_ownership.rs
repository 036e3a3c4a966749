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
}

/// The other decks of the account that hold one of these cards, as they were bound when they were saved.
pub async fn holders(
    conn: &mut Connection,
    by: &Granted<ReadOwnDecks>,
    deck: DeckId,
    cards: &[CardId],
) -> StoreResult<Vec<HolderRow>> {
    let rows = sql("SELECT bound.card_id, d.id AS deck_id, d.name, sum(e.quantity)::bigint AS copies FROM decks d \
         CROSS JOIN LATERAL unnest(d.card_ids) WITH ORDINALITY AS bound (card_id, place) \
         JOIN deck_entries e ON e.deck_id = d.id AND e.position = bound.place - 1 \
         WHERE d.account_id = $account AND d.deleted_at IS NULL AND d.id <> $deck AND d.bound_revision = d.revision AND bound.card_id = ")
        .bind("account", by.account())
        .bind("deck", deck)
        .any(cards)
        .push(" GROUP BY bound.card_id, d.id, d.name ORDER BY d.id, bound.card_id")
        .load(conn)
        .await?;
    Ok(rows)
}
