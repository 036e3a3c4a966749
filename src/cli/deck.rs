//! `cardscape deck`: judging decks, and writing them in other dialects.

use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use cardscape_engine::{
    Catalogue, Date, DeckDialect, DeckReading, Fix, Format, Game, KnownSet, KnownSets, LineVerdict,
    PoolCard, ReadDeck, ReadLine, Report, SetDefinition, Violation, decode_deck_text, is_set_code,
    legalities, parse_deck_text, read_deck_bytes,
};
use clap::Subcommand;
use serde::Serialize;

use super::deck_convert::{Conversion, convert, decode, is_odd_heading};
use super::{NO, Outcome, USAGE, print_message, say, seed_data};
use crate::app::decks::report_responses::{ReportContext, ReportResponse, report_response};
use crate::config::SeedDataOptions;
use crate::domain::catalogue::import::GameSource;
use crate::domain::clock::Clock;
use crate::domain::decks::deck::{
    CardLines, FormatName, FormatNameError, MAX_ENTRIES, same_format, shown_line,
};
use crate::domain::decks::list::{CheckedList, LineOutcome, check_list};

/// Largest deck list, in bytes: the same as over HTTP.
const MAX_LIST: u64 = 256 * 1024;

#[derive(Subcommand)]
pub(super) enum DeckCommand {
    /// Check a deck list without a service or database
    ///
    /// Prints every violation with its rule. Exit code 0: legal in every format asked for, 1: illegal, incomplete, or with lines that
    /// cannot be read, 70: the file cannot be read.
    Validate {
        /// The deck list, one `QTY NAME` a line; `-` reads standard input
        file: PathBuf,
        /// The format, as game/format or game/format:variant; may be given several times, for formats of one game. Without
        /// it, the one that a comment `// format: …` of the list names
        #[arg(long = "format", value_name = "FORMAT", value_parser = format_name)]
        formats: Vec<FormatName>,
        /// Judge by the rules and limit lists of this day instead of today's
        #[arg(long, value_name = "YYYY-MM-DD")]
        on: Option<Date>,
        #[command(flatten)]
        seed_data: SeedDataOptions,
        /// Print the report as JSON, as the service would; of several formats, all reports and a summary. It is about the lines that
        /// could be read: the exit code and standard error tell of others
        #[arg(long)]
        json: bool,
    },
    /// Write a deck list in the dialect of another program, without a service or database
    ///
    /// Prints which lines were guessed, unknown or left out, and what the dialect cannot express. Exit code 0: the card of
    /// each line is known, 1: not of all.
    Convert {
        /// The deck list, in any dialect; `-` reads standard input
        file: PathBuf,
        /// The dialect to write, for example arena, moxfield, csv or share_code
        #[arg(long, value_name = "DIALECT")]
        to: DeckDialect,
        /// The dialect of the list; without it, it is recognised
        #[arg(long, value_name = "DIALECT")]
        from: Option<DeckDialect>,
        /// The game; without it, the one that the list names with a comment `// format: …` or a share code
        #[arg(long, conflicts_with = "format")]
        game: Option<String>,
        /// The format, as game/format or game/format:variant, instead of the game
        #[arg(long, value_name = "FORMAT", value_parser = format_name)]
        format: Option<FormatName>,
        #[command(flatten)]
        seed_data: SeedDataOptions,
    },
    /// Write a deck list as a share code: the same as `convert --to share_code`
    Encode {
        /// The deck list, in any dialect; `-` reads standard input
        file: PathBuf,
        /// The game; without it, the one that the list names with a comment `// format: …`
        #[arg(long, conflicts_with = "format")]
        game: Option<String>,
        /// The format, as game/format or game/format:variant, instead of the game; a share code contains only its game
        #[arg(long, value_name = "FORMAT", value_parser = format_name)]
        format: Option<FormatName>,
        #[command(flatten)]
        seed_data: SeedDataOptions,
    },
    /// Print the deck of a share code; its cards have names if the game is among the seed data
    Decode {
        /// The share code
        code: String,
        #[command(flatten)]
        seed_data: SeedDataOptions,
    },
}

fn format_name(text: &str) -> Result<FormatName, FormatNameError> {
    FormatName::parse(text)
}

