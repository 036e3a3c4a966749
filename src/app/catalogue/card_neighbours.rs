//! The cards beside a card in its set.

use super::card_query::{List, ListRequest};
use super::card_search::{Part, list_in_database, list_in_memory, position_of};
use crate::app::page::PageLimit;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::domain::network::Network;
use crate::search::CardFilter;
use crate::search::index::Position;
use crate::store::catalogue::cards::CardHit;

/// The numbers of the cards beside a card, in the order in which lists show the cards of a set. Hidden cards have numbers as all others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbours {
    /// That of the card before; `None`: it is the first.
    pub previous: Option<String>,
    /// That of the card after; `None`: it is the last.
    pub next: Option<String>,
}

/// Finds the cards beside a place of a set, whether there is a card or not.
pub async fn find(
    app: &AppState,
    network: Network,
    viewer: Viewer,
    place: (&str, &str, &str),
) -> Result<Neighbours, Problem> {
    let beside = |descending| find_beside(app, network, viewer, place, descending);
    let (previous, next) = tokio::try_join!(beside(true), beside(false))?;
    Ok(Neighbours { previous, next })
}

async fn find_beside(
    app: &AppState,
    network: Network,
    viewer: Viewer,
    (game, set, number): (&str, &str, &str),
    descending: bool,
) -> Result<Option<String>, Problem> {
    let filter = CardFilter {
        game: Some(game.to_owned()),
        set: Some(set.to_owned()),
        ..CardFilter::default()
    };
    let request = ListRequest { filter, descending: Some(descending), ..ListRequest::default() };
    let list: List = request.check(app).await?;
    let after = Position {
        key: None,
        game: game.to_owned(),
        set: set.to_owned(),
        number: number.to_owned(),
        // As in all lists of cards.
        tier: 0,
    };
    let one = PageLimit::try_from(1).map_err(Problem::internal)?;
    let part = Part { after: Some(after), limit: one, total: false };
    let found = match list_in_memory(app, network, viewer, &list, &part).await? {
        Some(found) => found.entries.first().map(position_of),
        None => {
            let found = list_in_database(app, network, viewer, &list, &part).await?;
            found.entries.first().map(CardHit::position)
        }
    };
    Ok(found.map(|position| position.number))
}
