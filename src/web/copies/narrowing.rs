//! Narrows lists of cards or copies to a game, a set and a rarity.

use serde::Deserialize;

use super::choices::Games;
use crate::app::catalogue::codes::Codes;
use crate::app::page::Cursor;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::web::fault_words;
use crate::web::forms::{Choice, Faults};
use crate::web::page::path_of;

/// The filter, as the form sends it: fields without input are empty.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct Narrowing {
    pub(in crate::web) game: String,
    pub(in crate::web) set: String,
    pub(in crate::web) rarity: String,
    pub(in crate::web) cursor: Option<Cursor>,
}

impl Narrowing {
    /// The path of a page with this filter.
    pub(in crate::web) fn path_at(&self, page: &str, cursor: Option<&str>) -> String {
        let fields = [
            ("game", self.game.trim()),
            ("set", self.set.trim()),
            ("rarity", self.rarity.trim()),
            ("cursor", cursor.unwrap_or_default()),
        ];
        path_of(page, &fields)
    }

    /// The path of the first page of the same list; `None`: this is the first page.
    pub(in crate::web) fn first_path(&self, page: &str) -> Option<String> {
        self.cursor.as_ref().map(|_| self.path_at(page, None))
    }

    /// Whether the list has a filter.
    pub(in crate::web) fn is_narrowed(&self) -> bool {
        !self.path_at("", None).is_empty()
    }

    /// The checked codes, which must exist; or the faults of the fields.
    pub(in crate::web) async fn codes(
        &self,
        app: &AppState,
    ) -> Result<Result<Codes, Faults>, Problem> {
        let mut faults = Faults::none();
        let mut code = |field: &'static str, text: &str| {
            let text = text.trim();
            if text.is_empty() {
                return None;
            }
            let code = Code::try_from(text);
            code.map_err(|_| faults.add(field, fault_words::CODE_FAULT)).ok()
        };
        let (game, set) = (code("game", &self.game), code("set", &self.set));
        let codes = Codes { game, set, rarity: code("rarity", &self.rarity) };
        if !faults.is_empty() {
            return Ok(Err(faults));
        }
        match codes.resolve(app).await {
            Ok(codes) => Ok(Ok(codes)),
            Err(problem) if problem.code() == ProblemCode::InvalidQuery => {
                let fields = [("?game", "game"), ("?set", "set"), ("?rarity", "rarity")];
                Faults::of_problem(&problem, &fields, |_| None).map(Err).ok_or(problem)
            }
            Err(problem) => Err(problem),
        }
    }
}

/// The form of the filter.
pub(in crate::web) struct NarrowForm {
    pub(in crate::web) path: String,
    pub(in crate::web) games: Vec<Choice>,
    pub(in crate::web) set: String,
    /// `None`: this list has no filter by rarity.
    pub(in crate::web) rarity: Option<String>,
}

impl NarrowForm {
    pub(in crate::web) fn new(path: &str, games: &Games, narrowing: &Narrowing) -> Self {
        Self {
            path: path.to_owned(),
            games: games.choices(&narrowing.game),
            set: narrowing.set.clone(),
            rarity: Some(narrowing.rarity.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_hold_the_filter_and_no_empty_fields() {
        let narrowing = Narrowing { set: " hearth ".to_owned(), ..Narrowing::default() };
        assert_eq!(
            narrowing.path_at("/my/copies", Some("abc")),
            "/my/copies?set=hearth&cursor=abc"
        );
        assert_eq!(Narrowing::default().path_at("/my/copies", None), "/my/copies");
        assert!(narrowing.is_narrowed() && !Narrowing::default().is_narrowed());
    }
}
