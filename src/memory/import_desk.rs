//! Limits how many collection files are received and read at once, so that all files and the answers to them fit into memory.

use bytes::Bytes;

use crate::domain::collection::table::{FileFormat, Table, TableError};
use crate::domain::ids::AccountId;
use crate::domain::network::Network;
use crate::memory::places::{NoPlace, Place, Places};
use crate::work::{self, BoundedWork, Turn, WorkError, cores};

/// Files of one account at once.
const PER_ACCOUNT: usize = 2;
/// Files of one network at once.
const PER_NETWORK: usize = 2;
/// Files of a process at once, those included that are still being sent: each is up to 16 MiB.
const IN_ALL: usize = 4;
/// Files of a process that are read and answered at once: each takes up to 100 MiB.
const AT_ONCE: usize = 2;

/// For whom a file is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Holder {
    Account(AccountId),
    Network(Network),
}

/// The bound on files that are read at once.
#[derive(Debug)]
pub struct ImportDesk {
    places: Places<Holder>,
    work: BoundedWork,
}

/// A file that may be sent.
#[derive(Debug)]
pub struct ImportPlace {
    held: Place<Holder>,
    queued: work::Place,
}

/// A file that was read and is being answered. The next one waits for it.
#[derive(Debug)]
pub(crate) struct ImportTurn {
    held: Place<Holder>,
    turn: Turn,
}

impl Default for ImportDesk {
    fn default() -> Self {
        Self {
            places: Places::new(IN_ALL, "collection_imports_open"),
            work: BoundedWork::new(AT_ONCE.min(cores() / 2), IN_ALL),
        }
    }
}

impl ImportDesk {
    /// Takes a place, before the file is sent.
    pub fn enter(&self, account: AccountId, network: Network) -> Result<ImportPlace, NoPlace> {
        let networks = network.counted().map(|(network, factor)| {
            let factor = usize::try_from(factor).unwrap_or(usize::MAX);
            (Holder::Network(network), PER_NETWORK.saturating_mul(factor))
        });
        let account = (Holder::Account(account), PER_ACCOUNT);
        let held = self.places.take_for_all(networks.chain([account]))?;
        let queued = self.work.enter().map_err(|_| NoPlace::InAll)?;
        Ok(ImportPlace { held, queued })
    }
}

impl ImportPlace {
    /// Reads the file when it is its turn.
    pub(crate) async fn read(
        self,
        format: FileFormat,
        raw: Bytes,
    ) -> Result<(ImportTurn, Result<Table, TableError>), WorkError> {
        let turn = ImportTurn { held: self.held, turn: self.queued.turn().await? };
        turn.work(move || Table::read(format, &raw)).await
    }
}

impl ImportTurn {
    /// Does the last piece of work for a file.
    pub(crate) async fn run<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, WorkError> {
        Ok(self.work(work).await?.1)
    }

    /// Runs a piece of work on a blocking thread. The work keeps the place, even if the request has ended.
    async fn work<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<(Self, T), WorkError> {
        let Self { held, turn } = self;
        let (turn, (held, done)) = turn.run(move || (held, work())).await?;
        Ok((Self { held, turn }, done))
    }
}
