//! The pages of moderators and admins.

mod cards;
mod decisions;
mod imports;
mod operations;
mod people;
mod printing;
mod sets;
mod start;

use super::browser::Browser;
use super::frame::check;
use super::html::Page;
use crate::support::{Answer, RequestExt as _, TestApp};

/// An id that no resource has.
const NOTHING: &str = "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11";

/// Pages for moderators and admins. [`FOR_ADMINS`] lists the pages for admins only.
const FOR_MODERATORS: [&str; 6] = [
    "/admin",
    "/admin/people",
    "/admin/reviews",
    "/admin/disputes?state=all",
    "/admin/copies",
    "/admin/reports",
];
const FOR_ADMINS: [&str; 11] = [
    "/admin/cards",
    "/admin/imports",
    "/admin/imports?of=game",
    "/admin/imports/games/ttcg",
    "/admin/sets?game=ttcg",
    "/admin/sets/ttcg/hearth",
    "/admin/print-runs",
    "/admin/print-plans",
    "/admin/announcements?set=ttcg/veil",
    "/admin/webhooks",
    "/admin/audit-log",
];

/// Buttons and forms of moderators for resources that do not exist, with the minimum of fields. [`SENT_BY_ADMINS`] lists those of admins.
const SENT_BY_MODERATORS: [(&str, &[(&str, &str)]); 4] = [
    ("/admin/reviews/ID", &[("confirmed", "true"), ("note", "Seen.")]),
    ("/admin/disputes/ID", &[("outcome", "for_owner"), ("reason", "Seen.")]),
    ("/admin/copies/ID/freeze", &[("reason", "Seen.")]),
    ("/admin/reports/ID", &[("decision", "upheld"), ("note", "Seen.")]),
];
const SENT_BY_ADMINS: [(&str, &[(&str, &str)]); 18] = [
    ("/admin/people/ID/role", &[("role", "moderator")]),
    ("/admin/people/ID/ban", &[]),
    ("/admin/people/ID/unban", &[]),
    ("/admin/people/ID/second-factor", &[]),
    ("/admin/cards/ID", &[("name", "A"), ("version", "x")]),
    ("/admin/cards/ID/document", &[("document", "{}"), ("version", "x")]),
    ("/admin/cards/ID/unlock", &[("reason", "Shown.")]),
    ("/admin/cards/ID/move", &[("set", "veil"), ("number", "900")]),
    ("/admin/cards/ID/merge", &[("set", "veil"), ("number", "001")]),
    (
        "/admin/cards/ID/rulings",
        &[("kind", "ruling"), ("text", "A."), ("published_on", "2026-11-01")],
    ),
    ("/admin/rulings/ID", &[("kind", "ruling"), ("text", "A."), ("published_on", "2026-11-01")]),
    ("/admin/rulings/ID/delete", &[("version", "x")]),
    ("/admin/sets/ttcg/none", &[("version", "x")]),
    ("/admin/announcements/ID/reveal", &[]),
    ("/admin/webhooks/ID/delete", &[("version", "x")]),
    ("/admin/webhooks/ID/secret", &[("overlap_hours", "1")]),
    ("/admin/webhooks/ID/ping", &[]),
    ("/admin/webhooks/ID/deliveries/ID/resend", &[]),
];

/// Starts a service with a game that has open and hidden cards, an admin and a moderator.
async fn start() -> TestApp {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    app.admin().await;
    app.moderator().await;
    app
}

fn location(answer: &Answer) -> (u16, String) {
    (answer.status, answer.header("location"))
}

/// The value of the first `<input>` with that name, hidden or not.
#[track_caller]
fn value<'a>(page: &'a Page, name: &str) -> &'a str {
    let named = page.all("input").find(|field| field.get("name") == Some(name));
    named.and_then(|field| field.get("value")).unwrap_or_else(|| panic!("no field {name}"))
}

/// The text of the main part of the page.
fn text(page: &Page) -> &str {
    &page.only("main").text
}

/// The addresses to which the forms of a page send POST requests.
fn actions(page: &Page) -> Vec<&str> {
    let forms = page.all("form").filter(|form| form.get("method") == Some("post"));
    forms.filter_map(|form| form.get("action")).collect()
}

/// Whether the page has a link to that path.
fn leads_to(page: &Page, path: &str) -> bool {
    page.all("a").any(|link| link.get("href") == Some(path))
}

/// Sends a form, and returns the page of the answer, which must have that status.
async fn sent(browser: &Browser<'_>, path: &str, fields: &[(&str, &str)], status: u16) -> Page {
    let answer = browser.post(path, fields).await;
    assert_eq!(answer.status, status, "{path}: {}", answer.text());
    check(path, &answer)
}

#[tokio::test]
async fn pages_are_refused_without_the_required_role() {
    let app = start().await;
    app.player("ada").await;
    let stranger = Browser::new(&app);
    let player = Browser::of(&app, "ada").await;
    let moderator = Browser::of(&app, "the moderator").await;
    let admin = Browser::of(&app, "the admin").await;
    for path in FOR_MODERATORS.iter().chain(&FOR_ADMINS) {
        let back: String = form_urlencoded::byte_serialize(path.as_bytes()).collect();
        let turned = stranger.get(path).await;
        assert_eq!(location(&turned), (303, format!("/login?to={back}")), "{path}");
        let refused = player.get(path).await;
        assert_eq!(refused.status, 403, "{path}");
        assert_eq!(check(path, &refused).only("h1").text, "You may not do this", "{path}");
        admin.page(path).await;
    }
    for path in FOR_MODERATORS {
        moderator.page(path).await;
    }
    for path in FOR_ADMINS {
        assert_eq!(moderator.get(path).await.status, 403, "{path}");
    }
}

#[tokio::test]
async fn forms_without_the_required_role_or_from_other_sites_are_refused() {
    let app = start().await;
    app.player("ada").await;
    let player = Browser::of(&app, "ada").await;
    let moderator = Browser::of(&app, "the moderator").await;
    let admin = Browser::of(&app, "the admin").await;
    let of_moderators = SENT_BY_MODERATORS.iter().map(|sent| (sent, true));
    for ((path, fields), is_moderators) in
        of_moderators.chain(SENT_BY_ADMINS.iter().map(|sent| (sent, false)))
    {
        let path = path.replace("ID", NOTHING);
        assert_eq!(player.post(&path, fields).await.status, 403, "{path}");
        let wanted = if is_moderators { 404 } else { 403 };
        assert_eq!(moderator.post(&path, fields).await.status, wanted, "{path}");
        // The deletion of a webhook or a set that does not exist succeeds, as if it had been deleted.
        let is_webhook_deletion = path.starts_with("/admin/webhooks/") && path.ends_with("/delete");
        let is_deletion = is_webhook_deletion || path == "/admin/sets/ttcg/none";
        let wanted = if is_deletion { 303 } else { 404 };
        assert_eq!(admin.post(&path, fields).await.status, wanted, "{path}");
        let foreign = app.post(&path).header("cookie", admin.cookie.as_ref().unwrap()).form(fields);
        let refused = foreign.header("sec-fetch-site", "cross-site").answer().await;
        assert_eq!(refused.status, 403, "{path}");
    }
}

/// The account page links to `/admin` only for moderators and admins.
#[tokio::test]
async fn the_account_page_links_to_the_pages_of_its_role() {
    let app = start().await;
    app.player("ada").await;
    for (name, has_link) in [("ada", false), ("the moderator", true), ("the admin", true)] {
        let page = Browser::of(&app, name).await.page("/my/account").await;
        assert_eq!(leads_to(&page, "/admin"), has_link, "{name}");
    }
}
