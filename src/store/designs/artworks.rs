//! Artwork that accounts upload and hold: equal files are stored once, and count for each account that holds them.
//!
//! The row of an artwork is the lock for its holders: while it is locked, it is known whether any account holds it. The
//! account's row is locked before it, rows of `artwork_uploads` after it.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Bool, Integer, Text, Timestamptz};
use diesel_async::RunQueryDsl;

use super::SeesOwnDesigns;
use crate::auth::permission::{Acting, Granted, Permission, ReadOwnDesigns, WriteOwnDesigns};
use crate::domain::accounts::daily_limits::{DailyActivity, ReachedLimit};
use crate::domain::designs::artwork::{ARTWORK_QUOTA, ArtworkId, RenditionSize};
use crate::domain::ids::{AccountId, DesignId};
use crate::store::accounts::daily_counts::count_one;
use crate::store::catalogue::bulk_files::CHUNK;
use crate::store::db::pages::push_page;
use crate::store::db::statement::{Statement, sql};
use crate::store::feedback::locks::lock_own_account;
use crate::store::{Connection, StoreResult};

/// Chunks that one statement writes: 1 MiB.
const CHUNKS_AT_ONCE: usize = 16;

/// An artwork to store.
pub struct NewArtwork<'a> {
    pub id: ArtworkId,
    /// Its files, the full one first.
    pub renditions: [NewRendition<'a>; 2],
    /// The current time.
    pub at: DateTime<Utc>,
}

/// A file of it.
pub struct NewRendition<'a> {
    /// Which file.
    pub rendition: RenditionSize,
    pub media_type: &'static str,
    /// Width in pixels.
    pub width: i32,
    /// Height in pixels.
    pub height: i32,
    pub bytes: &'a [u8],
}

impl NewArtwork<'_> {
    /// Bytes of both files.
    fn size(&self) -> i64 {
        let bytes: usize = self.renditions.iter().map(|file| file.bytes.len()).sum();
        i64::try_from(bytes).unwrap_or(i64::MAX)
    }
}

/// Whether an account may upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UploadBegun {
    /// It may; the upload was counted for today.
    Counted,
    /// It has reached the daily limit.
    TooManyToday(ReachedLimit),
}

/// The result of storing an artwork.
#[derive(Clone, Debug)]
pub enum ArtworkStored {
    /// The account holds it now.
    New(OwnArtwork),
    /// The account held it before.
    Known(OwnArtwork),
    /// It was taken down.
    Removed,
    /// The account would exceed [`ARTWORK_QUOTA`]; the number is what it holds now.
    NoRoom(i64),
}

/// Counts an upload before it is read, because reading takes processor time whatever the result.
pub async fn begin_upload(
    conn: &mut Connection,
    by: &Acting<WriteOwnDesigns>,
    at: DateTime<Utc>,
) -> StoreResult<UploadBegun> {
    let counted = count_one(conn, by.account(), DailyActivity::Upload, at).await?;
    Ok(counted.map_or_else(UploadBegun::TooManyToday, |()| UploadBegun::Counted))
}

/// Makes the account hold an artwork. All bytes are sent in any case, whether or not another account holds the artwork;
/// a new one takes the database some milliseconds more.
pub async fn store(
    conn: &mut Connection,
    by: &Acting<WriteOwnDesigns>,
    new: &NewArtwork<'_>,
) -> StoreResult<ArtworkStored> {
    // Uploads of one account wait for each other, so that together they do not exceed the quota.
    lock_own_account(conn, by).await?;
    if let Some(own) = find_own(conn, by, new.id).await? {
        return Ok(ArtworkStored::Known(own));
    }
    let used = bytes_used(conn, by).await?;
    if used.saturating_add(new.size()) > ARTWORK_QUOTA {
        return Ok(ArtworkStored::NoRoom(used));
    }
    // Also locks the row of an existing artwork, so that it is not deleted before the account holds it.
    let locked = sql("INSERT INTO artworks AS w (id, size, created_at) VALUES ($id, $size, $at) \
                      ON CONFLICT (id) DO UPDATE SET released_at = NULL WHERE w.removed_at IS NULL")
    .bind("id", new.id)
    .bind("size", new.size())
    .bind("at", new.at)
    .execute(conn)
    .await?;
    if locked == 0 {
        return Ok(ArtworkStored::Removed);
    }
    for file in &new.renditions {
        write_file(conn, new.id, file).await?;
    }
    // The account holds it already if a takedown of it was lifted since `find_own`.
    sql("INSERT INTO artwork_uploads (account_id, artwork, uploaded_at) VALUES ($account, $id, $at) \
         ON CONFLICT DO NOTHING")
    .bind("account", by.account())
    .bind("id", new.id)
    .bind("at", new.at)
    .execute(conn)
    .await?;
    // Read in this transaction: afterwards, another request may delete it.
    let own = own_artwork(by, new.id).get_result(conn).await?;
    Ok(ArtworkStored::New(own))
}

