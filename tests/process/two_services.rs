//! Two services with a shared, external Postgres, for tests that kill them.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Stdio};
use std::sync::Mutex;

use cardscape::store::db::private_postgres;
use embedded_postgres::EmbeddedPostgres;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::program;

/// The order of the fields matters: first the services are dropped, then their database, then its folder.
pub(super) struct TwoServices {
    pub(super) services: [Instance; 2],
    pub(super) postgres: EmbeddedPostgres,
    pub(super) database: String,
    keys: String,
    home: TempDir,
}

impl TwoServices {
    /// Starts both services with these additional options, and without rate limits.
    pub(super) fn start(options: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let postgres = EmbeddedPostgres::start(private_postgres::settings(home.path())).unwrap();
        let database = postgres.url("postgres");
        let keys = home.path().join("two-services.json").to_str().unwrap().to_owned();
        let created = program().args(["keys", "generate", &keys]).output().unwrap();
        assert!(created.status.success(), "{}", String::from_utf8_lossy(&created.stderr));
        let folder = home.path().to_str().unwrap();
        let fixed = ["serve", "--database-url", &database, "--keys-file", &keys];
        let more = ["--data-dir", folder, "--workers", "2"];
        let often = ["--requests-per-second", "1000000", "--request-burst", "1000000"];
        let arguments = [&fixed, &more[..], &often, options].concat();
        let services = [Instance::start(&arguments), Instance::start(&arguments)];
        Self { services, postgres, database, keys, home }
    }

    /// Mints a print run of the hidden sample set, and returns the request bodies for submitting its codes.
    pub(super) fn print_cards(&self, copies_per_card: usize) -> Vec<Value> {
        let codes = self.home.path().join("codes.csv");
        let output = program()
            .args(["mint", "--game", "ttcg", "--set", "veil"])
            .args(["--copies-per-card", &copies_per_card.to_string()])
            .args(["--out", codes.to_str().unwrap()])
            .args(["--database-url", &self.database, "--keys-file", &self.keys])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let set = concat!(env!("CARGO_MANIFEST_DIR"), "/seed-data/games/ttcg/sets/veil.json");
        let set: Value = serde_json::from_str(&std::fs::read_to_string(set).unwrap()).unwrap();
        let names: BTreeMap<String, String> = set["cards"]
            .as_array()
            .unwrap()
            .iter()
            .map(|card| (member(card, "number"), member(card, "name")))
            .collect();
        let submission = |line: &str| {
            let fields: Vec<&str> = line.split(',').collect();
            json!({ "serial": fields[0], "name": names[fields[3]] })
        };
        std::fs::read_to_string(codes).unwrap().lines().skip(1).map(submission).collect()
    }
}

/// A running service, with the arguments to start it again.
pub(super) struct Instance {
    arguments: Vec<String>,
    /// Host and port, the same after every start.
    pub(super) address: String,
    pub(super) child: Mutex<Child>,
}

impl Instance {
    fn start(arguments: &[&str]) -> Self {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        let (child, address) = launch(&arguments, "127.0.0.1:0").expect("the service starts");
        Self { arguments, address, child: Mutex::new(child) }
    }

    /// Kills the service with SIGKILL, and starts it again at the same address.
    pub(super) fn kill_and_restart(&self) {
        let mut child = self.child.lock().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let again = launch(&self.arguments, &self.address);
        *child =
            again.unwrap_or_else(|output| panic!("the service did not start again: {output}")).0;
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        let child = self.child.get_mut().unwrap();
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Starts a service and waits until it prints its address; the error is its other output.
fn launch(arguments: &[String], listen: &str) -> Result<(Child, String), String> {
    let mut child = program()
        .args(arguments)
        .args(["--listen", listen])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut errors = child.stderr.take().unwrap();
    // The pipe must be read: otherwise it fills up and the service blocks on writing.
    let output = std::thread::spawn(move || {
        let mut output = Vec::new();
        errors.read_to_end(&mut output).map(|_| output)
    });
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    while let Some(line) = lines.next() {
        if let Some(rest) = line.unwrap().strip_prefix("Cardscape is ready: http://") {
            let address = rest.to_owned();
            std::thread::spawn(move || lines.for_each(drop));
            return Ok((child, address));
        }
    }
    child.wait().unwrap();
    Err(String::from_utf8_lossy(&output.join().unwrap().unwrap()).into_owned())
}

/// The text of a member of a JSON object.
#[track_caller]
pub(super) fn member(value: &Value, member: &str) -> String {
    value[member].as_str().unwrap_or_else(|| panic!("no {member} in {value}")).to_owned()
}
