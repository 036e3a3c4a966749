//! The private Postgres of the default set-up: what the library `embedded-postgres` is told of this service.

use std::path::PathBuf;

use embedded_postgres::Settings;

/// Names the superuser and the lock file of every private Postgres that exists: it cannot change.
const NAME: &str = "cardscape";

/// Settings for a durable private Postgres in a data directory of this service.
pub fn settings(data_dir: impl Into<PathBuf>) -> Settings {
    Settings::new(NAME, data_dir)
}
