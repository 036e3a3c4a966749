//! The key ring: every secret with which the service signs or hashes, in one file outside the database.
//!
//! A JSON document of mode 0600. The first access-token key and the first serial key are used for new tokens and print
//! runs; the others stay valid for older ones.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use thiserror::Error;
use zeroize::Zeroizing;

use crate::domain::hex::hex;
use crate::domain::serials::serial::SerialCode;

/// 32 secret bytes with a name.
#[derive(Clone)]
pub struct Key {
    id: String,
    bytes: Zeroizing<Vec<u8>>,
}

/// All keys of an installation.
#[derive(Clone)]
pub struct KeyRing {
    access_tokens: Vec<Key>,
    serials: Vec<Key>,
    lookups: Key,
    /// For secrets of second factors; may be empty.
    second_factors: Vec<Key>,
}

/// The key of a copy in the database: HMAC-SHA256(key, code), truncated to 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SerialMac(pub [u8; 16]);

/// Identifies a key without revealing its secret: public.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyFingerprint {
    /// The field of the key file that contains the key.
    pub purpose: &'static str,
    /// The key's name.
    pub key_id: String,
    /// A fixed text under HMAC-SHA256 with the key, cut to 16 bytes.
    pub fingerprint: [u8; 16],
}

/// The text that fingerprints are made of. It is longer than a serial code, and no lookup begins with it, so no other
/// keyed hash has the same input.
const FINGERPRINT_TEXT: &[u8] = b"cardscape key fingerprint";

