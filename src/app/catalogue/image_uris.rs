//! Addresses of the pictures of cards, printings and designs.

use std::sync::Arc;

use cardscape_engine::{ScanTemplate, ScannedPrinting};
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::designs::artwork::ArtworkId;
use crate::domain::ids::CardId;
use crate::store::catalogue::cards::{CardPlace, OpenCard};
use crate::store::catalogue::games::LoadedGame;

/// Addresses of pictures of a card, a printing or a design.
#[derive(Serialize, ToSchema)]
pub struct ImageUris {
    /// An SVG picture, for browsers, in any size.
    #[schema(example = "/v1/designs/D-7KQ2X0FM9F/picture")]
    pub svg: String,
    /// A PNG picture of 500 × 700 pixels.
    #[schema(example = "/v1/designs/D-7KQ2X0FM9F/picture?format=png")]
    pub png: String,
    /// A picture of the real card, which the operators store elsewhere: an absolute address, or a path on this host. Clients should prefer it, and
    /// show another picture if there is nothing at the address. Absent if the game has no scans, or if the card is hidden from the public.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "https://cdn.example.org/ttcg/hearth/001-common.jpg")]
    pub scan: Option<String>,
    /// The artwork alone, if the picture shows a player's artwork: PNG or JPEG, at most 1536 pixels on each side. Absent after a takedown of the
    /// artwork; its address then answers 410.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        example = "/v1/artworks/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    )]
    pub artwork: Option<String>,
    /// The same artwork, at most 500 pixels on each side.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        example = "/v1/artworks/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08?size=small"
    )]
    pub artwork_small: Option<String>,
}

impl ImageUris {
    /// The picture addresses of a design, with its artwork.
    pub(crate) fn of_design(id: &str, artwork: Option<ArtworkId>) -> Self {
        let svg = format!("/v1/designs/{id}/picture");
        Self::drawn(format!("{svg}?format=png"), svg).with_artwork(artwork)
    }

    /// The picture addresses of a card that the reader may see; `scan` is the template of its game.
    pub(super) fn of_card(card: &OpenCard, scan: Option<&ScanTemplate>) -> Self {
        let scan = scan
            .filter(|_| !card.is_hidden())
            .zip(card.lowest_rarity.as_deref())
            .map(|(scan, rarity)| fill(scan, &card.place, rarity));
        Self { scan, ..Self::of_any_card(card.place.id) }.with_artwork(card.artwork)
    }

    /// The picture addresses of any card. They depend on the id alone, so they reveal nothing about hidden cards.
    pub(crate) fn of_any_card(card: CardId) -> Self {
        let svg = format!("/v1/cards/{card}/picture");
        Self::drawn(format!("{svg}?format=png"), svg)
    }

    /// The picture addresses of a printing that the reader may see. Scans are left out for cards that are hidden from
    /// the public: another host serves them, without access control.
    pub(super) fn of_printing(
        card: &CardPlace,
        is_hidden: bool,
        rarity: &str,
        scan: Option<&ScanTemplate>,
    ) -> Self {
        let svg = format!("/v1/cards/{}/picture?rarity={rarity}", card.id);
        let scan = scan.filter(|_| !is_hidden).map(|scan| fill(scan, card, rarity));
        Self { scan, ..Self::drawn(format!("{svg}&format=png"), svg) }
    }

    fn drawn(png: String, svg: String) -> Self {
        Self { svg, png, scan: None, artwork: None, artwork_small: None }
    }

    fn with_artwork(self, artwork: Option<ArtworkId>) -> Self {
        let artwork = artwork.map(artwork_uri);
        let artwork_small = artwork.as_ref().map(|full| format!("{full}?size=small"));
        Self { artwork, artwork_small, ..self }
    }
}

fn fill(scan: &ScanTemplate, card: &CardPlace, rarity: &str) -> String {
    let CardPlace { id, game, set, number } = card;
    scan.fill(&ScannedPrinting { game, set, number, rarity, id: &id.to_string() })
}

/// The address of an artwork in full size.
pub(crate) fn artwork_uri(id: ArtworkId) -> String {
    format!("/v1/artworks/{id}")
}

/// The scan templates of all games.
pub(super) struct Scans(Arc<[Arc<LoadedGame>]>);

impl Scans {
    /// Reads the manifests, which may be as old as the cache of games allows. Cached responses made from them must be
    /// dropped when a manifest changes: see `GameCache::forget_list`.
    pub(super) async fn read(app: &AppState) -> Result<Self, Problem> {
        Ok(Self(app.all_games().await?))
    }

    /// The template of a game, if it has one.
    pub(super) fn template(&self, game: &str) -> Option<&ScanTemplate> {
        self.game(game)?.game.images().scan.as_ref()
    }

    /// When the manifest of a game last changed; its scan template may have changed with it.
    pub(super) fn changed_at(&self, game: &str) -> Option<DateTime<Utc>> {
        self.game(game).map(|loaded| loaded.updated_at)
    }

    fn game(&self, code: &str) -> Option<&LoadedGame> {
        self.0.iter().find(|loaded| loaded.game.code() == code).map(|loaded| &**loaded)
    }
}
