"""Journeys through several pages, by keyboard alone. Each returns its faults, one line each."""

import struct
import urllib.parse
import zlib

import browser_stage as stage

# The QR code of an address, https://cards.example/submit#7KQ2X0FM93TDAW5G: the bits of a row are its modules, 1 for a dark one.
QR_CODE = """
    1fc9c27f 10537141 175f6b5d 174e245d 1750115d 105ae641 1fd5557f 00197d00 1a648076 1ba6c949 09ec4f1e 01a0a266 0c412b4b 043f6380 1be158af
    14258eea 14679aa2 0d8cc8e9 14f904f3 07b23d63 13d743f4 0012bf17 1fd8d152 1047811c 17413df2 17576a7e 1742c49d 105fdfd2 1fdc5d1a
"""


def picture_of_code(module=9):
    """A PNG file of `QR_CODE`, grey, with the light around it that readers need."""
    rows = [int(row, 16) for row in QR_CODE.split()]
    size = len(rows)
    light = b"\xff" * (4 * module)
    lines = [light + b"".join((b"\x18" if row >> bit & 1 else b"\xf0") * module for bit in reversed(range(size))) + light for row in rows]
    empty = [b"\xff" * len(lines[0])] * (4 * module)
    pixels = empty + [line for line in lines for _ in range(module)] + empty

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">IIBBBBB", len(pixels[0]), len(pixels), 8, 0, 0, 0, 0)
    # Each line begins with its filter: none.
    content = zlib.compress(b"".join(b"\0" + line for line in pixels))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", content) + chunk(b"IEND", b"")


