CREATE OR REPLACE FUNCTION design_comments_are_told() RETURNS trigger LANGUAGE plpgsql AS $$
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
DROP FUNCTION tell_of_deck;
DROP TRIGGER account_events_stay ON account_events;
DELETE FROM account_events WHERE kind LIKE 'deck.%';
UPDATE event_settings SET muted = ARRAY(SELECT kind FROM unnest(muted) AS kind WHERE kind NOT LIKE 'deck.%');
ALTER TABLE account_events
    DROP COLUMN deck_id,
    DROP CONSTRAINT account_events_kind_check,
    ADD CONSTRAINT account_events_kind_check CHECK (kind IN (
        'submission.accepted', 'submission.held', 'submission.confirmed', 'submission.refused', 'card.unlocked',
        'trade.offered', 'trade.countered', 'trade.accepted', 'trade.declined', 'trade.cancelled', 'trade.lapsed', 'trade.expired',
        'copy.received', 'copy.given', 'copy.frozen', 'copy.unfrozen', 'copy.voided',
        'dispute.opened', 'dispute.decided', 'dispute.closed',
        'design.commented', 'design.replied', 'design.suggested', 'design.suggestion_taken', 'design.suggestion_declined',
        'design.approved', 'design.declined', 'design.official', 'design.taken_down', 'design.reinstated'));
CREATE TRIGGER account_events_stay BEFORE UPDATE ON account_events FOR EACH ROW
    WHEN (OLD.seq IS NOT NULL
          OR ROW (OLD.id, OLD.account_id, OLD.kind, OLD.submission_id, OLD.copy_id, OLD.card_id, OLD.trade_id, OLD.dispute_id, OLD.outcome,
                  OLD.design_id, OLD.comment_id, OLD.suggestion_id, OLD.created_at)
             IS DISTINCT FROM
             ROW (NEW.id, NEW.account_id, NEW.kind, NEW.submission_id, NEW.copy_id, NEW.card_id, NEW.trade_id, NEW.dispute_id, NEW.outcome,
                  NEW.design_id, NEW.comment_id, NEW.suggestion_id, NEW.created_at))
    EXECUTE FUNCTION append_only();

DROP TABLE author_followers, followed_authors, deck_likes;
DROP FUNCTION followers_are_counted, deck_likes_are_counted;

DELETE FROM abuse_reports WHERE deck_id IS NOT NULL;
ALTER TABLE abuse_reports
    DROP CONSTRAINT abuse_reports_comments_have_subjects,
    DROP CONSTRAINT abuse_reports_one_target,
    DROP COLUMN deck_id,
    ADD CONSTRAINT abuse_reports_check CHECK (comment_id IS NULL OR design_id IS NOT NULL),
    ADD CONSTRAINT abuse_reports_one_target CHECK (num_nonnulls(suggestion_id, design_id) <= 1) NOT VALID;

CREATE OR REPLACE FUNCTION design_comments_are_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        UPDATE designs d SET comment_count = comment_count + more
        FROM (SELECT design_id, count(*) AS more FROM after WHERE stands GROUP BY design_id) x WHERE d.id = x.design_id;
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
    UPDATE design_comments c SET reply_count = reply_count + more
    FROM (SELECT a.reply_to, sum(CASE WHEN a.stands THEN 1 ELSE -1 END) AS more FROM before b JOIN after a ON a.id = b.id AND a.stands <> b.stands
          WHERE a.reply_to IS NOT NULL GROUP BY a.reply_to) x WHERE c.id = x.reply_to;
    RETURN NULL;
END $$;
DELETE FROM design_comments WHERE deck_id IS NOT NULL;
ALTER TABLE design_comments DROP CONSTRAINT design_comments_one_subject, DROP COLUMN deck_id, ALTER COLUMN design_id SET NOT NULL;

DROP TRIGGER changed_decks_are_published ON decks;
DROP TRIGGER new_decks_are_published ON decks;
DROP FUNCTION decks_are_published;
DROP INDEX decks_published;
ALTER TABLE decks DROP COLUMN published_at, DROP COLUMN comment_count, DROP COLUMN like_count;
