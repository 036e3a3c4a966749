//! Edits of effect texts by admins: what is changed is checked with everything else, and what that does to the sentences is told.

use std::sync::Arc;

use actix_web::http::header;
use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::effect_texts::PhraseRulesBody;
use crate::api::catalogue::import::{ImportQuery, NO_STORE};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::{Revision, Versions};
use crate::auth::permission::{Importer, WriteCatalogue};
use crate::domain::code::Code;
use crate::domain::effects::effect_texts::{
    EffectFault, EffectLibrary, EffectTexts, OutputChange, Sampled, TemplateChange,
};
use crate::http::extract::{Body, May, Params};
use crate::store::effects::effect_texts::{self, LoadedEffects, TextsBase, TextsChange};

/// Largest body with a list, in bytes: the 1 MiB of text that a game may have, with its quotes and escapes.
const MAX_LIST_BODY: usize = 2 * 1024 * 1024;
/// Most faults in one answer.
const MAX_FAULTS: usize = 200;

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

/// A template that is new.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewEffectTemplateRequest {
    /// The sentence, with the names of placeholders in angle brackets.
    #[schema(min_length = 1, max_length = 500, example = "Discard <fodder> to <deed>.")]
    template: String,
    /// The number that it gets, from 1; those from there on move up. Left out: the next after all others.
    #[schema(minimum = 1, maximum = 2000, example = 34)]
    number: Option<usize>,
}

/// The values of a placeholder.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EffectValuesRequest {
    /// What can stand in its place, in order: at least one, each of 1 to 300 characters; 20,000 of all placeholders together.
    #[schema(min_items = 1, max_items = 20000, example = json!(["one card", "one spell", "one <kind> card"]))]
    values: Vec<String>,
}

/// A number before and after.
#[derive(Serialize, ToSchema)]
pub struct BeforeAfter {
    /// Before the edit.
    #[schema(example = 9582)]
    pub before: u64,
    /// After it.
    #[schema(example = 9590)]
    pub after: u64,
}

/// Sentences, and how many there are in all.
#[derive(Serialize, ToSchema)]
pub struct EffectSample {
    /// How many.
    #[schema(example = 8)]
    pub count: usize,
    /// The first 20, sorted.
    #[schema(example = json!(["Discard a Fire card to draw two cards."]))]
    pub sample: Vec<String>,
}

/// A sentence that is said otherwise.
#[derive(Serialize, ToSchema)]
pub struct ChangedEffect {
    /// How it was said.
    #[schema(example = "Wake a Air unit.")]
    pub before: String,
    /// How it is said.
    #[schema(example = "Wake an Air unit.")]
    pub after: String,
}

/// Sentences that are said otherwise, and how many there are in all.
#[derive(Serialize, ToSchema)]
pub struct ChangedEffects {
    /// How many.
    #[schema(example = 0)]
    pub count: usize,
    /// The first 20, sorted.
    pub sample: Vec<ChangedEffect>,
}

/// What changes about the sentences.
#[derive(Serialize, ToSchema)]
pub struct SentenceChangeResponse {
    /// Different sentences.
    pub count: BeforeAfter,
    /// Sentences that are new.
    pub added: EffectSample,
    /// Sentences that no template makes any more.
    pub removed: EffectSample,
    /// Sentences that are made of the same words and finished otherwise; they are in neither of the others.
    pub changed: ChangedEffects,
}

/// A template that is new, gone, or has another number of combinations.
#[derive(Serialize, ToSchema)]
pub struct TemplateChangeResponse {
    /// The template.
    #[schema(example = "Discard <forfeit> to draw two cards.")]
    pub template: String,
    /// Its combinations before; 0: it is new.
    #[schema(example = 0)]
    pub before: u64,
    /// Its combinations after; 0: it is gone.
    #[schema(example = 23)]
    pub after: u64,
}

/// What an edit changed, or would have.
#[derive(Serialize, ToSchema)]
pub struct EffectEditResponse {
    /// Nothing was changed: this is what would have been.
    #[schema(example = true)]
    pub dry_run: bool,
    /// Combinations of all templates.
    pub combinations: BeforeAfter,
    /// Templates that are new, gone, or have another number of combinations; 200 at most, sorted.
    pub templates: Vec<TemplateChangeResponse>,
    /// Whether every sentence was compared. `false`: before or after, there are more than 200,000 combinations, or very long ones.
    #[schema(example = true)]
    pub exact: bool,
    /// What changes about the sentences, when they were compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sentences: Option<SentenceChangeResponse>,
}