def tab_to(page, selector, most=120):
    """Presses Tab until the focus is on a control; whether it came there."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return True
    return False


def follow(page):
    """Presses Enter and waits for the page that it leads to."""
    with page.expect_navigation():
        page.keyboard.press("Enter")
    page.address = page.url


def path(page):
    return urllib.parse.urlsplit(page.url).path


def search_card_next(page, base):
    """From the first page by a search to a card, and on to the next one."""
    page.address = base + "/"
    page.goto(page.address)
    if not tab_to(page, "#find"):
        return ["Tab does not reach the search"]
    page.keyboard.type("set:hearth name:kettle")
    follow(page)
    if path(page) != "/search" or not tab_to(page, ".tile a"):
        return [f"the search shows no card: {page.url}"]
    follow(page)
    card = path(page)
    if not card.startswith("/cards/ttcg/hearth/"):
        return [f"the result leads to {card}"]
    if not tab_to(page, "a[rel=next]"):
        return ["Tab does not reach the next card"]
    follow(page)
    if not path(page).startswith("/cards/ttcg/hearth/") or path(page) == card:
        return [f"the next card is {page.url}"]
    return []


def refused_query_mended(page, base):
    """A query that cannot be read puts the focus on what is wrong, and can be written anew."""
    page.address, page.expected = base + "/search?q=(((", 400
    page.goto(page.address)
    if not page.evaluate("() => document.activeElement.id === 'faults'"):
        return ["the fault has not the focus"]
    if not tab_to(page, "#q"):
        return ["Tab does not reach the search again"]
    page.keyboard.press("Control+A")
    page.keyboard.type("t:fire")
    follow(page)
    count = page.locator(".tile").count()
    return [] if count else ["the mended query finds nothing"]


def code_of_qr_address(page, base):
    """The code of a QR address is in the field and nowhere else; without script it is typed. A stranger is asked to log in, and it is kept."""
    code = "7KQ2-X0FM-93TD-AW5G"
    page.address = base + "/submit"
    page.goto(page.address + "#" + code.replace("-", ""))
    field = page.locator("#serial")
    if page.has_script:
        if field.input_value() != code or "#" in page.url:
            return [f"the code is not taken out of the address: {field.input_value()}, {page.url}"]
        if "right" not in page.locator("#serial_state").text_content():
            return ["the page does not say that the code is typed right"]
    else:
        if not tab_to(page, "#serial"):
            return ["Tab does not reach the code"]
        page.keyboard.type(code.lower())
    if not page.evaluate("() => document.activeElement.id === 'card'") and not tab_to(page, "#card"):
        return ["Tab does not reach the name of the card"]
    page.keyboard.type("A card of paper")
    follow(page)
    kept = page.locator("input[name=serial]").first.input_value()
    if kept.replace("-", "").upper() != code.replace("-", "") or code[:4] in page.url.upper():
        return [f"the log-in does not keep the code: {kept}, {page.url}"]
    return []


def code_of_a_photo(page, base):
    """Where there is no camera, as on pages without encryption, a code is read from a photo, by the decoder of the pages. Without script nothing offers that."""
    page.add_init_script("delete Navigator.prototype.mediaDevices; delete window.BarcodeDetector;")
    page.address = base + "/submit"
    page.goto(page.address)
    photo = page.locator("#photo")
    if photo.is_visible() != page.has_script or page.locator("#scan").is_visible():
        return ["a camera is offered where none is, or no photo"]
    if not page.has_script:
        return []
    if not tab_to(page, "#photo"):
        return ["Tab does not reach the photo"]
    photo.set_input_files({"name": "nothing.png", "mimeType": "image/png", "buffer": b"no picture"})
    page.wait_for_function("() => document.getElementById('serial_state').textContent.startsWith('No code')")
    photo.set_input_files({"name": "code.png", "mimeType": "image/png", "buffer": picture_of_code()})
    page.wait_for_function("() => document.getElementById('serial').value !== ''")
    read = page.locator("#serial").input_value()
    if read != "7KQ2-X0FM-93TD-AW5G" or not page.evaluate("() => document.activeElement.id === 'card'"):
        return [f"the code of the photo is {read}, or the focus is not on what is typed next"]
    return []


def wall_turns_a_card(page, base):
    """A card that is unlocked while somebody looks at the wall is turned round and told; without script it is when the page is loaded anew."""
    page.address = base + "/"
    page.goto(page.address)
    hidden = page.locator("[data-live=wall] .hidden-card")
    count = hidden.count()
    # Something of the wall has the focus, and keeps it.
    kept = page.locator("[data-live=wall] h3 a").first
    kept.focus()
    if page.has_script:
        # The page has been read anew once, and follows the unlocks: those before it opened the stream are not told to it.
        page.wait_for_function("async () => (await navigator.locks.query()).held.length === 1")
        page.wait_for_timeout(500)
    name = page.unlock()
    if not page.has_script:
        # Pages are kept for some seconds, but for those who ask for them anew.
        page.reload()
    else:
        page.wait_for_function("name => document.getElementById('news').textContent.includes(name)", arg=name)
        if not kept.evaluate("link => link === document.activeElement"):
            return ["the focus is lost when a card is turned"]
        if page.locator(".turned").count() != 1:
            return [f"{page.locator('.turned').count()} cards are turned"]
    return [] if hidden.count() == count - 1 else [f"{count} cards were hidden, and {hidden.count()} are"]


def design_of_a_card(page, base):
    """A player logs in, goes through the designer, and saves a design that is not finished."""
    page.address = base + "/login?to=%2Fdesigner"
    page.goto(page.address)
    for field, text in [("#name", "ada"), ("#password", stage.PASSWORD)]:
        if not page.evaluate("id => document.activeElement.matches(id)", field) and not tab_to(page, field):
            return [f"Tab does not reach {field} of the log-in"]
        page.keyboard.type(text)
    follow(page)
    if path(page) != "/designer" or not tab_to(page, "#card"):
        return [f"the log-in does not lead to the designer: {page.url}"]
    page.keyboard.press("ArrowDown")
    if not tab_to(page, ".actions .main"):
        return ["Tab does not reach the next step"]
    follow(page)
    if not tab_to(page, "input[name=name]"):
        return ["the second step does not ask for a name"]
    page.keyboard.type("Owl of the Long Way")
    # Enter checks again, and stays on the step.
    follow(page)
    if page.locator("input[name=name]").input_value() != "Owl of the Long Way":
        return ["the check forgets the name"]
    if not tab_to(page, ".actions button[value=save]"):
        return ["Tab does not reach the button that saves"]
    follow(page)
    if not path(page).startswith("/designs/D-") or "Owl of the Long Way" not in page.title():
        return [f"the design is not saved: {page.url}"]
    return []


def file_with_a_fault(page, base):
    """An admin logs in on the way to the imports, and pastes a set with a fault, which is told with its line."""
    page.address = base + "/admin/imports"
    page.goto(page.address)
    if not tab_to(page, "#name"):
        return [f"the log-in is not there: {page.url}"]
    page.keyboard.type(stage.ADMIN)
    page.keyboard.press("Tab")
    page.keyboard.type(stage.password_of(stage.ADMIN))
    follow(page)
    if path(page) != "/admin/imports":
        return [f"the log-in leads to {page.url}"]
    if not tab_to(page, "#game"):
        return ["Tab does not reach the game"]
    page.keyboard.type("ttcg")
    if not tab_to(page, "#text"):
        return ["Tab does not reach the text"]
    page.keyboard.insert_text('{\n  "code": "odd", "name": "Odd",\n  "cards": [\n    { "number": "001", "name": "A", "kind": "nothing" }\n  ]\n}')
    page.expected = 422
    if not tab_to(page, ".actions .main"):
        return ["Tab does not reach the button that checks"]
    follow(page)
    if not page.evaluate("() => document.activeElement.id === 'faults'"):
        return ["the fault has not the focus"]
    if not tab_to(page, "#faults a"):
        return ["Tab does not reach the way to the lines"]
    told = page.locator(".file-faults").text_content()
    if "Line 4, column " not in told:
        return [f"the line is not told: {told}"]
    if not page.has_script:
        return ["without script, something leads to the line"] if page.locator(".jump").count() else []
    if not tab_to(page, ".file-faults .jump"):
        return ["Tab does not reach the way to the line"]
    page.keyboard.press("Enter")
    selected = page.evaluate("() => { const { id, value, selectionStart, selectionEnd } = document.activeElement; return [id, value?.slice(selectionStart, selectionEnd)]; }")
    return [] if selected[0] == "text" and selected[1].startswith('    { "number": "001"') else [f"the line is not selected: {selected}"]


def log_in(page, base, player, way):
    """Goes to a page of somebody's own and logs in on the way, by keyboard; a fault, or none."""
    page.address = base + way
    page.goto(page.address)
    if not tab_to(page, "#name"):
        return [f"the log-in is not there: {page.url}"]
    page.keyboard.type(player)
    page.keyboard.press("Tab")
    page.keyboard.type(stage.PASSWORD)
    follow(page)
    return [] if path(page) == way else [f"the log-in leads to {page.url}"]


