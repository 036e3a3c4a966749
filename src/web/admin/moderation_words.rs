//! Text of the pages on which moderators decide: submissions, disputes, copies and reports.

use crate::domain::designs::abuse_report::AbuseDecision;

pub(super) const CARD: &str = "Card";
pub(super) const BY_WHOM: &str = "By";
pub(super) const WHEN: &str = "When";
pub(super) const WHAT: &str = "What";
pub(super) const WHY: &str = "Why";
pub(super) const REASON: &str = "Reason";
pub(super) const OWN_COPY: &str = "Your own copy: somebody else decides";
pub(super) const DECIDE: &str = "Decide";
pub(super) const DECIDE_NOW: &str = "Decide like this";
pub(super) const DECIDE_AGAIN: &str = "Decide again";
pub(super) const DECISION: &str = "Decision";
pub(super) const DECIDED_BY: &str = "Decided by";
pub(super) const WAITING: &str = "Waiting";
pub(super) const DECIDED: &str = "Decided";

// Submissions.
pub(super) const WAITING_SUBMISSIONS: &str = "Submissions that wait";
pub(super) const REVIEWS_ABOUT: &str = "In sets whose unlock policy asks for it, a submission of a hidden card counts only when a moderator has confirmed it. The copy is registered either way.";
pub(super) const NO_REVIEWS: &str = "No submission waits. New ones appear here by themselves.";
pub(super) const NO_FITTING_REVIEWS: &str = "No waiting submission fits the filter.";
pub(super) const THEIR_SUBMISSIONS: &str = "Submissions in all";
pub(super) const ACCOUNT_SINCE: &str = "Account since";
pub(super) const REVIEW: &str = "Review a submission";
pub(super) const REVIEW_ABOUT: &str =
    "Does it count for the unlock? The decision is final. The copy stays registered either way.";
pub(super) const REVIEWED_BEFORE: &str =
    "The opposite was decided before. That decision stays, and yours was not stored.";
pub(super) const NOTE: &str = "What you have seen";
pub(super) const NOTE_HELP: &str = "1 to 500 characters, for the audit log.";

/// A decision about a submission.
pub(super) fn review_decision(confirmed: &str) -> &'static str {
    if confirmed == "true" { "Confirm: it counts" } else { "Refuse: it does not count" }
}

/// The label of the link to the decision about a submission; card and account distinguish it from others.
pub(super) fn decide_about(card: &str, account: &str) -> String {
    format!("Decide about {card} of {account}")
}

// Disputes.
pub(super) const DISPUTES_ABOUT: &str = "Somebody has typed the code and the name of a copy that is registered to another player. The player who can show the card should have it.";
pub(super) const NO_DISPUTES: &str = "There is no such dispute.";
pub(super) const ALL_STATES: &str = "Open or over";
pub(super) const DISPUTE: &str = "A dispute";
pub(super) const CLAIMANT: &str = "Claims it";
pub(super) const OWNER: &str = "Has it";
pub(super) const LOST_BY: &str = "Lost it";
pub(super) const OPENED: &str = "Opened";
pub(super) const CLOSED: &str = "Over since";
pub(super) const STATEMENTS: &str = "Statements of both sides";
pub(super) const NO_STATEMENTS: &str =
    "Nobody has said anything yet. Both sides can, on the pages of their disputes.";
pub(super) const DECIDE_ABOUT: &str = "This cannot be undone. Both sides are notified, and read your reason. Other claims to the copy stay open, against its owner after the decision.";
pub(super) const OUTCOME: &str = "Owner of the copy";
pub(super) const CHOOSE_OUTCOME: &str = "Choose the owner of the copy.";
pub(super) const BOTH_READ: &str = "1 to 500 characters. Both sides read it.";

pub(super) fn dispute_state(state: &str) -> &'static str {
    match state {
        "open" => "Open",
        "for_owner" => "Decided: it stays where it was",
        "for_claimant" => "Decided: it is the claimant's",
        "withdrawn" => "The claim was withdrawn",
        "settled" => "Settled by a trade",
        "voided" => "Over: the copy is void",
        _ => "Over",
    }
}

/// A decision of a dispute.
pub(super) fn outcome(outcome: &str) -> &'static str {
    match outcome {
        "for_claimant" => "It goes to the claimant",
        _ => "The owner keeps it",
    }
}

/// A side of a dispute.
pub(super) fn side(side: &str) -> &'static str {
    if side == "claimant" { "Claimant" } else { "Owner" }
}

