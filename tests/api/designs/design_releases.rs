//! Releases: an approved design becomes a card, and its designer gets a perk.

use futures_util::future::join;
use serde_json::{Value, json};

use super::banned_authors::WAITING;
use super::{app, begun, changed, contributed, heron, put, put_templates, shared, step};
use crate::collection::counts::send_during;
use crate::support::{Answer, Player, RequestExt as _, TestApp, in_memory, until};

/// Submits and approves a design.
pub(super) async fn approve(app: &TestApp, author: &Player, mod_: &Player, path: &str) {
    step(app, author, path, "submit").await.expect(200);
    app.post(&format!("{path}/claim")).by(mod_).answer().await.expect(200);
    let decision = json!({ "decision": "approved", "reason": "Good." });
    app.post(&format!("{path}/decide")).by(mod_).json(&decision).answer().await.expect(200);
}

/// Creates a shared design, approves it, and returns its path.
async fn approved(app: &TestApp, author: &Player, mod_: &Player, name: &str) -> String {
    let path = shared(app, author, &heron(name)).await;
    approve(app, author, mod_, &path).await;
    path
}

pub(super) async fn release(app: &TestApp, by: &Player, path: &str, place: &Value) -> Answer {
    app.post(&format!("{path}/release")).by(by).json(place).answer().await
}

async fn read(app: &TestApp, by: &Player, path: &str) -> Value {
    app.get(path).by(by).answer().await.expect(200)
}

#[tokio::test]
async fn an_approved_design_becomes_an_open_card() {
    let app = app().await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let path = approved(&app, &ada, &mod_, "Lantern Heron").await;
    let place = json!({ "set": "Hearth", "number": "900" });
    release(&app, &mod_, &path, &place).await.problem(403, "forbidden");

    let rehearsal = app.post(&format!("{path}/release?dry_run=true")).by(&admin);
    let rehearsal = rehearsal.json(&place).answer().await.expect(200);
    assert_eq!((&rehearsal["number"], rehearsal.get("card")), (&json!("900"), None));
    app.get("/v1/games/ttcg/sets/hearth/cards/900").answer().await.problem(404, "not_found");
    assert_eq!(read(&app, &ada, &path).await["status"], "approved");

    let released = release(&app, &admin, &path, &place).await;
    let location = released.header("location");
    let released = released.expect(201);
    assert_eq!(
        (&released["set"], &released["hidden"], &released["licence"], &released["revision"]),
        (&json!("hearth"), &json!(false), &json!("release-1"), &json!(1))
    );
    // The design and the card refer to each other.
    let card = app.get(&location).answer().await.expect(200);
    assert_eq!(card["name"], "Lantern Heron");
    assert_eq!(
        card["designed_by"],
        json!({ "design": path.trim_start_matches("/v1/designs/"), "account_id": ada.id, "author": "ada" })
    );
    let design = app.get(&path).answer().await.expect(200);
    assert_eq!((&design["status"], &design["card"]["id"]), (&json!("official"), &card["id"]));
    assert_eq!(
        (&design["card"]["set"], &design["card"]["number"]),
        (&json!("hearth"), &json!("900"))
    );
    let text = app.get(&location).header("accept", "text/plain").answer().await;
    assert!(text.text().contains("designed by ada (D-"), "{}", text.text());
    // The card has all printings, and the search finds it by its name.
    let printings = app.get(&format!("{location}/printings")).answer().await.expect(200);
    assert_eq!(printings["data"].as_array().unwrap().len(), 6);
    let found = app.get("/v1/cards?q=\"lantern heron\"").answer().await.expect(200);
    assert_eq!(found["data"][0]["designed_by"]["author"], "ada");

    // A repeated release returns the same card. A release to another place is refused.
    let again = release(&app, &admin, &path, &place).await.expect(201);
    assert_eq!(again, released);
    let other = json!({ "set": "hearth", "number": "901" });
    let refused = release(&app, &admin, &path, &other).await.problem(409, "design_step_refused");
    assert!(refused["detail"].as_str().unwrap().contains("card 900"), "{refused}");
    for step_ in ["withdraw", "share", "submit"] {
        step(&app, &ada, &path, step_).await.problem(409, "design_step_refused");
    }
    let log = app.db().value("SELECT string_agg(action, ' ' ORDER BY created_at) FROM audit_log WHERE target LIKE 'design:D-%'");
    assert_eq!(log.await, "design.approved design.released");
}

/// Bans of contributors, other manifests and moves of the card are no new version, but the author reads another answer.
#[tokio::test]
async fn what_changes_beside_a_design_changes_the_tag_for_caches() {
    let app = app().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let (mod_, admin) = (app.moderator().await, app.admin().await);
    let path = contributed(&app, &ada, &ben, "Lantern Heron").await;
    let tag = async || app.get(&path).by(&ada).answer().await.header("etag");
    let changed_since = async |tag: &str| {
        app.get(&path).by(&ada).header("if-none-match", tag).answer().await.expect(200)
    };
    let credited = tag().await;
    let ban = json!({ "banned": true });
    let account = format!("/v1/accounts/{}", ben.id);
    app.patch(&account).by(&admin).json(&ban).answer().await.expect(200);
    assert_eq!(changed_since(&credited).await.get("contributors"), None);
    let uncredited = tag().await;
    // As by an import of another manifest.
    app.sql("UPDATE games SET revision = revision + 1 WHERE code = 'ttcg'").await;
    changed_since(&uncredited).await;
    let of_other_manifest = tag().await;
    // All of these tags name the same version.
    let same = changed(heron("Lantern Heron"), &json!({ "flavour": "It waits." }));
    for tag in [&credited, &uncredited, &of_other_manifest] {
        let answer = put(&app, &ada, &path, tag, &same).await;
        assert_eq!((answer.status, &answer.header("etag")), (200, &of_other_manifest));
    }

    approve(&app, &ada, &mod_, &path).await;
    release(&app, &admin, &path, &json!({ "set": "hearth", "number": "900" })).await.expect(201);
    let (released, design) = (tag().await, read(&app, &ada, &path).await);
    let card = design["card"]["id"].as_str().unwrap();
    let moved = app.post(&format!("/v1/cards/{card}/move")).by(&admin);
    moved.json(&json!({ "number": "902" })).answer().await.expect(201);
    assert_eq!(changed_since(&released).await["card"]["number"], "902");
}

