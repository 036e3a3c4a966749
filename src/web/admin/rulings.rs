//! Rulings and errata of a card: created, changed and deleted.

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::cards::edit_path;
use super::catalogue_words;
use super::merged_cards::follow_merge;
use super::parts::{Area, Nav, faults_of};
use super::stored_card::find_card;
use super::words as admin_words;
use crate::app::catalogue::card_migrations::Located;
use crate::app::catalogue::rulings::{self, RulingResponse};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::{IfMatch, version_of};
use crate::auth::permission::{Granted, Viewer, WriteCatalogue};
use crate::domain::catalogue::ruling::{RulingContent, RulingKind};
use crate::domain::ids::{CardId, RulingId};
use crate::http::extract::{Form, claim_of_form};
use crate::web::forms::{Choice, Faults, next_key, private};
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, see_other};
use crate::web::words;

/// A ruling on the page of its card.
pub(super) struct RulingRow {
    pub(super) path: String,
    pub(super) kind: &'static str,
    pub(super) paragraphs: Vec<String>,
    pub(super) day: String,
    pub(super) at: String,
    pub(super) source: Option<String>,
}

fn ruling_path(id: Uuid) -> String {
    format!("/admin/rulings/{id}")
}

impl From<RulingResponse> for RulingRow {
    fn from(ruling: RulingResponse) -> Self {
        Self {
            path: ruling_path(ruling.id),
            kind: words::ruling(&ruling.kind),
            paragraphs: ruling.text.lines().map(str::to_owned).collect(),
            day: words::day(ruling.published_on),
            at: ruling.published_on.to_string(),
            source: ruling.source,
        }
    }
}

