//! The sentences that the templates of a game make: listed, drawn at random, and tried out.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::effect_edits::faults_at;
use super::effect_texts::load;
use super::match_bodies::{EffectBindingResponse, responses};
use crate::app::fault_reason::FaultReason;
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::domain::draw::Draw;
use crate::domain::effects::effect_texts::{
    EffectLibrary, MAX_COMBINATIONS, RenderedSentence, SentenceSearch,
};
use crate::domain::text;

/// Longest text to look for in sentences, in characters.
const MAX_QUERY: usize = 100;

/// A finished sentence, with its template and values.
#[derive(Serialize, ToSchema)]
pub struct EffectSentenceResponse {
    /// Number of its combination among those of all templates, from 0. It keeps its meaning until the effect texts change.
    #[schema(example = 1204)]
    pub number: u64,
    /// The sentence.
    #[schema(example = "Discard one Fire card to draw one card.")]
    pub text: String,
    /// Number of its template, from 1.
    #[schema(example = 34, minimum = 1)]
    pub template: usize,
    /// The value of each place of the template.
    pub bindings: Vec<EffectBindingResponse>,
}

impl From<RenderedSentence> for EffectSentenceResponse {
    fn from(rendered: RenderedSentence) -> Self {
        let RenderedSentence { number, template, text, bindings } = rendered;
        Self { number, text, template: template + 1, bindings: responses(bindings) }
    }
}

/// Filter of sentences; by default all are listed.
#[derive(Clone, Copy, Debug, Default)]
pub struct SentenceFilter<'a> {
    /// Number of the template that makes them, from 1.
    pub template: Option<usize>,
    /// What they contain, whatever the case.
    pub text: Option<&'a str>,
}

/// Lists the finished sentences in the order of templates and values. The key of a cursor is the revision of the effect
/// texts and the number of a combination.
pub async fn list(
    app: &AppState,
    game: &Code,
    filter: SentenceFilter<'_>,
    cursor: Option<&Cursor>,
    limit: PageLimit,
) -> Result<Page<EffectSentenceResponse>, Problem> {
    let loaded = load(app, game).await?;
    let text = filter.text.map(|text| text::line(text, 1, MAX_QUERY)).transpose();
    let text = text.map_err(|error| bad_query("?q", error))?;
    let wanted = SentenceSearch { template: place(&loaded.library, filter.template)?, text };
    let cursor: Option<(i64, u64)> = cursor.map(Cursor::key).transpose()?;
    let from = match cursor {
        Some((revision, _)) if revision != loaded.revision => {
            return Err(Problem::new(ProblemCode::InvalidCursor)
                .detail("The effect texts were changed since: begin again."));
        }
        Some((_, from)) => from,
        None => 0,
    };
    let (revision, most) = (loaded.revision, limit.items());
    let page = app.work.run(move || loaded.library.list(&wanted, from, most)).await?;
    let next_cursor = page.next.map(|next| Cursor::at(&(revision, next)));
    let data = page.rendered.into_iter().map(Into::into).collect();
    Ok(Page { data, next_cursor, total: None })
}

/// The index of a template in the list; 400 when no template has this number.
fn place(library: &EffectLibrary, number: Option<usize>) -> Result<Option<usize>, Problem> {
    let Some(number) = number else { return Ok(None) };
    let templates = library.texts().templates.len();
    match number.checked_sub(1).filter(|at| *at < templates) {
        Some(at) => Ok(Some(at)),
        None => Err(bad_query("?template", format!("must be 1 to {templates}"))),
    }
}

fn bad_query(parameter: &str, fault: impl Into<FaultReason>) -> Problem {
    Problem::new(ProblemCode::InvalidQuery).errors(vec![InputFault::at(parameter, fault)])
}

/// How many sentences to draw: 1 to 200, by default one.
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
    /// A random seed.
    pub(crate) fn random() -> Self {
        Self(u64::try_from(Draw::random().number()).unwrap_or(0) & MAX_COMBINATIONS)
    }

    pub(crate) fn number(self) -> u64 {
        self.0
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

/// Sentences that were drawn at random.
#[derive(Serialize, ToSchema)]
pub struct DrawnEffectsResponse {
    /// The seed, with which the same sentences can be drawn again.
    #[schema(example = 7)]
    pub seed: u64,
    /// The sentences, in the order in which they were drawn; fewer than `count` if there are fewer.
    pub data: Vec<EffectSentenceResponse>,
}

/// Draws random sentences of one template or of all. Without a seed, each call gives others.
pub async fn draw(
    app: &AppState,
    game: &Code,
    template: Option<usize>,
    DrawCount(count): DrawCount,
    seed: Option<EffectSeed>,
) -> Result<DrawnEffectsResponse, Problem> {
    let loaded = load(app, game).await?;
    let template = place(&loaded.library, template)?;
    let EffectSeed(seed) = seed.unwrap_or_else(EffectSeed::random);
    let most = usize::from(count);
    let drawn = app.work.run(move || loaded.library.draw(template, seed, most)).await?;
    Ok(DrawnEffectsResponse { seed, data: drawn.into_iter().map(Into::into).collect() })
}

/// A sentence of the template that is tried.
#[derive(Serialize, ToSchema)]
pub struct TriedEffectResponse {
    /// Number of its combination among those of the template, from 0.
    #[schema(example = 0)]
    pub number: u64,
    /// The finished sentence.
    #[schema(example = "Discard one card to draw one card.")]
    pub text: String,
    /// The value of each place of the template.
    pub bindings: Vec<EffectBindingResponse>,
}

/// What a template would produce.
#[derive(Serialize, ToSchema)]
pub struct ExpandedTemplateResponse {
    /// Number of combinations of its values, including those that the phrase rules remove.
    #[schema(example = 851)]
    pub combinations: u64,
    /// How many of the examined combinations the phrase rules remove. Combinations are examined in order until there are `limit` sentences, at most
    /// 20,000.
    #[schema(example = 0)]
    pub removed: usize,
    /// Whether there may be more sentences.
    #[schema(example = true)]
    pub more: bool,
    /// The first sentences.
    pub data: Vec<TriedEffectResponse>,
}

/// Expands a template, which need not be stored, with the game's placeholders and phrase rules.
pub async fn expand(
    app: &AppState,
    game: &Code,
    template: String,
    limit: PageLimit,
) -> Result<ExpandedTemplateResponse, Problem> {
    let loaded = load(app, game).await?;
    let most = limit.items();
    let tried = app.work.run(move || loaded.library.try_template(&template, most)).await?;
    let tried = tried.map_err(|faults| faults_at(ProblemCode::InvalidBody, faults, &[]))?;
    let sentence = |rendered: RenderedSentence| {
        let RenderedSentence { number, text, bindings, .. } = rendered;
        TriedEffectResponse { number, text, bindings: responses(bindings) }
    };
    Ok(ExpandedTemplateResponse {
        combinations: tried.combinations,
        removed: tried.removed,
        more: tried.more,
        data: tried.rendered.into_iter().map(sentence).collect(),
    })
}
