"""Journeys through the designer."""

from browser_keys import expect


def design_of_a_card(keys):
    """A player logs in, goes through the designer, and saves a design that is not finished."""
    name = "Owl of the Long Way"
    keys.open("/login?to=%2Fdesigner")
    keys.log_in_here("ada", "/designer")
    keys.choose("#card", "ttcg/unit")
    keys.follow(".actions .main")
    keys.type("input[name=name]", name)
    # Enter checks again, and stays on the step.
    keys.follow()
    expect(keys.value("input[name=name]") == name, "the check forgets the name")
    keys.follow(".actions button[value=save]")
    expect(keys.path.startswith("/designs/D-"), f"the design is not saved: {keys.page.url}")
    keys.expect_announced(name)


def design_checked_while_typing(keys):
    """What the game finds wrong with a card is told while its numbers are typed; the focus stays. Whoever leaves without saving is asked first."""
    keys.log_in("ada", "/designer")
    keys.choose("#card", "ttcg/unit")
    keys.follow(".actions .main")
    address, budget = keys.page.url, "add up to 500"
    for code, value in [("rank", "1"), ("attack", "200"), ("defense", "300")]:
        keys.type(f"#attributes-{code}", value)
    if not keys.has_script:
        expect(keys.page.locator("#told").text_content() == "", "without script, something is told")
        return
    keys.wait("rule => document.getElementById('told').textContent !== '' && !document.getElementById('findings').textContent.includes(rule)", budget)
    keys.type("#attributes-defense", "9000")
    keys.wait("rule => document.getElementById('findings').textContent.includes(rule)", budget)
    keys.keep_focus("#attributes-defense")
    expect(keys.value("#attributes-defense") == "9000" and keys.page.url == address, f"the check takes what was typed: {keys.page.url}")
    asked = keys.answer_dialogs()
    keys.open("/my/designs")
    expect(asked == ["beforeunload"], f"whoever leaves is asked {asked}")
