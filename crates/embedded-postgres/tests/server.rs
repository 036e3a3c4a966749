//! Tests of the private Postgres: it starts, keeps its data, and recovers when processes are killed.
//!
//! The tests start real servers in temporary directories and kill them. Every wait polls for a condition and fails after
//! a deadline.

#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use embedded_postgres::{
    Durability, EmbeddedPostgres, Error, Handle, Settings, attach, start_or_attach,
};

/// The environment variable with the data directory for [`owner_process`].
const OWNER_DATA_DIR: &str = "EMBEDDED_POSTGRES_TEST_OWNER";

/// Time limit of a wait. Recovery takes about one second, and at most ten on an idle machine, but other tests may run at the
/// same time.
const DEADLINE: Duration = Duration::from_mins(1);

// ---- normal use ----

#[test]
fn a_restart_keeps_the_data() {
    let dir = TempDir::new();
    let postgres = EmbeddedPostgres::start(durable(dir.path())).unwrap();
    execute(&postgres.url("postgres"), "CREATE TABLE kept (n int); INSERT INTO kept VALUES (42)");
    let pid = postgres.postmaster_pid().unwrap();
    postgres.stop().unwrap();
    assert!(!is_running(pid), "stop() returns when the server is gone");

    let started = Instant::now();
    let postgres = EmbeddedPostgres::start(durable(dir.path())).unwrap();
    println!("restart: {:?}", started.elapsed());
    assert_eq!(query(&postgres.url("postgres"), "SELECT n::text FROM kept"), "42");
    let log = fs::read_to_string(dir.path().join("postgres.log")).unwrap();
    assert!(!log.contains("not properly shut down"), "a stop is clean:\n{log}");
}

#[test]
fn a_durable_server_is_private_and_durable_whatever_its_file_says() {
    let dir = TempDir::new();
    EmbeddedPostgres::start(durable(dir.path())).unwrap().stop().unwrap();
    let file = dir.path().join("postgres/postgresql.conf");
    let careless =
        "\nfsync = off\nfull_page_writes = off\nsynchronous_commit = off\nlisten_addresses = '*'\n";
    fs::OpenOptions::new()
        .append(true)
        .open(&file)
        .unwrap()
        .write_all(careless.as_bytes())
        .unwrap();

    let postgres = EmbeddedPostgres::start(durable(dir.path())).unwrap();
    let url = postgres.url("postgres");
    for (setting, value) in [
        ("fsync", "on"),
        ("full_page_writes", "on"),
        ("synchronous_commit", "on"),
        ("listen_addresses", ""),
        ("server_encoding", "UTF8"),
        ("lc_ctype", "C.UTF-8"),
        ("data_checksums", "on"),
    ] {
        assert_eq!(query(&url, &format!("SHOW {setting}")), value, "{setting}");
    }
    for private in ["run", "postgres"] {
        assert_eq!(mode(&dir.path().join(private)), 0o700, "{private}");
    }
    for private in ["postgres.log", "notes.lock"] {
        assert_eq!(mode(&dir.path().join(private)), 0o600, "{private}");
    }
    assert_eq!(mode(dir.path()) & 0o007, 0, "others have no business in the data directory");
    let pid = postgres.postmaster_pid().unwrap();
    assert_eq!(stat_field(pid, 2), pid.to_string(), "Ctrl-C must not reach its process group");
    let environment = fs::read_to_string(format!("/proc/{pid}/environ"));
    assert!(!environment.unwrap().contains("HOME="), "the environment is cleared");
}

#[test]
fn a_test_server_starts_with_its_settings() {
    let dir = TempDir::new();
    let settings = Settings { shared_buffers_mib: Some(32), ..volatile(dir.path()) };
    let postgres = EmbeddedPostgres::start(settings).unwrap();
    assert_eq!(query(&postgres.url("postgres"), "SHOW fsync"), "off");
    assert_eq!(query(&postgres.url("postgres"), "SHOW shared_buffers"), "32MB");
}

