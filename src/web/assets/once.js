// A form is not sent twice by a second click: for some seconds, the same button sends it once, unless something in it is changed.

// So long a second click is taken for an accident. Whoever stops the loading may send it anew after this time.
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
// Back from the answer, forms can be sent anew.
window.addEventListener("pageshow", () => { sent = new WeakMap(); });
