-- What unlocks a card, beside the number of accounts: policies of a set or of a whole game. A program that does not know of them goes on
-- to count accounts alone, so policies are to be made only when no such program runs any more.

CREATE TABLE unlock_policies (
    id uuid PRIMARY KEY,
    game_code text NOT NULL REFERENCES games,
    set_code text,
    threshold integer NOT NULL CHECK (threshold BETWEEN 1 AND 100000),
    rarities smallint NOT NULL CHECK (rarities BETWEEN 1 AND 100),
    min_account_age_days smallint NOT NULL CHECK (min_account_age_days BETWEEN 0 AND 365),
    per_network integer CHECK (per_network BETWEEN 1 AND 100000),
    review boolean NOT NULL,
    unlock_at timestamptz,
    revision bigint NOT NULL CHECK (revision >= 1),
    updated_at timestamptz NOT NULL,
    FOREIGN KEY (game_code, set_code) REFERENCES sets (game_code, code),
    UNIQUE NULLS NOT DISTINCT (game_code, set_code)
);
COMMENT ON COLUMN unlock_policies.set_code IS 'Null: for all sets of the game that have no policy of their own.';
COMMENT ON COLUMN unlock_policies.rarities IS 'In how many rarities, at least, copies must have been submitted.';
COMMENT ON COLUMN unlock_policies.per_network IS 'How many accounts of one network count for a card; null: all.';

CREATE TABLE submission_networks (
    submission_id uuid PRIMARY KEY REFERENCES submissions,
    network_mac bytea NOT NULL CHECK (octet_length(network_mac) = 16)
);
COMMENT ON TABLE submission_networks IS 'From which network a submission came, as a keyed hash: kept while its card is hidden.';

CREATE TABLE submission_reviews (
    submission_id uuid PRIMARY KEY REFERENCES submissions,
    confirmed boolean NOT NULL,
    reviewer_id uuid NOT NULL REFERENCES accounts,
    note text NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE TRIGGER submission_reviews_append_only BEFORE UPDATE OR DELETE ON submission_reviews
    FOR EACH ROW EXECUTE FUNCTION append_only();
COMMENT ON TABLE submission_reviews IS 'What a moderator said of a submission, where the policy asks for it.';

CREATE INDEX submissions_card ON submissions (card_id, created_at, id);

-- Enough accounts are not enough any more, where rarities are asked for, too.
ALTER TABLE unlocks DROP CONSTRAINT unlocks_check1;

-- A stricter policy may count fewer, while the card is hidden.
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
    IF NEW.submissions < OLD.submissions AND OLD.unlocked_at IS NOT NULL THEN
        RAISE EXCEPTION 'submissions that were counted stay counted' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;

ALTER TABLE unlocks ADD COLUMN by_policy boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN unlocks.by_policy IS 'A policy decides when the card is unlocked: reaching the threshold alone does nothing.';
