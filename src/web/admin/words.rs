//! Text of the pages of moderators and admins: shared text, the start page, and accounts. The other text is in modules beside this one, by subject.

use crate::app::problem::ProblemCode;

pub(super) const AREAS: &str = "Pages of moderators and admins";
pub(super) const START: &str = "Open tasks";
pub(super) const REVIEWS: &str = "Submissions";
pub(super) const DISPUTES: &str = "Disputes";
pub(super) const REPORTS: &str = "Reports";
pub(super) const PEOPLE: &str = "People";
pub(super) const CARDS: &str = "Cards";
pub(super) const SETS: &str = "Sets";
pub(super) const IMPORTS: &str = "Imports";
pub(super) const PRINT_RUNS: &str = "Print runs";
pub(super) const WEBHOOKS: &str = "Webhooks";
pub(super) const AUDIT_LOG: &str = "Audit log";

// The start page of moderators and admins.
pub(super) const FIRST_STEPS: &str = "Before players come";
pub(super) const STEP_DONE: &str = "Done";
pub(super) const MORE_TOOLS: &str = "More tools";

/// Path, label and description.
type PageLink = (&'static str, &'static str, &'static str);

pub(super) const STEP_PASSWORD: PageLink = (
    "/my/password",
    "Change your password",
    "It was set by somebody else, and nothing else is possible until you have changed it.",
);
pub(super) const STEP_FACTOR: PageLink = (
    "/my/second-factor",
    "Switch a second factor on",
    "Your role needs one: a stolen password is then not enough.",
);
pub(super) const STEP_SECOND_ADMIN: PageLink = (
    "/admin/people",
    "Appoint a second admin",
    "Somebody must be able to help when you have lost your password or your device. Let the other one make an account, find it here, and give it the role.",
);
pub(super) const STEP_GAME: PageLink = (
    "/admin/imports?of=game",
    "Import a game",
    "Its manifest says what its cards look like and how decks are built.",
);
pub(super) const STEP_SET: PageLink = (
    "/admin/imports",
    "Import a set",
    "The file of a set contains its cards. It is checked before anything is stored.",
);
pub(super) const WAITING_REVIEWS: PageLink = (
    "/admin/reviews",
    REVIEWS,
    "Submissions of hidden cards that count when a moderator has confirmed them.",
);
pub(super) const WAITING_DESIGNS: PageLink =
    ("/reviews/designs", "Designs", "Card designs of players that are to become cards.");
pub(super) const WAITING_REPORTS: PageLink =
    ("/admin/reports", REPORTS, "Contents that players find unacceptable.");
pub(super) const WAITING_DISPUTES: PageLink =
    ("/admin/disputes", DISPUTES, "Copies that two players say they hold.");
pub(super) const TOOLS: [PageLink; 7] = [
    ("/admin/people", PEOPLE, "Find accounts, give roles, ban."),
    ("/admin/cards", CARDS, "Change, move, merge and unlock cards; write rulings."),
    ("/admin/sets", SETS, "Create a set without cards, for designs that become cards."),
    ("/admin/imports", IMPORTS, "Import games and sets, or change them."),
    (
        "/admin/print-runs",
        PRINT_RUNS,
        "Plan, announce and reveal print runs; see what was printed.",
    ),
    ("/admin/webhooks", WEBHOOKS, "Notify other services of changes of the catalogue."),
    ("/admin/audit-log", AUDIT_LOG, "Who did what, and when."),
];

/// How many items wait. `is_more`: there are more than were counted.
pub(super) fn waiting(count: usize, is_more: bool) -> String {
    match (count, is_more) {
        (0, _) => "Nothing waits".to_owned(),
        (count, false) => format!("{count} waiting"),
        (count, true) => format!("More than {count} waiting"),
    }
}

// People.
pub(super) const NAME: &str = "Name";
pub(super) const PART_OF_NAME: &str = "Part of the name";
pub(super) const NAME_PART_FAULT: &str = "A part of a name has 1 to 32 characters.";
pub(super) const ROLE: &str = "Role";
pub(super) const ANY_ROLE: &str = "Any role";
pub(super) const SINCE: &str = "Since";
pub(super) const SECOND_FACTOR: &str = "Second factor";
pub(super) const BANNED: &str = "Banned";
/// The filters of the list of accounts, by the value that the form sends.
pub(super) const BANS: [(&str, &str); 3] =
    [("", "Banned or not"), ("true", "Banned"), ("false", "Not banned")];
pub(super) const NO_PEOPLE: &str =
    "No account fits. Try a shorter part of the name, or another role.";
pub(super) const ID: &str = "Id";
pub(super) const FIRST_PASSWORD: &str = "The password was set by an operator, and is not changed yet: until then the account can do nothing.";
pub(super) const THEIR_REVIEWS: &str = "Submissions of this account that wait";
pub(super) const THEIR_DISPUTES: &str = "Disputes of this account";
pub(super) const THEIR_REPORTS: &str = "Reports about this account that wait";
pub(super) const THEIR_AUDIT_LOG: &str = "This account in the audit log";
pub(super) const OWN_ACCOUNT: &str = "This is your own account. Another admin can change its role.";
pub(super) const GIVE_ROLE: &str = "Give a role";
pub(super) const GIVE_ROLE_ABOUT: &str = "Moderators see hidden cards, and decide reviews, reports and disputes. Admins do everything else, too. All sessions of the account end: the next log-in has the new role.";
pub(super) const GIVE_THIS_ROLE: &str = "Give this role";
pub(super) const CLOSE: &str = "Access";
pub(super) const BAN: &str = "Ban";
pub(super) const BAN_ABOUT: &str = "All sessions of the account end, and it cannot log in. Its submissions no longer count for unlocks, and its comments, public and unlisted decks and shared designs are not shown. All of that comes back when the ban is lifted.";
pub(super) const LIFT_BAN: &str = "Lift the ban";
pub(super) const REMOVE_FACTOR: &str = "Take the second factor off";
pub(super) const REMOVE_FACTOR_ABOUT: &str = "Do this only if you are sure that the owner asks, who has lost the device and the recovery codes. All sessions and tokens of the account end, and the next log-in needs the password alone.";
pub(super) const LEAVE_IT: &str = "Leave the account as it is";
pub(super) const ACCOUNT_FILTER: &str = "Account: whole name or id";
pub(super) const ACCOUNT_FAULT: &str = "Type the whole name of an account, or its id.";

/// The heading of the page that asks for confirmation before an account is banned.
pub(super) fn ban_of(name: &str) -> String {
    format!("Ban {name}?")
}

/// The heading of the page that asks for confirmation before a second factor is removed.
pub(super) fn factor_of(name: &str) -> String {
    format!("Take the second factor of {name} off?")
}

/// The confirmation of an action that was completed on the page before, by its code; empty: none.
pub(super) fn done(code: &str) -> &'static str {
    match code {
        "role" => "The account has the new role. Its sessions are over.",
        "banned" => "The account is banned.",
        "unbanned" => "The ban is lifted.",
        "factor" => "The second factor is off. All sessions of the account are over.",
        _ => "",
    }
}