/// Why there is no key ring.
#[derive(Debug, Error)]
pub enum KeyRingError {
    /// The file cannot be read or written.
    #[error("cannot use the key file {path}: {source}")]
    File {
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// Other users can read the file.
    #[error("the key file {0} is readable for other users: chmod 600 it")]
    Open(PathBuf),
    /// The file is not a key ring.
    #[error("the key file {path} is not a key ring: {reason}")]
    Malformed {
        path: PathBuf,
        /// The cause; never contains secrets.
        reason: &'static str,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyFile {
    access_tokens: Vec<StoredKey>,
    serials: Vec<StoredKey>,
    lookups: StoredKey,
    /// Not part of new key files: the lookup key is used until an operator adds one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    second_factors: Vec<StoredKey>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredKey {
    id: String,
    secret: String,
}

impl StoredKey {
    fn generate() -> Self {
        let (id, secret) = (super::secret::random::<4>(), super::secret::random::<32>());
        Self { id: hex(&id), secret: BASE64.encode(secret) }
    }

    fn load(self) -> Result<Key, &'static str> {
        let bytes = BASE64.decode(&self.secret).map_err(|_| "a secret is not base64")?;
        if bytes.len() < 32 || self.id.is_empty() {
            return Err("a key needs an id and at least 32 secret bytes");
        }
        Ok(Key { id: self.id, bytes: Zeroizing::new(bytes) })
    }
}

impl KeyRing {
    /// Reads the ring from `path`.
    pub fn load(path: &Path) -> Result<Self, KeyRingError> {
        use std::os::unix::fs::PermissionsExt as _;
        let file_error = |source| KeyRingError::File { path: path.to_owned(), source };
        let mode = std::fs::metadata(path).map_err(file_error)?.permissions().mode();
        if mode & 0o077 != 0 {
            return Err(KeyRingError::Open(path.to_owned()));
        }
        let text = Zeroizing::new(std::fs::read_to_string(path).map_err(file_error)?);
        Self::parse(path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Self, KeyRingError> {
        let malformed = |reason| KeyRingError::Malformed { path: path.to_owned(), reason };
        let file: KeyFile = serde_json::from_str(text)
            .map_err(|_| malformed("it does not have the expected fields"))?;
        let load_all = |keys: Vec<StoredKey>| {
            keys.into_iter().map(|key| key.load().map_err(malformed)).collect::<Result<Vec<_>, _>>()
        };
        let load = |keys: Vec<StoredKey>| {
            if keys.is_empty() {
                return Err(malformed("each purpose needs a key"));
            }
            load_all(keys)
        };
        let ring = Self {
            access_tokens: load(file.access_tokens)?,
            serials: load(file.serials)?,
            lookups: file.lookups.load().map_err(malformed)?,
            second_factors: load_all(file.second_factors)?,
        };
        // Stored data names its key by the id, so two keys with the same id would be ambiguous.
        let opening: Vec<&Key> = ring.second_factors.iter().chain([&ring.lookups]).collect();
        for keys in [ring.access_tokens.iter().collect(), ring.serials.iter().collect(), opening] {
            if has_twins(&keys) {
                return Err(malformed("two keys for the same have the same id"));
            }
        }
        Ok(ring)
    }

    /// Reads the ring from `path`; `None` when there is no such file.
    pub fn load_if_there(path: &Path) -> Result<Option<Self>, KeyRingError> {
        match Self::load(path) {
            Ok(ring) => Ok(Some(ring)),
            Err(KeyRingError::File { source, .. })
                if source.kind() == std::io::ErrorKind::NotFound =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Writes a ring of new keys to `path`, mode 0600; refuses to overwrite a file. When this returns, the file
    /// survives a power failure.
    pub fn create(path: &Path) -> Result<(), KeyRingError> {
        use std::io::Write as _;
        let file_error = |source| KeyRingError::File { path: path.to_owned(), source };
        let ring = KeyFile {
            access_tokens: vec![StoredKey::generate()],
            serials: vec![StoredKey::generate()],
            lookups: StoredKey::generate(),
            second_factors: Vec::new(),
        };
        let text = Zeroizing::new(serde_json::to_string_pretty(&ring).unwrap_or_default());
        // Written to a temporary file that is then renamed: a crash never leaves half a ring, and if two processes
        // start at once, one of them wins.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let written = (|| {
            let mut aside = tempfile::Builder::new().prefix(".keys-").tempfile_in(folder)?;
            aside.write_all(text.as_bytes())?;
            aside.as_file().sync_all()?;
            aside.persist_noclobber(path).map_err(|failed| failed.error)?;
            // The file is durable already; this makes its name durable.
            std::fs::File::open(folder)?.sync_all()
        })();
        written.map_err(file_error)
    }

    /// Keys for signing access tokens; the first signs new ones.
    pub fn access_tokens(&self) -> &[Key] {
        &self.access_tokens
    }

    /// Keys for hashing serial codes; the first serves new print runs.
    pub fn serials(&self) -> &[Key] {
        &self.serials
    }

    /// Fingerprints of the keys that printed codes and counts in a database depend on permanently. Keys for access
    /// tokens are not included: they may change, and a token is valid for minutes. Keys for second factors are not
    /// included, because rows name the keys that they depend on.
    pub fn fingerprints(&self) -> Vec<KeyFingerprint> {
        let serials = self.serials.iter().map(|key| key.fingerprint("serials"));
        serials.chain([self.lookups.fingerprint("lookups")]).collect()
    }

    /// A keyed hash of something that must be found again but not read: a network, a request body. Different values of
    /// `purpose` give unrelated hashes.
    pub fn lookup(&self, purpose: &str, parts: &[&[u8]]) -> [u8; 32] {
        self.lookups.keyed_hash(purpose, parts)
    }

    /// The key that new secrets of second factors are encrypted with.
    pub fn sealing(&self) -> &Key {
        self.second_factors.first().unwrap_or(&self.lookups)
    }

    /// The key with this id, if it can decrypt secrets of second factors.
    pub fn opening(&self, id: &str) -> Option<&Key> {
        self.second_factors.iter().chain([&self.lookups]).find(|key| key.id() == id)
    }

    /// The ids of the keys that can decrypt secrets of second factors.
    pub fn opening_ids(&self) -> Vec<String> {
        self.second_factors.iter().chain([&self.lookups]).map(|key| key.id.clone()).collect()
    }

    /// The first half of [`Self::lookup`], where 128 bits are enough.
    pub fn short_lookup(&self, purpose: &str, parts: &[&[u8]]) -> [u8; 16] {
        let mut short = [0; 16];
        short.copy_from_slice(&self.lookup(purpose, parts)[..16]);
        short
    }
}

fn has_twins(keys: &[&Key]) -> bool {
    keys.iter().enumerate().any(|(at, key)| keys[..at].iter().any(|other| other.id == key.id))
}

impl Key {
    /// The key's name: public, stored beside what was made with it.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The secret itself.
    pub fn secret(&self) -> &[u8] {
        &self.bytes
    }

    fn mac(&self) -> Hmac<Sha256> {
        #[allow(clippy::expect_used, reason = "HMAC takes a key of any length")]
        Hmac::<Sha256>::new_from_slice(&self.bytes).expect("HMAC takes a key of any length")
    }

    /// HMAC-SHA256 over a purpose and parts, each preceded by its length. `purpose` separates different uses of the key.
    pub fn keyed_hash(&self, purpose: &str, parts: &[&[u8]]) -> [u8; 32] {
        let mut mac = self.mac();
        for part in std::iter::once(purpose.as_bytes()).chain(parts.iter().copied()) {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }

    /// The key of the copy with this code in the database.
    pub fn serial_mac(&self, code: &SerialCode) -> SerialMac {
        SerialMac(self.short_mac(code.as_bytes()))
    }

    fn fingerprint(&self, purpose: &'static str) -> KeyFingerprint {
        let fingerprint = self.short_mac(FINGERPRINT_TEXT);
        KeyFingerprint { purpose, key_id: self.id.clone(), fingerprint }
    }

    fn short_mac(&self, text: &[u8]) -> [u8; 16] {
        let mut mac = self.mac();
        mac.update(text);
        let full = mac.finalize().into_bytes();
        let mut short = [0; 16];
        short.copy_from_slice(&full[..16]);
        short
    }
}

impl std::fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KeyRing(…)")
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A ring from the text of a key file; `KEY` in the text is replaced by a key.
    pub(in crate::auth) fn ring(file: &str) -> KeyRing {
        let key = r#"{ "id": "k", "secret": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=" }"#;
        KeyRing::parse(Path::new("keys.json"), &file.replace("KEY", key)).unwrap()
    }
}
