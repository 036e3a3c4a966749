//! Releases: approved designs become cards.

use actix_web::http::header;
use actix_web::{HttpResponse, web};

use super::identifier;
use crate::api::catalogue::import::{ImportQuery, NO_STORE};
use crate::app::designs::design_releases::{
    self, DesignReleaseResponse, ReleaseDesignRequest, Released,
};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::WriteCatalogue;
use crate::http::extract::{Body, Caller, ClientNetwork, May, Params};

/// Releases an approved design as a card of a set.
///
/// The card is checked like a card of an import. Its printings are those of the design; its background text is the line of flavour or, without one, the lore. If
/// the cards of the set start hidden, the card is hidden: until it is unlocked, the design stays `approved`, and only moderators see which card it became. Then the
/// design becomes `official`, and design and card refer to each other. A design that others have seen enters such a set only with `was_public`. With the
/// `revision` that you have read, nothing is released if another one was approved since. The sentences are compared with the templates that the game has now; 503 `timed_out`: there was not
/// enough time for that; send the request again. Repeating the request returns the card that it created.
#[utoipa::path(
    post, path = "/v1/designs/{design}/release", tag = "designs", security(("bearer" = [])), request_body = ReleaseDesignRequest,
    params(("design" = String, Path, description = "Identifier of the design"), ImportQuery),
    responses(
        (status = 200, body = DesignReleaseResponse, description = "Dry run: the result that the request would have. Nothing was changed."),
        (status = 201, body = DesignReleaseResponse, headers(("Location" = String, description = "The card"))),
        (status = 409, description = "`design_step_refused`, `design_name_taken`, `author_banned`, `release_not_confirmed`; `design_not_releasable` with every fault, also if several \
            of these stand against the release: pointers lead into the card; `/set`, `/number` and `/was_public` are members of the request, a banned author is a fault of the whole, `/artwork` means that the artwork of the design was taken down, \
            and `/effects/0/text` that no template makes this sentence any more"),
        (status = 422, description = "`invalid_body`"),
    )
)]
pub async fn release_design(
    state: web::Data<AppState>,
    by: May<WriteCatalogue>,
    caller: Caller,
    network: ClientNetwork,
    design: web::Path<String>,
    query: Params<ImportQuery>,
    body: Body<ReleaseDesignRequest>,
) -> Result<HttpResponse, Problem> {
    let (code, reviewer) = (identifier(&design)?, caller.must()?);
    let (request, dry_run) = (&body.value, query.dry_run);
    let released =
        design_releases::release(&state, &by, &reviewer, network.0, code, request, dry_run).await?;
    Ok(match released {
        Released::Done(card, release) => {
            let card = format!("/v1/cards/{card}");
            let mut created = HttpResponse::Created();
            created.insert_header((header::LOCATION, card)).insert_header(NO_STORE).json(release)
        }
        Released::Rehearsed(release) => HttpResponse::Ok().insert_header(NO_STORE).json(release),
    })
}
