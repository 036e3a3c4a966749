//! Recently checked credentials.

use crate::auth::secret::TokenHash;
use crate::domain::ids::SessionId;

/// The key of a credential in the identity cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CredentialKey {
    /// A session, from a verified access token.
    Session(SessionId),
    /// A personal access token.
    Token(TokenHash),
    /// The cookie of a browser.
    Browser(TokenHash),
}
