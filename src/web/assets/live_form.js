// Forms that answer while one types. What stands in the form is sent as one of its buttons would send it, and parts of the page that answers take the place of
// those that are shown. Nothing else is touched: neither the focus nor what is typed. All texts stand in the page. A form says what is to happen:
//
//   data-live-part      ids of the elements that are replaced, with spaces between them; no field of the form is in one of them
//   data-live-to        the address; without it, that of the form. It stores nothing
//   data-live-announce  id of a status that is told to who cannot see the parts: its data-says in the page that answers becomes its text here
//   data-guard          whoever leaves without sending is asked first: "saved" if what is shown is stored, "unsaved" if it is stored nowhere yet
//
// A button with data-live-button is the one that is sent along.

const PAUSE_MS = 700;
// When an answer that refuses says nothing of when to ask again.
const WAIT_MS = 10_000;
// A picture that takes longer than this is loaded where it is shown.
const PICTURE_MS = 3000;

const delay = (time) => new Promise((done) => { setTimeout(done, time); });

/** The fields as they would be sent; files stay here. */
function fieldsOf(form) {
  const fields = new FormData(form, form.querySelector("[data-live-button]"));
  return new URLSearchParams(Array.from(fields).filter(([, value]) => typeof value === "string"));
}

/** How long a service that refuses wants to be left alone, in milliseconds. */
function waitOf(answer) {
  const seconds = Number(answer.headers.get("Retry-After"));
  return seconds > 0 ? seconds * 1000 : WAIT_MS;
}

/** A part of the answer, made ready to be shown: with its pictures, and without taking the focus. */
async function prepared(found) {
  const part = document.importNode(found, true);
  for (const element of [part, ...part.querySelectorAll("[autofocus]")]) element.removeAttribute("autofocus");
  const pictures = Array.from(part.querySelectorAll("img:not([loading=lazy])"));
  // A picture that cannot be loaded is none that is waited for.
  const loaded = Promise.all(pictures.map((picture) => picture.decode().catch(() => null)));
  await Promise.race([loaded, delay(PICTURE_MS)]);
  return part;
}

/** A form whose parts of the page follow what is typed. One request is made at a time. */
class LiveForm {
  #form;
  #timer = null;
  #isAsking = false;
  #hasChanged = false;
  #isSent = false;

  constructor(form) {
    this.#form = form;
    form.addEventListener("input", () => { this.#changed(); });
    form.addEventListener("submit", () => {
      this.#isSent = true;
      clearTimeout(this.#timer);
    });
    // Back from the answer, the form can be changed anew.
    window.addEventListener("pageshow", () => { this.#isSent = false; });
  }

  #changed() {
    this.#hasChanged = true;
    if (!this.#isAsking) this.#askIn(PAUSE_MS);
  }

  #askIn(time) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => { this.#ask(); }, time);
  }

  async #ask() {
    // What the browser would not send is not asked about.
    if (this.#isSent || !this.#form.checkValidity()) return;
    this.#isAsking = true;
    this.#hasChanged = false;
    let next = PAUSE_MS;
    try {
      const to = this.#form.dataset.liveTo ?? this.#form.getAttribute("action");
      const answer = await fetch(to, { method: "POST", body: fieldsOf(this.#form), headers: { Accept: "text/html" } });
      if (answer.status === 429 || answer.status === 503) {
        this.#hasChanged = true;
        next = waitOf(answer);
      } else {
        await this.#show(new DOMParser().parseFromString(await answer.text(), "text/html"));
      }
    } catch {
      // Without the network the page stays as it is, until something is typed again.
    } finally {
      this.#isAsking = false;
    }
    if (this.#hasChanged) this.#askIn(next);
  }

  /** Shows what has changed in the page that answers. A page without the parts, as that of the log-in, changes nothing. */
  async #show(page) {
    const ids = this.#form.dataset.livePart.split(" ").filter(Boolean);
    if (ids.every((id) => page.getElementById(id) === null)) return;
    for (const id of ids) {
      const [found, old] = [page.getElementById(id), document.getElementById(id)];
      if (found === null || old === null || found.outerHTML === old.outerHTML) continue;
      const part = await prepared(found);
      if (this.#isSent) return;
      // Who follows a link in it keeps it; it is brought up to date when the focus has left it.
      if (old.contains(document.activeElement)) old.addEventListener("focusout", () => { this.#changed(); }, { once: true });
      else old.replaceWith(part);
    }
    this.#judge(page);
    this.#announce(page);
  }

  /** Fields are wrong when they are in the page that answers. */
  #judge(page) {
    for (const field of this.#form.elements) {
      const answered = field.id === "" ? null : page.getElementById(field.id);
      if (answered === null) continue;
      if (answered.hasAttribute("aria-invalid")) field.setAttribute("aria-invalid", "true");
      else field.removeAttribute("aria-invalid");
    }
  }

  #announce(page) {
    const id = this.#form.dataset.liveAnnounce;
    const [said, told] = id ? [page.getElementById(id), document.getElementById(id)] : [null, null];
    if (said === null || told === null) return;
    const text = said.dataset.says ?? "";
    if (told.textContent !== text) told.textContent = text;
  }
}

/** Asks before the page is left with changes that were not sent. */
function guard(form) {
  let isUnsaved = form.dataset.guard === "unsaved";
  let isSent = false;
  form.addEventListener("input", () => { isUnsaved = true; });
  form.addEventListener("submit", () => { isSent = true; });
  window.addEventListener("pageshow", () => { isSent = false; });
  window.addEventListener("beforeunload", (event) => {
    if (isUnsaved && !isSent) event.preventDefault();
  });
}

for (const form of document.querySelectorAll("form[data-live-part]")) new LiveForm(form);
for (const form of document.querySelectorAll("form[data-guard]")) guard(form);