impl DeckCommand {
    pub(super) fn run(self) -> Outcome {
        let folder_of = |seed_data: SeedDataOptions| {
            seed_data.dir().context("there is no seed-data here: name it with --seed-data")
        };
        let (file, formats, on, seed_data, json) = match self {
            Self::Validate { file, formats, on, seed_data, json } => {
                (file, formats, on, seed_data, json)
            }
            Self::Convert { file, to, from, game, format, seed_data } => {
                let folder = folder_of(seed_data)?;
                return convert(&Conversion { file, game, format, from, to, folder });
            }
            Self::Encode { file, game, format, seed_data } => {
                let folder = folder_of(seed_data)?;
                let (from, to) = (None, DeckDialect::ShareCode);
                return convert(&Conversion { file, game, format, from, to, folder });
            }
            Self::Decode { code, seed_data } => return decode(&code, seed_data.dir().as_deref()),
        };
        let folder = folder_of(seed_data)?;
        let bytes = read_file(&file)?;
        let noted = parse_deck_text(&decode_deck_text(&bytes).0).notes.remove("format");
        let selection = match select_formats(formats, noted.as_deref(), on, &folder)? {
            Ok(selection) => selection,
            Err(wrong) => {
                print_message(format_args!("cardscape: {wrong}"));
                return Ok(ExitCode::from(USAGE));
            }
        };
        let Selection { names, formats, game } = selection;
        let GameFolder { catalogue, sets, .. } = game;
        let reading = DeckReading::new(&catalogue).with_sets(&sets);
        let read = read_deck_bytes(&bytes, &reading);
        if is_of_another_game(&read, catalogue.game()) {
            return Ok(ExitCode::from(USAGE));
        }
        let (dialect, unread) = (read.dialect, read.lines_left_out);
        let list = check_list(read);
        let is_odd = |line: &ReadLine| is_odd_heading(dialect, line, catalogue.game());
        let lost = print_refused(&file, &list, is_odd) + unread;
        print_unread(&file, unread);
        let is_whole = lost == 0 && list.deck.entries.len() <= MAX_ENTRIES;
        let (deck, lines) = (&list.deck, CardLines::new(&list.deck, &list.entry_lines));
        let mut judged = legalities(deck, &catalogue, formats.iter().map(Arc::as_ref));
        let left_out = judged.suggest(&catalogue);
        let legal = judged.is_legal_in_all();
        let summary = (names.len() > 1).then(|| judged.summary_as(&names));
        let reports = names.iter().zip(judged.reports);
        if json {
            let context = ReportContext {
                card_id: &|_| None,
                places: &lines,
                suggestions_left_out: left_out,
            };
            let mut reports: Vec<_> =
                reports.map(|(name, report)| report_response(name, report, &context)).collect();
            say(match summary {
                Some(summary) => serde_json::to_string_pretty(&Reports { summary, reports })?,
                None => serde_json::to_string_pretty(&reports.pop())?,
            })?;
        } else {
            let texts =
                reports.map(|(name, report)| in_words(name, &report, &lines).trim_end().to_owned());
            let hint = (left_out > 0).then(|| {
                format!("{left_out} more unknown names were not compared with known ones.")
            });
            // First, so that nobody takes the verdict for one about the whole list.
            let warning = match lost {
                0 => None,
                1 => Some("1 line could not be read; what follows is about the others.".to_owned()),
                _ => Some(format!(
                    "{lost} lines could not be read; what follows is about the others."
                )),
            };
            let texts: Vec<String> =
                warning.into_iter().chain(summary).chain(texts).chain(hint).collect();
            say(texts.join("\n\n"))?;
        }
        Ok(if legal && is_whole { ExitCode::SUCCESS } else { ExitCode::from(NO) })
    }
}

/// The formats that a deck list is judged by.
struct Selection {
    names: Vec<FormatName>,
    formats: Vec<Arc<Format>>,
    game: GameFolder,
}

