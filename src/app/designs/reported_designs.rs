//! Designs as others could read them when they were reported.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::design_bodies::DesignContentResponse;
use super::design_revisions::{DifferenceResponse, differences_of};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::store::designs::reported_designs::ReportedRevision;

/// A design as others could read it when it was reported.
#[derive(Serialize, ToSchema)]
pub struct ReportedDesignResponse {
    /// Code of the game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Number of the revision that others read then.
    #[schema(example = 2, minimum = 1)]
    pub revision: i64,
    /// Content of that revision.
    #[serde(flatten)]
    pub content: DesignContentResponse,
    /// When that revision was written.
    pub revised_at: DateTime<Utc>,
    /// Members that others read differently now: `before` is the value that was reported, `after` the value now; absent: none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed_since: Vec<DifferenceResponse>,
}

impl ReportedDesignResponse {
    /// Describes a reported revision.
    pub(super) async fn new(app: &AppState, reported: ReportedRevision) -> Result<Self, Problem> {
        let ReportedRevision { game_code, number, created_at, content, content_now } = reported;
        let game = app.named_game(&game_code).await?.map_err(Problem::internal)?;
        let changed_since = match &content_now {
            Some(now) => differences_of(&content, now)?,
            None => Vec::new(),
        };
        Ok(Self {
            game: game_code,
            revision: number,
            content: DesignContentResponse::new(&game.game, content),
            revised_at: created_at,
            changed_since,
        })
    }
}
