//! What a presented refresh token means: pure, so that every case can be read and tested.

use chrono::{DateTime, Duration, Utc};

/// How long a session lives without being refreshed.
pub const SESSION_LIFETIME: Duration = Duration::days(60);
/// How long the session of a browser is used before that is written down: pages are many, and the days of a session need no seconds.
pub const BROWSER_RENEWAL: Duration = Duration::hours(1);
/// How long the token before the newest one is honoured after its rotation: a reply may be lost on a train.
pub const REPLAY_GRACE: Duration = Duration::seconds(30);

/// Generation of a token that was replaced by another of the same generation: its reply was lost, nobody should have it.
pub const SUPERSEDED: i32 = 0;

/// What the database knows of a presented refresh token and its session.
#[derive(Clone, Copy, Debug)]
pub struct PresentedRefresh {
    /// Generation of the token.
    pub generation: i32,
    /// When it was replaced by a newer one, if it was.
    pub replaced_at: Option<DateTime<Utc>>,
    /// Generation of the session's newest token.
    pub newest: i32,
    /// When the session ends.
    pub expires_at: DateTime<Utc>,
    /// Whether the session was ended before.
    pub revoked: bool,
}

/// What to do with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefreshDecision {
    /// Issue a token of the next generation.
    Rotate,
    /// The answer to the last rotation was lost: issue another token of the newest generation in its place.
    Reissue,
    /// An old token came back: somebody has a copy. End the session.
    Reused,
    /// The session is over.
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
    fn rotates_reissues_and_notices_reuse() {
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
