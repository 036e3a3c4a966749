//! Sets are created without cards, and deleted.

use serde_json::json;

use super::{Browser, NOTHING, actions, leads_to, location, sent, start, text, value};
use crate::pages::html::{Element, Page};
use crate::support::{PASSWORD, RequestExt as _};

const HOSTILE: &str = "<script>alert(1)</script> & </main>";
const PATH: &str = "/admin/sets/ttcg/fan-made";

#[tokio::test]
async fn a_set_is_created_and_deleted() {
    let app = start().await;
    let browser = Browser::of(&app, "the admin").await;
    let page = browser.page("/admin/sets?game=ttcg").await;
    assert!(leads_to(&page, "/admin/sets/ttcg/hearth"));
    let key = value(&page, "key").to_owned();

    // Everything that is wrong is shown at once.
    let wrong = [
        ("game", "ttcg"),
        ("code", "Fan Made"),
        ("name", " "),
        ("released_on", "soon"),
        ("unlock_threshold", "many"),
    ];
    let refused = sent(&browser, "/admin/sets", &wrong, 422).await;
    for fault in [
        "A code has 1 to 32 small letters and digits",
        "A name has 1 to 120 characters",
        "Type a day that there is",
        "Type a whole number from 1 to 100,000",
    ] {
        assert!(text(&refused).contains(fault), "{fault}: {}", text(&refused));
    }
    assert_eq!(value(&refused, "code"), "Fan Made");
    let nowhere = sent(&browser, "/admin/sets", &[("game", ""), ("code", "fan-made")], 422).await;
    assert!(text(&nowhere).contains("Choose a game."));
    // Also without a game, and a start that is not offered is not taken for another one.
    let mut all_wrong = wrong.to_vec();
    all_wrong[0] = ("game", "");
    all_wrong.push(("start", "zzz"));
    let refused = sent(&browser, "/admin/sets", &all_wrong, 422).await;
    for field in ["game", "code", "name", "released_on", "start", "unlock_threshold"] {
        assert!(!refused.fault_of(field).is_empty(), "{field}");
    }
    let unknown =
        [("game", "ttcg"), ("code", "fan-made"), ("name", "Made by Players"), ("start", "zzz")];
    let refused = sent(&browser, "/admin/sets", &unknown, 422).await;
    assert!(!refused.fault_of("start").is_empty());
    app.get("/v1/games/ttcg/sets/fan-made").answer().await.problem(404, "not_found");

    let fields = [
        ("game", "ttcg"),
        ("code", "fan-made"),
        ("name", HOSTILE),
        ("released_on", ""),
        ("start", "open"),
        ("unlock_threshold", ""),
        ("key", &*key),
    ];
    // A form that is sent twice creates one set.
    for _ in 0..2 {
        let created = browser.post("/admin/sets", &fields).await;
        assert_eq!(location(&created), (303, format!("{PATH}?done=created")));
    }
    let stored = app.get("/v1/games/ttcg/sets/fan-made").answer().await.expect(200);
    assert_eq!((&stored["name"], &stored["cards_start_hidden"]), (&json!(HOSTILE), &json!(false)));
    let page = browser.page(&format!("{PATH}?done=created")).await;
    assert!(text(&page).contains("The set is created.") && text(&page).contains(HOSTILE));
    assert!(leads_to(&page, "/sets/ttcg/fan-made"));
    let taken = sent(&browser, "/admin/sets", &fields[..6], 409).await;
    assert!(text(&taken).contains("Another set of the game has this code."), "{}", text(&taken));

    // Somebody changes the set after the page was loaded.
    let version = value(&page, "version").to_owned();
    let admin = app.log_in("the admin", PASSWORD).await;
    let edit = app.patch("/v1/games/ttcg/sets/fan-made").by(&admin).header("if-match", "*");
    edit.json(&json!({ "name": "Made by Players" })).answer().await.expect(200);
    // A form without the version is refused with the form, too.
    sent(&browser, PATH, &[], 412).await;
    let stale = sent(&browser, PATH, &[("version", &*version)], 412).await;
    assert!(text(&stale).contains("Somebody has changed this set"), "{}", text(&stale));
    assert!(actions(&stale).contains(&PATH), "{:?}", actions(&stale));
    // With an unlock policy of its own it cannot be deleted: the page offers no deletion, and says why.
    let policy = "/v1/games/ttcg/sets/fan-made/unlock-policy";
    let put = app.put(policy).by(&admin).json(&json!({ "threshold": 1, "review": true }));
    put.answer().await.expect(201);
    let tag = app.get(policy).by(&admin).answer().await.header("etag");
    let used = browser.page(PATH).await;
    assert!(text(&used).contains("an unlock policy of its own"), "{}", text(&used));
    assert!(!actions(&used).contains(&PATH), "{:?}", actions(&used));
    let refused = sent(&browser, PATH, &[("version", "x")], 412).await;
    assert!(text(&refused).contains("an unlock policy of its own"), "{}", text(&refused));
    app.delete(policy).by(&admin).header("if-match", tag).answer().await.expect(200);
    let stale = browser.page(PATH).await;
    let deleted = browser.post(PATH, &[("version", value(&stale, "version"))]).await;
    assert_eq!(location(&deleted), (303, "/admin/sets?done=deleted".to_owned()));
    app.get("/v1/games/ttcg/sets/fan-made").answer().await.problem(404, "not_found");
    // A second click on the button gets the same answer.
    let again = browser.post(PATH, &[("version", value(&stale, "version"))]).await;
    assert_eq!(location(&again), (303, "/admin/sets?done=deleted".to_owned()));
    assert!(text(&browser.page("/admin/sets?done=deleted").await).contains("The set is deleted."));
}

