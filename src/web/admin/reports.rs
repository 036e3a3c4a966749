//! Reports of abuse: the list, and the decision about a report.

use actix_web::{HttpResponse, web};
use askama::Template;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use uuid::Uuid;

use super::moderation_words;
use super::parts::{Area, DoneQuery, Nav, faults_of, limit};
use super::people::person_path;
use super::words as admin_words;
use crate::app::accounts::own_account;
use crate::app::accounts::people::PersonFilter;
use crate::app::designs::abuse_reports::{
    self, AbuseReportResponse, FirstReportedResponse, ReportSelection, Verdict, read_decision,
};
use crate::app::designs::reported_designs::ReportedDesignResponse;
use crate::app::page::Cursor;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ModerateDesigns, ReadAccounts};
use crate::domain::designs::abuse_report::AbuseDecision;
use crate::domain::ids::{AbuseReportId, AccountId};
use crate::http::extract::Form;
use crate::web::accounts::Moment;
use crate::web::designs::artwork::artwork_path;
use crate::web::designs::changes::{ChangeRow, change_rows};
use crate::web::designs::content::ContentView;
use crate::web::feedback::reports::reason_in_words;
use crate::web::forms::{Choice, Faults, private};
use crate::web::page::{ENTRIES, Frame, Place, path_of};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, see_other};
use crate::web::words;

/// The path of this page.
const PATH: &str = "/admin/reports";

/// The filter of the list.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct ReportsQuery {
    decided: bool,
    accused: Option<Uuid>,
    cursor: Option<Cursor>,
}

impl ReportsQuery {
    fn path_at(&self, decided: bool, cursor: Option<&str>) -> String {
        let accused = self.accused.map(|id| id.to_string()).unwrap_or_default();
        let decided = if decided { "true" } else { "" };
        let cursor = cursor.unwrap_or_default();
        path_of(PATH, &[("decided", decided), ("accused", &accused), ("cursor", cursor)])
    }
}

#[derive(Template)]
#[template(path = "web/admin/reports.html")]
struct ReportsPage {
    frame: Frame,
    nav: Nav,
    is_decided: bool,
    /// The path of the list of waiting reports, and of the list of decided ones.
    waiting_path: String,
    decided_path: String,
    /// The one account that the reports are about: page and name.
    about: Option<(String, String)>,
    /// The path of the list about all accounts.
    all_path: String,
    reports: Vec<ReportRow>,
    first_path: Option<String>,
    next_path: Option<String>,
}