async fn write_file(
    conn: &mut Connection,
    id: ArtworkId,
    file: &NewRendition<'_>,
) -> StoreResult<()> {
    sql("INSERT INTO artwork_renditions (artwork, rendition, media_type, width, height, size) \
         VALUES ($id, $rendition, $media_type, $width, $height, $size) ON CONFLICT DO NOTHING")
    .bind("id", id)
    .bind("rendition", file.rendition)
    .bind("media_type", file.media_type)
    .bind("width", file.width)
    .bind("height", file.height)
    .bind("size", i64::try_from(file.bytes.len()).unwrap_or(i64::MAX))
    .execute(conn)
    .await?;
    let chunks: Vec<Vec<u8>> = file.bytes.chunks(CHUNK).map(<[u8]>::to_vec).collect();
    for (at, chunks) in chunks.chunks(CHUNKS_AT_ONCE).enumerate() {
        let first = i32::try_from(at * CHUNKS_AT_ONCE).unwrap_or(i32::MAX);
        sql(
            "INSERT INTO artwork_chunks (artwork, rendition, position, data) \
             SELECT $id, $rendition, $first + place::integer - 1, data FROM unnest($chunks) WITH ORDINALITY AS chunk (data, place) \
             ON CONFLICT DO NOTHING",
        )
        .bind("id", id)
        .bind("rendition", file.rendition)
        .bind("first", first)
        .bind("chunks", chunks)
        .execute(conn)
        .await?;
    }
    Ok(())
}

/// Whether the artwork was taken down.
pub async fn is_removed(conn: &mut Connection, id: ArtworkId) -> StoreResult<bool> {
    #[derive(QueryableByName)]
    struct Found {
        #[diesel(sql_type = Bool)]
        found: bool,
    }
    let Found { found } = sql(
        "SELECT EXISTS (SELECT FROM artworks WHERE id = $id AND removed_at IS NOT NULL) AS found",
    )
    .bind("id", id)
    .get_result(conn)
    .await?;
    Ok(found)
}

/// Whether the artwork of the newest revision of a design was taken down.
pub(super) async fn newest_is_removed(
    conn: &mut Connection,
    design: DesignId,
) -> StoreResult<bool> {
    #[derive(QueryableByName)]
    struct Shown {
        #[diesel(sql_type = Bool)]
        removed: bool,
    }
    // Locked: a decision that takes the artwork down at this moment either is seen here, or sees what the caller does.
    let shown: Option<Shown> = sql(
        "SELECT w.removed_at IS NOT NULL AS removed FROM designs d \
         JOIN design_artworks s ON s.design_id = d.id AND s.revision = d.revision JOIN artworks w ON w.id = s.artwork \
         WHERE d.id = $id FOR SHARE OF w",
    )
    .bind("id", design)
    .get_result(conn)
    .await
    .optional()?;
    Ok(shown.is_some_and(|shown| shown.removed))
}

/// Whether the account has uploaded the artwork and not deleted it since, also if it was taken down.
pub async fn is_own<P: Permission + SeesOwnDesigns>(
    conn: &mut Connection,
    by: &Granted<P>,
    id: ArtworkId,
) -> StoreResult<bool> {
    let held = sql("SELECT FROM artwork_uploads WHERE account_id = $account AND artwork = $id")
        .bind("account", by.account())
        .bind("id", id)
        .execute(conn)
        .await?;
    Ok(held > 0)
}

/// Size of all artwork that the account holds, in bytes, without artwork that was taken down.
pub async fn bytes_used<P: Permission + SeesOwnDesigns>(
    conn: &mut Connection,
    by: &Granted<P>,
) -> StoreResult<i64> {
    #[derive(QueryableByName)]
    struct Used {
        #[diesel(sql_type = BigInt)]
        used: i64,
    }
    let Used { used } = sql(
        "SELECT coalesce(sum(w.size), 0)::bigint AS used FROM artwork_uploads u JOIN artworks w ON w.id = u.artwork \
         WHERE u.account_id = $account AND w.removed_at IS NULL",
    )
    .bind("account", by.account())
    .get_result(conn)
    .await?;
    Ok(used)
}

/// An artwork that an account holds.
#[derive(Clone, Debug, QueryableByName)]
pub struct OwnArtwork {
    /// Which one.
    #[diesel(sql_type = Binary)]
    pub id: ArtworkId,
    /// When the account uploaded it.
    #[diesel(sql_type = Timestamptz)]
    pub uploaded_at: DateTime<Utc>,
    /// Bytes of both files.
    #[diesel(sql_type = BigInt)]
    pub size: i64,
    /// Whether a revision of one of the account's designs shows it.
    #[diesel(sql_type = Bool)]
    pub in_use: bool,
    /// Media type of the full one.
    #[diesel(sql_type = Text)]
    pub full_type: String,
    /// Its width in pixels.
    #[diesel(sql_type = Integer)]
    pub full_width: i32,
    /// Its height in pixels.
    #[diesel(sql_type = Integer)]
    pub full_height: i32,
    /// Its bytes.
    #[diesel(sql_type = BigInt)]
    pub full_size: i64,
    /// Media type of the small one.
    #[diesel(sql_type = Text)]
    pub small_type: String,
    /// Its width in pixels.
    #[diesel(sql_type = Integer)]
    pub small_width: i32,
    /// Its height in pixels.
    #[diesel(sql_type = Integer)]
    pub small_height: i32,
    /// Its bytes.
    #[diesel(sql_type = BigInt)]
    pub small_size: i64,
}

