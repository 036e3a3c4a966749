//! Runs the service as it is shipped, with its own private Postgres.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use cardscape::store::db::private_postgres;
use rustix::process::{Pid, Signal, kill_process};

use crate::environment;
use crate::http::Target;
use crate::pgbench::Program;

const PROGRAM: &str = env!("CARGO_BIN_EXE_cardscape");

/// Name of the database inside the private Postgres.
const DATABASE: &str = "cardscape";

/// The folder with the data of one service.
pub(crate) struct Home {
    /// The data directory of the service.
    pub data: PathBuf,
    is_kept: bool,
}

impl Home {
    /// A folder for one catalogue: below `keep`, where it is kept, or a temporary one.
    pub(crate) fn new(keep: Option<&Path>, name: &str) -> anyhow::Result<Self> {
        let data = match keep {
            Some(folder) => folder.join(name),
            None => tempfile::Builder::new().prefix("cardscape-bench-").tempdir()?.keep(),
        };
        std::fs::create_dir_all(data.parent().context("a folder")?)?;
        Ok(Self { data, is_kept: keep.is_some() })
    }

    pub(crate) fn keys_file(&self) -> PathBuf {
        self.data.join("keys.json")
    }

    fn command(&self, subcommand: &str) -> Command {
        let mut command = environment::command(PROGRAM);
        command.arg(subcommand).arg("--data-dir").arg(&self.data);
        command
    }

    /// Loads the seed data and this many synthetic cards. Existing data is not loaded again.
    pub(crate) fn seed(&self, cards: u32, hidden_sets: u32) -> anyhow::Result<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seed-data");
        let output = self
            .command("seed")
            .arg(folder)
            .args(["--synthetic", &cards.to_string(), "--hidden-sets", &hidden_sets.to_string()])
            .stderr(Stdio::inherit())
            .output()?;
        if !output.status.success() {
            bail!("cardscape seed ended with {}", output.status);
        }
        let output_text = String::from_utf8(output.stdout)?;
        Ok(output_text.lines().last().unwrap_or_default().to_owned())
    }

    /// pgbench, if it is in the folder of the other programs of PostgreSQL.
    pub(crate) fn pgbench(&self) -> anyhow::Result<Option<Program>> {
        let options = std::fs::read_to_string(self.data.join("postgres/postmaster.opts"))?;
        let server = options.split_whitespace().next().context("the server's program")?;
        let program = Path::new(server.trim_matches('"')).with_file_name("pgbench");
        Ok(program.exists().then_some(Program(program)))
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = std::fs::remove_dir_all(&self.data);
        }
    }
}

/// The running Postgres of a home. It stops when this value is dropped, and does not depend on a service.
pub(crate) struct Database {
    postgres: embedded_postgres::Handle,
}

impl Database {
    pub(crate) fn start(home: &Home) -> anyhow::Result<Self> {
        let mut settings = private_postgres::settings(&home.data);
        settings.search_path = std::env::var_os("PATH");
        // Enough for two services, and for as many connections of pgbench as of the load generator.
        settings.max_connections = 250;
        Ok(Self { postgres: embedded_postgres::start_or_attach(settings)? })
    }

    /// The URL of its database.
    pub(crate) fn url(&self) -> String {
        self.postgres.url(DATABASE)
    }

    pub(crate) fn stop(self) -> anyhow::Result<()> {
        Ok(self.postgres.stop()?)
    }
}

/// Options for the start of the service.
pub(crate) struct ServiceOptions {
    /// Whether its cache of cards is used, if it has one.
    pub cached: bool,
    /// Whether Postgres writes every statement into its log.
    pub log_statements: bool,
    /// The URL of its database; `None`: its private Postgres.
    pub database: Option<String>,
}

/// A running service.
pub(crate) struct Service {
    child: Child,
    database: String,
    pub address: SocketAddr,
    /// Time from the start of the process to the first success of `/readyz`.
    pub started_in: Duration,
}

/// Memory of a process.
pub(crate) struct Memory {
    pub resident_mib: f64,
    pub peak_mib: f64,
}

