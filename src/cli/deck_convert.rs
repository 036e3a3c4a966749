//! `cardscape deck convert FILE --to arena`, `deck encode` and `deck decode`: decks in the dialects of other programs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use cardscape_engine::{
    Catalogue, DeckDialect, DeckReading, IgnoredReason, LineVerdict, ReadDeck, decode_deck_text,
    decode_share_code, read_deck_bytes, recognise_deck_text, render_deck_text, write_named_deck,
};

use super::deck::{GameFolder, NOT_LEGAL, USAGE, read_file, read_game, today};
use super::{Outcome, say};
use crate::domain::decks::deck::FormatName;

/// What to convert, and how.
pub(super) struct Conversion {
    pub(super) file: PathBuf,
    /// Code of the game; `None`: that of the format, or the one that the list names.
    pub(super) game: Option<String>,
    /// A format of the game.
    pub(super) format: Option<FormatName>,
    /// The dialect of the list; `None`: it is detected.
    pub(super) from: Option<DeckDialect>,
    pub(super) to: DeckDialect,
    pub(super) folder: PathBuf,
}

/// Prints the deck in another dialect. Guesses and losses are printed to standard error.
pub(super) fn convert(conversion: &Conversion) -> Outcome {
    let Conversion { file, game, format, from, to, folder } = conversion;
    let bytes = read_file(file)?;
    let named = game.as_deref().or(format.as_ref().map(FormatName::game));
    let Some(code) = named.map(str::to_owned).or_else(|| game_of(&bytes)) else {
        eprintln!(
            "cardscape: the list does not say which game it is of: name it with --game or --format"
        );
        return Ok(ExitCode::from(USAGE));
    };
    let Some(GameFolder { game, catalogue, sets }) = read_game(folder, &code)? else {
        eprintln!("cardscape: there is no game {code} in {}", folder.display());
        return Ok(ExitCode::from(USAGE));
    };
    if let Some(format) = format
        && let Err(unknown) = format.find_in(&game, today()?)
    {
        eprintln!("cardscape: {unknown}");
        return Ok(ExitCode::from(USAGE));
    }
    let reading = DeckReading::new(&catalogue).with_sets(&sets);
    let reading = from.map_or(reading, |dialect| reading.in_dialect(dialect));
    let read = read_deck_bytes(&bytes, &reading);
    let open = print_lines(file, &read);
    let name = read.notes.get("name").map_or("Deck", String::as_str);
    let written = write_named_deck(name, &read.deck, *to, &catalogue, Some(&sets));
    for loss in &written.losses {
        let of = loss.entry.map_or(String::new(), |at| {
            let entry = &read.deck.entries[at];
            format!(" of {} {}", entry.quantity, entry.card.name)
        });
        eprintln!("cardscape: lost{of}: {}", loss.kind);
    }
    say(written.text.trim_end().to_owned());
    Ok(if open { ExitCode::from(NOT_LEGAL) } else { ExitCode::SUCCESS })
}

/// Prints the lines that were not simply accepted. Returns whether cards are undecided or lines could not be read.
fn print_lines(file: &Path, read: &ReadDeck) -> bool {
    let mut open = read.lines_left_out > 0;
    for line in &read.lines {
        match &line.verdict {
            LineVerdict::Accepted => continue,
            LineVerdict::Guessed { .. } => {}
            LineVerdict::Ignored(
                IgnoredReason::Unreadable { .. }
                | IgnoredReason::TooLong
                | IgnoredReason::Malformed { .. },
            )
            | LineVerdict::Ambiguous { .. }
            | LineVerdict::Unknown { .. } => open = true,
            LineVerdict::Ignored(
                IgnoredReason::OutsideTheDeck | IgnoredReason::BlankLine { .. },
            ) => {}
            _ => continue,
        }
        eprintln!("{}:{}: {:?} {}", file.display(), line.line, line.text, line.verdict);
    }
    if read.lines_left_out > 0 {
        eprintln!("{}: {} more lines were not read", file.display(), read.lines_left_out);
    }
    open
}

/// The game that a share code or a comment in the list names.
fn game_of(bytes: &[u8]) -> Option<String> {
    let (text, _) = decode_deck_text(bytes);
    if recognise_deck_text(&text) == DeckDialect::ShareCode {
        return decode_share_code(text.trim()).ok().map(|shared| shared.game);
    }
    let notes = cardscape_engine::parse_deck_text(&text).notes;
    let format = notes.get("format").and_then(|format| format.split_once('/'));
    format.map(|(game, _)| game.to_owned()).or_else(|| notes.get("game").cloned())
}

/// Prints the deck of a share code in the native text format, with the names of its cards if the game is available.
pub(super) fn decode(code: &str, folder: Option<&Path>) -> Outcome {
    let shared = match decode_share_code(code.trim()) {
        Ok(shared) => shared,
        Err(error) => {
            eprintln!("cardscape: {error}");
            return Ok(ExitCode::from(NOT_LEGAL));
        }
    };
    // The code is untrusted input: it must not lead to a folder elsewhere.
    let is_code =
        shared.game.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    let known = match folder.filter(|_| is_code && !shared.game.is_empty()) {
        Some(folder) => read_game(folder, &shared.game).context("the game of the code")?,
        None => None,
    };
    let named = |catalogue: &Catalogue| {
        let reading = DeckReading::new(catalogue).in_dialect(DeckDialect::ShareCode);
        read_deck_bytes(code.trim().as_bytes(), &reading).deck
    };
    let deck = known.map_or(shared.deck, |game| named(&game.catalogue));
    let game = shared.game.escape_default();
    say(format!("// game: {game}\n\n{}", render_deck_text(&deck).trim_end()));
    Ok(ExitCode::SUCCESS)
}
