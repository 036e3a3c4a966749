//! Rules of this repository that the compiler does not check: which module may use which, which licences dependencies may have, which names may be used where.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

#[path = "house/bench_recipes.rs"]
mod bench_recipes;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

#[path = "house/handlers.rs"]
mod handlers;

#[path = "house/layers.rs"]
mod layers;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Every Rust file below `folder`, with its text.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    files(folder, "rs")
}

/// Every file below `folder` whose name has this extension, with its text.
fn files(folder: &str, extension: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(ROOT).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|of_path| of_path == extension) {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path.strip_prefix(ROOT).unwrap().to_owned(), text));
            }
        }
    }
    assert!(!found.is_empty(), "{folder}");
    found
}

/// The code of a file: comments left out.
fn code(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// Files of `src/` outside `homes` whose code contains `word`.
fn strays(word: &str, homes: &[&str]) -> Vec<PathBuf> {
    sources("src")
        .into_iter()
        .filter(|(path, _)| !homes.iter().any(|home| path.starts_with(home)))
        .filter(|(_, text)| code(text).contains(word))
        .map(|(path, _)| path)
        .collect()
}

#[test]
fn frameworks_are_used_only_in_their_modules() {
    for crate_name in ["diesel::", "diesel_async::", "diesel_migrations::"] {
        assert_eq!(strays(crate_name, &["src/store"]), Vec::<PathBuf>::new(), "{crate_name}");
    }
    for crate_name in ["actix_web::", "actix_http::", "actix_server::"] {
        // The default filter of the log names the module of actix that it leaves out.
        let homes = ["src/api", "src/http", "src/web", "src/config.rs"];
        assert_eq!(strays(crate_name, &homes), Vec::<PathBuf>::new(), "{crate_name}");
    }
    // The results of use cases are part of the contract.
    let homes = ["src/api", "src/http", "src/app"];
    assert_eq!(strays("utoipa::", &homes), Vec::<PathBuf>::new(), "the contract");
    for crate_name in ["hyper::", "hyper_util::", "rustls::", "rustls_native_certs::"] {
        // TLS is used for connections to receivers of webhooks and to the database.
        let homes = ["src/webhooks", "src/store/db/wire"];
        assert_eq!(strays(crate_name, &homes), Vec::<PathBuf>::new(), "{crate_name}");
    }
    let homes = ["src/cli/database.rs", "src/store/db/private_postgres.rs"];
    assert_eq!(
        strays("embedded_postgres::", &homes),
        Vec::<PathBuf>::new(),
        "the private Postgres"
    );
    assert_eq!(
        strays("std::env::var", &["src/config.rs"]),
        Vec::<PathBuf>::new(),
        "the environment"
    );
    assert_eq!(strays(" env = ", &["src/config.rs"]), Vec::<PathBuf>::new(), "clap's env");
}

#[test]
fn handwritten_sql_is_prepared_once() {
    // `sql` caches what it prepares. A statement that Postgres must plan for its values at every use calls `custom_plan` with the reason.
    let home = ["src/store/db/statement.rs"];
    // diesel prepares these at every use.
    for raw in ["sql_query", "dsl::sql", " sql::<", "SqlLiteral", "dsl::*"] {
        assert_eq!(strays(raw, &home), Vec::<PathBuf>::new(), "{raw}");
    }
    // Commands without parameters go through `run_commands`. Exceptions are transactions and sessions, which consist of such commands, and the COPY of a
    // print run, which has its own connection.
    let beside = ["src/store/db", "src/store/printing/press/copy_in.rs"];
    for raw in ["batch_execute", "simple_query"] {
        assert_eq!(strays(raw, &beside), Vec::<PathBuf>::new(), "{raw}");
    }
    // Parameters have names, or are added at their place in the text. They are never numbered by hand.
    let numbers = sources("src/store").into_iter().filter(|(path, text)| {
        path != Path::new(home[0])
            && !path.starts_with("src/store/printing/press/copy_in.rs")
            && code(text).contains("$1")
    });
    assert_eq!(numbers.map(|(path, _)| path).collect::<Vec<_>>(), Vec::<PathBuf>::new());
    let planned_each_time: BTreeSet<PathBuf> = sources("src")
        .into_iter()
        .filter(|(path, text)| path != Path::new(home[0]) && code(text).contains(".custom_plan("))
        .map(|(path, _)| path)
        .collect();
    let known = PLANNED_EACH_TIME.map(PathBuf::from);
    assert_eq!(
        planned_each_time,
        BTreeSet::from(known),
        "the list PLANNED_EACH_TIME must be complete"
    );
}

/// diesel prepares an UPDATE at every use, unless `cached()` caches the prepared statement.
#[test]
fn updates_are_prepared_once() {
    let updates = sources("src/store").into_iter().flat_map(|(path, text)| {
        let updates: Vec<String> =
            code(&text).split("diesel::update(").skip(1).map(str::to_owned).collect();
        updates.into_iter().map(move |update| (path.clone(), update))
    });
    let (mut all, mut forgotten) = (0, Vec::new());
    for (path, update) in updates {
        all += 1;
        let statement = update.split(".await").next().unwrap();
        if !statement.contains(".cached()") {
            forgotten.push((path, statement.to_owned()));
        }
    }
    assert!(all > 50, "{all}");
    assert!(forgotten.is_empty(), "{forgotten:#?}");
}

/// Files with statements that Postgres plans for their values at every use.
const PLANNED_EACH_TIME: [&str; 3] =
    ["src/store/conditions.rs", "src/store/accounts/people.rs", "src/store/decks/public_decks.rs"];

/// A list whose limit is a parameter is planned for its value at each use. Pages of lists therefore end with `push_page`.
#[test]
fn pages_of_lists_have_a_constant_limit() {
    let limited: BTreeSet<PathBuf> = sources("src/store")
        .into_iter()
        .filter(|(path, text)| {
            let code = code(text);
            path != Path::new("src/store/db/pages.rs")
                && ["LIMIT $", "LIMIT \""].iter().any(|limit| code.contains(limit))
        })
        .map(|(path, _)| path)
        .collect();
    let known = [LIMITED_SEARCHES, LIMITED_STEPS, LIMITED_PARTS].concat();
    let known: BTreeSet<PathBuf> =
        known.into_iter().map(|file| Path::new("src/store").join(file)).collect();
    assert_eq!(limited, known, "the three lists must be complete");
}

/// Searches: which plan is good depends on their values.
const LIMITED_SEARCHES: &[&str] = &[
    "accounts/people.rs",
    "card_content/lookups.rs",
    "card_content/search.rs",
    "card_content/suggestions.rs",
    "decks/public_decks.rs",
    "designs/gallery.rs",
    "designs/likeness.rs",
];

/// Steps of work in the background, or of a file: their limits are high, and the same at each use.
const LIMITED_STEPS: &[&str] = &[
    "card_content/bulk.rs",
    "card_content/catalogue.rs",
    "card_content/name_looks.rs",
    "catalogue/changes.rs",
    "decks/deck_rows.rs",
    "decks/deck_search.rs",
    "decks/deck_watches.rs",
    "decks/watched_decks.rs",
    "accounts/account_events.rs",
    "designs/design_changes.rs",
    "designs/design_ratings.rs",
    "designs/design_search.rs",
    "designs/gallery_entries.rs",
    "designs/reserved_names.rs",
    "operations/delivery_queue.rs",
    "operations/retention.rs",
    "operations/retention/steps.rs",
    "printing/discarded_runs.rs",
    "serials/unlocks.rs",
];

/// Statements with a limit that is not that of their result, or whose result is sorted or counted as a whole: Postgres keeps
/// their plans.
const LIMITED_PARTS: &[&str] = &[
    "card_content/collection.rs",
    "collection/collection_imports.rs",
    "copies/copy_records.rs",
    "copies/trade_lists.rs",
    "decks/deck_ownership.rs",
    "decks/shared_decks.rs",
    "feedback/comments.rs",
    "serials/community.rs",
];

#[test]
fn tables_with_card_content_are_read_only_in_their_module() {
    let homes = ["src/store/card_content", "src/store/db/schema.rs"];
    for table in ["card_content", "printing_content", "card_rulings", "card_history"] {
        let named: Vec<PathBuf> = strays(table, &homes)
            .into_iter()
            .filter(|path| {
                let text = code(&std::fs::read_to_string(Path::new(ROOT).join(path)).unwrap());
                // The module has the same name as its first table.
                let module =
                    ["crate::store::card_content", "use card_content::", "mod card_content;"];
                module.iter().fold(text, |text, name| text.replace(name, "")).contains(table)
            })
            .collect();
        assert_eq!(named, Vec::<PathBuf>::new(), "{table}");
    }
}

/// Seeds are published. The numbers that follow from a seed are therefore generated, and tested, in one place.
#[test]
fn seeded_numbers_are_generated_in_one_place() {
    // The constants of SplitMix64 and its relatives, of the congruential generators of Knuth and PCG, and of xorshift*.
    let constants = ["bf58476d1ce4e5b9", "6364136223846793005", "2545f4914f6cdd1d"];
    let homes = ["crates/engine/src/rng", "tests/house.rs"];
    let found: Vec<PathBuf> = ["src", "crates", "tests", "benches", "examples"]
        .into_iter()
        .flat_map(sources)
        .filter(|(_, text)| {
            let text = text.to_lowercase().replace('_', "");
            constants.iter().any(|constant| text.contains(constant))
        })
        .map(|(path, _)| path)
        .collect();
    assert!(found.iter().any(|path| path.starts_with(homes[0])), "{found:?}");
    let strays: Vec<_> =
        found.iter().filter(|path| !homes.iter().any(|home| path.starts_with(home))).collect();
    assert!(strays.is_empty(), "{strays:?}");
}

#[test]
fn only_the_command_line_acts_as_the_operator() {
    assert_eq!(strays("at_the_machine", &["src/cli", "src/auth"]), Vec::<PathBuf>::new());
}

/// A function that takes the status of its page may show a form again, so it leaves the choice of the idempotency key to `next_key`: a new key while the first
/// request still runs would make the next click a second request.
#[test]
fn forms_that_are_shown_again_have_the_key_of_their_status() {
    let (mut with_status, mut wrong) = (0, Vec::new());
    for (path, text) in sources("src/web") {
        if path == Path::new("src/web/forms.rs") {
            continue;
        }
        let code = code(&text);
        if code.contains("Uuid::now_v7") {
            wrong.push(path.display().to_string());
        }
        let functions = code.split("fn ").filter_map(|rest| rest.split("\n}\n").next());
        for function in functions {
            let has_status = function.contains("status: PageStatus,");
            with_status += usize::from(has_status);
            if has_status && function.contains("new_key()") {
                let name = function.lines().next().unwrap_or_default();
                wrong.push(format!("{}: {name}", path.display()));
            }
        }
    }
    assert!(with_status > 20, "{with_status}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn only_the_clock_reads_the_system_time() {
    for now in ["Utc::now", "Local::now", "SystemTime::now"] {
        assert_eq!(strays(now, &["src/domain/clock.rs"]), Vec::<PathBuf>::new(), "{now}");
    }
    let in_sql = strays("now()", &["src/domain/clock.rs"]);
    let in_sql: Vec<_> = in_sql
        .into_iter()
        .filter(|path| {
            let text = code(&std::fs::read_to_string(Path::new(ROOT).join(path)).unwrap());
            let text = text
                .replace("clock.now()", "")
                .replace("Instant::now()", "")
                .replace("Clock::system().now()", "");
            [" now()", "(now()", ",now()"].iter().any(|sql| text.contains(sql))
        })
        .collect();
    assert_eq!(in_sql, Vec::<PathBuf>::new(), "SQL's now()");
}

/// Cargo's metadata of the dependency tree on this platform. Dependencies of other platforms need not be downloaded.
fn metadata() -> Value {
    let version = Command::new("rustc").arg("-vV").output().unwrap().stdout;
    let version = String::from_utf8(version).unwrap();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--offline",
            "--filter-platform",
            host,
        ])
        .current_dir(ROOT)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Ids of all packages that a package needs to be built and run, including the package itself. Dependencies of its tests are left out.
fn tree<'a>(metadata: &'a Value, root: &'a str) -> BTreeSet<&'a str> {
    tree_without(metadata, root, None)
}

/// Like [`tree`], without one package and the packages that only this package needs.
fn tree_without<'a>(
    metadata: &'a Value,
    root: &'a str,
    left_out: Option<&str>,
) -> BTreeSet<&'a str> {
    let nodes: BTreeMap<&str, &Value> = metadata["resolve"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| (node["id"].as_str().unwrap(), node))
        .collect();
    let mut found = BTreeSet::new();
    let mut next = vec![root];
    while let Some(id) = next.pop() {
        if !found.insert(id) {
            continue;
        }
        for dependency in nodes[id]["deps"].as_array().unwrap() {
            let kinds = dependency["dep_kinds"].as_array().unwrap();
            let id = dependency["pkg"].as_str().unwrap();
            if kinds.iter().any(|kind| kind["kind"] != "dev") && left_out != Some(id) {
                next.push(id);
            }
        }
    }
    found
}