#[tokio::test]
async fn only_an_approved_design_with_a_free_place_is_released() {
    let app = app().await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let place = json!({ "set": "hearth", "number": "900" });
    let draft = begun(&app, &ada, &heron("Draft Heron")).await;
    release(&app, &admin, &draft, &place).await.problem(404, "not_found");
    let path = shared(&app, &ada, &heron("Lantern Heron")).await;
    // Whatever else is wrong.
    for place in [&place, &json!({ "set": "nowhere", "number": "9 00" })] {
        release(&app, &admin, &path, place).await.problem(409, "design_step_refused");
    }
    approve(&app, &ada, &mod_, &path).await;
    for (place, pointer) in [
        (json!({ "set": "nowhere", "number": "900" }), "/set"),
        (json!({ "set": "hearth", "number": "9 00" }), "/number"),
        (json!({ "set": "hearth", "number": "-" }), "/number"),
    ] {
        let problem = release(&app, &admin, &path, &place).await.problem(422, "invalid_body");
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{problem}");
    }
    // All that is wrong with the place is reported at once.
    for set in ["", "haerth"] {
        let place = json!({ "set": set, "number": "x y/z" });
        let problem = release(&app, &admin, &path, &place).await.problem(422, "invalid_body");
        let pointers: Vec<&Value> =
            problem["errors"].as_array().unwrap().iter().map(|fault| &fault["pointer"]).collect();
        assert_eq!(pointers, ["/set", "/number"], "{problem}");
        let meant =
            problem["errors"][0]["detail"].as_str().unwrap().contains("did you mean hearth?");
        assert_eq!(meant, set == "haerth", "{problem}");
    }
    // Numbers that differ only in leading zeros are taken for the same.
    for number in ["001", "1", "0001"] {
        let taken = json!({ "set": "hearth", "number": number });
        let refused = release(&app, &admin, &path, &taken).await;
        let problem = refused.problem(409, "design_not_releasable");
        assert_eq!(problem["errors"][0]["pointer"], "/number", "{problem}");
        assert!(problem["errors"][0]["detail"].as_str().unwrap().contains("001"), "{problem}");
    }
    // So are those that cards had before.
    let card = app.get("/v1/games/ttcg/sets/hearth/cards/002").answer().await.expect(200);
    let moving = app.post(&format!("/v1/cards/{}/move", card["id"].as_str().unwrap())).by(&admin);
    moving.json(&json!({ "number": "902" })).answer().await.expect(201);
    for number in ["002", "2", "0002"] {
        let gone = json!({ "set": "hearth", "number": number });
        let refused = release(&app, &admin, &path, &gone).await;
        let problem = refused.problem(409, "design_not_releasable");
        assert_eq!(problem["errors"][0]["pointer"], "/number", "{problem}");
        let detail = problem["errors"][0]["detail"].as_str().unwrap();
        assert!(detail.contains("was moved to hearth/902"), "{problem}");
        assert_eq!(detail.contains("was 002"), number != "002", "{problem}");
    }
    app.import_set("dusk", 1, false).await;
    app.print("dusk", 77).await;
    let printed = json!({ "set": "dusk", "number": "900" });
    let problem =
        release(&app, &admin, &path, &printed).await.problem(409, "design_not_releasable");
    assert_eq!(problem["errors"][0]["pointer"], "/set", "{problem}");
    let none = json!({ "set": "hearth" });
    release(&app, &admin, &path, &none).await.problem(422, "invalid_body");
}

/// After a dry run, the approval may be revoked and another revision approved: the release names the revision that was read.
#[tokio::test]
async fn a_release_is_of_the_revision_that_was_read() {
    let app = app().await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let path = begun(&app, &ada, &heron("Lantern Heron")).await;
    approve(&app, &ada, &mod_, &path).await;
    let send = async |query: &str, revision: i64| {
        let place = json!({ "set": "hearth", "number": "900", "revision": revision });
        app.post(&format!("{path}/release{query}")).by(&admin).json(&place).answer().await
    };
    assert_eq!(send("?dry_run=true", 1).await.expect(200)["revision"], 1);
    let revocation = json!({ "revision": 1, "reason": "Not yet." });
    app.post(&format!("{path}/revoke")).by(&mod_).json(&revocation).answer().await.expect(200);
    put(&app, &ada, &path, "*", &heron("Quiet Heron")).await.expect(200);
    approve(&app, &ada, &mod_, &path).await;
    for query in ["?dry_run=true", ""] {
        let refused = send(query, 1).await.problem(409, "design_step_refused");
        assert_eq!(
            refused["detail"],
            "The approved revision is 2, not 1: nothing was released. Read the design again."
        );
    }
    send("", 0).await.problem(422, "invalid_body");
    app.get("/v1/games/ttcg/sets/hearth/cards/900").answer().await.problem(404, "not_found");

    let released = send("", 2).await.expect(201);
    assert_eq!(released["revision"], 2);
    // The same request gets the same answer, and older clients do not say which revision they mean.
    assert_eq!(send("", 2).await.expect(201), released);
    let of_older = json!({ "set": "hearth", "number": "900" });
    assert_eq!(release(&app, &admin, &path, &of_older).await.expect(201), released);
    let refused = send("", 1).await.problem(409, "design_step_refused");
    assert!(refused["detail"].as_str().unwrap().contains("card 900"), "{refused}");
}

/// A release that several things stand against reports all of them at once, in a stable order, also as a dry run.
#[tokio::test]
async fn a_refused_release_reports_every_fault() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let admin = app.admin().await;
    let early = begun(&app, &ada, &heron("Quiet Heron")).await;
    approve(&app, &ada, &mod_, &early).await;
    shared(&app, &bob, &heron("Quiet Heron")).await;
    let path = approved(&app, &ada, &mod_, "Lantern Heron").await;
    let faults = async |path: &str, place: &Value| {
        let mut found = Vec::new();
        for query in ["?dry_run=true", ""] {
            let request = app.post(&format!("{path}/release{query}")).by(&admin);
            let problem = request.json(place).answer().await.problem(409, "design_not_releasable");
            let faults = problem["errors"].as_array().unwrap().iter();
            found.push(faults.map(|fault| fault["pointer"].clone()).collect::<Vec<_>>());
        }
        assert_eq!(found[0], found[1]);
        found.remove(0)
    };
    let taken = json!({ "set": "hearth", "number": "001" });
    assert_eq!(faults(&early, &taken).await, ["/name", "/number"]);
    let unconfirmed = json!({ "set": "veil", "number": "001" });
    assert_eq!(faults(&path, &unconfirmed).await, ["/was_public", "/number"]);
    app.sql(&format!("UPDATE accounts SET banned_at = created_at WHERE id = '{}'", ada.id)).await;
    assert_eq!(faults(&path, &unconfirmed).await, ["", "/was_public", "/number"]);
    let free = json!({ "set": "hearth", "number": "900" });
    release(&app, &admin, &path, &free).await.problem(409, "author_banned");
    app.get("/v1/games/ttcg/sets/hearth/cards/900").answer().await.problem(404, "not_found");
}

