//! Submissions that wait for a moderator: the list, and the decision about a submission.

use std::collections::BTreeMap;

use actix_web::{HttpResponse, web};
use askama::Template;
use cardscape_engine::Game;
use serde::Deserialize;
use uuid::Uuid;

use super::moderation_words;
use super::parts::{Area, Nav, faults_of, game_choices, limit, person, rarity, status_of};
use super::people::person_path;
use super::words as admin_words;
use crate::app::accounts::people::Person;
use crate::app::page::Cursor;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::serials::submission_reviews::{
    self, WaitingSelection, WaitingSubmission, read_note,
};
use crate::app::state::AppState;
use crate::auth::permission::{ReadAccounts, ReviewSubmissions};
use crate::domain::code::Code;
use crate::domain::ids::SubmissionId;
use crate::http::extract::Form;
use crate::web::accounts::Moment;
use crate::web::catalogue::card_path;
use crate::web::fault_words;
use crate::web::forms::{Choice, Faults, not_empty, private};
use crate::web::page::{ENTRIES, Frame, Place, path_of};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, Visitor, see_other};
use crate::web::words;

/// The path of this page.
const PATH: &str = "/admin/reviews";

/// The filter, as the form sends it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct ReviewsQuery {
    account: String,
    game: String,
    cursor: Option<Cursor>,
    done: String,
}

impl ReviewsQuery {
    fn path_at(&self, cursor: Option<&str>) -> String {
        let cursor = cursor.unwrap_or_default();
        path_of(
            PATH,
            &[("account", self.account.as_str()), ("game", &self.game), ("cursor", cursor)],
        )
    }
}

#[derive(Template)]
#[template(path = "web/admin/reviews.html")]
struct ReviewsPage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    done: &'static str,
    account: String,
    games: Vec<Choice>,
    is_filtered: bool,
    waiting: Vec<WaitingRow>,
    /// The note of a decision that came too late.
    written: Vec<String>,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// A waiting submission.
struct WaitingRow {
    path: String,
    card: String,
    card_path: String,
    place: String,
    rarity: String,
    account: String,
    account_path: String,
    account_since: Moment,
    account_submissions: String,
    at: Moment,
    is_own: bool,
}

impl WaitingRow {
    fn new(games: &BTreeMap<&str, &Game>, waiting: WaitingSubmission) -> Self {
        let card = waiting.card;
        Self {
            path: format!("{PATH}/{}", waiting.submission),
            card_path: card_path(&card.game, &card.set, &card.number),
            place: words::place(&card.set, &card.number),
            rarity: rarity(games, &card.game, &waiting.rarity),
            card: card.name.unwrap_or_else(|| words::HIDDEN_CARD.to_owned()),
            account: waiting.account_name.unwrap_or_else(|| waiting.account.to_string()),
            account_path: person_path(waiting.account),
            account_since: Moment::new(waiting.account_since),
            account_submissions: words::grouped(waiting.account_submissions),
            at: Moment::new(waiting.created_at),
            is_own: waiting.own,
        }
    }
}

/// Lists the waiting submissions.
pub(in crate::web) async fn list_reviews(
    state: web::Data<AppState>,
    by: Player<ReviewSubmissions>,
    query: web::Query<ReviewsQuery>,
) -> Result<HttpResponse, Problem> {
    list(&state, &by, query.into_inner(), None).await
}

/// A decision that came too late: somebody else has decided the opposite.
struct LateReview {
    status: PageStatus,
    note: String,
}

async fn list(
    app: &AppState,
    by: &Player<ReviewSubmissions>,
    query: ReviewsQuery,
    late: Option<LateReview>,
) -> Result<HttpResponse, Problem> {
    let after: Option<Uuid> = Cursor::key_of(query.cursor.as_ref())?;
    let reads = by.visitor.must::<ReadAccounts>()?;
    let games = app.all_games().await?;
    let games: BTreeMap<&str, &Game> =
        games.iter().map(|loaded| (loaded.game.code(), &loaded.game)).collect();
    let (found, next_cursor, faults) = match person(&query.account) {
        Ok(account) => {
            let wanted = WaitingSelection {
                account: Person::filter(account.as_ref(), || Ok(reads.clone()))?,
                game: Code::try_from(query.game.as_str()).ok(),
                set: None,
            };
            let (viewer, most) = (by.visitor.viewer(), limit(ENTRIES)?);
            let page = submission_reviews::list_waiting(
                app,
                by,
                viewer,
                Some(&reads),
                wanted,
                after,
                most,
            )
            .await?;
            (page.data, page.next_cursor, Faults::none())
        }
        Err(faults) => (Vec::new(), None, faults),
    };
    let (status, faults, written) = match late {
        Some(LateReview { status, note }) => (
            status,
            faults.and(Faults::one("", moderation_words::REVIEWED_BEFORE)),
            not_empty(&note),
        ),
        None => (status_of(&faults), faults, Vec::new()),
    };
    let next_path = next_cursor.as_deref().map(|cursor| query.path_at(Some(cursor)));
    let mut frame = Frame::new(admin_words::REVIEWS).at(Place::Account);
    frame.next.clone_from(&next_path);
    let mut choices = vec![Choice::new("", words::ALL_GAMES, &query.game)];
    choices.extend(game_choices(&games, &query.game));
    let page = ReviewsPage {
        frame,
        nav: Nav::new(by.role(), Area::Reviews),
        done: moderation_words::done(&query.done),
        games: choices,
        is_filtered: !query.account.trim().is_empty() || !query.game.is_empty(),
        waiting: found.into_iter().map(|waiting| WaitingRow::new(&games, waiting)).collect(),
        first_path: query.cursor.as_ref().map(|_| query.path_at(None)),
        next_path,
        account: query.account,
        faults,
        written,
    };
    private(status, &page)
}

