//! Text of the pages of trades.

use crate::app::problem::ProblemCode;
use crate::web::words::grouped;

pub(super) const TRADES_ABOUT: &str = "Registered copies change hands by offers. No copy changes hands before the other side accepts; then all copies change hands at once.";
pub(super) const NEW_OFFER: &str = "New offer";
pub(super) const FIND: &str = "Find somebody to trade with";
pub(super) const UNTIL: &str = "Open until";
pub(super) const MADE: &str = "Offered";
pub(super) const CLOSED: &str = "Closed";
pub(super) const OTHER_PLAYER: &str = "Other player";
pub(super) const NO_OPEN_TRADES: &str =
    "No offer is open. Make one, or find somebody whose lists fit yours.";
pub(super) const NO_TRADES: &str = "There is no such trade of yours.";
pub(super) const YOU_GIVE: &str = "You give";
pub(super) const YOU_GET: &str = "You get";
pub(super) const YOU_GAVE: &str = "You gave";
pub(super) const YOU_GOT: &str = "You got";
pub(super) const GIVE_NOTHING: &str = "Nothing: it is a gift to you.";
pub(super) const GET_NOTHING: &str = "Nothing: it is a gift of yours.";
pub(super) const ANSWERS_ANOTHER: &str = "The offer that this one answers";
pub(super) const ANSWERED_BY_ANOTHER: &str = "The offer that answers this one";
pub(super) const LATE_OFFER: &str = "Your answer";
pub(super) const LATE_OFFER_ABOUT: &str = "Your answer was not sent. A new offer to the same player can begin with the copies that you chose.";
pub(super) const OFFER_AGAIN: &str = "Make a new offer";
pub(super) const STUCK: &str =
    "A copy of this offer cannot be given any more, so the offer cannot lead to a trade.";
pub(super) const DISPUTE_COMES_ALONG: &str =
    "Somebody claims a copy that you would get. If you take the copy, you take the dispute, too.";
pub(super) const MY_DECKS: &str = "Effect on your decks";
pub(super) const NO_DECKS: &str = "It makes no difference to your decks.";
pub(super) const ACCEPT: &str = "Accept…";
pub(super) const ACCEPT_TITLE: &str = "Accept this offer?";
pub(super) const ACCEPT_NOW: &str = "Accept: the copies change hands";
pub(super) const NOT_YET: &str = "Not yet";
pub(super) const DECLINE: &str = "Decline";
pub(super) const CANCEL: &str = "Take the offer back";
pub(super) const COUNTER: &str = "Answer with another offer";

pub(super) const OFFER_ABOUT: &str = "Choose what you give and what you ask for. The other player can accept, decline, or answer with another offer.";
pub(super) const COUNTER_ABOUT: &str = "Your offer replaces the one that it answers.";
pub(super) const WITH: &str = "Offer a trade to";
pub(super) const WITH_HELP: &str = "The name of the other player.";
pub(super) const MATCHING_PLAYERS: &str = "Players whose lists fit yours";
pub(super) const EARLIER: &str = "Players of your earlier trades";
pub(super) const FILTER_MINE: &str = "Find among your copies";
pub(super) const FILTER_THEIRS: &str = "Find among the other player's copies";
/// Shown by the script while copies are chosen.
pub(super) const CHOSEN: &str = "{chosen} chosen; {shown} of {all} are shown.";
pub(super) const GO_ON: &str = "Go on";
pub(super) const CHOOSE_AGAIN: &str = "Choose again";
pub(super) const GIVE_LEGEND: &str = "What you give";
pub(super) const WANT_LEGEND: &str = "What you ask for";
pub(super) const NO_OWN_COPIES: &str = "You have no copy here that could be given.";
pub(super) const SHOWS_NOTHING: &str = "This player shows you no copies here. You can still give some: an offer that asks for nothing is a gift.";
pub(super) const MORE_OF_MINE: &str = "More of your copies";
pub(super) const MORE_OF_THEIRS: &str = "More of the other player's copies";
pub(super) const SHOW_PART: &str = "Show only some of the copies";
pub(super) const SHOW_PART_ABOUT: &str = "Your choice is kept.";
pub(super) const MESSAGE: &str = "Message";
pub(super) const MESSAGE_HELP: &str =
    "A message that the other player reads with the offer. It may be empty.";
