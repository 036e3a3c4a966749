DELETE FROM events WHERE kind IN ('card.moved', 'card.merged');
ALTER TABLE events DROP CONSTRAINT events_kind_check;
ALTER TABLE events ADD CONSTRAINT events_kind_check
    CHECK (kind IN ('game.changed', 'set.changed', 'card.added', 'card.changed', 'card.unlocked'));
CREATE OR REPLACE FUNCTION unlocks_are_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
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
DROP TRIGGER moved_cards_take_new_numbers ON cards;
DROP TRIGGER new_cards_take_new_numbers ON cards;
DROP FUNCTION moved_cards_take_new_numbers;
DROP FUNCTION new_cards_take_new_numbers;
DROP FUNCTION refuse_retired_number;
DROP TABLE card_migrations;
DROP TRIGGER printing_removed_history ON printings;
DROP TRIGGER printings_added_history ON printing_content;
DROP TRIGGER printing_content_history ON printing_content;
DROP TRIGGER card_content_history ON card_content;
DROP FUNCTION printing_removed_history;
DROP FUNCTION printings_added_history;
DROP FUNCTION printing_content_history;
DROP FUNCTION card_content_history;
DROP FUNCTION note_card_change;
DROP FUNCTION members_changed;
DROP TABLE card_history;
DROP TABLE card_rulings;
ALTER TABLE sets DROP COLUMN edited_at;
