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
