//! Events that an account can turn off.

/// A kind of event that an account can turn off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OptionalEvent {
    /// Another player commented on a design of the account.
    DesignCommented,
    /// Another player replied to a comment on a design.
    DesignReplied,
    /// Another player suggested a change of a design.
    DesignSuggested,
    /// A suggestion became a revision.
    SuggestionTaken,
    /// A suggestion was declined.
    SuggestionDeclined,
    /// A moderator approved a design.
    DesignApproved,
    /// A moderator declined a design.
    DesignDeclined,
    /// A design became an open card.
    DesignOfficial,
    /// Another player commented on a deck of the account.
    DeckCommented,
    /// Another player replied to a comment on a deck.
    DeckReplied,
    /// A moderator decided a report by the account.
    ReportDecided,
}

impl OptionalEvent {
    /// All values.
    pub const ALL: [Self; 11] = [
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
        Self::ReportDecided,
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
            Self::ReportDecided => "report.decided",
        }
    }

    /// The event with that kind.
    pub fn parse(kind: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.as_str() == kind)
    }
}