struct ReportRow {
    path: String,
    about: &'static str,
    /// The design, deck or player: page and name.
    subject: (String, String),
    /// Whether moderators can open the page of the subject.
    is_open: bool,
    /// Who can read the deck; empty: everybody, or there is no deck.
    deck_state: &'static str,
    /// Further texts of the reported deck, with their labels.
    deck_texts: Vec<(&'static str, Vec<String>)>,
    reason: String,
    accused: String,
    accused_path: String,
    reporter: String,
    reporter_path: String,
    at: Moment,
    /// The text of the comment or the suggestion, or the description of the deck.
    reported_text: Vec<String>,
    /// The text of the comment now, if it was changed since.
    text_now: Vec<String>,
    /// What it contained when it was sent first, if that was something else.
    first: Option<FirstRow>,
    /// Why readers do not see the reported comment; empty: they see it, or the report is not about a comment.
    unseen: &'static str,
    /// What the decisions do.
    effects: &'static str,
    /// The content of the design with the suggestion applied, as JSON.
    suggested: Option<String>,
    details: Vec<String>,
    decision: Option<&'static str>,
    decided_at: Option<Moment>,
    decided_by: Option<String>,
    note: Vec<String>,
    /// Whether the decision may cover a picture, too.
    may_have_artwork: bool,
}

/// What a report contained when it was sent first, besides a design.
struct FirstRow {
    at: Moment,
    /// The text of the comment, or the description of the deck.
    text: Vec<String>,
    /// Texts of the deck, with their labels.
    deck_texts: Vec<(&'static str, Vec<String>)>,
}

impl FirstRow {
    fn has_texts(&self) -> bool {
        !self.text.is_empty() || !self.deck_texts.is_empty()
    }
}

impl From<FirstReportedResponse> for FirstRow {
    fn from(first: FirstReportedResponse) -> Self {
        let name = first.deck_name.into_iter().collect();
        let deck_texts = [
            (moderation_words::DECK_NAME, name),
            (moderation_words::DECK_TAGS, first.deck_tags),
            (moderation_words::DECK_ENTRIES, first.deck_entries),
        ];
        Self {
            at: Moment::new(first.reported_at),
            text: paragraphs(first.comment_text.or(first.deck_description)),
            deck_texts: with_texts(deck_texts),
        }
    }
}

/// The labels that have texts.
fn with_texts<const N: usize>(
    labelled: [(&'static str, Vec<String>); N],
) -> Vec<(&'static str, Vec<String>)> {
    labelled.into_iter().filter(|(_, texts)| !texts.is_empty()).collect()
}

fn paragraphs(text: Option<String>) -> Vec<String> {
    text.unwrap_or_default().lines().map(str::to_owned).collect()
}

impl From<AbuseReportResponse> for ReportRow {
    fn from(report: AbuseReportResponse) -> Self {
        let accused_path = person_path(report.accused_id);
        let subject = match (report.design, report.deck) {
            (Some(design), _) => {
                let name = report.design_name.filter(|name| !name.is_empty());
                (format!("/designs/{design}"), name.unwrap_or(design))
            }
            (None, Some(deck)) => {
                let name = report.deck_name.unwrap_or_else(|| deck.to_string());
                (format!("/decks/{deck}"), name)
            }
            (None, None) => (accused_path.clone(), report.accused.clone()),
        };
        let suggested = report.suggested_design;
        let deck_texts = [
            (moderation_words::DECK_TAGS, report.deck_tags),
            (moderation_words::DECK_ENTRIES, report.deck_entries),
        ];
        let deck_state = moderation_words::deck_state(report.deck_state);
        Self {
            is_open: deck_state.is_empty(),
            deck_state,
            deck_texts: with_texts(deck_texts),
            path: format!("{PATH}/{}", report.id),
            about: moderation_words::about(report.about),
            subject,
            reason: reason_in_words(report.reason).to_owned(),
            accused: report.accused,
            accused_path,
            reporter: report.reporter,
            reporter_path: person_path(report.reporter_id),
            at: Moment::new(report.created_at),
            reported_text: paragraphs(
                report.comment_text.or(report.suggestion_message).or(report.deck_description),
            ),
            text_now: paragraphs(report.comment_text_now),
            first: report.first_reported.map(FirstRow::from),
            unseen: moderation_words::unseen_comment(
                report.comment_state,
                report.comment_hidden_by_owner,
            ),
            effects: moderation_words::effects_of_decisions(
                report.comment_state,
                report.comment_hidden_by_owner,
            ),
            suggested: suggested.and_then(|design| serde_json::to_string_pretty(&design).ok()),
            details: paragraphs(report.details),
            decision: report.decision.map(moderation_words::report_decision),
            decided_at: report.decided_at.map(Moment::new),
            decided_by: report.decided_by.map(person_path),
            note: paragraphs(report.note),
            may_have_artwork: report.about == "design",
        }
    }
}

/// Lists reports, the oldest first.
pub(in crate::web) async fn list_reports(
    state: web::Data<AppState>,
    by: Player<ModerateDesigns>,
    query: web::Query<ReportsQuery>,
) -> Result<HttpResponse, Problem> {
    let query = query.into_inner();
    let after: Option<Uuid> = Cursor::key_of(query.cursor.as_ref())?;
    let accused = query.accused.map(|id| PersonFilter::Id(AccountId(id)));
    let wanted = ReportSelection { decided: query.decided, accused };
    let found =
        abuse_reports::list(&state, &by, wanted, after.map(AbuseReportId), limit(ENTRIES)?).await?;
    let about = match query.accused {
        Some(id) => Some((person_path(id), name_of(&state, &by, id).await?)),
        None => None,
    };
    let next_path =
        found.next_cursor.as_deref().map(|cursor| query.path_at(query.decided, Some(cursor)));
    let mut frame = Frame::new(admin_words::REPORTS).at(Place::Account);
    frame.next.clone_from(&next_path);
    let page = ReportsPage {
        frame,
        nav: Nav::new(by.role(), Area::Reports),
        is_decided: query.decided,
        waiting_path: query.path_at(false, None),
        decided_path: query.path_at(true, None),
        about,
        all_path: ReportsQuery::default().path_at(query.decided, None),
        reports: found.data.into_iter().map(ReportRow::from).collect(),
        first_path: query.cursor.as_ref().map(|_| query.path_at(query.decided, None)),
        next_path,
    };
    private(PageStatus::OK, &page)
}

/// The name of an account; its id, if the account does not exist.
async fn name_of(
    app: &AppState,
    by: &Player<ModerateDesigns>,
    id: Uuid,
) -> Result<String, Problem> {
    match own_account::find(app, &by.visitor.must::<ReadAccounts>()?, AccountId(id)).await {
        Ok(account) => Ok(account.name),
        Err(problem) if problem.code() == ProblemCode::NotFound => Ok(id.to_string()),
        Err(problem) => Err(problem),
    }
}

/// A reported design as others could read it then, and what was changed since.
struct ReportedDesignView {
    /// Distinguishes the tables of several: the number of the revision and, in another report, its reporter.
    label: String,
    name: String,
    content: ContentView,
    /// The path of its artwork.
    artwork: Option<String>,
    changes: Vec<ChangeRow>,
}

impl ReportedDesignView {
    async fn new(app: &AppState, design: ReportedDesignResponse) -> Result<Self, Problem> {
        let game = app.named_game(&design.game).await?.map_err(Problem::internal)?;
        let artwork = design.content.artwork.as_ref();
        Ok(Self {
            label: design.revision.to_string(),
            name: design.content.name.clone(),
            artwork: artwork.map(|artwork| artwork_path(&artwork.id)),
            content: ContentView::new(&game.game, &design.content),
            changes: change_rows(Some(&game.game), design.changed_since),
        })
    }
}

/// The page's view of a reported design, if there is one.
async fn view_of(
    app: &AppState,
    design: Option<ReportedDesignResponse>,
) -> Result<Option<ReportedDesignView>, Problem> {
    match design {
        Some(design) => Ok(Some(ReportedDesignView::new(app, design).await?)),
        None => Ok(None),
    }
}

/// Takes the design out that a report contained when it was sent first.
fn take_first_design(report: &mut AbuseReportResponse) -> Option<ReportedDesignResponse> {
    report.first_reported.as_mut()?.reported_design.take()
}

/// Most other reports about the same thing that the page of a report shows.
const MOST_BESIDE: u8 = 20;

/// Another report about the same thing, with what it contains unless the page shows that already.
struct ReportBeside {
    row: ReportRow,
    /// Whether the deck had another name, other tags or other cards then.
    is_other_deck: bool,
    /// The design, if the report is about another revision.
    design: Option<ReportedDesignView>,
    /// Instead of the design: the sentence that says where the page shows it already; empty: it does not, or the report is about the same revision.
    design_above: &'static str,
    /// The design when the report was sent first, if that was another revision.
    first_design: Option<ReportedDesignView>,
    /// Instead of that design: the sentence that says where the page shows it already; empty: it does not.
    first_design_above: &'static str,
}

/// The other waiting reports about the same thing.
struct ReportsBeside {
    reports: Vec<ReportBeside>,
    /// Whether there are more.
    has_more: bool,
    /// The other report about the same thing that was decided last.
    decided: Option<ReportRow>,
    /// When the newest of these reports was sent or decided, the shown one included.
    newest: DateTime<Utc>,
}

impl ReportsBeside {
    async fn list(
        app: &AppState,
        by: &Granted<ModerateDesigns>,
        report: &AbuseReportResponse,
    ) -> Result<Self, Problem> {
        let id = AbuseReportId(report.id);
        let mut found = abuse_reports::list_beside(app, by, id, MOST_BESIDE + 1).await?;
        let has_more = found.len() > usize::from(MOST_BESIDE);
        found.truncate(MOST_BESIDE.into());
        let times = found.iter().map(|beside| beside.created_at);
        let decided = abuse_reports::find_decided_beside(app, by, id).await?;
        let decisions = [report.decided_at, decided.as_ref().and_then(|report| report.decided_at)];
        let newest = times.chain(decisions.into_iter().flatten()).fold(report.created_at, Ord::max);
        let mut reports = Vec::with_capacity(found.len());
        for beside in found {
            reports.push(ReportBeside::new(app, beside, report).await?);
        }
        Ok(Self { reports, has_more, decided: decided.map(ReportRow::from), newest })
    }
}

impl ReportBeside {
    /// Another report beside the one that the page is about.
    async fn new(
        app: &AppState,
        mut beside: AbuseReportResponse,
        shown: &AbuseReportResponse,
    ) -> Result<Self, Problem> {
        // The page has the text of its own report once.
        if beside.comment_text == shown.comment_text {
            beside.comment_text = None;
        }
        if beside.deck_description == shown.deck_description {
            beside.deck_description = None;
        }
        beside.suggestion_message = None;
        let is_other_deck = beside.deck_name != shown.deck_name
            || beside.deck_tags != shown.deck_tags
            || beside.deck_entries != shown.deck_entries;
        let first_shown = shown.first_reported.as_ref().and_then(|it| it.reported_design.as_ref());
        let last_shown = shown.reported_design.as_ref().map(|shown| shown.revision);
        let first_shown = first_shown.map(|shown| shown.revision);
        // A row without a design is about the same revision as the report of the page, never about another one.
        let is_other = |design: &ReportedDesignResponse| last_shown != Some(design.revision);
        let design = beside.reported_design.take().filter(is_other);
        let above = [(first_shown, moderation_words::ABOUT_DESIGN_AT_FIRST)];
        let (design, design_above) = unless_above(app, design, &above).await?;
        let above = [
            (last_shown, moderation_words::DESIGN_ABOVE),
            (first_shown, moderation_words::DESIGN_AT_FIRST_ABOVE),
        ];
        let first_design = take_first_design(&mut beside);
        let (first_design, first_design_above) = unless_above(app, first_design, &above).await?;
        // Several players may have reported the same revision.
        let with_reporter = |mut view: ReportedDesignView| {
            view.label = format!("{}, {}", view.label, beside.reporter);
            view
        };
        let (design, first_design) = (design.map(with_reporter), first_design.map(with_reporter));
        let row = beside.into();
        Ok(Self { row, is_other_deck, design, design_above, first_design, first_design_above })
    }
}

/// The page's view of a design; instead of it the sentence of its revision in `above`, if the page shows that revision already.
async fn unless_above(
    app: &AppState,
    design: Option<ReportedDesignResponse>,
    above: &[(Option<i64>, &'static str)],
) -> Result<(Option<ReportedDesignView>, &'static str), Problem> {
    let revision = design.as_ref().map(|design| design.revision);
    match above.iter().find(|(shown, _)| shown.is_some() && *shown == revision) {
        Some((_, sentence)) => Ok((None, *sentence)),
        None => Ok((view_of(app, design).await?, "")),
    }
}

#[derive(Template)]
#[template(path = "web/admin/report.html")]
struct ReportPage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    done: &'static str,
    report: ReportRow,
    beside: ReportsBeside,
    /// Which reports the decision is about: those that were sent until then.
    read_until: String,
    design: Option<ReportedDesignView>,
    /// The design when the report was sent first, if that was another revision.
    first_design: Option<ReportedDesignView>,
    decisions: [Choice; 2],
    note: String,
    with_artwork: bool,
}

/// The decision of a moderator, as it was typed. Browsers do not send a checkbox that is not ticked.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct DecisionForm {
    decision: String,
    note: String,
    artwork: Option<String>,
    /// When the newest report was sent that was shown; empty: the form does not say.
    read_until: String,
}

/// Shows a report, with its decision if there is one.
pub(in crate::web) async fn show_report(
    state: web::Data<AppState>,
    by: Player<ModerateDesigns>,
    report: web::Path<Uuid>,
    query: web::Query<DoneQuery>,
) -> Result<HttpResponse, Problem> {
    let done = moderation_words::done(&query.done);
    let (id, typed) = (AbuseReportId(*report), DecisionForm::default());
    Box::pin(show(&state, &by, PageStatus::OK, id, typed, Faults::none(), done)).await
}

async fn show(
    app: &AppState,
    by: &Granted<ModerateDesigns>,
    status: PageStatus,
    id: AbuseReportId,
    typed: DecisionForm,
    faults: Faults,
    done: &'static str,
) -> Result<HttpResponse, Problem> {
    let mut report = abuse_reports::find(app, by, id).await?;
    let beside = ReportsBeside::list(app, by, &report).await?;
    let design = view_of(app, report.reported_design.take()).await?;
    let first_design = view_of(app, take_first_design(&mut report)).await?;
    let choice = |decision: AbuseDecision| {
        let text = moderation_words::decide_report(decision);
        Choice::new(decision.as_str(), text, &typed.decision)
    };
    let page = ReportPage {
        frame: Frame::new(moderation_words::REPORT).at(Place::Account),
        nav: Nav::new(by.role(), Area::Reports),
        faults,
        done,
        report: report.into(),
        // A form that is shown again is still about what was read at first.
        read_until: Some(typed.read_until)
            .filter(|read_until| !read_until.is_empty())
            .unwrap_or_else(|| beside.newest.to_rfc3339()),
        beside,
        design,
        first_design,
        decisions: AbuseDecision::ALL.map(choice),
        note: typed.note,
        with_artwork: typed.artwork.is_some(),
    };
    private(status, &page)
}

/// Decides about a report.
pub(in crate::web) async fn decide_report(
    state: web::Data<AppState>,
    by: Player<ModerateDesigns>,
    report: web::Path<Uuid>,
    Form(mut typed): Form<DecisionForm>,
) -> Result<HttpResponse, Problem> {
    let (id, artwork) = (AbuseReportId(*report), typed.artwork.is_some());
    // The form of an older program does not say which reports it showed.
    let read_until = DateTime::parse_from_rfc3339(&typed.read_until).ok();
    let read_until = read_until.map(|read_until| read_until.with_timezone(&Utc));
    if AbuseDecision::parse(&typed.decision).is_none() {
        let faults = Faults::one("decision", moderation_words::CHOOSE_DECISION);
        let status = PageStatus::INVALID_FORM;
        return Box::pin(show(&state, &by, status, id, typed, faults, "")).await;
    }
    let decided = match read_decision(&typed.decision, &typed.note) {
        Ok((decision, note)) => {
            let verdict = Verdict { decision, note: &note, artwork, read_until };
            abuse_reports::decide(&state, &by, id, &verdict).await
        }
        Err(problem) => Err(problem),
    };
    match decided {
        Ok(_) => Ok(see_other(&format!("{PATH}/{id}?done=decided"))),
        Err(problem) => {
            let Some(faults) = faults_of(&problem, &["note"]) else { return Err(problem) };
            if problem.code() == ProblemCode::EditConflict {
                // The page shows the report as it is now: the choice is made again.
                typed.decision.clear();
                typed.artwork = None;
                typed.read_until.clear();
            }
            Box::pin(show(&state, &by, PageStatus::of(&problem), id, typed, faults, "")).await
        }
    }
}
