//! Public decks: search, and comparison by the cards that they have in common.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::deck_requests::different_cards;
use super::deck_responses::DeckSummaryResponse;
use super::opened_decks::{OpenedDeck, open};
use super::unknown_names::find_warnings;
use crate::app::catalogue::card_migrations::{Located, follow_id};
use crate::app::catalogue::card_query::{bad_query, mark_of, scope_of, too_slow};
use crate::app::catalogue::codes::Codes;
use crate::app::catalogue::query_warning::QueryWarning;
use crate::app::page::{Cursor, CursorTime, Page, PageLimit, paged};
use crate::app::problem::{Problem, ProblemCode, both};
use crate::app::state::AppState;
use crate::app::words::words;
use crate::auth::permission::{Granted, ReadOwnDecks, Viewer};
use crate::domain::decks::public::PublicDeckSort;
use crate::domain::ids::{CardId, DeckId};
use crate::domain::network::Network;
use crate::search::{self, DeckPredicate, NamedTerm};
use crate::store::catalogue::cards::{self, CardView, OpenCard};
use crate::store::decks::deck_pool;
use crate::store::decks::public_decks::{self, PublicDeck, PublicDeckKey, PublicDeckPosition};

words! {
    PublicDeckSort: "The order of a list of public decks: `new` (the last published first), `updated` (the last changed first) or `likes` (the most liked first).";
}

/// A public deck as everybody can see it, without its description and entries.
#[derive(Serialize, ToSchema)]
pub struct PublicDeckResponse {
    /// The deck.
    #[serde(flatten)]
    pub deck: DeckSummaryResponse,
    /// Name of the owner.
    #[schema(example = "ada")]
    pub author: String,
    /// When the deck was public for the first time.
    pub published_at: DateTime<Utc>,
    /// The formats in which the deck is legal for readers who see no hidden card.
    #[schema(example = json!(["ttcg/standard:by_name"]))]
    pub legal_in: Vec<String>,
    /// The day (UTC) whose rules were applied: today, or an earlier day until the deck is judged again.
    #[schema(example = "2026-11-26")]
    pub judged_on: NaiveDate,
}

impl From<PublicDeck> for PublicDeckResponse {
    fn from(deck: PublicDeck) -> Self {
        let PublicDeck { deck: row, author, size, published_at, legal_in, judged_on, shows_source } =
            deck;
        let deck = DeckSummaryResponse::new(row, size.into(), None, shows_source);
        Self { deck, author, published_at, legal_in, judged_on }
    }
}

/// A page of public decks.
#[derive(Serialize, ToSchema)]
pub struct PublicDeckPage {
    /// The decks.
    #[serde(flatten)]
    pub page: Page<PublicDeckResponse>,
    /// The terms of the query that could not be used; the list has the results of the other terms. Also terms with a name that no open card, or no author of
    /// public decks, has: they were used, because entries are also found as they were typed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<QueryWarning>,
}

/// A request for a list of public decks, as the client sent it.
#[derive(Debug, Default)]
pub struct PublicDeckRequest {
    /// Code of a game, which must exist.
    pub codes: Codes,
    /// The query in the language of `/docs/search`.
    pub text: String,
    /// The order.
    pub sort: PublicDeckSort,
}

/// A checked request for a list of public decks.
pub struct PublicDeckQuery {
    request: PublicDeckRequest,
    predicate: DeckPredicate,
    warnings: Vec<QueryWarning>,
    /// The terms that name a card or an author.
    names: Vec<NamedTerm>,
    /// Identifies the list in its cursors, so that a cursor of another list is refused.
    mark: String,
}

/// The content of a cursor: mark of the list, the value by which it is sorted (a [`CursorTime`], or a number of likes), and the id of the deck.
type CursorKey = (String, i64, Uuid);

/// Refuses a cursor that no list of public decks can have made.
pub fn require_cursor(cursor: Option<&Cursor>) -> Result<(), Problem> {
    Cursor::key_of::<CursorKey>(cursor).map(drop)
}

