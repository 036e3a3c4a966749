//! Forms that are sent again while their first request still runs: the page of the answer has the same idempotency key, so that both are one request.

use serde_json::json;

use super::browser::{Browser, hold_key, release_key};
use super::frame::check;
use super::html::Page;
use super::start;
use crate::designs::{heron, shared};
use crate::support::{RequestExt as _, TestApp, text};

/// The fields of a design in the designer.
const DESIGN: [(&str, &str); 15] = [
    ("go", "save"),
    ("step", "check"),
    ("game", "ttcg"),
    ("kind", "unit"),
    ("name", "Old Heron"),
    ("attributes.type", "earth"),
    ("attributes.rank", "1"),
    ("attributes.subtypes", "beast"),
    ("attributes.attack", "200"),
    ("attributes.defense", "300"),
    ("effects.0.style", "passive"),
    ("effects.0.text", "After this card attacks, return it to your hand."),
    ("effects.1.style", "normal"),
    ("effects.1.text", "Discard one spell to gain 1 point."),
    ("licence", "release-1"),
];

/// A form with an idempotency key.
struct KeyedForm<'a> {
    /// The page that has the form.
    shown: &'a Page,
    /// Which of the keys of the page is that of the form.
    at: usize,
    /// The path that the form is sent to.
    path: &'a str,
    /// Its fields besides the key.
    fields: &'a [(&'a str, &'a str)],
    /// A query that counts what the form creates.
    count: &'a str,
}

/// The idempotency keys of the forms of a page, in their order.
fn keys(page: &Page) -> Vec<&str> {
    let fields = page.all("input").filter(|field| field.get("name") == Some("key"));
    fields.filter_map(|field| field.get("value")).collect()
}

