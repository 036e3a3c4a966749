//! Text of the pages of designs.

use cardscape_engine::Game;
use chrono::{DateTime, Utc};

use super::steps::AuthorStep;
use crate::app::designs::design_checks::{NameObstacle, ReleaseObstacle};
use crate::app::problem::ProblemCode;
use crate::domain::designs::gallery::GallerySort;
use crate::web::catalogue::label;
use crate::web::feedback::words as feedback_words;
use crate::web::words::{day_of, grouped, titled};

pub(super) const DESIGNS: &str = crate::web::words::DESIGNS;
pub(super) const GALLERY_ABOUT: &str =
    "Cards that players have designed. Rate them, comment on them, suggest changes, or design one.";
pub(super) const NEW_DESIGN: &str = "Design a card";
pub(super) const MY_DESIGNS: &str = "My designs";
pub(super) const SEARCH_FIELD: &str = "Search designs";
pub(super) const SEARCH_EXAMPLE: &str = "by:ada status:shared rating>=3.5";
pub(super) const NO_DESIGNS: &str =
    "No design fits. Leave out a term, or design the card that you miss.";
pub(super) const CHOOSE_GAME: &str = "Choose a game to see what its designs can be narrowed by.";
pub(super) const NO_FACETS: &str =
    "The values to narrow the search by could not be counted now. The list itself is complete.";
pub(super) const BY: &str = "by";

// The page of a design.
pub(super) const THE_DESIGN: &str = "The design";
pub(super) const AUTHOR: &str = "Author";
pub(super) const REVISED: &str = "Changed";
pub(super) const IDENTIFIER: &str = "Identifier";
pub(super) const CONTRIBUTORS: &str = "With suggestions by";
pub(super) const AND: &str = "and";
pub(super) const CREDITS: &str = "Thanks to";
pub(super) const ALT_SHOWN: &str = "The artwork shows:";
pub(super) const OFFICIAL_CARD: &str = "See the official card";
pub(super) const YOUR_DESIGN: &str = "Your design";
pub(super) const EDIT: &str = "Change";
pub(super) const ARTWORK: &str = "Artwork";
pub(super) const REVISIONS: &str = "Revisions";
pub(super) const REVIEW_IT: &str = "Review this design";
pub(super) const LORE: &str = "Lore";
pub(super) const TAKEN_DOWN: &str = "Taken down by a moderator";
pub(super) const AUTHOR_BANNED: &str = "The author is banned: only moderators see this design.";
pub(super) const CANCEL: &str = "Cancel";
pub(super) const SAVE: &str = "Save";
pub(super) const SAVED_VERSION: &str = "The saved version";

// Feedback.
pub(super) const RATINGS: &str = "Ratings";
pub(super) const OWN_NOT_RATED: &str =
    "You cannot rate a design of your own, or one that you contributed to.";
pub(super) const YOUR_RATING: &str = "Your rating";
pub(super) const RATE_IT: &str = "Rate this design";
pub(super) const RATING_COUNTS_LATER: &str =
    "Your rating counts once your account is three days old.";
pub(super) const RATE: &str = "Rate";
pub(super) const TAKE_RATING_BACK: &str = "Take my rating back";
pub(super) const LOG_IN_TO_RATE: &str = "Log in to rate it";
pub(super) const MARKUP_HELP: &str = feedback_words::MARKUP_HELP;

// Suggested changes.
pub(super) const SUGGESTIONS: &str = "Suggestions";
pub(super) const SUGGESTIONS_ABOUT: &str =
    "Do you have a better version? The author can accept your change, and you are credited.";
pub(super) const SUGGEST_CHANGE: &str = "Suggest a change";
pub(super) const YOUR_SUGGESTIONS: &str = "Your suggestions for it";
pub(super) const NO_OPEN_SUGGESTIONS: &str = "No suggestion is open.";
pub(super) const ALL_SUGGESTIONS: &str = "All suggestions";
pub(super) const NO_SUGGESTIONS: &str = "Nobody has suggested a change yet.";
pub(super) const NO_OWN_SUGGESTIONS: &str = "You have suggested no change of it yet.";
pub(super) const TAKE_ABOUT: &str =
    "If you take it, it becomes the next revision, and its author is named with the design.";
