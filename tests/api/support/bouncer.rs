//! PgBouncer between the service and Postgres.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::{TestDb, fresh_path};

/// How PgBouncer gives connections of the server to its clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolMode {
    /// A client has one connection until it disconnects.
    Session,
    /// Each transaction may get another connection, which does not have the prepared statements of the client.
    Transaction,
    /// Each transaction may get another connection, on which PgBouncer prepares the statements of the client. Needs version 1.21.
    TransactionWithStatements,
}

/// A running PgBouncer. It is stopped when this value is dropped.
pub struct Bouncer {
    process: Child,
    folder: PathBuf,
    port: u16,
    database: String,
}

impl Bouncer {
    /// The program's version.
    pub fn version() -> (u32, u32) {
        let output = Command::new(program()).arg("--version").output();
        let output = output.expect("PgBouncer is installed (make pgbouncer)").stdout;
        let text = String::from_utf8(output).unwrap();
        let mut parts = text.trim_start_matches("PgBouncer ").split(['.', '\n']);
        let mut number = || parts.next().unwrap().trim().parse().unwrap();
        (number(), number())
    }

    /// Whether PgBouncer has the setting `max_prepared_statements`. Version 1.21 introduced it, with the default 0; the default of newer versions is 200.
    pub fn can_keep_statements() -> bool {
        Self::version() >= (1, 21)
    }

    /// Like [`Self::can_keep_statements`]. If not, says which test does not run, and why, on standard error itself: the test runner shows what
    /// `eprintln!` writes only for tests that fail.
    pub fn can_keep_statements_or_skips(test: &str) -> bool {
        let (major, minor) = Self::version();
        let runs = Self::can_keep_statements();
        if !runs {
            let line = format!(
                "NOT RUN: {test}: it needs PgBouncer 1.21 or newer, and {major}.{minor} is installed\n"
            );
            std::io::stderr().write_all(line.as_bytes()).unwrap();
        }
        runs
    }

    /// Starts PgBouncer in front of a database.
    pub async fn before(db: &TestDb, mode: PoolMode) -> Self {
        let config: tokio_postgres::Config = db.url().parse().unwrap();
        let tokio_postgres::config::Host::Unix(socket) = &config.get_hosts()[0] else {
            panic!("the tests' Postgres has a socket");
        };
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let folder = fresh_path(".bouncer");
        std::fs::create_dir(&folder).unwrap();
        let owner = std::fs::metadata(socket).unwrap();
        let user = config.get_user().unwrap();
        let (pool_mode, statements) = match (mode, Self::can_keep_statements()) {
            (PoolMode::Session, _) => ("session", ""),
            // An older version refuses to start with a setting that it does not know.
            (PoolMode::Transaction, false) => ("transaction", ""),
            (PoolMode::Transaction, true) => ("transaction", "max_prepared_statements = 0\n"),
            (PoolMode::TransactionWithStatements, true) => {
                ("transaction", "max_prepared_statements = 200\n")
            }
            (PoolMode::TransactionWithStatements, false) => {
                panic!("PgBouncer {:?} keeps no prepared statements", Self::version())
            }
        };
        let settings = format!(
            "[databases]\n* = host={} port=5432\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n\
             auth_type = trust\nauth_file = {}/users\npool_mode = {pool_mode}\ndefault_pool_size = 30\nmax_client_conn = 200\n{statements}",
            socket.display(),
            folder.display(),
        );
        std::fs::write(folder.join("settings.ini"), settings).unwrap();
        std::fs::write(folder.join("users"), format!("\"{user}\" \"\"\n")).unwrap();
        let mut command = Command::new(program());
        command.arg("--quiet").arg(folder.join("settings.ini"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if rustix::process::geteuid().is_root() {
            // Only the owner may enter the directory of the socket, and PgBouncer does not run as root.
            command.uid(owner.uid()).gid(owner.gid());
        }
        let process = command.spawn().expect("PgBouncer is installed (make pgbouncer)");
        let database = format!("{}?user={user}", config.get_dbname().unwrap());
        let bouncer = Self { process, folder, port, database };
        for _ in 0..200 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return bouncer;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("PgBouncer does not listen");
    }

    /// The address of the database through PgBouncer.
    pub fn url(&self) -> String {
        format!("postgres://127.0.0.1:{}/{}", self.port, self.database)
    }
}

/// Finds PgBouncer. Debian installs it in a directory that is only in root's PATH.
fn program() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders =
        std::env::split_paths(&path).chain(["/usr/sbin".into(), "/usr/local/sbin".into()]);
    let found = folders.map(|folder| folder.join("pgbouncer")).find(|program| program.exists());
    found.expect("PgBouncer is installed (make pgbouncer)")
}

impl Drop for Bouncer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
