//! The page on which a card is changed: a form with its texts, its rulings, and links to all other actions.

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::cards::edit_path;
use super::catalogue_words;
use super::merged_cards::follow_merge;
use super::parts::{Area, DoneQuery, Nav};
use super::rulings::{RulingRow, list_rulings};
use super::stored_card::{LookedUpCard, StoredCard, find_card, look_for};
use super::words as admin_words;
use crate::app::catalogue::card_edits;
use crate::app::catalogue::cards::CardResponse;
use crate::app::fault_reason::FaultReason;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::version_of;
use crate::auth::permission::{Granted, WriteCatalogue};
use crate::domain::catalogue::card_edit::MergePatch;
use crate::domain::ids::CardId;
use crate::http::extract::Form;
use crate::web::fault_words;
use crate::web::forms::{Faults, Fields, private};
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, see_other};
use crate::web::words;

/// The texts of a card, as they were typed.
#[derive(Debug)]
struct TypedTexts {
    name: String,
    lore: String,
    /// In printed order; an empty effect is removed from the card.
    effects: Vec<String>,
    /// Effects that were typed when the card had another number of effects. They are shown, and not saved.
    unsaved: Vec<String>,
    version: String,
}

impl TypedTexts {
    fn of(card: &StoredCard) -> Result<Self, Problem> {
        Ok(Self {
            name: card.name.clone(),
            lore: card.lore.clone().unwrap_or_default(),
            effects: card.effects.iter().map(|effect| effect.text.clone()).collect(),
            unsaved: Vec::new(),
            version: version_of_texts(card)?,
        })
    }

    fn read(fields: &Fields) -> Self {
        let plain = |text: &str| text.replace("\r\n", "\n");
        Self {
            name: fields.one("name").trim().to_owned(),
            lore: plain(fields.one("lore")),
            effects: fields.all("effect").map(plain).collect(),
            unsaved: fields.all("kept_effect").map(plain).collect(),
            version: fields.one("version").to_owned(),
        }
    }

    /// Whether there is exactly one text for each effect of the card.
    fn fits(&self, card: &StoredCard) -> bool {
        self.effects.len() == card.effects.len()
    }

    /// Whether the card has these texts already. Texts of effects that were removed are empty.
    fn is_stored_in(&self, card: &StoredCard) -> bool {
        let lore = Some(self.lore.trim()).filter(|lore| !lore.is_empty());
        let effects = self.effects.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
        self.unsaved.is_empty()
            && self.name == card.name
            && lore == card.lore.as_deref()
            && effects.eq(card.effects.iter().map(|effect| effect.text.as_str()))
    }

    /// The merge patch of the card; styles and slots of effects stay as they are.
    fn patch(&self, card: &StoredCard) -> Map<String, Value> {
        let mut patch = Map::new();
        if self.name != card.name {
            patch.insert("name".to_owned(), json!(self.name));
        }
        let lore = Some(self.lore.trim()).filter(|lore| !lore.is_empty());
        if lore != card.lore.as_deref() {
            patch.insert("lore".to_owned(), json!(lore));
        }
        let texts = card.effects.iter().map(|effect| effect.text.as_str());
        if self.fits(card) && !self.effects.iter().map(|text| text.trim()).eq(texts) {
            let changed = card.effects.iter().zip(&self.effects);
            let changed = changed.filter(|(_, text)| !text.trim().is_empty());
            let effects: Vec<Value> = changed
                .map(|(effect, text)| {
                    let mut effect = effect.clone();
                    text.trim().clone_into(&mut effect.text);
                    json!(effect)
                })
                .collect();
            patch.insert("effects".to_owned(), json!(effects));
        }
        patch
    }
}

/// The version of what the form changes. All else of the card may change meanwhile, such as its unlock progress.
fn version_of_texts(card: &StoredCard) -> Result<String, Problem> {
    version_of(&(&card.name, &card.lore, &card.effects))
}

