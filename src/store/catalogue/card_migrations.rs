//! Moves and merges of cards: a card gets another number, or is merged into another card. Old ids and numbers are
//! redirected to the card permanently.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::result::{DatabaseErrorKind, Error as DieselError};
use diesel::sql_types::{BigInt, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use serde_json::json;
use thiserror::Error;
use uuid::Uuid;

use super::changes;
use super::import::{LOCK, is_printed, lock_game, lock_set, mark_edited};
use crate::auth::permission::{Acting, Importer, WriteCatalogue};
use crate::domain::catalogue::migration::{MergeRefusal, MigrationKind};
use crate::domain::catalogue::ruling::MAX_RULINGS;
use crate::domain::code::Code;
use crate::domain::ids::{CardId, MigrationId};
use crate::search::folded_number;
use crate::store::card_content::cards::{CardPlace, zero_padded_spellings};
use crate::store::card_content::history::{self, Change};
use crate::store::card_content::identifier::CardIdentifier;
use crate::store::card_content::{content, rulings};
use crate::store::db::pool::AsStoreError;
use crate::store::db::schema::{card_migrations, cards, unlocks};
use crate::store::db::statement::{CachePrepared as _, run_commands, sql};
use crate::store::operations::audit;
use crate::store::operations::idempotency::{self, IdempotencyClaim, IdempotentError};
use crate::store::printing::press_locks;
use crate::store::serials::unlock_policies::{self, Recount};
use crate::store::{Connection, StoreError, StoreResult};

/// A move or a merge; public.
#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = card_migrations)]
pub struct MigrationRow {
    pub id: MigrationId,
    /// Whether it is a move or a merge.
    pub kind: MigrationKind,
    pub game_code: String,
    /// The card that was moved or merged.
    pub old_card_id: CardId,
    /// Code of the set it was in.
    pub old_set_code: String,
    /// The number it had.
    pub old_number: String,
    /// The same card after a move, the other one after a merge.
    pub new_card_id: CardId,
    /// Code of the set it went to.
    pub new_set_code: String,
    /// The number it got, or that of the other card.
    pub new_number: String,
    /// The reason.
    pub note: Option<String>,
    pub performed_at: DateTime<Utc>,
}

/// Why a card was neither moved nor merged.
#[derive(Debug, Error)]
pub enum MigrationError {
    /// There is no such card.
    #[error("there is no such card")]
    Missing,
    /// There is no such set, or no card to merge it into.
    #[error("there is no such place")]
    NoTarget,
    /// The number belongs to a card, or belonged to one, maybe with other leading zeros.
    #[error("the number is taken")]
    NumberTaken,
    /// One of the sets is being printed or was printed.
    #[error("the set is printed")]
    Printed,
    /// A print run is being minted, and it is not known yet whether it is one of these sets.
    #[error("a print run of an unknown set is being minted")]
    PressBusy,
    /// The two cards cannot be merged.
    #[error(transparent)]
    Refused(MergeRefusal),
    /// The card is hidden, and a note would be public.
    #[error("the card is hidden")]
    NoteOnHidden,
    /// An error of the idempotency key, or of the store.
    #[error("the request cannot be carried out")]
    Idempotent(IdempotentError),
}

impl From<IdempotentError> for MigrationError {
    fn from(error: IdempotentError) -> Self {
        Self::Idempotent(error)
    }
}

impl From<StoreError> for MigrationError {
    fn from(error: StoreError) -> Self {
        Self::Idempotent(error.into())
    }
}

impl From<DieselError> for MigrationError {
    fn from(error: DieselError) -> Self {
        Self::Idempotent(error.into())
    }
}

impl AsStoreError for MigrationError {
    fn as_store_error(&self) -> Option<&StoreError> {
        if let Self::Idempotent(error) = self { error.as_store_error() } else { None }
    }
}

/// Moves and merges, the newest first, after the position `before`.
pub async fn list(
    conn: &mut Connection,
    before: Option<(DateTime<Utc>, Uuid)>,
    limit: i64,
) -> StoreResult<Vec<MigrationRow>> {
    let mut query = card_migrations::table
        .select(MigrationRow::as_select())
        .order((card_migrations::performed_at.desc(), card_migrations::id.desc()))
        .limit(limit)
        .into_boxed();
    if let Some((at, id)) = before {
        query = query.filter(
            card_migrations::performed_at
                .lt(at)
                .or(card_migrations::performed_at.eq(at).and(card_migrations::id.lt(id))),
        );
    }
    Ok(query.load(conn).await?)
}

/// The move or merge of that id.
pub async fn find(conn: &mut Connection, id: MigrationId) -> StoreResult<Option<MigrationRow>> {
    let query = card_migrations::table.find(id).select(MigrationRow::as_select());
    Ok(query.first(conn).await.optional()?)
}

/// The card that a card was merged into.
pub async fn successor(conn: &mut Connection, old: CardId) -> StoreResult<Option<CardId>> {
    let merged = card_migrations::table.filter(
        card_migrations::kind.eq(MigrationKind::Merge).and(card_migrations::old_card_id.eq(old)),
    );
    Ok(merged.select(card_migrations::card_id).first(conn).await.optional()?)
}

#[derive(QueryableByName)]
struct MergedCard {
    #[diesel(sql_type = SqlUuid)]
    old_card_id: CardId,
    #[diesel(sql_type = SqlUuid)]
    card_id: CardId,
}

/// The cards that these cards were merged into, by the ids of the merged ones. Cards that still exist are left out.
pub(in crate::store) async fn merged_cards(
    mut conn: &Connection,
    ids: &[CardId],
) -> StoreResult<BTreeMap<CardId, CardId>> {
    let rows: Vec<MergedCard> = sql(
        "SELECT old_card_id, card_id FROM card_migrations WHERE kind = 'merge' AND old_card_id = ",
    )
    .any(ids)
    .load(&mut conn)
    .await?;
    Ok(rows.into_iter().map(|MergedCard { old_card_id, card_id }| (old_card_id, card_id)).collect())
}

/// A card that had a number before it was moved or merged.
#[derive(Clone, Debug)]
pub struct FormerBearer {
    /// The card at its present place.
    pub card: CardPlace,
    /// Whether it had exactly this number, and not one with more or fewer leading zeros.
    pub is_exact: bool,
}

/// The card that had this number; if none had exactly this number, the only one that had it with more or fewer leading zeros.
pub async fn successor_of_number(
    conn: &mut Connection,
    game: &str,
    set: &str,
    number: &str,
) -> StoreResult<Option<FormerBearer>> {
    let mut spellings = zero_padded_spellings(number);
    spellings.push(number.to_owned());
    let found: Vec<(String, CardId, Code, Code, Code)> = card_migrations::table
        .inner_join(cards::table.on(cards::id.eq(card_migrations::card_id)))
        .filter(card_migrations::game_code.eq(game))
        .filter(card_migrations::old_set_code.eq(set))
        .filter(card_migrations::old_number.eq_any(spellings))
        .select((
            card_migrations::old_number,
            cards::id,
            cards::game_code,
            cards::set_code,
            cards::number,
        ))
        .load(conn)
        .await?;
    let mut former = found.into_iter().map(|(old, id, game, set, at)| {
        let card = CardPlace { id, game, set, number: at };
        FormerBearer { card, is_exact: old == number }
    });
    let Some(mut first) = former.next() else { return Ok(None) };
    let mut is_only = true;
    for next in former {
        is_only &= next.card.id == first.card.id;
        if next.is_exact {
            first = next;
        }
    }
    Ok(Some(first).filter(|first| is_only || first.is_exact))
}

/// The old places of a game in these sets, with these numbers: the card that each of them leads to, its set and its number.
pub(in crate::store) async fn find_vacated(
    conn: &mut Connection,
    game: &str,
    (sets, numbers): (BTreeSet<String>, BTreeSet<String>),
) -> StoreResult<Vec<(CardId, String, String)>> {
    let old = card_migrations::game_code
        .eq(game)
        .and(card_migrations::old_set_code.eq_any(sets))
        .and(card_migrations::old_number.eq_any(numbers));
    let rows = card_migrations::table
        .filter(old)
        .select((
            card_migrations::card_id,
            card_migrations::old_set_code,
            card_migrations::old_number,
        ))
        .load(conn)
        .await?;
    Ok(rows)
}

#[derive(QueryableByName)]
struct Successor {
    #[diesel(sql_type = BigInt)]
    at: i64,
    #[diesel(sql_type = SqlUuid)]
    card_id: CardId,
}

/// The cards that former ids and numbers lead to, with the index of their identifier. Former names lead to none.
pub(in crate::store) async fn successors(
    conn: &mut Connection,
    identifiers: &[&CardIdentifier],
) -> StoreResult<Vec<(usize, CardId)>> {
    let mut old = Vec::new();
    for identifier in identifiers {
        old.push(match identifier {
            CardIdentifier::Id(id) => (Some(id), None, None, None),
            CardIdentifier::Number { game, set, number } => {
                (None, Some(game), Some(set), Some(number))
            }
            CardIdentifier::Name { .. } => (None, None, None, None),
        });
    }
    let found: Vec<Successor> = sql(
        "WITH old AS MATERIALIZED (SELECT * FROM unnest($ids, $games, $sets, $numbers) WITH ORDINALITY AS old (id, game, set, number, at)) \
         SELECT old.at, m.card_id FROM old JOIN card_migrations m ON m.kind = 'merge' AND m.old_card_id = old.id UNION ALL \
         SELECT old.at, m.card_id FROM old \
         JOIN card_migrations m ON m.game_code = old.game AND m.old_set_code = old.set AND m.old_number = old.number",
    )
    .bind("ids", old.iter().map(|old| old.0).collect::<Vec<_>>())
    .bind("games", old.iter().map(|old| old.1).collect::<Vec<_>>())
    .bind("sets", old.iter().map(|old| old.2).collect::<Vec<_>>())
    .bind("numbers", old.iter().map(|old| old.3).collect::<Vec<_>>())
    .load(conn)
    .await?;
    // SQL counts from 1.
    let index = |at: i64| usize::try_from(at - 1).unwrap_or_default();
    Ok(found.into_iter().map(|row| (index(row.at), row.card_id)).collect())
}

/// Locks a card's row; also returns whether the card is hidden.
async fn lock_card(conn: &mut Connection, id: CardId) -> StoreResult<Option<(CardPlace, bool)>> {
    let place: Option<(Code, Code, Code)> = cards::table
        .find(id)
        .select((cards::game_code, cards::set_code, cards::number))
        .for_update()
        .first(conn)
        .await
        .optional()?;
    let Some((game, set, number)) = place else { return Ok(None) };
    let hidden = unlocks::table.find(id).filter(unlocks::unlocked_at.is_null());
    let hidden = diesel::select(diesel::dsl::exists(hidden)).get_result(conn).await?;
    Ok(Some((CardPlace { id, game, set, number }, hidden)))
}

/// Locks the sets and checks that none of them is being printed or was printed; returns their ids.
async fn unprinted(
    conn: &mut Connection,
    game: &str,
    sets: [&str; 2],
) -> Result<[Uuid; 2], MigrationError> {
    let mut ids = [Uuid::nil(); 2];
    for (id, set) in ids.iter_mut().zip(sets) {
        *id = lock_set(conn, game, set).await?.ok_or(MigrationError::NoTarget)?;
        if is_printed(conn, *id).await? {
            return Err(MigrationError::Printed);
        }
    }
    // A mint writes the numbers of the cards into its print file before it stores its run.
    match press_locks::is_minted(conn, &ids).await? {
        Some(false) => Ok(ids),
        Some(true) => Err(MigrationError::Printed),
        None => Err(MigrationError::PressBusy),
    }
}

/// The new place of a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// Set code; `None`: the card stays in its set.
    pub set: Option<Code>,
    /// Collector number.
    pub number: Code,
}

