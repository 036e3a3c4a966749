//! In which orders the gallery of shared designs is listed.

use serde::Deserialize;

/// By what designs are sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GallerySort {
    /// What was shared last comes first.
    #[default]
    New,
    /// What is rated best comes first, of equally rated ones what more players have rated.
    Rating,
    /// What is discussed most comes first.
    Comments,
    /// By name, from A to Z.
    Name,
}

impl GallerySort {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::New, Self::Rating, Self::Comments, Self::Name];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Rating => "rating",
            Self::Comments => "comments",
            Self::Name => "name",
        }
    }
}
