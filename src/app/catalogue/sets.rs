//! Sets.

use std::sync::Arc;

use cardscape_engine::{Date, Game, SetDefinition};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::card_edits::Edited;
use super::import::{ImportResponse, ImportTarget, problem_with_faults, run};
use crate::app::page::{Page, PageLimit, paged};
use crate::app::patch::present;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::IfMatch;
use crate::auth::permission::{Granted, WriteCatalogue};
use crate::domain::catalogue::card_edit::{check_new_set, set_faults};
use crate::domain::catalogue::card_name::MAX_NAME;
use crate::domain::catalogue::import::{GameSource, SourceFile};
use crate::domain::code::Code;
use crate::domain::text;
use crate::store::catalogue::games;
use crate::store::catalogue::import::{self, Base, EditError, SetChange, SetCreated, SetDeleted};
pub use crate::store::catalogue::import::{SetUse, SetVersion};
use crate::store::catalogue::sets::{self, SetRow};
use crate::store::db::deadlines;
use crate::store::operations::idempotency::IdempotencyClaim;

/// A set, and how many of its cards are unlocked.
#[derive(Serialize, ToSchema)]
pub struct SetResponse {
    /// Code of its game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Its code, unique in the game.
    #[schema(example = "veil")]
    pub code: String,
    /// Its name.
    #[schema(example = "Beyond the Veil")]
    pub name: String,
    /// Day of release; absent if there is none yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "2026-12-01")]
    pub released_on: Option<NaiveDate>,
    /// Whether its cards start hidden until the community unlocks them.
    pub cards_start_hidden: bool,
    /// Number of distinct accounts whose submissions unlock a card.
    #[schema(example = 5, minimum = 1)]
    pub unlock_threshold: i32,
    /// Number of its cards.
    #[schema(example = 14)]
    pub cards: i64,
    /// Number of its cards that are still hidden.
    #[schema(example = 12)]
    pub hidden_cards: i64,
    /// Number of its cards that were hidden and are unlocked now.
    #[schema(example = 2)]
    pub unlocked_cards: i64,
}

impl From<SetRow> for SetResponse {
    fn from(row: SetRow) -> Self {
        Self {
            game: row.game_code,
            code: row.code,
            name: row.name,
            released_on: row.released_on,
            cards_start_hidden: row.hidden,
            unlock_threshold: row.unlock_threshold,
            cards: row.card_count,
            hidden_cards: row.hidden_count,
            unlocked_cards: row.unlocked_count,
        }
    }
}

/// Lists the sets of a game by code, after the last one of the previous page.
pub async fn list(
    app: &AppState,
    game: &Code,
    after: Option<&Code>,
    limit: PageLimit,
) -> Result<Page<SetResponse>, Problem> {
    let mut conn = app.store.connection().await?;
    app.games.find(&mut conn, game).await?.ok_or_else(Problem::not_found)?;
    let rows = sets::list(&mut conn, game, after.map(Code::as_str), limit.rows()).await?;
    Ok(paged(rows, limit, |row| row.code.clone(), SetResponse::from))
}

/// Lists the sets of all games by game and code, after the last one of the previous page.
pub async fn list_all(
    app: &AppState,
    after: Option<&(Code, Code)>,
    limit: PageLimit,
) -> Result<Page<SetResponse>, Problem> {
    let mut conn = app.store.connection().await?;
    let after = after.map(|(game, set)| (game.as_str(), set.as_str()));
    let rows = sets::list_all(&mut conn, after, limit.rows()).await?;
    let key = |row: &SetRow| (row.game_code.clone(), row.code.clone());
    Ok(paged(rows, limit, key, SetResponse::from))
}

/// How many sets one query reads when it searches for hidden cards, and how many queries run at most.
const HIDDEN_SETS_READ: (i64, usize) = (200, 5);

/// Finds the first sets with hidden cards, of all games, by game and code. Returns more than `most` if there are that
/// many among the first thousand sets.
pub async fn list_with_hidden_cards(app: &AppState, most: usize) -> Result<Arc<[SetRow]>, Problem> {
    let read = async {
        let (limit, times) = HIDDEN_SETS_READ;
        let mut conn = app.store.connection().await?;
        let (mut found, mut after) = (Vec::new(), None);
        for _ in 0..times {
            let place = after.as_ref().map(|(game, set): &(String, String)| (&**game, &**set));
            let rows = sets::list_all(&mut conn, place, limit).await?;
            after = rows.last().map(|row| (row.game_code.clone(), row.code.clone()));
            found.extend(rows.into_iter().filter(|row| row.hidden_count > 0));
            if after.is_none() || found.len() > most {
                break;
            }
        }
        found.truncate(most + 1);
        Ok::<_, Problem>(found.into())
    };
    app.hidden_sets.find_or(app.catalogue.version(), read).await
}

