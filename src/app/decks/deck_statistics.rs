//! Statistics of decks: counts and curves, the odds of draws, and random opening hands.

use std::collections::BTreeMap;

use cardscape_engine::{
    AttributeValue, CardMention, CardReference, DeckStatistics, Distribution, DrawOdds,
    DrawQuestion, DrawTarget, Game, MatchCount, OddsError, SampleCard, SampleHand,
    UnreachableCards, ZoneStatistics, draw_odds, name_key, sample_hand, unreachable_cards,
};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::deck_cards::Requester;
use super::deck_input::is_false;
use super::masks::{EntryCardResponse, Masks, Place};
use super::opened_decks::{OpenedDeck, open};
use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;
use crate::app::words::with_near;
use crate::auth::permission::{Granted, ReadOwnDecks};
use crate::domain::draw::Draw;
use crate::domain::ids::{CardId, DeckId};

/// Most characters of a seed.
const MAX_SEED: usize = 100;

/// Statistics of a deck.
#[derive(Serialize, ToSchema)]
pub struct DeckStatisticsResponse {
    /// Code of the game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Number of all cards, including unknown cards and cards in unknown zones.
    #[schema(example = 50)]
    pub cards: u64,
    /// All zones of the game, in the order of its manifest.
    pub zones: Vec<ZoneStatisticsResponse>,
    /// Cards in zones that the game does not have; they are counted nowhere else.
    #[schema(example = 0)]
    pub elsewhere: u64,
    /// Cards that can never be played, because the deck has no cards on which they can be played, by the rules of the deck's format; empty if the
    /// format does not exist any more.
    pub unreachable: Vec<UnreachableCards>,
}

/// Counts, shares and curves of a zone of a deck. Each card is counted either in `known` or in `unknown`.
#[derive(Serialize, ToSchema)]
pub struct ZoneStatisticsResponse {
    /// Code of the zone.
    #[schema(example = "main")]
    pub zone: String,
    /// Number of cards.
    #[schema(example = 50)]
    pub cards: u64,
    /// Copies of cards that you can see.
    #[schema(example = 49)]
    pub known: u64,
    /// How many of the known copies match several cards that differ in more than set and number. They are counted where all of these cards have the
    /// same value, and as `unclear` where they differ.
    #[schema(example = 0)]
    pub ambiguous: u64,
    /// How many of the known copies have the name of a card, but not its set, number or rarity. Values that differ between the cards of the name are
    /// `unclear`, and so are set and rarity.
    #[schema(example = 0)]
    pub other_printings: u64,
    /// Copies that match no card that you can see. They are in no distribution.
    #[schema(example = 1)]
    pub unknown: u64,
    /// The unknown cards as the deck writes them, sorted, with their copies; at most 100.
    pub unknown_cards: Vec<UnknownCardResponse>,
    /// Number of unknown cards that are not listed.
    #[schema(example = 0)]
    pub unknown_cards_left_out: u64,
    /// Copies by kind of card.
    pub kinds: Distribution,
    /// Copies by set of the card.
    pub sets: Distribution,
    /// Copies by rarity, if the deck names one.
    pub rarities: Distribution,
    /// Copies by each attribute of the game, whatever the kind.
    pub attributes: BTreeMap<String, Distribution>,
}

impl ZoneStatisticsResponse {
    /// `hidden`: the cards that are hidden from the reader, by their places.
    fn new(zone: ZoneStatistics, hidden: &BTreeMap<Place, CardId>) -> Self {
        let unknown_card = |mention: CardMention| {
            let place = (mention.set.clone(), mention.number.clone());
            let card = hidden.get(&place).filter(|_| mention.name.is_empty());
            let (card_id, hidden) = (card.map(|card| card.0), card.is_some());
            UnknownCardResponse { mention, card_id, hidden }
        };
        Self {
            zone: zone.zone.to_string(),
            cards: zone.cards,
            known: zone.known,
            ambiguous: zone.ambiguous,
            other_printings: zone.other_printings,
            unknown: zone.unknown,
            unknown_cards: zone.unknown_cards.into_iter().map(unknown_card).collect(),
            unknown_cards_left_out: zone.unknown_cards_left_out,
            kinds: zone.kinds,
            sets: zone.sets,
            rarities: zone.rarities,
            attributes: zone.attributes,
        }
    }
}

