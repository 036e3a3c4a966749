//! Rules for every page: valid HTML, headers, size limits, caching, and isolation from other sites.

use std::collections::BTreeSet;

use reqwest::Method;

use super::html::Page;
use super::{PAGES, page, start};
use crate::support::{Answer, RequestExt as _, TestApp};

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Addresses that answer with an error page, and the status of each.
const FAILURES: [(&str, u16); 4] = [
    ("/nothing", 404),
    ("/cards/ttcg/hearth/999", 404),
    ("/search?q=(((", 400),
    ("/sets/ttcg/hearth?cursor=x", 400),
];

/// Checks the rules that hold for every page, and returns the parsed page.
pub fn check(path: &str, answer: &Answer) -> Page {
    for (name, value) in [
        ("content-type", "text/html; charset=utf-8"),
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "same-origin"),
        ("x-frame-options", "DENY"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("access-control-allow-origin", ""),
    ] {
        assert_eq!(answer.header(name), value, "{path}: {name}");
    }
    let html = answer.text();
    let page = Page::read(&html);
    assert_eq!(page.faults, Vec::<String>::new(), "{path}: {html}");
    assert_eq!(page.only("html").get("lang"), Some("en"), "{path}");
    assert!(page.only("title").text.contains("Cardscape"), "{path}");
    assert!(!page.only("h1").text.is_empty(), "{path}");
    assert_eq!(page.only("main").get("id"), Some("content"), "{path}");
    assert!(page.all("a").any(|link| link.get("href") == Some("#content")), "{path}");
    assert!(page.all("script").all(|script| script.get("src").is_some()), "{path}");
    for element in &page.elements {
        for attribute in element.attributes.keys() {
            assert!(attribute != "style" && !attribute.starts_with("on"), "{path}: {element:?}");
        }
    }
    let ids: Vec<&str> = page.with("id").map(|(_, id)| id).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{path}: {ids:?}");
    for (element, named) in page.with("aria-labelledby").chain(page.with("for")) {
        assert!(ids.contains(&named), "{path}: {element:?}");
    }
    let regions: Vec<&str> = page
        .with("role")
        .filter(|(_, role)| *role == "region")
        .map(|(region, _)| region.get("aria-label").unwrap_or_default())
        .collect();
    assert_eq!(regions.iter().collect::<BTreeSet<_>>().len(), regions.len(), "{path}: {regions:?}");
    for heading in page.all("h2").chain(page.all("h3")) {
        assert!(!regions.contains(&&*heading.text), "{path}: {heading:?}");
    }
    for image in page.all("img") {
        for attribute in ["alt", "width", "height"] {
            assert!(image.get(attribute).is_some(), "{path}: {image:?}");
        }
    }
    for field in page.all("input").chain(page.all("select")).chain(page.all("textarea")) {
        let is_named = page.with("for").any(|(_, named)| field.get("id") == Some(named));
        assert!(is_named || field.get("type") == Some("hidden"), "{path}: {field:?}");
    }
    for name in ["nav", "progress"] {
        assert!(
            page.all(name).all(|element| element.get("aria-label").is_some()),
            "{path}: {name}"
        );
    }
    page
}

#[tokio::test]
async fn every_page_is_valid_html_with_security_headers() {
    let app = start().await;
    for path in PAGES {
        check(path, &page(&app, path).await);
    }
    for (path, status) in FAILURES {
        let answer = app.get(path).header("origin", "https://fan.example").answer().await;
        assert_eq!(answer.status, status, "{path}");
        check(path, &answer);
    }
}

#[tokio::test]
async fn pages_send_no_cors_headers() {
    let app = start().await;
    let answer = app.get("/").header("origin", "https://fan.example").answer().await;
    assert_eq!(answer.header("access-control-allow-origin"), "");
    assert!(!answer.header("vary").contains("Origin"), "{}", answer.header("vary"));
    let preflight = app
        .request(Method::OPTIONS, "/search")
        .header("origin", "https://fan.example")
        .header("access-control-request-method", "GET");
    let preflight = preflight.answer().await;
    assert_eq!(
        (preflight.status, preflight.header("access-control-allow-methods")),
        (405, String::new())
    );
    // The API still allows requests from every site.
    let answer = app.get("/v1/games").header("origin", "https://fan.example").answer().await;
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    let encoded = app.get("/%76%31/games").header("origin", "https://fan.example").answer().await;
    assert_eq!(
        (encoded.status, encoded.header("access-control-allow-origin")),
        (200, "*".to_owned())
    );
}

