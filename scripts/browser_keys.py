"""A player who has only a keyboard, as journeys play one. What such a player cannot do ends the journey: `Stuck`."""

import urllib.parse

import browser_checks as checks
import browser_stage as stage

# How often Tab is pressed at most to reach a control, and an arrow to reach a choice.
MOST_TABS = 160
MOST_ARROWS = 60
# How often, and at which interval, a condition outside of the page is checked.
MOST_LOOKS, LOOK_MS = 1000, 20
# Where the form of the control that has the focus goes.
ACTION = "() => { const at = document.activeElement; return at.getAttribute('formaction') ? at.formAction : at.form.action; }"


class Stuck(Exception):
    """A journey cannot go on, or something is wrong on the way."""


def expect(holds, text):
    """`text` says what is wrong unless it holds."""
    if not holds:
        raise Stuck(text)


class Keys:
    def __init__(self, page, base, scene):
        self.page, self.base, self.scene = page, base, scene
        self.has_script = page.has_script

    def open(self, path, status=200):
        """Goes to a page, as by its address."""
        self.page.address, self.page.expected = self.base + path.partition("#")[0], status
        self.page.goto(self.base + path)

    def open_and_follow_unlocks(self, path):
        """Goes to a page with hidden cards, and waits until its script follows the stream: it is not told of unlocks before. Without script nothing follows."""
        if self.has_script:
            # The page must not reload by itself, so that only the stream reports the unlock.
            self.page.add_init_script("window.setInterval = () => 0;")
            with self.page.expect_response("**/v1/changes/stream"):
                self.open(path)
        else:
            self.open(path)

    @property
    def path(self):
        return urllib.parse.urlsplit(self.page.url).path

    @property
    def heading(self):
        return self.page.locator("h1").text_content()

    def value(self, selector):
        return self.page.locator(selector).first.input_value()

    def is_on(self, selector):
        """Whether the focus is on a control."""
        return self.page.evaluate("selector => document.activeElement.matches(selector)", selector)

    def comes_to(self, selector, text):
        """The page puts the focus on a control: the browser does so when it first draws the page, which may be after the page was loaded."""
        self.until(lambda: self.is_on(selector), text)

    def to(self, selector, key="Tab"):
        """Presses Tab until the focus is on a control, unless it is there. The focus is seen wherever it stops."""
        for _ in range(MOST_TABS):
            if self.is_on(selector):
                return
            self.page.keyboard.press(key)
            self.see_focus()
        raise Stuck(f"{key} does not reach {selector} of {self.page.url}")

    def back_to(self, selector):
        self.to(selector, "Shift+Tab")

    def see_focus(self):
        """The focus is on something, and seen. Past the end of the page it is in the browser, and then begins anew."""
        fault = checks.ask(self.page, "const at = document.activeElement; return at === document.body ? null : faultOfFocus(at);")
        expect(fault is None, fault)

    def keep_focus(self, selector):
        """What has happened has not taken the focus away."""
        expect(self.is_on(selector), f"the focus is not on {selector} any more, but on {self.focused()}")

    def focused(self):
        return checks.ask(self.page, "return name(document.activeElement);")

    def type(self, selector, text):
        """Puts a text in the place of what stands in a field."""
        self.to(selector)
        self.page.keyboard.press("Control+A")
        if text:
            self.page.keyboard.type(text)
        else:
            self.page.keyboard.press("Delete")

    def paste(self, selector, text):
        """Does the same at once: nothing happens to a part of the text."""
        self.to(selector)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(text)

    def choose(self, selector, value):
        """Chooses by the arrows."""
        self.to(selector)
        key = "ArrowDown"
        for _ in range(MOST_ARROWS):
            before = self.value(selector)
            if before == value:
                return
            self.page.keyboard.press(key)
            if self.value(selector) == before:
                # At the end; what is meant may stand before.
                expect(key == "ArrowDown", f"the arrows do not reach {value} in {selector}")
                key = "ArrowUp"
        raise Stuck(f"the arrows do not reach {value} in {selector}")

    def tick(self, selector):
        """Ticks a box that is not ticked."""
        self.to(selector)
        self.page.keyboard.press("Space")
        expect(self.page.locator(selector).first.is_checked(), f"Space does not tick {selector}")

    def follow(self, selector=None, status=200):
        """Presses Enter, on a control if one is named, and waits for the page that it leads to. `status`: of a refusal; without it, nothing is refused."""
        if selector:
            self.to(selector)
        self.page.expected = status
        if status >= 400:
            self.page.address = self.page.evaluate(ACTION)
        with self.page.expect_navigation() as led:
            self.page.keyboard.press("Enter")
        self.page.address = self.page.url
        answer = led.value
        # Without an answer it is another place on the same page.
        is_right = answer is None or answer.status == status or answer.status < 400 > status
        expect(is_right, f"{self.page.url} answers {answer and answer.status}, not {status}")

    def expect_announced(self, text):
        """The page that has answered says a text to those who do not see it: by its title, which is read first, in a live region, or where the focus is."""
        announced = checks.ask(
            self.page,
            """
            const at = document.activeElement;
            const regions = [...all('[role=status], [role=alert]'), ...at === document.body ? [] : [at]];
            return [document.title, ...regions.map(region => region.closest('section, [role=alert]')?.textContent ?? region.textContent)];
            """,
        )
        expect(any(text in one for one in announced), f"{text!r} is not announced, but {announced}")

    def log_in(self, player, path):
        """Goes to a page of somebody's own and logs in on the way."""
        self.open(path)
        self.log_in_here(player, urllib.parse.urlsplit(path).path)

    def log_in_here(self, player, path):
        """Logs in on the page that is shown, which leads to `path`."""
        self.type("#name", player)
        self.type("#password", stage.password_of(player))
        self.follow()
        expect(self.path == path, f"the log-in leads to {self.page.url}")

    def answer_dialogs(self):
        """Says yes to whatever the browser asks; what it has asked."""
        asked = []

        def answer(dialog):
            asked.append(dialog.type)
            dialog.accept()

        self.page.on("dialog", answer)
        return asked

    def wait(self, condition, argument=None):
        """Waits until the page's script has done something."""
        self.page.wait_for_function(condition, arg=argument)

    def until(self, condition, text):
        """Waits until something holds here; `text` says what is wrong if it never does."""
        for _ in range(MOST_LOOKS):
            if condition():
                return
            self.page.wait_for_timeout(LOOK_MS)
        raise Stuck(text)