// Copies.
pub(super) const COPY: &str = "A registered copy";
pub(super) const COPY_AND_HISTORY: &str = "The copy and its history";
pub(super) const FIND_COPY: &str = "Find a copy";
pub(super) const COPY_ID: &str = "Id of the copy";
pub(super) const COPY_ID_HELP: &str = "Players see the ids of their copies, and disputes lead to theirs. Codes of cards are not looked up here: they are for the holders of cards alone.";
pub(super) const COPY_ID_FAULT: &str =
    "This is no id: it has 32 digits and letters from a to f, in five groups.";
pub(super) const OWNER_AFTER: &str = "Owner after it";
pub(super) const FREEZE: &str = "Freeze the copy";
pub(super) const FREEZE_ABOUT: &str = "No trade moves it until it is unfrozen. Open offers with it stay open for that time; an offer that somebody accepts meanwhile ends without a trade. Its owner keeps it, sees its card, and reads the reason.";
pub(super) const UNFREEZE: &str = "Unfreeze the copy";
pub(super) const UNFREEZE_ABOUT: &str = "It can be traded again. Its owner reads the reason.";
pub(super) const VOID: &str = "Declare the copy void";
pub(super) const VOID_ABOUT: &str = "This cannot be undone. The copy has no owner any more, its code is rejected like one that does not exist, and its disputes end. Unlocks to which it counted stay.";
pub(super) const OWNER_READS: &str = "1 to 500 characters. Its owner and its later owners read it.";
pub(super) const LEAVE_COPY: &str = "Leave the copy as it is";

pub(super) fn copy_state(frozen: bool, voided: bool, disputed: bool) -> &'static str {
    match (voided, frozen, disputed) {
        (true, ..) => "Void",
        (false, true, true) => "Frozen, and claimed by somebody else",
        (false, true, false) => "Frozen",
        (false, false, true) => "Claimed by somebody else",
        (false, false, false) => "Registered",
    }
}

pub(super) fn copy_event(event: &str) -> &'static str {
    match event {
        "register" => "Registered",
        "transfer" => "Given away in a trade",
        "dispute" => "Claimed by somebody else",
        "freeze" => "Frozen",
        "unfreeze" => "Unfrozen",
        "decide" => "A dispute was decided",
        "void" => "Declared void",
        _ => "Something else",
    }
}

// Reports.
pub(super) const REPORTS_ABOUT: &str = "Contents that players find unacceptable. Nobody else learns who reported what; a decision applies to all reports of the same content.";
pub(super) const NO_REPORTS: &str = "No report waits. New ones appear here by themselves.";
pub(super) const NO_REPORTS_ABOUT: &str = "No report about this account waits.";
pub(super) const ALL_REPORTS: &str = "Reports about everybody";
pub(super) const NO_DECIDED_REPORTS: &str = "No report was decided yet.";
pub(super) const NO_DECIDED_REPORTS_ABOUT: &str = "No report about this account was decided yet.";
pub(super) const REPORT: &str = "A report";
pub(super) const SUBJECT: &str = "About";
pub(super) const WRONG: &str = "What is wrong";
pub(super) const ACCUSED: &str = "Author";
pub(super) const REPORTER: &str = "Reported by";
pub(super) const REPORTED_TEXT: &str = "Reported text";
pub(super) const REPORTED_DESIGN: &str = "The design as it was reported";
pub(super) const REPORTED_PICTURE: &str = "Its picture as it was reported";
pub(super) const REPORTED_CREDITS: &str = "Thanks to";
pub(super) const REPORTED_ALT: &str = "What the picture shows";
pub(super) const CHANGED_SINCE: &str = "Changed since";
pub(super) const DESIGN_CHANGED: &str = "The author has changed the design since it was reported. “Before” is what was reported, “After” is what it says now.";
pub(super) const COMMENT_CHANGED: &str =
    "The author has changed the comment since it was reported. Now it says:";
pub(super) const FIRST_REPORTED: &str = "When it was reported first";
pub(super) const FIRST_REPORTED_ABOUT: &str =
    "The same player has reported it again since it was changed. The first report was about this:";
pub(super) const ABOUT_DESIGN_AT_FIRST: &str =
    "This report is about the design as it was reported first, above.";
pub(super) const DESIGN_ABOVE: &str = "The design as it was reported, above.";
pub(super) const DESIGN_AT_FIRST_ABOVE: &str = "The design as it was reported first, above.";
pub(super) const SUGGESTED_DESIGN: &str = "The design as it was suggested";
pub(super) const DETAILS: &str = "Details of the report";
pub(super) const CHOOSE_DECISION: &str = "Choose a decision.";
pub(super) const WITH_ARTWORK: &str = "Decide about its picture, too";
pub(super) const WITH_ARTWORK_HELP: &str = "Upheld: the picture is shown nowhere, and nobody can upload it again. Dismissed: it is shown again.";
pub(super) const AUTHOR_READS: &str =
    "1 to 2,000 characters. The author of a design or deck that is taken down reads it.";