#[test]
fn odd_and_long_data_directories_work() {
    let dir = TempDir::new();
    let long = format!("{}/{}", "a".repeat(100), "b".repeat(100));
    for name in [long.as_str(), "with a space", "ünï, cødé 'and' \"quotes\" %41"] {
        let data_dir = dir.path().join(name);
        world_readable(&data_dir);
        let postgres = EmbeddedPostgres::start(volatile(&data_dir)).unwrap();
        assert_eq!(query(&postgres.url("postgres"), "SELECT 'here'"), "here");
        let socket_dir = query(&postgres.url("postgres"), "SHOW unix_socket_directories");
        let socket_dir = Path::new(&socket_dir).to_owned();
        assert_eq!(mode(&socket_dir), 0o700);
        let attached = attach(&volatile(&data_dir)).unwrap().expect("it runs");
        assert_eq!(attached.url("x"), postgres.url("x"));
        let elsewhere = !socket_dir.starts_with(dir.path());
        assert_eq!(elsewhere, name != "with a space", "{}", socket_dir.display());
        postgres.stop().unwrap();
        assert!(!elsewhere || !socket_dir.exists(), "{} stays behind", socket_dir.display());
    }
}

/// Also under the strictest umask, with which an owner process runs.
#[test]
fn parents_that_a_start_creates_let_the_user_of_postgres_pass() {
    let dir = TempDir::new();
    world_readable(dir.path());
    let mut owner = Owner::spawn(&dir.path().join("new/deeper/data"));
    let url = owner.ready();
    assert_eq!(query(&url, "SELECT 'here'"), "here");
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    for parent in ["new", "new/deeper"] {
        let expected = if is_root { 0o711 } else { 0o700 };
        assert_eq!(mode(&dir.path().join(parent)), expected, "{parent}");
    }
    owner.kill();
}

#[test]
fn a_fallback_directory_of_somebody_else_is_not_trusted() {
    let dir = TempDir::new();
    let data_dir = dir.path().join("x".repeat(120));
    world_readable(&data_dir);
    let first = EmbeddedPostgres::start(volatile(&data_dir)).unwrap();
    let usual = PathBuf::from(query(&first.url("postgres"), "SHOW unix_socket_directories"));
    first.stop().unwrap();

    let trap = dir.path().join("trap");
    fs::create_dir(&trap).unwrap();
    std::os::unix::fs::symlink(&trap, &usual).unwrap();
    let second = EmbeddedPostgres::start(volatile(&data_dir)).unwrap();
    let chosen = PathBuf::from(query(&second.url("postgres"), "SHOW unix_socket_directories"));
    second.stop().unwrap();
    fs::remove_file(&usual).unwrap();
    assert_ne!(chosen, usual);
    assert_eq!(fs::read_dir(&trap).unwrap().count(), 0);
}

// ---- one owner ----

#[test]
fn a_second_owner_gets_the_process_id_of_the_first() {
    let dir = TempDir::new();
    let first = EmbeddedPostgres::start(volatile(dir.path())).unwrap();
    let error = EmbeddedPostgres::start(volatile(dir.path())).unwrap_err();
    assert!(matches!(error, Error::AlreadyRunning { .. }), "{error}");
    assert!(error.to_string().contains(&std::process::id().to_string()), "{error}");
    assert_eq!(query(&first.url("postgres"), "SELECT 'unharmed'"), "unharmed");
}

