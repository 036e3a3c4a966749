//! Public decks, and what they show about cards.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

use crate::app::catalogue::codes::Codes;
use crate::app::decks::public_decks::{
    self, PlayedWithResponse, PublicDeckPage, PublicDeckRequest, SimilarDecksResponse,
    require_cursor,
};
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::{Problem, both};
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::domain::decks::public::PublicDeckSort;
use crate::domain::ids::{CardId, DeckId};
use crate::http::extract::{Caller, ClientNetwork, LooseParams, Params, cacheable};
use crate::memory::rendered::{Freshness, Rendered};

/// Which public decks.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PublicDeckParams {
    /// Only decks of this game.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
    /// A search query: `contains:"Kettle Imp" by:ada legal:standard size:50`. The syntax is the same as for cards; `/docs/search` lists the fields.
    /// Terms that cannot be used are reported in `warnings`.
    #[param(value_type = Option<String>, max_length = 1000, example = "contains:\"Kettle Imp\" legal:standard")]
    q: Option<String>,
    /// Order of the list; `new` if absent. Likes can change while you read a list by likes: then a deck can be on two pages, or on none.
    #[serde(default)]
    #[param(inline, value_type = Option<PublicDeckSort>)]
    sort: PublicDeckSort,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

impl PublicDeckParams {
    fn request(&self) -> PublicDeckRequest {
        PublicDeckRequest {
            codes: Codes::of_game(self.game.clone()),
            text: self.q.clone().unwrap_or_default(),
            sort: self.sort,
        }
    }
}

/// Lists public decks, by default the last published first.
///
/// The answer is the same for everybody: entries with cards that are hidden from the public are not searched, even if you can see these cards.
#[utoipa::path(
    get, path = "/v1/public-decks", tag = "decks", params(PublicDeckParams),
    responses((status = 200, body = PublicDeckPage), (status = 304, description = "Not changed."))
)]
pub async fn list_public_decks(
    req: HttpRequest,
    state: web::Data<AppState>,
    network: ClientNetwork,
    query: LooseParams<PublicDeckParams>,
) -> Result<HttpResponse, Problem> {
    let check = async |query: &PublicDeckParams| {
        both(require_cursor(query.cursor.as_ref()), query.request().check(&state).await)
    };
    let (query, ((), wanted)) = query.checked(check).await?;
    let listed =
        public_decks::list(&state, network.0, wanted, query.cursor.as_ref(), query.limit).await?;
    let answer = Rendered::list(Freshness::Public(0), None, &listed)?;
    Ok(answer.with_link(listed.page.link(&req)).answer(&req))
}

/// How many.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct FewQuery {
    /// Number of items: 1 to 50.
    #[serde(default)]
    #[param(value_type = Option<u8>, minimum = 1, maximum = 50, default = 20)]
    limit: SimilarLimit,
}

/// 1 to 50; 20 by default.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "u8")]
struct SimilarLimit(u8);

impl Default for SimilarLimit {
    fn default() -> Self {
        Self(20)
    }
}

impl TryFrom<u8> for SimilarLimit {
    type Error = &'static str;

    fn try_from(limit: u8) -> Result<Self, &'static str> {
        if (1..=50).contains(&limit) { Ok(Self(limit)) } else { Err("limit must be 1 to 50") }
    }
}

/// Lists the public decks that have the most cards in common with a deck.
///
/// The deck must be public, unlisted or yours. Only cards that everybody can see are compared, each once. Of the decks of the game that have a card
/// in common with the deck, the 2,000 that were published last are compared.
#[utoipa::path(
    get, path = "/v1/decks/{deck}/similar", tag = "decks", security((), ("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck"), FewQuery),
    responses((status = 200, body = SimilarDecksResponse), (status = 304, description = "Not changed."))
)]
pub async fn list_similar_decks(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    network: ClientNetwork,
    deck: web::Path<Uuid>,
    query: Params<FewQuery>,
) -> Result<HttpResponse, Problem> {
    let (reads, limit) = (caller.may(), query.limit.0.into());
    let reader = (reads.as_ref(), network.0);
    let similar = public_decks::find_similar(&state, reader, DeckId(*deck), limit).await?;
    cacheable(&req, Freshness::Private, None, &similar)
}

/// Lists the cards that are most often in public decks together with a card.
///
/// Of the decks that contain the card, at most the 2,000 that were published last are counted. No deck reveals that it contains a card that is hidden
/// from the public; for such a card no deck is counted.
#[utoipa::path(
    get, path = "/v1/cards/{card}/played-with", tag = "decks",
    params(("card" = Uuid, Path, description = "Id of the card"), FewQuery),
    responses(
        (status = 200, body = PlayedWithResponse),
        (status = 304, description = "Not changed."),
        (status = 308, description = "The card was merged into another card, whose address is in `Location`."),
    )
)]
pub async fn list_cards_played_with(
    req: HttpRequest,
    state: web::Data<AppState>,
    network: ClientNetwork,
    card: web::Path<Uuid>,
    query: Params<FewQuery>,
) -> Result<HttpResponse, Problem> {
    let limit = query.limit.0.into();
    let played = public_decks::find_played_with(&state, network.0, CardId(*card), limit).await?;
    played.answer(&req, |played| cacheable(&req, Freshness::Public(60), None, &played))
}
