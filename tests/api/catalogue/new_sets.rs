//! Sets that admins create without cards, and delete while nothing depends on them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::{Answer, Player, RequestExt as _, TestApp, in_memory, seed_data};

const SETS: &str = "/v1/games/ttcg/sets";
const FAN_MADE: &str = "/v1/games/ttcg/sets/fan-made";

async fn create(app: &TestApp, by: &Player, body: &Value) -> Answer {
    app.post(SETS).by(by).json(body).answer().await
}

/// The body of the set [`FAN_MADE`].
fn fan_made() -> Value {
    json!({ "code": "fan-made", "name": "Made by Players" })
}

async fn delete(app: &TestApp, by: &Player, set: &str, etag: &str) -> Answer {
    app.delete(set).by(by).header("if-match", etag).answer().await
}

/// The version of a set.
async fn etag(app: &TestApp, set: &str) -> String {
    let answer = app.get(set).answer().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.header("etag")
}

fn pointers(problem: &Value) -> BTreeSet<&str> {
    let faults = problem["errors"].as_array().unwrap().iter();
    faults.map(|fault| fault["pointer"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn an_admin_creates_a_set_without_cards_and_deletes_it() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let (admin, ada) = (app.admin().await, app.player("ada").await);
    create(&app, &ada, &fan_made()).await.problem(403, "forbidden");
    let created = create(&app, &admin, &fan_made()).await;
    let (place, version) = (created.header("location"), created.header("etag"));
    let created = created.expect(201);
    assert_eq!(place, FAN_MADE);
    // What the request leaves out is as the manifest says.
    assert_eq!((&created["cards_start_hidden"], created.get("released_on")), (&json!(true), None));
    assert_eq!((&created["cards"], &created["hidden_cards"]), (&json!(0), &json!(0)));
    let read = app.get(FAN_MADE).answer().await;
    assert_eq!(read.header("etag"), version);
    assert_eq!(read.expect(200), created);
    let all = json!({
        "code": "open-house", "name": "Open House", "released_on": "2027-03-01", "cards_start_hidden": false,
        "unlock_threshold": 7,
    });
    let open = create(&app, &admin, &all).await.expect(201);
    for (member, value) in all.as_object().unwrap() {
        assert_eq!(&open[member.as_str()], value, "{member}");
    }
    let list = app.get(SETS).answer().await.expect(200);
    let codes: Vec<&str> =
        list["data"].as_array().unwrap().iter().map(|set| set["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["fan-made", "hearth", "open-house", "veil"]);

    app.delete(FAN_MADE).by(&admin).answer().await.problem(428, "precondition_required");
    delete(&app, &ada, FAN_MADE, &version).await.problem(403, "forbidden");
    let rename = app.patch(FAN_MADE).by(&admin).header("if-match", &version);
    rename.json(&json!({ "name": "By Players" })).answer().await.expect(200);
    delete(&app, &admin, FAN_MADE, &version).await.problem(412, "precondition_failed");
    let version = etag(&app, FAN_MADE).await;
    delete(&app, &admin, FAN_MADE, &version).await.expect(204);
    app.get(FAN_MADE).answer().await.problem(404, "not_found");
    delete(&app, &admin, FAN_MADE, &version).await.problem(404, "not_found");

    let log = app.get("/v1/audit-log").by(&admin).answer().await.expect(200);
    let entries: Vec<(&str, &str)> = (0..4)
        .map(|at| &log["data"][at])
        .map(|entry| (entry["action"].as_str().unwrap(), entry["target"].as_str().unwrap()))
        .collect();
    assert_eq!(
        entries,
        [
            ("set.deleted", "set:ttcg/fan-made"),
            ("set.changed", "set:ttcg/fan-made"),
            ("set.created", "set:ttcg/open-house"),
            ("set.created", "set:ttcg/fan-made"),
        ]
    );
    let events =
        "SELECT count(*) FROM events WHERE kind = 'set.changed' AND payload ->> 'set' = 'fan-made'";
    assert_eq!(app.db().value(events).await, "3");
    // The code can be given again.
    create(&app, &admin, &fan_made()).await.expect(201);
}

#[tokio::test]
async fn all_faults_of_a_new_set_are_reported_at_once() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    let wrong = json!({
        "code": "Fan Made", "name": " ", "released_on": "2026-02-30", "unlock_threshold": 0,
    });
    let problem = create(&app, &admin, &wrong).await.problem(422, "invalid_body");
    let own = BTreeSet::from(["/code", "/name", "/released_on", "/unlock_threshold"]);
    assert_eq!(pointers(&problem), own);
    assert_eq!(
        problem["errors"].as_array().unwrap().len(),
        4,
        "one fault of each member: {problem}"
    );
    // A member that a new set does not have.
    let mut more = wrong.clone();
    more["name"] = json!("");
    more["cards"] = json!([]);
    let problem = create(&app, &admin, &more).await.problem(422, "invalid_body");
    let all: BTreeSet<&str> = own.into_iter().chain(["/cards"]).collect();
    assert_eq!(pointers(&problem), all);
    for (member, value) in [
        ("code", json!("a".repeat(33))),
        ("code", json!("fan_made")),
        ("code", json!("Hearth")),
        ("code", json!("")),
        ("name", json!("x".repeat(121))),
        ("name", json!("x".repeat(30_000))),
        ("name", json!("two\nlines")),
        ("name", json!("\u{202e}abc")),
        ("name", json!("\u{2800}")),
        ("released_on", json!("+12026-01-01")),
        ("unlock_threshold", json!(100_001)),
        ("unlock_threshold", json!(1.5)),
        ("cards_start_hidden", json!("yes")),
    ] {
        let mut body = fan_made();
        body[member] = value;
        let problem = create(&app, &admin, &body).await.problem(422, "invalid_body");
        assert_eq!(pointers(&problem), BTreeSet::from([&*format!("/{member}")]), "{problem}");
    }
    let nowhere = app.post("/v1/games/none/sets").by(&admin).json(&fan_made());
    nowhere.answer().await.problem(404, "not_found");
    for taken in ["hearth", "veil"] {
        let body = json!({ "code": taken, "name": "Another" });
        create(&app, &admin, &body).await.problem(409, "set_code_taken");
    }
    assert_eq!(app.db().value("SELECT count(*) FROM sets").await, "2");
}

/// A name that is longer than any text of a set file was not checked at all.
#[tokio::test]
async fn a_set_does_not_get_a_very_long_name_by_an_edit() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    let path = "/v1/games/ttcg/sets/hearth";
    let version = etag(&app, path).await;
    let long = json!({ "name": "x".repeat(30_000) });
    let edit = app.patch(path).by(&admin).header("if-match", &version).json(&long);
    let problem = edit.answer().await.problem(422, "invalid_body");
    assert_eq!(pointers(&problem), BTreeSet::from(["/name"]));
    assert_eq!(etag(&app, path).await, version);
}

#[tokio::test]
async fn a_repeated_request_creates_one_set() {
    let app = TestApp::start_seeded(&["ttcg", "uno-emoji"]).await;
    let admin = app.admin().await;
    let post = |path: &str, body: &Value| {
        app.post(path).by(&admin).header("idempotency-key", "once").json(body)
    };
    let first = post(SETS, &fan_made()).answer().await;
    let again = post(SETS, &fan_made()).answer().await;
    assert_eq!((first.status, &first.bytes), (201, &again.bytes));
    assert_eq!(first.header("location"), again.header("location"));
    let other = json!({ "code": "fan-made", "name": "Another" });
    post(SETS, &other).answer().await.problem(422, "idempotency_key_reused");
    let elsewhere = post("/v1/games/uno-emoji/sets", &fan_made());
    elsewhere.answer().await.problem(422, "idempotency_key_reused");
    // Without the key, it is another request.
    create(&app, &admin, &fan_made()).await.problem(409, "set_code_taken");
    // A refused request does not use up its key.
    let fresh =
        |body: &Value| app.post(SETS).by(&admin).header("idempotency-key", "fresh").json(body);
    fresh(&fan_made()).answer().await.problem(409, "set_code_taken");
    fresh(&json!({ "code": "spare", "name": "Spare" })).answer().await.expect(201);
    let version = etag(&app, FAN_MADE).await;
    delete(&app, &admin, FAN_MADE, &version).await.expect(204);
    post(SETS, &fan_made()).answer().await.problem(410, "gone");
}

/// Two requests with the same code arrive at the same time on two instances: one succeeds, the other gets 409.
#[tokio::test]
async fn only_one_of_two_simultaneous_requests_creates_a_set() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let other = app.second_instance();
    let admin = app.admin().await;
    for round in 0..8 {
        let body = json!({ "code": format!("twin-{round}"), "name": "Twin" });
        let (one, two) = tokio::join!(create(&app, &admin, &body), create(&other, &admin, &body));
        let mut statuses = [one.status, two.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 409]);
        // Two deletions: one succeeds, the other finds no set.
        let path = format!("{SETS}/twin-{round}");
        let version = etag(&app, &path).await;
        let (one, two) = tokio::join!(
            delete(&app, &admin, &path, &version),
            delete(&other, &admin, &path, &version)
        );
        let mut statuses = [one.status, two.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [204, 404]);
    }
}

