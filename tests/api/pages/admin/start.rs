//! The start page of moderators and admins.

use cardscape::auth::permission::Role;

use super::{Browser, leads_to, start, text};
use crate::support::{PASSWORD, TestApp};

/// An operator has created the first admin. The service contains nothing else.
#[tokio::test]
async fn a_new_service_lists_the_first_steps() {
    let app = TestApp::start().await;
    app.created_by_operator("boss", Role::Admin, "first password").await;
    let mut boss = Browser::new(&app);
    boss.send("/login", &[("name", "boss"), ("password", "first password")]).await;
    let page = boss.page("/admin").await;
    assert!(leads_to(&page, "/my/password") && text(&page).contains("Before players come"));
    // Before the password change, the page shows nothing that needs the permissions of the role.
    assert!(!leads_to(&page, "/admin/reviews") && !text(&page).contains("Nothing waits"));
    let fields = [("current_password", "first password"), ("new_password", PASSWORD)];
    boss.send("/my/password", &fields).await;
    let page = boss.page("/admin").await;
    assert!(!leads_to(&page, "/my/password"));
    assert!(text(&page).contains("Change your password Done"), "{}", text(&page));
    for (step, path) in [
        ("Appoint a second admin", "/admin/people"),
        ("Import a game", "/admin/imports?of=game"),
        ("Import a set", "/admin/imports"),
    ] {
        assert!(text(&page).contains(step) && leads_to(&page, path), "{step}");
        assert!(!text(&page).contains(&format!("{step} Done")), "{step}");
    }
    app.seed(&["ttcg"]).await;
    app.admin().await;
    let page = boss.page("/admin").await;
    assert!(!text(&page).contains("Before players come"), "{}", text(&page));
    assert!(text(&page).contains("Nothing waits"));
}

#[tokio::test]
async fn moderators_see_open_tasks_and_no_tools_of_admins() {
    let app = start().await;
    let page = Browser::of(&app, "the moderator").await.page("/admin").await;
    for path in ["/admin/reviews", "/admin/disputes", "/admin/reports", "/reviews/designs"] {
        assert!(leads_to(&page, path), "{path}");
    }
    // Reviews of submissions and of designs, reports and disputes.
    assert_eq!(text(&page).matches("Nothing waits").count(), 4, "{}", text(&page));
    for path in ["/admin/imports", "/admin/webhooks", "/admin/audit-log"] {
        assert!(!leads_to(&page, path), "{path}");
    }
    let page = Browser::of(&app, "the admin").await.page("/admin").await;
    assert!(leads_to(&page, "/admin/imports") && leads_to(&page, "/admin/webhooks"));
}