pub(super) const TAKE: &str = "Take it";
pub(super) const DECLINE_SUGGESTION: &str = "Decline";
pub(super) const WITHDRAW_SUGGESTION: &str = "Withdraw it";
pub(super) const MESSAGE: &str = "Why";
pub(super) const MESSAGE_HELP: &str = "Explain to the author why your change is useful.";
pub(super) const CHANGED_BEFORE_SUGGESTING: &str = "The design was changed since you began. The saved version is below: send your suggestion again to suggest it for that one.";
pub(super) const SUGGESTIONS_CLOSED: &str = "No change can be suggested now: the design is not public any more. Nothing was sent, and what you typed is still here: copy it if you want to keep it.";
pub(super) const SEND_ABOUT: &str = "The author sees what you changed, and takes it or declines.";
pub(super) const SEND_SUGGESTION: &str = "Send the suggestion";

// Reports.
pub(super) const REPORT_DESIGN: &str = "Report this design";
pub(super) const REPORT_SUGGESTION: &str = "Report this suggestion";
pub(super) const REASON: &str = "Reason";
pub(super) const BACK_TO_DESIGN: &str = "Back to the design";
pub(super) const BACK_TO_AUTHOR: &str = "Back to the author";

// Revisions.
pub(super) const NO_CHANGES: &str = "There is no difference.";
pub(super) const SUGGESTED_BY: &str = "Suggested by";
pub(super) const COMPARE: &str = "Compare with the newest";

// The visitor's own designs.
pub(super) const ALL_STATUSES: &str = "All";
pub(super) const NONE_OF_STATUS: &str = "You have no design of this status.";
pub(super) const NO_OWN_DESIGNS: &str =
    "You have no designs yet. Design a card: it stays your own until you share it.";
pub(super) const STEP_REFUSED: &str = "The status of the design does not allow this now.";
pub(super) const CHANGED_BEFORE_STEP: &str =
    "The design was changed since you opened this page. Look at it again, then decide.";
pub(super) const CHANGED_BEFORE_TAKING: &str =
    "Your design was changed since you opened this page. Look at the suggestion again.";

// Artwork.
pub(super) const NEW_PICTURE: &str = "Upload a picture";
pub(super) const PICTURE_MISSING: &str =
    "Choose a picture, too: its description is stored only with it.";
pub(super) const PICTURE_GONE: &str = "This picture was taken down. It cannot be uploaded again.";
pub(super) const PICTURE_TOO_LARGE: &str = "The picture is larger than 10 MiB.";
pub(super) const TOO_MANY_PICTURES: &str = "Two of your pictures are being read already.";
pub(super) const PICTURES_BUSY: &str = "Too many pictures are being read just now.";
pub(super) const EARLIER_PICTURES: &str = "Or choose one that you uploaded";
pub(super) const NO_PICTURE: &str = "No picture: the card shows an emblem";
pub(super) const ARTWORK_CHANGED: &str = "The design was changed since you opened this page. Its present picture and details are below: send yours again to replace them.";
pub(super) const ALT: &str = "What the picture shows";
pub(super) const ALT_HELP: &str = "For players who do not see it, in a sentence.";
pub(super) const ARTWORK_LATER: &str = "Once the design is saved, you add artwork on its page.";

// The designer.
pub(super) const STEPS: &str = "Steps";
pub(super) const KIND_OF_CARD: &str = "Kind of card";
pub(super) const KIND_HELP: &str = "Each game has kinds of its own. It decides what a card has.";
pub(super) const CHOOSE: &str = "Choose";
pub(super) const CHOOSE_KIND: &str = "Choose a kind of card first.";
pub(super) const CHOOSE_ONE: &str = "Choose one of the list.";
pub(super) const NAME_HELP: &str = "A design can be saved without a name, and shared with one.";
pub(super) const OTHER_RARITIES: &str = "Numbers in other rarities";
pub(super) const OTHER_RARITIES_ABOUT: &str =
    "The number of an empty field is computed from the lowest rarity.";
