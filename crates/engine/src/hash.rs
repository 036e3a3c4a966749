//! Hash tables without a random seed, so that equal inputs take equal paths.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Keys of these maps come from manifests and card pools, which administrators import; what players send is only
/// looked up, never inserted.
pub(crate) type FixedMap<K, V> = HashMap<K, V, BuildHasherDefault<FixedHasher>>;

/// A multiply-and-rotate hasher over 8-byte words with a fixed start.
#[derive(Debug, Default, Clone)]
pub(crate) struct FixedHasher(u64);

const FACTOR: u64 = 0x517c_c1b7_2722_0a95;

impl FixedHasher {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    }
}

impl Hasher for FixedHasher {
    fn write(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some((word, more)) = rest.split_first_chunk() {
            self.mix(u64::from_le_bytes(*word));
            rest = more;
        }
        if rest.is_empty() {
            return;
        }
        // The last word overlaps the one before it: reading whole words is faster than copying some bytes of one.
        if let Some(word) = bytes.last_chunk() {
            self.mix(u64::from_le_bytes(*word));
        } else {
            let word = rest.iter().fold(0, |word, byte| (word << 8) | u64::from(*byte));
            self.mix(word);
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.mix(u64::from(value));
    }

    fn write_u32(&mut self, value: u32) {
        self.mix(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.mix(value);
    }

    fn write_usize(&mut self, value: usize) {
        self.mix(value as u64);
    }

    fn finish(&self) -> u64 {
        // The map takes its bucket from the low bits, which a multiplication alone mixes worst.
        let folded = (self.0 ^ (self.0 >> 32)).wrapping_mul(FACTOR);
        folded ^ (folded >> 29)
    }
}

/// The 64-bit fingerprint of a text, the same on every machine and in every run.
pub(crate) fn fingerprint(text: &str) -> u64 {
    let mut hasher = FixedHasher::default();
    hasher.write_usize(text.len());
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// The hash of a key in a [`HashIndex`].
pub(crate) fn key_hash(key: &[u8]) -> u32 {
    let mut hasher = FixedHasher::default();
    hasher.write_usize(key.len());
    hasher.write(key);
    u32::try_from(hasher.finish() & u64::from(u32::MAX)).unwrap_or_default()
}

/// Positions by the hashes of keys. The keys are stored elsewhere, once, and the caller compares them: a catalogue of the few cards of one request is built
/// from prepared cards without copying or hashing a key.
#[derive(Debug, Clone, Default)]
pub(crate) struct HashIndex {
    /// Hashes and positions. The number of slots is a power of two, and at most half of them are used.
    slots: Vec<(u32, u32)>,
    used: usize,
}

/// The position in a slot that is not used.
const UNUSED: u32 = u32::MAX;
/// Smallest number of slots.
const SLOTS_MIN: usize = 8;

impl HashIndex {
    /// Makes room for so many more keys.
    pub(crate) fn reserve(&mut self, more: usize) {
        let slots = (2 * (self.used + more)).next_power_of_two().max(SLOTS_MIN);
        if slots > self.slots.len() {
            let before = std::mem::replace(&mut self.slots, vec![(0, UNUSED); slots]);
            for (hash, position) in before {
                if position != UNUSED {
                    self.put(hash, position);
                }
            }
        }
    }

    /// Adds a position under a hash. The caller knows that the key is not there yet.
    pub(crate) fn insert(&mut self, hash: u32, position: u32) {
        self.reserve(1);
        self.put(hash, position);
        self.used += 1;
    }

    /// The position with this hash of which `is_key` says that it has the key.
    pub(crate) fn find(&self, hash: u32, is_key: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = hash as usize & mask;
        loop {
            let (own, position) = self.slots[at];
            if position == UNUSED {
                return None;
            }
            if own == hash && is_key(position) {
                return Some(position);
            }
            at = (at + 1) & mask;
        }
    }

    fn put(&mut self, hash: u32, position: u32) {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at].1 != UNUSED {
            at = (at + 1) & mask;
        }
        self.slots[at] = (hash, position);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_found_by_their_keys_also_if_hashes_are_equal() {
        let keys: Vec<String> = (0..1_000).map(|at| format!("key {at}")).collect();
        let mut index = HashIndex::default();
        assert_eq!(index.find(7, |_| true), None);
        // Few hashes, so that most of them are equal.
        let hash = |key: &str| key_hash(key.as_bytes()) % 50;
        for (at, key) in (0..).zip(&keys) {
            assert_eq!(index.find(hash(key), |known| keys[known as usize] == *key), None);
            index.insert(hash(key), at);
        }
        for (at, key) in (0..).zip(&keys) {
            assert_eq!(index.find(hash(key), |known| keys[known as usize] == *key), Some(at));
        }
        assert_eq!(index.find(hash("key 1000"), |known| keys[known as usize] == "key 1000"), None);
    }
}
