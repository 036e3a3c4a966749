-- Designs that became cards. Until everybody may see the card, nothing outside this table tells of it: the design stays `approved`.

CREATE TABLE design_releases (
    design_id uuid PRIMARY KEY REFERENCES designs,
    card_id uuid NOT NULL UNIQUE REFERENCES cards,
    revision bigint NOT NULL CHECK (revision >= 1),
    licence text NOT NULL,
    licensed_at timestamptz NOT NULL,
    released_by uuid NOT NULL REFERENCES accounts,
    released_at timestamptz NOT NULL
);
COMMENT ON TABLE design_releases IS 'Which card a design became. Never changed.';
COMMENT ON COLUMN design_releases.revision IS 'The revision that the card was made from.';
COMMENT ON COLUMN design_releases.licence IS 'The terms that it was released under, with their version.';
COMMENT ON COLUMN design_releases.licensed_at IS 'When the author submitted the design under these terms.';
CREATE TRIGGER design_releases_final BEFORE UPDATE OR DELETE ON design_releases
    FOR EACH ROW EXECUTE FUNCTION append_only();

ALTER TABLE card_content ADD COLUMN designed_by jsonb;
COMMENT ON COLUMN card_content.designed_by IS 'Who designed the card: identifier of the design, id and name of its author. Part of the content, so hidden with it.';

-- The name of an official design is its card's. It may be that another design was shared under it while the card was hidden: that must not keep the card from
-- being unlocked.
DROP INDEX designs_listed_names;
CREATE UNIQUE INDEX designs_listed_names ON designs (game_code, name_skeleton) WHERE listed AND status <> 'official';
CREATE INDEX designs_listed_official_names ON designs (game_code, name_skeleton) WHERE listed AND status = 'official';

-- Makes the design of a card official, and lets everybody see it. An unlock waits for nobody: a design that somebody else holds at this moment becomes official by
-- the service's housekeeping, minutes later.
CREATE FUNCTION make_design_official(card uuid, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    held uuid;
BEGIN
    SELECT d.id INTO held FROM design_releases r JOIN designs d ON d.id = r.design_id WHERE r.card_id = card FOR NO KEY UPDATE OF d SKIP LOCKED;
    UPDATE designs d SET status = 'official', version = version + 1, shared_at = coalesce(shared_at, at), public_revision = d.revision, updated_at = at
    WHERE d.id = held AND d.status = 'approved';
END $$;

CREATE FUNCTION unlocks_open_designs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM make_design_official(NEW.card_id, NEW.unlocked_at);
    RETURN NULL;
END $$;
CREATE TRIGGER unlocks_open_designs AFTER UPDATE ON unlocks
    FOR EACH ROW WHEN (OLD.unlocked_at IS NULL AND NEW.unlocked_at IS NOT NULL) EXECUTE FUNCTION unlocks_open_designs();
