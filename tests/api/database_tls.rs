//! TLS between the service and Postgres.

use std::path::Path;
use std::time::Duration;

use cardscape::store::db::{migrations, pooler};
use cardscape::store::{Readiness, Store, StoreSettings};

use crate::support::{Bouncer, PoolMode, TlsPostgres};

/// Whether a store works with this URL, and if not, why.
async fn connects(url: String) -> Result<(), String> {
    let mut settings = StoreSettings::new(url);
    // Encryption is slow on a busy machine.
    settings.answer_timeout = Duration::from_mins(1);
    let store = Store::new(&settings).unwrap();
    store.connection().await.map(drop).map_err(|error| error.to_string())?;
    assert_eq!(store.readiness().await, Readiness::Ready);
    Ok(())
}

fn with_authority(mode: &str, file: &Path) -> String {
    format!("sslmode={mode}&sslrootcert={}", file.display())
}

#[tokio::test]
async fn certificates_are_checked_as_the_url_demands() {
    let server = TlsPostgres::start("localhost").await;
    let (own, stranger) = (&server.authority, &server.stranger);
    let tried = async |host: &str, parameters: &str| connects(server.url(host, parameters)).await;

    for (host, parameters) in [
        ("localhost", with_authority("verify-full", own)),
        ("localhost", with_authority("verify-ca", own)),
        // The certificate is not for this host; verify-ca does not check the host.
        ("127.0.0.1", with_authority("verify-ca", own)),
        ("127.0.0.1", "sslmode=require".to_owned()),
        ("127.0.0.1", "sslmode=prefer".to_owned()),
        ("127.0.0.1", String::new()),
        ("localhost", "sslmode=require&channel_binding=require".to_owned()),
    ] {
        assert_eq!(tried(host, &parameters).await, Ok(()), "{host} {parameters}");
    }
    for (host, parameters, reason) in [
        ("127.0.0.1", with_authority("verify-full", own), "not valid for name"),
        ("localhost", with_authority("verify-full", stranger), "UnknownIssuer"),
        ("localhost", with_authority("verify-ca", stranger), "UnknownIssuer"),
        ("localhost", with_authority("require", stranger), "UnknownIssuer"),
        ("localhost", "sslmode=verify-full".to_owned(), "UnknownIssuer"),
        ("localhost", with_authority("verify-full", Path::new("/nowhere.pem")), "/nowhere.pem"),
        ("localhost", "sslmode=disable".to_owned(), "no encryption"),
    ] {
        let refused = tried(host, &parameters).await.unwrap_err();
        assert!(refused.contains(reason), "{host} {parameters}: {refused}");
        assert!(!refused.contains("password"), "{refused}");
    }
}

#[tokio::test]
async fn every_kind_of_connection_uses_tls() {
    let server = TlsPostgres::start("localhost").await;
    let url = server.url("localhost", &with_authority("verify-full", &server.authority));
    // This server refuses connections without TLS.
    let route = pooler::find(&StoreSettings::new(url.clone())).await.unwrap();
    assert!(!migrations::migrate(&url, route).await.unwrap().is_empty());
    let store = Store::new(&StoreSettings::new(url)).unwrap();
    let read = store.read(async |conn| {
        let one = diesel::dsl::sql::<diesel::sql_types::Integer>("1");
        Ok(diesel_async::RunQueryDsl::get_result::<i32>(diesel::select(one), &mut &*conn).await?)
    });
    assert_eq!(read.await.unwrap(), 1);
}

#[tokio::test]
async fn a_server_without_tls_is_refused_where_tls_is_demanded() {
    let db = crate::support::TestDb::create().await;
    let bouncer = Bouncer::before(&db, PoolMode::Session).await;
    for mode in ["require", "verify-ca", "verify-full"] {
        let refused = connects(format!("{}&sslmode={mode}", bouncer.url())).await.unwrap_err();
        assert!(refused.contains("does not support TLS"), "{mode}: {refused}");
    }
    assert_eq!(connects(format!("{}&sslmode=prefer", bouncer.url())).await, Ok(()));
}
