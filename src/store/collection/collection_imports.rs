//! Imports of collection files: a file is read and shown first, and then applied exactly as it was shown.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration as StdDuration;

use cardscape_engine::{name_similarity, search_key};
use chrono::{DateTime, Duration, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Jsonb, Nullable, Text, Timestamptz};
use diesel_async::RunQueryDsl;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::counts::{self, CollectionError, CountSelection, count_of};
use crate::auth::permission::{Acting, Granted, Viewer, WriteOwnCollection};
use crate::domain::catalogue::card_name::{SIMILARITY_MIN, TypedName};
use crate::domain::collection::resolve::{
    Assumptions, CardResolver, Choice, Meaning, Outdated, Titled, spellings, split_set,
};
use crate::domain::collection::table::{Line, LineFault, WantedPrinting};
use crate::domain::collection::{Condition, EntryKey, ImportMode, add_to_count};
use crate::domain::ids::{AccountId, CardId, CollectionImportId, PrintingId};
use crate::domain::network::Network;
use crate::store::accounts::credentials;
use crate::store::card_content::collection as card_collection;
use crate::store::card_content::collection::{CardReferences, EntryFilter, EntryView};
use crate::store::card_content::lookups::NamedCard;
use crate::store::card_content::suggestions::{Misspelt, suggest_near_names};
use crate::store::db::codecs::json::Json;
use crate::store::db::pool::AsStoreError;
use crate::store::db::schema::{games, printings, sets};
use crate::store::db::search_queue::SearchQueue;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreError, StoreResult};

/// How long a read file can be committed.
pub const COMMIT_TIME: Duration = Duration::minutes(15);
/// Most uncommitted files of an account; a further file replaces the oldest.
const MAX_WAITING: i64 = 5;
/// Lines whose cards are looked up together.
const BATCH: usize = 1_000;
/// Most choices in a response, over all lines: a short file can repeat the same ambiguous line many times.
const MAX_CHOICES: usize = 10_000;
/// Similar names that are suggested for one unknown name.
const NEAR_NAMES: usize = 3;
/// Most entries that an error about counts names.
const NAMED_ENTRIES: usize = 5;
/// Most changed entries that an import lists when it is shown again.
const LISTED_CHANGES: usize = 100;

/// A resolver with the cards that these descriptions may mean, as the viewer may see them.
pub(in crate::store) async fn load_resolver(
    conn: &mut Connection,
    account: AccountId,
    viewer: Viewer,
    wanted: &[&WantedPrinting],
    assumed: &Assumptions,
) -> StoreResult<CardResolver> {
    let needs_sets = wanted.iter().any(|one| one.printing.is_none() || !one.sets.is_empty());
    let mut resolver = load_titles(conn, needs_sets).await?;
    add_cards(conn, &mut resolver, account, viewer, wanted, assumed).await?;
    Ok(resolver)
}

/// A resolver with all games, with all sets or none, and no cards.
async fn load_titles(conn: &mut Connection, needs_sets: bool) -> StoreResult<CardResolver> {
    let all_games: Vec<(String, String)> =
        games::table.select((games::code, games::name)).order(games::code).load(conn).await?;
    let all_games = all_games.into_iter();
    let all_games = all_games.map(|(code, name)| Titled { game: code.clone(), code, name });
    if !needs_sets {
        return Ok(CardResolver::new(all_games.collect(), Vec::new()));
    }
    let all_sets: Vec<(String, String, String)> = sets::table
        .select((sets::game_code, sets::code, sets::name))
        .order((sets::game_code, sets::code))
        .load(conn)
        .await?;
    let all_sets = all_sets.into_iter().map(|(game, code, name)| Titled { game, code, name });
    Ok(CardResolver::new(all_games.collect(), all_sets.collect()))
}

