// Asks before a page is left with changes that were not sent. A form says whether it has some at first:
//
//   data-guard          "saved" if the shown contents are stored, or there are none; "unsaved" if they are stored nowhere yet

/** The forms with changes that were not sent. */
const unsent = new Set();

/** Has the browser ask before the page is left. */
function askFirst(event) {
  event.preventDefault();
}

/** The listener exists only while there are changes: browsers keep other pages for the way back. */
function settle(page) {
  if (unsent.size > 0) page.addEventListener("beforeunload", askFirst);
  else page.removeEventListener("beforeunload", askFirst);
}

/** The types of fields in which people write. */
const WRITTEN = ["textarea", "text", "number"];

/** Watches a form. `page`: the window. */
export function guard(form, page) {
  // Somebody may have typed before this script was there, or the browser may have restored what was typed.
  const isTyped = ({ type, name, value, defaultValue }) => WRITTEN.includes(type) && name !== "" && value !== defaultValue;
  let isChanged = form.dataset.guard === "unsaved" || Array.from(form.elements).some(isTyped);
  const keep = () => {
    if (isChanged) unsent.add(form);
    settle(page);
  };
  keep();
  form.addEventListener("input", (event) => {
    isChanged ||= event.target.name !== "";
    keep();
  });
  // What is sent is not lost; the other forms of the page are.
  form.addEventListener("submit", () => {
    unsent.delete(form);
    settle(page);
  });
  // Back from the answer, it is as it was before.
  page.addEventListener("pageshow", keep);
}
