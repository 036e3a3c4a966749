//! An authenticator app.

use chrono::Duration;
use serde_json::json;
use totp_rs::Totp;

use super::{Answer, Player, RequestExt as _, TestApp, text};

/// A device with the secret of an account, from the URI that the service returns.
pub struct Device(Totp);

impl Device {
    /// Reads the response to the request that begins the set-up.
    pub fn read(begun: &serde_json::Value) -> Self {
        let totp = Totp::from_url(text(begun, "uri")).unwrap();
        assert_eq!(totp.secret().to_base32(), text(begun, "secret"));
        assert_eq!(totp.issuer(), Some("Cardscape"));
        Self(totp)
    }

    /// The current code.
    pub fn code(&self, app: &TestApp) -> String {
        self.code_at(app, 0)
    }

    /// The code this many steps of 30 seconds later.
    pub fn code_at(&self, app: &TestApp, steps: i64) -> String {
        let time = app.clock().now().timestamp() + 30 * steps;
        self.0.generate(time.try_into().unwrap()).to_string()
    }
}

/// Moves the clock to the beginning of the next time step, so that a new code is valid and does not expire during the
/// following requests.
pub fn next_step(app: &TestApp) {
    let into = app.clock().now().timestamp().rem_euclid(30);
    app.clock().advance(Duration::seconds(31 - into));
}

impl TestApp {
    pub async fn begin_second_factor(&self, player: &Player) -> Device {
        let body = json!({ "current_password": player.password });
        let begun = self.post("/v1/me/second-factor").by(player).json(&body).answer().await;
        assert_eq!(begun.header("cache-control"), "no-store");
        Device::read(&begun.expect(201))
    }

    /// Sends the first code.
    pub async fn confirm_second_factor(&self, player: &Player, code: &str) -> Answer {
        let body = json!({ "code": code });
        self.post("/v1/me/second-factor/confirm").by(player).json(&body).answer().await
    }

    /// Switches a second factor on; returns the device and the recovery codes. The next code is unused.
    pub async fn enrol(&self, player: &Player) -> (Device, Vec<String>) {
        next_step(self);
        let device = self.begin_second_factor(player).await;
        let answer = self.confirm_second_factor(player, &device.code(self)).await;
        assert_eq!(answer.header("cache-control"), "no-store");
        let confirmed = answer.expect(200);
        let codes = confirmed["recovery_codes"].as_array().unwrap();
        let codes = codes.iter().map(|code| code.as_str().unwrap().to_owned()).collect();
        next_step(self);
        (device, codes)
    }

    /// Logs in with a second factor.
    pub async fn log_in_with(&self, player: &Player, second_factor: &str) -> Answer {
        let body = json!({
            "name": player.name, "password": player.password, "second_factor": second_factor,
        });
        self.post("/v1/sessions").json(&body).answer().await
    }

    /// Logs in with only the password.
    pub async fn log_in_without(&self, player: &Player) -> Answer {
        let body = json!({ "name": player.name, "password": player.password });
        self.post("/v1/sessions").json(&body).answer().await
    }
}
