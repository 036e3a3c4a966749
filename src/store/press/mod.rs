//! The press: makes the codes of a print run, writes them into the print file and stores their hashes.
//!
//! The order is what keeps paper and database together. The print file is written and synced first; then the run is noted as
//! pending and its copies come in; then, if the file still is what was written, the run becomes active in one transaction. Killed
//! at any point before that, the run stays pending: its codes are never accepted, and the next mint or the service's
//! housekeeping discards it whole.

mod copy_in;
mod print_file;

pub use print_file::PrintFormat;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cardscape_engine::Game;
use chrono::{DateTime, Utc};
use thiserror::Error;
use zeroize::{Zeroize as _, Zeroizing};

use self::copy_in::{CopyIn, CopyRow};
use self::print_file::PrintFile;
use super::print_runs::{self, NewPrintRun, SetToPrint};
use super::{Connection, Store, StoreError, StoreResult, StoreSettings};
use crate::auth::keys::Key;
use crate::auth::permission::Operator;
use crate::auth::secret;
use crate::domain::ids::PrintRunId;
use crate::domain::minting::{CardToPrint, PlanError, PrintPlan, PrintingToPrint};
use crate::domain::serial::{RunPrefix, SerialCode};

/// What to mint.
#[derive(Clone, Debug)]
pub struct MintOrder {
    /// Code of the game.
    pub game: String,
    /// Code of the set.
    pub set: String,
    /// Copies of each card.
    pub copies_per_card: u64,
    /// Where the print file goes; nothing is there yet.
    pub file: PathBuf,
    /// Its form.
    pub format: PrintFormat,
}

/// A run that was minted.
#[derive(Clone, Debug)]
pub struct Minted {
    /// The run, active.
    pub run: PrintRunId,
    /// Codes in the print file.
    pub codes: u64,
    /// SHA-256 of the print file, lower-case hexadecimal.
    pub file_sha256: String,
}

/// Told how many codes are made (up to the number of copies) and stored (up to twice that).
pub type Progress = Arc<dyn Fn(u64) + Send + Sync>;

/// Why a run was not minted.
#[derive(Debug, Error)]
pub enum MintError {
    /// No such set.
    #[error("there is no set {1} of the game {0}")]
    UnknownSet(String, String),
    /// The plan is impossible.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The cards do not have equally many copies, so a run over the whole set cannot make them equal.
    #[error(
        "every card of a set has the same number of copies, {expected} now, but {cards} of this set differ"
    )]
    Unequal {
        /// Copies that each card should have.
        expected: i64,
        /// Cards that differ, with their copies: `013 (0), 014 (0)`.
        cards: String,
    },
    /// Something is at the place of the print file.
    #[error("{0} exists; a print file never overwrites anything")]
    FileExists(PathBuf),
    /// Another mint is running on this database.
    #[error("another print run is being minted right now")]
    Busy,
    /// The print file cannot be written or read back.
    #[error("cannot write the print file {path}: {source}")]
    File {
        /// Where.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The print file changed before the run was active.
    #[error("the print file {0} is not what was written: the run was discarded")]
    FileChanged(PathBuf),
    /// The set changed meanwhile, or the run was discarded by another process.
    #[error("the set changed while the run was minted: the run was discarded, try again")]
    SetChanged,
    /// Two codes of a run have the same hash: once in a million runs of a million codes.
    #[error("two codes collided: the run was discarded, try again")]
    Collision,
    /// The manifest in the database cannot be read.
    #[error("the manifest of the game cannot be read: {0}")]
    Manifest(String),
    /// The answer to the last step was lost: the run may be active. The print file was kept.
    #[error(
        "no answer from the database whether run {run} is active: look at it before you use or delete {file}"
    )]
    Unknown {
        /// The run.
        run: PrintRunId,
        /// Its print file.
        file: PathBuf,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The connection for the copies failed.
    #[error("the copies could not be stored")]
    Copies(#[from] tokio_postgres::Error),
}

impl MintError {
    /// Whether the run was refused for what it is, rather than for something that failed.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::UnknownSet(..) | Self::Plan(_) | Self::Unequal { .. } | Self::FileExists(_)
        )
    }
}

