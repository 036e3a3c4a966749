// Draws QR codes as a camera sees them, and reads them with the script of the pages: qr_pictures.mjs CODES.json
//
// CODES.json: [{ "text", "modules": ["0110…", …] }], made by another encoder. The script draws each code in each of `VIEWS`. At least `least` percent
// of the codes must be read, and none wrongly. Prints a line for each view that fails the test.

import { readFileSync } from "node:fs";
import { argv, exit } from "node:process";
import { performance } from "node:perf_hooks";
import { readCode } from "../../../src/web/assets/qr.js";
import { textOf } from "../../../src/web/assets/qr_bits.js";

const [WIDTH, HEIGHT] = [640, 480];
// The light quiet zone around a symbol, in modules (ISO/IEC 18004:2015, 6.3.8).
const QUIET = 4;

/** Pseudorandom numbers between 0 and 1, the same in every run (mulberry32). */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * How the camera sees a symbol. `side`: side of the symbol in pixels; `angle`: rotation in degrees; `tilt`: inclination in degrees; `blur`: in pixels;
 * `noise`: largest change of the brightness of a pixel; `dark`, `light`: brightness of ink and paper; `shadow`: share of the brightness that is lost from one side
 * of the picture to the other. `least`: percentage of the codes that must be read.
 */
const VIEWS = {
  straight: { side: 300, least: 100 },
  small: { side: 200, least: 100 },
  large: { side: 440, least: 100 },
  "turned a little": { side: 300, angle: 9, least: 100 },
  "turned by half of a right angle": { side: 260, angle: 45, least: 98 },
  "upside down": { side: 300, angle: 173, least: 100 },
  tilted: { side: 300, tilt: 25, angle: 5, least: 95 },
  "tilted and turned": { side: 300, tilt: 25, angle: 130, least: 95 },
  blurred: { side: 300, blur: 1.5, least: 95 },
  noisy: { side: 300, noise: 40, least: 95 },
  pale: { side: 300, dark: 110, light: 150, noise: 6, least: 98 },
  "in uneven light": { side: 300, shadow: 0.75, angle: 20, noise: 6, least: 98 },
  "as in a hand": { side: 300, angle: 17, tilt: 15, blur: 1, noise: 12, shadow: 0.5, dark: 50, light: 210, least: 95 },
};

/**
 * Maps a point of the picture to a point among the modules of a symbol in its middle, which it writes into `place`: column and row. The distance of the camera is
 * twice the width of the picture.
 */
function mapOf(view, size, place) {
  const [angle, tilt] = [view.angle ?? 0, view.tilt ?? 0].map((degrees) => (degrees * Math.PI) / 180);
  const [cosine, sine, lean, upright] = [Math.cos(angle), Math.sin(angle), Math.sin(tilt), Math.cos(tilt)];
  const module = view.side / size;
  const far = 2 * WIDTH;
  return (x, y) => {
    const right = x - WIDTH / 2;
    const down = y - HEIGHT / 2;
    // The intersection of the line of sight with the plane, which is tilted around the horizontal axis.
    const along = (down * far) / (upright * far - down * lean);
    const across = right * (1 + (along * lean) / far);
    place[0] = (across * cosine + along * sine) / module + size / 2;
    place[1] = (along * cosine - across * sine) / module + size / 2;
  };
}

/** The brightness of each pixel, without effects of the camera: the mean of four points in the pixel. The area around the label is darker than the label. */
function drawn(modules, view) {
  const size = modules.length;
  const [dark, light] = [view.dark ?? 20, view.light ?? 235];
  // The label: the symbol within its quiet zone.
  const side = size + 2 * QUIET;
  const label = new Float64Array(side * side).fill(light);
  for (const [row, line] of modules.entries()) {
    for (const [column, module] of [...line].entries()) if (module === "1") label[(row + QUIET) * side + column + QUIET] = dark;
  }
  const around = (dark + light) / 2;
  const place = new Float64Array(2);
  const map = mapOf(view, size, place);
  const pixels = new Float32Array(WIDTH * HEIGHT);
  for (let pixel = 0; pixel < pixels.length; pixel += 1) {
    const x = pixel % WIDTH;
    const y = Math.floor(pixel / WIDTH);
    let sum = 0;
    for (let part = 0; part < 4; part += 1) {
      map(x + 1 / 4 + (part % 2) / 2, y + 1 / 4 + Math.floor(part / 2) / 2);
      const column = Math.floor(place[0]) + QUIET;
      const row = Math.floor(place[1]) + QUIET;
      sum += column < 0 || row < 0 || column >= side || row >= side ? around : label[row * side + column];
    }
    pixels[pixel] = sum / 4;
  }
  return pixels;
}

