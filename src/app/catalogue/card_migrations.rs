//! Moves and merges of cards: the redirects that they leave, and how admins make them.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::fault_reason::FaultReason;
use crate::app::page::{CursorTime, Page, PageLimit, paged};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::problem_cause::ProblemCause;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, WriteCatalogue};
use crate::domain::catalogue::import::number_fault;
use crate::domain::code::Code;
use crate::domain::ids::{CardId, MigrationId};
use crate::domain::text;
use crate::store::Connection;
pub use crate::store::catalogue::card_migrations::Destination;
use crate::store::catalogue::card_migrations::{
    self, MigrationError, MigrationRow, Order, move_card as store_move,
};
use crate::store::catalogue::cards::CardPlace;
use crate::store::db::deadlines;
use crate::store::operations::idempotency::IdempotencyClaim;

/// Longest note, in characters.
const MAX_NOTE: usize = 500;

/// Checks the note about a move or a merge.
pub fn read_note(text: Option<&str>) -> Result<Option<String>, Problem> {
    let note =
        text.map(|text| text::line(text, 1, MAX_NOTE).and_then(text::without_serial)).transpose();
    note.map_err(|error| Problem::invalid(vec![InputFault::at("/note", error)]))
}

/// Checks the number that a card is to get and the note about it, or reports every fault.
pub fn read_move(number: &str, note: Option<&str>) -> Result<(Code, Option<String>), Problem> {
    let mut faults = Vec::new();
    let number = number.trim();
    let number = match number_fault(number) {
        Some(fault) => Err(fault.into()),
        None => Code::try_from(number).map_err(FaultReason::from),
    };
    let number = number.map_err(|fault| faults.push(InputFault::at("/number", fault)));
    let note = read_note(note).map_err(|problem| faults.extend(problem.into_faults()));
    let (Ok(number), Ok(note)) = (number, note) else { return Err(Problem::invalid(faults)) };
    Ok((number, note))
}

/// The result of looking for something about a card.
pub enum Located<T> {
    /// The card was found; this is the requested value.
    Here(T),
    /// The card was moved or merged; this is its new place.
    Moved(NewPlace),
}

/// The new place of a moved or merged card.
pub enum NewPlace {
    /// The card was merged into the card with this id.
    Id(CardId),
    /// The card with that number was moved to another number, or merged into the card that has this number.
    Number(CardPlace),
}

/// Finds the card that replaced a card id; 404 if no card ever had that id.
pub(crate) async fn follow_id<T>(
    conn: &mut Connection,
    old: CardId,
) -> Result<Located<T>, Problem> {
    let new = card_migrations::successor(conn, old).await?.ok_or_else(Problem::not_found)?;
    Ok(Located::Moved(NewPlace::Id(new)))
}

/// Set and number of a card.
#[derive(Serialize, ToSchema)]
pub struct CardPlaceResponse {
    /// Code of the game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Code of the set.
    #[schema(example = "hearth")]
    pub set: String,
    /// Number in the set.
    #[schema(example = "007")]
    pub number: String,
}

/// A move or a merge of a card.
#[derive(Serialize, ToSchema)]
pub struct MigrationResponse {
    /// Its id.
    pub id: Uuid,
    /// `move`: the card got another number; `merge`: it was merged into another card.
    #[schema(example = "merge")]
    pub r#type: String,
    /// Id of the card that was moved or merged.
    pub old_card_id: Uuid,
    /// Id of the card that it is now: its own after a move, that of the other card after a merge.
    pub new_card_id: Uuid,
    /// Set and number that the card had before.
    pub old: CardPlaceResponse,
    /// Set and number that the card has afterwards.
    pub new: CardPlaceResponse,
    /// When it happened.
    pub performed_at: DateTime<Utc>,
    /// The reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "The same card stood in the file twice.")]
    pub note: Option<String>,
}

