"""Journeys with decks and their lists."""

import urllib.parse

from browser_keys import expect

FORMAT = "ttcg/standard"
ADDED = "([card, count]) => { const said = document.getElementById('pick_state').textContent; return said.includes(card) && said.includes(count); }"
SAYS = "text => document.getElementById('told').textContent.includes(text)"


def deck_built_by_name(keys):
    """A deck is built and saved: cards are added by their names, what is said of them is one step away, and the deck has them. Without script they are typed."""
    name = keys.scene.word()
    keys.log_in("ada", "/my/decks/new")
    keys.type("#name", name)
    keys.choose("#format", FORMAT)
    if keys.has_script:
        # The second and third are typed at once: each waits for the one before.
        for cards, count in [(["Kettle Imp"], "1"), (["Kettle Imp", "Pocket Bat"], "1")]:
            for card in cards:
                keys.type("#pick", card)
                keys.page.keyboard.press("Enter")
                keys.keep_focus("#pick")
            keys.wait(ADDED, [cards[-1], count])
        listed = keys.value("#list").split("\n")
        expect("2 Kettle Imp" in listed and "1 Pocket Bat" in listed, f"cards that were added while others were are missing: {listed}")
        keys.wait(SAYS, "Standard")
        keys.back_to("#way a")
        keys.page.keyboard.press("Enter")
        keys.wait("() => document.activeElement.id === 'judged'")
        keys.see_focus()
        keys.back_to(".form .main")
    else:
        keys.type("#list", "2 Kettle Imp\n1 Pocket Bat")
    keys.follow(".form .main")
    expect(keys.heading == name and keys.path.startswith("/decks/"), f"saving leads to {keys.page.url}")
    keys.expect_announced(name)
    rows = [" ".join(row.split()) for row in keys.page.locator(".deck-kind li").all_text_contents()]
    expect(sorted(row.split(" ")[0] for row in rows) == ["1", "2"] and "Kettle Imp" in " ".join(rows), f"the deck has {rows}")


def deck_kept_when_the_session_ends(keys):
    """The session ends while somebody types: the page says so and keeps what was typed; logged in again in another tab, the same is sent from it."""
    page, name = keys.page, keys.scene.word()
    keys.log_in("ben", "/my/decks/new")
    keys.type("#name", name)
    keys.choose("#format", FORMAT)
    keys.paste("#list", "2 Kettle Imp\n// a <b> \"note\"\n1 Pocket Bat")
    session = page.context.cookies()
    page.context.clear_cookies()
    keys.follow(".form .main", 401)
    keys.expect_announced("You are not logged in")
    keys.to("main a.button[target=_blank]")
    # What the other tab would do.
    page.context.add_cookies(session)
    keys.follow("main form .main")
    expect(keys.heading == name, f"sending it again leads to {page.url}, {keys.heading!r}")
    rows = [" ".join(row.split()) for row in page.locator(".deck-kind li").all_text_contents()]
    expect(len(rows) == 2, f"the deck has {rows}")


def list_judged_while_typed(keys):
    """A list is judged while it is typed, and a card is added by its name; the form can be sent, which is the way without script."""
    page = keys.page
    keys.open("/decks/check")
    keys.choose("#format", FORMAT)
    keys.paste("#list", "2 Kettle Imp")
    if keys.has_script:
        keys.wait(SAYS, "Standard")
        expect(page.locator("#judged .verdict").is_visible(), "the report is not shown")
        keys.keep_focus("#list")
        keys.type("#pick", "kettle i")
        keys.wait("() => document.querySelector('#pick_names option')?.value === 'Kettle Imp'")
        keys.type("#pick", "Kettle Imp")
        page.keyboard.press("Enter")
        keys.wait("() => document.getElementById('pick_state').textContent !== ''")
        written = keys.value("#list")
        expect(written == "3 Kettle Imp\n" and keys.path == "/decks/check", f"the card is not added: {written!r}, {page.url}")
        keys.keep_focus("#pick")
        expect("3" in page.locator("#pick_state").text_content(), "the page does not say that the card is added")
        # What a deck has besides, as a sideboard, comes after its cards; the heading as the service itself writes it.
        keys.back_to("#list")
        keys.paste("#list", "3 Kettle Imp\n\nSideboard\n1 Pocket Bat\n")
        keys.type("#pick", "Bellows Smith")
        page.keyboard.press("Enter")
        keys.wait("() => document.getElementById('pick_state').textContent.includes('Bellows')")
        written = keys.value("#list")
        expect(written == "3 Kettle Imp\n1 Bellows Smith\n\nSideboard\n1 Pocket Bat\n", f"the card is not added to the first zone: {written!r}")
    else:
        expect(not page.locator("#pick").is_visible(), "the field for names is there, and does nothing")
    keys.follow(".form .main")
    keys.comes_to("#verdict", "the verdict has not the focus")
    keys.expect_announced(page.locator(".verdict").text_content().strip())
    count = page.locator(".verdict").count()
    expect(count == 1, f"{count} reports are shown")
    if keys.has_script:
        # Without a list there is nothing to say.
        keys.back_to("#list")
        keys.type("#list", "")
        keys.wait("() => ['told', 'way', 'judged'].every(id => document.getElementById(id).textContent === '')")


