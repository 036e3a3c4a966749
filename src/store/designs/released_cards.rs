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

/// Records that the cards of an author's designs name the author no longer, or again. The account is locked.
pub(in crate::store) async fn credits_changed(
    conn: &mut Connection,
    author: AccountId,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let cards = sql(
        "SELECT r.card_id FROM design_releases r JOIN designs d ON d.id = r.design_id WHERE d.account_id = $author ORDER BY r.card_id",
    );
    note(conn, cards.bind("author", author), at).await
}

/// Records that the artwork of the revisions of a design was taken down or restored. Other designs may show the same
/// artwork.
pub(super) async fn artwork_changed(
    conn: &mut Connection,
    design: DesignId,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let cards = sql(
        "SELECT r.card_id FROM design_releases r JOIN design_artworks shown ON shown.design_id = r.design_id AND shown.revision = r.revision \
         WHERE shown.artwork IN (SELECT artwork FROM design_artworks WHERE design_id = $design) ORDER BY r.card_id",
    );
    note(conn, cards.bind("design", design), at).await
}

async fn note(conn: &mut Connection, cards: Statement<'_>, at: DateTime<Utc>) -> StoreResult<()> {
    #[derive(QueryableByName)]
    struct Released {
        #[diesel(sql_type = SqlUuid)]
        card_id: CardId,
    }
    let cards: Vec<Released> = cards.load(conn).await?;
    let cards: Vec<CardId> = cards.into_iter().map(|released| released.card_id).collect();
    // Hidden cards are left out there: that an event follows a ban would tell who designed them.
    changes::cards_changed(conn, &cards, at).await
}
