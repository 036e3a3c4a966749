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
    /// The index of the choice for each place so far, from 0, with commas between them: `0,3,1`. Empty or absent: nothing is chosen yet. The places of a chosen
    /// value come before the next place of the template; a place that is written twice in the same way is asked for once. 1,000 at most.
    #[serde(default)]
    #[param(value_type = Option<String>, example = "0")]
    picks: Picks,
    /// Choices on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the page before.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Shows how a template goes on after some picks: the text so far, and the choices for its next place.
///
/// So an editor leads through a template: it asks without `picks`, lets people choose one of `data`, adds its `index` to `picks`, and asks again, until there is
/// no `next`: then the finished `sentence` is told, or `removed` says that the phrase rules leave it out. Picks mean the same as long as the `ETag`, which is that of
/// all effect texts, is the same; a cursor from before a change is refused (`invalid_cursor`).
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
        (status = 400, description = "`invalid_query`: a pick is none of the choices, or one too many; its `column` says which. `invalid_cursor`"),
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