fn package<'a>(metadata: &'a Value, name: &str) -> &'a Value {
    metadata["packages"].as_array().unwrap().iter().find(|package| package["name"] == name).unwrap()
}

#[test]
fn the_engine_has_no_io_clock_or_randomness() {
    assert_pure("cardscape-engine", "crates/engine/src", &["chrono"]);
}

#[test]
fn pictures_have_no_io_clock_or_randomness() {
    assert_pure("cardscape-pictures", "crates/pictures/src", &["chrono"]);
}

#[test]
fn artwork_has_no_io_clock_or_randomness() {
    assert_pure("cardscape-artwork", "crates/artwork/src", &["chrono"]);
}

#[test]
fn search_has_no_io_clock_or_randomness() {
    assert_pure("cardscape-search", "crates/search/src", &[]);
}

/// The library that runs a PostgreSQL server is independent of this program: it contains none of its terms and reads no environment variables.
#[test]
fn the_postgres_library_is_independent_of_this_program() {
    let metadata = metadata();
    let library = package(&metadata, "embedded-postgres")["id"].as_str().unwrap();
    let members = metadata["workspace_members"].as_array().unwrap();
    let members: BTreeSet<&str> = members.iter().map(|id| id.as_str().unwrap()).collect();
    let ours: Vec<&str> = tree(&metadata, library).intersection(&members).copied().collect();
    assert_eq!(ours, [library], "it depends on no other crate of the workspace");

    let folder = "crates/embedded-postgres";
    let beside = ["README.md", "Cargo.toml"].map(|name| Path::new(folder).join(name));
    let beside = beside.map(|path| {
        let text = std::fs::read_to_string(Path::new(ROOT).join(&path)).unwrap();
        (path, text)
    });
    for (path, text) in sources(folder).into_iter().chain(beside) {
        let text = text.to_lowercase();
        for word in ["card", "game", "serial"] {
            assert!(!text.contains(word), "{} says {word}", path.display());
        }
    }
    for (path, text) in sources("crates/embedded-postgres/src") {
        let reads = code(&text).contains("env::var");
        assert!(!reads, "{} reads the environment", path.display());
    }
}

