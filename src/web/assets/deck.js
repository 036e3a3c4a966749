// Pages on which a deck list is typed: adds cards to it by name. live_form.js judges the list and asks before changes are lost. All texts are in the page.

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
  // The typed text may have changed in the meantime.
  if (found === null || name.value.trim() !== beginning) return;
  names.replaceChildren(...found.map((value) => new Option(value, value)));
}

/** Has one copy of a card added to the list: the service reads the list, and knows its zones. The page that answers, or null. */
async function withOneMore(card) {
  const body = new URLSearchParams({ format: format.value, list: list.value, dialect: dialect.value, card });
  const answer = await fetch(list.form.dataset.liveTo, { method: "POST", body, headers: { Accept: "text/html" } });
  return answer.status < 500 ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
}

/** Adds a card; returns the message about it, and whether it was added. The returned list is used if nothing was typed in the meantime; else it is requested once more. */
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

/** Adds the waiting cards, one after the other. The message about a refused card stays until the next card, and its name returns to the field if that is empty. */
async function addWaiting() {
  while (waiting.length > 0) {
    const card = waiting[0];
    // Without the network, the message says that it can be tried again.
    const { isAdded, said } = await addOne(card).catch(() => ({ isAdded: false }));
    waiting.shift();
    added.textContent = said || added.dataset.wait;
    if (!isAdded && name.value === "") name.value = card;
  }
}

/** Adds a card as soon as those before it are added. */
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