/// Adds the cards that these descriptions may mean, as the viewer may see them.
async fn add_cards(
    conn: &mut Connection,
    resolver: &mut CardResolver,
    account: AccountId,
    viewer: Viewer,
    wanted: &[&WantedPrinting],
    assumed: &Assumptions,
) -> StoreResult<()> {
    let (mut names, mut places, mut ids) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for wanted in wanted {
        ids.extend(wanted.printing);
        match (&wanted.name, &wanted.number) {
            (Some(name), _) => {
                names.insert(name.search_key().to_owned());
                names.extend(split_set(name.as_str()).map(|(name, _)| search_key(name)));
            }
            (None, Some(number)) => {
                for (game, set) in resolver.sets_of(wanted, assumed).unwrap_or_default() {
                    let place = |number| (game.to_owned(), set.to_owned(), number);
                    places.extend(spellings(number).into_iter().map(place));
                }
            }
            (None, None) => {}
        }
    }
    let references = CardReferences {
        names: names.into_iter().collect(),
        places: places.into_iter().collect(),
        printings: ids.into_iter().collect(),
        former_places: Vec::new(),
    };
    for card in card_collection::find_known_cards(conn, viewer, account, &references).await? {
        resolver.add(card);
    }
    add_former_cards(conn, resolver, account, viewer, wanted, assumed).await
}

/// Adds what cards were before, for lines with ids of printings that otherwise mean nothing: they may be from an export
/// that was made before cards were renamed, moved or merged.
async fn add_former_cards(
    conn: &mut Connection,
    resolver: &mut CardResolver,
    account: AccountId,
    viewer: Viewer,
    wanted: &[&WantedPrinting],
    assumed: &Assumptions,
) -> StoreResult<()> {
    let (mut cards, mut places) = (BTreeSet::new(), BTreeSet::new());
    for outdated in wanted.iter().filter_map(|wanted| resolver.find_outdated(wanted, assumed)) {
        match outdated {
            Outdated::Card(card) => {
                cards.insert(card);
            }
            Outdated::Places(former) => places.extend(former),
        }
    }
    let former_places = places.into_iter().collect();
    let references = CardReferences { former_places, ..CardReferences::default() };
    for card in card_collection::find_known_cards(conn, viewer, account, &references).await? {
        cards.insert(card.id);
        resolver.add(card);
    }
    let cards: Vec<CardId> = cards.into_iter().collect();
    for (card, former) in card_collection::find_former_cards(conn, viewer, &cards).await? {
        resolver.add_former(card, former);
    }
    Ok(())
}

/// The result of reading a line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The line means this printing.
    Ok(Box<Choice>, EntryKey, i32),
    /// The line may mean any of several printings.
    Ambiguous(LineFault, Vec<Choice>),
    /// The line means no card that the owner may see.
    Unknown(LineFault, Vec<Choice>),
    /// The line cannot be read, or asks for something impossible.
    Invalid(LineFault),
}

impl Verdict {
    /// The code on the wire.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Ok(..) => "ok",
            Self::Ambiguous(..) => "ambiguous",
            Self::Unknown(..) => "unknown",
            Self::Invalid(..) => "invalid",
        }
    }

    /// Why the line is not ok.
    pub fn reason(&self) -> Option<&LineFault> {
        match self {
            Self::Ok(..) => None,
            Self::Ambiguous(reason, _) | Self::Unknown(reason, _) | Self::Invalid(reason) => {
                Some(reason)
            }
        }
    }
}

/// A rejected line as it is stored, without anything that reveals the content of cards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RejectedLine {
    /// Line number in the file, from 1.
    pub line: u64,
    /// The card as the file names it.
    pub text: String,
    /// `ambiguous`, `unknown` or `invalid`.
    pub verdict: String,
    /// The reason.
    pub detail: String,
}

/// The result of reading a file.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// A verdict for each line, in order.
    pub verdicts: Vec<Verdict>,
    /// Counts from the lines that are ok.
    pub counts: BTreeMap<EntryKey, i32>,
    /// Number of entries that a commit would remove; `None`: the file is added.
    pub removes: Option<usize>,
    /// The counts that a commit would replace; `None`: the file is added.
    pub replaced: Option<BTreeMap<EntryKey, i32>>,
    /// Number of lines whose choices are left out, because there would be too many.
    pub choices_left_out: usize,
    /// Number of choices of all lines together.
    shown_choices: usize,
    /// The only game whose counts are replaced. Lines of other games cannot be counted then: nobody was asked whether
    /// to replace their counts, too.
    replaced_game: Option<String>,
    /// Lines, from 0, whose name no card has, and the name to search instead.
    misspelt: Vec<(usize, Misspelt, TypedName)>,
}

