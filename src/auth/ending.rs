//! Reasons why a credential ended, for clients whose stream was opened with it.

/// How a session or a personal access token ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CredentialEnd {
    /// The credential has expired.
    Expired,
    /// Its owner ended the session.
    LoggedOut,
    /// Its owner revoked the token, or it ended with the password or role under which it was made; or it no longer
    /// exists.
    Revoked,
    /// The password was changed.
    PasswordChanged,
    /// The password was set with a recovery code.
    Recovered,
    /// An old refresh token was used again.
    RefreshReused,
    RoleChanged,
    /// The account was banned.
    Banned,
    /// The password was set by somebody else, and must be changed first.
    PasswordChangeDue,
    /// A second factor was switched on, or removed by somebody else.
    SecondFactorChanged,
    /// The role requires a second factor, and the account has none.
    SecondFactorDue,
}

impl CredentialEnd {
    /// All values.
    pub const ALL: [Self; 11] = [
        Self::Expired,
        Self::LoggedOut,
        Self::Revoked,
        Self::PasswordChanged,
        Self::Recovered,
        Self::RefreshReused,
        Self::RoleChanged,
        Self::Banned,
        Self::PasswordChangeDue,
        Self::SecondFactorChanged,
        Self::SecondFactorDue,
    ];

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Expired => "expired",
            Self::LoggedOut => "logged_out",
            Self::Revoked => "revoked",
            Self::PasswordChanged => "password_changed",
            Self::Recovered => "recovered",
            Self::RefreshReused => "refresh_reused",
            Self::RoleChanged => "role_changed",
            Self::Banned => "banned",
            Self::PasswordChangeDue => "password_change_due",
            Self::SecondFactorChanged => "second_factor_changed",
            Self::SecondFactorDue => "second_factor_due",
        }
    }
}
