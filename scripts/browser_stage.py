"""What is on the service that a browser looks at: the seed data, and what players and admins leave behind."""

import json
import shutil
import urllib.error

import service as services

# How many of five submissions the hidden cards get, by number. Five unlock a card.
SUBMISSIONS = {"001": 5, "002": 3, "003": 1}
# Copies of each hidden card; what players have not submitted is there for journeys and forms.
COPIES = 40
PLAYERS = ["ada", "ben", "cleo", "dimitri", "eve"]
PASSWORD = "tram window sonnet"
ADMIN = "stage manager"

# As long as a name may be, without a place to break it.
LONG_WORD = "Taumatawhakatangihangakoauauotamateaturipukakapikimaungahoronukupokaiwhenuakitanatahu" * 2
# Cards that strain a layout, where they differ from a common one.
STRAIN = [
    {
        "name": LONG_WORD[:120],
        "effects": [
            {"style": "passive", "text": LONG_WORD},
            {"style": "normal", "text": "Draw a card. " + "Discard a card to draw a card. " * 12},
        ],
        "lore": LONG_WORD + " " + "It went on and on. " * 20,
    },
    {"name": "שומר השער העתיק", "lore": "הוא מחכה ליד הקיר בצהריים."},
    {"name": "A"},
]


def password_of(name):
    """The password of a player or of the admin."""
    return services.PASSWORD if name == ADMIN else PASSWORD


def copy_seed_data(seed_data, folder):
    """The seed data and a set `strain` of TTCG, in a folder that may be written."""
    copied = folder / "seed-data"
    shutil.copytree(seed_data, copied)
    sets = copied / "games" / "ttcg" / "sets"
    common = json.loads((sets / "veil.json").read_text(encoding="utf-8"))["cards"][0]
    cards = [common | card | {"number": f"{at:03}"} for at, card in enumerate(STRAIN, 1)]
    strain = {"code": "strain", "hidden": False, "name": "Long, Strange and Written from Right to Left", "released_on": "2026-11-01", "cards": cards}
    (sets / "strain.json").write_text(json.dumps(strain), encoding="utf-8")
    return copied


def play(service):
    """Prints the hidden set, has players submit codes, and rules on and changes an open card. Gives paths of what admin and players have made, and the codes that
    nobody has submitted with the names of their hidden cards."""
    admin = service.admin(ADMIN)
    codes, names = print_run(service, admin)
    spare = [(code, names[number]) for number in codes if number not in SUBMISSIONS for code in codes[number]]
    made = share_designs(service, admin)
    card = service.call("GET", "/v1/games/ttcg/sets/hearth/cards/016", token=admin)
    path = f"/v1/cards/{card['id']}"
    ruling = {"kind": "ruling", "text": "The point is lost even if the card never comes back.", "published_on": "2026-11-21"}
    ruled = service.call("POST", f"{path}/rulings", ruling | {"source": "Rules team"}, admin)
    erratum = {"kind": "erratum", "text": "It whistles.\n\n" + "Long rulings keep their paragraphs. " * 8, "published_on": "2026-11-22"}
    service.call("POST", f"{path}/rulings", erratum, admin)
    service.call("PATCH", path, {"lore": f"{card['lore']} It whistles again."}, admin, {"if-match": "*"})
    ada = service.call("GET", "/v1/accounts?name=ada", token=admin)["data"][0]
    made |= {"edited": f"/admin/cards/{card['id']}", "person": f"/admin/people/{ada['id']}", "ruling": f"/admin/rulings/{ruled['id']}"}
    return made | run_service(service, admin) | keep_deck(service) | trade(service, codes, names), spare


