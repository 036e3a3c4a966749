//! The key file of an installation: finds it, creates it at the first start, and checks that it belongs to the
//! database.

use std::path::{Path, PathBuf};

use super::ExitError;
use super::database::{Database, has_private_database};
use crate::auth::keys::KeyRing;
use crate::config::DatabaseOptions;
use crate::domain::clock::Clock;
use crate::store::Store;
use crate::store::db::migrations;
use crate::store::printing::key_fingerprints::{self, Dependents, LostKeys, MissingKey};

/// A key file that was not yet compared with the database.
pub(super) struct KeyFile {
    path: PathBuf,
    /// Its content; `None` when the file does not exist.
    ring: Option<KeyRing>,
    /// Whether the first start creates it: for a private Postgres, unless the options name a file.
    is_generated: bool,
}

/// Why the service cannot start with its keys.
#[derive(Debug, thiserror::Error)]
enum KeyFileError {
    #[error("there is no key file {0}: make one with `cardscape keys generate FILE`")]
    None(PathBuf),
    #[error(
        "the key file {} is missing, but the database was used with one. Put it back from your backup. Without it {}. \
         Only if it is lost for good: `cardscape keys replace-lost` makes a new one (docs/OPERATIONS.md, Keys)",
        path.display(), consequences(dependents)
    )]
    Lost { path: PathBuf, dependents: Dependents },
    #[error(
        "the key file {} does not belong to this database, which was used with other keys: it lacks {}. Is it the file of another \
         installation, or from another backup? Start with the one that belongs to this database; all instances need the same. \
         With this one {}. Only if the other is lost for good: `cardscape keys replace-lost` (docs/OPERATIONS.md, Keys)",
        path.display(), names(missing), consequences(dependents)
    )]
    Foreign { path: PathBuf, missing: Vec<MissingKey>, dependents: Dependents },
}

/// Says what is lost with the keys.
fn consequences(dependents: &Dependents) -> String {
    let mut losses = Vec::new();
    let codes = dependents.codes;
    match dependents.print_runs {
        0 => {}
        1 => losses.push(format!(
            "none of the {codes} serial codes of a print run can ever be checked again"
        )),
        runs => losses.push(format!(
            "none of the {codes} serial codes of {runs} print runs can ever be checked again"
        )),
    }
    if dependents.access_tokens {
        losses.push("all access tokens end".to_owned());
    }
    if dependents.attempts {
        losses.push("attempt limits start afresh".to_owned());
    }
    match dependents.second_factors {
        0 => {}
        1 => losses.push("an account must set its second factor up again".to_owned()),
        count => losses.push(format!("{count} accounts must set their second factors up again")),
    }
    match dependents.webhooks {
        0 => {}
        1 => losses
            .push("the webhook gets another secret, which its receiver must be given".to_owned()),
        count => losses.push(format!(
            "{count} webhooks get other secrets, which their receivers must be given"
        )),
    }
    match losses.pop() {
        None => "nothing that is stored is lost".to_owned(),
        Some(last) if losses.is_empty() => last,
        Some(last) => format!("{}, and {last}", losses.join(", ")),
    }
}

fn names(missing: &[MissingKey]) -> String {
    let names = missing.iter().map(|MissingKey { purpose, key_id, is_other }| match is_other {
        true => format!("the key {key_id} in `{purpose}` (the one there has another secret)"),
        false => format!("the key {key_id} in `{purpose}`"),
    });
    names.collect::<Vec<_>>().join(", ")
}

impl KeyFile {
    /// Reads the file from the options, or the one in the data directory.
    pub(super) fn read(named: Option<&Path>, data_dir: Option<&Path>) -> anyhow::Result<Self> {
        let (path, is_generated) = match (named, data_dir) {
            (Some(file), _) => (file.to_owned(), false),
            (None, Some(data_dir)) => (data_dir.join("keys.json"), true),
            (None, None) => {
                return Err(ExitError::usage(
                    "with DATABASE_URL the keys must come from you: make a file with `cardscape keys generate FILE` \
                     and name it with --keys-file or CARDSCAPE_KEYS_FILE",
                )
                .into());
            }
        };
        let ring = KeyRing::load_if_there(&path)?;
        Ok(Self { path, ring, is_generated })
    }