pub(super) const NO_EFFECTS: &str = "Cards of this kind have no effects.";
pub(super) const SLOT: &str = "Place";
pub(super) const STYLE: &str = "Style";
pub(super) const SENTENCE: &str = "Sentence";
pub(super) const FROM_TEMPLATE: &str = "From a template";
pub(super) const DROP: &str = "Take out";
pub(super) const ADD_EFFECT: &str = "Add an effect";
pub(super) const FLAVOUR: &str = "Flavour";
pub(super) const FLAVOUR_HELP: &str = "A line in the voice of the world, in italics on the card.";
pub(super) const LICENCE: &str = "What others may do with it";
pub(super) const SAVE_ABOUT: &str = "You can save the design as it is, even if it breaks rules. Nobody else sees it before you share it.";
pub(super) const SAVE_AS_NEW: &str = "Save it as a new design";
pub(super) const TAKEN_DOWN_UNSAVED: &str = "A moderator has taken the design down, so it cannot be changed. Nothing was saved, and what you typed is still here: copy it if you want to keep it.";
pub(super) const NEXT: &str = "Next";
pub(super) const BACK: &str = "Back";
pub(super) const FILL: &str = "Fill in the rest";
pub(super) const FILLED_IN: &str = "What was filled in";
pub(super) const NOTHING_TO_FILL: &str = "Nothing was missing.";
pub(super) const CHECK: &str = "Check";
pub(super) const CHECK_AGAIN: &str = "Check again";
pub(super) const PICTURE_SO_FAR: &str = "The card so far";
pub(super) const UNCHECKED: &str =
    "The rules could not be checked just now. You can go on and save.";
pub(super) const NO_CHECK: &str = "It cannot be checked as it is.";
pub(super) const TEMPLATES_ABOUT: &str =
    "Sentences from templates can be released. Choose one, then the values of its places.";
pub(super) const NO_TEMPLATES: &str =
    "The game has no templates (any more): type the sentence into its field.";
pub(super) const NO_VALUE: &str = "(nothing)";
pub(super) const TEMPLATE: &str = "Template";
pub(super) const MORE_CHOICES: &str = "More choices";
pub(super) const ONE_BACK: &str = "One choice back";
pub(super) const USE_SENTENCE: &str = "Use this sentence";
pub(super) const REMOVED_SENTENCE: &str =
    "No card may have this sentence. Go back by one choice, and choose another value.";

// The check.
pub(super) const BEFORE_RELEASE: &str = "Before it can become a card";
pub(super) const FREE_TEXT: &str = "No template makes this sentence:";
pub(super) const NO_TIME_TO_COMPARE: &str = "There was not enough time to compare the design with the templates and the cards. Nothing was changed: send the form again.";
pub(super) const NOT_FOUND_IN_STEPS: &str =
    "The search ended before it found a template of this sentence:";
pub(super) const LIKE_NAMES: &str = "Names that are like it";
pub(super) const SAME_EFFECTS: &str = "Effects that do the same";
pub(super) const SAME_NAME: &str = "the same name";
pub(super) const LOOKS_THE_SAME: &str = "looks the same";
pub(super) const NEAR_NAME: &str = "a near name";
pub(super) const A_CARD: &str = "a card";
pub(super) const A_DESIGN: &str = "a design";
pub(super) const AN_OWN_DESIGN: &str = "a design of yours";
pub(super) const ALT_MISSING: &str = "Nothing says what the artwork shows.";
pub(super) const LETTERS_NOT_DRAWN: &str = "Some letters have no picture in the fonts for PNG pictures, which show outlines in their place.";
pub(super) const OWN_NAMESAKE: &str =
    "You have already shared a design with this name: you cannot share another one under it.";

// Reviews.
pub(super) const REVIEWS: &str = "Designs that wait for a review";
pub(super) const REVIEWS_ABOUT: &str =
    "Claim a design to decide about it. A claim lasts half an hour.";
pub(super) const NOTHING_WAITS: &str = "No design waits.";
pub(super) const APPROVED_DESIGNS: &str = "Approved designs";
pub(super) const APPROVED_ABOUT: &str = "These designs are no cards yet. An admin can release them, unless the author is banned; a moderator can revoke the approval.";
pub(super) const NOTHING_APPROVED: &str = "No approved design waits for its release.";
pub(super) const REVOKE: &str = "Revoke the approval";
pub(super) const REVOKE_ABOUT: &str = "The design counts as declined then. Its author can read the reason, change the design and submit it again.";
pub(super) const CLAIMED: &str = "Somebody looks at it";
pub(super) const CLAIMED_BY_YOU: &str = "You look at it";
pub(super) const OWN_WORK: &str = "Your own work: somebody else decides";
pub(super) const ONLY_REVOCABLE: &str =
    "The author is banned: it is not released, but the approval can be revoked";
