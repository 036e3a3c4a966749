//! Webhooks: the list with the form of a new one, one with its form, and what is done with secrets.

use std::collections::BTreeMap;

use actix_web::{HttpResponse, web};
use askama::Template;
use cardscape_engine::Game;
use chrono::Duration;
use serde::Deserialize;
use uuid::Uuid;

use super::operations_words;
use super::parts::{Area, Choice, DoneQuery, Nav, fresh_key, game_choices};
use super::words as admin_words;
use crate::app::operations::webhook_requests::WebhookRequest;
use crate::app::operations::webhooks::{self, WebhookResponse, WebhookSecretResponse};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::{IfMatch, version_of};
use crate::auth::permission::{ManageWebhooks, ReadWebhooks};
use crate::domain::ids::WebhookId;
use crate::domain::operations::webhook::{EVENT_KINDS, MAX_OVERLAP_HOURS, OVERLAP_HOURS};
use crate::http::extract::{Form, claim_of_form};
use crate::web::accounts::Moment;
use crate::web::forms::{Faults, Fields, private, secret};
use crate::web::page::{Frame, Place};
use crate::web::session::{Player, Visitor, see_other};
use crate::web::words;

/// The page.
const PATH: &str = "/admin/webhooks";

/// The page of a webhook.
pub(super) fn webhook_path(id: Uuid) -> String {
    format!("{PATH}/{id}")
}

/// A webhook, as it was typed.
struct TypedWebhook {
    url: String,
    description: String,
    game: String,
    kinds: Vec<String>,
    enabled: bool,
    /// Of a new one: tells a form that is sent twice.
    key: String,
    /// Of a stored one: the version that is changed.
    version: String,
}

impl TypedWebhook {
    fn new() -> Self {
        Self {
            url: String::new(),
            description: String::new(),
            game: String::new(),
            kinds: Vec::new(),
            enabled: true,
            key: fresh_key(),
            version: String::new(),
        }
    }

    fn of(webhook: &WebhookResponse) -> Result<Self, Problem> {
        Ok(Self {
            url: webhook.url.clone(),
            description: webhook.description.clone(),
            game: webhook.game.clone().unwrap_or_default(),
            kinds: webhook.kinds.clone(),
            enabled: webhook.enabled,
            key: fresh_key(),
            version: version_of(webhook)?,
        })
    }

    fn read(fields: &Fields) -> Self {
        Self {
            url: fields.one("url").trim().to_owned(),
            description: fields.one("description").to_owned(),
            game: fields.one("game").to_owned(),
            kinds: fields.all("kind").map(str::to_owned).collect(),
            enabled: fields.all("enabled").next().is_some(),
            key: fields.one("key").to_owned(),
            version: fields.one("version").to_owned(),
        }
    }

    fn request(&self) -> WebhookRequest {
        WebhookRequest {
            url: self.url.clone(),
            kinds: self.kinds.clone(),
            game: Some(self.game.clone()).filter(|game| !game.is_empty()),
            description: self.description.clone(),
            enabled: self.enabled,
        }
    }
}

/// What the form of a webhook chooses from.
struct WebhookForm {
    typed: TypedWebhook,
    kinds: Vec<Choice>,
    games: Vec<Choice>,
}

impl WebhookForm {
    async fn new(app: &AppState, typed: TypedWebhook) -> Result<Self, Problem> {
        let games = app.all_games().await?;
        let games: BTreeMap<&str, &Game> =
            games.iter().map(|loaded| (loaded.game.code(), &loaded.game)).collect();
        let mut choices = vec![Choice::new("", words::ALL_GAMES, &typed.game)];
        choices.extend(game_choices(&games, &typed.game));
        let kinds = EVENT_KINDS.map(|kind| Choice {
            value: kind.to_owned(),
            name: operations_words::event_kind(kind),
            is_chosen: typed.kinds.iter().any(|chosen| chosen == kind),
        });
        Ok(Self { typed, kinds: kinds.into(), games: choices })
    }
}

/// A webhook as it is.
struct WebhookRow {
    path: String,
    name: String,
    url: String,
    kinds: String,
    game: String,
    is_on: bool,
    state: String,
    changed: Moment,
    generation: i32,
    previous_until: Option<Moment>,
}

