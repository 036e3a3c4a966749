// A form is not sent twice by a second click: for some seconds, the same button sends it once, unless something in it is changed.

// For this time, a second click counts as an accident. After it, people who stopped the loading can send the form again.
const AGAIN_MS = 5000;

/** When each form was sent last, and by which button. */
let sent = new WeakMap();

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post") return;
  const last = sent.get(form);
  if (last !== undefined && last.button === event.submitter && Date.now() - last.at < AGAIN_MS) event.preventDefault();
  else sent.set(form, { button: event.submitter, at: Date.now() });
});
document.addEventListener("input", (event) => { if (event.target.form) sent.delete(event.target.form); });
// After the way back from the answer, forms can be sent again.
window.addEventListener("pageshow", () => { sent = new WeakMap(); });
