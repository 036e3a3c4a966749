// Pages on which a deck list is typed: judges the list while it is typed, adds cards to it by name, and asks before changes are lost. All texts stand in
// the page.

const PAUSE_MS = 700;
const NAMES_PAUSE_MS = 200;
/** How long to wait after a failure that does not say it. */
const PATIENCE_MS = 10_000;
/** The comment by which a list says its format. */
const OWN_FORMAT = /^[ \t]*(\/\/|#)[ \t]*format[ \t]*:/imu;

const list = document.getElementById("list");
const form = list.form;
const { format, dialect } = form.elements;

/* The report. */

const verdict = document.getElementById("live_verdict");
const wayToReport = document.getElementById("live_way");
// Of the report that the page has come with, if it has one.
let judged = document.getElementById("judged") === null ? "" : typed();
let timer = 0;
let notBefore = 0;
let isAsking = false;

/** What is judged; empty: there is nothing to judge. */
function typed() {
  const hasFormat = format.value !== "" || OWN_FORMAT.test(list.value);
  if (!hasFormat || list.value.trim() === "") return "";
  return new URLSearchParams({ format: format.value, list: list.value, dialect: dialect.value }).toString();
}

/** Puts the report of an answered page below the form, in the place of the one before. Only the verdict is announced. */
function show(page) {
  const report = page?.getElementById("judged") ?? null;
  document.getElementById("judged")?.remove();
  if (report !== null) {
    // The focus stays where somebody types.
    for (const element of report.querySelectorAll("[autofocus]")) element.removeAttribute("autofocus");
    document.getElementById("live").append(document.adoptNode(report));
  }
  wayToReport.hidden = report === null;
  const said = report?.querySelector(".verdict") ?? page?.querySelector("#faults li");
  const text = said?.textContent.trim() ?? "";
  if (verdict.textContent !== text) verdict.textContent = text;
}

/** Milliseconds until the service wants to be asked again. */
function patience(answer) {
  const seconds = Number(answer.headers.get("Retry-After"));
  return seconds > 0 ? seconds * 1000 : PATIENCE_MS;
}

/** Has the list judged, one request at a time. Nothing is said of what fails: the button is still there. */
async function judge() {
  if (isAsking) return;
  const now = typed();
  if (now === judged) return;
  if (now === "") {
    judged = "";
    show(null);
    return;
  }
  isAsking = true;
  try {
    const body = new URLSearchParams(now);
    const answer = await fetch(form.dataset.check, { method: "POST", body, headers: { Accept: "text/html" } });
    if (answer.status === 429 || answer.status >= 500) {
      notBefore = Date.now() + patience(answer);
      return;
    }
    judged = now;
    show(new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch {
    notBefore = Date.now() + PATIENCE_MS;
  } finally {
    isAsking = false;
    if (typed() !== judged) judgeSoon();
  }
}

function judgeSoon() {
  clearTimeout(timer);
  timer = setTimeout(judge, Math.max(PAUSE_MS, notBefore - Date.now()));
}

for (const field of [list, format, dialect]) field.addEventListener("input", judgeSoon);

/* Cards by name. */

const name = document.getElementById("pick");
const names = document.getElementById("pick_names");
const added = document.getElementById("pick_state");
let namesTimer = 0;

/** Suggests names that begin with what is typed. */
async function suggest() {
  const beginning = name.value.trim();
  if (beginning === "") return;
  const query = new URLSearchParams({ q: beginning, limit: "10" });
  if (format.value.includes("/")) query.set("game", format.value.split("/")[0]);
  try {
    const answer = await fetch(`${name.dataset.names}?${query}`);
    if (!answer.ok) return;
    const found = (await answer.json()).data;
    // Meanwhile something else may have been typed.
    if (name.value.trim() !== beginning) return;
    names.replaceChildren(...found.map((value) => new Option(value, value)));
  } catch {
    // A name can be typed without suggestions.
  }
}

/** Adds one copy of a card to a list: to the first line that has it by name alone, or as a new line. The list and how many it has there. */
function withOneMore(text, card) {
  const lines = text.split("\n");
  for (const [at, line] of lines.entries()) {
    const parts = /^(\s*)(\d{1,5})(x?\s+)(\S.*)$/iu.exec(line);
    if (parts === null || parts[4].trim().toLowerCase() !== card.toLowerCase()) continue;
    const count = Number(parts[2]) + 1;
    lines[at] = `${parts[1]}${count}${parts[3]}${parts[4]}`;
    return { text: lines.join("\n"), count };
  }
  const before = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  return { text: `${before}1 ${card}\n`, count: 1 };
}

function add() {
  const card = name.value.trim();
  if (card === "") return;
  const more = withOneMore(list.value, card);
  list.value = more.text;
  list.dispatchEvent(new Event("input", { bubbles: true }));
  added.textContent = added.dataset.added.replace("{name}", () => card).replace("{count}", more.count);
  name.value = "";
  names.replaceChildren();
  name.focus();
}

name.addEventListener("input", () => {
  clearTimeout(namesTimer);
  namesTimer = setTimeout(suggest, NAMES_PAUSE_MS);
});
// Enter adds the card, and does not send the form.
name.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing) return;
  event.preventDefault();
  add();
});
document.getElementById("pick_add").addEventListener("click", add);

/* Changes that are not saved. */

/** Has the browser ask before the page is left. */
function askBefore(event) {
  event.preventDefault();
}

// Listened to only while there is something to lose: browsers keep other pages for the way back.
if (form.dataset.guard !== undefined) {
  const keep = () => { window.addEventListener("beforeunload", askBefore); };
  if (form.dataset.guard === "unsaved") keep();
  form.addEventListener("input", (event) => {
    if (event.target !== name) keep();
  });
  form.addEventListener("submit", () => { window.removeEventListener("beforeunload", askBefore); });
}
