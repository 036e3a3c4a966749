//! Writes the cards of a plan.

use cardscape_engine::{Game, Rarity};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Array, Int4, SmallInt, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::{RunQueryDsl, SimpleAsyncConnection as _};
use uuid::Uuid;

use super::plan::{CardPlan, SetPlan};
use crate::auth::permission::Importer;
use crate::domain::ids::{CardId, PrintingId};
use crate::domain::import::{CardImport, PrintingImport};
use crate::store::door::content;
use crate::store::schema::printings;
use crate::store::statement::sql;
use crate::store::{Connection, StoreResult, changes};

/// Cards in one statement.
const BATCH: usize = 500;

/// Printings in one statement.
const PRINTING_BATCH: usize = 5_000;

/// Adds the new cards of a set; hidden ones when the set starts hidden.
pub(super) async fn add(
    conn: &mut Connection,
    by: &Importer,
    plan: &SetPlan<'_>,
    at: DateTime<Utc>,
    progress: &(dyn Fn(usize) + Sync),
) -> StoreResult<()> {
    for batch in plan.added.chunks(BATCH) {
        let batch: Vec<(CardId, &CardImport)> =
            batch.iter().map(|card| (CardId::fresh(), *card)).collect();
        let ids: Vec<Uuid> = batch.iter().map(|(id, _)| id.0).collect();
        let numbers: Vec<&str> =
            batch.iter().map(|(_, card)| card.definition.number.as_str()).collect();
        // Columns instead of rows: Postgres reads such a statement once and plans one row of it.
        sql("INSERT INTO cards (id, game_code, set_code, number, created_at, updated_at) \
             SELECT new.id, $3, $4, new.number, $5, $5 FROM unnest($1, $2) AS new (id, number)")
        .bind::<Array<SqlUuid>, _>(&ids)
        .bind::<Array<Text>, _>(numbers)
        .bind::<Text, _>(plan.game)
        .bind::<Text, _>(&plan.set.code)
        .bind::<Timestamptz, _>(at)
        .execute(conn)
        .await?;
        if plan.set.hidden {
            sql("INSERT INTO unlocks (card_id, threshold) SELECT unnest($1), $2")
                .bind::<Array<SqlUuid>, _>(&ids)
                .bind::<Int4, _>(plan.set.unlock_threshold)
                .execute(conn)
                .await?;
        }
        content::insert(conn, by, plan.game, &batch).await?;
        let new: Vec<(CardId, &PrintingImport)> = batch
            .iter()
            .flat_map(|(id, card)| card.printings.iter().map(|printing| (*id, printing)))
            .collect();
        conn.batch_execute("SET LOCAL cardscape.printings_of_new_cards = 'on'").await?;
        add_printings(conn, by, &new).await?;
        conn.batch_execute("SET LOCAL cardscape.printings_of_new_cards = 'off'").await?;
        let added: Vec<CardId> = batch.iter().map(|(id, _)| *id).collect();
        changes::cards_added(conn, &added, at).await?;
        progress(batch.len());
    }
    Ok(())
}

async fn add_printings(
    conn: &mut Connection,
    by: &Importer,
    new: &[(CardId, &PrintingImport)],
) -> StoreResult<()> {
    for batch in new.chunks(PRINTING_BATCH) {
        let batch: Vec<_> = batch
            .iter()
            .map(|(card, printing)| (PrintingId::unordered(), *card, *printing))
            .collect();
        let ids: Vec<Uuid> = batch.iter().map(|(id, ..)| id.0).collect();
        let cards: Vec<Uuid> = batch.iter().map(|(_, card, _)| card.0).collect();
        let rarities: Vec<&str> =
            batch.iter().map(|(.., printing)| printing.rarity.as_str()).collect();
        let tiers: Vec<i16> = batch.iter().map(|(.., printing)| printing.tier).collect();
        sql(
            "INSERT INTO printings (id, card_id, rarity, tier) SELECT * FROM unnest($1, $2, $3, $4)",
        )
        .bind::<Array<SqlUuid>, _>(ids)
        .bind::<Array<SqlUuid>, _>(cards)
        .bind::<Array<Text>, _>(rarities)
        .bind::<Array<SmallInt>, _>(tiers)
        .execute(conn)
        .await?;
        let contents: Vec<_> = batch.iter().map(|(id, _, printing)| (*id, *printing)).collect();
        content::insert_printings(conn, by, &contents).await?;
    }
    Ok(())
}