def share_designs(service, admin):
    """Has a player share two designs, one with a name that strains a layout, and submit two more, of which the admin approves one; another player comments on the
    second, suggests a change of it, and reports it; one comment is hidden. Where they are."""
    tokens = {}
    for player in PLAYERS[:2]:
        session = service.call("POST", "/v1/sessions", {"name": player, "password": PASSWORD})
        tokens[player] = session["access_token"]
    heron = {
        "game": "ttcg",
        "kind": "unit",
        "attributes": {"type": "earth", "rank": 1, "subtypes": ["beast"], "attack": 200, "defense": 300},
        "effects": [
            {"style": "passive", "text": "After this card attacks, return it to your hand."},
            {"style": "normal", "text": "Discard one spell to gain 1 point."},
        ],
        "flavour": "It waits where the reeds are dark.",
        "licence": "release-1",
    }
    for name in ["Heron of " + LONG_WORD[:110], "Lantern Heron"]:
        design = service.call("POST", "/v1/designs", heron | {"name": name}, tokens["ada"])
        path = f"/v1/designs/{design['id']}"
        service.call("POST", f"{path}/share", None, tokens["ada"], {"if-match": "*"})
    comment = service.call("POST", f"{path}/comments", {"text": "The second effect is *far* too cheap."}, tokens["ben"])
    service.call("POST", f"{path}/comments", {"text": "It costs a card.\n\n" + LONG_WORD, "reply_to": comment["id"]}, tokens["ada"])
    hide_comment(service, path, tokens["ben"], tokens["ada"])
    service.call("PUT", f"{path}/rating", {"fun": 5, "balance": 3, "flavour": 4, "clarity": 4}, tokens["ben"])
    change = {"revision": 1, "message": "It has seen much. " + LONG_WORD, "design": heron | {"name": "Old Heron"}}
    suggestion = service.call("POST", f"{path}/suggestions", change, tokens["ben"])
    report = {"design": design["id"], "reason": "other", "details": "It is mine.\n\n" + LONG_WORD}
    reported = service.call("POST", "/v1/abuse-reports", report, tokens["ben"])
    submitted, approved = (service.call("POST", "/v1/designs", heron | {"name": name}, tokens["ada"]) for name in ["Copper Owl", "Silver Stork"])
    for waiting in [submitted, approved]:
        service.call("POST", f"/v1/designs/{waiting['id']}/submit", None, tokens["ada"], {"if-match": "*"})
    service.call("POST", f"/v1/designs/{approved['id']}/claim", None, admin)
    service.call("POST", f"/v1/designs/{approved['id']}/decide", {"decision": "approved", "reason": "Good."}, admin)
    page = f"/designs/{design['id']}"
    return {
        "design": page,
        "comment": f"{page}/comments/{comment['id']}",
        "suggestion": f"{page}/suggestions/{suggestion['id']}",
        "reported": f"/admin/reports/{reported['id']}",
        "submitted": f"/reviews/designs/{submitted['id']}",
        "approved": f"/reviews/designs/{approved['id']}",
    }


def hide_comment(service, path, writer, owner):
    """Has a player comment on a design or a deck, whose owner hides the comment."""
    comment = service.call("POST", f"{path}/comments", {"text": "Nobody needs *this*.\n\n" + LONG_WORD}, writer)
    service.call("DELETE", f"{path}/comments/{comment['id']}", None, owner)


def run_service(service, admin):
    """Makes a webhook, which is off; where it is, a run that was printed with its announcement, and a hidden card."""
    hook = {"url": "https://hooks.example/" + LONG_WORD[:80], "kinds": ["card.unlocked", "set.changed"], "enabled": False}
    webhook = service.call("POST", "/v1/webhooks", hook | {"description": "Mirror in the shop"}, admin)
    run = service.call("GET", "/v1/print-runs", token=admin)["data"][0]
    hidden = service.call("GET", "/v1/games/ttcg/sets/veil/cards/002", token=admin)
    return {
        "webhook": f"/admin/webhooks/{webhook['id']}",
        "run": f"/admin/print-runs/{run['id']}",
        "announcement": f"/admin/announcements/{run['commitment']}",
        "hidden": f"/admin/cards/{hidden['id']}",
    }


