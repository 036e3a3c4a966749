// Pages on which a deck list is typed: adds cards to it by name. live_form.js judges the list and asks before changes are lost. All texts stand in the page.

import "./live_form.js";
import { PAUSE_MS, findNames } from "./names.js";

const list = document.getElementById("list");
const { format } = list.form.elements;
const name = document.getElementById("pick");
const names = document.getElementById("pick_names");
const added = document.getElementById("pick_state");
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

/** Where a line for another card goes: to the end of the first zone, before the heading of the next (`[side]`) and the empty lines above that. */
function placeOfNewLine(lines) {
  const firstCard = lines.findIndex((line) => /^\s*\d/u.test(line));
  const heading = lines.findIndex((line, at) => at > firstCard && firstCard >= 0 && /^\s*\[[^\]]+\]\s*$/u.test(line));
  let place = heading < 0 ? lines.length : heading;
  while (place > 0 && lines[place - 1].trim() === "") place -= 1;
  return place;
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
  lines.splice(placeOfNewLine(lines), 0, `1 ${card}`);
  const list = lines.join("\n");
  return { text: list.endsWith("\n") ? list : `${list}\n`, count: 1 };
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
  namesTimer = setTimeout(suggest, PAUSE_MS);
});
// Enter adds the card, and does not send the form.
name.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing) return;
  event.preventDefault();
  add();
});
document.getElementById("pick_add").addEventListener("click", add);
