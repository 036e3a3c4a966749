"""Pages that answer a form: what was done, what is wrong, what is shown once. They are looked at like the pages that have addresses (browser_pages.py)."""

import json
import urllib.error
from collections.abc import Callable
from dataclasses import dataclass, field

from playwright.sync_api import Error

import browser_checks as checks
from browser_keys import Stuck, expect
from browser_stage import ADMIN, LONG_WORD, PASSWORD
from journeys_imports import file_of_set

# Fills in the form of a button by the names of its fields, as `element.value` and `element.checked`, and presses the button. A list: boxes that are ticked.
SEND = """([selector, fields]) => {
  const button = document.querySelector(selector);
  const named = name => Array.from(button.form.elements).filter(field => field.name === name);
  for (const [name, value] of Object.entries(fields)) {
    const found = named(name);
    if (found.length === 0) throw new Error(`no field ${name}`);
    if (Array.isArray(value)) for (const box of found) box.checked = value.includes(box.value);
    else found[0].value = value;
  }
  button.click();
}"""
# Where a button sends its form.
ACTION = "selector => { const button = document.querySelector(selector); return button.getAttribute('formaction') ? button.formAction : button.form.action; }"


@dataclass(frozen=True)
class Answer:
    """A form that is sent, and what answers it.

    `path`: the page with the form, as in `PAGES`, or made of the scene. `fields`: what is filled in, made of the scene. `says`: a text that only the right answer has.
    `button`: sends the form. `meanwhile`: what happens between the form and its sending, made of the scene and the path. `then`: a button of the first answer, whose
    answer is looked at.
    """

    name: str
    path: str | Callable
    says: str
    fields: Callable = lambda scene: {}
    status: int = 200
    player: str | None = None
    button: str = "main .form .main"
    meanwhile: Callable = lambda scene, path: None
    then: str | None = None
    without: frozenset = field(default_factory=frozenset)


def code_with_name(scene):
    code, card = scene.code()
    return {"serial": code, "card": card}


def code_with_another_name(scene):
    return code_with_name(scene) | {"card": "Another Card"}


def new_account(scene):
    return {"name": scene.word(), "password": PASSWORD}


def code_of_somebody_else(scene):
    code, name = scene.code()
    scene.call("ben", "POST", "/v1/submissions", {"serial": code, "name": name})
    return {"serial": code, "card": name}


def lines_of_codes(scene):
    code, card = scene.code()
    return {"lines": f"{code} {card}\n7KQ2-X0FM-93TD-AW5G Nothing\n7KQ2-X0FM-93TD-AW5H {LONG_WORD[:90]}\n{LONG_WORD[:60]}"}


def new_deck(scene):
    """The form of a deck of its own."""
    return scene.deck("ttcg/standard", list="2 Kettle Imp") + "/edit"


def change_deck(scene, path):
    changed = {"name": "Deck of " + LONG_WORD[:90], "format": "ttcg/standard", "list": "1 Kettle Imp\n1 Pocket Bat"}
    scene.call("cleo", "PUT", "/v1" + path.removesuffix("/edit"), changed, {"if-match": "*"})


def card_to_change(scene):
    return f"/admin/cards/{scene.call(ADMIN, 'GET', '/v1/games/ttcg/sets/hearth/cards/030')['id']}"


def change_card(scene, path):
    card = path.removeprefix("/admin").removesuffix("/document")
    scene.call(ADMIN, "PATCH", f"/v1{card}", {"lore": f"It has been told differently: {scene.word()}."}, {"if-match": "*"})


def change_wants(scene, path):
    cards = [{"game": "ttcg", "set": "hearth", "number": f"{number:03}", "quantity": 1} for number in range(1, 4)]
    scene.call("cleo", "PUT", "/v1/me/wants", {"items": cards}, {"if-match": "*"})


def form_of_offer(scene):
    scene.copy("cleo")
    return "/trades/new?player=ben"


def first_copy(scene):
    return {"give": [scene.call("cleo", "GET", "/v1/copies?limit=1")["data"][0]["id"]]}


def set_file(kind):
    return lambda scene: {"game": "ttcg", "text": file_of_set(scene.word(), kind)}


PASTED = {"game": "ttcg", "without_rarity": "most_common", "pasted": f"Count,Name,Set\n2,Kettle Imp,hearth\n1,Pocket Bat,hearth\n3,{LONG_WORD[:80]},\nx,nothing,"}
LONG_TEXT = {"text": "It is mine.\n\n" + LONG_WORD}
HOOK = {"url": "https://hooks.example/" + LONG_WORD[:60], "description": "Mirror " + LONG_WORD[:60], "kind": ["card.unlocked"], "enabled": []}
WRONG = {"current_password": "another lamp entirely"}
RIGHT = {"current_password": PASSWORD}

BEGIN = "form[action='/my/second-factor'] button"
ADD = "#add-card ~ form .main"

