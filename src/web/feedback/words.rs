//! Text of comments and reports.

use crate::app::problem::ProblemCode;
use crate::domain::designs::abuse_report::AbuseReason;
use crate::domain::feedback::subject::FeedbackSubject;

// Comments.
pub(in crate::web) const COMMENTS: &str = "Comments";
pub(super) const COMMENT: &str = "Comment";
pub(in crate::web) const YOUR_COMMENT: &str = "Your comment";
pub(in crate::web) const WRITE_COMMENT: &str = "Comment";
pub(in crate::web) const NO_COMMENTS: &str = "Nobody has commented on it yet.";
pub(in crate::web) const LOG_IN_TO_COMMENT: &str = "Log in to comment on it";
pub(in crate::web) const MARKUP_HELP: &str =
    "Paragraphs are kept; *stars* make emphasis, **two** strong emphasis.";
pub(in crate::web) const EDITED: &str = "(changed)";
pub(in crate::web) const REPLY: &str = "Reply";
pub(in crate::web) const YOUR_REPLY: &str = "Your reply";
pub(super) const REPLIES: &str = "Replies to a comment";
pub(in crate::web) const ALL_REPLIES: &str = "All replies";
pub(super) const NO_REPLIES: &str = "There are no more replies.";
pub(in crate::web) const REPLY_LOST: &str = "This was your reply. The comment that you answered has no form on this page: sent from here, it is a new comment.";
pub(in crate::web) const FEEDBACK_CLOSED: &str =
    "Feedback is not possible now: this is not public any more. Nothing was stored.";
pub(in crate::web) const COMMENT_UNSENT: &str = "This was not stored. Copy it if you want to keep it: it can be sent when comments are possible again.";
pub(in crate::web) const EDIT_OR_DELETE: &str = "Change or delete";
pub(super) const EDIT_COMMENT: &str = "Your comment";
pub(super) const COMMENT_FINAL: &str =
    "A comment can be changed for 15 minutes. This one can only be deleted.";
pub(super) const COMMENT_NOT_SAVED: &str =
    "This was not saved. Copy it, and say it in a new comment or reply.";
pub(super) const SAVE: &str = "Save";
pub(super) const SAVED_VERSION: &str = "The saved version";
pub(in crate::web) const DELETE: &str = "Delete";
pub(super) const DELETE_COMMENT: &str = "Delete the comment";
pub(super) const DELETE_COMMENT_ABOUT: &str = "Its text is gone for everybody. Replies to it stay.";
pub(in crate::web) const HIDE_COMMENT: &str = "Hide this comment";
pub(in crate::web) const BLOCK_AUTHOR: &str = "Block its author";
pub(in crate::web) const SHOW_COMMENT: &str = "Show this comment again";
pub(in crate::web) const HIDDEN_COMMENTS: &str = "Hidden comments";
pub(super) const YOUR_HIDDEN_COMMENTS: &str = "Comments of yours that are hidden here";
pub(super) const NO_HIDDEN_COMMENTS: &str = "No comment is hidden here.";

// Reports.
pub(super) const REPORT: &str = "Report";
pub(in crate::web) const REPORT_COMMENT: &str = "Report this comment";
pub(in crate::web) const REPORT_PLAYER: &str = "Report this player";
pub(super) const REPORT_ABOUT: &str =
    "Moderators look at it. Nobody else learns that you have reported it.";
pub(super) const REASON: &str = "Reason";
pub(super) const CHOOSE_REASON: &str = "Choose a reason";
pub(super) const DETAILS: &str = "Details";
pub(super) const DETAILS_HELP: &str = "Needed if the reason is something else.";
pub(in crate::web) const REPORT_PART_MISSING: &str = "The form that you sent does not say what it is about. This one is about the deck: send it if that is what you want to report.";
pub(super) const REPORTED: &str = "Thank you. A moderator will look at it.";
pub(super) const CANCEL: &str = "Cancel";

/// The placeholder for a comment that is deleted or removed.
pub(super) fn comment_placeholder(state: &str, on: FeedbackSubject) -> &'static str {
    match (state, on) {
        ("deleted", _) => "Deleted by its author.",
        ("hidden_by_owner", FeedbackSubject::Design(_)) => "Hidden by the author of the design.",
        ("hidden_by_owner", FeedbackSubject::Deck(_)) => "Hidden by the owner of the deck.",
        _ => "Hidden by a moderator.",
    }
}

/// Which comments the list of hidden comments has, and who can read them.
pub(super) fn hidden_comments_about(on: FeedbackSubject) -> &'static str {
    match on {
        FeedbackSubject::Design(_) => {
            "Comments that the author of the design hid. Only the author, the writer of each comment and moderators can read them here."
        }
        FeedbackSubject::Deck(_) => {
            "Comments that the owner of the deck hid. Only the owner, the writer of each comment and moderators can read them here."
        }
    }
}

/// The reason of a report.
pub(super) fn reason(reason: AbuseReason) -> &'static str {
    match reason {
        AbuseReason::Spam => "Advertising, or the same again and again",
        AbuseReason::Abuse => "Insults, threats or hatred",
        AbuseReason::Sexual => "Sexual content",
        AbuseReason::Copyright => "Somebody else's work",
        AbuseReason::Impersonation => "Pretends to be somebody else",
        AbuseReason::Other => "Something else",
    }
}

/// The message about a refused comment, report, like or similar form, for a reason that is not the fault of a field. `None`: the problem is shown on a page of
/// its own.
pub(in crate::web) fn fault(code: ProblemCode) -> Option<&'static str> {
    Some(match code {
        ProblemCode::InvalidBody => "The form that you sent cannot be read.",
        ProblemCode::OwnReport => "You cannot report your own content.",
        ProblemCode::OwnAccount => "Nobody can follow themselves.",
        ProblemCode::OwnDeck => "Nobody can like a deck of their own.",
        ProblemCode::TooManyFollowed => "You follow as many authors as an account can.",
        ProblemCode::TooManyWatched => "You watch as many decks as an account can.",
        ProblemCode::FeedbackRefused => "Feedback is not accepted here.",
        ProblemCode::CommentFinal => COMMENT_FINAL,
        ProblemCode::DailyLimitReached => "You have done this as often today as you may.",
        ProblemCode::PreconditionFailed => {
            "It was changed since you opened this page. Both versions are below: if you save, your version replaces the saved one."
        }
        ProblemCode::IdempotencyKeyReused => {
            "This form was sent before with other contents, which are saved. Send it again to save these, too."
        }
        ProblemCode::IdempotencyInProgress => {
            "The same form is being saved at this moment. Wait a little before you send it again."
        }
        _ => return None,
    })
}
