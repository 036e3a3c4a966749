//! All text of the pages. Templates contain no text: a test checks them.

use std::borrow::Cow;

use cardscape_engine::Date;
use chrono::{DateTime, Datelike as _, NaiveDate, Utc};

use crate::app::problem::ProblemCode;

/// The language of the pages (BCP 47).
pub(super) const LANGUAGE: &str = "en";
/// The name of the service.
pub(super) const NAME: &str = "Cardscape";
/// A short description of the service.
pub(super) const ABOUT: &str =
    "Search cards, follow their unlocks and read everything that is said of them.";

// The frame of every page.
pub(super) const SKIP: &str = "Skip to the content";
pub(super) const MAIN_NAVIGATION: &str = "Main";
pub(super) const HOME: &str = "Home";
pub(super) const SEARCH: &str = "Search";
pub(super) const SEARCH_FIELD: &str = "Search cards";
pub(super) const SEARCH_EXAMPLE: &str = "t:fire attack>=300";
pub(super) const SEARCH_HELP: &str = "Search help";
pub(super) const DECKS: &str = "Decks";
pub(super) const DESIGNS: &str = "Designs";
pub(super) const COLLECTION: &str = "Collection";
pub(super) const SUBMIT: &str = "Register a card";
pub(super) const ACCOUNT: &str = "Account";
/// Shown by the script about new events of the account; if the number is too large for the badge, it shows `MANY`.
pub(super) const ONE_NEW_EVENT: &str = "1 new event";
pub(super) const NEW_EVENTS: &str = "{count} new events";
pub(super) const MANY: &str = "99+";
pub(super) const FAULTS: &str = "This did not work";
pub(super) const DOCUMENTATION: &str = "Documentation";
pub(super) const REFERENCE: &str = "API reference";
pub(super) const BETWEEN_TITLE_AND_NAME: &str = " · ";
pub(super) const BETWEEN_LABELS: &str = " · ";

// The first page.
pub(super) const UNLOCK_WALL: &str = "Cards waiting to be unlocked";
pub(super) const UNLOCK_WALL_ABOUT: &str = "A hidden card is shown when enough players have submitted the code of a copy, and the other conditions of its set, if it has any, are met. Until then everybody sees its back and its progress.";
pub(super) const NO_HIDDEN_CARDS: &str = "No card is hidden at the moment: everything is open.";
pub(super) const MORE_SETS: &str = "More sets with hidden cards";
pub(super) const ALL_HIDDEN_CARDS: &str = "All hidden cards";
pub(super) const NEWEST_UNLOCKS: &str = "Newest unlocks";
/// Announced by a script when a card is unlocked; the script inserts the name.
pub(super) const UNLOCKED_NOW: &str = "{name} is unlocked.";
pub(super) const NO_UNLOCKS: &str = "No card was unlocked yet.";
pub(super) const GAMES: &str = "Games";
pub(super) const NO_GAMES: &str = "There is no game yet.";

// Cards on all pages.
pub(super) const HIDDEN_CARD: &str = "Hidden card";
/// What is needed beside the number of submissions.
pub(super) const UNLOCK_CONDITIONS: &str = "Conditions of the unlock";
pub(super) const HIDDEN_ABOUT: &str = "This card is hidden until the community unlocks it. Until then this page shows only its progress.";
pub(super) const HIDDEN_PREVIEW: &str = "A card that is hidden until the community unlocks it.";
pub(super) const HIDDEN_FROM_OTHERS: &str = "Others do not see this card yet: it is hidden.";
pub(super) const UNLOCK_PROGRESS: &str = "Unlock progress";
pub(super) const PICTURE_AS: &str = "Picture in";
pub(super) const PRINTINGS: &str = "Printings";
pub(super) const RARITY: &str = "Rarity";
pub(super) const DESIGNED_BY: &str = "Designed by";
pub(super) const RULINGS: &str = "Rulings";
pub(super) const NO_RULINGS: &str = "Nothing was ruled about this card.";
pub(super) const LEGALITY: &str = "Legality today";
pub(super) const NO_FORMATS: &str = "The game has no format today.";
pub(super) const HISTORY: &str = "History";
pub(super) const NO_HISTORY: &str = "Nothing happened to this card yet.";
pub(super) const PAGES_OF_HISTORY: &str = "Pages of the history";
pub(super) const OLDER_ENTRIES: &str = "Older entries";
pub(super) const NEWEST_ENTRIES: &str = "Newest entries";
pub(super) const CHANGES: &str = "Changes";
pub(super) const BEFORE: &str = "Before";
pub(super) const AFTER: &str = "After";
pub(super) const MEMBER: &str = "What";
pub(super) const NOTHING: &str = "–";
pub(super) const PREVIOUS_CARD: &str = "Previous card";
pub(super) const NEXT_CARD: &str = "Next card";
pub(super) const NEIGHBOURS: &str = "Cards beside this one in the set";
pub(super) const WHERE_YOU_ARE: &str = "Where you are";
pub(super) const YES: &str = "Yes";
pub(super) const NO: &str = "No";

