//! How much an account may do with designs: in all, and on a day (UTC).

use chrono::Duration;

/// Most designs of one account.
pub const MAX_DESIGNS: i64 = 500;
/// Most bytes that a revision says, as JSON: a card has a tenth of it.
pub const MAX_BYTES: usize = 32 * 1024;
/// Most revisions of one design.
pub const MAX_REVISIONS: i64 = 500;

/// Something that is bounded by day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DesignActivity {
    /// To begin a design.
    Create,
    /// To write a new revision of one.
    Revise,
    /// To share one.
    Share,
    /// To ask for the release of one.
    Submit,
    /// To comment on one.
    Comment,
    /// To rate one.
    Rate,
    /// To suggest a change of somebody else's.
    Suggest,
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

impl DesignActivity {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Create,
        Self::Revise,
        Self::Share,
        Self::Submit,
        Self::Comment,
        Self::Rate,
        Self::Suggest,
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
        for activity in DesignActivity::ALL {
            let limit = activity.daily_limit();
            assert!(0 < limit.new_account && limit.new_account < limit.usual, "{activity:?}");
        }
    }
}