#[tokio::test]
async fn a_set_on_which_something_depends_is_not_deleted() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    let used = async |set: &str, detail: &str| {
        let path = format!("{SETS}/{set}");
        let version = etag(&app, &path).await;
        let problem = delete(&app, &admin, &path, &version).await.problem(409, "set_in_use");
        assert!(problem["detail"].as_str().unwrap().contains(detail), "{problem}");
    };
    used("hearth", "has cards").await;
    used("veil", "has cards").await;
    // The only card of a set was moved: its old number leads to it.
    app.import_set("dusk", 1, false).await;
    let only = app.get("/v1/games/ttcg/sets/dusk/cards/001").answer().await.expect(200);
    let way = format!("/v1/cards/{}/move", only["id"].as_str().unwrap());
    let to = json!({ "set": "hearth", "number": "950" });
    app.post(&way).by(&admin).json(&to).answer().await.expect(201);
    used("dusk", "moved or merged").await;
    create(&app, &admin, &fan_made()).await.expect(201);
    let policy = format!("{FAN_MADE}/unlock-policy");
    let threshold = json!({ "threshold": 3 });
    app.put(&policy).by(&admin).json(&threshold).answer().await.expect(201);
    used("fan-made", "unlock policy").await;
    app.sql(
        "INSERT INTO print_runs (id, set_id, code_prefix, key_id, copies_per_card, copy_count, status, file_sha256, created_at, activated_at) \
         SELECT gen_random_uuid(), id, 'ZZ', 'test', 1, 1, 'active', sha256('x'), now(), now() FROM sets WHERE code = 'fan-made'",
    )
    .await;
    used("fan-made", "print run").await;
}

