//! The second factor: time-based one-time passwords (TOTP, RFC 6238) with the only parameters that every authenticator app supports: SHA-1,
//! six digits, 30 seconds.

use chrono::{DateTime, Duration, Utc};
use totp_rs::{Builder, Secret, Totp};
use zeroize::Zeroizing;

use super::keys::KeyRing;
use super::permission::Role;
use super::sealed::{self, OpenError, Sealed};
use super::secret::{RecoveryCode, TokenHash, random};
use crate::domain::ids::AccountId;

/// How long the set-up of a second factor waits for its first code. After that, the set-up must be started again.
pub const ENROLMENT_LIFETIME: Duration = Duration::minutes(30);
/// Bytes of a secret: the 160 bits that RFC 4226 (4, R6) recommends.
const SECRET: usize = 20;
const DIGITS: usize = 6;
/// Number of time steps before and after the current one whose codes are accepted, because clocks differ and people type slowly.
const SKEW: u16 = 1;

/// The secret that the service shares with the authenticator device of an account's owner.
pub struct TotpSecret(Zeroizing<[u8; SECRET]>);

impl TotpSecret {
    /// A new secret.
    pub fn generate() -> Self {
        Self(Zeroizing::new(random()))
    }

    /// Encrypts the secret for the database.
    pub fn seal(&self, keys: &KeyRing, owner: AccountId) -> Sealed {
        sealed::seal(keys, owner, &*self.0)
    }

    /// Decrypts a secret from the database.
    pub fn open(keys: &KeyRing, owner: AccountId, sealed: &Sealed) -> Result<Self, OpenError> {
        let bytes = sealed::open(keys, owner, sealed)?;
        let bytes = <[u8; SECRET]>::try_from(bytes.as_slice()).map_err(|_| OpenError::Damaged)?;
        Ok(Self(Zeroizing::new(bytes)))
    }

    /// The secret for typing into a device: Base32 (RFC 4648) without padding.
    pub fn base32(&self) -> Zeroizing<String> {
        Zeroizing::new(Secret::from(*self.0).to_base32())
    }

    /// The URI for a QR code: `otpauth://totp/Cardscape:ada?secret=…&issuer=Cardscape`.
    pub fn uri(&self, account_name: &str) -> Zeroizing<String> {
        // A colon would separate the issuer from the name.
        let totp = self.builder().with_account_name(account_name.replace(':', " "));
        #[allow(clippy::expect_used, reason = "names of accounts are not empty")]
        let uri =
            totp.with_issuer(Some("Cardscape")).build_noncompliant().to_url().expect("a name");
        Zeroizing::new(uri)
    }

    /// The time step (RFC 6238, 4.2) of a six-digit code, if it is the current step, the one before or the one after. The caller must check
    /// that the step was not used before.
    pub fn step_of(&self, code: &str, now: DateTime<Utc>) -> Option<i64> {
        let step = self.totp().check(code, u64::try_from(now.timestamp()).ok()?)?;
        i64::try_from(step).ok()
    }

    fn builder(&self) -> Builder {
        Builder::new().with_secret(Secret::from(*self.0)).with_skew(SKEW)
    }

    fn totp(&self) -> Totp {
        self.builder().build_noncompliant()
    }
}

/// A second factor as a client presented it.
pub enum PresentedFactor {
    /// Six digits from a device.
    Code(Zeroizing<String>),
    /// One of the recovery codes of the second factor.
    Recovery(TokenHash),
}

impl PresentedFactor {
    /// Parses the typed text; spaces and hyphens are ignored. `None`: the text is empty.
    pub fn parse(text: &str) -> Option<Self> {
        let typed = || text.chars().filter(|c| !c.is_whitespace() && *c != '-');
        typed().next()?;
        if typed().count() == DIGITS && typed().all(|c| c.is_ascii_digit()) {
            return Some(Self::Code(Zeroizing::new(typed().collect())));
        }
        Some(Self::Recovery(RecoveryCode::presented(text).hash()))
    }
}

/// The lowest role whose accounts must have a second factor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SecondFactorDemand(Option<Role>);

impl SecondFactorDemand {
    /// Demands a second factor from `role` and all higher roles; `None`: from no role.
    pub fn from_role(role: Option<Role>) -> Self {
        Self(role)
    }

    /// Whether accounts of this role must have a second factor.
    pub fn covers(self, role: Role) -> bool {
        self.0.is_some_and(|least| role >= least)
    }

    /// Names of the roles whose accounts must have a second factor.
    pub fn role_names(self) -> Vec<&'static str> {
        Role::ALL.into_iter().filter(|role| self.covers(*role)).map(Role::as_str).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    /// The test vectors of RFC 6238, appendix B, for SHA-1: the last six of their eight digits.
    #[test]
    fn codes_match_the_test_vectors_of_rfc_6238() {
        let secret = TotpSecret(Zeroizing::new(*b"12345678901234567890"));
        let vectors = [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ];
        for (time, code) in vectors {
            assert_eq!(secret.step_of(code, at(time)), Some(time / 30), "{time}");
            assert_eq!(secret.step_of(code, at(time + 30)), Some(time / 30), "one step late");
            assert_eq!(secret.step_of(code, at(time - 30)), Some(time / 30), "one step early");
            assert_eq!(secret.step_of(code, at(time + 60)), None, "two steps late");
            assert_eq!(secret.step_of(code, at((time - 60).max(-1))), None, "two steps early");
        }
        for wrong in ["", "28708", "0287082", "+28708", "２８７０８２", "28708a", "287083"] {
            assert_eq!(secret.step_of(wrong, at(59)), None, "{wrong}");
        }
    }

    #[test]
    fn the_secret_has_the_form_that_devices_read() {
        let secret = TotpSecret(Zeroizing::new(*b"12345678901234567890"));
        assert_eq!(*secret.base32(), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        let uri = secret.uri("Ada: ❤");
        assert_eq!(
            *uri,
            "otpauth://totp/Cardscape:Ada%20%20%E2%9D%A4?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Cardscape"
        );
    }

    #[test]
    fn codes_and_recovery_codes_are_parsed() {
        assert!(PresentedFactor::parse(" - ").is_none());
        for typed in ["123456", " 123 456 ", "123-456"] {
            let Some(PresentedFactor::Code(code)) = PresentedFactor::parse(typed) else {
                panic!("{typed} is a code");
            };
            assert_eq!(*code, "123456");
        }
        let recovery = RecoveryCode::generate();
        let typed = recovery.reveal().to_lowercase().replace('-', " ");
        let Some(PresentedFactor::Recovery(hash)) = PresentedFactor::parse(&typed) else {
            panic!("{typed} is a recovery code");
        };
        assert!(hash == recovery.hash());
    }

    #[test]
    fn a_demand_covers_a_role_and_all_higher_roles() {
        let moderators = SecondFactorDemand::from_role(Some(Role::Moderator));
        assert_eq!(moderators.role_names(), ["moderator", "admin"]);
        assert!(!moderators.covers(Role::Player));
        assert!(SecondFactorDemand::default().role_names().is_empty());
    }
}
