//! Bulk files: the files of each game, and how often they are built.

use chrono::Duration;

/// The content of a bulk file.
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

    /// The kind with that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// The name of the file of a game.
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

/// Whether a text can be the name of a file: only the characters of game codes, and dots. Other texts are not looked up, and some of them cannot be looked
/// up.
pub fn is_file_name(name: &str) -> bool {
    let fits =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte);
    name.len() <= 100 && name.bytes().all(fits)
}

/// The shortest time from the beginning of a build to the beginning of the next: `interval`, but at least ten times the duration of the build, so
/// that a large game takes at most a tenth of a processor and few stored versions, however often it changes. An `interval` of 0 means no
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
    fn kinds_are_parsed_back() {
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
