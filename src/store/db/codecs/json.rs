//! Values in `jsonb` columns, deserialised, or passed on as text.

use std::io::Write as _;
use std::marker::PhantomData;

use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::pg::{Pg, PgValue};
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::Jsonb;
use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// A value that this program wrote as JSON; deserialised directly, without an intermediate [`serde_json::Value`].
#[derive(Clone, Debug, FromSqlRow)]
pub(in crate::store) struct Json<T>(pub(in crate::store) T);

impl<T: DeserializeOwned> FromSql<Jsonb, Pg> for Json<T> {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        Ok(Self(serde_json::from_str(text_of(&value)?)?))
    }
}

/// A `T` as JSON text from the database. Responses contain the text unchanged, and it is parsed only where it is
/// needed. Most of the data in lists of cards has this type.
///
/// Postgres orders the members of objects by the length of their names, and writes a space after `:` and `,`.
#[derive(Debug, FromSqlRow)]
pub struct JsonText<T> {
    text: Box<RawValue>,
    of: PhantomData<fn() -> T>,
}

#[cfg(test)]
impl<T> JsonText<T> {
    /// A value from JSON text, as the database might have written it.
    pub fn of_text(text: &str) -> Self {
        Self { text: serde_json::from_str(text).unwrap(), of: PhantomData }
    }
}

impl<T: DeserializeOwned> JsonText<T> {
    /// Parses the value; fails if another program wrote something else.
    pub fn read(&self) -> serde_json::Result<T> {
        serde_json::from_str(self.text.get())
    }
}

impl<T> Clone for JsonText<T> {
    fn clone(&self) -> Self {
        Self { text: self.text.clone(), of: PhantomData }
    }
}

/// Two values are equal if their texts are equal.
impl<T> PartialEq for JsonText<T> {
    fn eq(&self, other: &Self) -> bool {
        self.text.get() == other.text.get()
    }
}

impl<T> Serialize for JsonText<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

impl<T> FromSql<Jsonb, Pg> for JsonText<T> {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        Ok(Self { text: serde_json::from_str(text_of(&value)?)?, of: PhantomData })
    }
}

/// A value as JSON text for the database: written before the statement that sends it, so that Postgres does not wait for it.
#[derive(Debug)]
pub(in crate::store) struct WrittenJson(String);

impl From<Value> for WrittenJson {
    fn from(value: Value) -> Self {
        Self(value.to_string())
    }
}

expression_type!(WrittenJson => Jsonb);

impl ToSql<Jsonb, Pg> for WrittenJson {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        out.write_all(&[VERSION])?;
        out.write_all(self.0.as_bytes())?;
        Ok(IsNull::No)
    }
}

/// The first byte of binary `jsonb`.
const VERSION: u8 = 1;

/// The text of a `jsonb` value. UTF-8 is validated once for all strings in it.
fn text_of<'a>(value: &'a PgValue<'_>) -> deserialize::Result<&'a str> {
    match value.as_bytes() {
        [VERSION, text @ ..] => Ok(std::str::from_utf8(text)?),
        _ => Err("jsonb of an unknown version".into()),
    }
}
