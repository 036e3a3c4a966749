//! The form of an offer, in which own copies and copies of the other player are chosen. The same form answers another offer.

use actix_web::{HttpResponse, web};
use askama::Template;
use uuid::Uuid;

use super::choices::Games;
use super::offer_form::{Step, TypedOffer, faults_of};
use super::partners::{self, PartnerLink, Partners};
use super::picks::{Picks, offered_picks, own_picks, shown_picks};
use super::section::Section;
use super::trade::{is_over, refused};
use super::trade_words;
use super::words as copy_words;
use super::{player_path, trade_path};
use crate::app::catalogue::codes::Codes;
use crate::app::copies::trade_responses::{TradeResponse, TradedCopyResponse};
use crate::app::copies::trades;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{ReadTrades, WriteTrades};
use crate::domain::copies::trade::{DEFAULT_LIFETIME_HOURS, MAX_MESSAGE};
use crate::domain::ids::TradeId;
use crate::domain::text::AccountName;
use crate::http::extract::{ClientNetwork, Form, claim_of_form};
use crate::web::forms::{Choice, Faults, Fields, new_key, next_key, private};
use crate::web::page::{Frame, Place, path_of};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, see_other};
use crate::web::words;

/// The page of a new offer.
const NEW: &str = "/trades/new";

#[derive(Template)]
#[template(path = "web/copies/offer.html")]
struct OfferPage {
    frame: Frame,
    section: Section,
    heading: String,
    faults: Faults,
    /// The path that the form is sent to.
    path: String,
    /// The page of the offer that is answered.
    first_path: Option<String>,
    typed: TypedOffer,
    /// Whether the form is complete; otherwise it only asks for the recipient.
    is_complete: bool,
    /// Names of players to suggest in the field of the name, and as links.
    names: Vec<Choice>,
    matching: Vec<PartnerLink>,
    earlier: Vec<PartnerLink>,
    player_path: String,
    games: Vec<Choice>,
    lifetimes: Vec<Choice>,
    give: Picks,
    want: Picks,
    most: usize,
    /// Messages about copies that are chosen and not shown.
    notices: Vec<String>,
    /// Whether the page of the other player is certain to exist.
    has_page: bool,
    /// The path of the form with nothing chosen.
    reset_path: String,
}

/// The path of the form of an offer to a player, perhaps with one of that player's copies chosen.
pub(super) fn new_path(player: &str, want: Option<Uuid>) -> String {
    let want = want.map(|want| want.to_string()).unwrap_or_default();
    path_of(NEW, &[("player", player), ("want", &want)])
}

/// The path of the form of a new offer to a player, with the copies and the time that were chosen before. The message is not in
/// it, because addresses are stored by browsers and proxies.
pub(super) fn again_path(player: &str, typed: &TypedOffer) -> String {
    let ids = |copies: &[Uuid]| -> Vec<String> { copies.iter().map(Uuid::to_string).collect() };
    let (give, want, hours) = (ids(&typed.give), ids(&typed.want), typed.hours.to_string());
    let mut fields = vec![("player", player), ("hours", &*hours)];
    fields.extend(give.iter().map(|id| ("give", id.as_str())));
    fields.extend(want.iter().map(|id| ("want", id.as_str())));
    path_of(NEW, &fields)
}

/// Shows the form of a new offer; it asks for the recipient first.
pub(in crate::web) async fn show_new(
    state: web::Data<AppState>,
    by: Player<WriteTrades>,
    query: web::Query<Fields>,
) -> Result<HttpResponse, Problem> {
    let typed = TypedOffer::read(&query);
    show(&state, &by, (None, typed), FormState::first()).await
}

/// Shows the form of an answer to an offer, with the two sides of that offer exchanged.
pub(in crate::web) async fn show_counter(
    state: web::Data<AppState>,
    by: Player<WriteTrades>,
    trade: web::Path<Uuid>,
    query: web::Query<Fields>,
) -> Result<HttpResponse, Problem> {
    let first = answered(&state, &by, TradeId(*trade)).await?;
    if !can_be_answered(&first) {
        return Ok(see_other(&trade_path(*trade)));
    }
    // The API refuses an offer with a copy that cannot be given, so such copies are not chosen at first.
    let available = |copies: &[TradedCopyResponse]| -> Vec<Uuid> {
        let available = copies.iter().filter(|copy| copy.available == Some(true));
        available.map(|copy| copy.id).collect()
    };
    let is_anew = !query.one("anew").is_empty();
    let (give, want) = if is_anew {
        (Vec::new(), Vec::new())
    } else {
        (available(&first.want), available(&first.give))
    };
    let typed = TypedOffer { give, want, hours: DEFAULT_LIFETIME_HOURS, ..TypedOffer::default() };
    show(&state, &by, (Some(&first), typed), FormState::first()).await
}

