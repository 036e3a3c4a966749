//! The permission matrix of pages: one row for every mounted address. Every kind of reader requests every address.

use std::collections::BTreeSet;
use std::path::Path;

use super::browser::Browser;
use super::frame::check;
use crate::permissions::SOME;
use crate::support::{Answer, RequestExt as _, TestApp};
use Needs::{Admin, Anyone, Moderator, Player};

/// The account that an address needs. Except for `Anyone`, a GET request without a session is redirected to the log-in page, and a POST request gets a 401 page
/// that contains the form. A logged-in account without the permission gets a 403.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Needs {
    /// No account.
    Anyone,
    /// Any account.
    Player,
    /// A moderator or an admin.
    Moderator,
    Admin,
}

/// An address, what a GET request needs, and what a POST request needs. `None`: the address does not have this method.
type Row = (&'static str, Option<Needs>, Option<Needs>);

const fn page(path: &'static str, needs: Needs) -> Row {
    (path, Some(needs), None)
}

const fn form(path: &'static str, needs: Needs) -> Row {
    (path, Some(needs), Some(needs))
}

const fn action(path: &'static str, needs: Needs) -> Row {
    (path, None, Some(needs))
}

#[rustfmt::skip]
const ROWS: &[Row] = &[
    page("/", Anyone),
    page("/assets/{hash}/{file}", Anyone),
    page("/favicon.svg", Anyone),
    page("/robots.txt", Anyone),
    page("/docs", Anyone),
    page("/docs/{file:.*}", Anyone),
    // Catalogue
    page("/cards/{game}/{set}/{number}", Anyone),
    page("/games/{game}", Anyone),
    page("/sets/{game}/{set}", Anyone),
    page("/search", Anyone),
    page("/search/help", Anyone),
    // Serial codes: the code that an anonymous reader types is carried through the log-in.
    form("/submit", Anyone),
    ("/submit/batch", Some(Player), Some(Anyone)),
    page("/pictures/{card}", Anyone),
    // Accounts
    form("/login", Anyone),
    action("/logout", Anyone),
    form("/join", Anyone),
    form("/recover", Anyone),
    page("/my/account", Player),
    action("/my/account/settings", Player),
    action("/my/sessions/{session}/end", Player),
    form("/my/password", Player),
    form("/my/recovery-codes", Player),
    form("/my/second-factor", Player),
    action("/my/second-factor/confirm", Player),
    action("/my/second-factor/switch-off", Player),
    action("/my/second-factor/recovery-codes", Player),
    form("/my/tokens", Player),
    action("/my/tokens/{token}/revoke", Player),
    page("/my/events", Player),
    page("/my/events/newest", Anyone),
    action("/my/events/settings", Player),
    // Decks
    page("/decks", Anyone),
    form("/decks/check", Anyone),
    page("/decks/{deck}", Anyone),
    page("/decks/{deck}/chart", Anyone),
    page("/decks/{deck}/export", Anyone),
    page("/decks/{deck}/qr.svg", Anyone),
    page("/decks/{deck}/proxies", Anyone),
    page("/decks/{deck}/revisions", Anyone),
    page("/decks/{deck}/revisions/{revision}", Anyone),
    action("/decks/{deck}/restore", Player),
    form("/decks/{deck}/copy", Player),
    action("/decks/{deck}/like", Player),
    action("/decks/{deck}/watch", Player),
    action("/decks/{deck}/follow", Player),
    action("/decks/{deck}/comments", Player),
    form("/decks/{deck}/comments/{comment}", Player),
    action("/decks/{deck}/comments/{comment}/delete", Player),
    page("/decks/{deck}/comments/{comment}/replies", Anyone),
    action("/decks/{deck}/comments/{comment}/hide", Player),
    action("/decks/{deck}/comments/{comment}/show", Player),
    page("/decks/{deck}/hidden-comments", Player),
    form("/decks/{deck}/report", Player),
    form("/decks/{deck}/edit", Player),
    action("/decks/{deck}/edit/file", Player),
    action("/decks/{deck}/delete", Player),
    action("/decks/{deck}/undelete", Player),
    page("/my/decks", Player),
    form("/my/decks/new", Player),
    action("/my/decks/new/file", Player),
    // Collection
    form("/my/collection", Player),
    page("/my/collection/progress", Player),
    page("/my/collection/duplicates", Player),
    page("/my/collection/export", Player),
    form("/my/collection/import", Player),
    action("/my/collection/import/edit", Player),
    action("/my/collection/import/{import}", Player),
    // Copies, lists, trades, disputes
    page("/my/copies", Player),
    page("/my/copies/{copy}", Player),
    page("/my/lists", Player),
    form("/my/lists/{kind}", Player),
    page("/trades", Player),
    form("/trades/new", Player),
    page("/trades/find", Player),
    page("/trades/{trade}", Player),
    form("/trades/{trade}/accept", Player),
    action("/trades/{trade}/decline", Player),
    action("/trades/{trade}/cancel", Player),
    form("/trades/{trade}/counter", Player),
    page("/players/{player}", Anyone),
    form("/players/{player}/report", Player),
    action("/players/{player}/block", Player),
    action("/players/{player}/unblock", Player),
    page("/my/blocks", Player),
    page("/disputes", Player),
    form("/disputes/{dispute}", Player),
    action("/disputes/{dispute}/withdraw", Player),
    // Designs
    page("/designs", Anyone),
    page("/designs/{design}", Anyone),
    page("/designs/{design}/picture", Anyone),
    form("/designs/{design}/edit", Player),
    form("/designs/{design}/suggest", Player),
    form("/designs/{design}/artwork", Player),
    form("/designs/{design}/steps/{step}", Player),
    page("/designs/{design}/revisions", Player),
    action("/designs/{design}/restore", Player),
    action("/designs/{design}/rating", Player),
    action("/designs/{design}/comments", Player),
    form("/designs/{design}/comments/{comment}", Player),
    action("/designs/{design}/comments/{comment}/delete", Player),
    page("/designs/{design}/comments/{comment}/replies", Anyone),
    action("/designs/{design}/comments/{comment}/hide", Player),
    action("/designs/{design}/comments/{comment}/show", Player),
    page("/designs/{design}/hidden-comments", Player),
    form("/designs/{design}/report", Player),
    page("/designs/{design}/suggestions", Player),
    page("/designs/{design}/suggestions/{suggestion}", Player),
    action("/designs/{design}/suggestions/{suggestion}/answer", Player),
    page("/my/designs", Player),
    page("/my/artworks/{artwork}", Player),
    form("/designer", Player),
    page("/designer/picture", Player),
    page("/designers/{author}", Anyone),
    action("/designers/{author}/follow", Player),
    form("/designers/{author}/report", Player),
    page("/reviews/designs", Moderator),
    form("/reviews/designs/{design}", Moderator),
    action("/reviews/designs/{design}/claim", Moderator),
    action("/reviews/designs/{design}/return", Moderator),
    action("/reviews/designs/{design}/revoke", Moderator),
    form("/reviews/designs/{design}/release", Admin),
    // Moderators and admins
    page("/admin", Moderator),
    page("/admin/print-runs", Admin),
    page("/admin/print-runs/{run}", Admin),
    form("/admin/print-plans", Admin),
    action("/admin/print-plans/announce", Admin),
    page("/admin/announcements", Admin),
    page("/admin/announcements/{commitment}", Admin),
    form("/admin/announcements/{commitment}/reveal", Admin),
    form("/admin/webhooks", Admin),
    form("/admin/webhooks/{webhook}", Admin),
    form("/admin/webhooks/{webhook}/delete", Admin),
    form("/admin/webhooks/{webhook}/secret", Admin),
    action("/admin/webhooks/{webhook}/ping", Admin),
    page("/admin/webhooks/{webhook}/deliveries", Admin),
    action("/admin/webhooks/{webhook}/deliveries/{delivery}/resend", Admin),
    page("/admin/audit-log", Admin),
    page("/admin/people", Moderator),
    page("/admin/people/{account}", Moderator),
    action("/admin/people/{account}/role", Admin),
    form("/admin/people/{account}/ban", Admin),
    action("/admin/people/{account}/unban", Admin),
    form("/admin/people/{account}/second-factor", Admin),
    page("/admin/reviews", Moderator),
    form("/admin/reviews/{submission}", Moderator),
    page("/admin/disputes", Moderator),
    form("/admin/disputes/{dispute}", Moderator),
    page("/admin/copies", Moderator),
    page("/admin/copies/{copy}", Moderator),
    form("/admin/copies/{copy}/{action}", Moderator),
    page("/admin/reports", Moderator),
    form("/admin/reports/{report}", Moderator),
    form("/admin/imports", Admin),
    action("/admin/imports/run", Admin),
    page("/admin/imports/games/{game}", Admin),
    form("/admin/sets", Admin),
    form("/admin/sets/{game}/{set}", Admin),
    page("/admin/cards", Admin),
    form("/admin/cards/{card}", Admin),
    form("/admin/cards/{card}/document", Admin),
    form("/admin/cards/{card}/unlock", Admin),
    form("/admin/cards/{card}/move", Admin),
    form("/admin/cards/{card}/merge", Admin),
    form("/admin/cards/{card}/rulings", Admin),
    form("/admin/rulings/{ruling}", Admin),
    form("/admin/rulings/{ruling}/delete", Admin),
];

/// The addresses that the modules of `src/web` mount, each with whether it has a page (GET) and whether it accepts a form (POST).
fn mounted() -> BTreeSet<(String, bool, bool)> {
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/web");
    let folders = std::fs::read_dir(&web).unwrap().map(|entry| entry.unwrap().path());
    let files = folders.map(|folder| folder.join("mod.rs")).chain([web.join("mod.rs")]);
    let sources = files.filter_map(|file| std::fs::read_to_string(file).ok());
    let mut found = BTreeSet::new();
    for source in sources {
        for (name, is_read, is_sent) in
            [("page!(", true, false), ("form!(", true, true), ("action!(", false, true)]
        {
            for call in source.split(name).skip(1) {
                let path = call.split('"').nth(1).unwrap();
                assert!(found.insert((path.to_owned(), is_read, is_sent)), "{path} twice");
            }
        }
    }
    found
}

/// Replaces the parameters of an address: by existing values where there are any, and otherwise by an id that no resource has.
fn address(path: &str) -> String {
    let mut address = String::new();
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('{') {
        let (parameter, after) = after.split_once('}').unwrap();
        address.push_str(before);
        address.push_str(match parameter {
            "game" => "ttcg",
            "set" => "hearth",
            "number" => "001",
            "kind" => "wants",
            "step" => "share",
            "action" => "freeze",
            "name" | "player" | "author" => "ada",
            "file" | "file:.*" => "nothing",
            _ => SOME,
        });
        rest = after;
    }
    address + rest
}

/// Checks the answer to a reader with the permissions of `standing`.
fn check_permission(what: &str, answer: &Answer, needs: Needs, standing: Needs) {
    let location = answer.header("location");
    let is_sent_to_log_in = if what.starts_with("POST") {
        answer.status == 401 && answer.text().contains("<form method=\"post\"")
    } else {
        answer.status == 303 && location.starts_with("/login")
    };
    assert!(answer.status < 500, "{what}: {}", answer.text());
    if answer.header("content-type").starts_with("text/html") && !what.contains("/docs") {
        check(what, answer);
    }
    if standing >= needs {
        assert!(answer.status != 403 && !is_sent_to_log_in, "{what}: {}", answer.text());
    } else if standing == Anyone {
        assert!(is_sent_to_log_in, "{what}: {} {location}", answer.status);
    } else {
        assert_eq!(answer.status, 403, "{what}: {}", answer.text());
        assert_eq!(answer.header("cache-control"), "no-store", "{what}");
    }
}

#[test]
fn every_address_has_a_row() {
    let rows: BTreeSet<_> = ROWS
        .iter()
        .map(|(path, read, sent)| ((*path).to_owned(), read.is_some(), sent.is_some()))
        .collect();
    assert_eq!(rows.len(), ROWS.len(), "two rows have the same address");
    let mounted = mounted();
    assert!(mounted.len() > 30, "the sources were not found: {mounted:?}");
    assert_eq!(mounted, rows);
}

/// A browser may load the address of a button again, after the answer to a refused form.
#[tokio::test]
async fn addresses_of_buttons_lead_to_pages() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    app.admin().await;
    let browser = Browser::of(&app, "the admin").await;
    let pages: BTreeSet<String> =
        ROWS.iter().filter(|row| row.1.is_some()).map(|row| address(row.0)).collect();
    for (path, ..) in ROWS.iter().filter(|row| row.1.is_none()) {
        let turned = browser.get(&address(path)).await;
        let to = turned.header("location");
        let page = to.split('?').next().unwrap_or_default();
        assert!(turned.status == 303 && pages.contains(page), "{path}: {} {to}", turned.status);
    }
}

