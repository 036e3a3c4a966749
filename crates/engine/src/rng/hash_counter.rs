//! The stream that can be checked in any language that has SHA-256, and numbers from texts.

use sha2::{Digest as _, Sha256};

use super::RandomNumbers;

/// SHA-256 of a prefix and a counter. Block *i* (from 0) is SHA-256 of the prefix and *i* as 8 bytes, big-endian; it is four numbers of 64
/// bits, big-endian.
///
/// The prefix has the purpose and the seed. No prefix may be the beginning of another.
///
/// ```
/// use cardscape_engine::rng::{HashCounter, RandomNumbers};
///
/// // printf 'monday\0\0\0\0\0\0\0\0' | sha256sum
/// let mut numbers = HashCounter::new(b"monday");
/// assert_eq!(numbers.next_number(), 0x4d9a_2822_e114_9cea);
/// ```
#[derive(Clone)]
pub struct HashCounter {
    prefix: Sha256,
    next_block: u64,
    numbers: [u64; 4],
    used: usize,
}

impl HashCounter {
    /// The numbers of a prefix.
    pub fn new(prefix: &[u8]) -> Self {
        let prefix = Sha256::new().chain_update(prefix);
        Self { prefix, next_block: 0, numbers: [0; 4], used: 4 }
    }
}

impl RandomNumbers for HashCounter {
    fn next_number(&mut self) -> u64 {
        if self.used == self.numbers.len() {
            let block: [u8; 32] =
                self.prefix.clone().chain_update(self.next_block.to_be_bytes()).finalize().into();
            let (numbers, _) = block.as_chunks::<8>();
            for (number, bytes) in self.numbers.iter_mut().zip(numbers) {
                *number = u64::from_be_bytes(*bytes);
            }
            self.next_block += 1;
            self.used = 0;
        }
        self.used += 1;
        self.numbers[self.used - 1]
    }
}

/// One number from a text, the same for the same text: the first 8 bytes of its SHA-256, big-endian.
///
/// ```
/// // printf monday | sha256sum
/// assert_eq!(cardscape_engine::rng::text_number("monday"), 0xd618_fb15_7a4b_382e);
/// ```
pub fn text_number(text: &str) -> u64 {
    let digest: [u8; 32] = Sha256::digest(text.as_bytes()).into();
    digest.first_chunk().copied().map_or(0, u64::from_be_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks that another program (`hashlib` of Python) computed.
    #[test]
    fn the_numbers_are_the_specified_ones() {
        let mut numbers = HashCounter::new(b"");
        assert_eq!(
            [0; 5].map(|_| numbers.next_number()),
            [
                0xaf55_70f5_a181_0b7a,
                0xf78c_af4b_c70a_660f,
                0x0df5_1e42_baf9_1d4d,
                0xe5b2_328d_e0e8_3dfc,
                0xcd26_6215_4e6d_76b2,
            ]
        );
        let mut numbers = HashCounter::new(b"notes/");
        let eight = [0; 8].map(|_| numbers.next_number());
        assert_eq!(eight[0], 0x534b_a932_3031_cf93);
        assert_eq!(eight[3..5], [0x9e1f_bef0_1114_9f88, 0xecac_500d_5ba3_72da]);
        assert_eq!(eight[7], 0xebde_70ab_ca2c_eeda);
    }

    /// The examples of FIPS 180-4: of `abc`, and of the empty text.
    #[test]
    fn numbers_of_texts_are_hashes() {
        assert_eq!(text_number("abc"), 0xba78_16bf_8f01_cfea);
        assert_eq!(text_number(""), 0xe3b0_c442_98fc_1c14);
    }
}