impl Reading {
    fn add(&mut self, line: &Line, resolver: &CardResolver, assumed: &Assumptions) {
        let mut verdict = self.verdict(line, resolver, assumed);
        if let Some((misspelt, name)) = misspelt(line, &verdict, resolver, assumed) {
            self.misspelt.push((self.verdicts.len(), misspelt, name));
        }
        if let Verdict::Ambiguous(_, choices) | Verdict::Unknown(_, choices) = &mut verdict
            && !self.has_room_for(choices.len())
        {
            choices.clear();
        }
        self.verdicts.push(verdict);
    }

    /// Whether one more line may have so many choices. If not, the line is counted as one without its choices.
    fn has_room_for(&mut self, choices: usize) -> bool {
        let has_room = self.shown_choices + choices <= MAX_CHOICES;
        if has_room {
            self.shown_choices += choices;
        } else {
            self.choices_left_out += 1;
        }
        has_room
    }

    fn verdict(&mut self, line: &Line, resolver: &CardResolver, assumed: &Assumptions) -> Verdict {
        let wanted = match &line.wanted {
            Ok(wanted) => wanted,
            Err(reason) => return Verdict::Invalid(reason.clone()),
        };
        let (choice, printing) = match resolver.resolve(&wanted.card, assumed) {
            Meaning::Ambiguous(reason, choices) => {
                return Verdict::Ambiguous(reason, choices);
            }
            Meaning::Unknown(reason, choices) => {
                return Verdict::Unknown(reason, choices);
            }
            Meaning::Printing(choice, printing) => (choice, printing),
        };
        if let Some(game) = self.replaced_game.as_ref().filter(|game| **game != choice.game) {
            return Verdict::Invalid(LineFault::OtherGame(game.clone()));
        }
        let key = (printing, wanted.condition);
        let before = self.counts.get(&key).copied().unwrap_or(0);
        let Some(count) = add_to_count(before, wanted.quantity) else {
            return Verdict::Invalid(LineFault::TooMany);
        };
        self.counts.insert(key, count);
        Verdict::Ok(choice, key, wanted.quantity)
    }
}

/// Resolves every line, in batches: this limits the size of each look-up, and lets other requests on this thread run in
/// between.
pub async fn read(
    conn: &mut Connection,
    by: &Granted<WriteOwnCollection>,
    viewer: Viewer,
    lines: &[Line],
    assumed: &Assumptions,
    mode: ImportMode,
) -> StoreResult<Reading> {
    let mut resolver = load_titles(conn, true).await?;
    let mut reading = Reading {
        replaced_game: assumed.game.clone().filter(|_| mode == ImportMode::Replace),
        ..Reading::default()
    };
    for batch in lines.chunks(BATCH) {
        let readable = batch.iter().filter_map(|line| line.wanted.as_ref().ok());
        let wanted: Vec<&WantedPrinting> = readable.map(|wanted| &wanted.card).collect();
        add_cards(conn, &mut resolver, by.account(), viewer, &wanted, assumed).await?;
        for line in batch {
            reading.add(line, &resolver, assumed);
        }
        tokio::task::yield_now().await;
    }
    if mode == ImportMode::Replace {
        let replaced = CountSelection::Game(assumed.game.as_deref());
        let before = counts::counts(conn, by.account(), replaced).await?;
        reading.removes = Some(count_removed(&before, &reading.counts));
        reading.replaced = Some(before);
    }
    Ok(reading)
}

/// Number of entries that are removed when these counts replace those before.
fn count_removed(before: &BTreeMap<EntryKey, i32>, counts: &BTreeMap<EntryKey, i32>) -> usize {
    before.keys().filter(|key| !counts.contains_key(*key)).count()
}

/// If no card has the name of a line: the name for which similar ones are searched, also as it is written.
fn misspelt(
    line: &Line,
    verdict: &Verdict,
    resolver: &CardResolver,
    assumed: &Assumptions,
) -> Option<(Misspelt, TypedName)> {
    let (Ok(wanted), Verdict::Unknown(_, choices)) = (&line.wanted, verdict) else { return None };
    let name = wanted.card.name.as_ref().filter(|_| choices.is_empty())?;
    // In "Kettel Imp [hearth]", the set is no part of the name.
    let bare = split_set(name.as_str()).and_then(|(name, _)| TypedName::parse(name).ok());
    let name = bare.unwrap_or_else(|| name.clone());
    let game = match resolver.games_of(&wanted.card, assumed)[..] {
        [game] => Some(game.to_owned()),
        [] => return None,
        _ => None,
    };
    Some((Misspelt::with_words(game, &name)?, name))
}

