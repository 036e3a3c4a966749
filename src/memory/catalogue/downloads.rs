//! Limits how many downloads of bulk files run at once.

use crate::domain::network::Network;
use crate::memory::places::{Place, Places};

/// Most downloads of one network.
const PER_NETWORK: usize = 20;
/// Most downloads of a process: each has a chunk in memory, some twice.
const IN_ALL: usize = 2_000;

/// The downloads of the process.
#[derive(Debug)]
pub struct Downloads(Places<Network>);

impl Default for Downloads {
    fn default() -> Self {
        Self(Places::new(IN_ALL, "bulk_downloads"))
    }
}

impl Downloads {
    /// Begins a download; `None` when its network or the process has reached the limit of downloads.
    pub fn begin(&self, network: Network) -> Option<Place<Network>> {
        self.0.take_for_network(network, PER_NETWORK).ok()
    }
}
