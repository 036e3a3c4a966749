//! Decides what a presented refresh token leads to, as a pure function, so that every case can be read and tested.

use chrono::{DateTime, Duration, Utc};

/// How long a session is valid without a refresh.
pub const SESSION_LIFETIME: Duration = Duration::days(60);
/// How often the use of a browser's session is written to the database at most. A browser requests many pages, and a lifetime of days needs no exact
/// times.
pub const BROWSER_RENEWAL: Duration = Duration::hours(1);
/// How long the token before the newest one is accepted after the rotation: the response with the newest token may be lost.
pub const REPLAY_GRACE: Duration = Duration::seconds(30);

/// Generation of a token that was replaced by another token of the same generation. Its response was lost, so no client should have it.
pub const SUPERSEDED: i32 = 0;

/// A presented refresh token and its session, as the database has them.
#[derive(Clone, Copy, Debug)]
pub struct PresentedRefresh {
    /// Generation of the token.
    pub generation: i32,
    /// When the token was replaced by a newer one, if it was.
    pub replaced_at: Option<DateTime<Utc>>,
    /// Generation of the session's newest token.
    pub newest: i32,
    /// When the session ends.
    pub expires_at: DateTime<Utc>,
    /// Whether the session was revoked.
    pub revoked: bool,
}

/// What the service does with a presented refresh token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefreshDecision {
    /// Issue a token of the next generation.
    Rotate,
    /// The response to the last rotation was lost: issue another token of the newest generation in its place.
    Reissue,
    /// An old token was used again, so another client has a copy of it: end the session.
    Reused,
    /// The session has ended.
    Ended,
}

/// Decides what a presented refresh token leads to.
pub fn decide(token: PresentedRefresh, now: DateTime<Utc>) -> RefreshDecision {
    if token.revoked || token.expires_at <= now {
        return RefreshDecision::Ended;
    }
    match token.replaced_at {
        None => RefreshDecision::Rotate,
        Some(at) if token.generation == token.newest - 1 && now - at <= REPLAY_GRACE => {
            RefreshDecision::Reissue
        }
        Some(_) => RefreshDecision::Reused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_rotated_or_reissued_and_reuse_ends_the_session() {
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let token = |generation, replaced: Option<i64>| PresentedRefresh {
            generation,
            replaced_at: replaced.map(|seconds| now - Duration::seconds(seconds)),
            newest: 7,
            expires_at: now + Duration::days(1),
            revoked: false,
        };
        assert_eq!(decide(token(7, None), now), RefreshDecision::Rotate);
        assert_eq!(decide(token(6, Some(30)), now), RefreshDecision::Reissue);
        assert_eq!(decide(token(6, Some(31)), now), RefreshDecision::Reused);
        assert_eq!(decide(token(5, Some(1)), now), RefreshDecision::Reused);
        assert_eq!(
            decide(token(SUPERSEDED, Some(1)), now),
            RefreshDecision::Reused,
            "superseded by a reissue"
        );
        assert_eq!(
            decide(PresentedRefresh { revoked: true, ..token(7, None) }, now),
            RefreshDecision::Ended
        );
        assert_eq!(
            decide(PresentedRefresh { expires_at: now, ..token(7, None) }, now),
            RefreshDecision::Ended
        );
    }
}