pub(super) const WHOLE_DESIGN: &str = "The whole design, with ratings and comments";
pub(super) const CHECKLIST: &str = "Checklist";
pub(super) const DECISION: &str = "Decision";
pub(super) const APPROVE: &str = "Approve: it may become a card";
pub(super) const DECLINE: &str = "Decline";
pub(super) const REASON_HELP: &str = "The author reads it.";
pub(super) const REASON_KEPT: &str = "It is kept: claim the design, and go on with it.";
pub(super) const DECIDE: &str = "Decide";
pub(super) const GIVE_BACK: &str = "Give it back undecided";
pub(super) const CLAIM: &str = "Claim it";
pub(super) const CLAIM_ABOUT: &str =
    "You see the checklist. For half an hour, nobody else can decide.";
pub(super) const CLAIM_ENDS: &str =
    "Then others can claim it. If you need longer, extend the claim: what you typed stays.";
pub(super) const CLAIM_OF_OTHER: &str = "Another moderator has claimed the design. Only that moderator can give it back, or the claim ends by itself.";
pub(super) const EXTEND_CLAIM: &str = "Extend the claim by half an hour from now";
pub(super) const OWN_NOT_JUDGED: &str =
    "You cannot judge a design of your own, or one that you contributed to.";
pub(super) const REPORTS: &str = "Reports";

// Authors.
pub(super) const BADGES: &str = "Badges";
pub(super) const OFFICIAL: &str = "Became cards";
pub(super) const PUBLIC_DECKS: &str = "Public decks";
pub(super) const FOLLOWERS: &str = "Followers";
pub(super) const MEAN_RATING: &str = "Mean rating";
pub(super) const SHARES_SINCE: &str = "Shares since";
pub(super) const FOLLOW: &str = "Follow";
pub(super) const UNFOLLOW: &str = "Follow no more";
pub(super) const LOG_IN_TO_FOLLOW: &str = "Log in to follow";
pub(super) const AUTHOR_WITHOUT_DESIGNS: &str = "Nothing in the gallery yet.";

/// The name of a design, or a placeholder if it has none.
pub(super) fn name_of(name: &str) -> String {
    if name.is_empty() { "Design without a name".to_owned() } else { name.to_owned() }
}

/// The author of a design.
pub(super) fn by(author: &str) -> String {
    format!("by {author}")
}

/// The preview of a design on other sites.
pub(super) fn preview(author: &str) -> String {
    format!("A card design by {author}.")
}

/// What the day in the list of waiting or approved designs is.
pub(super) fn day_of_review(is_approved: bool) -> &'static str {
    if is_approved { "Approved on" } else { "Submitted on" }
}

/// A sort order of the gallery.
pub(super) fn sort(sort: GallerySort) -> &'static str {
    match sort {
        GallerySort::New => "Shared last",
        GallerySort::Rating => "Rated best",
        GallerySort::Comments => "Discussed most",
        GallerySort::Name => "Name",
    }
}

/// The status of a design.
pub(super) fn status(status: &str) -> &'static str {
    match status {
        "draft" => "Draft",
        "shared" => "Shared",
        "submitted" => "Submitted",
        "in_review" => "In review",
        "approved" => "Approved",
        "declined" => "Declined",
        "withdrawn" => "Withdrawn",
        "official" => "Official card",
        _ => "Unknown",
    }
}

/// The meaning of a status for the author.
pub(super) fn status_about(status: &str) -> &'static str {
    match status {
        "draft" => "Only you see it. Share it to hear what others think.",
        "shared" => "Everybody sees it. Submit it if it shall become a card.",
        "submitted" => "It waits for a moderator. Withdraw it to change it.",
        "in_review" => "A moderator looks at it now.",
        "approved" => "It may become an official card. It cannot be changed now.",
        "declined" => "It was declined. Change it, and submit it again.",
        "withdrawn" => "You took it back. You can share it again.",
        "official" => "It is an official card of the game. It cannot be changed any more.",
        _ => "",
    }
}

