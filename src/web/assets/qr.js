// Reads a QR code from a picture, for browsers that cannot do it by themselves. Loaded when somebody wants to scan.
//
// After ISO/IEC 18004:2015, as much of it as labels of cards need: versions 1 to 10, dark on light, with numbers, letters and bytes. Any angle, a tilt as of a
// hand, uneven light. qr_image.js separates dark from light, qr_places.js finds the symbol, qr_bits.js reads its modules, qr_correction.js corrects them.

import { darkPixels } from "./qr_image.js";
import { symbols } from "./qr_places.js";
import { textOf } from "./qr_bits.js";

// Each picture is looked at several times: how much of its longer side the light of a pixel is compared with, and whether noise is smoothed. A symbol that
// fills the picture needs more of it than one in uneven light.
const LOOKS = [
  { share: 1 / 8, isSmooth: false },
  { share: 1 / 8, isSmooth: true },
  { share: 1 / 2, isSmooth: true },
];

/** The text of a QR code in an `ImageData`; null without one that can be read. */
export function readCode(image) {
  for (const look of LOOKS) {
    const pixels = darkPixels(image, look);
    for (const modules of symbols(pixels)) {
      const text = textOf(modules);
      if (text !== null) return text;
    }
  }
  return null;
}
