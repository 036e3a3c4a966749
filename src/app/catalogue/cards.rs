//! Cards and printings as a viewer may see them.

use cardscape_engine::{Effect, ScanTemplate};
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

use super::card_bodies::render_body;
use super::card_legalities::{LegalityResponse, legalities_of};
use super::card_migrations::{Located, NewPlace, follow_id};
use super::card_text::card_text;
use super::image_uris::{ImageUris, Scans};
use crate::app::answer_form::AnswerForm;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::domain::code::Code;
use crate::domain::designs::release::DesignCredit;
use crate::domain::ids::CardId;
use crate::memory::caches::Ticket;
use crate::memory::catalogue::card_cache::{CachedCard, PlaceMark};
use crate::memory::rendered::{Freshness, Rendered};
use crate::store::catalogue::card_migrations::successor_of_number;
use crate::store::catalogue::cards::{
    self, CardPlace, CardView, HiddenCard, JsonText, OpenCard, Printing,
};
use crate::store::{Connection, StoreResult};

/// Unlock progress of a card that started hidden.
#[derive(Serialize, ToSchema)]
pub struct CardUnlock {
    /// Number of submissions that count: at most one of each account.
    #[schema(example = 3)]
    pub submissions: i32,
    /// So many submissions are needed to unlock the card. The unlock policy of the set may ask for more, such as submissions in several rarities, or
    /// unlock the card at a time, whatever was submitted: `GET /v1/games/{game}/sets/{set}/unlock-policy`.
    #[schema(example = 5)]
    pub threshold: i32,
    /// When the card was unlocked; absent while it is hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unlocked_at: Option<DateTime<Utc>>,
}

impl From<cards::UnlockProgress> for CardUnlock {
    fn from(unlock: cards::UnlockProgress) -> Self {
        Self {
            submissions: unlock.submissions,
            threshold: unlock.threshold,
            unlocked_at: unlock.unlocked_at,
        }
    }
}

/// An effect of a card.
// The schema of an `Effect` in responses, which contain the stored JSON unchanged; a test compares both.
#[derive(ToSchema)]
pub struct EffectResponse {
    /// How the effect is activated; only in games whose effects have styles.
    #[schema(example = "passive")]
    pub style: Option<String>,
    /// Where on the card the effect is; only in games whose effects have slots.
    pub slot: Option<String>,
    /// Text of the effect, as it is printed.
    #[schema(example = "When this card is destroyed, draw a card.")]
    pub text: String,
}

/// The player who designed a card.
// The schema of a `DesignCredit` in responses, which contain the stored JSON unchanged; a test compares both.
#[derive(ToSchema)]
pub struct DesignCreditResponse {
    /// Identifier of the design, for `GET /v1/designs/{design}`.
    #[schema(example = "D-7KQ2X0FM9F")]
    pub design: String,
    /// Id of the author's account.
    pub account_id: Uuid,
    /// Name that the author had when the card was created.
    #[schema(example = "ada")]
    pub author: String,
}

/// A card that the caller may see.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({
    "id": "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11", "game": "ttcg", "set": "hearth", "number": "001", "hidden": false,
    "name": "Kettle Imp", "kind": "unit", "attributes": { "type": "fire", "rank": 1, "attack": 300, "defense": 200 },
    "effects": [{ "style": "passive", "text": "When this card is destroyed, draw a card." }],
    "image_uris": {
        "svg": "/v1/cards/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11/picture",
        "png": "/v1/cards/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11/picture?format=png",
    },
    "updated_at": "2026-11-21T08:50:41.563424Z",
}))]
pub struct OpenCardResponse {
    /// Its id.
    pub id: Uuid,
    /// Code of its game.
    #[schema(value_type = String, example = "ttcg")]
    pub game: Code,
    /// Code of its set.
    #[schema(value_type = String, example = "hearth")]
    pub set: Code,
    /// Its number in the set.
    #[schema(value_type = String, example = "001")]
    pub number: Code,
    /// Whether the card is hidden from the public: only holders of a registered copy, moderators and admins see its contents.
    pub hidden: bool,
    /// Unlock progress; absent if the card was never hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unlock: Option<CardUnlock>,
    /// Its name.
    #[schema(example = "Kettle Imp")]
    pub name: String,
    /// Code of its kind.
    #[schema(value_type = String, example = "unit")]
    pub kind: Code,
    /// Attributes of the base printing, as the game defines them.
    #[schema(value_type = Object, example = json!({ "type": "fire", "rank": 1, "attack": 300, "defense": 200 }))]
    pub attributes: JsonText<Map<String, Value>>,
    /// Effects, in printed order.
    #[schema(value_type = Vec<EffectResponse>)]
    pub effects: JsonText<Vec<Effect>>,
    /// Background text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lore: Option<String>,
    /// The player who designed the card; absent if no player did, and while the player is banned or the design is taken down.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<DesignCreditResponse>)]
    pub designed_by: Option<JsonText<DesignCredit>>,
    /// Its pictures, in its most common rarity.
    pub image_uris: ImageUris,
    /// Legality in each format of the game today (UTC); only with `include=legalities`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legalities: Option<Vec<LegalityResponse>>,
    /// When the card or one of its printings was last changed or unlocked.
    pub updated_at: DateTime<Utc>,
}

