// Finds finder patterns: the three squares in the corners of a symbol. Each line through the middle of one, at whatever angle, crosses dark, light, dark, light
// and dark, 1 : 1 : 3 : 1 : 1 long.

const PROPORTIONS = [1, 1, 3, 1, 1];
/** By how much of a module a length may be off. */
const TOLERANCE = 0.7;
/** Most patterns that are looked at: those that most lines cross. */
const MOST = 10;

/** Whether five lengths are those of a finder pattern. */
function areFinder(lengths) {
  const module = lengths.reduce((sum, length) => sum + length, 0) / 7;
  return module >= 1 && lengths.every((length, at) => Math.abs(length - PROPORTIONS[at] * module) <= TOLERANCE * module * Math.sqrt(PROPORTIONS[at]));
}

/** How long the dark, the light and the dark again are that follow each other from a place on, in one direction. */
function lengthsFrom(pixels, x, y, right, down) {
  const isInside = () => x >= 0 && y >= 0 && x < pixels.width && y < pixels.height;
  return [1, 0, 1].map((dark) => {
    let length = 0;
    for (; isInside() && pixels.at(x, y) === dark; length += 1) [x, y] = [x + right, y + down];
    return length;
  });
}

/** How long a finder pattern around a dark place is in one direction, and how far its middle is from there; null if it is none. */
function crossed(pixels, x, y, right, down) {
  const after = lengthsFrom(pixels, x, y, right, down);
  const before = lengthsFrom(pixels, x - right, y - down, -right, -down);
  const five = [before[2], before[1], before[0] + after[0], after[1], after[2]];
  if (!areFinder(five)) return null;
  return { middle: (after[0] - before[0]) / 2, length: five.reduce((sum, length) => sum + length, 0) };
}

/** The finder pattern whose middle is near a dark place; null if there is none. */
function finderAt(pixels, x, y) {
  const vertical = crossed(pixels, x, y, 0, 1);
  if (vertical === null) return null;
  const middle = y + vertical.middle;
  const horizontal = crossed(pixels, x, Math.floor(middle), 1, 0);
  if (horizontal === null) return null;
  // Turned squares are as wide as high; tilted ones nearly.
  const ratio = vertical.length / horizontal.length;
  if (ratio < 0.5 || ratio > 2) return null;
  return { x: x + horizontal.middle, y: middle, module: (vertical.length + horizontal.length) / 14, count: 1 };
}

/** Adds a pattern to those that are known: what is in the same place is the same one. */
function add(found, pattern) {
  const same = found.find((known) => Math.hypot(known.x - pattern.x, known.y - pattern.y) < 3 * known.module);
  if (same === undefined) {
    found.push(pattern);
    return;
  }
  const count = same.count + 1;
  for (const name of ["x", "y", "module"]) same[name] += (pattern[name] - same[name]) / count;
  same.count = count;
}

/** The finder patterns of a picture, with how large a module is across them. */
export function finders(pixels) {
  const { width, height, dark } = pixels;
  const found = [];
  for (let y = 0; y < height; y += 1) {
    // Where the last lengths of the row began, light and dark by turns: the last is the one that goes on.
    let begins = [];
    for (let x = 0; x <= width; x += 1) {
      const isDark = x < width ? dark[y * width + x] : 0;
      const wasDark = x > 0 ? dark[y * width + x - 1] : 0;
      if (isDark === wasDark) continue;
      begins.push(x);
      if (begins.length > 6) begins = begins.slice(-6);
      if (isDark || begins.length < 6) continue;
      if (!areFinder(PROPORTIONS.map((_, at) => begins[at + 1] - begins[at]))) continue;
      const pattern = finderAt(pixels, Math.floor((begins[2] + begins[3]) / 2), y);
      if (pattern !== null) add(found, pattern);
    }
  }
  // Noise is crossed once.
  return found.filter((pattern) => pattern.count > 1).sort((a, b) => b.count - a.count).slice(0, MOST);
}
