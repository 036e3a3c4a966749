//! Faults of a file that an admin imports, with their lines.

use std::sync::Arc;

use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;
use crate::domain::catalogue::json_places::{TextPlace, places};

/// Most characters of a line that are shown.
const MAX_LINE: usize = 160;
/// How many characters before the fault are shown of a longer line.
const BEFORE: usize = 60;

/// A fault of a file, with its line.
#[derive(Clone, Debug)]
pub struct LocatedFault {
    pub fault: InputFault,
    /// The line and column; `None`: the fault is about the whole file.
    pub place: Option<TextPlace>,
    /// The text of the line, shortened to `MAX_LINE` characters around the fault.
    pub line: String,
}

/// Finds the lines of faults. `is_json`: the file is JSON, and the pointers of the faults lead into it. Faults of a manifest already have lines.
pub async fn locate(
    app: &AppState,
    text: Arc<str>,
    faults: Vec<InputFault>,
    is_json: bool,
) -> Result<Vec<LocatedFault>, Problem> {
    // A large file takes a while, so it is not read on a thread that answers requests.
    Ok(app.work.run(move || located(&text, faults, is_json)).await?)
}

fn located(text: &str, faults: Vec<InputFault>, is_json: bool) -> Vec<LocatedFault> {
    let pointers: Vec<&str> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
    let found = if is_json { places(text, &pointers) } else { vec![None; faults.len()] };
    let lines: Vec<&str> = text.lines().collect();
    let each = faults.into_iter().zip(found).map(|(fault, found)| {
        let place = place_of(&fault, found);
        let line = place.and_then(|place| lines.get(place.line - 1).copied());
        let line = line.map_or_else(String::new, |line| {
            shortened(line, place.map_or(1, |place| place.column))
        });
        LocatedFault { fault, place, line }
    });
    let mut located: Vec<LocatedFault> = each.collect();
    // In the order of the file; faults about the whole file come first.
    located.sort_by_key(|fault| fault.place.map(|place| (place.line, place.column)));
    located
}

/// The place of a fault: the line of the fault itself, or else the place that its pointer leads to.
fn place_of(fault: &InputFault, found: Option<TextPlace>) -> Option<TextPlace> {
    if let Some(line) = fault.line {
        return Some(TextPlace { line: line.max(1), column: fault.column.unwrap_or(1) });
    }
    found.filter(|_| !fault.pointer.is_empty())
}

/// The part of a line around a column, which is counted from 1.
fn shortened(line: &str, column: usize) -> String {
    let line = line.trim_end();
    if line.chars().count() <= MAX_LINE {
        return line.to_owned();
    }
    let from = column.saturating_sub(BEFORE);
    let part: String = line.chars().skip(from).take(MAX_LINE).collect();
    let begin = if from > 0 { "…" } else { "" };
    let end = if line.chars().count() > from + MAX_LINE { "…" } else { "" };
    format!("{begin}{part}{end}")
}

#[cfg(test)]
mod tests {
    use cardscape_engine::Position;

    use super::*;

    const fn place(line: usize, column: usize) -> TextPlace {
        TextPlace { line, column }
    }

    #[test]
    fn each_fault_has_its_line() {
        let text = "{\n  \"code\": 7\n}";
        let faults = vec![
            InputFault::at("/code", "must be text"),
            InputFault::at("", "a value is expected here")
                .at_position(Position { line: 2, column: 3 }),
            InputFault::at("", "is empty"),
        ];
        let found = located(text, faults, true);
        let located: Vec<_> =
            found.iter().map(|fault| (fault.place, fault.line.as_str())).collect();
        let line = "  \"code\": 7";
        assert_eq!(located, [(None, ""), (Some(place(2, 3)), line), (Some(place(2, 11)), line)]);
    }

    #[test]
    fn faults_of_manifests_keep_their_own_lines() {
        let position = Position { line: 2, column: 4 };
        let fault = InputFault::at("/kinds/0", "is unknown").at_position(position);
        let found = located("a = 1\nb = 2", vec![fault], false);
        assert_eq!((found[0].place, found[0].line.as_str()), (Some(place(2, 4)), "b = 2"));
    }

    #[test]
    fn a_long_line_is_shortened_around_the_fault() {
        let line = format!("{}x{}", "a".repeat(500), "b".repeat(500));
        let part = shortened(&line, 501);
        assert!(part.starts_with("…a") && part.ends_with("b…") && part.contains('x'), "{part}");
        assert_eq!(part.chars().count(), MAX_LINE + 2);
        assert_eq!(shortened("short  ", 1), "short");
    }
}