/// Checks that a library uses no I/O, clock or randomness, neither itself nor through its dependencies.
fn assert_pure(library: &str, folder: &str, also_forbidden: &[&str]) {
    let metadata = metadata();
    let id = package(&metadata, library)["id"].as_str().unwrap();
    // utoipa is left out: the service enables it for the schemas of the engine's answers and selects its features. The engine alone does not need it.
    let utoipa = package(&metadata, "utoipa")["id"].as_str().unwrap();
    let tree = tree_without(&metadata, id, Some(utoipa));
    let mut needs = package(&metadata, library)["dependencies"].as_array().unwrap().iter();
    assert!(needs.all(|one| one["name"] != "utoipa" || one["optional"] == true), "{library}");
    let names: BTreeSet<&str> = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|package| tree.contains(package["id"].as_str().unwrap()))
        .map(|package| package["name"].as_str().unwrap())
        .collect();
    assert!(names.contains("thiserror"), "the dependency tree is incomplete");
    let forbidden = ["actix-web", "diesel", "tokio", "reqwest", "getrandom", "rand", "time"];
    for impure in forbidden.iter().chain(also_forbidden) {
        assert!(!names.contains(impure), "{library} depends on {impure}");
    }
    for (path, text) in sources(folder) {
        for word in [
            "std::fs",
            "std::net",
            "std::env",
            "std::time",
            "std::thread",
            "HashMap::new",
            "HashSet::new",
        ] {
            assert!(!code(&text).contains(word), "{} says {word}", path.display());
        }
    }
}

