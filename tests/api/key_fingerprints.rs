//! The keys that a database depends on, also when several instances register keys at the same time.

use cardscape::auth::keys::{KeyFingerprint, KeyRing};
use cardscape::auth::permission::Operator;
use cardscape::store::printing::key_fingerprints::{
    check_and_register, count_dependents, find_missing, replace,
};
use cardscape::store::{Store, StoreSettings};
use chrono::Utc;
use futures_util::future::join_all;

use crate::support::TestDb;

fn ring() -> Vec<KeyFingerprint> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys.json");
    KeyRing::create(&file).unwrap();
    KeyRing::load(&file).unwrap().fingerprints()
}

#[tokio::test]
async fn one_of_many_key_files_is_registered_in_a_new_database() {
    let db = TestDb::create().await;
    let store = Store::new(&StoreSettings::new(db.url())).unwrap();
    assert!(!count_dependents(&store).await.unwrap().any);
    let rings: Vec<_> = (0..8).map(|_| ring()).collect();
    let settled =
        join_all(rings.iter().map(|ring| check_and_register(&store, ring, Utc::now()))).await;
    let settled: Vec<_> = settled.into_iter().map(Result::unwrap).collect();
    assert_eq!(settled.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    assert!(count_dependents(&store).await.unwrap().any);
    for (ring, outcome) in rings.iter().zip(&settled) {
        let lacks = find_missing(&store, ring).await.unwrap();
        assert_eq!(outcome.as_ref().err().cloned().unwrap_or_default(), lacks);
        assert!(outcome.is_ok() || lacks.len() == 2, "{lacks:?}");
    }
}

/// When one instance registers a key, all instances depend on it: the check of an instance without it reports the key as missing.
#[tokio::test]
async fn keys_are_added_and_only_the_operator_removes_them() {
    let db = TestDb::create().await;
    let store = Store::new(&StoreSettings::new(db.url())).unwrap();
    let (first, other) = (ring(), ring());
    check_and_register(&store, &first, Utc::now()).await.unwrap().unwrap();
    // A new key for serials, before the old one.
    let both: Vec<_> =
        other.iter().filter(|key| key.purpose == "serials").chain(&first).cloned().collect();
    check_and_register(&store, &both, Utc::now()).await.unwrap().unwrap();
    let missing = find_missing(&store, &first).await.unwrap();
    assert_eq!(missing.len(), 1);
    assert_eq!((missing[0].purpose.as_str(), missing[0].is_other), ("serials", false));
    assert_eq!(check_and_register(&store, &first, Utc::now()).await.unwrap(), Err(missing));
    replace(&store, &Operator::at_the_machine(), &first, Utc::now()).await.unwrap();
    assert_eq!(check_and_register(&store, &first, Utc::now()).await.unwrap(), Ok(()));
    assert_eq!(find_missing(&store, &both).await.unwrap(), []);
    // A key with the same name and another secret is a different key.
    let mut forged = first.clone();
    forged[0].fingerprint[0] ^= 1;
    let missing = check_and_register(&store, &forged, Utc::now()).await.unwrap().unwrap_err();
    assert!(missing.len() == 1 && missing[0].is_other);
}
