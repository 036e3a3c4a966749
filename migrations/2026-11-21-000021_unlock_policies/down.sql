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
-- Not checked for what a policy left behind.
ALTER TABLE unlocks ADD CONSTRAINT unlocks_check1 CHECK (unlocked_at IS NOT NULL OR submissions < threshold) NOT VALID;
ALTER TABLE unlocks DROP COLUMN by_policy;
DROP INDEX submissions_card;
DROP TABLE submission_reviews;
DROP TABLE submission_networks;
DROP TABLE unlock_policies;