/// Who requests a move or merge, and when.
pub struct Order<'a> {
    /// The proof that it is permitted.
    pub by: &'a Acting<WriteCatalogue>,
    /// Id of the move or merge.
    pub id: MigrationId,
    /// The reason, which is public.
    pub note: Option<&'a str>,
    /// The client's idempotency key.
    pub claim: Option<&'a IdempotencyClaim>,
    /// The current time.
    pub at: DateTime<Utc>,
}

impl Order<'_> {
    /// First step of the transaction: returns the result of an earlier identical request, or takes the lock of all
    /// catalogue writers.
    async fn begin(&self, conn: &mut Connection) -> Result<Option<MigrationRow>, MigrationError> {
        match idempotency::begin(conn, self.claim, self.id).await? {
            Some(before) => Ok(find(conn, before).await?),
            None => {
                run_commands(conn, LOCK).await?;
                Ok(None)
            }
        }
    }

    /// Stores the move or merge, with its event and its audit entry.
    async fn store(
        &self,
        conn: &mut Connection,
        kind: MigrationKind,
        old: &CardPlace,
        new: &CardPlace,
    ) -> StoreResult<MigrationRow> {
        let row: MigrationRow = diesel::insert_into(card_migrations::table)
            .values((
                card_migrations::id.eq(self.id),
                card_migrations::kind.eq(kind),
                card_migrations::game_code.eq(&old.game),
                card_migrations::old_card_id.eq(old.id),
                card_migrations::old_set_code.eq(&old.set),
                card_migrations::old_number.eq(&old.number),
                card_migrations::new_card_id.eq(new.id),
                card_migrations::new_set_code.eq(&new.set),
                card_migrations::new_number.eq(&new.number),
                card_migrations::card_id.eq(new.id),
                card_migrations::note.eq(self.note),
                card_migrations::performed_at.eq(self.at),
            ))
            .returning(MigrationRow::as_returning())
            .get_result(conn)
            .await?;
        let (event, action) = match kind {
            MigrationKind::Move => ("card.moved", "card.moved"),
            MigrationKind::Merge => ("card.merged", "card.merged"),
        };
        changes::card_went(conn, event, old, new, self.at).await?;
        let entry = audit::NewAuditEntry {
            actor: Some(self.by.account()),
            action,
            target: format!("card:{}", old.id),
            details: json!({
                "game": old.game, "set": old.set, "number": old.number,
                "new_card": new.id, "new_set": new.set, "new_number": new.number,
            }),
            at: self.at,
        };
        audit::write(conn, entry).await?;
        Ok(row)
    }
}

