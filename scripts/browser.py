"""Looks at the pages with a browser: browser.py [--quick] [--only NAME,…] PATH/TO/cardscape FOLDER

Starts the service with the seed data and what players left behind (browser_stage.py), and visits each page of `PAGES`: light and dark, on a
phone and on a desk, with and without script. What must hold is in browser_checks.py. Screenshots go into FOLDER. `--quick` visits each page
once for each theme and width, and makes every other check once. Fails with a line for each fault. Everything it starts, it stops.
"""

import argparse
import collections
import contextlib
import functools
import os
import pathlib
import sys
import tempfile
import time
from dataclasses import dataclass

from playwright.sync_api import Error, sync_playwright

import browser_checks as checks
import browser_stage as stage
from browser_journeys import JOURNEYS
from service import running

ROOT = pathlib.Path(__file__).parent.parent
CHROMIUM = os.environ.get("CARDSCAPE_CHROMIUM", "/usr/bin/chromium")
# Chromium asks nobody but the service.
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
OPTIONS += ["--disable-component-update", "--disable-sync"]

THEMES = ["light", "dark"]
# Width and height: a phone, a desk.
SIZES = [(360, 740), (1280, 900)]
# The narrowest that must do: 1280 px, four times as large.
NARROWEST = (320, 640)
# Lines of one check of one page; the same fault is often in many places.
MOST_LINES = 4


@dataclass(frozen=True)
class Page:
    """A page to visit.

    `without`: checks that are not for it, by the names of their functions. `has_own_focus`: it puts the focus somewhere. `made_by_script`:
    what its script makes, which is waited for. `is_slow`: one visit with script and one without are enough. `player`: who is logged in.
    """

    name: str
    path: str
    status: int = 200
    has_own_focus: bool = False
    made_by_script: str | None = None
    is_slow: bool = False
    player: str | None = None
    without: frozenset = frozenset()


# Others made what it shows.
SWAGGER = frozenset({"axe", "keyboard", "large_targets", "weights", "forced_colours", "no_sideways_scrolling", "text_spacing", "printed"})

