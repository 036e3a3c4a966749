// Finds where a symbol is, and takes its modules: three finder patterns show its place and size, the alignment pattern how it is tilted.

import { finders } from "./qr_finders.js";

/** Largest version that is read. */
const MOST_VERSION = 10;
/** Most groups of three patterns that are tried. */
const MOST_CORNERS = 8;
/** Share of the timing pattern that must be right. */
const TIMING = 0.75;
/** The alignment pattern, by the greater of the distances from its middle: dark, light, dark. */
const ALIGNMENT = [1, 0, 1];

const minus = (a, b) => ({ x: a.x - b.x, y: a.y - b.y });
const length = (a) => Math.hypot(a.x, a.y);
const cross = (a, b) => a.x * b.y - a.y * b.x;

/** Three patterns as the corners of a symbol, with how far they are from those of a square; null if they cannot be. */
function cornersOf(three) {
  // The longest side is opposite the corner at the top left.
  const sides = three.map((_, at) => length(minus(three[(at + 1) % 3], three[(at + 2) % 3])));
  const first = sides.indexOf(Math.max(...sides));
  const [corner, one, other] = [three[first], three[(first + 1) % 3], three[(first + 2) % 3]];
  const isClockwise = cross(minus(one, corner), minus(other, corner)) > 0;
  const [right, below] = isClockwise ? [one, other] : [other, one];
  const [across, down] = [minus(right, corner), minus(below, corner)];
  const [width, height] = [length(across), length(down)];
  const slant = Math.abs(across.x * down.x + across.y * down.y) / (width * height);
  const ratio = Math.max(width, height) / Math.min(width, height);
  const modules = three.map((pattern) => pattern.module);
  const unlike = Math.max(...modules) / Math.min(...modules);
  if (slant > 0.6 || ratio > 2 || unlike > 2.2) return null;
  return { corner, right, below, across, down, distance: slant + (ratio - 1) + (unlike - 1) };
}

/** Groups of three patterns that may be the corners of a symbol, the likeliest first. */
function candidates(patterns) {
  const found = [];
  for (let a = 0; a < patterns.length; a += 1) {
    for (let b = a + 1; b < patterns.length; b += 1) {
      for (let c = b + 1; c < patterns.length; c += 1) {
        const corners = cornersOf([patterns[a], patterns[b], patterns[c]]);
        if (corners !== null) found.push(corners);
      }
    }
  }
  return found.sort((one, other) => one.distance - other.distance).slice(0, MOST_CORNERS);
}

/** Versions that the symbol may have, the likeliest first: by how many modules there are between the patterns. */
function versions({ corner, right, below, across, down }) {
  const modules = (side, one, other) => {
    // A row of pixels is at an angle to the side, and crosses more than seven modules' width.
    const straight = Math.max(Math.abs(side.x), Math.abs(side.y)) / length(side);
    return length(side) / (((one.module + other.module) / 2) * straight);
  };
  const size = (modules(across, corner, right) + modules(down, corner, below)) / 2 + 7;
  const guess = (size - 17) / 4;
  const all = Array.from({ length: MOST_VERSION }, (_, at) => at + 1);
  return all.filter((version) => Math.abs(version - guess) < 1.6).sort((a, b) => Math.abs(a - guess) - Math.abs(b - guess));
}

/** Solves linear equations, each with its right side at the end; null if they have no single solution. */
function solved(rows) {
  const count = rows.length;
  for (let at = 0; at < count; at += 1) {
    const best = rows.slice(at).reduce((best, row, offset) => (Math.abs(row[at]) > Math.abs(rows[best][at]) ? at + offset : best), at);
    [rows[at], rows[best]] = [rows[best], rows[at]];
    if (Math.abs(rows[at][at]) < 1e-9) return null;
    for (const row of rows) {
      if (row === rows[at]) continue;
      const factor = row[at] / rows[at][at];
      for (let column = at; column <= count; column += 1) row[column] -= factor * rows[at][column];
    }
  }
  return rows.map((row, at) => row[count] / row[at]);
}

/** How places among the modules become places in the picture, from four pairs; null if no view of a plane does that. */
function viewOf(pairs) {
  const rows = pairs.flatMap(([from, to]) => [
    [from.x, from.y, 1, 0, 0, 0, -to.x * from.x, -to.x * from.y, to.x],
    [0, 0, 0, from.x, from.y, 1, -to.y * from.x, -to.y * from.y, to.y],
  ]);
  const view = solved(rows);
  if (view === null) return null;
  const [a, b, c, d, e, f, g, h] = view;
  return (x, y) => {
    const depth = g * x + h * y + 1;
    return { x: (a * x + b * y + c) / depth, y: (d * x + e * y + f) / depth };
  };
}

