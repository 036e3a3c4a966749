// What scripts of the pages decide without a browser: script_checks.mjs. Fails at the first thing that is not as it should be.

import assert from "node:assert/strict";
import { isForPage, isForPageAlone } from "../../../src/web/assets/keys.js";
import { areShortcutsOn, followBox, switchShortcuts } from "../../../src/web/assets/shortcuts.js";
import { beginnings, withFields, withName } from "../../../src/web/assets/query_end.js";

/** What may be the beginning of a name at the end of a query, each after a point in the query. */
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

/** A key that is pressed where the closest elements of these selectors are. */
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

/** What a browser keeps; none: it keeps nothing. */
const keepIn = (kept) => {
  const localStorage = {
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, value) => { kept.set(name, value); },
    removeItem: (name) => { kept.delete(name); },
  };
  Object.defineProperty(globalThis, "localStorage", { configurable: true, get: () => { if (kept === null) throw new Error("nothing is kept"); return localStorage; } });
};
for (const kept of [new Map(), null]) {
  keepIn(kept);
  assert.ok(areShortcutsOn(), "they are on until they are switched off");
  switchShortcuts(false);
  assert.ok(!areShortcutsOn());
  switchShortcuts(true);
  assert.ok(areShortcutsOn());
}
// Another page of the same browser knows.
keepIn(new Map([["cardscape-keys", "off"]]));
assert.ok(!areShortcutsOn());
// The box shows what is kept, and changes it.
let changed = () => {};
globalThis.window = { addEventListener: () => {} };
const shown = { checked: true, addEventListener: (_, listener) => { changed = listener; } };
followBox(shown);
assert.equal(shown.checked, false);
shown.checked = true;
changed();
assert.ok(areShortcutsOn());