/// Adds similar names, of cards that the viewer may see, to lines whose name no card has. Returns how many names were
/// left out because there were too many, because the search took longer than `time_limit`, or because the search queue
/// was full: the result is complete without suggestions.
pub async fn suggest(
    searches: (&SearchQueue, Network),
    viewer: Viewer,
    reading: &mut Reading,
    time_limit: StdDuration,
) -> usize {
    let lines = std::mem::take(&mut reading.misspelt);
    let names: BTreeMap<&Misspelt, &TypedName> =
        lines.iter().map(|(_, name, typed)| (name, typed)).collect();
    let searched: Vec<Misspelt> = names.keys().copied().cloned().collect();
    let near = suggest_near_names(searches, viewer, &searched, time_limit).await;
    // Compared once for each name: very many lines may have the same one.
    let near: BTreeMap<&Misspelt, Vec<Choice>> = names
        .iter()
        .zip(near)
        .map(|((name, typed), cards)| (*name, choose_similar(typed, &cards)))
        .collect();
    for (at, name, _) in &lines {
        let Some(similar) = near.get(name) else { continue };
        if reading.has_room_for(similar.len())
            && let Some(Verdict::Unknown(_, choices)) = reading.verdicts.get_mut(*at)
        {
            choices.extend(similar.iter().cloned());
        }
    }
    names.len() - near.len()
}

/// The first of the found cards whose names are similar enough.
fn choose_similar(typed: &TypedName, cards: &[NamedCard]) -> Vec<Choice> {
    let is_similar =
        |card: &&NamedCard| name_similarity(typed.as_str(), &card.name) >= SIMILARITY_MIN;
    let choice = |card: &NamedCard| Choice {
        game: card.game_code.clone(),
        set: card.set_code.clone(),
        number: card.number.clone(),
        name: Some(card.name.clone()),
        printing: None,
    };
    cards.iter().filter(is_similar).take(NEAR_NAMES).map(choice).collect()
}

/// A read file, to be stored until it is committed.
pub struct NewImport<'a> {
    /// Its id: the token that commits it.
    pub id: CollectionImportId,
    /// Whether it adds or replaces.
    pub mode: ImportMode,
    /// The game whose entries are replaced, in the mode `replace`.
    pub game: Option<&'a str>,
    /// Counts from the lines that are ok.
    pub counts: &'a BTreeMap<EntryKey, i32>,
    /// The counts that a commit replaces, as they were shown; `None`: the file is added.
    pub replaced: Option<&'a BTreeMap<EntryKey, i32>>,
    /// The other lines.
    pub rejected: &'a [RejectedLine],
    /// The current time.
    pub at: DateTime<Utc>,
}

type StoredEntry = (PrintingId, Condition, i32);

/// Counts as they are stored.
fn list_counts(counts: &BTreeMap<EntryKey, i32>) -> Vec<StoredEntry> {
    counts
        .iter()
        .map(|((printing, condition), quantity)| (*printing, *condition, *quantity))
        .collect()
}

/// Counts that were stored.
fn map_counts(entries: &[StoredEntry]) -> BTreeMap<EntryKey, i32> {
    entries
        .iter()
        .map(|(printing, condition, quantity)| ((*printing, *condition), *quantity))
        .collect()
}

/// Stores the result of reading a file. The newest five uncommitted files of an account are kept.
pub async fn store(
    conn: &mut Connection,
    by: &Acting<WriteOwnCollection>,
    new: &NewImport<'_>,
) -> StoreResult<()> {
    sql(
        "INSERT INTO collection_imports (id, account_id, mode, game_code, entries, shown_counts, rejected, created_at, expires_at) \
         VALUES ($id, $account, $mode, $game, $entries, $shown, $rejected, $at, $until)",
    )
    .bind("id", new.id)
    .bind("account", by.account())
    .bind("mode", new.mode)
    .bind("game", new.game)
    .bind("entries", json!(list_counts(new.counts)))
    .bind("shown", new.replaced.map(|counts| json!(list_counts(counts))))
    .bind("rejected", json!(new.rejected))
    .bind("at", new.at)
    .bind("until", new.at + COMMIT_TIME)
    .execute(conn)
    .await?;
    delete_oldest(conn, by, new.id).await
}

