-- What designers get when their design is a card that everybody sees, and reports of suggested changes.

ALTER TABLE unlock_policies ADD COLUMN designer_perk text CHECK (designer_perk IN ('reserved_copy'));
COMMENT ON COLUMN unlock_policies.designer_perk IS 'What players get whose designs become cards of the set; null: nothing but the credit and the badge.';

CREATE TABLE designer_rewards (
    design_id uuid PRIMARY KEY REFERENCES designs,
    account_id uuid NOT NULL REFERENCES accounts,
    perk text CHECK (perk IN ('reserved_copy')),
    earned_at timestamptz NOT NULL,
    code_prefix text,
    code_mac bytea,
    granted_by uuid REFERENCES accounts,
    granted_at timestamptz,
    FOREIGN KEY (code_prefix, code_mac) REFERENCES copies,
    CHECK (num_nulls(code_prefix, code_mac, granted_by, granted_at) IN (0, 4)),
    CHECK (perk IS NOT NULL OR granted_at IS NULL)
);
COMMENT ON TABLE designer_rewards IS 'One row for each design that is a card that everybody sees: what its author earned by it. There is none while the card is hidden.';
COMMENT ON COLUMN designer_rewards.perk IS 'What the policy of the set named in that moment; null: nothing.';
COMMENT ON COLUMN designer_rewards.code_mac IS 'The copy that the author was given.';
CREATE INDEX designer_rewards_account ON designer_rewards (account_id, earned_at);
CREATE INDEX designer_rewards_due ON designer_rewards (earned_at, design_id) WHERE perk IS NOT NULL AND granted_at IS NULL;
CREATE INDEX designer_rewards_granted ON designer_rewards (earned_at, design_id) WHERE granted_at IS NOT NULL;
CREATE UNIQUE INDEX designer_rewards_copy ON designer_rewards (code_prefix, code_mac);
CREATE INDEX designer_rewards_granted_by ON designer_rewards (granted_by) WHERE granted_by IS NOT NULL;

-- For the designs that are cards already.
INSERT INTO designer_rewards (design_id, account_id, earned_at)
SELECT d.id, d.account_id, greatest(r.released_at, u.unlocked_at) FROM designs d JOIN design_releases r ON r.design_id = d.id
LEFT JOIN unlocks u ON u.card_id = r.card_id WHERE d.status = 'official';

-- Whatever makes a design official rewards its author: a release, an unlock, housekeeping, or a moderator who shows it again.
CREATE FUNCTION official_designs_are_rewarded() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO designer_rewards (design_id, account_id, perk, earned_at)
    SELECT NEW.id, NEW.account_id, policy.designer_perk, NEW.updated_at
    FROM design_releases r JOIN cards k ON k.id = r.card_id
    LEFT JOIN LATERAL (SELECT p.designer_perk FROM unlock_policies p WHERE p.game_code = k.game_code AND (p.set_code = k.set_code OR p.set_code IS NULL)
                       ORDER BY p.set_code NULLS LAST LIMIT 1) policy ON true
    WHERE r.design_id = NEW.id
    ON CONFLICT (design_id) DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER official_designs_are_rewarded AFTER UPDATE ON designs
    FOR EACH ROW WHEN (NEW.status = 'official' AND OLD.status <> 'official') EXECUTE FUNCTION official_designs_are_rewarded();

CREATE FUNCTION reserved_copies_are_told() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO account_events (account_id, kind, copy_id, card_id, design_id, created_at)
    SELECT NEW.account_id, 'copy.received', c.id, p.card_id, NEW.design_id, NEW.granted_at
    FROM copies c JOIN printings p ON p.id = c.printing_id WHERE c.code_prefix = NEW.code_prefix AND c.code_mac = NEW.code_mac;
    RETURN NULL;
END $$;
CREATE TRIGGER reserved_copies_are_told AFTER UPDATE ON designer_rewards
    FOR EACH ROW WHEN (NEW.granted_at IS NOT NULL AND OLD.granted_at IS NULL) EXECUTE FUNCTION reserved_copies_are_told();

-- Suggested changes can be reported, and hidden. An older program takes such a report for one of a player, and so hides nothing else.
ALTER TABLE suggested_changes ADD COLUMN hidden_at timestamptz;
COMMENT ON COLUMN suggested_changes.hidden_at IS 'Since when a moderator keeps it from the author of the design.';
ALTER TABLE abuse_reports
    ADD COLUMN suggestion_id uuid REFERENCES suggested_changes ON DELETE CASCADE,
    ALTER COLUMN target DROP EXPRESSION,
    ADD CONSTRAINT abuse_reports_one_target CHECK (num_nonnulls(suggestion_id, design_id) <= 1) NOT VALID;
COMMENT ON COLUMN abuse_reports.suggestion_id IS 'The suggested change, if it is about one; then design_id is null.';
CREATE INDEX abuse_reports_suggestion ON abuse_reports (suggestion_id) WHERE suggestion_id IS NOT NULL;

CREATE FUNCTION abuse_reports_have_targets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.target := coalesce(NEW.suggestion_id, NEW.comment_id, NEW.design_id, NEW.accused_id);
    RETURN NEW;
END $$;
CREATE TRIGGER abuse_reports_have_targets BEFORE INSERT ON abuse_reports FOR EACH ROW EXECUTE FUNCTION abuse_reports_have_targets();
