// The unfinished end of a query while somebody types it. docs/SEARCH.md describes queries.

// A term: phrases and regular expressions, which go on to the end while they are not closed, and all else up to the next space or parenthesis. Any quotation mark
// ends a phrase that a typographic one begins.
const TERM = /(?:"(?:[^"\\]|\\.?)*(?:"|$)|[“”„‟«»](?:[^"“”„‟«»\\]|\\.?)*(?:["“”„‟«»]|$)|(?<=^|[\s()|:=<>≤≥≠\u2010\u2011–—−\uFF0D-])\/(?:[^/\\]|\\.?)*(?:\/|$)|[^\s()"“”„‟«»])+/gu;
// A term that is not a bare word: it has a field or a phrase, excludes, is a regular expression, or joins others.
const NO_WORD = /[:=<>≤≥≠|$"“”„‟«»!]|^[\u2010\u2011–—−\uFF0D/-]|^(?:or|and|not)$/iu;
const PARENTHESIS = /[()]/u;
// Names have few more words than this.
const MOST_WORDS = 6;

/** The bare words at the end of a query, each with the place where it begins; none: the end is something else. */
function wordsAtEnd(query) {
  let [words, end] = [[], 0];
  for (const { 0: term, index } of query.matchAll(TERM)) {
    if (PARENTHESIS.test(query.slice(end, index)) || NO_WORD.test(term)) words = [];
    if (!NO_WORD.test(term)) words.push({ word: term, at: index });
    end = index + term.length;
  }
  return PARENTHESIS.test(query.slice(end)) ? [] : words;
}

/** What the end of a query may be the beginning of: texts with what stands before each, the longest first. */
export function beginnings(query) {
  const words = wordsAtEnd(query).slice(-MOST_WORDS);
  const places = words.length > 1 ? [words[0], words.at(-1)] : words;
  return places.map(({ at }) => ({ before: query.slice(0, at), typed: query.slice(at).trim() })).filter(({ typed }) => typed.length > 1);
}

/** The query with a name, as a phrase, in the place of what was typed of it. */
export function withName(before, name) {
  return `${before}"${name.replace(/["\\]/gu, "\\$&")}"`;
}

/** The query with each of the fields that begin with its last word. */
export function withFields(query, fields) {
  const last = wordsAtEnd(query).at(-1);
  if (last === undefined || last.at + last.word.length < query.length) return [];
  const typed = last.word.toLowerCase();
  return fields.filter((field) => field.startsWith(typed)).map((field) => ({ field, query: `${query.slice(0, last.at)}${field}:` }));
}
