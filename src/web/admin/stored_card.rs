//! A stored card that is to be changed: the response of the API, and the card as a document like in a set file.

use cardscape_engine::Effect;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::app::answer_form::AnswerForm;
use crate::app::catalogue::card_migrations::{Located, NewPlace};
use crate::app::catalogue::cards::{self, CardRequest, CardResponse, PrintingResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, Viewer, WriteCatalogue};
use crate::domain::ids::CardId;
use crate::web::catalogue::card_path;
use crate::web::words;

/// What a card is, without its unlock progress: each submission changes that, and no form edits it.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(super) struct StoredCard {
    pub(super) id: Uuid,
    pub(super) game: String,
    pub(super) set: String,
    pub(super) number: String,
    pub(super) hidden: bool,
    pub(super) name: String,
    pub(super) kind: String,
    #[serde(default)]
    pub(super) attributes: Map<String, Value>,
    #[serde(default)]
    pub(super) effects: Vec<Effect>,
    pub(super) lore: Option<String>,
    /// It changes with the printings, too.
    pub(super) updated_at: String,
}

impl StoredCard {
    /// Whether a response is about the card as it is here.
    pub(super) fn is_in(&self, response: &CardResponse) -> bool {
        let body = serde_json::to_vec(response);
        let now = body.and_then(|body| serde_json::from_slice::<Self>(&body));
        now.is_ok_and(|now| now == *self)
    }

    /// The path of the public page of the card.
    pub(super) fn public_path(&self) -> String {
        card_path(&self.game, &self.set, &self.number)
    }

    /// Its set and number.
    pub(super) fn place(&self) -> String {
        words::place(&self.set, &self.number)
    }

    /// The card as in a set file, without its number.
    pub(super) fn document(&self, printings: &[PrintingResponse]) -> Map<String, Value> {
        let printing = |one: &PrintingResponse| {
            if one.attributes.is_empty() {
                json!({ "rarity": one.rarity })
            } else {
                json!({ "rarity": one.rarity, "attributes": one.attributes })
            }
        };
        let printings: Vec<Value> = printings.iter().map(printing).collect();
        let mut document = Map::new();
        document.insert("name".to_owned(), json!(self.name));
        document.insert("kind".to_owned(), json!(self.kind));
        document.insert("attributes".to_owned(), json!(self.attributes));
        if !self.effects.is_empty() {
            document.insert("effects".to_owned(), json!(self.effects));
        }
        if let Some(lore) = &self.lore {
            document.insert("lore".to_owned(), json!(lore));
        }
        document.insert("printings".to_owned(), json!(printings));
        document
    }
}

/// The outcome of a look-up of a card.
pub(super) enum LookedUpCard {
    Here(Box<StoredCard>),
    /// The card was merged into the card with this id.
    Merged(CardId),
}

/// Finds a card as an admin sees it.
pub(super) async fn look_for(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    id: CardId,
) -> Result<LookedUpCard, Problem> {
    let request =
        CardRequest { viewer: Viewer::from(by), form: AnswerForm::Json, legalities: false };
    match cards::find(app, request, id).await? {
        Located::Here(found) => {
            let card = serde_json::from_slice(found.body()).map_err(Problem::internal)?;
            Ok(LookedUpCard::Here(Box::new(card)))
        }
        Located::Moved(NewPlace::Id(into)) => Ok(LookedUpCard::Merged(into)),
        Located::Moved(NewPlace::Number(_)) => Err(Problem::internal("an id leads to a number")),
    }
}

/// Finds a card; a card that was merged into another one answers 404, which [`super::merged_cards::follow_merge`] turns into the way to the other card.
pub(super) async fn find_card(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    id: CardId,
) -> Result<StoredCard, Problem> {
    match look_for(app, by, id).await? {
        LookedUpCard::Here(found) => Ok(*found),
        LookedUpCard::Merged(_) => Err(Problem::not_found()),
    }
}

/// The merge patch (RFC 7396) that turns one document into the other.
pub(super) fn patch_between(
    before: &Map<String, Value>,
    after: &Map<String, Value>,
) -> Map<String, Value> {
    let mut patch = Map::new();
    for key in before.keys().filter(|key| !after.contains_key(*key)) {
        patch.insert(key.clone(), Value::Null);
    }
    for (key, value) in after {
        match (before.get(key), value) {
            (Some(old), new) if old == new => {}
            (Some(Value::Object(old)), Value::Object(new)) => {
                patch.insert(key.clone(), Value::Object(patch_between(old, new)));
            }
            (_, new) => {
                patch.insert(key.clone(), new.clone());
            }
        }
    }
    patch
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_has_the_differences() {
        let object = |value: Value| value.as_object().cloned().unwrap();
        let before = object(json!({ "name": "A", "lore": "x", "attributes": { "a": 1, "b": 2 } }));
        let after = object(json!({ "name": "B", "attributes": { "a": 1, "c": [3] } }));
        let patch = patch_between(&before, &after);
        let wanted = json!({ "name": "B", "lore": null, "attributes": { "b": null, "c": [3] } });
        assert_eq!(Value::Object(patch), wanted);
        assert!(patch_between(&before, &before).is_empty());
    }
}
