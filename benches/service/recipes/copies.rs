//! Recipes for copies, trades and disputes.

use super::recipe::Caller::{Moderator, Row};
use super::recipe::{Goal, Recipe};
use super::{FREE_COPIES, PLAYERS};

/// Open transfers (trades of one copy that ask for nothing): `offerer` gives it, `caller` gets it.
pub(super) const OFFERED: &str = "SELECT t.id AS trade, t.offered_to AS caller, t.offered_by AS offerer, c.id AS copy, c.code_prefix, encode(c.code_mac, 'hex') AS code_mac \
     FROM trades t JOIN trade_copies x ON x.trade_id = t.id JOIN copies c ON c.code_prefix = x.code_prefix AND c.code_mac = x.code_mac \
     WHERE t.message = 'to be answered' AND t.state = 'open' LIMIT :many";
const MAKE_OFFERS: &str = "SELECT bench.make_offers(:many)";
const CLOSES: &[&str] = &[
    "UPDATE trades SET message = message WHERE id = :trade::uuid",
    "INSERT INTO account_events (account_id, kind, trade_id, created_at) VALUES (:caller::uuid, 'trade.declined', :trade::uuid, now()), \
     (:offerer::uuid, 'trade.declined', :trade::uuid, now())",
];
/// Lets all players show their copies.
pub(super) const SHOWN: &[&str] = &[
    "UPDATE accounts SET trading = 'public' WHERE id IN (SELECT account FROM bench.players) AND trading <> 'public'",
];
/// Players, each with another one who looks at what the player shows.
pub(super) const OTHERS: &str = "SELECT p.account AS caller, o.name AS player, o.account AS owner FROM bench.players p JOIN bench.players o ON o.n = p.n + 1 LIMIT :many";
const ONE_TRADE: &str = "SELECT t.id, t.state, t.message, t.created_at, t.expires_at, a.name, b.name, x.given, c.id, p.rarity, k.set_code, k.number, w.name \
     FROM trades t JOIN accounts a ON a.id = t.offered_by JOIN accounts b ON b.id = t.offered_to JOIN trade_copies x ON x.trade_id = t.id \
     JOIN copies c ON c.code_prefix = x.code_prefix AND c.code_mac = x.code_mac JOIN printings p ON p.id = c.printing_id \
     JOIN cards k ON k.id = p.card_id JOIN card_content w ON w.card_id = k.id WHERE t.id = :trade::uuid";
/// Open disputes: `caller` claims a copy that is registered to another account.
const DISPUTED: &str = "SELECT d.id AS dispute, d.claimant_id AS caller FROM disputes d WHERE d.state = 'open' LIMIT :many";
const MAKE_DISPUTES: &str = "SELECT bench.make_disputes(:many)";
const MANY_COPIES: &str = "SELECT c.id, c.registered_at, c.frozen_at, c.voided_at, p.rarity, k.id, k.set_code, k.number, t.name FROM copies c \
     JOIN printings p ON p.id = c.printing_id JOIN cards k ON k.id = p.card_id JOIN card_content t ON t.card_id = k.id \
     WHERE c.owner_id = :caller::uuid ORDER BY k.set_code, k.number, c.id LIMIT 51";
const MODERATES: &[&str] = &[
    "SELECT FROM copies WHERE id = :copy::uuid FOR UPDATE",
    "UPDATE copies SET frozen_at = now() WHERE id = :copy::uuid",
    "INSERT INTO account_events (account_id, kind, copy_id, created_at) VALUES (:caller::uuid, 'copy.frozen', :copy::uuid, now())",
    "INSERT INTO audit_log (id, action, target, details, created_at) VALUES (gen_random_uuid(), 'copy.frozen', :copy, '{}', now())",
];
/// Forgets how many offers were made today, because their number is limited.
const UNCOUNTED: &str = "DELETE FROM daily_counts";
const REASON: &str = "{\"reason\": \"a photograph was sent\"}";

