//! Recipes for pages of the service.
//!
//! The answers of a page are the requests that a client needs in order to show what the page shows, with the same limits and
//! queries. In doubt an answer is left out, so that no page looks faster than it is:
//!
//! - Names of games that a page lets its reader choose from come from `list_games`. The names that one game has for its kinds,
//!   attributes, zones, rarities and formats come from one `find_game`; where only names of formats are shown, from `list_formats`.
//! - Cards are stored in lists with their names, so that pictures and links need no further answers.
//! - Data that no operation returns are not counted: the numbers beside a card in its set, and the author of a deck by its id.
//! - Details that are shown only for other data than those of the benchmark are not counted, such as names of rarities in lists without any.

use super::recipe::Caller::Row;
use super::recipe::Recipe;
use super::{
    CARDS, FREE_COPIES, HIDDEN, HIDDEN_SETS, PLAYERS, PageRecipe, SETS, catalogue, copies, decks,
    designs,
};

/// The request of an answer.
const fn get(operation: &'static str, path: &'static str) -> Recipe {
    Recipe::get(operation, "", path)
}

/// A look-up of all cards of a deck, whose entries have names only.
const DECK_CARDS: Recipe = Recipe::post("look_up_cards", "", "/v1/cards/lookup")
    .body("{\"identifiers\": <identifiers_json>}");
const GAMES: Recipe = get("list_games", "/v1/games");
const GAME: Recipe = get("find_game", "/v1/games/ttcg");
const FORMATS: Recipe = get("list_formats", "/v1/games/ttcg/formats");

/// The first four sets with hidden cards, which the first page shows.
const WALLS: &str = "WITH hidden AS (SELECT k.game_code, k.set_code, row_number() OVER (ORDER BY k.game_code, k.set_code) AS n FROM cards k \
      JOIN unlocks u ON u.card_id = k.id AND u.unlocked_at IS NULL GROUP BY k.game_code, k.set_code) \
     SELECT max(game_code) FILTER (WHERE n = 1) AS game_a, max(set_code) FILTER (WHERE n = 1) AS set_a, \
      max(game_code) FILTER (WHERE n = 2) AS game_b, max(set_code) FILTER (WHERE n = 2) AS set_b, \
      max(game_code) FILTER (WHERE n = 3) AS game_c, max(set_code) FILTER (WHERE n = 3) AS set_c, \
      max(game_code) FILTER (WHERE n = 4) AS game_d, max(set_code) FILTER (WHERE n = 4) AS set_d FROM hidden";
/// Last words of names of cards.
const WORDS: &str = "SELECT word FROM (SELECT DISTINCT lower(split_part(name, ' ', -1)) AS word FROM bench.cards) words \
     WHERE word ~ '^[a-z]{4,}$' ORDER BY md5(word) LIMIT :many";
/// Public decks, and their cards as a look-up names them.
const PUBLIC_DECK: &str = "SELECT d.id AS deck, (SELECT jsonb_agg(jsonb_build_object('game', d.game_code, 'name', e.name) ORDER BY e.position) \
     FROM deck_entries e WHERE e.deck_id = d.id) AS identifiers_json FROM decks d WHERE d.visibility = 'public' AND d.id >= bench.some_deck() ORDER BY d.id LIMIT :many";
/// The same for decks of any visibility, with their owners as the callers.
const OWN_DECK: &str = "SELECT d.id AS deck, d.account_id AS caller, (SELECT jsonb_agg(jsonb_build_object('game', d.game_code, 'name', e.name) ORDER BY e.position) \
     FROM deck_entries e WHERE e.deck_id = d.id) AS identifiers_json FROM decks d WHERE d.id >= bench.some_deck() ORDER BY d.id LIMIT :many";
/// Accounts that somebody offers a trade.
const OFFERED_TO: &str =
    "SELECT DISTINCT offered_to AS caller FROM trades WHERE state = 'open' LIMIT :many";
/// Accounts, with the number after which the last fifty events begin.
const EVENTS: &str = "SELECT p.account AS caller, greatest(c.last_seq - 50, 0) AS after FROM bench.players p \
     JOIN account_event_clocks c ON c.account_id = p.account LIMIT :many";
/// Approved designs, for the admin.
const APPROVED_FOR_ADMIN: &str = "SELECT code AS design, bench.account(16777215) AS caller FROM designs \
     WHERE name LIKE 'Bench %' AND status = 'approved' LIMIT :many";