/// Licences that dependencies may have beside ours (MIT OR Apache-2.0): the list of `deny.toml`, which `cargo deny` uses.
fn licences() -> BTreeSet<String> {
    let text = std::fs::read_to_string(Path::new(ROOT).join("deny.toml")).unwrap();
    let rules: toml::Table = text.parse().unwrap();
    let allowed = rules["licenses"]["allow"].as_array().unwrap();
    allowed.iter().map(|licence| licence.as_str().unwrap().to_owned()).collect()
}

/// Whether an SPDX expression can be satisfied with the licences of `allowed`. Understands `OR`, `AND`, parentheses and the old `/`.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let expression = expression.replace('/', " OR ");
    let expression = expression.trim();
    let mut depth = 0;
    let mut split = |word: &str| -> Option<(String, String)> {
        depth = 0;
        let bytes = expression.as_bytes();
        (0..bytes.len()).find_map(|at| {
            match bytes[at] {
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            (depth == 0 && expression[at..].starts_with(word))
                .then(|| (expression[..at].to_owned(), expression[at + word.len()..].to_owned()))
        })
    };
    if let Some((left, right)) = split(" OR ") {
        return is_allowed(&left, allowed) || is_allowed(&right, allowed);
    }
    if let Some((left, right)) = split(" AND ") {
        return is_allowed(&left, allowed) && is_allowed(&right, allowed);
    }
    match expression.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => is_allowed(inner, allowed),
        None => allowed.contains(expression),
    }
}