PAGES = [
    Page("home", "/"),
    Page("search", "/search"),
    Page("search-narrowed", "/search?q=t:fire&game=ttcg&sort=attack&order=desc"),
    Page("search-list", "/search?q=is:hidden&as=list"),
    Page("search-nothing", "/search?q=nothing-has-this-name"),
    Page("search-warned", "/search?q=atack%3E3+t:fire"),
    Page("search-refused", "/search?q=(((", status=400, has_own_focus=True),
    Page("search-help", "/search/help"),
    Page("game", "/games/ttcg"),
    Page("game-empty", "/games/magic"),
    Page("set", "/sets/ttcg/hearth"),
    Page("set-hidden", "/sets/ttcg/veil"),
    Page("set-strain", "/sets/ttcg/strain"),
    Page("card", "/cards/ttcg/hearth/016"),
    Page("card-mythic", "/cards/ttcg/hearth/001?rarity=mythic_rare"),
    Page("card-hidden", "/cards/ttcg/veil/002"),
    Page("card-unlocked", "/cards/ttcg/veil/001"),
    Page("card-long", "/cards/ttcg/strain/001"),
    Page("card-rtl", "/cards/ttcg/strain/002"),
    Page("card-emoji", "/cards/emoji-tcg/feed/002"),
    Page("submit", "/submit"),
    Page("submit-batch", "/submit/batch", player="ada"),
    Page("log-in", "/login"),
    Page("join", "/join"),
    Page("recover", "/recover"),
    Page("my-account", "/my/account", player="ada"),
    Page("my-password", "/my/password", player="ada"),
    Page("my-recovery-codes", "/my/recovery-codes", player="ada"),
    Page("my-second-factor", "/my/second-factor", player="ada"),
    Page("my-tokens", "/my/tokens", player="ada"),
    Page("my-events", "/my/events", player="ada"),
    Page("decks", "/decks"),
    Page("deck-check", "/decks/check"),
    Page("deck", "{deck}"),
    Page("deck-own", "{deck}", player="ada"),
    Page("my-decks", "/my/decks", player="ada"),
    Page("deck-new", "/my/decks/new", player="ada"),
    Page("deck-edit", "{deck}/edit", player="ada"),
    Page("deck-proxies", "{deck}/proxies"),
    Page("deck-revisions", "{deck}/revisions", player="ada"),
    Page("deck-revision", "{deck}/revisions/1", player="ada"),
    Page("designs", "/designs"),
    Page("designs-narrowed", "/designs?q=status:shared&game=ttcg&sort=rating"),
    Page("designs-refused", "/designs?q=(((", status=400, has_own_focus=True),
    Page("design", "{design}"),
    Page("design-own", "{design}", player="ada"),
    Page("design-others", "{design}", player="ben"),
    Page("design-comment", "{comment}", player="ben"),
    Page("design-replies", "{comment}/replies"),
    Page("design-suggest", "{design}/suggest", player="ben"),
    Page("design-suggestions", "{design}/suggestions", player="ada"),
    Page("design-suggestion", "{suggestion}", player="ada"),
    Page("design-report", "{design}/report", player="ben"),
    Page("design-revisions", "{design}/revisions", player="ada"),
    Page("design-artwork", "{design}/artwork", player="ada"),
    Page("design-step", "{design}/steps/submit", player="ada"),
    Page("my-designs", "/my/designs", player="ada"),
    Page("designer", "/designer?card=ttcg/unit", player="ada"),
    Page("designer-draft", "{design}/edit", player="ada"),
    Page("designer-of-cards", "/designers/ada"),
    Page("designer-followed", "/designers/ada", player="ben"),
    Page("reviews", "/reviews/designs", player="stage manager"),
    Page("review", "{submitted}", player="stage manager"),
    Page("admin", "/admin", player="stage manager"),
    Page("admin-people", "/admin/people", player="stage manager"),
    Page("admin-people-refused", "/admin/people?name=" + 33 * "x", status=400, has_own_focus=True, player="stage manager"),
    Page("admin-person", "{person}", player="stage manager"),
    Page("admin-ban", "{person}/ban", player="stage manager"),
    Page("admin-second-factor", "{person}/second-factor", player="stage manager"),
    Page("admin-reviews", "/admin/reviews", player="stage manager"),
    Page("admin-review", "{waiting}", player="stage manager"),
    Page("admin-disputes", "/admin/disputes?state=all", player="stage manager"),
    Page("admin-dispute", "/admin{dispute}", player="stage manager"),
    Page("admin-copies", "/admin/copies", player="stage manager"),
    Page("admin-copy", "/admin{copy}", player="stage manager"),
    Page("admin-copy-freeze", "/admin{copy}/freeze", player="stage manager"),
    Page("admin-reports", "/admin/reports", player="stage manager"),
    Page("admin-report", "{reported}", player="stage manager"),
    Page("admin-cards", "/admin/cards?q=set:veil", player="stage manager"),
    Page("admin-card", "{edited}", player="stage manager"),
    Page("admin-card-document", "{edited}/document", player="stage manager"),
    Page("admin-card-move", "{edited}/move", player="stage manager"),
    Page("admin-card-merge", "{edited}/merge", player="stage manager"),
    Page("admin-card-unlock", "{hidden}/unlock", player="stage manager"),
    Page("admin-ruling", "{edited}/rulings", player="stage manager"),
    Page("admin-ruling-change", "{ruling}", player="stage manager"),
    Page("admin-ruling-delete", "{ruling}/delete", player="stage manager"),
    Page("admin-imports", "/admin/imports", player="stage manager"),
    Page("admin-manifest", "/admin/imports/games/ttcg", player="stage manager"),
    Page("admin-print-runs", "/admin/print-runs", player="stage manager"),
    Page("admin-print-run", "{run}", player="stage manager"),
    Page("admin-print-plan", "/admin/print-plans", player="stage manager"),
    Page("admin-announcements", "/admin/announcements?set=ttcg/veil", player="stage manager"),
    Page("admin-announcement", "{announcement}", player="stage manager"),
    Page("admin-reveal", "{announcement}/reveal", player="stage manager"),
    Page("admin-webhooks", "/admin/webhooks", player="stage manager"),
    Page("admin-webhook", "{webhook}", player="stage manager"),
    Page("admin-webhook-delete", "{webhook}/delete", player="stage manager"),
    Page("admin-webhook-secret", "{webhook}/secret", player="stage manager"),
    Page("admin-deliveries", "{webhook}/deliveries", player="stage manager"),
    Page("admin-audit-log", "/admin/audit-log", player="stage manager"),
    Page("my-collection", "/my/collection", player="ada"),
    Page("my-collection-empty", "/my/collection", player="eve"),
    Page("my-progress", "/my/collection/progress", player="ada"),
    Page("my-duplicates", "/my/collection/duplicates", player="ada"),
    Page("my-import", "/my/collection/import", player="ada"),
    Page("my-copies", "/my/copies", player="ada"),
    Page("my-copies-refused", "/my/copies?set=nothing", status=400, has_own_focus=True, player="ada"),
    Page("my-copy", "/my{copy}", player="ada"),
    Page("my-lists", "/my/lists", player="ada"),
    Page("my-wants", "/my/lists/wants", player="ben"),
    Page("my-haves", "/my/lists/haves", player="ada"),
    Page("trades", "/trades", player="ben"),
    Page("trade-new", "/trades/new?player=ada", player="ben"),
    Page("trade-find", "/trades/find", player="ben"),
    Page("trade", "{trade}", player="ben"),
    Page("trade-accept", "{trade}/accept", player="ben"),
    Page("trade-counter", "{trade}/counter", player="ben"),
    Page("player", "/players/ada"),
    Page("disputes", "/disputes", player="ada"),
    Page("dispute", "{dispute}", player="cleo"),
    Page("nothing", "/nothing", status=404),
    Page("bad-address", "/sets/ttcg/hearth?cursor=x", status=400),
    Page("guide", "/docs/search"),
    Page("reference", "/docs/", made_by_script=".opblock", is_slow=True, without=SWAGGER),
]


