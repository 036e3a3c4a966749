-- What players say of each other's decks: comments and likes; and whose decks they follow.
--
-- The comments stand in the table of those on designs. Programs that do not know of decks find none of theirs there, and still hide what a banned account said.
-- Whoever writes feedback locks its own account first, then the deck, then what is written.

ALTER TABLE decks
    ADD COLUMN like_count bigint NOT NULL DEFAULT 0,
    ADD COLUMN comment_count bigint NOT NULL DEFAULT 0,
    ADD COLUMN published_at timestamptz,
    ADD CONSTRAINT decks_like_count_check CHECK (like_count >= 0) NOT VALID,
    ADD CONSTRAINT decks_comment_count_check CHECK (comment_count >= 0) NOT VALID;
COMMENT ON COLUMN decks.like_count IS 'Likes that count. Kept by triggers.';
COMMENT ON COLUMN decks.comment_count IS 'Comments and replies that stand. Kept by triggers.';
COMMENT ON COLUMN decks.published_at IS 'When it was public for the first time; it stays when the deck is private later. NULL in a public deck: it was before this column, and created_at is taken for it.';
CREATE INDEX decks_published ON decks (account_id, (coalesce(published_at, created_at)), id) WHERE visibility = 'public' AND deleted_at IS NULL;

-- A trigger, so that decks which an older program makes public have their time, too.
CREATE FUNCTION decks_are_published() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.visibility = 'public' THEN
        NEW.published_at := OLD.created_at;
    ELSIF NEW.visibility = 'public' THEN
        NEW.published_at := NEW.updated_at;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER new_decks_are_published BEFORE INSERT ON decks
    FOR EACH ROW WHEN (NEW.visibility = 'public' AND NEW.published_at IS NULL) EXECUTE FUNCTION decks_are_published();
CREATE TRIGGER changed_decks_are_published BEFORE UPDATE ON decks
    FOR EACH ROW WHEN (NEW.published_at IS NULL AND (NEW.visibility = 'public' OR OLD.visibility = 'public')) EXECUTE FUNCTION decks_are_published();

ALTER TABLE design_comments
    ALTER COLUMN design_id DROP NOT NULL,
    ADD COLUMN deck_id uuid REFERENCES decks ON DELETE CASCADE,
    ADD CONSTRAINT design_comments_one_subject CHECK (num_nonnulls(design_id, deck_id) = 1) NOT VALID;
COMMENT ON TABLE design_comments IS 'Comments on designs and, in spite of its name, on decks.';
COMMENT ON COLUMN design_comments.deck_id IS 'The deck that it is on; then design_id is null.';
COMMENT ON COLUMN design_comments.reply_to IS 'A comment on the same design or deck that is no reply itself.';
CREATE INDEX design_comments_deck_threads ON design_comments (deck_id, listed, id) WHERE deck_id IS NOT NULL;
CREATE INDEX design_comments_deck_account ON design_comments (account_id, deck_id) WHERE deck_id IS NOT NULL;

CREATE OR REPLACE FUNCTION design_comments_are_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        UPDATE designs d SET comment_count = comment_count + more
        FROM (SELECT design_id, count(*) AS more FROM after WHERE stands GROUP BY design_id) x WHERE d.id = x.design_id;
        UPDATE decks d SET comment_count = comment_count + more
        FROM (SELECT deck_id, count(*) AS more FROM after WHERE stands GROUP BY deck_id) x WHERE d.id = x.deck_id;
        UPDATE design_comments c SET reply_count = reply_count + more
        FROM (SELECT reply_to, count(*) AS more FROM after WHERE stands AND reply_to IS NOT NULL GROUP BY reply_to) x WHERE c.id = x.reply_to;
        RETURN NULL;
    END IF;
    -- This function counts replies in the same table: then nothing stands or falls.
    IF NOT EXISTS (SELECT FROM before b JOIN after a ON a.id = b.id AND a.stands <> b.stands) THEN
        RETURN NULL;
    END IF;
    UPDATE designs d SET comment_count = comment_count + more
    FROM (SELECT a.design_id, sum(CASE WHEN a.stands THEN 1 ELSE -1 END) AS more FROM before b JOIN after a ON a.id = b.id AND a.stands <> b.stands
          GROUP BY a.design_id) x WHERE d.id = x.design_id;
    UPDATE decks d SET comment_count = comment_count + more
    FROM (SELECT a.deck_id, sum(CASE WHEN a.stands THEN 1 ELSE -1 END) AS more FROM before b JOIN after a ON a.id = b.id AND a.stands <> b.stands
          GROUP BY a.deck_id) x WHERE d.id = x.deck_id;
    UPDATE design_comments c SET reply_count = reply_count + more
    FROM (SELECT a.reply_to, sum(CASE WHEN a.stands THEN 1 ELSE -1 END) AS more FROM before b JOIN after a ON a.id = b.id AND a.stands <> b.stands
          WHERE a.reply_to IS NOT NULL GROUP BY a.reply_to) x WHERE c.id = x.reply_to;
    RETURN NULL;
