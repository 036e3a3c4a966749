"""Finds text of pages that stands in no file of words. The service is built of sources whose words have marks on all letters (pseudo_words.py)."""

import json
import re
import tomllib
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import browser_checks as checks
from browser_stage import PLAYERS

# Text that a person reads, apart from what is code, was typed, is quoted, or is a file.
TEXTS = """
  const texts = [];
  const left = 'code, pre, samp, kbd, q, textarea, script, style';
  const LABELS = ['alt', 'title', 'aria-label', 'aria-description', 'aria-roledescription', 'placeholder'];
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (!node.parentElement.closest(left)) texts.push(node.data);
  for (const template of document.querySelectorAll('template')) texts.push(template.content.textContent);
  for (const element of document.querySelectorAll('*'))
    for (const { name, value } of element.attributes)
      if (LABELS.includes(name) || (name.startsWith('data-') && /[a-z] [a-z]/iu.test(value) && !document.getElementById(value.split(' ')[0]))) texts.push(value);
  for (const button of document.querySelectorAll('input[type=submit], input[type=button]')) texts.push(button.value);
  for (const meta of document.querySelectorAll('meta[name=description], meta[property="og:title"], meta[property="og:description"], meta[property="og:image:alt"]'))
    texts.push(meta.content);
  return texts;
"""
# What is no word of a language: addresses, places for numbers, ids, hashes, codes of cards and designs, numbers of rules, and names with an underscore or a digit.
NO_WORDS = re.compile(r"https?://\S+|\{[a-z]+\}|\S*[0-9_]\S*|\b[A-Z]{1,3}-[A-Z0-9.]+\b")
# What strains a layout is longer than any word.
WORD = re.compile(r"(?<![A-Za-z])[A-Za-z]{2,24}(?![A-Za-z])")
SIZE = (1280, 900)
MOST_LINES = 100
# Whom the service makes at its first start.
ACCOUNTS = ["admin"]


class Data:
    """What the service shows of what it was given: seed data, and what players and admins typed."""

    def __init__(self, texts):
        # A word between asterisks stands apart.
        found = {" ".join(part.split()) for text in texts for line in text.splitlines() for part in [line.replace("*", ""), *line.split("*")]}
        # The longest first: a name may be a part of another. Short ones are common words, but for those of players.
        known = sorted((text for text in found if (len(text) > 3 or text in PLAYERS) and WORD.search(text)), key=len, reverse=True)
        self.whole = {text.casefold() for text in found}
        self.known = re.compile("|".join(rf"(?<!\w){re.escape(text)}(?!\w)" for text in known), re.IGNORECASE)

    def words_beside(self, text, typed):
        """The words of a text that are neither in the data nor among those that were typed."""
        text = " ".join(text.split())
        if text.casefold() in self.whole:
            return []
        words = WORD.findall(NO_WORDS.sub(" ", self.known.sub(" ", text)))
        return [word for word in words if word not in typed]


def texts_of(value):
    """All texts in a JSON value. Codes are shown as words, too."""
    match value:
        case str():
            yield value
            yield value.replace("_", " ")
        case list():
            for one in value:
                yield from texts_of(one)
        case dict():
            for one in value.values():
                yield from texts_of(one)


def seed_texts(seed_data):
    """All texts of the seed data."""
    for file in seed_data.rglob("*"):
        if file.suffix == ".json":
            yield from texts_of(json.loads(file.read_text(encoding="utf-8")))
        elif file.suffix == ".toml":
            manifest = tomllib.loads(file.read_text(encoding="utf-8"))
            yield from texts_of(manifest)
            for kind in manifest.get("kinds", []):
                yield from texts_of(list(kind.get("attributes", {})))


def only_words(page, data, typed=()):
    """Everything that the page says has marks, is data, or was typed."""
    typed = {word for text in typed for word in WORD.findall(text)}
    found = {}
    for text in checks.ask(page, TEXTS):
        if words := data.words_beside(text, typed):
            found.setdefault(" ".join(words), " ".join(text.split())[:160])
    return [f"stands in no file of words: {words!r} of {text!r}" for words, text in found.items()]


class Noted(list):
    """Bodies that are sent, whose texts are noted."""

    def __init__(self, texts):
        super().__init__()
        self.texts = texts

    def append(self, body):
        self.texts.extend(texts_of(body))


def noted(fields, texts):
    """Fields of a form whose texts are noted when they are made."""

    def fields_with_notes(scene):
        values = fields(scene)
        texts.extend(texts_of(list(values.values())))
        return values

    return fields_with_notes


def look(visitor, pages, answers, seed_data):
    """Reads each page and each answer of a form once."""
    queries = [one for page in pages for one in parse_qs(urlsplit(page.path).query).get("q", [])]
    # Words of queries stand between quotation marks.
    terms = [f"“{term}”" for query in queries for term in re.split(r"[^a-z]+", query)]
    data = Data([*seed_texts(seed_data), *queries, *terms, *ACCOUNTS, *texts_of(visitor.scene.service.sent)])
    # What is below /docs was written as a whole, and is no page of words.
    pages = [page for page in pages if not page.path.startswith("/docs")]
    # Each line is another text that must move into a file of words.
    visitor.most_lines = MOST_LINES
    with visitor.tab(SIZE, "light") as tab:
        for visited, where in visitor.each(pages, tab, "words", [only_words]):
            visitor.check(tab, visited, where, only_words, data)
        typed = []
        visitor.scene.service.sent = Noted(typed)
        for answer in answers.ANSWERS:
            with_notes = replace(answer, says="", fields=noted(answer.fields, typed))
            answers.look_at(visitor, tab, with_notes, "words", [only_words], data, typed)
