//! Writes the search rows of public decks: when a deck is published, and again when the public information about it changes.
//!
//! A row contains only what an anonymous client may see, whichever account publishes the deck: a masked entry adds no search term, and a typed name is a
//! search term as it was typed, whatever cards have that name.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use cardscape_engine::Resolution;
use chrono::{DateTime, TimeDelta, Utc};

use super::deck_legalities::judge_on;
use super::deck_lists::see;
use super::deck_requests::different_cards;
use super::deck_responses::SeenDeck;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::auth::permission::Viewer;
use crate::domain::decks::details::DeckVisibility;
use crate::domain::decks::public::deck_terms;
use crate::domain::ids::{CardId, DeckId};
use crate::domain::network::Network;
use crate::store::decks::deck_lists;
use crate::store::decks::deck_records::StoredDeck;
use crate::store::decks::deck_search::{self, Due, SearchableDeck};

/// Most rows that are written in one turn.
const BATCH: i64 = 100;
/// After this time, a turn begins no further deck: Postgres ends a transaction that is idle for five seconds.
const BATCH_TIME: Duration = Duration::from_secs(2);
/// Delay before a failed row is tried again, unless the deck is saved earlier.
const RETRY_DELAY: TimeDelta = TimeDelta::hours(1);
/// How long the request that publishes a deck has to write the row itself, before the background job does.
const OWN_TURN: TimeDelta = TimeDelta::seconds(5);

/// Writes the search row of a deck that was just saved, if the deck is public. If this fails, the background job writes the row later.
pub(super) async fn publish(app: &AppState, conn: &mut StepConnection<'_>, stored: &StoredDeck) {
    if stored.row.visibility() == DeckVisibility::Public
        && let Err(problem) = make(app, conn, stored.clone()).await
    {
        // Perhaps the connection is the cause.
        conn.give_back();
        tracing::warn!(deck = %stored.row.id, code = ?problem.code(), "a public deck cannot be prepared for the search: it is not found until another try succeeds");
    }
}

/// Writes some of the due rows, for a short time: rows of decks whose publication wrote none, that were judged on another day or by another manifest, or
/// whose hidden cards were unlocked after `unlocked_since`. Returns how many rows were written; `None`: another process writes them.
pub async fn make_due(
    app: &AppState,
    now: DateTime<Utc>,
    unlocked_since: DateTime<Utc>,
) -> Result<Option<usize>, Problem> {
    let before = now - OWN_TURN;
    let indexed = deck_search::with_due(
        &app.store,
        Due { before, unlocked_since },
        BATCH,
        async |decks| {
            // The cards in memory may not yet contain the latest unlocks.
            app.wait_until_current().await;
            let began = Instant::now();
            let mut indexed = 0;
            for id in decks {
                if began.elapsed() > BATCH_TIME {
                    break;
                }
                match make_one(app, id).await {
                    Ok(()) => {}
                    // The database is unavailable or busy; the deck itself is not the cause.
                    Err(problem) if problem.code() == ProblemCode::Unavailable => {
                        return Err(problem);
                    }
                    Err(problem) => {
                        tracing::error!(deck = %id, code = ?problem.code(), "the search terms of a public deck cannot be computed");
                        let mut conn = app.store.connection().await?;
                        deck_search::postpone(&mut conn, id, before, now + RETRY_DELAY).await?;
                    }
                }
                indexed += 1;
            }
            Ok(indexed)
        },
    );
    indexed.await?.transpose()
}

async fn make_one(app: &AppState, id: DeckId) -> Result<(), Problem> {
    let mut conn = StepConnection::new(&app.store);
    match deck_lists::find_for_job(conn.get().await?, id).await? {
        Some(stored) if stored.row.visibility() == DeckVisibility::Public => {
            make(app, &mut conn, stored).await
        }
        _ => Ok(deck_search::forget(conn.get().await?, id).await?),
    }
}

async fn make(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    stored: StoredDeck,
) -> Result<(), Problem> {
    let stranger = (Viewer::stranger(), Network::UNKNOWN);
    let SeenDeck { row, content, masks, .. } = see(app, conn, (stranger.0, None), stored).await?;
    let size = i32::try_from(content.card_count()).unwrap_or(i32::MAX);
    let loaded = app.named_game_on(conn, content.format.game()).await?;
    let loaded = loaded.map_err(Problem::internal)?;
    let game_revision = loaded.revision;
    let deck = content.deck.clone();
    let now = app.clock.now();
    let deck = (deck, content.cards.as_slice());
    let (catalogue, judged) = judge_on(app, conn, stranger, loaded, deck, app.today()?).await?;
    let meant = content.deck.entries.iter().filter_map(|entry| match catalogue.find(&entry.card) {
        Resolution::Card(card) | Resolution::OtherPrinting(card) => Some(&*card.definition.name),
        _ => None,
    });
    let terms = deck_terms(&content, meant, &judged.legal_in).into_iter().collect();
    let hidden: BTreeSet<CardId> = masks.hidden.into_values().collect();
    let searchable = SearchableDeck {
        id: row.id,
        revision: row.revision,
        size,
        terms,
        cards: different_cards(&content.deck, &catalogue),
        hidden_cards: hidden.into_iter().collect(),
        legal_in: judged.legal_in,
        judged_on: now.date_naive(),
        game_revision,
    };
    Ok(deck_search::write(conn.get().await?, searchable).await?)
}
