//! An offer is made: own copies are chosen, and copies that the other player shows; or another offer is answered so.

use actix_web::{HttpResponse, web};
use askama::Template;
use uuid::Uuid;

use super::choices::{Choice, Games};
use super::offer_form::{Step, TypedOffer, faults_of};
use super::picks::{Picks, own_picks, shown_picks};
use super::section::Section;
use super::trade_words;
use super::words as copy_words;
use super::{player_path, trade_path};
use crate::app::catalogue::codes::Codes;
use crate::app::copies::trade_responses::TradeResponse;
use crate::app::copies::trades;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{ReadTrades, WriteTrades};
use crate::domain::copies::trade::{DEFAULT_LIFETIME_HOURS, MAX_MESSAGE};
use crate::domain::ids::TradeId;
use crate::domain::text::AccountName;
use crate::http::extract::{Form, claim_of_form};
use crate::web::forms::{Faults, Fields, private};
use crate::web::page::{Frame, Place};
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
    /// Where the form goes.
    path: String,
    /// The offer that is answered.
    first_path: Option<String>,
    typed: TypedOffer,
    /// Whether it is known whom the offer is for.
    has_player: bool,
    player_path: String,
    games: Vec<Choice>,
    lifetimes: Vec<Choice>,
    give: Picks,
    want: Picks,
    most: usize,
    /// What is chosen and not shown.
    kept: Option<String>,
    /// The form with nothing chosen.
    anew_path: String,
}

/// The form of an offer to a player, perhaps with one of that player's copies chosen.
pub(super) fn new_path(player: &str, want: Option<Uuid>) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("player", player);
    if let Some(want) = want {
        query.append_pair("want", &want.to_string());
    }
    format!("{NEW}?{}", query.finish())
}

/// The form of a new offer; first of all it asks for whom.
pub(in crate::web) async fn show_new(
    state: web::Data<AppState>,
    by: Player<WriteTrades>,
    query: web::Query<Fields>,
) -> Result<HttpResponse, Problem> {
    let typed = TypedOffer::read(&query);
    show(&state, &by, 200, (None, typed), Faults::none()).await
}

/// The form of an answer to an offer, with that offer turned round.
pub(in crate::web) async fn show_counter(
    state: web::Data<AppState>,
    by: Player<WriteTrades>,
    trade: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let first = answered(&state, &by, TradeId(*trade)).await?;
    if first.summary.state != "open" || first.summary.role == "offerer" {
        return Ok(see_other(&trade_path(*trade)));
    }
    let typed = TypedOffer {
        give: first.want.iter().map(|copy| copy.id).collect(),
        want: first.give.iter().map(|copy| copy.id).collect(),
        hours: DEFAULT_LIFETIME_HOURS,
        ..TypedOffer::default()
    };
    show(&state, &by, 200, (Some(&first), typed), Faults::none()).await
}

async fn answered(
    app: &AppState,
    by: &Player<WriteTrades>,
    id: TradeId,
) -> Result<TradeResponse, Problem> {
    trades::find(app, &by.visitor.must::<ReadTrades>()?, by.visitor.viewer(), id).await
}

/// Sends an offer, or shows another part of the copies.
pub(in crate::web) async fn create(
    state: web::Data<AppState>,
    by: Player<WriteTrades>,
    Form(fields): Form<Fields>,
) -> Result<HttpResponse, Problem> {
    let typed = TypedOffer::read(&fields);
    if typed.step == Step::Look {
        return show(&state, &by, 200, (None, typed), Faults::none()).await;
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
            show(&state, &by, problem.code().status(), (None, typed), faults).await
        }
    }
}

fn offered_path(trade: &TradeResponse) -> String {
    format!("{}?done=offered", trade_path(trade.summary.id))
}

/// Answers an offer with another one, or shows another part of the copies.
pub(in crate::web) async fn counter(
    state: web::Data<AppState>,
    by: Player<WriteTrades>,
    trade: web::Path<Uuid>,
    Form(fields): Form<Fields>,
) -> Result<HttpResponse, Problem> {
    let (id, typed) = (TradeId(*trade), TypedOffer::read(&fields));
    let first = answered(&state, &by, id).await?;
    if typed.step == Step::Look {
        return show(&state, &by, 200, (Some(&first), typed), Faults::none()).await;
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
        Err(problem) => {
            let Some(faults) = faults_of(&problem) else { return Err(problem) };
            show(&state, &by, problem.code().status(), (Some(&first), typed), faults).await
        }
    }
}

/// The form, with another key: what is sent next is another request. `first`: the offer that is answered.
async fn show(
    app: &AppState,
    by: &Player<WriteTrades>,
    status: u16,
    (first, typed): (Option<&TradeResponse>, TypedOffer),
    mut faults: Faults,
) -> Result<HttpResponse, Problem> {
    let player = first.map_or_else(|| typed.player.clone(), |first| first.summary.from.clone());
    let name = AccountName::parse(&player).ok();
    if name.is_none() && !player.is_empty() && faults.is_empty() {
        faults.add("player", words::sentence(copy_words::PLAYER_NAME_FAULT));
    }
    let games = Games::read(app).await?;
    let (mut give, mut want) = (Picks::default(), Picks::default());
    if let Some(name) = &name {
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
        want = shown_picks(app, by, &games, &typed, (name, codes)).await?;
        if let Some(first) = first {
            want.add_offered(&games, first, &typed.want);
        }
    }
    let (give, want) = (give.keep(&typed.give), want.keep(&typed.want));
    let heading = match first {
        Some(_) => trade_words::counter_to(&player),
        None => trade_words::offer_to(if name.is_some() { &player } else { "" }),
    };
    let first_path = first.map(|first| trade_path(first.summary.id));
    let hours = typed.hours.to_string();
    let lifetimes = trade_words::LIFETIMES.into_iter();
    let page = OfferPage {
        frame: Frame::new(&heading).at(Place::Collection),
        section: Section::Trades,
        heading,
        faults,
        path: first_path
            .as_ref()
            .map_or_else(|| NEW.to_owned(), |first| format!("{first}/counter")),
        first_path,
        has_player: name.is_some(),
        player_path: player_path(&player),
        games: games.choices(&typed.mine.game),
        lifetimes: lifetimes
            .map(|(value, name)| Choice::new(&value.to_string(), name, &hours))
            .collect(),
        most: MAX_MESSAGE,
        kept: trade_words::kept(give.elsewhere.len(), want.elsewhere.len()),
        give,
        want,
        anew_path: match first {
            Some(first) => format!("{}/counter", trade_path(first.summary.id)),
            None => new_path(&player, None),
        },
        typed: TypedOffer { key: Uuid::now_v7().to_string(), player, ..typed },
    };
    private(if page.faults.is_empty() { status } else { status.max(400) }, &page)
}