/// Finds the formats from the command line, or else the one that the list names. The inner error is a message for the
/// user.
fn select_formats(
    mut names: Vec<FormatName>,
    noted: Option<&str>,
    on: Option<Date>,
    folder: &Path,
) -> anyhow::Result<Result<Selection, String>> {
    if names.is_empty() {
        let Some(noted) = noted else {
            let hint = "name a format with --format, or in the list with a comment: // format: ttcg/standard";
            return Ok(Err(hint.to_owned()));
        };
        match FormatName::parse(noted) {
            Ok(name) => names.push(name),
            Err(error) => return Ok(Err(format!("the list's format {noted:?} {error}"))),
        }
    }
    let game = names.first().map(FormatName::game).unwrap_or_default();
    if names.iter().any(|name| name.game() != game) {
        return Ok(Err("the formats must be of one game".to_owned()));
    }
    let Some(game) = read_game(folder, game)? else {
        return Ok(Err(format!("there is no game {game} in {}", folder.display())));
    };
    let day = on.map_or_else(today, Ok)?;
    let formats: Result<Vec<Arc<Format>>, _> =
        names.iter().map(|name| name.find_in(&game.game, day)).collect();
    let formats = match formats {
        Ok(formats) => formats,
        Err(unknown) => return Ok(Err(unknown.to_string())),
    };
    if let Some((first, second)) = same_format(&formats) {
        return Ok(Err(format!("{} and {} are the same format", names[first], names[second])));
    }
    Ok(Ok(Selection { names, formats, game }))
}

/// The day by whose rules decks are judged, if the command line names none.
pub(super) fn today() -> anyhow::Result<Date> {
    Clock::system().today().context("the clock shows no day of the calendar")
}

/// The reports of several formats.
#[derive(Serialize)]
struct Reports {
    summary: String,
    reports: Vec<ReportResponse>,
}

/// A game with all its cards.
pub(super) struct GameFolder {
    pub(super) game: Game,
    pub(super) catalogue: Catalogue,
    pub(super) sets: KnownSets,
}

/// Reads one game of a seed-data folder; `None`: there is no game with that code.
pub(super) fn read_game(folder: &Path, code: &str) -> anyhow::Result<Option<GameFolder>> {
    let game = folder.join("games").join(code);
    // Lists name games, too, and are untrusted input: they must not lead to a folder elsewhere.
    if !is_set_code(code) || !game.join("game.toml").is_file() {
        return Ok(None);
    }
    let GameSource { manifest, sets } = seed_data::read_game(folder, &game)?;
    let game = Game::from_toml(&manifest.text).with_context(|| manifest.name.clone())?;
    let mut cards = Catalogue::builder(&game);
    let mut known = Vec::new();
    for file in sets {
        let set: SetDefinition =
            serde_json::from_str(&file.text).with_context(|| file.name.clone())?;
        known.push(KnownSet {
            code: set.code.clone(),
            name: set.name,
            has_cards: !set.cards.is_empty(),
        });
        let released_on = set.released_on.as_deref().and_then(|day| day.parse().ok());
        cards = cards.extend(set.cards.into_iter().map(|definition| {
            let key = format!("{}/{}", set.code, definition.number);
            PoolCard { key, set: set.code.clone(), released_on, definition }
        }));
    }
    let catalogue = cards.build();
    Ok(Some(GameFolder { game, catalogue, sets: KnownSets::new(known) }))
}

/// Reads a list; fails if it is too long.
pub(super) fn read_file(file: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = if file == Path::new("-") {
        std::io::stdin().lock().take(MAX_LIST + 1).read_to_end(&mut bytes)
    } else {
        fs::File::open(file).and_then(|open| open.take(MAX_LIST + 1).read_to_end(&mut bytes))
    };
    read.with_context(|| format!("cannot read {}", file.display()))?;
    anyhow::ensure!(
        bytes.len() as u64 <= MAX_LIST,
        "{} is longer than {MAX_LIST} bytes",
        file.display()
    );
    Ok(bytes)
}

/// Whether a list is the share code of a deck of another game, which is printed then: its sets and numbers mean other cards.
pub(super) fn is_of_another_game(read: &ReadDeck, game: &Game) -> bool {
    let Some(other) = read.game.as_ref().filter(|other| *other != game.code()) else {
        return false;
    };
    let (other, code) = (other.escape_default(), game.code());
    print_message(format_args!(
        "cardscape: the list is a share code of the game {other}, not of {code}"
    ));
    true
}

/// Prints how many lines of a list were not read.
pub(super) fn print_unread(file: &Path, lines: usize) {
    match lines {
        0 => {}
        1 => print_message(format_args!("{}: 1 more line was not read", file.display())),
        _ => print_message(format_args!("{}: {lines} more lines were not read", file.display())),
    }
}

