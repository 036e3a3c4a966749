//! Warnings about names in queries for public decks that no open card or no author of public decks has, with similar names.
//!
//! Only public names are compared, for every reader: the name of a hidden card is as unknown as any other text.

use std::time::Instant;

use cardscape_engine::search_key;

use crate::app::catalogue::card_search::find_cards_index;
use crate::app::catalogue::query_warning::QueryWarning;
use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::domain::network::Network;
use crate::domain::text::AccountName;
use crate::search::index::{NamePlace, NameQuery};
use crate::search::{Fault, NameOf, NamedTerm, QueryFault, words};
use crate::store::decks::public_decks;

/// Most names of one query that are looked up.
const MAX_LOOKED_UP: usize = 4;
/// Most similar names of a warning.
const MAX_NEAR: usize = 3;
/// Most authors that are compared with a name: of equally similar ones, the similar names come first.
const MAX_AUTHORS: i64 = 4;

/// A name that nothing has, and similar ones.
struct UnknownName {
    term: NamedTerm,
    near: Vec<String>,
}

/// The warnings about unknown names in a query. Names that cannot be looked up in time have no warning.
pub(super) async fn find_warnings(
    app: &AppState,
    network: Network,
    game: Option<&str>,
    names: Vec<NamedTerm>,
) -> Vec<QueryWarning> {
    let names = names.into_iter().take(MAX_LOOKED_UP);
    let (cards, authors): (Vec<_>, Vec<_>) = names.partition(|name| name.of == NameOf::Card);
    let mut warnings = Vec::new();
    for UnknownName { term, near } in unknown_cards(app, game, cards).await {
        warnings.push(warning("card", game, term, near));
    }
    for UnknownName { term, near } in unknown_authors(app, network, authors).await {
        warnings.push(warning("author of public decks", None, term, near));
    }
    warnings
}

fn warning(of: &str, game: Option<&str>, term: NamedTerm, near: Vec<String>) -> QueryWarning {
    let NamedTerm { span, term, of: _, name: value } = term;
    let (of, game) = (of.to_owned(), game.map(str::to_owned));
    Fault { span, term, reason: QueryFault::NoValue { of, value, near, game } }.into()
}

async fn unknown_cards(
    app: &AppState,
    game: Option<&str>,
    names: Vec<NamedTerm>,
) -> Vec<UnknownName> {
    if names.is_empty() {
        return Vec::new();
    }
    let Ok(Some((all, view))) = find_cards_index(app, Viewer::stranger()).await else {
        return Vec::new();
    };
    let (game, time_limit) = (game.map(str::to_owned), app.settings.suggestion_time);
    // Many similar names may take long, so they are not searched on a thread that answers requests.
    let looked_up = app.near_names.run(move || {
        let started = Instant::now();
        let place = NamePlace { game: game.as_deref(), set: None };
        let mut unknown = Vec::new();
        for term in names {
            if started.elapsed() > time_limit {
                break;
            }
            let key = search_key(&term.name);
            let query = NameQuery { search_key: key.clone(), words: words(&term.name), near: true };
            let found = all.named(place, &query, &view);
            if found.iter().any(|card| search_key(&card.name) == key) {
                continue;
            }
            let mut near: Vec<String> = Vec::new();
            for card in found {
                if near.len() < MAX_NEAR && !near.contains(&card.name) {
                    near.push(card.name);
                }
            }
            unknown.push(UnknownName { term, near });
        }
        unknown
    });
    looked_up.await.unwrap_or_else(|_| {
        tracing::debug!("names of cards are not looked up: too many requests search for names");
        Vec::new()
    })
}

async fn unknown_authors(
    app: &AppState,
    network: Network,
    names: Vec<NamedTerm>,
) -> Vec<UnknownName> {
    if names.is_empty() {
        return Vec::new();
    }
    let Ok(mut conn) = app.searches.connection(network).await else { return Vec::new() };
    let mut unknown = Vec::new();
    for term in names {
        // No account can have a name of another form.
        let Ok(name) = AccountName::parse(&term.name) else {
            unknown.push(UnknownName { term, near: Vec::new() });
            continue;
        };
        let found = public_decks::list_authors_like(&mut conn, &name, MAX_AUTHORS).await;
        let Ok(found) = found else {
            tracing::debug!("authors are not looked up: it takes too long");
            break;
        };
        if found.iter().any(|author| author.is_same) {
            continue;
        }
        let near = found.into_iter().take(MAX_NEAR).map(|author| author.name).collect();
        unknown.push(UnknownName { term, near });
    }
    unknown
}
