// Separates dark pixels from light ones.

/** The light of each pixel, 0 to 255 (ITU-R BT.601). */
function lightOf({ data, width, height }) {
  const light = new Uint8Array(width * height);
  for (let at = 0; at < light.length; at += 1) {
    light[at] = (77 * data[4 * at] + 150 * data[4 * at + 1] + 29 * data[4 * at + 2]) >> 8;
  }
  return light;
}

/** Sums of all that is above and to the left of each corner of a pixel: the sum of any box is then that of four numbers. */
function sumsOf(light, width, height) {
  const sums = new Uint32Array((width + 1) * (height + 1));
  for (let y = 0; y < height; y += 1) {
    let row = 0;
    for (let x = 0; x < width; x += 1) {
      row += light[y * width + x];
      sums[(y + 1) * (width + 1) + x + 1] = sums[y * (width + 1) + x + 1] + row;
    }
  }
  return sums;
}

/** Pictures of which each pixel is dark or not; what is outside is light. */
class Pixels {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.dark = new Uint8Array(width * height);
  }

  /** 1 for a dark pixel. Places may lie between pixels. */
  at(x, y) {
    const column = Math.floor(x);
    const row = Math.floor(y);
    if (column < 0 || row < 0 || column >= this.width || row >= this.height) return 0;
    return this.dark[row * this.width + column];
  }
}

/**
 * The dark pixels of a picture: those that are darker than the mean of what is around them.
 * `share`: how much of the longer side that is, `isSmooth`: whether a pixel is the mean of nine.
 */
export function darkPixels(image, { share, isSmooth }) {
  const { width, height } = image;
  const sums = sumsOf(lightOf(image), width, height);
  // Called twice for each pixel of each frame, so it makes no arrays.
  const mean = (x, y, reach) => {
    const left = Math.max(0, x - reach);
    const right = Math.min(width, x + reach + 1);
    const top = Math.max(0, y - reach);
    const bottom = Math.min(height, y + reach + 1);
    const above = top * (width + 1);
    const below = bottom * (width + 1);
    const sum = sums[below + right] - sums[below + left] - sums[above + right] + sums[above + left];
    return sum / ((right - left) * (bottom - top));
  };
  const around = Math.max(4, Math.round((Math.max(width, height) * share) / 2));
  const near = isSmooth ? 1 : 0;
  const pixels = new Pixels(width, height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      // A little less than the mean, so that plain paper is light.
      if (mean(x, y, near) < mean(x, y, around) * 0.95 - 1) pixels.dark[y * width + x] = 1;
    }
  }
  return pixels;
}
