//! Creates sessions of browsers for accounts of a home.

use std::collections::BTreeMap;

use anyhow::Context as _;
use cardscape::auth::secret::{OpaqueToken, TokenKind};
use tokio_postgres::Client;

use crate::recipes::Row;

/// Gives the caller of each row a session of a browser, and adds the column `cookie` to the row: the value of the cookie that
/// the browser would send. An account has one session for all its rows.
pub(crate) async fn open(client: &Client, rows: &mut [Row]) -> anyhow::Result<()> {
    let put = "INSERT INTO sessions (id, account_id, network_mac, generation, created_at, last_used_at, expires_at, browser_token_hash) \
               VALUES (gen_random_uuid(), $1::text::uuid, decode(md5($1::text), 'hex'), 1, now(), now(), now() + interval '1 day', $2)";
    let mut cookies: BTreeMap<String, String> = BTreeMap::new();
    for row in rows {
        let account = row.get("caller").context("no column caller")?.clone();
        let cookie = if let Some(cookie) = cookies.get(&account) {
            cookie.clone()
        } else {
            let token = OpaqueToken::generate(TokenKind::Browser);
            client.execute(put, &[&account, &token.hash().0.as_slice()]).await?;
            let cookie = token.reveal().to_owned();
            cookies.insert(account, cookie.clone());
            cookie
        };
        row.insert("cookie".to_owned(), cookie);
    }
    Ok(())
}

/// Deletes all sessions of browsers. Nobody else uses the database of a home.
pub(crate) async fn close_all(client: &Client) -> anyhow::Result<()> {
    client.execute("DELETE FROM sessions WHERE browser_token_hash IS NOT NULL", &[]).await?;
    Ok(())
}
