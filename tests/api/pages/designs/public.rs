//! The gallery, the page of a design, and the page of its author.

use serde_json::json;

use super::{Browser, begun, heron, links_to, location, page_of, shared, start};
use crate::pages::frame::check;
use crate::pages::page;
use crate::support::RequestExt as _;

const HOSTILE: &str = "<script>alert(1)</script> & <b>x</b>";

#[tokio::test]
async fn shared_designs_are_listed_and_searched() {
    let app = start().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let hers = page_of(&shared(&app, &ada, &heron("Lantern Heron")).await);
    let his = page_of(&shared(&app, &ben, &heron("Marsh Owl")).await);
    begun(&app, &ada, &heron("Kept to Herself")).await;
    let found = async |path: &str| -> Vec<String> {
        let page = check(path, &page(&app, path).await);
        let links = page.all("a").filter_map(|link| link.get("href"));
        let is_design = |link: &&str| link.starts_with("/designs/D-");
        links.filter(is_design).map(str::to_owned).collect()
    };
    assert_eq!(found("/designs").await, [his.clone(), hers.clone()]);
    assert_eq!(found("/designs?sort=name").await, [hers.clone(), his.clone()]);
    assert_eq!(found("/designs?q=by:ben&game=ttcg").await, [his]);
    assert_eq!(found("/designs?q=heron&utm_source=x").await, [hers]);
    assert!(found("/designs?q=status:official").await.is_empty());
    let text = page(&app, "/designs?game=ttcg").await.text();
    assert!(!text.contains("Kept to Herself"));
    let none = check("none", &page(&app, "/designs?q=nothing-has-this-name").await);
    assert!(none.only("main").text.contains("No design fits."));
    let refused = app.get("/designs?q=(((").answer().await;
    assert_eq!(refused.status, 400);
    let refused = check("refused", &refused);
    for message in ["This query cannot be read", "(: This parenthesis is never closed."] {
        assert!(refused.only("main").text.contains(message), "{message}");
    }
    let warned = check("warned", &page(&app, "/designs?q=coments:3+heron").await);
    let shown = &warned.only("main").text;
    assert!(
        shown.contains("coments:3: There is no field “coments”. Perhaps you mean comments?"),
        "{shown}"
    );
    for path in ["/designs?cursor=x", "/designs?sort=likes", "/designs?game=no%20code"] {
        let answer = app.get(path).answer().await;
        assert_eq!(answer.status, 400, "{path}");
        check(path, &answer);
    }
}

/// An author of whom nothing is public has no page.
#[tokio::test]
async fn a_design_links_the_page_of_its_author_if_there_is_one() {
    let app = start().await;
    let ada = app.player("ada").await;
    let design = page_of(&begun(&app, &ada, &heron("Lantern Heron")).await);
    let browser = Browser::of(&app, "ada").await;
    let has_link = async |path: &str| {
        let page = check(path, &browser.get(path).await);
        assert!(page.only("main").text.contains("ada"), "{path}");
        page.all("a").any(|link| link.get("href") == Some("/designers/ada"))
    };
    assert!(!has_link(&design).await);
    assert_eq!(browser.get("/designers/ada").await.status, 404);
    shared(&app, &ada, &heron("Marsh Owl")).await;
    assert!(has_link(&design).await);
}

/// If one game is chosen, the gallery has links that add a term to the query.
#[tokio::test]
async fn the_gallery_can_be_narrowed() {
    let app = start().await;
    let ada = app.player("ada").await;
    shared(&app, &ada, &heron("Lantern Heron")).await;
    let mut fire = heron("Ember Owl");
    fire["attributes"]["type"] = "fire".into();
    shared(&app, &ada, &fire).await;
    let narrowed = check("/designs", &page(&app, "/designs?game=ttcg&q=owl+or+heron").await);
    let path = "/designs?q=%28owl+or+heron%29+attributes.type%3Afire&game=ttcg";
    assert!(links_to(&narrowed, path), "{:?}", narrowed.all("a").collect::<Vec<_>>());
    let one = check(path, &page(&app, path).await);
    assert_eq!(one.all("li").filter(|tile| tile.has_class("tile")).count(), 1);
}