pub(super) const RECIPES: &[PageRecipe] = &[
    PageRecipe::new("home", "/").rows(WALLS).answers(&[
        // The page reads of the sets only those with hidden cards, which no operation lists alone.
        get("list_all_sets", "/v1/sets?limit=200"),
        get("list_cards", "/v1/cards?game=<game_a>&set=<set_a>&limit=24"),
        get("list_cards", "/v1/cards?game=<game_b>&set=<set_b>&limit=24"),
        get("list_cards", "/v1/cards?game=<game_c>&set=<set_c>&limit=24"),
        get("list_cards", "/v1/cards?game=<game_d>&set=<set_d>&limit=24"),
        get("list_cards", "/v1/cards?q=is%3Aunlocked&sort=unlocked&order=desc&limit=12"),
        GAMES,
    ]),
    PageRecipe::new("search for a word", "/search?q=<word>")
        .rows(WORDS)
        .answers(&[get("list_cards", "/v1/cards?q=<word>&total=true&limit=60"), GAMES]),
    PageRecipe::new("search in a game", "/search?game=ttcg&q=type%3A<type>+rank%3A<rank>")
        .rows(catalogue::TYPES_AND_RANKS)
        .answers(&[
            get(
                "list_cards",
                "/v1/cards?game=ttcg&q=type%3A<type>+rank%3A<rank>&total=true&limit=60",
            ),
            get("list_facets", "/v1/games/ttcg/facets?q=type%3A<type>+rank%3A<rank>"),
            GAMES,
        ]),
    PageRecipe::new("help of the search", "/search/help").why("made of a table in the program"),
    PageRecipe::new("game", "/games/ttcg").answers(&[
        GAME,
        get("list_sets", "/v1/games/ttcg/sets?limit=60"),
        // The page has the rules of each format.
        get("find_format", "/v1/games/ttcg/formats/standard"),
    ]),
    PageRecipe::new("open set", "/sets/ttcg/<set_code>").rows(SETS).answers(SET),
    PageRecipe::new("set with hidden cards", "/sets/ttcg/<set_code>")
        .rows(HIDDEN_SETS)
        .answers(SET_WITH_HIDDEN_CARDS),
    PageRecipe::new("open card", "/cards/<game>/<set_code>/<number>").rows(CARDS).answers(&[
        get("find_card_by_number", "/v1/games/<game>/sets/<set_code>/cards/<number>"),
        get("list_printings", "/v1/cards/<card>/printings"),
        get("list_rulings", "/v1/cards/<card>/rulings"),
        get("list_legalities", "/v1/cards/<card>/legalities"),
        get("list_history", "/v1/cards/<card>/history?limit=30"),
        // For the name of the set.
        get("find_set", "/v1/games/<game>/sets/<set_code>"),
        GAME,
    ]),
    PageRecipe::new("hidden card", "/cards/<game>/<set_code>/<number>").rows(HIDDEN).answers(&[
        get("find_card_by_number", "/v1/games/<game>/sets/<set_code>/cards/<number>"),
        get("find_set", "/v1/games/<game>/sets/<set_code>"),
        get("find_set_policy", "/v1/games/<game>/sets/<set_code>/unlock-policy"),
        GAME,
    ]),
    PageRecipe::new("public decks", "/decks").answers(&[
        get("list_public_decks", "/v1/public-decks?limit=60"),
        GAMES,
        FORMATS,
    ]),
    PageRecipe::new(
        "public decks by a query",
        "/decks?q=contains%3A%22<name>%22+legal%3Attcg%2Fstandard",
    )
    .rows(decks::SHARED_CARDS)
    .answers(&[
        get(
            "list_public_decks",
            "/v1/public-decks?q=contains%3A%22<name>%22+legal%3Attcg%2Fstandard&limit=60",
        ),
        GAMES,
        FORMATS,
    ]),
    PageRecipe::new("public deck", "/decks/<deck>").rows(PUBLIC_DECK).answers(&[
        get("find_deck", "/v1/decks/<deck>"),
        // For the kind and the place of each card.
        DECK_CARDS,
        get("find_deck_report", "/v1/decks/<deck>/report"),
        get("find_deck_legalities", "/v1/decks/<deck>/legalities"),
        // For the tables of the curves. Their charts are loaded later.
        get("find_deck_statistics", "/v1/decks/<deck>/statistics"),
        get("export_deck", "/v1/decks/<deck>/export?dialect=share_code"),
        get("list_similar_decks", "/v1/decks/<deck>/similar?limit=6"),
        get("list_deck_comments", "/v1/decks/<deck>/comments?limit=20"),
        GAME,
    ]),
    PageRecipe::new("own deck", "/decks/<deck>").by(Row).rows(OWN_DECK).answers(&[
        get("find_deck", "/v1/decks/<deck>"),
        DECK_CARDS,
        get("find_deck_report", "/v1/decks/<deck>/report"),
        get("find_deck_legalities", "/v1/decks/<deck>/legalities"),
        get("find_deck_statistics", "/v1/decks/<deck>/statistics"),
        get("export_deck", "/v1/decks/<deck>/export?dialect=share_code"),
        get("list_similar_decks", "/v1/decks/<deck>/similar?limit=6"),
        get("find_deck_availability", "/v1/decks/<deck>/availability"),
        GAME,
    ]),
    PageRecipe::new("revisions of an own deck", "/decks/<deck>/revisions")
        .by(Row)
        .prepare(&[decks::REVISED])
        .rows(decks::REVISED_DECK)
        .restore(decks::NO_REVISIONS)
        .answers(&[
            // For the name and the newest revision of the deck.
            get("find_deck", "/v1/decks/<deck>"),
            get("list_deck_revisions", "/v1/decks/<deck>/revisions?limit=60"),
        ]),
    PageRecipe::new("cards of a deck to print", "/decks/<deck>/proxies").rows(PUBLIC_DECK).answers(
        &[
            get("find_deck", "/v1/decks/<deck>"),
            // For the ids of the cards, by which their pictures are found.
            DECK_CARDS,
        ],
    ),
    PageRecipe::new("own decks", "/my/decks").by(Row).rows(PLAYERS).answers(&[
        get("list_decks", "/v1/decks?limit=200"),
        get("list_deck_folders", "/v1/deck-folders"),
        // Of all decks: its name, and those of its formats.
        GAME,
    ]),
    PageRecipe::new("own copies", "/my/copies").by(Row).rows(PLAYERS).answers(&[
        get("list_copies", "/v1/copies?limit=60"),
        GAMES,
        GAME,
    ]),
    PageRecipe::new("own copy", "/my/copies/<copy>").by(Row).rows(FREE_COPIES).answers(&[
        get("find_copy", "/v1/copies/<copy>"),
        get("list_copy_history", "/v1/copies/<copy>/history?limit=60"),
        GAME,
    ]),
    PageRecipe::new("collection", "/my/collection").by(Row).rows(PLAYERS).answers(&[
        get("list_collection", "/v1/collection?total=true&limit=60"),
        GAMES,
        GAME,
    ]),
    PageRecipe::new("progress of a collection", "/my/collection/progress")
        .by(Row)
        .rows(PLAYERS)
        .answers(&[
            // For a game of which there is something.
            get("list_collection", "/v1/collection?limit=1"),
            get("find_completion", "/v1/collection/completion?game=ttcg"),
            GAMES,
            GAME,
        ]),
    PageRecipe::new("own lists", "/my/lists")
        .by(Row)
        .rows(PLAYERS)
        .answers(&[get("find_wants", "/v1/me/wants"), get("find_haves", "/v1/me/haves")]),
    PageRecipe::new("own trades", "/trades")
        .by(Row)
        .prepare(copies::MAKE_OFFERS_FEW)
        .rows(OFFERED_TO)
        .answers(&[get("list_trades", "/v1/trades?state=open&limit=60")]),
    PageRecipe::new("own trade", "/trades/<trade>")
        .by(Row)
        .prepare(copies::MAKE_OFFERS_FEW)
        .rows(copies::OFFERED)
        .answers(&[
            get("find_trade", "/v1/trades/<trade>"),
            get("find_trade_decks", "/v1/trades/<trade>/decks"),
            GAME,
        ]),
    PageRecipe::new("players who would suit", "/trades/find")
        .by(Row)
        .rows(PLAYERS)
        .answers(&[get("list_trade_matches", "/v1/trade-matches?limit=60"), GAMES]),
    PageRecipe::new("own events", "/my/events").by(Row).rows(EVENTS).answers(&[
        // Events are listed forwards: the newest number gives the beginning of the last fifty.
        get("list_account_events", "/v1/me/events?limit=1"),
        get("list_account_events", "/v1/me/events?after=<after>&limit=50"),
        get("find_event_settings", "/v1/me/event-settings"),
    ]),
    PageRecipe::new("blocked players", "/my/blocks")
        .by(Row)
        .rows(PLAYERS)
        .answers(&[get("list_blocks", "/v1/me/blocks?limit=60")]),
    PageRecipe::new("own account", "/my/account").by(Row).rows(PLAYERS).answers(&[
        get("find_me", "/v1/me"),
        get("find_second_factor", "/v1/me/second-factor"),
        get("list_sessions", "/v1/sessions"),
    ]),
    PageRecipe::new("player, for strangers", "/players/<player>").rows(copies::OTHERS).answers(&[
        get("list_player_haves", "/v1/players/<player>/haves"),
        get("list_player_wants", "/v1/players/<player>/wants"),
        get("list_public_decks", "/v1/public-decks?q=by%3A%22<player>%22&limit=10"),
    ]),
    PageRecipe::new("player, for another player", "/players/<player>")
        .by(Row)
        .prepare(copies::SHOWN)
        .rows(copies::OTHERS)
        .answers(&[
            get("list_player_haves", "/v1/players/<player>/haves"),
            get("list_player_wants", "/v1/players/<player>/wants"),
            get("list_player_copies", "/v1/players/<player>/copies?limit=24"),
            get("list_public_decks", "/v1/public-decks?q=by%3A%22<player>%22&limit=10"),
            // For the rarities of the copies.
            GAME,
        ]),
    PageRecipe::new("gallery", "/designs").answers(&[
        get("list_shared_designs", "/v1/designs?limit=60"),
        GAMES,
        GAME,
    ]),
    PageRecipe::new("gallery by a query", "/designs?game=ttcg&q=type%3A<type>+rank%3A<rank>")
        .rows(catalogue::TYPES_AND_RANKS)
        .answers(&[
            get(
                "list_shared_designs",
                "/v1/designs?game=ttcg&q=type%3A<type>+rank%3A<rank>&limit=60",
            ),
            get("list_design_facets", "/v1/games/ttcg/design-facets?q=type%3A<type>+rank%3A<rank>"),
            GAMES,
            GAME,
        ]),
    PageRecipe::new("design, for strangers", "/designs/<design>")
        .prepare(designs::DISCUSSED)
        .rows(designs::CRITICS)
        .restore(designs::CLEAR)
        .answers(&[
            get("find_design", "/v1/designs/<design>"),
            get("find_design_ratings", "/v1/designs/<design>/ratings"),
            // Nobody has replied to the comments.
            get("list_comments", "/v1/designs/<design>/comments?limit=20"),
            GAME,
        ]),
    PageRecipe::new("design, for who has rated it", "/designs/<design>")
        .by(Row)
        .prepare(designs::DISCUSSED)
        .rows(designs::CRITICS)
        .restore(designs::CLEAR)
        .answers(&[
            get("find_design", "/v1/designs/<design>"),
            get("find_design_ratings", "/v1/designs/<design>/ratings"),
            get("find_own_rating", "/v1/designs/<design>/rating"),
            get("list_suggested_changes", "/v1/designs/<design>/suggestions?limit=20"),
            get("list_comments", "/v1/designs/<design>/comments?limit=20"),
            GAME,
        ]),
    PageRecipe::new("own designs", "/my/designs")
        .by(Row)
        .rows(designs::SHARED)
        .answers(&[get("list_own_designs", "/v1/me/designs?limit=60")]),
    PageRecipe::new("author of designs", "/designers/<author>").rows(designs::AUTHORS).answers(&[
        get("find_author", "/v1/authors/<author>"),
        get("list_shared_designs", "/v1/designs?author=<author>&limit=60"),
        GAME,
    ]),
    PageRecipe::new("release of a design", "/reviews/designs/<design>/release")
        .by(Row)
        .prepare(designs::APPROVED)
        .rows(APPROVED_FOR_ADMIN)
        .restore(designs::UNRELEASED)
        .answers(&[
            get("find_design", "/v1/designs/<design>"),
            get("list_sets", "/v1/games/ttcg/sets?limit=200"),
        ]),
    PageRecipe::new("form of a submission", "/submit").why("an empty form"),
];

const SET: &[Recipe] = &[
    get("find_set", "/v1/games/ttcg/sets/<set_code>"),
    get("list_cards", "/v1/cards?game=ttcg&set=<set_code>&limit=60"),
    get("find_print_statistics", "/v1/games/ttcg/sets/<set_code>/print-statistics"),
    get("list_print_commitments", "/v1/games/ttcg/sets/<set_code>/print-commitments?limit=20"),
    GAME,
];

const SET_WITH_HIDDEN_CARDS: &[Recipe] = &[
    get("find_set", "/v1/games/ttcg/sets/<set_code>"),
    get("find_set_policy", "/v1/games/ttcg/sets/<set_code>/unlock-policy"),
    get("list_cards", "/v1/cards?game=ttcg&set=<set_code>&limit=60"),
    get("find_print_statistics", "/v1/games/ttcg/sets/<set_code>/print-statistics"),
    get("list_print_commitments", "/v1/games/ttcg/sets/<set_code>/print-commitments?limit=20"),
    GAME,
];