pub(super) const LIFETIME: &str = "The offer is open for";
pub(super) const SEND: &str = "Send the offer";

pub(super) const FIND_ABOUT: &str = "Players whose public lists fit yours: they have what you want, or want what you have. Those for whom both is true come first.";
pub(super) const NO_MATCHES: &str =
    "Nobody's lists fit yours yet. Put more cards on your wants and haves.";
pub(super) const PLAYER: &str = "Player";
pub(super) const THEY_HAVE: &str = "Have of your wants";
pub(super) const THEY_WANT: &str = "Want of your haves";
pub(super) const MUTUAL: &str = "Both ways";
pub(super) const OFFER: &str = "Offer a trade";

/// The lifetimes of an offer: value in hours, and label.
pub(super) const LIFETIMES: [(u16, &str); 6] = [
    (24, "1 day"),
    (72, "3 days"),
    (168, "7 days"),
    (336, "14 days"),
    (720, "30 days"),
    (2160, "90 days"),
];

/// The title of a trade; `is_own`: the reader made the offer.
pub(super) fn title(is_own: bool, other: &str) -> String {
    if is_own { format!("Your offer to {other}") } else { format!("Offer from {other}") }
}

/// The state of a trade.
pub(super) fn state(state: &str, is_own: bool) -> &'static str {
    match (state, is_own) {
        ("open", true) => "Waiting for the other player",
        ("open", false) => "Waiting for you",
        ("accepted", _) => "Accepted",
        ("declined", _) => "Declined",
        ("cancelled", _) => "Taken back",
        ("countered", _) => "Answered with another offer",
        ("lapsed", _) => "Void: a copy could not be traded or a player could not trade any more",
        ("expired", _) => "Not answered in time",
        _ => "Closed",
    }
}

/// The label of trades in a state; `all`: in any state.
pub(super) fn state_of_several(state: &str) -> &'static str {
    match state {
        "open" => "Open",
        "accepted" => "Accepted",
        "declined" => "Declined",
        "cancelled" => "Taken back",
        "countered" => "Answered",
        "lapsed" => "Void",
        "expired" => "Expired",
        _ => "All",
    }
}

/// The number of copies of both sides.
pub(super) fn terms(gives: i64, gets: i64) -> String {
    format!("you give {}, you get {}", copies(gives), copies(gets))
}

fn copies(count: i64) -> String {
    match count {
        0 => "nothing".to_owned(),
        1 => "1 copy".to_owned(),
        _ => format!("{} copies", grouped(count)),
    }
}

/// How many chosen copies cannot be shown; `None`: none.
pub(super) fn not_shown(gives: usize, gets: usize) -> Option<String> {
    let count = |count| i64::try_from(count).unwrap_or(i64::MAX);
    let terms = terms(count(gives), count(gets));
    (gives + gets > 0).then(|| format!("Chosen, and not shown below: {terms}."))
}

/// How many chosen copies can no longer be chosen; `None`: none.
pub(super) fn left_out(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some(
            "1 copy that you had chosen cannot be traded any more, and is left out.".to_owned(),
        ),
        _ => Some(format!(
            "{count} copies that you had chosen cannot be traded any more, and are left out."
        )),
    }
}

/// Notes on a copy in a trade.
pub(super) fn notes(
    disputed: Option<bool>,
    available: Option<bool>,
    gone: Option<bool>,
) -> Vec<&'static str> {
    let all = [
        (disputed == Some(true), "Somebody claims it"),
        (available == Some(false), "Cannot be given any more"),
        (gone == Some(true), "Could not be given any more"),
    ];
    all.into_iter().filter(|(is_so, _)| *is_so).map(|(_, text)| text).collect()
}