impl PublicDeckRequest {
    /// Checks the request against the existing games.
    pub async fn check(self, app: &AppState) -> Result<PublicDeckQuery, Problem> {
        // Cursors of clients hold this mark: renaming the fields that it is made from would invalidate them.
        let mark = mark_of(&self);
        let tree = search::parse(&self.text).map_err(bad_query);
        let (codes, tree) = both(self.codes.resolve(app).await, tree)?;
        let request = Self { codes, ..self };
        let games = app.all_games().await?;
        let scope = scope_of(&games, request.codes.game.as_deref());
        let today = app.today()?;
        let checked = tree.map(|tree| search::check_decks(&tree, &scope, today)).transpose();
        let (predicate, warnings, names) = match checked.map_err(bad_query)? {
            None => (DeckPredicate::always(), Vec::new(), Vec::new()),
            Some(checked) => (checked.predicate, checked.warnings, checked.names),
        };
        let warnings = warnings.into_iter().map(Into::into).collect();
        Ok(PublicDeckQuery { request, predicate, warnings, names, mark })
    }
}

/// Lists public decks. The response is the same for every caller: it contains only what an anonymous client may see.
pub async fn list(
    app: &AppState,
    network: Network,
    query: PublicDeckQuery,
    cursor: Option<&Cursor>,
    limit: PageLimit,
) -> Result<PublicDeckPage, Problem> {
    let PublicDeckQuery { request, predicate, mut warnings, names, mark } = query;
    let after = Cursor::key_of::<CursorKey>(cursor)?;
    if after.as_ref().is_some_and(|(of, ..)| *of != mark) {
        return Err(Problem::new(ProblemCode::InvalidCursor));
    }
    let sort = request.sort;
    let after = after.map(|(_, key, deck)| position(sort, key, deck)).transpose()?;
    let wanted = (request.codes.game.as_deref(), &predicate);
    let rows = if predicate == DeckPredicate::always() {
        let mut conn = app.store.connection().await?;
        public_decks::list(&mut conn, wanted, sort, after, limit.rows()).await?
    } else {
        // This query may read many decks before a page is full.
        let mut conn = app.searches.connection(network).await?;
        let rows = public_decks::list(&mut conn, wanted, sort, after, limit.rows()).await;
        rows.map_err(too_slow)?
    };
    warnings.extend(find_warnings(app, network, request.codes.game.as_deref(), names).await);
    let key = |row: &PublicDeck| {
        let PublicDeckPosition { key, deck } = row.position(sort);
        let key = match key {
            PublicDeckKey::At(at) => CursorTime(at).into(),
            PublicDeckKey::Likes(likes) => likes,
        };
        (mark.clone(), key, deck.0)
    };
    Ok(PublicDeckPage { page: paged(rows, limit, key, Into::into), warnings })
}

/// The position that a cursor names.
fn position(sort: PublicDeckSort, key: i64, deck: Uuid) -> Result<PublicDeckPosition, Problem> {
    let key = match sort {
        PublicDeckSort::New | PublicDeckSort::Updated => {
            let time = CursorTime::try_from(key);
            PublicDeckKey::At(time.map_err(|_| Problem::new(ProblemCode::InvalidCursor))?.0)
        }
        PublicDeckSort::Likes => PublicDeckKey::Likes(key),
    };
    Ok(PublicDeckPosition { key, deck: DeckId(deck) })
}

/// A public deck that has cards in common with another deck.
#[derive(Serialize, ToSchema)]
pub struct SimilarDeckResponse {
    /// The deck.
    #[serde(flatten)]
    pub deck: PublicDeckResponse,
    /// Number of different cards that both decks contain.
    #[schema(example = 12, minimum = 1)]
    pub shared_cards: i64,
    /// `shared_cards` divided by the number of different cards that at least one of the two decks contains; 1: both contain the same cards.
    #[schema(example = 0.6, minimum = 0, maximum = 1)]
    pub similarity: f64,
}

/// The public decks that have cards in common with a deck.
#[derive(Serialize, ToSchema)]
pub struct SimilarDecksResponse {
    /// The decks, the most similar first; of equally similar decks, the last published first.
    pub data: Vec<SimilarDeckResponse>,
}

/// Finds the public decks that have most cards in common with a deck that the reader may see. Only cards of the deck that an anonymous client may see are
/// compared.
pub async fn find_similar(
    app: &AppState,
    (reader, network): (Option<&Granted<ReadOwnDecks>>, Network),
    id: DeckId,
    limit: i64,
) -> Result<SimilarDecksResponse, Problem> {
    let opened = open(app, reader, (Viewer::stranger(), network), id).await?;
    list_similar_to(app, network, &opened, limit).await
}

