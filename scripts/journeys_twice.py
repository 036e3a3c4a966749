"""Journeys of people who click twice, as they do when nothing seems to happen."""

from browser_keys import expect

LIST = "1 Kettle Imp"
# The page tells when a click has been dealt with, to the end: a page that is left answers no questions.
CLICKED = "clicked"
TELL = "text => { let count = 0; addEventListener('click', () => { count += 1; setTimeout(console.debug, 0, `${text} ${count}`); }); }"


def code_sent_once(keys):
    """A double click on the button registers a copy once, with one request."""
    code, card = keys.scene.code()
    keys.log_in("ada", "/my/account")
    before = count_copies(keys)
    keys.open("/submit")
    keys.type("#serial", code)
    keys.type("#card", card)
    requests = click_twice(keys, ".form .main", "/submit")
    expect(keys.heading == "This copy is yours now", f"after two clicks the page says {keys.heading!r}")
    expect(requests == 1, f"two clicks send {requests} requests")
    registered = count_copies(keys) - before
    expect(registered == 1, f"two clicks register {registered} copies")


def deck_saved_once(keys):
    """A double click on the button makes one deck, with one request."""
    name = keys.scene.word()
    keys.log_in("ada", "/my/decks/new")
    keys.type("#name", name)
    keys.choose("#format", "ttcg/standard")
    keys.paste("#list", LIST)
    keys.wait("() => document.getElementById('told').textContent.includes('Standard')")
    requests = click_twice(keys, ".form .main", "/my/decks/new")
    expect(keys.heading == name, f"after two clicks the page says {keys.heading!r}")
    decks = keys.scene.call("ada", "GET", "/v1/decks?limit=100")["data"]
    made = sum(deck["name"] == name for deck in decks)
    expect(made == 1, f"two clicks make {made} decks")
    expect(requests == 1, f"two clicks send {requests} requests")


def count_copies(keys):
    return len(keys.scene.call("ada", "GET", "/v1/copies?limit=100")["data"])


def click_twice(keys, selector, path):
    """Clicks a button twice before the service answers; how many requests that has sent."""
    page, held = keys.page, []
    count, is_held = 0, True

    def hold(route):
        nonlocal count
        if route.request.method != "POST":
            route.continue_()
            return
        count += 1
        if is_held:
            held.append(route)
        else:
            route.continue_()

    page.route("**" + path, hold)
    page.evaluate(TELL, CLICKED)
    button = page.locator(selector)
    button.scroll_into_view_if_needed()
    box = button.bounding_box()
    place = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.click(*place)
    keys.until(lambda: held, "no request is sent")
    with page.expect_console_message(lambda message: message.text == f"{CLICKED} 2"):
        page.mouse.click(*place)
    is_held = False
    with page.expect_navigation():
        for route in held:
            route.continue_()
    page.address = page.url
    page.unroute("**" + path)
    return count
