//! Webhooks: kinds of events, when a delivery is repeated, and when a webhook is disabled.

use chrono::{DateTime, Duration, Utc};

/// The kinds of events that a webhook can receive.
pub const EVENT_KINDS: [&str; 15] = [
    "game.changed",
    "set.changed",
    "card.added",
    "card.changed",
    "card.unlocked",
    "card.moved",
    "card.merged",
    "design.shared",
    "design.changed",
    "design.approved",
    "design.official",
    "design.withdrawn",
    "deck.published",
    "deck.changed",
    "deck.withdrawn",
];

/// The kind of a test delivery, which an admin requests.
pub const PING: &str = "ping";

/// Most webhooks.
pub const MAX_WEBHOOKS: i64 = 20;

/// Most attempts at one delivery: the last is about three days after the first.
pub const MAX_ATTEMPTS: i32 = 13;

/// Length of the lease of a webhook, which is renewed with each delivery. The lease of a killed instance ends after this time. It is much
/// longer than an attempt takes, because the clocks of instances may differ.
pub const LEASE: Duration = Duration::seconds(60);

/// Longest time for which the previous secret stays valid.
pub const MAX_OVERLAP_HOURS: u16 = 168;
/// Default time for which the previous secret stays valid.
pub const OVERLAP_HOURS: u16 = 24;

/// A webhook is disabled when all attempts have failed for this time.
const DISABLE_AFTER: Duration = Duration::days(3);
/// After this time without an attempt, a failure begins a new streak.
const STREAK_GAP: Duration = Duration::days(1);
/// Longest wait that a receiver can request.
const MAX_RETRY_AFTER: Duration = Duration::hours(1);

/// Why an attempt failed. It contains no part of the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The URL can no longer be used.
    Url,
    /// The name has no address.
    Name,
    /// The name has an address to which webhooks must not post.
    Address,
    /// The connection failed.
    Connection,
    /// TLS failed, for example because the certificate does not match.
    Tls,
    /// There was no response in time.
    Timeout,
    /// The response was not HTTP.
    Protocol,
    /// A redirect, which is not followed.
    Redirect,
    /// The status was not 2xx.
    Status,
    /// The status was 410: the receiver wants no more deliveries.
    Gone,
    /// The webhook was disabled before the attempt.
    Disabled,
    /// The event was deleted because of its age.
    Expired,
    /// The stored event cannot be read or serialised. No attempt was made, and a repetition would fail as well.
    Unreadable,
}

impl Failure {
    /// All failures.
    pub const ALL: [Self; 13] = [
        Self::Url,
        Self::Name,
        Self::Address,
        Self::Connection,
        Self::Tls,
        Self::Timeout,
        Self::Protocol,
        Self::Redirect,
        Self::Status,
        Self::Gone,
        Self::Disabled,
        Self::Expired,
        Self::Unreadable,
    ];

    /// The word on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Url => "url",
            Self::Name => "name",
            Self::Address => "address",
            Self::Connection => "connection",
            Self::Tls => "tls",
            Self::Timeout => "timeout",
            Self::Protocol => "protocol",
            Self::Redirect => "redirect",
            Self::Status => "status",
            Self::Gone => "gone",
            Self::Disabled => "disabled",
            Self::Expired => "expired",
            Self::Unreadable => "unreadable",
        }
    }

    /// The failure with that word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|failure| failure.as_str() == word)
    }
}

/// Why a webhook is disabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisabledReason {
    /// An admin disabled it.
    Admin,
    /// The receiver answered 410.
    Gone,
    /// All attempts failed for three days.
    Failing,
}

impl DisabledReason {
    /// The word on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Gone => "gone",
            Self::Failing => "failing",
        }
    }

    /// The reason with that word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Admin, Self::Gone, Self::Failing].into_iter().find(|reason| reason.as_str() == word)
    }
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The status of the response, if there was one.
    pub status: Option<u16>,
    /// Why the attempt failed; `None`: it succeeded.
    pub failure: Option<Failure>,
    /// How long to wait, as the receiver requested.
    pub retry_after: Option<Duration>,
}

/// Failed attempts of a webhook since its last success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailureStreak {
    /// How many attempts, at least 1.
    pub failures: i32,
    /// The first of them.
    pub since: DateTime<Utc>,
    /// The last of them.
    pub last: DateTime<Utc>,
}

