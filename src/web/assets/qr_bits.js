// Reads the modules of a symbol: how it is made, its codewords, and the text in them. Section numbers are those of ISO/IEC 18004:2015.

import { corrected } from "./qr_correction.js";

/** Codewords of each version, data and correction together (table 1). */
const CODEWORDS = [26, 44, 70, 100, 134, 172, 196, 242, 292, 346];
/** By the two bits of the level (table 12), for each version: how many codewords of a block correct, and how many blocks there are (table 9). */
const LEVELS = {
  1: { correcting: [7, 10, 15, 20, 26, 18, 20, 24, 30, 18], blocks: [1, 1, 1, 1, 1, 2, 2, 2, 2, 4] },
  0: { correcting: [10, 16, 26, 18, 24, 16, 18, 22, 22, 26], blocks: [1, 1, 1, 2, 2, 4, 4, 4, 5, 5] },
  3: { correcting: [13, 22, 18, 26, 18, 24, 18, 22, 20, 24], blocks: [1, 1, 2, 2, 4, 4, 6, 6, 8, 8] },
  2: { correcting: [17, 28, 22, 16, 22, 28, 26, 26, 24, 28], blocks: [1, 1, 2, 4, 4, 4, 5, 6, 8, 8] },
};
/** Whether a mask turns a module round, by row and column (table 10). */
const MASKS = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (row, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
];
const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";

/** The fifteen bits that stand for five bits of level and mask (7.9.1). */
function formatBits(format) {
  let rest = format << 10;
  for (let bit = 14; bit >= 10; bit -= 1) if ((rest >> bit) & 1) rest ^= 0x537 << (bit - 10);
  return ((format << 10) | rest) ^ 0x5412;
}

/** In how many bits two numbers differ. */
function difference(one, other) {
  let count = 0;
  for (let bits = one ^ other; bits !== 0; bits &= bits - 1) count += 1;
  return count;
}

/** Level and mask; null if both places that contain them are damaged (figure 25). */
function formatOf(modules) {
  const size = modules.length;
  const bitsAt = (places) => places.reduce((bits, [row, column]) => (bits << 1) | modules[row][column], 0);
  const around = [0, 1, 2, 3, 4, 5, 7, 8].map((column) => [8, column]).concat([7, 5, 4, 3, 2, 1, 0].map((row) => [row, 8]));
  const apart = Array.from({ length: 15 }, (_, at) => (at < 7 ? [size - 1 - at, 8] : [8, size - 15 + at]));
  const read = [bitsAt(around), bitsAt(apart)];
  const formats = Array.from({ length: 32 }, (_, format) => {
    return { format, wrong: Math.min(...read.map((bits) => difference(bits, formatBits(format)))) };
  });
  const nearest = formats.reduce((best, one) => (one.wrong < best.wrong ? one : best));
  return nearest.wrong > 3 ? null : { level: LEVELS[nearest.format >> 3], mask: MASKS[nearest.format & 7] };
}

/** Whether a module belongs to a pattern, and is no data. */
function isPattern(version, row, column) {
  const size = 17 + 4 * version;
  const isCorner = (row < 9 && column < 9) || (row < 9 && column >= size - 8) || (row >= size - 8 && column < 9);
  if (isCorner || row === 6 || column === 6) return true;
  if (version >= 7 && ((row < 6 && column >= size - 11) || (column < 6 && row >= size - 11))) return true;
  // The middles of the alignment patterns, but for those where finder patterns are (annex E). One beside the timing pattern covers it.
  if (version < 2) return false;
  const last = size - 7;
  const middles = version < 7 ? [6, last] : [6, (6 + last) / 2, last];
  const isFinder = (y, x) => (y === 6 && x === 6) || (y === 6 && x === last) || (y === last && x === 6);
  return middles.some((y) => middles.some((x) => !isFinder(y, x) && Math.abs(row - y) <= 2 && Math.abs(column - x) <= 2));
}