/// Keeps the newest five uncommitted files of an account, among them this one.
async fn delete_oldest(
    conn: &mut Connection,
    by: &Acting<WriteOwnCollection>,
    newest: CollectionImportId,
) -> StoreResult<()> {
    sql(
        "DELETE FROM collection_imports WHERE account_id = $account AND committed_at IS NULL AND id NOT IN (\
         SELECT id FROM collection_imports WHERE account_id = $account AND committed_at IS NULL \
         ORDER BY created_at DESC, id = $id DESC LIMIT $limit)",
    )
    .bind("account", by.account())
    .bind("limit", MAX_WAITING)
    .bind("id", newest)
    .execute(conn)
    .await?;
    Ok(())
}

/// The result of a commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Committed {
    /// Entries that were not there before.
    pub added: usize,
    /// Entries whose count has changed.
    pub changed: usize,
    /// Removed entries; only with `replace`.
    pub removed: usize,
    /// Total number of cards in the lines that are ok.
    pub cards: i64,
    /// Lines that were rejected.
    pub rejected: Vec<RejectedLine>,
}

/// Why a file was not committed.
#[derive(Debug)]
pub enum CommitError {
    /// The account has no such file, or the file has expired.
    Missing,
    /// Some lines are not ok, and the client did not ask to leave them out.
    Rejected(Vec<RejectedLine>),
    /// Some of its printings no longer exist.
    Stale,
    /// This many counts that it would replace have changed since it was shown; the first of these entries, as far as the
    /// collection still has them.
    Changed(usize, Vec<EntryView>),
    /// Together with existing counts, this many counts would be too large; the first of these entries.
    TooMany(usize, Vec<EntryView>),
    /// The change of the collection failed.
    Collection(CollectionError),
}

impl From<CollectionError> for CommitError {
    fn from(error: CollectionError) -> Self {
        Self::Collection(error)
    }
}

impl From<StoreError> for CommitError {
    fn from(error: StoreError) -> Self {
        Self::Collection(error.into())
    }
}

impl From<diesel::result::Error> for CommitError {
    fn from(error: diesel::result::Error) -> Self {
        Self::Collection(error.into())
    }
}

impl AsStoreError for CommitError {
    fn as_store_error(&self) -> Option<&StoreError> {
        if let Self::Collection(error) = self { error.as_store_error() } else { None }
    }
}

#[derive(QueryableByName)]
struct ImportRow {
    #[diesel(sql_type = Text)]
    mode: ImportMode,
    #[diesel(sql_type = Nullable<Text>)]
    game_code: Option<String>,
    #[diesel(sql_type = Jsonb)]
    entries: Json<Vec<StoredEntry>>,
    #[diesel(sql_type = Nullable<Jsonb>)]
    shown_counts: Option<Json<Vec<StoredEntry>>>,
    #[diesel(sql_type = Jsonb)]
    rejected: Json<Vec<RejectedLine>>,
    #[diesel(sql_type = Timestamptz)]
    expires_at: DateTime<Utc>,
    #[diesel(sql_type = Nullable<Jsonb>)]
    result: Option<Json<Committed>>,
}

impl ImportRow {
    /// The entries that differ from those that were shown. Empty if the file is added: then its quantities are what was
    /// shown, and they apply to any counts.
    fn changed_since(&self, now: &BTreeMap<EntryKey, i32>) -> Vec<ChangedKey> {
        let Some(Json(shown)) = &self.shown_counts else { return Vec::new() };
        let shown = map_counts(shown);
        let keys: BTreeSet<EntryKey> = shown.keys().chain(now.keys()).copied().collect();
        let change =
            |key| ChangedKey { key, shown: count_of(&shown, &key), now: count_of(now, &key) };
        keys.into_iter().map(change).filter(|change| change.shown != change.now).collect()
    }
}

/// An entry whose count has changed since the file was shown; 0: there was or is no such entry.
struct ChangedKey {
    key: EntryKey,
    shown: i32,
    now: i32,
}

