//! Codes of games, sets, kinds and rarities in query parameters: case is ignored, and unknown codes are refused with
//! suggestions of similar ones.

use std::sync::Arc;

use super::query_warning::QueryWarning;
use crate::app::fault_reason::FaultReason;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::search::index::Releases;
use crate::search::{CardFilter, QueryFault, Scope};
use crate::store::catalogue::games::LoadedGame;

/// Codes that the parameters of a request name.
#[derive(Clone, Debug, Default)]
pub struct Codes {
    /// Code of a game.
    pub game: Option<Code>,
    /// Code of a set; of the game, if one is given.
    pub set: Option<Code>,
    /// Code of a rarity; of the game, if one is given.
    pub rarity: Option<Code>,
}

/// A parameter with a code that does not exist.
pub(crate) struct UnknownCode<'c> {
    pub(crate) parameter: &'static str,
    pub(crate) code: &'c str,
    /// That the code does not exist, with similar ones that do.
    pub(crate) fault: QueryFault,
}

impl From<UnknownCode<'_>> for QueryWarning {
    fn from(UnknownCode { parameter, code, fault }: UnknownCode<'_>) -> Self {
        Self::of_parameter(parameter, code, fault)
    }
}

impl Codes {
    /// For requests that can only name a game.
    pub fn of_game(game: Option<Code>) -> Self {
        Self { game, ..Self::default() }
    }

    /// For requests that can only name a game and a set.
    pub fn of_set(game: Option<Code>, set: Option<Code>) -> Self {
        Self { game, set, rarity: None }
    }

    /// The codes as they are stored.
    ///
    /// # Errors
    /// `invalid_query`: there is no such game, set or rarity.
    pub async fn resolve(self, app: &AppState) -> Result<Self, Problem> {
        let Self { game, set, rarity } = self;
        let [game, set, rarity] =
            [game, set, rarity].map(|code| code.as_ref().map(Code::lower_case));
        let codes = Self { game, set, rarity };
        let text = |code: &Option<Code>| code.clone().map(Code::into_string);
        let filter = CardFilter {
            game: text(&codes.game),
            set: text(&codes.set),
            rarity: text(&codes.rarity),
            ..CardFilter::default()
        };
        if filter == CardFilter::default() {
            return Ok(codes);
        }
        let games = app.all_games().await?;
        let sets = if codes.set.is_some() { Some(app.sets().await?) } else { None };
        if unknown_codes(&filter, &games, sets.as_deref()).is_empty() {
            return Ok(codes);
        }
        // The lists in memory may be slightly old: the database is queried before a code is refused.
        let mut conn = app.store.connection().await?;
        let games = app.games.read_list(&mut conn).await?;
        let sets = match sets {
            Some(_) => Some(AppState::read_sets(&mut conn).await?),
            None => None,
        };
        let unknown = unknown_codes(&filter, &games, sets.as_ref());
        if unknown.is_empty() {
            return Ok(codes);
        }
        let fault = |unknown: UnknownCode<'_>| {
            let UnknownCode { parameter, fault, .. } = unknown;
            let message = fault.to_string();
            InputFault::at(format!("?{parameter}"), FaultReason::NoCode { of: parameter, message })
        };
        let faults = unknown.into_iter().map(fault).collect();
        Err(Problem::new(ProblemCode::InvalidQuery).errors(faults))
    }
}

/// The codes of a filter that do not exist. If the game is unknown, only the game: its sets and kinds cannot be
/// checked.
pub(crate) fn unknown_codes<'c>(
    filter: &'c CardFilter,
    games: &[Arc<LoadedGame>],
    sets: Option<&Releases>,
) -> Vec<UnknownCode<'c>> {
    let CardFilter { game, set, kind, rarity, .. } = filter;
    let all = Scope::new(games.iter().map(|loaded| &loaded.game));
    let scope = match game.as_deref().map(|code| (code, all.of_code(code))) {
        None => all,
        Some((_, Ok(one))) => one,
        Some((code, Err(fault))) => {
            return vec![UnknownCode { parameter: "game", code, fault }];
        }
    };
    let mut found = Vec::new();
    let mut add = |parameter, code, fault: Option<QueryFault>| {
        found.extend(fault.map(|fault| UnknownCode { parameter, code, fault }));
    };
    if let (Some(set), Some(sets)) = (set, sets) {
        add("set", set, scope.unknown_set(set, sets));
    }
    let lacks = |what, code: &str, known: Vec<&str>| {
        (!known.contains(&code)).then(|| scope.lacks(what, code, known))
    };
    let games = || scope.games().iter();
    if let Some(kind) = kind {
        let kinds = games().flat_map(|game| game.kinds()).map(|kind| kind.code.as_str());
        add("kind", kind, lacks("kind", kind, kinds.collect()));
    }
    if let Some(rarity) = rarity {
        let rarities = games().flat_map(|game| game.rarities()).map(|one| one.code.as_str());
        add("rarity", rarity, lacks("rarity", rarity, rarities.collect()));
    }
    found
}