END $$;

-- Reports of comments on decks. An older program takes one for a comment on a design that is gone, and still hides it.
ALTER TABLE abuse_reports
    ADD COLUMN deck_id uuid REFERENCES decks ON DELETE CASCADE,
    DROP CONSTRAINT abuse_reports_check,
    DROP CONSTRAINT abuse_reports_one_target,
    ADD CONSTRAINT abuse_reports_comments_have_subjects CHECK (comment_id IS NULL OR num_nonnulls(design_id, deck_id) = 1) NOT VALID,
    ADD CONSTRAINT abuse_reports_one_target CHECK (num_nonnulls(suggestion_id, design_id, deck_id) <= 1 AND (deck_id IS NULL OR comment_id IS NOT NULL)) NOT VALID;
COMMENT ON COLUMN abuse_reports.deck_id IS 'The deck with the comment, if the report is about a comment on a deck.';
CREATE INDEX abuse_reports_deck ON abuse_reports (deck_id) WHERE deck_id IS NOT NULL;

CREATE TABLE deck_likes (
    deck_id uuid NOT NULL REFERENCES decks ON DELETE CASCADE,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    liked_at timestamptz NOT NULL,
    counted boolean NOT NULL,
    PRIMARY KEY (deck_id, account_id)
);
COMMENT ON COLUMN deck_likes.counted IS 'It is in like_count of its deck: its account is not banned, and not blocked by the owner of the deck.';
CREATE INDEX deck_likes_account ON deck_likes (account_id, liked_at, deck_id);

-- Counts follow whatever makes a like count, once for each statement. The rows of the decks are the lock.
CREATE FUNCTION deck_likes_are_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        UPDATE decks d SET like_count = like_count + more
        FROM (SELECT deck_id, count(*) AS more FROM after WHERE counted GROUP BY deck_id) x WHERE d.id = x.deck_id;
    ELSIF TG_OP = 'DELETE' THEN
        UPDATE decks d SET like_count = like_count - less
        FROM (SELECT deck_id, count(*) AS less FROM before WHERE counted GROUP BY deck_id) x WHERE d.id = x.deck_id;
    ELSE
        UPDATE decks d SET like_count = like_count + more
        FROM (SELECT a.deck_id, sum(CASE WHEN a.counted THEN 1 ELSE -1 END) AS more FROM before b
              JOIN after a ON a.deck_id = b.deck_id AND a.account_id = b.account_id AND a.counted <> b.counted GROUP BY a.deck_id) x WHERE d.id = x.deck_id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER deck_likes_added_are_counted AFTER INSERT ON deck_likes
    REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION deck_likes_are_counted();
CREATE TRIGGER deck_likes_changed_are_counted AFTER UPDATE ON deck_likes
    REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION deck_likes_are_counted();
CREATE TRIGGER deck_likes_deleted_are_counted AFTER DELETE ON deck_likes
    REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION deck_likes_are_counted();

CREATE TABLE followed_authors (
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    author_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    followed_at timestamptz NOT NULL,
    counted boolean NOT NULL,
    PRIMARY KEY (account_id, author_id),
    CHECK (account_id <> author_id)
);
COMMENT ON TABLE followed_authors IS 'Whose decks an account follows. Shown to nobody else.';
COMMENT ON COLUMN followed_authors.counted IS 'It is in the followers of the author: the account is not banned, and not blocked by the author.';
CREATE INDEX followed_authors_order ON followed_authors (account_id, followed_at, author_id);
CREATE INDEX followed_authors_author ON followed_authors (author_id, account_id);

CREATE TABLE author_followers (
    author_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    followers bigint NOT NULL CHECK (followers >= 0)
);
COMMENT ON TABLE author_followers IS 'How many follow an author. A table of its own: the row of the account is held by whatever the author does, and those who follow each other would wait for each other.';

