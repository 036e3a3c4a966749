//! The pages of copies, lists, trades, players and disputes.

mod blocks;
mod disputes;
mod lists;
mod offers;
mod own;
mod players;
mod trades;

use super::browser::Browser;
use super::frame::check;
use super::html::{Element, Page};
use crate::support::{PaperCard, Player, RequestExt as _, TestApp};

/// An id that no resource has.
const NOTHING: &str = "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11";

/// Starts a service with a hidden set, its printed cards, and two players.
async fn two_players() -> (TestApp, Vec<PaperCard>, Player, Player) {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, true).await;
    let cards = app.print("dusk", 10).await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    (app, cards, ada, ben)
}

/// The value of the first `<input>` with that name.
#[track_caller]
fn value<'a>(page: &'a Page, name: &str) -> &'a str {
    let named = |field: &&Element| field.get("name") == Some(name);
    page.all("input").find(named).and_then(|field| field.get("value")).unwrap()
}

/// The targets of the links on the page.
fn links(page: &Page) -> Vec<&str> {
    page.all("a").filter_map(|link| link.get("href")).collect()
}

/// The addresses to which the forms of the page are sent, without the search form.
fn actions(page: &Page) -> Vec<&str> {
    page.all("form").filter_map(|form| form.get("action")).filter(|to| *to != "/search").collect()
}

/// The name of the current section.
#[track_caller]
fn section(page: &Page) -> &str {
    let here = |link: &&Element| link.get("aria-current") == Some("page");
    // The first link to the current page is in the navigation of all pages.
    &page.all("a").filter(here).nth(1).unwrap().text
}

#[tokio::test]
async fn pages_need_a_session_and_forms_of_other_sites_are_refused() {
    let (app, ..) = two_players().await;
    let mut stranger = Browser::new(&app);
    let ada = Browser::of(&app, "ada").await;
    let pages = [
        ("/my/copies", "Copies"),
        ("/my/lists", "Wants and haves"),
        ("/my/lists/wants", "Wants and haves"),
        ("/my/lists/haves", "Wants and haves"),
        ("/trades", "Trades"),
        ("/trades/new", "Trades"),
        ("/trades/find", "Trades"),
        ("/disputes", "Disputes"),
    ];
    for (path, heading) in pages {
        let turned = stranger.get(path).await;
        let back = format!("/login?to={}", path.replace('/', "%2F"));
        assert_eq!((turned.status, turned.header("location")), (303, back), "{path}");
        assert_eq!(section(&ada.page(path).await), heading, "{path}");
    }
    for path in ["my/copies", "trades", "disputes"] {
        assert_eq!(ada.get(&format!("/{path}/{NOTHING}")).await.status, 404, "{path}");
    }
    for path in ["/my/lists/other", "/players/nobody", "/players/x", "/my/copies/x"] {
        assert_eq!(ada.get(path).await.status, 404, "{path}");
    }
    let forms = [
        "/my/lists/wants".to_owned(),
        "/trades/new".to_owned(),
        format!("/trades/{NOTHING}/accept"),
        format!("/trades/{NOTHING}/decline"),
        format!("/trades/{NOTHING}/cancel"),
        format!("/trades/{NOTHING}/counter"),
        format!("/disputes/{NOTHING}"),
        format!("/disputes/{NOTHING}/withdraw"),
    ];
    for path in &forms {
        let turned = stranger.send(path, &[]).await;
        assert_eq!(turned.status, 401, "{path}");
        let cookie = ada.cookie.as_ref().unwrap();
        let form = app.post(path).header("cookie", cookie).form(&[("step", "send")]);
        let refused = form.header("sec-fetch-site", "cross-site").answer().await;
        assert_eq!(refused.status, 403, "{path}");
        check(path, &refused);
    }
}

/// An account that must change its password first may open no other page.
#[tokio::test]
async fn nothing_is_shown_before_the_password_is_changed() {
    use cardscape::auth::permission::Role;
    let app = TestApp::start().await;
    app.created_by_operator("new one", Role::Player, crate::support::PASSWORD).await;
    let mut browser = Browser::new(&app);
    let fields = [("name", "new one"), ("password", crate::support::PASSWORD)];
    assert_eq!(browser.send("/login", &fields).await.status, 303);
    for path in ["/my/copies", "/my/lists/wants", "/trades", "/trades/new", "/disputes"] {
        let refused = browser.get(path).await;
        assert_eq!(refused.status, 403, "{path}");
        assert_eq!(check(path, &refused).only("h1").text, "Change the password first", "{path}");
    }
}
