//! Bulk files: what there is of each game, and how often it is made.

use chrono::Duration;

/// What a bulk file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BulkKind {
    /// A card in each line, as JSON.
    Cards,
    /// A printing in each line, as CSV.
    Printings,
    /// A public deck in each line, as JSON.
    Decks,
}

impl BulkKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Cards, Self::Printings, Self::Decks];

    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cards => "cards",
            Self::Printings => "printings",
            Self::Decks => "decks",
        }
    }

    /// The kind of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// What the file of a game is called.
    ///
    /// ```
    /// use cardscape::domain::catalogue::bulk::BulkKind;
    /// assert_eq!(BulkKind::Cards.file_name("emoji-tcg"), "emoji-tcg-cards.ndjson.gz");
    /// ```
    pub fn file_name(self, game: &str) -> String {
        match self {
            Self::Cards => format!("{game}-cards.ndjson.gz"),
            Self::Printings => format!("{game}-printings.csv.gz"),
            Self::Decks => format!("{game}-decks.ndjson.gz"),
        }
    }
}

/// Whether a file may be called that: game codes, hyphens and dots. Anything else need not be looked for, and some of it cannot be.
pub fn is_file_name(name: &str) -> bool {
    let fits =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte);
    name.len() <= 100 && name.bytes().all(fits)
}

/// The least time from the beginning of a build to that of the next: `interval`, but at least ten times as long as the build took, so
/// that a large game costs no more than a tenth of a processor and few kept versions, however often it changes. No interval at all: no
/// pause.
pub fn pause(interval: Duration, build: Duration) -> Duration {
    if interval.is_zero() { interval } else { interval.max(build * 10) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_build_is_made_less_often() {
        let seconds = Duration::seconds;
        assert_eq!(pause(seconds(60), seconds(2)), seconds(60));
        assert_eq!(pause(seconds(60), seconds(30)), seconds(300));
        assert_eq!(pause(seconds(0), seconds(30)), seconds(0));
    }

    #[test]
    fn kinds_read_back() {
        for kind in BulkKind::ALL {
            assert!(is_file_name(&kind.file_name("a-game-of-the-longest-name-there-")));
            assert_eq!(BulkKind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(BulkKind::parse("designs"), None);
        assert!(
            !is_file_name("a\0-cards.ndjson.gz") && !is_file_name("../a") && !is_file_name("é")
        );
    }
}
