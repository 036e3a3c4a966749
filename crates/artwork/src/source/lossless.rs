//! Counts the groups of prefix codes in a lossless WebP (RFC 9649, section 5).
//!
//! The decoder builds the tables of all groups before the first pixel. There may be 65,536 groups, and one that takes
//! 150 bytes in the file takes 100 kilobytes in memory, without any limit. The number of groups is the largest value in
//! an image that follows other images with their own codes, so these are parsed as the decoder does; of their pixels
//! only the largest group number is kept. Incomplete codes are refused here, too, because the decoder's check of codes
//! of 15 bits overflows.

use crate::error::ArtworkError;

/// Most groups. The encoder of the reference library divides a picture into at most 2,600 tiles, and then merges most
/// of their codes.
const GROUPS_MAX: u32 = 1_000;

/// The order in which the lengths of the code-length code are written.
const LENGTHS_ORDER: [usize; 19] =
    [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Longest code, in bits.
const CODE_BITS_MAX: usize = 15;

/// Alphabet sizes: green and lengths, without a colour cache; red, blue and alpha; distances.
const GREENS: usize = 256 + 24;
const BYTES: usize = 256;
const DISTANCES: usize = 40;

/// Refuses a picture with too many groups. `codes` begins with the transforms, after the header if there is one.
pub(super) fn check(codes: &[u8], (mut width, height): (u32, u32)) -> Result<(), ArtworkError> {
    let mut bits = Bits { bytes: codes, at: 0 };
    transforms(&mut bits, &mut width, height)?;
    let cached = cache(&mut bits)?;
    let groups = if bits.read(1)? == 1 { tiles(&mut bits, width, height)? + 1 } else { 1 };
    if groups > GROUPS_MAX {
        return Err(ArtworkError::TooComplex { reason: "too many code tables" });
    }
    for _ in 0..groups {
        Group::read(&mut bits, cached)?;
    }
    Ok(())
}

fn transforms(bits: &mut Bits<'_>, width: &mut u32, height: u32) -> Result<(), ArtworkError> {
    let mut seen = 0;
    while bits.read(1)? == 1 {
        let kind = bits.read(2)?;
        if seen & (1 << kind) != 0 {
            return Err(broken());
        }
        seen |= 1 << kind;
        match kind {
            // Predictors and colours: something for each tile.
            0 | 1 => {
                tiles(bits, *width, height)?;
            }
            // The subtract-green transform has no data.
            2 => {}
            // A colour table; if it is small, a pixel contains several indexes.
            _ => {
                let count = bits.read(8)? + 1;
                image(bits, count, 1)?;
                let packed = match count {
                    0..=2 => 3,
                    3..=4 => 2,
                    5..=16 => 1,
                    _ => 0,
                };
                *width = width.div_ceil(1 << packed);
            }
        }
    }
    Ok(())
}

/// The size of an image's colour cache: zero, or up to 2,048.
fn cache(bits: &mut Bits<'_>) -> Result<usize, ArtworkError> {
    if bits.read(1)? == 0 {
        return Ok(0);
    }
    match bits.read(4)? {
        power @ 1..=11 => Ok(1 << power),
        _ => Err(broken()),
    }
}

/// Reads an image with one pixel per tile of the picture; returns the largest number in it.
fn tiles(bits: &mut Bits<'_>, width: u32, height: u32) -> Result<u32, ArtworkError> {
    let side = 1 << (bits.read(3)? + 2);
    image(bits, width.div_ceil(side), height.div_ceil(side))
}

/// Reads an embedded image. Returns the largest number in its red and green bytes. Copied or cached pixels repeat
/// earlier ones, or are zero.
fn image(bits: &mut Bits<'_>, width: u32, height: u32) -> Result<u32, ArtworkError> {
    let cached = cache(bits)?;
    let group = Group::read(bits, cached)?;
    let mut largest = 0;
    let mut left = width * height;
    while left > 0 {
        let pixels = match group.green.next(bits)? {
            green @ ..256 => {
                let red = group.red.next(bits)?;
                group.blue.next(bits)?;
                group.alpha.next(bits)?;
                largest = largest.max(red << 8 | green);
                1
            }
            length @ 256..280 => {
                let length = prefixed(bits, length - 256)?;
                let distance = group.distance.next(bits)?;
                prefixed(bits, distance)?;
                length
            }
            _ => 1,
        };
        left = left.checked_sub(pixels).ok_or_else(broken)?;
    }
    Ok(largest)
}

/// A length or distance: the symbol says how many extra bits follow.
fn prefixed(bits: &mut Bits<'_>, symbol: u32) -> Result<u32, ArtworkError> {
    if symbol < 4 {
        return Ok(symbol + 1);
    }
    let more = (symbol - 2) >> 1;
    Ok(((2 + (symbol & 1)) << more) + bits.read(more)? + 1)
}

struct Group {
    green: Code,
    red: Code,
    blue: Code,
    alpha: Code,
    distance: Code,
}

impl Group {
    fn read(bits: &mut Bits<'_>, cached: usize) -> Result<Self, ArtworkError> {
        Ok(Self {
            green: Code::read(bits, GREENS + cached)?,
            red: Code::read(bits, BYTES)?,
            blue: Code::read(bits, BYTES)?,
            alpha: Code::read(bits, BYTES)?,
            distance: Code::read(bits, DISTANCES)?,
        })
    }
}

/// A canonical prefix code.
struct Code {
    /// Number of symbols with a code of each length. All zero for a single symbol, which takes no bits.
    counts: [u32; CODE_BITS_MAX + 1],
    /// The symbols in the order of their codes.
    symbols: Vec<u32>,
}

impl Code {
    fn read(bits: &mut Bits<'_>, alphabet: usize) -> Result<Self, ArtworkError> {
        if bits.read(1)? == 0 {
            let lengths = lengths(bits, alphabet)?;
            return Self::of_lengths(&lengths);
        }
        let has_two = bits.read(1)? == 1;
        let width = if bits.read(1)? == 1 { 8 } else { 1 };
        let mut symbols = vec![bits.read(width)?];
        let mut counts = [0; CODE_BITS_MAX + 1];
        if has_two {
            symbols.push(bits.read(8)?);
            counts[1] = 2;
        }
        if symbols.iter().any(|symbol| *symbol as usize >= alphabet) {
            return Err(broken());
        }
        Ok(Self { counts, symbols })
    }

    /// The code in which each symbol has a code of the given length; zero for none.
    fn of_lengths(lengths: &[usize]) -> Result<Self, ArtworkError> {
        let mut counts = [0; CODE_BITS_MAX + 1];
        let mut symbols = Vec::new();
        for (length, count) in counts.iter_mut().enumerate().skip(1) {
            let of_length = (0..).zip(lengths).filter(|(_, known)| **known == length);
            let before = symbols.len();
            symbols.extend(of_length.map(|(symbol, _)| symbol));
            *count = u32::try_from(symbols.len() - before).map_err(|_| broken())?;
        }
        // How many codes of 15 bits each symbol covers.
        let space: u32 =
            (0..).zip(counts).map(|(length, count)| count << CODE_BITS_MAX >> length).sum();
        match symbols.len() {
            1 => Ok(Self { counts: [0; CODE_BITS_MAX + 1], symbols }),
            _ if space == 1 << CODE_BITS_MAX => Ok(Self { counts, symbols }),
            _ => Err(broken()),
        }
    }

    fn next(&self, bits: &mut Bits<'_>) -> Result<u32, ArtworkError> {
        if let [only] = self.symbols[..] {
            return Ok(only);
        }
        // Codes of one length are consecutive numbers.
        let (mut code, mut first, mut before) = (0, 0, 0);
        for count in &self.counts[1..] {
            code = code << 1 | bits.read(1)?;
            first <<= 1;
            if code < first + count {
                let symbol = self.symbols.get((before + code - first) as usize);
                return symbol.copied().ok_or_else(broken);
            }
            first += count;
            before += count;
        }
        Err(broken())
    }
}

/// Reads the code lengths, which are themselves encoded with a prefix code.
fn lengths(bits: &mut Bits<'_>, alphabet: usize) -> Result<Vec<usize>, ArtworkError> {
    let mut of_lengths = [0; LENGTHS_ORDER.len()];
    let count = 4 + bits.read(4)? as usize;
    for place in LENGTHS_ORDER.iter().take(count) {
        of_lengths[*place] = bits.read(3)? as usize;
    }
    let code = Code::of_lengths(&of_lengths)?;
    let mut left = alphabet;
    if bits.read(1)? == 1 {
        let width = 2 + 2 * bits.read(3)?;
        left = 2 + bits.read(width)? as usize;
        if left > alphabet {
            return Err(broken());
        }
    }
    let mut lengths = Vec::with_capacity(alphabet);
    let mut previous = 8;
    while lengths.len() < alphabet && left > 0 {
        left -= 1;
        let (length, times) = match code.next(bits)? as usize {
            16 => (previous, 3 + bits.read(2)?),
            17 => (0, 3 + bits.read(3)?),
            18 => (0, 11 + bits.read(7)?),
            length => (length, 1),
        };
        if length > 0 {
            previous = length;
        }
        lengths.extend((0..times).map(|_| length));
    }
    if lengths.len() > alphabet {
        return Err(broken());
    }
    Ok(lengths)
}

/// A bit reader, lowest bit of a byte first.
struct Bits<'a> {
    bytes: &'a [u8],
    /// Number of bits read.
    at: usize,
}

impl Bits<'_> {
    /// The next bits as a number, at most 24 bits.
    fn read(&mut self, count: u32) -> Result<u32, ArtworkError> {
        let rest = self.bytes.get(self.at / 8..).unwrap_or_default();
        if rest.len() * 8 < self.at % 8 + count as usize {
            return Err(broken());
        }
        let four = rest.first_chunk().copied().unwrap_or_else(|| {
            // Near the end of the data.
            let mut four = [0; 4];
            four.iter_mut().zip(rest).for_each(|(byte, known)| *byte = *known);
            four
        });
        let number = u32::from_le_bytes(four) >> (self.at % 8) & ((1 << count) - 1);
        self.at += count as usize;
        Ok(number)
    }
}

fn broken() -> ArtworkError {
    ArtworkError::broken("the codes of the picture make no sense")
}
