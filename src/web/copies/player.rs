//! The public page of a player: wants and haves, copies, public decks.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;

use super::blocks::BlockButton;
use super::choices::Games;
use super::item::{ItemRow, part_of};
use super::offer::new_path;
use super::player_path;
use super::trade_words;
use super::views::CardCell;
use super::words as copy_words;
use crate::app::catalogue::codes::Codes;
use crate::app::copies::own_copies::{CopySelection, copies_after};
use crate::app::copies::trade_lists::{self, ShownTradeListResponse};
use crate::app::copies::trading::{self, ShownCopyResponse};
use crate::app::decks::public_decks::{self, PublicDeckRequest, PublicDeckResponse};
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnAccount, ReadTrades};
use crate::domain::collection::TradeListKind;
use crate::domain::network::Network;
use crate::domain::text::AccountName;
use crate::http::extract::ClientNetwork;
use crate::web::feedback::words as feedback_words;
use crate::web::forms::private;
use crate::web::page::{ENTRIES, Frame, Place, query_by};
use crate::web::page_status::PageStatus;
use crate::web::session::Visitor;
use crate::web::words;

/// Entries of each kind on the page that shows all kinds.
const FEW: u16 = 24;
/// Decks on the page.
const DECKS: u16 = 10;

/// Which part of the page.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct PlayerQuery {
    /// `haves`, `wants` or `copies`; any other value: the first entries of each.
    show: String,
    from: usize,
    cursor: Option<Cursor>,
}

impl PlayerQuery {
    fn shows(&self, kind: &str) -> bool {
        self.show == kind || !["haves", "wants", "copies"].contains(&self.show.as_str())
    }

    /// Whether only this part is shown, page by page.
    fn is_one(&self, kind: &str) -> bool {
        self.show == kind
    }
}

#[derive(Template)]
#[template(path = "web/copies/player.html")]
#[expect(clippy::struct_excessive_bools, reason = "what the template asks, each by itself")]
struct PlayerPage {
    frame: Frame,
    name: String,
    path: String,
    is_oneself: bool,
    is_stranger: bool,
    is_part: bool,
    takes_offers: bool,
    offer_path: String,
    /// `None`: the reader is a stranger, or this player.
    block_button: Option<BlockButton>,
    lists: Vec<ListView>,
    copies: Option<CopiesView>,
    decks: Vec<(String, String)>,
    decks_path: String,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// A list that the player shows.
struct ListView {
    kind: &'static str,
    heading: &'static str,
    items: Vec<ItemRow>,
    /// Path and label of the complete list, if there are more entries.
    all: Option<(String, String)>,
}

/// The copies that the player shows.
struct CopiesView {
    tiles: Vec<ShownTile>,
    all: Option<String>,
}

/// A copy that the player shows.
struct ShownTile {
    card: CardCell,
    /// The path of the form that asks for the copy; `None`: the reader cannot ask for it.
    ask_path: Option<String>,
    ask: String,
}

/// Shows the public page of a player. A player who shows nothing gets the same answer as a name that does not exist.
pub(in crate::web) async fn find_player(
    state: web::Data<AppState>,
    visitor: Visitor,
    network: ClientNetwork,
    player: web::Path<String>,
    query: web::Query<PlayerQuery>,
) -> Result<HttpResponse, Problem> {
    let name = AccountName::parse(&player).map_err(|_| Problem::not_found())?;
    private(PageStatus::OK, &page(&state, &visitor, network.0, &name, &query).await?)
}

async fn page(
    app: &AppState,
    visitor: &Visitor,
    network: Network,
    name: &AccountName,
    shown_part: &PlayerQuery,
) -> Result<PlayerPage, Problem> {
    let games = Games::read(app).await?;
    let viewer = visitor.viewer();
    // Looked up in every case, so that the answer takes equally long for a name that does not exist. The result is used only with something that the player
    // shows.
    let reader = visitor.must::<ReadOwnAccount>().ok();
    let known = trading::find_recipient(app, reader.as_ref(), name).await?;
    let own = reader.map(|by| by.account());
    let is_oneself = own.is_some() && own == known.as_ref().map(|player| player.id);
    let takes_offers = known.as_ref().is_some_and(|player| player.takes_offers);
    let written = known.map_or_else(|| name.as_str().to_owned(), |player| player.name);
    let (mut lists, mut next_path) = (Vec::new(), None);
    let mut is_later = shown_part.is_one("copies") && shown_part.cursor.is_some();
    let path = player_path(&written);
    let kinds = [
        ("haves", TradeListKind::Have, copy_words::HAVES),
        ("wants", TradeListKind::Want, copy_words::WANTS),
    ];
    for (kind, of, heading) in kinds.into_iter().filter(|(kind, ..)| shown_part.shows(kind)) {
        let found = trade_lists::find_shown(app, viewer, name, of).await;
        let Some(ShownTradeListResponse { items, .. }) = unless_missing(found)? else {
            continue;
        };
        let (from, most) =
            if shown_part.is_one(kind) { (shown_part.from, ENTRIES) } else { (0, FEW) };
        let part = part_of(&items, from, most.into());
        let next = part.next.map(|next| format!("{path}?show={kind}&from={next}"));
        let all = next.is_some().then(|| copy_words::all_of(items.len()));
        if shown_part.is_one(kind) {
            next_path = next;
            is_later = part.from > 0;
        }
        let all = all.filter(|_| !shown_part.is_one(kind));
        lists.push(ListView {
            kind,
            heading,
            items: part.entries.iter().map(|item| ItemRow::new(&games, item)).collect(),
            all: all.map(|text| (text, format!("{path}?show={kind}"))),
        });
    }
    let reads: Option<Granted<ReadTrades>> = visitor.must().ok();
    let mut copies = None;
    if let Some(reads) = reads.as_ref().filter(|_| shown_part.shows("copies")) {
        let found = find_copies(app, reads, visitor, name, shown_part).await?;
        copies = found.map(|found| {
            let next = found.next_cursor;
            if shown_part.is_one("copies") {
                next_path = next.map(|cursor| format!("{path}?show=copies&cursor={cursor}"));
                return CopiesView {
                    tiles: tiles(&games, &written, is_oneself, found.data),
                    all: None,
                };
            }
            let all = next.map(|_| format!("{path}?show=copies"));
            CopiesView { tiles: tiles(&games, &written, is_oneself, found.data), all }
        });
    }
    let is_part =
        shown_part.is_one("haves") || shown_part.is_one("wants") || shown_part.is_one("copies");
    let query = query_by(&written);
    let mut decks = Vec::new();
    if !is_part {
        match find_decks(app, network, query.clone()).await {
            Ok(found) => decks = found,
            // The decks are the only possible content, so it is unknown whether the page exists.
            Err(problem) if lists.is_empty() && copies.is_none() && is_passing(&problem) => {
                return Err(problem);
            }
            // The page is shown without decks. A name that cannot be part of a query has none.
            Err(problem) => tracing::warn!(%problem, "the page of a player is shown without decks"),
        }
    }
    if lists.is_empty() && copies.is_none() && decks.is_empty() {
        return Err(Problem::not_found());
    }
    let block_button =
        if is_oneself { None } else { BlockButton::find(app, visitor, name).await? };
    let mut frame = Frame::new(&written).at(Place::Elsewhere);
    frame.next.clone_from(&next_path);
    let query: String = form_urlencoded::byte_serialize(query.as_bytes()).collect();
    Ok(PlayerPage {
        frame,
        is_oneself,
        is_stranger: visitor.is_stranger(),
        is_part,
        takes_offers,
        block_button,
        offer_path: new_path(&written, None),
        lists,
        copies,
        decks,
        decks_path: format!("/decks?q={query}"),
        first_path: is_later.then(|| format!("{path}?show={}", shown_part.show)),
        next_path,
        path,
        name: written,
    })
}

/// `None`: the object does not exist, or the player does not show it.
fn unless_missing<T>(found: Result<T, Problem>) -> Result<Option<T>, Problem> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(problem) if problem.code() == ProblemCode::NotFound => Ok(None),
        Err(problem) => Err(problem),
    }
}

