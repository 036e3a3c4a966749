//! Fills the database of a home: cards with the program's own command; accounts, codes, decks and collections with SQL on the
//! server, in bounded memory.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::time::Instant;

use anyhow::Context as _;
use cardscape::auth::keys::KeyRing;
use cardscape::auth::password::PasswordHasher;
use cardscape::domain::accounts::password::Password;
use sha2::{Digest as _, Sha256};

use crate::catalogue::connect;
use crate::codes;
use crate::service::{Database, Home};

/// The password of all accounts.
const PASSWORD: &str = "tram window sonnet";

/// The steps in `fill.sql`, from the source tree, from which the seed data is read, too.
fn steps() -> anyhow::Result<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/service/fill.sql");
    Ok(std::fs::read_to_string(path)?)
}

/// Amounts of data in a home, in proportion to the cards: for 1,000,000 cards 100,000 accounts, 5,000,000 codes and
/// 1,000,000 decks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    pub cards: u32,
    pub accounts: u32,
    pub decks: u32,
    /// Codes of each card. With few cards there are more, because each run uses some up.
    pub copies: u32,
}

impl Sizes {
    pub(crate) fn of(cards: u32) -> Self {
        Self {
            cards,
            accounts: (cards / 10).max(1_000),
            decks: cards,
            copies: (500_000 / cards).clamp(5, 50),
        }
    }
}

/// A version of the content of homes, derived from the steps: when these change, a new home is created.
pub(crate) fn version() -> anyhow::Result<String> {
    let hash: [u8; 32] = Sha256::digest(steps()?).into();
    Ok(hash[..4].iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Fills a home. Completed steps are not repeated.
pub(crate) async fn fill(
    home: &Home,
    database: &Database,
    sizes: Sizes,
) -> anyhow::Result<KeyRing> {
    let keys = keys_of(home)?;
    let noted = home.data.join("bench-steps");
    let mut done = std::fs::read_to_string(&noted).unwrap_or_default();
    let steps = steps()?;
    for step in steps.split("-- step ").skip(1) {
        let (name, text) = step.split_once('\n').context("a step has a name")?;
        if done.lines().any(|line| line == name) {
            continue;
        }
        let began = Instant::now();
        let client = connect(&database.url()).await?;
        client.batch_execute("SET synchronous_commit = off; SET work_mem = '256MB'; SET maintenance_work_mem = '512MB'").await?;
        // Without this, triggers would create events, and foreign keys would be checked for each of a million rows.
        client.batch_execute("SET session_replication_role = replica").await?;
        if name == "copies" {
            let reader = connect(&database.url()).await?;
            client.batch_execute("TRUNCATE bench.loaded").await?;
            codes::copy_in(&reader, &client, &keys, sizes.accounts.into(), sizes.copies.into())
                .await?;
        }
        let hash = PasswordHasher::new()?.hash(Password::presented(PASSWORD.to_owned())).await?;
        let key = keys.serials().first().context("a serial key")?;
        let text = text
            .replace(":accounts", &sizes.accounts.to_string())
            .replace(":copies", &sizes.copies.to_string())
            .replace(":decks", &sizes.decks.to_string())
            .replace(":hash", &format!("'{hash}'"))
            .replace(":key_id", &format!("'{}'", key.id()));
        client.batch_execute(&text).await.with_context(|| format!("step {name:?} of fill.sql"))?;
        done += &format!("{name}\n");
        std::fs::write(&noted, &done)?;
        println!("  {name}: {:.1} s", began.elapsed().as_secs_f64());
    }
    if !done.lines().any(|line| line == SETTLED) {
        let began = Instant::now();
        let client = connect(&database.url()).await?;
        // Separate calls, because neither can run in a transaction.
        client.batch_execute("VACUUM (FREEZE, ANALYZE)").await?;
        client.batch_execute("CHECKPOINT").await?;
        std::fs::write(&noted, done + SETTLED + "\n")?;
        println!("  {SETTLED}: {:.1} s", began.elapsed().as_secs_f64());
    }
    warm(&home.data.join("postgres/base"))?;
    Ok(keys)
}

/// The last step. Without it, Postgres would vacuum and write checkpoints while the rows are measured.
const SETTLED: &str = "settled";

/// Reads every file of a folder into the system's cache, where the data of a server that runs for long would be. Otherwise
/// rows would depend on the disk and on the rows that were measured before.
fn warm(folder: &Path) -> anyhow::Result<()> {
    let mut piece = vec![0; 1 << 20];
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            warm(&entry.path())?;
        } else if let Ok(mut file) = File::open(entry.path()) {
            while file.read(&mut piece)? > 0 {}
        }
    }
    Ok(())
}

/// The keys of the home, which are created if they do not exist.
fn keys_of(home: &Home) -> anyhow::Result<KeyRing> {
    let path = home.keys_file();
    if !Path::new(&path).exists() {
        KeyRing::create(&path)?;
    }
    Ok(KeyRing::load(&path)?)
}
