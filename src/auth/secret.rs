//! Opaque tokens: random text that is shown to its owner once; the database stores only its SHA-256.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::domain::crockford;

/// `N` bytes from the operating system's generator.
///
/// # Panics
/// When the operating system's generator fails: the service cannot continue safely.
pub fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    #[allow(clippy::expect_used, reason = "no safe way on without randomness")]
    getrandom::fill(&mut bytes).expect("the operating system's random generator works");
    bytes
}

/// The kind of an opaque token. Its prefix lets people and secret scanners recognise the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A refresh token, which renews a session once.
    Refresh,
    /// A personal access token, for scripts.
    PersonalAccess,
    /// The cookie of a logged-in browser; it stays the same until the session ends.
    Browser,
}

impl TokenKind {
    const ALL: [Self; 3] = [Self::Refresh, Self::PersonalAccess, Self::Browser];

    fn prefix(self) -> &'static str {
        match self {
            Self::Refresh => "csr_",
            Self::PersonalAccess => "csp_",
            Self::Browser => "csb_",
        }
    }
}

/// The beginning of every access token: `{"` in Base64.
const ACCESS_TOKEN_START: &str = "eyJ";

/// Whether a text contains what may be a token of this service, whole or its beginning: the prefix of an opaque token, or the beginning of an access token.
///
/// ```
/// use cardscape::auth::secret::contains_token;
/// assert!(contains_token("/v1/tokens/csp_Zk3vQOwmP3r8"));
/// assert!(contains_token("/v1/sessions/eyJhbGciOiJIUzI1NiJ9"));
/// assert!(!contains_token("/v1/tokens/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11"));
/// ```
pub fn contains_token(text: &str) -> bool {
    let ends_prefix =
        |at: usize| TokenKind::ALL.iter().any(|kind| text[..=at].ends_with(kind.prefix()));
    text.match_indices('_').any(|(at, _)| ends_prefix(at)) || text.contains(ACCESS_TOKEN_START)
}

/// A plain opaque token of 256 random bits: shown to its owner once, never stored.
pub struct OpaqueToken(Zeroizing<String>);

/// SHA-256 of an opaque token, which is stored instead of the token. The token has 256 random bits, so no slow hash is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TokenHash(pub [u8; 32]);

impl OpaqueToken {
    /// A new token.
    pub fn generate(kind: TokenKind) -> Self {
        Self(Zeroizing::new(format!("{}{}", kind.prefix(), BASE64URL.encode(random::<32>()))))
    }

    /// Parses the text that a client presented; `None`: it does not have the form of `kind`.
    pub fn presented(kind: TokenKind, text: &str) -> Option<Self> {
        let body = text.strip_prefix(kind.prefix())?;
        (body.len() == 43 && BASE64URL.decode(body).is_ok())
            .then(|| Self(Zeroizing::new(text.to_owned())))
    }

    /// The hash to store.
    pub fn hash(&self) -> TokenHash {
        TokenHash(Sha256::digest(self.0.as_bytes()).into())
    }

    /// The plain text, to be shown once.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

/// A recovery code, of the password or of the second factor: 16 symbols of Crockford Base32 (80 random bits) in four groups.
pub struct RecoveryCode(Zeroizing<String>);

impl RecoveryCode {
    /// Number of codes of one account.
    pub const COUNT: usize = 8;

    /// All new codes of an account, and their hashes to store.
    pub fn generate_all() -> (Vec<Self>, Vec<TokenHash>) {
        let codes: Vec<Self> = (0..Self::COUNT).map(|_| Self::generate()).collect();
        let hashes = codes.iter().map(Self::hash).collect();
        (codes, hashes)
    }

    /// A new code.
    pub fn generate() -> Self {
        let symbols = random::<16>().map(crockford::symbol);
        let groups: Vec<String> = symbols.chunks(4).map(|group| group.iter().collect()).collect();
        Self(Zeroizing::new(groups.join("-")))
    }

    /// Parses the typed text: case, spaces and hyphens are ignored, O is read as 0, I and L as 1.
    pub fn presented(text: &str) -> Self {
        let symbols: Vec<char> = text
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(crockford::normalise)
            .take(64)
            .collect();
        let groups: Vec<String> = symbols.chunks(4).map(|group| group.iter().collect()).collect();
        Self(Zeroizing::new(groups.join("-")))
    }

    /// The hash to store.
    pub fn hash(&self) -> TokenHash {
        TokenHash(Sha256::digest(self.0.as_bytes()).into())
    }

    /// The plain text, to be shown once.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refresh_token_is_not_a_personal_access_token() {
        let token = OpaqueToken::generate(TokenKind::Refresh);
        assert!(OpaqueToken::presented(TokenKind::Refresh, token.reveal()).is_some());
        assert!(OpaqueToken::presented(TokenKind::PersonalAccess, token.reveal()).is_none());
        assert!(OpaqueToken::presented(TokenKind::Refresh, "csr_short").is_none());
    }

    #[test]
    fn a_token_of_each_kind_is_found_in_a_text() {
        for kind in TokenKind::ALL {
            let token = OpaqueToken::generate(kind);
            assert!(contains_token(token.reveal()), "{kind:?}");
            assert!(contains_token(&format!("/v1/tokens/é{}", &token.reveal()[..9])), "{kind:?}");
        }
        for text in ["", "_", "é_", "csp-", "/cards/ttcg/first_csx_set", "cs_p"] {
            assert!(!contains_token(text), "{text}");
        }
    }

    #[test]
    fn a_typed_recovery_code_is_recognised() {
        let code = RecoveryCode::generate();
        let typed = code.reveal().to_lowercase().replace('-', " ").replace('0', "o");
        assert!(RecoveryCode::presented(&typed).hash() == code.hash());
    }
}
