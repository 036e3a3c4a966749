//! The stream of bits of a share code, the highest bit of a number first, and the check digits.

/// base64url (RFC 4648, section 5): a digit is six bits.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// The characters of words. The position of a character is its value of six bits.
const LETTERS: &[u8; 38] = b"abcdefghijklmnopqrstuvwxyz0123456789-_";
/// The value that ends a word of [`LETTERS`].
const END: u64 = 38;
/// The value that begins a word of other characters: the number of its bytes, and the bytes in UTF-8.
const BYTES: u64 = 39;

/// Maximum number of bytes of a word. Many entries share a word such as their zone, so that a short code with a long word would become a very large
/// deck.
const WORD_MAX: usize = 1_000;

/// The CRC-24 of OpenPGP (RFC 9580, section 6.1) of the characters before them, as four digits.
pub(super) fn check_digits(code: &str) -> String {
    let mut crc = 0x00b7_04ce_u32;
    for byte in code.bytes() {
        crc ^= u32::from(byte) << 16;
        for _ in 0..8 {
            crc <<= 1;
            if crc & 0x0100_0000 != 0 {
                crc ^= 0x0186_4cfb;
            }
        }
    }
    [18, 12, 6, 0].map(|lower_bits| digit(crc >> lower_bits)).iter().collect()
}

fn digit(value: u32) -> char {
    char::from(DIGITS[(value & 63) as usize])
}

fn value_of(byte: u8) -> Option<u64> {
    LETTERS.iter().position(|character| *character == byte).map(|at| at as u64)
}

#[derive(Debug, Default)]
pub(super) struct BitWriter {
    digits: String,
    /// Bits that do not fill a digit yet.
    pending: u32,
    pending_bits: u32,
    /// Whether a word was longer than [`WORD_MAX`].
    is_overlong: bool,
}

impl BitWriter {
    pub(super) fn flag(&mut self, flag: bool) {
        self.pending = (self.pending << 1) | u32::from(flag);
        self.pending_bits += 1;
        if self.pending_bits == 6 {
            self.digits.push(digit(self.pending));
            (self.pending, self.pending_bits) = (0, 0);
        }
    }

    pub(super) fn bits(&mut self, value: u64, bits: u32) {
        (0..bits).rev().for_each(|bit| self.flag((value >> bit) & 1 == 1));
    }

    /// Writes a number from 1 in Elias gamma coding: as many zeros as it has bits after its first one, then its bits.
    fn gamma(&mut self, value: u64) {
        let more = value.ilog2();
        self.bits(0, more);
        self.bits(value, more + 1);
    }

    pub(super) fn count_from_one(&mut self, count: usize) {
        self.gamma(count as u64);
    }

    /// Writes a number from 0.
    pub(super) fn count(&mut self, count: usize) {
        self.gamma(count as u64 + 1);
    }

    /// Writes a number of copies from 1: up to three copies take two bits.
    pub(super) fn copies(&mut self, copies: u32) {
        match copies {
            1..=3 => self.bits(copies.into(), 2),
            more => {
                self.bits(0, 2);
                self.gamma(u64::from(more.max(4)) - 3);
            }
        }
    }

    /// Writes a number from 0 in Rice coding: its upper part in unary (that number of ones, then a zero), then its lower bits.
    pub(super) fn step(&mut self, step: u32, lower_bits: u32) {
        (0..step >> lower_bits).for_each(|_| self.flag(true));
        self.flag(false);
        self.bits(step.into(), lower_bits);
    }

    pub(super) fn word(&mut self, word: &str) {
        if word.len() > WORD_MAX {
            self.is_overlong = true;
            return;
        }
        let letters: Option<Vec<u64>> = word.bytes().map(value_of).collect();
        match letters {
            Some(letters) => letters.into_iter().chain([END]).for_each(|value| self.bits(value, 6)),
            None => {
                self.bits(BYTES, 6);
                self.count(word.len());
                word.bytes().for_each(|byte| self.bits(byte.into(), 8));
            }
        }
    }

    /// The digits; the last is filled up with zeros. `None`: a word is too long.
    pub(super) fn into_digits(mut self) -> Option<String> {
        while self.pending_bits > 0 {
            self.flag(false);
        }
        (!self.is_overlong).then_some(self.digits)
    }
}

/// Reads what [`BitWriter`] writes; `None`: the stream ends too early, or is not valid.
#[derive(Debug)]
pub(super) struct BitReader<'a> {
    digits: &'a [u8],
    /// Position of the next bit, from 0.
    at: usize,
}

impl<'a> BitReader<'a> {
    pub(super) fn new(digits: &'a str) -> Self {
        Self { digits: digits.as_bytes(), at: 0 }
    }

    pub(super) fn flag(&mut self) -> Option<bool> {
        let value = match *self.digits.get(self.at / 6)? {
            digit @ b'A'..=b'Z' => digit - b'A',
            digit @ b'a'..=b'z' => digit - b'a' + 26,
            digit @ b'0'..=b'9' => digit - b'0' + 52,
            b'-' => 62,
            b'_' => 63,
            _ => return None,
        };
        let bit = 5 - self.at % 6;
        self.at += 1;
        Some((value >> bit) & 1 == 1)
    }

    pub(super) fn bits(&mut self, bits: u32) -> Option<u64> {
        (0..bits).try_fold(0, |value, _| Some((value << 1) | u64::from(self.flag()?)))
    }

    fn gamma(&mut self) -> Option<u64> {
        let mut more = 0;
        while !self.flag()? {
            more += 1;
        }
        // No valid number needs more bits.
        if more > 32 { None } else { Some((1 << more) | self.bits(more)?) }
    }

    pub(super) fn count_from_one(&mut self) -> Option<usize> {
        usize::try_from(self.gamma()?).ok()
    }

    pub(super) fn count(&mut self) -> Option<usize> {
        usize::try_from(self.gamma()? - 1).ok()
    }

    pub(super) fn copies(&mut self) -> Option<u32> {
        match self.bits(2)? {
            0 => u32::try_from(self.gamma()? + 3).ok(),
            copies => u32::try_from(copies).ok(),
        }
    }

    pub(super) fn step(&mut self, lower_bits: u32) -> Option<u32> {
        let mut upper = 0_u32;
        while self.flag()? {
            upper = upper.checked_add(1)?;
        }
        let lower = u32::try_from(self.bits(lower_bits)?).ok()?;
        let upper = upper.checked_mul(1 << lower_bits)?;
        upper.checked_add(lower)
    }

    pub(super) fn word(&mut self) -> Option<String> {
        let mut word = String::new();
        loop {
            match self.bits(6)? {
                END => return Some(word),
                _ if word.len() == WORD_MAX => return None,
                BYTES if word.is_empty() => break,
                value => word.push(char::from(*LETTERS.get(usize::try_from(value).ok()?)?)),
            }
        }
        let length = self.count()?;
        if length > WORD_MAX {
            return None;
        }
        let bytes: Option<Vec<u8>> =
            (0..length).map(|_| self.bits(8).and_then(|byte| u8::try_from(byte).ok())).collect();
        String::from_utf8(bytes?).ok()
    }

    /// Whether only the zeros that fill the last digit are left.
    pub(super) fn is_at_end(&mut self) -> bool {
        let left = self.digits.len() * 6 - self.at;
        left < 6 && (0..left).all(|_| self.flag() == Some(false))
    }
}