/// The import of that id, with a lock on its row.
async fn lock_import(
    conn: &mut Connection,
    by: &Acting<WriteOwnCollection>,
    id: CollectionImportId,
) -> Result<ImportRow, CommitError> {
    let row: Option<ImportRow> = sql(
        "SELECT mode, game_code, entries, shown_counts, rejected, expires_at, result FROM collection_imports \
         WHERE id = $id AND account_id = $account FOR UPDATE",
    )
    .bind("id", id)
    .bind("account", by.account())
    .get_result(conn)
    .await
    .optional()?;
    row.ok_or(CommitError::Missing)
}

/// Applies a file as it was shown: all lines that are ok, in one transaction. A second commit of the same file waits
/// for the first and returns its result.
pub async fn commit(
    conn: &mut Connection,
    by: &Acting<WriteOwnCollection>,
    viewer: Viewer,
    id: CollectionImportId,
    only_ok: bool,
    at: DateTime<Utc>,
) -> Result<Committed, CommitError> {
    let mut row = lock_import(conn, by, id).await?;
    if let Some(Json(committed)) = row.result.take() {
        return Ok(committed);
    }
    if row.expires_at <= at {
        return Err(CommitError::Missing);
    }
    let rejected = std::mem::take(&mut row.rejected.0);
    if !rejected.is_empty() && !only_ok {
        return Err(CommitError::Rejected(rejected));
    }
    let entries = std::mem::take(&mut row.entries.0);
    credentials::lock_account(conn, by.account()).await?;
    let ids: BTreeSet<PrintingId> = entries.iter().map(|(printing, ..)| *printing).collect();
    let known = printings::table.filter(printings::id.eq_any(ids.iter().copied()));
    let known: i64 = known.count().get_result(conn).await?;
    if usize::try_from(known) != Ok(ids.len()) {
        return Err(CommitError::Stale);
    }
    let replaces = row.mode == ImportMode::Replace;
    let selection = if replaces {
        CountSelection::Game(row.game_code.as_deref())
    } else {
        CountSelection::Printings(ids.into_iter().collect())
    };
    let before = counts::counts(conn, by.account(), selection).await?;
    let changed = row.changed_since(&before);
    if !changed.is_empty() {
        // Entries that were removed cannot be named any more.
        let present: Vec<EntryKey> =
            changed.iter().filter(|change| change.now > 0).map(|change| change.key).collect();
        let named = name_first(conn, by, viewer, &present).await?;
        return Err(CommitError::Changed(changed.len(), named));
    }
    let (after, mut result) = match merge(&before, &entries, replaces) {
        Ok(merged) => merged,
        // The collection has these entries, because no line alone asks for too many.
        Err(too_many) => {
            let named = name_first(conn, by, viewer, &too_many).await?;
            return Err(CommitError::TooMany(too_many.len(), named));
        }
    };
    result.rejected = rejected;
    counts::write(conn, by.account(), &before, &after, at).await?;
    sql(
        "UPDATE collection_imports SET committed_at = $at, result = $result, entries = '[]', shown_counts = NULL WHERE id = $id",
    )
    .bind("id", id)
    .bind("at", at)
    .bind("result", json!(result))
    .execute(conn)
    .await?;
    Ok(result)
}

/// The first of these entries, for the error about them.
async fn name_first(
    conn: &mut Connection,
    by: &Acting<WriteOwnCollection>,
    viewer: Viewer,
    keys: &[EntryKey],
) -> StoreResult<Vec<EntryView>> {
    view_entries(conn, by, viewer, &keys[..keys.len().min(NAMED_ENTRIES)]).await
}

/// These entries, as far as the collection has them.
async fn view_entries(
    conn: &mut Connection,
    by: &Acting<WriteOwnCollection>,
    viewer: Viewer,
    keys: &[EntryKey],
) -> StoreResult<Vec<EntryView>> {
    let printings = keys.iter().map(|(printing, _)| *printing).collect();
    let filter = EntryFilter { printings: Some(printings), ..EntryFilter::default() };
    let mut entries = card_collection::list_entries(conn, viewer, by.account(), &filter).await?;
    entries.retain(|entry| keys.contains(&(entry.printing_id, entry.condition)));
    Ok(entries)
}

/// An entry whose count has changed since the file was shown.
pub struct ChangedEntry {
    /// The entry, with its present count.
    pub entry: EntryView,
    /// The count when the file was shown; 0: there was no such entry.
    pub shown: i32,
    /// The count that the commit results in; 0: it removes the entry.
    pub after: i32,
}