def keep_deck(service):
    """Has a player show a deck that was changed once; another one comments on it, and gets a reply; one comment is hidden. Where they are."""
    ben = service.call("POST", "/v1/sessions", {"name": "ben", "password": PASSWORD})["access_token"]
    ada = service.call("POST", "/v1/sessions", {"name": "ada", "password": PASSWORD})["access_token"]
    deck = {"name": "Deck of " + LONG_WORD[:90], "format": "ttcg/standard", "visibility": "public", "description": "Goes *fast*.", "tags": ["aggro"]}
    entries = [{"quantity": 2, "set": "hearth", "number": f"{number:03}"} for number in range(1, 21)]
    odd = [{"quantity": 1, "name": LONG_WORD[:120]}, {"quantity": 1, "set": "veil", "number": "002"}]
    kept = service.call("POST", "/v1/decks", deck | {"entries": entries + odd}, ada)
    path = f"/decks/{kept['id']}"
    entries[0] |= {"quantity": 1}
    moved = {"quantity": 1, "set": "hearth", "number": "001", "zone": "side"}
    service.call("PUT", f"/v1{path}", deck | {"entries": [*entries[:-1], moved, *odd]}, ada, {"if-match": "*"})
    comment = service.call("POST", f"/v1{path}/comments", {"text": "It is *too* slow.\n\n" + LONG_WORD}, ben)
    service.call("POST", f"/v1{path}/comments", {"text": "It is a test.", "reply_to": comment["id"]}, ada)
    hide_comment(service, f"/v1{path}", ben, ada)
    return {"deck": path, "deck_comment": f"{path}/comments/{comment['id']}"}


def print_run(service, admin):
    """Prints a run of the hidden set, and has players submit some of its codes."""
    codes = service.print_codes("ttcg", "veil", COPIES)
    path = "/v1/games/ttcg/sets/veil/cards/"
    names = {number: service.call("GET", path + number, token=admin)["name"] for number in codes}
    for at, player in enumerate(PLAYERS):
        account = {"name": player, "password": PASSWORD}
        service.call("POST", "/v1/accounts", account)
        token = service.call("POST", "/v1/sessions", account)["access_token"]
        for number, count in SUBMISSIONS.items():
            if at < count:
                submission = {"serial": codes[number][at], "name": names[number]}
                service.call("POST", "/v1/submissions", submission, token)
    return codes, names


def trade(service, codes, names):
    """Has players count cards, list wants and haves, offer a trade, claim a copy, and submit one that waits for a decision; where these are."""

    def token(player):
        return service.call("POST", "/v1/sessions", {"name": player, "password": PASSWORD})["access_token"]

    ada, ben, cleo = token("ada"), token("ben"), token("cleo")
    cards = [{"game": "ttcg", "set": "hearth", "number": f"{number:03}", "rarity": "common"} for number in range(1, 9)]
    strain = {"game": "ttcg", "set": "strain", "number": "001", "rarity": "common"}
    changes = [card | {"add": at} for at, card in enumerate([*cards, strain], 1)]
    service.call("POST", "/v1/collection/changes", {"changes": changes}, ada)
    first = {"if-match": '"r0"'}
    listed = {"visibility": "public", "items": [*cards, strain, {"game": "ttcg", "set": "veil", "number": "002"}]}
    service.call("PUT", "/v1/me/haves", listed, ada, first)
    service.call("PUT", "/v1/me/wants", {"items": cards[:3]}, ben, first)
    for player in (ada, ben):
        service.call("PUT", "/v1/me/trading", {"trading": "public"}, player)
    copies = {player: service.call("GET", "/v1/copies", token=player)["data"] for player in (ada, ben)}
    give, want = ([copy["id"] for copy in copies[player]] for player in (ada, ben))
    offer = {"with": "ben", "give": give[:2], "want": want[:1], "message": "Mine for yours? " + LONG_WORD[:60]}
    offered = service.call("POST", "/v1/trades", offer, ada)
    # Of a copy that another player has registered before.
    claim = {"serial": codes["003"][0], "name": names["003"]}
    try:
        service.call("POST", "/v1/submissions", claim, cleo)
    except urllib.error.HTTPError as refused:
        dispute = json.loads(refused.read())["dispute_id"]
    service.call("POST", f"/v1/disputes/{dispute}/statements", {"text": "I have the card here.\n\n" + LONG_WORD}, cleo)
    policy = {"threshold": 5, "review": True}
    admin = service.call("POST", "/v1/sessions", {"name": ADMIN, "password": password_of(ADMIN)})["access_token"]
    service.call("PUT", "/v1/games/ttcg/sets/veil/unlock-policy", policy, admin)
    waiting = service.call("POST", "/v1/submissions", {"serial": codes["003"][1], "name": names["003"]}, ben)
    return {
        "trade": f"/trades/{offered['id']}",
        "dispute": f"/disputes/{dispute}",
        "copy": f"/copies/{give[0]}",
        "waiting": f"/admin/reviews/{waiting['submission']}",
    }