/// The form of a new set leads back to the release of a design from each page of the list.
#[tokio::test]
async fn the_pages_of_the_list_keep_the_way_back() {
    let app = start().await;
    app.sql(
        "INSERT INTO sets (id, game_code, code, name, hidden, unlock_threshold, created_at, updated_at) \
         SELECT gen_random_uuid(), 'ttcg', 'a' || n, 'Set ' || n, false, 5, now(), now() \
         FROM generate_series(1, 60) AS n",
    )
    .await;
    let browser = Browser::of(&app, "the admin").await;
    let here = format!("/admin/sets?game=ttcg&design={NOTHING}");
    let to = |page: &Page, rel: &str| -> String {
        let link = page.all("a").find(|link| link.get("rel") == Some(rel)).unwrap();
        link.get("href").unwrap().to_owned()
    };
    let first = browser.page(&here).await;
    let second = browser.page(&to(&first, "next")).await;
    assert_eq!(value(&second, "design"), NOTHING);
    let is_chosen = |option: &&Element| option.get("selected").is_some();
    let mut chosen = second.all("option").filter(is_chosen);
    assert!(chosen.any(|option| option.get("value") == Some("ttcg")));
    assert_eq!(to(&second, "first"), here);
}

#[tokio::test]
async fn a_set_with_cards_is_not_deleted() {
    let app = start().await;
    let browser = Browser::of(&app, "the admin").await;
    let path = "/admin/sets/ttcg/hearth";
    let page = browser.page(path).await;
    assert!(!actions(&page).contains(&path), "{:?}", actions(&page));
    let version = app.get("/v1/games/ttcg/sets/hearth").answer().await.header("etag");
    let version = version.trim_matches('"');
    let refused = sent(&browser, path, &[("version", version)], 409).await;
    assert!(text(&refused).contains("It cannot be deleted"), "{}", text(&refused));
}

/// The code of a set is no secret, so the form is kept when the session ends.
#[tokio::test]
async fn the_form_of_a_set_is_kept_when_the_session_ends() {
    let app = start().await;
    let fields = [("game", "ttcg"), ("code", "fan-made"), ("name", "Made by Players")];
    let page = sent(&Browser::new(&app), "/admin/sets", &fields, 401).await;
    assert!(actions(&page).contains(&"/admin/sets"), "{:?}", actions(&page));
    for (name, typed) in fields {
        assert_eq!(value(&page, name), typed);
    }
}
