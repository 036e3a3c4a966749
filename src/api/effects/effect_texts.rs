//! Effect texts as their authors write them: templates, values of placeholders, phrase rules.

use actix_web::{HttpRequest, HttpResponse, web};

use crate::app::effects::effect_texts::{
    self, EffectPlaceholderResponse, EffectPlaceholderSummary, EffectTemplateResponse,
    PhraseRulesBody,
};
use crate::app::page::Page;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::http::extract::{PageQuery, Params};

/// Lists the templates of a game's effect texts, in order.
///
/// Every sentence is a template with a value in each of its places, finished by the phrase rules. 404 if the game has no effect texts.
#[utoipa::path(
    get, path = "/v1/games/{game}/effect-templates", tag = "effects",
    params(("game" = String, Path, description = "Code of the game", example = "ttcg"), PageQuery),
    responses(
        (status = 200, body = Page<EffectTemplateResponse>,
            headers(("ETag" = String, description = "Version of all effect texts of the game, for `If-Match`"))),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn list_effect_templates(
    req: HttpRequest,
    state: web::Data<AppState>,
    game: web::Path<Code>,
    query: Params<PageQuery>,
) -> Result<HttpResponse, Problem> {
    let found =
        effect_texts::list_templates(&state, &game, query.cursor.as_ref(), query.limit).await?;
    Ok(found.part.linked(&req, found.revision.answer_public(&req, &found.part)?))
}

/// Shows a template by its number.
#[utoipa::path(
    get, path = "/v1/games/{game}/effect-templates/{number}", tag = "effects",
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("number" = usize, Path, description = "Number in the list, from 1", example = 34),
    ),
    responses(
        (status = 200, body = EffectTemplateResponse,
            headers(("ETag" = String, description = "Version of all effect texts of the game, for `If-Match`"))),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn find_effect_template(
    req: HttpRequest,
    state: web::Data<AppState>,
    path: web::Path<(Code, usize)>,
) -> Result<HttpResponse, Problem> {
    let (game, number) = path.into_inner();
    let found = effect_texts::find_template(&state, &game, number).await?;
    found.revision.answer_public(&req, &found.part)
}

/// Lists the placeholders of a game's effect texts, by name.
#[utoipa::path(
    get, path = "/v1/games/{game}/effect-placeholders", tag = "effects",
    params(("game" = String, Path, description = "Code of the game", example = "ttcg"), PageQuery),
    responses(
        (status = 200, body = Page<EffectPlaceholderSummary>,
            headers(("ETag" = String, description = "Version of all effect texts of the game, for `If-Match`"))),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn list_effect_placeholders(
    req: HttpRequest,
    state: web::Data<AppState>,
    game: web::Path<Code>,
    query: Params<PageQuery>,
) -> Result<HttpResponse, Problem> {
    let found =
        effect_texts::list_placeholders(&state, &game, query.cursor.as_ref(), query.limit).await?;
    Ok(found.part.linked(&req, found.revision.answer_public(&req, &found.part)?))
}

/// Shows a placeholder with its values.
#[utoipa::path(
    get, path = "/v1/games/{game}/effect-placeholders/{name}", tag = "effects",
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("name" = String, Path, description = "Name of the placeholder", example = "fodder"),
    ),
    responses(
        (status = 200, body = EffectPlaceholderResponse,
            headers(("ETag" = String, description = "Version of all effect texts of the game, for `If-Match`"))),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn find_effect_placeholder(
    req: HttpRequest,
    state: web::Data<AppState>,
    path: web::Path<(Code, String)>,
) -> Result<HttpResponse, Problem> {
    let (game, name) = path.into_inner();
    let found = effect_texts::find_placeholder(&state, &game, name).await?;
    found.revision.answer_public(&req, &found.part)
}

/// Shows the phrase rules of a game's effect texts.
///
/// First, double spaces become single ones. Then a sentence that contains a phrase of `removals` is removed. In other sentences the replacements are
/// applied in order, and a plural after "one" becomes a singular (`one … cards`; also spells, creatures and targets). Last, white space at the ends
/// of the sentence is removed, and a sentence of which nothing is left is removed, too.
#[utoipa::path(
    get, path = "/v1/games/{game}/effect-phrase-rules", tag = "effects",
    params(("game" = String, Path, description = "Code of the game", example = "ttcg")),
    responses(
        (status = 200, body = PhraseRulesBody,
            headers(("ETag" = String, description = "Version of all effect texts of the game, for `If-Match`"))),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn find_phrase_rules(
    req: HttpRequest,
    state: web::Data<AppState>,
    game: web::Path<Code>,
) -> Result<HttpResponse, Problem> {
    let found = effect_texts::find_phrase_rules(&state, &game).await?;
    found.revision.answer_public(&req, &found.part)
}
