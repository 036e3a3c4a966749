-- What services keep in memory of listed designs follows what is noted here.

CREATE TABLE design_changes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    transaction bigint NOT NULL DEFAULT txid_current(),
    design_id uuid,
    account_id uuid,
    noted_at timestamptz NOT NULL DEFAULT now(),
    CHECK (num_nonnulls(design_id, account_id) = 1)
);
COMMENT ON TABLE design_changes IS 'Designs that came into lists, went, or are shown otherwise there; and accounts that were banned, are no more, or have another name. Kept for an hour.';
COMMENT ON COLUMN design_changes.transaction IS 'Which one noted it: who has seen a snapshot reads what that did not show. Numbers of a sequence would be seen out of order.';
COMMENT ON COLUMN design_changes.design_id IS 'No reference: the design may be gone.';
CREATE INDEX design_changes_transaction ON design_changes (transaction);
CREATE INDEX design_changes_age ON design_changes (noted_at);

CREATE FUNCTION design_changes_are_noted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO design_changes (design_id) VALUES (CASE WHEN TG_OP = 'DELETE' THEN OLD.id ELSE NEW.id END);
    RETURN NULL;
END $$;
CREATE TRIGGER listed_designs_are_noted AFTER INSERT ON designs FOR EACH ROW WHEN (NEW.listed) EXECUTE FUNCTION design_changes_are_noted();
CREATE TRIGGER gone_designs_are_noted AFTER DELETE ON designs FOR EACH ROW WHEN (OLD.listed) EXECUTE FUNCTION design_changes_are_noted();
-- What lists show of them, and names and effects that others are held against. Not the version: most steps do not change what is seen.
CREATE TRIGGER changed_designs_are_noted AFTER UPDATE ON designs FOR EACH ROW
    WHEN ((OLD.listed OR NEW.listed)
          AND (OLD.listed, OLD.status, OLD.revision, OLD.name, OLD.name_key, OLD.name_skeleton, OLD.effects_key, OLD.code, OLD.game_code, OLD.account_id,
               OLD.shared_at, OLD.searched_revision, OLD.comment_count, OLD.rating_count, OLD.rating)
              IS DISTINCT FROM
              (NEW.listed, NEW.status, NEW.revision, NEW.name, NEW.name_key, NEW.name_skeleton, NEW.effects_key, NEW.code, NEW.game_code, NEW.account_id,
               NEW.shared_at, NEW.searched_revision, NEW.comment_count, NEW.rating_count, NEW.rating))
    EXECUTE FUNCTION design_changes_are_noted();

CREATE FUNCTION authors_are_noted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO design_changes (account_id) VALUES (NEW.id);
    RETURN NULL;
END $$;
CREATE TRIGGER authors_are_noted AFTER UPDATE ON accounts
    FOR EACH ROW WHEN ((OLD.banned_at IS NULL, OLD.name) IS DISTINCT FROM (NEW.banned_at IS NULL, NEW.name)) EXECUTE FUNCTION authors_are_noted();
