"""Journeys of admins with files."""

import json
import pathlib

import browser_stage as stage
from browser_keys import expect

SEEDED = pathlib.Path(__file__).parent.parent / "seed-data" / "games" / "ttcg" / "sets" / "hearth.json"

SELECTED = "() => { const { value, selectionStart, selectionEnd } = document.activeElement; return value.slice(selectionStart, selectionEnd); }"


def file_of_set(code, kind):
    """A set with one card, which is on the fourth line. `kind`: of the card."""
    card = json.loads(SEEDED.read_text(encoding="utf-8"))["cards"][0]
    card = json.dumps(card | {"name": f"Tortoise of {code}", "kind": kind})
    return f'{{\n  "code": "{code}", "name": "Odd {code}", "released_on": "2026-11-01", "hidden": false,\n  "cards": [\n    {card}\n  ]\n}}'


def file_mended_and_imported(keys):
    """An admin logs in on the way to the imports, and pastes a set with a fault, which is told with its line; mends it, has it checked, and brings it in."""
    code = keys.scene.word()
    keys.log_in(stage.ADMIN, "/admin/imports")
    keys.type("#game", "ttcg")
    keys.paste("#text", file_of_set(code, "nothing"))
    keys.follow(".actions .main", 422)
    keys.comes_to("#faults", "the fault has not the focus")
    keys.to("#faults a")
    told = keys.page.locator(".file-faults").text_content()
    expect("Line 4, column " in told, f"the line is not told: {told}")
    keys.page.keyboard.press("Enter")
    expect(keys.is_on("#faults-in-file"), f"the way to the lines leads to {keys.focused()}")
    if keys.has_script:
        # From there it is one step to the place in the text.
        keys.to(".file-faults .jump")
        keys.page.keyboard.press("Enter")
        keys.keep_focus("#text")
        selected = keys.page.evaluate(SELECTED)
        expect(selected.startswith('"nothing"'), f"the place is not selected, but {selected!r}")
    else:
        expect(keys.page.locator(".jump").count() == 0, "without script, something leads to the line")
    keys.paste("#text", file_of_set(code, "unit"))
    keys.follow(".actions .main")
    keys.comes_to("#result", "the outcome of the check has not the focus")
    keys.expect_announced(code)
    keys.follow("button[formaction='/admin/imports/run']")
    keys.comes_to("#result", "the outcome has not the focus")
    keys.expect_announced(code)
    keys.follow(f"a[href='/sets/ttcg/{code}']")
    expect(keys.heading == f"Odd {code}", f"the set is {keys.heading!r}")
