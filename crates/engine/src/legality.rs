//! One deck, several formats.

use std::fmt;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::catalogue::Catalogue;
use crate::code::ViolationCode;
use crate::deck::Deck;
use crate::format::Format;
use crate::report::{Report, ReportStatus};
use crate::validate::validate;

/// The judgement of one deck by several formats.
///
/// Serialised with its English [`summary`](Legalities::summary), which is derived from the reports.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Legalities {
    /// One report for each format, in the order of the formats.
    pub reports: Vec<Report>,
}

/// Judges a deck by several formats of one game.
pub fn legalities<'a>(
    deck: &Deck,
    catalogue: &Catalogue,
    formats: impl IntoIterator<Item = &'a Format>,
) -> Legalities {
    let reports = formats.into_iter().map(|format| validate(deck, catalogue, format)).collect();
    Legalities { reports }
}

impl Legalities {
    /// Whether the deck is legal in every format; false when there is none.
    pub fn is_legal_in_all(&self) -> bool {
        !self.reports.is_empty() && self.reports.iter().all(Report::is_legal)
    }

    /// Whether some report says that cards are not loaded. For a pool that is part of a larger one this may be wrong
    /// ([`CatalogueBuilder::part_of`](crate::CatalogueBuilder::part_of)).
    pub fn miss_cards(&self) -> bool {
        let mut violations = self.reports.iter().flat_map(|report| &report.violations);
        violations.any(|violation| violation.code.is_about_the_pool())
    }

    /// Adds similar names for unknown cards to every report with [`Report::suggest`]. Returns the largest number of names that were left out of a
    /// report.
    pub fn suggest(&mut self, catalogue: &Catalogue) -> usize {
        self.reports.iter_mut().map(|report| report.suggest(catalogue)).max().unwrap_or_default()
    }

    /// One English line: `Legal in pond/open; incomplete in pond/deep:winter; illegal in pond/small.` Formats keep their order
    /// within each verdict.
    pub fn summary(&self) -> String {
        self.summary_as(self.reports.iter().map(Report::format_name))
    }

    /// The [`summary`](Legalities::summary) with other names of the formats, one for each report in their order, for example the names in a request.
    pub fn summary_as(&self, names: impl IntoIterator<Item = impl fmt::Display>) -> String {
        let named: Vec<(String, ReportStatus)> = names
            .into_iter()
            .zip(&self.reports)
            .map(|(name, report)| (name.to_string(), report.status))
            .collect();
        let verdicts = [ReportStatus::Legal, ReportStatus::Incomplete, ReportStatus::Illegal];
        let parts = verdicts.into_iter().filter_map(|verdict| {
            let names: Vec<&str> = named
                .iter()
                .filter(|(_, status)| *status == verdict)
                .map(|(name, _)| name.as_str())
                .collect();
            (!names.is_empty()).then(|| format!("{} in {}", verdict.as_str(), names.join(", ")))
        });
        let line = parts.collect::<Vec<_>>().join("; ");
        let mut letters = line.chars();
        let verdict = letters.next().map_or_else(
            || "Judged by no format.".to_owned(),
            |first| format!("{}{}.", first.to_ascii_uppercase(), letters.as_str()),
        );
        // Without cards the verdict says nothing about the deck.
        let mut violations = self.reports.iter().flat_map(|report| &report.violations);
        match violations.find(|violation| violation.code == ViolationCode::GameWithoutCards) {
            Some(reason) => format!("{verdict} {}", reason.message()),
            None => verdict,
        }
    }
}

impl Serialize for Legalities {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Legalities", 3)?;
        fields.serialize_field("summary", &self.summary())?;
        fields.serialize_field("legal_in_all", &self.is_legal_in_all())?;
        fields.serialize_field("reports", &self.reports)?;
        fields.end()
    }
}