impl Service {
    pub(crate) async fn start(home: &Home, options: &ServiceOptions) -> anyhow::Result<Self> {
        let mut command = match &options.database {
            None => {
                log_statements(home, options.log_statements).await?;
                home.command("serve")
            }
            Some(url) => {
                let mut command = environment::command(PROGRAM);
                command.args(["serve", "--database-url", url, "--keys-file"]).arg(home.keys_file());
                // Like a proxy, the load generator sends the address of the client in a header.
                command.args(["--trusted-proxies", "127.0.0.1/32", "--attempt-factor", "1000000"]);
                command.args([
                    "--metrics-networks",
                    "0.0.0.0/0",
                    "--webhook-networks",
                    "127.0.0.0/8",
                ]);
                command
            }
        };
        // Practically no limit, because all requests come from one network.
        command.args(["--listen", "127.0.0.1:0", "--requests-per-second", "1000000"]);
        command.args(["--request-burst", "1000000"]);
        if !options.cached && serve_has("--card-cache")? {
            command.args(["--card-cache", "0"]);
        }
        // Building the bulk files of a million cards takes eight minutes. With this interval, it does not happen during a
        // measurement.
        command.args(["--bulk-interval", "86400"]);
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seed-data");
        command.arg("--seed-data").arg(folder);
        let began = Instant::now();
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let mut lines = BufReader::new(child.stdout.take().context("its output")?).lines();
        let address = loop {
            let line = lines.next().context("the service did not start")??;
            if let Some(rest) = line.strip_prefix("Cardscape is ready: http://") {
                break rest.parse()?;
            }
        };
        // The pipe must be read: otherwise it fills up and the service blocks on writing.
        std::thread::spawn(move || lines.for_each(drop));
        Target::get(address, "/readyz").await?;
        let started_in = began.elapsed();
        let postgres = embedded_postgres::attach(&private_postgres::settings(&home.data))?
            .context("its database")?;
        let service = Self { child, database: postgres.url(DATABASE), address, started_in };
        let built_in = index_is_built(address).await?;
        println!("the index of cards was there {:.1} s after the service", built_in.as_secs_f64());
        let waited = bulk_files_are_built(address).await?;
        if waited > Duration::from_secs(1) {
            println!("the bulk files were there {:.1} s later", waited.as_secs_f64());
        }
        Ok(service)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The URL of its database.
    pub(crate) fn database(&self) -> &str {
        &self.database
    }

    /// Its memory, without that of Postgres.
    pub(crate) fn memory(&self) -> anyhow::Result<Memory> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let mib = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
            kib.map(|kib| kib / 1024.0).with_context(|| format!("no {name} in the status"))
        };
        Ok(Memory { resident_mib: mib("VmRSS:")?, peak_mib: mib("VmHWM:")? })
    }

    /// Stops it and waits for its end.
    pub(crate) fn stop(mut self) -> anyhow::Result<()> {
        kill_process(Pid::from_child(&self.child), Signal::TERM)?;
        let status = tokio::task::block_in_place(|| self.child.wait())?;
        if !status.success() {
            bail!("the service ended with {status}");
        }
        Ok(())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // Has no effect after a normal end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until all cards are in the index, because building it would take processor time from the measurements.
async fn index_is_built(address: SocketAddr) -> anyhow::Result<Duration> {
    until(address, "/metrics", "the index of cards", |metrics| {
        let cards = metrics.lines().find_map(|line| line.strip_prefix("card_index_cards "));
        // A program without an index does not report this metric.
        cards.is_none_or(|cards| cards != "0")
    })
    .await
}

/// Waits until the bulk files exist, which are built once in a new database.
async fn bulk_files_are_built(address: SocketAddr) -> anyhow::Result<Duration> {
    until(address, "/v1/bulk-files", "the bulk files", |files| files.contains("ttcg-cards")).await
}

/// Waits until the answer of a path satisfies a condition.
async fn until(
    address: SocketAddr,
    path: &str,
    what: &str,
    is_done: impl Fn(&str) -> bool,
) -> anyhow::Result<Duration> {
    let began = Instant::now();
    loop {
        let answer = Target::get(address, path).await?;
        if is_done(&String::from_utf8_lossy(&answer)) {
            return Ok(began.elapsed());
        }
        if began.elapsed() > Duration::from_mins(15) {
            bail!("{what}: not there after fifteen minutes");
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Whether `serve` knows an option, so that programs older than this benchmark can be measured, too.
fn serve_has(option: &str) -> anyhow::Result<bool> {
    let help = Command::new(PROGRAM).args(["serve", "--help"]).output()?;
    Ok(String::from_utf8_lossy(&help.stdout).contains(option))
}

/// Switches the log of statements with their parameters on or off, for all later connections to Postgres.
async fn log_statements(home: &Home, wanted: bool) -> anyhow::Result<()> {
    let mut settings = private_postgres::settings(&home.data);
    settings.search_path = std::env::var_os("PATH");
    let postgres = embedded_postgres::start_or_attach(settings)?;
    let client = crate::catalogue::connect(&postgres.url(DATABASE)).await?;
    let statements = if wanted {
        "ALTER DATABASE cardscape SET log_min_duration_statement = 0; \
         ALTER DATABASE cardscape SET log_error_verbosity = 'default'"
    } else {
        "ALTER DATABASE cardscape RESET log_min_duration_statement; \
         ALTER DATABASE cardscape RESET log_error_verbosity; VACUUM (ANALYZE) cards; VACUUM (ANALYZE) card_content; \
         VACUUM (ANALYZE) printings; VACUUM (ANALYZE) printing_content"
    };
    for statement in statements.split(';') {
        client.batch_execute(statement).await?;
    }
    drop(client);
    postgres.stop()?;
    Ok(())
}
