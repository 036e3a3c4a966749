"""Journeys with the stream of unlocks, of which one tab of a browser learns for all."""

from urllib.parse import urlsplit

from browser_keys import expect

STREAM = "/v1/changes/stream"
# How many tabs have the stream, and how many wait for it.
HOLDERS = """async () => {
  const { held, pending } = await navigator.locks.query();
  return held.length === 1 && pending.length === argument;
}"""
TOLD = "name => document.getElementById('news').textContent.includes(name)"
# How often a page with hidden cards is read anew, in milliseconds.
POLL = 20_000


def one_stream_for_two_tabs(keys):
    """Two tabs of a browser have one stream together, and both show what is unlocked; when the first is closed, the second has it."""
    first = keys.page
    # No tab reads itself anew now and then: each learns of an unlock by the stream alone.
    first.context.add_init_script("window.setInterval = () => 0;")
    asked = []
    first.context.on("request", lambda request: asked.append(request) if urlsplit(request.url).path == STREAM else None)
    with first.expect_response("**" + STREAM):
        keys.open("/")
    second = first.context.new_page()
    second.goto(keys.base + "/")
    wait_for_holders(second, 1)
    expect(len(asked) == 1, f"two tabs ask for {len(asked)} streams")
    name = keys.scene.unlock()
    for tab in (first, second):
        tab.wait_for_function(TOLD, arg=name)
    expect(len(asked) == 1, f"after an unlock two tabs have asked for {len(asked)} streams")
    with second.expect_response("**" + STREAM):
        first.close()
    wait_for_holders(second, 0)
    name = keys.scene.unlock()
    second.wait_for_function(TOLD, arg=name)
    expect(len(asked) == 2, f"when the first tab is closed, {len(asked)} streams have been asked for")


def wait_for_holders(tab, waiting):
    tab.wait_for_function(HOLDERS.replace("argument", str(waiting)))


def unlocks_without_a_stream(keys):
    """Where no further stream is allowed, the page learns of an unlock when it reads itself anew."""
    page = keys.page
    refused = []

    def refuse(route):
        refused.append(route)
        route.fulfill(status=429, content_type="application/problem+json", body="{}")

    page.route("**" + STREAM, refuse)
    page.clock.install()
    # What may fail is the stream.
    page.address, page.expected = keys.base + STREAM, 429
    page.goto(keys.base + "/")
    keys.until(lambda: refused, "no stream is asked for")
    name = keys.scene.unlock()
    page.clock.run_for(POLL)
    page.wait_for_function(TOLD, arg=name)
    expect(len(refused) == 1, f"a stream that is refused is asked for {len(refused)} times")
