//! How many connections a request takes from the pools: each of them is a wait when all are in use.

use std::sync::Arc;
use std::time::Duration;

use cardscape::app::state::ApiSettings;
use cardscape::domain::clock::Clock;
use cardscape::store::Health;
use cardscape::store::catalogue::changes;
use reqwest::RequestBuilder;
use rstest::rstest;
use serde_json::json;

use crate::designs::heron;
use crate::support::{Answer, RequestExt as _, TestApp, TestDb, in_memory};

/// Most connections of a request that reads something after its transaction: for the steps before it, for the transaction, and for the steps after it.
const THREE: u64 = 3;
/// Most connections of a request that reads its answer in the transaction.
const TWO: u64 = 2;

struct Counted {
    app: TestApp,
    health: Arc<Health>,
}

impl Counted {
    /// `warm`: games, cards and designs are in memory; otherwise nothing is cached, not even the list of games.
    async fn start(warm: bool) -> Self {
        let db = Arc::new(TestDb::with_games(&["ttcg"]).await);
        let health = Arc::<Health>::default();
        let shared = Arc::clone(&health);
        let cache = |api: &mut ApiSettings| {
            if warm {
                in_memory(api);
                api.games_trust = Duration::from_hours(1);
            }
        };
        let app = TestApp::start_tuned(db, Clock::system(), cache, |store| store.health = shared);
        if warm {
            app.catch_up().await;
        }
        // The events of the import get their numbers now, not in a request that reads the feed.
        changes::extent(app.store()).await.unwrap();
        Self { app, health }
    }

    /// Sends a request, and counts the connections that it takes.
    async fn send(&self, what: &str, status: u16, most: u64, request: RequestBuilder) -> Answer {
        let before = self.health.taken();
        let answer = request.answer().await;
        let taken = self.health.taken() - before;
        assert_eq!(answer.status, status, "{what}: {}", answer.text());
        assert!((1..=most).contains(&taken), "{what}: {taken} connections");
        answer
    }
}

#[rstest]
#[case::warm(true)]
#[case::cold(false)]
#[tokio::test]
async fn a_request_about_a_deck_takes_few_connections(#[case] warm: bool) {
    let counted = Counted::start(warm).await;
    let app = &counted.app;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let deck = |visibility: &str, quantity: u64| {
        json!({
            "name": "Embers", "format": "ttcg/standard", "visibility": visibility,
            "entries": [{ "quantity": quantity, "name": "Kettle Imp" }],
        })
    };
    let create = app.post("/v1/decks").by(&ada).json(&deck("private", 1));
    let path = counted.send("a new deck", 201, THREE, create).await.header("location");
    let watch = app.put(&format!("{path}/watch")).by(&ada);
    counted.send("a watched deck", 200, THREE, watch).await;
    let reserve = app.put(&format!("{path}/reservation")).by(&ada);
    counted.send("reserved copies", 200, THREE, reserve).await;
    let replace = app.put(&path).by(&ada).header("if-match", "*").json(&deck("private", 2));
    counted.send("a replaced deck", 200, THREE, replace).await;
    let patch = json!({ "name": "Faster", "visibility": "public" });
    let edit = app.patch(&path).by(&ada).header("if-match", "*").json(&patch);
    counted.send("an edited and published deck", 200, THREE, edit).await;
    let restore = app.post(&format!("{path}/restore")).by(&ada).header("if-match", "*");
    let restore = restore.json(&json!({ "revision": 1 }));
    counted.send("a restored deck", 200, THREE, restore).await;
    let clone = app.post(&format!("{path}/clones")).by(&ben);
    counted.send("a cloned deck", 201, THREE, clone).await;
    let publish = app.post("/v1/decks").by(&ben).json(&deck("public", 1));
    counted.send("a new public deck", 201, THREE, publish).await;
    app.delete(&path).by(&ada).header("if-match", "*").answer().await.expect(204);
    let undelete = app.post(&format!("{path}/undelete")).by(&ada);
    counted.send("a deleted deck that is restored", 200, THREE, undelete).await;
}

#[rstest]
#[case::warm(true)]
#[case::cold(false)]
#[tokio::test]
async fn a_request_about_a_design_takes_few_connections(#[case] warm: bool) {
    let counted = Counted::start(warm).await;
    let app = &counted.app;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let with_flavour = |flavour: &str| {
        let mut design = heron("Lantern Heron");
        design["flavour"] = flavour.into();
        design
    };
    let create = app.post("/v1/designs").by(&ada).json(&heron("Lantern Heron"));
    let path = counted.send("a new design", 201, THREE, create).await.header("location");
    let replace = app.put(&path).by(&ada).header("if-match", "*").json(&with_flavour("It waits."));
    counted.send("a replaced design", 200, TWO, replace).await;
    let share = app.post(&format!("{path}/share")).by(&ada).header("if-match", "*");
    counted.send("a shared design", 200, THREE, share).await;
    let restore = app.post(&format!("{path}/restore")).by(&ada).header("if-match", "*");
    let restore = restore.json(&json!({ "revision": 1 }));
    let restored = counted.send("a restored design", 200, TWO, restore).await.json();
    assert_eq!((&restored["revision"], &restored["status"]), (&json!(3), &json!("shared")));
    let design = with_flavour("It sleeps.");
    let suggestion = json!({ "revision": 3, "message": "Like this?", "design": design });
    let suggest = app.post(&format!("{path}/suggestions")).by(&ben).json(&suggestion);
    let suggested =
        counted.send("a suggested change", 201, THREE, suggest).await.header("location");
    let take = app.post(&format!("{suggested}/take")).by(&ada).header("if-match", "*");
    let taken = counted.send("an accepted change", 200, TWO, take).await.json();
    assert_eq!(taken["contributors"][0]["name"], "ben", "{taken}");
}

#[tokio::test]
async fn a_recovery_takes_few_connections() {
    let counted = Counted::start(false).await;
    let app = &counted.app;
    let body = json!({ "name": "ada", "password": "tram window sonnet" });
    let account = app.post("/v1/accounts").json(&body).answer().await.expect(201);
    let right = account["recovery_codes"][0].as_str().unwrap();
    for (code, status, most) in [("0000-0000", 401, THREE), (right, 204, TWO)] {
        let body =
            json!({ "name": "ada", "recovery_code": code, "new_password": "violet harbour lamp" });
        let recover = app.post("/v1/accounts/recover").json(&body);
        counted.send("a recovery", status, most, recover).await;
    }
}
