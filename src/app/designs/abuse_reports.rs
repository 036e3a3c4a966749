//! Abuse reports about designs, decks, comments on both, suggested changes and players, and moderators' decisions about
//! them.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::reported_designs::ReportedDesignResponse;
use super::step_problems::name_taken;
use crate::app::accounts::people::PersonFilter;
use crate::app::fault_reason::FaultReason;
use crate::app::feedback::problems::too_many_today;
use crate::app::page::{Page, PageLimit, paged};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::problem_cause::{NameHolder, ProblemCause};
use crate::app::state::AppState;
use crate::app::words::{Word as _, words};
use crate::auth::permission::{Granted, ModerateDesigns, ReportAbuse};
use crate::domain::designs::abuse_report::{
    AbuseDecision, AbuseReason, MAX_DETAILS, MAX_NOTE, ReportedDeckState,
};
use crate::domain::designs::identifier::DesignCode;
use crate::domain::feedback::comment::CommentState;
use crate::domain::ids::{AbuseReportId, AccountId, CommentId, DeckId, SuggestionId};
use crate::domain::text::prose_lines;
pub use crate::store::designs::abuse_reports::Verdict;
use crate::store::designs::abuse_reports::{
    self, DecideOutcome, FoundTarget, NewReport, ReportFilter, ReportOutcome, StoredReport,
};
use crate::store::designs::first_evidence::FirstTexts;
use crate::store::designs::reserved_names::NameOwner;

words! {
    AbuseReason: "Reason for an abuse report.";
    AbuseDecision: "A moderator's decision about a report.";
}

/// The subject of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reported {
    /// A design that everybody may read.
    Design(DesignCode),
    /// A comment on such a design.
    Comment(DesignCode, CommentId),
    /// A deck that others can read.
    Deck(DeckId),
    /// A comment on a deck that others can read.
    DeckComment(DeckId, CommentId),
    /// A suggested change of one of the reporter's designs.
    Suggestion(DesignCode, SuggestionId),
    /// A player.
    Account(AccountId),
}

/// Reads why something is reported, and the details; every fault otherwise. Empty details are no details: a form always has the field.
pub fn read_reason(
    reason: &str,
    details: Option<&str>,
) -> Result<(AbuseReason, Option<String>), Vec<InputFault>> {
    let mut faults = Vec::new();
    let reason =
        AbuseReason::read(reason).map_err(|error| faults.push(InputFault::at("/reason", error)));
    let written = details.filter(|details| !details.trim().is_empty());
    let details = written.map(|details| prose_lines(details, 0, MAX_DETAILS)).transpose();
    let details = details.unwrap_or_else(|error| {
        faults.push(InputFault::at("/details", error));
        None
    });
    if reason == Ok(AbuseReason::Other) && written.is_none() {
        faults.push(InputFault::at("/details", FaultReason::DetailsMissing));
    }
    match reason {
        Ok(reason) if faults.is_empty() => Ok((reason, details)),
        _ => Err(faults),
    }
}

/// Reads a decision about a report and the note about it.
pub fn read_decision(decision: &str, note: &str) -> Result<(AbuseDecision, String), Problem> {
    let decision =
        AbuseDecision::read(decision).map_err(|message| InputFault::at("/decision", message));
    let note = prose_lines(note, 1, MAX_NOTE).map_err(|error| InputFault::at("/note", error));
    match (decision, note) {
        (Ok(decision), Ok(note)) => Ok((decision, note)),
        (decision, note) => {
            Err(Problem::invalid(decision.err().into_iter().chain(note.err()).collect()))
        }
    }
}

/// An abuse report, as its reporter sees it.
#[derive(Serialize, ToSchema)]
pub struct CreatedReportResponse {
    /// Id of the report.
    pub id: Uuid,
    /// Whether you had already reported this and no moderator has decided yet: then `id` is that of the earlier report, which now has the new `reason` and `details`, and what
    /// you could read of it both times.
    #[schema(example = false)]
    pub repeated: bool,
}

