//! Designs of players: only the author sees a draft, all readers see a shared design, and a name belongs to one design.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{app, begun, changed, create, heron, put, shared, step};
use crate::support::{Answer, RequestExt as _};

#[tokio::test]
async fn a_design_is_created_read_replaced_and_deleted() {
    let app = app().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let answer = create(&app, &ada, &heron("Lantern Heron")).await;
    let path = answer.header("location");
    assert_eq!(answer.header("etag"), "\"r1\"");
    let created = answer.expect(201);
    let id = created["id"].as_str().unwrap();
    assert_eq!(path, format!("/v1/designs/{id}"));
    assert!(id.starts_with("D-") && id.len() == 12, "{id}");
    assert_eq!(
        (&created["status"], &created["revision"], &created["author"]),
        (&json!("draft"), &json!(1), &json!("ada"))
    );
    // The design has a printing of every rarity of the game, with rising sums.
    let printings = created["all_printings"].as_array().unwrap();
    let sums: Vec<i64> = printings
        .iter()
        .map(|printing| &printing["attributes"])
        .map(|numbers| numbers["attack"].as_i64().unwrap() + numbers["defense"].as_i64().unwrap())
        .collect();
    assert_eq!(sums, [500, 510, 520, 530, 540, 550]);
    assert_eq!(created["printings"], json!([]));

    // The identifier may be typed in lower case and without the hyphen.
    let typed = format!("/v1/designs/{}", id.to_lowercase().replace('-', ""));
    assert_eq!(app.get(&typed).by(&ada).answer().await.expect(200), created);
    app.get(&path).by(&bob).answer().await.problem(404, "not_found");
    app.get(&path).answer().await.problem(404, "not_found");
    app.get(&format!("{path}/picture")).answer().await.problem(404, "not_found");

    let more = changed(
        heron("Lantern Crane"),
        &json!({
            "lore": "It *waits*.", "printings": [{ "rarity": "rare", "attributes": { "attack": 220, "defense": 300 } }],
        }),
    );
    put(&app, &ada, &path, "\"r7\"", &more).await.problem(412, "precondition_failed");
    app.put(&path).by(&ada).json(&more).answer().await.problem(428, "precondition_required");
    put(&app, &bob, &path, "\"r1\"", &more).await.problem(404, "not_found");
    let replaced = put(&app, &ada, &path, "\"r1\"", &more).await;
    assert_eq!(replaced.header("etag"), "\"r2\"");
    let replaced = replaced.expect(200);
    assert_eq!((&replaced["name"], &replaced["revision"]), (&json!("Lantern Crane"), &json!(2)));
    assert_eq!(replaced["lore_html"], "<p>It <em>waits</em>.</p>");
    assert_eq!(replaced["printings"], more["printings"]);
    assert_eq!(replaced["all_printings"][2]["attributes"]["attack"], 220);
    assert_eq!(app.get(&path).by(&ada).answer().await.expect(200), replaced);

    let elsewhere = changed(more, &json!({ "game": "uno-emoji" }));
    let refused = put(&app, &ada, &path, "\"r2\"", &elsewhere).await.problem(422, "invalid_body");
    assert_eq!(refused["errors"][0]["pointer"], "/game");

    let delete =
        async |tag: &str| app.delete(&path).by(&ada).header("if-match", tag).answer().await;
    delete("\"r1\"").await.problem(412, "precondition_failed");
    delete("\"r2\"").await.expect(204);
    delete("\"r2\"").await.problem(404, "not_found");
    assert_eq!(app.db().value("SELECT count(*) FROM design_revisions").await, "0");
}

