//! HMAC-SHA256 for `jsonwebtoken`, from the crates `hmac` and `sha2` that the rest of the service uses. The library's
//! own providers include RSA (RUSTSEC-2023-0071) and elliptic curves, which are not needed here.

use std::sync::Once;

use hmac::{Hmac, KeyInit as _, Mac as _};
use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, EncodingKey};
use sha2::Sha256;
use signature::{Error as SignatureError, Signer, Verifier};

/// A key for signing and verifying. It is wiped when dropped, as the library wipes its own copy.
struct Hs256(Hmac<Sha256>);

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |algorithm, key: &EncodingKey| {
        Ok(Box::new(Hs256::new(*algorithm, key.family(), key.as_bytes())?))
    },
    verifier_factory: |algorithm, key: &DecodingKey| {
        Ok(Box::new(Hs256::new(*algorithm, key.family(), key.try_get_as_bytes()?)?))
    },
    key_utils: KeyUtils::new_unimplemented(),
};

/// Installs this provider for the process. Must be called before tokens are signed or verified; the library panics
/// without a provider.
pub(super) fn install() {
    static INSTALLED: Once = Once::new();
    // An error means that a provider is installed already: that one is used.
    INSTALLED.call_once(|| {
        let _ = PROVIDER.install_default();
    });
}

impl Hs256 {
    fn new(algorithm: Algorithm, family: AlgorithmFamily, key: &[u8]) -> Result<Self> {
        if algorithm != Algorithm::HS256 || family != AlgorithmFamily::Hmac {
            return Err(ErrorKind::InvalidAlgorithm.into());
        }
        Ok(Self(Hmac::new_from_slice(key).map_err(|_| ErrorKind::InvalidKeyFormat)?))
    }
}

impl Signer<Vec<u8>> for Hs256 {
    fn try_sign(&self, message: &[u8]) -> std::result::Result<Vec<u8>, SignatureError> {
        Ok(self.0.clone().chain_update(message).finalize().into_bytes().to_vec())
    }
}

impl Verifier<Vec<u8>> for Hs256 {
    /// Compares in constant time.
    fn verify(
        &self,
        message: &[u8],
        signature: &Vec<u8>,
    ) -> std::result::Result<(), SignatureError> {
        let mac = self.0.clone().chain_update(message);
        mac.verify_slice(signature).map_err(|_| SignatureError::new())
    }
}

impl JwtSigner for Hs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

impl JwtVerifier for Hs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 7515, appendix A.1.
    #[test]
    fn signatures_match_the_example_of_rfc_7515() {
        install();
        let key = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow";
        let message = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\
                       eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
        let expected = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        let sign = EncodingKey::from_urlsafe_base64_secret(&format!("{key}==")).unwrap();
        let signed =
            jsonwebtoken::crypto::sign(message.as_bytes(), &sign, Algorithm::HS256).unwrap();
        assert_eq!(signed, expected);
        let check = DecodingKey::from_secret(sign.as_bytes());
        let verify = |signature: &str, algorithm| {
            jsonwebtoken::crypto::verify(signature, message.as_bytes(), &check, algorithm)
        };
        assert!(verify(expected, Algorithm::HS256).unwrap());
        assert!(!verify("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXo", Algorithm::HS256).unwrap());
        assert!(!verify("", Algorithm::HS256).unwrap());
        for other in [Algorithm::HS512, Algorithm::RS256, Algorithm::ES256, Algorithm::EdDSA] {
            assert!(verify(expected, other).is_err(), "{other:?}");
        }
    }
}
