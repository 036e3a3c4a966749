//! Text of the pages of copies, lists, players and disputes.

use crate::app::problem::ProblemCode;
use crate::web::words::grouped;

// The navigation between the pages of the collection and of copies.
pub(in crate::web) const OF_COLLECTION: &str = "What you have";
pub(super) const COUNTS: &str = "Collection";
pub(super) const MY_COPIES: &str = "Copies";
pub(super) const LISTS: &str = "Wants and haves";
pub(super) const TRADES: &str = "Trades";
pub(super) const DISPUTES: &str = "Disputes";

// Filters of lists.
pub(in crate::web) const NARROW: &str = "Show these";
pub(in crate::web) const SET_CODE: &str = "Code of the set";
pub(in crate::web) const SET_EXAMPLE: &str = "hearth";
pub(in crate::web) const RARITY_EXAMPLE: &str = "rare";

// Fields that name a card.
pub(in crate::web) const CARD_NAME: &str = "Name of the card";
pub(in crate::web) const CARD_NAME_HELP: &str =
    "The whole name; or leave it empty, and give set and number.";
pub(in crate::web) const CARD_SET: &str = "Set";
pub(in crate::web) const CARD_SET_HELP: &str =
    "Its code, such as “hearth”. Only needed where several sets have a card of the name.";
pub(in crate::web) const CARD_NUMBER: &str = "Number";
pub(in crate::web) const CARD_NUMBER_HELP: &str = "As it is printed on the card.";
pub(in crate::web) const CARD_RARITY_HELP: &str = "Its code, such as “rare”.";
pub(in crate::web) const NAME_OR_NUMBER: &str = "Give the name of the card, or its set and number.";

// Copies.
pub(super) const MY_COPIES_ABOUT: &str = "Cards whose codes are registered to you. You can trade them, and with a copy you see its card even if it is hidden.";
pub(super) const NO_COPIES: &str =
    "No copy is registered to you yet. Type the code of a card that you have.";
pub(super) const NO_COPIES_FIT: &str = "You have no such copy.";
pub(super) const HIDDEN_FROM_OTHERS: &str = "Hidden from others";
pub(super) const CARD: &str = "Card";
pub(super) const FIRST_REGISTERED: &str = "Registered first";
pub(super) const CODE_ON_CARD: &str = "The code of the copy is on the card and nowhere else.";
pub(super) const FROZEN_ABOUT: &str =
    "A moderator has frozen it: no trade moves it. The history below says why.";
pub(super) const DISPUTED_ABOUT: &str =
    "Another player claims it. A moderator decides, and reads what you say.";
pub(super) const OFFER_IT: &str = "Offer it in a trade";
pub(super) const SHOW_TRADE: &str = "The trade";
pub(super) const SHOW_DISPUTE: &str = "The dispute";
pub(super) const IS_DISPUTED: &str = "Somebody claims it";

// Blocked players.
pub(super) const BLOCKED_PLAYERS: &str = "Blocked players";
pub(super) const BLOCKS_ABOUT: &str = "They cannot offer you trades, comment on your designs and decks, reply to your comments or suggest changes, and do not see your copies. Open offers between you are closed. They are not told.";
pub(super) const NOBODY_BLOCKED: &str = "You have blocked nobody. Pages of players, authors and trades have a button for it, and so have comments on what is yours.";
pub(super) const PLAYER_NAME: &str = "Player";
pub(super) const BLOCKED_SINCE: &str = "Blocked since";
pub(super) const BLOCK: &str = "Block this player";
pub(super) const BLOCK_ABOUT: &str = "A player whom you block cannot offer you trades or comment on what is yours, and is not told. Open offers between you are closed.";
pub(super) const UNBLOCK: &str = "Unblock";
pub(super) const IS_BLOCKED: &str = "You have blocked this player.";
pub(super) const TAKES_NO_OFFERS: &str = "This player takes no offers at the moment.";

/// The confirmation of a block, or of its end.
pub(super) fn block_done(code: &str) -> &'static str {
    match code {
        "blocked" => "The player is blocked. Open offers between you are closed.",
        "unblocked" => "The player is not blocked any more.",
        _ => "",
    }
}

/// The label of the button that removes the block of a player.
pub(super) fn unblock(player: &str) -> String {
    format!("{UNBLOCK}: {player}")
}

/// The message about a refused block. `None`: the problem is shown on a page of its own.
pub(super) fn block_fault(code: ProblemCode) -> Option<&'static str> {
    Some(match code {
        ProblemCode::OwnAccount => "This is you: nobody can block themselves.",
        ProblemCode::TooManyBlocks => {
            "You have blocked as many players as you may. Unblock one first."
        }
        _ => return None,
    })
}

