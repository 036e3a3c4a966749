//! The pages of designs.

mod designer;
mod feedback;
mod public;
mod releases;
mod reviews;
mod steps;

use cardscape::domain::designs::identifier::DesignCode;

use super::browser::Browser;
use super::html::Page;
use crate::designs::{app as start, begun, heron, shared};
use crate::support::{Answer, RequestExt as _};

/// The path of the page of a design, from its path in the API.
fn page_of(path: &str) -> String {
    path.strip_prefix("/v1").unwrap().to_owned()
}

/// The target of an answer that must be a redirect.
fn location(answer: &Answer) -> String {
    assert_eq!(answer.status, 303, "{}", answer.text());
    answer.header("location")
}

/// The value of the first `<input>` with that name.
fn value<'a>(page: &'a Page, name: &str) -> &'a str {
    let field = page.all("input").find(|field| field.get("name") == Some(name));
    field.and_then(|field| field.get("value")).unwrap_or_else(|| panic!("no field {name}"))
}

/// Whether the page has a link to this path.
fn links_to(page: &Page, path: &str) -> bool {
    page.all("a").any(|link| link.get("href") == Some(path))
}

/// The addresses of all forms about a design.
fn forms(design: &str) -> Vec<String> {
    let some = "00000000-0000-7000-8000-000000000001";
    let mut forms: Vec<String> = [
        "edit",
        "suggest",
        "artwork",
        "steps/share",
        "steps/submit",
        "steps/withdraw",
        "steps/delete",
        "restore",
        "rating",
        "comments",
        "report",
    ]
    .map(|form| format!("{design}/{form}"))
    .to_vec();
    for form in ["comments/", "suggestions/"] {
        let last = if form == "comments/" { "/delete" } else { "/answer" };
        forms.push(format!("{design}/{form}{some}{last}"));
    }
    forms.push(format!("{design}/comments/{some}"));
    for form in ["", "/claim", "/return", "/revoke", "/release"] {
        forms.push(format!("/reviews{design}{form}"));
    }
    forms.push("/designer".to_owned());
    forms.push("/designers/ada/follow".to_owned());
    forms.push("/designers/ada/report".to_owned());
    forms
}

#[tokio::test]
async fn forms_need_a_session_and_forms_of_other_sites_are_refused() {
    let app = start().await;
    let ada = app.player("ada").await;
    let design = page_of(&shared(&app, &ada, &heron("Lantern Heron")).await);
    for form in forms(&design) {
        let sent = |site| app.post(&form).header("sec-fetch-site", site).form(&[("go", "save")]);
        assert_eq!(sent("cross-site").answer().await.status, 403, "{form}");
        assert_eq!(sent("same-origin").answer().await.status, 401, "{form}");
    }
    for path in ["/my/designs", "/designer", "/reviews/designs"] {
        let to = location(&app.get(path).answer().await);
        assert!(to.starts_with("/login?to="), "{path}: {to}");
    }
    let hers = Browser::of(&app, "ada").await;
    for path in ["/reviews/designs", &format!("/reviews{design}")] {
        assert_eq!(hers.get(path).await.status, 403, "{path}");
    }
}

/// For other accounts, a draft answers as if it did not exist.
#[tokio::test]
async fn drafts_of_other_accounts_are_not_found() {
    let app = start().await;
    let (ada, _) = (app.player("ada").await, app.player("ben").await);
    let draft = page_of(&begun(&app, &ada, &heron("Lantern Heron")).await);
    let his = Browser::of(&app, "ben").await;
    for way in
        ["", "/picture", "/edit", "/suggest", "/artwork", "/steps/share", "/revisions", "/report"]
    {
        let path = format!("{draft}{way}");
        assert_eq!(his.get(&path).await.status, 404, "{path}");
    }
    for (way, fields) in [
        ("/edit", &[("go", "save"), ("version", "1")][..]),
        ("/steps/share", &[("version", "1")]),
        ("/restore", &[("version", "1"), ("revision", "1")]),
        ("/comments", &[("text", "Hm.")]),
    ] {
        let path = format!("{draft}{way}");
        assert_eq!(his.post(&path, fields).await.status, 404, "{path}");
    }
    // The form gets the same answer as for a deleted design: it reveals nothing, and deletes nothing.
    let nobodys = format!("/designs/{}", DesignCode::from_random([7; 9]));
    for missing in [&draft, &nobodys] {
        let sent = his.post(&format!("{missing}/steps/delete"), &[("version", "1")]).await;
        assert_eq!(location(&sent), "/my/designs");
    }
    assert_eq!(app.get(&draft).answer().await.status, 404);
    let hers = Browser::of(&app, "ada").await;
    let own = hers.page(&draft).await;
    assert!(own.only("main").text.contains("Only you see it."));
    assert!(links_to(&own, &format!("{draft}/steps/share")));
    assert!(links_to(&own, &format!("{draft}/steps/delete")));
    assert!(!links_to(&own, &format!("{draft}/steps/withdraw")));
}
