//! Edits of effect texts by admins.

use actix_web::http::header;
use actix_web::{HttpResponse, web};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::api::catalogue::import::{ImportQuery, NO_STORE};
use crate::app::effects::effect_changes::EffectEditResponse;
use crate::app::effects::effect_edits::{self, EditTarget, EditedTexts};
use crate::app::effects::effect_texts::PhraseRulesBody;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::versions::Versions;
use crate::auth::permission::WriteCatalogue;
use crate::domain::code::Code;
use crate::http::extract::{Body, May, Params};

/// Largest body with a list, in bytes: the 1 MiB of text that a game may have, with its quotes and escapes.
const MAX_LIST_BODY: usize = 2 * 1024 * 1024;

/// All templates of a game.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EffectTemplatesRequest {
    /// The templates, in order: 2,000 at most, each of 1 to 500 characters.
    #[schema(max_items = 2000, example = json!(["Draw <few> cards.", "Discard <fodder> to <deed>."]))]
    templates: Vec<String>,
}

/// One template.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EffectTemplateRequest {
    /// The sentence, with the names of placeholders in angle brackets.
    #[schema(min_length = 1, max_length = 500, example = "Discard <fodder> to <deed>.")]
    template: String,
}

/// A new template.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewEffectTemplateRequest {
    /// The sentence, with the names of placeholders in angle brackets.
    #[schema(min_length = 1, max_length = 500, example = "Discard <fodder> to <deed>.")]
    template: String,
    /// The number of the new template, from 1; the templates from this number on move up by one. Absent: it is added at the end.
    #[schema(minimum = 1, maximum = 2000, example = 34)]
    number: Option<usize>,
}

/// The values of a placeholder.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EffectValuesRequest {
    /// The values, in order: at least one, each of 1 to 300 characters. All placeholders of a game together have at most 20,000 values.
    #[schema(min_items = 1, max_items = 20000, example = json!(["one card", "one spell", "one <kind> card"]))]
    values: Vec<String>,
}

/// Replaces all templates of a game's effect texts.
///
/// The effect texts are checked as they would be after the edit. If they have faults, the edit is refused and the faults are listed: a pointer leads
/// into the body or, if the fault is elsewhere, into a document with the fields `templates`, `placeholders`, `removals` and `replacements`. The
/// answer shows how the sentences change; with `dry_run`, nothing is stored. For the first effect texts of a game, leave out `If-Match`.
#[utoipa::path(
    put, path = "/v1/games/{game}/effect-templates", tag = "effects", security(("bearer" = [])),
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("If-Match" = Option<String>, Header, description = "ETag of the effect texts; left out for the first ones", example = "\"r1\""),
        ImportQuery,
    ),
    request_body = EffectTemplatesRequest,
    responses(
        (status = 200, body = EffectEditResponse, headers(("ETag" = String, description = "The new version; absent in a dry run"))),
        (status = 412, description = "`precondition_failed`: they were changed since; nothing is overwritten."),
        (status = 422, description = "`invalid_edit`, `invalid_body`"),
        (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn replace_effect_templates(
    state: web::Data<AppState>,
    by: May<WriteCatalogue>,
    game: web::Path<Code>,
    query: Params<ImportQuery>,
    versions: Versions,
    body: Result<Body<EffectTemplatesRequest, MAX_LIST_BODY>, Problem>,
) -> Result<HttpResponse, Problem> {
    let templates = body?.value.templates;
    let target = EditTarget { game: &game, versions: &versions, dry_run: query.dry_run };
    let edited = effect_edits::replace_templates(&state, &by, &target, templates).await?;
    Ok(answer(&game, edited))
}

/// Adds a template, at the end or at a given number.
///
/// The templates from this number on move up by one. The same template may be stored twice; then each of its sentences is listed twice. For the first
/// effect texts of a game, leave out `If-Match`. All later edits need it, so a request that is sent twice does not add the template twice: the second
/// answer is 412.
#[utoipa::path(
    post, path = "/v1/games/{game}/effect-templates", tag = "effects", security(("bearer" = [])),
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("If-Match" = Option<String>, Header, description = "ETag of the effect texts; left out for the first ones", example = "\"r1\""),
        ImportQuery,
    ),
    request_body = NewEffectTemplateRequest,
    responses(
        (status = 200, description = "A dry run: nothing was added.", body = EffectEditResponse),
        (status = 201, description = "Added.", body = EffectEditResponse, headers(
            ("Location" = String, description = "The template"),
            ("ETag" = String, description = "The new version of all effect texts"),
        )),
        (status = 412, description = "`precondition_failed`: they were changed since; nothing is added."),
        (status = 422, description = "`invalid_edit`, `invalid_body`"),
        (status = 428, description = "`precondition_required`, also for `If-Match: *`"),
    )
)]
pub async fn create_effect_template(
    state: web::Data<AppState>,
    by: May<WriteCatalogue>,
    game: web::Path<Code>,
    query: Params<ImportQuery>,
    versions: Versions,
    body: Result<Body<NewEffectTemplateRequest>, Problem>,
) -> Result<HttpResponse, Problem> {
    let NewEffectTemplateRequest { template, number } = body?.value;
    let target = EditTarget { game: &game, versions: &versions, dry_run: query.dry_run };
    let edited = effect_edits::create_template(&state, &by, &target, template, number).await?;
    Ok(answer(&game, edited))
}