/// A client that requests JSON from `/` gets the same answer as before the service had pages.
#[tokio::test]
async fn the_json_answer_of_the_first_page_allows_all_origins() {
    let app = start().await;
    let answer = app
        .get("/")
        .header("accept", "application/json")
        .header("origin", "https://fan.example")
        .answer()
        .await;
    assert_eq!(
        (answer.status, answer.header("access-control-allow-origin")),
        (200, "*".to_owned())
    );
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(answer.header("content-security-policy"), POLICY);
    for varies in ["Accept", "Origin"] {
        assert!(answer.header("vary").contains(varies), "{}", answer.header("vary"));
    }
    let preflight = app
        .request(Method::OPTIONS, "/")
        .header("origin", "https://fan.example")
        .header("access-control-request-method", "GET");
    assert_eq!(preflight.answer().await.status, 204);
}

#[tokio::test]
async fn pages_are_cached_and_revalidated() {
    let app = start().await;
    for path in PAGES {
        let first = page(&app, path).await;
        let again = app.get(path).header("if-none-match", &first.header("etag")).answer().await;
        assert_eq!((again.status, again.text()), (304, String::new()), "{path}");
        assert_eq!(again.header("content-security-policy"), POLICY, "{path}");
        assert!(first.header("cache-control").starts_with("public, max-age="), "{path}");
        let head = app.request(Method::HEAD, path).answer().await;
        assert_eq!((head.status, head.text()), (200, String::new()), "{path}");
        assert_eq!(head.header("etag"), first.header("etag"), "{path}");
    }
}

/// Limits the compressed size of pages, styles and scripts.
#[tokio::test]
async fn pages_styles_and_scripts_stay_below_their_size_limits() {
    let app = start().await;
    for path in PAGES {
        let packed = app.get(path).header("accept-encoding", "gzip").answer().await;
        assert_eq!(packed.header("content-encoding"), "gzip", "{path}");
        assert!(packed.bytes.len() <= 30 * 1024, "{path}: {}", packed.bytes.len());
    }
    let page = Page::read(&page(&app, "/").await.text());
    let styles = page.all("link").find(|link| link.get("rel") == Some("stylesheet")).unwrap();
    let packed = app.get(styles.get("href").unwrap()).header("accept-encoding", "gzip");
    let packed = packed.answer().await;
    assert!(packed.bytes.len() <= 15 * 1024, "{}", packed.bytes.len());
    let scripts: Vec<_> = page.all("script").filter_map(|script| script.get("src")).collect();
    assert_eq!(
        scripts.len(),
        2,
        "one script of all pages, and one of the wall, which shows unlocks live"
    );
    assert_eq!(page.scripts(), ["live.js"]);
    for path in PAGES.into_iter().chain(["/decks/check", "/submit"]) {
        let weight = weight_of_scripts(&app, path).await;
        assert!((1..=20 * 1024).contains(&weight), "{path}: {weight}");
    }
}

/// The compressed size in bytes of all scripts of a page, including the scripts that they import.
async fn weight_of_scripts(app: &TestApp, path: &str) -> usize {
    let page = Page::read(&page(app, path).await.text());
    let mut waiting: Vec<String> =
        page.all("script").filter_map(|script| script.get("src")).map(str::to_owned).collect();
    let (mut weight, mut seen) = (0, BTreeSet::new());
    while let Some(address) = waiting.pop() {
        let folder = address.rsplit_once('/').unwrap().0.to_owned();
        if !seen.insert(address.clone()) {
            continue;
        }
        let script = app.get(&address).answer().await;
        assert_eq!(script.status, 200, "{path}: {address}");
        let imports = script.text();
        let imports = imports.lines().filter(|line| line.starts_with("import "));
        let names = imports.filter_map(|line| line.split("\"./").nth(1)?.split('"').next());
        waiting.extend(names.map(|name| format!("{folder}/{name}")));
        weight += app.get(&address).header("accept-encoding", "gzip").answer().await.bytes.len();
    }
    weight
}

