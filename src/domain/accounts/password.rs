//! Rules for passwords. Hashing is in `auth`.

use cardscape_engine::name_key;
use thiserror::Error;
use zeroize::Zeroizing;

/// The passwords that attackers try first, in lower case, sorted.
const COMMON: &str = include_str!("common_passwords.txt");

/// A password as typed, kept out of logs and wiped from memory when dropped.
pub struct Password(Zeroizing<String>);

/// Why a new password is refused.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum PasswordError {
    /// The length is wrong. NIST SP 800-63B requires a minimum length and no other composition rule.
    #[error("must be 10 to 128 characters long")]
    Length,
    /// The password is one of those that attackers try first.
    #[error("is too easy to guess")]
    Common,
    /// The password contains the account's name. Attackers try names with additions before and after.
    #[error("must not contain the name of the account")]
    Name,
    /// The new password is the current one, which others may know: an operator has set it, or it was stolen.
    #[error("must differ from the current one")]
    Current,
}

impl Password {
    /// A password to check against a stored hash. No rule is checked, because only the hash decides.
    pub fn presented(raw: String) -> Self {
        Self(Zeroizing::new(raw))
    }

    /// Parses a new password: 10 to 128 characters, not a common one, without the account's name.
    pub fn new(raw: String, account_name: &str) -> Result<Self, PasswordError> {
        let password = Self::presented(raw);
        let folded = password.0.to_lowercase();
        if !(10..=128).contains(&password.0.chars().count()) {
            return Err(PasswordError::Length);
        }
        let mut characters = folded.chars();
        let first = characters.next();
        let one_symbol = characters.all(|c| Some(c) == first);
        if one_symbol || COMMON.lines().any(|c| c == folded) {
            return Err(PasswordError::Common);
        }
        if password.contains_name(account_name) {
            return Err(PasswordError::Name);
        }
        Ok(password)
    }

    /// Like [`Self::new`], for an account that changes its password: the new one must not be `current`.
    pub fn replacing(
        current: &str,
        raw: String,
        account_name: &str,
    ) -> Result<Self, PasswordError> {
        let is_current = raw == current;
        let password = Self::new(raw, account_name)?;
        if is_current { Err(PasswordError::Current) } else { Ok(password) }
    }

    /// Whether the password contains a name; case, width, spaces and punctuation are ignored. A name of four or more characters must not occur anywhere.
    /// Three characters occur in many words by chance, so they must not begin or end the password or be a word of it. A shorter name must only not be the
    /// whole password.
    fn contains_name(&self, name: &str) -> bool {
        let key = name_key(name);
        let folded = Zeroizing::new(name_key(&self.0));
        match key.chars().count() {
            0..=2 => *folded == key,
            3 => {
                let mut words = self.0.split(|c: char| !c.is_alphanumeric());
                folded.starts_with(&key)
                    || folded.ends_with(&key)
                    || words.any(|word| *Zeroizing::new(name_key(word)) == key)
            }
            _ => folded.contains(&key),
        }
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
        assert_eq!(check("ADA.LOVELACE"), Err(PasswordError::Name));
        assert_eq!(check("tram window sonnet"), Ok(()));
    }

    #[test]
    fn a_change_refuses_the_current_password() {
        let change = |current: &str, raw: &str| {
            Password::replacing(current, raw.to_owned(), "Ada.Lovelace").map(|_| ())
        };
        assert_eq!(change("tram window sonnet", "tram window sonnet"), Err(PasswordError::Current));
        assert_eq!(change("short", "short"), Err(PasswordError::Length));
        assert_eq!(change("tram window sonnet", "tram window sonnet 2"), Ok(()));
    }

    #[test]
    fn refuses_the_name_in_any_spelling() {
        let refused = |raw: &str, name: &str| match Password::new(raw.to_owned(), name) {
            Ok(_) => false,
            Err(PasswordError::Name) => true,
            Err(other) => panic!("{raw}: {other}"),
        };
        for raw in ["xx adalovelace xx", "Ada-Love Lace 99", "2026 ＡＤＡ.ＬＯＶＥＬＡＣＥ"]
        {
            assert!(refused(raw, "Ada Lovelace"), "{raw}");
        }
        for raw in ["ada 1234567", "1234567 ADA", "tram ada window", "ada1234567"] {
            assert!(refused(raw, "Ada"), "{raw}");
        }
        for raw in ["tram in canada 7", "adorable days", "window sonnet"] {
            assert!(!refused(raw, "Ada"), "{raw}: three letters are in many words");
        }
        assert!(!refused("tram window sonnet", "a.m"), "two letters say nothing");
    }
}
