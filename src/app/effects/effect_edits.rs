//! Edits of effect texts. An edit is checked together with all other texts, and the response lists its effects on the
//! sentences.

use std::sync::Arc;

use super::effect_changes::EffectEditResponse;
use super::effect_texts::PhraseRulesBody;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::{Revision, Versions};
use crate::auth::permission::{Granted, Importer, WriteCatalogue};
use crate::domain::code::Code;
use crate::domain::effects::effect_texts::{EffectFault, EffectLibrary, EffectTexts, OutputChange};
use crate::store::effects::effect_texts::{self, LoadedEffects, TextsBase, TextsChange};

/// Most faults in one response.
const MAX_FAULTS: usize = 200;

/// Which effect texts are edited, and how.
pub struct EditTarget<'a> {
    /// Code of the game.
    pub game: &'a Code,
    /// Which version the edit may replace.
    pub versions: &'a Versions,
    /// Only check the edit, and return what would change.
    pub dry_run: bool,
}

/// A checked edit, stored unless it was a dry run.
pub struct EditedTexts {
    /// What the edit changed, or would have changed.
    pub answer: EffectEditResponse,
    /// The version that is stored now; `None`: it was a dry run.
    pub revision: Option<Revision>,
    /// Number of the template that was added, if one was.
    pub added: Option<usize>,
}

pub async fn replace_templates(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    target: &EditTarget<'_>,
    templates: Vec<String>,
) -> Result<EditedTexts, Problem> {
    let change = |texts: &mut EffectTexts| {
        texts.templates = templates;
        Ok(EditedPart::new("templates"))
    };
    edit(app, by, target, change).await
}

/// Adds a template at the end, or at position `number`, counted from 1.
pub async fn create_template(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    target: &EditTarget<'_>,
    template: String,
    number: Option<usize>,
) -> Result<EditedTexts, Problem> {
    target.versions.named()?;
    let change = |texts: &mut EffectTexts| {
        let next = texts.templates.len() + 1;
        let number = number.unwrap_or(next);
        if !(1..=next).contains(&number) {
            let fault = InputFault::at("/number", format!("must be 1 to {next}, not {number}"));
            return Err(Problem::new(ProblemCode::InvalidEdit).errors(vec![fault]));
        }
        let at = number - 1;
        texts.templates.insert(at, template);
        let part = EditedPart::new(format!("template {number}, added"))
            .sent_as(format!("/templates/{at}"), "/template");
        Ok(EditedPart { added: Some(number), ..part })
    };
    edit(app, by, target, change).await
}

/// Replaces a template by its number, from 1.
pub async fn replace_template(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    target: &EditTarget<'_>,
    number: usize,
    template: String,
) -> Result<EditedTexts, Problem> {
    let at = number.checked_sub(1).ok_or_else(Problem::not_found)?;
    let change = |texts: &mut EffectTexts| {
        *texts.templates.get_mut(at).ok_or_else(Problem::not_found)? = template;
        let part = EditedPart::new(format!("template {number}"));
        Ok(part.sent_as(format!("/templates/{at}"), "/template"))
    };
    edit(app, by, target, change).await
}

/// Deletes a template by its number, from 1.
pub async fn delete_template(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    target: &EditTarget<'_>,
    number: usize,
) -> Result<EditedTexts, Problem> {
    let at = number.checked_sub(1).ok_or_else(Problem::not_found)?;
    target.versions.named()?;
    let change = |texts: &mut EffectTexts| {
        if at >= texts.templates.len() {
            return Err(Problem::not_found());
        }
        texts.templates.remove(at);
        Ok(EditedPart::new(format!("template {number}, taken away")))
    };
    edit(app, by, target, change).await
}

/// Sets the values of a placeholder, which is created if needed.
pub async fn replace_placeholder(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    target: &EditTarget<'_>,
    name: String,
    values: Vec<String>,
) -> Result<EditedTexts, Problem> {
    let change = |texts: &mut EffectTexts| {
        let part = EditedPart::new(format!("placeholder {name}"))
            .sent_as(format!("/placeholders/{name}"), "/values");
        texts.placeholders.insert(name, values);
        Ok(part)
    };
    edit(app, by, target, change).await
}

pub async fn delete_placeholder(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    target: &EditTarget<'_>,
    name: &str,
) -> Result<EditedTexts, Problem> {
    let change = |texts: &mut EffectTexts| {
        texts.placeholders.remove(name).ok_or_else(Problem::not_found)?;
        Ok(EditedPart::new(format!("placeholder {name}")))
    };
    edit(app, by, target, change).await
}

pub async fn replace_phrase_rules(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    target: &EditTarget<'_>,
    rules: PhraseRulesBody,
) -> Result<EditedTexts, Problem> {
    let change = |texts: &mut EffectTexts| {
        texts.removals = rules.removals;
        texts.replacements = rules.replacements.into_iter().map(Into::into).collect();
        Ok(EditedPart::new("phrase rules"))
    };
    edit(app, by, target, change).await
}

