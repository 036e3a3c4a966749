//! Recipes for designs.

use super::FRAME;
use super::recipe::Caller::{Admin, Moderator, Row};
use super::recipe::{Goal, Recipe, Yardstick};

pub(super) const SHARED: &str = "SELECT design, caller, name FROM bench.designs LIMIT :many";
/// As many shared designs as have room in the cache of pictures.
const SOME_SHARED: &str = "SELECT design FROM bench.designs ORDER BY design LIMIT 500";
/// Authors of shared designs.
pub(super) const AUTHORS: &str =
    "SELECT a.name AS author FROM bench.designs d JOIN accounts a ON a.id = d.caller LIMIT :many";
const ONE_DESIGN: &[&str] = &[
    "SELECT d.*, a.name AS author, r.content FROM designs d JOIN accounts a ON a.id = d.account_id \
     JOIN design_revisions r ON r.design_id = d.id AND r.number = d.public_revision WHERE d.code = :design",
];
/// A valid design, with a name that is similar to others.
const DESIGN: &str = "{\"game\": \"ttcg\", \"name\": \"<name> the Second\", \"kind\": \"unit\", \"licence\": \"release-1\", \
     \"attributes\": {\"type\": \"earth\", \"rank\": 1, \"subtypes\": [\"beast\"], \"attack\": 200, \"defense\": 300}, \
     \"effects\": [{\"style\": \"passive\", \"text\": \"After this card attacks, return it to your hand.\"}, \
     {\"style\": \"normal\", \"text\": \"Discard one spell to gain 1 point.\"}]}";
/// The same without the parts that are compared with cards and other designs.
const RULES_ALONE: &str = "{\"game\": \"ttcg\", \"kind\": \"unit\", \"licence\": \"release-1\", \
     \"attributes\": {\"type\": \"earth\", \"rank\": 1, \"subtypes\": [\"beast\"], \"attack\": 200, \"defense\": 300}}";
/// The same, with a name by which the rows of a run are deleted afterwards.
const BENCH_DESIGN: &str = "{\"game\": \"ttcg\", \"name\": \"Bench <unique>\", \"kind\": \"unit\", \"licence\": \"release-1\", \
     \"attributes\": {\"type\": \"earth\", \"rank\": 1, \"subtypes\": [\"beast\"], \"attack\": 200, \"defense\": 300}, \
     \"effects\": [{\"style\": \"passive\", \"text\": \"After this card attacks, return it to your hand.\"}, \
     {\"style\": \"normal\", \"text\": \"Discard one spell to gain 1 point.\"}]}";
/// Drafts, one for each account, with names that are not similar to each other. They are valid cards of the game, which demands other
/// numbers of other ranks, so that they can be submitted and released.
const DRAFTS: &[&str] = &[
    "WITH draft AS (INSERT INTO designs (id, code, account_id, game_code, status, version, revision, name, name_key, name_skeleton, kind, created_at, updated_at) \
      SELECT gen_random_uuid(), bench.design_code(1000000 + n), account, 'ttcg', 'draft', 1, 1, 'Bench ' || n, 'bench' || n, 'bench' || n, 'unit', now(), now() \
      FROM bench.players LIMIT :many RETURNING id, name, created_at) \
     INSERT INTO design_revisions (design_id, number, content, created_at) \
     SELECT id, 1, jsonb_set(bench.design_content(name), '{attributes,rank}', '1'), created_at FROM draft",
];
const DRAFTED: &str = "SELECT code AS design, account_id AS caller FROM designs WHERE name LIKE 'Bench %' AND shared_at IS NULL LIMIT :many";
/// The same with a second, different revision.
const REVISED_DRAFTS: &[&str] = &[
    DRAFTS[0],
    "INSERT INTO design_revisions (design_id, number, content, created_at) SELECT id, 2, bench.design_content(name || ' again'), created_at FROM designs WHERE name LIKE 'Bench %'",
    "UPDATE designs SET revision = 2 WHERE name LIKE 'Bench %'",
];
/// Shared designs.
const SHARED_DRAFTS: &[&str] = &[
    DRAFTS[0],
    "UPDATE designs SET status = 'shared', shared_at = now(), public_revision = 1 WHERE name LIKE 'Bench %'",
];
/// Designs that wait for a moderator.
const SUBMITTED: &[&str] = &[
    DRAFTS[0],
    "UPDATE designs SET status = 'submitted' WHERE name LIKE 'Bench %'",
    "INSERT INTO design_reviews (id, design_id, revision, submitted_at) SELECT gen_random_uuid(), id, 1, now() FROM designs WHERE name LIKE 'Bench %'",
];
/// The same, claimed by the moderator.
const CLAIMED: &[&str] = &[
    SUBMITTED[0],
    SUBMITTED[1],
    SUBMITTED[2],
    "UPDATE designs SET status = 'in_review' WHERE name LIKE 'Bench %'",
    "UPDATE design_reviews SET reviewer_id = bench.account(16777214), lease_until = now() + interval '1 day'",
];
/// Approved designs, and a set into which they can be released.
pub(super) const APPROVED: &[&str] = &[
    SUBMITTED[0],
    "UPDATE designs SET status = 'approved' WHERE name LIKE 'Bench %'",
    "INSERT INTO design_reviews (id, design_id, revision, submitted_at, reviewer_id, lease_until, decision, reason, closed_at) \
     SELECT gen_random_uuid(), id, 1, now(), bench.account(16777214), now(), 'approved', 'Good.', now() FROM designs WHERE name LIKE 'Bench %'",
    "INSERT INTO sets (id, game_code, code, name, hidden, unlock_threshold, created_at, updated_at) \
     VALUES (gen_random_uuid(), 'ttcg', 'bench-release', 'Bench', true, 5, now(), now())",
];
pub(super) const UNRELEASED: &[&str] =
    &["DELETE FROM sets WHERE code = 'bench-release'", CLEAR[0], CLEAR[1]];
