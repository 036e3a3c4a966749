//! The page of the designer: the fields of one step, with the violations beside them.

use std::collections::BTreeSet;

use askama::Template;
use cardscape_engine::{Game, Kind};

use super::content::ContentView;
use super::draft::Draft;
use super::fields::{
    AttributeField, EffectField, Input, RarityRow, attribute_fields, effect_fields, effect_schema,
    field_id, rarity_field, rarity_rows,
};
use super::pointers::field_of_violation;
use super::verdict::{VerdictView, explain, violations};
use super::words as design_words;
use crate::app::designs::design_checks::DesignCheckResponse;
use crate::domain::designs::content::{Licence, MAX_EFFECTS};
use crate::web::forms::Choice;
use crate::web::page::{Frame, Place};
use crate::web::words;

/// A step of the designer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Start,
    Card,
    Effects,
    Story,
    Check,
}

impl Step {
    pub(super) const ALL: [Self; 5] =
        [Self::Start, Self::Card, Self::Effects, Self::Story, Self::Check];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Card => "card",
            Self::Effects => "effects",
            Self::Story => "story",
            Self::Check => "check",
        }
    }

    pub(super) fn read(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|step| step.as_str() == word)
    }

    pub(super) fn neighbour(self, forward: bool) -> Option<Self> {
        let at = Self::ALL.iter().position(|step| *step == self)?;
        let next = if forward { at + 1 } else { at.checked_sub(1)? };
        Self::ALL.get(next).copied()
    }

    /// The step that shows a field.
    pub(super) fn of_field(name: &str) -> Self {
        match name.split('.').next().unwrap_or_default() {
            "card" => Self::Start,
            "name" | "attributes" | "printing" | "printings" => Self::Card,
            "effects" => Self::Effects,
            "flavour" | "lore" | "credits" | "licence" | "alt" | "artwork" => Self::Story,
            _ => Self::Check,
        }
    }
}
/// A fault of the input.
pub(super) struct FieldFault {
    /// The name of the field; after `settle`, the `id` of the field if it is on the page.
    pub(super) field: Option<String>,
    pub(super) text: String,
}
/// The kinds of cards of a game.
pub(super) struct KindGroup {
    pub(super) game: String,
    pub(super) kinds: Vec<Choice>,
}

