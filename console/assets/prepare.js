// Additions of scripts to a page, or to a part that was added later.
import { showTimes } from "./times.js";

export function prepare(within) {
  showTimes(within);
  // Elements that work only with scripts.
  within.querySelectorAll("[data-scripted]").forEach((element) => { element.hidden = false; });
}
