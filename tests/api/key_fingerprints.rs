//! The keys that a database depends on, also when several instances register keys at the same time.

use cardscape::auth::keys::{KeyFingerprint, KeyRing};
use cardscape::auth::permission::Operator;
use cardscape::store::printing::key_fingerprints::{
    Dependents, LostKeys, MissingKey, check_and_register, count_dependents, find_missing,
    is_in_use, replace,
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
    assert!(!is_in_use(&store).await.unwrap());
    let rings: Vec<_> = (0..8).map(|_| ring()).collect();
    let settled =
        join_all(rings.iter().map(|ring| check_and_register(&store, ring, Utc::now()))).await;
    let settled: Vec<_> = settled.into_iter().map(Result::unwrap).collect();
    assert_eq!(settled.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    assert!(is_in_use(&store).await.unwrap());
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

fn lost(purpose: &str, key_id: &str) -> MissingKey {
    MissingKey { purpose: purpose.to_owned(), key_id: key_id.to_owned(), is_other: false }
}

#[tokio::test]
async fn only_what_was_made_with_a_lost_key_depends_on_it() {
    let db = TestDb::with_games(&["ttcg"]).await;
    let store = Store::new(&StoreSettings::new(db.url())).unwrap();
    db.sql(
        "INSERT INTO print_runs (id, set_id, code_prefix, key_id, copies_per_card, copy_count, status, file_sha256, created_at, activated_at)
             SELECT gen_random_uuid(), s.id, prefix, key, 1, codes, status, sha256('x'), now(), CASE status WHEN 'active' THEN now() END
             FROM (SELECT id FROM sets ORDER BY code LIMIT 1) s,
                 (VALUES ('AA', 'a', 160, 'active'), ('BB', 'b', 32, 'active'), ('CC', 'b', 7, 'pending')) AS run (prefix, key, codes, status);
         INSERT INTO webhooks (id, url, description, kinds, secret_generation, cursor_seq, created_at, updated_at)
             SELECT gen_random_uuid(), 'https://x.example', '', '{game.changed}', 1, 0, now(), now() FROM generate_series(1, 11);
         INSERT INTO accounts VALUES ('01998d5e-7a35-7c54-b0a0-000000000003', 'ada', 'ada', '$argon2id$', 'player', false, NULL, now());
         INSERT INTO second_factors (account_id, key_id, sealed, created_at, last_step)
             VALUES ('01998d5e-7a35-7c54-b0a0-000000000003', 'l', decode(repeat('00', 60), 'hex'), now(), 1);",
    )
    .await;
    let none = Dependents::default();
    let count_with = async |missing: &[MissingKey], opening: &[&str]| {
        let opening: Vec<_> = opening.iter().map(|id| (*id).to_owned()).collect();
        let lost = LostKeys::These { missing, opening: &opening };
        count_dependents(&store, lost).await.unwrap()
    };
    let count = async |missing: &[MissingKey]| count_with(missing, &["m", "l"]).await;
    let b = Dependents { print_runs: 1, codes: 32, ..none };
    assert_eq!(count(&[lost("serials", "b")]).await, b);
    let both = Dependents { print_runs: 2, codes: 192, ..none };
    assert_eq!(count(&[lost("serials", "a"), lost("serials", "b")]).await, both);
    assert_eq!(count(&[lost("serials", "unused")]).await, none);
    let lookups = Dependents { webhooks: 11, second_factors: 1, attempts: true, ..none };
    assert_eq!(count_with(&[lost("lookups", "l")], &["m"]).await, lookups);
    let replaced = MissingKey { is_other: true, ..lost("lookups", "l") };
    assert_eq!(count_with(&[replaced], &["l"]).await, lookups);
    // A file with other keys for second factors lacks the key of this one, whatever else is missing.
    let and_factor = Dependents { second_factors: 1, ..b };
    assert_eq!(count_with(&[lost("serials", "b")], &["m"]).await, and_factor);
    // The second factor is encrypted under a key that is there.
    let other_lookups = Dependents { second_factors: 0, ..lookups };
    assert_eq!(count(&[lost("lookups", "a")]).await, other_lookups);
    let of_both = [lost("serials", "b"), lost("lookups", "a")];
    let other_file = Dependents { print_runs: 1, codes: 32, access_tokens: true, ..lookups };
    assert_eq!(count_with(&of_both, &["m"]).await, other_file);
    let everything = Dependents { print_runs: 2, codes: 192, access_tokens: true, ..lookups };
    assert_eq!(count_dependents(&store, LostKeys::File).await.unwrap(), everything);
}