def design_checked_while_typing(page, base):
    """What the game finds wrong with a card is told while its numbers are typed; the focus stays. Whoever leaves without saving is asked first."""
    faults = log_in(page, base, "ada", "/designer")
    if faults:
        return faults
    page.locator("#card").select_option("ttcg/unit")
    if not tab_to(page, ".actions .main"):
        return ["Tab does not reach the next step"]
    follow(page)
    address, budget = page.url, "add up to 500"
    # In one go: what is asked while somebody types on is asked once more.
    for code, value in [("rank", "1"), ("attack", "200")]:
        page.locator(f"#attributes-{code}").fill(value)
    if not tab_to(page, "#attributes-defense"):
        return ["Tab does not reach the last number"]
    page.keyboard.type("300")
    if not page.has_script:
        return [] if page.locator("#told").text_content() == "" else ["without script, something is told"]
    page.wait_for_function(
        "rule => document.getElementById('told').textContent !== '' && !document.getElementById('findings').textContent.includes(rule)", arg=budget
    )
    page.keyboard.press("Control+A")
    page.keyboard.type("9000")
    page.wait_for_function("rule => document.getElementById('findings').textContent.includes(rule)", arg=budget)
    field = page.locator("#attributes-defense")
    if not field.evaluate("field => field === document.activeElement") or field.input_value() != "9000" or page.url != address:
        return [f"the check takes the focus or what was typed: {field.input_value()}, {page.url}"]
    asked = []

    def answer(dialog):
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", answer)
    page.address = base + "/my/designs"
    page.goto(page.address)
    return [] if asked == ["beforeunload"] else [f"whoever leaves is asked {asked}"]


def trade_looked_at_and_kept(page, base):
    """From the own trades to the second question before an offer is accepted, and back without a word."""
    faults = log_in(page, base, "ben", "/trades")
    if faults:
        return faults
    if not tab_to(page, ".decks a.title"):
        return ["Tab does not reach the offer"]
    follow(page)
    offer = path(page)
    if not tab_to(page, "a[href$='/accept']"):
        return ["Tab does not reach the way to accept it"]
    follow(page)
    if page.locator("h1").text_content() != "Accept this offer?":
        return [f"nothing is asked: {page.url}"]
    if not tab_to(page, ".actions a.button"):
        return ["Tab does not reach the way back"]
    follow(page)
    return [] if path(page) == offer else [f"the way back leads to {page.url}"]