/// The answer to the admin names the hidden card with the name. The checks of the author do not reveal it.
#[tokio::test]
async fn a_release_with_the_name_of_a_hidden_card_is_refused() {
    let app = app().await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    // New accounts may submit fewer designs.
    app.sql("UPDATE accounts SET created_at = created_at - interval '9 days'").await;
    // With a letter of another script, with an accent, and with a small letter whose capital looks like "H".
    for (name, number) in [
        ("Nobody's Shadow", "900"),
        ("Nobody's Shad\u{043e}w", "901"),
        ("Nobody's Shadów", "902"),
        ("Nobody's S\u{043d}adow", "903"),
    ] {
        let check = app.post("/v1/design-checks").json(&heron(name)).answer().await.expect(200);
        assert_eq!(check["name"], json!({ "available": true, "like": [] }));
        let path = begun(&app, &ada, &heron(name)).await;
        approve(&app, &ada, &mod_, &path).await;
        let place = json!({ "set": "hearth", "number": number });
        let problem =
            release(&app, &admin, &path, &place).await.problem(409, "design_not_releasable");
        assert_eq!(problem["errors"][0]["pointer"], "/name", "{problem}");
        assert!(problem["errors"][0]["detail"].as_str().unwrap().contains("veil"), "{problem}");
    }
}

/// Hidden cards of the name are reported together with everything else: a design of the same name that was shared, and broken rules.
#[tokio::test]
async fn a_hidden_card_of_the_name_is_reported_with_all_other_faults() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let admin = app.admin().await;
    let path = begun(&app, &ada, &heron("Nobody's Shadów")).await;
    approve(&app, &ada, &mod_, &path).await;
    let place = json!({ "set": "hearth", "number": "001" });
    let faults = async || -> Vec<(String, String)> {
        let problem =
            release(&app, &admin, &path, &place).await.problem(409, "design_not_releasable");
        let text = |fault: &Value, member: &str| fault[member].as_str().unwrap().to_owned();
        let faults = problem["errors"].as_array().unwrap().iter();
        faults.map(|fault| (text(fault, "pointer"), text(fault, "detail"))).collect()
    };
    let found = faults().await;
    let pointers: Vec<&str> = found.iter().map(|(pointer, _)| pointer.as_str()).collect();
    assert_eq!(pointers, ["/number", "/name"], "{found:?}");

    shared(&app, &bob, &heron("Nobody's Shadow")).await;
    app.sql("UPDATE games SET manifest = replace(manifest, '\"beast\"', '\"brute\"'), revision = revision + 1 WHERE code = 'ttcg'").await;
    let found = faults().await;
    let pointers: Vec<&str> = found.iter().map(|(pointer, _)| pointer.as_str()).collect();
    assert_eq!(pointers[..3], ["/name", "/number", "/name"], "{found:?}");
    assert!(found[0].1.starts_with("Another design"), "{found:?}");
    assert!(found[2].1.contains("veil"), "{found:?}");
    assert!(pointers[3].starts_with("/attributes"), "{found:?}");
}

/// An admin creates a set without cards for released designs.
#[tokio::test]
async fn a_design_is_released_into_a_new_set() {
    let app = app().await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let path = approved(&app, &ada, &mod_, "Lantern Heron").await;
    let other = approved(&app, &ada, &mod_, "Quiet Heron").await;
    for (code, hidden) in [("fan-made", false), ("fan-secrets", true)] {
        let set = json!({ "code": code, "name": "Made by Players", "cards_start_hidden": hidden });
        app.post("/v1/games/ttcg/sets").by(&admin).json(&set).answer().await.expect(201);
    }
    let place = json!({ "set": "fan-made", "number": "001" });
    let released = release(&app, &admin, &path, &place).await.expect(201);
    assert_eq!((&released["set"], &released["hidden"]), (&json!("fan-made"), &json!(false)));
    let card = app.get("/v1/games/ttcg/sets/fan-made/cards/001").answer().await.expect(200);
    assert_eq!(card["name"], "Lantern Heron");
    // The first card of a hidden set is a hidden card like any other.
    let place = json!({ "set": "fan-secrets", "number": "001", "was_public": true });
    let released = release(&app, &admin, &other, &place).await.expect(201);
    assert_eq!(released["hidden"], true);
    let set = app.get("/v1/games/ttcg/sets/fan-secrets").answer().await.expect(200);
    assert_eq!((&set["cards"], &set["hidden_cards"]), (&json!(1), &json!(1)));
    let card = app.get("/v1/games/ttcg/sets/fan-secrets/cards/001").answer().await.expect(200);
    assert_eq!((&card["hidden"], card.get("name")), (&json!(true), None), "{card}");
    assert_eq!(read(&app, &ada, &other).await["status"], "approved");
    // With its first card, the set cannot be deleted.
    for code in ["fan-made", "fan-secrets"] {
        let delete = app.delete(&format!("/v1/games/ttcg/sets/{code}")).by(&admin);
        delete.header("if-match", "*").answer().await.problem(409, "set_in_use");
    }
}

/// A set needs no card for a release: its only card may have left it.
#[tokio::test]
async fn a_set_without_cards_takes_a_release() {
    let app = app().await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let path = approved(&app, &ada, &mod_, "Lantern Heron").await;
    let place = json!({ "set": "dusk", "number": "900" });
    let problem = release(&app, &admin, &path, &place).await.problem(422, "invalid_body");
    assert_eq!(problem["errors"][0]["pointer"], "/set", "{problem}");
    app.import_set("dusk", 1, false).await;
    let only = app.get("/v1/games/ttcg/sets/dusk/cards/001").answer().await.expect(200);
    let way = format!("/v1/cards/{}/move", only["id"].as_str().unwrap());
    let to = json!({ "set": "hearth", "number": "950" });
    app.post(&way).by(&admin).json(&to).answer().await.expect(201);
    let set = app.get("/v1/games/ttcg/sets/dusk").answer().await.expect(200);
    assert_eq!(set["cards"], 0);
    let released = release(&app, &admin, &path, &place).await.expect(201);
    assert_eq!((&released["set"], &released["number"]), (&json!("dusk"), &json!("900")));
}

