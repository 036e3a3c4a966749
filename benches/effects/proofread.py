"""Proofreads the effects that a game's templates make: proofread.py [GAME_FOLDER] [--sample N] [--seed S]

Checks every sentence (words, spaces, full stops, articles, singular and plural, numbers, length, pairs of phrases that
contradict each other) and the files: every template, value and rule must be used, and no sentence may depend on how nested
placeholders are linked. Every effect on a card of the game's sets must be among the results. The exit code is 1 if there
is a fault. `--sample` prints sentences for a person to read.
"""

import argparse
import json
import pathlib
import random
import re
import sys
import tomllib

from expand import IN_BRACKETS, PLACEHOLDER, Placeholders, add_column, finish, fix_grammar, read_lines, read_replacements, read_rules

PLURALS = r"(?:cards|units|spells|points|turns|types|decks|hands)"
SINGULARS = r"(?:card|unit|spell|point|turn|type|deck)"
KINDS = (
    "earth|water|fire|air|electric|light|nature|dark|dragon|beast|elemental|aquatic|warrior|spellcaster|machine|ghost|insect|"
    "reptile|fairy|undead|botanic"
)
NUMBERS = r"two|three|four|ten|fifteen|twenty|[2-9]\d*"
DESCRIPTIONS = r"(?:[A-Z]\w+|\d|enemy|other|tapped|rank|or|lower|higher)"
VERBS = (
    "activate|add|counter|destroy|discard|draw|equip|gain|lose|make|mill|modify|place|play|prevent|rank up|return|reveal|"
    "search|send|shuffle|skip|swap|tap|untap|let"
)
# Faults of sentences: a name, and a regular expression that no sentence may match.
FAULTS = [
    ("doubled word", r"(?i)\b(\w+) \1\b"),
    ("doubled space", r"  "),
    ("space before a mark", r" [.,]"),
    ("mark without a space", r"[,.]\S"),
    ("doubled mark", r"[,.][,.]"),
    ("brackets", r"[<>{}\[\]]"),
    ("article before a vowel", r"\ba [AEIOUaeiou]"),
    ("article before a consonant", r"\ban [^AEIOUaeiou]"),
    ("one and a plural", rf"\bone (?:(?!of|or|and|card|unit|spell|point)[\w-]+ )*{PLURALS}\b(?<!one or more cards)"),
    ("1 and a plural", r"(?<!rank )\b1 points\b"),
    ("number and a singular", rf"\b(?<!rank )(?:{NUMBERS}) (?:{DESCRIPTIONS} )*{SINGULARS}\b"),
    ("points without s", r"\b(?:[02-9]|\d\d+) point\b"),
    ("nothing at all", r"(?<!\d)0 |\bzero\b|\bno cards\b"),
    ("negative", r"-\d"),
    ("each and a plural", rf"\beach (?:{DESCRIPTIONS} )*{PLURALS}\b"),
    ("all and a singular", rf"\ball (?:{DESCRIPTIONS} )*{SINGULARS}\b"),
    ("of your and a singular", rf"\b(?:one|two|each|another) of your (?:{DESCRIPTIONS} )*{SINGULARS}\b"),
    ("each of … gain", r"\beach of your [^,]* gain\b"),
    ("a person's verb", rf"\byour opponent (?!lose|gain|draw|discard|controls|has|plays|sends|activates|from|mill)\w+"),
    ("your opponent do", r"(?<!make )(?<!Let )\byour opponent (?:lose|gain|draw|discard|send)\b"),
    ("your opponent does after make", r"\b(?:make|Let) your opponent \w+s\b"),
    ("it gain", r"(?<!make )\b(?:this card|that unit|attacked unit|it) (?:gain|lose)\b"),
    ("verb with s after to", rf"\bto (?:{'|'.join(verb + 's' for verb in VERBS.split('|'))})\b"),
    ("this turn, lasting", r"^(?:While|Equip).* this turn\b"),
    ("rank of no unit", r"\brank (?:0|[6-9]|\d\d)"),
    ("no such rank", r"rank 1 or (?:lower|higher)|rank 5 or"),
    ("no such spell", r"rank [45] (?:enemy )?spell"),
    ("lower case kind", rf"\b(?:{KINDS}) (?:unit|card|or)"),
]
# Pairs that contradict each other or cancel out, as regular expressions.
CONTRADICTIONS = [
    r"draw one card to draw one card",
    r"Lose (\d) points? to gain \1 points?\b",
    r"gain (\d) points? to gain \1 points?\b",
    r"^(?:Destroy|Discard) this card to .*\b(?:this card|it gains|untap this)\b",
    r"^Discard one spell to .*return one .*spell from your discard pile",
    r"attacks, .*prevent the attacked unit from attacking",
    r"discard this card to .*this card gains",
    r"destroy this card to .*this card gains",
    r"Tap .*tapped enemy",
    r"tap (?:one|each|two) tapped",
    r"untap .*untapped",
]
STARTS = (
    "After At Destroy Discard Draw During Equip Gain If Let Lose Mill Modify Play Rank Return Reveal Search Send Shuffle "
    "Skip Swap Tap Untap When While"
).split()
# How the conditions and costs of section 3.3.3 begin.
CONDITIONS = (
    r"If you (?:have|control) |If your opponent (?:has|controls) |While this card remains on the field|"
    r"When this card (?:is sent to the discard pile|is destroyed|attacks)|When an enemy unit |When another |When the |"
    r"When a card effect activates|After this card attacks|At the start of your turn|During your opponent's "
)
COST = re.compile(rf"(?:^|, )([^,]*?) to (?:{VERBS})\b")
COSTS = ("discard ", "lose ", "let your opponent ", "destroy ", "skip your next turn", "equip this card")
ACTION = re.compile(rf"\b(?:{VERBS})e?s?\b")
LONGEST = 140
# The checks above must find a fault in each of these sentences; otherwise the checks are broken.
WRONG = [
    "Draw two card.",
    "Draw one cards.",
    "Draw 0 cards.",
    "Draw one card",
    "Draw  one card.",
    "Draw draw one card.",
    "Draw <few> cards.",
    "Draw one card ,now.",
    "Gain 1 points.",
    "Gain 2 point.",
    "Discard one Fire card to draw two card.",
    "Lose 2 points to gain 2 points.",
    "Lose 1 point to gains 2 points.",
    "Mill two cards to draw one card.",
    "Destroy this card to untap this card.",
    "Tap each enemy units.",
    "Tap one fire unit.",
    "Tap one rank 1 or lower enemy unit.",
    "Tap one rank 7 enemy unit.",
    "Tap two rank 2 or lower enemy unit.",
    "Untap one of your Air unit.",
    "When it rains, draw one card.",
    "When this card attacks, sing.",
    "When this card attacks, this card gain 50 attack this turn.",
    "When this card attacks, your opponent lose 1 point.",
    "When this card attacks a Air unit, draw one card.",
    "When this card attacks an Beast unit, draw one card.",
    "While this card remains on the field, each of your units gain 50 attack.",
    "While this card remains on the field, each of your units gains 50 attack this turn.",
]


