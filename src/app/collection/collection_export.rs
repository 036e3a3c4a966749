//! Export of the caller's collection as a file that an import restores exactly.

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnCollection, Viewer};
use crate::domain::code::Code;
use crate::store::collection::counts::{self, EntryView};

/// An entry of an exported file.
#[derive(Serialize, ToSchema)]
pub struct ExportedEntry {
    /// Number of cards.
    #[schema(example = 4)]
    pub quantity: i32,
    /// Name of the card; absent if the card is hidden from you.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Kettle Imp")]
    pub name: Option<String>,
    /// Code of the game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Code of the set.
    #[schema(example = "hearth")]
    pub set: String,
    /// Number in the set.
    #[schema(example = "016")]
    pub number: String,
    /// Code of the rarity; absent if the card is hidden from you.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "common")]
    pub rarity: Option<String>,
    /// Condition of the cards.
    #[schema(example = "near_mint")]
    pub condition: &'static str,
    /// Id of the printing.
    pub printing: Uuid,
}

impl From<EntryView> for ExportedEntry {
    fn from(entry: EntryView) -> Self {
        Self {
            quantity: entry.quantity,
            condition: entry.condition.as_str(),
            printing: entry.printing_id.0,
            rarity: entry.rarity,
            name: entry.card.name,
            game: entry.card.game_code,
            set: entry.card.set_code,
            number: entry.card.number,
        }
    }
}

/// An exported collection.
#[derive(Serialize, ToSchema)]
pub struct ExportedCollection {
    /// Every entry, by game, set and number.
    pub entries: Vec<ExportedEntry>,
}

const HEADINGS: [&str; 8] =
    ["Count", "Name", "Game", "Set", "Collector Number", "Rarity", "Condition", "Printing ID"];

/// Exports the caller's collection; with `game`, only the entries of that game.
pub async fn export(
    app: &AppState,
    by: &Granted<ReadOwnCollection>,
    viewer: Viewer,
    game: Option<&Code>,
) -> Result<ExportedCollection, Problem> {
    let mut conn = app.store.connection().await?;
    let entries = counts::all(&mut conn, by, viewer, game.map(Code::as_str)).await?;
    let entries: Vec<ExportedEntry> = entries.into_iter().map(Into::into).collect();
    tracing::info!(account = %by.account(), entries = entries.len(), "collection exported");
    Ok(ExportedCollection { entries })
}

impl ExportedCollection {
    /// The file as CSV, for spreadsheets and other programs.
    pub fn to_csv(&self) -> Result<Vec<u8>, Problem> {
        csv_file(&self.entries).map_err(Problem::internal)
    }

    /// The file as JSON, for programs.
    pub fn to_json(&self) -> Result<Vec<u8>, Problem> {
        serde_json::to_vec(self).map_err(Problem::internal)
    }
}

/// Writes the file (RFC 4180). Values are not escaped against spreadsheet formulas
/// (docs/decisions/0047-csv-values-unchanged.md).
fn csv_file(entries: &[ExportedEntry]) -> Result<Vec<u8>, csv::Error> {
    let mut file =
        csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    file.write_record(HEADINGS)?;
    for entry in entries {
        let (quantity, printing) = (entry.quantity.to_string(), entry.printing.to_string());
        file.write_record([
            &quantity,
            entry.name.as_deref().unwrap_or_default(),
            &entry.game,
            &entry.set,
            &entry.number,
            entry.rarity.as_deref().unwrap_or_default(),
            entry.condition,
            &printing,
        ])?;
    }
    file.into_inner().map_err(|error| error.into_error().into())
}
