//! Limits on the activities of an account per day (UTC).

use chrono::Duration;

/// An activity with a daily limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DailyActivity {
    /// Create a design.
    Create,
    /// Write a new revision of a design.
    Revise,
    /// Share a design.
    Share,
    /// Request the release of a design.
    Submit,
    /// Comment on a design or a deck; both are counted together.
    Comment,
    /// Rate a design.
    Rate,
    /// Suggest a change of another player's design.
    Suggest,
    /// Like a deck.
    Like,
    /// Follow an author.
    Follow,
    /// Report something to the moderators.
    Report,
    /// Offer a trade, or answer an offer with another one.
    Offer,
    /// Upload a picture. Refused pictures count as well, because reading a picture takes a core.
    Upload,
}

/// How often an activity is allowed per day; never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DailyLimit {
    /// The limit for most accounts.
    pub usual: i32,
    /// The lower limit for new accounts, so that creating many accounts to flood the gallery has little effect.
    pub new_account: i32,
    /// How long an account is new.
    pub new_for: Duration,
}

/// The limit of an activity that an account has reached for the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReachedLimit {
    /// What was counted.
    pub activity: DailyActivity,
    /// Whether the account is new.
    pub is_new: bool,
}

impl ReachedLimit {
    /// How often the account may do it in a day.
    pub fn max(self) -> i32 {
        let DailyLimit { usual, new_account, .. } = self.activity.daily_limit();
        if self.is_new { new_account } else { usual }
    }
}

impl DailyActivity {
    /// All values.
    pub const ALL: [Self; 12] = [
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
        Self::Offer,
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
            Self::Offer => "offer_trade",
            Self::Upload => "upload_artwork",
        }
    }

    /// What is limited, in the plural: the name of the limit for clients.
    pub fn counted(self) -> &'static str {
        match self {
            Self::Create => "new_designs",
            Self::Revise => "revisions",
            Self::Share => "shares",
            Self::Submit => "submissions",
            Self::Comment => "comments",
            Self::Rate => "ratings",
            Self::Suggest => "suggestions",
            Self::Like => "likes",
            Self::Follow => "follows",
            Self::Report => "reports",
            Self::Offer => "offers",
            Self::Upload => "uploads",
        }
    }

    /// The limit of the activity.
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
            Self::Offer => (50, 20),
            Self::Upload => (100, 20),
        };
        DailyLimit { usual, new_account, new_for: Duration::days(3) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn new_accounts_have_lower_limits_and_no_limit_is_zero() {
        for activity in DailyActivity::ALL {
            let limit = activity.daily_limit();
            assert!(0 < limit.new_account && limit.new_account < limit.usual, "{activity:?}");
        }
    }

    #[test]
    fn each_limit_has_a_name_of_its_own() {
        let names: BTreeSet<&str> = DailyActivity::ALL.map(DailyActivity::counted).into();
        assert_eq!(names.len(), DailyActivity::ALL.len());
    }
}
