//! Abuse reports about designs, decks, comments on both, suggested changes and players: created by players, decided by
//! moderators.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Bool, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use serde_json::{Value, json};

use super::first_evidence::{self, FirstEvidence};
use super::released_cards::{self, Decided};
use super::reported_decks::{self, ReportedDeck};
use super::reported_designs::{self, ReportedDesign};
use super::reserved_names::NameOwner;
use super::takedowns;
use crate::auth::permission::{Acting, Granted, ModerateDesigns, ReportAbuse};
use crate::domain::accounts::daily_limits::{DailyActivity, ReachedLimit};
use crate::domain::designs::abuse_report::{AbuseDecision, AbuseReason};
use crate::domain::designs::identifier::DesignCode;
use crate::domain::feedback::comment::CommentState;
use crate::domain::ids::{AbuseReportId, AccountId, CommentId, DeckId, DesignId, SuggestionId};
use crate::store::accounts::daily_counts::count_one;
use crate::store::db::codecs::json::Json;
use crate::store::db::pages::push_page;
use crate::store::db::statement::{Statement, sql};
use crate::store::decks::{TAKES_FEEDBACK, deck_takedowns};
use crate::store::feedback::{comments, locks};
use crate::store::operations::audit;
use crate::store::{Connection, StoreResult};

/// The subject of a report.
#[derive(Clone, Copy, Debug)]
pub enum ReportTarget {
    Design(DesignId),
    /// A comment on a design.
    Comment(DesignId, CommentId),
    Deck(DeckId),
    /// A comment on a deck.
    DeckComment(DeckId, CommentId),
    /// A suggested change of a design.
    Suggestion(SuggestionId),
    /// A player.
    Account,
}

/// A report to store.
pub struct NewReport<'a> {
    /// The subject.
    pub target: ReportTarget,
    /// The author of the subject, or the reported player.
    pub accused: AccountId,
    pub reason: AbuseReason,
    /// Further details.
    pub details: Option<&'a str>,
    /// The current time.
    pub at: DateTime<Utc>,
}

/// The result of creating a report.
#[derive(Debug)]
pub enum ReportOutcome {
    /// Written.
    New(AbuseReportId),
    /// The account has an undecided report about the same subject, which now has the new reason and details.
    Repeat(AbuseReportId),
    /// The account has reached the daily limit.
    TooManyToday(ReachedLimit),
    /// Others cannot read the deck any more.
    Missing,
}

#[derive(QueryableByName)]
struct WrittenReport {
    #[diesel(sql_type = SqlUuid)]
    id: AbuseReportId,
    /// Whether it is about a deck that others could not read.
    #[diesel(sql_type = Bool)]
    is_without_subject: bool,
}

/// Creates a report, or replaces the reason and the details of an undecided one by the same account about the same subject.
pub async fn create(
    conn: &mut Connection,
    by: &Acting<ReportAbuse>,
    new: &NewReport<'_>,
) -> StoreResult<ReportOutcome> {
    let new_id = AbuseReportId::generate();
    let written = insert(conn, by.account(), new_id, new, Earlier::GetsReason).await?;
    let WrittenReport { id, is_without_subject } = written;
    if is_without_subject {
        delete(conn, id).await?;
        return Ok(ReportOutcome::Missing);
    }
    if id != new_id {
        return Ok(ReportOutcome::Repeat(id));
    }
    if let Err(limit) = count_one(conn, by.account(), DailyActivity::Report, new.at).await? {
        delete(conn, id).await?;
        return Ok(ReportOutcome::TooManyToday(limit));
    }
    Ok(ReportOutcome::New(id))
}

/// Deletes a report that was inserted by the same transaction.
async fn delete(conn: &mut Connection, id: AbuseReportId) -> StoreResult<()> {
    sql("DELETE FROM abuse_reports WHERE id = $id").bind("id", id).execute(conn).await?;
    Ok(())
}

/// What happens to an undecided report by the same account about the same subject.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Earlier {
    /// It gets the new reason, the new details if there are some, what others read now of its subject, and the time. What it contained when it was sent first stays
    /// beside that.
    GetsReason,
    Stays,
}