    /// The key file of these options. If there is no private Postgres yet, a named file must exist: otherwise the
    /// database would be created and then be unusable.
    pub(super) fn of(options: &DatabaseOptions) -> anyhow::Result<Self> {
        let data_dir = options.database_url.is_none().then(|| options.data_dir());
        let file = Self::read(options.keys_file.as_deref(), data_dir.as_deref())?;
        if data_dir.is_some() && file.is_missing() && !has_private_database(options)? {
            return Err(KeyFileError::None(file.path).into());
        }
        Ok(file)
    }

    /// The same check for a user's server, before tables are created in a new database.
    pub(super) async fn require_for_new(&self, database: &Database) -> anyhow::Result<()> {
        if !self.is_missing() || database.is_private() {
            return Ok(());
        }
        database.reach_server().await?;
        if migrations::has_begun(&database.settings).await? {
            return Ok(());
        }
        Err(KeyFileError::None(self.path.clone()).into())
    }

    /// Whether the options name a file that does not exist.
    fn is_missing(&self) -> bool {
        self.ring.is_none() && !self.is_generated
    }

    /// Whether the file exists.
    pub(super) fn exists(&self) -> bool {
        self.ring.is_some()
    }

    /// The path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the keys, after checking that the migrated database was used with them. At the first start they are
    /// created and synced to disk before anything in the database can depend on them, so that a killed start needs no
    /// repair.
    pub(super) async fn keys_for(mut self, database: &Database) -> anyhow::Result<KeyRing> {
        let store = Store::new(&database.settings)?;
        // Another process may have created the file since.
        if self.ring.is_none() {
            self.ring = KeyRing::load_if_there(&self.path)?;
        }
        let ring = match self.ring {
            Some(ring) => ring,
            None => match (key_fingerprints::is_in_use(&store).await?, self.is_generated) {
                (true, _) => {
                    let dependents =
                        key_fingerprints::count_dependents(&store, LostKeys::File).await?;
                    return Err(KeyFileError::Lost { path: self.path, dependents }.into());
                }
                (false, false) => return Err(KeyFileError::None(self.path).into()),
                (false, true) => create_or_load(&self.path)?,
            },
        };
        let now = Clock::system().now();
        match key_fingerprints::check_and_register(&store, &ring.fingerprints(), now).await? {
            Ok(()) => Ok(ring),
            Err(missing) => {
                let opening = ring.opening_ids();
                let lost = LostKeys::These { missing: &missing, opening: &opening };
                let dependents = key_fingerprints::count_dependents(&store, lost).await?;
                Err(KeyFileError::Foreign { path: self.path, missing, dependents }.into())
            }
        }
    }

    /// The keys in the file; creates the file with new keys if it does not exist.
    pub(super) fn ring_or_new(self) -> anyhow::Result<KeyRing> {
        match self.ring {
            Some(ring) => Ok(ring),
            None => create_or_load(&self.path),
        }
    }
}

/// Creates the key file, or loads it if another process was faster.
fn create_or_load(path: &Path) -> anyhow::Result<KeyRing> {
    if let Err(error) = KeyRing::create(path)
        && !path.exists()
    {
        return Err(error.into());
    }
    Ok(KeyRing::load(path)?)
}

/// The message to an operator who replaces lost keys: what is lost.
pub(super) fn loss_message(dependents: &Dependents) -> String {
    format!("With these keys {}.", consequences(dependents))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consequences_are_those_of_the_lost_keys() {
        let none = Dependents::default();
        assert_eq!(consequences(&none), "nothing that is stored is lost");
        let run = Dependents { print_runs: 1, codes: 32, ..none };
        assert_eq!(
            consequences(&run),
            "none of the 32 serial codes of a print run can ever be checked again"
        );
        let lookups = Dependents { attempts: true, webhooks: 1, ..none };
        assert_eq!(
            consequences(&lookups),
            "attempt limits start afresh, and the webhook gets another secret, which its receiver must be given"
        );
        let all = Dependents {
            print_runs: 2,
            codes: 192,
            webhooks: 11,
            second_factors: 3,
            access_tokens: true,
            attempts: true,
        };
        assert_eq!(
            consequences(&all),
            "none of the 192 serial codes of 2 print runs can ever be checked again, all access tokens end, attempt limits start \
             afresh, 3 accounts must set their second factors up again, and 11 webhooks get other secrets, which their receivers must \
             be given"
        );
    }
}