/// Replaces one template.
#[utoipa::path(
    put, path = "/v1/games/{game}/effect-templates/{number}", tag = "effects", security(("bearer" = [])),
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("number" = usize, Path, description = "Number in the list, from 1", example = 34),
        ("If-Match" = String, Header, description = "ETag of the effect texts", example = "\"r1\""),
        ImportQuery,
    ),
    request_body = EffectTemplateRequest,
    responses(
        (status = 200, body = EffectEditResponse, headers(("ETag" = String, description = "The new version; absent in a dry run"))),
        (status = 412, description = "`precondition_failed`: they were changed since; nothing is overwritten."),
        (status = 422, description = "`invalid_edit`, `invalid_body`"),
        (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn replace_effect_template(
    state: web::Data<AppState>,
    by: May<WriteCatalogue>,
    path: web::Path<(Code, usize)>,
    query: Params<ImportQuery>,
    versions: Versions,
    body: Result<Body<EffectTemplateRequest>, Problem>,
) -> Result<HttpResponse, Problem> {
    let (game, number) = path.into_inner();
    let template = body?.value.template;
    let target = EditTarget { game: &game, versions: &versions, dry_run: query.dry_run };
    let edited = effect_edits::replace_template(&state, &by, &target, number, template).await?;
    Ok(answer(&game, edited))
}

/// Deletes a template. The templates after it move down by one.
#[utoipa::path(
    delete, path = "/v1/games/{game}/effect-templates/{number}", tag = "effects", security(("bearer" = [])),
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("number" = usize, Path, description = "Number in the list, from 1", example = 34),
        ("If-Match" = String, Header, description = "ETag of the effect texts", example = "\"r1\""),
        ImportQuery,
    ),
    responses(
        (status = 200, body = EffectEditResponse, headers(("ETag" = String, description = "The new version; absent in a dry run"))),
        (status = 412, description = "`precondition_failed`: they were changed since; nothing is deleted."),
        (status = 428, description = "`precondition_required`, also for `If-Match: *`"),
    )
)]
pub async fn delete_effect_template(
    state: web::Data<AppState>,
    by: May<WriteCatalogue>,
    path: web::Path<(Code, usize)>,
    query: Params<ImportQuery>,
    versions: Versions,
) -> Result<HttpResponse, Problem> {
    let (game, number) = path.into_inner();
    let target = EditTarget { game: &game, versions: &versions, dry_run: query.dry_run };
    let edited = effect_edits::delete_template(&state, &by, &target, number).await?;
    Ok(answer(&game, edited))
}