// Games and sets.
pub(super) const SETS: &str = "Sets";
pub(super) const SET: &str = "Set";
pub(super) const NO_SETS: &str = "The game has no set yet.";
pub(super) const FORMATS: &str = "Formats";
pub(super) const RULES: &str = "Construction rules";
pub(super) const RARITIES: &str = "Rarities";
pub(super) const RULES_VERSION: &str = "Rules";
pub(super) const CARDS: &str = "Cards";
pub(super) const RELEASED: &str = "Released";
pub(super) const SEARCH_GAME: &str = "Search the cards of this game";
pub(super) const SEARCH_SET: &str = "Search the cards of this set";
pub(super) const NO_CARDS: &str = "The set has no card yet.";
pub(super) const PRINT_RUN: &str = "What was printed";
pub(super) const PRINT_RUN_HIDDEN: &str = "Cards that are hidden now are left out.";
pub(super) const PRINTED: &str = "Printed";
pub(super) const REGISTERED: &str = "Registered";
pub(super) const EXPECTED: &str = "Expected";
pub(super) const ANNOUNCEMENTS: &str = "Announced print runs";
pub(super) const ANNOUNCEMENTS_ABOUT: &str = "The hash was published before printing. The promises of the run stay secret behind it until the run is revealed. From then on everybody can check that the run was printed as it was announced.";
pub(super) const WEIGHT: &str = "Weight";
pub(super) const WEIGHTS_ABOUT: &str = "Every card has as many copies as any other of its run. Its rarities share them by their weights.";
pub(super) const PROMISED: &str = "Promised";
pub(super) const PROMISE_KEPT: &str =
    "As many copies were printed in each rarity as the announcements promised.";
pub(super) const PROMISE_DIFFERS: &str = "The printed copies are not those that the announcements promised. They also differ if cards were moved or merged since.";
pub(super) const COPIES_PER_CARD: &str = "Copies of each card";
pub(super) const COPIES: &str = "Copies";
pub(super) const SHARE: &str = "Share";
pub(super) const PACKS: &str = "Packs";
pub(super) const NO_PACKS: &str = "Not in packs";
pub(super) const DATA: &str = "Data";
pub(super) const CHECK_RUN: &str = "How to check a run";
pub(super) const CHECK_STEPS: [&str; 3] = [
    "Keep the hash of the announcement before the run is printed. It cannot be changed afterwards.",
    "When the run is revealed, save the data of its announcement. The opening in it is a text of three lines with the seed and the whole plan: its SHA-256 must be the hash that you kept.",
    "This command does so without the service, and checks that the plan shares all copies by the weights:",
];
pub(super) const CHECK_COMMAND: &str = "cardscape verify-run run.json";
pub(super) const CHECK_GUIDE: &str = "How runs are planned, announced and checked";
pub(super) const STATUS: &str = "Status";
pub(super) const ANNOUNCED: &str = "Announced";
pub(super) const HASH: &str = "SHA-256";

