//! Webhooks and the audit log.

use super::{Browser, check, leads_to, location, sent, start, text, value};
use crate::support::{PASSWORD, RequestExt as _};

#[tokio::test]
async fn a_webhook_is_created_once_and_its_secret_is_shown_once() {
    let app = start().await;
    let admin = app.log_in("the admin", PASSWORD).await;
    let browser = Browser::of(&app, "the admin").await;
    let list = async || {
        let page = app.get("/v1/webhooks").by(&admin).answer().await.expect(200);
        page["data"].as_array().unwrap().clone()
    };
    let page = sent(&browser, "/admin/webhooks", &[("url", "ftp://x")], 422).await;
    assert!(page.all("p").any(|text| text.get("id") == Some("url_fault")));
    assert!(page.fault_of_group("kinds").contains("Choose at least one kind of event."));
    let key = value(&page, "key").to_owned();
    let fields = [
        ("url", "https://hooks.example/in"),
        ("description", "Mirror <b>"),
        ("game", ""),
        ("kind", "card.unlocked"),
        ("kind", "set.changed"),
        ("enabled", "on"),
        ("key", &*key),
    ];
    let created = browser.post("/admin/webhooks", &fields).await;
    assert_eq!(created.status, 201, "{}", created.text());
    // The browser accepts compressed answers, but the service does not compress an answer with a secret (BREACH).
    assert_eq!(created.header("content-encoding"), "");
    let page = check("/admin/webhooks", &created);
    let secret = page.all("code").find(|code| code.get("id") == Some("secret")).unwrap();
    assert!(secret.text.starts_with("whsec_"), "{}", secret.text);
    let again = browser.post("/admin/webhooks", &fields).await;
    assert!(!again.text().contains("whsec_") && again.text().contains("was shown before"));
    let stored = list().await;
    assert_eq!(stored.len(), 1);
    assert_eq!(stored[0]["kinds"], serde_json::json!(["card.unlocked", "set.changed"]));
    let path = format!("/admin/webhooks/{}", stored[0]["id"].as_str().unwrap());
    assert!(leads_to(&browser.page("/admin/webhooks").await, &path));

    let page = browser.page(&path).await;
    assert_eq!(page.only("h1").text, "Mirror <b>");
    assert!(!text(&page).contains("whsec_"));
    let version = value(&page, "version").to_owned();
    let change = |url: &'static str, version: &str| {
        vec![
            ("url", url.to_owned()),
            ("kind", "card.added".to_owned()),
            ("version", version.to_owned()),
        ]
    };
    let send = async |path: &str, fields: Vec<(&str, String)>| {
        let fields: Vec<(&str, &str)> =
            fields.iter().map(|(name, text)| (*name, &**text)).collect();
        browser.post(path, &fields).await
    };
    // A browser does not send a checkbox that is not checked, so this form turns the webhook off.
    // A double click, or a form that is sent again because its answer was lost, is no conflict.
    for _ in 0..2 {
        let changed = send(&path, change("https://hooks.example/one", &version)).await;
        assert_eq!(location(&changed), (303, format!("{path}?done=changed")));
    }
    let stored = list().await;
    assert_eq!(
        (&stored[0]["url"], &stored[0]["enabled"]),
        (&"https://hooks.example/one".into(), &false.into())
    );
    let stale = send(&path, change("https://hooks.example/two", &version)).await;
    assert_eq!(stale.status, 412);
    let page = check(&path, &stale);
    assert!(text(&page).contains("https://hooks.example/one"));
    assert_eq!(value(&page, "url"), "https://hooks.example/two");
    let again = send(&path, change("https://hooks.example/two", value(&page, "version"))).await;
    assert_eq!(again.status, 303);
    let page = sent(&browser, &format!("{path}/ping"), &[], 409).await;
    assert!(text(&page).contains("The webhook is off."));

    let page = sent(&browser, &format!("{path}/secret"), &[("overlap_hours", "900")], 422).await;
    assert!(text(&page).contains("Type a whole number from 0 to 168."));
    let created = browser.post(&format!("{path}/secret"), &[("overlap_hours", "0")]).await;
    assert!(created.text().contains("whsec_") && created.header("content-encoding").is_empty());
    assert_eq!(list().await[0]["secret_generation"], 2);

    let page = browser.page(&format!("{path}/delete")).await;
    let deletion = [("version", value(&page, "version"))];
    assert_eq!(
        browser.post(&format!("{path}/delete"), &[("version", &*version)]).await.status,
        412
    );
    // A double click gets the same answer as a single click.
    for _ in 0..2 {
        let deleted = browser.post(&format!("{path}/delete"), &deletion).await;
        assert_eq!(location(&deleted), (303, "/admin/webhooks?done=deleted".to_owned()));
        assert!(list().await.is_empty());
    }
}

