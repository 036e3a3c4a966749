//! Registers up to fifty serial codes with the names of their cards, one on each line.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;

use super::claim::Claim;
use super::submit::names_of_cards;
use super::typed::Marked;
use super::words as serial_words;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::serials::submission_batches::{self, MAX_BATCH};
use crate::app::serials::submissions::NamedSerial;
use crate::app::serials::submissions::unreadable;
use crate::app::state::AppState;
use crate::auth::permission::SubmitSerials;
use crate::domain::crockford::{is_dash, is_unseen};
use crate::domain::ids::CardId;
use crate::domain::serials::serial::{SerialCode, SerialError};
use crate::http::extract::{ClientNetwork, Form};
use crate::web::catalogue::card_path;
use crate::web::forms::{Faults, private};
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, Visitor};
use crate::web::words;

#[derive(Template)]
#[template(path = "web/serials/batch.html")]
struct BatchPage<'a> {
    frame: Frame,
    faults: Faults,
    verdicts: Vec<VerdictRow>,
    /// The lines that were typed and are not registered.
    lines: &'a str,
}

/// The result of a line.
struct VerdictRow {
    /// Starts at 1.
    line: usize,
    /// The name of the card, if the copy is registered to the reader; else the name that was typed.
    name: String,
    /// The page of the card, if the copy is registered to the reader.
    path: Option<String>,
    text: String,
    /// The code, if it contains an invalid character.
    marked: Option<Marked>,
    /// The claim to a copy of another player.
    claim: Option<Claim>,
}

/// The lines as they were typed.
#[derive(Deserialize)]
pub(in crate::web) struct BatchForm {
    #[serde(default)]
    lines: String,
}

/// Shows the form to players.
pub(in crate::web) async fn show_batch(
    _by: Player<SubmitSerials>,
) -> Result<HttpResponse, Problem> {
    show(PageStatus::OK, Faults::none(), Vec::new(), "")
}

/// Registers the copies. Lines that could not be registered stay in the form.
pub(in crate::web) async fn submit_batch(
    state: web::Data<AppState>,
    network: ClientNetwork,
    visitor: Visitor,
    Form(form): Form<BatchForm>,
) -> Result<HttpResponse, Problem> {
    // The session may have ended while the lines were typed: answer with a page that keeps them instead of a redirect to the log-in.
    if visitor.is_stranger() {
        let faults = Faults::one("", serial_words::LOG_IN_IN_ANOTHER_TAB);
        return show(PageStatus::LOGGED_OUT, faults, Vec::new(), &form.lines);
    }
    let by = visitor.must::<SubmitSerials>()?;
    let lines: Vec<(usize, &str)> = form
        .lines
        .lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty())
        .collect();
    let refused = match lines.len() {
        0 => Some(serial_words::NOTHING_TYPED),
        1..=MAX_BATCH => None,
        _ => Some(serial_words::TOO_MANY_LINES),
    };
    if let Some(text) = refused {
        return show(PageStatus::INVALID_FORM, Faults::one("lines", text), Vec::new(), &form.lines);
    }
    let (names, serials): (Vec<&str>, Vec<_>) = lines.iter().map(|(_, line)| read(line)).unzip();
    let answer = match submission_batches::submit(&state, &by, network.0, serials).await {
        Ok(answer) => answer,
        Err(problem) => {
            let message_of = |code| serial_words::submission_fault(code).map(|(text, _)| text);
            // Lines that were registered before the failure belong to the player already; sending them again does no harm.
            let faults = Faults::of_problem(&problem, &[], message_of)
                .unwrap_or_else(|| Faults::one("", serial_words::NOT_NOW));
            return show(PageStatus::of(&problem), faults, Vec::new(), &form.lines);
        }
    };
    let registered = answer.data.iter().filter_map(|verdict| verdict.accepted.as_ref());
    let registered = registered.map(|accepted| CardId(accepted.of.card.id)).collect();
    let own_names = names_of_cards(&state, visitor.viewer(), registered).await;
    let (mut rows, mut left) = (Vec::with_capacity(lines.len()), String::new());
    for (((line, typed), name), verdict) in lines.iter().zip(names).zip(answer.data) {
        let card = verdict.accepted.map(|accepted| accepted.of.card);
        if card.is_none() {
            left.push_str(typed);
            left.push('\n');
        }
        let marked = split(typed).and_then(|(serial, _)| Marked::of(serial));
        let claim = Claim::of(&verdict.members);
        rows.push(VerdictRow {
            line: *line,
            name: card
                .as_ref()
                .and_then(|card| own_names.get(&CardId(card.id)).cloned())
                .unwrap_or_else(|| name.to_owned()),
            path: card.map(|card| card_path(&card.game, &card.set, &card.number)),
            text: match &marked {
                Some(marked) => serial_words::code_fault(SerialError::Symbol(marked.place)),
                None => {
                    let name = NamedSerial::read("", name).1.err();
                    let is_closed = claim.as_ref().is_some_and(|claim| !claim.is_open);
                    serial_words::verdict(verdict.verdict, name.as_ref(), is_closed).into_owned()
                }
            },
            marked,
            claim,
        });
    }
    show(PageStatus::OK, Faults::none(), rows, &left)
}

fn show(
    status: PageStatus,
    faults: Faults,
    verdicts: Vec<VerdictRow>,
    lines: &str,
) -> Result<HttpResponse, Problem> {
    let frame = Frame::new(serial_words::SEVERAL).at(Place::Submit);
    private(status, &BatchPage { frame, faults, verdicts, lines })
}

