//! Who has a file read: so few at once that all files, and all answers to them, fit into memory beside everything else.

use crate::api::extract::TableFile;
use crate::api::problem::{Problem, ProblemCode};
use crate::api::shares::{Share, Shares};
use crate::domain::collection::table::{Table, TableError};
use crate::domain::ids::AccountId;
use crate::domain::network::Network;
use crate::work::{BoundedWork, Place, Turn, WorkError, cores};

/// Files of one account at once.
const PER_ACCOUNT: usize = 2;
/// Files of one network at once.
const PER_NETWORK: usize = 2;
/// Files of a process at once, those included that are still being sent: each is up to 16 MiB.
const IN_ALL: usize = 4;
/// Files of a process that are read and answered at once: each takes up to 100 MiB.
const AT_ONCE: usize = 2;
/// After how many seconds another try is worth it.
const RETRY_AFTER: u32 = 2;

/// The bound on files that are read at once.
#[derive(Debug)]
pub struct ImportDesk {
    accounts: Shares<AccountId>,
    networks: Shares<Network>,
    work: BoundedWork,
}

/// A file that may be sent.
#[derive(Debug)]
pub struct ImportPlace {
    shares: ImportShares,
    place: Place,
}

type ImportShares = (Share<AccountId>, Share<Network>);

/// A file that was read and is being answered. The next one waits for it.
#[derive(Debug)]
pub(super) struct ImportTurn {
    shares: ImportShares,
    turn: Turn,
}

impl Default for ImportDesk {
    fn default() -> Self {
        Self {
            accounts: Shares::new(PER_ACCOUNT),
            networks: Shares::new(PER_NETWORK),
            work: BoundedWork::new(AT_ONCE.min(cores() / 2), IN_ALL),
        }
    }
}

impl ImportDesk {
    /// Takes a place, before the file is sent: 429 when account or network have as many as they may, 503 when all together have.
    pub fn enter(&self, account: AccountId, network: Network) -> Result<ImportPlace, Problem> {
        let too_many = || Problem::new(ProblemCode::TooManyImports).retry_after(RETRY_AFTER);
        let shares = (
            self.accounts.take(account).ok_or_else(too_many)?,
            self.networks.take(network).ok_or_else(too_many)?,
        );
        Ok(ImportPlace { shares, place: self.work.enter()? })
    }
}

impl ImportPlace {
    /// Reads the file when it is its turn.
    pub(super) async fn read(
        self,
        file: TableFile,
    ) -> Result<(ImportTurn, Result<Table, TableError>), WorkError> {
        let turn = ImportTurn { shares: self.shares, turn: self.place.turn().await? };
        turn.work(move || Table::read(file.format, &file.raw)).await
    }
}

impl ImportTurn {
    /// Does the last piece of work for a file.
    pub(super) async fn run<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, WorkError> {
        Ok(self.work(work).await?.1)
    }

    /// Does a piece of work on a thread that answers no requests. The shares go along, also when nobody waits for the answer any more.
    async fn work<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<(Self, T), WorkError> {
        let Self { shares, turn } = self;
        let (turn, (shares, done)) = turn.run(move || (shares, work())).await?;
        Ok((Self { shares, turn }, done))
    }
}