ANSWERS = [
    Answer("registered", "/submit", "This copy is yours now", code_with_name, player="ada"),
    Answer("code-mistyped", "/submit", "Look here", lambda scene: {"serial": "7KQ2-X0FM-93TD-AWU5", "card": "Kettle"}, 422, "ada"),
    Answer("code-rejected", "/submit", "do not belong together", code_with_another_name, 422, "ada"),
    Answer("code-of-another", "/submit", "somebody else", code_of_somebody_else, 409, "ada"),
    Answer("code-of-a-stranger", "/submit", "The code is read", code_with_name, button="main button[value=log_in]"),
    Answer("joined-with-card", "/submit", "This copy is yours now", lambda scene: code_with_name(scene) | new_account(scene)),
    Answer("joined-without-card", "/submit", "The account is created", lambda scene: code_with_another_name(scene) | new_account(scene), 422),
    Answer("join-with-card-refused", "/submit", "A name has 3 to 32", lambda scene: code_with_name(scene) | {"name": "..", "password": "short"}, 422),
    Answer("batch", "/submit/batch", "Result of each line", lines_of_codes, player="ada"),
    Answer("batch-refused", "/submit/batch", "more than 50", lambda scene: {"lines": "A\n" * 51}, 422, "ada"),
    Answer("log-in-refused", "/login", "wrong", lambda scene: {"name": "ada", "password": "another lamp"}, 401),
    Answer("join-refused", "/join", "Another account", lambda scene: {"name": ADMIN, "password": PASSWORD}, 409),
    Answer("joined", "/join", "recovery codes", lambda scene: {"name": scene.word(), "password": PASSWORD}, 201),
    Answer("recover-refused", "/recover", "wrong", lambda scene: {"name": "ada", "recovery_code": "none", "new_password": PASSWORD}, 401),
    Answer("password-refused", "/my/password", "A password has 10", lambda scene: WRONG | {"new_password": "short"}, 422, "dimitri"),
    Answer("recovery-codes-made", "/my/recovery-codes", "recovery codes", lambda scene: RIGHT, player="dimitri"),
    Answer("second-factor-begun", "/my/second-factor", "never again", lambda scene: RIGHT, 201, "dimitri", BEGIN),
    Answer("token-made", "/my/tokens", "Your new token", lambda scene: {"name": scene.word(), "scope": ["collection:read"]}, 201, "dimitri"),
    Answer("token-refused", "/my/tokens", "Choose at least one", lambda scene: {"name": LONG_WORD[:50], "scope": []}, 422, "dimitri"),
    Answer("account-saved", "/my/account", "saved", button="#settings ~ form button", player="dimitri"),
    Answer("list-judged", "/decks/check", "Result", lambda scene: {"format": "ttcg/standard", "list": f"9 Kettle Imp\n1 {LONG_WORD[:80]}"}),
    Answer("list-refused", "/decks/check", "Choose a format", lambda scene: {"list": "9 Kettle Imp"}, 422),
    Answer("deck-refused", "/my/decks/new", "Line 1", lambda scene: {"name": "A", "format": "ttcg/standard", "list": "99999 Kettle Imp"}, 422, "cleo"),
    Answer("deck-stale", new_deck, "version", lambda scene: {"name": "Mine", "list": "3 Kettle Imp"}, 412, "cleo", meanwhile=change_deck),
    Answer("deck-copy-refused", "{deck}/copy", "Name", lambda scene: {"name": " "}, 422, "cleo"),
    Answer("deck-file-refused", "/my/decks/new", "Choose a file", status=422, player="cleo", button="button[formenctype]"),
    Answer("deck-reported", "{deck}/report", "A moderator will look", lambda scene: {"reason": "other", "details": LONG_WORD}, player="cleo"),
    Answer("counted", "/my/collection", "Undo", button="button[value=more]", player="ada"),
    Answer("count-unclear", "/my/collection", "Which one", lambda scene: {"card_game": "ttcg", "card_name": "Kettle Imp"}, 422, "cleo", ADD),
    Answer("count-refused", "/my/collection", "no such card", lambda scene: {"card_name": LONG_WORD[:80]}, 422, "cleo", ADD),
    Answer("cards-judged", "/my/collection/import", "cannot be counted", lambda scene: PASTED, player="cleo"),
    Answer("cards-corrected", "/my/collection/import", "Or paste it", lambda scene: PASTED, player="cleo", then="button[formaction='/my/collection/import/edit']"),
    Answer("cards-imported", "/my/collection/import", "left out", lambda scene: PASTED, player="cleo", then="form[action^='/my/collection/import/'] .main"),
    Answer("wants-refused", "/my/lists/wants", "no such card", lambda scene: {"card_name": LONG_WORD[:80]}, 422, "cleo", "button[value=add]"),
    Answer("wants-stale", "/my/lists/wants", "changed elsewhere", lambda scene: {"visibility": "public"}, 412, "cleo", "button[value=save]", change_wants),
    Answer("offered", form_of_offer, "The offer is sent.", first_copy, 200, "cleo", "button[value=send]"),
    Answer("offer-refused", "/trades/new?player=ben", "at least one copy", lambda scene: {"message": LONG_WORD}, 422, "cleo", "button[value=send]"),
    Answer("statement-made", "{dispute}", "It is mine", lambda scene: LONG_TEXT, player="cleo"),
    Answer("design-begun", "/designer", "Name", lambda scene: {"card": "ttcg/unit"}, player="ada", button="main .actions .main"),
    Answer("design-refused", "/designer", "Choose a kind", lambda scene: {"card": ""}, 422, "ada", "main .actions .main"),
    Answer("design-reported", "{design}/report", "A moderator will look", lambda scene: {"reason": "other", "details": LONG_WORD}, player="cleo"),
    Answer("release-checked", "{approved}/release", "would become the card", lambda scene: {"set": "hearth", "number": "900"}, player=ADMIN, button="button[value=check]"),
    Answer("release-refused", "{approved}/release", "Choose another number", lambda scene: {"set": "veil", "number": "001"}, 409, ADMIN, "button[value=release]"),
    Answer("file-refused", "/admin/imports", "Line 4", set_file("nothing"), 422, ADMIN),
    Answer("file-checked", "/admin/imports", "Nothing", set_file("unit"), player=ADMIN),
    Answer("file-imported", "/admin/imports", "It is imported", set_file("unit"), player=ADMIN, then="button[formaction='/admin/imports/run']"),
    Answer("card-stale", card_to_change, "version", lambda scene: {"lore": "Mine."}, 412, ADMIN, meanwhile=change_card),
    Answer("document-refused", "{edited}/document", "lacks", lambda scene: {"document": json.dumps({"name": ""})}, 422, ADMIN),
    Answer("document-stale", lambda scene: card_to_change(scene) + "/document", "version", status=412, player=ADMIN, meanwhile=change_card),
    Answer("webhook-made", "/admin/webhooks", "secret", lambda scene: HOOK, 201, ADMIN),
    Answer("webhook-refused", "/admin/webhooks", "Choose at least one kind of event", lambda scene: HOOK | {"url": "https://127.0.0.1/", "kind": []}, 422, ADMIN),
    Answer("webhook-secret-made", "{webhook}/secret", "secret", player=ADMIN),
    Answer("run-planned", "/admin/print-plans", "would hold", lambda scene: {"set": "ttcg/hearth", "copies_per_card": "2"}, player=ADMIN),
]

