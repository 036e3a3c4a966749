// Pages with hidden cards: reads the page again from time to time, and at once when a card is unlocked, and shows the changes. All texts are in the page:
//
//   data-live            a part that is followed; the part of that name in the new page takes its place
//   data-live-end        what a part becomes that is no longer followed, by its name
//   data-unlocked-name   in a part that was hidden before: the name of the card, which is announced as unlocked

const POLL_MS = 20_000;
// All browsers that show the wall get the event of an unlock at the same moment: they ask within this time, not all at once.
const SPREAD_MS = 2_000;

const announcement = document.getElementById("news");
const channel = new BroadcastChannel("cardscape-unlocks");
let shown = null;
let isReading = false;

/** Hidden cards of a part of the page, by the address of their pages. */
function hiddenCards(part) {
  return new Set(Array.from(part.querySelectorAll(".hidden-card > a"), (link) => link.getAttribute("href")));
}

/** Puts a part of the new page in the place of the old one. The focus stays on the same link. */
function replace(old, part) {
  const before = hiddenCards(old);
  const focused = old.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  const names = [];
  if (part.dataset.unlockedName !== undefined) {
    part.classList.add("turned");
    names.push(part.dataset.unlockedName);
  }
  for (const tile of part.querySelectorAll(".tile:not(.hidden-card)")) {
    const link = tile.querySelector("a");
    if (!before.has(link.getAttribute("href"))) continue;
    tile.classList.add("turned");
    names.push(tile.querySelector(".title").textContent);
  }
  old.replaceWith(document.adoptNode(part));
  if (focused !== null) part.querySelector(`[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  return names;
}

/** Reads the page again. A failed read is tried again the next time. */
async function read() {
  if (document.hidden || isReading || document.querySelector("[data-live]") === null) return;
  isReading = true;
  try {
    const answer = await fetch(location.href, { cache: "no-cache", headers: { Accept: "text/html" } });
    if (!answer.ok) return;
    const text = await answer.text();
    if (text === shown) return;
    shown = text;
    const page = new DOMParser().parseFromString(text, "text/html");
    const names = [];
    for (const old of document.querySelectorAll("[data-live]")) {
      const name = CSS.escape(old.dataset.live);
      const part = page.querySelector(`[data-live="${name}"], [data-live-end="${name}"]`);
      if (part !== null && part.outerHTML !== old.outerHTML) names.push(...replace(old, part));
    }
    document.title = page.title;
    if (names.length > 0) announcement.textContent = names.map((name) => announcement.dataset.unlocked.replace("{name}", () => name)).join(" ");
  } catch {
    // Without the network the page stays as it is.
  } finally {
    isReading = false;
  }
}

function readSoon() {
  setTimeout(read, Math.random() * SPREAD_MS);
}

/** Follows the unlocks, in one tab of the browser: it has few connections to a host. This tab notifies the others. */
function follow() {
  const stream = new EventSource("/v1/changes/stream");
  stream.addEventListener("card.unlocked", () => {
    channel.postMessage("unlocked");
    readSoon();
  });
  // Where no further stream is allowed, the page is only read from time to time.
  return new Promise((done) => {
    stream.addEventListener("error", () => {
      if (stream.readyState === EventSource.CLOSED) done();
    });
  });
}

channel.addEventListener("message", readSoon);
document.addEventListener("visibilitychange", read);
setInterval(read, POLL_MS);
// Names of locks and channels belong to this origin only.
navigator.locks?.request("cardscape-unlocks", follow);
