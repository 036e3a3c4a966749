//! Deck lists as their owners wrote them: reading and listing them. Reports on them are computed for each request: see
//! `deck_pool`.

use cardscape_engine::{CardReference, Deck, DeckEntry};
use chrono::{DateTime, Utc};
use diesel::dsl::{exists, not};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use diesel_async::RunQueryDsl;

use super::deck_records::{COLUMNS, DeckRow, StoredDeck};
use super::stored_content::{StoredLine, read_tags, unreadable};
use crate::auth::permission::{Granted, ReadOwnDecks, WriteOwnDecks};
use crate::domain::decks::content::{DeckContent, UnreadLine};
use crate::domain::decks::deck::{DeckName, Visibility};
use crate::domain::decks::details::{DeckDescription, DeckFolder, DeckVisibility};
use crate::domain::decks::own::{OwnDeckKey, OwnDeckPosition, OwnDeckSort};
use crate::domain::ids::{AccountId, CardId, DeckId};
use crate::store::db::codecs::json::Json;
use crate::store::db::pages::push_page;
use crate::store::db::schema::{accounts, deck_entries, decks};
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// A deck that the reader may see: a public or unlisted deck of an account that is not banned, or one of the reader's
/// own. No role gives access to private decks of others here.
pub async fn find(
    conn: &mut Connection,
    reader: Option<&Granted<ReadOwnDecks>>,
    id: DeckId,
) -> StoreResult<Option<StoredDeck>> {
    let readable = Readable { owner: reader.map(Granted::account), or_shared: true };
    load(conn, id, readable).await
}

/// A deck for a background job, regardless of who may read it now and of a ban of its owner. What the job stores of it is
/// shown only to accounts that may read the deck.
pub(crate) async fn find_for_job(
    conn: &mut Connection,
    id: DeckId,
) -> StoreResult<Option<StoredDeck>> {
    let owner = decks::table.find(id).select(decks::account_id).first(conn).await.optional()?;
    load(conn, id, Readable { owner, or_shared: true }).await
}

/// One of the caller's decks, for callers that may change it.
pub async fn find_own(
    conn: &mut Connection,
    by: &Granted<WriteOwnDecks>,
    id: DeckId,
) -> StoreResult<Option<StoredDeck>> {
    load(conn, id, Readable { owner: Some(by.account()), or_shared: false }).await
}

/// Whether everybody may read a deck: see [`TELLS_SOURCE`](super::TELLS_SOURCE).
pub async fn is_public(mut conn: &Connection, id: DeckId) -> StoreResult<bool> {
    let public = decks::visibility.eq(Visibility::Public).and(decks::deleted_at.is_null());
    let found = decks::table.find(id).filter(public.and(not(is_owner_banned())));
    Ok(diesel::select(diesel::dsl::exists(found)).get_result(&mut conn).await?)
}

/// Whether the owner of a row of `decks` is banned.
#[diesel::dsl::auto_type]
fn is_owner_banned() -> _ {
    let banned = accounts::id.eq(decks::account_id).and(accounts::banned_at.is_not_null());
    exists(accounts::table.filter(banned))
}

/// Filter of the decks of one account.
pub struct DeckFilter<'a> {
    /// Code of a game.
    pub game: Option<&'a str>,
    pub folder: Option<&'a DeckFolder>,
    pub tag: Option<&'a str>,
    /// A format: the code of its game, and its names in that game, of which decks have stored one.
    pub format: Option<(&'a str, &'a [String; 2])>,
    /// Who may read the deck; of a deleted deck, who could read it.
    pub visibility: Option<DeckVisibility>,
    /// A part of the name; case does not matter.
    pub name: Option<&'a DeckName>,
    /// Only decks that were deleted after this time; `None`: only decks that are not deleted.
    pub deleted_since: Option<DateTime<Utc>>,
    /// The order.
    pub sort: OwnDeckSort,
    /// The position of the last deck on the previous page.
    pub after: Option<&'a OwnDeckPosition>,
}

#[derive(QueryableByName)]
struct CountedDeck {
    #[diesel(embed)]
    deck: DeckRow,
    #[diesel(sql_type = BigInt)]
    cards: i64,
}

/// The visibility of a deleted deck when it was deleted, as two columns of a [`DeckRow`].
const VISIBILITY_BEFORE: &str = "CASE d.visibility_before WHEN 'public' THEN 'public' ELSE 'private' END AS visibility, \
    coalesce(d.visibility_before = 'unlisted', false) AS unlisted";

