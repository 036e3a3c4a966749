//! Hashes in columns of type `bytea`. Hashes of secrets are written and compared, never read.

use diesel::deserialize::{self, FromSql};
use diesel::pg::{Pg, PgValue};
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::Binary;

use crate::auth::keys::SerialMac;
use crate::auth::secret::TokenHash;
use crate::domain::designs::artwork::ArtworkId;

macro_rules! hashes {
    ($($hash:ty),*) => {$(
        expression_type!($hash => Binary);

        impl ToSql<Binary, Pg> for $hash {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
                ToSql::<Binary, Pg>::to_sql(self.0.as_slice(), out)
            }
        }
    )*};
}

hashes!(SerialMac, TokenHash);

column_type!(ArtworkId => Binary);

impl FromSql<Binary, Pg> for ArtworkId {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        Ok(Self(value.as_bytes().try_into()?))
    }
}

impl ToSql<Binary, Pg> for ArtworkId {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<Binary, Pg>::to_sql(self.0.as_slice(), out)
    }
}