/// Whether a card cannot get this place, because it or another card had the number before. Of another card, a number
/// that differs only in leading zeros and case is as good as the same: people write it so.
async fn is_vacated(conn: &mut Connection, place: &CardPlace) -> StoreResult<bool> {
    let vacated: Vec<(CardId, String)> = card_migrations::table
        .filter(card_migrations::game_code.eq(&place.game))
        .filter(card_migrations::old_set_code.eq(&place.set))
        .select((card_migrations::card_id, card_migrations::old_number))
        .load(conn)
        .await?;
    let is_alike = |old: &str| folded_number(old) == folded_number(&place.number);
    let refuses = |(card, old): &(CardId, String)| {
        *old == *place.number || (*card != place.id && is_alike(old))
    };
    Ok(vacated.iter().any(refuses))
}

/// Gives a card another number, in its set or another. The old number is never used again: it is redirected to the card
/// permanently.
pub async fn move_card(
    conn: &mut Connection,
    order: &Order<'_>,
    card: CardId,
    to: &Destination,
) -> Result<MigrationRow, MigrationError> {
    if let Some(before) = order.begin(conn).await? {
        return Ok(before);
    }
    // Changes of unlock policies lock the game: either the card gets the changed policy, or the change finds the card in its new set.
    let game = cards::table.find(card).select(cards::game_code);
    let game: Option<String> = game.first(conn).await.optional()?;
    lock_game(conn, &game.ok_or(MigrationError::Missing)?).await?;
    let (old, hidden) = lock_card(conn, card).await?.ok_or(MigrationError::Missing)?;
    if hidden && order.note.is_some() {
        return Err(MigrationError::NoteOnHidden);
    }
    let set = to.set.as_ref().unwrap_or(&old.set);
    let new = CardPlace { set: set.clone(), number: to.number.clone(), ..old.clone() };
    let sets = unprinted(conn, &old.game, [&old.set, &new.set]).await?;
    let there = cards::table.filter(
        cards::game_code
            .eq(&new.game)
            .and(cards::set_code.eq(&new.set))
            .and(cards::number.eq(&new.number)),
    );
    let there: bool = diesel::select(diesel::dsl::exists(there)).get_result(conn).await?;
    if there || is_vacated(conn, &new).await? {
        return Err(MigrationError::NumberTaken);
    }
    // As for imports: the time was taken before waiting for other transactions, and must still be later than those of their changes.
    sql(
        "UPDATE cards SET set_code = $set, number = $number, revision = revision + 1, \
             updated_at = greatest($at, updated_at + interval '1 microsecond', \
                 (SELECT unlocked_at + interval '1 microsecond' FROM unlocks WHERE card_id = cards.id)) WHERE id = $card",
    )
    .bind("card", card)
    .bind("set", new.set.as_str())
    .bind("number", new.number.as_str())
    .bind("at", order.at)
    .execute(conn)
    .await?;
    for set in sets {
        mark_edited(conn, set, order.at).await?;
    }
    if hidden && new.set != old.set {
        unlock_policies::apply(conn, &new.game, &new.set, Recount::Changed, order.at).await?;
    }
    let mut changes = Vec::new();
    for (member, before, after) in
        [("/set", &old.set, &new.set), ("/number", &old.number, &new.number)]
    {
        if before != after {
            let (before, after) = (Some(json!(before)), Some(json!(after)));
            changes.push(Change { member: member.to_owned(), before, after });
        }
    }
    history::record(conn, card, "moved", &changes, order.at).await?;
    Ok(order.store(conn, MigrationKind::Move, &old, &new).await?)
}

