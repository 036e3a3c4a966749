//! Secrets of webhooks, and signatures with them as Standard Webhooks specifies: HMAC-SHA256 over id, time and body.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

use super::keys::KeyRing;
use crate::domain::ids::WebhookId;

/// The secret that the service shares with the receiver of a webhook. It is not stored: it is derived from the key ring, the webhook's id and the generation.
pub struct WebhookSecret(Zeroizing<Vec<u8>>);

impl WebhookSecret {
    /// The secret of a webhook in a generation.
    pub fn derive(keys: &KeyRing, webhook: WebhookId, generation: i32) -> Self {
        let parts: [&[u8]; 2] = [webhook.0.as_bytes(), &generation.to_be_bytes()];
        Self(Zeroizing::new(keys.lookup("webhook secret", &parts).to_vec()))
    }

    /// The secret in the form that receivers configure: `whsec_` and base64.
    pub fn reveal(&self) -> Zeroizing<String> {
        Zeroizing::new(format!("whsec_{}", BASE64.encode(&*self.0)))
    }

    /// The signature of a message: `v1,` and base64.
    pub fn sign(&self, id: &str, at: DateTime<Utc>, body: &[u8]) -> String {
        #[allow(clippy::expect_used, reason = "HMAC takes a key of any length")]
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes a key of any length");
        mac.update(format!("{id}.{}.", at.timestamp()).as_bytes());
        mac.update(body);
        format!("v1,{}", BASE64.encode(mac.finalize().into_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example from the tests of the Standard Webhooks libraries.
    #[test]
    fn a_signature_matches_the_example_of_standard_webhooks() {
        let secret = BASE64.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let at = DateTime::from_timestamp(1_614_265_330, 0).unwrap();
        let signature = WebhookSecret(Zeroizing::new(secret)).sign(
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            at,
            br#"{"test": 2432232314}"#,
        );
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn each_webhook_and_generation_has_a_secret_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        KeyRing::create(&path).unwrap();
        let keys = KeyRing::load(&path).unwrap();
        let (one, other) = (WebhookId::generate(), WebhookId::generate());
        let secret = |webhook, generation| {
            WebhookSecret::derive(&keys, webhook, generation).reveal().to_string()
        };
        assert_eq!(secret(one, 1), secret(one, 1));
        assert_ne!(secret(one, 1), secret(one, 2));
        assert_ne!(secret(one, 1), secret(other, 1));
        assert!(secret(one, 1).starts_with("whsec_") && secret(one, 1).len() == 50);
    }
}
