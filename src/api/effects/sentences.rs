//! The sentences that the templates of a game make, and the templates that make a given sentence.

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::app::effects::matches::{self, MatchedSentencesResponse};
use crate::app::effects::sentences::{
    self, DrawCount, DrawnEffectsResponse, EffectSeed, EffectSentenceResponse,
    ExpandedTemplateResponse, SentenceFilter,
};
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::domain::text;
use crate::http::extract::{
    AnswerForm, Body, Judge, JudgedBody, Params, cacheable, cacheable_text,
};
use crate::memory::rendered::Freshness;

/// Changes by admins must show at once.
const FRESHNESS: Freshness = Freshness::Public(0);
/// Most sentences of one request.
const MAX_SENTENCES: usize = 100;
/// Longest sentence that is matched, in characters.
const MAX_SENTENCE: usize = 500;

/// Which sentences.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EffectsQuery {
    /// Only sentences of the template with this number, from 1.
    #[param(value_type = Option<usize>, minimum = 1, example = 34)]
    template: Option<usize>,
    /// Only sentences that contain this text; case is ignored.
    #[param(value_type = Option<String>, min_length = 1, max_length = 100, example = "draw one card")]
    q: Option<String>,
    /// Sentences on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists the finished sentences that the templates produce, in the order of templates and values.
///
/// A sentence that several combinations produce is listed once for each of them. A page examines at most 20,000 combinations, so with `q` it may have
/// fewer than `limit` sentences or none; there are more as long as it has a `next_cursor`. When the effect texts change, older cursors are refused
/// (`invalid_cursor`). With `Accept: text/plain`, the answer has one sentence a line.
#[utoipa::path(
    get, path = "/v1/games/{game}/effects", tag = "effects",
    params(("game" = String, Path, description = "Code of the game", example = "ttcg"), EffectsQuery),
    responses(
        (status = 200, content((Page<EffectSentenceResponse> = "application/json"), (String = "text/plain"))),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn list_effects(
    req: HttpRequest,
    state: web::Data<AppState>,
    game: web::Path<Code>,
    form: AnswerForm,
    query: Params<EffectsQuery>,
) -> Result<HttpResponse, Problem> {
    let filter = SentenceFilter { template: query.template, text: query.q.as_deref() };
    let page = sentences::list(&state, &game, filter, query.cursor.as_ref(), query.limit).await?;
    let answer = match form {
        AnswerForm::Json => cacheable(&req, FRESHNESS, None, &page)?,
        AnswerForm::Text => cacheable_text(&req, FRESHNESS, None, lines(&page.data)),
    };
    Ok(form.vary_by_accept(page.linked(&req, answer)))
}

/// One sentence per line.
fn lines(effects: &[EffectSentenceResponse]) -> String {
    effects.iter().map(|effect| format!("{}\n", effect.text)).collect()
}

/// What to draw.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DrawEffectsQuery {
    /// Number of sentences to draw: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 1, example = 5)]
    count: DrawCount,
    /// Seed of the draw: 0 to 9007199254740991. The same seed draws the same sentences as long as the effect texts do not change. If absent, the seed
    /// is random.
    #[param(value_type = Option<u64>, minimum = 0, maximum = 9_007_199_254_740_991_u64, example = 7)]
    seed: Option<EffectSeed>,
    /// Only sentences of the template with this number, from 1.
    #[param(value_type = Option<usize>, minimum = 1)]
    template: Option<usize>,
}