/// A card of a deck that you cannot see, or that does not exist.
#[derive(Serialize, ToSchema)]
pub struct UnknownCardResponse {
    /// The card as the deck writes it, and its copies.
    #[serde(flatten)]
    pub mention: CardMention,
    /// Id of the card, if it is hidden from you.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_id: Option<Uuid>,
    /// Whether the card is hidden from you; its name is then empty, and `card_id` is its id.
    #[serde(skip_serializing_if = "is_false")]
    #[schema(default = false, example = false)]
    pub hidden: bool,
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
    pub opening_hand: Vec<SampleCardResponse>,
    /// The cards that were drawn after the opening hand.
    pub draws: Vec<SampleCardResponse>,
}

/// A card that was drawn.
#[derive(Serialize, ToSchema)]
pub struct SampleCardResponse {
    /// Position of its entry in the deck, from 0.
    #[schema(example = 0)]
    pub entry: usize,
    /// The card as the deck writes it.
    pub written: WrittenCardResponse,
    /// The card; absent: you can see no card that matches the entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<CardMention>,
}

/// A card as a deck writes it.
#[derive(Serialize, ToSchema)]
pub struct WrittenCardResponse {
    /// Name of the card; empty: the entry has only a set and a number, or the card is hidden from you.
    #[schema(example = "Kettle Imp")]
    pub name: String,
    /// Set and number; `card_id` is only there if the card is hidden from you.
    #[serde(flatten)]
    pub card: EntryCardResponse,
    /// Rarity, if the entry names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "rare")]
    pub rarity: Option<String>,
}

impl SampleCardResponse {
    fn new(drawn: SampleCard, masks: &Masks) -> Self {
        let SampleCard { entry, written, card, .. } = drawn;
        let CardReference { name, set, number, rarity } = written;
        let written =
            WrittenCardResponse { name, card: masks.card_at(entry, (set, number)), rarity };
        Self { entry, written, card }
    }
}

/// Counts the cards of a deck that the reader may see.
pub async fn count(
    app: &AppState,
    reader: Option<&Granted<ReadOwnDecks>>,
    requester: Requester,
    id: DeckId,
) -> Result<DeckStatisticsResponse, Problem> {
    let opened = open(app, reader, requester, id).await?;
    let (content, catalogue) = (&opened.seen.content, &opened.catalogue);
    let hidden = opened.seen.masks.hidden_places(&content.deck);
    // If the format no longer exists, unreachable cards cannot be determined.
    let format = content.format.find_in(opened.game(), app.today()?).ok();
    let unreachable = format.map(|format| unreachable_cards(&content.deck, catalogue, &format));
    let DeckStatistics { game, cards, zones, elsewhere, .. } = opened.statistics();
    let zone = |zone| ZoneStatisticsResponse::new(zone, &hidden);
    Ok(DeckStatisticsResponse {
        game: game.to_string(),
        cards,
        zones: zones.into_iter().map(zone).collect(),
        elsewhere,
        unreachable: unreachable.unwrap_or_default(),
    })
}

/// The odds of draws from a deck.
#[derive(Serialize, ToSchema)]
pub struct DrawOddsResponse {
    /// The odds.
    #[serde(flatten)]
    pub odds: DrawOdds,
    /// What is probably wrong with the request: no card of the zone is known to be a wanted one. Usually empty.
    pub warnings: Vec<OddsWarning>,
}

/// A warning about the wanted cards.
#[derive(Serialize, ToSchema)]
pub struct OddsWarning {
    /// The parameter: `name`, `kind` or `value`.
    #[schema(value_type = String, example = "name")]
    pub parameter: &'static str,
    /// The warning, for people, with similar names or values of the deck.
    #[schema(
        example = "No card in the zone main is known to have the name “Ketle Imp”; did you mean Kettle Imp?"
    )]
    pub message: String,
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
    requester: Requester,
    id: DeckId,
    request: OddsRequest,
) -> Result<DrawOddsResponse, Problem> {
    check_most(&[
        ("?hand_size", request.hand_size.unwrap_or_default(), 10_000),
        ("?draws", request.draws, 10_000),
        ("?mulligans", request.mulligans.unwrap_or_default(), 20),
    ])?;
    let wanted = wanted_count(&request)?;
    let opened = open(app, reader, requester, id).await?;
    let game = opened.game();
    let kind = request.kind.map(|kind| kind_code(game, kind));
    let request = OddsRequest { kind, ..request };
    let target = read_target(game, &request)?;
    let mut question = DrawQuestion::new(target);
    question.zone = read_zone(game, request.zone.as_deref())?;
    question.wanted = wanted;
    question.hand_size = request.hand_size;
    question.further_draws = request.draws;
    question.goes_first = request.goes_first;
    question.mulligans = request.mulligans;
    let odds = draw_odds(&opened.seen.content.deck, &opened.catalogue, &question);
    let odds = odds.map_err(|error| refused(game, &error))?;
    let is_missing = odds.population.matching == 0;
    let warning = is_missing.then(|| none_wanted(&opened, &question.zone, &request));
    Ok(DrawOddsResponse { odds, warnings: warning.into_iter().collect() })
}