/// What the author of an official card gets for it, by the state of the perk.
pub(super) fn perk(state: &str) -> &'static str {
    if state == "granted" {
        "An admin has given you a copy of the card."
    } else {
        "You get a copy of the card: an admin sends it to you, and registers it to you."
    }
}

/// Why a design cannot be saved in its status, and what the author can do.
pub(super) fn status_unsaved(status: &str) -> &'static str {
    match status {
        "submitted" | "in_review" => {
            "The design was submitted, so it cannot be changed now. Nothing was saved, and what you typed is still here. Withdraw the design on its page first, and then save again; or save this as a new design."
        }
        _ => {
            "The design was approved, so it cannot be changed now. Nothing was saved, and what you typed is still here. You can save it as a new design."
        }
    }
}

pub(super) fn kind_and_status(kind: &str, of: &str) -> String {
    format!("{kind}, {}", status(of).to_lowercase())
}

/// The summary of ratings and comments.
pub(super) fn feedback(rating: f64, ratings: i64, comments: i64) -> String {
    let ratings = (ratings > 0).then(|| format!("{} of 5 ({})", mean(rating), grouped(ratings)));
    let comments = match comments {
        0 => None,
        1 => Some("1 comment".to_owned()),
        comments => Some(format!("{} comments", grouped(comments))),
    };
    let parts: Vec<String> = ratings.into_iter().chain(comments).collect();
    parts.join(", ")
}

/// The mean of points.
pub(super) fn mean(mean: f64) -> String {
    format!("{mean:.2}")
}

/// The ratings of a design.
pub(super) fn ratings(rating: f64, count: i64) -> String {
    match count {
        0 => "Nobody has rated it yet.".to_owned(),
        1 => format!("{} of 5 by 1 rating", mean(rating)),
        count => format!("{} of 5 by {} ratings", mean(rating), grouped(count)),
    }
}

/// A criterion of ratings.
pub(super) fn criterion(code: &str) -> &'static str {
    match code {
        "fun" => "Fun",
        "balance" => "Balance",
        "flavour" => "Flavour",
        _ => "Clarity",
    }
}

/// The question of a criterion.
pub(super) fn criterion_about(code: &str) -> &'static str {
    match code {
        "fun" => "Would you like to play it?",
        "balance" => "Is it as strong as others of its kind?",
        "flavour" => "Do name, text and mechanics fit each other?",
        _ => "Is it clear what it does?",
    }
}

/// The message about a criterion without points.
pub(super) fn points_missing(code: &str) -> String {
    format!("{}: give 1 to 5 points.", criterion(code))
}

pub(super) fn suggestion_state(state: &str) -> &'static str {
    match state {
        "open" => "Open",
        "taken" => "Taken",
        "declined" => "Declined",
        _ => "Withdrawn",
    }
}

/// The heading of the suggestions for a design.
pub(super) fn suggestions_for(name: &str) -> String {
    format!("Suggestions for {name}")
}

/// The author of a suggestion.
pub(super) fn suggestion_by(name: &str) -> String {
    format!("Suggestion by {name}")
}

/// The heading of the designer for a suggestion.
pub(super) fn suggestion_for(name: &str) -> String {
    format!("Suggest a change of {name}")
}

/// The heading of the designer for an own design.
pub(super) fn change_of(name: &str) -> String {
    format!("Change {name}")
}

/// The artwork of a design.
pub(super) fn artwork_of(name: &str) -> String {
    format!("Artwork of {name}")
}

/// The label of an earlier artwork, which has no name.
pub(super) fn artwork_number(number: usize) -> String {
    format!("Picture {number}")
}

/// The accepted picture formats, and the room that is left.
pub(super) fn picture_help(used: i64, quota: i64) -> String {
    const MIB: i64 = 1024 * 1024;
    format!(
        "PNG, JPEG or WebP, at most 10 MiB, drawn by you. You use {} of {} MiB.",
        grouped(used.saturating_add(MIB - 1) / MIB),
        grouped(quota / MIB)
    )
}

/// The decision of a moderator about a design.
pub(super) fn decision(decision: &str) -> &'static str {
    if decision == "approved" { "Approved by a moderator" } else { "Declined by a moderator" }
}