/// Sends a form while a request with its key seems to be running, and then this form and that of the answer: both must be one request.
async fn send_again(
    app: &TestApp,
    (browser, name): (&Browser<'_>, &str),
    KeyedForm { shown, at, path, fields, count }: KeyedForm<'_>,
) {
    let before = app.db().number(count).await;
    let key = keys(shown)[at];
    let sent = [fields, &[("key", key)]].concat();
    let running = hold_key(app, name, key).await;
    let refused = browser.post(path, &sent).await;
    assert_eq!(refused.status, 409, "{path}: {}", refused.text());
    let again = check(path, &refused);
    assert_eq!(keys(&again).get(at), Some(&key), "{path}: the form keeps its key");
    release_key(&running).await;
    for _ in 0..2 {
        let answer = browser.post(path, &sent).await;
        assert!(answer.status < 400, "{path}: {} {}", answer.status, answer.text());
        assert_eq!(app.db().number(count).await, before + 1, "{path}");
    }
}

#[tokio::test]
async fn forms_of_players_keep_their_keys() {
    let app = crate::designs::app().await;
    let ada = app.player("ada").await;
    app.player("ben").await;
    let body = json!({ "name": "Embers", "format": "ttcg/standard", "visibility": "public", "list": "1 Kettle Imp" });
    let deck = app.post("/v1/decks").by(&ada).json(&body).answer().await.expect(201);
    let deck = format!("/decks/{}", text(&deck, "id"));
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    let design = design.strip_prefix("/v1").unwrap();
    let his = Browser::of(&app, "ben").await;
    let ben = (&his, "ben");

    let path = "/my/decks/new";
    let fields = [("name", "Ash"), ("format", "ttcg/standard"), ("list", "2 Kettle Imp")];
    let (shown, count) = (&his.page(path).await, "SELECT count(*) FROM decks");
    send_again(&app, ben, KeyedForm { shown, at: 0, path, fields: &fields, count }).await;

    for page in [&*deck, design] {
        let path = &format!("{page}/comments");
        let count = "SELECT count(*) FROM design_comments";
        let (shown, fields) = (&his.page(page).await, [("text", "Far too cheap.")]);
        send_again(&app, ben, KeyedForm { shown, at: 0, path, fields: &fields, count }).await;
        let listed = app.get(&format!("/v1{path}")).answer().await.expect(200);
        let comment = text(&listed["data"][0], "id");
        let (shown, fields) =
            (&his.page(page).await, [("text", "Or not?"), ("reply_to", comment.as_str())]);
        send_again(&app, ben, KeyedForm { shown, at: 1, path, fields: &fields, count }).await;
    }

    let path = "/designer";
    let (shown, count) = (&his.page(path).await, "SELECT count(*) FROM designs");
    send_again(&app, ben, KeyedForm { shown, at: 0, path, fields: &DESIGN, count }).await;
    let path = &format!("{design}/suggest");
    let fields = [&DESIGN[..], &[("revision", "1"), ("message", "Like this?")]].concat();
    let (shown, count) = (&his.page(path).await, "SELECT count(*) FROM suggested_changes");
    send_again(&app, ben, KeyedForm { shown, at: 0, path, fields: &fields, count }).await;
}

#[tokio::test]
async fn forms_of_admins_keep_their_keys() {
    let app = start().await;
    let browser = Browser::of(&app, "the admin").await;
    let admin = (&browser, "the admin");

    let path = "/admin/webhooks";
    let fields = [("url", "https://hooks.example/in"), ("kind", "card.added"), ("enabled", "on")];
    let (shown, count) = (&browser.page(path).await, "SELECT count(*) FROM webhooks");
    send_again(&app, admin, KeyedForm { shown, at: 0, path, fields: &fields, count }).await;
    let webhook = format!("{path}/{}", app.db().value("SELECT id FROM webhooks").await);
    let (shown, path) = (&browser.page(&webhook).await, &format!("{webhook}/ping"));
    let count = "SELECT count(*) FROM webhook_deliveries";
    send_again(&app, admin, KeyedForm { shown, at: 0, path, fields: &[], count }).await;
    let path = &format!("{webhook}/secret");
    let (shown, fields) = (&browser.page(path).await, [("overlap_hours", "1")]);
    let count = "SELECT max(secret_generation) FROM webhooks";
    send_again(&app, admin, KeyedForm { shown, at: 0, path, fields: &fields, count }).await;

    let id = async |number: &str| {
        let card = format!("/v1/games/ttcg/sets/hearth/cards/{number}");
        text(&app.get(&card).answer().await.expect(200), "id")
    };
    let card = format!("/admin/cards/{}", id("158").await);
    let path = &format!("{card}/rulings");
    let fields = [("kind", "ruling"), ("text", "Once."), ("published_on", "2026-11-01")];
    let (shown, count) = (&browser.page(path).await, "SELECT count(*) FROM card_rulings");
    send_again(&app, admin, KeyedForm { shown, at: 0, path, fields: &fields, count }).await;
    let path = &format!("{card}/move");
    let fields = [("set", "hearth"), ("number", "900")];
    let (shown, count) = (&browser.page(path).await, "SELECT count(*) FROM card_migrations");
    send_again(&app, admin, KeyedForm { shown, at: 0, path, fields: &fields, count }).await;

    // The form that merges a card is on the page that asks for a confirmation.
    let (path, into) = (&format!("/admin/cards/{}/merge", id("002").await), id("003").await);
    let asked = browser.post(path, &[("set", "hearth"), ("number", "003")]).await;
    let (shown, fields) = (&check(path, &asked), [("into", into.as_str()), ("note", "Twice.")]);
    send_again(&app, admin, KeyedForm { shown, at: 0, path, fields: &fields, count }).await;

    // The form that announces a run is beside its plan.
    let fields = [("set", "ttcg/hearth"), ("copies_per_card", "100")];
    let planned = browser.post("/admin/print-plans", &fields).await;
    let shown = &check("/admin/print-plans", &planned);
    let path = "/admin/print-plans/announce";
    let count = "SELECT count(*) FROM print_commitments";
    send_again(&app, admin, KeyedForm { shown, at: 0, path, fields: &fields, count }).await;
}
