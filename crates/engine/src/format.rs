//! Formats: named, versioned, dated lists of construction rules.

use std::sync::Arc;

use serde::Serialize;

use crate::date::Date;
use crate::decision::Decision;
use crate::rule::{Provenance, Rule};
use crate::schema::Zone;

/// One way to build decks of a game.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Format {
    /// Code of the game.
    pub game: Arc<str>,
    /// Code, unique in the game together with the version.
    pub code: Arc<str>,
    /// Name for people.
    pub name: String,
    /// Version of the rules.
    pub version: Arc<str>,
    /// First day of this version.
    pub effective_from: Option<Date>,
    /// How far the format as a whole can be trusted; each rule has its own provenance.
    pub provenance: Provenance,
    /// What it is, in a sentence or two.
    pub description: String,
    /// The variant in force, when the format has any.
    pub variant: Option<Arc<str>>,
    pub variants: Vec<Variant>,
    /// What the rulebook leaves open about building decks, and the answers in force.
    pub decisions: Vec<Decision>,
    /// The rules in force: the format's own and those of the variant in force.
    pub rules: Vec<Rule>,
    #[serde(skip)]
    pub(crate) common_rules: Vec<Rule>,
    #[serde(skip)]
    pub(crate) zones: Arc<[Zone]>,
    #[serde(skip)]
    pub(crate) fingerprint: u64,
}

/// A named choice within a format.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Variant {
    /// Code, unique in the format.
    pub code: Arc<str>,
    /// Name for people.
    pub name: String,
    /// Whether it is in force if no variant is chosen.
    pub default: bool,
    /// How far it can be trusted.
    pub provenance: Provenance,
    /// Rules on top of the format's own.
    pub rules: Vec<Rule>,
}

impl Format {
    /// The format with another variant in force, or `None` when it has no such variant.
    pub fn with_variant(&self, code: &str) -> Option<Self> {
        let variant = self.variants.iter().find(|variant| &*variant.code == code)?;
        let mut changed = self.clone();
        changed.variant = Some(Arc::clone(&variant.code));
        for decision in &mut changed.decisions {
            decision.choose_variant(code);
        }
        changed.rules = self.common_rules.iter().chain(&variant.rules).cloned().collect();
        Some(changed)
    }

    /// The format with only the rules that hold on `day`; the same one, if all of them do.
    #[must_use]
    pub fn on(self: &Arc<Self>, day: Date) -> Arc<Self> {
        let of_variants = self.variants.iter().flat_map(|variant| &variant.rules);
        let mut rules = self.rules.iter().chain(&self.common_rules).chain(of_variants);
        if rules.all(|rule| rule.holds_on(day)) {
            return Arc::clone(self);
        }
        let mut changed = Self::clone(self);
        changed.rules.retain(|rule| rule.holds_on(day));
        changed.common_rules.retain(|rule| rule.holds_on(day));
        for variant in &mut changed.variants {
            variant.rules.retain(|rule| rule.holds_on(day));
        }
        Arc::new(changed)
    }
}
