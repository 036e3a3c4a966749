//! The pages of the progress and of the duplicates of the collection.

use serde_json::json;

use super::{Browser, check, start};
use crate::support::RequestExt as _;

#[tokio::test]
async fn sets_have_a_progress_bar_and_duplicates_are_listed() {
    let (app, ada) = start().await;
    let hers = Browser::of(&app, "ada").await;
    let empty = hers.page("/my/collection/progress").await;
    assert!(empty.only("main").text.contains("You have nothing of this game yet."));
    let extra = hers.page("/my/collection/duplicates").await;
    assert!(extra.only("main").text.contains("You have nothing beyond what you keep."));

    let body = json!({ "changes": [
        { "game": "ttcg", "set": "base", "number": "001", "rarity": "rare", "add": 3 },
        { "game": "ttcg", "set": "base", "number": "002", "rarity": "common", "add": 1 },
    ] });
    app.post("/v1/collection/changes").by(&ada).json(&body).answer().await.expect(200);
    for path in ["/my/collection/progress", "/my/collection/progress?game=ttcg"] {
        let page = hers.page(path).await;
        let bar = page.only("progress");
        assert_eq!(
            (bar.get("value"), bar.get("max"), bar.get("aria-label")),
            (Some("2"), Some("3"), Some("Set base"))
        );
        let main = &page.only("main").text;
        // The set has three cards with six printings each.
        for expected in [
            "Cards 2 of 3",
            "Printings 2 of 18",
            "Rare 1 of 3",
            "Common 1 of 3",
            "Mythic Rare 0 of 3",
        ] {
            assert!(main.contains(expected), "{expected}: {main}");
        }
    }
    let page = hers.page("/my/collection/duplicates").await;
    let row = page.only("tbody");
    assert!(
        row.text.contains("The base card, numbered 001!") && row.text.ends_with("3 0 2"),
        "{row:?}"
    );
    let page = hers.page("/my/collection/duplicates?over=2&game=ttcg").await;
    assert!(page.only("tbody").text.ends_with("3 0 1"));
    let page = hers.page("/my/collection/duplicates?over=3").await;
    assert!(page.only("main").text.contains("You have nothing beyond what you keep."));
    for over in ["0", "x", "10000"] {
        let refused = hers.get(&format!("/my/collection/duplicates?over={over}")).await;
        assert_eq!(refused.status, 400, "{over}");
        let page = check("over", &refused);
        let field = page.all("input").find(|field| field.get("id") == Some("over")).unwrap();
        assert_eq!((field.get("value"), field.get("aria-invalid")), (Some(over), Some("true")));
    }
    assert_eq!(hers.get("/my/collection/progress?game=none").await.status, 400);
}