#[test]
fn spdx_expressions_are_understood() {
    let allowed = licences();
    for good in ["MIT", "GPL-3.0 OR MIT", "MIT/Apache-2.0", "(MIT OR GPL-2.0) AND Unicode-3.0"] {
        assert!(is_allowed(good, &allowed), "{good}");
    }
    for bad in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR Apache-2.0) AND AGPL-3.0", ""] {
        assert!(!is_allowed(bad, &allowed), "{bad}");
    }
}

#[test]
fn every_dependency_has_an_allowed_licence() {
    let metadata = metadata();
    let root = package(&metadata, "cardscape")["id"].as_str().unwrap();
    let (shipped, allowed) = (tree(&metadata, root), licences());
    let members = metadata["workspace_members"].as_array().unwrap();
    assert!(members.iter().all(|member| shipped.contains(member.as_str().unwrap())));
    let misfits: Vec<String> = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|package| shipped.contains(package["id"].as_str().unwrap()))
        .filter(|package| !is_allowed(package["license"].as_str().unwrap_or_default(), &allowed))
        .map(|package| {
            format!("{} {}: {}", package["name"], package["version"], package["license"])
        })
        .collect();
    assert_eq!(misfits, Vec::<String>::new());
}

/// Names of functions that say only that something happened, and names of types that fit everything.
const VAGUE_NAMES: [&str; 26] = [
    "asked", "asker", "early", "ended", "fresh", "given", "gone", "heard", "held", "kept", "late",
    "letter", "made", "meant", "news", "other", "said", "seen", "stuff", "them", "thing", "those",
    "told", "wanted", "whole", "worth",
];

