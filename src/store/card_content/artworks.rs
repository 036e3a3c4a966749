//! Access to the artwork of designs through cards that show it.

use crate::auth::permission::Viewer;
use crate::store::db::statement::Statement;

/// The artwork of the revision from which the card `content` was released; NULL if there is none, or if it was taken
/// down. Looked up only if a player designed the card.
pub(super) const ARTWORK_OF_CARD: &str = "CASE WHEN content.designed_by IS NOT NULL THEN (SELECT shown.artwork FROM design_releases released \
     JOIN design_artworks shown ON shown.design_id = released.design_id AND shown.revision = released.revision \
     JOIN artworks file ON file.id = shown.artwork AND file.removed_at IS NULL WHERE released.card_id = content.card_id) END";

impl Statement<'_> {
    /// Adds the condition that the viewer may see a card which was released from a revision with the artwork `w`.
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
