//! The result of the check of a design, as text for people.

use cardscape_engine::Game;

use super::design_path;
use super::words as design_words;
use crate::app::designs::alike::{AlikeNameResponse, AlikeResponse, NameLikeness};
use crate::app::designs::design_checks::{
    CheckedEffectResponse, DesignCheckResponse, DesignViolationResponse, DesignWarning,
    ReleaseObstacle,
};
use crate::web::catalogue::{card_path, rarity_name};
use crate::web::rules::{self, Found, advice, says};

/// The check of a design.
pub(super) struct VerdictView {
    pub(super) summary: &'static str,
    pub(super) status: &'static str,
    pub(super) lines: Vec<VerdictLine>,
    /// Cards and designs with the same or a similar name, and how similar it is.
    pub(super) names: Vec<AlikeRow>,
    /// Cards and designs whose effects do the same.
    pub(super) same_effects: Vec<AlikeRow>,
    /// Why the design cannot be released yet, apart from violations.
    pub(super) obstacles: Vec<&'static str>,
    pub(super) warnings: Vec<&'static str>,
    /// Sentences that do not match a template.
    pub(super) free_texts: Vec<String>,
    /// Sentences whose search ended at its limit of steps before it found a template.
    pub(super) unfound: Vec<String>,
}

/// A violation.
pub(super) struct VerdictLine {
    pub(super) text: String,
    pub(super) rule: String,
    pub(super) fix: Option<String>,
    /// The `id` of its field, if the field is on this page.
    pub(super) field: Option<String>,
}

/// A similar card or design.
pub(super) struct AlikeRow {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) about: &'static str,
}

impl VerdictView {
    /// `field_of`: the `id` of the field that a violation is about, if the field is on the page.
    pub(super) fn new(
        game: &Game,
        check: &DesignCheckResponse,
        field_of: &dyn Fn(&DesignViolationResponse) -> Option<String>,
    ) -> Self {
        let line = |violation: &DesignViolationResponse| {
            let text = explain(game, violation);
            // The message of some rules is already the text of the rule.
            let is_said = says(&text, &violation.rule_text);
            let rule_text = if is_said { "" } else { &violation.rule_text };
            VerdictLine {
                rule: design_words::rule(rule_text, &violation.rule),
                fix: advice(&Found::from(violation), Some(game)),
                field: field_of(violation),
                text,
            }
        };
        let name =
            |like: &AlikeNameResponse| alike(&check.game, &like.alike, likeness(like.likeness));
        let effects = |like: &AlikeResponse| alike(&check.game, like, whose(like));
        let sentences = |is_listed: &dyn Fn(&CheckedEffectResponse) -> bool| -> Vec<String> {
            let listed = check.effects.iter().filter(|effect| is_listed(effect));
            listed.map(|effect| effect.matched.sentence.clone()).collect()
        };
        let is_sound = check.violations.is_empty();
        Self {
            summary: design_words::verdict(is_sound, check.releasable),
            status: if is_sound { "legal" } else { "restricted" },
            lines: violations(game, check).map(line).collect(),
            names: check.name.like.iter().map(name).collect(),
            same_effects: check.same_effects.iter().map(effects).collect(),
            obstacles: check
                .obstacles
                .iter()
                .filter(|obstacle| **obstacle != ReleaseObstacle::Violations)
                .map(|obstacle| match (obstacle, check.name.reason) {
                    (ReleaseObstacle::Name, Some(reason)) => design_words::name_obstacle(reason),
                    (other, _) => design_words::release_obstacle(*other),
                })
                .collect(),
            warnings: check
                .warnings
                .iter()
                .map(|warning| match warning {
                    DesignWarning::AltMissing => design_words::ALT_MISSING,
                    DesignWarning::LettersNotDrawn => design_words::LETTERS_NOT_DRAWN,
                })
                .chain(check.name.own_design.as_ref().map(|_| design_words::OWN_NAMESAKE))
                .collect(),
            free_texts: sentences(&|effect| effect.free_text),
            unfound: sentences(&CheckedEffectResponse::exceeds_search),
        }
    }
}

/// The violations without duplicates: a violation of the whole design is reported for the lowest rarity, too.
pub(super) fn violations<'a>(
    game: &'a Game,
    check: &'a DesignCheckResponse,
) -> impl Iterator<Item = &'a DesignViolationResponse> {
    let is_repeated = move |violation: &DesignViolationResponse| {
        let is_of_base = violation.rarity.as_deref() == Some(&*game.base_rarity().code);
        let is_same =
            |other: &DesignViolationResponse| other.rarity.is_none() && is_alike(other, violation);
        is_of_base && check.violations.iter().any(is_same)
    };
    check.violations.iter().filter(move |violation| !is_repeated(violation))
}

/// Whether two violations have the same message about the same member.
fn is_alike(one: &DesignViolationResponse, other: &DesignViolationResponse) -> bool {
    one.code == other.code
        && one.rule == other.rule
        && one.attribute == other.attribute
        && (one.limit, one.actual) == (other.limit, other.actual)
        && one.suggestions == other.suggestions
}

/// The message of a violation, with the rarity if it is about one.
pub(super) fn explain(game: &Game, violation: &DesignViolationResponse) -> String {
    let text = rules::explain(&Found::from(violation), Some(game));
    match &violation.rarity {
        Some(rarity) => design_words::labelled(&rarity_name(game, rarity), &text),
        None => text,
    }
}

fn likeness(likeness: NameLikeness) -> &'static str {
    match likeness {
        NameLikeness::Same => design_words::SAME_NAME,
        NameLikeness::LooksTheSame => design_words::LOOKS_THE_SAME,
        NameLikeness::Near => design_words::NEAR_NAME,
    }
}

fn whose(like: &AlikeResponse) -> &'static str {
    match (like.card_id.is_some(), like.own) {
        (true, _) => design_words::A_CARD,
        (false, true) => design_words::AN_OWN_DESIGN,
        (false, false) => design_words::A_DESIGN,
    }
}

fn alike(game: &str, like: &AlikeResponse, about: &'static str) -> AlikeRow {
    let path = match (&like.design_id, &like.set, &like.number) {
        (Some(design), _, _) => design_path(design),
        (None, Some(set), Some(number)) => card_path(game, set, number),
        (None, _, _) => String::new(),
    };
    AlikeRow { name: like.name.clone(), path, about }
}