/// The label of the button of an action of the author.
pub(super) fn step(step: AuthorStep) -> &'static str {
    match step {
        AuthorStep::Share => "Share",
        AuthorStep::Submit => "Submit for release",
        AuthorStep::Withdraw => "Withdraw",
        AuthorStep::Delete => "Delete",
    }
}

/// The heading of the page of an action.
pub(super) fn step_of(step: AuthorStep, name: &str) -> String {
    match step {
        AuthorStep::Share => format!("Share {name}"),
        AuthorStep::Submit => format!("Submit {name}"),
        AuthorStep::Withdraw => format!("Withdraw {name}"),
        AuthorStep::Delete => format!("Delete {name}"),
    }
}

/// The explanation of an action.
pub(super) fn step_about(step: AuthorStep) -> &'static str {
    match step {
        AuthorStep::Share => {
            "Everybody sees the design, can rate it and comment on it. Its name is kept for you. Once others have seen it, it cannot be deleted."
        }
        AuthorStep::Submit => {
            "You ask for the release of the design as an official card, under the terms that you chose. A moderator looks at it; until then you cannot change it. It must break no rule."
        }
        AuthorStep::Withdraw => {
            "The design leaves the gallery, and its name is free for others. People who know its identifier can still find it. You can share it again."
        }
        AuthorStep::Delete => "The design is gone for good, with all of its revisions.",
    }
}

pub(super) fn revision(number: i64) -> String {
    format!("Revision {number}")
}

/// The revisions of a design.
pub(super) fn revisions_of(name: &str) -> String {
    format!("Revisions of {name}")
}

/// The heading of the comparison of two revisions.
pub(super) fn between_revisions(from: i64, to: i64) -> String {
    format!("From revision {from} to {to}")
}

/// The label of the button that restores a revision.
pub(super) fn restore(number: i64) -> String {
    format!("Restore revision {number}")
}

/// What a licence allows others to do with a design.
pub(super) fn licence(code: &str) -> &'static str {
    match code {
        "release-1" => {
            "Cardscape may print and publish it as a card of the game, with the author's name."
        }
        "cc-by-4.0" => {
            "Creative Commons Attribution 4.0: anybody may share and adapt it with the author's name."
        }
        "cc0-1.0" => "Creative Commons Zero 1.0: anybody may do anything with it.",
        _ => "Others may only read it here; it cannot become a card.",
    }
}

/// A value with its label.
pub(super) fn labelled(label: &str, value: &str) -> String {
    format!("{label}: {value}")
}

/// The name of a member of a design by its JSON pointer; the empty pointer means the whole design. Attributes have the names of the game; without a game, their
/// codes are turned into words.
pub(super) fn member(game: Option<&Game>, pointer: &str) -> String {
    let mut parts = pointer
        .trim_start_matches('/')
        .split('/')
        .map(|part| part.replace("~1", "/").replace("~0", "~"));
    let (first, rest): (String, Vec<String>) = (parts.next().unwrap_or_default(), parts.collect());
    let number = |at: &String| at.parse::<usize>().ok().map(effect);
    let attribute = |code: &str| {
        let mut kinds = game.into_iter().flat_map(Game::kinds);
        label(kinds.find_map(|kind| kind.attributes.get(code)), code)
    };
    match (first.as_str(), rest.as_slice()) {
        ("attributes", [code, ..]) => attribute(code),
        ("effects", [at]) => number(at).unwrap_or_else(|| titled("effects")),
        ("effects", [at, member, ..]) => labelled(&number(at).unwrap_or_default(), &titled(member)),
        ("printings", [_, attributes, code]) if attributes == "attributes" => attribute(code),
        _ => titled(&first),
    }
}

/// An effect by its index, which starts at 0.
pub(super) fn effect(at: usize) -> String {
    format!("Effect {}", at + 1)
}

/// The label of the button that chooses the sentence of an effect.
pub(super) fn choose_sentence(at: usize) -> String {
    format!("Effect {} from a template", at + 1)
}

/// The label of the button that removes an effect.
pub(super) fn drop_effect(at: usize) -> String {
    format!("Take out effect {}", at + 1)
}

