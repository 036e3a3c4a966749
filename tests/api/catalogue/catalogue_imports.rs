//! Games and sets that an admin imports over HTTP.

use std::path::Path;
use std::time::Duration;

use cardscape::domain::catalogue::import::{GameSource, SourceFile};
use cardscape::store::catalogue::import::ImportError;
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::support::{Player, RequestExt as _, TestApp, seed_data, set_file};

/// A small game for tests: one kind of cards, decks of three cards.
pub(crate) const PEBBLES: &str = r#"
code = "pebbles"
name = "Pebbles"
rules_version = "pebbles/1"

[cards]
rule = "P-1"

[[zones]]
code = "main"
name = "Pouch"

[[rarities]]
code = "grey"
name = "Grey"
weight = 1

[[kinds]]
code = "pebble"
name = "Pebble"

[kinds.attributes.weight]
type = "integer"
min = 1
max = 9

[[formats]]
code = "pouch"
name = "Pouch"
version = "1"

[[formats.rules]]
rule = "P-2"
text = "A pouch holds three pebbles."
zone_size = { zone = "main", exactly = 3 }
"#;

/// A further zone.
const BAG: &str = "[[zones]]\ncode = \"bag\"\nname = \"Bag\"\naliases = [\"sack\"]\n";

pub(crate) fn shore() -> Value {
    json!({
        "code": "shore", "name": "Shore",
        "cards": [
            { "number": "001", "name": "Flat One", "kind": "pebble", "attributes": { "weight": 2 } },
            { "number": "002", "name": "Round One", "kind": "pebble", "attributes": { "weight": 3 } },
        ],
    })
}

fn manifest(app: &TestApp, by: &Player, game: &str, text: &str) -> RequestBuilder {
    let (game, query) = game.split_once('?').unwrap_or((game, ""));
    app.put(&format!("/v1/games/{game}/manifest?{query}"))
        .by(by)
        .header("content-type", "application/toml")
        .body(text.to_owned())
}

fn set(app: &TestApp, by: &Player, path: &str, file: &Value) -> RequestBuilder {
    app.put(&format!("/v1/games/{path}")).by(by).json(file)
}

/// Another import holds the lock of the catalogue.
#[tokio::test]
async fn an_import_that_takes_too_long_is_told_what_else_loads_it() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let session = app.db().session().await;
    session.batch_execute("BEGIN; SELECT pg_advisory_xact_lock(7233172002)").await.unwrap();
    let hasty =
        app.second_instance_with(|settings| settings.request_timeout = Duration::from_secs(1));
    let encoded = hasty.put("/v1/games/pebbles/%6Danifest").by(&admin);
    let encoded = encoded.header("content-type", "application/toml").body(PEBBLES);
    for import in [manifest(&hasty, &admin, "pebbles", PEBBLES), encoded] {
        let answer = import.answer().await;
        assert_eq!(answer.header("retry-after"), "2");
        let detail = answer.problem(503, "timed_out")["detail"].as_str().unwrap().to_owned();
        let says = |word: &str| detail.contains(word);
        assert!(says("cardscape seed") && says("--request-timeout"), "{detail}");
    }
    session.batch_execute("COMMIT").await.unwrap();
    app.get("/v1/games/pebbles").answer().await.problem(404, "not_found");
}

#[tokio::test]
async fn a_game_is_imported_as_data_and_its_decks_are_checked() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let other_instance = app.second_instance();

    // First as a dry run, which changes nothing.
    let rehearsed = manifest(&app, &admin, "pebbles?dry_run=true", PEBBLES);
    let report = rehearsed.answer().await.expect(200);
    assert_eq!((&report["dry_run"], &report["game_added"]), (&json!(true), &json!(true)));
    app.get("/v1/games/pebbles").answer().await.problem(404, "not_found");

    let answer = manifest(&app, &admin, "pebbles", PEBBLES).answer().await;
    assert_eq!(answer.header("location"), "/v1/games/pebbles");
    assert_eq!(answer.expect(201)["manifest_changed"], true);
    let answer = set(&app, &admin, "pebbles/sets/shore", &shore()).answer().await;
    assert_eq!(answer.header("location"), "/v1/games/pebbles/sets/shore");
    let report = answer.expect(201);
    let whole = json!({
        "set": "shore", "set_added": true, "set_changed": true, "cards_added": 2, "cards_changed": 0,
        "printings_added": 0, "printings_removed": 0, "cards_unlocked": 0
    });
    assert_eq!(report["sets"], json!([whole]));

    // The next request, on any instance, uses the new format.
    let deck = json!({ "format": "pebbles/pouch", "list": "2 Flat One\n1 round one" });
    for instance in [&app, &other_instance] {
        let judged = instance.post("/v1/deck-reports").json(&deck).answer().await.expect(200);
        assert_eq!(judged["reports"][0]["status"], "legal", "{judged}");
    }
    let short = json!({ "format": "pebbles/pouch", "list": "1 Flat One" });
    let judged = app.post("/v1/deck-reports").json(&short).answer().await.expect(200);
    assert_eq!(judged["reports"][0]["violations"][0]["rule"], "P-2");

    // The same file again changes nothing and writes no entry into the audit log.
    let entries = "SELECT count(*) FROM audit_log WHERE action = 'game.imported'";
    assert_eq!(app.db().value(entries).await, "2");
    let report = set(&app, &admin, "pebbles/sets/shore", &shore()).answer().await.expect(200);
    assert_eq!(report["sets"], json!([]));
    assert_eq!(app.db().value(entries).await, "2");
    let log = app.get("/v1/audit-log").by(&admin).answer().await.expect(200);
    assert_eq!(log["data"][0]["actor_id"], admin.id.as_str(), "{log}");
}

