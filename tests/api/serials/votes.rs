//! Which submissions count as votes for hidden cards: voiding a copy and banning an account remove votes.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration as Seconds;

use cardscape::app::state::ApiSettings;
use cardscape::domain::accounts::attempts::AttemptLimits;
use cardscape::domain::clock::Clock;
use cardscape::store::StoreSettings;
use cardscape::store::serials::unlock_policies::unlock_all_due;
use chrono::{DateTime, Duration};
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{PaperCard, Player, RequestExt as _, TestApp, TestDb, text};

const POLICY: &str = "/v1/games/ttcg/sets/dusk/unlock-policy";

/// A set of hidden cards, each unlocked by five accounts.
struct Table {
    app: TestApp,
    cards: Vec<PaperCard>,
    admin: Player,
    moderator: Player,
}

impl Table {
    async fn set_up(cards: usize) -> Self {
        Self::set_up_on(Arc::new(TestDb::create().await), cards).await
    }

    async fn set_up_on(db: Arc<TestDb>, cards: usize) -> Self {
        // A cached credential is still accepted for a short time after a ban; here for an hour.
        let app = TestApp::start_on(db, Clock::system(), |api| {
            api.identity_ttl = Seconds::from_hours(1);
            api.attempt_limits = AttemptLimits::scaled(100);
        });
        app.import_set("dusk", cards, true).await;
        let (cards, admin) = (app.print("dusk", 24).await, app.admin().await);
        let moderator = app.moderator().await;
        Self { app, cards, admin, moderator }
    }

    fn copies<'a>(&'a self, number: &'a str) -> impl Iterator<Item = &'a PaperCard> {
        self.cards.iter().filter(move |card| card.number == number)
    }

    async fn players(&self, count: usize) -> Vec<Player> {
        let mut players = Vec::new();
        for at in 0..count {
            players.push(self.app.player_owned(format!("player {at}")).await);
        }
        players
    }

    /// Each player in turn submits a copy of the first card. Returns the ids of the copies.
    async fn all_submit(&self, players: &[Player]) -> Vec<String> {
        let mut copies = Vec::new();
        for (player, card) in players.iter().zip(self.copies("001")) {
            copies.push(self.app.register(player, card).await);
        }
        copies
    }

    async fn ban(&self, player: &Player, banned: bool) {
        self.ban_through(&self.app, player, banned).await;
    }

    async fn ban_through(&self, app: &TestApp, player: &Player, banned: bool) {
        let path = format!("/v1/accounts/{}", player.id);
        let body = json!({ "banned": banned });
        app.patch(&path).by(&self.admin).json(&body).answer().await.expect(200);
    }

    async fn void(&self, copy: &str) {
        self.app.moderate(&self.moderator, copy, "void").await.expect(200);
    }

    /// The counted submissions of the first card, and whether it is unlocked. Checks that the events and the rows of `counted_submissions` agree.
    async fn progress(&self) -> (i64, bool) {
        let progress = self.app.get("/v1/games/ttcg/sets/dusk/unlocks").answer().await.expect(200);
        let first = &progress["data"][0];
        let unlocked = first.get("unlocked_at").is_some();
        let events = "SELECT count(*) FROM events e JOIN cards k ON k.id = e.subject_id \
                      WHERE e.kind = 'card.unlocked' AND k.number = '001'";
        assert_eq!(self.app.db().number(events).await, i64::from(unlocked));
        let counted = "SELECT count(DISTINCT s.account_id) FROM counted_submissions c \
                       JOIN submissions s ON s.id = c.submission_id JOIN cards k ON k.id = s.card_id WHERE k.number = '001'";
        let submissions = first["submissions"].as_i64().unwrap();
        assert_eq!(self.app.db().number(counted).await, submissions);
        (submissions, unlocked)
    }

    async fn set_policy(&self, policy: Value) {
        let request = self.app.put(POLICY).by(&self.admin).json(&policy);
        let tag = self.app.get(POLICY).answer().await.header("etag");
        let request = if tag.contains('r') { request.header("if-match", tag) } else { request };
        let answer = request.answer().await;
        assert!([200, 201].contains(&answer.status), "{}", answer.text());
    }
}

#[tokio::test]
async fn voiding_a_copy_removes_its_vote() {
    let table = Table::set_up(1).await;
    let players = table.players(6).await;
    let copies = table.all_submit(&players[..4]).await;
    assert_eq!(table.progress().await, (4, false));
    table.void(&copies[0]).await;
    table.void(&copies[0]).await;
    assert_eq!(table.progress().await, (3, false));
    // Four valid votes and the vote of a void copy are not five votes.
    let rest: Vec<&PaperCard> = table.copies("001").skip(4).collect();
    table.app.register(&players[4], rest[0]).await;
    assert_eq!(table.progress().await, (4, false));
    // Another copy of the same account counts again, and unlocks.
    table.app.register(&players[0], rest[1]).await;
    assert_eq!(table.progress().await, (5, true));
    // An unlocked card stays unlocked and keeps its count.
    table.void(&copies[1]).await;
    assert_eq!(table.progress().await, (5, true));
}