/// The visibility of a deck `d` as a word: see [`DeckRow::visibility`].
pub(super) const VISIBILITY: &str = "CASE WHEN d.visibility = 'public' THEN 'public' WHEN d.unlisted AND d.bound_revision = d.revision THEN 'unlisted' \
    ELSE 'private' END";

/// The same for a deleted deck, with the visibility that it gets back.
const VISIBILITY_OF_DELETED: &str = "CASE WHEN d.visibility_before = 'public' THEN 'public' \
    WHEN d.visibility_before = 'unlisted' AND d.bound_revision = d.revision THEN 'unlisted' ELSE 'private' END";

/// SQL for a text without case. Not all capital letters have one small letter: `Σ` is `ς` at the end of a word, and `ß` has no usual capital letter but `SS`.
fn folded(text: &str) -> String {
    format!("replace(translate(lower({text}), 'ς', 'σ'), 'ß', 'ss')")
}

/// The caller's decks in an order, each with the number of its cards. An account has so few decks that all of them are sorted for each page; only those of
/// the page are counted.
pub async fn list(
    conn: &mut Connection,
    by: &Granted<ReadOwnDecks>,
    filter: &DeckFilter<'_>,
    limit: i64,
) -> StoreResult<Vec<(DeckRow, i64)>> {
    // A deleted deck is listed with the visibility that it gets back.
    let columns = match filter.deleted_since {
        None => COLUMNS.to_owned(),
        Some(_) => COLUMNS.replace("d.visibility, d.unlisted", VISIBILITY_BEFORE),
    };
    let mut statement = sql(format!("SELECT {columns}")).push(
        ", lower(d.name) AS sort_name, (SELECT coalesce(sum(e.quantity), 0)::bigint FROM deck_entries e WHERE e.deck_id = d.id) AS cards \
         FROM decks d WHERE d.account_id = $account",
    )
    .bind("account", by.account());
    statement = match filter.deleted_since {
        None => statement.push(" AND d.deleted_at IS NULL"),
        Some(since) => statement.push(" AND d.deleted_at > $since").bind("since", since),
    };
    if let Some(game) = filter.game {
        statement = statement.push(" AND d.game_code = $game").bind("game", game);
    }
    if let Some(folder) = filter.folder {
        statement = statement.push(" AND d.folder = $folder").bind("folder", folder.as_str());
    }
    if let Some(tag) = filter.tag {
        statement = statement.push(" AND d.tags @> ARRAY[$tag]").bind("tag", tag);
    }
    if let Some((game, [name, other_name])) = filter.format {
        statement = statement
            .push(" AND d.game_code = $format_game AND d.format_code IN ($format, $other_format)")
            .bind("format_game", game)
            .bind("format", name.as_str())
            .bind("other_format", other_name.as_str());
    }
    if let Some(visibility) = filter.visibility {
        let of_rows =
            if filter.deleted_since.is_some() { VISIBILITY_OF_DELETED } else { VISIBILITY };
        statement = statement
            .push(" AND ")
            .push(of_rows)
            .push(" = $visibility")
            .bind("visibility", visibility.as_str());
    }
    if let Some(name) = filter.name {
        statement = statement
            .push(&format!(" AND strpos({}, {}) > 0", folded("d.name"), folded("$name")))
            .bind("name", name.as_str());
    }
    if let Some(OwnDeckPosition { key, deck }) = filter.after {
        statement = match key {
            OwnDeckKey::Created => statement.push(" AND d.id < "),
            OwnDeckKey::Updated(at) => {
                statement.push(" AND (d.updated_at, d.id) < (").value(*at).push(", ")
            }
            OwnDeckKey::Name(name) => {
                // The database folds both names, so that they are folded alike.
                let after = statement.push(" AND (lower(d.name), d.id) > (lower(");
                after.value(name.as_str()).push("), ")
            }
            OwnDeckKey::Likes(likes) => {
                statement.push(" AND (d.like_count, d.id) < (").value(*likes).push(", ")
            }
        };
        let end = if *key == OwnDeckKey::Created { "" } else { ")" };
        statement = statement.value(*deck).push(end);
    }
    let order = match filter.sort {
        OwnDeckSort::Created => "id DESC",
        OwnDeckSort::Updated => "updated_at DESC, id DESC",
        OwnDeckSort::Name => "sort_name, id",
        OwnDeckSort::Likes => "like_count DESC, id DESC",
    };
    let statement = push_page(statement, order, limit);
    let rows: Vec<CountedDeck> = statement.varies_with_filters().load(conn).await?;
    Ok(rows.into_iter().map(|row| (row.deck, row.cards)).collect())
}