-- Whoever follows has its own account. The counts come last, in the order of the authors.
CREATE FUNCTION followers_are_counted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    authors uuid[];
    more bigint[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        SELECT array_agg(x.author_id ORDER BY x.author_id), array_agg(x.more ORDER BY x.author_id) INTO authors, more
        FROM (SELECT author_id, count(*) AS more FROM after WHERE counted GROUP BY author_id) x;
    ELSIF TG_OP = 'DELETE' THEN
        SELECT array_agg(x.author_id ORDER BY x.author_id), array_agg(x.more ORDER BY x.author_id) INTO authors, more
        FROM (SELECT author_id, -count(*) AS more FROM before WHERE counted GROUP BY author_id) x;
    ELSE
        SELECT array_agg(x.author_id ORDER BY x.author_id), array_agg(x.more ORDER BY x.author_id) INTO authors, more
        FROM (SELECT a.author_id, sum(CASE WHEN a.counted THEN 1 ELSE -1 END) AS more FROM before b
              JOIN after a ON a.account_id = b.account_id AND a.author_id = b.author_id AND a.counted <> b.counted GROUP BY a.author_id) x;
    END IF;
    IF authors IS NULL THEN
        RETURN NULL;
    END IF;
    INSERT INTO author_followers (author_id, followers)
    SELECT x.author_id, 0 FROM unnest(authors, more) WITH ORDINALITY AS x (author_id, more, place) WHERE x.more > 0 ORDER BY x.place ON CONFLICT (author_id) DO NOTHING;
    PERFORM FROM author_followers WHERE author_id = ANY (authors) ORDER BY author_id FOR NO KEY UPDATE;
    UPDATE author_followers f SET followers = f.followers + x.more FROM unnest(authors, more) AS x (author_id, more) WHERE f.author_id = x.author_id;
    RETURN NULL;
END $$;
CREATE TRIGGER followers_added_are_counted AFTER INSERT ON followed_authors
    REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION followers_are_counted();
CREATE TRIGGER followers_changed_are_counted AFTER UPDATE ON followed_authors
    REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION followers_are_counted();
CREATE TRIGGER followers_deleted_are_counted AFTER DELETE ON followed_authors
    REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION followers_are_counted();

-- What an account is told.
ALTER TABLE account_events
    ADD COLUMN deck_id uuid,
    DROP CONSTRAINT account_events_kind_check,
    ADD CONSTRAINT account_events_kind_check CHECK (kind IN (
        'submission.accepted', 'submission.held', 'submission.confirmed', 'submission.refused', 'card.unlocked',
        'trade.offered', 'trade.countered', 'trade.accepted', 'trade.declined', 'trade.cancelled', 'trade.lapsed', 'trade.expired',
        'copy.received', 'copy.given', 'copy.frozen', 'copy.unfrozen', 'copy.voided',
        'dispute.opened', 'dispute.decided', 'dispute.closed',
        'design.commented', 'design.replied', 'design.suggested', 'design.suggestion_taken', 'design.suggestion_declined',
        'design.approved', 'design.declined', 'design.official', 'design.taken_down', 'design.reinstated',
        'deck.commented', 'deck.replied')) NOT VALID;
DROP TRIGGER account_events_stay ON account_events;
CREATE TRIGGER account_events_stay BEFORE UPDATE ON account_events FOR EACH ROW
    WHEN (OLD.seq IS NOT NULL
          OR ROW (OLD.id, OLD.account_id, OLD.kind, OLD.submission_id, OLD.copy_id, OLD.card_id, OLD.trade_id, OLD.dispute_id, OLD.outcome,
                  OLD.design_id, OLD.comment_id, OLD.suggestion_id, OLD.deck_id, OLD.created_at)
             IS DISTINCT FROM
             ROW (NEW.id, NEW.account_id, NEW.kind, NEW.submission_id, NEW.copy_id, NEW.card_id, NEW.trade_id, NEW.dispute_id, NEW.outcome,
                  NEW.design_id, NEW.comment_id, NEW.suggestion_id, NEW.deck_id, NEW.created_at))
    EXECUTE FUNCTION append_only();

CREATE FUNCTION tell_of_deck(recipient uuid, actor uuid, what text, deck uuid, comment uuid, at timestamptz)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO account_events (account_id, kind, deck_id, comment_id, created_at)
    SELECT recipient, what, deck, comment, at
    WHERE recipient IS DISTINCT FROM actor
      AND NOT EXISTS (SELECT FROM account_blocks b WHERE b.account_id = recipient AND b.blocked_id = actor)
      AND NOT EXISTS (SELECT FROM event_settings s WHERE s.account_id = recipient AND what = ANY (s.muted));
END $$;

-- A reply is told to the author of the comment, and also to whom the design or the deck belongs.
CREATE OR REPLACE FUNCTION design_comments_are_told() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    author uuid := CASE WHEN NEW.deck_id IS NULL THEN (SELECT account_id FROM designs WHERE id = NEW.design_id) ELSE (SELECT account_id FROM decks WHERE id = NEW.deck_id) END;
    replied_to uuid := (SELECT account_id FROM design_comments WHERE id = NEW.reply_to);
BEGIN
    IF NEW.deck_id IS NULL THEN
        IF replied_to IS NOT NULL THEN
            PERFORM tell_of_design(replied_to, NEW.account_id, 'design.replied', NEW.design_id, NEW.id, NULL, NEW.created_at);
        END IF;
        IF author IS DISTINCT FROM replied_to THEN
            PERFORM tell_of_design(author, NEW.account_id, 'design.commented', NEW.design_id, NEW.id, NULL, NEW.created_at);
        END IF;
    ELSE
        IF replied_to IS NOT NULL THEN
            PERFORM tell_of_deck(replied_to, NEW.account_id, 'deck.replied', NEW.deck_id, NEW.id, NEW.created_at);
        END IF;
        IF author IS DISTINCT FROM replied_to THEN
            PERFORM tell_of_deck(author, NEW.account_id, 'deck.commented', NEW.deck_id, NEW.id, NEW.created_at);
        END IF;
    END IF;
    RETURN NULL;
END $$;
