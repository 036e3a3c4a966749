//! Cards that show something of the designs they were released from: when that changes, the change feed names the cards,
//! because services cache them.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::Uuid as SqlUuid;
use diesel_async::RunQueryDsl;

use crate::domain::ids::{AccountId, CardId, DesignId};
use crate::store::catalogue::changes;
use crate::store::db::statement::{Statement, sql};
use crate::store::{Connection, StoreResult};

/// Records that the cards of an author's designs name the author no longer, or again. The account and the designs are
/// locked. A card of a design that is taken down names nobody before and after: that its event follows a ban would tell
/// who designed it.
pub(in crate::store) async fn credits_changed(
    conn: &mut Connection,
    author: AccountId,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let cards = sql(
        "SELECT r.card_id FROM design_releases r JOIN designs d ON d.id = r.design_id WHERE d.account_id = $author AND d.taken_down_at IS NULL \
         ORDER BY r.card_id",
    );
    write_events(conn, cards.bind("author", author), at).await
}

/// What a decision about a locked design changed for the cards.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decided {
    /// It was taken down or reinstated: its card names the author no longer, or again, unless the author is banned.
    pub(super) design: bool,
    /// The artwork of its revisions was taken down or restored. Other designs may show the same artwork.
    pub(super) artwork: bool,
}

/// Records a decision about a design, once for each card that shows something else since.
pub(super) async fn design_decided(
    conn: &mut Connection,
    design: DesignId,
    decided: Decided,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let cards = sql(
        "SELECT r.card_id FROM design_releases r JOIN designs d ON d.id = r.design_id JOIN accounts a ON a.id = d.account_id \
         WHERE $decided AND r.design_id = $design AND a.banned_at IS NULL UNION \
         SELECT r.card_id FROM design_releases r JOIN design_artworks shown ON shown.design_id = r.design_id AND shown.revision = r.revision \
         WHERE $artwork AND shown.artwork IN (SELECT artwork FROM design_artworks WHERE design_id = $design) ORDER BY card_id",
    )
    .bind("design", design)
    .bind("decided", decided.design)
    .bind("artwork", decided.artwork);
    write_events(conn, cards, at).await
}

async fn write_events(
    conn: &mut Connection,
    cards: Statement<'_>,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    #[derive(QueryableByName)]
    struct Released {
        #[diesel(sql_type = SqlUuid)]
        card_id: CardId,
    }
    let cards: Vec<Released> = cards.load(conn).await?;
    let cards: Vec<CardId> = cards.into_iter().map(|released| released.card_id).collect();
    // Hidden cards are left out there: an event after a ban would reveal who designed them.
    changes::cards_changed(conn, &cards, at).await
}