/// The first request of a session loads the account from the database, which takes longer than the check of an empty form.
#[tokio::test]
async fn a_missing_permission_is_reported_before_faults_of_the_form() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    app.moderator().await;
    for (path, _, sent) in ROWS {
        if *sent == Some(Admin) {
            let browser = Browser::of(&app, "the moderator").await;
            let answer = browser.post(&address(path), &[]).await;
            assert_eq!(answer.status, 403, "{path}: {}", answer.text());
        }
    }
}

#[tokio::test]
async fn every_page_follows_the_permission_matrix() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    app.player("ada").await;
    app.moderator().await;
    app.admin().await;
    let readers = [
        (Anyone, Browser::new(&app)),
        (Player, Browser::of(&app, "ada").await),
        (Moderator, Browser::of(&app, "the moderator").await),
        (Admin, Browser::of(&app, "the admin").await),
    ];
    // The log-out ends the sessions of the readers, so it comes last.
    let (last, first): (Vec<&Row>, Vec<&Row>) = ROWS.iter().partition(|row| row.0 == "/logout");
    for (path, read, sent) in first.into_iter().chain(last) {
        let address = address(path);
        for (standing, browser) in &readers {
            if let Some(needs) = read {
                let what = format!("GET {address} by {standing:?}");
                let answer = browser.get(&address).await;
                check_permission(&what, &answer, *needs, *standing);
                if *needs > Anyone && answer.status == 200 {
                    assert_eq!(answer.header("cache-control"), "private, no-store", "{what}");
                }
            }
            if let Some(needs) = sent {
                let what = format!("POST {address} by {standing:?}");
                // First a form of another site: it is refused for every reader.
                let foreign = app.post(&address).header("sec-fetch-site", "cross-site").form(&[]);
                let foreign = match &browser.cookie {
                    Some(cookie) => foreign.header("cookie", cookie),
                    None => foreign,
                };
                assert_eq!(foreign.answer().await.status, 403, "{what} from another site");
                check_permission(&what, &browser.post(&address, &[]).await, *needs, *standing);
            }
        }
    }
}
