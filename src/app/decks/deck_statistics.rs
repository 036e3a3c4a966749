//! Statistics of decks: counts and curves, the odds of draws, and random opening hands.

use cardscape_engine::{
    AttributeValue, DeckStatistics, DrawOdds, DrawQuestion, DrawTarget, Game, MatchCount,
    OddsError, SampleCard, SampleHand, UnreachableCards, draw_odds, sample_hand, unreachable_cards,
};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::deck_cards::Asker;
use super::opened_decks::open;
use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;
use crate::app::words::with_near;
use crate::auth::permission::{Granted, ReadOwnDecks};
use crate::domain::draw::Draw;
use crate::domain::ids::DeckId;

/// Most characters of a seed.
const MAX_SEED: usize = 100;

/// Statistics of a deck.
#[derive(Serialize, ToSchema)]
pub struct DeckStatisticsResponse {
    /// Cards by zone, kind, set, rarity and attribute.
    #[serde(flatten)]
    pub statistics: DeckStatistics,
    /// Cards that can never be played, because the deck has no cards on which they can be played, by the rules of the deck's format; empty if the
    /// format does not exist any more.
    pub unreachable: Vec<UnreachableCards>,
}

/// A random hand of a deck.
#[derive(Serialize, ToSchema)]
pub struct SampleHandResponse {
    /// The seed. The same seed always draws the same hand from the same deck.
    #[schema(example = "monday")]
    pub seed: String,
    /// Number of cards in the zone from which the hand was drawn.
    #[schema(example = 50)]
    pub cards: u64,
    /// The opening hand, in the order in which it was drawn.
    pub opening_hand: Vec<SampleCard>,
    /// The cards that were drawn after the opening hand.
    pub draws: Vec<SampleCard>,
}

/// Counts the cards of a deck that the reader may see.
pub async fn count(
    app: &AppState,
    reader: Option<&Granted<ReadOwnDecks>>,
    asker: Asker,
    id: DeckId,
) -> Result<DeckStatisticsResponse, Problem> {
    let opened = open(app, reader, asker, id).await?;
    let (content, catalogue) = (&opened.seen.content, &opened.catalogue);
    // If the format no longer exists, unreachable cards cannot be determined.
    let format = content.format.find_in(opened.game(), app.today()?).ok();
    let unreachable = format.map(|format| unreachable_cards(&content.deck, catalogue, &format));
    Ok(DeckStatisticsResponse {
        statistics: opened.statistics(),
        unreachable: unreachable.unwrap_or_default(),
    })
}

/// A request for the odds of draws.
#[derive(Debug, Default)]
pub struct OddsRequest {
    /// The zone; `None`: the main zone.
    pub zone: Option<String>,
    /// Only cards with this name.
    pub name: Option<String>,
    /// Only cards of this kind.
    pub kind: Option<String>,
    /// Only cards whose attribute with this code has the value `value`.
    pub attribute: Option<String>,
    pub value: Option<String>,
    /// Fewest of these cards to draw; `None`: 1, or 0 if `max` is 0.
    pub min: Option<u64>,
    /// Most of these cards to draw; `None`: any number.
    pub max: Option<u64>,
    /// Cards of the opening hand; `None`: the number that the game defines.
    pub hand_size: Option<u32>,
    /// Draws after the opening hand.
    pub draws: u32,
    /// Whether the player goes first.
    pub goes_first: bool,
    /// Most mulligans; `None`: the number that the game defines.
    pub mulligans: Option<u32>,
}

/// Computes the odds of draws from a deck that the reader may see.
pub async fn odds(
    app: &AppState,
    reader: Option<&Granted<ReadOwnDecks>>,
    asker: Asker,
    id: DeckId,
    request: OddsRequest,
) -> Result<DrawOdds, Problem> {
    check_most(&[
        ("?hand_size", request.hand_size.unwrap_or_default(), 10_000),
        ("?draws", request.draws, 10_000),
        ("?mulligans", request.mulligans.unwrap_or_default(), 20),
    ])?;
    let wanted = wanted_count(&request)?;
    let opened = open(app, reader, asker, id).await?;
    let game = opened.game();
    let target = read_target(game, &request)?;
    let mut question = DrawQuestion::new(target);
    question.zone = request.zone.unwrap_or_else(|| main_zone(game));
    question.wanted = wanted;
    question.hand_size = request.hand_size;
    question.further_draws = request.draws;
    question.goes_first = request.goes_first;
    question.mulligans = request.mulligans;
    let odds = draw_odds(&opened.seen.content.deck, &opened.catalogue, &question);
    odds.map_err(|error| refused(game, &error))
}

/// The number of cards that are wanted, if there is such a number.
fn wanted_count(request: &OddsRequest) -> Result<MatchCount, Problem> {
    let (min, max) = (request.min.unwrap_or(u64::from(request.max != Some(0))), request.max);
    match max {
        Some(max) if max < min => {
            let detail = format!("must be at least {min}, which is min, not {max}");
            Err(Problem::of_query(vec![InputFault::at("?max", detail)]))
        }
        _ => Ok(MatchCount { min, max }),
    }
}

