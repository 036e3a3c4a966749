//! Fills templates step by step, with pages of choices instead of numbers of combinations.

use thiserror::Error;

use super::cursor::{Cursor, Place};
use super::effects::{Choice, Effects, MAX_SENTENCE, Part, product, shifted};

/// Maximum number of choices that [`Effects::picks_of`] returns, and of parts in the text of a [`Step`]. The length of a sentence does not limit
/// them, because values may be empty.
pub const MAX_PICKS: usize = MAX_SENTENCE;

/// A template of which some or all places are filled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The sentence so far, before the phrase rules, with open places as they are written (`<fodder>`).
    pub text: String,
    /// How many combinations are left, at least 1; `None` is more than 2¹²⁸ − 1.
    pub combinations: Option<u128>,
    /// The next place to choose for; `None`: all are chosen, and the text is a combination of the template.
    pub next: Option<OpenPlace>,
}

/// A place to choose for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenPlace {
    /// The place as it is written: `<n+1>`.
    pub placeholder: String,
    /// How many values there are to choose from; at least 1.
    pub choices: usize,
}

/// A value that a place may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepChoice {
    /// The value with its own places as they are written. The place's offset is already added to an integer; to a value that becomes an integer when
    /// its places are filled, it is added then.
    pub text: String,
    /// How many combinations the value has by itself, at least 1; `None` is more than 2¹²⁸ − 1.
    pub combinations: Option<u128>,
    /// The value's own places as they are written, each spelling once, in the order in which they are filled.
    pub places: Vec<String>,
}

/// Why picks are not valid for a template.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PickError {
    /// There is no template at this place of the list.
    #[error("there is no such template")]
    NoTemplate,
    /// A pick is not one of the choices.
    #[error("pick {at} must be below {choices}")]
    OutOfRange {
        /// Which pick, from 0.
        at: usize,
        /// How many choices its place has.
        choices: usize,
    },
    /// There are more picks than places.
    #[error("all places are chosen before pick {at}")]
    TooMany {
        /// The first pick that no place is left for, from 0.
        at: usize,
    },
    /// The sentence so far has too many parts to be written.
    #[error(
        "the sentence so far would be longer than {MAX_SENTENCE} bytes, or have more than {MAX_PICKS} parts"
    )]
    TooLong,
}

impl Effects {
    /// The state of a template after some choices.
    ///
    /// `picks` has for each place, in the order in which steps ask for them, the index of its choice from 0: depth first, so that the places of a
    /// chosen value come before the next place of the template. A place that is written twice in the same way is asked for once.
    ///
    /// ```
    /// use cardscape_engine::effect_text::{Effects, Placeholders, Template};
    ///
    /// let placeholders = Placeholders::new([("n", "1\n2\n3\n"), ("act", "draw <n>\nrest\n")]);
    /// let effects = Effects::new(vec![Template::parse("Pay <n>: <act>")?], &placeholders)?;
    ///
    /// let step = effects.step(0, &[1])?;
    /// assert_eq!((step.text.as_str(), step.combinations), ("Pay 2: <act>", Some(4)));
    /// let next = step.next.unwrap();
    /// assert_eq!((next.placeholder.as_str(), next.choices), ("<act>", 2));
    ///
    /// let choices = effects.step_choices(0, &[1], 0, 10)?;
    /// assert_eq!((choices[0].text.as_str(), choices[0].combinations), ("draw <n>", Some(3)));
    /// assert_eq!(choices[0].places, ["<n>"]);
    ///
    /// assert_eq!(effects.step(0, &[1, 0])?.text, "Pay 2: draw <n>");
    /// let done = effects.step(0, &[1, 0, 2])?;
    /// assert_eq!((done.text.as_str(), done.next), ("Pay 2: draw 3", None));
    /// assert_eq!(effects.index_of_picks(0, &[1, 0, 2])?, Some(6));
    /// assert_eq!(effects.picks_of(0, 6), Some(vec![1, 0, 2]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the template does not exist, a pick is not one of its place's choices, there are more picks than places, or the text would be too long.
    pub fn step(&self, template: usize, picks: &[usize]) -> Result<Step, PickError> {
        let cursor = self.picked(template, picks)?;
        let (mut text, mut parts) = (String::new(), MAX_PICKS);
        self.render_open(&cursor, &mut text, &mut parts)?;
        let next = self.open_slot(&cursor).map(|slot| self.slot(slot));
        Ok(Step {
            text,
            combinations: self.combinations_left(&cursor),
            next: next.map(|slot| OpenPlace {
                placeholder: slot.placeholder.to_string(),
                choices: slot.choices.len(),
            }),
        })
    }

    /// The choices of the next place after these picks from this index on, in the order of the value's file, at most `limit`. Empty when all places
    /// are chosen or the place has no more choices.
    ///
    /// # Errors
    /// Those of [`Effects::step`], but never [`PickError::TooLong`].
    pub fn step_choices(
        &self,
        template: usize,
        picks: &[usize],
        from: usize,
        limit: usize,
    ) -> Result<Vec<StepChoice>, PickError> {
        let cursor = self.picked(template, picks)?;
        let choices =
            self.open_slot(&cursor).map_or(&[][..], |slot| self.slot(slot).choices.as_slice());
        Ok(choices.iter().skip(from).take(limit).map(|choice| self.step_choice(choice)).collect())
    }

