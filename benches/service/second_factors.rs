//! Creates second factors for accounts of a home.

use anyhow::Context as _;
use cardscape::auth::keys::KeyRing;
use cardscape::auth::second_factor::TotpSecret;
use cardscape::domain::ids::AccountId;
use tokio_postgres::Client;
use totp_rs::Totp;

use crate::recipes::Row;

/// Gives the caller of each row a second factor, and adds the column `second_factor_code` to the row: the code that the
/// owner's device would show.
pub(crate) async fn prepare(
    client: &Client,
    keys: &KeyRing,
    rows: &mut [Row],
    confirmed: bool,
) -> anyhow::Result<()> {
    let put = "INSERT INTO second_factors (account_id, key_id, sealed, created_at, last_step) \
               VALUES ($1::text::uuid, $2, $3, now(), CASE WHEN $4 THEN 1 END) ON CONFLICT (account_id) \
               DO UPDATE SET key_id = excluded.key_id, sealed = excluded.sealed, created_at = now(), last_step = excluded.last_step";
    let now = u64::try_from(chrono::Utc::now().timestamp())?;
    for row in rows {
        let account = row.get("caller").context("no column caller")?.clone();
        let secret = TotpSecret::generate();
        let sealed = secret.seal(keys, AccountId(account.parse()?));
        client.execute(put, &[&account, &sealed.key_id, &sealed.bytes, &confirmed]).await?;
        let since = "UPDATE accounts SET second_factor_since = CASE WHEN $2 THEN now() END WHERE id = $1::text::uuid";
        client.execute(since, &[&account, &confirmed]).await?;
        let device = Totp::from_url(secret.uri("player").as_str()).context("a device")?;
        row.insert("second_factor_code".to_owned(), device.generate(now).to_string());
    }
    Ok(())
}