/// Entries without a zone are in the first zone of the game, whatever its code is, and words for a zone are stored as its code.
/// What players count of a printing that a file leaves out moves to another rarity, so an admin must see it before.
#[tokio::test]
async fn a_dry_run_counts_the_printings_that_stored_cards_get_and_lose() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let shiny = "[[rarities]]\ncode = \"shiny\"\nname = \"Shiny\"\nweight = 1\n\n[[kinds]]";
    let game = PEBBLES.replacen("[[kinds]]", shiny, 1);
    manifest(&app, &admin, "pebbles", &game).answer().await.expect(201);
    let with_printings = |rarities: &[&str]| {
        let mut file = shore();
        let printings = rarities.iter().map(|rarity| json!({ "rarity": rarity }));
        file["cards"][0]["printings"] = printings.collect();
        file
    };
    let path = "pebbles/sets/shore";
    set(&app, &admin, path, &with_printings(&["grey"])).answer().await.expect(201);
    let both = ["grey", "shiny"];
    for (rarities, added, removed) in [(&both[..], 1, 0), (&both[..1], 0, 1)] {
        let file = with_printings(rarities);
        for path in [format!("{path}?dry_run=true"), path.to_owned()] {
            let report = set(&app, &admin, &path, &file).answer().await.expect(200);
            let changes = &report["sets"][0];
            assert_eq!(changes["cards_changed"], 1, "{report}");
            assert_eq!(changes["printings_added"], added, "{report}");
            assert_eq!(changes["printings_removed"], removed, "{report}");
        }
    }
}

#[tokio::test]
async fn decks_of_a_game_whose_first_zone_is_not_main_are_stored_and_checked() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let text = PEBBLES.replace("code = \"main\"", "code = \"hold\"");
    let text = text.replace("zone = \"main\"", "zone = \"hold\"") + BAG;
    manifest(&app, &admin, "pebbles", &text).answer().await.expect(201);
    set(&app, &admin, "pebbles/sets/shore", &shore()).answer().await.expect(201);
    let list = |list: &str| json!({ "name": "A", "format": "pebbles/pouch", "list": list });
    let entries = json!({
        "name": "B", "format": "pebbles/pouch",
        "entries": [{ "quantity": 3, "name": "Flat One" }, { "quantity": 1, "name": "Flat One", "zone": "bag" }],
    });
    for deck in [
        list("// format: pebbles/pouch\n3 Flat One\n[Sack]\n1 Flat One"),
        list("// format: pebbles/pouch\nDeck\n3 Flat One\n[Bag]\n1 Flat One"),
        list("3 Flat One\nBag\n1 Flat One"),
        entries,
    ] {
        let stored = app.post("/v1/decks").by(&admin).json(&deck).answer().await.expect(201);
        let zones: Vec<&Value> =
            stored["entries"].as_array().unwrap().iter().map(|entry| &entry["zone"]).collect();
        assert_eq!(zones, ["hold", "bag"], "{deck}");
        let path = format!("/v1/decks/{}", stored["id"].as_str().unwrap());
        let report = app.get(&format!("{path}/report")).by(&admin).answer().await.expect(200);
        assert_eq!(report["status"], "legal", "{report}");
        let hand = app.get(&format!("{path}/sample-hand?hand_size=2")).by(&admin);
        assert_eq!(hand.answer().await.expect(200)["cards"], 3);
        let mut judged = deck.clone();
        judged.as_object_mut().unwrap().remove("name");
        let judged = app.post("/v1/deck-reports").json(&judged).answer().await.expect(200);
        assert_eq!(judged["reports"][0]["status"], "legal", "{judged}");
    }
}

