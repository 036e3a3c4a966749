// The last event of each account that this browser has shown, as the browser keeps it: JSON of numbers by account.

/** The kept numbers; none if the kept text is not of this form. */
function marksOf(kept) {
  try {
    const marks = JSON.parse(kept);
    return typeof marks === "object" && marks !== null ? marks : {};
  } catch {
    return {};
  }
}

/** The text to keep after the events of an account were shown up to a number. */
export function withSeen(kept, account, newest) {
  return JSON.stringify({ ...marksOf(kept), [account]: newest });
}

/** How many events of an account are newer than the shown ones; none for an account of which nothing was shown here. */
export function newsOf(kept, { account, newest }) {
  const seen = marksOf(kept)[account];
  return Number.isInteger(seen) && newest > seen ? newest - seen : 0;
}