/// Stores a report under an id, unless the reporter has an undecided one about the same subject, which then has another id.
/// One statement does both: if a moderator decides the earlier report meanwhile, the new one is stored beside it. A report
/// about a design, a deck or a comment contains what others read: its author may change it before a moderator reads the report.
async fn insert(
    conn: &mut Connection,
    reporter: AccountId,
    id: AbuseReportId,
    new: &NewReport<'_>,
    earlier: Earlier,
) -> StoreResult<WrittenReport> {
    let (design, deck, comment, suggestion) = match new.target {
        ReportTarget::Design(design) => (Some(design), None, None, None),
        ReportTarget::Comment(design, comment) => (Some(design), None, Some(comment), None),
        ReportTarget::Deck(deck) => (None, Some(deck), None, None),
        ReportTarget::DeckComment(deck, comment) => (None, Some(deck), Some(comment), None),
        ReportTarget::Suggestion(suggestion) => (None, None, None, Some(suggestion)),
        ReportTarget::Account => (None, None, None, None),
    };
    let reported_deck = deck.filter(|_| comment.is_none());
    let reported_design = design.filter(|_| comment.is_none());
    let (of_deck, of_design) = (reported_decks::snapshot(), reported_designs::SNAPSHOT);
    let first = first_evidence::KEPT;
    let written = sql(format!(
        "INSERT INTO abuse_reports (id, reporter_id, accused_id, design_id, deck_id, comment_id, suggestion_id, reason, details, created_at, reported) \
         VALUES ($id, $reporter, $accused, $design, $deck, $comment, $suggestion, $reason, $details, $at, coalesce({of_deck}, {of_design}, {OF_COMMENT})) \
         ON CONFLICT (reporter_id, target) WHERE decided_at IS NULL DO UPDATE SET \
          reason = CASE WHEN $replaces THEN excluded.reason ELSE abuse_reports.reason END, \
          details = CASE WHEN $replaces THEN coalesce(excluded.details, abuse_reports.details) ELSE abuse_reports.details END, \
          reported = CASE WHEN $replaces THEN coalesce(excluded.reported, abuse_reports.reported) ELSE abuse_reports.reported END, {first}, \
          created_at = CASE WHEN $replaces THEN greatest(excluded.created_at, abuse_reports.created_at) ELSE abuse_reports.created_at END \
         RETURNING id, deck_id IS NOT NULL AND comment_id IS NULL AND reported IS NULL AS is_without_subject"
    ))
    .bind("id", id)
    .bind("reporter", reporter)
    .bind("accused", new.accused)
    .bind("design", design)
    .bind("deck", deck)
    .bind("reported_deck", reported_deck)
    .bind("reported_design", reported_design)
    .bind("comment", comment)
    .bind("suggestion", suggestion)
    .bind("reason", new.reason)
    .bind("details", new.details)
    .bind("at", new.at)
    .bind("replaces", earlier == Earlier::GetsReason)
    .get_result(conn)
    .await?;
    Ok(written)
}

/// What a report stores of the comment `$comment`. Null: the report is not about a comment.
const OF_COMMENT: &str =
    "(SELECT jsonb_build_object('text', c.text) FROM design_comments c WHERE c.id = $comment)";

