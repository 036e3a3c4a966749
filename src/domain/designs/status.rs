//! The status of a design, from draft to official card: which steps are allowed in which status.

use serde::Deserialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DesignStatus {
    /// The author works on the design; nobody else sees it.
    Draft,
    /// The design is public.
    Shared,
    /// The author requested the release; the design waits for a moderator.
    Submitted,
    /// A moderator reviews the design.
    InReview,
    /// The design may become an official card.
    Approved,
    /// The design was declined, or its approval was revoked; the author can read the reason.
    Declined,
    /// The author withdrew the design. If it was public before, it can still be found by its identifier.
    Withdrawn,
    /// The design is a card of the game; this is final.
    Official,
}

/// A step that changes the status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DesignStep {
    /// Write a new revision.
    Edit,
    /// Make the design public.
    Share,
    /// Request the release.
    Submit,
    /// Withdraw the design.
    Withdraw,
    /// Begin a review.
    Claim,
    /// End a review without a decision.
    Return,
    /// Approve the release.
    Approve,
    /// Decline the release.
    Decline,
    /// Revoke the approval of a design that is no card yet.
    Revoke,
    /// Make the design a card.
    Release,
}

impl DesignStatus {
    /// All values.
    pub const ALL: [Self; 8] = [
        Self::Draft,
        Self::Shared,
        Self::Submitted,
        Self::InReview,
        Self::Approved,
        Self::Declined,
        Self::Withdrawn,
        Self::Official,
    ];

    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Shared => "shared",
            Self::Submitted => "submitted",
            Self::InReview => "in_review",
            Self::Approved => "approved",
            Self::Declined => "declined",
            Self::Withdrawn => "withdrawn",
            Self::Official => "official",
        }
    }

    /// The status with that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }

    /// The status after a step; `None`: the step is not allowed in this status.
    ///
    /// ```
    /// use cardscape::domain::designs::status::{DesignStatus as S, DesignStep};
    /// assert_eq!(S::Draft.after(DesignStep::Share), Some(S::Shared));
    /// assert_eq!(S::Official.after(DesignStep::Edit), None);
    /// ```
    pub fn after(self, step: DesignStep) -> Option<Self> {
        use DesignStep as T;
        Some(match (self, step) {
            (Self::Draft | Self::Shared | Self::Declined | Self::Withdrawn, T::Edit) => self,
            (Self::Draft | Self::Declined | Self::Withdrawn, T::Share) => Self::Shared,
            (Self::Draft | Self::Shared | Self::Declined | Self::Withdrawn, T::Submit) => {
                Self::Submitted
            }
            // Not in status `Approved`: the design may already be a hidden card, and a refused withdrawal must not reveal that.
            (Self::Shared | Self::Submitted | Self::InReview | Self::Declined, T::Withdraw) => {
                Self::Withdrawn
            }
            (Self::Submitted, T::Claim) => Self::InReview,
            (Self::InReview, T::Return) => Self::Submitted,
            (Self::InReview, T::Approve) => Self::Approved,
            // The author can change a declined design and submit it again.
            (Self::InReview, T::Decline) | (Self::Approved, T::Revoke) => Self::Declined,
            (Self::Approved, T::Release) => Self::Official,
            _ => return None,
        })
    }

    /// Whether a design that was shared is in the gallery and its name is reserved.
    pub fn is_listed(self) -> bool {
        !matches!(self, Self::Draft | Self::Withdrawn)
    }
}

impl DesignStep {
    /// All values.
    pub const ALL: [Self; 10] = [
        Self::Edit,
        Self::Share,
        Self::Submit,
        Self::Withdraw,
        Self::Claim,
        Self::Return,
        Self::Approve,
        Self::Decline,
        Self::Revoke,
        Self::Release,
    ];

    /// The past participle for messages: "a design cannot be …".
    pub fn past(self) -> &'static str {
        match self {
            Self::Edit => "edited",
            Self::Share => "shared",
            Self::Submit => "submitted",
            Self::Withdraw => "withdrawn",
            Self::Claim => "claimed",
            Self::Return => "returned",
            Self::Approve => "approved",
            Self::Decline => "declined",
            Self::Revoke => "revoked",
            Self::Release => "released",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The whole table, cell by cell: one row for each status, and columns for the steps in the order of [`DesignStep::ALL`].
    #[test]
    fn the_table_of_steps_is_complete() {
        use DesignStatus as S;
        const NO: Option<DesignStatus> = None;
        let (sh, su, wi) = (Some(S::Shared), Some(S::Submitted), Some(S::Withdrawn));
        #[rustfmt::skip]
        let table: [(DesignStatus, [Option<DesignStatus>; 10]); 8] = [
            //              edit               share submit withdraw claim             return approve            decline            revoke             release
            (S::Draft,     [Some(S::Draft),     sh,  su,    NO,      NO,               NO,    NO,                NO,                NO,                NO]),
            (S::Shared,    [sh,                 NO,  su,    wi,      NO,               NO,    NO,                NO,                NO,                NO]),
            (S::Submitted, [NO,                 NO,  NO,    wi,      Some(S::InReview), NO,   NO,                NO,                NO,                NO]),
            (S::InReview,  [NO,                 NO,  NO,    wi,      NO,               su,    Some(S::Approved), Some(S::Declined), NO,                NO]),
            (S::Approved,  [NO,                 NO,  NO,    NO,      NO,               NO,    NO,                NO,                Some(S::Declined), Some(S::Official)]),
            (S::Declined,  [Some(S::Declined),  sh,  su,    wi,      NO,               NO,    NO,                NO,                NO,                NO]),
            (S::Withdrawn, [wi,                 sh,  su,    NO,      NO,               NO,    NO,                NO,                NO,                NO]),
            (S::Official,  [NO,                 NO,  NO,    NO,      NO,               NO,    NO,                NO,                NO,                NO]),
        ];
        assert_eq!(table.map(|(status, _)| status), S::ALL);
        for (status, row) in table {
            for (step, expected) in DesignStep::ALL.into_iter().zip(row) {
                assert_eq!(status.after(step), expected, "{status:?} {step:?}");
            }
        }
    }

    proptest! {
        /// With any sequence of steps, no design is released without a review, and a released design stays released.
        #[test]
        fn no_design_is_released_without_a_review(steps in prop::collection::vec(prop::sample::select(DesignStep::ALL.to_vec()), 0..60)) {
            let (mut status, mut approved) = (DesignStatus::Draft, false);
            for step in steps {
                let Some(next) = status.after(step) else { continue };
                if step == DesignStep::Approve {
                    prop_assert_eq!(status, DesignStatus::InReview);
                    approved = true;
                }
                if matches!(
                    step,
                    DesignStep::Edit | DesignStep::Submit | DesignStep::Withdraw | DesignStep::Revoke
                ) {
                    prop_assert_ne!(status, DesignStatus::Official);
                    approved = false;
                }
                status = next;
                prop_assert!(status != DesignStatus::Official || approved);
            }
        }
    }

    #[test]
    fn names_are_parsed_back() {
        for status in DesignStatus::ALL {
            assert_eq!(DesignStatus::parse(status.as_str()), Some(status));
        }
    }
}