/// The label of a field; optional fields are marked.
pub(super) fn field_label(label: &str, is_optional: bool) -> String {
    if is_optional { format!("{label} (may stay empty)") } else { label.to_owned() }
}

/// The bounds of a number; empty: there are none.
pub(super) fn bounds(least: &str, most: &str) -> String {
    match (least.is_empty(), most.is_empty()) {
        (true, true) => String::new(),
        (false, true) => format!("At least {least}."),
        (true, false) => format!("At most {most}."),
        (false, false) => format!("{least} to {most}."),
    }
}

/// The rule about the rarities of a card that exists in all of them.
pub(super) const EVERY_RARITY_ABOUT: &str =
    "The card exists in all rarities of the game. Take out those that the game does not have.";

/// The rule about the rarities that may be chosen.
pub(super) fn rarities_about(lowest: &str) -> String {
    format!(
        "The card exists in these rarities, and in those with numbers of their own. Without any, it exists only in the lowest: {lowest}."
    )
}

/// A number of a rarity.
pub(super) fn number_in(label: &str, rarity: &str) -> String {
    format!("{label} in {rarity}")
}

/// A rule with its number.
pub(super) fn rule(text: &str, number: &str) -> String {
    if text.is_empty() { format!("Rule {number}.") } else { format!("{text} (Rule {number})") }
}

/// The label of a placeholder of a template.
pub(super) fn place(placeholder: &str) -> String {
    format!("For {placeholder}")
}

pub(super) fn designer_step(step: &str) -> &'static str {
    match step {
        "start" => "Kind",
        "card" => "Name and numbers",
        "effects" => "Effects",
        "story" => "Story and terms",
        _ => "Check and save",
    }
}

/// The number of violations, which is announced while the visitor types.
pub(super) fn findings(count: usize) -> String {
    match count {
        0 => "Nothing is wrong.".to_owned(),
        1 => "One thing is wrong.".to_owned(),
        count => format!("{count} things are wrong."),
    }
}

/// The summary of the check.
pub(super) fn verdict(is_sound: bool, is_releasable: bool) -> &'static str {
    match (is_sound, is_releasable) {
        (_, true) => "It breaks no rule, and could be released.",
        (true, false) => "It breaks no rule.",
        (false, false) => "It is not a sound card yet.",
    }
}

/// Why a design cannot be released.
pub(super) fn release_obstacle(obstacle: ReleaseObstacle) -> &'static str {
    match obstacle {
        ReleaseObstacle::Violations => "It breaks rules of the game.",
        ReleaseObstacle::FreeText => "A sentence comes from no template.",
        ReleaseObstacle::EffectSearchLimit => {
            "The search found no template of a sentence within its limit of steps. Change the sentence, or build it from a template."
        }
        ReleaseObstacle::Name => "Its name is missing, taken, or looks like another.",
        ReleaseObstacle::Licence => "Its terms do not allow a release.",
        ReleaseObstacle::Artwork => "Its artwork was taken down.",
    }
}

/// Why a design cannot be released under its name.
pub(super) fn name_obstacle(obstacle: NameObstacle) -> &'static str {
    match obstacle {
        NameObstacle::Missing => "Its name is missing.",
        NameObstacle::NoLetter => "Its name has no letter, digit or symbol.",
        NameObstacle::Taken => "Its name is taken, or looks like another.",
    }
}

/// The text of an obstacle by its code in problems.
pub(super) fn obstacle(code: &str) -> &'static str {
    release_obstacle(match code {
        "free_text" => ReleaseObstacle::FreeText,
        "effect_search_limit" => ReleaseObstacle::EffectSearchLimit,
        "name" => ReleaseObstacle::Name,
        "licence" => ReleaseObstacle::Licence,
        "artwork" => ReleaseObstacle::Artwork,
        _ => ReleaseObstacle::Violations,
    })
}

/// That a hidden card has the name of a design.
pub(super) fn hidden_namesake(set: &str, number: &str) -> String {
    format!(
        "The hidden card {set} {number} has this name, or one that looks the same, so the design could not be released. The author may not know of the card: do not mention it in the reason."
    )
}

/// Which design the refusal of a step is about. `design`: its name; empty: no step was refused.
pub(super) fn refused_step(design: &str) -> String {
    if design.is_empty() { String::new() } else { format!("This was about “{design}”.") }
}