/// An import that is shown again, because counts that it replaces have changed.
pub struct ImportAgain {
    /// The only game whose counts are replaced; `None`: all games.
    pub game: Option<String>,
    /// Number of entries that a commit would remove.
    pub removes: usize,
    /// Number of entries whose counts have changed.
    pub changed: usize,
    /// The first of them, as far as the collection still has them.
    pub named: Vec<ChangedEntry>,
}

/// Stores an import once more under a new id, as a preview of what a commit does to the present counts. The earlier
/// import stays as it was shown, so it is still refused.
pub async fn show_again(
    conn: &mut Connection,
    by: &Acting<WriteOwnCollection>,
    viewer: Viewer,
    (earlier, id): (CollectionImportId, CollectionImportId),
    at: DateTime<Utc>,
) -> Result<ImportAgain, CommitError> {
    let row = lock_import(conn, by, earlier).await?;
    if row.result.is_some() || row.expires_at <= at {
        return Err(CommitError::Missing);
    }
    // Without the lock of the account, as when a file is read: the commit compares the counts once more.
    let replaced = CountSelection::Game(row.game_code.as_deref());
    let now = counts::counts(conn, by.account(), replaced).await?;
    sql(
        "INSERT INTO collection_imports (id, account_id, mode, game_code, entries, shown_counts, rejected, created_at, expires_at) \
         SELECT $id, account_id, mode, game_code, entries, $shown, rejected, $at, $until FROM collection_imports WHERE id = $earlier",
    )
    .bind("id", id)
    .bind("shown", json!(list_counts(&now)))
    .bind("at", at)
    .bind("until", at + COMMIT_TIME)
    .bind("earlier", earlier)
    .execute(conn)
    .await?;
    delete_oldest(conn, by, id).await?;
    let (changed, counts) = (row.changed_since(&now), map_counts(&row.entries.0));
    let named = name_changed(conn, by, viewer, &changed, &counts).await?;
    let removes = count_removed(&now, &counts);
    Ok(ImportAgain { game: row.game_code, removes, changed: changed.len(), named })
}

/// The first of the changed entries that the collection still has; `counts`: those of the file.
async fn name_changed(
    conn: &mut Connection,
    by: &Acting<WriteOwnCollection>,
    viewer: Viewer,
    changed: &[ChangedKey],
    counts: &BTreeMap<EntryKey, i32>,
) -> StoreResult<Vec<ChangedEntry>> {
    let present = changed.iter().filter(|change| change.now > 0).take(LISTED_CHANGES);
    let shown: BTreeMap<EntryKey, i32> = present.map(|change| (change.key, change.shown)).collect();
    let keys: Vec<EntryKey> = shown.keys().copied().collect();
    let entries = view_entries(conn, by, viewer, &keys).await?;
    let name = |entry: EntryView| {
        let key = (entry.printing_id, entry.condition);
        ChangedEntry { entry, shown: count_of(&shown, &key), after: count_of(counts, &key) }
    };
    Ok(entries.into_iter().map(name).collect())
}

/// The counts that differ afterwards, and their new values; or the entries whose counts would be too large.
fn merge(
    before: &BTreeMap<EntryKey, i32>,
    entries: &[StoredEntry],
    replaces: bool,
) -> Result<(BTreeMap<EntryKey, i32>, Committed), Vec<EntryKey>> {
    let mut result = Committed { added: 0, changed: 0, removed: 0, cards: 0, rejected: Vec::new() };
    let mut after: BTreeMap<EntryKey, i32> =
        if replaces { before.keys().map(|key| (*key, 0)).collect() } else { BTreeMap::new() };
    let mut too_many = Vec::new();
    for (printing, condition, quantity) in entries {
        let key = (*printing, *condition);
        let base = if replaces { 0 } else { count_of(before, &key) };
        match add_to_count(base, *quantity) {
            Some(count) => {
                after.insert(key, count);
                result.cards += i64::from(*quantity);
            }
            None => too_many.push(key),
        }
    }
    if !too_many.is_empty() {
        return Err(too_many);
    }
    after.retain(|key, count| before.get(key) != Some(count));
    for (key, count) in &after {
        match (before.contains_key(key), *count) {
            (_, 0) => result.removed += 1,
            (true, _) => result.changed += 1,
            (false, _) => result.added += 1,
        }
    }
    Ok((after, result))
}