#[tokio::test]
async fn all_faults_of_a_design_are_reported_at_once() {
    let app = app().await;
    let ada = app.player("ada").await;
    let wrong = json!({
        "game": "ttgc", "name": "a\tb", "kind": "a kind", "licence": "gpl",
        "effects": [{ "text": "" }], "flavour": "\u{202e}backwards",
    });
    let problem = create(&app, &ada, &wrong).await.problem(422, "invalid_body");
    let pointers: Vec<&str> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| fault["pointer"].as_str().unwrap())
        .collect();
    assert_eq!(pointers, ["/game", "/licence", "/name", "/kind", "/effects/0/text", "/flavour"]);
    assert!(problem["errors"][0]["detail"].as_str().unwrap().contains("ttcg"), "{problem}");

    for typed in ["D-0000000001", "7", "veil", "D-%00000000000"] {
        let problem =
            app.get(&format!("/v1/designs/{typed}")).answer().await.problem(404, "not_found");
        assert!(!problem["detail"].as_str().unwrap_or_default().contains("panicked"));
    }
    let mistyped = app.get("/v1/designs/D-0000000001").answer().await.problem(404, "not_found");
    assert!(mistyped["detail"].as_str().unwrap().contains("typing error"), "{mistyped}");
}

#[tokio::test]
async fn a_shared_design_is_public_and_a_withdrawn_design_is_found_by_identifier() {
    let app = app().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let path = begun(&app, &ada, &heron("Lantern Heron")).await;
    step(&app, &bob, &path, "share").await.problem(404, "not_found");
    let answer = step(&app, &ada, &path, "share").await;
    assert_eq!(answer.header("etag"), "\"r2\"");
    assert_eq!(answer.expect(200)["status"], "shared");
    let seen = app.get(&path).answer().await.expect(200);
    assert_eq!((&seen["name"], &seen["status"]), (&json!("Lantern Heron"), &json!("shared")));
    step(&app, &ada, &path, "share").await.problem(409, "design_step_refused");

    // A new revision of a shared design is shared, too.
    let lore = changed(heron("Lantern Egret"), &json!({ "lore": "It *waits* & <counts>." }));
    put(&app, &ada, &path, "\"r2\"", &lore).await.expect(200);
    assert_eq!(app.get(&path).by(&bob).answer().await.expect(200)["name"], "Lantern Egret");
    let gallery = app.get("/v1/designs").answer().await.expect(200);
    assert_eq!(gallery["data"][0]["name"], "Lantern Egret");
    let picture = app.get(&format!("{path}/picture")).answer().await;
    assert_eq!(picture.header("content-type"), "image/svg+xml");
    assert!(picture.text().contains("Lantern Egret"));
    assert!(picture.text().contains("It waits &#38; &#60;counts&#62;."), "{}", picture.text());
    assert!(picture.header("content-security-policy").contains("sandbox"));

    let delete = app.delete(&path).by(&ada).header("if-match", "\"r3\"").answer().await;
    delete.problem(409, "design_was_public");
    step(&app, &ada, &path, "withdraw").await.expect(200);
    // Other readers still find the last shared revision by its identifier, and no later revision.
    put(&app, &ada, &path, "\"r4\"", &heron("A Secret Idea")).await.expect(200);
    let seen = app.get(&path).answer().await.expect(200);
    assert_eq!(
        (&seen["name"], &seen["status"], &seen["revision"]),
        (&json!("Lantern Egret"), &json!("withdrawn"), &json!(2))
    );
    assert!(app.get(&format!("{path}/picture")).answer().await.text().contains("Lantern Egret"));
    assert_eq!(app.get(&path).by(&ada).answer().await.expect(200)["name"], "A Secret Idea");
    assert_eq!(app.get("/v1/designs").answer().await.expect(200)["data"], json!([]));
}

/// Other readers get another tag than the author, and it does not change with revisions that they cannot see.
#[tokio::test]
async fn the_tag_of_a_design_does_not_reveal_private_revisions() {
    let app = app().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let path = shared(&app, &ada, &heron("Lantern Heron")).await;
    step(&app, &ada, &path, "withdraw").await.expect(200);
    let before = app.get(&path).by(&bob).answer().await.header("etag");
    put(&app, &ada, &path, "\"r3\"", &heron("A Secret Idea")).await.expect(200);
    assert_eq!(app.get(&path).by(&bob).answer().await.header("etag"), before);
    let own = app.get(&path).by(&ada).answer().await;
    assert_eq!(own.header("etag"), "\"r4\"");
    let with_own = app.get(&path).header("if-none-match", own.header("etag")).answer().await;
    assert_eq!(with_own.status, 200, "the tag of the author is not confirmed to others");
    let again = app.get(&path).header("if-none-match", before).answer().await;
    assert_eq!(again.status, 304);
}

