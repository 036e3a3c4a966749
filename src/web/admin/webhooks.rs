//! Webhooks: the list with the form of a new one, and the page of one webhook with its form.

use actix_web::{HttpResponse, web};
use askama::Template;
use uuid::Uuid;

use super::operations_words;
use super::parts::{Area, DoneQuery, Nav};
use super::webhook_form::{TypedWebhook, WebhookForm, WebhookRow, faults_of_webhook, webhook_path};
use super::webhook_steps::show_secret;
use super::words as admin_words;
use crate::app::operations::webhooks;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::{IfMatch, version_of};
use crate::auth::permission::{ManageWebhooks, ReadWebhooks};
use crate::domain::ids::WebhookId;
use crate::http::extract::{Form, claim_of_form};
use crate::web::forms::{Faults, Fields, new_key, next_key, private};
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, Visitor, see_other};
use crate::web::words;

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
    list(&state, &by.visitor, PageStatus::OK, TypedWebhook::new(), Faults::none(), done).await
}

async fn list(
    app: &AppState,
    visitor: &Visitor,
    status: PageStatus,
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

/// Creates a webhook, and shows its secret.
pub(in crate::web) async fn create_webhook(
    state: web::Data<AppState>,
    by: Player<ManageWebhooks>,
    Form(fields): Form<Fields>,
) -> Result<HttpResponse, Problem> {
    let mut typed = TypedWebhook::read(&fields);
    let (kinds, enabled) = (typed.kinds.join(" "), typed.enabled.to_string());
    let fields = [&*typed.url, &typed.description, &typed.game, &kinds, &enabled];
    let key = claim_of_form(&state, by.account(), "page_create_webhook", &typed.key, &fields);
    match webhooks::create(&state, &by, typed.request(), key.as_ref()).await {
        Ok(created) => {
            show_secret(&by, PageStatus::CREATED, operations_words::WEBHOOK_MADE, created)
        }
        Err(problem) => {
            let Some(faults) = faults_of_webhook(&problem) else { return Err(problem) };
            let status = PageStatus::of(&problem);
            typed.key = next_key(status, &typed.key);
            list(&state, &by.visitor, status, typed, faults, "").await
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
    /// Idempotency key: a ping that is sent twice is one request.
    ping_key: String,
    /// Whether the stored version differs from the version that the form was loaded with.
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
    let (id, shown) = (WebhookId(*webhook), (Faults::none(), done));
    one(&state, &by.visitor, PageStatus::OK, id, None, new_key(), shown).await
}

/// The page of a webhook with a fault of another action.
pub(super) async fn show_with_faults(
    app: &AppState,
    visitor: &Visitor,
    status: PageStatus,
    id: WebhookId,
    ping_key: String,
    faults: Faults,
) -> Result<HttpResponse, Problem> {
    one(app, visitor, status, id, None, ping_key, (faults, "")).await
}

/// The page of a webhook. `typed`: the input that was refused; without it, the form has the stored values.
async fn one(
    app: &AppState,
    visitor: &Visitor,
    status: PageStatus,
    id: WebhookId,
    typed: Option<TypedWebhook>,
    ping_key: String,
    (faults, done): (Faults, &'static str),
) -> Result<HttpResponse, Problem> {
    let reads = visitor.must::<ReadWebhooks>()?;
    let stored = webhooks::find(app, &reads, id).await?;
    let is_stale = status.is(ProblemCode::PreconditionFailed);
    let typed = match typed {
        // The answer shows both versions, so the form gets the stored version: sent again, it overwrites it.
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
        ping_key,
        is_stale,
    };
    private(status, &page)
}

/// Changes a webhook, if the stored version is still the version that the form was loaded with.
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
            let status = PageStatus::of(&problem);
            let is_stale = status.is(ProblemCode::PreconditionFailed);
            let reads = by.visitor.must::<ReadWebhooks>()?;
            // A double click, or a form that is sent again because its answer was lost.
            if is_stale
                && webhooks::is_replaced(&state, &reads, id, typed.request())
                    .await
                    .unwrap_or_default()
            {
                return Ok(see_other(&format!("{}?done=changed", webhook_path(id.0))));
            }
            one(&state, &by.visitor, status, id, Some(typed), new_key(), (faults, "")).await
        }
    }
}
