//! Who sees the artwork of designs because a card shows it.

use crate::auth::permission::Viewer;
use crate::store::db::statement::Statement;

/// The artwork of the revision that the card `content` was released from; NULL: there is none. Looked for only if a player designed the card.
pub(super) const ARTWORK_OF_CARD: &str = "CASE WHEN content.designed_by IS NOT NULL THEN (SELECT shown.artwork FROM design_releases released \
     JOIN design_artworks shown ON shown.design_id = released.design_id AND shown.revision = released.revision WHERE released.card_id = content.card_id) END";

impl Statement<'_> {
    /// Adds the condition that the viewer sees a card which shows the artwork `w`: one that was released from a revision with it.
    pub(in crate::store) fn push_is_on_visible_card(self, viewer: Viewer) -> Self {
        self.push(
            "EXISTS (SELECT FROM design_artworks shown JOIN design_releases released \
             ON released.design_id = shown.design_id AND released.revision = shown.revision \
             JOIN card_content content ON content.card_id = released.card_id AND ",
        )
        .push_is_visible(viewer)
        .push(" WHERE shown.artwork = w.id)")
    }
}