/// Older versions stored the zone `main` in games that name no zone so, and any version stores other words for a zone that JSON entries have.
#[tokio::test]
async fn words_for_a_zone_are_no_differences_between_revisions() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let text = PEBBLES.replace("code = \"main\"", "code = \"hold\"");
    let text = text.replace("zone = \"main\"", "zone = \"hold\"") + BAG;
    manifest(&app, &admin, "pebbles", &text).answer().await.expect(201);
    set(&app, &admin, "pebbles/sets/shore", &shore()).answer().await.expect(201);
    let deck = |name: &str, bag: &str, quantity: u32| {
        let entries = json!([{ "quantity": 3, "name": "Flat One" }, { "quantity": quantity, "name": "Round One", "zone": bag }]);
        json!({ "name": name, "format": "pebbles/pouch", "entries": entries })
    };
    let stored = app.post("/v1/decks").by(&admin).json(&deck("A", "Sack", 1)).answer().await;
    let path = format!("/v1/decks/{}", stored.expect(201)["id"].as_str().unwrap());
    app.sql(
        "UPDATE deck_entries SET zone = 'main' WHERE zone = 'hold'; \
         UPDATE deck_revisions SET content = replace(content::text, '\"hold\"', '\"main\"')::jsonb",
    )
    .await;
    let old = app.get(&format!("{path}/revisions/1")).by(&admin).answer().await.expect(200);
    // It is read by its code.
    assert_eq!(old["entries"][0]["zone"], "hold", "{old:#}");
    for (name, quantity) in [("B", 1), ("C", 2)] {
        let replaced = app.put(&path).by(&admin).header("if-match", "*");
        replaced.json(&deck(name, "bag", quantity)).answer().await.expect(200);
    }
    let diff = async |to: u32| {
        let diff = app.get(&format!("{path}/diff?from=1&to={to}")).by(&admin).answer().await;
        diff.expect(200)["cards"].clone()
    };
    assert_eq!(diff(2).await, json!([]));
    let changed = diff(3).await;
    assert_eq!(changed.as_array().unwrap().len(), 1, "{changed:#}");
    assert_eq!(
        (&changed[0]["zone"], &changed[0]["before"], &changed[0]["after"]),
        (&json!("bag"), &json!(1), &json!(2))
    );
}

/// The instance that imports a set file has the cards in memory before it answers.
#[tokio::test]
async fn an_instance_with_cards_in_memory_knows_imported_cards_at_once() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    manifest(&app, &admin, "pebbles", PEBBLES).answer().await.expect(201);
    let app = app.second_instance_in_memory().await;
    set(&app, &admin, "pebbles/sets/shore", &shore()).answer().await.expect(201);
    let deck = json!({ "format": "pebbles/pouch", "list": "2 Flat One\n1 round one" });
    let judged = app.post("/v1/deck-reports").json(&deck).answer().await.expect(200);
    assert_eq!(judged["reports"][0]["status"], "legal", "{judged}");
}

#[tokio::test]
async fn a_manifest_edit_needs_the_etag_that_was_read() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    manifest(&app, &admin, "pebbles", PEBBLES).answer().await.expect(201);
    let read = app.get("/v1/games/pebbles/manifest").answer().await;
    assert_eq!(read.header("content-type"), "application/toml");
    assert_eq!(read.text(), PEBBLES);
    let etag = read.header("etag");
    let again = app.get("/v1/games/pebbles/manifest").header("if-none-match", &etag);
    assert_eq!(again.answer().await.status, 304);

    let four = PEBBLES.replace("exactly = 3", "exactly = 4");
    manifest(&app, &admin, "pebbles", &four).answer().await.problem(428, "precondition_required");
    let edit = |text: &str| manifest(&app, &admin, "pebbles", text).header("if-match", &etag);
    let rehearsed = manifest(&app, &admin, "pebbles?dry_run=true", &four).header("if-match", &etag);
    rehearsed.answer().await.expect(200);
    edit(&four).answer().await.expect(200);
    edit(PEBBLES).answer().await.problem(412, "precondition_failed");
    let unknown = manifest(&app, &admin, "gravel", PEBBLES).header("if-match", "\"r1\"");
    unknown.answer().await.problem(412, "precondition_failed");
    let deck = json!({ "format": "pebbles/pouch", "entries": [] });
    let judged = app.post("/v1/deck-reports").json(&deck).answer().await.expect(200);
    let limits: Vec<&Value> = judged["reports"][0]["violations"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|violation| violation.get("limit"))
        .collect();
    assert_eq!(limits, [4]);
}

#[tokio::test]
async fn if_none_match_limits_a_manifest_to_new_games() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let create = || manifest(&app, &admin, "pebbles", PEBBLES).header("if-none-match", "*");
    create().answer().await.expect(201);
    create().answer().await.problem(412, "precondition_failed");
    let both = create().header("if-match", "\"r1\"");
    both.answer().await.problem(412, "precondition_failed");
    let other = manifest(&app, &admin, "pebbles", PEBBLES).header("if-none-match", "\"r7\"");
    other.header("if-match", "\"r1\"").answer().await.expect(200);
}

