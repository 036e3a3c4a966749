//! The gallery of designs.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::catalogue::codes::Codes;
use crate::app::designs::gallery::{self, GalleryPage, GalleryRequest, require_cursor};
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::{Problem, both};
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::domain::designs::content::DesignNamePart;
use crate::domain::designs::gallery::GallerySort;
use crate::domain::designs::status::DesignStatus;
use crate::domain::text::AccountName;
use crate::http::extract::{ClientNetwork, LooseParams};
use crate::memory::rendered::{Freshness, Rendered};

/// Which designs of the gallery.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct GalleryQuery {
    /// Only designs of this game.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
    /// Only designs of this kind of card.
    #[param(value_type = Option<String>, example = "unit")]
    kind: Option<Code>,
    /// Only designs with this status. No design of the gallery is `draft` or `withdrawn`: with these the list is empty, and has a warning. `GET /v1/me/designs` lists your own.
    #[param(inline)]
    status: Option<DesignStatus>,
    /// Only designs of this author, by name.
    #[param(value_type = Option<String>, example = "ada")]
    author: Option<AccountName>,
    /// Only designs whose name contains this text of 1 to 120 characters; case, spaces and punctuation are ignored.
    #[param(value_type = Option<String>, example = "heron")]
    name: Option<DesignNamePart>,
    /// A query in the language of `/docs/search`, such as `t:fire rating>=4 by:ada`. Terms that cannot be used are listed in `warnings`.
    #[param(value_type = Option<String>, max_length = 1000, example = "t:earth rank:1")]
    q: Option<String>,
    /// The order; absent: `new`.
    #[serde(default)]
    #[param(inline, value_type = Option<GallerySort>)]
    sort: GallerySort,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

impl GalleryQuery {
    fn request(&self) -> GalleryRequest {
        GalleryRequest {
            codes: Codes::of_game(self.game.clone()),
            kind: self.kind.clone(),
            status: self.status,
            author: self.author.clone(),
            name: self.name.clone(),
            text: self.q.clone().unwrap_or_default(),
            sort: self.sort,
        }
    }
}

/// Lists the designs of the gallery, by default the last shared first.
#[utoipa::path(
    get, path = "/v1/designs", tag = "designs", params(GalleryQuery),
    responses((status = 200, body = GalleryPage), (status = 304, description = "Not changed."))
)]
pub async fn list_shared_designs(
    req: HttpRequest,
    state: web::Data<AppState>,
    network: ClientNetwork,
    query: LooseParams<GalleryQuery>,
) -> Result<HttpResponse, Problem> {
    let make = async {
        let check = async |query: &GalleryQuery| {
            both(require_cursor(query.cursor.as_ref()), query.request().check(&state).await)
        };
        let (query, ((), gallery)) = query.checked(check).await?;
        let listed =
            gallery::list(&state, network.0, gallery, query.cursor.as_ref(), query.limit).await?;
        let answer = Rendered::list(Freshness::Public(0), None, &listed)?;
        Ok(answer.with_link(listed.page.link(&req)))
    };
    state.gallery_pages.answer(&req, make).await
}