pub(super) const RECIPES: &[Recipe] = &[
    Recipe::get("list_copies", "own copies", "/v1/copies").by(Row).rows(PLAYERS).reads(&[MANY_COPIES]),
    Recipe::get("find_copy", "own copy by id", "/v1/copies/<copy>").by(Row).rows(FREE_COPIES).reads(&[
        "SELECT c.id, c.owner_id, c.registered_at, c.frozen_at, c.voided_at, p.rarity, k.id, k.set_code, k.number, t.name FROM copies c \
         JOIN printings p ON p.id = c.printing_id JOIN cards k ON k.id = p.card_id JOIN card_content t ON t.card_id = k.id WHERE c.id = :copy::uuid",
    ]),
    Recipe::get("list_copy_history", "history of an own copy", "/v1/copies/<copy>/history").by(Row).rows(FREE_COPIES).reads(&[
        "SELECT l.entry, l.position, l.created_at, l.owner_id, l.trade_id FROM copies c JOIN copy_ledger l USING (code_prefix, code_mac) \
         WHERE c.id = :copy::uuid ORDER BY l.position DESC LIMIT 51",
    ]),
    Recipe::post("freeze_copy", "copy frozen", "/v1/copies/<copy>/freeze")
        .body(REASON)
        .by(Moderator)
        .rows(FREE_COPIES)
        .spends(1_500)
        .restore(&[THAW])
        .writes(MODERATES),
    Recipe::post("unfreeze_copy", "copy unfrozen", "/v1/copies/<copy>/unfreeze")
        .body(REASON)
        .by(Moderator)
        .prepare(&["UPDATE copies SET frozen_at = now() WHERE id IN (SELECT copy FROM bench.free_copies(:many))"])
        .rows("SELECT id AS copy, owner_id AS caller FROM copies WHERE frozen_at IS NOT NULL AND voided_at IS NULL LIMIT :many")
        .spends(1_500)
        .restore(&[THAW])
        .writes(MODERATES),
    Recipe::post("void_copy", "copy voided", "/v1/copies/<copy>/void")
        .body(REASON)
        .by(Moderator)
        .rows(FREE_COPIES)
        .spends(200)
        .writes(MODERATES)
        .why("votes of voided copies are counted again"),
    Recipe::get("list_player_copies", "copies of another player", "/v1/players/<player>/copies")
        .by(Row)
        .prepare(SHOWN)
        .rows(OTHERS)
        .reads(&["SELECT c.id, p.rarity, k.id, k.set_code, k.number, t.name FROM accounts a JOIN copies c ON c.owner_id = a.id \
                  JOIN printings p ON p.id = c.printing_id JOIN cards k ON k.id = p.card_id JOIN card_content t ON t.card_id = k.id \
                  WHERE a.id = :owner::uuid ORDER BY k.set_code, k.number, c.id LIMIT 51"]),
    Recipe::get("list_trades", "own trades", "/v1/trades")
        .by(Row)
        .prepare(MAKE_OFFERS_FEW)
        .rows("SELECT DISTINCT offered_to AS caller FROM trades LIMIT :many")
        .reads(&["SELECT t.id, t.state, t.created_at, a.name FROM trades t JOIN accounts a ON a.id = t.offered_by \
                  WHERE :caller::uuid IN (t.offered_by, t.offered_to) ORDER BY t.id DESC LIMIT 51"]),
    Recipe::post("create_trade", "trade offered", "/v1/trades")
        .body("{\"with\": \"<player>\", \"give\": [\"<copy>\"], \"message\": \"to be answered\"}")
        .by(Row)
        .rows(FREE_COPIES)
        .spends(1_500)
        .restore(&[UNCOUNTED])
        .writes(&[
            "SELECT c.owner_id, c.frozen_at, c.voided_at FROM copies c WHERE c.id = :copy::uuid FOR SHARE",
            "WITH made AS (INSERT INTO trades (id, offered_by, offered_to, state, created_at, expires_at) \
             VALUES (gen_random_uuid(), :caller::uuid, bench.account(3), 'declined', now(), now() + interval '1 day') RETURNING id) \
             INSERT INTO trade_copies (trade_id, code_prefix, code_mac, given) SELECT id, :code_prefix, decode(:code_mac, 'hex'), true FROM made",
            "INSERT INTO account_events (account_id, kind, created_at) VALUES (bench.account(3), 'trade.offered', now())",
        ]),
    Recipe::get("find_trade", "own trade by id", "/v1/trades/<trade>").by(Row).prepare(MAKE_OFFERS_FEW).rows(OFFERED).reads(&[ONE_TRADE]),
    Recipe::get("find_trade_decks", "what a trade does to own decks", "/v1/trades/<trade>/decks")
        .by(Row)
        .prepare(MAKE_OFFERS_FEW)
        .rows(OFFERED)
        .reads(&[ONE_TRADE])
        .why("the yardstick reads the trade alone, and no deck"),
    Recipe::post("accept_trade", "trade accepted", "/v1/trades/<trade>/accept")
        .by(Row)
        .prepare(&[MAKE_OFFERS])
        .rows(OFFERED)
        .spends(2_000)
        .writes(&[
            "SELECT t.state FROM trades t WHERE t.id = :trade::uuid FOR UPDATE",
            "SELECT c.owner_id FROM copies c WHERE c.id = :copy::uuid FOR UPDATE",
            "UPDATE copies SET owner_id = :caller::uuid WHERE id = :copy::uuid",
            "INSERT INTO copy_ledger (id, code_prefix, code_mac, entry, account_id, created_at, position, owner_id) \
             SELECT gen_random_uuid(), :code_prefix, decode(:code_mac, 'hex'), 'transfer', :caller::uuid, now(), 2, :caller::uuid",
            "UPDATE trades SET message = message WHERE id = :trade::uuid",
            "INSERT INTO account_events (account_id, kind, trade_id, created_at) VALUES (:caller::uuid, 'trade.accepted', :trade::uuid, now()), \
             (:offerer::uuid, 'trade.accepted', :trade::uuid, now())",
        ])
        .goal(Goal::Rate(500.0))
        .why("15 round trips in one transaction: the copies of both players are locked, then the ledger, disputes and events are written; other load makes each of them slower"),
    Recipe::post("decline_trade", "trade declined", "/v1/trades/<trade>/decline").by(Row).prepare(&[MAKE_OFFERS]).rows(OFFERED).spends(2_000).writes(CLOSES),
    Recipe::post("cancel_trade", "trade taken back", "/v1/trades/<trade>/cancel")
        .by(Row)
        .prepare(&[MAKE_OFFERS])
        .rows("SELECT t.id AS trade, t.offered_by AS caller, t.offered_to AS offerer FROM trades t WHERE t.message = 'to be answered' AND t.state = 'open' LIMIT :many")
        .spends(2_000)
        .writes(CLOSES),
    Recipe::post("counter_trade", "trade countered", "/v1/trades/<trade>/counter")
        .body("{\"want\": [\"<copy>\"], \"message\": \"to be answered\"}")
        .by(Row)
        .prepare(&[MAKE_OFFERS])
        .rows(OFFERED)
        .spends(1_500)
        .restore(&[UNCOUNTED])
        .writes(CLOSES),
    Recipe::get("list_disputes", "open disputes, for moderators", "/v1/disputes?role=moderator&open=true").by(Moderator).prepare(MAKE_DISPUTES_FEW).reads(&[
        "SELECT d.id, d.state, d.opened_at, k.set_code, k.number FROM disputes d JOIN copies c USING (code_prefix, code_mac) \
         JOIN printings p ON p.id = c.printing_id JOIN cards k ON k.id = p.card_id WHERE d.state = 'open' ORDER BY d.id LIMIT 51",
    ]),
    Recipe::get("find_dispute", "own dispute by id", "/v1/disputes/<dispute>").by(Row).prepare(MAKE_DISPUTES_FEW).rows(DISPUTED).reads(&[
        "SELECT d.id, d.state, d.opened_at, k.set_code, k.number, s.position, s.text, s.created_at FROM disputes d JOIN copies c USING (code_prefix, code_mac) \
         JOIN printings p ON p.id = c.printing_id JOIN cards k ON k.id = p.card_id LEFT JOIN dispute_statements s ON s.dispute_id = d.id \
         AND s.account_id = :caller::uuid WHERE d.id = :dispute::uuid",
    ]),
    Recipe::post("create_statement", "statement in a dispute", "/v1/disputes/<dispute>/statements")
        .body("{\"text\": \"I have it here, see <unique>.\"}")
        .by(Row)
        .prepare(&[MAKE_DISPUTES])
        .rows(DISPUTED)
        .spends(800)
        .writes(&[
            "SELECT FROM disputes WHERE id = :dispute::uuid FOR UPDATE",
            "INSERT INTO dispute_statements (dispute_id, position, side, account_id, text, created_at) \
             SELECT :dispute::uuid, (random() * 2e9)::int, 'claimant', :caller::uuid, 'I have it here.', now()",
        ]),
    Recipe::post("withdraw_dispute", "dispute withdrawn", "/v1/disputes/<dispute>/withdraw")
        .by(Row)
        .prepare(&[MAKE_DISPUTES])
        .rows(DISPUTED)
        .spends(800)
        .writes(&[
            "UPDATE disputes SET reason = reason WHERE id = :dispute::uuid",
            "INSERT INTO account_events (account_id, kind, dispute_id, created_at) VALUES (:caller::uuid, 'dispute.closed', :dispute::uuid, now())",
        ]),
    Recipe::post("decide_dispute", "dispute decided", "/v1/disputes/<dispute>/decide")
        .body("{\"outcome\": \"for_owner\", \"reason\": \"a photograph\"}")
        .by(Moderator)
        .prepare(&[MAKE_DISPUTES])
        .rows(DISPUTED)
        .spends(800)
        .writes(&[
            "UPDATE disputes SET reason = reason WHERE id = :dispute::uuid",
            "INSERT INTO account_events (account_id, kind, dispute_id, created_at) VALUES (:caller::uuid, 'dispute.decided', :dispute::uuid, now())",
            "INSERT INTO audit_log (id, action, target, details, created_at) VALUES (gen_random_uuid(), 'dispute.decided', :dispute, '{}', now())",
        ]),
];

/// Fewer trades and disputes, for rows that only read.
pub(super) const MAKE_OFFERS_FEW: &[&str] = &["SELECT bench.make_offers(500)"];
const MAKE_DISPUTES_FEW: &[&str] = &["SELECT bench.make_disputes(200)"];
const THAW: &str =
    "UPDATE copies SET frozen_at = NULL WHERE frozen_at IS NOT NULL AND voided_at IS NULL";
