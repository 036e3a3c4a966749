//! Unlocks on the first page: sets with hidden cards, and the newest unlocks.

use super::answers::{Card, game_path, set_path};
use super::lists::{Part, list, of_set};
use super::tiles::Tile;
use crate::app::catalogue::card_query::ListRequest;
use crate::app::catalogue::sets::{self, SetResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::network::Network;
use crate::web::words;

/// Number of sets that are shown with cards. Further sets are listed with name and numbers.
const WALLS: usize = 4;
/// Cards of each of these sets.
const TILES: u16 = 24;
/// Number of the newest unlocks.
const NEW: u16 = 12;
/// Sets with hidden cards on the first page: 4 with cards, and 50 in a short list.
const SETS: usize = WALLS + 50;

#[derive(Debug)]
pub(in crate::web) struct SetWithHiddenCards {
    pub(in crate::web) name: String,
    pub(in crate::web) path: String,
    pub(in crate::web) game: String,
    pub(in crate::web) game_path: String,
    /// Number of cards that started hidden and are unlocked.
    pub(in crate::web) unlocked: i64,
    /// Number of cards that started hidden.
    pub(in crate::web) all: i64,
    pub(in crate::web) progress: String,
    /// Its first cards; empty for sets in the short list.
    pub(in crate::web) tiles: Vec<Tile>,
    /// The label of the link to all of its cards, if there are more than these.
    pub(in crate::web) more: Option<String>,
}

/// A card that was unlocked recently.
#[derive(Debug)]
pub(in crate::web) struct NewUnlock {
    pub(in crate::web) tile: Tile,
    /// The day, as text.
    pub(in crate::web) day: String,
    /// The timestamp, for programs.
    pub(in crate::web) at: String,
}

/// The sets with hidden cards, by game and code: the first of them with their first cards. At most [`SETS`], and whether there may be more.
pub(in crate::web) async fn list_walls(
    app: &AppState,
    network: Network,
) -> Result<(Vec<SetWithHiddenCards>, bool), Problem> {
    let sets = sets::list_with_hidden_cards(app, SETS).await?;
    let mut walls = Vec::with_capacity(SETS);
    // One after the other: a page runs one search at a time, like other requests.
    for (at, set) in sets.iter().take(SETS).enumerate() {
        walls.push(wall(app, network, set.clone().into(), at < WALLS).await?);
    }
    Ok((walls, sets.len() > SETS))
}

async fn wall(
    app: &AppState,
    network: Network,
    set: SetResponse,
    with_cards: bool,
) -> Result<SetWithHiddenCards, Problem> {
    let mut tiles = Vec::new();
    if with_cards {
        let first = Part { cursor: None, limit: TILES, total: false };
        let cards = list(app, network, of_set(&set.game, &set.code), first).await?;
        tiles = cards.data.iter().map(Tile::of).collect();
    }
    let shown = i64::try_from(tiles.len()).unwrap_or(i64::MAX);
    let all = set.hidden_cards + set.unlocked_cards;
    Ok(SetWithHiddenCards {
        path: set_path(&set.game, &set.code),
        game_path: game_path(&set.game),
        unlocked: set.unlocked_cards,
        all,
        progress: words::unlocked_of(set.unlocked_cards, all),
        more: (with_cards && shown < set.cards).then(|| words::all_cards_of(&set.name)),
        tiles,
        name: set.name,
        game: set.game,
    })
}

/// The newest unlocks.
pub(in crate::web) async fn list_unlocks(
    app: &AppState,
    network: Network,
) -> Result<Vec<NewUnlock>, Problem> {
    let request = ListRequest {
        text: "is:unlocked".to_owned(),
        sort: Some("unlocked".to_owned()),
        descending: Some(true),
        ..ListRequest::default()
    };
    let newest = Part { cursor: None, limit: NEW, total: false };
    let cards = list(app, network, request, newest).await?;
    Ok(cards.data.iter().filter_map(new_unlock).collect())
}

/// `None`: the card was never hidden.
fn new_unlock(card: &Card) -> Option<NewUnlock> {
    let at = card.unlock?.unlocked_at?;
    Some(NewUnlock { tile: Tile::of(card), day: words::day_of(at), at: at.to_rfc3339() })
}
