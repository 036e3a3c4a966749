//! Verdicts on submissions of a serial code and the name of the card it is printed on.

use chrono::{DateTime, Utc};

use crate::domain::ids::AccountId;

/// The answer to a submission whose code is well-formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The copy is the account's from now on.
    Registered,
    /// The copy was the account's before, e.g. a repeated request. Not counted as an attempt.
    AlreadyYours,
    /// Code and name are right, but the copy is registered to somebody else. Possession is proved: a dispute is opened.
    RegisteredToAnother,
    /// Code and name are right, and the copy was the account's once: she gave it away, or a moderator decided. Whoever had a card
    /// knows its code, so it proves nothing.
    PassedOn,
    /// No such code, another card's name, a voided copy, a run that is not active: all the same to the one who asks.
    Rejected,
}

impl Verdict {
    /// The verdict on a copy that code and name fit, by who owns it (`None` is a copy that nobody registered yet) and whether the
    /// submitter ever did.
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

    /// Whether it was a guess: only those are counted against the attempt limits.
    pub fn is_guess(self) -> bool {
        self == Self::Rejected
    }
}

/// What a submission counts for the unlock of its card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountingState {
    /// It counts, or did when the card was unlocked.
    Counted,
    /// It does not count yet: the unlock policy holds it back.
    Held(HoldReason),
    /// It does not count: the card was never hidden or was unlocked before, the account counts already, the account is banned, the copy is
    /// void, or a moderator refused it.
    NotCounted,
}

/// For what the unlock policy holds a submission back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldReason {
    /// A moderator must confirm it.
    Review,
    /// The account is too young until then.
    AccountAge(DateTime<Utc>),
    /// As many accounts of its network as may count do so already.
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

    /// For what it is held back, if it is.
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

    /// From when on it does not hold the submission back any more, where that is known.
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
        let (ada, ben) = (AccountId::fresh(), AccountId::fresh());
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
