//! Conversions between values of the program and of Postgres: ids, codes, hashes, words for variants, and
//! JSON.
//!
//! Store code binds and reads these types directly. `domain` and `auth` do not depend on diesel, so the implementations
//! are here.

/// Lets diesel accept a type in expressions (`column.eq(value)`), given `ToSql` for one SQL type: the code that
/// `#[derive(AsExpression)]` would generate.
macro_rules! expression_type {
    ($type:ty => $sql:ty) => {
        expression_type!(@expression $type, $sql);
        expression_type!(@expression &$type, $sql);
        expression_type!(@expression $type, diesel::sql_types::Nullable<$sql>);
        expression_type!(@expression &$type, diesel::sql_types::Nullable<$sql>);

        impl crate::store::db::codecs::SqlValue for $type {
            type SqlType = $sql;
        }

        impl diesel::serialize::ToSql<diesel::sql_types::Nullable<$sql>, diesel::pg::Pg> for $type {
            fn to_sql<'b>(
                &'b self,
                out: &mut diesel::serialize::Output<'b, '_, diesel::pg::Pg>,
            ) -> diesel::serialize::Result {
                diesel::serialize::ToSql::<$sql, diesel::pg::Pg>::to_sql(self, out)
            }
        }
    };
    (@expression $type:ty, $sql:ty) => {
        impl diesel::expression::AsExpression<$sql> for $type {
            type Expression = diesel::internal::derives::as_expression::Bound<$sql, Self>;

            fn as_expression(self) -> Self::Expression {
                diesel::internal::derives::as_expression::Bound::new(self)
            }
        }
    };
}

/// The same for a type that is also read from rows, given `FromSql`.
macro_rules! column_type {
    ($type:ty => $sql:ty) => {
        expression_type!($type => $sql);

        impl diesel::deserialize::Queryable<$sql, diesel::pg::Pg> for $type {
            type Row = Self;

            fn build(row: Self) -> diesel::deserialize::Result<Self> {
                Ok(row)
            }
        }
    };
}

mod codes;
mod hashes;
mod ids;
pub(in crate::store) mod json;
pub(in crate::store) mod words;

use chrono::{DateTime, NaiveDate, Utc};
use diesel::sql_types as sql;
use serde_json::Value;

/// A type whose values are parameters of one SQL type, so that statements need not name it.
pub(in crate::store) trait SqlValue {
    type SqlType;
}

macro_rules! sql_values {
    ($($type:ty => $sql:ty;)*) => {$(
        impl SqlValue for $type {
            type SqlType = $sql;
        }
    )*};
}

sql_values! {
    bool => sql::Bool;
    i16 => sql::SmallInt;
    i32 => sql::Integer;
    i64 => sql::BigInt;
    u32 => sql::Oid;
    str => sql::Text;
    String => sql::Text;
    [u8] => sql::Binary;
    Vec<u8> => sql::Binary;
    DateTime<Utc> => sql::Timestamptz;
    NaiveDate => sql::Date;
    Value => sql::Jsonb;
    uuid::Uuid => sql::Uuid;
}

impl<T: SqlValue + ?Sized> SqlValue for &T {
    type SqlType = T::SqlType;
}

impl<T> SqlValue for Option<T>
where
    T: SqlValue<SqlType: diesel::sql_types::SqlType<IsNull = sql::is_nullable::NotNull>>,
{
    type SqlType = sql::Nullable<T::SqlType>;
}

impl<T: SqlValue<SqlType: 'static>> SqlValue for Vec<T> {
    type SqlType = sql::Array<T::SqlType>;
}

impl<T: SqlValue<SqlType: 'static>> SqlValue for [T] {
    type SqlType = sql::Array<T::SqlType>;
}
