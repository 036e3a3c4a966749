"""Writes the templates that the benchmark expands: catalogue.py FOLDER

A hundred templates of an imaginary market game with about 10,000 results, in the folders and files that the tools take for
granted: `effects/all_effect_templates.txt`, `effects/categories.toml` (50 columns), `placeholders/*.txt` with nested values
and offsets, `placeholders/combinations_to_remove.txt` and `placeholders/phrase_replacements.txt`. The same files each time.
"""

import pathlib
import sys

PLACEHOLDERS = {
    "number": ["one", "two", "three"],
    "fee": ["1", "2", "3", "4", "6"],
    "price": ["4", "9", "12"],
    "fruit": ["apple", "cherry", "plum"],
    "herb": ["basil", "mint", "sage"],
    "ware": ["<fruit>", "<herb>", "lamp"],
    "guest": ["a baker", "a ferryman", "a gardener", "a old sailor", "a organist"],
    "stall": ["the corner stall", "the fish stall", "the flower stall", "the tea stall"],
    "hour": ["dawn", "dusk", "midnight", "noon", "the last bell"],
    "weather": ["the fog", "the heat", "the rain", "the wind"],
    "whose": ["your", "your neighbor's"],
    "spot": ["<whose> barrow", "<whose> counter"],
    "measure": ["crate", "sack"],
    "mood": ["cheerful", "hungry", "tired"],
    "animal": ["cat", "goose", "mule"],
    "ticket": ["gold", "paper", "silver"],
    "creature": ["<mood> <animal>"],
    "side": ["left", "right"],
    "level": ["1", "2", "3"],
}

# Costs and conditions at the beginning of the sentences, before each of the actions.
OPENINGS = [
    "",
    "Pay <fee> coins, then ",
    "Give <fee+1> coins to your neighbor, then ",
    "When <guest> arrives, ",
    "Before <guest> leaves, ",
    "If you hold one <ticket> ticket, ",
    "Close <stall>, then ",
    "At <hour>, ",
    "While <weather> lasts, ",
    "After <fee> visits, ",
]
ACTIONS = [
    "draw <number> <ware> cards.",
    "sell <number> <measure> of <herb> for <price> coins.",
    "move the <creature> to <spot>.",
    "open <stall> for <level+1> hours.",
    "swap one <mood> guest with one guest of level <level+2>.",
    "turn <spot> to the <side> until <hour>.",
    "lend <number> lamp to <guest>.",
    "hide <number> <herb> spells under <spot>.",
    "choose <number> targets of level <level> or lower and feed the <animal>.",
    "put the <ticket> ticket and <number> <fruit> cards on the bench.",
]

REMOVALS = [
    "level 1 or lower and feed the goose",
    "for 1 hours",
    "a organist arrives, hide",
    "lamp cards on",
    "your neighbor, then open",
    "the fog lasts, turn your barrow",
    "the heat lasts, lend three",
    "the wind lasts, hide",
    "At midnight, sell three",
    "At dawn, open the tea stall",
    "tired goose to your neighbor's",
    "hungry mule to your counter",
    "hungry cat to your barrow",
    "Close the tea stall, then lend",
    "Close the fish stall, then swap",
    "one sack of mint for 12",
    "three crate of sage for 4",
    "two sack of basil for 4",
    "a baker leaves, move",
    "After 1 visits, turn",
    "Pay 6 coins, then open",
    "the rain lasts, put the paper",
    "until the last bell",
    "gold ticket, put the gold",
    "three plum cards on the bench",
]

REPLACEMENTS = [
    ("Pay 1 coins", "Pay 1 coin"),
    ("After 1 visits", "After 1 visit"),
    ("a old", "an old"),
    ("a organist", "an organist"),
    ("cherry cards", "cherry-cards"),
    ("cherry-cards", "cards of cherries"),
    ("the the", "the"),
    *((f"{count} {thing} of", f"{count} {thing}s of") for count in ["two", "three"] for thing in ["crate", "sack"]),
    *((f"{count} lamp to", f"{count} lamps to") for count in ["two", "three"]),
    *((f"the {mood} goose", f"the {mood} grey goose") for mood in ["cheerful", "hungry", "tired"]),
    *((f"{herb} spells", f"spells of {herb}") for herb in ["basil", "mint", "sage"]),
    *((f"{name} with no stall", f"{name} without a stall") for name in ["baker", "ferryman", "gardener", "sailor", "organist"]),
    *((f"{thing} spell(s)", f"{thing} spells") for thing in ["lamp", "pear", "plum", "rain", "wind"]),
    *((f"of level {level} of level", f"of level {level}, level") for level in range(1, 8)),
]

def templates():
    for opening in OPENINGS:
        for action in ACTIONS:
            sentence = opening + action
            yield sentence[0].upper() + sentence[1:]


def categories():
    """Fifty columns: the subject of a sentence, its cost, and some that check only the effects of another column."""
    yield "fruit", {"text": ["<fruit>"], "exact": ["cherries"]}
    yield "herb", {"text": ["<herb>"]}
    yield "ware", {"text": ["<number> <ware> cards", "one <ware> card"], "exact": ["cards of cherries"]}
    yield "guest", {"exact": ["baker", "ferryman", "gardener", "sailor", "organist", "guest"]}
    yield "stall", {"text": ["<stall>"]}
    yield "hour", {"text": ["At <hour>", "until <hour>"]}
    yield "weather", {"text": ["<weather>"]}
    yield "spot", {"text": ["<spot>"]}
    yield "price", {"text": ["<price> coins", "<fee+1> coins"]}
    yield "animal", {"text": ["<animal>"]}
    yield "creature", {"text": ["the <creature>", "the <mood> grey goose"]}
    yield "ticket_in_hand", {"text": ["<ticket> ticket, "]}
    yield "number", {"text": ["<number> "]}
    for name in ["fruit", "herb", "ticket", "animal", "mood", "weather", "side", "measure"]:
        for value in PLACEHOLDERS[name]:
            when = {"when": name} if name in ("fruit", "herb", "animal", "weather") else {}
            yield f"{name}_{value.removeprefix('the ')}", {"exact": [value.replace("cherry", "cherries")]} | when
    for action in ACTIONS:
        verb = action.split()[0]
        yield f"can_{verb}", {"exact": [f"{verb} ", f"{verb.capitalize()} "]}
    yield "opponent", {"exact": ["neighbor"]}
    yield "own", {"exact": [" your barrow", " your counter"]}
    yield "level", {"text": ["level <level>", "level <level+2>"]}
    yield "high_level", {"text": ["level <level+3>"], "when": "level"}


def toml_array(values):
    return "[" + ", ".join(f'"{value}"' for value in values) + "]"


def write(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[0])
    folder = pathlib.Path(sys.argv[1])
    for name, values in PLACEHOLDERS.items():
        write(folder / f"placeholders/{name}.txt", values)
    write(folder / "placeholders/combinations_to_remove.txt", ["# What no market has.", *REMOVALS])
    rules = [f"{old}: {new}" for old, new in REPLACEMENTS]
    write(folder / "placeholders/phrase_replacements.txt", ["# How it is said.", *rules])
    write(folder / "effects/all_effect_templates.txt", templates())
    lines = []
    for column, keys in categories():
        lines += ["[[category]]", f'column = "{column}"']
        lines += [f"{key} = {toml_array(value)}" for key, value in keys.items() if key != "when"]
        lines += [f'when = "{keys["when"]}"'] if "when" in keys else []
        lines.append("")
    write(folder / "effects/categories.toml", lines)


if __name__ == "__main__":
    main()