/// The heaviest pebble has a weight of 9.
#[tokio::test]
async fn a_condition_that_no_card_meets_is_refused_with_its_place() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let text = format!(
        "{PEBBLES}\n[[formats.rules]]\nrule = \"P-3\"\ntext = \"No rocks.\"\n\
         forbidden = {{ select = {{ where = {{ weight = {{ min = 10 }} }} }} }}\n"
    );
    let refused = manifest(&app, &admin, "pebbles", &text).answer().await;
    let problem = refused.problem(422, "invalid_import");
    let errors = problem["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 1, "{problem}");
    assert_eq!(errors[0]["pointer"], "/formats/0/rules/1/forbidden/select/where/weight");
    assert_eq!(errors[0]["line"], text.lines().count());
}

/// After one wrong value the service still finds the wrong values of all cards.
#[tokio::test]
async fn all_faults_of_a_set_file_are_reported_at_once() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    manifest(&app, &admin, "pebbles", PEBBLES).answer().await.expect(201);
    let card = |number: &str, name: &str| json!({ "number": number, "name": name, "kind": "pebble", "attributes": { "weight": 1 } });
    let mut file = shore();
    file["cards"] = json!([
        card("001", "A"),
        card("002", "B"),
        card("003", "C"),
        card("004", "D"),
        card("005", "E")
    ]);
    file["cards"][0]["name"] = json!(5);
    file["cards"][1]["nme"] = json!("x");
    file["cards"][2]["attributes"]["weight"] = json!(99);
    file["cards"][3]["kind"] = json!(7);
    let text = file.to_string().replace(r#""number":"005""#, r#""number":"006","number":"005""#);
    let put = app.put("/v1/games/pebbles/sets/shore").by(&admin);
    let put = put.header("content-type", "application/json").body(format!("\u{feff}{text}"));
    let problem = put.answer().await.problem(422, "invalid_import");
    let mut reported: Vec<(&str, &str, bool)> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| {
            let text =
                |value: &'static str| error.pointer(value).and_then(Value::as_str).unwrap_or("");
            (text("/pointer"), text("/card/number"), error["code"].is_string())
        })
        .collect();
    reported.sort_unstable();
    let wanted = [
        ("/cards/0/name", "001", false),
        ("/cards/1/nme", "002", false),
        ("/cards/2/attributes/weight", "003", true),
        ("/cards/3/kind", "004", false),
        ("/cards/4/number", "005", false),
    ];
    assert_eq!(reported, wanted, "{problem:#}");
}

#[tokio::test]
async fn a_byte_order_mark_is_ignored() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let marked = |text: &str| format!("\u{feff}{text}");
    manifest(&app, &admin, "pebbles", &marked(PEBBLES)).answer().await.expect(201);
    assert_eq!(app.get("/v1/games/pebbles/manifest").answer().await.text(), PEBBLES);
    let put = app.put("/v1/games/pebbles/sets/shore").by(&admin);
    let put = put.header("content-type", "application/json").body(marked(&shore().to_string()));
    put.answer().await.expect(201);
}

/// A manifest is checked against the stored cards, not only against cards that are sent with it.
#[tokio::test]
async fn a_changed_manifest_must_allow_the_stored_cards() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    manifest(&app, &admin, "pebbles", PEBBLES).answer().await.expect(201);
    set(&app, &admin, "pebbles/sets/shore", &shore()).answer().await.expect(201);
    let change = |from: &str, to: &str| {
        let text = PEBBLES.replace(from, to);
        assert_ne!(text, PEBBLES);
        manifest(&app, &admin, "pebbles", &text).header("if-match", "\"r1\"")
    };
    let narrowed = change("max = 9", "max = 2").answer().await.problem(422, "invalid_import");
    let errors = narrowed["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 1, "{narrowed}");
    assert_eq!(errors[0]["card"], json!({ "set": "shore", "number": "002", "name": "Round One" }));
    assert_eq!(errors[0]["code"], "ATTRIBUTE_OUT_OF_RANGE");
    let detail = errors[0]["detail"].as_str().unwrap();
    assert!(
        detail.starts_with("card 002 of the stored set shore, /attributes/weight: "),
        "{detail}"
    );
    let renamed = change("attributes.weight", "attributes.mass").answer().await;
    assert_eq!(renamed.problem(422, "invalid_import")["errors"].as_array().unwrap().len(), 4);
    let text = change("type = \"integer\"\nmin = 1\nmax = 9", "type = \"text\"").answer().await;
    let text = text.problem(422, "invalid_import");
    assert_eq!(text["errors"][0]["code"], "ATTRIBUTE_TYPE_MISMATCH", "{text}");
    assert_eq!(app.get("/v1/games/pebbles/manifest").answer().await.text(), PEBBLES);
    change("max = 9", "max = 3").answer().await.expect(200);
}

