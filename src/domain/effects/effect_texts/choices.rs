//! Filling a template step by step.

use cardscape_engine::effect_text::{PickError, StepChoice};

use super::EffectLibrary;

/// Most picks of one request.
pub const MAX_PICKS: usize = 1_000;

/// The state of a template after some picks, with some of the choices for its next place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChoiceStep {
    /// The sentence with the chosen values, before the phrase rules; open places are shown as placeholders.
    pub text: String,
    /// How many combinations remain.
    pub combinations: u64,
    /// The next step.
    pub next: NextChoice,
}

/// The next step after some picks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextChoice {
    /// A place needs a choice.
    Place {
        /// The placeholder of the place, as the template writes it.
        placeholder: String,
        /// How many choices the place has.
        count: usize,
        /// The requested choices.
        choices: Vec<StepChoice>,
    },
    /// All places have a value.
    Finished {
        /// Number of the combination among those of all templates.
        number: u64,
        /// The sentence; `None`: the phrase rules remove it.
        sentence: Option<String>,
    },
}

impl EffectLibrary {
    /// The state of a template after some picks, with up to `most` choices for its next place, from the choice `from` on.
    pub fn choices(
        &self,
        template: usize,
        picks: &[usize],
        from: usize,
        most: usize,
    ) -> Result<ChoiceStep, PickError> {
        let effects = self.effects();
        let step = effects.step(template, picks)?;
        let combinations = counted(step.combinations);
        let next = match step.next {
            Some(place) => NextChoice::Place {
                placeholder: place.placeholder,
                count: place.choices,
                choices: effects.step_choices(template, picks, from, most)?,
            },
            None => {
                let combination = counted(effects.index_of_picks(template, picks)?);
                NextChoice::Finished {
                    number: self.number_of(template, combination).unwrap_or_default(),
                    sentence: self.rules().render(&step.text),
                }
            }
        };
        Ok(ChoiceStep { text: step.text, combinations, next })
    }
}

/// Converts a number of combinations; the check of the document limits it to 64 bits.
pub fn counted(count: Option<u128>) -> u64 {
    count.and_then(|count| u64::try_from(count).ok()).unwrap_or(u64::MAX)
}