/// A report as moderators see it.
#[derive(Clone, Debug, QueryableByName)]
pub struct StoredReport {
    #[diesel(sql_type = SqlUuid)]
    pub id: AbuseReportId,
    #[diesel(sql_type = SqlUuid)]
    pub reporter_id: AccountId,
    /// Name of the reporter.
    #[diesel(sql_type = Text)]
    pub reporter: String,
    /// Author of the subject, or the reported player.
    #[diesel(sql_type = SqlUuid)]
    pub accused_id: AccountId,
    /// Name of that account.
    #[diesel(sql_type = Text)]
    pub accused: String,
    /// Identifier of the design.
    #[diesel(sql_type = Nullable<Text>)]
    pub design: Option<DesignCode>,
    /// The design, or the design with the comment or the suggestion.
    #[diesel(embed)]
    pub reported_design: ReportedDesign,
    /// The deck, or the deck with the comment.
    #[diesel(embed)]
    pub reported_deck: ReportedDeck,
    /// What it contained when it was sent first.
    #[diesel(embed)]
    pub first: FirstEvidence,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub comment_id: Option<CommentId>,
    /// Text of the comment when it was reported; its text now in reports of older programs.
    #[diesel(sql_type = Nullable<Text>)]
    pub comment: Option<String>,
    /// Text of the comment now, if it is another one.
    #[diesel(sql_type = Nullable<Text>)]
    pub comment_now: Option<String>,
    /// What readers see of the comment.
    #[diesel(embed)]
    comment_view: CommentView,
    /// Id of the suggested change.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub suggestion_id: Option<SuggestionId>,
    /// The message of the suggestion.
    #[diesel(sql_type = Nullable<Text>)]
    pub suggestion: Option<String>,
    /// The suggested content of the design.
    #[diesel(sql_type = Nullable<Jsonb>)]
    suggested_design: Option<Json<Value>>,
    #[diesel(sql_type = Text)]
    pub reason: AbuseReason,
    /// Further details.
    #[diesel(sql_type = Nullable<Text>)]
    pub details: Option<String>,
    /// When its reporter sent it last.
    #[diesel(sql_type = Timestamptz)]
    pub created_at: DateTime<Utc>,
    #[diesel(sql_type = Nullable<Text>)]
    pub decision: Option<AbuseDecision>,
    /// The reason of the decision.
    #[diesel(sql_type = Nullable<Text>)]
    pub note: Option<String>,
    /// The moderator.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub decided_by: Option<AccountId>,
    /// When it was decided.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub decided_at: Option<DateTime<Utc>>,
}

/// What readers see of a reported comment.
#[derive(Clone, Copy, Debug, QueryableByName)]
pub struct CommentView {
    #[diesel(sql_type = Bool)]
    comment_deleted: bool,
    /// Whether its text is shown; `None`: the report is not about a comment.
    #[diesel(sql_type = Nullable<Bool>)]
    comment_stands: Option<bool>,
    /// Whether the owner of the design or deck hid it, and nobody else.
    #[diesel(sql_type = Bool)]
    comment_hidden_by_owner: bool,
    /// Whether the owner hid it, also if a moderator has hidden it since.
    #[diesel(sql_type = Bool)]
    owner_hid_comment: bool,
}

impl StoredReport {
    /// What readers see of the comment now; `None`: the report is not about a comment.
    pub fn comment_state(&self) -> Option<CommentState> {
        let view = self.comment_view;
        let state = |stands: bool| {
            CommentState::new(view.comment_deleted, !stands, view.comment_hidden_by_owner)
        };
        view.comment_stands.map(state)
    }

    /// Whether the owner of the design or deck hid the comment: then it stays hidden when the report is dismissed.
    pub fn owner_hid_comment(&self) -> bool {
        self.comment_view.owner_hid_comment
    }

    /// The kind of its subject, as a word of the API.
    pub fn about(&self) -> &'static str {
        match (self.suggestion_id, self.comment_id, self.design, self.reported_deck.deck) {
            (Some(_), ..) => "suggestion",
            (None, Some(_), ..) => "comment",
            (None, None, Some(_), _) => "design",
            (None, None, None, Some(_)) => "deck",
            (None, None, None, None) => "account",
        }
    }

    /// The suggested content of the design.
    pub fn suggested_design(&self) -> Option<&Value> {
        self.suggested_design.as_ref().map(|Json(design)| design)
    }
}

/// Reports that a moderator may read: those about the moderator would say who reported.
const OF_OTHERS: &str = "r.accused_id <> $reader";

