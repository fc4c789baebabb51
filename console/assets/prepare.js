// What scripts add to a page, or to a part of it that came later.
import { showTimes } from "./times.js";

export function prepare(within) {
  showTimes(within);
  // What works with scripts only.
  within.querySelectorAll("[data-scripted]").forEach((element) => { element.hidden = false; });
}
