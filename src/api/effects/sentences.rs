//! Effects: the sentences that a game's templates make, and the way back from a sentence to its template.

use std::time::{Duration, Instant};

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use cardscape_engine::effect_text::{Binding, Match};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::effect_edits::faults_at;
use super::effect_texts::loaded;
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::domain::draw::Draw;
use crate::domain::effects::effect_texts::{
    EffectLibrary, MAX_COMBINATIONS, RenderedSentence, Wanted,
};
use crate::domain::text;
use crate::http::extract::{
    AnswerForm, Body, Judge, JudgedBody, Params, cacheable, cacheable_text,
};
use crate::memory::rendered::Freshness;

/// What an admin changes shows at once.
const FRESH: Freshness = Freshness::Public(0);
/// Longest text to look for in sentences, in characters.
const MAX_QUERY: usize = 100;
/// Most sentences of one request.
const MAX_SENTENCES: usize = 100;
/// Most sentences of one request that are held against everything for what is like them.
const MAX_SUGGESTED: usize = 10;
/// Longest sentence that is matched, in characters.
const MAX_SENTENCE: usize = 500;
/// How long a request looks for templates and for sentences that are alike.
const PATIENCE: Duration = Duration::from_secs(4);

/// A place of a template or of a value, and what stands in it.
#[derive(Serialize, ToSchema)]
pub struct EffectBindingResponse {
    /// The place, as it is written.
    #[schema(example = "<fodder>")]
    pub placeholder: String,
    /// What stands there, before the phrase rules.
    #[schema(example = "one Fire card")]
    pub value: String,
    /// What stands in the places of the value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(no_recursion, example = json!([{ "placeholder": "<kind>", "value": "Fire", "within": [{ "placeholder": "<type>", "value": "Fire" }] }]))]
    pub within: Vec<EffectBindingResponse>,
}

impl From<Binding> for EffectBindingResponse {
    fn from(binding: Binding) -> Self {
        let Binding { placeholder, value, within } = binding;
        Self { placeholder, value, within: responses(within) }
    }
}

fn responses(bindings: Vec<Binding>) -> Vec<EffectBindingResponse> {
    bindings.into_iter().map(Into::into).collect()
}

/// A sentence, and how it is made.
#[derive(Serialize, ToSchema)]
pub struct EffectSentenceResponse {
    /// Number of its combination among those of all templates, from 0. It means the same as long as the effect texts do not change.
    #[schema(example = 1204)]
    pub number: u64,
    /// The sentence.
    #[schema(example = "Discard one Fire card to draw one card.")]
    pub text: String,
    /// Number of its template, from 1.
    #[schema(example = 34, minimum = 1)]
    pub template: usize,
    /// What each place of the template takes.
    pub bindings: Vec<EffectBindingResponse>,
}

impl From<RenderedSentence> for EffectSentenceResponse {
    fn from(made: RenderedSentence) -> Self {
        let RenderedSentence { number, template, text, bindings } = made;
        Self { number, text, template: template + 1, bindings: responses(bindings) }
    }
}

/// Which sentences.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EffectsQuery {
    /// Number of a template, from 1: only its sentences.
    #[param(value_type = Option<usize>, minimum = 1, example = 34)]
    template: Option<usize>,
    /// What the sentence contains, whatever the case.
    #[param(value_type = Option<String>, min_length = 1, max_length = 100, example = "draw one card")]
    q: Option<String>,
    /// Most sentences on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the page before.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// The place of a template in the list; 400 when there is none of this number.
fn place(library: &EffectLibrary, number: Option<usize>) -> Result<Option<usize>, Problem> {
    let Some(number) = number else { return Ok(None) };
    let templates = library.texts().templates.len();
    match number.checked_sub(1).filter(|at| *at < templates) {
        Some(at) => Ok(Some(at)),
        None => Err(bad_query("?template", format!("must be 1 to {templates}"))),
    }
}

fn bad_query(parameter: &str, fault: impl std::fmt::Display) -> Problem {
    Problem::new(ProblemCode::InvalidQuery).errors(vec![InputFault::at(parameter, fault)])
}

