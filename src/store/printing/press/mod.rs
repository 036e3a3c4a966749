//! The press: generates the codes of a print run, writes them into the print file and stores their hashes.
//!
//! The order of steps keeps paper and database consistent. The print file is written and synced first; then the run is
//! stored as pending, and its copies are stored; then, if the file is unchanged, the run becomes active in one
//! transaction. If the mint is killed before that, the run stays pending: its codes are never accepted, and the next
//! mint or the service's housekeeping discards it (`store/printing/discarded_runs.rs`).
//!
//! A run in packs also has a packing list. It is written and synced beside the print file, and follows from the
//! announced plan and its seed alone: it refers to lines of the print file, and contains no codes.

mod copy_in;
mod label_sheet;
mod print_file;

pub use print_file::PrintFormat;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cardscape_engine::Game;
use thiserror::Error;
use zeroize::{Zeroize as _, Zeroizing};

use self::copy_in::{CopyIn, CopyRow};
use self::label_sheet::{Label, LabelSheet, MAX_LABELS};
use self::print_file::{HashedFile, PrintFile, submit_address};
use super::discarded_runs;
use super::print_commitments::{self, NewCommitment};
use super::print_runs::{self, NewPrintRun, SetToPrint};
use crate::auth::keys::Key;
use crate::auth::permission::{Operator, Planner};
use crate::auth::secret;
use crate::domain::clock::Clock;
use crate::domain::hex::hex;
use crate::domain::ids::{CommitmentId, PrintRunId};
use crate::domain::printing::commitment::{AnnouncedPlan, Opening, PlanSeed};
use crate::domain::printing::minting::{CardToPrint, PlanError, PrintPlan, PrintingToPrint};
use crate::domain::printing::packs::{PackError, PackParameters, PackPlan};
use crate::domain::serials::serial::{RunPrefix, SerialCode};
use crate::store::{Connection, Store, StoreError, StoreResult, StoreSettings};

/// A run to plan.
#[derive(Clone, Debug)]
pub struct RunRequest {
    pub game: String,
    pub set: String,
    pub copies_per_card: u64,
    /// How packs are made; `None`: the run is not packed.
    pub packs: Option<PackParameters>,
}

#[derive(Clone, Debug)]
pub enum RunToMint {
    /// A new run, which is announced when it is minted.
    New(RunRequest),
    /// A run that was announced before.
    Announced(CommitmentId),
}

/// What to mint, and the files to write.
#[derive(Clone, Debug)]
pub struct MintOrder {
    pub run: RunToMint,
    /// Path of the print file; nothing may exist there.
    pub file: PathBuf,
    pub format: PrintFormat,
    /// QR codes for the cards.
    pub qr_codes: Option<QrCodes>,
    /// Path of the packing list; nothing may exist there. Required exactly if the run has packs.
    pub packing_list: Option<PathBuf>,
}

/// QR codes, which contain the address of the page on which a code is typed. Each line of the print file has its address.
#[derive(Clone, Debug)]
pub struct QrCodes {
    /// The public URL of the service, without a slash at its end.
    pub public_url: String,
    /// Path of a sheet of labels, a PDF with the codes; nothing may exist there.
    pub sheet: Option<PathBuf>,
}

/// A plan that can be minted.
#[derive(Clone, Debug)]
pub struct Planned {
    pub set: SetToPrint,
    pub plan: PrintPlan,
    /// The plan in its announced form, with its seed.
    pub opening: Opening,
    /// The announcement, if the run was announced before.
    pub announced: Option<CommitmentId>,
}

/// A run that was minted.
#[derive(Clone, Debug)]
pub struct Minted {
    /// The run, active.
    pub run: PrintRunId,
    /// Its announcement.
    pub commitment: CommitmentId,
    /// Codes in the print file.
    pub codes: u64,
    /// SHA-256 of the print file, lower-case hexadecimal.
    pub file_sha256: String,
    /// SHA-256 of the packing list, lower-case hexadecimal.
    pub packing_sha256: Option<String>,
    /// SHA-256 of the sheet of labels, lower-case hexadecimal.
    pub sheet_sha256: Option<String>,
}

/// Called with the number of generated codes (up to the number of copies), and then of stored codes (up to twice that).
pub type Progress = Arc<dyn Fn(u64) + Send + Sync>;

