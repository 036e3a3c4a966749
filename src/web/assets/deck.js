// Pages on which a deck list is typed: adds cards to it by name. live_form.js judges the list and asks before changes are lost. All texts stand in the page.

import "./live_form.js";
import { PAUSE_MS, findNames } from "./names.js";

const list = document.getElementById("list");
const { format, dialect } = list.form.elements;
const name = document.getElementById("pick");
const names = document.getElementById("pick_names");
const added = document.getElementById("pick_state");
// Names of cards that are to be added.
const waiting = [];
let namesTimer = 0;

/** Suggests names that begin with what is typed. */
async function suggest() {
  const beginning = name.value.trim();
  if (beginning === "") return;
  const game = format.value.includes("/") ? format.value.split("/")[0] : "";
  const found = await findNames(name.dataset.names, beginning, game, 10);
  // Meanwhile something else may have been typed.
  if (found === null || name.value.trim() !== beginning) return;
  names.replaceChildren(...found.map((value) => new Option(value, value)));
}

/** Has one copy of a card added to the list: the service reads the list, and knows its zones. The page that answers, or null. */
async function withOneMore(card) {
  const body = new URLSearchParams({ format: format.value, list: list.value, dialect: dialect.value, card });
  const answer = await fetch(list.form.dataset.liveTo, { method: "POST", body, headers: { Accept: "text/html" } });
  return answer.status < 500 ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
}

/** Adds a card; what is said of that, and whether it was added. The list that came back is taken if nothing was typed meanwhile; else it is asked for once more. */
async function addOne(card) {
  for (let tries = 0; tries < 3; tries += 1) {
    const before = list.value;
    const page = await withOneMore(card);
    const told = page?.getElementById("pick_state");
    if (list.value !== before) continue;
    if (told?.dataset.count === undefined) return { isAdded: false, said: page?.getElementById("told")?.dataset.says };
    list.value = page.getElementById("list").value;
    list.dispatchEvent(new Event("input", { bubbles: true }));
    return { isAdded: true, said: added.dataset.added.replace("{name}", () => card).replace("{count}", told.dataset.count) };
  }
  return { isAdded: false };
}

/** Adds those that wait, one after the other. What cannot be added is said until the next one is, and stands in the field again if nothing else does. */
async function addWaiting() {
  while (waiting.length > 0) {
    const card = waiting[0];
    // Without the network it is said that it can be tried again.
    const { isAdded, said } = await addOne(card).catch(() => ({ isAdded: false }));
    waiting.shift();
    added.textContent = said || added.dataset.wait;
    if (!isAdded && name.value === "") name.value = card;
  }
}

/** Has a card added as soon as those before it are. */
function add() {
  const card = name.value.trim();
  name.focus();
  if (card === "") return;
  name.value = "";
  names.replaceChildren();
  waiting.push(card);
  if (waiting.length === 1) addWaiting();
}

name.addEventListener("input", () => {
  clearTimeout(namesTimer);
  namesTimer = setTimeout(suggest, PAUSE_MS);
});
// Enter adds the card, and does not send the form.
name.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing) return;
  event.preventDefault();
  add();
});
document.getElementById("pick_add").addEventListener("click", add);