/** The same brightness, out of focus: each pixel is mixed with its neighbours, first along rows and then along columns. */
function blurred(light, radius) {
  const reach = Math.ceil(radius * 2);
  const weights = Array.from({ length: 2 * reach + 1 }, (_, at) => Math.exp(-((at - reach) ** 2) / (2 * radius * radius)));
  const sum = weights.reduce((sum, weight) => sum + weight, 0);
  const along = (from, right, down) => {
    const mixed = new Float32Array(from.length);
    for (let pixel = 0; pixel < from.length; pixel += 1) {
      const x = pixel % WIDTH;
      const y = Math.floor(pixel / WIDTH);
      let mean = 0;
      for (let at = 0; at < weights.length; at += 1) {
        const column = Math.min(WIDTH - 1, Math.max(0, x + right * (at - reach)));
        const row = Math.min(HEIGHT - 1, Math.max(0, y + down * (at - reach)));
        mean += weights[at] * from[row * WIDTH + column];
      }
      mixed[pixel] = mean / sum;
    }
    return mixed;
  };
  return along(along(light, 1, 0), 0, 1);
}

/** The picture of a symbol as the camera takes it, with blur, shadow and noise. */
function picture(modules, view, random) {
  let light = drawn(modules, view);
  if (view.blur) light = blurred(light, view.blur);
  const data = new Uint8ClampedArray(WIDTH * HEIGHT * 4);
  for (let pixel = 0; pixel < light.length; pixel += 1) {
    const lit = 1 - (view.shadow ?? 0) * ((pixel % WIDTH) / WIDTH);
    const value = light[pixel] * lit + (random() + random() - 1) * (view.noise ?? 0);
    data[4 * pixel] = value;
    data[4 * pixel + 1] = value;
    data[4 * pixel + 2] = value;
    data[4 * pixel + 3] = 255;
  }
  return { data, width: WIDTH, height: HEIGHT };
}

/** Reads each code in each view. Returns the faults, one line each. */
function look(codes) {
  const faults = [];
  const random = numbers(1);
  for (const [name, view] of Object.entries(VIEWS)) {
    let [read, longest] = [0, 0];
    for (const { text, modules } of codes) {
      const seen = picture(modules, view, random);
      const started = performance.now();
      const found = readCode(seen);
      longest = Math.max(longest, performance.now() - started);
      if (found === text) read += 1;
      else if (found !== null) faults.push(`${name}: "${found}" is read for "${text}"`);
    }
    console.log(`${name}: ${read} of ${codes.length}, at most ${Math.round(longest)} ms`);
    if (read * 100 < view.least * codes.length) faults.push(`${name}: ${read} of ${codes.length} are read, and ${view.least} of 100 must be`);
  }
  return faults;
}

/** Checks that damaged modules are repaired, and that heavier damage is not read at all. Returns the faults, one line each. */
function damaged(codes) {
  const faults = [];
  const random = numbers(2);
  let repaired = 0;
  for (const { text, modules } of codes) {
    const whole = modules.map((row) => Uint8Array.from(row, Number));
    if (textOf(whole) !== text) faults.push(`"${textOf(whole)}" is read for "${text}"`);
    // A spot in the middle, and the part of the second copy of level and mask that is in row 8.
    const [middle, size] = [Math.floor(whole.length / 2), whole.length];
    for (let row = middle - 1; row < middle + 1; row += 1) for (let column = middle - 1; column < middle + 1; column += 1) whole[row][column] ^= 1;
    for (let at = size - 8; at < size; at += 1) whole[8][at] = 0;
    if (textOf(whole) === text) repaired += 1;
    else faults.push(`"${text}" is not read with a spot`);
    const noise = whole.map((row) => row.map((dark) => (random() < 0.5 ? dark : 1 - dark)));
    if (textOf(noise) !== null) faults.push("noise is read");
  }
  console.log(`damaged: ${repaired} of ${codes.length}`);
  return faults;
}

/** Checks that no code is read in noise. Returns the faults, one line each. */
function empty() {
  const random = numbers(3);
  const noise = { data: Uint8ClampedArray.from({ length: WIDTH * HEIGHT * 4 }, () => random() * 256), width: WIDTH, height: HEIGHT };
  const started = performance.now();
  const found = readCode(noise);
  console.log(`noise alone: ${Math.round(performance.now() - started)} ms`);
  return found === null ? [] : [`"${found}" is read where nothing is`];
}

const codes = JSON.parse(readFileSync(argv[2], "utf-8"));
const faults = [...look(codes), ...damaged(codes), ...empty()];
for (const fault of faults.slice(0, 20)) console.error(fault);
exit(faults.length === 0 && codes.length > 0 ? 0 : 1);
