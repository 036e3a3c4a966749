//! The private Postgres of the default set-up: the settings that this service gives the library `embedded-postgres`.

use std::path::PathBuf;
use std::time::Duration;

use embedded_postgres::Settings;

use super::wire;

/// Names the superuser and the lock file of every existing private Postgres, so it must not change.
const NAME: &str = "cardscape";

/// The oldest major version of PostgreSQL that the migrations work with: `UNIQUE NULLS NOT DISTINCT` came with it.
pub(super) const OLDEST_MAJOR: u32 = 15;

/// Settings for a durable private Postgres in a data directory of this service.
pub fn settings(data_dir: impl Into<PathBuf>) -> Settings {
    Settings { oldest_major: OLDEST_MAJOR, ..Settings::new(NAME, data_dir) }
}

/// Waits on this thread until this process has closed its connections, so that a private Postgres that is stopped then breaks none off.
pub fn wait_for_closed_connections() {
    wire::wait_until_closed(Duration::from_secs(2));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_that_installs_postgres_and_the_service_need_the_same_version() {
        assert_eq!(settings("data").oldest_major, OLDEST_MAJOR);
        let script = include_str!("../../../scripts/install-postgres.sh");
        assert!(script.contains(&format!("\nOLDEST={OLDEST_MAJOR}\n")));
    }
}