#[derive(Template)]
#[template(path = "web/admin/review.html")]
struct ReviewPage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    waiting: WaitingRow,
    decisions: [Choice; 2],
    note: String,
}

/// Shows a submission with the form for the decision.
pub(in crate::web) async fn show_review(
    state: web::Data<AppState>,
    by: Player<ReviewSubmissions>,
    submission: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let (id, typed) = (SubmissionId(*submission), ReviewForm::default());
    show(&state, &by.visitor, PageStatus::OK, id, typed, Faults::none()).await
}

async fn show(
    app: &AppState,
    visitor: &Visitor,
    status: PageStatus,
    submission: SubmissionId,
    typed: ReviewForm,
    faults: Faults,
) -> Result<HttpResponse, Problem> {
    let by = visitor.must::<ReviewSubmissions>()?;
    let (viewer, reads) = (visitor.viewer(), visitor.must::<ReadAccounts>()?);
    let waiting =
        submission_reviews::find_waiting(app, &by, viewer, Some(&reads), submission).await?;
    let games = app.all_games().await?;
    let games: BTreeMap<&str, &Game> =
        games.iter().map(|loaded| (loaded.game.code(), &loaded.game)).collect();
    let decision = |value: &str| {
        Choice::new(value, moderation_words::review_decision(value), &typed.confirmed)
    };
    let page = ReviewPage {
        frame: Frame::new(moderation_words::REVIEW).at(Place::Account),
        nav: Nav::new(by.role(), Area::Reviews),
        faults,
        waiting: WaitingRow::new(&games, waiting),
        decisions: ["true", "false"].map(decision),
        note: typed.note,
    };
    private(status, &page)
}

/// The decision of a moderator, as it was typed. Browsers do not send a choice that nobody made.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct ReviewForm {
    confirmed: String,
    note: String,
}

/// Confirms or refuses a submission.
pub(in crate::web) async fn review(
    state: web::Data<AppState>,
    by: Player<ReviewSubmissions>,
    submission: web::Path<Uuid>,
    Form(typed): Form<ReviewForm>,
) -> Result<HttpResponse, Problem> {
    let id = SubmissionId(*submission);
    let note = read_note(&typed.note);
    let Ok(confirmed) = typed.confirmed.parse::<bool>() else {
        let mut faults = Faults::one("confirmed", moderation_words::CHOOSE_DECISION);
        for fault in note.err().map(Problem::into_faults).unwrap_or_default() {
            faults.add("note", fault_words::reason(&fault.reason));
        }
        let status = PageStatus::INVALID_FORM;
        return show(&state, &by.visitor, status, id, typed, faults).await;
    };
    let reviewed = match note {
        Ok(note) => submission_reviews::review(&state, &by, id, confirmed, &note).await,
        Err(problem) => Err(problem),
    };
    match reviewed {
        Ok(reviewed) => {
            let done = match (reviewed.response.unlocked, confirmed) {
                _ if !reviewed.has_note => "decided_before",
                (true, _) => "unlocked",
                (false, true) if reviewed.is_void => "confirmed_void",
                (false, true) => "confirmed",
                (false, false) => "refused",
            };
            Ok(see_other(&format!("{PATH}?done={done}")))
        }
        // Another moderator decided first: the submission no longer waits, and has no page.
        Err(problem) if problem.code() == ProblemCode::AlreadyReviewed => {
            let late = LateReview { status: PageStatus::of(&problem), note: typed.note };
            list(&state, &by, ReviewsQuery::default(), Some(late)).await
        }
        Err(problem) => {
            let Some(faults) = faults_of(&problem, &["note"]) else { return Err(problem) };
            show(&state, &by.visitor, PageStatus::of(&problem), id, typed, faults).await
        }
    }
}