impl From<WebhookResponse> for WebhookRow {
    fn from(webhook: WebhookResponse) -> Self {
        let kinds = webhook.kinds.iter().map(|kind| operations_words::event_kind(kind));
        let reason = webhook.disabled_reason.as_deref();
        Self {
            path: webhook_path(webhook.id),
            name: match webhook.description.as_str() {
                "" => webhook.url.clone(),
                description => description.to_owned(),
            },
            kinds: kinds.collect::<Vec<_>>().join(", "),
            game: webhook.game.unwrap_or_else(|| words::ALL_GAMES.to_owned()),
            is_on: webhook.enabled,
            state: operations_words::webhook_state(webhook.enabled, reason).to_owned(),
            changed: Moment::new(webhook.updated_at),
            generation: webhook.secret_generation,
            previous_until: webhook.previous_secret_until.map(Moment::new),
            url: webhook.url,
        }
    }
}

#[derive(Template)]
#[template(path = "web/admin/webhooks.html")]
struct WebhooksPage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    done: &'static str,
    webhooks: Vec<WebhookRow>,
    form: WebhookForm,
}

/// Shows all webhooks, and the form of a new one.
pub(in crate::web) async fn show_webhooks(
    state: web::Data<AppState>,
    by: Player<ReadWebhooks>,
    query: web::Query<DoneQuery>,
) -> Result<HttpResponse, Problem> {
    let done = operations_words::done(&query.done);
    list(&state, &by.visitor, 200, TypedWebhook::new(), Faults::none(), done).await
}

async fn list(
    app: &AppState,
    visitor: &Visitor,
    status: u16,
    typed: TypedWebhook,
    faults: Faults,
    done: &'static str,
) -> Result<HttpResponse, Problem> {
    let reads = visitor.must::<ReadWebhooks>()?;
    let found = webhooks::list(app, &reads).await?;
    let page = WebhooksPage {
        frame: Frame::new(admin_words::WEBHOOKS).at(Place::Account),
        nav: Nav::new(reads.role(), Area::Webhooks),
        faults,
        done,
        webhooks: found.data.into_iter().map(WebhookRow::from).collect(),
        form: WebhookForm::new(app, typed).await?,
    };
    private(status, &page)
}

/// What is wrong with a webhook, beside its fields.
fn faults_of_webhook(problem: &Problem) -> Option<Faults> {
    let said = match problem.code() {
        ProblemCode::InvalidBody => "",
        code => admin_words::fault(code)?,
    };
    let mut faults = Faults::none();
    for fault in problem.faults() {
        let field = match fault.pointer.trim_start_matches('/').split('/').next() {
            Some("url") => "url",
            Some("kinds") => "kinds",
            Some("game") => "game",
            Some("description") => "description",
            _ => "",
        };
        faults.add(field, words::sentence(&fault.detail));
    }
    if faults.is_empty() {
        faults.add("", said);
    }
    Some(faults)
}

#[derive(Template)]
#[template(path = "web/admin/webhook_secret.html")]
struct SecretPage {
    frame: Frame,
    nav: Nav,
    heading: &'static str,
    webhook: WebhookRow,
    /// Absent: it was shown before.
    secret: Option<String>,
}

/// Shows a secret, once.
fn show_secret(
    by: &Player<ManageWebhooks>,
    status: u16,
    heading: &'static str,
    made: WebhookSecretResponse,
) -> Result<HttpResponse, Problem> {
    let page = SecretPage {
        frame: Frame::new(heading).at(Place::Account),
        nav: Nav::new(by.role(), Area::Webhooks),
        heading,
        webhook: made.webhook.into(),
        secret: made.secret,
    };
    secret(status, &page)
}

