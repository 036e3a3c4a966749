"""How often somebody touches a phone to register a card of paper, and how long that takes an average typist. What is counted is printed."""

from dataclasses import dataclass

from browser_keys import expect

# The keystroke-level model says how long somebody takes who makes no mistake (S. K. Card, T. P. Moran, A. Newell: The keystroke-level model for user performance
# time with interactive systems. Communications of the ACM 23(7), 1980): the sum of the operators of the task. K, a key of a phone, is 0.3 s, a little more than
# the 0.28 s of its average typist; P, pointing, with the hand moved there and the touch, is 1.5 s for a tap, more than its 1.1 s for a mouse; M, 1.35 s, is for
# thinking of what comes next: once before each tap, and once for each four symbols that are read from the card. How long the service takes is measured elsewhere.
KEY_S, TAP_S, THINK_S = 0.3, 1.5, 1.35
SYMBOLS_AT_ONCE = 4
MOST_TAPS = 4
MOST_SECONDS = 60
# What is typed without a QR code: as printed on a card.
ADDRESS = "cards.example/submit"


@dataclass
class Thumb:
    """Touches a phone, and counts it. Scrolling is no tap, and typing is counted by its keys."""

    page: object
    taps: int = 0
    keys: int = 0
    thoughts: int = 0

    def touch(self):
        """A tap on something that is no part of the page."""
        self.taps += 1
        self.thoughts += 1

    def tap(self, selector):
        self.touch()
        self.page.locator(selector).tap()

    def type(self, selector, text):
        """Taps a field, also where it has the cursor: phones show no keyboard before. Then types."""
        self.tap(selector)
        self.page.keyboard.type(text)
        self.keys += len(text)

    def send(self, selector):
        """Taps a button that leads to another page."""
        with self.page.expect_navigation():
            self.tap(selector)
        self.page.address = self.page.url

    @property
    def seconds(self):
        return self.keys * KEY_S + self.taps * TAP_S + self.thoughts * THINK_S

    def tell(self, who):
        print(f"taps: {who}: {self.taps} taps and {self.keys} keys, {self.seconds:.0f} s by the keystroke-level model", flush=True)
        expect(self.seconds < MOST_SECONDS, f"{who} takes {self.seconds:.0f} s")


def taps_of_a_newcomer_with_qr_code(keys):
    """Nobody is logged in: a name is chosen, the password is made by the page."""
    code, card = keys.scene.code()
    thumb = Thumb(keys.page)
    open_by_camera(thumb, keys, code)
    join(thumb, keys, card)
    thumb.tell("newcomer, QR code")
    expect(thumb.taps <= MOST_TAPS, f"a newcomer with a QR code taps {thumb.taps} times")


def taps_of_a_player_with_qr_code(keys):
    code, card = keys.scene.code()
    keys.log_in("ada", "/my/account")
    thumb = Thumb(keys.page)
    open_by_camera(thumb, keys, code)
    thumb.type("#card", card)
    thumb.send(".form .main")
    expect(keys.heading == "This copy is yours now", f"the page says {keys.heading!r}")
    thumb.tell("player, QR code")
    expect(thumb.taps <= MOST_TAPS, f"a player with a QR code taps {thumb.taps} times")


def taps_of_a_newcomer_who_types(keys):
    """Without a QR code, the address is typed and sent, and then the symbols."""
    code, card = keys.scene.code()
    thumb = Thumb(keys.page)
    thumb.touch()
    thumb.keys += len(ADDRESS)
    thumb.touch()
    keys.open("/submit")
    symbols = code.replace("-", "")
    thumb.thoughts += len(symbols) // SYMBOLS_AT_ONCE
    thumb.type("#serial", symbols)
    join(thumb, keys, card)
    thumb.tell("newcomer, typed code")


def open_by_camera(thumb, keys, code):
    """Taps the notice of the phone's camera, which is open."""
    thumb.touch()
    keys.open("/submit#" + code.replace("-", ""))
    expect(keys.value("#serial") == code, f"the code in the field is {keys.value('#serial')}")
    expect(keys.is_on("#card"), "the cursor is not where something is typed next")


def join(thumb, keys, card):
    """Makes an account with the card, and sees what is shown once."""
    name = keys.scene.word()
    thumb.type("#card", card)
    thumb.type("#name", name)
    thumb.send("button[value=join]")
    expect(keys.heading == "This copy is yours now", f"the page says {keys.heading!r}")
    codes = keys.page.locator(".codes code").count()
    expect(codes >= 8, f"{codes} recovery codes are shown")
    told = keys.page.locator("#welcome ~ .facts dd").all_text_contents()
    expect(told[:1] == [name] and len(told[1:]) == 1 and len(told[1]) == 19, f"the account is shown as {told}")
