//! The cards of a game, for bulk files.

use super::{BulkCard, RowSource};
use crate::auth::permission::Viewer;
use crate::domain::catalogue::bulk::BulkKind;
use crate::store::card_content::bulk;
use crate::store::catalogue::cards::CardPlace;
use crate::store::{Connection, StoreResult};

/// Cards per read.
const BATCH: i64 = 500;

/// The cards of a game by set and number, as an anonymous viewer sees them.
pub struct CardRows {
    game: String,
    /// The place of the last card that was read.
    after: Option<CardPlace>,
}

impl RowSource for CardRows {
    type Row = BulkCard;
    const KINDS: &'static [BulkKind] = &[BulkKind::Cards, BulkKind::Printings];
    const EVENTS: &'static str = "e.kind NOT LIKE 'de%'";
    const CHANGE_DAILY: bool = false;
    const LOCK: i64 = 7_233_172_015;

    fn of_game(game: &str) -> Self {
        Self { game: game.to_owned(), after: None }
    }

    async fn next(&mut self, conn: &mut Connection) -> StoreResult<Vec<BulkCard>> {
        let (stranger, after) = (Viewer::stranger(), self.after.as_ref());
        let cards = bulk::load_batch(conn, stranger, &self.game, after, BATCH).await?;
        self.after = cards.last().map(|last| last.card.place().clone());
        Ok(cards)
    }
}