class Visitor:
    """A browser at a service, and what it found."""

    def __init__(self, browser, base, folder, made, unlock):
        """`made`: paths of what players have made, by the names that `PAGES` has for them. `unlock`: unlocks a card of the first page, and tells its name."""
        self.browser, self.base, self.folder, self.made, self.unlock = browser, base, folder, made, unlock
        self.cookies = {}
        self.faults = []
        self.counts = collections.Counter()
        self.heaviest = collections.Counter()

    def fault(self, where, text):
        line = f"{where}: {text}"
        if line not in self.faults:
            self.faults.append(line)
            print("fault:", line, flush=True)

    def check(self, page, visited, where, check, *arguments):
        """Makes a check of browser_checks.py, if it is for this page."""
        if check.__name__ in visited.without:
            return
        self.counts[check.__name__] += 1
        try:
            texts = check(page, *arguments)
        except Error as error:
            texts = [f"{check.__name__}: the browser gives up: {error.message.splitlines()[0]}"]
        for text in texts[:MOST_LINES]:
            self.fault(where, text)
        if len(texts) > MOST_LINES:
            self.fault(where, f"{len(texts) - MOST_LINES} more of {check.__name__}")

    @contextlib.contextmanager
    def tab(self, size, theme, script=True, policy=True):
        """A tab of a browser of its own. `policy`: the page's policy holds, and what the page loads is watched."""
        width, height = size
        context = self.browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=theme,
            java_script_enabled=script,
            bypass_csp=not policy,
            has_touch=width < 700,
        )
        context.set_default_timeout(20_000)
        page = context.new_page()
        page.has_script = script
        if policy:
            context.add_init_script(checks.WATCH)
            self.watch(page)
        try:
            yield page
        finally:
            context.close()

    def watch(self, page):
        """Notes what the console tells, and requests that fail or leave the service."""
        page.where, page.expected = "", 200

        def said(message):
            is_the_page = message.location.get("url") == page.address and page.expected >= 400
            if message.type in ("error", "warning") and not is_the_page:
                self.fault(page.where, f"the console says: {message.text}")

        def asked(request):
            if not request.url.startswith((self.base + "/", "data:", "blob:")):
                self.fault(page.where, f"asks another origin: {request.url}")

        def answered(response):
            if response.status >= 400 and response.url != page.address:
                self.fault(page.where, f"{response.status} for {response.url}")

        def failed(request):
            # A stream ends when its page is left.
            if not request.url.endswith("/stream") or request.failure != "net::ERR_ABORTED":
                self.fault(page.where, f"{request.failure} for {request.url}")

        page.on("console", said)
        page.on("pageerror", lambda error: self.fault(page.where, f"script fails: {error}"))
        page.on("request", asked)
        page.on("requestfailed", failed)
        page.on("response", answered)

    def log_in(self, page, player):
        """Makes the browser that of a player, by the form of the log-in; of nobody, without one."""
        page.context.clear_cookies()
        if player is None:
            return
        if player not in self.cookies:
            form = {"name": player, "password": stage.password_of(player)}
            answer = page.request.post(self.base + "/login", form=form, headers={"sec-fetch-site": "same-origin"}, max_redirects=0)
            if answer.status != 303:
                self.fault(page.where, f"{player} cannot log in: {answer.status}")
            self.cookies[player] = page.context.cookies()
        page.context.add_cookies(self.cookies[player])

    def open(self, page, visited, where):
        """Goes to a page and waits until all of it is there."""
        self.log_in(page, visited.player)
        page.address = self.base + visited.path.format(**self.made)
        page.where, page.expected = where, visited.status
        response = page.goto(page.address)
        if response.status != visited.status:
            self.fault(where, f"status {response.status}, not {visited.status}")
        if visited.made_by_script and page.has_script:
            page.wait_for_selector(visited.made_by_script, timeout=120_000)
        for text in checks.settle(page):
            self.fault(where, text)

    def each(self, pages, tab, name, made):
        """Opens each page in the tab for which one of the checks `made` is. A browser that cannot is a fault, and the next page gets its turn."""
        for visited in pages:
            if all(check.__name__ in visited.without for check in made):
                continue
            where = f"{visited.name}, {name}"
            try:
                self.open(tab, visited, where)
                yield visited, where
            except Error as error:
                self.fault(where, f"the browser gives up: {error.message.splitlines()[0]}")

    def look(self, pages, size, theme, script, whole):
        """What the page loads and tells, whether it fits, and how it looks. `whole`: screenshots go down to the end of the page."""
        name = f"{size[0]} px, {theme}" + ("" if script else ", no script")
        if (size, theme) != (SIZES[0], THEMES[0]):
            pages = [page for page in pages if not page.is_slow]
        with self.tab(size, theme, script) as tab:
            for visited, where in self.each(pages, tab, name, [checks.watched]):
                self.check(tab, visited, where, checks.no_broken_pictures)
                self.check(tab, visited, where, checks.no_sideways_scrolling)
                self.check(tab, visited, where, checks.large_targets)
                if script:
                    self.check(tab, visited, where, checks.watched)
                    file = self.folder / f"{visited.name}-{size[0]}-{theme}.png"
                    tab.screenshot(path=file, full_page=whole)

    def judge(self, pages, size, theme):
        """What axe says. It is put into the page, which the policy would forbid."""
        with self.tab(size, theme, policy=False) as tab:
            for visited, where in self.each(pages, tab, f"{size[0]} px, {theme}", [checks.axe]):
                self.check(tab, visited, where, checks.axe)

    def narrow(self, pages):
        with self.tab(NARROWEST, "light", policy=False) as tab:
            made = [checks.no_sideways_scrolling, checks.large_targets, checks.text_spacing]
            for visited, where in self.each(pages, tab, f"{NARROWEST[0]} px", made):
                for check in made:
                    self.check(tab, visited, where, check)

    def press(self, pages, size):
        with self.tab(size, "light") as tab:
            for visited, where in self.each(pages, tab, f"{size[0]} px, keys", [checks.keyboard]):
                self.check(tab, visited, where, checks.keyboard, visited.has_own_focus)

    def force(self, pages, size):
        with self.tab(size, "dark") as tab:
            for visited, where in self.each(pages, tab, f"{size[0]} px, forced colours", [checks.forced_colours]):
                self.check(tab, visited, where, checks.forced_colours)
                tab.screenshot(path=self.folder / f"{visited.name}-{size[0]}-forced.png")
                tab.emulate_media(forced_colors="none", reduced_motion="no-preference")

    def print(self, pages):
        with self.tab(SIZES[1], "dark") as tab:
            for visited, where in self.each(pages, tab, "paper", [checks.printed]):
                self.check(tab, visited, where, checks.printed)
                tab.emulate_media(media="screen")

    def weigh(self, pages):
        with self.tab(SIZES[0], "light") as tab:
            for visited, where in self.each(pages, tab, "weight", [checks.weights]):
                self.counts["weights"] += 1
                sizes, too_heavy = checks.weights(tab, self.base, visited.path.format(**self.made))
                for text in too_heavy:
                    self.fault(where, text)
                for kind, size in sizes.items():
                    self.heaviest[kind] = max(self.heaviest[kind], size)

    def travel(self, size, script):
        """Journeys through several pages."""
        for journey in JOURNEYS:
            where = f"{journey.__name__}, {size[0]} px" + ("" if script else ", no script")
            with self.tab(size, "light", script) as tab:
                tab.address, tab.where, tab.has_script, tab.unlock = "", where, script, self.unlock
                self.counts["journeys"] += 1
                try:
                    for text in journey(tab, self.base):
                        self.fault(where, text)
                except Error as error:
                    self.fault(where, f"the browser gives up: {error.message.splitlines()[0]}")


