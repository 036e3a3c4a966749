"""What must hold for a page in a browser. Each check returns its faults, one line each."""

import re
import urllib.error
import urllib.request

from axe_playwright_python.sync_playwright import Axe

# Bytes as sent, of a page itself, of its styles and of its scripts together.
HEAVIEST = {"document": 30 * 1024, "stylesheet": 15 * 1024, "script": 20 * 1024}
# Of layout shifts together, since the page began to load.
LARGEST_SHIFT = 0.05
# CSS pixels, both ways.
SMALLEST_TARGET = 24

AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# Of these, the rules that look at colours.
COLOUR_RULES = ["color-contrast", "link-in-text-block"]

# Runs before the page: collects what it does wrong. Without script it does not run, and the console tells.
WATCH = """
window.watched = { shift: 0, moved: [], refused: [] };
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) {
    if (entry.hadRecentInput) continue;
    watched.shift += entry.value;
    watched.moved.push(...entry.sources.map(({ node, previousRect, currentRect }) =>
      `${(node?.outerHTML ?? node?.textContent ?? 'what is gone').replace(/\\s+/g, ' ').slice(0, 60)} from ${previousRect.top} to ${currentRect.top}`));
  }
}).observe({ type: 'layout-shift', buffered: true });
document.addEventListener('securitypolicyviolation', event =>
  watched.refused.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`));
"""

# Helpers of the checks below. Values of checks are lists of lines.
HELPERS = """
  const name = element => element.outerHTML.replace(/\\s+/g, ' ').slice(0, 90);
  const seen = element => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  const all = selector => [...document.querySelectorAll(selector)].filter(seen);
  const CONTROLS = 'a[href], button, input:not([type=hidden]), select, textarea, summary';
  const luminance = colour => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number)
      .map(value => value / 255).map(value => value <= .04045 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + .05) / (low + .05);
  };
  const ground = element => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!/, 0\\)$|^transparent$/.test(colour)) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const faultOfFocus = element => {
    const style = getComputedStyle(element), box = element.getClientRects()[0];
    const [x, y] = [(Math.max(box.left, 0) + Math.min(box.right, innerWidth)) / 2, (Math.max(box.top, 0) + Math.min(box.bottom, innerHeight)) / 2];
    const top = document.elementFromPoint(x, y);
    let fault = null;
    if (style.outlineStyle === 'none' || parseFloat(style.outlineWidth) < 2) fault = 'shows no focus';
    else if (contrast(style.outlineColor, ground(element.parentElement)) < 3) fault = `has a faint focus ${style.outlineColor}`;
    else if (!top || !(element.contains(top) || top.contains(element))) fault = 'is focused where it cannot be seen';
    return fault && `${name(element)} ${fault}`;
  };
"""


def ask(page, body, argument=None):
    """What a piece of script says of the page, also of one that runs no scripts of its own."""
    return page.evaluate("(argument) => {" + HELPERS + body + "}", argument)


def settle(page):
    """Waits until all pictures are there, those below the fold, too."""
    ask(page, "for (const image of document.images) image.loading = 'eager';")
    for _ in range(200):
        if ask(page, "return [...document.images].every(image => image.complete);"):
            return []
        page.wait_for_timeout(50)
    return ["pictures do not arrive"]


def no_broken_pictures(page):
    return ask(page, "return [...document.images].filter(image => !image.naturalWidth).map(image => `broken picture ${name(image)}`);")


def no_sideways_scrolling(page):
    """The page fits; what is wider scrolls in a box of its own that keys reach."""
    return ask(
        page,
        """
        const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
        if (wide <= 0) return [];
        const over = all('body *').filter(element => element.getBoundingClientRect().right > innerWidth + 1 && !element.closest('.scroll'));
        return [`${wide}px too wide: ${over.slice(0, 2).map(name).join(' and ')}`];
        """,
    )


def large_targets(page):
    """Every control can be hit with a finger, but for links within a sentence."""
    return ask(
        page,
        """
        const faults = [];
        for (const element of all(CONTROLS)) {
          const inSentence = getComputedStyle(element).display === 'inline'
            && element.parentElement.textContent.trim() !== element.textContent.trim();
          const boxes = [element, ...element.labels ?? []].map(one => one.getBoundingClientRect());
          const [width, height] = [Math.max(...boxes.map(box => box.width)), Math.max(...boxes.map(box => box.height))];
          if (!inSentence && Math.min(width, height) < argument - .5)
            faults.push(`target of ${Math.round(width)}×${Math.round(height)}: ${name(element)}`);
        }
        return faults;
        """,
        SMALLEST_TARGET,
    )