#[tokio::test]
async fn unchanged_content_creates_no_revision() {
    let app = app().await;
    let ada = app.player("ada").await;
    let path = begun(&app, &ada, &heron("Lantern Heron")).await;
    let again = put(&app, &ada, &path, "\"r1\"", &heron(" Lantern Heron ")).await;
    assert_eq!(again.header("etag"), "\"r1\"");
    assert_eq!(again.expect(200)["revision"], 1);
    put(&app, &ada, &path, "\"r2\"", &heron("Lantern Heron"))
        .await
        .problem(412, "precondition_failed");
    assert_eq!(app.db().value("SELECT count(*) FROM design_revisions").await, "1");
}

/// Numbers that the database would write with hundreds of digits, or give back as whole ones, are refused. All others are read with the same value.
#[tokio::test]
async fn numbers_are_read_with_the_same_value() {
    let app = app().await;
    let ada = app.player("ada").await;
    let with_attack = |attack: &Value| {
        let mut design = heron("Lantern Heron");
        design["attributes"]["attack"] = attack.clone();
        design
    };
    let numbers = json!([0.1, 1e2, -0.0, 1e-5, -9_999_999_999_999_998.0, u64::MAX]);
    let path = begun(&app, &ada, &with_attack(&numbers)).await;
    let written = put(&app, &ada, &path, "*", &with_attack(&numbers)).await.expect(200);
    assert_eq!((&written["revision"], &written["attributes"]["attack"]), (&json!(1), &numbers));
    for number in [1e16, -1e308, 1e-300] {
        let design = with_attack(&json!([1, number]));
        let refused = put(&app, &ada, &path, "*", &design).await.problem(422, "invalid_body");
        assert_eq!(refused["errors"][0]["pointer"], "/attributes/attack/1", "{number}");
    }
}

/// The content of each field is text, and is escaped in every form of the answer.
#[tokio::test]
async fn hostile_texts_are_texts() {
    let app = app().await;
    let ada = app.player("ada").await;
    for hostile in [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "[x](javascript:alert(1)) {{7*7}} ${7*7} %s%n",
        "'); DROP TABLE designs; --",
        "]]></text><svg onload=alert(1)>&#x3c;",
    ] {
        let design = changed(
            heron(hostile),
            &json!({
                "flavour": hostile, "lore": hostile, "credits": hostile,
                "effects": [{ "style": "normal", "text": hostile }],
            }),
        );
        let path = begun(&app, &ada, &design).await;
        let read = app.get(&path).by(&ada).answer().await.expect(200);
        for field in ["name", "flavour", "lore", "credits"] {
            assert_eq!(read[field], hostile, "{field}");
        }
        let html = read["lore_html"].as_str().unwrap();
        let inner = html.strip_prefix("<p>").unwrap().strip_suffix("</p>").unwrap();
        // Stars in the text may become emphasis.
        let text = inner.replace("<em>", "").replace("</em>", "");
        assert!(!text.contains(['<', '>', '"']), "{html}");
        let picture = app.get(&format!("{path}/picture")).by(&ada).answer().await.text();
        let escaped = hostile.replace('&', "&#38;").replace('<', "&#60;").replace('>', "&#62;");
        let escaped = escaped.replace('"', "&#34;").replace('\'', "&#39;");
        assert!(picture.contains(&escaped), "{escaped} in {picture}");
        for tag in ["<script", "<img", "onload=\"", "<svg onload", "</text><svg"] {
            assert!(!picture.contains(tag), "{tag} of {hostile}");
        }
    }
    // Control characters, characters that change the direction of a line or are never shown, and texts without a visible character are refused in every field.
    for field in ["name", "flavour", "lore", "credits"] {
        for refused in [
            "a\u{202e}b",
            "a\u{7}b",
            "a\u{1b}[2Jb",
            "a\u{2028}b",
            "a\u{fdd0}b",
            "a\u{e0041}b",
            "\u{2800}\u{3164}",
        ] {
            let design = changed(heron("Lantern Heron"), &json!({ field: refused }));
            let problem = create(&app, &ada, &design).await.problem(422, "invalid_body");
            assert_eq!(problem["errors"][0]["pointer"], format!("/{field}"));
        }
    }
}

