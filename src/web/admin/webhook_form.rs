//! The form of a webhook: its fields, its choices and its faults.

use std::collections::BTreeMap;

use cardscape_engine::Game;
use uuid::Uuid;

use super::operations_words;
use super::parts::game_choices;
use super::words as admin_words;
use crate::app::operations::webhook_requests::WebhookRequest;
use crate::app::operations::webhooks::WebhookResponse;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::version_of;
use crate::domain::operations::webhook::EVENT_KINDS;
use crate::web::accounts::Moment;
use crate::web::fault_words;
use crate::web::forms::{Choice, Faults, Fields, new_key};
use crate::web::words;

/// The path of the page of all webhooks.
pub(super) const PATH: &str = "/admin/webhooks";

/// The page of a webhook.
pub(super) fn webhook_path(id: Uuid) -> String {
    format!("{PATH}/{id}")
}

pub(super) struct TypedWebhook {
    pub(super) url: String,
    pub(super) description: String,
    pub(super) game: String,
    pub(super) kinds: Vec<String>,
    pub(super) enabled: bool,
    /// Of a new one: the idempotency key, which recognises a form that is sent twice.
    pub(super) key: String,
    /// Of a stored one: the version that the form was loaded with.
    pub(super) version: String,
}

impl TypedWebhook {
    pub(super) fn new() -> Self {
        Self {
            url: String::new(),
            description: String::new(),
            game: String::new(),
            kinds: Vec::new(),
            enabled: true,
            key: new_key(),
            version: String::new(),
        }
    }

    pub(super) fn of(webhook: &WebhookResponse) -> Result<Self, Problem> {
        Ok(Self {
            url: webhook.url.clone(),
            description: webhook.description.clone(),
            game: webhook.game.clone().unwrap_or_default(),
            kinds: webhook.kinds.clone(),
            enabled: webhook.enabled,
            key: new_key(),
            version: version_of(webhook)?,
        })
    }

    pub(super) fn read(fields: &Fields) -> Self {
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

    pub(super) fn request(&self) -> WebhookRequest {
        WebhookRequest {
            url: self.url.clone(),
            kinds: self.kinds.clone(),
            game: Some(self.game.clone()).filter(|game| !game.is_empty()),
            description: self.description.clone(),
            enabled: self.enabled,
        }
    }
}

/// The choices of the form of a webhook.
pub(super) struct WebhookForm {
    pub(super) typed: TypedWebhook,
    pub(super) kinds: Vec<Choice>,
    pub(super) games: Vec<Choice>,
}

impl WebhookForm {
    pub(super) async fn new(app: &AppState, typed: TypedWebhook) -> Result<Self, Problem> {
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

/// A stored webhook.
pub(super) struct WebhookRow {
    pub(super) path: String,
    pub(super) name: String,
    pub(super) url: String,
    pub(super) kinds: String,
    pub(super) game: String,
    pub(super) is_on: bool,
    pub(super) state: String,
    pub(super) changed: Moment,
    pub(super) generation: i32,
    pub(super) previous_until: Option<Moment>,
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

/// The faults of a webhook, beside its fields.
pub(super) fn faults_of_webhook(problem: &Problem) -> Option<Faults> {
    let message = match problem.code() {
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
        faults.add(field, fault_words::reason(&fault.reason));
    }
    if faults.is_empty() {
        faults.add("", message);
    }
    Some(faults)
}
