//! Limits on attempts at secrets (log-in, second factors, serial codes, recovery codes) and on registrations.
//!
//! A limit counts in fixed windows, in the database, shared by all instances. A unit is reserved before the secret is checked
//! and returned on success, so that parallel guesses cannot exceed the limit and honest use costs nothing.
//!
//! A scope that counts by network also counts by the wider networks that contain it ([`crate::domain::network::Network::counted`]).

use chrono::{DateTime, Duration, Utc};

use crate::domain::clock::seconds_until;

/// What is limited, and by which keys it is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttemptScope {
    /// Wrong passwords for one account from one network.
    LoginAccountNetwork,
    /// Wrong passwords from one network, regardless of the account.
    LoginNetwork,
    /// Wrong passwords for one account from networks that never logged in to it. Known networks are not counted here, so
    /// an attacker cannot lock the owner out.
    LoginAccountStrangers,
    /// Wrong passwords of a logged-in caller who must enter the password again, counted by session. They are not counted by account, because a
    /// stolen session would use up its owner's attempts.
    PasswordSession,
    /// Wrong codes of one account's second factor from one network.
    SecondFactorAccountNetwork,
    /// Wrong codes of second factors from one network, regardless of the account.
    SecondFactorNetwork,
    /// Wrong codes of one account's second factor from networks that never logged in with it. Known networks are not counted here, so an
    /// attacker who has the password cannot lock the owner out of these networks. At any moment, three of a million codes are right.
    SecondFactorAccountStrangers,
    /// Rejected serials of one account.
    SerialAccount,
    /// Rejected serials from one network.
    SerialNetwork,
    /// Rejected serials of all accounts together. This count is not a limit, but triggers an alarm.
    SerialEverybody,
    /// Accounts registered from one network. A unit is returned only if the registration failed before it was decided.
    RegisterNetwork,
    /// Wrong recovery codes from one network.
    RecoverNetwork,
}

/// At most `limit` units in each `window`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttemptLimit {
    /// Units in one window.
    pub limit: u32,
    /// Length of a window.
    pub window: Duration,
}

/// The limits in force. The configuration can multiply all of them, for events with a thousand players behind one address
/// and for load tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttemptLimits {
    factor: u32,
}

impl Default for AttemptLimits {
    fn default() -> Self {
        Self { factor: 1 }
    }
}

impl AttemptLimits {
    /// The default limits, each times `factor` (at least 1).
    pub fn scaled(factor: u32) -> Self {
        Self { factor: factor.max(1) }
    }

    /// The limit of one scope.
    pub fn of(self, scope: AttemptScope) -> AttemptLimit {
        use AttemptScope as S;
        let (limit, window): (u32, _) = match scope {
            S::LoginAccountNetwork => (10, Duration::minutes(15)),
            S::LoginNetwork => (100, Duration::minutes(15)),
            S::LoginAccountStrangers => (100, Duration::hours(1)),
            S::PasswordSession => (10, Duration::hours(1)),
            S::SecondFactorAccountNetwork => (10, Duration::hours(1)),
            S::SecondFactorNetwork => (100, Duration::hours(1)),
            S::SecondFactorAccountStrangers => (20, Duration::days(1)),
            S::SerialAccount => (20, Duration::days(1)),
            S::SerialNetwork => (100, Duration::hours(1)),
            S::SerialEverybody => (1_000, Duration::hours(1)),
            S::RegisterNetwork => (30, Duration::hours(1)),
            S::RecoverNetwork => (10, Duration::hours(1)),
        };
        AttemptLimit { limit: limit.saturating_mul(self.factor), window }
    }
}

impl AttemptScope {
    /// Whether it counts by network, with or without the account.
    pub fn is_by_network(self) -> bool {
        match self {
            Self::LoginAccountNetwork
            | Self::LoginNetwork
            | Self::SecondFactorAccountNetwork
            | Self::SecondFactorNetwork
            | Self::SerialNetwork
            | Self::RegisterNetwork
            | Self::RecoverNetwork => true,
            Self::LoginAccountStrangers
            | Self::PasswordSession
            | Self::SecondFactorAccountStrangers
            | Self::SerialAccount
            | Self::SerialEverybody => false,
        }
    }

    /// Whether a unit is returned if the attempt was right. Otherwise it is used from the beginning.
    pub fn is_returned(self) -> bool {
        !matches!(self, Self::RegisterNetwork | Self::SerialEverybody)
    }

    /// The name in the database and in metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::LoginAccountNetwork => "login_account_network",
            Self::LoginNetwork => "login_network",
            Self::LoginAccountStrangers => "login_account_strangers",
            Self::PasswordSession => "password_session",
            Self::SecondFactorAccountNetwork => "second_factor_account_network",
            Self::SecondFactorNetwork => "second_factor_network",
            Self::SecondFactorAccountStrangers => "second_factor_account_strangers",
            Self::SerialAccount => "serial_account",
            Self::SerialNetwork => "serial_network",
            Self::SerialEverybody => "rejected_serials",
            Self::RegisterNetwork => "register_network",
            Self::RecoverNetwork => "recover_network",
        }
    }
}

impl AttemptLimit {
    /// The limit multiplied by `factor`.
    #[must_use]
    pub fn times(self, factor: u32) -> Self {
        Self { limit: self.limit.saturating_mul(factor), ..self }
    }

    /// The start of the window that contains `now`.
    pub fn window_start(self, now: DateTime<Utc>) -> DateTime<Utc> {
        let length = self.window.num_seconds().max(1);
        let start = now.timestamp().div_euclid(length) * length;
        DateTime::from_timestamp(start, 0).unwrap_or(now)
    }

    /// Seconds until the end of the window that contains `now`, at least 1.
    pub fn retry_after(self, now: DateTime<Utc>) -> u32 {
        seconds_until(self.window_start(now) + self.window, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_window_has_begun_after_the_seconds_to_wait() {
        let limit = AttemptLimits::default().of(AttemptScope::LoginAccountNetwork);
        let now: DateTime<Utc> = "2026-11-21T20:00:00.4Z".parse().unwrap();
        let later = now + Duration::seconds(limit.retry_after(now).into());
        assert_eq!(limit.retry_after(now), 900);
        assert_eq!(limit.window_start(later), limit.window_start(now) + limit.window);
    }
}