/// Makes a webhook, and shows its secret.
pub(in crate::web) async fn create_webhook(
    state: web::Data<AppState>,
    by: Player<ManageWebhooks>,
    Form(fields): Form<Fields>,
) -> Result<HttpResponse, Problem> {
    let mut typed = TypedWebhook::read(&fields);
    let (kinds, enabled) = (typed.kinds.join(" "), typed.enabled.to_string());
    let said = [&*typed.url, &typed.description, &typed.game, &kinds, &enabled];
    let key = claim_of_form(&state, by.account(), "page_create_webhook", &typed.key, &said);
    match webhooks::create(&state, &by, typed.request(), key.as_ref()).await {
        Ok(made) => show_secret(&by, 201, operations_words::WEBHOOK_MADE, made),
        Err(problem) => {
            let Some(faults) = faults_of_webhook(&problem) else { return Err(problem) };
            typed.key = fresh_key();
            list(&state, &by.visitor, problem.code().status(), typed, faults, "").await
        }
    }
}

#[derive(Template)]
#[template(path = "web/admin/webhook.html")]
struct WebhookPage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    done: &'static str,
    webhook: WebhookRow,
    form: WebhookForm,
    /// By which a ping that is sent twice is one.
    ping_key: String,
    /// Whether what is stored is another version than the form began with.
    is_stale: bool,
}

/// Shows a webhook with its form.
pub(in crate::web) async fn show_webhook(
    state: web::Data<AppState>,
    by: Player<ReadWebhooks>,
    webhook: web::Path<Uuid>,
    query: web::Query<DoneQuery>,
) -> Result<HttpResponse, Problem> {
    let done = operations_words::done(&query.done);
    one(&state, &by.visitor, 200, WebhookId(*webhook), None, Faults::none(), done).await
}

/// The page of a webhook with what went wrong elsewhere.
pub(super) async fn show_with_faults(
    app: &AppState,
    visitor: &Visitor,
    status: u16,
    id: WebhookId,
    faults: Faults,
) -> Result<HttpResponse, Problem> {
    one(app, visitor, status, id, None, faults, "").await
}

/// `typed`: what was sent and refused; otherwise the form has what is stored.
async fn one(
    app: &AppState,
    visitor: &Visitor,
    status: u16,
    id: WebhookId,
    typed: Option<TypedWebhook>,
    faults: Faults,
    done: &'static str,
) -> Result<HttpResponse, Problem> {
    let reads = visitor.must::<ReadWebhooks>()?;
    let stored = webhooks::find(app, &reads, id).await?;
    let is_stale = status == ProblemCode::PreconditionFailed.status();
    let typed = match typed {
        // Whoever has seen both versions may put one in the place of the other.
        Some(typed) if is_stale => TypedWebhook { version: version_of(&stored)?, ..typed },
        Some(typed) => typed,
        None => TypedWebhook::of(&stored)?,
    };
    let webhook = WebhookRow::from(stored);
    let page = WebhookPage {
        frame: Frame::new(&webhook.name).at(Place::Account),
        nav: Nav::new(reads.role(), Area::Webhooks),
        faults,
        done,
        webhook,
        form: WebhookForm::new(app, typed).await?,
        ping_key: fresh_key(),
        is_stale,
    };
    private(status, &page)
}

/// Changes a webhook, if it is still the version that the form was made of.
pub(in crate::web) async fn change_webhook(
    state: web::Data<AppState>,
    by: Player<ManageWebhooks>,
    webhook: web::Path<Uuid>,
    Form(fields): Form<Fields>,
) -> Result<HttpResponse, Problem> {
    let id = WebhookId(*webhook);
    let typed = TypedWebhook::read(&fields);
    let seen = IfMatch::naming(&typed.version);
    match webhooks::replace(&state, &by, id, &seen, typed.request()).await {
        Ok(_) => Ok(see_other(&format!("{}?done=changed", webhook_path(id.0)))),
        Err(problem) => {
            let Some(faults) = faults_of_webhook(&problem) else { return Err(problem) };
            let status = problem.code().status();
            one(&state, &by.visitor, status, id, Some(typed), faults, "").await
        }
    }
}

#[derive(Template)]
#[template(path = "web/admin/webhook_delete.html")]
struct DeletePage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    webhook: WebhookRow,
    version: String,
}

/// Asks whether a webhook is to be deleted.
pub(in crate::web) async fn show_delete_webhook(
    state: web::Data<AppState>,
    by: Player<ManageWebhooks>,
    webhook: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    ask(&state, &by, 200, WebhookId(*webhook), Faults::none()).await
}