/// The statements of a release, without those for the card's printings.
const RELEASE: &[&str] = &[
    "SELECT version FROM designs WHERE code = :design FOR NO KEY UPDATE",
    "SELECT id FROM sets WHERE game_code = 'ttcg' AND code = 'bench-release' FOR UPDATE",
    "WITH card AS (INSERT INTO cards (id, game_code, set_code, number, created_at, updated_at) \
      VALUES (gen_random_uuid(), 'ttcg', 'bench-release', '1', now(), now()) RETURNING id) \
     INSERT INTO unlocks (card_id, threshold) SELECT id, 5 FROM card",
    "ROLLBACK",
];
/// Designs, each with another account that may report it.
const REPORTABLE: &str = "SELECT d.design, p.account AS caller FROM (SELECT design, caller, row_number() OVER () AS n FROM bench.designs) d \
     JOIN (SELECT account, row_number() OVER (ORDER BY account DESC) AS n FROM bench.players) p ON p.n = d.n WHERE p.account <> d.caller LIMIT :many";
const REPORTED: &[&str] = &[
    "INSERT INTO abuse_reports (id, reporter_id, accused_id, design_id, target, reason, created_at) \
     SELECT gen_random_uuid(), p.account, d.account_id, d.id, d.id, 'spam', now() FROM (SELECT id, account_id, row_number() OVER () AS n FROM designs WHERE listed LIMIT :many) d \
     JOIN (SELECT account, row_number() OVER (ORDER BY account DESC) AS n FROM bench.players) p ON p.n = d.n WHERE p.account <> d.account_id",
];
const UNREPORTED: &[&str] = &["DELETE FROM abuse_reports", "DELETE FROM daily_counts"];
/// Released designs whose cards have codes, and whose authors earned a copy.
const EARNED: &[&str] = &[
    "INSERT INTO design_releases (design_id, card_id, revision, licence, licensed_at, released_by, released_at) \
     SELECT d.id, c.card, 1, 'release-1', now(), d.account_id, now() FROM (SELECT id, account_id, row_number() OVER () AS n FROM designs WHERE listed LIMIT :many) d \
     JOIN (SELECT card, row_number() OVER () AS n FROM (SELECT DISTINCT card FROM bench.codes) x LIMIT :many) c USING (n) ON CONFLICT DO NOTHING",
    "INSERT INTO designer_rewards (design_id, account_id, perk, earned_at) SELECT r.design_id, d.account_id, 'reserved_copy', now() \
     FROM design_releases r JOIN designs d ON d.id = r.design_id ON CONFLICT DO NOTHING",
];
const UNEARNED: &[&str] = &["SET session_replication_role = replica; \
     DELETE FROM designer_rewards; DELETE FROM design_releases; \
     UPDATE copies c SET owner_id = NULL, registered_at = NULL, id = NULL FROM yard.rows y \
     WHERE c.code_prefix = y.code_prefix AND c.code_mac = decode(y.code_mac, 'hex') \
       AND NOT EXISTS (SELECT FROM copy_ledger l WHERE l.code_prefix = c.code_prefix AND l.code_mac = c.code_mac); \
     RESET session_replication_role"];
const NOT_EARNED: &[&str] = &[
    "SET session_replication_role = replica; DELETE FROM designer_rewards; DELETE FROM design_releases; RESET session_replication_role",
];
/// One code of each card of which somebody earned a copy.
const EARNED_CODES: &str = "WITH chosen AS (SELECT DISTINCT ON (b.card) b.n, d.code AS design, d.account_id FROM bench.codes b JOIN design_releases r ON r.card_id = b.card \
      JOIN designs d ON d.id = r.design_id ORDER BY b.card, b.n LIMIT :many), \
     drawn AS (DELETE FROM bench.codes b USING chosen WHERE b.n = chosen.n RETURNING b.code_number, b.code_prefix, encode(b.code_mac, 'hex') AS code_mac, chosen.design, chosen.account_id) \
     SELECT code_number, code_prefix, code_mac, design, account_id AS author FROM drawn";
/// The perks that satisfy a condition.
macro_rules! perks {
    ($condition:literal) => {
        concat!(
            "SELECT w.design_id, d.code, w.account_id, a.name, k.id, k.game_code, k.set_code, k.number, w.perk, w.earned_at, w.granted_at FROM designer_rewards w \
     JOIN designs d ON d.id = w.design_id JOIN accounts a ON a.id = w.account_id JOIN design_releases r ON r.design_id = w.design_id JOIN cards k ON k.id = r.card_id",
            $condition
        )
    };
}
const WAITING: &str = "SELECT code AS design, account_id AS caller FROM designs WHERE name LIKE 'Bench %' AND status IN ('submitted', 'in_review') LIMIT :many";
pub(super) const CLEAR: &[&str] =
    &["DELETE FROM designs WHERE name LIKE 'Bench %'", "DELETE FROM daily_counts"];