def unsaved_deck_asked_for(keys):
    """Who leaves a deck that is not saved is asked first, by the script; the form as it was opened is left without a word, and so is one that is saved."""
    keys.log_in("ada", "/my/decks/new")
    asked = keys.answer_dialogs()
    if keys.has_script:
        judge_unsaved_deck(keys)
        keys.back_to(".crumbs a")
        keys.follow()
        expect(asked == ["beforeunload"], f"with a list that is not saved the page is left for {keys.page.url}, and asks {asked}")
        asked.clear()
    for text, expected in [("", []), ("Embers", ["beforeunload"] if keys.has_script else [])]:
        keys.open("/my/decks/new")
        keys.type("#name", text)
        keys.back_to(".crumbs a")
        keys.follow()
        expect(keys.path == "/my/decks" and asked == expected, f"with the name {text!r} the page is left for {keys.page.url}, and asks {asked}")
    asked.clear()
    keys.open("/my/decks/new")
    keys.type("#name", "Embers")
    keys.choose("#format", FORMAT)
    keys.paste("#list", "2 Kettle Imp")
    if keys.has_script:
        # No request is cut off.
        keys.wait(SAYS, "Standard")
    keys.follow(".form .main")
    expect(keys.heading == "Embers" and not asked, f"saving leads to {keys.page.url}, and asks {asked}")


def judge_unsaved_deck(keys):
    """The list of a deck without a name is judged: nothing is wrong with fields that are merely empty."""
    page = keys.page
    wrong = page.locator("[aria-invalid]")
    keys.to("#list")
    page.address, page.expected = keys.base + "/decks/check", 422
    keys.type("#list", "2 Kettle Imp")
    keys.wait(SAYS, "Choose a format")
    expect(wrong.count() == 0, "fields that are merely empty are told to be wrong")
    keys.back_to("#format")
    keys.choose("#format", FORMAT)
    keys.wait(SAYS, "Standard")
    expect(wrong.count() == 0, "fields that are merely empty are told to be wrong")
    keys.type("#list", "99999 Kettle Imp")
    keys.wait("() => document.getElementById('list').hasAttribute('aria-invalid')")
    keys.keep_focus("#list")
    page.expected = 200
    expect(wrong.count() == 1, "other fields than the list are told to be wrong")


def deck_liked_commented_and_copied(keys):
    """A reader of a deck logs in on the way, likes it or takes the like back, comments on it, and copies it under a name."""
    deck, text, name = keys.scene.made["deck"], f"It is slow: {keys.scene.word()}.", keys.scene.word()
    keys.open("/login?to=" + urllib.parse.quote(deck, safe=""))
    keys.log_in_here("cleo", deck)
    like = "form[action$='/like'] button"
    before = keys.page.locator(like).text_content()
    keys.follow(like)
    expect(keys.page.locator(like).text_content() != before, "the button of the like is the same")
    keys.type("#text", text)
    keys.follow("form[action$='/comments'] .button")
    expect(keys.path == deck and text in keys.page.locator(".threads").text_content(), f"the comment is not at {keys.page.url}")
    keys.open(f"{deck}/copy")
    keys.type("#name", name)
    keys.follow(".form .main")
    expect(keys.heading == name and keys.path != deck, f"copying leads to {keys.page.url}")
    keys.expect_announced(name)