pub(super) const REPORTS_BESIDE: &str = "Other reports about the same";
pub(super) const REPORTS_BESIDE_ABOUT: &str = "The decision is about all of them. Reports that arrive from now on wait for another decision if you dismiss these.";
pub(super) const DECIDED_BESIDE: &str = "Decided last about the same";
pub(super) const MORE_REPORTS_BESIDE: &str =
    "There are older ones, too: the list of reports has all of them.";

/// The label of a filter: reports about one account only.
pub(super) const ONLY_ABOUT: &str = "Only what was reported about";

/// The kind of object that a report is about.
pub(super) fn about(about: &str) -> &'static str {
    match about {
        "design" => "Design",
        "deck" => "Deck",
        "comment" => "Comment on",
        "suggestion" => "Suggestion for",
        _ => "Player",
    }
}

pub(super) const DECK_NAME: &str = "Its name";
pub(super) const DECK_TAGS: &str = "Its tags";
pub(super) const DECK_ENTRIES: &str = "Entries that are no card";

/// Why others cannot read the deck of a report, by its state; empty: they can, or there is no deck.
pub(super) fn deck_state(state: Option<&str>) -> &'static str {
    match state {
        Some("private") => "Only the owner can read this deck: it is private.",
        Some("taken_down") => "Only the owner can read this deck: a moderator has taken it down.",
        Some("deleted") => "The owner has deleted this deck.",
        Some("owner_banned") => "Nobody can read this deck while its owner is banned.",
        _ => "",
    }
}

/// Why readers do not see a reported comment, by its state, and whether the owner of the design or deck hid it; empty: they see it.
pub(super) fn unseen_comment(state: Option<&str>, hidden_by_owner: bool) -> &'static str {
    match (state, hidden_by_owner) {
        (Some("deleted"), _) => "Its author has deleted this comment.",
        (Some("hidden"), true) => {
            "The owner of the design or deck has hidden this comment. A moderator has hidden it, too, or its author is banned."
        }
        (Some("hidden"), false) => "A moderator has hidden this comment, or its author is banned.",
        (Some("hidden_by_owner"), _) => "The owner of the design or deck has hidden this comment.",
        _ => "",
    }
}

/// What the decisions about a report do; the parameters are those of [`unseen_comment`].
pub(super) fn effects_of_decisions(state: Option<&str>, hidden_by_owner: bool) -> &'static str {
    match (state, hidden_by_owner) {
        (Some("deleted"), _) => "Nobody sees the comment after either decision.",
        (Some(_), true) => {
            "Upheld: the owner of the design or deck cannot show the comment again. Dismissed: it stays hidden until the owner shows it."
        }
        (Some("hidden"), false) => {
            "Upheld: the comment stays hidden. Dismissed: it is shown again, unless its author is banned."
        }
        (Some(_), false) => "Upheld: the comment is hidden. Dismissed: it stays as it is.",
        (None, _) => {
            "Upheld: a design or deck is taken down, a suggestion is hidden. Dismissed: what was taken down or hidden is shown again. Admins decide about players, on the page of the account."
        }
    }
}

/// What was decided about a report.
pub(super) fn report_decision(decision: &str) -> &'static str {
    if decision == AbuseDecision::Upheld.as_str() { "Upheld" } else { "Dismissed" }
}

/// A decision about a report.
pub(super) fn decide_report(decision: AbuseDecision) -> &'static str {
    match decision {
        AbuseDecision::Upheld => "Upheld: it should not be there",
        AbuseDecision::Dismissed => "Dismissed: it may stay",
    }
}

/// The confirmation of an action that was completed on the page before, by its code; empty: none.
pub(super) fn done(code: &str) -> &'static str {
    match code {
        "confirmed" => "The submission is confirmed: it counts.",
        "refused" => "The submission is refused: it does not count.",
        "unlocked" => "The submission is confirmed, and has unlocked the card.",
        "confirmed_void" => {
            "The decision is stored, but the submission cannot count: its copy is void."
        }
        "decided" => "The decision is stored.",
        "decided_before" => {
            "This was decided like that before. The reason that was given then applies; yours was not stored."
        }
        "freeze" => "The copy is frozen.",
        "unfreeze" => "The copy is not frozen any more.",
        "void" => "The copy is void.",
        "as_before" => "It was like that already: nothing was changed.",
        _ => "",
    }
}