/// The confirmation of the action that was just completed, by its code; empty: none.
pub(super) fn done(code: &str) -> &'static str {
    match code {
        "offered" => "The offer is sent.",
        "accepted" => "The trade is done: the copies have changed hands.",
        "declined" => "The offer is declined.",
        "cancelled" => "The offer is taken back.",
        _ => "",
    }
}

/// Cards that a deck lacks, before and after a trade.
pub(super) fn missing(now: u64, after: u64) -> String {
    format!("missing {now} now, {after} after it")
}

/// A card of which a deck would lack fewer copies.
pub(super) fn closes(name: &str, copies: u64) -> String {
    format!("{name}: {copies} fewer missing")
}

/// A card of which a deck would lack more copies, or lose reserved ones.
pub(super) fn opens(name: &str, copies: u64, reserved: u64) -> String {
    match (copies, reserved) {
        (copies, 0) => format!("{name}: {copies} more missing"),
        (0, reserved) => format!("{name}: {reserved} reserved for this deck would go"),
        (copies, reserved) => {
            format!("{name}: {copies} more missing, and {reserved} reserved for this deck would go")
        }
    }
}

/// What is not shown of decks; `None`: everything is shown.
pub(super) fn decks_left(left_out: usize, not_compared: i64) -> Option<String> {
    let mut texts = Vec::new();
    match left_out {
        0 => {}
        1 => texts.push("It makes a difference to 1 more deck.".to_owned()),
        count => texts.push(format!("It makes a difference to {count} more decks.")),
    }
    match not_compared {
        0 => {}
        1 => texts.push("1 deck was not looked at: save it once more.".to_owned()),
        count => texts.push(format!("{count} decks were not looked at: save them once more.")),
    }
    (!texts.is_empty()).then(|| texts.join(" "))
}

/// The message about a refused offer or answer. `None`: the problem is shown on a page of its own.
pub(super) fn fault(code: ProblemCode) -> Option<&'static str> {
    Some(match code {
        ProblemCode::TradeClosed => "The offer is not open any more. Its present state is below.",
        ProblemCode::NotYourTurn => "Only the other player can do this.",
        ProblemCode::TradeLapsed => {
            "The offer has lapsed: a copy cannot be traded or a player cannot trade any more. Nothing changed hands."
        }
        ProblemCode::NoSuchTrader => "There is no player of this name who takes offers from you.",
        ProblemCode::TooManyTrades => {
            "You have the greatest number of open offers that an account may have. Take one back first."
        }
        ProblemCode::DailyLimitReached => {
            "You have made as many offers today as you may. Send this one tomorrow."
        }
        ProblemCode::IdempotencyKeyReused => {
            "This form was sent before with other contents, and that offer is sent: your trades list it. Send it again to make another one."
        }
        ProblemCode::IdempotencyInProgress => "The offer is being sent at the moment.",
        ProblemCode::InvalidBody => "The offer contains a fault.",
        _ => return None,
    })
}

/// The message about a lapsed offer: its copies or the other player are the reason.
pub(super) fn lapsed(by_copies: bool) -> &'static str {
    if by_copies {
        "Some copies were given away, frozen or voided since the offer was made. Nothing changed hands."
    } else {
        "The other player cannot trade any more. Nothing changed hands."
    }
}

/// The heading of an answer to an offer.
pub(super) fn counter_to(other: &str) -> String {
    format!("Answer the offer of {other}")
}

/// The heading of an offer.
pub(super) fn offer_to(other: &str) -> String {
    if other.is_empty() { NEW_OFFER.to_owned() } else { format!("Offer a trade to {other}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::copies::trade::TradeState;

    #[test]
    fn every_state_has_words() {
        for one in TradeState::ALL {
            assert_ne!(state(one.as_str(), true), "Closed", "{}", one.as_str());
            assert_ne!(state_of_several(one.as_str()), "All", "{}", one.as_str());
        }
        assert_eq!(terms(1, 0), "you give 1 copy, you get nothing");
        assert_eq!(opens("Imp", 0, 2), "Imp: 2 reserved for this deck would go");
    }
}
