-- What happens to an account: written by triggers in the transaction of what happens, so nothing is lost or told twice, and a program that
-- knows nothing of it tells it, too. Numbers are given when somebody reads, after the commit: see docs/DECISIONS.md.

CREATE TABLE account_events (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    seq bigint CHECK (seq >= 1),
    kind text NOT NULL CHECK (kind IN (
        'submission.accepted', 'submission.held', 'submission.confirmed', 'submission.refused', 'card.unlocked',
        'trade.offered', 'trade.countered', 'trade.accepted', 'trade.declined', 'trade.cancelled', 'trade.lapsed', 'trade.expired',
        'copy.received', 'copy.given', 'copy.frozen', 'copy.unfrozen', 'copy.voided',
        'dispute.opened', 'dispute.decided', 'dispute.closed')),
    submission_id uuid,
    copy_id uuid,
    card_id uuid,
    trade_id uuid,
    dispute_id uuid,
    outcome text,
    created_at timestamptz NOT NULL,
    UNIQUE (account_id, seq)
);
-- For the sweep. Blocks that were freed take new rows between old ones, so a BRIN would come to point everywhere.
CREATE INDEX account_events_age ON account_events (created_at);
COMMENT ON TABLE account_events IS 'What happened to an account, for nobody but it. Ids only: nothing of the content of cards.';
COMMENT ON COLUMN account_events.id IS 'The order of writing: what was begun after something else was committed has a higher one. Never shown.';
COMMENT ON COLUMN account_events.seq IS 'Place among the events of the account, from 1, without gaps; null until somebody reads.';
COMMENT ON COLUMN account_events.copy_id IS 'Null for a claimant who does not own the copy: its id is for its owner and moderators.';
COMMENT ON COLUMN account_events.outcome IS 'dispute.decided, dispute.closed: the state that the dispute came to.';
CREATE TRIGGER account_events_stay BEFORE UPDATE ON account_events FOR EACH ROW
    WHEN (OLD.seq IS NOT NULL
          OR ROW (OLD.id, OLD.account_id, OLD.kind, OLD.submission_id, OLD.copy_id, OLD.card_id, OLD.trade_id, OLD.dispute_id, OLD.outcome, OLD.created_at)
             IS DISTINCT FROM
             ROW (NEW.id, NEW.account_id, NEW.kind, NEW.submission_id, NEW.copy_id, NEW.card_id, NEW.trade_id, NEW.dispute_id, NEW.outcome, NEW.created_at))
    EXECUTE FUNCTION append_only();

CREATE TABLE account_event_clocks (
    account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    last_seq bigint NOT NULL CHECK (last_seq >= 0),
    unlocks_seq bigint NOT NULL CHECK (unlocks_seq >= 0),
    looked_at timestamptz NOT NULL
);
COMMENT ON TABLE account_event_clocks IS 'One row for each account that ever read its events. Whoever numbers them holds it.';
COMMENT ON COLUMN account_event_clocks.unlocks_seq IS 'Unlocks up to this number of the change feed were told.';
COMMENT ON COLUMN account_event_clocks.looked_at IS 'When somebody looked last, to the day. Events that nobody looked for may have been swept without a number.';

-- The one insert that a submission pays for.
CREATE FUNCTION submissions_are_told() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO account_events (account_id, kind, submission_id, copy_id, card_id, created_at)
    SELECT NEW.account_id,
           CASE WHEN EXISTS (
               SELECT FROM unlocks u JOIN cards k ON k.id = u.card_id
               JOIN LATERAL (SELECT policy.review FROM unlock_policies policy
                             WHERE policy.game_code = k.game_code AND (policy.set_code = k.set_code OR policy.set_code IS NULL)
                             ORDER BY policy.set_code NULLS LAST LIMIT 1) policy ON policy.review
               WHERE u.card_id = NEW.card_id AND u.unlocked_at IS NULL AND u.by_policy
           ) THEN 'submission.held' ELSE 'submission.accepted' END,
           NEW.id, c.id, NEW.card_id, NEW.created_at
    FROM copies c WHERE c.code_prefix = NEW.code_prefix AND c.code_mac = NEW.code_mac;
    RETURN NULL;
END $$;
CREATE TRIGGER submissions_are_told AFTER INSERT ON submissions FOR EACH ROW EXECUTE FUNCTION submissions_are_told();

CREATE FUNCTION submission_reviews_are_told() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO account_events (account_id, kind, submission_id, card_id, created_at)
    SELECT s.account_id, CASE WHEN NEW.confirmed THEN 'submission.confirmed' ELSE 'submission.refused' END, s.id, s.card_id, NEW.created_at
    FROM submissions s WHERE s.id = NEW.submission_id;
    RETURN NULL;
