//! Codes in columns of type `text`. Text that is not a valid code is an error of the row.

use std::io::Write as _;

use diesel::deserialize::{self, FromSql};
use diesel::pg::{Pg, PgValue};
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::Text;

use crate::domain::code::Code;
use crate::domain::designs::identifier::DesignCode;

column_type!(Code => Text);
column_type!(DesignCode => Text);

impl FromSql<Text, Pg> for Code {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        Ok(std::str::from_utf8(value.as_bytes())?.try_into()?)
    }
}

impl ToSql<Text, Pg> for Code {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<Text, Pg>::to_sql(self.as_str(), out)
    }
}

impl FromSql<Text, Pg> for DesignCode {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        Ok(Self::parse(std::str::from_utf8(value.as_bytes())?)?)
    }
}

impl ToSql<Text, Pg> for DesignCode {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        write!(out, "{self}")?;
        Ok(serialize::IsNull::No)
    }
}
