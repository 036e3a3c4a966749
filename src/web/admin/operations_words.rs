//! Text of the pages of webhooks and of the audit log.

use crate::domain::operations::webhook::PING as PING_KIND;
use crate::web::words::titled;

// Webhooks.
pub(super) const WEBHOOKS_ABOUT: &str = "Public events of the catalogue are posted to these addresses, signed. Failed deliveries are repeated for three days.";
pub(super) const ALL_WEBHOOKS: &str = "All webhooks";
pub(super) const NO_WEBHOOKS: &str = "There is no webhook yet. Make one below.";
pub(super) const NEW_WEBHOOK: &str = "A new webhook";
pub(super) const MAKE_WEBHOOK: &str = "Create the webhook";
pub(super) const WEBHOOK_MADE: &str = "The webhook is created";
pub(super) const SECRET_MADE: &str = "The new secret";
pub(super) const SECRET_ONCE: &str = "Deliveries are signed with this secret. It is shown now and never again: enter it in the receiver.";
pub(super) const SECRET_SHOWN_BEFORE: &str = "This form was sent twice: the secret was shown before. If you have not kept it, create a new one on the page of the webhook.";
pub(super) const TO_WEBHOOK: &str = "To the webhook";
pub(super) const URL: &str = "Address";
pub(super) const URL_HELP: &str = "It begins with https://, and has no name, password or # in it.";
pub(super) const DESCRIPTION: &str = "Description";
pub(super) const DESCRIPTION_HELP: &str = "Up to 200 characters, for admins alone.";
pub(super) const KINDS: &str = "Posted events";
pub(super) const ENABLED: &str = "Post to it";
pub(super) const SAVE: &str = "Save";
pub(super) const CHANGE: &str = "Change it";
pub(super) const CHANGED: &str = "Changed";
pub(super) const YOUR_VERSION: &str = "Your version";
pub(super) const SAVED_VERSION: &str = "What is stored";
pub(super) const SECRET_NUMBER: &str = "Secrets so far";
pub(super) const OLD_SECRET_UNTIL: &str = "The old secret is good until";
pub(super) const PING: &str = "Try it";
pub(super) const DELETE: &str = "Delete it";
pub(super) const DELETE_WEBHOOK: &str = "Delete this webhook?";
pub(super) const DELETE_ABOUT: &str = "Its deliveries and their results are deleted, too. A delivery that is being sent may still arrive. A webhook that is only switched off keeps them.";
pub(super) const LEAVE_WEBHOOK: &str = "Leave it as it is";
pub(super) const CHANGED_BEFORE_DELETING: &str =
    "Somebody has changed this webhook since you read it. Delete it only if you still want to.";
pub(super) const NEW_SECRET: &str = "Create a new secret";
pub(super) const NEW_SECRET_ABOUT: &str = "For some hours deliveries are signed with the new secret and with the old one, so that the receiver can be changed in between.";
pub(super) const HOURS: &str = "Hours in which the old secret is good, too";
pub(super) const HOURS_HELP: &str = "0 to 168. Type 0 if somebody else knows the old one.";
pub(super) const HOURS_FAULT: &str = "Type a whole number from 0 to 168.";
pub(super) const MAKE_SECRET: &str = "Create the secret";

pub(super) fn webhook_state(is_on: bool, reason: Option<&str>) -> &'static str {
    match (is_on, reason) {
        (true, _) => "On",
        (false, Some("gone")) => "Off: the receiver said that it is gone",
        (false, Some("failing")) => "Off: nothing got through for three days",
        (false, _) => "Off",
    }
}