impl super::pool::AsStoreError for MintError {
    fn as_store_error(&self) -> Option<&StoreError> {
        if let Self::Store(error) = self { Some(error) } else { None }
    }
}

/// What a run would hold, and the set it is for.
pub async fn plan(
    conn: &mut Connection,
    by: &Operator,
    game: &str,
    set: &str,
    copies_per_card: u64,
) -> Result<(SetToPrint, PrintPlan), MintError> {
    let unknown = || MintError::UnknownSet(game.to_owned(), set.to_owned());
    let found = print_runs::find_set(conn, by, game, set).await?.ok_or_else(unknown)?;
    let unequal: Vec<String> = found
        .cards
        .iter()
        .filter(|card| card.copies != found.copies_per_card)
        .map(|card| format!("{} ({})", card.number, card.copies))
        .collect();
    if !unequal.is_empty() {
        return Err(MintError::Unequal {
            expected: found.copies_per_card,
            cards: unequal.join(", "),
        });
    }
    let manifest =
        Game::from_toml(&found.manifest).map_err(|error| MintError::Manifest(error.to_string()))?;
    let weight = |rarity: &str| {
        manifest.rarities().iter().find(|known| known.code == rarity).map_or(0, |r| r.weight)
    };
    let cards = found.cards.iter().map(|card| CardToPrint {
        id: card.card(),
        number: card.number.clone(),
        printings: card
            .printings()
            .map(|(id, rarity)| PrintingToPrint {
                id,
                rarity: rarity.to_owned(),
                weight: weight(rarity),
            })
            .collect(),
    });
    let plan = PrintPlan::new(cards.collect(), copies_per_card)?;
    Ok((found, plan))
}

/// Mints a run: plans it, writes the print file, stores the copies and activates the run.
///
/// On an error nothing is left: neither copies nor, unless [`MintError::Unknown`] says so, a print file.
pub async fn mint(
    store: &Store,
    settings: &StoreSettings,
    by: &Operator,
    key: &Key,
    order: MintOrder,
    now: DateTime<Utc>,
    progress: Progress,
) -> Result<Minted, MintError> {
    let press = CopyIn::take(settings).await?.ok_or(MintError::Busy)?;
    store.transaction(async |conn| print_runs::discard_pending(conn, now).await).await?;
    let (set, plan) =
        plan(&mut *store.connection().await?, by, &order.game, &order.set, order.copies_per_card)
            .await?;
    let prefix = RunPrefix::from_random(secret::random());

    let printed = print(plan, prefix, key.clone(), order.clone(), progress.clone()).await?;
    let new = NewPrintRun {
        id: PrintRunId::fresh(),
        set: set.id,
        prefix,
        key_id: key.id(),
        plan: &printed.plan,
        file_sha256: printed.file_sha256,
        at: now,
    };
    let stored = store_copies(store, &press, by, &new, &printed, &order.file, &progress).await;
    let activated = match stored {
        Ok(()) => activate(store, by, &new, set.copies_per_card, &order.file, now).await,
        Err(error) => Err(error),
    };
    if let Err(error) = activated {
        if !matches!(error, MintError::Unknown { .. }) {
            // Without the database the run stays pending and is discarded later; without the file its codes are gone now.
            let _ =
                store.transaction(async |conn| print_runs::discard_pending(conn, now).await).await;
            let _ = std::fs::remove_file(&order.file);
        }
        return Err(error);
    }
    let file_sha256 = printed.file_sha256.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Minted { run: new.id, codes: printed.plan.copy_count(), file_sha256 })
}

/// A print file that is written and synced.
struct Printed {
    plan: PrintPlan,
    rows: Vec<CopyRow>,
    file_sha256: [u8; 32],
}