#[tokio::test]
async fn deliveries_are_listed_and_sent_again() {
    let app = start().await;
    let admin = app.log_in("the admin", PASSWORD).await;
    let browser = Browser::of(&app, "the admin").await;
    let webhook = serde_json::json!({ "url": "https://hooks.example/in", "kinds": ["card.added"] });
    let created = app.post("/v1/webhooks").by(&admin).json(&webhook).answer().await.expect(201);
    let path = format!("/admin/webhooks/{}", created["id"].as_str().unwrap());
    let deliveries = format!("{path}/deliveries");
    assert!(text(&browser.page(&deliveries).await).contains("There is no such delivery."));
    let key = value(&browser.page(&path).await, "key").to_owned();
    for _ in 0..2 {
        let pinged = browser.post(&format!("{path}/ping"), &[("key", &*key)]).await;
        assert_eq!(location(&pinged), (303, format!("{deliveries}?done=pinged")));
    }
    let page = browser.page(&deliveries).await;
    let resend: Vec<&str> = super::actions(&page);
    let [resend] = resend[..] else { panic!("expected one delivery: {resend:?}") };
    // A double click sends the delivery again once. A page that is loaded later has another key, and sends it once more.
    let resent = async || {
        let page = app.get("/v1/audit-log?action=webhook.delivery_resent").by(&admin);
        page.answer().await.expect(200)["data"].as_array().unwrap().len()
    };
    let key = value(&page, "key").to_owned();
    for _ in 0..2 {
        let again = browser.post(resend, &[("key", &*key)]).await;
        assert_eq!(location(&again), (303, format!("{deliveries}?done=resent")));
        assert_eq!(resent().await, 1);
    }
    let key = value(&browser.page(&deliveries).await, "key").to_owned();
    browser.post(resend, &[("key", &*key)]).await;
    assert_eq!(resent().await, 2);
    assert!(super::actions(&browser.page(&format!("{deliveries}?state=failed")).await).is_empty());
}

#[tokio::test]
async fn the_audit_log_is_filtered() {
    let app = start().await;
    let ada = app.player("ada").await;
    let browser = Browser::of(&app, "the admin").await;
    let path = format!("/admin/people/{}", ada.id);
    browser.post(&format!("{path}/role"), &[("role", "moderator")]).await;
    let rows = async |query: &str| {
        let page = browser.page(&format!("/admin/audit-log{query}")).await;
        page.all("tr").filter(|row| row.text.contains("account.changed")).count()
    };
    assert_eq!(rows("").await, 1);
    for (query, count) in [
        ("?account=ada", 1),
        ("?actor=the+admin", 1),
        ("?actor=ada", 0),
        ("?action=account", 1),
        ("?action=game", 0),
        ("?from=2100-01-01", 0),
        ("?until=2100-01-01&account=&target=", 1),
    ] {
        assert_eq!(rows(query).await, count, "{query}");
    }
    let target = format!("/admin/audit-log?target=account:{}", ada.id);
    let page = browser.page(&target).await;
    assert!(leads_to(&page, &path));
    let mut details = page.all("td").filter(|cell| cell.has_class("details"));
    assert!(details.any(|cell| cell.text.contains("moderator")), "{}", text(&page));
    // Values that lie deeper are named by the keys that lead to them.
    app.sql(
        "INSERT INTO audit_log (id, action, target, details, created_at) \
         VALUES (gen_random_uuid(), 'game.changed', 'game:ttcg', \
                 '{\"change\":{\"part\":\"template 7\",\"rarities\":[\"gold\",\"silver\"]},\"sets\":[{\"set\":\"hearth\"}]}', clock_timestamp()), \
                (gen_random_uuid(), 'webhook.deleted', 'webhook:1', '{}', clock_timestamp())",
    )
    .await;
    let page = browser.page("/admin/audit-log?target=game:ttcg").await;
    let details = page.all("td").find(|cell| cell.has_class("details")).unwrap();
    for part in
        ["change.part", "template 7", "change.rarities", "gold, silver", "sets.1.set", "hearth"]
    {
        assert!(details.text.contains(part), "{part}: {}", details.text);
    }
    let page = browser.page("/admin/audit-log?target=webhook:1").await;
    let details = page.all("td").find(|cell| cell.has_class("details")).unwrap();
    assert_eq!(details.text.trim(), "");
    for query in ["?action=A.B", "?target=x", "?from=soon", "?account=a"] {
        let refused = browser.get(&format!("/admin/audit-log{query}")).await;
        assert_eq!(refused.status, 400, "{query}");
        assert!(text(&check(query, &refused)).contains("This did not work"), "{query}");
    }
}