/// Why a run was not minted.
#[derive(Debug, Error)]
pub enum MintError {
    /// There is no such set.
    #[error("there is no set {1} of the game {0}")]
    UnknownSet(String, String),
    /// The plan is impossible.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The plan cannot be packed.
    #[error(transparent)]
    Packs(#[from] PackError),
    /// There is no such announcement.
    #[error(
        "no print run was announced as {0} (--commitment): GET /v1/print-commitments lists them"
    )]
    UnknownCommitment(CommitmentId),
    /// An announcement can be printed only once.
    #[error("the print run that was announced as {0} is printed already")]
    PrintedAlready(CommitmentId),
    /// The set has changed since the announcement.
    #[error(
        "the set has changed since {0} was announced, so the run cannot be printed as announced: announce it again"
    )]
    NotAsAnnounced(CommitmentId),
    /// The stored announcement cannot be read.
    #[error("the announcement {0} cannot be read: {1}")]
    Announcement(CommitmentId, String),
    /// Packs without a path for the packing list, or a path without packs.
    #[error("{0}")]
    PackingList(&'static str),
    /// A file exists at the path of the print file.
    #[error(
        "{0} exists, and a mint never overwrites anything: name another file with --out, --packing-list or --sheet"
    )]
    FileExists(PathBuf),
    /// More labels than a sheet may have.
    #[error(
        "a file of labels (--sheet) has {MAX_LABELS} labels at most, and the run has {0} codes: print them from the column `address` of the print file"
    )]
    SheetTooLarge(u64),
    /// Another mint is running on this database.
    #[error("another print run is being minted right now")]
    Busy,
    /// The print file or the packing list cannot be written or read back.
    #[error("cannot write {path}: {source}")]
    File {
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A file changed before the run became active.
    #[error("the file {0} is not what was written: the run was discarded")]
    FileChanged(PathBuf),
    /// The set changed during the mint, or another process discarded the run.
    #[error("the set changed while the run was minted: the run was discarded, try again")]
    SetChanged,
    /// Two codes of a run have the same hash: once in a million runs of a million codes.
    #[error("two codes collided: the run was discarded, try again")]
    Collision,
    /// The manifest in the database cannot be read.
    #[error("the manifest of the game cannot be read: {0}")]
    Manifest(String),
    /// The response to the last step was lost: the run may be active. The print file was kept.
    #[error(
        "no answer from the database whether run {run} is active: look at it before you use or delete {}", listed(.files)
    )]
    Unknown {
        run: PrintRunId,
        /// The files that contain its codes.
        files: Vec<PathBuf>,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The connection for the copies failed.
    #[error("the copies could not be stored")]
    Copies(#[from] tokio_postgres::Error),
    /// The database cannot be reached.
    #[error("cannot connect to the database: {0}")]
    Connect(#[from] diesel::ConnectionError),
}

impl MintError {
    /// Whether the run was refused because of the order itself, rather than because something failed.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::UnknownSet(..)
                | Self::Plan(_)
                | Self::Packs(_)
                | Self::FileExists(_)
                | Self::UnknownCommitment(_)
                | Self::PrintedAlready(_)
                | Self::NotAsAnnounced(_)
                | Self::PackingList(_)
                | Self::SheetTooLarge(_)
        )
    }
}

impl crate::store::db::pool::AsStoreError for MintError {
    fn as_store_error(&self) -> Option<&StoreError> {
        if let Self::Store(error) = self { Some(error) } else { None }
    }
}

/// Finds the set and plans a run of it.
async fn plan(
    conn: &mut Connection,
    by: &Planner,
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
        let cards = first_cards(&unequal);
        return Err(PlanError::Unequal { expected: found.copies_per_card, cards }.into());
    }
    let manifest =
        Game::from_toml(&found.manifest).map_err(|error| MintError::Manifest(error.to_string()))?;
    let weight_and_tier = |rarity: &str| {
        manifest.rarity(rarity).map_or((0, u32::MAX), |known| (known.weight, known.tier))
    };
    let cards = found.cards.iter().map(|card| CardToPrint {
        id: card.id,
        number: card.number.clone(),
        printings: card
            .printings()
            .map(|(id, rarity)| {
                let (weight, tier) = weight_and_tier(rarity);
                PrintingToPrint { id, rarity: rarity.to_owned(), weight, tier }
            })
            .collect(),
    });
    let plan = PrintPlan::new(cards.collect(), copies_per_card)?;
    Ok((found, plan))
}