/// Lists the finished sentences that the templates make, in the order of templates and values.
///
/// A sentence that several combinations make comes for each of them. With `q`, a page looks at 20,000 combinations at most: it may hold
/// fewer than `limit` or none at all, and there is more as long as it has a `next_cursor`. When the effect texts change, cursors
/// from before are not taken any more (`invalid_cursor`). With `Accept: text/plain`: one sentence a line.
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
    let loaded = loaded(&state, &game).await?;
    let text = query.q.as_deref().map(|q| text::line(q, 1, MAX_QUERY)).transpose();
    let text = text.map_err(|error| bad_query("?q", error))?;
    let wanted = Wanted { template: place(&loaded.library, query.template)?, text };
    let cursor: Option<(i64, u64)> = query.cursor.as_ref().map(Cursor::key).transpose()?;
    let from = match cursor {
        Some((revision, _)) if revision != loaded.revision => {
            return Err(Problem::new(ProblemCode::InvalidCursor)
                .detail("The effect texts were changed since: begin again."));
        }
        Some((_, from)) => from,
        None => 0,
    };
    let (revision, most) = (loaded.revision, query.limit.items());
    let stretch = state.work.run(move || loaded.library.stretch(&wanted, from, most)).await?;
    let next_cursor = stretch.next.map(|next| Cursor::at(&(revision, next)));
    let data: Vec<EffectSentenceResponse> = stretch.made.into_iter().map(Into::into).collect();
    let page = Page { data, next_cursor, total: None };
    let answer = match form {
        AnswerForm::Json => cacheable(&req, FRESH, None, &page)?,
        AnswerForm::Text => cacheable_text(&req, FRESH, None, lines(&page.data)),
    };
    Ok(form.told_apart(page.linked(&req, answer)))
}

/// One sentence a line.
fn lines(effects: &[EffectSentenceResponse]) -> String {
    effects.iter().map(|effect| format!("{}\n", effect.text)).collect()
}

/// How many sentences are drawn: 1 to 200, one when nothing is said.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "u16")]
pub struct DrawCount(u16);

impl DrawCount {
    const MAX: u16 = 200;
}

impl Default for DrawCount {
    fn default() -> Self {
        Self(1)
    }
}

impl TryFrom<u16> for DrawCount {
    type Error = String;

    fn try_from(count: u16) -> Result<Self, String> {
        if (1..=Self::MAX).contains(&count) {
            Ok(Self(count))
        } else {
            Err(format!("count must be 1 to {}", Self::MAX))
        }
    }
}

/// A seed: 0 to 2⁵³ − 1, which every JSON reader keeps exact.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "u64")]
pub struct EffectSeed(u64);

impl EffectSeed {
    fn fresh() -> Self {
        Self(u64::try_from(Draw::fresh().number()).unwrap_or(0) & MAX_COMBINATIONS)
    }
}

impl TryFrom<u64> for EffectSeed {
    type Error = String;

    fn try_from(seed: u64) -> Result<Self, String> {
        if seed <= MAX_COMBINATIONS {
            Ok(Self(seed))
        } else {
            Err(format!("seed must be 0 to {MAX_COMBINATIONS}"))
        }
    }
}

/// What to draw.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DrawEffectsQuery {
    /// Sentences to draw: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 1, example = 5)]
    count: DrawCount,
    /// Draws the same again, as long as the effect texts do not change: 0 to 9007199254740991.
    #[param(value_type = Option<u64>, minimum = 0, maximum = 9_007_199_254_740_991_u64, example = 7)]
    seed: Option<EffectSeed>,
    /// Number of a template, from 1: only its sentences.
    #[param(value_type = Option<usize>, minimum = 1)]
    template: Option<usize>,
}

/// Sentences that were drawn at random.
#[derive(Serialize, ToSchema)]
pub struct DrawnEffectsResponse {
    /// The seed: with it, the same is drawn again.
    #[schema(example = 7)]
    pub seed: u64,
    /// The sentences, in the order in which they were drawn; fewer than were asked for, when there are fewer.
    pub data: Vec<EffectSentenceResponse>,
}

