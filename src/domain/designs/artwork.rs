//! Artwork of designs: pictures that authors upload, identified by their content.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use crate::domain::hex::hex;

/// Most bytes of artwork of an account, counting both files of each: about two hundred photographs.
pub const ARTWORK_QUOTA: i64 = 100 * 1024 * 1024;
/// Most bytes of an uploaded picture.
pub const MAX_ARTWORK_FILE: usize = 10 * 1024 * 1024;
/// The media types of uploaded pictures.
pub const ARTWORK_MEDIA_TYPES: [&str; 3] = ["image/png", "image/jpeg", "image/webp"];
/// Most characters of the alternative text of an artwork.
pub const MAX_ALT: usize = 500;

/// The id of an artwork: SHA-256 (FIPS 180-4) over the hashes of its two files. It does not reveal who uploaded the artwork: the same picture always has the
/// same id.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct ArtworkId(pub [u8; 32]);

/// The text is not the id of an artwork.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("must be the id of an artwork: 64 hexadecimal digits")]
pub struct ArtworkIdError;

impl ArtworkId {
    /// The id of the artwork with these files, from the hash of each file.
    pub fn of(full: &[u8; 32], small: &[u8; 32]) -> Self {
        Self(Sha256::new().chain_update(full).chain_update(small).finalize().into())
    }

    /// Parses 64 hexadecimal digits, in upper or lower case.
    ///
    /// ```
    /// use cardscape::domain::designs::artwork::ArtworkId;
    /// let id = ArtworkId::of(&[1; 32], &[2; 32]);
    /// assert_eq!(ArtworkId::parse(&id.to_string().to_uppercase()), Ok(id));
    /// assert!(ArtworkId::parse("é").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, ArtworkIdError> {
        let digits = text.as_bytes();
        if digits.len() != 64 || !digits.iter().all(u8::is_ascii_hexdigit) {
            return Err(ArtworkIdError);
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let pair = std::str::from_utf8(pair).map_err(|_| ArtworkIdError)?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| ArtworkIdError)?;
        }
        Ok(Self(bytes))
    }
}

impl fmt::Display for ArtworkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for ArtworkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ArtworkId({self})")
    }
}

impl TryFrom<String> for ArtworkId {
    type Error = ArtworkIdError;

    fn try_from(text: String) -> Result<Self, ArtworkIdError> {
        Self::parse(&text)
    }
}

impl Serialize for ArtworkId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Which file of an artwork.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RenditionSize {
    /// For prints and large screens: at most 1536 pixels along a side.
    #[default]
    Full,
    /// For a card on a screen: at most 500 pixels along a side, and below 1 MiB.
    Small,
}

impl RenditionSize {
    /// Both values.
    pub const ALL: [Self; 2] = [Self::Full, Self::Small];

    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Small => "small",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DesignArtwork {
    pub id: ArtworkId,
    /// The alternative text: a description of the picture for people who cannot see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alt: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_id_reads_back(bytes in any::<[u8; 32]>()) {
            let id = ArtworkId(bytes);
            prop_assert_eq!(ArtworkId::parse(&id.to_string()), Ok(id));
            prop_assert_eq!(serde_json::from_value::<ArtworkId>(serde_json::to_value(id).unwrap()).unwrap(), id);
        }

        #[test]
        fn no_text_panics(text in ".{0,80}") {
            let _ = ArtworkId::parse(&text);
        }
    }

    #[test]
    fn both_files_and_their_order_count() {
        let ids =
            [(1, 2), (2, 1), (1, 1)].map(|(full, small)| ArtworkId::of(&[full; 32], &[small; 32]));
        assert!(ids[0] != ids[1] && ids[0] != ids[2]);
        for bad in ["", "0", &"0".repeat(63), &"0".repeat(65), &"g".repeat(64), &"+1".repeat(32)] {
            assert_eq!(ArtworkId::parse(bad), Err(ArtworkIdError), "{bad}");
        }
    }
}
