//! Pages escape the texts of cards and of readers.

use super::frame::check;
use super::{page, start};
use crate::support::{RequestExt as _, TestApp, edit_set, seed_data};

const HOSTILE: &str = "<script>alert(1)</script>\"><img src=x onerror='alert(2)'> & </main>";

#[tokio::test]
async fn hostile_texts_of_the_catalogue_are_escaped() {
    let app = TestApp::start().await;
    let mut source = seed_data("ttcg");
    edit_set(&mut source, "hearth", |set| {
        set["name"] = HOSTILE.into();
        let card = &mut set["cards"][0];
        card["name"] = HOSTILE.into();
        card["lore"] = HOSTILE.into();
        card["effects"][0]["text"] = HOSTILE.into();
    });
    source.manifest.text =
        source.manifest.text.replacen("name = \"TTCG\"", &format!("name = '''{HOSTILE}'''"), 1);
    app.import(&source).await.unwrap();
    let card = app.get("/v1/games/ttcg/sets/hearth/cards/001").answer().await.expect(200);
    let admin = app.admin().await;
    let ruling = serde_json::json!({
        "kind": "ruling", "text": HOSTILE, "published_on": "2026-11-01", "source": HOSTILE,
    });
    let path = format!("/v1/cards/{}/rulings", card["id"].as_str().unwrap());
    app.post(&path).by(&admin).json(&ruling).answer().await.expect(201);
    for (path, times) in [
        ("/", 1),
        ("/games/ttcg", 2),
        ("/sets/ttcg/hearth", 3),
        ("/cards/ttcg/hearth/001", 7),
        ("/search?game=ttcg", 2),
        ("/search?as=list", 2),
        ("/search?q=set:hearth&as=text", 3),
    ] {
        let page = check(path, &page(&app, path).await);
        let main = &page.only("main").text;
        assert!(main.matches(HOSTILE).count() >= times, "{path}: {main}");
        let foreign = |image: &super::html::Element| image.get("src") == Some("x");
        let is_ours = |script: &super::html::Element| {
            script.get("src").is_some_and(|path| path.starts_with("/assets/"))
        };
        assert!(!page.all("img").any(foreign) && page.all("script").all(is_ours), "{path}");
    }
}

#[tokio::test]
async fn hostile_queries_are_escaped() {
    let app = start().await;
    for query in
        [HOSTILE, "\"><script>alert(1)</script>", "(((<b>", "atack>3 <i>x</i>", "t:<svg/onload=x>"]
    {
        let q: String = form_urlencoded::byte_serialize(query.as_bytes()).collect();
        for path in [format!("/search?q={q}"), format!("/search?q={q}&game=ttcg&as=list")] {
            let answer = app.get(&path).answer().await;
            assert!([200, 400].contains(&answer.status), "{path}: {}", answer.status);
            let page = check(&path, &answer);
            let field = page.all("input").find(|field| field.get("id") == Some("q")).unwrap();
            assert_eq!(field.get("value"), Some(query));
            assert!(page.scripts().is_empty() && page.all("svg").next().is_none());
        }
    }
    for parameter in ["game", "sort", "order", "as", "cursor"] {
        let q: String = form_urlencoded::byte_serialize(HOSTILE.as_bytes()).collect();
        let path = format!("/search?{parameter}={q}");
        check(&path, &app.get(&path).answer().await);
    }
}
