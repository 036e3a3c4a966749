-- Decks get what a deck builder expects: a description, tags, folders, revisions, cards that their entries are bound to, and a way back from deletion.
-- Programs that do not know of it leave the new columns as they are: such a deck has a revision more than it has kept ones, and its cards are not bound.

ALTER TABLE decks
    ADD COLUMN description text NOT NULL DEFAULT '' CHECK (char_length(description) <= 40000),
    ADD COLUMN tags text[] NOT NULL DEFAULT '{}' CHECK (cardinality(tags) <= 20),
    ADD COLUMN folder text CHECK (char_length(folder) BETWEEN 1 AND 100),
    ADD COLUMN unlisted boolean NOT NULL DEFAULT false,
    ADD COLUMN unread_lines jsonb NOT NULL DEFAULT '[]',
    ADD COLUMN card_ids uuid[] NOT NULL DEFAULT '{}',
    ADD COLUMN bound_revision bigint NOT NULL DEFAULT 0,
    ADD COLUMN cloned_deck_id uuid,
    ADD COLUMN cloned_revision bigint CHECK (cloned_revision >= 1),
    ADD COLUMN cloned_account_id uuid REFERENCES accounts ON DELETE SET NULL,
    ADD COLUMN deleted_at timestamptz,
    ADD COLUMN visibility_before text CHECK (visibility_before IN ('private', 'unlisted', 'public'));
COMMENT ON COLUMN decks.description IS 'In the markup of lore and comments.';
COMMENT ON COLUMN decks.folder IS 'Where its owner keeps it. Nobody else is told.';
COMMENT ON COLUMN decks.unlisted IS 'Who knows its id may read it, while bound_revision is the revision: a program that does not know the word has made it private or public otherwise.';
COMMENT ON COLUMN decks.unread_lines IS 'Lines of the list that it was made of which are no entries and could not be read: objects of line, text and detail.';
COMMENT ON COLUMN decks.card_ids IS 'The cards that its entries meant to its owner when it was saved, in the order of the entries; NULL: none. No references: a card that is gone stays bound.';
COMMENT ON COLUMN decks.bound_revision IS 'The revision that card_ids and unlisted are of. With another revision they say nothing.';
COMMENT ON COLUMN decks.cloned_deck_id IS 'The deck that it was made of. No reference: that may be gone.';
COMMENT ON COLUMN decks.deleted_at IS 'It is deleted: private, and gone for good 30 days later.';
COMMENT ON COLUMN decks.visibility_before IS 'What it is again when the deletion is undone.';

CREATE INDEX decks_cloned_account ON decks (cloned_account_id);
CREATE INDEX decks_deleted ON decks (deleted_at) WHERE deleted_at IS NOT NULL;

-- The entry of a card that the owner of a copy of a deck may not see has its set and number, and no name.
ALTER TABLE deck_entries
    DROP CONSTRAINT deck_entries_name_check,
    ADD CONSTRAINT deck_entries_name_check CHECK (char_length(name) BETWEEN 1 AND 200 OR (name = '' AND set_code IS NOT NULL AND number IS NOT NULL)) NOT VALID;

CREATE TABLE deck_revisions (
    deck_id uuid NOT NULL REFERENCES decks ON DELETE CASCADE,
    revision bigint NOT NULL CHECK (revision >= 1),
    visibility text NOT NULL CHECK (visibility IN ('private', 'unlisted', 'public')),
    content jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (deck_id, revision)
);
COMMENT ON TABLE deck_revisions IS 'What decks were. A row never changes; the oldest go when a deck has more than a hundred.';
COMMENT ON COLUMN deck_revisions.visibility IS 'That of the deck when it was saved: others read no revision that was private.';
COMMENT ON COLUMN deck_revisions.content IS 'Name, game, format, description, tags, entries with the cards that they are bound to, and lines that could not be read.';
