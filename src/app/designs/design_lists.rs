//! Lists of the caller's designs.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::design_ratings::decimal;
use crate::app::catalogue::codes::Codes;
use crate::app::catalogue::image_uris::ImageUris;
use crate::app::page::{Page, PageLimit, paged};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnDesigns};
use crate::domain::designs::status::DesignStatus;
use crate::domain::ids::DesignId;
use crate::store::designs::design_lists::{self, ListedDesign, OwnFilter};

/// A design in a list.
#[derive(Serialize, ToSchema)]
pub struct DesignSummaryResponse {
    /// Identifier of the design.
    #[schema(example = "D-7KQ2X0FM9F")]
    pub id: String,
    /// Code of its game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Name of the card; empty if the author has not named it yet.
    #[schema(example = "Lantern Heron")]
    pub name: String,
    /// Code of the kind of card.
    #[schema(example = "unit")]
    pub kind: String,
    /// Id of the author's account.
    pub account_id: Uuid,
    /// The author's name.
    #[schema(example = "ada")]
    pub author: String,
    /// Status: `draft`, `shared`, `submitted`, `in_review`, `approved`, `declined`, `withdrawn` or `official`.
    #[schema(example = "shared")]
    pub status: &'static str,
    /// Number of its newest revision.
    #[schema(example = 3, minimum = 1)]
    pub revision: i64,
    /// Its pictures.
    pub image_uris: ImageUris,
    /// Number of comments that everybody sees.
    #[schema(example = 4, minimum = 0)]
    pub comment_count: i64,
    /// Number of ratings that count.
    #[schema(example = 12, minimum = 0)]
    pub rating_count: i64,
    /// Rating of the design, 1.00 to 5.00: the mean of all points, as if five more players had given three points for everything.
    #[schema(example = 3.77, minimum = 1, maximum = 5)]
    pub rating: f64,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was first shared; absent: it never was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_at: Option<DateTime<Utc>>,
}

impl From<ListedDesign> for DesignSummaryResponse {
    fn from(ListedDesign { design, name, kind, artwork }: ListedDesign) -> Self {
        let id = design.code.to_string();
        Self {
            image_uris: ImageUris::of_design(&id, artwork),
            id,
            game: design.game_code,
            name,
            kind,
            account_id: design.account_id.0,
            author: design.author,
            status: design.status.as_str(),
            revision: design.revision,
            comment_count: design.comment_count,
            rating_count: design.rating_count,
            rating: decimal(design.rating.into()),
            created_at: design.created_at,
            shared_at: design.shared_at,
        }
    }
}

/// Lists the caller's designs, the newest first; with filters, only those of one game or status.
pub async fn list_own(
    app: &AppState,
    by: &Granted<ReadOwnDesigns>,
    codes: &Codes,
    status: Option<DesignStatus>,
    before: Option<DesignId>,
    limit: PageLimit,
) -> Result<Page<DesignSummaryResponse>, Problem> {
    let mut conn = app.store.connection().await?;
    let filter = OwnFilter { game: codes.game.as_deref(), status, before };
    let rows = design_lists::list_own(&mut conn, by, &filter, limit.rows()).await?;
    Ok(paged(rows, limit, |row| row.design.id, Into::into))
}
