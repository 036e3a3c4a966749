//! Numbers of revisions in requests.

use serde::Deserialize;

/// Number of a revision. The first revision has the number 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "i64")]
pub struct RevisionNumber(i64);

impl RevisionNumber {
    /// The number.
    pub fn get(self) -> i64 {
        self.0
    }
}

impl TryFrom<i64> for RevisionNumber {
    type Error = &'static str;

    fn try_from(number: i64) -> Result<Self, &'static str> {
        if number >= 1 { Ok(Self(number)) } else { Err("must be at least 1") }
    }
}
