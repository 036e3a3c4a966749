//! What becomes of a submission: a serial code and the name of the card it is printed on.

use super::ids::AccountId;

/// The answer to a submission whose code is well-formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The copy is the account's from now on.
    Registered,
    /// The copy was the account's before: a repeated request, or forgetfulness. No harm done.
    AlreadyYours,
    /// Code and name are right, but the copy is registered to somebody else. Possession is proved: a dispute is opened.
    RegisteredToAnother,
    /// No such code, another card's name, a voided copy, a run that is not active: all the same to the one who asks.
    Rejected,
}

impl Verdict {
    /// The verdict on a copy that code and name fit, by who owns it; `None` is a copy that nobody registered yet.
    pub fn on_copy(owner: Option<AccountId>, submitter: AccountId) -> Self {
        match owner {
            None => Self::Registered,
            Some(owner) if owner == submitter => Self::AlreadyYours,
            Some(_) => Self::RegisteredToAnother,
        }
    }

    /// The name in metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Registered => "registered",
            Self::AlreadyYours => "already_yours",
            Self::RegisteredToAnother => "registered_to_another",
            Self::Rejected => "rejected",
        }
    }

    /// Whether it was a guess: only those are counted against the attempt limits.
    pub fn is_guess(self) -> bool {
        self == Self::Rejected
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_rejection_is_a_guess() {
        let (ada, ben) = (AccountId::fresh(), AccountId::fresh());
        let verdicts = [None, Some(ada), Some(ben)].map(|owner| Verdict::on_copy(owner, ada));
        assert_eq!(
            verdicts,
            [Verdict::Registered, Verdict::AlreadyYours, Verdict::RegisteredToAnother]
        );
        assert!(verdicts.iter().all(|verdict| !verdict.is_guess()));
        assert!(Verdict::Rejected.is_guess());
    }
}