/// The operator's unchanged set file keeps edits of its cards, so they must fit the manifest beside it.
#[tokio::test]
async fn an_older_manifest_must_allow_the_edits_that_an_unchanged_file_keeps() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let files = GameSource {
        manifest: SourceFile::new("game.toml", PEBBLES),
        sets: vec![SourceFile::new("shore.json", &shore().to_string())],
    };
    app.import(&files).await.unwrap();
    let hue = "[kinds.attributes.hue]\ntype = \"text\"\noptional = true\n\n[[formats]]";
    let wider = PEBBLES.replace("[[formats]]", hue);
    manifest(&app, &admin, "pebbles", &wider).header("if-match", "*").answer().await.expect(200);
    let card = app.get("/v1/games/pebbles/sets/shore/cards/001").answer().await.expect(200);
    let path = format!("/v1/cards/{}", card["id"].as_str().unwrap());
    let edit = app.patch(&path).by(&admin).header("if-match", "*");
    let edit = edit.json(&json!({ "attributes": { "hue": "slate" } }));
    edit.answer().await.expect(200);
    let faults = match app.import(&files).await {
        Err(ImportError::Refused(faults)) => faults,
        other => panic!("{other:?}"),
    };
    assert_eq!(faults.len(), 1, "{faults:?}");
    let message = &faults[0].message;
    assert!(
        message.starts_with("card 001 of the stored set shore, /attributes/hue: "),
        "{message}"
    );
    assert_eq!(app.get("/v1/games/pebbles/manifest").answer().await.text(), wider);
}

/// The same fault of many stored cards is reported as one error with a count, and the list of errors has at most 200 entries.
#[tokio::test]
async fn equal_faults_of_many_stored_cards_are_counted() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    manifest(&app, &admin, "pebbles", PEBBLES).answer().await.expect(201);
    let mut file = shore();
    file["cards"] = (0..300)
        .map(|at| json!({ "number": format!("{at:03}"), "name": format!("Stone {at}"), "kind": "pebble", "attributes": { "weight": 9 } }))
        .collect();
    set(&app, &admin, "pebbles/sets/shore", &file).answer().await.expect(201);
    let narrow = manifest(&app, &admin, "pebbles", &PEBBLES.replace("max = 9", "max = 8"));
    let problem = narrow.header("if-match", "\"r1\"").answer().await.problem(422, "invalid_import");
    let errors = problem["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 200);
    assert!(errors[0]["detail"].as_str().unwrap().contains(" in 300 places"), "{}", errors[0]);
}

/// Two edits of the same version arrive at the same time on two instances: one succeeds, the other gets 412.
#[tokio::test]
async fn only_one_of_two_simultaneous_edits_succeeds() {
    let app = TestApp::start().await;
    let other = app.second_instance();
    let admin = app.admin().await;
    manifest(&app, &admin, "pebbles", PEBBLES).answer().await.expect(201);
    for round in 1..=8 {
        let etag = format!("\"r{round}\"");
        let text = |size: usize| PEBBLES.replace("exactly = 3", &format!("exactly = {size}"));
        let one = manifest(&app, &admin, "pebbles", &text(10 + round)).header("if-match", &etag);
        let two = manifest(&other, &admin, "pebbles", &text(40 + round)).header("if-match", &etag);
        let (one, two) = tokio::join!(one.answer(), two.answer());
        let mut statuses = [one.status, two.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 412]);
    }
}