def faults(sentence):
    """The faults of a sentence."""
    for name, pattern in FAULTS:
        found = re.search(pattern, sentence)
        if found:
            yield f"{name} ({found[0]})"
    for pattern in CONTRADICTIONS:
        if re.search(pattern, sentence):
            yield f"contradiction ({pattern})"
    if not sentence.endswith(".") or sentence.count(".") != 1:
        yield "not one sentence"
    if len(sentence) > LONGEST:
        yield f"{len(sentence)} characters"
    if not sentence.isascii() or sentence.split()[0] not in STARTS:
        yield "begins with no known word"
    if sentence.split()[0] in ("If", "When", "While", "After", "At", "During"):
        if not re.match(CONDITIONS, sentence) or ", " not in sentence:
            yield "no condition of the rules"
    cost = COST.search(sentence)
    if cost and not cost[1].lower().startswith(COSTS):
        yield f"no cost of the rules ({cost[1]})"
    if not ACTION.search(sentence.rpartition(", ")[2].lower()):
        yield "no action"


def names(text):
    """The names of the placeholders in a text."""
    return [PLACEHOLDER.fullmatch(inside)[1] for inside in IN_BRACKETS.findall(text)]


def reach(placeholders, name):
    """A name, and all names that its values contain, directly or indirectly."""
    found = {name}
    for value in placeholders.raw_values(name):
        for inner in names(value):
            found |= reach(placeholders, inner)
    return found


def loosely_linked(placeholders, text):
    """Names that a text contains through two placeholders, so that it is unclear whether both have the same value."""
    seen = {}
    for name in dict.fromkeys(names(text)):
        for inner in reach(placeholders, name):
            if inner in seen:
                yield f"<{name}> and <{seen[inner]}> both lead to <{inner}> in {text!r}"
            seen[inner] = name


def faults_of_files(folder, templates, placeholders, removals, replacements):
    raw = [sentence for template in templates for sentence in placeholders.expand(template)]
    used = set()
    for template in templates:
        used |= {inner for name in names(template) for inner in reach(placeholders, name)}
        yield from loosely_linked(placeholders, template)
        if not finish(placeholders.expand(template), removals, replacements):
            yield f"nothing comes of {template!r}"
    if len(set(templates)) != len(templates):
        yield "a template stands twice"
    settings = {"combinations_to_remove", "phrase_replacements"}
    files = {file.stem for file in (folder / "placeholders").glob("*.txt")} - settings
    yield from (f"<{name}> is used nowhere" for name in sorted(files - used))
    yield from (f"<{name}> has no file" for name in sorted(used - files))
    for name in sorted(files):
        values = placeholders.raw_values(name)
        if len(set(values)) != len(values):
            yield f"<{name}> has a value twice"
        for value in values:
            yield from loosely_linked(placeholders, value)
    for phrase in [*removals, *replacements]:
        if not any(phrase in sentence for sentence in raw):
            yield f"the rule {phrase!r} meets no sentence"


