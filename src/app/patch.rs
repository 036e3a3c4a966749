//! Members of JSON merge patches (RFC 7396).

use serde::{Deserialize, Deserializer};

/// Deserialises a member that is present, so that `null` is distinguished from a missing member. A member that must not be `null` has a `value_type` without
/// `Option` in its schema.
pub(crate) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    member: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(member).map(Some)
}
