//! Passwords: what may be one. Hashing is `auth`'s.

use thiserror::Error;
use zeroize::Zeroizing;

/// The passwords that guessers try first, folded to lower case; sorted.
const COMMON: &str = include_str!("common_passwords.txt");

/// A password as typed, kept out of logs and wiped from memory when dropped.
pub struct Password(Zeroizing<String>);

/// Why a new password is refused.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum PasswordError {
    /// NIST SP 800-63B asks for a minimum and for no other composition rule.
    #[error("must be 10 to 128 characters long")]
    Length,
    /// Among the passwords that guessers try first, or made of the account's own name.
    #[error("is too easy to guess")]
    Common,
}

impl Password {
    /// Takes a password to be checked against a stored hash. Nothing is refused here: the hash decides.
    pub fn presented(raw: String) -> Self {
        Self(Zeroizing::new(raw))
    }

    /// Parses a new password: 10 to 128 characters, not a common one, not the account's name.
    pub fn new(raw: String, account_name: &str) -> Result<Self, PasswordError> {
        let password = Self::presented(raw);
        let folded = password.0.to_lowercase();
        if !(10..=128).contains(&password.0.chars().count()) {
            return Err(PasswordError::Length);
        }
        let mut characters = folded.chars();
        let first = characters.next();
        let one_symbol = characters.all(|c| Some(c) == first);
        if one_symbol
            || folded == account_name.to_lowercase()
            || COMMON.lines().any(|c| c == folded)
        {
            return Err(PasswordError::Common);
        }
        Ok(password)
    }

    /// The bytes to hash.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl std::fmt::Debug for Password {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Password(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_short_long_common_and_own_name() {
        let check = |raw: &str| Password::new(raw.to_owned(), "Ada.Lovelace").map(|_| ());
        assert_eq!(check("ninechars"), Err(PasswordError::Length));
        assert_eq!(check(&"x".repeat(129)), Err(PasswordError::Length));
        assert_eq!(check("Password123"), Err(PasswordError::Common));
        assert_eq!(check("aaaaaaaaaaaa"), Err(PasswordError::Common));
        assert_eq!(check("ADA.LOVELACE"), Err(PasswordError::Common));
        assert_eq!(check("tram window sonnet"), Ok(()));
    }
}