// The search.
pub(super) const SEARCH_TITLE: &str = "Search cards";
pub(super) const GAME: &str = "Game";
pub(super) const ALL_GAMES: &str = "All games";
pub(super) const SORT: &str = "Sort by";
/// The default of sort and order: `order:` of the query, or else by set and number, ascending.
pub(super) const AS_THE_QUERY_SAYS: &str = "As the query says";
pub(super) const ORDER: &str = "Order";
pub(super) const ASCENDING: &str = "Lowest first";
pub(super) const DESCENDING: &str = "Highest first";
pub(super) const SHOW_AS: &str = "Show as";
pub(super) const AS_GRID: &str = "Pictures";
pub(super) const AS_LIST: &str = "List";
pub(super) const AS_TEXT: &str = "Text";
pub(super) const FIND: &str = "Search";
pub(super) const RESULTS: &str = "Results";
pub(super) const NOTHING_FOUND: &str = "No card fits.";
pub(super) const NOTHING_FOUND_ABOUT: &str = "Leave out a term, or look into the search help.";
/// Over warnings: parts that were left out, and parts that were used but name nothing that is known.
pub(super) const ABOUT_QUERY: &str = "About your query";
pub(super) const QUERY_REFUSED: &str = "This query cannot be read";
pub(super) const NARROW: &str = "Narrow the search";
pub(super) const CHOOSE_GAME: &str = "Choose a game to see what its cards can be narrowed by.";
pub(super) const NO_FACETS: &str =
    "The values to narrow the search by could not be counted now. The list itself is complete.";
pub(super) const NEXT_PAGE: &str = "Next page";
pub(super) const FIRST_PAGE: &str = "First page";
pub(super) const PAGES: &str = "Pages";
pub(super) const NUMBER: &str = "Number";
pub(super) const CARD_NAME: &str = "Name";
pub(super) const KIND: &str = "Kind";
pub(super) const PROGRESS: &str = "Progress";

// The help of the search.
pub(super) const HELP_ABOUT: &str = "A query is made of terms. A card is found when all of them fit it; case and accents do not count.";
/// The parts of the syntax, with an example of each.
pub(super) const HELP_SYNTAX: [(&str, &str); 8] = [
    ("Words are looked for in everything that a card says.", "ember"),
    ("Quotation marks hold words together.", "\"draw a card\""),
    ("A field stands before its value.", "type:fire"),
    ("Numbers are compared.", "attack>=300"),
    ("A range has two points between its ends.", "rank:1..3"),
    ("A minus leaves out what fits.", "t:fire -kind:spell"),
    (
        "Either of two terms is enough with or between them; parentheses group.",
        "(t:fire or t:water) rank>=3",
    ),
    ("Regular expressions stand between slashes.", "/^pebble/"),
];
pub(super) const HELP_EXAMPLE: &str = "Example";
pub(super) const HELP_MEANING: &str = "Meaning";
pub(super) const HELP_SYNTAX_TITLE: &str = "How queries are written";
pub(super) const HELP_FIELDS: &str = "Fields";
pub(super) const HELP_FIELDS_ABOUT: &str = "Every attribute of a game is also a field, named by its code. Hidden cards are found by game, set, number, progress and whether they are hidden; no other term reveals anything about them.";
pub(super) const HELP_FIELD: &str = "Field";
pub(super) const HELP_SHORT: &str = "Short";
pub(super) const HELP_OPERATORS: &str = "Operators";
pub(super) const HELP_GUIDE: &str = "The whole language";
pub(super) const KEYS: &str = "Keys";
pub(super) const KEYS_ABOUT: &str = "On every page / leads to the search, and on the page of a card the arrows lead to the cards before and after.";
pub(super) const USE_KEYS: &str = "Use these keys";
pub(super) const USE_KEYS_HELP: &str = "Switch them off if you press them by accident, or control your device by voice. This browser remembers the choice.";

// Pages for failed requests.
pub(super) const TO_THE_START: &str = "To the start page";
pub(super) const TRY_AGAIN: &str = "Try again";
pub(super) const SEND_AGAIN: &str = "Send it again";
pub(super) const FORM_KEPT: &str = "This page keeps the data that you sent.";
pub(super) const WRITTEN: &str = "What you wrote";
pub(super) const WRITTEN_HELP: &str =
    "It was not stored. Copy it if you want to keep it: this page shows it only once.";
pub(super) const FIRST_IN_ANOTHER_TAB: &str =
    "The first button opens another tab. When you are done there, come back to this page.";
pub(super) const RELOAD_TO_SEND: &str =
    "Load this page again to send the same once more: your browser asks first.";
pub(super) const TO_PASSWORD: &str = "Change the password";
pub(super) const TO_SECOND_FACTOR: &str = "Switch the second factor on";
pub(super) const TO_LOG_IN: &str = "Log in";

