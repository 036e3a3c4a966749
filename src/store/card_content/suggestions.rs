//! Similar names for misspelt ones, from the database: for collection files, and for reports on decks while the index
//! in memory is behind.

use std::time::{Duration, Instant};

use cardscape_engine::{SUGGESTED_NAMES_MAX, search_key};
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use diesel_async::RunQueryDsl;

use super::lookups::{MAX_ALIKE, MAX_CANDIDATES, NamedCard, word_pattern};
use crate::auth::permission::Viewer;
use crate::domain::catalogue::card_name::TypedName;
use crate::domain::network::Network;
use crate::store::db::search_queue::SearchQueue;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreError, StoreResult};

/// Names per statement. The time limit is checked between statements.
const BATCH: usize = 20;

/// A name for which similar ones are searched.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::store) struct Misspelt {
    /// Code of the game; `None`: all games.
    pub game: Option<String>,
    search_key: String,
    pattern: Option<String>,
}

impl Misspelt {
    /// The name of a game's card, compared as a whole.
    pub(in crate::store) fn of_game(game: &str, name: &str) -> Self {
        Self { game: Some(game.to_owned()), search_key: search_key(name), pattern: None }
    }

    /// A name that may also consist of some words of a longer name. `None`: it is too short to have similar names.
    pub(in crate::store) fn with_words(game: Option<String>, typed: &TypedName) -> Option<Self> {
        let (search_key, pattern) = (typed.search_key().to_owned(), word_pattern(typed));
        typed.has_near_names().then_some(Self { game, search_key, pattern })
    }
}

#[derive(QueryableByName)]
struct NearRow {
    /// Index of the misspelt name, from 1.
    #[diesel(sql_type = BigInt)]
    place: i64,
    #[diesel(embed)]
    card: NamedCard,
}

/// The results of [`find_named`](super::lookups::find_named) for several misspelt names, in one statement.
async fn find_near(
    conn: &mut Connection,
    viewer: Viewer,
    names: &[Misspelt],
) -> StoreResult<Vec<Vec<NamedCard>>> {
    let games: Vec<Option<&str>> = names.iter().map(|name| name.game.as_deref()).collect();
    let keys: Vec<&str> = names.iter().map(|name| name.search_key.as_str()).collect();
    let patterns: Vec<Option<&str>> = names.iter().map(|name| name.pattern.as_deref()).collect();
    let order = "is_same DESC, has_words DESC, likeness DESC, name_key, game_code";
    let sql = sql("SELECT typed.place, one.* FROM unnest(")
        .value(games)
        .push(", ")
        .value(keys)
        .push(", ")
        .value(patterns)
        .push(
            ") WITH ORDINALITY AS typed (game, key, pattern, place) CROSS JOIN LATERAL (SELECT * FROM ( \
             SELECT DISTINCT ON (alike.game_code, alike.name_key) c.id, alike.game_code, c.set_code, c.number, alike.name, \
             alike.name_key, is_same, has_words, likeness FROM (SELECT content.card_id, content.game_code, content.name, \
             content.name_key, content.search_key = typed.key AS is_same, \
             coalesce(content.name_words LIKE typed.pattern, false) AS has_words, \
             similarity(content.search_key, typed.key) AS likeness FROM ",
        )
        .push_visible_content_by_name(viewer)
        .push(
            " WHERE (content.search_key = typed.key OR content.search_key % typed.key OR content.name_words LIKE typed.pattern) \
             AND (typed.game IS NULL OR content.game_code = typed.game) ORDER BY ",
        )
        .push(order)
        .push(", card_id LIMIT ")
        .value(MAX_ALIKE)
        .push(
            ") alike JOIN cards c ON c.id = alike.card_id ORDER BY alike.game_code, alike.name_key, c.set_code, c.number) first \
             ORDER BY ",
        )
        .push(order)
        .push(" LIMIT ")
        .value(MAX_CANDIDATES)
        .push(") one ORDER BY typed.place, ")
        .push(order);
    let rows: Vec<NearRow> = sql.load(conn).await?;
    let mut found = vec![Vec::new(); names.len()];
    for row in rows {
        if let Some(cards) = usize::try_from(row.place - 1).ok().and_then(|at| found.get_mut(at)) {
            cards.push(row.card);
        }
    }
    Ok(found)
}

/// For each name, the cards with similar names that the viewer may see, the most similar first. The list ends early
/// after [`SUGGESTED_NAMES_MAX`] names, after `time_limit`, and when the search queue is full or the search fails:
/// responses are complete without suggestions.
pub(in crate::store) async fn suggest_near_names(
    (queue, network): (&SearchQueue, Network),
    viewer: Viewer,
    names: &[Misspelt],
    time_limit: Duration,
) -> Vec<Vec<NamedCard>> {
    let started = Instant::now();
    let mut found = Vec::new();
    let search = async {
        if names.is_empty() {
            return Ok(());
        }
        let mut conn = queue.connection(network).await?;
        for names in names[..names.len().min(SUGGESTED_NAMES_MAX)].chunks(BATCH) {
            if started.elapsed() > time_limit {
                break;
            }
            found.extend(find_near(&mut conn, viewer, names).await?);
        }
        Ok::<(), StoreError>(())
    };
    if let Err(error) = search.await {
        tracing::debug!(%error, "suggestions are left out");
    }
    found
}
