//! Compares the ledger of copies with a model in plain Rust: players and a moderator take random steps through the API. After each
//! step, the answer and the whole database must be as in the model.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cardscape::app::state::ApiSettings;
use cardscape::domain::accounts::attempts::AttemptLimits;
use cardscape::domain::clock::Clock;
use chrono::Duration;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::support::{Answer, PaperCard, Player, RequestExt as _, TestApp, TestDb, text};

const PLAYERS: usize = 3;
const COPIES: usize = 6;

/// A step. Numbers of trades and disputes are taken modulo the existing ones.
#[derive(Clone, Debug)]
enum Step {
    Submit { player: usize, copy: usize, twice: bool },
    Offer { from: usize, to: usize, give: u8, want: u8, hours: u16, honest: bool, twice: bool },
    Counter { player: usize, trade: usize, give: u8, want: u8, honest: bool, twice: bool },
    Answer { player: usize, trade: usize, how: TradeAnswer, honest: bool },
    Wait { minutes: i64 },
    Moderate { copy: usize, what: Moderation },
    Withdraw { player: usize, dispute: usize },
    Decide { dispute: usize, for_claimant: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TradeAnswer {
    Accept,
    Decline,
    Cancel,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moderation {
    Freeze,
    Unfreeze,
    Void,
}

fn step() -> impl Strategy<Value = Step> {
    let player = 0..PLAYERS;
    let copy = 0..COPIES;
    // Counted back from the newest trade or dispute, and mostly the newest itself.
    let recent = prop_oneof![3 => Just(0usize), 1 => 0..4usize];
    let honest = prop::bool::weighted(0.85);
    let submit = (player.clone(), copy.clone(), any::<bool>())
        .prop_map(|(player, copy, twice)| Step::Submit { player, copy, twice });
    let terms = (any::<u8>(), any::<u8>(), honest, any::<bool>());
    // The distance to the number of the other player. 0, an offer to oneself, is rare.
    let away = prop_oneof![1 => Just(0usize), 12 => 1..PLAYERS];
    let offer = (player.clone(), away, terms, 1..4u16).prop_map(
        |(from, away, (give, want, honest, twice), hours)| {
            let to = (from + away) % PLAYERS;
            Step::Offer { from, to, give, want, hours, honest, twice }
        },
    );
    let counter = (player.clone(), recent.clone(), terms).prop_map(
        |(player, trade, (give, want, honest, twice))| Step::Counter {
            player,
            trade,
            give,
            want,
            honest,
            twice,
        },
    );
    let how = prop_oneof![
        6 => Just(TradeAnswer::Accept), 1 => Just(TradeAnswer::Decline), 1 => Just(TradeAnswer::Cancel),
    ];
    let answer = (player.clone(), recent.clone(), how, honest)
        .prop_map(|(player, trade, how, honest)| Step::Answer { player, trade, how, honest });
    let wait = (1..9i64).prop_map(|tens| Step::Wait { minutes: 10 * tens });
    let what = prop_oneof![
        3 => Just(Moderation::Freeze), 4 => Just(Moderation::Unfreeze), 1 => Just(Moderation::Void),
    ];
    let moderate = (copy, what).prop_map(|(copy, what)| Step::Moderate { copy, what });
    let withdraw =
        (player, recent.clone()).prop_map(|(player, dispute)| Step::Withdraw { player, dispute });
    let decide = (recent, any::<bool>())
        .prop_map(|(dispute, for_claimant)| Step::Decide { dispute, for_claimant });
    prop_oneof![
        6 => submit, 8 => offer, 2 => counter, 8 => answer, 2 => wait, 3 => moderate, 1 => withdraw, 1 => decide,
    ]
}

/// A copy in the model.
#[derive(Clone, Debug, Default)]
struct Copy {
    id: String,
    card: String,
    owner: Option<usize>,
    submitter: Option<usize>,
    frozen: bool,
    voided: bool,
    /// Each event, and the owner of the copy after it.
    ledger: Vec<(&'static str, usize)>,
}

#[derive(Clone, Debug)]
struct Trade {
    id: String,
    by: usize,
    to: usize,
    give: Vec<usize>,
    want: Vec<usize>,
    state: &'static str,
    expires: i64,
}

#[derive(Clone, Debug)]
struct Dispute {
    id: String,
    copy: usize,
    claimant: usize,
    state: &'static str,
    /// Who lost the copy by the decision.
    lost_by: Option<usize>,
}

#[derive(Clone, Debug, Default)]
struct Model {
    minute: i64,
    copies: Vec<Copy>,
    trades: Vec<Trade>,
    disputes: Vec<Dispute>,
    counted: BTreeSet<(usize, String)>,
}

/// The expected answer: a status and, for a problem, its code.
type Expected = (u16, &'static str);

impl Model {
    fn movable(&self, copy: usize, owner: usize) -> bool {
        let copy = &self.copies[copy];
        copy.owner == Some(owner) && !copy.frozen && !copy.voided
    }

    fn submit(&mut self, player: usize, place: usize) -> Expected {
        let copy = &mut self.copies[place];
        if copy.voided {
            return (422, "submission_rejected");
        }
        match copy.owner {
            None => {
                copy.owner = Some(player);
                copy.submitter = Some(player);
                copy.ledger.push(("register", player));
                self.counted.insert((player, copy.card.clone()));
                (201, "")
            }
            Some(owner) if owner == player => (200, ""),
            Some(_) if copy.ledger.iter().any(|(_, owner)| *owner == player) => {
                (409, "copy_passed_on")
            }
            Some(owner) => {
                let known = |dispute: &Dispute| (dispute.copy, dispute.claimant) == (place, player);
                if !self.disputes.iter().any(known) {
                    copy.ledger.push(("dispute", owner));
                    let id = String::new();
                    self.disputes.push(Dispute {
                        id,
                        copy: place,
                        claimant: player,
                        state: "open",
                        lost_by: None,
                    });
                }
                (409, "registered_to_another")
            }
        }
    }

    /// The registered copies of a mask; if `honest`, only copies that `owner` can give.
    fn pick(&self, mask: u8, owner: usize, honest: bool) -> Vec<usize> {
        let named = |copy: &usize| mask & (1 << copy) != 0 && self.copies[*copy].owner.is_some();
        (0..COPIES).filter(named).filter(|copy| !honest || self.movable(*copy, owner)).collect()
    }

    fn offer(&mut self, trade: Trade) -> Expected {
        let Trade { by, to, give, want, .. } = &trade;
        let fits = by != to
            && !(give.is_empty() && want.is_empty())
            && give.iter().all(|copy| self.movable(*copy, *by))
            && want.iter().all(|copy| self.movable(*copy, *to));
        if !fits {
            return (422, "invalid_body");
        }
        self.trades.push(trade);
        (201, "")
    }

    /// Marks the trade as expired if its time is over. Returns why the player cannot answer the trade, if so.
    fn answerable(&mut self, place: usize, player: usize, offerer: bool) -> Result<(), Expected> {
        let trade = &mut self.trades[place];
        if ![trade.by, trade.to].contains(&player) {
            return Err((404, "not_found"));
        }
        if (trade.by == player) != offerer {
            return Err((409, "not_your_turn"));
        }
        if trade.state == "open" && trade.expires <= self.minute {
            trade.state = "expired";
        }
        Ok(())
    }

    fn answer(&mut self, place: usize, player: usize, how: TradeAnswer) -> Expected {
        if let Err(refused) = self.answerable(place, player, how == TradeAnswer::Cancel) {
            return refused;
        }
        let done = match how {
            TradeAnswer::Accept => "accepted",
            TradeAnswer::Decline => "declined",
            TradeAnswer::Cancel => "cancelled",
        };
        let trade = self.trades[place].clone();
        match trade.state {
            "open" => {}
            state if state == done => return (200, ""),
            "lapsed" if how == TradeAnswer::Accept => return (409, "trade_lapsed"),
            _ => return (409, "trade_closed"),
        }
        let moves = || {
            let give = trade.give.iter().map(|copy| (*copy, trade.by, trade.to));
            give.chain(trade.want.iter().map(|copy| (*copy, trade.to, trade.by)))
        };
        if how == TradeAnswer::Accept {
            if !moves().all(|(copy, giver, _)| self.movable(copy, giver)) {
                self.trades[place].state = "lapsed";
                return (409, "trade_lapsed");
            }
            for (copy, _, taker) in moves() {
                self.copies[copy].owner = Some(taker);
                self.copies[copy].ledger.push(("transfer", taker));
                self.close_disputes(copy, Some(taker), "settled");
            }
        }
        self.trades[place].state = done;
        (200, "")
    }

    fn close_disputes(&mut self, copy: usize, claimant: Option<usize>, state: &'static str) {
        for dispute in &mut self.disputes {
            let meant = dispute.copy == copy && claimant.is_none_or(|who| who == dispute.claimant);
            if meant && dispute.state == "open" {
                dispute.state = state;
            }
        }
    }

    fn moderate(&mut self, place: usize, what: Moderation) -> Expected {
        let copy = &mut self.copies[place];
        let Some(owner) = copy.owner else { return (404, "not_found") };
        match what {
            Moderation::Void if copy.voided => {}
            Moderation::Void => {
                copy.voided = true;
                copy.ledger.push(("void", owner));
                self.close_disputes(place, None, "voided");
            }
            _ if copy.voided => return (409, "copy_void"),
            Moderation::Freeze if !copy.frozen => {
                copy.frozen = true;
                copy.ledger.push(("freeze", owner));
            }
            Moderation::Unfreeze if copy.frozen => {
                copy.frozen = false;
                copy.ledger.push(("unfreeze", owner));
            }
            Moderation::Freeze | Moderation::Unfreeze => {}
        }
        (200, "")
    }

    fn withdraw(&mut self, player: usize, place: usize) -> Expected {
        let dispute = &mut self.disputes[place];
        if dispute.claimant != player {
            let owner = self.copies[dispute.copy].owner;
            let is_owner = [owner, dispute.lost_by].contains(&Some(player));
            return if is_owner { (409, "not_your_turn") } else { (404, "not_found") };
        }
        match dispute.state {
            "open" | "withdrawn" => {
                dispute.state = "withdrawn";
                (200, "")
            }
            _ => (409, "dispute_closed"),
        }
    }

    fn decide(&mut self, place: usize, for_claimant: bool) -> Expected {
        let state = if for_claimant { "for_claimant" } else { "for_owner" };
        let dispute = &mut self.disputes[place];
        if dispute.state == "open" {
            dispute.state = state;
            let copy = &mut self.copies[dispute.copy];
            if for_claimant {
                dispute.lost_by = copy.owner.replace(dispute.claimant);
            }
            copy.ledger.extend(copy.owner.map(|owner| ("decide", owner)));
            return (200, "");
        }
        if dispute.state == state { (200, "") } else { (409, "dispute_closed") }
    }

    /// Everything that the database must hold, in the form of [`DATABASE`].
    fn database_rows(&self, people: &[String]) -> Value {
        let copies: BTreeMap<&String, Value> = self
            .copies
            .iter()
            .filter_map(|copy| {
                let owner = &people[copy.owner?];
                let ledger: Vec<Value> = (1..)
                    .zip(&copy.ledger)
                    .map(|(position, (event, owner))| json!([position, event, people[*owner]]))
                    .collect();
                let state = json!({ "owner": owner, "frozen": copy.frozen, "voided": copy.voided, "ledger": ledger });
                Some((&copy.id, state))
            })
            .collect();
        let trades: BTreeMap<&String, Value> = self
            .trades
            .iter()
            .map(|trade| (&trade.id, json!([trade.state, trade.give.len(), trade.want.len()])))
            .collect();
        let disputes: BTreeMap<&String, &str> =
            self.disputes.iter().map(|dispute| (&dispute.id, dispute.state)).collect();
        let mut unlocks: BTreeMap<&String, usize> =
            self.copies.iter().map(|copy| (&copy.card, 0)).collect();
        // An account has one vote for a card, by any copy that it submitted and that is not void.
        let valid = self.copies.iter().filter(|copy| !copy.voided);
        let votes: BTreeSet<(usize, &String)> =
            valid.filter_map(|copy| Some((copy.submitter?, &copy.card))).collect();
        for (_, card) in votes {
            *unlocks.entry(card).or_default() += 1;
        }
        let submissions = self.copies.iter().filter(|copy| copy.submitter.is_some()).count();
        json!({
            "copies": copies, "trades": trades, "disputes": disputes, "unlocks": unlocks,
            "submissions": submissions, "counted": self.counted.len(),
        })
    }
}

/// Owners, states, ledger, trades, disputes and unlock counts, as they are stored.
const DATABASE: &str = "SELECT jsonb_build_object( \
    'copies', (SELECT coalesce(jsonb_object_agg(c.id, jsonb_build_object( \
        'owner', c.owner_id, 'frozen', c.frozen_at IS NOT NULL, 'voided', c.voided_at IS NOT NULL, \
        'ledger', (SELECT jsonb_agg(jsonb_build_array(l.position, l.entry, l.owner_id) ORDER BY l.position) \
                   FROM copy_ledger l WHERE l.code_prefix = c.code_prefix AND l.code_mac = c.code_mac))), '{}') \
        FROM copies c WHERE c.owner_id IS NOT NULL), \
    'trades', (SELECT coalesce(jsonb_object_agg(t.id, jsonb_build_array(t.state, \
        (SELECT count(*) FROM trade_copies x WHERE x.trade_id = t.id AND x.given), \
        (SELECT count(*) FROM trade_copies x WHERE x.trade_id = t.id AND NOT x.given))), '{}') FROM trades t), \
    'disputes', (SELECT coalesce(jsonb_object_agg(d.id, d.state), '{}') FROM disputes d), \
    'unlocks', (SELECT coalesce(jsonb_object_agg(u.card_id, u.submissions), '{}') FROM unlocks u), \
    'submissions', (SELECT count(*) FROM submissions), \
    'counted', (SELECT count(*) FROM submissions WHERE counted))";

/// The service, its accounts, and the model of the expected state.
struct World {
    app: TestApp,
    players: Vec<Player>,
    moderator: Player,
    cards: Vec<PaperCard>,
    model: Model,
    keys: usize,
}

/// The same account with a token that stays valid while the clock advances.
async fn with_lasting_token(app: &TestApp, player: Player, scopes: &[&str]) -> Player {
    let body = json!({ "name": "t", "scopes": scopes, "expires_in_days": 366 });
    let created = app.post("/v1/tokens").by(&player).json(&body).answer().await.expect(201);
    Player { access_token: text(&created, "secret"), ..player }
}

/// A database with accounts and cards, before any step. Each case runs on a copy of it.
struct Stage {
    db: Arc<TestDb>,
    players: Vec<Player>,
    moderator: Player,
    cards: Vec<PaperCard>,
    model: Model,
}

impl Stage {
    async fn set() -> Self {
        let db = Arc::new(TestDb::create().await);
        let app = TestApp::start_on(db.clone(), Clock::system(), |_| {});
        app.import_set("dusk", 2, true).await;
        let mut cards = app.print("dusk", (COPIES / 2) as u64).await;
        cards.truncate(COPIES);
        let mut players = Vec::new();
        for n in 0..PLAYERS {
            let player = app.player(&format!("player {n}")).await;
            app.set_trading(&player, "public").await;
            let scopes = ["serials:read", "serials:submit", "trades:read", "trades:write"];
            players.push(with_lasting_token(&app, player, &scopes).await);
        }
        let moderator = with_lasting_token(&app, app.moderator().await, &["admin:write"]).await;
        let mut model = Model { copies: vec![Copy::default(); COPIES], ..Model::default() };
        for (copy, card) in model.copies.iter_mut().zip(&cards) {
            let id = format!("SELECT id FROM cards WHERE number = '{}'", card.number);
            copy.card = app.db().value(&id).await;
        }
        // Accounts that are not new may make more offers a day.
        app.sql("UPDATE accounts SET created_at = created_at - interval '9 days'").await;
        drop(app);
        // A database with open connections cannot be copied.
        let name = db.value("SELECT current_database()").await;
        let disconnect = format!(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '{name}'"
        );
        TestDb::create().await.value(&disconnect).await;
        Self { db, players, moderator, cards, model }
    }
}

impl World {
    async fn new(stage: &Stage) -> Self {
        let db = Arc::new(stage.db.copy().await);
        let wide = |api: &mut ApiSettings| api.attempt_limits = AttemptLimits::scaled(1000);
        Self {
            app: TestApp::start_on(db, Clock::system(), wide),
            players: stage.players.clone(),
            moderator: stage.moderator.clone(),
            cards: stage.cards.clone(),
            model: stage.model.clone(),
            keys: 0,
        }
    }

    /// Sends a request once or twice with one idempotency key; each answer must be the expected one.
    async fn send(
        &mut self,
        player: usize,
        path: &str,
        body: &Value,
        twice: bool,
        expected: Expected,
    ) -> Value {
        self.keys += 1;
        let key = format!("key-{}", self.keys);
        let mut answers = Vec::new();
        for _ in 0..=usize::from(twice) {
            let request = self.app.post(path).by(&self.players[player]);
            let answer = request.header("idempotency-key", &key).json(body).answer().await;
            answers.push(check(answer, expected));
        }
        if let [first, second] = &answers[..] {
            assert_eq!(first["id"], second["id"], "a repeated request creates nothing new");
        }
        answers.swap_remove(0)
    }

    /// The index of an item, counted back from the newest, or `None` if there is no item.
    fn recent(count: usize, back: usize) -> Option<usize> {
        (count > 0).then(|| count - 1 - back % count)
    }

    async fn play(&mut self, step: &Step) {
        match *step {
            Step::Submit { player, copy, twice } => {
                let (disputes, expected) =
                    (self.model.disputes.len(), self.model.submit(player, copy));
                let body = self.cards[copy].submission();
                let answer = self.send(player, "/v1/submissions", &body, twice, expected).await;
                if matches!(expected.0, 200 | 201) {
                    self.model.copies[copy].id = text(&answer, "copy");
                    let own = self.model.copies[copy].submitter == Some(player);
                    assert_eq!(answer["submission"].is_string(), own, "{answer}");
                }
                if self.model.disputes.len() > disputes {
                    self.model.disputes.last_mut().unwrap().id = text(&answer, "dispute_id");
                }
            }
            Step::Offer { from, to, give, want, hours, honest, twice } => {
                let give = self.model.pick(give, from, honest);
                let want = self.model.pick(want, to, honest);
                let mut body = self.terms(&give, &want, hours);
                body["with"] = json!(self.players[to].name);
                let expires = self.model.minute + i64::from(hours) * 60;
                let trade =
                    Trade { id: String::new(), by: from, to, give, want, state: "open", expires };
                let expected = self.model.offer(trade);
                let answer = self.send(from, "/v1/trades", &body, twice, expected).await;
                if expected.0 == 201 {
                    self.model.trades.last_mut().unwrap().id = text(&answer, "id");
                }
            }
            Step::Counter { player, trade, give, want, honest, twice } => {
                let Some(place) = Self::recent(self.model.trades.len(), trade) else { return };
                let partner = self.model.trades[place].by;
                let give = self.model.pick(give, player, honest);
                let want = self.model.pick(want, partner, honest);
                let (body, expires) = (self.terms(&give, &want, 2), self.model.minute + 120);
                let path = format!("/v1/trades/{}/counter", self.model.trades[place].id);
                // The service reports a malformed body before it looks up the trade.
                let malformed = (give.is_empty() && want.is_empty())
                    || give.iter().any(|copy| want.contains(copy));
                let expected = if malformed {
                    (422, "invalid_body")
                } else if let Err(refused) = self.model.answerable(place, player, false) {
                    refused
                } else {
                    match self.model.trades[place].state {
                        "open" => {
                            let trade = Trade {
                                id: String::new(),
                                by: player,
                                to: partner,
                                give,
                                want,
                                state: "open",
                                expires,
                            };
                            self.model.offer(trade)
                        }
                        "lapsed" => (409, "trade_lapsed"),
                        _ => (409, "trade_closed"),
                    }
                };
                let answer = self.send(player, &path, &body, twice, expected).await;
                if expected.0 == 201 {
                    self.model.trades[place].state = "countered";
                    self.model.trades.last_mut().unwrap().id = text(&answer, "id");
                }
            }
            Step::Answer { player, trade, how, honest } => {
                let Some(place) = Self::recent(self.model.trades.len(), trade) else { return };
                let Trade { by, to, .. } = self.model.trades[place];
                let player = match how {
                    _ if !honest => player,
                    TradeAnswer::Cancel => by,
                    TradeAnswer::Accept | TradeAnswer::Decline => to,
                };
                let what = format!("{how:?}").to_lowercase();
                let expected = self.model.answer(place, player, how);
                let id = &self.model.trades[place].id;
                check(self.app.on_trade(&self.players[player], id, &what).await, expected);
            }
            Step::Wait { minutes } => {
                self.model.minute += minutes;
                self.app.clock().advance(Duration::minutes(minutes));
            }
            Step::Moderate { copy, what } => {
                let expected = self.model.moderate(copy, what);
                let what = format!("{what:?}").to_lowercase();
                let unregistered = || self.players[0].id.clone();
                let id = Some(self.model.copies[copy].id.clone()).filter(|id| !id.is_empty());
                let id = id.unwrap_or_else(unregistered);
                check(self.app.moderate(&self.moderator, &id, &what).await, expected);
            }
            Step::Withdraw { player, dispute } => {
                let Some(place) = Self::recent(self.model.disputes.len(), dispute) else { return };
                let path = format!("/v1/disputes/{}/withdraw", self.model.disputes[place].id);
                let expected = self.model.withdraw(player, place);
                check(self.app.post(&path).by(&self.players[player]).answer().await, expected);
            }
            Step::Decide { dispute, for_claimant } => {
                let Some(place) = Self::recent(self.model.disputes.len(), dispute) else { return };
                let path = format!("/v1/disputes/{}/decide", self.model.disputes[place].id);
                let expected = self.model.decide(place, for_claimant);
                let outcome = if for_claimant { "for_claimant" } else { "for_owner" };
                let body = json!({ "outcome": outcome, "reason": "so" });
                check(
                    self.app.post(&path).by(&self.moderator).json(&body).answer().await,
                    expected,
                );
            }
        }
    }

    fn terms(&self, give: &[usize], want: &[usize], hours: u16) -> Value {
        let ids = |copies: &[usize]| -> Vec<&String> {
            copies.iter().map(|copy| &self.model.copies[*copy].id).collect()
        };
        json!({ "give": ids(give), "want": ids(want), "expires_in_hours": hours })
    }

    async fn compare(&mut self, reader: usize) {
        // Housekeeping stores that a trade has expired, also if no request has read the trade.
        cardscape::store::operations::retention::sweep(self.app.store(), self.app.clock().now())
            .await
            .unwrap();
        for trade in &mut self.model.trades {
            if trade.state == "open" && trade.expires <= self.model.minute {
                trade.state = "expired";
            }
        }
        let people: Vec<String> = self.players.iter().map(|player| player.id.clone()).collect();
        let stored: Value = serde_json::from_str(&self.app.db().value(DATABASE).await).unwrap();
        assert_eq!(stored, self.model.database_rows(&people));
        let listed = self.app.copies_of(&self.players[reader]).await;
        let owned = self.model.copies.iter().filter(|copy| copy.owner == Some(reader));
        let owned: BTreeSet<String> = owned.map(|copy| copy.id.clone()).collect();
        assert_eq!(
            listed.into_iter().collect::<BTreeSet<_>>(),
            owned,
            "the copies that a player lists"
        );
    }
}

#[track_caller]
fn check(answer: Answer, (status, code): Expected) -> Value {
    let answer = answer.clone().expect(status);
    assert_eq!(answer["code"].as_str().unwrap_or_default(), code, "{answer}");
    answer
}

/// Steps wait for multiples of ten minutes, and a case runs for less than ten minutes, so its running time changes no answer.
#[test]
fn the_ledger_is_as_in_the_model() {
    let config =
        Config { cases: 24, max_shrink_iters: 60, failure_persistence: None, ..Config::default() };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let stage = runtime.block_on(Stage::set());
    let steps = prop::collection::vec(step(), 20..60);
    let happened = std::cell::RefCell::new(BTreeMap::<&str, usize>::new());
    let outcome = TestRunner::new(config).run(&steps, |steps| {
        // A failed assertion is caught, so that proptest can shrink the steps.
        let play = || {
            runtime.block_on(async {
                let mut world = World::new(&stage).await;
                for (turn, step) in steps.iter().enumerate() {
                    world.play(step).await;
                    world.compare(turn % PLAYERS).await;
                }
                world.model
            })
        };
        let played = std::panic::catch_unwind(std::panic::AssertUnwindSafe(play));
        let model = played.map_err(|_| TestCaseError::fail("the service and the model differ"))?;
        let mut happened = happened.borrow_mut();
        for (event, _) in model.copies.iter().flat_map(|copy| &copy.ledger) {
            *happened.entry(event).or_default() += 1;
        }
        for state in model.trades.iter().map(|trade| trade.state) {
            *happened.entry(state).or_default() += 1;
        }
        for state in model.disputes.iter().map(|dispute| dispute.state) {
            *happened.entry(state).or_default() += 1;
        }
        Ok(())
    });
    outcome.unwrap();
    println!("{:?}", happened.borrow());
    // Events that almost every run contains. The counts of all events are printed above.
    for event in ["register", "transfer", "dispute", "freeze", "accepted", "expired"] {
        assert!(happened.borrow().contains_key(event), "{event} never happened");
    }
}