/// Draws random sentences.
///
/// Each combination that the phrase rules do not remove has the same probability, so a template with many combinations is drawn more often. No
/// combination is drawn twice. The random numbers are those of SplitMix64, which `/docs/effects` describes. Without a `seed`, caches do not store the
/// answer. With `Accept: text/plain`, the answer has one sentence a line.
#[utoipa::path(
    get, path = "/v1/games/{game}/effects/random", tag = "effects",
    params(("game" = String, Path, description = "Code of the game", example = "ttcg"), DrawEffectsQuery),
    responses(
        (status = 200, content((DrawnEffectsResponse = "application/json"), (String = "text/plain")),
            headers(("ETag" = String, description = "Version of the answer, for `If-None-Match`; absent without `seed`"))),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn draw_effects(
    req: HttpRequest,
    state: web::Data<AppState>,
    game: web::Path<Code>,
    form: AnswerForm,
    query: Params<DrawEffectsQuery>,
) -> Result<HttpResponse, Problem> {
    let drawn = sentences::draw(&state, &game, query.template, query.count, query.seed).await?;
    let mut answer = match form {
        AnswerForm::Json => cacheable(&req, FRESHNESS, None, &drawn)?,
        AnswerForm::Text => cacheable_text(&req, FRESHNESS, None, lines(&drawn.data)),
    };
    if query.seed.is_none() {
        answer.headers_mut().remove(header::ETAG);
        answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    Ok(form.vary_by_accept(answer))
}

/// Sentences whose templates are to be found.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MatchEffectsRequest {
    /// 1 to 100 sentences of 1 to 500 characters, as they are written on a card.
    #[schema(min_items = 1, max_items = 100, example = json!(["Discard one Fire card to draw one card."]))]
    sentences: Vec<String>,
}

impl Judge for MatchEffectsRequest {
    fn judge(&self) -> Result<(), Problem> {
        self.parse().map(drop)
    }
}

impl MatchEffectsRequest {
    fn parse(&self) -> Result<Vec<String>, Problem> {
        let count = self.sentences.len();
        if !(1..=MAX_SENTENCES).contains(&count) {
            let detail = format!("must be 1 to {MAX_SENTENCES} sentences, not {count}");
            return Err(Problem::invalid(vec![InputFault::at("/sentences", detail)]));
        }
        let mut faults = Vec::new();
        let read = |(at, sentence): (usize, &String)| {
            let read = text::line(sentence, 1, MAX_SENTENCE);
            let pointer = format!("/sentences/{at}");
            read.map_err(|error| faults.push(InputFault::at(pointer, error))).ok()
        };
        let sentences = self.sentences.iter().enumerate().filter_map(read).collect();
        if faults.is_empty() { Ok(sentences) } else { Err(Problem::invalid(faults)) }
    }
}

/// Finds the templates and values that produce these sentences.
///
/// This helps to check and sort card designs. Removals, replacements and the plural after "one" are taken into account: a sentence matches if it is
/// exactly a finished sentence of the game. Templates are public, so a match reveals nothing about any card.
#[utoipa::path(
    post, path = "/v1/games/{game}/effects/match", tag = "effects",
    params(("game" = String, Path, description = "Code of the game", example = "ttcg")),
    request_body = MatchEffectsRequest,
    responses((status = 200, body = MatchedSentencesResponse))
)]
pub async fn match_effects(
    state: web::Data<AppState>,
    game: web::Path<Code>,
    JudgedBody(body): JudgedBody<MatchEffectsRequest>,
) -> Result<HttpResponse, Problem> {
    let sentences = body.value.parse()?;
    let answer = matches::find(&state, &game, sentences).await?;
    Ok(HttpResponse::Ok().insert_header((header::CACHE_CONTROL, "no-store")).json(answer))
}

/// A template to try.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpandTemplateRequest {
    /// The template: 1 to 500 characters, with at most 20 different placeholders, which the game must have.
    #[schema(min_length = 1, max_length = 500, example = "Discard <fodder> to <deed>.")]
    template: String,
    /// Maximum number of sentences in the answer: 1 to 200.
    #[serde(default)]
    #[schema(value_type = u16, minimum = 1, maximum = 200, default = 50, example = 5)]
    limit: PageLimit,
}

/// Shows what a template would produce with the placeholders and phrase rules of a game. Nothing is stored.
///
/// A template is refused if the game does not have one of its placeholders, or if it would produce more than 9,007,199,254,740,991 combinations or
/// sentences of more than 4,096 bytes.
#[utoipa::path(
    post, path = "/v1/games/{game}/effects/expand", tag = "effects",
    params(("game" = String, Path, description = "Code of the game", example = "ttcg")),
    request_body = ExpandTemplateRequest,
    responses((status = 200, body = ExpandedTemplateResponse), (status = 422, description = "`invalid_body`; `column` is the place of the fault in the template, if it has one."))
)]
pub async fn expand_template(
    state: web::Data<AppState>,
    game: web::Path<Code>,
    body: Body<ExpandTemplateRequest>,
) -> Result<HttpResponse, Problem> {
    let ExpandTemplateRequest { template, limit } = body.value;
    let answer = sentences::expand(&state, &game, template, limit).await?;
    Ok(HttpResponse::Ok().insert_header((header::CACHE_CONTROL, "no-store")).json(answer))
}
