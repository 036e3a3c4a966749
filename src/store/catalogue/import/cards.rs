//! Writes the cards of a plan.

use std::collections::VecDeque;

use cardscape_engine::{Game, Rarity};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::Uuid as SqlUuid;
use diesel_async::RunQueryDsl;
use serde_json::Value;

use super::SetId;
use super::plan::{CardPlan, SetPlan};
use crate::auth::permission::Importer;
use crate::domain::catalogue::import::{CardImport, PrintingImport};
use crate::domain::ids::{CardId, PrintingId};
use crate::store::card_content::content::{self, NewContent};
use crate::store::catalogue::changes;
use crate::store::db::codecs::json::WrittenJson;
use crate::store::db::schema::printings;
use crate::store::db::statement::{run_commands, sql};
use crate::store::{Connection, StoreResult};

/// Cards per statement.
const BATCH: usize = 500;

/// Printings per statement.
const PRINTING_BATCH: usize = 5_000;

/// New cards with their ids and prepared content.
struct NewCards<'a> {
    set: SetId,
    ids: Vec<CardId>,
    numbers: Vec<&'a str>,
    content: NewContent<'a>,
    printings: Vec<NewPrintings<'a>>,
}

impl<'a> NewCards<'a> {
    fn of(plan: &SetPlan<'_>, cards: &[&'a CardImport]) -> Self {
        let cards: Vec<(CardId, &CardImport)> =
            cards.iter().map(|card| (CardId::generate(), *card)).collect();
        let printings: Vec<(CardId, &PrintingImport)> = cards
            .iter()
            .flat_map(|(id, card)| card.printings.iter().map(|printing| (*id, printing)))
            .collect();
        Self {
            set: plan.set_id,
            ids: cards.iter().map(|(id, _)| *id).collect(),
            numbers: cards.iter().map(|(_, card)| card.definition.number.as_str()).collect(),
            content: NewContent::new(plan.game, &cards),
            printings: printings.chunks(PRINTING_BATCH).map(NewPrintings::of).collect(),
        }
    }
}

/// The new cards of all sets of an import, in batches, each of one set. One batch is prepared ahead, also the first one
/// of the next set: most sets are a single batch.
pub(super) struct Batches<'p, 'a> {
    left: VecDeque<(&'p SetPlan<'a>, &'p [&'a CardImport])>,
    next: Option<NewCards<'a>>,
}

impl<'p, 'a> Batches<'p, 'a> {
    pub(super) fn of(plans: &'p [SetPlan<'a>]) -> Self {
        let batches =
            |plan: &'p SetPlan<'a>| plan.added.chunks(BATCH).map(move |cards| (plan, cards));
        let mut batches = Self { left: plans.iter().flat_map(batches).collect(), next: None };
        batches.prepare();
        batches
    }

    /// The batch that was prepared, if it is one of this set.
    fn take(&mut self, set: SetId) -> Option<NewCards<'a>> {
        self.next.take_if(|batch| batch.set == set)
    }

    /// Prepares the batch after the one that was taken.
    fn prepare(&mut self) {
        let next = self.left.pop_front();
        self.next = next.map(|(plan, cards)| NewCards::of(plan, cards));
    }
}

/// Adds the new cards of a set; they are hidden if the set starts hidden. Returns their ids.
pub(super) async fn add(
    conn: &mut Connection,
    by: &Importer,
    plan: &SetPlan<'_>,
    batches: &mut Batches<'_, '_>,
    at: DateTime<Utc>,
    progress: &(dyn Fn(usize) + Sync),
) -> StoreResult<Vec<CardId>> {
    let mut added = Vec::with_capacity(plan.added.len());
    while let Some(batch) = batches.take(plan.set_id) {
        add_places(conn, plan, &batch, at).await?;
        // While Postgres stores the content of one batch, which takes longest, the next batch is prepared.
        let preparing = async {
            tokio::task::yield_now().await;
            batches.prepare();
        };
        let storing = content::insert(conn, by, plan.game, &batch.content);
        let (stored, ()) = tokio::join!(storing, preparing);
        stored?;
        run_commands(conn, "SET LOCAL cardscape.printings_of_new_cards = 'on'").await?;
        for printings in &batch.printings {
            add_printings(conn, by, printings).await?;
        }
        run_commands(conn, "SET LOCAL cardscape.printings_of_new_cards = 'off'").await?;
        let (game, set) = (plan.game, plan.set.code.as_str());
        changes::cards_added(conn, game, set, &batch.ids, &batch.numbers, at).await?;
        progress(batch.ids.len());
        added.extend(batch.ids);
    }
    Ok(added)
}

