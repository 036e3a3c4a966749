"""Journeys after which nobody finds the code of a card in the browser, on the way to the service, or in its log."""

from urllib.parse import urldefrag

from browser_keys import expect

# All that a page keeps, and where it has been.
KEPT = """async () => JSON.stringify([
  { ...localStorage }, { ...sessionStorage }, document.cookie, history.state, location.href, document.referrer,
  await indexedDB.databases(), await caches.keys(), document.documentElement.outerHTML,
])"""


def code_left_nowhere(keys):
    """A player opens the address of a QR code and registers the copy: afterwards the code is nowhere, nor is it there on the way back."""
    code, card = keys.scene.code()
    keys.log_in("ada", "/my/account")
    asked = requests_of(keys)
    keys.open("/submit#" + code.replace("-", ""))
    keys.type("#card", card)
    keys.follow()
    expect(keys.heading == "This copy is yours now", f"the page says {keys.heading!r}")
    search(keys, code, asked)
    keys.page.go_back()
    expect(keys.path == "/submit" and "#" not in keys.page.url, f"the way back leads to {keys.page.url}")
    expect(keys.value("#serial") == "", f"on the way back the code is in the field again: {keys.value('#serial')}")
    search(keys, code, asked)


def code_of_a_stranger_left_nowhere(keys):
    """The same, with the log-in in between, which keeps the code in its form."""
    code, card = keys.scene.code()
    asked = requests_of(keys)
    keys.open("/submit#" + code.replace("-", ""))
    keys.type("#card", card)
    keys.follow("button[value=log_in]")
    keys.log_in_here("ada", "/login")
    expect(keys.heading == "This copy is yours now", f"the page says {keys.heading!r}")
    search(keys, code, asked)


def code_of_a_newcomer_left_nowhere(keys):
    """The same, with an account that is made in the form of the code; its password, which the page has made, is on the page that shows it and nowhere else."""
    code, card = keys.scene.code()
    asked = requests_of(keys)
    keys.open("/submit#" + code.replace("-", ""))
    keys.type("#card", card)
    keys.type("#name", keys.scene.word())
    keys.follow("button[value=join]")
    expect(keys.heading == "This copy is yours now", f"the page says {keys.heading!r}")
    password = keys.page.locator("#welcome ~ .facts dd").nth(1).text_content()
    search(keys, code, asked)
    keys.open("/my/account")
    search(keys, password, asked)


def requests_of(keys):
    """The requests that the page makes from now on."""
    asked = []
    keys.page.on("request", lambda request: asked.append(request))
    return asked


def search(keys, code, asked):
    """Looks for the code wherever it must not be."""
    page = keys.page
    # Where the way back leads. The browser itself keeps what was typed into its address line, out of reach of pages.
    visited = page.context.new_cdp_session(page).send("Page.getNavigationHistory")["entries"]
    places = {
        "the page or what it keeps": page.evaluate(KEPT),
        "the history": "\n".join(f"{entry['url']} {entry['title']}" for entry in visited),
        "the cookies": str(page.context.cookies()),
        "the log": (keys.scene.service.folder / "service.log").read_text(errors="replace"),
    }
    expect(asked, "no request was seen")
    for request in asked:
        # What follows the # is not sent.
        head = [urldefrag(request.url).url, *(f"{name}: {value}" for name, value in request.headers.items())]
        places[f"the head of a request for {request.url}"] = "\n".join(head)
    for place, text in places.items():
        for spelt in (code, code.replace("-", "")):
            expect(spelt.lower() not in text.lower(), f"the code is in {place}")
