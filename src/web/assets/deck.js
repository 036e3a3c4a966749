// Pages on which a deck list is typed: adds cards to it by name. live_form.js judges the list and asks before changes are lost. All texts stand in the page.

import "./live_form.js";
import { PAUSE_MS, findNames } from "./names.js";

const list = document.getElementById("list");
const { format, dialect } = list.form.elements;
const name = document.getElementById("pick");
const names = document.getElementById("pick_names");
const added = document.getElementById("pick_state");
let namesTimer = 0;
let isAdding = false;

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

/** Adds a card. The list that came back is taken if nothing was typed meanwhile; else it is asked for once more. */
async function add() {
  const card = name.value.trim();
  if (card === "" || isAdding) return;
  isAdding = true;
  let said = added.dataset.wait;
  try {
    for (let tries = 0; tries < 3; tries += 1) {
      const before = list.value;
      const page = await withOneMore(card);
      const told = page?.getElementById("pick_state");
      if (list.value !== before) continue;
      if (told?.dataset.count === undefined) {
        said = page?.getElementById("told")?.dataset.says || said;
        break;
      }
      list.value = page.getElementById("list").value;
      list.dispatchEvent(new Event("input", { bubbles: true }));
      said = added.dataset.added.replace("{name}", () => card).replace("{count}", told.dataset.count);
      name.value = "";
      names.replaceChildren();
      break;
    }
  } catch {
    // It is said below that it can be tried again.
  } finally {
    isAdding = false;
  }
  added.textContent = said;
  name.focus();
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