// Lists.
pub(super) const LISTS_ABOUT: &str = "Cards that you look for, and cards that you would give away. Public lists help others to find you, and help you to find them.";
pub(super) const WANTS: &str = "Wants";
pub(super) const HAVES: &str = "Haves";
pub(super) const WANTS_ABOUT: &str = "Cards that you look for.";
pub(super) const HAVES_ABOUT: &str = "Cards that you would give away.";
pub(super) const NOTHING_LISTED: &str = "There is nothing on this list.";
pub(super) const NOTHING_LISTED_YET: &str =
    "There is nothing on this list yet. Add a card by its name.";
pub(super) const ANY_RARITY: &str = "any rarity";
pub(super) const WHO_READS: &str = "Who may read it";
pub(super) const ZERO_TAKES_OFF: &str = "0 takes a card off the list.";
pub(super) const SAVE: &str = "Save";
pub(super) const ADD_CARD: &str = "Add a card";
pub(super) const ADD_CARD_ABOUT: &str = "Without a rarity any will do. Not sure of the name?";
pub(super) const HOW_MANY: &str = "How many";
pub(super) const ADD: &str = "Add";
pub(super) const ADD_SAVES_ALL: &str = "Both buttons save the whole form: who may read the list, the numbers, and the card that is named here.";
pub(super) const SOME_ARE_GONE: &str = "Some cards of the form are not on the list any more.";
pub(super) const ADD_FAULT: &str = "The number must be 1 to 9999.";
pub(super) const ON_LIST_ALREADY: &str =
    "The card is on the list already. Change its number there.";
pub(super) const LIST_FULL: &str = "The list holds 2000 entries: take some off first.";
pub(super) const LIST_CHANGED_MEANWHILE: &str = "The list was changed elsewhere since you opened it, and nothing was overwritten. Where numbers differ, the number in the list stands beside yours. If you save again, yours replace them.";

/// The message about a refused number of a card.
pub(super) fn number_fault(card: &str) -> String {
    format!("{card}: the number must be 0 to 9999.")
}

/// The message about a card that can no longer be on the list; `None`: it is not known which card.
pub(super) fn card_not_listed(card: Option<&str>) -> String {
    let card = card.unwrap_or("A card of the list");
    format!("{card} is not there any more. Set its number to 0 to take it off.")
}

/// Who may read a list: value and label.
pub(super) const VISIBILITIES: [(&str, &str); 2] =
    [("private", "Only me"), ("public", "Everybody, and it counts when others look for trades")];

/// Who may read a list.
pub(super) fn readers(visibility: &str) -> &'static str {
    if visibility == "public" { "Everybody may read it." } else { "Only you read it." }
}

/// The label of the link that changes a list; `list`: its name.
pub(super) fn change_list(list: &str) -> String {
    format!("Change {}", list.to_lowercase())
}

/// How many of a card.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "templates pass references")]
pub(super) fn times(quantity: &i32) -> String {
    format!("{}×", grouped(i64::from(*quantity)))
}

/// The stored number, beside a number that was typed.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "templates pass references")]
pub(super) fn on_list(quantity: &i32) -> String {
    format!("on the list: {}", grouped(i64::from(*quantity)))
}

/// Who may read the stored list, beside another choice.
pub(super) fn readers_on_list(visibility: &str) -> String {
    let stored = VISIBILITIES.iter().find(|(code, _)| *code == visibility);
    format!("on the list: {}", stored.map_or(visibility, |(_, name)| *name))
}

/// The label of the field of the number of a card.
pub(super) fn quantity_of(card: &str) -> String {
    format!("How many of {card}")
}

/// The label of the link to all entries of a list.
pub(super) fn all_of(count: usize) -> String {
    format!("All {count} entries")
}

// Players.
pub(super) const THIS_IS_YOU: &str = "Others see this page. Everybody can read public lists. Other players see your copies if you allow it in your account.";
pub(super) const BACK_TO_PLAYER: &str = "Back to the player";
pub(super) const SHOWN_COPIES: &str = "Copies";
pub(super) const NO_SHOWN_COPIES: &str = "There is no copy to show at the moment.";
pub(super) const ALL_SHOWN_COPIES: &str = "All copies";
pub(super) const ASK: &str = "Ask for it";
pub(super) const ALL_DECKS: &str = "All public decks of this player";
pub(super) const STRANGERS_SEE_LISTS: &str = "Copies are shown to players who are logged in.";
pub(super) const PLAYER_NAME_FAULT: &str = "A name has 3 to 32 characters.";

/// The label of the link that asks for a copy.
pub(super) fn ask_for(card: &str) -> String {
    format!("{ASK}: {card}")
}