/// Splits a line into code and name. The code ends with its sixteenth symbol, regardless of grouping; the address of a QR code may stand before it. `None`: the line has
/// no code.
fn split(line: &str) -> Option<(&str, &str)> {
    let line = SerialCode::in_address(line);
    let (at, last) = line.char_indices().filter(|(_, c)| SerialCode::counts(*c)).nth(15)?;
    let (serial, rest) = line.split_at(at + last.len_utf8());
    Some((serial, name_after_code(rest)))
}

/// Signs that people and programs write between a code and a name, apart from dashes.
const SIGNS: [char; 14] =
    ['|', '=', ':', '>', ';', ',', '→', '⇒', '｜', '：', '；', '，', '＝', '＞'];
/// Of these, signs that no name begins or ends with.
const BARS: [char; 2] = ['|', '｜'];
/// Quotation marks around a name.
const QUOTES: [(char, char); 9] = [
    ('"', '"'),
    ('“', '”'),
    ('„', '“'),
    ('«', '»'),
    ('»', '«'),
    ('‘', '’'),
    ('\'', '\''),
    ('「', '」'),
    ('『', '』'),
];

fn is_sign(character: char) -> bool {
    SIGNS.contains(&character) || is_dash(character)
}

fn is_blank(character: char) -> bool {
    character.is_whitespace() || is_unseen(character)
}

/// The name after a code, without signs between the two and without quotation marks around it. A sign that touches the name, but not the code, belongs to the
/// name (`CODE >_<`), and so does everything that is no such sign (`#7`, emoji).
fn name_after_code(rest: &str) -> &str {
    let mut name = rest.trim_start_matches(is_blank);
    let mut touches_code = name.len() == rest.len();
    loop {
        let after = name.trim_start_matches(is_sign);
        let signs = &name[..name.len() - after.len()];
        let stands_apart = after.is_empty() || after.starts_with(is_blank);
        let is_between = stands_apart || touches_code || signs.chars().all(|c| BARS.contains(&c));
        if signs.is_empty() || !is_between {
            break;
        }
        name = after.trim_start_matches(is_blank);
        touches_code = false;
    }
    without_quotes(name.trim_end_matches(|c: char| BARS.contains(&c) || c.is_whitespace()))
}

fn without_quotes(name: &str) -> &str {
    let quoted = QUOTES.iter().find_map(|&(open, close)| {
        let inner = name.strip_prefix(open)?.strip_suffix(close)?;
        (!inner.contains([open, close]) && !inner.trim().is_empty()).then_some(inner.trim())
    });
    quoted.unwrap_or(name)
}

/// The name of a line, and the result of reading the code and the name.
fn read(line: &str) -> (&str, Result<NamedSerial, Problem>) {
    let Some((serial, name)) = split(line) else {
        return (line, Err(Problem::new(ProblemCode::SerialMalformed)));
    };
    let serial = match NamedSerial::read(serial, name) {
        (Ok(code), Ok(name)) => Ok(NamedSerial { code, name, game: None }),
        (Ok(_), Err(_)) => Err(Problem::new(ProblemCode::InvalidBody)),
        (Err(error), _) => Err(Problem::new(unreadable(error))),
    };
    (name, serial)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::serials::serial::RunPrefix;

    #[test]
    fn a_code_ends_with_its_sixteenth_symbol() {
        let code = SerialCode::assemble(RunPrefix::parse("7K").unwrap(), &[5; 13]).reveal();
        let spaced = code.replace('-', " ").to_lowercase();
        for line in [
            format!("{code} Nobody's Shadow"),
            format!("{code}\tNobody's Shadow"),
            format!("{code}, Nobody's Shadow"),
            format!("{spaced}  Nobody's Shadow"),
            format!("{}Nobody's Shadow", code.replace('-', "")),
            format!("{code} | Nobody's Shadow"),
            format!("https://cards.example/submit#{code} Nobody's Shadow"),
            format!("| {code} | Nobody's Shadow |"),
            format!("｜{code}｜Nobody's Shadow｜"),
            format!("{code} |Nobody's Shadow"),
            format!("{code} – Nobody's Shadow"),
            format!("{code}=Nobody's Shadow"),
            format!("{code} => Nobody's Shadow"),
            format!("{code} → Nobody's Shadow"),
            format!("{code}; \"Nobody's Shadow\""),
            format!("{code}: “Nobody's Shadow”"),
            format!("{code}\t-\t«Nobody's Shadow»"),
        ] {
            let (name, serial) = read(&line);
            assert_eq!(name, "Nobody's Shadow", "{line}");
            assert_eq!(
                serial.ok().map(|serial| serial.code.reveal()),
                Some(code.clone()),
                "{line}"
            );
        }
        for name in [
            "#7",
            "🔥 Ember",
            ">_<",
            "=^.^=",
            "!?",
            "-_-",
            "(Rook)",
            "\"Odd\" Thing",
            "\"A\" or \"B\"",
            "Wolf | Moon",
            "A: B",
            "+1",
            "…",
            "❤️",
        ] {
            for line in
                [format!("{code} {name}"), format!("{code} | {name}"), format!("{code}, {name}")]
            {
                assert_eq!(read(&line).0, name, "{line}");
            }
        }
        // Signs alone are no name.
        for line in [format!("{code} |"), format!("{code},"), format!("{code} - ")] {
            let (name, serial) = read(&line);
            assert_eq!(
                (name, serial.err().unwrap().code()),
                ("", ProblemCode::InvalidBody),
                "{line}"
            );
        }
        let refusals = [
            ("7KQ2 Rook", ProblemCode::SerialMalformed),
            (&code[..], ProblemCode::InvalidBody),
            ("0000-0000-0000-0001 Rook", ProblemCode::SerialMistyped),
        ];
        for (line, expected) in refusals {
            assert_eq!(read(line).1.err().map(|problem| problem.code()), Some(expected), "{line}");
        }
    }
}