/// The columns of a [`StoredReport`] besides those of its design and its deck.
const COLUMNS: &str = "r.id, r.reporter_id, w.name AS reporter, r.accused_id, a.name AS accused, d.code AS design, \
     r.comment_id, coalesce(r.reported ->> 'text', c.text) AS comment, CASE WHEN r.reported ->> 'text' <> c.text THEN c.text END AS comment_now, \
     c.deleted_at IS NOT NULL AS comment_deleted, c.stands AS comment_stands, \
     coalesce(c.hidden_by_owner AND NOT c.author_banned, false) AS comment_hidden_by_owner, \
     coalesce(c.hidden_at IS NOT NULL AND (c.hidden_by_owner OR c.owner_hid_before), false) AS owner_hid_comment, \
     r.suggestion_id, s.message AS suggestion, s.content AS suggested_design, r.reason, r.details, r.created_at, r.decision, r.note, r.decided_by, r.decided_at";

const TABLES: &str = "FROM abuse_reports r JOIN accounts w ON w.id = r.reporter_id JOIN accounts a ON a.id = r.accused_id \
     LEFT JOIN suggested_changes s ON s.id = r.suggestion_id LEFT JOIN designs d ON d.id = coalesce(r.design_id, s.design_id) \
     LEFT JOIN design_comments c ON c.id = r.comment_id";

/// Reads the reports for which a condition is true.
fn select<'a>(condition: &str) -> Statement<'a> {
    let (of_design, design) = (reported_designs::COLUMNS, reported_designs::TABLES);
    let (of_deck, deck) = (reported_decks::COLUMNS, reported_decks::TABLES);
    let (at_first, first) = (first_evidence::COLUMNS, first_evidence::TABLES);
    sql(format!(
        "SELECT {COLUMNS}, {of_design}, {of_deck}, {at_first} {TABLES} {design} {deck} {first} WHERE {condition}"
    ))
}

#[derive(Clone, Copy, Debug)]
pub struct ReportFilter {
    /// Decided reports instead of undecided ones.
    pub decided: bool,
    /// Only reports about this account or its works.
    pub accused: Option<AccountId>,
}

/// Lists undecided reports, or decided ones, the oldest first; those after the one with that id.
pub async fn list(
    conn: &mut Connection,
    by: &Granted<ModerateDesigns>,
    filter: ReportFilter,
    after: Option<AbuseReportId>,
    limit: i64,
) -> StoreResult<Vec<StoredReport>> {
    let state = if filter.decided { "r.decided_at IS NOT NULL" } else { "r.decided_at IS NULL" };
    let mut statement = select(&format!("{state} AND {OF_OTHERS}")).bind("reader", by.account());
    if let Some(accused) = filter.accused {
        statement = statement.push(" AND r.accused_id = $accused").bind("accused", accused);
    }
    if let Some(after) = after {
        statement = statement.push(" AND r.id > $after").bind("after", after);
    }
    Ok(push_page(statement, "id", limit).load(conn).await?)
}

/// Finds a report about somebody else.
pub async fn find(
    conn: &mut Connection,
    by: &Granted<ModerateDesigns>,
    id: AbuseReportId,
) -> StoreResult<Option<StoredReport>> {
    let found = select(&format!("r.id = $id AND {OF_OTHERS}"));
    let found = found.bind("id", id).bind("reader", by.account());
    Ok(found.get_result(conn).await.optional()?)
}

/// Lists the other waiting reports about the subject of a report, the one that was sent last first.
pub async fn list_beside(
    conn: &mut Connection,
    by: &Granted<ModerateDesigns>,
    id: AbuseReportId,
    limit: i64,
) -> StoreResult<Vec<StoredReport>> {
    let beside = select(&format!(
        "r.target = (SELECT target FROM abuse_reports WHERE id = $id) AND r.id <> $id AND r.decided_at IS NULL AND {OF_OTHERS}"
    ));
    let beside = beside.bind("id", id).bind("reader", by.account());
    Ok(push_page(beside, "created_at DESC", limit).load(conn).await?)
}

/// Finds the other report about the subject of a report that was decided last.
pub async fn find_decided_beside(
    conn: &mut Connection,
    by: &Granted<ModerateDesigns>,
    id: AbuseReportId,
) -> StoreResult<Option<StoredReport>> {
    let decided = select(&format!(
        "r.target = (SELECT target FROM abuse_reports WHERE id = $id) AND r.id <> $id AND r.decided_at IS NOT NULL AND {OF_OTHERS}"
    ));
    let decided = decided.bind("id", id).bind("reader", by.account());
    Ok(push_page(decided, "decided_at DESC", 1).get_result(conn).await.optional()?)
}

