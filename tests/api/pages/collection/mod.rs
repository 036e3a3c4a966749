//! The pages of the counted collection.

mod counts;
mod files;
mod progress;

use super::browser::Browser;
use super::frame::check;
use super::html::Page;
use crate::support::{Player, RequestExt as _, TestApp};

/// Starts a service with an open set, a hidden set, and a player.
async fn start() -> (TestApp, Player) {
    let app = TestApp::start().await;
    app.import_set("base", 3, false).await;
    app.import_set("dusk", 1, true).await;
    let ada = app.player("ada").await;
    (app, ada)
}

/// The `<input>` fields of the form that contains the button with that `aria-label`, and the `step` of the button.
fn fields<'a>(page: &'a Page, label: &str) -> Vec<(&'a str, &'a str)> {
    let at = |element: &crate::pages::html::Element| {
        element.name == "button" && element.get("aria-label") == Some(label)
    };
    let button = page.elements.iter().position(at).unwrap_or_else(|| panic!("no button {label}"));
    let form = page.elements[..button].iter().rposition(|element| element.name == "form").unwrap();
    let inputs = page.elements[form..button].iter().filter(|element| element.name == "input");
    let mut fields: Vec<(&str, &str)> = inputs
        .map(|input| (input.get("name").unwrap(), input.get("value").unwrap_or_default()))
        .collect();
    fields.push(("step", page.elements[button].get("value").unwrap()));
    fields
}

#[tokio::test]
async fn pages_need_a_session_and_forms_of_other_sites_are_refused() {
    let (app, _) = start().await;
    let mut stranger = Browser::new(&app);
    let ada = Browser::of(&app, "ada").await;
    for path in [
        "/my/collection",
        "/my/collection/progress",
        "/my/collection/duplicates",
        "/my/collection/import",
        "/my/collection/export",
    ] {
        let turned = stranger.get(path).await;
        let back = format!("/login?to={}", path.replace('/', "%2F"));
        assert_eq!((turned.status, turned.header("location")), (303, back), "{path}");
        if !path.ends_with("export") {
            ada.page(path).await;
        }
    }
    let commit = format!("/my/collection/import/{}", uuid::Uuid::nil());
    let edit = "/my/collection/import/edit";
    for path in ["/my/collection", "/my/collection/import", edit, &commit] {
        assert_eq!(stranger.send(path, &[]).await.status, 401, "{path}");
        let cookie = ada.cookie.as_ref().unwrap();
        let form = app.post(path).header("cookie", cookie).form(&[("step", "more")]);
        let refused = form.header("sec-fetch-site", "cross-site").answer().await;
        assert_eq!(refused.status, 403, "{path}");
    }
}
