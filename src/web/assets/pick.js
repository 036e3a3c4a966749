// Long lists of boxes: a field hides those that do not fit the text in it, and a status says how many are chosen. Hidden boxes keep their state, and are sent.
// All texts are in the page. A field says which list it is for (data-filters), the status beside it what is said (data-says).

import { fits } from "./words_match.js";

/** Has a field filter its list. */
function filter(field) {
  const lines = Array.from(document.getElementById(field.dataset.filters).children, (line) => ({
    line,
    text: line.textContent,
    box: line.querySelector("input"),
  }));
  const state = document.getElementById(`${field.id}_state`);

  function say() {
    const numbers = {
      chosen: lines.filter(({ box }) => box.checked).length,
      shown: lines.filter(({ line }) => !line.hidden).length,
      all: lines.length,
    };
    const text = state.dataset.says.replace(/\{(\w+)\}/gu, (_, name) => numbers[name]);
    if (state.textContent !== text) state.textContent = text;
  }

  function show() {
    for (const { line, text } of lines) line.hidden = !fits(text, field.value);
    say();
  }

  field.addEventListener("input", show);
  // Enter does nothing here, and does not send the form.
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) event.preventDefault();
  });
  for (const { box } of lines) box.addEventListener("change", say);
  // Back from another page, the browser may have put back what was typed and chosen. Before that there is nothing to say.
  window.addEventListener("pageshow", () => { if (field.value !== "" || lines.some(({ box }) => box.checked)) show(); });
}

for (const field of document.querySelectorAll("[data-filters]")) filter(field);
