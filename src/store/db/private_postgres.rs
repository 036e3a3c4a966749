//! The private Postgres of the default set-up: the settings that this service gives the library `embedded-postgres`.

use std::path::PathBuf;

use embedded_postgres::Settings;

/// Names the superuser and the lock file of every existing private Postgres, so it must not change.
const NAME: &str = "cardscape";

/// Settings for a durable private Postgres in a data directory of this service.
pub fn settings(data_dir: impl Into<PathBuf>) -> Settings {
    Settings::new(NAME, data_dir)
}