def count_changed_and_undone(page, base):
    """One more of a card, which is told and undone."""
    faults = log_in(page, base, "ada", "/my/collection")
    if faults:
        return faults
    field = page.locator(".quantity-field").first
    before = field.input_value()
    if not tab_to(page, "button[value=more]"):
        return ["Tab does not reach the button that adds one"]
    follow(page)
    after = page.locator(".quantity-field").first.input_value()
    if int(after) != int(before) + 1:
        return [f"the count is {after}, not one more than {before}"]
    if not tab_to(page, ".notice button"):
        return ["Tab does not reach the button that undoes it"]
    follow(page)
    after = page.locator(".quantity-field").first.input_value()
    return [] if after == before else [f"the count is {after}, not {before} again"]


def list_judged_while_typed(page, base):
    """A list is judged while it is typed, and a card is added by its name; the form can be sent, which is the way without script."""
    page.address = base + "/decks/check"
    page.goto(page.address)
    page.locator("#format").select_option("ttcg/standard")
    if not tab_to(page, "#list"):
        return ["Tab does not reach the list"]
    page.keyboard.type("2 Kettle Imp")
    if page.has_script:
        page.wait_for_function("() => document.getElementById('told').textContent.includes('Standard')")
        if not page.locator("#judged .verdict").is_visible():
            return ["the report is not shown"]
        if not page.evaluate("() => document.activeElement.id === 'list'"):
            return ["the focus is lost when the list is judged"]
        if not tab_to(page, "#pick"):
            return ["Tab does not reach the field for names"]
        page.keyboard.type("kettle i")
        page.wait_for_function("() => document.querySelector('#pick_names option')?.value === 'Kettle Imp'")
        page.keyboard.press("Control+A")
        page.keyboard.type("Kettle Imp")
        page.keyboard.press("Enter")
        page.wait_for_function("() => document.getElementById('pick_state').textContent !== ''")
        written = page.locator("#list").input_value()
        if written != "3 Kettle Imp\n" or path(page) != "/decks/check":
            return [f"the card is not added: {written!r}, {page.url}"]
        if "3" not in page.locator("#pick_state").text_content():
            return ["the page does not say that the card is added"]
        # What a deck has besides, as a sideboard, comes after its cards; the heading as the service itself writes it.
        page.locator("#list").fill("3 Kettle Imp\n\nSideboard\n1 Pocket Bat\n")
        page.locator("#pick").focus()
        page.keyboard.type("Bellows Smith")
        page.keyboard.press("Enter")
        page.wait_for_function("() => document.getElementById('pick_state').textContent.includes('Bellows')")
        written = page.locator("#list").input_value()
        if written != "3 Kettle Imp\n1 Bellows Smith\n\nSideboard\n1 Pocket Bat\n":
            return [f"the card is not added to the first zone: {written!r}"]
    elif page.locator("#pick").is_visible():
        return ["the field for names is there, and does nothing"]
    if not tab_to(page, ".form .main"):
        return ["Tab does not reach the button that checks"]
    follow(page)
    if not page.evaluate("() => document.activeElement.id === 'verdict'"):
        return ["the verdict has not the focus"]
    count = page.locator(".verdict").count()
    if count != 1:
        return [f"{count} reports are shown"]
    if page.has_script:
        # Without a list there is nothing to say.
        page.locator("#list").fill("")
        page.wait_for_function("() => ['told', 'way', 'judged'].every(id => document.getElementById(id).textContent === '')")
    return []