/// The message about a form that was refused for a reason that is not the fault of a field. `None`: the problem is shown on a page of its own.
pub(super) fn fault(code: ProblemCode) -> Option<&'static str> {
    Some(match code {
        ProblemCode::OwnAccount => {
            "This is your own account. Another admin can change its role or take its second factor off."
        }
        ProblemCode::SecondFactorOff => "The account has no second factor.",
        ProblemCode::OwnCase => {
            "You own or claim this copy, or did so before: somebody else must decide."
        }
        ProblemCode::CopyVoid => "The copy is void, for good.",
        ProblemCode::DisputeClosed => "The dispute is over: somebody was faster.",
        ProblemCode::DesignNameTaken => {
            "A card or another design has taken its name, so it cannot be shown again under it."
        }
        ProblemCode::PreconditionFailed => {
            "Somebody else has changed it since you read it. Both versions are below: send yours again to replace the other one."
        }
        ProblemCode::EditConflict => {
            "Somebody else has changed it at the same moment, and nothing was stored. Send yours again."
        }
        ProblemCode::IdempotencyKeyReused => {
            "This form was sent before with other contents. Look whether it was done; send it again if you want it once more."
        }
        ProblemCode::IdempotencyInProgress => "This form is being worked on at this moment.",
        ProblemCode::Gone => "What this form created has been deleted.",
        ProblemCode::MergeRefused => "These two cards cannot become one.",
        ProblemCode::PrintPlanRefused => "The set cannot be printed like this.",
        ProblemCode::NumberTaken => "A card has this number, or had it before.",
        ProblemCode::SetPrinted => {
            "The set is printed, or is being printed: the copies carry its numbers and names."
        }
        ProblemCode::TooManyRulings => "The card has as many rulings as a card may have.",
        ProblemCode::InvalidEdit => "The card would break the rules of its game.",
        ProblemCode::CommitmentNotPrinted => "This run is not printed yet. Reveal it after that.",
        ProblemCode::CardsStillHidden => {
            "Cards of this set are still hidden, and the plan would reveal in which rarities they exist."
        }
        ProblemCode::TooManyWebhooks => {
            "There are as many webhooks as there may be. Delete one first."
        }
        ProblemCode::WebhookDisabled => "The webhook is off. Switch it on first.",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_conflict_with_both_versions_shown_says_below() {
        let stands_below = |code| fault(code).is_some_and(|text| text.contains("below"));
        assert!(stands_below(ProblemCode::PreconditionFailed));
        assert!(!stands_below(ProblemCode::EditConflict));
    }
}
