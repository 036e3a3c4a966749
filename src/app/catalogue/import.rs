//! Imports of catalogue files by admins: manifests and sets.

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use crate::app::fault_reason::FaultReason;
use crate::app::problem::{InputCard, InputFault, Problem, ProblemCode};
use crate::app::problem_cause::ProblemCause;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, Importer, WriteCatalogue};
use crate::domain::catalogue::import::{
    FaultyCard, GameImport, GameSource, ImportFault, SourceFile, StoredTexts,
};
use crate::domain::code::Code;
use crate::store::catalogue::import::{self, Base, ImportError, ImportSummary, SetSummary};
use crate::store::db::deadlines;

/// Most faults in one response: a file for the wrong game has a fault for each card.
const MAX_FAULTS: usize = 200;

/// What an import changed, or would change.
#[derive(Serialize, ToSchema)]
pub struct ImportResponse {
    /// Whether this was a dry run: nothing was stored, and the answer reports what would change.
    #[schema(example = false)]
    pub dry_run: bool,
    /// Code of the game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Whether the game is new.
    #[schema(example = false)]
    pub game_added: bool,
    /// Whether the manifest is new, or differs from the stored one.
    #[schema(example = false)]
    pub manifest_changed: bool,
    /// The sets that changed.
    pub sets: Vec<SetImportResponse>,
}

/// The changes of a set by an import.
#[derive(Serialize, ToSchema)]
pub struct SetImportResponse {
    /// Code of the set.
    #[schema(example = "hearth")]
    pub set: String,
    /// Whether the set is new.
    #[schema(example = true)]
    pub set_added: bool,
    /// Whether the set is new, or its name, its day of release, `cards_start_hidden` or the threshold changed.
    #[schema(example = true)]
    pub set_changed: bool,
    /// Number of new cards.
    #[schema(example = 158)]
    pub cards_added: usize,
    /// Number of cards whose contents changed.
    #[schema(example = 0)]
    pub cards_changed: usize,
    /// Number of printings that stored cards get. Those of new cards are not counted.
    #[schema(example = 0)]
    pub printings_added: usize,
    /// Number of printings that stored cards lose. What players count of them moves to another rarity of the card.
    #[schema(example = 0)]
    pub printings_removed: usize,
    /// Number of hidden cards that were unlocked because the threshold is lower.
    #[schema(example = 0)]
    pub cards_unlocked: usize,
}