def unsaved_deck_asked_for(page, base):
    """Who leaves a deck that is not saved is asked first, by the script; the form as it was opened is left without a word, and so is one that is saved."""
    faults = log_in(page, base, "ada", "/my/decks/new")
    if faults:
        return faults
    asked = []

    def answer(dialog):
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", answer)
    if page.has_script:
        # The list of a deck without a name is judged: nothing is wrong with fields that are merely empty.
        if not tab_to(page, "#list"):
            return ["Tab does not reach the list"]
        page.address, page.expected = base + "/decks/check", 422
        page.keyboard.type("2 Kettle Imp")
        page.wait_for_function("() => document.getElementById('told').textContent.includes('Choose a format')")
        if page.locator("[aria-invalid]").count():
            return ["fields that are merely empty are told to be wrong"]
        page.expected = 200
        page.locator("#format").select_option("ttcg/standard")
        page.wait_for_function("() => document.getElementById('told').textContent.includes('Standard')")
        if page.locator("[aria-invalid]").count():
            return ["fields that are merely empty are told to be wrong"]
        page.expected = 422
        page.locator("#list").focus()
        page.keyboard.press("Control+A")
        page.keyboard.type("99999 Kettle Imp")
        page.wait_for_function("() => document.getElementById('list').hasAttribute('aria-invalid')")
        page.expected = 200
        if page.locator("[aria-invalid]").count() != 1:
            return ["other fields than the list are told to be wrong"]
        page.locator(".crumbs a").first.focus()
        follow(page)
        if asked != ["beforeunload"]:
            return [f"with a list that is not saved the page is left for {page.url}, and asks {asked}"]
        asked.clear()
    for text, expected in [("", []), ("Embers", ["beforeunload"] if page.has_script else [])]:
        page.address = base + "/my/decks/new"
        page.goto(page.address)
        if not tab_to(page, "#name"):
            return ["Tab does not reach the name of the deck"]
        page.keyboard.type(text)
        page.locator(".crumbs a").first.focus()
        follow(page)
        if path(page) != "/my/decks" or asked != expected:
            return [f"with the name {text!r} the page is left for {page.url}, and asks {asked}"]
    asked.clear()
    page.address = base + "/my/decks/new"
    page.goto(page.address)
    if not tab_to(page, "#name"):
        return ["Tab does not reach the name of the deck"]
    page.keyboard.type("Embers")
    page.locator("#format").select_option("ttcg/standard")
    if not tab_to(page, "#list"):
        return ["Tab does not reach the list"]
    page.keyboard.type("2 Kettle Imp")
    if page.has_script:
        # No request is cut off.
        page.wait_for_function("() => document.getElementById('told').textContent.includes('Standard')")
    if not tab_to(page, ".form .main"):
        return ["Tab does not reach the button that saves"]
    follow(page)
    if page.locator("h1").text_content() != "Embers" or asked:
        return [f"saving leads to {page.url}, and asks {asked}"]
    return []


def keys_of_cards_and_search(page, base):
    """The arrow keys lead from card to card, and the slash to the search, which completes names of cards and of fields. Keys are left to whoever types."""
    page.address = base + "/cards/ttcg/hearth/002"
    page.goto(page.address)
    if not page.has_script:
        return []
    for key, number in [("ArrowRight", "003"), ("ArrowLeft", "002")]:
        with page.expect_navigation():
            page.keyboard.press(key)
        if path(page) != f"/cards/ttcg/hearth/{number}":
            return [f"{key} leads to {page.url}"]
    page.keyboard.press("/")
    page.keyboard.type("t:a/")
    page.keyboard.press("ArrowLeft")
    if page.locator("#find").input_value() != "t:a/" or path(page) != "/cards/ttcg/hearth/002":
        return [f"keys are not left to the field that the slash leads to: {page.url}"]
    page.address = base + "/search"
    page.goto(page.address)
    page.locator("#q").focus()
    for typed, completed in [("t:fire kettle i", 't:fire "Kettle Imp"'), ("t:fire att", "t:fire attack:")]:
        page.keyboard.press("Control+A")
        page.keyboard.type(typed)
        page.wait_for_function("query => [...document.querySelectorAll('#q_suggested option')].some(option => option.value === query)", arg=completed)
    return []


def hidden_card_unlocked(page, base):
    """The page of a hidden card becomes that of the card when it is unlocked, and tells its name; without script it is when the page is loaded anew."""
    page.address = base + "/sets/ttcg/veil"
    page.goto(page.address)
    page.address = base + page.locator(".hidden-card > a").first.get_attribute("href")
    page.goto(page.address)
    if page.has_script:
        page.wait_for_function("async () => (await navigator.locks.query()).held.length === 1")
        page.wait_for_timeout(500)
    name = page.unlock()
    if page.has_script:
        page.wait_for_function("name => document.getElementById('news').textContent.includes(name)", arg=name)
    else:
        page.reload()
    heading = page.locator("h1").text_content()
    if heading != name or name not in page.title():
        return [f"{name} is unlocked, and the page says {heading}, {page.title()}"]
    return []


JOURNEYS = [
    search_card_next,
    refused_query_mended,
    code_of_qr_address,
    code_of_a_photo,
    wall_turns_a_card,
    design_of_a_card,
    design_checked_while_typing,
    file_with_a_fault,
    trade_looked_at_and_kept,
    count_changed_and_undone,
    list_judged_while_typed,
    unsaved_deck_asked_for,
    keys_of_cards_and_search,
    hidden_card_unlocked,
]