#[tokio::test]
async fn another_copy_counts_in_place_of_a_void_copy() {
    let table = Table::set_up(1).await;
    let players = table.players(2).await;
    let cards: Vec<&PaperCard> = table.copies("001").collect();
    let first = table.app.register(&players[0], cards[0]).await;
    let second = table.app.submit(&players[0], cards[1]).await.expect(201);
    assert_eq!(second["counted"], false, "the account has a vote already");
    let path = format!("/v1/submissions/{}", text(&second, "submission"));
    table.void(&first).await;
    assert_eq!(table.progress().await, (1, false));
    let now = table.app.get(&path).by(&players[0]).answer().await.expect(200);
    assert_eq!(now["counted"], true, "it counts in place of the void copy");
    table.void(&text(&second, "copy")).await;
    assert_eq!(table.progress().await, (0, false));
    // The owner of the copy does not matter: the vote belongs to the submitter and is removed when the copy is voided.
    let given = table.app.register(&players[0], cards[2]).await;
    table.app.hand_over(&players[0], &players[1], &given).await;
    assert_eq!(table.progress().await, (1, false));
    table.ban(&players[1], true).await;
    assert_eq!(table.progress().await, (1, false));
    table.app.moderate(&table.moderator, &given, "freeze").await.expect(200);
    assert_eq!(table.progress().await, (1, false), "a frozen copy still counts");
    table.void(&given).await;
    assert_eq!(table.progress().await, (0, false));
}

#[tokio::test]
async fn a_ban_removes_votes_and_its_end_restores_them() {
    let table = Table::set_up(2).await;
    let players = table.players(6).await;
    table.all_submit(&players[..4]).await;
    let other = table.copies("002").next().unwrap();
    table.app.register(&players[0], other).await;
    table.ban(&players[0], true).await;
    assert_eq!(table.progress().await, (3, false));
    let all_votes = "SELECT sum(submissions) FROM unlocks";
    assert_eq!(
        table.app.db().number(all_votes).await,
        3,
        "the ban removes the votes for all cards"
    );
    let rest: Vec<&PaperCard> = table.copies("001").skip(4).collect();
    table.app.register(&players[4], rest[0]).await;
    assert_eq!(table.progress().await, (4, false));
    // The credential of the banned account is still cached, but registers nothing.
    table.app.submit(&players[0], rest[1]).await.problem(401, "invalid_token");
    assert_eq!(table.progress().await, (4, false));
    table.ban(&players[0], false).await;
    assert_eq!(table.progress().await, (5, true));
    let log = table.app.get("/v1/audit-log").by(&table.admin).answer().await.expect(200);
    assert_eq!(log["data"][0]["details"]["unlocked"], 1);
    for banned in [true, false, true] {
        table.ban(&players[0], banned).await;
        assert_eq!(table.progress().await, (5, true), "an unlocked card stays unlocked");
    }
}

#[tokio::test]
async fn a_banned_account_cannot_submit_with_a_cached_credential() {
    let table = Table::set_up(1).await;
    let players = table.players(5).await;
    for player in &players {
        // The instance now has the credential in its cache.
        table.app.get("/v1/copies").by(player).answer().await.expect(200);
    }
    table.ban(&players[0], true).await;
    let own = table.copies("001").nth(4).unwrap();
    table.app.submit(&players[0], own).await.problem(401, "invalid_token");
    table.all_submit(&players[1..]).await;
    assert_eq!(table.progress().await, (4, false));
    table.ban(&players[0], false).await;
    assert_eq!(table.progress().await, (4, false));
    let back = table.app.log_in(&players[0].name, &players[0].password).await;
    table.app.register(&back, own).await;
    assert_eq!(table.progress().await, (5, true));
}