/// Checks that something can be reported, for a form: as [`create`] does.
pub async fn require_subject(
    app: &AppState,
    by: &Granted<ReportAbuse>,
    reported: Reported,
) -> Result<(), Problem> {
    find_subject(app, by, reported).await.map(drop)
}

/// The subject of a report, which somebody else has written. One that the reporter may not see is answered like one that does not exist.
async fn find_subject(
    app: &AppState,
    by: &Granted<ReportAbuse>,
    reported: Reported,
) -> Result<FoundTarget, Problem> {
    let mut conn = app.store.connection().await?;
    let found = match reported {
        Reported::Design(design) => abuse_reports::find_in_design(&mut conn, design, None).await?,
        Reported::Comment(design, comment) => {
            abuse_reports::find_in_design(&mut conn, design, Some(comment)).await?
        }
        Reported::Deck(deck) => abuse_reports::find_in_deck(&mut conn, deck, None).await?,
        Reported::DeckComment(deck, comment) => {
            abuse_reports::find_in_deck(&mut conn, deck, Some(comment)).await?
        }
        Reported::Suggestion(design, suggestion) => {
            abuse_reports::find_suggestion(&mut conn, by, design, suggestion).await?
        }
        Reported::Account(account) => abuse_reports::find_account(&mut conn, account).await?,
    };
    drop(conn);
    let found = found.ok_or_else(Problem::not_found)?;
    if found.accused == by.account() {
        return Err(Problem::new(ProblemCode::OwnReport));
    }
    Ok(found)
}

/// Creates a report.
pub async fn create(
    app: &AppState,
    by: &Granted<ReportAbuse>,
    reported: Reported,
    reason: AbuseReason,
    details: Option<&str>,
) -> Result<CreatedReportResponse, Problem> {
    let FoundTarget { target, accused } = find_subject(app, by, reported).await?;
    let at = app.clock.now();
    let new = NewReport { target, accused, reason, details, at };
    let written =
        app.write(by, async |conn, by| abuse_reports::create(conn, by, &new).await).await?;
    match written {
        ReportOutcome::New(id) => {
            tracing::info!(account = %by.account(), report = %id, reason = reason.as_str(), "abuse reported");
            Ok(CreatedReportResponse { id: id.0, repeated: false })
        }
        ReportOutcome::Repeat(id) => {
            tracing::info!(account = %by.account(), report = %id, reason = reason.as_str(), "abuse report changed");
            Ok(CreatedReportResponse { id: id.0, repeated: true })
        }
        ReportOutcome::TooManyToday(limit) => Err(too_many_today(app, limit)),
        ReportOutcome::Missing => Err(Problem::not_found()),
    }
}