#[test]
fn functions_types_and_modules_have_names_that_state_their_purpose() {
    let rust: &[&str] = &["fn", "struct", "enum", "trait", "type", "mod"];
    let scripts: &[&str] = &["def", "class", "function"];
    let in_rust = ["src", "crates", "tests", "benches"].into_iter().flat_map(sources);
    let in_scripts = [("scripts", "py"), ("src", "js"), ("tests", "mjs")]
        .into_iter()
        .flat_map(|(folder, extension)| files(folder, extension));
    let all = in_rust.map(|file| (file, rust)).chain(in_scripts.map(|file| (file, scripts)));
    let mut vague = Vec::new();
    for ((path, text), items) in all {
        let code = code(&text);
        let words = code.split(|character: char| !character.is_alphanumeric() && character != '_');
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        for pair in words.windows(2) {
            if items.contains(&pair[0]) && VAGUE_NAMES.contains(&pair[1].to_lowercase().as_str()) {
                vague.push(format!("{}: {} {}", path.display(), pair[0], pair[1]));
            }
        }
    }
    assert!(vague.is_empty(), "{vague:#?}");
}

#[test]
fn sources_contain_no_unfinished_code() {
    for folder in ["src", "crates"] {
        for (path, text) in sources(folder) {
            for word in ["todo!", "unimplemented!", "FIXME", "XXX"] {
                assert!(!text.contains(word), "{} says {word}", path.display());
            }
        }
    }
}

#[test]
fn documents_contain_no_merge_conflict_markers() {
    let documents = ["docs", "docs/decisions"].into_iter().flat_map(|folder| {
        let entries = std::fs::read_dir(Path::new(ROOT).join(folder)).unwrap();
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file())
    });
    let beside =
        ["README.md", "CHANGELOG.md", "seed-data/README.md", "crates/embedded-postgres/README.md"];
    for path in documents.chain(beside.map(|name| Path::new(ROOT).join(name))) {
        let text = std::fs::read_to_string(&path).unwrap();
        let mark = |line: &&str| line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ");
        assert_eq!(text.lines().find(mark), None, "{}", path.display());
    }
}

/// Each decision has one page. The pages are numbered without gaps, have the same form, and are in the list.
#[test]
fn decisions_have_the_same_form_and_are_listed() {
    let folder = Path::new(ROOT).join("docs/decisions");
    let list = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let mut pages: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "README.md")
        .collect();
    pages.sort();
    assert!(pages.len() > 160, "{}", pages.len());
    for (page, number) in pages.iter().zip(1..) {
        let text = std::fs::read_to_string(folder.join(page)).unwrap();
        let before_title = format!("# {number:04}. ");
        assert!(page.starts_with(&format!("{number:04}-")), "{page} is not number {number}");
        let title = text.lines().next().and_then(|line| line.strip_prefix(&before_title));
        let Some(title) = title else { panic!("{page} does not begin with {before_title:?}") };
        for part in ["\nDate: 20", "\n## Context\n", "\n## Decision\n", "\n## Consequences\n"] {
            assert!(text.contains(part), "{page} lacks {part:?}");
        }
        let row = format!("| [{number:04}]({page}) | {title} | ");
        assert!(list.contains(&row), "the list lacks {row:?}");
    }
}

