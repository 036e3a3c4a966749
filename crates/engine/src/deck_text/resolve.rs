//! Decides which card a line means, from the cards of a catalogue alone: a catalogue of the cards that a viewer may see reveals no others.
//!
//! | File | What it decides |
//! |---|---|
//! | `entries`, `headings` | whether a line is an entry, and in which zone |
//! | `readings` | the ways to read a line |
//! | `names`, `accents`, `exact`, `places`, `symbols` | which card a reading means: by name, with other accents, as it is written, by set and number, by symbol |
//! | `rows`, `several` | the entries of a row of symbols, and of a line with several cards |
//! | `unknown` | what becomes of a line without a card |
//! | `resolver`, `verdicts` | what these files share |

mod accents;
mod entries;
mod exact;
mod headings;
mod names;
mod places;
mod readings;
mod resolver;
mod rows;
mod several;
mod symbols;
mod unknown;
mod verdicts;

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::draft::{Content, DECK_LINES_MAX, Draft, DraftEntry, DraftLine, Parts};
use super::line::{has_marks, without_count};
use super::read_deck::{IgnoredReason, LineVerdict, ReadDeck, ReadLine};
use super::text::TextEncoding;
use super::zones::{Place, Role, is_heading, main_zone, place, side_zone, zone_code};
use super::{DeckDialect, DeckReading};
use crate::deck::{Deck, MAIN_ZONE};
use crate::manifest::Game;
use crate::suggest::SUGGESTED_NAMES_MAX;
use entries::enter_place;
use headings::{in_brackets, label_in_brackets};
use resolver::Resolver;

pub use headings::is_known_heading;
pub(super) use headings::{is_fact, is_sum, is_total, stated_name};
pub(super) use names::is_same_spelling;
pub(super) use readings::{names_with_marks, readings, with_joined_count};
pub use resolver::CANDIDATES_MAX;

