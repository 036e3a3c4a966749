//! Makes a home: cards by the program's own command, and accounts, codes, decks, collections by SQL on the server, in bounded memory.

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

/// What everybody logs in with.
const PASSWORD: &str = "tram window sonnet";

/// The steps, from the source tree that the seed data is read from, too.
fn steps() -> anyhow::Result<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/service/fill.sql");
    Ok(std::fs::read_to_string(path)?)
}

/// What a home holds, all of it in proportion to the cards: of 1,000,000 cards 100,000 accounts, 5,000,000 codes and 1,000,000 decks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    pub cards: u32,
    pub accounts: u32,
    pub decks: u32,
    /// Codes of each card: more where there are few cards, since each run uses some up.
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

/// Names the content of homes: other steps make other homes.
pub(crate) fn version() -> anyhow::Result<String> {
    let hash: [u8; 32] = Sha256::digest(steps()?).into();
    Ok(hash[..4].iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Brings a home to what it should hold. Steps that are done are not done again.
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
        // Triggers would tell everybody, references would be looked up a million times.
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
        // Each by itself: neither runs in a transaction.
        client.batch_execute("VACUUM (FREEZE, ANALYZE)").await?;
        client.batch_execute("CHECKPOINT").await?;
        std::fs::write(&noted, done + SETTLED + "\n")?;
        println!("  {SETTLED}: {:.1} s", began.elapsed().as_secs_f64());
    }
    warm(&home.data.join("postgres/base"))?;
    Ok(keys)
}

/// The last step. Without it Postgres would clean up after the filling while the rows are measured.
const SETTLED: &str = "settled";

/// Reads every file of a folder, so that the machine has it in memory as it has what a server used for a day: else a row is about the disk
/// and about which rows came before it.
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

/// The keys of the home, made when there are none.
fn keys_of(home: &Home) -> anyhow::Result<KeyRing> {
    let path = home.keys_file();
    if !Path::new(&path).exists() {
        KeyRing::create(&path)?;
    }
    Ok(KeyRing::load(&path)?)
}