/// Finds a set, with the number of its unlocked cards.
pub async fn find(app: &AppState, game: &Code, set: &Code) -> Result<SetResponse, Problem> {
    let mut conn = app.store.connection().await?;
    let row = sets::find(&mut conn, game, set).await?;
    Ok(row.ok_or_else(Problem::not_found)?.into())
}

/// The version of a set, as [`replace`] takes it; also of a set that does not exist yet.
pub async fn find_version(app: &AppState, game: &Code, set: &Code) -> Result<SetVersion, Problem> {
    let mut conn = app.store.connection().await?;
    Ok(import::find_set_version(&mut conn, game, set).await?)
}

/// Creates a set, or replaces it, from a complete file; a dry run changes nothing. Parse errors of the file are
/// reported only if the game exists. With `seen`, the set must still have this version if the file changes anything.
pub async fn replace(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    target: &ImportTarget,
    seen: Option<SetVersion>,
    file: Result<impl AsRef<str>, Problem>,
    dry_run: bool,
) -> Result<ImportResponse, Problem> {
    let stored = games::manifest(&mut *app.store.connection().await?, &target.game).await?;
    let stored = stored.ok_or_else(Problem::not_found)?;
    let manifest = SourceFile::new("game.toml", &stored.text);
    let sets = vec![SourceFile::new("set.json", file?.as_ref())];
    let base = match seen {
        Some(seen) => Base::Checked(stored.revision, seen),
        None => Base::Revision(stored.revision),
    };
    run(app, by, target, base, GameSource { manifest, sets }, dry_run).await
}

/// A new set, without cards.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSetRequest {
    /// Its code, which no other set of the game has: small letters and digits, with single hyphens between them. It cannot be changed.
    #[schema(
        example = "fan-made",
        min_length = 1,
        max_length = 32,
        pattern = "^[a-z0-9]+(-[a-z0-9]+)*$"
    )]
    pub code: String,
    /// Its name.
    #[schema(example = "Made by Players", min_length = 1, max_length = 120)]
    pub name: String,
    /// Day of release; absent or `null`: there is none yet.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = Date, example = "2027-03-01")]
    pub released_on: Option<String>,
    /// Whether its cards start hidden until the community unlocks them; absent or `null`: as the manifest of the game says.
    #[serde(default)]
    pub cards_start_hidden: Option<bool>,
    /// Number of distinct accounts whose submissions unlock a card; absent or `null`: as the manifest of the game says. An unlock policy takes precedence.
    #[serde(default)]
    #[schema(example = 5, minimum = 1, maximum = 100_000)]
    pub unlock_threshold: Option<u32>,
}

impl NewSetRequest {
    fn into_definition(self) -> SetDefinition {
        SetDefinition {
            code: self.code,
            name: self.name.trim().to_owned(),
            released_on: self.released_on,
            hidden: self.cards_start_hidden,
            unlock_threshold: self.unlock_threshold,
            cards: Vec::new(),
        }
    }

    /// The fault of the name, if it has one.
    pub fn name_fault(&self) -> Option<InputFault> {
        let error = text::line(self.name.trim(), 1, MAX_NAME).err()?;
        Some(InputFault::at("/name", error))
    }

    /// The faults of a new set whose game was not chosen: its fields have the same rules in all games.
    pub async fn faults_without_game(self, app: &AppState) -> Result<Vec<InputFault>, Problem> {
        let games = app.all_games().await?;
        let Some(any) = games.first() else { return Ok(Vec::new()) };
        Ok(match check_new_set(&any.game, self.into_definition()) {
            Ok(_) => Vec::new(),
            Err(faults) => problem_with_faults(ProblemCode::InvalidBody, faults).into_faults(),
        })
    }
}

/// Creates a set without cards. A repeated request returns the set that the first one created.
pub async fn create(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    game: &Code,
    request: NewSetRequest,
    key: Option<&IdempotencyClaim>,
) -> Result<SetResponse, Problem> {
    let loaded = app.games.find(&mut *app.store.connection().await?, game).await?;
    let loaded = loaded.ok_or_else(Problem::not_found)?;
    let new = check_new_set(&loaded.game, request.into_definition())
        .map_err(|faults| problem_with_faults(ProblemCode::InvalidBody, faults))?;
    let (id, at) = (Uuid::now_v7(), app.clock.now());
    let created = app
        .write_within(deadlines::CATALOGUE, by, async |conn, by| {
            import::create_set(conn, by, id, game, &new, key, at).await
        })
        .await?;
    match created {
        SetCreated::New(row) => {
            sets_changed(app).await;
            tracing::info!(account = %by.account(), %game, set = row.code, "set created");
            Ok(row.into())
        }
        SetCreated::Repeat(Some(row)) => Ok(row.into()),
        SetCreated::Repeat(None) => Err(Problem::new(ProblemCode::Gone)),
        SetCreated::NoGame => Err(Problem::not_found()),
        SetCreated::CodeTaken => Err(Problem::new(ProblemCode::SetCodeTaken)),
    }
}