/// Draws random sentences.
///
/// Each combination that the phrase rules do not remove is as likely as the others, so a template with many comes more often. None is
/// drawn twice. Numbers come from SplitMix64, which is described in docs/EFFECTS.md. Without a `seed` no answer is kept by a
/// cache. With `Accept: text/plain`: one sentence a line.
#[utoipa::path(
    get, path = "/v1/games/{game}/effects/random", tag = "effects",
    params(("game" = String, Path, description = "Code of the game", example = "ttcg"), DrawEffectsQuery),
    responses(
        (status = 200, content((DrawnEffectsResponse = "application/json"), (String = "text/plain"))),
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
    let loaded = loaded(&state, &game).await?;
    let template = place(&loaded.library, query.template)?;
    let EffectSeed(seed) = query.seed.unwrap_or_else(EffectSeed::fresh);
    let most = usize::from(query.count.0);
    let drawn = state.work.run(move || loaded.library.draw(template, seed, most)).await?;
    let data: Vec<EffectSentenceResponse> = drawn.into_iter().map(Into::into).collect();
    let mut answer = match form {
        AnswerForm::Json => cacheable(&req, FRESH, None, &DrawnEffectsResponse { seed, data })?,
        AnswerForm::Text => cacheable_text(&req, FRESH, None, lines(&data)),
    };
    if query.seed.is_none() {
        answer.headers_mut().remove(header::ETAG);
        answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    Ok(form.told_apart(answer))
}

/// Sentences whose templates are wanted.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MatchEffectsRequest {
    /// 1 to 100 sentences of 1 to 500 characters, as they stand on a card.
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

/// A way to make a sentence.
#[derive(Serialize, ToSchema)]
pub struct EffectMatchResponse {
    /// Number of the template, from 1.
    #[schema(example = 34, minimum = 1)]
    pub template: usize,
    /// The template.
    #[schema(example = "Discard <fodder> to <deed>.")]
    pub template_text: String,
    /// Number of the combination among those of all templates, as in `GET /v1/games/{game}/effects`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 1204)]
    pub number: Option<u64>,
    /// The sentence before the phrase rules.
    #[schema(example = "Discard one Fire card to draw one card.")]
    pub raw: String,
    /// What each place of the template takes.
    pub bindings: Vec<EffectBindingResponse>,
}

impl EffectMatchResponse {
    fn new(library: &EffectLibrary, found: Match) -> Self {
        let Match { template, index, raw, bindings } = found;
        let number = index.and_then(|index| u64::try_from(index).ok());
        Self {
            template: template + 1,
            template_text: library.texts().templates.get(template).cloned().unwrap_or_default(),
            number: number.and_then(|number| library.number_of(template, number)),
            raw,
            bindings: responses(bindings),
        }
    }
}

/// A sentence with the templates that make it.
#[derive(Serialize, ToSchema)]
pub struct MatchedSentenceResponse {
    /// The sentence, as it was given.
    #[schema(example = "Discard one Fire card to draw one card.")]
    pub sentence: String,
    /// Every way to make it, 10 at most, in the order of the templates.
    pub matches: Vec<EffectMatchResponse>,
    /// Whether these are all. `false`: there are more, or the search took too long.
    #[schema(example = true)]
    pub complete: bool,
    /// When nothing makes it, for the first 10 such sentences of a request: up to 3 sentences that have most words in common with it.
    #[schema(example = json!([]))]
    pub suggestions: Vec<String>,
}

/// Sentences with the templates that make them.
#[derive(Serialize, ToSchema)]
pub struct MatchedSentencesResponse {
    /// In the order of the request.
    pub data: Vec<MatchedSentenceResponse>,
}

/// Finds the templates that make these sentences, and their values.
///
/// For checking designs of cards, and for sorting them. Removals, replacements and the plural after "one" are seen through: a sentence matches when it is,
/// letter by letter, one that the templates make. Templates are public: what matches tells nothing of any card.
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
    let loaded = loaded(&state, &game).await?;
    let data = state.work.run(move || matched(&loaded.library, sentences)).await?;
    let answer = MatchedSentencesResponse { data };
    Ok(HttpResponse::Ok().insert_header((header::CACHE_CONTROL, "no-store")).json(answer))
}

