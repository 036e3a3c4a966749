//! Values that the database keeps as `jsonb`, read as what they are.

use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::pg::{Pg, PgValue};
use diesel::sql_types::Jsonb;
use serde::de::DeserializeOwned;

/// What this program once wrote as JSON: read without a detour through a tree of values.
#[derive(Clone, Debug, FromSqlRow)]
pub(super) struct Json<T>(pub(super) T);

/// What binary `jsonb` begins with.
const VERSION: u8 = 1;

impl<T: DeserializeOwned> FromSql<Jsonb, Pg> for Json<T> {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        match value.as_bytes() {
            // Checked once for all strings in it.
            [VERSION, text @ ..] => Ok(Self(serde_json::from_str(std::str::from_utf8(text)?)?)),
            _ => Err("jsonb of an unknown version".into()),
        }
    }
}
