//! Cards as plain text, for people and for deck builders.

use std::fmt::Write as _;

use cardscape_engine::{CardReference, Deck, DeckEntry, MAIN_ZONE, render_deck_text};
use serde_json::Value;

use super::query_warning::QueryWarning;
use crate::domain::designs::release::DesignCredit;
use crate::store::catalogue::cards::{CardHit, CardView};

/// A card as readable text: name, place, attributes, effects, lore. Fails when the stored JSON does not have the form
/// of a card.
pub(super) fn card_text(view: &CardView) -> serde_json::Result<String> {
    let place = view.place();
    let place = format!("{} {} {}", place.game, place.set, place.number);
    let card = match view {
        CardView::Hidden(card) => {
            let unlock = card.unlock;
            return Ok(format!(
                "{place}\nhidden: {} of {} submissions\n",
                unlock.submissions, unlock.threshold
            ));
        }
        CardView::Open(card) => card,
    };
    let mut text = format!("{}\n{place} {}\n", card.name, card.kind);
    if let Some(unlock) = card.unlock.filter(|_| card.is_hidden()) {
        let _ =
            writeln!(text, "hidden: {} of {} submissions", unlock.submissions, unlock.threshold);
    }
    for (code, value) in card.attributes.read()? {
        let _ = writeln!(text, "{code}: {}", plain(&value));
    }
    for effect in card.effects.read()? {
        let marks = [&effect.style, &effect.slot];
        let marks: Vec<&str> = marks.into_iter().flatten().map(String::as_str).collect();
        let marks =
            if marks.is_empty() { String::new() } else { format!("[{}] ", marks.join(", ")) };
        let _ = write!(text, "\n{marks}{}\n", effect.text);
    }
    if let Some(lore) = &card.lore {
        let _ = write!(text, "\n{lore}\n");
    }
    if let Some(credit) = &card.designed_by {
        let DesignCredit { design, author, .. } = credit.read()?;
        let _ = write!(text, "\ndesigned by {author} ({design})\n");
    }
    Ok(text)
}

/// A value without the marks of JSON, where it is a text or a list of texts.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// A list of cards as a deck list with one copy of each, in the format that the `list` field of decks accepts. Games,
/// cards hidden from the viewer and warnings, for which that format has no lines, are written as comments.
pub(super) fn list_text(found: &[CardHit], warnings: &[QueryWarning]) -> String {
    let mut text = String::new();
    for warning in warnings {
        let _ = writeln!(text, "// warning: {}", one_line(&warning.reason.to_string()));
    }
    let mut game = "";
    for entry in found {
        let place = entry.card.place();
        if *place.game != *game {
            game = &place.game;
            let _ = writeln!(text, "// {game}");
        }
        match &entry.card {
            CardView::Hidden(_) => {
                let _ = writeln!(text, "// hidden: ({}) {}", place.set, place.number);
            }
            CardView::Open(card) => {
                let reference = CardReference {
                    name: card.name.clone(),
                    set: Some(place.set.to_string()),
                    number: Some(place.number.to_string()),
                    rarity: entry.printing.as_ref().map(|printing| printing.rarity.clone()),
                };
                text.push_str(&line(reference));
            }
        }
    }
    text
}

fn line(card: CardReference) -> String {
    let entry = DeckEntry { zone: MAIN_ZONE.to_owned(), quantity: 1, card, copies: Vec::new() };
    render_deck_text(&Deck { entries: vec![entry] })
}

/// Joins text to one line: user input must not start a line of the list.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
