//! Hashes of secrets in columns of type `bytea`. They are written and compared, never read.

use diesel::pg::Pg;
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::Binary;

use crate::auth::keys::SerialMac;
use crate::auth::secret::TokenHash;

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