/// Everything that counts the cards of a set finds none.
#[tokio::test]
async fn a_set_without_cards_can_be_read_in_every_way() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let (admin, ada) = (app.admin().await, app.player("ada").await);
    create(&app, &admin, &fan_made()).await.expect(201);
    let cards = app.get("/v1/cards?game=ttcg&set=fan-made").answer().await.expect(200);
    assert_eq!((&cards["data"], cards.get("warnings")), (&json!([]), None), "{cards}");
    let facets = app.get("/v1/games/ttcg/facets?set=fan-made").answer().await.expect(200);
    assert_eq!(facets["cards"], 0);
    let unlocks = app.get(&format!("{FAN_MADE}/unlocks")).answer().await.expect(200);
    assert_eq!(unlocks["data"], json!([]));
    let statistics = app.get(&format!("{FAN_MADE}/print-statistics")).answer().await.expect(200);
    assert_eq!((&statistics["printed"], &statistics["rarities"]), (&json!(0), &json!([])));
    app.get("/v1/cards/random?game=ttcg&q=set:fan-made").answer().await.problem(404, "not_found");
    let completion = app.get("/v1/collection/completion?game=ttcg&set=fan-made").by(&ada);
    let completion = completion.answer().await.expect(200);
    assert_eq!(completion["data"][0]["name"], "Made by Players");
    assert_eq!(completion["data"][0]["cards"]["total"], 0);
    let plan = app.post(&format!("{FAN_MADE}/print-plans")).by(&admin);
    plan.json(&json!({ "copies_per_card": 10 })).answer().await.problem(422, "print_plan_refused");
    let unlock = app.post(&format!("{FAN_MADE}/unlocks")).by(&admin);
    unlock.json(&json!({ "reason": "Launch." })).answer().await.expect(200);
    let page = app.get("/sets/ttcg/fan-made").answer().await;
    assert_eq!(page.status, 200);
    assert!(page.text().contains("The set has no card yet."), "{}", page.text());
    let game = app.get("/games/ttcg").answer().await.text();
    assert!(game.contains("/sets/ttcg/fan-made"), "{game}");
}

