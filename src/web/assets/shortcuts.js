// Whether keys act on the page. People who control the browser by voice, or press keys by accident, switch that off on the page with the help of the search
// (WCAG 2.1.4). It is kept in the browser; where nothing may be kept, it holds for the page.

const KEY = "cardscape-keys";
const OFF = "off";

let areOnHere = true;

/** Whether they do. */
export function areShortcutsOn() {
  try {
    return areOnHere && localStorage.getItem(KEY) !== OFF;
  } catch {
    return areOnHere;
  }
}

/** Switches them on or off. */
export function switchShortcuts(areOn) {
  areOnHere = areOn;
  try {
    if (areOn) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, OFF);
  } catch {
    // Then it lasts only as long as the page.
  }
}

/** Has a box show whether they are on, and switch them. */
export function followBox(box) {
  const show = () => { box.checked = areShortcutsOn(); };
  box.addEventListener("change", () => { switchShortcuts(box.checked); });
  // Back from another page, the browser may have put back what it was.
  window.addEventListener("pageshow", show);
  show();
}