/// Edits the effect texts of a game, if the result has no faults, and returns the effects on the sentences. `change`
/// gets the current texts.
async fn edit(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    target: &EditTarget<'_>,
    change: impl FnOnce(&mut EffectTexts) -> Result<EditedPart, Problem>,
) -> Result<EditedTexts, Problem> {
    let EditTarget { game, versions, dry_run } = target;
    let before = app.effects.find(&app.store, game.as_str()).await?;
    if before.is_none() {
        let known = app.games.find(&mut *app.store.connection().await?, game.as_str()).await?;
        known.ok_or_else(Problem::not_found)?;
    }
    let replaced = versions.check(before.as_ref().map(|loaded| Revision(loaded.revision)))?;
    let old = before.as_ref().map(|loaded| loaded.library.texts().clone());
    let mut texts = old.clone().unwrap_or_default();
    let part = change(&mut texts)?;
    let texts = texts.trimmed();
    let is_same = old.is_some_and(|old| old == texts);
    let compared = app.work.run(move || compare(before, texts)).await?;
    let pointers = part.pointers.as_slice();
    let (after, change) =
        compared.map_err(|faults| faults_at(ProblemCode::InvalidEdit, faults, pointers))?;
    if *dry_run {
        let answer = EffectEditResponse::new(true, change);
        return Ok(EditedTexts { answer, revision: None, added: None });
    }
    let revision = match replaced {
        // An edit that changes nothing creates no new version.
        Some(revision) if is_same => revision,
        base => part.store(app, by, game, base, after.texts(), &change).await?,
    };
    let answer = EffectEditResponse::new(false, change);
    Ok(EditedTexts { answer, revision: Some(revision), added: part.added })
}

/// The part of the effect texts that an edit changes.
struct EditedPart {
    /// The name of the part in the log.
    name: String,
    /// The JSON pointer of the part in the document and in the request body, if they differ.
    pointers: Option<(String, &'static str)>,
    /// Number of the template that is added, if one is.
    added: Option<usize>,
}

impl EditedPart {
    fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), pointers: None, added: None }
    }

    /// Faults at `document` are reported as faults at `body`.
    fn sent_as(self, document: String, body: &'static str) -> Self {
        Self { pointers: Some((document, body)), ..self }
    }

    async fn store(
        &self,
        app: &AppState,
        by: &Granted<WriteCatalogue>,
        game: &Code,
        base: Option<Revision>,
        texts: &EffectTexts,
        change: &OutputChange,
    ) -> Result<Revision, Problem> {
        let base =
            base.map_or(TextsBase::Nothing, |Revision(revision)| TextsBase::Revision(revision));
        let at = app.clock.now();
        let details = serde_json::json!({
            "part": self.name,
            "combinations_before": change.combinations.0,
            "combinations_after": change.combinations.1,
        });
        let changed = app
            .write(by, async |conn, by| {
                let importer = Importer::from(by);
                effect_texts::change(conn, &importer, game.as_str(), texts, base, &details, at)
                    .await
            })
            .await?;
        match changed {
            TextsChange::Done { revision } => {
                tracing::info!(
                    account = %by.account(), %game, part = self.name, revision, "effect texts changed"
                );
                Ok(Revision(revision))
            }
            TextsChange::Stale => Err(Problem::new(ProblemCode::PreconditionFailed)),
            TextsChange::Missing => Err(Problem::not_found()),
        }
    }
}

/// Checks the new texts, and compares their sentences with those of the old texts.
fn compare(
    before: Option<Arc<LoadedEffects>>,
    texts: EffectTexts,
) -> Result<(EffectLibrary, OutputChange), Vec<EffectFault>> {
    let after = texts.check()?;
    let before = before.as_ref().map(|loaded| &loaded.library);
    let change = OutputChange::between(before, &after);
    Ok((after, change))
}

/// Converts faults to a problem. Pointers into the document that are listed in `pointers` become pointers into the
/// body.
pub(super) fn faults_at(
    code: ProblemCode,
    faults: Vec<EffectFault>,
    pointers: &[(String, &'static str)],
) -> Problem {
    let all = faults.len();
    let listed = faults.into_iter().take(MAX_FAULTS).map(|fault| {
        let in_body = pointers.iter().find_map(|(from, to)| {
            let rest = fault.pointer.strip_prefix(from.as_str())?;
            (rest.is_empty() || rest.starts_with('/')).then(|| format!("{to}{rest}"))
        });
        let detail = fault.detail();
        let pointer = in_body.unwrap_or(fault.pointer);
        InputFault { column: fault.column, ..InputFault::at(pointer, detail) }
    });
    let problem = Problem::new(code).errors(listed.collect());
    if all > MAX_FAULTS {
        problem.detail(format!("{all} faults; the first {MAX_FAULTS} are listed."))
    } else {
        problem
    }
}
