// Names of cards, as the API suggests them.

// Before this, more may be typed.
export const PAUSE_MS = 200;
// No name begins with a longer text.
const LONGEST = 120;

/** Names that begin with the typed text, or contain it: those of a game, or of all. `null`: they cannot be requested now. The typed text can be sent without them. */
export async function findNames(address, typed, game, most) {
  if (typed.length > LONGEST) return [];
  const query = new URLSearchParams({ q: typed, limit: String(most) });
  if (game !== "") query.set("game", game);
  try {
    const answer = await fetch(`${address}?${query}`);
    return answer.ok ? (await answer.json()).data : null;
  } catch {
    return null;
  }
}