async fn find_copies(
    app: &AppState,
    by: &Granted<ReadTrades>,
    visitor: &Visitor,
    name: &AccountName,
    shown_part: &PlayerQuery,
) -> Result<Option<Page<ShownCopyResponse>>, Problem> {
    let is_one = shown_part.is_one("copies");
    let limit = PageLimit::try_from(if is_one { ENTRIES } else { FEW });
    let limit = limit.map_err(Problem::internal)?;
    let after = copies_after(shown_part.cursor.as_ref().filter(|_| is_one))?;
    let all = CopySelection { codes: Codes::default(), card: None, only: None };
    let viewer = visitor.viewer();
    unless_missing(trading::list_shown(app, by, viewer, name, &all, after, limit).await)
}

fn tiles(
    games: &Games,
    player: &str,
    is_oneself: bool,
    copies: Vec<ShownCopyResponse>,
) -> Vec<ShownTile> {
    let tile = |copy: ShownCopyResponse| {
        let card = CardCell::of_copy(games, &copy.card, copy.rarity.as_deref());
        ShownTile {
            ask_path: (!is_oneself).then(|| new_path(player, Some(copy.id))),
            ask: copy_words::ask_for(&card.name_and_place()),
            card,
        }
    };
    copies.into_iter().map(tile).collect()
}

/// Whether a later request may succeed.
fn is_passing(problem: &Problem) -> bool {
    let status = problem.code().status();
    status == 429 || status >= 500
}

/// The public decks of a player: names and paths.
async fn find_decks(
    app: &AppState,
    network: Network,
    text: String,
) -> Result<Vec<(String, String)>, Problem> {
    let request = PublicDeckRequest { text, ..PublicDeckRequest::default() };
    let limit = PageLimit::try_from(DECKS).map_err(Problem::internal)?;
    let query = request.check(app).await?;
    let found = public_decks::list(app, network, query, None, limit).await?;
    let deck = |deck: PublicDeckResponse| (deck.deck.name, format!("/decks/{}", deck.deck.id));
    Ok(found.page.data.into_iter().map(deck).collect())
}
