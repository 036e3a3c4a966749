-- What players say of each other's designs: comments, ratings, suggested changes; and whom they want to hear nothing of.
--
-- Whoever writes feedback locks its own account first, then the design, then what is written: a ban, which holds the account, sees all that was written before.

CREATE TABLE account_blocks (
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    blocked_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, blocked_id),
    CHECK (account_id <> blocked_id)
);
COMMENT ON TABLE account_blocks IS 'Whom an account wants to hear nothing of. Shown to nobody else.';
CREATE INDEX account_blocks_order ON account_blocks (account_id, created_at, blocked_id);

CREATE TABLE event_settings (
    account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    muted text[] NOT NULL
);
COMMENT ON COLUMN event_settings.muted IS 'Kinds of events that the account is not told.';

CREATE TABLE design_comments (
    id uuid PRIMARY KEY,
    design_id uuid NOT NULL REFERENCES designs ON DELETE CASCADE,
    account_id uuid NOT NULL REFERENCES accounts,
    reply_to uuid REFERENCES design_comments ON DELETE CASCADE,
    text text NOT NULL CHECK (char_length(text) BETWEEN 1 AND 16000),
    version bigint NOT NULL CHECK (version >= 1),
    created_at timestamptz NOT NULL,
    edited_at timestamptz,
    deleted_at timestamptz,
    hidden_at timestamptz,
    author_banned boolean NOT NULL DEFAULT false,
    reply_count bigint NOT NULL DEFAULT 0 CHECK (reply_count >= 0),
    stands boolean NOT NULL GENERATED ALWAYS AS (deleted_at IS NULL AND hidden_at IS NULL AND NOT author_banned) STORED,
    listed boolean NOT NULL GENERATED ALWAYS AS
        (reply_to IS NULL AND (deleted_at IS NULL AND hidden_at IS NULL AND NOT author_banned OR reply_count > 0)) STORED
);
COMMENT ON COLUMN design_comments.reply_to IS 'A comment on the same design that is no reply itself.';
COMMENT ON COLUMN design_comments.version IS 'Rises with every edit; its ETag and If-Match.';
COMMENT ON COLUMN design_comments.deleted_at IS 'By its author. The text stays for moderators; nobody else reads it.';
COMMENT ON COLUMN design_comments.hidden_at IS 'By a moderator.';
COMMENT ON COLUMN design_comments.author_banned IS 'Written with bans and their end.';
COMMENT ON COLUMN design_comments.reply_count IS 'Replies that stand.';
COMMENT ON COLUMN design_comments.stands IS 'Everybody reads it.';
COMMENT ON COLUMN design_comments.listed IS 'It has a place in the list: it stands, or has replies that do.';
CREATE INDEX design_comments_threads ON design_comments (design_id, listed, id);
CREATE INDEX design_comments_replies ON design_comments (reply_to, stands, id);
CREATE INDEX design_comments_account ON design_comments (account_id, design_id);

-- Counts follow whatever changes about a comment. The row of the design is the lock.
CREATE FUNCTION design_comments_are_counted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    more integer := CASE WHEN NEW.stands THEN 1 ELSE -1 END;
BEGIN
    UPDATE designs SET comment_count = comment_count + more WHERE id = NEW.design_id;
    IF NEW.reply_to IS NOT NULL THEN
        UPDATE design_comments SET reply_count = reply_count + more WHERE id = NEW.reply_to;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER design_comments_added_are_counted AFTER INSERT ON design_comments
    FOR EACH ROW WHEN (NEW.stands) EXECUTE FUNCTION design_comments_are_counted();
CREATE TRIGGER design_comments_changed_are_counted AFTER UPDATE ON design_comments
    FOR EACH ROW WHEN (OLD.stands <> NEW.stands) EXECUTE FUNCTION design_comments_are_counted();