const SAVES: &[&str] = &[
    "INSERT INTO daily_counts (account_id, activity, day, count) VALUES (:caller::uuid, 'bench', now()::date, 1)",
    "WITH design AS (INSERT INTO designs (id, code, account_id, game_code, status, version, revision, name, name_key, name_skeleton, kind, created_at, updated_at) \
      VALUES (gen_random_uuid(), bench.design_code((random() * 1e9)::bigint), :caller::uuid, 'ttcg', 'draft', 1, 1, 'Bench', 'bench', 'bench', 'unit', now(), now()) RETURNING id) \
     INSERT INTO design_revisions (design_id, number, content, created_at) SELECT id, 1, bench.design_content('Bench'), now() FROM design",
];
/// The statements of a change.
const CHANGES: &[&str] = &[
    "SELECT version FROM designs WHERE code = :design FOR NO KEY UPDATE",
    "INSERT INTO daily_counts (account_id, activity, day, count) VALUES (:caller::uuid, 'bench', now()::date, 1)",
    "UPDATE designs SET version = version + 1, updated_at = now() WHERE code = :design",
];
const REVISIONS: &[&str] = &[
    "SELECT r.number, r.created_at, r.content FROM designs d JOIN design_revisions r ON r.design_id = d.id WHERE d.code = :design ORDER BY r.number DESC LIMIT 51",
];
/// Shared designs. Another account has commented on each, rated it and suggested a change.
pub(super) const DISCUSSED: &[&str] = &[
    DRAFTS[0],
    "UPDATE designs SET status = 'shared', shared_at = now(), public_revision = 1 WHERE name LIKE 'Bench %'",
    "INSERT INTO design_comments (id, design_id, account_id, text, version, created_at) SELECT gen_random_uuid(), id, bench.account(2), 'Well.', 1, now() FROM designs WHERE name LIKE 'Bench %'",
    "INSERT INTO design_ratings (design_id, account_id, revision, fun, balance, flavour, clarity, rated_at, counts_from, counted) \
      SELECT id, bench.account(2), 1, 3, 3, 3, 3, now(), now(), false FROM designs WHERE name LIKE 'Bench %'",
    "INSERT INTO suggested_changes (id, design_id, account_id, revision, content, message, state, created_at) \
      SELECT gen_random_uuid(), id, bench.account(2), 1, bench.design_content(name || ' again'), 'So?', 'open', now() FROM designs WHERE name LIKE 'Bench %'",
    "UPDATE designs SET comment_count = 1 WHERE name LIKE 'Bench %'",
];
/// The same designs with that other account as the caller.
pub(super) const CRITICS: &str = "SELECT d.code AS design, c.account_id AS caller, c.id AS comment, s.id AS suggestion FROM designs d JOIN design_comments c ON c.design_id = d.id \
     JOIN suggested_changes s ON s.design_id = d.id WHERE d.name LIKE 'Bench %' AND d.account_id <> c.account_id LIMIT :many";
/// The same designs, each with an account that has neither rated it nor commented on it: an account may rate few designs a day.
const RATERS: &str = "SELECT d.code AS design, p.account AS caller FROM (SELECT code, account_id, row_number() OVER (ORDER BY code) AS n FROM designs WHERE name LIKE 'Bench %') d \
     JOIN (SELECT account, row_number() OVER (ORDER BY account DESC) AS n FROM bench.players) p ON p.n = d.n \
     WHERE p.account NOT IN (d.account_id, bench.account(2)) LIMIT :many";
/// The same designs with their authors as the callers.
const CRITICISED: &str = "SELECT d.code AS design, d.account_id AS caller, d.name AS name, s.id AS suggestion FROM designs d JOIN suggested_changes s ON s.design_id = d.id \
     WHERE d.name LIKE 'Bench %' LIMIT :many";
/// The same designs, with the comments hidden by their authors, who are the callers.
const WITH_HIDDEN: &[&str] = &[
    DISCUSSED[0],
    DISCUSSED[1],
    DISCUSSED[2],
    "UPDATE design_comments SET hidden_at = now(), hidden_by_owner = true WHERE design_id IN (SELECT id FROM designs WHERE name LIKE 'Bench %')",
];
const HIDERS: &str = "SELECT d.code AS design, d.account_id AS caller, c.id AS comment FROM designs d JOIN design_comments c ON c.design_id = d.id \
     WHERE d.name LIKE 'Bench %' LIMIT :many";
/// The statements of feedback.
const SAYS: &[&str] = &[
    "SELECT version FROM designs WHERE code = :design FOR NO KEY UPDATE",
    "INSERT INTO daily_counts (account_id, activity, day, count) VALUES (:caller::uuid, 'bench', now()::date, 1)",
    "INSERT INTO design_comments (id, design_id, account_id, text, version, created_at) SELECT gen_random_uuid(), id, :caller::uuid, 'Well.', 1, now() FROM designs WHERE code = :design",
];
const COMMENTS: &[&str] = &[
    "SELECT c.*, w.name AS author FROM designs d JOIN accounts a ON a.id = d.account_id JOIN design_comments c ON c.design_id = d.id JOIN accounts w ON w.id = c.account_id \
     WHERE d.code = :design AND d.listed AND a.banned_at IS NULL AND c.listed ORDER BY c.id DESC LIMIT 51",
];
const SUGGESTED: &[&str] = &[
    "SELECT s.*, w.name FROM designs d JOIN suggested_changes s ON s.design_id = d.id JOIN accounts w ON w.id = s.account_id WHERE d.code = :design ORDER BY s.id DESC LIMIT 51",
];
const RATED: &[&str] = &[
    "SELECT d.rating FROM designs d JOIN accounts a ON a.id = d.account_id WHERE d.code = :design AND d.listed AND a.banned_at IS NULL",
    "SELECT s.* FROM designs d JOIN design_rating_sums s ON s.design_id = d.id WHERE d.code = :design",
];
const WEIGHED: &str = "triggers count the written rows, and the accounts concerned are notified";
const ANSWERED: &str = "a change is answered with the design, which is read once more after it is committed, and an edit that others see looks for cards of that name first";

