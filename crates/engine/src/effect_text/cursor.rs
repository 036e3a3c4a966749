//! One combination of a template, and the steps from one to the next.

use super::effects::{Binding, Choice, Effects, Part, shifted};

/// A combination: the content of each place of a sequence.
#[derive(Clone, Debug)]
pub(super) struct Cursor {
    pub(super) sequence: u32,
    pub(super) places: Vec<Place>,
}

/// The content of a place.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Index of the choice.
    pub(super) choice: usize,
    /// The combination of a choice that has places itself.
    pub(super) within: Option<Box<Cursor>>,
}

impl Effects {
    /// The combination of this number of a template; `None` when there is none.
    pub(super) fn cursor_at(&self, template: usize, index: u128) -> Option<Cursor> {
        let root = self.root(template)?;
        match self.sequence(root).count {
            Some(count) if count <= index => None,
            _ => Some(self.unrank(root, index)),
        }
    }

    pub(super) fn unrank(&self, sequence: u32, mut index: u128) -> Cursor {
        let known = self.sequence(sequence);
        let places = known.slots.iter().zip(&known.weights).map(|(&slot, weight)| {
            // A weight that is too large to be counted is more than any index.
            let digit = weight.map_or(0, |weight| index / weight);
            index = weight.map_or(index, |weight| index % weight);
            self.place_at(slot, digit)
        });
        Cursor { sequence, places: places.collect() }
    }

    /// The first combination.
    fn first(&self, sequence: u32) -> Cursor {
        let mut cursor = Cursor { sequence, places: Vec::new() };
        self.restart(&mut cursor, sequence);
        cursor
    }

    /// Resets a cursor to the first combination and reuses its memory.
    fn restart(&self, cursor: &mut Cursor, sequence: u32) {
        cursor.sequence = sequence;
        cursor.places.clear();
        cursor.places.extend(self.sequence(sequence).slots.iter().map(|&slot| {
            let within = self.slot(slot).choices[0].within();
            Place { choice: 0, within: within.map(|sequence| Box::new(self.first(sequence))) }
        }));
    }

    fn place_at(&self, slot: u32, index: u128) -> Place {
        let (choice, rest) = self.choice_at(slot, index);
        let within = self.slot(slot).choices[choice].within();
        Place { choice, within: within.map(|sequence| Box::new(self.unrank(sequence, rest))) }
    }

    /// The choice that has the place's combination of this number, and the number of that combination within the choice.
    pub(super) fn choice_at(&self, slot: u32, index: u128) -> (usize, u128) {
        let ends = &self.slot(slot).ends;
        let choice = ends.partition_point(|end| end.is_some_and(|end| end <= index));
        let before = choice.checked_sub(1).and_then(|before| ends[before]).unwrap_or(0);
        (choice, index - before)
    }

    /// The number of a combination; `None` when it is more than 2¹²⁸ − 1.
    pub(super) fn rank(&self, cursor: &Cursor) -> Option<u128> {
        let known = self.sequence(cursor.sequence);
        let mut rank = 0_u128;
        for ((place, &slot), weight) in cursor.places.iter().zip(&known.slots).zip(&known.weights) {
            let within = place.within.as_ref().map_or(Some(0), |within| self.rank(within))?;
            let before =
                place.choice.checked_sub(1).map_or(Some(0), |at| self.slot(slot).ends[at])?;
            let digit = before.checked_add(within)?;
            if digit > 0 {
                rank = digit.checked_mul((*weight)?)?.checked_add(rank)?;
            }
        }
        Some(rank)
    }

    /// Steps to the next combination and returns the first place that changed. After the last combination it goes back to the first and returns
    /// `None`.
    pub(super) fn advance(&self, cursor: &mut Cursor) -> Option<usize> {
        let slots = &self.sequence(cursor.sequence).slots;
        for (at, (place, &slot)) in cursor.places.iter_mut().zip(slots).enumerate().rev() {
            if place.within.as_mut().is_some_and(|within| self.advance(within).is_some()) {
                return Some(at);
            }
            let choices = &self.slot(slot).choices;
            place.choice += 1;
            let more = place.choice < choices.len();
            if !more {
                place.choice = 0;
            }
            let within = choices[place.choice].within();
            match (&mut place.within, within) {
                (Some(cursor), Some(sequence)) => self.restart(cursor, sequence),
                (before, within) => {
                    *before = within.map(|sequence| Box::new(self.first(sequence)));
                }
            }
            if more {
                return Some(at);
            }
        }
        None
    }

    /// Overwrites the text of the previous combination. On entry `begins` has the offsets of the parts that stay and of the first part that does not;
    /// if it is empty, all parts are new. On return it has the offsets of all parts.
    pub(super) fn render_rest(&self, cursor: &Cursor, text: &mut String, begins: &mut Vec<usize>) {
        let known = self.sequence(cursor.sequence);
        text.truncate(begins.pop().unwrap_or(0));
        for part in &known.parts[begins.len()..] {
            begins.push(text.len());
            match part {
                Part::Text(words) => text.push_str(words),
                Part::Slot(at) => self.render_place(known.slots[*at], &cursor.places[*at], text),
            }
        }
    }

    /// Keeps the offsets up to the first part that shows this place or a later one, and removes those after it.
    pub(super) fn truncate_after(&self, cursor: &Cursor, changed: usize, begins: &mut Vec<usize>) {
        let parts = &self.sequence(cursor.sequence).parts;
        let shows = |part: &Part| matches!(part, Part::Slot(at) if *at >= changed);
        begins.truncate(parts.iter().position(shows).map_or(0, |first| first + 1));
    }

    pub(super) fn text_of(&self, cursor: &Cursor) -> String {
        let mut text = String::new();
        self.render(cursor, &mut text);
        text
    }

    /// Appends a combination as text.
    pub(super) fn render(&self, cursor: &Cursor, text: &mut String) {
        let known = self.sequence(cursor.sequence);
        for part in &known.parts {
            match part {
                Part::Text(words) => text.push_str(words),
                Part::Slot(at) => self.render_place(known.slots[*at], &cursor.places[*at], text),
            }
        }
    }

    pub(super) fn render_place(&self, slot: u32, place: &Place, text: &mut String) {
        match (&self.slot(slot).choices[place.choice], &place.within) {
            (Choice::Text(words), _) => text.push_str(words),
            (Choice::Sequence(_), Some(within)) => self.render(within, text),
            (Choice::Number(_, added), Some(within)) => {
                let begin = text.len();
                self.render(within, text);
                let number = shifted(&text[begin..], added);
                text.truncate(begin);
                text.push_str(&number);
            }
            (Choice::Sequence(_) | Choice::Number(..), None) => {}
        }
    }

    pub(super) fn bindings_of(&self, cursor: &Cursor) -> Vec<Binding> {
        let slots = &self.sequence(cursor.sequence).slots;
        let bindings = cursor.places.iter().zip(slots).map(|(place, &slot)| {
            let mut value = String::new();
            self.render_place(slot, place, &mut value);
            Binding {
                placeholder: self.slot(slot).placeholder.to_string(),
                value,
                within: place
                    .within
                    .as_ref()
                    .map_or_else(Vec::new, |within| self.bindings_of(within)),
            }
        });
        bindings.collect()
    }
}
