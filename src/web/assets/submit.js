// The page on which a code is typed: takes the code of a QR address out of the fragment, says while typing whether the code can be right, and reads QR
// codes by the camera where the browser can. All texts stand in the page.

// Crockford's Base32: letters that look like digits are read as those.
const SYMBOLS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const SEPARATORS = /[\s\-\u2010-\u2015\u2212]/gu;
const LENGTH = 16;

const field = document.getElementById("serial");
const state = document.getElementById("serial_state");

/** The values of the symbols that were typed; -1 for what cannot be one. */
function read(text) {
  const typed = text.replace(SEPARATORS, "").toUpperCase();
  const symbols = typed.replaceAll("O", "0").replaceAll("I", "1").replaceAll("L", "1");
  return Array.from(symbols, (symbol) => SYMBOLS.indexOf(symbol));
}

/** Whether the last symbol fits the others (Luhn mod 32). */
function checks(values) {
  const sum = values.toReversed().reduce((sum, value, place) => {
    const addend = place % 2 === 1 ? value * 2 : value;
    return sum + Math.floor(addend / 32) + (addend % 32);
  }, 0);
  return sum % 32 === 0;
}

/** Says what can be said of the code before it is sent. */
function judge() {
  const values = read(field.value);
  const wrong = values.indexOf(-1);
  let text = "";
  if (wrong >= 0) text = state.dataset.symbol.replace("{place}", wrong + 1);
  else if (values.length > LENGTH) text = state.dataset.long;
  else if (values.length === LENGTH) text = checks(values) ? state.dataset.fits : state.dataset.mistyped;
  if (state.textContent !== text) state.textContent = text;
}

/** Puts a code into the field: of a QR address or as it is. Whether it was one. */
function take(text) {
  const code = text.slice(text.indexOf("#") + 1);
  const values = read(code);
  if (values.length !== LENGTH || values.includes(-1)) return false;
  field.value = code.replace(SEPARATORS, "").match(/.{4}/gu).join("-");
  judge();
  document.getElementById("card").focus();
  return true;
}

/** Takes the code out of the address, so that it stays in no history. */
function takeFragment() {
  if (location.hash.length < 2) return;
  const fragment = location.hash;
  history.replaceState(null, "", location.pathname);
  take(fragment);
}

/** Reads QR codes by the camera until one holds a code, or the reader has enough. */
async function scan(detector, button) {
  const video = document.getElementById("camera");
  const stop = document.getElementById("stop");
  let stream;
  button.hidden = true;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
  } catch {
    button.hidden = false;
    state.textContent = state.dataset.camera;
    return;
  }
  let goesOn = true;
  const end = () => { goesOn = false; };
  stop.addEventListener("click", end, { once: true });
  video.srcObject = stream;
  for (const element of [video, stop]) element.hidden = false;
  try {
    await video.play();
    while (goesOn) {
      const found = await detector.detect(video);
      if (found.some((code) => take(code.rawValue))) break;
      await new Promise((done) => { setTimeout(done, 120); });
    }
  } finally {
    for (const track of stream.getTracks()) track.stop();
    video.srcObject = null;
    for (const element of [video, stop]) element.hidden = true;
    button.hidden = false;
  }
}

async function offerCamera() {
  const button = document.getElementById("scan");
  if (!("BarcodeDetector" in window) || !navigator.mediaDevices?.getUserMedia) return;
  const formats = await BarcodeDetector.getSupportedFormats();
  if (!formats.includes("qr_code")) return;
  const detector = new BarcodeDetector({ formats: ["qr_code"] });
  button.hidden = false;
  button.addEventListener("click", () => { scan(detector, button); });
}

field.addEventListener("input", judge);
// A second tap on the button sends nothing more: the first is on its way.
field.form.addEventListener("submit", (event) => {
  if (field.form.dataset.sent) event.preventDefault();
  field.form.dataset.sent = "yes";
  // Whoever stops the loading may send it anew.
  setTimeout(() => { delete field.form.dataset.sent; }, 5000);
});
// Back from the answer, the form can be sent anew.
window.addEventListener("pageshow", () => { delete field.form.dataset.sent; });
window.addEventListener("hashchange", takeFragment);
takeFragment();
offerCamera();
