//! Identifiers. Each noun has its own type, so that an account's id never lands where a deck's belongs.

use uuid::Uuid;

macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident;)+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl $name {
            /// A new id: UUIDv7 (RFC 9562), so that rows created together lie together.
            pub fn fresh() -> Self {
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
    /// A log-in on one device: lives as long as its refresh tokens rotate.
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
    /// A player-made card design. People know it by its [`crate::domain::designs::identifier::DesignCode`].
    DesignId;
    /// A comment on a design or a deck.
    CommentId;
    /// A change of a design that another player suggests.
    SuggestionId;
    /// A file that was read, to be added to a collection.
    CollectionImportId;
    /// An entry of the copy ledger.
    LedgerId;
    /// A ruling or an erratum.
    RulingId;
    /// A card's move to another number, or into another card.
    MigrationId;
    /// A registered copy. The database makes these, at random: they are shown to others, and tell nothing of when a copy was
    /// registered.
    CopyId;
    /// An offer to exchange copies.
    TradeId;
    /// A claim to a copy that is registered to another: the id of the ledger entry that opened it.
    DisputeId;
    /// An address that events are posted to.
    WebhookId;
    /// An event for a webhook, or a ping. Receivers know it as `webhook-id`.
    DeliveryId;
}

impl CollectionImportId {
    /// A new id that cannot be guessed: 122 random bits.
    pub fn unordered() -> Self {
        Self(Uuid::new_v4())
    }
}

impl PrintingId {
    /// A new id of a printing of that card. It begins with the moment of the card's id, the rest is random (74 bits): so the printings of an import
    /// lie side by side in indexes, and an id tells neither when the printing was added nor anything of its neighbours. Ids that
    /// count up would tell between those of two cards how many printings a hidden card has.
    pub fn of_card(card: CardId) -> Self {
        const MOMENT: usize = 6;
        let mut bytes = *Uuid::new_v4().as_bytes();
        bytes[..MOMENT].copy_from_slice(&card.0.as_bytes()[..MOMENT]);
        Self(uuid::Builder::from_bytes(bytes).with_version(uuid::Version::SortRand).into_uuid())
    }
}