/// An artwork for each account, each file in one chunk.
const ARTWORKS: &[&str] = &[
    "INSERT INTO artworks (id, size, created_at) SELECT sha256(name::bytea), 60000, now() FROM bench.players LIMIT :many",
    "INSERT INTO artwork_renditions (artwork, rendition, media_type, width, height, size) \
     SELECT id, rendition, 'image/jpeg', 500, 333, 30000 FROM artworks CROSS JOIN unnest(ARRAY['full', 'small']) AS rendition",
    "INSERT INTO artwork_chunks (artwork, rendition, position, data) SELECT artwork, rendition, 0, convert_to(repeat('x', 30000), 'UTF8') FROM artwork_renditions",
    "INSERT INTO artwork_uploads (account_id, artwork, uploaded_at) SELECT p.account, w.id, now() FROM bench.players p JOIN artworks w ON w.id = sha256(p.name::bytea)",
];
const HELD: &str = "SELECT encode(artwork, 'hex') AS artwork, account_id AS caller FROM artwork_uploads LIMIT :many";
const CLEAR_ARTWORKS: &[&str] =
    &["DELETE FROM artwork_uploads", "DELETE FROM artworks", "DELETE FROM daily_counts"];

/// The query for the versions that cached data is checked against.
const VERSIONS: &[&str] = &[
    "SELECT revision FROM games WHERE code = 'ttcg'",
    "SELECT revision FROM effect_texts WHERE game_code = 'ttcg'",
];

