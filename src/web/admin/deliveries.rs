//! The deliveries of a webhook with their outcome, and the button that sends one again.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::operations_words;
use super::parts::{Area, Nav, faults_of, limit};
use super::webhook_form::webhook_path;
use super::webhooks::show_with_faults;
use super::words as admin_words;
use crate::app::operations::webhook_deliveries::{
    self as deliveries, DeliveryResponse, DeliveryState,
};
use crate::app::page::Cursor;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{ManageWebhooks, ReadWebhooks};
use crate::domain::ids::{DeliveryId, WebhookId};
use crate::http::extract::{Form, claim_of_form};
use crate::web::accounts::Moment;
use crate::web::forms::{Choice, new_key, next_key, private};
use crate::web::page::{ENTRIES, Frame, Place, path_of};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, see_other};
use crate::web::words;

/// All states, with the names that forms and the API use.
const STATES: [DeliveryState; 3] =
    [DeliveryState::Waiting, DeliveryState::Delivered, DeliveryState::Failed];

/// The filter, as the form sends it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct DeliveriesQuery {
    state: String,
    cursor: Option<Cursor>,
    done: String,
}

#[derive(Template)]
#[template(path = "web/admin/deliveries.html")]
struct DeliveriesPage {
    frame: Frame,
    nav: Nav,
    done: &'static str,
    /// The page of the webhook, and the path of this page.
    webhook_path: String,
    path: String,
    states: Vec<Choice>,
    deliveries: Vec<DeliveryRow>,
    first_path: Option<String>,
    next_path: Option<String>,
}

struct DeliveryRow {
    /// The path that the button to send it again is sent to.
    resend: String,
    /// Idempotency key: a button that is pressed twice sends the delivery once.
    key: String,
    kind: String,
    state: &'static str,
    attempts: i32,
    at: Moment,
    last: Option<Moment>,
    next: Option<Moment>,
    outcome: String,
}

impl DeliveryRow {
    fn new(webhook: Uuid, one: DeliveryResponse) -> Self {
        Self {
            resend: format!("{}/deliveries/{}/resend", webhook_path(webhook), one.id),
            key: new_key(),
            kind: operations_words::event_kind(&one.kind),
            state: operations_words::delivery_state(&one.state),
            attempts: one.attempts,
            at: Moment::new(one.created_at),
            last: one.last_attempt_at.map(Moment::new),
            next: one.next_attempt_at.map(Moment::new),
            outcome: operations_words::outcome(one.last_status, one.last_failure.as_deref()),
        }
    }
}

/// Lists the deliveries of a webhook, the newest first.
pub(in crate::web) async fn list_deliveries(
    state: web::Data<AppState>,
    by: Player<ReadWebhooks>,
    webhook: web::Path<Uuid>,
    query: web::Query<DeliveriesQuery>,
) -> Result<HttpResponse, Problem> {
    let query = query.into_inner();
    let before: Option<Uuid> = Cursor::key_of(query.cursor.as_ref())?;
    let wanted = STATES.into_iter().find(|state| state.as_str() == query.state);
    let id = WebhookId(*webhook);
    let found = deliveries::list(&state, &by, id, wanted, before, limit(ENTRIES)?).await?;
    let webhook_path = webhook_path(id.0);
    let path = format!("{webhook_path}/deliveries");
    let path_at =
        |cursor: &str| path_of(&path, &[("state", query.state.as_str()), ("cursor", cursor)]);
    let next_path = found.next_cursor.as_deref().map(path_at);
    let mut frame = Frame::new(operations_words::DELIVERIES).at(Place::Account);
    frame.next.clone_from(&next_path);
    let mut states = vec![Choice::new("", operations_words::ANY_STATE, &query.state)];
    states.extend(STATES.map(|state| {
        let state = state.as_str();
        Choice::new(state, operations_words::delivery_state(state), &query.state)
    }));
    let page = DeliveriesPage {
        frame,
        nav: Nav::new(by.role(), Area::Webhooks),
        done: operations_words::done(&query.done),
        states,
        deliveries: found.data.into_iter().map(|one| DeliveryRow::new(id.0, one)).collect(),
        first_path: query.cursor.as_ref().map(|_| path_at("")),
        next_path,
        webhook_path,
        path,
    };
    private(PageStatus::OK, &page)
}

/// The idempotency key of a button.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct KeyForm {
    key: String,
}

/// Sends a ping to a webhook.
pub(in crate::web) async fn ping(
    state: web::Data<AppState>,
    by: Player<ManageWebhooks>,
    webhook: web::Path<Uuid>,
    Form(form): Form<KeyForm>,
) -> Result<HttpResponse, Problem> {
    let id = WebhookId(*webhook);
    let of_webhook = id.0.to_string();
    let key = claim_of_form(&state, by.account(), "page_ping_webhook", &form.key, &[&of_webhook]);
    let result = deliveries::ping(&state, &by, id, key.as_ref()).await;
    after(&state, &by, id, Some(&form.key), result, "pinged").await
}

/// Sends a delivery again.
pub(in crate::web) async fn resend(
    state: web::Data<AppState>,
    by: Player<ManageWebhooks>,
    path: web::Path<(Uuid, Uuid)>,
    Form(form): Form<KeyForm>,
) -> Result<HttpResponse, Problem> {
    let (webhook, delivery) = path.into_inner();
    let id = WebhookId(webhook);
    let fields = [&*webhook.to_string(), &*delivery.to_string()];
    let key = claim_of_form(&state, by.account(), "page_resend_delivery", &form.key, &fields);
    let result = deliveries::resend(&state, &by, id, DeliveryId(delivery), key.as_ref()).await;
    after(&state, &by, id, None, result, "resent").await
}

/// Leads to the deliveries, or shows the page of the webhook with the fault. `pinged`: the key of the form of a ping, which that page has, too.
async fn after(
    app: &AppState,
    by: &Player<ManageWebhooks>,
    id: WebhookId,
    pinged: Option<&str>,
    result: Result<DeliveryResponse, Problem>,
    done: &str,
) -> Result<HttpResponse, Problem> {
    match result {
        Ok(_) => Ok(see_other(&format!("{}/deliveries?done={done}", webhook_path(id.0)))),
        Err(problem) => {
            let Some(faults) = faults_of(&problem, &[]) else { return Err(problem) };
            let status = PageStatus::of(&problem);
            let ping_key = pinged.map_or_else(new_key, |sent| next_key(status, sent));
            show_with_faults(app, &by.visitor, status, id, ping_key, faults).await
        }
    }
}