#[tokio::test]
async fn faults_are_reported_with_their_places_and_nothing_is_stored() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let broken =
        PEBBLES.replace("exactly = 3", "exactly = \"three\"").replace("max = 9", "most = 9");
    let problem =
        manifest(&app, &admin, "pebbles", &broken).answer().await.problem(422, "invalid_import");
    let pointers: Vec<&str> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| error["pointer"].as_str().unwrap())
        .collect();
    assert!(pointers.iter().any(|at| at.starts_with("/formats/0/rules/0/zone_size")), "{problem}");
    assert!(pointers.iter().any(|at| at.starts_with("/kinds/0/attributes/weight")), "{problem}");
    let problem =
        manifest(&app, &admin, "pebbles", "code = ").answer().await.problem(422, "invalid_import");
    assert_eq!(
        (&problem["errors"][0]["line"], &problem["errors"][0]["column"]),
        (&json!(1), &json!(8))
    );
    let problem =
        manifest(&app, &admin, "gravel", PEBBLES).answer().await.problem(422, "invalid_import");
    assert_eq!(problem["errors"][0]["pointer"], "/code");
    app.get("/v1/games/pebbles").answer().await.problem(404, "not_found");

    set(&app, &admin, "pebbles/sets/shore", &shore()).answer().await.problem(404, "not_found");
    manifest(&app, &admin, "pebbles", PEBBLES).answer().await.expect(201);
    let mut file = shore();
    file["cards"][1]["attributes"]["weight"] = json!(10);
    file["cards"][1]["number"] = json!("001");
    let problem = set(&app, &admin, "pebbles/sets/shore", &file).answer().await;
    let problem = problem.problem(422, "invalid_import");
    let errors = problem["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 2, "{problem}");
    assert!(
        errors.iter().any(|error| error["pointer"] == "/cards/1/attributes/weight"),
        "{problem}"
    );
    let card = json!({ "number": "001", "name": "Round One" });
    assert!(errors.iter().all(|error| error["card"] == card), "{problem}");
    let mut codes: Vec<&str> = errors.iter().map(|error| error["code"].as_str().unwrap()).collect();
    codes.sort_unstable();
    assert_eq!(codes, ["ATTRIBUTE_OUT_OF_RANGE", "NUMBER_DUPLICATE"]);
    assert!(
        errors.iter().all(|error| error["rule"] == "P-1" || error["rule"] == "cards"),
        "{problem}"
    );
    let problem = set(&app, &admin, "pebbles/sets/beach", &shore()).answer().await;
    assert_eq!(problem.problem(422, "invalid_import")["errors"][0]["pointer"], "/code");
    let problem = set(&app, &admin, "pebbles/sets/beach", &file).answer().await;
    let problem = problem.problem(422, "invalid_import");
    assert_eq!(
        problem["errors"][0]["pointer"], "/code",
        "reported together with the other faults: {problem}"
    );
    assert_eq!(problem["errors"].as_array().unwrap().len(), 3, "{problem}");
    let unknown = json!({ "code": "shore", "name": "Shore", "cards": [], "color": "grey" });
    set(&app, &admin, "pebbles/sets/shore", &unknown).answer().await.problem(422, "invalid_import");
    let half = app.put("/v1/games/pebbles/sets/shore").by(&admin);
    let half = half.header("content-type", "application/json").body("{\"code\":");
    half.answer().await.problem(400, "malformed_json");
    let half_a_pair = app.put("/v1/games/pebbles/sets/shore").by(&admin);
    let half_a_pair = half_a_pair.header("content-type", "application/json");
    let problem = half_a_pair.body("{\n \"code\": \"\\ud800\"}").answer().await;
    let problem = problem.problem(400, "malformed_json");
    assert_eq!(
        (&problem["errors"][0]["line"], &problem["errors"][0]["column"]),
        (&json!(2), &json!(11))
    );
    for (escaped, pointer) in [
        (PEBBLES.replace("\"Pebbles\"", "\"Peb\\u0000bles\""), "/name"),
        (PEBBLES.replace("\"Pebbles\"", "\"Peb\\nbles\""), "/name"),
        (PEBBLES.replace("rule = \"P-1\"", "rule = \"P-1\"\ntext = \"a\\u0000b\""), "/cards/text"),
        (format!("unlock_threshold = 100001\n{PEBBLES}"), "/unlock_threshold"),
        (PEBBLES.replace("max = 9", "max = 9999999999999999999"), "/kinds/0/attributes/weight/max"),
        (format!("{PEBBLES}\n{BAG}").replace("bag", "pouch"), "/zones/1/code"),
    ] {
        let problem = manifest(&app, &admin, "pebbles", &escaped).header("if-match", "\"r1\"");
        let problem = problem.answer().await.problem(422, "invalid_import");
        let pointers: Vec<&Value> =
            problem["errors"].as_array().unwrap().iter().map(|error| &error["pointer"]).collect();
        assert_eq!(pointers, [&json!(pointer)], "{problem}");
        assert!(problem["errors"][0]["line"].is_u64(), "{problem}");
    }
    assert_eq!(app.db().value("SELECT count(*) FROM sets").await, "0");
}

#[tokio::test]
async fn files_of_the_wrong_type_or_size_are_refused() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let json = app.put("/v1/games/pebbles/manifest").by(&admin).json(&json!({}));
    json.answer().await.problem(415, "unsupported_media_type");
    let put = || {
        let request = app.put("/v1/games/pebbles/manifest").by(&admin);
        request.header("content-type", "application/toml")
    };
    put().body(vec![b'#'; 9 * 1024 * 1024]).answer().await.problem(413, "body_too_large");
    put().body(vec![0xff, 0xfe]).answer().await.problem(400, "not_utf8");
    let packed = put().header("content-encoding", "gzip").body("");
    packed.answer().await.problem(415, "unsupported_media_type");
    put().body("code = \"a\\u0000\"").answer().await.problem(422, "invalid_import");
    put().body("").answer().await.problem(422, "invalid_import");
    let maybe = manifest(&app, &admin, "pebbles?dry_run=maybe", "");
    maybe.answer().await.problem(400, "invalid_query");
}

