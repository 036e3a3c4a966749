//! Builds the sentence of an effect from a template: the visitor chooses a template, then a value for each placeholder.

use actix_web::HttpResponse;
use askama::Template;
use cardscape_engine::effect_text::{Piece, Template as Sentence};

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

/// What comes after a choice.
pub(super) enum Chosen {
    /// The page of the next choice.
    Page(HttpResponse),
    /// The sentence is complete and part of the draft.
    Sentence(Draft),
    /// The game has no templates: sentences are typed.
    NoTemplates(Draft),
}

/// Shows the next choice. `go`: the pressed button.
pub(super) async fn choose(work: &Work<'_>, mut draft: Draft, go: &str) -> Result<Chosen, Problem> {
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
            return Ok(Chosen::Sentence(draft));
        }
        page.fill(step);
        return Ok(Chosen::Page(private(PageStatus::OK, &page)?));
    }
    page.template.clear();
    page.picks.clear();
    // A cursor into the values of a template is none into the list of templates.
    let cursor = cursor.filter(|_| draft.one("template").is_empty());
    let listed = match effect_texts::list_templates(work.app, &game, cursor.as_ref(), limit).await {
        Ok(listed) => listed.part,
        Err(problem) if problem.code() == ProblemCode::NotFound => {
            return Ok(Chosen::NoTemplates(draft));
        }
        Err(problem) => return Err(problem),
    };
    if listed.data.is_empty() && cursor.is_none() {
        return Ok(Chosen::NoTemplates(draft));
    }
    page.choices = listed
        .data
        .into_iter()
        .map(|row| Offered { value: row.number.to_string(), text: readable(&row.template) })
        .collect();
    page.more = listed.next_cursor;
    Ok(Chosen::Page(private(PageStatus::OK, &page)?))
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
            .map(|choice| Offered { value: choice.index.to_string(), text: shown(&choice.text) })
            .collect();
    }
}

/// A value that can be chosen. The value that is nothing has words, because an empty line of the list says nothing.
fn shown(value: &str) -> String {
    if value.is_empty() { design_words::NO_VALUE.to_owned() } else { readable(value) }
}

/// A text with its open placeholders in readable form: `<low_rank>` becomes `[low rank]`. Other brackets stay.
fn readable(text: &str) -> String {
    let mut readable = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('<') {
        let (before, from) = rest.split_at(open);
        readable.push_str(before);
        rest = if let Some((name, after)) = open_place(from) {
            readable.push('[');
            readable.push_str(&name.replace('_', " "));
            readable.push(']');
            after
        } else {
            readable.push('<');
            &from[1..]
        };
    }
    readable.push_str(rest);
    readable
}

/// The placeholder with which a text begins, without its brackets, and the text after it; `None`: the text does not begin with
/// a placeholder.
fn open_place(text: &str) -> Option<(&str, &str)> {
    let (place, after) = text.split_at(text.find('>')? + 1);
    let read = Sentence::parse_whole(place).ok()?;
    let [Piece::Placeholder(_)] = read.pieces() else { return None };
    Some((&place[1..place.len() - 1], after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_marked_in_the_text() {
        assert_eq!(readable("Tap one <low_rank> unit_x."), "Tap one [low rank] unit_x.");
        assert_eq!(readable("<n+1>/<ßig_é>"), "[n+1]/[ßig é]");
    }

    #[test]
    fn other_brackets_stay() {
        for text in ["Tap a unit with attack > 100 and rank < 3.", "<>", "a <", "> <", "<a b>"] {
            assert_eq!(readable(text), text);
        }
        assert_eq!(readable("Rank < 3 or <> > <low_rank>."), "Rank < 3 or <> > [low rank].");
    }

    #[test]
    fn a_value_that_is_nothing_has_words() {
        assert_eq!(shown(""), "(nothing)");
        assert_eq!(shown("or <rank>"), "or [rank]");
    }
}