/// Neither the author nor another player sees a change before the unlock. The unlock makes the release public.
#[tokio::test]
async fn a_hidden_release_reveals_nothing_before_the_unlock() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let admin = app.admin().await;
    let path = approved(&app, &ada, &mod_, "Lantern Heron").await;
    let paths = [
        path.clone(),
        format!("{path}/picture"),
        "/v1/designs".to_owned(),
        "/v1/designs?status=approved".to_owned(),
        "/v1/designs?status=official".to_owned(),
        "/v1/authors/ada".to_owned(),
    ];
    let look = async || {
        let mut seen = Vec::new();
        for path in &paths {
            for by in [&ada, &bob] {
                let answer = app.get(path).by(by).answer().await;
                seen.push((answer.status, answer.header("etag"), answer.text()));
            }
        }
        seen
    };
    let before = look().await;
    let place = json!({ "set": "veil", "number": "900" });
    release(&app, &admin, &path, &place).await.problem(409, "release_not_confirmed");
    let place = json!({ "set": "veil", "number": "900", "was_public": true });
    let released = release(&app, &admin, &path, &place).await.expect(201);
    assert_eq!(released["hidden"], true);
    assert_eq!(look().await, before);
    // A withdrawal is refused in the same way as for every approved design.
    let other = approved(&app, &ada, &mod_, "Quiet Heron").await;
    let refusal = async |path: &str| {
        let problem = step(&app, &ada, path, "withdraw").await.problem(409, "design_step_refused");
        problem["detail"].clone()
    };
    assert_eq!(refusal(&path).await, refusal(&other).await);
    let card = format!("/v1/cards/{}", released["card"].as_str().unwrap());
    assert_eq!(app.get(&card).by(&ada).answer().await.expect(200).get("designed_by"), None);
    // Moderators see the card of the design and the design of the card.
    assert_eq!(read(&app, &mod_, &path).await["card"]["id"], released["card"]);
    assert_eq!(read(&app, &mod_, &card).await["designed_by"]["author"], "ada");

    // Another player cannot share a design of that name. The approved design already has the name, so the refusal does not reveal the card.
    let copy = begun(&app, &bob, &heron("Lantern Heron")).await;
    step(&app, &bob, &copy, "share").await.problem(409, "design_name_taken");

    let unlock = app.post(&format!("{card}/unlock")).by(&admin);
    unlock.json(&json!({ "reason": "Launch." })).answer().await.expect(200);
    let design = app.get(&path).answer().await.expect(200);
    assert_eq!((&design["status"], &design["card"]["id"]), (&json!("official"), &released["card"]));
    let open = app.get(&card).answer().await.expect(200);
    assert_eq!(open["designed_by"]["design"], design["id"]);
    let listed = app.get("/v1/designs?status=official").answer().await.expect(200);
    assert_eq!(listed["data"][0]["id"], design["id"]);
}

/// A design that was never shared becomes public with its card, although another design of the same name was shared in between.
#[tokio::test]
async fn an_unshared_design_becomes_public_with_its_card() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let admin = app.admin().await;
    let path = begun(&app, &ada, &heron("Lantern Heron")).await;
    approve(&app, &ada, &mod_, &path).await;
    let place = json!({ "set": "veil", "number": "900" });
    let released = release(&app, &admin, &path, &place).await.expect(201);
    app.get(&path).by(&bob).answer().await.problem(404, "not_found");
    let twin = shared(&app, &bob, &heron("Lantern Heron")).await;

    let unlock = app.post(&format!("/v1/cards/{}/unlock", released["card"].as_str().unwrap()));
    unlock.by(&admin).json(&json!({ "reason": "Launch." })).answer().await.expect(200);
    assert_eq!(app.get(&path).answer().await.expect(200)["status"], "official");
    assert_eq!(app.get(&twin).answer().await.expect(200)["status"], "shared");
}

/// A design that was never shared does not reserve its name. While a shared design of somebody else has the name, it is neither approved nor released.
#[tokio::test]
async fn a_name_that_was_shared_meanwhile_is_not_released() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let admin = app.admin().await;
    let early = begun(&app, &ada, &heron("Quiet Heron")).await;
    approve(&app, &ada, &mod_, &early).await;
    let waiting = begun(&app, &ada, &heron("Lantern Heron")).await;
    step(&app, &ada, &waiting, "submit").await.expect(200);
    let twins = [
        shared(&app, &bob, &heron("Quiet Heron")).await,
        shared(&app, &bob, &heron("L\u{430}ntern Heron")).await,
    ];
    let claimed = app.post(&format!("{waiting}/claim")).by(&mod_).answer().await.expect(200);
    assert_eq!(claimed["check"]["obstacles"], json!(["name"]));
    let decide = async |decision: &str| {
        let body = json!({ "decision": decision, "reason": "Good." });
        app.post(&format!("{waiting}/decide")).by(&mod_).json(&body).answer().await
    };
    let place = json!({ "set": "hearth", "number": "900" });
    decide("approved").await.problem(409, "design_name_taken");
    release(&app, &admin, &early, &place).await.problem(409, "design_name_taken");
    let hidden = json!({ "set": "veil", "number": "900" });
    release(&app, &admin, &early, &hidden).await.problem(409, "design_name_taken");
    for twin in &twins {
        step(&app, &bob, twin, "withdraw").await.expect(200);
    }
    decide("approved").await.expect(200);
    release(&app, &admin, &early, &place).await.expect(201);
}

/// A design that was never shared is found by searches as soon as its card is public: after a release into an open set, and after the unlock of a hidden
/// card.
#[tokio::test]
async fn an_unshared_design_is_found_when_its_card_is_public() {
    let app = TestApp::start_seeded_with(&["ttcg"], in_memory).await;
    app.seed_effect_texts("ttcg").await;
    app.catch_up().await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let found = async || -> Vec<String> {
        let page = app.get("/v1/designs?q=t:earth&sort=name").answer().await.expect(200);
        let names = page["data"].as_array().unwrap().iter();
        names.map(|design| design["name"].as_str().unwrap().to_owned()).collect()
    };
    let mut cards = Vec::new();
    for (name, set) in [("Lantern Heron", "hearth"), ("Quiet Heron", "veil")] {
        let path = begun(&app, &ada, &heron(name)).await;
        approve(&app, &ada, &mod_, &path).await;
        assert!(!found().await.contains(&name.to_owned()));
        let place = json!({ "set": set, "number": "900" });
        let released = release(&app, &admin, &path, &place).await.expect(201);
        cards.push(released["card"].as_str().unwrap().to_owned());
        assert_eq!(found().await, ["Lantern Heron"]);
    }
    let unlock = app.post(&format!("/v1/cards/{}/unlock", cards[1])).by(&admin);
    unlock.json(&json!({ "reason": "Launch." })).answer().await.expect(200);
    app.catch_up().await;
    assert_eq!(found().await, ["Lantern Heron", "Quiet Heron"]);
    let facets = app.get("/v1/games/ttcg/design-facets?q=t:earth").answer().await.expect(200);
    assert_eq!(facets["designs"], 2, "{facets}");
}

