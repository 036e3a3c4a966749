// Up to which event of which account a browser has shown what happened, as it keeps it: JSON of numbers by account.

/** What is kept; nothing of what is no such thing. */
function marksOf(kept) {
  try {
    const marks = JSON.parse(kept);
    return typeof marks === "object" && marks !== null ? marks : {};
  } catch {
    return {};
  }
}

/** What is to be kept when the events of an account were shown up to a number. */
export function withSeen(kept, account, newest) {
  return JSON.stringify({ ...marksOf(kept), [account]: newest });
}

/** How many events of an account are newer than what was shown; none of an account of which nothing was shown here. */
export function newsOf(kept, { account, newest }) {
  const seen = marksOf(kept)[account];
  return Number.isInteger(seen) && newest > seen ? newest - seen : 0;
}