CREATE TABLE design_ratings (
    design_id uuid NOT NULL REFERENCES designs ON DELETE CASCADE,
    account_id uuid NOT NULL REFERENCES accounts,
    revision bigint NOT NULL CHECK (revision >= 1),
    fun integer NOT NULL CHECK (fun BETWEEN 1 AND 5),
    balance integer NOT NULL CHECK (balance BETWEEN 1 AND 5),
    flavour integer NOT NULL CHECK (flavour BETWEEN 1 AND 5),
    clarity integer NOT NULL CHECK (clarity BETWEEN 1 AND 5),
    rated_at timestamptz NOT NULL,
    counts_from timestamptz,
    counted boolean NOT NULL,
    PRIMARY KEY (design_id, account_id, revision),
    CHECK (NOT counted OR counts_from IS NOT NULL)
);
COMMENT ON TABLE design_ratings IS 'One for each account and revision; the one of the latest revision counts.';
COMMENT ON COLUMN design_ratings.counts_from IS 'When the account is old enough. NULL: it does not count: the account is banned, or has rated a later revision.';
COMMENT ON COLUMN design_ratings.counted IS 'It is in the sums of its design.';
CREATE INDEX design_ratings_account ON design_ratings (account_id, design_id);
CREATE UNIQUE INDEX design_ratings_effective ON design_ratings (design_id, account_id) WHERE counts_from IS NOT NULL;
CREATE INDEX design_ratings_due ON design_ratings (counts_from) WHERE NOT counted AND counts_from IS NOT NULL;

CREATE TABLE design_rating_sums (
    design_id uuid NOT NULL REFERENCES designs ON DELETE CASCADE,
    revision bigint NOT NULL,
    ratings bigint NOT NULL CHECK (ratings >= 0),
    fun bigint NOT NULL,
    balance bigint NOT NULL,
    flavour bigint NOT NULL,
    clarity bigint NOT NULL,
    PRIMARY KEY (design_id, revision)
);
COMMENT ON TABLE design_rating_sums IS 'Of the ratings that count, by the revision that they are about.';