END $$;
CREATE TRIGGER submission_reviews_are_told AFTER INSERT ON submission_reviews
    FOR EACH ROW EXECUTE FUNCTION submission_reviews_are_told();

-- An offer is told to whom it is made, its end to both sides. One that was countered ends with the counter-offer, which is told.
CREATE FUNCTION trades_are_told() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO account_events (account_id, kind, trade_id, created_at)
        VALUES (NEW.offered_to, CASE WHEN NEW.counter_to IS NULL THEN 'trade.offered' ELSE 'trade.countered' END, NEW.id, NEW.created_at);
    ELSE
        INSERT INTO account_events (account_id, kind, trade_id, created_at)
        SELECT side, 'trade.' || NEW.state, NEW.id, NEW.closed_at FROM unnest(ARRAY[NEW.offered_by, NEW.offered_to]) AS side;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER trades_offered_are_told AFTER INSERT ON trades FOR EACH ROW WHEN (NEW.state = 'open') EXECUTE FUNCTION trades_are_told();
CREATE TRIGGER trades_closed_are_told AFTER UPDATE OF state ON trades
    FOR EACH ROW WHEN (OLD.state = 'open' AND NEW.state NOT IN ('open', 'countered')) EXECUTE FUNCTION trades_are_told();

-- Registrations are told by their submissions, disputes by their own rows.
CREATE FUNCTION copy_ledger_is_told() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO account_events (account_id, kind, copy_id, card_id, trade_id, created_at)
    SELECT side.account_id, side.kind, c.id, p.card_id, NEW.trade_id, NEW.created_at
    FROM copies c JOIN printings p ON p.id = c.printing_id
    JOIN LATERAL (
        SELECT NEW.owner_id AS account_id,
               CASE NEW.entry WHEN 'transfer' THEN 'copy.received' WHEN 'freeze' THEN 'copy.frozen'
                              WHEN 'unfreeze' THEN 'copy.unfrozen' ELSE 'copy.voided' END AS kind
        UNION ALL
        SELECT before.owner_id, 'copy.given' FROM copy_ledger before
        WHERE NEW.entry = 'transfer' AND before.code_prefix = NEW.code_prefix AND before.code_mac = NEW.code_mac
          AND before.position = NEW.position - 1
    ) side ON side.account_id IS NOT NULL
    WHERE c.code_prefix = NEW.code_prefix AND c.code_mac = NEW.code_mac;
    RETURN NULL;
END $$;
CREATE TRIGGER copy_ledger_is_told AFTER INSERT ON copy_ledger
    FOR EACH ROW WHEN (NEW.entry IN ('transfer', 'freeze', 'unfreeze', 'void')) EXECUTE FUNCTION copy_ledger_is_told();

-- A dispute is told to the owner when it is opened, to both sides when it ends. The claimant is not told the id of another's copy.
CREATE FUNCTION disputes_are_told() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO account_events (account_id, kind, copy_id, card_id, dispute_id, outcome, created_at)
    SELECT side.account_id,
           CASE WHEN NEW.state = 'open' THEN 'dispute.opened'
                WHEN NEW.state IN ('for_owner', 'for_claimant') THEN 'dispute.decided' ELSE 'dispute.closed' END,
           CASE WHEN side.account_id <> NEW.claimant_id OR side.account_id = c.owner_id THEN c.id END,
           p.card_id, NEW.id, nullif(NEW.state, 'open'), coalesce(NEW.closed_at, NEW.opened_at)
    FROM copies c JOIN printings p ON p.id = c.printing_id
    JOIN LATERAL (SELECT DISTINCT account_id FROM unnest(ARRAY[coalesce(NEW.lost_by, c.owner_id), NEW.claimant_id]) AS account_id) side
        ON NEW.state <> 'open' OR side.account_id <> NEW.claimant_id
    WHERE c.code_prefix = NEW.code_prefix AND c.code_mac = NEW.code_mac;
    RETURN NULL;
END $$;
CREATE TRIGGER disputes_opened_are_told AFTER INSERT ON disputes
    FOR EACH ROW WHEN (NEW.state = 'open') EXECUTE FUNCTION disputes_are_told();
CREATE TRIGGER disputes_closed_are_told AFTER UPDATE OF state ON disputes
    FOR EACH ROW WHEN (OLD.state = 'open' AND NEW.state <> 'open') EXECUTE FUNCTION disputes_are_told();

-- Last: older programs write what is above before they write events, and the locks are to come in their order.
CREATE INDEX events_unlocks ON events (seq) WHERE kind = 'card.unlocked';
