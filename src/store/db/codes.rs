//! Codes out of columns of text: what is stored has their form.

use diesel::deserialize::{self, FromSql, Queryable};
use diesel::pg::{Pg, PgValue};
use diesel::sql_types::Text;

use crate::domain::code::Code;

impl Queryable<Text, Pg> for Code {
    type Row = Self;

    fn build(row: Self) -> deserialize::Result<Self> {
        Ok(row)
    }
}

impl FromSql<Text, Pg> for Code {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        Ok(std::str::from_utf8(value.as_bytes())?.try_into()?)
    }
}
