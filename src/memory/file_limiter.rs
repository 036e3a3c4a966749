//! Limits how many files of one kind are received and read at a time, so that all of them and their responses fit into
//! memory.

use crate::domain::ids::AccountId;
use crate::domain::network::Network;
use crate::memory::places::{NoPlace, Place, Places};
use crate::work::{self, BoundedWork, WorkError, WorkPermit, cores};

/// The account or network that a file is counted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Holder {
    Account(AccountId),
    Network(Network),
}

/// The limit on files that are read at a time.
#[derive(Debug)]
pub struct FileLimiter {
    places: Places<Holder>,
    work: BoundedWork,
    per_account: usize,
    per_network: usize,
}

/// The place of a file that the client may send.
#[derive(Debug)]
pub struct FilePlace {
    place: Place<Holder>,
    queued: work::Place,
}

/// The turn of a file that is being read or answered. Other files wait until it is dropped.
#[derive(Debug)]
pub(crate) struct FileTurn {
    place: Place<Holder>,
    turn: WorkPermit,
}

impl FileLimiter {
    /// For collection files: four at a time, including those that are still being received, of up to 16 MiB each. Two
    /// of them are read and answered at a time, which takes up to 100 MiB each. At most two per account, and two per
    /// network.
    pub fn for_collections() -> Self {
        Self {
            places: Places::new(4, "collection_imports_open"),
            work: BoundedWork::new(2.min(cores() / 2), 4),
            per_account: 2,
            per_network: 2,
        }
    }

    /// For catalogue files that admins send from pages: two at a time, including those that are still being received, of
    /// up to 8 MiB each. One of them is checked or stored while the other waits.
    pub fn for_catalogue() -> Self {
        Self {
            places: Places::new(2, "catalogue_imports_open"),
            work: BoundedWork::new(1, 2),
            per_account: 2,
            per_network: 2,
        }
    }

    /// For uploaded pictures: eight at a time, including those that are still being received, of up to 10 MiB each.
    /// They are read one at a time, which takes up to 256 MiB and a second. At most two per account, and four per
    /// network.
    pub fn for_artworks() -> Self {
        Self {
            places: Places::new(8, "artwork_uploads_open"),
            work: BoundedWork::new(1, 8),
            per_account: 2,
            per_network: 4,
        }
    }

    /// Takes a place; must be called before the file is received.
    pub fn enter(&self, account: AccountId, network: Network) -> Result<FilePlace, NoPlace> {
        let networks = network.counted().map(|(network, factor)| {
            let factor = usize::try_from(factor).unwrap_or(usize::MAX);
            (Holder::Network(network), self.per_network.saturating_mul(factor))
        });
        let account = (Holder::Account(account), self.per_account);
        let place = self.places.take_for_all(networks.chain([account]))?;
        let queued = self.work.enter().map_err(|_| NoPlace::InAll)?;
        Ok(FilePlace { place, queued })
    }
}

impl FilePlace {
    /// Waits for the turn of the file.
    pub(crate) async fn turn(self) -> Result<FileTurn, WorkError> {
        Ok(FileTurn { place: self.place, turn: self.queued.turn().await? })
    }
}

impl FileTurn {
    /// Runs a job on a blocking thread. The job keeps the place, even if the request has ended.
    pub(crate) async fn work<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<(Self, T), WorkError> {
        let Self { place, turn } = self;
        let (turn, (place, done)) = turn.run(move || (place, work())).await?;
        Ok((Self { place, turn }, done))
    }

    /// Runs the last job for a file.
    pub(crate) async fn run<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, WorkError> {
        Ok(self.work(work).await?.1)
    }
}
