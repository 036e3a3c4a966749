//! The page of a trade: the copies of each side, its effect on the visitor's own decks, and the possible answers.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::blocks::BlockButton;
use super::choices::Games;
use super::offer::again_path;
use super::offer_form::TypedOffer;
use super::section::Section;
use super::trade_words;
use super::views::CardCell;
use super::words as copy_words;
use super::{copy_path, trade_path};
use crate::app::copies::trade_responses::{TradeResponse, TradedCopyResponse};
use crate::app::copies::trades;
use crate::app::decks::deck_trades::{self, TradeDecksResponse};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::problem_member::ProblemMember;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadTrades, WriteTrades};
use crate::domain::ids::TradeId;
use crate::domain::network::Network;
use crate::domain::text::AccountName;
use crate::http::extract::ClientNetwork;
use crate::web::accounts::Moment;
use crate::web::forms::{Faults, not_empty, private};
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, Visitor, see_other};
use crate::web::words;

/// A trade for one of its sides.
#[expect(clippy::struct_excessive_bools, reason = "what the template asks, each by itself")]
struct TradeView {
    path: String,
    title: String,
    other_player: String,
    state: &'static str,
    is_open: bool,
    /// Whether the reader made the offer.
    is_own: bool,
    /// The lines of the message, with at most one empty line between two others.
    message: Vec<String>,
    created: Moment,
    ends: Moment,
    closed: Option<Moment>,
    before_path: Option<String>,
    after_path: Option<String>,
    /// The copies that the reader gives, and those that the reader gets.
    sides: [SideView; 2],
    /// Whether a copy can no longer be given.
    is_stuck: bool,
    is_disputed: bool,
}

/// The copies of one direction.
struct SideView {
    id: &'static str,
    heading: &'static str,
    /// The text if there are no copies.
    nothing: &'static str,
    copies: Vec<TradedTile>,
}

/// A copy in a trade.
struct TradedTile {
    card: CardCell,
    /// The path of the page of the copy, if the reader owns it.
    path: Option<String>,
    notes: Vec<&'static str>,
}

impl TradeView {
    fn new(games: &Games, trade: TradeResponse) -> Self {
        let TradeResponse { summary, give, want } = trade;
        let (is_own, is_open) = (summary.role == "offerer", summary.state == "open");
        let other_player = if is_own { summary.to } else { summary.from };
        let (gives, gets) = if is_own { (give, want) } else { (want, give) };
        let all = || gives.iter().chain(&gets);
        let is_stuck = all().any(|copy| copy.available == Some(false));
        let is_disputed = gets.iter().any(|copy| copy.disputed == Some(true));
        let tiles = |copies: Vec<TradedCopyResponse>, is_mine: bool| {
            let tile = |copy: TradedCopyResponse| TradedTile {
                card: CardCell::of_copy(games, &copy.card, copy.rarity.as_deref()),
                path: is_mine.then(|| copy_path(copy.id)),
                notes: trade_words::notes(copy.disputed, copy.available, copy.gone),
            };
            copies.into_iter().map(tile).collect()
        };
        let (gave, got) = if summary.state == "accepted" {
            (trade_words::YOU_GAVE, trade_words::YOU_GOT)
        } else {
            (trade_words::YOU_GIVE, trade_words::YOU_GET)
        };
        Self {
            path: trade_path(summary.id),
            title: trade_words::title(is_own, &other_player),
            other_player,
            state: trade_words::state(summary.state, is_own),
            is_open,
            is_own,
            message: summary.message.as_deref().map(message_lines).unwrap_or_default(),
            created: Moment::new(summary.created_at),
            ends: Moment::new(summary.expires_at),
            closed: summary.closed_at.map(Moment::new),
            before_path: summary.counter_to.map(trade_path),
            after_path: summary.countered_by.map(trade_path),
            sides: [
                SideView {
                    id: "gives",
                    heading: gave,
                    nothing: trade_words::GIVE_NOTHING,
                    copies: tiles(gives, is_open),
                },
                SideView {
                    id: "gets",
                    heading: got,
                    nothing: trade_words::GET_NOTHING,
                    copies: tiles(gets, false),
                },
            ],
            is_stuck,
            is_disputed,
        }
    }
}

/// The lines of a message. Of several empty lines, one is kept, so that a message does not fill the page with nothing.
fn message_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.dedup_by(|line, before| line.is_empty() && before.is_empty());
    lines.into_iter().map(str::to_owned).collect()
}