/// The first 20 of these in a sentence, and the number of the others: a set may have thousands of cards.
fn first_cards(cards: &[String]) -> String {
    let (first, others) = cards.split_at(cards.len().min(20));
    let first = first.join(", ");
    if others.is_empty() { first } else { format!("{first} and {} more", others.len()) }
}

/// Plans a run, with a new seed for its announcement. Stores nothing.
pub async fn plan_run(
    conn: &mut Connection,
    by: &Planner,
    request: &RunRequest,
) -> Result<Planned, MintError> {
    let (set, plan) = plan(conn, by, &request.game, &request.set, request.copies_per_card).await?;
    let announced = AnnouncedPlan::new(&request.game, &request.set, &plan, request.packs.clone());
    PackPlan::new(&announced)?;
    let opening = Opening { seed: PlanSeed::from_random(secret::random()), plan: announced };
    Ok(Planned { set, plan, opening, announced: None })
}

/// Plans the run of an order. An announced run is planned again, and the result must equal the announcement.
pub async fn look_up(
    conn: &mut Connection,
    by: &Operator,
    run: &RunToMint,
) -> Result<Planned, MintError> {
    let id = match run {
        RunToMint::New(request) => return plan_run(conn, &by.into(), request).await,
        RunToMint::Announced(id) => *id,
    };
    let stored = print_commitments::find_to_print(conn, by, id).await?;
    let stored = stored.ok_or(MintError::UnknownCommitment(id))?;
    if stored.printed {
        return Err(MintError::PrintedAlready(id));
    }
    let opening = Opening::parse(&stored.opening)
        .map_err(|error| MintError::Announcement(id, error.to_string()))?;
    let AnnouncedPlan { game, set, copies_per_card, packs, .. } = opening.plan.clone();
    let request = RunRequest { game, set, copies_per_card, packs };
    let planned = plan_run(conn, &by.into(), &request).await?;
    if planned.opening.plan != opening.plan {
        return Err(MintError::NotAsAnnounced(id));
    }
    Ok(Planned { opening, announced: Some(id), ..planned })
}

