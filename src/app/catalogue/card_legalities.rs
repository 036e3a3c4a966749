//! Legalities: the status of a card in each format of its game.
//!
//! Legalities are a separate resource. A card's response has them only with `include=legalities`, because they change
//! with the date and the rules, while card responses are cached.

use cardscape_engine::{CardDefinition, CardLegality, Date, Format};
use serde::Serialize;
use utoipa::ToSchema;

use super::card_migrations::{Located, follow_id};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::domain::clock::engine_date;
use crate::domain::ids::CardId;
use crate::store::Connection;
use crate::store::catalogue::cards::{self, CardView, OpenCard};

/// Legality of a card in a format.
#[derive(Serialize, ToSchema)]
pub struct LegalityResponse {
    /// Code of the format.
    #[schema(example = "standard")]
    pub format: String,
    /// The version of the format that applies on that day.
    #[schema(example = "ttcg/0.042")]
    pub version: String,
    /// The default variant of the format, which is used here; absent if the format has no variants.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "by_name")]
    pub variant: Option<String>,
    /// `legal`: decks may contain it; `restricted`: decks may contain it in as many copies as the limit list allows; `banned`: the limit list forbids
    /// it; `not_legal`: no zone of the format takes it, or the box does not contain it.
    #[schema(example = "legal")]
    pub status: &'static str,
    /// Most copies that the limit list allows; absent if the list does not name the card. Other rules may allow fewer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 1)]
    pub max_copies: Option<u32>,
    /// Number of the rule because of which the card is not `legal`; absent if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "T-2.2.1d")]
    pub rule: Option<String>,
}

impl LegalityResponse {
    fn new(format: &Format, found: CardLegality) -> Self {
        Self {
            format: format.code.to_string(),
            version: format.version.to_string(),
            variant: format.variant.as_ref().map(ToString::to_string),
            status: found.status.as_str(),
            max_copies: found.max_copies,
            rule: found.rule,
        }
    }
}

/// Legalities of a card on a day.
#[derive(Serialize, ToSchema)]
pub struct LegalitiesResponse {
    /// The day.
    #[schema(value_type = String, format = Date, example = "2026-11-21")]
    pub on: Date,
    /// One entry for each format of the game that exists on that day; empty while the card is hidden from the caller.
    pub data: Vec<LegalityResponse>,
}

/// Lists the legality of a card in each format of its game on a date, and whether the card is hidden from the public.
/// The list is empty while the card is hidden from the viewer.
pub async fn list(
    app: &AppState,
    viewer: Viewer,
    card: CardId,
    on: Date,
) -> Result<Located<(LegalitiesResponse, bool)>, Problem> {
    let mut conn = app.store.connection().await?;
    let Some(found) = cards::find(&conn, viewer, card).await? else {
        return follow_id(&mut conn, card).await;
    };
    let data = match &found {
        CardView::Hidden(_) => Vec::new(),
        CardView::Open(open) => legalities_of(app, &mut conn, open, on).await?,
    };
    Ok(Located::Here((LegalitiesResponse { on, data }, found.is_hidden())))
}

/// The legality of a card in each format of its game on a date.
pub(super) async fn legalities_of(
    app: &AppState,
    conn: &mut Connection,
    card: &OpenCard,
    on: Date,
) -> Result<Vec<LegalityResponse>, Problem> {
    let OpenCard { place, name, kind, attributes, .. } = card;
    let (game, set) = (place.game.as_str(), place.set.as_str());
    let loaded = app.games.find(conn, game).await?.ok_or_else(Problem::not_found)?;
    let release = cards::load_releases(conn, Some(&[(game.to_owned(), set.to_owned())])).await?;
    let release = release.into_iter().next();
    let released_on = release.and_then(|release| engine_date(&release.released_on?));
    let definition = CardDefinition {
        number: place.number.as_str().to_owned(),
        name: name.clone(),
        kind: kind.to_string(),
        attributes: attributes.read().map_err(Problem::internal)?.into(),
        effects: Vec::new(),
        lore: None,
        printings: Vec::new(),
    };
    let formats = loaded.game.formats().iter();
    let formats = formats.filter_map(|format| loaded.game.format_on(&format.code, on));
    let judged = formats.map(|format| {
        let judgement = format.card_rules().judge(&definition, set, released_on);
        LegalityResponse::new(&format, judgement)
    });
    Ok(judged.collect())
}