async fn ask(
    app: &AppState,
    by: &Player<ManageWebhooks>,
    status: u16,
    id: WebhookId,
    faults: Faults,
) -> Result<HttpResponse, Problem> {
    let stored = webhooks::find(app, &by.visitor.must()?, id).await?;
    let page = DeletePage {
        frame: Frame::new(operations_words::DELETE_WEBHOOK).at(Place::Account),
        nav: Nav::new(by.role(), Area::Webhooks),
        faults,
        version: version_of(&stored)?,
        webhook: stored.into(),
    };
    private(status, &page)
}

/// The version that a button is about.
#[derive(Deserialize)]
pub(in crate::web) struct MeantVersion {
    version: String,
}

/// Deletes a webhook with its deliveries.
pub(in crate::web) async fn delete_webhook(
    state: web::Data<AppState>,
    by: Player<ManageWebhooks>,
    webhook: web::Path<Uuid>,
    Form(meant): Form<MeantVersion>,
) -> Result<HttpResponse, Problem> {
    let id = WebhookId(*webhook);
    match webhooks::delete(&state, &by, id, &IfMatch::naming(&meant.version)).await {
        Ok(()) => Ok(see_other(&format!("{PATH}?done=deleted"))),
        Err(problem) if problem.code() == ProblemCode::PreconditionFailed => {
            let faults = Faults::one("", operations_words::CHANGED_BEFORE_DELETING);
            ask(&state, &by, problem.code().status(), id, faults).await
        }
        Err(problem) => Err(problem),
    }
}

#[derive(Template)]
#[template(path = "web/admin/webhook_rotate.html")]
struct RotatePage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    webhook: WebhookRow,
    hours: String,
    key: String,
}

/// Asks for how long the old secret is to be good, too.
pub(in crate::web) async fn show_rotate(
    state: web::Data<AppState>,
    by: Player<ManageWebhooks>,
    webhook: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let hours = OVERLAP_HOURS.to_string();
    rotate_form(&state, &by, 200, WebhookId(*webhook), hours, Faults::none()).await
}

async fn rotate_form(
    app: &AppState,
    by: &Player<ManageWebhooks>,
    status: u16,
    id: WebhookId,
    hours: String,
    faults: Faults,
) -> Result<HttpResponse, Problem> {
    let stored = webhooks::find(app, &by.visitor.must()?, id).await?;
    let page = RotatePage {
        frame: Frame::new(operations_words::NEW_SECRET).at(Place::Account),
        nav: Nav::new(by.role(), Area::Webhooks),
        faults,
        webhook: stored.into(),
        hours,
        key: fresh_key(),
    };
    private(status, &page)
}

/// For how long the old secret is good, too.
#[derive(Deserialize)]
pub(in crate::web) struct RotateForm {
    overlap_hours: String,
    #[serde(default)]
    key: String,
}

/// Gives a webhook a new secret, and shows it.
pub(in crate::web) async fn rotate(
    state: web::Data<AppState>,
    by: Player<ManageWebhooks>,
    webhook: web::Path<Uuid>,
    Form(form): Form<RotateForm>,
) -> Result<HttpResponse, Problem> {
    let id = WebhookId(*webhook);
    let typed = form.overlap_hours.trim();
    let hours = typed.parse::<u16>().ok().filter(|hours| *hours <= MAX_OVERLAP_HOURS);
    let Some(hours) = hours else {
        let faults = Faults::one("overlap_hours", operations_words::HOURS_FAULT);
        return rotate_form(&state, &by, 422, id, form.overlap_hours, faults).await;
    };
    let (of_webhook, said) = (id.0.to_string(), hours.to_string());
    let key = claim_of_form(
        &state,
        by.account(),
        "page_rotate_webhook",
        &form.key,
        &[&of_webhook, &said],
    );
    let overlap = Duration::hours(hours.into());
    match webhooks::rotate_secret(&state, &by, id, overlap, key.as_ref()).await {
        Ok(made) => show_secret(&by, 200, operations_words::SECRET_MADE, made),
        Err(problem) => {
            let Some(faults) = faults_of_webhook(&problem) else { return Err(problem) };
            let status = problem.code().status();
            rotate_form(&state, &by, status, id, form.overlap_hours, faults).await
        }
    }
}
