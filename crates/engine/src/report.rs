//! The report on a deck.

use std::sync::Arc;

use serde::Serialize;

use crate::violation::{Severity, Violation};

/// The verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportStatus {
    /// There are no violations, or only warnings.
    Legal,
    /// Only cards are missing.
    Incomplete,
    /// Cards must be changed or removed.
    Illegal,
}

/// The judgement of one deck by one format: every violation at once, in a fixed order.
///
/// It depends on what is in the deck, never on the order of its lines or on how copies are split over them.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Report {
    pub game: Arc<str>,
    pub format: Arc<str>,
    /// Version of the format's rules.
    pub format_version: Arc<str>,
    /// The variant in force, when the format has any.
    pub variant: Option<Arc<str>>,
    pub status: ReportStatus,
    /// Number of all cards, including unknown cards and those in unknown zones.
    pub total: u64,
    /// Cards in every zone of the game, in the order of the manifest; unknown cards count.
    pub counts: Vec<ZoneCount>,
    /// What is wrong: first errors, then what is missing, then warnings; each sorted by rule number, in which digits count as numbers.
    pub violations: Vec<Violation>,
}

/// The cards in a zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ZoneCount {
    pub zone: Arc<str>,
    /// Number of cards.
    pub cards: u64,
}

impl ReportStatus {
    /// `legal`, `incomplete` or `illegal`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Legal => "legal",
            Self::Incomplete => "incomplete",
            Self::Illegal => "illegal",
        }
    }

    pub(crate) fn of(violations: &[Violation]) -> Self {
        match violations.iter().map(|violation| violation.severity).min() {
            Some(Severity::Error) => Self::Illegal,
            Some(Severity::Incomplete) => Self::Incomplete,
            Some(Severity::Warning) | None => Self::Legal,
        }
    }
}

impl Report {
    /// The format by which the deck was judged: `game/format`, or `game/format:variant` where it has variants.
    pub fn format_name(&self) -> String {
        let variant = self.variant.as_ref().map_or_else(String::new, |code| format!(":{code}"));
        format!("{}/{}{variant}", self.game, self.format)
    }

    /// The cards in a zone; 0 when the game has no such zone.
    pub fn cards_in(&self, zone: &str) -> u64 {
        self.counts.iter().find(|count| &*count.zone == zone).map_or(0, |count| count.cards)
    }

    /// Whether the deck may be played.
    pub fn is_legal(&self) -> bool {
        self.status == ReportStatus::Legal
    }
}