#[derive(Template)]
#[template(path = "web/admin/card.html")]
struct CardPage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    done: &'static str,
    path: String,
    card: StoredCard,
    place: String,
    public_path: String,
    typed: TypedTexts,
    effects: Vec<EffectField>,
    /// The effects that were typed and cannot be saved, shown read-only.
    unsaved: Vec<EffectField>,
    rulings: Vec<RulingRow>,
    /// The stored version, if it differs from the version that the form was loaded with.
    saved: Option<Vec<String>>,
}

/// An effect in the form.
struct EffectField {
    label: String,
    text: String,
}

/// Shows the form of a card.
pub(in crate::web) async fn show_card(
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    card: web::Path<Uuid>,
    query: web::Query<DoneQuery>,
) -> Result<HttpResponse, Problem> {
    let found = match look_for(&state, &by, CardId(*card)).await? {
        LookedUpCard::Here(found) => *found,
        LookedUpCard::Merged(into) => return Ok(see_other(&edit_path(into.0))),
    };
    let done = catalogue_words::done(&query.done);
    let typed = TypedTexts::of(&found)?;
    show(&state, &by, PageStatus::OK, found, typed, Faults::none(), done, false).await
}

#[expect(clippy::too_many_arguments, reason = "the parts of one page")]
async fn show(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    status: PageStatus,
    card: StoredCard,
    typed: TypedTexts,
    faults: Faults,
    done: &'static str,
    with_saved: bool,
) -> Result<HttpResponse, Problem> {
    let rulings = list_rulings(app, by, CardId(card.id)).await?;
    let effects = card.effects.iter().enumerate().map(|(at, effect)| {
        let code = effect.style.as_ref().or(effect.slot.as_ref());
        let style = code.map(|code| words::titled(code));
        let text = typed.effects.get(at).unwrap_or(&effect.text).clone();
        EffectField { label: catalogue_words::effect(at + 1, style.as_deref()), text }
    });
    let unsaved = typed.unsaved.iter().enumerate().map(|(at, text)| EffectField {
        label: catalogue_words::effect(at + 1, None),
        text: text.clone(),
    });
    let saved = with_saved.then(|| {
        let texts = card.effects.iter().map(|effect| effect.text.clone());
        let all = std::iter::once(card.name.clone()).chain(texts).chain(card.lore.clone());
        all.collect()
    });
    let page = CardPage {
        frame: Frame::new(&card.name).at(Place::Account),
        nav: Nav::new(by.role(), Area::Cards),
        faults,
        done,
        path: edit_path(card.id),
        place: card.place(),
        public_path: card.public_path(),
        effects: effects.collect(),
        unsaved: unsaved.collect(),
        typed,
        rulings,
        saved,
        card,
    };
    private(status, &page)
}

/// Changes the texts of a card, if the stored version is still the version that the form was loaded with.
pub(in crate::web) async fn change_card(
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    card: web::Path<Uuid>,
    req: HttpRequest,
    Form(fields): Form<Fields>,
) -> Result<HttpResponse, Problem> {
    let id = CardId(*card);
    let changed = run_change(&state, &by, id, TypedTexts::read(&fields)).await;
    follow_merge(&state, &by, &req, id, changed).await
}

async fn run_change(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    id: CardId,
    mut typed: TypedTexts,
) -> Result<HttpResponse, Problem> {
    let card = find_card(app, by, id).await?;
    let patch = typed.patch(&card);
    let edited = if typed.version != version_of_texts(&card)? {
        Err(Problem::new(ProblemCode::PreconditionFailed))
    } else if patch.is_empty() {
        return Ok(see_other(&format!("{}?done=unchanged", edit_path(id.0))));
    } else {
        edit(app, by, &card, patch).await
    };
    let problem = match edited {
        Ok(()) => return Ok(see_other(&format!("{}?done=changed", edit_path(id.0)))),
        Err(problem) => problem,
    };
    let Some(faults) = faults_of_edit(&problem) else { return Err(problem) };
    let is_stale = problem.code() == ProblemCode::PreconditionFailed;
    let card = find_card(app, by, id).await?;
    // A double click, or a form that is sent again because its answer was lost.
    if is_stale && typed.is_stored_in(&card) {
        return Ok(see_other(&format!("{}?done=changed", edit_path(id.0))));
    }
    if is_stale {
        // The answer shows both versions, so the form gets the stored version: sent again, it overwrites it.
        typed.version = version_of_texts(&card)?;
        if !typed.effects.is_empty() && !typed.fits(&card) {
            // The number of effects differs, so it is unknown which text belongs to which effect.
            typed.unsaved = std::mem::take(&mut typed.effects);
        }
    }
    show(app, by, PageStatus::of(&problem), card, typed, faults, "", is_stale).await
}

