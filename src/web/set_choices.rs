//! Sets to choose from: those of the first page of their list, and always the chosen set. If there are more sets, the choices are suggestions for a field that
//! accepts any set.

use super::forms::Choice;
use super::words;
use crate::app::catalogue::sets::{self, SetResponse};
use crate::app::page::{MAX_LIMIT, PageLimit};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::domain::code::Code;

/// The sets of a game by their codes, and whether there are more of them.
pub(super) async fn sets_of_game(
    app: &AppState,
    game: &Code,
    chosen: &str,
) -> Result<(Vec<Choice>, bool), Problem> {
    let found = sets::list(app, game, None, limit()?).await?;
    let choice = |set: &SetResponse| Choice::new(&set.code, &*set.name, chosen);
    let mut choices: Vec<Choice> = found.data.iter().map(choice).collect();
    if !is_among(&choices)
        && let Some(set) = find(app, game, chosen).await?
    {
        choices.insert(0, choice(&set));
    }
    Ok((choices, found.next_cursor.is_some()))
}

fn limit() -> Result<PageLimit, Problem> {
    PageLimit::try_from(MAX_LIMIT).map_err(Problem::internal)
}

/// Sets to choose from.
pub(super) struct SetChoices {
    pub(super) choices: Vec<Choice>,
    /// Whether there are more sets.
    pub(super) has_more: bool,
}

/// The sets of all games as `game/set`.
pub(super) async fn sets_of_all_games(app: &AppState, chosen: &str) -> Result<SetChoices, Problem> {
    let found = sets::list_all(app, None, limit()?).await?;
    let choice = |set: &SetResponse| {
        let name = words::set_of(&set.name, &set.game);
        Choice::new(&format!("{}/{}", set.game, set.code), name, chosen)
    };
    let mut choices: Vec<Choice> = found.data.iter().map(choice).collect();
    if !is_among(&choices)
        && let Some((game, set)) = chosen.split_once('/')
        && let Ok(game) = Code::try_from(game)
        && let Some(set) = find(app, &game, set).await?
    {
        choices.insert(0, choice(&set));
    }
    Ok(SetChoices { choices, has_more: found.next_cursor.is_some() })
}

/// Whether one of them is chosen.
pub(super) fn is_among(choices: &[Choice]) -> bool {
    choices.iter().any(|choice| choice.is_chosen)
}

async fn find(app: &AppState, game: &Code, set: &str) -> Result<Option<SetResponse>, Problem> {
    let Ok(set) = Code::try_from(set) else { return Ok(None) };
    match sets::find(app, game, &set).await {
        Ok(set) => Ok(Some(set)),
        Err(problem) if problem.code() == ProblemCode::NotFound => Ok(None),
        Err(problem) => Err(problem),
    }
}