/// The text about a failure: a heading and a sentence.
pub(super) fn failure(code: ProblemCode) -> (&'static str, &'static str) {
    match (code, code.status()) {
        (ProblemCode::InvalidCursor, _) => (
            "This page of the list is gone",
            "The address does not belong to this list. Begin with its first page.",
        ),
        (ProblemCode::PasswordChangeDue, _) => (
            "Change the password first",
            "Your password was set by somebody else. Nothing else is possible until you have changed it.",
        ),
        (ProblemCode::SecondFactorDue, _) => (
            "Switch a second factor on first",
            "Your role needs a second factor. Nothing else is possible until you have switched one on.",
        ),
        (_, 401) => {
            ("You are not logged in", "Your session is over. Log in, and then try once more.")
        }
        (_, 403) => (
            "You may not do this",
            "It is for somebody else or needs another role than yours, or a page of another site sent it.",
        ),
        (ProblemCode::OwnReport, _) => {
            ("This is yours", "You cannot report your own content or account.")
        }
        (_, 409) => (
            "Something has changed",
            "The data that you wanted to change are not as you read them. Look at them again.",
        ),
        (ProblemCode::InvalidBody, _) => (
            "This form cannot be read",
            "A field is missing, or has a value that does not belong there.",
        ),
        (_, 404 | 410) => (
            "There is nothing here",
            "The address leads to nothing, or to nothing that you may see.",
        ),
        (_, 405) => ("Not possible here", "This address does not take a request of this kind."),
        (_, 406) => (
            "Not available in this form",
            "Your browser takes no form in which this page can be sent.",
        ),
        (_, 408) => ("That took too long", "The request did not arrive in time."),
        (_, 413 | 414 | 431) => ("Too large", "The request is larger than this page takes."),
        (_, 429) => (
            "Too many requests",
            "Your network has sent too many requests. Requests of others in the same network count, too.",
        ),
        (ProblemCode::TimedOut, _) => (
            "That took too long",
            "The answer could not be found in time. A narrower search is faster.",
        ),
        (_, 503) => ("Not available right now", "The service cannot answer at the moment."),
        (_, 500..) => {
            ("Something went wrong on our side", "The fault was recorded. Try again later.")
        }
        _ => (
            "This address cannot be read",
            "A part of the address has a value that does not belong there.",
        ),
    }
}

/// The message beside the file of a form that was only partly received and is shown again.
pub(super) const FILE_NOT_KEPT: &str = "The file was not kept: choose it again.";
pub(super) const TEXT_NOT_KEPT: &str = "Some of the text was too long to keep: paste it again.";

/// When it makes sense to try again.
pub(super) fn try_again_in(seconds: u32) -> String {
    match seconds {
        0..=1 => "Try again in a second.".to_owned(),
        2..=89 => format!("Try again in {seconds} seconds."),
        90..=7_200 => format!("Try again in {} minutes.", seconds.div_ceil(60)),
        _ => format!("Try again in {} hours.", seconds.div_ceil(3_600)),
    }
}

/// The title of a browser's tab.
pub(super) fn page_title(title: &str) -> String {
    if title == NAME { NAME.to_owned() } else { format!("{title}{BETWEEN_TITLE_AND_NAME}{NAME}") }
}

/// A number of cards.
pub(super) fn cards(count: i64) -> String {
    counted(count, "card", "cards")
}

/// The number of cards, or of printings, that a search found; `is_exact`: whether all were counted.
pub(super) fn found(count: i64, is_exact: bool, are_printings: bool) -> String {
    let found = if are_printings { counted(count, "printing", "printings") } else { cards(count) };
    if is_exact { found } else { format!("more than {found}") }
}

/// A number of copies.
pub(super) fn copies(count: i64) -> String {
    counted(count, "copy", "copies")
}