#[tokio::test]
async fn a_design_of_a_banned_author_is_not_released() {
    let app = app().await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let path = approved(&app, &ada, &mod_, "Lantern Heron").await;
    let place = json!({ "set": "hearth", "number": "900" });
    app.sql(&format!("UPDATE accounts SET banned_at = created_at WHERE id = '{}'", ada.id)).await;
    release(&app, &admin, &path, &place).await.problem(409, "author_banned");
    app.sql("UPDATE accounts SET banned_at = NULL").await;
    release(&app, &admin, &path, &place).await.expect(201);
}

/// Two releases of a design to different places run at the same time on two instances. They create one card.
#[tokio::test]
async fn exactly_one_of_two_parallel_releases_succeeds() {
    let app = app().await;
    let (mod_, admin) = (app.moderator().await, app.admin().await);
    let second = app.second_instance();
    for round in 0..3 {
        let ada = app.player(&format!("ada{round}")).await;
        let path = approved(&app, &ada, &mod_, &format!("Heron of Day {round}")).await;
        let (one, other) = (
            json!({ "set": "hearth", "number": format!("9{round}0") }),
            json!({ "set": "hearth", "number": format!("9{round}1") }),
        );
        let (here, there) =
            join(release(&app, &admin, &path, &one), release(&second, &admin, &path, &other)).await;
        let mut statuses = [here.status, there.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 409], "{} {}", here.text(), there.text());
    }
    let count = app.db().value("SELECT count(*)::text FROM cards WHERE number LIKE '9__'").await;
    assert_eq!(count, "3");
}

/// A change of the unlock policy of a game locks the game: it finds the new card, or the card gets the changed policy.
#[tokio::test]
async fn a_release_waits_for_a_change_of_the_unlock_policy() {
    let app = app().await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let path = approved(&app, &ada, &mod_, "Lantern Heron").await;
    let place = json!({ "set": "hearth", "number": "900" });
    let lock = "SELECT FROM games WHERE code = 'ttcg' FOR NO KEY UPDATE";
    send_during(&app, lock, release(&app, &admin, &path, &place)).await.expect(201);
}

/// A release and a revocation of the approval run at the same time on two instances. Exactly one of them succeeds: a card keeps its approval, also a hidden one.
#[tokio::test]
async fn a_release_and_a_parallel_revocation_exclude_each_other() {
    let app = app().await;
    let (mod_, admin) = (app.moderator().await, app.admin().await);
    let second = app.second_instance();
    let reason = json!({ "revision": 1, "reason": "Not yet." });
    for round in 0..3 {
        let ada = app.player(&format!("ada{round}")).await;
        let path = approved(&app, &ada, &mod_, &format!("Heron of Day {round}")).await;
        let place = json!({ "set": "veil", "number": format!("9{round}0"), "was_public": true });
        let revoke = second.post(&format!("{path}/revoke")).by(&mod_).json(&reason);
        let (released, revoked) = join(release(&app, &admin, &path, &place), revoke.answer()).await;
        let statuses = (released.status, revoked.status);
        assert!(
            matches!(statuses, (201, 409) | (409, 200)),
            "{} {}",
            released.text(),
            revoked.text()
        );
    }
}

/// A release and a rename of a card to the same name run at the same time. Exactly one of them succeeds.
#[tokio::test]
async fn a_release_and_a_parallel_rename_cannot_use_one_name() {
    let app = app().await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let second = app.second_instance();
    let card = app.get("/v1/games/ttcg/sets/hearth/cards/001").by(&admin).answer().await;
    let (tag, id) = (card.header("etag"), card.expect(200)["id"].as_str().unwrap().to_owned());
    let path = approved(&app, &ada, &mod_, "Lantern Heron").await;
    let rename = async || {
        let request = second.patch(&format!("/v1/cards/{id}")).by(&admin);
        request.header("if-match", tag).json(&json!({ "name": "Lantern Heron" })).answer().await
    };
    let place = json!({ "set": "hearth", "number": "900" });
    let (released, renamed) = join(release(&app, &admin, &path, &place), rename()).await;
    let won = [released.status == 201, renamed.status == 200];
    assert_eq!(
        won.into_iter().filter(|won| *won).count(),
        1,
        "{} {}",
        released.text(),
        renamed.text()
    );
}

/// The rules of the game may have changed since the approval.
#[tokio::test]
async fn a_design_is_checked_again_at_the_release() {
    let app = app().await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let path =
        begun(&app, &ada, &changed(heron("Lantern Heron"), &json!({ "lore": "It *waits*." })))
            .await;
    approve(&app, &ada, &mod_, &path).await;
    let place = json!({ "set": "hearth", "number": "900" });
    app.sql("UPDATE games SET manifest = replace(manifest, '\"beast\"', '\"brute\"'), revision = revision + 1 WHERE code = 'ttcg'").await;
    let problem = release(&app, &admin, &path, &place).await.problem(409, "design_not_releasable");
    assert!(
        problem["errors"][0]["pointer"].as_str().unwrap().starts_with("/attributes"),
        "{problem}"
    );
    app.sql("UPDATE games SET manifest = replace(manifest, '\"brute\"', '\"beast\"'), revision = revision + 1 WHERE code = 'ttcg'").await;
    let released = release(&app, &admin, &path, &place).await.expect(201);
    let card = app.get(&format!("/v1/cards/{}", released["card"].as_str().unwrap())).answer().await;
    assert_eq!(card.expect(200)["lore"], "It waits.");
}

