// Forms that answer while somebody types. The form is sent as one of its buttons would send it, and parts of the page that answers replace
// those that are shown. Nothing else is touched: neither the focus nor what is typed. All texts are in the page. A form says what is to happen:
//
//   data-live-part      ids of the elements that are replaced, with spaces between them; no field of the form is in one of them
//   data-live-to        the address; without it, that of the form. It stores nothing
//   data-live-fields    names of the fields that are sent and marked as wrong, with spaces between them; without it, all. Others cause no request
//   data-live-needs     names of fields without which there is nothing to ask: while one of them is empty, the parts are emptied
//   data-live-announce  id of a status for people who cannot see the parts: its data-says in the page that answers becomes its text here
//
// A button with data-live-button is the one that is sent along. Text in a field without a name is neither sent nor lost.

const PAUSE_MS = 700;
// Used when the answer does not say when to ask again.
const WAIT_MS = 10_000;
// A picture that takes longer than this is loaded where it is shown.
const PICTURE_MS = 3000;

const delay = (time) => new Promise((done) => { setTimeout(done, time); });

/** The words of an attribute of a form. */
const words = (text) => (text ?? "").split(" ").filter(Boolean);

/** How long a service that refuses wants no further request, in milliseconds. */
function waitOf(answer) {
  const seconds = Number(answer.headers.get("Retry-After"));
  return seconds > 0 ? seconds * 1000 : WAIT_MS;
}

/** A part of the answer, made ready to be shown: with its pictures. */
async function prepared(found) {
  const part = document.importNode(found, true);
  const pictures = Array.from(part.querySelectorAll("img:not([loading=lazy])"));
  // A picture that cannot be loaded is not waited for.
  const loaded = Promise.all(pictures.map((picture) => picture.decode().catch(() => null)));
  await Promise.race([loaded, delay(PICTURE_MS)]);
  return part;
}

/** A form whose parts of the page follow what is typed. One request is made at a time. */
class LiveForm {
  #form;
  #names;
  #needs;
  #parts;
  #timer = null;
  #notBefore = 0;
  #isAsking = false;
  #hasChanged = false;
  #isSent = false;
  /** A part that is not brought up to date because it has the focus. */
  #held = null;
  /** Fields that an answer marked as wrong. */
  #told = new Set();