/// Whether the reader may answer the offer, as far as the offer itself shows it.
fn can_be_answered(first: &TradeResponse) -> bool {
    first.summary.state == "open" && first.summary.role != "offerer"
}

async fn answered(
    app: &AppState,
    by: &Player<WriteTrades>,
    id: TradeId,
) -> Result<TradeResponse, Problem> {
    trades::find(app, &by.visitor.must::<ReadTrades>()?, by.visitor.viewer(), id).await
}

/// Sends an offer, or shows another page of the copies.
pub(in crate::web) async fn create(
    state: web::Data<AppState>,
    by: Player<WriteTrades>,
    Form(fields): Form<Fields>,
) -> Result<HttpResponse, Problem> {
    let typed = TypedOffer::read(&fields);
    if typed.step == Step::Look {
        return show(&state, &by, (None, typed), FormState::first()).await;
    }
    let offered = async {
        let name = AccountName::parse(&typed.player)
            .map_err(|_| Problem::new(ProblemCode::NoSuchTrader))?;
        let offer = typed.offer()?;
        let (contents, account) = (typed.contents(), by.account());
        let contents = contents.each_ref().map(String::as_str);
        let key = claim_of_form(&state, account, "page_create_trade", &typed.key, &contents);
        trades::create(&state, &by, by.visitor.viewer(), &name, &offer, key.as_ref()).await
    };
    match offered.await {
        Ok(trade) => Ok(see_other(&offered_path(&trade))),
        Err(problem) => {
            let Some(faults) = faults_of(&problem) else { return Err(problem) };
            let again = FormState::after(&problem, faults, &typed);
            show(&state, &by, (None, typed), again).await
        }
    }
}

fn offered_path(trade: &TradeResponse) -> String {
    format!("{}?done=offered", trade_path(trade.summary.id))
}

/// Answers an offer with another one, or shows another page of the copies.
pub(in crate::web) async fn counter(
    state: web::Data<AppState>,
    by: Player<WriteTrades>,
    network: ClientNetwork,
    trade: web::Path<Uuid>,
    Form(fields): Form<Fields>,
) -> Result<HttpResponse, Problem> {
    let (id, typed) = (TradeId(*trade), TypedOffer::read(&fields));
    let first = answered(&state, &by, id).await?;
    if typed.step == Step::Look {
        if can_be_answered(&first) {
            return show(&state, &by, (Some(&first), typed), FormState::first()).await;
        }
        if typed.message.trim().is_empty() {
            return Ok(see_other(&trade_path(*trade)));
        }
        let is_open = first.summary.state == "open";
        let code = if is_open { ProblemCode::NotYourTurn } else { ProblemCode::TradeClosed };
        return refused(&state, &by, network.0, id, Problem::new(code), Some(&typed)).await;
    }
    let offered = async {
        let offer = typed.offer()?;
        let (contents, first) = (typed.contents(), trade.to_string());
        let [_, give, want, message, hours] = contents.each_ref().map(String::as_str);
        let contents = [first.as_str(), give, want, message, hours];
        let key = claim_of_form(&state, by.account(), "page_counter_trade", &typed.key, &contents);
        trades::counter(&state, &by, by.visitor.viewer(), id, &offer, key.as_ref()).await
    };
    match offered.await {
        Ok(trade) => Ok(see_other(&offered_path(&trade))),
        // The offer is closed: its page shows the outcome.
        Err(problem) if is_over(&problem) => {
            refused(&state, &by, network.0, id, problem, Some(&typed)).await
        }
        Err(problem) => {
            let Some(faults) = faults_of(&problem) else { return Err(problem) };
            let again = FormState::after(&problem, faults, &typed);
            show(&state, &by, (Some(&first), typed), again).await
        }
    }
}