#[tokio::test]
async fn assets_are_cached_forever_only_under_their_own_hash() {
    let app = start().await;
    let page = Page::read(&page(&app, "/").await.text());
    let assets: BTreeSet<&str> = page
        .with("href")
        .chain(page.with("src"))
        .map(|(_, path)| path)
        .filter(|path| path.starts_with("/assets/"))
        .collect();
    assert_eq!(assets.len(), 5, "{assets:?}");
    for path in assets {
        let file = app.get(path).answer().await;
        assert_eq!(file.status, 200, "{path}");
        assert_eq!(file.header("cache-control"), "public, max-age=31536000, immutable", "{path}");
        assert_eq!(file.header("content-security-policy"), POLICY, "{path}");
        assert_eq!(file.header("ratelimit"), "", "{path}");
        let again = app.get(path).header("if-none-match", &file.header("etag")).answer().await;
        assert_eq!(again.status, 304, "{path}");
        // A page of another version of the service requests the file under another hash.
        let name = path.rsplit('/').next().unwrap();
        let other = app.get(&format!("/assets/0123456789abcdef/{name}")).answer().await;
        assert_eq!((other.status, &other.bytes), (200, &file.bytes), "{path}");
        assert_eq!(other.header("cache-control"), "no-cache", "{path}");
    }
    for (path, media_type) in
        [("/favicon.svg", "image/svg+xml"), ("/robots.txt", "text/plain; charset=utf-8")]
    {
        let file = app.get(path).answer().await;
        assert_eq!((file.status, file.header("content-type")), (200, media_type.to_owned()));
    }
    let robots = app.get("/robots.txt").answer().await.text();
    // Previews of links show the pictures of cards and designs.
    for line in ["Allow: /v1/cards/*/picture", "Allow: /v1/designs/*/picture", "Disallow: /v1/"]
        .into_iter()
        .chain(["Disallow: /search?", "Disallow: /decks?", "Disallow: /designs?"])
    {
        assert!(robots.lines().any(|found| found == line), "{line}: {robots}");
    }
}

#[tokio::test]
async fn preview_and_canonical_addresses_begin_with_the_public_url() {
    let app = crate::support::TestApp::start_with(|settings| {
        settings.public_url = Some("https://cards.example".to_owned());
    })
    .await;
    app.seed(&["ttcg"]).await;
    for path in
        ["/", "/games/ttcg", "/sets/ttcg/veil", "/cards/ttcg/hearth/001", "/cards/ttcg/veil/001"]
    {
        let page = Page::read(&page(&app, path).await.text());
        let address = page.meta("og:url").unwrap();
        assert_eq!(address, format!("https://cards.example{path}"));
        assert!(page.meta("og:description").is_some_and(|text| !text.is_empty()), "{path}");
        let (title, heading) = (page.meta("og:title").unwrap(), &page.only("h1").text);
        let named = title.split(" (").next().unwrap();
        assert!(heading.starts_with(named), "{path}: {title} is not {heading}");
        assert!(page.only("title").text.starts_with(named), "{path}: {named}");
        assert_eq!(page.meta("og:image").is_some(), path.starts_with("/cards/"), "{path}");
        if let Some(picture) = page.meta("og:image") {
            let picture = picture.strip_prefix("https://cards.example").unwrap();
            assert_eq!(app.get(picture).answer().await.status, 200, "{path}: {picture}");
        }
        let is_canonical = |link: &&super::html::Element| link.get("rel") == Some("canonical");
        assert_eq!(page.all("link").find(is_canonical).unwrap().get("href"), Some(address));
    }
}

/// Without a public URL, a page must not publish the address at which the container listens, because other sites cannot reach it.
#[tokio::test]
async fn without_a_public_url_pages_contain_no_absolute_address() {
    let app = crate::support::TestApp::start_with(|settings| settings.public_url = None).await;
    app.seed(&["ttcg"]).await;
    for (path, is_indexed) in [
        ("/", true),
        ("/games/ttcg", true),
        ("/sets/ttcg/veil", true),
        ("/cards/ttcg/hearth/001", true),
        ("/search", false),
    ] {
        let page = check(path, &page(&app, path).await);
        for absent in ["og:url", "og:image"] {
            assert_eq!(page.meta(absent), None, "{path}");
        }
        let is_canonical = |link: &super::html::Element| link.get("rel") == Some("canonical");
        assert!(!page.all("link").any(is_canonical), "{path}");
        let is_robots = |meta: &super::html::Element| meta.get("name") == Some("robots");
        assert_eq!(page.all("meta").any(is_robots), !is_indexed, "{path}");
    }
}