/// The change feed contains the public changes of designs. It does not reveal that a design became a hidden card.
#[tokio::test]
async fn the_change_feed_contains_only_public_changes_of_designs() {
    let app = app().await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let newest =
        app.get("/v1/changes?after=0&limit=1").answer().await.expect(200)["newest"].clone();
    let events_since = async || {
        let page =
            app.get(&format!("/v1/changes?after={newest}&game=ttcg")).answer().await.expect(200);
        let events = page["data"].as_array().unwrap().iter();
        let events = events.map(|event| {
            let design = event["design"].as_str().map(|design| format!("/v1/designs/{design}"));
            (event["kind"].as_str().unwrap().to_owned(), design)
        });
        events.collect::<Vec<_>>()
    };
    let unshared = begun(&app, &ada, &heron("Quiet Heron")).await;
    approve(&app, &ada, &mod_, &unshared).await;
    assert_eq!(events_since().await, []);
    let path = approved(&app, &ada, &mod_, "Lantern Heron").await;
    let event = |kind: &str| (kind.to_owned(), Some(path.clone()));
    let before = [event("design.shared"), event("design.approved")];
    assert_eq!(events_since().await, before);
    let place = json!({ "set": "veil", "number": "900", "was_public": true });
    let released = release(&app, &admin, &path, &place).await.expect(201);
    let card = ("card.added".to_owned(), None);
    assert_eq!(events_since().await, [&before[..], std::slice::from_ref(&card)].concat());
    let unlock = app.post(&format!("/v1/cards/{}/unlock", released["card"].as_str().unwrap()));
    unlock.by(&admin).json(&json!({ "reason": "Launch." })).answer().await.expect(200);
    let mut after = events_since().await.split_off(3);
    after.sort();
    assert_eq!(after, [("card.unlocked".to_owned(), None), event("design.official")]);
    let page = app.get("/v1/me/events?after=0").by(&ada).answer().await.expect(200);
    let kinds: Vec<&str> = page["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["design.approved", "design.approved", "design.official"]);
}

/// The unlock of a card must succeed while another transaction locks the design. The design becomes official a little later.
#[tokio::test]
async fn an_unlock_does_not_wait_for_a_locked_design() {
    let app = app().await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let path = approved(&app, &ada, &mod_, "Lantern Heron").await;
    let place = json!({ "set": "veil", "number": "900", "was_public": true });
    let released = release(&app, &admin, &path, &place).await.expect(201);
    let held = app.db().session().await;
    held.batch_execute("BEGIN; SELECT FROM designs FOR UPDATE").await.unwrap();
    let unlock = app.post(&format!("/v1/cards/{}/unlock", released["card"].as_str().unwrap()));
    unlock.by(&admin).json(&json!({ "reason": "Launch." })).answer().await.expect(200);
    held.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(read(&app, &ada, &path).await["status"], "approved");
    let opened = cardscape::store::designs::design_releases::open_released(app.store()).await;
    assert_eq!(opened.unwrap(), 1);
    assert_eq!(read(&app, &ada, &path).await["status"], "official");
    // A second run finds nothing to do.
    let again = cardscape::store::designs::design_releases::open_released(app.store()).await;
    assert_eq!(again.unwrap(), 0);
}

/// Gives a set an unlock policy with a reserved copy for designers.
async fn promise_copies(app: &TestApp, admin: &Player, set: &str) {
    let policy = json!({ "threshold": 50, "designer_perk": "reserved_copy" });
    let put = app.put(&format!("/v1/games/ttcg/sets/{set}/unlock-policy")).by(admin);
    put.json(&policy).answer().await.expect(201);
    let shown = app.get(&format!("/v1/games/ttcg/sets/{set}/unlock-policy")).answer().await;
    assert_eq!(shown.expect(200)["policy"], with_defaults(&policy));
}

/// The policy as the service returns it, with the default values.
fn with_defaults(policy: &Value) -> Value {
    changed(json!({ "rarities": 1, "min_account_age_days": 0, "review": false }), policy)
}

async fn grant(app: &TestApp, by: &Player, path: &str, serial: &str) -> Answer {
    app.post(&format!("{path}/perk")).by(by).json(&json!({ "serial": serial })).answer().await
}

async fn perks(app: &TestApp, by: &Player, query: &str) -> Vec<Value> {
    let page = app.get(&format!("/v1/designer-perks{query}")).by(by).answer().await.expect(200);
    page["data"].as_array().unwrap().clone()
}

/// The perk for a hidden card is as secret as the card. After the unlock, an admin grants one copy.
#[tokio::test]
async fn a_designer_gets_the_reserved_copy() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let admin = app.admin().await;
    promise_copies(&app, &admin, "veil").await;
    let path = approved(&app, &ada, &mod_, "Lantern Heron").await;
    let plain = approved(&app, &ada, &mod_, "Quiet Heron").await;
    let place = json!({ "set": "veil", "number": "900", "was_public": true });
    let released = release(&app, &admin, &path, &place).await.expect(201);
    release(&app, &admin, &plain, &json!({ "set": "hearth", "number": "900" })).await.expect(201);
    let printed = app.print("veil", 3).await;
    let copies: Vec<_> = printed.iter().filter(|copy| copy.number == "900").collect();

    // Before the unlock, nobody can read the perk, and the admin cannot grant a copy.
    for by in [&ada, &admin] {
        app.get(&format!("{path}/perk")).by(by).answer().await.problem(404, "not_found");
    }
    assert_eq!(perks(&app, &admin, "").await, [] as [Value; 0]);
    grant(&app, &admin, &path, &copies[0].serial).await.problem(404, "not_found");
    let badge = app.get("/v1/authors/ada").answer().await.expect(200)["badges"].clone();
    assert_eq!((&badge[0]["badge"], &badge[0]["count"]), (&json!("card_designer"), &json!(1)));

    let unlock = app.post(&format!("/v1/cards/{}/unlock", released["card"].as_str().unwrap()));
    unlock.by(&admin).json(&json!({ "reason": "Launch." })).answer().await.expect(200);
    let due = read(&app, &ada, &format!("{path}/perk")).await;
    assert_eq!(
        (&due["perk"], &due["state"], &due["card"]["id"]),
        (&json!("reserved_copy"), &json!("due"), &released["card"])
    );
    assert_eq!(perks(&app, &admin, "").await, [due]);
    app.get(&format!("{path}/perk")).by(&bob).answer().await.problem(404, "not_found");
    app.get(&format!("{plain}/perk")).by(&ada).answer().await.problem(404, "not_found");
    app.get("/v1/designer-perks").by(&mod_).answer().await.problem(403, "forbidden");
    assert_eq!(app.get("/v1/authors/ada").answer().await.expect(200)["badges"][0]["count"], 2);

    // The admin can grant only an unregistered copy of this card.
    grant(&app, &mod_, &path, &copies[0].serial).await.problem(403, "forbidden");
    grant(&app, &admin, &path, "7KQ2").await.problem(422, "serial_malformed");
    let other = printed.iter().find(|copy| copy.number != "900").unwrap();
    grant(&app, &admin, &path, &other.serial).await.problem(422, "submission_rejected");
    let claim = json!({ "serial": copies[1].serial, "name": "Lantern Heron" });
    app.post("/v1/submissions").by(&bob).json(&claim).answer().await.expect(201);
    grant(&app, &admin, &path, &copies[1].serial).await.problem(422, "submission_rejected");
    grant(&app, &admin, &plain, &copies[0].serial).await.problem(404, "not_found");

    let granted = grant(&app, &admin, &path, &copies[0].serial).await.expect(200);
    assert_eq!((&granted["state"], &granted["author"]), (&json!("granted"), &json!("ada")));
    assert_eq!(grant(&app, &admin, &path, &copies[0].serial).await.expect(200), granted);
    grant(&app, &admin, &path, &copies[2].serial).await.problem(409, "perk_refused");
    assert_eq!(perks(&app, &admin, "").await, [] as [Value; 0]);
    assert_eq!(perks(&app, &admin, "?granted=true").await, std::slice::from_ref(&granted));

    // The designer owns the copy like any other copy.
    let copy = read(&app, &ada, &format!("/v1/copies/{}", granted["copy"].as_str().unwrap())).await;
    assert_eq!(
        (&copy["card"]["id"], &copy["rarity"]),
        (&released["card"], &json!(copies[0].rarity))
    );
    let history =
        read(&app, &ada, &format!("/v1/copies/{}/history", granted["copy"].as_str().unwrap()))
            .await;
    assert_eq!(
        (&history["data"][0]["event"], &history["data"][0]["owner"]),
        (&json!("register"), &json!("you"))
    );
    let claim = json!({ "serial": copies[0].serial, "name": "Lantern Heron" });
    let own = app.post("/v1/submissions").by(&ada).json(&claim).answer().await.expect(200);
    assert_eq!(own["copy"], granted["copy"]);
    let claimed = app.post("/v1/submissions").by(&bob).json(&claim).answer().await;
    claimed.problem(409, "registered_to_another");
    let events = read(&app, &ada, "/v1/me/events?after=0").await;
    let received =
        events["data"].as_array().unwrap().iter().find(|event| event["kind"] == "copy.received");
    let received = received.unwrap();
    assert_eq!(
        (&received["copy"]["id"], &received["design"]["href"]),
        (&granted["copy"], &json!(path))
    );
    let log = app
        .db()
        .value("SELECT details::text FROM audit_log WHERE action = 'design.perk_granted'")
        .await;
    assert!(log.contains(granted["copy"].as_str().unwrap()), "{log}");
    assert!(!log.contains(&copies[0].serial), "{log}");
}

