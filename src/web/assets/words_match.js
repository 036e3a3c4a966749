// Whether a text has what somebody types to find it.

/** A text without case, accents and other signs that people do not type. */
export function plain(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Whether each word that is typed occurs in a text. */
export function fits(text, typed) {
  const found = plain(text);
  return plain(typed).split(/\s+/u).every((word) => found.includes(word));
}