#[tokio::test]
async fn designs_of_banned_accounts_are_hidden() {
    let app = app().await;
    let ada = app.player("ada").await;
    let path = shared(&app, &ada, &heron("Lantern Heron")).await;
    app.sql("UPDATE accounts SET banned_at = now() WHERE name = 'ada'").await;
    app.get(&path).answer().await.problem(404, "not_found");
    app.get(&format!("{path}/picture")).answer().await.problem(404, "not_found");
    assert_eq!(app.get("/v1/designs").answer().await.expect(200)["data"], json!([]));
    app.sql("UPDATE accounts SET banned_at = NULL WHERE name = 'ada'").await;
    app.get(&path).answer().await.expect(200);
    let gallery = app.get("/v1/designs").answer().await.expect(200);
    assert_eq!(gallery["data"][0]["name"], "Lantern Heron");
}

#[tokio::test]
async fn a_name_in_any_lookalike_letters_belongs_to_one_design() {
    let app = app().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    // A card has this name.
    let path = begun(&app, &ada, &heron("gatepost LAD!")).await;
    let problem = step(&app, &ada, &path, "share").await.problem(409, "design_name_taken");
    assert!(problem["detail"].as_str().unwrap().contains("hearth 002"), "{problem}");
    let nameless = begun(&app, &ada, &changed(heron(""), &json!({ "name": null }))).await;
    step(&app, &ada, &nameless, "share").await.problem(409, "design_nameless");

    // A draft does not reserve its name. A shared design does, in every script.
    let first = begun(&app, &ada, &heron("Ada Heron")).await;
    let second = shared(&app, &bob, &heron("\u{410}d\u{430} Heron")).await;
    step(&app, &ada, &first, "share").await.problem(409, "design_name_taken");
    let renamed = begun(&app, &ada, &heron("Reed Heron")).await;
    step(&app, &ada, &renamed, "share").await.expect(200);
    let taken = put(&app, &ada, &renamed, "\"r2\"", &heron("ADA-heron")).await;
    taken.problem(409, "design_name_taken");
    assert_eq!(app.get(&renamed).answer().await.expect(200)["name"], "Reed Heron");

    // A shared design cannot get the name of a card by a change of the case of a letter either: "l" looks like "I", and "i" does not.
    let near = shared(&app, &bob, &heron("Gatepost iad")).await;
    let twin = put(&app, &bob, &near, "\"r2\"", &heron("Gatepost Iad")).await;
    twin.problem(409, "design_name_taken");
    // The same in capital letters, of which "M" looks like itself, and "m" like "rn"; and in capital letters of another script.
    let umber = shared(&app, &ada, &heron("Umber Heron")).await;
    for name in ["UMBER HERON", "umBER heron"] {
        let capitals = begun(&app, &bob, &heron(name)).await;
        step(&app, &bob, &capitals, "share").await.problem(409, "design_name_taken");
    }
    step(&app, &ada, &umber, "withdraw").await.expect(200);
    let cyrillic = begun(&app, &bob, &heron("KETTLE I\u{41c}P")).await;
    step(&app, &bob, &cyrillic, "share").await.problem(409, "design_name_taken");
    // Invisible characters do not make a name different.
    let hidden: String =
        "Gatepost Lad".chars().flat_map(|c| [c.to_string(), "\u{200d}".repeat(11)]).collect();
    let hidden = begun(&app, &bob, &heron(&hidden)).await;
    step(&app, &bob, &hidden, "share").await.problem(409, "design_name_taken");

    // Whatever its new name is, a design that waits for a moderator is not edited.
    step(&app, &ada, &renamed, "submit").await.expect(200);
    let waits = put(&app, &ada, &renamed, "*", &heron("gatepost LAD!")).await;
    waits.problem(409, "design_step_refused");

    // A withdrawal frees the name. The design cannot be shared again while another design has the name.
    step(&app, &bob, &second, "withdraw").await.expect(200);
    step(&app, &ada, &first, "share").await.expect(200);
    step(&app, &bob, &second, "share").await.problem(409, "design_name_taken");
}

