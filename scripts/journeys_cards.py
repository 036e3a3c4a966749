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
    keys.expect_announced(name)
    keys.follow("a[rel=next]")
    expect(keys.path.startswith("/cards/ttcg/hearth/") and keys.path != card, f"the next card is {keys.page.url}")
    expect(keys.heading != name, "the next card has the same name")
    keys.expect_announced(keys.heading)


def refused_query_mended(keys):
    """A query that cannot be read puts the focus on what is wrong, and can be written anew."""
    keys.open("/search?q=(((", 400)
    keys.comes_to("#faults", "the fault has not the focus")
    keys.type("#q", "t:fire")
    keys.follow()
    expect(keys.page.locator(".tile").count(), "the mended query finds nothing")


def wall_turns_a_card(keys):
    """A card that is unlocked while somebody looks at the wall is turned round and told; without script it is when the page is loaded anew."""
    page = keys.page
    keys.open_and_follow_unlocks("/")
    hidden = page.locator("[data-live=wall] .hidden-card")
    count = hidden.count()
    # Something of the wall has the focus, and keeps it.
    kept = "[data-live=wall] h3 a"
    keys.to(kept)
    name = keys.scene.unlock()
    if keys.has_script:
        keys.wait("name => document.getElementById('news').textContent.includes(name)", name)
        keys.keep_focus(kept)
        keys.expect_announced(name)
        turned = page.locator(".turned").count()
        expect(turned == 1, f"{turned} cards are turned")
    else:
        # Pages are kept for some seconds, but for those who ask for them anew.
        page.reload()
    expect(hidden.count() == count - 1, f"{count} cards were hidden, and {hidden.count()} are")


def keys_of_cards_and_search(keys):
    """The arrow keys lead from card to card, and the slash to the search, which completes names of cards and of fields. Keys are left to whoever types."""
    page = keys.page
    keys.open("/cards/ttcg/hearth/002")
    if not keys.has_script:
        return
    for key, number in [("ArrowRight", "003"), ("ArrowLeft", "002")]:
        with page.expect_navigation():
            page.keyboard.press(key)
        expect(keys.path == f"/cards/ttcg/hearth/{number}", f"{key} leads to {page.url}")
    page.keyboard.press("/")
    keys.keep_focus("#find")
    page.keyboard.type("t:a/")
    page.keyboard.press("ArrowLeft")
    is_left = keys.value("#find") == "t:a/" and keys.path == "/cards/ttcg/hearth/002"
    expect(is_left, f"keys are not left to the field that the slash leads to: {page.url}")
    switch_keys(keys, False)
    keys.open("/cards/ttcg/hearth/002")
    page.evaluate("() => { window.taken = []; addEventListener('keydown', event => window.taken.push(event.defaultPrevented)); }")
    for key in ["/", "ArrowRight"]:
        page.keyboard.press(key)
    taken = page.evaluate("() => window.taken")
    is_left = taken == [False, False] and not keys.is_on("#find")
    expect(is_left, f"keys that are switched off do something: {taken}, {keys.focused()}")
    switch_keys(keys, True)
    page.keyboard.press("/")
    keys.keep_focus("#find")
    keys.open("/search")
    for typed, completed in [("t:fire kettle i", 't:fire "Kettle Imp"'), ("t:fire att", "t:fire attack:")]:
        keys.type("#q", typed)
        keys.wait("query => [...document.querySelectorAll('#q_suggested option')].some(option => option.value === query)", completed)


def switch_keys(keys, are_on):
    """Switches the keys of pages on or off, on the page that says what they do."""
    keys.open("/search/help")
    box = keys.page.locator("#shortcuts")
    expect(box.is_checked() != are_on, "the box does not show what is kept")
    keys.to("#shortcuts")
    keys.page.keyboard.press("Space")
    expect(box.is_checked() == are_on, "Space does not change the box")
    # A key that is pressed in a field is left to it.
    keys.to("main a")


def hidden_card_unlocked(keys):
    """The page of a hidden card becomes that of the card when it is unlocked, and tells its name; without script it is when the page is loaded anew."""
    page = keys.page
    keys.open_and_follow_unlocks(f"/cards/ttcg/veil/{keys.scene.hidden()['number']}")
    name = keys.scene.unlock()
    if keys.has_script:
        keys.wait("name => document.getElementById('news').textContent.includes(name)", name)
        keys.expect_announced(name)
    else:
        page.reload()
    is_shown = keys.heading == name and name in page.title()
    expect(is_shown, f"{name} is unlocked, and the page says {keys.heading}, {page.title()}")