/// The rulings of a card, the oldest first.
pub(super) async fn list_rulings(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    card: CardId,
) -> Result<Vec<RulingRow>, Problem> {
    match rulings::list(app, Viewer::from(by), card).await? {
        Located::Here(found) => Ok(found.data.into_iter().map(RulingRow::from).collect()),
        Located::Moved(_) => Err(Problem::not_found()),
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct TypedRuling {
    kind: String,
    text: String,
    published_on: String,
    source: String,
    /// Of a new one: the idempotency key, which recognises a form that is sent twice.
    key: String,
    /// Of a stored one: the version that the form was loaded with.
    version: String,
}

impl TypedRuling {
    fn of(ruling: &RulingResponse) -> Result<Self, Problem> {
        Ok(Self {
            kind: ruling.kind.clone(),
            text: ruling.text.clone(),
            published_on: ruling.published_on.to_string(),
            source: ruling.source.clone().unwrap_or_default(),
            key: String::new(),
            version: version_of(ruling)?,
        })
    }

    /// The kind, or a fault if none was chosen.
    fn kind(&self) -> Result<RulingKind, Faults> {
        let kind = RulingKind::parse(&self.kind);
        kind.ok_or_else(|| Faults::one("kind", catalogue_words::CHOOSE_KIND))
    }

    fn content(&self, kind: RulingKind) -> Result<RulingContent, Problem> {
        let source = Some(self.source.as_str()).filter(|source| !source.trim().is_empty());
        rulings::read(kind, &self.text, self.published_on.trim(), source)
    }
}

/// Fields of the form, with the names that the API uses.
const FIELDS: [&str; 4] = ["kind", "text", "published_on", "source"];

#[derive(Template)]
#[template(path = "web/admin/ruling.html")]
struct RulingPage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    heading: String,
    action: String,
    /// The page on which the card is changed.
    card_path: String,
    kinds: [Choice; 2],
    typed: TypedRuling,
    is_new: bool,
    /// The stored version, if it differs from the version that the form was loaded with.
    saved: Option<RulingRow>,
}

fn page(
    by: &Granted<WriteCatalogue>,
    status: PageStatus,
    (heading, action, card): (String, String, Uuid),
    typed: TypedRuling,
    faults: Faults,
    saved: Option<RulingRow>,
) -> Result<HttpResponse, Problem> {
    let kinds = [RulingKind::Ruling, RulingKind::Erratum].map(|kind| {
        let chosen = if typed.kind.is_empty() { "ruling" } else { &typed.kind };
        Choice::new(kind.as_str(), words::ruling(kind.as_str()), chosen)
    });
    let page = RulingPage {
        frame: Frame::new(&heading).at(Place::Account),
        nav: Nav::new(by.role(), Area::Cards),
        faults,
        heading,
        action,
        card_path: edit_path(card),
        kinds,
        is_new: typed.version.is_empty(),
        typed,
        saved,
    };
    private(status, &page)
}

/// Shows the form of a new ruling.
pub(in crate::web) async fn show_new_ruling(
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    card: web::Path<Uuid>,
    req: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let id = CardId(*card);
    let typed = TypedRuling { published_on: state.today()?.to_string(), ..TypedRuling::default() };
    let shown = new_form(&state, &by, PageStatus::OK, id, typed, Faults::none()).await;
    follow_merge(&state, &by, &req, id, shown).await
}

/// The form of a new ruling.
async fn new_form(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    status: PageStatus,
    id: CardId,
    typed: TypedRuling,
    faults: Faults,
) -> Result<HttpResponse, Problem> {
    let card = find_card(app, by, id).await?;
    let key = next_key(status, &typed.key);
    let typed = TypedRuling { key, version: String::new(), ..typed };
    let action = format!("{}/rulings", edit_path(card.id));
    let heading = catalogue_words::new_ruling_of(&card.name);
    page(by, status, (heading, action, card.id), typed, faults, None)
}

pub(in crate::web) async fn create_ruling(
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    card: web::Path<Uuid>,
    req: HttpRequest,
    Form(typed): Form<TypedRuling>,
) -> Result<HttpResponse, Problem> {
    let id = CardId(*card);
    let created = create_or_show(&state, &by, id, typed).await;
    follow_merge(&state, &by, &req, id, created).await
}

async fn create_or_show(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    id: CardId,
    typed: TypedRuling,
) -> Result<HttpResponse, Problem> {
    let of_card = id.0.to_string();
    let fields = [&*of_card, &typed.kind, &typed.text, &typed.published_on, &typed.source];
    let key = claim_of_form(app, by.account(), "page_create_ruling", &typed.key, &fields);
    let kind = match typed.kind() {
        Ok(kind) => kind,
        Err(faults) => {
            let status = PageStatus::INVALID_FORM;
            return new_form(app, by, status, id, typed, faults).await;
        }
    };
    let created = match typed.content(kind) {
        Ok(content) => rulings::create(app, by, id, &content, key.as_ref()).await,
        Err(problem) => Err(problem),
    };
    match created {
        Ok(_) => Ok(see_other(&format!("{}?done=ruling", edit_path(id.0)))),
        Err(problem) => {
            let Some(faults) = faults_of(&problem, &FIELDS) else { return Err(problem) };
            new_form(app, by, PageStatus::of(&problem), id, typed, faults).await
        }
    }
}

async fn find(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    id: RulingId,
) -> Result<RulingResponse, Problem> {
    rulings::find(app, Viewer::from(by), id).await
}

/// Shows a ruling in a form.
pub(in crate::web) async fn show_ruling(
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    ruling: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let stored = find(&state, &by, RulingId(*ruling)).await?;
    let typed = TypedRuling::of(&stored)?;
    page(&by, PageStatus::OK, change_of(&stored), typed, Faults::none(), None)
}

/// Heading and path of the form of a stored ruling, and its card.
fn change_of(stored: &RulingResponse) -> (String, String, Uuid) {
    let heading = catalogue_words::CHANGE_RULING.to_owned();
    (heading, ruling_path(stored.id), stored.card)
}

/// Changes a ruling, if the stored version is still the version that the form was loaded with.
pub(in crate::web) async fn change_ruling(
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    ruling: web::Path<Uuid>,
    Form(mut typed): Form<TypedRuling>,
) -> Result<HttpResponse, Problem> {
    let id = RulingId(*ruling);
    let seen = IfMatch::naming(&typed.version);
    let kind = match typed.kind() {
        Ok(kind) => kind,
        Err(faults) => {
            let stored = find(&state, &by, id).await?;
            let status = PageStatus::INVALID_FORM;
            return page(&by, status, change_of(&stored), typed, faults, None);
        }
    };
    let replaced = match typed.content(kind) {
        Ok(content) => rulings::replace(&state, &by, id, &seen, &content).await,
        Err(problem) => Err(problem),
    };
    let problem = match replaced {
        Ok(ruling) => {
            return Ok(see_other(&format!("{}?done=ruling", edit_path(ruling.card))));
        }
        Err(problem) => problem,
    };
    let Some(faults) = faults_of(&problem, &FIELDS) else { return Err(problem) };
    let stored = find(&state, &by, id).await?;
    let is_stale = problem.code() == ProblemCode::PreconditionFailed;
    // A double click, or a form that is sent again because its answer was lost.
    if is_stale && typed.content(kind).is_ok_and(|content| stored.has_content(&content)) {
        return Ok(see_other(&format!("{}?done=ruling", edit_path(stored.card))));
    }
    if is_stale {
        // The answer shows both versions, so the form gets the stored version: sent again, it overwrites it.
        typed.version = version_of(&stored)?;
    }
    let about = change_of(&stored);
    let saved = is_stale.then(|| RulingRow::from(stored));
    page(&by, PageStatus::of(&problem), about, typed, faults, saved)
}

#[derive(Template)]
#[template(path = "web/admin/ruling_delete.html")]
struct DeletePage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    ruling: RulingRow,
    card: Uuid,
    card_path: String,
    version: String,
}