/// Finds the cards of the lines of a draft and gives a verdict on each line.
pub(super) fn resolve(
    draft: Draft<'_>,
    dialect: DeckDialect,
    is_recognised: bool,
    reading: &DeckReading<'_>,
) -> ReadDeck {
    let resolver = Resolver::new(reading, &draft, dialect, is_recognised);
    let leading = leading_lines(&draft);
    let game = reading.catalogue.game();
    let side_begins =
        blank_line_of_side(&draft, &resolver).and_then(|line| Some((line, side_zone(game)?)));
    let mut read = ReadDeck {
        dialect,
        recognised_by: None,
        encoding: TextEncoding::Utf8,
        game: None,
        deck: Deck::default(),
        lines: Vec::with_capacity(draft.lines.len()),
        lines_left_out: draft.left_out,
        suggestions_left_out: 0,
        notes: draft.notes,
        outside: Vec::new(),
    };
    read.deck.entries.reserve(draft.lines.len());
    let is_own = dialect == DeckDialect::Own;
    let first = if is_own { zone_code(game, MAIN_ZONE) } else { main_zone(game).to_owned() };
    let mut current_place = resolver.zone(&first);
    for DraftLine { line, text, content } in draft.lines {
        let content = match content {
            Content::Section(label) if resolver.is_card_rather_than_zone(&label, &text) => {
                entry_of_name(text.clone())
            }
            Content::Entry(entry) if resolver.has_zone_in_name(&entry, &text) => {
                entry_of_name(text.clone())
            }
            Content::Section(label) if resolver.is_card_in_brackets(&label, &text) => {
                entry_in_brackets(label)
            }
            Content::Zone(_) if resolver.is_marked_card_in_brackets(&text) => {
                entry_in_brackets(Cow::Owned(in_brackets(&text).unwrap_or_default().to_owned()))
            }
            other => other,
        };
        let ignored = match content {
            Content::Blank => match &side_begins {
                Some((begins, zone)) if *begins == line => {
                    current_place = Place::Zone { code: zone.clone(), known: true };
                    IgnoredReason::BlankLine { zone: zone.clone() }
                }
                _ => {
                    if dialect.has_blank_line() && resolver.is_leader_done(&current_place, &read) {
                        current_place = resolver.zone(&first);
                    }
                    continue;
                }
            },
            Content::Ignored(reason) => reason,
            Content::Note(key, value) => {
                read.notes.entry(key.to_owned()).or_insert_with(|| value.trim().to_owned());
                IgnoredReason::Note { key: key.to_owned() }
            }
            Content::Comment(comment) => {
                let ignored = resolver.comment(comment, &mut current_place, &mut read);
                let is_kind = ignored == IgnoredReason::Comment
                    && resolver.reads_headings_in_comments()
                    && is_heading(game, without_count(comment));
                if is_kind && resolver.is_leader_done(&current_place, &read) {
                    current_place = resolver.zone(&first);
                }
                ignored
            }
            Content::Zone(code) if resolver.is_heading_rather_than_zone(&code, &text) => {
                IgnoredReason::Heading
            }
            Content::Zone(code) => {
                current_place = resolver.zone(&code);
                IgnoredReason::ZoneHeader { zone: code }
            }
            Content::Section(label) => {
                let place = match section(game, &label) {
                    // A section of Forge that the game does not know is not a heading within the section before it.
                    Place::Category
                        if dialect == DeckDialect::Forge && !is_heading(game, &label) =>
                    {
                        Place::Outside
                    }
                    place => place,
                };
                enter_place(place, &mut current_place)
            }
            Content::RareSection(label) => {
                let place = match place(game, label) {
                    Place::Category => Place::Outside,
                    place => place,
                };
                enter_place(place, &mut current_place)
            }
            Content::Entry(entry) => {
                if let Some(found) = resolver.as_spelled(&entry, &text, &current_place) {
                    let (text, position) = (text.into_owned(), Some(read.deck.entries.len()));
                    read.deck.entries.push(found);
                    let (verdict, tags) = (LineVerdict::Accepted, Vec::new());
                    read.lines.push(ReadLine { line, text, entry: position, verdict, tags });
                    continue;
                }
                let row = resolver.row(&entry, &current_place);
                if let Some(row) = row.or_else(|| resolver.several(&entry, &current_place)) {
                    // A list of long rows must not have more results than one of short lines.
                    if read.lines.len() + row.len() > DECK_LINES_MAX {
                        read.lines_left_out += 1;
                        continue;
                    }
                    for (text, (entry, verdict, tags)) in row {
                        let position = Some(read.deck.entries.len());
                        read.deck.entries.push(entry);
                        read.lines.push(ReadLine { line, text, entry: position, verdict, tags });
                    }
                    continue;
                }
                let leads = leading.contains(&line);
                match resolver.line(*entry, (&text, leads), &mut current_place) {
                    Ok((entry, verdict, tags)) => {
                        let (text, position) = (text.into_owned(), Some(read.deck.entries.len()));
                        read.deck.entries.push(entry);
                        read.lines.push(ReadLine { line, text, entry: position, verdict, tags });
                        continue;
                    }
                    Err(reason) => reason,
                }
            }
        };
        if ignored == IgnoredReason::Heading {
            if current_place == Place::Outside {
                read.outside.push(line);
            } else if resolver.is_leader_done(&current_place, &read) {
                current_place = resolver.zone(&first);
            }
        }
        read.lines.push(ReadLine {
            line,
            text: text.into_owned(),
            entry: None,
            verdict: LineVerdict::Ignored(ignored),
            tags: Vec::new(),
        });
    }
    read.suggestions_left_out = resolver.unknown_names.get().saturating_sub(SUGGESTED_NAMES_MAX);
    read
}

impl Resolver<'_> {
    /// Whether a list is in the zone of its commander or companion and has a card of it. Few cards are in such a zone, so that a heading of a kind of cards, or a
    /// blank line, ends it.
    fn is_leader_done(&self, current_place: &Place, read: &ReadDeck) -> bool {
        let Place::Zone { code, .. } = current_place else { return false };
        let role = Role::of_zone(self.catalogue.game().zones(), code);
        matches!(role, Some(Role::Commander | Role::Companion))
            && read.deck.entries.last().is_some_and(|last| last.zone == *code)
    }
}