/// Refuses numbers that are larger than the OpenAPI document allows. `numbers`: parameter, value, and largest allowed value.
fn check_most(numbers: &[(&str, u32, u32)]) -> Result<(), Problem> {
    let too_large = numbers.iter().filter(|(_, number, most)| number > most);
    let faults: Vec<InputFault> = too_large
        .map(|(parameter, number, most)| {
            InputFault::at(*parameter, format!("must be at most {most}, not {number}"))
        })
        .collect();
    if faults.is_empty() { Ok(()) } else { Err(Problem::of_query(faults)) }
}

pub(super) fn main_zone(game: &Game) -> String {
    game.zones().first().map_or_else(|| "main".to_owned(), |zone| zone.code.to_string())
}

/// The cards whose odds are requested, or the fault of the parameters that name them.
fn read_target(game: &Game, request: &OddsRequest) -> Result<DrawTarget, Problem> {
    let fault = |parameter: &str, detail: String| {
        Err(Problem::of_query(vec![InputFault::at(parameter, detail)]))
    };
    match (&request.name, &request.kind, &request.attribute, &request.value) {
        (Some(name), None, None, None) => Ok(DrawTarget::named(name)),
        (None, Some(kind), None, None) => {
            if game.kinds().iter().any(|known| *known.code == **kind) {
                return Ok(DrawTarget::kind(kind));
            }
            let known = game.kinds().iter().map(|known| &*known.code);
            fault("?kind", with_near(&format!("There is no kind {kind}."), kind, known))
        }
        (None, None, Some(attribute), Some(value)) => {
            let mut all = game.kinds().iter().flat_map(|kind| &kind.attributes);
            let Some((_, known)) = all.find(|(code, _)| **code == **attribute) else {
                let codes = game.kinds().iter().flat_map(|kind| kind.attributes.keys());
                let none = format!("There is no attribute {attribute}.");
                let codes = codes.map(|code| &**code);
                return fault("?attribute", with_near(&none, attribute, codes));
            };
            let value = match &known.value {
                AttributeValue::Integer { .. } => match value.parse::<i64>() {
                    Ok(number) => Value::from(number),
                    Err(_) => return fault("?value", "must be a whole number".to_owned()),
                },
                AttributeValue::Boolean => match value.parse::<bool>() {
                    Ok(flag) => Value::from(flag),
                    Err(_) => return fault("?value", "must be true or false".to_owned()),
                },
                _ => Value::from(value.as_str()),
            };
            Ok(DrawTarget::attribute(attribute, value))
        }
        _ => {
            let detail = "must have exactly one of name, kind, and attribute with value";
            fault("", detail.to_owned())
        }
    }
}

/// The problem when odds cannot be computed, with the parameter that causes it.
fn refused(game: &Game, error: &OddsError) -> Problem {
    let parameter = match error {
        OddsError::UnknownZone { .. } => "?zone",
        OddsError::NotSaid { key: "hand_size" } => "?hand_size",
        OddsError::TooLarge { what: "draws", .. } | OddsError::TooManyDraws { .. } => "?draws",
        _ => "",
    };
    let detail = match error {
        OddsError::UnknownZone { zone } => {
            let known = game.zones().iter().map(|zone| &*zone.code);
            with_near(&format!("There is no zone {zone}."), zone, known)
        }
        OddsError::NotSaid { .. } => {
            "is needed: the game does not say how many cards are drawn".to_owned()
        }
        other => other.to_string(),
    };
    Problem::of_query(vec![InputFault::at(parameter, detail)])
}

/// Draws a hand from a deck that the reader may see.
pub async fn hand(
    app: &AppState,
    reader: Option<&Granted<ReadOwnDecks>>,
    asker: Asker,
    id: DeckId,
    (zone, seed): (Option<String>, Option<String>),
    (hand_size, draws): (Option<u32>, u32),
) -> Result<SampleHandResponse, Problem> {
    let most = SampleHand::CARDS_MAX;
    check_most(&[("?hand_size", hand_size.unwrap_or_default(), most), ("?draws", draws, most)])?;
    if let Some(length) = seed.as_deref().map(|seed| seed.chars().count()).filter(|n| *n > MAX_SEED)
    {
        let detail = format!("must be at most {MAX_SEED} characters long, not {length}");
        return Err(Problem::of_query(vec![InputFault::at("?seed", detail)]));
    }
    let opened = open(app, reader, asker, id).await?;
    let (game, deck) = (opened.game(), &opened.seen.content.deck);
    let zone = zone.unwrap_or_else(|| main_zone(game));
    let seed = seed.unwrap_or_else(|| Draw::fresh().number().to_string());
    let number = Draw::of_seed(&seed).number().unsigned_abs();
    let drawn = sample_hand(deck, &opened.catalogue, &zone, number, hand_size, draws);
    let SampleHand { cards, opening_hand, draws, .. } =
        drawn.map_err(|error| refused(game, &error))?;
    Ok(SampleHandResponse { seed, cards, opening_hand, draws })
}