/// Twelve authors share their designs at the same time on two instances.
#[tokio::test]
async fn exactly_one_of_parallel_designs_with_one_name_is_shared() {
    let app = app().await;
    let other = app.second_instance();
    let mut paths = Vec::new();
    for at in 0..12 {
        let author = app.player_owned(format!("author{at}")).await;
        let name = if at % 2 == 0 { "Bill Heron" } else { "BiII Heron" };
        paths.push((begun(&app, &author, &heron(name)).await, author));
    }
    let shares = paths.iter().enumerate().map(async |(at, (path, author))| {
        let app = if at % 3 == 0 { &other } else { &app };
        let path = format!("{path}/share");
        app.post(&path).by(author).header("if-match", "\"r1\"").answer().await.status
    });
    let mut statuses = join_all(shares).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [vec![200], vec![409; 11]].concat());
    assert_eq!(
        app.db().value("SELECT count(*) FROM designs WHERE shared_at IS NOT NULL").await,
        "1"
    );
}

#[tokio::test]
async fn a_repeated_request_creates_one_design() {
    let app = app().await;
    let ada = app.player("ada").await;
    let send = async |design: &Value| {
        let request = app.post("/v1/designs").by(&ada).header("idempotency-key", "k1");
        request.json(design).answer().await
    };
    let first = send(&heron("Lantern Heron")).await.expect(201);
    assert_eq!(send(&heron("Lantern Heron")).await.expect(201), first);
    send(&heron("Another")).await.problem(422, "idempotency_key_reused");
    assert_eq!(app.db().value("SELECT count(*) FROM designs").await, "1");
    let path = format!("/v1/designs/{}", first["id"].as_str().unwrap());
    app.delete(&path).by(&ada).header("if-match", "\"r1\"").answer().await.expect(204);
    send(&heron("Lantern Heron")).await.problem(410, "gone");
}

#[tokio::test]
async fn new_accounts_have_lower_daily_limits() {
    let app = app().await;
    // A full hour is left, so that the day does not end during the test.
    app.begin_window();
    let ada = app.player("ada").await;
    for at in 0..5 {
        shared(&app, &ada, &heron(&format!("Heron of Pond {at}"))).await;
    }
    let sixth = begun(&app, &ada, &heron("One Heron Too Many")).await;
    let answer = step(&app, &ada, &sixth, "share").await;
    let wait: i64 = answer.header("retry-after").parse().unwrap();
    assert!((1..=24 * 60 * 60).contains(&wait), "{wait}");
    let problem = answer.problem(429, "daily_limit_reached");
    assert_eq!(json!([problem["limit"], problem["max"]]), json!(["shares", 5]));
    assert!(problem["resets_at"].as_str().unwrap().ends_with("T00:00:00Z"), "{problem}");
    // The refused step has not changed the design.
    assert_eq!(app.get(&sixth).by(&ada).answer().await.header("etag"), "\"r1\"");
    // Older accounts have higher limits.
    app.sql("UPDATE accounts SET created_at = created_at - interval '4 days'").await;
    step(&app, &ada, &sixth, "share").await.expect(200);
    app.sql("UPDATE daily_counts SET count = 20 WHERE activity = 'share_design'").await;
    let seventh = begun(&app, &ada, &heron("The Seventh Heron")).await;
    let problem = step(&app, &ada, &seventh, "share").await.problem(429, "daily_limit_reached");
    assert_eq!(problem["max"], 20, "{problem}");
    // The counts begin again on the next day.
    app.sql("UPDATE daily_counts SET count = 1000; UPDATE accounts SET created_at = now()").await;
    let refused = create(&app, &ada, &heron("Heron of Today")).await;
    assert_eq!(refused.problem(429, "daily_limit_reached")["limit"], "new_designs");
    app.sql("UPDATE daily_counts SET day = day - 1").await;
    create(&app, &ada, &heron("Heron of Tomorrow")).await.expect(201);
}

