// Every page: says beside the account how many events there are that this browser has not shown yet. It asks once for each page, and only where the page of the
// events was shown before: nobody else looks for news, and strangers have none. All texts are in the page.

import { newsOf, withSeen } from "./seen_events.js";

const KEY = "cardscape-events";
// What there is room for.
const MOST = 99;

const badge = document.getElementById("badge");
const events = document.querySelector("[data-newest]");

/** The stored text; `null` if there is none, or the browser allows none. */
function readStored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** Stores a text; `null` deletes the stored one. */
function store(text) {
  try {
    if (text === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, text);
  } catch {
    // Then there is no badge.
  }
}

function part(text, className) {
  const made = document.createElement("span");
  made.className = className;
  made.textContent = text;
  return made;
}

function show(count) {
  const { one, several, many } = badge.dataset;
  const number = part(count > MOST ? many : count, "badge");
  number.setAttribute("aria-hidden", "true");
  badge.replaceChildren(number, " ", part((count === 1 ? one : several).replace("{count}", count), "unseen"));
}

async function ask() {
  const before = readStored();
  if (before === null) return;
  try {
    const answer = await fetch(badge.dataset.asks);
    // Nobody is logged in any more, and another person may log in next.
    if (answer.status === 204) store(null);
    if (answer.status !== 200) return;
    const count = newsOf(before, await answer.json());
    if (count > 0) show(count);
  } catch {
    // Without the network there is no badge.
  }
}

if (events === null) ask();
else store(withSeen(readStored(), events.dataset.account, Number(events.dataset.newest)));
