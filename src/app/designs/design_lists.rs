//! Lists of designs: the own ones, and the gallery of those that everybody may see.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::design_bodies::{ImageUris, image_uris};
use crate::app::catalogue::card_query::too_slow;
use crate::app::catalogue::codes::Codes;
use crate::app::page::{CursorTime, Page, PageLimit, paged};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnDesigns};
use crate::domain::code::Code;
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::status::DesignStatus;
use crate::domain::ids::DesignId;
use crate::domain::network::Network;
use crate::domain::text::{AccountName, NamePart};
use crate::store::designs::design_lists::{self, GalleryFilter, ListedDesign, OwnFilter};

/// A design in a list.
#[derive(Serialize, ToSchema)]
pub struct DesignSummaryResponse {
    /// Its identifier.
    #[schema(example = "D-7KQ2X0FM9F")]
    pub id: String,
    /// Code of its game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Name of the card; empty as long as the author has none.
    #[schema(example = "Lantern Heron")]
    pub name: String,
    /// Code of the kind of card.
    #[schema(example = "unit")]
    pub kind: String,
    /// Its author.
    pub account_id: Uuid,
    /// The author's name.
    #[schema(example = "ada")]
    pub author: String,
    /// How far it is: `draft`, `shared`, `submitted`, `in_review`, `approved`, `declined`, `withdrawn` or `official`.
    #[schema(example = "shared")]
    pub status: &'static str,
    /// Number of its newest revision.
    #[schema(example = 3, minimum = 1)]
    pub revision: i64,
    /// Its pictures.
    pub image_uris: ImageUris,
    /// When it was begun.
    pub created_at: DateTime<Utc>,
    /// When it was shared first; absent: it never was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_at: Option<DateTime<Utc>>,
}

impl From<ListedDesign> for DesignSummaryResponse {
    fn from(ListedDesign { design, name, kind, artwork }: ListedDesign) -> Self {
        let id = design.code.to_string();
        Self {
            image_uris: image_uris(&id, artwork),
            id,
            game: design.game_code,
            name,
            kind,
            account_id: design.account_id.0,
            author: design.author,
            status: design.status.as_str(),
            revision: design.revision,
            created_at: design.created_at,
            shared_at: design.shared_at,
        }
    }
}

/// Lists the own designs, of one game and one status where these are named; the newest first.
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

/// Where a page of the gallery begins: when the last design of the page before was shared, and its identifier.
pub type GalleryKey = (CursorTime, DesignCode);

/// Which designs of the gallery.
#[derive(Clone, Debug, Default)]
pub struct Gallery {
    /// Codes that are known: of a game.
    pub codes: Codes,
    /// Code of a kind.
    pub kind: Option<Code>,
    /// How far they are.
    pub status: Option<DesignStatus>,
    /// Whose they are.
    pub author: Option<AccountName>,
    /// What stands in their names.
    pub name: Option<NamePart>,
}

/// Lists the designs that are shared; those that were shared last come first.
pub async fn list_shared(
    app: &AppState,
    network: Network,
    gallery: &Gallery,
    before: Option<GalleryKey>,
    limit: PageLimit,
) -> Result<Page<DesignSummaryResponse>, Problem> {
    let kind = gallery.kind.as_ref().map(Code::lower_case);
    let filter = GalleryFilter {
        game: gallery.codes.game.as_deref(),
        kind: kind.as_deref(),
        status: gallery.status,
        author: gallery.author.as_ref().map(AccountName::key),
        name: gallery.name.as_ref(),
        before: before.map(|(CursorTime(at), code)| (at, code)),
    };
    // A part of a name that is in few names, or has fewer than three letters, may make the database read many designs.
    let rows = if filter.name.is_some() {
        let mut conn = app.searches.connection(network).await?;
        design_lists::list_shared(&mut conn, &filter, limit.rows()).await.map_err(too_slow)?
    } else {
        let mut conn = app.store.connection().await?;
        design_lists::list_shared(&mut conn, &filter, limit.rows()).await?
    };
    let key = |row: &ListedDesign| {
        (CursorTime(row.design.shared_at.unwrap_or_default()), row.design.code)
    };
    Ok(paged(rows, limit, key, Into::into))
}
