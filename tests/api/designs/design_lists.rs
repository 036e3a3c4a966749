//! The list of the own designs of an author, and the gallery.

use serde_json::{Value, json};

use super::{app, begun, changed, heron, shared};
use crate::support::RequestExt as _;

fn names(page: &Value) -> Vec<&str> {
    page["data"].as_array().unwrap().iter().map(|design| design["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn the_gallery_lists_shared_designs_newest_first() {
    let app = app().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    begun(&app, &ada, &heron("A Draft")).await;
    for name in ["Pond Heron", "Reed Heron", "Marsh Crane"] {
        shared(&app, &ada, &heron(name)).await;
        app.clock().advance(chrono::Duration::seconds(1));
    }
    let spell = json!({ "kind": "spell", "attributes": { "type": "earth" }, "effects": [] });
    shared(&app, &bob, &changed(heron("Still Water"), &spell)).await;

    let list =
        async |query: &str| app.get(&format!("/v1/designs{query}")).answer().await.expect(200);
    let all = list("").await;
    assert_eq!(names(&all), ["Still Water", "Marsh Crane", "Reed Heron", "Pond Heron"]);
    assert_eq!(all["data"][0]["author"], "bob");
    let first = list("?limit=3").await;
    let cursor = first["next_cursor"].as_str().unwrap();
    assert_eq!(names(&first).len(), 3);
    assert_eq!(names(&list(&format!("?limit=3&cursor={cursor}")).await), ["Pond Heron"]);
    assert_eq!(names(&list("?name=heron&game=TTCG").await), ["Reed Heron", "Pond Heron"]);
    assert_eq!(names(&list("?author=BOB").await), ["Still Water"]);
    assert_eq!(names(&list("?kind=spell").await), ["Still Water"]);
    assert_eq!(names(&list("?status=approved").await), Vec::<&str>::new());
    assert_eq!(names(&list("?status=shared&limit=1").await), ["Still Water"]);

    for (query, pointer) in [
        ("?game=ttgc", "?game"),
        ("?status=done", "?status"),
        ("?author=..", "?author"),
        ("?order=desc", "?order"),
    ] {
        let wrong = app.get(&format!("/v1/designs{query}")).answer().await;
        let problem = wrong.problem(400, "invalid_query");
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{problem}");
    }
    let wrong = app.get("/v1/designs?cursor=e30").answer().await;
    wrong.problem(400, "invalid_cursor");
}

#[tokio::test]
async fn own_designs_are_listed_with_drafts() {
    let app = app().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    begun(&app, &ada, &heron("A Draft")).await;
    shared(&app, &ada, &heron("Pond Heron")).await;
    begun(&app, &bob, &heron("Bob's Draft")).await;
    let list = async |query: &str| {
        app.get(&format!("/v1/me/designs{query}")).by(&ada).answer().await.expect(200)
    };
    assert_eq!(names(&list("").await), ["Pond Heron", "A Draft"]);
    assert_eq!(names(&list("?status=draft").await), ["A Draft"]);
    let first = list("?limit=1&game=ttcg").await;
    let cursor = first["next_cursor"].as_str().unwrap();
    assert_eq!(names(&list(&format!("?limit=1&game=ttcg&cursor={cursor}")).await), ["A Draft"]);
}
