//! Compares the keys of this instance with those of other instances.

use crate::app::state::Shared;
use crate::store::printing::key_fingerprints;
use crate::store::{Store, StoreResult};

/// Logs an error for each key that other instances have and this one lacks: this instance refuses codes that were
/// printed with it.
pub(super) async fn compare(shared: &Shared, store: &Store) -> StoreResult<()> {
    for key in key_fingerprints::find_missing(store, &shared.keys.fingerprints()).await? {
        let (field, key) = (key.purpose, key.key_id);
        tracing::error!(
            field,
            key,
            "the key file lacks a key that others use: restart with theirs"
        );
    }
    Ok(())
}
