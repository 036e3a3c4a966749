//! `cardscape deck convert FILE --to arena`, `deck encode` and `deck decode`: decks in the dialects of other programs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use cardscape_engine::{
    Deck, DeckDialect, DeckLoss, DeckReading, Game, IgnoredReason, LineVerdict, LossKind, ReadLine,
    ShareCodeError, decode_deck_text, decode_share_code, is_known_heading, read_deck_bytes,
    render_deck_text, share_code_in, write_deck, write_named_deck,
};

use super::deck::{GameFolder, is_of_another_game, print_unread, read_file, read_game, today};
use super::{NO, Outcome, USAGE, print_message, say};
use crate::domain::decks::deck::{FormatName, shown_line};
use crate::domain::decks::list::{CheckedList, LineOutcome, check_list};

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
        print_message(
            "cardscape: the list does not say which game it is of: name it with --game or --format",
        );
        return Ok(ExitCode::from(USAGE));
    };
    let Some(GameFolder { game, catalogue, sets }) = read_game(folder, &code)? else {
        let code = code.escape_default();
        print_message(format_args!("cardscape: there is no game {code} in {}", folder.display()));
        return Ok(ExitCode::from(USAGE));
    };
    if let Some(format) = format
        && let Err(unknown) = format.find_in(&game, today()?)
    {
        print_message(format_args!("cardscape: {unknown}"));
        return Ok(ExitCode::from(USAGE));
    }
    let reading = DeckReading::new(&catalogue).with_sets(&sets);
    let reading = from.map_or(reading, |dialect| reading.in_dialect(dialect));
    let read = read_deck_bytes(&bytes, &reading);
    if is_of_another_game(&read, &game) {
        return Ok(ExitCode::from(USAGE));
    }
    let name = read.notes.get("name").map_or("Deck", String::as_str).to_owned();
    let (dialect, unread) = (read.dialect, read.lines_left_out);
    let list = check_list(read);
    let open = print_lines(file, &list, |line| is_odd_heading(dialect, line, &game));
    print_unread(file, unread);
    let written = write_named_deck(&name, &list.deck, *to, &catalogue, Some(&sets));
    print_losses(&written.losses, &list.deck);
    say(written.text.trim_end())?;
    Ok(if open || unread > 0 { ExitCode::from(NO) } else { ExitCode::SUCCESS })
}

/// Whether a line was taken for a heading only because of how it looks: it may be a card in an unusual form.
pub(super) fn is_odd_heading(dialect: DeckDialect, line: &ReadLine, game: &Game) -> bool {
    let is_heading = line.verdict == LineVerdict::Ignored(IgnoredReason::Heading);
    is_heading && dialect != DeckDialect::Csv && !is_known_heading(game, &line.text)
}

/// Prints the lines that were not simply accepted. Returns whether cards are undecided or lines were refused.
fn print_lines(file: &Path, list: &CheckedList, is_odd: impl Fn(&ReadLine) -> bool) -> bool {
    let mut open = false;
    for (line, outcome) in &list.lines {
        let detail = match (outcome, &line.verdict) {
            (LineOutcome::Refused(refusal), verdict) => {
                open = true;
                match verdict {
                    LineVerdict::Ignored(_) => verdict.to_string(),
                    _ => format!("refused: {refusal}"),
                }
            }
            (_, verdict @ (LineVerdict::Ambiguous { .. } | LineVerdict::Unknown { .. })) => {
                open = true;
                verdict.to_string()
            }
            (
                _,
                verdict @ (LineVerdict::Guessed { .. }
                | LineVerdict::Ignored(
                    IgnoredReason::OutsideTheDeck
                    | IgnoredReason::BlankLine { .. }
                    | IgnoredReason::ColumnsNotRead { .. },
                )),
            ) => verdict.to_string(),
            (_, verdict) if is_odd(line) => verdict.to_string(),
            _ => continue,
        };
        let text = shown_line(&line.text);
        print_message(format_args!("{}:{}: {text:?} {detail}", file.display(), line.line));
    }
    open
}

/// Prints what the dialect cannot express: each kind of loss once, with the entries that it applies to.
fn print_losses(losses: &[DeckLoss], deck: &Deck) {
    /// How many entries are named; the others are counted.
    const NAMED: usize = 3;
    let mut kinds: Vec<(LossKind, Vec<usize>)> = Vec::new();
    for loss in losses {
        match kinds.iter_mut().find(|(kind, _)| *kind == loss.kind) {
            Some((_, entries)) => entries.extend(loss.entry),
            None => kinds.push((loss.kind, loss.entry.into_iter().collect())),
        }
    }
    for (kind, entries) in kinds {
        let named = entries.iter().take(NAMED).filter_map(|at| deck.entries.get(*at));
        let mut of: Vec<String> =
            named.map(|entry| format!("{} {}", entry.quantity, entry.card.name)).collect();
        if let more @ 1.. = entries.len().saturating_sub(NAMED) {
            of.push(format!("{more} more"));
        }
        let of = if of.is_empty() { String::new() } else { format!(" of {}", of.join(", ")) };
        print_message(format_args!("cardscape: lost{of}: {kind}"));
    }
}

/// The game that a share code or a comment in the list names.
fn game_of(bytes: &[u8]) -> Option<String> {
    let (text, _) = decode_deck_text(bytes);
    if let Some(code) = share_code_in(&text) {
        return decode_share_code(code).ok().map(|shared| shared.game);
    }
    let notes = cardscape_engine::parse_deck_text(&text).notes;
    let format = notes.get("format").and_then(|format| format.split_once('/'));
    format.map(|(game, _)| game.to_owned()).or_else(|| notes.get("game").cloned())
}

/// Prints the deck of a share code in the native text format, with the names of its cards if the game is available.
pub(super) fn decode(code: &str, folder: Option<&Path>) -> Outcome {
    let shared = match decode_share_code(code.trim()) {
        Ok(shared) => shared,
        // The version is a digit.
        Err(ShareCodeError::Version)
            if !code.trim().starts_with(|first: char| first.is_ascii_digit()) =>
        {
            print_message(
                "cardscape: this is no share code: a share code begins with its version, 1",
            );
            return Ok(ExitCode::from(NO));
        }
        Err(error) => {
            print_message(format_args!("cardscape: {error}"));
            return Ok(ExitCode::from(NO));
        }
    };
    let known = match folder {
        Some(folder) => read_game(folder, &shared.game).context("the game of the code")?,
        None => None,
    };
    let list = match known {
        Some(GameFolder { catalogue, .. }) => {
            let reading = DeckReading::new(&catalogue).in_dialect(DeckDialect::ShareCode);
            let deck = read_deck_bytes(code.trim().as_bytes(), &reading).deck;
            write_deck(&deck, DeckDialect::Own, &catalogue, None).text
        }
        None => render_deck_text(&shared.deck),
    };
    let game = shared.game.escape_default();
    say(format!("// game: {game}\n\n{}", list.trim_end()))?;
    Ok(ExitCode::SUCCESS)
}