/// The result of a decision.
#[derive(Debug)]
pub enum DecideOutcome {
    /// Stored; the report in its new state.
    Done(Box<StoredReport>),
    /// There is no such report, or it is about the moderator.
    Missing,
    /// The design cannot be shown again, because something else has its name.
    NameTaken(NameOwner),
    /// Its reporter has sent it again since the moderator has read it.
    SentAgain,
    /// Another moderator has decided about it since this one has read it.
    DecidedMeanwhile,
}

#[derive(QueryableByName)]
struct ReportRow {
    #[diesel(sql_type = SqlUuid)]
    accused: AccountId,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    design: Option<DesignId>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    deck: Option<DeckId>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    comment: Option<CommentId>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    suggestion: Option<SuggestionId>,
}

impl ReportRow {
    /// The subject of the report. A suggestion has the design that it would change beside it.
    fn target(&self) -> ReportTarget {
        match (self.suggestion, self.comment, self.design, self.deck) {
            (Some(suggestion), ..) => ReportTarget::Suggestion(suggestion),
            (None, Some(comment), Some(design), _) => ReportTarget::Comment(design, comment),
            (None, Some(comment), None, Some(deck)) => ReportTarget::DeckComment(deck, comment),
            (None, None, Some(design), _) => ReportTarget::Design(design),
            (None, None, None, Some(deck)) => ReportTarget::Deck(deck),
            // Each comment is on a design or a deck.
            (None, _, None, None) => ReportTarget::Account,
        }
    }
}

/// A moderator's decision about a report.
#[derive(Clone, Copy, Debug)]
pub struct Verdict<'a> {
    pub decision: AbuseDecision,
    /// The reason.
    pub note: &'a str,
    /// Whether it also concerns the artwork of the design.
    pub artwork: bool,
    /// When the newest report or decision was sent that the moderator has read about the subject; `None`: the client does not say.
    pub read_until: Option<DateTime<Utc>>,
}

impl Verdict<'_> {
    /// The last moment that counts as read: times of clients may end with the millisecond.
    fn read_until(&self) -> Option<DateTime<Utc>> {
        self.read_until.map(|read_until| read_until + TimeDelta::microseconds(999))
    }

    /// Reports that were sent later are not decided by it; `None`: all are. What is hidden is hidden for all reporters, whatever
    /// they describe. But a dismissal, and a decision about a player, say only that what was read may stay.
    fn until(&self, target: ReportTarget) -> Option<DateTime<Utc>> {
        let hides =
            self.decision == AbuseDecision::Upheld && !matches!(target, ReportTarget::Account);
        self.read_until().filter(|_| !hides)
    }
}