    /// The picks of the combination with this number of a template: the inverse of [`Effects::index_of_picks`]. `None` when there is no such
    /// combination, or when it has more than [`MAX_PICKS`] places.
    pub fn picks_of(&self, template: usize, index: u128) -> Option<Vec<usize>> {
        let root = self.root(template)?;
        if self.sequence(root).count.is_some_and(|count| count <= index) {
            return None;
        }
        let mut picks = Vec::new();
        self.unrank_picks(root, index, &mut picks)?;
        Some(picks)
    }

    /// The number of a combination, as [`Effects::nth_of`] counts them. `None` while places are open, and when the number is more than 2¹²⁸ − 1.
    ///
    /// # Errors
    /// Those of [`Effects::step`], but never [`PickError::TooLong`].
    pub fn index_of_picks(
        &self,
        template: usize,
        picks: &[usize],
    ) -> Result<Option<u128>, PickError> {
        let cursor = self.picked(template, picks)?;
        Ok(if self.open_slot(&cursor).is_none() { self.rank(&cursor) } else { None })
    }

    /// The cursor of these picks, which has only the places that are filled. Only the last place of each level may have open places in it.
    fn picked(&self, template: usize, picks: &[usize]) -> Result<Cursor, PickError> {
        let root = self.root(template).ok_or(PickError::NoTemplate)?;
        let mut at = 0;
        let cursor = self.pick(root, picks, &mut at)?;
        if at < picks.len() { Err(PickError::TooMany { at }) } else { Ok(cursor) }
    }

    fn pick(&self, sequence: u32, picks: &[usize], at: &mut usize) -> Result<Cursor, PickError> {
        let mut places = Vec::new();
        for &slot in &self.sequence(sequence).slots {
            let Some(&choice) = picks.get(*at) else { break };
            let choices = &self.slot(slot).choices;
            let Some(value) = choices.get(choice) else {
                return Err(PickError::OutOfRange { at: *at, choices: choices.len() });
            };
            *at += 1;
            let within = match value.within() {
                Some(sequence) => Some(Box::new(self.pick(sequence, picks, at)?)),
                None => None,
            };
            places.push(Place { choice, within });
        }
        Ok(Cursor { sequence, places })
    }

    /// The first place that is not filled.
    fn open_slot(&self, cursor: &Cursor) -> Option<u32> {
        let last = cursor.places.last().and_then(|place| place.within.as_ref());
        last.and_then(|within| self.open_slot(within))
            .or_else(|| self.sequence(cursor.sequence).slots.get(cursor.places.len()).copied())
    }

    fn combinations_left(&self, cursor: &Cursor) -> Option<u128> {
        let known = self.sequence(cursor.sequence);
        let Some(last) = cursor.places.len().checked_sub(1) else { return known.count };
        let within = cursor.places[last].within.as_ref();
        product(
            known.weights[last],
            within.map_or(Some(1), |within| self.combinations_left(within)),
        )
    }

    /// Appends what is chosen as text. `parts` is how many parts may still be written.
    fn render_open(
        &self,
        cursor: &Cursor,
        text: &mut String,
        parts: &mut usize,
    ) -> Result<(), PickError> {
        let known = self.sequence(cursor.sequence);
        for part in &known.parts {
            *parts = parts.checked_sub(1).ok_or(PickError::TooLong)?;
            match part {
                Part::Text(words) => text.push_str(words),
                Part::Slot(at) => {
                    let slot = self.slot(known.slots[*at]);
                    match cursor.places.get(*at) {
                        None => text.push_str(&slot.placeholder.to_string()),
                        Some(Place { choice, within }) => match (&slot.choices[*choice], within) {
                            (Choice::Text(words), _) => text.push_str(words),
                            (Choice::Sequence(_), Some(within)) => {
                                self.render_open(within, text, parts)?;
                            }
                            (Choice::Number(_, added), Some(within)) => {
                                let begin = text.len();
                                self.render_open(within, text, parts)?;
                                // A text with an open place has brackets, so it is not an integer.
                                let number = shifted(&text[begin..], added);
                                text.truncate(begin);
                                text.push_str(&number);
                            }
                            (Choice::Sequence(_) | Choice::Number(..), None) => {}
                        },
                    }
                }
            }
            if text.len() > MAX_SENTENCE {
                return Err(PickError::TooLong);
            }
        }
        Ok(())
    }

    fn step_choice(&self, choice: &Choice) -> StepChoice {
        let sequence = match choice {
            Choice::Text(words) => {
                let text = words.to_string();
                return StepChoice { text, combinations: Some(1), places: Vec::new() };
            }
            Choice::Sequence(sequence) | Choice::Number(sequence, _) => self.sequence(*sequence),
        };
        let written: Vec<String> =
            sequence.slots.iter().map(|&slot| self.slot(slot).placeholder.to_string()).collect();
        let part = |part: &Part| match part {
            Part::Text(words) => words.to_string(),
            Part::Slot(at) => written[*at].clone(),
        };
        StepChoice {
            text: sequence.parts.iter().map(part).collect(),
            combinations: sequence.count,
            places: written,
        }
    }

    fn unrank_picks(&self, sequence: u32, mut index: u128, picks: &mut Vec<usize>) -> Option<()> {
        let known = self.sequence(sequence);
        for (&slot, &weight) in known.slots.iter().zip(&known.weights) {
            // A weight that is too large to be counted is more than any index.
            let digit = weight.map_or(0, |weight| index / weight);
            index = weight.map_or(index, |weight| index % weight);
            let (choice, rest) = self.choice_at(slot, digit);
            if picks.len() >= MAX_PICKS {
                return None;
            }
            picks.push(choice);
            if let Some(within) = self.slot(slot).choices[choice].within() {
                self.unrank_picks(within, rest, picks)?;
            }
        }
        Some(())
    }
}
