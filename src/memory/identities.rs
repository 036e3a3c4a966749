//! Recently checked credentials.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use moka::future::Cache;

use crate::auth::permission::Identity;
use crate::auth::secret::TokenHash;
use crate::domain::ids::SessionId;

/// Most cached identities.
const MOST: u64 = 50_000;

/// The key of a credential in the identity cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CredentialKey {
    /// A session, from a verified access token.
    Session(SessionId),
    /// A personal access token.
    Token(TokenHash),
    /// The cookie of a browser.
    Browser(TokenHash),
}

/// The identities of recently checked credentials, each for a fixed time.
pub struct Identities {
    checked: Cache<CredentialKey, Identity>,
    /// Rises with every drop, before the identity is removed.
    drops: AtomicU64,
}

/// Proves when a credential was checked: a ticket is taken before the database is read, and the identity is cached only if none was dropped since. Otherwise the
/// identity of a session that ended after the check could be inserted after the drop, and the session would be valid again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckTicket(u64);

impl Identities {
    /// An empty cache; each identity is cached for `ttl`.
    pub fn new(ttl: Duration) -> Self {
        Self {
            checked: Cache::builder().max_capacity(MOST).time_to_live(ttl).build(),
            drops: AtomicU64::new(0),
        }
    }

    /// The cached identity of a credential, if any.
    pub async fn get(&self, key: &CredentialKey) -> Option<Identity> {
        self.checked.get(key).await
    }

    /// Takes a ticket; must be called before the credential is read from the database.
    pub fn ticket(&self) -> CheckTicket {
        CheckTicket(self.drops.load(Ordering::SeqCst))
    }

    /// Caches an identity, unless any was dropped since the ticket was taken.
    pub async fn insert(&self, ticket: CheckTicket, key: CredentialKey, identity: Identity) {
        self.checked.insert(key, identity).await;
        // After the insertion: a drop between a comparison and the insertion would miss the identity.
        if self.ticket() != ticket {
            self.checked.invalidate(&key).await;
        }
    }

    /// Drops the identity of a credential: the next request reads it from the database.
    pub async fn invalidate(&self, key: &CredentialKey) {
        self.drops.fetch_add(1, Ordering::SeqCst);
        self.checked.invalidate(key).await;
    }

    /// Drops all identities.
    pub async fn invalidate_all(&self) {
        self.drops.fetch_add(1, Ordering::SeqCst);
        self.checked.invalidate_all();
        self.checked.run_pending_tasks().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::permission::{Credential, Role};
    use crate::domain::ids::AccountId;

    #[tokio::test]
    async fn an_identity_that_was_checked_before_a_drop_is_not_cached() {
        let identities = Identities::new(Duration::from_hours(1));
        let session = SessionId::generate();
        let key = CredentialKey::Session(session);
        let identity = Identity {
            account: AccountId::generate(),
            role: Role::Player,
            credential: Credential::Session(session),
            must_change_password: false,
            second_factor_due: false,
        };
        let early = identities.ticket();
        identities.insert(early, key, identity.clone()).await;
        assert_eq!(identities.get(&key).await, Some(identity.clone()));
        identities.invalidate(&key).await;
        identities.insert(early, key, identity.clone()).await;
        assert_eq!(identities.get(&key).await, None, "the session may have ended");
        identities.insert(identities.ticket(), key, identity.clone()).await;
        assert_eq!(identities.get(&key).await, Some(identity.clone()));
        let early = identities.ticket();
        identities.invalidate_all().await;
        identities.insert(early, key, identity).await;
        assert_eq!(identities.get(&key).await, None);
    }
}