/// Merges a card into another, which stays and gets the rulings. The old id and number are redirected to it
/// permanently.
pub async fn merge_card(
    conn: &mut Connection,
    order: &Order<'_>,
    card: CardId,
    into: CardId,
) -> Result<MigrationRow, MigrationError> {
    if let Some(before) = order.begin(conn).await? {
        return Ok(before);
    }
    // Both in the order of their ids, as lists of wants and haves lock cards.
    sql("SELECT FROM cards WHERE id IN ($card, $into) ORDER BY id FOR UPDATE")
        .bind("card", card)
        .bind("into", into)
        .execute(conn)
        .await?;
    let (old, hidden) = lock_card(conn, card).await?.ok_or(MigrationError::Missing)?;
    if card == into {
        return Err(MigrationError::Refused(MergeRefusal::Itself));
    }
    let (new, into_hidden) = lock_card(conn, into).await?.ok_or(MigrationError::NoTarget)?;
    if old.game != new.game {
        return Err(MigrationError::Refused(MergeRefusal::OtherGame));
    }
    if hidden || into_hidden {
        return Err(MigrationError::Refused(MergeRefusal::Hidden));
    }
    // Rulings are created under a lock of their card, so both cards keep their numbers of rulings. A card that an older program gave too many can still get
    // the number of a card without rulings.
    if rulings::count(conn, &[card]).await? > 0
        && rulings::count(conn, &[card, into]).await? > MAX_RULINGS
    {
        return Err(MigrationError::Refused(MergeRefusal::TooManyRulings));
    }
    let [old_set, _] = unprinted(conn, &old.game, [&old.set, &new.set]).await?;
    let importer = Importer::from(order.by);
    let stored = content::load_card(conn, &importer, card).await?.ok_or(MigrationError::Missing)?;
    let row = order.store(conn, MigrationKind::Merge, &old, &new).await?;
    diesel::update(card_migrations::table.filter(card_migrations::card_id.eq(card)))
        .set(card_migrations::card_id.eq(into))
        .cached()
        .execute(conn)
        .await?;
    rulings::move_to_card(conn, card, into).await?;
    match diesel::delete(cards::table.find(card)).execute(conn).await {
        Ok(_) => {}
        Err(DieselError::DatabaseError(DatabaseErrorKind::ForeignKeyViolation, _)) => {
            return Err(MigrationError::Refused(MergeRefusal::Used));
        }
        Err(error) => return Err(error.into()),
    }
    mark_edited(conn, old_set, order.at).await?;
    let mut was = json!(stored.into_definition());
    was["set"] = json!(old.set);
    let change = Change { member: format!("/merged/{card}"), before: None, after: Some(was) };
    history::record(conn, into, "merged", &[change], order.at).await?;
    Ok(row)
}
