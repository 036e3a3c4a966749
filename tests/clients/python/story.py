"""The tour's story, played with the client that openapi-python-client generates: story.py URL STORY

STORY is a JSON file: a hidden card with its name and codes, and decks of all games. Ends with an exception where an answer is not the
expected one.
"""

import json
import pathlib
import sys

from cardscape_client import AuthenticatedClient, Client
from cardscape_client.api.accounts import register
from cardscape_client.api.catalogue import find_card, list_cards
from cardscape_client.api.collection import read_import
from cardscape_client.api.decks import create_deck, find_deck_report
from cardscape_client.api.serials import create_submission, find_unlock
from cardscape_client.api.sessions import log_in
from cardscape_client.models import (
    AcceptedResponse,
    DeckRequest,
    HiddenCardResponse,
    LogInRequest,
    OpenCardResponse,
    Problem,
    RegisterRequest,
    SubmitRequest,
)
from cardscape_client.types import File

PASSWORD = "tram window sonnet"


def play(url, story):
    stranger = Client(base_url=url)

    # What a stranger sees of a hidden card.
    page = list_cards.sync(client=stranger, game="ttcg", set_="veil", number=story["number"], hidden=True)
    [hidden] = page.data
    assert isinstance(hidden, HiddenCardResponse), hidden
    assert not hasattr(hidden, "name"), hidden

    players = [join(url, stranger, f"{name} py") for name in ["Ada", "Ben", "Cho", "Dia", "Eli"]]
    ada, ben = players[0], players[1]
    name, codes = story["name"], story["codes"]

    # Failures, and how they are reported.
    assert submit(ada, "7KQ2-X0FM", name) == "serial_malformed"
    assert submit(ada, story["mistyped"], name) == "serial_mistyped"
    assert submit(ada, codes[0], "Another Name") == "submission_rejected"
    assert submit(ada, "0000-0000-0000-0000", name) == "submission_rejected"

    # Five times right: the fifth unlocks the card.
    for n, player in enumerate(players):
        accepted = submit(player, codes[n], name)
        assert not accepted.already_registered and accepted.counted, accepted
        assert find_unlock.sync(hidden.id, client=stranger).submissions == n + 1
        if n == 0:
            assert submit(ada, codes[0].lower(), name).already_registered, "she sends it again"
            assert submit(ben, codes[0], name) == "registered_to_another"
    card = find_card.sync(hidden.id, client=stranger)
    assert isinstance(card, OpenCardResponse) and card.name == name and not card.hidden, card

    # Decks of all games are judged.
    builder = join(url, stranger, "deck builder py")
    for deck in story["decks"]:
        request = DeckRequest(name=deck["name"], format_=deck["format"], list_=deck["list"])
        stored = create_deck.sync(client=builder, body=request)
        report = find_deck_report.sync(stored.id, client=builder)
        assert (report.status == "legal") == deck["legal"], (deck["name"], report)
        assert bool(report.violations) != deck["legal"], (deck["name"], report)

    # A file is sent as it is.
    table = File(payload=b"Count,Name,Edition,Rarity,Condition\n4,Nobody's Card,hearth,common,NM\n")
    read = read_import.sync(client=builder, body=table, game="ttcg")
    assert read.totals.lines == 1, read


def join(url, stranger, name):
    """A new player, logged in."""
    registered = register.sync(client=stranger, body=RegisterRequest(name=name, password=PASSWORD))
    assert registered.recovery_codes, registered
    tokens = log_in.sync(client=stranger, body=LogInRequest(name=name, password=PASSWORD))
    return AuthenticatedClient(base_url=url, token=tokens.access_token)


def submit(player, serial, name):
    """The answer to a submission, or the code of its problem."""
    answer = create_submission.sync(client=player, body=SubmitRequest(serial=serial, name=name))
    if isinstance(answer, Problem):
        return answer.code
    assert isinstance(answer, AcceptedResponse), answer
    return answer


if __name__ == "__main__":
    play(sys.argv[1], json.loads(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")))
    print("openapi-python-client: the story went as expected")
