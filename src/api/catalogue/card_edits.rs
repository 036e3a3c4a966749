//! Edits of cards by admins.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::import::{ImportQuery, NO_STORE};
use crate::app::catalogue::card_edits::{self, Edited};
use crate::app::catalogue::cards::{CardResponse, OpenCardResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::versions::IfMatch;
use crate::auth::permission::WriteCatalogue;
use crate::domain::catalogue::card_edit::MergePatch;
use crate::domain::ids::CardId;
use crate::http::extract::{May, Params, Patch, edited};

impl<T: Serialize> Edited<T> {
    /// The response. That to a dry run has no ETag, because its content is not stored.
    pub(super) fn answer(&self) -> Result<HttpResponse, Problem> {
        match self {
            Self::Done(now) => edited(StatusCode::OK, now),
            Self::Rehearsed(now) => Ok(HttpResponse::Ok().insert_header(NO_STORE).json(now)),
        }
    }
}

/// A JSON merge patch of a card, in the form that cards have in set files.
#[derive(ToSchema)]
#[schema(example = json!({
    "attributes": { "attack": 325, "defense": 175 },
    "effects": [
        { "style": "passive", "text": "When this card is sent to the discard pile, your opponent loses 1 point." },
        { "style": "normal", "text": "Discard a Fire card to draw one card." },
    ],
    "lore": "It whistles when it is happy.",
    "printings": [
        { "rarity": "common", "attributes": { "attack": 325, "defense": 175 } },
        { "rarity": "uncommon", "attributes": { "attack": 335, "defense": 175 } },
        { "rarity": "rare", "attributes": { "attack": 345, "defense": 175 } },
        { "rarity": "ultra_rare", "attributes": { "attack": 355, "defense": 175 } },
        { "rarity": "mythic_rare", "attributes": { "attack": 365, "defense": 175 } },
        { "rarity": "primal_rare", "attributes": { "attack": 375, "defense": 175 } },
    ],
}))]
#[allow(dead_code, reason = "the shape of the document; MergePatch reads it")]
pub struct CardPatch {
    /// Name of the card. A printed card keeps its name, except for case and punctuation.
    #[schema(example = "Kettle Imp")]
    name: Option<String>,
    /// Code of the kind of the card.
    kind: Option<String>,
    /// Attributes to change; `null` removes an attribute.
    #[schema(value_type = Option<Object>)]
    attributes: Option<serde_json::Map<String, serde_json::Value>>,
    /// All effects, in printed order.
    #[schema(value_type = Option<Vec<Object>>)]
    effects: Option<Vec<serde_json::Value>>,
    /// Background text; `null` removes it.
    lore: Option<String>,
    /// All printings: each rarity, with the attributes that differ from those of the card.
    #[schema(value_type = Option<Vec<Object>>)]
    printings: Option<Vec<serde_json::Value>>,
}

/// Changes a card.
///
/// The body is a JSON merge patch (RFC 7396) of the card in the form of a set file, with its printings; lists are replaced as a whole. The result is
/// checked like a card of an import. If it has faults, it is refused with a list of all of them; their pointers lead into the card. `If-Match` has
/// the `ETag` of `GET /v1/cards/{card}`, which also changes when a printing changes.
#[utoipa::path(
    patch, path = "/v1/cards/{card}", tag = "catalogue", security(("bearer" = [])),
    request_body(content((CardPatch = "application/merge-patch+json"), (CardPatch = "application/json"))),
    params(
        ("card" = Uuid, Path, description = "Id of the card"),
        ("If-Match" = String, Header, description = "ETag of the card that was read"),
        ImportQuery,
    ),
    responses(
        (status = 200, body = OpenCardResponse, description = "The card as it is now, or, in a dry run, as it would be.",
            headers(("ETag" = String, description = "The new version; absent in a dry run"))),
        (status = 412, description = "`precondition_failed`: it was changed since; nothing is overwritten."),
        (status = 422, description = "`invalid_edit`, `invalid_body`"),
        (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn edit_card(
    state: web::Data<AppState>,
    by: May<WriteCatalogue>,
    card: web::Path<Uuid>,
    query: Params<ImportQuery>,
    if_match: Result<IfMatch, Problem>,
    patch: Result<Patch<MergePatch, CardPatch>, Problem>,
) -> Result<HttpResponse, Problem> {
    let (id, if_match, Patch(patch, _)) = (CardId(*card), if_match?, patch?);
    let (is_as_read, dry_run) = (|now: &CardResponse| if_match.has_seen(now), query.dry_run);
    card_edits::edit_card(&state, &by, id, is_as_read, &patch, dry_run).await?.answer()
}