#[tokio::test]
async fn no_policy_counts_banned_accounts_or_void_copies() {
    let table = Table::set_up(1).await;
    let players = table.players(4).await;
    table.set_policy(json!({ "threshold": 3, "review": true })).await;
    let copies = table.all_submit(&players).await;
    let waiting = async || {
        let list =
            table.app.get("/v1/submission-reviews").by(&table.moderator).answer().await.expect(200);
        list["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (text(one, "account"), text(one, "submission")))
            .collect::<Vec<_>>()
    };
    let submissions = waiting().await;
    assert_eq!(submissions.len(), 4);
    let own = table.app.get("/v1/submissions").by(&players[0]).answer().await.expect(200);
    assert_eq!(own["data"][0]["counted"], false, "no moderator has confirmed it");
    // Submissions of banned accounts and of void copies are not in the review queue.
    table.ban(&players[0], true).await;
    table.void(&copies[1]).await;
    assert_eq!(waiting().await, submissions[2..]);
    for (_, submission) in &submissions {
        let path = format!("/v1/submissions/{submission}/review");
        let body = json!({ "confirmed": true, "note": "seen" });
        table.app.put(&path).by(&table.moderator).json(&body).answer().await.expect(200);
    }
    assert_eq!(
        table.progress().await,
        (2, false),
        "confirmed submissions of banned accounts and void copies do not count"
    );
    // The banned account reaches the minimum age: its submission does not count before the ban ends.
    table.set_policy(json!({ "threshold": 3, "min_account_age_days": 7 })).await;
    assert_eq!(table.progress().await, (0, false));
    table.app.clock().advance(Duration::days(8));
    let now = table.app.clock().now();
    let mut left = BTreeSet::new();
    let due = unlock_all_due(table.app.store(), DateTime::UNIX_EPOCH, now, &mut left).await;
    assert_eq!((due.unwrap(), left.len()), (0, 0));
    assert_eq!(table.progress().await, (2, false));
    // A network has one vote: when the first account of the network is banned, the next account counts.
    let admin = table.app.log_in(&table.admin.name, &table.admin.password).await;
    let table = Table { admin, ..table };
    table.set_policy(json!({ "threshold": 3, "per_network": 1 })).await;
    assert_eq!(table.progress().await, (1, false));
    table.ban(&players[2], true).await;
    assert_eq!(table.progress().await, (1, false));
    table.ban(&players[3], true).await;
    assert_eq!(table.progress().await, (0, false));
    table.set_policy(json!({ "threshold": 3 })).await;
    assert_eq!(table.progress().await, (0, false));
    table.ban(&players[2], false).await;
    table.ban(&players[3], false).await;
    assert_eq!(table.progress().await, (2, false));
    table.ban(&players[0], false).await;
    assert_eq!(table.progress().await, (3, true));
}

#[tokio::test]
async fn only_submissions_that_count_are_reported_as_counted() {
    let table = Table::set_up(2).await;
    let players = table.players(7).await;
    let cards: Vec<&PaperCard> = table.copies("001").collect();
    for (player, card) in players[..5].iter().zip(&cards) {
        let created = table.app.submit(player, card).await.expect(201);
        assert_eq!(created["counted"], true);
        assert_eq!(table.app.submit(player, card).await.expect(200)["counted"], true);
    }
    let late = table.app.submit(&players[5], cards[5]).await.expect(201);
    assert_eq!(late["counted"], false, "the card was unlocked before");
    let batch = json!({ "submissions": [cards[6].submission(), table.copies("002").next().unwrap().submission()] });
    let answer =
        table.app.post("/v1/submissions/batch").by(&players[6]).json(&batch).answer().await;
    let verdicts = answer.expect(200);
    assert_eq!(verdicts["data"][0]["accepted"]["counted"], false);
    assert_eq!(verdicts["data"][1]["accepted"]["counted"], true);
    // The answer keeps the state at the time of the unlock, although the account is banned now.
    table.ban(&players[0], true).await;
    let listed = table.app.get("/v1/submissions").by(&players[0]).answer().await.expect(200);
    assert_eq!(listed["data"][0]["counted"], true);
    // When a policy counts one account per network, a second account of the network is reported as not counted.
    table.set_policy(json!({ "threshold": 5, "per_network": 1 })).await;
    let second = table.app.submit(&players[1], table.copies("002").nth(1).unwrap()).await;
    assert_eq!(second.expect(201)["counted"], false);
}

/// A ban waits for locked cards, longer than the time limit of other requests.
#[tokio::test]
async fn a_ban_waits_for_locked_cards() {
    let db = Arc::new(TestDb::create().await);
    let table = Table::set_up_on(db.clone(), 1).await;
    let players = table.players(1).await;
    table.all_submit(&players).await;
    // An instance with the time limits of the service; those of other tests are higher.
    let of_service = |store: &mut StoreSettings| {
        let usual = StoreSettings::new(store.url.clone());
        store.statement_timeout = usual.statement_timeout;
        store.answer_timeout = usual.answer_timeout;
        store.request_budget = usual.request_budget;
    };
    let app = TestApp::start_tuned(db, table.app.clock().clone(), |_| {}, of_service);
    let session = table.app.db().session().await;
    session.batch_execute("BEGIN; SELECT FROM unlocks FOR UPDATE").await.unwrap();
    let release = async {
        tokio::time::sleep(Seconds::from_millis(3_500)).await;
        session.batch_execute("COMMIT").await.unwrap();
    };
    tokio::join!(table.ban_through(&app, &players[0], true), release);
    assert_eq!(table.progress().await, (0, false));
}

/// A trigger that records, when a card is unlocked, its threshold and the number of accounts that are not banned and submitted copies
/// that are not void.
const WITNESS: &str = "
    CREATE TABLE witnessed (card_id uuid, threshold integer, accounts bigint);
    CREATE FUNCTION witness() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO witnessed SELECT NEW.card_id, NEW.threshold, count(DISTINCT s.account_id)
        FROM submissions s JOIN accounts a ON a.id = s.account_id AND a.banned_at IS NULL
        JOIN copies c USING (code_prefix, code_mac) WHERE s.card_id = NEW.card_id AND c.voided_at IS NULL;
        RETURN NULL;
    END $$;
    CREATE TRIGGER witness AFTER UPDATE ON unlocks FOR EACH ROW
        WHEN (OLD.unlocked_at IS NULL AND NEW.unlocked_at IS NOT NULL) EXECUTE FUNCTION witness();";

/// Two instances and many submitters, while an admin bans some of them and ends the bans again, and a moderator voids copies.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_bans_voids_and_submissions_unlock_cards_only_with_valid_votes() {
    const CARDS: usize = 8;
    let table = Table::set_up(CARDS).await;
    table.app.sql(WITNESS).await;
    let wide = |api: &mut ApiSettings| {
        api.identity_ttl = Seconds::from_hours(1);
        api.attempt_limits = AttemptLimits::scaled(100);
    };
    let other = table.app.second_instance_with(wide);
    let players = table.players(7).await;
    for app in [&table.app, &other] {
        join_all(players.iter().map(|player| app.get("/v1/copies").by(player).answer())).await;
    }
    let numbers: Vec<String> = (1..=CARDS).map(|number| format!("{number:03}")).collect();
    let submitting = players.iter().enumerate().map(|(at, player)| {
        let (table, other, numbers) = (&table, &other, &numbers);
        async move {
            let mut player = player.clone();
            // Two copies of each card, so that the second copy often counts in place of a void copy.
            for round in 0..2 {
                for number in numbers {
                    let copy = table.copies(number).nth(at * 2 + round).unwrap();
                    let app = if (at + round) % 2 == 0 { &table.app } else { other };
                    loop {
                        let answer = app.submit(&player, copy).await;
                        if answer.status != 401 {
                            answer.expect(201);
                            break;
                        }
                        // A ban has ended the session: the player logs in again when the ban has ended.
                        let tokens = app.log_in_without(&player).await;
                        if tokens.status == 201 {
                            player.access_token = text(&tokens.json(), "access_token");
                        }
                    }
                }
            }
        }
    });
    let banning = async {
        for round in 0..24 {
            table.ban(&players[round % 3], round / 3 % 2 == 0).await;
        }
    };
    let voiding = async {
        for round in 0..24 {
            let newest = "SELECT coalesce((SELECT c.id::text FROM copies c JOIN submissions s USING (code_prefix, code_mac) \
                          WHERE c.voided_at IS NULL ORDER BY s.id DESC LIMIT 1), '')";
            let copy = table.app.db().value(newest).await;
            if !copy.is_empty() && round % 2 == 0 {
                table.void(&copy).await;
            }
        }
    };
    tokio::join!(join_all(submitting), banning, voiding);

    let db = table.app.db();
    let too_early = "SELECT count(*) FROM witnessed WHERE accounts <> threshold";
    assert_eq!(
        db.number(too_early).await,
        0,
        "{}",
        db.value("SELECT json_agg(w) FROM witnessed w").await
    );
    let once = "SELECT count(*) - count(DISTINCT card_id) FROM witnessed";
    assert_eq!(db.number(once).await, 0);
    let events = "SELECT (SELECT count(*) FROM events WHERE kind = 'card.unlocked') - (SELECT count(*) FROM witnessed)";
    assert_eq!(db.number(events).await, 0);
    assert!(db.number("SELECT count(*) FROM witnessed").await > 0, "some cards were unlocked");
    // For each hidden card, the stored count equals a new count and is below the threshold.
    table.ban(&players[0], true).await;
    let wrong = "SELECT count(*) FROM unlocks u WHERE unlocked_at IS NULL AND (submissions >= threshold OR submissions <> \
                 (SELECT count(DISTINCT s.account_id) FROM submissions s \
                  JOIN accounts a ON a.id = s.account_id AND a.banned_at IS NULL \
                  JOIN copies c USING (code_prefix, code_mac) WHERE s.card_id = u.card_id AND c.voided_at IS NULL))";
    assert_eq!(db.number(wrong).await, 0);
    let differs = "SELECT count(*) FROM unlocks u WHERE submissions <> \
                   (SELECT count(*) FROM counted_submissions c JOIN submissions s ON s.id = c.submission_id WHERE s.card_id = u.card_id)";
    assert_eq!(db.number(differs).await, 0);
}