def faults_of_categories(folder, placeholders, sentences):
    """Columns with the same value for all effects, and effects without a style, with two styles, or that fit no card."""
    with open(folder / "effects/categories.toml", "rb") as file:
        categories = tomllib.load(file)["category"]
    header, rows = ["EFFECTNAME"], [[sentence] for sentence in sentences]
    for category in categories:
        if category["column"] in header:
            yield f"the column {category['column']} stands twice"
        if unknown := set(category) - {"column", "text", "exact", "when"}:
            yield f"the column {category['column']} has {unknown}"
        patterns = [phrase for pattern in category.get("text", []) for phrase in placeholders.expand(pattern)]
        for phrase in patterns + category.get("exact", []):
            if "<" in phrase:
                yield f"{phrase!r} of the column {category['column']} cannot be resolved"
        for pattern in category.get("text", []) + category.get("exact", []):
            if not any(phrase in sentence for phrase in placeholders.expand(pattern) for sentence in sentences):
                yield f"{pattern!r} of the column {category['column']} meets no sentence"
        add_column(header, rows, category["column"], patterns + category.get("exact", []), category.get("when"))
    for place, column in enumerate(header[1:], start=1):
        if len({row[place] for row in rows}) < 2:
            yield f"the column {column} says the same of all"
    columns = {column: place for place, column in enumerate(header)}
    for row in rows:
        styles = [column for column in ("normal", "continuous", "equip", "triggered") if row[columns[column]] == "True"]
        if len(styles) != 1:
            yield f"styles {styles}: {row[0]}"
        if row[columns["unit_only"]] == row[columns["spell_only"]] == "True":
            yield f"suits no card: {row[0]}"


def effects_on_cards(folder):
    for file in sorted((folder / "sets").glob("*.json")):
        for card in json.loads(file.read_text(encoding="utf-8"))["cards"]:
            for effect in card.get("effects", []):
                yield f"{file.stem} {card['number']} {card['name']}", effect["text"]


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=here.parents[1] / "seed-data/games/ttcg")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    folder = args.folder
    templates = read_lines(folder / "effects/all_effect_templates.txt")
    # Sentences in which a plural after "one" is correct; the built-in fixes would change it to a singular.
    plural = folder / "effects/plural_effect_templates.txt"
    plurals = read_lines(plural) if plural.exists() else []
    placeholders = Placeholders(folder / "placeholders")
    removals = read_rules(folder / "placeholders/combinations_to_remove.txt")
    replacements = read_replacements(folder / "placeholders/phrase_replacements.txt")

    found = [f"not noticed: {sentence}" for sentence in WRONG if not any(faults(sentence))]
    found += faults_of_files(folder, templates + plurals, placeholders, removals, replacements)
    expanded = [sentence for template in templates for sentence in placeholders.expand(template)]
    made_twice = len(expanded) - len(set(expanded))
    results = finish(expanded, removals, replacements)
    more = [sentence for template in plurals for sentence in placeholders.expand(template)]
    more = finish(more, removals, replacements, grammar=False)
    for sentence in results + more:
        found += [f"{fault}: {sentence}" for fault in faults(sentence)]
    plain = finish(expanded, removals, replacements, grammar=False)
    found += [f"changed by the built-in fixes: {sentence}" for sentence in plain if fix_grammar(sentence) != sentence]
    found += [f"needs no templates of its own: {sentence}" for sentence in more if fix_grammar(sentence) == sentence]
    distinct, other = set(results), set(more)
    if len(distinct) != len(results) or distinct & other:
        found.append("a sentence is there twice")
    if (folder / "effects/categories.toml").exists():
        found += faults_of_categories(folder, placeholders, results + more)
    cards = list(effects_on_cards(folder))
    found += [f"{card}: no template makes {text!r}" for card, text in cards if text not in distinct | other]

    literal = [template for template in templates + plurals if not names(template)]
    files = {inner for template in templates + plurals for name in names(template) for inner in reach(placeholders, name)}
    on_cards = {text for _, text in cards}
    print(f"{len(templates)} + {len(plurals)} templates, {len(literal)} of them without a placeholder, {len(files)} placeholders")
    print(f"{len(distinct)} + {len(other)} sentences; {made_twice} made more than once; longest {max(map(len, results))} characters")
    print(f"{len(on_cards & distinct)} + {len(on_cards & other)} of {len(on_cards)} effects on cards")
    for sentence in random.Random(args.seed).sample(results + more, args.sample):
        print(sentence)
    for fault in found:
        print("FAULT", fault)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
