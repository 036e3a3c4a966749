//! Secrets that the service must read again, so that they cannot be hashed: encrypted with XChaCha20-Poly1305 under a key of the key ring.

use chacha20poly1305::aead::{Aead as _, Payload};
use chacha20poly1305::{KeyInit as _, XChaCha20Poly1305, XNonce};
use thiserror::Error;
use zeroize::Zeroizing;

use super::keys::{Key, KeyRing};
use super::secret::random;
use crate::domain::ids::AccountId;

const NONCE: usize = 24;

/// An encrypted secret of an account, as the database stores it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// Name of the key.
    pub key_id: String,
    /// Nonce, ciphertext and tag.
    pub bytes: Vec<u8>,
}

/// Why a sealed secret cannot be decrypted.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum OpenError {
    /// The key file does not have the key.
    #[error("a secret is encrypted under the key {0:?}, which is not in the key file")]
    UnknownKey(String),
    /// The data was changed, or was sealed for another account.
    #[error("an encrypted secret is damaged, or belongs to another account")]
    Damaged,
}

/// Encrypts the secret of an account under the first key. The account's id is authenticated with the secret, so a sealed secret that is copied
/// into another account's row cannot be opened.
pub fn seal(keys: &KeyRing, owner: AccountId, secret: &[u8]) -> Sealed {
    let key = keys.sealing();
    let nonce = random::<NONCE>();
    let payload = Payload { msg: secret, aad: owner.0.as_bytes() };
    #[allow(clippy::expect_used, reason = "fails for messages of more than 256 GiB only")]
    let ciphertext = cipher(key).encrypt(&XNonce::from(nonce), payload).expect("a short secret");
    Sealed { key_id: key.id().to_owned(), bytes: [&nonce[..], &ciphertext].concat() }
}

/// Decrypts the secret of an account.
pub fn open(
    keys: &KeyRing,
    owner: AccountId,
    sealed: &Sealed,
) -> Result<Zeroizing<Vec<u8>>, OpenError> {
    let key =
        keys.opening(&sealed.key_id).ok_or_else(|| OpenError::UnknownKey(sealed.key_id.clone()))?;
    let (nonce, ciphertext) =
        sealed.bytes.split_first_chunk::<NONCE>().ok_or(OpenError::Damaged)?;
    let payload = Payload { msg: ciphertext, aad: owner.0.as_bytes() };
    let secret =
        cipher(key).decrypt(&XNonce::from(*nonce), payload).map_err(|_| OpenError::Damaged)?;
    Ok(Zeroizing::new(secret))
}

/// The encryption key is derived from the key of the ring, because that key may also be used for other purposes.
fn cipher(key: &Key) -> XChaCha20Poly1305 {
    let derived = Zeroizing::new(key.keyed_hash("seal", &[]));
    XChaCha20Poly1305::new((&*derived).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::keys::tests::ring;

    const OLD: &str = r#"{ "access_tokens": [KEY], "serials": [KEY], "lookups": KEY }"#;

    #[test]
    fn a_sealed_secret_can_be_opened_only_for_its_account() {
        let keys = ring(OLD);
        let (ada, eve) = (AccountId::generate(), AccountId::generate());
        let sealed = seal(&keys, ada, b"twenty secret bytes!");
        assert_eq!(sealed.bytes.len(), 60);
        assert!(!sealed.bytes.windows(6).any(|window| window == b"secret"));
        assert_eq!(&**open(&keys, ada, &sealed).unwrap(), b"twenty secret bytes!");
        assert_eq!(open(&keys, eve, &sealed).unwrap_err(), OpenError::Damaged);
        for place in [0, 24, 59] {
            let mut damaged = sealed.clone();
            damaged.bytes[place] ^= 1;
            assert_eq!(open(&keys, ada, &damaged).unwrap_err(), OpenError::Damaged, "{place}");
        }
        for length in [0, 23, 24, 39] {
            let short = Sealed { bytes: sealed.bytes[..length].to_vec(), ..sealed.clone() };
            assert_eq!(open(&keys, ada, &short).unwrap_err(), OpenError::Damaged, "{length}");
        }
        assert_ne!(seal(&keys, ada, b"twenty secret bytes!"), sealed, "another nonce");
    }

    /// A key is replaced by adding a new one before it, as with the other keys of the file. A key file without such keys is valid.
    #[test]
    fn keys_can_be_changed() {
        let ada = AccountId::generate();
        let with = |sealing: &str| {
            ring(&OLD.replacen('{', &format!(r#"{{ "second_factors": [{sealing}],"#), 1))
        };
        let (first, second) = (
            r#"{ "id": "s1", "secret": "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=" }"#,
            r#"{ "id": "s2", "secret": "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=" }"#,
        );
        let sealed_by_none = seal(&ring(OLD), ada, b"zero");
        let sealed_by_first = seal(&with(first), ada, b"one");
        assert_eq!(sealed_by_first.key_id, "s1");
        let both = with(&format!("{second}, {first}"));
        assert_eq!(&**open(&both, ada, &sealed_by_none).unwrap(), b"zero");
        assert_eq!(&**open(&both, ada, &sealed_by_first).unwrap(), b"one");
        assert_eq!(seal(&both, ada, b"two").key_id, "s2");
        let unknown = OpenError::UnknownKey("s1".to_owned());
        assert_eq!(open(&with(second), ada, &sealed_by_first).unwrap_err(), unknown);
    }
}
