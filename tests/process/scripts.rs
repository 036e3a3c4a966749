//! The scripts behind `make`.

use super::*;

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts")
}

#[test]
fn settings_of_a_service_are_not_those_of_the_machine() {
    for setting in ["DATABASE_URL", "CARDSCAPE_KEYS_FILE", "CARDSCAPE_LISTEN"] {
        assert!(environment::is_setting(setting), "{setting}");
    }
    for machine in ["PATH", "HOME", "CARDSCAPE_PG_BIN"] {
        assert!(!environment::is_setting(machine), "{machine}");
    }
}

/// Otherwise `make fuzz` writes into the database of whoever calls it.
#[test]
fn scripts_start_services_without_settings_of_the_environment() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("left out: there is no python3; scripts/install-python.sh installs it");
        return;
    }
    // Python writes the program that stands for the service: while this process has it open, none of its threads can run it.
    let calls = r#"
import pathlib, sys
import service
program = pathlib.Path(sys.argv[1]) / "cardscape"
variables = "[${DATABASE_URL-}][${CARDSCAPE_KEYS_FILE-}][${CARDSCAPE_PG_BIN-}]"
program.write_text('#!/bin/sh\necho "ready: http://x/' + variables + '"\n')
program.chmod(0o700)
with service.running(program, "seed-data") as started:
    print(started.base)
    print(started.run("migrate"))
"#;
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new("python3")
        .args(["-B", "-c", calls])
        .arg(folder.path())
        .env("PYTHONPATH", scripts())
        .env("DATABASE_URL", "postgres://operator@db.example/cards")
        .env("CARDSCAPE_KEYS_FILE", "keys.json")
        .env("CARDSCAPE_PG_BIN", "programs")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let variables = "http://x/[][][programs]";
    assert_eq!(text(&output), format!("{variables}\nready: {variables}\n\n"));
}

/// The service refuses them, and then recommends this script.
#[test]
fn the_script_that_installs_postgres_does_not_find_wrapper_scripts() {
    let folder = tempfile::tempdir().unwrap();
    let (data, tools) = (folder.path().join("data"), folder.path().join("tools"));
    let programs = data.join("pgsql/usr/lib/postgresql/99/bin");
    std::fs::create_dir_all(&programs).unwrap();
    std::fs::create_dir(&tools).unwrap();
    for name in ["postgres", "initdb"] {
        let program = programs.join(name);
        std::fs::write(&program, "#!/bin/sh\necho 'postgres (PostgreSQL) 99.1'\n").unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    // All that the script needs to look; without the tools of a package manager it installs nothing.
    let path = std::env::var_os("PATH").unwrap();
    for name in ["head", "tail"] {
        let tool =
            std::env::split_paths(&path).map(|dir| dir.join(name)).find(|tool| tool.exists());
        std::os::unix::fs::symlink(tool.unwrap(), tools.join(name)).unwrap();
    }
    let output = environment::command("/bin/sh")
        .arg(scripts().join("install-postgres.sh"))
        .arg(&data)
        .env("CARDSCAPE_PG_INSTALL", "unpack")
        .env("PATH", &tools)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("PostgreSQL is not installed"), "{}", text(&output));
}
