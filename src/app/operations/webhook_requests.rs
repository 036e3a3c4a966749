//! Requests about webhooks, and the checks of their values.

use std::collections::BTreeSet;

use serde::Deserialize;
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::webhooks::WebhookResponse;
use crate::app::fault_reason::FaultReason;
use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;
use crate::app::word_lists::read_words;
use crate::app::words::{Word, word_schema};
use crate::domain::operations::webhook::EVENT_KINDS;
use crate::domain::operations::webhook_target::{Target, origin_of};
use crate::domain::text::{self, TextError};
use crate::store::operations::webhooks::WebhookContent;

/// Longest description, in characters.
const MAX_DESCRIPTION: usize = 200;

#[derive(PartialEq)]
struct EventKind(&'static str);

impl Word for EventKind {
    fn words() -> Vec<(&'static str, Self)> {
        EVENT_KINDS.into_iter().map(|kind| (kind, Self(kind))).collect()
    }
}

impl PartialSchema for EventKind {
    fn schema() -> RefOr<Schema> {
        word_schema("A kind of event, as in `/v1/changes`.", EVENT_KINDS)
    }
}

impl ToSchema for EventKind {}

/// The values of a webhook.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WebhookRequest {
    /// URL that events are posted to: `https` on the public internet; also `http` in networks that the operator allows (`--webhook-networks`). It has
    /// no user name, no password and no `#`.
    #[schema(
        pattern = "^[Hh][Tt][Tt][Pp][Ss]?:",
        min_length = 1,
        max_length = 2000,
        example = "https://hooks.example/cardscape"
    )]
    pub url: String,
    /// The kinds of events to post, at least one.
    #[schema(value_type = Vec<EventKind>, min_items = 1, max_items = 15, example = json!(["card.unlocked", "set.changed"]))]
    pub kinds: Vec<String>,
    /// Post only events of this game. If it is absent, events of all games are posted.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 64, example = "ttcg")]
    pub game: Option<String>,
    /// A description for admins: at most 200 characters.
    #[serde(default)]
    #[schema(max_length = 200, example = "Mirror in the shop")]
    pub description: String,
    /// Whether events are posted.
    #[serde(default = "yes")]
    #[schema(default = true, example = true)]
    pub enabled: bool,
}

fn yes() -> bool {
    true
}

/// A request whose values were checked.
pub(super) struct CheckedWebhook {
    target: Target,
    kinds: Vec<&'static str>,
    game: Option<String>,
    description: String,
    pub(super) origin: String,
    pub(super) enabled: bool,
}

impl WebhookRequest {
    /// The description, checked.
    pub(crate) fn description(&self) -> Result<String, TextError> {
        text::line(&self.description, 0, MAX_DESCRIPTION).and_then(text::without_serial)
    }

    /// Checks every value, and reports all faults together.
    pub(super) async fn check(self, app: &AppState) -> Result<CheckedWebhook, Problem> {
        let mut faults = Vec::new();
        let target = Target::parse(&self.url, &app.settings.webhook_networks)
            .map_err(|error| faults.push(InputFault::at("/url", error)));
        let kinds =
            read_words::<EventKind>("/kinds", &self.kinds).map_err(|found| faults.extend(found));
        if self.kinds.is_empty() {
            faults.push(InputFault::at("/kinds", FaultReason::NoEvent));
        }
        let description =
            self.description().map_err(|error| faults.push(InputFault::at("/description", error)));
        if let Some(game) = &self.game
            && let Err(fault) = app.named_game(game).await?
        {
            faults.push(InputFault::at("/game", fault));
        }
        match (target, kinds, description) {
            (Ok(target), Ok(kinds), Ok(description)) if faults.is_empty() => Ok(CheckedWebhook {
                origin: origin_of(target.as_str()),
                target,
                kinds: kinds.into_iter().map(|EventKind(kind)| kind).collect(),
                game: self.game,
                description,
                enabled: self.enabled,
            }),
            _ => Err(Problem::invalid(faults)),
        }
    }
}

impl CheckedWebhook {
    /// Whether a webhook has these values already. The order of the kinds does not matter.
    pub(super) fn is_same_as(&self, stored: &WebhookResponse) -> bool {
        let kinds: BTreeSet<&str> = self.kinds.iter().copied().collect();
        let stored_kinds: BTreeSet<&str> = stored.kinds.iter().map(String::as_str).collect();
        self.target.as_str() == stored.url
            && self.description == stored.description
            && kinds == stored_kinds
            && self.game == stored.game
            && self.enabled == stored.enabled
    }

    pub(super) fn content(&self) -> WebhookContent<'_> {
        WebhookContent {
            url: self.target.as_str(),
            origin: &self.origin,
            description: &self.description,
            kinds: &self.kinds,
            game: self.game.as_deref(),
            enabled: self.enabled,
        }
    }
}
