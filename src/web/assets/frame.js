// What every page has.

import "./badge.js";
import "./once.js";
import "./search.js";