/// The OpenAPI document identifies schemas only by the names of types: of two schemas with the same name, one would be lost.
#[test]
fn no_two_schemas_have_the_same_name() {
    let mut homes = std::collections::BTreeMap::<String, Vec<PathBuf>>::new();
    for (path, text) in sources("src") {
        let mut is_schema = false;
        for line in text.lines() {
            if line.starts_with("#[derive(") {
                is_schema = line.contains("ToSchema");
            }
            let declared = ["pub struct ", "pub enum ", "pub(super) struct ", "struct "];
            let Some(rest) = declared.iter().find_map(|word| line.strip_prefix(word)) else {
                continue;
            };
            if std::mem::take(&mut is_schema) {
                let name = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
                homes.entry(name.to_owned()).or_default().push(path.clone());
            }
        }
    }
    assert!(homes.len() > 100, "{}", homes.len());
    let shared: Vec<_> = homes.into_iter().filter(|(_, homes)| homes.len() > 1).collect();
    assert!(shared.is_empty(), "{shared:?}");
}

/// These permissions allow writes: the store takes them as `Acting`, inside a transaction that checks the credential again. The list `reads` names the
/// exceptions, which take them as `Granted`.
#[test]
fn writes_check_the_credential_in_their_transaction() {
    let reads = [
        // A list, and the creation, which opens its transaction itself.
        ("src/store/accounts/tokens.rs", "ManageOwnTokens", 2),
        // Whether the owner has just changed the password, when the same form is sent twice.
        ("src/store/accounts/account_records.rs", "ChangeOwnPassword", 1),
        ("src/store/serials/submission_reviews.rs", "ReviewSubmissions", 1),
        // A submission and a batch, which open their transactions themselves, and a read of earlier answers.
        ("src/store/serials/submissions.rs", "SubmitSerials", 4),
        // Submissions that wait to be registered together. Their credentials are checked at that time.
        ("src/store/serials/registration_groups.rs", "SubmitSerials", 3),
        ("src/store/collection/collection_imports.rs", "WriteOwnCollection", 1),
        ("src/store/copies/trade_lists.rs", "WriteOwnCollection", 1),
        // A moderator reads submitted designs.
        ("src/store/designs/artwork_files.rs", "ReviewDesigns", 1),
        ("src/store/designs/mod.rs", "ReviewDesigns", 1),
        // And which designs wait, who has claimed one, and what was submitted when.
        ("src/store/designs/design_reviews.rs", "ReviewDesigns", 4),
        // And whether somebody else has the name of a design.
        ("src/store/designs/reserved_names.rs", "ReviewDesigns", 1),
        // And reports: the list, one of them, and the others about the same subject.
        ("src/store/designs/abuse_reports.rs", "ModerateDesigns", 4),
        // A moderator reads hidden comments.
        ("src/store/feedback/hidden_comments.rs", "ModerateDesigns", 1),
        // A read of the deck that an earlier request with the same key copied.
        ("src/store/decks/deck_lists.rs", "WriteOwnDecks", 1),
        // A deck is stored or replaced by functions that open their transactions themselves.
        ("src/store/decks/deck_writes.rs", "WriteOwnDecks", 2),
        // A read of the revision whose entries are bound to cards before it is restored.
        ("src/store/decks/deck_revisions.rs", "WriteOwnDecks", 1),
        // A read of what depends on a set, for the page that offers its deletion.
        ("src/store/catalogue/import/new_set.rs", "WriteCatalogue", 1),
        // A read of the webhook that an earlier request with the same key created.
        ("src/store/operations/webhooks.rs", "ManageWebhooks", 1),
        // A read that checks whether the reporter may see the suggestion.
        ("src/store/designs/abuse_reports.rs", "ReportAbuse", 1),
    ];
    let mut found = BTreeMap::new();
    for (path, text) in sources("src/store") {
        for permission in cardscape::auth::permission::that_write() {
            let count = code(&text).matches(&format!("Granted<{permission}>")).count();
            if count > 0 {
                found.insert((path.to_string_lossy().into_owned(), permission), count);
            }
        }
    }
    let reads = reads.map(|(path, permission, count)| ((path.to_owned(), permission), count));
    assert_eq!(found, BTreeMap::from(reads));
    let home = ["src/store/accounts/acting_transactions.rs"];
    assert_eq!(strays("Acting::in_transaction(", &home), Vec::<PathBuf>::new());
}