/// The effect of a trade on one of the reader's decks.
struct DeckEffect {
    name: String,
    path: String,
    missing: String,
    lines: Vec<String>,
}

/// An answer with another offer that came too late.
struct LateOffer {
    /// The message, if it has one.
    written: Vec<String>,
    /// The form of a new offer to the same player.
    path: String,
}

#[derive(Template)]
#[template(path = "web/copies/trade.html")]
struct TradePage {
    frame: Frame,
    section: Section,
    faults: Faults,
    late_offer: Option<LateOffer>,
    /// Confirmation of the action that was just completed; empty: no action.
    done: &'static str,
    trade: TradeView,
    decks: Vec<DeckEffect>,
    /// How many decks are not listed.
    decks_left: Option<String>,
    /// Whether the effect on decks is shown. It is not if the trade cannot be accepted.
    tells_decks: bool,
    /// Whether the trade is known to change no deck.
    changes_no_deck: bool,
    /// Whether this page asks for confirmation before the trade is accepted.
    is_confirming: bool,
    /// `None`: the page asks for confirmation.
    block_button: Option<BlockButton>,
}

/// Query of the page: the code of the action that was just completed.
#[derive(Deserialize)]
pub(in crate::web) struct TradeQuery {
    #[serde(default)]
    done: String,
}

/// Shows a trade to its two sides.
pub(in crate::web) async fn find_trade(
    state: web::Data<AppState>,
    by: Player<ReadTrades>,
    network: ClientNetwork,
    trade: web::Path<Uuid>,
    query: web::Query<TradeQuery>,
) -> Result<HttpResponse, Problem> {
    let done = trade_words::done(&query.done);
    let shown = Shown { done, ..Shown::plain() };
    show(&state, (&by, &by.visitor), network.0, TradeId(*trade), shown).await
}

/// Asks for confirmation: shows the copies of both sides and the effect on decks.
pub(in crate::web) async fn show_accept(
    state: web::Data<AppState>,
    by: Player<ReadTrades>,
    network: ClientNetwork,
    trade: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let shown = Shown { is_confirming: true, ..Shown::plain() };
    show(&state, (&by, &by.visitor), network.0, TradeId(*trade), shown).await
}

/// How a trade is shown.
struct Shown<'a> {
    status: PageStatus,
    faults: Faults,
    done: &'static str,
    is_confirming: bool,
    /// The answer that came too late.
    late: Option<&'a TypedOffer>,
}

impl Shown<'_> {
    fn plain() -> Self {
        let (status, faults) = (PageStatus::OK, Faults::none());
        Self { status, faults, done: "", is_confirming: false, late: None }
    }
}

async fn show(
    app: &AppState,
    (by, visitor): (&Granted<ReadTrades>, &Visitor),
    network: Network,
    id: TradeId,
    Shown { status, faults, done, is_confirming, late }: Shown<'_>,
) -> Result<HttpResponse, Problem> {
    let requester = (visitor.viewer(), network);
    let reads = (visitor.must(), visitor.must());
    let (trade, effects) = deck_trades::find_with_trade(app, by, reads, requester, id).await?;
    let games = Games::read(app).await?;
    let trade = TradeView::new(&games, trade);
    // A closed trade cannot be accepted, and neither can the reader's own offer.
    let is_confirming = is_confirming && trade.is_open && !trade.is_own;
    let decks_left = effects.as_ref().and_then(|effects| {
        trade_words::decks_left(effects.decks_left_out, effects.decks_not_compared)
    });
    let tells_decks = effects.as_ref().is_some_and(|effects| effects.possible);
    let changes_no_deck = effects
        .as_ref()
        .is_some_and(|effects| effects.decks.is_empty() && effects.decks_not_compared == 0);
    let other = AccountName::parse(&trade.other_player).ok().filter(|_| !is_confirming);
    let block_button = match other {
        Some(name) => BlockButton::find(app, visitor, &name).await?,
        None => None,
    };
    let late_offer = late.map(|typed| LateOffer {
        written: not_empty(&typed.message),
        path: again_path(&trade.other_player, typed),
    });
    let heading = if is_confirming { trade_words::ACCEPT_TITLE } else { trade.title.as_str() };
    let page = TradePage {
        frame: Frame::new(heading).at(Place::Collection),
        section: Section::Trades,
        faults,
        late_offer,
        done,
        decks: effects.map(deck_effects).unwrap_or_default(),
        decks_left,
        tells_decks,
        changes_no_deck,
        trade,
        is_confirming,
        block_button,
    };
    private(status, &page)
}

