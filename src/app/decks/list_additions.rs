//! Adds cards by name to a list in a text field.

use cardscape_engine::{CardReference, DeckDialect, DeckEntry, DialectMark, TextEncoding};

use super::deck_cards::Requester;
use super::deck_input::{DeckFaults, SentDeck, SentList};
use super::list_reading::{NearNames, read_list};
use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::domain::decks::deck::{FormatName, check_entry};
use crate::domain::decks::list_addition::{Addition, ReadLines, add_card, takes_lines};

/// A list from a text field.
#[derive(Clone, Copy, Debug)]
pub struct TypedList<'a> {
    /// The format of the deck: `game/format`.
    pub format: &'a str,
    /// The list.
    pub text: &'a str,
    /// The word for the dialect; `None`: the dialect is recognised from the text.
    pub dialect: Option<&'a str>,
}

/// Adds one copy of a card to the first zone of the game. `None`: the dialect of the list has no lines for cards, or the list cannot be read.
pub async fn add(
    app: &AppState,
    requester: Requester,
    list: TypedList<'_>,
    name: &str,
) -> Result<Option<Addition>, Problem> {
    let mut faults = DeckFaults::default();
    let format = faults.check("/format", FormatName::parse(list.format));
    let format = format.map(|format| ("/format".to_owned(), format));
    let mut conn = StepConnection::new(&app.store);
    let found = faults.formats(app, &mut conn, format.as_slice(), None).await?;
    let sent = SentList { text: list.text, encoding: TextEncoding::Utf8, dialect: list.dialect };
    let sent = faults.deck(None, Some(sent));
    let ((loaded, _), sent) = faults.into_result(found.zip(sent))?;
    let SentDeck::List(text) = sent else { return Ok(None) };
    let game = &loaded.game;
    let zone = game.zones().first().map_or("main", |zone| &zone.code);
    check_name(zone, name)?;
    let near = NearNames::LeaveOut;
    let read = read_list(app, &mut conn, requester, game, &[], &text, near).await?;
    let Ok((read, ..)) = read else { return Ok(None) };
    let dialect: Option<DeckDialect> = read.reading.dialect.parse().ok();
    // The lines of an array of JSON are not those of the text.
    let is_array = read.reading.mark == Some(DialectMark::JsonLines);
    let Some(dialect) = dialect.filter(|dialect| takes_lines(*dialect) && !is_array) else {
        return Ok(None);
    };
    let entries: Vec<_> = read.lines.iter().copied().zip(&read.deck.entries).collect();
    let lines = ReadLines { dialect, entries: &entries, headers: &read.headers };
    Ok(Some(add_card(list.text, lines, zone, name)))
}

fn check_name(zone: &str, name: &str) -> Result<(), Problem> {
    let card = CardReference { name: name.to_owned(), set: None, number: None, rarity: None };
    let entry = DeckEntry { zone: zone.to_owned(), quantity: 1, card, copies: Vec::new() };
    match check_entry(entry) {
        Ok(_) => Ok(()),
        Err(faults) => {
            let fault = |fault| InputFault::at("/card", fault);
            Err(Problem::invalid(faults.into_iter().map(|one| fault(one.reason)).collect()))
        }
    }
}
