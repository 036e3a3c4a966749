//! The main job, played against a running service: `make tour`.
//!
//! Five players unlock a hidden card together, four of them and a thief do things wrong on the way; one of them designs a card, which is released into a
//! hidden set and unlocked; a deck is pasted, mended, shared and copied; and decks of every game are judged. Every request and answer is printed; any answer that is not the expected one ends the tour with exit code 1.
//!
//! It plays against the service at `CARDSCAPE_URL` (default `http://127.0.0.1:8080`, as `make run` starts it) as long as that
//! has a hidden card of the sample set left; otherwise against one of its own in a temporary folder. It makes its own admin
//! and players, so that it can run any number of times.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    reason = "a program that talks, and ends when it cannot go on"
)]

mod decks;
mod designs;
#[path = "../../tests/environment/mod.rs"]
mod environment;

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use reqwest::Method;
use serde_json::{Value, json};

const PASSWORD: &str = "tram window sonnet";

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let url = std::env::var("CARDSCAPE_URL").unwrap_or_else(|_| "http://127.0.0.1:8080".to_owned());
    let running = Tour::at(url, None);
    let tour = if running.has_hidden_card().await {
        running
    } else {
        println!(
            "# No service with a hidden sample card at {}: starting one of our own.\n",
            running.base
        );
        Tour::with_own_service()
    };
    tour.play().await;
}

struct Tour {
    base: String,
    client: reqwest::Client,
    /// Marks what this tour makes, so that tours never meet.
    mark: String,
    own: Option<OwnService>,
}

/// A service in a temporary folder, gone with the tour.
struct OwnService {
    child: Child,
    folder: PathBuf,
}

impl OwnService {
    fn stop(&self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
    }
}

impl Drop for OwnService {
    fn drop(&mut self) {
        self.stop();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

struct Person {
    name: String,
    token: String,
}

/// One code of the print file.
struct Printed {
    serial: String,
    number: String,
}

/// The program beside this example.
fn binary() -> PathBuf {
    let example = std::env::current_exe().unwrap();
    example.parent().and_then(Path::parent).unwrap().join("cardscape")
}

fn seed_data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("seed-data")
}

impl Tour {
    fn at(base: String, own: Option<OwnService>) -> Self {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        // Commands take seconds and block the only thread: nobody would see that the service has closed a connection meanwhile, and the next request would fail on it.
        let client = reqwest::Client::builder().pool_max_idle_per_host(0).build().unwrap();
        Self { base, client, mark: format!("{:x}", now.as_millis() % 0x1_0000_0000), own }
    }

    fn with_own_service() -> Self {
        let folder = tempfile::Builder::new().prefix("cardscape-tour-").tempdir().unwrap().keep();
        let mut child = environment::command(binary())
            .args(["--log", "warn", "serve", "--listen", "127.0.0.1:0", "--data-dir"])
            .arg(&folder)
            .arg("--seed-data")
            .arg(seed_data())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program was built (make tour)");
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let ready = lines
            .into_iter()
            .find_map(|line| line.strip_prefix("Cardscape is ready: ").map(str::to_owned));
        let own = OwnService { child, folder };
        Self::at(ready.expect("the service starts"), Some(own))
    }

    async fn has_hidden_card(&self) -> bool {
        let hidden = self
            .client
            .get(format!("{}/v1/cards?game=ttcg&set=veil&hidden=true&limit=200", self.base));
        let Ok(answer) = hidden.send().await else { return false };
        answer.json::<Value>().await.is_ok_and(|page| find_sample_card(&page).is_some())
    }

    /// Sends a request, prints it and its answer, and ends the tour if the status is not the expected one.
    async fn call(
        &self,
        who: Option<&Person>,
        method: Method,
        path: &str,
        body: Option<Value>,
        expected: u16,
    ) -> Value {
        self.send(
            who,
            self.client.request(method.clone(), format!("{}{path}", self.base)),
            (&method, path),
            body,
            expected,
        )
        .await
    }

    /// The same for a step that names the version that it is about: any.
    async fn step(&self, who: &Person, path: &str) -> Value {
        let request = self.client.post(format!("{}{path}", self.base)).header("if-match", "*");
        self.send(Some(who), request, (&Method::POST, path), None, 200).await
    }

    async fn send(
        &self,
        who: Option<&Person>,
        mut request: reqwest::RequestBuilder,
        (method, path): (&Method, &str),
        body: Option<Value>,
        expected: u16,
    ) -> Value {
        let name = who.map_or("a stranger", |person| &person.name);
        println!("> {method} {path}    ({name})");
        if let Some(person) = who {
            request = request.bearer_auth(&person.token);
        }
        if let Some(body) = body {
            println!("> {body}");
            request = request.json(&body);
        }
        let answer = request.send().await.expect("the service answers");
        let status = answer.status().as_u16();
        let text = answer.text().await.unwrap();
        let value: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
        print_answer(status, &value);
        if status != expected {
            self.give_up(&format!("expected {expected}"));
        }
        value
    }

    /// Ends the tour with exit code 1.
    fn give_up(&self, why: &str) -> ! {
        println!("! {why}");
        if let Some(own) = &self.own {
            own.stop();
        }
        std::process::exit(1)
    }

