// Every page with a field for searching cards: the slash leads to it, unless that is switched off, and while somebody types, it suggests names of cards and, where the page holds them, fields
// of queries. All texts are in the page: data-names says where names are asked for, data-hints which list has the fields.

import { isForPage } from "./keys.js";
import { PAUSE_MS, findNames } from "./names.js";
import { beginnings, withFields, withName } from "./query_end.js";
import { areShortcutsOn, followBox } from "./shortcuts.js";

const MOST_FIELDS = 4;
const MOST_NAMES = 6;

const field = document.querySelector("form[role=search] input[data-names]");
const list = document.createElement("datalist");
const hints = new Map(Array.from(document.getElementById(field.dataset.hints)?.options ?? [], (hint) => [hint.value, hint.text]));
let timer = 0;

/** A suggestion. Browsers show those that hold what is typed, in the value or beside it. */
function suggestion(query, text) {
  const holdsTyped = query.toLowerCase().includes(field.value.toLowerCase());
  return new Option(text ?? (holdsTyped ? query : `${field.value} → ${query}`), query);
}

/** Names for the longest end of the query that has any, as queries. */
async function namesFor(query) {
  const game = field.form.elements.game?.value ?? "";
  for (const { before, typed } of beginnings(query)) {
    const names = await findNames(field.dataset.names, typed, game, MOST_NAMES);
    if (names === null) return [];
    if (names.length > 0) return names.map((name) => withName(before, name));
  }
  return [];
}

async function suggest() {
  const query = field.value;
  const fields = withFields(query, [...hints.keys()]).slice(0, MOST_FIELDS);
  const names = await namesFor(query);
  // The typed text may have changed in the meantime.
  if (field.value !== query) return;
  const ofFields = fields.map((found) => suggestion(found.query, hints.get(found.field)));
  list.replaceChildren(...ofFields, ...names.map((name) => suggestion(name)));
}

list.id = `${field.id}_suggested`;
field.after(list);
field.setAttribute("list", list.id);
field.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(suggest, PAUSE_MS);
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || !isForPage(event) || !areShortcutsOn()) return;
  event.preventDefault();
  field.focus();
  field.select();
});

const box = document.getElementById("shortcuts");
if (box !== null) followBox(box);
