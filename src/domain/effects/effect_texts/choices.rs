//! A template that is filled step by step.

use cardscape_engine::effect_text::{PickError, StepChoice};

use super::EffectLibrary;

/// Most picks of one question.
pub const MAX_PICKS: usize = 1_000;

/// Where a template stands after some picks, with some of the choices for its next place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChoiceStep {
    /// The sentence as far as it is chosen, before the phrase rules: open places as they are written.
    pub text: String,
    /// How many combinations are left.
    pub combinations: u64,
    /// What comes next.
    pub next: NextChoice,
}

/// What comes after some picks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextChoice {
    /// A place to choose for.
    Place {
        /// The place as it is written.
        placeholder: String,
        /// How many choices it has.
        count: usize,
        /// Those that were asked for.
        choices: Vec<StepChoice>,
    },
    /// All places are chosen.
    Finished {
        /// Number of the combination among those of all templates.
        number: u64,
        /// The sentence; `None`: the phrase rules leave it out.
        sentence: Option<String>,
    },
}

impl EffectLibrary {
    /// Where a template stands after some picks, with up to `most` choices for its next place, from the choice `from` on.
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

/// A number of combinations, which the check of the document has bounded.
pub fn counted(count: Option<u128>) -> u64 {
    count.and_then(|count| u64::try_from(count).ok()).unwrap_or(u64::MAX)
}
