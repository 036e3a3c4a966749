//! Events that an account can turn off.

/// A kind of event that an account can turn off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OptionalEvent {
    /// Somebody commented on a design of the account's.
    DesignCommented,
    /// Somebody replied to a comment.
    DesignReplied,
    /// Somebody suggested a change of a design.
    DesignSuggested,
    /// A suggestion became a revision.
    SuggestionTaken,
    /// A suggestion did not.
    SuggestionDeclined,
    /// A moderator found a design fit for release.
    DesignApproved,
    /// A moderator did not.
    DesignDeclined,
    /// A design became a card that everybody sees.
    DesignOfficial,
    /// Somebody commented on a deck of the account's.
    DeckCommented,
    /// Somebody replied to a comment on a deck.
    DeckReplied,
}

impl OptionalEvent {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::DesignCommented,
        Self::DesignReplied,
        Self::DesignSuggested,
        Self::SuggestionTaken,
        Self::SuggestionDeclined,
        Self::DesignApproved,
        Self::DesignDeclined,
        Self::DesignOfficial,
        Self::DeckCommented,
        Self::DeckReplied,
    ];

    /// The kind of the event.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DesignCommented => "design.commented",
            Self::DesignReplied => "design.replied",
            Self::DesignSuggested => "design.suggested",
            Self::SuggestionTaken => "design.suggestion_taken",
            Self::SuggestionDeclined => "design.suggestion_declined",
            Self::DesignApproved => "design.approved",
            Self::DesignDeclined => "design.declined",
            Self::DesignOfficial => "design.official",
            Self::DeckCommented => "deck.commented",
            Self::DeckReplied => "deck.replied",
        }
    }

    /// The one of that kind.
    pub fn parse(kind: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.as_str() == kind)
    }
}
