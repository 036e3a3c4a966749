// What every page has.

import "./badge.js";
import "./once.js";
import "./search.js";

// Few pages have a form whose changes could be lost.
const guarded = document.querySelectorAll("form[data-guard]");
if (guarded.length > 0) {
  const { guard } = await import("./guard.js");
  for (const form of guarded) guard(form, window);
}