/** The codewords as they are laid out: in pairs of columns from the right, upwards and downwards by turns (7.7.3). */
function codewordsOf(modules, version, mask) {
  const size = modules.length;
  const words = new Uint8Array(CODEWORDS[version - 1]);
  let bits = 0;
  let isUpwards = true;
  for (let right = size - 1; right > 0; right -= 2) {
    // The vertical timing pattern has a column of its own.
    if (right === 6) right -= 1;
    for (let step = 0; step < size; step += 1) {
      const row = isUpwards ? size - 1 - step : step;
      for (const column of [right, right - 1]) {
        if (isPattern(version, row, column) || bits >= words.length * 8) continue;
        const bit = modules[row][column] ^ (mask(row, column) ? 1 : 0);
        words[bits >> 3] |= bit << (7 - (bits & 7));
        bits += 1;
      }
    }
    isUpwards = !isUpwards;
  }
  return words;
}

/** The data of a symbol, its errors corrected; null if there are too many. The blocks take turns in the codewords (7.6). */
function dataOf(words, version, level) {
  const [correcting, count] = [level.correcting[version - 1], level.blocks[version - 1]];
  const whole = words.length - correcting * count;
  const short = Math.floor(whole / count);
  // The last blocks have one codeword more.
  const lengths = Array.from({ length: count }, (_, block) => short + (block >= count - (whole % count) ? 1 : 0));
  const blocks = lengths.map((length) => new Uint8Array(length + correcting));
  let at = 0;
  for (let place = 0; place <= short; place += 1) {
    for (let block = 0; block < count; block += 1) {
      if (place < lengths[block]) blocks[block][place] = words[at++];
    }
  }
  for (let place = 0; place < correcting; place += 1) {
    for (let block = 0; block < count; block += 1) blocks[block][lengths[block] + place] = words[at++];
  }
  const data = [];
  for (const [block, content] of blocks.entries()) {
    const mended = corrected(content, correcting);
    if (mended === null) return null;
    data.push(...mended.subarray(0, lengths[block]));
  }
  return data;
}

/** Bits of the data, one number after the other. */
class Bits {
  #data;
  #at = 0;

  constructor(data) { this.#data = data; }

  get left() { return this.#data.length * 8 - this.#at; }

  /** The number in the next bits. Missing bits at the end are 0. */
  take(count) {
    let number = 0;
    for (let bit = 0; bit < count; bit += 1, this.#at += 1) {
      number = (number << 1) | (((this.#data[this.#at >> 3] ?? 0) >> (7 - (this.#at & 7))) & 1);
    }
    return number;
  }
}

/** Digits, three in ten bits (7.4.3). */
function digits(bits, count) {
  let text = "";
  for (let left = count; left > 0; left -= 3) {
    const some = Math.min(3, left);
    text += String(bits.take([0, 4, 7, 10][some])).padStart(some, "0");
  }
  return text;
}

/** Letters of the 45 that are known, two in eleven bits (7.4.4). */
function letters(bits, count) {
  let text = "";
  for (let left = count; left > 1; left -= 2) {
    const pair = bits.take(11);
    text += (LETTERS[Math.floor(pair / 45)] ?? "") + LETTERS[pair % 45];
  }
  return count % 2 === 1 ? text + (LETTERS[bits.take(6)] ?? "") : text;
}

/** Bytes, which are taken for UTF-8 (7.4.5). */
function bytes(bits, count) {
  return new TextDecoder().decode(Uint8Array.from({ length: count }, () => bits.take(8)));
}

/** Kinds of segments by their indicators, and how many bits their lengths have: in versions 1 to 9, and in 10 (tables 2 and 3). */
const SEGMENTS = {
  1: { read: digits, lengths: [10, 12] },
  2: { read: letters, lengths: [9, 11] },
  4: { read: bytes, lengths: [8, 16] },
};

/** The text of the data; null if there is something in it that labels of cards do not have. */
function textIn(data, version) {
  const bits = new Bits(data);
  let text = "";
  while (bits.left >= 4) {
    const indicator = bits.take(4);
    if (indicator === 0) break;
    const segment = SEGMENTS[indicator];
    if (segment === undefined) return null;
    const count = bits.take(segment.lengths[version < 10 ? 0 : 1]);
    // Each needs at least three bits: a text that would be longer than the symbol is wrong.
    if (count * 3 > bits.left) return null;
    text += segment.read(bits, count);
  }
  return text;
}

/** The text of a symbol of versions 1 to 10, by its modules in rows, 1 for a dark one; null if it cannot be read. */
export function textOf(modules) {
  const version = (modules.length - 17) / 4;
  const format = formatOf(modules);
  if (format === null) return null;
  const data = dataOf(codewordsOf(modules, version, format.mask), version, format.level);
  return data === null ? null : textIn(data, version);
}
