//! Password hashing: argon2id, m = 19 MiB, t = 2, p = 1 (OWASP), on blocking threads, a limited number at a time; networks take turns.

use std::sync::Arc;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use argon2::{Algorithm, Argon2, Params, Version};
use thiserror::Error;

use crate::domain::accounts::password::Password;
use crate::domain::network::Network;
use crate::work::fair::{FairWork, Place};
use crate::work::{WorkError, cores};

/// Why a password was not hashed or checked.
#[derive(Debug, Error)]
pub enum HashError {
    /// There are more requests for hashing than the machine can serve in time.
    #[error("too many passwords are being checked at once")]
    Busy,
    /// The library returned an error, or a stored hash is damaged.
    #[error("password hashing failed")]
    Failed,
}

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The password is right.
    Right,
    /// The password is right, but the stored hash was made with weaker parameters: the password should be hashed again.
    RightButWeak,
    /// The password is wrong.
    Wrong,
}

/// How many requests per core may hash passwords or wait for it. While all cores hash, one hash takes up to 125 ms, so a request with a place waits
/// for less than a second.
const PLACES: usize = 6;
/// How many of these places per core one network may have.
const PLACES_OF_NETWORK: usize = 4;

/// Hashes and checks passwords. Clones share the same limits.
#[derive(Clone)]
pub struct PasswordHasher {
    work: FairWork,
    tools: Arc<Tools>,
}

struct Tools {
    /// The hash of a random password.
    decoy: String,
    params: Params,
}

/// The place of one request, which may hash its passwords one after the other.
pub struct HashingPlace {
    place: Place,
    tools: Arc<Tools>,
}

impl PasswordHasher {
    /// A hasher that hashes as many passwords at once as there are cores.
    pub fn new() -> Result<Self, HashError> {
        Self::with_places(cores() * PLACES, cores() * PLACES_OF_NETWORK)
    }

    /// Like [`Self::new`], with `in_all` places for requests, of which one network may have `of_one`.
    pub fn with_places(in_all: usize, of_one: usize) -> Result<Self, HashError> {
        let params = Params::new(19 * 1024, 2, 1, None).map_err(|_| HashError::Failed)?;
        Self::with_params(params, in_all, of_one)
    }

    /// Like [`Self::with_places`], with other parameters of argon2. Only for tests, which log in thousands of accounts: a hash that is computed faster
    /// protects a password less.
    pub fn with_params(params: Params, in_all: usize, of_one: usize) -> Result<Self, HashError> {
        // Before the first request, so that the first check of a password without an account takes as long as any other check.
        let decoy = hash_now(&params, &super::secret::random::<16>())?;
        let work = FairWork::new(cores(), in_all, of_one);
        Ok(Self { work, tools: Arc::new(Tools { decoy, params }) })
    }

    /// Takes a place for a request from a network. Callers must take it before they count an attempt and before they look anything up, so that a
    /// client that gets [`HashError::Busy`] learns nothing and uses up no attempt. A request that takes another place later gives its attempt back then.
    pub fn enter(&self, network: Network) -> Result<HashingPlace, HashError> {
        let place = self.work.enter(network).map_err(|_| HashError::Busy)?;
        Ok(HashingPlace { place, tools: self.tools.clone() })
    }

    /// The PHC string to store for `password`, for work of the service itself, which has no network.
    pub async fn hash(&self, password: Password) -> Result<String, HashError> {
        self.enter(Network::UNKNOWN)?.hash(password).await
    }
}

impl HashingPlace {
    /// The PHC string to store for `password`.
    pub async fn hash(&self, password: Password) -> Result<String, HashError> {
        let tools = self.tools.clone();
        self.blocking(move || hash_now(&tools.params, password.as_bytes())).await
    }

    /// Checks `password` against a stored hash. Without one (no such account) a decoy is checked instead, so that both take
    /// the same time; the verdict is then always [`Verdict::Wrong`].
    pub async fn verify(
        &self,
        password: Password,
        stored: Option<String>,
    ) -> Result<Verdict, HashError> {
        let exists = stored.is_some();
        let stored = stored.unwrap_or_else(|| self.tools.decoy.clone());
        let tools = self.tools.clone();
        let verdict = self.blocking(move || verify_now(&tools.params, &password, &stored)).await?;
        Ok(if exists { verdict } else { Verdict::Wrong })
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, HashError> + Send + 'static,
    ) -> Result<T, HashError> {
        self.place.run(work).await.map_err(|error| match error {
            WorkError::Busy => HashError::Busy,
            WorkError::BrokenOff => HashError::Failed,
        })?
    }
}

fn argon2(params: &Params) -> Argon2<'static> {
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone())
}

fn hash_now(params: &Params, password: &[u8]) -> Result<String, HashError> {
    Ok(argon2(params).hash_password(password).map_err(|_| HashError::Failed)?.to_string())
}

fn verify_now(params: &Params, password: &Password, stored: &str) -> Result<Verdict, HashError> {
    let parsed = PasswordHash::new(stored).map_err(|_| HashError::Failed)?;
    if argon2(params).verify_password(password.as_bytes(), &parsed).is_err() {
        return Ok(Verdict::Wrong);
    }
    let used = Params::try_from(&parsed).map_err(|_| HashError::Failed)?;
    let weak = used.m_cost() < params.m_cost() || used.t_cost() < params.t_cost();
    Ok(if weak { Verdict::RightButWeak } else { Verdict::Right })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn verdicts_for_right_wrong_unknown_and_weak_hashes() {
        let hasher = PasswordHasher::new().unwrap().enter(Network::UNKNOWN).unwrap();
        let presented = |text: &str| Password::presented(text.to_owned());
        let stored = hasher.hash(presented("tram window sonnet")).await.unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        let check = |text: &str, stored: Option<&str>| {
            hasher.verify(presented(text), stored.map(str::to_owned))
        };
        assert_eq!(check("tram window sonnet", Some(&stored)).await.unwrap(), Verdict::Right);
        assert_eq!(check("tram window sonnets", Some(&stored)).await.unwrap(), Verdict::Wrong);
        assert_eq!(check("tram window sonnet", None).await.unwrap(), Verdict::Wrong);
        let weak =
            hash_now(&Params::new(8 * 1024, 1, 1, None).unwrap(), b"tram window sonnet").unwrap();
        assert_eq!(check("tram window sonnet", Some(&weak)).await.unwrap(), Verdict::RightButWeak);
    }
}
