//! Text for the events of the visitor's own account.

use crate::web::words::titled;

/// The text of an event by its kind; `outcome`: the outcome of a dispute, the status of a deck, or the decision about a report. A kind without text is shown by its code.
pub(super) fn event(kind: &str, outcome: Option<&str>) -> String {
    let text = match kind {
        "submission.accepted" => "A copy was registered to you.",
        "submission.held" => {
            "A copy was registered to you. It counts for the unlock when a moderator has confirmed it."
        }
        "submission.confirmed" => "A moderator has confirmed a submission of yours.",
        "submission.refused" => "A moderator has refused a submission of yours.",
        "card.unlocked" => "A card was unlocked that you had submitted.",
        "trade.offered" => "Somebody offers you a trade.",
        "trade.countered" => "Somebody has answered an offer of yours with another one.",
        "trade.accepted" => "A trade was accepted.",
        "trade.declined" => "A trade was declined.",
        "trade.cancelled" => "An offer was taken back.",
        "trade.lapsed" => "A trade is void: a copy in it cannot be traded any more.",
        "trade.expired" => "An offer was not answered in time.",
        "copy.received" => "You received a copy in a trade.",
        "copy.given" => "You gave a copy away in a trade.",
        "copy.frozen" => "A moderator has frozen a copy of yours.",
        "copy.unfrozen" => "A copy of yours is not frozen any more.",
        "copy.voided" => "A moderator has declared a copy of yours void.",
        "dispute.opened" => "Somebody claims a copy of yours.",
        "dispute.decided" | "dispute.closed" => return dispute(outcome).to_owned(),
        "design.commented" => "Somebody commented on a design of yours.",
        "design.replied" => "Somebody replied to a comment of yours on a design.",
        "design.suggested" => "Somebody suggests a change of a design of yours.",
        "design.suggestion_taken" => "A change that you had suggested was taken.",
        "design.suggestion_declined" => "A change that you had suggested was declined.",
        "design.approved" => "A moderator has approved a design of yours.",
        "design.declined" => "A moderator has declined a design of yours.",
        "design.official" => "A design of yours is a card now that everybody sees.",
        "design.taken_down" => "A moderator has taken a design of yours down.",
        "design.name_lost" => {
            "A design of yours was withdrawn: during your ban, somebody else shared a design under its name. With another name you can share it again."
        }
        "design.reinstated" => "A design of yours is shown again.",
        "deck.commented" => "Somebody commented on a deck of yours.",
        "deck.replied" => "Somebody replied to a comment of yours on a deck.",
        "deck.taken_down" => "A moderator has taken a deck of yours down: only you see it.",
        "deck.reinstated" => {
            "A moderator has ended the takedown of a deck of yours. If you changed it meanwhile, only you see it."
        }
        "deck.became_illegal" if outcome == Some("incomplete") => {
            "A deck that you watch is not legal any more: cards are missing."
        }
        // It may have been incomplete before.
        "deck.became_illegal" if outcome == Some("illegal") => {
            "A deck that you watch is illegal now."
        }
        "deck.became_illegal" => "A deck that you watch is not legal any more.",
        "deck.became_legal" => "A deck that you watch is legal again.",
        "report.decided" if outcome == Some("upheld") => {
            "A moderator has decided a report of yours: the report was right."
        }
        "report.decided" if outcome == Some("dismissed") => {
            "A moderator has decided a report of yours: there was no reason to act."
        }
        "report.decided" => "A moderator has decided a report of yours.",
        other => return titled(&other.replace('.', " ")),
    };
    text.to_owned()
}

/// The text of the outcome of a dispute.
fn dispute(outcome: Option<&str>) -> &'static str {
    match outcome {
        Some("for_owner") => "A dispute was decided: the copy stays where it was.",
        Some("for_claimant") => "A dispute was decided: the copy is the claimant's.",
        Some("withdrawn") => "A dispute is over: the claim was withdrawn.",
        Some("settled") => "A dispute is over: those who had it have settled it by a trade.",
        Some("voided") => "A dispute is over: the copy was declared void.",
        _ => "A dispute is over.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::accounts::optional_events::OptionalEvent;

    #[test]
    fn every_kind_that_can_be_turned_off_has_words() {
        for kind in OptionalEvent::ALL {
            assert!(event(kind.as_str(), None).ends_with('.'), "{}", kind.as_str());
        }
        assert_eq!(event("moon.landed", None), "Moon landed");
    }
}
