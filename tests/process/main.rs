//! Tests of the service as a process: first start, restart, `kill -9`, a second process, several services on one database,
//! and stopping.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

mod attempts;
mod database_encoding;
mod database_wait;
mod drain;
#[path = "../environment/mod.rs"]
mod environment;
mod event_streams;
mod first_admin;
mod key_file;
mod ledger_history;
mod log_contents;
mod no_database;
mod restore;
mod scripts;
mod seed_data;
mod standard_output;
mod start;
mod two_services;

use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// The program, without settings of the developer's environment.
fn program() -> Command {
    environment::command(env!("CARGO_BIN_EXE_cardscape"))
}

/// A data directory that is deleted with the test.
struct Home(PathBuf);

impl Home {
    fn new() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("cardscape-process-")
            .permissions(std::fs::Permissions::from_mode(0o700))
            .tempdir()
            .unwrap();
        Self(folder.keep())
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = program();
        command.args(arguments).arg("--data-dir").arg(&self.0);
        command
    }

    fn serve(&self) -> Service {
        self.serve_with(&[])
    }

    fn serve_with(&self, more: &[&str]) -> Service {
        let mut child = self
            .command(&[
                "--log-format",
                "json",
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--attempt-factor",
                "1000",
            ])
            .args(more)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut base = None;
        let mut password = None;
        while let Some(Ok(line)) = lines.next() {
            if let Some(rest) = line.strip_prefix("Cardscape is ready: ") {
                base = Some(rest.to_owned());
            }
            password = line.strip_prefix("    ").map(str::to_owned).or(password);
            // If a password is printed, it comes directly after the addresses.
            if base.is_some() && (line.starts_with("    ") || self.was_started()) {
                break;
            }
        }
        let Some(base) = base else {
            let mut log = String::new();
            child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
            panic!("the service did not start: {log}");
        };
        self.mark_started();
        // The pipe must be read: otherwise it fills up and the service blocks on writing.
        let mut log = child.stderr.take().unwrap();
        let log = std::thread::spawn(move || {
            let mut text = String::new();
            let _ = log.read_to_string(&mut text);
            text
        });
        Service { child, base, password, log: Some(log) }
    }

    fn was_started(&self) -> bool {
        self.0.join("started").exists()
    }

    fn mark_started(&self) {
        std::fs::write(self.0.join("started"), "").unwrap();
    }

    fn postmaster(&self) -> Pid {
        let text = std::fs::read_to_string(self.0.join("postgres/postmaster.pid")).unwrap();
        Pid::from_raw(text.lines().next().unwrap().trim().parse().unwrap()).unwrap()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A running service, which is killed at the end of the test.
struct Service {
    child: Child,
    base: String,
    password: Option<String>,
    log: Option<std::thread::JoinHandle<String>>,
}

impl Service {
    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Stops the service with a signal, as an init system does, and returns its log.
    fn stop(mut self, signal: Signal) -> String {
        kill_process(self.pid(), signal).unwrap();
        let status = self.child.wait().unwrap();
        let log = self.log.take().unwrap().join().unwrap();
        assert!(status.success(), "{status}: {log}");
        log
    }

    async fn post(&self, path: &str, body: Value) -> Option<(u16, Value)> {
        let answer = reqwest::Client::new()
            .post(format!("{}{path}", self.base))
            .json(&body)
            .send()
            .await
            .ok()?;
        Some((answer.status().as_u16(), answer.json().await.ok()?))
    }

    async fn register(&self, name: &str) -> bool {
        let body = json!({ "name": name, "password": "tram window sonnet" });
        self.post("/v1/accounts", body).await.is_some_and(|(status, _)| status == 201)
    }

    async fn knows(&self, name: &str) -> bool {
        let body = json!({ "name": name, "password": "tram window sonnet" });
        self.post("/v1/sessions", body).await.is_some_and(|(status, _)| status == 201)
    }

    async fn is_ready(&self) -> bool {
        let answer = reqwest::get(format!("{}/readyz", self.base)).await;
        answer.is_ok_and(|answer| answer.status() == 200)
    }

    /// Registers players one after the other until a request fails or `enough` are acknowledged.
    async fn register_many(&self, prefix: &str, enough: usize) -> Vec<String> {
        let mut acknowledged = Vec::new();
        while acknowledged.len() < enough {
            let name = format!("{prefix} {}", acknowledged.len());
            if !self.register(&name).await {
                break;
            }
            acknowledged.push(name);
        }
        acknowledged
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// Time between two looks at what a test waits for, so that looking does not take the time of the service.
const PAUSE: Duration = Duration::from_millis(20);

async fn within(limit: Duration, what: &str, mut done: impl AsyncFnMut() -> bool) {
    let began = Instant::now();
    while !done().await {
        assert!(began.elapsed() < limit, "not within {limit:?}: {what}");
        tokio::time::sleep(PAUSE).await;
    }
}

#[tokio::test]
async fn the_first_start_shows_a_password_and_a_restart_keeps_all_data() {
    let home = Home::new();
    let service = home.serve();
    let password = service.password.clone().expect("the first start shows the admin's password");
    let login = json!({ "name": "admin", "password": password });
    let (status, _) = service.post("/v1/sessions", login.clone()).await.unwrap();
    assert_eq!(status, 201);
    assert!(service.register("ada").await);
    let log = service.stop(Signal::TERM);
    assert!(!log.contains(&password), "the password is not in the log");
    assert!(!log.contains("panicked"), "{log}");

    let service = home.serve();
    assert_eq!(service.password, None, "the password is shown only once");
    assert!(service.knows("ada").await);
    service.stop(Signal::INT);
}

#[tokio::test]
async fn after_kill_9_of_the_service_nothing_acknowledged_is_lost() {
    let home = Home::new();
    let service = home.serve();
    let pid = service.pid();
    let (acknowledged, ()) = tokio::join!(service.register_many("player", 1000), async {
        // Waits until the registrations are in progress.
        within(Duration::from_secs(20), "five players", async || service.knows("player 4").await)
            .await;
        kill_process(pid, Signal::KILL).unwrap();
    });
    assert!((5..1000).contains(&acknowledged.len()), "{}", acknowledged.len());
    service.kill();

    let began = Instant::now();
    let service = home.serve();
    within(Duration::from_secs(10), "ready again", async || service.is_ready().await).await;
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    for name in &acknowledged {
        assert!(service.knows(name).await, "{name} was acknowledged");
    }
    service.stop(Signal::TERM);
}

#[tokio::test]
async fn after_kill_9_of_postgres_the_service_restarts_it() {
    let home = Home::new();
    let service = home.serve();
    let acknowledged = service.register_many("player", 5).await;
    kill_process(home.postmaster(), Signal::KILL).unwrap();
    within(Duration::from_secs(10), "ready again", async || {
        service.is_ready().await && service.knows("player 0").await
    })
    .await;
    for name in &acknowledged {
        assert!(service.knows(name).await, "{name} was acknowledged");
    }
    assert!(service.register("late").await);
    service.stop(Signal::TERM);
}

#[tokio::test]
async fn after_kill_9_of_both_a_new_start_works() {
    let home = Home::new();
    let service = home.serve();
    let acknowledged = service.register_many("player", 3).await;
    let (postmaster, pid) = (home.postmaster(), service.pid());
    kill_process(postmaster, Signal::KILL).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    service.kill();
    let began = Instant::now();
    let service = home.serve();
    within(Duration::from_secs(10), "ready again", async || service.is_ready().await).await;
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    for name in &acknowledged {
        assert!(service.knows(name).await, "{name} was acknowledged");
    }
    service.stop(Signal::TERM);
}

#[tokio::test]
async fn a_second_service_on_the_same_data_directory_is_refused() {
    let home = Home::new();
    let service = home.serve();
    let second = home.command(&["serve", "--listen", "127.0.0.1:0"]).output().unwrap();
    assert_eq!(second.status.code(), Some(70), "{}", text(&second));
    assert!(text(&second).contains(&service.child.id().to_string()), "{}", text(&second));
    assert!(service.is_ready().await, "the first service is not affected");
    service.stop(Signal::TERM);
}

#[tokio::test]
async fn the_command_line_works_beside_a_running_service_and_without_one() {
    let home = Home::new();
    let service = home.serve();
    let created = home.command(&["admin", "create", "second admin"]).output().unwrap();
    assert!(created.status.success(), "{}", text(&created));
    let password = |output: &Output| {
        let text = text(output);
        text.lines().find_map(|line| line.strip_prefix("password: ")).unwrap().to_owned()
    };
    let login = |password: String| json!({ "name": "second admin", "password": password });
    assert_eq!(service.post("/v1/sessions", login(password(&created))).await.unwrap().0, 201);
    let again = home.command(&["admin", "create", "Second-Admin"]).output().unwrap();
    assert_eq!(again.status.code(), Some(1), "{}", text(&again));
    let unusable = home.command(&["admin", "create", "x"]).output().unwrap();
    assert_eq!(unusable.status.code(), Some(2), "{}", text(&unusable));
    let nobody = home.command(&["admin", "reset-password", "nobody at all"]).output().unwrap();
    assert_eq!(nobody.status.code(), Some(1), "{}", text(&nobody));
    for (name, why) in [("nobody at all", "no account"), ("second admin", "no second factor")] {
        let none = home.command(&["admin", "remove-second-factor", name]).output().unwrap();
        assert_eq!(none.status.code(), Some(1), "{}", text(&none));
        assert!(text(&none).contains(why), "{}", text(&none));
    }
    let no_url =
        home.command(&["migrate", "--database-url", "postgres//secret@here"]).output().unwrap();
    assert_eq!(no_url.status.code(), Some(2), "{}", text(&no_url));
    assert!(!text(&no_url).contains("secret"), "{}", text(&no_url));
    service.stop(Signal::TERM);

    let reset = home.command(&["admin", "reset-password", "second admin"]).output().unwrap();
    assert!(reset.status.success(), "{}", text(&reset));
    let migrated = home.command(&["migrate"]).output().unwrap();
    assert!(text(&migrated).contains("up to date"), "{}", text(&migrated));
    let service = home.serve();
    assert_eq!(service.post("/v1/sessions", login(password(&created))).await.unwrap().0, 401);
    assert_eq!(service.post("/v1/sessions", login(password(&reset))).await.unwrap().0, 201);
    service.stop(Signal::TERM);
    let server = std::fs::read_to_string(home.0.join("postgres.log")).unwrap();
    assert!(!server.contains("database \"cardscape\" already exists"), "{server}");
}

/// If a newer release contains more cards for a set that was printed, these are refused, but the service starts.
#[tokio::test]
async fn refused_seed_data_does_not_prevent_the_start() {
    let home = Home::new();
    home.serve().stop(Signal::TERM);
    let codes = home.0.join("codes.csv");
    let run = ["mint", "--game", "ttcg", "--set", "veil", "--copies-per-card", "1", "--out"];
    let minted = home.command(&[&run[..], &[codes.to_str().unwrap()]].concat()).output().unwrap();
    assert!(minted.status.success(), "{}", text(&minted));
    let folder = home.0.join("release");
    let ttcg = folder.join("games/ttcg");
    std::fs::create_dir_all(ttcg.join("sets")).unwrap();
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("seed-data/games/ttcg");
    std::fs::copy(source.join("game.toml"), ttcg.join("game.toml")).unwrap();
    let veil = std::fs::read_to_string(source.join("sets/veil.json")).unwrap();
    let mut veil: Value = serde_json::from_str(&veil).unwrap();
    let mut card = veil["cards"][0].clone();
    card["number"] = json!("999");
    card["name"] = json!("Latecomer");
    veil["cards"].as_array_mut().unwrap().push(card);
    std::fs::write(ttcg.join("sets/veil.json"), veil.to_string()).unwrap();

    // The effect texts of a refused game may be made for its refused cards.
    std::fs::create_dir_all(ttcg.join("effects")).unwrap();
    std::fs::write(ttcg.join("effects/all_effect_templates.txt"), "Arrive late.\n").unwrap();

    let service = home.serve_with(&["--seed-data", folder.to_str().unwrap()]);
    assert!(service.is_ready().await);
    let path = format!("{}/v1/games/ttcg/effect-templates", service.base);
    let templates = reqwest::get(path).await.unwrap().text().await.unwrap();
    assert!(!templates.contains("Arrive late."), "{templates}");
    let log = service.stop(Signal::TERM);
    assert!(log.contains("seed data refused") && log.contains("card 999 is new"), "{log}");
}

/// A file in another encoding is reported as any other fault of the seed data.
#[tokio::test]
async fn seed_data_that_is_not_utf_8_does_not_prevent_the_start() {
    let home = Home::new();
    home.serve().stop(Signal::TERM);
    let folder = emojito_with_lore(&home, "latin", "Nobody saw this coming.");
    let sets = folder.join("games/emojito/sets");
    std::fs::write(sets.join("latin.json"), b"{\n  \"name\": \"Caf\xE9\"\n}").unwrap();
    let service = home.serve_with(&["--seed-data", folder.to_str().unwrap()]);
    assert!(service.is_ready().await);
    // Nothing of the folder is loaded, its effect texts included.
    let path = format!("{}/v1/games/emojito/effect-templates", service.base);
    assert_eq!(reqwest::get(path).await.unwrap().status(), 404);
    let log = service.stop(Signal::TERM);
    assert!(log.contains("seed data refused") && log.contains("latin.json:2:15"), "{log}");
}

/// A folder with the set of Emojito!, whose first card has this background text. The text is also a template of effect texts.
fn emojito_with_lore(home: &Home, name: &str, lore: &str) -> PathBuf {
    let folder = home.0.join(name);
    let emojito = folder.join("games/emojito");
    std::fs::create_dir_all(emojito.join("sets")).unwrap();
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("seed-data/games/emojito");
    std::fs::copy(source.join("game.toml"), emojito.join("game.toml")).unwrap();
    let set = std::fs::read_to_string(source.join("sets/box.json")).unwrap();
    let mut set: Value = serde_json::from_str(&set).unwrap();
    set["cards"][0]["lore"] = json!(lore);
    std::fs::write(emojito.join("sets/box.json"), set.to_string()).unwrap();
    std::fs::create_dir_all(emojito.join("effects")).unwrap();
    std::fs::write(emojito.join("effects/all_effect_templates.txt"), format!("{lore}\n")).unwrap();
    folder
}

/// Changes by users are kept at a restart, as long as the seed data does not change.
#[tokio::test]
async fn a_restart_does_not_undo_changes() {
    let home = Home::new();
    let lore = async |service: &Service| {
        let cards = reqwest::get(format!("{}/v1/cards?game=emojito&limit=1", service.base)).await;
        let cards = cards.unwrap().json::<Value>().await.unwrap();
        cards["data"][0]["lore"].clone()
    };
    let template = async |service: &Service| {
        let path = format!("{}/v1/games/emojito/effect-templates", service.base);
        let templates = reqwest::get(path).await.unwrap().json::<Value>().await.unwrap();
        templates["data"][0]["template"].clone()
    };
    let service = home.serve();
    assert_eq!(lore(&service).await, Value::Null);
    assert_eq!(template(&service).await, Value::Null);
    service.stop(Signal::TERM);
    let folder = emojito_with_lore(&home, "changed", "Nobody saw this coming.");
    let seeded = home.command(&["seed", folder.to_str().unwrap()]).output().unwrap();
    assert!(seeded.status.success(), "{}", text(&seeded));
    for _ in 0..2 {
        let service = home.serve();
        assert_eq!(lore(&service).await, "Nobody saw this coming.");
        assert_eq!(template(&service).await, "Nobody saw this coming.");
        service.stop(Signal::TERM);
    }
    let release = emojito_with_lore(&home, "release", "Everybody did.");
    let service = home.serve_with(&["--seed-data", release.to_str().unwrap()]);
    assert_eq!(lore(&service).await, "Everybody did.");
    assert_eq!(template(&service).await, "Everybody did.");
    service.stop(Signal::TERM);
    // `cardscape seed` changes the template. A start with seed data that an earlier start has loaded does not undo this.
    let seeded = home.command(&["seed", folder.to_str().unwrap()]).output().unwrap();
    assert!(text(&seeded).contains("emojito: 1 templates"), "{}", text(&seeded));
    let service = home.serve_with(&["--seed-data", release.to_str().unwrap()]);
    assert_eq!(template(&service).await, "Nobody saw this coming.");
    service.stop(Signal::TERM);
}

/// A changed set file replaces its own set only: neither the manifest nor another set.
#[tokio::test]
async fn a_changed_set_file_does_not_undo_changes_of_the_manifest_and_of_other_sets() {
    let home = Home::new();
    let folder = |name: &str, lore: &str, lore_of_more: &str, description: &str| {
        let folder = emojito_with_lore(&home, name, lore);
        let emojito = folder.join("games/emojito");
        let set = std::fs::read_to_string(emojito.join("sets/box.json")).unwrap();
        let mut card = serde_json::from_str::<Value>(&set).unwrap()["cards"][0].clone();
        card["name"] = json!("Somebody new");
        card["lore"] = json!(lore_of_more);
        let more = json!({ "code": "more", "name": "More", "cards": [card] });
        std::fs::write(emojito.join("sets/more.json"), more.to_string()).unwrap();
        let manifest = std::fs::read_to_string(emojito.join("game.toml")).unwrap();
        let manifest = manifest.replace("Players act emotions", description);
        std::fs::write(emojito.join("game.toml"), manifest).unwrap();
        folder
    };
    let stored = async |service: &Service| {
        let read = async |path: &str| {
            let response = reqwest::get(format!("{}{path}", service.base)).await.unwrap();
            response.json::<Value>().await.unwrap()
        };
        let lore = async |set: &str| {
            let path = format!("/v1/cards?game=emojito&set={set}&limit=1");
            read(&path).await["data"][0]["lore"].as_str().unwrap().to_owned()
        };
        let game = read("/v1/games/emojito").await;
        let description = game["description"].as_str().unwrap();
        let description = description.split_once(" with").unwrap().0.to_owned();
        [lore("box").await, lore("more").await, description]
    };
    let start = |folder: &Path| home.serve_with(&["--seed-data", folder.to_str().unwrap()]);

    let first = folder("first", "Old.", "Old.", "Players act emotions");
    start(&first).stop(Signal::TERM);
    let edited = folder("edited", "Old.", "Edited.", "Players show emotions");
    let seeded = home.command(&["seed", edited.to_str().unwrap()]).output().unwrap();
    assert!(seeded.status.success(), "{}", text(&seeded));
    let release = folder("release", "New.", "Old.", "Players act emotions");
    let service = start(&release);
    assert_eq!(stored(&service).await, ["New.", "Edited.", "Players show emotions"]);
    let log = service.stop(Signal::TERM);
    assert!(log.contains("seed data loaded") && log.contains("the stored manifest stays"), "{log}");

    let service = start(&folder("next", "New.", "Old.", "Players feel emotions"));
    assert_eq!(stored(&service).await, ["New.", "Old.", "Players feel emotions"]);
    service.stop(Signal::TERM);
}

/// The running service builds its bulk files itself: at the start, and after changes.
#[tokio::test]
async fn bulk_files_are_rebuilt_after_changes_of_the_catalogue() {
    let home = Home::new();
    // The test polls without pauses, so the rate limits must be high.
    let often = ["--requests-per-second", "1000000", "--request-burst", "1000000"];
    let service = home.serve_with(&[&["--bulk-interval", "1"][..], &often].concat());
    let url = format!("{}/v1/bulk-files", service.base);
    let list = async || reqwest::get(&url).await.unwrap().json::<Value>().await.unwrap();
    let lore = async || {
        let packed = reqwest::get(format!("{url}/emojito-cards.ndjson.gz")).await.unwrap();
        let packed = packed.bytes().await.unwrap();
        let mut text = String::new();
        flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut text).unwrap();
        text.contains("Nobody saw this coming.")
    };
    // Cards, printings and public decks.
    within(Duration::from_mins(1), "files of every game", async || {
        let games = reqwest::get(format!("{}/v1/games", service.base)).await.unwrap();
        let games = games.json::<Value>().await.unwrap()["data"].as_array().unwrap().len();
        list().await["data"].as_array().unwrap().len() == 3 * games
    })
    .await;
    assert!(!lore().await);

    let folder = emojito_with_lore(&home, "more", "Nobody saw this coming.");
    let seeded = home.command(&["seed", folder.to_str().unwrap()]).output().unwrap();
    assert!(seeded.status.success(), "{}", text(&seeded));
    within(Duration::from_secs(30), "the change in the file", lore).await;
    let metrics = reqwest::get(format!("{}/metrics", service.base)).await.unwrap();
    let metrics = metrics.text().await.unwrap();
    for metric in ["bulk_build_seconds", "bulk_file_bytes{name=\"emojito-cards.ndjson.gz\"}"] {
        assert!(metrics.contains(metric), "{metric}");
    }
    let log = service.stop(Signal::TERM);
    assert!(log.contains("bulk file built"), "{log}");
}

/// A request that has begun is completed after SIGTERM.
#[tokio::test]
async fn a_stopping_service_completes_requests_that_have_begun() {
    let home = Home::new();
    let service = home.serve();
    let address = service.base.trim_start_matches("http://").to_owned();
    let body = json!({ "name": "on the train", "password": "tram window sonnet" }).to_string();
    let (first_half, second_half) = body.split_at(body.len() / 2);
    let head = format!(
        "POST /v1/accounts HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let mut connection = tokio::net::TcpStream::connect(&address).await.unwrap();
    connection.write_all(head.as_bytes()).await.unwrap();
    connection.write_all(first_half.as_bytes()).await.unwrap();
    // When a request that was sent later is answered, the first one has begun.
    assert!(service.is_ready().await);
    kill_process(service.pid(), Signal::TERM).unwrap();
    within(Duration::from_secs(5), "no new connections", async || {
        tokio::net::TcpStream::connect(&address).await.is_err()
    })
    .await;
    connection.write_all(second_half.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let _ = connection.read_to_string(&mut answer).await;
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    drop(service);
    let service = home.serve();
    assert!(service.knows("on the train").await);
    service.stop(Signal::TERM);
}

/// Background jobs end before the private Postgres, which would break off what they do there: here, a job that is in the middle of a statement when the service stops.
#[tokio::test]
async fn a_stop_breaks_no_job_off() {
    let home = Home::new();
    let service = home.serve_with(&["--drain-delay", "0"]);
    assert!(service.is_ready().await);
    let socket = home.0.join("run");
    let address = format!("host={} user=cardscape dbname=cardscape", socket.display());
    let (lock, driver) = tokio_postgres::connect(&address, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(driver);
    // The job that performs unlocks reads this table every few seconds, and logs a failure also while the service stops.
    let lock_table = "BEGIN; LOCK TABLE unlock_policies IN ACCESS EXCLUSIVE MODE";
    lock.batch_execute(lock_table).await.unwrap();
    let waiting = "SELECT count(*) FROM pg_locks WHERE relation = 'unlock_policies'::regclass AND NOT granted";
    within(Duration::from_mins(1), "a job waits for the table", async || {
        lock.query_one(waiting, &[]).await.unwrap().get::<_, i64>(0) > 0
    })
    .await;
    let log = service.stop(Signal::TERM);
    assert!(log.contains("\"stopped\""), "{log}");
    // Postgres is stopped after all connections have ended, so that none is broken off.
    let broken_off = [
        "a connection to the database has ended",
        "terminating connection",
        "database unavailable",
        "could not",
        "cannot unlock",
    ];
    // A busy machine may have slowed the service down before.
    let (_, stop) = log.split_once("stopping: finishing").expect("the stop is logged");
    for message in broken_off {
        let failure = stop.lines().find(|line| line.contains(message));
        assert_eq!(failure, None, "{message}: {log}");
    }
}

/// Also after many requests at once, when every worker and job has connections.
#[tokio::test]
async fn a_stop_breaks_no_connection_off() {
    let home = Home::new();
    let service = home.serve_with(&["--drain-delay", "0"]);
    let client = reqwest::Client::new();
    let paths = ["/v1/games", "/v1/cards?q=draw", "/v1/public-decks", "/readyz"];
    let reads = (0..40).map(|at| client.get(format!("{}{}", service.base, paths[at % 4])).send());
    for answer in futures_util::future::join_all(reads).await {
        assert_eq!(answer.unwrap().status(), 200);
    }
    let log = service.stop(Signal::TERM);
    assert!(!log.contains("a connection to the database has ended"), "{log}");
    let server = std::fs::read_to_string(home.0.join("postgres.log")).unwrap();
    assert!(!server.contains("terminating connection"), "{server}");
}

/// A load balancer must be able to see that this instance stops before the port is closed.
#[tokio::test]
async fn a_stopping_service_is_not_ready_before_its_port_closes() {
    let home = Home::new();
    let service = home.serve_with(&["--drain-delay", "0"]);
    let client = reqwest::Client::builder().pool_max_idle_per_host(0).build().unwrap();
    let ready = async || {
        let answer = client.get(format!("{}/readyz", service.base)).send().await;
        answer.ok().map(|answer| answer.status().as_u16())
    };
    assert_eq!(ready().await, Some(200));
    kill_process(service.pid(), Signal::TERM).unwrap();
    let mut statuses = Vec::new();
    within(Duration::from_secs(30), "the port closes", async || {
        let status = ready().await;
        statuses.extend(status);
        status.is_none()
    })
    .await;
    assert!(statuses.contains(&503), "{statuses:?}");
}

/// Clients can send arbitrary methods and paths: these must not make the log or the memory grow without limit.
#[tokio::test]
async fn invented_methods_and_paths_do_not_fill_log_or_memory() {
    let home = Home::new();
    let service =
        home.serve_with(&["--requests-per-second", "100000", "--request-burst", "100000"]);
    let address = service.base.trim_start_matches("http://").to_owned();
    let send = async |method: String, path: String| {
        let mut connection = tokio::net::TcpStream::connect(&address).await.unwrap();
        let head = format!("{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        connection.write_all(head.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let _ = connection.read_to_end(&mut answer).await;
        assert!(answer.starts_with(b"HTTP/1.1 4"), "{}", String::from_utf8_lossy(&answer));
    };
    let memory = || {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", service.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
    };
    let some = async |from: u32, to: u32| {
        for n in from..to {
            send(format!("METHOD{n}{}", "X".repeat(100_000)), "/v1/cards".to_owned()).await;
            send(format!("MADEUP{n}"), "/v1/cards".to_owned()).await;
            send("GET".to_owned(), format!("/nowhere/{n}{}", "p".repeat(60_000))).await;
        }
    };
    some(0, 30).await;
    let before = memory();
    some(30, 330).await;
    let after = memory();
    assert!(after < before + 12, "{before} MiB before, {after} after");
    let log = service.stop(Signal::TERM);
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("\"answered\"")).collect();
    assert_eq!(lines.len(), 3 * 330);
    assert!(
        lines.iter().all(|line| line.len() < 1_000),
        "{}",
        lines.iter().max_by_key(|line| line.len()).unwrap()
    );
    assert!(lines[0].contains("\"method\":\"OTHER\"") && !log.contains("MADEUP"), "{}", lines[0]);
}

/// If the database server refuses a connection, the error gives the reason. A server that accepts connections but does not
/// answer must not prevent the service from stopping: the first process of a container has no default action for signals,
/// and would have to be killed.
#[test]
fn a_service_stops_while_its_database_does_not_answer() {
    let home = Home::new();
    let keys = home.0.join("keys.json");
    let keys = keys.to_str().unwrap();
    let generated = program().args(["keys", "generate", keys]).output().unwrap();
    assert!(generated.status.success(), "{}", text(&generated));

    // No server listens on port 1.
    let refused = home
        .command(&[
            "serve",
            "--database-url",
            "postgres://someone@127.0.0.1:1/x",
            "--keys-file",
            keys,
            "--database-wait",
            "0",
        ])
        .output()
        .unwrap();
    assert!(text(&refused).contains("Connection refused"), "{}", text(&refused));

    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgres://someone@{}/x", silent.local_addr().unwrap());
    let mut child = home
        .command(&["serve", "--listen", "127.0.0.1:0", "--database-url", &url, "--keys-file", keys])
        .spawn()
        .unwrap();
    let (mut connection, _) = silent.accept().unwrap();
    // After its first packet, the service waits for an answer.
    connection.read_exact(&mut [0; 8]).unwrap();
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let signalled_at = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break Some(status);
        }
        if signalled_at.elapsed() > Duration::from_secs(5) {
            child.kill().unwrap();
            child.wait().unwrap();
            break None;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(status.is_some_and(|status| status.success()), "{status:?}");
}

/// Runs the tour of the README, which starts a service itself.
#[test]
fn the_tour_of_the_readme_succeeds() {
    let tour =
        PathBuf::from(env!("CARGO_BIN_EXE_cardscape")).with_file_name("examples").join("tour");
    // No server listens on this port, so the tour starts its own service.
    let output =
        environment::command(tour).env("CARDSCAPE_URL", "http://127.0.0.1:9").output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    assert!(text(&output).contains("everything went as expected"));
}

#[test]
fn help_is_printed_and_wrong_usage_exits_with_2() {
    let run = |arguments: &[&str]| program().args(arguments).output().unwrap();
    let help = run(&["--help"]);
    assert!(help.status.success());
    for subcommand in ["serve", "migrate", "seed", "admin", "mint", "openapi", "deck", "keys"] {
        let help = text(&help);
        let listed = help.lines().any(|line| line.split_whitespace().next() == Some(subcommand));
        assert!(listed, "{subcommand}");
        assert!(run(&[subcommand, "--help"]).status.success(), "{subcommand}");
    }
    assert_eq!(run(&["serve", "--listen", "nowhere"]).status.code(), Some(2));
    assert_eq!(run(&["juggle"]).status.code(), Some(2));
    let own_server = run(&["serve", "--database-url", "postgres://localhost:1/x"]);
    assert_eq!(own_server.status.code(), Some(2));
    assert!(text(&own_server).contains("keys generate"), "{}", text(&own_server));
}

/// The documented limit in docs/OPERATIONS.md is workers × (pool size + 1) + search connections + 18. Not all background jobs connect in this short run, so the
/// bound here is stricter.
#[tokio::test]
async fn the_service_opens_no_more_connections_than_documented() {
    let home = Home::new();
    let service = home.serve_with(&[
        "--workers",
        "2",
        "--pool-size",
        "2",
        "--search-connections",
        "1",
        "--bulk-interval",
        "4",
    ]);
    let most = 2 * (2 + 1) + 1 + 15;
    let socket = home.0.join("run");
    let address = format!("host={} user=cardscape dbname=cardscape", socket.display());
    let session = async || {
        let connected = tokio_postgres::connect(&address, tokio_postgres::NoTls).await;
        let (client, driver) = connected.unwrap();
        tokio::spawn(driver);
        client
    };
    let (locks, looks) = (session().await, session().await);
    // The locks make all requests wait, so that every pool grows to its limit.
    let lock = "BEGIN; LOCK TABLE cards, card_content, accounts, sessions IN ACCESS EXCLUSIVE MODE";
    locks.batch_execute(lock).await.unwrap();
    let paths = [
        "/v1/cards",
        "/v1/cards/019a0000-0000-7000-8000-000000000000",
        "/v1/cards/autocomplete?q=ket",
    ];
    let requests = (0..90).map(|at| reqwest::get(format!("{}{}", service.base, paths[at % 3])));
    let requests = tokio::spawn(futures_util::future::join_all(requests.collect::<Vec<_>>()));
    let mut open = 0;
    let until = Instant::now() + Duration::from_secs(3);
    while Instant::now() < until {
        let count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'cardscape'";
        open = open.max(looks.query_one(count, &[]).await.unwrap().get::<_, i64>(0));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    locks.batch_execute("COMMIT").await.unwrap();
    requests.await.unwrap();
    assert!((2 * (2 + 1) + 1..=most).contains(&open), "{open} connections, at most {most}");
    service.stop(Signal::TERM);
}