/// Mints a run: plans it, writes its files, stores the copies and activates the run.
///
/// After an error nothing is left: no copies and, unless it is [`MintError::Unknown`], no files. An earlier
/// announcement stays.
///
/// A mint of many codes takes minutes, so each step has its own time: codes can be registered from the activation on, and
/// not from the beginning of the mint.
pub async fn mint(
    store: &Store,
    settings: &StoreSettings,
    by: &Operator,
    key: &Key,
    order: MintOrder,
    clock: &Clock,
    progress: Progress,
) -> Result<Minted, MintError> {
    let press = CopyIn::connect(settings).await?.ok_or(MintError::Busy)?;
    store
        .transaction(async |conn| discarded_runs::discard_pending(conn, None, clock.now()).await)
        .await?;
    let planned = look_up(&mut *store.connection().await?, by, &order.run).await?;
    press.lock_set(planned.set.id).await?;
    match (&planned.opening.plan.packs, &order.packing_list) {
        (Some(_), None) => {
            return Err(MintError::PackingList(
                "a run in packs needs a place for its packing list: name it with --packing-list FILE",
            ));
        }
        (None, Some(_)) => {
            return Err(MintError::PackingList(
                "a run without packs has no packing list: leave out --packing-list, or have it packed with --packs",
            ));
        }
        _ => {}
    }
    let codes = planned.plan.copy_count();
    if order.sheet().is_some() && codes > MAX_LABELS {
        return Err(MintError::SheetTooLarge(codes));
    }
    let prefix = RunPrefix::from_random(secret::random());

    let printed = print(planned, prefix, key.clone(), order.clone(), progress.clone()).await?;
    let planned = &printed.planned;
    let written_at = clock.now();
    let new = NewPrintRun {
        id: PrintRunId::generate(),
        set: planned.set.id,
        prefix,
        key_id: key.id(),
        plan: &planned.plan,
        file_sha256: printed.file_sha256,
        packing_sha256: printed.packing_sha256,
        at: written_at,
    };
    let commitment = NewCommitment {
        id: planned.announced.unwrap_or_else(CommitmentId::generate),
        set: planned.set.id,
        opening: &planned.opening,
        at: written_at,
    };
    let pending = insert_pending(store, by, &new, &commitment, planned).await;
    let stored = match pending {
        Ok(()) => store_copies(&press, &new, &printed, &order, &progress).await,
        Err(error) => Err(error),
    };
    let are_copies_stored = stored.is_ok();
    let activated = match stored {
        Ok(()) => activate(store, by, &new, planned.set.copies_per_card, &order, clock).await,
        Err(error) => Err(error),
    };
    if let Err(error) = activated {
        if !matches!(error, MintError::Unknown { .. }) {
            // Without the database, the run stays pending and is discarded later; without the file, its codes no longer
            // exist. Another mint may have begun, with a run of its own, if the connection with the lock was lost.
            let own = Some(new.id);
            let discarded = store
                .transaction(async |conn| {
                    discarded_runs::discard_pending(conn, own, clock.now()).await
                })
                .await;
            // The activation may still be running with its response lost; then the print file may be needed.
            if are_copies_stored
                && (discarded.is_err() || is_active(store, new.id).await != Some(false))
            {
                return Err(MintError::Unknown { run: new.id, files: order.files_with_codes() });
            }
            order.remove_files();
        }
        return Err(error);
    }
    Ok(Minted {
        run: new.id,
        commitment: commitment.id,
        codes: planned.plan.copy_count(),
        file_sha256: hex(&printed.file_sha256),
        packing_sha256: printed.packing_sha256.as_ref().map(|hash| hex(hash)),
        sheet_sha256: printed.sheet_sha256.as_ref().map(|hash| hex(hash)),
    })
}

/// Whether a run is active; `None`: the database does not answer.
async fn is_active(store: &Store, run: PrintRunId) -> Option<bool> {
    let mut conn = store.connection().await.ok()?;
    print_runs::is_active(&mut conn, run).await.ok()
}

impl MintOrder {
    fn sheet(&self) -> Option<&PathBuf> {
        self.qr_codes.as_ref()?.sheet.as_ref()
    }

    /// The files that contain plain codes.
    fn files_with_codes(&self) -> Vec<PathBuf> {
        std::iter::once(&self.file).chain(self.sheet()).cloned().collect()
    }

    /// Removes the files that this mint has written.
    fn remove_files(&self) {
        for file in std::iter::once(&self.file).chain(&self.packing_list).chain(self.sheet()) {
            let _ = std::fs::remove_file(file);
        }
    }
}

/// The written and synced files.
struct PrintedFiles {
    planned: Planned,
    rows: Vec<CopyRow>,
    file_sha256: [u8; 32],
    packing_sha256: Option<[u8; 32]>,
    sheet_sha256: Option<[u8; 32]>,
}

/// Generates the codes and writes the files, on a blocking thread.
async fn print(
    planned: Planned,
    prefix: RunPrefix,
    key: Key,
    order: MintOrder,
    progress: Progress,
) -> Result<PrintedFiles, MintError> {
    let file = order.file.clone();
    let work = move || write_files(planned, prefix, &key, &order, &progress);
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
        Err(MintError::File { path: file, source: std::io::Error::other(error) })
    })
}

/// Writes the files; on an error, such as a full disk, those that were written are removed.
fn write_files(
    planned: Planned,
    prefix: RunPrefix,
    key: &Key,
    order: &MintOrder,
    progress: &Progress,
) -> Result<PrintedFiles, MintError> {
    let mut files = NewFiles::default();
    let printed = write_new_files(planned, prefix, key, order, progress, &mut files)?;
    files.leave_all();
    Ok(printed)
}

/// Files that are being written, removed with this value unless they are kept.
#[derive(Default)]
struct NewFiles(Vec<PathBuf>);

impl NewFiles {
    fn create(&mut self, path: &Path) -> Result<HashedFile, MintError> {
        let file = HashedFile::create(path).map_err(|source| cannot_write(path, source))?;
        self.0.push(path.to_owned());
        Ok(file)
    }