/// Stores a change of a card, if nothing but its unlock progress has changed since it was read.
pub(super) async fn edit(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    card: &StoredCard,
    patch: Map<String, Value>,
) -> Result<(), Problem> {
    // No key occurs twice in the patch, so the only possible failure is a text that is too long.
    let patch: MergePatch = serde_json::from_value(Value::Object(patch)).map_err(|_| {
        Problem::new(ProblemCode::InvalidEdit)
            .errors(vec![InputFault::at("", FaultReason::TooLong)])
    })?;
    let (id, is_as_read) = (CardId(card.id), |now: &CardResponse| card.is_in(now));
    card_edits::edit_card(app, by, id, is_as_read, &patch, false).await.map(drop)
}

/// The faults of the texts of a card, beside their fields.
fn faults_of_edit(problem: &Problem) -> Option<Faults> {
    let message = admin_words::fault(problem.code())?;
    let mut faults = Faults::none();
    for fault in problem.faults() {
        let field = match fault.pointer.trim_start_matches('/').split('/').next() {
            Some("name") => "name",
            Some("lore") => "lore",
            Some("effects") => "effects",
            _ => "",
        };
        faults.add(field, fault_words::reason(&fault.reason));
    }
    if faults.is_empty() {
        faults.add("", message);
    }
    Some(faults)
}

#[cfg(test)]
mod tests {
    use cardscape_engine::Effect;

    use super::*;

    fn card() -> StoredCard {
        let effect = |style: &str, text: &str| Effect {
            style: Some(style.to_owned()),
            slot: None,
            text: text.to_owned(),
        };
        StoredCard {
            id: Uuid::nil(),
            game: "ttcg".to_owned(),
            set: "hearth".to_owned(),
            number: "001".to_owned(),
            hidden: false,
            name: "Imp".to_owned(),
            kind: "unit".to_owned(),
            attributes: Map::new(),
            effects: vec![effect("passive", "One."), effect("normal", "Two.")],
            lore: None,
            updated_at: String::new(),
        }
    }

    #[test]
    fn texts_that_are_stored_already_are_recognised() {
        let card = card();
        let mut typed = TypedTexts::of(&card).unwrap();
        typed.lore = " \n".to_owned();
        assert!(typed.is_stored_in(&card));
        // The form that has removed an effect still has its empty field.
        typed.effects.push(" ".to_owned());
        assert!(typed.is_stored_in(&card));
        typed.unsaved.push("Three.".to_owned());
        assert!(!typed.is_stored_in(&card));
    }

    #[test]
    fn the_patch_has_only_changed_members() {
        let card = card();
        let mut typed = TypedTexts::of(&card).unwrap();
        assert!(typed.patch(&card).is_empty());
        typed.effects = vec![String::new(), " Three. ".to_owned()];
        typed.lore = "Whistles.".to_owned();
        let wanted = json!({
            "lore": "Whistles.", "effects": [{ "style": "normal", "text": "Three." }],
        });
        assert_eq!(Value::Object(typed.patch(&card)), wanted);
        // Without a text for each effect, the patch changes no effect.
        typed.effects.pop();
        assert_eq!(Value::Object(typed.patch(&card)), json!({ "lore": "Whistles." }));
    }
}