def watched(page):
    """What `WATCH` has seen."""
    seen = page.evaluate("window.watched")
    faults = [f"policy violation {refused}" for refused in seen["refused"]]
    if seen["shift"] > LARGEST_SHIFT:
        faults.append(f"layout shifts by {seen['shift']:.3f}: {'; '.join(seen['moved'][:3])}")
    return faults


def speed(page):
    """Milliseconds until the largest part of the page was painted (LCP), and of the longest task while it was loaded."""
    seen = page.evaluate(
        """() => new Promise(done => {
          const seen = { shown: 0, task: 0 };
          const watch = (type, look) => new PerformanceObserver(list => list.getEntries().forEach(look)).observe({ type, buffered: true });
          watch("largest-contentful-paint", entry => { seen.shown = Math.max(seen.shown, entry.startTime); });
          watch("longtask", entry => { seen.task = Math.max(seen.task, entry.duration); });
          setTimeout(() => done(seen), 100);
        })"""
    )
    return seen["shown"], seen["task"]


def axe(page, colours_only=False):
    """No violation of WCAG 2.2 AA, nor of what axe calls good practice. `colours_only`: only by the rules about colours, for a page that was looked at with other ones."""
    rules = {"type": "rule", "values": COLOUR_RULES} if colours_only else {"type": "tag", "values": AXE_TAGS}
    options = {"runOnly": rules, "resultTypes": ["violations"]}
    faults = []
    for violation in Axe().run(page, options=options).response["violations"]:
        node = violation["nodes"][0]
        text = re.sub(r"\s+", " ", node["html"])[:120]
        faults.append(f"axe {violation['id']} ({len(violation['nodes'])}): {violation['help']}: {text}")
    return faults


def text_spacing(page):
    """Readers may space text out (WCAG 1.4.12): nothing is pushed off the page. Needs a page without a policy."""
    spaced = "* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important }"
    page.add_style_tag(content=spaced)
    return [f"with spaced text {fault}" for fault in no_sideways_scrolling(page)]


TABBABLE = """
  const groups = new Set();
  window.stops = all(CONTROLS + ', [tabindex]').filter(element => {
    if (element.tabIndex < 0 || element.disabled || element.closest('[inert]')) return false;
    if (element.type !== 'radio') return true;
    // A group has one stop: what is chosen, else its first.
    const chosen = element.form.elements[element.name].value;
    if (chosen) return element.checked;
    const isFirst = !groups.has(element.name);
    groups.add(element.name);
    return isFirst;
  });
  return window.stops.length;
"""
STOPPED = """
  const place = window.stops.indexOf(document.activeElement);
  return { place, fault: place < 0 ? null : faultOfFocus(document.activeElement) };
"""


def keyboard(page, has_own_focus):
    """Tab reaches every control in the order of the page, with a focus that can be seen. `has_own_focus`: the page puts it somewhere by itself."""
    stops = ask(page, TABBABLE)
    visited, faults = [], []
    for _ in range(2 * stops + 6):
        page.keyboard.press("Tab")
        stop = ask(page, STOPPED)
        if visited and stop["place"] == visited[-1]:
            # Fields of dates have stops of their own for day, month and year.
            continue
        if stop["place"] in visited:
            break
        if stop["place"] >= 0:
            visited.append(stop["place"])
            faults += [stop["fault"]] if stop["fault"] else []
    for lost in sorted(set(range(stops)) - set(visited)):
        faults.append("Tab does not reach " + ask(page, "return name(window.stops[argument]);", lost))
    if not has_own_focus and visited != sorted(visited):
        faults.append(f"Tab goes in another order than the page: {visited}")
    return faults + skip_link(page)


def skip_link(page):
    """The first stop leads past the header."""
    first = ask(page, "const first = window.stops[0]; first?.focus(); return first?.getAttribute('href') ?? '';")
    if not first.startswith("#"):
        return ["the first stop is no link to the content"]
    if ask(page, "return document.activeElement.getBoundingClientRect().top < 0;"):
        return ["the link to the content is not seen when it is focused"]
    page.keyboard.press("Enter")
    if not ask(page, "return document.activeElement.matches('main');"):
        return ["the link to the content does not move the focus there"]
    page.keyboard.press("Tab")
    has_stops = ask(page, "return window.stops.some(element => element.closest('main'));")
    if has_stops and not ask(page, "return !!document.activeElement.closest('main');"):
        return ["Tab after the link to the content is not in the content"]
    return []