impl EffectEditResponse {
    fn new(dry_run: bool, change: OutputChange) -> Self {
        let OutputChange { combinations: (before, after), templates, sentences } = change;
        let template = |change: TemplateChange| {
            let TemplateChange { template, before, after } = change;
            TemplateChangeResponse { template, before, after }
        };
        let sample = |all: Sampled<String>| EffectSample { count: all.count, sample: all.sample };
        Self {
            dry_run,
            combinations: BeforeAfter { before, after },
            templates: templates.into_iter().map(template).collect(),
            exact: sentences.is_some(),
            sentences: sentences.map(|change| SentenceChangeResponse {
                count: BeforeAfter {
                    before: change.counts.0 as u64,
                    after: change.counts.1 as u64,
                },
                added: sample(change.added),
                removed: sample(change.removed),
                changed: ChangedEffects {
                    count: change.changed.count,
                    sample: (change.changed.sample.into_iter())
                        .map(|(before, after)| ChangedEffect { before, after })
                        .collect(),
                },
            }),
        }
    }
}

/// Replaces all templates of a game's effect texts.
///
/// What comes of it is checked as a whole and refused with every fault: pointers lead into the body or, where the fault is elsewhere, into the
/// document with the fields `templates`, `placeholders`, `removals` and `replacements`. The answer tells what changes about the
/// sentences; with `dry_run` that is all that happens. For the first effect texts of a game leave `If-Match` out.
#[utoipa::path(
    put, path = "/v1/games/{game}/effect-templates", tag = "effects", security(("bearer" = [])),
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("If-Match" = Option<String>, Header, description = "ETag of the effect texts; none for the first ones", example = "\"r1\""),
        ImportQuery,
    ),
    request_body = EffectTemplatesRequest,
    responses(
        (status = 200, body = EffectEditResponse, headers(("ETag" = String, description = "The new version; none in a rehearsal"))),
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
    let change = |texts: &mut EffectTexts| {
        texts.templates = templates;
        Ok(Edit::of("templates"))
    };
    edit(&state, &by, &game, *query, &versions, change).await
}

/// Adds a template, at the end or at a place of its own.
///
/// Those from that place on move up by one. A template may be there already; no sentence is new then. For the first effect texts of a game
/// leave `If-Match` out. Later it keeps a request that is sent again from adding the template twice: the second one is a 412.
#[utoipa::path(
    post, path = "/v1/games/{game}/effect-templates", tag = "effects", security(("bearer" = [])),
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("If-Match" = Option<String>, Header, description = "ETag of the effect texts; none for the first ones", example = "\"r1\""),
        ImportQuery,
    ),
    request_body = NewEffectTemplateRequest,
    responses(
        (status = 200, description = "A rehearsal: nothing was added.", body = EffectEditResponse),
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
    let change = |texts: &mut EffectTexts| {
        let next = texts.templates.len() + 1;
        let number = number.unwrap_or(next);
        if !(1..=next).contains(&number) {
            let fault = InputFault::at("/number", format!("must be 1 to {next}, not {number}"));
            return Err(Problem::new(ProblemCode::InvalidEdit).errors(vec![fault]));
        }
        let at = number - 1;
        texts.templates.insert(at, template);
        Ok(Edit::of(format!("template {number}, added"))
            .placed(format!("/templates/{at}"), "/template")
            .makes(format!("/v1/games/{}/effect-templates/{number}", *game)))
    };
    edit(&state, &by, &game, *query, versions.named()?, change).await
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
        (status = 200, body = EffectEditResponse, headers(("ETag" = String, description = "The new version; none in a rehearsal"))),
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
    let at = number.checked_sub(1).ok_or_else(Problem::not_found)?;
    let change = |texts: &mut EffectTexts| {
        *texts.templates.get_mut(at).ok_or_else(Problem::not_found)? = template;
        Ok(Edit::of(format!("template {number}")).placed(format!("/templates/{at}"), "/template"))
    };
    edit(&state, &by, &game, *query, &versions, change).await
}

