"""The effect-text tools as a person would write them in Python: expand.py combine|tag|sort|generate …

It is the yardstick of the benchmark, and a second implementation of the same semantics to compare results with. It aims at
being easy to read; it takes the flags and defaults of `cardscape effects`. Python 3.11, standard library only.
"""

import argparse
import csv
import itertools
import os
import re
import sys
import tomllib

IN_BRACKETS = re.compile(r"<([^<>]+)>")
PLACEHOLDER = re.compile(r"(\w+)([+-]\d+)?")
INTEGER = re.compile(r"[+-]?\d+")
IN_BRACKETS_OR_NOTHING = re.compile(r"(<[^<>]+>)|_")
MIDDLES = [r"\w+", r"\w+ \d+", r".+?"]
COUNTED = ["card", "spell", "creature", "target"]


class Failure(Exception):
    """An error message of one line for standard error; the exit code is 1."""


# --- Files -----------------------------------------------------------------------------------------------------------


def read_lines(path):
    """The lines of a file, trimmed, without the blank ones."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            return [line.strip() for line in file if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise Failure(f"cannot read {path}: {error}") from error


def write_text(path, text, newline="\n"):
    """Replaces a file, or leaves it as it was."""
    beside = f"{path}.{os.getpid()}.tmp"
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            # A device or a pipe is written to, never replaced.
            with open(path, "w", encoding="utf-8", newline=newline) as file:
                file.write(text)
            return
        with open(beside, "w", encoding="utf-8", newline=newline) as file:
            file.write(text)
        os.replace(beside, path)
    except OSError as error:
        if os.path.exists(beside):
            os.remove(beside)
        raise Failure(f"cannot write {path}: {error}") from error


def read_rules(path):
    """The lines of a configuration file without its comments; a warning and no rules where there is no such file."""
    if not os.path.exists(path):
        print(f"warning: there is no {path}", file=sys.stderr)
        return []
    return [line for line in read_lines(path) if not line.startswith("#")]


# --- Expansion -------------------------------------------------------------------------------------------------------


class Placeholders:
    """The value files of a folder; each is read only once."""

    def __init__(self, folder):
        self.folder = folder
        self.read = {}

    def raw_values(self, name):
        if name not in self.read:
            path = os.path.join(self.folder, f"{name}.txt")
            lines = read_lines(path) if os.path.exists(path) else []
            # A `_` means an empty text, except in the names of other placeholders.
            self.read[name] = [IN_BRACKETS_OR_NOTHING.sub(lambda found: found[1] or "", line) for line in lines]
        return self.read[name]

    def values(self, name, offset, open_names):
        """All values of a placeholder. A name that cannot be resolved stays as it is."""
        raw = self.raw_values(name)
        if not raw or name in open_names:
            return [f"<{name}>"]
        resolved = []
        for value in raw:
            resolved += self.expand(value, open_names | {name})
        return [shifted(value, offset) for value in resolved]

    def expand(self, template, open_names=frozenset()):
        """All sentences of a template. A placeholder that occurs several times has the same value everywhere."""
        choices = {}
        for inside in IN_BRACKETS.findall(template):
            parsed = PLACEHOLDER.fullmatch(inside)
            if parsed is None:
                raise Failure(f"<{inside}> in {template!r} is no placeholder")
            choices[inside] = self.values(parsed[1], int(parsed[2] or 0), open_names)
        sentences = []
        for chosen in itertools.product(*choices.values()):
            values = dict(zip(choices, chosen))
            sentences.append(IN_BRACKETS.sub(lambda found: values[found[1]], template))
        return sentences


def shifted(value, offset):
    """An integer plus the offset; any other value is left as it is."""
    return str(int(value) + offset) if INTEGER.fullmatch(value) else value


# --- Phrase rules ----------------------------------------------------------------------------------------------------


def read_replacements(path):
    """Old phrase → new phrase, in the order of the file; a repeated phrase keeps its place and takes the last value."""
    replacements = {}
    for line in read_rules(path):
        old, colon, new = line.partition(":")
        if colon and old.strip():
            replacements[old.strip()] = new.strip()
    return replacements


def fix_grammar(sentence):
    for middle in MIDDLES:
        for word in COUNTED:
            sentence = re.sub(rf"one ({middle}) {word}s\b", rf"one \1 {word}", sentence)
    return sentence


def finish(sentences, removals, replacements, grammar=True):
    """From raw sentences to the result: no duplicates, removed, replaced, repaired, sorted."""
    results = []
    for sentence in dict.fromkeys(sentences):
        sentence = sentence.replace("  ", " ")
        if any(phrase in sentence for phrase in removals):
            continue
        sentence = sentence.strip()
        for old, new in replacements.items():
            sentence = sentence.replace(old, new)
        results.append(fix_grammar(sentence) if grammar else sentence)
    return sorted(results)


def combine(args):
    """The sentences for the flags of `combine` and `generate`."""
    templates = [args.sentence] if args.sentence is not None else read_lines(args.file)
    placeholders = Placeholders(args.placeholder_dir)
    sentences = []
    for template in templates:
        sentences += placeholders.expand(template)
    return finish(
        sentences,
        read_rules(args.combinations_to_remove),
        read_replacements(args.replacements_file),
        grammar=not args.no_grammar_fixes,
    )


# --- Tagging ---------------------------------------------------------------------------------------------------------


def read_table(path):
    """Header and rows of a CSV file, or of a text file with an effect on each line."""
    if not path.endswith(".csv"):
        return ["EFFECTNAME"], [[line] for line in read_lines(path)]
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file, delimiter=";") if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise Failure(f"cannot read {path}: {error}") from error
    if not rows:
        raise Failure(f"{path} has no header")
    return rows[0], rows[1:]


class Sheet:
    """A minimal file object for csv.writer that collects the text in a list."""

    def __init__(self):
        self.parts = []

    def write(self, part):
        self.parts.append(part)


def write_table(path, header, rows):
    sheet = Sheet()
    writer = csv.writer(sheet, delimiter=";", lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows(rows)
    write_text(path, "".join(sheet.parts), newline="")


def add_column(header, rows, column, phrases, when=None):
    """Adds a column that is True if an effect contains one of the phrases and, with `when`, that column is True, too."""
    effect = header.index("EFFECTNAME") if "EFFECTNAME" in header else 0
    if when is not None and when not in header:
        raise Failure(f"there is no column {when}")
    condition = header.index(when) if when is not None else None
    fresh = column not in header
    if fresh:
        header.append(column)
        for row in rows:
            row += [""] * (len(header) - 1 - len(row)) + ["False"]
    place = header.index(column)
    for row in rows:
        if condition is not None and (len(row) <= condition or row[condition] != "True"):
            continue
        if len(row) > effect and any(phrase in row[effect] for phrase in phrases):
            row += [""] * (place + 1 - len(row))
            row[place] = "True"


# --- Commands --------------------------------------------------------------------------------------------------------


def remove_duplicate_lines(path):
    try:
        with open(path, encoding="utf-8") as file:
            lines = list(dict.fromkeys(file))
    except (OSError, UnicodeDecodeError) as error:
        raise Failure(f"cannot read {path}: {error}") from error
    write_text(path, "".join(lines))


def run_combine(args, parser):
    if args.dedupe is not None:
        remove_duplicate_lines(args.dedupe or args.output_file)
        return
    if (args.sentence is None) == (args.file is None):
        parser.error("exactly one of -s and -f is needed")
    results = combine(args)
    if args.test_mode:
        sys.stdout.write("".join(f"{line}\n" for line in results))
        print(f"Total combinations: {len(results)}")
    else:
        write_text(args.output_file, "".join(f"{line}\n" for line in results))


def run_tag(args, parser):
    if (args.text is None) == (args.exact is None):
        parser.error("exactly one of -t and -e is needed")
    header, rows = read_table(args.input)
    if args.exact is not None and args.input.endswith(".csv") and args.column not in header:
        raise Failure(f"{args.input} has no column {args.column}")
    phrases = [args.exact] if args.text is None else Placeholders(args.placeholder_dir).expand(args.text)
    add_column(header, rows, args.column, phrases, args.match_column)
    write_table(args.output, header, rows)


def run_sort(args, _parser):
    write_text(args.output, "".join(f"{line}\n" for line in sorted(read_lines(args.input))))


def run_generate(args, _parser):
    header, rows = ["EFFECTNAME"], [[line] for line in combine(args)]
    placeholders = Placeholders(args.placeholder_dir)
    try:
        with open(args.categories, "rb") as file:
            categories = tomllib.load(file)["category"]
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise Failure(f"cannot read {args.categories}: {error}") from error
    for category in categories:
        phrases = list(category.get("exact", []))
        for pattern in category.get("text", []):
            phrases += placeholders.expand(pattern)
        add_column(header, rows, category["column"], phrases, category.get("when"))
    write_table(args.output_file, header, rows)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)

    rules = argparse.ArgumentParser(add_help=False)
    rules.add_argument("-p", "--placeholder_dir", default="placeholders")
    rules.add_argument("-c", "--combinations_to_remove", default="placeholders/combinations_to_remove.txt")
    rules.add_argument("-r", "--replacements_file", default="placeholders/phrase_replacements.txt")
    rules.add_argument("--no_grammar_fixes", action="store_true", help="leave `one … cards` as it is")

    command = commands.add_parser("combine", parents=[rules])
    command.add_argument("-s", "--sentence")
    command.add_argument("-f", "--file", nargs="?", const="effects/all_effect_templates.txt")
    command.add_argument("-o", "--output_file", default="effects/all_effects.txt")
    command.add_argument("-t", "--test_mode", action="store_true")
    command.add_argument("-d", "--dedupe", nargs="?", const="")
    command.set_defaults(run=run_combine, command=command)

    command = commands.add_parser("tag")
    command.add_argument("-i", "--input", default="effects/effects_with_placeholders.csv")
    command.add_argument("-o", "--output", default="effects/effects_with_placeholders.csv")
    command.add_argument("-c", "--column", required=True)
    command.add_argument("-p", "--placeholder_dir", default="placeholders")
    command.add_argument("-t", "--text")
    command.add_argument("-e", "--exact")
    command.add_argument("-m", "--match_column")
    command.set_defaults(run=run_tag, command=command)

    command = commands.add_parser("sort")
    command.add_argument("-i", "--input", default="input.txt")
    command.add_argument("-o", "--output", default="output.txt")
    command.set_defaults(run=run_sort, command=command)

    command = commands.add_parser("generate", parents=[rules])
    command.add_argument("-f", "--file", default="effects/all_effect_templates.txt")
    command.add_argument("-o", "--output_file", default="effects/effects_with_placeholders.csv")
    command.add_argument("-k", "--categories", default="effects/categories.toml")
    command.set_defaults(run=run_generate, command=command, sentence=None)
    return parser.parse_args()


def main():
    args = arguments()
    try:
        args.run(args, args.command)
    except Failure as failure:
        print(f"error: {failure}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
