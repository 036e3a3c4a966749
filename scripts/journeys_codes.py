"""Journeys with the code of a card."""

import browser_pictures as pictures
import browser_stage as stage
from browser_keys import expect

# The code in the address of `pictures.QR_CODE`.
CODE = "7KQ2-X0FM-93TD-AW5G"


def code_of_qr_address(keys):
    """The code of a QR address is in the field and nowhere else; without script it is typed. A stranger is asked to log in, and it is kept."""
    keys.open("/submit#" + CODE.replace("-", ""))
    if keys.has_script:
        expect(keys.value("#serial") == CODE and "#" not in keys.page.url, f"the code is not taken out of the address: {keys.page.url}")
        expect(keys.is_on("#card"), "the focus is not on what is typed next")
        keys.expect_announced("right")
    else:
        keys.type("#serial", CODE.lower())
    keys.type("#card", "A card of paper")
    keys.follow("button[value=log_in]")
    kept = keys.value("input[name=serial]")
    expect(kept.replace("-", "").upper() == CODE.replace("-", ""), f"the log-in does not keep the code: {kept}")
    expect(CODE[:4] not in keys.page.url.upper(), f"the code is in the address {keys.page.url}")


def code_of_a_photo(keys):
    """Where there is no camera, as on pages without encryption, a code is read from a photo, by the decoder of the pages. Without script nothing offers that."""
    page = keys.page
    page.add_init_script("delete Navigator.prototype.mediaDevices; delete window.BarcodeDetector;")
    # Listened for from the beginning: without, the browser would ask a person.
    choosers = []
    page.on("filechooser", lambda chooser: choosers.append(chooser))
    keys.open("/submit")
    is_offered = page.locator("#photo").is_visible() and not page.locator("#scan").is_visible()
    expect(is_offered == keys.has_script, "a camera is offered where none is, or no photo")
    if not keys.has_script:
        return
    choose_photo(keys, choosers, "nothing.png", b"no picture")
    keys.wait("() => document.getElementById('serial_state').textContent.startsWith('No code')")
    keys.keep_focus("#photo")
    choose_photo(keys, choosers, "code.png", pictures.png_of_code())
    keys.wait("() => document.getElementById('serial').value !== ''")
    read = keys.value("#serial")
    expect(read == CODE, f"the code of the photo is {read}")
    expect(keys.is_on("#card"), "the focus is not on what is typed next")


def choose_photo(keys, choosers, name, content):
    keys.to("#photo")
    keys.page.keyboard.press("Enter")
    keys.until(lambda: choosers, "Enter does not lead to a choice of files")
    choosers.pop().set_files({"name": name, "mimeType": "image/png", "buffer": content})


def first_card_of_a_newcomer(keys):
    """Somebody makes an account, keeps the recovery codes, registers a copy of a hidden card, and sees the card, which others do not."""
    code, card = keys.scene.code()
    keys.open("/join")
    keys.type("#name", keys.scene.word())
    keys.type("#password", stage.PASSWORD)
    keys.follow()
    codes = keys.page.locator(".codes code").count()
    expect(codes >= 8, f"{codes} recovery codes are shown")
    keys.expect_announced("Your recovery codes")
    keys.follow(".actions .main")
    keys.follow("header a[href='/submit']")
    register(keys, code, card)
    picture = keys.page.locator("main img").get_attribute("alt")
    expect(card in picture and card in keys.page.locator("main .lead").text_content(), f"the registered card is not shown, but {picture!r}")
    keys.follow(".actions a[href^='/cards/']")
    expect(keys.heading == card, f"the card is shown as {keys.heading!r}")
    keys.expect_announced(card)


def account_with_the_first_card(keys):
    """Somebody makes an account in the form in which the code is typed. The name of the card is wrong first: the account is there, and the form is sent once more."""
    code, card = keys.scene.code()
    keys.open("/submit")
    keys.type("#serial", code)
    keys.type("#card", "Another Card")
    keys.type("#name", keys.scene.word())
    keys.type("#password", stage.PASSWORD)
    keys.follow("button[value=join]", 422)
    keys.expect_announced("Code and name do not belong together.")
    codes = keys.page.locator(".codes code").count()
    expect(codes >= 8, f"{codes} recovery codes are shown")
    keys.type("#card", card)
    keys.follow(".form .main")
    expect(keys.heading == "This copy is yours now", f"after the code the page says {keys.heading!r}")
    keys.expect_announced("This copy is yours now")


def results_of_a_batch_in_sight(keys):
    """What became of each line is seen on a phone without scrolling sideways, however long the name beside it is."""
    code, card = keys.scene.code()
    keys.log_in("ada", "/submit/batch")
    keys.paste("#lines", f"{code} {card}\n{CODE[:-1]}H {stage.LONG_WORD[:90]}\n7KQ2-X0FM-93TD-AWU5 Kettle Imp")
    keys.follow(".form .main")
    rows = keys.page.locator("tbody tr")
    expect(rows.count() == 3, f"{rows.count()} lines have a result")
    width = keys.page.viewport_size["width"]
    for row in rows.all():
        box = row.locator("td").nth(1).bounding_box()
        end = box["x"] + box["width"]
        expect(end <= width, f"the result ends at {end:.0f} px, and the page at {width}")


def register(keys, code, card):
    """Types a code and the name of its card into the form, and sends it."""
    keys.type("#serial", code)
    if keys.has_script:
        keys.expect_announced("The code is typed right.")
    keys.type("#card", card)
    keys.follow()
    expect(keys.heading == "This copy is yours now", f"after the code the page says {keys.heading!r}")
    keys.expect_announced("This copy is yours now")
