-- Pages of cards: edits by admins, rulings, the history of changes, and where cards went that were moved or merged.

ALTER TABLE sets ADD COLUMN edited_at timestamptz;
COMMENT ON COLUMN sets.edited_at IS 'When the set or one of its cards was last changed by something else than a set file; null: it is what the file of source_hash says. A program that does not know of it leaves it as it is, and a file is then compared once more than it need be.';

-- What is said of a card beside the card: secret like card_content, and read through the same door.
CREATE TABLE card_rulings (
    id uuid PRIMARY KEY,
    card_id uuid NOT NULL REFERENCES cards ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('ruling', 'erratum')),
    text text NOT NULL CHECK (text <> ''),
    published_on date NOT NULL,
    source text CHECK (source <> ''),
    created_at timestamptz NOT NULL
);
CREATE INDEX card_rulings_card ON card_rulings (card_id, published_on, id);
COMMENT ON TABLE card_rulings IS 'Rulings and errata, written by admins. Secret as long as the card is.';

CREATE TABLE card_history (
    id uuid PRIMARY KEY,
    card_id uuid NOT NULL REFERENCES cards ON DELETE CASCADE,
    change text NOT NULL
        CHECK (change IN ('changed', 'moved', 'merged', 'ruling_added', 'ruling_changed', 'ruling_removed')),
    changes jsonb NOT NULL CHECK (jsonb_typeof(changes) = 'array'),
    early boolean NOT NULL,
    at timestamptz NOT NULL
);
CREATE UNIQUE INDEX card_history_one_change ON card_history (card_id, at) WHERE change = 'changed';
CREATE INDEX card_history_newest ON card_history (card_id, at DESC, id DESC);
COMMENT ON TABLE card_history IS 'What changed about cards, and from what to what. That a card was added or unlocked stands in cards and unlocks.';
COMMENT ON COLUMN card_history.changes IS 'A list of {member, before, after}: member is a JSON pointer into the card; before or after is absent where there is nothing.';
COMMENT ON COLUMN card_history.early IS 'Whether the card was hidden then. What was never public is for those who oversee the cards, also after the unlock.';

