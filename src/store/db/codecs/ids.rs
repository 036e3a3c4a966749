//! Ids in columns of type `uuid`.

use diesel::deserialize::{self, FromSql};
use diesel::pg::{Pg, PgValue};
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::Uuid as SqlUuid;
use uuid::Uuid;

use crate::domain::ids::{
    AccountId, CardId, CollectionImportId, CommentId, CommitmentId, CopyId, DeckId, DeliveryId,
    DesignId, DesignReviewId, DisputeId, LedgerId, MigrationId, PrintRunId, PrintingId, RulingId,
    SessionId, SubmissionId, SuggestionId, TokenId, TradeId, WebhookId,
};

macro_rules! ids {
    ($($id:ident),* $(,)?) => {$(
        column_type!($id => SqlUuid);

        impl FromSql<SqlUuid, Pg> for $id {
            fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
                <Uuid as FromSql<SqlUuid, Pg>>::from_sql(value).map(Self)
            }
        }

        impl ToSql<SqlUuid, Pg> for $id {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
                ToSql::<SqlUuid, Pg>::to_sql(&self.0, out)
            }
        }
    )*};
}

ids! {
    AccountId, CardId, CollectionImportId, CommentId, CommitmentId, CopyId, DeckId, DeliveryId, DesignId, DesignReviewId,
    DisputeId,    LedgerId, MigrationId, PrintRunId, PrintingId, RulingId, SessionId, SubmissionId, SuggestionId, TokenId,
    TradeId, WebhookId,
}