/// A card that is hidden from the caller, without its contents.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HiddenCardResponse {
    /// Its id.
    pub id: Uuid,
    /// Code of its game.
    #[schema(value_type = String, example = "ttcg")]
    pub game: Code,
    /// Code of its set.
    #[schema(value_type = String, example = "veil")]
    pub set: Code,
    /// Its number in the set.
    #[schema(value_type = String, example = "001")]
    pub number: Code,
    /// Always `true`.
    #[schema(example = true)]
    pub hidden: bool,
    /// Unlock progress.
    pub unlock: CardUnlock,
    /// Its pictures: the same back for all cards that are hidden from the caller.
    pub image_uris: ImageUris,
}

/// A card, as the caller may see it.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum CardResponse {
    /// The whole card.
    Open(OpenCardResponse),
    /// A card that is hidden from the caller, without its contents.
    Hidden(HiddenCardResponse),
}

impl CardResponse {
    pub(super) fn new(view: CardView, scans: &Scans) -> Self {
        let scan = scans.template(&view.place().game);
        match view {
            CardView::Open(card) => Self::Open(OpenCardResponse::new(card, scan)),
            CardView::Hidden(card) => Self::Hidden(card.into()),
        }
    }
}

impl OpenCardResponse {
    /// The response about a card; `scan` is the scan template of its game.
    pub(super) fn new(card: OpenCard, scan: Option<&ScanTemplate>) -> Self {
        Self {
            image_uris: ImageUris::of_card(&card, scan),
            hidden: card.is_hidden(),
            updated_at: card.public_updated_at(),
            id: card.place.id.0,
            game: card.place.game,
            set: card.place.set,
            number: card.place.number,
            unlock: card.unlock.map(Into::into),
            name: card.name,
            kind: card.kind,
            attributes: card.attributes,
            effects: card.effects,
            lore: card.lore,
            designed_by: card.designed_by,
            legalities: None,
        }
    }
}

impl From<HiddenCard> for HiddenCardResponse {
    fn from(card: HiddenCard) -> Self {
        Self {
            id: card.place.id.0,
            game: card.place.game,
            set: card.place.set,
            number: card.place.number,
            hidden: true,
            unlock: card.unlock.into(),
            image_uris: ImageUris::of_any_card(card.place.id),
        }
    }
}

/// A printing: a card in one rarity.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({
    "id": "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b12", "rarity": "uncommon", "tier": 2, "attributes": { "attack": 305, "defense": 205 },
    "image_uris": {
        "svg": "/v1/cards/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11/picture?rarity=uncommon",
        "png": "/v1/cards/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11/picture?rarity=uncommon&format=png",
    },
}))]
pub struct PrintingResponse {
    /// Its id.
    pub id: Uuid,
    /// Code of the rarity.
    #[schema(example = "uncommon")]
    pub rarity: String,
    /// Position of the rarity in the list of its game, from 1, the most common.
    #[schema(example = 2, minimum = 1)]
    pub tier: i16,
    /// The attributes for which this printing has values of its own; for all others, those of the card apply.
    #[schema(value_type = Object, example = json!({ "attack": 305, "defense": 205 }))]
    pub attributes: Map<String, Value>,
    /// Its pictures.
    pub image_uris: ImageUris,
}

impl PrintingResponse {
    /// The response about a printing of a card; `scan` is the scan template of the game.
    pub(super) fn new(
        printing: Printing,
        card: &CardPlace,
        is_hidden: bool,
        scan: Option<&ScanTemplate>,
    ) -> Self {
        Self {
            image_uris: ImageUris::of_printing(card, is_hidden, &printing.rarity, scan),
            id: printing.id.0,
            rarity: printing.rarity,
            tier: printing.tier,
            attributes: printing.attributes,
        }
    }
}

/// The printings of a card.
#[derive(Serialize, ToSchema)]
pub struct PrintingsResponse {
    /// The printings, the most common first; empty while the card is hidden from the caller.
    pub data: Vec<PrintingResponse>,
    /// Whether the card is hidden from the public: only holders of a registered copy, moderators and admins see its contents.
    pub hidden: bool,
}

