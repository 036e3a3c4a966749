//! Planning print runs over HTTP: the answer is a table, and the request changes nothing.

use serde_json::{Value, json};

use crate::support::{RequestExt as _, TestApp};

const PLANS: &str = "/v1/games/ttcg/sets/dusk/print-plans";

#[tokio::test]
async fn a_plan_shows_the_content_of_a_run_and_changes_nothing() {
    let app = TestApp::start().await;
    app.import_set("dusk", 4, true).await;
    let admin = app.admin().await;
    let plan =
        async |body: Value| app.post(PLANS).by(&admin).json(&body).answer().await.expect(200);
    let table = plan(json!({ "copies_per_card": 100 })).await;
    assert_eq!(table["cards"], 4);
    assert_eq!(table["copies_per_card"], 100);
    assert_eq!(table["copy_count"], 400);
    // 100 copies by 40:20:10:4:2:1 of 77 are 51.95, 25.97, 12.99, 5.19, 2.60, 1.30: three copies are left and go to .99, .97 and .95.
    let rarities: Vec<Value> = table["rarities"].as_array().unwrap().clone();
    let copies: Vec<_> = rarities.iter().map(|rarity| rarity["copies"].as_u64().unwrap()).collect();
    assert_eq!(copies, [208, 104, 52, 20, 12, 4]);
    assert_eq!(
        rarities[0],
        json!({ "rarity": "common", "weight": 40, "copies": 208, "fewest": 52, "most": 52 })
    );
    assert_eq!(table["warnings"], json!([]));
    assert_eq!(table.get("packs"), None);

    let small = plan(json!({ "copies_per_card": 10, "packs": {} })).await;
    assert_eq!(small["warnings"].as_array().unwrap().len(), 2, "{small}");
    assert_eq!(
        small["packs"],
        json!({
            "packs": 4, "cards_per_pack": 10, "remainder": 0, "weight_mg": 18000 + 900 + 200, "tolerance_mg": 5,
            "insert_shapes": 64, "lightest_insert_mg": 200, "heaviest_insert_mg": 500,
        })
    );
    let rest = json!({ "cards_per_pack": 7, "remainder": true, "rarity_mg": { "rare": 1810 } });
    let rest = plan(json!({ "copies_per_card": 10, "packs": rest })).await;
    assert_eq!((&rest["packs"]["packs"], &rest["packs"]["remainder"]), (&json!(5), &json!(5)));
    assert_eq!(rest["packs"]["weight_mg"], 7 * 1810 + 900 + 200);
    assert_eq!(rest["packs"]["heaviest_insert_mg"], 200 + 300 + 70);

    for table in ["print_runs", "print_commitments", "copies"] {
        assert_eq!(app.db().value(&format!("SELECT count(*) FROM {table}")).await, "0", "{table}");
    }
}

#[tokio::test]
async fn a_plan_that_cannot_be_printed_is_refused_with_the_reason() {
    let app = TestApp::start().await;
    app.import_set("dusk", 4, true).await;
    let admin = app.admin().await;
    let refuse = async |body: Value, why: &str| {
        let answer = app.post(PLANS).by(&admin).json(&body).answer().await;
        let problem = answer.problem(422, "print_plan_refused");
        assert!(problem["detail"].as_str().unwrap().contains(why), "{problem}");
    };
    refuse(json!({ "copies_per_card": 0 }), "at least one copy").await;
    refuse(json!({ "copies_per_card": 10_000_000 }), "40000000 codes").await;
    refuse(json!({ "copies_per_card": 7, "packs": {} }), "leave 8").await;
    refuse(json!({ "copies_per_card": 1, "packs": { "remainder": true } }), "do not fill").await;
    refuse(json!({ "copies_per_card": 5, "packs": { "rarity_mg": { "shiny": 1 } } }), "shiny")
        .await;
    refuse(json!({ "copies_per_card": 5, "packs": { "rarity_mg": { "rare": 1990 } } }), "800 mg")
        .await;
    // A run after which the cards would not have equal numbers of copies.
    app.print("dusk", 3).await;
    app.sql(
        "WITH card AS (INSERT INTO cards (id, game_code, set_code, number, created_at, updated_at) \
                       VALUES (gen_random_uuid(), 'ttcg', 'dusk', '099', now(), now()) RETURNING id) \
         INSERT INTO printings (id, card_id, rarity, tier) SELECT gen_random_uuid(), id, 'common', 1 FROM card",
    )
    .await;
    refuse(json!({ "copies_per_card": 5 }), "099 (0)").await;
    // Of many such cards the first 20 are named.
    app.sql(
        "WITH card AS (INSERT INTO cards (id, game_code, set_code, number, created_at, updated_at) \
                       SELECT gen_random_uuid(), 'ttcg', 'dusk', n::text, now(), now() FROM generate_series(100, 124) AS n RETURNING id) \
         INSERT INTO printings (id, card_id, rarity, tier) SELECT gen_random_uuid(), id, 'common', 1 FROM card",
    )
    .await;
    refuse(json!({ "copies_per_card": 5 }), "117 (0), 118 (0) and 6 more of this set").await;

    let invalid =
        json!({ "copies_per_card": 5, "packs": { "cards_per_pack": 0, "insert_step_mg": 20 } });
    let answer = app.post(PLANS).by(&admin).json(&invalid).answer().await;
    let problem = answer.problem(422, "invalid_body");
    let pointers: Vec<_> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| fault["pointer"].clone())
        .collect();
    assert_eq!(pointers, ["/packs/cards_per_pack", "/packs/tolerance_mg"]);
    for unknown in [
        json!({ "copies_per_card": 5, "seed": "00" }),
        json!({ "copies_per_card": 5, "packs": { "size": 10 } }),
        json!({ "copies_per_card": -1 }),
        json!({ "copies_per_card": 1.5 }),
        json!({}),
    ] {
        app.post(PLANS).by(&admin).json(&unknown).answer().await.problem(422, "invalid_body");
    }
    let body = json!({ "copies_per_card": 1 });
    for nowhere in ["/v1/games/ttcg/sets/noon/print-plans", "/v1/games/none/sets/dusk/print-plans"]
    {
        app.post(nowhere).by(&admin).json(&body).answer().await.problem(404, "not_found");
    }
    let moderator = app.moderator().await;
    app.post(PLANS).by(&moderator).json(&body).answer().await.problem(403, "forbidden");
}
