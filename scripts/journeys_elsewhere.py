"""Journeys in a browser of their own: with a camera that sees a QR code, and where the service is visited by a name, without encryption."""

from urllib.parse import urlsplit

import browser_checks as checks
from browser_keys import expect
from journeys_codes import CODE, register

# Bytes as sent of what is loaded when somebody wants to scan.
HEAVIEST_SCANNER = 35 * 1024
ADDRESS = "https://cards.example/submit#7KQ2X0FM93TDAW5G"
# A decoder of the browser, which Chromium has not on every system: knows the code of whatever moves.
DETECTOR = """
window.BarcodeDetector = class {
  static getSupportedFormats() { return Promise.resolve(["ean_13", "qr_code"]); }
  constructor({ formats }) { this.formats = formats; }
  detect(video) {
    if (this.formats.join() !== "qr_code" || video.videoWidth === 0) return Promise.resolve([]);
    return Promise.resolve([{ rawValue: "ADDRESS" }]);
  }
};
""".replace("ADDRESS", ADDRESS)
# Keeps what the camera gives, to see that it is switched off.
KEEP_TRACKS = """
const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
window.tracks = [];
navigator.mediaDevices.getUserMedia = async wish => {
  const stream = await ask(wish);
  tracks.push(...stream.getTracks());
  return stream;
};
"""


def code_seen_by_the_camera(keys):
    """The camera is held over a QR code: the decoder of the pages, which is loaded then, reads it; the camera is switched off, and the name is what is typed next."""
    keys.page.add_init_script("delete window.BarcodeDetector;")
    loaded = scan(keys)
    expect(any(path.endswith("/qr.js") for path in loaded), f"the decoder of the pages is not loaded, but {loaded}")
    weight = sum(checks.weight(keys.base + path, "") for path in loaded)
    expect(weight <= HEAVIEST_SCANNER, f"the scanner has {weight:,} bytes, more than {HEAVIEST_SCANNER:,}")


def code_seen_by_the_browser(keys):
    """The same where the browser can read QR codes by itself: nothing of the own decoder is loaded."""
    keys.page.add_init_script(DETECTOR)
    loaded = scan(keys)
    own = [path for path in loaded if "/qr" in path]
    expect(not own, f"the browser can read codes, and {own} is loaded")


def scan(keys):
    """Scans a code; the scripts that were loaded for it."""
    page, loaded = keys.page, []
    page.add_init_script(KEEP_TRACKS)
    keys.open("/submit")
    page.on("request", lambda request: loaded.append(urlsplit(request.url).path))
    keys.to("#scan")
    page.keyboard.press("Enter")
    keys.wait("() => document.getElementById('serial').value !== ''")
    read = keys.value("#serial")
    expect(read == CODE, f"the camera has seen {read}")
    keys.keep_focus("#card")
    keys.see_focus()
    keys.expect_announced("The code is typed right.")
    keys.wait("() => document.getElementById('camera').srcObject === null && tracks.length > 0 && tracks.every(track => track.readyState === 'ended')")
    expect(not page.locator("#camera").is_visible() and not page.locator("#stop").is_visible(), "the camera is off, and still shown")
    expect(page.locator("#scan").is_visible(), "the code cannot be scanned again")
    return loaded


def camera_stopped(keys):
    """Who stops the camera has the focus where it was, and an empty field."""
    keys.page.add_init_script(DETECTOR.replace(ADDRESS, "a poster"))
    keys.open("/submit")
    keys.to("#scan")
    keys.page.keyboard.press("Enter")
    keys.wait("() => document.activeElement.id === 'stop'")
    keys.see_focus()
    keys.page.keyboard.press("Enter")
    keys.wait("() => document.activeElement.id === 'scan'")
    expect(keys.value("#serial") == "", "something was read")


def visited_by_name(keys):
    """Browsers send less of where a form comes from when the service is visited without encryption: players log in and register a copy all the same."""
    code, card = keys.scene.code()
    expect(not keys.page.evaluate("() => isSecureContext"), "the browser takes the service for one with encryption")
    keys.log_in("ada", "/my/account")
    keys.open("/submit")
    expect(keys.page.locator("#photo").is_visible(), "there is no camera, and no photo can be chosen")
    register(keys, code, card)
