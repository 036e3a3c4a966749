//! How many of something one account, or one network, holds at once.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Counts<K> = Arc<Mutex<HashMap<K, usize>>>;

/// A bound on what each key holds at once.
#[derive(Debug)]
pub(super) struct Shares<K> {
    held: Counts<K>,
    most: usize,
}

/// One of what a key may hold. Gives itself back when it is dropped.
#[derive(Debug)]
pub(super) struct Share<K: Eq + Hash> {
    held: Counts<K>,
    key: K,
}

impl<K: Copy + Eq + Hash> Shares<K> {
    /// So many for each key.
    pub(super) fn new(most: usize) -> Self {
        Self { held: Counts::default(), most }
    }

    /// A further share; `None`: the key has as many as it may.
    pub(super) fn take(&self, key: K) -> Option<Share<K>> {
        let mut held = lock(&self.held);
        let of_key = held.get(&key).copied().unwrap_or_default();
        if of_key >= self.most {
            return None;
        }
        held.insert(key, of_key + 1);
        Some(Share { held: self.held.clone(), key })
    }
}

impl<K: Eq + Hash> Drop for Share<K> {
    fn drop(&mut self) {
        let mut held = lock(&self.held);
        if let Some(left) = held.get_mut(&self.key) {
            *left -= 1;
            if *left == 0 {
                held.remove(&self.key);
            }
        }
    }
}

fn lock<K>(held: &Mutex<HashMap<K, usize>>) -> MutexGuard<'_, HashMap<K, usize>> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_that_is_given_back_makes_room_and_leaves_nothing_behind() {
        let shares = Shares::new(2);
        let (first, second) = (shares.take('a').unwrap(), shares.take('a').unwrap());
        assert!(shares.take('a').is_none());
        assert!(shares.take('b').is_some(), "others are not concerned");
        drop(first);
        assert!(shares.take('a').is_some());
        drop(second);
        assert!(lock(&shares.held).is_empty());
    }
}