fn deck_effects(effects: TradeDecksResponse) -> Vec<DeckEffect> {
    let effect = |deck: deck_trades::TradeDeckResponse| {
        let closes = deck.closes.iter().map(|gap| trade_words::closes(&gap.name, gap.copies));
        let opens =
            deck.opens.iter().map(|gap| trade_words::opens(&gap.name, gap.copies, gap.reserved));
        DeckEffect {
            lines: closes.chain(opens).collect(),
            missing: trade_words::missing(deck.missing_now, deck.missing_after),
            path: format!("/decks/{}", deck.deck_id),
            name: deck.name,
        }
    };
    effects.decks.into_iter().map(effect).collect()
}

/// Accepts an offer: all its copies change hands at once.
pub(in crate::web) async fn accept(
    state: web::Data<AppState>,
    by: Player<WriteTrades>,
    network: ClientNetwork,
    trade: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let (id, viewer) = (TradeId(*trade), by.visitor.viewer());
    let accepted = trades::accept(&state, &by, viewer, id).await;
    answered(&state, &by, network.0, id, accepted, "accepted").await
}

/// Refuses an offer that was made to the reader.
pub(in crate::web) async fn decline(
    state: web::Data<AppState>,
    by: Player<WriteTrades>,
    network: ClientNetwork,
    trade: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let (id, viewer) = (TradeId(*trade), by.visitor.viewer());
    let declined = trades::decline(&state, &by, viewer, id).await;
    answered(&state, &by, network.0, id, declined, "declined").await
}

/// Withdraws an offer of the reader.
pub(in crate::web) async fn cancel(
    state: web::Data<AppState>,
    by: Player<WriteTrades>,
    network: ClientNetwork,
    trade: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let (id, viewer) = (TradeId(*trade), by.visitor.viewer());
    let cancelled = trades::cancel(&state, &by, viewer, id).await;
    answered(&state, &by, network.0, id, cancelled, "cancelled").await
}

/// Redirects to the trade after an answer.
async fn answered(
    app: &AppState,
    by: &Player<WriteTrades>,
    network: Network,
    id: TradeId,
    answer: Result<TradeResponse, Problem>,
    done: &str,
) -> Result<HttpResponse, Problem> {
    match answer {
        Ok(_) => Ok(see_other(&format!("{}?done={done}", trade_path(id.0)))),
        Err(problem) => refused(app, by, network, id, problem, None).await,
    }
}

/// Whether a problem says that the trade can no longer be answered, or not by this reader.
pub(super) fn is_over(problem: &Problem) -> bool {
    use ProblemCode::{NotYourTurn, TradeClosed, TradeLapsed};
    [TradeClosed, NotYourTurn, TradeLapsed].contains(&problem.code())
}

/// Whether the offer lapsed because of its copies; otherwise it lapsed because of the player.
fn has_copies(problem: &Problem) -> bool {
    let copies = problem.member(ProblemMember::Copies).and_then(serde_json::Value::as_array);
    copies.is_some_and(|copies| !copies.is_empty())
}

/// The trade as it is now, with the fault of the refused answer. `late`: the offer that was to be the answer.
pub(super) async fn refused(
    app: &AppState,
    by: &Player<WriteTrades>,
    network: Network,
    id: TradeId,
    problem: Problem,
    late: Option<&TypedOffer>,
) -> Result<HttpResponse, Problem> {
    let faults = match problem.code() {
        ProblemCode::TradeClosed | ProblemCode::NotYourTurn => {
            Faults::of_problem(&problem, &[], trade_words::fault)
        }
        ProblemCode::TradeLapsed => {
            Some(Faults::one("", trade_words::lapsed(has_copies(&problem))))
        }
        _ => None,
    };
    let Some(faults) = faults else { return Err(problem) };
    let reads = by.visitor.must::<ReadTrades>()?;
    let status = PageStatus::of(&problem);
    let shown = Shown { status, faults, late, ..Shown::plain() };
    show(app, (&reads, &by.visitor), network, id, shown).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_one_empty_line_in_place_of_many() {
        let text = format!("One{}two\nthree\n \n\nfour", "\n".repeat(300));
        assert_eq!(message_lines(&text), ["One", "", "two", "three", "", "four"]);
    }
}
