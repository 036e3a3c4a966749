//! Identifiers. Each entity has its own type, so that for example an account's id cannot be used as a deck's id.

use uuid::Uuid;

macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident;)+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl $name {
            /// A new id: UUIDv7 (RFC 9562), so that rows that are created together are adjacent in indexes.
            pub fn generate() -> Self {
                Self(Uuid::now_v7())
            }
        }

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id)
            }
        }

        impl From<$name> for Uuid {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    )+};
}

ids! {
    AccountId;
    /// A session: a log-in on one device, which is valid as long as its refresh tokens are rotated.
    SessionId;
    /// A personal access token.
    TokenId;
    /// A card definition.
    CardId;
    /// A card in one rarity or edition.
    PrintingId;
    PrintRunId;
    /// An announcement of a print run.
    CommitmentId;
    /// An accepted submission of a serial.
    SubmissionId;
    /// A report of abuse.
    AbuseReportId;
    /// A deck list.
    DeckId;
    /// A review of a design.
    DesignReviewId;
    /// A player-made card design. Its public identifier is the [`crate::domain::designs::identifier::DesignCode`].
    DesignId;
    /// A comment on a design or a deck.
    CommentId;
    /// A change of a design that another player suggests.
    SuggestionId;
    /// An import of a collection file.
    CollectionImportId;
    /// An entry of the copy ledger.
    LedgerId;
    /// A ruling or an erratum.
    RulingId;
    /// A card's move to another number, or into another card.
    MigrationId;
    /// A registered copy. The database creates these ids at random: other players see them, and they must not reveal when a copy
    /// was registered.
    CopyId;
    /// An offer to exchange copies.
    TradeId;
    /// A dispute about a copy: the id of the ledger entry that opened it.
    DisputeId;
    /// A webhook.
    WebhookId;
    /// A delivery of an event or a ping to a webhook. Receivers get it in the header `webhook-id`.
    DeliveryId;
}

impl CollectionImportId {
    /// A new id that cannot be guessed: 122 random bits.
    pub fn unordered() -> Self {
        Self(Uuid::new_v4())
    }
}

impl PrintingId {
    /// A new id for a printing of that card. It begins with the timestamp of the card's id, and the rest is random (74 bits). The printings of an
    /// import are therefore adjacent in indexes, and an id reveals neither when the printing was added nor anything about its neighbours. Ascending
    /// ids would reveal how many printings a hidden card has, by the difference between the ids of two cards.
    pub fn of_card(card: CardId) -> Self {
        const MOMENT: usize = 6;
        let mut bytes = *Uuid::new_v4().as_bytes();
        bytes[..MOMENT].copy_from_slice(&card.0.as_bytes()[..MOMENT]);
        Self(uuid::Builder::from_bytes(bytes).with_version(uuid::Version::SortRand).into_uuid())
    }
}
