//! Filling a template step by step: the possible values of each placeholder, in pages.

use cardscape_engine::effect_text::{PickError, StepChoice};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::effect_texts::{Versioned, load};
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::domain::effects::effect_texts::{ChoiceStep, MAX_PICKS, NextChoice, counted};

/// The index of the chosen value for each placeholder so far: numbers from 0, separated by commas. Empty: nothing is
/// chosen yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Picks(Vec<usize>);

impl TryFrom<String> for Picks {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        let written: Vec<&str> = text.split(',').take(MAX_PICKS + 1).collect();
        if written.len() > MAX_PICKS {
            return Err(format!("must be at most {MAX_PICKS} picks"));
        }
        let read = |(number, pick): (usize, &&str)| {
            // Each number is written in one way only, so that the place of a pick follows from those before it.
            let is_padded = pick.len() > 1 && pick.starts_with('0');
            let is_digits = !pick.is_empty() && pick.bytes().all(|byte| byte.is_ascii_digit());
            let is_number = is_digits && !is_padded;
            let pick = is_number.then(|| pick.parse().unwrap_or(usize::MAX));
            pick.ok_or_else(|| {
                format!("pick {number} must be a whole number from 0, without zeros before it")
            })
        };
        (1..).zip(&written).map(read).collect::<Result<_, _>>().map(Self)
    }
}

impl Picks {
    /// Converts an error in the picks. Picks are counted from 1; the column is the character where the pick begins.
    fn refused(&self, error: PickError) -> Problem {
        let (at, detail) = match error {
            PickError::NoTemplate => return Problem::not_found(),
            PickError::OutOfRange { at, choices } => {
                (at, format!("pick {} must be 0 to {}", at + 1, choices - 1))
            }
            PickError::TooMany { at } => {
                let given = self.0.len();
                (at, format!("has {given} picks, but after {at} there is no place to choose for"))
            }
            PickError::TooLong => (0, "makes a sentence that is too long".to_owned()),
        };
        let before = self.0.iter().take(at).map(|pick| pick.to_string().len() + 1);
        let column = Some(before.sum::<usize>() + 1);
        let fault = InputFault { column, ..InputFault::at("?picks", detail) };
        Problem::of_query(vec![fault])
    }
}

/// A place of a template for which a value is to be chosen.
#[derive(Serialize, ToSchema)]
pub struct EffectPlaceResponse {
    /// The place, as it is written; `<n+1>` adds one to the number that is chosen.
    #[schema(example = "<deed>")]
    pub placeholder: String,
    /// Number of choices on all pages together.
    #[schema(example = 37, minimum = 1)]
    pub choices: usize,
}

/// A value that can be chosen for the place.
#[derive(Serialize, ToSchema)]
pub struct EffectChoiceResponse {
    /// The index to add to `picks` to choose this value.
    #[schema(example = 0, minimum = 0)]
    pub index: usize,
    /// The value; its own places are shown as they are written.
    #[schema(example = "draw one card")]
    pub text: String,
    /// Number of combinations of the value itself; 1 if it has no places.
    #[schema(example = 1, minimum = 1, maximum = 9_007_199_254_740_991_u64)]
    pub combinations: u64,
    /// The value's own places, in the order in which their values are chosen, directly after this one.
    #[schema(example = json!([]))]
    pub places: Vec<String>,
}

impl EffectChoiceResponse {
    fn new((index, choice): (usize, StepChoice)) -> Self {
        let StepChoice { text, combinations, places } = choice;
        Self { index, text, combinations: counted(combinations), places }
    }
}