/// The warning that no card of a zone is known to be wanted. It depends only on what the reader sees of the deck.
fn none_wanted(opened: &OpenedDeck, zone: &str, request: &OddsRequest) -> OddsWarning {
    let cards = || opened.catalogue.iter().map(|card| &card.definition);
    let none = format!("No card in the zone {zone} is known to");
    let (parameter, message) = match (&request.name, &request.kind, &request.attribute) {
        (Some(name), ..) => {
            let written = opened.seen.content.deck.entries.iter().map(|entry| &entry.card.name);
            let known = written.chain(cards().map(|card| &card.name)).map(|name| &**name);
            // Another zone may have the name itself.
            let key = name_key(name);
            let others = known.filter(|known| !known.is_empty() && name_key(known) != key);
            ("name", with_near(&format!("{none} have the name “{name}”."), name, others))
        }
        (None, Some(kind), _) => ("kind", format!("{none} be of the kind {kind}.")),
        (None, None, attribute) => {
            let code = attribute.as_deref().unwrap_or_default();
            let value = request.value.as_deref().unwrap_or_default();
            let values = cards().filter_map(|card| card.attributes.get(code));
            let texts = values.flat_map(|known| {
                let items = known.as_array().map_or(std::slice::from_ref(known), Vec::as_slice);
                items.iter().filter_map(Value::as_str)
            });
            let others = texts.filter(|known| *known != value);
            ("value", with_near(&format!("{none} have {code} “{value}”."), value, others))
        }
    };
    OddsWarning { parameter, message }
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

/// The code of the zone that a request names, by any word that means it in lists; `None`: the main zone.
pub(super) fn read_zone(game: &Game, zone: Option<&str>) -> Result<String, Problem> {
    let known = match zone {
        Some(word) => game.zone_called(word),
        None => game.zones().first(),
    };
    let unknown = || OddsError::UnknownZone { zone: zone.unwrap_or_default().to_owned() };
    known.map(|known| known.code.to_string()).ok_or_else(|| refused(game, &unknown()))
}

/// The code of a kind that is written in any case; a kind that the game does not have stays as it was written.
fn kind_code(game: &Game, kind: String) -> String {
    let known = game.kinds().iter().find(|known| known.code.eq_ignore_ascii_case(&kind));
    known.map_or(kind, |known| known.code.clone())
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
        OddsError::TooLarge { what: "draws", .. }
        | OddsError::TooManyDraws { .. }
        | OddsError::TooManyCards { .. } => "?draws",
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
    requester: Requester,
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
    let opened = open(app, reader, requester, id).await?;
    let (game, deck) = (opened.game(), &opened.seen.content.deck);
    let zone = read_zone(game, zone.as_deref())?;
    let seed = seed.unwrap_or_else(|| Draw::random().number().to_string());
    let number = Draw::of_seed(&seed).number().unsigned_abs();
    let drawn = sample_hand(deck, &opened.catalogue, &zone, number, hand_size, draws);
    let SampleHand { cards, opening_hand, draws, .. } =
        drawn.map_err(|error| refused(game, &error))?;
    let seen = |cards: Vec<SampleCard>| {
        let masks = &opened.seen.masks;
        cards.into_iter().map(|card| SampleCardResponse::new(card, masks)).collect()
    };
    let (opening_hand, draws) = (seen(opening_hand), seen(draws));
    Ok(SampleHandResponse { seed, cards, opening_hand, draws })
}
