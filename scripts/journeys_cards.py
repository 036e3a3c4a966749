"""Journeys to cards: by a search, and on the wall of hidden ones."""

from browser_keys import expect


def search_card_next(keys):
    """From the first page by a search to a card, and on to the next one."""
    keys.open("/")
    keys.type("#find", "set:hearth name:kettle")
    keys.follow()
    expect(keys.path == "/search", f"the search leads to {keys.page.url}")
    keys.follow(".tile a")
    card, name = keys.path, keys.heading
    expect(card.startswith("/cards/ttcg/hearth/"), f"the result leads to {card}")
    keys.told(name)
    keys.follow("a[rel=next]")
    expect(keys.path.startswith("/cards/ttcg/hearth/") and keys.path != card, f"the next card is {keys.page.url}")
    expect(keys.heading != name, "the next card has the same name")
    keys.told(keys.heading)


def refused_query_mended(keys):
    """A query that cannot be read puts the focus on what is wrong, and can be written anew."""
    keys.open("/search?q=(((", 400)
    expect(keys.is_on("#faults"), "the fault has not the focus")
    keys.type("#q", "t:fire")
    keys.follow()
    expect(keys.page.locator(".tile").count(), "the mended query finds nothing")


def wall_turns_a_card(keys):
    """A card that is unlocked while somebody looks at the wall is turned round and told; without script it is when the page is loaded anew."""
    page = keys.page
    if keys.has_script:
        # Unlocks before it opened the stream are not told to the page.
        with page.expect_response("**/v1/changes/stream"):
            keys.open("/")
    else:
        keys.open("/")
    hidden = page.locator("[data-live=wall] .hidden-card")
    count = hidden.count()
    # Something of the wall has the focus, and keeps it.
    kept = "[data-live=wall] h3 a"
    keys.to(kept)
    name = keys.scene.unlock()
    if keys.has_script:
        keys.wait("name => document.getElementById('news').textContent.includes(name)", name)
        keys.keep_focus(kept)
        keys.told(name)
        turned = page.locator(".turned").count()
        expect(turned == 1, f"{turned} cards are turned")
    else:
        # Pages are kept for some seconds, but for those who ask for them anew.
        page.reload()
    expect(hidden.count() == count - 1, f"{count} cards were hidden, and {hidden.count()} are")
