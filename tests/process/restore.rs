//! Backups are restored with the commands of the guide for operators, also those from before an upgrade.

use std::path::Path;

use cardscape::store::db::private_postgres;
use embedded_postgres::EmbeddedPostgres;

use super::*;

/// The first of the migrations that the program which made the backup did not have. It creates a function.
const NEWER_FROM: &str = "2026-11-29-000107";

/// The part of the guide after `start`, up to `end`.
fn guide_part(start: &str, end: &str) -> String {
    let guide = include_str!("../../docs/OPERATIONS.md");
    let (_, rest) = guide.split_once(start).unwrap_or_else(|| panic!("the guide has no {start}"));
    let (part, _) = rest.split_once(end).unwrap();
    format!("{start}{part}")
}

/// The command that makes a backup of a private Postgres.
fn backup_command(home: &Home) -> String {
    guide_part("pg_dump --host=", "#").replace("/var/lib/cardscape", home.0.to_str().unwrap())
}

fn restore_commands() -> String {
    guide_part("createdb restored", "```")
}

/// What the commands for Docker execute in the container of Postgres.
fn restore_commands_of_docker() -> String {
    let start = "docker compose exec -T --env PGUSER=cardscape postgres sh -ec";
    guide_part(start, " &&").replace(start, "sh -ec")
}

/// Opens the old database for connections again, after commands that failed.
fn reopen_command() -> String {
    guide_part(
        "psql --dbname=postgres --command='ALTER DATABASE cardscape ALLOW_CONNECTIONS true'",
        "`",
    )
}

/// Runs commands in a folder, which must succeed.
fn run(home: &Home, folder: &Path, commands: &str) {
    let output = output(home, folder, commands);
    assert!(output.status.success(), "{commands}\n{}", text(&output));
}

/// Runs commands in a folder, with the programs of the private Postgres that is running in this home.
fn output(home: &Home, folder: &Path, commands: &str) -> Output {
    let options = std::fs::read_to_string(home.0.join("postgres/postmaster.opts")).unwrap();
    let (postgres, _) = options.split_once(' ').unwrap();
    let programs = Path::new(postgres).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    Command::new("sh")
        .args(["-c", commands])
        .current_dir(folder)
        .env("PATH", path)
        .env("PGHOST", home.0.join("run").canonicalize().unwrap())
        .env("PGUSER", "cardscape")
        .output()
        .unwrap()
}

/// Takes the newest migrations back and makes a backup: `cardscape.dump` in this folder.
async fn back_up_with_an_older_schema(home: &Home, folder: &Path) {
    let postgres = EmbeddedPostgres::start(private_postgres::settings(&home.0)).unwrap();
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations");
    let mut migrations: Vec<_> =
        std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    migrations.sort();
    for migration in migrations.iter().rev() {
        let name = migration.file_name().unwrap().to_str().unwrap();
        if name < NEWER_FROM {
            break;
        }
        let version = name[..NEWER_FROM.len()].replace('-', "");
        let down = std::fs::read_to_string(migration.join("down.sql")).unwrap();
        let forget = format!("DELETE FROM __diesel_schema_migrations WHERE version = '{version}';");
        home.query(&format!("BEGIN; {down}\n; {forget} COMMIT")).await;
    }
    run(home, folder, &backup_command(home));
    postgres.stop().unwrap();
}

#[tokio::test]
async fn a_backup_from_before_an_upgrade_is_restored_and_migrated() {
    let old = Home::new();
    let service = old.serve();
    assert!(service.register("ada").await);
    service.stop(Signal::TERM);
    let folder = tempfile::tempdir().unwrap();
    back_up_with_an_older_schema(&old, folder.path()).await;

    for commands in [restore_commands(), restore_commands_of_docker()] {
        let new = Home::new();
        std::fs::copy(old.0.join("keys.json"), new.0.join("keys.json")).unwrap();
        let service = new.serve();
        assert!(service.register("bob").await, "{commands}");
        run(&new, folder.path(), &commands);
        service.stop(Signal::TERM);

        let service = new.serve();
        assert!(service.knows("ada").await && !service.knows("bob").await, "{commands}");
        assert!(service.register("eve").await, "{commands}");
        let log = service.stop(Signal::TERM);
        assert!(log.contains("database migrated"), "{log}");
        let message = new.command(&["migrate"]).output().unwrap();
        assert!(text(&message).contains("up to date"), "{}", text(&message));
    }
}

/// No command drops the old database before the new one has its name.
#[tokio::test]
async fn a_restore_that_fails_leaves_the_old_database() {
    let home = Home::new();
    let service = home.serve();
    assert!(service.register("ada").await);
    let folder = tempfile::tempdir().unwrap();
    run(&home, folder.path(), &backup_command(&home));
    assert!(service.register("bob").await);

    // The name that the old database gets is taken.
    run(&home, folder.path(), "createdb cardscape_before");
    for commands in [restore_commands(), restore_commands_of_docker()] {
        let failed = output(&home, folder.path(), &commands);
        assert!(!failed.status.success(), "{commands}\n{}", text(&failed));
        run(&home, folder.path(), &format!("{} && dropdb restored", reopen_command()));
        within(Duration::from_secs(20), "ready again", async || {
            service.is_ready().await && service.knows("bob").await
        })
        .await;
    }
    run(&home, folder.path(), "dropdb cardscape_before");
    run(&home, folder.path(), &restore_commands());
    service.stop(Signal::TERM);
    let service = home.serve();
    assert!(service.knows("ada").await && !service.knows("bob").await);
    service.stop(Signal::TERM);
}