const OWN: &str = "SELECT w.id, u.uploaded_at, w.size, \
     EXISTS (SELECT FROM design_artworks d WHERE d.artwork = u.artwork AND d.account_id = u.account_id) AS in_use, \
     f.media_type AS full_type, f.width AS full_width, f.height AS full_height, f.size AS full_size, \
     s.media_type AS small_type, s.width AS small_width, s.height AS small_height, s.size AS small_size \
     FROM artwork_uploads u JOIN artworks w ON w.id = u.artwork JOIN artwork_renditions f ON f.artwork = w.id AND f.rendition = 'full' \
     JOIN artwork_renditions s ON s.artwork = w.id AND s.rendition = 'small' WHERE u.account_id = $account AND w.removed_at IS NULL";

/// Finds an artwork that the account holds.
pub async fn find_own<P: Permission + SeesOwnDesigns>(
    conn: &mut Connection,
    by: &Granted<P>,
    id: ArtworkId,
) -> StoreResult<Option<OwnArtwork>> {
    Ok(own_artwork(by, id).get_result(conn).await.optional()?)
}

fn own_artwork<P>(by: &Granted<P>, id: ArtworkId) -> Statement<'static> {
    let statement = sql(OWN).push(" AND u.artwork = $id").bind("id", id);
    statement.bind("account", by.account())
}

/// Lists the account's artwork, the latest upload first, after a position.
pub async fn list_own(
    conn: &mut Connection,
    by: &Granted<ReadOwnDesigns>,
    before: Option<(DateTime<Utc>, ArtworkId)>,
    limit: i64,
) -> StoreResult<Vec<OwnArtwork>> {
    let mut statement = sql(OWN).bind("account", by.account());
    if let Some((at, id)) = before {
        statement = statement
            .push(" AND (u.uploaded_at, u.artwork) < ($before_at, $before_id)")
            .bind("before_at", at)
            .bind("before_id", id);
    }
    Ok(push_page(statement, "uploaded_at DESC, id DESC", limit).load(conn).await?)
}

/// The result of giving up an artwork.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArtworkReleased {
    /// The account does not hold it any more.
    Done,
    /// The account does not hold it.
    Missing,
    /// A revision of one of its designs shows it.
    InUse,
}

/// Removes an artwork from those that the account holds. Its files stay until no account holds them.
pub async fn release(
    conn: &mut Connection,
    by: &Acting<WriteOwnDesigns>,
    id: ArtworkId,
    at: DateTime<Utc>,
) -> StoreResult<ArtworkReleased> {
    // Locked in a statement of its own: the statement that takes a lock sees the state before its wait.
    sql("SELECT FROM artworks WHERE id = $id FOR NO KEY UPDATE")
        .bind("id", id)
        .execute(conn)
        .await?;
    sql("SELECT FROM artwork_uploads WHERE account_id = $account AND artwork = $id FOR UPDATE")
        .bind("account", by.account())
        .bind("id", id)
        .execute(conn)
        .await?;
    match find_own(conn, by, id).await? {
        None => return Ok(ArtworkReleased::Missing),
        Some(own) if own.in_use => return Ok(ArtworkReleased::InUse),
        Some(_) => {}
    }
    sql("DELETE FROM artwork_uploads WHERE account_id = $account AND artwork = $id")
        .bind("account", by.account())
        .bind("id", id)
        .execute(conn)
        .await?;
    sql("UPDATE artworks SET released_at = $at WHERE id = $id AND NOT EXISTS (SELECT FROM artwork_uploads WHERE artwork = $id)")
        .bind("id", id)
        .bind("at", at)
        .execute(conn)
        .await?;
    Ok(ArtworkReleased::Done)
}

/// Whether a revision of the account may show an artwork: the account holds it, and it was not taken down. The account
/// cannot give it up until the transaction ends.
pub(super) async fn lock_for_revision(
    conn: &mut Connection,
    account: AccountId,
    id: ArtworkId,
) -> StoreResult<bool> {
    let held = sql(
        "SELECT FROM artwork_uploads u JOIN artworks w ON w.id = u.artwork WHERE u.account_id = $account AND u.artwork = $id AND w.removed_at IS NULL \
         FOR KEY SHARE OF u",
    )
    .bind("account", account)
    .bind("id", id)
    .execute(conn)
    .await?;
    Ok(held > 0)
}