CHECKS = [checks.no_broken_pictures, checks.no_sideways_scrolling, checks.large_targets, checks.watched, checks.axe]


def look(visitor, size, theme):
    """Sends each form, and looks at what answers it."""
    with visitor.tab(size, theme) as tab:
        for answer in ANSWERS:
            if look_at(visitor, tab, answer, f"{size[0]} px, {theme}", CHECKS):
                tab.screenshot(path=visitor.folder / f"answer-{answer.name}-{size[0]}-{theme}.png")


def look_at(visitor, tab, answer, name, made, *arguments):
    """Sends a form, and makes these checks of what answers it, if something does."""
    where = f"answer {answer.name}, {name}"
    try:
        send(visitor, tab, answer, where)
    except (Error, Stuck, urllib.error.URLError) as error:
        visitor.fault(where, f"cannot be sent: {str(error).splitlines()[0]}")
        return False
    for check in made:
        visitor.check(tab, answer, where, check, *arguments)
    return True


def send(visitor, tab, answer, where):
    """Fills in a form and sends it; waits until all of the answer is there."""
    scene = visitor.scene
    tab.where, tab.expected = where, 200
    visitor.log_in(tab, answer.player)
    path = answer.path(scene) if callable(answer.path) else answer.path.format(**scene.made)
    tab.address = visitor.base + path
    tab.goto(tab.address)
    # No picture is cut off.
    checks.settle(tab)
    fields = answer.fields(scene)
    answer.meanwhile(scene, path)
    press(tab, answer.button, fields, 200 if answer.then else answer.status)
    if answer.then:
        press(tab, answer.then, {}, answer.status)
    for text in checks.settle(tab):
        visitor.fault(where, text)
    expect(answer.says in tab.locator("main").text_content(), f"the answer does not say {answer.says!r}, but {tab.locator('h1').text_content()!r}")
    has_focus = tab.evaluate("() => document.activeElement.id === 'faults'")
    expect(has_focus == (answer.status >= 400), "what is wrong has not the focus, or nothing is wrong and it has")


def press(tab, button, fields, status):
    tab.address, tab.expected = tab.evaluate(ACTION, button), status
    with tab.expect_navigation() as led:
        tab.evaluate(SEND, [button, fields])
    expect(led.value.status == status, f"{tab.url} answers {led.value.status}, not {status}")
