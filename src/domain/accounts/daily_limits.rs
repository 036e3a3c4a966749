//! How much an account may do on a day (UTC).

use chrono::Duration;

/// Something that is bounded by day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DailyActivity {
    /// To begin a design.
    Create,
    /// To write a new revision of one.
    Revise,
    /// To share one.
    Share,
    /// To ask for the release of one.
    Submit,
    /// To comment on a design or a deck: counted together.
    Comment,
    /// To rate a design.
    Rate,
    /// To suggest a change of somebody else's design.
    Suggest,
    /// To like a deck.
    Like,
    /// To follow an author.
    Follow,
    /// To report something to the moderators.
    Report,
    /// To send a picture, whatever becomes of it: reading it takes a core.
    Upload,
}

/// How often something may be done on a day. Never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DailyLimit {
    /// By most accounts.
    pub usual: i32,
    /// By accounts that are new: who makes many of them to flood the gallery gets little for each.
    pub new_account: i32,
    /// How long an account is new.
    pub new_for: Duration,
}

impl DailyActivity {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Create,
        Self::Revise,
        Self::Share,
        Self::Submit,
        Self::Comment,
        Self::Rate,
        Self::Suggest,
        Self::Like,
        Self::Follow,
        Self::Report,
        Self::Upload,
    ];

    /// The name in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create_design",
            Self::Revise => "revise_design",
            Self::Share => "share_design",
            Self::Submit => "submit_design",
            Self::Comment => "comment_design",
            Self::Rate => "rate_design",
            Self::Suggest => "suggest_change",
            Self::Like => "like_deck",
            Self::Follow => "follow_author",
            Self::Report => "report_abuse",
            Self::Upload => "upload_artwork",
        }
    }

    /// How often it may be done.
    pub fn daily_limit(self) -> DailyLimit {
        let (usual, new_account) = match self {
            Self::Create => (100, 30),
            Self::Revise => (1_000, 300),
            Self::Share => (20, 5),
            Self::Submit => (10, 2),
            Self::Comment => (200, 20),
            Self::Rate => (200, 30),
            Self::Suggest => (30, 5),
            Self::Like => (200, 30),
            Self::Follow => (100, 20),
            Self::Report => (50, 10),
            Self::Upload => (100, 20),
        };
        DailyLimit { usual, new_account, new_for: Duration::days(3) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_accounts_may_do_less_and_everybody_something() {
        for activity in DailyActivity::ALL {
            let limit = activity.daily_limit();
            assert!(0 < limit.new_account && limit.new_account < limit.usual, "{activity:?}");
        }
    }
}
