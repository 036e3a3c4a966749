// Checks the functions of the page scripts that process texts. Prints a line for each wrong result, and fails if there is one.

import { exit } from "node:process";
import { placeOf } from "../../../src/web/assets/text_places.js";
import { newsOf, withSeen } from "../../../src/web/assets/seen_events.js";
import { fits } from "../../../src/web/assets/words_match.js";

const long = `${"🂡".repeat(150)}${"x".repeat(150)}`;
const cases = [
  ["the second line", placeOf("one\ntwo\nthree", 2, 1), { start: 4, end: 7 }],
  ["the last line", placeOf("one\ntwo", 2, 3), { start: 4, end: 7 }],
  ["an empty line", placeOf("one\n\ntwo", 2, 1), { start: 4, end: 4 }],
  ["after the last line", placeOf("one\ntwo", 9, 1), { start: 4, end: 7 }],
  ["a place in a long line", placeOf(`one\n${long}\ntwo`, 2, 151), { start: 304, end: 454 }],
  ["a long line is cut", placeOf(long, 1, 1), { start: 0, end: 200 }],
  ["the shown events of two accounts", withSeen(withSeen(null, "a", 3), "b", 0), '{"a":3,"b":0}'],
  ["newer shown events of the same account", withSeen('{"a":3}', "a", 5), '{"a":5}'],
  ["an invalid stored value", withSeen("[1", "a", 5), '{"a":5}'],
  ["new events", newsOf('{"a":3}', { account: "a", newest: 5 }), 2],
  ["no new events", newsOf('{"a":3}', { account: "a", newest: 3 }), 0],
  ["numbers that start again", newsOf('{"a":3}', { account: "a", newest: 1 }), 0],
  ["another account", newsOf('{"a":3}', { account: "b", newest: 5 }), 0],
  ["a stored value that is not a number", newsOf('{"a":"3"}', { account: "a", newest: 5 }), 0],
  ["nothing typed", fits("Kettle Imp", " "), true],
  ["each word, in any order and case", fits("Kettle Imp hearth 016", "016 KETTLE"), true],
  ["accents", fits("Élan vital", "elan"), true],
  ["a word that does not occur", fits("Kettle Imp", "kettle bat"), false],
];

let faults = 0;
for (const [name, found, wanted] of cases) {
  if (JSON.stringify(found) === JSON.stringify(wanted)) continue;
  console.log(`${name}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
  faults += 1;
}
exit(faults === 0 ? 0 : 1);