/// Makes the codes and writes the print file, on a thread of its own.
async fn print(
    plan: PrintPlan,
    prefix: RunPrefix,
    key: Key,
    order: MintOrder,
    progress: Progress,
) -> Result<Printed, MintError> {
    let file = order.file.clone();
    let work = move || {
        let mut file = PrintFile::create(&order.file, order.format)?;
        let rows = write_codes(&plan, prefix, &key, &order, &mut file, &progress);
        let written = rows.and_then(|rows| Ok((rows, file.finish()?)));
        // A disk that is full must not keep half a file of codes.
        let written = written.inspect_err(|_| drop(std::fs::remove_file(&order.file)));
        written.map(|(rows, file_sha256)| (plan, rows, file_sha256))
    };
    let written = tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|error| Err(std::io::Error::other(error)));
    let (plan, mut rows, file_sha256) = written.map_err(|source| match source.kind() {
        std::io::ErrorKind::AlreadyExists => MintError::FileExists(file.clone()),
        _ => MintError::File { path: file.clone(), source },
    })?;
    rows.sort_unstable_by_key(|row| row.mac);
    if rows.windows(2).any(|pair| pair[0].mac == pair[1].mac) {
        let _ = std::fs::remove_file(&file);
        return Err(MintError::Collision);
    }
    Ok(Printed { plan, rows, file_sha256 })
}

fn write_codes(
    plan: &PrintPlan,
    prefix: RunPrefix,
    key: &Key,
    order: &MintOrder,
    file: &mut PrintFile,
    progress: &Progress,
) -> std::io::Result<Vec<CopyRow>> {
    let mut rows = Vec::with_capacity(usize::try_from(plan.copy_count()).unwrap_or_default());
    for (place, line) in plan.lines().enumerate() {
        let printing = u32::try_from(place).map_err(std::io::Error::other)?;
        for _ in 0..line.copies {
            let mut random = secret::random::<13>();
            let code = SerialCode::assemble(prefix, &random);
            random.zeroize();
            let printed = Zeroizing::new(code.reveal());
            file.line(&printed, &[&order.game, &order.set, line.number, &line.printing.rarity])?;
            rows.push(CopyRow { mac: key.serial_mac(&code).0, printing });
            if rows.len() % 4096 == 0 {
                progress(rows.len() as u64);
            }
        }
    }
    Ok(rows)
}

async fn store_copies(
    store: &Store,
    press: &CopyIn,
    by: &Operator,
    new: &NewPrintRun<'_>,
    printed: &Printed,
    file: &Path,
    progress: &Progress,
) -> Result<(), MintError> {
    store.transaction(async |conn| print_runs::begin(conn, by, new).await).await?;
    let printings: Vec<_> = printed.plan.lines().map(|line| line.printing.id).collect();
    let made = printed.plan.copy_count();
    let stored = press
        .copies(new.id, new.prefix, &printed.rows, &printings, |count| progress(made + count))
        .await?;
    let still_there = print_file::sha256(file)
        .map_err(|source| MintError::File { path: file.to_owned(), source })?;
    if stored != made || still_there != new.file_sha256 {
        return Err(MintError::FileChanged(file.to_owned()));
    }
    Ok(())
}

/// Activates the run. When the answer is lost, asks again what became of it.
async fn activate(
    store: &Store,
    by: &Operator,
    new: &NewPrintRun<'_>,
    copies_before: i64,
    file: &Path,
    now: DateTime<Utc>,
) -> Result<(), MintError> {
    let activated = store
        .transaction(async |conn| {
            match print_runs::activate(conn, by, new, copies_before, now).await {
                Ok(true) => Ok(()),
                Ok(false) => Err(MintError::SetChanged),
                Err(error) => Err(error.into()),
            }
        })
        .await;
    let Err(error) = activated else { return Ok(()) };
    if matches!(error, MintError::SetChanged) {
        return Err(error);
    }
    let active: StoreResult<bool> =
        async { print_runs::is_active(&mut *store.connection().await?, new.id).await }.await;
    match active {
        Ok(true) => Ok(()),
        Ok(false) => Err(error),
        Err(_) => Err(MintError::Unknown { run: new.id, file: file.to_owned() }),
    }
}
