// Checks functions of the page scripts that need no browser: script_checks.mjs. Fails at the first wrong result.

import assert from "node:assert/strict";
import { guard } from "../../../src/web/assets/guard.js";
import { isForPage, isForPageAlone } from "../../../src/web/assets/keys.js";
import { areShortcutsOn, followBox, switchShortcuts } from "../../../src/web/assets/shortcuts.js";
import { beginnings, withFields, withName } from "../../../src/web/assets/query_end.js";

/** The possible beginnings of a card name at the end of a query. A middle dot in the query marks each beginning. */
const ends = (query) => beginnings(query).map(({ before, typed }) => `${before}·${typed}`);

for (const [query, expected] of [
  ["", []],
  ["k", []],
  ["ket", ["·ket"]],
  ["kettle i", ["·kettle i"]],
  ["kettle imp", ["·kettle imp", "kettle ·imp"]],
  ["t:fire kettle ", ["t:fire ·kettle"]],
  ["t:fire ket", ["t:fire ·ket"]],
  ["t:fire", []],
  ["ember t:fi", []],
  ["attack>3", []],
  ["a|b", []],
  ["-ket", []],
  ["fox or ", []],
  ["fox or owl", ["fox or ·owl"]],
  ["not owl", ["not ·owl"]],
  ["(t:fire owl", ["(t:fire ·owl"]],
  ["ab (owl", ["ab (·owl"]],
  ["(owl)", []],
  ["(owl) fox", ["(owl) ·fox"]],
  ['"draw a card', []],
  ['"draw a card" fox', ['"draw a card" ·fox']],
  ['name:"ember fo', []],
  ['t:fire|"ember fo', []],
  ['"a \\" b', []],
  ['"a \\', []],
  ["“draw a” fox", ["“draw a” ·fox"]],
  ["„draw a“ fox", ["„draw a“ ·fox"]],
  ["name:«ember fo", []],
  ["–ket", []],
  ["/draw \\w+ ca", []],
  ["o:/draw \\/ card/ fox", ["o:/draw \\/ card/ ·fox"]],
  ["12/ab fox", ["·12/ab fox", "12/ab ·fox"]],
  ["one two three four five six seven", ["one ·two three four five six seven", "one two three four five six ·seven"]],
]) {
  assert.deepEqual(ends(query), expected, query);
}

assert.equal(withName("t:fire ", "Ember Fox"), 't:fire "Ember Fox"');
assert.equal(withName("", 'The "Owl" \\ Fox'), '"The \\"Owl\\" \\\\ Fox"');

const fields = ["attack", "attach", "kind"];
const completed = (query) => withFields(query, fields).map((found) => found.query);
assert.deepEqual(completed("t:fire At"), ["t:fire attack:", "t:fire attach:"]);
assert.deepEqual(completed("kind"), ["kind:"]);
for (const query of ["", "kind ", "kind:", '"kin', "t:kin", "(kind)"]) assert.deepEqual(completed(query), [], query);

/** The event of a key that is pressed inside of elements that match the selectors in `around`. */
const key = (pressed = {}, around = []) => ({ ...pressed, target: { closest: (selectors) => (selectors.split(", ").some((one) => around.includes(one)) ? {} : null) } });
assert.ok(isForPage(key()) && isForPageAlone(key()));
assert.ok(isForPage(key({ shiftKey: true })) && !isForPageAlone(key({ shiftKey: true })));
for (const pressed of ["defaultPrevented", "isComposing", "repeat", "altKey", "ctrlKey", "metaKey"]) {
  assert.ok(!isForPage(key({ [pressed]: true })) && !isForPageAlone(key({ [pressed]: true })), pressed);
}
for (const element of ["input", "textarea", "select", "[contenteditable]"]) {
  assert.ok(!isForPage(key({}, [element])) && !isForPageAlone(key({}, [element])), element);
}
assert.ok(isForPage(key({}, ["[role=region]"])) && !isForPageAlone(key({}, ["[role=region]"])));

/** Simulates `localStorage` with these values. `null`: the browser refuses access. */
const simulateStorage = (stored) => {
  const localStorage = {
    getItem: (name) => stored.get(name) ?? null,
    setItem: (name, value) => { stored.set(name, value); },
    removeItem: (name) => { stored.delete(name); },
  };
  Object.defineProperty(globalThis, "localStorage", { configurable: true, get: () => { if (stored === null) throw new Error("storage is refused"); return localStorage; } });
};
for (const stored of [new Map(), null]) {
  simulateStorage(stored);
  assert.ok(areShortcutsOn(), "shortcuts are on by default");
  switchShortcuts(false);
  assert.ok(!areShortcutsOn());
  switchShortcuts(true);
  assert.ok(areShortcutsOn());
}
// Another page of the same browser has switched the shortcuts off.
simulateStorage(new Map([["cardscape-keys", "off"]]));
assert.ok(!areShortcutsOn());
// The checkbox shows the stored setting, and changes it.
let changed = () => {};
globalThis.window = { addEventListener: () => {} };
const shown = { checked: true, addEventListener: (_, listener) => { changed = listener; } };
followBox(shown);
assert.equal(shown.checked, false);
shown.checked = true;
changed();
assert.ok(areShortcutsOn());

/** A window or a form that only has listeners. */
const listening = (more = {}) => {
  const listeners = new Map();
  return {
    ...more,
    listeners,
    addEventListener: (name, listener) => { listeners.set(name, [...(listeners.get(name) ?? []).filter((one) => one !== listener), listener]); },
    removeEventListener: (name, listener) => { listeners.set(name, (listeners.get(name) ?? []).filter((one) => one !== listener)); },
    tell: (name, event = {}) => { for (const listener of listeners.get(name) ?? []) listener(event); },
  };
};
/** A form with a text. */
const written = (state, value = "", defaultValue = "", field = { type: "textarea", name: "text" }) => listening({ dataset: { guard: state }, elements: [{ type: "hidden", name: "key", value: "key" }, { ...field, value, defaultValue }] });
{
  const page = listening();
  const asks = () => (page.listeners.get("beforeunload") ?? []).length === 1;
  const [comment, reply] = [written("saved"), written("saved")];
  for (const form of [comment, reply]) guard(form, page);
  assert.ok(!asks(), "nothing is typed");
  comment.tell("input", { target: { name: "" } });
  assert.ok(!asks(), "a field without a name is not sent");
  comment.tell("input", { target: { name: "text" } });
  assert.ok(asks());
  reply.tell("submit");
  assert.ok(asks(), "the comment would be lost");
  comment.tell("submit");
  assert.ok(!asks(), "the comment is sent");
  page.tell("pageshow");
  assert.ok(asks(), "back from the answer, the comment is there again");
  comment.tell("submit");
}
for (const [field, isAsked] of [
  [{ type: "text", name: "name" }, true],
  [{ type: "number", name: "attack" }, true],
  [{ type: "text", name: "" }, false],
  [{ type: "hidden", name: "key" }, false],
]) {
  const page = listening();
  const form = written("saved", "12", "1", field);
  guard(form, page);
  assert.equal((page.listeners.get("beforeunload") ?? []).length === 1, isAsked, JSON.stringify(field));
  form.tell("submit");
}
for (const form of [written("unsaved"), written("saved", "half a sen", "")]) {
  const page = listening();
  guard(form, page);
  assert.equal(page.listeners.get("beforeunload")?.length, 1, "refused or restored text is not stored");
  form.tell("submit");
}
