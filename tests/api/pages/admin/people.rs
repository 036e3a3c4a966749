//! Accounts: search, roles, bans, and the removal of a second factor.

use super::{Browser, actions, leads_to, location, sent, start, text};
use crate::support::{PASSWORD, RequestExt as _};

#[tokio::test]
async fn accounts_are_found_by_name_role_and_ban() {
    let app = start().await;
    let ada = app.player("ada").await;
    app.player("Adalbert").await;
    app.player("ben").await;
    let moderator = Browser::of(&app, "the moderator").await;
    let names = async |path: &str| {
        let page = moderator.page(path).await;
        let rows = page.all("th").filter(|cell| cell.get("scope") == Some("row"));
        rows.map(|cell| cell.text.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names("/admin/people?name=ada").await, ["ada", "Adalbert"]);
    assert_eq!(names("/admin/people?role=admin").await, ["the admin"]);
    assert_eq!(names("/admin/people?name=nobody").await, Vec::<String>::new());
    let page = moderator.page("/admin/people?name=nobody").await;
    assert!(text(&page).contains("No account fits."));
    let long = format!("/admin/people?name={}", "x".repeat(33));
    let refused = moderator.get(&long).await;
    assert_eq!(refused.status, 400);
    assert!(refused.text().contains("A part of a name has 1 to 32 characters."));
    assert!(!refused.text().contains("No account fits."));
    // Moderators can read the page of an account, and cannot change the account.
    let path = format!("/admin/people/{}", ada.id);
    let page = moderator.page(&path).await;
    assert_eq!(page.only("h1").text, "ada");
    assert_eq!(actions(&page), Vec::<&str>::new());
    assert!(!leads_to(&page, &format!("/admin/audit-log?account={}", ada.id)));
}

#[tokio::test]
async fn admins_give_roles_and_ban() {
    let app = start().await;
    let ada = app.player("ada").await;
    let admin = app.log_in("the admin", PASSWORD).await;
    let browser = Browser::of(&app, "the admin").await;
    let path = format!("/admin/people/{}", ada.id);
    let find = async || {
        let account = app.get(&format!("/v1/accounts/{}", ada.id)).by(&admin).answer().await;
        account.expect(200)
    };
    let given = browser.post(&format!("{path}/role"), &[("role", "moderator")]).await;
    assert_eq!(location(&given), (303, format!("{path}?done=role")));
    assert_eq!(find().await["role"], "moderator");
    let done = browser.page(&format!("{path}?done=role")).await;
    assert!(text(&done).contains("The account has the new role."), "{}", text(&done));
    assert_eq!(browser.post(&format!("{path}/role"), &[("role", "king")]).await.status, 422);

    // The service asks for a confirmation before it bans an account.
    let page = browser.page(&format!("{path}/ban")).await;
    assert_eq!(page.only("h1").text, "Ban ada?");
    assert_eq!(actions(&page), [format!("{path}/ban")]);
    assert!(find().await.get("banned_at").is_none());
    let banned = browser.post(&format!("{path}/ban"), &[]).await;
    assert_eq!(location(&banned), (303, format!("{path}?done=banned")));
    assert!(find().await.get("banned_at").is_some());
    let page = browser.page(&path).await;
    assert!(actions(&page).contains(&&*format!("{path}/unban")));
    assert!(!leads_to(&page, &format!("{path}/ban")));
    browser.post(&format!("{path}/unban"), &[]).await;
    assert!(find().await.get("banned_at").is_none());

    // Admins cannot change their own role.
    let own = format!("/admin/people/{}", admin.id);
    assert_eq!(actions(&browser.page(&own).await), Vec::<&str>::new());
    let page = sent(&browser, &format!("{own}/role"), &[("role", "player")], 409).await;
    assert!(text(&page).contains("This is your own account."));
}

#[tokio::test]
async fn an_admin_removes_a_lost_second_factor() {
    let app = start().await;
    let ada = app.player("ada").await;
    app.enrol(&ada).await;
    let browser = Browser::of(&app, "the admin").await;
    let path = format!("/admin/people/{}", ada.id);
    let removal = format!("{path}/second-factor");
    assert!(leads_to(&browser.page(&path).await, &removal));
    let page = browser.page(&removal).await;
    assert_eq!(page.only("h1").text, "Take the second factor of ada off?");
    let off = browser.post(&removal, &[]).await;
    assert_eq!(location(&off), (303, format!("{path}?done=factor")));
    assert!(!leads_to(&browser.page(&path).await, &removal));
    let page = sent(&browser, &removal, &[], 409).await;
    assert!(text(&page).contains("The account has no second factor."));
    app.log_in("ada", PASSWORD).await;
}