def proxies_printed(page):
    """Cards to print have the size of cards, three times three of them fit on a page, and each sheet has a page of its own."""
    faults = ask(
        page,
        """
        const faults = [];
        const [width, height] = argument.map(mm => mm / 25.4 * 96), off = .5 / 25.4 * 96;
        const sheets = all('.proxies');
        for (const sheet of sheets) {
          const boxes = [...sheet.children].map(card => card.getBoundingClientRect());
          for (const image of all('.proxies img')) boxes.push(image.getBoundingClientRect());
          const wrong = boxes.find(box => Math.abs(box.width - width) > off || Math.abs(box.height - height) > off);
          if (wrong) faults.push(`a card of ${wrong.width.toFixed(1)}×${wrong.height.toFixed(1)} px to print`);
          const rows = new Set([...sheet.children].map(card => Math.round(card.getBoundingClientRect().top)));
          const most = Math.ceil(sheet.children.length / 3);
          if (sheet.children.length > 9 || rows.size !== most) faults.push(`${sheet.children.length} cards in ${rows.size} rows of a sheet`);
        }
        return faults.slice(0, 3);
        """,
        [63, 88],
    )
    sheets = page.locator(".proxies").count()
    if sheets:
        # As the page says, margins included.
        pages = pages_of(page.pdf(prefer_css_page_size=True))
        faults += [] if pages == sheets else [f"{sheets} sheets of cards on {pages} pages"]
    return faults


def pages_of(pdf):
    """How many pages a PDF file has."""
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def printed(page):
    """It goes on paper, in dark letters, whatever the theme."""
    page.emulate_media(media="print", color_scheme="dark")
    page.set_viewport_size({"width": 794, "height": 1123})
    faults = [f"on paper {fault}" for fault in no_sideways_scrolling(page)]
    faults += proxies_printed(page)
    faults += ask(page, "const ink = getComputedStyle(document.body).color; return luminance(ink) > .2 ? [`printed in ${ink}`] : [];")
    pdf = page.pdf(format="A4", margin={side: "12mm" for side in ("top", "right", "bottom", "left")})
    if not pdf.startswith(b"%PDF") or not pages_of(pdf):
        faults.append("printing makes no PDF with pages")
    return faults


def forced_colours(page):
    """With the reader's colours and without motion, controls have edges and nothing moves."""
    page.emulate_media(forced_colors="active", reduced_motion="reduce", color_scheme="dark")
    faults = ask(
        page,
        """
        const faults = [];
        if (!matchMedia('(forced-colors: active)').matches) faults.push('the browser forces no colours');
        // Boxes to tick are the browser's own.
        for (const element of all('button, .button, input:not([type=checkbox], [type=radio]), select, textarea'))
          if (parseFloat(getComputedStyle(element).borderTopWidth) < 1) faults.push(`without an edge: ${name(element)}`);
        for (const element of document.querySelectorAll('progress'))
          if (seen(element) && element.getBoundingClientRect().height < 4) faults.push(`cannot be seen: ${name(element)}`);
        for (const element of document.querySelectorAll('body, body *')) {
          const style = getComputedStyle(element);
          const moves = [style.transitionDuration, style.animationName === 'none' ? '0s' : style.animationDuration];
          if (moves.join().split(',').some(duration => parseFloat(duration) > 0)) faults.push(`moves: ${name(element)}`);
        }
        return faults.slice(0, 5);
        """,
    )
    return [f"with forced colours {fault}" for fault in faults + no_sideways_scrolling(page)]


def weights(page, base, path):
    """Bytes as sent of a page and of what it loads, by kind; and what is too heavy."""
    files = {
        "document": [base + path],
        "stylesheet": ask(page, "return [...document.querySelectorAll('link[rel=stylesheet]')].map(link => link.href);"),
        # Those that others load, too.
        "script": ask(page, "return [...new Set(performance.getEntriesByType('resource').map(entry => entry.name).filter(name => name.endsWith('.js')))];"),
    }
    cookie = "; ".join(f"{one['name']}={one['value']}" for one in page.context.cookies())
    sizes = {kind: sum(weight(address, cookie) for address in addresses) for kind, addresses in files.items()}
    too_heavy = [f"{kind} of {size:,} bytes, more than {HEAVIEST[kind]:,}" for kind, size in sizes.items() if size > HEAVIEST[kind]]
    return sizes, too_heavy


def weight(address, cookie):
    """Bytes of a body, packed as for every browser. `cookie`: of who is logged in."""
    request = urllib.request.Request(address, headers={"accept-encoding": "gzip", "accept": "text/html,*/*", "cookie": cookie})
    try:
        answer = urllib.request.urlopen(request, timeout=10)
    except urllib.error.HTTPError as failure:
        answer = failure
    with answer:
        return len(answer.read())