/// How long responses about cards may be cached: open cards change rarely; progress has to show within seconds.
pub(crate) fn freshness(viewer: Viewer, may_progress: bool) -> Freshness {
    match (viewer.is_stranger(), may_progress) {
        (false, _) => Freshness::Private,
        (true, true) => Freshness::Public(5),
        (true, false) => Freshness::Public(60),
    }
}

/// Last change of the public response about a card; `None`: the card is hidden from the public, and then the time when
/// its content changed is secret, too.
pub(super) fn modified_at(view: &CardView, scans: &Scans) -> Option<DateTime<Utc>> {
    match view {
        CardView::Open(card) if !card.is_hidden() => {
            Some(card.public_updated_at()).max(scans.changed_at(&card.place.game))
        }
        _ => None,
    }
}

/// The viewer of a card, and the form of the response.
#[derive(Clone, Copy)]
pub struct CardRequest {
    pub viewer: Viewer,
    /// The form of the response.
    pub form: AnswerForm,
    /// Whether to include the legality in each format today; only in JSON.
    pub legalities: bool,
}

impl CardRequest {
    /// Whether a cached response may be used. Open cards are the same for anonymous clients and players. Editors must
    /// see their changes at once, and legalities change with the date.
    fn is_cacheable(self) -> bool {
        !self.viewer.sees_all() && self.form == AnswerForm::Json && !self.legalities
    }
}

/// Finds a card by its id.
pub async fn find(
    app: &AppState,
    request: CardRequest,
    card: CardId,
) -> Result<Located<Rendered>, Problem> {
    match render_card(app, request, card).await? {
        Some(answer) => Ok(Located::Here(answer)),
        None => follow_id(&mut *app.store.connection().await?, card).await,
    }
}

/// The response about a card, from the cache if possible; `None`: there is no such card.
pub(super) async fn render_card(
    app: &AppState,
    request: CardRequest,
    card: CardId,
) -> Result<Option<Rendered>, Problem> {
    if request.is_cacheable()
        && let Some(cached) = app.card_cache.find(card)
    {
        return Ok(Some(render_cached(cached, request.viewer)));
    }
    let ticket = app.card_cache.ticket();
    let find = async |conn: &_| cards::find(conn, request.viewer, card).await;
    match app.store.read(find).await? {
        None => Ok(None),
        Some(view) => write(app, request, ticket, view).await.map(Some),
    }
}

/// Finds the card with a number in a set. Leading zeros of the number may be missing or added, where this leaves only
/// one card, or only one that had the number before.
pub async fn find_by_number(
    app: &AppState,
    request: CardRequest,
    (game, set, number): (&Code, &Code, &Code),
) -> Result<Located<Rendered>, Problem> {
    let viewer = request.viewer;
    if request.is_cacheable()
        && let Some(card) = app.catalogue.cards().and_then(|all| all.at(game, set, number))
        && let Some(cached) = app.card_cache.find(CardId(Uuid::from_u128(card)))
        // The number index may lag behind the cached response of a moved card.
        && cached.place == PlaceMark::of(game, set, number)
    {
        return Ok(Located::Here(render_cached(cached, viewer)));
    }
    let ticket = app.card_cache.ticket();
    let find = async |conn: &_| cards::find_by_number(conn, viewer, game, set, number).await;
    let view = match app.store.read(find).await? {
        Some(view) => view,
        None => {
            let conn = &mut *app.store.connection().await?;
            match find_written_otherwise(conn, viewer, (game, set, number)).await? {
                Located::Here(view) => view,
                Located::Moved(place) => return Ok(Located::Moved(place)),
            }
        }
    };
    write(app, request, ticket, view).await.map(Located::Here)
}

/// Finds the card that is meant by a number that no card has exactly. People leave out leading zeros, or add some. The redirect
/// of exactly this number goes first; that of an old number with other zeros comes last, if no card has such a number now.
async fn find_written_otherwise(
    conn: &mut Connection,
    viewer: Viewer,
    (game, set, number): (&Code, &Code, &Code),
) -> Result<Located<CardView>, Problem> {
    let former = successor_of_number(conn, game, set, number).await?;
    if former.as_ref().is_none_or(|former| !former.is_exact) {
        match cards::find_numbers_ignoring_zeros(conn, game, set, number).await?.as_slice() {
            [] => {}
            [only] => {
                let view = cards::find_by_number(conn, viewer, game, set, only).await?;
                return Ok(Located::Here(view.ok_or_else(Problem::not_found)?));
            }
            _ => return Err(Problem::not_found()),
        }
    }
    let former = former.ok_or_else(Problem::not_found)?;
    Ok(Located::Moved(NewPlace::Number(former.card)))
}

/// A cached response for a viewer who may see what everybody may see.
fn render_cached(cached: CachedCard, viewer: Viewer) -> Rendered {
    Rendered::from_json_modified(freshness(viewer, false), Some(cached.modified), cached.body)
}