/// A folder of an account.
#[derive(Clone, Debug, QueryableByName)]
pub struct FolderRow {
    /// Its name; `None`: decks that are in no folder.
    #[diesel(sql_type = Nullable<Text>)]
    pub name: Option<String>,
    /// How many decks are in it.
    #[diesel(sql_type = BigInt)]
    pub decks: i64,
}

/// The folders of the caller's decks, by name; the decks without a folder are last.
pub async fn list_folders(
    conn: &mut Connection,
    by: &Granted<ReadOwnDecks>,
) -> StoreResult<Vec<FolderRow>> {
    let folders = sql("SELECT folder AS name, count(*) AS decks FROM decks \
         WHERE account_id = $account AND deleted_at IS NULL GROUP BY folder ORDER BY folder NULLS LAST");
    Ok(folders.bind("account", by.account()).load(conn).await?)
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = deck_entries)]
pub(super) struct EntryRow {
    zone: String,
    quantity: i32,
    name: String,
    set_code: Option<String>,
    number: Option<String>,
    rarity: Option<String>,
    copies: Vec<String>,
}

/// The content of a deck besides its entries, and the time when it was first public.
#[derive(Queryable, Selectable)]
#[diesel(table_name = decks)]
pub(super) struct DetailRow {
    description: String,
    unread_lines: Json<Vec<StoredLine>>,
    card_ids: Vec<Option<CardId>>,
    published_at: Option<DateTime<Utc>>,
}

/// Which decks a read may return.
#[derive(Clone, Copy)]
pub(super) struct Readable {
    /// The account whose decks may be returned.
    pub(super) owner: Option<AccountId>,
    /// Whether public and unlisted decks of accounts that are not banned may be returned, too.
    pub(super) or_shared: bool,
}

/// A deck that is not deleted, with its content. One statement, so that deck and entries have the same revision.
pub(super) async fn load(
    mut conn: &Connection,
    id: DeckId,
    readable: Readable,
) -> StoreResult<Option<StoredDeck>> {
    let unlisted = decks::unlisted.and(decks::bound_revision.eq(decks::revision));
    let shared = decks::visibility.eq(Visibility::Public).or(unlisted);
    let owned = decks::account_id.nullable().eq(readable.owner).assume_not_null();
    let shared = shared.and(accounts::banned_at.is_null());
    let rows: Vec<(DeckRow, DetailRow, String, Option<EntryRow>)> = decks::table
        .inner_join(accounts::table.on(accounts::id.eq(decks::account_id)))
        .left_join(deck_entries::table.on(deck_entries::deck_id.eq(decks::id)))
        .filter(decks::id.eq(id).and(decks::deleted_at.is_null()))
        .filter(owned.or(shared.and(readable.or_shared.into_sql::<Bool>())))
        .order(deck_entries::position)
        .select((
            DeckRow::as_select(),
            DetailRow::as_select(),
            accounts::name,
            Option::<EntryRow>::as_select(),
        ))
        .load(&mut conn)
        .await?;
    let mut deck = Deck::default();
    let mut found = None;
    for (row, details, author, entry) in rows {
        found.get_or_insert((row, details, author));
        deck.entries.extend(entry.map(DeckEntry::from));
    }
    let Some((row, details, author)) = found else { return Ok(None) };
    join_parts(row, details, author, deck).map(Some)
}

/// A deck from its row, its details, the name of its owner, and its entries.
pub(super) fn join_parts(
    row: DeckRow,
    details: DetailRow,
    author: String,
    deck: Deck,
) -> StoreResult<StoredDeck> {
    let is_bound = row.is_bound();
    let content = DeckContent {
        name: DeckName::stored(&row.name),
        format: row.format().map_err(unreadable)?,
        description: DeckDescription::stored(&details.description),
        tags: read_tags(&row.tags),
        deck,
        cards: if is_bound { details.card_ids } else { Vec::new() },
        unread_lines: details.unread_lines.0.into_iter().map(UnreadLine::from).collect(),
    };
    let published_at = row.published_at(details.published_at);
    Ok(StoredDeck { row, author, published_at, content })
}

impl From<EntryRow> for DeckEntry {
    fn from(row: EntryRow) -> Self {
        let EntryRow { zone, quantity, name, set_code: set, number, rarity, copies } = row;
        Self {
            zone,
            quantity: quantity.unsigned_abs(),
            card: CardReference { name, set, number, rarity },
            copies,
        }
    }
}
