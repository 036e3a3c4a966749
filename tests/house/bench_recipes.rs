//! Every operation of the contract has a row in the cost table: a recipe with its request and the yardstick that it is compared with. Pages are compared
//! with operations of the contract.

use std::collections::{BTreeMap, BTreeSet};

use recipes::{Caller, PageRecipe, Recipe, Yardstick};
use serde_json::Value;

#[path = "../../benches/service/recipes/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the benchmark uses all of it")]
mod recipes;

/// Operations of the contract: method and path by id.
fn contract() -> BTreeMap<String, (String, String)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi/openapi.json");
    let document: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut operations = BTreeMap::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            if let Some(id) = operation["operationId"].as_str() {
                operations.insert(id.to_owned(), (method.to_ascii_uppercase(), path.clone()));
            }
        }
    }
    operations
}

/// Whether the path of a recipe matches the path of an operation: it has a column or a value where the operation has a parameter.
fn is_path_of(recipe: &str, operation: &str) -> bool {
    let recipe = recipe.split('?').next().unwrap();
    let (requested, known): (Vec<_>, Vec<_>) =
        (recipe.split('/').collect(), operation.split('/').collect());
    requested.len() == known.len()
        && requested
            .iter()
            .zip(&known)
            .all(|(requested, known)| known.starts_with('{') || requested == known)
}

/// The columns (`<name>`) that a text refers to.
fn columns(text: &str) -> impl Iterator<Item = &str> {
    text.split('<').skip(1).filter_map(|rest| {
        let (name, _) = rest.split_once('>')?;
        let is_name = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
        (!name.is_empty() && name.bytes().all(is_name)).then_some(name)
    })
}

/// Whether the query of the rows has a name, and not only longer names that contain it.
fn has_word(rows: &str, name: &str) -> bool {
    rows.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == name)
}

#[test]
fn every_operation_has_a_recipe_and_every_recipe_an_operation() {
    let contract = contract();
    let requested: BTreeSet<&str> = recipes::all().map(|recipe| recipe.operation).collect();
    let missing: Vec<&String> =
        contract.keys().filter(|id| !requested.contains(id.as_str())).collect();
    assert_eq!(
        missing,
        Vec::<&String>::new(),
        "operations without a recipe in benches/service/recipes"
    );
    for Recipe { operation, title, method, path, .. } in recipes::all() {
        let (known_method, known_path) =
            contract.get(*operation).unwrap_or_else(|| panic!("{title}: no operation {operation}"));
        assert_eq!(method, known_method, "{title}");
        assert!(is_path_of(path, known_path), "{title}: {path} is not {known_path}");
    }
}

#[test]
fn titles_of_recipes_are_unique() {
    let mut titles = BTreeSet::new();
    for recipe in recipes::all() {
        assert!(titles.insert(recipe.title), "two rows are called {:?}", recipe.title);
    }
    let mut titles = BTreeSet::new();
    for PageRecipe { page, .. } in recipes::pages() {
        assert!(titles.insert(page.title), "two pages are called {:?}", page.title);
    }
}

/// The cells of each row of the committed cost tables.
fn committed_rows() -> Vec<Vec<String>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/PERFORMANCE.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (_, tables) = page.split_once("<!-- costs: ").unwrap();
    let rows = tables.lines().map(|line| {
        line.replace("\\|", "/").split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>()
    });
    let rows: Vec<Vec<String>> =
        rows.filter(|cells| cells.len() == 15 && cells[2].starts_with('`')).collect();
    assert!(!rows.is_empty());
    rows
}

#[test]
fn committed_rows_that_miss_their_goal_say_why() {
    for cells in committed_rows() {
        let (title, reached, note) = (&cells[1], &cells[12], &cells[13]);
        let misses = reached.parse::<f64>().is_ok_and(|reached| reached < 1.0);
        assert!(!misses || !note.is_empty(), "{title}: reached {reached}, and no note");
    }
}

#[test]
fn committed_rows_that_write_have_statements_or_an_empty_cell() {
    for cells in committed_rows() {
        let (title, statements, trips, yardstick) = (&cells[1], &cells[7], &cells[8], &cells[9]);
        let writes = yardstick.ends_with("pgbench, one transaction");
        assert!(!writes || (statements != "0" && trips != "0"), "{title}: no statement");
    }
}

/// A page and the operations that it is compared with use the same row. None of them changes data or uses up a row.
#[test]
fn pages_are_compared_with_operations_that_read() {
    let contract = contract();
    for PageRecipe { page, answers } in recipes::pages() {
        let title = page.title;
        assert!(page.method == "GET" && !page.path.starts_with("/v1/"), "{title}: {}", page.path);
        assert!(!page.spends, "{title}");
        assert!(matches!(page.by, Caller::Stranger | Caller::Row), "{title}");
        assert!(page.by != Caller::Row || has_word(page.rows, "caller"), "{title}");
        for Recipe { operation, method, path, .. } in *answers {
            let (known_method, known_path) = contract
                .get(*operation)
                .unwrap_or_else(|| panic!("{title}: no operation {operation}"));
            assert_eq!(method, known_method, "{title}: {operation}");
            assert!(is_path_of(path, known_path), "{title}: {path} is not {known_path}");
            // A look-up is a POST, because its identifiers may be too long for a URL.
            assert!(*method == "GET" || *operation == "look_up_cards", "{title}: {operation}");
        }
        let texts = answers.iter().flat_map(|answer| [answer.path, answer.body]);
        for column in std::iter::once(page.path).chain(texts).flat_map(columns) {
            assert!(has_word(page.rows, column), "{title}: no column {column}");
        }
    }
}

/// A column that the query of the rows does not return would stay in the request unreplaced.
#[test]
fn recipes_use_only_columns_of_their_rows() {
    for recipe in recipes::all() {
        let texts = recipe.headers.iter().chain([&recipe.path, &recipe.body]);
        for column in texts.flat_map(|text| columns(text)) {
            let known = matches!(column, "unique" | "serial" | "second_factor_code")
                || has_word(recipe.rows, column);
            assert!(known, "{}: no column {column}", recipe.title);
        }
        let serial = recipe.body.contains("<serial>");
        assert!(!serial || has_word(recipe.rows, "code_number"), "{}", recipe.title);
        assert!(recipe.by != Caller::Row || has_word(recipe.rows, "caller"), "{}", recipe.title);
        if let Yardstick::Reads(statements) | Yardstick::Writes(statements) = recipe.yardstick {
            for statement in statements {
                for variable in variables(statement) {
                    assert!(
                        has_word(recipe.rows, variable),
                        "{}: no column {variable}",
                        recipe.title
                    );
                }
            }
        }
        if let Yardstick::None(reason) = recipe.yardstick {
            assert!(reason.len() > 20, "{}: say why there is no yardstick", recipe.title);
        }
    }
}

/// The columns that a statement of a yardstick refers to as `:name`.
fn variables(statement: &str) -> impl Iterator<Item = &str> {
    statement.split(':').skip(1).zip(statement.split(':')).filter_map(|(after, before)| {
        let length =
            after.find(|c: char| !c.is_ascii_lowercase() && c != '_').unwrap_or(after.len());
        // `::uuid` is a cast.
        (!before.is_empty() && length > 0).then(|| &after[..length])
    })
}

#[test]
fn casts_are_not_read_as_columns() {
    let found: Vec<&str> = variables("SELECT :card::uuid, now()::text WHERE a = :b").collect();
    assert_eq!(found, ["card", "b"]);
}
