-- Player-made card designs: what they say, revision by revision, and what others may see of them.

CREATE TABLE designs (
    id uuid PRIMARY KEY,
    code text NOT NULL UNIQUE CHECK (code ~ '^D-[0-9A-HJKMNP-TV-Z]{10}$'),
    account_id uuid NOT NULL REFERENCES accounts,
    game_code text NOT NULL REFERENCES games,
    status text NOT NULL CHECK (status IN ('draft', 'shared', 'submitted', 'in_review', 'approved', 'declined', 'withdrawn', 'official')),
    version bigint NOT NULL CHECK (version >= 1),
    revision bigint NOT NULL CHECK (revision >= 1),
    public_revision bigint CHECK (public_revision BETWEEN 1 AND revision),
    name text NOT NULL CHECK (char_length(name) <= 960),
    name_key text NOT NULL,
    name_skeleton text NOT NULL,
    kind text NOT NULL,
    effects_key bytea CHECK (octet_length(effects_key) = 16),
    shared_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CHECK ((shared_at IS NULL) = (public_revision IS NULL)),
    -- What is listed is shown as it is now.
    CHECK (public_revision IS NULL OR status IN ('draft', 'withdrawn') OR public_revision = revision)
);
COMMENT ON COLUMN designs.code IS 'The public identifier, for ever: D- and ten symbols of Crockford Base32, the last of which checks the others.';
COMMENT ON COLUMN designs.version IS 'Rises with every change, of the status too; its ETag and If-Match.';
COMMENT ON COLUMN designs.revision IS 'Number of the newest row of design_revisions.';
COMMENT ON COLUMN designs.public_revision IS 'What others see; NULL: the design was never shared. A design that was withdrawn keeps what others had seen.';
COMMENT ON COLUMN designs.name_skeleton IS 'What the name looks like (UTS 39), folded.';
COMMENT ON COLUMN designs.effects_key IS 'Hash of kind and effects without their numbers: designs with the same one do the same.';

-- A name is kept from others while its design is listed. Drafts keep nothing.
CREATE UNIQUE INDEX designs_listed_names ON designs (game_code, name_skeleton)
    WHERE shared_at IS NOT NULL AND status NOT IN ('draft', 'withdrawn');
CREATE INDEX designs_listed_name_trigrams ON designs USING gin (name_key gin_trgm_ops)
    WHERE shared_at IS NOT NULL AND status NOT IN ('draft', 'withdrawn');
CREATE INDEX designs_listed ON designs (shared_at, code)
    WHERE shared_at IS NOT NULL AND status NOT IN ('draft', 'withdrawn');
CREATE INDEX designs_listed_game ON designs (game_code, shared_at, code)
    WHERE shared_at IS NOT NULL AND status NOT IN ('draft', 'withdrawn');
CREATE INDEX designs_listed_kind ON designs (kind, shared_at, code)
    WHERE shared_at IS NOT NULL AND status NOT IN ('draft', 'withdrawn');
CREATE INDEX designs_listed_status ON designs (status, shared_at, code)
    WHERE shared_at IS NOT NULL AND status NOT IN ('draft', 'withdrawn');
CREATE INDEX designs_listed_account ON designs (account_id, shared_at, code)
    WHERE shared_at IS NOT NULL AND status NOT IN ('draft', 'withdrawn');
CREATE INDEX designs_account ON designs (account_id, id);
CREATE INDEX designs_effects ON designs (game_code, effects_key) WHERE effects_key IS NOT NULL;

CREATE TABLE design_revisions (
    design_id uuid NOT NULL REFERENCES designs ON DELETE CASCADE,
    number bigint NOT NULL CHECK (number >= 1),
    content jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (design_id, number)
);
COMMENT ON TABLE design_revisions IS 'What a design said, revision by revision. Never changed; they go with a design that nobody else has seen.';
CREATE TRIGGER design_revisions_final BEFORE UPDATE ON design_revisions
    FOR EACH ROW EXECUTE FUNCTION append_only();

-- How often an account did something on a day (UTC), for what is bounded by day.
CREATE TABLE daily_counts (
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    activity text NOT NULL,
    day date NOT NULL,
    count integer NOT NULL CHECK (count >= 1),
    PRIMARY KEY (account_id, activity, day)
);
CREATE INDEX daily_counts_day ON daily_counts (day);
