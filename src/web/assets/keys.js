// Keys that act on the page.

/** Whether a key is for the page: pressed alone but for Shift, without which some keyboards have no slash, and where nobody types or chooses. */
export function isForPage(event) {
  if (event.defaultPrevented || event.isComposing || event.repeat || event.altKey || event.ctrlKey || event.metaKey) return false;
  return event.target.closest("input, textarea, select, [contenteditable]") === null;
}

/** Whether a key is for the page and scrolls nothing: pressed alone, and not in a region that scrolls. */
export function isForPageAlone(event) {
  return isForPage(event) && !event.shiftKey && event.target.closest("[role=region]") === null;
}
