// Pages of cards: the arrow keys lead to the cards before and after, by the links of the page, unless that is
// switched off.

import { isForPageAlone } from "./keys.js";
import { areShortcutsOn } from "./shortcuts.js";

const WAYS = { ArrowLeft: "prev", ArrowRight: "next" };

document.addEventListener("keydown", (event) => {
  const way = WAYS[event.key];
  if (way === undefined || !isForPageAlone(event) || !areShortcutsOn()) return;
  const link = document.querySelector(`a[rel=${way}]`);
  if (link === null) return;
  event.preventDefault();
  link.click();
});