/// When a claim ends. The day is a day in UTC.
pub(super) fn claimed_until(until: DateTime<Utc>) -> String {
    format!("You have claimed it until {} UTC on {}.", until.format("%H:%M"), day_of(until))
}

/// When the claim of another moderator ends.
pub(super) fn claimed_by_other(until: DateTime<Utc>) -> String {
    format!(
        "Another moderator has claimed it until {} UTC on {}.",
        until.format("%H:%M"),
        day_of(until)
    )
}

/// A badge with the number that it is awarded for.
pub(super) fn badge(badge: &str, count: i64) -> String {
    match (badge, count) {
        ("card_designer", 1) => "Designer of 1 card".to_owned(),
        ("card_designer", count) => format!("Designer of {} cards", grouped(count)),
        (other, _) => titled(other),
    }
}

/// The message about a form that was refused for a reason that is not the fault of a field. `None`: the problem is shown on a page of its own.
pub(super) fn fault(code: ProblemCode) -> Option<&'static str> {
    Some(match code {
        ProblemCode::TooManyDesigns => {
            "You have as many designs as an account can have. Delete drafts that you do not need."
        }
        ProblemCode::TooManyRevisions => "The design has as many revisions as a design can have.",
        ProblemCode::DesignStepRefused => STEP_REFUSED,
        ProblemCode::DesignNameless => "A design that others see needs a name.",
        ProblemCode::DesignNameTaken => "The name is taken.",
        ProblemCode::DesignWasPublic => {
            "Others have seen the design: a public one, or one that moderators decided about, cannot be deleted."
        }
        ProblemCode::DesignNotReleasable => "The design does not meet the conditions of a release.",
        ProblemCode::DesignTakenDown => "A moderator has taken the design down.",
        ProblemCode::DesignClaimed => "Another moderator looks at the design now.",
        ProblemCode::DesignNotClaimed => {
            "You have not claimed the design, or your claim has ended. Claim it again."
        }
        ProblemCode::EditConflict => {
            "Somebody else has changed it at the same moment, and nothing was stored. Send yours again."
        }
        ProblemCode::OwnDesign => {
            "You cannot rate or judge a design of your own, or one that you contributed to."
        }
        ProblemCode::AuthorBanned => "The author of the design is banned.",
        ProblemCode::SuggestionClosed => {
            "The suggestion was answered or withdrawn in the meantime."
        }
        ProblemCode::SuggestionOutdated => {
            "The design was changed in the meantime. Look at it again, and begin from there."
        }
        ProblemCode::ArtworkQuotaReached => "You have no room for another picture.",
        ProblemCode::ArtworkRemoved => {
            "Its picture was taken down by a moderator. Give the design another picture, or none, and try again."
        }
        other => return feedback_words::fault(other),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_shown_by_their_names() {
        for (pointer, expected) in [
            ("/name", "Name"),
            ("/attributes/attack", "Attack"),
            ("/effects/0", "Effect 1"),
            ("/effects/1/text", "Effect 2: Text"),
            ("/effects", "Effects"),
            ("/printings/rare/attributes/attack", "Attack"),
            ("", ""),
        ] {
            assert_eq!(member(None, pointer), expected, "{pointer}");
        }
        let game = Game::from_toml(
            "code='pond'\nname='Pond'\nrules_version='1'\n[[kinds]]\ncode='fish'\nname='Fish'\n[kinds.attributes.fin_count]\nname='Fins'\ntype='integer'",
        )
        .unwrap();
        for (pointer, expected) in [
            ("/attributes/fin_count", "Fins"),
            ("/printings/rare/attributes/fin_count", "Fins"),
            ("/attributes/tail_length", "Tail length"),
            ("/name", "Name"),
        ] {
            assert_eq!(member(Some(&game), pointer), expected, "{pointer}");
        }
    }

    #[test]
    fn feedback_is_shown_if_there_is_any() {
        assert_eq!(feedback(3.0, 0, 0), "");
        assert_eq!(feedback(3.77, 12, 1), "3.77 of 5 (12), 1 comment");
        assert_eq!(bounds("0", ""), "At least 0.");
    }
}
