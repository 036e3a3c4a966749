"""What is looked at once, whatever the theme and the width: how decks are printed, and how heavy pictures of cards are."""

import pathlib
import re

import browser_checks as checks

SEED_DATA = pathlib.Path(__file__).parent.parent / "seed-data" / "games"
SHIPPED = {"hearth", "veil", "feed"}
# Bytes as sent.
HEAVIEST_SVG = 4 * 1024
HEAVIEST_PNG = 150 * 1024
# PNG files take long to draw: those of so many cards, and of one of the game whose cards have emoji on them.
PNG_CARDS = 4
PAPER = (794, 1123)
MARGIN = {side: "12mm" for side in ("top", "right", "bottom", "left")}


def look(visitor):
    decks_on_paper(visitor)
    pictures_of_cards(visitor)


def decks_on_paper(visitor):
    """The list of a deck is printed on one sheet of A4: one with long names, boxes as they are sold, and the largest that TTCG allows, of cards that are all different."""
    paths = {"long names": visitor.made["deck"]}
    for game, form in [("uno-emoji", "legal-full-box"), ("emojito", "legal-full-box")]:
        text = (SEED_DATA / game / "decks" / f"{form}.txt").read_text(encoding="utf-8")
        paths[f"{game} box"] = visitor.scene.deck(re.search(r"format: (\S+)", text)[1], list=text)
    different = [{"quantity": 1, "set": "hearth", "number": f"{number:03}"} for number in range(1, 71)]
    paths["different cards"] = visitor.scene.deck("ttcg/standard", entries=different)
    with visitor.tab(PAPER, "light") as tab:
        for name, path in paths.items():
            tab.where, tab.expected, tab.address = f"deck of {name}, paper", 200, visitor.base + path
            tab.goto(tab.address)
            visitor.counts["decks printed"] += 1
            pages = checks.pages_of(tab.pdf(format="A4", margin=MARGIN))
            if pages != 1:
                visitor.fault(tab.where, f"printed on {pages} pages")


def pictures_of_cards(visitor):
    """Pictures of cards are light: of all that are shipped as SVG, of some as PNG."""
    cards = [card for game in ("ttcg", "emoji-tcg") for card in shipped_cards(visitor.scene.service, game)]
    for card in cards:
        weigh(visitor, card, f"/pictures/{card['id']}", "svg", HEAVIEST_SVG)
        # The most there is on a picture.
        if card["game"] == "ttcg":
            weigh(visitor, card, f"/pictures/{card['id']}?rarity=mythic_rare", "svg", HEAVIEST_SVG)
    drawn = [*cards[:: len(cards) // PNG_CARDS][:PNG_CARDS], next(card for card in cards if card["game"] == "emoji-tcg")]
    for card in drawn:
        weigh(visitor, card, f"/v1/cards/{card['id']}/picture?format=png", "png", HEAVIEST_PNG)


def weigh(visitor, card, path, form, most):
    visitor.counts["pictures"] += 1
    size = checks.weight(visitor.base + path, "")
    visitor.heaviest[form] = max(visitor.heaviest[form], size)
    if size > most:
        visitor.fault(f"picture of {card.get('name') or card['id']}", f"{form} of {size:,} bytes, more than {most:,}")


def shipped_cards(service, game):
    """All cards of a game that are shipped, of hidden ones the back."""
    cards, cursor = [], ""
    while True:
        page = service.call("GET", f"/v1/cards?game={game}&limit=100{cursor}")
        cards += [card for card in page["data"] if card["set"] in SHIPPED]
        if not page.get("next_cursor"):
            return cards
        cursor = "&cursor=" + page["next_cursor"]