#[test]
fn a_command_uses_the_server_of_a_running_service_or_its_own() {
    let dir = TempDir::new();
    assert!(attach(&volatile(dir.path())).unwrap().is_none());
    let service = EmbeddedPostgres::start(volatile(dir.path())).unwrap();
    let command = start_or_attach(volatile(dir.path())).unwrap();
    assert!(matches!(command, Handle::Attached(_)));
    assert_eq!(query(&command.url("postgres"), "SELECT 'attached'"), "attached");
    command.stop().unwrap();
    assert_eq!(query(&service.url("postgres"), "SELECT 'still here'"), "still here");
    service.stop().unwrap();

    assert!(attach(&volatile(dir.path())).unwrap().is_none());
    let command = start_or_attach(volatile(dir.path())).unwrap();
    assert!(matches!(command, Handle::Owned(_)));
    assert_eq!(query(&command.url("postgres"), "SELECT 'owned'"), "owned");
}

// ---- kill -9 ----

#[test]
fn a_killed_server_is_back_with_everything_acknowledged() {
    let dir = TempDir::new();
    let postgres = EmbeddedPostgres::start(durable(dir.path())).unwrap();
    let url = postgres.url("postgres");
    execute(&url, "CREATE TABLE kept (n int)");
    for round in 1..=2 {
        execute(&url, &format!("INSERT INTO kept VALUES ({round})"));
        let killed = postgres.postmaster_pid().unwrap();
        kill(killed);
        let since = Instant::now();
        eventually("the server is back", || {
            postgres.postmaster_pid().is_some_and(|pid| pid != killed)
                && try_query(&url, "SELECT 1::text").is_ok()
        });
        println!("recovery of the server: {:?}", since.elapsed());
        assert_eq!(query(&url, "SELECT count(*)::text FROM kept"), round.to_string());
    }
}

#[test]
fn a_connection_that_outlives_its_killed_server_does_not_keep_the_next_from_starting() {
    let dir = TempDir::new();
    let postgres = EmbeddedPostgres::start(volatile(dir.path())).unwrap();
    let url = postgres.url("postgres");
    let endless = std::thread::spawn({
        let url = url.clone();
        // An endless loop never waits, so it does not notice that its server has ended.
        move || try_query(&url, "DO $$ BEGIN LOOP END LOOP; END $$")
    });
    let busy =
        "SELECT count(*)::text FROM pg_stat_activity WHERE query LIKE 'DO %' AND state = 'active'";
    eventually("the loop runs", || query(&url, busy) == "1");
    let killed = postgres.postmaster_pid().unwrap();
    kill(killed);
    eventually("the server is back", || {
        postgres.postmaster_pid().is_some_and(|pid| pid != killed)
            && try_query(&url, "SELECT 1::text").is_ok()
    });
    assert!(endless.join().unwrap().is_err());
}

#[test]
fn the_server_ends_with_a_killed_owner() {
    let dir = TempDir::new();
    let mut owner = Owner::spawn(dir.path());
    let url = owner.ready();
    let pid = postmaster_of(dir.path());
    execute(&url, "CREATE TABLE kept (n int); INSERT INTO kept VALUES (7)");
    owner.kill();
    eventually("the server ends", || !is_running(pid));
    let postgres = EmbeddedPostgres::start(durable(dir.path())).unwrap();
    assert_eq!(query(&postgres.url("postgres"), "SELECT n::text FROM kept"), "7");
}

#[test]
fn after_a_kill_of_owner_and_server_the_next_start_works() {
    let dir = TempDir::new();
    let mut owner = Owner::spawn(dir.path());
    let url = owner.ready();
    execute(&url, "CREATE TABLE kept (n int); INSERT INTO kept VALUES (8)");
    let pid = postmaster_of(dir.path());
    kill(owner.child.id());
    kill(pid);
    let postgres = EmbeddedPostgres::start(durable(dir.path())).unwrap();
    assert_eq!(query(&postgres.url("postgres"), "SELECT n::text FROM kept"), "8");
    owner.kill();
}

#[test]
fn an_owner_that_ends_normally_stops_its_server() {
    let dir = TempDir::new();
    let mut owner = Owner::spawn(dir.path());
    owner.ready();
    let pid = postmaster_of(dir.path());
    drop(owner.child.stdin.take());
    assert!(owner.child.wait().unwrap().success());
    assert!(!is_running(pid));
    assert!(!dir.path().join("postgres/postmaster.pid").exists());
}

