//! Verdicts on submissions of a serial code and the name of the card it is printed on.

use chrono::{DateTime, Utc};

use crate::domain::ids::AccountId;

/// The verdict on a submission with a well-formed code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The copy is now registered to the account.
    Registered,
    /// The copy was already registered to the account, for example after a repeated request. Not counted as an attempt.
    AlreadyYours,
    /// Code and name are right, but the copy is registered to another account. The submission proves possession, so a dispute is opened.
    RegisteredToAnother,
    /// Code and name are right, and the account owned the copy before: it gave the copy away, or a moderator decided so. A former owner
    /// knows the code, so the submission proves nothing.
    PassedOn,
    /// The code does not exist, the name is of another card, the copy is void, or the run is not active. The submitter cannot distinguish
    /// these cases.
    Rejected,
}

impl Verdict {
    /// The verdict when code and name match a copy. `owner`: its owner (`None`: nobody has registered it yet); `was_owner`: whether
    /// the submitter owned it before.
    pub fn on_copy(owner: Option<AccountId>, submitter: AccountId, was_owner: bool) -> Self {
        match owner {
            None => Self::Registered,
            Some(owner) if owner == submitter => Self::AlreadyYours,
            Some(_) if was_owner => Self::PassedOn,
            Some(_) => Self::RegisteredToAnother,
        }
    }

    /// The name in metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Registered => "registered",
            Self::AlreadyYours => "already_yours",
            Self::RegisteredToAnother => "registered_to_another",
            Self::PassedOn => "passed_on",
            Self::Rejected => "rejected",
        }
    }

    /// Whether the submission was a guess. Only guesses count against the attempt limits.
    pub fn is_guess(self) -> bool {
        self == Self::Rejected
    }
}

/// Whether a submission counts for the unlock of its card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountingState {
    /// It counts, or counted when the card was unlocked.
    Counted,
    /// It does not count yet, because of the unlock policy.
    Held(HoldReason),
    /// It does not count: the card was never hidden or was unlocked before, the account counts already, the account is banned, the copy is
    /// void, or a moderator refused it.
    NotCounted,
}

/// Why the unlock policy holds a submission back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldReason {
    /// A moderator must confirm it.
    Review,
    /// The account is too young until this time.
    AccountAge(DateTime<Utc>),
    /// The maximum number of accounts of its network already counts.
    Network,
}

impl CountingState {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Counted => "counted",
            Self::Held(_) => "held",
            Self::NotCounted => "not_counted",
        }
    }

    /// Why the submission is held back, if it is.
    pub fn hold(self) -> Option<HoldReason> {
        match self {
            Self::Held(hold) => Some(hold),
            Self::Counted | Self::NotCounted => None,
        }
    }
}

impl HoldReason {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Review => "review",
            Self::AccountAge(_) => "account_age",
            Self::Network => "network",
        }
    }

    /// When this reason ends, if that is known.
    pub fn until(self) -> Option<DateTime<Utc>> {
        match self {
            Self::AccountAge(until) => Some(until),
            Self::Review | Self::Network => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_rejection_is_a_guess() {
        let (ada, ben) = (AccountId::generate(), AccountId::generate());
        let on = |owner, was_owner| Verdict::on_copy(owner, ada, was_owner);
        let verdicts =
            [on(None, false), on(Some(ada), true), on(Some(ben), false), on(Some(ben), true)];
        assert_eq!(
            verdicts,
            [
                Verdict::Registered,
                Verdict::AlreadyYours,
                Verdict::RegisteredToAnother,
                Verdict::PassedOn
            ]
        );
        assert!(verdicts.iter().all(|verdict| !verdict.is_guess()));
        assert!(Verdict::Rejected.is_guess());
    }
}
