//! Limits on open streams, downloads and imports of files.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::domain::network::Network;

/// A limited number of places, in all and for each holder.
#[derive(Debug)]
pub struct Places<K> {
    taken: Arc<Mutex<PlacesTaken<K>>>,
    in_all: usize,
    gauge: &'static str,
}

#[derive(Debug)]
struct PlacesTaken<K> {
    by_holder: HashMap<K, usize>,
    in_all: usize,
}

/// A place; freed when it is dropped.
#[derive(Debug)]
pub struct Place<K: Eq + Hash> {
    taken: Arc<Mutex<PlacesTaken<K>>>,
    holders: Vec<K>,
    gauge: &'static str,
}

/// Why there is no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPlace {
    /// The holder has all the places that it may have.
    Holder,
    /// All places are taken.
    InAll,
}

impl<K: Copy + Eq + Hash> Places<K> {
    /// At most `in_all` places, which the metric `gauge` counts.
    pub fn new(in_all: usize, gauge: &'static str) -> Self {
        let taken = PlacesTaken { by_holder: HashMap::new(), in_all: 0 };
        Self { taken: Arc::new(Mutex::new(taken)), in_all, gauge }
    }

    /// Takes a place for a holder that may have `most` places.
    pub fn take(&self, holder: K, most: usize) -> Result<Place<K>, NoPlace> {
        self.take_for_all([(holder, most)])
    }

    /// Takes a place that counts for several distinct holders, each with the number of places that it may have.
    pub(crate) fn take_for_all(
        &self,
        holders: impl IntoIterator<Item = (K, usize)>,
    ) -> Result<Place<K>, NoPlace> {
        let mut taken = lock(&self.taken);
        let holders: Vec<(K, usize)> = holders.into_iter().collect();
        let is_full = |(holder, most): &(K, usize)| {
            taken.by_holder.get(holder).is_some_and(|places| places >= most)
        };
        if holders.iter().any(is_full) {
            return Err(NoPlace::Holder);
        }
        if taken.in_all >= self.in_all {
            return Err(NoPlace::InAll);
        }
        taken.in_all += 1;
        for (holder, _) in &holders {
            *taken.by_holder.entry(*holder).or_default() += 1;
        }
        metrics::gauge!(self.gauge).increment(1);
        let holders = holders.into_iter().map(|(holder, _)| holder).collect();
        Ok(Place { taken: self.taken.clone(), holders, gauge: self.gauge })
    }

    /// Whether no place is taken.
    pub fn is_empty(&self) -> bool {
        lock(&self.taken).in_all == 0
    }
}

impl Places<Network> {
    /// Takes a place for a client of that network. The network may have `most` places, and each wider network around it
    /// `most` times the factor that [`Network::counted`] returns.
    pub fn take_for_network(
        &self,
        network: Network,
        most: usize,
    ) -> Result<Place<Network>, NoPlace> {
        let counted = network.counted();
        let most = |factor| most.saturating_mul(usize::try_from(factor).unwrap_or(usize::MAX));
        self.take_for_all(counted.map(|(network, factor)| (network, most(factor))))
    }
}

impl<K: Eq + Hash> Drop for Place<K> {
    fn drop(&mut self) {
        let mut taken = lock(&self.taken);
        taken.in_all -= 1;
        metrics::gauge!(self.gauge).decrement(1);
        for holder in &self.holders {
            if let Some(left) = taken.by_holder.get_mut(holder) {
                *left -= 1;
                if *left == 0 {
                    taken.by_holder.remove(holder);
                }
            }
        }
    }
}

fn lock<K>(taken: &Mutex<PlacesTaken<K>>) -> MutexGuard<'_, PlacesTaken<K>> {
    taken.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    #[test]
    fn a_dropped_place_is_free_again() {
        let places = Places::new(4, "places_in_a_test");
        let mut taken: Vec<Place<u8>> = (0..3).map(|_| places.take(1, 3).unwrap()).collect();
        assert_eq!(places.take(1, 3).unwrap_err(), NoPlace::Holder);
        let other = places.take(2, 3).unwrap();
        assert_eq!(places.take(3, 3).unwrap_err(), NoPlace::InAll);
        taken.pop();
        taken.push(places.take(1, 3).unwrap());
        drop((taken, other));
        assert!(places.is_empty());
        assert!(lock(&places.taken).by_holder.is_empty());
    }

    #[test]
    fn networks_of_one_provider_share_a_larger_number() {
        let network = |text: &str| Network::from(text.parse::<IpAddr>().unwrap());
        let places = Places::new(1_000, "places_in_a_test");
        let mut taken = Vec::new();
        let mut take = |network: Network| {
            taken.push(places.take_for_network(network, 2).ok()?);
            Some(())
        };
        let street: Vec<String> = (0..6).map(|home| format!("2001:db8:0:{home}::1")).collect();
        let taken = street.iter().flat_map(|home| [home, home, home]);
        let taken = taken.filter(|home| take(network(home)).is_some()).count();
        assert_eq!(taken, 8, "two places for each of four networks");
        let town: Vec<String> =
            (1..20).map(|street| format!("2001:db8:0:{street:x}00::1")).collect();
        let taken = town.iter().flat_map(|home| [home, home, home]);
        let taken = taken.filter(|home| take(network(home)).is_some()).count();
        assert_eq!(taken, 24, "the wider network has 32 places, of which 8 are taken");
        assert!(take(network("2001:db8:1::1")).is_some(), "a network outside of the wider network");
        assert!(take(network("192.0.2.1")).is_some());
    }
}