CREATE FUNCTION count_design_rating(rating design_ratings, more integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE designs SET rating_count = rating_count + more,
        rating_points = rating_points + more * (rating.fun + rating.balance + rating.flavour + rating.clarity)
    WHERE id = rating.design_id;
    UPDATE design_rating_sums SET ratings = ratings + more, fun = fun + more * rating.fun, balance = balance + more * rating.balance,
        flavour = flavour + more * rating.flavour, clarity = clarity + more * rating.clarity
    WHERE design_id = rating.design_id AND revision = rating.revision;
    IF NOT FOUND AND more > 0 THEN
        INSERT INTO design_rating_sums (design_id, revision, ratings, fun, balance, flavour, clarity)
        VALUES (rating.design_id, rating.revision, more, rating.fun, rating.balance, rating.flavour, rating.clarity);
    END IF;
END $$;
CREATE FUNCTION design_ratings_are_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        IF OLD.counted THEN PERFORM count_design_rating(OLD, -1); END IF;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        IF NEW.counted THEN PERFORM count_design_rating(NEW, 1); END IF;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER design_ratings_are_counted AFTER INSERT OR UPDATE OR DELETE ON design_ratings
    FOR EACH ROW EXECUTE FUNCTION design_ratings_are_counted();

CREATE TABLE suggested_changes (
    id uuid PRIMARY KEY,
    design_id uuid NOT NULL REFERENCES designs ON DELETE CASCADE,
    account_id uuid NOT NULL REFERENCES accounts,
    revision bigint NOT NULL CHECK (revision >= 1),
    content jsonb NOT NULL,
    message text NOT NULL CHECK (char_length(message) BETWEEN 1 AND 8000),
    state text NOT NULL CHECK (state IN ('open', 'taken', 'declined', 'withdrawn')),
    taken_as bigint,
    created_at timestamptz NOT NULL,
    closed_at timestamptz,
    CHECK ((state = 'open') = (closed_at IS NULL)),
    CHECK ((state = 'taken') = (taken_as IS NOT NULL))
);
COMMENT ON COLUMN suggested_changes.revision IS 'The revision that the suggestion is about.';
COMMENT ON COLUMN suggested_changes.content IS 'What the design should say.';
COMMENT ON COLUMN suggested_changes.taken_as IS 'The revision that it became.';
CREATE INDEX suggested_changes_design ON suggested_changes (design_id, id);
CREATE INDEX suggested_changes_account ON suggested_changes (design_id, account_id, id);

ALTER TABLE design_revisions ADD COLUMN credited_to uuid REFERENCES accounts;
COMMENT ON COLUMN design_revisions.credited_to IS 'Whose suggestion it is that the author took.';
CREATE INDEX design_revisions_credits ON design_revisions (design_id, number) WHERE credited_to IS NOT NULL;

-- What an account is told.
ALTER TABLE account_events
    ADD COLUMN design_id uuid,
    ADD COLUMN comment_id uuid,
    ADD COLUMN suggestion_id uuid,
    DROP CONSTRAINT account_events_kind_check,
    ADD CONSTRAINT account_events_kind_check CHECK (kind IN (
        'submission.accepted', 'submission.held', 'submission.confirmed', 'submission.refused', 'card.unlocked',
        'trade.offered', 'trade.countered', 'trade.accepted', 'trade.declined', 'trade.cancelled', 'trade.lapsed', 'trade.expired',
        'copy.received', 'copy.given', 'copy.frozen', 'copy.unfrozen', 'copy.voided',
        'dispute.opened', 'dispute.decided', 'dispute.closed',
        'design.commented', 'design.replied', 'design.suggested', 'design.suggestion_taken', 'design.suggestion_declined',
        'design.approved', 'design.declined')) NOT VALID;
DROP TRIGGER account_events_stay ON account_events;
CREATE TRIGGER account_events_stay BEFORE UPDATE ON account_events FOR EACH ROW
    WHEN (OLD.seq IS NOT NULL
          OR ROW (OLD.id, OLD.account_id, OLD.kind, OLD.submission_id, OLD.copy_id, OLD.card_id, OLD.trade_id, OLD.dispute_id, OLD.outcome,
                  OLD.design_id, OLD.comment_id, OLD.suggestion_id, OLD.created_at)
             IS DISTINCT FROM
             ROW (NEW.id, NEW.account_id, NEW.kind, NEW.submission_id, NEW.copy_id, NEW.card_id, NEW.trade_id, NEW.dispute_id, NEW.outcome,
                  NEW.design_id, NEW.comment_id, NEW.suggestion_id, NEW.created_at))
    EXECUTE FUNCTION append_only();

-- Nobody is told what they did themselves, what somebody did whom they have blocked, or what they do not want to be told.
CREATE FUNCTION tell_of_design(recipient uuid, actor uuid, what text, design uuid, comment uuid, suggestion uuid, at timestamptz)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO account_events (account_id, kind, design_id, comment_id, suggestion_id, created_at)
    SELECT recipient, what, design, comment, suggestion, at
    WHERE recipient IS DISTINCT FROM actor
      AND NOT EXISTS (SELECT FROM account_blocks b WHERE b.account_id = recipient AND b.blocked_id = actor)
      AND NOT EXISTS (SELECT FROM event_settings s WHERE s.account_id = recipient AND what = ANY (s.muted));
END $$;

-- A reply is told to the author of the comment, and also to the author of the design.
CREATE FUNCTION design_comments_are_told() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    author uuid := (SELECT account_id FROM designs WHERE id = NEW.design_id);
    replied_to uuid := (SELECT account_id FROM design_comments WHERE id = NEW.reply_to);
BEGIN
    IF replied_to IS NOT NULL THEN
        PERFORM tell_of_design(replied_to, NEW.account_id, 'design.replied', NEW.design_id, NEW.id, NULL, NEW.created_at);
    END IF;
    IF author IS DISTINCT FROM replied_to THEN
        PERFORM tell_of_design(author, NEW.account_id, 'design.commented', NEW.design_id, NEW.id, NULL, NEW.created_at);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER design_comments_are_told AFTER INSERT ON design_comments FOR EACH ROW EXECUTE FUNCTION design_comments_are_told();

-- A suggestion is told to the author of the design, its end to who made it.
CREATE FUNCTION suggested_changes_are_told() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    author uuid := (SELECT account_id FROM designs WHERE id = NEW.design_id);
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM tell_of_design(author, NEW.account_id, 'design.suggested', NEW.design_id, NULL, NEW.id, NEW.created_at);
    ELSE
        PERFORM tell_of_design(NEW.account_id, author, 'design.suggestion_' || NEW.state, NEW.design_id, NULL, NEW.id, NEW.closed_at);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER suggested_changes_made_are_told AFTER INSERT ON suggested_changes
    FOR EACH ROW EXECUTE FUNCTION suggested_changes_are_told();
CREATE TRIGGER suggested_changes_closed_are_told AFTER UPDATE OF state ON suggested_changes
    FOR EACH ROW WHEN (OLD.state = 'open' AND NEW.state IN ('taken', 'declined')) EXECUTE FUNCTION suggested_changes_are_told();

CREATE FUNCTION design_decisions_are_told() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_of_design((SELECT account_id FROM designs WHERE id = NEW.design_id), NULL, 'design.' || NEW.decision, NEW.design_id, NULL, NULL, NEW.closed_at);
    RETURN NULL;
END $$;
CREATE TRIGGER design_decisions_are_told AFTER UPDATE OF decision ON design_reviews
    FOR EACH ROW WHEN (OLD.decision IS NULL AND NEW.decision IS NOT NULL) EXECUTE FUNCTION design_decisions_are_told();
