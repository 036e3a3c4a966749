//! The documentation for people: the guides, and the contract in Swagger UI.

use std::collections::BTreeSet;

use crate::support::{Answer, RequestExt as _, TestApp};

/// Values of an attribute in HTML, as our templates and the Markdown writer write it.
fn values(html: &str, attribute: &str) -> BTreeSet<String> {
    let start = format!(" {attribute}=\"");
    html.split(&start).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
}

/// The pages below `/docs/` that a page links to.
fn guides(html: &str) -> BTreeSet<String> {
    let links = values(html, "href").into_iter();
    let pages = links.filter(|link| link.starts_with("/docs/") && !link.contains('.'));
    pages.map(|link| link.split('#').next().unwrap_or_default().to_owned()).collect()
}

async fn page(app: &TestApp, path: &str) -> Answer {
    let page = app.get(path).answer().await;
    assert_eq!(page.status, 200, "{path}");
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8", "{path}");
    page
}

#[tokio::test]
async fn the_first_page_links_to_every_guide() {
    let app = TestApp::start().await;
    let home = page(&app, "/").await;
    let guides = guides(&home.text());
    for name in ["", "api", "clients", "search", "games", "violations", "effects", "operations"] {
        assert!(guides.contains(&format!("/docs/{name}")), "{name} is not among {guides:?}");
    }
    for link in values(&home.text(), "href").into_iter().filter(|link| link.starts_with('/')) {
        let mut answer = app.get(&link).answer().await;
        if answer.status == 303 {
            // A page for players redirects a client without a session to the log-in.
            let to = answer.header("location");
            assert!(to.starts_with("/login?to="), "{link} leads to {to}");
            answer = app.get(&to).answer().await;
        }
        assert_eq!(answer.status, 200, "{link}");
    }
}

#[tokio::test]
async fn programs_get_the_first_page_as_json() {
    let app = TestApp::start().await;
    let answer = app.get("/").header("accept", "application/json").answer().await;
    assert!(answer.header("vary").contains("Accept"), "{}", answer.header("vary"));
    let home = answer.expect(200);
    assert_eq!(home["version"], env!("CARGO_PKG_VERSION"));
    let guides = home["guides"].as_array().unwrap().iter().map(|guide| &guide["url"]);
    let links = ["contract", "docs", "problems", "health"].map(|name| &home[name]);
    for link in links.into_iter().chain(guides) {
        assert_eq!(app.get(link.as_str().unwrap()).answer().await.status, 200, "{link}");
    }
}

/// Every link of every guide has a target, and its anchor exists.
#[tokio::test]
async fn links_of_guides_have_targets() {
    let app = TestApp::start().await;
    for path in guides(&page(&app, "/").await.text()) {
        let html = page(&app, &path).await.text();
        for link in values(&html, "href") {
            if link.starts_with("http") {
                continue;
            }
            let (target, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if target.is_empty() { &path } else { target };
            assert!(target.starts_with('/'), "{path} links to {link}");
            let answer = app.get(target).answer().await;
            assert_eq!(answer.status, 200, "{path} links to {link}");
            if !anchor.is_empty() {
                assert!(values(&answer.text(), "id").contains(anchor), "{path} links to {link}");
            }
        }
    }
}

/// Swagger UI shows the contract with collapsed operations, a filter and our title, and without an input for other documents.
#[tokio::test]
async fn swagger_ui_has_our_settings() {
    let app = TestApp::start().await;
    let reference = page(&app, "/docs/").await.text();
    assert!(reference.contains("<title>Cardscape API</title>"), "{reference}");
    let files = values(&reference, "src");
    assert!(files.contains("/docs/swagger-initializer.js"), "{files:?}");
    for file in files {
        assert_eq!(app.get(&file).answer().await.status, 200, "{file}");
    }
    let settings = app.get("/docs/swagger-initializer.js").answer().await.text();
    for setting in [
        r#""url": "/openapi.json""#,
        r#""docExpansion": "none""#,
        r#""filter": true"#,
        r#""activated": false"#,
        "BaseLayout",
    ] {
        assert!(settings.contains(setting), "{setting} is not in {settings}");
    }
    assert!(!settings.contains("StandaloneLayout"), "its top bar has an input for other documents");
    assert_eq!(app.get("/docs").answer().await.header("location"), "/docs/");
}

/// Pages run only the script of Swagger UI, load nothing from other hosts and cannot be framed.
#[tokio::test]
async fn pages_have_a_strict_content_security_policy() {
    let app = TestApp::start().await;
    for path in guides(&page(&app, "/").await.text()) {
        let answer = page(&app, &path).await;
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none';"), "{path}: {policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
        assert_eq!(policy.contains("script-src"), path == "/docs/", "{path}: {policy}");
        let html = answer.text();
        for (attribute, list) in [("src", values(&html, "src")), ("style", values(&html, "style"))]
        {
            assert!(
                list.iter().all(|value| value.starts_with('/')),
                "{path}: {attribute} {list:?}"
            );
        }
        assert!(!html.contains("<script>"), "{path}");
    }
}

#[tokio::test]
async fn pages_can_be_cached_by_browsers() {
    let app = TestApp::start().await;
    for path in ["/docs/", "/docs/api", "/docs/cardscape.css", "/docs/swagger-ui-bundle.js"] {
        let first = app.get(path).answer().await;
        assert_eq!(first.header("cache-control"), "public, max-age=300", "{path}");
        let again = app.get(path).header("if-none-match", &first.header("etag")).answer().await;
        assert_eq!(again.status, 304, "{path}");
        let head = app.request(reqwest::Method::HEAD, path).answer().await;
        assert_eq!((head.status, head.text()), (200, String::new()), "{path}");
    }
}

#[tokio::test]
async fn unknown_guides_are_404_pages_and_posts_are_405() {
    let app = TestApp::start().await;
    for path in ["/docs/nope", "/docs/API", "/docs/../Cargo.toml", "/docs/index.css"] {
        let answer = app.get(path).answer().await;
        assert_eq!(answer.status, 404, "{path}");
        assert_eq!(answer.header("content-type"), "text/html; charset=utf-8", "{path}");
    }
    for path in ["/docs", "/docs/", "/docs/api"] {
        let answer = app.post(path).answer().await;
        assert_eq!(
            (answer.status, answer.header("allow")),
            (405, "GET, HEAD".to_owned()),
            "{path}"
        );
    }
}
