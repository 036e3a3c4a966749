"""The service as journeys and forms find it: what players have made there, and what can be used only once, as codes of cards."""

import itertools
import time

import browser_stage as stage
from browser_keys import expect

# Access tokens are used for so many seconds: they end, and each has a session that its player sees.
TOKEN_SECONDS = 240


class Scene:
    def __init__(self, service, made, spare):
        """`made`: paths of what players have made, by the names that `PAGES` has for them. `spare`: codes that nobody has submitted, with the names of their cards."""
        # Cards are unlocked from the first on, and codes are taken of the last, which stay hidden.
        self.service, self.made, self.spare = service, made, reversed(spare)
        self.numbers = itertools.count(1)
        self.tokens = {}

    def call(self, player, method, path, body=None, headers=None):
        """What the API answers a player."""
        return self.service.call(method, path, body, self.token(player), headers)

    def token(self, player):
        token, until = self.tokens.get(player, (None, 0))
        if time.monotonic() > until:
            session = {"name": player, "password": stage.password_of(player)}
            token = self.service.call("POST", "/v1/sessions", session)["access_token"]
            self.tokens[player] = token, time.monotonic() + TOKEN_SECONDS
        return token

    def code(self):
        """A code that nobody has submitted, and the name of its card, which is hidden."""
        return next(self.spare)

    def word(self):
        """A word that nothing has been called before."""
        return f"number-{next(self.numbers)}"

    def hidden(self):
        """The first hidden card on the first page that no page of `PAGES` is about."""
        cards = self.call(stage.ADMIN, "GET", "/v1/cards?q=set:veil+is:hidden&limit=100")["data"]
        card = next((card for card in cards if card["number"] not in stage.SUBMISSIONS), None)
        expect(card, "there is no hidden card left")
        return card

    def unlock(self):
        """Unlocks the card that `hidden` tells; its name."""
        hidden = self.hidden()
        reason = {"reason": "It is turned round before people's eyes."}
        self.call(stage.ADMIN, "POST", f"/v1/cards/{hidden['id']}/unlock", reason)
        return hidden["name"]

    def copy(self, player):
        """Has a player register a copy; its id."""
        code, name = self.code()
        return self.call(player, "POST", "/v1/submissions", {"serial": code, "name": name})["copy"]

    def offer(self, giver, taker):
        """Has a player offer a copy as a gift; the page of the offer, and the id of the copy."""
        copy = self.copy(giver)
        offered = self.call(giver, "POST", "/v1/trades", {"with": taker, "give": [copy], "want": []})
        return f"/trades/{offered['id']}", copy

    def deck(self, form, player="cleo", **cards):
        """Has a player make a deck that whoever knows its address sees; its page. `form`: its format. `cards`: its list or its entries."""
        deck = {"name": self.word(), "format": form, "visibility": "unlisted"} | cards
        return f"/decks/{self.call(player, 'POST', '/v1/decks', deck)['id']}"