/// Decides a report, together with all other undecided reports about the same subject; those that the moderator cannot have
/// read wait for another decision, unless this one hides what they are about. A decided report can be decided again; the last
/// decision applies.
pub async fn decide(
    conn: &mut Connection,
    by: &Acting<ModerateDesigns>,
    id: AbuseReportId,
    verdict: &Verdict<'_>,
    at: DateTime<Utc>,
) -> StoreResult<DecideOutcome> {
    let &Verdict { decision, note, artwork, .. } = verdict;
    let found: Option<ReportRow> =
        sql("SELECT r.accused_id AS accused, coalesce(r.design_id, s.design_id) AS design, r.deck_id AS deck, r.comment_id AS comment, r.suggestion_id AS suggestion \
             FROM abuse_reports r LEFT JOIN suggested_changes s ON s.id = r.suggestion_id WHERE r.id = $id")
            .bind("id", id)
            .get_result(conn)
            .await
            .optional()?;
    // A moderator cannot read reports about the moderator, either: another answer would say that there is one.
    let Some(report) = found.filter(|report| report.accused != by.account()) else {
        return Ok(DecideOutcome::Missing);
    };
    // The row of the design or deck is the lock for all changes of it.
    if let Some(design) = report.design {
        takedowns::lock(conn, design).await?;
    }
    if let Some(deck) = report.deck {
        locks::lock_subject(conn, deck.into()).await?;
    }
    let until = verdict.until(report.target());
    let is_sent_again = lock_with_waiting(conn, id, until).await?;
    if !artwork && is_repeated(conn, by, id, verdict, until).await? {
        let report = select("r.id = $id").bind("id", id).get_result(conn).await?;
        return Ok(DecideOutcome::Done(Box::new(report)));
    }
    if is_decided_since(conn, by, id, verdict).await? {
        return Ok(DecideOutcome::DecidedMeanwhile);
    }
    if is_sent_again {
        return Ok(DecideOutcome::SentAgain);
    }
    let target = match report.target() {
        ReportTarget::Suggestion(suggestion) => {
            takedowns::hide_suggestion(conn, by, suggestion, decision, at).await?;
            format!("suggestion:{suggestion}")
        }
        ReportTarget::Comment(_, comment) | ReportTarget::DeckComment(_, comment) => {
            takedowns::hide_comment(conn, by, comment, decision, at).await?;
            format!("comment:{comment}")
        }
        ReportTarget::Design(design) => {
            let decided = match decision {
                AbuseDecision::Upheld => takedowns::take_down(conn, by, design, note, at).await?,
                AbuseDecision::Dismissed => match takedowns::reinstate(conn, by, design, at).await?
                {
                    Ok(decided) => decided,
                    Err(owner) => return Ok(DecideOutcome::NameTaken(owner)),
                },
            };
            if artwork {
                takedowns::remove_artwork(conn, by, design, decision, at).await?;
            }
            let changed = Decided { design: decided.is_changed, artwork };
            released_cards::design_decided(conn, design, changed, at).await?;
            format!("design:{}", decided.code)
        }
        ReportTarget::Deck(deck) => {
            match decision {
                AbuseDecision::Upheld => {
                    deck_takedowns::take_down(conn, by, deck, note, at).await?;
                }
                AbuseDecision::Dismissed => deck_takedowns::reinstate(conn, by, deck, at).await?,
            }
            format!("deck:{deck}")
        }
        ReportTarget::Account => format!("account:{}", report.accused),
    };
    // What is reported is shown or hidden for all its reporters: earlier reports get this decision, too. A player is neither shown nor hidden by decisions, so that
    // earlier ones stay.
    sql("UPDATE abuse_reports SET decision = $decision, note = $note, decided_by = $by, decided_at = $at \
         WHERE id = $id OR target = (SELECT target FROM abuse_reports WHERE id = $id) \
             AND (decided_at IS NULL AND ($until IS NULL OR created_at <= $until) \
                  OR decision <> $decision AND num_nonnulls(design_id, deck_id, comment_id, suggestion_id) > 0)")
    .bind("id", id)
    .bind("until", until)
    .bind("decision", decision)
    .bind("note", note)
    .bind("by", by.account())
    .bind("at", at)
    .execute(conn)
    .await?;
    let entry = audit::NewAuditEntry {
        actor: Some(by.account()),
        action: match decision {
            AbuseDecision::Upheld => "abuse_report.upheld",
            AbuseDecision::Dismissed => "abuse_report.dismissed",
        },
        target,
        details: json!({ "report": id, "note": note, "artwork": artwork }),
        at,
    };
    audit::write(conn, entry).await?;
    let report = select("r.id = $id").bind("id", id).get_result(conn).await?;
    Ok(DecideOutcome::Done(Box::new(report)))
}

/// Whether this moderator has already decided a report so, with the same note, and no report waits that the decision is about: a click that was sent twice
/// notifies nobody again.
async fn is_repeated(
    conn: &mut Connection,
    by: &Acting<ModerateDesigns>,
    id: AbuseReportId,
    &Verdict { decision, note, .. }: &Verdict<'_>,
    until: Option<DateTime<Utc>>,
) -> StoreResult<bool> {
    let same = sql(
        "SELECT FROM abuse_reports r WHERE r.id = $id AND r.decision = $decision AND r.note = $note AND r.decided_by = $by \
             AND NOT EXISTS (SELECT FROM abuse_reports w WHERE w.target = r.target AND w.decided_at IS NULL \
                 AND ($until IS NULL OR w.created_at <= $until))",
    );
    let same = same.bind("id", id).bind("decision", decision).bind("note", note);
    Ok(same.bind("by", by.account()).bind("until", until).execute(conn).await? > 0)
}