/// A template of which some or all places are filled, and a page of choices for its next place.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({
    "template": 34, "text": "Discard one card to <deed>.", "combinations": 37,
    "next": { "placeholder": "<deed>", "choices": 17 },
    "data": [
        { "index": 0, "text": "draw one card", "combinations": 1, "places": [] },
        { "index": 1, "text": "tap one <low_rank> enemy unit", "combinations": 3, "places": ["<low_rank>"] },
    ],
    "next_cursor": "WzEsMl0",
    "removed": false,
}))]
pub struct EffectStepResponse {
    /// Number of the template, from 1.
    #[schema(example = 34, minimum = 1)]
    pub template: usize,
    /// The sentence so far, before the phrase rules; open places are shown as they are written.
    #[schema(example = "Discard one card to <deed>.")]
    pub text: String,
    /// Number of combinations that are left; 1 if all places are filled.
    #[schema(example = 37, minimum = 1, maximum = 9_007_199_254_740_991_u64)]
    pub combinations: u64,
    /// The next place for which a value is to be chosen; absent if all places are filled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<EffectPlaceResponse>,
    /// A page of the choices for the next place, in the order of its values; empty if all places are filled.
    pub data: Vec<EffectChoiceResponse>,
    /// Send it as `cursor`, with the same `picks`, to get the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Number of the combination among those of all templates, as in `GET /v1/games/{game}/effects`. Absent unless all places are filled.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 1204)]
    pub number: Option<u64>,
    /// The finished sentence, after the phrase rules. Present only if all places are filled and the phrase rules do not remove it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Discard one card to draw one card.")]
    pub sentence: Option<String>,
    /// Whether all places are filled and the phrase rules remove the sentence, or leave nothing of it: no card may have it.
    #[schema(example = false)]
    pub removed: bool,
}

impl EffectStepResponse {
    fn new(
        template: usize,
        step: ChoiceStep,
        from: usize,
        cursor: impl Fn(usize) -> String,
    ) -> Self {
        let ChoiceStep { text, combinations, next } = step;
        let open = Self {
            template,
            text,
            combinations,
            next: None,
            data: Vec::new(),
            next_cursor: None,
            number: None,
            sentence: None,
            removed: false,
        };
        match next {
            NextChoice::Place { placeholder, count, choices } => {
                let after = from.saturating_add(choices.len());
                Self {
                    next: Some(EffectPlaceResponse { placeholder, choices: count }),
                    next_cursor: (after < count && !choices.is_empty()).then(|| cursor(after)),
                    data: (from..).zip(choices).map(EffectChoiceResponse::new).collect(),
                    ..open
                }
            }
            NextChoice::Finished { number, sentence } => {
                Self { number: Some(number), removed: sentence.is_none(), sentence, ..open }
            }
        }
    }
}

/// Shows a template, by its number from 1, after some picks, with a page of the choices for its next placeholder. The
/// key of a cursor is the revision of the effect texts and the index of a choice.
pub async fn find(
    app: &AppState,
    game: &Code,
    number: usize,
    picks: Picks,
    cursor: Option<&Cursor>,
    limit: PageLimit,
) -> Result<Versioned<EffectStepResponse>, Problem> {
    let loaded = load(app, game).await?;
    let template = number.checked_sub(1).ok_or_else(Problem::not_found)?;
    let revision = loaded.revision;
    let from = match cursor.map(Cursor::key::<(i64, usize)>).transpose()? {
        Some((of, _)) if of != revision => {
            return Err(Problem::new(ProblemCode::InvalidCursor)
                .detail("The effect texts were changed since: begin again."));
        }
        Some((_, from)) => from,
        None => 0,
    };
    let (library, most) = (loaded.clone(), limit.items());
    let find = move || {
        let step = library.library.choices(template, &picks.0, from, most);
        step.map_err(|error| picks.refused(error))
    };
    let step = app.work.run(find).await??;
    let cursor = |next: usize| Cursor::at(&(revision, next));
    Ok(Versioned::of(&loaded, EffectStepResponse::new(number, step, from, cursor)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picks_are_numbers_with_commas_between_them() {
        let read = |text: &str| Picks::try_from(text.to_owned());
        assert_eq!(read(""), Ok(Picks(vec![])));
        assert_eq!(read("0,12,3"), Ok(Picks(vec![0, 12, 3])));
        // Larger than the index of any list.
        assert_eq!(read("99999999999999999999999"), Ok(Picks(vec![usize::MAX])));
        for (wrong, number) in
            [("0,,1", 2), ("-1", 1), ("1, 2", 2), ("1,2,+3", 3), ("a", 1), ("0,007", 2), ("00", 1)]
        {
            let message =
                format!("pick {number} must be a whole number from 0, without zeros before it");
            assert_eq!(read(wrong), Err(message), "{wrong}");
        }
        assert!(read(&"0,".repeat(MAX_PICKS)).is_err());
        assert!(read(&vec!["0"; MAX_PICKS].join(",")).is_ok());
    }
}
