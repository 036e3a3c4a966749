//! Actions on a webhook outside its form: its secret is shown once or replaced, and the webhook is deleted.

use actix_web::{HttpResponse, web};
use askama::Template;
use chrono::Duration;
use serde::Deserialize;
use uuid::Uuid;

use super::operations_words;
use super::parts::{Area, Nav};
use super::webhook_form::{PATH, WebhookRow, faults_of_webhook};
use super::words as admin_words;
use crate::app::operations::webhooks::{self, WebhookSecretResponse};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::{IfMatch, version_of};
use crate::auth::permission::ManageWebhooks;
use crate::domain::ids::WebhookId;
use crate::domain::operations::webhook::{MAX_OVERLAP_HOURS, OVERLAP_HOURS};
use crate::http::extract::{Form, claim_of_form};
use crate::web::forms::{Faults, next_key, private, secret};
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, see_other};
use crate::web::words;

#[derive(Template)]
#[template(path = "web/admin/webhook_secret.html")]
struct SecretPage {
    frame: Frame,
    nav: Nav,
    heading: &'static str,
    webhook: WebhookRow,
    /// Absent: the secret was shown before.
    secret: Option<String>,
}

/// Shows a secret, once.
pub(super) fn show_secret(
    by: &Player<ManageWebhooks>,
    status: PageStatus,
    heading: &'static str,
    answer: WebhookSecretResponse,
) -> Result<HttpResponse, Problem> {
    let page = SecretPage {
        frame: Frame::new(heading).at(Place::Account),
        nav: Nav::new(by.role(), Area::Webhooks),
        heading,
        webhook: answer.webhook.into(),
        secret: answer.secret,
    };
    secret(status, &page)
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

/// Asks for confirmation before a webhook is deleted.
pub(in crate::web) async fn show_delete_webhook(
    state: web::Data<AppState>,
    by: Player<ManageWebhooks>,
    webhook: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    ask(&state, &by, PageStatus::OK, WebhookId(*webhook), Faults::none()).await
}

async fn ask(
    app: &AppState,
    by: &Player<ManageWebhooks>,
    status: PageStatus,
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

/// The version of the object when the page with the button was loaded.
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
        // The form was sent twice: the webhook is deleted already.
        Err(problem) if problem.code() == ProblemCode::NotFound => {
            Ok(see_other(&format!("{PATH}?done=deleted")))
        }
        Err(problem) if problem.code() == ProblemCode::PreconditionFailed => {
            let faults = Faults::one("", operations_words::CHANGED_BEFORE_DELETING);
            ask(&state, &by, PageStatus::of(&problem), id, faults).await
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

/// Shows the form for how long the old secret stays valid.
pub(in crate::web) async fn show_rotate(
    state: web::Data<AppState>,
    by: Player<ManageWebhooks>,
    webhook: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let form = RotateForm { overlap_hours: OVERLAP_HOURS.to_string(), key: String::new() };
    rotate_form(&state, &by, PageStatus::OK, WebhookId(*webhook), form, Faults::none()).await
}

async fn rotate_form(
    app: &AppState,
    by: &Player<ManageWebhooks>,
    status: PageStatus,
    id: WebhookId,
    form: RotateForm,
    faults: Faults,
) -> Result<HttpResponse, Problem> {
    let stored = webhooks::find(app, &by.visitor.must()?, id).await?;
    let page = RotatePage {
        frame: Frame::new(operations_words::NEW_SECRET).at(Place::Account),
        nav: Nav::new(by.role(), Area::Webhooks),
        faults,
        webhook: stored.into(),
        hours: form.overlap_hours,
        key: next_key(status, &form.key),
    };
    private(status, &page)
}

/// How long the old secret stays valid.
#[derive(Deserialize)]
pub(in crate::web) struct RotateForm {
    overlap_hours: String,
    #[serde(default)]
    key: String,
}

/// Replaces the secret of a webhook, and shows the new one.
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
        return rotate_form(&state, &by, PageStatus::INVALID_FORM, id, form, faults).await;
    };
    let (webhook, hours_text) = (id.0.to_string(), hours.to_string());
    let key = claim_of_form(
        &state,
        by.account(),
        "page_rotate_webhook",
        &form.key,
        &[&webhook, &hours_text],
    );
    let overlap = Duration::hours(hours.into());
    match webhooks::rotate_secret(&state, &by, id, overlap, key.as_ref()).await {
        Ok(answer) => show_secret(&by, PageStatus::OK, operations_words::SECRET_MADE, answer),
        Err(problem) => {
            let Some(faults) = faults_of_webhook(&problem) else { return Err(problem) };
            let status = PageStatus::of(&problem);
            rotate_form(&state, &by, status, id, form, faults).await
        }
    }
}