/// Constraints of the database refuse a change of a revision, an invalid identifier, and a listed design with an older public revision.
#[tokio::test]
async fn the_database_refuses_to_change_a_revision() {
    let app = app().await;
    let ada = app.player("ada").await;
    begun(&app, &ada, &heron("Lantern Heron")).await;
    assert!(app.db().refuses("UPDATE design_revisions SET content = '{}'").await);
    let code = "UPDATE designs SET code = 'D-ILOU000000'";
    assert!(app.db().refuses(code).await, "these letters are no symbols of identifiers");
    let listed = "UPDATE designs SET status = 'shared', shared_at = now(), public_revision = 1, revision = 2";
    assert!(
        app.db().refuses(listed).await,
        "the latest revision of a listed design must be public"
    );
    app.sql("UPDATE designs SET status = 'shared', shared_at = now(), public_revision = 1").await;
}

/// Marks and punctuation alone are not a name. A draft may have none.
#[tokio::test]
async fn a_name_needs_a_letter_a_digit_or_a_symbol() {
    let app = app().await;
    let ada = app.player("ada").await;
    let path = begun(&app, &ada, &heron("")).await;
    for name in ["...", "\u{301}\u{302}"] {
        let problem = create(&app, &ada, &heron(name)).await.problem(422, "invalid_body");
        assert_eq!(problem["errors"][0]["pointer"], "/name", "{problem}");
        put(&app, &ada, &path, "*", &heron(name)).await.problem(422, "invalid_body");
        let check = app.post("/v1/design-checks").json(&heron(name)).answer().await.expect(200);
        let expected = json!({
            "available": false, "reason": "no_letter", "like": [],
            "message": "A name must contain a letter, a digit or a symbol.",
        });
        assert_eq!(check["name"], expected);
    }
    let check = app.post("/v1/design-checks").json(&heron("")).answer().await.expect(200);
    assert_eq!(
        (&check["name"]["available"], &check["name"]["reason"]),
        (&json!(false), &json!("missing"))
    );
    put(&app, &ada, &path, "*", &heron("\u{1f525}")).await.expect(200);
    step(&app, &ada, &path, "share").await.expect(200);
    let bea = app.player("bea").await;
    let suggestion = json!({ "revision": 2, "message": "Shorter.", "design": heron("...") });
    let suggested = app.post(&format!("{path}/suggestions")).by(&bea).json(&suggestion);
    let problem = suggested.answer().await.problem(422, "invalid_body");
    assert_eq!(problem["errors"][0]["pointer"], "/design/name", "{problem}");
}

/// Older versions accepted names that no index takes.
#[tokio::test]
async fn a_stored_name_that_is_too_long_to_be_compared_is_not_shared() {
    let app = app().await;
    let ada = app.player("ada").await;
    let path = begun(&app, &ada, &heron("Lantern Heron")).await;
    app.sql(
        "INSERT INTO design_revisions (design_id, number, content, created_at) \
         SELECT design_id, 2, jsonb_set(content, '{name}', to_jsonb(repeat('\u{fdfa}', 120))), created_at FROM design_revisions; \
         UPDATE designs SET version = 2, revision = 2, name = repeat('\u{fdfa}', 120)",
    )
    .await;
    let is_refused = |answer: Answer| {
        let problem = answer.problem(422, "invalid_body");
        assert_eq!(problem["errors"][0]["pointer"], "/name", "{problem}");
    };
    is_refused(step(&app, &ada, &path, "share").await);
    is_refused(step(&app, &ada, &path, "submit").await);
    put(&app, &ada, &path, "*", &heron("Lantern Heron")).await.expect(200);
    step(&app, &ada, &path, "share").await.expect(200);
    let restored = app.post(&format!("{path}/restore")).by(&ada).header("if-match", "*");
    is_refused(restored.json(&json!({ "revision": 2 })).answer().await);
}