#[tokio::test]
async fn a_design_page_shows_its_texts_escaped() {
    let app = start().await;
    let ada = app.player("ada").await;
    let mut design = heron(&format!("Heron {HOSTILE}"));
    design["flavour"] = HOSTILE.into();
    design["lore"] = "Nobody has seen it *land*.\n\n<i>no</i>".into();
    design["credits"] = HOSTILE.into();
    design["effects"][1]["text"] = HOSTILE.into();
    let path = page_of(&shared(&app, &ada, &design).await);
    let answer = page(&app, &path).await;
    assert_eq!(answer.header("cache-control"), "private, no-cache");
    assert!(answer.header("vary").contains("Cookie"));
    let shown = check(&path, &answer);
    let main = &shown.only("main").text;
    for expected in [
        "After this card attacks, return it to your hand.",
        "Cardscape may print and publish it",
        "Earth",
        "Nobody has rated it yet.",
        "Nobody has commented on it yet.",
        "<i>no</i>",
    ] {
        assert!(main.contains(expected), "{expected}: {main}");
    }
    assert!(main.matches(HOSTILE).count() >= 4, "{main}");
    assert!(shown.all("em").any(|emphasis| emphasis.text == "land"));
    assert!(shown.scripts().is_empty());
    // Anonymous readers see a link to the log-in page, and no form.
    assert!(!shown.all("form").any(|form| form.get("method") == Some("post")));
    assert!(links_to(&shown, &format!("/login?to={}", path.replace('/', "%2F"))));
    let picture = app.get(&format!("{path}/picture?rarity=rare")).answer().await;
    assert_eq!((picture.status, picture.header("content-type").as_str()), (200, "image/svg+xml"));
    assert_eq!(app.get(&format!("{path}?rarity=none")).answer().await.status, 400);
    assert_eq!(app.get("/designs/D-0000000000").answer().await.status, 404);
    assert_eq!(app.get("/designs/heron").answer().await.status, 404);
}

#[tokio::test]
async fn authors_have_pages_and_are_followed() {
    let app = start().await;
    let (ada, _) = (app.player("ada").await, app.player("ben").await);
    let design = page_of(&shared(&app, &ada, &heron("Lantern Heron")).await);
    let shown = check("/designers/ada", &page_private(&app, "/designers/ada").await);
    assert!(links_to(&shown, &design));
    assert!(shown.only("main").text.contains("Log in to follow"));
    assert_eq!(app.get("/designers/ben").answer().await.status, 404);
    let his = Browser::of(&app, "ben").await;
    for (follow, followers) in [("true", 1), ("true", 1), ("false", 0)] {
        let sent = his.post("/designers/ada/follow", &[("follow", follow)]).await;
        assert_eq!(location(&sent), "/designers/ada");
        let author = app.get("/v1/authors/ada").answer().await.expect(200);
        assert_eq!(author["followers"], json!(followers));
        let page = his.page("/designers/ada").await;
        let has = |label: &str| page.all("button").any(|button| button.text == label);
        assert_eq!((has("Follow no more"), has("Follow")), (followers == 1, followers == 0));
    }
    let hers = Browser::of(&app, "ada").await;
    let own = hers.page("/designers/ada").await;
    assert!(!own.all("button").any(|button| button.text == "Follow"));
    let refused = hers.post("/designers/ada/follow", &[("follow", "true")]).await;
    assert_eq!(refused.status, 409);
    assert!(check("own", &refused).only("main").text.contains("Nobody can follow themselves."));
}

/// Requests a page without a session. The page must not be cached.
async fn page_private(app: &crate::support::TestApp, path: &str) -> crate::support::Answer {
    let answer = page(app, path).await;
    assert_eq!(answer.header("cache-control"), "private, no-store");
    answer
}

#[tokio::test]
async fn own_designs_are_listed_by_status() {
    let app = start().await;
    let ada = app.player("ada").await;
    let hers = Browser::of(&app, "ada").await;
    let none = hers.page("/my/designs").await;
    assert!(none.only("main").text.contains("You have no designs yet."));
    let draft = page_of(&begun(&app, &ada, &heron("")).await);
    let open = page_of(&shared(&app, &ada, &heron("Lantern Heron")).await);
    for (status, listed) in [
        ("", vec![&open, &draft]),
        ("?status=draft", vec![&draft]),
        ("?status=shared", vec![&open]),
        ("?status=official", vec![]),
    ] {
        let page = hers.page(&format!("/my/designs{status}")).await;
        let links = page.all("a").filter_map(|link| link.get("href"));
        let links: Vec<&str> = links.filter(|link| link.starts_with("/designs/D-")).collect();
        assert_eq!(links, listed, "{status}");
    }
    assert!(hers.page("/my/designs").await.only("main").text.contains("Design without a name"));
    assert_eq!(hers.get("/my/designs?status=lost").await.status, 400);
}