#[test]
fn an_interrupted_creation_is_repeated() {
    let dir = TempDir::new();
    let mut owner = Owner::spawn(dir.path());
    let unfinished = dir.path().join("postgres.unfinished");
    eventually("initdb is at work", || unfinished.join("global").exists());
    owner.kill();
    assert!(unfinished.exists() && !dir.path().join("postgres").exists(), "it was interrupted");

    let postgres = EmbeddedPostgres::start(durable(dir.path())).unwrap();
    assert_eq!(query(&postgres.url("postgres"), "SELECT 'whole'"), "whole");
    assert!(!unfinished.exists());
}

// ---- stale pid files ----

#[test]
fn stale_pid_files_neither_prevent_a_start_nor_kill_other_processes() {
    let (dir, other_dir) = (TempDir::new(), TempDir::new());
    let other = EmbeddedPostgres::start(volatile(&other_dir.0)).unwrap();
    let first = EmbeddedPostgres::start(volatile(dir.path())).unwrap();
    let socket_lock = dir.path().join("run/.s.PGSQL.5432.lock");
    let pid_file = dir.path().join("postgres/postmaster.pid");
    let genuine = (fs::read(&pid_file).unwrap(), fs::read(&socket_lock).unwrap());
    first.stop().unwrap();

    // A process of the user who runs Postgres: Postgres itself would take it for another server.
    let mut bystander = Bystander::of(&dir.path().join("postgres"));
    let neighbour = other.postmaster_pid().unwrap();

    for pid in [bystander.0.id(), neighbour, std::process::id(), 1, 4_194_303] {
        for (path, content) in [(&pid_file, &genuine.0), (&socket_lock, &genuine.1)] {
            let text = String::from_utf8(content.clone()).unwrap();
            let (_, rest) = text.split_once('\n').unwrap();
            fs::write(path, format!("{pid}\n{rest}")).unwrap();
        }
        let postgres = EmbeddedPostgres::start(volatile(dir.path())).unwrap();
        assert_eq!(query(&postgres.url("postgres"), "SELECT 'started'"), "started");
        assert!(bystander.0.try_wait().unwrap().is_none(), "the bystander lives");
        assert_eq!(other.postmaster_pid(), Some(neighbour), "the neighbour lives");
        assert_eq!(query(&other.url("postgres"), "SELECT 'fine'"), "fine");
    }
    fs::write(&pid_file, "").unwrap();
    fs::write(&socket_lock, "").unwrap();
    EmbeddedPostgres::start(volatile(dir.path())).unwrap().stop().unwrap();
}

/// The file may be the only sign of a server on another machine. So it is not removed automatically: the message contains
/// the command with which a person can do it.
#[test]
fn the_error_for_an_invalid_pid_file_contains_the_command_to_remove_it() {
    let dir = TempDir::new();
    EmbeddedPostgres::start(volatile(dir.path())).unwrap().stop().unwrap();
    let socket_lock = dir.path().join("run/.s.PGSQL.5432.lock");
    let pid_file = dir.path().join("postgres/postmaster.pid");
    let garbage: [&[u8]; 4] = [b"rubbish\n", b"\0\0\0\0\xff", b"99999999999999\n/x\n", b"\n\n"];
    for path in [&pid_file, &socket_lock] {
        for content in garbage {
            fs::write(path, content).unwrap();
            let began = Instant::now();
            let error = EmbeddedPostgres::start(volatile(dir.path())).unwrap_err();
            let Error::PidFile { path: named, pid: None, .. } = &error else { panic!("{error}") };
            assert_eq!(named, path);
            assert!(began.elapsed() < Duration::from_secs(9), "it is not tried again and again");
            assert_eq!(fs::read(path).unwrap(), content, "it is left as it was");
            // Runs the command from the message, as a user would.
            let text_shown = error.to_string();
            let command = &text_shown[text_shown.find("rm '").expect(&text_shown)..];
            assert!(
                Command::new("sh").args(["-c", command]).status().unwrap().success(),
                "{command}"
            );
            EmbeddedPostgres::start(volatile(dir.path())).unwrap().stop().unwrap();
        }
    }
}

