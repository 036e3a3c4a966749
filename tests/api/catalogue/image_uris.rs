//! Addresses of pictures in answers about cards and printings, and scans that a manifest defines.

use serde_json::{Value, json};

use super::bulk_files::unpack;
use super::card_pictures::POND;
use crate::support::{Player, RequestExt as _, TestApp, in_memory, until};

const SCANS: &str = "https://cdn.example.org/{game}/{set}/{number}-{rarity}.jpg";

fn manifest(scan: &str) -> String {
    format!("{POND}\n[images]\nscan = \"{scan}\"\n")
}

/// Imports the manifest, and replaces the stored one if there is one.
async fn import(app: &TestApp, admin: &Player, manifest: &str) {
    let path = "/v1/games/pond/manifest";
    let known = app.get(path).answer().await;
    let request = app.put(path).by(admin).header("content-type", "application/toml");
    let request = match known.status {
        200 => request.header("if-match", known.header("etag")),
        _ => request,
    };
    let answer = request.body(manifest.to_owned()).answer().await;
    assert!(matches!(answer.status, 200 | 201), "{}", answer.text());
}

/// Creates a game with scans: the open set `shore` and the hidden set `reef`. The second card of each set has only a golden printing.
async fn pond(app: &TestApp) -> Player {
    let admin = app.admin().await;
    import(app, &admin, &manifest(SCANS)).await;
    let golden = json!([{ "rarity": "golden" }]);
    let both = json!([{ "rarity": "plain" }, { "rarity": "golden" }]);
    for (set, hidden, names) in [("shore", false, ["Carp", "Koi"]), ("reef", true, ["Eel", "Ray"])]
    {
        let set_file = json!({
            "code": set, "name": set, "hidden": hidden,
            "cards": [
                { "number": "001", "name": names[0], "kind": "fish", "printings": both },
                { "number": "002", "name": names[1], "kind": "fish", "printings": golden },
            ],
        });
        let path = format!("/v1/games/pond/sets/{set}");
        app.put(&path).by(&admin).json(&set_file).answer().await.expect(201);
    }
    admin
}

async fn read(app: &TestApp, path: &str) -> Value {
    app.get(path).answer().await.expect(200)
}

fn scan_of(place: &str) -> Value {
    json!(format!("https://cdn.example.org/pond/{place}.jpg"))
}

/// This holds for answers from the database and from memory, and for every request that returns cards.
#[tokio::test]
async fn every_answer_about_a_card_has_its_image_uris() {
    for app in [TestApp::start().await, TestApp::start_with(in_memory).await] {
        let admin = pond(&app).await;
        let place = "/v1/games/pond/sets/shore/cards/001";
        let card = read(&app, place).await;
        let path = format!("/v1/cards/{}", card["id"].as_str().unwrap());
        let uris = json!({
            "svg": format!("{path}/picture"), "png": format!("{path}/picture?format=png"),
            "scan": scan_of("shore/001-plain"),
        });
        assert_eq!(card["image_uris"], uris);
        for _ in 0..2 {
            for path in [&path, place, "/v1/cards/named?exact=carp", "/v1/cards/random?q=carp"] {
                assert_eq!(read(&app, path).await["image_uris"], uris, "{path}");
            }
            for query in
                ["game=pond&set=shore&limit=1", "q=carp", "q=carp&fields=image_uris,number"]
            {
                let page = read(&app, &format!("/v1/cards?{query}")).await;
                assert_eq!(page["data"][0]["image_uris"], uris, "{query}");
            }
            let page = read(&app, "/v1/cards?q=carp&fields=name").await;
            assert_eq!(page["data"][0].get("image_uris"), None);
            let wanted = json!({ "identifiers": [{ "id": card["id"] }, { "game": "pond", "name": "Carp" }] });
            let found = app.post("/v1/cards/lookup").json(&wanted).answer().await.expect(200);
            for at in 0..2 {
                assert_eq!(found["data"][at]["image_uris"], uris);
            }
            // Each printing has the scan of its own rarity; a card has the scan of its lowest printing.
            let page = read(&app, "/v1/cards?set=shore&unique=printings").await;
            let listed: Vec<&Value> =
                page["data"].as_array().unwrap().iter().map(|entry| &entry["printing"]).collect();
            let scans = ["shore/001-plain", "shore/001-golden", "shore/002-golden"].map(scan_of);
            assert_eq!(listed.len(), scans.len(), "{page}");
            for (printing, scan) in listed.iter().zip(&scans) {
                assert_eq!(printing["image_uris"]["scan"], *scan);
            }
            assert_eq!(page["data"][2]["image_uris"]["scan"], scans[2]);
            let own = read(&app, &format!("{path}/printings")).await;
            let own: Vec<&Value> = own["data"].as_array().unwrap().iter().collect();
            assert_eq!(own, listed[..2]);
            let golden = format!("{path}/picture?rarity=golden");
            let uris =
                json!({ "svg": golden, "png": format!("{golden}&format=png"), "scan": scans[1] });
            assert_eq!(own[1]["image_uris"], uris);
        }
        for (kind, media_type) in [("svg", "image/svg+xml"), ("png", "image/png")] {
            let picture = app.get(uris[kind].as_str().unwrap()).answer().await;
            assert_eq!(
                (picture.status, picture.header("content-type").as_str()),
                (200, media_type)
            );
        }
        // The ETag of an answer with image URIs is valid for an edit, and the answer to the edit contains the URIs as well.
        let tag = app.get(&path).by(&admin).answer().await.header("etag");
        let edit = app.patch(&path).by(&admin).header("if-match", tag);
        let edited = edit.json(&json!({ "lore": "Old." })).answer().await.expect(200);
        assert_eq!((&edited["lore"], &edited["image_uris"]), (&json!("Old."), &uris));
    }
}

