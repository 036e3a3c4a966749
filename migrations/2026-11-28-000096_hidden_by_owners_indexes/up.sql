-- Owners list the comments that they hid. A migration of its own, so that the new columns lock the tables only for a moment.

CREATE INDEX design_comments_hidden_by_owner ON design_comments (design_id, id) WHERE hidden_by_owner AND design_id IS NOT NULL;
CREATE INDEX design_comments_hidden_by_deck_owner ON design_comments (deck_id, id) WHERE hidden_by_owner AND deck_id IS NOT NULL;