/// How the form is shown: for the first time, or again with a fault.
struct FormState {
    status: PageStatus,
    faults: Faults,
    key: String,
}

impl FormState {
    fn first() -> Self {
        Self { status: PageStatus::OK, faults: Faults::none(), key: new_key() }
    }

    fn after(problem: &Problem, faults: Faults, typed: &TypedOffer) -> Self {
        let status = PageStatus::of(problem);
        Self { status, faults, key: next_key(status, &typed.key) }
    }
}

/// Shows the form. `first`: the offer that is answered.
async fn show(
    app: &AppState,
    by: &Player<WriteTrades>,
    (first, typed): (Option<&TradeResponse>, TypedOffer),
    FormState { status, mut faults, key }: FormState,
) -> Result<HttpResponse, Problem> {
    let player = first.map_or_else(|| typed.player.clone(), |first| first.summary.from.clone());
    let name = AccountName::parse(&player).ok();
    // A form that was sent has a key, unlike the one that asks for the recipient. With a name that no account can have, or without one, it stays as it is: the other
    // form has no message and no lifetime.
    let is_sent = !typed.key.is_empty();
    if name.is_none() && (is_sent || !player.is_empty()) && faults.is_empty() {
        faults.add("player", copy_words::PLAYER_NAME_FAULT);
    }
    let is_sent_again = is_sent && faults.of("player").is_some();
    let is_complete = name.is_some() || is_sent_again;
    let games = Games::read(app).await?;
    let (mut give, mut want) =
        (Picks::of_unknown_owner(&typed.give), Picks::of_unknown_owner(&typed.want));
    let mut has_page = false;
    if is_complete {
        let codes = match typed.mine.codes(app).await? {
            Ok(codes) => codes,
            Err(wrong) => {
                for fault in wrong.all() {
                    faults.add(fault.field, fault.text.clone());
                }
                Codes::default()
            }
        };
        give = own_picks(app, by, &games, &typed, codes.clone()).await?;
        if let Some(name) = &name {
            let offered = first.map(|first| offered_picks(&games, first, &typed.want));
            let offered = offered.unwrap_or_default();
            let shown = shown_picks(app, by, &games, &typed, (name, codes), offered).await?;
            (want, has_page) = shown;
        }
    }
    let asks_for_name = first.is_none() && (name.is_none() || faults.of("player").is_some());
    let partners =
        if asks_for_name { partners::find(app, &by.visitor).await } else { Partners::default() };
    let heading = match first {
        Some(_) => trade_words::counter_to(&player),
        None => trade_words::offer_to(if name.is_some() { &player } else { "" }),
    };
    let first_path = first.map(|first| trade_path(first.summary.id));
    let hours = typed.hours.to_string();
    let lifetimes = trade_words::LIFETIMES.into_iter();
    let frame = Frame::new(&heading).at(Place::Collection);
    let page = OfferPage {
        frame: Frame { script: Some(&frame.assets.pick_script), ..frame },
        section: Section::Trades,
        heading,
        faults,
        path: first_path
            .as_ref()
            .map_or_else(|| NEW.to_owned(), |first| format!("{first}/counter")),
        first_path,
        is_complete,
        names: partners.choices(),
        matching: partners::links(partners.matching, NEW, &typed),
        earlier: partners::links(partners.earlier, NEW, &typed),
        player_path: player_path(&player),
        games: games.choices(&typed.mine.game),
        lifetimes: lifetimes
            .map(|(value, name)| Choice::new(&value.to_string(), name, &hours))
            .collect(),
        most: MAX_MESSAGE,
        notices: [
            trade_words::not_shown(give.elsewhere.len(), want.elsewhere.len()),
            trade_words::left_out(give.left_out + want.left_out),
        ]
        .into_iter()
        .flatten()
        .collect(),
        has_page,
        give,
        want,
        reset_path: match first {
            Some(first) => format!("{}/counter?anew=1", trade_path(first.summary.id)),
            None => new_path(&player, None),
        },
        typed: TypedOffer { player, key, ..typed },
    };
    let is_wrong = status == PageStatus::OK && !page.faults.is_empty();
    private(if is_wrong { PageStatus::INVALID_QUERY } else { status }, &page)
}