/// The stored version, if it differs from the version that the form was loaded with.
pub(super) struct SavedDesign {
    pub(super) name: String,
    pub(super) content: ContentView,
    pub(super) day: String,
    pub(super) at: String,
}
#[derive(Template)]
#[template(path = "web/designs/designer.html")]
pub(super) struct DesignerPage<'a> {
    pub(super) frame: Frame,
    pub(super) heading: String,
    pub(super) path: &'a str,
    /// `saved` or `unsaved`: whether the values in the form are stored, for the script of the form.
    pub(super) guard: &'static str,
    /// The number of violations, for screen readers.
    pub(super) status_text: String,
    /// The page of the design; `None`: the design is new.
    pub(super) design: Option<String>,
    pub(super) name: String,
    pub(super) is_change: bool,
    pub(super) step: &'static str,
    pub(super) steps: Vec<Choice>,
    pub(super) next: Option<&'static str>,
    pub(super) previous: Option<&'static str>,
    pub(super) wrong: Vec<FieldFault>,
    /// Messages about values that were filled in.
    pub(super) done: Vec<String>,
    pub(super) carried: Vec<(String, String)>,
    pub(super) draft: &'a Draft,
    pub(super) starts: Vec<KindGroup>,
    pub(super) attributes: Vec<AttributeField>,
    pub(super) name_notes: Vec<String>,
    pub(super) columns: Vec<String>,
    pub(super) rarities: Vec<RarityRow>,
    pub(super) effects: Vec<EffectField>,
    pub(super) effects_about: String,
    pub(super) may_add_effect: bool,
    pub(super) licences: Vec<Choice>,
    pub(super) verdict: Option<VerdictView>,
    pub(super) is_unchecked: bool,
    pub(super) picture: Option<String>,
    pub(super) saved: Option<SavedDesign>,
    /// The path to which the form can be sent to save it as another design.
    pub(super) copy: Option<&'static str>,
}
impl DesignerPage<'_> {
    /// Builds the fields of a step.
    pub(super) fn fill_step(
        &mut self,
        game: &Game,
        kind: &Kind,
        step: Step,
        check: Option<&DesignCheckResponse>,
    ) {
        match step {
            Step::Start | Step::Check => {}
            Step::Card => {
                self.attributes = attribute_fields(kind, self.draft);
                self.attributes.extend(rarity_field(game, kind, self.draft));
                let worked_out = |rarity: &str, code: &str| {
                    let printings = check.into_iter().flat_map(|check| &check.all_printings);
                    let mut found = printings.filter(|printing| printing.rarity == rarity);
                    let value = found.next().and_then(|printing| printing.attributes.get(code));
                    value.map(ToString::to_string).unwrap_or_default()
                };
                (self.columns, self.rarities) = rarity_rows(game, kind, self.draft, worked_out);
            }
            Step::Effects => match effect_schema(game, kind, self.draft) {
                None => design_words::NO_EFFECTS.clone_into(&mut self.effects_about),
                Some(schema) => {
                    self.effects = effect_fields(schema, self.draft);
                    let rule = &schema.reference;
                    self.effects_about = design_words::rule(&rule.text, &rule.rule);
                    let in_slots: u32 = schema.slots.iter().map(|slot| slot.max).sum();
                    let most = usize::try_from(schema.max.max(in_slots)).unwrap_or(MAX_EFFECTS);
                    self.may_add_effect = self.effects.len() < most.min(MAX_EFFECTS);
                }
            },
            Step::Story => {
                let chosen = self.draft.one("licence");
                let choice = |licence: Licence| Choice {
                    value: licence.as_str().to_owned(),
                    name: design_words::licence(licence.as_str()).to_owned(),
                    is_chosen: licence.as_str() == chosen,
                };
                self.licences = Licence::ALL.into_iter().map(choice).collect();
            }
        }
    }

    /// Adds the buttons that build sentences from templates.
    pub(super) fn offer_templates(&mut self) {
        for effect in &mut self.effects {
            effect.choose = Some(design_words::choose_sentence(effect.at));
        }
    }

    /// Adds the violations beside the fields.
    pub(super) fn add_violations(&mut self, game: &Game, check: &DesignCheckResponse) {
        for violation in violations(game, check) {
            let field = field_of_violation(game, violation, self.draft);
            // Violations of empty fields are shown in the check only.
            let is_typed = |field: &String| !self.draft.one(field).is_empty();
            let Some(field) = field.filter(is_typed) else { continue };
            let text = explain(game, violation);
            if field == "name" {
                self.name_notes.push(text);
                continue;
            }
            if let Some(attribute) = self.attributes.iter_mut().find(|one| one.name == field) {
                attribute.notes.push(text);
                continue;
            }
            let mut cells = self.rarities.iter_mut().flat_map(|row| &mut row.cells);
            if let Some(cell) = cells.find(|cell| cell.name == field) {
                cell.notes.push(text);
                continue;
            }
            let is_of = |effect: &&mut EffectField| {
                field.strip_prefix(&effect.name).is_some_and(|member| member.starts_with('.'))
            };
            if let Some(effect) = self.effects.iter_mut().find(is_of) {
                effect.notes.push(text);
            }
        }
    }

    /// The names of the fields on the page.
    pub(super) fn shown_names(&self) -> BTreeSet<String> {
        let fixed: &[&str] = match self.step {
            "start" => &["card", "game", "kind"],
            "card" => &["name"],
            "story" if self.draft.one("artwork").is_empty() => {
                &["flavour", "lore", "credits", "licence"]
            }
            "story" => &["flavour", "lore", "credits", "licence", "alt"],
            "check" if self.is_change => &["message"],
            _ => &[],
        };
        let mut names: BTreeSet<String> = fixed.iter().map(|name| (*name).to_owned()).collect();
        names.extend(self.attributes.iter().map(|field| field.name.clone()));
        let cells = self.rarities.iter().flat_map(|row| &row.cells);
        names.extend(cells.map(|cell| cell.name.clone()));
        for effect in &self.effects {
            names.insert(format!("{}.text", effect.name));
            if !effect.styles.is_empty() {
                names.insert(format!("{}.style", effect.name));
            }
            if !effect.slots.is_empty() {
                names.insert(format!("{}.slot", effect.name));
            }
        }
        names
    }

    /// The `id`s of the parts of the page with violations, which the script updates while the visitor types.
    fn live_parts(&self) -> String {
        let of_effect = |effect: &EffectField| format!("{}-text", effect.id);
        let fields = self.attributes.iter().map(|field| field.id.clone());
        let cells = self.rarities.iter().flat_map(|row| &row.cells).map(|cell| cell.id.clone());
        let name = (self.step == Step::Card.as_str()).then(|| "name".to_owned());
        let ids =
            name.into_iter().chain(fields).chain(cells).chain(self.effects.iter().map(of_effect));
        ids.fold("findings".to_owned(), |parts, id| format!("{parts} {id}_notes"))
    }

    /// Adds hidden fields for all fields that are not on the page, and links faults to the fields that are.
    pub(super) fn settle(&mut self) {
        let shown = self.shown_names();
        self.carried = self.draft.carried(|name| shown.contains(name));
        for wrong in &mut self.wrong {
            wrong.field =
                wrong.field.take().filter(|name| shown.contains(name)).map(|name| field_id(&name));
        }
    }

    /// Whether a number of another rarity has a fault.
    fn is_wrong_in_rarities(&self) -> bool {
        let mut cells = self.rarities.iter().flat_map(|row| &row.cells);
        cells.any(|cell| !cell.notes.is_empty() || self.is_wrong(&cell.id))
    }

    /// Whether a field of the effect with this `id` has a fault.
    fn is_wrong_in(&self, effect: &str, member: &str) -> bool {
        self.is_wrong(&format!("{effect}-{member}"))
    }

    /// Whether the field with this `id` has a fault.
    fn is_wrong(&self, id: &str) -> bool {
        self.wrong.iter().any(|wrong| wrong.field.as_deref() == Some(id))
    }
}