pub(super) const RECIPES: &[Recipe] = &[
    Recipe::get("find_design_toolkit", "toolkit of a game", "/v1/games/ttcg/design-toolkit")
        .reads(VERSIONS)
        .why("the answer has some hundred kilobytes, the yardstick's a few bytes"),
    Recipe::post("create_design_suggestion", "design completed", "/v1/design-suggestions")
        .body("{\"game\": \"ttcg\", \"seed\": <seed>, \"design\": {\"kind\": \"unit\"}}")
        .rows("SELECT generate_series(1, :many) AS seed")
        .like(Yardstick::Static)
        .why("sentences are generated and rejected until one fits: work of the processor, a bounded number at once"),
    Recipe::post("check_design", "live check of a design", "/v1/design-checks")
        .body(DESIGN)
        .rows(SHARED)
        .like(Yardstick::Static)
        .goal(Goal::Ratio(0.1))
        .why("compares it with cards and designs in memory, and takes its sentences apart"),
    Recipe::post("check_design", "live check, rules alone", "/v1/design-checks")
        .body(RULES_ALONE)
        .like(Yardstick::Static)
        .goal(Goal::Ratio(0.5))
        .why("the engine's part: no name and no sentence to compare"),
    Recipe::get("list_shared_designs", "gallery of a game", "/v1/designs?game=ttcg")
        .reads(&["SELECT d.code, d.game_code, d.name, d.kind, d.account_id, a.name AS author, d.status, d.revision, d.comment_count, d.rating_count, d.rating, d.created_at, d.shared_at, s.artwork \
                  FROM designs d JOIN accounts a ON a.id = d.account_id LEFT JOIN design_artworks s ON s.design_id = d.id AND s.revision = d.revision \
                  WHERE d.listed AND a.banned_at IS NULL AND d.game_code = 'ttcg' \
                  ORDER BY d.shared_at DESC, d.code DESC LIMIT 51"])
        .goal(Goal::Ratio(0.7)),
    Recipe::get("list_shared_designs", "gallery by rating", "/v1/designs?game=ttcg&sort=rating")
        .reads(&["SELECT d.code, d.game_code, d.name, d.kind, d.account_id, a.name AS author, d.status, d.revision, d.comment_count, d.rating_count, d.rating, d.created_at, d.shared_at, s.artwork \
                  FROM designs d JOIN accounts a ON a.id = d.account_id LEFT JOIN design_artworks s ON s.design_id = d.id AND s.revision = d.revision \
                  WHERE d.listed AND a.banned_at IS NULL AND d.game_code = 'ttcg' \
                  ORDER BY d.rating DESC, d.rating_count DESC, d.shared_at DESC, d.code DESC LIMIT 51"])
        .goal(Goal::Ratio(0.7)),
    Recipe::get("list_shared_designs", "gallery by a query", "/v1/designs?game=ttcg&q=type:fire+rank:3")
        .reads(&["SELECT d.code, d.game_code, d.name, d.kind, d.account_id, a.name AS author, d.status, d.revision, d.comment_count, d.rating_count, d.rating, d.created_at, d.shared_at, w.artwork \
                  FROM designs d JOIN accounts a ON a.id = d.account_id JOIN design_search s ON s.design_id = d.id LEFT JOIN design_artworks w ON w.design_id = d.id AND w.revision = d.revision \
                  WHERE d.listed AND a.banned_at IS NULL AND d.game_code = 'ttcg' AND s.terms @> '{a.type=fire,a.rank=3}' ORDER BY d.shared_at DESC, d.code DESC LIMIT 51"])
        .goal(Goal::Ratio(0.7)),
    Recipe::get("list_shared_designs", "gallery by a word, each another one", "/v1/designs?game=ttcg&q=<word>")
        .rows("SELECT split_part(name, ' ', 1) AS word FROM bench.designs LIMIT :many")
        .spends(4_000)
        .reads(&["SELECT d.code, d.game_code, d.name, d.kind, d.account_id, a.name AS author, d.status, d.revision, d.comment_count, d.rating_count, d.rating, d.created_at, d.shared_at, w.artwork \
                  FROM design_search s JOIN designs d ON d.id = s.design_id JOIN accounts a ON a.id = d.account_id LEFT JOIN design_artworks w ON w.design_id = d.id AND w.revision = d.revision \
                  WHERE array_to_tsvector(string_to_array(ltrim(s.words), ' ')) @@ (quote_literal(lower(:word)) || ':*')::tsquery AND d.listed AND a.banned_at IS NULL AND d.game_code = 'ttcg' ORDER BY d.shared_at DESC, d.code DESC LIMIT 51"])
        .goal(Goal::Ratio(0.7))
        .why("no page of it is cached"),
    Recipe::get("list_design_facets", "facets of designs", "/v1/games/ttcg/design-facets")
        .like(Yardstick::Static)
        .why("counted once in 20 seconds; in between it is as fast as it is sent"),
    Recipe::get("find_author", "author of designs", "/v1/authors/<author>")
        .rows(AUTHORS)
        .reads(&["SELECT a.id, a.name, count(*), sum(d.rating_points), sum(d.rating_count), min(d.shared_at) FROM accounts a JOIN designs d ON d.account_id = a.id AND d.listed \
                  WHERE a.name_key = lower(:author) AND a.banned_at IS NULL GROUP BY a.id"]),
    Recipe::get("list_own_designs", "own designs", "/v1/me/designs").by(Row).rows(SHARED).reads(&[
        "SELECT d.*, a.name AS author FROM designs d JOIN accounts a ON a.id = d.account_id WHERE d.account_id = :caller::uuid ORDER BY d.id DESC LIMIT 51",
    ]),
    Recipe::post("create_design", "design begun", "/v1/designs")
        .body(BENCH_DESIGN)
        .by(Row)
        .rows(super::PLAYERS)
        .restore(CLEAR)
        .writes(SAVES)
        .why(ANSWERED),
    Recipe::get("find_design", "design of somebody", "/v1/designs/<design>").rows(SHARED).reads(ONE_DESIGN),
    Recipe::put("replace_design", "design revised", "/v1/designs/<design>")
        .headers(&["if-match: *"])
        .body(BENCH_DESIGN)
        .by(Row)
        .prepare(DRAFTS)
        .rows(DRAFTED)
        .restore(CLEAR)
        .writes(CHANGES)
        .why(ANSWERED),
    Recipe::delete("delete_design", "design deleted", "/v1/designs/<design>")
        .headers(&["if-match: *"])
        .by(Row)
        .prepare(DRAFTS)
        .rows(DRAFTED)
        .spends(3_000)
        .restore(CLEAR)
        .writes(CHANGES)
        .why("the yardstick changes a design: what it deletes must have been there"),
    Recipe::get("draw_design_picture", "picture of any design", "/v1/designs/<design>/picture")
        .rows(SHARED)
        .reads(ONE_DESIGN)
        .why("the yardstick reads the design and draws nothing"),
    Recipe::get("draw_design_picture", "picture of a design, cached", "/v1/designs/<design>/picture")
        .rows(SOME_SHARED)
        .like(Yardstick::StaticFile)
        .goal(Goal::Ratio(0.7))
        .why(FRAME),
    Recipe::post("upload_artwork", "picture uploaded", "/v1/artworks")
        .content_type("image/webp")
        .file(include_bytes!("../../../crates/artwork/tests/fixtures/lossy.webp"))
        .by(Row)
        .rows(super::PLAYERS)
        .spends(3_000)
        .connections(4)
        .restore(CLEAR_ARTWORKS)
        .like(Yardstick::None("the work is reading the picture; one is read at a time, and few are received at once")),
    Recipe::get("download_artwork", "artwork of 30 kB", "/v1/artworks/<artwork>?size=small")
        .by(Row)
        .prepare(ARTWORKS)
        .rows(HELD)
        .restore(CLEAR_ARTWORKS)
        .reads(&[
            "SELECT r.*, u.uploaded_at FROM artworks w JOIN artwork_renditions r ON r.artwork = w.id AND r.rendition = 'small' \
             JOIN artwork_uploads u ON u.artwork = w.id AND u.account_id = :caller::uuid WHERE w.id = decode(:artwork, 'hex')",
            "SELECT data FROM artwork_chunks WHERE artwork = decode(:artwork, 'hex') AND rendition = 'small' ORDER BY position",
        ])
        .why("the end of the file is found by a second read, which brings nothing"),
    Recipe::get("list_own_artworks", "own artwork", "/v1/me/artworks").by(Row).prepare(ARTWORKS).rows(HELD).restore(CLEAR_ARTWORKS).reads(&[
        "SELECT w.*, u.uploaded_at FROM artwork_uploads u JOIN artworks w ON w.id = u.artwork WHERE u.account_id = :caller::uuid ORDER BY u.uploaded_at DESC LIMIT 51",
        "SELECT sum(w.size) FROM artwork_uploads u JOIN artworks w ON w.id = u.artwork WHERE u.account_id = :caller::uuid",
    ]),
    Recipe::delete("delete_artwork", "artwork deleted", "/v1/me/artworks/<artwork>")
        .by(Row)
        .prepare(ARTWORKS)
        .rows(HELD)
        .spends(3_000)
        .restore(CLEAR_ARTWORKS)
        .writes(&[
            "SELECT FROM artworks WHERE id = decode(:artwork, 'hex') FOR NO KEY UPDATE",
            "UPDATE artworks SET released_at = now() WHERE id = decode(:artwork, 'hex')",
        ])
        .why("the yardstick changes an artwork: what it deletes must have been there"),
    Recipe::post("share_design", "design shared", "/v1/designs/<design>/share")
        .headers(&["if-match: *"])
        .by(Row)
        .prepare(DRAFTS)
        .rows(DRAFTED)
        .spends(3_000)
        .restore(CLEAR)
        .writes(CHANGES)
        .why(ANSWERED),
    Recipe::post("withdraw_design", "design withdrawn", "/v1/designs/<design>/withdraw")
        .headers(&["if-match: *"])
        .by(Row)
        .prepare(SHARED_DRAFTS)
        .rows("SELECT code AS design, account_id AS caller FROM designs WHERE name LIKE 'Bench %' AND status = 'shared' LIMIT :many")
        .spends(3_000)
        .restore(CLEAR)
        .writes(CHANGES)
        .why(ANSWERED),
    Recipe::post("submit_design", "design submitted", "/v1/designs/<design>/submit")
        .headers(&["if-match: *"])
        .by(Row)
        .prepare(DRAFTS)
        .rows(DRAFTED)
        .spends(3_000)
        .restore(CLEAR)
        .writes(CHANGES)
        .why("the design is checked first, as a live check does"),
    Recipe::get("list_waiting_designs", "designs that wait for a moderator", "/v1/design-reviews")
        .by(Moderator)
        .prepare(SUBMITTED)
        .restore(CLEAR)
        .reads(&["SELECT v.*, d.code, d.name, a.name AS author FROM design_reviews v JOIN designs d ON d.id = v.design_id JOIN accounts a ON a.id = d.account_id \
                  WHERE v.closed_at IS NULL AND a.banned_at IS NULL ORDER BY v.id LIMIT 51"]),
    Recipe::post("claim_design", "design claimed for review", "/v1/designs/<design>/claim")
        .by(Moderator)
        .prepare(SUBMITTED)
        .rows(WAITING)
        .restore(CLEAR)
        .writes(CHANGES)
        .why("the answer has a check of the design, as a live check gives"),
    Recipe::post("return_design", "design given back", "/v1/designs/<design>/return")
        .by(Moderator)
        .prepare(CLAIMED)
        .rows(WAITING)
        .spends(3_000)
        .restore(CLEAR)
        .writes(CHANGES),
    Recipe::post("decide_design", "design decided", "/v1/designs/<design>/decide")
        .by(Moderator)
        .body("{\"decision\": \"declined\", \"revision\": 1, \"reason\": \"As <unique>.\"}")
        .prepare(CLAIMED)
        .rows(WAITING)
        .spends(3_000)
        .restore(CLEAR)
        .writes(CHANGES),
    Recipe::post("revoke_approval", "approval revoked", "/v1/designs/<design>/revoke")
        .by(Moderator)
        .body("{\"revision\": 1, \"reason\": \"As <unique>.\"}")
        .prepare(APPROVED)
        .rows("SELECT code AS design, account_id AS caller FROM designs WHERE name LIKE 'Bench %' AND status = 'approved' LIMIT :many")
        .spends(3_000)
        .restore(UNRELEASED)
        .writes(CHANGES),
    Recipe::post("release_design", "design released, dry run", "/v1/designs/<design>/release?dry_run=true")
        .by(Admin)
        .body("{\"set\": \"bench-release\", \"number\": \"1\", \"revision\": 1, \"was_public\": true}")
        .prepare(APPROVED)
        .rows("SELECT code AS design FROM designs WHERE name LIKE 'Bench %' AND status = 'approved' LIMIT :many")
        .restore(UNRELEASED)
        .writes(RELEASE)
        .why("waits for other releases and imports, compares the names of all hidden cards, and is rolled back"),
    Recipe::post("report_abuse", "design reported", "/v1/abuse-reports")
        .body("{\"design\": \"<design>\", \"reason\": \"spam\", \"details\": \"Bench <unique>\"}")
        .by(Row)
        .rows(REPORTABLE)
        .spends(3_000)
        .restore(UNREPORTED)
        .writes(&[
            "SELECT d.id, d.account_id FROM designs d JOIN accounts a ON a.id = d.account_id WHERE d.code = :design AND d.public_revision IS NOT NULL AND a.banned_at IS NULL",
            "INSERT INTO daily_counts (account_id, activity, day, count) VALUES (:caller::uuid, 'bench', now()::date, 1)",
            "INSERT INTO abuse_reports (id, reporter_id, accused_id, design_id, target, reason, created_at) \
             SELECT gen_random_uuid(), :caller::uuid, account_id, id, id, 'spam', now() FROM designs WHERE code = :design",
        ]),
    Recipe::get("list_abuse_reports", "reports that wait", "/v1/abuse-reports")
        .by(Moderator)
        .prepare(REPORTED)
        .restore(UNREPORTED)
        .reads(&["SELECT r.*, w.name AS reporter, a.name AS accused, d.code, d.name FROM abuse_reports r JOIN accounts w ON w.id = r.reporter_id \
                  JOIN accounts a ON a.id = r.accused_id LEFT JOIN designs d ON d.id = r.design_id WHERE r.decided_at IS NULL ORDER BY r.id LIMIT 51"]),
    Recipe::get("find_abuse_report", "report by id", "/v1/abuse-reports/<report>")
        .by(Moderator)
        .prepare(REPORTED)
        .rows("SELECT id AS report FROM abuse_reports WHERE decided_at IS NULL LIMIT :many")
        .restore(UNREPORTED)
        .reads(&["SELECT r.*, w.name AS reporter, a.name AS accused, d.code, d.name FROM abuse_reports r JOIN accounts w ON w.id = r.reporter_id \
                  JOIN accounts a ON a.id = r.accused_id LEFT JOIN designs d ON d.id = r.design_id WHERE r.id = :report::uuid"]),
    Recipe::get("list_designer_perks", "perks that are due", "/v1/designer-perks")
        .by(Admin)
        .prepare(EARNED)
        .restore(NOT_EARNED)
        .reads(&[perks!(" WHERE w.perk IS NOT NULL AND w.granted_at IS NULL ORDER BY w.earned_at, w.design_id LIMIT 51")]),
    Recipe::get("find_designer_perk", "perk of an own design", "/v1/designs/<design>/perk")
        .by(Row)
        .prepare(EARNED)
        .rows("SELECT d.code AS design, d.account_id AS caller FROM designer_rewards w JOIN designs d ON d.id = w.design_id LIMIT :many")
        .restore(NOT_EARNED)
        .reads(&[perks!(" WHERE w.perk IS NOT NULL AND d.code = :design")]),
    Recipe::post("grant_reserved_copy", "reserved copy given", "/v1/designs/<design>/perk")
        .by(Admin)
        .body("{\"serial\": \"<serial>\"}")
        .prepare(EARNED)
        .rows(EARNED_CODES)
        .spends(500)
        .restore(UNEARNED)
        .writes(&[
            "SELECT w.design_id FROM designer_rewards w JOIN designs d ON d.id = w.design_id WHERE d.code = :design",
            "UPDATE copies SET owner_id = :author::uuid, registered_at = now(), id = coalesce(id, gen_random_uuid()) WHERE code_prefix = :code_prefix AND code_mac = decode(:code_mac, 'hex')",
            "INSERT INTO copy_ledger (id, code_prefix, code_mac, entry, account_id, created_at, position, owner_id) \
             SELECT gen_random_uuid(), :code_prefix, decode(:code_mac, 'hex'), 'register', :author::uuid, now(), 1, :author::uuid",
            "UPDATE designer_rewards w SET perk = w.perk FROM designs d WHERE d.id = w.design_id AND d.code = :design",
            "INSERT INTO account_events (account_id, kind, created_at) VALUES (:author::uuid, 'copy.received', now())",
            "INSERT INTO audit_log (id, action, target, details, created_at) VALUES (gen_random_uuid(), 'bench.perk', 'bench', '{}', now())",
        ])
        .why("counts attempts at codes as a submission does"),
    Recipe::post("decide_abuse_report", "report decided", "/v1/abuse-reports/<report>/decide")
        .by(Moderator)
        .body("{\"decision\": \"dismissed\", \"note\": \"As <unique>.\"}")
        .prepare(REPORTED)
        .rows("SELECT id AS report FROM abuse_reports WHERE decided_at IS NULL LIMIT :many")
        .restore(UNREPORTED)
        .writes(&[
            "UPDATE abuse_reports SET decision = 'dismissed', note = 'Bench', decided_by = accused_id, decided_at = now() WHERE id = :report::uuid",
            "INSERT INTO audit_log (id, action, target, details, created_at) VALUES (gen_random_uuid(), 'bench.report', 'bench', '{}', now())",
        ]),
    Recipe::post("restore_design", "revision of a design restored", "/v1/designs/<design>/restore")
        .headers(&["if-match: *"])
        .body("{\"revision\": 1}")
        .by(Row)
        .prepare(REVISED_DRAFTS)
        .spends(3_000)
        .rows(DRAFTED)
        .restore(CLEAR)
        .writes(CHANGES)
        .why(ANSWERED),
    Recipe::get("list_comments", "comments on a design", "/v1/designs/<design>/comments").prepare(DISCUSSED).rows(CRITICS).restore(CLEAR).reads(COMMENTS),
    Recipe::get("find_comment", "comment on a design", "/v1/designs/<design>/comments/<comment>")
        .prepare(DISCUSSED)
        .rows(CRITICS)
        .restore(CLEAR)
        .reads(COMMENTS),
    Recipe::post("create_comment", "comment written", "/v1/designs/<design>/comments")
        .body("{\"text\": \"Well, <unique>.\"}")
        .by(Row)
        .prepare(SHARED_DRAFTS)
        .rows("SELECT code AS design, account_id AS caller FROM designs WHERE name LIKE 'Bench %' LIMIT :many")
        .restore(CLEAR)
        .writes(SAYS)
        .why(WEIGHED),
    Recipe::put("replace_comment", "comment changed", "/v1/designs/<design>/comments/<comment>")
        .headers(&["if-match: *"])
        .body("{\"text\": \"Well, <unique>.\"}")
        .by(Row)
        .prepare(DISCUSSED)
        .rows(CRITICS)
        .restore(CLEAR)
        .writes(SAYS)
        .why("the yardstick writes a comment; all are of one account, which is locked meanwhile"),
    Recipe::delete("delete_comment", "comment deleted", "/v1/designs/<design>/comments/<comment>")
        .by(Row)
        .prepare(DISCUSSED)
        .rows(CRITICS)
        .spends(3_000)
        .restore(CLEAR)
        .writes(SAYS)
        .why("the yardstick writes a comment; all are of one account, which is locked meanwhile"),
    Recipe::get("list_hidden_comments", "comments on a design that its author hid", "/v1/designs/<design>/hidden-comments")
        .by(Row)
        .prepare(WITH_HIDDEN)
        .rows(HIDERS)
        .restore(CLEAR)
        .reads(&[
            "SELECT c.*, w.name AS author FROM designs d JOIN accounts a ON a.id = d.account_id JOIN design_comments c ON c.design_id = d.id JOIN accounts w ON w.id = c.account_id \
             WHERE d.code = :design AND d.listed AND a.banned_at IS NULL AND c.hidden_by_owner ORDER BY c.id DESC LIMIT 51",
        ]),
    Recipe::post("show_comment", "comment on a design shown again", "/v1/designs/<design>/comments/<comment>/show")
        .by(Row)
        .prepare(WITH_HIDDEN)
        .rows(HIDERS)
        .spends(3_000)
        .restore(CLEAR)
        .writes(SAYS)
        .why(WEIGHED),
    Recipe::get("find_own_rating", "own rating of a design", "/v1/designs/<design>/rating").by(Row).prepare(DISCUSSED).rows(CRITICS).restore(CLEAR).reads(&[
        "SELECT r.* FROM designs d JOIN design_ratings r ON r.design_id = d.id WHERE d.code = :design AND r.account_id = :caller::uuid",
    ]),
    Recipe::put("rate_design", "design rated", "/v1/designs/<design>/rating")
        .body("{\"fun\": 5, \"balance\": 4, \"flavour\": 3, \"clarity\": 2}")
        .by(Row)
        .prepare(DISCUSSED)
        .rows(RATERS)
        .spends(1_000)
        .restore(CLEAR)
        .writes(SAYS)
        .why(WEIGHED),
    Recipe::delete("delete_own_rating", "rating of a design taken back", "/v1/designs/<design>/rating")
        .by(Row)
        .prepare(DISCUSSED)
        .rows(CRITICS)
        .spends(3_000)
        .restore(CLEAR)
        .writes(SAYS)
        .why("all are of one account, which is locked meanwhile"),
    Recipe::get("find_design_ratings", "ratings of a design", "/v1/designs/<design>/ratings").prepare(DISCUSSED).rows(CRITICS).restore(CLEAR).reads(RATED),
    Recipe::get("list_suggested_changes", "suggested changes of a design", "/v1/designs/<design>/suggestions")
        .by(Row)
        .prepare(DISCUSSED)
        .rows(CRITICISED)
        .restore(CLEAR)
        .reads(SUGGESTED),
    Recipe::get("find_suggested_change", "suggested change of a design", "/v1/designs/<design>/suggestions/<suggestion>")
        .by(Row)
        .prepare(DISCUSSED)
        .rows(CRITICISED)
        .restore(CLEAR)
        .reads(SUGGESTED)
        .why("the answer has what differs, and the numbers of all rarities"),
    Recipe::post("create_suggested_change", "change of a design suggested", "/v1/designs/<design>/suggestions")
        .body("{\"revision\": 1, \"message\": \"So?\", \"design\": {\"game\": \"ttcg\", \"name\": \"Bench <unique>\", \"kind\": \"unit\"}}")
        .by(Row)
        .prepare(DISCUSSED)
        .rows(CRITICS)
        .spends(30)
        .restore(CLEAR)
        .writes(SAYS)
        .why(WEIGHED),
    Recipe::post("take_suggested_change", "suggested change taken", "/v1/designs/<design>/suggestions/<suggestion>/take")
        .headers(&["if-match: *"])
        .by(Row)
        .prepare(DISCUSSED)
        .rows(CRITICISED)
        .spends(3_000)
        .restore(CLEAR)
        .writes(CHANGES)
        .why(ANSWERED),
    Recipe::post("decline_suggested_change", "suggested change declined", "/v1/designs/<design>/suggestions/<suggestion>/decline")
        .by(Row)
        .prepare(DISCUSSED)
        .rows(CRITICISED)
        .spends(3_000)
        .restore(CLEAR)
        .writes(SAYS)
        .why(WEIGHED),
    Recipe::post("withdraw_suggested_change", "suggested change withdrawn", "/v1/designs/<design>/suggestions/<suggestion>/withdraw")
        .by(Row)
        .prepare(DISCUSSED)
        .rows(CRITICS)
        .spends(3_000)
        .restore(CLEAR)
        .writes(SAYS)
        .why(WEIGHED),
    Recipe::get("list_design_revisions", "revisions of a design", "/v1/designs/<design>/revisions").by(Row).rows(SHARED).reads(REVISIONS),
    Recipe::get("find_design_revision", "revision of a design", "/v1/designs/<design>/revisions/1").by(Row).rows(SHARED).reads(REVISIONS),
    Recipe::get("compare_design_revisions", "revisions of a design compared", "/v1/designs/<design>/diff?from=1&to=1")
        .by(Row)
        .rows(SHARED)
        .reads(REVISIONS),
];