/// Prints lines that are refused, that cannot be read, that were partly guessed, or that were taken for headings although they are none of those that
/// lists have (`is_odd`). Returns how many lines were refused.
fn print_refused(file: &Path, list: &CheckedList, is_odd: impl Fn(&ReadLine) -> bool) -> usize {
    let mut refused = 0;
    for (line, outcome) in &list.lines {
        let detail = match (outcome, &line.verdict) {
            (LineOutcome::Refused(refusal), _) => {
                refused += 1;
                refusal.to_string()
            }
            (LineOutcome::Entry(_), verdict @ LineVerdict::Guessed { .. }) => verdict.to_string(),
            (_, verdict) if is_odd(line) => verdict.to_string(),
            _ => continue,
        };
        let text = shown_line(&line.text);
        print_message(format_args!("{}:{}: {text:?} {detail}", file.display(), line.line));
    }
    let entries = list.deck.entries.len();
    if entries > MAX_ENTRIES {
        print_message(format_args!(
            "{}: {entries} entries are more than {MAX_ENTRIES}",
            file.display()
        ));
    }
    refused
}

/// Where the cards of a violation are named: `On line 3.`; nothing when they are not.
fn places(violation: &Violation, lines: &CardLines<'_>) -> Option<String> {
    let numbers: Vec<String> = lines.of(violation).iter().map(usize::to_string).collect();
    match numbers.len() {
        0 => None,
        1 => Some(format!("On line {}.", numbers[0])),
        _ => Some(format!("On lines {}.", numbers.join(", "))),
    }
}

/// The report for people: the verdict first, then every violation.
fn in_words(name: &FormatName, report: &Report, lines: &CardLines<'_>) -> String {
    let verdict = report.status.as_str();
    let counts: Vec<String> =
        report.counts.iter().map(|count| format!("{} {}", count.zone, count.cards)).collect();
    let mut text = format!(
        "{name} (version {}): {verdict}; cards: {}\n",
        report.format_version,
        counts.join(", ")
    );
    for violation in &report.violations {
        let severity = violation.severity.as_str();
        let message = violation.message();
        let _ = write!(
            text,
            "\n{severity} {} (rule {})\n    {message}\n",
            violation.code, violation.rule
        );
        if !message.contains(&violation.rule_text) {
            let _ = writeln!(text, "    The rule: {}", violation.rule_text);
        }
        if let Some(places) = places(violation, lines) {
            let _ = writeln!(text, "    {places}");
        }
        if let Some(fix) = violation.fix.as_ref().and_then(fix_in_words) {
            let _ = writeln!(text, "    To correct it: {fix}.");
        }
    }
    text
}

fn fix_in_words(fix: &Fix) -> Option<String> {
    Some(match fix {
        Fix::AddCards { zone, quantity } => format!("add {} to {zone}", cards(*quantity)),
        Fix::AddMatchingCards { zone, quantity } => {
            format!("add {} to {zone}, as the rule asks", cards(*quantity))
        }
        Fix::RemoveCards { zone, quantity } => format!("remove {} from {zone}", cards(*quantity)),
        Fix::AddCopies { name, quantity } => format!("add {quantity} × {name}"),
        Fix::RemoveCopies { name, quantity } => format!("remove {quantity} × {name}"),
        Fix::RemoveAmong { names, quantity } => {
            format!("remove {quantity} of {}", names.join(", "))
        }
        Fix::Rename { from, to } => format!("write “{to}” for “{from}”"),
        Fix::AnyPrinting { name } => format!("leave out set, number and rarity of {name}"),
        Fix::RemoveEntry { name } => format!("remove the line of {name}"),
        Fix::NameCopyOnce { copy } => format!("name the copy {copy} once"),
        Fix::NameFewerCopies { name, quantity } => {
            format!("name {quantity} fewer copies of {name}")
        }
        Fix::MoveCopies { name, quantity, from, to } => {
            format!("move {quantity} × {name} from {from} to {to}")
        }
        Fix::MoveToZone { from, to } => format!("move {from} to {to}"),
        _ => return None,
    })
}

fn cards(quantity: u64) -> String {
    if quantity == 1 { "1 card".to_owned() } else { format!("{quantity} cards") }
}
