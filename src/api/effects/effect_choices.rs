//! Filling a template step by step.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::effects::effect_choices::{self, EffectStepResponse, Picks};
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::http::extract::{Params, linked};

/// Which step of filling a template.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ChoicesQuery {
    /// The index of the chosen value for each place so far, from 0, separated by commas: `0,3,1`. At most 1,000. Empty or absent: nothing is chosen
    /// yet. The places of a chosen value come before the next place of the template; a place that is written twice in the same way is chosen once.
    #[serde(default)]
    #[param(value_type = Option<String>, example = "0")]
    picks: Picks,
    /// Choices on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Shows a template after some picks: the text so far, and the choices for its next place.
///
/// An editor can lead through a template: it sends a request without `picks`, lets the user choose one of `data`, adds its `index` to `picks`, and
/// sends the next request, until there is no `next`. Then the answer has the finished `sentence`, or `removed` is true if the phrase rules remove it.
/// Picks keep their meaning as long as the `ETag`, which is that of all effect texts, is the same; a cursor from before a change is refused
/// (`invalid_cursor`).
#[utoipa::path(
    get, path = "/v1/games/{game}/effect-templates/{number}/choices", tag = "effects",
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("number" = usize, Path, description = "Number of the template in the list, from 1", example = 34),
        ChoicesQuery,
    ),
    responses(
        (status = 200, body = EffectStepResponse,
            headers(("ETag" = String, description = "Version of all effect texts of the game"))),
        (status = 304, description = "Not changed."),
        (status = 400, description = "`invalid_query`: a pick is not one of the choices, or there are too many picks; `column` is where the first wrong pick begins. `invalid_cursor`"),
    )
)]
pub async fn find_effect_choices(
    req: HttpRequest,
    state: web::Data<AppState>,
    path: web::Path<(Code, usize)>,
    query: Params<ChoicesQuery>,
) -> Result<HttpResponse, Problem> {
    let (game, number) = path.into_inner();
    let (picks, cursor) = (query.picks.clone(), query.cursor.as_ref());
    let found = effect_choices::find(&state, &game, number, picks, cursor, query.limit).await?;
    let answer = found.revision.answer_public(&req, &found.part)?;
    Ok(linked(&req, found.part.next_cursor.as_deref(), answer))
}