/// Asks for confirmation before a ruling is deleted.
pub(in crate::web) async fn show_delete_ruling(
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    ruling: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    ask(&state, &by, PageStatus::OK, RulingId(*ruling), Faults::none()).await
}

async fn ask(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    status: PageStatus,
    id: RulingId,
    faults: Faults,
) -> Result<HttpResponse, Problem> {
    let stored = find(app, by, id).await?;
    let page = DeletePage {
        frame: Frame::new(catalogue_words::DELETE_RULING).at(Place::Account),
        nav: Nav::new(by.role(), Area::Cards),
        faults,
        card: stored.card,
        card_path: edit_path(stored.card),
        version: version_of(&stored)?,
        ruling: stored.into(),
    };
    private(status, &page)
}

/// The version of the ruling when the page was loaded, and the card of the ruling.
#[derive(Deserialize)]
pub(in crate::web) struct MeantVersion {
    version: String,
    card: Option<Uuid>,
}

/// Deletes a ruling. The history of the card still lists it.
pub(in crate::web) async fn delete_ruling(
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    ruling: web::Path<Uuid>,
    Form(meant): Form<MeantVersion>,
) -> Result<HttpResponse, Problem> {
    let id = RulingId(*ruling);
    let deleting = async {
        let card = find(&state, &by, id).await?.card;
        rulings::delete(&state, &by, id, &IfMatch::naming(&meant.version)).await?;
        Ok::<Uuid, Problem>(card)
    };
    let leave = |card: Uuid| see_other(&format!("{}?done=ruling_deleted", edit_path(card)));
    let problem = match deleting.await {
        Ok(card) => return Ok(leave(card)),
        Err(problem) => problem,
    };
    match (problem.code(), meant.card) {
        // The form was sent twice: the ruling is deleted already.
        (ProblemCode::NotFound, Some(card)) => Ok(leave(card)),
        (ProblemCode::PreconditionFailed, _) => {
            let faults = Faults::one("", catalogue_words::CHANGED_BEFORE_DELETING);
            ask(&state, &by, PageStatus::of(&problem), id, faults).await
        }
        _ => Err(problem),
    }
}