/// A whole set of the seed data is imported over HTTP, and its cards are hidden as after an import from the command line.
#[tokio::test]
async fn cards_of_an_imported_hidden_set_are_hidden() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let source = seed_data("ttcg");
    manifest(&app, &admin, "ttcg", &source.manifest.text).answer().await.expect(201);
    let veil = set_file(&source, "veil");
    let report = set(&app, &admin, "ttcg/sets/veil", &veil).answer().await.expect(201);
    assert_eq!(report["sets"][0]["cards_added"], veil["cards"].as_array().unwrap().len());
    let cards = app.get("/v1/cards?set=veil&game=ttcg").answer().await.expect(200);
    assert_eq!(cards["data"].as_array().unwrap().len(), veil["cards"].as_array().unwrap().len());
    assert!(cards["data"].as_array().unwrap().iter().all(|card| card["hidden"] == true), "{cards}");
    for card in veil["cards"].as_array().unwrap() {
        assert!(!cards.to_string().contains(card["name"].as_str().unwrap()));
    }
}

/// Names and texts that are stored with characters that were refused later stay as they are, and their set can be imported. New texts have no such characters.
#[tokio::test]
async fn stored_texts_with_refused_characters_refuse_no_import() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let (admin, ada) = (app.admin().await, app.player("ada").await);
    app.give_copy(&ada.id, "ttcg", "veil", "001").await;
    app.sql(
        "UPDATE card_content SET name = overlay(name PLACING '\u{202e}' FROM 2 FOR 0) FROM cards c \
          WHERE c.id = card_content.card_id AND c.set_code = 'veil' AND c.number = '001'; \
         UPDATE sets SET name = name || '\u{202e}' WHERE code = 'veil'; \
         UPDATE games SET manifest = regexp_replace(manifest, 'name = \"', 'name = \"\u{202e}'), revision = revision + 1",
    )
    .await;
    let mut veil = set_file(&seed_data("ttcg"), "veil");
    let first = veil["cards"][0]["name"].as_str().unwrap().to_owned();
    let old = format!("{}\u{202e}{}", &first[..1], &first[1..]);
    let name = format!("{}\u{202e}", veil["name"].as_str().unwrap());
    veil["cards"][0]["name"] = old.clone().into();
    veil["name"] = name.clone().into();
    veil["cards"][1]["lore"] = "Another tale.".into();
    let report = set(&app, &admin, "ttcg/sets/veil", &veil).answer().await.expect(200);
    assert_eq!(report["sets"][0]["cards_changed"], 1, "{report}");
    let refused = async |path: &str, file: &Value| {
        let problem = set(&app, &admin, path, file).answer().await.problem(422, "invalid_import");
        let errors = problem["errors"].as_array().unwrap().iter();
        errors.map(|error| error["pointer"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for (pointer, text) in [
        ("/cards/0/name", format!("{old}\u{202e}")),
        ("/cards/2/name", format!("{}\u{202e}", veil["cards"][2]["name"].as_str().unwrap())),
        ("/cards/1/lore", "Another\u{202e} tale.".to_owned()),
        ("/name", format!("{name}\u{202e}")),
    ] {
        let mut file = veil.clone();
        *file.pointer_mut(pointer).unwrap() = text.into();
        assert_eq!(refused("ttcg/sets/veil", &file).await, [pointer]);
    }
    let mut fog = veil.clone();
    (fog["code"], fog["cards"]) = ("fog".into(), json!([veil["cards"][0]]));
    fog["cards"][0]["name"] = "New\u{202e}comer".into();
    assert_eq!(refused("ttcg/sets/fog", &fog).await, ["/name", "/cards/0/name"]);
}

/// The invented game of `docs/GAMES.md`, with zones, a limit list, exemptions and a fixed box, is imported through the API without any
/// code for it. Of the decks in its folder, those whose file names begin with `legal-` are legal, the others are not.
#[tokio::test]
async fn an_invented_game_is_imported_and_its_decks_are_checked() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/games/harbour");
    let read = |file: &Path| std::fs::read_to_string(file).unwrap();
    let text = read(&folder.join("game.toml"));
    manifest(&app, &admin, "harbour", &text).answer().await.expect(201);
    let schema = app.get("/v1/games/harbour/schema").answer().await;
    assert_eq!(schema.header("content-type"), "application/schema+json");
    let schema = schema.expect(200);
    assert_eq!(schema["$id"], "/v1/games/harbour/schema");
    let schema = jsonschema::validator_for(&schema).unwrap();
    for file in std::fs::read_dir(folder.join("sets")).unwrap() {
        let file: Value = serde_json::from_str(&read(&file.unwrap().path())).unwrap();
        assert!(schema.is_valid(&file), "{:?}", schema.iter_errors(&file).collect::<Vec<_>>());
        let path = format!("harbour/sets/{}", file["code"].as_str().unwrap());
        set(&app, &admin, &path, &file).answer().await.expect(201);
    }
    let mut checked = Vec::new();
    for file in std::fs::read_dir(folder.join("decks")).unwrap() {
        let file = file.unwrap().path();
        let list = read(&file);
        let format = list.lines().find_map(|line| line.strip_prefix("// format: ")).unwrap();
        let deck = json!({ "format": format.trim(), "list": list });
        // An admin sees the cards of the hidden set, an anonymous client does not.
        let judged = app.post("/v1/deck-reports").by(&admin).json(&deck).answer().await.expect(200);
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        assert_eq!(
            judged["legal_in_all"] == true,
            name.starts_with("legal-"),
            "{name}: {judged:#}"
        );
        checked.push(name);
    }
    assert_eq!(checked.len(), 4, "{checked:?}");
}

#[tokio::test]
async fn the_schema_of_manifests_is_published() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let schema = app.get("/v1/games/ttcg/schema?of=manifest").answer().await.expect(200);
    let schema = jsonschema::validator_for(&schema).unwrap();
    let manifest: toml::Table = toml::from_str(PEBBLES).unwrap();
    assert!(schema.is_valid(&serde_json::to_value(&manifest).unwrap()));
    assert!(!schema.is_valid(&json!({ "code": "pebbles" })));
    let etag = app.get("/v1/games/ttcg/schema").answer().await.header("etag");
    let again = app.get("/v1/games/ttcg/schema").header("if-none-match", etag).answer().await;
    assert_eq!(again.status, 304);
    app.get("/v1/games/chess/schema").answer().await.problem(404, "not_found");
    app.get("/v1/games/ttcg/schema?of=everything").answer().await.problem(400, "invalid_query");
}