impl FailureStreak {
    /// The streak after one more failure.
    pub fn after(before: Option<Self>, now: DateTime<Utc>) -> Self {
        match before.filter(|streak| now - streak.last <= STREAK_GAP) {
            Some(streak) => {
                Self { failures: streak.failures.saturating_add(1), since: streak.since, last: now }
            }
            None => Self { failures: 1, since: now, last: now },
        }
    }

    /// Whether the webhook must be disabled.
    pub fn is_too_long(&self) -> bool {
        self.last - self.since >= DISABLE_AFTER
    }

    /// How long all deliveries of the webhook pause. There is no pause after one failure, which may concern only one delivery; after two, the pause is 5 s, and
    /// it doubles with each further failure, up to five minutes. It is longer if the receiver requests it, up to an hour.
    pub fn pause(&self, requested: Option<Duration>) -> Duration {
        let pause = match self.failures {
            ..=1 => Duration::zero(),
            failures => doubled(5, failures - 2).min(Duration::minutes(5)),
        };
        pause.max(requested.unwrap_or_default().min(MAX_RETRY_AFTER))
    }
}

/// How long a delivery waits after this number of attempts (at least 1): 10 s, and four times as long after each further attempt, up to twelve hours. `dice`
/// (0 to 255) adds up to a fifth, so that deliveries that failed together are not repeated together. `None`: the delivery is given up.
pub fn wait_after(attempts: i32, kind: &str, dice: u8) -> Option<Duration> {
    if attempts >= MAX_ATTEMPTS || kind == PING {
        return None;
    }
    let wait = doubled(10, (attempts - 1) * 2).min(Duration::hours(12));
    Some(wait + wait * i32::from(dice) / (5 * 255))
}

/// `seconds`, doubled `times` times.
fn doubled(seconds: i64, times: i32) -> Duration {
    Duration::seconds(seconds << times.clamp(0, 30))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delivery_is_tried_for_three_days() {
        let waits: Vec<Duration> =
            (1..).map_while(|attempts| wait_after(attempts, "card.unlocked", 0)).collect();
        assert_eq!(waits.len() + 1, usize::try_from(MAX_ATTEMPTS).unwrap());
        assert_eq!(waits[..3], [10, 40, 160].map(Duration::seconds));
        assert_eq!(waits.last(), Some(&Duration::hours(12)));
        let whole: Duration = waits.iter().sum();
        assert!(whole > DISABLE_AFTER && whole < DISABLE_AFTER + Duration::hours(12), "{whole}");
        assert!(waits.iter().all(|wait| *wait < STREAK_GAP), "all attempts are in one streak");
        assert_eq!(wait_after(1, PING, 0), None, "a ping is tried once");
    }

    #[test]
    fn the_random_part_adds_at_most_a_fifth() {
        assert_eq!(wait_after(1, "card.added", 255), Some(Duration::seconds(12)));
        assert!(wait_after(1, "card.added", 100) > wait_after(1, "card.added", 99));
    }

    #[test]
    fn one_failure_causes_no_pause_and_more_failures_cause_longer_pauses() {
        let now = DateTime::UNIX_EPOCH;
        let streak = |failures| FailureStreak { failures, since: now, last: now };
        assert_eq!(streak(1).pause(None), Duration::zero());
        assert_eq!(streak(2).pause(None), Duration::seconds(5));
        assert_eq!(streak(3).pause(None), Duration::seconds(10));
        assert_eq!(streak(1_000_000).pause(None), Duration::minutes(5));
        assert_eq!(streak(1).pause(Some(Duration::seconds(30))), Duration::seconds(30));
        assert_eq!(streak(1).pause(Some(Duration::days(30))), Duration::hours(1));
    }

    #[test]
    fn a_streak_of_three_days_disables_and_an_old_failure_does_not_count() {
        let hours = |hours| DateTime::UNIX_EPOCH + Duration::hours(hours);
        let mut streak = FailureStreak::after(None, hours(0));
        for hour in [20, 40, 60] {
            streak = FailureStreak::after(Some(streak), hours(hour));
            assert!(!streak.is_too_long());
        }
        assert_eq!(streak.failures, 4);
        assert!(FailureStreak::after(Some(streak), hours(72)).is_too_long());
        assert_eq!(FailureStreak::after(Some(streak), hours(90)).since, hours(90));
    }
}
