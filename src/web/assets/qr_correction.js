// Corrects errors in a block of codewords: Reed–Solomon codes over 256 numbers, as QR codes have them (ISO/IEC 18004:2015, 7.5.2 and annex B).

/** Powers of 2, and the exponents of the numbers, modulo x⁸ + x⁴ + x³ + x² + 1. */
const POWERS = new Uint8Array(255);
const EXPONENTS = new Uint8Array(256);
for (let exponent = 0, number = 1; exponent < 255; exponent += 1) {
  POWERS[exponent] = number;
  EXPONENTS[number] = exponent;
  number = number < 128 ? number * 2 : (number * 2) ^ 0x11d;
}

/** 2 to an exponent, which may be negative. */
const power = (exponent) => POWERS[((exponent % 255) + 255) % 255];
const times = (a, b) => (a === 0 || b === 0 ? 0 : power(EXPONENTS[a] + EXPONENTS[b]));
const over = (a, b) => (a === 0 ? 0 : power(EXPONENTS[a] - EXPONENTS[b]));

/** The value of a polynomial, whose constant stands first. */
const valueAt = (polynomial, x) => polynomial.reduceRight((value, factor) => times(value, x) ^ factor, 0);

/** The values of the block at the roots of the code: 0 everywhere, if nothing is wrong. The first codeword has the highest power. */
function syndromesOf(block, count) {
  const polynomial = Array.from(block).reverse();
  return Array.from({ length: count }, (_, exponent) => valueAt(polynomial, power(exponent)));
}

/** The shortest polynomial whose roots give the places of the errors (Berlekamp and Massey). */
function locatorOf(syndromes) {
  let locator = [1];
  let before = [1];
  let [count, shift, last] = [0, 1, 1];
  for (let at = 0; at < syndromes.length; at += 1) {
    let off = 0;
    for (let term = 0; term <= count; term += 1) off ^= times(locator[term] ?? 0, syndromes[at - term]);
    if (off === 0) {
      shift += 1;
      continue;
    }
    const factor = over(off, last);
    const shifted = [...new Array(shift).fill(0), ...before.map((term) => times(term, factor))];
    const next = Array.from({ length: Math.max(locator.length, shifted.length) }, (_, term) => (locator[term] ?? 0) ^ (shifted[term] ?? 0));
    if (2 * count <= at) {
      [before, last, count, shift] = [locator, off, at + 1 - count, 1];
    } else {
      shift += 1;
    }
    locator = next;
  }
  return { locator, count };
}

/** The block without its errors; null if there are more than can be corrected. `correcting`: the number of its codewords that correct. */
export function corrected(block, correcting) {
  const syndromes = syndromesOf(block, correcting);
  if (syndromes.every((value) => value === 0)) return block;
  const { locator, count } = locatorOf(syndromes);
  if (2 * count > correcting) return null;
  const exponents = Array.from(block, (_, exponent) => exponent).filter((exponent) => valueAt(locator, power(-exponent)) === 0);
  if (exponents.length !== count) return null;
  // How large each error is (Forney): over a field of characteristic 2, the derivative has the odd terms alone.
  const evaluator = Array.from({ length: correcting }, (_, at) => {
    let sum = 0;
    for (let term = 0; term <= at; term += 1) sum ^= times(locator[term] ?? 0, syndromes[at - term]);
    return sum;
  });
  const derivative = locator.slice(1).map((term, at) => (at % 2 === 0 ? term : 0));
  const mended = Uint8Array.from(block);
  for (const exponent of exponents) {
    const root = power(-exponent);
    const error = times(power(exponent), over(valueAt(evaluator, root), valueAt(derivative, root)));
    mended[block.length - 1 - exponent] ^= error;
  }
  return syndromesOf(mended, correcting).every((value) => value === 0) ? mended : null;
}