/// Like [`find_similar`], for an opened deck. Cards that only its reader may see are not compared.
pub async fn find_similar_to(
    app: &AppState,
    (reader, network): (Option<&Granted<ReadOwnDecks>>, Network),
    opened: &OpenedDeck,
    limit: i64,
) -> Result<SimilarDecksResponse, Problem> {
    if opened.is_same_for_all(app) {
        return list_similar_to(app, network, opened, limit).await;
    }
    find_similar(app, (reader, network), opened.id(), limit).await
}

async fn list_similar_to(
    app: &AppState,
    network: Network,
    opened: &OpenedDeck,
    limit: i64,
) -> Result<SimilarDecksResponse, Problem> {
    let cards = different_cards(&opened.seen.content.deck, &opened.catalogue);
    if cards.is_empty() {
        return Ok(SimilarDecksResponse { data: Vec::new() });
    }
    let mut conn = app.searches.connection(network).await?;
    let (game, id) = (opened.game().code(), opened.id());
    let found = public_decks::list_similar(&mut conn, game, &cards, id, limit).await;
    let similar = found.map_err(too_slow)?.into_iter().map(|found| {
        // The numbers are counts of entries, far below 2^53.
        #[allow(clippy::cast_precision_loss)]
        let similarity = found.shared as f64 / found.together.max(1) as f64;
        SimilarDeckResponse { deck: found.deck.into(), shared_cards: found.shared, similarity }
    });
    Ok(SimilarDecksResponse { data: similar.collect() })
}

/// A card that is in public decks together with another card.
#[derive(Serialize, ToSchema)]
pub struct PlayedCardResponse {
    /// Id of the card.
    pub card_id: Uuid,
    /// Code of the set.
    #[schema(example = "hearth")]
    pub set: String,
    /// Number in the set.
    #[schema(example = "001")]
    pub number: String,
    /// Name of the card.
    #[schema(example = "Kettle Imp")]
    pub name: String,
    /// Number of counted decks that contain both cards.
    #[schema(example = 12, minimum = 1)]
    pub decks: i64,
}

/// The cards that are in public decks together with a card.
#[derive(Serialize, ToSchema)]
pub struct PlayedWithResponse {
    /// Number of public decks that were counted: those that contain the card, at most the 2,000 that were published last.
    #[schema(example = 40, minimum = 0)]
    pub decks: i64,
    /// The other cards, those that are in most of these decks first; cards that are in equally many decks are in no particular order.
    pub data: Vec<PlayedCardResponse>,
}

/// Finds the cards that are most often in public decks together with this card.
pub async fn find_played_with(
    app: &AppState,
    network: Network,
    card: CardId,
    limit: i64,
) -> Result<Located<PlayedWithResponse>, Problem> {
    let mut conn = app.searches.connection(network).await?;
    let stranger = Viewer::stranger();
    let Some(found) = cards::find(&conn, stranger, card).await? else {
        return follow_id(&mut conn, card).await;
    };
    // The oldest card of a name stands for all of them.
    let card = match found {
        CardView::Open(OpenCard { place, name, .. }) => {
            let namesakes = deck_pool::namesakes(&mut conn, stranger, &place.game, &name).await?;
            namesakes.into_iter().min().unwrap_or(card)
        }
        CardView::Hidden(_) => card,
    };
    let found = public_decks::list_played_with(&mut conn, card, limit).await;
    let (decks, played) = found.map_err(too_slow)?;
    let ids: Vec<CardId> = played.iter().map(|played| played.card).collect();
    let places = deck_pool::places(&mut conn, stranger, &ids).await?;
    let mut names = deck_pool::names(&mut conn, stranger, &ids).await?;
    let shown = played.iter().filter_map(|played| {
        let place = places.get(&played.card)?;
        let name = names.remove(&played.card)?;
        let (set, number) = (place.set.clone(), place.number.clone());
        let (card_id, decks) = (played.card.0, played.decks);
        Some(PlayedCardResponse { card_id, set, number, name, decks })
    });
    Ok(Located::Here(PlayedWithResponse { decks, data: shown.collect() }))
}