/// This also holds for cached answers, and for other caches, which send `If-Modified-Since`.
#[tokio::test]
async fn a_new_manifest_changes_the_addresses_of_scans() {
    let app = TestApp::start_with(in_memory).await;
    let admin = pond(&app).await;
    let place = "/v1/games/pond/sets/shore/cards/001";
    let scan = async |app: &TestApp| {
        let answer = app.get(place).answer().await;
        (answer.header("etag"), answer.json()["image_uris"].get("scan").cloned())
    };
    let first = app.get(place).answer().await;
    assert_eq!(scan(&app).await.1, Some(scan_of("shore/001-plain")));
    app.clock().advance(chrono::Duration::minutes(5));
    import(&app, &admin, &manifest("/scans/{id}.png")).await;
    let moved = scan(&app).await;
    let id = first.json()["id"].clone();
    assert_eq!(moved.1, Some(json!(format!("/scans/{}.png", id.as_str().unwrap()))));
    assert_ne!(moved.0, first.header("etag"));
    let since = app.get(place).header("if-modified-since", first.header("last-modified"));
    since.answer().await.expect(200);

    // Another instance replaces the manifest, and this instance learns about it from the change feed.
    let other = app.second_instance();
    app.clock().advance(chrono::Duration::minutes(5));
    import(&other, &admin, POND).await;
    until("the card has no scan", async |_| scan(&app).await.1.is_none()).await;
    assert_eq!(scan(&app).await, scan(&other).await);
}

/// No account gets the address of a scan of a hidden card, because the host of the scan does not know who may see the card.
#[tokio::test]
async fn a_hidden_card_has_no_scan() {
    let app = TestApp::start().await;
    let admin = pond(&app).await;
    let (ada, moderator) = (app.player("ada").await, app.moderator().await);
    app.give_copy(&ada.id, "pond", "reef", "001").await;
    let place = "/v1/games/pond/sets/reef/cards/001";
    let card = read(&app, place).await;
    let path = format!("/v1/cards/{}", card["id"].as_str().unwrap());
    let drawn =
        json!({ "svg": format!("{path}/picture"), "png": format!("{path}/picture?format=png") });
    assert_eq!(card["image_uris"], drawn);
    let printings = format!("{path}/printings");
    for by in [&ada, &moderator] {
        let seen = app.get(place).by(by).answer().await.expect(200);
        assert_eq!((&seen["name"], &seen["image_uris"]), (&json!("Eel"), &drawn));
        let seen = app.get(&printings).by(by).answer().await.expect(200);
        let golden = &seen["data"][1]["image_uris"];
        assert_eq!(golden["svg"], format!("{path}/picture?rarity=golden"));
        assert_eq!(golden.get("scan"), None);
        let listed = "/v1/cards?set=reef&unique=printings&q=name:eel";
        let page = app.get(listed).by(by).answer().await.expect(200);
        assert_eq!(page["data"][0]["image_uris"], drawn);
        assert_eq!(page["data"][1]["printing"]["image_uris"], *golden);
    }
    let unlock = app.post(&format!("{path}/unlock")).by(&admin);
    unlock.json(&json!({ "reason": "Launch." })).answer().await.expect(200);
    assert_eq!(read(&app, place).await["image_uris"]["scan"], scan_of("reef/001-plain"));
    let seen = read(&app, &printings).await;
    assert_eq!(seen["data"][1]["image_uris"]["scan"], scan_of("reef/001-golden"));
}

/// A bulk file contains the same addresses as the answers to an anonymous client.
#[tokio::test]
async fn bulk_files_have_the_addresses_of_pictures() {
    let app = TestApp::start().await;
    pond(&app).await;
    app.build_bulk_files().await;
    let file = app.get("/v1/bulk-files/pond-cards.ndjson.gz").answer().await;
    let lines = unpack(&file.bytes);
    let mut count = 0;
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let path = format!("/v1/cards/{}", line["id"].as_str().unwrap());
        assert_eq!(line["image_uris"], read(&app, &path).await["image_uris"]);
        let printings = read(&app, &format!("{path}/printings")).await;
        assert_eq!(line["printings"], printings["data"]);
        count += 1;
    }
    assert_eq!(count, 4);
}

#[tokio::test]
async fn an_invalid_scan_template_is_refused() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let put =
        app.put("/v1/games/pond/manifest").by(&admin).header("content-type", "application/toml");
    let problem = put.body(manifest("javascript:{number}")).answer().await;
    let problem = problem.problem(422, "invalid_import");
    assert_eq!(problem["errors"][0]["pointer"], "/images/scan", "{problem}");
}
