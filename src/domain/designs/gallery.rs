//! The orders of the gallery of shared designs.

use serde::Deserialize;

/// The order of a list of designs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GallerySort {
    /// The latest shared first.
    #[default]
    New,
    /// The best rated first; among equal ratings, the design with more ratings first.
    Rating,
    /// The most comments first.
    Comments,
    /// By name, from A to Z.
    Name,
}

impl GallerySort {
    /// All values.
    pub const ALL: [Self; 4] = [Self::New, Self::Rating, Self::Comments, Self::Name];

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Rating => "rating",
            Self::Comments => "comments",
            Self::Name => "name",
        }
    }
}