/// Serialises the response, and caches it if the card is open to everybody.
async fn write(
    app: &AppState,
    request: CardRequest,
    ticket: Ticket,
    view: CardView,
) -> Result<Rendered, Problem> {
    let CardRequest { viewer, form, legalities } = request;
    let scans = Scans::read(app).await?;
    if legalities && form == AnswerForm::Json {
        return with_legalities(app, viewer, view, &scans).await;
    }
    if view.is_hidden() || !request.is_cacheable() {
        let (freshness, modified) =
            (freshness(viewer, view.is_hidden()), modified_at(&view, &scans));
        return in_form(form, freshness, modified, view, &scans);
    }
    let id = view.place().id;
    let written = render_body(view, &scans)?;
    let cached = written.to_cached().ok_or_else(|| Problem::internal("an open card is hidden"))?;
    app.card_cache.insert(ticket, id, cached.clone());
    Ok(render_cached(cached, viewer))
}

/// Renders a card with its legalities of today. These change independently of the card, so the response has no
/// Last-Modified.
async fn with_legalities(
    app: &AppState,
    viewer: Viewer,
    view: CardView,
    scans: &Scans,
) -> Result<Rendered, Problem> {
    let (freshness, today) = (freshness(viewer, view.is_hidden()), app.today()?);
    let legalities = match &view {
        CardView::Hidden(_) => Vec::new(),
        CardView::Open(open) => {
            let mut conn = app.store.connection().await?;
            legalities_of(app, &mut conn, open, today).await?
        }
    };
    let mut card = CardResponse::new(view, scans);
    if let CardResponse::Open(card) = &mut card {
        card.legalities = Some(legalities);
    }
    Ok(Rendered::new(freshness, None, &card)?)
}

/// Renders a card in the requested form.
pub(super) fn in_form(
    form: AnswerForm,
    freshness: Freshness,
    modified: Option<DateTime<Utc>>,
    view: CardView,
    scans: &Scans,
) -> Result<Rendered, Problem> {
    match form {
        AnswerForm::Text => {
            let text = card_text(&view).map_err(Problem::internal)?;
            Ok(Rendered::text(freshness, modified, text))
        }
        AnswerForm::Json => {
            Ok(Rendered::new(freshness, modified, &CardResponse::new(view, scans))?)
        }
    }
}

/// Lists the printings of a card; empty while the card is hidden from the viewer.
pub async fn list_printings(
    app: &AppState,
    viewer: Viewer,
    card: CardId,
) -> Result<Located<PrintingsResponse>, Problem> {
    let scans = Scans::read(app).await?;
    let mut conn = app.store.connection().await?;
    let Some(found) = cards::find(&conn, viewer, card).await? else {
        return follow_id(&mut conn, card).await;
    };
    let (place, hidden) = (found.place(), found.is_hidden());
    let scan = scans.template(&place.game);
    let data = printings_of(&mut conn, viewer, place, hidden, scan).await?;
    Ok(Located::Here(PrintingsResponse { data, hidden }))
}

/// The printings of a card; empty while the card is hidden from the viewer. `hidden`: whether the card is hidden from
/// the public; `scan`: the scan template of its game.
pub(super) async fn printings_of(
    conn: &mut Connection,
    viewer: Viewer,
    place: &CardPlace,
    hidden: bool,
    scan: Option<&ScanTemplate>,
) -> StoreResult<Vec<PrintingResponse>> {
    let printings = cards::list_printings(conn, viewer, place.id).await?.into_iter();
    Ok(printings.map(|printing| PrintingResponse::new(printing, place, hidden, scan)).collect())
}

#[cfg(test)]
mod tests {
    use utoipa::PartialSchema as _;

    use super::*;

    fn members(object: &Value) -> Vec<String> {
        object.as_object().unwrap().keys().cloned().collect()
    }

    #[test]
    fn effects_have_the_documented_members() {
        let text = || "x".to_owned();
        let effect = Effect { style: Some(text()), slot: Some(text()), text: text() };
        let left = serde_json::to_value(effect).unwrap();
        let documented = serde_json::to_value(EffectResponse::schema()).unwrap();
        assert_eq!(members(&left), members(&documented["properties"]));
        assert_eq!(documented["required"], serde_json::json!(["text"]));
    }

    #[test]
    fn credits_have_the_documented_members() {
        let text = || "x".to_owned();
        let account_id = crate::domain::ids::AccountId::generate();
        let left =
            serde_json::to_value(DesignCredit { design: text(), account_id, author: text() })
                .unwrap();
        let documented = serde_json::to_value(DesignCreditResponse::schema()).unwrap();
        assert_eq!(members(&left), members(&documented["properties"]));
    }
}