fn matched(library: &EffectLibrary, sentences: Vec<String>) -> Vec<MatchedSentenceResponse> {
    library.make_index();
    let until = Instant::now() + PATIENCE;
    let mut data: Vec<MatchedSentenceResponse> = sentences
        .into_iter()
        .map(|sentence| {
            if Instant::now() >= until {
                let (matches, suggestions) = (Vec::new(), Vec::new());
                return MatchedSentenceResponse { sentence, matches, complete: false, suggestions };
            }
            let found = library.find(&sentence);
            let matches =
                found.matches.into_iter().map(|found| EffectMatchResponse::new(library, found));
            MatchedSentenceResponse {
                matches: matches.collect(),
                complete: found.complete,
                sentence,
                suggestions: Vec::new(),
            }
        })
        .collect();
    let mut strange: Vec<&mut MatchedSentenceResponse> =
        data.iter_mut().filter(|found| found.matches.is_empty()).take(MAX_SUGGESTED).collect();
    if !strange.is_empty() {
        let wanted: Vec<&str> = strange.iter().map(|found| found.sentence.as_str()).collect();
        let nearest = library.nearest(&wanted, until);
        for (found, suggestions) in strange.iter_mut().zip(nearest) {
            found.suggestions = suggestions;
        }
    }
    data
}

/// A template on trial.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpandTemplateRequest {
    /// The template: 1 to 500 characters, at most 20 different placeholders, all of which the game has.
    #[schema(min_length = 1, max_length = 500, example = "Discard <fodder> to <deed>.")]
    template: String,
    /// Most sentences to tell: 1 to 200.
    #[serde(default)]
    #[schema(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50, example = 5)]
    limit: PageLimit,
}

/// A sentence of a template on trial.
#[derive(Serialize, ToSchema)]
pub struct TriedEffectResponse {
    /// Number of its combination, from 0.
    #[schema(example = 0)]
    pub number: u64,
    /// The sentence, finished.
    #[schema(example = "Discard one card to draw one card.")]
    pub text: String,
    /// What each place of the template takes.
    pub bindings: Vec<EffectBindingResponse>,
}

/// What a template would make.
#[derive(Serialize, ToSchema)]
pub struct ExpandedTemplateResponse {
    /// How many combinations it has, those that the phrase rules remove included.
    #[schema(example = 851)]
    pub combinations: u64,
    /// How many of the combinations up to the last sentence told here the phrase rules remove.
    #[schema(example = 0)]
    pub removed: usize,
    /// Whether there may be more sentences.
    #[schema(example = true)]
    pub more: bool,
    /// The first sentences.
    pub data: Vec<TriedEffectResponse>,
}

/// Shows what a template would make with the placeholders and phrase rules of a game. Nothing is stored.
///
/// Refused are templates with placeholders that the game does not have, that make more than 9,007,199,254,740,991 combinations, or
/// sentences of more than 4,096 bytes.
#[utoipa::path(
    post, path = "/v1/games/{game}/effects/expand", tag = "effects",
    params(("game" = String, Path, description = "Code of the game", example = "ttcg")),
    request_body = ExpandTemplateRequest,
    responses((status = 200, body = ExpandedTemplateResponse), (status = 422, description = "`invalid_body`: with the column of the fault."))
)]
pub async fn expand_template(
    state: web::Data<AppState>,
    game: web::Path<Code>,
    body: Body<ExpandTemplateRequest>,
) -> Result<HttpResponse, Problem> {
    let loaded = loaded(&state, &game).await?;
    let ExpandTemplateRequest { template, limit } = body.value;
    let most = limit.items();
    let tried = state.work.run(move || loaded.library.try_template(&template, most)).await?;
    let tried = tried.map_err(|faults| faults_at(ProblemCode::InvalidBody, faults, &[]))?;
    let tell = |made: RenderedSentence| {
        let RenderedSentence { number, text, bindings, .. } = made;
        TriedEffectResponse { number, text, bindings: responses(bindings) }
    };
    let answer = ExpandedTemplateResponse {
        combinations: tried.combinations,
        removed: tried.removed,
        more: tried.more,
        data: tried.made.into_iter().map(tell).collect(),
    };
    Ok(HttpResponse::Ok().insert_header((header::CACHE_CONTROL, "no-store")).json(answer))
}