/// Drops cached answers that list sets, and waits until the sets in memory are those of the database.
async fn sets_changed(app: &AppState) {
    app.cached_answers.forget();
    app.deck_cards.forget_sets();
    app.wait_until_current().await;
}

/// What depends on a set, so that it cannot be deleted; `None`: nothing.
pub async fn find_use(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    (game, set): (&Code, &Code),
) -> Result<Option<SetUse>, Problem> {
    let mut conn = app.store.connection().await?;
    Ok(import::find_set_use(&mut conn, by, (game.as_str(), set.as_str())).await?)
}

/// Deletes a set on which nothing depends, if it is still the version that the editor has read.
pub async fn delete(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    (game, set): (&Code, &Code),
    if_match: &IfMatch,
) -> Result<(), Problem> {
    let at = app.clock.now();
    let is_current = |row: &SetRow| if_match.has_seen(&SetResponse::from(row.clone()));
    let deleted = app
        .write_within(deadlines::CATALOGUE, by, async |conn, by| {
            import::delete_set(conn, by, (game.as_str(), set.as_str()), is_current, at).await
        })
        .await?;
    match deleted {
        SetDeleted::Done => {
            sets_changed(app).await;
            tracing::info!(account = %by.account(), %game, %set, "set deleted");
            Ok(())
        }
        SetDeleted::Missing => Err(Problem::not_found()),
        SetDeleted::Stale => Err(Problem::new(ProblemCode::PreconditionFailed)),
        SetDeleted::Used(used) => Err(Problem::new(ProblemCode::SetInUse).detail(match used {
            SetUse::Cards => "The set has cards.",
            SetUse::FormerCards => {
                "The set had cards that were moved or merged: their old numbers lead to them."
            }
            SetUse::PrintRun => "A print run of the set was begun.",
            SetUse::Announcement => "A print run of the set was announced.",
            SetUse::UnlockPolicy => "The set has an unlock policy of its own.",
        })),
    }
}

/// A JSON merge patch of the fields of a set.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SetPatch {
    /// Its name.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, example = "Beyond the Veil", min_length = 1, max_length = 120)]
    name: Option<String>,
    /// Day of release; `null` if there is none yet.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, format = Date, example = "2026-12-01")]
    #[allow(clippy::option_option, reason = "absent, null and a day are three things to say")]
    released_on: Option<Option<String>>,
    /// Whether cards that are added later start hidden. It does not change existing cards.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = bool)]
    cards_start_hidden: Option<bool>,
    /// Number of distinct accounts whose submissions unlock a card. A lower number at once unlocks the cards that already have enough.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = u32, example = 5, minimum = 1, maximum = 100_000)]
    unlock_threshold: Option<u32>,
}

impl SetPatch {
    /// Parses the change, or returns every fault.
    fn parse(self, game: &Game, code: &Code) -> Result<SetChange, Problem> {
        let day = |text: &String| text.parse::<Date>().is_ok().then(|| text.parse().ok()).flatten();
        let released_on = self.released_on.as_ref().map(|on| on.as_ref().and_then(day));
        let set = SetDefinition {
            code: code.as_str().to_owned(),
            name: self.name.clone().unwrap_or_else(|| code.as_str().to_owned()),
            released_on: self.released_on.flatten(),
            hidden: None,
            unlock_threshold: self.unlock_threshold,
            cards: Vec::new(),
        };
        let faults = set_faults(game, &set);
        if !faults.is_empty() {
            return Err(problem_with_faults(ProblemCode::InvalidBody, faults));
        }
        let threshold = self.unlock_threshold.and_then(|threshold| threshold.try_into().ok());
        Ok(SetChange {
            name: self.name.map(|name| name.trim().to_owned()),
            released_on,
            hidden: self.cards_start_hidden,
            unlock_threshold: threshold,
        })
    }
}

/// Changes the fields of a set if it is still the version that the editor has read; a dry run changes nothing.
pub async fn edit(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    (game, set): (&Code, &Code),
    if_match: &IfMatch,
    patch: SetPatch,
    dry_run: bool,
) -> Result<Edited<SetResponse>, Problem> {
    let loaded = app.games.find(&mut *app.store.connection().await?, game).await?;
    let loaded = loaded.ok_or_else(Problem::not_found)?;
    let (change, at) = (patch.parse(&loaded.game, set)?, app.clock.now());
    let done = app
        .write_within(deadlines::CATALOGUE, by, async |conn, by| {
            let is_current = |row: &SetRow| if_match.has_seen(&SetResponse::from(row.clone()));
            let place = (game.as_str(), set.as_str());
            let now = import::edit_set(conn, by, place, is_current, &change, at).await?;
            // An error rolls the transaction back.
            if dry_run { Err(EditError::Rehearsed(now)) } else { Ok(now) }
        })
        .await;
    let edited = Edited::new(done)?;
    if let Edited::Done(_) = edited {
        sets_changed(app).await;
        tracing::info!(account = %by.account(), %game, %set, "set changed");
    }
    Ok(edited)
}