/// A number of things, with the singular and the plural of the noun.
pub(super) fn counted(count: i64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

/// A number with commas between groups of three digits.
pub(super) fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    if number < 0 {
        text.push('−');
    }
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The progress of a hidden card.
pub(super) fn submissions(count: i32, threshold: i32) -> String {
    format!("{count} of {}", counted(i64::from(threshold), "submission", "submissions"))
}

/// The progress of a card that has enough submissions and is still hidden.
pub(super) fn more_than_number(submissions: &str) -> String {
    format!("{submissions}, but not all conditions are met yet")
}

/// When a card was unlocked, and by how many submissions. A card that was unlocked by hand may have fewer submissions than its threshold; these are not shown.
pub(super) fn unlocked_at(at: DateTime<Utc>, count: i32, threshold: i32) -> String {
    let day = day_of(at);
    if count < threshold {
        format!("Unlocked on {day}")
    } else {
        format!("Unlocked on {day} ({})", submissions(count, threshold))
    }
}

/// How many cards of a set that started hidden are unlocked.
pub(super) fn unlocked_of(unlocked: i64, all: i64) -> String {
    format!("{} of {} unlocked", grouped(unlocked), cards(all))
}

pub(super) fn day(day: NaiveDate) -> String {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let month = MONTHS.get(day.month0() as usize).copied().unwrap_or_default();
    format!("{} {month} {}", day.day(), day.year())
}

/// The day of a timestamp, in UTC.
pub(super) fn day_of(at: DateTime<Utc>) -> String {
    day(at.date_naive())
}

/// The text below a card in a list: its set and number.
pub(super) fn place(set: &str, number: &str) -> String {
    format!("{set} {number}")
}

/// The place of a card with a rarity. `rarity`: its name.
pub(super) fn printing_at(place: &str, rarity: &str) -> String {
    format!("{place}, {rarity}")
}

/// The label of a table in a section with that heading: screen readers that list both must distinguish them.
pub(super) fn table_of(heading: &str) -> String {
    format!("Table: {heading}")
}

/// The title of a search page whose query was refused.
pub(super) fn refused(query: &str) -> String {
    if query.is_empty() { QUERY_REFUSED.to_owned() } else { format!("{QUERY_REFUSED}: {query}") }
}

/// The placeholder for a hidden card in labels that must differ between cards.
pub(super) fn hidden_at(set: &str, number: &str) -> String {
    format!("{HIDDEN_CARD}: {}", place(set, number))
}

/// A set with its game, where the page does not show the game otherwise.
pub(super) fn set_of(set: &str, game: &str) -> String {
    format!("{set} ({game})")
}

/// The label of the link to all cards of a set.
pub(super) fn all_cards_of(set: &str) -> String {
    format!("All cards of {set}")
}

/// The legality of a card in a format.
pub(super) fn legality(status: &str, most: Option<u32>) -> String {
    match (status, most) {
        ("legal", _) => "Legal".to_owned(),
        ("restricted", Some(1)) => "Restricted to 1 copy".to_owned(),
        ("restricted", Some(most)) => format!("Restricted to {most} copies"),
        ("banned", _) => "Banned".to_owned(),
        ("not_legal", _) => "Not legal".to_owned(),
        (other, _) => titled(other),
    }
}

/// A change of a card.
pub(super) fn change(kind: &str) -> String {
    match kind {
        "added" => "Added",
        "changed" => "Changed",
        "unlocked" => "Unlocked by the community",
        "moved" => "Got another number",
        "merged" => "Became one with another card",
        "ruling_added" => "A ruling was added",
        "ruling_changed" => "A ruling was changed",
        "ruling_removed" => "A ruling was removed",
        other => return titled(other),
    }
    .to_owned()
}

/// The kind of a text about a card.
pub(super) fn ruling(kind: &str) -> &'static str {
    if kind == "erratum" { "Erratum" } else { "Ruling" }
}

/// The status of a print run.
pub(super) fn run_status(status: &str) -> String {
    match status {
        "announced" => "Announced, not printed yet".to_owned(),
        "broken_off" => "Broken off, to be printed again".to_owned(),
        "printed" => "Printed".to_owned(),
        "revealed" => "Revealed: everybody can check it".to_owned(),
        other => titled(other),
    }
}

/// The label of an announcement. `short`: the beginning of its hash.
pub(super) fn promise_of(day: &str, short: &str) -> String {
    format!("What was promised on {day} ({short})")
}

/// The label of the data of an announcement. `short`: the beginning of its hash.
pub(super) fn data_of_announcement(short: &str) -> String {
    format!("Data of {short}")
}

/// The packs of a run.
pub(super) fn packs(packs: i64, cards_per_pack: u32, left_over: i64) -> String {
    let packs = counted(packs, "pack", "packs");
    let text = format!("{packs} of {}", cards(cards_per_pack.into()));
    match left_over {
        0 => text,
        _ => format!("{text}, {} left over", counted(left_over, "copy", "copies")),
    }
}

