//! Charts of the cards of a deck, as SVG.

use bytes::Bytes;
use cardscape_engine::{Distribution, Game, ZoneStatistics};
use cardscape_pictures::{Chart, ChartOptions, ChartTheme, ChartWidth, CurveChart, SharesChart};
use serde::Deserialize;
use utoipa::ToSchema;

use super::deck_cards::Requester;
use super::deck_statistics::read_zone;
use super::opened_decks::open;
use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;
use crate::app::words::with_near;
use crate::auth::permission::{Granted, ReadOwnDecks};
use crate::domain::ids::DeckId;
use crate::memory::rendered::{Freshness, Rendered};

/// Theme of the page that shows a chart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ThemeWord {
    /// Dark text on a light background.
    #[default]
    Light,
    /// Light text on a dark background.
    Dark,
}

#[derive(Debug)]
pub struct ChartRequest {
    /// `kind`, `set`, `rarity`, or the code of an attribute.
    pub of: String,
    /// The zone; `None`: the main zone.
    pub zone: Option<String>,
    /// Width in pixels; `None`: 640.
    pub width: Option<u32>,
    /// The theme of the page that shows the chart.
    pub theme: ThemeWord,
}

/// Draws a chart of a deck that the reader may see: a curve for whole numbers, and shares for all other values. Cards that are hidden from the reader
/// count as unknown cards, which no chart contains.
pub async fn draw(
    app: &AppState,
    reader: Option<&Granted<ReadOwnDecks>>,
    requester: Requester,
    id: DeckId,
    request: ChartRequest,
) -> Result<Rendered, Problem> {
    let options = options(&request)?;
    let opened = open(app, reader, requester, id).await?;
    let (game, name) = (opened.game(), &opened.seen.row.name);
    let zone = read_zone(game, request.zone.as_deref())?;
    let counted = opened.statistics();
    let found = counted.zones.iter().find(|counted| *counted.zone == *zone);
    let found = found.ok_or_else(|| Problem::internal("a zone without statistics"))?;
    let distribution = distribution(found, &request.of)?;
    let title = format!("{name}: {}", request.of.replace('_', " "));
    let chart = if distribution.numbers.is_some() {
        let axis = request.of.replace('_', " ");
        Chart::curve(&CurveChart::from_distribution(title, axis, distribution), options)
    } else {
        let called = |code: &str| value_name(game, &request.of, code);
        Chart::shares(&SharesChart::from_distribution(title, distribution, called), options)
    };
    Ok(Rendered::file(Freshness::Private, "image/svg+xml", Bytes::from(chart.svg())))
}

fn options(request: &ChartRequest) -> Result<ChartOptions, Problem> {
    let theme = match request.theme {
        ThemeWord::Light => ChartTheme::Light,
        ThemeWord::Dark => ChartTheme::Dark,
    };
    let Some(pixels) = request.width else {
        return Ok(ChartOptions { theme, ..ChartOptions::default() });
    };
    let width = ChartWidth::new(pixels).ok_or_else(|| {
        let (least, most) = (ChartWidth::MIN, ChartWidth::MAX);
        refused("?width", format!("must be {least} to {most}, not {pixels}"))
    })?;
    Ok(ChartOptions { width, theme })
}

fn refused(parameter: &str, detail: String) -> Problem {
    Problem::of_query(vec![InputFault::at(parameter, detail)])
}

fn distribution<'a>(zone: &'a ZoneStatistics, of: &str) -> Result<&'a Distribution, Problem> {
    match of {
        "kind" => Ok(&zone.kinds),
        "set" => Ok(&zone.sets),
        "rarity" => Ok(&zone.rarities),
        attribute => zone.attributes.get(attribute).ok_or_else(|| {
            let known = ["kind", "set", "rarity"];
            let known = known.into_iter().chain(zone.attributes.keys().map(String::as_str));
            refused("?of", with_near(&format!("There is no attribute {of}."), of, known))
        }),
    }
}

/// The name that a game gives to a code.
fn value_name(game: &Game, of: &str, code: &str) -> Option<String> {
    match of {
        "kind" => {
            game.kinds().iter().find(|kind| *kind.code == *code).map(|kind| kind.name.clone())
        }
        "rarity" => game.rarity(code).map(|rarity| rarity.name.clone()),
        // Deck lists name sets by their codes.
        "set" => Some(code.to_owned()),
        _ => None,
    }
}