impl From<MigrationRow> for MigrationResponse {
    fn from(row: MigrationRow) -> Self {
        let place = |set, number| CardPlaceResponse { game: row.game_code.clone(), set, number };
        Self {
            id: row.id.0,
            r#type: row.kind.as_str().to_owned(),
            old_card_id: row.old_card_id.0,
            new_card_id: row.new_card_id.0,
            old: place(row.old_set_code, row.old_number),
            new: place(row.new_set_code, row.new_number),
            performed_at: row.performed_at,
            note: row.note,
        }
    }
}

/// Lists moves and merges, the newest first, after the last entry of the previous page.
pub async fn list(
    app: &AppState,
    after: Option<(CursorTime, Uuid)>,
    limit: PageLimit,
) -> Result<Page<MigrationResponse>, Problem> {
    let before = after.map(|(CursorTime(at), id)| (at, id));
    let mut conn = app.store.connection().await?;
    let rows = card_migrations::list(&mut conn, before, limit.rows()).await?;
    let key = |row: &MigrationRow| (CursorTime(row.performed_at), row.id);
    Ok(paged(rows, limit, key, MigrationResponse::from))
}

/// Finds a move or merge.
pub async fn find(app: &AppState, migration: MigrationId) -> Result<MigrationResponse, Problem> {
    let mut conn = app.store.connection().await?;
    let row = card_migrations::find(&mut conn, migration).await?;
    Ok(row.ok_or_else(Problem::not_found)?.into())
}

/// Gives a card another number, in its set or another.
pub async fn move_card(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    card: CardId,
    to: Destination,
    note: Option<&str>,
    key: Option<&IdempotencyClaim>,
) -> Result<MigrationResponse, Problem> {
    let (id, at) = (MigrationId::generate(), app.clock.now());
    let done = app
        .write_within(deadlines::CATALOGUE, by, async |conn, by| {
            let order = Order { by, id, note, claim: key, at };
            store_move(conn, &order, card, &to).await
        })
        .await;
    let row = done.map_err(|error| migration_refused(error, "/set"))?;
    app.wait_until_current().await;
    log(by, id, &row);
    Ok(row.into())
}

/// Merges a card into another one of its game.
pub async fn merge_card(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    card: CardId,
    into: CardId,
    note: Option<&str>,
    key: Option<&IdempotencyClaim>,
) -> Result<MigrationResponse, Problem> {
    let (id, at) = (MigrationId::generate(), app.clock.now());
    let done = app
        .write_within(deadlines::CATALOGUE, by, async |conn, by| {
            let order = Order { by, id, note, claim: key, at };
            card_migrations::merge_card(conn, &order, card, into).await
        })
        .await;
    let row = done.map_err(|error| migration_refused(error, "/into"))?;
    app.wait_until_current().await;
    log(by, id, &row);
    Ok(row.into())
}

/// Logs a move or merge, but not the repetition of a request.
fn log(by: &Granted<WriteCatalogue>, id: MigrationId, row: &MigrationRow) {
    if row.id == id {
        tracing::info!(
            account = %by.account(), migration = %id, kind = row.kind.as_str(), old = %row.old_card_id, new = %row.new_card_id,
            "card moved or merged"
        );
    }
}

/// `target` is the request field with the destination.
fn migration_refused(error: MigrationError, target: &str) -> Problem {
    match error {
        MigrationError::Missing => Problem::not_found(),
        MigrationError::NoTarget => {
            Problem::invalid(vec![InputFault::at(target, FaultReason::NoTarget)])
        }
        MigrationError::NumberTaken => Problem::new(ProblemCode::NumberTaken),
        MigrationError::Printed => Problem::new(ProblemCode::SetPrinted),
        MigrationError::PressBusy => Problem::new(ProblemCode::Unavailable)
            .detail(
                "A print run is being minted or discarded, and it is not known yet of which set.",
            )
            .retry_after(2),
        MigrationError::Refused(why) => {
            Problem::new(ProblemCode::MergeRefused).because(ProblemCause::Merge(why))
        }
        MigrationError::NoteOnHidden => {
            Problem::invalid(vec![InputFault::at("/note", FaultReason::NoteOnHidden)])
        }
        MigrationError::Idempotent(error) => error.into(),
    }
}