    async fn get(&self, who: Option<&Person>, path: &str) -> Value {
        self.call(who, Method::GET, path, None, 200).await
    }

    fn cardscape(&self, arguments: &[&str]) -> String {
        println!("$ cardscape {}", arguments.join(" "));
        // The commands for a service that was running already need the same settings as that one.
        let mut command = match &self.own {
            Some(_) => environment::command(binary()),
            None => Command::new(binary()),
        };
        command.args(["--log", "warn"]).args(arguments);
        if let Some(own) = &self.own {
            command.arg("--data-dir").arg(&own.folder);
        }
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        print!("{text}{}", String::from_utf8_lossy(&output.stderr));
        println!();
        if !output.status.success() {
            self.give_up(&format!("the command failed; {}", self.same_database()));
        }
        text
    }

    /// What is most likely wrong when the command line and the service do not go together.
    fn same_database(&self) -> String {
        format!(
            "the service at {} and the commands here must have the same CARDSCAPE_DATA_DIR, or the same DATABASE_URL",
            self.base
        )
    }

    async fn log_in(&self, name: &str, password: &str) -> Person {
        let body = json!({ "name": name, "password": password });
        let tokens = self.call(None, Method::POST, "/v1/sessions", Some(body), 201).await;
        Person { name: name.to_owned(), token: tokens["access_token"].as_str().unwrap().to_owned() }
    }

    /// Logs in with a password from the command line and changes it, as the service demands.
    async fn log_in_first(&self, name: &str, created: &str) -> Person {
        let password = created.lines().find_map(|line| line.strip_prefix("password: ")).unwrap();
        if !self.knows(name, password).await {
            let same_database = self.same_database();
            self.give_up(&format!("the account that was just made is not known; {same_database}"));
        }
        let person = self.log_in(name, password).await;
        let change = json!({ "current_password": password, "new_password": PASSWORD });
        self.call(Some(&person), Method::PUT, "/v1/me/password", Some(change), 204).await;
        person
    }

    async fn knows(&self, name: &str, password: &str) -> bool {
        let body = json!({ "name": name, "password": password });
        let answer = self.client.post(format!("{}/v1/sessions", self.base)).json(&body).send();
        answer.await.is_ok_and(|answer| answer.status().is_success())
    }

    async fn register(&self, name: &str) -> Person {
        let name = format!("{name} {}", self.mark);
        let body = json!({ "name": name, "password": PASSWORD });
        println!("> POST /v1/accounts    (a stranger)\n> {body}");
        let answer = self
            .client
            .post(format!("{}/v1/accounts", self.base))
            .json(&body)
            .send()
            .await
            .unwrap();
        let status = answer.status().as_u16();
        print_answer(status, &answer.json().await.unwrap_or(Value::Null));
        match status {
            201 => self.log_in(&name, PASSWORD).await,
            // Many tours within an hour: the limit holds for us, too, so the operator helps.
            429 => {
                let created = self.cardscape(&["admin", "create", &name, "--role", "player"]);
                self.log_in_first(&name, &created).await
            }
            _ => self.give_up("expected 201"),
        }
    }

    async fn submit(&self, who: &Person, serial: &str, name: &str, expected: u16) -> Value {
        let body = json!({ "serial": serial, "name": name });
        self.call(Some(who), Method::POST, "/v1/submissions", Some(body), expected).await
    }

    /// Prints six copies of every card of a set.
    fn print(&self, set: &str) -> Vec<Printed> {
        let file = std::env::temp_dir().join(format!("cardscape-tour-{}.csv", self.mark));
        let path = file.to_str().unwrap();
        self.cardscape(&[
            "mint",
            "--game",
            "ttcg",
            "--set",
            set,
            "--copies-per-card",
            "6",
            "--out",
            path,
        ]);
        let printed = read_print_file(&file);
        std::fs::remove_file(&file).unwrap();
        printed
    }

    async fn play(&self) {
        title("An admin, made on the command line");
        let admin_name = format!("tour admin {}", self.mark);
        let created = self.cardscape(&["admin", "create", &admin_name]);
        let admin = self.log_in_first(&admin_name, &created).await;

        title("The games, and the two sets of TTCG");
        self.get(None, "/v1/games").await;
        self.get(None, "/v1/games/ttcg/sets").await;

        title("A small print run of the hidden set; the codes leave once, in the print file");
        let printed = self.print("veil");
        self.get(Some(&admin), "/v1/print-runs?limit=1").await;

        let (number, players) = self.unlock_a_card(&printed).await;

        title("The story is told to everybody");
        self.get(None, "/v1/unlocks?limit=1").await;
        self.get(None, &format!("/v1/games/ttcg/sets/veil/cards/{number}")).await;
        self.design_a_card(&admin, &players).await;
        self.build_a_deck().await;
        self.judge_decks().await;
        println!("# The tour is over: everything went as expected.");
    }

