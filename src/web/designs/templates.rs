//! Builds the sentence of an effect from a template: the visitor chooses a template, then a value for each placeholder.

use actix_web::HttpResponse;
use askama::Template;

use super::draft::Draft;
use super::words as design_words;
use super::work::Work;
use crate::app::effects::effect_choices::{self, EffectStepResponse, Picks};
use crate::app::effects::effect_texts;
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::{Problem, ProblemCode};
use crate::domain::code::Code;
use crate::web::forms::private;
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::words;

/// Most templates, and most values of a placeholder, that are shown at once.
const CHOICES: u16 = 200;

/// A template or value to choose.
struct Offered {
    value: String,
    text: String,
}

#[derive(Template)]
#[template(path = "web/designs/templates.html")]
struct TemplatesPage<'a> {
    frame: Frame,
    heading: String,
    path: &'a str,
    /// The fields of the design, as hidden fields.
    carried: Vec<(String, String)>,
    at: usize,
    /// The fault of the choice before.
    fault: Option<&'static str>,
    /// The number of the chosen template; empty: no template is chosen.
    template: String,
    picks: String,
    /// The sentence with the values that are chosen so far.
    text: String,
    /// The label of the next choice.
    label: String,
    field: &'static str,
    choices: Vec<Offered>,
    more: Option<String>,
    /// The finished sentence.
    sentence: Option<String>,
    is_removed: bool,
}

/// Shows the next choice. `go`: the pressed button. `Err` with the draft: the sentence is complete and part of the draft.
pub(super) async fn choose(
    work: &Work<'_>,
    mut draft: Draft,
    go: &str,
) -> Result<Result<HttpResponse, Draft>, Problem> {
    let at = match go.strip_prefix("template:") {
        Some(at) => {
            draft.set("template", "");
            draft.set("picks", "");
            at
        }
        None => draft.one("at"),
    };
    let at: usize = at.parse().map_err(|_| Problem::new(ProblemCode::InvalidBody))?;
    if at >= crate::domain::designs::content::MAX_EFFECTS {
        return Err(Problem::new(ProblemCode::InvalidBody));
    }
    let pick = draft.one("pick").to_owned();
    let mut fault = None;
    match go {
        "pick" if pick.is_empty() => fault = Some(design_words::CHOOSE_ONE),
        "pick" if draft.one("template").is_empty() => draft.set("template", pick),
        "pick" => {
            let picks = [draft.one("picks"), &pick].join(",");
            draft.set("picks", picks.trim_start_matches(','));
        }
        "unpick" => {
            let before = draft.one("picks").rsplit_once(',').map(|(before, _)| before.to_owned());
            match before {
                Some(before) => draft.set("picks", before),
                None if draft.one("picks").is_empty() => draft.set("template", ""),
                None => draft.set("picks", ""),
            }
        }
        _ => {}
    }
    let cursor = go.strip_prefix("more:").map(str::to_owned);
    let game = Code::try_from(draft.one("game")).map_err(|_| Problem::not_found())?;
    let limit = PageLimit::try_from(CHOICES).map_err(Problem::internal)?;
    let cursor: Option<Cursor> = cursor
        .map(|cursor| serde_json::from_value(cursor.into()))
        .transpose()
        .map_err(Problem::internal)?;
    let mut frame = Frame::new(&design_words::choose_sentence(at)).at(Place::Designs);
    frame.script = Some(&frame.assets.form_script);
    let mut page = TemplatesPage {
        frame,
        heading: design_words::choose_sentence(at),
        path: work.path(),
        carried: draft.carried(|_| false),
        at,
        fault,
        template: draft.one("template").to_owned(),
        picks: draft.one("picks").to_owned(),
        text: String::new(),
        label: design_words::TEMPLATE.to_owned(),
        field: "pick",
        choices: Vec::new(),
        more: None,
        sentence: None,
        is_removed: false,
    };
    if let Some(step) = chosen(work, &draft, &game, cursor.as_ref(), limit).await? {
        if go == "use"
            && let Some(sentence) = &step.sentence
        {
            draft.set(&format!("effects.{at}.text"), sentence);
            return Ok(Err(draft));
        }
        page.fill(step);
        return Ok(Ok(private(PageStatus::OK, &page)?));
    }
    page.template.clear();
    page.picks.clear();
    let listed = match effect_texts::list_templates(work.app, &game, cursor.as_ref(), limit).await {
        Ok(listed) => listed.part,
        // The game has no templates: sentences are typed.
        Err(problem) if problem.code() == ProblemCode::NotFound => return Ok(Err(draft)),
        Err(problem) => return Err(problem),
    };
    page.choices = listed
        .data
        .into_iter()
        .map(|row| Offered { value: row.number.to_string(), text: readable(&row.template) })
        .collect();
    page.more = listed.next_cursor;
    Ok(Ok(private(PageStatus::OK, &page)?))
}

/// The chosen template with its filled placeholders; `None`: no template is chosen, or it no longer exists.
async fn chosen(
    work: &Work<'_>,
    draft: &Draft,
    game: &Code,
    cursor: Option<&Cursor>,
    limit: PageLimit,
) -> Result<Option<EffectStepResponse>, Problem> {
    let Ok(number) = draft.one("template").parse::<usize>() else { return Ok(None) };
    let Ok(picks) = Picks::try_from(draft.one("picks").to_owned()) else { return Ok(None) };
    match effect_choices::find(work.app, game, number, picks, cursor, limit).await {
        Ok(found) => Ok(Some(found.part)),
        // The texts of the game were changed in the meantime: the choice starts again.
        Err(problem) if problem.code().status() < 500 && problem.code().status() != 429 => Ok(None),
        Err(problem) => Err(problem),
    }
}

impl TemplatesPage<'_> {
    fn fill(&mut self, step: EffectStepResponse) {
        self.text = readable(&step.text);
        self.sentence = step.sentence;
        self.is_removed = step.removed;
        self.more = step.next_cursor;
        if let Some(next) = step.next {
            self.label = design_words::place(&readable(&next.placeholder));
        }
        self.choices = step
            .data
            .into_iter()
            .map(|choice| Offered { value: choice.index.to_string(), text: readable(&choice.text) })
            .collect();
    }
}

/// A text with its open placeholders in readable form: `<low_rank>` becomes `[low rank]`.
fn readable(text: &str) -> String {
    let mut readable = String::with_capacity(text.len());
    let mut is_place = false;
    for character in text.chars() {
        match character {
            '<' => {
                is_place = true;
                readable.push('[');
            }
            '>' => {
                is_place = false;
                readable.push(']');
            }
            '_' if is_place => readable.push(' '),
            character => readable.push(character),
        }
    }
    readable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_marked_in_the_text() {
        assert_eq!(readable("Tap one <low_rank> unit_x."), "Tap one [low rank] unit_x.");
    }
}
