//! Lists of the live client: sections with counts, and cards with set and number without brackets.

use std::borrow::Cow;

use super::draft::{Content, Draft, DraftEntry, Parts, Source};
use super::line::{common_as, is_set_code, split_parts_without_brackets};
use super::read_deck::IgnoredReason;
use super::writing::{DeckWriter, Line, WritableParts};
use super::zones::Role;

pub(super) fn draft(source: Source<'_>) -> Draft<'_> {
    Draft::of_lines(source, |line| {
        if is_total(line) {
            return Content::Ignored(IgnoredReason::Decoration);
        }
        with_energy(common_as(line, parts))
    })
}

/// The types of basic energies: the letter that stands for the type, the name with "Basic", as newer cards have it, and the name without it.
const ENERGIES: [(char, &str, &str); 9] = [
    ('G', "Basic Grass Energy", "Grass Energy"),
    ('R', "Basic Fire Energy", "Fire Energy"),
    ('W', "Basic Water Energy", "Water Energy"),
    ('L', "Basic Lightning Energy", "Lightning Energy"),
    ('P', "Basic Psychic Energy", "Psychic Energy"),
    ('F', "Basic Fighting Energy", "Fighting Energy"),
    ('D', "Basic Darkness Energy", "Darkness Energy"),
    ('M', "Basic Metal Energy", "Metal Energy"),
    ('Y', "Basic Fairy Energy", "Fairy Energy"),
];

/// Reads the forms in which both clients write basic energies: `Basic {R} Energy SVE 2`, `Basic {R} Energy  4`, `Fire Energy Energy`, `Fire Energy Energy 4`. The
/// word `Energy` instead of a set, or no set at all, means any printing; a number after it belongs to a list of the client and is ignored. The game's card may
/// have the name with "Basic" or without it.
pub(super) fn with_energy(content: Content<'_>) -> Content<'_> {
    let mut entry = match content {
        Content::Entry(entry) => entry,
        other => return other,
    };
    if let Some((text, _)) = entry.readings
        && let Some([card, other]) = energy(text)
    {
        let (quantity, zone) = (entry.quantity, entry.zone.clone());
        entry.card = card;
        entry.otherwise =
            Some(Box::new(DraftEntry { quantity, card: other, zone, ..DraftEntry::default() }));
    }
    Content::Entry(entry)
}

/// A basic energy with the name that is written, and with the other name of it.
fn energy(text: &str) -> Option<[Parts<'_>; 2]> {
    let is_word = |word: &str| word.eq_ignore_ascii_case("Energy");
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let foil = words.pop_if(|word| *word == FOIL);
    let number = words.pop_if(|word| word.contains(|letter: char| letter.is_ascii_digit()));
    let set = match (words.as_slice(), number) {
        // A second "Energy" stands where other cards have their set.
        ([.., name, set], _) if is_word(name) && is_word(set) => {
            words.pop();
            None
        }
        ([.., name, set], Some(_)) if is_word(name) && is_set_code(set) => words.pop(),
        _ => None,
    };
    let [basic @ .., kind, word] = words.as_slice() else { return None };
    let is_basic = match basic {
        [] => false,
        [basic] if basic.eq_ignore_ascii_case("Basic") => true,
        _ => return None,
    };
    let letter = kind.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let of_kind = |(known, _, name): &&(char, &str, &str)| match letter {
        Some(letter) => letter.len() == 1 && letter.starts_with(*known),
        None => name.strip_suffix(" Energy").is_some_and(|name| name.eq_ignore_ascii_case(kind)),
    };
    let (_, long, short) = ENERGIES.iter().find(of_kind).filter(|_| is_word(word))?;
    let names = if is_basic { [*long, *short] } else { [*short, *long] };
    let number = number.filter(|_| set.is_some());
    Some(names.map(|name| Parts {
        name: Cow::Borrowed(name),
        set: set.map(Cow::Borrowed),
        number: number.map(Cow::Borrowed),
        rarity: foil.map(Cow::Borrowed),
        ..Parts::default()
    }))
}

/// The mark of a parallel foil.
const FOIL: &str = "PH";

/// `Name SET 17`, or `Name SET 17 PH` for a parallel foil.
pub(super) fn parts(text: &str) -> Parts<'_> {
    let foil = text.strip_suffix(FOIL).and_then(|rest| rest.strip_suffix(' '));
    match foil.map(split_parts_without_brackets) {
        Some(parts) if parts.number.is_some() => {
            Parts { rarity: Some(Cow::Borrowed(FOIL)), ..parts }
        }
        _ => split_parts_without_brackets(text),
    }
}

/// `Total Cards: 60`, or `Total Cards - 60`.
pub(super) fn is_total(line: &str) -> bool {
    line.get(..11).is_some_and(|head| head.eq_ignore_ascii_case("total cards"))
}

pub(super) fn write(writer: &mut DeckWriter<'_>) {
    let mut total = 0;
    for (_, entries) in writer.zones_of(&[Role::Main]) {
        for at in entries {
            if let Some(line) = card(writer, at) {
                total += u64::from(line.quantity);
                writer.text.push_str(&format!("{}\n", with_words(&line)));
            }
        }
    }
    writer.text.push_str(&format!("\nTotal Cards: {total}\n"));
}

/// A card with both set and number, or with neither: the dialect cannot write only one of them.
pub(super) fn card<'a>(writer: &mut DeckWriter<'a>, at: usize) -> Option<Line<'a>> {
    let card = &writer.deck.entries[at].card;
    let both = card.set.is_some() && card.number.is_some();
    let line =
        writer.line(at, WritableParts { set: both, number: both, ..WritableParts::default() })?;
    Some(if line.number.is_some() {
        line
    } else {
        if line.set.is_some() {
            writer.record_loss(at, super::LossKind::Set);
        }
        Line { set: None, ..line }
    })
}

/// `2 Name SET 17`.
pub(super) fn with_words(line: &Line<'_>) -> String {
    let words = line.set.zip(line.number);
    let words =
        words.map_or(String::new(), |(set, number)| format!(" {} {number}", set.to_uppercase()));
    format!("{} {}{words}", line.quantity, line.name)
}