/// An abuse report, as moderators see it.
#[derive(Serialize, ToSchema)]
pub struct AbuseReportResponse {
    /// Id of the report.
    pub id: Uuid,
    /// What it is about: `design`, `deck`, `comment`, `suggestion` or `account`.
    #[schema(example = "comment")]
    pub about: &'static str,
    /// Identifier of the design, or of the design with the comment or the suggestion; absent in reports about players, decks and comments on decks.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "D-7KQ2X0FM9F")]
    pub design: Option<String>,
    /// Name of that design: in a report about the design, its name when it was reported; in a report about a comment or a suggestion, its name now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Lantern Heron")]
    pub design_name: Option<String>,
    /// In reports about designs: the design as others could read it when it was reported, whatever its author does since; absent in reports that an older version of the
    /// service stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reported_design: Option<ReportedDesignResponse>,
    /// Id of the deck, or of the deck with the comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deck: Option<Uuid>,
    /// Name of that deck, chosen by its owner. In a report about a deck: its name when it was reported. In a report about a comment: its name now, or, while a moderator
    /// has taken the deck down, its name in the newest report for which it was; absent if others cannot read the deck for another reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Embers and Bones")]
    pub deck_name: Option<String>,
    /// In reports about decks: the description when the deck was reported; absent: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Goes *fast*.")]
    pub deck_description: Option<String>,
    /// In reports about decks: the tags when the deck was reported; absent: none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(example = json!(["aggro"]))]
    pub deck_tags: Vec<String>,
    /// In reports about decks: the names in entries that belonged to no card when the deck was reported, as the owner wrote them, at most 100; absent: none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(example = json!(["Kettle Impp"]), max_items = 100)]
    pub deck_entries: Vec<String>,
    /// Who can read the deck now: `shown` (others can), `private` (only its owner), `taken_down` (only its owner, because a moderator took it down), `deleted`, or
    /// `owner_banned` (nobody while its owner is banned); absent in reports about anything but decks and comments on them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "shown")]
    pub deck_state: Option<&'static str>,
    /// Id of the comment, in reports about comments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<Uuid>,
    /// Text of the comment when it was reported, even if it is hidden or its author has changed or deleted it since; in reports that an older version of the service stored,
    /// its text now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Buy my pills.")]
    pub comment_text: Option<String>,
    /// Text of the comment now, if its author has changed it since; absent: it still has the text that was reported, or an older version of the service stored the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Nice card.")]
    pub comment_text_now: Option<String>,
    /// What readers see of the comment now: `shown`, `deleted` (by its author), `hidden` (by a moderator, or its author is banned) or `hidden_by_owner` (by the author of the design or the owner of the deck);
    /// absent in reports about anything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "shown")]
    pub comment_state: Option<&'static str>,
    /// `true`: the author of the design or the owner of the deck hid the comment, also if a moderator has hidden it since. It stays hidden when the report is dismissed; absent: the owner did not hide it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(example = true)]
    pub comment_hidden_by_owner: bool,
    /// Id of the suggested change, in reports about suggested changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<Uuid>,
    /// Message of the suggested change: why it was suggested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion_message: Option<String>,
    /// The suggested content of the design, with its members as they are stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub suggested_design: Option<serde_json::Value>,
    /// Id of the account that the report is about: the author of the design, deck, comment or suggested change, or the reported player.
    pub accused_id: Uuid,
    /// Name of that account.
    #[schema(example = "ben")]
    pub accused: String,
    /// Id of the account that reported it.
    pub reporter_id: Uuid,
    /// Name of the account that reported it.
    #[schema(example = "ada")]
    pub reporter: String,
    /// Reason for the report.
    #[schema(example = "spam")]
    pub reason: &'static str,
    /// Details, as the reporter wrote them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// When it was reported; if its reporter has reported it again since, when that was.
    pub created_at: DateTime<Utc>,
    /// What the report contained when it was sent first; absent: it was not sent again, or others could read the same when it was sent last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_reported: Option<FirstReportedResponse>,
    /// The decision: `upheld` or `dismissed`; absent: no moderator has decided yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "upheld")]
    pub decision: Option<&'static str>,
    /// Reason for the decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Id of the moderator who decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<Uuid>,
    /// When it was decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<DateTime<Utc>>,
}

/// What others could read of a design, deck or comment when its reporter reported it first, if they read something else when it was reported last.
#[derive(Serialize, ToSchema)]
pub struct FirstReportedResponse {
    /// When the report was sent first. If an older version of the service stored it without what others could read: when it was sent again first.
    pub reported_at: DateTime<Utc>,
    /// In reports about designs: the design as others could read it then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reported_design: Option<ReportedDesignResponse>,
    /// In reports about decks: the name of the deck then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Embers and Bones")]
    pub deck_name: Option<String>,
    /// In reports about decks: the description then; absent: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Goes *fast*.")]
    pub deck_description: Option<String>,
    /// In reports about decks: the tags then; absent: none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(example = json!(["aggro"]))]
    pub deck_tags: Vec<String>,
    /// In reports about decks: the names in entries that belonged to no card then, at most 100; absent: none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(example = json!(["Kettle Impp"]), max_items = 100)]
    pub deck_entries: Vec<String>,
    /// In reports about comments: the text of the comment then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Buy my pills.")]
    pub comment_text: Option<String>,
}

