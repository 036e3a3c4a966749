// A form is sent once, however often its buttons are clicked until the answer comes.

// Whoever stops the loading may send it anew after this time.
const AGAIN_MS = 5000;

let sent = new WeakSet();

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post") return;
  if (sent.has(form)) {
    event.preventDefault();
    return;
  }
  sent.add(form);
  setTimeout(() => { sent.delete(form); }, AGAIN_MS);
});
// Back from the answer, forms can be sent anew.
window.addEventListener("pageshow", () => { sent = new WeakSet(); });
