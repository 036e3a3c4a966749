//! A hash map without a random seed, so that equal inputs take equal paths.

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
