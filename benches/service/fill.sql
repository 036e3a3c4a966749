-- What a home holds beside its cards. Everything here is synthetic: names are numbered, all accounts have one password, and triggers and
-- foreign keys are switched off during the import, so that nobody is notified. Each step begins with a line that names it.
-- :accounts and :decks are how many there are to be, :copies how many codes a card has; :hash is the hash of everybody's password.

-- step helpers
DROP SCHEMA IF EXISTS bench CASCADE;
CREATE SCHEMA bench;
CREATE TABLE bench.sizes AS SELECT :accounts::bigint AS accounts, :decks::bigint AS decks;
CREATE FUNCTION bench.account(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid $$;
CREATE FUNCTION bench.session(account uuid) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT overlay(account::text PLACING '01900001' FROM 1 FOR 8)::uuid $$;
CREATE FUNCTION bench.deck(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT ('01900002-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid $$;
CREATE FUNCTION bench.some_uuid() RETURNS uuid LANGUAGE sql VOLATILE AS $$
    SELECT overlay(gen_random_uuid()::text PLACING to_hex((random() * 6)::int) FROM 1 FOR 1)::uuid $$;
CREATE FUNCTION bench.some_deck() RETURNS uuid LANGUAGE sql STABLE AS $$
    SELECT bench.deck(1 + (random() * 0.7 * decks)::bigint) FROM bench.sizes $$;
CREATE FUNCTION bench.recovery_code(n bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT regexp_replace(upper(left(md5('recovery' || n), 16)), '(....)(....)(....)(....)', '\1-\2-\3-\4') $$;
CREATE FUNCTION bench.refresh_token(session uuid) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT 'csr_' || left(md5('a' || session) || md5('b' || session), 42) || 'A' $$;
CREATE TABLE bench.fresh_sessions (id uuid, account_id uuid);

-- step cards
CREATE TABLE bench.cards AS
    SELECT row_number() OVER (ORDER BY md5(drawn.id::text))::int AS n, drawn.id AS card, drawn.game_code AS game, drawn.set_code, drawn.number, t.name, t.name_key,
           p.id AS printing, p.rarity
    FROM (SELECT * FROM cards WHERE set_code LIKE 'synthetic-%' AND game_code = 'ttcg' ORDER BY md5(id::text) LIMIT 24000) drawn
    JOIN card_content t ON t.card_id = drawn.id AND t.open
    JOIN LATERAL (SELECT id, rarity FROM printings WHERE card_id = drawn.id ORDER BY tier LIMIT 1) p ON true;
CREATE UNIQUE INDEX ON bench.cards (n);
CREATE TABLE bench.hidden AS
    SELECT row_number() OVER (ORDER BY md5(k.id::text))::int AS n, k.id AS card, k.game_code AS game, k.set_code, k.number, t.name
    FROM cards k JOIN card_content t ON t.card_id = k.id AND NOT t.open WHERE k.set_code LIKE 'synthetic-%' AND k.game_code = 'ttcg'
    ORDER BY 1 LIMIT 20000;
CREATE TABLE bench.open_sets AS SELECT code AS set_code FROM sets WHERE code LIKE 'synthetic-%' AND NOT hidden ORDER BY md5(code) LIMIT 200;
-- One set is not printed: its cards may be moved and merged. Some were moved before.
CREATE TABLE bench.unprinted AS
    SELECT s.code AS set_code FROM sets s WHERE code LIKE 'synthetic-%' AND NOT hidden AND game_code = 'ttcg'
    ORDER BY (SELECT count(*) FROM cards k WHERE k.game_code = s.game_code AND k.set_code = s.code) DESC, code LIMIT 1;
CREATE TABLE bench.movable AS SELECT k.id AS card, k.set_code, k.number FROM cards k JOIN bench.unprinted USING (set_code) WHERE k.game_code = 'ttcg';
INSERT INTO card_migrations (id, kind, game_code, old_card_id, old_set_code, old_number, new_card_id, new_set_code, new_number, card_id, performed_at)
    SELECT gen_random_uuid(), 'move', 'ttcg', card, set_code, 'Z' || number, card, set_code, number, card, now() FROM bench.movable;
CREATE TABLE bench.reviewed AS SELECT code AS set_code FROM sets WHERE code LIKE 'synthetic-%' AND hidden ORDER BY code DESC LIMIT 1;

-- step accounts
INSERT INTO accounts (id, name, name_key, password_hash, role, created_at, trading, on_leaderboard)
    SELECT bench.account(n), 'player ' || n, 'player' || n, :hash, 'player', now() - (n % 1000) * interval '1 day', 'public', n % 50 = 0
    FROM generate_series(1, :accounts + 600) AS n;
INSERT INTO accounts (id, name, name_key, password_hash, role, created_at)
    VALUES (bench.account(16777215), 'bench admin', 'benchadmin', :hash, 'admin', now()),
           (bench.account(16777214), 'bench moderator', 'benchmoderator', :hash, 'moderator', now());
INSERT INTO sessions (id, account_id, network_mac, generation, created_at, last_used_at, expires_at)
    SELECT bench.session(id), id, decode(md5(id::text), 'hex'), 1, now(), now(), now() + interval '10 years' FROM accounts WHERE id >= bench.account(1);
CREATE TABLE bench.players AS
    SELECT row_number() OVER (ORDER BY md5(m::text))::int AS n, bench.account(m) AS account, 'player ' || m AS name
    FROM (SELECT m FROM generate_series(1, :accounts) AS m ORDER BY md5(m::text) LIMIT 20000) drawn;
CREATE UNIQUE INDEX ON bench.players (n);
CREATE TABLE bench.spare AS SELECT n::int, bench.account(:accounts + n) AS account, 'player ' || (:accounts + n) AS name FROM generate_series(1, 600) AS n;
CREATE UNIQUE INDEX ON bench.spare (account);

-- step runs
INSERT INTO print_runs (id, set_id, code_prefix, key_id, copies_per_card, copy_count, status, file_sha256, created_at, activated_at)
    SELECT gen_random_uuid(), s.id,
           substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (n / 32 % 32)::int, 1) || substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (n % 32)::int, 1),
           :key_id, :copies, :copies * s.cards, 'active', sha256(s.code::bytea), now(), now()
    FROM (SELECT id, code, row_number() OVER (ORDER BY code) AS n,
                 (SELECT count(*) FROM cards k WHERE k.game_code = sets.game_code AND k.set_code = sets.code) AS cards
          FROM sets WHERE code LIKE 'synthetic-%' AND game_code = 'ttcg' AND code NOT IN (SELECT set_code FROM bench.unprinted)) s WHERE s.cards > 0;
INSERT INTO print_run_lines (print_run_id, printing_id, copy_count)
    SELECT r.id, p.id, :copies FROM print_runs r JOIN sets s ON s.id = r.set_id JOIN cards k ON k.game_code = s.game_code AND k.set_code = s.code
    JOIN LATERAL (SELECT id FROM printings WHERE card_id = k.id ORDER BY tier LIMIT 1) p ON true WHERE s.code LIKE 'synthetic-%';
UPDATE sets SET copies_per_card = :copies WHERE id IN (SELECT set_id FROM print_runs);

-- step loading
-- Codes come in here first: number, hash, and the number of the account that registered it.
CREATE UNLOGGED TABLE bench.loaded (code_number bigint, code_prefix text, code_mac bytea, print_run_id uuid, printing_id uuid, owner bigint);

-- step copies
INSERT INTO copies (code_prefix, code_mac, print_run_id, printing_id, owner_id, registered_at, id)
    SELECT code_prefix, code_mac, print_run_id, printing_id, bench.account(owner), CASE WHEN owner IS NOT NULL THEN now() - interval '1 day' END,
           CASE WHEN owner IS NOT NULL THEN gen_random_uuid() END
    FROM bench.loaded ORDER BY code_prefix, code_mac;

-- step registrations
INSERT INTO copy_ledger (id, code_prefix, code_mac, entry, account_id, created_at, position, owner_id)
    SELECT gen_random_uuid(), code_prefix, code_mac, 'register', owner_id, registered_at, 1, owner_id FROM copies WHERE owner_id IS NOT NULL;
INSERT INTO submissions (id, account_id, card_id, code_prefix, code_mac, counted, created_at)
    SELECT gen_random_uuid(), c.owner_id, p.card_id, c.code_prefix, c.code_mac, false, c.registered_at
    FROM copies c JOIN printings p ON p.id = c.printing_id WHERE c.owner_id IS NOT NULL;
-- No hidden card is unlocked by what the rows submit: the work of an unlock would come in some runs and not in others.
UPDATE unlocks SET threshold = 100000 WHERE unlocked_at IS NULL;

-- step codes
-- One hidden card has thousands of copies, for the row in which all submit the same.
CREATE TABLE bench.hot_codes AS
    SELECT row_number() OVER (ORDER BY code_number)::int AS n, u.code_number, t.name AS card_name,
           bench.account(1 + (random() * (:accounts - 1))::bigint) AS account, t.card_id AS card, u.code_prefix, u.code_mac
    FROM (SELECT h.card, h.set_code FROM bench.hidden h ORDER BY h.n LIMIT 1) hot
    JOIN card_content t ON t.card_id = hot.card
    JOIN cards k ON k.set_code = hot.set_code AND k.game_code = 'ttcg' JOIN printings p ON p.card_id = k.id
    JOIN bench.loaded u ON u.printing_id = p.id AND u.owner IS NULL;
UPDATE copies c SET printing_id = (SELECT p.id FROM bench.hidden h JOIN printings p ON p.card_id = h.card ORDER BY h.n, p.tier LIMIT 1)
    FROM bench.hot_codes u WHERE c.code_prefix = u.code_prefix AND c.code_mac = u.code_mac;
CREATE TABLE bench.codes AS
    SELECT row_number() OVER (ORDER BY md5(drawn.code_number::text))::int AS n, drawn.* FROM (
        SELECT u.code_number, t.name AS card_name, bench.account(1 + (random() * (:accounts - 1))::bigint) AS account, p.card_id AS card,
               u.code_prefix, u.code_mac
        FROM bench.loaded u JOIN printings p ON p.id = u.printing_id JOIN card_content t ON t.card_id = p.card_id
        WHERE u.owner IS NULL AND NOT EXISTS (SELECT FROM bench.hot_codes h WHERE h.code_number = u.code_number)
        ORDER BY md5(u.code_number::text) LIMIT 400000) drawn;
CREATE UNIQUE INDEX ON bench.codes (n);
CREATE UNIQUE INDEX ON bench.hot_codes (n);
DROP TABLE bench.loaded;

-- step account events
INSERT INTO account_events (account_id, seq, kind, card_id, created_at)
    SELECT p.account, e, 'submission.accepted', c.card, now() FROM bench.players p JOIN bench.cards c ON c.n = p.n, generate_series(1, 30) AS e;
INSERT INTO account_event_clocks (account_id, last_seq, unlocks_seq, looked_at)
    SELECT account, 30, (SELECT last_seq FROM event_clock), now() FROM bench.players;

-- step decks
INSERT INTO decks (id, account_id, game_code, format_code, name, visibility, revision, created_at, updated_at)
    SELECT bench.deck(n), bench.account(1 + n % :accounts), 'ttcg', 'standard', 'Deck ' || n, CASE WHEN n % 4 = 0 THEN 'public' ELSE 'private' END, 1, now(), now()
    FROM generate_series(1, :decks) AS n;
INSERT INTO deck_entries (deck_id, position, zone, quantity, name)
    SELECT bench.deck(deck), place, 'main', 3, c.name FROM generate_series(1, :decks) AS deck CROSS JOIN generate_series(0, 16) AS place
    JOIN bench.cards c ON c.n = 1 + (deck * 31 + place * 997) % (SELECT count(*) FROM bench.cards);
-- What public decks are found by, as the service makes it; half of them legal. Nothing is left to make in the background.
INSERT INTO deck_search (deck_id, revision, game_code, published_at, updated_at, size, terms, cards, hidden_cards, legal_in)
    SELECT d.id, 1, 'ttcg', now() - deck * interval '1 second', d.updated_at, 51,
     held.terms || ARRAY['f:ttcg/standard', 'w:deck', 'w:' || deck] || CASE WHEN deck % 8 = 0 THEN ARRAY['l:ttcg/standard'] ELSE '{}'::text[] END,
     held.cards, '{}', CASE WHEN deck % 8 = 0 THEN ARRAY['ttcg/standard'] ELSE '{}'::text[] END
    FROM generate_series(4, :decks, 4) AS deck JOIN decks d ON d.id = bench.deck(deck),
     LATERAL (SELECT array_agg(DISTINCT 'c:' || lower(regexp_replace(c.name, '[^a-zA-Z0-9]', '', 'g'))) AS terms, array_agg(DISTINCT c.card) AS cards
      FROM generate_series(0, 16) AS place JOIN bench.cards c ON c.n = 1 + (deck * 31 + place * 997) % (SELECT count(*) FROM bench.cards)) held;
-- Triggers are off, so that these rows are made here. Without them no public deck would be in a list. No version judges them again.
INSERT INTO deck_judgements (deck_id, game_code, due_at, judged_on, game_revision, judged_by)
    SELECT deck_id, game_code, now() + interval '10 days', (now() AT TIME ZONE 'UTC')::date, (SELECT revision FROM games WHERE code = 'ttcg'), 32767 FROM deck_search;

-- step designs
-- Identifiers as the service makes them: nine symbols and the one that checks them (Luhn mod 32).
CREATE FUNCTION bench.design_code(n bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    WITH digits AS (SELECT place, ((n * 2654435761 >> 5 * place) & 31)::int AS value FROM generate_series(0, 8) AS place),
    addends AS (SELECT CASE WHEN place % 2 = 0 THEN value * 2 ELSE value END AS value FROM digits),
    written (value, place) AS (SELECT value, place FROM digits UNION ALL SELECT ((32 - sum(value / 32 + value % 32) % 32) % 32)::int, -1 FROM addends)
    SELECT 'D-' || string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', value + 1, 1), '' ORDER BY place DESC) FROM written $$;
CREATE FUNCTION bench.design(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT ('01900003-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid $$;
-- Types and ranks differ: one in fifty is of one type and one rank.
CREATE FUNCTION bench.design_content(name text) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_build_object('name', name, 'kind', 'unit', 'licence', 'release-1',
        'attributes', '{"subtypes": ["beast"], "attack": 200, "defense": 300}'::jsonb || jsonb_build_object(
            'type', ('{earth,water,fire,air,electric,light,nature,dark}'::text[])[1 + ('x' || left(md5(name), 6))::bit(24)::int % 8],
            'rank', 1 + ('x' || right(md5(name), 6))::bit(24)::int % 6),
        'effects', '[{"style": "passive", "text": "After this card attacks, return it to your hand."}, {"style": "normal", "text": "Discard one spell to gain 1 point."}]'::jsonb) $$;
-- One in ten is a draft. Few do the same as others.
INSERT INTO designs (id, code, account_id, game_code, status, version, revision, public_revision, name, name_key, name_skeleton, kind, effects_key,
                     shared_at, created_at, updated_at)
    SELECT bench.design(d), bench.design_code(d), bench.account(1 + d % :accounts), 'ttcg', CASE WHEN d % 10 = 0 THEN 'draft' ELSE 'shared' END, 2, 1,
           CASE WHEN d % 10 > 0 THEN 1 END, named.name, key, key, 'unit', decode(md5((d / 20)::text), 'hex'),
           CASE WHEN d % 10 > 0 THEN now() - d * interval '1 minute' END, now() - d * interval '1 minute', now() - d * interval '1 minute'
    FROM generate_series(1, :accounts) AS d
    -- A word of its own, and one that the names of cards have: each is in a few of them, or in many.
    JOIN bench.cards c ON c.n = 1 + d % (SELECT count(*) FROM bench.cards)
    CROSS JOIN LATERAL (SELECT initcap(translate(lpad(to_hex(d * 2654435761 % 268435456), 7, '0'), '0123456789', 'ghijklmnop')) || ' the ' || split_part(c.name, ' ', -1) AS name) named
    CROSS JOIN LATERAL (SELECT lower(replace(named.name, ' ', '')) AS key) keyed;
INSERT INTO design_revisions (design_id, number, content, created_at) SELECT id, 1, bench.design_content(name), created_at FROM designs;
UPDATE designs SET comment_count = hashtext(code) & 7, rating_count = (hashtext(code) >> 3) & 15,
    rating_points = ((hashtext(code) >> 3) & 15) * (4 + ((hashtext(code) >> 7) & 15));
-- What the service keeps of them for searches; the numbers of three printings.
INSERT INTO design_search (design_id, game_code, game_revision, words_version, kind, search_key, attributes, effects, has_lore, printings, printing_numbers,
                           terms, words, name_words, effect_words, lore_words, attribute_words)
    SELECT d.id, d.game_code, (SELECT revision FROM games WHERE code = d.game_code), 1, d.kind, d.name_key, attributes, '[{"slot": null, "style": "passive"}, {"slot": null, "style": "normal"}]',
           false, printings, numbers,
           ARRAY['a.attack=200', 'a.defense=300', 'a.rank=' || (attributes ->> 'rank'), 'a.subtypes=beast', 'a.type=' || (attributes ->> 'type'), 'kind=unit',
                 'p.attack=200', 'p.attack=250', 'p.defense=300', 'p.defense=350', 'rarity=common', 'rarity=rare', 'style=normal', 'style=passive'],
           name_words || ' |' || effect_words, name_words, effect_words, '', jsonb_build_object('type', ' ' || (attributes ->> 'type'))
    FROM designs d JOIN design_revisions r ON r.design_id = d.id AND r.number = d.revision
    CROSS JOIN LATERAL (SELECT r.content -> 'attributes' AS attributes, ' ' || lower(d.name) AS name_words,
        ' after this card attacks return it to your hand | discard one spell to gain 1 point' AS effect_words,
        '[{"rarity": "common", "attributes": {}}, {"rarity": "rare", "attributes": {"attack": 250, "defense": 350}}]'::jsonb AS printings) said
    CROSS JOIN LATERAL (SELECT jsonb_build_array(jsonb_build_object('attack', 200, 'defense', 300, 'rank', attributes -> 'rank'),
        jsonb_build_object('attack', 250, 'defense', 350, 'rank', attributes -> 'rank')) AS numbers) numbered
    WHERE d.listed;
UPDATE designs SET searched_revision = revision WHERE listed;
CREATE TABLE bench.designs AS
    SELECT code AS design, account_id AS caller, name FROM designs WHERE shared_at IS NOT NULL ORDER BY md5(code) LIMIT 20000;

-- step collections
INSERT INTO collection_entries (account_id, printing_id, condition, quantity, updated_at)
    SELECT bench.account(owner), c.printing, 'near_mint', 1 + (owner + e) % 4, now() FROM generate_series(1, :accounts) AS owner CROSS JOIN generate_series(0, 19) AS e
    JOIN bench.cards c ON c.n = 1 + (owner * 37 + e * 641) % (SELECT count(*) FROM bench.cards) ON CONFLICT DO NOTHING;
INSERT INTO trade_lists (account_id, kind, visibility, revision, updated_at)
    SELECT account, kind, 'public', 1, now() FROM bench.players, unnest(ARRAY['want', 'have']) AS kind WHERE n <= 5000;
INSERT INTO trade_list_items (account_id, kind, position, card_id, quantity, public)
    SELECT p.account, kind, e, c.card, 1, true FROM bench.players p CROSS JOIN unnest(ARRAY['want', 'have']) AS kind CROSS JOIN generate_series(0, 9) AS e
    JOIN bench.cards c ON c.n = 1 + (p.n * 41 + e * 53 + CASE kind WHEN 'want' THEN 0 ELSE 17 END) % (SELECT count(*) FROM bench.cards)
    WHERE p.n <= 5000 ON CONFLICT DO NOTHING;

-- step rulings
INSERT INTO card_rulings (id, card_id, kind, text, published_on, created_at)
    SELECT gen_random_uuid(), card, 'ruling', 'It counts once, number ' || n, '2026-01-01', now() FROM bench.cards WHERE n <= 5000;

-- step prepared
CREATE FUNCTION bench.free_copies(many int) RETURNS TABLE (copy uuid, owner uuid, code_prefix text, code_mac bytea, card uuid, player text) LANGUAGE sql VOLATILE AS $$
    SELECT c.id, c.owner_id, c.code_prefix, c.code_mac, p.card_id, a.name
    FROM (SELECT * FROM copies c WHERE c.id > bench.some_uuid() AND c.voided_at IS NULL AND c.frozen_at IS NULL
            AND NOT EXISTS (SELECT FROM trade_copies x JOIN trades t ON t.id = x.trade_id AND t.state = 'open'
                            WHERE x.code_prefix = c.code_prefix AND x.code_mac = c.code_mac)
            AND NOT EXISTS (SELECT FROM disputes d WHERE d.code_prefix = c.code_prefix AND d.code_mac = c.code_mac)
          ORDER BY c.id LIMIT many) c
    JOIN printings p ON p.id = c.printing_id JOIN accounts a ON a.id = bench.account(1 + (('x' || right(c.owner_id::text, 8))::bit(32)::int) % 500)
    WHERE a.id <> c.owner_id $$;
CREATE FUNCTION bench.make_offers(many int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE trades SET state = 'cancelled', closed_at = now() WHERE state = 'open';
    WITH free AS (SELECT *, gen_random_uuid() AS trade FROM bench.free_copies(many)), made AS (
        INSERT INTO trades (id, offered_by, offered_to, state, message, created_at, expires_at)
        SELECT trade, owner, (SELECT id FROM accounts WHERE name = player), 'open', 'to be answered', now(), now() + interval '10 days' FROM free)
    INSERT INTO trade_copies (trade_id, code_prefix, code_mac, given) SELECT trade, code_prefix, code_mac, true FROM free;
END $$;
CREATE FUNCTION bench.make_disputes(many int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    WITH free AS (SELECT *, gen_random_uuid() AS dispute, (SELECT id FROM accounts WHERE name = player) AS claimant FROM bench.free_copies(many)), noted AS (
        INSERT INTO copy_ledger (id, code_prefix, code_mac, entry, account_id, created_at, position, owner_id)
        SELECT dispute, code_prefix, code_mac, 'dispute', claimant, now(),
               (SELECT max(l.position) + 1 FROM copy_ledger l WHERE l.code_prefix = free.code_prefix AND l.code_mac = free.code_mac), owner FROM free RETURNING id)
    INSERT INTO disputes (id, code_prefix, code_mac, claimant_id, state, opened_at)
    SELECT dispute, code_prefix, code_mac, claimant, 'open', now() FROM free;
END $$;
CREATE FUNCTION bench.small_texts() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO effect_texts (game_code, document, revision, updated_at)
    VALUES ('emojito', '{"placeholders": {"mood": ["glad", "sad", "odd"]}, "templates": ["Rest.", "Wait for a turn."], "removals": [], "replacements": []}', 1, now())
    ON CONFLICT (game_code) DO UPDATE SET document = excluded.document, revision = effect_texts.revision + 1;
END $$;
CREATE FUNCTION bench.announce() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO print_commitments (id, set_id, digest, seed, plan, announced_at, print_run_id)
    SELECT gen_random_uuid(), r.set_id,
           sha256(convert_to('cardscape-print-commitment-v1' || E'\n' || encode(sha256(r.id::text::bytea), 'hex') || E'\n' || plan, 'UTF8')),
           sha256(r.id::text::bytea), plan, now(), r.id
    FROM print_runs r, LATERAL (SELECT '{"run":"' || r.id || '"}' AS plan) p
    WHERE NOT EXISTS (SELECT FROM print_commitments m WHERE m.print_run_id = r.id) LIMIT 500;
END $$;
CREATE FUNCTION bench.make_webhooks(hooks int, deliveries int, enabled boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM webhook_deliveries WHERE webhook_id IN (SELECT id FROM webhooks WHERE description = 'bench');
    DELETE FROM webhooks WHERE description = 'bench';
    INSERT INTO webhooks (id, url, description, kinds, disabled_at, disabled_reason, secret_generation, cursor_seq, created_at, updated_at)
    SELECT gen_random_uuid(), 'https://127.0.0.1:9/hook/' || n, 'bench', ARRAY['card.unlocked'], CASE WHEN NOT enabled THEN now() END, CASE WHEN NOT enabled THEN 'admin' END, 1, (SELECT last_seq FROM event_clock), now(), now()
    FROM generate_series(1, hooks) AS n;
    INSERT INTO webhook_deliveries (id, webhook_id, seq, kind, state, attempts, created_at, finished_at)
    SELECT gen_random_uuid(), w.id, n, 'card.unlocked', 'failed', 3, now(), now() FROM webhooks w, generate_series(1, deliveries) AS n WHERE w.description = 'bench';
END $$;
-- Tables that yardsticks insert into: like those of the service, with their indexes, without triggers, references and unique keys.
CREATE SCHEMA IF NOT EXISTS yard;
CREATE FUNCTION bench.yard(wanted text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    found record;
BEGIN
    EXECUTE format('DROP TABLE IF EXISTS yard.%I', wanted);
    EXECUTE format('CREATE TABLE yard.%I (LIKE public.%I INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING IDENTITY)', wanted, wanted);
    FOR found IN SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename = wanted LOOP
        EXECUTE regexp_replace(replace(found.indexdef, 'UNIQUE INDEX', 'INDEX'), 'INDEX \S+ ON public\.', 'INDEX ON yard.');
    END LOOP;
END $$;

-- step statistics
ANALYZE;
