//! Print runs are planned, announced and revealed. No page shows a serial code.

use super::{Browser, check, leads_to, location, sent, start, text, value};
use crate::support::{PASSWORD, RequestExt as _, TestApp};

#[tokio::test]
async fn a_run_is_planned_announced_and_not_revealed_before_it_is_printed() {
    let app = start().await;
    let browser = Browser::of(&app, "the admin").await;
    let plans = "/admin/print-plans";
    let page =
        sent(&browser, plans, &[("set", "ttcg/hearth"), ("copies_per_card", "0")], 422).await;
    assert!(text(&page).contains("Must be a whole number from 1 to 10,000,000."));
    let fields = [("set", "ttcg/hearth"), ("copies_per_card", "100")];
    let page = sent(&browser, plans, &fields, 200).await;
    let admin = app.log_in("the admin", PASSWORD).await;
    let plan = serde_json::json!({ "copies_per_card": 100 });
    let plan = app.post("/v1/games/ttcg/sets/hearth/print-plans").by(&admin).json(&plan);
    let plan = plan.answer().await.expect(200);
    let copies = plan["copy_count"].as_u64().unwrap();
    let shown = text(&page).replace(',', "");
    assert!(shown.contains(&copies.to_string()), "{shown}");
    for rarity in plan["rarities"].as_array().unwrap() {
        assert!(shown.contains(&rarity["copies"].to_string()), "{shown}");
    }
    let of_set = "/v1/games/ttcg/sets/hearth/print-commitments";
    let announced = async || {
        let page = app.get(of_set).answer().await.expect(200);
        page["data"].as_array().unwrap().clone()
    };
    assert!(announced().await.is_empty(), "a plan is not stored");
    let key = value(&page, "key").to_owned();
    let fields = [&fields[..], &[("key", &*key)]].concat();
    let first = browser.post("/admin/print-plans/announce", &fields).await;
    let again = browser.post("/admin/print-plans/announce", &fields).await;
    assert_eq!(location(&first), location(&again));
    let stored = announced().await;
    assert_eq!(stored.len(), 1);
    let path = format!("/admin/announcements/{}", stored[0]["id"].as_str().unwrap());
    assert_eq!(location(&first), (303, format!("{path}?done=announced")));
    let page = browser.page(&path).await;
    assert!(text(&page).contains(stored[0]["commitment"].as_str().unwrap()));
    assert!(text(&page).contains("cardscape mint --commitment"));
    assert!(text(&page).contains("add --packing-list"), "for a run in packs");
    assert!(!leads_to(&page, &format!("{path}/reveal")));
    let page = sent(&browser, &format!("{path}/reveal"), &[], 409).await;
    assert!(text(&page).contains("This run is not printed yet."));
    let page = browser.page("/admin/announcements?set=ttcg/hearth").await;
    assert!(leads_to(&page, &path));
}

#[tokio::test]
async fn the_page_of_a_plan_says_why_there_is_none() {
    let app = TestApp::start().await;
    app.import_set("dusk", 1, true).await;
    app.admin().await;
    app.print("dusk", 3).await;
    app.sql(
        "WITH card AS (INSERT INTO cards (id, game_code, set_code, number, created_at, updated_at) \
                       VALUES (gen_random_uuid(), 'ttcg', 'dusk', '099', now(), now()) RETURNING id) \
         INSERT INTO printings (id, card_id, rarity, tier) SELECT gen_random_uuid(), id, 'common', 1 FROM card",
    )
    .await;
    let browser = Browser::of(&app, "the admin").await;
    let fields = [("set", "ttcg/dusk"), ("copies_per_card", "5")];
    let page = sent(&browser, "/admin/print-plans", &fields, 422).await;
    assert!(text(&page).contains("now 3.") && text(&page).contains("099 (0)"));
}

#[tokio::test]
async fn a_printed_run_is_shown_without_codes_and_revealed() {
    let app = TestApp::start().await;
    app.import_set("dusk", 1, false).await;
    app.admin().await;
    let cards = app.print("dusk", 10).await;
    let ada = app.player("ada").await;
    app.register(&ada, &cards[0]).await;
    let browser = Browser::of(&app, "the admin").await;
    let admin = app.log_in("the admin", PASSWORD).await;
    let runs = app.get("/v1/print-runs").by(&admin).answer().await.expect(200);
    let run = &runs["data"][0];
    let path = format!("/admin/print-runs/{}", run["id"].as_str().unwrap());
    let page = browser.page("/admin/print-runs").await;
    assert!(leads_to(&page, &path) && text(&page).contains("Codes count"));
    let answer = browser.get(&path).await;
    let page = check(&path, &answer);
    assert!(text(&page).contains(run["file_sha256"].as_str().unwrap()));
    for card in &cards {
        assert!(!answer.text().contains(&card.serial));
    }
    let announcement = format!("/admin/announcements/{}", run["commitment"].as_str().unwrap());
    assert!(leads_to(&page, &announcement));
    let reveal = format!("{announcement}/reveal");
    assert!(leads_to(&browser.page(&announcement).await, &reveal));
    assert!(text(&browser.page(&reveal).await).contains("This cannot be undone."));
    let revealed = browser.post(&reveal, &[]).await;
    assert_eq!(location(&revealed), (303, format!("{announcement}?done=revealed")));
    let public = announcement.replace("/admin/announcements/", "/v1/print-commitments/");
    assert_eq!(app.get(&public).answer().await.expect(200)["status"], "revealed");
    assert!(leads_to(&browser.page(&announcement).await, &public));
}