  constructor(form) {
    this.#form = form;
    this.#names = words(form.dataset.liveFields);
    this.#needs = words(form.dataset.liveNeeds);
    this.#parts = words(form.dataset.livePart);
    form.addEventListener("input", (event) => {
      // If somebody types again, the loading of the answer was stopped.
      this.#isSent = false;
      if (this.#isMeant(event.target)) this.#changed();
    });
    form.addEventListener("submit", () => {
      this.#isSent = true;
      clearTimeout(this.#timer);
    });
    // After the way back from the answer, the form can be changed again.
    window.addEventListener("pageshow", () => { this.#isSent = false; });
    document.addEventListener("focusout", (event) => {
      if (!this.#held?.contains(event.target) || this.#held.contains(event.relatedTarget)) return;
      this.#held = null;
      this.#changed();
    });
  }

  #isMeant(field) {
    return this.#names.length === 0 ? field.name !== "" : this.#names.includes(field.name);
  }

  #fields() {
    return Array.from(this.#form.elements).filter((field) => this.#isMeant(field));
  }

  /** The fields as they would be sent; files stay here. */
  #content() {
    const sent = Array.from(new FormData(this.#form, this.#form.querySelector("[data-live-button]")));
    const isText = ([name, value]) => typeof value === "string" && (this.#names.length === 0 || this.#names.includes(name));
    return new URLSearchParams(sent.filter(isText));
  }

  /** Whether there is nothing to ask. */
  #lacks() {
    return this.#needs.some((name) => this.#form.elements[name].value.trim() === "");
  }

  #changed() {
    this.#hasChanged = true;
    if (!this.#isAsking) this.#askSoon();
  }

  #askSoon() {
    clearTimeout(this.#timer);
    const wait = this.#lacks() ? 0 : this.#notBefore - Date.now();
    this.#timer = setTimeout(() => { this.#ask(); }, Math.max(PAUSE_MS, wait));
  }

  async #ask() {
    if (this.#isSent) return;
    if (this.#lacks()) {
      this.#empty();
      return;
    }
    // Values that the browser would not send are not asked about; missing values may still be typed, and the answer says so.
    if (!this.#fields().every(({ validity }) => validity.valid || validity.valueMissing)) return;
    this.#isAsking = true;
    this.#hasChanged = false;
    try {
      const to = this.#form.dataset.liveTo ?? this.#form.getAttribute("action");
      const answer = await fetch(to, { method: "POST", body: this.#content(), headers: { Accept: "text/html" } });
      if (answer.status === 429 || answer.status >= 500) this.#wait(waitOf(answer));
      else await this.#show(new DOMParser().parseFromString(await answer.text(), "text/html"));
    } catch {
      // A failure of the network is not shown: the button is still there.
      this.#wait(WAIT_MS);
    } finally {
      this.#isAsking = false;
    }
    if (this.#hasChanged) this.#askSoon();
  }

  /** Sends the same request again after this time, and nothing before. */
  #wait(time) {
    this.#notBefore = Date.now() + time;
    this.#hasChanged = true;
  }

  /** Shows what has changed in the page that answers. A page without the parts, as that of the log-in, changes nothing. */
  async #show(page) {
    if (this.#lacks() || this.#parts.every((id) => page.getElementById(id) === null)) return;
    // The focus stays where somebody types.
    for (const element of page.querySelectorAll("[autofocus]")) element.removeAttribute("autofocus");
    for (const id of this.#parts) {
      const [found, old] = [page.getElementById(id), document.getElementById(id)];
      if (found === null || old === null || found.outerHTML === old.outerHTML) continue;
      const part = await prepared(found);
      if (this.#isSent) return;
      // Details that somebody has unfolded stay unfolded.
      for (const { id } of old.querySelectorAll("details[open][id]")) part.querySelector(`#${id}`)?.setAttribute("open", "");
      // A part with the focused link stays; it is brought up to date when the focus has left it.
      if (old.contains(document.activeElement)) this.#held = old;
      else old.replaceWith(part);
    }
    this.#judge(page);
    this.#announce(page);
  }

  /** Shows that there is nothing to ask. Faults that the page itself reported stay. */
  #empty() {
    this.#hasChanged = false;
    for (const id of this.#parts) document.getElementById(id)?.replaceChildren();
    for (const field of this.#told) field.removeAttribute("aria-invalid");
    this.#told.clear();
    this.#say("");
  }

  /**
   * Fields are wrong when they are in the page that answers; not those that are merely empty while somebody types in others. The placeholder of an empty field, as a
   * computed number, is replaced, too.
   */
  #judge(page) {
    for (const field of this.#fields()) {
      const answered = field.id === "" ? null : page.getElementById(field.id);
      if (answered === null) continue;
      if ("placeholder" in field && field.placeholder !== answered.placeholder) field.placeholder = answered.placeholder;
      if (!answered.hasAttribute("aria-invalid")) {
        field.removeAttribute("aria-invalid");
      } else if (field.value !== "") {
        field.setAttribute("aria-invalid", "true");
        this.#told.add(field);
      }
    }
  }

  #announce(page) {
    const said = page.getElementById(this.#form.dataset.liveAnnounce ?? "");
    if (said !== null) this.#say(said.dataset.says ?? "");
  }

  #say(text) {
    const told = document.getElementById(this.#form.dataset.liveAnnounce ?? "");
    if (told !== null && told.textContent !== text) told.textContent = text;
  }
}

for (const form of document.querySelectorAll("form[data-live-part]")) new LiveForm(form);