/// Everything but the reported design.
impl From<(DateTime<Utc>, FirstTexts)> for FirstReportedResponse {
    fn from((reported_at, texts): (DateTime<Utc>, FirstTexts)) -> Self {
        let FirstTexts { name, description, tags, entries, text } = texts;
        Self {
            reported_at,
            reported_design: None,
            deck_name: name,
            deck_description: description.filter(|description| !description.is_empty()),
            deck_tags: tags,
            deck_entries: entries,
            comment_text: text,
        }
    }
}

/// A report with the design as it was reported.
async fn describe(
    app: &AppState,
    mut report: StoredReport,
) -> Result<AbuseReportResponse, Problem> {
    let reported = report.reported_design.take_revision();
    let first = reported.as_ref().and_then(|last| report.first.take_revision(&last.game_code));
    let mut response = AbuseReportResponse::from(report);
    if let Some(reported) = reported {
        response.reported_design = Some(ReportedDesignResponse::new(app, reported).await?);
    }
    if let (Some(first), Some(described)) = (first, &mut response.first_reported) {
        described.reported_design = Some(ReportedDesignResponse::new(app, first).await?);
    }
    Ok(response)
}

/// Reports with the designs as they were reported.
async fn describe_all(
    app: &AppState,
    reports: Vec<StoredReport>,
) -> Result<Vec<AbuseReportResponse>, Problem> {
    let mut described = Vec::with_capacity(reports.len());
    for report in reports {
        described.push(describe(app, report).await?);
    }
    Ok(described)
}

/// Everything but the reported designs, which need the game.
impl From<StoredReport> for AbuseReportResponse {
    fn from(mut report: StoredReport) -> Self {
        let first_reported = report.first.take_texts().map(FirstReportedResponse::from);
        let suggested_design = report.suggested_design().cloned();
        let (comment_state, comment_hidden_by_owner) =
            (report.comment_state().map(CommentState::as_str), report.owner_hid_comment());
        let about = report.about();
        let deck = report.reported_deck;
        Self {
            about,
            id: report.id.0,
            design: report.design.map(|design| design.to_string()),
            design_name: report.reported_design.design_name,
            reported_design: None,
            deck_state: deck.state().map(ReportedDeckState::as_str),
            deck: deck.deck.map(|deck| deck.0),
            deck_name: deck.deck_name,
            deck_description: deck.deck_description,
            deck_tags: deck.deck_tags,
            deck_entries: deck.deck_entries,
            comment: report.comment_id.map(|comment| comment.0),
            comment_text: report.comment,
            comment_text_now: report.comment_now,
            comment_state,
            comment_hidden_by_owner,
            suggestion: report.suggestion_id.map(|suggestion| suggestion.0),
            suggestion_message: report.suggestion,
            suggested_design,
            accused_id: report.accused_id.0,
            accused: report.accused,
            reporter_id: report.reporter_id.0,
            reporter: report.reporter,
            reason: report.reason.as_str(),
            details: report.details,
            created_at: report.created_at,
            first_reported,
            decision: report.decision.map(AbuseDecision::as_str),
            note: report.note,
            decided_by: report.decided_by.map(|account| account.0),
            decided_at: report.decided_at,
        }
    }
}

/// Which reports are listed.
#[derive(Default)]
pub struct ReportSelection {
    /// Decided reports instead of undecided ones.
    pub decided: bool,
    /// Only reports about this account or its works.
    pub accused: Option<PersonFilter>,
}