impl ImportResponse {
    fn new(dry_run: bool, summary: ImportSummary) -> Self {
        Self {
            dry_run,
            game: summary.game,
            game_added: summary.game_added,
            manifest_changed: summary.manifest_changed,
            sets: summary.sets.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<SetSummary> for SetImportResponse {
    fn from(summary: SetSummary) -> Self {
        let SetSummary {
            set,
            set_added,
            set_changed,
            cards_added,
            cards_changed,
            printings_added,
            printings_removed,
            cards_unlocked,
        } = summary;
        Self {
            set,
            set_added,
            set_changed,
            cards_added,
            cards_changed,
            printings_added,
            printings_removed,
            cards_unlocked,
        }
    }
}

/// The game or set that an import is for.
#[derive(Clone, Debug)]
pub struct ImportTarget {
    /// Code of the game.
    pub game: Code,
    /// Code of the set; `None`: the file is the manifest of the game.
    pub set: Option<Code>,
}

impl ImportTarget {
    /// Refuses a file for another game or set than the request names.
    fn check(&self, import: &GameImport) -> Result<(), Problem> {
        let (found, wanted) = match &self.set {
            None => (import.game().code(), &self.game),
            Some(set) => (import.sets().first().map_or("", |found| found.code.as_str()), set),
        };
        if found == wanted.as_str() {
            return Ok(());
        }
        let fault = InputFault::at("/code", other_code(found, wanted));
        Err(Problem::new(ProblemCode::InvalidImport).errors(vec![fault]))
    }
}

/// The code in a set file; `None`: it contains no valid code.
pub async fn code_of_set(app: &AppState, text: Arc<str>) -> Result<Option<Code>, Problem> {
    let read = move || {
        let (manifest, sets) =
            (SourceFile::new("game.toml", ""), SourceFile::new("set.json", &text));
        GameSource { manifest, sets: vec![sets] }.code_of_set()
    };
    let found = app.work.run(read).await?;
    Ok(found.and_then(|code| Code::try_from(code).ok()))
}

fn other_code(found: &str, wanted: &Code) -> String {
    format!("is {found:?}, but the path says {:?}", wanted.as_str())
}

/// Adds the fault that the code of the set differs from that of the path, unless there already is a fault about the
/// code.
fn with_code_fault(
    mut faults: Vec<ImportFault>,
    wanted: Option<Code>,
    source: &GameSource,
) -> Vec<ImportFault> {
    let is_known = faults.iter().any(|fault| fault.pointer == "/code");
    if let Some(wanted) = wanted.filter(|_| !is_known)
        && let Some(found) = source.code_of_set().filter(|found| found != wanted.as_str())
    {
        let file = source.sets.first().map_or("", |file| file.name.as_str());
        faults.insert(0, ImportFault::new(file, "/code", other_code(&found, &wanted)));
    }
    faults
}

/// Checks a game with its sets and imports it in one transaction; a dry run changes nothing.
pub(super) async fn run(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    target: &ImportTarget,
    base: Base,
    source: GameSource,
    dry_run: bool,
) -> Result<ImportResponse, Problem> {
    // Checking thousands of cards takes a while, so it does not run on a thread that answers requests.
    let wanted = target.set.clone();
    // The manifest beside a set is the stored one.
    let stored = if wanted.is_some() { StoredTexts::OfManifestAndSets } else { StoredTexts::None };
    let check = move || {
        let checked = GameImport::check_with(&source, stored);
        checked.map_err(|faults| with_code_fault(faults, wanted, &source))
    };
    let import = app.work.run(check).await?.map_err(import_refused)?;
    target.check(&import)?;
    let at = app.clock.now();
    let done: Result<ImportSummary, ImportError> = app
        .write_within(deadlines::CATALOGUE, by, async |conn, by| {
            let importer = Importer::from(by);
            let summary = import::import(conn, &importer, &import, base, at, &|_| {}).await?;
            // An error rolls the transaction back.
            if dry_run { Err(ImportError::Rehearsed(summary)) } else { Ok(summary) }
        })
        .await;
    match done {
        Ok(summary) => {
            app.games.forget_list();
            app.cached_answers.forget();
            app.deck_cards.forget_sets();
            app.wait_until_current().await;
            tracing::info!(
                account = %by.account(), game = summary.game, manifest_changed = summary.manifest_changed,
                sets = summary.sets.len(), "catalogue imported"
            );
            Ok(ImportResponse::new(false, summary))
        }
        Err(ImportError::Rehearsed(summary)) => Ok(ImportResponse::new(true, summary)),
        Err(ImportError::Refused(faults)) => Err(import_refused(faults)),
        Err(ImportError::Stale) => Err(Problem::new(match target.set {
            None => ProblemCode::PreconditionFailed,
            // An import of a set names no version of the game.
            Some(_) => ProblemCode::EditConflict,
        })),
        Err(ImportError::Store(error)) => Err(error.into()),
    }
}

fn import_refused(faults: Vec<ImportFault>) -> Problem {
    problem_with_faults(ProblemCode::InvalidImport, faults)
}

/// The failure of a file with faults, or of an edit whose result would not be a valid file.
pub(in crate::app) fn problem_with_faults(code: ProblemCode, faults: Vec<ImportFault>) -> Problem {
    let all = faults.len();
    let listed = faults.into_iter().take(MAX_FAULTS).map(|fault| InputFault {
        line: fault.position.map(|position| position.line),
        column: fault.position.map(|position| position.column),
        code: fault.code,
        rule: fault.rule,
        card: fault.card.map(|FaultyCard { set, number, name }| InputCard { set, number, name }),
        // The message names the stored cards that break a rule.
        detail: fault.message.clone(),
        ..InputFault::at(
            fault.pointer,
            fault.known.map_or_else(|| FaultReason::from(fault.message), FaultReason::from),
        )
    });
    let problem = Problem::new(code).errors(listed.collect());
    if all > MAX_FAULTS {
        problem.because(ProblemCause::ManyFaults { all, listed: MAX_FAULTS })
    } else {
        problem
    }
}
