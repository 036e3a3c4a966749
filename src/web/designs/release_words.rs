//! Text of the page that releases a design as a card.

use crate::web::words::place;

pub(super) const RELEASE: &str = "Release the design";
pub(super) const RELEASE_ABOUT: &str = "The design becomes a card of a set, with the numbers of all its rarities. This cannot be undone. The set must not be printed yet.";
pub(super) const NEW_SETS: &str =
    "The set that you want is not listed? Create it without cards, or import its file:";
pub(super) const CREATE_SET: &str = "Create a set";
pub(super) const IMPORTS: &str = "Imports";
pub(super) const NO_SETS: &str = "The game has no sets yet.";
pub(super) const CHOOSE_SET: &str = "Choose a set.";
pub(super) const SET_HELP: &str =
    "If the cards of the set start hidden, so does this card, until it is unlocked.";
pub(super) const MANY_SETS_HELP: &str = "Its code. The game has more sets than a list can show: some are suggested as you type. If the cards of the set start hidden, so does this card.";
pub(super) const NUMBER_HELP: &str = "As it stands on the card, such as 042. No other card of the set has it, and none had it before.";
pub(super) const CONFIRM: &str =
    "Release it although others have seen it and the cards of the set start hidden";
pub(super) const CHECK: &str = "Check the release";
pub(super) const RELEASE_NOW: &str = "Release it now";
pub(super) const LEAVE_DESIGN: &str = "Leave the design as it is";
pub(super) const OPEN_CARD: &str = "Everybody can see the card.";
pub(super) const HIDDEN_CARD: &str = "The card is hidden. Until it is unlocked, only moderators and admins can see that the design is this card: the author may not know it.";
pub(super) const EDIT_CARD: &str = "Change the card";

/// The heading of the page.
pub(super) fn release_of(name: &str) -> String {
    format!("Release {name}")
}

/// What a release would do, after a check that found nothing against it.
pub(super) fn would_be(set: &str, number: &str, hidden: bool) -> String {
    let place = place(set, number);
    if hidden {
        format!(
            "Nothing stands against it. The design would become the card {place}, which is hidden until it is unlocked."
        )
    } else {
        format!(
            "Nothing stands against it. The design would become the card {place}, which everybody can see at once."
        )
    }
}

/// That the release would be refused.
pub(super) fn hidden_namesake(set: &str, number: &str) -> String {
    format!(
        "The hidden card {} has this name, or one that looks the same: the release will be refused. The author may not know of the card.",
        place(set, number)
    )
}

/// What the design is, after its release.
pub(super) fn is_card(set: &str, number: &str) -> String {
    format!("The design is the card {}.", place(set, number))
}
