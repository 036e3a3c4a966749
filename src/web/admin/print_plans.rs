//! Plans a print run: shows what it would contain before it is announced. The run itself is printed on the command line.

use std::collections::BTreeMap;

use actix_web::{HttpResponse, web};
use askama::Template;
use cardscape_engine::Game;
use serde::Deserialize;

use super::announcements::announcement_path;
use super::parts::{Area, Nav, faults_of, rarity};
use super::printing_words;
use super::words as admin_words;
use crate::app::printing::print_commitments;
use crate::app::printing::print_plans::{self, PlannedPacks, PrintPlanResponse, RunRequest};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{AnnouncePrintRuns, Planner, ReadPrintRuns, Role};
use crate::domain::printing::minting::PlanWarning;
use crate::domain::printing::packs::PackParameters;
use crate::http::extract::{Form, claim_of_form};
use crate::web::forms::{Faults, next_key, private};
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, see_other};
use crate::web::set_choices::{SetChoices, sets_of_all_games};
use crate::web::words;

/// A run to plan, as it was typed. Browsers do not send a checkbox that is not ticked.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct TypedPlan {
    /// Game and set, with a slash between them.
    set: String,
    copies_per_card: String,
    packs: Option<String>,
    cards_per_pack: String,
    remainder: Option<String>,
    /// Numbers of cards, with commas or spaces between them.
    lore_cards: String,
    /// Idempotency key: recognises a form that is sent twice.
    key: String,
}

/// Most copies of a card, as in the contract of the API.
const MAX_COPIES: u64 = 10_000_000;

impl TypedPlan {
    /// The request for a run, or its faults with the status of the answer.
    fn request(&self) -> Result<RunRequest, (PageStatus, Faults)> {
        let mut faults = Faults::none();
        let copies = self.copies_per_card.trim().parse::<u64>().ok();
        let copies = copies.filter(|copies| (1..=MAX_COPIES).contains(copies));
        if copies.is_none() {
            faults.add("copies_per_card", printing_words::COPIES_FAULT);
        }
        let usual = PackParameters::default();
        let per_pack = match self.cards_per_pack.trim() {
            "" => Some(usual.cards_per_pack),
            typed => typed.parse::<u32>().ok().filter(|cards| (1..=1000).contains(cards)),
        };
        if per_pack.is_none() {
            faults.add("cards_per_pack", printing_words::PER_PACK_FAULT);
        }
        let (Some(copies_per_card), Some(cards_per_pack)) = (copies, per_pack) else {
            return Err((PageStatus::INVALID_FORM, faults));
        };
        let (game, set) = self.set.split_once('/').ok_or_else(|| {
            let faults = Faults::one("set", printing_words::NO_SUCH_SET);
            (PageStatus::NOT_FOUND, faults)
        })?;
        let lore_cards = self.lore_cards.split([',', ' ', '\n', '\r', '\t']);
        let lore_cards = lore_cards.filter(|number| !number.is_empty()).map(str::to_owned);
        let packs = self.packs.is_some().then(|| PackParameters {
            cards_per_pack,
            remainder: self.remainder.is_some(),
            lore_cards: lore_cards.collect(),
            ..usual
        });
        Ok(RunRequest { game: game.to_owned(), set: set.to_owned(), copies_per_card, packs })
    }
}

#[derive(Template)]
#[template(path = "web/admin/print_plan.html")]
struct PlanPage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    sets: SetChoices,
    typed: TypedPlan,
    plan: Option<Plan>,
}

/// What a run would contain.
struct Plan {
    cards: String,
    copies: String,
    shares: Vec<Share>,
    packs: Option<PlannedPacks>,
    warnings: Vec<String>,
}

/// The share of a rarity.
struct Share {
    rarity: String,
    weight: u32,
    copies: u64,
    fewest: u64,
    most: u64,
}

impl Plan {
    fn new(games: &BTreeMap<&str, &Game>, game: &str, plan: PrintPlanResponse) -> Self {
        let share = |one: print_plans::PlannedRarity| Share {
            rarity: rarity(games, game, &one.rarity),
            weight: one.weight,
            copies: one.copies,
            fewest: one.fewest,
            most: one.most,
        };
        let text_of = |warning: &PlanWarning| {
            let (PlanWarning::NoCopy(code) | PlanWarning::SomeWithout(code)) = warning;
            printing_words::plan_warning(warning, &rarity(games, game, code))
        };
        Self {
            cards: plan.cards.to_string(),
            copies: words::grouped(plan.copy_count.try_into().unwrap_or(i64::MAX)),
            shares: plan.rarities.into_iter().map(share).collect(),
            packs: plan.packs,
            warnings: plan.warnings.iter().map(text_of).collect(),
        }
    }
}

/// The set, as a link to the form may state it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct PlanQuery {
    set: String,
}

/// Shows the form.
pub(in crate::web) async fn show_plan(
    state: web::Data<AppState>,
    by: Player<ReadPrintRuns>,
    query: web::Query<PlanQuery>,
) -> Result<HttpResponse, Problem> {
    let typed = TypedPlan { set: query.into_inner().set, ..TypedPlan::default() };
    show(&state, by.role(), PageStatus::OK, typed, Faults::none(), None).await
}

