"""Looks at the pages with a browser: browser.py [--quick | --words | --slow-line | --times PAGE.md | --journey NAME,…] [--only NAME,…] PATH/TO/cardscape FOLDER

Starts the service with the seed data and what players left behind (browser_stage.py), and visits each page of `PAGES` (browser_pages.py): light and dark, on a
phone and on a desk, with and without script; sends forms and looks at what answers them (browser_answers.py); plays journeys (browser_journeys.py). What must hold
is in browser_checks.py. Screenshots go into FOLDER. `--quick` visits each page once for each theme and width, and plays each journey with script and without.
`--journey` only plays some of them. `--words` only looks for text that stands in no file of words (browser_words.py), `--slow-line` only for what
moves while a page comes in parts (browser_slow_line.py). `--times` only measures how soon a slow phone shows each page, and writes that into a table of the file. Fails with a line
for each fault. Everything it starts, it stops.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import datetime
import os
import pathlib
import statistics
import sys
import tempfile
import time

from playwright.sync_api import Error, sync_playwright

import browser_answers as answers
import browser_checks as checks
import browser_elsewhere as elsewhere
import browser_once as once
import browser_stage as stage
import browser_words as words
from browser_journeys import JOURNEYS, ONCE, play
from browser_pages import PAGES
from browser_scene import Scene
from browser_slow_line import slow_line
from service import running

ROOT = pathlib.Path(__file__).parent.parent
CHROMIUM = os.environ.get("CARDSCAPE_CHROMIUM", "/usr/bin/chromium")
# Chromium asks nobody but the service.
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
# Small machines have little shared memory, which a large page fills.
OPTIONS += ["--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"]

THEMES = ["light", "dark"]
# Width and height: a phone, a desk.
SIZES = [(360, 740), (1280, 900)]
# The narrowest that must do: 1280 px, four times as large.
NARROWEST = (320, 640)
# How much slower a phone's processor is than the machine's.
SLOWDOWN = 4
# What a page shown by such a processor should keep, in milliseconds: until its largest part is there, and of its longest task.
SOON = {"shown": 1000, "task": 50}
# A page is measured so often; the medians count.
MEASURED = 5
# So many pages are named as the slowest.
SLOWEST = 10
TIMES_BEGIN, TIMES_END = "<!-- shown: written by `make bench-pages` -->\n", "<!-- /shown -->"
# What the browser says of each page without encryption that is not its own machine's.
UNHEARD = "The Cross-Origin-Opener-Policy header has been ignored"
# Lines of one check of one page; the same fault is often in many places.
MOST_LINES = 4


def launch(chromium, *options):
    return chromium.launch(executable_path=CHROMIUM, args=[*OPTIONS, *options])


class Visitor:
    """A browser at a service, and what it found."""

    def __init__(self, browser, base, folder, scene):
        self.browser, self.base, self.folder, self.scene, self.made = browser, base, folder, scene, scene.made
        self.cookies = {}
        self.faults, self.most_lines = [], MOST_LINES
        self.counts = collections.Counter()
        self.heaviest = collections.Counter()
        # Of each page: milliseconds until its largest part was there, of its longest task, and its name.
        self.times = []

    def launch(self, *options):
        """Another browser, with further options."""
        return launch(self.browser.browser_type, *options)

    def fault(self, where, text):
        line = f"{where}: {text}"
        if line not in self.faults:
            self.faults.append(line)
            print("fault:", line, flush=True)

    def at_once(self, *looks):
        """Has visitors with a browser each look at the same time: most of a visit is waiting."""
        with concurrent.futures.ThreadPoolExecutor(len(looks)) as pool:
            for other in pool.map(self.look_with_another, looks):
                self.faults += other.faults
                self.counts += other.counts

    def look_with_another(self, look):
        """Has a visitor look with a browser that belongs to this thread, and returns the visitor."""
        with sync_playwright() as playwright, contextlib.closing(launch(playwright.chromium)) as browser:
            other = Visitor(browser, self.base, self.folder, self.scene)
            try:
                look(other)
            except Error as error:
                other.fault("browser", error.message.splitlines()[0])
            return other

    def check(self, page, visited, where, check, *arguments):
        """Makes a check of browser_checks.py, if it is for this page."""
        if check.__name__ in visited.without:
            return
        self.counts[check.__name__] += 1
        try:
            texts = check(page, *arguments)
        except Error as error:
            texts = [f"{check.__name__}: the browser gives up: {error.message.splitlines()[0]}"]
        for text in texts[: self.most_lines]:
            self.fault(where, text)
        if len(texts) > self.most_lines:
            self.fault(where, f"{len(texts) - self.most_lines} more of {check.__name__}")

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

        def on_console(message):
            is_the_page = message.location.get("url") == page.address and page.expected >= 400
            if message.type in ("error", "warning") and not is_the_page and not message.text.startswith(UNHEARD):
                self.fault(page.where, f"the console says: {message.text}")

        def on_request(request):
            if not request.url.startswith((self.base + "/", "data:", "blob:")):
                self.fault(page.where, f"asks another origin: {request.url}")

        def answered(response):
            if response.status >= 400 and response.url != page.address:
                self.fault(page.where, f"{response.status} for {response.url}")

        def failed(request):
            # A stream ends when its page is left, and so do the icon, which comes last, and the badge.
            if not request.url.endswith(("/stream", "/favicon.svg", "/my/events/newest")) or request.failure != "net::ERR_ABORTED":
                self.fault(page.where, f"{request.failure} for {request.url}")

        page.on("console", on_console)
        page.on("pageerror", lambda error: self.fault(page.where, f"script fails: {error}"))
        page.on("request", on_request)
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
        """What the page loads and tells, whether it fits, how it looks, and what axe says. `whole`: screenshots go down to the end of the page."""
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
                    # A theme has colours only.
                    self.check(tab, visited, where, checks.axe, theme != THEMES[0])

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

    def wait(self, pages, size):
        """What is shown does not move when the rest of a page comes."""
        with slow_line(self.base) as base:
            other = Visitor(self.browser, base, self.folder, self.scene)
            with other.tab(size, "light") as tab:
                for visited, where in other.each(pages, tab, f"{size[0]} px, slow line", [checks.watched]):
                    # Shifts are told after they are shown.
                    tab.wait_for_timeout(100)
                    other.check(tab, visited, where, checks.watched)
        self.faults += other.faults
        self.counts["slow line"] += other.counts["watched"]

    def time(self, pages):
        """How soon a slow phone shows each page. Reported, never a fault: it depends on the machine and on what else it does."""
        with self.tab(SIZES[0], "light") as tab:
            tab.context.new_cdp_session(tab).send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
            for visited in pages:
                seen = [checks.speed(tab) for _ in self.each([visited] * MEASURED, tab, "slow phone", [checks.speed])]
                self.counts["speed"] += len(seen)
                if seen:
                    shown, task = (statistics.median(values) for values in zip(*seen, strict=True))
                    self.times.append((shown, task, visited.name))

    def travel(self, journeys, size, script=True):
        """Journeys through several pages."""
        for journey in journeys:
            where = f"{journey.__name__}, {size[0]} px" + ("" if script else ", no script")
            with self.tab(size, "light", script) as tab:
                tab.address, tab.where = "", where
                self.counts["journeys"] += 1
                try:
                    for text in play(journey, tab, self.base, self.scene):
                        self.fault(where, text)
                except Error as error:
                    self.fault(where, f"the browser gives up: {error.message.splitlines()[0]}")


def visit(visitor, pages):
    """Makes every check of each page."""

    def look(size):
        def look_with(other):
            for theme in THEMES:
                for script in [True, False]:
                    other.look(pages, size, theme, script, whole=True)
            other.press(pages, size)
            other.force(pages, size)

        return look_with

    visitor.at_once(*map(look, SIZES))
    for size in SIZES:
        for theme in THEMES:
            answers.look(visitor, size, theme)
        for script in [True, False]:
            visitor.travel(JOURNEYS, size, script)
    visit_once(visitor)
    visitor.at_once(lambda other: other.narrow(pages), lambda other: other.print(pages))
    for size in SIZES:
        visitor.wait(pages, size)
    visitor.weigh(pages)
    visitor.time(pages)


def visit_quickly(visitor, pages):
    """Looks at each page once for each theme and width, and plays each journey with script and without."""

    def look(size):
        return lambda other: [other.look(pages, size, theme, script=True, whole=False) for theme in THEMES]

    phone, desk = SIZES
    visitor.at_once(*map(look, SIZES))
    for size, theme in zip(SIZES, THEMES, strict=True):
        answers.look(visitor, size, theme)
    visitor.travel(JOURNEYS, phone, script=True)
    visitor.travel(JOURNEYS, desk, script=False)
    visit_once(visitor)


def visit_once(visitor):
    """What does not depend on width and theme."""
    visitor.travel(ONCE, SIZES[0])
    elsewhere.travel(visitor, SIZES[0])
    once.look(visitor)


def play_some(visitor, names):
    """Plays the journeys of these names, and does nothing else."""
    for name in names - {journey.__name__ for journey in JOURNEYS + ONCE + elsewhere.JOURNEYS}:
        visitor.fault(name, "there is no such journey")
    for size in SIZES:
        for script in [True, False]:
            visitor.travel([journey for journey in JOURNEYS if journey.__name__ in names], size, script)
    visitor.travel([journey for journey in ONCE if journey.__name__ in names], SIZES[0])
    elsewhere.travel(visitor, SIZES[0], [journey for journey in elsewhere.JOURNEYS if journey.__name__ in names])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("folder", type=pathlib.Path)
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--quick", action="store_true")
    part.add_argument("--words", action="store_true")
    part.add_argument("--times", type=pathlib.Path, metavar="PAGE.md")
    part.add_argument("--slow-line", action="store_true")
    part.add_argument("--journey", help="names of journeys, with commas between them: nothing else is done")
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
            scene = Scene(service, *stage.play(service))
            browser = launch(playwright.chromium)
            try:
                visitor = Visitor(browser, service.base, told.folder.resolve(), scene)
                if told.journey:
                    play_some(visitor, set(told.journey.split(",")))
                elif told.words:
                    words.look(visitor, pages, answers, seed_data)
                elif told.times:
                    visitor.time(pages)
                elif told.slow_line:
                    for size in SIZES:
                        visitor.wait(pages, size)
                elif told.quick:
                    visit_quickly(visitor, pages)
                else:
                    visit(visitor, pages)
            except Error as error:
                visitor.fault("browser", error.message.splitlines()[0])
            finally:
                browser.close()
            for line in service.panics()[:5]:
                visitor.fault("service", line)
            if not service.is_alive():
                visitor.fault("service", "has died")
    if told.times and not told.only:
        write_times(visitor.times, told.times)
    summary(visitor, pages, time.monotonic() - started)
    sys.exit(1 if visitor.faults else 0)


def is_soon(shown, task):
    return shown <= SOON["shown"] and task <= SOON["task"]


def write_times(times, page):
    """Writes how soon pages are shown into a page of the documentation, the slowest first."""
    late = sum(not is_soon(shown, task) for shown, task, _ in times)
    day = datetime.datetime.now(datetime.UTC).date()
    lines = [
        f"Measured on {day}, with a processor made {SLOWDOWN} times as slow, each page {MEASURED} times (medians). {len(times)} pages; {late} of them later than "
        f"the goal: shown after at most {SOON['shown']} ms, and no task longer than {SOON['task']} ms (0: none above 50). The {SLOWEST} slowest:",
        "",
        "| Page | shown after ms | longest task ms |",
        "|---|--:|--:|",
        *(f"| {name} | {shown:.0f} | {task:.0f} |" for shown, task, name in slowest(times)),
    ]
    before, begin, rest = page.read_text(encoding="utf-8").partition(TIMES_BEGIN)
    _, end, after = rest.partition(TIMES_END)
    if not (begin and end):
        sys.exit(f"{page} has no place for this table: {TIMES_BEGIN.strip()} … {TIMES_END}")
    page.write_text(before + TIMES_BEGIN + "\n" + "\n".join(lines) + "\n\n" + TIMES_END + after, encoding="utf-8")


def slowest(times):
    """The pages that are farthest from the goal."""
    return sorted(times, key=lambda one: max(one[0] / SOON["shown"], one[1] / SOON["task"]), reverse=True)[:SLOWEST]


def summary(visitor, pages, seconds):
    made = ", ".join(f"{name} {count}" for name, count in visitor.counts.items())
    heaviest = ", ".join(f"{kind} {size:,}" for kind, size in visitor.heaviest.items())
    print(f"{len(pages)} pages in {seconds:.0f} s; checks made: {made}")
    print(f"heaviest, in bytes as sent: {heaviest}")
    for shown, task, name in slowest(visitor.times):
        print(f"slowest with a processor {SLOWDOWN} times as slow: {name}, shown after {shown:.0f} ms, longest task {task:.0f} ms")
    print(f"screenshots: {visitor.folder}")
    print(f"browser failed: {len(visitor.faults)} faults" if visitor.faults else "browser passed")


if __name__ == "__main__":
    main()
