//! Recipes for print runs, announcements and print plans.

use super::recipe::Caller::Admin;
use super::recipe::{Recipe, Yardstick};

const OF_SETS: &str = "SELECT code AS set_code, id AS set_id FROM sets WHERE code LIKE 'synthetic-%' ORDER BY md5(code) LIMIT :many";
const PLANNED: &str = "every card and printing of the set is read and dealt out: grows with the set, not with the catalogue";
/// The queries for the cards and printings of a print plan.
const CARDS_OF_SET: &[&str] = &[
    "SELECT k.id, k.number, p.id, p.rarity FROM cards k JOIN printings p ON p.card_id = k.id WHERE k.game_code = 'ttcg' AND k.set_code = :set_code \
     ORDER BY k.number, p.tier",
];

pub(super) const RECIPES: &[Recipe] = &[
    Recipe::get("list_print_runs", "print runs", "/v1/print-runs").by(Admin).reads(&[
        "SELECT r.id, s.code, r.copies_per_card, r.copy_count, r.status, r.created_at FROM print_runs r JOIN sets s ON s.id = r.set_id ORDER BY r.id DESC LIMIT 51",
    ]),
    Recipe::get("find_print_run", "print run by id", "/v1/print-runs/<run>")
        .by(Admin)
        .rows("SELECT id AS run FROM print_runs WHERE status = 'active' ORDER BY md5(id::text) LIMIT :many")
        .reads(&[
            "SELECT r.id, s.code, r.copies_per_card, r.copy_count, r.status, r.created_at, count(c.owner_id) FROM print_runs r JOIN sets s ON s.id = r.set_id \
             LEFT JOIN copies c ON c.print_run_id = r.id AND c.owner_id IS NOT NULL WHERE r.id = :run::uuid GROUP BY r.id, s.code",
        ]),
    Recipe::post("create_print_plan", "print run planned", "/v1/games/ttcg/sets/<set_code>/print-plans")
        .body("{\"copies_per_card\": 100}")
        .by(Admin)
        .rows(OF_SETS)
        .reads(CARDS_OF_SET)
        .why(PLANNED),
    Recipe::get("list_print_commitments", "announcements of a set", "/v1/games/ttcg/sets/<set_code>/print-commitments")
        .rows(OF_SETS)
        .reads(&["SELECT id, digest, announced_at, print_run_id, revealed_at FROM print_commitments WHERE set_id = :set_id::uuid ORDER BY id LIMIT 51"]),
    Recipe::post("create_print_commitment", "print run announced", "/v1/games/ttcg/sets/<set_code>/print-commitments")
        .body("{\"copies_per_card\": 100}")
        .by(Admin)
        .rows(OF_SETS)
        .spends(60)
        .reads(CARDS_OF_SET)
        .why(PLANNED),
    Recipe::get("find_print_statistics", "statistics of a set's printing", "/v1/games/ttcg/sets/<set_code>/print-statistics")
        .rows(OF_SETS)
        .reads(&[
            "SELECT p.rarity, sum(l.copy_count), count(c.owner_id) FROM print_runs r JOIN print_run_lines l ON l.print_run_id = r.id \
             JOIN printings p ON p.id = l.printing_id LEFT JOIN copies c ON c.printing_id = p.id AND c.owner_id IS NOT NULL \
             WHERE r.set_id = :set_id::uuid AND r.status = 'active' GROUP BY 1",
        ]),
    Recipe::get("find_print_commitment", "announcement by id", "/v1/print-commitments/<commitment>")
        .prepare(COMMITMENTS)
        .rows(ANNOUNCED)
        .reads(&["SELECT * FROM print_commitments WHERE id = :commitment::uuid"]),
    Recipe::put("reveal_print_commitment", "announcement revealed", "/v1/print-commitments/<commitment>/reveal")
        .by(Admin)
        .prepare(COMMITMENTS)
        .rows("SELECT m.id AS commitment FROM print_commitments m JOIN sets s ON s.id = m.set_id WHERE NOT s.hidden AND m.print_run_id IS NOT NULL LIMIT :many")
        .like(Yardstick::None("a run's plan is revealed once; the first request for each writes, the others read")),
];

/// Creates an announcement (commitment) for each print run, as minting does.
const COMMITMENTS: &[&str] = &["SELECT bench.announce()"];
const ANNOUNCED: &str = "SELECT id AS commitment FROM print_commitments WHERE print_run_id IS NOT NULL ORDER BY id LIMIT :many";