// ---- errors ----

#[test]
fn a_cluster_of_another_major_version_is_refused() {
    let dir = TempDir::new();
    EmbeddedPostgres::start(volatile(dir.path())).unwrap().stop().unwrap();
    let error_for = |major: &str| {
        fs::write(dir.path().join("postgres/PG_VERSION"), format!("{major}\n")).unwrap();
        EmbeddedPostgres::start(volatile(dir.path())).unwrap_err()
    };
    let error = error_for("999");
    assert!(matches!(error, Error::WrongMajor { cluster: 999, .. }), "{error}");
    // The version that could open it is not accepted, so the advice is not to install it.
    let error = error_for("9");
    assert!(matches!(error, Error::ClusterTooOld { cluster: 9, oldest: 13, .. }), "{error}");
    assert!(!error.to_string().contains("apt-get"), "{error}");
}

#[test]
fn programs_that_are_too_old_for_the_program_are_refused() {
    let dir = TempDir::new();
    let settings = Settings { oldest_major: 1_000, ..volatile(dir.path()) };
    let error = EmbeddedPostgres::start(settings).unwrap_err();
    assert!(matches!(error, Error::NoBinaries { .. }), "{error}");
    assert!(error.to_string().contains("older than 1000)"), "{error}");
}

/// The process may have another search path than the settings.
#[test]
fn pg_config_is_looked_up_in_the_search_path_of_the_settings() {
    let dir = TempDir::new();
    let programs = dir.path().join("programs");
    world_readable(&programs);
    // Another process writes the scripts: while this one has them open, none of its threads can run them.
    let write = "cd \"$0\" && printf '#!/bin/sh\\necho %s/reported\\n' \"$0\" >pg_config && mkdir reported && \
                 printf '#!/bin/sh\\n' >reported/postgres && chmod +x pg_config reported/postgres";
    let written = Command::new("sh").args(["-c", write]).arg(&programs).status().unwrap();
    assert!(written.success());
    let data_dir = dir.path().join("data");
    let mut settings = Settings { oldest_major: 1_000, ..volatile(&data_dir) };
    let reported = programs.join("reported").display().to_string();
    let error = EmbeddedPostgres::start(settings.clone()).unwrap_err();
    assert!(!error.to_string().contains(&reported), "{error}");
    settings.search_path = Some(programs.into_os_string());
    let error = EmbeddedPostgres::start(settings).unwrap_err();
    assert!(error.to_string().contains(&reported), "{error}");
}

#[test]
fn foreign_files_in_the_place_of_the_cluster_stay_untouched() {
    let dir = TempDir::new();
    fs::create_dir(dir.path().join("postgres")).unwrap();
    let diary = dir.path().join("postgres/diary.txt");
    fs::write(&diary, "dear diary").unwrap();
    let error = EmbeddedPostgres::start(volatile(dir.path())).unwrap_err();
    // When the tests run as root, the owner of the files is checked first.
    let expected =
        matches!(error, Error::NotACluster { .. } | Error::ForeignCluster { owner: 0, .. });
    assert!(expected, "{error}");
    assert_eq!(fs::read_to_string(diary).unwrap(), "dear diary");
}

