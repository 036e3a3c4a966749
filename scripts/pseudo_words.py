"""Copies the sources with every text of the pages in a language that nobody speaks: pseudo_words.py ROOT FOLDER

Each letter of a text in the files of words (`words.rs`, `…_words.rs`, `…_words/` below `src/web`) becomes one with a mark. What such a service shows without marks stands in no
file of words; `browser_words.py` finds it. What texts are compared with, and what formats put in, stays.
"""

import pathlib
import re
import shutil
import subprocess
import sys

PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
MARKED = "áƀćďéƒğĥíĵķĺḿñóƥɋŕšţúṽŵẋýžÁɃĆĎÉƑĞĤÍĴĶĹḾÑÓƤɊŔŠŢÚṼŴẊÝŽ"
MARK = str.maketrans(PLAIN, MARKED)
# Files of words, and those of folders of words.
IS_OF_WORDS = re.compile(r"src/web/(.*/)?(\w*words\.rs|\w*words/\w+\.rs)")
# What is no text, in the order in which it is looked for: comments, characters, and texts.
TOKENS = re.compile(r"//[^\n]*|/\*.*?\*/|b?'(?:\\.[^']*|[^'\\])'|r(#*)\".*?\"\1|b?\"(?:\\.|[^\"\\])*\"", re.DOTALL)
# Parts of a text that stay: what formats put in, braces themselves, parts of times, and escapes.
KEPT = re.compile(r"\{\{|\}\}|\{[^{}]*\}|%[a-zA-Z]|\\u\{[^}]*\}|\\x..|\\\n\s*|\\.")
# What follows a text in a pattern of a `match`.
PATTERN = re.compile(r"\s*\||[^\n=]*=>|[^\n]* if [^\n]*=>")
# What programs read: the name of a language, addresses, and names that are given to functions or stand first in pairs.
LANGUAGE = '"en"'
ADDRESS = re.compile(r'"(/[a-z/-]+)"')
NAME = re.compile(r'"[a-z][a-z0-9_]*"')


def marked(text):
    """A text between quotation marks with marked letters."""
    parts, at = [], 0
    for kept in KEPT.finditer(text):
        parts += [text[at : kept.start()].translate(MARK), kept[0]]
        at = kept.end()
    return "".join([*parts, text[at:].translate(MARK)])


def mark_words(source):
    """A file of words with all texts marked, but those that others are compared with. Its tests are left out."""
    source = source.split("\n#[cfg(test)]")[0] + "\n"

    def replace(token):
        text, before = token[0], source[: token.start()].rstrip()
        is_compared = PATTERN.match(source, token.end()) or before.endswith(("==", "!=", "|", "(.., ", "replace(", "strip_prefix("))
        is_read = text == LANGUAGE or ADDRESS.fullmatch(text) or (before.endswith("(") and NAME.fullmatch(text))
        return text if text[0] != '"' or is_compared or is_read else marked(text)

    return TOKENS.sub(replace, source)


def copy(root, folder):
    """Copies every file of the sources, those of words with marks. Files that are the same already stay, so that little is built anew."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root, capture_output=True, check=True)
    names = {name for name in listed.stdout.decode().split("\0") if name and (root / name).is_file()}
    for name in names:
        content = (root / name).read_bytes()
        if IS_OF_WORDS.fullmatch(name):
            content = mark_words(content.decode()).encode()
        file = folder / name
        if file.is_file() and file.read_bytes() == content:
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        shutil.copymode(root / name, file)
    for file in [file for file in folder.rglob("*") if file.is_file()]:
        if str(file.relative_to(folder)) not in names:
            file.unlink()


if __name__ == "__main__":
    copy(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