/// A game with reprints: the Pokémon rules of the seed data, sets with several cards of one name, and a deck that distinguishes them.
#[tokio::test]
async fn decks_of_a_game_with_reprints_are_checked() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    app.seed(&["pokemon"]).await;
    let card = |number: &str, name: &str, kind: &str, attributes: Value| json!({ "number": number, "name": name, "kind": kind, "attributes": attributes });
    let mouse = |number: &str| card(number, "Volt Mouse", "pokemon", json!({ "stage": "basic" }));
    let energy = card("3", "Spark Energy", "energy", json!({ "class": "basic" }));
    let first = json!({ "code": "one", "name": "One", "cards": [mouse("1"), mouse("2"), energy] });
    set(&app, &admin, "pokemon/sets/one", &first).answer().await.expect(201);
    let second = json!({ "code": "two", "name": "Two", "cards": [mouse("7")] });
    set(&app, &admin, "pokemon/sets/two", &second).answer().await.expect(201);
    let judge = async |list: &str| {
        let deck = json!({ "format": "pokemon/standard", "list": list });
        app.post("/v1/deck-reports").json(&deck).answer().await.expect(200)
    };
    let judged = judge("2 Volt Mouse (one) 2\n2 Volt Mouse (two) 7\n56 Spark Energy").await;
    assert_eq!(judged["reports"][0]["status"], "legal", "{judged:#}");
    let ids: Vec<&Value> =
        (0..2).map(|at| &judged["entries"][at]["card_id"]).filter(|id| id.is_string()).collect();
    assert_eq!(ids.len(), 2);
    assert_ne!(ids[0], ids[1], "each entry refers to its own card");
    let judged = judge("3 Volt Mouse (one) 2\n2 Volt Mouse (two) 7\n55 Spark Energy").await;
    let violation = &judged["reports"][0]["violations"][0];
    assert_eq!(
        violation["code"], "COPY_LIMIT_EXCEEDED",
        "the limit counts the cards of all sets: {judged:#}"
    );
    assert_eq!((&violation["limit"], &violation["actual"]), (&json!(4), &json!(5)));

    // The game has cards with the same name, so the manifest can no longer demand unique names.
    let stored = app.get("/v1/games/pokemon/manifest").answer().await;
    let unique = stored.text().replace("unique_names = false", "unique_names = true");
    let refused = manifest(&app, &admin, "pokemon", &unique);
    let refused = refused.header("if-match", stored.header("etag")).answer().await;
    let problem = refused.problem(422, "invalid_import");
    assert_eq!(problem["errors"][0]["pointer"], "/cards/unique_names", "{problem}");
}
