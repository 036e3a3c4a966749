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

    /// Takes a place, also for the widest network around the client; must be called before the file is received.
    pub fn enter(&self, account: AccountId, network: Network) -> Result<FilePlace, NoPlace> {
        let network = (Holder::Network(network.widest()), self.per_network);
        let account = (Holder::Account(account), self.per_account);
        let place = self.places.take_for_all([network, account])?;
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

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    #[test]
    fn a_customer_with_many_networks_leaves_places_for_others() {
        let limiter = FileLimiter::for_collections();
        let enter = |address: &str| {
            let network = address.parse::<IpAddr>().unwrap().into();
            limiter.enter(AccountId::generate(), network)
        };
        // Two networks of one /56, and one of the same /48.
        let held = [enter("2001:db8:0:1::1").unwrap(), enter("2001:db8:0:2::1").unwrap()];
        assert_eq!(enter("2001:db8:0:3::1").unwrap_err(), NoPlace::Holder);
        assert_eq!(enter("2001:db8:0:100::1").unwrap_err(), NoPlace::Holder);
        let others = [enter("2001:db8:1:1::1").unwrap(), enter("192.0.2.1").unwrap()];
        assert_eq!(enter("192.0.2.2").unwrap_err(), NoPlace::InAll);
        drop((held, others));
        assert!(limiter.places.is_empty());
    }
}
