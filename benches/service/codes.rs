//! Serial codes of a home. They are derived from their numbers, so that no list of them must be stored; their hashes use the
//! key of the home.

use std::io::Cursor;
use std::pin::pin;

use anyhow::Context as _;
use cardscape::auth::keys::KeyRing;
use cardscape::domain::serials::serial::{RunPrefix, SerialCode};
use futures_util::{SinkExt as _, TryStreamExt as _};
use sha2::{Digest as _, Sha256};
use tokio_postgres::Client;

use crate::recipes::Row;

/// Size of the pieces that are written to the connection, in bytes.
const CHUNK: usize = 128 * 1024;

/// The code with this number in a print run with this prefix.
fn code(prefix: &str, number: u64) -> anyhow::Result<SerialCode> {
    let hash: [u8; 32] = Sha256::digest(number.to_be_bytes()).into();
    let random: [u8; 13] = hash[..13].try_into()?;
    let prefix = RunPrefix::parse(prefix).context("a prefix of two symbols")?;
    Ok(SerialCode::assemble(prefix, &random))
}

fn of(prefix: &str, number: &str) -> anyhow::Result<String> {
    Ok(code(prefix, number.parse()?)?.reveal())
}

/// The code for the columns `code_number` and `code_prefix` of a row.
pub(crate) fn serial(row: &Row) -> anyhow::Result<String> {
    let column = |name: &str| row.get(name).with_context(|| format!("no column {name}"));
    of(column("code_prefix")?, column("code_number")?)
}

/// The codes of the batch in the column `batch_json`.
pub(crate) fn batch(row: &Row) -> anyhow::Result<String> {
    let listed = row.get("batch_json").context("no column batch_json")?;
    let listed: Vec<serde_json::Value> = serde_json::from_str(listed)?;
    let submission = |one: &serde_json::Value| {
        let text = |name: &str| one[name].as_str().unwrap_or_default();
        let serial = of(text("code_prefix"), text("code_number"))?;
        anyhow::Ok(serde_json::json!({ "serial": serial, "name": one["name"] }))
    };
    let all = listed.iter().map(submission).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(serde_json::to_string(&all)?)
}

/// Inserts `copies` copies of every synthetic card with COPY, card by card, using the memory of one chunk. Two of five are
/// registered, distributed over all accounts; the others have not been submitted.
pub(crate) async fn copy_in(
    reader: &Client,
    writer: &Client,
    keys: &KeyRing,
    accounts: u64,
    copies: u64,
) -> anyhow::Result<u64> {
    let key = keys.serials().first().context("the home has no serial key")?;
    let cards = reader
        .query_raw(
            "SELECT r.code_prefix, r.id::text, l.printing_id::text FROM print_runs r JOIN print_run_lines l ON l.print_run_id = r.id \
             JOIN sets s ON s.id = r.set_id WHERE s.code LIKE 'synthetic-%' ORDER BY r.code_prefix, r.id",
            Vec::<String>::new(),
        )
        .await?;
    let mut cards = pin!(cards);
    let sink = writer
        .copy_in("COPY bench.loaded (code_number, code_prefix, code_mac, print_run_id, printing_id, owner) FROM STDIN")
        .await?;
    let mut sink = pin!(sink);
    let (mut text, mut number) = (String::with_capacity(CHUNK + 1024), 0);
    while let Some(card) = cards.try_next().await? {
        let (prefix, run, printing): (&str, &str, &str) = (card.get(0), card.get(1), card.get(2));
        for copy in 0..copies {
            number += 1;
            let mac = key.serial_mac(&code(prefix, number)?).0;
            let mac: String = mac.iter().map(|byte| format!("{byte:02x}")).collect();
            let owner = match copy % 5 {
                0..3 => "\\N".to_owned(),
                _ => (1 + number * 7_919 % accounts).to_string(),
            };
            text += &format!("{number}\t{prefix}\t\\\\x{mac}\t{run}\t{printing}\t{owner}\n");
        }
        if text.len() >= CHUNK {
            sink.feed(Cursor::new(std::mem::take(&mut text).into_bytes())).await?;
        }
    }
    sink.feed(Cursor::new(text.into_bytes())).await?;
    sink.finish().await?;
    Ok(number)
}