/** How many of the modules around a place are those of an alignment pattern, of 25. `across`, `down`: one module there. */
function alignment(pixels, place, across, down) {
  let right = 0;
  for (let row = -2; row <= 2; row += 1) {
    for (let column = -2; column <= 2; column += 1) {
      const [x, y] = [place.x + column * across.x + row * down.x, place.y + column * across.y + row * down.y];
      if (pixels.at(x, y) === ALIGNMENT[Math.max(Math.abs(row), Math.abs(column))]) right += 1;
    }
  }
  return right;
}

/** Places where the alignment pattern at the bottom right may be, the likeliest first. */
function alignments(pixels, { corner, across, down }, size) {
  const span = size - 7;
  const reach = Math.max(4, Math.round(size / 5));
  const at = (column, row) => ({ x: corner.x + (across.x * column + down.x * row) / span, y: corner.y + (across.y * column + down.y * row) / span });
  const found = [];
  // Farther parts look smaller.
  for (const scale of [1, 0.8, 1.25]) {
    const one = (side) => ({ x: (side.x * scale) / span, y: (side.y * scale) / span });
    const [moduleAcross, moduleDown] = [one(across), one(down)];
    for (let row = -reach; row <= reach; row += 0.5) {
      for (let column = -reach; column <= reach; column += 0.5) {
        const place = at(size - 10 + column, size - 10 + row);
        const right = alignment(pixels, place, moduleAcross, moduleDown);
        if (right >= 21) found.push({ place, right: right - Math.hypot(row, column) / reach });
      }
    }
  }
  found.sort((one, other) => other.right - one.right);
  // The middle of those that belong together.
  const module = length(across) / span;
  const places = [];
  for (const { place, right } of found) {
    const known = places.find((group) => length(minus(group.place, place)) < 1.5 * module);
    if (known === undefined) places.push({ place, all: [place], right });
    else if (right > known.right - 2) known.all.push(place);
  }
  const middle = ({ all }) => ({ x: all.reduce((sum, place) => sum + place.x, 0) / all.length, y: all.reduce((sum, place) => sum + place.y, 0) / all.length });
  return places.slice(0, 4).map(middle);
}

/** Views of a symbol of this size that fit the corners: each by another place for the alignment pattern, or by none. */
function* views(pixels, corners, size) {
  const { corner, right, below, across, down } = corners;
  const [near, far] = [3.5, size - 3.5];
  const three = [[{ x: near, y: near }, corner], [{ x: far, y: near }, right], [{ x: near, y: far }, below]];
  // Version 1 has no alignment pattern.
  const places = size > 21 ? alignments(pixels, corners, size) : [];
  for (const place of places) yield viewOf([...three, [{ x: size - 6.5, y: size - 6.5 }, place]]);
  yield viewOf([...three, [{ x: far, y: far }, { x: right.x + down.x, y: right.y + down.y }]]);
}

/** Share of the modules of the timing patterns that are right: those between the finder patterns are dark and light by turns. */
function timing(pixels, view, size) {
  let right = 0;
  for (let at = 8; at < size - 8; at += 1) {
    const [across, down] = [view(at + 0.5, 6.5), view(6.5, at + 0.5)];
    for (const place of [across, down]) right += pixels.at(place.x, place.y) === (at + 1) % 2 ? 1 : 0;
  }
  return right / (2 * (size - 16));
}

/** The modules of a symbol, by row: 1 is dark. Each is what most of five places in it are. */
function modulesOf(pixels, view, size) {
  const places = [[0.5, 0.5], [0.3, 0.5], [0.7, 0.5], [0.5, 0.3], [0.5, 0.7]];
  const row = (y) => Uint8Array.from({ length: size }, (_, x) => {
    const dark = places.reduce((sum, [right, down]) => {
      const place = view(x + right, y + down);
      return sum + pixels.at(place.x, place.y);
    }, 0);
    return dark > places.length / 2 ? 1 : 0;
  });
  return Array.from({ length: size }, (_, y) => row(y));
}

/** The modules of what may be symbols in a picture, the likeliest first. */
export function* symbols(pixels) {
  for (const corners of candidates(finders(pixels))) {
    for (const version of versions(corners)) {
      const size = 17 + 4 * version;
      for (const view of views(pixels, corners, size)) {
        if (view !== null && timing(pixels, view, size) >= TIMING) yield modulesOf(pixels, view, size);
      }
    }
  }
}
