//! The second factor on pages: switched on with its first code, needed at the log-in, switched off.

use cardscape::auth::permission::Role;
use cardscape::auth::second_factor::SecondFactorDemand;
use qrcode::{EcLevel, QrCode};
use serde_json::json;

use super::{Browser, actions, check, codes, fault_of, location};
use crate::support::{Device, PASSWORD, RequestExt as _, TestApp, next_step};

/// Begins to switch on a second factor, and returns the device that holds the secret.
async fn begin(browser: &mut Browser<'_>) -> Device {
    let begun = browser.send("/my/second-factor", &[("current_password", PASSWORD)]).await;
    assert_eq!(begun.status, 201, "{}", begun.text());
    assert_eq!(begun.header("content-encoding"), "");
    assert_eq!(begun.header("cache-control"), "private, no-store");
    let page = check("/my/second-factor", &begun);
    let link = page.with("href").find(|(_, address)| address.starts_with("otpauth://totp/"));
    // The picture is as large as the code of this address with its border of four modules.
    let picture = page.only("svg");
    assert_eq!((picture.get("role"), picture.get("width")), (Some("img"), Some("240")));
    assert!(picture.get("aria-label").unwrap().contains("QR code"));
    let code = QrCode::with_error_correction_level(link.as_ref().unwrap().1, EcLevel::M).unwrap();
    let side = code.width() + 8;
    assert_eq!(picture.get("viewBox"), Some(format!("0 0 {side} {side}").as_str()));
    let secret = page.all("code").find(|code| code.get("id") == Some("secret")).unwrap();
    Device::read(&json!({ "uri": link.unwrap().1, "secret": secret.text }))
}

#[tokio::test]
async fn a_second_factor_is_switched_on_used_and_switched_off() {
    let app = TestApp::start().await;
    app.player("ada").await;
    let mut browser = Browser::of(&app, "ada").await;
    next_step(&app);
    let page = browser.sent("/my/second-factor", &[("current_password", "not this")], 403).await;
    assert_eq!(fault_of(&page, "current_password"), "The password is wrong.");
    let page = browser.sent("/my/second-factor/confirm", &[("code", "123456")], 409).await;
    assert!(page.only("main").text.contains("begin again"));
    let device = begin(&mut browser).await;
    let page = browser.sent("/my/second-factor/confirm", &[("code", "12")], 403).await;
    assert!(fault_of(&page, "code").starts_with("The code is wrong"));
    assert_eq!(fault_of(&page, "current_password"), "");
    let code = device.code(&app);
    let confirmed = browser.send("/my/second-factor/confirm", &[("code", code.as_str())]).await;
    assert_eq!(confirmed.status, 200, "{}", confirmed.text());
    let first = codes(&confirmed);
    next_step(&app);

    // A log-in needs a code.
    let mut other = Browser::new(&app);
    let fields = [("name", "ada"), ("password", PASSWORD)];
    assert_eq!(other.send("/login", &fields).await.status, 401);
    let code = device.code(&app);
    let fields = [("name", "ada"), ("password", PASSWORD), ("second_factor", code.as_str())];
    assert_eq!(other.send("/login", &fields).await.status, 303);
    next_step(&app);

    let page = browser.page("/my/second-factor").await;
    assert!(page.only("main").text.contains("8 of its recovery codes are left."));
    let fields = [("password_for_codes", PASSWORD), ("code_for_codes", "12")];
    let page = browser.sent("/my/second-factor/recovery-codes", &fields, 403).await;
    assert!(fault_of(&page, "code_for_codes").starts_with("The code is wrong"));
    assert_eq!(fault_of(&page, "code"), "");
    let fields = [("password_for_codes", PASSWORD), ("code_for_codes", first[0].as_str())];
    let second = codes(&browser.send("/my/second-factor/recovery-codes", &fields).await);

    let fields = [("current_password", PASSWORD), ("code", first[1].as_str())];
    let page = browser.sent("/my/second-factor/switch-off", &fields, 403).await;
    assert!(fault_of(&page, "code").starts_with("The code is wrong"));
    let fields = [("current_password", PASSWORD), ("code", second[0].as_str())];
    let off = browser.send("/my/second-factor/switch-off", &fields).await;
    assert_eq!(location(&off), (303, "/my/account?done=second_factor_off".to_owned()));
    assert!(actions(&browser.page("/my/second-factor").await).contains(&"/my/second-factor"));
    Browser::of(&app, "ada").await;
}

#[tokio::test]
async fn too_many_wrong_codes_are_not_called_wrong_passwords() {
    let app = TestApp::start().await;
    app.begin_window();
    let ada = app.player("ada").await;
    let (device, _) = app.enrol(&ada).await;
    let wrong = device.code_at(&app, 5);
    let mut browser = Browser::new(&app);
    let fields = [("name", "ada"), ("password", PASSWORD), ("second_factor", wrong.as_str())];
    for _ in 0..10 {
        browser.sent("/login", &fields, 401).await;
    }
    let page = browser.sent("/login", &fields, 429).await;
    assert!(page.only("main").text.contains("Too many wrong passwords or codes."));
}

/// If the role of an account needs a second factor, the pages lead to the page that switches it on.
#[tokio::test]
async fn a_second_factor_that_is_due_comes_first() {
    let app = TestApp::start().await;
    app.admin().await;
    let strict = app.second_instance_with(|settings| {
        settings.second_factor_demand = SecondFactorDemand::from_role(Some(Role::Admin));
    });
    let mut browser = Browser::new(&strict);
    browser.send("/login", &[("name", "the admin"), ("password", PASSWORD)]).await;
    let leads = |page: &super::Page| {
        page.all("a").any(|link| link.get("href") == Some("/my/second-factor"))
    };
    assert!(leads(&browser.page("/my/account").await));
    let cookie = browser.cookie.clone().unwrap();
    let answer = strict.get("/my/tokens").header("cookie", &cookie).answer().await;
    assert_eq!(answer.status, 403);
    let page = check("/my/tokens", &answer);
    assert_eq!(page.only("h1").text, "Switch a second factor on first");
    assert!(leads(&page));
    let device = begin(&mut browser).await;
    let code = device.code(&strict);
    let confirmed = browser.send("/my/second-factor/confirm", &[("code", code.as_str())]).await;
    codes(&confirmed);
    browser.page("/my/tokens").await;
}
