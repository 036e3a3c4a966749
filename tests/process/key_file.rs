//! Problems with the key file: it was lost, it belongs to another installation, or the first start was killed.

use std::path::Path;

use super::*;

/// Runs a command that must fail, and returns its message.
fn refusal(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(70), "{}", text(&output));
    text(&output)
}

fn success(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    text(&output)
}

impl Home {
    fn keys(&self) -> PathBuf {
        self.0.join("keys.json")
    }

    fn mint(&self, out: &str) -> Command {
        self.mint_copies("1", out)
    }

    fn mint_copies(&self, copies_per_card: &str, out: &str) -> Command {
        let out = self.0.join(out);
        let run = ["mint", "--game", "ttcg", "--set", "veil", "--copies-per-card", copies_per_card];
        self.command(&[&run[..], &["--out", out.to_str().unwrap()]].concat())
    }

    /// The URL of the private Postgres of a running service, as for an external database.
    pub(super) fn url(&self) -> String {
        let run = self.0.join("run").canonicalize().unwrap();
        let run = run.to_str().unwrap().replace('/', "%2F");
        format!("postgres:///cardscape?host={run}&user=cardscape")
    }

    /// A command for the database of another home's service, with a key file of this home.
    fn command_on(&self, other: &Home, keys: &Path, arguments: &[&str]) -> Command {
        let mut command = self.command(arguments);
        command.args(["--database-url", &other.url(), "--keys-file", keys.to_str().unwrap()]);
        command
    }

