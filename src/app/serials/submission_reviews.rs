//! Submissions that wait for a moderator, in sets whose unlock policy requires a review.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::submission_answers::SubmittedCard;
use crate::app::accounts::people::{Names, PersonFilter};
use crate::app::catalogue::cards::CardUnlock;
use crate::app::page::{Page, PageLimit, paged};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadAccounts, ReviewSubmissions, Viewer};
use crate::domain::code::Code;
use crate::domain::ids::SubmissionId;
use crate::domain::text;
use crate::store::StoreResult;
use crate::store::serials::submission_reviews::{
    self, EarlierReview, NamedWaitingRow, ReviewOutcome, WaitingFilter,
};
use crate::store::serials::unlocks;

/// Longest note, in characters.
const MAX_NOTE: usize = 500;

/// A submission for a hidden card, which does not count before a moderator confirms it.
#[derive(Serialize, ToSchema)]
pub struct WaitingSubmission {
    /// Id of the submission.
    pub submission: Uuid,
    /// Id of the account that made it.
    pub account: Uuid,
    /// Name of the account; absent for tokens without `admin:read`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ada")]
    pub account_name: Option<String>,
    /// When the account was registered.
    pub account_since: DateTime<Utc>,
    /// Number of all submissions that the account has made.
    #[schema(example = 12)]
    pub account_submissions: i64,
    /// The card.
    pub card: SubmittedCard,
    /// Rarity of the copy.
    #[schema(example = "common")]
    pub rarity: String,
    /// When the submission was made.
    pub created_at: DateTime<Utc>,
    /// `true`: you own or claim its copy, or did so before, so you cannot decide about it (`own_case`); absent: neither is the case.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub own: bool,
}

impl WaitingSubmission {
    fn new(NamedWaitingRow { row, name }: NamedWaitingRow, names: &Names) -> Self {
        Self {
            submission: row.id.0,
            account: row.account_id.0,
            account_name: names.of(row.account_id.0),
            account_since: row.account_since,
            account_submissions: row.account_submissions,
            rarity: row.rarity,
            created_at: row.created_at,
            own: row.own,
            card: SubmittedCard {
                href: format!("/v1/cards/{}", row.card_id),
                id: row.card_id.0,
                game: row.game_code,
                set: row.set_code,
                number: row.number,
                name,
            },
        }
    }
}

/// Filter of waiting submissions; all given conditions must hold.
pub struct WaitingSelection {
    /// The submitter.
    pub account: Option<PersonFilter>,
    /// The game of the card.
    pub game: Option<Code>,
    /// The set of the card.
    pub set: Option<Code>,
}

/// Lists the submissions that wait for a moderator, the oldest first, after the one with id `after`. Names of accounts
/// are shown only with the permission in `reader`.
pub async fn list_waiting(
    app: &AppState,
    by: &Granted<ReviewSubmissions>,
    viewer: Viewer,
    reader: Option<&Granted<ReadAccounts>>,
    wanted: WaitingSelection,
    after: Option<Uuid>,
    limit: PageLimit,
) -> Result<Page<WaitingSubmission>, Problem> {
    let WaitingSelection { account, game, set } = wanted;
    let mut conn = app.store.connection().await?;
    let filter = WaitingFilter {
        account: PersonFilter::id(account.as_ref(), &mut conn).await?,
        game: game.as_deref(),
        set: set.as_deref(),
    };
    let waiting =
        submission_reviews::list_waiting(&mut conn, by, viewer, filter, after, limit.rows())
            .await?;
    let accounts = waiting.iter().map(|waiting| waiting.row.account_id.0);
    let names = Names::read(&mut conn, reader, accounts).await?;
    let item = |waiting| WaitingSubmission::new(waiting, &names);
    Ok(paged(waiting, limit, |waiting| waiting.row.id, item))
}

/// Finds a submission that waits for a moderator. 404 when it does not exist or no longer waits.
pub async fn find_waiting(
    app: &AppState,
    by: &Granted<ReviewSubmissions>,
    viewer: Viewer,
    reader: Option<&Granted<ReadAccounts>>,
    submission: SubmissionId,
) -> Result<WaitingSubmission, Problem> {
    let wanted = WaitingSelection { account: None, game: None, set: None };
    // The list is ordered by id: the submission is the first entry after the id before its own.
    let before = submission.0.as_u128().checked_sub(1).map(Uuid::from_u128);
    let one = PageLimit::try_from(1).map_err(Problem::internal)?;
    let found = list_waiting(app, by, viewer, reader, wanted, before, one).await?;
    let found = found.data.into_iter().find(|waiting| waiting.submission == submission.0);
    found.ok_or_else(Problem::not_found)
}

/// Checks the note about a review.
pub fn read_note(raw: &str) -> Result<String, Problem> {
    text::line(raw, 1, MAX_NOTE)
        .and_then(text::without_serial)
        .map_err(|error| Problem::invalid(vec![InputFault::at("/note", error)]))
}

/// The result of a review.
#[derive(Serialize, ToSchema)]
pub struct ReviewResponse {
    /// Id of the card.
    pub card: Uuid,
    /// Whether this review unlocked the card.
    pub unlocked: bool,
    /// Unlock progress of the card; absent if the card was never hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unlock: Option<CardUnlock>,
}

pub struct StoredReview {
    pub response: ReviewResponse,
    /// Whether the note is the stored one; otherwise a moderator has stored the same decision with another note before.
    pub has_note: bool,
    /// Whether the copy is void, so that its submission cannot count.
    pub is_void: bool,
}

/// Confirms or refuses a submission; this is final. `note` is the reason, for the audit log.
pub async fn review(
    app: &AppState,
    by: &Granted<ReviewSubmissions>,
    submission: SubmissionId,
    confirmed: bool,
    note: &str,
) -> Result<StoredReview, Problem> {
    let at = app.clock.now();
    let (reviewed, unlock) = app
        .write(by, async |conn, by| {
            let reviewed =
                submission_reviews::review(conn, by, submission, confirmed, note, at).await?;
            let unlock = match reviewed {
                ReviewOutcome::Stored { card, .. } => unlocks::find_progress(conn, card).await?,
                ReviewOutcome::Contradicts | ReviewOutcome::Own | ReviewOutcome::Missing => None,
            };
            StoreResult::Ok((reviewed, unlock))
        })
        .await?;
    let (card, unlocked, earlier, is_void) = match reviewed {
        ReviewOutcome::Stored { card, unlocked, earlier, is_void } => {
            (card, unlocked, earlier, is_void)
        }
        ReviewOutcome::Own => return Err(Problem::new(ProblemCode::OwnCase)),
        ReviewOutcome::Contradicts => return Err(Problem::new(ProblemCode::AlreadyReviewed)),
        ReviewOutcome::Missing => return Err(Problem::not_found()),
    };
    if earlier.is_none() {
        tracing::info!(by = %by.account(), %submission, confirmed, unlocked, "submission reviewed");
    }
    let response = ReviewResponse { card: card.0, unlocked, unlock: unlock.map(Into::into) };
    Ok(StoredReview { response, has_note: earlier != Some(EarlierReview::Another), is_void })
}