/// Lists the reports that wait for a decision, or those that were decided; the oldest first.
pub async fn list(
    app: &AppState,
    by: &Granted<ModerateDesigns>,
    wanted: ReportSelection,
    after: Option<AbuseReportId>,
    limit: PageLimit,
) -> Result<Page<AbuseReportResponse>, Problem> {
    let ReportSelection { decided, accused } = wanted;
    let mut conn = app.store.connection().await?;
    let accused = PersonFilter::id(accused.as_ref(), &mut conn).await?;
    let filter = ReportFilter { decided, accused };
    let rows = abuse_reports::list(&mut conn, by, filter, after, limit.rows()).await?;
    drop(conn);
    let Page { data: reports, next_cursor, total } = paged(rows, limit, |row| row.id, |row| row);
    Ok(Page { data: describe_all(app, reports).await?, next_cursor, total })
}

/// Finds a report.
pub async fn find(
    app: &AppState,
    by: &Granted<ModerateDesigns>,
    id: AbuseReportId,
) -> Result<AbuseReportResponse, Problem> {
    let mut conn = app.store.connection().await?;
    let found = abuse_reports::find(&mut conn, by, id).await?;
    drop(conn);
    describe(app, found.ok_or_else(Problem::not_found)?).await
}

/// Lists at most `limit` other waiting reports about the subject of a report, the newest first.
pub async fn list_beside(
    app: &AppState,
    by: &Granted<ModerateDesigns>,
    id: AbuseReportId,
    limit: u8,
) -> Result<Vec<AbuseReportResponse>, Problem> {
    let mut conn = app.store.connection().await?;
    let found = abuse_reports::list_beside(&mut conn, by, id, limit.into()).await?;
    drop(conn);
    describe_all(app, found).await
}

/// Finds the other report about the same subject that was decided last.
pub async fn find_decided_beside(
    app: &AppState,
    by: &Granted<ModerateDesigns>,
    id: AbuseReportId,
) -> Result<Option<AbuseReportResponse>, Problem> {
    let mut conn = app.store.connection().await?;
    let found = abuse_reports::find_decided_beside(&mut conn, by, id).await?;
    Ok(found.map(AbuseReportResponse::from))
}

/// Decides a report, together with the other waiting reports about the same subject.
pub async fn decide(
    app: &AppState,
    by: &Granted<ModerateDesigns>,
    id: AbuseReportId,
    verdict: &Verdict<'_>,
) -> Result<AbuseReportResponse, Problem> {
    let at = app.clock.now();
    let decided = app
        .write_design(by, async |conn, by| abuse_reports::decide(conn, by, id, verdict, at).await)
        .await?;
    match decided {
        DecideOutcome::Done(report) => {
            tracing::info!(account = %by.account(), report = %id, decision = verdict.decision.as_str(), "report decided");
            // A card may begin or cease to name the author of its design.
            app.wait_until_current().await;
            describe(app, *report).await
        }
        DecideOutcome::Missing => Err(Problem::not_found()),
        DecideOutcome::NameTaken(NameOwner::Design) => Err(name_taken(NameHolder::NewerDesign)),
        DecideOutcome::NameTaken(owner) => Err(name_taken(owner.into())),
        DecideOutcome::DecidedMeanwhile => {
            Err(Problem::new(ProblemCode::EditConflict).because(ProblemCause::DecidedMeanwhile))
        }
        DecideOutcome::SentAgain => {
            Err(Problem::new(ProblemCode::EditConflict).because(ProblemCause::ReportedAgain))
        }
    }
}

/// Hides somebody else's comment on a deck without a report; 404 when no such comment is shown.
pub async fn hide_at_once(
    app: &AppState,
    by: &Granted<ModerateDesigns>,
    deck: DeckId,
    comment: CommentId,
) -> Result<(), Problem> {
    let at = app.clock.now();
    let hide =
        async |conn: &mut _, by: &_| abuse_reports::hide_at_once(conn, by, deck, comment, at).await;
    if !app.write(by, hide).await? {
        return Err(Problem::not_found());
    }
    tracing::info!(account = %by.account(), %deck, %comment, "comment hidden");
    Ok(())
}
