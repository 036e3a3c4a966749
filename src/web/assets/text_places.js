// Where a line of a text begins and ends, as fields for text count it.

// Of a longer line, only this much is selected, from the given place on.
const LONG = 200;

/** What to select of a text for a place in it: the line, or of a long line the part at the column. Lines and columns count from 1. */
export function placeOf(text, line, column) {
  let start = 0;
  for (let at = 1; at < line; at += 1) {
    const end = text.indexOf("\n", start);
    if (end < 0) break;
    start = end + 1;
  }
  const next = text.indexOf("\n", start);
  const end = next < 0 ? text.length : next;
  if (end - start <= LONG) return { start, end };
  // Columns count characters, of which some are two to a browser.
  const before = Array.from(text.slice(start, end)).slice(0, column - 1).join("").length;
  return { start: start + before, end: Math.min(end, start + before + LONG) };
}
