// Reads QR codes by the camera or from a photo. Loaded when somebody wants to: by the browser where it can, else by a decoder of our own.

/** Longest side of a picture that the decoder looks at, in pixels: a frame of the camera, and a photo, of which the code is often a small part. */
const FRAME = 640;
const PHOTO = [640, 1280, 1920];
const PAUSE_MS = 150;

/** The decoder of the browser; null if it has none. */
async function detectorOfBrowser() {
  if (!("BarcodeDetector" in window)) return null;
  const formats = await BarcodeDetector.getSupportedFormats();
  return formats.includes("qr_code") ? new BarcodeDetector({ formats: ["qr_code"] }) : null;
}

/** `read`: the texts of the codes in a picture that is at most `side` pixels long. `sides`: the lengths of a photo to try, one after the other. */
async function makeReader() {
  const detector = await detectorOfBrowser();
  // It looks at all of a picture, however long.
  if (detector !== null) return { sides: [Infinity], read: async (source) => (await detector.detect(source)).map((code) => code.rawValue) };
  const { readCode } = await import("./qr.js");
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const read = async (source, side) => {
    const [width, height] = [source.videoWidth ?? source.width, source.videoHeight ?? source.height];
    // A camera may have no picture yet.
    if (width === 0 || height === 0) return [];
    const scale = Math.min(1, side / Math.max(width, height));
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    context.drawImage(source, 0, 0, canvas.width, canvas.height);
    const text = readCode(context.getImageData(0, 0, canvas.width, canvas.height));
    return text === null ? [] : [text];
  };
  return { sides: PHOTO, read };
}

let reader = null;

/** The same for all pictures. A decoder that could not be loaded is loaded the next time. */
function readerOfCodes() {
  reader ??= makeReader().catch((error) => {
    reader = null;
    throw error;
  });
  return reader;
}

/** Looks through the camera until `take` takes a code, or `stop` is pressed. Throws if the camera cannot be used. */
export async function scanByCamera(video, stop, take) {
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
  let goesOn = true;
  const end = () => { goesOn = false; };
  stop.addEventListener("click", end, { once: true });
  try {
    const { read } = await readerOfCodes();
    video.srcObject = stream;
    for (const element of [video, stop]) element.hidden = false;
    // The pressed button is hidden. A field in which somebody types keeps the focus.
    if (document.activeElement === document.body) stop.focus();
    await video.play();
    while (goesOn) {
      const found = await read(video, FRAME);
      if (found.some(take)) break;
      await new Promise((done) => { setTimeout(done, PAUSE_MS); });
    }
  } finally {
    stop.removeEventListener("click", end);
    for (const track of stream.getTracks()) track.stop();
    video.srcObject = null;
    for (const element of [video, stop]) element.hidden = true;
  }
}

/** Whether `take` takes a code of a photo. Throws if the file is no picture. */
export async function readPhoto(file, take) {
  const [{ read, sides }, photo] = await Promise.all([readerOfCodes(), createImageBitmap(file)]);
  try {
    for (const side of sides) {
      const found = await read(photo, side);
      if (found.some(take)) return true;
    }
    return false;
  } finally {
    photo.close();
  }
}