/// Deletes a template. Those after it move down by one.
#[utoipa::path(
    delete, path = "/v1/games/{game}/effect-templates/{number}", tag = "effects", security(("bearer" = [])),
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("number" = usize, Path, description = "Number in the list, from 1", example = 34),
        ("If-Match" = String, Header, description = "ETag of the effect texts", example = "\"r1\""),
        ImportQuery,
    ),
    responses(
        (status = 200, body = EffectEditResponse, headers(("ETag" = String, description = "The new version; none in a rehearsal"))),
        (status = 412, description = "`precondition_failed`: they were changed since; nothing is taken away."),
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
    let at = number.checked_sub(1).ok_or_else(Problem::not_found)?;
    let change = |texts: &mut EffectTexts| {
        if at >= texts.templates.len() {
            return Err(Problem::not_found());
        }
        texts.templates.remove(at);
        Ok(Edit::of(format!("template {number}, taken away")))
    };
    edit(&state, &by, &game, *query, versions.named()?, change).await
}

/// Gives a placeholder its values, or makes a new one.
///
/// A name is 1 to 64 letters, digits and `_`. Values may have placeholders themselves, but must not lead back to their own.
#[utoipa::path(
    put, path = "/v1/games/{game}/effect-placeholders/{name}", tag = "effects", security(("bearer" = [])),
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("name" = String, Path, description = "Name of the placeholder", example = "fodder"),
        ("If-Match" = Option<String>, Header, description = "ETag of the effect texts; none for the first ones", example = "\"r1\""),
        ImportQuery,
    ),
    request_body = EffectValuesRequest,
    responses(
        (status = 200, body = EffectEditResponse, headers(("ETag" = String, description = "The new version; none in a rehearsal"))),
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
    let change = |texts: &mut EffectTexts| {
        let edit = Edit::of(format!("placeholder {name}"))
            .placed(format!("/placeholders/{name}"), "/values");
        texts.placeholders.insert(name, values);
        Ok(edit)
    };
    edit(&state, &by, &game, *query, &versions, change).await
}

/// Deletes a placeholder that nothing uses.
#[utoipa::path(
    delete, path = "/v1/games/{game}/effect-placeholders/{name}", tag = "effects", security(("bearer" = [])),
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("name" = String, Path, description = "Name of the placeholder", example = "fodder"),
        ("If-Match" = String, Header, description = "ETag of the effect texts", example = "\"r1\""),
        ImportQuery,
    ),
    responses(
        (status = 200, body = EffectEditResponse, headers(("ETag" = String, description = "The new version; none in a rehearsal"))),
        (status = 412, description = "`precondition_failed`: they were changed since; nothing is overwritten."),
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
    let change = |texts: &mut EffectTexts| {
        texts.placeholders.remove(&name).ok_or_else(Problem::not_found)?;
        Ok(Edit::of(format!("placeholder {name}")))
    };
    edit(&state, &by, &game, *query, &versions, change).await
}

/// Replaces the phrase rules.
#[utoipa::path(
    put, path = "/v1/games/{game}/effect-phrase-rules", tag = "effects", security(("bearer" = [])),
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("If-Match" = Option<String>, Header, description = "ETag of the effect texts; none for the first ones", example = "\"r1\""),
        ImportQuery,
    ),
    request_body = PhraseRulesBody,
    responses(
        (status = 200, body = EffectEditResponse, headers(("ETag" = String, description = "The new version; none in a rehearsal"))),
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
    let change = |texts: &mut EffectTexts| {
        texts.removals = rules.removals;
        texts.replacements = rules.replacements.into_iter().map(Into::into).collect();
        Ok(Edit::of("phrase rules"))
    };
    edit(&state, &by, &game, *query, &versions, change).await
}