def visit(visitor, pages, is_quick):
    for size in SIZES:
        for theme in THEMES:
            for script in [True] if is_quick else [True, False]:
                visitor.look(pages, size, theme, script, whole=not is_quick)
            visitor.judge(pages, size, theme)
    visitor.narrow(pages)
    for size in SIZES[:1] if is_quick else SIZES:
        visitor.press(pages, size)
        visitor.force(pages, size)
    visitor.print(pages)
    visitor.weigh(pages)
    for size in SIZES:
        for script in [True, False]:
            visitor.travel(size, script)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", help="names of pages, with commas between them")
    told = parser.parse_args()
    pages = [page for page in PAGES if not told.only or page.name in told.only.split(",")]
    told.folder.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="cardscape-browser-") as folder:
        # Postgres runs as another user when this runs as root.
        os.chmod(folder, 0o755)
        seed_data = stage.copy_seed_data(ROOT / "seed-data", pathlib.Path(folder))
        with running(told.binary, seed_data) as service, sync_playwright() as playwright:
            made = stage.play(service)
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
            try:
                unlock = functools.partial(stage.unlock_one, service)
                visitor = Visitor(browser, service.base, told.folder.resolve(), made, unlock)
                visit(visitor, pages, told.quick)
            except Error as error:
                visitor.fault("browser", error.message.splitlines()[0])
            finally:
                browser.close()
            for line in service.panics()[:5]:
                visitor.fault("service", line)
            if not service.is_alive():
                visitor.fault("service", "has died")
    summary(visitor, pages, time.monotonic() - started)
    sys.exit(1 if visitor.faults else 0)


def summary(visitor, pages, seconds):
    made = ", ".join(f"{name} {count}" for name, count in visitor.counts.items())
    heaviest = ", ".join(f"{kind} {size:,}" for kind, size in visitor.heaviest.items())
    print(f"{len(pages)} pages in {seconds:.0f} s; checks made: {made}")
    print(f"heaviest, in bytes as sent: {heaviest}")
    print(f"screenshots: {visitor.folder}")
    print(f"browser failed: {len(visitor.faults)} faults" if visitor.faults else "browser passed")


if __name__ == "__main__":
    main()
