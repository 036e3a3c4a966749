//! Authors of designs, as everybody sees them.

use chrono::{DateTime, Utc};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::design_ratings::decimal;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::text::AccountName;
use crate::store::designs::authors::{self, AuthorRow};

/// An author of designs that everybody may see. Nothing here tells of others.
#[derive(Serialize, ToSchema)]
pub struct AuthorResponse {
    /// Id of the account.
    pub account_id: Uuid,
    /// The name.
    #[schema(example = "ada")]
    pub name: String,
    /// Designs in the gallery.
    #[schema(example = 14, minimum = 1)]
    pub designs: i64,
    /// Those of them that became cards of their games.
    #[schema(example = 2, minimum = 0)]
    pub official: i64,
    /// Comments about them that everybody sees.
    #[schema(example = 40, minimum = 0)]
    pub comment_count: i64,
    /// Ratings of them that count.
    #[schema(example = 96, minimum = 0)]
    pub rating_count: i64,
    /// Mean of these ratings, with two decimals. Absent without ratings.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 4.12, minimum = 1, maximum = 5)]
    pub mean_rating: Option<f64>,
    /// When the first of them was shared.
    pub first_shared_at: DateTime<Utc>,
    /// Where they are listed.
    #[schema(example = "/v1/designs?author=ada")]
    pub designs_url: String,
}

impl From<AuthorRow> for AuthorResponse {
    fn from(row: AuthorRow) -> Self {
        let name = utf8_percent_encode(&row.name, NON_ALPHANUMERIC);
        Self {
            designs_url: format!("/v1/designs?author={name}"),
            account_id: row.account_id.0,
            name: row.name,
            designs: row.designs,
            official: row.official,
            comment_count: row.comments,
            rating_count: row.ratings,
            mean_rating: row.rating.map(decimal),
            first_shared_at: row.first_shared_at,
        }
    }
}

/// Finds the author of that name: 404 when there is none with designs in the gallery.
pub async fn find(app: &AppState, name: &str) -> Result<AuthorResponse, Problem> {
    let Ok(name) = AccountName::parse(name) else { return Err(Problem::not_found()) };
    let mut conn = app.store.connection().await?;
    let found = authors::find(&mut conn, &name).await?;
    found.map(Into::into).ok_or_else(Problem::not_found)
}
