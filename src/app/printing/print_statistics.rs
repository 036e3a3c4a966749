//! Compares the registered copies of a set with the printed ones.

use serde::Serialize;
use utoipa::ToSchema;

use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::domain::code::Code;
use crate::domain::printing::registration_test::{self, Cell};
use crate::memory::rendered::{Freshness, Rendered};
use crate::store::catalogue::sets;
use crate::store::printing::print_statistics;

/// Part of every response.
const CAVEAT: &str = "Registering is voluntary: players may register some rarities sooner than others. A small p-value asks for a \
                      closer look and proves nothing by itself.";

/// Half of the minute within which a change must show: the response is cached for 20 s, and the rest is time for
/// counting.
const FRESHNESS: Freshness = Freshness::Public(30);

/// The weight of a rarity, and its printed and registered copies.
#[derive(Serialize, ToSchema)]
pub struct RarityStatistics {
    /// Code of the rarity.
    #[schema(example = "mythic_rare")]
    pub rarity: String,
    /// Its weight in the game's manifest.
    #[schema(example = 2)]
    pub weight: u32,
    /// Number of printed copies.
    #[schema(example = 26)]
    pub printed: u64,
    /// Number of copies that players have registered, without void copies.
    #[schema(example = 3)]
    pub registered: u64,
    /// How many of the registered copies are expected to have this rarity, according to the printed copies; rounded to thousandths.
    #[schema(example = 2.597)]
    pub expected: f64,
}

/// A chi-square test of the registered copies against the printed ones.
#[derive(Serialize, ToSchema)]
pub struct ChiSquareTest {
    /// Pearson's statistic, corrected for the size of the run; rounded to thousandths.
    #[schema(example = 4.118)]
    pub chi_square: f64,
    /// Number of groups minus one.
    #[schema(example = 4)]
    pub degrees_of_freedom: u32,
    /// Probability that registered copies deviate at least as much if the run was printed as announced; rounded to millionths.
    #[schema(example = 0.390_304)]
    pub p_value: f64,
    /// The groups of rarities that were compared. Rarities with fewer than five expected copies, registered or not registered yet, are combined with
    /// others.
    #[schema(example = json!([["common"], ["uncommon"], ["rare"], ["ultra_rare"], ["mythic_rare", "primal_rare"]]))]
    pub groups: Vec<Vec<String>>,
}

/// The printed and the registered copies of a set.
#[derive(Serialize, ToSchema)]
pub struct PrintStatisticsResponse {
    /// Code of the game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Code of the set.
    #[schema(example = "veil")]
    pub set: String,
    /// Number of hidden cards that are left out: 0 for moderators and admins.
    #[schema(example = 0)]
    pub hidden_cards: i64,
    /// Number of copies in active print runs, of the cards that are not left out.
    #[schema(example = 1200)]
    pub printed: u64,
    /// Number of copies of the same cards that players have registered, without void copies.
    #[schema(example = 100)]
    pub registered: u64,
    /// The copies by rarity, the most common rarity first.
    pub rarities: Vec<RarityStatistics>,
    /// The test. Absent if too few copies are registered, or too few are not registered, for a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<ChiSquareTest>,
    /// What the test does not prove, for people.
    #[schema(example = "Registering is voluntary: …")]
    pub caveat: &'static str,
}

/// Compares the printed copies of a set with the registered ones. The result may come from the cache, which all viewers
/// with the same permissions share.
pub async fn find(
    app: &AppState,
    game: Code,
    set: Code,
    viewer: Viewer,
) -> Result<Rendered, Problem> {
    let key = (game.clone(), set.clone(), viewer.sees_all());
    let found = app.counted_printings.find_or(key, count(app, game, set, viewer)).await?;
    Ok(if viewer.is_stranger() { found } else { found.into_private() })
}

async fn count(app: &AppState, game: Code, set: Code, viewer: Viewer) -> Result<Rendered, Problem> {
    let mut conn = app.store.connection().await?;
    let manifest = app.games.find(&mut conn, game.as_str()).await?;
    let manifest = manifest.ok_or_else(Problem::not_found)?;
    let row = sets::find(&mut conn, game.as_str(), set.as_str()).await?;
    let hidden_cards = row.ok_or_else(Problem::not_found)?.hidden_count;
    let rows =
        print_statistics::count_by_rarity(&mut conn, game.as_str(), set.as_str(), viewer).await?;

    let count = |copies: i64| u64::try_from(copies).unwrap_or_default();
    let cells: Vec<Cell> = rows
        .iter()
        .map(|row| Cell { printed: count(row.printed), registered: count(row.registered) })
        .collect();
    let printed: u64 = cells.iter().map(|cell| cell.printed).sum();
    let registered: u64 = cells.iter().map(|cell| cell.registered).sum();
    let weight = |code: &str| {
        manifest.game.rarities().iter().find(|rarity| rarity.code == code).map_or(0, |r| r.weight)
    };
    let rarities = rows.iter().zip(&cells).map(|(row, cell)| RarityStatistics {
        rarity: row.rarity.clone(),
        weight: weight(&row.rarity),
        printed: cell.printed,
        registered: cell.registered,
        expected: rounded(cell.expected(registered, printed), 1e3),
    });
    let test = registration_test::test(&cells).map(|outcome| ChiSquareTest {
        chi_square: rounded(outcome.chi_square, 1e3),
        degrees_of_freedom: outcome.degrees_of_freedom,
        p_value: rounded(outcome.p_value, 1e6),
        groups: outcome
            .groups
            .iter()
            .map(|group| group.iter().map(|&place| rows[place].rarity.clone()).collect())
            .collect(),
    });
    let answer = PrintStatisticsResponse {
        hidden_cards: if viewer.sees_all() { 0 } else { hidden_cards },
        printed,
        registered,
        rarities: rarities.collect(),
        test,
        caveat: CAVEAT,
        game: game.into_string(),
        set: set.into_string(),
    };
    Ok(Rendered::new(FRESHNESS, None, &answer)?.into_cached())
}

fn rounded(value: f64, steps: f64) -> f64 {
    (value * steps).round() / steps
}
