-- Which submissions count. Voiding a copy or banning an account takes votes for hidden cards back, so the flag `submissions.counted`, which is
-- written once, cannot say it any more. A program that knows of none of this may run beside: it takes no vote back, and the next count of
-- a card by a newer one puts right what it did. Only submissions for a card that such a program unlocks are told not to have counted.

-- The one definition of a submission that may count: every count reads it. What the policy of a card makes of these votes is decided by the
-- program (src/domain/unlock_policy.rs).
CREATE VIEW valid_votes AS
SELECT s.id AS submission_id, s.card_id, s.account_id, a.created_at AS account_since, c.printing_id, r.confirmed, s.created_at
FROM submissions s
JOIN accounts a ON a.id = s.account_id
JOIN copies c ON c.code_prefix = s.code_prefix AND c.code_mac = s.code_mac
LEFT JOIN submission_reviews r ON r.submission_id = s.id
WHERE a.banned_at IS NULL AND c.voided_at IS NULL AND r.confirmed IS NOT FALSE;
COMMENT ON VIEW valid_votes IS 'Submissions that may count for an unlock: of accounts that are not banned, of copies that are not void, and not refused by a moderator. Whose the copy is now, and whether it is frozen, does not matter.';

CREATE TABLE counted_submissions (
    submission_id uuid PRIMARY KEY REFERENCES submissions
);
COMMENT ON TABLE counted_submissions IS 'Submissions that count for the unlock of their card, or did when it was unlocked. Written under the lock of the card''s row of unlocks, and left alone once the card is unlocked.';
COMMENT ON COLUMN submissions.counted IS 'Whether it is the first of its account for a card that started hidden: no second one of them is added to the count without counting anew. Whether it counts stands in counted_submissions.';
COMMENT ON COLUMN unlocks.submissions IS 'Accounts whose votes (valid_votes) count by the policy in force; what it was at the unlock, once the card is unlocked.';

-- Whoever counts up waits until the counts are right.
LOCK TABLE unlocks IN SHARE ROW EXCLUSIVE MODE;

UPDATE unlocks u SET submissions = votes.accounts
FROM (SELECT hidden.card_id, count(DISTINCT v.account_id)::integer AS accounts
      FROM unlocks hidden LEFT JOIN valid_votes v ON v.card_id = hidden.card_id
      WHERE hidden.unlocked_at IS NULL AND NOT hidden.by_policy GROUP BY hidden.card_id) votes
WHERE votes.card_id = u.card_id AND u.submissions > votes.accounts;

-- Of cards over which a policy decides the program knows more: what counts for them is noted when they are counted next.
INSERT INTO counted_submissions (submission_id)
SELECT DISTINCT ON (s.card_id, s.account_id) s.id
FROM submissions s
JOIN unlocks u ON u.card_id = s.card_id
LEFT JOIN valid_votes v ON v.submission_id = s.id
LEFT JOIN submission_reviews r ON r.submission_id = s.id
WHERE CASE WHEN u.unlocked_at IS NULL THEN NOT u.by_policy AND v.submission_id IS NOT NULL
           ELSE s.created_at <= u.unlocked_at AND r.confirmed IS NOT FALSE END
ORDER BY s.card_id, s.account_id, s.created_at, s.id;
