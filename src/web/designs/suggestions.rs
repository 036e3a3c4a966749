//! Changes that other players suggest: listed, shown, accepted, declined and withdrawn.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::changes::{ChangeRow, change_rows};
use super::faults::faults_of;
use super::words as design_words;
use super::{design_path, identifier};
use crate::app::designs::design_lifecycle;
use crate::app::designs::suggested_changes::{
    self, SuggestedChangeResponse, SuggestedChangeSummary,
};
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::Revision;
use crate::auth::permission::{GiveFeedback, ReadOwnDesigns, WriteOwnDesigns};
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::status::DesignStatus;
use crate::domain::ids::SuggestionId;
use crate::domain::text::AccountName;
use crate::http::extract::{ClientNetwork, Form};
use crate::web::copies::BlockButton;
use crate::web::forms::{Faults, private};
use crate::web::page::{ENTRIES, Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, see_other};
use crate::web::words;

/// A suggestion in a list.
pub(super) struct SuggestionRow {
    pub(super) path: String,
    pub(super) author: String,
    pub(super) message: String,
    pub(super) state: &'static str,
    pub(super) day: String,
    pub(super) at: String,
}

impl SuggestionRow {
    pub(super) fn new(design: &str, suggestion: SuggestedChangeSummary) -> Self {
        Self {
            path: format!("{design}/suggestions/{}", suggestion.id),
            author: suggestion.suggested_by,
            message: suggestion.message,
            state: design_words::suggestion_state(suggestion.state),
            day: words::day_of(suggestion.created_at),
            at: suggestion.created_at.to_rfc3339(),
        }
    }
}

/// Which page of the list.
#[derive(Debug, Default, Deserialize)]
pub(in crate::web) struct ListQuery {
    cursor: Option<Cursor>,
}