/// Sets the values of a placeholder, which is created if it does not exist.
///
/// A name consists of 1 to 64 letters, digits and `_`. Values may contain placeholders, but must not refer back to this placeholder, directly or
/// through others.
#[utoipa::path(
    put, path = "/v1/games/{game}/effect-placeholders/{name}", tag = "effects", security(("bearer" = [])),
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("name" = String, Path, description = "Name of the placeholder", example = "fodder"),
        ("If-Match" = Option<String>, Header, description = "ETag of the effect texts; left out for the first ones", example = "\"r1\""),
        ImportQuery,
    ),
    request_body = EffectValuesRequest,
    responses(
        (status = 200, body = EffectEditResponse, headers(("ETag" = String, description = "The new version; absent in a dry run"))),
        (status = 412, description = "`precondition_failed`: they were changed since; nothing is overwritten."),
        (status = 422, description = "`invalid_edit`, `invalid_body`"),
        (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn replace_effect_placeholder(
    state: web::Data<AppState>,
    by: May<WriteCatalogue>,
    path: web::Path<(Code, String)>,
    query: Params<ImportQuery>,
    versions: Versions,
    body: Result<Body<EffectValuesRequest, MAX_LIST_BODY>, Problem>,
) -> Result<HttpResponse, Problem> {
    let (game, name) = path.into_inner();
    let values = body?.value.values;
    let target = EditTarget { game: &game, versions: &versions, dry_run: query.dry_run };
    let edited = effect_edits::replace_placeholder(&state, &by, &target, name, values).await?;
    Ok(answer(&game, edited))
}

/// Deletes a placeholder that no template or value uses.
#[utoipa::path(
    delete, path = "/v1/games/{game}/effect-placeholders/{name}", tag = "effects", security(("bearer" = [])),
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("name" = String, Path, description = "Name of the placeholder", example = "fodder"),
        ("If-Match" = String, Header, description = "ETag of the effect texts", example = "\"r1\""),
        ImportQuery,
    ),
    responses(
        (status = 200, body = EffectEditResponse, headers(("ETag" = String, description = "The new version; absent in a dry run"))),
        (status = 412, description = "`precondition_failed`: they were changed since; nothing is deleted."),
        (status = 422, description = "`invalid_edit`: a template or value uses it."),
        (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn delete_effect_placeholder(
    state: web::Data<AppState>,
    by: May<WriteCatalogue>,
    path: web::Path<(Code, String)>,
    query: Params<ImportQuery>,
    versions: Versions,
) -> Result<HttpResponse, Problem> {
    let (game, name) = path.into_inner();
    let target = EditTarget { game: &game, versions: &versions, dry_run: query.dry_run };
    let edited = effect_edits::delete_placeholder(&state, &by, &target, &name).await?;
    Ok(answer(&game, edited))
}

/// Replaces the phrase rules of a game's effect texts.
#[utoipa::path(
    put, path = "/v1/games/{game}/effect-phrase-rules", tag = "effects", security(("bearer" = [])),
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("If-Match" = Option<String>, Header, description = "ETag of the effect texts; left out for the first ones", example = "\"r1\""),
        ImportQuery,
    ),
    request_body = PhraseRulesBody,
    responses(
        (status = 200, body = EffectEditResponse, headers(("ETag" = String, description = "The new version; absent in a dry run"))),
        (status = 412, description = "`precondition_failed`: they were changed since; nothing is overwritten."),
        (status = 422, description = "`invalid_edit`, `invalid_body`"),
        (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn replace_phrase_rules(
    state: web::Data<AppState>,
    by: May<WriteCatalogue>,
    game: web::Path<Code>,
    query: Params<ImportQuery>,
    versions: Versions,
    body: Result<Body<PhraseRulesBody, MAX_LIST_BODY>, Problem>,
) -> Result<HttpResponse, Problem> {
    let rules = body?.value;
    let target = EditTarget { game: &game, versions: &versions, dry_run: query.dry_run };
    let edited = effect_edits::replace_phrase_rules(&state, &by, &target, rules).await?;
    Ok(answer(&game, edited))
}

/// The response; 201 with the location of a new part. It must not be cached.
fn answer(game: &Code, edited: EditedTexts) -> HttpResponse {
    let mut response = match edited.added {
        Some(number) => {
            let place = format!("/v1/games/{game}/effect-templates/{number}");
            let mut created = HttpResponse::Created();
            created.insert_header((header::LOCATION, place));
            created
        }
        None => HttpResponse::Ok(),
    };
    if let Some(revision) = edited.revision {
        response.insert_header(revision.header());
    }
    response.insert_header(NO_STORE).json(edited.answer)
}