-- The members in which two objects differ, as entries of card_history.changes.
CREATE FUNCTION members_changed(place text, older jsonb, newer jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF older = newer THEN
        RETURN '[]';
    END IF;
    RETURN (SELECT coalesce(jsonb_agg(
        jsonb_build_object('member', place || '/' || replace(replace(key, '~', '~0'), '/', '~1'))
            || CASE WHEN o.value IS NULL THEN '{}' ELSE jsonb_build_object('before', o.value) END
            || CASE WHEN n.value IS NULL THEN '{}' ELSE jsonb_build_object('after', n.value) END
        ORDER BY key), '[]')
    FROM jsonb_each(older) o FULL JOIN jsonb_each(newer) n USING (key) WHERE o.value IS DISTINCT FROM n.value);
END $$;

-- Triggers write the history, so that whoever changes a card writes it: every program, of any version. The time of a change is
-- the card's updated_at, which writers set first; the statements of one change become one entry.
CREATE FUNCTION note_card_change(card uuid, noted jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO card_history (id, card_id, change, changes, early, at)
    SELECT gen_random_uuid(), c.id, 'changed', noted, NOT content.open, c.updated_at
    FROM cards c JOIN card_content content ON content.card_id = c.id WHERE c.id = card
    ON CONFLICT (card_id, at) WHERE change = 'changed'
    DO UPDATE SET changes = card_history.changes || excluded.changes, early = card_history.early OR excluded.early;
END $$;

CREATE FUNCTION card_content_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM note_card_change(NEW.card_id,
        members_changed('',
            jsonb_build_object('name', OLD.name, 'kind', OLD.kind, 'effects', OLD.effects)
                || CASE WHEN OLD.lore IS NULL THEN '{}' ELSE jsonb_build_object('lore', OLD.lore) END,
            jsonb_build_object('name', NEW.name, 'kind', NEW.kind, 'effects', NEW.effects)
                || CASE WHEN NEW.lore IS NULL THEN '{}' ELSE jsonb_build_object('lore', NEW.lore) END)
        || members_changed('/attributes', OLD.attributes, NEW.attributes));
    RETURN NULL;
END $$;
CREATE TRIGGER card_content_history AFTER UPDATE ON card_content FOR EACH ROW
    WHEN ((NEW.name, NEW.kind, NEW.attributes, NEW.effects, NEW.lore)
          IS DISTINCT FROM (OLD.name, OLD.kind, OLD.attributes, OLD.effects, OLD.lore))
    EXECUTE FUNCTION card_content_history();

CREATE FUNCTION printing_content_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM note_card_change(p.card_id,
        members_changed('/printings/' || p.rarity || '/attributes', OLD.attributes, NEW.attributes))
    FROM printings p WHERE p.id = NEW.printing_id;
    RETURN NULL;
END $$;
CREATE TRIGGER printing_content_history AFTER UPDATE ON printing_content FOR EACH ROW
    WHEN (NEW.attributes IS DISTINCT FROM OLD.attributes) EXECUTE FUNCTION printing_content_history();

-- A card's first printings come with the card, whose revision is 1 then. Once for each statement: imports are large. A table that
-- grows within a transaction looks small to the planner, which would read all of it for each statement.
CREATE FUNCTION printings_added_history() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
BEGIN
    PERFORM note_card_change(c.id, jsonb_agg(jsonb_build_object('member', '/printings/' || p.rarity,
        'after', jsonb_build_object('rarity', p.rarity, 'attributes', added.attributes)) ORDER BY p.tier))
    FROM added JOIN printings p ON p.id = added.printing_id JOIN cards c ON c.id = p.card_id
    WHERE c.revision > 1 GROUP BY c.id;
    RETURN NULL;
END $$;
CREATE TRIGGER printings_added_history AFTER INSERT ON printing_content
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION printings_added_history();

CREATE FUNCTION printing_removed_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM note_card_change(OLD.card_id, jsonb_build_array(jsonb_build_object('member', '/printings/' || OLD.rarity,
        'before', jsonb_build_object('rarity', OLD.rarity, 'attributes', own.attributes))))
    FROM printing_content own WHERE own.printing_id = OLD.id;
    RETURN OLD;
END $$;
CREATE TRIGGER printing_removed_history BEFORE DELETE ON printings
    FOR EACH ROW EXECUTE FUNCTION printing_removed_history();

-- Where cards went. Everybody may read it: it holds places and ids, which are no secret.
CREATE TABLE card_migrations (
    id uuid PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('move', 'merge')),
    game_code text NOT NULL REFERENCES games,
    old_card_id uuid NOT NULL,
    old_set_code text NOT NULL,
    old_number text NOT NULL,
    new_card_id uuid NOT NULL,
    new_set_code text NOT NULL,
    new_number text NOT NULL,
    card_id uuid NOT NULL REFERENCES cards,
    note text CHECK (note <> ''),
    performed_at timestamptz NOT NULL,
    UNIQUE (game_code, old_set_code, old_number),
    CHECK ((kind = 'move') = (old_card_id = new_card_id))
);
CREATE UNIQUE INDEX card_migrations_merged_once ON card_migrations (old_card_id) WHERE kind = 'merge';
CREATE INDEX card_migrations_card ON card_migrations (card_id);
CREATE INDEX card_migrations_newest ON card_migrations (performed_at DESC, id DESC);
COMMENT ON TABLE card_migrations IS 'Cards that got another number, or became one with another card. Their old ids and numbers lead to card_id for ever.';
COMMENT ON COLUMN card_migrations.card_id IS 'The card that old id and old number lead to now: chains have one step.';

-- No card takes a number that another left, whoever writes it.
CREATE FUNCTION refuse_retired_number(game text, set_code text, number text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the number %/%/% belongs to a card that was moved or merged', game, set_code, number
        USING ERRCODE = 'check_violation';
END $$;
CREATE FUNCTION new_cards_take_new_numbers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM refuse_retired_number(a.game_code, a.set_code, a.number) FROM added a JOIN card_migrations m
        ON m.game_code = a.game_code AND m.old_set_code = a.set_code AND m.old_number = a.number;
    RETURN NULL;
END $$;
CREATE TRIGGER new_cards_take_new_numbers AFTER INSERT ON cards
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION new_cards_take_new_numbers();
CREATE FUNCTION moved_cards_take_new_numbers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM refuse_retired_number(NEW.game_code, NEW.set_code, NEW.number) FROM card_migrations m
        WHERE m.game_code = NEW.game_code AND m.old_set_code = NEW.set_code AND m.old_number = NEW.number;
    RETURN NULL;
END $$;
CREATE TRIGGER moved_cards_take_new_numbers AFTER UPDATE OF set_code, number ON cards FOR EACH ROW
    WHEN ((NEW.set_code, NEW.number) IS DISTINCT FROM (OLD.set_code, OLD.number))
    EXECUTE FUNCTION moved_cards_take_new_numbers();

-- Progress goes only with a card that became another: it is open, and nobody ever submitted a copy of it.
CREATE OR REPLACE FUNCTION unlocks_are_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF OLD.unlocked_at IS NOT NULL
           AND EXISTS (SELECT FROM card_migrations WHERE kind = 'merge' AND old_card_id = OLD.card_id) THEN
            RETURN OLD;
        END IF;
        RAISE EXCEPTION 'the progress of a card is never forgotten' USING ERRCODE = 'check_violation';
    END IF;
    IF OLD.unlocked_at IS NOT NULL AND NEW.unlocked_at IS DISTINCT FROM OLD.unlocked_at THEN
        RAISE EXCEPTION 'an unlocked card stays unlocked' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.submissions < OLD.submissions THEN
        RAISE EXCEPTION 'submissions that were counted stay counted' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;

ALTER TABLE events DROP CONSTRAINT events_kind_check;
ALTER TABLE events ADD CONSTRAINT events_kind_check CHECK (kind IN
    ('game.changed', 'set.changed', 'card.added', 'card.changed', 'card.unlocked', 'card.moved', 'card.merged'));