#[derive(Template)]
#[template(path = "web/designs/suggestions.html")]
struct SuggestionsPage {
    frame: Frame,
    heading: String,
    name: String,
    path: String,
    is_own: bool,
    may_suggest: bool,
    suggestions: Vec<SuggestionRow>,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// Lists the suggestions for a design: its author gets all, other readers get their own.
pub(in crate::web) async fn list(
    state: web::Data<AppState>,
    by: Player<ReadOwnDesigns>,
    design: web::Path<String>,
    query: web::Query<ListQuery>,
) -> Result<HttpResponse, Problem> {
    let code = identifier(&design)?;
    let before: Option<Uuid> = Cursor::key_of(query.cursor.as_ref())?;
    let limit = PageLimit::try_from(ENTRIES).map_err(Problem::internal)?;
    let page = suggested_changes::list(&state, &by, code, before.map(SuggestionId), limit).await?;
    let found = design_lifecycle::find(&state, Some(&*by), None, code).await?;
    let (path, name) = (design_path(code), design_words::name_of(&found.design.content.name));
    let heading = design_words::suggestions_for(&name);
    let list = format!("{path}/suggestions");
    let page = SuggestionsPage {
        frame: Frame::new(&heading).at(Place::Designs),
        heading,
        is_own: found.is_own,
        may_suggest: !found.is_own && may_be_changed(found.design.status),
        first_path: query.cursor.as_ref().map(|_| list.clone()),
        next_path: page.next_cursor.map(|cursor| format!("{list}?cursor={cursor}")),
        suggestions: page.data.into_iter().map(|row| SuggestionRow::new(&path, row)).collect(),
        name,
        path,
    };
    private(PageStatus::OK, &page)
}

/// Whether others may suggest changes of a design with this status.
fn may_be_changed(status: &str) -> bool {
    let status = DesignStatus::parse(status);
    status.is_some_and(|status| status.is_listed() && status != DesignStatus::Official)
}

#[derive(Template)]
#[template(path = "web/designs/suggestion.html")]
struct SuggestionPage {
    frame: Frame,
    faults: Faults,
    heading: String,
    name: String,
    design: String,
    path: String,
    message: String,
    state: &'static str,
    day: String,
    at: String,
    changes: Vec<ChangeRow>,
    is_open: bool,
    is_author: bool,
    is_maker: bool,
    report: String,
    /// `None`: the reader is not the author of the design.
    block_button: Option<BlockButton>,
    version: i64,
}

/// Shows a suggestion to the author of the design and to the account that made it.
pub(in crate::web) async fn find(
    state: web::Data<AppState>,
    by: Player<ReadOwnDesigns>,
    path: web::Path<(String, Uuid)>,
) -> Result<HttpResponse, Problem> {
    let (design, id) = path.into_inner();
    let path = (identifier(&design)?, id);
    show(&state, &by, path, PageStatus::OK, Faults::none(), &[]).await
}

/// Shows a suggestion with faults; `about`: where they are.
async fn show(
    app: &AppState,
    by: &Player<ReadOwnDesigns>,
    (code, id): (DesignCode, Uuid),
    status: PageStatus,
    mut faults: Faults,
    about: &[InputFault],
) -> Result<HttpResponse, Problem> {
    let SuggestedChangeResponse { suggestion, differences, .. } =
        suggested_changes::find(app, by, code, SuggestionId(id)).await?;
    let found = design_lifecycle::find(app, Some(&**by), None, code).await?;
    let block_button = match AccountName::parse(&suggestion.suggested_by) {
        Ok(name) if found.is_own => BlockButton::find(app, &by.visitor, &name).await?,
        _ => None,
    };
    let name = design_words::name_of(&found.design.content.name);
    let games = app.all_games().await?;
    let mut games = games.iter().map(|loaded| &loaded.game);
    let game = games.find(|game| game.code() == found.design.game);
    // There is no field to which a fault could lead, so its text names what it is about.
    faults.label(about.iter().map(|fault| {
        let member = design_words::member(game, &fault.pointer);
        Some(member).filter(|member| !member.is_empty())
    }));
    let heading = design_words::suggestion_by(&suggestion.suggested_by);
    let design = design_path(code);
    let page = SuggestionPage {
        frame: Frame::new(&heading).at(Place::Designs),
        faults,
        heading,
        path: format!("{design}/suggestions/{id}"),
        report: format!("{design}/report?suggestion={id}"),
        message: suggestion.message,
        state: design_words::suggestion_state(suggestion.state),
        day: words::day_of(suggestion.created_at),
        at: suggestion.created_at.to_rfc3339(),
        changes: change_rows(game, differences),
        is_open: suggestion.state == "open",
        is_author: found.is_own,
        is_maker: suggestion.account_id == by.account().0,
        block_button,
        version: found.version.0,
        design,
        name,
    };
    private(status, &page)
}

/// The answer to a suggestion.
#[derive(Deserialize)]
pub(in crate::web) struct Answer {
    answer: String,
    /// For accepting: the version of the design that the suggestion changes.
    #[serde(default)]
    version: i64,
}

/// Accepts or declines a suggestion for one of the visitor's own designs, or withdraws one of the visitor's own suggestions.
pub(in crate::web) async fn answer(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<ReadOwnDesigns>,
    path: web::Path<(String, Uuid)>,
    Form(answer): Form<Answer>,
) -> Result<HttpResponse, Problem> {
    let (design, id) = path.into_inner();
    let (code, suggestion) = (identifier(&design)?, SuggestionId(id));
    let done = match answer.answer.as_str() {
        "take" => {
            let by = by.visitor.must::<WriteOwnDesigns>()?;
            let meant = Revision(answer.version).if_match();
            suggested_changes::take(&state, &by, network.0, code, suggestion, &meant)
                .await
                .map(|_| design_path(code))
        }
        "decline" => {
            let by = by.visitor.must::<WriteOwnDesigns>()?;
            suggested_changes::decline(&state, &by, code, suggestion)
                .await
                .map(|_| format!("{}/suggestions", design_path(code)))
        }
        "withdraw" => {
            let by = by.visitor.must::<GiveFeedback>()?;
            suggested_changes::withdraw(&state, &by, code, suggestion)
                .await
                .map(|_| design_path(code))
        }
        _ => return Err(Problem::new(ProblemCode::InvalidBody)),
    };
    match done {
        Ok(path) => Ok(see_other(&path)),
        Err(problem) => {
            // The form was sent twice: the wanted state is reached already.
            let stored = suggested_changes::find(&state, &by, code, suggestion).await?.suggestion;
            match (answer.answer.as_str(), stored.state) {
                ("take", "taken") | ("withdraw", "withdrawn") => {
                    return Ok(see_other(&design_path(code)));
                }
                ("decline", "declined") => {
                    return Ok(see_other(&format!("{}/suggestions", design_path(code))));
                }
                _ => {}
            }
            let faults = match problem.code() {
                ProblemCode::PreconditionFailed => {
                    Some(Faults::one("", design_words::CHANGED_BEFORE_TAKING))
                }
                _ => faults_of(&problem, &[]),
            };
            let Some(faults) = faults else { return Err(problem) };
            let status = PageStatus::of(&problem);
            show(&state, &by, (code, id), status, faults, problem.faults()).await
        }
    }
}