#[test]
fn a_cluster_of_another_user_is_reported_although_it_is_closed() {
    const NOBODY: u32 = 65_534;
    let dir = TempDir::new();
    if fs::metadata(dir.path()).unwrap().uid() != 0 {
        return; // an ordinary user cannot make the files of another user
    }
    let data_dir = dir.path().join("data");
    world_readable(&data_dir);
    fs::DirBuilder::new().mode(0o700).create(data_dir.join("postgres")).unwrap();
    std::os::unix::fs::chown(&data_dir, Some(NOBODY), Some(NOBODY)).unwrap();
    // That user may be unable to reach the file of this program, but not the program itself.
    let owner = Command::new("/proc/self/exe")
        .args(["--exact", "owner_process", "--nocapture"])
        .env(OWNER_DATA_DIR, &data_dir)
        .uid(NOBODY)
        .gid(NOBODY)
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&owner.stderr);
    assert!(message.contains("ForeignCluster"), "{message}");
}

#[test]
fn a_file_in_the_place_of_the_data_directory_is_reported() {
    let dir = TempDir::new();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let error = EmbeddedPostgres::start(volatile(&file)).unwrap_err();
    assert!(matches!(&error, Error::DataDir { path, .. } if *path == file), "{error}");
}

#[test]
fn missing_programs_and_wrapper_scripts_are_reported() {
    let dir = TempDir::new();
    let bin_dir = dir.path().join("bin");
    world_readable(&bin_dir);
    let mut settings = volatile(&dir.path().join("data"));
    settings.bin_dir = Some(bin_dir.clone());
    let error = EmbeddedPostgres::start(settings.clone()).unwrap_err();
    assert!(matches!(error, Error::NoBinaries { .. }), "{error}");
    assert!(error.to_string().contains(bin_dir.to_str().unwrap()), "{error}");

    for program in ["postgres", "initdb"] {
        let path = bin_dir.join(program);
        fs::write(&path, "#!/bin/sh\nexec /usr/bin/postgres \"$@\"\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let error = EmbeddedPostgres::start(settings).unwrap_err();
    assert!(error.to_string().contains("script"), "{error}");
}

#[test]
fn the_error_for_a_broken_cluster_contains_the_end_of_the_log() {
    let dir = TempDir::new();
    EmbeddedPostgres::start(volatile(dir.path())).unwrap().stop().unwrap();
    fs::remove_file(dir.path().join("postgres/global/pg_control")).unwrap();
    let error = EmbeddedPostgres::start(volatile(dir.path())).unwrap_err();
    assert!(matches!(error, Error::StartFailed { .. }), "{error}");
    assert!(error.to_string().contains("could not find the database system"), "{error}");
}

#[test]
fn root_gets_the_path_of_the_directory_that_denies_access() {
    let dir = TempDir::new();
    if fs::metadata(dir.path()).unwrap().uid() != 0 {
        return; // an ordinary user runs Postgres itself, and nothing of its own bars its way
    }
    let barred = dir.path().join("barred");
    fs::DirBuilder::new().mode(0o700).create(&barred).unwrap();
    let error = EmbeddedPostgres::start(volatile(&barred.join("data"))).unwrap_err();
    match &error {
        Error::Unreachable { path, .. } => assert_eq!(path, dir.path()),
        other => panic!("{other}"),
    }
    world_readable(dir.path());
    let error = EmbeddedPostgres::start(volatile(&barred.join("data"))).unwrap_err();
    assert!(matches!(&error, Error::Unreachable { path, .. } if *path == barred), "{error}");
}

// ---- an owner process that can be killed ----

/// Not a test itself: other tests run it as a process that starts a durable server, prints its address, and stops it when
/// the standard input ends.
#[test]
fn owner_process() {
    let Some(data_dir) = std::env::var_os(OWNER_DATA_DIR) else { return };
    let postgres = EmbeddedPostgres::start(durable(Path::new(&data_dir))).unwrap();
    println!("\nready {}", postgres.url("postgres"));
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).unwrap();
    postgres.stop().unwrap();
}

struct Owner {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Owner {
    fn spawn(data_dir: &Path) -> Self {
        // The strictest umask must not keep the user who runs Postgres from the files.
        let mut child = Command::new("sh")
            .args(["-c", "umask 077 && exec \"$0\" \"$@\""])
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "owner_process", "--nocapture"])
            .env(OWNER_DATA_DIR, data_dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, output }
    }

    /// Waits until its server runs, and returns the address.
    fn ready(&mut self) -> String {
        let mut line = String::new();
        while self.output.read_line(&mut line).unwrap() > 0 {
            if let Some(url) = line.strip_prefix("ready ") {
                return url.trim().to_owned();
            }
            line.clear();
        }
        panic!("the owner ended before its server was ready");
    }

    fn kill(&mut self) {
        let _ = self.child.kill();
        self.child.wait().unwrap();
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A process that is unrelated to Postgres.
struct Bystander(Child);

impl Bystander {
    /// Starts it as the user who owns the cluster.
    fn of(cluster: &Path) -> Self {
        let mut command = Command::new("sleep");
        command.arg("1000").stdout(Stdio::null()).stderr(Stdio::null());
        if fs::metadata("/proc/self").unwrap().uid() == 0 {
            let owner = fs::metadata(cluster).unwrap();
            command.uid(owner.uid()).gid(owner.gid());
        }
        Self(command.spawn().unwrap())
    }
}

impl Drop for Bystander {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

// ---- helpers ----

struct TempDir(PathBuf);

impl TempDir {
    fn new() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("embedded-postgres-")
            .permissions(fs::Permissions::from_mode(0o700))
            .tempdir()
            .unwrap();
        Self(folder.keep().canonicalize().unwrap())
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        // A server whose owner has just ended may still be writing a file.
        let deadline = Instant::now() + DEADLINE;
        while fs::remove_dir_all(&self.0).is_err() && self.0.exists() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn durable(data_dir: &Path) -> Settings {
    Settings::new("notes", data_dir)
}

fn volatile(data_dir: &Path) -> Settings {
    Settings { durability: Durability::Off, ..durable(data_dir) }
}

/// Creates a directory, and makes it and its parents accessible to the user who runs Postgres when the tests run as root.
fn world_readable(path: &Path) {
    fs::create_dir_all(path).unwrap();
    let ours = |step: &&Path| step.to_string_lossy().contains("embedded-postgres-");
    for step in path.ancestors().take_while(ours) {
        fs::set_permissions(step, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o777
}

fn postmaster_of(data_dir: &Path) -> u32 {
    let text = fs::read_to_string(data_dir.join("postgres/postmaster.pid")).unwrap();
    text.lines().next().unwrap().parse().unwrap()
}

fn kill(pid: u32) {
    let status = Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap();
    assert!(status.success());
}

/// A field of `/proc/<pid>/stat`; index 0 is the state.
fn stat_field(pid: u32, index: usize) -> String {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let after_name = stat.rsplit_once(')').map(|(_, rest)| rest.to_owned()).unwrap_or_default();
    after_name.split_whitespace().nth(index).unwrap_or("gone").to_owned()
}

fn is_running(pid: u32) -> bool {
    !matches!(stat_field(pid, 0).as_str(), "gone" | "Z" | "X")
}

fn eventually(what: &str, mut happened: impl FnMut() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !happened() {
        assert!(Instant::now() < deadline, "not within {DEADLINE:?}: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn execute(url: &str, sql: &str) {
    try_query(url, sql).unwrap();
}

fn query(url: &str, sql: &str) -> String {
    try_query(url, sql).unwrap()
}

/// The first column of the first row; empty if there is no row.
fn try_query(url: &str, sql: &str) -> Result<String, tokio_postgres::Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await?;
        let connection = tokio::spawn(connection);
        let messages = client.simple_query(sql).await?;
        drop(client);
        let _ = connection.await;
        Ok(messages
            .iter()
            .find_map(|message| match message {
                tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
                _ => None,
            })
            .unwrap_or_default())
    })
}