// Disputes.
pub(super) const DISPUTES_ABOUT: &str = "Two players say that they hold the same copy, and a moderator decides. A dispute begins when somebody types a code that is registered to another player.";
pub(super) const NO_DISPUTES: &str = "You have no disputes.";
pub(super) const YOUR_SIDE: &str = "You";
pub(super) const OPENED: &str = "Opened";
pub(super) const CLOSED: &str = "Closed";
pub(super) const COPY: &str = "Copy";
pub(super) const SHOW_COPY: &str = "Show the copy";
pub(super) const REASON: &str = "Reason of the moderator";
pub(super) const YOU_SAID: &str = "Your statements";
pub(super) const NOTHING_SAID: &str = "You have said nothing yet.";
pub(super) const STATEMENT: &str = "New statement";
pub(super) const STATEMENT_HELP: &str = "Moderators read it; the other player does not. Say how the card came to you, and what can show it.";
pub(super) const SAY: &str = "Say it";
pub(super) const WITHDRAW: &str = "Withdraw the claim";
pub(super) const WITHDRAW_ABOUT: &str =
    "If the card is not yours after all, end the dispute here. It cannot be opened again.";
pub(super) const WITHDRAW_OPEN: &str = "I want to withdraw it";
pub(super) const WITHDRAW_NOW: &str = "Withdraw it for good";

/// The title of a dispute.
pub(super) fn dispute_about(card: &str) -> String {
    format!("Dispute: {card}")
}

/// The role of the reader in a dispute. Who has the copy once it is closed depends on the outcome, and on what happens to the copy later.
pub(super) fn role(role: Option<&str>, is_open: bool) -> &'static str {
    match (role, is_open) {
        (Some("claimant"), true) => "You claim the copy",
        (Some("claimant"), false) => "You claimed the copy",
        (Some("owner"), true) => "You have the copy",
        (Some("owner"), false) => "Another player claimed the copy",
        _ => "You are no side of it",
    }
}

/// What an open dispute means for the role of the reader.
pub(super) fn role_about(is_claimant: bool) -> &'static str {
    if is_claimant {
        "You typed the code of this copy, which is registered to another player. Keep the card at hand: a moderator may ask for a photo of it."
    } else {
        "Another player typed the code of this copy, which is registered to you. Until a moderator decides it stays with you."
    }
}

pub(super) fn dispute_state(state: &str) -> &'static str {
    match state {
        "open" => "Not decided yet",
        "for_owner" => "Decided: the owner keeps it",
        "for_claimant" => "Decided: it is the claimant's",
        "withdrawn" => "The claim was withdrawn",
        "settled" => "Settled by a trade",
        "voided" => "The copy was declared void",
        _ => "Closed",
    }
}

/// How many more statements the reader may add.
pub(super) fn statements_left(left: i64) -> String {
    match left {
        1 => "You can add one more statement.".to_owned(),
        _ => format!("You can add {left} more statements."),
    }
}

/// The message about a refused action in a dispute. `None`: the problem is shown on a page of its own.
pub(super) fn dispute_fault(code: ProblemCode) -> Option<&'static str> {
    Some(match code {
        ProblemCode::DisputeClosed => "The dispute is closed. Its result is below.",
        ProblemCode::TooManyStatements => {
            "You have made the greatest number of statements that one side may make."
        }
        ProblemCode::NotYourTurn => "Only the claimant can withdraw the claim.",
        ProblemCode::IdempotencyKeyReused => {
            "This form was sent before with other contents, and that statement is stored. Send it again to make another one."
        }
        ProblemCode::IdempotencyInProgress => "It is being written down at the moment.",
        _ => return None,
    })
}

/// The note about the state of a copy; `None`: the copy has no restriction.
pub(super) fn state(voided: bool, frozen: bool, disputed: bool) -> Option<&'static str> {
    match (voided, frozen, disputed) {
        (true, ..) => Some("Void: nobody holds it"),
        (_, true, true) => Some("Frozen, and claimed by another player"),
        (_, true, _) => Some("Frozen"),
        (.., true) => Some("Claimed by another player"),
        _ => None,
    }
}

/// The confirmation of the action that was just completed, by its code; empty: none.
pub(super) fn done(code: &str) -> &'static str {
    match code {
        "saved" => "The list is saved.",
        "added" => "The card is on the list. The rest of the form is saved, too.",
        "said" => "It is written down. Moderators read it.",
        "withdrawn" => "The claim is withdrawn.",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::copies::dispute::DisputeState;
    use crate::domain::decks::deck::Visibility;

    #[test]
    fn every_state_has_words() {
        for one in DisputeState::ALL {
            assert_ne!(dispute_state(one.as_str()), "Closed", "{}", one.as_str());
        }
        let known = VISIBILITIES.map(|(code, _)| code);
        assert_eq!(known, Visibility::ALL.map(Visibility::as_str));
        assert_eq!(state(false, false, false), None);
    }
}
