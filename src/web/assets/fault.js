// Faults of a text in the page: the place of each leads to its line. All texts are in the page. The list says which field has the text (data-text),
// each place its line, its column, and what the button is called that leads there (data-line, data-column, data-label).

import { placeOf } from "./text_places.js";

/** How high a text is down to a place, in a field as wide as this one. */
function heightTo(field, end) {
  const copy = field.cloneNode();
  copy.removeAttribute("id");
  copy.removeAttribute("name");
  copy.rows = 1;
  copy.value = field.value.slice(0, end);
  // It is removed before the browser paints.
  field.after(copy);
  const height = copy.scrollHeight;
  copy.remove();
  return height;
}

/** Selects a place in a field, in the middle of what is seen of it. */
function show(field, line, column) {
  const { start, end } = placeOf(field.value, line, column);
  field.focus();
  field.setSelectionRange(start, end);
  field.scrollTop = heightTo(field, start) - field.clientHeight / 2;
}

for (const list of document.querySelectorAll("[data-text]")) {
  const field = document.getElementById(list.dataset.text);
  // A text that is too large does not stand in the page.
  const places = field?.value ? list.querySelectorAll("[data-line]") : [];
  for (const place of places) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "jump";
    button.setAttribute("aria-label", place.dataset.label);
    button.append(...place.childNodes);
    place.append(button);
    button.addEventListener("click", () => { show(field, Number(place.dataset.line), Number(place.dataset.column)); });
  }
}
