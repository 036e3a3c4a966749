//! Postgres runs the same statements for every rejected serial code, regardless of the reason of the rejection.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{PaperCard, Player, RequestExt as _, TestApp, postgres_log};

/// Makes Postgres write the plan of each statement of new connections into its log.
const EXPLAIN: &str = "DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET session_preload_libraries = ''auto_explain''', current_database());
    EXECUTE format('ALTER DATABASE %I SET auto_explain.log_min_duration = 0', current_database());
    EXECUTE format('ALTER DATABASE %I SET auto_explain.log_analyze = on', current_database());
    EXECUTE format('ALTER DATABASE %I SET auto_explain.log_timing = off', current_database());
END $$";

/// The log of the server from a position on. No other test writes plans into the log.
struct Log {
    file: PathBuf,
    from: u64,
}

impl Log {
    fn from_now() -> Self {
        let file = postgres_log();
        let from = std::fs::metadata(&file).unwrap().len();
        Self { file, from }
    }

    /// The statements about serial codes since then: each with its plan without costs, and with the rows of each step if `with_rows`.
    fn statements(self, with_rows: bool) -> Vec<String> {
        let mut file = File::open(self.file).unwrap();
        file.seek(SeekFrom::Start(self.from)).unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        let mut statements: Vec<String> = Vec::new();
        for line in text.lines() {
            match line.strip_prefix('\t') {
                None => statements.push(String::new()),
                Some(line) if !statements.is_empty() && (with_rows || is_plan(line)) => {
                    let statement = statements.last_mut().unwrap();
                    statement.push_str(&step(line, with_rows));
                    statement.push('\n');
                }
                Some(_) => {}
            }
        }
        // The instance also reads changes of the catalogue and the credential of the caller.
        let about_serials = |text: &String| {
            ["copies", "attempts", "idempotency_keys", "print_runs"]
                .iter()
                .any(|table| text.contains(table))
        };
        statements.into_iter().filter(about_serials).collect()
    }
}

/// Whether a line describes a step of the plan, and not a measured amount.
fn is_plan(line: &str) -> bool {
    let figures =
        ["Rows Removed", "Buckets:", "Tuples Inserted:", "Conflicting Tuples:", "Heap Fetches:"];
    !figures.iter().any(|figure| line.trim_start().starts_with(figure))
}

/// A line of a plan without costs, times and ids.
fn step(line: &str, with_rows: bool) -> String {
    let (step, figures) = line.split_once("  (cost=").unwrap_or((line, ""));
    let rows = figures.split_once("(actual ").map_or("", |(_, rows)| rows);
    let words = step.split_inclusive(['\'', ' ']);
    let words = words.map(|word| {
        if uuid::Uuid::try_parse(word.trim_end_matches('\'')).is_ok() { "id'" } else { word }
    });
    let step: String = words.collect();
    // The account is a parameter in a cached plan, and a literal in a plan that is not cached yet.
    let step = step.replace("'id'::uuid", "$5");
    if with_rows { format!("{step} {rows}") } else { step }
}

async fn rejected(app: &TestApp, player: &Player, body: &Value, with_rows: bool) -> Vec<String> {
    let log = Log::from_now();
    let answer = app.post("/v1/submissions").by(player).json(body).answer().await;
    answer.problem(422, "submission_rejected");
    log.statements(with_rows)
}

/// A code with this prefix that does not exist.
fn unknown_code(prefix: &str) -> String {
    let symbols = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let fits = |check: char| {
        let code = format!("{prefix}ZZ-ZZZZ-ZZZZ-ZZZ{check}");
        cardscape::domain::serials::serial::SerialCode::parse(&code).is_ok().then_some(code)
    };
    symbols.chars().find_map(fits).unwrap()
}

#[tokio::test]
async fn every_rejected_serial_takes_the_same_statements_and_plans() {
    let first = TestApp::start_with(|api| {
        api.attempt_limits = cardscape::domain::accounts::attempts::AttemptLimits::scaled(1000);
    })
    .await;
    first.import_set("dusk", 30, true).await;
    let cards: Vec<PaperCard> = first.print("dusk", 77).await;
    let (ada, ben) = (first.player("ada").await, first.player("ben").await);
    let moderator = first.moderator().await;
    let copy = first.register(&ben, &cards[0]).await;
    first.moderate(&moderator, &copy, "void").await.expect(200);
    first.sql("ANALYZE").await;
    first.sql(EXPLAIN).await;
    // The connections of this instance are new, so they have the settings.
    let app = first.second_instance_with(|api| {
        api.attempt_limits = cardscape::domain::accounts::attempts::AttemptLimits::scaled(1000);
    });

    let known = &cards[1].serial[..2];
    let unknown = if known == "ZZ" { "YY" } else { "ZZ" };
    let with = |serial: &str, name: &str| json!({ "serial": serial, "name": name });
    let bodies = [
        with(&unknown_code(unknown), &cards[1].name),
        with(&unknown_code(known), &cards[1].name),
        with(&cards[1].serial, "no card at all"),
        with(&cards[0].serial, &cards[0].name),
    ];
    // Enough requests for each connection of the pool to cache its plans.
    for _ in 0..8 {
        for body in &bodies {
            rejected(&app, &ada, body, false).await;
        }
    }
    let mut seen = Vec::new();
    for body in &bodies {
        seen.push(rejected(&app, &ada, body, false).await);
    }
    assert!(seen[0].iter().any(|statement| statement.contains("card_content")), "{seen:#?}");
    assert!(
        seen[0].len() >= 3,
        "the statements are a reservation, a look-up and the count of the alarm: {seen:#?}"
    );
    for other in &seen[1..] {
        assert_eq!(&seen[0], other);
    }
    // The plans for a code that does not exist process the same rows with a prefix of a print run as with an unused prefix.
    let rows = rejected(&app, &ada, &bodies[0], true).await;
    assert_eq!(rows, rejected(&app, &ada, &bodies[1], true).await);
}