/// Instances that find cards in memory learn of a new set, and of its deletion.
#[tokio::test]
async fn instances_with_cards_in_memory_know_which_sets_exist() {
    let app = TestApp::start_seeded_with(&["ttcg"], in_memory).await;
    app.catch_up().await;
    let other = app.second_instance_in_memory().await;
    let admin = app.admin().await;
    let is_known = async |app: &TestApp| {
        app.catch_up().await;
        let found = app.get("/v1/cards?q=set:fan-made").answer().await.expect(200);
        assert_eq!(found["data"], json!([]));
        found.get("warnings").is_none()
    };
    assert_eq!([is_known(&app).await, is_known(&other).await], [false, false]);
    create(&app, &admin, &fan_made()).await.expect(201);
    assert_eq!([is_known(&app).await, is_known(&other).await], [true, true]);
    let listed = async |app: &TestApp| {
        app.catch_up().await;
        app.get(SETS).answer().await.expect(200)["data"][0]["code"].clone()
    };
    assert_eq!([listed(&app).await, listed(&other).await], ["fan-made", "fan-made"]);
    let version = etag(&app, FAN_MADE).await;
    delete(&other, &admin, FAN_MADE, &version).await.expect(204);
    assert_eq!([is_known(&app).await, is_known(&other).await], [false, false]);
    assert_eq!([listed(&app).await, listed(&other).await], ["hearth", "hearth"]);
}

/// That a set exists is public. That its cards start hidden changes nothing else that strangers see, as long as it has none.
#[tokio::test]
async fn a_new_set_changes_nothing_else_for_strangers() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    let look = async || {
        let mut seen = Vec::new();
        for path in [
            "/v1/cards?game=ttcg",
            "/v1/games/ttcg",
            "/v1/games/ttcg/facets",
            "/v1/unlocks",
            "/v1/games/ttcg/sets/veil",
        ] {
            let answer = app.get(path).answer().await;
            seen.push((path, answer.status, answer.header("etag"), answer.text()));
        }
        seen
    };
    let before = look().await;
    for (code, hidden) in [("fan-made", true), ("open-house", false)] {
        let body = json!({ "code": code, "name": "New", "cards_start_hidden": hidden });
        create(&app, &admin, &body).await.expect(201);
        assert_eq!(look().await, before, "{code}");
    }
    let twin = async |code: &str| {
        let set = app.get(&format!("{SETS}/{code}")).answer().await;
        let cache = set.header("cache-control");
        let mut set = set.expect(200);
        set["code"] = json!("");
        set["cards_start_hidden"] = json!(null);
        (cache, set)
    };
    assert_eq!(twin("fan-made").await, twin("open-house").await);
}

/// A file of a set with the same code is imported into the set.
#[tokio::test]
async fn a_file_is_imported_into_a_set_without_cards() {
    let app = TestApp::start().await;
    let mut source = seed_data("ttcg");
    let veil = source.sets.iter().position(|file| file.text.contains("\"code\": \"veil\""));
    let veil = source.sets.remove(veil.expect("the set veil"));
    app.import(&source).await.unwrap();
    let admin = app.admin().await;
    let body = json!({ "code": "veil", "name": "Later", "cards_start_hidden": false });
    create(&app, &admin, &body).await.expect(201);
    let file: Value = serde_json::from_str(&veil.text).unwrap();
    let import = app.put(&format!("{SETS}/veil")).by(&admin).json(&file).answer().await.expect(200);
    assert_eq!(
        (&import["sets"][0]["set_added"], &import["sets"][0]["set_changed"]),
        (&json!(false), &json!(true))
    );
    let set = app.get(&format!("{SETS}/veil")).answer().await.expect(200);
    assert_eq!((&set["name"], &set["hidden_cards"]), (&file["name"], &set["cards"]));
    assert_ne!(set["cards"], 0);
}