/// Whether another moderator has made a decision that this one would replace, and that its moderator cannot have read.
async fn is_decided_since(
    conn: &mut Connection,
    by: &Acting<ModerateDesigns>,
    id: AbuseReportId,
    verdict: &Verdict<'_>,
) -> StoreResult<bool> {
    let Some(read_until) = verdict.read_until() else { return Ok(false) };
    let decided = sql("SELECT FROM abuse_reports \
         WHERE (id = $id OR target = (SELECT target FROM abuse_reports WHERE id = $id) AND decision <> $decision \
                 AND num_nonnulls(design_id, deck_id, comment_id, suggestion_id) > 0) \
             AND decided_at > $read_until AND decided_by IS DISTINCT FROM $by");
    let decided = decided.bind("id", id).bind("decision", verdict.decision);
    let decided = decided.bind("read_until", read_until).bind("by", by.account());
    Ok(decided.execute(conn).await? > 0)
}

/// Locks a report and the waiting ones about the same subject, so that none is decided or sent again before the decision is stored. All decisions
/// lock them in the same order. Returns whether the report itself waits and was sent after `until`.
async fn lock_with_waiting(
    conn: &mut Connection,
    id: AbuseReportId,
    until: Option<DateTime<Utc>>,
) -> StoreResult<bool> {
    #[derive(QueryableByName)]
    struct LockedReport {
        #[diesel(sql_type = SqlUuid)]
        id: AbuseReportId,
        #[diesel(sql_type = Timestamptz)]
        created_at: DateTime<Utc>,
        #[diesel(sql_type = Bool)]
        waits: bool,
    }
    let locked: Vec<LockedReport> = sql(
        "SELECT id, created_at, decided_at IS NULL AS waits FROM abuse_reports \
         WHERE id = $id OR target = (SELECT target FROM abuse_reports WHERE id = $id) AND decided_at IS NULL \
         ORDER BY id FOR NO KEY UPDATE",
    )
    .bind("id", id)
    .load(conn)
    .await?;
    let is_later = |report: &LockedReport| until.is_some_and(|until| report.created_at > until);
    Ok(locked.iter().any(|report| report.id == id && report.waits && is_later(report)))
}

/// The details of the report that is stored when a moderator hides a comment at once.
const HIDDEN_AT_ONCE: &str = "Hidden at once by a moderator.";

/// Hides somebody else's comment on a deck at once. This is stored as an upheld report by the moderator, so that it can
/// be decided again. `false`: no such comment is shown.
pub async fn hide_at_once(
    conn: &mut Connection,
    by: &Acting<ModerateDesigns>,
    deck: DeckId,
    comment: CommentId,
    at: DateTime<Utc>,
) -> StoreResult<bool> {
    // The row of the deck is locked before those of its comments and of reports about them.
    locks::lock_subject(conn, deck.into()).await?;
    let found = find_in_deck(conn, deck, Some(comment)).await?;
    let Some(found) = found.filter(|found| found.accused != by.account()) else {
        return Ok(false);
    };
    let FoundTarget { target, accused } = found;
    let reason = AbuseReason::Other;
    let new = NewReport { target, accused, reason, details: Some(HIDDEN_AT_ONCE), at };
    let id = AbuseReportId::generate();
    let report = insert(conn, by.account(), id, &new, Earlier::Stays).await?.id;
    let decision = AbuseDecision::Upheld;
    let verdict = Verdict { decision, note: HIDDEN_AT_ONCE, artwork: false, read_until: None };
    Ok(matches!(decide(conn, by, report, &verdict, at).await?, DecideOutcome::Done(_)))
}

/// The subject of a report, as it was found.
#[derive(Debug)]
pub struct FoundTarget {
    /// What it is.
    pub target: ReportTarget,
    /// Its author.
    pub accused: AccountId,
}