/// The perk depends on the policy in force when the card becomes public. One of two parallel grants on two instances succeeds.
#[tokio::test]
async fn a_reserved_copy_is_granted_once() {
    let app = app().await;
    let (mod_, admin) = (app.moderator().await, app.admin().await);
    let second = app.second_instance();
    let mut paths = Vec::new();
    for round in 0..3 {
        let ada = app.player(&format!("ada{round}")).await;
        let path = approved(&app, &ada, &mod_, &format!("Heron of Day {round}")).await;
        let place = json!({ "set": "hearth", "number": format!("9{round}0") });
        paths.push((ada, path, place));
    }
    let (_, early, place) = &paths[0];
    release(&app, &admin, early, place).await.expect(201);
    promise_copies(&app, &admin, "hearth").await;
    for (_, path, place) in &paths[1..] {
        release(&app, &admin, path, place).await.expect(201);
    }
    assert_eq!(
        perks(&app, &admin, "").await.len(),
        2,
        "the first card was released before the policy"
    );
    let printed = app.print("hearth", 2).await;
    for (ada, path, place) in &paths[1..] {
        let mut of_card = printed.iter().filter(|copy| copy.number == place["number"]);
        let (one, other) = (&of_card.next().unwrap().serial, &of_card.next().unwrap().serial);
        let (here, there) =
            join(grant(&app, &admin, path, one), grant(&second, &admin, path, other)).await;
        let mut statuses = [here.status, there.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409], "{} {}", here.text(), there.text());
        let copies = read(&app, ada, "/v1/copies").await;
        assert_eq!(copies["data"].as_array().unwrap().len(), 1);
    }
    // The perks are listed page by page.
    let page = read(&app, &admin, "/v1/designer-perks?granted=true&limit=1").await;
    let next = page["next_cursor"].as_str().unwrap();
    let rest = perks(&app, &admin, &format!("?granted=true&limit=1&cursor={next}")).await;
    assert_eq!(rest.len(), 1);
    assert_ne!(rest[0], page["data"][0]);
}

/// A banned designer gets nothing until the ban ends.
#[tokio::test]
async fn a_banned_designer_gets_no_copy() {
    let app = app().await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    promise_copies(&app, &admin, "hearth").await;
    let path = approved(&app, &ada, &mod_, "Lantern Heron").await;
    release(&app, &admin, &path, &json!({ "set": "hearth", "number": "900" })).await.expect(201);
    let printed = app.print("hearth", 1).await;
    let serial = &printed.iter().find(|copy| copy.number == "900").unwrap().serial;
    let ban = async |banned: bool| {
        let change = app.patch(&format!("/v1/accounts/{}", ada.id)).by(&admin);
        change.json(&json!({ "banned": banned })).answer().await.expect(200);
    };
    ban(true).await;
    grant(&app, &admin, &path, serial).await.problem(409, "perk_refused");
    ban(false).await;
    grant(&app, &admin, &path, serial).await.expect(200);
}

async fn decide(app: &TestApp, by: &Player, path: &str, decision: &str) -> Answer {
    let body = json!({ "decision": decision, "reason": "Good." });
    app.post(&format!("{path}/decide")).by(by).json(&body).answer().await
}

/// Templates can be deleted while a design waits for its decision or its release.
#[tokio::test]
async fn a_design_with_free_text_is_neither_approved_nor_released() {
    let app = app().await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let ready = approved(&app, &ada, &mod_, "Quiet Heron").await;
    let waiting = begun(&app, &ada, &heron("Lantern Heron")).await;
    step(&app, &ada, &waiting, "submit").await.expect(200);
    app.post(&format!("{waiting}/claim")).by(&mod_).answer().await.expect(200);

    app.clock().advance(chrono::TimeDelta::seconds(1));
    put_templates(&app, &admin, &["Rest."]).await;
    let refused = decide(&app, &mod_, &waiting, "approved").await;
    let refused = refused.problem(409, "design_not_releasable");
    assert_eq!(refused["obstacles"], json!(["free_text"]));
    // A decision that was made already is answered again.
    decide(&app, &mod_, &ready, "approved").await.expect(200);
    let place = json!({ "set": "hearth", "number": "900" });
    for query in ["?dry_run=true", ""] {
        let release = app.post(&format!("{ready}/release{query}")).by(&admin).json(&place);
        let refused = release.answer().await.problem(409, "design_not_releasable");
        let faults = refused["errors"].as_array().unwrap().iter();
        let pointers: Vec<&Value> = faults.map(|fault| &fault["pointer"]).collect();
        assert_eq!(pointers, ["/effects/0/text", "/effects/1/text"], "{refused}");
    }
    app.get("/v1/games/ttcg/sets/hearth/cards/900").answer().await.problem(404, "not_found");

    // Such a design can be declined. The other one is released when its templates are back.
    decide(&app, &mod_, &waiting, "declined").await.expect(200);
    app.seed_effect_texts("ttcg").await;
    release(&app, &admin, &ready, &place).await.expect(201);
}