    pub(super) async fn query(&self, query: &str) -> String {
        let run = self.0.join("run").canonicalize().unwrap();
        let config = format!("host={} user=cardscape dbname=cardscape", run.display());
        let (client, connection) =
            tokio_postgres::connect(&config, tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        let rows = client.simple_query(query).await.unwrap();
        rows.into_iter()
            .find_map(|message| match message {
                tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
                _ => None,
            })
            .unwrap_or_default()
    }
}

const SERVE: [&str; 3] = ["serve", "--listen", "127.0.0.1:0"];

#[tokio::test]
async fn without_its_key_file_a_service_does_not_start_until_the_keys_are_replaced() {
    let home = Home::new();
    home.serve().stop(Signal::TERM);
    success(home.mint("first.csv"));
    let codes = std::fs::read_to_string(home.0.join("first.csv")).unwrap().lines().count() - 1;
    let old = std::fs::read(home.keys()).unwrap();
    std::fs::remove_file(home.keys()).unwrap();
    for command in [home.command(&SERVE), home.mint("second.csv")] {
        let message = refusal(command);
        assert!(message.contains("keys.json is missing"), "{message}");
        assert!(
            message.contains(&format!("none of the {codes} serial codes of a print run")),
            "{message}"
        );
        assert!(message.contains("keys replace-lost"), "{message}");
        assert!(!home.keys().exists(), "no key file is created without a message");
    }
    assert!(!home.0.join("second.csv").exists(), "no codes are printed without the key file");
    // Commands that need no keys still work.
    success(home.command(&["admin", "reset-password", "admin"]));

    let message = success(home.command(&["keys", "replace-lost"]));
    assert!(
        message.contains(&format!("none of the {codes} serial codes of a print run")),
        "{message}"
    );
    let new = std::fs::read(home.keys()).unwrap();
    assert_ne!(old, new);
    let service = home.serve();
    assert!(service.register("ada").await);
    service.stop(Signal::TERM);
    let message = success(home.command(&["keys", "replace-lost"]));
    assert!(message.contains("Nothing is lost"), "{message}");
    assert_eq!(std::fs::read(home.keys()).unwrap(), new);

    // The old file is restored. Its keys do not belong to the database any more.
    std::fs::write(home.keys(), &old).unwrap();
    let message = refusal(home.command(&SERVE));
    assert!(message.contains("does not belong to this database"), "{message}");
    assert_eq!(std::fs::read(home.keys()).unwrap(), old, "nothing is overwritten");
    // With the keys of both files, codes that were printed with either can be checked.
    let [mut both, old] = [&new, &old].map(|ring| serde_json::from_slice::<Value>(ring).unwrap());
    let serials = both["serials"].as_array_mut().unwrap();
    serials.push(old["serials"][0].clone());
    std::fs::write(home.keys(), both.to_string()).unwrap();
    home.serve().stop(Signal::TERM);
}

type IsReached = fn(&Home) -> bool;

/// A first start may be killed at any time: if the keys exist they are kept, otherwise the next start creates them.
#[tokio::test]
async fn a_first_start_that_is_killed_recovers_by_itself() {
    let moments: [(&str, IsReached); 4] = [
        ("before the cluster", |home| home.0.join("postgres.unfinished").exists()),
        ("before the keys", |home| home.0.join("postgres").exists()),
        ("while Postgres starts", |home| home.0.join("postgres/postmaster.pid").exists()),
        ("with the keys", |home| home.keys().exists()),
    ];
    for (moment, is_reached) in moments {
        let home = Home::new();
        let mut child =
            home.command(&SERVE).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let began = Instant::now();
        while !is_reached(&home) {
            assert!(began.elapsed() < Duration::from_mins(1), "{moment}");
            // The moments are short.
            std::thread::sleep(Duration::from_millis(1));
        }
        kill_process(Pid::from_child(&child), Signal::KILL).unwrap();
        child.wait().unwrap();
        let keys = std::fs::read(home.keys()).ok();
        let service = home.serve();
        assert!(service.is_ready().await, "{moment}");
        let now = std::fs::read(home.keys()).unwrap();
        assert!(
            keys.is_none_or(|keys| keys == now),
            "{moment}: the next start must not replace the keys"
        );
        assert_eq!(home.query("SELECT count(*) FROM key_fingerprints").await, "2", "{moment}");
        service.stop(Signal::TERM);
    }
}

/// Commands that need no keys may run before the first start.
#[tokio::test]
async fn the_first_start_creates_keys_for_a_database_without_keys() {
    let home = Home::new();
    success(home.command(&["migrate"]));
    success(home.command(&["admin", "create", "early bird"]));
    assert!(!home.keys().exists());
    home.mark_started();
    let service = home.serve();
    assert!(service.is_ready().await && home.keys().exists());
    service.stop(Signal::TERM);
}

#[tokio::test]
async fn an_instance_with_other_keys_on_the_same_database_is_refused() {
    let (home, other) = (Home::new(), Home::new());
    let service = home.serve();
    let foreign = other.keys();
    let missing = refusal(other.command_on(&home, &foreign, &SERVE));
    assert!(missing.contains("is missing") && missing.contains("backup"), "{missing}");
    assert!(!foreign.exists());
    success({
        let mut generate = program();
        generate.args(["keys", "generate"]).arg(&foreign);
        generate
    });
    let message = refusal(other.command_on(&home, &foreign, &SERVE));
    assert!(message.contains("does not belong to this database"), "{message}");
    assert!(message.contains("in `lookups`") && message.contains("in `serials`"), "{message}");
    // Keys with the same names but another secret: the file was edited or damaged.
    let mut forged: Value = serde_json::from_slice(&std::fs::read(home.keys()).unwrap()).unwrap();
    let generated: Value = serde_json::from_slice(&std::fs::read(&foreign).unwrap()).unwrap();
    forged["serials"][0]["secret"] = generated["serials"][0]["secret"].clone();
    std::fs::write(&foreign, forged.to_string()).unwrap();
    let message = refusal(other.command_on(&home, &foreign, &SERVE));
    assert!(message.contains("another secret") && !message.contains("in `lookups`"), "{message}");
    let secret = forged["lookups"]["secret"].as_str().unwrap();
    assert!(
        !message.contains(secret)
            && !message.contains(generated["serials"][0]["secret"].as_str().unwrap())
    );
    // While the service of this home is running, a lost key file is not replaced.
    let message = refusal(home.command(&["keys", "replace-lost"]));
    assert!(message.contains("already in use") && message.contains("--data-dir"), "{message}");

    std::fs::copy(home.keys(), &foreign).unwrap();
    let url = home.url();
    other.mark_started();
    let options = ["--database-url", &url, "--keys-file", foreign.to_str().unwrap()];
    let second = other.serve_with(&options);
    assert!(service.register("ada").await && second.knows("ada").await);
    second.stop(Signal::TERM);
    service.stop(Signal::TERM);
}

/// The database of an older version, which did not record its keys: the keys are known from the print runs.
#[tokio::test]
async fn an_older_database_knows_the_keys_of_its_print_runs() {
    let home = Home::new();
    let service = home.serve();
    success(home.mint("codes.csv"));
    home.query("DELETE FROM key_fingerprints").await;
    service.stop(Signal::TERM);
    let own = std::fs::read(home.keys()).unwrap();
    std::fs::remove_file(home.keys()).unwrap();
    let message = refusal(home.command(&SERVE));
    assert!(message.contains("is missing"), "{message}");
    success({
        let mut generate = program();
        generate.args(["keys", "generate"]).arg(home.keys());
        generate
    });
    let message = refusal(home.command(&SERVE));
    assert!(message.contains("does not belong to this database"), "{message}");
    std::fs::write(home.keys(), own).unwrap();
    let service = home.serve();
    assert_eq!(home.query("SELECT count(*) FROM key_fingerprints").await, "2");
    service.stop(Signal::TERM);
}

/// An operator decides on this message, so it names only what depends on the key that is missing.
#[tokio::test]
async fn a_missing_key_costs_only_what_was_made_with_it() {
    let home = Home::new();
    home.serve().stop(Signal::TERM);
    let codes =
        |file: &str| std::fs::read_to_string(home.0.join(file)).unwrap().lines().count() - 1;
    success(home.mint_copies("2", "first.csv"));
    let first: Value = serde_json::from_slice(&std::fs::read(home.keys()).unwrap()).unwrap();
    let fresh = home.0.join("fresh.json");
    success({
        let mut generate = program();
        generate.args(["keys", "generate"]).arg(&fresh);
        generate
    });
    let fresh: Value = serde_json::from_slice(&std::fs::read(&fresh).unwrap()).unwrap();
    let mut both = first.clone();
    both["serials"].as_array_mut().unwrap().insert(0, fresh["serials"][0].clone());
    std::fs::write(home.keys(), both.to_string()).unwrap();
    success(home.mint("second.csv"));
    assert_ne!(codes("first.csv"), codes("second.csv"));

    let loss = format!(
        "none of the {} serial codes of a print run can ever be checked again.",
        codes("second.csv")
    );
    std::fs::write(home.keys(), first.to_string()).unwrap();
    let message = refusal(home.command(&SERVE));
    assert!(message.contains(&format!("With this one {loss}")), "{message}");
    let mut without_lookups = both.clone();
    without_lookups["lookups"] = fresh["lookups"].clone();
    std::fs::write(home.keys(), without_lookups.to_string()).unwrap();
    let message = refusal(home.command(&SERVE));
    assert!(message.contains("With this one attempt limits start afresh. Only"), "{message}");
    std::fs::write(home.keys(), first.to_string()).unwrap();
    let message = success(home.command(&["keys", "replace-lost"]));
    assert!(message.contains(&format!("With these keys {loss}")), "{message}");
    home.serve().stop(Signal::TERM);
}