/// Finds a deck that others can read, or a shown comment on it.
pub async fn find_in_deck(
    conn: &mut Connection,
    deck: DeckId,
    comment: Option<CommentId>,
) -> StoreResult<Option<FoundTarget>> {
    #[derive(QueryableByName)]
    struct Found {
        #[diesel(sql_type = SqlUuid)]
        owner: AccountId,
    }
    let Some(comment) = comment else {
        let found: Option<Found> = sql(format!(
            "SELECT d.account_id AS owner FROM decks d JOIN accounts a ON a.id = d.account_id WHERE d.id = $deck AND {TAKES_FEEDBACK}"
        ))
        .bind("deck", deck)
        .get_result(conn)
        .await
        .optional()?;
        return Ok(found.map(|Found { owner }| FoundTarget {
            target: ReportTarget::Deck(deck),
            accused: owner,
        }));
    };
    let found = comments::find(conn, deck.into(), comment).await?;
    Ok(found.filter(|found| found.state() == CommentState::Shown).map(|found| FoundTarget {
        target: ReportTarget::DeckComment(deck, comment),
        accused: found.account_id,
    }))
}

/// Finds a design that everybody may read, or a shown comment on it.
pub async fn find_in_design(
    conn: &mut Connection,
    code: DesignCode,
    comment: Option<CommentId>,
) -> StoreResult<Option<FoundTarget>> {
    #[derive(QueryableByName)]
    struct Found {
        #[diesel(sql_type = SqlUuid)]
        design_id: DesignId,
        #[diesel(sql_type = SqlUuid)]
        author: AccountId,
    }
    let shared = "FROM designs d JOIN accounts a ON a.id = d.account_id";
    let readable = "d.code = $code AND d.public_revision IS NOT NULL AND d.taken_down_at IS NULL AND a.banned_at IS NULL";
    let found: Option<Found> = match comment {
        None => sql(format!("SELECT d.id AS design_id, d.account_id AS author {shared} WHERE {readable}")),
        Some(comment) => sql(format!(
            "SELECT d.id AS design_id, c.account_id AS author {shared} JOIN design_comments c ON c.design_id = d.id \
             WHERE {readable} AND c.id = $comment AND c.stands"
        ))
        .bind("comment", comment),
    }
    .bind("code", code)
    .get_result(conn)
    .await
    .optional()?;
    Ok(found.map(|Found { design_id, author }| FoundTarget {
        target: match comment {
            None => ReportTarget::Design(design_id),
            Some(comment) => ReportTarget::Comment(design_id, comment),
        },
        accused: author,
    }))
}

/// Finds a suggested change of one of the reporter's designs, which its author can see.
pub async fn find_suggestion(
    conn: &mut Connection,
    by: &Granted<ReportAbuse>,
    code: DesignCode,
    suggestion: SuggestionId,
) -> StoreResult<Option<FoundTarget>> {
    #[derive(QueryableByName)]
    struct Found {
        #[diesel(sql_type = SqlUuid)]
        suggester: AccountId,
    }
    let found: Option<Found> = sql(
        "SELECT s.account_id AS suggester FROM designs d JOIN suggested_changes s ON s.design_id = d.id JOIN accounts w ON w.id = s.account_id \
         WHERE d.code = $code AND s.id = $suggestion AND (d.account_id = $reporter AND w.banned_at IS NULL AND s.hidden_at IS NULL OR s.account_id = $reporter)",
    )
    .bind("code", code)
    .bind("suggestion", suggestion)
    .bind("reporter", by.account())
    .get_result(conn)
    .await
    .optional()?;
    Ok(found.map(|Found { suggester }| FoundTarget {
        target: ReportTarget::Suggestion(suggestion),
        accused: suggester,
    }))
}

/// Finds a player.
pub async fn find_account(
    conn: &mut Connection,
    account: AccountId,
) -> StoreResult<Option<FoundTarget>> {
    let found = sql("SELECT FROM accounts WHERE id = $account").bind("account", account);
    let exists = found.execute(conn).await? > 0;
    Ok(exists.then_some(FoundTarget { target: ReportTarget::Account, accused: account }))
}
