//! Members of problem documents beside those that every problem has: `dispute_id`, `scope` ….
//!
//! Nothing else can be added to a problem, so the schema of the contract (`http/problem.rs`) can declare all of them.

use super::problem::ProblemCode;

macro_rules! problem_members {
    ($($name:ident = $member:literal of $($code:ident),+;)+) => {
        /// A member that problems with certain codes have.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ProblemMember {
            $(#[doc = concat!("`", $member, "`")] $name,)+
        }

        impl ProblemMember {
            /// The whole table.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The name in the document.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $member,)+ }
            }

            /// The codes of the problems that can have it.
            pub fn codes(self) -> &'static [ProblemCode] {
                match self { $(Self::$name => &[$(ProblemCode::$code),+],)+ }
            }
        }
    };
}

problem_members! {
    BytesQuota = "bytes_quota" of ArtworkQuotaReached;
    BytesUsed = "bytes_used" of ArtworkQuotaReached;
    Candidates = "candidates" of AmbiguousName, UnclearPrinting;
    Copies = "copies" of TradeLapsed;
    DisputeId = "dispute_id" of RegisteredToAnother;
    DisputeState = "dispute_state" of RegisteredToAnother;
    Entries = "entries" of CountOutOfRange, CollectionChanged;
    Faults = "faults" of InvalidQuery;
    Limit = "limit" of DailyLimitReached;
    Max = "max" of DailyLimitReached;
    MaxBytes = "max_bytes" of BodyTooLarge;
    Obstacles = "obstacles" of DesignNotReleasable;
    Position = "position" of SerialMalformed;
    Reason = "reason" of UnreadableArtwork;
    Rejected = "rejected" of ImportHasFaults;
    ResetsAt = "resets_at" of DailyLimitReached;
    Role = "role" of Forbidden;
    Scope = "scope" of ScopeMissing;
    State = "state" of TradeClosed, DisputeClosed;
}
