//! Files of artwork, for readers who may see them.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Bool, Text};
use diesel_async::RunQueryDsl;

use super::design_lifecycle::StoredDesign;
use super::{MODERATORS_SEE, SeesOwnDesigns};
use crate::auth::permission::{Granted, Permission, ReviewDesigns, Viewer};
use crate::domain::designs::artwork::{ArtworkId, RenditionSize};
use crate::store::catalogue::cards::OpenCard;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// A file that the reader may see, unless it was taken down.
#[derive(Clone, Debug, QueryableByName)]
pub struct ArtworkFile {
    #[diesel(sql_type = Binary)]
    id: ArtworkId,
    #[diesel(sql_type = Text)]
    rendition: String,
    #[diesel(sql_type = Text)]
    pub media_type: String,
    /// Its size in bytes.
    #[diesel(sql_type = BigInt)]
    pub size: i64,
    /// Whether it is public: a design that is or was shared shows it, or a card.
    #[diesel(sql_type = Bool)]
    pub is_public: bool,
    /// Whether it was taken down.
    #[diesel(sql_type = Bool)]
    pub is_removed: bool,
}

/// Who may see an artwork: everybody, if the public revision of a design shows it and the author is not banned;
/// accounts that hold it; moderators, if the revision that they see of a design shows it, or one that was reported; and
/// viewers of a card that was released with it.
/// The same rules as for the revisions of designs and for the cards.
const FIND: &str = "SELECT f.artwork AS id, f.rendition, f.media_type, f.size, w.removed_at IS NOT NULL AS is_removed, seen.is_public \
     FROM artworks w JOIN artwork_renditions f ON f.artwork = w.id AND f.rendition = $rendition CROSS JOIN LATERAL (SELECT \
       EXISTS (SELECT FROM design_artworks s JOIN designs d ON d.id = s.design_id AND d.public_revision = s.revision JOIN accounts a ON a.id = d.account_id \
         WHERE s.artwork = w.id AND a.banned_at IS NULL AND d.taken_down_at IS NULL) OR ";
const WHO_SEES: &str = " AS is_public OFFSET 0) seen WHERE w.id = $id AND (seen.is_public \
       OR EXISTS (SELECT FROM artwork_uploads u WHERE u.account_id = $reader AND u.artwork = w.id) \
       OR $reviews AND EXISTS (SELECT FROM design_artworks s JOIN designs d ON d.id = s.design_id WHERE s.artwork = w.id AND s.revision = ";
/// Moderators also see the artwork of a revision that was reported, first or last: the author may show another one since. Reports
/// about comments have no revision.
const WAS_REPORTED: &str = " OR $reviews AND EXISTS (SELECT FROM design_artworks s JOIN abuse_reports r ON r.design_id = s.design_id \
       AND s.revision IN ((r.reported ->> 'revision')::bigint, (r.first_reported ->> 'revision')::bigint) WHERE s.artwork = w.id)";

/// Finds a file that the reader may see; `None`: there is none, or this reader may not see it.
pub async fn find<P: Permission + SeesOwnDesigns>(
    conn: &mut Connection,
    viewer: Viewer,
    reader: Option<&Granted<P>>,
    reviewer: Option<&Granted<ReviewDesigns>>,
    id: ArtworkId,
    rendition: RenditionSize,
) -> StoreResult<Option<ArtworkFile>> {
    let found = sql(FIND)
        .push_is_on_visible_card(Viewer::stranger())
        .push(WHO_SEES)
        .push(MODERATORS_SEE)
        .push(")")
        .push(WAS_REPORTED)
        .push(" OR ")
        .push_is_on_visible_card(viewer)
        .push(")")
        .bind("id", id)
        .bind("rendition", rendition)
        .bind("reader", reader.map(Granted::account))
        .bind("reviews", reviewer.is_some())
        .get_result(conn)
        .await
        .optional()?;
    Ok(found)
}

#[derive(QueryableByName)]
struct Chunk {
    #[diesel(sql_type = Binary)]
    data: Vec<u8>,
}

impl ArtworkFile {
    /// Reads chunks of the file from an index on, joined; empty after its end.
    pub async fn read(
        &self,
        conn: &mut Connection,
        from: i32,
        pieces: i32,
    ) -> StoreResult<Vec<u8>> {
        let chunks: Vec<Chunk> = sql(
            "SELECT data FROM artwork_chunks WHERE artwork = $id AND rendition = $rendition AND position >= $from AND position < $from + $pieces \
             ORDER BY position",
        )
        .bind("id", self.id)
        .bind("rendition", self.rendition.as_str())
        .bind("from", from)
        .bind("pieces", pieces)
        .load(conn)
        .await?;
        Ok(joined(chunks))
    }
}

fn joined(chunks: Vec<Chunk>) -> Vec<u8> {
    chunks.into_iter().flat_map(|chunk| chunk.data).collect()
}

/// The small file of the artwork of a design that the reader may see, which the caller has checked. `None`: the design
/// has no artwork, or it was taken down.
pub async fn read_shown(
    conn: &mut Connection,
    design: &StoredDesign,
) -> StoreResult<Option<Vec<u8>>> {
    match &design.content().artwork {
        Some(artwork) => read_small(conn, artwork.id).await,
        None => Ok(None),
    }
}

/// Like [`read_shown`], for the artwork of a card.
pub async fn read_shown_by_card(
    conn: &mut Connection,
    card: &OpenCard,
) -> StoreResult<Option<Vec<u8>>> {
    match card.artwork {
        Some(artwork) => read_small(conn, artwork).await,
        None => Ok(None),
    }
}

async fn read_small(conn: &mut Connection, artwork: ArtworkId) -> StoreResult<Option<Vec<u8>>> {
    let chunks: Vec<Chunk> = sql(
        "SELECT c.data FROM artworks w JOIN artwork_chunks c ON c.artwork = w.id AND c.rendition = 'small' WHERE w.id = $id AND w.removed_at IS NULL \
         ORDER BY c.position",
    )
    .bind("id", artwork)
    .load(conn)
    .await?;
    Ok((!chunks.is_empty()).then(|| joined(chunks)))
}
