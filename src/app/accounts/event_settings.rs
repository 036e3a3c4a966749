//! Which optional events the caller receives.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::word_lists::read_words;
use crate::app::words::words;
use crate::auth::permission::{ChangeOwnEventSettings, Granted, ReadOwnAccount};
use crate::domain::accounts::optional_events::OptionalEvent;
use crate::store::accounts::event_settings;

words! {
    OptionalEvent: "A kind of event that can be turned off.";
}

/// The kinds of events to turn off.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "muted": ["design.commented"] }))]
pub struct EventSettingsRequest {
    /// Kinds of events that you do not want to get from now on. Kinds that are not in the list are on.
    #[schema(value_type = Vec<OptionalEvent>, max_items = 11, example = json!(["design.commented"]))]
    pub muted: Vec<String>,
}

impl EventSettingsRequest {
    /// The kinds in order, without duplicates; or every fault.
    pub fn parse(&self) -> Result<Vec<OptionalEvent>, Problem> {
        let mut muted: Vec<OptionalEvent> =
            read_words("/muted", &self.muted).map_err(Problem::invalid)?;
        muted.sort_unstable();
        Ok(muted)
    }
}

/// The kinds of events that are turned off.
#[derive(Serialize, ToSchema)]
pub struct EventSettingsResponse {
    /// Kinds of events that you do not get.
    #[schema(example = json!(["design.commented"]))]
    pub muted: Vec<&'static str>,
}

impl EventSettingsResponse {
    fn new(muted: &[OptionalEvent]) -> Self {
        Self { muted: muted.iter().map(|event| event.as_str()).collect() }
    }
}

/// Finds which events the caller has muted.
pub async fn find(
    app: &AppState,
    by: &Granted<ReadOwnAccount>,
) -> Result<EventSettingsResponse, Problem> {
    let mut conn = app.store.connection().await?;
    Ok(EventSettingsResponse::new(&event_settings::muted(&mut conn, by).await?))
}

/// Replaces the list of muted events. Events that are already stored stay.
pub async fn replace(
    app: &AppState,
    by: &Granted<ChangeOwnEventSettings>,
    muted: &[OptionalEvent],
) -> Result<EventSettingsResponse, Problem> {
    app.write(by, async |conn, by| event_settings::mute(conn, by, muted).await).await?;
    tracing::info!(account = %by.account(), muted = muted.len(), "event settings changed");
    Ok(EventSettingsResponse::new(muted))
}