/// Changes the effect texts of a game, if what comes of it is sound, and tells what that does to the sentences. `change` gets the texts as they are.
async fn edit(
    state: &AppState,
    by: &May<WriteCatalogue>,
    game: &Code,
    query: ImportQuery,
    versions: &Versions,
    change: impl FnOnce(&mut EffectTexts) -> Result<Edit, Problem>,
) -> Result<HttpResponse, Problem> {
    let known = state.games.find(&mut *state.store.connection().await?, game.as_str()).await?;
    known.ok_or_else(Problem::not_found)?;
    let before = state.effects.find(&state.store, game.as_str()).await?;
    let replaced = versions.check(before.as_ref().map(|loaded| Revision(loaded.revision)))?;
    let old = before.as_ref().map(|loaded| loaded.library.texts().clone());
    let mut texts = old.clone().unwrap_or_default();
    let edit = change(&mut texts)?;
    let texts = texts.trimmed();
    let is_same = old.is_some_and(|old| old == texts);
    let compared = state.work.run(move || compare(before, texts)).await?;
    let moved = edit.moved.as_slice();
    let (after, change) =
        compared.map_err(|faults| faults_at(ProblemCode::InvalidEdit, faults, moved))?;
    if query.dry_run {
        let told = EffectEditResponse::new(true, change);
        return Ok(HttpResponse::Ok().insert_header(NO_STORE).json(told));
    }
    let revision = match replaced {
        // The same again changes nothing.
        Some(revision) if is_same => revision,
        base => edit.store(state, by, game, base, after.texts(), &change).await?,
    };
    let mut response = match edit.place {
        Some(place) => {
            let mut created = HttpResponse::Created();
            created.insert_header((header::LOCATION, place));
            created
        }
        None => HttpResponse::Ok(),
    };
    response.insert_header(revision.header()).insert_header(NO_STORE);
    Ok(response.json(EffectEditResponse::new(false, change)))
}

/// What an edit has changed.
struct Edit {
    /// Which part of the effect texts, for the log.
    part: String,
    /// Where that part is in the document, and where in the body, when these differ.
    moved: Option<(String, &'static str)>,
    /// The URL of what is new.
    place: Option<String>,
}

impl Edit {
    fn of(part: impl Into<String>) -> Self {
        Self { part: part.into(), moved: None, place: None }
    }

    /// Faults at `document` are told as faults at `body`.
    fn placed(self, document: String, body: &'static str) -> Self {
        Self { moved: Some((document, body)), ..self }
    }

    /// Something is new, at this URL.
    fn makes(self, place: String) -> Self {
        Self { place: Some(place), ..self }
    }

    async fn store(
        &self,
        state: &AppState,
        by: &May<WriteCatalogue>,
        game: &Code,
        base: Option<Revision>,
        texts: &EffectTexts,
        change: &OutputChange,
    ) -> Result<Revision, Problem> {
        let base =
            base.map_or(TextsBase::Nothing, |Revision(revision)| TextsBase::Revision(revision));
        let at = state.clock.now();
        let details = serde_json::json!({
            "part": self.part,
            "combinations_before": change.combinations.0,
            "combinations_after": change.combinations.1,
        });
        let changed = state
            .write(by, async |conn, by| {
                let importer = Importer::from(by);
                effect_texts::change(conn, &importer, game.as_str(), texts, base, &details, at)
                    .await
            })
            .await?;
        match changed {
            TextsChange::Done { revision } => {
                tracing::info!(
                    account = %by.account(), %game, part = self.part, revision, "effect texts changed"
                );
                Ok(Revision(revision))
            }
            TextsChange::Stale => Err(Problem::new(ProblemCode::PreconditionFailed)),
            TextsChange::Missing => Err(Problem::not_found()),
        }
    }
}

/// Checks the new texts and holds what they make against what was made before.
fn compare(
    before: Option<Arc<LoadedEffects>>,
    texts: EffectTexts,
) -> Result<(EffectLibrary, OutputChange), Vec<EffectFault>> {
    let after = texts.check()?;
    let before = before.as_ref().map(|loaded| &loaded.library);
    let change = OutputChange::between(before, &after);
    Ok((after, change))
}

/// Faults as a problem. What is `moved` has another pointer in the body than in the document.
pub(super) fn faults_at(
    code: ProblemCode,
    faults: Vec<EffectFault>,
    moved: &[(String, &'static str)],
) -> Problem {
    let all = faults.len();
    let told = faults.into_iter().take(MAX_FAULTS).map(|fault| {
        let in_body = moved.iter().find_map(|(from, to)| {
            let rest = fault.pointer.strip_prefix(from.as_str())?;
            (rest.is_empty() || rest.starts_with('/')).then(|| format!("{to}{rest}"))
        });
        let pointer = in_body.unwrap_or(fault.pointer);
        InputFault { column: fault.column, ..InputFault::at(pointer, fault.message) }
    });
    let problem = Problem::new(code).errors(told.collect());
    if all > MAX_FAULTS {
        problem.detail(format!("{all} faults; the first {MAX_FAULTS} are listed."))
    } else {
        problem
    }
}