/// A share, in percent.
pub(super) fn share(part: u64, all: u64) -> String {
    let tenths = u128::from(part) * 1000 / u128::from(all.max(1));
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// The explanation of the verdict on a run.
pub(super) const VOLUNTARY: &str = "Players need not register their cards, and some rarities may be registered sooner than others. A difference is a reason to look closer, but proves nothing by itself.";

/// The comparison of the registered copies with the promised shares; `p`: the probability that chance alone causes as large a difference.
pub(super) fn verdict(p: f64) -> String {
    let percent = (p * 100.0).clamp(0.0, 100.0);
    if p < 0.01 {
        "The registered copies differ more from the printed ones than chance makes likely."
            .to_owned()
    } else {
        format!(
            "The registered copies are what chance makes of what was printed: as large a difference comes up in {percent:.0} of 100 cases."
        )
    }
}

/// A name, or a text of a player, in quotation marks within a sentence.
pub(super) fn quoted(text: &str) -> String {
    format!("“{text}”")
}

/// Some things by name, and the number of further ones. `more`: the number.
pub(super) fn and_more(named: &str, more: usize) -> String {
    if more == 0 { named.to_owned() } else { format!("{named} and {more} more") }
}

/// A text as a sentence: with a capital letter and a full stop.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let text: String =
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    if text.ends_with(['.', '!', '?']) { text } else { format!("{text}.") }
}

/// The role of an account.
pub(super) fn role(code: &str) -> String {
    match code {
        "player" => "Player",
        "moderator" => "Moderator",
        "admin" => "Admin",
        other => return titled(other),
    }
    .to_owned()
}

/// A sentence, either constant or built from values.
pub(super) type Sentence = Cow<'static, str>;

/// A number of things.
pub(super) fn count(number: impl TryInto<i64>) -> String {
    grouped(number.try_into().unwrap_or(i64::MAX))
}

/// A day of the engine in the form of [`day`].
pub(super) fn engine_day(date: Date) -> String {
    let text = date.to_string();
    text.parse().map_or(text, day)
}

/// A code as words: `boost_attack` is `Boost attack`.
pub(super) fn titled(code: &str) -> String {
    let words = code.replace('_', " ");
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => words,
    }
}

/// The alternative text of the picture of a card.
pub(super) fn picture_of(name: &str, rarity: Option<&str>) -> String {
    match rarity {
        Some(rarity) => format!("{name}, {rarity}"),
        None => name.to_owned(),
    }
}

/// The fault of a term, or, without a term, of the query.
pub(super) fn fault(term: &str, message: &str) -> String {
    if term.is_empty() { message.to_owned() } else { format!("{term}: {message}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_groups_and_codes_become_words() {
        let texts = [0, 7, 999, 1_000, 1_234_567, -1_000].map(grouped);
        assert_eq!(texts, ["0", "7", "999", "1,000", "1,234,567", "−1,000"]);
        assert_eq!(cards(1), "1 card");
        assert_eq!(found(10_000, false, false), "more than 10,000 cards");
        assert_eq!(found(1, true, true), "1 printing");
        assert_eq!(packs(120, 10, 0), "120 packs of 10 cards");
        assert_eq!(packs(1, 10, 1), "1 pack of 10 cards, 1 copy left over");
        assert_eq!([share(1, 3), share(3, 3), share(0, 0)], ["33.3 %", "100.0 %", "0.0 %"]);
        assert_eq!(titled("boost_attack"), "Boost attack");
        assert_eq!(titled(""), "");
        assert_eq!(day(NaiveDate::from_ymd_opt(2026, 11, 2).unwrap()), "2 November 2026");
    }

    #[test]
    fn waits_have_a_unit_that_suits_their_length() {
        let texts = [0, 1, 30, 89, 90, 121, 7_200, 7_201].map(try_again_in);
        let ends = [
            "a second.",
            "a second.",
            "30 seconds.",
            "89 seconds.",
            "2 minutes.",
            "3 minutes.",
            "120 minutes.",
            "3 hours.",
        ];
        for (text, end) in texts.iter().zip(ends) {
            assert!(text.ends_with(end), "{text}");
        }
    }

    #[test]
    fn every_failure_has_words() {
        for code in ProblemCode::ALL {
            let (heading, text) = failure(*code);
            assert!(!heading.is_empty() && text.ends_with('.'), "{}", code.code());
        }
    }
}