/// Adds the public part of new cards, and marks them as hidden if the set starts hidden.
async fn add_places(
    conn: &mut Connection,
    plan: &SetPlan<'_>,
    new: &NewCards<'_>,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    // Columns instead of rows: Postgres then parses one statement text and plans one row of it.
    sql("INSERT INTO cards (id, game_code, set_code, number, created_at, updated_at) \
         SELECT new.id, $game, $set, new.number, $at, $at FROM unnest($ids, $numbers) AS new (id, number)")
    .bind("ids", &new.ids)
    .bind("numbers", &new.numbers)
    .bind("game", plan.game)
    .bind("set", &plan.set.code)
    .bind("at", at)
    .execute(conn)
    .await?;
    if plan.set.hidden {
        sql("INSERT INTO unlocks (card_id, threshold) SELECT unnest($ids), $threshold")
            .bind("ids", &new.ids)
            .bind("threshold", plan.set.unlock_threshold)
            .execute(conn)
            .await?;
    }
    Ok(())
}

/// New printings as columns.
struct NewPrintings<'a> {
    ids: Vec<PrintingId>,
    cards: Vec<CardId>,
    rarities: Vec<&'a str>,
    tiers: Vec<i16>,
    attributes: Vec<WrittenJson>,
}

impl<'a> NewPrintings<'a> {
    fn of(new: &[(CardId, &'a PrintingImport)]) -> Self {
        let mut new: Vec<_> = new
            .iter()
            .map(|(card, printing)| (PrintingId::of_card(*card), *card, *printing))
            .collect();
        // In the order of the index, so that each page of it is visited once.
        new.sort_unstable_by_key(|(id, ..)| *id);
        Self {
            ids: new.iter().map(|(id, ..)| *id).collect(),
            cards: new.iter().map(|(_, card, _)| *card).collect(),
            rarities: new.iter().map(|(.., printing)| printing.rarity.as_str()).collect(),
            tiers: new.iter().map(|(.., printing)| printing.tier).collect(),
            attributes: new
                .iter()
                .map(|(.., printing)| Value::Object(printing.attributes.to_map()).into())
                .collect(),
        }
    }
}

async fn add_printings(
    conn: &mut Connection,
    by: &Importer,
    new: &NewPrintings<'_>,
) -> StoreResult<()> {
    sql("INSERT INTO printings (id, card_id, rarity, tier) SELECT * FROM unnest($ids, $cards, $rarities, $tiers)")
        .bind("ids", &new.ids)
        .bind("cards", &new.cards)
        .bind("rarities", &new.rarities)
        .bind("tiers", &new.tiers)
        .execute(conn)
        .await?;
    content::insert_printings(conn, by, &new.ids, &new.attributes).await
}

/// Updates stored cards where they differ. The caller has locked their progress ([`lock_progress`]).
pub(super) async fn change(
    conn: &mut Connection,
    by: &Importer,
    plan: &SetPlan<'_>,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let removed = plan.changed.iter().flat_map(|card| &card.removed_printings);
    let removed: Vec<PrintingId> = removed.copied().collect();
    if !removed.is_empty() {
        // All of the set before the first is deleted: triggers move what players have counted of them, and others lock printings in this order.
        sql("SELECT FROM printings WHERE id = ")
            .any(removed)
            .push(" ORDER BY id FOR UPDATE")
            .execute(conn)
            .await?;
    }
    for batch in plan.changed.chunks(BATCH) {
        // A submission that waits for its turn alone may have unlocked some of them since their progress was locked.
        let cards: Vec<CardId> = batch.iter().map(|card| card.id).collect();
        content::lock(conn, by, &cards).await?;
        change_cards(conn, by, plan.game, batch, at).await?;
    }
    let changed: Vec<CardId> = plan.changed.iter().map(|card| card.id).collect();
    changes::locked_cards_changed(conn, &changed, at).await
}

/// Locks the progress of hidden cards that this import writes: of those in sets whose cards are counted again, and of
/// those that it changes, `others` among them. All in one statement, in the order of game, set and id, as batches of
/// submissions do, and before any content is locked, as unlocking does. So an import cannot deadlock with these, also
/// not with older versions of the program, which count cards with `FOR UPDATE`.
///
/// If no set is counted again, the changed cards go on being counted, and are not unlocked by a transaction that unlocks
/// several cards: such transactions lock progress `FOR UPDATE` first. A submission that unlocks its card alone waits for
/// the content.
pub(super) async fn lock_progress(
    conn: &mut Connection,
    plans: &[SetPlan<'_>],
    others: &[CardId],
) -> StoreResult<()> {
    let changed = plans.iter().flat_map(|plan| &plan.changed).map(|card| card.id);
    let changed: Vec<CardId> = changed.chain(others.iter().copied()).collect();
    let recounted = plans.iter().filter(|plan| plan.recounts && !plan.is_new);
    let recounted: Vec<SetId> = recounted.map(|plan| plan.set_id).collect();
    if !recounted.is_empty() {
        return lock_to_count(conn, recounted, changed).await;
    }
    if changed.is_empty() {
        return Ok(());
    }
    sql("SELECT u.card_id FROM unlocks u JOIN cards k ON k.id = u.card_id WHERE u.card_id = ANY ($ids) AND u.unlocked_at IS NULL \
         ORDER BY k.game_code, k.set_code, u.card_id FOR KEY SHARE OF u")
    .bind("ids", changed)
    .execute(conn)
    .await?;
    Ok(())
}

/// Locks the progress of all hidden cards of these sets and of the changed hidden cards, so that nobody else counts them.
async fn lock_to_count(
    conn: &mut Connection,
    sets: Vec<SetId>,
    changed: Vec<CardId>,
) -> StoreResult<()> {
    sql("SELECT u.card_id FROM unlocks u JOIN cards k ON k.id = u.card_id \
         WHERE u.card_id = ANY (ARRAY( \
             SELECT c.id FROM sets s JOIN cards c ON c.game_code = s.game_code AND c.set_code = s.code WHERE s.id = ANY ($sets) \
             UNION ALL SELECT unnest($changed))) \
           AND u.unlocked_at IS NULL ORDER BY k.game_code, k.set_code, u.card_id FOR UPDATE OF u")
    .bind("sets", sets)
    .bind("changed", changed)
    .execute(conn)
    .await?;
    Ok(())
}

/// Updates a batch of cards, with one statement for each kind of change. Triggers append what each statement changes to
/// the history of its card, so that the order of the kinds is also the order there.
async fn change_cards(
    conn: &mut Connection,
    by: &Importer,
    game: &str,
    cards: &[CardPlan<'_>],
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let ids: Vec<CardId> = cards.iter().map(|card| card.id).collect();
    // The time was taken before waiting for other transactions. This change must still get a later time
    // than theirs; otherwise a response with the same time would say that nothing has changed.
    sql(
        "UPDATE cards SET revision = revision + 1, updated_at = greatest($at, updated_at + interval '1 microsecond', \
             (SELECT unlocked_at + interval '1 microsecond' FROM unlocks WHERE card_id = cards.id)) WHERE id = ANY ($ids)",
    )
    .bind("ids", ids)
    .bind("at", at)
    .execute(conn)
    .await?;
    let with_content = cards.iter().filter(|card| card.content);
    let with_content: Vec<(CardId, &CardImport)> =
        with_content.map(|card| (card.id, card.card)).collect();
    if !with_content.is_empty() {
        content::update(conn, by, NewContent::new(game, &with_content)).await?;
    }
    // Before any is deleted: what players have counted of a deleted printing becomes that of one that stays, and there may only be new ones.
    let mut new: Vec<(CardId, &PrintingImport)> = Vec::new();
    for card in cards {
        new.extend(card.new_printings.iter().map(|printing| (card.id, *printing)));
    }
    for batch in new.chunks(PRINTING_BATCH) {
        add_printings(conn, by, &NewPrintings::of(batch)).await?;
    }
    let removed: Vec<PrintingId> =
        cards.iter().flat_map(|card| &card.removed_printings).copied().collect();
    if !removed.is_empty() {
        diesel::delete(printings::table.filter(printings::id.eq_any(removed)))
            .execute(conn)
            .await?;
    }
    // Each statement changes one printing of each card at most: so the history of a card has them from the lowest tier up.
    let rounds = cards.iter().map(|card| card.changed_printings.len()).max().unwrap_or(0);
    for round in 0..rounds {
        let changed = cards.iter().filter_map(|card| card.changed_printings.get(round)).copied();
        let changed: Vec<(PrintingId, &PrintingImport)> = changed.collect();
        change_printings(conn, by, &changed).await?;
    }
    // After all printings: triggers have marked the words of cards whose printings have texts as stale, also those that
    // were stored with their content.
    let of_printings = cards.iter().filter(|card| card.has_other_printings());
    let of_printings: Vec<(CardId, &CardImport)> =
        of_printings.map(|card| (card.id, card.card)).collect();
    if !of_printings.is_empty() {
        content::update_printing_words(conn, by, &of_printings).await?;
    }
    Ok(())
}

/// Updates the tier and the attributes of stored printings.
async fn change_printings(
    conn: &mut Connection,
    by: &Importer,
    changed: &[(PrintingId, &PrintingImport)],
) -> StoreResult<()> {
    let ids: Vec<PrintingId> = changed.iter().map(|(id, _)| *id).collect();
    let tiers: Vec<i16> = changed.iter().map(|(_, printing)| printing.tier).collect();
    let attributes: Vec<WrittenJson> = changed
        .iter()
        .map(|(_, printing)| Value::Object(printing.attributes.to_map()).into())
        .collect();
    sql("UPDATE printings p SET tier = new.tier FROM unnest($ids, $tiers) AS new (id, tier) WHERE p.id = new.id")
        .bind("ids", &ids)
        .bind("tiers", &tiers)
        .execute(conn)
        .await?;
    content::update_printings(conn, by, &ids, &attributes).await
}

#[derive(QueryableByName)]
struct CardRow {
    #[diesel(sql_type = SqlUuid)]
    card_id: CardId,
}

/// The rarities of a game and their tiers.
fn tiers_of(game: &Game) -> (Vec<&str>, Vec<i16>) {
    let tier = |rarity: &Rarity| i16::try_from(rarity.tier).unwrap_or(i16::MAX);
    game.rarities().iter().map(|rarity| (rarity.code.as_str(), tier(rarity))).unzip()
}

/// The cards of a game with a printing whose tier is not that of its rarity.
pub(super) async fn find_other_tiers(
    conn: &mut Connection,
    game: &Game,
) -> StoreResult<Vec<CardId>> {
    let (rarities, tiers) = tiers_of(game);
    let found: Vec<CardRow> =
        sql("SELECT DISTINCT p.card_id FROM printings p JOIN cards c ON c.id = p.card_id \
         JOIN unnest($rarities, $tiers) AS known (rarity, tier) ON known.rarity = p.rarity \
         WHERE c.game_code = $game AND p.tier <> known.tier ORDER BY p.card_id")
        .bind("game", game.code())
        .bind("rarities", rarities)
        .bind("tiers", tiers)
        .load(conn)
        .await?;
    Ok(found.into_iter().map(|row| row.card_id).collect())
}

/// Updates the tier of every printing of these cards to that of its rarity. Lists of cards depend on the tier, so these
/// cards count as changed. The caller has locked their progress ([`lock_progress`]).
pub(super) async fn apply_tiers(
    conn: &mut Connection,
    by: &Importer,
    game: &Game,
    cards: &[CardId],
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let (rarities, tiers) = tiers_of(game);
    for batch in cards.chunks(BATCH) {
        content::lock(conn, by, batch).await?;
        sql("UPDATE printings p SET tier = known.tier FROM unnest($rarities, $tiers) AS known (rarity, tier) \
             WHERE p.card_id = ANY ($cards) AND p.rarity = known.rarity AND p.tier <> known.tier")
        .bind("cards", batch)
        .bind("rarities", &rarities)
        .bind("tiers", &tiers)
        .execute(conn)
        .await?;
        changes::locked_cards_changed(conn, batch, at).await?;
    }
    Ok(())
}