/// A step that the state of a design does not allow is refused for that, also if there is no time to compare its sentences.
#[tokio::test]
async fn the_state_of_a_design_is_checked_before_its_sentences() {
    let no_time = |settings: &mut cardscape::app::state::ApiSettings| {
        settings.suggestion_time = std::time::Duration::ZERO;
    };
    let app = TestApp::start_seeded_with(&["ttcg"], no_time).await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let ready = approved(&app, &ada, &mod_, "Quiet Heron").await;
    let waiting = begun(&app, &ada, &heron("Lantern Heron")).await;
    step(&app, &ada, &waiting, "submit").await.expect(200);
    app.post(&format!("{waiting}/claim")).by(&mod_).answer().await.expect(200);
    let removed = begun(&app, &ada, &heron("Small Heron")).await;
    put_templates(&app, &admin, &["Rest."]).await;
    // As if it were not known since when the game has had templates: they hold for all designs.
    app.sql(&format!(
        "UPDATE effect_texts SET revision = revision + 1, templates_since = NULL; \
         UPDATE designs SET status = 'withdrawn', taken_down_at = created_at, taken_down_from = 'draft', takedown_note = 'Copied.' WHERE code = '{}'",
        removed.trim_start_matches("/v1/designs/")
    ))
    .await;
    let place = json!({ "set": "hearth", "number": "900" });
    release(&app, &admin, &ready, &place).await.problem(503, "timed_out");
    let of_other = json!({ "set": "hearth", "number": "900", "revision": 7 });
    release(&app, &admin, &ready, &of_other).await.problem(409, "design_step_refused");
    release(&app, &admin, &waiting, &place).await.problem(409, "design_step_refused");
    step(&app, &ada, &removed, "submit").await.problem(409, "design_taken_down");

    let decide_about = async |by: &Player, revision: i64| {
        let body = json!({ "decision": "approved", "revision": revision, "reason": "Good." });
        app.post(&format!("{waiting}/decide")).by(by).json(&body).answer().await
    };
    decide_about(&mod_, 1).await.problem(503, "timed_out");
    decide_about(&mod_, 7).await.problem(409, "design_step_refused");
    let ban = async |at: &str| {
        app.sql(&format!("UPDATE accounts SET banned_at = {at} WHERE id = '{}'", ada.id)).await;
    };
    ban("created_at").await;
    decide_about(&mod_, 1).await.problem(409, "author_banned");
    ban("NULL").await;
    app.clock().advance(chrono::TimeDelta::minutes(31));
    let mod_ = app.log_in(&mod_.name, &mod_.password).await;
    decide_about(&mod_, 1).await.problem(409, "design_not_claimed");
}

/// The ban of an author is lifted between the look-up of the sentences, which are not compared then, and the decision.
#[tokio::test]
async fn a_design_whose_sentences_were_not_compared_is_not_approved() {
    let app = app().await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let path = begun(&app, &ada, &heron("Lantern Heron")).await;
    step(&app, &ada, &path, "submit").await.expect(200);
    app.post(&format!("{path}/claim")).by(&mod_).answer().await.expect(200);
    app.clock().advance(chrono::TimeDelta::seconds(1));
    put_templates(&app, &admin, &["Rest."]).await;
    app.sql("UPDATE accounts SET banned_at = created_at WHERE name = 'ada'").await;
    let held = app.db().session().await;
    let code = path.trim_start_matches("/v1/designs/");
    let begin = format!(
        "BEGIN; SELECT FROM designs WHERE code = '{code}' FOR NO KEY UPDATE; \
         UPDATE accounts SET banned_at = NULL WHERE name = 'ada'"
    );
    held.batch_execute(&begin).await.unwrap();
    let commit_when_awaited = async {
        until("the decision waits", async |_| app.db().number(WAITING).await > 0).await;
        held.batch_execute("COMMIT").await.unwrap();
    };
    let (decided, ()) = join(decide(&app, &mod_, &path, "approved"), commit_when_awaited).await;
    decided.problem(409, "edit_conflict");
    decide(&app, &mod_, &path, "approved").await.problem(409, "design_not_releasable");
}

/// In a game without templates no sentence is free text. Its first templates hold for the designs that are submitted from then on.
#[tokio::test]
async fn first_templates_do_not_hold_for_designs_that_were_submitted_before() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let path = begun(&app, &ada, &heron("Lantern Heron")).await;
    step(&app, &ada, &path, "submit").await.expect(200);
    app.post(&format!("{path}/claim")).by(&mod_).answer().await.expect(200);

    app.clock().advance(chrono::TimeDelta::seconds(1));
    put_templates(&app, &admin, &[]).await;
    put_templates(&app, &admin, &["Rest."]).await;
    // An older program writes only what it knows.
    app.sql(
        "UPDATE effect_texts SET revision = revision + 1, updated_at = now(), document = (SELECT jsonb_object_agg(key, value) \
         FROM jsonb_each(document) WHERE key IN ('templates', 'placeholders', 'removals', 'replacements'))",
    )
    .await;
    decide(&app, &mod_, &path, "approved").await.expect(200);
    // Further templates change nothing.
    put_templates(&app, &admin, &["Rest.", "Sleep."]).await;
    release(&app, &admin, &path, &json!({ "set": "hearth", "number": "900" })).await.expect(201);

    app.clock().advance(chrono::TimeDelta::seconds(1));
    let later = begun(&app, &ada, &heron("Quiet Heron")).await;
    let refused = step(&app, &ada, &later, "submit").await.problem(409, "design_not_releasable");
    assert_eq!(refused["obstacles"], json!(["free_text"]));
}

/// What looks like emphasis over two paragraphs is none, on the page and on the card.
#[tokio::test]
async fn the_lore_of_a_card_has_the_stars_that_are_no_emphasis() {
    let app = app().await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let lore = "alpha *one.\n\ntwo* omega, *three* \\*four*";
    let path = begun(&app, &ada, &changed(heron("Lantern Heron"), &json!({ "lore": lore }))).await;
    let html = "<p>alpha *one.</p><p>two* omega, <em>three</em> *four*</p>";
    assert_eq!(read(&app, &ada, &path).await["lore_html"], html);
    approve(&app, &ada, &mod_, &path).await;
    let place = json!({ "set": "hearth", "number": "900" });
    let card = release(&app, &admin, &path, &place).await.header("location");
    let card = app.get(&card).answer().await.expect(200);
    assert_eq!(card["lore"], "alpha *one. two* omega, three *four*");
}
