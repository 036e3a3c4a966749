//! Credentials that were checked within the last moments.

use crate::auth::secret::TokenHash;
use crate::domain::ids::SessionId;

/// A credential as the identity cache knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CredentialKey {
    /// A session, named by a checked access token.
    Session(SessionId),
    /// A personal access token.
    Token(TokenHash),
    /// The cookie of a browser.
    Browser(TokenHash),
}