    fn leave_all(&mut self) {
        self.0.clear();
    }
}

impl Drop for NewFiles {
    fn drop(&mut self) {
        for path in &self.0 {
            let _ = std::fs::remove_file(path);
        }
    }
}

fn write_new_files(
    planned: Planned,
    prefix: RunPrefix,
    key: &Key,
    order: &MintOrder,
    progress: &Progress,
    files: &mut NewFiles,
) -> Result<PrintedFiles, MintError> {
    let packing_sha256 = write_packing_list(&planned.opening, order, files)?;
    let public_url = order.qr_codes.as_ref().map(|qr_codes| qr_codes.public_url.as_str());
    let mut codes = CodesToWrite {
        file: PrintFile::new(files.create(&order.file)?, order.format, public_url),
        // Created before the first code is generated: no file may exist at the path of the sheet.
        sheet: order
            .sheet()
            .map(|path| Ok::<_, MintError>((files.create(path)?, LabelSheet::new())))
            .transpose()?,
        public_url,
    };
    let rows = write_codes(&planned, prefix, key, &mut codes, progress);
    let cannot_write_codes = |source| cannot_write(&order.file, source);
    let mut rows = rows.map_err(cannot_write_codes)?;
    let CodesToWrite { file, sheet, .. } = codes;
    let file_sha256 = file.finish().map_err(cannot_write_codes)?;
    let sheet_sha256 = order.sheet().zip(sheet).map(|(path, (file, labels))| {
        write_sheet(file, labels).map_err(|source| cannot_write(path, source))
    });
    let sheet_sha256 = sheet_sha256.transpose()?;
    // In the order of the index.
    rows.sort_unstable_by_key(|row| row.mac);
    if rows.windows(2).any(|pair| pair[0].mac == pair[1].mac) {
        return Err(MintError::Collision);
    }
    Ok(PrintedFiles { planned, rows, file_sha256, packing_sha256, sheet_sha256 })
}

fn write_packing_list(
    opening: &Opening,
    order: &MintOrder,
    files: &mut NewFiles,
) -> Result<Option<[u8; 32]>, MintError> {
    let (Some(packs), Some(path)) = (PackPlan::new(&opening.plan)?, &order.packing_list) else {
        return Ok(None);
    };
    let mut file = files.create(path)?;
    let written = packs.write_list(&opening.seed, &mut file).and_then(|()| file.finish());
    written.map(Some).map_err(|source| cannot_write(path, source))
}

/// Paths in a sentence.
fn listed(files: &[PathBuf]) -> String {
    let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    files.join(" and ")
}

fn cannot_write(path: &Path, source: std::io::Error) -> MintError {
    match source.kind() {
        std::io::ErrorKind::AlreadyExists => MintError::FileExists(path.to_owned()),
        _ => MintError::File { path: path.to_owned(), source },
    }
}

/// The files that get the plain codes.
struct CodesToWrite<'a> {
    file: PrintFile,
    sheet: Option<(HashedFile, LabelSheet)>,
    public_url: Option<&'a str>,
}

impl CodesToWrite<'_> {
    /// Adds a code with the codes of its game and set, its card's number and its rarity. `line`: the line of the print
    /// file, from 1.
    fn write(&mut self, code: &str, fields: &[&str; 4], line: u64) -> std::io::Result<()> {
        self.file.write_line(code, fields)?;
        let (Some((_, sheet)), Some(public_url)) = (&mut self.sheet, self.public_url) else {
            return Ok(());
        };
        let address = submit_address(public_url, code);
        let [game, set, number, rarity] = *fields;
        sheet.add(&Label {
            code,
            address: &address,
            set: (game, set),
            printing: (number, rarity),
            line,
        })
    }
}

fn write_sheet(mut file: HashedFile, labels: LabelSheet) -> std::io::Result<[u8; 32]> {
    file.write_all(&labels.finish()?)?;
    file.finish()
}