/// What a header means. Its label may have a count: `[Sideboard (15)]`.
fn section(game: &Game, label: &str) -> Place {
    match place(game, label) {
        Place::Category => place(game, without_count(label)),
        place => place,
    }
}

/// The entry of a line that is the name of a card, whatever else it looks like.
fn entry_of_name(name: Cow<'_, str>) -> Content<'_> {
    let card = Parts { name, ..Parts::default() };
    Content::Entry(Box::new(DraftEntry { card, ..DraftEntry::default() }))
}

/// The entry of a line that is the name of a card in square brackets.
fn entry_in_brackets(name: Cow<'_, str>) -> Content<'_> {
    Content::Entry(Box::new(DraftEntry {
        card: Parts { name, ..Parts::default() },
        marks_dropped: true,
        ..DraftEntry::default()
    }))
}

/// The numbers of the lines that stand where headings do: a line without a quantity, with no entry directly above it, and below it, perhaps after a blank
/// line, an entry with a quantity and without such marks.
fn leading_lines(draft: &Draft<'_>) -> BTreeSet<usize> {
    let is_entry = |line: &DraftLine<'_>| matches!(&line.content, Content::Entry(entry) if entry.fault.is_none());
    let is_blank = |line: &DraftLine<'_>| matches!(line.content, Content::Blank);
    let quantity = |line: &DraftLine<'_>| match &line.content {
        Content::Entry(entry) => entry.quantity,
        _ => None,
    };
    let mut leading = BTreeSet::new();
    for (at, line) in draft.lines.iter().enumerate() {
        let is_below_entry = at > 0 && is_entry(&draft.lines[at - 1]);
        if is_entry(line)
            && quantity(line).is_none()
            && !is_below_entry
            && let Some(next) = draft.lines[at + 1..].iter().find(|line| !is_blank(line))
            && quantity(next).is_some()
            && !has_marks(&next.text)
        {
            leading.insert(line.line);
        }
    }
    leading
}

/// The blank line that begins the sideboard in a list without headers: there must be exactly one, between two blocks of entries.
fn blank_line_of_side(draft: &Draft<'_>, resolver: &Resolver<'_>) -> Option<usize> {
    if !resolver.dialect.has_blank_line() {
        return None;
    }
    // A fact about the deck is no card, whatever it looks like, unless a card is called so.
    let is_fact_alone = |entry: &DraftEntry<'_>, text: &str| {
        resolver.is_fact_alone(entry, text)
            && !is_total(entry)
            && resolver.by_readings(entry).is_none()
    };
    let has_zone = |line: &DraftLine<'_>| match &line.content {
        Content::Entry(entry) => entry.zone.is_some() && !is_fact_alone(entry, &line.text),
        _ => false,
    };
    if draft.lines.iter().any(has_zone) {
        return None;
    }
    let game = resolver.catalogue.game();
    // A list that begins with another zone, such as that of the commander, has headers.
    let is_other_zone = |label: &str| match section(game, label) {
        Place::Zone { code, .. } => code != main_zone(game),
        Place::Outside => true,
        Place::Category => false,
    };
    let mut found = None;
    let mut blank = None;
    let mut has_entries = false;
    for DraftLine { line, text, content } in &draft.lines {
        match content {
            // Above the cards, a line that cannot be read is none.
            Content::Entry(entry)
                if entry.fault.is_some() && !has_entries && !resolver.is_name_with_sign(entry) => {}
            // The number of all cards, below them.
            Content::Entry(entry) if is_total(entry) || is_sum(entry, text) => blank = None,
            Content::Entry(entry) if is_fact_alone(entry, text) => {}
            // A line in brackets may be a heading.
            Content::Entry(_) if label_in_brackets(text).is_some() => return None,
            Content::Entry(entry) => {
                // A line without a quantity may be a heading.
                entry.quantity?;
                if let Some(at) = blank.take().filter(|_| has_entries)
                    && found.replace(at).is_some()
                {
                    return None;
                }
                has_entries = true;
            }
            Content::Blank => blank = Some(*line),
            Content::Note(..) => {}
            Content::Section(label) if is_other_zone(label) => return None,
            Content::Comment(label) if is_other_zone(label) => return None,
            _ if has_entries => return None,
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;
    use serde_json::json;

    use super::*;
    use crate::catalogue::{Catalogue, PoolCard};
    use crate::deck_text::draft::Source;

    fn catalogue() -> Catalogue {
        let game = "code='pond'\nname='Pond'\nrules_version='1'\n\
            [[kinds]]\ncode='fish'\nname='Fish'\n\
            [[zones]]\ncode='main'\nname='Shoal'\n[[zones]]\ncode='side'\nname='Net'";
        let game = Game::from_toml(game).expect("the manifest is valid");
        let names = ["Old Pike", "Carp", "Carp", "CARP", "2 Eels", "Side", "Fish", "Eel!", "-Ray-"];
        let card = |(at, name): (usize, &str)| PoolCard {
            key: at.to_string(),
            set: "shore".to_owned(),
            released_on: None,
            definition: serde_json::from_value(json!({
                "number": at.to_string(), "name": name, "kind": "fish",
                "effects": if at == 2 { json!([{ "text": "Swims." }]) } else { json!([]) },
            }))
            .expect("the card is valid"),
        };
        Catalogue::builder(&game).extend(names.into_iter().enumerate().map(card)).build()
    }

    fn lines() -> impl Strategy<Value = Vec<String>> {
        let front = select(vec!["2 ", "12x ", "x2 ", "", "2 2 ", "- 2 ", "> 2 ", "SB: 2 ", "[2 "]);
        let name = select(vec![
            "Old Pike", "old pike", "Carp", "CARP", "2 Eels", "Side", "Fish", "Eel!", "-Ray-",
            "Pike", "**Carp**", "",
        ]);
        let rest =
            select(vec!["", "", "", ":", "]", " (shore) 1", " x2", " // ray", " #mine", " 3"]);
        let line =
            (front, name, rest).prop_map(|(front, name, rest)| format!("{front}{name}{rest}"));
        proptest::collection::vec(line, 0..6)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        /// Whatever the short way accepts is what the long way accepts.
        #[test]
        fn entries_that_are_spelled_as_cards_are_judged_in_one_way(lines in lines()) {
            let (catalogue, text) = (catalogue(), lines.join("\n"));
            let source = Source { raw: &text, tidy: &text };
            for dialect in [DeckDialect::Plain, DeckDialect::Archidekt, DeckDialect::Own] {
                let draft = dialect.draft(source, catalogue.game());
                let reading = DeckReading::new(&catalogue);
                let resolver = Resolver::new(&reading, &draft, dialect, true);
                for line in draft.lines {
                    let Content::Entry(entry) = line.content else { continue };
                    let mut place = resolver.zone("side");
                    let Some(short) = resolver.as_spelled(&entry, &line.text, &place) else { continue };
                    prop_assert!(resolver.row(&entry, &place).is_none());
                    let long = resolver.line(*entry, (&line.text, true), &mut place);
                    prop_assert_eq!(long, Ok((short, LineVerdict::Accepted, Vec::new())), "{}", text);
                }
            }
        }
    }

    #[test]
    fn only_a_name_of_one_card_in_its_spelling_is_accepted_at_once() {
        let catalogue = catalogue();
        for (name, expected) in [
            ("Old Pike", true),
            ("old pike", false),
            ("Carp", false),
            ("Eel!", true),
            ("Pike", false),
        ] {
            assert_eq!(catalogue.has_one_spelled(name), expected, "{name}");
        }
    }
}