async fn show(
    app: &AppState,
    role: Role,
    status: PageStatus,
    mut typed: TypedPlan,
    faults: Faults,
    plan: Option<Plan>,
) -> Result<HttpResponse, Problem> {
    typed.key = next_key(status, &typed.key);
    let page = PlanPage {
        frame: Frame::new(printing_words::PLAN_RUN).at(Place::Account),
        nav: Nav::new(role, Area::PrintRuns),
        faults,
        sets: sets_of_all_games(app, &typed.set).await?,
        typed,
        plan,
    };
    private(status, &page)
}

/// Plans a run. Nothing is stored.
pub(in crate::web) async fn plan(
    state: web::Data<AppState>,
    by: Player<ReadPrintRuns>,
    Form(typed): Form<TypedPlan>,
) -> Result<HttpResponse, Problem> {
    let request = match typed.request() {
        Ok(request) => request,
        Err((status, faults)) => {
            return show(&state, by.role(), status, typed, faults, None).await;
        }
    };
    match make_plan(&state, &Planner::from(&by.granted), &request).await {
        Ok(plan) => {
            show(&state, by.role(), PageStatus::OK, typed, Faults::none(), Some(plan)).await
        }
        Err(problem) => {
            let Some(faults) = plan_faults(&problem) else { return Err(problem) };
            show(&state, by.role(), PageStatus::of(&problem), typed, faults, None).await
        }
    }
}

async fn make_plan(app: &AppState, by: &Planner, request: &RunRequest) -> Result<Plan, Problem> {
    let plan = print_plans::create(app, by, request).await?;
    let games = app.all_games().await?;
    let games: BTreeMap<&str, &Game> =
        games.iter().map(|loaded| (loaded.game.code(), &loaded.game)).collect();
    Ok(Plan::new(&games, &request.game, plan))
}

/// Why there is no plan. The values of the fields are checked before, so a refusal is about the run as a whole.
fn plan_faults(problem: &Problem) -> Option<Faults> {
    match problem.code() {
        ProblemCode::NotFound => Some(Faults::one("set", printing_words::NO_SUCH_SET)),
        _ => faults_of(problem, &[]),
    }
}

/// Announces a run as it was planned: its hash becomes public.
pub(in crate::web) async fn announce(
    state: web::Data<AppState>,
    by: Player<AnnouncePrintRuns>,
    Form(typed): Form<TypedPlan>,
) -> Result<HttpResponse, Problem> {
    let packs = if typed.packs.is_some() { "packs" } else { "" };
    let remainder = if typed.remainder.is_some() { "remainder" } else { "" };
    let fields = [
        typed.set.as_str(),
        &typed.copies_per_card,
        packs,
        &typed.cards_per_pack,
        remainder,
        &typed.lore_cards,
    ];
    let key = claim_of_form(&state, by.account(), "page_announce_run", &typed.key, &fields);
    let request = match typed.request() {
        Ok(request) => request,
        Err((status, faults)) => {
            return show(&state, by.role(), status, typed, faults, None).await;
        }
    };
    match print_commitments::announce(&state, &by, &request, key.as_ref()).await {
        Ok(announced) => {
            let path = announcement_path(announced.announcement.id);
            Ok(see_other(&format!("{path}?done=announced")))
        }
        Err(problem) => {
            let Some(faults) = plan_faults(&problem) else { return Err(problem) };
            let status = PageStatus::of(&problem);
            // Only beside a plan is there a form that keeps the key.
            let plan = if status.is_running() {
                Some(make_plan(&state, &Planner::from(&by.granted), &request).await?)
            } else {
                None
            };
            show(&state, by.role(), status, typed, faults, plan).await
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed() -> TypedPlan {
        let (set, copies_per_card) = ("ttcg/veil".to_owned(), " 100 ".to_owned());
        TypedPlan { set, copies_per_card, ..TypedPlan::default() }
    }

    #[test]
    fn a_plan_is_read_as_it_is_typed() {
        let request = typed().request().ok().unwrap();
        assert_eq!((request.game.as_str(), request.set.as_str()), ("ttcg", "veil"));
        assert_eq!(request.copies_per_card, 100);
        assert!(request.packs.is_none());
        let packed = TypedPlan {
            packs: Some("on".to_owned()),
            cards_per_pack: "8".to_owned(),
            lore_cards: "155, 156\n157".to_owned(),
            ..typed()
        };
        let packs = packed.request().ok().unwrap().packs.unwrap();
        assert_eq!((packs.cards_per_pack, packs.remainder), (8, false));
        assert_eq!(packs.lore_cards, ["155", "156", "157"]);
        assert_eq!(packs.card_mg, PackParameters::default().card_mg);
    }

    #[test]
    fn every_wrong_number_is_reported() {
        let (copies_per_card, cards_per_pack) = ("0".to_owned(), "x".to_owned());
        let wrong = TypedPlan { copies_per_card, cards_per_pack, ..typed() };
        let (_, faults) = wrong.request().err().unwrap();
        let fields: Vec<&str> = faults.all().iter().map(|fault| fault.field).collect();
        assert_eq!(fields, ["copies_per_card", "cards_per_pack"]);
    }
}