fn write_codes(
    planned: &Planned,
    prefix: RunPrefix,
    key: &Key,
    codes: &mut CodesToWrite<'_>,
    progress: &Progress,
) -> std::io::Result<Vec<CopyRow>> {
    let Planned { plan, opening: Opening { plan: AnnouncedPlan { game, set, .. }, .. }, .. } =
        planned;
    let mut rows = Vec::with_capacity(usize::try_from(plan.copy_count()).unwrap_or_default());
    for (place, line) in plan.lines().enumerate() {
        let printing = u32::try_from(place).map_err(std::io::Error::other)?;
        for _ in 0..line.copies {
            let mut random = secret::random::<13>();
            let code = SerialCode::assemble(prefix, &random);
            random.zeroize();
            let printed = Zeroizing::new(code.reveal());
            let fields = [game.as_str(), set, line.number, &line.printing.rarity];
            codes.write(&printed, &fields, rows.len() as u64 + 1)?;
            rows.push(CopyRow { mac: key.serial_mac(&code).0, printing });
            if rows.len() % 4096 == 0 {
                progress(rows.len() as u64);
            }
        }
    }
    Ok(rows)
}

/// Stores the run as pending, linked to its announcement, if the set is still as it was planned.
async fn insert_pending(
    store: &Store,
    by: &Operator,
    new: &NewPrintRun<'_>,
    commitment: &NewCommitment<'_>,
    planned: &Planned,
) -> Result<(), MintError> {
    let announced_before = planned.announced.is_some();
    store
        .transaction(async |conn| {
            Box::pin(require_as_planned(conn, by, planned)).await?;
            print_runs::insert_pending(conn, by, new).await?;
            if print_commitments::link_run(conn, commitment, announced_before, new.id).await? {
                Ok(())
            } else {
                Err(MintError::PrintedAlready(commitment.id))
            }
        })
        .await
}

/// Checks that the set is still as it was planned, and locks it so that it stays so until the run is stored. The print file is
/// written without a lock, because that may take minutes.
async fn require_as_planned(
    conn: &mut Connection,
    by: &Operator,
    planned: &Planned,
) -> Result<(), MintError> {
    print_runs::lock_set(conn, planned.set.id).await?;
    let AnnouncedPlan { game, set, copies_per_card, packs, .. } = &planned.opening.plan;
    let now = match plan(conn, &by.into(), game, set, *copies_per_card).await {
        Ok((_, plan)) if plan == planned.plan => return Ok(()),
        Ok((_, plan)) => Some(plan),
        // The set has no such plan any more.
        Err(error) if error.is_refusal() => None,
        Err(error) => return Err(error),
    };
    let is_as_announced = now.is_some_and(|plan| {
        AnnouncedPlan::new(game, set, &plan, packs.clone()) == planned.opening.plan
    });
    match planned.announced {
        Some(id) if !is_as_announced => Err(MintError::NotAsAnnounced(id)),
        _ => Err(MintError::SetChanged),
    }
}

async fn store_copies(
    press: &CopyIn,
    new: &NewPrintRun<'_>,
    printed: &PrintedFiles,
    order: &MintOrder,
    progress: &Progress,
) -> Result<(), MintError> {
    let printings: Vec<_> = new.plan.lines().map(|line| line.printing.id).collect();
    let copy_count = new.plan.copy_count();
    let stored = press
        .store_copies(new.id, new.prefix, &printed.rows, &printings, |count| {
            progress(copy_count + count)
        })
        .await?;
    let files = std::iter::once((&order.file, Some(new.file_sha256)))
        .chain(order.packing_list.iter().map(|list| (list, new.packing_sha256)))
        .chain(order.sheet().map(|sheet| (sheet, printed.sheet_sha256)));
    for (file, written) in files {
        let on_disk = print_file::sha256(file)
            .map_err(|source| MintError::File { path: file.clone(), source })?;
        if stored != copy_count || Some(on_disk) != written {
            return Err(MintError::FileChanged(file.clone()));
        }
    }
    Ok(())
}

/// Activates the run. If the response is lost, asks the database whether the run is active.
async fn activate(
    store: &Store,
    by: &Operator,
    new: &NewPrintRun<'_>,
    copies_before: i64,
    order: &MintOrder,
    clock: &Clock,
) -> Result<(), MintError> {
    let activated = store
        .transaction(async |conn| {
            match print_runs::activate(conn, by, new, copies_before, clock.now()).await {
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
        Err(_) => Err(MintError::Unknown { run: new.id, files: order.files_with_codes() }),
    }
}
