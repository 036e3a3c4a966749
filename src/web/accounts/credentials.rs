//! Names and new passwords of accounts, with each fault beside its field.

use super::words as account_words;
use crate::domain::accounts::password::Password;
use crate::domain::text::{AccountName, TextError};
use crate::web::forms::Faults;

/// A name and a new password as they were typed.
pub(super) struct TypedCredentials<'a> {
    pub(super) name: &'a str,
    pub(super) password: &'a str,
    /// The `id` of the password's field; that of the name is `name`.
    pub(super) field: &'static str,
    /// Reads the name: of a new account, or of one that exists.
    pub(super) read_name: fn(&str) -> Result<AccountName, TextError>,
}

impl TypedCredentials<'_> {
    /// Reads the name and the password, or returns the faults of both.
    pub(super) fn read(&self) -> Result<(AccountName, Password), Faults> {
        let mut faults = Faults::none();
        let name = (self.read_name)(self.name)
            .map_err(|error| faults.add("name", account_words::name_fault(&error)));
        let password = Password::new(self.password.to_owned(), self.name)
            .map_err(|error| faults.add(self.field, account_words::password_fault(error)));
        match (name, password) {
            (Ok(name), Ok(password)) => Ok((name, password)),
            _ => Err(faults),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_name_and_password_are_beside_their_fields() {
        let read_name = AccountName::parse_new;
        let (name, field) = ("..", "new_password");
        let typed = TypedCredentials { name, password: "short", field, read_name };
        let faults = typed.read().err().unwrap();
        assert_eq!(faults.of("name"), Some("A name has 3 to 32 characters. This has 2."));
        assert_eq!(faults.of("new_password"), Some("A password has 10 to 128 characters."));
        let (name, field) = ("ada", "password");
        let typed = TypedCredentials { name, password: "tram window", field, read_name };
        assert!(typed.read().is_ok());
    }
}