pub(super) fn event_kind(kind: &str) -> String {
    match kind {
        "game.changed" => "A game changed",
        "set.changed" => "A set changed",
        "card.added" => "A card was added",
        "card.changed" => "A card changed",
        "card.unlocked" => "A card was unlocked",
        "card.moved" => "A card got another number",
        "card.merged" => "A card became one with another",
        "design.shared" => "A design was shared",
        "design.changed" => "A shared design changed",
        "design.approved" => "A design was approved",
        "design.official" => "A design became a card",
        "design.withdrawn" => "A design was withdrawn",
        "deck.published" => "A deck was published",
        "deck.changed" => "A public deck changed",
        "deck.withdrawn" => "A public deck was withdrawn",
        PING_KIND => "A try",
        other => return titled(&other.replace('.', " ")),
    }
    .to_owned()
}

// Deliveries.
pub(super) const DELIVERIES: &str = "Deliveries";
pub(super) const DELIVERIES_ABOUT: &str = "Deliveries, the newest first, kept for 30 days.";
pub(super) const NO_DELIVERIES: &str =
    "There is no such delivery. Try the webhook, or wait for an event.";
pub(super) const ANY_STATE: &str = "All states";
pub(super) const EVENT: &str = "What happened";
pub(super) const WHEN: &str = "When";
pub(super) const ATTEMPTS: &str = "Attempts";
pub(super) const LAST_ATTEMPT: &str = "Last attempt";
pub(super) const NEXT_ATTEMPT: &str = "Next attempt";
pub(super) const AGAIN: &str = "Send again";
pub(super) const RESEND: &str = "Send it again";

/// The label of the button that sends a delivery again; kind and time distinguish it from others.
pub(super) fn resend(kind: &str, at: &str) -> String {
    format!("Send again: {kind}, {at}")
}

pub(super) fn delivery_state(state: &str) -> &'static str {
    match state {
        "delivered" => "Delivered",
        "failed" => "Given up",
        _ => "Waiting",
    }
}

/// The outcome of the last attempt.
pub(super) fn outcome(status: Option<i32>, failure: Option<&str>) -> String {
    match (status, failure) {
        (Some(status), Some("status") | None) => format!("({status})"),
        (Some(status), Some(failure)) => format!("({status}, {failure})"),
        (None, Some(failure)) => format!("({failure})"),
        (None, None) => String::new(),
    }
}

/// The confirmation of an action that was completed on the page before, by its code; empty: none.
pub(super) fn done(code: &str) -> &'static str {
    match code {
        "changed" => "The webhook is changed.",
        "deleted" => "The webhook is deleted.",
        "pinged" => "A try is on its way. Load this page again in a few seconds.",
        "resent" => "It is sent again. Load this page again in a few seconds.",
        _ => "",
    }
}

// The audit log.
pub(super) const AUDIT_ABOUT: &str =
    "Actions of moderators, admins and the operator at the machine, the newest first.";
pub(super) const NO_ENTRIES: &str = "No entry fits. Leave a field empty.";
pub(super) const WHO: &str = "Who";
pub(super) const OPERATOR: &str = "The operator";
pub(super) const ACTION: &str = "Action";
pub(super) const TARGET: &str = "Target";
pub(super) const DETAILS: &str = "Details";
pub(super) const DONE_BY_OR_TO: &str = "By or to the account";
pub(super) const DONE_BY: &str = "By the account";
pub(super) const FROM: &str = "From";
pub(super) const UNTIL: &str = "Before";
pub(super) const FILTER_HELP: &str = "Accounts by their whole names or ids; actions as account.changed, or account for all that is done to accounts; targets as game:ttcg; days as 2026-11-21 (UTC).";
pub(super) const ACTION_FAULT: &str =
    "An action is written as account.changed, or account, in lower-case letters.";
pub(super) const TARGET_FAULT: &str = "A target is written as game:ttcg.";
pub(super) const DAY_FAULT: &str =
    "A day is written as 2026-11-21, a time as 2026-11-21T08:50:00Z.";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::operations::webhook::EVENT_KINDS;

    #[test]
    fn every_kind_of_events_has_words() {
        for kind in EVENT_KINDS.into_iter().chain([PING_KIND]) {
            assert!(event_kind(kind).starts_with("A "), "{kind}");
        }
        assert_eq!(event_kind("moon.landed"), "Moon landed");
    }
}