    /// Points 3 and 4 of the main job: what goes wrong, what goes right, and the fifth submission.
    async fn unlock_a_card(&self, printed: &[Printed]) -> (String, Vec<Person>) {
        title("What a stranger sees of a hidden card");
        // The last one: the README's story by hand begins with the first, and works after a tour, too.
        let last = "/v1/cards?game=ttcg&set=veil&hidden=true&limit=200&order=desc";
        let hidden = self.get(None, last).await;
        let (card, name) = find_sample_card(&hidden).unwrap();
        let (id, number) = (card["id"].as_str().unwrap(), card["number"].as_str().unwrap());
        assert!(card.get("name").is_none(), "a hidden card has no name");
        let progress = format!("/v1/cards/{id}/unlock");
        let serials: Vec<&str> = printed
            .iter()
            .filter(|copy| copy.number == number)
            .map(|copy| copy.serial.as_str())
            .collect();

        title("Five players register and log in");
        let mut players = Vec::new();
        for player in ["Ada", "Ben", "Cho", "Dia", "Eli"] {
            players.push(self.register(player).await);
        }
        let before = self.get(None, &progress).await["submissions"].as_i64().unwrap();

        title("What goes wrong, and how it is told");
        let ada = &players[0];
        let mistyped = mistype(serials[0]);
        for (serial, name, status, code) in [
            ("7KQ2-X0FM", name.as_str(), 422, "serial_malformed"),
            (&mistyped, &name, 422, "serial_mistyped"),
            (serials[0], "Another Name", 422, "submission_rejected"),
            (unknown_code(), &name, 422, "submission_rejected"),
        ] {
            let problem = self.submit(ada, serial, name, status).await;
            assert_eq!(problem["code"], code);
        }

        title("Five times right: the fifth unlocks the card");
        for (n, player) in players.iter().enumerate() {
            let serial = if n == 0 {
                serials[n].to_lowercase().replace('-', " ")
            } else {
                serials[n].to_owned()
            };
            self.submit(player, &serial, &name, 201).await;
            let now = self.get(None, &progress).await["submissions"].as_i64().unwrap();
            assert_eq!(now, (before + i64::try_from(n).unwrap() + 1).min(5));
            if n == 0 {
                title("Ada's answer was lost on the train: she sends it again");
                let again = self.submit(player, &serial, &name, 200).await;
                assert_eq!(again["already_registered"], true);
                title("Ben tries Ada's code");
                let problem = self.submit(&players[1], serials[0], &name, 409).await;
                assert_eq!(problem["code"], "registered_to_another");
            }
        }
        let open = self.get(None, &format!("/v1/cards/{id}")).await;
        assert_eq!((&open["hidden"], &open["name"]), (&json!(false), &json!(name)));
        (number.to_owned(), players)
    }
}

fn title(text: &str) {
    println!("# {text}\n");
}

fn print_answer(status: u16, body: &Value) {
    println!("< {status}");
    if !body.is_null() {
        let mut shown = body.clone();
        shorten(&mut shown);
        for line in serde_json::to_string_pretty(&shown).unwrap().lines() {
            println!("< {line}");
        }
    }
    println!();
}

/// Long lists and tokens would bury the rest.
fn shorten(value: &mut Value) {
    match value {
        Value::Array(items) => {
            let more = items.len().saturating_sub(4);
            items.truncate(4);
            items.iter_mut().for_each(shorten);
            if more > 0 {
                items.push(json!(format!("… and {more} more")));
            }
        }
        // What is wrong with a deck is what the tour is about: all of it.
        Value::Object(fields) => {
            fields
                .iter_mut()
                .filter(|(name, _)| *name != "violations")
                .for_each(|(_, value)| shorten(value));
        }
        Value::String(text) if text.len() > 200 => {
            *text = text.chars().take(60).chain("…".chars()).collect();
        }
        _ => {}
    }
}

/// Reads the print file: the header names the columns.
fn read_print_file(file: &Path) -> Vec<Printed> {
    let text = std::fs::read_to_string(file).unwrap();
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = |name: &str| header.iter().position(|found| *found == name).unwrap();
    let (serial, number) = (column("code"), column("number"));
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            Printed { serial: fields[serial].to_owned(), number: fields[number].to_owned() }
        })
        .collect()
}

/// The first card of a list that is in the sample set, and the name on the physical card: players read it there; the tour reads the sample set, which is public by nature.
/// Admins may have released designs into the stored set.
fn find_sample_card(list: &Value) -> Option<(&Value, String)> {
    let file = seed_data().join("games/ttcg/sets/veil.json");
    let set: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let cards = set["cards"].as_array().unwrap();
    list["data"].as_array()?.iter().find_map(|listed| {
        let card = cards.iter().find(|card| card["number"] == listed["number"])?;
        Some((listed, card["name"].as_str()?.to_owned()))
    })
}

/// The code with its last random symbol typed wrong.
fn mistype(serial: &str) -> String {
    let (head, check) = serial.split_at(serial.len() - 2);
    let wrong = if check.starts_with('7') { "8" } else { "7" };
    format!("{head}{wrong}{}", &check[1..])
}

/// A well-formed code that nobody printed.
fn unknown_code() -> &'static str {
    "0000-0000-0000-0000"
}
