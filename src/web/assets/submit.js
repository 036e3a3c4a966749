// The page on which a code is typed: takes the code of a QR address out of the fragment, says while typing whether the code can be right, loads what reads QR
// codes by the camera or from a photo when somebody wants that, and creates a password for people who create an account and type none. All texts are in the page.

// Crockford's Base32: letters that look like digits are read as those.
const SYMBOLS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
// Of passwords: without letters and digits that look alike.
const PLAIN_SYMBOLS = "23456789abcdefghijkmnpqrstuvwxyz";
// As `is_separator` of domain/crockford.rs: white space, dashes, what nobody sees, punctuation in place of dashes.
const SEPARATORS = /[\s\-\u2010-\u2015\u2212\u30FC\uFE58\uFE63\uFF70\u00AD\u034F\u115F\u1160\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u2069\u2800\u3164\uFE00-\uFE0F\uFEFF\uFFA0._/:,;|·•\u2027\u2219\u22C5\u30FB]/gu;
const FULL_WIDTH = /[\uFF01-\uFF5E]/gu;
const LENGTH = 16;

const field = document.getElementById("serial");
const state = document.getElementById("serial_state");

/** The characters that were typed as symbols: of a QR address, those after its `#`; full-width ones in their usual form. */
function typedIn(text) {
  const code = text.replace(/^(?:\s*|[^#]*:\/\/[^#]*)#/u, "");
  const usual = code.replace(FULL_WIDTH, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xFEE0));
  return usual.replace(SEPARATORS, "");
}

/** The values of the symbols that were typed; -1 for what cannot be one. */
function read(text) {
  const typed = typedIn(text).toUpperCase();
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
  const values = read(text);
  if (values.length !== LENGTH || values.includes(-1)) return false;
  field.value = typedIn(text).match(/.{4}/gu).join("-");
  judge();
  document.getElementById("card").focus();
  return true;
}

/** Takes the code out of the address: it is not shown, and the way back does not lead to it. Browsers may keep the address among those that were visited. */
function takeFragment() {
  if (location.hash.length < 2) return;
  const fragment = location.hash;
  history.replaceState(history.state, "", location.pathname);
  take(fragment);
}

/** Reads a code by the camera, or says that it cannot; a photo may do then. */
async function scan(button) {
  button.hidden = true;
  const stop = document.getElementById("stop");
  try {
    const { scanByCamera } = await import("./scan.js");
    await scanByCamera(document.getElementById("camera"), stop, take);
  } catch {
    state.textContent = state.dataset.camera;
    offerPhoto();
  } finally {
    button.hidden = false;
    // The focus goes back to where it came from, unless there is something to type now.
    if ([document.body, stop].includes(document.activeElement)) button.focus();
  }
}

/** Reads a code from a photo, or says that there is none. The photo is not sent. */
async function readFrom(photo) {
  const [file] = photo.files;
  if (file === undefined) return;
  let isRead = false;
  try {
    const { readPhoto } = await import("./scan.js");
    isRead = await readPhoto(file, take);
  } catch {
    // What is not a picture has no code.
  }
  if (!isRead) state.textContent = state.dataset.photo;
  photo.value = "";
}

function offerPhoto() {
  document.getElementById("photo_field").hidden = false;
}

/** Offers the camera. Pages without encryption have none, and phones take a photo for them. */
function offerScan() {
  const [button, photo] = [document.getElementById("scan"), document.getElementById("photo")];
  button.addEventListener("click", () => { scan(button); });
  photo.addEventListener("change", () => { readFrom(photo); });
  if (navigator.mediaDevices?.getUserMedia) button.hidden = false;
  else offerPhoto();
}

/** Makes a password of 80 random bits. The page that answers shows it, if no other was typed. People who go back because no answer came send the same password again. */
function makePassword() {
  const made = document.getElementById("made_password");
  if (made === null) {
    // This page is shown after the account exists: the password is removed.
    if (history.state !== null) history.replaceState(null, "");
    return;
  }
  made.value ||= history.state?.made ?? randomPassword();
  history.replaceState({ made: made.value }, "");
  const password = document.getElementById("password");
  password.setAttribute("aria-describedby", `made_help ${password.getAttribute("aria-describedby")}`);
}

/** Sixteen symbols of which none is taken for another. */
function randomPassword() {
  const values = crypto.getRandomValues(new Uint8Array(LENGTH));
  const symbols = Array.from(values, (value) => PLAIN_SYMBOLS[value % PLAIN_SYMBOLS.length]);
  return symbols.join("").match(/.{4}/gu).join("-");
}

field.addEventListener("input", judge);
window.addEventListener("hashchange", takeFragment);
takeFragment();
offerScan();
makePassword();