/// Changes what differs about stored cards.
pub(super) async fn change(
    conn: &mut Connection,
    by: &Importer,
    plan: &SetPlan<'_>,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let changed: Vec<CardId> = plan.changed.iter().map(|card| card.id).collect();
    hold_progress(conn, &changed).await?;
    for card in &plan.changed {
        change_card(conn, by, card, at).await?;
    }
    changes::cards_changed(conn, &changed, at).await
}

/// Keeps cards from being unlocked meanwhile. Their rows come before their content, and in the order of ids, as for whoever unlocks cards.
async fn hold_progress(conn: &mut Connection, changed: &[CardId]) -> StoreResult<()> {
    let ids: Vec<Uuid> = changed.iter().map(|card| card.0).collect();
    sql(
        "SELECT card_id FROM unlocks WHERE card_id = ANY ($1) AND unlocked_at IS NULL ORDER BY card_id FOR SHARE",
    )
    .bind::<Array<SqlUuid>, _>(ids)
    .execute(conn)
    .await?;
    Ok(())
}

async fn change_card(
    conn: &mut Connection,
    by: &Importer,
    plan: &CardPlan<'_>,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    // The time was taken before others were waited for: what they wrote is older all the same, or an answer with the same time
    // would say that nothing changed.
    sql(
        "UPDATE cards SET revision = revision + 1, updated_at = greatest($2, updated_at + interval '1 microsecond', \
             (SELECT unlocked_at + interval '1 microsecond' FROM unlocks WHERE card_id = cards.id)) WHERE id = $1",
    )
    .bind::<SqlUuid, _>(plan.id.0)
    .bind::<Timestamptz, _>(at)
    .execute(conn)
    .await?;
    if plan.content {
        content::update(conn, by, plan.id, plan.card).await?;
    }
    let removed: Vec<Uuid> = plan.removed_printings.iter().map(|printing| printing.0).collect();
    if !removed.is_empty() {
        diesel::delete(printings::table.filter(printings::id.eq_any(removed)))
            .execute(conn)
            .await?;
    }
    for (id, printing) in &plan.changed_printings {
        diesel::update(printings::table.find(id.0))
            .set(printings::tier.eq(printing.tier))
            .execute(conn)
            .await?;
        content::update_printing(conn, by, *id, printing).await?;
    }
    let new: Vec<(CardId, &PrintingImport)> =
        plan.new_printings.iter().map(|printing| (plan.id, *printing)).collect();
    add_printings(conn, by, &new).await
}

#[derive(QueryableByName)]
struct CardRow {
    #[diesel(sql_type = SqlUuid)]
    card_id: Uuid,
}

/// Gives every printing of a game the tier that its rarity has now. Cards are listed by it: those to which it happens have changed.
pub(super) async fn apply_tiers(
    conn: &mut Connection,
    game: &Game,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let tier = |rarity: &Rarity| i16::try_from(rarity.tier).unwrap_or(i16::MAX);
    let (rarities, tiers): (Vec<&str>, Vec<i16>) =
        game.rarities().iter().map(|rarity| (rarity.code.as_str(), tier(rarity))).unzip();
    let changed: Vec<CardRow> = sql(
        "WITH changed AS ( \
             UPDATE printings p SET tier = known.tier FROM unnest($2, $3) AS known (rarity, tier), cards c \
             WHERE c.id = p.card_id AND c.game_code = $1 AND p.rarity = known.rarity AND p.tier <> known.tier \
             RETURNING p.card_id \
         ) SELECT DISTINCT card_id FROM changed ORDER BY card_id",
    )
    .bind::<Text, _>(game.code())
    .bind::<Array<Text>, _>(rarities)
    .bind::<Array<SmallInt>, _>(tiers)
    .load(conn)
    .await?;
    let changed: Vec<CardId> = changed.into_iter().map(|row| CardId(row.card_id)).collect();
    for batch in changed.chunks(BATCH) {
        changes::cards_changed(conn, batch, at).await?;
    }
    Ok(())
}
